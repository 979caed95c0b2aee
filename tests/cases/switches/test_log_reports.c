/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Logs of switches from public reports, by what they report. The reading of each
 * was written down before the first run: see switches.md. Names, addresses and numbers are
 * invented, the formats are the devices' own.
 */
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

/* The only event of that kind is at the port. */
static void expect_event(const struct obs *o, enum event_kind kind, const char *port)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind == OBS_EVENT && it->code == kind && it->port < o->ports.n &&
			str_eq(o->ports.at[it->port].name, port))
			return;
	}
	fail_msg("no event %s at %s", event_info[kind].name, port);
}

static unsigned all_events(const struct obs *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT;
	return n;
}

/* The log has one event, an alarm or a change, of that port. */
static void expect_only(const char *dialect, const char *line, bool is_alarm, const char *port)
{
	struct obs *o = decode_ssh(dialect, "log", line);
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind != OBS_EVENT)
			continue;
		n++;
		assert_int_equal(it->code, is_alarm ? EV_LOG_ALARM : EV_LOG);
		if (port) {
			assert_true(it->port < o->ports.n);
			assert_string_equal(o->ports.at[it->port].name, port);
		}
	}
	assert_int_equal(n, 1);
	obs_free(o);
}

static unsigned alarms_of(const struct obs *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == EV_LOG_ALARM;
	return n;
}

static unsigned events_of(const struct obs *o, enum event_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == kind;
	return n;
}

#define CUMULUS "2026-01-14T23:45:10.123456+00:00 leaf01 "

struct line {
	const char *dialect, *text;
	enum event_kind kind;
	const char *port;
};

static void expect_line(const struct line *l)
{
	struct obs *o = decode_ssh(l->dialect, "log", l->text);
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if (it->kind != OBS_EVENT)
			continue;
		n++;
		assert_int_equal(it->code, l->kind);
		assert_true(it->port < o->ports.n);
		assert_string_equal(o->ports.at[it->port].name, l->port);
	}
	assert_int_equal(n, 1);
	obs_free(o);
}

#define NXOS "2023 Jan 17 12:23:16 CET: "

#define EOS "Feb 15 01:40:18 SW-1 "

/* One line without a port: an alarm, a change, or neither (EVENT_COUNT: just no alarm). */
static void expect_told(const char *dialect, const char *text, enum event_kind kind)
{
	struct obs *o = decode_ssh(dialect, "log", text);

	assert_int_equal(events_of(o, EV_LOG_ALARM), kind == EV_LOG_ALARM);
	if (kind != EVENT_COUNT)
		assert_int_equal(events_of(o, kind), 1);
	obs_free(o);
}

/* sonic-buildimage 7240: ports that flap in a warm reboot. */
CASE(sonic_log_of_a_port_that_goes_down)
{
	struct obs *o = decode_ssh("sonic", "log",
		"Apr  7 04:37:23.071406 str-1 NOTICE swss#orchagent: :- updatePortOperStatus: "
		"Port Ethernet52 oper state set from up to down\n"
		"Apr  7 04:37:23.071511 str-1 NOTICE swss#orchagent: :- setHostIntfsOperStatus: "
		"Set operation status DOWN to host interface Ethernet52\n");

	/* Two lines for one change. */
	assert_int_equal(all_events(o), 1);
	expect_event(o, EV_LOG_ALARM, "Ethernet52");
	obs_free(o);
}

/* sonic-net/SONiC 194: an older release says it in other words. */
CASE(sonic_log_of_an_old_release)
{
	struct obs *o = decode_ssh("sonic", "log",
		"May 23 09:23:17.799997 sonic-1 NOTICE orchagent: :- setHostIntfsOperStatus: Set "
		"operation status DOWN to host interface Ethernet36\n");

	expect_event(o, EV_LOG_ALARM, "Ethernet36");
	obs_free(o);
}

/* The same report: the member leaves its bundle. */
CASE(sonic_log_of_a_member_that_leaves)
{
	struct obs *o = decode_ssh("sonic", "log",
		"May 23 09:23:17.797747 sonic-1 NOTICE orchagent: :- removeLagMember: Remove "
		"member Ethernet36 from LAG PortChannel1 lid:20000000002d0 lmid:1b0000000002e6\n");

	expect_event(o, EV_LOG, "Ethernet36");
	obs_free(o);
}

