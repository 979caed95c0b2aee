/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/contract/backend.h"
#include "backends/contract/needs.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define EOS          "switches/eos/"

static const struct target spine = {.device = "spine-000",
	.tier = TIER_SPINE,
	.transport = TRANSPORT_HTTPS,
	.lossless = 1u << 3};

static struct covered needs[NEED_COUNT];

static void by(enum need_id need, enum evidence e)
{
	covered(needs, NEED_COUNT, need_info[need].name, e);
}

static struct obs *decode_as(
	const struct target *t, const char *request, const char *text, int64_t received_s)
{
	struct obs *o = obs_new(t->device, request);
	struct err err = {0};

	o->received_us = received_s * INT64_C(1000000);
	if (!backend_by_name("eos")->parse(t, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode_text(const char *request, const char *text)
{
	return decode_as(&spine, request, text, 0);
}

/* Captures are one command's body each: put into the envelope as the switch does. */
static struct obs *decode(const char *request, const char *first, const char *second)
{
	const char *files[2] = {first, second};
	char path[2][512];
	json_t *results, *answer;
	struct obs *o;
	char *text;

	for (int i = 0; i < 2; i++)
		if (files[i])
			capture_path(files[i], path[i], sizeof(path[i]));
	results = json_array();
	for (int i = 0; i < 2; i++) {
		json_error_t e;

		if (!files[i])
			continue;
		json_array_append_new(results, json_load_file(path[i], 0, &e));
	}
	answer = json_pack("{s:s,s:o}", "jsonrpc", "2.0", "result", results);
	text = json_dumps(answer, 0);
	o = decode_text(request, text);
	free(text);
	json_decref(answer);
	return o;
}

CASE(version_and_interfaces_of_real_switches)
{
	struct obs *o =
		decode("fast", EOS "napalm/show_version.json", EOS "napalm/show_interfaces.json");
	struct obs_port_ref dev = at_port(o, NULL), p = at_port(o, "Ethernet2");

	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "cEOSLab");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "DE5B7D98C24A207BE70876CC0AD5546F");
	assert_true(fabs(attr_number(dev, ATTR_UPTIME_S, 0) - 374.72549) < 1e-4);
	assert_int_equal(cell_count(p, "rx_bytes", 0), 180591);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 16386);
	assert_int_equal(cell_count(p, "rx_packets", 0), 1429);
	assert_int_equal(cell_count(p, "tx_packets", 0), 94);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 1);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_true(attr_number(p, ATTR_MTU, 0) == 9214);
	/* A virtual port has no speed: unknown, not zero. */
	assert_true(isnan(attr_number(p, ATTR_SPEED_MBPS, 0)));
	assert_true(o->ports.at[p.port].sample_us == INT64_C(1466589559987693));
	assert_false(has_port(o, "Management1"));
	assert_int_equal(capability_of(o, "port state", NULL), VALID_OK);
	assert_true(o->device_us == INT64_C(1688841299481102));
	assert_string_equal(
		attr_word(dev, ATTR_OS_VERSION, 0), "4.30.0F-31408673.4300F (engineering build)");
	assert_string_equal(attr_word(dev, ATTR_BOOT_ID, 0), "1688840925");
	assert_string_equal(attr_word(p, ATTR_MAC, 0), "08:00:27:10:c4:8f");
	assert_true(fabs(attr_number(p, ATTR_LAST_CHANGE, 0) - 1466586841.4151127) < 1e-6);
	p = at_port(o, "Ethernet3");
	assert_int_equal(cell_count(p, "rx_bytes", 0), 0);
	assert_int_equal(cell_count(p, "tx_bytes", 0), 180591);
	assert_int_equal(cell_count(p, "tx_packets", 0), 1429);
	assert_int_equal(cell_count(p, "rx_packets", 0), 0);
	assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 0);
	assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 0);
	assert_int_equal(cell_count(p, "rx_pause_frames", 0), 0);
	assert_int_equal(cell_count(p, "tx_pause_frames", 0), 0);
	assert_int_equal(cell_count(p, "rx_discards", 0), 0);
	assert_int_equal(cell_count(p, "tx_errors", 0), 0);
	assert_string_equal(attr_word(p, ATTR_MAC, 0), "08:00:27:1f:60:43");
	assert_true(fabs(attr_number(at_port(o, "Ethernet5"), ATTR_SPEED_MBPS, 0) - 2.5) < 1e-9);
	obs_free(o);

	o = decode(
		"fast", EOS "napalm/show_version.json", EOS "napalm/show_interfaces_counters.json");
	p = at_port(o, "Ethernet1");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(p, ATTR_DESCRIPTION, 0), "not available");
	assert_int_equal(cell_count(p, "carrier_changes", 0), 2);
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 10000);
	assert_int_equal(cell_count(p, "link_down_events", 0), 1);
	assert_false(has_port(o, "Port-Channel1"));
	obs_free(o);
	by(NEED_IDENTITY, REAL);
	by(NEED_UPTIME, REAL);
	by(NEED_PORT_STATE, REAL);
	by(NEED_PORT_COUNTERS, REAL);
	by(NEED_LINK_FLAPS, REAL);
}

