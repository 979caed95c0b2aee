/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "views/common.h"

/*
 * Pause: 1 % is worth a look and 20 % holds the sender back for good, both proposed defaults over a
 * 10 s average. Pre-FEC BER: RS-544 (IEEE 802.3 clause 91/119) fails near 2.4e-4; 1e-6 is two
 * decades before it.
 */
#define PAUSED_WARN 1.0
#define PAUSED_CRIT 20.0
#define BER_WARN    1e-6
#define BER_CRIT    2.4e-4

static void cell_number(struct view_cell *c, enum role role, double number)
{
	c->role = role;
	c->number = number;
	c->has_number = !isnan(number);
}

void trim_cut(char *s)
{
	size_t len = strlen(s), start = len, want;
	unsigned char lead;

	while (start > 0 && ((unsigned char)s[start - 1] & 0xc0) == 0x80)
		start--;
	if (start == 0)
		return;
	lead = (unsigned char)s[start - 1];
	want = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
	if (len - (start - 1) < want)
		s[start - 1] = '\0';
}

void cell_text(struct view_cell *c, enum role role, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(c->text, sizeof(c->text), fmt, ap);
	va_end(ap);
	if (n < 0)
		c->text[0] = '\0';
	else if ((size_t)n >= sizeof(c->text))
		trim_cut(c->text);
	cell_number(c, role, NAN);
}

void cell_unknown(struct view_cell *c, enum validity why)
{
	static const char *const words[] = {[VALID_UNKNOWN] = "-",
		[VALID_OK] = "-",
		[VALID_UNSUPPORTED] = "n/a",
		[VALID_DISABLED] = "off",
		[VALID_STALE] = "-",
		[VALID_RESET] = "reset"};

	cell_text(c, ROLE_UNKNOWN, "%s",
		(size_t)why < sizeof(words) / sizeof(words[0]) ? words[why] : "-");
	/* It is a number that we do not have, not a word to compare with. */
	c->has_number = true;
}

/* The number as text, with "!" behind it when it is out of bounds: never colour alone. */
static void cell_marked(
	struct view_cell *c, enum role role, const char *prefix, const char *text, double number)
{
	bool bad = role == ROLE_WARN || role == ROLE_CRIT;

	(void)str_printf(c->text, sizeof(c->text), "%s%s%s", prefix, text, bad ? "!" : "");
	cell_number(c, role, number);
}

/* Whole numbers of things stay whole: "3", not "3.00". */
static const char *number_text(double v, char *dst, size_t size)
{
	if (v >= 0 && v < 1000 && v == floor(v))
		(void)str_printf(dst, size, "%.0f", v);
	else
		(void)str_si(v, dst, size);
	return dst;
}

void cell_rate(struct view_cell *c, double per_s)
{
	if (isnan(per_s)) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	(void)number_text(per_s, c->text, sizeof(c->text));
	cell_number(c, per_s > 0 ? ROLE_NORMAL : ROLE_DIM, per_s);
}

int view_mark(const struct view_ctx *ctx)
{
	if (ctx->mark && ctx->mark[0] == '-')
		return -1;
	return model_mark_find(ctx->model, ctx->mark ? ctx->mark : "");
}

/* Sum over the priorities in subs; bit 0 for what has none. */
void cell_since(const struct view_ctx *ctx, struct view_cell *c, const struct port *p,
	counter_id id, uint8_t subs)
{
	int mark = view_mark(ctx);
	uint64_t sum = 0, n;
	bool known = false;

	for (unsigned sub = 0; sub < counter_dim_size(id) && sub < 8; sub++) {
		if (!(subs >> sub & 1) || !port_since(ctx->model, p, mark, id, sub, &n))
			continue;
		sum += n;
		known = true;
	}
	if (!known)
		cell_unknown(c, VALID_UNKNOWN);
	else if (counter_info[id].trend == TREND_BAD)
		cell_count_bad(c, (double)sum);
	else
		cell_rate(c, (double)sum);
}

void cell_bps(const struct view_ctx *ctx, struct view_cell *c, double bits_per_s)
{
	char text[24];

	cell_rate(c, bits_per_s);
	c->is_bits = true;
	if (!isnan(bits_per_s) && view_in_bytes(ctx))
		(void)str_printf(c->text, sizeof(c->text), "%sB",
			number_text(bits_per_s / 8, text, sizeof(text)));
}

void cell_percent(struct view_cell *c, double percent, double warn, double crit)
{
	enum role role = percent > 0 ? ROLE_NORMAL : ROLE_DIM;
	char text[16];

	if (isnan(percent)) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	if (percent >= crit)
		role = ROLE_CRIT;
	else if (percent >= warn)
		role = ROLE_WARN;
	cell_marked(c, role, "", percent_text(percent, text, sizeof(text)), percent);
}

