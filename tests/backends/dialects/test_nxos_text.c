/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/backends/dialects/nxos_bed.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"

/* Settings and logs as text; the questions; and refusals of the CLI. */

static struct nxos_bed bed;

/* The PFC modes before, as one line of the CLI has both. */
static char *settings(void)
{
	char *pfc = nxos_bed_answer(&bed, "pfc");
	char *text = read_file("tests/backends/fixtures/nxos_settings.txt", NULL);
	struct buf out;

	assert_non_null(text);
	buf_init(&out, 1u << 16);
	(void)buf_addf(&out, "%s\n%s", pfc, text);
	free(pfc);
	free(text);
	return buf_take(&out, NULL);
}

static void check_settings(const struct obs *o)
{
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	/* 0x18 is priorities 3 and 4. */
	assert_true(attr_number(p, ATTR_PFC_ENABLED, 0) == 0x18);
	/* Class 4 is flow-controlled as priority 3. */
	assert_true(attr_number(p, ATTR_ECN_ENABLED, 0) == 1 << 3);
	assert_true(attr_number(p, ATTR_ECN_MIN_BYTES, 3) == 950000);
	assert_true(attr_number(p, ATTR_ECN_MAX_BYTES, 3) == 3000000);
	assert_true(attr_number(p, ATTR_ECN_PROBABILITY, 3) == 7);
	assert_true(attr_number(p, ATTR_XOFF_BYTES, 3) == 40000);
	assert_true(attr_number(p, ATTR_XON_BYTES, 3) == 30000);
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	/* 24-26 and af41 (34) to 4, ef (46) and cs6 (48) to 7. */
	assert_string_equal(attr_word(p, ATTR_DSCP_TO_TC, 0),
		"0000000000000000000000004440000000400000000000707000000000000000");
	assert_string_equal(attr_word(p, ATTR_PRIO_TO_QUEUE, 0), "---4----");
	/* Off in operation; and without a link, as it is told. */
	assert_true(attr_number(at_port(o, "Ethernet1/2"), ATTR_PFC_ENABLED, 0) == 0);
	assert_true(attr_number(at_port(o, "Ethernet1/3"), ATTR_PFC_ENABLED, 0) == 8);
	assert_int_equal(nxos_need(o, "PFC settings"), VALID_OK);
	assert_int_equal(nxos_need(o, "ECN settings"), VALID_OK);
	assert_int_equal(nxos_need(o, "DSCP and queue maps"), VALID_OK);
}

CASE(settings_of_one_line)
{
	struct obs *o;
	char *text;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	text = settings();
	o = nxos_bed_parse(&bed, "settings", text);
	check_settings(o);
	assert_string_equal(facts_get(&bed.facts, "nxos.cos"), "----3---");
	obs_free(o);
	/* Where text breaks off cannot be seen. */
	hostile_answers(
		backend_by_name("nxos"), &bed.target, "settings", text, strcspn(text, "\n"));
	free(text);
	nxos_bed_close(&bed);
}

/* Over NX-API each command is an answer of its own, in any order. */
CASE(settings_of_several_answers)
{
	char *text = read_file("tests/backends/fixtures/nxos_settings.txt", NULL), *pfc, *answer;
	json_t *all, *one;
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_HTTPS);
	pfc = nxos_bed_answer(&bed, "pfc");
	all = json_loads(pfc, 0, NULL);
	for (int id = 5; id >= 2; id--) {
		static const char *const heads[] = {"  Type network", "  Type queuing",
			"  Type qos class", "  Type qos policy"};
		const char *from = strstr(text, heads[id - 2]);
		const char *to = id < 5 ? strstr(text, heads[id - 1]) : from + strlen(from);

		one = json_pack("{s:s,s:{s:s%},s:i}", "jsonrpc", "2.0", "result", "msg", from,
			(size_t)(to - from), "id", id);
		assert_non_null(one);
		json_array_append_new(all, one);
	}
	answer = json_dumps(all, 0);
	o = nxos_bed_parse(&bed, "settings", answer);
	check_settings(o);
	obs_free(o);
	free(answer);
	json_decref(all);
	free(pfc);
	free(text);
	nxos_bed_close(&bed);
}

