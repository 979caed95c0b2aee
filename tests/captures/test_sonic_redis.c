/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/captures/sonic_ask.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/run_command.h"

/*
 * The exact command lines that plan() emits, run by a real shell against a real Redis that holds
 * dumps of switches. The dialect's result is compared with the output of the switch's own programs
 * for the same databases.
 */

#define FIXTURES "tests/captures/fixtures/"

static struct facts facts;
static struct target leaf = {.device = "leaf-r0-00",
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

/* ---- polling ---- */

static struct obs *ask(const struct sonic_redis *r, enum poll_tier tier, const char *name)
{
	return sonic_ask(r, &leaf, &facts, tier, name);
}

static struct obs *fast(const struct sonic_redis *r)
{
	return ask(r, POLL_FAST, "fast");
}

/* ---- our own small switch: two ports and an internal one, every table once ---- */

static void load_ours(const struct sonic_redis *r, int asic)
{
	sonic_redis_load(r, asic, APPL_DB, FIXTURES "sonic_appl.json");
	sonic_redis_load(r, asic, COUNTERS_DB, FIXTURES "sonic_counters.json");
	sonic_redis_load(r, asic, CONFIG_DB, FIXTURES "sonic_config.json");
	sonic_redis_load(r, asic, STATE_DB, FIXTURES "sonic_state.json");
}

CASE(counters_of_our_own_dump)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	start(&r);
	load_ours(&r, -1);
	o = fast(&r);
	assert_int_equal(o->ports.n, 3);
	assert_true(o->device_us > INT64_C(1600000000000000));
	assert_int_equal(strlen(attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0)), 36);
	p = at_port(o, "Ethernet0");
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(18446744073709551610));
	assert_int_equal(cell_count(p, "rx_packets", 0), 110);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 31);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 777);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 4), 444); /* estimated */
	assert_int_equal(cell_count(p, "pfc_rx_transitions", 3), 17);
	assert_int_equal(cell_validity(p, "pfc_rx_transitions", 4), VALID_DISABLED);
	assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
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
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_DOWN_REASON, 0),
		"module: Power budget exceeded");
	obs_free(o);
	sonic_redis_stop(&r);
}

/* The plan has priority 3, Ethernet0 has PFC on 4 as well: its events are not missed. */
CASE(priorities_that_the_plan_does_not_know)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p;

	start(&r);
	load_ours(&r, -1);
	leaf.lossless = 0x08;
	o = fast(&r);
	leaf.lossless = 0x18;
	p = at_port(o, "Ethernet0");
	assert_int_equal(cell_count(p, "queue_drops", 4), 44);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 4), 444);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 4), "off");
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_PFCWD_STATE, 4), "(none)");
	obs_free(o);
	sonic_redis_stop(&r);
}

CASE(settings_of_our_own_dump)
{
	struct sonic_redis r;
	struct obs *o;
	struct obs_port_ref p, dev;
	char text[128];

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
	/* One row for a list of ports. */
	assert_true(attr_number(at_port(o, "Ethernet8"), ATTR_PFC_ENABLED, 0) == 0x10);
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 0x08);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 500000);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 1500000);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 8);
	/* CONFIG_DB leaves the profile to the buffer manager: the chosen profile is in APPL_DB. */
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

CASE(the_script_is_sent_once_and_after_a_flush)
{
	struct sonic_redis r;
	struct obs *o;
	char first[64];

	start(&r);
	load_ours(&r, -1);
	obs_free(fast(&r));
	str_copy(first, sizeof(first), facts_get(&facts, "sha.fast"));
	assert_int_equal(strlen(first), 40);
	o = fast(&r); /* by its SHA1 */
	assert_int_equal(o->ports.n, 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "pfc_rx_frames", 3), 31);
	obs_free(o);
	free(sonic_redis_cli(&r, -1, "script flush"));
	o = fast(&r);
	assert_true(o->again);
	assert_string_equal(facts_get(&facts, "sha.fast"), "");
	obs_free(o);
	o = fast(&r);
	assert_int_equal(o->ports.n, 3);
	assert_string_equal(facts_get(&facts, "sha.fast"), first);
	obs_free(o);
	sonic_redis_stop(&r);
}

/* ---- a switch with two ASICs: each has a Redis of its own, behind sudo ---- */

CASE(two_asics)
{
	struct sonic_redis r;
	struct obs *o;

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
		assert_int_equal(o->ports.n, 4);
		assert_true(has_port(o, "Ethernet-BP0"));
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
	assert_int_equal(o->ports.n, 3);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	obs_free(o);
	sonic_redis_stop(&r);
}

CASE(detection)
{
	struct sonic_redis r;
	struct obs *o;

	start(&r);
	load_ours(&r, -1);
	o = ask(&r, POLL_DETECT, "detect");
	assert_int_equal(strlen(facts_get(&facts, "zone")), 5);
	assert_string_equal(facts_get(&facts, "asics"), "");
	/* With one ASIC nobody needs to know. */
	assert_string_equal(facts_get(&facts, "asics.sudo"), "");
	assert_string_equal(facts_get(&facts, "vtysh"), "plain");
	obs_free(o);
	sonic_redis_file(&r, "asic.conf", "NUM_ASIC=16\nDEV_ID_ASIC_0=1\n", 0644);
	obs_free(ask(&r, POLL_DETECT, "detect"));
	assert_string_equal(facts_get(&facts, "asics.sudo"), "no");
	assert_true(str_starts(facts_get(&facts, "asics"), "asic0 asic1 asic2 "));
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

CASE(bgp_of_containers)
{
	struct sonic_redis r;
	struct obs *o;
	const char *cure = "";

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

/* A switch with empty databases answers, and says so. */
CASE(an_empty_redis)
{
	struct sonic_redis r;
	struct obs *o;

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

/* A switch's output while its database container restarts. */
CASE(a_dead_redis)
{
	const struct backend_ops *ops = backend_by_name("sonic");
	struct sonic_redis r;
	struct request_list l = {0};
	struct err err = {0};
	struct obs *o = obs_new("leaf-r0-00", "fast");
	size_t len;
	char *out;

	start(&r);
	stop_program(r.pid);
	r.pid = 0;
	out = sonic_run(&r, &leaf, POLL_FAST, "fast", &l, &len);
	assert_false(ops->parse(&leaf, "fast", out, len, o, &err));
	assert_int_equal(err.code, ERR_PROTOCOL);
	assert_non_null(strstr(err.text, "Connection refused"));
	assert_non_null(strstr(err.cure, "systemctl status database"));
	obs_free(o);
	free(out);
	requests_free(&l);
	sonic_redis_stop(&r);
}

int main(void)
{
	int failed = cases_run(NULL, NULL);

	facts_free(&facts);
	return failed;
}
