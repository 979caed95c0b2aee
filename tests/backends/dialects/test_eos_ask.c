/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/contract/needs.h"
#include "base/secret.h"
#include "base/str.h"
#include "tests/backends/dialects/eos_bed.h"
#include "tests/support/cases.h"

/* The questions over both transports, refusals, second ways, and a report for every need. */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static void plan_all(const struct target *t, struct request_list *l)
{
	struct err err;

	for (int tier = 0; tier < POLL_TIER_COUNT; tier++)
		assert_true(backend_by_name("eos")->plan(t, (enum poll_tier)tier, l, &err));
}

CASE(eapi_requests_are_json)
{
	struct request_list l = {0};
	struct eos_bed b;
	unsigned text = 0;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	plan_all(&b.target, &l);
	assert_true(l.at.n > 15);
	for (size_t i = 0; i < l.at.n; i++) {
		json_t *body = json_loads(l.at.at[i].body, 0, NULL);
		json_t *params = json_object_get(body, "params");
		const char *format = json_string_value(json_object_get(params, "format"));
		size_t n = json_array_size(json_object_get(params, "cmds"));

		assert_non_null(body);
		assert_string_equal(l.at.at[i].method, "POST");
		assert_string_equal(l.at.at[i].path, "/command-api");
		assert_string_equal(json_string_value(json_object_get(body, "method")), "runCmds");
		assert_int_equal(json_integer_value(json_object_get(params, "version")), 1);
		/* A command that a system may lack is alone in its call. */
		assert_int_equal(n, str_eq(l.at.at[i].name, "fast") ? 2 : 1);
		text += str_eq(format, "text");
		json_decref(body);
	}
	assert_int_equal(text, 8);
	requests_free(&l);
	eos_bed_close(&b);
}

/* The same names as over eAPI; every command only shows. */
CASE(ssh_requests_run_the_cli)
{
	struct request_list ssh = {0}, https = {0};
	struct eos_bed b;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	plan_all(&b.target, &ssh);
	b.target.transport = TRANSPORT_HTTPS;
	plan_all(&b.target, &https);
	for (size_t i = 0; i < ssh.at.n; i++) {
		const char *bar = strstr(ssh.at.at[i].command, " | ");
		bool is_known = false;

		assert_null(ssh.at.at[i].body);
		assert_memory_equal(ssh.at.at[i].command, "show ", 5);
		assert_non_null(bar);
		assert_true(str_eq(bar, " | json") || str_eq(bar, " | no-more"));
		for (size_t k = 0; k < https.at.n; k++)
			is_known |= str_eq(https.at.at[k].name, ssh.at.at[i].name);
		assert_true(is_known);
	}
	requests_free(&ssh);
	requests_free(&https);
	eos_bed_close(&b);
}

CASE(both_ways_say_the_same)
{
	static const char body[] =
		"{\"interfaces\":{\"Ethernet1/"
		"1\":{\"lineProtocolStatus\":\"up\",\"interfaceStatus\":"
		"\"connected\",\"interfaceCounters\":{\"inOctets\":5,\"outOctets\":7}}}}";
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	o = eos_bed_body(&b, "fast", body);
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1"), "tx_bytes", 0), 7);
	assert_int_equal(capability_of(o, "port state", NULL), VALID_OK);
	assert_string_equal(facts_get(&b.facts, "ports.0"), "1/1");
	obs_free(o);
	o = eos_bed_body(&b, "version",
		"{\"modelName\":\"M\",\"version\":\"4.32.1F\",\"uptime\":10.5,"
		"\"bootupTimestamp\":1763999991.5}");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0), "1763999992");
	assert_string_equal(facts_get(&b.facts, "clock"), "0");
	assert_int_equal(capability_of(o, "identity", NULL), VALID_OK);
	obs_free(o);
	eos_bed_close(&b);
}

/* ---- refusals ---- */

static char *refusal(enum transport_kind t, int code, const char *words)
{
	json_t *o;
	char *text;

	if (t == TRANSPORT_SSH) {
		o = json_sprintf("%% %s\n", words);
		text = strdup(json_string_value(o));
	} else {
		o = json_pack("{s:{s:i,s:s,s:[{s:[s]}]}}", "error", "code", code, "message",
			"CLI command 1 of 1 failed", "data", "errors", words);
		text = json_dumps(o, 0);
	}
	json_decref(o);
	return text;
}

static struct obs *refuse(struct eos_bed *b, const char *request, int code, const char *words)
{
	char *text = refusal(b->target.transport, code, words);
	struct obs *o = eos_bed_parse(b, request, text);

