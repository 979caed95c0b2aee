/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "diagnosis/pause_graph/pause_graph.h"
#include "fabric/model/cell_at.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"

/* Without a configured or planned value: 400 KB for each 100 Gb/s, the upper ECN mark of published
 * RoCE setups, scaled by speed. */
#define LIMIT_BYTES_PER_MBPS 4.0
#define LIMIT_MOST           4.0
/* Above the lower mark a queue stands: a quarter of the upper one in the same setups. */
#define STANDING 0.25
/* Without byte counts: a link with this load has a queue. With marks a lower load suffices,
 * because polls average over pauses between operations. */
#define FULL_LOAD   0.9F
#define MARKED_LOAD 0.3F
/* A lower rate of marks means bursts, not a standing queue. */
#define MARKED_PPS 1.0F

static struct pause_share share_of(const struct model *m, const struct sample *s, uint32_t port,
	unsigned priority, enum direction dir)
{
	struct pause_share out = {NAN, false, false};
	struct paused p;

	if (!s)
		return out;
	if ((dir == DIR_RX ? s->held_prio : s->holds_prio) == priority) {
		out.share = dir == DIR_RX ? s->held : s->holds;
		out.bound = dir == DIR_RX ? s->held_bound : s->holds_bound;
		return out;
	}
	/* The sample has only the worst priority. */
	p = port_paused(m->ports.at[port], priority, dir);
	out.share = (float)(p.percent / 100);
	out.bound = p.upper_bound;
	return out;
}

struct pause_share pause_held(
	const struct model *m, const struct sample_windows *w, uint32_t port, unsigned priority)
{
	const struct port *peer = port_peer(m, m->ports.at[port], NULL);
	struct pause_share own = share_of(m, window_last(w, port), port, priority, DIR_RX), other;

	if (!peer || !(isnan(own.share) || own.bound))
		return own;
	other = share_of(m, window_last(w, peer->id), peer->id, priority, DIR_TX);
	other.far = true;
	if (isnan(other.share) || (!isnan(own.share) && other.bound))
		return own;
	return other;
}

struct egress_load egress_load(const struct model *m, const struct sample_windows *w, uint32_t port)
{
	const struct sample *s = window_last(w, port);
	const struct port *peer;

	if (s && !isnan(s->tx_bps))
		return (struct egress_load){s->tx_bps, s->tx_util};
	peer = port_peer(m, m->ports.at[port], NULL);
	s = peer ? window_last(w, peer->id) : NULL;
	return s ? (struct egress_load){s->rx_bps, s->rx_util} : (struct egress_load){NAN, NAN};
}

double egress_queue_limit(const struct model *m, uint32_t port, unsigned priority)
{
	const struct port *p = m->ports.at[port];
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;
	double usual = mbps * LIMIT_BYTES_PER_MBPS, set = 0;

	if (p->qos && p->qos->prio[priority].ecn_max_bytes != UINT32_MAX)
		set = p->qos->prio[priority].ecn_max_bytes;
	/* A limit far above the plan or the usual one is a fault, and would hide the queue that it
	 * makes. */
	if (m->lossless.ecn_max_bytes)
		return set > 0 ? fmin(set, (double)m->lossless.ecn_max_bytes)
			       : (double)m->lossless.ecn_max_bytes;
	return set > 0 ? fmin(set, LIMIT_MOST * usual) : usual;
}

double egress_last_mark(const struct model *m, uint32_t port, unsigned priority)
{
	const struct cell *c = port_cell(m->ports.at[port], CTR_QUEUE_WATERMARK_BYTES, priority);

	return c && c->valid == VALID_OK ? (double)c->u64 : (double)NAN;
}

/* Marks by the egress, else the marked packets that the NIC behind it received. */
static float marks_of(const struct model *m, const struct sample_windows *w, uint32_t port)
{
	const struct sample *s = window_last(w, port);
	const struct port *peer;

	if (s && !isnan(s->ecn_pps))
		return s->ecn_pps;
	peer = port_peer(m, m->ports.at[port], NULL);
	s = peer ? window_last(w, peer->id) : NULL;
	return s ? s->ce_received : NAN;
}

float egress_fullness(
	const struct model *m, const struct sample_windows *w, uint32_t port, unsigned priority)
{
	const struct sample *s = window_last(w, port);
	struct egress_load load = egress_load(m, w, port);
	double share;

	if (s && !s->up)
		return 0;
	if (s && !isnan(s->queue_peak)) {
		share = (double)s->queue_peak / egress_queue_limit(m, port, priority);
		return share < STANDING ? 0 : (float)fmin(share, 1);
	}
	if (load.util >= FULL_LOAD)
		return 1;
	if (load.util >= MARKED_LOAD && marks_of(m, w, port) > MARKED_PPS)
		return load.util;
	return 0;
}

bool egress_to_nic(const struct model *m, uint32_t port)
{
	const struct port *p = m->ports.at[port], *peer = port_peer(m, p, NULL);

	if (peer)
		return model_dev_of(m, peer)->tier == TIER_HOST;
	/* Switches of the fabric are polled, so an unknown peer of a leaf is a host. */
	return model_dev_of(m, p)->tier == TIER_LEAF;
}
