/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

#include "backends/backend.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/tools/obs_find.h"
#include "tests/tools/run_command.h"
#include "tests/tools/sonic_redis.h"

/*
 * The exact command lines that plan() emits, run by a real shell against a real Redis that holds
 * dumps of switches. What the dialect makes of them is held against what the switch's own programs
 * printed of the same databases.
 */

#define FIXTURES "tests/captures/fixtures/"
#define DB       "switches/sonic/db/"
#define CLI      "lab/sonic/cli/"

static struct facts facts;
static const struct target leaf = {.device = "leaf-r0-00",
	.tier = TIER_LEAF,
	.transport = TRANSPORT_SSH,
	.lossless = 0x18,
	.facts = &facts};

static void start(struct sonic_redis *r)
{
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

static char *run_request(const struct sonic_redis *r, enum poll_tier tier, const char *name,
	struct request_list *l, size_t *len)
{
	const char *environment[] = {r->path, NULL};
	struct err err = {0};
	int status;

	assert_true(backend_by_name("sonic")->plan(&leaf, tier, l, &err));
	for (size_t i = 0; i < l->at.n; i++) {
		const char *argv[] = {"bash", "-c", l->at.at[i].command, NULL};

		if (str_eq(l->at.at[i].name, name))
			return run_command(argv, environment, NULL, len, &status);
	}
	fail_msg("no request %s", name);
	return NULL;
}

static struct obs *ask(const struct sonic_redis *r, enum poll_tier tier, const char *name)
{
	struct request_list l = {0};
	struct err err = {0};
	struct obs *o = obs_new(leaf.device, name);
	size_t len;
	char *out = run_request(r, tier, name, &l, &len);

	assert_non_null(out);
	if (!backend_by_name("sonic")->parse(&leaf, name, out, len, o, &err))
		fail_msg("%s in: %.300s", err.text, out);
	if (tier == POLL_FAST)
		print_message("# figure fast reply: %zu ports, %zu bytes\n", o->ports.n, len);
	facts_learn(&facts, o);
	free(out);
	requests_free(&l);
	return o;
}

static struct obs *fast(const struct sonic_redis *r)
{
	return ask(r, POLL_FAST, "fast");
}

/* ---- our own small switch: two ports, every table once ---- */

static void load_ours(const struct sonic_redis *r, int asic)
{
	sonic_redis_load(r, asic, APPL_DB, FIXTURES "sonic_appl.json");
	sonic_redis_load(r, asic, COUNTERS_DB, FIXTURES "sonic_counters.json");
	sonic_redis_load(r, asic, CONFIG_DB, FIXTURES "sonic_config.json");
	sonic_redis_load(r, asic, STATE_DB, FIXTURES "sonic_state.json");
}

static void counters_of_our_own_dump(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	(void)state;
	start(&r);
	load_ours(&r, -1);
	o = fast(&r);
	assert_int_equal(o->ports.n, 2);
	assert_true(o->device_us > INT64_C(1600000000000000));
	assert_int_equal(strlen(attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0)), 36);
	p = at_port(o, "Ethernet0");
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(18446744073709551610));
	assert_int_equal(cell_count(p, "rx_packets", 0), 110);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 31);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 777);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 4), 444); /* estimated */
	assert_int_equal(cell_count(p, "pfc_rx_transitions", 3), 17);
	assert_int_equal(cell_validity(p, "pfc_rx_transitions", 4), VALID_UNSUPPORTED);
	assert_int_equal(cell_count(p, "fec_bin", 0), 1001);
	assert_int_equal(cell_count(p, "fec_bin", 9), 9);
	assert_true(cell_value(p, "post_fec_ber", 0) == 0);
	assert_int_equal(cell_count(p, "queue_drops", 4), 44);
	assert_int_equal(cell_count(p, "queue_watermark_bytes", 3), 1234);
	assert_int_equal(cell_count(p, "headroom_watermark_bytes", 3), 555);
	assert_int_equal(cell_count(p, "pg_drops", 3), 6);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_int_equal(cell_count(p, "pfcwd_drops", 3), 300);
	assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 200);
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 200000);
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_OPER, 0), "down");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet8"), ATTR_DOWN_REASON, 0), "mac remote fault");
	obs_free(o);
	sonic_redis_stop(&r);
}

