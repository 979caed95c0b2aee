/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "app/discover/found_role.h"
#include "backends/dialects/detect.h"
#include "backends/parse/lldp.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Switch or host? Servers run FRR, lldpd and Docker as well, and a lab runs all of its devices from
 * one image. So no program decides, but in this order:
 *   1. the system is a switch's; there is RDMA or a GPU; ports of a switch chip; several cables in
 *      one bridge;
 *   2. whether neighbours reach others through it, by their routes and all addresses that were
 * read;
 *   3. of the rest: a device without routes of a routing protocol is a host; one that has them and
 *      has a host behind it is a switch; one with only switches around it is a host;
 *   4. capabilities and the description that neighbours heard; its name.
 * A device that was not read is judged by 2 and 4.
 */

#define SURE_SWITCH 60 /* least score, of 100, of a system description */

/* What is known of a device's kind. */
enum kind { KIND_OPEN, KIND_HOST, KIND_SWITCH };

/* What the neighbours' routes say about a device. */
struct passing {
	unsigned seen;   /* neighbours that reach others through some device */
	unsigned passes; /* those that do so through this one */
};

struct judging {
	struct discovery *d;
	enum kind *kind;
	struct passing *passing;
	size_t *first,
		*cable; /* cables of device n: cable[first[n]] to before cable[first[n + 1]] */
};

static bool is_linux(const struct found *f)
{
	return f->state == FOUND_KNOWN && str_eq(f->dialect, "linux");
}

/* ---- management ports ---- */

static bool is_management_name(const char *port)
{
	static const char *const names[] = {"mgmt*", "oob*", "ma[0-9]*", "Management*", "eth0",
		"bmc*", "ipmi*", "i[Dd][Rr][Aa][Cc]*", "i[Ll][Oo]*"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fnmatch(names[i], port, 0) == 0)
			return true;
	return false;
}

/* eth0 of a server may be a port of the fabric, unless railtop came in by it. */
static bool is_management(const struct found *f, const char *port)
{
	if (!is_linux(f) || !f->role.read)
		return is_management_name(port);
	for (size_t i = 0; i < f->nics.n; i++)
		if (str_eq(f->nics.at[i], port))
			return false;
	if (!str_eq(port, "eth0"))
		return is_management_name(port);
	for (size_t i = 0; f->role.via.length && i < f->role.addresses.n; i++) {
		const struct found_net *at = &f->role.addresses.at[i];

		if (str_eq(at->port, port) && at->v6 == f->role.via.v6 &&
			memcmp(at->bytes, f->role.via.bytes, sizeof(at->bytes)) == 0)
			return true;
	}
	return false;
}

void discovery_management(struct discovery *d)
{
	for (size_t i = 0; i < d->links.n; i++) {
		struct found_link *l = &d->links.at[i];

		l->management = is_management(&d->devices.at[l->a], l->a_port) ||
				is_management(&d->devices.at[l->b], l->b_port);
	}
}

/* ---- what passes through a device ---- */

static bool covers(const struct found_net *prefix, const struct found_net *address)
{
	unsigned whole = prefix->length / 8, rest = prefix->length % 8;

	if (prefix->v6 != address->v6 || memcmp(prefix->bytes, address->bytes, whole) != 0)
		return false;
	return !rest ||
	       (prefix->bytes[whole] >> (8 - rest)) == (address->bytes[whole] >> (8 - rest));
}

static bool has_address_in(const struct found *f, const struct found_net *prefix)
{
	for (size_t i = 0; i < f->role.addresses.n; i++)
		if (covers(prefix, &f->role.addresses.at[i]))
			return true;
	return false;
}

/*
 * True: the prefix leads beyond the device. Of a device that was not read it does so if another has
 * an address in it; of one that was read, if it has none itself. A default route always does.
 */
static bool is_foreign(const struct discovery *d, size_t through, const struct found_net *prefix)
{
	const struct found *f = &d->devices.at[through];

	if (!prefix->length)
		return true;
	if (f->role.read)
		return !has_address_in(f, prefix);
	for (size_t i = 0; i < d->devices.n; i++)
		if (i != through && has_address_in(&d->devices.at[i], prefix))
			return true;
	return false;
}

/* Lists the cables of each device, without those of management ports. */
static void list_cables(struct judging *j)
{
	const struct discovery *d = j->d;
	size_t n = d->devices.n, *fill;

	j->first = mem_calloc(n + 2, sizeof(*j->first));
	j->cable = mem_calloc(d->links.n * 2 + 1, sizeof(*j->cable));
	for (size_t i = 0; i < d->links.n; i++) {
		if (d->links.at[i].management)
			continue;
		j->first[d->links.at[i].a + 1]++;
		j->first[d->links.at[i].b + 1]++;
	}
	for (size_t i = 0; i < n; i++)
		j->first[i + 1] += j->first[i];
	fill = mem_calloc(n + 1, sizeof(*fill));
	for (size_t i = 0; i < d->links.n; i++) {
		const struct found_link *l = &d->links.at[i];

		if (l->management)
			continue;
		j->cable[j->first[l->a] + fill[l->a]++] = i;
		j->cable[j->first[l->b] + fill[l->b]++] = i;
	}
	free(fill);
}

