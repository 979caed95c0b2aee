/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialects/change_lines.h"

#include <arpa/inet.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/first_line.h"
#include "base/buf.h"
#include "base/str.h"

void change_line(struct change_lines *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (l->n == CHANGE_LINES) {
		l->overflow = true;
		return;
	}
	va_start(ap, fmt);
	n = vsnprintf(l->at[l->n], CHANGE_LINE_MAX, fmt, ap);
	va_end(ap);
	l->overflow |= n < 0 || (size_t)n >= CHANGE_LINE_MAX;
	l->n++;
}

static bool is_clean(const char *line, size_t n, const char *not_allowed)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ' || line[i] == 0x7f || strchr(not_allowed, line[i]))
			return false;
	return true;
}

bool change_lines_site(
	struct change_lines *l, const struct order *o, const char *not_allowed, struct err *err)
{
	char *text;

	if (!order_fill(o->lines, o, &text, err))
		return false;
	for (const char *at = text; *at;) {
		size_t n = strcspn(at, "\n"), first = strspn(at, " ");
		size_t used = n + (at[n] == '\n');

		if (!is_clean(at, n, not_allowed)) {
			free(text);
			err_set(err, ERR_CONFIG, "actions.commands",
				"a line for %s has a character that must not be in a command",
				verb_name(o->verb));
			return err_cure(err,
				"write one command a line, without: control characters%s%s",
				*not_allowed ? ", " : "", not_allowed);
		}
		if (first < n)
			change_line(l, "%.*s", (int)(n - first), at + first);
		at += used;
	}
	free(text);
	return true;
}

char *change_lines_join(const struct change_lines *l, const char *sep)
{
	struct buf b;

	buf_init(&b, (size_t)CHANGE_LINES * (CHANGE_LINE_MAX + 8));
	for (size_t i = 0; i < l->n; i++)
		(void)buf_addf(&b, "%s%s", i ? sep : "", l->at[i]);
	return buf_take(&b, NULL);
}

bool change_refuse(struct err *err, const struct target *t, const struct order *o, const char *why,
	const char *cure)
{
	err_set(err, ERR_REFUSED, t->device, "%s%s%s", o->port, *o->port ? ": " : "", why);
	return err_cure(err, "%s", cure);
}

bool change_is_port(const char *port)
{
	const char *at = port + strlen("Ethernet");

	if (!str_starts(port, "Ethernet"))
		return false;
	for (;;) {
		size_t n = strspn(at, "0123456789");

		if (!n || at[n] != '/')
			return n && !at[n];
		at += n + 1;
	}
}

/* ---- link addresses ---- */

static bool same_bits(const unsigned char *a, const unsigned char *b, unsigned bits)
{
	unsigned rest = bits % 8, mask = 0xff00u >> rest & 0xff;

	return memcmp(a, b, bits / 8) == 0 &&
	       (!rest || (a[bits / 8] & mask) == (b[bits / 8] & mask));
}

bool change_far_end(const char *prefix, const char *address)
{
	unsigned char own[16] = {0}, far[16] = {0};
	const char *slash = strchr(prefix, '/');
	bool six = strchr(prefix, ':') != NULL;
	int family = six ? AF_INET6 : AF_INET;
	char head[64];
	uint64_t bits;

	if (!slash || !str_copyn(head, sizeof(head), prefix, (size_t)(slash - prefix)) ||
		!str_to_u64(slash + 1, &bits) || bits < (six ? 64u : 24u) ||
		bits > (six ? 128u : 32u))
		return false;
	return inet_pton(family, head, own) == 1 && inet_pton(family, address, far) == 1 &&
	       memcmp(own, far, sizeof(own)) != 0 && same_bits(own, far, (unsigned)bits);
}

enum taken change_taken_cli(const struct target *t, const struct reply *r,
	bool (*complaint)(const char *bytes, size_t len, char *dst, size_t size),
	bool (*said)(const struct target *t, const char *words, struct err *err), struct err *err)
{
	char line[160];

	if (complaint(r->bytes, r->len, line, sizeof(line)) ||
		complaint(r->complaint, strlen(r->complaint), line, sizeof(line))) {
		(void)said(t, line, err);
		return TAKEN_NO;
	}
	if (r->status == 0)
		return TAKEN_YES;
	err_set(err, ERR_PROTOCOL, t->device, "the CLI ended with status %d: %s", r->status,
		parse_first_line(r->bytes, r->len, line, sizeof(line)));
	return TAKEN_NO;
}
