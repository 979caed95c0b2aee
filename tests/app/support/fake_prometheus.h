/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_APP_SUPPORT_FAKE_PROMETHEUS_H
#define TESTS_APP_SUPPORT_FAKE_PROMETHEUS_H

#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/prometheus.h"
#include "base/str.h"

/*
 * A metrics engine for tests that asks no server. It returns the batches it was given, and notes
 * the calls it receives. It defines the functions that backends/prometheus/prometheus.h declares.
 * So one file of a test program includes it, and the program must not link the real engine. All
 * calls are on the test's thread.
 */

static struct prometheus {
	struct prometheus_opts opts;
	struct obs *first, *last, *moment;
	int64_t asked_us, moment_us;
	struct err why;
	bool runs, asked, answered;
	char told[512], was[512];
} fake;

static void tell(const char *what, const char *device, const char *how)
{
	size_t n = strlen(fake.told);

	(void)str_printf(fake.told + n, sizeof(fake.told) - n, "%s %s%s; ", what,
		device ? device : "-", how);
}

/* "focus leaf-1; leave leaf-1 on; ..." since the last call. */
static inline const char *fake_engine_told(void)
{
	(void)str_copy(fake.was, sizeof(fake.was), fake.told);
	fake.told[0] = '\0';
	return fake.was;
}

static void wake(void)
{
	if (fake.runs)
		fake.opts.wake(fake.opts.ctx);
}

/* Waits to be drained, and wakes; takes o over. */
static inline void fake_engine_gives(struct obs *o)
{
	o->next = NULL;
	if (fake.last)
		fake.last->next = o;
	else
		fake.first = o;
	fake.last = o;
	wake();
}

static inline bool fake_engine_runs(void)
{
	return fake.runs;
}

/* prometheus_at() was called since. */
static inline bool fake_engine_asked(int64_t *t_us)
{
	bool asked = fake.asked;

	*t_us = fake.asked_us;
	fake.asked = false;
	return asked;
}

/* The answer to prometheus_at(): two moments, or why not; o may be NULL. Wakes. */
static inline void fake_engine_moment(int64_t t_us, struct obs *o, const struct err *err)
{
	fake.moment_us = t_us;
	fake.moment = o;
	fake.why = err ? *err : (struct err){0};
	fake.answered = true;
	wake();
}

/* ---- as backends/prometheus/prometheus.h ---- */

struct prometheus *prometheus_start(const struct plan *plan, const struct prometheus_map *map,
	const struct prometheus_opts *opts, struct err *err)
{
	(void)map;
	if (strstr(plan->engine.url, "refused")) {
		err_set(err, ERR_CONFIG, plan->engine.source, "credentials cannot be read");
		return NULL;
	}
	fake = (struct prometheus){.opts = *opts, .runs = true};
	return &fake;
}

struct obs *prometheus_drain(struct prometheus *e)
{
	struct obs *all = e->first;

	e->first = e->last = NULL;
	return all;
}

bool prometheus_finished(const struct prometheus *e)
{
	return e->opts.once;
}

void prometheus_focus(struct prometheus *e, const char *device)
{
	(void)e;
	tell("focus", device, "");
}

void prometheus_leave(struct prometheus *e, const char *device, bool on)
{
	(void)e;
	tell("leave", device, on ? " on" : " off");
}

void prometheus_at(struct prometheus *e, int64_t t_us)
{
	e->asked = true;
	e->asked_us = t_us;
}

bool prometheus_moment(struct prometheus *e, int64_t *t_us, struct obs **out, struct err *err)
{
	if (!e->answered)
		return false;
	e->answered = false;
	*t_us = e->moment_us;
	*out = e->moment;
	*err = e->why;
	e->moment = NULL;
	return true;
}

bool prometheus_stop(struct prometheus *e)
{
	while (e->first) {
		struct obs *next = e->first->next;

		obs_free(e->first);
		e->first = next;
	}
	while (e->moment) {
		struct obs *next = e->moment->next;

		obs_free(e->moment);
		e->moment = next;
	}
	*e = (struct prometheus){.runs = false};
	return true;
}

#endif
