/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

static const struct pause_node *node(const struct stand *s, const char *port)
{
	return pause_node_of(diag_pauses(s->d), stand_port(s, port));
}

static const struct pause_node *first_terminal(const struct stand *s)
{
	const struct pause_graph *g = diag_pauses(s->d);

	assert_true(g->terminals.n > 0);
	return &g->nodes.at[g->terminals.at[0]];
}

static void assert_terminal(const struct stand *s, const char *port, enum pause_end end)
{
	const struct pause_node *n = first_terminal(s);

	assert_int_equal(n->port, stand_port(s, port));
	assert_string_equal(pause_end_name((enum pause_end)n->end), pause_end_name(end));
	assert_true(n->blame_bps > 0);
}

/* All that is lost is absorbed somewhere, and weights of a node are shares. */
static void assert_sound(const struct stand *s)
{
	const struct pause_graph *g = diag_pauses(s->d);
	double lost = 0, blame = 0;

	for (size_t i = 0; i < g->nodes.n; i++) {
		const struct pause_node *n = &g->nodes.at[i];

		lost += (double)n->lost_bps * (n->bound ? 0.1 : 1);
		blame += (double)n->blame_bps;
		assert_true(n->root < g->nodes.n && n->toward < g->nodes.n);
	}
	assert_true(fabs(lost - blame) <= lost * 1e-4);
	for (size_t i = 0; i < g->edges.n; i++) {
		double sum = 0;

		for (size_t k = 0; k < g->edges.n; k++)
			if (g->edges.at[k].from == g->edges.at[i].from)
				sum += (double)g->edges.at[k].weight;
		assert_true(fabs(sum - 1) < 1e-4);
	}
}

static void grow_queue(struct stand *s, const char *port)
{
	stand_add(s, port, CTR_QUEUE_WATERMARK_BYTES, STAND_LOSSLESS, 2e6);
}

/* node004 to node007 and node001 send to node000: up, over spine-000 and -001, down. */
static void incast(struct stand *s)
{
	static const char *const uplinks[] = {"leaf-r0-01:Ethernet16", "leaf-r0-01:Ethernet20"};

	stand_load(s, "leaf-r0-00:Ethernet0", 100);
	stand_hold(s, "spine-000:Ethernet1/1", 45);
	stand_hold(s, "spine-001:Ethernet1/1", 40);
	stand_load(s, "spine-000:Ethernet1/1", 50);
	stand_load(s, "spine-001:Ethernet1/1", 50);
	for (int i = 0; i < 2; i++)
		stand_hold(s, uplinks[i], 30);
	stand_hold(s, "node004:mlx5_0", 20);
	stand_hold(s, "node001:mlx5_0", 25);
}

CASE_WITH(test_quiet_fabric_has_no_graph, stand_setup, stand_teardown)
{
	const struct pause_graph *g = diag_pauses(((struct stand *)*state)->d);

	assert_int_equal(g->nodes.n, 0);
	assert_int_equal(g->terminals.n, 0);
	assert_null(pause_node_of(g, 0));
}

CASE_WITH(test_incast_is_blamed_on_the_full_egress, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);
	size_t n;

	incast(s);
	grow_queue(s, "leaf-r0-00:Ethernet0");
	stand_poll(s, 1);
	assert_sound(s);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_CONTENTION);
	assert_int_equal(g->terminals.n, 1);
	assert_int_equal(g->held, 6);
	assert_int_equal(node(s, "spine-000:Ethernet1/1")->end, PAUSE_INNER);
	assert_int_equal(node(s, "spine-000:Ethernet1/1")->depth, 1);
	assert_int_equal(node(s, "leaf-r0-01:Ethernet16")->depth, 2);
	assert_int_equal(node(s, "node004:mlx5_0")->depth, 3);
	(void)pause_graph_upstream(g, g->terminals.at[0], &n);
	assert_int_equal(n, 6);
}

CASE_WITH(test_incast_without_queue_counters, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	incast(s);
	stand_poll(s, 2);
	assert_sound(s);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_CONTENTION);
}

CASE_WITH(test_busy_link_with_a_short_queue_is_no_terminal, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	incast(s);
	stand_load(s, "leaf-r0-00:Ethernet4", 97);
	stand_gauge(s, "leaf-r0-00:Ethernet4", CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 1000);
	stand_poll(s, 2);
	assert_int_equal(diag_pauses(s->d)->terminals.n, 1);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_CONTENTION);
}

CASE_WITH(test_slow_nic_is_the_terminal, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, "leaf-r0-00:Ethernet0", 30);
	stand_load(s, "leaf-r0-00:Ethernet0", 40);
	stand_hold(s, "spine-000:Ethernet1/1", 60);
	stand_poll(s, 2);
	assert_sound(s);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_NIC);
	assert_int_equal(
		node(s, "spine-000:Ethernet1/1")->root, diag_pauses(s->d)->terminals.at[0]);
}

