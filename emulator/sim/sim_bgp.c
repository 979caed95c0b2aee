/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "emulator/sim/sim_internal.h"

/*
 * One eBGP session per cable between switches, like the unnumbered sessions of a Clos. A session
 * falls with the interface at once and comes back a few seconds after it. If the neighbour's
 * control plane is silent on a link that is up, it falls after the hold time.
 */

#define HOLD_US           (9 * CLOCK_SEC) /* three keepalives of 3 s, the datacenter profile of FRR */
#define CONNECT_US        (3 * CLOCK_SEC) /* connect retry and exchange: at least this ... */
#define CONNECT_SPREAD_US (3 * CLOCK_SEC) /* ... and at most this much more */

struct bgp {
	int64_t *due;  /* one per port, kept at the lower-numbered end: time of the next change, or
			  SIM_NEVER */
	int64_t next;  /* the least of these */
	uint64_t seen; /* the last generation of faults and configuration that was handled */
	uint64_t *known;   /* leaves that a device reaches downwards: words bits each */
	uint64_t *learned; /* all leaves that it knows */
	size_t words, nleaves;
};

static bool is_session(const struct sim_port *p)
{
	return p->tier != TIER_HOST && p->plan_peer && p->plan_peer->tier != TIER_HOST;
}

static bool link_up(const struct sim *s, const struct sim_port *p)
{
	const struct sim_port *q = p->peer;

	return q && p->config.admin_up && q->config.admin_up && !sim_state(s, p)->k.down &&
	       !sim_state(s, q)->k.down;
}

/* True if no fault, link or configuration keeps the session down. */
static bool may_live(const struct sim *s, const struct sim_port *p)
{
	return link_up(s, p) && !p->bgp.shut && !p->peer->bgp.shut &&
	       !sim_state(s, p)->k.bgp_down && !sim_state(s, p->peer)->k.bgp_down;
}

static const char *down_reason(const struct sim *s, const struct sim_port *p)
{
	if (!link_up(s, p))
		return "interface down";
	if (p->bgp.shut)
		return "administratively shut down";
	if (p->peer->bgp.shut)
		return "peer shut down";
	if (sim_device_of(s, p)->hung || sim_device_of(s, p->peer)->hung)
		return "hold timer expired";
	return "connection reset";
}

static void set_end(struct sim *s, struct sim_port *p, bool up)
{
	struct sim_device *d = sim_device_of(s, p);

	p->bgp.established = up;
	p->bgp.since_us = s->now;
	p->bgp.resets += !up;
	p->bgp.prefixes = 0;
	/* A hung control plane logs nothing. */
	if (!d->hung)
		sim_log_add(s, d, p, up ? SIM_LOG_BGP_UP : SIM_LOG_BGP_DOWN, 0,
			up ? "" : down_reason(s, p));
}

static void set_session(struct sim *s, struct sim_port *p, bool up)
{
	set_end(s, p, up);
	set_end(s, p->plan_peer, up);
	s->rewired = true;
}

static int64_t connect_time(const struct sim *s, const struct sim_port *p)
{
	uint64_t h = sim_hash(sim_hash(s->o.seed ^ 0xb6b, (uint64_t)(p - s->port)), p->bgp.resets);

	return CONNECT_US + (int64_t)(sim_unit(h) * (double)CONNECT_SPREAD_US);
}

/* Does the due change of one session and plans the next. Returns true if its state changed. */
static bool step_session(struct sim *s, struct sim_port *p, int64_t *due)
{
	bool live = may_live(s, p);
	bool silent = sim_device_of(s, p)->hung || sim_device_of(s, p->plan_peer)->hung;
	bool was = p->bgp.established;

	if (was && !live) {
		set_session(s, p, false);
	} else if (was && silent) {
		if (*due == SIM_NEVER)
			*due = s->now + HOLD_US;
		if (*due > s->now)
			return false;
		set_session(s, p, false);
	} else if (!was && live && !silent) {
		if (*due == SIM_NEVER)
			*due = s->now + connect_time(s, p);
		if (*due > s->now)
			return false;
		set_session(s, p, true);
	}
	*due = SIM_NEVER;
	return was != p->bgp.established;
}

/* ---- prefixes: one per leaf, propagated over established sessions ---- */

static uint64_t *prefix_row(const struct sim *s, uint64_t *rows, const struct sim_device *d)
{
	return rows + (size_t)(d - s->device) * s->bgp->words;
}

static void merge_sets(uint64_t *to, const uint64_t *from, size_t words)
{
	for (size_t i = 0; i < words; i++)
		to[i] |= from[i];
}

