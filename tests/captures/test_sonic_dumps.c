/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/captures/sonic_ask.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

/*
 * Captured databases in a real Redis, asked with the exact command lines of plan(). The dialect's
 * result is compared with the output of SONiC's own programs for the same databases.
 */

#define DB   "switches/sonic/db/"
#define GNMI "switches/sonic/gnmi/"
#define CLI  "switches/sonic/cli/"
#define LAB  "lab/sonic/cli/"

static struct covered needs[] = {{"identity", NOTHING}, {"queue drops", NOTHING},
	{"priority-group drops", NOTHING}, {"FEC histogram", NOTHING},
	{"pause duration received", NOTHING}, {"ECN marks", NOTHING}, {"PFC watchdog", NOTHING},
	{"PFC watchdog settings", NOTHING}, {"PFC settings", NOTHING}, {"ECN settings", NOTHING},
	{"DSCP and queue maps", NOTHING}, {"hash settings", NOTHING},
	{"optics: thresholds", NOTHING}, {"optics: light received", NOTHING},
	{"optics: light sent", NOTHING}, {"optics: bias current", NOTHING},
	{"optics: temperature", NOTHING}, {"queue watermarks", NOTHING},
	{"headroom watermarks", NOTHING}, {"port counters", NOTHING}, {"queue counters", NOTHING},
	{"link flaps", NOTHING}, {"port state", NOTHING}};

static void by(const char *need, enum evidence e)
{
	covered(needs, sizeof(needs) / sizeof(needs[0]), need, e);
}

static struct facts facts;
static const struct target leaf = {.device = "leaf-r0-00",
	.tier = TIER_LEAF,
	.transport = TRANSPORT_SSH,
	.lossless = 0x18,
	.facts = &facts};

static void start(struct sonic_redis *r)
{
	char path[512];

	/* Skips here: a test that is skipped later would leave its server behind. */
	(void)capture_path(DB "mock_APPL_DB.json", path, sizeof(path));
	facts_free(&facts);
	if (!sonic_redis_start(r))
		skip();
}

static void load_capture(const struct sonic_redis *r, int asic, int db, const char *file)
{
	char path[512], name[256];

	str_printf(name, sizeof(name), DB "%s", file);
	sonic_redis_load(r, asic, db, capture_path(name, path, sizeof(path)));
}

/* ---- polling ---- */

static struct obs *ask(const struct sonic_redis *r, enum poll_tier tier, const char *name)
{
	return sonic_ask(r, &leaf, &facts, tier, name);
}

static struct obs *fast(const struct sonic_redis *r)
{
	return ask(r, POLL_FAST, "fast");
}

/* ---- dumps of real switches, where they are at hand ---- */

CASE(a_real_34_port_switch)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	start(&r);
	load_capture(&r, -1, COUNTERS_DB, "t1_COUNTERS_DB.redisdl.json");
	load_capture(&r, -1, CONFIG_DB, "t1_CONFIG_DB.redisdl.json");
	load_capture(&r, -1, STATE_DB, "t1_STATE_DB.redisdl.json");
	o = fast(&r);
	assert_int_equal(o->ports.n, 34);
	p = at_port(o, "Ethernet84");
	assert_int_equal(cell_count(p, "rx_bytes", 0), 3644049);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 4448265);
	assert_int_equal(cell_count(p, "rx_discards", 0), 38717);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 0);
	assert_int_equal(cell_count(p, "pg_watermark_bytes", 3), 256);
	/* A release of 2020: no FEC counters, no watchdog started. */
	assert_int_equal(cell_validity(p, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "fec_bin", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "pfcwd_storm_detected", 3), VALID_DISABLED);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_int_equal(capability_of(o, "FEC counters", NULL), VALID_UNSUPPORTED);
	/* This release has no FLEX_COUNTER_TABLE row for the group: off. */
	assert_int_equal(cell_validity(p, "pg_drops", 3), VALID_DISABLED);
	obs_free(o);
	o = ask(&r, POLL_MEDIUM, "optics");
	assert_int_equal(o->ports.n, 34 + 8); /* with the bundles */
	/* Copper: 0 V, 0 C, -inf. */
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet84"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	obs_free(o);
	o = ask(&r, POLL_SLOW, "config");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "Arista-7050CX3-32S-C32");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HOSTNAME, 0), "str2-7050cx3-acs-03");
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 65100);
	/* No QoS tables in it, and no ECMP_HASH_CAPABLE. */
	assert_int_equal(capability_of(o, "DSCP and queue maps", NULL), VALID_DISABLED);
	assert_int_equal(capability_of(o, "ECN settings", NULL), VALID_DISABLED);
	assert_int_equal(capability_of(o, "PFC watchdog settings", NULL), VALID_DISABLED);
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	o = ask(&r, POLL_SLOW, "modules");
	assert_string_equal(attr_word(at_port(o, "Ethernet84"), ATTR_MEDIA, 0),
		"QSFP28 40GBASE-CR4 1002971101");
	assert_string_equal(attr_word(at_port(o, "Ethernet84"), ATTR_MODULE_SN, 0), "827120366");
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	sonic_redis_stop(&r);
	by("identity", REAL);
	by("port counters", REAL);
	by("queue counters", REAL);
	by("queue drops", REAL);
}

