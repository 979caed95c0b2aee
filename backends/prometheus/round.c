/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/prometheus/prometheus_private.h"
#include "base/clock.h"
#include "base/clock_track.h"
#include "base/str.h"

/* One gather: its queries and the results of their ends. */

#define FORM_MAX ((size_t)4 << 20)
/*
 * A scrape is stored a moment after its timestamp. A sample may be this late without being missed,
 * because each round's window is longer than the time since the last round.
 */
#define SETTLED_US (1 * CLOCK_SEC)
#define SLACK_US   PROMETHEUS_SLACK_US
#define LAG_MOST   (60 * CLOCK_SEC)
/* A refused query is retried, in case the fault was temporary. */
#define REFUSED_AGAIN (300 * CLOCK_SEC)
/* Empty answers, as a power of two of intervals, until a query runs at its own pace. */
#define EMPTY_MOST 12
#define SPREAD     8
/* One gigabyte of series. 100,000 GPUs have 45 million; beyond that, labels never repeat. */
#define SERIES_MOST ((size_t)1 << 26)
/* One of this many series without a sample before its newest: the first window was too short. */
#define SINGLE_MOST 8
/*
 * With more devices the first round has only the queries of every round: the others follow in the
 * next round.
 */
#define MANY_DEVICES 2048
/* More than the error of the server's clock as read from its Date. */
#define CLOCK_ODD (2 * CLOCK_SEC)

int64_t prometheus_interval(const struct prometheus *e)
{
	return e->plan->engine.interval_us > 0 ? e->plan->engine.interval_us : 30 * CLOCK_SEC;
}

/* brief: shorter than it would be without knowledge of the scrape interval. */
static int64_t first_window(const struct prometheus *e, const struct prometheus_ask *a, bool *brief)
{
	unsigned group = e->map->rules.at[a->rules.at[0]]->group;
	int64_t all = prometheus_first_window(prometheus_interval(e), 0, 0), since;

	*brief = false;
	/* Without a next round nothing can be made up for. */
	if (e->round.job != ROUND_SHARD || e->opts.once || a->whole)
		return all;
	since = prometheus_first_window(prometheus_interval(e),
		series_index_spacing(e->book, group),
		e->round.eval_us - series_index_newest(e->book));
	*brief = since < all;
	return since;
}

static int64_t query_window(const struct prometheus *e, const struct prometheus_ask *a, bool *brief)
{
	const struct prometheus_round *r = &e->round;
	int64_t first = first_window(e, a, brief), since, lag;

	if (r->job == ROUND_HISTORY)
		return e->plan->engine.history_us;
	if (r->job == ROUND_MOMENT || !a->asked_us)
		return first;
	*brief = false;
	first = prometheus_first_window(prometheus_interval(e), 0, 0);
	/* For a query with a long interval the newest sample is enough. */
	lag = a->asked_us - series_index_newest(e->book);
	lag = lag < 0 ? 0 : lag > LAG_MOST ? LAG_MOST : lag;
	since = r->eval_us - a->asked_us + SLACK_US + lag;
	return since < first ? since : first;
}

static size_t series_held(const struct prometheus *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->shards.n; i++)
		for (size_t k = 0; k < e->shards.at[i].asks.n; k++)
			n += e->shards.at[i].asks.at[k]->known.n;
	return n;
}

void prometheus_round_begin(struct prometheus *e, enum prometheus_job job,
	struct prometheus_shard *shards, size_t n, int64_t t_us)
{
	struct prometheus_round *r = &e->round;
	int64_t now = clock_mono(&clock_system);

	r->job = job;
	r->todo.n = r->next = 0;
	r->broken = false;
	r->warning[0] = '\0';
	memset(&r->err, 0, sizeof(r->err));
	r->t_us = t_us;
	r->eval_us = clock_session() + e->ahead_us - SETTLED_US;
	if (job == ROUND_MOMENT || job == ROUND_SPAN)
		r->eval_us = t_us + e->ahead_us;
	for (size_t i = 0; i < n; i++)
		prometheus_shard_join(&shards[i], now);
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < shards[i].asks.n; k++) {
			struct prometheus_ask *a = shards[i].asks.at[k];
			bool due = job == ROUND_MOMENT || job == ROUND_HISTORY ||
				   job == ROUND_SPAN || a->due_us <= now;
			bool later = job == ROUND_SHARD && !shards[i].done && a->every_us &&
				     !a->small && !e->opts.once &&
				     series_index_devices(e->book) > MANY_DEVICES;

			if (!a->divided && due && !later)
				vec_push(&r->todo, (struct prometheus_todo){&shards[i], a});
		}
	series_index_keep(e->book, series_held(e) < SERIES_MOST);
	series_index_begin(e->book,
		job == ROUND_MOMENT                        ? SERIES_INDEX_MOMENT
		: job == ROUND_SHARD || job == ROUND_FOCUS ? SERIES_INDEX_LIVE
							   : SERIES_INDEX_HISTORY,
		r->eval_us);
}

