/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"
#include "fabric/vocabulary/mac.h"

/*
 * The device of a MAC. Clones of a virtual machine and pairs of switches have the same one: then it
 * is the first device, so that a loaded model has the same.
 */

static struct device *holder(const struct model *m, const char *mac)
{
	struct device *d = NULL;

	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (strcmp(p->more->mac, mac) == 0 && (!d || p->device < d->id))
			d = m->devices.at[p->device];
	}
	return d;
}

static void add_mac(struct model *m, const char *mac, struct device *d)
{
	const struct device *was = index_get(m->macs, mac);

	if (!*mac || (was && was->id <= d->id))
		return;
	if (was)
		index_drop(&m->macs, mac, RANK_MAC, was);
	index_put(&m->macs, mac, RANK_MAC, d);
}

void macs_changed(struct model *m, const struct port *p, const char *was)
{
	struct device *d = m->devices.at[p->device], *other;

	if (*was && index_get(m->macs, was) == d) {
		index_drop(&m->macs, was, RANK_MAC, d);
		other = holder(m, was);
		if (other)
			index_put(&m->macs, was, RANK_MAC, other);
	}
	add_mac(m, p->more->mac, d);
	wiring_name(m, d);
}

struct device *macs_find(const struct model *m, const char *mac)
{
	return index_get(m->macs, mac);
}

/*
 * ---- who is on a port, by the stations that its switch has heard ----
 * Only where LLDP shows nobody and no plan has either end. A MAC at two ports, two NICs with one
 * MAC, two NICs at one port: nobody. A bond lends its MAC to all its slaves, and an active-backup
 * one is heard at any of them, so a slave is never known by it.
 */

/* A MAC at a port: heard by a switch, or of a NIC. */
struct station {
	char mac[MAC_TEXT];
	bool is_nic, old;
	uint32_t port;
};
struct stations {
	VEC(struct station) at;
};

static int compare_stations(const void *a, const void *b)
{
	const struct station *x = a, *y = b;
	int order = memcmp(x->mac, y->mac, sizeof(x->mac));

	return order ? order : (x->port > y->port) - (x->port < y->port);
}

static bool has_no_peer(const struct port *p)
{
	return p->lldp_peer == PORT_NONE && p->plan_peer == PORT_NONE;
}

static void add_heard(struct stations *s, const struct port *p)
{
	const char *at = p->more->macs;
	char word[MAC_TEXT];

	while (*at) {
		size_t n = strcspn(at, " ");
		struct station x = {.port = p->id, .old = p->more->macs_old};

		if (n < sizeof(word)) {
			(void)str_copyn(word, sizeof(word), at, n);
			if (mac_read(word, x.mac))
				vec_push(&s->at, x);
		}
		at += n;
		at += strspn(at, " ");
	}
}

/* A port at which LLDP shows another switch hears all that is behind that one. */
static bool may_hear(const struct model *m, const struct port *p)
{
	return p->more->macs[0] && !p->merged && !port_is_bond(p) && !port_is_gone(p) &&
	       p->lldp_peer == PORT_NONE && model_dev_of(m, p)->tier != TIER_HOST &&
	       (!p->lldp_device[0] || neighbour_is_nameless(p->lldp_device) ||
		       port_heard_device(m, p));
}

static void collect_stations(const struct model *m, struct stations *s)
{
	for (size_t i = 0; i < m->ports.n; i++)
		if (may_hear(m, m->ports.at[i]))
			add_heard(s, m->ports.at[i]);
	for (size_t i = 0; s->at.n && i < m->ports.n; i++) {
		const struct port *q = m->ports.at[i];
		struct station x = {.is_nic = true, .port = q->id};

		if (q->more->mac[0] && !q->merged && !port_is_bond(q) && !port_is_gone(q) &&
			model_dev_of(m, q)->tier == TIER_HOST && mac_read(q->more->mac, x.mac))
			vec_push(&s->at, x);
	}
	if (s->at.n)
		qsort(s->at.at, s->at.n, sizeof(*s->at.at), compare_stations);
}

