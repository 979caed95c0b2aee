/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/manager/executor.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "actions/manager/executor_private.h"
#include "backends/transport/descriptors.h"
#include "base/clock_track.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * The longest wait for the thread: a run in progress may need its deadlines to reconnect, settle
 * and undo.
 */
#define JOIN_S (15L * 60)

int64_t executor_now(const struct action_executor *a)
{
	return a->o.clock == &clock_system ? clock_session() : clock_wall(a->o.clock);
}

int64_t executor_wall(const struct action_executor *a)
{
	return clock_wall(a->o.clock);
}

/* ---- queues ---- */

struct executor_event *executor_event_new(enum executor_event_kind kind)
{
	struct executor_event *e = mem_calloc(1, sizeof(*e));

	e->kind = kind;
	return e;
}

void executor_event_free(struct executor_event *e)
{
	facts_free(&e->facts);
	free(e);
}

void executor_tell(struct action_executor *a, struct executor_event *e)
{
	struct executor_event **at;

	pthread_mutex_lock(&a->lock);
	for (at = &a->events; *at; at = &(*at)->next)
		;
	*at = e;
	pthread_mutex_unlock(&a->lock);
	if (a->o.wake)
		a->o.wake(a->o.ctx);
}

void executor_note(struct action_executor *a, enum plan_tone tone, const char *fmt, ...)
{
	struct executor_event *e = executor_event_new(EXECUTOR_NOTE);
	char text[2048];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)str_sanitise(e->text, sizeof(e->text), text, strlen(text));
	e->tone = tone;
	executor_tell(a, e);
}

struct executor_event *executor_take(struct action_executor *a)
{
	struct executor_event *all;

	pthread_mutex_lock(&a->lock);
	all = a->events;
	a->events = NULL;
	pthread_mutex_unlock(&a->lock);
	return all;
}

static void job_add(struct action_executor *a, const struct executor_job *job)
{
	struct executor_job *copy = mem_alloc(sizeof(*copy)), **at;

	*copy = *job;
	copy->next = NULL;
	pthread_mutex_lock(&a->lock);
	for (at = &a->jobs; *at; at = &(*at)->next)
		;
	*at = copy;
	pthread_mutex_unlock(&a->lock);
	(void)uv_async_send(&a->async);
}

static struct executor_job *job_take(struct action_executor *a)
{
	struct executor_job *job;

	pthread_mutex_lock(&a->lock);
	job = a->jobs;
	if (job)
		a->jobs = job->next;
	pthread_mutex_unlock(&a->lock);
	return job;
}

void executor_look(struct action_executor *a, unsigned turn, const struct plan_device *d,
	const struct order *o)
{
	struct executor_job job = {.kind = JOB_LOOK, .turn = turn, .device = d, .order = *o};

	job_add(a, &job);
}

void executor_count(struct action_executor *a, unsigned turn, const struct plan_device *d)
{
	struct executor_job job = {.kind = JOB_COUNT, .turn = turn, .device = d};

	job_add(a, &job);
}

void executor_run(struct action_executor *a, const struct plan_device *d, const struct order *look,
	const struct act_plan *plan, const struct consent *c, const char *snapshot,
	const char *snapshot_sha256, const char *undoes)
{
	struct executor_job job = {.kind = JOB_RUN, .device = d, .order = *look, .plan = plan};

	job.consent = *c;
	(void)str_copy(job.snapshot, sizeof(job.snapshot), snapshot);
	(void)str_copy(job.sha256, sizeof(job.sha256), snapshot_sha256);
	(void)str_copy(job.undoes, sizeof(job.undoes), undoes ? undoes : "");
	/* The run does not wait for a look in progress, which may hang on a dead connection. */
	atomic_store(&a->due, true);
	job_add(a, &job);
}

