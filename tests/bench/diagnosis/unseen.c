/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis/unseen.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/bench/packets/packets.h"

#define SERVERS 16
#define RAILS   2
#define PLANES  4
#define CORES   2

struct scene {
	struct pk_net net;
	int nic[SERVERS][RAILS], leaf[2][RAILS], spine[2][PLANES], core[PLANES][CORES];
	unsigned hash;
	double from_us, to_us;
	char label[1200];
};
struct unseen {
	const char *name, *class;
	void (*build)(struct scene *s);
	pk_event_fn *at; /* NULL */
};

/* ---- labels ---- */

static void label(struct scene *s, const char *root)
{
	size_t n = strlen(s->label);

	(void)str_printf(s->label + n, sizeof(s->label) - n, "%s", root);
}

static void label_port(struct scene *s, const char *type, const char *key, int port)
{
	const struct pk_port *p = &s->net.ports.at[port], *q = &s->net.ports.at[p->peer];
	char text[300];

	(void)str_printf(text, sizeof(text),
		"{\"type\":\"%s\",\"%s\":{\"node\":\"%s\",\"port\":%d,\"peer\":\"%s\","
		"\"peer_port\":%d}}",
		type, key, s->net.nodes.at[p->node].name, p->number, s->net.nodes.at[q->node].name,
		q->number);
	label(s, text);
}

static void label_nic(struct scene *s, int node)
{
	char text[100];

	(void)str_printf(text, sizeof(text), "{\"type\":\"nic\",\"node\":\"%s\"}",
		s->net.nodes.at[node].name);
	label(s, text);
}

/* ---- a Clos of three tiers, one leaf a pod and rail ---- */

static void add_switches(struct scene *s)
{
	char name[32];

	for (int pod = 0; pod < 2; pod++)
		for (int r = 0; r < RAILS; r++) {
			(void)str_printf(name, sizeof(name), "leaf-p%d-r%d", pod, r);
			s->leaf[pod][r] = pk_node(&s->net, name, "leaf", pod, r, -1);
		}
	for (int pod = 0; pod < 2; pod++)
		for (int k = 0; k < PLANES; k++) {
			(void)str_printf(name, sizeof(name), "spine-p%d-%d", pod, k);
			s->spine[pod][k] = pk_node(&s->net, name, "spine", pod, -1, -1);
		}
	for (int k = 0; k < PLANES; k++)
		for (int j = 0; j < CORES; j++) {
			(void)str_printf(name, sizeof(name), "core-%d-%d", k, j);
			s->core[k][j] = pk_node(&s->net, name, "core", -1, -1, -1);
		}
}

static void add_clos(struct scene *s)
{
	char name[32];

	for (int i = 0; i < SERVERS; i++)
		for (int r = 0; r < RAILS; r++) {
			(void)str_printf(name, sizeof(name), "srv%02d-nic%d", i, r);
			s->nic[i][r] = pk_node(&s->net, name, "nic", i / (SERVERS / 2), r, i);
		}
	add_switches(s);
	for (int i = 0; i < SERVERS; i++)
		for (int r = 0; r < RAILS; r++)
			(void)pk_link(&s->net, s->nic[i][r], s->leaf[i / (SERVERS / 2)][r], 100, 1,
				100, 400);
	for (int pod = 0; pod < 2; pod++)
		for (int k = 0; k < PLANES; k++) {
			for (int r = 0; r < RAILS; r++)
				(void)pk_link(&s->net, s->leaf[pod][r], s->spine[pod][k], 200, 1,
					200, 800);
			for (int j = 0; j < CORES; j++)
				(void)pk_link(&s->net, s->spine[pod][k], s->core[k][j], 400, 1, 400,
					1600);
		}
	pk_ready(&s->net, 8e6);
	s->net.bucket_us = 1000;
	s->net.duration_us = 40000;
	s->net.rise_us = 55;
	s->net.rise_gbps = 0.1;
	s->net.rest_us = 150;
	s->net.seed = 7;
	s->from_us = 12000;
	s->to_us = 28000;
}

