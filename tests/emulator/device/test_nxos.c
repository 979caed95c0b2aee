/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "tests/emulator/support/nxos_bed.h"
#include "tests/support/cases.h"

static json_t *posted(struct rig *r, const char *body, unsigned status)
{
	json_t *o;

	assert_int_equal(rig_http(r, LEAF, "POST", "/ins", body), status);
	assert_string_equal(r->reply.type, "application/json");
	o = json_loadb(r->out.data, r->out.len, JSON_REJECT_DUPLICATES, NULL);
	assert_non_null(o);
	return o;
}

/* The body of one command by JSON-RPC. */
static json_t *cli(struct rig *r, const char *command)
{
	char body[512];
	json_t *o, *result;

	(void)snprintf(body, sizeof(body),
		"[{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"%s\",\"version\":1}"
		",\"id\":1}]",
		command);
	o = posted(r, body, 200);
	result = json_incref(rig_at(o, "result>body"));
	if (!result)
		print_message("%s: %s\n", command, r->out.data);
	assert_non_null(result);
	json_decref(o);
	return result;
}

static json_t *native(struct rig *r, const char *command)
{
	char line[256];
	json_t *o;

	(void)snprintf(line, sizeof(line), "%s | json native", command);
	assert_int_equal(rig_exec(r, LEAF, line, NULL), 0);
	o = json_loadb(r->out.data, r->out.len, 0, NULL);
	assert_non_null(o);
	return o;
}

/* The row of an interface in a list of them. */
static json_t *row_of(json_t *rows, const char *key, const char *name, size_t nth)
{
	size_t i;
	json_t *row;

	json_array_foreach(rows, i, row) if (!strcmp(text_at(row, key), name) && !nth--) return row;
	fail_msg("no row of %s", name);
	return NULL;
}

static const struct {
	const char *command, *file, *rows; /* rows: where the lists are that are compared */
	bool native;
	unsigned allowed; /* of another release or machine */
} shapes[] = {
	{"show version", "switches/nxos/json-native/show_version.json", "", true, 0},
	{"show version", "switches/nxos/json/show_version.json", "", false, 6},
	{"show interface Ethernet1/5", "switches/nxos/json/show_interface_down.json",
		"TABLE_interface>ROW_interface", false, 0},
	{"show interface brief", "switches/nxos/json-native/show_interface_brief.json",
		"TABLE_interface>ROW_interface", true, 0},
	{"show lldp neighbors", "switches/nxos/json-native/show_lldp_neighbors.json",
		"TABLE_nbor>ROW_nbor", true, 0},
	{"show bgp all summary vrf all",
		"switches/nxos/json-native/show_bgp_all_summary_vrf_all.json",
		"TABLE_vrf>ROW_vrf>0>TABLE_af>ROW_af>0>TABLE_saf>ROW_saf", true, 0},
	{"show inventory", "switches/nxos/json/show_inventory.json", "TABLE_inv>ROW_inv", false, 0},
};

static json_t *second_or_only(json_t *rows)
{
	if (!json_is_array(rows))
		return rows;
	return json_array_get(rows, json_array_size(rows) > 1);
}

CASE(shapes_are_those_of_real_switches)
{
	struct rig *r = nxos_rig(state);

	(void)nxos_uplink(r);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		json_t *want = rig_capture_json(shapes[i].file), *have;

		if (!want)
			skip();
		have = shapes[i].native ? native(r, shapes[i].command) : cli(r, shapes[i].command);
		assert_in_range(
			rig_missing_keys(second_or_only(rig_at(want, shapes[i].rows)),
				second_or_only(rig_at(have, shapes[i].rows)), shapes[i].command),
			0, shapes[i].allowed);
		json_decref(want);
		json_decref(have);
	}
}

