/* SPDX-License-Identifier: Apache-2.0 */
/* The PFC watchdog: its actions, wrong actions, and queues without one. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/evidence/cells.h"
#include "diagnosis/evidence/watchdog.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/state_parts.h"
#include "fabric/vocabulary/counters.h"

/* Diagnosis reference 2.6: a storm pauses the queue; a lower share over a sample is no storm. */
#define STORM_HELD 0.8
/* "Did not fire: held > 0.99 for more than twice the detection time". */
#define SILENT_HELD 0.99
/* SONiC's default detection time, for devices that report none. */
#define DETECT_MS 200

struct timers {
	uint32_t detect_ms, restore_ms;
};
/* The timers of most queues of each device; detect_ms 0: unknown. */
struct watchdog_memory {
	VEC(struct timers) timers;
};

static struct finding *claim_queue(
	struct diag_run *r, enum finding_id id, const struct port *p, unsigned prio)
{
	const struct port *peer = port_peer(r->m, p, NULL);
	struct finding *f = diag_claim(r, id, at_priority(p->id, prio));

	if (peer)
		f->peer = at_port(peer->id);
	return f;
}

static void add_held(struct finding *f, const struct port *p, const struct sample *s)
{
	if (s && !isnan(s->held))
		(void)finding_number(f, at_port(p->id), "pfc_rx_duration_us", (double)s->held * 100,
			"%", s->held_bound ? "at most" : "> 80% in a storm", "counter");
}

/* ---- actions ---- */

/* The paused share is too low for a storm: in this sample and in the one before. */
static bool no_storm(const struct diag_run *r, const struct port *p, const struct sample *s)
{
	const struct sample *was = window_ago(r->w, p->id, 1);

	if (!s || isnan(s->held) || !((double)s->held < STORM_HELD))
		return false;
	return !was || isnan(was->held) || (double)was->held < STORM_HELD;
}

static const char *lossy_words(const struct diag_run *r, unsigned prio)
{
	return lossless_priorities(&r->m->lossless) >> prio & 1
		       ? ""
		       : ", which the plan does not call lossless,";
}

/* SONiC without a restoration time, and queues that were never restored (sonic-swss 5898). */
static void describe_stuck(
	const struct diag_run *r, struct finding *f, const struct port *p, unsigned prio)
{
	finding_title(f,
		"PFC watchdog is stuck: priority %u%s is still blocked, but nothing pauses it any "
		"more",
		prio, lossy_words(r, prio));
	if (watchdog_reset_helps(p, prio))
		(void)str_printf(f->command, sizeof(f->command), "railtop act pfcwd-reset %s:%s",
			model_dev_of(r->m, p)->name, p->name);
	else if (p->wd[prio].action[0] == 'h')
		(void)finding_text(f, f->at, "restart",
			"of no use: the watchdog runs in the chip, the switch refuses it in a "
			"storm",
			"config");
	else
		(void)finding_text(f, f->at, "restart",
			"of no use: PFC is off on this priority, the watchdog was left behind",
			"config");
}

static void describe_fired(
	const struct diag_run *r, struct finding *f, const struct port *p, unsigned prio, bool on)
{
	const char *lossy = lossy_words(r, prio);

	if (watchdog_detects_again(p, prio))
		finding_title(f,
			"PFC watchdog acts on priority %u%s again and again: the storm does not "
			"end",
			prio, lossy);
	else
		finding_title(f, "PFC watchdog acted on priority %u%s the storm %s", prio,
			*lossy ? lossy : ",", on ? "is on" : "ended");
}

static void judge_fired(struct diag_run *r, const struct port *p, unsigned prio,
	const struct sample *s, double rate)
{
	double drops = port_rate(p, CTR_PFCWD_DROPS, prio);
	bool on = watchdog_acts_now(p, prio);
	struct finding *f;

	if (!on && !(rate > 0) && !(drops > 0))
		return;
	f = claim_queue(r, FIND_WATCHDOG_FIRED, p, prio);
	if (!isnan(rate))
		(void)finding_number(f, f->at, "pfcwd_storm_detected", rate, "/s", "0", "counter");
	if (drops > 0)
		(void)finding_number(f, f->at, "pfcwd_drops", drops, "/s", "0", "counter");
	(void)finding_text(f, f->at, "watchdog", on ? "storm is on" : "storm ended", "counter");
	add_held(f, p, s);
	finding_weigh(f, SIGNAL_PAUSE, 50);
	if (on && no_storm(r, p, s) && watchdog_is_stuck(r, p, prio))
		describe_stuck(r, f, p, prio);
	else
		describe_fired(r, f, p, prio, on);
}

