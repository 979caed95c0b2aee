/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fifth batch of public outputs of switches, tried after the fourth was mended. The reading of
 * each was written down before the first run: see switches.md. Names and numbers are invented.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/cases/sonic_rig.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

static const char *word(const struct obs *o, const char *port, enum obs_attr attr)
{
	return attr_word(at_port(o, port), attr, 0);
}

static void expect_peer(const struct obs *o, const char *port, const char *peer)
{
	char text[160];

	assert_string_equal(lldp_of(at_port(o, port), text, sizeof(text)), peer);
}

static double value(const struct obs *o, const char *port, const char *counter, unsigned sub)
{
	return cell_value(at_port(o, port), counter, sub);
}

static unsigned events_of(const struct obs *o, enum event_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == kind;
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

/* ---- Cumulus ---- */

/* A deployment tool, "verified": the branch of a link in a release of 2025. */
CASE(nvue_link_of_a_recent_release)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "interfaces",
		"{'swp3':{'link':{'admin-status':'up','auto-negotiate':'off','duplex':'full',"
		"'flag':{'broadcast':{},'lower-up':{},'master':{},'multicast':{},'up':{}},"
		"'mac-address':'9c:05:91:00:38:68','mtu':9000,'oper-status':'up',"
		"'oper-status-last-change':'2025/11/10 17:07:52.187','protodown':'disabled',"
		"'speed':'100G','state':{'up':{}},'stats':{'carrier-down-count':5,"
		"'carrier-transitions':11,'carrier-up-count':6,'in-bytes':10394264353,'in-drops':"
		"35994,'in-errors':0,'in-pkts':23731388,'out-bytes':31355951324,'out-drops':"
		"59144287,'out-errors':0,'out-pkts':134598643}},'parent':'bond3'},'swp4':{'link':{"
		"'admin-status':'up','mtu':9000,'oper-status':'down'},'parent':'bond4'}}");

	assert_string_equal(word(o, "swp3", ATTR_OPER), "up");
	assert_string_equal(word(o, "swp4", ATTR_OPER), "down");
	assert_true(attr_number(at_port(o, "swp3"), ATTR_SPEED_MBPS, 0) == 100000);
	assert_true(value(o, "swp3", "link_down_events", 0) == 5);
	assert_true(value(o, "swp3", "rx_discards", 0) == 35994);
	assert_true(value(o, "swp3", "tx_discards", 0) == 59144287);
	assert_true(isnan(value(o, "swp4", "rx_discards", 0)));
	obs_free(o);
}

/* A driver for NVUE: two neighbours of a port, one of them without a name. */
CASE(nvue_neighbours_with_details)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "lldp",
		"{'swp1':{'lldp':{'neighbor':{'leaf02':{'age':'12','chassis':{'capability':{"
		"'is-bridge':'on','is-router':'on'},'chassis-id':'44:38:39:22:01:b1',"
		"'management-address-ipv4':'192.168.200.12','system-description':"
		"'Cumulus Linux version 5.9.1','system-name':'leaf02'},'port':{'description':"
		"'swp7','name':'swp7','ttl':120,'type':'ifname'}}}}},'swp2':{'lldp':{'neighbor':{}"
		"}}}");

	expect_peer(o, "swp1", "leaf02:swp7");
	expect_peer(o, "swp2", ":");
	obs_free(o);
}

/* ---- NX-OS over DME ---- */

/* A fabric's audit: statistics that were never refreshed. */
CASE(dme_statistics_that_were_never_refreshed)
{
	struct obs *o = decode_text("nxos", TRANSPORT_HTTPS, "ether",
		"{'totalCount':'1','imdata':[{'rmonEtherStats':{'attributes':{'broadcastPkts':'0',"
		"'cRCAlignErrors':'150','childAction':'','clearTs':"
		"'2025-10-14T17:48:50.000+03:00','collisions':'0','dn':"
		"'sys/intf/phys-[eth1/1]/dbgEtherStats','modTs':'never','dropEvents':'0'}}}]}");

	assert_true(value(o, "Ethernet1/1", "rx_fcs_errors", 0) == 150);
	assert_true(o->ports.at[at_port(o, "Ethernet1/1").port].sample_us == 0);
	assert_true(isnan(value(o, "Ethernet1/1", "rx_stomped_crc", 0)));
	obs_free(o);
}

