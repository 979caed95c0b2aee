/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "app/discover/discover.h"
#include "backends/collector/collector.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

static char *copy_or_null(const char *s)
{
	return s ? mem_strdup(s) : NULL;
}

static void plan_from(const struct discover_opts *opts, const struct found *f, const char *address,
	struct plan_device *d)
{
	const struct plan_device *a = &opts->access;

	(void)str_copy(d->name, sizeof(d->name), f->name);
	d->tier = f->tier;
	d->rail = -1;
	d->dialect = mem_strdup(f->dialect[0] ? f->dialect : "linux");
	d->transport = mem_strdup("ssh");
	d->address = mem_strdup(address);
	d->port = a->port;
	d->user = copy_or_null(a->user);
	d->identity = copy_or_null(a->identity);
	d->ssh_config = copy_or_null(a->ssh_config);
	d->known_hosts = copy_or_null(a->known_hosts);
	d->jump = copy_or_null(a->jump);
	d->interval_us = CLOCK_SEC / 10; /* devices are spread over it; each is asked once */
}

struct asking {
	struct plan plan;
	VEC(size_t) which; /* device n of the plan is this one of the discovery */
	struct collector *collector;
};

static void wake_caller(void *ctx)
{
	(void)sem_post(ctx);
}

struct asking *asking_start(const struct discover_opts *opts, const struct discovery *d,
	const struct asked *which, size_t n, const struct backend_ops *ops, sem_t *woken,
	struct err *err)
{
	struct asking *a = mem_calloc(1, sizeof(*a));
	struct collector_opts copts = {.threads = opts->threads,
		.wake = wake_caller,
		.ctx = woken,
		.publish_us = CLOCK_MSEC * 20,
		.once = true,
		.ops = ops};

	plan_init(&a->plan);
	for (size_t i = 0; i < n; i++) {
		plan_from(opts, &d->devices.at[which[i].device], which[i].address,
			vec_add(&a->plan.devices));
		vec_push(&a->which, which[i].device);
	}
	a->collector = collector_start(&a->plan, &copts, err);
	if (a->collector)
		return a;
	(void)asking_end(a);
	return NULL;
}

bool asking_take(
	struct asking *a, void (*each)(void *ctx, size_t device, const struct obs *o), void *ctx)
{
	/* First: what is in the queue when it has finished is all. */
	bool finished = collector_finished(a->collector);
	struct obs *o = collector_drain(a->collector);

	while (o) {
		struct obs *next = o->next;
		int at = plan_find(&a->plan, o->device);

		if (at >= 0)
			each(ctx, a->which.at[at], o);
		obs_free(o);
		o = next;
	}
	return finished;
}

bool asking_end(struct asking *a)
{
	bool ended = !a->collector || collector_stop(a->collector);

	if (!ended)
		return false; /* the thread still uses the plan */
	plan_free(&a->plan);
	vec_free(&a->which);
	free(a);
	return true;
}
