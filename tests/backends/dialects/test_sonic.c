/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/dialects/sonic/sonic.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"
#include "tests/support/obs_find.h"

#define FIXTURES "tests/backends/fixtures/"

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 1u << 3};

static const struct backend_ops *sonic(void)
{
	return backend_by_name("sonic");
}

static struct obs *decode(const char *request, const char *file)
{
	size_t len;
	char *bytes = read_file(file, &len);
	struct obs *o = obs_new(leaf.device, request);
	struct err err = {0};

	assert_non_null(bytes);
	if (!sonic()->parse(&leaf, request, bytes, len, o, &err))
		fail_msg("%s: %s", file, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	free(bytes);
	return o;
}

CASE(counters_come_by_name_not_by_place)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_MAX);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 2000);
	assert_int_equal(cell_count(p, "rx_packets", 0), 34);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 77);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 66);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 5000);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 12);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 500);
	assert_int_equal(cell_count(p, "queue_watermark_bytes", 3), 90000);
	assert_int_equal(cell_count(p, "pg_watermark_bytes", 3), 7000);
	assert_int_equal(cell_count(p, "headroom_watermark_bytes", 3), 8000);
	assert_true(cell_value(p, "pre_fec_ber", 0) == 1.5e-9);
	obs_free(o);
}

CASE(bins_transitions_and_estimates)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_int_equal(cell_count(p, "fec_bin", 0), 901);
	assert_int_equal(cell_count(p, "fec_bin", 15), 15);
	assert_true(cell_value(p, "post_fec_ber", 0) == 0);
	/* The chip's own duration is better than the estimate beside it; transitions it has none.
	 */
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 5000);
	assert_int_equal(cell_count(p, "pfc_rx_transitions", 3), 44);
	assert_int_equal(capability_of(o, "FEC histogram", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "pause duration received", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "port state", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "uptime", NULL), VALID_OK);
	obs_free(o);
}

/*
 * The counters of a port as one text, with blanks or commas between; an odd one or a short text
 * shifts nothing that counts.
 */
CASE(counters_in_one_text)
{
	struct obs *o = obs_new(leaf.device, "fast");
	struct err err = {0};
	static const char answer[] =
		"{\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\",\"SAI_PORT_STAT_IF_OUT_OCTETS\","
		"\"SAI_PORT_STAT_IF_IN_ERRORS\",\"SAI_PORT_STAT_IF_OUT_ERRORS\"],"
		"\"fc\":{\"PORT\":\"enable\"},\"ports\":{"
		"\"Ethernet0\":{\"c\":\"18446744073709551615 - N/A 7\"},"
		"\"Ethernet8\":{\"c\":\"5 6\"},\"Ethernet16\":{\"c\":\"\"},"
		"\"Ethernet24\":{\"c\":\"18446744073709551615,-,N/A 7\"},"
		"\"Ethernet32\":{\"c\":\"123456789012345,67,890123456789012 3\"}}}";

	assert_true(sonic()->parse(&leaf, "fast", answer, strlen(answer), o, &err));
	assert_true(cell_count(at_port(o, "Ethernet24"), "rx_bytes", 0) == UINT64_MAX);
	assert_int_equal(cell_validity(at_port(o, "Ethernet24"), "tx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet24"), "rx_errors", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(at_port(o, "Ethernet24"), "tx_errors", 0), 7);
	assert_true(cell_count(at_port(o, "Ethernet32"), "rx_bytes", 0) == 123456789012345);
	assert_int_equal(cell_count(at_port(o, "Ethernet32"), "tx_bytes", 0), 67);
	assert_true(cell_count(at_port(o, "Ethernet32"), "rx_errors", 0) == 890123456789012);
	assert_int_equal(cell_count(at_port(o, "Ethernet32"), "tx_errors", 0), 3);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == UINT64_MAX);
	assert_int_equal(cell_validity(at_port(o, "Ethernet0"), "tx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(at_port(o, "Ethernet0"), "rx_errors", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "tx_errors", 0), 7);
	assert_int_equal(cell_count(at_port(o, "Ethernet8"), "tx_bytes", 0), 6);
	assert_int_equal(cell_validity(at_port(o, "Ethernet8"), "tx_errors", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(at_port(o, "Ethernet16"), "rx_bytes", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(why_a_port_is_down)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");

	/* The newest error, in either way to write the time. */
	assert_string_equal(
		attr_word(at_port(o, "Ethernet8"), ATTR_DOWN_REASON, 0), "fec sync loss");
	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_DOWN_REASON, 0), "");
	obs_free(o);
}

CASE(what_is_wrong_with_the_module)
{
	static const struct {
		const char *row, *reason;
	} cases[] = {
		{"\"0\",\"N/A\",\"REMOVED\"", "no module"},
		{"\"1\",\"Blocking Error|High temperature\",null",
			"module: Blocking Error, High temperature"},
		{"\"1\",\"N/A\",\"FAILED\"", "module failed to start"},
		/* No module error: the MAC's fault counts. */
		{"\"1\",\"N/A\",\"READY\"", "mac local fault"},
		{"null,null,null", "mac local fault"},
	};
	static const char answer[] =
		"{\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"af\":[\"oper_status\"],\"mf\":["
		"\"status\",\"error\",\"cmis_state\"],\"ports\":{\"Ethernet0\":{\"a\":[\"down\"],"
		"\"m\":[%s],\"x\":[\"mac_local_fault_time\",\"2025-11-22 09:59:58\"]}}}";

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = obs_new(leaf.device, "fast");
		struct err err = {0};
		char text[512];

		str_printf(text, sizeof(text), answer, cases[i].row);
		assert_true(sonic()->parse(&leaf, "fast", text, strlen(text), o, &err));
		assert_string_equal(
			attr_word(at_port(o, "Ethernet0"), ATTR_DOWN_REASON, 0), cases[i].reason);
		obs_free(o);
	}
}

CASE(only_front_panel_ports_are_ports)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");

	assert_int_equal(o->ports.n, 2);
	assert_false(has_port(o, "Ethernet-IB0"));
	obs_free(o);
}

