/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/faults.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

/* ---- NICs and links ---- */

static int port_of(const struct scene *s, int nic)
{
	return s->net.nodes.at[nic].ports.at[0];
}

static void be_slow_at(struct scene *s, int nic)
{
	scene_effect(s, EFFECT_DRAIN, port_of(s, nic),
		s->shape.nic_gbps * dice_real(&s->dice, 0.2, 0.6));
	scene_blame_nic(s, scene_blame(s, "slow_receiver_nic", SIGN_PAUSE), nic);
}

static void make_slow_receiver(struct scene *s)
{
	be_slow_at(s, scene_any_nic(s));
}

static void make_pcie(struct scene *s)
{
	int nic = scene_any_nic(s);
	double gbps = s->shape.nic_gbps * dice_real(&s->dice, 0.25, 0.6);

	scene_effect(s, EFFECT_DRAIN, port_of(s, nic), gbps);
	scene_effect(s, EFFECT_CAP, port_of(s, nic), gbps);
	scene_blame_nic(s, scene_blame(s, "host_pcie_bound", SIGN_PAUSE), nic);
}

static void storm_at(struct scene *s, int nic)
{
	scene_effect(s, EFFECT_STORM, port_of(s, nic), 1);
	scene_blame_nic(s, scene_blame(s, "pfc_storm_nic", SIGN_PAUSE), nic);
}

static void make_storm(struct scene *s)
{
	storm_at(s, scene_any_nic(s));
}

static void flap_at(struct scene *s, const char *class, int port)
{
	struct effect *e;

	scene_effect(s, EFFECT_DOWN, port, 1);
	e = &s->effects.at[s->effects.n - 1];
	e->every_us = s->net.bucket_us * dice_int(&s->dice, 3, 6);
	e->on_us = s->net.bucket_us * dice_real(&s->dice, 0.5, 1.5);
	scene_blame_port(s, scene_blame(s, class, SIGN_DOWN), "link", "a", port);
}

static void make_host_flap(struct scene *s)
{
	flap_at(s, "link_flap_host", scene_peer(s, port_of(s, scene_any_nic(s))));
}

static void make_fabric_flap(struct scene *s)
{
	flap_at(s, "link_flap_fabric", scene_any_uplink(s));
}

static bool draw_link(struct scene *s, int *port)
{
	bool up = s->shape.spines && dice_int(&s->dice, 0, 1);

	*port = up ? scene_any_uplink(s) : scene_peer(s, port_of(s, scene_any_nic(s)));
	return up;
}

static void make_speed(struct scene *s)
{
	int port;
	double share = draw_link(s, &port) ? 1.0 / (1 << dice_int(&s->dice, 1, 3))
					   : 1.0 / (1 << dice_int(&s->dice, 1, 2));

	scene_effect(s, EFFECT_SPEED, port, s->net.ports.at[port].planned_gbps * share);
	scene_blame_port(s, scene_blame(s, "link_speed_degraded", SIGN_FACT), "link", "a", port);
}

static void corrupt_at(struct scene *s, int port)
{
	int side = dice_int(&s->dice, 0, 1) ? port : scene_peer(s, port);

	scene_effect(s, EFFECT_LOSS, side, dice_real(&s->dice, 2e-3, 1e-2));
	scene_blame_port(s, scene_blame(s, "link_corruption", SIGN_ERROR), "link", "a", port);
}

static void make_corruption(struct scene *s)
{
	int port;

	(void)draw_link(s, &port);
	corrupt_at(s, port);
}

/* Two or more uplinks of a leaf are down, and at least one is up. */
static void make_capacity(struct scene *s)
{
	int up[32], leaf = shape_leaf(&s->shape, scene_any_server(s),
			    dice_int(&s->dice, 0, s->shape.nics - 1));
	int n = shape_up(&s->net, leaf, up, 32), lost;

	if (n < 3) {
		s->fits = false;
		return;
	}
	lost = dice_int(&s->dice, 2, n - 1);
	for (int i = 0; i < lost; i++)
		scene_effect(s, EFFECT_DOWN, up[i], 1);
	scene_blame_node(s, scene_blame(s, "uplink_capacity_loss", SIGN_DOWN), leaf);
}

