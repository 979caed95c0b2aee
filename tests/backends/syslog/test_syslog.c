/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/syslog/syslog.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* Saturday 21 Nov 2026 18:00:00 UTC */
#define NOW_US      (INT64_C(1795284000) * CLOCK_SEC)
#define AT(h, m, s) (NOW_US + (((h)-18) * 3600 + (m)*60 + (s)) * CLOCK_SEC)

struct said {
	struct obs *o;
	size_t stamped;
};

static struct said read_text(const struct syslog_opts *opts, const char *text)
{
	struct said s = {.o = obs_new("leaf1", "log")};

	s.o->received_us = NOW_US;
	s.stamped = syslog_parse(opts, text, strlen(text), s.o);
	return s;
}

static struct obs *read_log(const char *text)
{
	const struct syslog_opts opts = {0};

	return read_text(&opts, text).o;
}

struct expected {
	const char *line;
	enum event_kind kind; /* EVENT_COUNT: left out */
	const char *port;     /* "" none */
	int priority;
	const char *text; /* part of it */
};

static const char *port_of(const struct obs *o, const struct obs_item *it)
{
	return it->port == OBS_NO_PORT ? "" : o->ports.at[it->port].name;
}

static void check(const struct expected *e)
{
	struct obs *o = read_log(e->line);

	if (e->kind == EVENT_COUNT) {
		if (o->items.n)
			fail_msg("kept: %s", e->line);
		obs_free(o);
		return;
	}
	if (o->items.n != 1)
		fail_msg("%zu items of: %s", o->items.n, e->line);
	if (o->items.at[0].code != e->kind || !str_eq(port_of(o, &o->items.at[0]), e->port) ||
		o->items.at[0].sub != e->priority + 1 ||
		!strstr(obs_text(o, o->items.at[0].text), e->text))
		fail_msg("%s: %s, port \"%s\", priority %d, \"%s\"", e->line,
			event_info[o->items.at[0].code].name, port_of(o, &o->items.at[0]),
			o->items.at[0].sub - 1, obs_text(o, o->items.at[0].text));
	obs_free(o);
}

#define SONIC "2026 Nov 21 17:50:11.250000 leaf1 NOTICE "
#define BSD   "Nov 21 17:50:11 leaf1 "