static unsigned draw(struct scene *s, unsigned below)
{
	s->hash = s->hash * 1664525U + 1013904223U;
	return (s->hash >> 16) % below;
}

static int join(struct scene *s, int from, int to, double bytes, double start_us, bool controlled)
{
	const struct pk_node *a = &s->net.nodes.at[from], *b = &s->net.nodes.at[to];
	int leaf_a = s->leaf[a->pod][a->rail], leaf_b = s->leaf[b->pod][b->rail];
	unsigned k = draw(s, PLANES), j = draw(s, CORES);

	if (leaf_a == leaf_b)
		return pk_flow(&s->net, (int[]){from, leaf_a, to}, 3, bytes, start_us, controlled);
	if (a->pod == b->pod)
		return pk_flow(&s->net, (int[]){from, leaf_a, s->spine[a->pod][k], leaf_b, to}, 5,
			bytes, start_us, controlled);
	return pk_flow(&s->net,
		(int[]){from, leaf_a, s->spine[a->pod][k], s->core[k][j], s->spine[b->pod][k],
			leaf_b, to},
		7, bytes, start_us, controlled);
}

/* A ring over all servers on each rail, half of its hops across the pods, four flows a hop. */
static void add_ring(struct scene *s)
{
	for (int i = 0; i < SERVERS; i++) {
		int a = i / 4 * 2 + i % 2 + (i / 2 % 2) * (SERVERS / 2), n = (i + 1) % SERVERS;
		int b = n / 4 * 2 + n % 2 + (n / 2 % 2) * (SERVERS / 2);

		for (int r = 0; r < RAILS; r++)
			for (int q = 0; q < 4; q++) {
				int f = join(s, s->nic[a][r], s->nic[b][r], 1.9e6, 0, true);

				s->net.flows.at[f].job = true;
			}
	}
}

static void job(struct scene *s, unsigned seed)
{
	s->hash = seed;
	add_clos(s);
	add_ring(s);
}

/* Seven others send to one for as long as the fault lasts. */
static void gather(struct scene *s, int server, int rail, bool controlled)
{
	for (int i = 0; i < 7; i++)
		(void)join(s, s->nic[(server + 3 + 2 * i) % SERVERS][rail], s->nic[server][rail],
			200e6 / 7, s->from_us, controlled);
}

static struct pk_port *down_to(struct scene *s, int server, int rail)
{
	struct pk_port *nic =
		&s->net.ports.at[pk_to(&s->net, s->nic[server][rail], s->leaf[server / 8][rail])];

	return &s->net.ports.at[nic->peer];
}

static bool in_fault(const struct scene *s)
{
	return s->net.now_us >= s->from_us && s->net.now_us < s->to_us;
}

/* ---- classes ---- */

static void build_cc_off(struct scene *s)
{
	job(s, 11);
	gather(s, 13, 1, false);
	label_port(s, "egress_port", "at", s->net.ports.at[down_to(s, 13, 1)->peer].peer);
}

static void build_incast(struct scene *s)
{
	job(s, 12);
	gather(s, 5, 0, true);
	label_port(s, "egress_port", "at", s->net.ports.at[down_to(s, 5, 0)->peer].peer);
}

static int leaf_port(struct scene *s, int server, int rail)
{
	return pk_to(&s->net, s->leaf[server / 8][rail], s->nic[server][rail]);
}

/* Its NIC does not stop when it is told to, while two others and it send to one. */
static void build_deaf(struct scene *s)
{
	job(s, 13);
	gather(s, 2, 1, true);
	for (int q = 0; q < 4; q++)
		(void)join(s, s->nic[6][1], s->nic[2][1], 200e6, s->from_us, false);
	s->net.ports.at[pk_to(&s->net, s->nic[6][1], s->leaf[0][1])].deaf = true;
	label_nic(s, s->nic[6][1]);
}

