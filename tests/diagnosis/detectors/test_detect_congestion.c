/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

/* A leaf egress towards a NIC that is full, and the possible causes. */

#define HOT "leaf-r0-00:Ethernet0"
#define NIC "node000:mlx5_0"

/* 400G of 4 KB packets are about 12 million a second; the share is of those. */
static void fill(struct stand *s, const char *port, double load, double marked)
{
	stand_load(s, port, load);
	stand_rate(s, port, CTR_QUEUE_TX_PACKETS, STAND_LOSSLESS, load * 120e3);
	stand_rate(s, port, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, load * 120e3 * marked);
}

static void hold_senders(struct stand *s)
{
	stand_hold(s, "node001:mlx5_0", 20);
	stand_hold(s, "node002:mlx5_0", 20);
	stand_hold(s, "node003:mlx5_0", 20);
}

CASE_WITH(test_incast_is_at_the_full_egress, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	fill(s, HOT, 97, 0.1);
	hold_senders(s);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 5000);
	stand_poll(s, 3);
	f = stand_found(s, "congestion.incast", HOT);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_true(stand_has_evidence(f, "load sent"));
	assert_int_equal(stand_count(s, "congestion.ecn_off"), 0);
	assert_int_equal(stand_count(s, "congestion.incast"), 1);
}

CASE_WITH(test_a_busy_egress_that_hardly_marks_is_fine, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 80, 0.0001);
	stand_poll(s, 4);
	stand_expect_innocent(s);
}

CASE_WITH(test_a_held_egress_is_no_incast, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 70, 0.1);
	stand_hold(s, HOT, 25);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
}

CASE_WITH(test_one_burst_is_no_incast, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 97, 0.1);
	stand_poll(s, 1);
	fill(s, HOT, 10, 0);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
}

CASE_WITH(test_a_queue_that_does_not_mark, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 97, 0);
	for (int i = 0; i < 3; i++) {
		stand_gauge(s, HOT, CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 4e6);
		/* Others do: it is not the policy of this fabric. */
		stand_rate(s, "leaf-r1-00:Ethernet0", CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 500);
		stand_poll(s, 1);
	}
	assert_non_null(stand_found(s, "congestion.ecn_off", HOT));
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
}

CASE_WITH(test_no_marks_anywhere_is_policy, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 97, 0);
	stand_gauge(s, HOT, CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 4e6);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.ecn_off"), 0);
}

CASE_WITH(test_a_receiver_that_sends_no_cnps, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 97, 0.1);
	stand_rate(s, NIC, CTR_ECN_MARKED_ROCE_PACKETS, 0, 5000);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 0);
	stand_rate(s, "node005:mlx5_0", CTR_CNP_SENT, 0, 100);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "congestion.cnp_off", NIC));
}

CASE_WITH(test_senders_that_ignore_cnps, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 97, 0.3);
	stand_rate(s, "node001:mlx5_0", CTR_CNP_IGNORED, 0, 1000);
	stand_rate(s, "node002:mlx5_0", CTR_CNP_IGNORED, 0, 1000);
	stand_rate(s, "node003:mlx5_0", CTR_CNP_IGNORED, 0, 1000);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "congestion.cc_off", HOT));
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
}

/* The packets come in marked, by egresses before this one: the NIC counts them, the egress not. */
CASE_WITH(test_senders_that_only_pauses_slow_down, stand_setup, stand_teardown)
{
	static const char *const sender[] = {"node001:mlx5_0", "node002:mlx5_0", "node003:mlx5_0"};
	struct stand *s = *state;

	fill(s, HOT, 99, 0);
	stand_hold(s, HOT, 0);
	hold_senders(s);
	for (size_t i = 0; i < 3; i++) {
		stand_load(s, sender[i], 33);
		stand_rate(s, sender[i], CTR_CNP_HANDLED, 0, 1000);
	}
	stand_rate(s, NIC, CTR_RX_PACKETS, 0, 12e6);
	stand_rate(s, NIC, CTR_ECN_MARKED_ROCE_PACKETS, 0, 1.2e6);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 3000);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
	stand_rate(s, NIC, CTR_ECN_MARKED_ROCE_PACKETS, 0, 12e6);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 1);
	assert_int_equal(stand_found(s, "congestion.cc_off", HOT)->members.n, 3);
}

#define SENDERS 6

