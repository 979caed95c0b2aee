/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/collector/shard.h"
#include "backends/jobs/source_state.h"
#include "backends/contract/needs.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Followed outputs: logs that the device writes as events happen. They belong to no round: nothing
 * waits for them, and a silent log says nothing about the device.
 */

/* A command that still runs after this time can be followed; otherwise it fails at once. */
#define RUNS_US CLOCK_SEC
/* With once: the longest wait for the channel to open. */
#define START_US (3 * CLOCK_SEC)
/* The beginning of a job's log may be other output: nothing is said of its lines before. */
#define LINES_US      (2 * CLOCK_SEC)
#define LOST_EVERY_US (60 * CLOCK_SEC)
#define RAN_WELL_US   (600 * CLOCK_SEC)
#define TEXT_CAP      ((size_t)264 << 10)

static int64_t now_us(void)
{
	return clock_mono(&clock_system);
}

/* ---- results ---- */

static bool has_log_need(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_CAPABILITY &&
			str_eq(obs_text(o, o->items.at[i].text), need_info[NEED_LOG].name))
			return true;
	return false;
}

static struct obs *new_piece(const struct log_stream *f)
{
	struct obs *o = device_poller_batch(f->poller, f->request->name);

	o->result = OBS_DATA;
	o->followed = true;
	return o;
}

static void report_lost(struct log_stream *f, struct obs *o)
{
	char text[128];

	if (!f->lost || now_us() < f->lost_due_us)
		return;
	str_printf(text, sizeof(text), "%s: %llu line%s skipped, the device writes too many",
		f->request->name, (unsigned long long)f->lost, str_plural(f->lost));
	obs_log(o, OBS_NO_PORT, -1, false, 0, text);
	f->lost = 0;
	f->lost_due_us = now_us() + LOST_EVERY_US;
}

/* Most lines of a log are irrelevant: an empty batch must not wake the main thread. */
static void push_piece(struct log_stream *f, struct obs *o)
{
	report_lost(f, o);
	facts_learn(&f->poller->facts, o);
	if (has_log_need(o))
		f->said = f->told = true;
	if (o->items.n || o->bgp.n || o->nccl.n)
		shard_push(f->poller->shard, o);
	else
		obs_free(o);
}

/* Reports the state of the need. A missing log is no error of the device. */
static void report_log(struct log_stream *f, enum validity v, const char *cure)
{
	struct obs *o;

	if (f->duty)
		return; /* not the device's own log */
	o = new_piece(f);
	need_say(o, NEED_LOG, v, cure);
	push_piece(f, o);
}

static bool parse_job(const struct log_stream *f, const struct answer *a, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	struct answer piece = *a;

	piece.bytes = bytes;
	piece.len = len;
	return job_query_parse(f->duty, f->request->name, &piece, o, err);
}

static struct followed_lines *lines_of(struct log_stream *f)
{
	if (!f->lines)
		f->lines = mem_calloc(1, sizeof(*f->lines));
	return f->lines;
}

/* Adds the lines of a piece. */
static void note_lines(struct log_stream *f, const struct obs *o)
{
	struct followed_lines *l;

	if (!o->lines.seen && !o->lines.trouble)
		return;
	l = lines_of(f);
	if (!l->count.seen && o->lines.seen)
		l->first_us = now_us();
	l->count.seen += o->lines.seen;
	l->count.known += o->lines.known;
	if (!l->example[0])
		(void)str_copy(l->example, sizeof(l->example), obs_text(o, o->lines.example));
	if (o->lines.trouble)
		(void)str_copy(l->trouble, sizeof(l->trouble), obs_text(o, o->lines.trouble));
}

/* Reports the state of a job source by the lines so far, when they are enough to judge by. */
static void say_lines(struct log_stream *f)
{
	const struct job_source_ops *ops = f->duty->ops;
	const struct followed_lines *l = lines_of(f);
	int64_t since = l->count.seen ? l->first_us : f->began_us;
	char text[160];
	enum validity v;

	if (!l->count.known && !l->trouble[0] && now_us() - since < LINES_US) {
		f->due_us = since + LINES_US;
		return;
	}
	v = job_lines_state(&l->count, l->example, l->trouble,
		ops->lines_cure ? ops->lines_cure : "check path:", text, sizeof(text));
	job_query_say(f->duty, v, text);
	f->told = true;
}

static void decode_piece(
	struct log_stream *f, const struct answer *a, const char *bytes, size_t len)
{
	struct device_poller *p = f->poller;
	struct obs *o = new_piece(f);
	struct err err = {0};

	o->took_us = a->took_us;
	o->bytes = a->received;
	f->lost += a->lost;
	if (f->duty ? parse_job(f, a, bytes, len, o, &err)
		    : p->ops->parse(&p->target, f->request->name, bytes, len, o, &err)) {
		if (f->duty)
			note_lines(f, o);
		push_piece(f, o);
		if (f->duty && f->running)
			say_lines(f);
		return;
	}
	obs_free(o);
	if (f->duty)
		job_query_failed(f->duty, a, &err);
	if (!f->said) /* once, not with each piece */
		report_log(f, VALID_UNSUPPORTED, err.cure[0] ? err.cure : err.text);
}

