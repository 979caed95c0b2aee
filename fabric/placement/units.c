/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/placement/units.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/model/nets.h"

/* A link between a host and a leaf. Devices go by their place in natural order of all names. */
struct edge {
	uint32_t host, leaf;
	bool by_lldp;
};

/* Hosts with the same leaves: edges of the first one, and the hosts. */
struct group {
	uint32_t from, nleaves; /* edges at from.. of `leaves` */
	uint32_t first, n;      /* hosts, in `signed_hosts` */
};

/* The leaves of one host: nleaves edges from `from`, each leaf once. */
struct signature {
	uint32_t host, from, nleaves;
};

struct search {
	const struct model *m;
	struct units *u;
	uint32_t *id, *place; /* of a place its device, and the reverse */
	VEC(struct edge) edges;
	VEC(struct signature) signatures;
	VEC(struct group) groups;
	uint32_t *unit_of_leaf; /* by place, UNIT_NONE */
};

static bool is_backend(const struct device *d, enum tier tier)
{
	return d->tier == tier && d->net == NET_BACKEND;
}

/* The device at the other end, if it is in the backend: by LLDP, else by the plan. NULL. */
static const struct device *backend_peer(
	const struct model *m, const struct port *p, enum peer_source *source)
{
	const struct port *q;

	if (p->merged)
		return NULL;
	q = port_peer(m, p, source);
	/* A switch remembers a MAC for hours: too weak for the order of a job. */
	if (q && *source == PEER_MAC)
		return NULL;
	/* It hears a device that the model does not have: the plan no longer proves anything. */
	if (q && *source == PEER_PLAN && (port_miswired(m, p) || port_miswired(m, q)))
		return NULL;
	return q && port_net(m, p) == NET_BACKEND && model_dev_of(m, q)->net == NET_BACKEND
		       ? model_dev_of(m, q)
		       : NULL;
}

/* ---- natural order ---- */

static int compare_names(const void *pa, const void *pb, void *ctx)
{
	const struct model *m = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int c = str_natcmp(m->devices.at[a]->name, m->devices.at[b]->name);

	return c ? c : (a > b) - (a < b);
}

static void sort_devices(struct search *s)
{
	uint32_t n = (uint32_t)s->m->devices.n;

	s->id = mem_calloc(n + 1, sizeof(*s->id));
	s->place = mem_calloc(n + 1, sizeof(*s->place));
	for (uint32_t i = 0; i < n; i++)
		s->id[i] = i;
	if (n)
		qsort_r(s->id, n, sizeof(*s->id), compare_names, (void *)s->m);
	for (uint32_t i = 0; i < n; i++)
		s->place[s->id[i]] = i;
}

/* ---- hosts and their leaves ---- */

