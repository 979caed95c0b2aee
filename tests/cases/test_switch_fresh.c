/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs of switches that railtop had not met when the code was written: the fourth batch.
 * The reading of each was written down before the first run: see switches.md. Names, addresses and
 * numbers are invented, the formats are the devices' own.
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

static void expect_near(double v, double want)
{
	if (!(fabs(v - want) < 0.005))
		fail_msg("%g in place of %g", v, want);
}

static bool is_known(const struct obs *o, const char *port, const char *counter, unsigned sub)
{
	return has_port(o, port) && !isnan(cell_value(at_port(o, port), counter, sub));
}

/* The counter's value; NAN: none. */
static double value(const struct obs *o, const char *port, const char *counter, unsigned sub)
{
	return cell_value(at_port(o, port), counter, sub);
}

static unsigned alarms_of(const struct obs *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT && o->items.at[i].code == EV_LOG_ALARM;
	return n;
}

/* ---- SONiC, on a real Redis ---- */

static struct sonic_rig rig;

static void begin(void)
{
	if (!sonic_rig_open(&rig, "3"))
		skip();
	sonic_rig_port(&rig, -1, "Ethernet0", 1, "3");
	sonic_rig_learn_all(&rig);
}

static int end(void **state)
{
	(void)state;
	sonic_rig_close(&rig);
	return 0;
}

static struct obs *optics_of(const char *commands)
{
	begin();
	sonic_rig_redis(&rig, -1, commands);
	return sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
}

/* sonic-platform-common 486: a coherent module has one carrier; its other lanes have no laser. */
CASE_WITH(sonic_lanes_without_a_laser, NULL, end)
{
	struct obs *o = optics_of(
		"SELECT 6\nHSET TRANSCEIVER_INFO|Ethernet0 type "
		"QSFP-DD model 400ZR\nHSET TRANSCEIVER_DOM_SENSOR|Ethernet0 temperature 56.102 "
		"voltage 3.344 tx1bias 201.896 rx1power -11.163 tx1power -10.32 tx2bias 0.0 "
		"rx2power -inf tx2power -inf tx3bias 0.0 rx3power -inf tx3power -inf tx4bias 0.0 "
		"rx4power -inf tx4power -inf tx5bias 0.0 rx5power -inf tx5power -inf tx6bias 0.0 "
		"rx6power -inf tx6power -inf tx7bias 0.0 rx7power -inf tx7power -inf tx8bias 0.0 "
		"rx8power -inf tx8power -inf\n");

	expect_near(value(o, "Ethernet0", "rx_power_dbm", 0), -11.163);
	expect_near(value(o, "Ethernet0", "tx_power_dbm", 0), -10.32);
	/* Neither lit nor measured: nothing of them is a loss of light. */
	for (unsigned lane = 1; lane < 8; lane++) {
		assert_false(is_known(o, "Ethernet0", "rx_power_dbm", lane));
		assert_false(is_known(o, "Ethernet0", "tx_power_dbm", lane));
	}
	obs_free(o);
}

/* sonic-utilities, its sample of sensors: the light that is sent is not measured. */
CASE_WITH(sonic_module_without_the_light_it_sends, NULL, end)
{
	struct obs *o = optics_of(
		"SELECT 6\nHSET TRANSCEIVER_INFO|Ethernet0 type QSFP28\n"
		"HSET TRANSCEIVER_DOM_SENSOR|Ethernet0 temperature 30.9258 voltage 3.2824 rx1power "
		"0.3802 rx2power -0.4871 rx3power -0.0860 rx4power 0.3830 tx1bias 6.7500 tx2bias "
		"6.7500 tx3bias 6.7500 tx4bias 6.7500 tx1power N/A tx2power N/A tx3power N/A "
		"tx4power N/A\n");

	expect_near(value(o, "Ethernet0", "rx_power_dbm", 1), -0.4871);
	expect_near(value(o, "Ethernet0", "tx_bias_ma", 3), 6.75);
	for (unsigned lane = 0; lane < 4; lane++)
		assert_false(is_known(o, "Ethernet0", "tx_power_dbm", lane));
	obs_free(o);
}

