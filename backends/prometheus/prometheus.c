/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/prometheus/prometheus.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "backends/collector/schedule.h"
#include "backends/prometheus/prometheus_private.h"
#include "base/clock.h"
#include "base/clock_track.h"
#include "base/str.h"
#include "fabric/model/model.h"

/*
 * One thread sends the queries. Rounds follow one another, each with a few queries at a time. The
 * main thread leaves its requests under the lock and takes batches from the queue.
 */

#define DOWN_MOST    (60 * CLOCK_SEC) /* longest time until a server that is down is tried again */
#define IDLE_MOST    (60 * CLOCK_SEC)
#define WAITING_MOST ((size_t)64 << 20) /* bytes of batches that wait for the main thread */
#define PAST_AGAIN   CLOCK_SEC          /* doubles each time */
#define PAST_TRIES   8
#define PAST_SERIES  4096 /* per query; an hour at 4 a minute: a million samples */

/* ---- delivery ---- */

/* Names of the devices polled by a collector: one or none. */
struct left_names {
	VEC(const char *) at;
};

static void find_left(struct prometheus *e, struct left_names *left)
{
	pthread_mutex_lock(&e->lock);
	for (size_t i = 0; i < e->plan->devices.n; i++)
		if (e->left[i])
			vec_push(&left->at, e->plan->devices.at[i].name);
	pthread_mutex_unlock(&e->lock);
}

static bool is_left(const struct left_names *left, const char *device)
{
	for (size_t i = 0; i < left->at.n; i++)
		if (str_eq(left->at.at[i], device))
			return true;
	return false;
}

static void wake_main(struct prometheus *e)
{
	if (e->opts.wake)
		e->opts.wake(e->opts.ctx);
}

static void push_batches(struct prometheus *e, struct obs *list)
{
	int64_t now = clock_mono(&clock_system), wait = queue_push_list(&e->queue, list, now);

	if (wait > 0)
		e->wake_us = now + wait;
	else if (wait == 0)
		wake_main(e);
}

void prometheus_publish(struct prometheus *e, struct obs *list)
{
	struct left_names left = {0};
	struct obs **at = &list;

	find_left(e, &left);
	while (*at) {
		struct obs *o = *at;

		if (str_eq(o->request, REQUEST_HISTORY) || !is_left(&left, o->device)) {
			at = &o->next;
			continue;
		}
		*at = o->next;
		obs_free(o);
	}
	vec_free(&left.at);
	/* All at once: a history that is merged in two parts lacks the samples between them. */
	if (list)
		push_batches(e, list);
}

static uint32_t hash_of(const char *s)
{
	uint32_t h = 2166136261U;

	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 16777619U;
	return h ? h : 1;
}

/*
 * Reports for devices from..to why they have no samples, once per reason. told: the hash of the
 * last reason.
 */
static void report_error(
	struct prometheus *e, const struct err *err, size_t from, size_t to, uint32_t *told)
{
	struct obs *first = NULL, **end = &first;
	uint32_t h = hash_of(err->text);

	if (h == *told)
		return;
	*told = h;
	for (size_t i = from; i < to; i++) {
		struct obs *o = obs_new(
			e->plan->devices.at[series_index_device(e->book, i)].name, "engine");

		o->result = OBS_FAILED;
		o->received_us = clock_session();
		o->err = *err;
		/* An unreachable server says nothing about the device, which becomes stale. */
		if (err->code != ERR_UNAUTHORISED)
			o->err.code = ERR_TIMEOUT;
		*end = o;
		end = &o->next;
	}
	prometheus_publish(e, first);
}

/* ---- rounds ---- */

static uint32_t any_number(void)
{
	uint32_t r = 0;

	return getrandom(&r, sizeof(r), GRND_NONBLOCK) == sizeof(r) ? r : 0;
}

static void note_end(struct prometheus *e, int64_t now)
{
	int64_t wait = CLOCK_SEC;

	if (!e->round.broken) {
		e->downs = 0;
		e->told = 0;
		return;
	}
	for (unsigned i = 0; i < e->downs && wait < DOWN_MOST; i++)
		wait *= 2;
	wait = wait < DOWN_MOST ? wait : DOWN_MOST;
	e->downs++;
	e->retry_us = now + backoff_spread_us(wait, any_number());
	report_error(e, &e->round.err, 0, series_index_devices(e->book), &e->told);
}