CASE(several_commands_are_answered_each_on_its_own)
{
	struct rig *r = nxos_rig(state);
	json_t *o = posted(r,
		"[{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show hostname\","
		"\"version\":1},\"id\":1},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show nonsense\","
		"\"version\":1},\"id\":2},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli_ascii\",\"params\":{\"cmd\":\"show "
		"version\",\"version\":1},\"id\":3},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show logging "
		"logfile\",\"version\":1},\"id\":4},"
		"{\"jsonrpc\":\"2.0\",\"method\":\"shell\",\"params\":{\"cmd\":\"ls\"},\"id\":5}]",
		200);

	assert_int_equal(json_array_size(o), 5);
	assert_string_equal(text_at(o, "0>result>body>hostname"), LEAF);
	assert_int_equal(number_at(o, "0>id"), 1);
	assert_null(rig_at(o, "1>result"));
	assert_true(json_integer_value(rig_at(o, "1>error>code")) == -32602);
	assert_string_equal(text_at(o, "1>error>message"), "Invalid params");
	assert_string_equal(text_at(o, "1>error>data>msg"), "% Invalid command\n");
	assert_int_equal(number_at(o, "1>id"), 2);
	assert_non_null(strstr(text_at(o, "2>result>msg"), "Kernel uptime is"));
	assert_true(json_integer_value(rig_at(o, "3>error>code")) == -32602);
	assert_true(json_integer_value(rig_at(o, "4>error>code")) == -32601);
	json_decref(o);
}

CASE(one_row_is_an_object_and_several_are_an_array)
{
	struct rig *r = nxos_rig(state);
	json_t *one = cli(r, "show interface " PORT), *all = cli(r, "show interface");
	json_t *plain = native(r, "show interface " PORT);

	assert_true(json_is_object(rig_at(one, "TABLE_interface>ROW_interface")));
	assert_true(json_is_array(rig_at(all, "TABLE_interface>ROW_interface")));
	assert_true(json_is_array(rig_at(plain, "TABLE_interface>ROW_interface")));
	/* Ports, and the management interface before them. */
	assert_int_equal(json_array_size(rig_at(all, "TABLE_interface>ROW_interface")),
		rig_device(r, LEAF)->nports + 1);
	assert_string_equal(text_at(all, "TABLE_interface>ROW_interface>0>interface"), "mgmt0");
	json_decref(one);
	json_decref(all);
	json_decref(plain);
}

CASE(interfaces_count_what_the_fabric_counts)
{
	struct rig *r = nxos_rig(state);
	struct sim_port *p = nxos_port(r);
	json_t *o = cli(r, "show interface eth 1/5"),
	       *row = rig_at(o, "TABLE_interface>ROW_interface");
	json_t *c = cli(r, "show interface counters"), *e, *rows;

	p->rx_fcs_errors = 17;
	p->tx_discards = 4;
	e = cli(r, "show interface counters errors");
	assert_string_equal(text_at(row, "interface"), PORT);
	assert_int_equal(number_at(row, "eth_inbytes"), p->rx_bytes);
	assert_int_equal(number_at(row, "eth_outbytes"), p->tx_bytes);
	assert_int_equal(number_at(row, "eth_outpkts"), p->tx_packets);
	assert_true(p->rx_bytes > 0);
	assert_int_equal(number_at(row, "eth_bw"), 400000000);
	assert_string_equal(text_at(row, "eth_speed"), "400 Gb/s");
	assert_int_equal(digits_at(row, "eth_mtu"), 9100);
	assert_int_equal(digits_at(row, "eth_crc"), 0);
	assert_string_equal(text_at(row, "state"), "up");
	assert_null(rig_at(row, "state_rsn_desc"));
	rows = rig_at(c, "TABLE_rx_counters>ROW_rx_counters");
	assert_int_equal(
		digits_at(row_of(rows, "interface_rx", PORT, 0), "eth_inbytes"), p->rx_bytes);
	assert_int_equal(digits_at(row_of(rows, "interface_rx", PORT, 1), "eth_inmcast"), 0);
	rows = rig_at(e, "TABLE_interface>ROW_interface");
	assert_int_equal(digits_at(row_of(rows, "interface", PORT, 0), "eth_fcs_err"), 17);
	assert_int_equal(digits_at(row_of(rows, "interface", PORT, 0), "eth_outdisc"), 4);
	assert_int_equal(digits_at(row_of(rows, "interface", PORT, 2), "eth_symbol_err"), 0);
	assert_string_equal(text_at(row_of(rows, "interface", "mgmt0", 0), "eth_xmit_err"), "--");
	p->rx_fcs_errors = p->tx_discards = 0;
	json_decref(o);
	json_decref(c);
	json_decref(e);
}