void executor_write(struct action_executor *a, enum ledger_event e, const char *act, json_t *detail)
{
	struct executor_job job = {.kind = JOB_WRITE, .event = e, .detail = detail};

	(void)str_copy(job.act, sizeof(job.act), act);
	job_add(a, &job);
}

void executor_leave(struct action_executor *a)
{
	struct executor_job job = {.kind = JOB_LEAVE};

	atomic_store(&a->leave, true);
	job_add(a, &job);
}

/* ---- time ---- */

bool executor_given_up(const struct action_executor *a)
{
	return !atomic_load(&a->acting) && (atomic_load(&a->stop) || atomic_load(&a->leave));
}

/* Stops the loop so that the waiting function checks its condition: uv_run() alone would go on. */
static void on_timer(uv_timer_t *t)
{
	uv_stop(t->loop);
}

static void on_async(uv_async_t *h)
{
	uv_stop(h->loop);
}

bool executor_wait(struct action_executor *a, const bool *flag, int64_t us)
{
	int64_t end = clock_mono(&clock_system) + us, left;
	bool yields = false;

	while (!(flag && *flag) && !executor_given_up(a)) {
		left = end - clock_mono(&clock_system);
		if (!yields && atomic_load(&a->due) && left > EXECUTOR_YIELD_US) {
			left = EXECUTOR_YIELD_US;
			end = clock_mono(&clock_system) + left;
		}
		yields = yields || atomic_load(&a->due);
		if (left <= 0)
			break;
		uv_update_time(&a->loop);
		(void)uv_timer_start(&a->timer, on_timer, (uint64_t)(left / CLOCK_MSEC), 0);
		(void)uv_run(&a->loop, UV_RUN_DEFAULT);
	}
	(void)uv_timer_stop(&a->timer);
	return flag && *flag;
}

void executor_pause(struct action_executor *a, int64_t us)
{
	(void)executor_wait(a, NULL, a->o.hurry ? us / a->o.hurry : us);
}

int64_t executor_deadline(const struct action_executor *a, int64_t us)
{
	if (a->o.patience)
		return us / a->o.patience;
	return a->o.hurry ? us / 10 : us;
}

/* ---- jobs ---- */

static void copy_facts(struct facts *to, const struct facts *from)
{
	for (size_t i = 0; i < from->at.n; i++)
		facts_set(to, from->at.at[i].name, from->at.at[i].text);
}

static void do_look(struct action_executor *a, const struct executor_job *job)
{
	struct executor_event *e = executor_event_new(EXECUTOR_SAW);

	e->turn = job->turn;
	if (executor_connect(a, job->device, &e->err) &&
		executor_see(a, &job->order, &e->condition, &e->err)) {
		copy_facts(&e->facts, &a->at.facts);
		ledger_facts(a->o.ledger, a->o.who, job->device->name, job->order.port, NULL,
			executor_wall(a), &e->ledger);
	} else {
		e->kind = EXECUTOR_FAILED;
	}
	executor_tell(a, e);
}

static void do_count(struct action_executor *a, const struct executor_job *job)
{
	struct executor_event *e = executor_event_new(EXECUTOR_SAW);

	e->turn = job->turn;
	condition_init(&e->condition);
	e->condition.at_us = executor_now(a);
	e->condition.wall_us = executor_wall(a);
	ledger_facts(
		a->o.ledger, a->o.who, job->device->name, "", NULL, executor_wall(a), &e->ledger);
	executor_tell(a, e);
}

static void do_write(struct action_executor *a, const struct executor_job *job)
{
	struct ledger_opts o = {.path = a->o.ledger, .clock = a->o.clock};
	struct err err = {0};
	struct ledger *l = ledger_open(&o, a->o.who, &err);

	if (!l || !ledger_append(l, job->event, job->act, json_incref(job->detail), &err))
		executor_note(a, TONE_WARN, "the ledger lacks \"%s\": %s",
			ledger_event_name(job->event), err.text);
	ledger_close(l);
}

