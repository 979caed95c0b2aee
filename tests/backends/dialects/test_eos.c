/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/dialects/eos/eos.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"
#include "tests/support/obs_find.h"

#define FIXTURES "tests/backends/fixtures/"

static const struct target spine = {.device = "spine-000",
	.tier = TIER_SPINE,
	.transport = TRANSPORT_HTTPS,
	.lossless = 1u << 3};

static struct obs *decode_text(const char *request, const char *text)
{
	struct obs *o = obs_new(spine.device, request);
	struct err err = {0};

	if (!backend_by_name("eos")->parse(&spine, request, text, strlen(text), o, &err))
		fail_msg("%s: %s", request, err.text);
	return o;
}

static struct obs *decode_fast(void)
{
	char *text = read_file(FIXTURES "eos_fast.json", NULL);
	struct obs *o;

	assert_non_null(text);
	o = decode_text("fast", text);
	free(text);
	return o;
}

/* One command's body, wrapped as the switch sends it; the caller frees it. */
static char *optional_answer(const char *request)
{
	json_error_t e;
	json_t *all = json_load_file(FIXTURES "eos_optional.json", 0, &e);
	json_t *answer;
	char *text;

	assert_non_null(all);
	answer = json_pack("{s:s,s:s,s:[O]}", "jsonrpc", "2.0", "id", "railtop", "result",
		json_object_get(all, request));
	assert_non_null(answer);
	text = json_dumps(answer, JSON_COMPACT);
	json_decref(answer);
	json_decref(all);
	return text;
}

static struct obs *decode(const char *request)
{
	char *text = optional_answer(request);
	struct obs *o = decode_text(request, text);

	free(text);
	return o;
}

/* As "show arp vrf all" has it, and as releases without VRFs. */
CASE(stations_that_ports_hear)
{
	struct obs *o = decode_text("arp",
		"{\"jsonrpc\":\"2.0\",\"id\":\"railtop\",\"result\":[{\"vrfs\":{\"default\":{"
		"\"totalEntries\":4,\"ipV4Neighbors\":["
		"{\"hwAddress\":\"b8ce.f6aa.0001\",\"address\":\"10.0.0.1\","
		"\"interface\":\"Ethernet45\",\"age\":0},"
		"{\"hwAddress\":\"b8ce.f6aa.0002\",\"address\":\"10.1.0.2\","
		"\"interface\":\"Vlan100, Ethernet4/1\",\"age\":13000},"
		"{\"hwAddress\":\"b8ce.f6aa.0003\",\"address\":\"10.1.0.3\","
		"\"interface\":\"Vlan100, Port-Channel46\",\"age\":7},"
		"{\"hwAddress\":\"b8ce.f6aa.0004\",\"address\":\"10.1.0.4\","
		"\"interface\":\"Vlan100, not learned\",\"age\":7},"
		"{\"hwAddress\":\"5254.0012.3502\",\"address\":\"10.9.0.1\","
		"\"interface\":\"Management1\",\"age\":7}]},"
		"\"storage\":{\"ipV4Neighbors\":[{\"hwAddress\":\"b8ce.f6aa.0005\","
		"\"address\":\"10.2.0.1\",\"interface\":\"Ethernet5.200\"}]}}}]}");

	assert_string_equal(attr_word(at_port(o, "Ethernet45"), ATTR_MACS, 0), "b8:ce:f6:aa:00:01");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet4/1"), ATTR_MACS, 0), "b8:ce:f6:aa:00:02");
	assert_string_equal(attr_word(at_port(o, "Ethernet5"), ATTR_MACS, 0), "b8:ce:f6:aa:00:05");
	assert_int_equal(o->ports.n, 3);
	assert_true(attr_number(at_port(o, NULL), ATTR_MACS, 0) == 3);
	obs_free(o);
	o = decode_text("arp",
		"{\"jsonrpc\":\"2.0\",\"id\":\"railtop\",\"result\":[{\"dynamicEntries\":1,"
		"\"ipV4Neighbors\":[{\"hwAddress\":\"dc38.e111.97cf\",\"address\":\"172.17.17.1\","
		"\"interface\":\"Ethernet45\",\"age\":0}],\"staticEntries\":0}]}");
	assert_string_equal(attr_word(at_port(o, "Ethernet45"), ATTR_MACS, 0), "dc:38:e1:11:97:cf");
	obs_free(o);
}

CASE(identity_and_the_switchs_own_clock)
{
	struct obs *o = decode_fast();
	struct obs_port_ref dev = at_port(o, NULL);

	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "DCS-OURS-64");
	assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "EOS0042");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "4.32.1F");
	assert_string_equal(attr_word(dev, ATTR_BOOT_ID, 0), "1763999000");
	assert_true(o->device_us == INT64_C(1764000000500000));
	obs_free(o);
}