static const json_t *entry_of(json_t *entries, const char *type, const char *units)
{
	size_t i;
	json_t *entry;

	json_array_foreach(entries, i,
		entry) if (!strcmp(text_at(entry, "eq-stat-type"), type) &&
			   !strcmp(text_at(entry, "eq-stat-units"), units)) return entry;
	return NULL;
}

CASE(queues_are_counted_by_group)
{
	struct rig *r = nxos_rig(state);
	struct sim_queue *q = &nxos_port(r)->q[3];
	json_t *o, *egress, *ingress, *entries;

	q->ecn_marked = 51234;
	q->drops = 6;
	q->pfc_rx_frames = 4088353;
	q->pfc_tx_frames = 1890;
	o = cli(r, "show queuing interface " PORT);
	egress = rig_at(
		o, "TABLE_module>ROW_module>TABLE_queuing_interface>ROW_queuing_interface>0");
	ingress = rig_at(
		o, "TABLE_module>ROW_module>TABLE_queuing_interface>ROW_queuing_interface>1");
	assert_string_equal(text_at(egress, "dir"), "Egress");
	assert_string_equal(text_at(egress, "if_name_str"), PORT);
	assert_int_equal(
		digits_at(egress, "TABLE_qosgrp_egress_stats>ROW_qosgrp_egress_stats>3>eq-qosgrp"),
		3);
	entries = rig_at(egress, "TABLE_qosgrp_egress_stats>ROW_qosgrp_egress_stats>3>"
				 "TABLE_qosgrp_egress_stats_entry>ROW_qosgrp_egress_stats_entry");
	assert_int_equal(digits_at((json_t *)entry_of(entries, "Tx", "Byts"), "eq-uc-stat-value"),
		q->tx_bytes);
	assert_int_equal(
		digits_at((json_t *)entry_of(entries, "ECN", "Pkts"), "eq-uc-stat-value"), 51234);
	assert_int_equal(digits_at((json_t *)entry_of(entries, "WRED/AFD & Tail Drop", "Pkts"),
				 "eq-uc-stat-value"),
		6);
	/* Queues without ECN have no such row. */
	entries = rig_at(egress, "TABLE_qosgrp_egress_stats>ROW_qosgrp_egress_stats>0>"
				 "TABLE_qosgrp_egress_stats_entry>ROW_qosgrp_egress_stats_entry");
	assert_null(entry_of(entries, "ECN", "Pkts"));
	assert_string_equal(text_at(ingress, "dir"), "Ingress");
	assert_int_equal(digits_at(ingress, "rx-ppp"), 4088353);
	assert_int_equal(
		digits_at(ingress, "TABLE_pfc_stats>ROW_pfc_stats>3>tx-pause-count"), 1890);
	assert_string_equal(text_at(ingress, "TABLE_pfc_stats>ROW_pfc_stats>2>pfc-pg"), "-");
	json_decref(o);
	o = cli(r, "show interface priority-flow-control");
	egress = row_of(rig_at(o, "TABLE_module>ROW_module>TABLE_pfc_interface>ROW_pfc_interface"),
		"if_name_str", PORT, 0);
	assert_string_equal(text_at(egress, "vl-bmap"), "8");
	assert_string_equal(text_at(egress, "oper"), "On");
	assert_int_equal(digits_at(egress, "rx-stats"), 4088353);
	json_decref(o);
	q->ecn_marked = q->drops = q->pfc_rx_frames = q->pfc_tx_frames = 0;
}