CASE(device_time_boot_and_uptime)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");
	struct obs_port_ref dev = at_port(o, NULL);

	assert_true(o->device_us == INT64_C(1764000000250000));
	assert_string_equal(
		attr_word(dev, ATTR_BOOT_ID, 0), "0b9f5c1e-7d3a-4e52-9a61-3c2f8e4d7b10");
	assert_true(attr_number(dev, ATTR_UPTIME_S, 0) == 86400.25);
	obs_free(o);
}

CASE(attributes_of_a_port)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");
	struct obs_port_ref up = at_port(o, "Ethernet0"), down = at_port(o, "Ethernet8");

	assert_string_equal(attr_word(up, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(down, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(down, ATTR_ADMIN, 0), "up");
	assert_true(attr_number(up, ATTR_SPEED_MBPS, 0) == 200000);   /* in operation */
	assert_true(attr_number(down, ATTR_SPEED_MBPS, 0) == 400000); /* asked for */
	assert_true(attr_number(up, ATTR_MTU, 0) == 9100);
	assert_string_equal(attr_word(up, ATTR_FEC, 0), "rs");
	assert_string_equal(attr_word(up, ATTR_ALIAS, 0), "etp1");
	assert_string_equal(attr_word(up, ATTR_DESCRIPTION, 0), "to node007 mlx5_0");
	assert_true(attr_number(up, ATTR_LAST_CHANGE, 0) == 1763805600);
	/* Three transitions that end up: one down. */
	assert_int_equal(cell_count(up, "carrier_changes", 0), 3);
	assert_int_equal(cell_count(up, "link_down_events", 0), 1);
	obs_free(o);
}

CASE(watchdog_counts_state_and_microseconds)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");
	struct obs_port_ref on = at_port(o, "Ethernet0"), storm = at_port(o, "Ethernet8");

	assert_string_equal(attr_word(on, ATTR_PFCWD_STATE, 3), "operational");
	assert_string_equal(attr_word(on, ATTR_PFCWD_ACTION, 3), "drop");
	assert_true(attr_number(on, ATTR_PFCWD_DETECT_MS, 3) == 200);
	assert_true(attr_number(on, ATTR_PFCWD_RESTORE_MS, 3) == 400);
	assert_int_equal(cell_count(on, "pfcwd_storm_detected", 3), 5);
	assert_int_equal(cell_count(on, "pfcwd_storm_restored", 3), 4);
	assert_int_equal(cell_count(on, "pfcwd_drops", 3), 21);
	assert_string_equal(attr_word(storm, ATTR_PFCWD_STATE, 3), "stormed");
	obs_free(o);
}

