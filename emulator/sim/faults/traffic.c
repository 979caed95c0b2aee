/* SPDX-License-Identifier: Apache-2.0 */
#include "emulator/sim/faults/fault_effects.h"

/* Traffic that faults and healthy stress add, and how flows are spread. */

#define SPREAD_FLOWS 4U  /* heavy-load: destinations of each NIC */
#define PRESS_SHARE  0.2 /* of line rate, each sender of an incast that accompanies a fault */
#define HOST_STRIDE  7U  /* so that the senders of an incast sit on several leaves */

static void add_flow(struct sim *s, struct fault *f, struct sim_port *src, struct sim_port *dst,
	double share, bool rdma)
{
	if (src && dst)
		src = sim_way_out(s, src, dst);
	if (src && dst && src != dst)
		vec_push(&f->flows, sim_flow_add(s, src, dst, share, rdma));
}

static void remove_all(struct sim *s, struct fault *f)
{
	/* The last first: then no flow moves up in the table. */
	while (f->flows.n)
		sim_flow_remove(s, f->flows.at[--f->flows.n]);
}

/*
 * The k-th sender to dst: never dst's own host; every second one on its rail. So both neighbours on
 * the leaf and ports above it take part.
 */
static struct sim_port *pick_sender(
	const struct sim *s, const struct fault *f, const struct sim_port *dst, unsigned k)
{
	size_t hosts = fault_hosts(s), others = hosts - 1;
	size_t stride = others % HOST_STRIDE ? HOST_STRIDE : 1;
	size_t start = (size_t)(sim_hash(s->o.seed ^ 0x1ca5, f->id) % 1024);
	size_t host = dst->device + 1 + (start + k * stride) % others;
	unsigned rails = fault_nics(&s->device[dst->device]);
	unsigned rail =
		k % 2 == 0 || rails < 2 ? dst->port : (dst->port + 1 + k / 2 % (rails - 1)) % rails;

	return fault_nic(s, host % hosts, rail);
}

static void add_incast(
	struct sim *s, struct fault *f, struct sim_port *dst, double share, bool rdma)
{
	if (fault_hosts(s) < 2)
		return;
	f->sink = dst;
	for (unsigned k = 0; k < f->k.fanin; k++)
		add_flow(s, f, pick_sender(s, f, dst, k), dst, share, rdma);
}

void apply_incast(struct sim *s, struct fault *f, bool on)
{
	if (on)
		add_incast(s, f, f->port, f->k.rate, true);
	else
		remove_all(s, f);
}

void apply_mixed(struct sim *s, struct fault *f, bool on)
{
	if (on)
		add_incast(s, f, f->port, f->k.rate, false);
	else
		remove_all(s, f);
}

/* A NIC on the same leaf as p (a NIC or leaf port), of another host than p's. */
static struct sim_port *neighbour_nic(const struct sim *s, const struct sim_port *p)
{
	const struct sim_port *at = p->tier == TIER_HOST ? p->peer : p;
	const struct sim_device *leaf;

	if (!at)
		return NULL;
	leaf = sim_device_of(s, at);
	for (unsigned i = 1; i < leaf->nports; i++) {
		const struct sim_port *q = &leaf->ports[(at->port + i) % leaf->nports];

		if (q->peer && q->peer->tier == TIER_HOST && q->peer->device != at->peer->device)
			return q->peer;
	}
	return NULL;
}

/* The NIC that p is, or that is behind p. */
static struct sim_port *nic_of(struct sim_port *p)
{
	if (p->tier == TIER_HOST)
		return p;
	return p->peer && p->peer->tier == TIER_HOST ? p->peer : NULL;
}

void fault_press(struct sim *s, struct fault *f, struct sim_port *sink, bool on)
{
	struct sim_port *with = f->ports.n ? nic_of(f->ports.at[0]) : NULL;

	if (!on || !f->k.fanin) {
		remove_all(s, f);
		return;
	}
	if (!sink && with)
		sink = neighbour_nic(s, with);
	if (!sink)
		return;
	add_incast(s, f, sink, f->k.rate > 0 ? f->k.rate : PRESS_SHARE, true);
	/* The faulty NICs take part, and send more than the others. */
	for (size_t i = 0; i < f->ports.n && i < f->k.fanin; i++)
		if (f->ports.at[i]->tier == TIER_HOST || f->port)
			add_flow(s, f, nic_of(f->ports.at[i]), sink, 0.5, true);
}

void apply_deaf(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, deaf), on);
	fault_press(s, f, NULL, on);
}

/* Every NIC sends to as many NICs as it receives from, with the same strides for all. */
void apply_heavy(struct sim *s, struct fault *f, bool on)
{
	size_t hosts = fault_hosts(s);

	if (!on) {
		remove_all(s, f);
		return;
	}
	for (size_t h = 0; h < hosts; h++) {
		unsigned rails = fault_nics(&s->device[h]);

		for (unsigned r = 0; r < rails; r++)
			for (unsigned k = 1; k <= SPREAD_FLOWS && k < hosts; k++)
				add_flow(s, f, fault_nic(s, h, r),
					fault_nic(s, (h + (size_t)5 * k) % hosts,
						(r + k - 1) % rails),
					f->k.rate / SPREAD_FLOWS, true);
	}
}

void apply_polarised(struct sim *s, struct fault *f, bool on)
{
	for (size_t i = 0; i < f->devices.n; i++)
		sim_device_knobs(s, f->devices.at[i])->polarised += on ? 1U : -1U;
	s->rewired = true;
}

void apply_low_entropy(struct sim *s, struct fault *f, bool on)
{
	(void)f;
	s->few_paths += on ? 1U : -1U;
	s->rewired = true;
}

void apply_wrong_dscp(struct sim *s, struct fault *f, bool on)
{
	fault_count_all(s, f, offsetof(struct knobs, wrong_dscp), on);
}
