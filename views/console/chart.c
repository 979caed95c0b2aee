/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/history/gauges.h"
#include "fabric/vocabulary/counters.h"
#include "views/chart/chart.h"
#include "views/console/console_private.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"

/* The chart: what it shows, and the keys that change it. */

#define CURSOR_STEPS 60 /* of the shown time */

static void keep_names(struct console *c)
{
	for (size_t i = 0; i < c->chart.n; i++)
		swap_name(c->model, c->chart.series[i].at, c->chart_names[i],
			sizeof(c->chart_names[i]));
}

/* ---- the past of a metrics engine, or of a recording ---- */

#define PAST_MOST   (INT64_C(31) * 86400 * CLOCK_SEC)
#define PAST_POINTS 200

/* Whether a recording is open whose whole length can be charted. */
static bool has_file(const struct console *c)
{
	return c->opts.hooks.chart_past && c->has_moment && c->moment.file &&
	       c->moment.to_us > c->moment.from_us && c->moment.from_us > 0;
}

static int64_t longest(const struct console *c)
{
	int64_t whole = c->moment.to_us - c->moment.from_us;

	if (has_file(c))
		return whole > HISTORY_WHOLE_US ? whole : HISTORY_WHOLE_US;
	return c->opts.hooks.chart_past && !c->moment.file ? PAST_MOST : HISTORY_WHOLE_US;
}

/* Keeps the window within the history; of a recording also the time after the shown moment. */
static void clamp_window(struct console *c)
{
	struct chart *h = &c->chart;
	int64_t least = 0, most = longest(c) - h->span_us;

	if (has_file(c)) {
		least = c->now_us - c->moment.to_us;
		least = least < 0 ? least : 0;
		most = c->now_us - c->moment.from_us - h->span_us;
	}
	if (h->back_us > most)
		h->back_us = most;
	if (h->back_us < least)
		h->back_us = least;
}

static void add_device(struct chart_question *q, const struct device *d)
{
	for (size_t i = 0; i < q->n_devices; i++)
		if (str_eq(q->devices[i], d->name))
			return;
	if (q->n_devices < CHART_DEVICES)
		q->devices[q->n_devices++] = d->name;
}

static void add_devices(struct chart_question *q, const struct console *c, struct ref at)
{
	const struct model *m = c->model;
	const struct device *one = ref_device(m, at);
	const struct job *j = at.kind == REF_JOB ? ref_job(m, at) : NULL;

	if (one)
		add_device(q, one);
	for (size_t i = 0; j && i < j->hosts.n; i++)
		if (j->hosts.at[i] < m->devices.n)
			add_device(q, m->devices.at[j->hosts.at[i]]);
	for (size_t i = 0; at.kind == REF_RAIL && i < m->devices.n; i++)
		if (m->devices.at[i]->tier == TIER_LEAF && m->devices.at[i]->rail == at.rail)
			add_device(q, m->devices.at[i]);
}

static void add_counter(struct chart_question *q, counter_id id)
{
	if (id == CHART_OPS)
		return;
	for (size_t i = 0; i < q->n_counters; i++)
		if (q->counters[i] == id)
			return;
	if (q->n_counters < sizeof(q->counters) / sizeof(q->counters[0]))
		q->counters[q->n_counters++] = id;
}

/* The time from which values are kept here. */
static int64_t kept_from(const struct console *c)
{
	int64_t whole = c->now_us - HISTORY_WHOLE_US;

	return c->has_moment && c->moment.from_us > whole ? c->moment.from_us : whole;
}

/* Whether the past that was read has all of it that is not kept here. */
static bool has_past(
	const struct chart *h, const struct chart_question *q, int64_t kept_us, int64_t now_us)
{
	const struct chart_past *p = &h->past;
	int64_t end = p->from_us + (int64_t)p->n * p->step_us;
	int64_t need = q->to_us > now_us + q->step_us ? q->to_us : kept_us;

	if (!p->n || p->n_series < h->n || p->step_us != q->step_us || p->from_us > q->from_us ||
		end < need - q->step_us)
		return false;
	for (size_t i = 0; i < h->n; i++)
		if (!ref_eq(p->series[i].at, h->series[i].at) ||
			p->series[i].id != h->series[i].id || p->series[i].sub != h->series[i].sub)
			return false;
	return true;
}