static void start_mocked(struct sonic_redis *r)
{
	start(r);
	load_capture(r, -1, APPL_DB, "mock_APPL_DB.json");
	load_capture(r, -1, COUNTERS_DB, "mock_COUNTERS_DB.json");
	load_capture(r, -1, CONFIG_DB, "mock_CONFIG_DB.json");
	load_capture(r, -1, STATE_DB, "mock_STATE_DB.json");
}

CASE(a_mocked_switch_with_a_storm)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	start_mocked(&r);
	o = fast(&r);
	assert_int_equal(o->ports.n, 3);
	p = at_port(o, "Ethernet0");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 1);
	assert_int_equal(cell_count(p, "pfcwd_storm_restored", 3), 0);
	assert_int_equal(cell_count(p, "pfcwd_drops", 3), 600);
	assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 600);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 19);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 4), 12);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 203);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 7), 217);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 130402);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 3);
	assert_int_equal(cell_count(p, "fec_bin", 0), 1000000);
	assert_int_equal(cell_count(p, "fec_bin", 7), 300000);
	assert_int_equal(cell_count(p, "fec_bin", 15), 0);
	/* Only the watchdog's history knows these. */
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 20000003);
	assert_int_equal(cell_count(p, "pfc_rx_transitions", 4), 24);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "down");
	/* It is down: the 100G of STATE_DB are of its last link, APPL_DB asks for 25G. */
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 25000);
	/* Three transitions that end down, counted from a clear while up: two downs. */
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	obs_free(o);
	o = ask(&r, POLL_SLOW, "config");
	p = at_port(o, "Ethernet0");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x18);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 4) == 1048576);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 4) == 2097152);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 4) == 5);
	assert_true(isnan(attr_number(p, ATTR_HEADROOM_BYTES, 3))); /* "NULL", nothing in APPL_DB */
	assert_true(attr_number(at_port(o, NULL), ATTR_PFCWD_POLL_MS, 0) == 600);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HOSTNAME, 0), "sonic-switch");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_SERIAL, 0), "TH0F6N2RCET0007600NG");
	/* Ethernet0:4 has no programmed watchdog, so only the configured time is known. */
	assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 4) == 600);
	obs_free(o);
	o = ask(&r, POLL_SLOW, "modules");
	p = at_port(o, "Ethernet8");
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM) == 80);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -8.9008);
	assert_true(attr_number(p, ATTR_TX_POWER_LIMIT, LIMIT_LOW_ALARM) == -10.5012);
	assert_true(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_HIGH_WARN) == 12.998);
	assert_true(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_LOW_ALARM) == 2.9696);
	obs_free(o);
	o = ask(&r, POLL_MEDIUM, "optics");
	assert_true(cell_value(at_port(o, "Ethernet0"), "rx_power_dbm", 1) == -0.4871);
	assert_true(cell_value(at_port(o, "Ethernet8"), "tx_bias_ma", 5) == 8.224);
	assert_true(cell_value(at_port(o, "Ethernet8"), "tx_power_dbm", 0) == 1.175);
	assert_true(cell_value(at_port(o, "Ethernet0"), "temperature_c", 0) == 30.9258);
	by("optics: thresholds", AUTHORED);
	by("optics: light received", AUTHORED);
	by("optics: light sent", AUTHORED);
	by("optics: bias current", AUTHORED);
	by("optics: temperature", AUTHORED);
	by("link flaps", AUTHORED);
	by("port state", AUTHORED);
	obs_free(o);
	sonic_redis_stop(&r);
}