/* The neighbour at the port; SIZE_MAX: none. */
static size_t neighbour_at(const struct judging *j, size_t device, const char *port)
{
	for (size_t i = j->first[device]; i < j->first[device + 1]; i++) {
		const struct found_link *l = &j->d->links.at[j->cable[i]];

		if (l->a == device && str_eq(l->a_port, port))
			return l->b;
		if (l->b == device && str_eq(l->b_port, port))
			return l->a;
	}
	return SIZE_MAX;
}

static bool same_net(const struct found_net *a, const struct found_net *b)
{
	return a->length == b->length && covers(a, b);
}

/* Prefixes of its own addresses that a device may announce. */
static size_t own_prefixes(const struct found *f, bool v6)
{
	size_t n = 0;

	for (size_t i = 0; i < f->role.addresses.n; i++) {
		bool again = f->role.addresses.at[i].v6 != v6;

		for (size_t k = 0; !again && k < i; k++)
			again = same_net(&f->role.addresses.at[k], &f->role.addresses.at[i]);
		n += !again;
	}
	return n;
}

/* The neighbour of a session: by the netdev, or by its address. */
static size_t session_end(const struct judging *j, size_t device, const char *peer)
{
	struct found_net at;

	if (!found_role_address(peer, &at))
		return neighbour_at(j, device, peer);
	for (size_t i = j->first[device]; i < j->first[device + 1]; i++) {
		const struct found_link *l = &j->d->links.at[j->cable[i]];
		size_t other = l->a == device ? l->b : l->a;

		if (has_address_in(&j->d->devices.at[other], &at))
			return other;
	}
	return SIZE_MAX;
}

/*
 * What neighbours announce beyond their own addresses: of two spines that offer the same, a leaf
 * may use one only.
 */
static void add_announced(const struct judging *j, size_t by, size_t *foreign, size_t *most)
{
	const struct found_role *r = &j->d->devices.at[by].role;

	for (size_t i = 0; i < r->peers.n; i++) {
		size_t through = session_end(j, by, r->peers.at[i].peer), own;
		const struct found *f = &j->d->devices.at[through == SIZE_MAX ? 0 : through];

		if (through == SIZE_MAX || !f->role.read)
			continue;
		own = own_prefixes(f, r->peers.at[i].v6);
		if (r->peers.at[i].prefixes > own &&
			r->peers.at[i].prefixes - own > foreign[through])
			foreign[through] = r->peers.at[i].prefixes - own;
		if (foreign[through] > *most)
			*most = foreign[through];
	}
}

/*
 * Adds what one device's routes say about its neighbours. Where spines lead to everything, a server
 * that offers a detour carries no more than half of it.
 */
static void add_passing(struct judging *j, size_t by, size_t *foreign)
{
	const struct found_role *r = &j->d->devices.at[by].role;
	size_t most = 0;

	for (size_t i = 0; i < r->routes.n; i++) {
		const struct found_net *net = &r->routes.at[i];
		size_t through = neighbour_at(j, by, net->port);

		if (through == SIZE_MAX || !is_foreign(j->d, through, net))
			continue;
		if (++foreign[through] > most)
			most = foreign[through];
	}
	add_announced(j, by, foreign, &most);
	for (size_t i = j->first[by]; most && i < j->first[by + 1]; i++) {
		const struct found_link *l = &j->d->links.at[j->cable[i]];
		size_t through = l->a == by ? l->b : l->a;

		/* Several cables to one neighbour count once. */
		if (foreign[through] == SIZE_MAX)
			continue;
		j->passing[through].seen++;
		j->passing[through].passes += foreign[through] * 2 > most;
		foreign[through] = SIZE_MAX;
	}
	for (size_t i = j->first[by]; i < j->first[by + 1]; i++) {
		foreign[j->d->links.at[j->cable[i]].a] = 0;
		foreign[j->d->links.at[j->cable[i]].b] = 0;
	}
}

static void find_passing(struct judging *j)
{
	size_t *foreign = mem_calloc(j->d->devices.n + 1, sizeof(*foreign));

	for (size_t i = 0; i < j->d->devices.n; i++)
		add_passing(j, i, foreign);
	free(foreign);
}

/* ---- judgement ---- */

static void judge(struct judging *j, size_t at, enum kind kind, const char *why)
{
	if (j->kind[at] != KIND_OPEN)
		return;
	j->kind[at] = kind;
	j->d->devices.at[at].kind_why = why;
}

static size_t count_bridged(const struct judging *j, size_t device)
{
	const struct found_role *r = &j->d->devices.at[device].role;
	size_t n = 0;

	for (size_t i = 0; i < r->bridged.n; i++)
		n += neighbour_at(j, device, r->bridged.at[i]) != SIZE_MAX;
	return n;
}

