/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory.h"
#include "app/import/import.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"

/* The neighbour that LLDP shows at one end of a cable. */
enum heard { HEARD_NOTHING, HEARD_SAME, HEARD_OTHER };

static bool port_heard(const struct port *p)
{
	return p && (p->lldp_peer != PORT_NONE || p->lldp_device[0]);
}

/* "leaf1:Ethernet4", or the words of a neighbour that the fabric does not know. */
static void name_peer(const struct model *m, const struct port *p, char *dst, size_t size)
{
	const struct port *peer = model_port_at(m, p->lldp_peer);

	if (peer)
		(void)str_printf(dst, size, "%s:%s", model_dev_of(m, peer)->name, peer->name);
	else
		(void)str_printf(dst, size, "%s:%s", p->lldp_device, p->lldp_port);
}

/* A host's port under another name of its own proves nothing against the cable. */
static enum heard hear_end(
	const struct model *m, const struct port *p, const struct found *b, const char *b_port)
{
	const struct device *d, *want = model_device(m, b->name);
	const struct port *peer, *planned;

	if (!port_heard(p))
		return HEARD_NOTHING;
	d = port_heard_device(m, p);
	peer = model_port_at(m, p->lldp_peer);
	if (peer)
		d = model_dev_of(m, peer);
	if (!d || !want)
		return strcasecmp(p->lldp_device, b->name) == 0 ? HEARD_SAME : HEARD_OTHER;
	if (d != want)
		return HEARD_OTHER;
	planned = model_port(m, want, b_port);
	return !peer || !planned || planned == peer ? HEARD_SAME : HEARD_OTHER;
}

static const struct port *find_port(const struct model *m, const struct found *f, const char *port)
{
	const struct device *d = model_device(m, f->name);

	return d ? model_port(m, d, port) : NULL;
}

static void note_used(
	struct name_index *used, const struct model *m, const struct found *f, const char *name)
{
	const struct port *p = find_port(m, f, name);
	char key[24];
	unsigned at;

	if (!p)
		return;
	(void)str_printf(key, sizeof(key), "%u", p->id);
	(void)name_index_add(used, key, 0, &at);
}

static bool is_used(const struct name_index *used, uint32_t port)
{
	char key[24];
	unsigned at;

	(void)str_printf(key, sizeof(key), "%u", port);
	return name_index_find(used, key, &at);
}

static void compare_link(const struct import *im, const struct model *m, const struct found_link *l,
	FILE *out, struct import_compared *r)
{
	const struct found *a = &im->d.devices.at[l->a], *b = &im->d.devices.at[l->b];
	const struct port *pa = find_port(m, a, l->a_port), *pb = find_port(m, b, l->b_port);
	enum heard ha = hear_end(m, pa, b, l->b_port), hb = hear_end(m, pb, a, l->a_port);
	const struct port *at = ha == HEARD_OTHER ? pa : pb;
	char peer[2 * NAME_MAX_LEN + 2];

	if (ha == HEARD_NOTHING && hb == HEARD_NOTHING) {
		r->unheard++;
		return;
	}
	if (ha != HEARD_OTHER && hb != HEARD_OTHER) {
		r->same++;
		return;
	}
	r->differ++;
	name_peer(m, at, peer, sizeof(peer));
	(void)fprintf(out, "differs: %s:%s - %s:%s in the file; LLDP at %s:%s shows %s\n", a->name,
		l->a_port, b->name, l->b_port, model_dev_of(m, at)->name, at->name, peer);
}

/* Cables between devices of the file that only LLDP shows. */
static void find_extra(const struct import *im, const struct model *m, struct name_index *used,
	FILE *out, struct import_compared *r)
{
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i], *peer = model_port_at(m, p->lldp_peer);
		unsigned at;

		if (!peer || is_used(used, p->id) || is_used(used, peer->id) ||
			(peer->lldp_peer == p->id && peer->id < p->id) ||
			!name_index_find(im->names, model_dev_of(m, p)->name, &at) ||
			!name_index_find(im->names, model_dev_of(m, peer)->name, &at))
			continue;
		r->extra++;
		(void)fprintf(out, "not in the file: %s:%s - %s:%s, which LLDP shows\n",
			model_dev_of(m, p)->name, p->name, model_dev_of(m, peer)->name, peer->name);
	}
}

void import_compare(
	const struct import *im, const struct model *m, FILE *out, struct import_compared *result)
{
	struct name_index *used = name_index_new();

	*result = (struct import_compared){0};
	for (size_t i = 0; i < im->d.links.n; i++) {
		const struct found_link *l = &im->d.links.at[i];

		note_used(used, m, &im->d.devices.at[l->a], l->a_port);
		note_used(used, m, &im->d.devices.at[l->b], l->b_port);
		if (!l->management)
			compare_link(im, m, l, out, result);
	}
	/* Without any cable in the file there is nothing to miss. */
	if (im->d.links.n)
		find_extra(im, m, used, out, result);
	name_index_free(used);
}