static unsigned count_set(const uint64_t *set, size_t words)
{
	unsigned n = 0;

	for (size_t i = 0; i < words; i++)
		n += (unsigned)__builtin_popcountll(set[i]);
	return n;
}

/* Adds the prefixes that the device learns from neighbours of the tiers below (down) or above. */
static void learn_prefixes(struct sim *s, const struct sim_device *d, bool down, uint64_t *rows)
{
	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (p->bgp.established && (p->plan_peer->tier < p->tier) == down)
			merge_sets(prefix_row(s, rows, d),
				prefix_row(s, rows, sim_device_of(s, p->plan_peer)), s->bgp->words);
	}
}

/*
 * Number of prefixes from p's neighbour: all that it knows except our own, which a leaf never
 * accepts back.
 */
static unsigned count_received(struct sim *s, const struct sim_port *p)
{
	const struct sim_device *d = sim_device_of(s, p), *q = sim_device_of(s, p->plan_peer);
	bool from_below = q->tier < d->tier;
	unsigned n = count_set(
		prefix_row(s, from_below ? s->bgp->known : s->bgp->learned, q), s->bgp->words);

	return d->tier == TIER_LEAF && n ? n - 1 : n;
}

static void spread_prefixes(struct sim *s)
{
	struct bgp *b = s->bgp;
	size_t bytes = s->ndevices * b->words * sizeof(uint64_t);

	memset(b->known, 0, bytes);
	for (size_t i = 0, leaf = 0; i < s->ndevices; i++) {
		if (s->device[i].tier == TIER_LEAF) {
			prefix_row(s, b->known, &s->device[i])[leaf / 64] |= UINT64_C(1)
									     << leaf % 64;
			leaf++;
		} else {
			/* Devices are in the order of their tiers, so those below are complete. */
			learn_prefixes(s, &s->device[i], true, b->known);
		}
	}
	memcpy(b->learned, b->known, bytes);
	for (size_t i = s->ndevices; i-- > 0;)
		learn_prefixes(s, &s->device[i], false, b->learned);
	for (size_t i = 0; i < s->nports; i++)
		if (s->port[i].bgp.established)
			s->port[i].bgp.prefixes = count_received(s, &s->port[i]);
}

/* ---- the clock ---- */

void sim_bgp_build(struct sim *s)
{
	struct bgp *b = s->bgp = mem_calloc(1, sizeof(*b));

	b->due = mem_calloc(s->nports, sizeof(*b->due));
	b->next = SIM_NEVER;
	for (size_t i = 0; i < s->ndevices; i++)
		b->nleaves += s->device[i].tier == TIER_LEAF;
	b->words = b->nleaves / 64 + 1;
	b->known = mem_calloc(s->ndevices * b->words, sizeof(*b->known));
	b->learned = mem_calloc(s->ndevices * b->words, sizeof(*b->learned));
	for (size_t i = 0; i < s->nports; i++) {
		struct sim_port *p = &s->port[i];

		b->due[i] = SIM_NEVER;
		if (!is_session(p))
			continue;
		p->bgp.configured = p->bgp.established = true;
		/* Established since the later of the two boots, plus the time that a start takes.
		 */
		p->bgp.since_us = sim_device_of(s, p)->boot_us;
		if (sim_device_of(s, p->plan_peer)->boot_us > p->bgp.since_us)
			p->bgp.since_us = sim_device_of(s, p->plan_peer)->boot_us;
		p->bgp.since_us += 90 * CLOCK_SEC;
	}
	spread_prefixes(s);
}

void sim_bgp_step(struct sim *s)
{
	struct bgp *b = s->bgp;
	bool changed = false;

	if (!b || (b->seen == s->fault_generation && b->next > s->now))
		return;
	b->next = SIM_NEVER;
	for (size_t i = 0; i < s->nports; i++) {
		struct sim_port *p = &s->port[i];

		if (!p->bgp.configured || p->plan_peer < p)
			continue;
		changed |= step_session(s, p, &b->due[i]);
		if (b->due[i] < b->next)
			b->next = b->due[i];
	}
	b->seen = s->fault_generation;
	if (changed)
		spread_prefixes(s);
}

int64_t sim_bgp_next(const struct sim *s)
{
	if (!s->bgp)
		return SIM_NEVER;
	return s->bgp->seen == s->fault_generation ? s->bgp->next : s->now;
}

void sim_bgp_free(struct sim *s)
{
	if (!s->bgp)
		return;
	free(s->bgp->due);
	free(s->bgp->known);
	free(s->bgp->learned);
	free(s->bgp);
	s->bgp = NULL;
}
