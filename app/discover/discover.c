/* SPDX-License-Identifier: Apache-2.0 */
#include "app/discover/discover.h"
#include "app/inventory/inventory.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/discover/found_role.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/mac.h"

#define NICS_MAX  128
#define LINKS_MAX 2000000

/* ---- known devices ---- */

static size_t label_len(const char *name)
{
	return strcspn(name, ".");
}

/* "leaf1" and "leaf1.dc.example" are the same if only one of them has a domain. */
static bool same_name(const char *a, const char *b)
{
	size_t n = label_len(a);

	if (strcasecmp(a, b) == 0)
		return true;
	return (a[n] == '\0') != (b[label_len(b)] == '\0') && n == label_len(b) &&
	       strncasecmp(a, b, n) == 0;
}

size_t discovery_find(const struct discovery *d, const char *name)
{
	for (size_t i = 0; *name && i < d->devices.n; i++)
		if (same_name(d->devices.at[i].name, name))
			return i;
	return SIZE_MAX;
}

/* A name such as ".x" is refused too: it may be an attack. */
bool found_name_ok(const char *s)
{
	return inventory_name_ok(s) && *s != '.';
}

/* Addresses come from neighbours: accept only well-formed ones. */
bool found_address_ok(const char *s)
{
	return *s && strlen(s) < NAME_MAX_LEN && strspn(s, "0123456789abcdefABCDEF.:") == strlen(s);
}

struct found *discovery_add(struct discovery *d, const char *name)
{
	struct found *f = vec_add(&d->devices);

	(void)str_copy(f->name, sizeof(f->name), name);
	(void)str_copy(f->address, sizeof(f->address), name);
	f->rail = -1;
	f->role.forwards = -1;
	f->kind_why = f->tier_why = "";
	return f;
}

static size_t found_neighbour(struct discovery *d, const char *name, size_t limit)
{
	size_t at = discovery_find(d, name);

	if (at != SIZE_MAX)
		return at;
	if (!found_name_ok(name)) {
		d->skipped++;
		return SIZE_MAX;
	}
	if (d->devices.n >= limit) {
		d->cut = true;
		return SIZE_MAX;
	}
	(void)discovery_add(d, name);
	return d->devices.n - 1;
}

/* ---- learning from answers ---- */

static const char *word_of(const struct obs *o, uint32_t port, enum obs_attr attr)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_WORD && it->code == attr && it->port == port)
			return obs_text(o, it->text);
	}
	return "";
}

/* A word about the neighbour of the item `at`: it follows, before the next neighbour. */
static const char *word_after(const struct obs *o, size_t at, enum obs_attr attr)
{
	for (size_t i = at + 1; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->port != o->items.at[at].port)
			continue;
		if (it->kind == OBS_LLDP)
			break;
		if (it->kind == OBS_WORD && it->code == attr)
			return obs_text(o, it->text);
	}
	return "";
}

/* The firmware of a NIC, or a host that was never given a name. */
static void learn_nameless(
	struct discovery *d, size_t from, const struct obs *o, const struct obs_item *it)
{
	const char *peer = obs_text(o, it->text), *port = obs_text(o, it->text2);
	struct found_link l = {.a = from};

	if (d->nameless.n >= LINKS_MAX || !mac_is(mac_is(port) ? port : peer))
		return;
	(void)str_copy(l.a_port, sizeof(l.a_port), o->ports.at[it->port].name);
	(void)str_copy(l.b_port, sizeof(l.b_port), mac_is(port) ? port : peer);
	vec_push(&d->nameless, l);
}

static void learn_link(
	struct discovery *d, size_t from, const struct obs *o, size_t at, size_t limit)
{
	const struct obs_item *it = &o->items.at[at];
	const char *peer = obs_text(o, it->text), *mgmt, *descr;
	struct found_link l = {.a = from};
	struct found *f;

