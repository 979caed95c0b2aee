/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"
#include "tests/support/obs_find.h"

#define FIXTURES "tests/backends/fixtures/cumulus_"

/* A leaf with one lossless priority; facts are those of DETECT and settings. */
struct leaf {
	struct target t;
	struct facts facts;
};

static int leaf_new(void **state)
{
	struct leaf *l = calloc(1, sizeof(*l));

	l->t = (struct target){.device = "leaf-r0-00",
		.tier = TIER_LEAF,
		.transport = TRANSPORT_HTTPS,
		.lossless = 1u << 3,
		.facts = &l->facts};
	facts_set(&l->facts, "release", "511");
	*state = l;
	return 0;
}

static int leaf_free(void **state)
{
	facts_free(&((struct leaf *)*state)->facts);
	free(*state);
	return 0;
}

static const struct backend_ops *cumulus(void)
{
	return backend_by_name("cumulus");
}

static struct obs *decode(const struct leaf *l, const char *request, const char *text)
{
	struct obs *o = obs_new(l->t.device, request);
	struct err err = {0};

	if (!cumulus()->parse(&l->t, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", request, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	return o;
}

static struct obs *decode_file(const struct leaf *l, const char *request, const char *fixture)
{
	char path[256], *text;
	struct obs *o;

	str_printf(path, sizeof(path), FIXTURES "%s", fixture);
	text = read_file(path, NULL);
	assert_non_null(text);
	o = decode(l, request, text);
	free(text);
	return o;
}

/* One port's object as a shell's loop prints it. */
static struct obs *decode_block(struct leaf *l, const char *request, const char *fixture)
{
	char path[256], whole[8192], *text;

	str_printf(path, sizeof(path), FIXTURES "%s", fixture);
	text = read_file(path, NULL);
	assert_non_null(text);
	assert_true(str_printf(whole, sizeof(whole), "@swp1\n%s\n@\n", text));
	free(text);
	l->t.transport = TRANSPORT_SSH;
	return decode(l, request, whole);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

CASE_WITH(identity_release_and_what_there_never_is, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	struct obs *o = decode(l, "system",
		"{\"build\":\"Cumulus Linux 5.9.2\",\"hostname\":\"ours-leaf\",\"uptime\":763}");
	struct obs_port_ref dev = at_port(o, NULL);
	const char *cure;

	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "5.9.2");
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "ours-leaf");
	assert_true(near(attr_number(dev, ATTR_UPTIME_S, 0), 763));
	assert_int_equal(capability_of(o, "identity", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "headroom watermarks", NULL), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "event log", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "ssh"));
	assert_int_equal(capability_of(o, "FEC counters", &cure), VALID_UNSUPPORTED);
	assert_string_equal(cure, "needs release 5.10");
	facts_learn(&l->facts, o);
	assert_string_equal(facts_get(&l->facts, "release"), "509");
	obs_free(o);
	o = decode(
		l, "system", "{\"build\":\"Cumulus Linux 5.11.0\",\"uptime\":\"2 days, 0:00:03\"}");
	assert_true(near(attr_number(at_port(o, NULL), ATTR_UPTIME_S, 0), 172803));
	assert_int_equal(capability_of(o, "FEC counters", NULL), VALID_UNKNOWN);
	obs_free(o);
	o = decode(l, "platform", "{\"product-name\":\"SN-OURS\",\"serial-number\":\"MT77\"}");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "SN-OURS");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_SERIAL, 0), "MT77");
	obs_free(o);
}

CASE_WITH(state_of_front_panel_ports_only, leaf_new, leaf_free)
{
	struct obs *o = decode_file(*state, "interfaces", "link.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_int_equal(o->ports.n, 3);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), "");
	assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
	assert_string_equal(attr_word(p, ATTR_MAC, 0), "00:53:aa:00:00:01");
	assert_true(near(attr_number(p, ATTR_SPEED_MBPS, 0), 400000));
	assert_true(near(attr_number(p, ATTR_MTU, 0), 9216));
	/* 2^53 + 1: a double would lose it. */
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(9007199254740993));
	assert_int_equal(cell_count(p, "tx_bytes", 0), 2048);
	assert_int_equal(cell_count(p, "rx_packets", 0), 55);
	assert_int_equal(cell_count(p, "tx_packets", 0), 77);
	assert_int_equal(cell_count(p, "rx_discards", 0), 3);
	assert_int_equal(cell_count(p, "rx_errors", 0), 4);
	assert_int_equal(cell_count(p, "tx_discards", 0), 5);
	assert_int_equal(cell_count(p, "tx_errors", 0), 6);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 9);
	assert_int_equal(cell_count(p, "link_down_events", 0), 4);
	assert_int_equal(o->refresh_ms[GROUP_PORT], 2000);
	obs_free(o);
}

