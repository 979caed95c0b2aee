/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seventh and the eighth batch of public outputs of switches, each tried after the one before
 * it was mended. The reading of each was written down before the first run: see switches.md. Names
 * and numbers are invented.
 */
#include <math.h>
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

static double value(const struct obs *o, const char *port, const char *counter, unsigned sub)
{
	return cell_value(at_port(o, port), counter, sub);
}

static void expect_peer(const struct obs *o, const char *port, const char *peer)
{
	char text[160];

	assert_string_equal(lldp_of(at_port(o, port), text, sizeof(text)), peer);
}

static struct sonic_rig rig;

static int end(void **state)
{
	(void)state;
	sonic_rig_close(&rig);
	return 0;
}

static struct obs *asked(enum poll_tier tier, const char *request, const char *commands)
{
	if (!sonic_rig_open(&rig, "3"))
		skip();
	sonic_rig_port(&rig, -1, "Ethernet0", 1, "3");
	sonic_rig_port(&rig, -1, "Ethernet4", 2, "3");
	sonic_rig_learn_all(&rig);
	sonic_rig_redis(&rig, -1, commands);
	sonic_rig_learn(&rig, tier);
	return sonic_rig_ask(&rig, tier, request);
}

/* The model's value after two polls; NAN: unknown. */
static double polled(enum counter_id counter, unsigned sub)
{
	const struct cell *c;

	sonic_rig_poll(&rig);
	sonic_rig_poll(&rig);
	c = port_cell(
		model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet0"), counter, sub);
	return c && c->valid == VALID_OK ? (double)c->u64 : NAN;
}

/* ---- SONiC ---- */

/* A guide to telemetry, a chip of Cisco: FEC of a clean link, in bins. */
CASE_WITH(sonic_fec_of_a_clean_link, NULL, end)
{
	char text[600];
	struct obs *o;

	str_printf(text, sizeof(text),
		"SELECT 2\nHSET COUNTERS:%s SAI_PORT_STAT_IF_IN_DISCARDS 2 "
		"SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S0 51285065114051 "
		"SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S1 433509717 "
		"SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S2 3632 "
		"SAI_PORT_STAT_IF_IN_FEC_CODEWORD_ERRORS_S15 0 "
		"SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES 433513349 "
		"SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES 0 "
		"SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS 433516981\n",
		sonic_rig_oid(1));
	o = asked(POLL_FAST, "fast", text);
	assert_true(value(o, "Ethernet0", "fec_corrected_codewords", 0) == 433513349);
	assert_true(value(o, "Ethernet0", "fec_uncorrectable_codewords", 0) == 0);
	assert_true(value(o, "Ethernet0", "fec_symbol_errors", 0) == 433516981);
	assert_true(value(o, "Ethernet0", "rx_discards", 0) == 2);
	obs_free(o);
}

/* sonic-net/SONiC 393: the chip has no peak of a queue. */
CASE_WITH(sonic_queue_without_a_peak, NULL, end)
{
	char text[300];
	struct obs *o;

	str_printf(text, sizeof(text),
		"SELECT 2\nDEL USER_WATERMARKS:%s\nDEL COUNTERS:%s\nHSET COUNTERS:%s "
		"SAI_QUEUE_STAT_PACKETS 193 SAI_QUEUE_STAT_BYTES 25478 "
		"SAI_QUEUE_STAT_DROPPED_PACKETS 0 SAI_QUEUE_STAT_DROPPED_BYTES 0\n",
		sonic_rig_queue(1, 3), sonic_rig_queue(1, 3), sonic_rig_queue(1, 3));
	o = asked(POLL_FAST, "fast", text);
	obs_free(o);
	assert_true(polled(CTR_QUEUE_DROPS, 3) == 0);
	assert_true(isnan(polled(CTR_QUEUE_WATERMARK_BYTES, 3)));
	assert_true(isnan(polled(CTR_ECN_MARKED_PACKETS, 3)));
}

/* sonic-net/sonic-buildimage 25534: since an update there are no counters of WRED and ECN. */
CASE_WITH(sonic_marks_that_are_gone, NULL, end)
{
	char text[300];
	struct obs *o;

	str_printf(text, sizeof(text),
		"SELECT 2\nHSET COUNTERS:%s SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS N/A "
		"SAI_QUEUE_STAT_WRED_DROPPED_PACKETS N/A\n",
		sonic_rig_queue(1, 3));
	o = asked(POLL_FAST, "fast", text);
	obs_free(o);
	assert_true(isnan(polled(CTR_ECN_MARKED_PACKETS, 3)));
	assert_true(isnan(polled(CTR_WRED_DROPS, 3)));
}

/* sonic-net/sonic-buildimage 18871: a port id with a blank; a host with a MAC only. */
CASE_WITH(sonic_neighbours_of_a_field_report, NULL, end)
{
	struct obs *o = asked(POLL_MEDIUM, "optics",
		"SELECT 0\nHSET LLDP_ENTRY_TABLE:Ethernet0 lldp_rem_chassis_id 50:eb:1a:f7:3b:94 "
		"lldp_rem_chassis_id_subtype 4 lldp_rem_sys_name sw0 lldp_rem_port_id "
		"\"FortyGigabitEthernet 1/0/49\" lldp_rem_port_id_subtype 5\nDEL "
		"LLDP_ENTRY_TABLE:Ethernet4\nHSET LLDP_ENTRY_TABLE:Ethernet4 lldp_rem_chassis_id "
		"48:df:37:e0:24:e0 lldp_rem_chassis_id_subtype 4 lldp_rem_port_id "
		"48:df:37:e0:24:e0 lldp_rem_port_id_subtype 3\n");

	expect_peer(o, "Ethernet0", "sw0:FortyGigabitEthernet 1/0/49");
	expect_peer(o, "Ethernet4", "48:df:37:e0:24:e0:48:df:37:e0:24:e0");
	obs_free(o);
}

/* sonic-net/sonic-buildimage 11645: the name of the neighbour is missing, its port is known. */
CASE_WITH(sonic_neighbour_without_its_name, NULL, end)
{
	struct obs *o = asked(POLL_MEDIUM, "optics",
		"SELECT 0\nDEL LLDP_ENTRY_TABLE:Ethernet4\nHSET LLDP_ENTRY_TABLE:Ethernet4 "
		"lldp_rem_port_id fortyGigE0/0 lldp_rem_port_id_subtype 5 lldp_rem_port_desc "
		"Ethernet1 lldp_rem_sys_name \"\" lldp_rem_chassis_id 52:54:00:12:6c:01 "
		"lldp_rem_chassis_id_subtype 4\n");

	expect_peer(o, "Ethernet4", "52:54:00:12:6c:01:fortyGigE0/0");
	obs_free(o);
}

/* sonic-net/sonic-buildimage 8837: the bundle is missing in one of the two databases. */
CASE_WITH(sonic_bundle_that_has_no_state, NULL, end)
{
	struct obs *o = asked(POLL_MEDIUM, "optics",
		"SELECT 4\nHSET PORTCHANNEL|PortChannel7 admin_status up min_links 1\n"
		"HSET PORTCHANNEL_MEMBER|PortChannel7|Ethernet4 NULL NULL\nSELECT 0\nHSET "
		"LAG_TABLE:PortChannel7 admin_status up mtu 9100\n");

	assert_string_not_equal(word(o, "PortChannel7", ATTR_OPER), "up");
	assert_null(strstr(word(o, "Ethernet4", ATTR_LAG_STATE), "active"));
	obs_free(o);
}

/* sonic-net/sonic-swss 3998: one of two links is left, less than the least number. */
CASE_WITH(sonic_bundle_below_its_least_number, NULL, end)
{
	struct obs *o = asked(POLL_MEDIUM, "optics",
		"SELECT 4\nHSET PORTCHANNEL|PortChannel1 admin_status up min_links 2\n"
		"HSET PORTCHANNEL_MEMBER|PortChannel1|Ethernet0 NULL NULL\n"
		"HSET PORTCHANNEL_MEMBER|PortChannel1|Ethernet4 NULL NULL\n"
		"SELECT 0\nHSET LAG_TABLE:PortChannel1 admin_status up oper_status down\n"
		"HSET LAG_MEMBER_TABLE:PortChannel1:Ethernet0 status disabled\n"
		"HSET LAG_MEMBER_TABLE:PortChannel1:Ethernet4 status disabled\n"
		"SELECT 6\nHSET LAG_TABLE|PortChannel1 state ok\n"
		"HSET LAG_MEMBER_TABLE|PortChannel1|Ethernet0 runner.state defaulted "
		"runner.selected false runner.aggregator.selected false link.up false\n"
		"HSET LAG_MEMBER_TABLE|PortChannel1|Ethernet4 runner.state current "
		"runner.selected true runner.aggregator.selected true link.up true\n");

	assert_string_equal(word(o, "PortChannel1", ATTR_OPER), "down");
	assert_null(strstr(word(o, "Ethernet0", ATTR_LAG_STATE), "active"));
	assert_null(strstr(word(o, "Ethernet4", ATTR_LAG_STATE), "active"));
	obs_free(o);
}

/* sonic-net/sonic-platform-common 235: limits of a coherent module, with those of BER beside. */
CASE_WITH(sonic_limits_of_a_coherent_module, NULL, end)
{
	struct obs *o = asked(POLL_SLOW, "modules",
		"SELECT 6\nHSET TRANSCEIVER_DOM_SENSOR|Ethernet0 temperature 41.0 voltage 3.3 "
		"rx1power -7.2 tx1power -9.9\nHSET TRANSCEIVER_DOM_THRESHOLD|Ethernet0 "
		"temphighalarm 75.0 templowalarm -5.0 temphighwarning 72.0 templowwarning -2.0 "
		"rxpowerhighalarm 5.0 rxpowerlowalarm -8.901 rxpowerhighwarning 4.5 "
		"rxpowerlowwarning -6.899 lasertemphighalarm 0.0 lasertemplowalarm 0.0 "
		"prefecberhighalarm 7.699999999999999e-20 prefecberlowalarm 1.868e-12\n");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_true(fabs(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) + 8.901) < 1e-4);
	assert_true(fabs(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN) + 6.899) < 1e-4);
	assert_true(isnan(value(o, "Ethernet0", "pre_fec_ber_media", 0)));
	obs_free(o);
}