/* The leaf does not pause one of the senders that send too much. */
static void build_no_pause(struct scene *s)
{
	job(s, 14);
	gather(s, 9, 0, true);
	for (int q = 0; q < 4; q++)
		(void)join(s, s->nic[12][0], s->nic[9][0], 200e6, s->from_us, false);
	s->net.ports.at[leaf_port(s, 12, 0)].no_pause = true;
	label_port(s, "switch_port_config", "at", leaf_port(s, 12, 0));
}

static void at_lost(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;
	int leaf = s->leaf[1][1];

	for (int k = 1; k < PLANES - 1; k++) {
		int port = pk_to(n, leaf, s->spine[1][k]);

		if (n->ports.at[port].up == in_fault(s))
			pk_set_up(n, port, !in_fault(s));
	}
	/* Routes follow. */
	for (size_t i = 0; in_fault(s) && i < n->flows.n; i++) {
		struct pk_flow *f = &n->flows.at[i];

		for (unsigned h = 0; h + 1 < f->hops; h++) {
			struct pk_port *p = &n->ports.at[f->path[h]];
			unsigned k = i % 2 ? 3 : 0;
			int to = n->ports.at[n->ports.at[f->path[h + 1]].peer].node;

			if (p->up)
				continue;
			if (p->node == leaf) {
				f->path[h] = pk_to(n, leaf, s->spine[1][k]);
				if (n->nodes.at[to].role[0] == 'c')
					to = s->core[k][0];
				f->path[h + 1] = pk_to(n, s->spine[1][k], to);
				if (n->nodes.at[to].role[0] == 'c') {
					f->path[h + 2] = pk_to(n, to, s->spine[0][k]);
					f->path[h + 3] = pk_to(n, s->spine[0][k],
						n->ports.at[f->path[h + 4]].node);
				}
			} else if (h >= 3) {
				f->path[h - 3] =
					pk_to(n, n->ports.at[f->path[h - 3]].node, s->spine[0][k]);
				f->path[h - 2] = pk_to(n, s->spine[0][k], s->core[k][0]);
				f->path[h - 1] = pk_to(n, s->core[k][0], s->spine[1][k]);
				f->path[h] = pk_to(n, s->spine[1][k], leaf);
			} else {
				f->path[h - 1] =
					pk_to(n, n->ports.at[f->path[h - 1]].node, s->spine[1][k]);
				f->path[h] = pk_to(n, s->spine[1][k], leaf);
			}
		}
	}
}

static void build_lost(struct scene *s)
{
	job(s, 15);
	label(s, "{\"type\":\"node\",\"node\":\"leaf-p1-r1\"}");
}

static void at_slow_and_broken(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;
	struct pk_port *nic = &n->ports.at[down_to(s, 3, 0)->peer];
	struct pk_port *core = &n->ports.at[pk_to(n, s->core[1][0], s->spine[1][1])];

	nic->drain = in_fault(s) ? 35 : 0;
	core->loss = in_fault(s) ? 5e-3 : 0;
}

static void build_two(struct scene *s)
{
	job(s, 17);
	label_nic(s, s->nic[3][0]);
	label(s, "|link_corruption|");
	label_port(s, "link", "a", pk_to(&s->net, s->spine[1][1], s->core[1][0]));
}

static void at_storm(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;

	n->ports.at[down_to(s, 10, 1)->peer].storm = in_fault(s);
}

static void build_storm(struct scene *s)
{
	job(s, 18);
	label_nic(s, s->nic[10][1]);
}

static void at_core_speed(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;
	struct pk_port *p = &n->ports.at[pk_to(n, s->spine[0][3], s->core[3][1])];

	p->gbps = n->ports.at[p->peer].gbps = in_fault(s) ? 25 : p->planned_gbps;
}

static void build_core_speed(struct scene *s)
{
	job(s, 19);
	label_port(s, "link", "a", pk_to(&s->net, s->spine[0][3], s->core[3][1]));
}

static void at_core_flap(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;
	int port = pk_to(n, s->spine[1][0], s->core[0][1]);
	bool down = in_fault(s) && (int)((n->now_us - s->from_us) / 1000) % 4 == 0;

	if (n->ports.at[port].up == down)
		pk_set_up(n, port, !down);
}

