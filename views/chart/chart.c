/* SPDX-License-Identifier: Apache-2.0 */
#include "views/chart/chart.h"

#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/history/gauges.h"
#include "fabric/vocabulary/counters.h"
#include "views/common.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"

/* The right edge moves in whole columns and at most this often, so that little is redrawn. */
#define STEP_US (10 * CLOCK_SEC)

struct chart_window chart_window(const struct chart *c, int64_t now_us, unsigned columns)
{
	struct chart_window w = {.n = columns ? columns : 1};
	int64_t step;

	w.width_us = c->span_us / w.n;
	w.width_us = w.width_us > 0 ? w.width_us : 1;
	step = (STEP_US + w.width_us - 1) / w.width_us * w.width_us;
	w.end_us = ((now_us - c->back_us) / step + 1) * step;
	return w;
}

bool chart_add(struct chart *c, struct ref at, counter_id id, unsigned sub)
{
	if (c->n == CHART_SERIES)
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (ref_eq(c->series[i].at, at) && c->series[i].id == id && c->series[i].sub == sub)
			return false;
	c->series[c->n++] = (struct chart_series){at, id, (uint8_t)sub};
	return true;
}

void chart_drop(struct chart *c, size_t i)
{
	if (i >= c->n)
		return;
	memmove(&c->series[i], &c->series[i + 1], (c->n - i - 1) * sizeof(c->series[0]));
	c->n--;
}

/* The counter of the other direction; the same: it has none. */
static counter_id other_direction(counter_id id)
{
	static const counter_id pairs[][2] = {{CTR_RX_BYTES, CTR_TX_BYTES},
		{CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US},
		{CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES}, {CTR_RX_DISCARDS, CTR_TX_DISCARDS},
		{CTR_CNP_SENT, CTR_CNP_HANDLED}};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		for (unsigned side = 0; side < 2; side++)
			if (pairs[i][side] == id)
				return pairs[i][!side];
	return id;
}

/* The lossless priority of a counter that has one a priority. */
static unsigned sub_of(const struct view_ctx *ctx, counter_id id, int priority)
{
	uint8_t mask = lossless_priorities(&ctx->model->lossless);

	if (chart_info(id)->dim != DIM_PRIO)
		return 0;
	if (priority >= 0)
		return (unsigned)priority;
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (mask >> p & 1)
			return p;
	return 0;
}

/* Whether a port has a history of the counter; sums are found out when they are read. */
static bool has_history(const struct view_ctx *ctx, struct ref at, counter_id id, unsigned sub)
{
	const struct port *p = ref_port(ctx->model, at);

	if (id == CHART_OPS)
		return chart_has_pace(ctx, at);
	return !p || chart_has_past(ctx, p, id, sub);
}

/* A line a lane that has a history; without any, the first one, so that the chart says so. */
static void add_lanes(struct chart *c, const struct view_ctx *ctx, struct ref at, counter_id id)
{
	size_t before = c->n;

	for (unsigned lane = 0; lane < LANES; lane++)
		if (has_history(ctx, at, id, lane))
			(void)chart_add(c, at, id, lane);
	if (c->n == before)
		(void)chart_add(c, at, id, 0);
}

/* Adds a counter of a place, and of its other direction if that has a history. */
static void add_pair(struct chart *c, const struct view_ctx *ctx, struct ref at, counter_id id,
	int priority, bool both)
{
	unsigned sub = sub_of(ctx, id, priority);

	if (chart_info(id)->dim == DIM_LANE) {
		add_lanes(c, ctx, at, id);
		return;
	}
	(void)chart_add(c, at, id, sub);
	id = other_direction(id);
	if (both && has_history(ctx, at, id, sub_of(ctx, id, priority)))
		(void)chart_add(c, at, id, sub_of(ctx, id, priority));
}

/* The counter of pauses that the port has a history of; COUNTER_COUNT: none. */
static counter_id pause_counter(const struct port *p, unsigned sub)
{
	static const counter_id order[] = {CTR_PFC_RX_DURATION_US, CTR_PFC_TX_DURATION_US,
		CTR_PFC_RX_FRAMES, CTR_PFC_TX_FRAMES};

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (port_charted(p, order[i], sub))
			return order[i];
	return COUNTER_COUNT;
}

static void begin_port(
	struct chart *c, const struct view_ctx *ctx, const struct port *p, int priority, bool load)
{
	counter_id pause = pause_counter(p, sub_of(ctx, CTR_PFC_RX_FRAMES, priority));

	if (pause != COUNTER_COUNT)
		add_pair(c, ctx, ref_of_port(p), pause, priority, true);
	if (load || pause == COUNTER_COUNT)
		add_pair(c, ctx, ref_of_port(p), CTR_RX_BYTES, -1, true);
}

/* The counters that convict, at their ports. */
static void begin_finding(struct chart *c, const struct view_ctx *ctx, const struct finding *f)
{
	for (size_t i = 0; i < f->evidence.n; i++) {
		const struct evidence *e = &f->evidence.at[i];
		const struct port *p = ref_port(ctx->model, e->at);
		counter_id id = counter_by_name(e->what);
		int priority = e->at.kind == REF_PRIORITY ? e->at.priority : -1;

		if (p && id < COUNTER_COUNT && !e->against &&
			(chart_info(id)->dim == DIM_LANE ||
				chart_has_past(ctx, p, id, sub_of(ctx, id, priority))) &&
			(counter_charted(id) || gauge_charted(id)))
			add_pair(c, ctx, ref_of_port(p), id, priority, false);
	}
	for (int end = 0; end < 2; end++) {
		struct ref at = end ? f->peer : f->at;
		const struct port *p = ref_port(ctx->model, at);

		if (p)
			begin_port(c, ctx, p, at.kind == REF_PRIORITY ? at.priority : -1, !end);
	}
}