/* sonic-buildimage 9653: the watchdog cannot read its counters after a breakout. */
CASE(sonic_log_of_a_watchdog_that_is_blind)
{
	struct obs *o = decode_ssh("sonic", "log",
		"Jan 20 14:04:59.183758 sonic WARNING swss#orchagent: :- pfcFrameCounterCheck: "
		"Could not retreive PFC frame count on queue 3 port Ethernet256\n");

	expect_event(o, EV_LOG_ALARM, "Ethernet256");
	obs_free(o);
}

/* sonic-swss 1441: after a warm reboot a member stops to carry packets. */
CASE(sonic_log_of_a_member_that_stops)
{
	struct obs *o = decode_ssh("sonic", "log",
		"Sep 17 14:26:55.117100 sonic NOTICE swss#orchagent: :- "
		"setDistributionOnLagMember: Disable distribution on LAG member Ethernet18\n");

	expect_event(o, EV_LOG, "Ethernet18");
	obs_free(o);
}

/* sonic-net/SONiC 194: the SDK numbers its ports: an alarm of no port. */
CASE(sonic_log_of_the_sdk)
{
	struct obs *o = decode_ssh("sonic", "log",
		"May 23 09:23:17.796636 sonic-1 INFO supervisord: syncd May 23 09:23:17 NOTICE  "
		"SAI_SWITCH: mlnx_sai_switch.c[2629]- event_thread_func: Port 12100 changed state "
		"to down\n");

	assert_int_equal(all_events(o), 1);
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
}

/* Samples of log parsers: ports of fabric extenders. */
CASE(nxos_log_of_a_speed)
{
	expect_only("nxos",
		"2015 Apr 13 11:15:10 sw1 %ETHPORT-5-SPEED: Interface Ethernet103/1/17, "
		"operational speed changed to 1 Gbps\n",
		false, "Ethernet103/1/17");
}

CASE(nxos_log_of_a_changed_port)
{
	struct obs *o = decode_ssh("nxos", "log",
		"2013 Aug  9 11:09:36.290 sw1 %ETHPORT-5-IF_DOWN_CFG_CHANGE: Interface "
		"Ethernet121/1/1 is down(Config change)\n");

	assert_int_equal(all_events(o), 1);
	assert_true(has_port(o, "Ethernet121/1/1"));
	obs_free(o);
}

CASE(nxos_log_of_a_disabled_port)
{
	expect_only("nxos",
		"2017 Mar  4 15:26:19 sw1 %ETHPORT-5-IF_DOWN_ERROR_DISABLED: Interface "
		"Ethernet103/1/3 is down (Error disabled. Reason:ekeying triggered)\n",
		true, "Ethernet103/1/3");
}

/* An event manager's script watches for it: the bundle has no port left. */
CASE(nxos_log_of_an_empty_bundle)
{
	expect_only("nxos",
		"2025 Mar  4 15:26:19 sw1 %ETH_PORT_CHANNEL-5-FOP_CHANGED: port-channel10: first "
		"operational port changed from Ethernet1/1 to none\n",
		true, NULL);
}

CASE(nxos_log_of_a_module)
{
	expect_only("nxos",
		"2025 Mar  4 15:26:19 sw1 %ETHPORT-4-IF_SFP_WARNING: Interface Ethernet1/5, Low Rx "
		"Power Warning\n",
		true, "Ethernet1/5");
}

/* A lab's report of vPC: the secondary suspends all bundles. */
CASE(nxos_log_of_a_suspended_pair)
{
	expect_only("nxos",
		"2025 May 15 10:35:59 leaf-2 %$ VDC-1 %$ %VPC-2-VPC_SUSP_ALL_VPC: Peer-link going "
		"down, suspending all vPCs on secondary\n",
		true, NULL);
}

CASE(nxos_log_of_a_role)
{
	expect_only("nxos",
		"2025 Jan 24 01:33:25 leaf-1 %$ VDC-1 %$ %VPC-2-VPC_ROLE_CHANGE_NOTIFICATION: VPC "
		"role is changed from Secondary to Primary\n",
		false, NULL);
}

CASE(nxos_log_of_a_lost_keepalive)
{
	expect_only("nxos",
		"2025 Jan 24 01:33:25 leaf-1 %VPC-2-PEER_KEEP_ALIVE_RECV_FAIL: In domain 1, VPC "
		"peer keep-alive receive has failed\n",
		true, NULL);
}

