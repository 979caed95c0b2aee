/* SPDX-License-Identifier: Apache-2.0 */
/* From rank to spine port. */
#include <math.h>

#include "base/str.h"
#include "diagnosis/trace/trace_internal.h"

#define SLAVES_MAX 16

/* ---- the worst of several ports ---- */

/*
 * Suspicion of a port. A finding that accuses counts more than any symptom, the likelier the more.
 * Next comes a link that is down, then the paused share of the port.
 */
static double suspicion_of(const struct tracer *r, uint32_t port)
{
	const struct port *p = r->m->ports.at[port], *q = port_peer(r->m, p, NULL);
	const struct sample *s = window_last(r->d->windows, port);
	double held = s && s->held > PAUSE_HELD_LEAST ? (double)s->held : 0;

	for (size_t i = 0; i < r->d->order.n; i++) {
		const struct finding *f = r->d->order.at[i];

		if (f->role == ROLE_CULPRIT && f->at.kind != REF_DEVICE &&
			(trace_finding_at_port(r->m, f, port) ||
				(q && trace_finding_at_port(r->m, f, q->id))))
			return 1e6 - (double)i;
	}
	return p->oper == OPER_DOWN && p->plan_peer != PORT_NONE ? 100 : held;
}

uint32_t trace_worst(const struct tracer *r, const uint32_t *ports, size_t n)
{
	uint32_t worst = PORT_NONE;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		double x = suspicion_of(r, ports[i]);

		if (x > most) {
			most = x;
			worst = ports[i];
		}
	}
	return worst;
}

/* ---- hops ---- */

static void add_rank(struct tracer *r)
{
	const struct comm *c;
	struct ref at = {.kind = REF_RANK, .comm = r->comm, .rank = r->t->rank};

	if (r->comm == JOB_NONE || r->t->rank < 0)
		return;
	c = r->m->nccl->comms.at[r->comm];
	(void)trace_hop(r, HOP_RANK, at, nccl_source_name((enum nccl_source)c->source));
	if (r->host == NO_DEVICE) {
		struct hop *h = vec_add(&r->t->chain);

		h->step = HOP_NIC;
		(void)str_printf(h->why, sizeof(h->why), "host %s is not in the inventory",
			c->rank[r->t->rank].host_text[0] ? c->rank[r->t->rank].host_text
							 : "unknown");
		return;
	}
	if (r->gpu >= 0)
		(void)trace_hop(r, HOP_GPU, at_device(r->host), r->gpu_learned);
}

/* A slave with trouble, else one with a known other end, else the first. */
static uint32_t worst_slave(const struct tracer *r, const struct port *bond)
{
	uint32_t ids[SLAVES_MAX], worst;
	const struct port *p;
	size_t n = 0;

	for (size_t i = 0; n < SLAVES_MAX && (p = port_slave(r->m, bond, i)); i++)
		ids[n++] = p->id;
	worst = trace_worst(r, ids, n);
	for (size_t i = 0; i < n && worst == PORT_NONE; i++)
		if (r->m->ports.at[ids[i]]->oper == OPER_DOWN)
			worst = ids[i];
	for (size_t i = 0; i < n && worst == PORT_NONE; i++)
		if (r->m->ports.at[ids[i]]->lldp_device[0])
			worst = ids[i];
	return worst != PORT_NONE ? worst : n ? ids[0] : bond->id;
}

static void add_nic(struct tracer *r)
{
	if (r->nic == PORT_NONE) {
		struct hop *h;

		if (r->host == NO_DEVICE)
			return;
		h = vec_add(&r->t->chain);
		h->step = HOP_NIC;
		h->at = at_device(r->host);
		(void)str_copy(h->why, sizeof(h->why), "its NIC is not known");
		return;
	}
	(void)trace_hop(r, HOP_NIC, at_port(r->nic), r->nic_learned);
	/* Each packet of a bond takes one of its slaves: the worst one counts. */
	if (port_is_bond(r->m->ports.at[r->nic]))
		r->nic = worst_slave(r, r->m->ports.at[r->nic]);
	(void)trace_hop(r, HOP_HOST_PORT, at_port(r->nic), r->nic_learned);
}

/* The uplinks of a leaf: ports with a peer in a higher tier. */
#define UPLINKS_MAX 256
static size_t uplinks_of(const struct tracer *r, const struct device *leaf, uint32_t *out)
{
	size_t n = 0;

	for (size_t i = 0; i < leaf->ports.n && n < UPLINKS_MAX; i++) {
		const struct port *p = r->m->ports.at[leaf->ports.at[i]];
		const struct port *q = port_peer(r->m, p, NULL);

		if (!p->merged && q && model_dev_of(r->m, q)->tier > leaf->tier)
			out[n++] = p->id;
	}
	return n;
}

/* The uplink on the path of the NIC's pauses. */
static uint32_t paused_uplink(const struct tracer *r, uint32_t leaf)
{
	const struct pause_graph *g = r->d->pauses;
	const struct pause_node *n = r->nic != PORT_NONE ? pause_node_of(g, r->nic) : NULL;

	if (!n || n->toward >= g->nodes.n)
		return PORT_NONE;
	n = &g->nodes.at[n->toward];
	return r->m->ports.at[n->port]->device == leaf && trace_step_of(r->m, n->port) == HOP_UPLINK
		       ? n->port
		       : PORT_NONE;
}

