/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about watchdogs, drops, optics and hosts, on a fabric that is polled by hand. */
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define LEAF    "leaf-r0-00:Ethernet16"
#define SPINE   "spine-000:Ethernet1/1"
#define NIC     "node000:mlx5_0"
#define HOST    "leaf-r0-00:Ethernet0"
#define HOST_P3 "leaf-r0-00:Ethernet0:3"
#define P3      STAND_LOSSLESS

/* ---- watchdog ---- */

CASE_WITH(a_watchdog_that_acts_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, HOST, 100);
	stand_add(s, HOST, CTR_PFCWD_STORM_DETECTED, P3, 1);
	stand_word(s, HOST, ATTR_PFCWD_STATE, P3, "stormed");
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "pfc.watchdog_fired", HOST_P3));
	stand_poll(s, 2);
	assert_null(stand_found(s, "pfc.watchdog_misfire", HOST_P3));
}

CASE_WITH(a_watchdog_that_never_let_go_is_stuck, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_hold(s, HOST, 100);
	stand_add(s, HOST, CTR_PFCWD_STORM_DETECTED, P3, 1);
	stand_word(s, HOST, ATTR_PFCWD_STATE, P3, "stormed");
	stand_poll(s, 3);
	f = stand_found(s, "pfc.watchdog_fired", HOST_P3);
	assert_null(strstr(f->title, "stuck"));
	stand_hold(s, HOST, 0);
	stand_poll(s, 3);
	f = stand_found(s, "pfc.watchdog_fired", HOST_P3);
	assert_non_null(strstr(f->title, "stuck"));
	assert_string_equal(f->command, "railtop act pfcwd-reset " HOST);
}

CASE_WITH(a_watchdog_that_acts_on_congestion_misfires, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, HOST, 40);
	stand_rate(s, HOST, CTR_PFCWD_STORM_DETECTED, P3, 1);
	stand_rate(s, HOST, CTR_PFCWD_STORM_RESTORED, P3, 1);
	stand_poll(s, 4);
	assert_non_null(stand_found(s, "pfc.watchdog_misfire", HOST_P3));
	assert_true(stand_found(s, "pfc.watchdog_fired", HOST_P3)->role == ROLE_SYMPTOM);
}

CASE_WITH(the_first_sample_of_a_storm_is_no_misfire, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, HOST, 50);
	stand_add(s, HOST, CTR_PFCWD_STORM_DETECTED, P3, 1);
	stand_poll(s, 1);
	stand_hold(s, HOST, 100);
	stand_add(s, HOST, CTR_PFCWD_STORM_DETECTED, P3, 1);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "pfc.watchdog_misfire"), 0);
}

CASE_WITH(a_watchdog_that_sleeps_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_number(s, HOST, ATTR_PFCWD_DETECT_MS, P3, 200);
	stand_hold(s, HOST, 100);
	stand_poll(s, 4);
	assert_non_null(stand_found(s, "pfc.watchdog_silent", "leaf-r0-00"));
	assert_int_equal(stand_found(s, "pfc.watchdog_silent", NULL)->members.n, 1);
	/* It did not begin it. */
	assert_int_equal(stand_found(s, "pfc.watchdog_silent", NULL)->role, ROLE_RISK);
}

CASE_WITH(a_watchdog_without_a_storm_does_not_sleep, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, HOST, 60);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "pfc.watchdog_silent"), 0);
}

CASE_WITH(ports_without_a_watchdog_are_one_risk_a_device, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_word(s, HOST, ATTR_PFCWD_STATE, P3, "off");
	stand_word(s, LEAF, ATTR_PFCWD_STATE, P3, "off");
	stand_poll(s, 1);
	f = stand_found(s, "pfc.watchdog_missing", "leaf-r0-00");
	assert_non_null(f);
	assert_int_equal(stand_count(s, "pfc.watchdog_missing"), 1);
	assert_int_equal(f->members.n, 2);
	assert_int_equal(f->role, ROLE_RISK);
	stand_expect_innocent(s);
}

CASE_WITH(a_port_without_pfc_needs_no_watchdog, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_word(s, HOST, ATTR_PFCWD_STATE, P3, "off");
	stand_number(s, HOST, ATTR_PFC_ENABLED, 0, 0);
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "pfc.watchdog_missing"), 0);
}

CASE_WITH(odd_timers_are_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char port[32];

	for (unsigned i = 0; i < 8; i++) {
		(void)str_printf(port, sizeof(port), "leaf-r0-00:Ethernet%u", i * 4);
		stand_number(s, port, ATTR_PFCWD_DETECT_MS, P3, i == 5 ? 1000 : 200);
		stand_number(s, port, ATTR_PFCWD_RESTORE_MS, P3, 400);
	}
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "pfc.watchdog_timers", "leaf-r0-00"));
	assert_int_equal(stand_found(s, "pfc.watchdog_timers", NULL)->members.n, 1);
	assert_int_equal(stand_count(s, "pfc.watchdog_timers"), 1);
}