static void judge_misfire(struct diag_run *r, const struct port *p, unsigned prio,
	const struct sample *s, double rate)
{
	struct finding *f;

	if (!(rate > 0) || !s || (!no_storm(r, p, s) && !s->flaps))
		return;
	/* In a storm without an end the chip may count only a part of the frames. */
	if (watchdog_detects_again(p, prio) && !s->flaps)
		return;
	f = claim_queue(r, FIND_WATCHDOG_MISFIRE, p, prio);
	(void)finding_number(f, f->at, "pfcwd_storm_detected", rate, "/s", "0", "counter");
	add_held(f, p, s);
	if (s->flaps)
		(void)finding_number(
			f, at_port(p->id), "link_down_events", s->flaps, "", "0", "counter");
	if (p->wd[prio].detect_ms)
		(void)finding_number(f, f->at, "detection time", p->wd[prio].detect_ms, "ms",
			"longer than any congestion", "config");
	finding_refute(f, FIND_PFC_STORM, f->at, "the queue was paused too little for a storm");
	finding_weigh(f, SIGNAL_PAUSE, 100);
	if (isnan(s->held))
		finding_title(f, "PFC watchdog acts without a storm: the link flapped");
	else
		finding_title(f, "PFC watchdog acts without a storm: paused %.0f%% of the time%s",
			(double)s->held * 100, s->flaps ? ", the link flapped" : "");
}

/* ---- failures to act ---- */

static bool is_armed(const struct watchdog *w)
{
	return w->state == WD_OPERATIONAL || (w->state == WD_UNKNOWN && w->detect_ms);
}

/*
 * One finding a device: a storm pauses many queues at once. A silent watchdog lets the storm
 * spread but never starts it, so it is a risk, however bad.
 */
static void judge_silent(struct diag_run *r, const struct port *p, unsigned prio,
	const struct sample *s, double rate)
{
	const struct sample *was = window_ago(r->w, p->id, 1);
	uint32_t detect = p->wd[prio].detect_ms ? p->wd[prio].detect_ms : DETECT_MS;
	struct finding *f;

	if (!is_armed(&p->wd[prio]) || rate > 0 || !s || !was || s->held_bound || was->held_bound)
		return;
	if (s->held_prio != prio || !((double)s->held > SILENT_HELD) ||
		!((double)was->held > SILENT_HELD) || !((double)s->dt_s * 1000 > 2.0 * detect))
		return;
	f = diag_claim(r, FIND_WATCHDOG_SILENT, at_device(p->device));
	f->role = ROLE_RISK;
	if (f->members.n < FINDING_VICTIMS)
		vec_push(&f->members, at_priority(p->id, prio));
	finding_weigh(f, SIGNAL_PAUSE, 20);
	finding_title(f, "PFC watchdog does not act: %zu queue%s paused all of the time",
		f->members.n, str_plural(f->members.n));
	if (f->members.n > 1)
		return;
	add_held(f, p, s);
	(void)finding_number(f, at_priority(p->id, prio), "detection time", detect, "ms", "",
		p->wd[prio].detect_ms ? "config" : "default");
	(void)finding_text(
		f, at_priority(p->id, prio), "watchdog", "operational, no event", "counter");
}

/* ---- missing watchdogs ---- */

static bool is_unguarded(const struct port *p, unsigned prio)
{
	return p->seen && (p->pfc_enabled & 0x100) && (p->pfc_enabled & 1U << prio) &&
	       p->wd[prio].state == WD_OFF;
}

