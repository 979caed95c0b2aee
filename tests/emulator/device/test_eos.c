/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

#define SPINE "spine-000"

/*
 * Commands with an answer that has at least the keys of the captured one, interface by interface.
 */
static const struct {
	const char *command, *file, *inside;
} shapes[] = {
	{"show version", "switches/eos/napalm/show_version.json", NULL},
	{"show interfaces", "switches/eos/napalm/show_interfaces.json", "interfaces"},
	{"show interfaces counters errors",
		"switches/eos/eapi/show_interfaces_counters_errors.json", "interfaceErrorCounters"},
	{"show interfaces counters discards",
		"switches/eos/eapi/show_interfaces_counters_discards.json", "interfaces"},
	{"show priority-flow-control counters",
		"switches/eos/eapi/show_priority-flow-control_counters.json", "interfaceCounters"},
	{"show interfaces priority-flow-control counters detail",
		"switches/eos/derived/show_interfaces_priority-flow-control_counters_detail.json",
		"interfaces"},
	{"show qos interfaces ecn counters queue",
		"switches/eos/eapi/show_qos_interfaces_ecn_counters_queue.json",
		"intfQueueCounters"},
	{"show interfaces phy detail", "switches/eos/eapi/show_interfaces_phy_detail.json",
		"interfacePhyStatuses"},
	{"show lldp neighbors detail", "switches/eos/eapi/show_lldp_neighbors_detail_anta.json",
		"lldpNeighbors"},
	{"show interfaces transceiver dom thresholds",
		"switches/eos/eapi/show_interfaces_transceiver_dom_thresholds_temp.json",
		"interfaces"},
};

static const json_t *first(const json_t *o, const char *inside)
{
	if (!inside)
		return o;
	o = json_object_get(o, inside);
	return json_object_iter_value(json_object_iter((json_t *)o));
}