CASE_WITH(an_odd_device_is_named, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char port[32];

	for (unsigned i = 0; i < 4; i++) {
		(void)str_printf(port, sizeof(port), "spine-%03u:Ethernet1/1", i);
		stand_number(s, port, ATTR_PFCWD_DETECT_MS, P3, i == 2 ? 400 : 200);
	}
	stand_poll(s, 1);
	assert_non_null(stand_found(s, "pfc.watchdog_timers", "spine-002"));
	assert_int_equal(stand_count(s, "pfc.watchdog_timers"), 1);
}

/* Two and two: nobody is right. */
CASE_WITH(without_a_majority_nobody_is_odd, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char port[32];

	for (unsigned i = 0; i < 4; i++) {
		(void)str_printf(port, sizeof(port), "spine-%03u:Ethernet1/1", i);
		stand_number(s, port, ATTR_PFCWD_DETECT_MS, P3, i < 2 ? 400 : 200);
	}
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "pfc.watchdog_timers"), 0);
}

/* ---- drops ---- */

CASE_WITH(a_drop_on_a_lossless_priority_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_add(s, LEAF, CTR_PG_DROPS, P3, 40);
	stand_poll(s, 1);
	f = stand_found(s, "pfc.lossless_drop", "leaf-r0-00:Ethernet16:3");
	assert_non_null(f);
	assert_true(stand_has_evidence(f, "pg_drops"));
	assert_non_null(strstr(f->title, "on arrival"));
}

CASE_WITH(tail_drops_of_other_priorities_are_right, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, LEAF, CTR_QUEUE_DROPS, 0, 1000);
	stand_poll(s, 4);
	assert_int_equal(stand_count(s, "pfc.lossless_drop"), 0);
	stand_expect_innocent(s);
}

CASE_WITH(what_the_watchdog_drops_is_the_watchdogs, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_hold(s, HOST, 100);
	stand_word(s, HOST, ATTR_PFCWD_STATE, P3, "stormed");
	stand_rate(s, HOST, CTR_QUEUE_DROPS, P3, 1000);
	stand_rate(s, HOST, CTR_PFCWD_DROPS, P3, 1000);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "pfc.lossless_drop"), 0);
	assert_non_null(stand_found(s, "pfc.watchdog_fired", HOST_P3));
}

CASE_WITH(a_reset_counter_drops_nothing, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_add(s, LEAF, CTR_PG_DROPS, P3, 1e6);
	stand_poll(s, 1);
	stand_poll(s, 8);
	assert_int_equal(stand_count(s, "pfc.lossless_drop"), 0);
	stand_add(s, LEAF, CTR_PG_DROPS, P3, -1e6);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "pfc.lossless_drop"), 0);
}

/* ---- optics ---- */

CASE_WITH(a_thin_fec_margin_is_a_risk, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_gauge(s, LEAF, CTR_PRE_FEC_BER, 0, 4e-6);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "link.fec_margin", LEAF));
	assert_int_equal(stand_found(s, "link.fec_margin", LEAF)->role, ROLE_RISK);
	assert_int_equal(stand_found(s, "link.fec_margin", LEAF)->severity, SEV_WARN);
	stand_gauge(s, LEAF, CTR_PRE_FEC_BER, 0, 4e-5);
	stand_poll(s, 1);
	assert_int_equal(stand_found(s, "link.fec_margin", LEAF)->severity, SEV_CRIT);
}

CASE_WITH(ten_times_its_best_is_a_risk, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_gauge(s, LEAF, CTR_PRE_FEC_BER, 0, 2e-8);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "link.fec_margin"), 0);
	stand_gauge(s, LEAF, CTR_PRE_FEC_BER, 0, 4e-7);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "link.fec_margin"), 1);
}

CASE_WITH(the_tail_of_the_codewords_counts_not_their_number, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, LEAF, CTR_FEC_BIN, 1, 1e6);
	stand_rate(s, LEAF, CTR_FEC_BIN, 7, 10);
	stand_rate(s, LEAF, CTR_FEC_CORRECTED_CODEWORDS, 0, 1e6);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "link.fec_margin"), 0);
	stand_rate(s, LEAF, CTR_FEC_BIN, 9, 2);
	stand_poll(s, 3);
	assert_non_null(stand_found(s, "link.fec_margin", LEAF));
}

CASE_WITH(low_light_with_a_good_sender_is_the_fibre, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	const struct finding *f;

	stand_gauge(s, SPINE, CTR_TX_POWER_DBM, 0, 1.0);
	stand_gauge(s, LEAF, CTR_RX_POWER_DBM, 2, -7);
	stand_poll(s, 3);
	f = stand_found(s, "optic.power", LEAF);
	assert_non_null(f);
	assert_int_equal(f->role, ROLE_RISK);
	assert_true(stand_has_evidence(f, "points to"));
	/* The same part elsewhere hears more: that is compared each half minute. */
	stand_poll(s, 7);
	assert_non_null(stand_found(s, "optic.outlier", LEAF));
}