CASE_WITH(a_port_that_is_held_down, leaf_new, leaf_free)
{
	struct obs *o = decode_file(*state, "interfaces", "link.json");
	struct obs_port_ref p = at_port(o, "swp2s0");

	assert_string_equal(attr_word(p, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "down");
	assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), "linkflap");
	assert_true(isnan(attr_number(p, ATTR_SPEED_MBPS, 0)));
	/* Seven transitions and down: four times down. */
	assert_int_equal(cell_count(p, "link_down_events", 0), 4);
	/* The port shows other groups: an absent group is unsupported. */
	assert_int_equal(cell_validity(p, "rx_packets", 0), VALID_UNSUPPORTED);
	p = at_port(o, "swp3");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_int_equal(cell_validity(p, "rx_packets", 0), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "port counters", NULL), VALID_OK);
	obs_free(o);
}

CASE_WITH(counters_with_units_before_5_13, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	struct obs *o;
	struct obs_port_ref p;

	facts_set(&l->facts, "ecn.classes", "3,");
	o = decode_block(l, "qos", "qos_511.json");
	p = at_port(o, "swp1");
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 184);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 3728);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 12);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 99);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 91);
	assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(94757715968));
	assert_int_equal(cell_count(p, "queue_tx_bytes", 0), 1536);
	assert_int_equal(cell_count(p, "queue_drops", 3), 7);
	assert_int_equal(cell_count(p, "wred_drops", 3), 8);
	assert_int_equal(cell_count(p, "pg_drops", 3), 2053);
	assert_int_equal(cell_count(p, "rx_pause_frames", 0), 1);
	assert_int_equal(cell_count(p, "tx_pause_frames", 0), 2);
	/* The port's marks are those of the only class that marks. */
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 693);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 0), VALID_UNKNOWN);
	assert_int_equal(cell_validity(p, "pfc_rx_frames", 4), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "ECN marks", NULL), VALID_OK);
	obs_free(o);
}

CASE_WITH(marks_of_several_classes_are_nobodys, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	const char *cure;
	struct obs *o = decode_block(l, "qos", "qos_511.json");

	/* The settings have not come yet: they may tell. */
	assert_int_equal(cell_validity(at_port(o, "swp1"), "ecn_marked_packets", 3), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "ECN marks", NULL), VALID_OK);
	obs_free(o);
	facts_set(&l->facts, "ecn.classes", "0,3,");
	o = decode_block(l, "qos", "qos_511.json");
	assert_int_equal(
		cell_validity(at_port(o, "swp1"), "ecn_marked_packets", 3), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "ECN marks", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "5.13"));
	obs_free(o);
}

CASE_WITH(raw_counters_by_queue_from_5_13, leaf_new, leaf_free)
{
	struct obs *o = decode_file(*state, "qos", "qos_513.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 31);
	assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(9007199254740995));
	assert_int_equal(cell_count(p, "queue_drops", 3), 7);
	assert_int_equal(cell_count(p, "pg_drops", 3), 13);
	p = at_port(o, "swp2");
	assert_int_equal(cell_validity(p, "pfc_rx_frames", 3), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 5);
	assert_int_equal(cell_validity(p, "queue_drops", 3), VALID_UNSUPPORTED);
	assert_int_equal(o->refresh_ms[GROUP_QUEUE], 2000);
	obs_free(o);
}