/* The same sample: a bundle without its one member, and one whose member is selected. */
CASE_WITH(sonic_bundle_whose_member_was_never_selected, NULL, end)
{
	struct obs *o;

	begin();
	sonic_rig_port(&rig, -1, "Ethernet4", 2, "3");
	sonic_rig_redis(&rig, -1,
		"SELECT 4\nHSET PORTCHANNEL|PortChannel0001 admin_status up min_links 1\n"
		"HSET PORTCHANNEL|PortChannel0002 admin_status up min_links 1\n"
		"HSET PORTCHANNEL_MEMBER|PortChannel0001|Ethernet0 NULL NULL\n"
		"HSET PORTCHANNEL_MEMBER|PortChannel0002|Ethernet4 NULL NULL\n"
		"SELECT 0\nHSET LAG_TABLE:PortChannel0001 admin_status up oper_status down mtu "
		"9100 tpid 0x8100\n"
		"HSET LAG_TABLE:PortChannel0002 admin_status up oper_status up mtu 9100\n"
		"HSET LAG_MEMBER_TABLE:PortChannel0001:Ethernet0 status disabled\n"
		"HSET LAG_MEMBER_TABLE:PortChannel0002:Ethernet4 status enabled\n"
		"SELECT 6\nHSET LAG_TABLE|PortChannel0001 state ok runner.active true "
		"runner.fallback false runner.fast_rate false\n"
		"HSET LAG_TABLE|PortChannel0002 state ok runner.active true\n"
		"HSET LAG_MEMBER_TABLE|PortChannel0001|Ethernet0 runner.state disabled "
		"runner.selected false runner.aggregator.selected false link.up false "
		"link_watches.list.link_watch_0.up false runner.actor_lacpdu_info.state 5\n"
		"HSET LAG_MEMBER_TABLE|PortChannel0002|Ethernet4 runner.state current "
		"runner.selected true runner.aggregator.selected true link.up true "
		"runner.actor_lacpdu_info.state 61\n");
	sonic_rig_learn(&rig, POLL_MEDIUM);
	o = sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
	assert_string_equal(word(o, "PortChannel0001", ATTR_OPER), "down");
	assert_string_equal(word(o, "PortChannel0002", ATTR_OPER), "up");
	assert_string_equal(word(o, "Ethernet4", ATTR_LAG_STATE), "active");
	assert_null(strstr(word(o, "Ethernet0", ATTR_LAG_STATE), "active"));
	obs_free(o);
}

/* An exporter of SONiC: a neighbour of another vendor's SONiC, the alias with brackets. */
CASE_WITH(sonic_neighbour_with_an_alias_in_brackets, NULL, end)
{
	struct obs *o = optics_of(
		"SELECT 0\nHSET LLDP_ENTRY_TABLE:Ethernet0 lldp_rem_chassis_id 94:ef:97:00:65:42 "
		"lldp_rem_sys_name swi2-w4g-1 lldp_rem_port_desc Ethernet8 lldp_rem_port_id "
		"Eth3(Port3) lldp_rem_man_addr 240.127.1.1 lldp_rem_chassis_id_subtype 4 "
		"lldp_rem_port_id_subtype 7 lldp_rem_index 1 lldp_rem_time_mark 44873750 "
		"lldp_rem_sys_cap_supported 28 lldp_rem_sys_cap_enabled 28\n");

	expect_peer(o, "Ethernet0", "swi2-w4g-1:Eth3(Port3)");
	obs_free(o);
}