static void make_straggler(struct scene *s)
{
	int server = scene_any_server(s);
	struct culprit *c = scene_blame(s, "compute_straggler", SIGN_SLOW);

	scene_effect(s, EFFECT_LATE, server, s->net.bucket_us * dice_real(&s->dice, 0.4, 0.9));
	(void)str_printf(c->root, sizeof(c->root), "{\"type\":\"server\",\"server\":%d}", server);
	(void)str_printf(c->place, sizeof(c->place), "server%d", server);
}

/* ---- two at once ---- */

static void make_slow_and_corrupt(struct scene *s)
{
	int nic = scene_any_nic(s), port;

	be_slow_at(s, nic);
	(void)draw_link(s, &port);
	if (port == scene_peer(s, port_of(s, nic)))
		s->fits = false;
	corrupt_at(s, port);
}

static void make_storm_and_flap(struct scene *s)
{
	int nic = scene_any_nic(s), other = scene_any_nic(s);

	s->fits = s->fits && s->net.nodes.at[nic].server != s->net.nodes.at[other].server;
	storm_at(s, nic);
	flap_at(s, "link_flap_host", scene_peer(s, port_of(s, other)));
}

/* ---- a ring of switches that wait for one another ---- */

static int add_host(struct scene *s, int sw, int number, double gbps)
{
	char name[16];
	int nic;

	(void)str_printf(name, sizeof(name), "h%d", number);
	nic = pk_node(&s->net, name, "nic", -1, -1, number);
	(void)pk_link(&s->net, nic, sw, gbps, 5, gbps * 0.4, gbps * 1.6);
	return nic;
}

static void blame_ring(struct scene *s, const int *sw, int n)
{
	struct culprit *c = scene_blame(s, "pfc_cyclic_buffer_dependency_persistent", SIGN_HELD);
	size_t len;

	(void)str_copy(c->root, sizeof(c->root), "{\"type\":\"cycle\",\"nodes\":[");
	for (int i = 0; i < n; i++) {
		len = strlen(c->root);
		(void)str_printf(c->root + len, sizeof(c->root) - len, "%s\"%s\"", i ? "," : "",
			scene_name(s, sw[i]));
		vec_push(&c->ports, pk_to(&s->net, sw[i], sw[(i + 1) % n]));
	}
	len = strlen(c->root);
	(void)str_copy(c->root + len, sizeof(c->root) - len, "]}");
	(void)str_printf(c->place, sizeof(c->place), "ring of %d switches", n);
}

/* Each host sends over two links of the ring, which has room for one of them only. */
static void make_deadlock(struct scene *s)
{
	int sw[5], in[5], out[5], n = dice_int(&s->dice, 3, 5);
	double gbps = dice_int(&s->dice, 0, 1) ? 50 : 100;
	char name[16];

	for (int i = 0; i < n; i++) {
		(void)str_printf(name, sizeof(name), "sw%d", i);
		sw[i] = pk_node(&s->net, name, "switch", -1, -1, -1);
	}
	for (int i = 0; i < n; i++)
		(void)pk_link(&s->net, sw[i], sw[(i + 1) % n], gbps, 5, 40, 160);
	for (int i = 0; i < n; i++) {
		in[i] = add_host(s, sw[i], i, gbps);
		out[i] = add_host(s, sw[i], n + i, gbps);
	}
	s->net.bucket_us = 100;
	s->net.duration_us = 40 * s->net.bucket_us;
	s->net.rise_us = 900;
	s->net.rise_gbps = 0.05;
	s->net.seed = dice_word(&s->dice);
	s->from_us = s->net.bucket_us * dice_int(&s->dice, 8, 14);
	s->to_us = s->net.duration_us;
	pk_ready(&s->net, 1024e3);
	for (int i = 0; i < n; i++) {
		const int way[] = {
			in[i], sw[i], sw[(i + 1) % n], sw[(i + 2) % n], out[(i + 2) % n]};
		int calm = pk_flow(&s->net, way, 5, 1e12, 0, true);

		s->net.flows.at[calm].limit = gbps * 0.2;
		(void)pk_flow(&s->net, way, 5, 1e12, s->from_us, false);
	}
	s->workload = "flows over two links each";
	blame_ring(s, sw, n);
}

/* ---- healthy ---- */

static void make_healthy_ring(struct scene *s)
{
	scene_load(s, LOAD_RING, 0.75);
}

