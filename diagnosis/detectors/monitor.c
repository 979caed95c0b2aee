/* SPDX-License-Identifier: Apache-2.0 */
/* Devices without current data, and devices with a misleading clock. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/vocabulary/need.h"

/*
 * Log times order the events. An hour of difference is daylight saving time; half a minute already
 * spoils the order of first events and the search for a change near an event (railtop's own).
 */
#define SKEW_US (INT64_C(30) * 1000000)
/* This many links, all of them dark, are no coincidence. */
#define DARK_LINKS 2

static const char *why_blind(const struct device *d)
{
	switch (d->state) {
	case DEV_UNREACHABLE:
		return "unreachable";
	case DEV_UNAUTHORISED:
		return "not authorised";
	case DEV_STALE:
		return "silent";
	case DEV_NOT_UNDERSTOOD:
		return "answers, but not in its dialect";
	case DEV_FRESH:
	case DEV_LATE:
		return device_blind(d) ? "answers without port counters" : NULL;
	default:
		return NULL;
	}
}

/* Links of the device that their other ends report as down. */
static unsigned dark_links(const struct model *m, const struct device *d, unsigned *lit)
{
	unsigned dark = 0;

	*lit = 0;
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *peer = port_peer(m, m->ports.at[d->ports.at[i]], NULL);
		enum dev_state state;

		if (!peer || !peer->seen)
			continue;
		state = model_dev_of(m, peer)->state;
		if (state != DEV_FRESH && state != DEV_LATE)
			continue;
		dark += peer->oper == OPER_DOWN && peer->admin != OPER_DOWN;
		*lit += peer->oper == OPER_UP;
	}
	return dark;
}

static void judge_blind(struct diag_run *r, const struct device *d)
{
	const char *why = why_blind(d);
	unsigned dark, lit;
	struct finding *f;
	char age[16];

	if (!why)
		return;
	f = diag_claim(r, FIND_BLIND, at_device(d->id));
	(void)str_age(d->last_ok_us ? r->now_us - d->last_ok_us : -1, age, sizeof(age));
	(void)finding_text(f, f->at, "last answer", d->last_ok_us ? age : "never", "poll");
	if (d->err->text[0])
		(void)finding_text(f, f->at, "error", d->err->text, "poll");
	finding_title(f, "%s: %s", d->name, why);
	if (d->state == DEV_FRESH || d->state == DEV_LATE)
		return;
	dark = dark_links(r->m, d, &lit);
	/* Nobody at the other ends is heard: that is no link that is up. */
	if (dark || lit)
		(void)finding_number(f, f->at, "its links that are down", dark, "", "0", "counter");
	else
		(void)finding_text(f, f->at, "its links",
			"unknown: no device at their other ends is seen", "counter");
	if (dark < DARK_LINKS || lit)
		return;
	f->role = ROLE_CULPRIT;
	f->severity = SEV_CRIT;
	finding_weigh(f, SIGNAL_FACT, 100);
	finding_title(f, "%s is unreachable: %s, and all of its %u link%s are down", d->name, why,
		dark, str_plural(dark));
}

static void judge_clock(struct diag_run *r, const struct device *d)
{
	struct finding *f;

	if (llabs(device_skew_us(r->m, d)) < SKEW_US || d->state != DEV_FRESH)
		return;
	f = diag_claim(r, FIND_CLOCK_SKEW, at_device(d->id));
	(void)finding_number(f, f->at, "device clock minus railtop's clock",
		(double)device_skew_us(r->m, d) / 1e6, "s", "within 30 s", "counter");
	finding_title(
		f, "%s: clock is wrong by %.0f s", d->name, (double)device_skew_us(r->m, d) / 1e6);
}

/* ---- sources of jobs ---- */

/* A source over all hosts that are asked. */
struct source {
	const char *need;
	unsigned ok, silent;
	const struct capability *first; /* of a host where it brings nothing, the worst one */
	uint32_t device;                /* of first; NOWHERE: no device is asked */
};
#define SOURCES 32
#define NOWHERE UINT32_MAX

static bool is_silent(const struct capability *c)
{
	return c->valid == VALID_DISABLED || c->valid == VALID_UNSUPPORTED;
}

static void count_source(
	struct source *all, unsigned *n, const struct capability *c, uint32_t device)
{
	unsigned i = 0;

	while (i < *n && !str_eq(all[i].need, c->need))
		i++;
	if (i == SOURCES)
		return;
	if (i == *n)
		all[(*n)++] = (struct source){.need = c->need, .device = NOWHERE};
	all[i].ok += c->valid == VALID_OK;
	all[i].silent += is_silent(c);
	if (!is_silent(c) || (all[i].first && (all[i].first->valid == VALID_UNSUPPORTED ||
						      c->valid == VALID_DISABLED)))
		return;
	all[i].first = c;
	all[i].device = device;
}

