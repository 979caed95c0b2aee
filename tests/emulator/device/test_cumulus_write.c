/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/rig_cumulus.h"
#include "tests/support/cases.h"

CASE(nothing_happens_before_apply)
{
	struct rig *r = *state;
	struct sim_port *p = &nvue_switch(r)->ports[2];
	char id[16], query[32];
	json_t *o;

	nvue_open(r, id);
	nvue_write(r, id, "interface/swp3/link/state", "{\"down\":{}}", 200);
	assert_true(p->config.admin_up);
	(void)snprintf(query, sizeof(query), "rev=%s", id);
	assert_int_equal(nvue_ask(r, "GET", NVUE_API "/interface/swp3/link/state", query, ""), 200);
	o = nvue_body(r);
	assert_int_equal(json_object_size(o), 1);
	assert_non_null(json_object_get(o, "down"));
	json_decref(o);
	nvue_apply(r, id, false);
	assert_false(p->config.admin_up);
	nvue_state(r, id, "ready");
	sim_advance(r->sim, sim_now(r->sim) + 2000000);
	nvue_state(r, id, "applied");
	o = nvue_get(r, "interface/swp3/link");
	nvue_text(o, "admin-status", "down");
	json_decref(o);
	assert_int_equal(
		nvue_ask(r, "PATCH", NVUE_API "/revision/applied", "", "{\"state\":\"save\"}"),
		200);
	/* An applied revision is history. */
	nvue_write(r, id, "interface/swp3/link/state", "{\"up\":{}}", 400);
	nvue_open(r, id);
	nvue_write(r, id, "", "{\"interface\":{\"swp3\":{\"link\":{\"state\":{\"up\":{}}}}}}", 200);
	nvue_apply(r, id, true);
	assert_true(p->config.admin_up);
}

CASE(buffers_are_rebuilt_only_when_somebody_is_sure)
{
	struct rig *r = *state;
	struct sim_port *p = &nvue_switch(r)->ports[0];
	char id[16];
	json_t *o;

	nvue_open(r, id);
	nvue_write(r, id, "qos/pfc/narrow/switch-priority/5", "{}", 200);
	nvue_write(r, id, "interface/swp1/qos/pfc", "{\"profile\":\"narrow\"}", 200);
	nvue_apply(r, id, false);
	nvue_state(r, id, "ays");
	assert_int_equal(p->config.pfc_mask, 1u << 3);
	sim_advance(r->sim, sim_now(r->sim) + 61 * INT64_C(1000000));
	nvue_state(r, id, "ays_fail");
	o = nvue_get(r, "revision");
	nvue_text(nvue_at(o, id), "transition>issue>0>code", "client_timeout");
	json_decref(o);
}

CASE(a_profile_changes_the_ports_that_follow_it)
{
	struct rig *r = *state;
	struct sim_device *d = nvue_switch(r);
	char id[16];
	json_t *o;

	nvue_open(r, id);
	nvue_write(r, id, "qos/pfc/both/switch-priority", "{\"3\":{},\"4\":{}}", 200);
	nvue_write(r, id, "interface/swp1/qos/pfc", "{\"profile\":\"both\"}", 200);
	nvue_write(r, id, "qos/congestion-control/default-global/traffic-class/3",
		"{\"min-threshold\":156000,\"probability\":50}", 200);
	nvue_apply(r, id, true);
	assert_int_equal(d->ports[0].config.pfc_mask, 0x18);
	assert_int_equal(d->ports[1].config.pfc_mask, 0x08);
	assert_int_equal(d->ports[1].config.ecn_min_bytes, 156000);
	assert_int_equal(d->ports[1].config.ecn_max_percent, 50);
	o = nvue_get(r, "interface/swp1/qos/pfc");
	nvue_text(o, "profile", "both");
	assert_int_equal(json_object_size(nvue_at(o, "switch-priority")), 2);
	json_decref(o);
	nvue_open(r, id);
	nvue_write(r, id, "interface/swp1/qos/pfc", "{\"profile\":null}", 200);
	nvue_write(r, id, "qos/congestion-control/default-global/traffic-class/3",
		"{\"min-threshold\":null,\"probability\":20}", 200);
	nvue_apply(r, id, true);
	assert_int_equal(d->ports[0].config.pfc_mask, 0x08);
	assert_int_equal(d->ports[1].config.ecn_min_bytes, 500000);
}

