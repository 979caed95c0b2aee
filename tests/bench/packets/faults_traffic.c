/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/packets/faults.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

/* Faults that need traffic of their own beside the jobs. */

#define SENDERS_MOST 14

static int port_into(const struct scene *s, int nic)
{
	return scene_peer(s, s->net.nodes.at[nic].ports.at[0]);
}

static int leaf_of(const struct scene *s, int nic)
{
	return s->net.ports.at[port_into(s, nic)].node;
}

/* Several NICs send to one; their number. Half of the draws offer 1.4 to 4 times its line. */
static int gather_into(
	struct scene *s, int to, int lowest, int highest, bool controlled, int *sender)
{
	int n = scene_senders(s, to, dice_int(&s->dice, lowest, highest), sender, false);
	double limit = dice_int(&s->dice, 0, 1)
			       ? s->shape.nic_gbps * dice_real(&s->dice, 1.4, 4) / (n ? n : 1)
			       : 0;

	if (n < lowest)
		s->fits = false;
	for (int i = 0; i < n; i++) {
		int flow = scene_stream(s, sender[i], to, controlled);

		s->net.flows.at[flow].limit = fmin(limit, s->shape.nic_gbps);
		if (limit > 0)
			s->net.flows.at[flow].rate = s->net.flows.at[flow].target =
				fmin(limit, s->shape.nic_gbps);
	}
	return n;
}

void fault_incast(struct scene *s)
{
	int to = scene_any_nic(s), sender[SENDERS_MOST];

	(void)gather_into(s, to, 4, SENDERS_MOST, true, sender);
	scene_blame_port(s, scene_blame(s, "incast", SIGN_MARK | SIGN_PAUSE), "egress_port", "at",
		port_into(s, to));
}

/* Two of five buckets. */
void fault_incast_bursts(struct scene *s)
{
	size_t first = s->net.flows.n;

	fault_incast(s);
	for (size_t i = first; i < s->net.flows.n; i++) {
		s->net.flows.at[i].every_us = 5 * s->net.bucket_us;
		s->net.flows.at[i].on_us = 2 * s->net.bucket_us;
	}
}

void fault_no_control(struct scene *s)
{
	int to = scene_any_nic(s), sender[SENDERS_MOST];
	int n = gather_into(s, to, 3, 10, false, sender);
	struct culprit *c = scene_blame(s, "dcqcn_disabled_senders", SIGN_MARK | SIGN_PAUSE);

	c->all = true;
	scene_blame_nics(s, c, sender, n, to);
	/* The pause is where they come in. */
	for (int i = 0; i < n; i++)
		vec_push(&c->ports, s->net.nodes.at[sender[i]].ports.at[0]);
}

void fault_no_marks(struct scene *s)
{
	int to = scene_any_nic(s), sender[SENDERS_MOST], port = port_into(s, to);
	struct culprit *c;

	(void)gather_into(s, to, 4, SENDERS_MOST, true, sender);
	scene_effect(s, EFFECT_NO_MARKS, port, 1);
	c = scene_blame(s, "ecn_misconfig", SIGN_PAUSE | SIGN_OTHERS_MARK);
	c->all = true;
	scene_blame_port(s, c, "switch_port_config", "at", port);
	for (size_t i = 0; i < s->net.nodes.at[leaf_of(s, to)].ports.n; i++)
		vec_push(&c->ports, s->net.nodes.at[leaf_of(s, to)].ports.at[i]);
}

/* Switches that mark late and have small buffers pause before they mark. */
static void mark_late(struct scene *s)
{
	double faster = s->shape.nic_gbps / 100;

	for (size_t i = 0; i < s->net.ports.n; i++) {
		s->net.ports.at[i].k_min *= 3;
		s->net.ports.at[i].k_max *= 4;
	}
	for (size_t i = 0; i < s->net.nodes.n; i++)
		s->net.nodes.at[i].buffer = s->net.nodes.at[i].reserved + 1.5e6 * faster;
}

/*
 * Bursts into one NIC, half of them from one on the same leaf: that one, or -1 when there is none.
 * All senders obey marks, but the switch pauses them first.
 */