CASE(shapes_are_those_of_real_switches)
{
	/* Not of this machine, or of another release. */
	static const unsigned allowed[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
	size_t i;

	for (i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		json_t *want = rig_capture_json(shapes[i].file), *reply;
		char command[128];

		if (!want)
			skip();
		(void)snprintf(command, sizeof(command), "[\"%s\"]", shapes[i].command);
		reply = rig_eapi(*state, SPINE, command, "json");
		assert_in_range(rig_missing_keys(first(want, shapes[i].inside),
					first(json_array_get(json_object_get(reply, "result"), 0),
						shapes[i].inside),
					shapes[i].command),
			0, allowed[i]);
		json_decref(reply);
		json_decref(want);
	}
}

static json_int_t integer_at(json_t *o, const char *path)
{
	o = rig_at(o, path);
	assert_true(json_is_integer(o));
	return json_integer_value(o);
}

static const char *string_at(json_t *o, const char *path)
{
	o = rig_at(o, path);
	assert_true(json_is_string(o));
	return json_string_value(o);
}

CASE(numbers_are_those_of_the_fabric)
{
	struct rig *r = *state;
	const struct sim_port *p = &rig_device(r, SPINE)->ports[4];
	json_t *o = rig_eapi(r, SPINE,
		"[\"enable\",{\"cmd\":\"show interfaces\",\"revision\":1},"
		"\"show interfaces counters queue detail\",\"show interfaces phy detail\"]",
		"json");

	assert_int_equal(
		integer_at(o, "result>1>interfaces>Ethernet5/1>interfaceCounters>inOctets"),
		p->rx_bytes);
	assert_int_equal(
		integer_at(o, "result>1>interfaces>Ethernet5/1>interfaceCounters>outOctets"),
		p->tx_bytes);
	assert_int_equal(integer_at(o, "result>1>interfaces>Ethernet5/1>bandwidth"), 400000000000);
	assert_int_equal(
		integer_at(o, "result>2>egressQueueCounters>interfaces>Ethernet5/1>ucastQueues>"
			      "trafficClasses>TC3>dropPrecedences>DP0>enqueuedBytes"),
		p->q[3].tx_bytes);
	assert_int_equal(
		integer_at(o, "result>3>interfacePhyStatuses>Ethernet5/1>phyStatuses>2>fec>"
			      "correctedCodewords>value"),
		p->fec_corrected);
	assert_true(json_real_value(rig_at(o, "result>1>interfaces>Ethernet5/1>interfaceCounters>"
					      "counterRefreshTime")) ==
		    (double)(p->counters_us ? p->counters_us : RIG_NOW) / 1e6);
	json_decref(o);
}

CASE(a_bad_command_ends_the_batch)
{
	json_t *o = rig_eapi(
		*state, SPINE, "[\"show version\",\"show nonsense\",\"show hostname\"]", "json");
	json_t *error = json_object_get(o, "error"), *data = json_object_get(error, "data");

	assert_null(json_object_get(o, "result"));
	assert_int_equal(json_integer_value(json_object_get(error, "code")), 1002);
	assert_string_equal(json_string_value(json_object_get(error, "message")),
		"CLI command 2 of 3 'show nonsense' failed: invalid command");
	assert_int_equal(json_array_size(data), 2);
	assert_non_null(json_object_get(json_array_get(data, 0), "modelName"));
	assert_string_equal(json_string_value(json_array_get(
				    json_object_get(json_array_get(data, 1), "errors"), 0)),
		"Invalid input (at token 2: 'nonsense')");
	json_decref(o);
	o = rig_eapi(*state, SPINE, "[\"show logging\"]", "json");
	assert_int_equal(
		json_integer_value(json_object_get(json_object_get(o, "error"), "code")), 1003);
	json_decref(o);
	o = rig_eapi(*state, SPINE, "[\"show logging\",\"show version\"]", "text");
	assert_non_null(strstr(json_string_value(json_object_get(
				       json_array_get(json_object_get(o, "result"), 1), "output")),
		"Serial number"));
	json_decref(o);
}

CASE(the_watchdog_names_only_what_happened)
{
	struct rig *r = *state;
	struct sim_queue *q = &rig_device(r, SPINE)->ports[0].q[3];
	json_t *o =
		rig_eapi(r, SPINE, "[\"show priority-flow-control counters watchdog\"]", "json");

	assert_int_equal(json_object_size(json_object_get(
				 json_array_get(json_object_get(o, "result"), 0), "interfaces")),
		0);
	json_decref(o);
	q->wd_detected = 2;
	q->wd_restored = 1;
	o = rig_eapi(r, SPINE, "[\"show priority-flow-control counters watchdog\"]", "json");
	assert_int_equal(integer_at(o, "result>0>interfaces>Ethernet1/1>txQueues>3>stuckCount"), 2);
	assert_int_equal(
		integer_at(o, "result>0>interfaces>Ethernet1/1>txQueues>3>recoveryCount"), 1);
	json_decref(o);
	q->wd_detected = q->wd_restored = 0;
}

/* One text command's output; the caller frees. */
static char *text_of(struct rig *r, const char *command)
{
	char list[256], *text;
	json_t *o;

	(void)snprintf(list, sizeof(list), "[\"enable\",\"%s\"]", command);
	o = rig_eapi(r, SPINE, list, "text");
	text = strdup(string_at(o, "result>1>output"));
	json_decref(o);
	return text;
}

static void expect(struct rig *r, const char *command, const char *want, bool there)
{
	char *text = text_of(r, command);

	if (!strstr(text, want) == there)
		fail_msg("%s %s '%s': %s", command, there ? "lacks" : "has", want, text);
	free(text);
}

CASE(a_login_lasts_until_logout)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, SPINE);
	struct http_request q = {.method = "POST",
		.path = "/login",
		.query = "",
		.body = "{\"username\":\"noc\",\"password\":\"wrong\"}",
		.cookie = ""};
	char cookie[256];

	personality_credentials(r->ctx, "noc", "secret");
	q.len = strlen(q.body);
	assert_int_equal(rig_http_as(r, SPINE, &q), 401);
	assert_string_equal(r->reply.cookie, "");
	q.body = "{\"username\":\"noc\",\"password\":\"secret\"}";
	q.len = strlen(q.body);
	assert_int_equal(rig_http_as(r, SPINE, &q), 200);
	assert_memory_equal(r->reply.cookie, "Session=", 8);
	(void)snprintf(cookie, sizeof(cookie), "other=1; %.*s", (int)strcspn(r->reply.cookie, ";"),
		r->reply.cookie);
	q.path = "/command-api";
	q.body = "{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":1,\"params\":"
		 "{\"version\":\"latest\",\"cmds\":[\"show hostname\"]}}";
	q.len = strlen(q.body);
	assert_int_equal(rig_http_as(r, SPINE, &q), 401);
	q.cookie = cookie;
	assert_int_equal(rig_http_as(r, SPINE, &q), 200);
	/* It is of this switch only, and of this boot. */
	assert_int_equal(rig_http_as(r, "spine-001", &q), 401);
	d->boot_us += 1;
	assert_int_equal(rig_http_as(r, SPINE, &q), 401);
	d->boot_us -= 1;
	q.path = "/logout";
	assert_int_equal(rig_http_as(r, SPINE, &q), 200);
	q.path = "/command-api";
	assert_int_equal(rig_http_as(r, SPINE, &q), 401);
}

