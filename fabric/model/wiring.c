/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/wiring.h"

#include <string.h>

#include "base/str.h"
#include "fabric/jobs/nccl_internal.h"
#include "fabric/model/index.h"
#include "fabric/model/model_internal.h"
#include "fabric/vocabulary/mac.h"

enum { BY_NAME, BY_TARGET, LISTS };

enum port_mark {
	MARK_NOTED = 1,   /* it changed itself */
	MARK_RESOLVE = 2, /* its neighbour's names may lead to another port */
	MARK_PEER = 4,    /* a port that hears it, or its own data, changed */
	MARK_LINKS = 8,   /* its links may have changed */
};

enum device_mark { DEVICE_PORTS = 1, DEVICE_NAME = 2 };

/* A port as the end of a cable. Ports that name the same device form a list, and so do those that
 * hear the same port. */
struct end {
	struct told *told; /* NULL: it names no device */
	uint32_t target;   /* the port that it hears */
	uint32_t heard;    /* first of the ports that hear it */
	uint32_t next[LISTS], prev[LISTS];
	uint8_t marks; /* enum port_mark */
};

/* The name of a device as neighbours announce it. */
struct told {
	uint32_t device; /* UINT32_MAX: of no device */
	uint32_t first;  /* first of the ports that name it */
	char name[NAME_MAX_LEN];
};

struct wires {
	VEC(struct end) ends;
	VEC(uint8_t) devices; /* enum device_mark */
	VEC(uint32_t) marked; /* devices */
	VEC(uint32_t) noted, resolve, peer, links;
	void *names; /* name -> struct told */
	bool renamed;
	struct link_list list;
};

/* ---- noting changes ---- */

static void ends_for(struct wires *w, size_t ports)
{
	while (w->ends.n < ports)
		vec_push(&w->ends, (struct end){.target = PORT_NONE, .heard = PORT_NONE});
}

static void mark_port(struct wires *w, uint32_t id, enum port_mark what)
{
	ends_for(w, (size_t)id + 1);
	if (w->ends.at[id].marks & what)
		return;
	w->ends.at[id].marks |= (uint8_t)what;
	switch (what) {
	case MARK_NOTED:
		vec_push(&w->noted, id);
		break;
	case MARK_RESOLVE:
		vec_push(&w->resolve, id);
		break;
	case MARK_PEER:
		vec_push(&w->peer, id);
		break;
	case MARK_LINKS:
		vec_push(&w->links, id);
		break;
	}
}

static void mark_device(struct wires *w, uint32_t id, enum device_mark what)
{
	while (w->devices.n <= id)
		vec_push(&w->devices, 0);
	if (!w->devices.at[id])
		vec_push(&w->marked, id);
	w->devices.at[id] |= (uint8_t)what;
}

void wiring_port(struct model *m, const struct port *p)
{
	m->wiring_generation++;
	if (m->wiring)
		mark_port(m->wiring, p->id, MARK_NOTED);
	else
		m->links_dirty = true;
}

void wiring_ports_of(struct model *m, const struct device *d)
{
	m->wiring_generation++;
	if (m->wiring)
		mark_device(m->wiring, d->id, DEVICE_PORTS);
	else
		m->links_dirty = true;
}

void wiring_name(struct model *m, const struct device *d)
{
	m->wiring_generation++;
	if (m->wiring) {
		mark_device(m->wiring, d->id, DEVICE_NAME);
		m->wiring->renamed = true;
	} else {
		m->links_dirty = true;
	}
}

bool wiring_noted(const struct model *m)
{
	return m->wiring && (m->wiring->noted.n || m->wiring->marked.n);
}

static void free_names(struct wires *w)
{
	struct index_at e = {0};

	while (index_next(w->names, &e))
		free(e.thing);
	index_free(&w->names);
}

void wiring_forget(struct model *m)
{
	struct wires *w = m->wiring;

	if (!w)
		return;
	free_names(w);
	vec_free(&w->ends);
	vec_free(&w->devices);
	vec_free(&w->marked);
	vec_free(&w->noted);
	vec_free(&w->resolve);
	vec_free(&w->peer);
	vec_free(&w->links);
	vec_free(&w->list.of);
	free(w);
	m->wiring = NULL;
}

struct link_list *wiring_list(struct model *m)
{
	return &m->wiring->list;
}

/* ---- lists of ports ---- */

static void join_list(struct wires *w, unsigned list, uint32_t *first, uint32_t id)
{
	w->ends.at[id].prev[list] = PORT_NONE;
	w->ends.at[id].next[list] = *first;
	if (*first != PORT_NONE)
		w->ends.at[*first].prev[list] = id;
	*first = id;
}

static void leave_list(struct wires *w, unsigned list, uint32_t *first, uint32_t id)
{
	const struct end *e = &w->ends.at[id];

	if (e->next[list] != PORT_NONE)
		w->ends.at[e->next[list]].prev[list] = e->prev[list];
	if (e->prev[list] != PORT_NONE)
		w->ends.at[e->prev[list]].next[list] = e->next[list];
	else
		*first = e->next[list];
}

