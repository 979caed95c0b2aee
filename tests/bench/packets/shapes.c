/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/shapes.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

#define BUCKETS 40

const char *shape_name(enum shape_kind kind)
{
	static const char *const names[SHAPE_COUNT] = {
		"3-tier", "2-leaf", "1-spine", "rail-only", "parallel", "dual-plane"};

	return names[kind];
}

/* ---- parameters ---- */

/* The least of the usual rates that gives the leaf as much upwards as downwards, or nearly. */
static double draw_up(const struct shape *s, struct dice *d)
{
	double down = s->nic_gbps * s->servers / s->halves;
	double share = dice_int(d, 0, 2) ? 1 : 0.75;
	double each = down * share / (s->spines * s->parallel);
	double gbps = s->nic_gbps;

	while (gbps < each)
		gbps *= 2;
	return gbps;
}

void shape_draw(struct shape *s, enum shape_kind kind, struct dice *d)
{
	static const double rates[] = {100, 100, 200, 400};

	*s = (struct shape){.kind = kind, .halves = 2, .planes = 1, .parallel = 1};
	s->servers = 2 * dice_int(d, 4, 8);
	s->nics = dice_int(d, 2, 48 / s->servers);
	if (s->nics > SHAPE_NICS)
		s->nics = SHAPE_NICS;
	s->spines = dice_int(d, 2, 4);
	s->nic_gbps = rates[dice_int(d, 0, 3)];
	switch (kind) {
	case SHAPE_THREE_TIERS:
		s->cores = dice_int(d, 1, 2);
		break;
	case SHAPE_ONE_SPINE:
		s->spines = 1;
		break;
	case SHAPE_RAIL_ONLY:
		s->halves = 1;
		s->spines = 0;
		break;
	case SHAPE_PARALLEL:
		s->spines = dice_int(d, 1, 2);
		s->parallel = dice_int(d, 2, 3);
		break;
	case SHAPE_DUAL_PLANE:
		s->planes = 2;
		s->nics -= s->nics % 2;
		s->spines = dice_int(d, 1, 3);
		break;
	case SHAPE_TWO_LEAVES:
	case SHAPE_COUNT:
		break;
	}
	s->up_gbps = s->spines ? draw_up(s, d) : 0;
	/* One spine carries half of what the NICs could send. */
	if (kind == SHAPE_ONE_SPINE)
		s->up_gbps /= 2;
	s->core_gbps = 2 * s->up_gbps;
}

/* ---- building ---- */

/* The two NICs of a pair are on one rail, in two planes. */
static int rail_of(const struct shape *s, int nic)
{
	return nic / s->planes;
}

static int half_of(const struct shape *s, int server)
{
	return server / (s->servers / s->halves);
}

static bool has_pods(const struct shape *s)
{
	return s->kind == SHAPE_THREE_TIERS;
}

static int add_node(struct pk_net *n, const char *role, const char *name, int pod, int rail)
{
	return pk_node(n, name, role, pod, rail, -1);
}

static void add_nics(struct shape *s, struct pk_net *n)
{
	char name[32];

	for (int i = 0; i < s->servers; i++)
		for (int k = 0; k < s->nics; k++) {
			(void)str_printf(name, sizeof(name), "srv%02d-nic%d", i, k);
			s->nic[i][k] = pk_node(
				n, name, "nic", has_pods(s) ? half_of(s, i) : 0, rail_of(s, k), i);
		}
}

static void add_switches(struct shape *s, struct pk_net *n)
{
	int sets = has_pods(s) ? 2 : s->planes;
	char name[32];

	for (int h = 0; h < s->halves; h++)
		for (int k = 0; k < s->nics; k++) {
			(void)str_printf(name, sizeof(name), "leaf-%d%c-r%d", h,
				'a' + k % s->planes, rail_of(s, k));
			s->leaf[h][k] =
				add_node(n, "leaf", name, has_pods(s) ? h : 0, rail_of(s, k));
		}
	for (int h = 0; h < sets && s->spines; h++)
		for (int k = 0; k < s->spines; k++) {
			(void)str_printf(name, sizeof(name), "spine-%d-%d", h, k);
			s->spine[h][k] = add_node(n, "spine", name, has_pods(s) ? h : 0, -1);
		}
	for (int k = 0; s->cores && k < s->spines; k++)
		for (int j = 0; j < s->cores; j++) {
			(void)str_printf(name, sizeof(name), "core-%d-%d", k, j);
			s->core[k][j] = add_node(n, "core", name, -1, -1);
		}
}

static void add_link(struct pk_net *n, int low, int high, double gbps, double delay_us)
{
	(void)pk_link(n, low, high, gbps, delay_us, gbps, 4 * gbps);
}

static void add_links(const struct shape *s, struct pk_net *n, double delay_us)
{
	for (int i = 0; i < s->servers; i++)
		for (int k = 0; k < s->nics; k++)
			add_link(n, s->nic[i][k], s->leaf[half_of(s, i)][k], s->nic_gbps, delay_us);
	for (int h = 0; h < s->halves; h++)
		for (int k = 0; k < s->nics; k++)
			for (int j = 0; j < s->spines * s->parallel; j++)
				add_link(n, s->leaf[h][k],
					s->spine[has_pods(s) ? h : k % s->planes][j % s->spines],
					s->up_gbps, delay_us);
	for (int h = 0; h < 2 && s->cores; h++)
		for (int k = 0; k < s->spines; k++)
			for (int j = 0; j < s->cores; j++)
				add_link(n, s->spine[h][k], s->core[k][j], s->core_gbps, delay_us);
}