CASE(the_watchdog_tells_storms)
{
	struct rig *r = nxos_rig(state);
	struct sim_queue *q = &nxos_port(r)->q[3];
	json_t *o, *row, *group, *entries;

	q->wd_detected = 2;
	q->wd_restored = 1;
	q->wd_drops = 7;
	q->wd_stormed = true;
	o = cli(r, "show queuing pfc-queue detail");
	assert_string_equal(text_at(o, "TABLE_module>ROW_module>glb-wd-status"), "Enabled");
	row = row_of(
		rig_at(o, "TABLE_module>ROW_module>TABLE_queuing_interface>ROW_queuing_interface"),
		"if_name_str", PORT " Interface PFC watchdog", 0);
	assert_string_equal(text_at(row, "wd-status"), "Enabled");
	assert_string_equal(text_at(row, "disable-action"), "No");
	group = rig_at(row, "TABLE_qosgrp_stats>ROW_qosgrp_stats");
	assert_true(json_is_object(group));
	assert_string_equal(text_at(group, "eq-qosgrp-state"), "Shutdown");
	entries = rig_at(group, "TABLE_qosgrp_stats_entry>ROW_qosgrp_stats_entry");
	assert_int_equal(digits_at(entries, "0>q-shutdown"), 2);
	assert_int_equal(digits_at(entries, "1>q-restored"), 1);
	assert_int_equal(digits_at(entries, "3>q-pkt-dropped"), 7);
	json_decref(o);
	memset(q, 0, sizeof(*q));
	assert_int_equal(
		rig_exec(r, LEAF, "show queuing pfc-queue interface " PORT " detail", NULL), 0);
	assert_non_null(strstr(r->out.data, "| QOS GROUP 3 [Active] PFC [YES] PFC-COS [3]"));
}

CASE(optics_are_told_by_lane)
{
	struct rig *r = nxos_rig(state);
	struct sim_port *p = nxos_port(r);
	double was = p->lane[2].rx_dbm;
	json_t *o, *lanes;

	p->lane[2].rx_dbm = -40;
	o = cli(r, "show interface " PORT " transceiver details");
	lanes = rig_at(o, "TABLE_interface>ROW_interface>TABLE_lane>ROW_lane");
	assert_string_equal(text_at(o, "TABLE_interface>ROW_interface>sfp"), "present");
	assert_int_equal(json_array_size(lanes), p->lanes);
	assert_int_equal(digits_at(lanes, "2>lane_number"), 3);
	assert_string_equal(text_at(lanes, "2>rx_pwr"), "N/A");
	assert_string_equal(text_at(lanes, "2>rx_pwr_flag"), "--");
	assert_true(fabs(strtod(text_at(lanes, "1>rx_pwr"), NULL) - p->lane[1].rx_dbm) < 0.006);
	assert_null(rig_at(lanes, "1>rx_pwr_flag"));
	assert_true(strtod(text_at(lanes, "0>temperature"), NULL) > 20);
	json_decref(o);
	o = cli(r, "show interface " PORT " transceiver");
	assert_null(rig_at(o, "TABLE_interface>ROW_interface>TABLE_lane"));
	json_decref(o);
	p->lane[2].rx_dbm = was;
}

CASE(neighbours_are_named)
{
	struct rig *r = nxos_rig(state);
	struct sim_port *up = nxos_uplink(r);
	json_t *o, *row;

	o = cli(r, "show lldp neighbors detail");
	row = row_of(rig_at(o, "TABLE_nbor_detail>ROW_nbor_detail"), "l_port_id", "Eth1/5", 0);
	assert_string_equal(
		text_at(row, "sys_name"), sim_device_of(r->sim, nxos_port(r)->peer)->name);
	assert_string_equal(text_at(row, "system_capability"), "S");
	assert_int_equal(digits_at(o, "neigh_count"),
		json_array_size(rig_at(o, "TABLE_nbor_detail>ROW_nbor_detail")));
	json_decref(o);
	o = cli(r, "show bgp sessions vrf all");
	row = rig_at(o, "TABLE_vrf>ROW_vrf>TABLE_neighbor>ROW_neighbor");
	row = json_is_array(row) ? json_array_get(row, 0) : row;
	assert_int_equal(digits_at(row, "connectionsdropped"), 2);
	assert_string_equal(text_at(row, "state"), "Established");
	assert_string_equal(text_at(row, "lastflap"), "P2DT1H1M1S");
	json_decref(o);
	o = cli(r, "show bgp all summary vrf all");
	row = rig_at(o, "TABLE_vrf>ROW_vrf>TABLE_af>ROW_af>TABLE_saf>ROW_saf>TABLE_neighbor>"
			"ROW_neighbor");
	row = json_is_array(row) ? json_array_get(row, 0) : row;
	assert_int_equal(digits_at(row, "prefixreceived"), 32);
	assert_int_equal(digits_at(row, "neighboras"), sim_device_of(r->sim, up->peer)->asn);
	json_decref(o);
}