CASE(what_is_absent_says_why_and_is_never_zero)
{
	struct obs *o = decode("fast", FIXTURES "sonic_fast.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0"), q = at_port(o, "Ethernet8");
	const char *cure = "";

	/* The poll group is off by default: the cure switches it on. */
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(p, "ecn_marked_packets", 3), "counterpoll wredqueue"));
	assert_int_equal(cell_validity(p, "pg_drops", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(p, "pg_drops", 3), "counterpoll pg-drop"));
	/* The group runs and the chip has no such counter. */
	assert_int_equal(cell_validity(p, "pfc_tx_duration_us", 3), VALID_UNSUPPORTED);
	/* Pauses are timed, and the depth is read, only where a watchdog runs. */
	assert_int_equal(cell_validity(q, "pfc_rx_duration_us", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(q, "pfc_rx_duration_us", 3), "pfcwd start"));
	assert_int_equal(cell_validity(q, "pfc_rx_transitions", 3), VALID_DISABLED);
	assert_int_equal(cell_validity(q, "queue_depth_bytes", 3), VALID_DISABLED);
	assert_int_equal(cell_validity(p, "queue_depth_bytes", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "fec_bin", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "post_fec_ber", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "pre_fec_ber", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "link_down_events", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "rx_fcs_errors", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(q, "pfcwd_storm_detected", 3), VALID_DISABLED);
	assert_int_equal(capability_of(o, "ECN marks", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "counterpoll wredqueue enable"));
	assert_int_equal(capability_of(o, "PFC frames per priority", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "pause duration sent", NULL), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(optics_know_dark_unused_and_absent)
{
	struct obs *o = decode("optics", FIXTURES "sonic_optics.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_true(cell_value(p, "temperature_c", 0) == 45.5);
	assert_true(cell_value(p, "voltage_v", 0) == 3.29);
	assert_true(cell_value(p, "rx_power_dbm", 0) == -1.25);
	assert_true(cell_value(p, "tx_bias_ma", 0) == 38.5);
	/* Lane 2 sends and receives nothing: dark. Lane 3 is off altogether: not in use. */
	assert_true(cell_value(p, "rx_power_dbm", 1) == -40);
	assert_true(cell_value(p, "tx_power_dbm", 1) == 0.5);
	assert_true(isnan(cell_value(p, "rx_power_dbm", 2)));
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet8"), "temperature_c", 0), VALID_UNSUPPORTED);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet16"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	/* A copper cable measures nothing, even if it prints values. */
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet24"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet24"), "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(identity_and_settings)
{
	struct obs *o = decode("config", FIXTURES "sonic_config.txt");
	struct obs_port_ref dev = at_port(o, NULL), p = at_port(o, "Ethernet0");
	struct obs_port_ref q = at_port(o, "Ethernet8");

	assert_int_equal(o->ports.n, 5); /* one of them between ASICs */
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "leaf-r0-00");
	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "Vendor-SN1-C64");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "SN0042");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "SONiC.202411.7-lossless");
	assert_true(attr_number(dev, ATTR_BGP_AS, 0) == 65101);
	assert_true(attr_number(dev, ATTR_PFCWD_POLL_MS, 0) == 150);
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_true(attr_number(q, ATTR_PFC_ENABLED, 0) == 0);
	/* The watchdog of Ethernet0 runs: its counters say the timers. That of Ethernet8 does not.
	 */
	assert_true(isnan(attr_number(p, ATTR_PFCWD_DETECT_MS, 3)));
	assert_true(attr_number(q, ATTR_PFCWD_DETECT_MS, 3) == 300);
	assert_true(attr_number(q, ATTR_PFCWD_RESTORE_MS, 3) == 600);
	assert_string_equal(attr_word(q, ATTR_PFCWD_ACTION, 3), "alert");
	assert_string_equal(
		attr_word(dev, ATTR_ECMP_HASH, 0), "src-ip dst-ip ip-protocol l4-src inner-l4-dst");
	assert_string_equal(attr_word(dev, ATTR_LAG_HASH, 0), "src-mac");
	assert_string_equal(attr_word(dev, ATTR_HASH_ALGORITHM, 0), "crc, LAG xor");
	obs_free(o);
}

CASE(maps_go_through_their_names)
{
	struct obs *o = decode("config", FIXTURES "sonic_config.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0"), q = at_port(o, "Ethernet8");
	const char *dscp = attr_word(p, ATTR_DSCP_TO_TC, 0);

	assert_int_equal(strlen(dscp), 64);
	assert_int_equal(dscp[0], '0');
	assert_int_equal(dscp[26], '3');
	assert_int_equal(dscp[48], '6');
	assert_int_equal(dscp[1], '-');
	assert_int_equal(dscp[63], '-'); /* "12" is no traffic class */
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "0--3--6-");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "0--33---");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "---36---");
	/* The map for all ports; nothing else is mapped there. */
	assert_string_equal(attr_word(q, ATTR_DSCP_TO_TC, 0), dscp);
	assert_string_equal(attr_word(q, ATTR_TC_TO_QUEUE, 0), "(none)");
	assert_string_equal(attr_word(at_port(o, "Ethernet16"), ATTR_DSCP_TO_TC, 0), "(none)");
	obs_free(o);
}