	free(text);
	return o;
}

CASE(the_second_command_when_the_first_is_refused)
{
	static const enum transport_kind both[] = {TRANSPORT_HTTPS, TRANSPORT_SSH};
	char line[512];

	for (size_t i = 0; i < 2; i++) {
		struct eos_bed b;
		struct obs *o;

		eos_bed_open(&b, both[i], "");
		eos_bed_command(&b, POLL_MEDIUM, "bgp", line, sizeof(line));
		assert_non_null(strstr(line, "show bgp summary vrf all"));
		o = refuse(&b, "bgp", 1002, "Invalid input (at token 2: 'summary')");
		assert_true(o->again);
		assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_UNKNOWN);
		obs_free(o);
		eos_bed_command(&b, POLL_MEDIUM, "bgp", line, sizeof(line));
		assert_non_null(strstr(line, "show ip bgp summary vrf all"));
		o = refuse(&b, "bgp", 1002, "Invalid input (at token 1: 'ip')");
		assert_false(o->again);
		assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_UNSUPPORTED);
		assert_int_equal(o->err.code, ERR_NONE);
		obs_free(o);
		/* Not each half minute any more, but now and then from the first on. */
		assert_string_equal(
			eos_bed_command(&b, POLL_MEDIUM, "bgp", line, sizeof(line)), "");
		eos_bed_command(&b, POLL_SLOW, "bgp", line, sizeof(line));
		assert_non_null(strstr(line, "show bgp summary vrf all"));
		obs_free(eos_bed_body(&b, "bgp", "{\"vrfs\":{}}"));
		assert_string_not_equal(
			eos_bed_command(&b, POLL_MEDIUM, "bgp", line, sizeof(line)), "");
		eos_bed_close(&b);
	}
}

CASE(commands_without_a_model_are_read_as_text)
{
	struct eos_bed b;
	char line[512];

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	obs_free(refuse(&b, "queues", 1003, "Command cannot be used over the API at this time"));
	eos_bed_command(&b, POLL_FAST, "queues", line, sizeof(line));
	assert_non_null(strstr(line, "counters queue drops"));
	/* An answer without a queue is none. */
	obs_free(eos_bed_body(&b, "queues", "{\"interfaces\":{}}"));
	eos_bed_command(&b, POLL_FAST, "queues", line, sizeof(line));
	assert_non_null(strstr(line, "counters queue detail"));
	assert_non_null(strstr(line, "\"format\":\"text\""));
	eos_bed_close(&b);
}

/* "enable" goes before it: its own result is the second. */
CASE(a_privileged_command)
{
	static const char good[] = "{\"result\":[{\"output\":\"\"},{\"output\":\"interface "
				   "Ethernet1/1\\n   uc-tx-queue 3"
				   "\\n      random-detect ecn minimum-threshold 5 bytes "
				   "maximum-threshold 6 bytes\\n\"}]}";
	struct eos_bed b;
	struct obs *o;
	const char *cure;

	eos_bed_open(&b, TRANSPORT_HTTPS, "use.ecn_config=1");
	o = eos_bed_parse(&b, "ecn_config", good);
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_ECN_MAX_BYTES, 3) == 6);
	obs_free(o);
	o = refuse(&b, "ecn_config", 1000, "Bad secret");
	assert_int_equal(capability_of(o, "ECN settings", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "a role with the right to run: show running-config"));
	obs_free(o);
	eos_bed_close(&b);
}

CASE(virtual_output_queues)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_HTTPS, "use.queues=1");
	o = eos_bed_body(&b, "queues",
		"{\"interfaces\":{\"Ethernet1/"
		"1\":{\"trafficClasses\":{\"TC3\":{\"ingressVoqCounters\":"
		"{\"countersSum\":{\"droppedPackets\":7}},\"egressQueueCounters\":{\"countersSum\":"
		"{\"droppedPackets\":8}}}}}}}");
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1"), "queue_drops", 3), 15);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet1/1"), "queue_tx_packets", 3), VALID_UNSUPPORTED);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(why_a_command_failed)
{
	static const struct {
		const char *request, *need;
		int code;
		const char *words;
		enum validity want;
		const char *cure;
	} all[] = {
		{"ecn", "ECN marks", 1002,
			"Unavailable command (not supported on this hardware "
			"platform)",
			VALID_UNSUPPORTED, ""},
		{"ecn", "ECN marks", 1000, "Not supported on this hardware", VALID_UNSUPPORTED, ""},
		{"lldp", "LLDP neighbours", 1000, "LLDP is not enabled", VALID_DISABLED,
			"lldp run"},
		{"bgp", "BGP sessions", 1000, "BGP inactive", VALID_DISABLED, "router bgp"},
		{"maps", "DSCP and queue maps", 1002,
			"Authorization denied for command 'show qos maps'", VALID_DISABLED,
			"a role with the right to run: show qos maps"},
		{"watchdog", "PFC watchdog", 1004, "incompatible revision", VALID_UNSUPPORTED, ""},
	};

	for (size_t i = 0; i < 2 * ARRAY_LEN(all); i++) {
		struct eos_bed b;
		struct obs *o;
		const char *cure;
		size_t k = i / 2;

		eos_bed_open(&b, i % 2 ? TRANSPORT_SSH : TRANSPORT_HTTPS, "");
		o = refuse(&b, all[k].request, all[k].code, all[k].words);
		assert_int_equal(capability_of(o, all[k].need, &cure), all[k].want);
		assert_non_null(strstr(cure, all[k].cure));
		assert_int_equal(o->err.code, ERR_NONE);
		obs_free(o);
		eos_bed_close(&b);
	}
}

