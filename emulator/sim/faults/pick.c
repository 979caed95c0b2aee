/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/sim/faults/faults.h"

/*
 * Chooses device and port: as the spec names them, else by seed. So a class alone is a complete
 * spec.
 */

static const char *const entity_form[] = {
	[ENTITY_DEVICE] = "DEVICE",
	[ENTITY_SSH] = "SSH-DEVICE",
	[ENTITY_HTTPS] = "HTTPS-DEVICE",
	[ENTITY_HOST] = "HOST",
	[ENTITY_LEAF] = "LEAF",
	[ENTITY_CYCLE] = "LEAF",
	[ENTITY_TIER] = "TIER",
	[ENTITY_FABRIC] = "",
	[ENTITY_WAYS] = "",
	[ENTITY_PORT] = "DEVICE:PORT",
	[ENTITY_NIC] = "HOST:NIC",
	[ENTITY_NICS] = "HOST[:NIC]",
	[ENTITY_SWPORT] = "SWITCH:PORT",
	[ENTITY_SWPORTS] = "SWITCH[:PORT]",
	[ENTITY_UPLINK] = "SWITCH:PORT",
};

const char *fault_entity_form(enum fault_entity e)
{
	return entity_form[e];
}

bool fault_is_uplink(const struct sim_port *p)
{
	return p->tier != TIER_HOST && p->peer && p->peer->tier > p->tier;
}

bool fault_is_fabric(const struct sim_port *p)
{
	return p->tier != TIER_HOST && p->plan_peer && p->plan_peer->tier != TIER_HOST;
}

unsigned fault_uplinks(const struct sim_device *d)
{
	unsigned n = 0;

	for (unsigned i = 0; i < d->nports; i++)
		n += fault_is_uplink(&d->ports[i]);
	return n;
}

unsigned fault_nics(const struct sim_device *host)
{
	unsigned n = 0;

	while (n < host->nports && host->ports[n].net == NET_BACKEND && host->ports[n].plan_peer)
		n++;
	return n;
}

size_t fault_hosts(const struct sim *s)
{
	size_t n = 0;

	while (n < s->ndevices && s->device[n].tier == TIER_HOST && fault_nics(&s->device[n]))
		n++;
	return n;
}

struct sim_port *fault_nic(const struct sim *s, size_t host, unsigned rail)
{
	const struct sim_device *d = &s->device[host];

	return rail < fault_nics(d) ? &d->ports[rail] : NULL;
}

static bool is_https(const struct sim_device *d)
{
	return str_eq(d->dialect, "eos") || str_eq(d->dialect, "cumulus") ||
	       str_eq(d->dialect, "nxos");
}

static bool takes_ports(enum fault_entity e)
{
	return e >= ENTITY_PORT;
}

/* True if the class can apply to this device. */
static bool fits_device(enum fault_entity e, const struct sim_device *d)
{
	bool host = d->tier == TIER_HOST;

	switch (e) {
	case ENTITY_SSH:
		return !is_https(d);
	case ENTITY_HTTPS:
		return is_https(d);
	case ENTITY_HOST:
	case ENTITY_NIC:
	case ENTITY_NICS:
		return host;
	case ENTITY_LEAF:
	case ENTITY_CYCLE:
		return d->tier == TIER_LEAF;
	case ENTITY_SWPORT:
	case ENTITY_SWPORTS:
	case ENTITY_UPLINK:
		return !host;
	default:
		return true;
	}
}

static bool fits_port(enum fault_entity e, const struct sim_port *p)
{
	if (!p->plan_peer)
		return e == ENTITY_PORT || e == ENTITY_SWPORTS;
	return e != ENTITY_UPLINK || fault_is_fabric(p);
}

/* ---- by seed ---- */

uint64_t fault_dice(const struct sim *s, const struct fault *f, uint64_t what)
{
	uint64_t h = sim_hash(s->o.seed ^ 0xfa017, f->id);

	for (const char *c = f->class->name; *c; c++)
		h = sim_hash(h, (uint64_t)*c);
	return sim_hash(h, what);
}

/* Preferred devices: GPU hosts for host and NIC classes, else leaves of the backend. */
static bool is_preferred(const struct sim *s, const struct sim_device *d, enum fault_entity e)
{
	struct sim_device *above[2];

	if (d->net != NET_BACKEND || !fits_device(e, d))
		return false;
	switch (e) {
	case ENTITY_HOST:
	case ENTITY_NIC:
	case ENTITY_NICS:
		return fault_nics(d) > 0;
	case ENTITY_HTTPS:
		return true;
	case ENTITY_LEAF:
	case ENTITY_UPLINK:
		return d->tier == TIER_LEAF && fault_uplinks(d) > 0;
	case ENTITY_CYCLE:
		return fault_spines(s, d, above, 2) == 2;
	default:
		return d->tier == TIER_LEAF;
	}
}