/* ---- NX-OS ---- */

/* A library of a Cisco engineer: an empty cage, beside interfaces that are no ports. */
CASE(nxos_interfaces_that_are_no_ports)
{
	struct obs *o = decode_ssh("nxos", "interface",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','state':'down',"
		"'state_rsn_desc':'XCVR not inserted','admin_state':'down','eth_mtu':'1500',"
		"'eth_bw':'25000000','eth_speed':'auto-speed','eth_link_flapped':'never',"
		"'eth_clear_counters':'never','eth_reset_cntr':'0','eth_inpkts':'0','eth_inbytes':"
		"'0','eth_crc':'0','eth_indiscard':'0','eth_outdiscard':'0','eth_inpause':'0'},{"
		"'interface':'Vlan2001','svi_admin_state':'up','svi_line_proto':'up','svi_mtu':"
		"'1500','svi_bw':'1000000','svi_ucast_pkts_in':'0'},{'interface':'nve1','state':"
		"'up','admin_state':'up','eth_hw_desc':'NVE','eth_mtu':'9216','nve_rx_ucastpkts':"
		"'292736484','nve_rx_ucastbytes':'452570604264'}]}}");

	assert_string_equal(word(o, "Ethernet1/1", ATTR_ADMIN), "down");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0)));
	assert_false(has_port(o, "Vlan2001"));
	assert_false(has_port(o, "nve1"));
	obs_free(o);
}