/* Faster NICs fill a shorter bucket with as many packets. */
void shape_build(struct shape *s, struct pk_net *n, struct dice *d)
{
	double faster = s->nic_gbps / 100;

	add_nics(s, n);
	add_switches(s, n);
	add_links(s, n, 1 / sqrt(faster));
	n->packet = 4000;
	n->slot_us = 0.25 / faster;
	n->bucket_us = 1000 / faster;
	n->duration_us = BUCKETS * n->bucket_us;
	n->event_us = n->bucket_us / 10;
	/* A poll of 5 s sees the mean of many ups and downs; so does a bucket with this timer. */
	n->rise_us = 15;
	n->rise_gbps = faster * dice_real(d, 0.2, 0.5);
	n->hyper_gbps = faster;
	n->resend_us = 8 / faster;
	n->tick_us = 1 / faster;
	n->timeout_us = 2 * n->bucket_us;
	n->seed = dice_word(d);
	pk_ready(n, dice_int(d, 2, 4) * 4e6);
}

int shape_leaf(const struct shape *s, int server, int nic)
{
	return s->leaf[half_of(s, server)][nic];
}

int shape_down(const struct shape *s, const struct pk_net *n, int server, int nic)
{
	return pk_to(n, shape_leaf(s, server, nic), s->nic[server][nic]);
}

static int height_of(const struct pk_net *n, int node)
{
	static const char *const roles[] = {"nic", "leaf", "spine", "core"};

	for (int i = 0; i < 4; i++)
		if (str_eq(n->nodes.at[node].role, roles[i]))
			return i;
	return 1;
}

int shape_up(const struct pk_net *n, int node, int *port, int most)
{
	const struct pk_node *v = &n->nodes.at[node];
	int found = 0;

	for (size_t i = 0; i < v->ports.n && found < most; i++) {
		const struct pk_port *peer = &n->ports.at[n->ports.at[v->ports.at[i]].peer];

		if (height_of(n, peer->node) > height_of(n, node))
			port[found++] = v->ports.at[i];
	}
	return found;
}

/* ---- routes ---- */

/* Hops to the destination from everywhere, over links that are up. */
static void measure_ways(struct routes *r, const struct pk_net *n, int to)
{
	VEC(int) queue = {0};

	r->far.n = 0;
	for (size_t i = 0; i < n->nodes.n; i++)
		vec_push(&r->far, -1);
	r->far.at[to] = 0;
	vec_push(&queue, to);
	for (size_t k = 0; k < queue.n; k++) {
		const struct pk_node *v = &n->nodes.at[queue.at[k]];

		for (size_t i = 0; i < v->ports.n; i++) {
			const struct pk_port *p = &n->ports.at[v->ports.at[i]];
			int next = n->ports.at[p->peer].node;

			/* NICs do not forward. */
			if (!p->up || r->far.at[next] >= 0 || (queue.at[k] != to && v->nic))
				continue;
			r->far.at[next] = r->far.at[queue.at[k]] + 1;
			vec_push(&queue, next);
		}
	}
	vec_free(&queue);
}

static int pick_egress(const struct routes *r, const struct pk_net *n, int node, uint32_t key)
{
	const struct pk_node *v = &n->nodes.at[node];
	int way[128], ways = 0;
	uint32_t hash = dice_mix(key ^ (r->same_hash ? 0 : dice_mix((uint32_t)node + 77)));

	for (size_t i = 0; i < v->ports.n && ways < 128; i++) {
		const struct pk_port *p = &n->ports.at[v->ports.at[i]];

		if (p->up && r->far.at[n->ports.at[p->peer].node] == r->far.at[node] - 1)
			way[ways++] = v->ports.at[i];
	}
	return ways ? way[hash % (uint32_t)ways] : -1;
}

static unsigned walk_way(
	const struct routes *r, const struct pk_net *n, int from, uint32_t key, int port[PK_HOPS])
{
	unsigned hops = 0;

	for (int node = from; r->far.at[node] > 0;
		node = n->ports.at[n->ports.at[port[hops - 1]].peer].node) {
		int out = hops < PK_HOPS ? pick_egress(r, n, node, key) : -1;

		if (out < 0)
			return 0;
		port[hops++] = out;
	}
	return hops;
}

unsigned route_find(
	struct routes *r, const struct pk_net *n, int from, int to, uint32_t key, int port[PK_HOPS])
{
	measure_ways(r, n, to);
	return r->far.at[from] > 0 ? walk_way(r, n, from, key, port) : 0;
}

/* Of the flows that come from there. */
static void route_acks(struct routes *r, struct pk_net *n, int to)
{
	for (size_t i = 0; i < n->flows.n; i++) {
		struct pk_flow *f = &n->flows.at[i];

		if (f->src == to && r->far.at[f->dst] > 0)
			f->back_hops = walk_way(r, n, f->dst, dice_mix(f->key + 1), f->back);
	}
}

void route_all(struct routes *r, struct pk_net *n)
{
	for (size_t to = 0; to < n->nodes.n; to++) {
		if (!n->nodes.at[to].nic)
			continue;
		measure_ways(r, n, (int)to);
		for (size_t i = 0; i < n->flows.n; i++) {
			struct pk_flow *f = &n->flows.at[i];
			int port[PK_HOPS];
			unsigned hops;

			if (f->dst != (int)to || r->far.at[f->src] <= 0)
				continue;
			hops = walk_way(r, n, f->src, f->key, port);
			if (!hops)
				continue;
			memcpy(f->path, port, hops * sizeof(*port));
			f->hops = hops;
		}
		route_acks(r, n, (int)to);
	}
}

void route_free(struct routes *r)
{
	vec_free(&r->far);
}