CASE(trimmed_interfaces)
{
	struct obs *o = decode("fast", EOS "napalm/show_version.json",
		EOS "eapi/show_interfaces_counters_in_detail.json");
	struct obs_port_ref p = at_port(o, "Ethernet10");

	assert_int_equal(cell_count(p, "tx_discards", 0), 10);
	assert_int_equal(cell_count(p, "rx_errors", 0), 10);
	assert_int_equal(cell_count(p, "link_down_events", 0), 6);
	assert_int_equal(cell_validity(p, "rx_bytes", 0), VALID_UNSUPPORTED);
	assert_false(has_port(o, "Management0"));
	obs_free(o);
	o = decode("fast", EOS "napalm/show_version.json",
		EOS "eapi/show_interfaces_speed_lanes.json");
	assert_true(attr_number(at_port(o, "Ethernet3"), ATTR_SPEED_MBPS, 0) == 100000);
	assert_true(attr_number(at_port(o, "Ethernet4"), ATTR_SPEED_MBPS, 0) == 2500);
	obs_free(o);
}

CASE(priorities_queues_and_marks)
{
	struct obs *o = decode("pfc",
		EOS "derived/show_interfaces_priority-flow-control_counters_detail.json", NULL);

	assert_int_equal(cell_count(at_port(o, "Ethernet5/1"), "pfc_rx_frames", 3), 1234);
	assert_int_equal(cell_count(at_port(o, "Ethernet5/1"), "pfc_tx_frames", 3), 77);
	assert_int_equal(cell_count(at_port(o, "Ethernet5/1"), "pfc_tx_frames", 7), 0);
	obs_free(o);
	/* Its shape was read from programs that use it, its values are invented: no capture. */

	o = decode("ecn", EOS "eapi/show_qos_interfaces_ecn_counters_queue.json", NULL);
	assert_int_equal(cell_validity(at_port(o, "Ethernet10/28/1"), "ecn_marked_packets", 0),
		VALID_DISABLED);
	assert_int_equal(cell_count(at_port(o, "Ethernet10/20/1"), "ecn_marked_packets", 1), 2);
	assert_int_equal(cell_count(at_port(o, "Ethernet10/3/1"), "ecn_marked_packets", 2), 2);
	obs_free(o);
	by(NEED_ECN_MARKS, AUTHORED);

	o = decode("queues", EOS "eapi/show_interfaces_counters_queue_detail.json", NULL);
	assert_int_equal(cell_count(at_port(o, "Ethernet1"), "queue_drops", 0), 2);
	assert_int_equal(cell_count(at_port(o, "Ethernet1"), "queue_drops", 1), 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet2"), "queue_drops", 0), 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet2"), "queue_drops", 1), 2);
	obs_free(o);

	o = decode("queues", EOS "eapi/show_interfaces_counters_queue_drops_voq.json", NULL);
	assert_int_equal(cell_count(at_port(o, "Ethernet48"), "queue_drops", 0), 3);
	assert_int_equal(cell_count(at_port(o, "Ethernet48"), "queue_drops", 1), 9);
	assert_int_equal(cell_count(at_port(o, "Ethernet49"), "queue_drops", 0), 11);
	obs_free(o);
	by(NEED_QUEUE_DROPS, AUTHORED);
}

CASE(watchdog)
{
	struct obs *o = decode(
		"watchdog", EOS "derived/show_priority-flow-control_counters_watchdog.json", NULL);

	assert_int_equal(cell_count(at_port(o, "Ethernet5/1"), "pfcwd_storm_detected", 3), 2);
	assert_string_equal(
		attr_word(at_port(o, "Ethernet5/1"), ATTR_PFCWD_STATE, 3), "operational");
	obs_free(o);
	o = decode("watchdog",
		EOS "derived/show_priority-flow-control_counters_watchdog_empty.json", NULL);
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
}