/* sonic-utilities, its sample of BGP: sessions that never came up, one of a dynamic peer. */
CASE(sonic_sessions_of_dynamic_peers)
{
	struct obs *o = decode_ssh("sonic", "bgp",
		"{'default':{'ipv4Unicast':{'routerId':'10.1.0.32','as':65100,'vrfId':0,'vrfName':"
		"'default','peerCount':25,'peerGroupCount':4,'peers':{'10.0.0.33':{'remoteAs':"
		"64001,'version':4,'msgRcvd':0,'msgSent':0,'peerUptime':'never','peerUptimeMsec':"
		"0,'prefixReceivedCount':0,'pfxRcd':0,'state':'Active','connectionsEstablished':0,"
		"'connectionsDropped':0,'idType':'ipv4'},'10.0.0.1':{'remoteAs':65200,'version':4,"
		"'dynamicPeer':true,'peerUptime':'1d21h11m','peerUptimeMsec':162683000,"
		"'peerUptimeEstablishedEpoch':1597732920,'prefixReceivedCount':6402,'pfxRcd':6402,"
		"'pfxSnt':1,'state':'Established','connectionsEstablished':1,'connectionsDropped':"
		"0,'idType':'ipv4'}},'failedPeers':17,'totalPeers':25,'dynamicPeers':1,'bestPath':"
		"{'multiPathRelax':'true'}}}}");

	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(o->bgp.at[0].state, BGP_ACTIVE);
	assert_true(isnan(o->bgp.at[0].since_s));
	assert_int_equal(o->bgp.at[1].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[1].prefixes, 6402);
	assert_true(o->bgp.at[1].since_s == 162683);
	obs_free(o);
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

/* sonic-utilities 4634: somebody clears the watchdog's counts: no storm, no negative rate. */
CASE_WITH(sonic_watchdog_counts_that_were_cleared, NULL, end)
{
	char text[256];

	begin();
	for (unsigned i = 0; i < 6; i++) {
		str_printf(text, sizeof(text),
			"SELECT 2\nHSET COUNTERS:%s PFC_WD_STATUS operational "
			"PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED %u "
			"PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED %u\n",
			sonic_rig_queue(1, 3), i < 3 ? 9U : 0U, i < 3 ? 9U : 0U);
		sonic_rig_redis(&rig, -1, text);
		sonic_rig_poll(&rig);
	}
	assert_null(sonic_rig_found(&rig, "pfcwd.storm", NULL));
	assert_null(sonic_rig_found(&rig, "pfcwd.misfire", NULL));
	assert_null(sonic_rig_found(&rig, "pfcwd.stuck", NULL));
}

static struct obs *down_with(const char *commands)
{
	begin();
	sonic_rig_redis(&rig, -1, "SELECT 0\nHSET PORT_TABLE:Ethernet0 oper_status down\n");
	sonic_rig_redis(&rig, -1, commands);
	return sonic_rig_ask(&rig, POLL_FAST, "fast");
}

/* sonic-utilities, its sample of errors: faults that were counted, one of them is on. */
CASE_WITH(sonic_port_down_by_a_remote_fault, NULL, end)
{
	struct obs *o = down_with(
		"SELECT 6\nHSET PORT_OPERR_TABLE|Ethernet0 oper_error_status 2 "
		"mac_remote_fault_count 14483 mac_remote_fault_time \"2025-01-17 19:51:12\" "
		"mac_local_fault_count 26 mac_local_fault_time \"2025-01-17 18:40:56\"\n");

	assert_string_equal(word(o, "Ethernet0", ATTR_OPER), "down");
	assert_non_null(strstr(word(o, "Ethernet0", ATTR_DOWN_REASON), "remote fault"));
	obs_free(o);
}

/* The same sample: a module that is too hot. */
CASE_WITH(sonic_port_down_by_its_module, NULL, end)
{
	struct obs *o = down_with("SELECT 6\nHSET TRANSCEIVER_STATUS_SW|Ethernet0 status 67 error "
				  "\"Blocking Error|High temperature\"\n");

	assert_non_null(strstr(word(o, "Ethernet0", ATTR_DOWN_REASON), "High temperature"));
	obs_free(o);
}

/* sonic-utilities: virtual output queues of a switch that has one card, without an ASIC's name. */
CASE_WITH(sonic_voqs_of_a_switch_without_cards, NULL, end)
{
	begin();
	sonic_rig_redis(&rig, -1,
		"SELECT 4\nHSET DEVICE_METADATA|localhost switch_type voq hostname testsw\n"
		"SELECT 2\nHSET COUNTERS_SYSTEM_PORT_NAME_MAP testsw|Ethernet0 oid:0x42\n"
		"HSET COUNTERS_VOQ_NAME_MAP testsw|Ethernet0:3 oid:0x65a\n"
		"HSET COUNTERS:oid:0x65a SAI_QUEUE_STAT_DROPPED_PACKETS 12 SAI_QUEUE_STAT_PACKETS "
		"11 SAI_QUEUE_STAT_CREDIT_WD_DELETED_PACKETS 12 "
		"SAI_QUEUE_STAT_WRED_DROPPED_PACKETS 11\n");
	sonic_rig_poll(&rig);
	sonic_rig_poll(&rig);
	assert_int_equal(
		port_cell(model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet0"),
			CTR_QUEUE_DROPS, 3)
			->u64,
		12);
}

/* ---- EOS ---- */

/* An exporter of eAPI: a serial number with blanks, a limit of 0, a sum without limits. */
CASE(eos_limits_of_zero_and_of_none)
{
	struct obs *o = decode_ssh("eos", "optics",
		"{'interfaces':{'Ethernet4/1':{'slot':'Ethernet4','channel':'1','vendorSn':"
		"'XXX000a0004    ','mediaType':'100GBASE-LR4','updateTime':1749635205.1,"
		"'temperature':31.5,'voltage':3.29,'txBias':38.4,'txPower':0.9,'rxPower':-1.2,"
		"'details':{'temperature':{'highAlarm':75.0,'highWarn':70.0,'lowAlarm':-5.0,"
		"'lowWarn':0.0},'txBias':{'highAlarm':75.0,'highWarn':70.0,'lowAlarm':0.0,"
		"'lowWarn':0.0},'totalRxPower':{'highAlarmOverridden':false,"
		"'lowAlarmOverridden':false}}}}}");

	assert_string_equal(word(o, "Ethernet4/1", ATTR_MODULE_SN), "XXX000a0004");
	expect_near(attr_number(at_port(o, "Ethernet4/1"), ATTR_TX_BIAS_LIMIT, LIMIT_LOW_ALARM), 0);
	expect_near(
		attr_number(at_port(o, "Ethernet4/1"), ATTR_TX_BIAS_LIMIT, LIMIT_HIGH_ALARM), 75);
	assert_true(isnan(
		attr_number(at_port(o, "Ethernet4/1"), ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM)));
	expect_near(value(o, "Ethernet4/1", "rx_power_dbm", 0), -1.2);
	obs_free(o);
}

/* The same: a PHY of 10G has no FEC, one of a down port has no values. */
CASE(eos_phy_without_fec)
{
	struct obs *o = decode_ssh("eos", "phy",
		"{'interfacePhyStatuses':{'Ethernet1':{'interfaceState':{'current':'up','changes':"
		"3,'lastChange':1749635205.1},'phyStatuses':[{'description':{'phyChipName':"
		"'BCM56870','location':'line'},'pcs':{'linkStatus':{'value':'linkUp','changes':3},"
		"'blockLock':{'value':true,'changes':3},'highBer':{'value':false}},'operSpeed':"
		"'10Gbps'}],'macFaults':{'localFault':{'value':false},'remoteFault':{'value':false"
		"}}},'Ethernet2':{'phyStatuses':[]}}}");

	assert_false(is_known(o, "Ethernet1", "fec_uncorrectable_codewords", 0));
	assert_false(is_known(o, "Ethernet1", "pre_fec_ber", 0));
	assert_false(is_known(o, "Ethernet2", "fec_uncorrectable_codewords", 0));
	obs_free(o);
}

/* aristanetworks/anta: words of a line protocol besides up and down. */
CASE(eos_words_of_a_line_protocol)
{
	struct obs *o = decode_ssh("eos", "fast",
		"{'interfaces':{'Ethernet1':{'name':'Ethernet1','lineProtocolStatus':"
		"'lowerLayerDown','interfaceStatus':'notconnect','bandwidth':0},'Ethernet2':{"
		"'name':'Ethernet2','lineProtocolStatus':'unknown','interfaceStatus':'connected',"
		"'bandwidth':100000000000},'Ethernet3':{'name':'Ethernet3','lineProtocolStatus':"
		"'notPresent','interfaceStatus':'notconnect','bandwidth':0},'Ethernet4':{'name':"
		"'Ethernet4','lineProtocolStatus':'up','interfaceStatus':'connected','bandwidth':"
		"2500000000,'autoNegotiate':'unknown','lanes':8},'Ethernet5':{'name':'Ethernet5',"
		"'lineProtocolStatus':'up','interfaceStatus':'connected','bandwidth':0}}}");

	assert_string_equal(word(o, "Ethernet1", ATTR_OPER), "down");
	assert_string_not_equal(word(o, "Ethernet2", ATTR_OPER), "up");
	assert_string_equal(word(o, "Ethernet3", ATTR_OPER), "down");
	expect_near(attr_number(at_port(o, "Ethernet4"), ATTR_SPEED_MBPS, 0), 2500);
	assert_true(isnan(attr_number(at_port(o, "Ethernet5"), ATTR_SPEED_MBPS, 0)));
	obs_free(o);
}

/* anta: two of four lanes are dark; limits on one side only; a port whose module says nothing. */
CASE(eos_dark_lanes_and_a_module_without_readings)
{
	struct obs *o = decode_ssh("eos", "optics",
		"{'interfaces':{'Ethernet1/1':{'displayName':'Ethernet1/1'},'Ethernet2/1':{"
		"'displayName':'Ethernet2/1','vendorSn':'TEST05DA','mediaType':'100GBASE-SR4',"
		"'parameters':{'rxPower':{'unit':'dBm','channels':{'1':-30.08,'2':-0.0997,'3':"
		"-40.31,'4':-1.463},'threshold':{'lowAlarm':-13.2975,'lowAlarmOverridden':false,"
		"'lowWarn':-10.3012,'lowWarnOverridden':false}}}}}}");

	expect_near(value(o, "Ethernet2/1", "rx_power_dbm", 0), -30.08);
	expect_near(value(o, "Ethernet2/1", "rx_power_dbm", 3), -1.463);
	assert_true(value(o, "Ethernet2/1", "rx_power_dbm", 2) <= -30);
	expect_near(attr_number(at_port(o, "Ethernet2/1"), ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM),
		-13.2975);
	assert_true(isnan(
		attr_number(at_port(o, "Ethernet2/1"), ATTR_RX_POWER_LIMIT, LIMIT_HIGH_ALARM)));
	assert_false(is_known(o, "Ethernet1/1", "rx_power_dbm", 0));
	assert_false(is_known(o, "Ethernet1/1", "temperature_c", 0));
	assert_false(is_known(o, "Ethernet2/1", "temperature_c", 0));
	obs_free(o);
}

/* A tool's sample: a session that has no interface to its peer, with the AS number as text. */
CASE(eos_session_without_an_interface)
{
	struct obs *o = decode_ssh("eos", "bgp",
		"{'vrfs':{'default':{'vrf':'default','routerId':'10.1.0.1','asn':'65002','peers':{"
		"'10.1.1.1':{'asn':'65001','peerState':'Established','prefixReceived':3,"
		"'prefixAccepted':3,'msgReceived':421,'msgSent':421},'10.1.9.9':{'asn':'65999',"
		"'peerState':'Idle','peerStateIdleReason':'NoInterface','prefixReceived':0,"
		"'prefixAccepted':0,'msgReceived':0,'msgSent':0}}}}}");

	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[0].remote_as, 65001);
	assert_int_equal(o->bgp.at[0].prefixes, 3);
	assert_int_equal(o->bgp.at[1].state, BGP_IDLE);
	obs_free(o);
}