static int burst_from_near(struct scene *s, int to)
{
	int sender[SENDERS_MOST], near, n;
	size_t first = s->net.flows.n;

	if (scene_senders(s, to, 1, &near, true) < 1) {
		s->fits = false;
		return -1;
	}
	n = gather_into(s, to, 3, 8, true, sender);
	for (int q = 0; q < n; q++)
		(void)scene_stream(s, near, to, true);
	for (size_t i = first; i < s->net.flows.n; i++) {
		s->net.flows.at[i].every_us = 0.5 * s->net.bucket_us;
		s->net.flows.at[i].on_us = 0.25 * s->net.bucket_us;
	}
	return near;
}

static void be_deaf_into(struct scene *s, int to)
{
	int near = burst_from_near(s, to);
	struct culprit *c;

	if (near < 0)
		return;
	scene_effect(s, EFFECT_DEAF, s->net.nodes.at[near].ports.at[0], 1);
	c = scene_blame(s, "nic_ignores_pfc", SIGN_DROP);
	scene_blame_nic(s, c, near);
}

static void pause_nobody_into(struct scene *s, int to)
{
	int near = burst_from_near(s, to);
	struct culprit *c;

	if (near < 0)
		return;
	scene_effect(s, EFFECT_NO_PAUSE, port_into(s, near), 1);
	c = scene_blame(s, "pfc_disabled_port", SIGN_DROP);
	scene_blame_port(s, c, "switch_port_config", "at", port_into(s, near));
}

void fault_deaf(struct scene *s)
{
	mark_late(s);
	be_deaf_into(s, scene_any_nic(s));
}

void fault_no_pause(struct scene *s)
{
	mark_late(s);
	pause_nobody_into(s, scene_any_nic(s));
}

void fault_mixed(struct scene *s)
{
	int to = scene_any_nic(s), sender[SENDERS_MOST];
	int n = scene_senders(s, to, dice_int(&s->dice, 3, 6), sender, false);
	double each = s->shape.nic_gbps * dice_real(&s->dice, 0.5, 1.5) / (n ? n : 1);
	struct culprit *c =
		scene_blame(s, "mixed_traffic_on_rdma_priority", SIGN_MARK | SIGN_PAUSE);

	s->fits = s->fits && n >= 2;
	for (int i = 0; i < n; i++) {
		struct pk_flow *f = &s->net.flows.at[scene_stream(s, sender[i], to, false)];

		f->plain = true;
		f->limit = each;
	}
	scene_blame_nics(s, c, sender, n, to);
}

/* Everything that its NICs send goes on the lossy priority. */
void fault_wrong_dscp(struct scene *s)
{
	int server = scene_any_server(s);
	struct culprit *c = scene_blame(s, "wrong_dscp_marking", SIGN_LOSSY);

	scene_load(s, dice_int(&s->dice, 0, 1) ? LOAD_ALL_TO_ALL : LOAD_BOTH, 0.75);
	for (size_t i = 0; i < s->net.flows.n; i++)
		s->net.flows.at[i].lossy = s->net.nodes.at[s->net.flows.at[i].src].server == server;
	(void)str_printf(c->root, sizeof(c->root), "{\"type\":\"server\",\"server\":%d}", server);
	(void)str_printf(c->place, sizeof(c->place), "server%d", server);
	for (size_t i = 0; i < s->net.ports.n; i++)
		vec_push(&c->ports, (int)i);
	c->start_us = c->visible_us = 0;
}

/* ---- between switches ---- */

/* A stream whose way is over that egress; false: there is none. */
static bool stream_over(struct scene *s, int from, int to, int over)
{
	int port[PK_HOPS];

	for (int i = 0; i < 200; i++) {
		uint32_t key = dice_word(&s->dice);
		unsigned hops = route_find(&s->routes, &s->net, from, to, key, port);

		for (unsigned h = 0; h < hops; h++) {
			int flow;

			if (port[h] != over)
				continue;
			flow = scene_stream(s, from, to, true);
			s->net.flows.at[flow].key = key;
			return true;
		}
	}
	return false;
}

static int nics_of(const struct scene *s, int leaf, int *nic, int most)
{
	const struct pk_node *v = &s->net.nodes.at[leaf];
	int n = 0;

	for (size_t i = 0; i < v->ports.n && n < most; i++) {
		int node = s->net.ports.at[scene_peer(s, v->ports.at[i])].node;

		if (s->net.nodes.at[node].nic)
			nic[n++] = node;
	}
	return n;
}

