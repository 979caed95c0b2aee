/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/model/unnamed.h"

#include <string.h>

#include "base/str.h"
#include "fabric/model/model_internal.h"
#include "fabric/model/wiring.h"
#include "fabric/plan/sizing.h"

#define LINK_NONE UINT32_MAX

struct open_link {
	struct plan_link l;
	uint32_t next[2]; /* next link of device a, of device b */
};

struct open_device {
	uint32_t first; /* first of its links */
	unsigned ports; /* places that it needs; 0: its names are known */
};

/*
 * Derived from the plan and the existing ports, so it is not saved: the ports of a link show
 * whether it has names.
 */
struct open_links {
	VEC(struct open_link) at;
	VEC(struct open_device) devices;
};

static struct open_device *open_of(const struct model *m, uint32_t device)
{
	struct open_links *o = m->open_links;

	return o && device < o->devices.n ? &o->devices.at[device] : NULL;
}

static void list_end(struct model *m, unsigned end, unsigned device, bool named, unsigned place)
{
	struct open_links *o = m->open_links;
	uint32_t id = (uint32_t)(o->at.n - 1);
	struct open_device *d;

	while (o->devices.n <= device)
		vec_push(&o->devices, (struct open_device){.first = LINK_NONE});
	d = &o->devices.at[device];
	o->at.at[id].next[end] = d->first;
	d->first = id;
	if (!named && place >= d->ports)
		d->ports = place + 1;
}

void unnamed_add(struct model *m, const struct plan_link *l)
{
	if (l->a == l->b)
		return;
	if (!m->open_links)
		m->open_links = mem_calloc(1, sizeof(*m->open_links));
	vec_push(&m->open_links->at, (struct open_link){.l = *l});
	list_end(m, 0, l->a, l->a_port[0], l->a_place);
	list_end(m, 1, l->b, l->b_port[0], l->b_place);
}

void unnamed_free(struct model *m)
{
	if (!m->open_links)
		return;
	vec_free(&m->open_links->at);
	vec_free(&m->open_links->devices);
	free(m->open_links);
	m->open_links = NULL;
}

/* ---- names ---- */

/* Whether the name has these letters and then a number: not Management1, not Port-channel3. */
static bool is_like(const char *port, const char *name)
{
	size_t n = strcspn(name, "0123456789");

	return strncmp(port, name, n) == 0 && port[n] >= '0' && port[n] <= '9';
}

/*
 * Whether the first of the device's ports, in their order, have exactly these names. A missing
 * number means another numbering: every second one, or by cages and lanes.
 */
static bool naming_fits(
	const struct model *m, const struct device *d, const char *naming, unsigned ports)
{
	char name[NAME_MAX_LEN];
	unsigned at = 0;

	(void)sizing_port_name(d->tier, naming, 0, name, sizeof(name));
	for (size_t i = 0; i < d->ports.n && at < ports; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (!p->seen || !is_like(p->name, name))
			continue;
		if (strcmp(p->name, name) != 0)
			return false;
		at++;
		(void)sizing_port_name(d->tier, naming, at, name, sizeof(name));
	}
	return at == ports;
}

/* The naming scheme of the device's ports if exactly one fits; else NULL. */
static const char *naming_of(const struct model *m, const struct device *d)
{
	const struct open_device *o = open_of(m, d->id);
	const char *found = NULL, *naming;

	for (size_t i = 0; o && (naming = sizing_naming(i)); i++) {
		if (!naming_fits(m, d, naming, o->ports))
			continue;
		if (found)
			return NULL;
		found = naming;
	}
	return found;
}

static bool name_end(const struct model *m, unsigned device, unsigned place, char *name)
{
	const struct device *d = m->devices.at[device];
	const char *naming = name[0] ? NULL : naming_of(m, d);

	return name[0] || (naming && sizing_port_name(d->tier, naming, place, name, NAME_MAX_LEN));
}

static uint32_t next_of(const struct open_link *l, uint32_t device)
{
	return l->next[l->l.a == device ? 0 : 1];
}

/* ---- links ---- */

static bool is_planned(const struct model *m, const struct device *d, const char *name)
{
	const struct port *p = *name ? model_port(m, d, name) : NULL;

	if (*name)
		return p && p->plan_peer != PORT_NONE;
	for (size_t i = 0; i < d->ports.n; i++)
		if (m->ports.at[d->ports.at[i]]->plan_peer != PORT_NONE)
			return true;
	return false;
}

static bool has_names(const struct model *m, const struct open_link *l)
{
	return is_planned(m, m->devices.at[l->l.a], l->l.a_port) &&
	       is_planned(m, m->devices.at[l->l.b], l->l.b_port);
}

static void connect_link(struct model *m, struct plan_link l)
{
	struct port *p;

	if (!name_end(m, l.a, l.a_place, l.a_port) || !name_end(m, l.b, l.b_place, l.b_port))
		return;
	model_plan_link(m, &l);
	p = model_port(m, m->devices.at[l.a], l.a_port);
	if (!p || p->plan_peer == PORT_NONE)
		return;
	wiring_port(m, p);
	wiring_port(m, m->ports.at[p->plan_peer]);
	m->generation++;
}

void unnamed_told(struct model *m, const struct device *d)
{
	const struct open_device *o = open_of(m, d->id);
	uint32_t i = o ? o->first : LINK_NONE;

	if (i == LINK_NONE || !o->ports || !naming_of(m, d))
		return;
	for (; i != LINK_NONE; i = next_of(&m->open_links->at.at[i], d->id))
		connect_link(m, m->open_links->at.at[i].l);
}

unsigned device_unnamed_links(const struct model *m, const struct device *d)
{
	const struct open_device *o = open_of(m, d->id);
	unsigned n = 0;

	for (uint32_t i = o ? o->first : LINK_NONE; i != LINK_NONE;
		i = next_of(&m->open_links->at.at[i], d->id))
		n += !has_names(m, &m->open_links->at.at[i]);
	return n;
}

struct unnamed model_unnamed(const struct model *m)
{
	const struct open_links *o = m->open_links;
	struct unnamed u = {0};

	for (size_t i = 0; o && i < o->at.n; i++)
		u.links += !has_names(m, &o->at.at[i]);
	for (uint32_t i = 0; o && u.links && i < o->devices.n; i++) {
		if (!o->devices.at[i].ports || is_planned(m, m->devices.at[i], ""))
			continue;
		if (!u.devices++)
			u.first = i;
	}
	return u;
}