/*
 * A log or a dump is there only where a job runs. So a missing one counts only if no host has one;
 * a missing right or program counts at any host.
 */
static void judge_source(struct diag_run *r, const struct source *s)
{
	const char *name = s->need + strlen(NEED_JOB_SOURCE);
	struct ref at =
		s->device == NOWHERE ? (struct ref){.kind = REF_FABRIC} : at_device(s->device);
	struct finding *f;
	char text[200];

	if (!s->first || (s->ok && s->first->valid == VALID_DISABLED))
		return;
	f = diag_claim(r, FIND_JOB_SOURCE, at);
	(void)finding_text(f, f->at, name, s->first->cure, "poll");
	if (s->device == NOWHERE) {
		finding_title(f, "job source %s brings nothing", name);
		return;
	}
	(void)str_printf(text, sizeof(text), "%u, it brings data on %u", s->silent, s->ok);
	(void)finding_text(f, f->at, "hosts on which it brings nothing", text, "poll");
	finding_title(f, "job source %s brings nothing on %s%s", name,
		r->m->devices.at[s->device]->name, s->silent > 1 ? " and others" : "");
}

static void judge_sources(struct diag_run *r)
{
	struct source all[SOURCES];
	unsigned n = 0;

	for (size_t i = 0; i < r->m->sources.n; i++)
		count_source(all, &n, &r->m->sources.at[i], NOWHERE);
	for (size_t i = 0; i < r->m->devices.n; i++) {
		const struct device *d = r->m->devices.at[i];

		for (size_t k = 0; k < d->caps.n; k++)
			if (str_starts(d->caps.at[k].need, NEED_JOB_SOURCE))
				count_source(all, &n, &d->caps.at[k], d->id);
	}
	for (unsigned i = 0; i < n; i++)
		judge_source(r, &all[i]);
}

/* ---- one cause for many devices ---- */

/*
 * Devices that fail with one and the same text have one cause: a metrics engine, a bastion. The
 * text of a device's own failure has its address. Railtop's own value.
 */
#define SHARED_LEAST 3
/* Texts that are tried. One engine and a few bastions are what an inventory has. */
#define SHARED_TRIED 8

static bool fails_with(const struct device *d, const char *text)
{
	return why_blind(d) && strcmp(d->err->text, text) == 0;
}

static unsigned count_failures(const struct model *m, const char *text)
{
	unsigned n = 0;

	for (size_t i = 0; i < m->devices.n; i++)
		n += fails_with(m->devices.at[i], text);
	return n;
}

/* The text with which most devices fail, at least SHARED_LEAST; NULL: none. */
static const struct err *shared_failure(const struct model *m, unsigned *count)
{
	const struct err *best = NULL, *tried[SHARED_TRIED];
	unsigned ntried = 0, n, k;

	*count = SHARED_LEAST - 1;
	for (size_t i = 0; i < m->devices.n && ntried < SHARED_TRIED; i++) {
		const struct err *e = m->devices.at[i]->err;

		if (!e->text[0] || !why_blind(m->devices.at[i]))
			continue;
		for (k = 0; k < ntried && strcmp(tried[k]->text, e->text) != 0; k++)
			continue;
		if (k < ntried)
			continue;
		tried[ntried++] = e;
		n = count_failures(m, e->text);
		if (n <= *count)
			continue;
		best = e;
		*count = n;
	}
	return best;
}

static void judge_shared(struct diag_run *r, const struct err *e, unsigned count)
{
	struct finding *f = diag_claim(r, FIND_BLIND, (struct ref){.kind = REF_FABRIC});

	(void)finding_text(f, f->at, "error", e->text, "poll");
	(void)finding_number(f, f->at, "devices that depend on it", count, "", "0", "poll");
	finding_title(f, "%u of %zu devices cannot be read for one cause: %s", count,
		r->m->devices.n, e->text);
}

/* Judges all devices in every run: a device that falls silent is no longer noted. */
static void run_monitor(struct diag_run *r)
{
	unsigned count;
	const struct err *shared = shared_failure(r->m, &count);

	if (shared)
		judge_shared(r, shared, count);
	for (size_t i = 0; i < r->m->devices.n; i++) {
		if (!shared || !fails_with(r->m->devices.at[i], shared->text))
			judge_blind(r, r->m->devices.at[i]);
		judge_clock(r, r->m->devices.at[i]);
	}
	judge_sources(r);
}

const struct detector detect_monitor = {"monitor", run_monitor, NULL, NULL, NULL};