CASE(marking_and_buffers_by_priority)
{
	struct obs *o = decode("config", FIXTURES "sonic_config.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0"), q = at_port(o, "Ethernet8");

	/* Queue 3 marks, queues 0-2 do not; priority 4 goes to queue 6, which has no profile. */
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x08);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 500000);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 1500000);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 10);
	assert_true(isnan(attr_number(p, ATTR_ECN_MIN_BYTES, 0)));
	/* Two ports in one key, and brackets around the reference. */
	assert_true(attr_number(q, ATTR_ECN_ENABLED, 0) == 0x18);
	assert_true(attr_number(at_port(o, "Ethernet24"), ATTR_ECN_ENABLED, 0) == 0x18);
	/* A chassis key; priority 4 goes to queue 6 there, which has its own number's queue too. */
	assert_true(attr_number(at_port(o, "Ethernet16"), ATTR_ECN_ENABLED, 0) == 0x50);
	assert_true(attr_number(at_port(o, "Ethernet16"), ATTR_ECN_MIN_BYTES, 4) == 70000);
	/* Priority 4 is in group 3 of Ethernet0. */
	assert_true(attr_number(p, ATTR_HEADROOM_BYTES, 3) == 160000);
	assert_true(attr_number(p, ATTR_HEADROOM_BYTES, 4) == 160000);
	assert_true(attr_number(p, ATTR_XON_BYTES, 3) == 18432);
	/* A share of the pool is no threshold in bytes. */
	assert_true(isnan(attr_number(p, ATTR_XOFF_BYTES, 3)));
	assert_true(attr_number(q, ATTR_XOFF_BYTES, 3) == 200000);
	assert_true(isnan(attr_number(p, ATTR_HEADROOM_BYTES, 0)));
	assert_true(isnan(attr_number(at_port(o, "Ethernet16"), ATTR_HEADROOM_BYTES, 3)));
	obs_free(o);
}

static struct obs *decode_text(const struct target *t, const char *request, const char *text)
{
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};

	o->received_us = INT64_C(1795284000000000); /* 21 Nov 2026 18:00:00 UTC */
	if (!sonic()->parse(t, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", text, err.text);
	return o;
}

/* A queue of Ethernet0 for the fast reply: priority, status, history, big red switch, storms. */
static struct obs *one_queue(
	const char *p, const char *status, const char *history, const char *red, const char *storms)
{
	static const char answer[] =
		"{\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"qf\":[\"PFC_WD_STATUS\","
		"\"PFC_STAT_HISTORY\",\"BIG_RED_SWITCH_MODE\",\"PFC_WD_ACTION\"],"
		"\"fc\":{\"PORT\":\"enable\"},\"ports\":{\"Ethernet0\":{\"c\":[\"1\"],"
		"\"q\":{\"%s\":[[%s,%s,%s,\"drop\"],null]},\"s\":%s}}}";
	char text[512];

	str_printf(text, sizeof(text), answer, p, status, history, red, storms);
	return decode_text(&leaf, "fast", text);
}

CASE(what_would_time_the_pauses)
{
	struct obs *o = one_queue("3", "\"operational\"", "\"disable\"", "null", "{}");

	assert_int_equal(
		cell_validity(at_port(o, "Ethernet0"), "pfc_rx_duration_us", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(at_port(o, "Ethernet0"), "pfc_rx_duration_us", 3),
		"pfc_stat_history enable"));
	obs_free(o);
	/* The watchdog runs and keeps no history, because this release knows none. */
	o = one_queue("3", "\"operational\"", "null", "null", "{}");
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet0"), "pfc_rx_duration_us", 3), VALID_UNSUPPORTED);
	obs_free(o);
	/* There is no history without a watchdog, even with leftovers in the database. */
	o = one_queue("3", "null", "\"disable\"", "null", "{}");
	assert_non_null(
		strstr(cell_cure(at_port(o, "Ethernet0"), "pfc_rx_duration_us", 3), "pfcwd start"));
	obs_free(o);
}

/* The plan says priority 3. The switch watches 5, and there is a storm on 6 that nobody watches. */
CASE(storms_on_any_priority_are_seen)
{
	struct obs *o =
		one_queue("5", "\"stormed\"", "null", "null", "[\"5\",\"storm\",\"6\",\"storm\"]");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 5), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 6), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "(none)");
	obs_free(o);
}

