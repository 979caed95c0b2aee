/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/nets.h"

#include <fnmatch.h>
#include <math.h>
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
	if (str_eq(p->name, HOST_BMC_PORT))
		return NET_OOB;
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

enum oper port_oper_seen(const struct model *m, const struct port *p)
{
	enum peer_source source;
	const struct port *q;

	if (p->oper != OPER_UNKNOWN || !str_eq(p->name, HOST_BMC_PORT))
		return p->oper;
	/* A cable by plan may be in another port. */
	q = port_peer(m, p, &source);
	return q && source == PEER_LLDP && model_dev_of(m, q)->state <= DEV_LATE ? q->oper
										 : OPER_UNKNOWN;
}

/* Refractive index 1.468 of single-mode fibre. */
#define US_A_METRE  0.0049
#define METRO_FROM  2000U
#define LONG_FROM   100000U
#define PACKET_MOST 9216.0

struct link_reach port_reach(const struct model *m, const struct port *p)
{
	const struct port *q = port_peer(m, p, NULL);
	const char *here = model_dev_of(m, p)->site, *there = q ? model_dev_of(m, q)->site : "";
	struct link_reach r = {.metres = p->more->metres, .rtt_us = (double)NAN};

	if (!r.metres && q)
		r.metres = q->more->metres;
	if (r.metres) {
		r.rtt_us = 2 * US_A_METRE * r.metres;
		r.reach = r.metres < METRO_FROM  ? REACH_SITE
			  : r.metres < LONG_FROM ? REACH_METRO
						 : REACH_LONG;
	} else if (*here && *there) {
		r.reach = str_eq(here, there) ? REACH_SITE : REACH_BETWEEN;
	}
	return r;
}

const char *reach_name(enum reach r)
{
	static const char *const names[] = {"", "site", "metro", "long", "between sites"};

	return (unsigned)r < sizeof(names) / sizeof(names[0]) ? names[r] : "";
}

double port_headroom_least(const struct port *p)
{
	unsigned mbps = p->speed_mbps ? p->speed_mbps : p->plan_speed_mbps;

	if (!p->more->metres || !mbps)
		return (double)NAN;
	return 2 * US_A_METRE * p->more->metres * mbps / 8 +
	       2 * (p->mtu ? (double)p->mtu : PACKET_MOST);
}

/* Of a network device that is no port of the model: a name that only management has. */
static bool is_management(const char *name)
{
	static const char *const names[] = {
		"eth0", "mgmt*", "oob*", "ma[0-9]*", "Management*", "bmc"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fnmatch(names[i], name, FNM_NOESCAPE) == 0)
			return true;
	return false;
}

/* What the fabric routes to, beside ports: loopbacks, VLANs, bundles, bridges. */
static bool is_carried(const char *name)
{
	static const char *const names[] = {"lo*", "Lo*", "[Vv]lan*", "[Pp]ort-[Cc]hannel*",
		"PortChannel*", "po[0-9]*", "bond*", "br*", "Bridge*", "Eth*"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fnmatch(names[i], name, FNM_NOESCAPE) == 0)
			return true;
	return false;
}

static enum poll_path_kind way_of_net(enum net_kind net)
{
	switch (net) {
	case NET_BACKEND:
	case NET_STORAGE:
		return PATH_IN_BAND;
	case NET_FRONTEND:
		return PATH_FRONTEND;
	case NET_OOB:
		return PATH_OUT_OF_BAND;
	case NET_COUNT:
	default:
		return PATH_UNKNOWN;
	}
}

struct poll_path device_poll_path(const struct model *m, const struct device *d)
{
	struct poll_path w = {.device = d->poll_path};
	const struct port *p = *w.device ? model_port(m, d, w.device) : NULL;

	if (!*w.device)
		return w;
	if (p)
		w.kind = way_of_net(port_net(m, p));
	for (size_t i = 0; !p && i < m->nets.n; i++)
		if (d->id >= m->nets.at[i].from && d->id < m->nets.at[i].to &&
			fits_name(&m->nets.at[i], w.device))
			w.kind = way_of_net(m->nets.at[i].net);
	if (w.kind != PATH_UNKNOWN || p)
		return w;
	if (d->tier != TIER_HOST && is_management(w.device))
		w.kind = PATH_OUT_OF_BAND;
	else if (d->tier != TIER_HOST && is_carried(w.device))
		w.kind = way_of_net(d->net);
	return w;
}

const char *poll_path_name(struct poll_path w)
{
	static const char *const names[] = {"unknown", "out-of-band", "frontend", "in-band"};

	return names[w.kind];
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
		out[net].up += port_oper_seen(m, p) == OPER_UP;
		out[net].down += port_oper_seen(m, p) == OPER_DOWN;
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