CASE(a_request_may_say_how_it_wants_its_answer)
{
	struct rig *r = *state;
	static const char body[] =
		"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":1,\"params\":{"
		"\"version\":1,\"timestamps\":true,\"autoComplete\":true,\"cmds\":["
		"{\"cmd\":\"enable\",\"input\":\"\"},{\"cmd\":\"sh host\",\"revision\":1}]}}";
	json_t *o;

	assert_int_equal(rig_http(r, SPINE, "POST", "/command-api", body), 200);
	o = json_loads(r->out.data, 0, NULL);
	assert_string_equal(string_at(o, "result>1>hostname"), SPINE);
	assert_true(json_is_real(rig_at(o, "result>1>_meta>execStartTime")));
	json_decref(o);
	assert_int_equal(rig_http(r, SPINE, "POST", "/command-api",
				 "{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"id\":1,\"params\":"
				 "{\"version\":7,\"cmds\":[]}}"),
		200);
	o = json_loads(r->out.data, 0, NULL);
	assert_int_equal(integer_at(o, "error>code"), -32602);
	json_decref(o);
}

CASE(only_the_privileged_change_anything)
{
	static const char *const closed[] = {
		"[\"configure\"]", "[\"clear counters\"]", "[\"show running-config\"]"};
	json_t *o;
	size_t i;

	for (i = 0; i < sizeof(closed) / sizeof(closed[0]); i++) {
		o = rig_eapi(*state, SPINE, closed[i], "text");
		assert_int_equal(integer_at(o, "error>code"), 1002);
		assert_string_equal(string_at(o, "error>data>0>errors>0"),
			"Invalid input (privileged mode required)");
		json_decref(o);
	}
	/* Commands of a mode are unknown outside of it; the batch keeps the earlier answers. */
	o = rig_eapi(*state, SPINE, "[\"enable\",\"shutdown\"]", "json");
	assert_int_equal(json_array_size(rig_at(o, "error>data")), 2);
	json_decref(o);
	o = rig_eapi(*state, SPINE,
		"[\"enable\",\"configure\",\"interface Ethernet99/1\",\"shutdown\"]", "json");
	assert_string_equal(string_at(o, "error>message"),
		"CLI command 3 of 4 'interface Ethernet99/1' failed: invalid command");
	json_decref(o);
}