CASE_WITH(the_modules_own_limits_decide, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_number(s, LEAF, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_WARN, 70);
	stand_number(s, LEAF, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM, 75);
	stand_gauge(s, LEAF, CTR_TEMPERATURE_C, 0, 69);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "optic.power"), 0);
	stand_gauge(s, LEAF, CTR_TEMPERATURE_C, 0, 76);
	stand_poll(s, 3);
	assert_int_equal(stand_found(s, "optic.power", LEAF)->severity, SEV_CRIT);
}

CASE_WITH(a_worn_optic_is_part_of_its_corrupting_link, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_gauge(s, LEAF, CTR_PRE_FEC_BER, 0, 3e-4);
	stand_rate(s, LEAF, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, 5);
	stand_poll(s, 4);
	assert_int_equal(stand_role(s, ROLE_CULPRIT), 1);
	assert_true(stand_found(s, "link.fec_margin", LEAF)->root ==
		    stand_found(s, "link.corrupting", LEAF)->key);
}

/* ---- hosts ---- */

static void slot(struct stand *s, const char *nic, double width)
{
	stand_gauge(s, nic, CTR_PCIE_WIDTH, 0, width);
	stand_gauge(s, nic, CTR_PCIE_SPEED_MTPS, 0, 32000);
	stand_number(s, nic, ATTR_PCIE_MAX_WIDTH, 0, 16);
	stand_number(s, nic, ATTR_PCIE_MAX_MTPS, 0, 32000);
}

CASE_WITH(a_narrow_slot_is_a_risk_until_it_limits, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	slot(s, NIC, 8);
	slot(s, "node001:mlx5_0", 16);
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "host.pcie_width", NIC)->role, ROLE_RISK);
	assert_int_equal(stand_count(s, "host.pcie_width"), 1);
	/* x8 at 32 GT/s gives some 218 Gb/s. */
	stand_load(s, HOST, 50);
	stand_poll(s, 2);
	assert_int_equal(stand_found(s, "host.pcie_width", NIC)->role, ROLE_CULPRIT);
}

CASE_WITH(link_pause_beside_pfc_is_found, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	stand_rate(s, NIC, CTR_TX_PAUSE_FRAMES, 0, 500);
	stand_rate(s, HOST, CTR_RX_PAUSE_FRAMES, 0, 500);
	stand_poll(s, 3);
	assert_int_equal(stand_count(s, "pfc.global_pause"), 1);
	assert_non_null(stand_found(s, "pfc.global_pause", NIC));
}

CASE_WITH(a_gpu_error_is_found_and_a_program_error_is_not, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	struct obs *o = stand_batch(s, "node003");

	obs_log(o, OBS_NO_PORT, -1, true, s->now_us,
		"NVRM: Xid (PCI:0000:5d:00): 79, pid=1, GPU has fallen off the bus.");
	obs_log(stand_batch(s, "node004"), OBS_NO_PORT, -1, true, s->now_us,
		"NVRM: Xid (PCI:0000:5d:00): 31, pid=1, MMU fault");
	stand_poll(s, 2);
	assert_non_null(stand_found(s, "host.gpu_error", "node003"));
	assert_int_equal(stand_count(s, "host.gpu_error"), 1);
	stand_poll(s, 130);
	assert_int_equal(stand_count(s, "host.gpu_error"), 0);
}

CASE_WITH(odd_firmware_is_one_finding, stand_setup, stand_teardown)
{
	struct stand *s = *state;
	char name[16];

	for (unsigned i = 0; i < 8; i++) {
		struct obs *o;

		(void)str_printf(name, sizeof(name), "node%03u", i);
		o = stand_batch(s, name);
		obs_word(o, OBS_NO_PORT, ATTR_MODEL, 0, "DGX");
		obs_word(o, OBS_NO_PORT, ATTR_FIRMWARE, 0, i == 3 ? "28.39" : "28.43");
	}
	stand_poll(s, 1);
	assert_int_equal(stand_count(s, "host.firmware_mix"), 1);
	assert_int_equal(stand_found(s, "host.firmware_mix", NULL)->members.n, 1);
	assert_int_equal(stand_found(s, "host.firmware_mix", NULL)->role, ROLE_RISK);
}

/* These rules have no data, and must find nothing. */
CASE_WITH(unknown_is_neither_zero_nor_wrong, stand_setup, stand_teardown)
{
	struct stand *s = *state;

	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		if (counter_info[id].dim == DIM_ONE)
			stand_unsupported(s, LEAF, (enum counter_id)id, 0);
	for (unsigned lane = 0; lane < LANES; lane++)
		stand_unsupported(s, LEAF, CTR_RX_POWER_DBM, lane);
	stand_poll(s, 6);
	stand_expect_innocent(s);
}

CASES_MAIN(NULL, NULL)