/* ---- answers ---- */

static void decode_end(struct log_stream *f, const struct answer *a)
{
	struct buf all;
	char text[96];

	/* The reports made while it ran are obsolete. */
	f->said = false;
	buf_init(&all, TEXT_CAP);
	(void)buf_add(&all, a->bytes, a->len);
	(void)buf_adds(&all, a->complaint);
	decode_piece(f, a, all.data ? all.data : "", all.len);
	buf_free(&all);
	str_printf(text, sizeof(text), "%s: the command ended with status %d", f->request->name,
		a->status);
	if (f->duty) {
		struct err why;

		err_set(&why, ERR_PROTOCOL, f->poller->device->name, "%s%s%s", text,
			a->complaint[0] ? ": " : "", a->complaint);
		job_query_failed(f->duty, a, &why);
	}
	if (!f->said && (a->status != 0 || now_us() - f->began_us < RUNS_US))
		report_log(f, VALID_UNSUPPORTED, text);
}

static void follow_ended(struct log_stream *f, const struct answer *a)
{
	int64_t now = now_us();

	if (a->err.code == ERR_NONE)
		decode_end(f, a);
	else if (f->duty)
		job_query_failed(f->duty, a, &a->err);
	else
		report_log(f, VALID_UNSUPPORTED, a->err.cure[0] ? a->err.cure : a->err.text);
	f->ended = f->running && now - f->began_us > RAN_WELL_US ? 1 : f->ended + 1;
	f->asked = f->running = false;
	f->told = true;
	f->due_us = now + backoff_follow_us(f->ended, shard_random(f->poller->shard));
}

static void on_piece(void *ctx, const struct answer *a)
{
	struct log_stream *f = ctx;
	struct device_poller *p = f->poller;

	if (a->err.code != ERR_NONE && !p->transport->ready(p->link))
		return; /* down() follows */
	if (!a->more) {
		follow_ended(f, a);
	} else if (!f->running) {
		f->running = true;
		f->began_us = now_us();
		f->due_us = f->began_us + (f->duty ? LINES_US : RUNS_US);
	} else {
		decode_piece(f, a, a->bytes, a->len);
	}
	if (!device_poller_finish(p))
		device_poller_arm(p);
}

static void follow_ask(struct log_stream *f)
{
	struct device_poller *p = f->poller;

	f->asked = true;
	f->running = f->said = false;
	free(f->lines);
	f->lines = NULL;
	f->due_us = p->schedule.once ? now_us() + START_US : INT64_MAX;
	p->transport->ask(p->link, f->request, POLL_EVENTS, on_piece, f);
}

/* ---- all outputs of a device ---- */

void log_streams_begin(struct device_poller *p)
{
	struct log_streams *all = &p->follows;
	struct err err = {0};

	log_streams_drop(p);
	if (!p->ops->plan(&p->target, POLL_EVENTS, &all->list, &err))
		device_poller_push_failed(p, "plan", &err);
	job_queries_follow(p, &all->list);
	if (all->list.at.n == 0)
		return;
	all->at = mem_calloc(all->list.at.n, sizeof(*all->at));
	for (size_t i = 0; i < all->list.at.n; i++) {
		all->list.at.at[i].follow = true;
		all->at[i] = (struct log_stream){.poller = p, .request = &all->list.at.at[i]};
		all->at[i].duty = job_query_of(p, all->list.at.at[i].name);
	}
}

void log_streams_due(struct device_poller *p, int64_t now)
{
	/*
	 * An answer may come before ask() returns, and with once it may be the last: then all are
	 * freed.
	 */
	for (size_t i = 0; p->follows.at && i < p->follows.list.at.n; i++) {
		struct log_stream *f = &p->follows.at[i];

		if (f->due_us > now)
			continue;
		f->due_us = INT64_MAX;
		if (!f->asked) {
			follow_ask(f);
			continue;
		}
		if (f->running && f->duty) {
			say_lines(f);
			continue;
		}
		if (f->running && !f->said)
			report_log(f, VALID_OK, "");
		f->told = true;
	}
}

int64_t log_streams_next_us(const struct device_poller *p)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; p->follows.at && i < p->follows.list.at.n; i++)
		if (p->follows.at[i].due_us < first)
			first = p->follows.at[i].due_us;
	return first;
}

bool log_streams_told(const struct device_poller *p)
{
	bool all = true;

	for (size_t i = 0; p->follows.at && i < p->follows.list.at.n; i++)
		all = all && p->follows.at[i].told;
	return all;
}

void log_streams_drop(struct device_poller *p)
{
	for (size_t i = 0; p->follows.at && i < p->follows.list.at.n; i++)
		free(p->follows.at[i].lines);
	free(p->follows.at);
	p->follows.at = NULL;
	requests_free(&p->follows.list);
}
