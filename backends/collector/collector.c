/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/collector.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "backends/collector/shard.h"
#include "backends/transport/descriptors.h"
#include "backends/transport/proxy_jump.h"
#include "backends/contract/target.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Enough for an overloaded machine to finish. It is also the longest wait of the operator at exit
 * when an ssh-agent hangs.
 */
#define JOIN_TIMEOUT_S 5

static atomic_bool lives_on;

/* Checks the configuration of a device before any connection. */
static bool device_poller_prepare(
	struct collector *c, struct device_poller *p, unsigned i, struct err *err)
{
	const struct plan_device *d = &c->plan->devices.at[i];
	const char *origin = d->source[0] ? d->source : d->name;

	p->device = d;
	schedule_init(&p->schedule, d, i, (unsigned)c->plan->devices.n);
	p->schedule.once = c->opts.once;
	/* It is never polled: only the index is used. */
	if (d->by_engine && (!d->transport || c->opts.once))
		return true;
	c->asked++;
	p->ops = c->opts.ops ? c->opts.ops : backend_by_name(d->dialect);
	if (!p->ops) {
		err_set(err, ERR_CONFIG, origin, "device %s: unknown dialect \"%s\"", d->name,
			d->dialect ? d->dialect : "");
		return err_cure(err, "use one of %s", backend_names());
	}
	if (p->ops->medium_may_wait)
		schedule_medium_waits(&p->schedule, d);
	if (!target_from_plan(&p->target, c->plan, d, p->ops, err))
		return false;
	p->transport = transport_of(p->target.transport);
	if (d->credentials && d->credentials[0]) {
		p->credential = credentials_get(c->credentials, d->credentials, origin, err);
		if (!p->credential)
			return false;
	}
	return true;
}

/* Each thread gets every n-th device, so that each has a mix of kinds. */
static bool shard_fill(struct collector *c, unsigned k, struct err *err)
{
	struct shard *s = &c->shards[k];
	unsigned total = (unsigned)c->plan->devices.n;

	s->collector = c;
	pace_init(&s->pace, c->opts.rounds);
	s->random = ((uint32_t)clock_wall(&clock_system) ^ (k << 24)) | 1;
	s->shelf = answer_shelf_new(ANSWER_CACHE_MOST / c->n);
	s->pollers = mem_calloc(total / c->n + 1, sizeof(*s->pollers));
	for (unsigned i = k; i < total; i += c->n) {
		struct device_poller *p = &s->pollers[s->n++];

		p->shard = s;
		/*
		 * Devices covered by an engine are polled only under the cursor: too briefly for a
		 * lesson.
		 */
		if (!c->opts.once && !c->plan->devices.at[i].by_engine)
			p->decode.shelf = s->shelf;
		p->decode.lost = &c->queue.lost;
		if (!device_poller_prepare(c, p, i, err))
			return false;
		p->decode.every_us = p->schedule.every_us[POLL_FAST];
	}
	return true;
}