/* ---- end of a query ---- */

static void set_warning(struct prometheus *e, const char *text)
{
	if (!e->round.warning[0])
		(void)str_printf(e->round.warning, sizeof(e->round.warning), "%.*s",
			PROMETHEUS_WARNING - 1, text);
}

static const char *rule_at(const struct prometheus *e, const struct prometheus_ask *a)
{
	return e->map->rules.at[a->rules.at[0]]->source;
}

/* Error texts of servers that could answer a smaller query. */
static bool too_much(const char *said)
{
	static const char *const words[] = {"too many", "maximum resolution", "exceed", "limit",
		"max-samples", "maxSamples", "too large", "max series", "timed out", "timeout",
		"time-out"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(said, words[i]))
			return true;
	return false;
}

/* Divides the query in two halves; false: it cannot be divided further. */
static bool divide_query(struct prometheus *e, struct prometheus_flight *f)
{
	struct prometheus_shard *s = f->shard;

	if (!prometheus_ask_divide(s, f->ask))
		return false;
	for (size_t i = s->asks.n - 2; i < s->asks.n; i++)
		vec_push(&e->round.todo, (struct prometheus_todo){s, s->asks.at[i]});
	return true;
}

static void mark_broken(struct prometheus *e, const struct err *err)
{
	e->round.broken = true;
	if (e->round.err.code == ERR_NONE)
		e->round.err = *err;
}

/* The server cannot answer this query; the others continue. */
static void query_refused(struct prometheus *e, struct prometheus_flight *f, const char *said)
{
	char text[PROMETHEUS_WARNING];

	/* A refusal for a past time says nothing about the present. */
	if (e->round.job != ROUND_MOMENT)
		f->ask->due_us = clock_mono(&clock_system) + REFUSED_AGAIN;
	(void)str_printf(text, sizeof(text), "%.80s: the engine answers: %.100s",
		rule_at(e, f->ask), said[0] ? said : "nothing");
	set_warning(e, text);
	if (e->round.err.code == ERR_NONE)
		(void)err_set(&e->round.err, ERR_PROTOCOL, rule_at(e, f->ask),
			"the engine answers: %.200s", said[0] ? said : "nothing");
}

/*
 * Returns the time until the query is repeated: half an interval less than its pace, so that it
 * does not drift against the rounds. A query without samples so far is repeated sooner, because its
 * series may appear soon.
 */
static int64_t pause_after(const struct prometheus *e, struct prometheus_ask *a, bool came)
{
	int64_t interval = prometheus_interval(e), pause = a->every_us - interval / 2, soon;
	size_t place = a->from / PROMETHEUS_SHARD_DEVICES + a->rules.at[0];

	if (!a->every_us)
		return 0;
	if (came)
		a->empty = EMPTY_MOST;
	/*
	 * The first repetition comes early by a different amount per query, so that they do not
	 * share one round.
	 */
	if (came && !a->spread) {
		a->spread = true;
		return pause * (int64_t)(place % SPREAD + 1) / SPREAD;
	}
	soon = (interval << a->empty) - interval / 2;
	if (a->empty < EMPTY_MOST)
		a->empty++;
	return soon < pause ? soon : pause;
}

/*
 * True: the window followed the known scrape interval, but these series are scraped less often.
 * Then many of them have no sample before the newest. A query with its own interval gets the
 * missing sample the next time.
 */
static bool too_brief(const struct prometheus_flight *f)
{
	return f->brief && !f->ask->every_us &&
	       f->query.n_single * SINGLE_MOST >= f->query.reader.n_series;
}