CASE(what_is_configured_shows)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, SPINE)->ports[4];
	const struct sim_port_config before = p->config;
	uint64_t logged = rig_device(r, SPINE)->logged;
	json_t *o = rig_eapi(r, SPINE,
		"[\"enable\",\"configure\",\"interface Et5/1\",\"no priority-flow-control pause "
		"watchdog\",\"uc-tx-queue 3\",\"random-detect ecn minimum-threshold 150 kbytes "
		"maximum-threshold 900 kbytes max-mark-probability 5 weight 0\",\"exit\",\"mtu "
		"4200\",\"end\",\"show interfaces Ethernet5/1\"]",
		"json");

	assert_int_equal(integer_at(o, "result>9>interfaces>Ethernet5/1>mtu"), 4200);
	assert_int_equal(json_object_size(rig_at(o, "result>9>interfaces")), 1);
	json_decref(o);
	assert_int_equal(p->config.wd_mask, 0);
	assert_int_equal(p->config.ecn_max_bytes, 900000);
	assert_true(rig_device(r, SPINE)->logged > logged);
	expect(r, "show priority-flow-control status", "Et5/1      E A -    3", true);
	expect(r, "show priority-flow-control status", "Et6/1      E A W    3", true);
	expect(r, "show qos interfaces Ethernet5/1 ecn", "UC3    150   kbytes 900   kbytes 5",
		true);
	expect(r, "show running-config interfaces Ethernet5/1", "pause watchdog", false);
	expect(r, "show running-config section random-detect|service-profile",
		"maximum-threshold 900 kbytes", true);
	expect(r, "show running-config section random-detect|service-profile", "router bgp", false);
	expect(r, "show running-config section ^router", "remote-as", true);
	expect(r, "show running-config section ^router", "interface", false);
	expect(r, "show logging last 5 minutes", "%SYS-5-CONFIG_I: Configured from console by",
		true);
	json_decref(rig_eapi(r, SPINE,
		"[\"enable\",\"configure\",\"interface Ethernet5/1\",\"no "
		"priority-flow-control\",\"uc-tx-queue 3\",\"no random-detect ecn\"]",
		"json"));
	assert_int_equal(p->config.pfc_mask, 0);
	o = rig_eapi(r, SPINE, "[\"show qos interfaces ecn counters queue\"]", "json");
	assert_string_equal(
		string_at(o, "result>0>intfQueueCounters>Ethernet5/1>queueCounters>3"), "-");
	json_decref(o);
	expect(r, "show priority-flow-control status", "Et5/1      D - -", true);
	expect(r, "show priority-flow-control", "Et5/1      D - -", true);
	expect(r, "show qos interfaces Ethernet5/1 trust", "Ethernet5/1      DSCP", true);
	expect(r, "show qos interfaces Ethernet5/1 trust", "Ethernet6/1", false);
	sim_configure(r->sim, p, &before, "test");
	expect(r, "show qos maps", "     2 :     0 0 0 0 0 0 3 0 0 0", true);
}

CASE(a_shut_port_is_disabled)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, SPINE)->ports[7];
	const struct sim_port_config before = p->config;
	json_t *o = rig_eapi(r, SPINE,
		"[\"enable\",\"configure\",\"interface Ethernet8/1\",\"shutdown\",\"show "
		"interfaces "
		"Ethernet8/1 status\"]",
		"json");

	assert_false(p->config.admin_up);
	assert_string_equal(
		string_at(o, "result>4>interfaceStatuses>Ethernet8/1>linkStatus"), "disabled");
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "show interfaces Et8/1 status", NULL), 0);
	assert_non_null(strstr(r->out.data, "Et8/1"));
	assert_non_null(strstr(r->out.data, "disabled"));
	assert_int_equal(
		rig_exec(r, SPINE, "configure\ninterface Et8/1\nno shutdown\nend\n", NULL), 0);
	assert_true(p->config.admin_up);
	sim_configure(r->sim, p, &before, "test");
}

/* The only neighbour that the switch lists now. */
static void link_address(struct rig *r, char address[16])
{
	json_t *o = rig_eapi(r, SPINE, "[\"show ip bgp summary\"]", "json");
	json_t *peers = rig_at(o, "result>0>vrfs>default>peers");

	assert_int_equal(json_object_size(peers), 1);
	(void)snprintf(address, 16, "%s", json_object_iter_key(json_object_iter(peers)));
	json_decref(o);
}