CASE(what_the_schema_has_not_is_refused)
{
	struct rig *r = *state;
	char id[16];

	nvue_open(r, id);
	nvue_write(r, "99", "interface/swp1/link", "{\"mtu\":9000}", 404);
	nvue_write(r, "", "interface/swp1/link", "{\"mtu\":9000}", 400);
	nvue_write(r, id, "interface/swp1/link", "{\"colour\":\"red\"}", 400);
	nvue_write(r, id, "interface/swp1/link", "{\"mtu\":\"wide\"}", 400);
	nvue_write(r, id, "interface/swp1/link", "{\"mtu\":[1]}", 400);
	nvue_write(r, id, "interface/swp999/link", "{\"mtu\":9000}", 400);
	nvue_write(r, id, "interface/swp1/qos/pfc", "{\"profile\":\"missing\"}", 400);
	nvue_write(r, id, "interface/swp1/link", "{", 400);
	nvue_write(r, id, "interface", "17", 400);
	/* None of it stuck. */
	nvue_apply(r, id, true);
	assert_int_equal(nvue_switch(r)->ports[0].config.mtu, 9100);
}

/* A body cut off or changed anywhere: the answer is a problem and nothing is done. */
CASE(broken_bodies_change_nothing)
{
	static const char whole[] =
		"{\"interface\":{\"swp1\":{\"link\":{\"mtu\":1500,\"state\":{\"down\":{}}}}},"
		"\"qos\":{\"pfc\":{\"p\":{\"switch-priority\":{\"9\":{}}}}}}";
	static const char deep[] =
		"{\"interface\":{\"swp1\":{\"link\":{\"a\":{\"b\":{\"c\":{\"d\":{"
		"\"e\":{\"f\":{\"g\":{\"h\":{\"i\":{\"j\":{\"k\":1}}}}}}}}}}}}}}";
	struct rig *r = *state;
	char id[16], body[256], path[512] = NVUE_API;
	size_t i;

	nvue_open(r, id);
	for (i = 0; i < sizeof(whole); i++) {
		(void)str_copyn(body, sizeof(body), whole, i);
		nvue_write(r, id, "", body, 400);
	}
	nvue_write(r, id, "", deep, 400);
	for (i = strlen(NVUE_API); i + 2 < sizeof(path) && i < 80; i += 2)
		memcpy(path + i, "/a", 3);
	assert_int_equal(nvue_ask(r, "GET", path, "", ""), 404);
	assert_int_equal(nvue_ask(r, "PATCH", path, "rev=1", "{}"), 400);
	assert_int_equal(nvue_ask(r, "PATCH", NVUE_API "/revision/1", "", "{"), 400);
	assert_int_equal(nvue_ask(r, "POST", NVUE_API "/revision/1", "", "[]"), 405);
	nvue_apply(r, id, true);
	assert_int_equal(nvue_switch(r)->ports[0].config.mtu, 9100);
	assert_true(nvue_switch(r)->ports[0].config.admin_up);
}

