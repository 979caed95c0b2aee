/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/link_strip.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/history/history.h"
#include "fabric/vocabulary/counters.h"

enum link_past { PAST_UNKNOWN, PAST_UP, PAST_FLAPPED, PAST_DOWN };

/* Columns from the end of the newest one back; whole multiples, so that they do not crawl. */
struct strip {
	int64_t end_us, each_us;
	int n;
	uint8_t at[LINK_STRIP];
};

static void mark(struct strip *s, int64_t from_us, int64_t to_us, enum link_past what)
{
	for (int i = 0; i < s->n; i++) {
		int64_t end = s->end_us - (int64_t)(s->n - 1 - i) * s->each_us;

		if (from_us < end && to_us > end - s->each_us && what > s->at[i])
			s->at[i] = (uint8_t)what;
	}
}

/* From now back, over the changes that were seen. */
static void mark_events(const struct view_ctx *ctx, const struct port *p, struct strip *s)
{
	struct history_kept kept = history_kept(ctx->model, p, ctx->now_us);
	int64_t until = ctx->now_us, since = kept.since_us;
	enum link_past now = p->oper == OPER_UP     ? PAST_UP
			     : p->oper == OPER_DOWN ? PAST_DOWN
						    : PAST_UNKNOWN;
	const struct event *e;

	for (size_t i = 0; (e = model_event(ctx->model, i)); i++) {
		if (e->port != p->id || (e->kind != EV_LINK_DOWN && e->kind != EV_LINK_UP))
			continue;
		mark(s, e->wall_us, until, e->kind == EV_LINK_DOWN ? PAST_DOWN : PAST_UP);
		until = e->wall_us;
		now = e->kind == EV_LINK_DOWN ? PAST_UP : PAST_DOWN;
		if (!since || e->wall_us < since)
			since = e->wall_us;
	}
	/* A full ring has dropped the changes before its oldest event. */
	e = model_event(ctx->model, EVENT_RING - 1);
	if (e && e->wall_us > since)
		since = e->wall_us;
	if (since && since < until)
		mark(s, since, until, now);
}

static void mark_counts(const struct port *p, struct strip *s)
{
	struct history_column columns[LINK_STRIP];

	if (!history_columns(
		    p, CTR_LINK_DOWN_EVENTS, 0, s->end_us, s->each_us, columns, (unsigned)s->n))
		return;
	for (int i = 0; i < s->n; i++)
		if (columns[i].most > 0 && s->at[i] < PAST_FLAPPED)
			s->at[i] = PAST_FLAPPED;
}

static void fill(const struct view_ctx *ctx, const struct port *p, int width, struct strip *s)
{
	memset(s, 0, sizeof(*s));
	s->n = width < LINK_STRIP ? width : LINK_STRIP;
	s->n = s->n > 0 ? s->n : 1;
	s->each_us = HISTORY_WHOLE_US / s->n;
	s->end_us = (ctx->now_us / s->each_us + 1) * s->each_us;
	mark_events(ctx, p, s);
	mark_counts(p, s);
}

bool link_strip_due(const struct view_ctx *ctx, const struct port *p)
{
	struct strip s;

	fill(ctx, p, LINK_STRIP, &s);
	for (int i = 0; i < s.n; i++)
		if (s.at[i] > PAST_UP)
			return true;
	return false;
}

void link_strip_text(
	const struct view_ctx *ctx, const struct port *p, int width, char *dst, size_t size)
{
	static const char *const blocks[] = {" ", "\xe2\x96\x94", "\xe2\x96\x84", "\xe2\x96\x81"};
	static const char *const signs[] = {" ", "-", "^", "x"};
	const char *const *table = term_blocks(ctx->term) ? blocks : signs;
	struct strip s;
	size_t n = 0;

	fill(ctx, p, width, &s);
	dst[0] = '\0';
	for (int i = 0; i < s.n; i++, n += strlen(dst + n))
		(void)str_copy(dst + n, size - n, table[s.at[i]]);
}