CASE_WITH(the_whole_box_at_once_over_ssh, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	struct obs *o;
	struct obs_port_ref p;

	l->t.transport = TRANSPORT_SSH;
	facts_set(&l->facts, "release", "513");
	o = decode_file(l, "roce", "roce.json");
	p = at_port(o, "swp1");
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 184);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 3728);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 6);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 55);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 693);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 8037);
	assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(1) << 30);
	assert_int_equal(cell_count(p, "queue_drops", 3), 2);
	assert_int_equal(cell_count(p, "pg_drops", 3), 3);
	assert_int_equal(cell_count(p, "queue_watermark_bytes", 3), 16384);
	assert_int_equal(cell_count(p, "pg_watermark_bytes", 3), 2097152);
	assert_true(near(cell_value(p, "queue_depth_bytes", 3), 4096));
	obs_free(o);
	/* The slow loop omits the counters that are fresher elsewhere, and only those. */
	facts_set(&l->facts, "ecn.classes", "3,");
	o = decode_block(l, "qos", "qos_511.json");
	p = at_port(o, "swp1");
	assert_int_equal(cell_validity(p, "pfc_rx_frames", 3), VALID_UNKNOWN);
	assert_int_equal(cell_validity(p, "queue_drops", 3), VALID_UNKNOWN);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_UNKNOWN);
	assert_int_equal(cell_count(p, "wred_drops", 3), 8);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 0), 0);
	obs_free(o);
	/* A sum over two classes is nobody's. */
	l->t.lossless = 1u << 3 | 1u << 4;
	o = decode_file(l, "roce", "roce.json");
	assert_int_equal(cell_validity(at_port(o, "swp1"), "pfc_rx_frames", 3), VALID_UNKNOWN);
	obs_free(o);
}

CASE_WITH(watchdog_states, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	const char *cure;
	struct obs *o;
	struct obs_port_ref p;

	facts_set(&l->facts, "watchdog.detect_ms", "300");
	o = decode(l, "watchdog",
		"{\"swp1\":{\"qos\":{\"pfc-watchdog\":{\"state\":\"enabled\",\"status\":{\"3\":{"
		"\"status\":\"DEADLOCK\",\"deadlock-count\":2},\"0\":{\"status\":\"OK\","
		"\"deadlock-count\":0}}}}},"
		"\"swp2\":{\"qos\":{\"pfc-watchdog\":{\"state\":\"disable\"}}}}");
	p = at_port(o, "swp1");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 0), "operational");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 2);
	assert_true(near(attr_number(p, ATTR_PFCWD_DETECT_MS, 3), 300));
	p = at_port(o, "swp2");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "off");
	assert_int_equal(cell_validity(p, "pfcwd_storm_detected", 3), VALID_DISABLED);
	assert_string_equal(cell_cure(p, "pfcwd_storm_detected", 3),
		"nv set interface swp2 qos pfc-watchdog state enable");
	assert_int_equal(capability_of(o, "PFC watchdog", NULL), VALID_OK);
	obs_free(o);
	o = decode(
		l, "watchdog", "{\"swp2\":{\"qos\":{\"pfc-watchdog\":{\"state\":\"disable\"}}}}");
	assert_int_equal(capability_of(o, "PFC watchdog", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "pfc-watchdog state enable"));
	obs_free(o);
	o = decode(l, "watchdog-settings",
		"{\"polling-interval\":\"0:00:00.100000\",\"robustness\":3}");
	assert_true(near(attr_number(at_port(o, NULL), ATTR_PFCWD_POLL_MS, 0), 100));
	facts_learn(&l->facts, o);
	assert_string_equal(facts_get(&l->facts, "watchdog.detect_ms"), "300");
	obs_free(o);
}

CASE_WITH(fec_of_both_names, leaf_new, leaf_free)
{
	struct obs *o = decode_file(*state, "phy", "phy.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_int_equal(cell_count(p, "fec_bin", 0), 99000000);
	assert_int_equal(cell_count(p, "fec_bin", 15), 1);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 516);
	assert_int_equal(cell_count(p, "fec_corrected_bits", 0), 1000);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 0);
	assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 2);
	assert_true(fabs(cell_value(p, "pre_fec_ber", 0) - 1e-9) < 1e-15);
	/* "None": no error in 10^12 bits. */
	assert_true(near(cell_value(p, "post_fec_ber", 0), 0));
	p = at_port(o, "swp2");
	assert_true(near(cell_value(p, "pre_fec_ber", 0), 0.005));
	assert_true(near(cell_value(p, "post_fec_ber", 0), 0.002));
	/* No bit came: there is no ratio, and it is not zero. */
	p = at_port(o, "swp3");
	assert_int_equal(cell_validity(p, "pre_fec_ber", 0), VALID_UNKNOWN);
	assert_int_equal(cell_validity(p, "post_fec_ber", 0), VALID_UNKNOWN);
	obs_free(o);
}