/* A test bench's fixture: ports by MAC, no system name; one at the management port. */
CASE(eos_neighbours_by_mac_without_a_name)
{
	struct obs *o = decode_ssh("eos", "lldp",
		"{'lldpNeighbors':{'Ethernet1':{'lldpNeighborInfo':[{'chassisIdType':'macAddress',"
		"'chassisId':'0050.5600.0011','neighborInterfaceInfo':{'interfaceIdType':"
		"'macAddress','interfaceId':'0050.5600.0011'}}]},'Ethernet49/1':{"
		"'lldpNeighborInfo':[]},'Management1':{'lldpNeighborInfo':[{'chassisIdType':"
		"'macAddress','chassisId':'001c.7361.af79','neighborInterfaceInfo':{"
		"'interfaceIdType':'interfaceName','interfaceId':'\\'Ethernet19\\''}}]}}}");
	char text[160];
	const char *peer = lldp_of(at_port(o, "Ethernet1"), text, sizeof(text));

	/* A neighbour without a name is known by its MAC. */
	assert_string_equal(peer, "00:50:56:00:00:11:00:50:56:00:00:11");
	assert_false(has_port(o, "Management1"));
	obs_free(o);
}

/* ---- NX-OS ---- */

/* A network validator's sample: each port has a row for bytes and one for the other casts. */
CASE(nxos_counters_in_two_rows)
{
	struct obs *o = decode_ssh("nxos", "counters",
		"{'TABLE_rx_counters':{'ROW_rx_counters':[{'interface_rx':'mgmt0','eth_inpkts':"
		"266806619,'eth_inucast':1344041},{'interface_rx':'Ethernet1/1','eth_inbytes':"
		"288825287,'eth_inucast':73625},{'interface_rx':'Ethernet1/2','eth_inbytes':"
		"1900871,'eth_inucast':0},{'interface_rx':'mgmt0','eth_inmcast':608813,"
		"'eth_inbcast':133992},{'interface_rx':'Ethernet1/1','eth_inmcast':2805707,"
		"'eth_inbcast':3},{'interface_rx':'Ethernet1/2','eth_inmcast':8061,'eth_inbcast':0"
		"}]},'TABLE_tx_counters':{'ROW_tx_counters':[{'interface_tx':'mgmt0','eth_outpkts'"
		":331850552,'eth_outucast':1308143},{'interface_tx':'Ethernet1/1','eth_outbytes':"
		"225239460,'eth_outucast':8286},{'interface_tx':'Ethernet1/2','eth_outbytes':"
		"1955299,'eth_outucast':0},{'interface_tx':'Ethernet1/1','eth_outmcast':2821973,"
		"'eth_outbcast':2},{'interface_tx':'Ethernet1/2','eth_outmcast':8870,"
		"'eth_outbcast':0}]}}");

	assert_true(value(o, "Ethernet1/1", "rx_bytes", 0) == 288825287);
	assert_true(value(o, "Ethernet1/1", "rx_packets", 0) == 73625 + 2805707 + 3);
	assert_true(value(o, "Ethernet1/1", "tx_packets", 0) == 8286 + 2821973 + 2);
	assert_true(value(o, "Ethernet1/2", "rx_packets", 0) == 8061);
	assert_true(value(o, "Ethernet1/2", "tx_bytes", 0) == 1955299);
	assert_false(has_port(o, "mgmt0"));
	obs_free(o);
}