	if (!*peer || it->port >= o->ports.n || d->links.n >= LINKS_MAX)
		return;
	/* Another default name may be a device that is found by its management address. */
	if (mac_is(peer) || strncasecmp(peer, "localhost", 9) == 0) {
		learn_nameless(d, from, o, it);
		return;
	}
	l.b = found_neighbour(d, peer, limit);
	if (l.b == SIZE_MAX)
		return;
	f = &d->devices.at[l.b];
	mgmt = word_after(o, at, ATTR_LLDP_MGMT);
	descr = word_after(o, at, ATTR_LLDP_DESCR);
	/* Of several neighbours' words the first of the alphabet: which came first is chance. */
	if (found_address_ok(mgmt) && (!f->mgmt[0] || strcmp(mgmt, f->mgmt) < 0))
		(void)str_copy(f->mgmt, sizeof(f->mgmt), mgmt);
	if (*descr && (!f->descr[0] || strcmp(descr, f->descr) < 0))
		(void)str_copy(f->descr, sizeof(f->descr), descr);
	(void)str_copy(l.a_port, sizeof(l.a_port), o->ports.at[it->port].name);
	(void)str_copy(l.b_port, sizeof(l.b_port), obs_text(o, it->text2));
	vec_push(&d->links, l);
}

static int compare_natural(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void learn_nic(struct found *f, const char *name)
{
	for (size_t i = 0; i < f->nics.n; i++)
		if (str_eq(f->nics.at[i], name))
			return;
	if (f->nics.n >= NICS_MAX || !found_name_ok(name))
		return;
	vec_push(&f->nics, mem_strdup(name));
	qsort(f->nics.at, f->nics.n, sizeof(*f->nics.at), compare_natural);
}

/*
 * A slave of a bond has the cable, its bond is the RDMA device. What has the name of its netdev is
 * no RDMA device.
 */
static void learn_port(struct found *f, const struct obs *o, uint32_t port)
{
	const char *name = o->ports.at[port].name, *bond = word_of(o, port, ATTR_BOND);

	if (!*bond || !str_eq(word_of(o, port, ATTR_NETDEV), name)) {
		learn_nic(f, name);
		return;
	}
	for (size_t i = 0; i + 1 < f->slaves.n; i += 2)
		if (str_eq(f->slaves.at[i], name))
			return;
	if (str_eq(bond, name) || f->slaves.n >= (size_t)NICS_MAX * 2)
		return;
	vec_push(&f->slaves, mem_strdup(name));
	vec_push(&f->slaves, mem_strdup(bond));
}

/* Makes `other` a second name of `device`. */
static void merge_found(struct discovery *d, size_t device, size_t other)
{
	struct found *f = &d->devices.at[device], *o = &d->devices.at[other];

	for (size_t i = 0; i < d->links.n; i++) {
		struct found_link *l = &d->links.at[i];

		l->a = l->a == other ? device : l->a;
		l->b = l->b == other ? device : l->b;
	}
	if (!f->mgmt[0])
		(void)str_copy(f->mgmt, sizeof(f->mgmt), o->mgmt);
	if (!f->descr[0])
		(void)str_copy(f->descr, sizeof(f->descr), o->descr);
	f->peer_caps |= o->peer_caps;
	o->name[0] = '\0';
	o->state = FOUND_SAME;
}

/*
 * A seed's address gives way to the device's own name. A neighbour may have named the device
 * before, and it may have been asked by that name: it keeps the seed's address. Returns the device.
 */
static size_t learn_name(struct discovery *d, size_t from, const char *hostname)
{
	struct found *f = &d->devices.at[from];
	size_t other = discovery_find(d, hostname);

	if (!found_address_ok(f->name) || !strpbrk(f->name, ".:") || !found_name_ok(hostname) ||
		other == from)
		return from;
	if (other != SIZE_MAX && d->devices.at[other].state == FOUND_KNOWN) {
		(void)str_copy(d->devices.at[other].address, sizeof(f->address), f->address);
		merge_found(d, other, from);
		return other;
	}
	if (other != SIZE_MAX)
		merge_found(d, from, other);
	(void)str_copy(f->name, sizeof(f->name), hostname);
	return from;
}

/* "caps.leaf1": "2", LLDP_CAP_* of a neighbour. */
static void learn_peer_caps(struct discovery *d, const char *key, const char *value)
{
	size_t at = str_starts(key, "caps.") ? discovery_find(d, key + 5) : SIZE_MAX;
	uint64_t caps;

	if (at != SIZE_MAX && str_to_u64(value, &caps))
		d->devices.at[at].peer_caps |= (unsigned)caps;
}

void discovery_learn(struct discovery *d, size_t from, const struct obs *o, size_t limit)
{
	struct found *f;

	from = learn_name(d, from, word_of(o, OBS_NO_PORT, ATTR_HOSTNAME));
	f = &d->devices.at[from];
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT)
			found_role_fact(f, obs_text(o, o->items.at[i].text),
				obs_text(o, o->items.at[i].text2));
	for (size_t i = 0; i < o->bgp.n; i++)
		found_role_peer(f, o, &o->bgp.at[i]);
	/* The ports of a host are its RDMA devices. */
	for (size_t i = 0; f->role.rdma && i < o->ports.n; i++)
		learn_port(f, o, (uint32_t)i);
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_LLDP)
			learn_link(d, from, o, i, limit);
	discovery_learn_ports(&d->devices.at[from], o);
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_FACT)
			learn_peer_caps(d, obs_text(o, o->items.at[i].text),
				obs_text(o, o->items.at[i].text2));
}