/* A viewer's sample: an empty cage, a zone in the time stamps. */
CASE(dme_port_without_a_module)
{
	struct obs *o = decode_text("nxos", TRANSPORT_HTTPS, "oper",
		"{'totalCount':'2','imdata':[{'ethpmPhysIf':{'attributes':{'dn':"
		"'sys/intf/phys-[eth1/1]/phys','operSt':'up','operSpeed':'10G','operStQual':'up',"
		"'lastLinkStChg':'2026-08-10T11:22:33.000+09:00'}}},{'ethpmPhysIf':{'attributes':{"
		"'dn':'sys/intf/phys-[eth1/2]/phys','operSt':'down','operSpeed':'unknown',"
		"'operStQual':'sfp-absent'}}}]}");

	assert_string_equal(word(o, "Ethernet1/1", ATTR_OPER), "up");
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0) == 10000);
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_LAST_CHANGE, 0) == 1786328553);
	assert_string_equal(word(o, "Ethernet1/2", ATTR_OPER), "down");
	assert_string_equal(word(o, "Ethernet1/2", ATTR_DOWN_REASON), "sfp absent");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/2"), ATTR_SPEED_MBPS, 0)));
	obs_free(o);
}

/* A module's test: the description of the port is a path of the fabric's controller. */
CASE(dme_neighbour_with_a_path_as_description)
{
	struct obs *o = decode_text("nxos", TRANSPORT_HTTPS, "lldp",
		"{'totalCount':'1','imdata':[{'lldpIf':{'attributes':{'dn':"
		"'sys/lldp/inst/if-[eth1/49]','id':'eth1/49'},'children':[{'lldpAdjEp':{"
		"'attributes':{'capability':'bridge,router','chassisIdT':'mac','chassisIdV':"
		"'50:87:89:00:89:12','id':'1','mgmtPortMac':'50:87:89:00:89:12','portDesc':"
		"'topology/pod-1/paths-201/pathep-[eth1/3]','portIdV':'Eth1/3','sysDesc':"
		"'topology/pod-1/node-201','sysName':'Spine-201'}}}]}}]}");

	expect_peer(o, "Ethernet1/49", "Spine-201:Eth1/3");
	obs_free(o);
}

/* A parser's test: only the link of the pair is told. */
CASE(nxos_pair_of_which_only_the_link_is_told)
{
	struct obs *o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':'1','TABLE_peerlink':{'ROW_peerlink':{'peer-link-port-state':'0'"
		"}}}");

	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == ATTR_PAIR)
			assert_null(strstr(obs_text(o, o->items.at[i].text), "state=ok"));
	obs_free(o);
}

/* ---- logs of NX-OS ---- */

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

/* ---- SONiC ---- */

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

static struct sonic_rig rig;

static int end(void **state)
{
	(void)state;
	sonic_rig_close(&rig);
	return 0;
}

static struct obs *port_with(const char *commands)
{
	if (!sonic_rig_open(&rig, "3"))
		skip();
	sonic_rig_port(&rig, -1, "Ethernet0", 1, "3");
	sonic_rig_learn_all(&rig);
	sonic_rig_redis(&rig, -1, commands);
	return sonic_rig_ask(&rig, POLL_FAST, "fast");
}