/* Asks for the part of the window that no history is kept of. */
static void want_past(struct console *c)
{
	struct chart *h = &c->chart;
	struct chart_question q = {.to_us = c->now_us - h->back_us};
	struct err err = {0};

	h->why[0] = '\0';
	h->of_file = has_file(c);
	if (!c->opts.hooks.chart_past || !c->model ||
		(q.to_us - h->span_us >= kept_from(c) && q.to_us <= c->now_us)) {
		chart_past_drop(h);
		h->asking = false;
		return;
	}
	q.step_us = h->span_us / PAST_POINTS / CLOCK_SEC * CLOCK_SEC;
	q.step_us = q.step_us < 30 * CLOCK_SEC ? 30 * CLOCK_SEC : q.step_us;
	q.to_us = q.to_us / q.step_us * q.step_us;
	q.from_us = (q.to_us - h->span_us) / q.step_us * q.step_us;
	/* A recording is read once more before its end: the last step is not over there. */
	if (h->of_file) {
		q.to_us += q.step_us;
		if (q.from_us < c->moment.from_us)
			q.from_us = c->moment.from_us / q.step_us * q.step_us;
		if (has_past(h, &q, kept_from(c), c->now_us))
			return;
	}
	for (size_t i = 0; i < h->n; i++) {
		add_devices(&q, c, h->series[i].at);
		add_counter(&q, h->series[i].id);
	}
	h->asking = c->opts.hooks.chart_past(c->opts.hooks.ctx, &q, &err);
	if (!h->asking)
		(void)str_copy(h->why, sizeof(h->why), err.text);
}

void chart_swapped(struct console *c)
{
	struct chart was = c->chart;

	/* That of a recording stays: the objects have other numbers in this model. */
	if (!was.of_file)
		chart_past_drop(&c->chart);
	c->chart.n = 0;
	for (size_t i = 0; i < was.n && c->model; i++) {
		struct ref at = was.series[i].at;

		if (!swap_ref(c->model, c->chart_names[i], &at))
			continue;
		(void)chart_add(&c->chart, at, was.series[i].id, was.series[i].sub);
		for (size_t k = 0; k < was.past.n_series; k++)
			if (ref_eq(was.past.series[k].at, was.series[i].at))
				c->chart.past.series[k].at = at;
	}
	keep_names(c);
	if (was.of_file && c->chart.n)
		want_past(c);
}

void console_chart_past(struct console *c, const struct obs *list, int64_t from_us, int64_t to_us,
	int64_t step_us, const char *source, const struct err *err)
{
	struct view_ctx ctx = console_ctx(c);
	struct chart *h = &c->chart;

	h->asking = false;
	(void)str_copy(h->source, sizeof(h->source), source);
	if (list && c->model)
		chart_past_fill(h, &ctx, list, from_us, to_us, step_us);
	else
		chart_past_drop(h);
	if (err && err->code != ERR_NONE)
		(void)str_copy(h->why, sizeof(h->why), err->text);
	console_touch(c);
}

/* ---- the chart ---- */

static bool show_chart(struct console *c, struct err *err)
{
	keep_names(c);
	want_past(c);
	console_message(c, ROLE_DIM, "%zu line%s; m changes the counter, a adds, + zooms",
		c->chart.n, str_plural(c->chart.n));
	return console_open(c, &view_chart, (struct ref){.kind = REF_FABRIC}, err);
}

static bool begin_at(struct console *c, struct ref at, struct err *err)
{
	struct view_ctx ctx = console_ctx(c);

	if (chart_begin(&c->chart, &ctx, at))
		return show_chart(c, err);
	err_set(err, ERR_USAGE, "", "nothing here has a history");
	return err_cure(err, "a port, a finding, a device, a rail or a job has: chart PLACE");
}

