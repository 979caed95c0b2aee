/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A buffer pool at its limit while the switch drops or pauses: then thresholds are shares of
 * nothing, and the headroom of a shared pool is what keeps lossless packets. A pool that was full
 * once, without trouble now, is no finding.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "fabric/vocabulary/pools.h"

/* Railtop's own. With dynamic thresholds a pool is hardly ever used to its last cell. */
#define FULL 0.95
/* A pause this short is everyday congestion. */
#define HOLDS_LEAST 0.01F
#define DROPS_LEAST 0.05F

struct harm {
	unsigned dropping, pausing;
	uint32_t worst; /* a port that drops, else one that pauses */
};

static struct harm harm_of(const struct diag_run *r, const struct device *d)
{
	struct harm t = {.worst = PORT_NONE};

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct sample *s = window_last(r->w, d->ports.at[i]);
		bool drops = s && s->lossless_drops > DROPS_LEAST;
		bool holds = s && s->holds > HOLDS_LEAST;

		if ((drops && !t.dropping) || (holds && t.worst == PORT_NONE))
			t.worst = d->ports.at[i];
		t.dropping += drops;
		t.pausing += holds;
	}
	return t;
}

/* Drops of lossy traffic are intended, and its pool is meant to be full. */
static bool is_lossless(const struct pool *p)
{
	return !strcasestr(p->name, "lossy") && !strcasestr(p->name, "management") &&
	       !strcasestr(p->name, "multicast");
}

static double fill_of(const struct pool *p, bool *is_headroom)
{
	double shared = fmax(isnan(p->peak) ? 0 : p->peak, isnan(p->now) ? 0 : p->now);
	double headroom = isnan(p->headroom_peak) ? 0 : p->headroom_peak;

	*is_headroom = headroom >= FULL;
	return fmax(shared, headroom);
}

/* A peak may be weeks old: the pool was full, and has space now. Headroom has no present use. */
static bool is_past(const struct pool *p, bool in_headroom)
{
	return !in_headroom && p->now < FULL / 2; /* false for NAN */
}

/*
 * What can explain drops of now: headroom that was too small once, or a pool that is full now. The
 * shared part alone makes the switch pause its peers, and its peak may be of another day.
 */
static bool explains_drops(const struct pool *p, bool in_headroom)
{
	return in_headroom || p->now >= FULL; /* false for NAN */
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	const char *at = d->pools;
	struct pool p, worst = {.name = ""};
	struct finding *f;
	struct harm t;
	bool in_headroom = false;
	double most = 0;

	for (const char *next; *at && (next = pools_next(at, &p)); at = next) {
		bool headroom = false;
		double fill = is_lossless(&p) ? fill_of(&p, &headroom) : 0;

		if (fill < FULL || fill <= most)
			continue;
		most = fill;
		worst = p;
		in_headroom = headroom;
	}
	if (!*worst.name)
		return;
	t = harm_of(r, d);
	if (!t.dropping && !t.pausing)
		return;
	f = diag_claim(r, FIND_POOL_FULL, at_device(d->id));
	/* Pauses are what a pool has thresholds for. */
	f->role = t.dropping && explains_drops(&worst, in_headroom) ? ROLE_CULPRIT : ROLE_RISK;
	if (in_headroom && t.dropping)
		f->severity = SEV_CRIT;
	vec_push(&f->members, at_port(t.worst));
	(void)finding_text(f, at_device(d->id), "pools", d->pools, "95% since the switch's clear");
	(void)finding_number(
		f, at_device(d->id), "ports_that_drop", t.dropping, "", "0", "counter");
	(void)finding_number(
		f, at_device(d->id), "ports_that_pause", t.pausing, "", "0", "counter");
	finding_weigh(f, SIGNAL_LOSS, !t.dropping ? 5 : is_past(&worst, in_headroom) ? 10 : 50);
	finding_title(f, "%s%s has been %.3g%% full: %u port%s %s now",
		in_headroom ? "the headroom of " : "", worst.name, 100 * most,
		t.dropping ? t.dropping : t.pausing,
		(t.dropping ? t.dropping : t.pausing) == 1 ? "" : "s",
		t.dropping ? "with lossless drops" : "that pause the peer");
}

static void run_pools(struct diag_run *r)
{
	(void)diag_each_device(r, judge_device);
}

const struct detector detect_pools = {"pools", run_pools, NULL, NULL, NULL};