static void judge_coverage(struct diag_run *r, const struct device *d, uint8_t lossless)
{
	struct finding *f = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];
		bool missing = false, switched_off = false;

		for (unsigned left = lossless; left; left &= left - 1) {
			unsigned prio = (unsigned)__builtin_ctz(left);

			missing |= is_unguarded(p, prio);
			switched_off |= p->wd[prio].action[0] == 'b' &&
					strcasestr(p->wd[prio].action, "big red switch");
		}
		if (!missing && !switched_off)
			continue;
		if (!f)
			f = diag_claim(r, FIND_WATCHDOG_MISSING, at_device(d->id));
		if (!n++)
			(void)finding_text(f, at_port(p->id), "watchdog",
				switched_off ? "big red switch: off for all"
					     : "off on a lossless priority",
				"config");
		if (f->members.n < FINDING_VICTIMS)
			vec_push(&f->members, at_port(p->id));
	}
	if (f)
		finding_title(f, "%u lossless port%s without a PFC watchdog", n, str_plural(n));
}

/* ---- timers ---- */

static bool same_timers(struct timers a, struct timers b)
{
	return a.detect_ms == b.detect_ms && a.restore_ms == b.restore_ms;
}

/* Boyer-Moore vote: finds the timers of more than half of the queues, if any. */
static void vote_timers(struct timers *most, unsigned *lead, struct timers one)
{
	if (!*lead)
		*most = one;
	*lead = same_timers(*most, one) ? *lead + 1 : *lead - 1;
}

static struct timers timers_of(const struct port *p, unsigned prio)
{
	return (struct timers){p->wd[prio].detect_ms, p->wd[prio].restore_ms};
}

static struct timers usual_timers(
	const struct diag_run *r, const struct device *d, uint8_t lossless)
{
	struct timers most = {0, 0};
	unsigned lead = 0;

	for (size_t i = 0; i < d->ports.n; i++)
		for (unsigned left = lossless; left; left &= left - 1) {
			const struct port *p = r->m->ports.at[d->ports.at[i]];
			unsigned prio = (unsigned)__builtin_ctz(left);

			if (p->wd[prio].detect_ms)
				vote_timers(&most, &lead, timers_of(p, prio));
		}
	return most;
}

static void remember_timers(struct diag_run *r, const struct device *d, struct timers t)
{
	struct watchdog_memory *mem = *r->memory;

	while (mem->timers.n <= d->id)
		(void)vec_add(&mem->timers);
	mem->timers.at[d->id] = t;
}

static void judge_timers(struct diag_run *r, const struct device *d, uint8_t lossless)
{
	struct timers usual = usual_timers(r, d, lossless);
	struct finding *f = NULL;
	char text[80], should[40];

	remember_timers(r, d, usual);
	if (!usual.detect_ms)
		return;
	(void)str_printf(should, sizeof(should), "%u/%u ms", usual.detect_ms, usual.restore_ms);
	for (size_t i = 0; i < d->ports.n; i++)
		for (unsigned prio = 0; prio < PRIORITIES; prio++) {
			const struct port *p = r->m->ports.at[d->ports.at[i]];
			struct timers own = timers_of(p, prio);

			if (!(lossless & 1U << prio) || !own.detect_ms || same_timers(own, usual))
				continue;
			if (!f)
				f = diag_claim(r, FIND_WATCHDOG_TIMERS, at_device(d->id));
			(void)str_printf(text, sizeof(text), "detection/restoration %u/%u ms",
				own.detect_ms, own.restore_ms);
			(void)str_copy(
				finding_text(f, at_priority(p->id, prio), "timers", text, "config")
					->threshold,
				40, should);
			if (f->members.n < FINDING_VICTIMS)
				vec_push(&f->members, at_port(p->id));
		}
	if (f)
		finding_title(f, "PFC watchdog timers of %zu port%s differ from their siblings' %s",
			f->members.n, str_plural(f->members.n), should);
}

/* The winner of the vote is a majority only if a count confirms it. */
static bool most_have(const struct diag_run *r, int tier, struct timers t)
{
	const struct watchdog_memory *mem = *r->memory;
	unsigned have = 0, all = 0;

	for (uint32_t i = 0; i < mem->timers.n; i++) {
		if (r->m->devices.at[i]->tier != (enum tier)tier || !mem->timers.at[i].detect_ms)
			continue;
		all++;
		have += same_timers(mem->timers.at[i], t);
	}
	return have * 2 > all;
}