static void settings_of_our_own_dump(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p, dev;
	char text[128];

	(void)state;
	start(&r);
	load_ours(&r, -1);
	o = ask(&r, POLL_MEDIUM, "optics");
	p = at_port(o, "Ethernet0");
	assert_true(cell_value(p, "rx_power_dbm", 3) == -3.5);
	assert_true(cell_value(p, "temperature_c", 0) == 51.25);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet8"), "temperature_c", 0), VALID_UNSUPPORTED);
	assert_string_equal(lldp_of(p, text, sizeof(text)), "node000:eth0");
	assert_string_equal(attr_word(p, ATTR_LLDP_MGMT, 0), "10.1.0.1");
	assert_string_equal(lldp_of(at_port(o, "Ethernet8"), text, sizeof(text)), ":");
	obs_free(o);

	o = ask(&r, POLL_SLOW, "config");
	p = at_port(o, "Ethernet0");
	dev = at_port(o, NULL);
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x08);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 500000);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 1500000);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 8);
	/* CONFIG_DB leaves the profile to the buffer manager: what it chose is in APPL_DB. */
	assert_true(attr_number(p, ATTR_HEADROOM_BYTES, 3) == 170000);
	assert_true(attr_number(p, ATTR_XON_BYTES, 3) == 18432);
	assert_int_equal(attr_word(p, ATTR_DSCP_TO_TC, 0)[26], '3');
	assert_string_equal(attr_word(p, ATTR_TC_TO_PG, 0), "0--3--7-");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "---34---");
	/* Programmed by orchagent on Ethernet0, configured only on Ethernet8. */
	assert_true(isnan(attr_number(p, ATTR_PFCWD_DETECT_MS, 3)));
	assert_true(attr_number(at_port(o, "Ethernet8"), ATTR_PFCWD_DETECT_MS, 3) == 400);
	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "Our-Switch-64");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "OURS01");
	assert_true(attr_number(dev, ATTR_BGP_AS, 0) == 65042);
	assert_true(attr_number(dev, ATTR_PFCWD_POLL_MS, 0) == 200);
	assert_string_equal(attr_word(dev, ATTR_ECMP_HASH, 0), "src-ip dst-ip l4-src l4-dst");
	assert_string_equal(attr_word(dev, ATTR_HASH_ALGORITHM, 0), "crc");
	obs_free(o);

	o = ask(&r, POLL_SLOW, "modules");
	p = at_port(o, "Ethernet0");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "OPT77");
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM) == 75);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -8);
	assert_true(isnan(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_HIGH_WARN)));
	obs_free(o);
	sonic_redis_stop(&r);
}

static void the_script_is_sent_once_and_after_a_flush(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	char first[64];

	(void)state;
	start(&r);
	load_ours(&r, -1);
	obs_free(fast(&r));
	str_copy(first, sizeof(first), facts_get(&facts, "sha.fast"));
	assert_int_equal(strlen(first), 40);
	o = fast(&r); /* by its SHA1 */
	assert_int_equal(o->ports.n, 2);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "pfc_rx_frames", 3), 31);
	obs_free(o);
	free(sonic_redis_cli(&r, -1, "script flush"));
	o = fast(&r);
	assert_true(o->again);
	assert_string_equal(facts_get(&facts, "sha.fast"), "");
	obs_free(o);
	o = fast(&r);
	assert_int_equal(o->ports.n, 2);
	assert_string_equal(facts_get(&facts, "sha.fast"), first);
	obs_free(o);
	sonic_redis_stop(&r);
}

/* ---- a switch with two ASICs: each has a Redis of its own, behind sudo ---- */