#define PORTS_LOOKED 256U /* of a device, rail or job: they began together */

/* The time from which values of the place are kept; 0: there are none. */
static int64_t kept_since(const struct view_ctx *ctx, struct ref at)
{
	const struct model *m = ctx->model;
	const struct port *one = ref_port(m, at);
	int64_t since = 0;
	unsigned looked = 0;

	for (size_t i = 0; i < m->ports.n && looked < PORTS_LOOKED; i++) {
		const struct port *p = one ? one : m->ports.at[i];
		struct history_kept k;

		if (!one && !chart_has_port(ctx, at, p))
			continue;
		looked++;
		k = history_kept(m, p, ctx->now_us);
		if (k.since_us && (!since || k.since_us < since))
			since = k.since_us;
		if (one)
			break;
	}
	return since;
}

/* The least usual span that shows all that is kept, so that a young history fills the chart. */
static int64_t span_of(const struct chart *c, const struct view_ctx *ctx)
{
	static const int64_t spans[] = {300 * CLOCK_SEC, 900 * CLOCK_SEC, 1800 * CLOCK_SEC};
	int64_t since = ctx->now_us;

	for (size_t i = 0; i < c->n; i++) {
		int64_t kept = kept_since(ctx, c->series[i].at);

		if (kept && kept < since)
			since = kept;
	}
	for (size_t i = 0; i < sizeof(spans) / sizeof(spans[0]); i++)
		if (ctx->now_us - since <= spans[i])
			return spans[i];
	return HISTORY_WHOLE_US;
}

/* The usual counters of a place: pauses and load; of a job its progress first. */
static void begin_place(struct chart *c, const struct view_ctx *ctx, struct ref at)
{
	const struct port *p = ref_port(ctx->model, at);

	if (p) {
		begin_port(c, ctx, p, at.kind == REF_PRIORITY ? at.priority : -1, true);
		return;
	}
	if (chart_has_pace(ctx, at))
		(void)chart_add(c, at, CHART_OPS, 0);
	if (at.kind == REF_DEVICE || at.kind == REF_RAIL || at.kind == REF_JOB)
		add_pair(c, ctx, at, CTR_RX_BYTES, -1, true);
}

bool chart_begin(struct chart *c, const struct view_ctx *ctx, struct ref at)
{
	const struct finding *f = finding_of(ctx, at, NULL);
	struct chart was = *c;
	const struct port *p;

	c->n = 0;
	c->back_us = c->cursor_us = 0;
	if (f) {
		begin_finding(c, ctx, f);
		at = f->at;
	}
	if (at.kind == REF_COUNTER && (p = ref_port(ctx->model, at))) {
		unsigned sub;
		counter_id id = counter_of_cell(at.cell, &sub);

		if (counter_charted(id) || gauge_charted(id))
			add_pair(c, ctx, ref_of_port(p), id, (int)sub, true);
	}
	if (!c->n)
		begin_place(c, ctx, at);
	if (!c->n) {
		*c = was;
		return false;
	}
	c->span_us = span_of(c, ctx);
	return true;
}

void chart_metric(struct chart *c, const struct view_ctx *ctx, counter_id id)
{
	struct chart was = *c;

	c->n = 0;
	for (size_t i = 0; i < was.n; i++) {
		bool prio = chart_info(was.series[i].id)->dim == DIM_PRIO;

		add_pair(c, ctx, was.series[i].at, id, prio ? was.series[i].sub : -1, true);
	}
}

/* Whether a place of the chart may have a history of it. */
static bool any_has(const struct chart *c, const struct view_ctx *ctx, counter_id id)
{
	unsigned sub = sub_of(ctx, id, -1);

	for (size_t i = 0; i < c->n; i++) {
		unsigned own =
			chart_info(c->series[i].id)->dim == DIM_PRIO ? c->series[i].sub : sub;

		if (chart_info(id)->dim != DIM_PRIO)
			own = sub;
		for (unsigned lane = 0; lane < (chart_info(id)->dim == DIM_LANE ? LANES : 1);
			lane++)
			if (has_history(ctx, c->series[i].at, id, own + lane))
				return true;
	}
	return false;
}

counter_id chart_next_metric(const struct chart *c, const struct view_ctx *ctx)
{
	static const counter_id order[] = {CTR_PFC_RX_DURATION_US, CTR_PFC_RX_FRAMES, CTR_RX_BYTES,
		CTR_RX_DISCARDS, CTR_QUEUE_DROPS, CTR_ECN_MARKED_PACKETS, CTR_CNP_SENT,
		CTR_QUEUE_DEPTH_BYTES, CTR_QUEUE_WATERMARK_BYTES, CTR_LINK_DOWN_EVENTS,
		CTR_FEC_UNCORRECTABLE_CODEWORDS, CTR_PRE_FEC_BER, CTR_RX_POWER_DBM,
		CTR_TEMPERATURE_C, CHART_OPS};
	size_t n = sizeof(order) / sizeof(order[0]), at = n - 1;

	for (size_t i = 0; i < n && c->n; i++)
		if (order[i] == c->series[0].id)
			at = i;
	for (size_t k = 1; k <= n; k++)
		if (any_has(c, ctx, order[(at + k) % n]))
			return order[(at + k) % n];
	return order[(at + 1) % n];
}
