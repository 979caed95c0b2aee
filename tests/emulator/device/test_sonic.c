/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/rig.h"
#include "tests/support/cases.h"

/* The tables and tools of a SONiC switch; writes are in test_sonic_config.c. */

#define LEAF "leaf-r3-00"

static const char *says(struct rig *r, const char *command)
{
	int status = rig_exec(r, LEAF, command, NULL);

	if (status)
		print_message("%s\n%s%s\n", command, r->out.data, r->err.data);
	assert_int_equal(status, 0);
	return r->out.data;
}

static void contains(const char *text, const char *part)
{
	if (!strstr(text, part))
		print_message("no \"%s\" in:\n%s\n", part, text);
	assert_non_null(strstr(text, part));
}

static bool has(struct rig *r, const char *command, const char *part)
{
	return strstr(says(r, command), part) != NULL;
}

/* All fields of a port's, queue's or group's row by name. */
static const char *row(struct rig *r, const char *kind, const char *name)
{
	static char command[256];

	(void)snprintf(command, sizeof(command),
		"O=$(sonic-db-cli COUNTERS_DB HGET COUNTERS_%s_NAME_MAP %s); "
		"sonic-db-cli COUNTERS_DB HGETALL COUNTERS:$O",
		kind, name);
	return says(r, command);
}

CASE(chips_differ)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	const char *text = row(r, "PORT", "Ethernet0");

	contains(text, "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US");
	assert_null(strstr(text, "PFC_4_RX_PAUSE_DURATION_US"));
	assert_null(strstr(text, "ON2OFF"));
	contains(text, "IF_IN_FEC_CODEWORD_ERRORS_S15");
	assert_null(strstr(row(r, "QUEUE", "Ethernet0:3"), "PAUSE_STATUS"));
	contains(says(r, "cat /etc/sonic/sonic_version.yml"), "asic_type: mellanox");
	contains(says(r, "show version"), "Platform: x86_64-nvidia_sn5400-r0\nHwSKU: ACS-SN5400");

	d->platform = sim_platform("sonic-broadcom");
	text = row(r, "PORT", "Ethernet0");
	assert_null(strstr(text, "PAUSE_DURATION"));
	contains(text, "PFC_3_ON2OFF_RX_PKTS");
	contains(row(r, "QUEUE", "Ethernet0:3"), "'SAI_QUEUE_ATTR_PAUSE_STATUS': 'false'");
	contains(says(r, "sonic-db-cli CONFIG_DB HGETALL 'DEVICE_METADATA|localhost'"),
		"'platform': 'x86_64-accton_as9736_64d-r0'");
	d->platform = sim_platform("sonic-spectrum");
}

CASE(history_is_estimated_where_it_is_asked_for)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, LEAF)->ports[0];

	assert_null(strstr(row(r, "PORT", "Ethernet0"), "EST_PORT_STAT"));
	(void)says(r, "sudo pfcwd pfc_stat_history enable Ethernet0");
	p->q[3].pfc_rx_us = 1234567;
	contains(row(r, "PORT", "Ethernet0"),
		"'EST_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US': '1200000'");
	contains(says(r, "pfcstat --history"), "1,200,000");
	assert_null(strstr(row(r, "PORT", "Ethernet4"), "EST_PORT_STAT"));
	p->q[3].pfc_rx_us = 0;
	(void)says(r, "sudo pfcwd pfc_stat_history disable Ethernet0");
	assert_null(strstr(row(r, "PORT", "Ethernet0"), "EST_PORT_STAT"));
}