/* The same: errors in three rows, a column that this release lacks. */
CASE(nxos_errors_in_three_rows)
{
	struct obs *o = decode_ssh("nxos", "errors",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'mgmt0','eth_align_err':0,"
		"'eth_fcs_err':0},{'interface':'Ethernet1/1','eth_align_err':0,'eth_fcs_err':4,"
		"'eth_xmit_err':2,'eth_rcv_err':15,'eth_undersize':0,'eth_outdisc':7},{'interface'"
		":'Ethernet1/1','eth_single_col':0,'eth_multi_col':0,'eth_late_col':0,"
		"'eth_excess_col':0,'eth_carri_sen':0,'eth_runts':0},{'interface':'Ethernet1/1',"
		"'eth_giants':15,'eth_deferred_tx':0,'eth_inmactx_err':0,'eth_inmacrx_err':0,"
		"'eth_symbol_err':0}]}}");

	assert_true(value(o, "Ethernet1/1", "rx_errors", 0) == 15);
	assert_true(value(o, "Ethernet1/1", "tx_errors", 0) == 2);
	assert_true(value(o, "Ethernet1/1", "rx_fcs_errors", 0) == 4);
	assert_true(value(o, "Ethernet1/1", "tx_discards", 0) == 7);
	assert_false(is_known(o, "Ethernet1/1", "rx_discards", 0));
	obs_free(o);
}