static bool has_needs(const struct prometheus *e, const struct prometheus_ask *a)
{
	for (size_t i = 0; i < a->rules.n; i++)
		if (e->map->rules.at[a->rules.at[i]]->tells == PROMETHEUS_NEED)
			return true;
	return false;
}

static void query_answered(struct prometheus *e, struct prometheus_flight *f)
{
	const struct prometheus_reader *r = &f->query.reader;
	struct prometheus_ask *a = f->ask;
	char text[PROMETHEUS_WARNING];

	if (e->round.job != ROUND_MOMENT) {
		a->whole = too_brief(f);
		a->asked_us = a->whole ? 0 : e->round.eval_us;
		a->due_us = clock_mono(&clock_system) + pause_after(e, a, r->n_samples > 0);
	}
	if (!r->partial && !r->warning[0]) {
		if (e->round.job == ROUND_SHARD && has_needs(e, a))
			series_index_needs_told(e->book, a->from, a->to);
		return;
	}
	(void)str_printf(text, sizeof(text), "the engine's answer is incomplete: %.150s",
		r->warning[0] ? r->warning : "it is marked as partial");
	set_warning(e, text);
}

static bool status_is_of_server(long status)
{
	return status == 401 || status == 403 || status == 404 || status == 429 ||
	       (status >= 300 && status < 400) || status >= 500;
}

/* Ends reading the answer. False: it is invalid. */
static bool end_reading(struct prometheus_flight *f, struct err *err)
{
	bool ok = prometheus_reader_end(&f->query.reader, err);

	series_index_detach(&f->query);
	return ok;
}

static void on_refused(
	struct prometheus *e, struct prometheus_flight *f, const struct prometheus_ended *end)
{
	struct err err = {0};
	const char *said = end->said;

	if (end_reading(f, &err) && f->query.reader.error[0])
		said = f->query.reader.error;
	/* 429: more queries would make it worse. */
	if (end->status != 401 && end->status != 403 && end->status != 404 && end->status != 429 &&
		too_much(said) && divide_query(e, f))
		return;
	if (status_is_of_server(end->status))
		mark_broken(e, &end->err);
	else
		query_refused(e, f, said);
}

static void on_answered(struct prometheus *e, struct prometheus_flight *f)
{
	struct prometheus_reader *r = &f->query.reader;
	struct err err = {0};

	if (!end_reading(f, &err)) {
		query_refused(e, f, err.text);
		return;
	}
	if (!r->failed)
		query_answered(e, f);
	else if (!too_much(r->error) || !divide_query(e, f))
		query_refused(e, f, r->error);
}

/*
 * Sets the offset of the server's clock. Its Date has whole seconds, so a smaller difference is
 * ignored.
 */
static void read_clock(struct prometheus *e, const struct prometheus_ended *end)
{
	int64_t ahead;

	if (!end->date_us)
		return;
	ahead = end->date_us + CLOCK_SEC / 2 - (clock_session() - end->took_us / 2);
	if (end->took_us > 10 * CLOCK_SEC && e->clock_known)
		return;
	e->ahead_us = ahead > CLOCK_ODD || ahead < -CLOCK_ODD ? ahead : 0;
	e->clock_known = true;
}

static void on_done(void *ctx, const struct prometheus_ended *end)
{
	struct prometheus_flight *f = ctx;
	struct prometheus *e = f->engine;
	struct err err = {0};

	f->transfer = NULL;
	read_clock(e, end);
	switch (end->end) {
	case END_ANSWERED:
		on_answered(e, f);
		break;
	case END_REFUSED:
		on_refused(e, f, end);
		break;
	case END_STOPPED:
		(void)end_reading(f, &err);
		query_refused(e, f, err.text);
		break;
	case END_SLOW:
	case END_LARGE:
		(void)end_reading(f, &err);
		if (!divide_query(e, f))
			mark_broken(e, &end->err);
		else if (end->end == END_SLOW)
			prometheus_ask_slow(f->ask, clock_mono(&clock_system));
		break;
	case END_DOWN:
		(void)end_reading(f, &err);
		mark_broken(e, &end->err);
		break;
	}
}

static bool on_bytes(void *ctx, const char *data, size_t len)
{
	struct prometheus_flight *f = ctx;

	return prometheus_reader_feed(&f->query.reader, data, len);
}