CASE(the_big_red_switch_is_a_storm_that_somebody_made)
{
	struct obs *o = one_queue("3", "null", "null", "\"enable\"", "{}");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "big red switch");
	obs_free(o);
	o = one_queue("3", "\"operational\"", "null", "\"disable\"", "{}");
	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_PFCWD_STATE, 3), "operational");
	obs_free(o);
}

CASE(speed_and_fec_are_those_in_use)
{
	static const char answer[] =
		"{\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],\"af\":[\"speed\",\"fec\","
		"\"state_speed\",\"state_fec\"],\"ports\":{"
		"\"Ethernet0\":{\"a\":[\"400000\",\"auto\",\"200000\",\"rs\"]},"
		"\"Ethernet8\":{\"a\":[\"400000\",\"rs\",null,\"N/A\"]}}}";
	struct obs *o = decode_text(&leaf, "fast", answer);

	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_FEC, 0), "rs");
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_FEC, 0), "rs");
	assert_true(attr_number(at_port(o, "Ethernet8"), ATTR_SPEED_MBPS, 0) == 400000);
	obs_free(o);
}

#define SHARED_MODULE                                                                              \
	"{\"df\":[\"temperature\",\"voltage\",\"rx1power\",\"rx2power\",\"rx3power\","             \
	"\"rx4power\"],\"cf\":[\"index\",\"lanes\",\"dom_polling\"],\"ports\":{"                   \
	"\"Ethernet4\":{\"d\":%s,\"p\":[\"1\",\"5,6,7,8\",null]},"                                 \
	"\"Ethernet0\":{\"d\":[\"40\",\"3.3\",\"1\",\"2\",\"3\",\"4\"],\"p\":[\"1\","              \
	"\"1,2,3,4\",%s]},"                                                                        \
	"\"Ethernet8\":{\"d\":[\"50\",\"3.3\",\"5\",\"6\",\"7\",\"8\"],\"p\":[\"2\",null,null]}}}"

/* Two ports in one cage: its lanes are shared out in the order of the ports. */
CASE(a_broken_out_module_is_shared_out)
{
	char text[512];
	struct obs *o;

	str_printf(text, sizeof(text), SHARED_MODULE, "null", "null");
	o = decode_text(&leaf, "optics", text);
	assert_true(cell_value(at_port(o, "Ethernet0"), "rx_power_dbm", 1) == 2);
	assert_true(isnan(cell_value(at_port(o, "Ethernet0"), "rx_power_dbm", 2)));
	assert_true(isnan(cell_value(at_port(o, "Ethernet4"), "rx_power_dbm", 1)));
	assert_true(cell_value(at_port(o, "Ethernet4"), "rx_power_dbm", 2) == 3);
	assert_true(cell_value(at_port(o, "Ethernet4"), "temperature_c", 0) == 40);
	assert_true(cell_value(at_port(o, "Ethernet8"), "rx_power_dbm", 3) == 8);
	obs_free(o);
	/* Releases that write a row for each port write all lanes into each. */
	str_printf(text, sizeof(text), SHARED_MODULE,
		"[\"41\",\"3.3\",\"1.5\",\"2.5\",\"3.5\",\"4.5\"]", "null");
	o = decode_text(&leaf, "optics", text);
	assert_true(cell_value(at_port(o, "Ethernet4"), "rx_power_dbm", 3) == 4.5);
	assert_true(cell_value(at_port(o, "Ethernet4"), "temperature_c", 0) == 41);
	assert_true(isnan(cell_value(at_port(o, "Ethernet4"), "rx_power_dbm", 0)));
	obs_free(o);
}