CASE(a_neighbor_can_be_shut)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, SPINE);
	struct sim_port *p = &d->ports[2];
	struct sim_bgp before[64];
	unsigned i;
	char address[16], commands[256];
	const char *name = "result>0>vrfs>default>peers";
	json_t *o;

	assert_true(d->nports <= 64);
	for (i = 0; i < d->nports; i++) {
		before[i] = d->ports[i].bgp;
		d->ports[i].bgp.configured = false;
	}
	p->bgp = (struct sim_bgp){
		.configured = true, .established = true, .since_us = RIG_START, .prefixes = 32};
	link_address(r, address);
	o = rig_eapi(r, SPINE, "[\"show ip bgp summary vrf all\"]", "json");
	assert_string_equal(json_string_value(json_object_get(
				    json_object_get(rig_at(o, name), address), "peerState")),
		"Established");
	json_decref(o);
	(void)snprintf(commands, sizeof(commands),
		"[\"enable\",\"configure\",\"router bgp %u\",\"neighbor %s shutdown\"]", d->asn,
		address);
	json_decref(rig_eapi(r, SPINE, commands, "json"));
	assert_true(p->bgp.shut);
	p->bgp.established = false;
	o = rig_eapi(r, SPINE, "[\"show bgp summary\"]", "json");
	assert_string_equal(
		json_string_value(json_object_get(
			json_object_get(rig_at(o, name), address), "peerStateIdleReason")),
		"Admin");
	json_decref(o);
	expect(r, "show running-config section bgp", "shutdown", true);
	for (i = 0; i < d->nports; i++)
		d->ports[i].bgp = before[i];
}

CASE(cleared_storms_count_from_zero)
{
	struct rig *r = *state;
	struct sim_queue *q = &rig_device(r, SPINE)->ports[0].q[3];
	struct sim_queue before = *q;
	json_t *o;

	q->wd_detected = 5;
	q->wd_restored = 5;
	json_decref(rig_eapi(r, SPINE,
		"[\"enable\",\"clear priority-flow-control counters watchdog\"]", "json"));
	o = rig_eapi(r, SPINE, "[\"show priority-flow-control counters watchdog\"]", "json");
	assert_int_equal(json_object_size(rig_at(o, "result>0>interfaces")), 0);
	json_decref(o);
	q->wd_detected = 6;
	o = rig_eapi(r, SPINE, "[\"show priority-flow-control counters watchdog\"]", "json");
	assert_int_equal(integer_at(o, "result>0>interfaces>Ethernet1/1>txQueues>3>stuckCount"), 1);
	assert_int_equal(
		integer_at(o, "result>0>interfaces>Ethernet1/1>txQueues>3>recoveryCount"), 0);
	json_decref(o);
	*q = before;
}

CASE(the_clock_of_a_switch_may_be_wrong)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, SPINE);
	json_t *o;

	d->clock_skew_us = 90 * INT64_C(1000000);
	o = rig_eapi(r, SPINE, "[\"show clock\",\"show uptime\"]", "json");
	assert_true(
		json_real_value(rig_at(o, "result>0>utcTime")) == (double)(RIG_NOW / 1000000 + 90));
	/* It keeps UTC; the local clock says the same moment. */
	assert_int_equal(integer_at(o, "result>0>localTime>sec"), (RIG_NOW / 1000000 + 90) % 60);
	assert_int_equal(
		integer_at(o, "result>0>localTime>hour"), (RIG_NOW / 1000000 + 90) / 3600 % 24);
	assert_true(json_real_value(rig_at(o, "result>1>upTime")) ==
		    (double)(RIG_NOW - d->boot_us) / 1e6);
	json_decref(o);
	d->clock_skew_us = 0;
}

CASE(a_dead_agent_fails_every_command)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, SPINE);
	json_t *o;

	d->commands_fail = true;
	o = rig_eapi(r, SPINE, "[\"show version\"]", "json");
	assert_int_equal(integer_at(o, "error>code"), 1000);
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "show version", NULL), 1);
	d->commands_fail = false;
}