CASE(what_should_have_worked_is_an_error)
{
	static const struct {
		const char *request;
		enum transport_kind t;
		int code;
		const char *words;
		enum err_code want;
	} all[] = {
		{"pfc", TRANSPORT_HTTPS, 1000, "Unable to connect to Sysdb", ERR_PROTOCOL},
		{"pfc", TRANSPORT_SSH, 0, "Unable to connect to Sysdb", ERR_PROTOCOL},
		{"fast", TRANSPORT_HTTPS, 1002, "Invalid input", ERR_UNSUPPORTED},
		{"fast", TRANSPORT_SSH, 0, "Authorization denied for command", ERR_UNAUTHORISED},
		{"fast", TRANSPORT_SSH, 0, "Something new", ERR_PROTOCOL},
	};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		char *text = refusal(all[i].t, all[i].code, all[i].words);
		struct obs *o = obs_new("spine-000", all[i].request);
		struct err err = {0};
		struct eos_bed b;

		eos_bed_open(&b, all[i].t, "");
		assert_false(backend_by_name("eos")->parse(
			&b.target, all[i].request, text, strlen(text), o, &err));
		assert_int_equal(err.code, all[i].want);
		assert_non_null(strstr(err.text, all[i].words));
		assert_string_not_equal(err.cure, "");
		obs_free(o);
		free(text);
		eos_bed_close(&b);
	}
}

/* ---- BGP ---- */

static const struct obs_bgp *session(const struct obs *o, const char *peer, enum bgp_afi afi)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer) && o->bgp.at[i].afi == afi)
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

CASE(sessions_with_their_age)
{
	static const char body[] = "{\"vrfs\":{\"default\":{\"routerId\":\"10.0.0.9\",\"asn\":"
				   "\"65002.2048\",\"peers\":{"
				   "\"10.64.0.1\":{\"asn\":\"65001\",\"peerState\":\"Established\","
				   "\"prefixAccepted\":12,"
				   "\"prefixReceived\":14,\"upDownTime\":1763999902.0},"
				   "\"10.64.0.3\":{\"asn\":65003,\"peerState\":\"Idle\","
				   "\"peerStateIdleReason\":\"Admin\","
				   "\"prefixAccepted\":0,\"upDownTime\":1763999992},"
				   "\"fe80::1%Et3\":{\"asn\":\"1.10\",\"peerState\":\"Active\","
				   "\"prefixAccepted\":0}}},"
				   "\"MGMT\":{\"peers\":{\"192.0.2.1\":{\"peerState\":\"Connect\"},"
				   "\"\":{},\"x\":7}}}}";
	struct eos_bed b;
	struct obs *o;
	const struct obs_bgp *s;

	/* The switch's clock is 10 s ahead of ours. */
	eos_bed_open(&b, TRANSPORT_HTTPS, "clock=10.0");
	o = eos_bed_body(&b, "bgp", body);
	assert_true(o->bgp_whole);
	assert_int_equal(o->bgp.n, 4);
	s = session(o, "10.64.0.1", BGP_IPV4);
	assert_int_equal(s->state, BGP_ESTABLISHED);
	assert_int_equal(s->remote_as, 65001);
	assert_true(fabs(s->since_s - 110) < 1e-6);
	assert_int_equal(s->prefixes, 12);
	assert_true(s->drops == UINT64_MAX);
	assert_string_equal(obs_text(o, s->vrf), "default");
	assert_int_equal(session(o, "10.64.0.3", BGP_IPV4)->state, BGP_ADMIN_DOWN);
	assert_int_equal(session(o, "fe80::1%Et3", BGP_IPV4)->remote_as, 65536 + 10);
	assert_true(isnan(session(o, "fe80::1%Et3", BGP_IPV4)->since_s));
	assert_string_equal(obs_text(o, session(o, "192.0.2.1", BGP_OTHER)->vrf), "MGMT");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.0.0.9");
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 65002.0 * 65536 + 2048);
	obs_free(o);
	/* Without the clock nobody knows since when. */
	facts_set(&b.facts, "clock", "");
	o = eos_bed_body(&b, "bgp", body);
	assert_true(isnan(session(o, "10.64.0.1", BGP_IPV4)->since_s));
	obs_free(o);
	eos_bed_close(&b);
}