static void two_asics(void **state)
{
	struct sonic_redis r;
	struct obs *o;

	(void)state;
	start(&r);
	sonic_redis_start_asic(&r, 0);
	sonic_redis_start_asic(&r, 1);
	load_ours(&r, 0);
	sonic_redis_load(&r, -1, CONFIG_DB, FIXTURES "sonic_config.json");
	sonic_redis_load(&r, -1, STATE_DB, FIXTURES "sonic_state.json");
	free(sonic_redis_cli(&r, 1, "-n 2 hset COUNTERS_PORT_NAME_MAP Ethernet16 oid:0x1"));
	free(sonic_redis_cli(&r, 1, "-n 2 hset COUNTERS:oid:0x1 SAI_PORT_STAT_IF_IN_OCTETS 1600"));
	sonic_redis_grant(&r, "sonic-db-cli -n asic0");
	sonic_redis_grant(&r, "sonic-db-cli -n asic1");
	facts_set(&facts, "asics", "asic0 asic1");
	facts_set(&facts, "asics.sudo", "yes");
	for (int poll = 0; poll < 2; poll++) {
		o = fast(&r);
		assert_int_equal(o->err.code, ERR_NONE);
		assert_int_equal(o->ports.n, 3);
		assert_false(has_port(o, "Ethernet-BP0"));
		assert_int_equal(cell_count(at_port(o, "Ethernet16"), "rx_bytes", 0), 1600);
		assert_int_equal(cell_count(at_port(o, "Ethernet0"), "pfc_rx_frames", 3), 31);
		assert_int_equal(strlen(facts_get(&facts, "sha.fast")), 40);
		obs_free(o);
	}
	o = ask(&r, POLL_SLOW, "config");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_SERIAL, 0), "OURS01");
	assert_true(attr_number(at_port(o, "Ethernet0"), ATTR_PFC_ENABLED, 0) == 0x18);
	obs_free(o);
	obs_free(ask(&r, POLL_MEDIUM, "optics"));
	obs_free(ask(&r, POLL_SLOW, "modules"));
	/* One ASIC's database is gone: the other goes on, with the error beside it. */
	stop_program(r.asic[1]);
	r.asic[1] = 0;
	o = fast(&r);
	assert_int_equal(o->ports.n, 2);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	obs_free(o);
	sonic_redis_stop(&r);
}

static void detection(void **state)
{
	struct sonic_redis r;
	struct obs *o;

	(void)state;
	start(&r);
	load_ours(&r, -1);
	o = ask(&r, POLL_DETECT, "detect");
	assert_int_equal(strlen(facts_get(&facts, "zone")), 5);
	assert_string_equal(facts_get(&facts, "asics"), "");
	assert_string_equal(facts_get(&facts, "asics.sudo"), "no");
	assert_string_equal(facts_get(&facts, "vtysh"), "plain");
	obs_free(o);
	sonic_redis_grant(&r, "tail -F /var/log/syslog");
	sonic_redis_grant(&r, "rvtysh");
	obs_free(ask(&r, POLL_DETECT, "detect"));
	assert_string_equal(facts_get(&facts, "log"), "sudo-whole");
	assert_string_equal(facts_get(&facts, "vtysh"), "sudo");
	sonic_redis_grant(&r, "tail");
	sonic_redis_grant(&r, "sonic-db-cli");
	obs_free(ask(&r, POLL_DETECT, "detect"));
	assert_string_equal(facts_get(&facts, "log"), "sudo");
	assert_string_equal(facts_get(&facts, "asics.sudo"), "yes");
	sonic_redis_stop(&r);
}

static void bgp_of_containers(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	const char *cure = "";

	(void)state;
	start(&r);
	facts_set(&facts, "vtysh", "plain");
	o = ask(&r, POLL_MEDIUM, "bgp");
	assert_int_equal(capability_of(o, "BGP sessions", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "config feature state bgp"));
	obs_free(o);
	facts_set(&facts, "vtysh", "sudo");
	o = ask(&r, POLL_MEDIUM, "bgp");
	assert_int_equal(capability_of(o, "BGP sessions", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "rvtysh"));
	obs_free(o);
	sonic_redis_grant(&r, "rvtysh");
	sonic_redis_file(&r, "bgp.json",
		"{\"ipv4Unicast\":{\"as\":65042,\"routerId\":\"10.9.9.9\",\"peers\":{\"10.0.0.1\":{"
		"\"remoteAs\":65100,\"state\":\"Active\",\"pfxRcd\":0}}}}",
		0644);
	o = ask(&r, POLL_MEDIUM, "bgp");
	assert_int_equal(capability_of(o, "BGP sessions", &cure), VALID_OK);
	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ACTIVE);
	obs_free(o);
	sonic_redis_stop(&r);
}

