/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/detectors/pause_internal.h"
#include "diagnosis/evidence/watchdog.h"
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"

/* Diagnosis reference, table of thresholds: share of time paused by a NIC. */
#define NIC_WARN  0.02F
#define NIC_CRIT  0.10F
#define NIC_STORM 0.90F
/* Load that still passes in a storm: next to none. */
#define STORM_UTIL 0.02F
/* A NIC that waits for the bus: its own gauges, share of the last second. Railtop's own. */
#define PCI_STALLED 10.0
/* Reference 2.7: a slow edge takes 1.5 times as long as the others. */
#define SLOW_EDGE 1.5
/*
 * How slow its sending may be beside its receiving. The answers to what it sends wait, too, in the
 * queue that it pauses: so sending is late by about what receiving is late by. Railtop's own.
 */
#define MORE_THAN_IN 1.25
#define LESS_THAN_IN 0.8
/* Below 1.5 a step is slow only beside another that is less so. Railtop's own. */
#define LATE_OUT 1.3
/* Median steps: more than a step is no difference between clocks or processes. Railtop's own. */
#define AWAITED 1.0
/* One operation may be slow for any reason. */
#define OPS_LEAST 2
/* Below this share of all lost capacity, a search of NCCL's operations is not worth its cost. */
#define EDGES_SHARE 0.05
/* Above this load a NIC keeps up: frames alone prove nothing. */
#define BOUND_LOAD 0.8F

/* A terminal: a leaf's egress that a NIC pauses. */
struct nic_case {
	struct diag_run *r;
	uint32_t node;
	const struct pause_node *n;
	const struct port *leaf, *nic; /* nic NULL: not in the model */
	const struct sample *at_leaf, *at_nic;
	struct egress_load load;
	float fullness;
};

static double nic_rate(const struct nic_case *k, enum counter_id id)
{
	return k->nic && k->at_nic ? port_rate(k->nic, id, 0) : (double)NAN;
}

static double nic_gauge(const struct nic_case *k, enum counter_id id)
{
	const struct cell *c = k->nic && k->at_nic ? port_cell(k->nic, id, 0) : NULL;

	return c && c->valid == VALID_OK ? c->real : (double)NAN;
}

/* A NIC that died or lost its link may leave frames behind: the link's finding takes precedence. */
static bool carrier_changed(const struct nic_case *k)
{
	const struct sample *leaf = window_ago(k->r->w, k->leaf->id, 1);
	const struct sample *nic = k->nic ? window_ago(k->r->w, k->nic->id, 1) : NULL;

	if (k->leaf->oper == OPER_DOWN || (k->nic && k->nic->oper == OPER_DOWN))
		return true;
	return (k->at_leaf && k->at_leaf->flaps) || (k->at_nic && k->at_nic->flaps) ||
	       (leaf && leaf->flaps) || (nic && nic->flaps);
}

static bool own_storm_counters(const struct nic_case *k)
{
	return nic_rate(k, CTR_PAUSE_STORM_WARNINGS) > 0 || nic_rate(k, CTR_PAUSE_STORM_ERRORS) > 0;
}

static bool watchdog_acts(const struct nic_case *k)
{
	return k->leaf->wd[k->n->priority].state == WD_STORMED ||
	       (k->at_leaf && k->at_leaf->watchdog_drops > 0) ||
	       port_rate(k->leaf, CTR_PFCWD_STORM_DETECTED, k->n->priority) > 0;
}

static bool nothing_moves(const struct nic_case *k)
{
	const struct sample *s = k->at_leaf;
	float speed =
		(float)(k->leaf->speed_mbps ? k->leaf->speed_mbps : k->leaf->plan_speed_mbps) *
		1e6F;

	if (s && s->lossless_tx_bps < STORM_UTIL * speed)
		return true;
	return k->load.util < STORM_UTIL;
}

/*
 * The watchdog restores the queue, and detects the next storm at once. Between, frames come in. How
 * many is no measure: some chips count none while the watchdog acts.
 */
static bool storm_goes_on(const struct nic_case *k)
{
	return watchdog_detects_again(k->leaf, k->n->priority);
}

static bool is_storm(const struct nic_case *k)
{
	if (storm_goes_on(k))
		return true;
	if (k->n->held >= NIC_STORM && (nothing_moves(k) || watchdog_acts(k)))
		return true;
	return k->n->held >= NIC_CRIT && own_storm_counters(k);
}

/* Whether evidence besides pause frames shows that the NIC does not keep up. */
static bool is_supported(const struct nic_case *k)
{
	bool queue = k->at_leaf && !isnan(k->at_leaf->queue_peak) && k->fullness > 0;
	bool marks = k->at_leaf && k->at_leaf->ecn_pps > 1;

	if ((k->n->held >= NIC_STORM && nothing_moves(k)) || storm_goes_on(k))
		return true;
	if (!(k->load.util < BOUND_LOAD))
		return false;
	return queue || marks || k->n->nupstream || own_storm_counters(k) ||
	       nic_rate(k, CTR_RX_OUT_OF_BUFFER) > 0 ||
	       nic_rate(k, CTR_RX_BUFFER_PASSED_THRESHOLD) > 0;
}