/* `config qos reload` of a 32-port switch: tables of tables, as sonic-cfggen writes them. */
CASE(generated_qos_settings)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;
	char path[512];
	json_error_t e;
	json_t *tables = json_load_file(
		capture_path(DB "qos_CONFIG_DB_generated.json", path, sizeof(path)), 0, &e);
	const char *dscp;

	assert_non_null(tables);
	start(&r);
	sonic_redis_load_tables(&r, -1, CONFIG_DB, tables);
	json_decref(tables);
	free(sonic_redis_cli(&r, -1, "-n 2 hset COUNTERS_PORT_NAME_MAP Ethernet0 oid:0x1"));
	free(sonic_redis_cli(&r, -1,
		"-n 4 hset 'PORT_QOS_MAP|Ethernet0' dscp_to_tc_map AZURE tc_to_queue_map AZURE "
		"tc_to_pg_map AZURE pfc_to_queue_map AZURE pfc_enable 3,4"));
	free(sonic_redis_cli(&r, -1,
		"-n 4 hset 'QUEUE|Ethernet0|3' wred_profile '[WRED_PROFILE|AZURE_LOSSLESS]'"));
	o = ask(&r, POLL_SLOW, "config");
	p = at_port(o, "Ethernet0");
	dscp = attr_word(p, ATTR_DSCP_TO_TC, 0);
	assert_int_equal(strlen(dscp), 64);
	assert_int_equal(dscp[0], '1');
	assert_int_equal(dscp[3], '3');
	assert_int_equal(dscp[4], '4');
	assert_int_equal(dscp[26], '1');
	assert_string_equal(attr_word(p, ATTR_TC_TO_QUEUE, 0), "01234567");
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "00034007");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "01234567");
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x08);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 1048576);
	assert_int_equal(capability_of(o, "DSCP and queue maps", NULL), VALID_OK);
	by("DSCP and queue maps", AUTHORED);
	obs_free(o);
	sonic_redis_stop(&r);
}

/* ---- the output of the switch's own programs for the same databases ---- */

/* "1,234" of a table; NAN for "N/A". */
static double number(const char *text)
{
	char digits[40];
	size_t n = 0;

	for (; *text && n + 1 < sizeof(digits); text++)
		if (*text != ',')
			digits[n++] = *text;
	digits[n] = '\0';
	return digits[0] >= '0' && digits[0] <= '9' ? strtod(digits, NULL) : (double)NAN;
}

/*
 * The column-th word of the nth line (from 0) that begins with these words; false: there is none.
 * Column 0 is the first word after them.
 */
static bool table_cell(
	const char *text, const char *begins, unsigned nth, unsigned column, char *dst, size_t size)
{
	for (const char *line = text; line && *line;) {
		const char *next = strchr(line, '\n');
		const char *at = line + strspn(line, " ");

		if (strncmp(at, begins, strlen(begins)) == 0 && nth-- == 0) {
			at += strlen(begins);
			for (unsigned i = 0; i <= column; i++) {
				at += strspn(at, " ");
				if (i < column)
					at += strcspn(at, " \n");
			}
			str_copyn(dst, size, at, strcspn(at, " \n"));
			return *dst != '\0';
		}
		line = next ? next + 1 : NULL;
	}
	return false;
}