CASE_WITH(test_storm_up_to_the_far_hosts, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char port[40];

	stand_hold(s, "leaf-r0-00:Ethernet0", 100);
	stand_load(s, "leaf-r0-00:Ethernet0", 0);
	for (int i = 0; i < 4; i++) {
		(void)snprintf(port, sizeof(port), "spine-%03d:Ethernet1/1", i);
		stand_hold(s, port, 80 + i);
		(void)snprintf(port, sizeof(port), "leaf-r0-01:Ethernet%d", 16 + 4 * i);
		stand_hold(s, port, 60);
		(void)snprintf(port, sizeof(port), "node%03d:mlx5_0", 4 + i);
		stand_hold(s, port, 99);
	}
	stand_poll(s, 2);
	assert_sound(s);
	assert_int_equal(diag_pauses(s->d)->terminals.n, 1);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_NIC);
	assert_int_equal(node(s, "node007:mlx5_0")->depth, 3);
}

CASE_WITH(test_two_culprits_share_the_blame, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	stand_hold(s, "leaf-r0-00:Ethernet0", 50);
	stand_hold(s, "leaf-r0-00:Ethernet4", 10);
	stand_hold(s, "spine-000:Ethernet1/1", 60);
	stand_hold(s, "leaf-r1-00:Ethernet0", 5);
	stand_poll(s, 2);
	assert_sound(s);
	assert_int_equal(g->terminals.n, 3);
	assert_int_equal(
		g->nodes.at[g->terminals.at[0]].port, stand_port(s, "leaf-r0-00:Ethernet0"));
	assert_int_equal(
		g->nodes.at[g->terminals.at[2]].port, stand_port(s, "leaf-r1-00:Ethernet0"));
	assert_true(g->nodes.at[g->terminals.at[1]].blame_bps > 40e9F);
}

CASE_WITH(test_nothing_full_is_unexplained, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, "spine-000:Ethernet1/1", 40);
	stand_poll(s, 2);
	assert_terminal(s, "spine-000:Ethernet1/1", PAUSE_UNEXPLAINED);
}

CASE_WITH(test_silent_leaf_is_seen_through_its_neighbours, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, "leaf-r0-00:Ethernet0", 70);
	stand_hold(s, "spine-000:Ethernet1/1", 60);
	stand_silent(s, "leaf-r0-00", true);
	stand_poll(s, 4);
	assert_sound(s);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_NIC);
}

CASE_WITH(test_silent_leaf_with_nothing_around_is_blind, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char node[16];

	stand_hold(s, "spine-000:Ethernet1/1", 60);
	stand_silent(s, "leaf-r0-00", true);
	for (int i = 0; i < 4; i++) {
		(void)snprintf(node, sizeof(node), "node%03d", i);
		stand_silent(s, node, true);
	}
	stand_poll(s, 4);
	assert_terminal(s, "spine-000:Ethernet1/1", PAUSE_BLIND);
}

CASE_WITH(test_frames_only_are_a_bound, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, "leaf-r0-00:Ethernet0", 50);
	stand_unsupported(s, "leaf-r0-00:Ethernet0", CTR_PFC_RX_DURATION_US, STAND_LOSSLESS);
	stand_poll(s, 2);
	/* The NIC's own time is better than the frames of the leaf. */
	assert_false(node(s, "leaf-r0-00:Ethernet0")->bound);
	assert_true(fabsf(node(s, "leaf-r0-00:Ethernet0")->held - 0.5F) < 0.01F);
	stand_unsupported(s, "node000:mlx5_0", CTR_PFC_TX_DURATION_US, STAND_LOSSLESS);
	stand_poll(s, 2);
	assert_true(node(s, "leaf-r0-00:Ethernet0")->bound);
	assert_true(first_terminal(s)->blame_bps <= 40e9F);
}

CASE_WITH(test_reset_drops_the_node_for_a_poll_and_keeps_its_onset, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	int64_t since;

	stand_hold(s, "leaf-r0-00:Ethernet0", 50);
	stand_poll(s, 3);
	since = node(s, "leaf-r0-00:Ethernet0")->since_us;
	stand_add(s, "leaf-r0-00:Ethernet0", CTR_PFC_RX_DURATION_US, STAND_LOSSLESS, -5e6);
	stand_add(s, "node000:mlx5_0", CTR_PFC_TX_DURATION_US, STAND_LOSSLESS, -5e6);
	stand_poll(s, 1);
	assert_null(node(s, "leaf-r0-00:Ethernet0"));
	stand_poll(s, 2);
	assert_non_null(node(s, "leaf-r0-00:Ethernet0"));
	assert_true(node(s, "leaf-r0-00:Ethernet0")->since_us == since);
}

/* leaf-r0-00 up to spine-000, down to leaf-r0-01, up to spine-001, down to leaf-r0-00. */
static const char *const loop[] = {"leaf-r0-00:Ethernet16", "spine-000:Ethernet2/1",
	"leaf-r0-01:Ethernet20", "spine-001:Ethernet1/1"};