CASE(the_cli_speaks_json_too)
{
	struct rig *r = *state;
	json_t *o;

	assert_int_equal(rig_exec(r, SPINE, "show interfaces counters discards | json", NULL), 0);
	o = json_loads(r->out.data, 0, NULL);
	assert_true(json_is_integer(rig_at(o, "inDiscardsTotal")));
	json_decref(o);
	assert_int_equal(rig_exec(r, SPINE, "show logging | json", NULL), 1);
	assert_memory_equal(r->out.data, "% This is an unconverted command", 32);
	assert_int_equal(rig_exec(r, SPINE, "show nonsense", NULL), 1);
	assert_string_equal(r->out.data, "% Invalid input (at token 2: 'nonsense')\n");
	assert_int_equal(
		rig_exec(r, SPINE, "show running-config section hostname|nothing | no-more", NULL),
		0);
	assert_string_equal(r->out.data, "hostname " SPINE "\n");
	assert_int_equal(rig_exec(r, SPINE, "show version | no-more", NULL), 0);
	assert_non_null(strstr(r->out.data, "Software image version"));
}

CASE(faults_show_where_an_operator_looks)
{
	static const struct rig_fault_case all[] = {
		{"link-down:spine-000:Ethernet3/1,at=20s", "show logging 4",
			"Line protocol on Interface Ethernet3/1, changed state to down"},
		{"link-down:spine-000:Ethernet3/1,at=20s", "show logging last 1 minutes",
			"%BGP-5-ADJCHANGE: peer 10.64.0.68 "},
		{"link-down:spine-000:Ethernet3/1,at=20s", "show interfaces status", "notconnect"},
		{"watchdog-missing:spine-000:Ethernet3/1", "show priority-flow-control status",
			"Et3/1      E A -    3"},
		{"commands-fail:spine-000", "show version", "% Unable to connect"},
	};

	rig_shows_faults(SPINE, all, sizeof(all) / sizeof(all[0]));
}

CASE(counters_can_be_cleared)
{
	struct rig own = {0};
	const struct sim_port *p;
	json_t *o;

	rig_open(&own, NULL);
	p = rig_device(&own, SPINE)->ports;
	assert_true(p[0].rx_bytes > 0 && p[1].rx_bytes > 0);
	json_decref(rig_eapi(&own, SPINE, "[\"enable\",\"clear counters Ethernet1/1\"]", "json"));
	sim_advance(own.sim, RIG_NOW);
	o = rig_eapi(&own, SPINE, "[\"show interfaces\"]", "json");
	assert_int_equal(
		integer_at(o, "result>0>interfaces>Ethernet1/1>interfaceCounters>inOctets"), 0);
	assert_true(
		integer_at(o, "result>0>interfaces>Ethernet2/1>interfaceCounters>inOctets") > 0);
	json_decref(o);
	rig_close(&own);
}

CASE(http_is_refused_in_words)
{
	struct rig *r = *state;
	static const char *const broken[] = {"", "{", "[]", "null", "{\"jsonrpc\":\"2.0\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"runCmds\",\"params\":{\"cmds\":[1,{}]}}"};
	struct http_request stranger = {.method = "POST",
		.path = "/command-api",
		.query = "",
		.body = "{}",
		.len = 2,
		.cookie = "",
		.basic_given = true};
	size_t i;

	assert_int_equal(rig_http_as(r, SPINE, &stranger), 401);
	assert_string_equal(r->reply.realm, "eapi");
	assert_int_equal(rig_http(r, SPINE, "GET", "/nothing", ""), 404);
	assert_int_equal(rig_http(r, SPINE, "GET", "/command-api", ""), 405);
	for (i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		json_t *o;

		assert_int_equal(rig_http(r, SPINE, "POST", "/command-api", broken[i]), 200);
		o = json_loads(r->out.data, 0, NULL);
		assert_non_null(json_object_get(o, "error"));
		json_decref(o);
	}
}

CASES_MAIN(rig_setup, rig_teardown)