/* One line of a table of the switch, and the counters that its columns are. */
static const struct row {
	const char *file, *begins;
	unsigned nth, column;
	const char *port, *counter;
	unsigned sub;
} tables[] = {
	{LAB "pfcstat.txt", "Ethernet0", 0, 3, "Ethernet0", "pfc_rx_frames", 3},
	{LAB "pfcstat.txt", "Ethernet4", 0, 4, "Ethernet4", "pfc_rx_frames", 4},
	{LAB "pfcstat.txt", "Ethernet8", 0, 0, "Ethernet8", "pfc_rx_frames", 0},
	{LAB "pfcstat.txt", "Ethernet0", 1, 0, "Ethernet0", "pfc_tx_frames", 0},
	{LAB "pfcstat.txt", "Ethernet8", 1, 7, "Ethernet8", "pfc_tx_frames", 7},
	{LAB "portstat-f.txt", "Ethernet0", 0, 1, "Ethernet0", "fec_corrected_codewords", 0},
	{LAB "portstat-f.txt", "Ethernet0", 0, 2, "Ethernet0", "fec_uncorrectable_codewords", 0},
	{LAB "portstat-f.txt", "Ethernet0", 0, 3, "Ethernet0", "fec_symbol_errors", 0},
	{LAB "portstat-f.txt", "Ethernet4", 0, 1, "Ethernet4", "fec_corrected_codewords", 0},
	{LAB "portstat-f.txt", "Ethernet8", 0, 2, "Ethernet8", "fec_uncorrectable_codewords", 0},
	{LAB "show-interfaces-counters-fec-histogram-Ethernet0.txt", "BIN0", 0, 0, "Ethernet0",
		"fec_bin", 0},
	{LAB "show-interfaces-counters-fec-histogram-Ethernet0.txt", "BIN7", 0, 0, "Ethernet0",
		"fec_bin", 7},
	{LAB "show-interfaces-counters-fec-histogram-Ethernet0.txt", "BIN15", 0, 0, "Ethernet0",
		"fec_bin", 15},
	{LAB "wredstat.txt", "Ethernet0    UC3", 0, 0, "Ethernet0", "wred_drops", 3},
	{LAB "wredstat.txt", "Ethernet0    UC3", 0, 2, "Ethernet0", "ecn_marked_packets", 3},
	{LAB "wredstat.txt", "Ethernet4    UC4", 0, 2, "Ethernet4", "ecn_marked_packets", 4},
	{LAB "queuestat.txt", "Ethernet0    UC3", 0, 0, "Ethernet0", "queue_tx_packets", 3},
	{LAB "queuestat.txt", "Ethernet0    UC4", 0, 1, "Ethernet0", "queue_tx_bytes", 4},
	{LAB "queuestat.txt", "Ethernet8    UC4", 0, 2, "Ethernet8", "queue_drops", 4},
	{LAB "show-pfc-counters-history.txt", "Ethernet0        PFC3", 0, 0, "Ethernet0",
		"pfc_rx_transitions", 3},
	{LAB "show-pfc-counters-history.txt", "Ethernet0        PFC3", 0, 1, "Ethernet0",
		"pfc_rx_duration_us", 3},
	{LAB "show-pfc-counters-history.txt", "Ethernet8        PFC4", 0, 1, "Ethernet8",
		"pfc_rx_duration_us", 4},
	{LAB "pg-drop-c-show.txt", "Ethernet0", 0, 3, "Ethernet0", "pg_drops", 3},
	{LAB "pg-drop-c-show.txt", "Ethernet8", 0, 4, "Ethernet8", "pg_drops", 4},
	{LAB "show-interfaces-flap.txt", "Ethernet0 ", 0, 0, "Ethernet0", "carrier_changes", 0},
	{LAB "portstat.txt", "Ethernet0", 0, 1, "Ethernet0", "rx_packets", 0},
	{LAB "portstat.txt", "Ethernet4", 0, 1, "Ethernet4", "rx_packets", 0},
	{LAB "portstat.txt", "Ethernet0", 0, 5, "Ethernet0", "rx_errors", 0},
	{LAB "portstat.txt", "Ethernet0", 0, 6, "Ethernet0", "rx_discards", 0},
	{CLI "show_pfc_counters.txt", "Ethernet4", 0, 3, "Ethernet4", "pfc_rx_frames", 3},
	{CLI "show_pfc_counters_history.txt", "Ethernet0        PFC4", 0, 1, "Ethernet0",
		"pfc_rx_duration_us", 4},
	{LAB "show-pfc-counters.txt", "Ethernet8", 0, 4, "Ethernet8", "pfc_rx_frames", 4},
	{LAB "show-pfc-counters.txt", "Ethernet8", 1, 4, "Ethernet8", "pfc_tx_frames", 4},
	{CLI "show_interfaces_counters.txt", "Ethernet0", 0, 1, "Ethernet0", "rx_packets", 0},
	{CLI "show_interfaces_counters.txt", "Ethernet4", 0, 6, "Ethernet4", "rx_discards", 0},
	{LAB "show-interfaces-counters.txt", "Ethernet8", 0, 5, "Ethernet8", "rx_errors", 0},
	{LAB "show-interfaces-counters-a.txt", "Ethernet0", 0, 1, "Ethernet0", "rx_packets", 0},
	{CLI "show_interfaces_counters_fec_stats.txt", "Ethernet0", 0, 1, "Ethernet0",
		"fec_corrected_codewords", 0},
	{LAB "show-interfaces-counters-fec-stats.txt", "Ethernet4", 0, 2, "Ethernet4",
		"fec_uncorrectable_codewords", 0},
	{CLI "show_interfaces_counters_fec_histogram.txt", "BIN3", 0, 0, "Ethernet0", "fec_bin", 3},
	{CLI "show_pg_drop_counters.txt", "Ethernet4", 0, 3, "Ethernet4", "pg_drops", 3},
	{LAB "show-priority-group-drop-counters.txt", "Ethernet4", 0, 4, "Ethernet4", "pg_drops",
		4},
	{CLI "show_queue_counters_port.txt", "Ethernet8    UC3", 0, 2, "Ethernet8", "queue_drops",
		3},
	{LAB "show-queue-counters-Ethernet0.txt", "Ethernet0    UC4", 0, 0, "Ethernet0",
		"queue_tx_packets", 4},
	{LAB "show-queue-counters.txt", "Ethernet4    UC4", 0, 1, "Ethernet4", "queue_tx_bytes", 4},
	{CLI "show_queue_wredcounters_port.txt", "Ethernet8    UC3", 0, 2, "Ethernet8",
		"ecn_marked_packets", 3},
	{LAB "show-queue-wredcounters.txt", "Ethernet0    UC4", 0, 0, "Ethernet0", "wred_drops", 4},
	{CLI "show_interfaces_flap.txt", "Ethernet0 ", 0, 0, "Ethernet0", "carrier_changes", 0},
	{LAB "portstat-e.txt", "Ethernet0", 0, 1, "Ethernet0", "rx_errors", 0},
	{LAB "show-interfaces-counters-errors.txt", "Ethernet8", 0, 1, "Ethernet8", "rx_errors", 0},
	{LAB "pfcstat-d.txt", "Ethernet4", 0, 3, "Ethernet4", "pfc_rx_frames", 3},
	{LAB "show-interfaces-counters-detailed-Ethernet0.txt",
		"Total Packets Received Without Errors..........", 0, 0, "Ethernet0", "rx_packets",
		0},
	{LAB "portstat-l-i-Ethernet0.txt", "Total Packets Transmitted Successfully.........", 0, 0,
		"Ethernet0", "tx_packets", 0},
};

