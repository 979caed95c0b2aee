/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/diag_state.h"

#include <string.h>

#include "base/mem.h"
#include "diagnosis/engine/engine.h"
#include "diagnosis/engine/state_parts.h"

/* Increase it with each change of the encoding. */
#define VERSION 3

STATE_SIZE(struct record, 888);
STATE_SIZE(struct kept, 760);
STATE_SIZE(struct diag, 1824);

#define KNOWN_MOST                                                                                 \
	((size_t)4 * CLAIMS_MAX) /* including those of runs since the last one that could close    \
				    findings */

/* ---- sections: each step has a fixed number of items ---- */

enum section { HEAD, PORTS, NODES, EDGES, LISTS, KNOWN, ORDER, CLOSED, KEPT, DETECTORS };
_Static_assert(DETECTORS + 1 == DIAG_SECTIONS, "see struct diag_loading");

typedef void visit(struct state *s, struct diag *d, const struct model *m, size_t first, size_t n);

static size_t ports_of(const struct diag *d)
{
	size_t windows = windows_ports(d->windows), onsets = pause_graph_ports(d->pauses);

	return windows > onsets ? windows : onsets;
}

static void count_items(const struct diag *d, size_t counts[DIAG_SECTIONS])
{
	if (d->loading.next) {
		memcpy(counts, d->loading.counts, sizeof(d->loading.counts));
		return;
	}
	counts[HEAD] = counts[LISTS] = counts[ORDER] = 1;
	counts[PORTS] = ports_of(d);
	counts[NODES] = d->pauses->nodes.n;
	counts[EDGES] = d->pauses->edges.n;
	counts[KNOWN] = HASH_COUNT(d->known);
	counts[CLOSED] = d->closed.n;
	counts[KEPT] = d->kept.n;
	counts[DETECTORS] = d->ndetectors;
}

static void state_counts(struct state *s, struct diag *d, const struct model *m)
{
	size_t counts[DIAG_SECTIONS], nodes = m->ports.n * PRIORITIES;
	const size_t most[DIAG_SECTIONS] = {[PORTS] = m->ports.n,
		[NODES] = nodes,
		[EDGES] = nodes < UINT32_MAX / 2048 ? nodes * 1024 : UINT32_MAX / 2,
		[KNOWN] = KNOWN_MOST,
		[CLOSED] = CLOSED_RING,
		[KEPT] = m->devices.n};

	count_items(d, counts);
	for (unsigned i = 0; i < DIAG_SECTIONS; i++) {
		uint32_t n = (uint32_t)counts[i];

		if (i == HEAD || i == LISTS || i == ORDER || i == DETECTORS)
			continue;
		state_below(s, &n, (uint32_t)most[i] + 1);
		counts[i] = n;
	}
	if (s->loading) {
		memcpy(d->loading.counts, counts, sizeof(counts));
		d->loading.next = 1;
	}
}

/* ---- head ---- */

static void state_changed(struct state *s, struct diag *d)
{
	STATE_LIST(s, &d->changed, d->noted_us.n, c, state_below(s, c, (uint32_t)d->noted_us.n));
	for (size_t i = 0; s->loading && !s->bad && i < d->noted_us.n; i++)
		vec_push(&d->is_changed, 0);
	for (size_t i = 0; s->loading && !s->bad && i < d->changed.n; i++) {
		uint8_t *is = &d->is_changed.at[d->changed.at[i]];

		s->bad |= *is;
		*is = 1;
	}
}

static void state_clocks(struct state *s, struct diag *d)
{
	state_u64(s, &d->calls);
	state_u32(s, &d->ticks);
	state_wall(s, &d->tick_us);
	state_u64(s, &d->generation);
	state_wall(s, &d->run_us);
	state_u64(s, &d->nclosed);
	/* The cost is no state, but the number of runs is. */
	state_u64(s, &d->cost.runs);
	state_u64(s, &d->cost.notes);
}

