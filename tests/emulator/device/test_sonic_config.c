/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

/* Commands that change a SONiC switch, with the traps that real ones have. */

#define LEAF "leaf-r3-00"

static void run(struct rig *r, const char *command, int status, const char *out, const char *err)
{
	int got = rig_exec(r, LEAF, command, NULL);

	if (got != status || !strstr(r->out.data, out) || !strstr(r->err.data, err))
		print_message("%s: %d\n%s%s\n", command, got, r->out.data, r->err.data);
	assert_int_equal(got, status);
	assert_non_null(strstr(r->out.data, out));
	assert_non_null(strstr(r->err.data, err));
}

static unsigned guarded(struct rig *r)
{
	const struct sim_device *d = rig_device(r, LEAF);
	unsigned n = 0;

	for (unsigned i = 0; i < d->nports; i++)
		n += d->ports[i].config.wd_mask != 0;
	return n;
}

CASE(changes_need_root)
{
	static const char *const commands[] = {"config pfcwd stop", "pfcwd stop Ethernet0",
		"config interface shutdown Ethernet0", "counterpoll wredqueue disable",
		"config save -y", "ecnconfig -q 3 off", "config bgp shutdown all"};
	struct rig *r = *state;
	uint64_t before = rig_device(r, LEAF)->logged;

	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		run(r, commands[i], 1, "", "Root privileges are required for this operation\n");
	assert_int_equal(rig_device(r, LEAF)->logged, before);
	run(r, "whoami; sudo -n whoami; sudo id -u; id -u", 0, "noc\nroot\n0\n1000\n", "");
	run(r, "sudo sh -c 'config pfcwd interval 150'", 0, "", "");
	run(r, "sudo config pfcwd interval 200", 0, "", "");
}

CASE(stop_without_ports_stops_all)
{
	struct rig *r = *state;
	unsigned all = rig_device(r, LEAF)->nports;

	assert_int_equal(guarded(r), all);
	run(r, "sudo config pfcwd stop Ethernet4", 2, "",
		"Error: Got unexpected extra argument (Ethernet4)");
	assert_int_equal(guarded(r), all);
	run(r, "sudo pfcwd stop Ethernet4 Ethernet8 Nonsense", 0, "", "");
	assert_int_equal(guarded(r), all - 2);
	assert_int_equal(rig_device(r, LEAF)->ports[1].config.wd_mask, 0);
	run(r, "sudo config pfcwd stop", 0, "", "");
	assert_int_equal(guarded(r), 0);
	run(r, "sonic-db-cli CONFIG_DB KEYS 'PFC_WD|*'", 0, "PFC_WD|GLOBAL\n", "");
	assert_string_equal(r->out.data, "PFC_WD|GLOBAL\n");
	run(r, "sudo config pfcwd start --action drop all 200 --restoration-time 200", 0, "", "");
	assert_int_equal(guarded(r), all);
}

CASE(start_has_its_traps)
{
	struct rig *r = *state;
	struct sim_port *p = rig_device(r, LEAF)->ports;

	run(r, "sudo config pfcwd start --action forward Ethernet0 400", 0,
		"restoration time not defined; default to 2 times detection time: 800 ms\n", "");
	assert_int_equal(p->config.wd_detect_ms, 400);
	assert_int_equal(p->config.wd_restore_ms, 800);
	assert_int_equal(p->config.wd_action, SIM_WD_FORWARD);
	run(r, "sonic-db-cli CONFIG_DB HGETALL 'PFC_WD|Ethernet0'", 0,
		"{'action': 'forward', 'detection_time': '400', 'restoration_time': '800'", "");
	run(r,
		"O=$(sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet0:3);"
		"sonic-db-cli COUNTERS_DB HMGET COUNTERS:$O PFC_WD_DETECTION_TIME "
		"PFC_WD_RESTORATION_TIME PFC_WD_ACTION",
		0, "400000\n800000\nforward\n", "");
	run(r,
		"sudo config pfcwd start --action drop ports Ethernet0 detection-time 300 "
		"--restoration-time 500",
		0, "", "");
	assert_int_equal(p->config.wd_detect_ms, 300);
	assert_int_equal(p->config.wd_restore_ms, 500);

	run(r, "sudo config interface pfc priority Ethernet0 3 off", 0, "", "");
	run(r, "sudo pfcwd stop Ethernet0", 0, "", "");
	run(r, "sudo config pfcwd start --action drop Ethernet0 400 --restoration-time 400", 0,
		"SKIPPED: PFC is not enabled on port: Ethernet0\n", "");
	assert_int_equal(p->config.wd_mask, 0);
	run(r, "sudo config interface pfc priority Ethernet0 3 on", 0, "", "");
	run(r, "sudo config pfcwd start -a drop Ethernet0 400 -r 400", 0, "", "");
	assert_int_equal(p->config.wd_mask, 1 << 3);
}