/* ---- asking ---- */

static bool add_time(struct buf *form, const char *name, int64_t us)
{
	char time[40];

	(void)str_printf(time, sizeof(time), "%lld.%03d", (long long)(us / CLOCK_SEC),
		(int)(us % CLOCK_SEC / CLOCK_MSEC));
	return prometheus_form_add(form, name, time);
}

/* The form of a query; *path is where it is posted. */
static bool fill_form(struct prometheus *e, struct prometheus_flight *f, const char **path,
	struct buf *text, struct buf *form)
{
	const struct prometheus_span *s = &e->spanning;
	const struct prometheus_ask *a = f->ask;

	if (e->round.job != ROUND_SPAN) {
		*path = "/api/v1/query";
		return prometheus_ask_query(
			       a, e->book, e->plan, e->map, query_window(e, a, &f->brief), text) &&
		       prometheus_form_add(form, "query", text->data) &&
		       add_time(form, "time", e->round.eval_us);
	}
	*path = "/api/v1/query_range";
	f->brief = false;
	return prometheus_ask_steps(a, e->book, e->plan, e->map, s->step_us, text) &&
	       prometheus_form_add(form, "query", text->data) &&
	       add_time(form, "start", s->from_us + e->ahead_us) &&
	       add_time(form, "end", s->to_us + e->ahead_us) && add_time(form, "step", s->step_us);
}

static bool start_query(
	struct prometheus *e, struct prometheus_flight *f, const struct prometheus_todo *t)
{
	const struct prometheus_transfer_fns fns = {on_bytes, on_done, f};
	const char *path;
	struct buf text, form;
	bool ok;

	buf_init(&text, FORM_MAX / 4);
	buf_init(&form, FORM_MAX);
	f->engine = e;
	f->shard = t->shard;
	f->ask = t->ask;
	ok = fill_form(e, f, &path, &text, &form) && prometheus_form_add(&form, "timeout", "55s");
	if (ok) {
		series_index_attach(
			e->book, &f->query, t->ask->rules.at, t->ask->rules.n, &t->ask->known);
		f->transfer = prometheus_http_start(e->http, path, form.data, &fns);
	}
	buf_free(&text);
	buf_free(&form);
	return ok;
}

bool prometheus_round_step(struct prometheus *e)
{
	struct prometheus_round *r = &e->round;
	bool busy = false;

	for (size_t i = 0; i < PROMETHEUS_IN_FLIGHT; i++) {
		struct prometheus_flight *f = &e->flights[i];

		while (!f->transfer && !r->broken && r->next < r->todo.n) {
			struct prometheus_todo t = r->todo.at[r->next++];

			f->shard = t.shard;
			f->ask = t.ask;
			if (!start_query(e, f, &t) && !divide_query(e, f))
				query_refused(e, f, "the query is too long");
		}
		if (f->transfer && r->broken) {
			struct err err = {0};

			prometheus_http_cancel(f->transfer);
			f->transfer = NULL;
			(void)end_reading(f, &err);
		}
		busy |= f->transfer != NULL;
	}
	return !busy && (r->broken || r->next >= r->todo.n);
}

/* Converts server times to our clock, because the history stands beside our own measurements. */
static void to_local_clock(const struct prometheus *e, struct obs *list)
{
	for (struct obs *o = list; o; o = o->next) {
		o->received_us -= e->ahead_us;
		for (size_t i = 0; i < o->ports.n; i++)
			if (o->ports.at[i].sample_us)
				o->ports.at[i].sample_us -= e->ahead_us;
	}
}

struct obs *prometheus_round_end(struct prometheus *e)
{
	struct obs *list = series_index_end(e->book, clock_session(), e->round.warning);

	if (e->round.job == ROUND_HISTORY || e->round.job == ROUND_SPAN)
		to_local_clock(e, list);
	e->round.job = ROUND_NONE;
	return list;
}

void prometheus_round_drop(struct prometheus *e)
{
	struct err err = {0};

	for (size_t i = 0; i < PROMETHEUS_IN_FLIGHT; i++) {
		if (e->flights[i].transfer) {
			prometheus_http_cancel(e->flights[i].transfer);
			(void)end_reading(&e->flights[i], &err);
		}
		e->flights[i].transfer = NULL;
	}
	vec_free(&e->round.todo);
}