static void state_head(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	(void)first;
	(void)n;
	state_counts(s, d, m);
	windows_state(s, d->windows, m);
	pause_graph_state(s, d->pauses, m);
	STATE_LIST(s, &d->noted_us, m->devices.n, us, state_wall(s, us));
	state_changed(s, d);
	state_clocks(s, d);
	state_verdict(s, &d->verdict, m);
	if (!s->loading)
		return;
	/* The ring is filled from its start. */
	if (d->loading.counts[CLOSED] < CLOSED_RING ? d->nclosed != d->loading.counts[CLOSED]
						    : d->nclosed < CLOSED_RING)
		s->bad = true;
}

/* ---- samples, the pause graph ---- */

static void state_ports(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	(void)m;
	windows_state_ports(s, d->windows, (uint32_t)first, (uint32_t)n);
	pause_graph_state_onsets(s, d->pauses, (uint32_t)first, (uint32_t)n);
}

static void state_nodes(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	pause_graph_state_nodes(s, d->pauses, m, first, n);
}

static void state_edges(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	(void)m;
	pause_graph_state_edges(s, d->pauses, first, n);
}

static void state_lists(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	(void)m;
	(void)first;
	(void)n;
	(void)pause_graph_state_lists(s, d->pauses);
}

/* ---- findings ---- */

/* The state of a known record; its other fields belong to claims. */
static void state_record(struct state *s, struct record *r, const struct model *m)
{
	state_finding(s, &r->f, m);
	STATE_ENUM(s, r->told_severity, SEV_COUNT);
	STATE_ENUM(s, r->acked_severity, SEV_COUNT);
	STATE_ENUM(s, r->told_role, ROLE_INFO + 1);
	STATE_ENUM(s, r->said_role, ROLE_INFO + 1);
	state_key(s, &r->told_root);
	state_key(s, &r->said_root);
	state_u32(s, &r->clock);
	state_bool(s, &r->needed);
	state_key(s, &r->behind);
	state_wall(s, &r->orphan_us);
}

static struct record *find_known(const struct diag *d, uint64_t key)
{
	struct record *r;

	HASH_FIND(hh, d->known, &key, sizeof(key), r);
	return r;
}

static void load_record(struct state *s, struct diag *d, const struct model *m)
{
	struct record *r = mem_calloc(1, sizeof(*r));

	state_record(s, r, m);
	if (s->bad || find_known(d, r->f.key)) {
		s->bad = true;
		finding_free(&r->f);
		free(r);
		return;
	}
	HASH_ADD(hh, d->known, f.key, sizeof(r->f.key), r);
}

/* In order of creation: the next run visits them in this order. */
static void state_known(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	struct record *r = d->known;

	for (size_t i = 0; s->loading && i < n && !s->bad; i++)
		load_record(s, d, m);
	if (s->loading)
		return;
	for (size_t i = 0; i < first && r; i++)
		r = r->hh.next;
	for (size_t i = 0; i < n && r; i++, r = r->hh.next)
		state_record(s, r, m);
}

static void state_place(struct state *s, const struct finding **place, struct diag *d)
{
	uint64_t key = s->loading ? 0 : (*place)->key;
	struct record *r;

	state_key(s, &key);
	if (!s->loading)
		return;
	r = s->bad ? NULL : find_known(d, key);
	/* touched belongs to claims; here it marks a record that is already in the list. */
	if (!r || !r->f.open || r->touched) {
		s->bad = true;
		d->order.n--;
		return;
	}
	r->touched = 1;
	*place = &r->f;
}

static void state_order(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	struct record *r;

	(void)m;
	(void)first;
	(void)n;
	STATE_LIST(s, &d->order, HASH_COUNT(d->known), place, state_place(s, place, d));
	for (r = d->known; r && s->loading; r = r->hh.next)
		r->touched = 0;
}

static void state_closed(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	for (size_t i = first; i < first + n && !s->bad; i++) {
		if (s->loading) {
			(void)vec_add(&d->closed);
			vec_push(&d->closed_us, 0);
		}
		state_finding(s, &d->closed.at[i], m);
		state_wall(s, &d->closed_us.at[i]);
	}
}

/* ---- claims that are kept ---- */