CASE(start_checks_its_arguments)
{
	static const struct {
		const char *rest, *want;
	} all[] = {
		{"", "Missing argument 'DETECTION-TIME'."},
		{"Ethernet0", "'Ethernet0' is not a valid integer"},
		{"Ethernet0 99", "99 is not in the range 100<=x<=5000."},
		{"Ethernet0 5001", "5001 is not in the range 100<=x<=5000."},
		{"--restoration-time 50 Ethernet0 200", "50 is not in the range 100<=x<=60000."},
		{"--restoration-time 60001 Ethernet0 200", "is not in the range 100<=x<=60000."},
		{"--action explode Ethernet0 200",
			"'explode' is not one of 'drop', 'forward', 'alert'."},
		{"Ethernet1 200", "Bad command line format. Try 'pfcwd start --help' for usage"},
		{"--nosuch Ethernet0 200", "No such option: --nosuch"},
	};
	struct rig *r = *state;
	const struct sim_port_config old = rig_device(r, LEAF)->ports[0].config;
	char command[160];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		(void)snprintf(command, sizeof(command), "sudo config pfcwd start %s", all[i].rest);
		run(r, command, 2, "", all[i].want);
	}
	assert_memory_equal(&old, &rig_device(r, LEAF)->ports[0].config, sizeof(old));
}

CASE(the_interval_fits_the_smallest_time)
{
	struct rig *r = *state;
	const struct sim_device *d = rig_device(r, LEAF);

	run(r, "sudo config pfcwd start -a drop Ethernet8 150 -r 400", 0, "", "");
	run(r, "sudo config pfcwd interval 180", 1, "",
		"unable to use polling interval = 180ms, value is bigger than one of the "
		"configured "
		"detection time values");
	run(r, "sudo config pfcwd interval 99", 2, "", "99 is not in the range 100<=x<=3000.");
	run(r, "sudo config pfcwd interval 150", 0, "", "");
	assert_int_equal(d->config.wd_poll_ms, 150);
	run(r, "pfcwd show config", 0, "Changed polling interval to 150ms\n", "");
	run(r, "sudo config pfcwd big_red_switch enable", 0, "", "");
	assert_true(d->config.wd_big_red);
	run(r, "pfcwd show config", 0, "BIG_RED_SWITCH status is enable\n", "");
	run(r, "sudo config pfcwd big_red_switch disable", 0, "", "");
	run(r, "sudo config pfcwd big_red_switch maybe", 2, "", "'maybe' is not one of");
	run(r, "sudo config pfcwd start_default", 0, "", "");
	assert_int_equal(d->ports[2].config.wd_detect_ms, 400); /* 64 ports: twice 200 */
	assert_int_equal(d->config.wd_poll_ms, 400);
	run(r, "sudo config pfcwd start all 200 -r 200", 0, "", "");
	run(r, "sudo config pfcwd interval 200", 0, "", "");
}

CASE(ports_go_down_and_up)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, LEAF)->ports[5];

	run(r, "sudo config interface shutdown Ethernet20", 0, "", "");
	assert_false(p->config.admin_up);
	run(r, "sonic-db-cli APPL_DB HGET PORT_TABLE:Ethernet20 admin_status", 0, "down\n", "");
	run(r, "sudo config interface startup Ethernet20", 0, "", "");
	assert_true(p->config.admin_up);
	run(r, "sudo config interface shutdown Ethernet20,Ethernet24", 0, "", "");
	assert_false(p[0].config.admin_up || p[1].config.admin_up);
	run(r, "sudo config interface startup Ethernet20,Ethernet24", 0, "", "");
	run(r, "sudo config interface shutdown ''", 2, "", "Interface name is invalid");
	run(r, "sudo config interface shutdown Ethernet0,,Ethernet4", 2, "",
		"Interface name is invalid");
	run(r, "sudo config interface shutdown Ethernet1", 2, "", "Interface name is invalid");
	run(r, "sudo config interface shutdown", 2, "", "Missing argument '<interface_name>'.");
	run(r, "sudo config interface nosuch", 2, "", "No such command 'nosuch'.");
}