/* Line, resulting event, port, priority, words of its text. */
static const struct expected vendors[] = {
	/* SONiC */
	{SONIC "swss#orchagent: :- PfcWdActionHandler: PFC Watchdog detected PFC storm on "
	       "port Ethernet0, queue index 3, queue id 0x15, and port id 0x1",
		EV_LOG_ALARM, "Ethernet0", 3, "PFC Watchdog detected PFC storm on port"},
	{SONIC "swss#orchagent: :- ~PfcWdActionHandler: PFC Watchdog storm restored on "
	       "port Ethernet8, queue index 4, queue id 0x15, and port id 0x1",
		EV_LOG, "Ethernet8", 4, "storm restored"},
	{SONIC "swss#orchagent: :- setHostIntfsOperStatus: Set operation status DOWN to "
	       "host interface Ethernet8",
		EV_LOG_ALARM, "Ethernet8", -1, "Set operation status DOWN"},
	{SONIC "swss#orchagent: :- updatePortOperStatus: Port Ethernet8 oper state set "
	       "from up to down",
		EVENT_COUNT, "", -1, ""},
	{SONIC "bgp#bgpd[45]: [M59KS-A3ZXZ] %ADJCHANGE: neighbor 10.0.0.1(spine1) in vrf "
	       "default Down Interface down",
		EV_LOG_ALARM, "", -1, "%ADJCHANGE: neighbor 10.0.0.1(spine1)"},
	{SONIC "bgp#bgpd[45]: [M59KS-A3ZXZ] %ADJCHANGE: neighbor 10.0.0.1(spine1) in vrf "
	       "default Up",
		EV_LOG, "", -1, "Up"},
	{"2026 Nov 21 17:50:11.250000 leaf1 WARNING pmon#xcvrd[27]: Ethernet16: rx power "
	 "of lane 2 is below its alarm limit",
		EV_LOG_ALARM, "Ethernet16", -1, "Ethernet16: rx power"},
	{SONIC "pmon#xcvrd: Ethernet4: transceiver removed", EV_LOG_ALARM, "Ethernet4", -1,
		"removed"},
	{"2026 Nov 21 17:50:11.2 leaf1 INFO sudo:    admin : TTY=pts/0 ; PWD=/home/admin "
	 "; USER=root ; COMMAND=/usr/local/bin/config interface shutdown Ethernet4",
		EV_LOG, "Ethernet4", -1, "COMMAND=/usr/local/bin/config"},
	{"2026 Nov 21 17:50:11.2 leaf1 INFO sudo:  noc : PWD=/home/noc ; USER=root ; "
	 "COMMAND=/usr/bin/rvtysh -c show bgp summary json",
		EVENT_COUNT, "", -1, ""},
	{SONIC "kernel: [    0.000000] Linux version 5.10.0-18-2-amd64", EV_LOG, "", -1,
		"Linux version"},
	{"2026 Nov 21 17:50:11.2 leaf1 INFO sudo:  noc : PWD=/home/noc ; USER=root ; "
	 "COMMAND=/usr/local/bin/sonic-db-cli -n asic0 COUNTERS_DB EVAL local x PFC_WD_ "
	 "QUEUE_STATS_DEADLOCK_DETECTED",
		EVENT_COUNT, "", -1, ""},
	{"2026 Nov 21 17:50:11.2 leaf1 INFO sudo:  noc : (command continued) "
	 "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED",
		EVENT_COUNT, "", -1, ""},
	{SONIC "swss#orchagent: :- enableBigRedSwitchMode: PFC Watchdog BIG_RED_SWITCH "
	       "mode enabled on port Ethernet8, queue index 3, queue id 0x15 and port id "
	       "0x1.",
		EV_LOG_ALARM, "Ethernet8", 3, "BIG_RED_SWITCH mode enabled"},
	{SONIC "swss#orchagent: :- disableBigRedSwitchMode: PFC Watchdog BIG_RED_SWITCH "
	       "mode disabled on port Ethernet8, queue index 3, queue id 0x15",
		EV_LOG, "Ethernet8", 3, "disabled"},
	{SONIC "swss#orchagent: :- doTask: Stopped PFC Watchdog on port Ethernet8", EV_LOG,
		"Ethernet8", -1, "Stopped PFC Watchdog"},
	{SONIC "swss#orchagent: :- handlePortErrorEvent: Port Ethernet8 oper error event: "
	       "fec_sync_loss occurred",
		EV_LOG_ALARM, "Ethernet8", -1, "fec_sync_loss"},
	{"2026 Nov 21 17:50:11.2 leaf1 ERR monit[589]: 'container_checker' status failed "
	 "(3) -- Expected containers not running: syncd",
		EV_LOG_ALARM, "", -1, "Expected containers not running: syncd"},
	{"2026 Nov 21 17:50:11.2 leaf1 ERR swss#supervisor-proc-exit-listener: Process "
	 "'orchagent' is not running in namespace 'host' (1.0 minutes).",
		EV_LOG_ALARM, "", -1, "'orchagent' is not running"},
	/* EOS */
	{BSD "Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1, changed "
	     "state to down",
		EV_LOG_ALARM, "Ethernet1/1", -1, "%LINEPROTO-5-UPDOWN: Line"},
	{BSD "Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet1/1, changed "
	     "state to up",
		EV_LOG, "Ethernet1/1", -1, "changed state to up"},
	{BSD "Rib: %BGP-5-ADJCHANGE: peer 10.0.0.3 (VRF default AS 65001) old state "
	     "Established event Stop new state Idle",
		EV_LOG_ALARM, "", -1, "new state Idle"},
	{BSD "Bgp: %BGP-3-NOTIFICATION: received from neighbor 10.0.0.3", EV_LOG_ALARM, "", -1,
		"%BGP-3"},
	{BSD "PfcWd: %PFC-4-WATCHDOG_STUCK: Ethernet5/1 priority 3 is stuck", EV_LOG_ALARM,
		"Ethernet5/1", 3, "stuck"},
	{BSD "ConfigAgent: %SYS-5-CONFIG_I: Configured from console by noc on vty4", EV_LOG, "", -1,
		"%SYS-5-CONFIG_I"},
	{BSD "Fru: %FRU-2-UNKNOWN_THING: an error nobody thought of", EV_LOG_ALARM, "", -1,
		"%FRU-2"},
	{BSD "Aaa: %AAA-5-LOGIN: user noc logged in", EVENT_COUNT, "", -1, ""},
	/* NX-OS */
	{"2026 Nov 21 17:50:11 leaf1 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface "
	 "Ethernet1/7 is down (Link failure)",
		EV_LOG_ALARM, "Ethernet1/7", -1, "%ETHPORT-5"},
	{"2026 Nov 21 17:50:11 leaf1 %ETHPORT-5-IF_DOWN_ADMIN_DOWN: Interface Ethernet1/7 "
	 "is down (Administratively down)",
		EV_LOG, "Ethernet1/7", -1, "ADMIN_DOWN"},
	{"2026 Nov 21 17:50:11 leaf1 %ETHPORT-5-IF_UP: Interface Ethernet1/7 is up in mode "
	 "trunk",
		EV_LOG, "Ethernet1/7", -1, "IF_UP"},
	{"2026 Nov 21 17:50:11 leaf1 %BGP-5-ADJCHANGE:  bgp-65001 [123] (default) neighbor "
	 "10.1.1.1 Down - holdtimer expired error",
		EV_LOG_ALARM, "", -1, "holdtimer"},
	{"2026 Nov 21 17:50:11 leaf1 %$ VDC-1 %$ %VSHD-5-VSHD_SYSLOG_CONFIG_I: Configured "
	 "from vty by admin on 10.0.0.1",
		EV_LOG, "", -1, "Configured from"},
	{"2026 Nov 21 17:50:11 leaf1 %ACLLOG-5-ACLLOG_FLOW_INTERVAL: Src Intf: "
	 "Ethernet3/3",
		EVENT_COUNT, "", -1, ""},
	{"2026 Nov 21 17:50:11 leaf1 %TAHUSD-SLOT1-5-TAHUSD_SYSLOG: PFC watchdog: queue 3 "
	 "of Ethernet1/7 was shutdown",
		EV_LOG_ALARM, "Ethernet1/7", 3, "shutdown"},
	/* hosts */
	{"2026-11-21T17:50:11.104512+00:00 node3 kernel: mlx5_core 0000:5e:00.0 rdma3: "
	 "Link down",
		EV_LOG_ALARM, "rdma3", -1, "rdma3: Link down"},
	{"2026-11-21T17:50:11+0000 node3 systemd-networkd[22]: rdma3: Gained carrier", EV_LOG,
		"rdma3", -1, "Gained"},
	{BSD "systemd-networkd[53]: ib6: lost carrier", EV_LOG_ALARM, "ib6", -1, "lost"},
	{BSD "kernel: [ 12.5] mlx5_core 0000:5e:00.0: port_module:247: Port module "
	     "event[error]: module 3, Cable error",
		EV_LOG_ALARM, "", -1, "Port module"},
	{"kern  :warn  : 2026-11-21T17:50:11,285060+00:00 job[25]: segfault at 7f79", EV_LOG_ALARM,
		"", -1, "job[25]: segfault"},
	{"[Sat Nov 21 17:50:11 2026] NVRM: Xid (PCI:0000:9b:00): 79, GPU has fallen off "
	 "the bus.",
		EV_LOG_ALARM, "", -1, "NVRM: Xid"},
	{BSD "systemd[1]: Finished Rotate log files.", EVENT_COUNT, "", -1, ""},
	{BSD "smartd[3]: link target readable", EVENT_COUNT, "", -1, ""},
	/* daemons without a severity: words tell, and only whole ones */
	{BSD "switchd[5]: nic_set_carrier: swp7: setting kernel carrier: down", EV_LOG_ALARM,
		"swp7", -1, "carrier: down"},
	{BSD "clagd: host1 is no longer dual connected", EV_LOG_ALARM, "", -1, "no longer"},
	{BSD "clagd: Conflict cleared (host1)", EV_LOG, "", -1, "cleared"},
	{BSD "zebra[9]: client 21 disconnected 3 bgp routes removed, graceful shutdown",
		EVENT_COUNT, "", -1, ""},
	{BSD "bgpd[9]: updates sent, errors=0", EVENT_COUNT, "", -1, ""},
	{BSD "mybgpd[9]: the disk is down", EVENT_COUNT, "", -1, ""},
};

