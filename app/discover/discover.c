/* SPDX-License-Identifier: Apache-2.0 */
#include "app/discover/discover.h"
#include "app/config/inventory.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/detect.h"
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
static bool plain_name(const char *s)
{
	return inventory_name_ok(s) && *s != '.';
}

/* Addresses come from neighbours: accept only well-formed ones. */
static bool plain_address(const char *s)
{
	return *s && strlen(s) < NAME_MAX_LEN && strspn(s, "0123456789abcdefABCDEF.:") == strlen(s);
}

static struct found *add_found(struct discovery *d, const char *name)
{
	struct found *f = vec_add(&d->devices);

	(void)str_copy(f->name, sizeof(f->name), name);
	(void)str_copy(f->address, sizeof(f->address), name);
	f->rail = -1;
	return f;
}

static size_t found_neighbour(struct discovery *d, const char *name, size_t limit)
{
	size_t at = discovery_find(d, name);

	if (at != SIZE_MAX)
		return at;
	if (!plain_name(name)) {
		d->skipped++;
		return SIZE_MAX;
	}
	if (d->devices.n >= limit) {
		d->cut = true;
		return SIZE_MAX;
	}
	(void)add_found(d, name);
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
	if (!f->mgmt[0] && plain_address(mgmt))
		(void)str_copy(f->mgmt, sizeof(f->mgmt), mgmt);
	if (!f->descr[0])
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
	if (f->nics.n >= NICS_MAX || !plain_name(name))
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

/* Merges a neighbour's name with a device that was polled by its address. */
static void merge_found(struct discovery *d, size_t from, size_t other)
{
	struct found *f = &d->devices.at[from], *o = &d->devices.at[other];

	for (size_t i = 0; i < d->links.n; i++)
		if (d->links.at[i].b == other)
			d->links.at[i].b = from;
	(void)str_copy(f->mgmt, sizeof(f->mgmt), o->mgmt);
	(void)str_copy(f->descr, sizeof(f->descr), o->descr);
	o->name[0] = '\0';
	o->state = FOUND_SAME;
}

/* Replaces a seed's address by the device's own name, unless another device has it. */
static void learn_name(struct discovery *d, size_t from, const char *hostname)
{
	struct found *f = &d->devices.at[from];
	size_t other = discovery_find(d, hostname);

	if (!plain_address(f->name) || !strpbrk(f->name, ".:") || !plain_name(hostname))
		return;
	if (other != SIZE_MAX && d->devices.at[other].state != FOUND_NEW)
		return;
	if (other != SIZE_MAX)
		merge_found(d, from, other);
	(void)str_copy(f->name, sizeof(f->name), hostname);
}

void discovery_learn(struct discovery *d, size_t from, const struct obs *o, size_t limit)
{
	struct found *f = &d->devices.at[from];

	learn_name(d, from, word_of(o, OBS_NO_PORT, ATTR_HOSTNAME));
	/* The ports of a host are its RDMA devices. */
	for (size_t i = 0; f->rdma && i < o->ports.n; i++)
		learn_port(f, o, (uint32_t)i);
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_LLDP)
			learn_link(d, from, o, i, limit);
	discovery_learn_ports(&d->devices.at[from], o);
}

/* ---- rounds ---- */

struct round {
	const struct discover_opts *opts;
	struct discovery *d;
};

static void learn_facts(struct found *f, const struct obs *o)
{
	const char *dialect = "";
	uint64_t score = 0;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		const char *key = obs_text(o, it->text), *value = obs_text(o, it->text2);

		if (it->kind != OBS_FACT)
			continue;
		if (str_eq(key, "dialect"))
			dialect = value;
		else if (str_eq(key, "score"))
			(void)str_to_u64(value, &score);
		else if (str_eq(key, "rdma"))
			f->rdma = true;
		else if (str_eq(key, "frr"))
			f->frr = true;
	}
	if ((int)score <= f->score)
		return;
	f->score = (int)score;
	(void)str_copy(f->dialect, sizeof(f->dialect), dialect);
}

