/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/soak_account.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/* Events come once a minute, with the end of a poll. */
#define TOLD_WITHIN_US (90 * CLOCK_SEC)
/* Of intervals: two places of the grid, less the lateness of a timer. */
#define LATE 1.9

void soak_account_init(struct soak_account *a, const struct model *m)
{
	*a = (struct soak_account){.n = m->devices.n};
	a->devices = mem_calloc(a->n, sizeof(*a->devices));
}

void soak_account_free(struct soak_account *a)
{
	free(a->devices);
	a->devices = NULL;
	a->n = 0;
}

static void in_silence(
	struct soak_account *a, const struct device *d, struct soak_watched *w, uint64_t polls)
{
	(void)fprintf(stderr,
		"soak: %s (%s): %.1f s without counters; of %llu polls left out %llu were not "
		"told of%s\n",
		d->name, d->dialect, w->untold_gap_s, (unsigned long long)w->untold,
		(unsigned long long)polls, w->went ? ", it went away" : "");
	a->silent += polls;
	a->went += w->went ? polls : 0;
}

static void end_untold(
	struct soak_account *a, const struct device *d, struct soak_watched *w, uint64_t told)
{
	if (w->untold > told)
		in_silence(a, d, w, w->untold - told);
	w->untold = 0;
}

/* A later report does not count as one in time. */
static void expire(
	struct soak_account *a, const struct device *d, struct soak_watched *w, int64_t now_us)
{
	if (w->untold && now_us - w->untold_us > TOLD_WITHIN_US)
		end_untold(a, d, w, 0);
}

static void hear(
	struct soak_account *a, const struct device *d, struct soak_watched *w, uint64_t polls)
{
	a->told += polls;
	w->heard += polls > w->untold ? polls - w->untold : 0;
	end_untold(a, d, w, polls);
}

static void hear_events(struct soak_account *a, const struct model *m)
{
	const struct event *e;
	unsigned long long n;

	for (size_t i = 0; (e = model_event(m, i)) && e->seq > a->event_seq; i++) {
		if (e->kind != EV_POLLS_LEFT_OUT || e->device >= a->n ||
			sscanf(e->text, "%llu", &n) != 1)
			continue;
		hear(a, m->devices.at[e->device], &a->devices[e->device], n);
	}
	a->event_seq = m->event_seq;
}

/*
 * Counters came at counters_us and were asked for at asked_us. An answer that takes its time after
 * a quick one may be late by nearly an interval, and no poll was left out: then questions say it.
 */
static uint64_t missing(const struct soak_watched *w, const struct device *d, int64_t asked_us)
{
	int64_t every = d->interval_us, gap = d->counters_us - w->counters_us;
	uint64_t n, before;

	if (gap < 2 * every && (double)(asked_us - w->asked_us) <= LATE * (double)every)
		return 0;
	n = gap >= 2 * every ? (uint64_t)(gap / every) - 1 : 1;
	/* If the answers that these were among had all come, their report included these polls. */
	before = asked_us > w->counters_us ? (uint64_t)((asked_us - w->counters_us) / every) : 0;
	before = before < w->heard ? before : w->heard;
	return n > before ? n - before : 0;
}

static void miss(struct soak_account *a, const struct device *d, struct soak_watched *w,
	uint64_t polls, double gap_s)
{
	if (!polls)
		return;
	if (!w->untold) {
		w->untold_us = d->counters_us;
		w->untold_gap_s = gap_s;
		w->went = false;
	}
	w->untold += polls;
	if (!a->first[0])
		(void)str_printf(
			a->first, sizeof(a->first), "%s: %.1f s without counters", d->name, gap_s);
}

static void came(
	struct soak_account *a, const struct device *d, struct soak_watched *w, int64_t asked_us)
{
	int64_t gap_us = d->counters_us - w->counters_us;
	double gap_s = (double)gap_us / 1e6;

	if (w->counters_us && (double)gap_us > LATE * (double)d->interval_us) {
		a->gaps++;
		a->longest_s = fmax(a->longest_s, gap_s);
		if (!w->other && d->failures == w->failures)
			miss(a, d, w, missing(w, d, asked_us), gap_s);
	}
	w->counters_us = d->counters_us;
	w->asked_us = asked_us;
	w->failures = d->failures;
	w->heard = 0;
	w->other = false;
}

void soak_account_applied(struct soak_account *a, const struct model *m, const struct obs *o)
{
	const struct device *d = model_device(m, o->device);
	struct soak_watched *w;

	hear_events(a, m);
	if (!d || d->id >= a->n)
		return;
	w = &a->devices[d->id];
	expire(a, d, w, o->received_us);
	if (d->counters_us != w->counters_us)
		came(a, d, w, d->counters_us - o->took_us);
}

void soak_account_aged(struct soak_account *a, const struct model *m)
{
	for (size_t i = 0; i < a->n && i < m->devices.n; i++) {
		bool other = m->devices.at[i]->state != DEV_FRESH;

		a->devices[i].other |= other;
		a->devices[i].went |= other;
	}
	hear_events(a, m);
}

void soak_account_end(struct soak_account *a, const struct model *m, int64_t now_us)
{
	for (size_t i = 0; i < a->n && i < m->devices.n; i++)
		expire(a, m->devices.at[i], &a->devices[i], now_us);
}