CASE(settings_show_in_config_db)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	struct sim_port_config old = d->ports[1].config, c = old;
	struct sim_device_config dev = d->config;

	c.ecn = false;
	c.pfc_mask = 0;
	c.wd_mask = 0;
	c.mtu = 1500;
	sim_configure(r->sim, &d->ports[1], &c, "test");
	assert_false(has(r, "sonic-db-cli CONFIG_DB HGETALL 'QUEUE|Ethernet4|3'", "wred"));
	assert_true(has(r, "sonic-db-cli CONFIG_DB HGETALL 'QUEUE|Ethernet8|3'", "AZURE_LOSSLESS"));
	assert_false(
		has(r, "sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|Ethernet4'", "pfc_enable"));
	assert_string_equal(says(r, "sonic-db-cli CONFIG_DB EXISTS 'PFC_WD|Ethernet4'"), "0\n");
	assert_false(has(r, "sonic-db-cli CONFIG_DB KEYS 'PFC_WD|*'", "PFC_WD|Ethernet4\n"));
	assert_string_equal(
		says(r, "sonic-db-cli CONFIG_DB EXISTS 'BUFFER_PG|Ethernet4|3'"), "0\n");
	assert_string_equal(says(r, "sonic-db-cli CONFIG_DB HGET 'PORT|Ethernet4' mtu"), "1500\n");
	assert_null(strstr(row(r, "QUEUE", "Ethernet4:3"), "PFC_WD_STATUS"));
	assert_null(strstr(row(r, "PORT", "Ethernet4"), "PAUSE_DURATION"));
	contains(says(r, "show pfc priority Ethernet4"), "N/A");

	c = old;
	c.ecn_min_bytes = 4096;
	sim_configure(r->sim, &d->ports[1], &c, "test");
	assert_string_equal(says(r, "sonic-db-cli CONFIG_DB HGET 'QUEUE|Ethernet4|3' wred_profile"),
		"AZURE_LOSSLESS_Ethernet4\n");
	assert_string_equal(says(r, "sonic-db-cli CONFIG_DB HGET "
				    "'WRED_PROFILE|AZURE_LOSSLESS_Ethernet4' green_min_threshold"),
		"4096\n");
	assert_string_equal(says(r, "sonic-db-cli CONFIG_DB HGET 'WRED_PROFILE|AZURE_LOSSLESS' "
				    "green_min_threshold"),
		"500000\n");
	sim_configure(r->sim, &d->ports[1], &old, "test");

	dev.dscp_prio[26] = 0;
	dev.trust_dscp = false;
	sim_configure_device(r->sim, d, &dev, "test");
	assert_string_equal(
		says(r, "sonic-db-cli CONFIG_DB HGET 'DSCP_TO_TC_MAP|AZURE' 26"), "0\n");
	assert_false(has(r, "sonic-db-cli CONFIG_DB HGETALL 'PORT_QOS_MAP|Ethernet0'", "dscp_to"));
	dev.dscp_prio[26] = 3;
	dev.trust_dscp = true;
	sim_configure_device(r->sim, d, &dev, "test");
}

CASE(ecn_counts_exist_while_their_group_runs)
{
	struct rig *r = *state;

	(void)says(r, "sudo counterpoll wredqueue disable");
	assert_null(strstr(row(r, "QUEUE", "Ethernet0:3"), "WRED"));
	assert_string_equal(says(r, "sonic-db-cli CONFIG_DB HGET "
				    "'FLEX_COUNTER_TABLE|WRED_ECN_QUEUE' FLEX_COUNTER_STATUS"),
		"disable\n");
	contains(says(r, "show queue wredcounters Ethernet0"), "N/A");
	(void)says(r, "sudo counterpoll wredqueue enable");
	contains(row(r, "QUEUE", "Ethernet0:3"), "WRED_ECN_MARKED_PACKETS");
	assert_false(has(r, "show queue wredcounters Ethernet0", "N/A"));
	contains(says(r, "sonic-db-cli STATE_DB HGETALL "
			 "'QUEUE_COUNTER_CAPABILITIES|WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER'"),
		"'isSupported': 'true'");
}

/* A storm as the physics would leave it. */
static void storm(struct rig *r, bool on)
{
	struct sim_queue *q = &rig_device(r, LEAF)->ports[1].q[3];

	q->wd_stormed = on;
	q->wd_detected = on ? 2 : 0;
	q->wd_restored = on ? 1 : 0;
	q->wd_drops = on ? 500 : 0;
}

