/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/mem.h"
#include "emulator/sim/sim_internal.h"

/* The table of flows: those of jobs first, then those that faults add. */

struct flow *sim_flow_new(struct sim *s, struct sim_port *src, struct sim_port *dst, double demand)
{
	struct flow *f;

	if (s->nflows == s->flow_room) {
		s->flow_room = s->flow_room ? 2 * s->flow_room : 1024;
		s->flow = mem_realloc(s->flow, s->flow_room, sizeof(*s->flow));
	}
	f = &s->flow[s->nflows];
	*f = (struct flow){.src = src,
		.dst = dst,
		.home_src = src,
		.home_dst = dst,
		.demand = demand,
		.group = -1,
		.rdma = true};
	f->conn = f->key = sim_hash(sim_hash(s->o.seed, s->nflows), 0xf10);
	s->nflows++;
	s->rewired = true;
	return f;
}

unsigned sim_flow_add(
	struct sim *s, struct sim_port *src, struct sim_port *dst, double share, bool rdma)
{
	struct flow *f = sim_flow_new(s, src, dst, share * src->plan_mbps * 1e6 / 8);

	f->rdma = rdma;
	f->active = true;
	f->handle = ++s->handles;
	return f->handle;
}

void sim_flow_remove(struct sim *s, unsigned handle)
{
	for (size_t i = s->nflows; handle && i-- > 0;) {
		if (s->flow[i].handle != handle)
			continue;
		s->nflows--;
		for (; i < s->nflows; i++)
			s->flow[i] = s->flow[i + 1];
		s->rewired = true;
		return;
	}
}

void sim_flow_gap(struct sim *s, const struct flow *f)
{
	double n = 20 + (double)(sim_hash(f->key, (uint64_t)(s->now - s->o.start_us)) % 60);

	sim_bump(s, f->dst, S_OUT_OF_SEQUENCE, n);
	sim_bump(s, f->src, S_PACKET_SEQ_ERR, n);
	sim_bump(s, f->src, S_ADP_RETRANS, n);
	sim_bump(s, f->src, S_SLOW_RESTART, 1);
}

void sim_flows_route(struct sim *s)
{
	bool changed = (s->touched || s->rewired) && sim_ways_changed(s);

	if (!changed && !s->rewired)
		return;
	s->rewired = false;
	for (size_t i = 0; i < s->nflows; i++) {
		struct flow *f = &s->flow[i];
		bool lost = false;

		for (unsigned h = 0; h < f->hops; h++)
			lost = lost || !f->path[h]->up;
		sim_way(s, f);
		/* Without another path the gap shows when the old path is back. */
		if (lost && f->active && f->hops)
			sim_flow_gap(s, f);
		else if (lost && f->active)
			sim_bump(s, f->src, S_ACK_TIMEOUT, 1);
	}
	s->way_count++;
}
