/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "emulator/sim/sim_internal.h"

/*
 * Paths: up, then down, over the cables as they are. They are valley-free, as with eBGP, one AS
 * number per switch and no transit. Reachability is computed from the links that are up, so any
 * topology, swapped cables and lost uplinks need no case of their own.
 */

struct member {
	uint32_t egress; /* index of the port */
	uint32_t next;   /* index of the device that it leads to */
	bool down;
};

struct ways {
	size_t words;               /* per set of devices */
	uint64_t *below, *anywhere; /* per device: reached downwards; reached at all */
	uint8_t *usable;            /* per port: the input of the last computation */
	struct sim_port **peer;
	uint8_t *polarised; /* per device */
	bool few;
	struct member *member; /* usable egresses between switches, by device */
	size_t *first;         /* per device; one more at the end */
};

/* True if anything may be sent by this egress. */
static bool is_usable(const struct sim *s, const struct sim_port *p)
{
	return p->up && p->peer && !sim_state(s, p)->k.one_way &&
	       (!p->bgp.configured || p->bgp.established);
}

static size_t device_index(const struct sim *s, const struct sim_port *p)
{
	return s->first[p->tier] + p->device;
}

static struct ways *ways_new(const struct sim *s)
{
	struct ways *w = mem_calloc(1, sizeof(*w));

	w->words = s->ndevices / 64 + 1;
	w->below = mem_calloc(s->ndevices * w->words, sizeof(*w->below));
	w->anywhere = mem_calloc(s->ndevices * w->words, sizeof(*w->anywhere));
	w->usable = mem_alloc(s->nports + 1);
	/* Unknown value: every port counts as changed at first. */
	memset(w->usable, 2, s->nports + 1);
	w->peer = mem_calloc(s->nports + 1, sizeof(struct sim_port *));
	w->polarised = mem_calloc(s->ndevices + 1, 1);
	w->member = mem_calloc(s->nports + 1, sizeof(*w->member));
	w->first = mem_calloc(s->ndevices + 1, sizeof(*w->first));
	return w;
}

void sim_ways_free(struct sim *s)
{
	struct ways *w = s->ways;

	if (!w)
		return;
	free(w->below);
	free(w->anywhere);
	free(w->usable);
	free(w->peer);
	free(w->polarised);
	free(w->member);
	free(w->first);
	free(w);
	s->ways = NULL;
}

static void list_members(const struct sim *s, struct ways *w)
{
	size_t n = 0;

	for (size_t d = 0; d < s->ndevices; d++) {
		const struct sim_device *dev = &s->device[d];

		w->first[d] = n;
		for (unsigned i = 0; dev->tier != TIER_HOST && i < dev->nports; i++) {
			const struct sim_port *p = &dev->ports[i];

			if (!w->usable[p - s->port] || p->peer->tier == TIER_HOST ||
				p->peer->tier == p->tier)
				continue;
			w->member[n++] = (struct member){.egress = (uint32_t)(p - s->port),
				.next = (uint32_t)device_index(s, p->peer),
				.down = p->peer->tier < p->tier};
		}
	}
	w->first[s->ndevices] = n;
}

static void join_sets(struct ways *w, uint64_t *sets, size_t to, const uint64_t *from)
{
	for (size_t k = 0; k < w->words; k++)
		sets[to * w->words + k] |= from[k];
}

/* Devices are in the order of their tiers: each one below is complete before it is read. */
static void compute_reach(const struct sim *s, struct ways *w)
{
	memset(w->below, 0, s->ndevices * w->words * sizeof(*w->below));
	for (size_t d = 0; d < s->ndevices; d++) {
		w->below[d * w->words + d / 64] |= UINT64_C(1) << d % 64;
		for (size_t m = w->first[d]; m < w->first[d + 1]; m++)
			if (w->member[m].down)
				join_sets(w, w->below, d, &w->below[w->member[m].next * w->words]);
	}
	memcpy(w->anywhere, w->below, s->ndevices * w->words * sizeof(*w->below));
	for (size_t d = s->ndevices; d-- > 0;)
		for (size_t m = w->first[d]; m < w->first[d + 1]; m++)
			if (!w->member[m].down)
				join_sets(w, w->anywhere, d,
					&w->anywhere[w->member[m].next * w->words]);
}