/* A switch whose databases are empty answers, and says so. */
static void an_empty_redis(void **state)
{
	struct sonic_redis r;
	struct obs *o;

	(void)state;
	start(&r);
	o = fast(&r);
	assert_int_equal(o->ports.n, 0);
	assert_non_null(strstr(o->err.text, "COUNTERS_PORT_NAME_MAP"));
	obs_free(o);
	obs_free(ask(&r, POLL_MEDIUM, "optics"));
	obs_free(ask(&r, POLL_SLOW, "config"));
	obs_free(ask(&r, POLL_SLOW, "modules"));
	sonic_redis_stop(&r);
}

/* What a switch prints while its database container restarts. */
static void a_dead_redis(void **state)
{
	const struct backend_ops *ops = backend_by_name("sonic");
	struct sonic_redis r;
	struct request_list l = {0};
	struct err err = {0};
	struct obs *o = obs_new("leaf-r0-00", "fast");
	size_t len;
	char *out;

	(void)state;
	start(&r);
	stop_program(r.pid);
	r.pid = 0;
	out = run_request(&r, POLL_FAST, "fast", &l, &len);
	assert_false(ops->parse(&leaf, "fast", out, len, o, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_non_null(strstr(err.text, "Connection refused"));
	assert_non_null(strstr(err.cure, "systemctl status database"));
	obs_free(o);
	free(out);
	requests_free(&l);
	sonic_redis_stop(&r);
}

/* ---- dumps of real switches, where they are at hand ---- */

static void a_real_34_port_switch(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	(void)state;
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
	assert_int_equal(o->ports.n, 34);
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
	assert_string_equal(attr_word(at_port(o, "Ethernet84"), ATTR_MEDIA, 0), "QSFP28 or later");
	assert_string_equal(attr_word(at_port(o, "Ethernet84"), ATTR_MODULE_SN, 0), "827120366");
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	sonic_redis_stop(&r);
}

static void start_mocked(struct sonic_redis *r)
{
	start(r);
	load_capture(r, -1, APPL_DB, "mock_APPL_DB.json");
	load_capture(r, -1, COUNTERS_DB, "mock_COUNTERS_DB.json");
	load_capture(r, -1, CONFIG_DB, "mock_CONFIG_DB.json");
	load_capture(r, -1, STATE_DB, "mock_STATE_DB.json");
}

static void a_mocked_switch_with_a_storm(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	(void)state;
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
	/* STATE_DB's speed wins over the 25G that APPL_DB asks for. */
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 100000);
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
	/* Ethernet0:4 has no programmed watchdog, so the configured time is what is known. */
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
	obs_free(o);
	sonic_redis_stop(&r);
}

/* `config qos reload` of a 32-port switch: tables of tables, as sonic-cfggen writes them. */
static void generated_qos_settings(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;
	char path[512];
	json_error_t e;
	json_t *tables = json_load_file(
		capture_path(DB "qos_CONFIG_DB_generated.json", path, sizeof(path)), 0, &e);
	const char *dscp;

	(void)state;
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
	obs_free(o);
	sonic_redis_stop(&r);
}

/* Watermarks that are not zero; the switch's own table of them is lab's watermarkstat. */
static void watermarks(void **state)
{
	struct sonic_redis r;
	struct obs *o;

	(void)state;
	start(&r);
	load_capture(&r, -1, COUNTERS_DB, "wm_COUNTERS_DB.json");
	o = fast(&r);
	assert_int_equal(o->ports.n, 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "headroom_watermark_bytes", 3), 103);
	assert_int_equal(cell_count(at_port(o, "Ethernet4"), "pg_watermark_bytes", 4), 404);
	assert_int_equal(cell_count(at_port(o, "Ethernet8"), "headroom_watermark_bytes", 4), 804);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "queue_watermark_bytes", 3), 0);
	obs_free(o);
	sonic_redis_stop(&r);
}