CASE(counters_are_cleared_by_actions)
{
	struct rig *r = *state;
	struct sim_port *p = &nvue_switch(r)->ports[8];
	json_t *o;
	char path[32];
	uint64_t before = p->rx_bytes, other = nvue_switch(r)->ports[9].rx_bytes;

	assert_true(p->rx_bytes > 0);
	/* A part: NVUE's view starts again, the kernel's counters stay. */
	assert_int_equal(nvue_ask(r, "POST", NVUE_API "/interface/swp9/qos/counter", "",
				 "{\"@clear\":{\"state\":\"start\",\"parameters\":{}}}"),
		200);
	o = nvue_get(r, "interface/swp9");
	assert_true(json_integer_value(nvue_at(o, "link>stats>in-bytes")) > 0);
	json_decref(o);
	o = nvue_get(r, "interface/swp9/counters/qos");
	nvue_number(o, "egress-queue-stats>traffic-class>3>tx-frames", 0);
	json_decref(o);
	assert_int_equal(nvue_ask(r, "POST", NVUE_API "/interface/swp9/counters", "",
				 "{\"@clear\":{\"state\":\"start\",\"parameters\":{}}}"),
		200);
	o = nvue_body(r);
	assert_true(json_is_integer(o));
	(void)snprintf(path, sizeof(path), "action/%d", (int)json_integer_value(o));
	json_decref(o);
	o = nvue_get(r, path);
	nvue_text(o, "state", "action_success");
	nvue_number(o, "http_status", 200);
	json_decref(o);
	sim_advance(r->sim, sim_now(r->sim) + 2000000);
	o = nvue_get(r, "interface/swp9/link/stats");
	assert_true((uint64_t)json_integer_value(nvue_at(o, "in-bytes")) < before / 4);
	json_decref(o);
	assert_true(nvue_switch(r)->ports[9].rx_bytes >= other);
	assert_int_equal(nvue_ask(r, "POST", NVUE_API "/interface/swp9/nothing", "",
				 "{\"@clear\":{\"state\":\"start\"}}"),
		404);
}

CASE(nv_sets_and_applies)
{
	struct rig *r = *state;
	struct sim_device *d = nvue_switch(r);
	unsigned i;

	assert_int_equal(
		rig_exec(r, NVUE_SWITCH,
			"nv set interface swp1-3,swp5 qos pfc-watchdog state disable", NULL),
		0);
	assert_non_null(strstr(r->err.data, "created [rev_id: "));
	assert_true(d->ports[0].config.wd_mask != 0);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "nv config apply", NULL), 0);
	assert_non_null(strstr(r->out.data, "applied [rev_id: "));
	for (i = 0; i < 6; i++)
		assert_int_equal(d->ports[i].config.wd_mask, i < 3 || i == 4 ? 0 : 8);
	assert_int_equal(rig_exec(r, NVUE_SWITCH,
				 "nv set interface swp1-3,5 qos pfc-watchdog state enable; "
				 "nv config apply -y",
				 NULL),
		0);
	assert_int_equal(d->ports[4].config.wd_mask, 8);
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "nv set interface swp1 link colour red", NULL), 1);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "nv config apply", NULL), 1);
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "nv action clear interface swp1 counters", NULL), 0);
	assert_non_null(strstr(r->out.data, "Action succeeded"));
}

CASE(bgp_is_shut_by_nvue_and_by_frr)
{
	struct rig *r = *state;
	struct sim_port *p = &nvue_switch(r)->ports[0];
	char id[16];
	json_t *o;

	nvue_sessions(nvue_switch(r));
	nvue_open(r, id);
	nvue_write(r, id, "vrf/default/router/bgp/neighbor/swp1", "{\"shutdown\":\"on\"}", 200);
	nvue_apply(r, id, true);
	assert_true(p->bgp.shut);
	assert_int_equal(
		rig_exec(r, NVUE_SWITCH, "sudo vtysh -c 'show ip bgp summary json'", NULL), 0);
	o = nvue_body(r);
	nvue_text(o, "ipv4Unicast>peers>swp1>state", "Idle (Admin)");
	json_decref(o);
	assert_int_equal(rig_exec(r, NVUE_SWITCH,
				 "sudo vtysh -c 'configure terminal' -c 'router bgp 65300' "
				 "-c 'no neighbor swp1 shutdown'",
				 NULL),
		0);
	assert_false(p->bgp.shut);
	assert_int_equal(rig_exec(r, NVUE_SWITCH, "sudo vtysh -c 'show nonsense'", NULL), 1);
}

CASES_MAIN(nvue_setup, nvue_teardown)
