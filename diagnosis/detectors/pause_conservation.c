/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diagnosis/detectors/pause_internal.h"
#include "fabric/ref.h"

/*
 * Pause time sent by one end equals that received by the other, up to 20 points (diagnosis
 * reference 2.0: "disagreement > 20 points"). The two ends are polled and refreshed at different
 * times. So all recent samples of one end must lie beyond all of the other's.
 */
#define TOLERANCE 0.2F
#define SAMPLES   3U

struct range {
	float least, most;
	unsigned n;
};

static void widen_range(struct range *g, float share)
{
	g->least = g->n && g->least < share ? g->least : share;
	g->most = g->n && g->most > share ? g->most : share;
	g->n++;
}

/* The range of measured shares, of the same priority only. */
static struct range range_of(const struct diag_run *r, uint32_t port, unsigned priority, bool holds)
{
	struct range g = {0, 0, 0};

	for (unsigned k = 0; k < SAMPLES; k++) {
		const struct sample *s = window_ago(r->w, port, k);
		float share;

		if (!s || (holds ? s->holds_bound : s->held_bound))
			break;
		share = holds ? s->holds : s->held;
		/* Another priority is the worst here, so this one is lower. Only a share of 0
		 * covers all priorities. */
		if (isnan(share) ||
			((holds ? s->holds_prio : s->held_prio) != priority && share > 0))
			break;
		widen_range(&g, share);
	}
	return g;
}

static void claim_mismatch(struct diag_run *r, const struct port *from, const struct port *to,
	struct range sent, struct range received)
{
	double tx = (double)(sent.least + sent.most) * 50;
	double rx = (double)(received.least + received.most) * 50;
	struct finding *f = diag_claim(r, FIND_PAUSE_CONSERVATION, at_port(to->id));

	f->peer = at_port(from->id);
	(void)finding_number(
		f, f->peer, "pfc_tx_duration_us", tx, "%", "= received at the peer", "counter");
	(void)finding_number(
		f, f->at, "pfc_rx_duration_us", rx, "%", "= sent by the peer", "counter");
	finding_title(f, "pause sent for %.0f%% of the time, received for %.0f%%: %s", tx, rx,
		tx > rx ? "ignored or not counted" : "counters disagree");
	finding_weigh(f, SIGNAL_PAUSE, 5);
}

static void judge_way(
	struct diag_run *r, const struct port *from, const struct port *to, unsigned priority)
{
	struct range sent = range_of(r, from->id, priority, true);
	struct range received = range_of(r, to->id, priority, false);

	if (sent.n < SAMPLES || received.n < SAMPLES)
		return;
	if (sent.least > received.most + TOLERANCE || received.least > sent.most + TOLERANCE)
		claim_mismatch(r, from, to, sent, received);
}

void pause_judge_conservation(struct diag_run *r)
{
	for (uint32_t i = window_marked(r->w, WINDOW_PAUSING, 0); i != PORT_NONE;
		i = window_marked(r->w, WINDOW_PAUSING, i + 1)) {
		const struct port *p = r->m->ports.at[i], *peer;
		const struct sample *s = window_last(r->w, i), *other;

		if (!s || !(s->holds > TOLERANCE || s->held > TOLERANCE))
			continue;
		peer = port_peer(r->m, p, NULL);
		if (!peer || port_peer(r->m, peer, NULL) != p)
			continue;
		other = window_last(r->w, peer->id);
		if (!other)
			continue;
		if (s->holds > TOLERANCE)
			judge_way(r, p, peer, s->holds_prio);
		/* The reverse direction, unless the other port judges it anyway. */
		if (s->held > TOLERANCE && !(other->holds > TOLERANCE))
			judge_way(r, peer, p, s->held_prio);
	}
}
