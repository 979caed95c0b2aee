/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A NIC in the wrong mode: an InfiniBand port on a RoCE rail. After a change of firmware or card
 * LINK_TYPE may be back at its default. A switch that is read is Ethernet, but for those of UFM.
 */
#include "base/str.h"
#include "diagnosis/engine/detector.h"

/* NICs of the host on rails, by their link layer. */
struct layers {
	unsigned ethernet, infiniband;
};

static struct layers count_layers(const struct model *m, const struct device *d)
{
	struct layers l = {0};

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->merged || p->rail < 0)
			continue;
		l.ethernet += p->more->link_layer == LAYER_ETHERNET;
		l.infiniband += port_is_infiniband(p);
	}
	return l;
}

static void claim_port(
	struct diag_run *r, const struct port *p, const struct port *q, const struct layers *l)
{
	struct finding *f = diag_claim(r, FIND_LINK_LAYER, at_port(p->id));

	if (q)
		f->peer = at_port(q->id);
	finding_title(f, "%s is an InfiniBand port on a RoCE rail", p->name);
	finding_text(f, f->at, "link layer", "infiniband", "counter");
	if (q)
		finding_text(f, f->peer, "its peer", "a port of an Ethernet switch", "plan");
	if (l->ethernet)
		finding_number(f, f->at, "NICs of the host on rails that are Ethernet", l->ethernet,
			"", "all the same", "counter");
	finding_weigh(f, SIGNAL_CONFIG, 100);
	(void)str_copy(f->command, sizeof(f->command),
		"mstconfig -d PCI_ADDRESS query LINK_TYPE_P1: ETH(2), not IB(1)");
}

static void judge_host(struct diag_run *r, const struct device *d)
{
	struct layers l = {0};

	if (d->tier != TIER_HOST)
		return;
	l = count_layers(r->m, d);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = r->m->ports.at[d->ports.at[i]], *q;
		bool at_switch;

		if (p->merged || !port_is_infiniband(p))
			continue;
		q = port_peer(r->m, p, NULL);
		if (q && port_is_infiniband(q))
			continue;
		at_switch = q && model_dev_of(r->m, q)->tier != TIER_HOST;
		if (at_switch || (p->rail >= 0 && l.ethernet > l.infiniband))
			claim_port(r, p, at_switch ? q : NULL, &l);
	}
}

static void run_link_layer(struct diag_run *r)
{
	(void)diag_each_device(r, judge_host);
}

const struct detector detect_link_layer = {"link_layer", run_link_layer, NULL, NULL, NULL};