/* Finds devices with usual timers unlike those of most devices of their tier. */
static void compare_devices(struct diag_run *r)
{
	const struct watchdog_memory *mem = *r->memory;

	for (int tier = TIER_LEAF; tier < TIER_COUNT; tier++) {
		struct timers most = {0, 0};
		unsigned lead = 0;

		for (uint32_t i = 0; i < mem->timers.n; i++)
			if (r->m->devices.at[i]->tier == (enum tier)tier &&
				mem->timers.at[i].detect_ms)
				vote_timers(&most, &lead, mem->timers.at[i]);
		if (!most_have(r, tier, most))
			continue;
		for (uint32_t i = 0; i < mem->timers.n; i++) {
			struct timers own = mem->timers.at[i];
			struct finding *f;
			char text[80];

			if (r->m->devices.at[i]->tier != (enum tier)tier || !own.detect_ms ||
				same_timers(own, most) ||
				diag_claimed(r, FIND_WATCHDOG_TIMERS, at_device(i)))
				continue;
			f = diag_claim(r, FIND_WATCHDOG_TIMERS, at_device(i));
			(void)str_printf(text, sizeof(text), "%u/%u ms, most of its tier: %u/%u ms",
				own.detect_ms, own.restore_ms, most.detect_ms, most.restore_ms);
			(void)finding_text(f, f->at, "timers", text, "config");
			finding_title(f, "PFC watchdog timers %s", text);
		}
	}
}

/* ---- one device ---- */

/* The lossless priorities, and others that a watchdog counts or holds. */
static unsigned watched_priorities(const struct port *p, uint8_t lossless)
{
	unsigned mask = lossless | (unsigned)p->layout->subs[CTR_PFCWD_STORM_DETECTED];

	for (unsigned prio = 0; prio < PRIORITIES; prio++)
		mask |= (unsigned)(p->wd[prio].state == WD_STORMED) << prio;
	return mask;
}

static void judge_port(struct diag_run *r, const struct port *p, uint8_t lossless)
{
	const struct sample *s = window_last(r->w, p->id);

	for (unsigned left = watched_priorities(p, lossless); left; left &= left - 1) {
		unsigned prio = (unsigned)__builtin_ctz(left);
		double rate = cell_rate(p, CELL_PFCWD_STORM_DETECTED + prio);

		judge_fired(r, p, prio, s, rate);
		if (!(lossless >> prio & 1))
			continue;
		judge_misfire(r, p, prio, s, rate);
		judge_silent(r, p, prio, s, rate);
	}
}

static void judge_device(struct diag_run *r, const struct device *d)
{
	uint8_t lossless = lossless_priorities(&r->m->lossless);

	if (d->tier == TIER_HOST)
		return;
	for (size_t i = 0; i < d->ports.n; i++)
		judge_port(r, r->m->ports.at[d->ports.at[i]], lossless);
	judge_coverage(r, d, lossless);
	judge_timers(r, d, lossless);
}

static void run_watchdog(struct diag_run *r)
{
	if (!*r->memory)
		*r->memory = mem_calloc(1, sizeof(struct watchdog_memory));
	if (!diag_each_device(r, judge_device))
		return;
	compare_devices(r);
}

static void free_memory(void *memory)
{
	struct watchdog_memory *mem = memory;

	if (mem)
		vec_free(&mem->timers);
	free(mem);
}

/* ---- serialisation ---- */

STATE_SIZE(struct timers, 8);
STATE_SIZE(struct watchdog_memory, 24);

static void state_timers(struct state *s, struct timers *t)
{
	state_u32(s, &t->detect_ms);
	state_u32(s, &t->restore_ms);
}

static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	struct watchdog_memory *mem;

	if (!state_memory(s, memory, sizeof(*mem)))
		return;
	mem = *memory;
	STATE_LIST(s, &mem->timers, m->devices.n, t, state_timers(s, t));
}

const struct detector detect_watchdog = {
	"watchdog", run_watchdog, free_memory, state_memory_of, NULL};