static int compare_edges(const void *pa, const void *pb)
{
	const struct edge *a = pa, *b = pb;

	if (a->host != b->host)
		return a->host < b->host ? -1 : 1;
	return (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

static void find_edges(struct search *s)
{
	for (size_t i = 0; i < s->m->devices.n; i++) {
		const struct device *d = s->m->devices.at[i];

		for (size_t k = 0; is_backend(d, TIER_HOST) && k < d->ports.n; k++) {
			enum peer_source source = PEER_NONE;
			const struct device *leaf =
				backend_peer(s->m, s->m->ports.at[d->ports.at[k]], &source);

			if (leaf && leaf->tier == TIER_LEAF)
				vec_push(&s->edges,
					(struct edge){s->place[d->id], s->place[leaf->id],
						source == PEER_LLDP});
		}
	}
	if (s->edges.n)
		qsort(s->edges.at, s->edges.n, sizeof(s->edges.at[0]), compare_edges);
}

/* Several links to one leaf become one edge, which LLDP proves if it proves one of them. */
static void sign_hosts(struct search *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->edges.n; i++) {
		struct edge *e = &s->edges.at[i], *last = kept ? &s->edges.at[kept - 1] : NULL;
		struct signature *g;

		if (last && last->host == e->host && last->leaf == e->leaf) {
			last->by_lldp |= e->by_lldp;
			continue;
		}
		g = s->signatures.n ? &s->signatures.at[s->signatures.n - 1] : NULL;
		if (!g || g->host != e->host) {
			g = vec_add(&s->signatures);
			*g = (struct signature){e->host, (uint32_t)kept, 0};
		}
		g->nleaves++;
		s->edges.at[kept++] = *e;
	}
	s->edges.n = kept;
}

static int compare_leaves(
	const struct search *s, const struct signature *a, const struct signature *b)
{
	for (uint32_t i = 0; i < a->nleaves && i < b->nleaves; i++) {
		uint32_t x = s->edges.at[a->from + i].leaf, y = s->edges.at[b->from + i].leaf;

		if (x != y)
			return x < y ? -1 : 1;
	}
	return (a->nleaves > b->nleaves) - (a->nleaves < b->nleaves);
}

static int compare_signatures(const void *pa, const void *pb, void *ctx)
{
	const struct signature *a = pa, *b = pb;
	int c = compare_leaves(ctx, a, b);

	return c ? c : (a->host > b->host) - (a->host < b->host);
}

/* The largest group first, then the one with the first host. */
static int compare_groups(const void *pa, const void *pb, void *ctx)
{
	const struct search *s = ctx;
	const struct group *a = pa, *b = pb;
	uint32_t x = s->signatures.at[a->first].host, y = s->signatures.at[b->first].host;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return (x > y) - (x < y);
}

static void group_hosts(struct search *s)
{
	if (!s->signatures.n)
		return;
	qsort_r(s->signatures.at, s->signatures.n, sizeof(s->signatures.at[0]), compare_signatures,
		s);
	for (uint32_t i = 0; i < s->signatures.n; i++) {
		const struct signature *g = &s->signatures.at[i];

		if (!i || compare_leaves(s, &s->signatures.at[i - 1], g) != 0)
			vec_push(&s->groups, (struct group){g->from, g->nleaves, i, 0});
		s->groups.at[s->groups.n - 1].n++;
	}
	qsort_r(s->groups.at, s->groups.n, sizeof(s->groups.at[0]), compare_groups, s);
}

/* The unit that has at least half of the group's leaves; UNIT_NONE. */
static uint32_t unit_with_leaves(const struct search *s, const struct group *g)
{
	uint32_t best = UNIT_NONE, most = 0;

	for (uint32_t i = 0; i < g->nleaves; i++) {
		uint32_t unit = s->unit_of_leaf[s->edges.at[g->from + i].leaf], same = 0;

		for (uint32_t k = i; unit != UNIT_NONE && k < g->nleaves; k++)
			same += s->unit_of_leaf[s->edges.at[g->from + k].leaf] == unit;
		if (same > most) {
			most = same;
			best = unit;
		}
	}
	return 2 * most >= g->nleaves ? best : UNIT_NONE;
}

static uint32_t found_unit(struct search *s, const struct group *g)
{
	uint32_t at = (uint32_t)s->u->at.n, own = UNIT_NONE;
	struct unit *unit = vec_add(&s->u->at);

	for (uint32_t i = 0; i < g->nleaves; i++) {
		uint32_t leaf = s->edges.at[g->from + i].leaf;

		vec_push(&unit->leaves, s->id[leaf]);
		if (s->unit_of_leaf[leaf] != UNIT_NONE)
			continue;
		s->unit_of_leaf[leaf] = at;
		own = own == UNIT_NONE ? leaf : own;
	}
	/* More than half of the leaves are its own: no other unit has this name. */
	(void)str_printf(unit->name, sizeof(unit->name), "%s%.59s", unit->leaves.n > 1 ? "su-" : "",
		s->m->devices.at[s->id[own]]->name);
	return at;
}

static void add_host(struct search *s, uint32_t at, const struct signature *g, bool founder)
{
	struct unit *unit = &s->u->at.at[at];

	s->u->of[s->id[g->host]] = at;
	unit->strays += !founder;
	for (uint32_t i = 0; i < g->nleaves; i++)
		*(s->edges.at[g->from + i].by_lldp ? &unit->by_lldp : &unit->by_plan) += 1;
}

static void make_units(struct search *s)
{
	size_t n = s->m->devices.n;

	s->unit_of_leaf = mem_calloc(n + 1, sizeof(*s->unit_of_leaf));
	s->u->of = mem_calloc(n + 1, sizeof(*s->u->of));
	s->u->ndevices = n;
	for (size_t i = 0; i < n; i++)
		s->unit_of_leaf[i] = s->u->of[i] = UNIT_NONE;
	for (size_t i = 0; i < s->groups.n; i++) {
		const struct group *g = &s->groups.at[i];
		uint32_t at = unit_with_leaves(s, g);
		bool founder = at == UNIT_NONE;

		if (founder)
			at = found_unit(s, g);
		for (uint32_t k = 0; k < g->n; k++)
			add_host(s, at, &s->signatures.at[g->first + k], founder);
	}
}

/* ---- order of the units ---- */

/* Numbers the units by their first hosts, and lists the hosts of each. */
static void number_units(struct search *s)
{
	uint32_t *number = mem_calloc(s->u->at.n + 1, sizeof(*number)), next = 0;
	struct unit *sorted = mem_calloc(s->u->at.n + 1, sizeof(*sorted));

	for (size_t i = 0; i < s->u->at.n; i++)
		number[i] = UNIT_NONE;
	for (size_t i = 0; i < s->m->devices.n; i++) {
		uint32_t host = s->id[i], *unit = &s->u->of[host];

		if (*unit == UNIT_NONE) {
			if (is_backend(s->m->devices.at[host], TIER_HOST))
				vec_push(&s->u->unplaced, host);
			continue;
		}
		if (number[*unit] == UNIT_NONE) {
			sorted[next] = s->u->at.at[*unit];
			number[*unit] = next++;
		}
		*unit = number[*unit];
		vec_push(&sorted[*unit].hosts, host);
	}
	if (next)
		memcpy(s->u->at.at, sorted, next * sizeof(*sorted));
	free(sorted);
	free(number);
}

/* ---- pods and islands ---- */

static uint32_t set_root(uint32_t *of, uint32_t i)
{
	while (of[i] != i) {
		of[i] = of[of[i]];
		i = of[i];
	}
	return i;
}

static void set_join(uint32_t *of, uint32_t a, uint32_t b)
{
	a = set_root(of, a);
	b = set_root(of, b);
	if (a != b)
		of[a > b ? a : b] = a > b ? b : a;
}

/*
 * Joins the item with all devices above that its device is linked to. Items come first in the set,
 * then the devices by their place.
 */
static void join_up(struct search *s, uint32_t *of, uint32_t nitems, uint32_t item,
	const struct device *d, enum tier up)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		enum peer_source source = PEER_NONE;
		const struct device *q =
			backend_peer(s->m, s->m->ports.at[d->ports.at[i]], &source);

		if (q && q->tier >= up && q->tier > TIER_LEAF)
			set_join(of, item, nitems + s->place[q->id]);
	}
}

