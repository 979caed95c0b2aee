/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/engine/state_parts.h"
#include "diagnosis/evidence/wiring.h"
#include "fabric/model/unnamed.h"
#include "fabric/vocabulary/counters.h"

/*
 * Time before links that are up without a neighbour are reported. LLDP is polled each 30 or 60 s,
 * and a neighbour sends each 30 s and is kept for 120 s (IEEE 802.1AB msgTxInterval, msgTxHold).
 */
#define SILENT_US (180 * CLOCK_SEC)
/* Link state changes do not count as wiring changes, so silent links are checked at this
 * interval. */
#define LOOK_US (30 * CLOCK_SEC)

struct wiring_memory {
	wiring_vec faults;
	uint64_t generation;
	int64_t looked_us;
	/* Start of silence: of the whole fabric, then by device, then of missing names; 0: not
	 * silent. */
	VEC(int64_t) silent_us;
};

static void free_memory(void *memory)
{
	struct wiring_memory *w = memory;

	if (!w)
		return;
	wiring_free(&w->faults);
	vec_free(&w->silent_us);
	free(w);
}

static enum finding_id id_of(enum wiring_kind k)
{
	static const enum finding_id ids[] = {[WIRING_OK] = FIND_COUNT,
		[WIRING_SWAP] = FIND_WIRING_SWAPPED,
		[WIRING_ROTATION] = FIND_WIRING_ROTATED,
		[WIRING_OTHER] = FIND_WIRING_WRONG,
		[WIRING_NO_PROOF] = FIND_WIRING_UNPROVEN,
		[WIRING_NO_NAMES] = FIND_WIRING_UNPROVEN};

	return ids[k];
}

static void add_ends(const struct diag_run *r, struct finding *f, const struct wiring_fault *w)
{
	for (size_t i = 0; i < w->ports.n; i++) {
		const struct port *p = r->m->ports.at[w->ports.at[i]];
		char is[80], should[2 * NAME_MAX_LEN];
		struct evidence *e;

		vec_push(&f->members, at_port(p->id));
		if (p->plan_peer != PORT_NONE)
			vec_push(&f->members, at_port(p->plan_peer));
		if (i >= 8) /* a rotated host's NICs; the moves name the rest */
			continue;
		if (p->lldp_device[0])
			(void)str_printf(is, sizeof(is), "%s %s", p->lldp_device, p->lldp_port);
		else if (p->lldp_peer != PORT_NONE)
			(void)wiring_port_name(r->m, p->lldp_peer, is, sizeof(is));
		else
			(void)str_copy(is, sizeof(is), "nobody");
		e = finding_text(f, at_port(p->id), "LLDP neighbour", is, "lldp");
		e->t_us = p->lldp_us;
		if (p->plan_peer == PORT_NONE)
			continue;
		(void)wiring_port_name(r->m, p->plan_peer, should, sizeof(should));
		(void)str_copy(e->threshold, sizeof(e->threshold), should);
	}
}

/* Traffic that leaves the rail because of the fault: load between rails that the plan does not
 * have. */
static void add_traffic(const struct diag_run *r, struct finding *f, const struct wiring_fault *w)
{
	double sum = 0;
	bool any = false;

	for (size_t i = 0; i < w->ports.n; i++) {
		double bytes = port_rate(r->m->ports.at[w->ports.at[i]], CTR_TX_BYTES, 0);

		if (isnan(bytes))
			continue;
		sum += bytes * 8;
		any = true;
	}
	if (any && w->wrong_rail)
		(void)finding_number(
			f, f->at, "sent on a wrong rail", sum / 1e9, "Gb/s", "= 0", "counter");
}

static void add_moves(const struct diag_run *r, struct finding *f, const struct wiring_fault *w)
{
	char text[4 * NAME_MAX_LEN];

	for (size_t i = 0; i < w->moves.n; i++) {
		(void)wiring_move_text(r->m, &w->moves.at[i], text, sizeof(text));
		(void)finding_text(f, at_port(w->moves.at[i].from), "cable move", text, "plan");
	}
	if (w->moves.n)
		(void)str_printf(f->command, sizeof(f->command), "# %zu cable moves: view wiring",
			w->moves.n);
	else
		(void)str_copy(f->command, sizeof(f->command),
			"# compare the port's label with the neighbour's name");
}

static void claim_fault(struct diag_run *r, const struct wiring_fault *w)
{
	const struct port *p = r->m->ports.at[w->ports.at[0]];
	struct finding *f = diag_claim(r, id_of(w->kind),
		w->kind == WIRING_ROTATION ? at_device(p->device) : at_port(p->id));

	if (f->evidence.n)
		return;
	f->peer = p->plan_peer != PORT_NONE ? at_port(p->plan_peer) : f->peer;
	f->onset_us = p->lldp_us ? p->lldp_us : r->now_us;
	finding_title(f, "%s", w->text);
	/* Above the reference's 50 to 200 for facts: LLDP names the very ports of a permutation,
	 * so only the plan is in doubt. */
	finding_weigh(f, SIGNAL_FACT, w->moves.n ? 2000 : 200);
	add_ends(r, f, w);
	add_traffic(r, f, w);
	add_moves(r, f, w);
}