CASE(storms_show)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, LEAF)->ports[1];
	struct sim_port_config off = p->config, on = off;

	storm(r, true);
	contains(says(r, "show pfcwd stats"), "Ethernet4:3   stormed                        2/1    "
					      "     0/500           0/0       "
					      "       0/250                0/0");
	assert_int_equal(rig_exec(r, LEAF, "pfcwd show stats --check-storm", NULL), 1);
	assert_false(has(r, "show pfcwd stats", "Ethernet8:3"));
	assert_true(has(r, "show pfcwd stats -e", "Ethernet8:3"));
	off.wd_mask = 0;
	sim_configure(r->sim, p, &off, "test");
	storm(r, true);
	assert_string_equal(
		says(r, "sonic-db-cli APPL_DB EXISTS PFC_WD_TABLE_INSTORM:Ethernet4"), "0\n");
	contains(row(r, "QUEUE", "Ethernet4:3"), "'PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED': '2'");
	assert_null(strstr(r->out.data, "PFC_WD_STATUS"));
	sim_configure(r->sim, p, &on, "test");
	storm(r, false);
	assert_int_equal(rig_exec(r, LEAF, "pfcwd show stats --check-storm", NULL), 0);
}

static void add_log(struct sim_device *d, enum sim_log_kind kind, unsigned port, const char *text)
{
	struct sim_log *l = &d->log[d->logged++ % SIM_LOG_KEPT];

	*l = (struct sim_log){.t_us = RIG_NOW + 1500, .kind = kind, .port = port, .prio = 3};
	(void)str_copy(l->text, sizeof(l->text), text);
}

CASE(the_log_has_sonics_words)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	char want[512], queue[64], port[64];

	(void)str_copy(queue, sizeof(queue),
		says(r, "sonic-db-cli COUNTERS_DB HGET COUNTERS_QUEUE_NAME_MAP Ethernet4:3") + 4);
	(void)str_copy(port, sizeof(port),
		says(r, "sonic-db-cli COUNTERS_DB HGET COUNTERS_PORT_NAME_MAP Ethernet4") + 4);
	queue[strcspn(queue, "\n")] = port[strcspn(port, "\n")] = '\0';
	add_log(d, SIM_LOG_LINK_DOWN, 1, "");
	add_log(d, SIM_LOG_STORM_DETECTED, 1, "");
	add_log(d, SIM_LOG_STORM_RESTORED, 1, "");
	d->clock_skew_us = 2000000;
	(void)snprintf(want, sizeof(want),
		"2025 Nov 21 11:54:22.001500 " LEAF " NOTICE swss#orchagent: :- "
		"PfcWdActionHandler: PFC Watchdog detected PFC storm on port Ethernet4, queue "
		"index 3, "
		"queue id %s, and port id %s\n",
		queue, port);
	contains(says(r, "sudo cat /var/log/syslog"), want);
	contains(says(r, "sudo -n tail -n0 -F /var/log/syslog"), "");
	assert_string_equal(r->out.data, "");
	contains(says(r, "tail -n 1 /var/log/syslog"),
		"PFC Watchdog storm restored on port Ethernet4");
	contains(says(r, "show logging"), "Set operation status DOWN to host interface Ethernet4");
	assert_null(strstr(says(r, "show logging -l 1"), "detected PFC storm"));
	assert_string_equal(says(r, "grep -c 'PFC storm' /var/log/syslog"), "1\n");
	assert_string_equal(
		says(r, "sonic-db-cli STATE_DB EVAL 'return redis.call(\"TIME\")[1]' 0"),
		"1763726062\n");
	d->clock_skew_us = 0;
}