/* ---- what the switch's own programs print of the same databases ---- */

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
static const struct {
	const char *file, *begins;
	unsigned nth, column;
	const char *port, *counter;
	unsigned sub;
} tables[] = {
	{CLI "pfcstat.txt", "Ethernet0", 0, 3, "Ethernet0", "pfc_rx_frames", 3},
	{CLI "pfcstat.txt", "Ethernet4", 0, 4, "Ethernet4", "pfc_rx_frames", 4},
	{CLI "pfcstat.txt", "Ethernet8", 0, 0, "Ethernet8", "pfc_rx_frames", 0},
	{CLI "pfcstat.txt", "Ethernet0", 1, 0, "Ethernet0", "pfc_tx_frames", 0},
	{CLI "pfcstat.txt", "Ethernet8", 1, 7, "Ethernet8", "pfc_tx_frames", 7},
	{CLI "portstat-f.txt", "Ethernet0", 0, 1, "Ethernet0", "fec_corrected_codewords", 0},
	{CLI "portstat-f.txt", "Ethernet0", 0, 2, "Ethernet0", "fec_uncorrectable_codewords", 0},
	{CLI "portstat-f.txt", "Ethernet0", 0, 3, "Ethernet0", "fec_symbol_errors", 0},
	{CLI "portstat-f.txt", "Ethernet4", 0, 1, "Ethernet4", "fec_corrected_codewords", 0},
	{CLI "portstat-f.txt", "Ethernet8", 0, 2, "Ethernet8", "fec_uncorrectable_codewords", 0},
	{CLI "show-interfaces-counters-fec-histogram-Ethernet0.txt", "BIN0", 0, 0, "Ethernet0",
		"fec_bin", 0},
	{CLI "show-interfaces-counters-fec-histogram-Ethernet0.txt", "BIN7", 0, 0, "Ethernet0",
		"fec_bin", 7},
	{CLI "show-interfaces-counters-fec-histogram-Ethernet0.txt", "BIN15", 0, 0, "Ethernet0",
		"fec_bin", 15},
	{CLI "wredstat.txt", "Ethernet0    UC3", 0, 0, "Ethernet0", "wred_drops", 3},
	{CLI "wredstat.txt", "Ethernet0    UC3", 0, 2, "Ethernet0", "ecn_marked_packets", 3},
	{CLI "wredstat.txt", "Ethernet4    UC4", 0, 2, "Ethernet4", "ecn_marked_packets", 4},
	{CLI "queuestat.txt", "Ethernet0    UC3", 0, 0, "Ethernet0", "queue_tx_packets", 3},
	{CLI "queuestat.txt", "Ethernet0    UC4", 0, 1, "Ethernet0", "queue_tx_bytes", 4},
	{CLI "queuestat.txt", "Ethernet8    UC4", 0, 2, "Ethernet8", "queue_drops", 4},
	{CLI "show-pfc-counters-history.txt", "Ethernet0        PFC3", 0, 0, "Ethernet0",
		"pfc_rx_transitions", 3},
	{CLI "show-pfc-counters-history.txt", "Ethernet0        PFC3", 0, 1, "Ethernet0",
		"pfc_rx_duration_us", 3},
	{CLI "show-pfc-counters-history.txt", "Ethernet8        PFC4", 0, 1, "Ethernet8",
		"pfc_rx_duration_us", 4},
	{CLI "pg-drop-c-show.txt", "Ethernet0", 0, 3, "Ethernet0", "pg_drops", 3},
	{CLI "pg-drop-c-show.txt", "Ethernet8", 0, 4, "Ethernet8", "pg_drops", 4},
	{CLI "show-interfaces-flap.txt", "Ethernet0 ", 0, 0, "Ethernet0", "carrier_changes", 0},
	{CLI "portstat.txt", "Ethernet0", 0, 1, "Ethernet0", "rx_packets", 0},
	{CLI "portstat.txt", "Ethernet4", 0, 1, "Ethernet4", "rx_packets", 0},
	{CLI "portstat.txt", "Ethernet0", 0, 5, "Ethernet0", "rx_errors", 0},
	{CLI "portstat.txt", "Ethernet0", 0, 6, "Ethernet0", "rx_discards", 0},
};