/* The only NIC and the only port of one MAC; a port that no longer hears it counts last. */
static bool only_pair(
	const struct model *m, const struct station *s, size_t n, uint32_t *port, uint32_t *nic)
{
	unsigned nics = 0, now = 0, before = 0;
	uint32_t last = PORT_NONE;

	for (size_t i = 0; i < n; i++) {
		if (s[i].is_nic) {
			*nic = s[i].port;
			nics++;
		} else if (s[i].old) {
			last = s[i].port;
			before++;
		} else {
			*port = s[i].port;
			now++;
		}
	}
	if (!now && before == 1)
		*port = last;
	return nics == 1 && !m->ports.at[*nic]->more->bond[0] &&
	       (now == 1 || (!now && before == 1));
}

#define TWO_NICS (UINT32_MAX - 1)

/* A BMC may share the cable of a NIC: then that NIC is the one. */
static void pair(const struct model *m, uint32_t *peer, uint32_t port, uint32_t nic)
{
	const struct port *p = m->ports.at[port], *q = m->ports.at[nic];
	const struct device *heard = p->lldp_device[0] ? port_heard_device(m, p) : NULL;
	uint32_t was = peer[port];

	if (!has_no_peer(p) || !has_no_peer(q) || q->lldp_device[0] ||
		(heard && heard != model_dev_of(m, q)))
		return;
	if (was == PORT_NONE || (was != TWO_NICS && str_eq(m->ports.at[was]->name, HOST_BMC_PORT)))
		peer[port] = nic;
	else if (!str_eq(q->name, HOST_BMC_PORT))
		peer[port] = TWO_NICS;
}

/* By port: the port at its other end, or PORT_NONE. */
static uint32_t *find_pairs(const struct model *m)
{
	uint32_t *peer = mem_calloc(m->ports.n + 1, sizeof(*peer)), port = 0, nic = 0;
	struct stations s = {0};

	for (size_t i = 0; i < m->ports.n; i++)
		peer[i] = PORT_NONE;
	collect_stations(m, &s);
	for (size_t i = 0, n; i < s.at.n; i += n) {
		for (n = 1; i + n < s.at.n && str_eq(s.at.at[i].mac, s.at.at[i + n].mac);)
			n++;
		if (only_pair(m, &s.at.at[i], n, &port, &nic))
			pair(m, peer, port, nic);
	}
	vec_free(&s.at);
	for (uint32_t i = 0; i < m->ports.n; i++) {
		if (peer[i] == TWO_NICS)
			peer[i] = PORT_NONE;
		else if (peer[i] != PORT_NONE && model_dev_of(m, m->ports.at[i])->tier != TIER_HOST)
			peer[peer[i]] = i;
	}
	return peer;
}

bool macs_pair(struct model *m)
{
	uint32_t *peer;
	bool moved = false;

	if (!m->hears_macs)
		return false;
	peer = find_pairs(m);
	for (size_t i = 0; i < m->ports.n; i++) {
		struct port *p = m->ports.at[i];
		uint32_t now = peer[i] == PORT_NONE ? 0 : peer[i] + 1;

		if (p->more->mac_peer == now)
			continue;
		port_more(p)->mac_peer = now;
		wiring_port(m, p);
		moved = true;
	}
	free(peer);
	return moved;
}

void macs_rebuild(struct model *m)
{
	uint64_t generation = m->wiring_generation;
	bool dirty = m->links_dirty;

	index_free(&m->macs);
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		add_mac(m, p->more->mac, m->devices.at[p->device]);
		m->hears_macs |= p->more->macs[0] != '\0';
	}
	/* The links were loaded with the same peers. */
	(void)macs_pair(m);
	m->links_dirty = dirty;
	m->wiring_generation = generation;
}

int64_t port_mac_heard_us(const struct model *m, const struct port *p)
{
	enum peer_source source;
	const struct port *q = port_peer(m, p, &source);

	return source != PEER_MAC ? 0 : p->more->macs_us ? p->more->macs_us : q->more->macs_us;
}

const char *peer_source_name(enum peer_source s)
{
	static const char *const names[] = {"", "mac", "plan", "lldp"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : "";
}
