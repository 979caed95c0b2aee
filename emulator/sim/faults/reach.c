/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "emulator/sim/faults/faults.h"

/* Finds every port and device that a fault touches, once its entity and its keys are known. */

static void take_ports(struct fault *f, const struct sim_device *d, bool host)
{
	for (unsigned i = 0; i < d->nports; i++) {
		const struct sim_port *p = &d->ports[i];

		if (p->plan_peer && (!host || p->net == NET_BACKEND))
			vec_push(&f->ports, &d->ports[i]);
	}
}

static bool take_uplinks(const struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	const struct sim_device *d = f->device;
	uint64_t n = fault_uplinks(d), left = f->k.count, first;

	if (!n) {
		err_set(err, ERR_USAGE, spec, "%s has no uplinks", d->name);
		return err_cure(err, "a leaf with spines above it");
	}
	if (!left)
		left = (uint64_t)ceil(f->k.rate * (double)n);
	first = fault_dice(s, f, 3) % n;
	for (unsigned i = 0; i < 2 * d->nports && left; i++) {
		struct sim_port *p = &d->ports[i % d->nports];

		if (!fault_is_uplink(p) || fault_touches(f, p))
			continue;
		if (first) {
			first--;
			continue;
		}
		vec_push(&f->ports, p);
		left--;
	}
	return true;
}

/* A port of `from` that leads to `to`; chosen by seed if there are several. */
static struct sim_port *port_towards(const struct sim *s, const struct fault *f,
	const struct sim_device *from, const struct sim_device *to)
{
	struct sim_port *best = NULL;
	uint64_t best_hash = 0;

	for (unsigned i = 0; i < from->nports; i++) {
		struct sim_port *p = &from->ports[i];
		uint64_t h = fault_dice(s, f, 100 + (uint64_t)(p - s->port));

		if (p->peer && sim_device_of(s, p->peer) == to && (!best || h > best_hash)) {
			best = p;
			best_hash = h;
		}
	}
	return best;
}

size_t fault_spines(
	const struct sim *s, const struct sim_device *leaf, struct sim_device **out, size_t most)
{
	size_t n = 0;

	for (unsigned i = 0; i < leaf->nports && n < most; i++) {
		struct sim_device *d;
		size_t k = 0;

		if (!fault_is_uplink(&leaf->ports[i]))
			continue;
		d = sim_device_of(s, leaf->ports[i].peer);
		while (k < n && out[k] != d)
			k++;
		if (k == n)
			out[n++] = d;
	}
	return n;
}

/* Another leaf that both spines reach. */
static struct sim_device *pick_second_leaf(const struct sim *s, const struct fault *f,
	const struct sim_device *a, const struct sim_device *b)
{
	unsigned first = (unsigned)(fault_dice(s, f, 4) % a->nports);

	for (unsigned i = 0; i < a->nports; i++) {
		const struct sim_port *p = a->ports[(first + i) % a->nports].peer;
		struct sim_device *d;

		if (!p || p->tier != TIER_LEAF)
			continue;
		d = sim_device_of(s, p);
		if (d != f->device && port_towards(s, f, b, d))
			return d;
	}
	return NULL;
}

/* leaf -> spine -> other leaf -> other spine -> leaf: each egress is paused by the next one. */
static bool take_cycle(const struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	enum { SPINES = 64 };
	struct sim_device *spine[SPINES], *other;
	size_t n = fault_spines(s, f->device, spine, SPINES);
	size_t first = n ? fault_dice(s, f, 5) % n : 0;

	for (size_t i = 1; i < n; i++) {
		struct sim_device *a = spine[first], *b = spine[(first + i) % n];

		other = pick_second_leaf(s, f, a, b);
		if (!other)
			continue;
		f->port = port_towards(s, f, f->device, a);
		vec_push(&f->ports, f->port);
		vec_push(&f->ports, port_towards(s, f, a, other));
		vec_push(&f->ports, port_towards(s, f, other, b));
		vec_push(&f->ports, port_towards(s, f, b, f->device));
		return true;
	}
	err_set(err, ERR_USAGE, spec, "%s shares no two spines with another leaf", f->device->name);
	return err_cure(err, "a leaf with at least two spines that reach another leaf");
}

static void take_tier(const struct sim *s, struct fault *f)
{
	for (size_t i = 0; i < s->ndevices; i++) {
		struct sim_device *d = &s->device[i];

		if (d->tier != TIER_HOST && d->net == NET_BACKEND &&
			(f->tier < 0 || d->tier == (enum tier)f->tier))
			vec_push(&f->devices, d);
	}
}

static bool take_other_cable(
	const struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	size_t hosts = fault_hosts(s);

	if (f->k.rotate) {
		f->ports.n = 0;
		take_ports(f, f->device, true);
		if (f->ports.n > 1)
			return true;
		err_set(err, ERR_USAGE, spec, "%s has no rails to rotate", f->device->name);
		return err_cure(err, "a host with at least two rails");
	}
	if (!f->k.with && hosts)
		f->k.with = &s->device[(f->device->index + 1) % hosts];
	if (f->k.with && f->k.with != f->device && f->port->port < f->k.with->nports &&
		f->k.with->ports[f->port->port].plan_peer) {
		f->with = &f->k.with->ports[f->port->port];
		vec_push(&f->ports, f->with);
		return true;
	}
	err_set(err, ERR_USAGE, spec, "with=%s is not another host",
		f->k.with ? f->k.with->name : "");
	return err_cure(err, "the name of another host, such as %s", s->device[0].name);
}

static void take_all(const struct sim *s, struct fault *f)
{
	bool host = f->class->entity == ENTITY_NICS;

	for (size_t i = 0; i < s->ndevices; i++)
		if ((s->device[i].tier == TIER_HOST) == host && s->device[i].net == NET_BACKEND)
			take_ports(f, &s->device[i], host);
}

bool fault_pick_more(struct sim *s, struct fault *f, const char *spec, struct err *err)
{
	enum fault_entity e = f->class->entity;

	if (f->device)
		vec_push(&f->devices, f->device);
	if (f->port)
		vec_push(&f->ports, f->port);
	if (f->everywhere)
		take_all(s, f);
	else if (e == ENTITY_TIER)
		take_tier(s, f);
	else if (!f->device) /* the fabric as a whole */
		return true;
	else if ((e == ENTITY_NICS || e == ENTITY_SWPORTS) && !f->port)
		take_ports(f, f->device, e == ENTITY_NICS);
	else if (e == ENTITY_LEAF)
		return take_uplinks(s, f, spec, err);
	else if (e == ENTITY_CYCLE)
		return take_cycle(s, f, spec, err);
	else if (f->port && strstr(f->class->keys, "with="))
		return take_other_cable(s, f, spec, err);
	return true;
}