/* Two policies that differ: which port has which is not known here. */
CASE(policies_that_differ_say_nothing)
{
	static const char text[] =
		"{\"TABLE_pfc_interface\":{\"ROW_pfc_interface\":{\"if_name_str\":\"Ethernet1/1\","
		"\"admin\":\"On\",\"oper\":\"On\",\"vl-bmap\":\"8\"}}}\n"
		"policy-map type queuing a\n  class type queuing c-out-8q-q3\n"
		"    random-detect minimum-threshold 1 kbytes maximum-threshold 2 kbytes ecn\n"
		"policy-map type queuing b\n  class type queuing c-out-8q-q3\n"
		"    random-detect minimum-threshold 9 kbytes maximum-threshold 9 kbytes ecn\n";
	struct obs_port_ref p;
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "settings", text);
	p = at_port(o, "Ethernet1/1");
	assert_true(isnan(attr_number(p, ATTR_ECN_MIN_BYTES, 3)));
	assert_true(isnan(attr_number(p, ATTR_ECN_ENABLED, 0)));
	/* No policy of classification came at all. */
	assert_int_equal(nxos_need(o, "DSCP and queue maps"), VALID_UNSUPPORTED);
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(hashes)
{
	static const char text[] =
		"System config:\n  Non-IP: src-dst mac\n  IP: src-dst ip-l4port rotate 0\n"
		"Module 1:\n  IP: src ip rotate 0\n"
		"IPv4/IPv6 ECMP load sharing:\nUniversal-id (Random Seed): 42\n"
		"Load-share mode : address source-destination port destination\nRotate: 32  \n";
	struct obs_port_ref dev;
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "hash", text);
	dev = at_port(o, NULL);
	assert_string_equal(attr_word(dev, ATTR_LAG_HASH, 0), "src-ip dst-ip l4-src l4-dst");
	assert_string_equal(attr_word(dev, ATTR_ECMP_HASH, 0), "src-ip dst-ip l4-dst");
	assert_string_equal(attr_word(dev, ATTR_HASH_ALGORITHM, 0), "seed 42 rotate 32");
	assert_int_equal(nxos_need(o, "hash settings"), VALID_OK);
	obs_free(o);
	o = nxos_bed_parse(&bed, "hash",
		"Port Channel Load-Balancing Configuration:\nSystem: source-dest-ip\n");
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_LAG_HASH, 0), "src-ip dst-ip");
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(dynamic_load_balancing)
{
	static const struct {
		const char *text, *mode;
	} cases[] = {
		{"hardware profile dlb\n  dlb-interface Eth1/1-64\n  mode flowlet\n",
			"dlb flowlet"},
		{"hardware profile dlb\n  mode per-packet\n", "dlb spray"},
		{"!Command: show running-config | section dlb\nno hardware profile dlb\n",
			"(none)"},
	};

	nxos_bed_open(&bed, TRANSPORT_SSH);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct obs *o = nxos_bed_parse(&bed, "balancing", cases[i].text);

		assert_string_equal(attr_word(at_port(o, NULL), ATTR_BALANCING, 0), cases[i].mode);
		obs_free(o);
	}
	nxos_bed_close(&bed);
}