/* The object under the cursor, then the page's, then the cause of the banner. */
static bool chart_here(struct console *c, struct err *err)
{
	struct page *p = console_page(c);
	struct view_ctx ctx = console_ctx(c);
	struct ref row = page_row(c, p), at = console_about(c);
	const struct finding *f = cause_finding(&ctx);
	bool home = p->view == view_table[0];

	if (home && f && chart_begin(&c->chart, &ctx, ref_of_finding(f->key)))
		return show_chart(c, err);
	if (row.kind == REF_FINDING && chart_begin(&c->chart, &ctx, row))
		return show_chart(c, err);
	/* A counter's row is charted as it is, not as its port. */
	if (row.kind == REF_COUNTER && chart_begin(&c->chart, &ctx, row))
		return show_chart(c, err);
	if (chart_begin(&c->chart, &ctx, at) || chart_begin(&c->chart, &ctx, p->scope))
		return show_chart(c, err);
	if (f)
		return begin_at(c, ref_of_finding(f->key), err);
	return begin_at(c, at, err);
}

bool console_chart(struct console *c, const char *text, struct err *err)
{
	struct ref at;

	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	if (!text[0])
		return chart_here(c, err);
	if (!console_parse(c, text, &at, err))
		return false;
	return begin_at(c, at, err);
}

static bool has_chart(const struct console *c, struct err *err)
{
	if (c->chart.n && c->model)
		return true;
	err_set(err, ERR_USAGE, "", "no chart is open");
	return err_cure(err, "v charts the port, finding or device under the cursor");
}

/* A charted counter by its name; COUNTER_COUNT with the reason. */
static counter_id parse_counter(const char *text, struct err *err)
{
	static const struct {
		const char *word;
		counter_id id;
	} words[] = {{"rx", CTR_RX_BYTES}, {"tx", CTR_TX_BYTES}, {"pause", CTR_PFC_RX_DURATION_US},
		{"pfc", CTR_PFC_RX_FRAMES}, {"drop", CTR_RX_DISCARDS}, {"qdrop", CTR_QUEUE_DROPS},
		{"ecn", CTR_ECN_MARKED_PACKETS}, {"cnp", CTR_CNP_SENT},
		{"flaps", CTR_LINK_DOWN_EVENTS}, {"fec", CTR_FEC_UNCORRECTABLE_CODEWORDS},
		{"ber", CTR_PRE_FEC_BER}, {"dbm", CTR_RX_POWER_DBM}, {"txdbm", CTR_TX_POWER_DBM},
		{"temp", CTR_TEMPERATURE_C}, {"depth", CTR_QUEUE_DEPTH_BYTES},
		{"peak", CTR_QUEUE_WATERMARK_BYTES}, {"pool", CTR_PG_WATERMARK_BYTES},
		{"ops", CHART_OPS}};
	counter_id id = counter_by_name(text);

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(words[i].word, text))
			return words[i].id;
	if (id < COUNTER_COUNT && (counter_charted(id) || gauge_charted(id)))
		return id;
	if (id < COUNTER_COUNT)
		err_set(err, ERR_UNSUPPORTED, text, "no history of this counter is kept");
	else
		err_set(err, ERR_USAGE, text, "no such counter");
	(void)err_cure(err, "pause, pfc, rx, tx, drop, qdrop, ecn, cnp, flaps, fec, ber, dbm, "
			    "txdbm, temp, depth, "
			    "peak, pool; of a job ops");
	return COUNTER_COUNT;
}

bool console_chart_metric(struct console *c, const char *text, struct err *err)
{
	struct view_ctx ctx = console_ctx(c);
	counter_id id;

	if (!has_chart(c, err))
		return false;
	id = text[0] ? parse_counter(text, err) : chart_next_metric(&c->chart, &ctx);
	if (id == COUNTER_COUNT)
		return false;
	chart_metric(&c->chart, &ctx, id);
	keep_names(c);
	want_past(c);
	console_touch(c);
	console_message(c, ROLE_DIM, "%s", chart_info(id)->help);
	return true;
}

/* Adds a place with the counter of the first line, or a counter of the first line's place. */
static bool add_typed(struct console *c, const char *text, struct err *err)
{
	struct chart_series s;
	struct ref at;
	struct err counter = {0};

	if (!has_chart(c, err))
		return false;
	s = c->chart.series[0];
	if (console_parse(c, text, &at, NULL)) {
		if (at.kind == REF_PRIORITY)
			s.sub = at.priority;
		s.at = at.kind == REF_PRIORITY ? ref_wider(c->model, at) : at;
	} else {
		s.id = parse_counter(text, &counter);
		if (s.id == COUNTER_COUNT)
			return err_set(err, ERR_USAGE, "", "%s is no place and no counter", text);
		if (chart_info(s.id)->dim != DIM_PRIO)
			s.sub = 0;
	}
	if (!chart_add(&c->chart, s.at, s.id, s.sub))
		return err_set(err, ERR_LIMIT, "", "it is in the chart, or the chart is full");
	keep_names(c);
	want_past(c);
	console_touch(c);
	return true;
}