CASE(sessions_are_shut_by_address_or_name)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	struct sim_port *p = &d->ports[32];
	const char *far = sim_device_of(r->sim, p->peer)->name;
	char command[128];

	p->bgp.configured = true;
	(void)snprintf(command, sizeof(command), "sudo config bgp shutdown neighbor %s", far);
	run(r, command, 0, "Shutting down BGP session with neighbor 10.", "");
	assert_true(p->bgp.shut);
	run(r, "sudo config bgp startup all", 0, "Starting up all BGP sessions...", "");
	assert_false(p->bgp.shut);
	run(r, "sudo config bgp shutdown neighbor nobody", 2, "",
		"Could not locate neighbor 'nobody'");
}

CASE(groups_are_switched_and_stand_still)
{
	static const char bytes[] =
		"O=$(sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet0:3); "
		"sonic-db-cli COUNTERS_DB HGET COUNTERS:$O SAI_QUEUE_STAT_BYTES";
	struct rig *r = *state;
	char before[64];

	run(r, "sudo counterpoll queue disable", 0, "", "");
	run(r, "sonic-db-cli CONFIG_DB HGETALL 'FLEX_COUNTER_TABLE|QUEUE'", 0,
		"{'FLEX_COUNTER_STATUS': 'disable', 'POLL_INTERVAL': '10000'}", "");
	run(r, bytes, 0, "", "");
	(void)str_copy(before, sizeof(before), r->out.data);
	sim_advance(r->sim, RIG_NOW + 30 * INT64_C(1000000));
	run(r, bytes, 0, before, "");
	run(r, "sudo counterpoll queue enable", 0, "", "");
	run(r, bytes, 0, "", "");
	assert_string_not_equal(r->out.data, before);
	run(r, "sudo counterpoll queue interval 5000", 0, "", "");
	run(r, "counterpoll show", 0, "QUEUE_STAT                  5000 ", "");
	run(r, "sudo counterpoll queue interval 99", 2, "",
		"99 is not in the range 100<=x<=30000.");
	run(r, "sudo counterpoll queue interval 10000", 0, "", "");
	run(r, "sudo counterpoll watermark disable", 0, "", "");
	run(r, "sonic-db-cli CONFIG_DB HGET 'FLEX_COUNTER_TABLE|PG_WATERMARK' FLEX_COUNTER_STATUS",
		0, "disable\n", "");
	run(r, "sudo counterpoll watermark enable", 0, "", "");
	run(r, "sudo counterpoll pg-drop disable; counterpoll show", 0,
		"PG_DROP_STAT                10000               disable", "");
	run(r, "sudo counterpoll pg-drop enable", 0, "", "");
}

CASE(thresholds_are_set)
{
	struct rig *r = *state;
	const struct sim_port *p = rig_device(r, LEAF)->ports;

	run(r, "sudo config ecn -profile AZURE_LOSSLESS -gmin 100000 -gmax 400000 -gdrop 7", 0, "",
		"");
	assert_int_equal(p[9].config.ecn_min_bytes, 100000);
	assert_int_equal(p[9].config.ecn_max_bytes, 400000);
	assert_int_equal(p[9].config.ecn_max_percent, 7);
	run(r, "show ecn", 0, "green_min_threshold      100000", "");
	run(r, "sudo config ecn -profile AZURE_LOSSLESS -gmin 500000", 1, "", "Invalid threshold");
	run(r, "sudo ecnconfig -q 3 off", 0, "", "");
	assert_false(p[9].config.ecn);
	run(r, "ecnconfig -q 3", 0, "queue 3: off", "");
	run(r, "sudo ecnconfig -q 3 on", 0, "", "");
	assert_true(p[9].config.ecn);
}