CASE(counters_with_the_time_of_their_refresh)
{
	struct obs *o = decode_fast();
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	/* 2^53 + 1: a double would lose it. */
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(9007199254740993));
	assert_int_equal(cell_count(p, "tx_bytes", 0), 200);
	assert_int_equal(cell_count(p, "rx_packets", 0), 13);
	assert_int_equal(cell_count(p, "rx_discards", 0), 3);
	assert_int_equal(cell_count(p, "tx_discards", 0), 4);
	assert_int_equal(cell_count(p, "rx_errors", 0), 5);
	assert_int_equal(cell_count(p, "tx_errors", 0), 6);
	assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 7);
	assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 8);
	assert_int_equal(cell_count(p, "rx_pause_frames", 0), 9);
	assert_int_equal(cell_count(p, "tx_pause_frames", 0), 10);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 5);
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	assert_true(o->ports.at[p.port].sample_us == INT64_C(1763999998250000));
	p = at_port(o, "Ethernet2/1");
	assert_int_equal(cell_count(p, "link_down_events", 0), 1);
	assert_int_equal(cell_validity(p, "rx_fcs_errors", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "rx_packets", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(state_of_ports)
{
	struct obs *o = decode_fast();
	struct obs_port_ref up = at_port(o, "Ethernet1/1");

	assert_int_equal(o->ports.n, 3);
	assert_string_equal(attr_word(up, ATTR_OPER, 0), "up");
	assert_true(attr_number(up, ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(attr_number(up, ATTR_MTU, 0) == 9214);
	assert_string_equal(attr_word(up, ATTR_DESCRIPTION, 0), "to leaf-r0-00");
	assert_true(attr_number(up, ATTR_LAST_CHANGE, 0) == 1763999100.5);
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_ADMIN, 0), "up");
	assert_true(isnan(attr_number(at_port(o, "Ethernet2/1"), ATTR_SPEED_MBPS, 0)));
	assert_string_equal(attr_word(at_port(o, "Ethernet3/1"), ATTR_ADMIN, 0), "down");
	obs_free(o);
}

CASE(per_priority_counters)
{
	struct obs *o = decode("pfc");
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 300);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 301);
	assert_int_equal(cell_validity(p, "pfc_tx_frames", 4), VALID_UNKNOWN);
	assert_int_equal(cell_validity(p, "pfc_rx_duration_us", 3), VALID_UNSUPPORTED);
	obs_free(o);

	o = decode("ecn");
	p = at_port(o, "Ethernet1/1");
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 12345);
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 4), VALID_DISABLED);
	assert_string_equal(cell_cure(p, "ecn_marked_packets", 4), "");
	p = at_port(o, "Ethernet2/1");
	assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
	assert_non_null(strstr(cell_cure(p, "ecn_marked_packets", 3), "random-detect ecn count"));
	obs_free(o);

	o = decode("queues");
	p = at_port(o, "Ethernet1/1");
	assert_int_equal(cell_count(p, "queue_drops", 3), 12);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 100);
	assert_int_equal(cell_count(p, "queue_tx_bytes", 3), 900);
	/* Another command has it, where the monitor of queues (LANZ) is on. */
	assert_int_equal(cell_validity(p, "queue_watermark_bytes", 3), VALID_UNKNOWN);
	obs_free(o);
}

CASE(watchdog_phy_and_optics)
{
	struct obs *o = decode("watchdog");
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 4);
	assert_int_equal(cell_count(p, "pfcwd_storm_restored", 3), 3);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	obs_free(o);

	/* The outermost PHY on the line side faces the cable. */
	o = decode("phy");
	p = at_port(o, "Ethernet1/1");
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 50);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 2);
	assert_true(cell_value(p, "pre_fec_ber", 0) == 3.5e-8);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet2/1"), "pre_fec_ber", 0), VALID_UNSUPPORTED);
	obs_free(o);

	o = decode("optics");
	p = at_port(o, "Ethernet1/1");
	assert_true(cell_value(p, "rx_power_dbm", 0) == -1.5);
	assert_true(cell_value(p, "rx_power_dbm", 1) == -40); /* the floor */
	assert_true(cell_value(p, "tx_power_dbm", 1) == 0.25);
	assert_true(cell_value(p, "tx_bias_ma", 0) == 60);
	assert_true(cell_value(p, "temperature_c", 0) == 48.5);
	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "400GBASE-DR4");
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) == -9.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -6.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN) == 4);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_ALARM) == 5.5);
	assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM) == 75);
	/* Zeros in place of thresholds: the module has none. */
	assert_true(isnan(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_LOW_ALARM)));
	assert_true(isnan(attr_number(p, ATTR_VOLTAGE_LIMIT, LIMIT_HIGH_ALARM)));
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet2/1"), "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