static void end_moment(struct prometheus *e, struct obs *list)
{
	struct obs *old;

	pthread_mutex_lock(&e->lock);
	old = e->moment.obs;
	/* A later request replaces the answer to this one. */
	e->moment.ready = !e->moment_wanted;
	e->moment.t_us = e->round.t_us;
	e->moment.obs = e->round.broken || e->moment_wanted ? NULL : list;
	if (e->moment.obs != list) {
		struct obs *next;

		for (; list; list = next) {
			next = list->next;
			obs_free(list);
		}
	}
	e->moment.err = e->round.err;
	if (!e->round.broken && !e->moment.obs && e->round.err.code == ERR_NONE)
		(void)err_set(&e->moment.err, ERR_PROTOCOL, e->plan->engine.source,
			"the engine has no data of that time");
	pthread_mutex_unlock(&e->lock);
	for (struct obs *next; old; old = next) {
		next = old->next;
		obs_free(old);
	}
	wake_main(e);
}

/* Schedules the next try of a failed round about the past, with growing pauses. */
static void note_past(struct prometheus *e, int64_t now)
{
	if (e->focus_at == SIZE_MAX)
		return;
	if (!e->round.broken)
		e->past_done[e->focus_at] = true;
	else if (e->past_broken < PAST_TRIES)
		e->past_due_us =
			now + backoff_spread_us(PAST_AGAIN << e->past_broken++, any_number());
}

static void end_round(struct prometheus *e)
{
	enum prometheus_job job = e->round.job;
	struct prometheus_shard *s =
		job == ROUND_SHARD && e->round.todo.n ? e->round.todo.at[0].shard : NULL;
	struct obs *list = prometheus_round_end(e);
	int64_t now = clock_mono(&clock_system);
	bool came = list != NULL; /* the list is not ours any more once it is published */

	if (job == ROUND_MOMENT) {
		end_moment(e, list);
		return;
	}
	if (job == ROUND_SPAN) {
		prometheus_span_end(e, list);
		return;
	}
	if (job == ROUND_HISTORY)
		note_past(e, now);
	prometheus_publish(e, list);
	/* If no other query was answered, report the error for all devices of the shard. */
	if (s && !e->round.broken && e->round.err.code != ERR_NONE && !came)
		report_error(e, &e->round.err, s->from, s->to, &s->told);
	else if (s && !e->round.broken)
		s->told = 0;
	if (job != ROUND_HISTORY)
		note_end(e, now);
}

static void take_requests(struct prometheus *e, bool *moment, int64_t *t_us)
{
	char focus[NAME_MAX_LEN];
	size_t at = SIZE_MAX;

	pthread_mutex_lock(&e->lock);
	(void)str_copy(focus, sizeof(focus), e->focus);
	*moment = e->moment_wanted && e->round.job == ROUND_NONE;
	*t_us = e->moment_t;
	if (*moment)
		e->moment_wanted = false;
	pthread_mutex_unlock(&e->lock);
	if (e->round.job == ROUND_FOCUS || e->round.job == ROUND_HISTORY)
		return;
	/* This runs whenever bytes arrive, with up to 100,000 devices: compare the name first. */
	if (str_eq(focus, e->focused_name))
		return;
	(void)str_copy(e->focused_name, sizeof(e->focused_name), focus);
	for (size_t i = 0; focus[0] && i < series_index_devices(e->book) && at == SIZE_MAX; i++)
		if (str_eq(e->plan->devices.at[series_index_device(e->book, i)].name, focus))
			at = i;
	if (at == e->focus_at)
		return;
	e->focus_at = at;
	prometheus_shard_free(&e->focused);
	prometheus_shard_free(&e->past);
	e->past_due_us = 0;
	e->past_broken = 0;
	if (at == SIZE_MAX)
		return;
	prometheus_shard_plan(
		&e->focused, e->book, e->map, WHICH_CURSOR, at, at + 1, PROMETHEUS_ASK_SERIES);
	if (e->plan->engine.history_us > 0 && !e->past_done[at]) {
		prometheus_shard_plan(
			&e->past, e->book, e->map, WHICH_NUMBERS, at, at + 1, PAST_SERIES);
		e->past_due_us = clock_mono(&clock_system);
	}
}

static struct prometheus_shard *due_shard(struct prometheus *e, int64_t now)
{
	struct prometheus_shard *first = NULL;

	for (size_t i = 0; i < e->shards.n; i++) {
		struct prometheus_shard *s = &e->shards.at[i];

		if (s->due_us <= now && !(e->opts.once && s->done) &&
			(!first || s->due_us < first->due_us))
			first = s;
	}
	return first;
}

/*
 * The next round of the shard begins one interval after this one, however long this one takes.
 * Missed rounds are skipped.
 */