CASE_WITH(modules_old_new_and_copper, leaf_new, leaf_free)
{
	struct obs *o = decode_file(*state, "optics", "optics.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "OSFP OURS-400");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "OU0001");
	assert_true(near(cell_value(p, "temperature_c", 0), 48.74));
	assert_true(near(cell_value(p, "voltage_v", 0), 3.2692));
	assert_true(near(cell_value(p, "rx_power_dbm", 0), -0.64));
	assert_true(near(cell_value(p, "tx_power_dbm", 0), 0.53));
	assert_true(near(cell_value(p, "tx_bias_ma", 0), 6.75));
	assert_true(near(cell_value(p, "rx_power_dbm", 1), -40));
	assert_true(near(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM), 80));
	assert_true(near(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_LOW_ALARM), -10));
	assert_true(near(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_HIGH_WARN), 3.465));
	assert_true(near(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM), -13.31));
	assert_true(near(attr_number(p, ATTR_TX_POWER_LIMIT, LIMIT_HIGH_ALARM), 5.4));
	assert_true(near(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_LOW_WARN), 2));
	p = at_port(o, "swp2");
	assert_true(near(cell_value(p, "rx_power_dbm", 0), -3));
	assert_true(near(cell_value(p, "tx_bias_ma", 0), 7.1));
	assert_true(near(cell_value(p, "temperature_c", 0), 31.5));
	p = at_port(o, "swp3");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "CU1");
	assert_int_equal(cell_validity(p, "rx_power_dbm", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "temperature_c", 0), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
	obs_free(o);
}

CASE_WITH(buffers_in_use, leaf_new, leaf_free)
{
	struct obs *o = decode_file(*state, "buffer", "settings.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_true(near(cell_value(p, "queue_depth_bytes", 3), 1024));
	assert_int_equal(cell_count(p, "queue_watermark_bytes", 3), 3072);
	assert_int_equal(cell_count(p, "pg_watermark_bytes", 1), 5120);
	assert_int_equal(capability_of(o, "queue watermarks", NULL), VALID_OK);
	obs_free(o);
}

CASE_WITH(settings_of_a_port, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	struct obs *o = decode_file(l, "settings", "settings.json");
	struct obs_port_ref p = at_port(o, "swp1");
	const char *map;

	assert_true(near(attr_number(p, ATTR_ECN_ENABLED, 0), 8));
	assert_true(near(attr_number(p, ATTR_ECN_MIN_BYTES, 3), 150528));
	assert_true(near(attr_number(p, ATTR_ECN_MAX_BYTES, 3), 1572864));
	assert_true(near(attr_number(p, ATTR_ECN_PROBABILITY, 3), 80));
	assert_true(near(attr_number(p, ATTR_PFC_ENABLED, 0), 8));
	assert_true(near(attr_number(p, ATTR_XOFF_BYTES, 3), 18432));
	assert_true(near(attr_number(p, ATTR_XON_BYTES, 3), 17408));
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	map = attr_word(p, ATTR_DSCP_TO_TC, 0);
	assert_int_equal(strlen(map), 64);
	assert_true(map[0] == '0' && map[1] == '-' && map[26] == '3' && map[48] == '6');
	assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "0--3--6-");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "0--3--6-");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "0--1----");
	p = at_port(o, "swp2");
	assert_true(near(attr_number(p, ATTR_ECN_ENABLED, 0), 0));
	assert_true(near(attr_number(p, ATTR_PFC_ENABLED, 0), 0));
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "pcp");
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "PFC settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "DSCP and queue maps", NULL), VALID_OK);
	facts_learn(&l->facts, o);
	assert_string_equal(facts_get(&l->facts, "ecn.classes"), "3,");
	obs_free(o);
}