/* A field report of MLAG. */
CASE(eos_log_of_an_inactive_bundle)
{
	expect_only("eos",
		"Feb 15 01:40:18 SW-1 Mlag: %MLAG-4-INTF_INACTIVE_LOCAL: Local interface "
		"Port-Channel35 is link down. MLAG 35 is inactive.\n",
		true, NULL);
}

CASE(eos_log_of_a_disabled_bundle)
{
	expect_only("eos",
		"Feb 15 01:40:18 SW-1 Ebra: %ETH-4-ERRDISABLE: bpduguard error detected on "
		"Port-Channel35.\n",
		true, NULL);
}

/* sonic-buildimage 7163: an event of the module that the daemon cannot read. */
CASE(sonic_log_of_a_module_error)
{
	expect_only("sonic",
		"Apr  7 04:37:23.071406 str-1 ERR pmon#xcvrd: Receive PMPE error event on module "
		"3: status 0x3\n",
		true, NULL);
}

/* sonic-swss 3180: one link goes down: four lines, the port has one alarm. */
CASE(sonic_log_of_a_link_in_four_lines)
{
	struct obs *o = decode_ssh("sonic", "log",
		"2024 Jun  5 02:21:24.817707 str2-7050 INFO syncd#syncd: [none] "
		"SAI_API_PORT:_brcm_sai_link_event_cb:1558 Port 119 link down event cause: LOCAL\n"
		"2024 Jun  5 02:21:24.818583 str2-7050 NOTICE swss#orchagent: :- doTask: Get port "
		"state change notification id:1000000000020 status:2\n"
		"2024 Jun  5 02:21:24.818583 str2-7050 NOTICE swss#orchagent: :- "
		"updatePortOperStatus: Port Ethernet112 oper state set from up to down\n"
		"2024 Jun  5 02:21:24.827560 str2-7050 NOTICE swss#orchagent: :- "
		"setHostIntfsOperStatus: Set operation status DOWN to host interface "
		"Ethernet112\n");
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == EV_LOG_ALARM &&
		     o->items.at[i].port < o->ports.n &&
		     str_eq(o->ports.at[o->items.at[i].port].name, "Ethernet112");
	assert_int_equal(n, 1);
	assert_true(alarms_of(o) <= 2);
	obs_free(o);
}

/* Field reports: nine tenths of a slice's buffer are in use. */
CASE(nxos_log_of_a_full_buffer)
{
	struct obs *o = decode_ssh("nxos", "log",
		"2024 Mar  4 15:26:19 sw1 %TAHUSD-SLOT1-4-BUFFER_THRESHOLD_EXCEEDED: Module 1 "
		"Instance 0 Pool-group buffer 90 percent threshold is exceeded!\n");

	assert_int_equal(alarms_of(o), 1);
	obs_free(o);
}

/* Field reports of vPC. */
CASE(nxos_log_of_suspended_vlans)
{
	expect_only("nxos",
		"2022 Apr 29 22:55:43 LAB-1 %ETHPORT-3-IF_ERROR_VLANS_SUSPENDED: VLANs 170 on "
		"Interface port-channel20 are being suspended. (Reason: Vlan is not allowed on "
		"Peer-link)\n",
		true, NULL);
}

CASE(nxos_log_of_vlans_that_are_back)
{
	expect_only("nxos",
		"2021 Feb  3 14:54:17 pod-n1 %ETHPORT-3-IF_ERROR_VLANS_REMOVED: VLANs 1003 on "
		"Interface port-channel1003 are removed from suspended state.\n",
		false, NULL);
}

/* A log analyser's test: an alarm that ends has the severity of the alarm. */
CASE(nxos_log_of_light_that_is_back)
{
	expect_only("nxos",
		"2026 Jun 1 14:07:26 sw %ETHPORT-3-IF_SFP_ALARM: Interface Ethernet1/6, Low Rx "
		"Power Alarm cleared\n",
		false, "Ethernet1/6");
}

/* A script of an event manager. */
CASE(nxos_log_of_too_much_light)
{
	expect_only("nxos",
		"2016 Jul 1 14:07:26 sw %ETHPORT-3-IF_XCVR_ALARM: Interface Ethernet4/3, High Tx "
		"Power Alarm\n",
		true, "Ethernet4/3");
}

/* A viewer's test. */
CASE(nxos_log_of_a_port_that_is_up)
{
	expect_only("nxos",
		"2025 Sep 25 14:40:05 core-sw7 %ETHPORT-3-IF_UP: Interface Ethernet1/1 is up\n",
		false, "Ethernet1/1");
}