bool sim_ways_changed(struct sim *s)
{
	struct ways *w = s->ways ? s->ways : (s->ways = ways_new(s));
	bool changed = w->few != (s->few_paths > 0);

	w->few = s->few_paths > 0;
	for (size_t i = 0; i < s->nports; i++) {
		uint8_t u = is_usable(s, &s->port[i]);

		changed = changed || w->usable[i] != u || w->peer[i] != s->port[i].peer;
		w->usable[i] = u;
		w->peer[i] = s->port[i].peer;
	}
	for (size_t d = 0; d < s->ndevices; d++) {
		uint8_t p = s->knobs[d].polarised > 0;

		changed = changed || w->polarised[d] != p;
		w->polarised[d] = p;
	}
	if (!changed)
		return false;
	list_members(s, w);
	compute_reach(s, w);
	return true;
}

static bool set_has(const struct ways *w, const uint64_t *sets, size_t device, size_t target)
{
	return sets[device * w->words + target / 64] >> target % 64 & 1;
}

/*
 * The egress from device d towards target: down if that leads there, else up. Rendezvous hashing
 * (Thaler and Ravishankar 1998): when a link fails only its own flows move, as with resilient
 * hashing on a switch. A polarised switch hashes like all others and leaves half of its members
 * idle: those whose hash bit the switches before have filtered out.
 */
static const struct member *choose_member(
	const struct ways *w, size_t d, size_t target, uint64_t key)
{
	bool down = set_has(w, w->below, d, target);
	const struct member *best = NULL;
	uint64_t best_hash = 0, place = 0;

	for (size_t i = w->first[d]; i < w->first[d + 1]; i++) {
		const struct member *m = &w->member[i];
		uint64_t h;

		if (m->down != down || !set_has(w, down ? w->below : w->anywhere, m->next, target))
			continue;
		if (w->polarised[d] && place++ % 2)
			continue;
		h = sim_hash(key, w->polarised[d] ? place : m->egress);
		if (best && h <= best_hash)
			continue;
		best = m;
		best_hash = h;
	}
	return best;
}

#define FEW_PATHS 12 /* distinct keys left when jobs have hardly any entropy */

/* True if packets reach the host by this port; sends: or leave it. */
static bool is_joined(
	const struct sim *s, const struct ways *w, const struct sim_port *p, bool sends)
{
	const struct sim_port *egress = sends ? p : p->peer;

	return egress && w->usable[egress - s->port];
}

/* A bond without the link of one slave uses the other. */
static struct sim_port *choose_slave(
	const struct sim *s, const struct ways *w, struct sim_port *home, bool sends)
{
	return home->bond && !is_joined(s, w, home, sends) && is_joined(s, w, home->bond, sends)
		       ? home->bond
		       : home;
}

void sim_way(const struct sim *s, struct flow *f)
{
	const struct ways *w = s->ways;
	uint64_t key = w->few && f->handle == 0 ? sim_hash(s->o.seed, f->conn % FEW_PATHS) : f->key;
	size_t at, target;
	unsigned n = 1;

	f->hops = 0;
	f->src = choose_slave(s, w, f->home_src, true);
	f->dst = choose_slave(s, w, f->home_dst, false);
	/* Check the last cable first: without it nothing is sent at all. */
	if (!w->usable[f->src - s->port] || !f->dst->peer || !w->usable[f->dst->peer - s->port])
		return;
	f->path[0] = f->src;
	at = device_index(s, f->src->peer);
	target = device_index(s, f->dst->peer);
	while (at != target && n + 1 < SIM_MAX_HOPS) {
		const struct member *m = choose_member(w, at, target, key);

		if (!m)
			return;
		f->path[n++] = &s->port[m->egress];
		at = m->next;
	}
	if (at != target)
		return;
	f->path[n++] = f->dst->peer;
	f->hops = n;
}