CASE(changes_are_dated)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	struct sim_port old = d->ports[2];

	d->ports[2].up = false;
	d->ports[2].carrier_down = 1;
	d->ports[2].last_change_us = RIG_NOW;
	contains(says(r, "sonic-db-cli APPL_DB HGETALL PORT_TABLE:Ethernet8"),
		"'flap_count': '2', 'last_down_time': 'Fri Nov 21 11:54:20 2025'");
	contains(says(r, "show interfaces flap Ethernet8"), "Down");
	contains(says(r, "show interfaces counters -i Ethernet8"), "Ethernet8        D");
	d->ports[2] = old;
}

CASE(optics_have_flags)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, LEAF)->ports[0];
	struct sim_port old = *p;

	p->lane[1].rx_dbm = -12;
	p->lane[2].rx_dbm = -60;
	contains(says(r, "sonic-db-cli STATE_DB HGETALL 'TRANSCEIVER_DOM_FLAG|Ethernet0'"),
		"'rx2powerLAlarm': 'True'");
	contains(r->out.data, "'rx1powerLAlarm': 'False'");
	contains(says(r, "sonic-db-cli STATE_DB HGETALL 'TRANSCEIVER_STATUS_FLAG|Ethernet0'"),
		"'rx3los': 'True'");
	contains(says(r, "sonic-db-cli STATE_DB HGETALL 'TRANSCEIVER_DOM_SENSOR|Ethernet0'"),
		"'rx3power': '-inf'");
	contains(r->out.data, "'rx5power': 'N/A'");
	contains(says(r, "show interfaces transceiver eeprom -d Ethernet0"), "RX3Power: -infdBm");
	contains(says(r, "show interfaces transceiver status Ethernet0"),
		"Rx loss of signal flag on media lane 3: True");
	*p = old;
}

CASE(sessions_are_told_in_frr_words)
{
	struct rig *r = *state;
	struct sim_port *p = &rig_device(r, LEAF)->ports[32];
	struct sim_bgp old = p->bgp;
	const json_t *peer = NULL;
	const char *address;
	json_t *o;

	assert_non_null(p->peer);
	p->bgp = (struct sim_bgp){.configured = true,
		.established = true,
		.since_us = RIG_NOW - 125000000,
		.resets = 2,
		.prefixes = 21};
	o = json_loads(says(r, "sudo vtysh -c 'show bgp summary json'"), 0, NULL);
	json_object_foreach(
		json_object_get(json_object_get(o, "ipv4Unicast"), "peers"), address, peer)
	{
		if (str_eq(json_string_value(json_object_get(peer, "hostname")),
			    sim_device_of(r->sim, p->peer)->name) &&
			json_integer_value(json_object_get(peer, "connectionsDropped")) == 2)
			break;
	}
	assert_non_null(peer);
	assert_string_equal(json_string_value(json_object_get(peer, "state")), "Established");
	assert_string_equal(json_string_value(json_object_get(peer, "peerUptime")), "00:02:05");
	assert_int_equal(json_integer_value(json_object_get(peer, "pfxRcd")), 21);
	json_decref(o);
	contains(says(r, "show ip bgp summary"), "00:02:05");
	contains(says(r, "sonic-db-cli STATE_DB KEYS 'NEIGH_STATE_TABLE|*'"),
		"NEIGH_STATE_TABLE|10.");
	contains(says(r, "sonic-db-cli CONFIG_DB KEYS 'BGP_NEIGHBOR|*'"), "BGP_NEIGHBOR|10.");
	p->bgp.established = false;
	p->bgp.shut = true;
	contains(says(r, "rvtysh -c 'show ip bgp summary json'"), "Idle (Admin)");
	p->bgp = old;
}