static bool has_fault(const struct sim *s, const struct sim_device *d)
{
	for (size_t i = 0; i < s->faults.n; i++)
		if (s->faults.at[i].device == d)
			return true;
	return false;
}

static struct sim_device *nth_likely(const struct sim *s, enum fault_entity e, uint64_t n)
{
	for (size_t i = 0; i < s->ndevices; i++)
		if (is_preferred(s, &s->device[i], e) && n-- == 0)
			return &s->device[i];
	return NULL;
}

/* A device that no other fault is about, if one turns up in TRIES attempts. */
static struct sim_device *any_device(const struct sim *s, const struct fault *f)
{
	enum { TRIES = 8 };
	enum fault_entity e = f->class->entity;
	struct sim_device *d = NULL;
	size_t n = 0;

	for (size_t i = 0; i < s->ndevices; i++)
		n += is_preferred(s, &s->device[i], e);
	for (uint64_t i = 0; n && i < TRIES; i++) {
		d = nth_likely(s, e, fault_dice(s, f, 1000 + i) % n);
		if (!has_fault(s, d))
			break;
	}
	return d;
}

/* The port's peer decides: watchdog and PFC classes need a switch port that leads to a host. */
static bool likely_port(enum fault_entity e, const struct sim_port *p)
{
	if (!p->peer || p->net != NET_BACKEND || !fits_port(e, p))
		return false;
	if (e == ENTITY_SWPORT && p->tier == TIER_LEAF)
		return p->peer->tier == TIER_HOST;
	if (e == ENTITY_UPLINK && p->tier == TIER_LEAF)
		return fault_is_uplink(p);
	return true;
}

static struct sim_port *any_port(const struct sim *s, const struct fault *f)
{
	const struct sim_device *d = f->device;
	unsigned n = 0;
	uint64_t pick;

	for (unsigned i = 0; i < d->nports; i++)
		n += likely_port(f->class->entity, &d->ports[i]);
	if (!n)
		return NULL;
	pick = fault_dice(s, f, 2) % n;
	for (unsigned i = 0; i < d->nports; i++)
		if (likely_port(f->class->entity, &d->ports[i]) && pick-- == 0)
			return &d->ports[i];
	return NULL;
}

/* ---- by name ---- */

static bool bad_device(const struct sim *s, const struct fault *f, const char *spec,
	const char *name, struct err *err)
{
	const char *form = entity_form[f->class->entity];

	if (!*name && f->class->entity == ENTITY_CYCLE) {
		err_set(err, ERR_USAGE, spec, "%s needs a leaf with two spines, %s has none",
			f->class->name, s->topology->name);
		return err_cure(err, "a fabric with several spines, such as ref256");
	}
	if (*name)
		err_set(err, ERR_USAGE, spec, "there is no device \"%s\"", name);
	else
		err_set(err, ERR_USAGE, spec, "%s finds no device to be about", f->class->name);
	return err_cure(err, "the form is %s%s%s; names go from %s to %s", f->class->name,
		*form ? ":" : "", form, s->device[0].name, s->device[s->ndevices - 1].name);
}

static bool unfit_device(
	const struct sim *s, const struct fault *f, const char *spec, struct err *err)
{
	const struct sim_device *d = f->device;
	const char *class = f->class->name, *host = s->device[0].name;

	switch (f->class->entity) {
	case ENTITY_SSH:
		err_set(err, ERR_USAGE, spec, "%s is polled over HTTPS, not SSH", d->name);
		return err_cure(err, "wrong-cert:%s, or a leaf or host", d->name);
	case ENTITY_HTTPS:
		err_set(err, ERR_USAGE, spec, "%s is polled over SSH, not HTTPS", d->name);
		return err_cure(err, "wrong-key:%s, or a spine", d->name);
	case ENTITY_NIC:
	case ENTITY_NICS:
		err_set(err, ERR_USAGE, spec, "%s takes the NIC of a host", class);
		return err_cure(err, "%s:%s:mlx5_0", class, host);
	case ENTITY_HOST:
		err_set(err, ERR_USAGE, spec, "%s takes a host", class);
		return err_cure(err, "%s:%s", class, host);
	default:
		err_set(err, ERR_USAGE, spec, "%s is not for %s, a %s", class, d->name,
			tier_name(d->tier));
		return err_cure(err, "the form is %s:%s", class, entity_form[f->class->entity]);
	}
}

