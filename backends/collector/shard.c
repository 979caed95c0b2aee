/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/shard.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "backends/transport/crypto_begin.h"
#include "backends/transport/descriptors.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

/* Handshakes at a time: each costs half a millisecond of processor on both sides. */
#define CONNECTING_MOST 64

uint32_t shard_random(struct shard *s)
{
	/* xorshift32: good enough for jitter. */
	s->random ^= s->random << 13;
	s->random ^= s->random >> 17;
	s->random ^= s->random << 5;
	return s->random;
}

/* ---- waking the main thread ---- */

static void wake_main(struct shard *s)
{
	const struct collector_opts *o = &s->collector->opts;

	/* After collector_stop() began, ctx may be freed soon. */
	if (o->wake && !atomic_load(&s->collector->stop))
		o->wake(o->ctx);
}

static void on_wake(uv_timer_t *t)
{
	struct shard *s = t->data;

	if (queue_wake_due(&s->collector->queue, clock_mono(&clock_system)))
		wake_main(s);
}

void shard_push(struct shard *s, struct obs *o)
{
	int64_t wait = queue_push(&s->collector->queue, o, clock_mono(&clock_system));

	if (wait == 0)
		wake_main(s);
	else if (wait > 0)
		(void)uv_timer_start(&s->wake, on_wake, (uint64_t)(wait / CLOCK_MSEC + 1), 0);
}

/* ---- pacing of handshakes ---- */

static void connect_next(struct shard *s)
{
	struct device_poller *p;

	while (!s->stopping && s->connecting < CONNECTING_MOST && s->queue_first) {
		p = s->queue_first;
		s->queue_first = p->next_queued;
		if (!s->queue_first)
			s->queue_last = NULL;
		s->connecting++;
		p->state = POLLER_CONNECTING;
		device_poller_connect(p);
	}
}

void shard_connect(struct device_poller *p)
{
	struct shard *s = p->shard;

	p->state = POLLER_QUEUED;
	p->next_queued = NULL;
	if (s->queue_last)
		s->queue_last->next_queued = p;
	else
		s->queue_first = p;
	s->queue_last = p;
	connect_next(s);
}

void shard_connect_ended(struct device_poller *p)
{
	p->shard->connecting--;
	/* The loop starts the next one, because this may run deep inside a connect(). */
	uv_async_send(&p->shard->async);
}

/* ---- pacing of polls ---- */

/* The main thread applies a few hundred megabytes a second; more would only fill memory. */
static bool is_full(struct shard *s)
{
	struct collector *c = s->collector;

	if (!queue_is_full(&c->queue))
		return false;
	/* Wake at once, without waiting for the next second: the poll waits for the main thread. */
	if (!atomic_exchange(&c->holding, true))
		wake_main(s);
	/* A drain in between did not see the flag. */
	return queue_is_full(&c->queue);
}

static bool may_ask(struct shard *s)
{
	return s->asking < s->pace.most && !is_full(s);
}

bool shard_may_ask(struct device_poller *p)
{
	struct shard *s = p->shard;

	if (p == s->focused || p == s->let_in || (!p->held && !s->held_first && may_ask(s)))
		return true;
	if (p->held)
		return false;
	p->held = true;
	p->next_held = NULL;
	if (s->held_last)
		s->held_last->next_held = p;
	else
		s->held_first = p;
	s->held_last = p;
	return false;
}

void shard_asked(struct shard *s)
{
	s->asking--;
	if (s->held_first && !s->stopping)
		uv_async_send(&s->async);
}

static void ask_next(struct shard *s)
{
	struct device_poller *p;

	while (!s->stopping && s->held_first && may_ask(s)) {
		p = s->held_first;
		s->held_first = p->next_held;
		if (!s->held_first)
			s->held_last = NULL;
		p->held = false;
		s->let_in = p;
		device_poller_go_on(p);
		s->let_in = NULL;
	}
}

/* ---- requests of the main thread ---- */

/* Closes what shard_start() opens. */
static void close_own(struct shard *s)
{
	for (int k = 0; k < TRANSPORT_COUNT; k++)
		transport_of((enum transport_kind)k)->shard_close(s->transports[k]);
	uv_close((uv_handle_t *)&s->wake, NULL);
	uv_close((uv_handle_t *)&s->async, NULL);
}

static void shard_shut(struct shard *s)
{
	s->stopping = true;
	for (unsigned i = 0; i < s->n; i++)
		device_poller_stop(&s->pollers[i]);
	close_own(s);
	local_files_stop(s);
	remote_sources_stop(s);
}

static void take_requests(struct shard *s)
{
	struct collector *c = s->collector;
	struct device_poller *focused = NULL;

	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < s->n; i++) {
		struct device_poller *p = &s->pollers[i];

		if (c->focus[0] && str_eq(p->device->name, c->focus))
			focused = p;
		if (p->asked_now)
			device_poller_now(p);
		p->asked_now = false;
		job_queries_switch(p, p->jobs_on);
	}
	pthread_mutex_unlock(&c->lock);
	if (focused == s->focused)
		return;
	if (s->focused)
		device_poller_focus(s->focused, false);
	s->focused = focused;
	if (focused)
		device_poller_focus(focused, true);
}

static void on_async(uv_async_t *a)
{
	struct shard *s = a->data;

	if (s->stopping)
		return;
	if (atomic_load(&s->collector->stop)) {
		shard_shut(s);
		return;
	}
	if (atomic_exchange(&s->wishes, false))
		take_requests(s);
	connect_next(s);
	ask_next(s);
}

/* ---- the thread ---- */

static void run_to_end(struct shard *s)
{
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	if (uv_loop_close(&s->loop) != 0)
		log_line("collector", "a loop had handles left at its end");
}

static void *shard_thread(void *arg)
{
	struct shard *s = arg;
	int64_t now = clock_mono(&clock_system);

	for (unsigned i = 0; i < s->n; i++)
		device_poller_start(&s->pollers[i], now);
	local_files_start(s);
	remote_sources_start(s);
	run_to_end(s);
	return NULL;
}

/*
 * Fills the set of signals to block. The main thread handles signals, except those of a thread's
 * own faults: blocked, these would end the process without calling a handler.
 */
static void signals_of_shard(sigset_t *set)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};

	sigfillset(set);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		sigdelset(set, own[i]);
}

bool shard_start(struct shard *s, struct err *err)
{
	sigset_t blocked, before;
	int rc;

	crypto_begin();
	if (!descriptors_loop(&s->loop, err))
		return false;
	(void)uv_async_init(&s->loop, &s->async, on_async);
	s->async.data = s;
	(void)uv_timer_init(&s->loop, &s->wake);
	s->wake.data = s;
	for (int k = 0; k < TRANSPORT_COUNT; k++)
		s->transports[k] = transport_of((enum transport_kind)k)->shard_open(&s->loop);
	signals_of_shard(&blocked);
	pthread_sigmask(SIG_SETMASK, &blocked, &before);
	rc = pthread_create(&s->thread, NULL, shard_thread, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->running = rc == 0;
	if (s->running)
		return true;
	close_own(s);
	run_to_end(s);
	return err_set(err, ERR_IO, "collector", "no thread: %s", strerror(rc));
}