CASE(phy_and_optics)
{
	struct obs *o = decode("phy", EOS "eapi/show_interfaces_phy_detail.json", NULL);
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	/* Chip line side 0.0254, retimer system side 1.3e-12, retimer line side 0.00134. */
	assert_true(fabs(cell_value(p, "pre_fec_ber", 0) - 0.0013399973239803201) < 1e-15);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 0);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 0);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet1/2"), "pre_fec_ber", 0), VALID_UNSUPPORTED);
	obs_free(o);
	by(NEED_FEC, AUTHORED);
	by(NEED_PRE_FEC_BER, AUTHORED);

	o = decode("optics", EOS "eapi/show_interfaces_transceiver_dom_thresholds_rx.json", NULL);
	p = at_port(o, "Ethernet2/1");
	assert_true(fabs(cell_value(p, "rx_power_dbm", 0) - -30.08242460465652) < 1e-9);
	assert_true(fabs(cell_value(p, "rx_power_dbm", 3) - -1.4630178822382547) < 1e-9);
	assert_true(cell_value(p, "rx_power_dbm", 2) == -40);
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "TEST05DA");
	assert_true(fabs(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) -
			    -13.29754146925876) < 1e-9);
	assert_true(fabs(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) -
			    -10.301183562535002) < 1e-9);
	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_ALARM)));
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet1/1"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	obs_free(o);
	o = decode("optics", EOS "eapi/show_interfaces_transceiver_dom_thresholds_temp.json", NULL);
	assert_true(cell_value(at_port(o, "Ethernet1/1"), "temperature_c", 0) == 73.7575);
	obs_free(o);
	by(NEED_OPTICS_LIMITS, AUTHORED);
	o = decode("optics", EOS "napalm/show_interfaces_transceiver.json", NULL);
	p = at_port(o, "Ethernet3/1/2");
	assert_true(fabs(cell_value(p, "rx_power_dbm", 0) - -2.287800980504664) < 1e-12);
	assert_true(fabs(cell_value(p, "tx_power_dbm", 0) - -0.70785496262606) < 1e-12);
	assert_true(cell_value(p, "tx_bias_ma", 0) == 6.496);
	assert_true(cell_value(p, "temperature_c", 0) == 35.26171875);
	assert_true(fabs(cell_value(p, "voltage_v", 0) - 3.2731) < 1e-12);
	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "40GBASE-SR4");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "XMD1401000RP");
	obs_free(o);
	by(NEED_OPTICS_RX, REAL);
	by(NEED_OPTICS_TX, REAL);
	by(NEED_OPTICS_BIAS, REAL);
	by(NEED_OPTICS_TEMPERATURE, REAL);
}

CASE(neighbours)
{
	struct obs *o = decode("lldp", EOS "napalm/show_lldp_neighbors_detail.json", NULL);
	char text[128];

	/* Hosts name their port by MAC address: the description is the interface. */
	assert_string_equal(lldp_of(at_port(o, "Ethernet8"), text, sizeof(text)), "78m3:eth3");
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_LLDP_MGMT, 0), "192.168.8.21");
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_LLDP_DESCR, 0),
		"Linux 3.18.22-cloudflare x86_64");
	assert_false(has_port(o, "Management1"));
	assert_string_equal(lldp_of(at_port(o, "Ethernet9"), text, sizeof(text)), "78m4:eth2");
	assert_string_equal(lldp_of(at_port(o, "Ethernet12"), text, sizeof(text)), ":");
	obs_free(o);
	o = decode("lldp", EOS "eapi/show_lldp_neighbors_detail_anta.json", NULL);
	assert_string_equal(lldp_of(at_port(o, "Ethernet2"), text, sizeof(text)),
		"DC1-SPINE2.local.com:Ethernet1");
	obs_free(o);
	by(NEED_LLDP, REAL);
}

static const struct obs_bgp *session(const struct obs *o, const char *peer)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer))
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

