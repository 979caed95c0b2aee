/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/nets.h"

#include <fnmatch.h>
#include <string.h>

#include "base/str.h"

static bool fits_name(const struct plan_net *n, const char *name)
{
	if (!*name)
		return false;
	return strchr(n->ports, '*') ? fnmatch(n->ports, name, FNM_NOESCAPE) == 0
				     : str_eq(n->ports, name);
}

enum net_kind port_net_listed(const struct model *m, const struct port *p)
{
	for (size_t i = 0; i < m->nets.n; i++) {
		const struct plan_net *n = &m->nets.at[i];

		if (p->device >= n->from && p->device < n->to &&
			(fits_name(n, p->name) || fits_name(n, p->netdev)))
			return n->net;
	}
	return NET_COUNT;
}

/* Of the port alone: the list, its device, its rail, the device at the other end. */
static enum net_kind own_net(const struct model *m, const struct port *p)
{
	enum net_kind net = m->nets.n ? port_net_listed(m, p) : NET_COUNT;
	const struct device *d = model_dev_of(m, p);
	const struct port *q;

	if (net != NET_COUNT)
		return net;
	/* All ports of a switch are of its network; "backend" of a host is only the default. */
	if (d->tier != TIER_HOST || d->net != NET_BACKEND)
		return d->net;
	q = port_peer(m, p, NULL);
	if (q && model_dev_of(m, q)->tier != TIER_HOST)
		return model_dev_of(m, q)->net;
	return p->rail >= 0 ? NET_BACKEND : NET_COUNT;
}

enum net_kind port_net(const struct model *m, const struct port *p)
{
	enum net_kind net = own_net(m, p);
	const struct port *bond, *slave;

	if (net != NET_COUNT || !p->more->bond[0])
		return net;
	bond = port_is_bond(p) ? p : port_bond(m, p);
	if (bond && bond != p)
		net = own_net(m, bond);
	for (size_t i = 0; bond && net == NET_COUNT && (slave = port_slave(m, bond, i)); i++)
		net = own_net(m, slave);
	return net;
}

static void count_host(const struct model *m, const struct device *d, struct net_count *out)
{
	bool met[NET_COUNT + 1] = {false};

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];
		enum net_kind net;

		if (p->merged || port_is_bond(p) || (!p->seen && p->plan_peer == PORT_NONE))
			continue;
		net = port_net(m, p);
		met[net] = true;
		out[net].ports++;
		out[net].up += p->oper == OPER_UP;
		out[net].down += p->oper == OPER_DOWN;
	}
	for (unsigned k = 0; k <= NET_COUNT; k++) {
		out[k].hosts += met[k];
		out[k].hosts_seen += met[k] && d->last_ok_us > 0;
	}
}

static void count_links(const struct model *m, struct net_count *out)
{
	unsigned as_planned[NET_COUNT + 1] = {0}, found[NET_COUNT + 1] = {0};

	for (size_t i = 0; i < m->links.n; i++) {
		const struct link *l = &m->links.at[i];
		enum net_kind net = port_net(m, m->ports.at[l->b]);

		if (net == NET_COUNT)
			net = port_net(m, m->ports.at[l->a]);
		out[net].links += l->state != LINK_FOUND;
		as_planned[net] += l->state == LINK_AS_PLANNED;
		found[net] += l->state == LINK_FOUND;
	}
	for (unsigned k = 0; k <= NET_COUNT; k++)
		out[k].found = out[k].links ? as_planned[k] : found[k];
}

void model_count_nets(const struct model *m, struct net_count out[NET_COUNT + 1])
{
	memset(out, 0, (NET_COUNT + 1) * sizeof(*out));
	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if (d->tier == TIER_HOST) {
			count_host(m, d, out);
			continue;
		}
		out[d->net].switches++;
		out[d->net].switches_seen += d->last_ok_us > 0;
	}
	count_links(m, out);
}