/* ---- evidence common to all three ---- */

static void add_load(const struct nic_case *k, struct finding *f)
{
	if (isnan(k->load.util))
		return;
	(void)finding_number(f, at_port(k->leaf->id), "load towards it", (double)k->load.util * 100,
		"%", "below line rate", "counter");
	finding_weigh(f, SIGNAL_LOAD, k->load.util < BOUND_LOAD ? 2 : 1);
}

static void add_queue(const struct nic_case *k, struct finding *f)
{
	const struct sample *s = k->at_leaf;

	if (!s)
		return;
	if (!isnan(s->queue_peak)) {
		struct evidence *e = finding_number(f, at_port(k->leaf->id), "queue peak",
			(double)s->queue_peak / 1e3, "kB", "standing", "counter");

		e->against = !(k->fullness > 0);
		if (k->fullness > 0)
			finding_weigh(f, SIGNAL_QUEUE, 4);
	}
	if (s->ecn_pps > 1) {
		(void)finding_number(f, at_port(k->leaf->id), "ecn_marked_packets",
			(double)s->ecn_pps, "/s", "> 0 below line rate", "counter");
		finding_weigh(f, SIGNAL_QUEUE, 4);
	}
}

static void add_counter(
	const struct nic_case *k, struct finding *f, enum counter_id id, double likelihood)
{
	double rate = nic_rate(k, id);

	if (!k->nic || !(rate > 0))
		return;
	(void)finding_number(
		f, at_port(k->nic->id), counter_info[id].name, rate, "/s", "> 0", "counter");
	finding_weigh(f, SIGNAL_LOSS, likelihood);
}

static struct finding *claim_nic(const struct nic_case *k, enum finding_id id)
{
	struct ref leaf = at_port(k->leaf->id);
	struct ref at = k->nic ? at_port(k->nic->id) : leaf;
	struct finding *f = diag_claim(k->r, id, at);

	if (k->nic)
		f->peer = leaf;
	pause_evidence_held(k->r, f, k->n);
	add_load(k, f);
	pause_fill(k->r, f, k->node);
	return f;
}

static void refute_incast(const struct nic_case *k, struct finding *f)
{
	if (!isnan(k->load.util))
		finding_refute(f, FIND_INCAST, at_port(k->leaf->id),
			"the egress is paused by the NIC and carries %.0f%%: it is not full at "
			"line rate",
			(double)k->load.util * 100);
}

/* ---- storm ---- */

static void add_watchdog(const struct nic_case *k, struct finding *f)
{
	const struct watchdog *w = &k->leaf->wd[k->n->priority];
	char text[80];

	if (w->state == WD_UNKNOWN && !watchdog_acts(k))
		return;
	if (watchdog_acts(k)) {
		(void)str_printf(
			text, sizeof(text), "it acts%s%s", w->action[0] ? ": " : "", w->action);
		finding_weigh(f, SIGNAL_LOSS, 10);
	} else {
		(void)str_copy(text, sizeof(text),
			w->state == WD_OFF ? "no watchdog is configured" : "it has not acted");
	}
	(void)finding_text(
		f, at_priority(k->leaf->id, k->n->priority), "PFC watchdog", text, "counter");
}

static void claim_storm(const struct nic_case *k)
{
	struct finding *f = claim_nic(k, FIND_PFC_STORM);
	char where[96] = "";
	bool hard = k->n->held >= NIC_STORM && nothing_moves(k);

	(void)ref_format(k->r->m, f->at, where, sizeof(where));
	if (storm_goes_on(k) && !hard)
		finding_title(f,
			"PFC storm from %s: the watchdog of its leaf port acts again and again",
			where);
	else
		finding_title(f, "PFC storm from %s: its leaf port is paused %.0f%% of the time%s",
			where, (double)k->n->held * 100, hard ? ", nothing moves" : "");
	/* Reference 2.8: NIC pausing above 0.9 of the time and bytes next to 0: 100. */
	finding_weigh(f, SIGNAL_PAUSE, hard || storm_goes_on(k) ? 100 : 50);
	add_watchdog(k, f);
	add_counter(k, f, CTR_PAUSE_STORM_WARNINGS, 20);
	add_counter(k, f, CTR_PAUSE_STORM_ERRORS, 50);
	refute_incast(k, f);
	if (hard)
		finding_refute(f, FIND_SLOW_RECEIVER, f->at,
			"a slow receiver still receives some bytes: here nothing passes");
	finding_refute(f, FIND_DEADLOCK, at_port(k->leaf->id),
		"the pauses begin at a NIC, not in a cycle");
}

