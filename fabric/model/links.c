/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>

#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"
#include "fabric/vocabulary/mac.h"

bool port_before(const struct model *m, const struct port *a, const struct port *b)
{
	enum tier ta = model_dev_of(m, a)->tier, tb = model_dev_of(m, b)->tier;

	return ta != tb ? ta < tb : a->id < b->id;
}

/* Updates the peer, which may not run LLDP itself (a host without a daemon): our neighbour is also
 * its neighbour. */
static void update_peer(struct model *m, const struct port *p, bool connected)
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
	wiring_port(m, q);
}

void lldp_resolve(struct model *m, struct port *p)
{
	const struct port *q;

	update_peer(m, p, false);
	p->lldp_peer = PORT_NONE;
	wiring_port(m, p);
	q = wiring_neighbour(m, p);
	if (!q)
		return;
	p->lldp_peer = q->id;
	update_peer(m, p, true);
}

/* Adds an event when the neighbour is lost or replaced, also some time after it was lost. */
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
	if (p->more->lldp_was && p->more->lldp_was != hash)
		model_add_event(b->m, b->now, EV_NEIGHBOUR, b->d, p, -1, 0, text);
	port_more(p)->lldp_was = hash;
}

static void forget_neighbour(struct model *m, struct port *p)
{
	port_word_set(m, p, &p->more->lldp_mgmt, "");
	port_word_set(m, p, &p->more->lldp_descr, "");
	port_word_set(m, p, &p->more->lldp_also, "");
}

void lldp_apply(struct batch *b, struct batch_port *bp, const struct obs_item *it)
{
	struct port *p = bp->port;
	char was[2 * NAME_MAX_LEN];
	bool had = p->lldp_device[0] != '\0', differs;

	/* "No neighbour" is an answer, but no sighting: lldp_us keeps the time of the last
	 * neighbour. */
	if (obs_text(b->o, it->text)[0])
		p->lldp_us = b->received;
	(void)str_printf(was, sizeof(was), "%s:%s", p->lldp_device, p->lldp_port);
	differs = batch_port_text(
		b, &p->lldp_device, PORT_TEXT_lldp_device, obs_text(b->o, it->text));
	differs |=
		batch_port_text(b, &p->lldp_port, PORT_TEXT_lldp_port, obs_text(b->o, it->text2));
	if (!differs)
		return;
	forget_neighbour(b->m, p);
	lldp_resolve(b->m, p);
	lldp_event(b, p, was, had);
}

/* Treats leaf-1 and leaf-1.example.net as the same device. */
static bool same_host(const char *a, const char *b)
{
	size_t la = strcspn(a, "."), lb = strcspn(b, ".");

	return la && la == lb && strncasecmp(a, b, la) == 0;
}

bool port_miswired(const struct model *m, const struct port *p)
{
	const struct device *planned, *heard;

	if (p->plan_peer == PORT_NONE)
		return false;
	if (p->lldp_peer != PORT_NONE)
		return p->lldp_peer != p->plan_peer;
	if (!p->lldp_device[0])
		return false;
	planned = model_dev_of(m, m->ports.at[p->plan_peer]);
	heard = port_heard_device(m, p);
	if (heard || neighbour_is_nameless(p->lldp_device))
		return heard && heard != planned;
	return !same_host(p->lldp_device, planned->name) &&
	       !same_host(p->lldp_device, planned->hostname);
}

static struct link link_of(
	const struct model *m, const struct port *x, const struct port *y, enum link_state s)
{
	const struct port *a = port_before(m, x, y) ? x : y, *b = a == x ? y : x;

	return (struct link){
		.a = a->id, .b = b->id, .rail = a->rail >= 0 ? a->rail : b->rail, .state = s};
}

/* The planned link of p, if p is its lower end. */
static bool planned_link(const struct model *m, const struct port *p, struct link *l)
{
	enum link_state s = LINK_PLANNED;
	const struct port *q, *other;

	if (p->plan_peer == PORT_NONE)
		return false;
	other = q = m->ports.at[p->plan_peer];
	if (!port_before(m, p, q))
		return false;
	if (port_miswired(m, p) || port_miswired(m, q)) {
		s = LINK_MISWIRED;
		if (p->lldp_peer != PORT_NONE)
			other = m->ports.at[p->lldp_peer];
	} else if (p->lldp_peer == q->id || q->lldp_peer == p->id) {
		s = LINK_AS_PLANNED;
	}
	*l = link_of(m, p, other, s);
	return true;
}

/* Whether the planned link of x is listed as the link between x and y. */
static bool is_listed(const struct model *m, const struct port *x, const struct port *y)
{
	struct link l;

	if (x->plan_peer == PORT_NONE ||
		!(planned_link(m, x, &l) || planned_link(m, m->ports.at[x->plan_peer], &l)))
		return false;
	return (l.a == x->id && l.b == y->id) || (l.a == y->id && l.b == x->id);
}