/* Versatile diagnostics of one cage with two ports; the third has the older table. */
CASE(the_worst_lane_of_each_side_is_reported)
{
	struct obs *o = decode_text(&leaf, "optics",
		"{\"df\":[\"voltage\"],\"cf\":[\"index\",\"lanes\"],"
		"\"vf\":[\"esnr_media_input1\",\"esnr_media_input2\",\"esnr_media_input3\","
		"\"esnr_media_input4\",\"laser_temperature_media1\",\"prefec_ber_curr_media_"
		"input1\","
		"\"prefec_ber_curr_media_input2\",\"prefec_ber_curr_media_input3\","
		"\"prefec_ber_curr_media_input4\",\"prefec_ber_avg_host_input1\","
		"\"prefec_ber_curr_host_input1\"],"
		"\"qf\":[\"esnr_avg\",\"prefec_ber_avg\"],\"ports\":{"
		"\"Ethernet0\":{\"v\":\"21.5|20.25|0.0|17.5|48.5|1e-09|2.5e-08|3e-7|N/A|"
		"4e-10|5e-4\",\"p\":[\"1\",\"1,2,3,4\"]},"
		"\"Ethernet4\":{\"p\":[\"1\",\"5,6,7,8\"]},"
		"\"Ethernet8\":{\"q\":\"18.1|5.49e-4\",\"p\":[\"2\",\"9\"]},"
		"\"Ethernet12\":{\"p\":[\"3\",\"10\"]}}}");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_true(cell_value(p, "esnr_media_db", 0) == 20.25);
	assert_true(cell_value(p, "pre_fec_ber_media", 0) == 1e-9);
	p = at_port(o, "Ethernet4");
	assert_true(cell_value(p, "esnr_media_db", 0) == 17.5);
	assert_true(cell_value(p, "pre_fec_ber_media", 0) == 3e-7);
	assert_true(cell_value(p, "pre_fec_ber_host", 0) == 4e-10);
	p = at_port(o, "Ethernet8");
	assert_true(cell_value(p, "esnr_media_db", 0) == 18.1);
	assert_true(cell_value(p, "pre_fec_ber_media", 0) == 5.49e-4);
	p = at_port(o, "Ethernet12");
	assert_true(isnan(cell_value(p, "esnr_media_db", 0)));
	obs_free(o);
}

CASE(a_module_says_its_application)
{
	struct obs *o = decode_text(&leaf, "modules",
		"{\"xf\":[\"type\",\"serial\",\"model\",\"media_interface_code\","
		"\"specification_compliance\"],\"tf\":[],\"ports\":{"
		"\"Ethernet0\":{\"x\":[\"OSFP 8X Pluggable Transceiver\",\"S1\",\"M-1\",null,"
		"\"sm_media_interface\"],\"f\":\"12\",\"a\":\"'module_media_interface_id': "
		"'400G-FR4', 'host_lane_assignment_options': 17\"},"
		"\"Ethernet8\":{\"x\":[\"N/A\",null,null,null,null]}}}");

	assert_string_equal(
		attr_word(at_port(o, "Ethernet0"), ATTR_MEDIA, 0), "OSFP 2x400G-FR4 M-1");
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "optic_flag_changes", 0), 12);
	assert_true(isnan(cell_value(at_port(o, "Ethernet8"), "optic_flag_changes", 0)));
	obs_free(o);
}

CASE(readings_that_somebody_switched_off)
{
	char text[512];
	struct obs *o;

	str_printf(text, sizeof(text), SHARED_MODULE, "null", "\"disabled\"");
	o = decode_text(&leaf, "optics", text);
	for (size_t i = 0; i < 2; i++) {
		struct obs_port_ref p = at_port(o, i ? "Ethernet4" : "Ethernet0");

		assert_int_equal(cell_validity(p, "rx_power_dbm", 0), VALID_DISABLED);
		assert_string_equal(cell_cure(p, "temperature_c", 0),
			"sudo config interface transceiver dom Ethernet0 enable");
	}
	assert_true(cell_value(at_port(o, "Ethernet8"), "temperature_c", 0) == 50);
	obs_free(o);
}

CASE(settings_that_are_not_there_say_so)
{
	static const char answer[] =
		"{\"mf\":[\"hostname\"],\"meta\":[null],\"can\":{\"hash\":\"%s\"},\"ports\":{"
		"\"Ethernet0\":{\"w\":[],\"p\":[],\"on\":{}}}}";
	static const char *const needs[] = {
		"ECN settings", "PFC settings", "DSCP and queue maps", "PFC watchdog settings"};
	char text[256];
	const char *cure = "";
	struct obs *o;

	str_printf(text, sizeof(text), answer, "true");
	o = decode_text(&leaf, "config", text);
	for (size_t i = 0; i < 4; i++) {
		assert_int_equal(capability_of(o, needs[i], &cure), VALID_DISABLED);
		assert_non_null(strstr(cure, "sudo config "));
	}
	assert_int_equal(capability_of(o, "hash settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "switch-hash"));
	obs_free(o);
	str_printf(text, sizeof(text), answer, "false");
	o = decode_text(&leaf, "config", text);
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	o = decode("config", FIXTURES "sonic_config.txt");
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(capability_of(o, needs[i], NULL), VALID_OK);
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "identity", NULL), VALID_OK);
	obs_free(o);
}