CASE(the_older_envelope_works)
{
	struct rig *r = nxos_rig(state);
	json_t *o = posted(r,
		"{\"ins_api\":{\"version\":\"1.0\",\"type\":\"cli_show\",\"chunk\":\"0\",\"sid\":"
		"\"1\",\"input\":\"show hostname ;show nonsense ;show logging logfile\","
		"\"output_format\":\"json\"}}",
		200);

	assert_string_equal(text_at(o, "ins_api>outputs>output>0>body>hostname"), LEAF);
	assert_string_equal(text_at(o, "ins_api>outputs>output>0>code"), "200");
	assert_string_equal(text_at(o, "ins_api>outputs>output>1>code"), "400");
	assert_string_equal(text_at(o, "ins_api>outputs>output>1>clierror"), "% Invalid command\n");
	assert_string_equal(text_at(o, "ins_api>outputs>output>2>code"), "501");
	json_decref(o);
	o = posted(r,
		"{\"ins_api\":{\"version\":\"1.0\",\"type\":\"cli_show_ascii\",\"input\":\"show "
		"clock\",\"output_format\":\"json\"}}",
		200);
	assert_non_null(strstr(text_at(o, "ins_api>outputs>output>body"), "UTC"));
	json_decref(o);
}

/* ---- the CLI, writes and refusals ---- */

CASE(the_cli_prints_text_and_json)
{
	struct rig *r = nxos_rig(state);
	json_t *o;

	assert_int_equal(rig_exec(r, LEAF, "show version", NULL), 0);
	assert_non_null(strstr(r->out.data, "NXOS: version 10.4(3)"));
	assert_int_equal(rig_exec(r, LEAF, "sh ver | include uptime", NULL), 0);
	assert_int_equal(strncmp(r->out.data, "Kernel uptime is ", 17), 0);
	assert_string_equal(strchr(r->out.data, '\n'), "\n");
	assert_int_equal(rig_exec(r, LEAF, "show clock ; show hostname", NULL), 0);
	assert_non_null(strstr(r->out.data, LEAF));
	assert_int_equal(rig_exec(r, LEAF, "show interface " PORT " counters | json", NULL), 0);
	o = json_loadb(r->out.data, r->out.len, 0, NULL);
	assert_true(json_is_string(rig_at(o, "TABLE_rx_counters>ROW_rx_counters>0>eth_inbytes")));
	json_decref(o);
	o = native(r, "show interface " PORT " counters");
	assert_true(json_is_integer(rig_at(o, "TABLE_rx_counters>ROW_rx_counters>0>eth_inbytes")));
	json_decref(o);
	assert_int_not_equal(rig_exec(r, LEAF, "show nonsense now", NULL), 0);
	assert_string_equal(r->out.data, "     ^\n% Invalid command at '^' marker.\n");
	assert_int_not_equal(rig_exec(r, LEAF, "show version | nonsense", NULL), 0);
	assert_int_not_equal(rig_exec(r, LEAF, "show interface Ethernet9/9", NULL), 0);
	assert_int_not_equal(rig_exec(r, LEAF, "show lldp", NULL), 0);
}