bool console_chart_add(struct console *c, const char *text, struct err *err)
{
	if (!has_chart(c, err))
		return false;
	if (text[0])
		return add_typed(c, text, err);
	console_ask_text(c, &c->texting, "add a place or a counter: ", add_typed);
	return true;
}

bool console_chart_drop(struct console *c, struct err *err)
{
	struct page *p = console_page(c);
	struct ref row;

	if (!has_chart(c, err))
		return false;
	row = page_row(c, p);
	if (p->view != &view_chart || row.kind != REF_ROW || c->chart.n < 2)
		return err_set(err, ERR_USAGE, "", "the last line stays");
	chart_drop(&c->chart, (size_t)row.seq);
	keep_names(c);
	console_message(c, ROLE_DIM, "%zu line%s left", c->chart.n, str_plural(c->chart.n));
	console_touch(c);
	return true;
}

/* Says which time is shown, also when nothing could change. */
static void say_span(struct console *c)
{
	char span[24], end[32];

	console_message(c, ROLE_DIM, "%s until %s", str_age(c->chart.span_us, span, sizeof(span)),
		time_hms(c, c->now_us - c->chart.back_us, end, sizeof(end)));
	console_touch(c);
}

bool console_chart_zoom(struct console *c, const char *text, struct err *err)
{
	struct chart *h = &c->chart;
	int64_t span;

	if (!has_chart(c, err))
		return false;
	if (str_eq(text, "in"))
		span = h->span_us / 2;
	else if (str_eq(text, "out") || !text[0])
		span = h->span_us * 2;
	else if (!str_to_duration(text, &span))
		return err_set(err, ERR_USAGE, "", "%s is no time: 15m, 1h, in, out", text);
	if (span < CHART_LEAST_US)
		span = CHART_LEAST_US;
	if (span > longest(c))
		span = longest(c);
	/* The cursor stays in sight: zooming in is about the time under it. */
	if (h->cursor_us)
		h->back_us = c->now_us - h->cursor_us - span / 2;
	h->span_us = span;
	clamp_window(c);
	want_past(c);
	say_span(c);
	return true;
}

/* Moves the window: "-1": half a window back. */
bool console_chart_pan(struct console *c, const char *text, struct err *err)
{
	struct chart *h = &c->chart;

	if (!has_chart(c, err))
		return false;
	h->back_us += (text[0] == '-' ? 1 : -1) * h->span_us / 2;
	clamp_window(c);
	want_past(c);
	say_span(c);
	return true;
}

bool console_chart_cursor(struct console *c, const char *text, struct err *err)
{
	struct chart *h = &c->chart;
	int64_t end = c->now_us - h->back_us, step = h->span_us / CURSOR_STEPS;

	if (!has_chart(c, err))
		return false;
	if (!h->cursor_us)
		h->cursor_us = end;
	h->cursor_us += text[0] == '-' ? -step : step;
	if (h->cursor_us < end - h->span_us)
		h->cursor_us = end - h->span_us + step;
	if (h->cursor_us >= end)
		h->cursor_us = 0;
	console_message(c, ROLE_DIM, "%s",
		h->cursor_us ? "Enter shows all views at that moment" : "the cursor is at the end");
	console_touch(c);
	return true;
}

bool console_chart_log(struct console *c, struct err *err)
{
	if (!has_chart(c, err))
		return false;
	c->chart.log = !c->chart.log;
	console_message(c, ROLE_DIM, "the scale is %s", c->chart.log ? "logarithmic" : "linear");
	console_touch(c);
	return true;
}

bool console_chart_scrub(struct console *c, struct err *err)
{
	if (!has_chart(c, err))
		return false;
	if (!c->chart.cursor_us)
		return console_enter(c, err);
	return time_go_to(c, c->chart.cursor_us - c->chart.cursor_us % CLOCK_SEC, err);
}