CASE(lines_of_every_vendor)
{
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		check(&vendors[i]);
}

#define EOS(line)  BSD "Agent: " line
#define NXOS(line) "2026 Nov 21 17:50:11 leaf1 " line

/* An error or worse of which no word is known is kept, and is said to be unread. */
CASE(errors_that_nobody_understands_are_kept)
{
	static const struct expected lines[] = {
		{EOS("%QUUX-3-FROBNICATION: the frobnicator of Ethernet1/1 quuxed"), EV_LOG_UNREAD,
			"Ethernet1/1", -1, "%QUUX-3"},
		{EOS("%QUUX-0-FROB: quux"), EV_LOG_UNREAD, "", -1, "quux"},
		{NXOS("%QUUX-SLOT1-2-FROB: quux of module 3"), EV_LOG_UNREAD, "", -1,
			"%QUUX-SLOT1"},
		{NXOS("%$ VDC-1 %$ %NTP-2-FROB: quux"), EV_LOG_UNREAD, "", -1, "%NTP-2"},
		{"2026 Nov 21 17:50:11.2 leaf1 ERR swss#orchagent: :- doTask: quux frobnicates "
		 "Ethernet4",
			EV_LOG_UNREAD, "Ethernet4", -1, "quux"},
		{"2026 Nov 21 17:50:11.2 leaf1 CRIT syncd#syncd: quux", EV_LOG_UNREAD, "", -1,
			"quux"},
		{"2026 Nov 21 17:50:11.2 leaf1 ERR quuxd[9]: an error of a quux", EV_LOG_UNREAD, "",
			-1, "a quux"},
		/* what is less than an error is not */
		{"2026 Nov 21 17:50:11.2 leaf1 WARNING quuxd[9]: quux", EVENT_COUNT, "", -1, ""},
		{EOS("%QUUX-5-FROBNICATION: quux"), EVENT_COUNT, "", -1, ""},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(&lines[i]);
}

/* The parts of a sentence: a state, what turns it, and a change from one state to another. */
CASE(sentences_are_read_by_their_parts)
{
	static const struct {
		enum event_kind kind;
		const char *line;
	} lines[] = {
		/* a change: its end counts */
		{EV_LOG_ALARM, "Session of Ethernet1 moved from established to idle"},
		{EV_LOG, "Session of Ethernet1 moved from idle to established"},
		{EV_LOG_ALARM, "link of Ethernet1: up -> down"},
		{EV_LOG, "link of Ethernet1: down -> up"},
		{EV_LOG_ALARM, "status of fan 2 changed from OK to BAD"},
		{EV_LOG, "adjacency with 10.0.0.1 went from LOADING to FULL"},
		{EV_LOG_ALARM, "adjacency with 10.0.0.1 went from FULL to INIT"},
		/* what turns a state */
		{EV_LOG_ALARM, "the neighbor of Ethernet1 is no longer reachable"},
		{EV_LOG, "the neighbor of Ethernet1 is no longer unreachable"},
		{EV_LOG_ALARM, "the transceiver of Ethernet1 is not responding"},
		{EV_LOG_ALARM, "no light at the transceiver of Ethernet1"},
		{EV_LOG_ALARM, "the port Ethernet1 failed to recover"},
		{EV_LOG, "the port Ethernet1 recovered from failure"},
		{EV_LOG, "the fault of fan 2 has cleared"},
		/* an operator's doing, and counts of nothing */
		{EV_LOG, "Interface Ethernet1 changed state to administratively down"},
		{EVENT_COUNT, "statistics of port Ethernet1: 0 errors"},
		{EVENT_COUNT, "statistics of port Ethernet1: errors=0"},
		{EVENT_COUNT, "port Ethernet1 retries up to 3 times"},
		{EVENT_COUNT, "port Ethernet1 has no errors"},
		/* of no link */
		{EVENT_COUNT, "a quux quuxes Ethernet1"},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char line[300];

		str_printf(line, sizeof(line), BSD "Agent: %%INTF-5-QUUX: %s", lines[i].line);
		check(&(struct expected){line, lines[i].kind,
			strstr(line, "Ethernet1") ? "Ethernet1" : "", -1, lines[i].line});
	}
}

/* The field of a line counts, where its words do not tell of what they are. */
CASE(lines_about_no_link_are_no_alarm)
{
	static const struct expected lines[] = {
		{EOS("%AAA-4-EXEC_FAILED: the command of noc was denied"), EV_LOG, "", -1,
			"denied"},
		{EOS("%SNMP-3-AUTH: request of 10.0.0.9 was rejected"), EV_LOG, "", -1, "rejected"},
		{EOS("%NTP-5-LOST: the server was lost"), EVENT_COUNT, "", -1, ""},
		{NXOS("%DAEMON-3-SYSTEM_MSG: error: connection lost - dcos_sshd[2]"), EV_LOG, "",
			-1, "lost"},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(&lines[i]);
}

static bool is_ethernet(const char *name)
{
	return str_starts(name, "Ethernet");
}

/* A port is told by its long or short name, else a bundle. */
CASE(bundles_and_short_names_are_found)
{
	static const struct {
		const char *line, *port;
	} lines[] = {{"Ebra: %ETH-4-ERRDISABLE: error on Port-Channel35.", "Port-Channel35"},
		{"Ebra: %ETH-4-ERRDISABLE: error on Port-Channel35: Ethernet1/1", "Ethernet1/1"},
		{"Ebra: %ETH-4-ERRDISABLE: error on MyPort-Channel35", ""},
		{"Ebra: %ETH-4-ERRDISABLE: error on Port-Channel", ""},
		{"Ebra: %ETH-4-ERRDISABLE: error on Port-Channel35x", ""},
		{"Ebra: %ETH-4-ERRDISABLE: error on Et2/1, of Port-Channel35", "Ethernet2/1"},
		{"Ebra: %ETH-4-ERRDISABLE: error on Et2x, xEt2, Et", ""}};
	const struct syslog_opts opts = {
		.bundle = "Port-Channel", .brief = "Et", .is_port = is_ethernet};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char text[200];
		struct obs *o;

		str_printf(text, sizeof(text), BSD "%s\n", lines[i].line);
		o = read_text(&opts, text).o;
		assert_string_equal(port_of(o, &o->items.at[o->items.n - 1]), lines[i].port);
		obs_free(o);
	}
}

/* The arguments of a command concern only the user who typed it. */
/* PFC where none is expected, and watchdogs that could not start. */
CASE(pfc_on_a_lossy_queue)
{
	static const struct expected lines[] = {
		{"Aug 20 13:08:43.583610 leaf1 WARNING swss#orchagent: :- pfcFrameCounterCheck: "
		 "Got PFC "
		 "2232283451 frame(s) on lossy queue 3 port Ethernet4",
			EV_LOG_ALARM, "Ethernet4", 3, "lossy queue 3"},
		{"Nov 13 17:27:22.878468 leaf1 ERR swss#orchagent: :- createEntry: Failed to start "
		 "PFC "
		 "Watchdog on port Ethernet0",
			EV_LOG_ALARM, "Ethernet0", -1, "Failed to start"},
		{"2025 Dec  3 02:11:30.616123 leaf1 NOTICE swss#orchagent: :- registerInWdDb: No "
		 "lossless TC found on port Ethernet0",
			EV_LOG, "Ethernet0", -1, "No lossless TC"},
		/* The watchdog in the chip, and a switch with several ASICs. */
		{"2026 Sep  3 02:11:30.616123 leaf1 ERR swss0#orchagent: :- disableHwWatchdog: "
		 "Failed "
		 "to disable PFC DLDR on port Ethernet8 queue 3 (0x15000000000265): -2",
			EV_LOG_ALARM, "Ethernet8", 3, "PFC DLDR"},
		{"2026 Sep  3 02:11:30.616123 leaf1 ERR swss#orchagent: :- createEntry: PFC DLR "
		 "packet "
		 "action mismatch on port Ethernet8: current=drop, requested=forward",
			EV_LOG_ALARM, "Ethernet8", -1, "mismatch"},
		{"2025 Dec  3 02:11:31.616123 leaf1 NOTICE swss#orchagent: :- report: PFC Watchdog "
		 "detected PFC storm on port Ethernet-BP4, queue index 3, queue id "
		 "0x15000000000265",
			EV_LOG_ALARM, "", 3, "detected"},
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		check(&lines[i]);
}

CASE(secrets_of_commands_stay_on_the_device)
{
#define SUDO "Nov 21 17:50:11 leaf1 sudo: admin : TTY=pts/0 ; USER=root ; COMMAND=/usr/local/bin/"
	static const char *const lines[] = {
		SUDO "config tacacs passkey hunter2",
		SUDO "config snmp community add hunter2 RO",
		SUDO "config user --password=hunter2 bob",
		SUDO "nv set system aaa tacacs server 1 secret hunter2",
		SUDO "config macsec profile add p --primary_cak hunter2",
	};
	struct obs *o;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		const char *text;

		o = read_log(lines[i]);
		assert_int_equal(o->items.n, 1);
		text = obs_text(o, o->items.at[0].text);
		assert_null(strstr(text, "hunter2"));
		assert_non_null(strstr(text, "***"));
		assert_non_null(strstr(text, "COMMAND="));
		obs_free(o);
	}
	o = read_log(SUDO "config interface shutdown Ethernet4");
	assert_non_null(strstr(obs_text(o, o->items.at[0].text), "shutdown Ethernet4"));
	obs_free(o);
}

CASE(stamps_mean_the_same_time)
{
	static const char *const lines[] = {
		"Nov 21 17:50:11 leaf1 x: ib6: lost carrier",
		"Nov 21 2026 17:50:11 leaf1 x: ib6: lost carrier",
		"Nov 21 17:50:11 2026 leaf1 x: ib6: lost carrier",
		"2026 Nov 21 17:50:11 leaf1 x: ib6: lost carrier",
		"*2026 Nov 21 17:50:11: leaf1 x: ib6: lost carrier",
		"2026-11-21T17:50:11Z leaf1 x: ib6: lost carrier",
		"2026-11-21T18:50:11+01:00 leaf1 x: ib6: lost carrier",
		"2026-11-21T12:20:11-0530 leaf1 x: ib6: lost carrier",
		"2026/11/21 17:50:11 x: ib6: lost carrier",
		"[Sat Nov 21 17:50:11 2026] x: ib6: lost carrier",
		"<6>Nov 21 17:50:11 leaf1 x: ib6: lost carrier",
		"  Nov 21 17:50:11 leaf1 x: ib6: lost carrier",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct obs *o = read_log(lines[i]);

		if (o->items.n != 1 || o->items.at[0].time_us != AT(17, 50, 11) ||
			!str_eq(obs_text(o, o->items.at[0].text), "x: ib6: lost carrier"))
			fail_msg("%s: %zu items, \"%s\"", lines[i], o->items.n,
				o->items.n ? obs_text(o, o->items.at[0].text) : "");
		obs_free(o);
	}
}

CASE(fractions_and_single_digit_days)
{
	struct obs *o = read_log("Nov  5 07:08:09.250 leaf1 x: ib6: lost carrier");

	assert_int_equal(o->items.n, 1);
	assert_true(
		o->items.at[0].time_us == AT(7, 8, 9) - INT64_C(16) * 86400 * CLOCK_SEC + 250000);
	obs_free(o);
}

/* A line of December read in November is last year's. */
CASE(the_year_is_the_last_that_fits)
{
	struct obs *o = read_log("Dec 31 23:59:59 leaf1 x: ib6: lost carrier\n"
				 "Feb 29 00:00:00 leaf1 x: ib6: lost carrier\n");

	assert_int_equal(o->items.n, 2);
	assert_true(o->items.at[0].time_us == INT64_C(1767225599) * CLOCK_SEC);
	assert_true(o->items.at[1].time_us == INT64_C(1709164800) * CLOCK_SEC);
	obs_free(o);
}

/* A followed line is of now: a difference of quarters of an hour is the switch's zone. */
CASE(live_lines_tell_the_zone)
{
	static const struct {
		const char *line;
		int64_t us;
	} lines[] = {
		{"Nov 21 17:59:58 leaf1 x: ib6: lost carrier", AT(17, 59, 58)},
		{"Nov 22 03:59:58 leaf1 x: ib6: lost carrier", AT(17, 59, 58)},
		{"Nov 21 23:29:58 leaf1 x: ib6: lost carrier", AT(17, 59, 58)},
		{"Nov 21 10:00:03 leaf1 x: ib6: lost carrier", AT(18, 0, 3)},
		/* It says its zone, and its clock is wrong: that is to be seen. */
		{"2026-11-21T17:00:00Z leaf1 x: ib6: lost carrier", AT(17, 0, 0)},
		/* No zone explains that. */
		{"2026 Nov 11 17:59:58 leaf1 x: ib6: lost carrier",
			AT(17, 59, 58) - INT64_C(864000) * CLOCK_SEC},
	};
	const struct syslog_opts opts = {.live = true};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct said s = read_text(&opts, lines[i].line);

		if (s.o->items.n != 1 || s.o->items.at[0].time_us != lines[i].us)
			fail_msg("%s", lines[i].line);
		obs_free(s.o);
	}
}

