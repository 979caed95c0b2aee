/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/vocabulary/pools.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

struct pool pool_named(const char *name)
{
	struct pool p = {.peak = NAN, .now = NAN, .headroom_peak = NAN};

	(void)str_copyn(p.name, sizeof(p.name), name, strnlen(name, sizeof(p.name) - 1));
	for (char *c = p.name; *c; c++)
		if (*c == ' ' || *c == ';' || *c == ',')
			*c = '-';
	return p;
}

/* "92 % of 25.2 MB", "92 %", "unknown of 12 MB". */
static void say_share(char *dst, size_t dst_size, double share, double bytes)
{
	char of[32] = "";

	if (bytes > 0)
		str_printf(of, sizeof(of), " of %.3g MB", bytes / 1e6);
	if (isnan(share))
		str_printf(dst, dst_size, "unknown%s", of);
	else
		str_printf(dst, dst_size, "%.3g%%%s", 100 * share, of);
}

bool pools_add(char *text, size_t size, const struct pool *p)
{
	char share[64], headroom[64], now[32] = "";
	size_t at = strlen(text);
	bool has_headroom = p->headroom_size > 0 || !isnan(p->headroom_peak);

	say_share(share, sizeof(share), p->peak, p->size);
	say_share(headroom, sizeof(headroom), p->headroom_peak, p->headroom_size);
	if (!isnan(p->now))
		str_printf(now, sizeof(now), ", now %.3g%%", 100 * p->now);
	if (*p->name &&
		str_printf(text + at, size - at, "%s%s %s%s%s%s", at ? "; " : "", p->name, share,
			has_headroom ? ", headroom " : "", has_headroom ? headroom : "", now))
		return true;
	text[at] = '\0';
	return false;
}

/* Reads a share with its size, in bytes; NULL: something else stands there. */
static const char *read_share(const char *at, double *share, double *bytes)
{
	char *end;

	*share = NAN;
	if (str_starts(at, "unknown")) {
		at += 7;
	} else {
		double percent = strtod(at, &end);

		if (end == at)
			return NULL;
		/* An earlier version wrote "92 %", which recordings have. */
		end += *end == ' ';
		if (*end != '%')
			return NULL;
		*share = percent / 100;
		at = end + 1;
	}
	if (str_starts(at, " of ")) {
		double mega = strtod(at + 4, &end);

		if (end == at + 4 || !str_starts(end, " MB"))
			return NULL;
		*bytes = mega * 1e6;
		at = end + 3;
	}
	return at;
}

const char *pools_next(const char *at, struct pool *p)
{
	size_t n = at ? strcspn(at, " ;") : 0;
	double ignored = 0;

	if (!n || at[n] != ' ' || n >= sizeof(p->name))
		return NULL;
	*p = pool_named("");
	(void)str_copyn(p->name, sizeof(p->name), at, n);
	at = read_share(at + n + 1, &p->peak, &p->size);
	while (at && str_starts(at, ", "))
		at = str_starts(at, ", headroom ")
			     ? read_share(at + 11, &p->headroom_peak, &p->headroom_size)
		     : str_starts(at, ", now ") ? read_share(at + 6, &p->now, &ignored)
						: NULL;
	return at ? at + strspn(at, "; ") : NULL;
}