/* ---- names ---- */

/* The device that is polled at that address, or that reports it as its own. */
static struct device *device_at(const struct model *m, const char *address)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (strcmp(m->devices.at[i]->address, address) == 0)
			return m->devices.at[i];
	return model_device_at(m, nccl_address_host(m, address));
}

/* Neighbours announce their system name with or without a domain. */
static struct device *neighbour_device(const struct model *m, const char *name)
{
	struct device *d = model_device(m, name);
	char shorter[NAME_MAX_LEN];
	const char *dot = strchr(name, '.');

	if (!d && mac_is(name))
		return macs_find(m, name);
	if (!d && neighbour_is_nameless(name))
		return device_at(m, name);
	if (d || !dot || dot == name)
		return d;
	(void)str_copyn(shorter, sizeof(shorter), name, (size_t)(dot - name));
	return model_device(m, shorter);
}

/*
 * The name by which the neighbour is looked up: its own, else the MAC of its port or chassis, else
 * its address. The first one that a device has; its own if none has.
 */
static const char *lookup_name(const struct model *m, const struct port *p)
{
	const char *const names[] = {
		p->lldp_device, p->lldp_port, p->more->lldp_also, p->more->lldp_mgmt};

	for (size_t i = 0; p->lldp_device[0] && i < sizeof(names) / sizeof(names[0]); i++) {
		/* A port's name is no device's, unless it is a MAC. */
		if ((i == 1 || i == 2) && !mac_is(names[i]))
			continue;
		if (names[i][0] && neighbour_device(m, names[i]))
			return names[i];
	}
	return p->lldp_device;
}

struct device *port_heard_device(const struct model *m, const struct port *p)
{
	const char *name = lookup_name(m, p);

	return *name ? neighbour_device(m, name) : NULL;
}

/*
 * The port of d with that name. The slaves of a bond share a MAC, and so do the ports of some
 * switches: then it leads to the planned one, or to none.
 */
static struct port *named_port(
	const struct model *m, const struct device *d, const char *name, const struct port *from)
{
	struct port *found = NULL;
	unsigned n = 0;

	if (!mac_is(name))
		return *name ? model_port(m, d, name) : NULL;
	for (size_t i = 0; i < d->ports.n; i++) {
		struct port *q = m->ports.at[d->ports.at[i]];

		if (port_is_bond(q) || strcmp(q->more->mac, name) != 0)
			continue;
		if (q->id == from->plan_peer)
			return q;
		found = q;
		n++;
	}
	return n == 1 ? found : NULL;
}

struct port *wiring_neighbour(const struct model *m, const struct port *p)
{
	struct device *d = p->lldp_device[0] ? port_heard_device(m, p) : NULL;
	struct port *q = d ? named_port(m, d, p->lldp_port, p) : NULL;

	if (!q && d)
		q = named_port(m, d, p->more->lldp_also, p);
	/* Firmware that gives no port id of its own: the chassis' MAC is that of a port. */
	if (!q && d && mac_is(p->lldp_device))
		q = named_port(m, d, p->lldp_device, p);
	return q == p ? NULL : q;
}

static uint32_t named_device(const struct model *m, const char *name)
{
	const struct device *d = neighbour_device(m, name);

	return d ? d->id : UINT32_MAX;
}

static struct told *name_entry(struct model *m, const char *name)
{
	struct wires *w = m->wiring;
	struct told *t = index_get(w->names, name);

	if (t || !*name)
		return t;
	t = mem_alloc(sizeof(*t));
	*t = (struct told){.device = named_device(m, name), .first = PORT_NONE};
	(void)str_copy(t->name, sizeof(t->name), name);
	index_put(&w->names, name, RANK_NAME, t);
	return t;
}

static void follow_name(struct model *m, uint32_t id)
{
	struct wires *w = m->wiring;
	struct end *e = &w->ends.at[id];
	struct told *t = name_entry(m, lookup_name(m, m->ports.at[id])), *was = e->told;

	if (was == t)
		return;
	if (was)
		leave_list(w, BY_NAME, &was->first, id);
	if (was && was->first == PORT_NONE) {
		index_drop(&w->names, was->name, RANK_NAME, was);
		free(was);
	}
	e->told = t;
	if (t)
		join_list(w, BY_NAME, &t->first, id);
}

static void resolve_those(struct wires *w, const struct told *t, enum port_mark mark)
{
	for (uint32_t id = t->first; id != PORT_NONE; id = w->ends.at[id].next[BY_NAME])
		mark_port(w, id, mark);
}