/* The least number of members stands in the configuration only. */
CASE(least_members_of_bundles)
{
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "least",
		"!Command: show running-config | section port-channel\n"
		"interface port-channel7\n  description to leaf2\n  lacp min-links 3\n"
		"interface port-channel7.20\n  lacp min-links 9\n"
		"interface port-channel8\n  no lacp graceful-convergence\n"
		"interface Ethernet1/1\n  lacp min-links 5\n"
		"port-channel load-balance src-dst ip-l4port\n");
	assert_true(attr_number(at_port(o, "port-channel7"), ATTR_LAG_MIN, 0) == 3);
	assert_false(has_port(o, "port-channel7.20"));
	assert_false(has_port(o, "port-channel8"));
	assert_false(has_port(o, "Ethernet1/1"));
	obs_free(o);
	o = nxos_bed_parse(&bed, "least", "");
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(multipliers)
{
	nxos_bed_open(&bed, TRANSPORT_SSH);
	obs_free(nxos_bed_parse(&bed, "multipliers",
		"priority-flow-control watch-dog shutdown-multiplier 5\n"
		"priority-flow-control auto-restore multiplier 12\n"
		"priority-flow-control auto-restore multiplier x; reload\n"));
	assert_string_equal(facts_get(&bed.facts, "nxos.wd.stop"), "5");
	assert_string_equal(facts_get(&bed.facts, "nxos.wd.back"), "12");
	nxos_bed_close(&bed);
}

static unsigned events_with(const struct obs *o, const char *text)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT &&
		     strstr(obs_text(o, o->items.at[i].text), text) != NULL;
	return n;
}

CASE(the_log_without_ones_own_polls)
{
	static const char text[] =
		"2025 Nov 24 15:59:50 leaf-r0-00 %VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured from vty "
		"by noc on 10.0.0.5@nginx.18400\n"
		"2025 Nov 24 15:59:55 leaf-r0-00 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface "
		"Ethernet1/7 is down (Link failure)\n"
		"2025 Nov 24 15:59:56 leaf-r0-00 %VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured from vty "
		"by eve on 10.0.0.6@pts/2\n";
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "log", text);
	assert_int_equal(events_with(o, "noc"), 0);
	assert_int_equal(events_with(o, "Ethernet1/7"), 1);
	assert_int_equal(events_with(o, "eve"), 1);
	assert_true(has_port(o, "Ethernet1/7"));
	assert_int_equal(nxos_need(o, "event log"), VALID_OK);
	obs_free(o);
	nxos_bed_close(&bed);
}

/* ---- refusals ---- */

CASE(a_command_that_is_missing_costs_its_need_only)
{
	const char *cure;
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_HTTPS);
	o = nxos_bed_parse(&bed, "bgp",
		"[{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32602,\"message\":\"Invalid params\","
		"\"data\":{\"msg\":\"% Invalid command\\n\"}},\"id\":1},"
		"{\"jsonrpc\":\"2.0\",\"result\":null,\"id\":2}]");
	assert_int_equal(capability_of(o, "BGP sessions", &cure), VALID_DISABLED);
	assert_string_equal(cure, "feature bgp");
	obs_free(o);
	nxos_bed_close(&bed);

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "watchdog", "      ^\n% Invalid command at '^' marker.\n");
	assert_int_equal(nxos_need(o, "PFC watchdog"), VALID_UNSUPPORTED);
	obs_free(o);
	o = nxos_bed_parse(&bed, "lldp",
		"{\"TABLE_interface\":{\"ROW_interface\":[]}}\n   ^\n% Invalid command at '^'\n");
	assert_int_equal(capability_of(o, "LLDP neighbours", &cure), VALID_DISABLED);
	assert_string_equal(cure, "feature lldp");
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(a_role_that_may_not)
{
	const char *cure;
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "queuing", "% Permission denied for the role\n");
	assert_int_equal(capability_of(o, "PFC frames per priority", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "show queuing interface"));
	assert_int_equal(o->err.code, ERR_UNAUTHORISED);
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(one_dead_command_of_a_batch)
{
	static const char dead[] =
		"{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32603,\"message\":"
		"\"Internal error\",\"data\":{\"msg\":\"Service not responding\\n\"}},"
		"\"id\":%d}";
	char text[1024];
	struct err err = {0};
	struct obs *o;
	int n;

	nxos_bed_open(&bed, TRANSPORT_HTTPS);
	/* Something else of it was answered: that is kept, and the error told. */
	n = snprintf(text, sizeof(text), "[");
	n += snprintf(text + n, sizeof(text) - (size_t)n, dead, 1);
	(void)snprintf(text + n, sizeof(text) - (size_t)n,
		",{\"jsonrpc\":\"2.0\",\"result\":{\"body\":{\"sys_st_time\":\"then\"}},\"id\":2}"
		"]");
	o = nxos_bed_parse(&bed, "identity", text);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	assert_non_null(strstr(o->err.text, "Service not responding"));
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0), "then");
	obs_free(o);
	/* Nothing was: the poll failed. */
	(void)snprintf(text, sizeof(text), dead, 1);
	o = obs_new("leaf-r0-00", "identity");
	assert_false(backend_by_name("nxos")->parse(
		&bed.target, "identity", text, strlen(text), o, &err));
	assert_non_null(strstr(err.text, "show version"));
	obs_free(o);
	nxos_bed_close(&bed);
}