static void job_do(struct action_executor *a, struct executor_job *job)
{
	switch (job->kind) {
	case JOB_LOOK:
		do_look(a, job);
		break;
	case JOB_COUNT:
		do_count(a, job);
		break;
	case JOB_RUN:
		atomic_store(&a->due, false);
		run_plan(a, job);
		break;
	case JOB_WRITE:
		do_write(a, job);
		break;
	case JOB_LEAVE:
		atomic_store(&a->leave, false);
		executor_disconnect(a);
		break;
	}
	json_decref(job->detail);
	free(job);
}

/* ---- the thread ---- */

/* Closes all that the loop has; executor_free() takes the loop itself. */
static void close_loop(struct action_executor *a)
{
	for (int k = 0; k < TRANSPORT_COUNT; k++)
		if (a->shards[k])
			a->o.transport((enum transport_kind)k)->shard_close(a->shards[k]);
	uv_close((uv_handle_t *)&a->async, NULL);
	uv_close((uv_handle_t *)&a->timer, NULL);
	while (uv_run(&a->loop, UV_RUN_DEFAULT) != 0)
		;
}

static void *executor_main(void *ctx)
{
	struct action_executor *a = ctx;
	struct executor_job *job;

	for (;;) {
		/* Jobs queued before the stop still get their answer or their ledger line. */
		while ((job = job_take(a)))
			job_do(a, job);
		if (atomic_load(&a->stop))
			break;
		(void)uv_run(&a->loop, UV_RUN_DEFAULT);
	}
	executor_disconnect(a);
	close_loop(a);
	pthread_mutex_lock(&a->lock);
	a->ended = true;
	pthread_cond_signal(&a->end);
	pthread_mutex_unlock(&a->lock);
	return NULL;
}

static void executor_free(struct action_executor *a)
{
	struct executor_event *e;

	for (e = a->events; e; e = a->events) {
		a->events = e->next;
		executor_event_free(e);
	}
	(void)uv_loop_close(&a->loop);
	(void)pthread_cond_destroy(&a->end);
	(void)pthread_mutex_destroy(&a->lock);
	free(a);
}

struct action_executor *executor_start(const struct action_executor_opts *o, struct err *err)
{
	struct action_executor *a = mem_calloc(1, sizeof(*a));
	pthread_condattr_t monotonic;
	int rc;

	if (!descriptors_loop(&a->loop, err)) {
		free(a);
		return NULL;
	}
	a->o = *o;
	if (!a->o.transport)
		a->o.transport = transport_of;
	(void)pthread_mutex_init(&a->lock, NULL);
	(void)pthread_condattr_init(&monotonic);
	(void)pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&a->end, &monotonic);
	(void)pthread_condattr_destroy(&monotonic);
	(void)uv_timer_init(&a->loop, &a->timer);
	(void)uv_async_init(&a->loop, &a->async, on_async);
	rc = pthread_create(&a->thread, NULL, executor_main, a);
	if (rc == 0)
		return a;
	(void)err_set(err, ERR_IO, "actions", "no thread can be started: %s", strerror(rc));
	close_loop(a);
	executor_free(a);
	return NULL;
}

static bool await_end(struct action_executor *a)
{
	struct timespec until;
	bool ended;
	int rc = 0;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += JOIN_S;
	pthread_mutex_lock(&a->lock);
	while (!a->ended && rc == 0)
		rc = pthread_cond_timedwait(&a->end, &a->lock, &until);
	ended = a->ended;
	pthread_mutex_unlock(&a->lock);
	return ended;
}

void executor_stop(struct action_executor *a)
{
	if (!a)
		return;
	atomic_store(&a->stop, true);
	(void)uv_async_send(&a->async);
	if (!await_end(a)) {
		/* A library hangs: the thread may still use all of this. */
		log_line("actions", "the action thread did not end in time");
		return;
	}
	(void)pthread_join(a->thread, NULL);
	executor_free(a);
}