static void build_core_flap(struct scene *s)
{
	job(s, 20);
	label_port(s, "link", "a", pk_to(&s->net, s->spine[1][0], s->core[0][1]));
}

static void at_leaf_errors(struct pk_net *n, void *ctx)
{
	struct scene *s = ctx;

	n->ports.at[leaf_port(s, 14, 0)].loss = in_fault(s) ? 5e-3 : 0;
}

static void build_leaf_errors(struct scene *s)
{
	job(s, 21);
	label_port(s, "link", "a", leaf_port(s, 14, 0));
}

/* ---- flat switches: a ring of buffers, and a chain ---- */

static int host(struct scene *s, int sw, int number, double gbps, double delay_us)
{
	char name[16];
	int nic;

	(void)str_printf(name, sizeof(name), "h%d", number);
	nic = pk_node(&s->net, name, "nic", -1, -1, number);
	(void)pk_link(&s->net, nic, sw, gbps, delay_us, gbps * 0.4, gbps * 1.6);
	return nic;
}

static void flat(struct scene *s, int *sw, int n)
{
	char name[16];

	for (int i = 0; i < n; i++) {
		(void)str_printf(name, sizeof(name), "sw%d", i);
		sw[i] = pk_node(&s->net, name, "switch", -1, -1, -1);
	}
	s->net.bucket_us = 100;
	s->net.duration_us = 10000;
	s->net.rise_us = 900;
	s->net.rise_gbps = 0.05;
	s->net.seed = 3;
	s->from_us = 3000;
}

/* Each of four flows takes two links of the ring; a burst goes over one of them. */
static void build_ring(struct scene *s, bool controlled, double burst, bool flood)
{
	static const int way[4] = {0, 1, 3, 2}; /* sw0 > sw1 > sw3 > sw2 > sw0 */
	int sw[4], in[4], out[4], from[4], to[4];

	flat(s, sw, 4);
	for (int i = 0; i < 4; i++)
		(void)pk_link(
			&s->net, sw[way[i]], sw[way[(i + 1) % 4]], flood ? 50 : 100, 5, 40, 160);
	for (int i = 0; i < 4; i++) {
		in[i] = host(s, sw[way[i]], 4 + i, 50, 5);
		out[i] = host(s, sw[way[i]], 8 + i, 50, 5);
	}
	for (int i = 0; i < 4; i++) {
		from[i] = host(s, sw[1], 12 + i, 100, 2);
		to[i] = host(s, sw[3], 16 + i, 100, 2);
	}
	pk_ready(&s->net, 1024e3);
	for (int i = 0; i < 4; i++)
		(void)pk_flow(&s->net,
			(int[]){in[i], sw[way[i]], sw[way[(i + 1) % 4]], sw[way[(i + 2) % 4]],
				out[(i + 2) % 4]},
			5, 200e6, 0, controlled && i != 0);
	for (int i = 0; i < 4; i++)
		(void)pk_flow(&s->net, (int[]){from[i], sw[1], sw[3], to[i]}, 4, burst, s->from_us,
			false);
	s->to_us = s->from_us + 4 * burst * 8e-5 + 500;
	if (s->to_us > s->net.duration_us)
		s->to_us = s->net.duration_us;
	label(s, "{\"type\":\"cycle\",\"nodes\":[\"sw0\",\"sw1\",\"sw3\",\"sw2\"]}");
}

static void build_transient(struct scene *s)
{
	build_ring(s, true, 2e6, false);
}

static void build_hard(struct scene *s)
{
	build_ring(s, false, 10e6, true);
	s->to_us = s->net.duration_us;
}