static void shard_begins(struct prometheus *e, struct prometheus_shard *s, int64_t now)
{
	int64_t interval = prometheus_interval(e);

	s->due_us += interval;
	if (s->due_us <= now)
		s->due_us = now + interval - (now - s->due_us) % interval;
	prometheus_round_begin(e, ROUND_SHARD, s, 1, 0);
	s->done = true;
}

static void wake_as_promised(struct prometheus *e, int64_t now)
{
	e->wake_us = 0;
	if (queue_wake_due(&e->queue, now))
		wake_main(e);
}

static void keep_promise(struct prometheus *e, int64_t now)
{
	if (e->wake_us && now >= e->wake_us)
		wake_as_promised(e, now);
}

/*
 * Undrained batches use memory, and this thread can produce them faster than the main thread
 * applies them. Blocks new rounds until prometheus_drain(), and wakes the main thread now.
 */
static bool wait_for_main(struct prometheus *e, int64_t now)
{
	atomic_store(&e->held, true);
	if (!e->opts.once && queue_is_full(&e->queue)) {
		if (e->wake_us)
			wake_as_promised(e, now);
		return true;
	}
	atomic_store(&e->held, false);
	return false;
}

/* Its past comes after its present: a history is merged into ports that are known. */
static bool is_known(const struct prometheus *e, size_t at)
{
	for (size_t i = 0; i < e->shards.n; i++)
		if (at >= e->shards.at[i].from && at < e->shards.at[i].to)
			return e->shards.at[i].done;
	return true;
}

static void begin_round(struct prometheus *e, bool moment, int64_t t_us)
{
	int64_t now = clock_mono(&clock_system);
	struct prometheus_shard *s;

	if (moment) {
		prometheus_round_begin(e, ROUND_MOMENT, e->shards.at, e->shards.n, t_us);
		return;
	}
	if (prometheus_span_begin(e) || now < e->retry_us)
		return;
	s = due_shard(e, now);
	if (e->past_due_us && e->past_due_us <= now && is_known(e, e->focus_at)) {
		e->past_due_us = 0;
		prometheus_round_begin(e, ROUND_HISTORY, &e->past, 1, 0);
	} else if (e->focused.asks.n && e->focused.due_us <= now) {
		e->focused.due_us = now + prometheus_interval(e);
		prometheus_round_begin(e, ROUND_FOCUS, &e->focused, 1, 0);
	} else if (s && !wait_for_main(e, now)) {
		shard_begins(e, s, now);
	}
}

/* ---- the thread ---- */

