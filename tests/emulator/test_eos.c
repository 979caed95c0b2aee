/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "tests/emulator/rig.h"

#define SPINE "spine-000"

static int setup(void **state)
{
	struct rig *r = calloc(1, sizeof(*r));

	assert_non_null(r);
	rig_open(r, NULL);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	rig_close(*state);
	free(*state);
	return 0;
}

/* Commands whose answer has at least the keys of the captured one, interface by interface. */
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

static void shapes_are_those_of_real_switches(void **state)
{
	/* Not of this machine, or of another release. */
	static const unsigned allowed[] = {0, 1, 0, 0, 0, 0, 0, 0, 0, 0};
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
	char part[64];

	while (*path && o) {
		size_t n = strcspn(path, ">");

		assert_true(n < sizeof(part));
		memcpy(part, path, n);
		part[n] = '\0';
		o = json_is_array(o) ? json_array_get(o, strtoul(part, NULL, 10))
				     : json_object_get(o, part);
		path += n + (path[n] == '>');
	}
	assert_true(json_is_integer(o));
	return json_integer_value(o);
}

static void numbers_are_those_of_the_fabric(void **state)
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
	assert_true(json_real_value(json_object_get(
			    json_object_get(
				    json_object_get(
					    json_object_get(
						    json_array_get(json_object_get(o, "result"), 1),
						    "interfaces"),
					    "Ethernet5/1"),
				    "interfaceCounters"),
			    "counterRefreshTime")) == (double)(RIG_NOW / 1000000));
	json_decref(o);
}

static void a_bad_command_ends_the_batch(void **state)
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

static void the_watchdog_names_only_what_happened(void **state)
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

static void http_is_refused_in_words(void **state)
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shapes_are_those_of_real_switches),
		cmocka_unit_test(numbers_are_those_of_the_fabric),
		cmocka_unit_test(a_bad_command_ends_the_batch),
		cmocka_unit_test(the_watchdog_names_only_what_happened),
		cmocka_unit_test(http_is_refused_in_words),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