/* ---- slow receiver, or bound by PCIe ---- */

static bool is_narrow(const struct nic_case *k)
{
	double width = nic_gauge(k, CTR_PCIE_WIDTH), speed = nic_gauge(k, CTR_PCIE_SPEED_MTPS);

	return k->nic &&
	       ((k->nic->more->pcie_max_width && width < k->nic->more->pcie_max_width) ||
		       (k->nic->more->pcie_max_mtps && speed < k->nic->more->pcie_max_mtps));
}

static bool stalls_both_ways(const struct nic_case *k)
{
	return nic_gauge(k, CTR_PCI_STALLED_READ_PCT) > PCI_STALLED &&
	       nic_gauge(k, CTR_PCI_STALLED_WRITE_PCT) > PCI_STALLED;
}

/* Evidence of both kinds from the bus and from NCCL, weighed for the claimed kind. */
static void add_bus(const struct nic_case *k, struct finding *f, bool bus)
{
	static const enum counter_id gauges[] = {
		CTR_PCI_STALLED_READ_PCT, CTR_PCI_STALLED_WRITE_PCT};

	for (size_t i = 0; i < 2; i++) {
		double stalled = nic_gauge(k, gauges[i]);

		if (!k->nic || !(stalled > PCI_STALLED))
			continue;
		(void)finding_number(f, at_port(k->nic->id), counter_info[gauges[i]].name, stalled,
			"%", "> 10%", "counter");
		finding_weigh(f, SIGNAL_FACT, bus ? 20 : 5);
	}
	if (!k->nic || !is_narrow(k))
		return;
	(void)finding_number(f, at_port(k->nic->id), "pcie_width", nic_gauge(k, CTR_PCIE_WIDTH),
		"lanes", "= card and slot", "config");
	finding_weigh(f, SIGNAL_CONFIG, 50);
}

static void add_edges(const struct nic_case *k, struct finding *f, struct nic_edges e)
{
	if (!isnan(e.in))
		(void)finding_number(
			f, f->at, "NCCL step into it", e.in, "x", "others = 1", "nccl");
	if (!isnan(e.out))
		(void)finding_number(
			f, f->at, "NCCL step out of it", e.out, "x", "others = 1", "nccl");
	if (e.awaited > AWAITED)
		(void)finding_number(f, f->at, "NCCL wait for its entry", e.awaited, "steps",
			"< 1 step", "nccl");
	if (e.in > SLOW_EDGE)
		finding_weigh(f, SIGNAL_NCCL, 20);
	(void)k;
}

/*
 * Each phase of a collective uses other edges, so a slow NIC may show in only one sample of three,
 * but then clearly.
 */
static bool is_recurring(const struct nic_case *k)
{
	unsigned n = 0;

	for (unsigned ago = 0; ago < WINDOW_SAMPLES; ago++) {
		const struct sample *s = window_ago(k->r->w, k->leaf->id, ago);

		n += s && !s->held_bound && s->held > NIC_CRIT;
	}
	return n >= 2;
}

/* The steps cannot tell the two apart. */
#define OR_THE_BUS ", or PCIe limits it"

/* What the job's steps say of the bus, which limits sending as much as receiving. */
enum bus_sign { BUS_NOT, BUS_MAYBE, BUS_LIMITS };

/*
 * A slow receiver alone slows the steps into it, and keeps the rank before it as long as itself.
 * Those out of it are late as well where a step ends with its answer: by about as much. Far more
 * than that, or far less but still much, is no delay of answers. A NIC that is late with its
 * sending leaves the operation last: the rank before it waits for its entry into the next one.
 */
static enum bus_sign bus_by_steps(struct nic_edges e)
{
	/* There each step waits for a slow receiver's answers as well. */
	if (!e.ops && e.to_all > SLOW_EDGE)
		return BUS_MAYBE;
	if (!(e.out > LATE_OUT))
		return BUS_NOT;
	if (e.ops < OPS_LEAST)
		return BUS_MAYBE;
	if (e.out > MORE_THAN_IN * e.in || e.awaited > AWAITED)
		return BUS_LIMITS;
	if (!(e.out > SLOW_EDGE))
		return BUS_NOT;
	return e.out < LESS_THAN_IN * e.in ? BUS_LIMITS : BUS_MAYBE;
}