static bool bad_port(const struct fault *f, const char *spec, const char *port, struct err *err)
{
	const struct sim_device *d = f->device;

	if (!port)
		err_set(err, ERR_USAGE, spec, "%s has no port that %s could be about", d->name,
			f->class->name);
	else
		err_set(err, ERR_USAGE, spec, "%s has no port \"%s\"", d->name, port);
	if (d->tier == TIER_HOST)
		return err_cure(err, "ports of %s: mlx5_0 ... mlx5_%u (%s ... %s)", d->name,
			d->nports - 1, d->ports[0].name, d->ports[d->nports - 1].name);
	return err_cure(err, "ports of %s: %s ... %s%s", d->name, d->ports[0].name,
		d->ports[d->nports - 1].name,
		f->class->entity == ENTITY_UPLINK ? "; it must lead to a switch" : "");
}

static bool pick_device(
	struct sim *s, struct fault *f, const char *spec, const char *name, struct err *err)
{
	enum fault_entity e = f->class->entity;

	if (str_eq(name, "*") && (e == ENTITY_NICS || e == ENTITY_SWPORTS)) {
		f->everywhere = true;
		return true;
	}
	f->device = name && *name ? sim_device_by_name(s, name) : any_device(s, f);
	if (!f->device)
		return bad_device(s, f, spec, name ? name : "", err);
	return fits_device(e, f->device) || unfit_device(s, f, spec, err);
}

/* The n-th uplink by "uplink3", so that a spec fits fabrics with other names of ports. */
static struct sim_port *nth_uplink(const struct sim_device *d, const char *name)
{
	uint64_t n;

	if (!str_starts(name, "uplink") || !str_to_u64(name + strlen("uplink"), &n))
		return NULL;
	for (unsigned i = 0; i < d->nports; i++)
		if (fault_is_uplink(&d->ports[i]) && n-- == 0)
			return &d->ports[i];
	return NULL;
}

static struct sim_port *port_by_name(
	const struct sim *s, const struct sim_device *d, const char *name)
{
	struct sim_port *p = sim_port_by_name(s, d, name);

	return p ? p : nth_uplink(d, name);
}

static bool pick_port(
	struct sim *s, struct fault *f, const char *spec, const char *port, struct err *err)
{
	enum fault_entity e = f->class->entity;

	if (!takes_ports(e)) {
		if (!port)
			return true;
		err_set(err, ERR_USAGE, spec, "%s takes a device, not a port", f->class->name);
		return err_cure(err, "%s:%s", f->class->name, f->device ? f->device->name : "");
	}
	if (!f->device) {
		if (!port)
			return true;
		err_set(err, ERR_USAGE, spec, "every device, but only its port \"%s\"", port);
		return err_cure(err, "%s:*, or one device and its port", f->class->name);
	}
	if (port)
		f->port = port_by_name(s, f->device, port);
	else if (e != ENTITY_NICS && e != ENTITY_SWPORTS)
		f->port = any_port(s, f);
	else
		return true;
	if (f->port && port && !fits_port(e, f->port))
		f->port = NULL;
	return f->port || bad_port(f, spec, port, err);
}

static bool pick_tier(struct fault *f, const char *spec, const char *name, struct err *err)
{
	enum tier t;

	if (!name || !*name)
		return true;
	if (!tier_by_name(name, &t) || t == TIER_HOST) {
		err_set(err, ERR_USAGE, spec, "there is no tier \"%s\" of switches", name);
		return err_cure(err, "leaf, spine or superspine; nothing for all of them");
	}
	f->tier = (int)t;
	return true;
}

static bool needs_spines(enum fault_entity e)
{
	return e == ENTITY_LEAF || e == ENTITY_CYCLE || e == ENTITY_TIER || e == ENTITY_WAYS ||
	       e == ENTITY_UPLINK;
}

static bool has_spines(const struct sim *s)
{
	for (size_t i = 0; i < s->nports; i++)
		if (s->port[i].net == NET_BACKEND && fault_is_fabric(&s->port[i]))
			return true;
	return false;
}

bool fault_pick(struct sim *s, struct fault *f, const char *spec, const char *device,
	const char *port, struct err *err)
{
	enum fault_entity e = f->class->entity;

	if (needs_spines(e) && !has_spines(s)) {
		err_set(err, ERR_USAGE, spec, "%s needs links between switches, %s has none",
			f->class->name, s->topology->name);
		return err_cure(err, "a fabric with spines, such as ref256");
	}
	if (e == ENTITY_TIER)
		return pick_tier(f, spec, device, err);
	if (e == ENTITY_FABRIC || e == ENTITY_WAYS) {
		if (!device)
			return true;
		err_set(err, ERR_USAGE, spec, "%s is about the whole fabric", f->class->name);
		return err_cure(err, "%s without a name", f->class->name);
	}
	return pick_device(s, f, spec, device, err) && pick_port(s, f, spec, port, err);
}