/* Number of bundles among the uplinks: ECMP sees each as one next hop. */
static size_t bundles_of(const struct tracer *r, const uint32_t *ups, size_t n)
{
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct port *bundle = port_bond(r->m, r->m->ports.at[ups[i]]);
		bool is_new = bundle != NULL;

		for (size_t k = 0; k < i && is_new; k++)
			is_new = port_bond(r->m, r->m->ports.at[ups[k]]) != bundle;
		found += is_new;
	}
	return found;
}

static void add_set(struct tracer *r, const struct device *leaf, const uint32_t *ups, size_t n)
{
	struct hop *h = vec_add(&r->t->chain);
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		known += window_last(r->d->windows, ups[i]) != NULL;
	h->step = HOP_UPLINK;
	h->at = at_device(leaf->id);
	h->state = known == n && n ? HOP_OK : HOP_UNKNOWN;
	(void)str_printf(h->number, sizeof(h->number), "%zu uplink%s", n, str_plural(n));
	if (!n)
		(void)str_copy(h->why, sizeof(h->why), "no uplink is known");
	else if (known < n)
		(void)str_printf(h->why, sizeof(h->why), "ECMP over %zu uplink%s, %zu not seen", n,
			str_plural(n), n - known);
	else
		(void)str_printf(
			h->why, sizeof(h->why), "ECMP over %zu uplink%s, all ok", n, str_plural(n));
	if (n && bundles_of(r, ups, n))
		(void)str_printf(h->number, sizeof(h->number), "%zu in %zu LAG%s", n,
			bundles_of(r, ups, n), str_plural(bundles_of(r, ups, n)));
	(void)str_copy(h->learned, sizeof(h->learned), "plan, lldp");
	h = vec_add(&r->t->chain);
	h->step = HOP_SPINE_PORT;
	h->at = (struct ref){.kind = REF_TIER, .tier = TIER_SPINE};
	h->state = known == n && n ? HOP_OK : HOP_UNKNOWN;
	(void)str_printf(h->number, sizeof(h->number), "%zu port%s", n, str_plural(n));
	(void)str_copy(h->why, sizeof(h->why), "other ends: no finding at any of them");
	(void)str_copy(h->learned, sizeof(h->learned), "plan, lldp");
}

static void add_spine(struct tracer *r)
{
	enum peer_source source = PEER_NONE;
	const struct port *q = port_peer(r->m, r->m->ports.at[r->uplink], &source);
	struct hop *h;

	(void)trace_hop(
		r, trace_step_of(r->m, r->uplink), at_port(r->uplink), peer_source_name(source));
	if (q) {
		(void)trace_hop(r, HOP_SPINE_PORT, at_port(q->id), peer_source_name(source));
		return;
	}
	h = vec_add(&r->t->chain);
	h->step = HOP_SPINE_PORT;
	(void)str_copy(h->why, sizeof(h->why), "its other end is not known");
}

static void add_uplink(struct tracer *r)
{
	const struct device *leaf;
	uint32_t ups[UPLINKS_MAX];
	size_t n;

	if (r->uplink == PORT_NONE && r->leaf == PORT_NONE)
		return;
	if (r->uplink == PORT_NONE) {
		leaf = model_dev_of(r->m, r->m->ports.at[r->leaf]);
		n = uplinks_of(r, leaf, ups);
		r->uplink = paused_uplink(r, leaf->id);
		if (r->uplink == PORT_NONE)
			r->uplink = trace_worst(r, ups, n);
		if (r->uplink == PORT_NONE) {
			add_set(r, leaf, ups, n);
			return;
		}
	}
	add_spine(r);
}

/* A NIC that suffers from something that is not seen accuses its other end. */
static bool accuses_unseen(const struct tracer *r, uint32_t nic)
{
	for (size_t i = 0; i < r->d->order.n; i++)
		if (verdict_of_unseen(r->d->order.at[i]) &&
			trace_finding_at_port(r->m, r->d->order.at[i], nic))
			return true;
	return false;
}

static void add_unseen_leaf(struct tracer *r, const struct port *nic)
{
	struct hop *h = vec_add(&r->t->chain);

	h->step = HOP_LEAF_PORT;
	if (!nic->lldp_device[0]) {
		(void)str_copy(h->why, sizeof(h->why),
			"neither LLDP nor the plan nor a switch that heard its MAC tells the other "
			"end of the NIC");
		return;
	}
	(void)str_printf(h->place, sizeof(h->place), "%s:%s", nic->lldp_device, nic->lldp_port);
	(void)str_copy(h->learned, sizeof(h->learned), "lldp");
	h->state = accuses_unseen(r, nic->id) ? HOP_SUSPECT : HOP_UNKNOWN;
	(void)str_printf(
		h->why, sizeof(h->why), "not seen: %s is not in the inventory", nic->lldp_device);
}

static void add_leaf(struct tracer *r)
{
	enum peer_source source = PEER_NONE;
	const struct port *q =
		r->nic != PORT_NONE ? port_peer(r->m, r->m->ports.at[r->nic], &source) : NULL;

	if (r->leaf == PORT_NONE && q) {
		r->leaf = q->id;
		r->leaf_learned = peer_source_name(source);
	}
	if (r->leaf != PORT_NONE) {
		(void)trace_hop(r, HOP_LEAF_PORT, at_port(r->leaf), r->leaf_learned);
	} else if (r->nic != PORT_NONE) {
		add_unseen_leaf(r, r->m->ports.at[r->nic]);
	}
}

void trace_path(struct tracer *r)
{
	add_rank(r);
	add_nic(r);
	add_leaf(r);
	add_uplink(r);
}