/* Bundles are those of the topology: this one has none. A section is a line with those below it. */
CASE(bundles_and_sections_of_the_configuration)
{
	struct rig *r = nxos_rig(state);
	json_t *o = native(r, "show port-channel summary");

	assert_null(json_object_get(o, "TABLE_channel"));
	json_decref(o);
	assert_int_equal(rig_exec(r, LEAF, "show running-config | section port-channel", NULL), 0);
	assert_int_equal(strspn(r->out.data ? r->out.data : "", "\n "), r->out.len);
	assert_int_equal(rig_exec(r, LEAF, "show running-config | section router", NULL), 0);
	assert_non_null(strstr(r->out.data, "router bgp"));
	assert_non_null(strstr(r->out.data, "  router-id"));
	assert_null(strstr(r->out.data, "interface Ethernet"));
}

CASE(the_log_is_worded)
{
	struct rig *r = nxos_rig(state);

	assert_int_equal(
		rig_exec(r, LEAF, "conf t ; interface " PORT " ; beacon ; no beacon ; end", NULL),
		0);
	assert_int_equal(rig_exec(r, LEAF, "show logging last 1", NULL), 0);
	assert_non_null(strstr(
		r->out.data, LEAF " %VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured from vty by noc on "));
	assert_string_equal(strchr(r->out.data, '\n'), "\n");
	assert_int_equal(strncmp(r->out.data, "2025 Nov 21 ", 12), 0);
	assert_int_equal(rig_exec(r, LEAF, "show logging logfile | last 2", NULL), 0);
	assert_string_equal(strchr(strchr(r->out.data, '\n') + 1, '\n'), "\n");
}

CASE(configuration_changes_the_fabric)
{
	struct rig *r = nxos_rig(state);
	struct sim_port *p = nxos_port(r);
	json_t *o;

	assert_int_equal(
		rig_exec(r, LEAF, "configure terminal ; interface " PORT " ; shutdown", NULL), 0);
	assert_false(p->config.admin_up);
	sim_advance(r->sim, RIG_NOW + CLOCK_SEC);
	assert_false(p->up);
	o = cli(r, "show interface " PORT);
	assert_string_equal(text_at(o, "TABLE_interface>ROW_interface>state"), "down");
	assert_string_equal(text_at(o, "TABLE_interface>ROW_interface>state_rsn_desc"),
		"Administratively down");
	json_decref(o);
	o = posted(r,
		"[{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"conf t\"},\"id\":1}"
		",{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"int eth1/5\"},"
		"\"id\":2},{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"no "
		"shut\"},"
		"\"id\":3}]",
		200);
	assert_true(json_is_null(rig_at(o, "2>result")));
	json_decref(o);
	assert_true(p->config.admin_up);
	assert_int_equal(
		rig_exec(r, LEAF, "conf t ; int " PORT " ; priority-flow-control mode off", NULL),
		0);
	assert_int_equal(p->config.pfc_mask, 0);
	assert_int_equal(
		rig_exec(r, LEAF, "conf t ; int " PORT " ; priority-flow-control mode on", NULL),
		0);
	assert_int_equal(p->config.pfc_mask, 8);
	/* A command of a mode is unknown without it. */
	assert_int_not_equal(rig_exec(r, LEAF, "shutdown", NULL), 0);
	assert_int_not_equal(rig_exec(r, LEAF, "conf t ; shutdown", NULL), 0);
	assert_true(p->config.admin_up);
}

