/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/model_internal.h"

bool port_before(const struct model *m, const struct port *a, const struct port *b)
{
	enum tier ta = model_dev_of(m, a)->tier, tb = model_dev_of(m, b)->tier;

	return ta != tb ? ta < tb : a->id < b->id;
}

/* Neighbours give their system name with or without a domain. */
static struct device *neighbour_device(const struct model *m, const char *name)
{
	struct device *d = model_device(m, name);
	char shorter[NAME_MAX_LEN];
	const char *dot = strchr(name, '.');

	if (d || !dot || dot == name)
		return d;
	(void)str_copyn(shorter, sizeof(shorter), name, (size_t)(dot - name));
	return model_device(m, shorter);
}

/* The peer may say nothing itself (a host without an LLDP daemon): what we say is true for it too.
 */
static void tell_peer(struct model *m, const struct port *p, bool connected)
{
	struct port *q;

	if (p->lldp_peer == PORT_NONE)
		return;
	q = m->ports.at[p->lldp_peer];
	if (q->lldp_device[0])
		return;
	if (connected)
		q->lldp_peer = p->id;
	else if (q->lldp_peer == p->id)
		q->lldp_peer = PORT_NONE;
}

void lldp_resolve(struct model *m, struct port *p)
{
	struct device *d;
	struct port *q = NULL;

	tell_peer(m, p, false);
	p->lldp_peer = PORT_NONE;
	d = p->lldp_device[0] ? neighbour_device(m, p->lldp_device) : NULL;
	if (d)
		q = model_port(m, d, p->lldp_port);
	if (!q || q == p)
		return;
	p->lldp_peer = q->id;
	tell_peer(m, p, true);
}

/* What becomes of the link's other end: lost, or another one, also some time after it was lost. */
static void lldp_event(struct batch *b, struct port *p, const char *was, bool had)
{
	char now[2 * NAME_MAX_LEN], text[4 * NAME_MAX_LEN];
	uint32_t hash;

	if (!p->lldp_device[0]) {
		(void)str_printf(text, sizeof(text), "was %s", was);
		if (had)
			model_add_event(b->m, b->now, EV_LLDP_LOST, b->d, p, -1, 0, text);
		return;
	}
	(void)str_printf(now, sizeof(now), "%s:%s", p->lldp_device, p->lldp_port);
	hash = text_hash(now);
	(void)str_printf(text, sizeof(text), had ? "%s, was %s" : "%s", now, was);
	if (p->lldp_was && p->lldp_was != hash)
		model_add_event(b->m, b->now, EV_NEIGHBOUR, b->d, p, -1, 0, text);
	p->lldp_was = hash;
}

static void forget_neighbour(struct model *m, struct port *p)
{
	text_set(m->texts, &p->lldp_mgmt, "");
	text_set(m->texts, &p->lldp_descr, "");
}

void lldp_apply(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	struct port *p = bp->port;
	char was[2 * NAME_MAX_LEN];
	bool had = p->lldp_device[0] != '\0', differs;

	/* "No neighbour" is an answer, but nobody was seen: the time says when there was one. */
	if (obs_text(b->o, it->text)[0])
		p->lldp_us = b->received;
	else
		forget_neighbour(b->m, p);
	(void)str_printf(was, sizeof(was), "%s:%s", p->lldp_device, p->lldp_port);
	differs = batch_port_text(
		b, &p->lldp_device, PORT_TEXT_lldp_device, obs_text(b->o, it->text));
	differs |=
		batch_port_text(b, &p->lldp_port, PORT_TEXT_lldp_port, obs_text(b->o, it->text2));
	if (!differs)
		return;
	lldp_resolve(b->m, p);
	b->m->links_dirty = true;
	b->m->wiring_generation++;
	lldp_event(b, p, was, had);
}

static void add_link(struct model *m, uint32_t *partner, uint32_t x, uint32_t y, enum link_state s)
{
	const struct port *a = m->ports.at[x], *b = m->ports.at[y];

	if (!port_before(m, a, b)) {
		const struct port *t = a;

		a = b;
		b = t;
	}
	vec_push(&m->links, (struct link){.a = a->id,
				    .b = b->id,
				    .rail = a->rail >= 0 ? a->rail : b->rail,
				    .state = s});
	partner[x] = y;
	partner[y] = x;
}

/* leaf-1 and leaf-1.example.net are the same device. */
static bool same_host(const char *a, const char *b)
{
	size_t la = strcspn(a, "."), lb = strcspn(b, ".");

	return la && la == lb && strncasecmp(a, b, la) == 0;
}

bool port_miswired(const struct model *m, const struct port *p)
{
	const struct device *planned;

	if (p->plan_peer == PORT_NONE)
		return false;
	if (p->lldp_peer != PORT_NONE)
		return p->lldp_peer != p->plan_peer;
	if (!p->lldp_device[0])
		return false;
	planned = model_dev_of(m, m->ports.at[p->plan_peer]);
	return !same_host(p->lldp_device, planned->name) &&
	       !same_host(p->lldp_device, planned->hostname);
}

/* The link that is planned between p (the lower end) and q. */
static void add_planned(
	struct model *m, uint32_t *partner, const struct port *p, const struct port *q)
{
	enum link_state s = LINK_PLANNED;
	uint32_t other = q->id;

	if (port_miswired(m, p) || port_miswired(m, q)) {
		s = LINK_MISWIRED;
		if (p->lldp_peer != PORT_NONE)
			other = p->lldp_peer;
	} else if (p->lldp_peer == q->id || q->lldp_peer == p->id) {
		s = LINK_AS_PLANNED;
	}
	add_link(m, partner, p->id, other, s);
}

static void add_found(struct model *m, uint32_t *partner, const struct port *p)
{
	const struct port *q;

	if (p->lldp_peer == PORT_NONE || p->merged)
		return;
	q = m->ports.at[p->lldp_peer];
	if (partner[p->id] == q->id || partner[q->id] == p->id)
		return;
	add_link(m, partner, p->id, q->id,
		p->plan_peer == PORT_NONE && q->plan_peer == PORT_NONE ? LINK_FOUND
								       : LINK_MISWIRED);
}

/* Ports and names may have appeared since a neighbour was reported. */
static void resolve_all(struct model *m)
{
	for (size_t i = 0; i < m->ports.n; i++)
		if (!m->ports.at[i]->lldp_device[0])
			m->ports.at[i]->lldp_peer = PORT_NONE;
	for (size_t i = 0; i < m->ports.n; i++)
		if (m->ports.at[i]->lldp_device[0])
			lldp_resolve(m, m->ports.at[i]);
}

void model_links(struct model *m)
{
	uint32_t *partner;

	if (!m->links_dirty)
		return;
	m->links_dirty = false;
	m->generation++;
	m->wiring_generation++;
	resolve_all(m);
	partner = mem_alloc(m->ports.n * sizeof(*partner));
	for (size_t i = 0; i < m->ports.n; i++)
		partner[i] = PORT_NONE;
	m->links.n = 0;
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (p->plan_peer != PORT_NONE && port_before(m, p, m->ports.at[p->plan_peer]))
			add_planned(m, partner, p, m->ports.at[p->plan_peer]);
	}
	for (size_t i = 0; i < m->ports.n; i++)
		add_found(m, partner, m->ports.at[i]);
	free(partner);
}
