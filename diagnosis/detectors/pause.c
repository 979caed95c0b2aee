/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/detectors/pause_internal.h"
#include "fabric/ref.h"

/* With more terminals each absorbs next to nothing: even load, no faults. */
#define TERMINALS_MOST 256
/*
 * An unexplained pause is reported from here on. Start-ups and polls that do not match show a per
 * cent or two (reference table of thresholds: healthy all-to-all up to 1.8 %).
 */
#define UNEXPLAINED_HELD 0.05F

double pause_blame_share(const struct diag_run *r, const struct pause_node *n)
{
	double sum = 0;

	for (size_t i = 0; i < r->pauses->terminals.n; i++)
		sum += (double)r->pauses->nodes.at[r->pauses->terminals.at[i]].blame_bps;
	return sum > 0 ? (double)n->blame_bps / sum : 0;
}

void pause_fill(struct diag_run *r, struct finding *f, uint32_t node)
{
	const struct pause_graph *g = r->pauses;
	size_t n;
	const uint32_t *up = pause_graph_upstream(g, node, &n);

	f->blame_gbps = g->nodes.at[node].blame_bps / 1e9F;
	f->onset_us = g->nodes.at[node].since_us;
	for (size_t i = 0; i < n; i++)
		finding_victim(
			f, at_port(g->nodes.at[up[i]].port), (double)g->nodes.at[up[i]].held * 100);
	if (n)
		(void)finding_number(
			f, f->at, "victims", (double)n, "", "paused because of it", "counter");
}

void pause_evidence_held(struct diag_run *r, struct finding *f, const struct pause_node *n)
{
	struct pause_share s = pause_held(r->m, r->w, n->port, n->priority);
	const struct port *peer = port_peer(r->m, r->m->ports.at[n->port], NULL);
	const char *what = s.bound ? "pfc_rx_frames" : "pfc_rx_duration_us";
	struct ref at = at_priority(n->port, n->priority);
	struct evidence *e;

	if (s.far && peer) {
		what = s.bound ? "pfc_tx_frames" : "pfc_tx_duration_us";
		at = at_priority(peer->id, n->priority);
	}
	e = finding_number(
		f, at, what, (double)n->held * 100, "%", s.bound ? "at most" : "> 1%", "counter");
	e->t_us = r->now_us;
	if (s.bound)
		(void)str_copy(e->text, sizeof(e->text), "upper bound from frames");
}

/* ---- paused, without a visible reason at the pausing device ---- */

/* Whether the pausing device reports that it pauses: its samples have the same time as ours. */
static bool holder_agrees(const struct diag_run *r, uint32_t holder)
{
	const struct sample *s = window_last(r->w, holder);

	return !s || isnan(s->holds) || s->holds > PAUSE_HELD_LEAST;
}

static void judge_unexplained(struct diag_run *r, uint32_t node)
{
	const struct pause_node *n = &r->pauses->nodes.at[node];
	const struct port *p = r->m->ports.at[n->port], *peer = port_peer(r->m, p, NULL);
	struct ref at = peer ? at_device(peer->device) : at_port(n->port);
	char where[96] = "";
	struct finding *f;

	if (n->bound || n->held < UNEXPLAINED_HELD || (peer && !holder_agrees(r, peer->id)))
		return;
	f = diag_claimed(r, FIND_PAUSE_UNEXPLAINED, at);
	if (!f) {
		f = diag_claim(r, FIND_PAUSE_UNEXPLAINED, at);
		f->peer = at_port(n->port);
		(void)ref_format(r->m, at, where, sizeof(where));
		finding_title(f,
			n->end == PAUSE_BLIND
				? "the cause is at or behind %s, which pauses its peers and "
				  "reports nothing"
				: "%s pauses its peers, and none of its egresses is full or paused",
			where);
		/* The cause is not seen: a device that nobody asks is no culprit. */
		if (n->end == PAUSE_BLIND)
			f->role = ROLE_SYMPTOM;
	}
	pause_evidence_held(r, f, n);
	/* Blind: the weight stays below that of a reported cause (reference 2.2: at most 0.6). */
	finding_weigh(
		f, SIGNAL_PAUSE, 1 + (n->end == PAUSE_BLIND ? 20 : 40) * pause_blame_share(r, n));
	vec_push(&f->members, at_port(peer ? peer->id : n->port));
	finding_victim(f, at_port(n->port), (double)n->held * 100);
	f->blame_gbps += n->blame_bps / 1e9F;
	if (n->since_us < f->onset_us)
		f->onset_us = n->since_us;
}

/* ---- held by a device that is not in the inventory ---- */

/* Adds the peer's name as LLDP shows it. */
static void held_by(const struct port *p, char *dst, size_t size)
{
	if (p->lldp_device[0])
		(void)str_printf(dst, size, "%s:%s (LLDP), which is not in the inventory",
			p->lldp_device, p->lldp_port);
	else
		(void)str_copy(dst, size, "its peer, which neither LLDP nor the plan names");
}

static void judge_held_nic(struct diag_run *r, uint32_t node)
{
	const struct pause_node *n = &r->pauses->nodes.at[node];
	const struct port *p = r->m->ports.at[n->port];
	char peer[2 * NAME_MAX_LEN + 48];
	struct finding *f;

	if (n->bound || n->held < UNEXPLAINED_HELD)
		return;
	f = diag_claim(r, FIND_NIC_HELD, at_port(p->id));
	f->role = ROLE_VICTIM;
	held_by(p, peer, sizeof(peer));
	finding_title(f, "paused %.0f%% of the time by %s", (double)n->held * 100, peer);
	pause_evidence_held(r, f, n);
	if (p->lldp_device[0]) {
		(void)str_printf(peer, sizeof(peer), "%s:%s", p->lldp_device, p->lldp_port);
		(void)finding_text(f, f->at, "LLDP neighbour", peer, "lldp");
	}
	finding_weigh(f, SIGNAL_PAUSE, 1 + 20 * pause_blame_share(r, n));
	finding_victim(f, at_port(p->id), (double)n->held * 100);
	f->blame_gbps += n->blame_bps / 1e9F;
	f->onset_us = n->since_us;
}

static void judge_blind(struct diag_run *r, uint32_t node)
{
	const struct port *p = r->m->ports.at[r->pauses->nodes.at[node].port];

	if (model_dev_of(r->m, p)->tier == TIER_HOST && !port_peer(r->m, p, NULL))
		judge_held_nic(r, node);
	else
		judge_unexplained(r, node);
}

static void run_pause(struct diag_run *r)
{
	const struct pause_graph *g = r->pauses;

	for (size_t i = 0; i < g->terminals.n && i < TERMINALS_MOST; i++) {
		uint32_t node = g->terminals.at[i];

		switch ((enum pause_end)g->nodes.at[node].end) {
		case PAUSE_NIC:
			pause_judge_nic(r, node);
			break;
		case PAUSE_UNEXPLAINED:
			judge_unexplained(r, node);
			break;
		case PAUSE_BLIND:
			judge_blind(r, node);
			break;
		case PAUSE_INNER:
		case PAUSE_CONTENTION: /* judged in congestion.c */
		case PAUSE_CYCLE:
			break;
		}
	}
	pause_judge_cycles(r);
	pause_judge_stopped_storms(r);
	pause_judge_unseen_leaves(r);
	pause_judge_conservation(r);
}

const struct detector detect_pause = {"pause", run_pause, pause_free_memory, NULL, pause_digest};