CASE_WITH(settings_of_the_roce_status, leaf_new, leaf_free)
{
	struct obs *o = decode(*state, "roce-status",
		"{\"swp1\":{\"congestion-control\":{\"congestion-mode\":\"ecn, absolute\","
		"\"enabled-tc\":\"0,3\",\"max-threshold\":\"1.43 MB\",\"min-threshold\":"
		"\"153.00 KB\",\"probability\":100},\"pfc\":{\"pfc-priority\":\"3\",\"rx-enabled\":"
		"\"yes\",\"tx-enabled\":\"yes\"},\"trust\":{\"trust-mode\":\"pcp,dscp\"},"
		"\"prio-map\":{\"cnp\":{\"pcp\":\"6\",\"dscp\":\"48\",\"switch-prio\":\"6\"},"
		"\"roce\":{\"pcp\":\"3\",\"dscp\":\"26,27\",\"switch-prio\":\"3\"}}}}");
	struct obs_port_ref p = at_port(o, "swp1");
	const char *map = attr_word(p, ATTR_DSCP_TO_TC, 0);

	assert_true(near(attr_number(p, ATTR_ECN_ENABLED, 0), 9));
	assert_true(near(attr_number(p, ATTR_ECN_MIN_BYTES, 0), 156672));
	assert_true(near(attr_number(p, ATTR_ECN_MAX_BYTES, 3), 1499464));
	assert_true(near(attr_number(p, ATTR_PFC_ENABLED, 0), 8));
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	assert_true(map[26] == '3' && map[27] == '3' && map[48] == '6' && map[0] == '-');
	obs_free(o);
}

CASE_WITH(neighbours, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	char text[160];
	struct obs *o = decode(l, "lldp",
		"{\"swp1\":{\"lldp\":{\"neighbor\":{\"node001\":{\"chassis\":{\"system-name\":"
		"\"node001\",\"management-address-ipv4\":\"192.0.2.9\",\"system-description\":"
		"\"Linux\"},\"port\":{\"name\":\"00:53:00:00:00:01\",\"type\":\"mac\","
		"\"description\":\"eth2\"}}}}},\"swp2\":{\"lldp\":{\"neighbor\":{}}},\"swp3\":{}}");

	assert_string_equal(lldp_of(at_port(o, "swp1"), text, sizeof(text)), "node001:eth2");
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_LLDP_MGMT, 0), "192.0.2.9");
	assert_string_equal(lldp_of(at_port(o, "swp2"), text, sizeof(text)), ":");
	assert_int_equal(capability_of(o, "LLDP neighbours", NULL), VALID_OK);
	obs_free(o);
	o = decode(l, "bgp",
		"{\"swp51\":{\"state\":\"established\",\"remote-as\":65199,\"uptime\":90000,"
		"\"address-family\":{\"ipv4-unicast\":{\"prefix-received\":7}}}}");
	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_true(near(o->bgp.at[0].since_s, 90));
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	obs_free(o);
	l->t.transport = TRANSPORT_SSH;
	o = decode(l, "bgp",
		"{\"default\":{\"ipv4Unicast\":{\"routerId\":\"192.0.2.1\",\"as\":65101,\"peers\":{"
		"\"swp51\":{\"remoteAs\":65199,\"state\":\"Active\",\"peerUptimeMsec\":4000,"
		"\"connectionsDropped\":2}}}}}\n");
	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ACTIVE);
	obs_free(o);
}