CASE(modules_and_their_limits)
{
	struct obs *o = decode("modules", FIXTURES "sonic_modules.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "OSFP M-400");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "OPT001");
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_LOW_ALARM) == -5);
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_LOW_WARN) == 0);
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM) == 75.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -8.9);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN) == 4);
	assert_true(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_HIGH_ALARM) == 9.5);
	assert_true(isnan(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_LOW_ALARM)));
	/* All zero: nobody wrote them. */
	assert_true(isnan(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_LOW_ALARM)));
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
	obs_free(o);
}

CASE(neighbours)
{
	struct obs *o = decode("optics", FIXTURES "sonic_optics.txt");
	struct obs_port_ref p = at_port(o, "Ethernet0");
	char text[128];

	assert_string_equal(lldp_of(p, text, sizeof(text)), "node007:eth3");
	assert_string_equal(attr_word(p, ATTR_LLDP_MGMT, 0), "10.0.0.7");
	assert_string_equal(attr_word(p, ATTR_LLDP_DESCR, 0), "Our Linux");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet8"), text, sizeof(text)), "spine-001:Ethernet1/1");
	assert_string_equal(lldp_of(at_port(o, "Ethernet16"), text, sizeof(text)), ":");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet24"), text, sizeof(text)), "leaf-r0-01:etp4");
	/* The neighbour has no name: its chassis id takes its place. */
	assert_string_equal(lldp_of(at_port(o, "Ethernet32"), text, sizeof(text)),
		"02:00:00:00:00:25:Ethernet25");
	assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
	obs_free(o);
}