CASE(lldpctl_prints_both_shapes)
{
	struct rig *r = *state;
	struct sim_device *d = rig_device(r, LEAF);
	json_t *o = json_loads(says(r, "sudo lldpctl -f json0"), 0, NULL);
	json_t *list = json_object_get(json_array_get(json_object_get(o, "lldp"), 0), "interface");

	assert_int_equal(json_array_size(list), d->nports);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(list, 1), "name")), "Ethernet4");
	json_decref(o);
	o = json_loads(says(r, "lldpctl -f json"), 0, NULL);
	list = json_object_get(json_object_get(o, "lldp"), "interface");
	assert_non_null(json_object_get(
		json_object_get(json_object_get(json_array_get(list, 1), "Ethernet4"), "chassis"),
		"node001"));
	json_decref(o);
}

CASE(a_dead_database_is_said)
{
	static const struct {
		const char *command, *part;
	} all[] = {
		{"sonic-db-cli COUNTERS_DB KEYS x",
			"Could not connect to Redis at 127.0.0.1:6379: Connection refused"},
		{"show pfcwd stats", "Unable to connect to redis"},
		{"sudo config pfcwd stop Ethernet0", "Unable to connect to redis"},
		{"vtysh -c 'show bgp summary json'", "failed to connect to any daemons"},
		{"lldpctl -f json", "Connection refused"},
	};
	struct rig *r = *state;

	rig_device(r, LEAF)->commands_fail = true;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(rig_exec(r, LEAF, all[i].command, NULL), 1);
		assert_string_equal(r->out.data, "");
		contains(r->err.data, all[i].part);
	}
	rig_device(r, LEAF)->commands_fail = false;
	(void)says(r, "show pfcwd stats");
}

CASE(wrong_words_get_usage)
{
	static const struct {
		const char *command, *want;
	} all[] = {
		{"show nosuch",
			"Usage: show [OPTIONS] COMMAND [ARGS]...\nTry 'show -h' for help.\n\n"
			"Error: No such command 'nosuch'.\n"},
		{"show pfc nosuch", "Usage: show pfc [OPTIONS] COMMAND [ARGS]...\nTry 'show pfc "
				    "-h' for help.\n\n"
				    "Error: No such command 'nosuch'.\n"},
		{"sudo config nosuch",
			"Usage: config [OPTIONS] COMMAND [ARGS]...\nTry 'config -h' for help.\n\n"
			"Error: No such command 'nosuch'.\n"},
		{"sudo config pfcwd nosuch", "Try 'config pfcwd -h' for help."},
		{"show interfaces status Ethernet999", "Error: Interface name is invalid. Please "
						       "enter a valid interface name!!\n"},
		{"counterpoll nosuch enable", "No such command 'nosuch'."},
		{"show queue watermark nosuch", "No such command 'nosuch'."},
		{"show interfaces counters nosuch", "No such command 'nosuch'."},
		{"show ip bgp nosuch", "No such command 'nosuch'."},
	};
	struct rig *r = *state;

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		int status = rig_exec(r, LEAF, all[i].command, NULL);

		if (status != 2)
			print_message("%s: %d\n", all[i].command, status);
		assert_int_equal(status, 2);
		contains(r->err.data, all[i].want);
		assert_string_equal(r->out.data, "");
	}
	assert_int_equal(rig_exec(r, LEAF, "show pfc", NULL), 0);
	assert_int_equal(rig_exec(r, LEAF, "/usr/bin/show clock", NULL), 0);
	assert_string_equal(r->out.data, "Fri Nov 21 11:54:20 UTC 2025\n");
}

/* The first line of a real table, words only: columns are as wide as their content. */
static void heading(const char *text, const char *begins, char dst[512])
{
	const char *p = strstr(text, begins);
	size_t n = 0;

	dst[0] = '\0';
	for (; p && *p && *p != '\n' && n < 510; p++)
		if (*p != ' ' || (n && dst[n - 1] != ' '))
			dst[n++] = *p;
	while (n && dst[n - 1] == ' ')
		n--;
	dst[n] = '\0';
}