/* The link to p's LLDP peer, unless the list has it as planned or from the peer. */
static bool found_link(const struct model *m, const struct port *p, struct link *l)
{
	enum peer_source source;
	const struct port *q = port_peer(m, p, &source);

	if (source == PEER_MAC && p->id < q->id) {
		*l = link_of(m, p, q, LINK_FOUND);
		return true;
	}
	if (p->lldp_peer == PORT_NONE || p->merged)
		return false;
	q = m->ports.at[p->lldp_peer];
	if ((q->lldp_peer == p->id && !q->merged && q->id < p->id) || is_listed(m, p, q) ||
		is_listed(m, q, p))
		return false;
	*l = link_of(m, p, q,
		p->plan_peer == PORT_NONE && q->plan_peer == PORT_NONE ? LINK_FOUND
								       : LINK_MISWIRED);
	return true;
}

/* ---- the list ---- */

typedef bool link_fn(const struct model *m, const struct port *p, struct link *l);

static void list_all(struct model *m)
{
	struct link_list *list = wiring_list(m);
	link_fn *const parts[] = {planned_link, found_link};
	struct link l;

	m->links.n = list->of.n = 0;
	for (size_t part = 0; part < 2; part++) {
		for (uint32_t i = 0; i < m->ports.n; i++) {
			if (!parts[part](m, m->ports.at[i], &l))
				continue;
			vec_push(&m->links, l);
			vec_push(&list->of, i);
		}
		if (part == 0)
			list->planned = m->links.n;
	}
}

/* Index of the port's link between two places, or the place for it. */
static size_t link_place(const struct link_list *list, size_t from, size_t to, uint32_t port)
{
	while (from < to) {
		size_t mid = from + (to - from) / 2;

		if (list->of.at[mid] < port)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

/* Updates links in place. False: some were added or removed. */
static bool set_links(
	struct model *m, const struct port_ids *moved, size_t from, size_t to, link_fn *of)
{
	const struct link_list *list = wiring_list(m);
	bool same = true;

	for (size_t i = 0; i < moved->n; i++) {
		struct link l;
		bool is = of(m, m->ports.at[moved->at[i]], &l), was;

		from = link_place(list, from, to, moved->at[i]);
		was = from < to && list->of.at[from] == moved->at[i];
		if (is && was)
			m->links.at[from] = l;
		same &= is == was;
	}
	return same;
}

struct merged {
	VEC(struct link) links;
	VEC(uint32_t) of;
};

static void copy_links(const struct model *m, const struct link_list *list, size_t from, size_t to,
	struct merged *out)
{
	for (; from < to; from++) {
		vec_push(&out->links, m->links.at[from]);
		vec_push(&out->of, list->of.at[from]);
	}
}

static void merge_part(struct model *m, const struct port_ids *moved, size_t from, size_t to,
	link_fn *of, struct merged *out)
{
	const struct link_list *list = wiring_list(m);

	vec_reserve(&out->links, out->links.n + to - from + moved->n);
	vec_reserve(&out->of, out->of.n + to - from + moved->n);
	for (size_t i = 0; i < moved->n; i++) {
		size_t at = link_place(list, from, to, moved->at[i]);
		struct link l;

		copy_links(m, list, from, at, out);
		from = at + (at < to && list->of.at[at] == moved->at[i]);
		if (!of(m, m->ports.at[moved->at[i]], &l))
			continue;
		vec_push(&out->links, l);
		vec_push(&out->of, moved->at[i]);
	}
	copy_links(m, list, from, to, out);
}

static void merge_links(struct model *m, const struct port_ids *moved)
{
	struct link_list *list = wiring_list(m);
	struct merged out = {0};
	size_t planned;

	merge_part(m, moved, 0, list->planned, planned_link, &out);
	planned = out.links.n;
	merge_part(m, moved, list->planned, m->links.n, found_link, &out);
	vec_free(&m->links);
	vec_free(&list->of);
	m->links.at = out.links.at;
	m->links.n = out.links.n;
	m->links.size = out.links.size;
	list->of.at = out.of.at;
	list->of.n = out.of.n;
	list->of.size = out.of.size;
	list->planned = planned;
}

/* Brings the list up to date with the changes noted so far. */
static void follow(struct model *m)
{
	struct port_ids moved;
	bool known = wiring_follow(m, &moved), same;

	m->links_dirty = false;
	if (!known) {
		list_all(m);
		return;
	}
	same = set_links(m, &moved, 0, wiring_list(m)->planned, planned_link);
	same &= set_links(m, &moved, wiring_list(m)->planned, m->links.n, found_link);
	if (!same)
		merge_links(m, &moved);
}

void model_links(struct model *m)
{
	if (!m->links_dirty && !wiring_noted(m))
		return;
	m->generation++;
	m->wiring_generation++;
	follow(m);
	/* Stations count where LLDP shows nobody, so LLDP comes first. */
	if (macs_pair(m))
		follow(m);
}
