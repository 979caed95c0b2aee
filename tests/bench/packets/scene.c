/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/scene.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define NODES_MOST   64
#define ENDLESS      1e12
#define SETTLE_TRIES 60
#define FULL         1.0 /* of a link, by the jobs alone */

void scene_free(struct scene *s)
{
	for (size_t i = 0; i < s->jobs; i++)
		collective_free(&s->job[i]);
	for (size_t i = 0; i < SCENE_CULPRITS; i++)
		vec_free(&s->culprit[i].ports);
	vec_free(&s->effects);
	route_free(&s->routes);
	pk_free(&s->net);
}

/* ---- flows ---- */

/* It gets its way when all flows are there: scene_settle(). */
static int add_flow(struct scene *s, int from, int to)
{
	int port = s->net.nodes.at[from].ports.at[0];
	int flow = pk_flow_over(&s->net, &port, 1, 0, 0, true);

	s->net.flows.at[flow].dst = to;
	s->net.flows.at[flow].key = dice_word(&s->dice);
	return flow;
}

int scene_stream(struct scene *s, int from, int to, bool controlled)
{
	int flow = add_flow(s, from, to);
	struct pk_flow *f = &s->net.flows.at[flow];

	f->controlled = controlled;
	f->left = ENDLESS;
	f->start_us = f->risen_us = s->from_us;
	f->stop_us = s->to_us;
	return flow;
}

/* ---- jobs ---- */

static struct collective *add_job(struct scene *s, const char *name, enum pattern pattern)
{
	struct collective *c = &s->job[s->jobs++];

	*c = (struct collective){.pattern = pattern, .late_server = -1};
	(void)str_copy(c->name, sizeof(c->name), name);
	c->rest_us = 0.15 * s->net.bucket_us;
	return c;
}

/* Jobs take every other server, so that a job of half of them is on all leaves. */
static int server_of(const struct scene *s, int i)
{
	int half = s->shape.servers / 2;

	return i < half ? 2 * i : 2 * (i - half) + 1;
}

/* Two of one half, then two of the other, so that half of the steps cross the spines. */
static void order_servers(const struct scene *s, int first, int last, int *server)
{
	int half = s->shape.servers / 2, side[2][SHAPE_SERVERS], have[2] = {0}, next[2] = {0};

	for (int i = first; i < last; i++) {
		int at = server_of(s, i), high = at >= half;

		side[high][have[high]++] = at;
	}
	for (int k = 0; k < last - first; k++) {
		int want = k / 2 % 2;

		if (next[want] == have[want])
			want = !want;
		server[k] = side[want][next[want]++];
	}
}

void scene_ring(struct scene *s, const char *name, int first, int last, int qps, double duty,
	double start_us)
{
	struct collective *c = add_job(s, name, PATTERN_RING);
	int n = last - first, server[SHAPE_SERVERS] = {0};

	order_servers(s, first, last, server);
	c->qps = qps;
	c->steps = 2 * (n - 1);
	c->chunk = s->shape.nic_gbps * 1e3 / 8 * s->net.bucket_us * duty / c->steps;
	for (int k = 0; k < s->shape.nics; k++)
		for (int i = 0; i < n; i++) {
			int from = s->shape.nic[server[i]][k];
			int to = s->shape.nic[server[(i + 1) % n]][k], flow = -1;

			for (int q = 0; q < qps; q++) {
				int f = add_flow(s, from, to);

				flow = q ? flow : f;
				s->net.flows.at[f].bytes = s->shape.nic_gbps / qps;
			}
			collective_add(c, &s->net, from, k, i, flow, start_us);
		}
}

/* Rails of a fabric without spines, and planes, are groups of their own. */
static int groups_of(const struct shape *s)
{
	return s->kind == SHAPE_RAIL_ONLY ? s->nics : s->planes;
}

void scene_all_to_all(
	struct scene *s, const char *name, int first, int last, double duty, double start_us)
{
	struct collective *c = add_job(s, name, PATTERN_ALL_TO_ALL);
	int groups = groups_of(&s->shape), each = s->shape.nics / groups;
	int n = (last - first) * each, node[SHAPE_SERVERS * SHAPE_NICS];