static void make_healthy_all(struct scene *s)
{
	scene_load(s, LOAD_ALL_TO_ALL, 0.6);
}

static void make_healthy_heavy(struct scene *s)
{
	scene_load(s, LOAD_ALL_TO_ALL, 1);
	s->job[0].rest_us = 0.01 * s->net.bucket_us;
	s->workload = "all-to-all without a rest";
}

/* Each NIC writes to one of another server for half a bucket, every ten buckets. */
static void make_checkpoint(struct scene *s)
{
	int n = s->shape.servers, hop = dice_int(&s->dice, 1, n - 1);

	scene_load(s, LOAD_RING, 0.7);
	s->workload = "ring and checkpoints";
	for (int i = 0; i < n; i++)
		for (int k = 0; k < s->shape.nics; k++) {
			int flow = scene_stream(
				s, s->shape.nic[i][k], s->shape.nic[(i + hop) % n][k], true);
			struct pk_flow *f = &s->net.flows.at[flow];

			f->start_us = 5 * s->net.bucket_us;
			f->stop_us = s->net.duration_us;
			f->every_us = 10 * s->net.bucket_us;
			f->on_us = 0.5 * s->net.bucket_us;
		}
}

/* The second job begins in the middle, the first one ends there. */
static void make_staggered(struct scene *s)
{
	int n = s->shape.servers;

	s->workload = "jobs one after another";
	scene_ring(s, "ringA", 0, n / 2, 4, 0.75, 10);
	s->job[0].stop_us = s->net.duration_us * dice_real(&s->dice, 0.5, 0.8);
	scene_ring(
		s, "ringB", n / 2, n, 4, 0.75, s->net.duration_us * dice_real(&s->dice, 0.2, 0.5));
}

/* ---- all of them ---- */

#define ANY    ((1U << SHAPE_COUNT) - 1)
#define SPINES (ANY & ~(1U << SHAPE_RAIL_ONLY))

const struct fault_kind fault_kinds[] = {
	{"incast", ANY, 4, false, false, fault_incast},
	{"incast_bursts", ANY, 3, false, false, fault_incast_bursts},
	{"incast_between", 1U << SHAPE_ONE_SPINE, 2, false, false, fault_incast_between},
	{"no_control", ANY, 4, false, false, fault_no_control},
	{"no_marks", ANY, 4, false, false, fault_no_marks},
	{"slow_receiver", ANY, 4, false, false, make_slow_receiver},
	{"pcie", ANY, 4, false, false, make_pcie},
	{"storm", ANY, 4, false, false, make_storm},
	{"deaf_nic", ANY, 4, false, false, fault_deaf},
	{"no_pause", ANY, 4, false, false, fault_no_pause},
	{"mixed", ANY, 4, false, false, fault_mixed},
	{"wrong_dscp", ANY, 4, true, false, fault_wrong_dscp},
	{"host_flap", ANY, 3, false, false, make_host_flap},
	{"fabric_flap", SPINES, 3, false, false, make_fabric_flap},
	{"speed", ANY, 4, false, false, make_speed},
	{"corruption", ANY, 4, false, false, make_corruption},
	{"capacity", SPINES & ~(1U << SHAPE_ONE_SPINE), 3, false, false, make_capacity},
	{"collision", SPINES & ~(1U << SHAPE_ONE_SPINE), 3, true, true, fault_collision},
	{"polarization", 1U << SHAPE_THREE_TIERS, 2, true, true, fault_polarization},
	{"straggler", ANY, 4, false, false, make_straggler},
	{"deadlock", 0, 2, true, true, make_deadlock},
	{"incast_and_loss", ANY, 4, false, false, fault_incast_and_loss},
	{"slow_and_corrupt", ANY, 3, false, false, make_slow_and_corrupt},
	{"storm_and_flap", ANY, 3, false, false, make_storm_and_flap},
	{"healthy_ring", ANY, 3, true, false, make_healthy_ring},
	{"healthy_all_to_all", ANY, 3, true, false, make_healthy_all},
	{"healthy_heavy", ANY, 3, true, false, make_healthy_heavy},
	{"healthy_checkpoint", ANY, 3, true, false, make_checkpoint},
	{"healthy_staggered", ANY, 3, true, false, make_staggered},
};
const size_t fault_kind_count = sizeof(fault_kinds) / sizeof(fault_kinds[0]);