/* ---- Cumulus ---- */

/* A lab's notes: what NVUE answers on a virtual switch. */
CASE(nvue_interfaces_of_a_virtual_switch)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "interfaces",
		"{'eth0':{'ifindex':2,'ip':{'vrf':'mgmt'},'link':{'admin-status':'up','flag':{"
		"'lower-up':{},'up':{}},'mtu':1500,'oper-status':'up','speed':'1G','stats':{"
		"'carrier-down-count':3,'in-bytes':1722,'in-drops':0}},'type':'eth'},'lo':{"
		"'ifindex':1,'link':{'admin-status':'up','flag':{'loopback':{},'up':{}},'mtu':"
		"65536,'oper-status':'unknown'},'type':'loopback'},'swp1':{'ifindex':3,'link':{"
		"'admin-status':'up','mtu':9216,'oper-status':'unknown'},'type':'swp'}}");

	assert_false(has_port(o, "lo"));
	assert_false(has_port(o, "eth0"));
	assert_string_not_equal(word(o, "swp1", ATTR_OPER), "up");
	obs_free(o);
}

/* A collector's test: one priority has all counters, another one marks only. */
CASE(nvue_marks_of_a_priority_without_the_rest)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "qos",
		"{'swp1':{'counters':{'qos':{'egress-queue-stats':{'3':{'ecn-marked-frames':100,"
		"'tx-frames':1000,'tx-uc-buffer-discards':4,'wred-discards':5},'4':{"
		"'ecn-marked-frames':999999}},'pfc-stats':{'3':{'rx-pause-frames':200,"
		"'tx-pause-frames':300},'4':{'rx-pause-frames':999999}}}}}}");

	assert_true(value(o, "swp1", "ecn_marked_packets", 3) == 100);
	assert_true(value(o, "swp1", "wred_drops", 3) == 5);
	assert_true(value(o, "swp1", "ecn_marked_packets", 4) == 999999);
	assert_true(isnan(value(o, "swp1", "queue_drops", 4)));
	assert_true(isnan(value(o, "swp1", "queue_tx_packets", 4)));
	assert_true(value(o, "swp1", "pfc_rx_frames", 3) == 200);
	assert_true(isnan(value(o, "swp1", "pfc_tx_frames", 4)));
	obs_free(o);
}

