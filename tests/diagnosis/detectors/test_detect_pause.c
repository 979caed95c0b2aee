/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define LEAF   "leaf-r0-00:Ethernet0"
#define NIC    "node000:mlx5_0"
#define UPLINK "spine-000:Ethernet1/1"

static const struct finding *found(const struct stand *s, const char *id, const char *at)
{
	const struct finding *f = stand_found(s, id, at);

	if (!f) {
		stand_print(s);
		fail_msg("%s is not open at %s", id, at);
	}
	return f;
}

static bool refutes(const struct finding *f, enum finding_id id)
{
	for (size_t i = 0; i < f->refuted.n; i++)
		if (f->refuted.at[i].id == id)
			return true;
	return false;
}

static bool has_victim(const struct finding *f, uint32_t port)
{
	for (size_t i = 0; i < f->victims.n; i++)
		if (f->victims.at[i].at.port == port)
			return true;
	return false;
}

static unsigned pause_findings(const struct stand *s)
{
	return stand_count(s, "pfc.storm") + stand_count(s, "host.slow_receiver") +
	       stand_count(s, "host.pcie_bound") + stand_count(s, "pfc.deadlock") +
	       stand_count(s, "pfc.cycle") + stand_count(s, "pfc.unexplained") +
	       stand_count(s, "pfc.conservation");
}

/* The NIC takes half of the traffic sent to it, and the spine above is paused as well. */
static void slow_nic(struct stand *s)
{
	stand_hold(s, LEAF, 30);
	stand_load(s, LEAF, 45);
	stand_hold(s, UPLINK, 20);
	stand_rate(s, LEAF, CTR_ECN_MARKED_PACKETS, STAND_LOSSLESS, 5000);
}

CASE_WITH(test_slow_receiver, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	slow_nic(s);
	stand_poll(s, 1);
	assert_int_equal(pause_findings(s), 0);
	stand_poll(s, 1);
	f = found(s, "host.slow_receiver", NIC);
	assert_int_equal(f->peer.port, stand_port(s, LEAF));
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_int_equal(f->severity, SEV_CRIT);
	assert_true(f->confidence > 0.7F);
	assert_true(has_victim(f, stand_port(s, UPLINK)));
	assert_int_equal(f->nvictims, 1);
	assert_true(f->blame_gbps > 190 && f->blame_gbps < 210);
	assert_true(refutes(f, FIND_INCAST));
	assert_true(refutes(f, FIND_PFC_STORM));
	assert_true(stand_has_evidence(f, "pfc_rx_duration_us"));
	assert_int_equal(pause_findings(s), 1);
}

CASE_WITH(test_slow_receiver_in_one_phase_of_three, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	slow_nic(s);
	stand_poll(s, 1);
	stand_hold(s, LEAF, 0);
	stand_hold(s, UPLINK, 0);
	stand_poll(s, 2);
	assert_int_equal(pause_findings(s), 0);
	slow_nic(s);
	stand_poll(s, 1);
	(void)found(s, "host.slow_receiver", NIC);
}

CASE_WITH(test_slow_receiver_closes, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	slow_nic(s);
	stand_poll(s, 3);
	(void)found(s, "host.slow_receiver", NIC);
	stand_hold(s, LEAF, 0);
	stand_hold(s, UPLINK, 0);
	stand_poll(s, 8);
	assert_int_equal(pause_findings(s), 0);
}

CASE_WITH(test_a_little_pause_from_a_nic_is_normal, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, LEAF, 1.8);
	stand_load(s, LEAF, 60);
	stand_poll(s, 4);
	assert_int_equal(pause_findings(s), 0);
}

CASE_WITH(test_full_egress_that_is_barely_held_is_no_slow_receiver, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, LEAF, 3);
	stand_load(s, LEAF, 97);
	stand_hold(s, UPLINK, 40);
	stand_poll(s, 4);
	assert_int_equal(pause_findings(s), 0);
}