CASE(sessions_by_address_family)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	o = eos_bed_body(&b, "bgp",
		"{\"vrfs\":{\"default\":{\"asn\":\"65120\",\"peers\":{"
		"\"10.1.0.1\":{\"peerState\":\"Established\",\"peerAsn\":\"65100\",\"ipv4Unicast\":"
		"{"
		"\"afiSafiState\":\"advertised\",\"nlrisAccepted\":0},\"l2VpnEvpn\":{"
		"\"afiSafiState\":"
		"\"negotiated\",\"nlrisReceived\":44,\"nlrisAccepted\":42}},"
		"\"10.1.0.2\":{\"peerState\":\"Idle\",\"peerAsn\":\"65100\",\"ipv4Unicast\":{"
		"\"afiSafiState\":\"advertised\",\"nlrisAccepted\":0}}}}}}");
	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(session(o, "10.1.0.1", BGP_EVPN)->prefixes, 42);
	assert_int_equal(session(o, "10.1.0.1", BGP_EVPN)->remote_as, 65100);
	assert_int_equal(session(o, "10.1.0.2", BGP_IPV4)->state, BGP_IDLE);
	obs_free(o);
	o = eos_bed_body(&b, "bgp", "{\"vrfs\":{}}");
	assert_true(o->bgp_whole);
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_DISABLED);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(a_neighbour_that_is_not_listed_is_gone)
{
	struct eos_bed b;
	struct obs *o;
	char text[64];

	eos_bed_open(&b, TRANSPORT_HTTPS, "ports.0=1/1 2/1");
	o = eos_bed_body(&b, "lldp",
		"{\"lldpNeighbors\":{\"Ethernet1/1\":{\"lldpNeighborInfo\":[{\"systemName\":\"a\","
		"\"neighborInterfaceInfo\":{\"interfaceIdType\":\"interfaceName\",\"interfaceId\":"
		"\"\\\"eth1\\\"\"}}]}}}");
	assert_string_equal(lldp_of(at_port(o, "Ethernet1/1"), text, sizeof(text)), "a:eth1");
	assert_string_equal(lldp_of(at_port(o, "Ethernet2/1"), text, sizeof(text)), ":");
	obs_free(o);
	eos_bed_close(&b);
}

CASE(one_lane_of_the_short_form)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;

	eos_bed_open(&b, TRANSPORT_HTTPS, "use.optics=2");
	o = eos_bed_body(&b, "optics",
		"{\"interfaces\":{\"Ethernet1/"
		"1\":{\"mediaType\":\"X\",\"rxPower\":-2.5,\"txPower\":"
		"-1.25,\"txBias\":6.5,\"temperature\":41.5,\"voltage\":3.3}}}");
	p = at_port(o, "Ethernet1/1");
	assert_true(cell_value(p, "rx_power_dbm", 0) == -2.5);
	assert_true(cell_value(p, "tx_power_dbm", 0) == -1.25);
	assert_true(cell_value(p, "tx_bias_ma", 0) == 6.5);
	assert_true(cell_value(p, "temperature_c", 0) == 41.5);
	assert_int_equal(cell_validity(p, "rx_power_dbm", 1), VALID_UNKNOWN);
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_UNSUPPORTED);
	obs_free(o);
	eos_bed_close(&b);
}

CASE(limits_of_the_detailed_form)
{
	struct eos_bed b;
	struct obs *o;
	struct obs_port_ref p;

	eos_bed_open(&b, TRANSPORT_HTTPS, "use.optics=1");
	o = eos_bed_body(&b, "optics",
		"{\"interfaces\":{\"Ethernet1/1\":{\"slot\":\"Ethernet1\",\"channel\":\"1\","
		"\"rxPower\":-2.5,\"details\":{\"rxPower\":{\"highAlarm\":3.5,\"lowAlarm\":-14.5,"
		"\"lowWarn\":-11.25},\"txBias\":{\"highAlarm\":11,\"lowAlarm\":0},"
		"\"totalRxPower\":{}}}}}");
	p = at_port(o, "Ethernet1/1");
	assert_true(cell_value(p, "rx_power_dbm", 0) == -2.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) == -14.5);
	assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) == -11.25);
	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN)));
	assert_true(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_LOW_ALARM) == 0);
	assert_int_equal(capability_of(o, "optics: thresholds", NULL), VALID_OK);
	obs_free(o);
	eos_bed_close(&b);
}