/* ---- logs ---- */

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
#define EOS  "Feb 15 01:40:18 SW-1 "

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

/* ---- the eighth batch ---- */

static unsigned events_of(const struct obs *o, enum event_kind kind)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == kind;
	return n;
}

/* One line without a port: an alarm, a change, or neither (EVENT_COUNT: just no alarm). */
static void expect_told(const char *dialect, const char *text, enum event_kind kind)
{
	struct obs *o = decode_ssh(dialect, "log", text);

	assert_int_equal(events_of(o, EV_LOG_ALARM), kind == EV_LOG_ALARM);
	if (kind != EVENT_COUNT)
		assert_int_equal(events_of(o, kind), 1);
	obs_free(o);
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

/* aristanetworks/anta: a bundle without any port. */
CASE(eos_bundle_without_ports)
{
	struct obs *o = decode_ssh("eos", "lag",
		"{'portChannels':{'Port-Channel42':{'recircFeature':[],'maxWeight':16,'minSpeed':"
		"'0 gbps','rxPorts':{},'currWeight':0,'minLinks':0,'inactivePorts':{},"
		"'activePorts':{},'inactiveLag':false}}}");

	assert_string_not_equal(word(o, "Port-Channel42", ATTR_OPER), "up");
	obs_free(o);
}

/* The same: a session that is up, with the reason of its last trouble. */
CASE(eos_session_with_an_old_reason)
{
	struct obs *o = decode_ssh("eos", "bgp",
		"{'vrfs':{'default':{'routerId':'3.3.3.3','peers':{'7.7.7.7':{'msgSent':0,"
		"'inMsgQueue':0,'peerStateIdleReason':'NoInterface','prefixReceived':0,"
		"'upDownTime':1683206265.363882,'version':4,'msgReceived':42,'prefixAccepted':0,"
		"'peerState':'Established','outMsgQueue':0,'underMaintenance':false,'asn':'65000'"
		"}},'vrf':'default','asn':'65000'}}}");

	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	obs_free(o);
}

/* A parser of transceivers: one lane of a broken out module. */
CASE(nxos_module_of_one_lane)
{
	struct obs *o = decode_ssh("nxos", "optics",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/36/1','sfp':"
		"'present','type':'QSFP-40G-CSR4','name':'FS','serialnum':'C2407418236',"
		"'TABLE_lane':{'ROW_lane':{'lane_number':'1','temperature':'34.48',"
		"'temp_alrm_hi':'75.00','temp_alrm_lo':'-5.00','voltage':'3.28','current':'6.49',"
		"'current_alrm_lo':'0.50','tx_pwr':'-1.78','tx_pwr_alrm_lo':'-9.50','rx_pwr':"
		"'-1.24','rx_pwr_alrm_hi':'3.40','rx_pwr_alrm_lo':'-14.10','rx_pwr_warn_lo':"
		"'-11.10','xmit_faults':'0'}}}]}}");
	struct obs_port_ref p = at_port(o, "Ethernet1/36/1");

	assert_true(fabs(value(o, "Ethernet1/36/1", "rx_power_dbm", 0) + 1.24) < 1e-4);
	assert_true(fabs(value(o, "Ethernet1/36/1", "tx_bias_ma", 0) - 6.49) < 1e-4);
	assert_true(fabs(value(o, "Ethernet1/36/1", "temperature_c", 0) - 34.48) < 1e-4);
	assert_true(fabs(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) + 14.10) < 1e-4);
	assert_true(isnan(value(o, "Ethernet1/36/1", "rx_power_dbm", 1)));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