CASE_WITH(test_bus_that_stalls_both_ways, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	slow_nic(s);
	stand_gauge(s, NIC, CTR_PCI_STALLED_READ_PCT, 0, 35);
	stand_gauge(s, NIC, CTR_PCI_STALLED_WRITE_PCT, 0, 40);
	stand_poll(s, 3);
	f = found(s, "host.pcie_bound", NIC);
	assert_true(stand_has_evidence(f, "pci_stalled_read_pct"));
	assert_true(refutes(f, FIND_SLOW_RECEIVER));
	assert_int_equal(stand_count(s, "host.slow_receiver"), 0);
}

CASE_WITH(test_narrow_slot_is_the_bus, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	slow_nic(s);
	stand_number(s, NIC, ATTR_PCIE_MAX_WIDTH, 0, 16);
	stand_gauge(s, NIC, CTR_PCIE_WIDTH, 0, 8);
	stand_poll(s, 3);
	(void)found(s, "host.pcie_bound", NIC);
}

/* One operation over the eight NICs of rail 0: rank r sends to r + 1 in us[r]. */
static void operate(
	struct stand *s, const char *func, int64_t seq, const double *us, const double *credit)
{
	for (int rank = 0; rank < 8; rank++) {
		char host[16];
		struct obs *o;

		(void)snprintf(host, sizeof(host), "node%03d", rank);
		o = stand_batch(s, host);
		for (int kind = 0; kind < 2; kind++) {
			struct obs_nccl *r =
				obs_nccl(o, kind ? NCCL_EDGE : NCCL_OP, SOURCE_PROFILER);

			r->comm = obs_string(o, "0x9bd8b4c5a3b1e8f7");
			r->nic = obs_string(o, "mlx5_0");
			r->func = obs_string(o, func);
			r->rank = rank;
			r->nranks = 8;
			r->peer = kind ? (rank + 1) % 8 : -1;
			r->seq = seq;
			r->begin_us = s->now_us;
			r->end_us = s->now_us + 1000000;
			r->took_us = kind ? us[rank] : 1000000;
			if (kind && credit)
				r->credit_us = credit[rank];
		}
	}
}

static void ring(struct stand *s, int64_t seq, const double *us)
{
	operate(s, "AllReduce", seq, us, NULL);
}

CASE_WITH(test_nccl_tells_the_bus_from_a_slow_receiver, stand_setup, stand_teardown)
{
	static const double well[8] = {100, 100, 100, 100, 100, 100, 100, 100};
	static const double in[8] = {90, 100, 100, 100, 100, 100, 100, 900};
	static const double both[8] = {250, 100, 100, 100, 100, 100, 100, 700};
	struct stand *s = *state;
	const struct finding *f;
	int64_t seq = 0;

	slow_nic(s);
	for (int i = 0; i < 4; i++) {
		ring(s, seq++, i ? in : well);
		stand_poll(s, 1);
	}
	f = found(s, "host.slow_receiver", NIC);
	assert_true(stand_has_evidence(f, "NCCL step out of it"));
	assert_true(refutes(f, FIND_PCIE_BOUND));
	assert_int_equal(stand_count(s, "host.pcie_bound"), 0);
	for (int i = 0; i < 8; i++) {
		ring(s, seq++, both);
		stand_poll(s, 1);
	}
	f = found(s, "host.pcie_bound", NIC);
	assert_int_equal(f->role, ROLE_CULPRIT);
}

/*
 * A step that ends with its answer waits for it in the queue that the NIC pauses: then sending is
 * as slow as receiving, and nobody can tell.
 */
CASE_WITH(test_sending_that_waits_for_answers, stand_setup, stand_teardown)
{
	static const double alike[8] = {233, 100, 100, 100, 100, 100, 100, 250};
	struct stand *s = *state;
	const struct finding *f;

	slow_nic(s);
	for (int i = 0; i < 4; i++) {
		ring(s, i, alike);
		stand_poll(s, 1);
	}
	f = found(s, "host.slow_receiver", NIC);
	assert_int_equal(stand_count(s, "host.pcie_bound"), 0);
	assert_false(refutes(f, FIND_PCIE_BOUND));
	assert_non_null(strstr(f->title, "or PCIe limits it"));
}