static void cell_paused_above(
	const struct view_ctx *ctx, struct view_cell *c, struct paused p, double warn, double crit)
{
	const char *leq = ctx->term ? glyph(ctx->term, GLYPH_LEQ) : "<=";
	char text[16];

	cell_percent(c, p.percent, warn, crit);
	/* No frame at all is no pause at all: zero needs no bound. */
	if (!p.upper_bound || !(p.percent > 0))
		return;
	c->at_most = true;
	/* Digits behind the point would be false precision in a bound. */
	if (p.percent >= 1)
		(void)str_printf(text, sizeof(text), "%.0f%%", p.percent);
	else
		(void)str_copy(text, sizeof(text), p.percent < 0.1 ? ".1%" : "1%");
	/* "<=100%" fills the column: it keeps its colour and the row its word. */
	if (p.percent >= 99.5 && leq[0] == '<')
		(void)str_printf(c->text, sizeof(c->text), "%s%s", leq, text);
	else
		cell_marked(c, c->role, leq, text, p.percent);
}

void cell_paused(const struct view_ctx *ctx, struct view_cell *c, struct paused p)
{
	/* A bound is no proof (see fabric/health/health.c): above the critical line it warns. */
	cell_paused_above(ctx, c, p, p.upper_bound ? PAUSED_CRIT : PAUSED_WARN,
		p.upper_bound ? (double)INFINITY : PAUSED_CRIT);
}

void cell_paused_recent(const struct view_ctx *ctx, struct view_cell *c, struct paused p)
{
	cell_paused_above(ctx, c, p, INFINITY, INFINITY);
}

void cell_count_bad(struct view_cell *c, double v)
{
	char text[16];

	if (isnan(v)) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	cell_marked(c, v > 0 ? ROLE_CRIT : ROLE_DIM, "", number_text(v, text, sizeof(text)), v);
}

void cell_severity(struct view_cell *c, struct health h)
{
	static const char *const words[SEV_COUNT] = {
		[SEV_UNKNOWN] = "-", [SEV_OK] = "ok", [SEV_WARN] = "WARN", [SEV_CRIT] = "CRIT"};

	cell_text(c, role_of_severity(h.severity), "%s",
		h.severity < SEV_COUNT ? words[h.severity] : "-");
	if (h.severity != SEV_UNKNOWN && !isnan(h.rank))
		cell_number(c, c->role, (double)h.severity * 1e6 + (double)h.rank);
}

void cell_severity_victim(struct view_cell *c, struct health h)
{
	cell_severity(c, h);
	(void)str_copy(c->text, sizeof(c->text), "victim");
}

void cell_ber(struct view_cell *c, double ber)
{
	enum role role = ROLE_NORMAL;
	char text[16];

	if (isnan(ber) || ber < 0) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	if (ber >= BER_CRIT)
		role = ROLE_CRIT;
	else if (ber >= BER_WARN)
		role = ROLE_WARN;
	if (ber > 0)
		(void)str_printf(text, sizeof(text), "%.1e", ber);
	else
		(void)str_copy(text, sizeof(text), "0");
	cell_marked(c, role, "", text, ber);
}

void cell_dbm(struct view_cell *c, double dbm, bool low)
{
	char text[16];

	if (isnan(dbm)) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	(void)str_printf(text, sizeof(text), "%.1f", no_minus_zero(dbm));
	cell_marked(c, low ? ROLE_WARN : ROLE_NORMAL, "", text, dbm);
}

void cell_speed(struct view_cell *c, unsigned mbps, unsigned plan_mbps)
{
	char text[16];

	if (!mbps) {
		cell_unknown(c, VALID_UNKNOWN);
		return;
	}
	if (mbps < 1000)
		(void)str_printf(text, sizeof(text), "%uM", mbps);
	else if (mbps < 1000000)
		(void)str_printf(text, sizeof(text), "%.3gG", mbps / 1e3);
	else
		(void)str_printf(text, sizeof(text), "%.3gT", mbps / 1e6);
	cell_marked(c, plan_mbps && mbps != plan_mbps ? ROLE_WARN : ROLE_NORMAL, "", text, mbps);
}

enum role role_of_severity(enum severity s)
{
	static const enum role roles[SEV_COUNT] = {[SEV_UNKNOWN] = ROLE_UNKNOWN,
		[SEV_OK] = ROLE_OK,
		[SEV_WARN] = ROLE_WARN,
		[SEV_CRIT] = ROLE_CRIT};

	return s < SEV_COUNT ? roles[s] : ROLE_UNKNOWN;
}