static uint32_t *new_set(const struct search *s, size_t nitems)
{
	uint32_t n = (uint32_t)(nitems + s->m->devices.n), *of = mem_calloc(n + 1, sizeof(*of));

	for (uint32_t i = 0; i < n; i++)
		of[i] = i;
	return of;
}

/* The first device of the tier in the set of the item; NULL. *count: their number. */
static const char *first_above(const struct search *s, uint32_t *of, size_t nitems, uint32_t root,
	enum tier t, size_t *count)
{
	const char *first = NULL;

	*count = 0;
	for (uint32_t i = 0; i < s->m->devices.n; i++) {
		const struct device *d = s->m->devices.at[s->id[i]];

		if (!is_backend(d, t) || set_root(of, (uint32_t)nitems + i) != root)
			continue;
		first = first ? first : d->name;
		++*count;
	}
	return first;
}

static void name_joined(char *dst, size_t size, const char *prefix, const char *first, size_t count,
	const char *only)
{
	if (!first)
		(void)str_copy(dst, size, only);
	else
		(void)str_printf(dst, size, "%s%.59s", count > 1 ? prefix : "", first);
}

static void make_pods(struct search *s)
{
	struct units *u = s->u;
	uint32_t n = (uint32_t)u->at.n, *of = new_set(s, n);
	uint32_t *number = mem_calloc(n + 1, sizeof(*number));

	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < u->at.at[i].leaves.n; k++)
			join_up(s, of, n, i, s->m->devices.at[u->at.at[i].leaves.at[k]],
				TIER_SPINE);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = set_root(of, i); /* the least: a unit, and the first of its pod */
		struct pod *p;

		if (root == i) {
			size_t spines = 0;
			const char *first = first_above(s, of, n, root, TIER_SPINE, &spines);

			number[i] = (uint32_t)u->pods.n;
			p = vec_add(&u->pods);
			name_joined(
				p->name, sizeof(p->name), "pod-", first, spines, u->at.at[i].name);
		}
		p = &u->pods.at[number[root]];
		u->at.at[i].pod = number[root];
		vec_push(&p->units, i);
		p->hosts += (unsigned)u->at.at[i].hosts.n;
	}
	for (uint32_t i = 0; i < s->m->devices.n; i++) {
		uint32_t root = set_root(of, n + i);

		if (root < n && is_backend(s->m->devices.at[s->id[i]], TIER_SPINE))
			vec_push(&u->pods.at[number[root]].spines, s->id[i]);
	}
	free(number);
	free(of);
}