CASE(old_lines_are_left_out)
{
	const struct syslog_opts opts = {.not_before_us = AT(17, 50, 0)};
	struct said s = read_text(&opts, "Nov 21 17:49:59 leaf1 x: ib6: lost carrier\n"
					 "Nov 21 17:50:00 leaf1 x: ib6: lost carrier\n"
					 "[   12.500000] mlx5_core 0000:5e:00.0 eth2: Link down\n");

	assert_int_equal(s.stamped, 3);
	assert_int_equal(s.o->items.n, 1);
	assert_true(s.o->items.at[0].time_us == AT(17, 50, 0));
	obs_free(s.o);
}

CASE(kernel_lines_without_a_date_have_no_time)
{
	struct obs *o = read_log("[   12.500000] mlx5_core 0000:5e:00.0 eth2: Link down\n");

	assert_int_equal(o->items.n, 1);
	assert_true(o->items.at[0].time_us == 0);
	assert_string_equal(port_of(o, &o->items.at[0]), "eth2");
	obs_free(o);
}

CASE(a_wrapped_line_is_one)
{
	struct obs *o = read_log("Nov 21 17:50:11 leaf1 Ebra: %LINEPROTO-5-UPDOWN: Line protocol\n"
				 "        on Interface Ethernet9, changed state to down\r\n"
				 " Nov 21 17:50:12 leaf1 x: nothing\n");

	assert_int_equal(o->items.n, 1);
	assert_string_equal(port_of(o, &o->items.at[0]), "Ethernet9");
	assert_string_equal(obs_text(o, o->items.at[0].text),
		"%LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet9, changed state to down");
	obs_free(o);
}