/* A library of a Cisco engineer: drops under another name, values that are null. */
CASE(nxos_queue_with_drops_of_two_kinds_in_one)
{
	struct obs *o = decode_ssh("nxos", "queuing",
		"{'TABLE_module':{'ROW_module':{'module_number':1,'TABLE_queuing_interface':{"
		"'ROW_queuing_interface':{'if_name_str':'Ethernet1/1 queuing information',"
		"'TABLE_qosgrp_egress_stats':{'ROW_qosgrp_egress_stats':[{'eq-qosgrp':'3',"
		"'TABLE_qosgrp_egress_stats_entry':{'ROW_qosgrp_egress_stats_entry':[{"
		"'eq-stat-type':'Tx','eq-stat-units':'Pkts','eq-uc-stat-value':'1000',"
		"'eq-mc-stat-value':'10'},{'eq-stat-type':'Tx','eq-stat-units':'Byts',"
		"'eq-uc-stat-value':'64000','eq-mc-stat-value':'640'},{'eq-stat-type':"
		"'WRED/AFD & Tail Drop','eq-stat-units':'Pkts','eq-uc-stat-value':'7',"
		"'eq-mc-stat-value':null},{'eq-stat-type':'ECN','eq-stat-units':'Pkts',"
		"'eq-uc-stat-value':'45','eq-mc-stat-value':null},{'eq-stat-type':'Q Depth',"
		"'eq-stat-units':'Byts','eq-uc-stat-value':'208','eq-mc-stat-value':null}]}},{"
		"'eq-qosgrp':'CONTROL QOS GROUP','TABLE_qosgrp_egress_stats_entry':{"
		"'ROW_qosgrp_egress_stats_entry':[{'eq-stat-type':'Tx','eq-stat-units':'Pkts',"
		"'eq-uc-stat-value':'99','eq-mc-stat-value':'0'}]}}]}}}}}}");

	assert_true(value(o, "Ethernet1/1", "queue_drops", 3) == 7);
	assert_true(value(o, "Ethernet1/1", "ecn_marked_packets", 3) == 45);
	assert_true(value(o, "Ethernet1/1", "queue_depth_bytes", 3) == 208);
	assert_true(value(o, "Ethernet1/1", "queue_tx_packets", 3) >= 1000);
	assert_false(is_known(o, "Ethernet1/1", "queue_tx_packets", 0));
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

/* The same library: active cables without sensors. */
CASE(nxos_cables_without_sensors)
{
	struct obs *o = decode_ssh("nxos", "optics",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','sfp':'present',"
		"'type':'QSFP-100G-AOC1M','name':'CISCO-FINISAR','partnum':'FCBN425QE1C01-C1',"
		"'rev':'D','serialnum':'FIW2031-A','nom_bitrate':'25500','ciscoid':'17',"
		"'cisco_part_number':'10-3172-01'},{'interface':'Ethernet1/2','sfp':'not present'}"
		"]}}");

	assert_non_null(strstr(word(o, "Ethernet1/1", ATTR_MEDIA), "AOC"));
	assert_string_equal(word(o, "Ethernet1/1", ATTR_MODULE_SN), "FIW2031-A");
	assert_false(is_known(o, "Ethernet1/1", "rx_power_dbm", 0));
	assert_false(is_known(o, "Ethernet1/1", "temperature_c", 0));
	obs_free(o);
}

/* ---- Cumulus ---- */

#define SEGMENT(name, more)                                                                        \
	"'" name "':{'df-preference':50000,'flags':{'bridge-port':'on','local':'on',"              \
	"'nexthop-group-active':'on','ready-for-bgp':'on'" more
#define ESI "03:44:38:39:be:ef:aa:00:00:0"

/* NVIDIA, NVUE reference, as JSON: served by both; and a dashboard's samples: alone; down. */
CASE(nvue_segments_by_their_flags)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "segments",
		"{" SEGMENT(ESI "1",
			",'oper-up':'on','remote':'on'},'local-interface':'bond1','mac-count':2,"
			"'nexthop-group-id':536870913,'remote-vtep':{'10.10.10.2':{'df-algorithm':"
			"'preference','df-preference':50000}},'vni-count':1},") SEGMENT(ESI "2",
			",'oper-up':'on','designated-forward':'on'},'local-interface':"
			"'bond2','mac-count':0,'remote-vtep':{}},")
			SEGMENT(ESI "3", ",'non-designated-forward':'on','remote':'on'},"
					 "'local-interface':'bond3','remote-vtep':{"
					 "'172.31.2.16':{}}}") "}");

	assert_string_equal(word(o, "bond1", ATTR_LAG_PAIR), "segment " ESI "1 up");
	assert_string_equal(word(o, "bond2", ATTR_LAG_PAIR), "segment " ESI "2 up alone");
	assert_string_equal(word(o, "bond3", ATTR_LAG_PAIR), "segment " ESI "3 down");
	obs_free(o);
}