static void claim_slow(const struct nic_case *k)
{
	struct nic_edges e = {(double)NAN, (double)NAN, (double)NAN, (double)NAN, 0};
	bool bus = is_narrow(k) || stalls_both_ways(k), told = bus;
	enum bus_sign sign;
	struct finding *f;
	char where[96] = "";

	if (k->nic && pause_blame_share(k->r, k->n) > EDGES_SHARE)
		e = pause_nic_edges(k->r->m, k->nic->id);
	sign = bus_by_steps(e);
	bus = bus || sign == BUS_LIMITS;
	f = claim_nic(k, bus ? FIND_PCIE_BOUND : FIND_SLOW_RECEIVER);
	f->recurs = is_recurring(k);
	if (k->n->held < NIC_CRIT && !k->n->nupstream)
		f->severity = SEV_WARN;
	(void)ref_format(k->r->m, f->at, where, sizeof(where));
	finding_title(f,
		"%s receives less than its link delivers%s: its leaf port is paused %.0f%% of the "
		"time",
		where, !told && sign == BUS_MAYBE ? OR_THE_BUS : "", (double)k->n->held * 100);
	finding_weigh(f, SIGNAL_PAUSE,
		1 + 40 * fmax(pause_blame_share(k->r, k->n), fmin(1, 2 * (double)k->n->held)));
	add_queue(k, f);
	add_counter(k, f, CTR_RX_OUT_OF_BUFFER, 5);
	add_counter(k, f, CTR_RX_BUFFER_PASSED_THRESHOLD, 10);
	add_bus(k, f, bus);
	add_edges(k, f, e);
	refute_incast(k, f);
	if (k->n->held < NIC_STORM)
		finding_refute(f, FIND_PFC_STORM, f->at,
			"paused %.0f%% of the time, and bytes still pass",
			(double)k->n->held * 100);
	if (bus)
		finding_refute(f, FIND_SLOW_RECEIVER, f->at,
			"sending is limited too: the bus is the cause");
	else if (!isnan(e.out) && sign == BUS_NOT)
		finding_refute(f, FIND_PCIE_BOUND, f->at,
			"its sending is not limited (%.1f x the others)", e.out);
}

void pause_judge_nic(struct diag_run *r, uint32_t node)
{
	struct nic_case k = {.r = r, .node = node, .n = &r->pauses->nodes.at[node]};

	k.leaf = r->m->ports.at[k.n->port];
	k.nic = port_peer(r->m, k.leaf, NULL);
	k.at_leaf = window_last(r->w, k.leaf->id);
	k.at_nic = k.nic ? window_last(r->w, k.nic->id) : NULL;
	k.load = egress_load(r->m, r->w, k.leaf->id);
	k.fullness = egress_fullness(r->m, r->w, k.leaf->id, k.n->priority);
	if (k.n->held < NIC_WARN || carrier_changed(&k) || (k.n->bound && !is_supported(&k)))
		return;
	if (is_storm(&k))
		claim_storm(&k);
	else
		claim_slow(&k);
}

/* ---- storms stopped by the NIC itself ---- */

int64_t pause_digest(struct diag_run *r, const struct device *d)
{
	struct pause_memory *mem = *r->memory;

	if (!mem)
		*r->memory = mem = mem_calloc(1, sizeof(*mem));
	while (mem->stopped.n <= d->id) {
		vec_push(&mem->stopped, false);
		vec_push(&mem->unseen, false);
	}
	mem->stopped.at[d->id] = mem->unseen.at[d->id] = false;
	for (size_t i = 0; d->tier == TIER_HOST && i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]];

		mem->stopped.at[d->id] |= port_rate(p, CTR_PAUSE_STORM_ERRORS, 0) > 0;
		mem->unseen.at[d->id] |= !port_peer(r->m, p, NULL);
	}
	return INT64_MAX;
}

void pause_free_memory(void *memory)
{
	struct pause_memory *mem = memory;

	if (mem) {
		vec_free(&mem->stopped);
		vec_free(&mem->unseen);
	}
	free(mem);
}

void pause_judge_stopped_storms(struct diag_run *r)
{
	const struct pause_memory *mem = *r->memory;

	for (size_t d = 0; mem && d < mem->stopped.n; d++) {
		const struct device *dev = r->m->devices.at[d];

		for (size_t i = 0; mem->stopped.at[d] && i < dev->ports.n; i++) {
			const struct port *p = r->m->ports.at[dev->ports.at[i]], *peer;
			double errors = port_rate(p, CTR_PAUSE_STORM_ERRORS, 0);
			struct finding *f;

			if (!(errors > 0) || !window_last(r->w, p->id) ||
				diag_claimed(r, FIND_PFC_STORM, at_port(p->id)))
				continue;
			f = diag_claim(r, FIND_PFC_STORM, at_port(p->id));
			peer = port_peer(r->m, p, NULL);
			if (peer)
				f->peer = at_port(peer->id);
			(void)finding_number(
				f, f->at, "pause_storm_errors", errors, "/s", "> 0", "counter");
			finding_weigh(f, SIGNAL_PAUSE, 100);
			finding_title(f, "the NIC paused for so long that its storm prevention "
					 "switched pause off");
		}
	}
}
