/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "tests/app/support/inventory_expect.h"
#include "tests/support/cases.h"

/* The actions: of an inventory. */

#define HEAD "fabric: t\n"
#define LEAF "switches: [{names: \"leaf-[1-4]\", dialect: sonic, tier: leaf}]\n"

static void refused(const char *actions, const char *want)
{
	struct plan plan;
	char text[1024];

	(void)snprintf(text, sizeof(text), HEAD LEAF "actions: %s\n", actions);
	inventory_expect(text, want, &plan);
	assert_false(plan.actions.granted);
	plan_free(&plan);
}

CASE(nothing_is_granted_by_silence)
{
	struct plan plan;

	inventory_expect(HEAD LEAF, "", &plan);
	assert_false(plan.actions.granted);
	plan_free(&plan);
	inventory_expect(HEAD LEAF "actions: false\n", "", &plan);
	assert_false(plan.actions.granted);
	plan_free(&plan);
	inventory_expect(HEAD LEAF "actions: true\n", "", &plan);
	assert_true(plan.actions.granted);
	assert_null(plan.actions.allow);
	assert_null(plan.actions.credentials);
	plan_free(&plan);
}

CASE(every_setting_is_read)
{
	struct plan plan;
	const struct plan_actions *a = &plan.actions;

	inventory_expect(HEAD LEAF
		"actions:\n"
		"  allow: [pfcwd-reset, locate]\n"
		"  devices: \"leaf-[1-2]\"\n"
		"  user: oncall\n"
		"  identity: keys/oncall\n"
		"  credentials: \"command:pass show oncall\"\n"
		"  ledger: /var/lib/railtop/actions.jsonl\n"
		"  kill_switch: /var/lib/railtop/stop\n"
		"  four_eyes: yes\n"
		"  per_hour: 5\n"
		"  hosts_out: 40\n"
		"  switch_interval: 5m\n"
		"  port_interval: 2h\n"
		"  watch: 20m\n"
		"  watchdog: {action: drop, detect: 200ms, restore: 400ms}\n"
		"  drain: bgp\n"
		"  commands:\n"
		"  - {dialect: nxos, verb: wd-recover, lines: [\"recover {port} {priority}\", "
		"\"end\"]}\n",
		"", &plan);
	assert_true(a->granted);
	assert_string_equal(a->allow, "pfcwd-reset,locate");
	assert_string_equal(a->devices, "leaf-[1-2]");
	assert_string_equal(a->user, "oncall");
	assert_string_equal(a->identity, "/etc/railtop/keys/oncall");
	assert_string_equal(a->credentials, "command:pass show oncall");
	assert_string_equal(a->ledger, "/var/lib/railtop/actions.jsonl");
	assert_string_equal(a->kill_switch, "/var/lib/railtop/stop");
	assert_true(a->four_eyes);
	assert_int_equal(a->per_hour, 5);
	assert_int_equal(a->hosts_out, 40);
	assert_int_equal(a->switch_us, INT64_C(300000000));
	assert_int_equal(a->port_us, INT64_C(7200000000));
	assert_int_equal(a->watch_us, INT64_C(1200000000));
	assert_string_equal(a->wd_action, "drop");
	assert_int_equal(a->wd_detect_ms, 200);
	assert_int_equal(a->wd_restore_ms, 400);
	assert_true(a->drain_bgp);
	assert_int_equal(a->commands.n, 1);
	assert_string_equal(a->commands.at[0].dialect, "nxos");
	assert_string_equal(a->commands.at[0].verb, "wd-recover");
	assert_string_equal(a->commands.at[0].lines, "recover {port} {priority}\nend");
	plan_free(&plan);
}

CASE(what_is_wrong_grants_nothing)
{
	refused("{allow: reboot}",
		"f.yaml:3: actions.allow: \"reboot\" is not a name of an action "
		"(allowed: pfcwd-reset, "
		"pfcwd-enable, port-drain, port-undrain, port-bounce, locate, "
		"counterpoll-enable, perftest-serve, perftest-run, host-drain)\n");
	refused("{devices: leaf-9}", "f.yaml: actions.devices: there is no device leaf-9 (name "
				     "devices of hosts: or switches:)\n");
	refused("{credentials: hunter2}",
		"f.yaml:3: actions.credentials: this file must not contain a secret (write a "
		"reference: env:NAME, file:PATH, command:COMMAND or netrc:PATH)\n");
	refused("{watchdog: {action: drop, detect: 50ms, restore: 400ms}}",
		"f.yaml:3: actions.watchdog.detect: \"50ms\" is not a time from 100ms to 5s\n");
	refused("{watchdog: {action: drop, detect: 200ms}}",
		"f.yaml:3: actions.watchdog: is incomplete (state action, detect and restore)\n");
	refused("{drain: politely}",
		"f.yaml:3: actions.drain: \"politely\" is not a way to drain (allowed: admin: shut "
		"the port; bgp: shut the session, between switches)\n");
	refused("{commands: [{dialect: eos, verb: wd-stop, lines: \"no {prot}\"}]}",
		"f.yaml:3: actions.commands[0].lines: {prot} is not a placeholder (use {port}, "
		"{priority}, {action}, {detect_ms}, {restore_ms}, {peer}, {asn}, {seconds}, "
		"{group}, {verb}, {tcp_port}, {program})\n");
	refused("{commands: [{dialect: eos, verb: wd-stop}]}",
		"f.yaml:3: actions.commands[0]: is incomplete (state dialect, verb and lines)\n");
}

CASES_MAIN(NULL, NULL)