CASE(the_watchdog_is_configured)
{
	struct rig *r = nxos_rig(state);
	struct sim_device *d = rig_device(r, LEAF);
	struct sim_port *p = nxos_port(r);
	uint64_t logged;

	assert_int_equal(
		rig_exec(r, LEAF,
			"conf t ; int " PORT " ; priority-flow-control watch-dog-interval off",
			NULL),
		0);
	assert_int_equal(p->config.wd_mask, 0);
	assert_int_equal(d->ports[3].config.wd_mask, 8);
	assert_int_equal(rig_exec(r, LEAF,
				 "conf t ; int " PORT
				 " ; priority-flow-control watch-dog-interval on disable-action",
				 NULL),
		0);
	assert_int_equal(p->config.wd_mask, 8);
	assert_int_equal(p->config.wd_action, SIM_WD_ALERT);
	assert_int_equal(rig_exec(r, LEAF,
				 "conf t ; priority-flow-control watch-dog interval 100 ; "
				 "priority-flow-control watch-dog shutdown-multiplier 3 ; "
				 "priority-flow-control auto-restore multiplier 5",
				 NULL),
		0);
	assert_int_equal(d->config.wd_poll_ms, 100);
	assert_int_equal(p->config.wd_detect_ms, 300);
	assert_int_equal(p->config.wd_restore_ms, 500);
	assert_int_not_equal(
		rig_exec(r, LEAF, "conf t ; priority-flow-control watch-dog interval 7", NULL), 0);
	logged = d->logged;
	assert_int_equal(
		rig_exec(r, LEAF,
			"priority-flow-control recover interface ethernet 1/5 qos-group 3", NULL),
		0);
	assert_int_equal(p->config.wd_mask, 8);
	assert_int_equal(d->logged, logged + 2);
	assert_int_not_equal(
		rig_exec(r, LEAF,
			"priority-flow-control recover interface ethernet 1/5 qos-group 9", NULL),
		0);
	assert_int_not_equal(rig_exec(r, LEAF, "priority-flow-control recover interface", NULL), 0);
}

CASE(counters_are_cleared)
{
	struct rig *r = nxos_rig(state);
	struct sim_device *d = rig_device(r, LEAF);
	uint64_t other;

	sim_advance(r->sim, RIG_NOW + 10 * CLOCK_SEC);
	assert_true(d->ports[4].rx_bytes > 0);
	other = d->ports[3].rx_bytes;
	assert_int_equal(rig_exec(r, LEAF, "clear counters interface " PORT, NULL), 0);
	sim_advance_device(r->sim, d, RIG_NOW + 10 * CLOCK_SEC);
	assert_int_equal(d->ports[4].rx_bytes, 0);
	assert_int_equal(d->ports[3].rx_bytes, other);
}

CASE(strangers_and_nonsense_are_refused)
{
	struct rig *r = nxos_rig(state);
	static const char *const broken[] = {"", "{", "null", "[]", "17"};
	static const char *const odd[] = {"{}", "[{}]", "[1]", "{\"jsonrpc\":\"2.0\"}",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":[]}",
		"[{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":[]}}]",
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"| |\"}}"};
	struct http_request stranger = {.method = "POST",
		.path = "/ins",
		.query = "",
		.body = "[]",
		.len = 2,
		.cookie = "nxapi_auth=0123456789abcdef0123456789abcdef",
		.basic_given = true};
	char line[1200];

	assert_int_equal(rig_http_as(r, LEAF, &stranger), 401);
	assert_non_null(r->reply.realm);
	assert_int_equal(rig_http(r, LEAF, "GET", "/nothing", ""), 404);
	assert_int_equal(rig_http(r, LEAF, "GET", "/ins", ""), 405);
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++)
		assert_int_not_equal(rig_http(r, LEAF, "POST", "/ins", broken[i]), 0);
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		json_decref(posted(r, odd[i], 200));
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\0';
	assert_int_not_equal(rig_exec(r, LEAF, line, NULL), 0);
	memset(line, ' ', sizeof(line));
	for (size_t i = 0; i < sizeof(line) - 1; i += 2)
		line[i] = 'a';
	line[sizeof(line) - 1] = '\0';
	assert_int_not_equal(rig_exec(r, LEAF, line, NULL), 0);
}

