/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock_zone.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"

#define EAST_MOST 14 /* hours; no zone is further */

void clock_zone_load(void)
{
	tzset();
}

static bool is_digit_at(const char *s)
{
	return *s >= '0' && *s <= '9';
}

/* "+2", "+02", "+0230", "+02:30" */
static bool parse_offset(const char *s, int *east_s)
{
	int sign = *s == '-' ? -1 : 1, hours = 0, minutes = 0, n = 0;

	for (s++; n < 2 && is_digit_at(s); n++)
		hours = hours * 10 + (*s++ - '0');
	if (!n)
		return false;
	if (*s == ':')
		s++;
	if (*s) {
		if (!is_digit_at(s) || !is_digit_at(s + 1) || s[2])
			return false;
		minutes = (s[0] - '0') * 10 + (s[1] - '0');
	}
	if (minutes > 59 || hours > EAST_MOST)
		return false;
	*east_s = sign * (hours * 3600 + minutes * 60);
	return true;
}

bool clock_zone_parse(const char *text, struct clock_zone *out)
{
	int east = 0;

	if (str_eq(text, "utc") || str_eq(text, "UTC"))
		*out = (struct clock_zone){.kind = CLOCK_ZONE_UTC};
	else if (str_eq(text, "local"))
		*out = (struct clock_zone){.kind = CLOCK_ZONE_LOCAL};
	else if ((*text == '+' || *text == '-') && parse_offset(text, &east))
		*out = (struct clock_zone){.kind = CLOCK_ZONE_FIXED, .east_s = east};
	else
		return false;
	return true;
}

int clock_zone_east(const struct clock_zone *z, int64_t wall_us)
{
	time_t t = (time_t)(wall_us / CLOCK_SEC);
	struct tm tm;

	if (!z || z->kind == CLOCK_ZONE_UTC)
		return 0;
	if (z->kind == CLOCK_ZONE_FIXED)
		return z->east_s;
	return localtime_r(&t, &tm) ? (int)tm.tm_gmtoff : 0;
}

int64_t clock_zone_shown(const struct clock_zone *z, int64_t wall_us)
{
	return wall_us + clock_zone_east(z, wall_us) * CLOCK_SEC;
}

int64_t clock_zone_wall(const struct clock_zone *z, int64_t shown_us)
{
	/* The second look counts: near a change of the hour the first is that of the other side. */
	int64_t wall = shown_us - clock_zone_east(z, shown_us) * CLOCK_SEC;

	return shown_us - clock_zone_east(z, wall) * CLOCK_SEC;
}

char *clock_zone_suffix(const struct clock_zone *z, int64_t wall_us, char *dst, size_t size)
{
	int east = clock_zone_east(z, wall_us), minutes = abs(east) / 60;

	if (!z || z->kind == CLOCK_ZONE_UTC)
		(void)str_copy(dst, size, "Z");
	else if (minutes % 60)
		(void)str_printf(
			dst, size, "%c%02d:%02d", east < 0 ? '-' : '+', minutes / 60, minutes % 60);
	else
		(void)str_printf(dst, size, "%c%02d", east < 0 ? '-' : '+', minutes / 60);
	return dst;
}

bool clock_zone_typed(
	const struct clock_zone *z, const char *text, int64_t latest_us, char *dst, size_t size)
{
	char when[64];
	size_t n = strcspn(text, "#");
	int64_t shown;

	if (!z || z->kind == CLOCK_ZONE_UTC || *text == '-' || *text == '+' || !n ||
		text[n - 1] == 'Z' || !str_copyn(when, sizeof(when), text, n))
		return str_copy(dst, size, text);
	latest_us = clock_zone_shown(z, latest_us);
	if (!clock_parse(when, latest_us, latest_us, &shown))
		return str_copy(dst, size, text);
	(void)clock_format_utc(clock_zone_wall(z, shown), when, sizeof(when));
	return str_printf(dst, size, "%s%s", when, text + n);
}