static void on_probe(void *ctx, size_t device, const struct obs *o)
{
	struct found *f = &((struct round *)ctx)->d->devices.at[device];

	if (o->result == OBS_DATA)
		learn_facts(f, o);
	else if (o->result == OBS_FAILED && str_eq(o->request, "connect"))
		f->err = o->err;
}

static void on_answer(void *ctx, size_t device, const struct obs *o)
{
	struct round *r = ctx;
	struct found *f = &r->d->devices.at[device];

	if (o->result == OBS_DATA)
		discovery_learn(r->d, device, o, r->opts->limit);
	else if (o->result == OBS_FAILED && !f->err.code)
		f->err = o->err;
}

/* Evaluates a probe. True: the device can be polled. */
static bool settle_found(struct found *f)
{
	if (f->dialect[0]) {
		f->state = FOUND_KNOWN;
		f->tier =
			str_eq(f->dialect, "linux") && (f->rdma || !f->frr) ? TIER_HOST : TIER_LEAF;
		memset(&f->err, 0, sizeof(f->err));
		return true;
	}
	if (f->err.code == ERR_UNREACHABLE && f->mgmt[0] && !f->tried_mgmt &&
		!str_eq(f->mgmt, f->address)) {
		f->tried_mgmt = true;
		(void)str_copy(f->address, sizeof(f->address), f->mgmt);
		return false;
	}
	f->state = FOUND_FAILED;
	if (!f->err.code)
		err_set(&f->err, ERR_UNSUPPORTED, f->name,
			"the device answers, but no dialect matches");
	return false;
}

/* Probes and polls all new devices. *asked: there were any. */
static bool ask_new(struct round *r, bool *asked, struct err *err)
{
	VEC(size_t) fresh = {0}, known = {0};
	bool ok = true;

	for (size_t i = 0; i < r->d->devices.n; i++)
		if (r->d->devices.at[i].state == FOUND_NEW)
			vec_push(&fresh, i);
	*asked = fresh.n > 0;
	if (fresh.n)
		ok = discover_ask(
			r->opts, r->d, fresh.at, fresh.n, &backend_detect, on_probe, r, err);
	for (size_t i = 0; ok && i < fresh.n; i++)
		if (settle_found(&r->d->devices.at[fresh.at[i]]))
			vec_push(&known, fresh.at[i]);
	if (ok && known.n)
		ok = discover_ask(r->opts, r->d, known.at, known.n, NULL, on_answer, r, err);
	vec_free(&fresh);
	vec_free(&known);
	return ok;
}

/* "leaf:22", "10.0.0.1:22": an IPv6 address has at least two colons. */
static bool has_port(const char *seed)
{
	const char *colon = strchr(seed, ':');

	return colon && colon != seed && !strchr(colon + 1, ':');
}

bool discover_run(const struct discover_opts *opts, struct discovery *out, struct err *err)
{
	struct round r = {.opts = opts, .d = out};
	bool asked = true;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < opts->nseeds; i++) {
		if (has_port(opts->seeds[i])) {
			err_set(err, ERR_USAGE, "", "the port in the seed \"%s\" is not valid",
				opts->seeds[i]);
			err_cure(err, "give it in --ssh-config FILE: Host NAME, Port N");
			return false;
		}
		if (!plain_name(opts->seeds[i]) && !plain_address(opts->seeds[i]))
			return err_set(err, ERR_USAGE, "",
				"\"%s\" is not a host name or an address", opts->seeds[i]);
		if (discovery_find(out, opts->seeds[i]) == SIZE_MAX)
			(void)add_found(out, opts->seeds[i]);
	}
	/* This ends: each round settles each new device or changes its address, once. */
	while (asked)
		if (!ask_new(&r, &asked, err))
			return false;
	discovery_match_macs(out);
	discovery_tiers(out);
	return true;
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
	}
	vec_free(&d->devices);
	vec_free(&d->links);
	vec_free(&d->nameless);
}