/* sonic-utilities 2123: the speed in use is that of the last time when the port was up. */
CASE_WITH(sonic_speed_of_a_port_that_was_shut, NULL, end)
{
	struct obs *o = port_with("SELECT 0\nHSET PORT_TABLE:Ethernet0 admin_status down "
				  "oper_status down speed 25000\nSELECT 6\nHSET "
				  "PORT_TABLE|Ethernet0 speed 100000\n");

	assert_false(attr_number(at_port(o, "Ethernet0"), ATTR_SPEED_MBPS, 0) == 100000);
	obs_free(o);
}

/* sonic-swss 192: a release that has neither speed nor FEC in the row of a port. */
CASE_WITH(sonic_port_of_an_old_release, NULL, end)
{
	struct obs *o = port_with("SELECT 0\nDEL PORT_TABLE:Ethernet0\nHSET PORT_TABLE:Ethernet0 "
				  "lanes 37,38,39,40 alias fortyGigE0/8 admin_status up mtu 1500 "
				  "oper_status up\nSELECT 6\nDEL PORT_TABLE|Ethernet0\n");

	assert_string_equal(word(o, "Ethernet0", ATTR_OPER), "up");
	assert_string_equal(word(o, "Ethernet0", ATTR_ALIAS), "fortyGigE0/8");
	assert_true(isnan(attr_number(at_port(o, "Ethernet0"), ATTR_SPEED_MBPS, 0)));
	obs_free(o);
}

/* ---- the sixth batch, mostly logs, after the fifth was mended ---- */

#define CUMULUS "2026-01-14T23:45:10.123456+00:00 leaf01 "

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

static const char *pair_of(const struct obs *o)
{
	return word(o, NULL, ATTR_PAIR);
}

/* A provider's notes: the pair is whole, one bundle is up on one side only. */
CASE(eos_pair_with_a_partial_bundle)
{
	struct obs *o = decode_ssh("eos", "mlag",
		"{'localInterface':'Vlan4000','systemId':'47:3c:b8:00:11:29','domainId':'lr01',"
		"'peerLink':'Port-Channel10','localIntfStatus':'up','peerLinkStatus':'up',"
		"'peerAddress':'192.254.1.2','configSanity':'consistent','portsErrdisabled':false,"
		"'state':'active','reloadDelay':300,'reloadDelayNonMlag':300,'negStatus':"
		"'connected','mlagPorts':{'Disabled':0,'Active-partial':1,'Inactive':3,"
		"'Configured':0,'Active-full':7}}");

	assert_non_null(strstr(pair_of(o), "state=ok"));
	assert_non_null(strstr(pair_of(o), "partial=1"));
	obs_free(o);
}

/* A flow collector's test: MLAG is not set up, with a state that no manual has. */
CASE(eos_pair_that_is_not_set_up)
{
	struct obs *o = decode_ssh("eos", "mlag",
		"{'localInterface':'','state':'connected','reloadDelay':300,'peerLink':'',"
		"'dualPrimaryDetectionState':'disabled','mlagPorts':{'Disabled':0,"
		"'Active-partial':0,'Inactive':0,'Configured':0,'Active-full':2},"
		"'portsErrdisabled':false,'detail':{'mlagState':'disabled','udpHeartbeatAlive':"
		"false,'peerMlagState':'unknown','enabled':false}}");

	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == ATTR_PAIR)
			assert_null(strstr(obs_text(o, o->items.at[i].text), "state=ok"));
	obs_free(o);
}

/* A design tool's test: the settings of the two differ. */
CASE(eos_pair_whose_settings_differ)
{
	struct obs *o = decode_ssh("eos", "mlag",
		"{'state':'active','negStatus':'connected','peerLinkStatus':'up',"
		"'localIntfStatus':'up','configSanity':'inconsistent','peerLink':"
		"'Port-Channel1000','domainId':'MLAG-DC1','mlagPorts':{'Disabled':0,"
		"'Active-partial':0,'Inactive':0,'Configured':0,'Active-full':48}}");

	assert_null(strstr(pair_of(o), "state=ok"));
	obs_free(o);
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

CASES_MAIN(NULL, NULL)