CASE(a_login_by_password_leaves_a_cookie)
{
	struct rig *r = nxos_rig(state);
	struct http_request q = {.method = "POST",
		.path = "/ins",
		.query = "",
		.body = "{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show "
			"clock\"},\"id\":1}"};
	char cookie[256];

	q.len = strlen(q.body);
	assert_int_equal(rig_http(r, LEAF, "POST", "/ins", q.body), 200);
	(void)snprintf(cookie, sizeof(cookie), "%s", r->reply.cookie);
	assert_int_equal(strncmp(cookie, "nxapi_auth=", 11), 0);
	q.cookie = cookie;
	assert_int_equal(rig_http_as(r, LEAF, &q), 200);
}

CASE(a_dead_agent_says_so)
{
	struct rig *r = nxos_rig(state);
	struct sim_device *d = rig_device(r, LEAF);
	json_t *o;

	d->commands_fail = true;
	o = posted(r,
		"{\"jsonrpc\":\"2.0\",\"method\":\"cli\",\"params\":{\"cmd\":\"show version\"},"
		"\"id\":1}",
		500);
	assert_true(json_integer_value(rig_at(o, "error>code")) == -32603);
	json_decref(o);
	json_decref(nxos_rest(r, "GET", "/api/node/class/topSystem.json", "", "", NULL, 500));
	assert_int_not_equal(rig_exec(r, LEAF, "show version", NULL), 0);
	d->commands_fail = false;
}

static json_t *watched(struct rig *r)
{
	json_t *o = cli(r, "show queuing pfc-queue interface " PORT " detail"), *group;

	group = json_incref(rig_at(o, "TABLE_module>ROW_module>TABLE_queuing_interface>"
				      "ROW_queuing_interface>TABLE_qosgrp_stats>ROW_qosgrp_stats"));
	json_decref(o);
	assert_non_null(group);
	return group;
}

static void pass(struct rig *r, int64_t seconds)
{
	sim_advance_device(r->sim, rig_device(r, LEAF), sim_now(r->sim) + seconds * CLOCK_SEC);
}

/* A NIC that pauses without end, seen and handled in the switch's own words. */
CASE(a_storm_is_seen_recovered_and_healed)
{
	struct rig *r = nxos_rig(state);
	uint64_t shutdown, restored;
	struct err err;
	json_t *group;
	unsigned id;

	if (!sim_inject(r->sim, "pfc-storm:node004:mlx5_0", &id, &err))
		fail_msg("%s", err.text);
	pass(r, 15);
	group = watched(r);
	assert_string_equal(text_at(group, "eq-qosgrp-state"), "Shutdown");
	shutdown = digits_at(group, "TABLE_qosgrp_stats_entry>ROW_qosgrp_stats_entry>0>q-shutdown");
	restored = digits_at(group, "TABLE_qosgrp_stats_entry>ROW_qosgrp_stats_entry>1>q-restored");
	assert_true(shutdown > restored);
	json_decref(group);
	/* Recovered by hand it is watched again; the storm goes on, so it is shut down again. */
	assert_int_equal(
		rig_exec(r, LEAF, "priority-flow-control recover interface " PORT " qos-group 3",
			NULL),
		0);
	pass(r, 15);
	group = watched(r);
	assert_string_equal(text_at(group, "eq-qosgrp-state"), "Shutdown");
	assert_int_equal(
		digits_at(group, "TABLE_qosgrp_stats_entry>ROW_qosgrp_stats_entry>0>q-shutdown"),
		shutdown + 1);
	assert_int_equal(
		digits_at(group, "TABLE_qosgrp_stats_entry>ROW_qosgrp_stats_entry>1>q-restored"),
		restored + 1);
	json_decref(group);
	assert_true(sim_heal(r->sim, "all", &id, &err));
	pass(r, 15);
	group = watched(r);
	assert_string_equal(text_at(group, "eq-qosgrp-state"), "Active");
	json_decref(group);
	assert_int_equal(rig_exec(r, LEAF, "show logging logfile | include " PORT, NULL), 0);
	assert_non_null(strstr(r->out.data, "PFC watchdog shutdown on " PORT " qos-group 3"));
	assert_non_null(strstr(r->out.data, "PFC watchdog restored on " PORT " qos-group 3"));
}

CASES_MAIN(nxos_bed_open, nxos_bed_close)