/* Which field a value is says the list beside it, not where it stands; rows may be short. */
CASE(readings_are_found_by_the_list_of_fields)
{
	struct obs *o = decode_text(&leaf, "optics",
		"{\"df\":[7,\"tx8bias\",\"vendor\",\"rx1power\",\"temperature\",\"rx1power\","
		"\"voltage\"],\"ports\":{"
		"\"Ethernet0\":{\"d\":[1,\"7.5\",\"x\",\"-2.25\",\"41.5\",\"-9\",\"3.3\"]},"
		"\"Ethernet8\":{\"d\":[1,\"6.5\",\"x\",\"-1\",\"40\"]},"
		"\"Ethernet16\":{\"d\":[]}}}");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_true(cell_value(p, "tx_bias_ma", 7) == 7.5);
	assert_true(cell_value(p, "rx_power_dbm", 0) == -2.25);
	assert_true(cell_value(p, "temperature_c", 0) == 41.5);
	assert_true(cell_value(p, "voltage_v", 0) == 3.3);
	p = at_port(o, "Ethernet8");
	assert_true(cell_value(p, "temperature_c", 0) == 40);
	assert_int_equal(cell_validity(p, "voltage_v", 0), VALID_UNSUPPORTED);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet16"), "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

/* With LLDP off, no neighbour is said to be gone: nobody listens. */
CASE(lldp_that_is_off_loses_no_neighbours)
{
	struct obs *o = decode_text(&leaf, "optics",
		"{\"df\":[\"voltage\"],\"lf\":[\"lldp_rem_sys_name\"],\"lldp\":\"disabled\","
		"\"ports\":{\"Ethernet0\":{\"d\":null,\"l\":[null]}}}");
	const char *cure = "";
	char text[64];

	assert_string_equal(lldp_of(at_port(o, "Ethernet0"), text, sizeof(text)), "(none)");
	assert_int_equal(capability_of(o, "LLDP neighbours", &cure), VALID_DISABLED);
	assert_string_equal(cure, "sudo config feature state lldp enabled");
	obs_free(o);
}

CASE(complaints_of_the_switch_get_a_cure)
{
	static const struct {
		const char *answer;
		enum err_code code;
		const char *cure;
	} cases[] = {
		{"bash: sonic-db-cli: command not found\n", ERR_UNSUPPORTED, "dialect"},
		{"Unable to connect to redis: Permission denied\n", ERR_UNAUTHORISED, "redis USER"},
		{"Could not connect to Redis at 127.0.0.1:6379: Connection refused\n", ERR_PROTOCOL,
			"docker ps"},
		{"Invalid database name input : 'COUNTERS_DB'\nUnable to connect to redis "
		 "(unix-socket) - No such file or directory(1): Cannot assign requested address\n",
			ERR_PROTOCOL, "docker ps"},
		{"Sonic database config file doesn't exist at /var/run/redis/sonic-db/x.json\n",
			ERR_PROTOCOL, "systemctl status database"},
		{"redis.exceptions.BusyLoadingError: Redis is loading the dataset in memory\n",
			ERR_PROTOCOL, "finish booting"},
		{"redis.exceptions.NoScriptError: No matching script. Please use EVAL.\n",
			ERR_PROTOCOL, "next poll"},
		{"NOSCRIPT No matching script. Please use EVAL.\n", ERR_PROTOCOL, "next poll"},
		{"sudo: a password is required\n", ERR_UNAUTHORISED, "sudo sonic-db-cli"},
		{"(error) BUSY Redis is busy running a script.\n", ERR_PROTOCOL, "script kill"},
		{"0b9f5c1e-7d3a-4e52-9a61-3c2f8e4d7b10\n1.0 2.0\nERR Error running script\n",
			ERR_PROTOCOL, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = obs_new(leaf.device, "fast");
		struct err err = {0};

		assert_false(sonic()->parse(
			&leaf, "fast", cases[i].answer, strlen(cases[i].answer), o, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_string_equal(err.origin, "leaf-r0-00");
		assert_non_null(strstr(err.cure, cases[i].cure));
		/* The complaint itself is quoted, not the boot id before it. */
		assert_null(strstr(err.text, "0b9f5c1e"));
		obs_free(o);
	}
}

CASE(an_empty_switch_is_data_with_a_warning)
{
	static const char answer[] = "{\"t\":[\"1\",\"0\"],\"pf\":[\"SAI_PORT_STAT_IF_IN_OCTETS\"],"
				     "\"rf\":{},\"qf\":{},\"af\":{},\"ports\":{}}";
	struct obs *o = obs_new(leaf.device, "fast");
	struct err err = {0};

	assert_true(sonic()->parse(&leaf, "fast", answer, strlen(answer), o, &err));
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.cure, "syncd"));
	obs_free(o);
}

/* Between double quotes in a shell, and for sonic-db-cli's option parser. */
CASE(scripts_survive_the_shell)
{
	static const char *const scripts[] = {
		sonic_fast_lua, sonic_optics_lua, sonic_config_lua, sonic_modules_lua};

	for (size_t i = 0; i < sizeof(scripts) / sizeof(scripts[0]); i++) {
		assert_null(strpbrk(scripts[i], "\"$`\\!"));
		assert_int_not_equal(scripts[i][0], '-');
		assert_true(strlen(scripts[i]) < 8192);
	}
}

CASE(each_tier_asks_for_its_own)
{
	static const char *const names[] = {
		"fast", "optics", "bgp", "config", "modules", "path", "stations", "detect", "log"};
	struct target t = leaf;
	struct request_list l = {0};
	struct err err;

	t.lossless = 0x18;
	for (int tier = 0; tier < POLL_TIER_COUNT; tier++)
		assert_true(sonic()->plan(&t, (enum poll_tier)tier, &l, &err));
	assert_int_equal(l.at.n, sizeof(names) / sizeof(names[0]));
	for (size_t i = 0; i < l.at.n; i++) {
		assert_string_equal(l.at.at[i].name, names[i]);
		assert_true(l.at.at[i].follow == str_eq(names[i], "log"));
		/* Error messages are read as well. */
		if (i < 5)
			assert_non_null(strstr(l.at.at[i].command, "2>&1"));
	}
	assert_non_null(strstr(l.at.at[0].command, "/proc/sys/kernel/random/boot_id"));
	assert_non_null(strstr(l.at.at[0].command, " 0 3,4 0 2>&1"));
	requests_free(&l);
	t.lossless = 0;
	assert_true(sonic()->plan(&t, POLL_FAST, &l, &err));
	assert_non_null(strstr(l.at.at[0].command, "\"$s\" 0 none 0 2>&1"));
	requests_free(&l);
}

CASE(probes_are_told_apart)
{
	static const char yml[] = "build_version: 'SONiC.202405.1'\ndebian_version: '12'\n";
	static const char host[] = "Linux node007 6.8.0 x86_64 GNU/Linux\nID=ubuntu\n";

	assert_int_equal(sonic()->score(yml, strlen(yml)), 100);
	assert_int_equal(sonic()->score(host, strlen(host)), 0);
	assert_true(backend_by_name("linux")->score(host, strlen(host)) > 50);
	assert_true(backend_by_name("linux")->score(yml, strlen(yml)) < 50);
}

CASE(hostile_replies)
{
	static const struct {
		const char *request, *file;
	} cases[] = {
		{"fast", FIXTURES "sonic_fast.txt"},
		{"optics", FIXTURES "sonic_optics.txt"},
		{"config", FIXTURES "sonic_config.txt"},
		{"modules", FIXTURES "sonic_modules.txt"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len;
		char *good = read_file(cases[i].file, &len);

		assert_non_null(good);
		hostile_answers(sonic(), &leaf, cases[i].request, good, len);
		free(good);
	}
}

CASES_MAIN(NULL, NULL)