/* Follows renamed devices: their ports, and ports with neighbour names that now lead elsewhere. */
static void follow_devices(struct model *m)
{
	struct wires *w = m->wiring;
	struct index_at e = {0};

	if (!w->marked.n)
		return;
	while (index_next(w->names, &e)) {
		struct told *t = e.thing;
		uint32_t now = w->renamed ? named_device(m, t->name) : t->device;

		if (now != t->device || (now < w->devices.n && (w->devices.at[now] & DEVICE_PORTS)))
			resolve_those(w, t, MARK_RESOLVE);
		/* A neighbour may be known by another of its names now. */
		if (w->renamed &&
			(now == UINT32_MAX || now != t->device || neighbour_is_nameless(t->name)))
			resolve_those(w, t, MARK_NOTED);
		t->device = now;
	}
	for (size_t i = 0; i < w->marked.n; i++) {
		uint32_t id = w->marked.at[i];
		const struct device *d = m->devices.at[id];

		/* The names of the planned device decide whether a port is wired as planned. */
		for (size_t k = 0; (w->devices.at[id] & DEVICE_NAME) && k < d->ports.n; k++)
			mark_port(w, d->ports.at[k], MARK_PEER);
		w->devices.at[id] = 0;
	}
	w->marked.n = 0;
	w->renamed = false;
}

/* ---- peers ---- */

static void follow_target(struct model *m, uint32_t id)
{
	struct wires *w = m->wiring;
	const struct port *q = wiring_neighbour(m, m->ports.at[id]);
	uint32_t now = q ? q->id : PORT_NONE, was = w->ends.at[id].target;

	if (now == was)
		return;
	if (was != PORT_NONE) {
		leave_list(w, BY_TARGET, &w->ends.at[was].heard, id);
		mark_port(w, was, MARK_PEER);
	}
	w->ends.at[id].target = now;
	if (now != PORT_NONE) {
		join_list(w, BY_TARGET, &w->ends.at[now].heard, id);
		mark_port(w, now, MARK_PEER);
	}
	mark_port(w, id, MARK_PEER);
}

static void follow_peer(struct model *m, uint32_t id)
{
	const struct wires *w = m->wiring;
	struct port *p = m->ports.at[id];
	uint32_t peer = PORT_NONE;

	if (p->lldp_device[0]) {
		p->lldp_peer = w->ends.at[id].target;
		return;
	}
	for (uint32_t by = w->ends.at[id].heard; by != PORT_NONE;
		by = w->ends.at[by].next[BY_TARGET])
		if (peer == PORT_NONE || by > peer)
			peer = by;
	p->lldp_peer = peer;
}

/* Marks the links affected by a port: its own, the planned ones, and those of ports that hear
 * it. */
static void mark_around(struct model *m, uint32_t id)
{
	struct wires *w = m->wiring;

	mark_port(w, id, MARK_LINKS);
	if (m->ports.at[id]->lldp_peer != PORT_NONE)
		mark_port(w, m->ports.at[id]->lldp_peer, MARK_LINKS);
	for (uint32_t by = w->ends.at[id].heard; by != PORT_NONE;
		by = w->ends.at[by].next[BY_TARGET])
		mark_port(w, by, MARK_LINKS);
}

/* ---- resolving ---- */

static int compare_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void clear_marks(struct wires *w)
{
	for (size_t i = 0; i < w->resolve.n; i++)
		w->ends.at[w->resolve.at[i]].marks = 0;
	for (size_t i = 0; i < w->links.n; i++)
		w->ends.at[w->links.at[i]].marks = 0;
	w->noted.n = w->resolve.n = w->peer.n = 0;
}

static void start_wiring(struct model *m)
{
	wiring_forget(m);
	m->wiring = mem_calloc(1, sizeof(*m->wiring));
	vec_reserve(&m->wiring->ends, m->ports.n);
	for (uint32_t id = 0; id < m->ports.n; id++) {
		mark_port(m->wiring, id, MARK_NOTED);
		mark_port(m->wiring, id, MARK_PEER);
	}
}

bool wiring_follow(struct model *m, struct port_ids *moved)
{
	bool all = m->links_dirty || !m->wiring;
	struct wires *w;

	if (all)
		start_wiring(m);
	w = m->wiring;
	w->links.n = 0;
	ends_for(w, m->ports.n);
	follow_devices(m);
	for (size_t i = 0; i < w->noted.n; i++) {
		follow_name(m, w->noted.at[i]);
		mark_port(w, w->noted.at[i], MARK_RESOLVE);
		mark_port(w, w->noted.at[i], MARK_PEER);
	}
	for (size_t i = 0; i < w->resolve.n; i++)
		follow_target(m, w->resolve.at[i]);
	for (size_t i = 0; i < w->peer.n; i++)
		follow_peer(m, w->peer.at[i]);
	for (size_t i = 0; i < w->peer.n; i++) {
		uint32_t planned = m->ports.at[w->peer.at[i]]->plan_peer;

		mark_around(m, w->peer.at[i]);
		if (planned != PORT_NONE)
			mark_around(m, planned);
	}
	if (!all && w->links.n)
		qsort(w->links.at, w->links.n, sizeof(*w->links.at), compare_id);
	clear_marks(w);
	*moved = (struct port_ids){w->links.at, w->links.n};
	return !all;
}