/* The sender into it waits for its entry, and is no slower than the others: the bus still is. */
CASE_WITH(test_sending_that_is_slower_than_receiving, stand_setup, stand_teardown)
{
	static const double well[8] = {100, 100, 100, 100, 100, 100, 100, 100};
	static const double out[8] = {165, 100, 100, 100, 100, 100, 100, 90};
	struct stand *s = *state;

	slow_nic(s);
	for (int i = 0; i < 4; i++) {
		ring(s, i, i ? out : well);
		stand_poll(s, 1);
	}
	assert_int_equal(found(s, "host.pcie_bound", NIC)->role, ROLE_CULPRIT);
}

/* It leaves each operation last, and the rank before it waits for its entry into the next one. */
CASE_WITH(test_a_nic_that_is_awaited, stand_setup, stand_teardown)
{
	static const double alike[8] = {233, 100, 100, 100, 100, 100, 100, 250};
	static const double credit[8] = {0, 10, 0, 0, 5, 0, 10, 200};
	struct stand *s = *state;
	const struct finding *f;

	slow_nic(s);
	for (int i = 0; i < 4; i++) {
		operate(s, "AllReduce", i, alike, credit);
		stand_poll(s, 1);
	}
	f = found(s, "host.pcie_bound", NIC);
	assert_true(stand_has_evidence(f, "NCCL wait for its entry"));
	assert_int_equal(stand_count(s, "host.slow_receiver"), 0);
}

/* Its way is longer than the others', and always was: that tells nothing of the bus. */
CASE_WITH(test_a_long_way_is_no_slow_sending, stand_setup, stand_teardown)
{
	static const double well[8] = {132, 100, 100, 100, 100, 100, 100, 100};
	static const double in[8] = {140, 100, 100, 100, 100, 100, 100, 110};
	struct stand *s = *state;

	ring(s, 0, well);
	stand_poll(s, 1);
	slow_nic(s);
	for (int i = 1; i < 4; i++) {
		ring(s, i, in);
		stand_poll(s, 1);
	}
	(void)found(s, "host.slow_receiver", NIC);
	assert_int_equal(stand_count(s, "host.pcie_bound"), 0);
}

/* Each rank sends to all others: its time is no step from it to the next. */
CASE_WITH(test_steps_to_all_are_no_edges, stand_setup, stand_teardown)
{
	static const double out[8] = {250, 100, 100, 100, 100, 100, 100, 110};
	struct stand *s = *state;
	const struct finding *f;

	slow_nic(s);
	for (int i = 0; i < 4; i++) {
		operate(s, "AlltoAll", i, out, NULL);
		stand_poll(s, 1);
	}
	f = found(s, "host.slow_receiver", NIC);
	assert_false(stand_has_evidence(f, "NCCL step out of it"));
	assert_non_null(strstr(f->title, "or PCIe limits it"));
}

static void storm(struct stand *s)
{
	char port[40];

	stand_hold(s, LEAF, 100);
	stand_load(s, LEAF, 0);
	for (int i = 0; i < 4; i++) {
		(void)snprintf(port, sizeof(port), "spine-%03d:Ethernet1/1", i);
		stand_hold(s, port, 90);
		(void)snprintf(port, sizeof(port), "leaf-r0-01:Ethernet%d", 16 + 4 * i);
		stand_hold(s, port, 66);
		(void)snprintf(port, sizeof(port), "node%03d:mlx5_0", 4 + i);
		stand_hold(s, port, 99);
	}
}

