/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diagnosis/detectors/pause_internal.h"
#include "fabric/ref.h"

/* Reference 2.5: pressure from a cyclic buffer dependency, "d > 0.02 but bytes still moving". */
#define PRESSURE_HELD 0.02F
/* From here on it harms like any pause (table of thresholds: 10 % is critical). */
#define PRESSURE_CRIT 0.10F
/*
 * Each egress waits for the next with at least this share of its weight. The weights follow the
 * marks of queues, which differ from sample to sample: more is not asked of one sample. Railtop's
 * own.
 */
#define PRESSURE_WEIGHT 0.02F

static const struct pause_node *node_at(const struct diag_run *r, uint32_t i)
{
	return &r->pauses->nodes.at[i];
}

/* Edges are sorted by their origin. */
static float weight_between(const struct diag_run *r, uint32_t from, uint32_t to)
{
	const struct pause_graph *g = r->pauses;
	size_t low = 0, high = g->edges.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (g->edges.at[mid].from < from)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < g->edges.n && g->edges.at[low].from == from; low++)
		if (g->edges.at[low].to == to)
			return g->edges.at[low].weight;
	return 0;
}

/* Whether all of it is paused, by measured time, and each also waits for the next. */
static bool is_pressing(const struct diag_run *r, const struct pause_cycle *c, float *least)
{
	*least = 1;
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct pause_node *n = node_at(r, c->nodes.at[i]);
		uint32_t next = c->nodes.at[(i + 1) % c->nodes.n];

		if (n->bound || n->held < PRESSURE_HELD ||
			weight_between(r, c->nodes.at[i], next) < PRESSURE_WEIGHT)
			return false;
		*least = n->held < *least ? n->held : *least;
	}
	return true;
}

/* "Initial trigger": the strongest inflow from outside the cycle. The cycle holds it now: it fed
 * the loop, and is no fault by itself. */
static uint32_t trigger_of(const struct diag_run *r, uint32_t index)
{
	const struct pause_graph *g = r->pauses;
	uint32_t best = UINT32_MAX;
	float most = 0;

	for (size_t i = 0; i < g->edges.n; i++) {
		const struct pause_edge *e = &g->edges.at[i];
		float feeds = node_at(r, e->from)->lost_bps * e->weight;

		if (node_at(r, e->to)->cycle == index && node_at(r, e->from)->cycle != index &&
			feeds > most) {
			most = feeds;
			best = e->from;
		}
	}
	return best;
}

/* The terminal that the cycle leads out to and that may have triggered it; UINT32_MAX: none. */
static uint32_t exit_of(const struct diag_run *r, uint32_t index)
{
	const struct pause_graph *g = r->pauses;

	for (size_t i = 0; i < g->nodes.n; i++)
		if (g->nodes.at[i].cycle == index &&
			g->nodes.at[g->nodes.at[i].root].cycle != index)
			return g->nodes.at[i].root;
	return UINT32_MAX;
}

static void add_members(struct diag_run *r, struct finding *f, const struct pause_cycle *c)
{
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct pause_node *n = node_at(r, c->nodes.at[i]);
		const struct sample *s = window_last(r->w, n->port);

		vec_push(&f->members, at_port(n->port));
		pause_evidence_held(r, f, n);
		if (s && !isnan(s->tx_bps))
			(void)finding_number(f, at_port(n->port), "tx_bytes",
				(double)s->tx_bps / 1e9, "Gb/s", c->hard ? "= 0" : "moves",
				"counter");
	}
}

/* Whether each of its queues is known to be non-empty. */
static bool queues_stand(const struct diag_run *r, const struct pause_cycle *c)
{
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct pause_node *n = node_at(r, c->nodes.at[i]);
		const struct sample *s = window_last(r->w, n->port);

		if (!s || isnan(s->queue_peak) ||
			!(egress_fullness(r->m, r->w, n->port, n->priority) > 0))
			return false;
	}
	return true;
}

static void add_title(struct diag_run *r, struct finding *f, const struct pause_cycle *c)
{
	char path[sizeof(f->title)];

	pause_cycle_write(r->pauses, r->m, c, path, sizeof(path));
	finding_title(f, "%s: %s", c->hard ? "PFC deadlock" : "cycle of pauses", path);
}

static void add_victims(struct diag_run *r, struct finding *f, const struct pause_cycle *c)
{
	size_t n;
	const uint32_t *up = pause_graph_upstream(r->pauses, c->nodes.at[0], &n);

	for (size_t i = 0; i < n; i++)
		if (node_at(r, up[i])->cycle != node_at(r, c->nodes.at[0])->cycle)
			finding_victim(f, at_port(node_at(r, up[i])->port),
				(double)node_at(r, up[i])->held * 100);
	for (size_t i = 0; i < c->nodes.n; i++) {
		const struct pause_node *m = node_at(r, c->nodes.at[i]);

		/* Also when a path leads out and takes the blame: the cycle adds to the harm. */
		f->blame_gbps += m->lost_bps / 1e9F;
		f->onset_us = m->since_us < f->onset_us ? m->since_us : f->onset_us;
	}
}

static void add_trigger(struct diag_run *r, struct finding *f, uint32_t index)
{
	uint32_t trigger = trigger_of(r, index), out = exit_of(r, index);

	if (trigger != UINT32_MAX)
		(void)finding_text(f, at_port(node_at(r, trigger)->port), "trigger",
			"largest inflow into the cycle, paused by it", "counter");
	if (out != UINT32_MAX)
		(void)finding_text(f, at_port(node_at(r, out)->port), "way out",
			pause_end_name((enum pause_end)node_at(r, out)->end), "counter");
}

static void judge_cycle(struct diag_run *r, uint32_t index)
{
	const struct pause_cycle *c = &r->pauses->cycles.at[index - 1];
	struct ref at = at_port(node_at(r, c->nodes.at[0])->port);
	float least = 0;
	struct finding *f;

	if (!c->hard && !is_pressing(r, c, &least))
		return;
	f = diag_claim(r, c->hard ? FIND_DEADLOCK : FIND_PFC_CYCLE, at);
	f->peer = at_port(node_at(r, c->nodes.at[1 % c->nodes.n])->port);
	if (c->hard) {
		finding_weigh(f, SIGNAL_PAUSE, 200);
		finding_weigh(f, SIGNAL_LOAD, 50);
		finding_refute(f, FIND_PFC_STORM, at, "no NIC pauses an egress of the cycle");
		finding_refute(f, FIND_PFC_CYCLE, at,
			"none of its egresses has sent a byte for two samples");
	} else {
		f->severity = least >= PRESSURE_CRIT ? SEV_CRIT : SEV_WARN;
		finding_weigh(f, SIGNAL_PAUSE, least >= PRESSURE_CRIT ? 200 : 50);
		finding_weigh(f, SIGNAL_LOAD, least >= PRESSURE_CRIT ? 100 : 3);
		finding_refute(
			f, FIND_DEADLOCK, at, "bytes still move, or an egress is not paused");
	}
	if (queues_stand(r, c)) {
		(void)finding_text(f, at, "queues", "all of them are stopped", "counter");
		finding_weigh(f, SIGNAL_QUEUE, 4);
	}
	add_title(r, f, c);
	add_members(r, f, c);
	add_victims(r, f, c);
	add_trigger(r, f, index);
}

void pause_judge_cycles(struct diag_run *r)
{
	for (uint32_t i = 0; i < r->pauses->cycles.n; i++)
		judge_cycle(r, i + 1);
}