	c->qps = 1;
	c->steps = n - 1;
	c->chunk = s->shape.nic_gbps * 1e3 / 8 * s->net.bucket_us * duty / c->steps;
	for (int g = 0; g < groups; g++) {
		for (int i = 0; i < n; i++)
			node[i] =
				s->shape.nic[server_of(s, first + i / each)][g + i % each * groups];
		for (int i = 0; i < n; i++) {
			int flow = -1;

			for (int k = 1; k < n; k++) {
				int f = add_flow(s, node[i], node[(i + k) % n]);

				flow = k == 1 ? f : flow;
				s->net.flows.at[f].bytes = s->shape.nic_gbps * duty / (n - 1);
			}
			collective_add(c, &s->net, node[i], g, i, flow, start_us);
		}
	}
}

void scene_load(struct scene *s, enum load load, double duty)
{
	static const char *const names[LOAD_COUNT] = {
		"ring", "all-to-all", "ring and all-to-all", "two jobs"};
	int n = s->shape.servers, qps = dice_int(&s->dice, 4, 8);

	s->workload = names[load];
	switch (load) {
	case LOAD_RING:
		scene_ring(s, "ringA", 0, n, qps, duty, 10);
		break;
	case LOAD_ALL_TO_ALL:
		scene_all_to_all(s, "moeA2A", 0, n, duty, 10);
		break;
	case LOAD_BOTH:
		scene_ring(s, "ringA", 0, n, qps, duty * 0.8, 10);
		scene_all_to_all(s, "moeBg", 0, n, 0.08, 300);
		break;
	case LOAD_TWO_JOBS:
		scene_ring(s, "ringA", 0, n / 2, qps, duty, 10);
		scene_ring(s, "ringB", n / 2, n, qps, duty * 0.7, 400);
		break;
	case LOAD_COUNT:
		break;
	}
}

/* The heaviest link, as a share of what it can carry. */
static double heaviest(const struct pk_net *n)
{
	double *carries = mem_calloc(n->ports.n, sizeof(*carries)), most = 0;

	for (size_t i = 0; i < n->flows.n; i++)
		for (unsigned h = 0; h < n->flows.at[i].hops; h++)
			carries[n->flows.at[i].path[h]] += n->flows.at[i].bytes;
	for (size_t i = 0; i < n->ports.n; i++)
		most = fmax(most, carries[i] / n->ports.at[i].gbps);
	free(carries);
	return most;
}

void scene_settle(struct scene *s)
{
	struct dice best = s->dice;
	double least = INFINITY;

	for (int i = 0; i <= SETTLE_TRIES; i++) {
		struct dice now = i < SETTLE_TRIES ? s->dice : best;
		double most;

		if (i < SETTLE_TRIES)
			(void)dice_word(&s->dice);
		for (size_t k = 0; k < s->net.flows.n; k++)
			s->net.flows.at[k].key = dice_word(&now);
		route_all(&s->routes, &s->net);
		most = heaviest(&s->net);
		if (most < least) {
			least = most;
			best = s->dice;
		}
		if (most < FULL)
			break;
	}
	for (size_t i = 0; least > FULL && i < s->jobs; i++)
		s->job[i].chunk *= FULL / least;
}

/* ---- places ---- */

int scene_any_server(struct scene *s)
{
	return dice_int(&s->dice, 0, s->shape.servers - 1);
}

int scene_any_nic(struct scene *s)
{
	int server = scene_any_server(s);

	return s->shape.nic[server][dice_int(&s->dice, 0, s->shape.nics - 1)];
}

int scene_any_uplink(struct scene *s)
{
	VEC(int) all = {0};
	int found = -1;

	for (size_t i = 0; i < s->net.nodes.n; i++) {
		int port[64], n = s->net.nodes.at[i].nic ? 0 : shape_up(&s->net, (int)i, port, 64);

		for (int k = 0; k < n; k++)
			vec_push(&all, port[k]);
	}
	if (all.n)
		found = all.at[dice_int(&s->dice, 0, (int)all.n - 1)];
	vec_free(&all);
	return found;
}

int scene_senders(struct scene *s, int node, int most, int *sender, bool near)
{
	int able[NODES_MOST], n = 0;

	for (int i = 0; i < s->shape.servers; i++)
		for (int k = 0; k < s->shape.nics && n < NODES_MOST; k++) {
			int from = s->shape.nic[i][k], port[PK_HOPS];
			unsigned hops =
				from == node ? 0
					     : route_find(&s->routes, &s->net, from, node, 1, port);

			if (hops && (!near || hops == 2) &&
				s->net.nodes.at[from].server != s->net.nodes.at[node].server)
				able[n++] = from;
		}
	for (int i = 0; i < n && i < most; i++) {
		int k = dice_int(&s->dice, i, n - 1), x = able[k];

		able[k] = able[i];
		sender[i] = able[i] = x;
	}
	return n < most ? n : most;
}

