/* SPDX-License-Identifier: Apache-2.0 */
/* Ports and wiring. */
#include "base/str.h"
#include "diagnosis/acceptance/acceptance_private.h"

static void speed_words(unsigned mbps, char *dst, size_t size)
{
	if (!mbps)
		(void)str_copy(dst, size, "speed unknown");
	else if (mbps % 1000)
		(void)str_printf(dst, size, "%u Mb/s", mbps);
	else
		(void)str_printf(dst, size, "%u Gb/s", mbps / 1000);
}

static void check_port(const struct accepted *a, const struct port *p)
{
	bool gone = port_is_gone(p), up = p->oper == OPER_UP;
	bool slow = p->plan_speed_mbps && p->speed_mbps && p->speed_mbps < p->plan_speed_mbps;
	bool blind = p->plan_speed_mbps && !p->speed_mbps;
	enum accept_result r = gone || p->oper == OPER_DOWN || slow ? ACCEPT_FAIL
			       : !up || blind                       ? ACCEPT_UNKNOWN
								    : ACCEPT_PASS;
	struct accept_row *row = accept_add(a, ACCEPT_LINK, r, at_port(p->id));
	char speed[32], plan[32];

	speed_words(p->speed_mbps, speed, sizeof(speed));
	(void)str_printf(row->is, sizeof(row->is), "%s%s%s", port_state_name(p), up ? ", " : "",
		up ? speed : "");
	if (p->plan_speed_mbps) {
		speed_words(p->plan_speed_mbps, plan, sizeof(plan));
		(void)str_printf(row->should, sizeof(row->should), "up, %s (plan)", plan);
	} else if (!up) {
		(void)str_copy(row->should, sizeof(row->should), "up");
	}
	if (r == ACCEPT_FAIL)
		(void)str_copy(row->cure, sizeof(row->cure),
			slow ? "seat or change the cable: runbook degraded-optic"
			     : "runbook link-flap");
	else if (r == ACCEPT_UNKNOWN)
		(void)str_copy(row->cure, sizeof(row->cure),
			"wait for an answer that has the port: railtop check");
}

/* A host that lacks the NIC of a rail has no port that could fail. */
static void check_rails(const struct accepted *a, const struct device *d)
{
	unsigned have = 0;
	struct accept_row *row;
	uint64_t seen = 0;

	for (size_t i = 0; i < a->ports.n; i++) {
		const struct port *p = a->ports.at[i];

		if (p->device != d->id || p->rail < 0 || p->rail > 63 ||
			seen >> (unsigned)p->rail & 1u)
			continue;
		seen |= UINT64_C(1) << (unsigned)p->rail;
		have++;
	}
	if (!a->m->rails || have >= a->m->rails)
		return;
	row = accept_add(a, ACCEPT_LINK, have ? ACCEPT_FAIL : ACCEPT_UNKNOWN, at_device(d->id));
	(void)str_printf(row->is, sizeof(row->is), "NICs of %u rails", have);
	(void)str_printf(row->should, sizeof(row->should), "of %u (plan)", a->m->rails);
	(void)str_copy(row->cure, sizeof(row->cure),
		have ? "find the NIC in lspci, or correct rails: of the host in fabric.yaml"
		     : "state rails: of the host in fabric.yaml; railtop check shows whether it "
		       "answers");
}

void accept_links(const struct accepted *a)
{
	for (size_t i = 0; i < a->devices.n; i++)
		if (a->at.kind == REF_DEVICE && a->devices.at[i]->tier == TIER_HOST)
			check_rails(a, a->devices.at[i]);
	for (size_t i = 0; i < a->ports.n; i++)
		check_port(a, a->ports.at[i]);
}

/* ---- wiring ---- */

static void name_of(const struct accepted *a, uint32_t id, char *dst, size_t size)
{
	const struct port *p = model_port_at(a->m, id);

	if (p)
		(void)str_printf(dst, size, "%s:%s", model_dev_of(a->m, p)->name, p->name);
	else
		dst[0] = '\0';
}

static void heard_of(const struct accepted *a, const struct port *p, char *dst, size_t size)
{
	if (p->lldp_peer != PORT_NONE)
		name_of(a, p->lldp_peer, dst, size);
	else if (p->lldp_device[0])
		(void)str_printf(dst, size, "%s:%s", p->lldp_device, p->lldp_port);
	else
		dst[0] = '\0';
}

/* One end of a link may hear its neighbour, and the other one not. */
static enum link_state state_of(const struct accepted *a, const struct port *p)
{
	for (size_t i = 0; i < a->m->links.n; i++)
		if (a->m->links.at[i].a == p->id || a->m->links.at[i].b == p->id)
			return a->m->links.at[i].state;
	return LINK_UNKNOWN;
}

static void check_wire(const struct accepted *a, const struct port *p)
{
	enum link_state s = port_miswired(a->m, p) ? LINK_MISWIRED : state_of(a, p);
	struct accept_row *row = accept_add(a, ACCEPT_WIRING,
		s == LINK_AS_PLANNED ? ACCEPT_PASS
		: s == LINK_MISWIRED ? ACCEPT_FAIL
				     : ACCEPT_UNKNOWN,
		at_port(p->id));
	char heard[2 * NAME_MAX_LEN + 2], plan[2 * NAME_MAX_LEN + 2];

	heard_of(a, p, heard, sizeof(heard));
	name_of(a, p->plan_peer, plan, sizeof(plan));
	(void)str_printf(row->is, sizeof(row->is), "%s",
		heard[0]               ? heard
		: s == LINK_AS_PLANNED ? "as planned, by its other end"
				       : "LLDP shows no neighbour");
	if (plan[0])
		(void)str_printf(row->should, sizeof(row->should), "%s (plan)", plan);
	if (s == LINK_MISWIRED)
		(void)str_copy(row->cure, sizeof(row->cure), "runbook mis-wiring");
	else if (p->plan_peer == PORT_NONE && heard[0])
		(void)str_copy(row->cure, sizeof(row->cure),
			"nothing is planned for it: state wiring: in fabric.yaml");
	else if (s != LINK_AS_PLANNED)
		(void)str_copy(row->cure, sizeof(row->cure),
			"switch LLDP on at one end, so that the cable is proven");
}

void accept_wiring(const struct accepted *a)
{
	for (size_t i = 0; i < a->ports.n; i++)
		/* Both ends of one link are one cable. */
		if (i == 0 || a->at.kind == REF_DEVICE)
			check_wire(a, a->ports.at[i]);
}