/* High-water marks: another database. */
static const struct row marks[] = {
	{CLI "pg_watermark_shared.txt", "Ethernet0", 0, 3, "Ethernet0", "pg_watermark_bytes", 3},
	{LAB "watermarkstat-t-pg_shared.txt", "Ethernet4", 0, 4, "Ethernet4", "pg_watermark_bytes",
		4},
	{LAB "show-priority-group-watermark-shared.txt", "Ethernet8", 0, 3, "Ethernet8",
		"pg_watermark_bytes", 3},
	{LAB "watermarkstat-t-pg_headroom.txt", "Ethernet4", 0, 3, "Ethernet4",
		"headroom_watermark_bytes", 3},
	{LAB "show-priority-group-watermark-headroom.txt", "Ethernet0", 0, 4, "Ethernet0",
		"headroom_watermark_bytes", 4},
	{CLI "queue_watermark_unicast.txt", "Ethernet4", 0, 3, "Ethernet4", "queue_watermark_bytes",
		3},
	{LAB "watermarkstat-t-q_shared_uni.txt", "Ethernet4", 0, 4, "Ethernet4",
		"queue_watermark_bytes", 4},
	{LAB "show-queue-watermark-unicast.txt", "Ethernet0", 0, 3, "Ethernet0",
		"queue_watermark_bytes", 3},
};

static void same_numbers(const struct obs *o, const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t len;
		char *text = capture_read(rows[i].file, &len), cell[40] = "";
		double ours = cell_value(at_port(o, rows[i].port), rows[i].counter, rows[i].sub);

		if (!table_cell(
			    text, rows[i].begins, rows[i].nth, rows[i].column, cell, sizeof(cell)))
			fail_msg("%s has no %s", rows[i].file, rows[i].begins);
		if (number(cell) != ours)
			fail_msg("%s: %s %s %u: %s there, %.0f here", rows[i].file, rows[i].port,
				rows[i].counter, rows[i].sub, cell, ours);
		free(text);
	}
}

CASE(the_tables_of_the_switch_say_the_same)
{
	struct sonic_redis r;
	struct obs *o;

	start_mocked(&r);
	o = fast(&r);
	same_numbers(o, tables, sizeof(tables) / sizeof(tables[0]));
	obs_free(o);
	sonic_redis_stop(&r);
	by("queue drops", AUTHORED);
	by("priority-group drops", AUTHORED);
	by("FEC histogram", AUTHORED);
	by("pause duration received", AUTHORED);
	by("ECN marks", AUTHORED);
}

/* "3,4", "drop", "N/A": words of tables that the settings come with. */
static void assert_word(const char *file, const char *begins, unsigned column, const char *want)
{
	char cell[40] = "";
	size_t len;
	char *text = capture_read(file, &len);

	assert_true(table_cell(text, begins, 0, column, cell, sizeof(cell)));
	assert_string_equal(cell, want);
	free(text);
}