struct pk_port *scene_port(struct scene *s, int port)
{
	return &s->net.ports.at[port];
}

int scene_peer(const struct scene *s, int port)
{
	return s->net.ports.at[port].peer;
}

const char *scene_name(const struct scene *s, int node)
{
	return s->net.nodes.at[node].name;
}

/* ---- effects ---- */

void scene_effect(struct scene *s, enum effect_kind kind, int port, double value)
{
	vec_push(&s->effects, ((struct effect){.kind = kind,
				      .port = port,
				      .value = value,
				      .from_us = s->from_us,
				      .to_us = s->to_us}));
}

static bool effect_is_on(const struct effect *e, double now)
{
	/* Times are sums of slots. */
	double since = now - e->from_us + 1e-6;

	return since >= 0 && now + 1e-6 < e->to_us &&
	       (e->every_us <= 0 || fmod(since, e->every_us) < e->on_us);
}

static void set_speed(struct scene *s, int port, double gbps)
{
	struct pk_port *p = scene_port(s, port), *q = scene_port(s, p->peer);

	p->gbps = q->gbps = gbps;
}

static void set_late(struct scene *s, int server, double us)
{
	for (size_t i = 0; i < s->jobs; i++) {
		s->job[i].late_server = us > 0 ? server : -1;
		s->job[i].late_us = us;
	}
}

static void set_effect(struct scene *s, const struct effect *e, bool on)
{
	struct pk_port *p = scene_port(s, e->port);
	double value = on ? e->value : 0;

	switch (e->kind) {
	case EFFECT_DRAIN:
		p->drain = value;
		break;
	case EFFECT_CAP:
		p->cap = value;
		break;
	case EFFECT_STORM:
		p->storm = on;
		break;
	case EFFECT_DEAF:
		p->deaf = on;
		break;
	case EFFECT_NO_PAUSE:
		p->no_pause = on;
		break;
	case EFFECT_NO_MARKS:
		p->no_marks = on;
		break;
	case EFFECT_LOSS:
		p->loss = value;
		break;
	case EFFECT_SPEED:
		set_speed(s, e->port, on ? e->value : p->planned_gbps);
		break;
	case EFFECT_DOWN:
		pk_set_up(&s->net, e->port, !on);
		/* Routes follow a little later. */
		s->reroute_us = s->net.now_us + 0.2 * s->net.bucket_us;
		break;
	case EFFECT_LATE:
		set_late(s, e->port, value);
		break;
	}
}

static void apply_effects(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;

	for (size_t i = 0; i < s->effects.n; i++) {
		struct effect *e = &s->effects.at[i];
		bool on = effect_is_on(e, n->now_us);

		if (on == e->on)
			continue;
		e->on = on;
		set_effect(s, e, on);
	}
	if (s->reroute_us > 0 && n->now_us >= s->reroute_us) {
		s->reroute_us = 0;
		route_all(&s->routes, n);
	}
}

static void tick_jobs(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;

	for (size_t i = 0; i < s->jobs; i++)
		collective_step(&s->job[i], n, n->tick_us > 0 ? n->tick_us : 1, s->ops);
}

bool scene_run(struct scene *s, const char *dir)
{
	bool ok;

	s->ops = s->jobs ? pk_create(dir, "nccl_ops.csv") : NULL;
	s->net.events = pk_create(dir, "events.csv");
	if (s->ops)
		collective_columns(s->ops);
	if (s->net.events)
		(void)fputs("t_us,event,node,port\n", s->net.events);
	s->net.window_from = s->from_us;
	s->net.window_to = s->to_us;
	s->net.tick = tick_jobs;
	ok = pk_run(&s->net, dir, apply_effects, s);
	if (s->ops)
		ok = fclose(s->ops) == 0 && ok;
	if (s->net.events)
		ok = fclose(s->net.events) == 0 && ok;
	s->ops = s->net.events = NULL;
	return ok;
}

/* ---- whether it shows ---- */

static bool is_slower(const struct scene *s)
{
	for (size_t i = 0; i < s->jobs; i++) {
		const struct collective *c = &s->job[i];

		if (c->before && c->window &&
			c->window_us / c->window > 1.25 * c->before_us / c->before)
			return true;
		if (c->before && !c->window)
			return true;
	}
	return false;
}