CASE(tables_are_headed_as_real_ones)
{
	static const struct {
		const char *command, *file, *begins;
	} all[] = {
		{"show interfaces status", "show-interfaces-status", "Interface "},
		{"show interfaces counters", "show-interfaces-counters", "IFACE"},
		{"show interfaces flap", "show-interfaces-flap", "Interface "},
		{"show interfaces description", "show-interfaces-description", "Interface "},
		{"show interfaces neighbor expected", "show-interfaces-neighbor-expected",
			"LocalPort"},
		{"show interfaces fec status", "show-interfaces-fec-status", "Interface "},
		{"show interfaces counters fec-histogram Ethernet0",
			"show-interfaces-counters-fec-histogram-Ethernet0", "Symbol"},
		{"show interfaces transceiver presence", "show-interfaces-transceiver-presence",
			"Port "},
		{"show pfc counters", "show-pfc-counters", "Port Rx"},
		{"show pfc counters", "show-pfc-counters", "Port Tx"},
		{"show pfc counters --history", "show-pfc-counters-history", "Port "},
		{"show pfc priority", "show-pfc-priority", "Interface "},
		{"show pfcwd stats -e", "show-pfcwd-stats", "QUEUE"},
		{"pfcwd show config", "pfcwd-show-config", "PORT"},
		{"show queue counters Ethernet0", "show-queue-counters-Ethernet0", "Port "},
		{"show queue wredcounters Ethernet0", "show-queue-wredcounters", "Port "},
		{"show priority-group watermark shared", "show-priority-group-watermark-shared",
			"Port "},
		{"show priority-group drop counters", "show-priority-group-drop-counters", "Port "},
		{"show buffer_pool watermark", "show-buffer_pool-watermark", "Pool"},
		{"counterpoll show", "counterpoll-show", "Type"},
		{"show lldp table", "show-lldp-table", "LocalPort"},
		{"show ip bgp summary", "show-ip-bgp-summary", "Neighbhor"},
		{"show ecn", "show-ecn", "Profile"},
	};
	struct rig *r = *state;
	char file[128], real[512], mine[512];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		char *text;

		(void)snprintf(file, sizeof(file), "lab/sonic/cli/%s.txt", all[i].file);
		text = rig_capture_text(file);
		if (!text)
			skip();
		heading(text, all[i].begins, real);
		heading(says(r, all[i].command), all[i].begins, mine);
		free(text);
		if (!real[0])
			print_message("%s has no \"%s\"\n", file, all[i].begins);
		assert_string_equal(mine, real);
	}
}

/* Every key of a real queuestat entry. */
CASE(json_has_the_real_keys)
{
	struct rig *r = *state;
	json_t *real = rig_capture_json("lab/sonic/cli/show-queue-counters-json.txt"), *mine;
	json_t *port;
	unsigned missing;

	if (!real)
		skip();
	mine = json_loads(says(r, "show queue counters Ethernet0 --json"), 0, NULL);
	assert_non_null(mine);
	port = json_object_get(mine, "Ethernet0");
	missing = rig_missing_keys(json_object_get(json_object_get(real, "Ethernet0"), "UC3"),
		json_object_get(port, "UC3"), "UC3");
	assert_int_equal(missing, 0);
	json_decref(mine);
	json_decref(real);
	real = rig_capture_json("lab/sonic/cli/vtysh-c-show-bgp-summary-json.txt");
	rig_device(r, LEAF)->ports[32].bgp.configured = true;
	rig_device(r, LEAF)->ports[32].bgp.established = true;
	mine = json_loads(says(r, "vtysh -c 'show bgp summary json'"), 0, NULL);
	json_object_del(
		json_object_get(json_object_get(real, "ipv4Unicast"), "peers"), "Ethernet0");
	json_object_del(
		json_object_get(json_object_get(real, "ipv4Unicast"), "peers"), "10.254.5.0");
	missing = rig_missing_keys(real, mine, "bgp");
	assert_int_equal(missing, 0);
	json_decref(mine);
	json_decref(real);
}

CASES_MAIN(rig_setup, rig_teardown)