static void make_islands(struct search *s)
{
	struct units *u = s->u;
	uint32_t n = (uint32_t)u->pods.n, *of = new_set(s, n);
	uint32_t *number = mem_calloc(n + 1, sizeof(*number));

	for (uint32_t i = 0; i < u->at.n; i++)
		for (size_t k = 0; k < u->at.at[i].leaves.n; k++)
			join_up(s, of, n, u->at.at[i].pod,
				s->m->devices.at[u->at.at[i].leaves.at[k]], TIER_SUPERSPINE);
	for (uint32_t i = 0; i < n; i++)
		for (size_t k = 0; k < u->pods.at[i].spines.n; k++)
			join_up(s, of, n, i, s->m->devices.at[u->pods.at[i].spines.at[k]],
				TIER_SPINE);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t root = set_root(of, i);
		if (root == i) {
			struct island *l = vec_add(&u->islands);
			size_t tops = 0;
			const char *first = first_above(s, of, n, root, TIER_SUPERSPINE, &tops);

			number[i] = (uint32_t)u->islands.n - 1;
			name_joined(
				l->name, sizeof(l->name), "top-", first, tops, u->pods.at[i].name);
		}
		u->pods.at[i].island = number[root];
		vec_push(&u->islands.at[number[root]].pods, i);
	}
	/* Spines that are joined by one another: no superspine gives the name. */
	for (size_t i = 0; i < u->islands.n; i++)
		if (u->islands.at[i].pods.n > 1 &&
			str_eq(u->islands.at[i].name, u->pods.at[u->islands.at[i].pods.at[0]].name))
			(void)str_printf(u->islands.at[i].name, sizeof(u->islands.at[i].name),
				"top-%.59s", u->pods.at[u->islands.at[i].pods.at[0]].name);
	free(number);
	free(of);
}

void units_find(const struct model *m, struct units *u)
{
	struct search s = {.m = m, .u = u};

	memset(u, 0, sizeof(*u));
	sort_devices(&s);
	find_edges(&s);
	sign_hosts(&s);
	group_hosts(&s);
	make_units(&s);
	number_units(&s);
	make_pods(&s);
	make_islands(&s);
	free(s.id);
	free(s.place);
	free(s.unit_of_leaf);
	vec_free(&s.edges);
	vec_free(&s.signatures);
	vec_free(&s.groups);
}

void units_free(struct units *u)
{
	for (size_t i = 0; i < u->at.n; i++) {
		vec_free(&u->at.at[i].leaves);
		vec_free(&u->at.at[i].hosts);
	}
	for (size_t i = 0; i < u->pods.n; i++) {
		vec_free(&u->pods.at[i].units);
		vec_free(&u->pods.at[i].spines);
	}
	for (size_t i = 0; i < u->islands.n; i++)
		vec_free(&u->islands.at[i].pods);
	vec_free(&u->at);
	vec_free(&u->pods);
	vec_free(&u->islands);
	vec_free(&u->unplaced);
	free(u->of);
	memset(u, 0, sizeof(*u));
}

uint32_t units_of(const struct units *u, uint32_t device)
{
	return device < u->ndevices ? u->of[device] : UNIT_NONE;
}

uint32_t units_pod_of(const struct units *u, uint32_t device)
{
	uint32_t unit = units_of(u, device);

	return unit == UNIT_NONE ? UNIT_NONE : u->at.at[unit].pod;
}