static void the_tables_of_the_switch_say_the_same(void **state)
{
	struct sonic_redis r;
	struct obs *o;

	(void)state;
	start_mocked(&r);
	o = fast(&r);
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		size_t len;
		char *text = capture_read(tables[i].file, &len), cell[40] = "";
		double ours =
			cell_value(at_port(o, tables[i].port), tables[i].counter, tables[i].sub);

		if (!table_cell(text, tables[i].begins, tables[i].nth, tables[i].column, cell,
			    sizeof(cell)))
			fail_msg("%s has no %s", tables[i].file, tables[i].begins);
		if (number(cell) != ours)
			fail_msg("%s %s %u: %s there, %.0f here", tables[i].port, tables[i].counter,
				tables[i].sub, cell, ours);
		free(text);
	}
	obs_free(o);
	sonic_redis_stop(&r);
}

/* Keys of one port's JSON in portstat -a -j and its counters. */
static void the_json_of_the_switch_says_the_same(void **state)
{
	struct sonic_redis r;
	struct obs *o;
	char path[512];
	json_error_t e;
	json_t *all =
		json_load_file(capture_path(CLI "portstat-a-j.txt", path, sizeof(path)), 0, &e);
	json_t *queues =
		json_load_file(capture_path(CLI "queuestat-j.txt", path, sizeof(path)), 0, &e);
	static const struct {
		const char *key, *counter;
	} columns[] = {{"RX_OK", "rx_packets"}, {"TX_OK", "tx_packets"}, {"RX_ERR", "rx_errors"},
		{"RX_DRP", "rx_discards"}};
	static const char *const ports[] = {"Ethernet0", "Ethernet4", "Ethernet8"};

	(void)state;
	assert_non_null(all);
	assert_non_null(queues);
	start_mocked(&r);
	o = fast(&r);
	for (size_t p = 0; p < 3; p++) {
		const json_t *q = json_object_get(json_object_get(queues, ports[p]), "UC3");

		for (size_t i = 0; i < 4; i++) {
			const char *text = json_string_value(
				json_object_get(json_object_get(all, ports[p]), columns[i].key));

			assert_non_null(text);
			assert_true(number(text) ==
				    cell_value(at_port(o, ports[p]), columns[i].counter, 0));
		}
		assert_true(number(json_string_value(json_object_get(q, "totalpacket"))) ==
			    cell_value(at_port(o, ports[p]), "queue_tx_packets", 3));
		assert_true(number(json_string_value(json_object_get(q, "droppacket"))) ==
			    cell_value(at_port(o, ports[p]), "queue_drops", 3));
	}
	obs_free(o);
	json_decref(all);
	json_decref(queues);
	sonic_redis_stop(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_of_our_own_dump),
		cmocka_unit_test(settings_of_our_own_dump),
		cmocka_unit_test(the_script_is_sent_once_and_after_a_flush),
		cmocka_unit_test(two_asics),
		cmocka_unit_test(detection),
		cmocka_unit_test(bgp_of_containers),
		cmocka_unit_test(an_empty_redis),
		cmocka_unit_test(a_dead_redis),
		cmocka_unit_test(a_real_34_port_switch),
		cmocka_unit_test(a_mocked_switch_with_a_storm),
		cmocka_unit_test(generated_qos_settings),
		cmocka_unit_test(watermarks),
		cmocka_unit_test(the_tables_of_the_switch_say_the_same),
		cmocka_unit_test(the_json_of_the_switch_says_the_same),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	facts_free(&facts);
	return failed;
}