CASE(neighbours_and_reasons)
{
	struct obs *o = decode("lldp");
	char text[128];

	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/1"), text, sizeof(text)), "leaf-r0-00:etp33");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_LLDP_PORT, 0), "Ethernet256");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_LLDP_MGMT, 0), "192.0.2.7");
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/1"), ATTR_LLDP_DESCR, 0), "SONiC 202411 ours");
	assert_string_equal(lldp_of(at_port(o, "Ethernet2/1"), text, sizeof(text)), ":");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet3/1"), text, sizeof(text)), "spine-002:Ethernet9/1");
	obs_free(o);
	o = decode("errdisabled");
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_DOWN_REASON, 0),
		"errdisabled: pfc-watchdog");
	obs_free(o);
	/* The cause is over when the state is, whether or not the cable is in. */
	o = decode_text("fast", "{\"result\":[{\"modelName\":\"M\"},{\"interfaces\":{"
				"\"Ethernet1/1\":{\"interfaceStatus\":\"errdisabled\"},"
				"\"Ethernet2/1\":{\"interfaceStatus\":\"notconnect\"}}}]}");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_DOWN_REASON, 0), "(none)");
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_DOWN_REASON, 0), "");
	obs_free(o);
}

CASE(a_command_that_is_missing_costs_its_need_only)
{
	static const char refused[] =
		"{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":1002,\"message\":"
		"\"CLI command 1 of 1 'show qos' failed: invalid command\",\"data\":[{\"errors\":"
		"[\"Invalid input (at token 1: 'qos')\"]}]}}";
	struct obs *o = decode_text("ecn", refused);

	assert_int_equal(o->err.code, ERR_NONE);
	assert_int_equal(capability_of(o, "ECN marks", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	/* An answer that every poll needs must not be missing. */
	o = obs_new(spine.device, "fast");
	struct err err = {0};
	assert_false(
		backend_by_name("eos")->parse(&spine, "fast", refused, strlen(refused), o, &err));
	assert_int_equal(err.code, ERR_UNSUPPORTED);
	assert_non_null(strstr(err.text, "1002"));
	assert_non_null(strstr(err.text, "Invalid input"));
	obs_free(o);
}

CASE(a_batch_that_stops_halfway_keeps_what_came)
{
	static const char partial[] =
		"{\"error\":{\"code\":1002,\"message\":\"CLI command 3 of 3 'x' failed\",\"data\":["
		"{\"modelName\":\"M\"},{\"interfaces\":{\"Ethernet1\":{\"interfaceCounters\":"
		"{\"inOctets\":5}}}},{\"errors\":[\"bad\"]}]}}";
	struct obs *o = decode_text("fast", partial);

	assert_int_equal(cell_count(at_port(o, "Ethernet1"), "rx_bytes", 0), 5);
	assert_non_null(strstr(o->err.text, "command 3 of 3"));
	obs_free(o);
}

CASE(refusals_get_a_cure)
{
	static const struct {
		const char *answer;
		enum err_code code;
		const char *cure;
	} cases[] = {
		{"<html><title>404 Not Found</title>", ERR_PROTOCOL, "http-commands"},
		{"", ERR_PROTOCOL, "http-commands"},
		{"{\"error\":{\"code\":-32602,\"message\":\"user not authorized\"}}",
			ERR_UNAUTHORISED, "role"},
		{"{\"error\":{\"code\":-32600,\"message\":\"Invalid request\"}}", ERR_PROTOCOL,
			"explorer"},
		{"{\"result\":[{}]}", ERR_PROTOCOL, ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = obs_new(spine.device, "fast");
		struct err err = {0};

		assert_false(backend_by_name("eos")->parse(
			&spine, "fast", cases[i].answer, strlen(cases[i].answer), o, &err));
		assert_int_equal(err.code, cases[i].code);
		assert_non_null(strstr(err.cure, cases[i].cure));
		obs_free(o);
	}
}

CASE(hostile_answers_of_eapi)
{
	static const char *const requests[] = {
		"pfc", "ecn", "queues", "watchdog", "phy", "optics", "lldp", "errdisabled"};
	size_t len;
	char *good = read_file(FIXTURES "eos_fast.json", &len);

	assert_non_null(good);
	hostile_answers(backend_by_name("eos"), &spine, "fast", good, len);
	free(good);
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		good = optional_answer(requests[i]);
		hostile_answers(backend_by_name("eos"), &spine, requests[i], good, strlen(good));
		free(good);
	}
}

CASES_MAIN(NULL, NULL)
