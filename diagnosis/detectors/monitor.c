/* SPDX-License-Identifier: Apache-2.0 */
/* Devices without current data, and devices with a misleading clock. */
#include <stdlib.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"

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
	(void)finding_number(f, f->at, "its links that are down", dark, "", "0", "counter");
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

	if (llabs(d->clock_skew_us) < SKEW_US || d->state != DEV_FRESH)
		return;
	f = diag_claim(r, FIND_CLOCK_SKEW, at_device(d->id));
	(void)finding_number(f, f->at, "device clock minus railtop's clock",
		(double)d->clock_skew_us / 1e6, "s", "within 30 s", "counter");
	finding_title(f, "%s: clock is wrong by %.0f s", d->name, (double)d->clock_skew_us / 1e6);
}

/* Judges all devices in every run: a device that falls silent is no longer noted. */
static void run_monitor(struct diag_run *r)
{
	for (size_t i = 0; i < r->m->devices.n; i++) {
		judge_blind(r, r->m->devices.at[i]);
		judge_clock(r, r->m->devices.at[i]);
	}
}

const struct detector detect_monitor = {"monitor", run_monitor, NULL, NULL, NULL};