/* Six NICs that are paused half of the time and send percent of their speed. */
static void hold_six(struct stand *s, double percent)
{
	static const char *const sender[SENDERS] = {"node001:mlx5_0", "node002:mlx5_0",
		"node003:mlx5_0", "node004:mlx5_0", "node005:mlx5_0", "node006:mlx5_0"};

	for (size_t i = 0; i < SENDERS; i++) {
		stand_hold(s, sender[i], 50);
		stand_load(s, sender[i], percent);
		stand_rate(s, sender[i], CTR_CNP_HANDLED, 0, 1000);
	}
	stand_hold(s, HOT, 0);
}

/* Pauses keep the queue below Kmax, so few packets are marked: the senders tell all the same. */
CASE_WITH(test_unslowed_senders_at_a_queue_that_marks_little, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 99, 0.1);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 3000);
	hold_six(s, 45);
	stand_poll(s, 6);
	assert_non_null(stand_found(s, "congestion.cc_off", HOT));
}

/* Against many senders the queue stays above Kmax for long: they slow down, so DCQCN works. */
CASE_WITH(test_slowed_senders_at_a_queue_that_marks_all, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 99, 0.98);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 3000);
	hold_six(s, 8);
	for (int i = 0; i < 6; i++) {
		stand_gauge(s, HOT, CTR_QUEUE_DEPTH_BYTES, STAND_LOSSLESS, 4e6);
		stand_poll(s, 1);
	}
	/* The counters do not tell whether that is their number, or that they have none. */
	assert_non_null(strstr(stand_found(s, "congestion.incast", HOT)->title, "no DCQCN: 9"));
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
}

/* A burst begins at full speed, and DCQCN takes its time: half of the speed between pauses is left
 * after one poll. */
CASE_WITH(test_senders_that_slow_down_after_a_burst, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 99, 0.5);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 3000);
	hold_six(s, 28);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
	hold_six(s, 8);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
	assert_non_null(stand_found(s, "congestion.incast", HOT));
}

/* Bursts of two polls: no NIC with DCQCN sends at full speed for so long while CNPs arrive. */
CASE_WITH(test_bursts_of_senders_that_never_slow_down, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (int burst = 0; burst < 2; burst++) {
		fill(s, HOT, 99, 0.9);
		stand_rate(s, NIC, CTR_CNP_SENT, 0, 3000);
		hold_six(s, 45);
		stand_poll(s, 3);
		fill(s, HOT, 5, 0);
		hold_six(s, 5);
		stand_poll(s, 1);
	}
	assert_non_null(stand_found(s, "congestion.cc_off", HOT));
}

static void burst(struct stand *s)
{
	fill(s, HOT, 99, 0.9);
	stand_rate(s, NIC, CTR_CNP_SENT, 0, 3000);
	hold_six(s, 45);
	stand_poll(s, 2);
	fill(s, HOT, 5, 0);
	hold_six(s, 5);
	stand_poll(s, 3);
}

/* Each burst is over before a finding of two samples opens: two bursts are proof for the third. */
CASE_WITH(test_short_bursts_of_senders_that_never_slow_down, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	burst(s);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
	burst(s);
	burst(s);
	assert_non_null(stand_found(s, "congestion.cc_off", HOT));
}

/* What was seen more than a minute ago proves nothing of today's senders. */
CASE_WITH(test_old_bursts_are_no_proof, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	burst(s);
	burst(s);
	stand_poll(s, 14);
	fill(s, HOT, 99, 0.5);
	hold_six(s, 8);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
	assert_non_null(stand_found(s, "congestion.incast", HOT));
}

CASE_WITH(test_what_a_nic_dammed_up_is_no_incast, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 0, 0);
	stand_hold(s, HOT, 100);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "pfc.storm"), 1);
	/* The pause ends, and the backlog comes at line rate. */
	stand_hold(s, HOT, 0);
	fill(s, HOT, 97, 0.1);
	stand_rate(s, NIC, CTR_RX_PRIO_BYTES, STAND_LOSSLESS, 48e9);
	stand_rate(s, NIC, CTR_RDMA_RX_BYTES, 0, 20e9);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.mixed_traffic"), 0);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
	/* A load that goes on for longer is not a backlog. */
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.mixed_traffic"), 1);
}

static void ignore_cnps(struct stand *s, double rate)
{
	stand_rate(s, "node001:mlx5_0", CTR_CNP_IGNORED, 0, rate);
	stand_rate(s, "node002:mlx5_0", CTR_CNP_IGNORED, 0, rate);
	stand_rate(s, "node003:mlx5_0", CTR_CNP_IGNORED, 0, rate);
}