static bool only_swp(const char *name)
{
	return str_starts(name, "swp");
}

CASE(the_dialect_says_what_a_port_is)
{
	const struct syslog_opts opts = {.is_port = only_swp};
	struct said s = read_text(&opts, "Nov 21 17:50:11 leaf1 x: Ethernet1 swp3s0: link down\n");

	assert_int_equal(s.o->items.n, 1);
	assert_string_equal(port_of(s.o, &s.o->items.at[0]), "swp3s0");
	obs_free(s.o);
}

CASE(what_is_no_log_has_no_stamps)
{
	const struct syslog_opts opts = {0};
	struct said s = read_text(&opts, "tail: cannot open '/var/log/syslog' for reading: "
					 "Permission denied\nport Ethernet0 link down\n");

	assert_int_equal(s.stamped, 0);
	assert_int_equal(s.o->items.n, 0);
	obs_free(s.o);
	s = read_text(&opts, "");
	assert_int_equal(s.stamped, 0);
	obs_free(s.o);
	s = read_text(&opts, "Nov 32 17:50:11 a b: link down\nNov 21 17:61:11 a b: link down\n"
			     "Nov 21 17:50:1x a b: link down\n9999999999999 [ <6> kern :\n");
	for (size_t i = 0; i < s.o->items.n; i++)
		assert_true(s.o->items.at[i].time_us == 0);
	obs_free(s.o);
}

CASE(any_bytes_are_survived)
{
	static const char text[] =
		"2026-11-21T17:50:11.104512+00:00 node3 kernel: mlx5_core rdma3: Link down\n"
		"kern  :warn  : [Sat Nov 21 17:50:11 2026] NVRM: Xid (PCI:0000:9b:00): 79\n"
		"Nov 21 17:50:11 leaf1 swss#orchagent: :- f: detected PFC storm on port "
		"Ethernet0:3\n";
	const struct syslog_opts opts = {0};

	for (size_t n = 0; n <= sizeof(text); n++) {
		char *copy = malloc(n ? n : 1);
		struct obs *o = obs_new("leaf1", "log");

		assert_non_null(copy);
		memcpy(copy, text, n);
		(void)syslog_parse(&opts, copy, n, o);
		free(copy);
		obs_free(o);
	}
}

CASES_MAIN(NULL, NULL)