/* ---- order ---- */

static int compare_name(const void *x, const void *y, void *discovery)
{
	const struct discovery *d = discovery;
	const struct found *a = &d->devices.at[*(const size_t *)x];
	const struct found *b = &d->devices.at[*(const size_t *)y];

	/* Second names, which are empty, come last. */
	if (!a->name[0] != !b->name[0])
		return a->name[0] ? -1 : 1;
	return strverscmp(a->name, b->name);
}

/* An RDMA host calls its port by the RDMA device, as railtop does: its word comes first. */
static int compare_link(const void *x, const void *y, void *discovery)
{
	const struct discovery *d = discovery;
	const struct found_link *a = x, *b = y;
	int c = (int)d->devices.at[b->a].role.rdma - (int)d->devices.at[a->a].role.rdma;

	if (!c && a->a != b->a)
		c = a->a < b->a ? -1 : 1;
	if (!c)
		c = strverscmp(a->a_port, b->a_port);
	if (!c && a->b != b->b)
		c = a->b < b->b ? -1 : 1;
	return c ? c : strverscmp(a->b_port, b->b_port);
}

static void sort_devices(struct discovery *d)
{
	size_t n = d->devices.n, *order = mem_calloc(n + 1, sizeof(*order)),
	       *place = mem_calloc(n + 1, sizeof(*place));
	struct found *sorted = mem_calloc(n + 1, sizeof(*sorted));

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), compare_name, d);
	for (size_t i = 0; i < n; i++) {
		sorted[i] = d->devices.at[order[i]];
		place[order[i]] = i;
	}
	if (n)
		memcpy(d->devices.at, sorted, n * sizeof(*sorted));
	for (size_t i = 0; i < d->links.n; i++) {
		d->links.at[i].a = place[d->links.at[i].a];
		d->links.at[i].b = place[d->links.at[i].b];
	}
	free(sorted);
	free(order);
	free(place);
}

void discovery_sort(struct discovery *d)
{
	size_t kept = 0;

	sort_devices(d);
	if (d->links.n)
		qsort_r(d->links.at, d->links.n, sizeof(*d->links.at), compare_link, d);
	for (size_t i = 0; i < d->links.n; i++)
		if (!kept || compare_link(&d->links.at[kept - 1], &d->links.at[i], d) != 0)
			d->links.at[kept++] = d->links.at[i];
	d->links.n = kept;
}

void discovery_free(struct discovery *d)
{
	for (size_t i = 0; i < d->devices.n; i++) {
		struct found *f = &d->devices.at[i];

		for (size_t k = 0; k < f->nics.n; k++)
			free(f->nics.at[k]);
		for (size_t k = 0; k < f->slaves.n; k++)
			free(f->slaves.at[k]);
		vec_free(&f->slaves);
		vec_free(&f->ports);
		vec_free(&f->nics);
		found_role_free(&f->role);
	}
	vec_free(&d->devices);
	vec_free(&d->links);
	vec_free(&d->nameless);
}
