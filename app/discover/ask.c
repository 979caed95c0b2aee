/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

#include "app/discover/discover.h"
#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define LOOK_EVERY_US (CLOCK_SEC / 5)

static char *copy_or_null(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

static void plan_from(
	const struct discover_opts *opts, const struct found *f, struct plan_device *d)
{
	const struct plan_device *a = &opts->access;

	(void)str_copy(d->name, sizeof(d->name), f->name);
	d->tier = f->tier;
	d->rail = -1;
	d->dialect = mem_strdup(f->dialect[0] ? f->dialect : "linux");
	d->transport = mem_strdup("ssh");
	d->address = mem_strdup(f->address);
	d->port = a->port;
	d->user = copy_or_null(a->user);
	d->identity = copy_or_null(a->identity);
	d->ssh_config = copy_or_null(a->ssh_config);
	d->known_hosts = copy_or_null(a->known_hosts);
	d->interval_us = 3600 * CLOCK_SEC;
}

static void wake_caller(void *ctx)
{
	(void)sem_post(ctx);
}

static void wait_for(sem_t *s)
{
	struct timespec until;
	int64_t at = clock_wall(&clock_system) + LOOK_EVERY_US;

	until.tv_sec = (time_t)(at / CLOCK_SEC);
	until.tv_nsec = (long)(at % CLOCK_SEC) * 1000;
	while (sem_timedwait(s, &until) != 0 && errno == EINTR)
		;
}

struct asking {
	const struct discovery *d;
	const size_t *which;
	size_t n;
	void (*each)(void *ctx, size_t device, const struct obs *o);
	void *ctx;
	struct plan plan; /* device n of this plan is device which[n] of d */
};

static void deliver_batches(const struct asking *a, struct obs *batches)
{
	while (batches) {
		struct obs *next = batches->next;
		int at = plan_find(&a->plan, batches->device);

		if (at >= 0)
			a->each(a->ctx, a->which[at], batches);
		obs_free(batches);
		batches = next;
	}
}

/* *left: a thread did not end and still uses the plan. */
static bool run_collector(const struct discover_opts *opts, const struct asking *a,
	const struct backend_ops *ops, bool *left, struct err *err)
{
	/* Allocated: a thread that did not end may still post it. */
	sem_t *woken = mem_calloc(1, sizeof(*woken));
	struct collector_opts copts = {.threads = opts->threads,
		.wake = wake_caller,
		.ctx = woken,
		.once = true,
		.ops = ops};
	int64_t end = clock_mono(&clock_system) + opts->round_us;
	struct collector *c;
	bool finished;

	(void)sem_init(woken, 0, 0);
	c = collector_start(&a->plan, &copts, err);
	if (c) {
		do {
			wait_for(woken);
			finished = collector_finished(c) || clock_mono(&clock_system) > end;
			deliver_batches(a, collector_drain(c));
			if (opts->progress)
				opts->progress(
					opts->ctx, a->d, ops ? "probing" : "asking neighbours");
		} while (!finished);
	}
	*left = !collector_stop(c);
	if (!*left) {
		(void)sem_destroy(woken);
		free(woken);
	}
	return c != NULL;
}

bool discover_ask(const struct discover_opts *opts, const struct discovery *d, const size_t *which,
	size_t n, const struct backend_ops *ops,
	void (*each)(void *ctx, size_t device, const struct obs *o), void *ctx, struct err *err)
{
	struct asking a = {.d = d, .which = which, .n = n, .each = each, .ctx = ctx};
	bool ok, left;

	plan_init(&a.plan);
	for (size_t i = 0; i < n; i++)
		plan_from(opts, &d->devices.at[which[i]], vec_add(&a.plan.devices));
	ok = run_collector(opts, &a, ops, &left, err);
	if (!left)
		plan_free(&a.plan);
	return ok;
}