static void build_chain(struct scene *s, bool controlled)
{
	int sw[4], h[9];

	flat(s, sw, 4);
	(void)pk_link(&s->net, sw[0], sw[1], 100, 3, 40, 160);
	(void)pk_link(&s->net, sw[1], sw[2], 100, 3, 40, 160);
	(void)pk_link(&s->net, sw[1], sw[3], 100, 5, 40, 160);
	h[0] = host(s, sw[3], 0, 50, 3);
	h[1] = host(s, sw[0], 1, 50, 3);
	h[2] = host(s, sw[0], 2, 50, 3);
	h[3] = host(s, sw[3], 3, 100, 3);
	h[4] = host(s, sw[2], 4, 50, 3);
	for (int i = 5; i < 9; i++)
		h[i] = host(s, sw[3], i, 100, 3);
	pk_ready(&s->net, 1024e3);
	(void)pk_flow(&s->net, (int[]){h[1], sw[0], sw[1], sw[3], h[3]}, 5, 200e6, 0, true);
	(void)pk_flow(&s->net, (int[]){h[2], sw[0], sw[1], sw[2], h[4]}, 5, 200e6, 0, true);
	for (int i = 5; i < 9; i++)
		(void)pk_flow(&s->net, (int[]){h[i], sw[3], h[3]}, 3, 4e6, s->from_us, controlled);
	s->to_us = s->from_us + 1400;
	label_port(s, "egress_port", "at", pk_to(&s->net, sw[3], h[3]));
}

static void build_burst(struct scene *s)
{
	build_chain(s, false);
}

static void build_flat_incast(struct scene *s)
{
	build_chain(s, true);
}

/* ---- all of them ---- */

static const struct unseen all[] = {
	{"incast", "incast", build_incast, NULL},
	{"cc_off", "dcqcn_disabled_senders", build_cc_off, NULL},
	{"deaf_nic", "nic_ignores_pfc", build_deaf, NULL},
	{"no_pause", "pfc_disabled_port", build_no_pause, NULL},
	{"uplinks_lost", "uplink_capacity_loss", build_lost, at_lost},
	{"two_faults", "slow_receiver_nic", build_two, at_slow_and_broken},
	{"storm", "pfc_storm_nic", build_storm, at_storm},
	{"core_speed", "link_speed_degraded", build_core_speed, at_core_speed},
	{"core_flap", "link_flap_fabric", build_core_flap, at_core_flap},
	{"leaf_errors", "link_corruption", build_leaf_errors, at_leaf_errors},
	{"ring_transient", "pfc_cyclic_buffer_dependency_transient", build_transient, NULL},
	{"ring_hard", "pfc_cyclic_buffer_dependency_persistent", build_hard, NULL},
	{"flat_burst", "incast_uncontrolled_burst", build_burst, NULL},
	{"flat_incast", "incast", build_flat_incast, NULL},
};

size_t unseen_count(void)
{
	return sizeof(all) / sizeof(all[0]);
}

const char *unseen_name(size_t i)
{
	return all[i].name;
}

static void put_fault(FILE *f, const struct scene *s, const char *class, const char *root)
{
	(void)fprintf(f, "{\"class\":\"%s\",\"root\":%s,\"fault_start_us\":%.0f,", class, root,
		s->from_us);
	(void)fprintf(f, "\"fault_end_us\":%.0f}", s->to_us);
}

/* A second fault follows as "|class|root". */
static bool write_label(const struct unseen *u, struct scene *s, const char *dir)
{
	char path[512], *second = strchr(s->label, '|'), *root;
	FILE *f;

	(void)str_printf(path, sizeof(path), "%s/label.json", dir);
	f = fopen(path, "we");
	if (!f)
		return false;
	if (second)
		*second++ = '\0';
	(void)fprintf(f, "{\"scenario\":\"%s\",\"bucket_us\":%.0f,\"faults\":[", u->name,
		s->net.bucket_us);
	put_fault(f, s, u->class, s->label);
	if (second) {
		root = strchr(second, '|');
		*root++ = '\0';
		(void)fputs(",", f);
		put_fault(f, s, second, root);
	}
	(void)fputs("]}\n", f);
	return fclose(f) == 0;
}

bool unseen_write(size_t i, const char *dir)
{
	struct scene s = {0};
	bool ok;

	all[i].build(&s);
	ok = pk_run(&s.net, dir, all[i].at, &s) && write_label(&all[i], &s, dir);
	pk_free(&s.net);
	return ok;
}