CASE_WITH(test_storm, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	storm(s);
	stand_poll(s, 2);
	f = found(s, "pfc.storm", NIC);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_int_equal(f->nvictims, 12);
	assert_true(f->confidence > 0.7F);
	assert_true(refutes(f, FIND_INCAST) && refutes(f, FIND_SLOW_RECEIVER) &&
		    refutes(f, FIND_DEADLOCK));
	assert_int_equal(pause_findings(s), 1);
	assert_true(has_victim(f, stand_port(s, "node007:mlx5_0")));
}

CASE_WITH(test_storm_that_the_watchdog_stops, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_hold(s, LEAF, 100);
	stand_load(s, LEAF, 0);
	stand_word(s, LEAF, ATTR_PFCWD_STATE, STAND_LOSSLESS, "stormed");
	stand_rate(s, LEAF, CTR_PFCWD_DROPS, STAND_LOSSLESS, 10000);
	stand_poll(s, 2);
	f = found(s, "pfc.storm", NIC);
	assert_true(stand_has_evidence(f, "PFC watchdog"));
}

CASE_WITH(test_storm_that_the_nic_stopped_itself, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, NIC, CTR_PAUSE_STORM_ERRORS, 0, 0);
	stand_poll(s, 2);
	stand_rate(s, NIC, CTR_PAUSE_STORM_ERRORS, 0, 1);
	stand_poll(s, 2);
	(void)found(s, "pfc.storm", NIC);
}

CASE_WITH(test_heavy_pause_with_moving_bytes_is_no_storm, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, LEAF, 92);
	stand_load(s, LEAF, 7);
	stand_poll(s, 3);
	(void)found(s, "host.slow_receiver", NIC);
	assert_int_equal(stand_count(s, "pfc.storm"), 0);
}

CASE_WITH(test_dead_link_comes_first, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, LEAF, 100);
	stand_poll(s, 1);
	stand_link(s, LEAF, false);
	stand_poll(s, 3);
	assert_int_equal(pause_findings(s), 0);
}

static void frames_only(struct stand *s)
{
	stand_unsupported(s, LEAF, CTR_PFC_RX_DURATION_US, STAND_LOSSLESS);
	stand_unsupported(s, NIC, CTR_PFC_TX_DURATION_US, STAND_LOSSLESS);
}

CASE_WITH(test_frames_alone_accuse_nobody, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, LEAF, 20);
	frames_only(s);
	stand_poll(s, 4);
	assert_int_equal(pause_findings(s), 0);
}

CASE_WITH(test_frames_with_marks_are_enough, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	slow_nic(s);
	frames_only(s);
	stand_poll(s, 4);
	(void)found(s, "host.slow_receiver", NIC);
}

CASE_WITH(test_frames_of_a_storm, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	storm(s);
	frames_only(s);
	stand_poll(s, 4);
	(void)found(s, "pfc.storm", NIC);
}

CASE_WITH(test_host_that_nobody_polls, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_silent(s, "node000", true);
	stand_poll(s, 4);
	slow_nic(s);
	stand_poll(s, 4);
	f = found(s, "host.slow_receiver", NIC);
	assert_true(f->confidence > 0.7F);
}

CASE_WITH(test_reset_amid_the_fault_closes_nothing, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	slow_nic(s);
	stand_poll(s, 4);
	stand_add(s, LEAF, CTR_PFC_RX_DURATION_US, STAND_LOSSLESS, -1e6);
	stand_poll(s, 1);
	(void)found(s, "host.slow_receiver", NIC);
	stand_poll(s, 3);
	(void)found(s, "host.slow_receiver", NIC);
}

CASE_WITH(test_unexplained_names_the_device_that_holds, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_hold(s, UPLINK, 40);
	stand_hold(s, "spine-001:Ethernet1/1", 30);
	stand_poll(s, 3);
	f = found(s, "pfc.unexplained", "leaf-r0-00");
	assert_int_equal(f->members.n, 2);
	assert_int_equal(stand_count(s, "pfc.unexplained"), 1);
}