/* ---- the questions ---- */

static const struct request *find(const struct request_list *l, const char *name)
{
	for (size_t i = 0; i < l->at.n; i++)
		if (str_eq(l->at.at[i].name, name))
			return &l->at.at[i];
	fail_msg("\"%s\" is not asked", name);
	return NULL;
}

CASE(what_ssh_asks)
{
	struct request_list l = {0};
	struct err err = {0};
	const struct request *r;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	assert_true(backend_by_name("nxos")->plan(&bed.target, POLL_FAST, &l, &err));
	assert_string_equal(find(&l, "counters")->command, "show interface counters | json native");
	for (size_t i = 0; i < l.at.n; i++)
		assert_null(strstr(l.at.at[i].command, "queuing"));
	requests_free(&l);
	assert_true(backend_by_name("nxos")->plan(&bed.target, POLL_MEDIUM, &l, &err));
	r = find(&l, "bgp");
	assert_string_equal(r->command, "show bgp all summary vrf all | json native ; show bgp "
					"sessions vrf all | json native");
	assert_true(r->timeout_us > INT64_C(10000000));
	requests_free(&l);
	/* An old release does not know "native". */
	obs_free(nxos_bed_parse(
		&bed, "identity", "                    ^\n% Invalid command at '^' marker.\n"));
	assert_true(backend_by_name("nxos")->plan(&bed.target, POLL_FAST, &l, &err));
	assert_string_equal(find(&l, "counters")->command, "show interface counters | json");
	requests_free(&l);
	nxos_bed_close(&bed);
}

/* Commands of one request: they only read, and there are no more than NX-API takes. */
static size_t asked(const struct request *r)
{
	json_t *batch = json_loads(r->body, 0, NULL);
	size_t n = json_array_size(batch);

	for (size_t i = 0; i < n; i++) {
		const char *cmd = json_string_value(json_object_get(
			json_object_get(json_array_get(batch, i), "params"), "cmd"));

		assert_true(str_starts(cmd, "show "));
	}
	assert_in_range(n, 1, 10);
	json_decref(batch);
	return n;
}

CASE(what_https_asks)
{
	struct request_list l = {0};
	struct err err = {0};
	size_t commands = 0;

	nxos_bed_open(&bed, TRANSPORT_HTTPS);
	assert_true(backend_by_name("nxos")->plan(&bed.target, POLL_FAST, &l, &err));
	for (size_t i = 0; i < l.at.n; i++)
		assert_string_equal(l.at.at[i].method, "GET");
	requests_free(&l);
	assert_true(backend_by_name("nxos")->plan(&bed.target, POLL_SLOW, &l, &err));
	assert_string_equal(find(&l, "slow")->path, "/ins");
	for (size_t k = 0; k < l.at.n; k++)
		commands += asked(&l.at.at[k]);
	assert_true(commands > 8);
	requests_free(&l);
	nxos_bed_close(&bed);
}

CASE(who_it_is)
{
	static const char text[] = "Cisco Nexus Operating System (NX-OS) Software\n";

	assert_int_equal(backend_by_name("nxos")->score(text, strlen(text)), 100);
	assert_int_equal(backend_by_name("nxos")->score("Arista DCS", 10), 0);
}

CASES_MAIN(NULL, NULL)