static void claim_silent(struct diag_run *r, const struct wiring_fault *w)
{
	struct ref at = {.kind = REF_FABRIC};
	struct finding *f;

	if (w->ports.n)
		at = at_device(r->m->ports.at[w->ports.at[0]]->device);
	f = diag_claim(r, FIND_WIRING_UNPROVEN, at);
	f->role = ROLE_INFO;
	finding_title(f, "%s", w->text);
	for (size_t i = 0; i < w->ports.n; i++) {
		vec_push(&f->members, at_port(w->ports.at[i]));
		if (i < 4)
			(void)finding_text(
				f, at_port(w->ports.at[i]), "LLDP neighbour", "none", "lldp");
	}
	(void)str_copy(f->command, sizeof(f->command), "# switch LLDP on at both ends");
}

static void claim_unnamed(struct diag_run *r, const struct wiring_fault *w)
{
	struct unnamed u = model_unnamed(r->m);
	struct finding *f;

	if (!u.devices)
		return;
	f = diag_claim(r, FIND_WIRING_UNPROVEN, at_device(u.first));
	f->role = ROLE_INFO;
	finding_title(f, "%s", w->text);
	(void)finding_text(f, f->at, "port names", "not known", "plan");
	(void)str_printf(f->command, sizeof(f->command),
		"# dialect: of %s in the inventory, or wiring: {file: ...}",
		r->m->devices.at[u.first]->name);
}

static bool is_proof(const struct wiring_fault *f)
{
	return f->kind != WIRING_NO_PROOF && f->kind != WIRING_NO_NAMES;
}

/* Index in silent_us for the fault's device, or for missing names. */
static size_t silent_slot(const struct model *m, const struct wiring_fault *f)
{
	if (f->kind == WIRING_NO_NAMES)
		return 1 + m->devices.n;
	return f->ports.n ? 1 + m->ports.at[f->ports.at[0]]->device : 0;
}

/* A device that is no longer silent starts from zero the next time. */
static void note_silent(const struct diag_run *r, struct wiring_memory *w)
{
	size_t n = r->m->devices.n + 2;
	int64_t *now = mem_calloc(n, sizeof(*now));

	for (size_t i = 0; i < w->faults.n; i++) {
		size_t at = silent_slot(r->m, &w->faults.at[i]);

		if (!is_proof(&w->faults.at[i]))
			now[at] = at < w->silent_us.n && w->silent_us.at[at] ? w->silent_us.at[at]
									     : r->now_us;
	}
	free(w->silent_us.at);
	w->silent_us.at = now;
	w->silent_us.n = w->silent_us.size = n;
}

static void check_wiring(struct diag_run *r, struct wiring_memory *w)
{
	if (w->looked_us && w->generation == r->m->wiring_generation &&
		r->now_us - w->looked_us < LOOK_US && r->now_us >= w->looked_us)
		return;
	w->generation = r->m->wiring_generation;
	w->looked_us = r->now_us;
	wiring_free(&w->faults);
	wiring_check(r->m, &w->faults);
	note_silent(r, w);
}

static void run_wiring(struct diag_run *r)
{
	struct wiring_memory *w = *r->memory;

	if (!w)
		*r->memory = w = mem_calloc(1, sizeof(*w));
	check_wiring(r, w);
	for (size_t i = 0; i < w->faults.n; i++) {
		const struct wiring_fault *f = &w->faults.at[i];

		if (is_proof(f))
			claim_fault(r, f);
		else if (r->now_us - w->silent_us.at[silent_slot(r->m, f)] < SILENT_US)
			continue;
		else if (f->kind == WIRING_NO_NAMES)
			claim_unnamed(r, f);
		else
			claim_silent(r, f);
	}
}

/* ---- serialisation ---- */

STATE_SIZE(struct cable_move, 24);
STATE_SIZE(struct wiring_fault, 184);
STATE_SIZE(struct wiring_memory, 64);

static void state_move(struct state *s, struct cable_move *c, const struct model *m)
{
	uint32_t ports = (uint32_t)m->ports.n;

	state_below(s, &c->cable_at, ports);
	state_below(s, &c->from, ports);
	state_below(s, &c->to, ports);
	state_u32(s, &c->step);
	state_u32(s, &c->group);
	state_bool(s, &c->parked);
}

static void state_fault(struct state *s, struct wiring_fault *f, const struct model *m)
{
	uint32_t ports = (uint32_t)m->ports.n;

	STATE_ENUM(s, f->kind, WIRING_NO_NAMES + 1);
	STATE_LIST(s, &f->ports, ports, p, state_below(s, p, ports));
	state_i32(s, &f->rails);
	state_bool(s, &f->wrong_tier);
	state_bool(s, &f->wrong_rail);
	state_text(s, f->text, sizeof(f->text));
	STATE_LIST(s, &f->moves, ports, c, state_move(s, c, m));
	if (s->loading && (f->kind == WIRING_OK || (!f->ports.n && is_proof(f))))
		s->bad = true;
}

static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	struct wiring_memory *w;

	if (!state_memory(s, memory, sizeof(*w)))
		return;
	w = *memory;
	STATE_LIST(s, &w->faults, m->ports.n + m->devices.n + 2, f, state_fault(s, f, m));
	state_u64(s, &w->generation);
	state_wall(s, &w->looked_us);
	STATE_LIST(s, &w->silent_us, m->devices.n + 2, us, state_wall(s, us));
	for (size_t i = 0; s->loading && i < w->faults.n; i++)
		if (!is_proof(&w->faults.at[i]) &&
			silent_slot(m, &w->faults.at[i]) >= w->silent_us.n)
			s->bad = true;
}

const struct detector detect_wiring = {"wiring", run_wiring, free_memory, state_memory_of, NULL};