static int64_t min_time(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t idle_until(const struct prometheus *e, int64_t now)
{
	int64_t until = now + IDLE_MOST;

	if (e->round.job == ROUND_NONE) {
		for (size_t i = 0; i < e->shards.n && !atomic_load(&e->held); i++)
			if (!(e->opts.once && e->shards.at[i].done))
				until = min_time(until, e->shards.at[i].due_us);
		if (e->focused.asks.n)
			until = min_time(until, e->focused.due_us);
		if (e->past_due_us && is_known(e, e->focus_at))
			until = min_time(until, e->past_due_us);
		if (until < e->retry_us)
			until = e->retry_us;
	}
	return e->wake_us ? min_time(until, e->wake_us) : until;
}

static bool is_once_done(const struct prometheus *e)
{
	if (!e->opts.once || e->round.job != ROUND_NONE)
		return false;
	for (size_t i = 0; i < e->shards.n; i++)
		if (!e->shards.at[i].done)
			return false;
	return true;
}

static void *run_thread(void *ctx)
{
	struct prometheus *e = ctx;

	while (!atomic_load(&e->stop)) {
		bool moment = false;
		int64_t t_us = 0, now;

		take_requests(e, &moment, &t_us);
		if (e->round.job == ROUND_NONE)
			begin_round(e, moment, t_us);
		if (e->round.job != ROUND_NONE && prometheus_round_step(e)) {
			end_round(e);
			continue;
		}
		if (is_once_done(e) && !atomic_load(&e->finished)) {
			atomic_store(&e->finished, true);
			wake_main(e);
		}
		now = clock_mono(&clock_system);
		prometheus_http_run(e->http, idle_until(e, now) - now);
		keep_promise(e, clock_mono(&clock_system));
	}
	return NULL;
}

/* ---- interface ---- */

static void plan_shards(struct prometheus *e)
{
	int64_t now = clock_mono(&clock_system);
	size_t n = series_index_devices(e->book), shards;

	shards = (n + PROMETHEUS_SHARD_DEVICES - 1) / PROMETHEUS_SHARD_DEVICES;
	for (size_t i = 0; i < shards; i++) {
		struct prometheus_shard *s = vec_add(&e->shards);
		size_t from = i * n / shards, to = (i + 1) * n / shards;

		prometheus_shard_plan(
			s, e->book, e->map, WHICH_ALWAYS, from, to, PROMETHEUS_ASK_SERIES);
		/* All at once the first time, then spread over the interval. */
		s->due_us = now - prometheus_interval(e) +
			    (int64_t)i * prometheus_interval(e) / (int64_t)shards;
	}
}

struct prometheus *prometheus_start(const struct plan *plan, const struct prometheus_map *map,
	const struct prometheus_opts *opts, struct err *err)
{
	struct prometheus *e = mem_calloc(1, sizeof(*e));
	sigset_t all, old;
	int rc;

	e->http = prometheus_http_open(&plan->engine, err);
	if (!e->http) {
		free(e);
		return NULL;
	}
	e->plan = plan;
	e->map = map;
	e->opts = *opts;
	e->book = series_index_new(plan, map);
	e->left = mem_calloc(plan->devices.n + 1, sizeof(*e->left));
	e->past_done = mem_calloc(plan->devices.n + 1, sizeof(*e->past_done));
	e->focus_at = SIZE_MAX;
	pthread_mutex_init(&e->lock, NULL);
	queue_init(&e->queue, opts->publish_us);
	e->queue.enough = opts->waiting_most ? opts->waiting_most : WAITING_MOST;
	plan_shards(e);
	/* The main thread handles signals. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_BLOCK, &all, &old);
	rc = pthread_create(&e->thread, NULL, run_thread, e);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	e->started = rc == 0;
	if (rc) {
		(void)prometheus_stop(e);
		(void)err_set(err, ERR_IO, plan->engine.source, "no thread: %s", strerror(rc));
		return NULL;
	}
	return e;
}

struct obs *prometheus_drain(struct prometheus *e)
{
	struct obs *all = queue_take_all(&e->queue);

	if (atomic_exchange(&e->held, false))
		prometheus_http_wake(e->http);
	return all;
}

bool prometheus_finished(const struct prometheus *e)
{
	return atomic_load(&e->finished);
}

void prometheus_focus(struct prometheus *e, const char *device)
{
	pthread_mutex_lock(&e->lock);
	(void)str_copy(e->focus, sizeof(e->focus), device ? device : "");
	pthread_mutex_unlock(&e->lock);
	prometheus_http_wake(e->http);
}

void prometheus_leave(struct prometheus *e, const char *device, bool on)
{
	int at = plan_find(e->plan, device);

	if (at < 0)
		return;
	pthread_mutex_lock(&e->lock);
	e->left[at] = on;
	pthread_mutex_unlock(&e->lock);
}

void prometheus_at(struct prometheus *e, int64_t t_us)
{
	pthread_mutex_lock(&e->lock);
	e->moment_t = t_us;
	e->moment_wanted = true;
	pthread_mutex_unlock(&e->lock);
	prometheus_http_wake(e->http);
}

bool prometheus_moment(struct prometheus *e, int64_t *t_us, struct obs **out, struct err *err)
{
	bool ready;

	pthread_mutex_lock(&e->lock);
	ready = e->moment.ready;
	if (ready) {
		*t_us = e->moment.t_us;
		*out = e->moment.obs;
		if (!e->moment.obs && err)
			*err = e->moment.err;
		e->moment.obs = NULL;
		e->moment.ready = false;
	}
	pthread_mutex_unlock(&e->lock);
	return ready;
}

bool prometheus_stop(struct prometheus *e)
{
	struct obs *next;

	if (e->started) {
		atomic_store(&e->stop, true);
		prometheus_http_wake(e->http);
		(void)pthread_join(e->thread, NULL);
	}
	prometheus_round_drop(e);
	prometheus_http_close(e->http);
	for (size_t i = 0; i < e->shards.n; i++)
		prometheus_shard_free(&e->shards.at[i]);
	vec_free(&e->shards);
	prometheus_shard_free(&e->focused);
	prometheus_shard_free(&e->past);
	for (struct obs *o = e->moment.obs; o; o = next) {
		next = o->next;
		obs_free(o);
	}
	prometheus_span_free(e);
	queue_free(&e->queue);
	series_index_free(e->book);
	pthread_mutex_destroy(&e->lock);
	free(e->left);
	free(e->past_done);
	free(e);
	return true;
}