CASE_WITH(hash_in_everybodys_words, leaf_new, leaf_free)
{
	struct obs *o = decode(*state, "hash",
		"{\"ecmp-hash\":{\"destination-ip\":\"on\",\"source-port\":\"enabled\",\"gtp-"
		"teid\":"
		"\"off\",\"ipv6-label\":\"on\"},\"hash-seed\":50,\"lag-hash\":{\"source-mac\":"
		"\"on\"}}");
	struct obs_port_ref dev = at_port(o, NULL);

	assert_string_equal(attr_word(dev, ATTR_ECMP_HASH, 0), "dst-ip l4-src ipv6-label");
	assert_string_equal(attr_word(dev, ATTR_LAG_HASH, 0), "src-mac");
	assert_string_equal(attr_word(dev, ATTR_HASH_ALGORITHM, 0), "seed 50");
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_OK);
	obs_free(o);
	o = decode(*state, "hash", "{\"programming\":{}}");
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE_WITH(adaptive_routing, leaf_new, leaf_free)
{
	static const char *const cases[][2] = {{"{\"enable\":\"on\"}", "adaptive"},
		{"{\"state\":\"enabled\"}", "adaptive"}, {"{\"state\":\"disabled\"}", "hash"},
		{"{\"enable\":\"off\"}", "hash"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = decode(*state, "balancing", cases[i][0]);

		assert_string_equal(attr_word(at_port(o, NULL), ATTR_BALANCING, 0), cases[i][1]);
		obs_free(o);
	}
}

CASE_WITH(log_lines, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	struct obs *o;
	const char *cure;

	l->t.transport = TRANSPORT_SSH;
	o = decode(
		l, "log", "2026-11-21T17:50:11.123456+00:00 leaf-r0-00 kernel: swp7: link down\n");
	assert_int_equal(o->items.n, 1);
	assert_int_equal(o->items.at[0].kind, OBS_EVENT);
	assert_true(has_port(o, "swp7"));
	obs_free(o);
	o = decode(
		l, "log", "tail: cannot open '/var/log/syslog' for reading: Permission denied\n");
	assert_int_equal(capability_of(o, "event log", &cure), VALID_UNSUPPORTED);
	assert_non_null(strstr(cure, "adm"));
	obs_free(o);
}

CASE_WITH(what_is_asked_when, leaf_new, leaf_free)
{
	struct leaf *l = *state;
	static const struct {
		enum transport_kind transport;
		enum poll_tier tier;
		const char *names;
	} want[] = {
		{TRANSPORT_HTTPS, POLL_DETECT, "system "},
		{TRANSPORT_HTTPS, POLL_FAST, "interfaces qos watchdog "},
		{TRANSPORT_HTTPS, POLL_MEDIUM,
			"phy buffer pools optics lldp bonds mlag segments bgp "},
		{TRANSPORT_HTTPS, POLL_SLOW,
			"system platform settings watchdog-settings hash balancing "},
		{TRANSPORT_HTTPS, POLL_EVENTS, ""},
		{TRANSPORT_SSH, POLL_DETECT, "system commands "},
		{TRANSPORT_SSH, POLL_FAST, "interfaces "},
		{TRANSPORT_SSH, POLL_MEDIUM,
			"qos watchdog pools optics lldp lacp mlag segments bgp "},
		{TRANSPORT_SSH, POLL_SLOW,
			"system platform phy buffer settings watchdog-settings hash balancing "},
		{TRANSPORT_SSH, POLL_EVENTS, "log "},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct request_list list = {0};
		struct err err = {0};
		char names[256] = "";

		l->t.transport = want[i].transport;
		assert_true(cumulus()->plan(&l->t, want[i].tier, &list, &err));
		for (size_t k = 0; k < list.at.n; k++) {
			const struct request *r = &list.at.at[k];

			str_printf(names + strlen(names), sizeof(names) - strlen(names), "%s ",
				r->name);
			assert_true(want[i].tier == POLL_EVENTS ? r->follow : !r->follow);
			/* Nothing that could change a switch. */
			assert_null(r->command ? strstr(r->command, "nv set") : NULL);
			assert_true(!r->method || str_eq(r->method, "GET"));
		}
		assert_string_equal(names, want[i].names);
		requests_free(&list);
	}
	assert_int_equal(cumulus()->https_port, 8765);
}

CASE_WITH(it_knows_itself, leaf_new, leaf_free)
{
	static const char ours[] = "NAME=\"Cumulus Linux\"\nID=cumulus-linux\nVERSION_ID=5.11.1\n";
	static const char other[] = "NAME=\"Debian GNU/Linux\"\nID=debian\n";

	assert_int_equal(cumulus()->score(ours, sizeof(ours) - 1), 100);
	assert_int_equal(cumulus()->score(other, sizeof(other) - 1), 0);
}

CASE_WITH(devices_that_lie, leaf_new, leaf_free)
{
	static const struct {
		const char *request, *fixture;
	} answers[] = {{"interfaces", "link.json"}, {"qos", "qos_513.json"}, {"phy", "phy.json"},
		{"optics", "optics.json"}, {"settings", "settings.json"}};
	struct leaf *l = *state;

	for (size_t i = 0; i < sizeof(answers) / sizeof(answers[0]); i++) {
		char path[256], *text;
		size_t len;

		str_printf(path, sizeof(path), FIXTURES "%s", answers[i].fixture);
		text = read_file(path, &len);
		assert_non_null(text);
		hostile_answers(cumulus(), &l->t, answers[i].request, text, len);
		free(text);
	}
}

CASES_MAIN(NULL, NULL)