static void state_one_kept(
	struct state *s, struct kept *k, const struct diag *d, const struct model *m)
{
	state_below(s, &k->detector, (uint32_t)d->ndetectors);
	state_bool(s, &k->link);
	state_finding(s, &k->f, m);
	if (s->loading && k->link && k->f.peer.kind == REF_PORT && k->f.at.kind != REF_PORT)
		s->bad = true;
}

static void state_kept(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	for (size_t i = first; i < first + n && !s->bad; i++) {
		kept_vec *v = s->loading ? vec_add(&d->kept) : &d->kept.at[i];

		STATE_LIST(s, v, CLAIMS_MAX, k, state_one_kept(s, k, d, m));
	}
}

static void state_detectors(
	struct state *s, struct diag *d, const struct model *m, size_t first, size_t n)
{
	for (size_t i = first; i < first + n; i++)
		if (d->table[i]->state)
			d->table[i]->state(s, &d->memory[i], m);
}

/* ---- steps ---- */

/* each: items in a step, which takes 1 to 3 ms. */
static const struct {
	visit *visit;
	size_t each;
} sections[DIAG_SECTIONS] = {[HEAD] = {state_head, 1},
	[PORTS] = {state_ports, 512},
	[NODES] = {state_nodes, 4096},
	[EDGES] = {state_edges, 16384},
	[LISTS] = {state_lists, 1},
	[KNOWN] = {state_known, 64},
	[ORDER] = {state_order, 1},
	[CLOSED] = {state_closed, 64},
	[KEPT] = {state_kept, 16},
	[DETECTORS] = {state_detectors, 1}};

static size_t steps_of(const size_t counts[DIAG_SECTIONS], unsigned section)
{
	return (counts[section] + sections[section].each - 1) / sections[section].each;
}

size_t diag_state_steps(const struct diag *d)
{
	size_t counts[DIAG_SECTIONS], n = 0;

	count_items(d, counts);
	for (unsigned i = 0; i < DIAG_SECTIONS; i++)
		n += steps_of(counts, i);
	return n;
}

static void do_step(struct state *s, struct diag *d, const struct model *m, size_t step)
{
	size_t counts[DIAG_SECTIONS];

	count_items(d, counts);
	for (unsigned i = 0; i < DIAG_SECTIONS; i++) {
		size_t n = steps_of(counts, i), first = step * sections[i].each;

		if (step < n) {
			n = counts[i] - first;
			n = n < sections[i].each ? n : sections[i].each;
			sections[i].visit(s, d, m, first, n);
			return;
		}
		step -= n;
	}
	s->bad = true;
}

bool diag_state_step(struct state *s, struct diag *d, const struct model *m, size_t step)
{
	/* Refuses to work during a run, and to load steps out of order. */
	if (d->step || (s->loading && step != d->loading.next))
		s->bad = true;
	if (s->bad)
		return false;
	do_step(s, d, m, step);
	if (s->loading && step && !s->bad)
		d->loading.next++;
	if (s->loading && !s->bad && d->loading.next == diag_state_steps(d))
		d->loading.next = 0;
	return !s->bad;
}

/* ---- the stamp ---- */

static uint64_t mix_bytes(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;

	/* FNV-1a */
	for (size_t i = 0; i < n; i++)
		h = (h ^ c[i]) * UINT64_C(0x100000001b3);
	return h;
}

uint64_t diag_state_stamp(void)
{
	const uint32_t numbers[] = {VERSION, WINDOW_SAMPLES, PRIORITIES, FIND_COUNT, SIGNAL_COUNT,
		SEV_COUNT, REF_ROW, CLOSED_RING, VERDICT_COUNT, (uint32_t)sizeof(struct finding),
		(uint32_t)sizeof(struct sample), (uint32_t)detector_count};
	uint64_t h = mix_bytes(UINT64_C(0xcbf29ce484222325), numbers, sizeof(numbers));

	for (unsigned i = 0; i < FIND_COUNT; i++)
		h = mix_bytes(h, finding_info[i].name, strlen(finding_info[i].name) + 1);
	for (size_t i = 0; i < detector_count; i++)
		h = mix_bytes(h, detector_table[i]->name, strlen(detector_table[i]->name) + 1);
	return h;
}