/* A lab's scripts and a dashboard's tests: the JSON has frames, and only some of the classes. */
CASE(nvue_queues_as_json)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "qos",
		"{'swp1':{'counters':{'qos':{'egress-queue-stats':{'3':{'tx-frames':1000,"
		"'tx-bytes':64000,'tx-uc-buffer-discards':76993,'ecn-marked-frames':100,"
		"'wred-discards':5},'4':{'ecn-marked-frames':999999}},'pfc-stats':{'3':{"
		"'rx-pause-frames':200,'tx-pause-frames':300},'4':{'rx-pause-frames':999999}}}}}}");

	assert_true(value(o, "swp1", "queue_drops", 3) == 76993);
	assert_true(value(o, "swp1", "ecn_marked_packets", 3) == 100);
	assert_true(value(o, "swp1", "wred_drops", 3) == 5);
	assert_true(value(o, "swp1", "pfc_rx_frames", 3) == 200);
	assert_true(value(o, "swp1", "pfc_tx_frames", 3) == 300);
	assert_false(is_known(o, "swp1", "pfc_tx_frames", 4));
	assert_false(is_known(o, "swp1", "queue_drops", 4));
	obs_free(o);
}

/* The same lab: in text the count of frames has a unit of bytes: 76993 is "75.19 KB". */
CASE(nvue_frames_that_look_like_bytes)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "qos",
		"{'swp1':{'counters':{'qos':{'egress-queue-stats':{'3':{'tx-frames':1000,"
		"'tx-bytes':'62.50 KB','tx-uc-buffer-discards':'75.19 KB','wred-discards':0}}}}}}");

	assert_true(value(o, "swp1", "queue_drops", 3) > 76900);
	assert_true(value(o, "swp1", "queue_drops", 3) < 77100);
	obs_free(o);
}

/* A dashboard's test: the partner does not speak LACP (bypass); states as words only. */
CASE(cumulus_members_whose_state_is_a_list_of_words)
{
	struct obs *o = decode_ssh("cumulus", "lacp",
		"[{'ifname':'bond1','link_type':'ether','operstate':'UP','flags':['UP','LOWER_UP']"
		",'linkinfo':{'info_kind':'bond','info_data':{'mode':'802.3ad','ad_info':{"
		"'actor_key':33,'partner_key':33,'partner_mac':'d2:5d:45:00:1a:31'}}}},{'ifname':"
		"'swp18s1','link_type':'ether','operstate':'UP','flags':['UP','LOWER_UP'],'master'"
		":'bond1','linkinfo':{'info_slave_kind':'bond','info_slave_data':{'state':'ACTIVE'"
		",'mii_status':'UP','ad_actor_oper_port_state_str':['active','aggregating',"
		"'in_sync','collecting','distributing'],'ad_partner_oper_port_state_str':["
		"'active','aggregating','in_sync','collecting','distributing']}}},{'ifname':"
		"'swp18s2','link_type':'ether','operstate':'UP','flags':['UP','LOWER_UP'],"
		"'master':'bond1','linkinfo':{'info_slave_kind':'bond','info_slave_data':{'state':"
		"'ACTIVE','mii_status':'UP','ad_actor_oper_port_state_str':['active',"
		"'aggregating'],'ad_partner_oper_port_state_str':['active']}}}]");

	assert_string_equal(word(o, "swp18s1", ATTR_LAG_STATE), "active");
	/* It neither collects nor distributes. */
	assert_null(strstr(word(o, "swp18s2", ATTR_LAG_STATE), "active"));
	obs_free(o);
}