CASE(sessions)
{
	static const struct {
		const char *peer;
		uint32_t as;
		unsigned prefixes;
		double since;
	} all[] = {
		{"fe80::a8c1:abff:fe94:4171%Et3", 65001u << 16 | 1028, 3, 89.470248},
		{"fe80::a8c1:abff:fea1:b618%Et2", 65001u << 16 | 1027, 5, 89.52378},
		{"fe80::a8c1:abff:fedc:fb58%Et1", 65001u << 16 | 1026, 6, 89.543018},
	};
	char *body = capture_read(EOS "napalm/show_ip_bgp_summary_vrf_all.json", NULL);
	struct facts facts = {0};
	struct target t = spine;
	struct obs *o;

	/* As the CLI prints it over SSH, on a switch with a right clock. */
	facts_set(&facts, "clock", "0.0");
	t.transport = TRANSPORT_SSH;
	t.facts = &facts;
	o = decode_as(&t, "bgp", body, 1721150000);
	assert_int_equal(o->bgp.n, 3);
	assert_true(o->bgp_whole);
	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		const struct obs_bgp *s = session(o, all[i].peer);

		assert_int_equal(s->state, BGP_ESTABLISHED);
		assert_int_equal(s->afi, BGP_IPV4);
		assert_int_equal(s->remote_as, all[i].as);
		assert_int_equal(s->prefixes, all[i].prefixes);
		assert_true(fabs(s->since_s - all[i].since) < 1e-3);
		assert_string_equal(obs_text(o, s->vrf), "default");
	}
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "172.18.8.0");
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == (65002u << 16 | 2048));
	obs_free(o);
	facts_free(&facts);
	free(body);
	by(NEED_BGP, REAL);
}

CASE(log_lines)
{
	char *text = capture_read(EOS "eapi/show_logging_text.txt", NULL);
	struct target t = spine;
	struct obs *o;
	bool is_restart = false;

	t.transport = TRANSPORT_SSH;
	/* Read on Mar 13 2025 at 05:00 UTC. */
	o = decode_as(&t, "log", text, 1741842000);
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *item = &o->items.at[i];

		is_restart |= item->kind == OBS_EVENT &&
			      item->time_us == INT64_C(1741839045000000) &&
			      strstr(obs_text(o, item->text), "System is initialized");
	}
	assert_true(is_restart);
	assert_int_equal(capability_of(o, "event log", NULL), VALID_OK);
	obs_free(o);
	free(text);
	by(NEED_LOG, AUTHORED);
}

/*
 * Totals of a port are no counters of a priority: the short form is not taken for the detailed one.
 */
CASE(totals_of_pfc_are_not_priorities)
{
	struct obs *o = decode("pfc", EOS "eapi/show_priority-flow-control_counters.json", NULL);

	assert_int_equal(o->ports.n, 0);
	assert_true(o->again);
	obs_free(o);
}

CASE(envelopes)
{
	char *text = capture_read(EOS "eapi/jsonrpc_success_eapi_response.json", NULL);
	struct obs *o = decode_as(&spine, "version", text, 1724729442);
	struct obs_port_ref dev = at_port(o, NULL);
	json_t *doc = json_loads(text, 0, NULL), *answer;
	char *clock;

	assert_string_equal(
		attr_word(dev, ATTR_OS_VERSION, 0), "4.31.1F-34554157.4311F (engineering build)");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "5E9D49D20F09DA471333DD835835FD1A");
	/* bootupTimestamp + uptime */
	assert_true(llabs(o->device_us - INT64_C(1724729442684820)) < 100);
	obs_free(o);
	/* Its second result is a clock: 22:30:42 there is 03:30:42 UTC. */
	answer = json_pack("{s:[O]}", "result", json_array_get(json_object_get(doc, "result"), 1));
	clock = json_dumps(answer, 0);
	o = decode_text("clock", clock);
	assert_int_equal(o->items.at[0].kind, OBS_FACT);
	assert_string_equal(obs_text(o, o->items.at[0].text), "zone");
	assert_string_equal(obs_text(o, o->items.at[0].text2), "-0500");
	obs_free(o);
	free(clock);
	free(text);
	json_decref(answer);
	json_decref(doc);
}

CASE(envelopes_and_reasons)
{
	char *text = capture_read(EOS "eapi/jsonrpc_error_eapi_response.json", NULL);
	struct obs *o = obs_new(spine.device, "fast");
	struct err err = {0};

	assert_false(backend_by_name("eos")->parse(&spine, "fast", text, strlen(text), o, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "bad command"));
	obs_free(o);
	o = decode_text("watchdog", text);
	assert_int_equal(capability_of(o, "PFC watchdog", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	free(text);
	o = decode("errdisabled", EOS "eapi/show_interfaces_status_errdisabled.json", NULL);
	assert_string_equal(
		attr_word(at_port(o, "Ethernet2"), ATTR_DOWN_REASON, 0), "errdisabled: bpduguard");
	obs_free(o);
}

CASE(what_rests_on_which_capture)
{
	covered_print("eos", needs, NEED_COUNT);
}

int main(void)
{
	for (unsigned i = 0; i < NEED_COUNT; i++)
		needs[i] = (struct covered){need_info[i].name, NOTHING};
	return cases_run(NULL, NULL);
}
