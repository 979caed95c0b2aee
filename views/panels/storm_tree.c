/* SPDX-License-Identifier: Apache-2.0 */
#include "views/panels/storm_tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define NODE_NONE UINT32_MAX
#define TRUNKS    32 /* deeper trunks are not drawn */

struct child {
	uint32_t toward, node;
	int64_t since_us;
};

struct layout {
	struct diag_rows *d;
	const struct pause_graph *g;
	const struct model *m;
	struct child *children; /* by toward, since */
	size_t nchildren;
	uint32_t *nth; /* by node */
};

static int by_toward(const void *pa, const void *pb)
{
	const struct child *a = pa, *b = pb;

	if (a->toward != b->toward)
		return a->toward < b->toward ? -1 : 1;
	if (a->since_us != b->since_us)
		return a->since_us < b->since_us ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

static int by_since(const void *pa, const void *pb)
{
	const struct child *a = pa, *b = pb;

	if (a->since_us != b->since_us)
		return a->since_us < b->since_us ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* How long a port may have been paused before it was seen: one poll interval of its device. */
static int64_t seen_within(const struct layout *l, uint32_t node)
{
	uint32_t port = l->g->nodes.at[node].port;

	return port < l->m->ports.n ? model_dev_of(l->m, l->m->ports.at[port])->interval_us : 0;
}

/*
 * Numbers the ports by the time of their first pause. Devices are polled in turn, so the order
 * within one poll interval is unknown: those ports share a number, "3rd".
 */
static void number_nodes(struct layout *l, struct child *all, size_t n)
{
	size_t first = 0; /* of its number */

	qsort(all, n, sizeof(*all), by_since);
	for (size_t i = 0; i < n; i++) {
		int64_t later = all[i].since_us - all[first].since_us;

		if (later > 0 && later >= seen_within(l, all[i].node))
			first = i;
		l->nth[all[i].node] = (uint32_t)first + 1;
	}
}

static size_t first_child(const struct layout *l, uint32_t node)
{
	size_t low = 0, high = l->nchildren;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (l->children[mid].toward < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool is_child(const struct layout *l, size_t i, uint32_t of)
{
	return i < l->nchildren && l->children[i].toward == of;
}

/* The next sibling from i on that has no line yet; nchildren: none. */
static size_t next_child(const struct layout *l, size_t i, uint32_t of)
{
	while (is_child(l, i, of) && l->d->storm_line.at[l->children[i].node] != NODE_NONE)
		i++;
	return is_child(l, i, of) ? i : l->nchildren;
}

static void put_line(struct layout *l, uint32_t node, unsigned depth, uint32_t trunks, bool last)
{
	l->d->storm_line.at[node] = (uint32_t)l->d->storm.n;
	vec_push(&l->d->storm, (struct storm_row){.node = node,
				       .trunks = trunks,
				       .depth = (uint16_t)(depth < 1000 ? depth : 1000),
				       .last = last,
				       .nth = l->nth[node]});
}

/*
 * A branch in progress; a stack instead of recursion, because a chain can be as long as the graph.
 */
struct branch {
	size_t next; /* next child */
	uint32_t node, trunks;
};

static void put_tree(struct layout *l, uint32_t root)
{
	VEC(struct branch) path = {0};

	put_line(l, root, 0, 0, true);
	vec_push(&path, (struct branch){first_child(l, root), root, 0});
	while (path.n) {
		struct branch *b = &path.at[path.n - 1];
		size_t i = next_child(l, b->next, b->node);
		uint32_t node, trunks = b->trunks;
		unsigned depth = (unsigned)path.n;
		bool last;

		if (i == l->nchildren) {
			l->d->storm.at[l->d->storm_line.at[b->node]].behind =
				(uint32_t)l->d->storm.n - 1 - l->d->storm_line.at[b->node];
			path.n--;
			continue;
		}
		node = l->children[i].node;
		b->next = i + 1;
		last = next_child(l, i + 1, b->node) == l->nchildren;
		put_line(l, node, depth, trunks, last);
		if (!last && depth <= TRUNKS)
			trunks |= UINT32_C(1) << (depth - 1);
		vec_push(&path, (struct branch){first_child(l, node), node, trunks});
	}
	vec_free(&path);
}

void storm_layout(struct diag_rows *d, const struct model *m, const struct pause_graph *g)
{
	struct layout l = {.d = d, .g = g, .m = m};
	struct child *all;
	size_t n = g->nodes.n;

	d->storm.n = d->storm_line.n = 0;
	if (!n)
		return;
	l.nth = mem_calloc(n, sizeof(*l.nth));
	l.children = mem_calloc(n, sizeof(*l.children));
	all = mem_calloc(n, sizeof(*all));
	for (uint32_t i = 0; i < n; i++) {
		const struct pause_node *node = &g->nodes.at[i];

		vec_push(&d->storm_line, NODE_NONE);
		all[i] = (struct child){node->toward, i, node->since_us};
		if (node->toward != i && node->toward < n)
			l.children[l.nchildren++] = all[i];
	}
	number_nodes(&l, all, n);
	qsort(l.children, l.nchildren, sizeof(*l.children), by_toward);
	for (size_t i = 0; i < g->terminals.n; i++)
		if (g->terminals.at[i] < n && d->storm_line.at[g->terminals.at[i]] == NODE_NONE)
			put_tree(&l, g->terminals.at[i]);
	/* Nodes that wait only for themselves, or for a node that is no terminal. */
	for (uint32_t i = 0; i < n; i++)
		if (d->storm_line.at[i] == NODE_NONE && g->nodes.at[i].toward == i)
			put_tree(&l, i);
	for (uint32_t i = 0; i < n; i++)
		if (d->storm_line.at[i] == NODE_NONE)
			put_tree(&l, i);
	free(all);
	free(l.children);
	free(l.nth);
}

#define LOOK_BACK  256  /* lines in which an equal sibling is looked for */
#define EQUAL_HELD 0.05 /* of the time */

/* Whether b says the same as a. */
static bool says_same(const struct model *m, const struct pause_graph *g, uint32_t a, uint32_t b)
{
	const struct pause_node *na = &g->nodes.at[a], *nb = &g->nodes.at[b];
	const struct device *da, *db;

	if (na->port >= m->ports.n || nb->port >= m->ports.n || na->toward != nb->toward ||
		na->priority != nb->priority || na->bound != nb->bound ||
		fabs((double)na->held - (double)nb->held) > EQUAL_HELD)
		return false;
	da = model_dev_of(m, m->ports.at[na->port]);
	db = model_dev_of(m, m->ports.at[nb->port]);
	return da == db || (da->tier == TIER_HOST && db->tier == TIER_HOST);
}

static bool may_fold(const struct pause_graph *g, const struct storm_row *r)
{
	return r->depth && !r->behind && !g->nodes.at[r->node].cycle;
}

/* The line before i into which it folds; SIZE_MAX: none. */
static size_t keeper_of(
	const struct diag_rows *d, const struct model *m, const struct pause_graph *g, size_t i)
{
	const struct storm_row *r = &d->storm.at[i];

	for (size_t k = i; k-- > 0 && i - k <= LOOK_BACK && d->storm.at[k].depth >= r->depth;) {
		const struct storm_row *o = &d->storm.at[k];

		if (o->depth == r->depth && !o->folded && may_fold(g, o) && o->nth == r->nth &&
			says_same(m, g, o->node, r->node))
			return k;
	}
	return SIZE_MAX;
}

/* The last sibling is folded: the one before it ends the branch, and no trunk passes below it. */
static void end_branch(struct diag_rows *d, size_t i)
{
	unsigned depth = d->storm.at[i].depth;
	size_t k = i;

	while (k-- > 0 && (d->storm.at[k].depth != depth || d->storm.at[k].folded)) {
	}
	d->storm.at[k].last = true;
	for (size_t at = k + 1; at < i; at++)
		if (depth <= TRUNKS && d->storm.at[at].depth > depth)
			d->storm.at[at].trunks &= ~(UINT32_C(1) << (depth - 1));
}

void storm_fold(struct diag_rows *d, const struct model *m, const struct pause_graph *g)
{
	for (size_t i = 0; i < d->storm.n; i++) {
		struct storm_row *r = &d->storm.at[i];
		size_t keeper = may_fold(g, r) ? keeper_of(d, m, g, i) : SIZE_MAX;

		if (keeper == SIZE_MAX)
			continue;
		d->storm.at[keeper].more++;
		r->folded = true;
		if (r->last)
			end_branch(d, i);
	}
}