CASE(the_settings_of_the_switch_say_the_same)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	start_mocked(&r);
	o = ask(&r, POLL_SLOW, "config");
	p = at_port(o, "Ethernet0");
	assert_word(LAB "show-pfc-priority.txt", "Ethernet0", 0, "3,4");
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_word(LAB "show-pfc-priority.txt", "Ethernet8", 0, "N/A");
	assert_true(attr_number(at_port(o, "Ethernet8"), ATTR_PFC_ENABLED, 0) == 0);
	assert_word(LAB "ecnconfig-l.txt", "green_max_threshold", 0, "2097152");
	assert_word(CLI "show_ecn.txt", "green_min_threshold", 0, "1048576");
	assert_word(LAB "show-ecn.txt", "green_drop_probability", 0, "5");
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 2097152);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 1048576);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 5);
	assert_word(LAB "pfcwd-show-config.txt", "Ethernet4", 1, "600");
	assert_word(CLI "pfcwd_show_config.txt", "Ethernet4", 0, "drop");
	assert_word(LAB "show-pfcwd-config.txt", "Ethernet4", 2, "600");
	assert_true(attr_number(at_port(o, "Ethernet4"), ATTR_PFCWD_DETECT_MS, 4) == 600);
	assert_string_equal(attr_word(at_port(o, "Ethernet4"), ATTR_PFCWD_ACTION, 4), "drop");
	obs_free(o);
	o = fast(&r);
	assert_word(LAB "pfcwd-show-stats.txt", "Ethernet0:3", 0, "stormed");
	assert_word(CLI "pfcwd_show_stats.txt", "Ethernet0:3", 1, "1/0");
	assert_word(LAB "show-pfcwd-stats.txt", "Ethernet4:3", 0, "operational");
	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(at_port(o, "Ethernet4"), ATTR_PFCWD_STATE, 3), "operational");
	assert_int_equal(cell_count(at_port(o, "Ethernet8"), "pfcwd_storm_detected", 4), 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet8"), "pfcwd_storm_restored", 4), 2);
	assert_word(LAB "show-interfaces-status.txt", "Ethernet0", 6, "down");
	assert_word(CLI "show_interfaces_status.txt", "Ethernet0", 2, "9100");
	assert_word(LAB "show-interfaces-fec-status.txt", "Ethernet0", 1, "rs");
	assert_word(CLI "show_interfaces_fec_status.txt", "Ethernet0", 1, "rs");
	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_OPER, 0), "down");
	assert_true(attr_number(at_port(o, "Ethernet0"), ATTR_MTU, 0) == 9100);
	assert_string_equal(attr_word(at_port(o, "Ethernet0"), ATTR_FEC, 0), "rs");
	obs_free(o);
	sonic_redis_stop(&r);
	by("PFC watchdog", AUTHORED);
	by("PFC watchdog settings", AUTHORED);
	by("PFC settings", AUTHORED);
	by("ECN settings", AUTHORED);
}

/* Hashes and maps of a current release, as its telemetry prints them. */
CASE(tables_of_a_current_release)
{
	char path[512];
	json_error_t e;
	struct sonic_redis r;
	json_t *queues = json_load_file(
		       capture_path(GNMI "queue_map.json", path, sizeof(path)), 0, &e),
	       *groups =
		       json_load_file(capture_path(GNMI "pg_map.json", path, sizeof(path)), 0, &e);
	json_t *maps = json_pack("{s:o,s:o,s:{s:s,s:s}}", "COUNTERS_QUEUE_NAME_MAP", queues,
		"COUNTERS_PG_NAME_MAP", groups, "COUNTERS_PORT_NAME_MAP", "Ethernet68", "oid:0x1",
		"Ethernet0", "oid:0x2");
	struct obs *o;
	struct obs_port_ref p;

	start(&r);
	sonic_redis_load_hashes(&r, -1, COUNTERS_DB, maps);
	json_decref(maps);
	sonic_redis_load(
		&r, -1, CONFIG_DB, capture_path(GNMI "pfcwd_CONFIG_DB.json", path, sizeof(path)));
	sonic_redis_load(&r, -1, STATE_DB,
		capture_path(GNMI "port_operr_STATE_DB.json", path, sizeof(path)));
	sonic_redis_load(
		&r, -1, STATE_DB, capture_path(GNMI "PORT_TABLE_STATE.json", path, sizeof(path)));
	free(sonic_redis_cli(
		&r, -1, "-n 2 hset COUNTERS:oid:0x1500000000091e SAI_QUEUE_STAT_PACKETS 6803"));
	free(sonic_redis_cli(&r, -1,
		"-n 2 hset COUNTERS:oid:0x1a0000000008e2 "
		"SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS 68"));
	o = fast(&r);
	p = at_port(o, "Ethernet68");
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 6803);
	assert_int_equal(cell_count(p, "pg_drops", 3), 68);
	p = at_port(o, "Ethernet0");
	/* Its link is down, and nobody asks for a speed: STATE_DB's 200G are of the last link. */
	assert_true(isnan(attr_number(p, ATTR_SPEED_MBPS, 0)));
	/* 10:35:20; the other two are older, and the status itself is no reason. */
	assert_string_equal(attr_word(p, ATTR_DOWN_REASON, 0), "data unit crc error");
	obs_free(o);
	o = ask(&r, POLL_SLOW, "config");
	p = at_port(o, "Ethernet68");
	/* One row for all 54 ports. */
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "drop");
	assert_int_equal(capability_of(o, "PFC settings", NULL), VALID_OK);
	assert_int_equal(capability_of(o, "PFC watchdog settings", NULL), VALID_OK);
	obs_free(o);
	sonic_redis_stop(&r);
	by("PFC settings", AUTHORED);
}