CASE_WITH(test_blind_device_is_below_a_cause, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;
	char node[16];

	stand_hold(s, UPLINK, 60);
	stand_silent(s, "leaf-r0-00", true);
	for (int i = 0; i < 4; i++) {
		(void)snprintf(node, sizeof(node), "node%03d", i);
		stand_silent(s, node, true);
	}
	stand_poll(s, 6);
	f = found(s, "pfc.unexplained", "leaf-r0-00");
	assert_true(f->confidence <= 0.6F);
}

static const char *const loop[] = {"leaf-r0-00:Ethernet16", "spine-000:Ethernet2/1",
	"leaf-r0-01:Ethernet20", "spine-001:Ethernet1/1"};

static void hold_loop(struct stand *s, double percent, double load)
{
	for (int i = 0; i < 4; i++) {
		stand_hold(s, loop[i], percent);
		stand_load(s, loop[i], load);
	}
}

CASE_WITH(test_deadlock_is_named_with_its_cycle, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	hold_loop(s, 100, 0);
	stand_hold(s, "node001:mlx5_0", 99);
	stand_poll(s, 4);
	f = found(s, "pfc.deadlock", loop[0]);
	assert_int_equal(f->members.n, 4);
	for (int i = 0; i < 4; i++)
		assert_int_equal(f->members.at[i].port, stand_port(s, loop[i]));
	assert_true(f->confidence > 0.9F);
	assert_int_equal(f->role, ROLE_CULPRIT);
	assert_true(refutes(f, FIND_PFC_STORM));
	assert_true(strstr(f->title, "leaf-r0-00 > spine-000 > leaf-r0-01 > spine-001") != NULL);
	assert_true(has_victim(f, stand_port(s, "node001:mlx5_0")));
	assert_int_equal(stand_count(s, "pfc.cycle"), 0);
	assert_int_equal(f->peer.port, f->members.at[1].port);
}

/* Polls that drift against the refreshes of the counters: half of a second's growth, then more. */
CASE_WITH(a_deadlock_does_not_end_by_a_half_sample, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	hold_loop(s, 100, 0);
	stand_poll(s, 4);
	for (unsigned i = 0; i < 12; i++) {
		for (unsigned k = 0; k < 4; k++)
			stand_hold(s, loop[k], (i + k) % 2 ? 100 : 52);
		stand_poll(s, 1);
		assert_int_equal(finding_ended_us(found(s, "pfc.deadlock", loop[0])), 0);
	}
	/* Half of the time paused for good, or bytes that move: that is none. */
	hold_loop(s, 52, 0);
	stand_poll(s, 12);
	assert_int_equal(stand_count(s, "pfc.deadlock"), 0);
}

CASE_WITH(test_cycle_with_progress_names_its_trigger, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	hold_loop(s, 40, 30);
	stand_hold(s, "node001:mlx5_0", 30);
	stand_hold(s, "node002:mlx5_0", 50);
	stand_poll(s, 4);
	f = found(s, "pfc.cycle", loop[0]);
	assert_int_equal(f->peer.port, stand_port(s, loop[1]));
	assert_true(stand_has_evidence(f, "trigger"));
	assert_true(refutes(f, FIND_DEADLOCK));
	assert_int_equal(stand_count(s, "pfc.deadlock"), 0);
}

CASE_WITH(test_pause_that_is_sent_and_not_received, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_hold(s, LEAF, 60);
	stand_rate(s, LEAF, CTR_PFC_RX_DURATION_US, STAND_LOSSLESS, 0);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "pfc.conservation"), 0);
	stand_poll(s, 2);
	f = found(s, "pfc.conservation", LEAF);
	assert_int_equal(f->peer.port, stand_port(s, NIC));
	assert_int_equal(f->role, ROLE_RISK);
}

CASE_WITH(test_pause_within_tolerance_is_conserved, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, UPLINK, 60);
	stand_rate(s, UPLINK, CTR_PFC_RX_DURATION_US, STAND_LOSSLESS, 450000);
	stand_poll(s, 6);
	assert_int_equal(stand_count(s, "pfc.conservation"), 0);
}

CASES_MAIN(NULL, NULL)