/* Each NIC below a leaf sends to a NIC of its own elsewhere, and all of them over one uplink. */
void fault_collision(struct scene *s)
{
	int leaf = leaf_of(s, scene_any_nic(s)), up[32], nic[32];
	int ups = shape_up(&s->net, leaf, up, 32), n = nics_of(s, leaf, nic, 32);
	int over = ups ? up[dice_int(&s->dice, 0, ups - 1)] : -1, streams = 0;
	bool taken[1024] = {false};

	scene_load(s, LOAD_RING, 0.35);
	scene_settle(s);
	for (int i = 0; over >= 0 && i < n; i++) {
		int other[32], others = scene_senders(s, nic[i], 32, other, false);

		for (int k = 0; k < others; k++) {
			if (leaf_of(s, other[k]) == leaf || taken[other[k]])
				continue;
			if (stream_over(s, nic[i], other[k], over)) {
				taken[other[k]] = true;
				streams++;
				break;
			}
		}
	}
	if (ups < 2 || streams * s->shape.nic_gbps < 1.3 * s->shape.up_gbps) {
		s->fits = false;
		return;
	}
	route_all(&s->routes, &s->net);
	scene_blame_port(s, scene_blame(s, "ecmp_collision", SIGN_MARK | SIGN_PAUSE), "egress_port",
		"at", over);
}

/* Spines that hash as the leaves do use half of their links to the cores. */
void fault_polarization(struct scene *s)
{
	struct culprit *c = scene_blame(s, "ecmp_polarization", 0);

	s->fits = s->fits && s->shape.cores == 2 && s->shape.spines % 2 == 0;
	s->routes.same_hash = true;
	scene_load(s, dice_int(&s->dice, 0, 1) ? LOAD_RING : LOAD_ALL_TO_ALL, 0.75);
	for (size_t i = 0; i < s->net.flows.n; i++)
		s->net.flows.at[i].key = dice_word(&s->dice);
	route_all(&s->routes, &s->net);
	(void)str_copy(c->root, sizeof(c->root), "{\"type\":\"fabric\",\"at\":\"all spines\"}");
	(void)str_copy(c->place, sizeof(c->place), "all spines");
	c->start_us = c->visible_us = 0;
}

/* Several NICs behind one link from the spine are each sent what their line takes. */
void fault_incast_between(struct scene *s)
{
	int leaf = leaf_of(s, scene_any_nic(s)), up[4], nic[32], streams = 0;
	int n = nics_of(s, leaf, nic, 32), down;
	bool taken[1024] = {false};

	if (shape_up(&s->net, leaf, up, 4) != 1) {
		s->fits = false;
		return;
	}
	down = scene_peer(s, up[0]);
	for (int i = 0; i < n; i++) {
		int other[32], others = scene_senders(s, nic[i], 32, other, false);

		for (int k = 0; k < others; k++) {
			if (leaf_of(s, other[k]) == leaf || taken[other[k]])
				continue;
			taken[other[k]] = true;
			(void)scene_stream(s, other[k], nic[i], true);
			streams++;
			break;
		}
	}
	s->fits = s->fits && streams * s->shape.nic_gbps > 1.3 * s->shape.up_gbps;
	scene_blame_port(
		s, scene_blame(s, "incast", SIGN_MARK | SIGN_PAUSE), "egress_port", "at", down);
}

/* ---- two at once ---- */

/* An incast on one leaf; on another one packets are lost. */
void fault_incast_and_loss(struct scene *s)
{
	int to = scene_any_nic(s), other = scene_any_nic(s), sender[SENDERS_MOST];

	if (leaf_of(s, to) == leaf_of(s, other)) {
		s->fits = false;
		return;
	}
	(void)gather_into(s, to, 4, SENDERS_MOST, true, sender);
	scene_blame_port(s, scene_blame(s, "incast", SIGN_MARK | SIGN_PAUSE), "egress_port", "at",
		port_into(s, to));
	mark_late(s);
	if (dice_int(&s->dice, 0, 1))
		be_deaf_into(s, other);
	else
		pause_nobody_into(s, other);
}