/* A switch maker's tests: readings with an alarm beside them, no bias, a temperature without a
 * blank. */
CASE(nvue_channels_with_alarms)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "optics",
		"{'swp1':{'identifier':'OSFP','temperature':{'temperature':'36.8C','alarm':'off'},"
		"'channel':{'channel-1':{'rx-power':{'power':'-1.0 dBm','alarm':'off',"
		"'alarm-severity':'none'},'tx-power':{'power':'-0.6 dBm','alarm':'off'},'rx-los':"
		"'False','tx-fault':'False'}}}}");

	expect_near(value(o, "swp1", "rx_power_dbm", 0), -1.0);
	expect_near(value(o, "swp1", "tx_power_dbm", 0), -0.6);
	expect_near(value(o, "swp1", "temperature_c", 0), 36.8);
	assert_false(is_known(o, "swp1", "tx_bias_ma", 0));
	obs_free(o);
}

/* The same: no errors are "0E-0", which is a measured zero. */
CASE(nvue_health_of_a_clean_link)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "phy",
		"{'swp1':{'link':{'phy':{'health':{'effective-ber':'0E-0','effective-errors':0,"
		"'lane':{'0':{'phy-raw-errors':0,'raw-ber':'0E-0'}},'phy-received-bits':"
		"34234234234,'raw-ber':'0E-0','symbol-ber':'0E-0','symbol-errors':0,"
		"'time-since-last-clear-min':12}}}},'swp2':{'link':{'phy':{'health':{"
		"'effective-ber':'15E-255','raw-ber':'2E-10','symbol-errors':3}}}}}");

	assert_true(value(o, "swp1", "pre_fec_ber", 0) == 0);
	assert_true(fabs(value(o, "swp2", "pre_fec_ber", 0) - 2e-10) < 1e-13);
	obs_free(o);
}

/* ---- Linux with FRR ---- */

/* tynany/frr_exporter 76: sessions over IPv6 with a description, peerState. */
CASE(frr_sessions_with_descriptions)
{
	struct obs *o = decode_ssh("linux", "sw-bgp",
		"@@begin 1\n1\n@@bgp\n{'default':{'ipv6Unicast':{'routerId':'10.0.0.1','as':211184,"
		"'vrfId':0,'vrfName':'default','peerCount':3,'peers':{'2001:db8::77':{'remoteAs':"
		"210387,'localAs':211184,'version':4,'msgRcvd':63692,'msgSent':55799,'peerUptime':"
		"'2d08h19m','peerUptimeMsec':202764000,'peerUptimeEstablishedEpoch':1657067787,"
		"'pfxRcd':1,'pfxSnt':1,'state':'Established','peerState':'OK',"
		"'connectionsEstablished':6,'connectionsDropped':5,'desc':'a peer','idType':'ipv6'"
		"},'2001:db8::78':{'remoteAs':47498,'localAs':211184,'version':4,'peerUptime':"
		"'2d08h19m','peerUptimeMsec':202767000,'pfxRcd':0,'pfxSnt':0,'state':"
		"'Established','peerState':'Policy','connectionsEstablished':4,"
		"'connectionsDropped':3,'idType':'ipv6'}}}}}\n@@end\n1\n");

	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(o->bgp.at[0].afi, BGP_IPV6);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[0].drops, 5);
	assert_int_equal(o->bgp.at[1].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[1].prefixes, 0);
	obs_free(o);
}

/* iproute2, the mailing list: a member in sync that neither collects nor distributes. */
CASE(linux_member_that_is_in_sync_only)
{
	struct obs *o = decode_ssh("linux", "sw-fast",
		"@@begin 1\n1\n@@link\n[{'ifname':'bond1','link_type':'ether','operstate':'UP',"
		"'flags':['UP','LOWER_UP'],'linkinfo':{'info_kind':'bond','info_data':{'mode':"
		"'802.3ad','min_links':0}}},{'ifname':'swp1','link_type':'ether','operstate':'UP',"
		"'flags':['UP','LOWER_UP'],'master':'bond1','linkinfo':{'info_slave_kind':'bond',"
		"'info_slave_data':{'state':'ACTIVE','mii_status':'UP','ad_actor_oper_port_state':"
		"15,'ad_actor_oper_port_state_str':['active','short_timeout','aggregating',"
		"'in_sync']}}}]\n@@end\n1\n");

	assert_null(strstr(word(o, "swp1", ATTR_LAG_STATE), "active"));
	assert_string_not_equal(word(o, "swp1", ATTR_LAG_STATE), "(none)");
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