static unsigned signs_of(const struct scene *s, const struct pk_port *p)
{
	const struct pk_counts *w = &p->window;
	double length = s->to_us - s->from_us;
	unsigned signs = SIGN_FACT;

	signs |= w->held + w->holds > 0.02 * length ? SIGN_PAUSE : 0;
	signs |= w->held > 0.5 * length ? SIGN_HELD : 0;
	signs |= w->marked_buckets > 3 ? SIGN_MARK : 0;
	signs |= w->dropped_buckets > 3 ? SIGN_DROP : 0;
	signs |= w->drop_lossy > 3 ? SIGN_LOSSY : 0;
	signs |= w->crc >= 10 ? SIGN_ERROR : 0;
	signs |= w->down ? SIGN_DOWN : 0;
	return signs;
}

/* An egress of a switch other than the culprit's own marks in some buckets. */
static bool others_mark(const struct scene *s, const struct culprit *c)
{
	for (size_t i = 0; i < s->net.ports.n; i++) {
		const struct pk_port *p = &s->net.ports.at[i];

		if (!s->net.nodes.at[p->node].nic && p->window.marked_buckets > 2 &&
			(int)i != c->ports.at[0])
			return true;
	}
	return false;
}

static bool culprit_shows(const struct scene *s, const struct culprit *c)
{
	unsigned signs = is_slower(s) ? SIGN_SLOW : 0;

	for (size_t i = 0; i < c->ports.n; i++)
		signs |= signs_of(s, &s->net.ports.at[c->ports.at[i]]);
	signs |= c->signs & SIGN_OTHERS_MARK && others_mark(s, c) ? SIGN_OTHERS_MARK : 0;
	if (c->all)
		return (signs & c->signs) == c->signs;
	return !c->signs || signs & c->signs;
}

bool scene_shows(const struct scene *s)
{
	for (size_t i = 0; i < s->culprits; i++)
		if (!culprit_shows(s, &s->culprit[i]))
			return false;
	return true;
}

/* ---- labels ---- */

struct culprit *scene_blame(struct scene *s, const char *class, unsigned signs)
{
	struct culprit *c = &s->culprit[s->culprits++];

	c->class = class;
	c->signs = signs;
	c->start_us = c->visible_us = s->from_us;
	return c;
}

void scene_blame_nic(struct scene *s, struct culprit *c, int node)
{
	int port = s->net.nodes.at[node].ports.at[0];

	(void)str_printf(c->root, sizeof(c->root), "{\"type\":\"nic\",\"node\":\"%s\"}",
		scene_name(s, node));
	(void)str_copy(c->place, sizeof(c->place), scene_name(s, node));
	vec_push(&c->ports, port);
	vec_push(&c->ports, scene_peer(s, port));
}

void scene_blame_node(struct scene *s, struct culprit *c, int node)
{
	(void)str_printf(c->root, sizeof(c->root), "{\"type\":\"node\",\"node\":\"%s\"}",
		scene_name(s, node));
	(void)str_copy(c->place, sizeof(c->place), scene_name(s, node));
	for (size_t i = 0; i < s->net.nodes.at[node].ports.n; i++)
		vec_push(&c->ports, s->net.nodes.at[node].ports.at[i]);
}

void scene_blame_port(
	struct scene *s, struct culprit *c, const char *type, const char *key, int port)
{
	const struct pk_port *p = scene_port(s, port), *q = scene_port(s, p->peer);

	(void)str_printf(c->root, sizeof(c->root),
		"{\"type\":\"%s\",\"%s\":{\"node\":\"%s\",\"port\":%d,\"peer\":\"%s\","
		"\"peer_port\":%d}}",
		type, key, scene_name(s, p->node), p->number, scene_name(s, q->node), q->number);
	(void)str_printf(c->place, sizeof(c->place), "%s:%d to %s", scene_name(s, p->node),
		p->number, scene_name(s, q->node));
	vec_push(&c->ports, port);
	if (str_eq(type, "link"))
		vec_push(&c->ports, p->peer);
}

void scene_blame_nics(struct scene *s, struct culprit *c, const int *nic, int n, int dst)
{
	size_t len;

	(void)str_copy(c->root, sizeof(c->root), "{\"type\":\"nics\",\"nodes\":[");
	for (int i = 0; i < n; i++) {
		len = strlen(c->root);
		(void)str_printf(c->root + len, sizeof(c->root) - len, "%s\"%s\"", i ? "," : "",
			scene_name(s, nic[i]));
	}
	len = strlen(c->root);
	(void)str_printf(
		c->root + len, sizeof(c->root) - len, "],\"dst\":\"%s\"}", scene_name(s, dst));
	(void)str_printf(c->place, sizeof(c->place), "into %s", scene_name(s, dst));
	vec_push(&c->ports, scene_peer(s, s->net.nodes.at[dst].ports.at[0]));
}