static void judge_certain(struct judging *j, size_t at)
{
	const struct found *f = &j->d->devices.at[at];

	if (f->state == FOUND_KNOWN && !is_linux(f))
		judge(j, at, KIND_SWITCH, "its system is one of switches");
	if (f->role.rdma)
		judge(j, at, KIND_HOST,
			f->role.gpus ? "it has RDMA devices and GPUs" : "it has RDMA devices");
	if (f->role.gpus)
		judge(j, at, KIND_HOST, "it has GPUs");
	if (f->role.chip)
		judge(j, at, KIND_SWITCH, "its ports are those of a switch chip");
	if (count_bridged(j, at) > 1)
		judge(j, at, KIND_SWITCH, "it bridges several cables");
}

/* Whether a device that passes traffic on forwards packets: then one that does not is no switch. */
static bool any_forwards(const struct judging *j)
{
	for (size_t i = 0; i < j->d->devices.n; i++)
		if (j->passing[i].passes && j->kind[i] != KIND_HOST &&
			j->d->devices.at[i].role.forwards == 1)
			return true;
	return false;
}

static void judge_passing(struct judging *j, size_t at, bool others_forward)
{
	const struct found *f = &j->d->devices.at[at];
	const struct passing *p = &j->passing[at];

	if (!p->passes || p->passes * 2 < p->seen)
		return;
	if (f->role.read && f->role.forwards == 0 && others_forward)
		judge(j, at, KIND_HOST, "it does not forward what its neighbours send through it");
	else
		judge(j, at, KIND_SWITCH, "its neighbours reach others through it");
}

static bool has_neighbour(const struct judging *j, size_t at, enum kind kind)
{
	for (size_t i = j->first[at]; i < j->first[at + 1]; i++) {
		const struct found_link *l = &j->d->links.at[j->cable[i]];

		if (j->kind[l->a == at ? l->b : l->a] == kind)
			return true;
	}
	return false;
}

/* Whether any Linux device routes by a protocol: if none does, that a device does not says nothing.
 */
static bool any_protocol(const struct discovery *d)
{
	for (size_t i = 0; i < d->devices.n; i++)
		if (is_linux(&d->devices.at[i]) && d->devices.at[i].role.protocol)
			return true;
	return false;
}

static bool described_as_switch(const struct found *f)
{
	int score;
	const struct backend_ops *ops = detect_score(f->descr, strlen(f->descr), &score);

	return ops && score >= SURE_SWITCH && !str_eq(ops->name, "linux");
}

static bool name_has(const struct found *f, const char *const *words)
{
	for (; *words; words++)
		if (strcasestr(f->name, *words))
			return true;
	return false;
}

static void judge_heard(struct judging *j, size_t at)
{
	static const char *const switches[] = {"spine", "leaf", "tor", "switch", NULL};
	static const char *const hosts[] = {"host", "node", "server", "srv", "gpu", NULL};
	const struct found *f = &j->d->devices.at[at];
	unsigned caps = f->role.caps | f->peer_caps;

	if (described_as_switch(f))
		judge(j, at, KIND_SWITCH, "its neighbours hear that its system is one of switches");
	if (name_has(f, hosts))
		judge(j, at, KIND_HOST, "by its name; nothing else tells");
	if (name_has(f, switches))
		judge(j, at, KIND_SWITCH, "by its name; nothing else tells");
	if (caps & LLDP_CAP_ROUTER)
		judge(j, at, KIND_SWITCH, "LLDP says that it routes; nothing else tells");
	judge(j, at, KIND_HOST,
		caps & LLDP_CAP_STATION ? "LLDP says that it is a station"
					: "nothing says that it is a switch");
}

static void judge_all(struct judging *j)
{
	size_t n = j->d->devices.n;
	bool protocol = any_protocol(j->d), forwards;

	for (size_t i = 0; i < n; i++)
		judge_certain(j, i);
	find_passing(j);
	forwards = any_forwards(j);
	for (size_t i = 0; i < n; i++)
		judge_passing(j, i, forwards);
	for (size_t i = 0; i < n; i++)
		if (protocol && is_linux(&j->d->devices.at[i]) && j->d->devices.at[i].role.read &&
			!j->d->devices.at[i].role.protocol)
			judge(j, i, KIND_HOST,
				"it learns no route and nothing is reached through it");
	for (size_t i = 0; i < n; i++)
		if (j->d->devices.at[i].role.protocol && has_neighbour(j, i, KIND_HOST))
			judge(j, i, KIND_SWITCH, "it learns routes and has a host behind it");
	for (size_t i = 0; i < n; i++)
		if (j->d->devices.at[i].role.protocol && has_neighbour(j, i, KIND_SWITCH))
			judge(j, i, KIND_HOST,
				"it learns routes, but only its own addresses are reached through "
				"it");
	for (size_t i = 0; i < n; i++)
		judge_heard(j, i);
}

void discovery_roles(struct discovery *d)
{
	size_t n = d->devices.n + 1;
	struct judging j = {.d = d,
		.kind = mem_calloc(n, sizeof(*j.kind)),
		.passing = mem_calloc(n, sizeof(*j.passing))};

	discovery_management(d);
	list_cables(&j);
	judge_all(&j);
	for (size_t i = 0; i < d->devices.n; i++)
		d->devices.at[i].is_switch = j.kind[i] == KIND_SWITCH;
	free(j.cable);
	free(j.first);
	free(j.passing);
	free(j.kind);
}