/* The fields of show switch-hash, as CONFIG_DB keeps them. */
CASE(the_hash_of_the_switch)
{
	char path[512], list[1024] = "";
	json_error_t e;
	json_t *shown = json_load_file(
		capture_path(CLI "show_switch_hash_global.json", path, sizeof(path)), 0, &e);
	json_t *fields = json_object_get(json_object_get(shown, "ecmp"), "hash_field"), *v;
	struct sonic_redis r;
	struct obs *o;
	size_t i;
	json_t *row;

	assert_int_equal(json_array_size(fields), 17);
	json_array_foreach(fields, i, v)
	{
		size_t n = strlen(list);

		str_printf(list + n, sizeof(list) - n, "%s%s", i ? "," : "", json_string_value(v));
	}
	start(&r);
	row = json_pack("{s:{s:{s:s,s:s,s:s}}}", "SWITCH_HASH", "GLOBAL", "ecmp_hash@", list,
		"ecmp_hash_algorithm", "CRC", "lag_hash_algorithm", "XOR");
	sonic_redis_load_tables(&r, -1, CONFIG_DB, row);
	json_decref(row);
	json_decref(shown);
	free(sonic_redis_cli(&r, -1, "-n 2 hset COUNTERS_PORT_NAME_MAP Ethernet0 oid:0x1"));
	o = ask(&r, POLL_SLOW, "config");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ECMP_HASH, 0),
		"dst-mac src-mac ethertype ip-protocol dst-ip src-ip l4-dst l4-src inner-dst-mac "
		"inner-src-mac inner-ethertype inner-ip-protocol inner-dst-ip inner-src-ip "
		"inner-l4-dst inner-l4-src ipv6-flow-label");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_HASH_ALGORITHM, 0), "crc, LAG xor");
	assert_int_equal(capability_of(o, "hash settings", NULL), VALID_OK);
	obs_free(o);
	sonic_redis_stop(&r);
	by("hash settings", AUTHORED);
}

/* Watermarks that are not zero, beside the switch's tables of them. */
CASE(watermarks)
{
	struct sonic_redis r;
	struct obs *o;

	start(&r);
	load_capture(&r, -1, COUNTERS_DB, "wm_COUNTERS_DB.json");
	o = fast(&r);
	assert_int_equal(o->ports.n, 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "headroom_watermark_bytes", 3), 103);
	assert_int_equal(cell_count(at_port(o, "Ethernet4"), "pg_watermark_bytes", 4), 404);
	assert_int_equal(cell_count(at_port(o, "Ethernet8"), "headroom_watermark_bytes", 4), 804);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "queue_watermark_bytes", 3), 0);
	same_numbers(o, marks, sizeof(marks) / sizeof(marks[0]));
	by("queue watermarks", AUTHORED);
	by("headroom watermarks", AUTHORED);
	obs_free(o);
	sonic_redis_stop(&r);
}

CASE(what_rests_on_which_capture)
{
	covered_print("sonic", needs, sizeof(needs) / sizeof(needs[0]));
}

/* One value of the JSON that the switch prints: [port][queue][key], queue "" where there is none.
 */
static const struct {
	const char *file, *port, *queue, *key, *counter;
	unsigned sub;
} values[] = {
	{LAB "portstat-a-j.txt", "Ethernet0", "", "RX_OK", "rx_packets", 0},
	{LAB "portstat-a-j.txt", "Ethernet4", "", "TX_OK", "tx_packets", 0},
	{LAB "portstat-a-j.txt", "Ethernet8", "", "RX_ERR", "rx_errors", 0},
	{LAB "portstat-j.txt", "Ethernet4", "", "RX_DRP", "rx_discards", 0},
	{LAB "queuestat-j.txt", "Ethernet0", "UC3", "totalpacket", "queue_tx_packets", 3},
	{LAB "queuestat-j.txt", "Ethernet8", "UC4", "droppacket", "queue_drops", 4},
	{LAB "queuestat-p-Ethernet0-j.txt", "Ethernet0", "UC4", "totalbytes", "queue_tx_bytes", 4},
	{LAB "show-queue-counters-json.txt", "Ethernet4", "UC3", "droppacket", "queue_drops", 3},
	{LAB "wredstat-j.txt", "Ethernet0", "UC3", "ecnmarkedpacket", "ecn_marked_packets", 3},
	{LAB "wredstat-j.txt", "Ethernet4", "UC4", "wreddroppacket", "wred_drops", 4},
	{CLI "queuestat_all_json.json", "Ethernet0", "UC3", "droppacket", "queue_drops", 3},
	{CLI "show_queue_counters.json", "Ethernet8", "UC3", "totalpacket", "queue_tx_packets", 3},
	{CLI "show_queue_wredcounters_port.json", "Ethernet8", "UC3", "ecnmarkedpacket",
		"ecn_marked_packets", 3},
};