/* Of a native speed the symbols of each lane, of a breakout none. */
CASE(what_fec_repaired)
{
	struct eos_bed b;
	struct obs *o;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	o = eos_bed_body(&b, "phy",
		"{\"interfacePhyStatuses\":{\"Ethernet1/1\":{\"phyStatuses\":[{\"description\":"
		"{\"location\":\"line\"},\"fec\":{\"encoding\":\"reedSolomon\","
		"\"correctedSymbols\":{\"0\":{\"value\":4},\"1\":{\"value\":6}},"
		"\"correctedCodewords\":{\"value\":9}}}]},"
		"\"Ethernet2/1\":{\"phyStatuses\":[{\"description\":{\"location\":\"line\"},"
		"\"fec\":{\"encoding\":\"other\",\"correctedSymbols\":{}}}]}}}");
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1"), "fec_symbol_errors", 0), 10);
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_FEC, 0), "rs");
	assert_int_equal(cell_validity(at_port(o, "Ethernet2/1"), "fec_symbol_errors", 0),
		VALID_UNSUPPORTED);
	assert_string_equal(attr_word(at_port(o, "Ethernet2/1"), ATTR_FEC, 0), "other");
	obs_free(o);
	eos_bed_close(&b);
}

CASE(nothing_is_on_yet_and_that_is_said)
{
	struct eos_bed b;
	struct obs *o;
	const char *cure;

	eos_bed_open(&b, TRANSPORT_HTTPS, "");
	o = eos_bed_body(&b, "pfc", "{\"interfaces\":{}}");
	assert_int_equal(capability_of(o, "PFC frames per priority", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "priority-flow-control on"));
	obs_free(o);
	o = eos_bed_body(&b, "ecn", "{\"intfQueueCounters\":{}}");
	assert_int_equal(capability_of(o, "ECN marks", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "hardware counter feature ecn out"));
	obs_free(o);
	eos_bed_close(&b);
}

/* A switch that has none of the optional commands: each need is said all the same. */
CASE(every_need_is_said)
{
	static const enum poll_tier tiers[] = {POLL_DETECT, POLL_FAST, POLL_MEDIUM, POLL_SLOW};
	bool is_said[NEED_COUNT] = {false};
	struct eos_bed b;

	eos_bed_open(&b, TRANSPORT_SSH, "");
	for (size_t i = 0; i < 4 * ARRAY_LEN(tiers); i++) {
		struct request_list l = {0};
		struct err err = {0};

		backend_by_name("eos")->plan(&b.target, tiers[i / 4], &l, &err);
		for (size_t k = 0; k < l.at.n; k++) {
			const char *name = l.at.at[k].name;
			struct obs *o;

			if (str_eq(name, "version"))
				o = eos_bed_body(&b, name, "{\"modelName\":\"M\"}");
			else if (str_eq(name, "fast"))
				o = eos_bed_body(&b, name, "{\"interfaces\":{}}");
			else
				o = refuse(&b, name, 0, "Invalid input");
			for (unsigned n = 0; n < NEED_COUNT; n++)
				is_said[n] |=
					capability_of(o, need_info[n].name, NULL) != VALID_UNKNOWN;
			obs_free(o);
		}
		requests_free(&l);
	}
	for (unsigned n = 0; n < NEED_COUNT; n++)
		if (!is_said[n] && need_applies((enum need_id)n, TIER_SPINE))
			fail_msg("nothing is said about: %s", need_info[n].name);
	eos_bed_close(&b);
}

CASE(login_bodies_are_json)
{
	const struct login *login = backend_by_name("eos")->login;
	char *text = login->body("n\\oc", "a\"b\x01\n");
	json_t *o = json_loads(text, 0, NULL);

	assert_string_equal(login->path, "/login");
	assert_string_equal(json_string_value(json_object_get(o, "username")), "n\\oc");
	assert_string_equal(json_string_value(json_object_get(o, "password")), "a\"b\x01\n");
	json_decref(o);
	secret_free(text);
}

CASES_MAIN(NULL, NULL)