CASE(rows_of_config_db_are_written)
{
	struct rig *r = *state;
	const struct sim_port *p = &rig_device(r, LEAF)->ports[3];

	run(r, "sonic-db-cli CONFIG_DB DEL 'PFC_WD|Ethernet12'", 0, "1\n", "");
	assert_int_equal(p->config.wd_mask, 0);
	run(r,
		"sonic-db-cli CONFIG_DB HSET 'PFC_WD|Ethernet12' action drop detection_time 250 "
		"restoration_time 500",
		0, "", "");
	assert_int_equal(p->config.wd_mask, 1 << 3);
	assert_int_equal(p->config.wd_detect_ms, 250);
	run(r, "sonic-db-cli CONFIG_DB HDEL 'PFC_WD|Ethernet12' restoration_time", 0, "1\n", "");
	run(r, "pfcwd show config Ethernet12", 0, "infinite", "");
	run(r, "sonic-db-cli CONFIG_DB HSET 'PORT|Ethernet12' admin_status down", 0, "", "");
	assert_false(p->config.admin_up);
	run(r, "sonic-db-cli CONFIG_DB HSET 'PORT|Ethernet12' admin_status up", 0, "", "");
	run(r, "sonic-db-cli CONFIG_DB HSET 'PORT_QOS_MAP|Ethernet12' pfc_enable 3,4", 0, "", "");
	assert_int_equal(p->config.pfc_mask, 0x18);
	run(r, "sonic-db-cli CONFIG_DB HSET 'PORT_QOS_MAP|Ethernet12' pfc_enable 3", 0, "", "");
	run(r,
		"sonic-db-cli CONFIG_DB HSET 'FLEX_COUNTER_TABLE|WRED_ECN_QUEUE' "
		"FLEX_COUNTER_STATUS "
		"disable",
		0, "", "");
	assert_false(rig_device(r, LEAF)->config.count_ecn);
	run(r, "sonic-db-cli CONFIG_DB HSET 'PFC_WD|Ethernet12' action", 1, "", "wrong number of");
	run(r, "sonic-db-cli CONFIG_DB HSET 'NOSUCH|x' a b", 1, "", "READONLY");
	run(r, "sonic-db-cli COUNTERS_DB DEL COUNTERS_PORT_NAME_MAP", 1, "", "READONLY");
	run(r,
		"sonic-db-cli COUNTERS_DB PUBLISH PFC_WD_ACTION '[\"oid:0x15000000000000\","
		"\"restore\"]'",
		0, "1\n", "");
}

/* The way out of a storm that does not end by itself; while pause goes on it comes back. */
CASE(a_restart_forgets_the_storm)
{
	static const char status[] =
		"O=$(sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet8:3);"
		"sonic-db-cli COUNTERS_DB HMGET COUNTERS:$O PFC_WD_STATUS "
		"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED";
	struct rig r;

	rig_open(&r, "pfc-storm:node002:mlx5_3,at=20s");
	run(&r, status, 0, "stormed\n1\n0\n", "");
	run(&r, "grep -c 'detected PFC storm on port Ethernet8, queue index 3' /var/log/syslog", 0,
		"1\n", "");
	run(&r, "sudo pfcwd stop Ethernet8", 0, "", "");
	run(&r, status, 0, "\n1\n", "");
	run(&r, "sonic-db-cli APPL_DB KEYS 'PFC_WD_TABLE_INSTORM:*'", 0, "", "");
	assert_string_equal(r.out.data, "\n");
	run(&r, "sudo config pfcwd start --action drop Ethernet8 200 --restoration-time 200", 0, "",
		"");
	run(&r, status, 0, "operational\n", "");
	sim_advance(r.sim, RIG_NOW + 20 * INT64_C(1000000));
	run(&r, status, 0, "stormed\n2\n1\n", "");
	run(&r, "sudo config pfcwd start --action drop Ethernet8 200 --restoration-time 200", 0, "",
		"");
	run(&r, status, 0, "operational\n", "");
	rig_close(&r);
}

CASE(changes_are_logged_and_saved)
{
	struct rig *r = *state;
	uint64_t before = rig_device(r, LEAF)->logged;

	run(r, "sudo config interface shutdown Ethernet28", 0, "", "");
	run(r, "sudo config interface startup Ethernet28", 0, "", "");
	assert_true(rig_device(r, LEAF)->logged >= before + 2);
	run(r, "sudo grep Ethernet28 /var/log/syslog", 0, "Ethernet28", "");
	run(r, "sudo config save -y", 0, "sonic-cfggen -d --print-data", "");
	run(r, "sudo config save", 1, "Aborted!", "");
}

CASES_MAIN(rig_setup, rig_teardown)