CASE(the_json_of_the_switch_says_the_same)
{
	struct sonic_redis r;
	struct obs *o;

	start_mocked(&r);
	o = fast(&r);
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char path[512];
		json_error_t e;
		json_t *doc =
			json_load_file(capture_path(values[i].file, path, sizeof(path)), 0, &e);
		const json_t *at = json_object_get(doc, values[i].port);
		const char *text;

		if (*values[i].queue)
			at = json_object_get(at, values[i].queue);
		text = json_string_value(json_object_get(at, values[i].key));
		if (!text)
			fail_msg("%s has no %s", values[i].file, values[i].key);
		if (number(text) !=
			cell_value(at_port(o, values[i].port), values[i].counter, values[i].sub))
			fail_msg("%s: %s is %s there", values[i].file, values[i].key, text);
		json_decref(doc);
	}
	/* Periods of `counterpoll show`; "default (60000)" for the watermarks. */
	assert_int_equal(o->refresh_ms[GROUP_PORT], 1000);
	assert_int_equal(o->refresh_ms[GROUP_QUEUE], 10000);
	assert_int_equal(o->refresh_ms[GROUP_PGDROP], 10000);
	assert_word(LAB "counterpoll-show.txt", "PORT_STAT", 0, "1000");
	assert_word(LAB "counterpoll-show.txt", "QUEUE_STAT", 0, "10000");
	assert_word(CLI "counterpoll_show.txt", "PG_DROP_STAT", 0, "10000");
	obs_free(o);
	sonic_redis_stop(&r);
}

/* "RX2Power: -0.4871dBm" */
static double reading(const char *file, const char *label)
{
	char cell[40] = "";
	size_t len;
	char *text = capture_read(file, &len);

	assert_true(table_cell(text, label, 0, 0, cell, sizeof(cell)));
	free(text);
	return strtod(cell, NULL);
}

CASE(the_optics_of_the_switch_say_the_same)
{
	static const struct {
		const char *file, *port;
	} shown[] = {{LAB "sfpshow-eeprom-d.txt", "Ethernet0"},
		{LAB "show-interfaces-transceiver-eeprom-dom-Ethernet0.txt", "Ethernet0"},
		{CLI "transceiver_eeprom_dom_qsfp.txt", "Ethernet0"},
		{CLI "transceiver_eeprom_dom_qsfpdd.txt", "Ethernet8"}};
	struct sonic_redis r;
	struct obs *o, *modules;

	start_mocked(&r);
	o = ask(&r, POLL_MEDIUM, "optics");
	modules = ask(&r, POLL_SLOW, "modules");
	for (size_t i = 0; i < sizeof(shown) / sizeof(shown[0]); i++) {
		struct obs_port_ref p = at_port(o, shown[i].port);

		assert_true(
			cell_value(p, "rx_power_dbm", 0) == reading(shown[i].file, "RX1Power:"));
		assert_true(
			cell_value(p, "rx_power_dbm", 1) == reading(shown[i].file, "RX2Power:"));
		assert_true(cell_value(p, "temperature_c", 0) ==
			    reading(shown[i].file, "Temperature:"));
		p = at_port(modules, shown[i].port);
		assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) ==
			    reading(shown[i].file, "RxPowerLowAlarm   :"));
		assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM) ==
			    reading(shown[i].file, "TempHighAlarm  :"));
	}
	obs_free(o);
	obs_free(modules);
	sonic_redis_stop(&r);
}

/* The complaint of the switch's client about a database that it does not know. */
CASE(what_the_client_complains_of)
{
	struct obs *o = obs_new("leaf-r0-00", "fast");
	struct err err = {0};
	size_t len;
	char *text = capture_read(LAB "sonic-db-cli-NOSUCH_DB-KEYS-.txt.err", &len);

	assert_false(backend_by_name("sonic")->parse(&leaf, "fast", text, len, o, &err));
	assert_non_null(strstr(err.text, "Failed to find NOSUCH_DB"));
	free(text);
	obs_free(o);
}

int main(void)
{
	int failed = cases_run(NULL, NULL);

	facts_free(&facts);
	return failed;
}