static void hold_loop(struct stand *s, double percent, double load)
{
	for (int i = 0; i < 4; i++) {
		stand_hold(s, loop[i], percent);
		stand_load(s, loop[i], load);
	}
}

CASE_WITH(test_deadlock_is_a_hard_cycle, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	hold_loop(s, 100, 0);
	stand_hold(s, "node000:mlx5_0", 99);
	stand_poll(s, 3);
	assert_sound(s);
	assert_int_equal(g->cycles.n, 1);
	assert_true(g->cycles.at[0].hard);
	assert_int_equal(g->cycles.at[0].nodes.n, 4);
	for (int i = 0; i < 4; i++) {
		const struct pause_node *n = node(s, loop[i]);

		assert_int_equal(n->end, PAUSE_CYCLE);
		assert_int_equal(n->cycle, 1);
		assert_int_equal(g->nodes.at[n->toward].port, stand_port(s, loop[(i + 1) % 4]));
	}
	assert_int_equal(g->terminals.n, 1);
	assert_int_equal(node(s, "node000:mlx5_0")->end, PAUSE_INNER);
}

CASE_WITH(test_cycle_with_moving_bytes_is_soft, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	hold_loop(s, 40, 30);
	stand_poll(s, 3);
	assert_int_equal(g->cycles.n, 1);
	assert_false(g->cycles.at[0].hard);
}

CASE_WITH(test_deadlock_needs_two_samples, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	hold_loop(s, 100, 0);
	stand_poll(s, 1);
	assert_int_equal(g->cycles.n, 1);
	assert_false(g->cycles.at[0].hard);
	stand_poll(s, 1);
	assert_true(g->cycles.at[0].hard);
}

CASE_WITH(test_deadlock_by_frames_alone, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	hold_loop(s, 100, 0);
	for (int i = 0; i < 4; i++) {
		const struct port *peer = port_peer(s->m, stand_port_of(s, loop[i]), NULL);
		char name[2 * NAME_MAX_LEN];

		(void)snprintf(
			name, sizeof(name), "%s:%s", model_dev_of(s->m, peer)->name, peer->name);
		stand_unsupported(s, loop[i], CTR_PFC_RX_DURATION_US, STAND_LOSSLESS);
		stand_unsupported(s, name, CTR_PFC_TX_DURATION_US, STAND_LOSSLESS);
	}
	stand_poll(s, 3);
	assert_int_equal(g->cycles.n, 1);
	assert_true(g->cycles.at[0].hard);
}

CASE_WITH(test_empty_queue_is_no_deadlock, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	hold_loop(s, 100, 0);
	stand_gauge(s, loop[2], CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 0);
	stand_poll(s, 3);
	assert_int_equal(g->cycles.n, 1);
	assert_false(g->cycles.at[0].hard);
}

CASE_WITH(test_storm_that_feeds_a_loop_comes_first, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	hold_loop(s, 100, 0);
	stand_hold(s, "leaf-r0-00:Ethernet0", 100);
	stand_load(s, "leaf-r0-00:Ethernet0", 0);
	stand_poll(s, 3);
	assert_sound(s);
	assert_terminal(s, "leaf-r0-00:Ethernet0", PAUSE_NIC);
	assert_int_equal(g->cycles.n, 0);
	/* The NIC has stopped, and nothing moves: the loop holds itself. */
	stand_hold(s, "leaf-r0-00:Ethernet0", 0);
	stand_poll(s, 2);
	assert_int_equal(g->cycles.n, 1);
	assert_true(g->cycles.at[0].hard);
}

CASE_WITH(test_other_priority_does_not_explain, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct pause_graph *g = diag_pauses(s->d);

	s->m->lossless.priorities = 1U << 3 | 1U << 4;
	stand_hold(s, "spine-000:Ethernet1/1", 40);
	stand_rate(s, "leaf-r0-00:Ethernet0", CTR_PFC_RX_DURATION_US, 4, 900000);
	stand_rate(s, "node000:mlx5_0", CTR_PFC_TX_DURATION_US, 4, 900000);
	stand_poll(s, 2);
	assert_int_equal(node(s, "leaf-r0-00:Ethernet0")->priority, 4);
	assert_int_equal(node(s, "leaf-r0-00:Ethernet0")->end, PAUSE_NIC);
	assert_int_equal(node(s, "spine-000:Ethernet1/1")->end, PAUSE_UNEXPLAINED);
	assert_int_equal(g->terminals.n, 2);
	/* Now that port is held at 3 as well: two nodes of one port. */
	stand_hold(s, "leaf-r0-00:Ethernet0", 20);
	stand_poll(s, 2);
	assert_int_equal(node(s, "spine-000:Ethernet1/1")->end, PAUSE_INNER);
	assert_int_equal(g->held, 3);
}

CASES_MAIN(NULL, NULL)