/* sonic-mgmt, a buffer's test: the profile of a lossless group was refused. */
CASE(sonic_log_of_a_refused_profile)
{
	expect_only("sonic",
		"Jan 17 19:51:12.100000 sonic ERR swss#orchagent: :- processPriorityGroup: Failed "
		"to set port:Ethernet0 pg:3 buffer profile attribute, status:-4\n",
		true, "Ethernet0");
}

/* sonic-buildimage 4407: the watchdog cannot read the queue that it watches. */
CASE(sonic_log_of_a_queue_that_cannot_be_read)
{
	expect_only("sonic",
		"Apr  7 11:22:12.175350 sonic ERR swss#orchagent: :- getHwCounters: Failed to "
		"fetch queue 0x1500000000050e stats: -5\n",
		true, NULL);
}

/* NVIDIA, Cumulus Linux, Monitoring Best Practices: what its daemons log. */
CASE(cumulus_log_of_a_carrier)
{
	expect_only("cumulus",
		CUMULUS "switchd[5692]: nic.c:213 nic_set_carrier: swp17: setting kernel carrier: "
			"down\n",
		true, "swp17");
	expect_only("cumulus",
		CUMULUS "switchd[5692]: nic.c:213 nic_set_carrier: swp1: setting kernel carrier: "
			"up\n",
		false, "swp1");
}

CASE(cumulus_log_of_a_bfd_session)
{
	expect_only("cumulus",
		CUMULUS "ptmd[7146]: ptm_bfd.c:2471 Session 0x1 down to peer 10.255.255.11, Reason "
			"8\n",
		true, NULL);
}

CASE(cumulus_log_of_a_pair_that_is_down)
{
	expect_only("cumulus", CUMULUS "mstpd: one_clag_cmd: setting (1) clag state: down\n", true,
		NULL);
}

CASE(cumulus_log_of_a_conflict)
{
	expect_only("cumulus",
		CUMULUS "clagd[14291]: Conflict (server01): matching clag-id (1) not configured on "
			"peer...\n",
		true, NULL);
}

CASE(cumulus_log_of_a_conflict_that_is_over)
{
	expect_only("cumulus",
		CUMULUS "clagd[14291]: Conflict cleared (server01): matching clag-id (1) detected "
			"on peer\n",
		false, NULL);
}

CASE(cumulus_log_of_a_bond_of_one_switch)
{
	expect_only("cumulus", CUMULUS "clagd[14291]: server01 is no longer dual connected\n", true,
		NULL);
}

CASE(cumulus_log_of_a_bond_of_both)
{
	expect_only(
		"cumulus", CUMULUS "clagd[14291]: server01 is now dual connected.\n", false, NULL);
}

CASE(cumulus_log_of_a_session)
{
	expect_only("cumulus",
		CUMULUS "bgpd[3000]: %ADJCHANGE: neighbor swp1 Down BGP Notification send\n", true,
		"swp1");
}

CASE(cumulus_log_of_a_daemon_that_died)
{
	expect_only("cumulus", CUMULUS "watchfrr[1853]: bgpd state -> down : read returned EOF\n",
		true, NULL);
}

/* sonic-mgmt: lines of the daemon of modules, and of bundles. */
CASE(sonic_log_of_a_module_that_failed)
{
	expect_only("sonic",
		"Nov 19 07:28:54.571593 sonic ERR pmon#xcvrd[34]: CMIS: Ethernet8: FAILED\n", true,
		"Ethernet8");
}

CASE(sonic_log_of_a_module_that_does_not_fit)
{
	expect_only("sonic",
		"Nov 19 07:28:54.571593 sonic ERR pmon#xcvrd[34]: CMIS: Ethernet8: no suitable app "
		"for the port appl 0 host_lane_count 8 host_speed 400000\n",
		true, "Ethernet8");
}

/* No alarm, but no calm either: an error that names nothing of the switch. */
CASE(sonic_log_of_a_daemon_of_bundles)
{
	struct obs *o = decode_ssh("sonic", "log",
		"Nov 19 07:28:54.571593 sonic ERR teamd#teamsyncd: :- readData: netlink reports an "
		"error=-33 on reading a netlink socket.\n");

	assert_int_equal(events_of(o, EV_LOG_UNREAD), 1);
	assert_int_equal(events_of(o, EV_LOG_ALARM), 0);
	obs_free(o);
}