CASE_WITH(test_cnps_are_ignored_in_one_phase_of_three, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	ignore_cnps(s, 200);
	stand_poll(s, 1);
	ignore_cnps(s, 0);
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "congestion.cc_off"), 0);
	ignore_cnps(s, 200);
	stand_poll(s, 1);
	f = stand_found(s, "congestion.cc_off", "cluster");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_int_equal(f->members.n, 3);
}

CASE_WITH(test_other_traffic_on_the_class, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	fill(s, HOT, 97, 0.1);
	stand_rate(s, NIC, CTR_RX_PRIO_BYTES, STAND_LOSSLESS, 48e9);
	stand_rate(s, NIC, CTR_RDMA_RX_BYTES, 0, 20e9);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "congestion.mixed_traffic", HOT));
}

CASE_WITH(test_an_even_load_silences_incast, stand_setup, stand_teardown)
{
	static const char *const hot[] = {"leaf-r0-00:Ethernet0", "leaf-r0-00:Ethernet4",
		"leaf-r0-00:Ethernet8", "leaf-r0-00:Ethernet12", "leaf-r0-01:Ethernet0",
		"leaf-r0-01:Ethernet4", "leaf-r0-01:Ethernet8", "leaf-r0-01:Ethernet12"};
	struct stand *s = *state;
	const struct finding *f;

	for (size_t i = 0; i < sizeof(hot) / sizeof(hot[0]); i++)
		fill(s, hot[i], 90, 0.1);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
	f = stand_found(s, "congestion.workload", "cluster");
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_INFO);
	/* Its last poll: fewer are hot, and still nobody is to blame. */
	for (size_t i = 1; i < sizeof(hot) / sizeof(hot[0]); i++)
		fill(s, hot[i], 10, 0);
	stand_poll(s, 2);
	assert_int_equal(stand_count(s, "congestion.incast"), 0);
}

CASE_WITH(test_drops_without_a_pause, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, HOT, CTR_PG_DROPS, STAND_LOSSLESS, 500);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "pfc.off", HOT));
	assert_int_equal(stand_count(s, "pfc.ignored"), 0);
}

CASE_WITH(test_drops_with_a_pause, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, HOT, CTR_PG_DROPS, STAND_LOSSLESS, 500);
	stand_hold(s, NIC, 30);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "pfc.ignored", NIC));
	assert_int_equal(stand_count(s, "pfc.off"), 0);
}

CASE_WITH(test_the_deaf_nic_stands_before_the_incast, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *incast, *deaf;

	fill(s, "leaf-r0-00:Ethernet4", 97, 0.1);
	stand_rate(s, HOT, CTR_PG_DROPS, STAND_LOSSLESS, 500);
	stand_hold(s, NIC, 30);
	stand_poll(s, 3);
	deaf = stand_found(s, "pfc.ignored", NIC);
	incast = stand_found(s, "congestion.incast", "leaf-r0-00:Ethernet4");
	assert_true(deaf && incast);
	assert_int_equal(deaf->role, ROLE_CULPRIT);
	/* The queue is real: it stays, behind the NIC that loses packets. */
	assert_int_equal(incast->role, ROLE_CULPRIT);
	assert_true(deaf->rank > incast->rank);
}

CASE_WITH(test_many_that_drop_are_not_one_deaf_nic, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, HOT, CTR_PG_DROPS, STAND_LOSSLESS, 500);
	stand_rate(s, "leaf-r0-00:Ethernet4", CTR_PG_DROPS, STAND_LOSSLESS, 500);
	stand_hold(s, NIC, 30);
	stand_hold(s, "node001:mlx5_0", 30);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "pfc.ignored"), 0);
}

CASE_WITH(test_rdma_on_a_lossy_priority, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (unsigned i = 0; i < 8; i++) {
		static const char *const nic[] = {"node000:mlx5_0", "node001:mlx5_0",
			"node002:mlx5_0", "node003:mlx5_0", "node004:mlx5_0", "node005:mlx5_0",
			"node006:mlx5_0", "node007:mlx5_0"};

		stand_rate(s, nic[i], CTR_QUEUE_TX_BYTES, STAND_LOSSLESS, i ? 4e9 : 0);
		stand_rate(s, nic[i], CTR_QUEUE_TX_BYTES, 0, i ? 0 : 4e9);
	}
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "qos.wrong_dscp", NIC));
	assert_int_equal(stand_count(s, "qos.wrong_dscp"), 1);
}

CASES_MAIN(NULL, NULL)