static void collector_free(struct collector *c)
{
	for (unsigned k = 0; k < c->n; k++) {
		for (unsigned i = 0; i < c->shards[k].n; i++) {
			vec_free(&c->shards[k].pollers[i].duties);
			decode_free(&c->shards[k].pollers[i].decode);
		}
		answer_shelf_free(c->shards[k].shelf);
		free(c->shards[k].pollers);
		free(c->shards[k].locals);
		free(c->shards[k].remotes);
	}
	free(c->shards);
	queue_free(&c->queue);
	credentials_free(c->credentials);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

unsigned collector_threads(size_t devices, long processors)
{
	size_t n = 1 + devices / COLLECTOR_SHARE;

	if (n > COLLECTOR_THREADS)
		n = COLLECTOR_THREADS;
	if (processors > 1 && n > (size_t)processors - 1)
		n = (size_t)processors - 1;
	return processors > 1 ? (unsigned)n : 1;
}

static size_t asked_devices(const struct plan *p)
{
	size_t n = 0;

	for (size_t i = 0; i < p->devices.n; i++)
		n += !p->devices.at[i].by_engine;
	return n;
}

struct collector *collector_start(
	const struct plan *plan, const struct collector_opts *opts, struct err *err)
{
	struct collector *c = mem_calloc(1, sizeof(*c));

	c->plan = plan;
	c->opts = *opts;
	c->n = opts->threads;
	if (!c->n)
		c->n = collector_threads(asked_devices(plan), sysconf(_SC_NPROCESSORS_ONLN));
	c->shards = mem_calloc(c->n, sizeof(*c->shards));
	c->credentials = credentials_new();
	pthread_mutex_init(&c->lock, NULL);
	queue_init(&c->queue, opts->publish_us);
	for (unsigned k = 0; k < c->n; k++) {
		if (!shard_fill(c, k, err)) {
			collector_free(c);
			return NULL;
		}
	}
	if (!job_queries_prepare(c, err) || !remote_sources_prepare(c, err)) {
		collector_free(c);
		return NULL;
	}
	descriptors_raise();
	for (unsigned k = 0; k < c->n; k++) {
		if (!shard_start(&c->shards[k], err)) {
			collector_stop(c);
			return NULL;
		}
	}
	return c;
}

static void count_device(const struct device_poller *p, struct descriptors_for *n)
{
	/* Only the bastions in the inventory are known here. */
	bool behind = p->device->jump && !jump_is_none(p->device->jump);

	if (p->device->by_engine)
		return;
	if (p->target.transport == TRANSPORT_SSH) {
		n->ssh++;
		n->ssh_behind += behind;
	} else {
		n->https++;
		n->https_behind += behind;
	}
}

bool collector_descriptors(const struct collector *c, struct err *err)
{
	struct descriptors_for n = {.threads = COLLECTOR_THREADS};

	for (unsigned k = 0; k < c->n; k++)
		for (unsigned i = 0; i < c->shards[k].n; i++)
			count_device(&c->shards[k].pollers[i], &n);
	return descriptors_suffice(descriptors_needed(&n), c->plan->fabric, err);
}

struct obs *collector_drain(struct collector *c)
{
	struct obs *all = queue_take_all(&c->queue);

	if (atomic_exchange(&c->holding, false))
		for (unsigned k = 0; k < c->n; k++)
			uv_async_send(&c->shards[k].async);
	return all;
}

static void notify_shards(struct collector *c)
{
	for (unsigned k = 0; k < c->n; k++) {
		atomic_store(&c->shards[k].wishes, true);
		uv_async_send(&c->shards[k].async);
	}
}

void collector_lost(struct collector *c)
{
	atomic_fetch_add(&c->queue.lost, 1);
}

bool collector_finished(const struct collector *c)
{
	return c->opts.once && atomic_load(&c->finished) >= c->asked;
}

void collector_focus(struct collector *c, const char *device)
{
	pthread_mutex_lock(&c->lock);
	str_copy(c->focus, sizeof(c->focus), device ? device : "");
	pthread_mutex_unlock(&c->lock);
	notify_shards(c);
}

void collector_poll_now(struct collector *c, const char *device)
{
	pthread_mutex_lock(&c->lock);
	for (unsigned k = 0; k < c->n; k++)
		for (unsigned i = 0; i < c->shards[k].n; i++)
			if (!device || str_eq(c->shards[k].pollers[i].device->name, device))
				c->shards[k].pollers[i].asked_now = true;
	pthread_mutex_unlock(&c->lock);
	notify_shards(c);
}

void collector_jobs(struct collector *c, const char *device, bool on)
{
	int i = plan_find(c->plan, device);

	if (i < 0)
		return;
	pthread_mutex_lock(&c->lock);
	c->shards[(unsigned)i % c->n].pollers[(unsigned)i / c->n].jobs_on = on;
	pthread_mutex_unlock(&c->lock);
	notify_shards(c);
}

void collector_keep_raw(struct collector *c, const char *device, bool on)
{
	int i = plan_find(c->plan, device);

	if (i >= 0)
		atomic_store(
			&c->shards[(unsigned)i % c->n].pollers[(unsigned)i / c->n].keep_raw, on);
}

static bool join_until(pthread_t thread, const struct timespec *until)
{
	return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, until) == 0;
}

bool collector_lives_on(void)
{
	return atomic_load(&lives_on);
}

bool collector_stop(struct collector *c)
{
	struct timespec until;
	bool all = true;

	if (!c)
		return true;
	atomic_store(&c->stop, true);
	for (unsigned k = 0; k < c->n; k++)
		if (c->shards[k].running)
			uv_async_send(&c->shards[k].async);
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += JOIN_TIMEOUT_S;
	for (unsigned k = 0; k < c->n; k++) {
		struct shard *s = &c->shards[k];

		s->running = s->running && !join_until(s->thread, &until);
		all = all && !s->running;
	}
	if (all) {
		collector_free(c);
	} else { /* e.g. an ssh-agent hangs during a signature: the thread may still use all of this
		  */
		atomic_store(&lives_on, true);
		log_line("collector", "a collector thread did not end in time");
	}
	return all;
}