/* Samples of log collectors. */
CASE(nxos_log_of_a_member)
{
	expect_only("nxos",
		"2024 Jun 30 10:00:00 sw1 %ETH_PORT_CHANNEL-5-PORT_DOWN: port-channel23: "
		"Ethernet1/15 is down\n",
		true, "Ethernet1/15");
}

CASE(nxos_log_of_a_link_in_one_direction)
{
	expect_only("nxos",
		"2024 Jun 30 10:00:00 sw1 %STP-2-BRIDGE_ASSURANCE_BLOCK: Bridge Assurance blocking "
		"port Ethernet1/10 VLAN0500.\n",
		true, "Ethernet1/10");
}

CASE(nxos_log_of_a_port_that_is_down)
{
	expect_only("nxos",
		"2024 Jun 30 10:00:00 sw1 %ETHPORT-5-IF_DOWN_NONE: Interface Ethernet1/3 is down "
		"(None)\n",
		true, "Ethernet1/3");
}

/* A log service's samples: the name of a zone in the stamp, descriptions of the ports. */
CASE(nxos_log_of_a_port_that_was_shut)
{
	expect_line(&(struct line){"nxos",
		NXOS "%ETHPORT-5-IF_DOWN_ADMIN_DOWN: Interface Ethernet1/38 (description:SRV-01) "
		     "is down (Administratively down)\n",
		EV_LOG, "Ethernet1/38"});
}

CASE(nxos_log_of_a_port_that_is_set_up_anew)
{
	expect_line(&(struct line){"nxos",
		NXOS
		"%ETHPORT-5-IF_DOWN_CFG_CHANGE: Interface Ethernet1/38 (description:SRV-01) is "
		"down(Config change)\n",
		EV_LOG, "Ethernet1/38"});
}

CASE(nxos_log_of_a_bundle_without_members)
{
	expect_line(&(struct line){"nxos",
		NXOS "%ETHPORT-5-IF_DOWN_PORT_CHANNEL_MEMBERS_DOWN: Interface port-channel110 is "
		     "down (No operational members)\n",
		EV_LOG_ALARM, "port-channel110"});
}

CASE(nxos_log_of_a_suspended_member)
{
	expect_line(&(struct line){"nxos",
		NXOS
		"%ETH_PORT_CHANNEL-5-PORT_SUSPENDED: Ethernet1/38: Ethernet1/38 is suspended\n",
		EV_LOG_ALARM, "Ethernet1/38"});
}

/* Nobody's login is trouble of the fabric. */
CASE(nxos_log_of_a_login_that_failed)
{
	struct obs *o = decode_ssh("nxos", "log",
		NXOS "%AUTHPRIV-3-SYSTEM_MSG: pam_aaa:Authentication failed from 1.2.3.4 - "
		     "dcos_sshd[6531]\n");

	for (size_t i = 0; i < o->items.n; i++)
		assert_int_not_equal(o->items.at[i].code, EV_LOG_ALARM);
	obs_free(o);
}

/* A network's log book. */
CASE(eos_log_of_a_bundle_that_was_disabled)
{
	expect_line(&(struct line){"eos",
		EOS "Ebra: %ETH-4-ERRDISABLE: bpduguard error detected on Port-Channel35.\n",
		EV_LOG_ALARM, "Port-Channel35"});
}

CASE(eos_log_of_a_pairs_bundle)
{
	expect_line(&(struct line){"eos",
		EOS "Mlag: %MLAG-4-INTF_INACTIVE_LOCAL: Local interface Port-Channel35 is link "
		    "down. MLAG 35 is inactive.\n",
		EV_LOG_ALARM, "Port-Channel35"});
}

CASE(eos_log_of_a_bundle_with_a_description)
{
	expect_line(&(struct line){"eos",
		EOS "Ebra: %LINEPROTO-5-UPDOWN: Line protocol on Interface Port-Channel35 "
		    "(Server35), changed state to down\n",
		EV_LOG_ALARM, "Port-Channel35"});
}

/* A course's lab: the link of the pair goes down. */
CASE(nxos_log_of_a_pair_that_falls_apart)
{
	expect_told("nxos",
		"2025 May 15 10:35:59 leaf-sw02 %$ VDC-1 %$ %VPC-2-VPC_SUSP_ALL_VPC: Peer-link "
		"going down, suspending all vPCs on secondary. If vfc is bound to vPC, then only "
		"ethernet vlans of that VPC shall be down.\n",
		EV_LOG_ALARM);
}

CASE(nxos_log_of_a_pairs_roles)
{
	expect_told("nxos",
		"2025 Jan 24 01:33:25 Leaf-R1 %$ VDC-1 %$ %VPC-2-VPC_ROLE_CHANGE_NOTIFICATION: VPC "
		"role is changed from Secondary to Primary\n",
		EV_LOG);
}

/* Another course's lab. */
CASE(eos_log_of_a_bfd_session_that_is_up)
{
	expect_line(&(struct line){"eos",
		"Jan 13 12:40:51 spine-1 Bfd: %BFD-5-STATE_CHANGE: peer (vrf:default, "
		"ip:172.16.2.2, intf:Ethernet2, type:normal) changed state from Init to Up diag "
		"None\n",
		EV_LOG, "Ethernet2"});
}

CASE(eos_log_of_a_routing_neighbour_that_is_up)
{
	expect_line(&(struct line){"eos",
		"Jan 13 12:40:51 spine-1 Rib: Instance 0: %ISIS-4-ISIS_ADJCHG: L1 Neighbor State "
		"Change for 1720.1600.0002 (leaf-2) on Et2 to UP\n",
		EV_LOG, "Ethernet2"});
}

/* A daemon that reads the log of EOS. */
CASE(eos_log_of_a_bfd_session_that_is_down)
{
	expect_told("eos",
		"Feb 11 15:20:00 ti254 Bfd: %BFD-5-STATE_CHANGE: peer 192.0.3.1 changed state from "
		"Up to Down\n",
		EV_LOG_ALARM);
}

/* A ticket: a session of BFD is set up. */
CASE(nxos_log_of_a_bfd_session_that_is_made)
{
	expect_told("nxos",
		"2025 Jul 17 10:55:19 N9K-001 %BFD-5-SESSION_MOVED: BFD session 0x41000001: "
		"Installed on LC 1\n",
		EVENT_COUNT);
}

/* A vendor's forum: a VLAN that exists already. */
CASE(sonic_log_of_a_vlan)
{
	expect_told("sonic",
		"Nov 12 16:29:31.710270 sonic NOTICE swss#orchagent: :- addVlan: Create an empty "
		"VLAN Vlan1 vid:1\nNov 12 16:29:31.712193 sonic ERR syncd#syncd: "
		"brcm_sai_create_vlan:95 vlan create failed with error Entry exists "
		"(0xfffffff8).\n",
		EV_LOG);
}

/* sonic-mgmt: a cable's own server does not answer. */
CASE(sonic_log_of_a_cables_server)
{
	expect_told("sonic",
		"Mar 28 05:18:28.459615 dut WARNING pmon#CCmisApi: y_cable_port 11: attempt=6, GET "
		"http://192.168.0.1:8082/mux/vms21-6/20 for physical_port 11 failed with "
		"URLError(timeout('timed out'))\n",
		EVENT_COUNT);
}

/* A tool that explains logs of SONiC. */
CASE(sonic_log_of_a_member_of_a_vlan)
{
	expect_line(&(struct line){"sonic",
		"Sep 15 11:59:00.000 vlab-01 ERR swss#vlanmgrd: :- doVlanMemberTask: failed to "
		"process Vlan100 Ethernet4\n",
		EV_LOG_ALARM, "Ethernet4"});
}

/* Packets to that net are lost. */
CASE(sonic_log_of_a_route_that_was_refused)
{
	expect_told("sonic",
		"Sep 15 11:59:10.000 vlab-01 ERR swss#orchagent: :- addRoute: SAI_STATUS_FAILURE "
		"creating 10.0.1.0/24\n",
		EV_LOG_ALARM);
}

/* A classifier's tests. */
CASE(nxos_log_of_a_service_that_crashed)
{
	expect_told("nxos",
		"2025 Jul 17 10:55:19 sw %SYSMGR-2-SERVICE_CRASHED: Service \"bgp\" (PID 1234) "
		"hasn't caught signal 11 (core will be saved).\n",
		EV_LOG_ALARM);
}

CASE(nxos_log_of_a_module_that_failed)
{
	expect_told("nxos",
		"2025 Jul 17 10:55:19 sw %MODULE-2-MOD_FAIL: Module 3 reported failure\n",
		EV_LOG_ALARM);
}

CASES_MAIN(NULL, NULL)
