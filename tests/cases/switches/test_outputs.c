/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs of switches, rewritten small: names, addresses and numbers are invented, the
 * formats are the devices' own. The reading was written down before railtop saw the input: see
 * switches.md.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

static void expect_peer(const struct obs *o, const char *port, const char *peer)
{
	char text[160];

	assert_string_equal(lldp_of(at_port(o, port), text, sizeof(text)), peer);
}

static void expect_near(double got, double want)
{
	if (!(fabs(got - want) < 0.011))
		fail_msg("%g in place of %g", got, want);
}

static void expect_state(
	const struct obs *o, const char *port, const char *bundle, const char *state)
{
	assert_string_equal(attr_word(at_port(o, port), ATTR_BOND, 0), bundle);
	assert_string_equal(attr_word(at_port(o, port), ATTR_LAG_STATE, 0), state);
}

static const struct obs_bgp *session(const struct obs *o, const char *peer)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer))
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

/* ---- EOS ---- */

/* napalm 1153: a server names its port by its MAC, a Junos switch by a name in quotes. */
CASE(eos_neighbours_with_macs_and_quotes)
{
	struct obs *o = decode_ssh("eos", "lldp",
		"{'lldpNeighbors':{'Ethernet23/1':{'lldpNeighborInfo':[]},'Ethernet1/1':{"
		"'lldpNeighborInfo':[{'systemCapabilities':{'bridge':true,'router':true},"
		"'neighborInterfaceInfo':{'interfaceIdType':'macAddress','interfaceId':"
		"'1c34.da00.5413','interfaceDescription':'eth0','linkAggregationStatus':"
		"'capableAndEnabled','unknownTlvs':[]},'chassisId':'1c34.da00.5413','systemName':"
		"'node017','systemDescription':'Ubuntu 22.04','managementAddresses':[{'address':"
		"'10.0.0.17','addressType':'ipv4'}],'chassisIdType':'macAddress'}]},'Ethernet27/1':"
		"{'lldpNeighborInfo':[{'neighborInterfaceInfo':{'interfaceIdType':'interfaceName',"
		"'interfaceId':'\\'et-0/0/20\\'','interfaceDescription':'et-0/0/20',"
		"'maxFrameSize':9192},'chassisId':'fc66.1003.5413','systemName':'border1'}]}}}");

	expect_peer(o, "Ethernet1/1", "node017:eth0");
	expect_peer(o, "Ethernet27/1", "border1:et-0/0/20");
	expect_peer(o, "Ethernet23/1", ":");
	obs_free(o);
}

/* napalm 903: the chassis id has eleven digits. */
CASE(eos_neighbour_with_a_broken_chassis_id)
{
	struct obs *o = decode_ssh("eos", "lldp",
		"{'lldpNeighbors':{'Ethernet22':{'lldpNeighborInfo':[{'neighborInterfaceInfo':{"
		"'interfaceIdType':'macAddress','interfaceId':'000c.297b.d2a8',"
		"'interfaceDescription':'eth0'},'chassisId':'00c.297b.d2a8','systemName':"
		"'node022'}]}}}");

	expect_peer(o, "Ethernet22", "node022:eth0");
	obs_free(o);
}

/* napalm 1581 and 1604: four lanes beside sums over lanes; an empty cage. */
CASE(eos_optics_of_four_lanes_and_of_none)
{
	struct obs *o = decode_ssh("eos", "optics",
		"{'interfaces':{'Ethernet49/1':{'displayName':'Ethernet49/1','mediaType':"
		"'100GBASE-CWDM4','parameters':{'aggrRxPwr':{'channels':{'-':6.3},'unit':'dBm'},"
		"'rxPower':{'channels':{'1':0.5808,'2':-0.9566,'3':1.1072,'4':0.1519},'unit':"
		"'dBm'},'temperature':{'channels':{'-':43.855},'unit':'C'},'txBias':{'channels':{"
		"'1':34.256,'2':34.256,'3':34.256,'4':34.256},'unit':'mA'},'txPower':{'channels':{"
		"'1':-0.56,'2':-0.97,'3':-0.24,'4':-0.98},'unit':'dBm'},'voltage':{'channels':{'-':"
		"3.3251},'unit':'V'}},'updateTime':1646940176.4,'vendorSn':'SN1'},"
		"'Ethernet8':{'displayName':'Ethernet8'}}}");
	struct obs_port_ref p = at_port(o, "Ethernet49/1");

	expect_near(cell_value(p, "rx_power_dbm", 0), 0.58);
	expect_near(cell_value(p, "rx_power_dbm", 3), 0.15);
	expect_near(cell_value(p, "tx_power_dbm", 3), -0.98);
	expect_near(cell_value(p, "temperature_c", 0), 43.855);
	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "100GBASE-CWDM4");
	p = at_port(o, "Ethernet8");
	assert_int_equal(cell_validity(p, "rx_power_dbm", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "temperature_c", 0), VALID_UNSUPPORTED);
	obs_free(o);
}

/* napalm 1759: unnumbered sessions and AS numbers with a dot. */
CASE(eos_sessions_of_ports_with_dotted_numbers)
{
	struct obs *o = decode_ssh("eos", "bgp",
		"{'vrfs':{'default':{'routerId':'10.18.4.2','peers':{'fe80::a8c1:abff:fe0b:1%Et5':"
		"{'prefixReceived':2,'upDownTime':1664912777.1,'prefixAccepted':2,'peerState':"
		"'Established','asn':'65000.8'},'fe80::a8c1:abff:fe0b:2%Et2':{'peerState':'Active',"
		"'asn':'65002.2049','prefixAccepted':0}},'vrf':'default','asn':'65001.1026'}}}");

	assert_int_equal(o->bgp.n, 2);
	assert_int_equal(session(o, "fe80::a8c1:abff:fe0b:1%Et5")->remote_as, 4259840008u);
	assert_int_equal(session(o, "fe80::a8c1:abff:fe0b:1%Et5")->prefixes, 2);
	assert_int_equal(session(o, "fe80::a8c1:abff:fe0b:2%Et2")->state, BGP_ACTIVE);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 4259906562.0);
	obs_free(o);
}

/* An SNMP extension of Arista's: virtual output queues by traffic class, without sums. */
CASE(eos_virtual_output_queues)
{
	struct obs *o = decode_ssh("eos", "queues",
		"{'ingressVoqCounters':{'interfaces':{'Ethernet23/1':{'trafficClasses':{'TC3':{"
		"'droppedBytes':4096,'enqueuedPackets':700,'enqueuedBytes':716800,"
		"'droppedPackets':4},'TC0':{'droppedBytes':0,'enqueuedPackets':9,'enqueuedBytes':"
		"900,'droppedPackets':0}}}}}}");

	assert_true(cell_value(at_port(o, "Ethernet23/1"), "queue_drops", 3) == 4);
	assert_true(cell_value(at_port(o, "Ethernet23/1"), "queue_tx_packets", 3) == 700);
	obs_free(o);
}

/* goeapi: a queue's length as LANZ saw it, on a chassis. */
CASE(eos_queue_monitor)
{
	struct obs *o = decode_ssh("eos", "lanz",
		"{'reportTime':1700000060.5,'warnings':'','bytesPerTxmpSegment':0,"
		"'globalHitCount':3,'lanzEnabled':true,'platformName':'Sand','entryList':[{"
		"'entryTimeUsecs':1700000050000000,'entryTime':1700000050.0,'interface':"
		"'Ethernet24/1','duration':0,'durationUsecs':1000000,'entryType':'P',"
		"'queueLength':41904,'trafficClass':3,'ingressPortSet':['Et3/1','Et4/1']},{"
		"'entryTimeUsecs':1700000052000000,'entryTime':1700000052.0,'interface':"
		"'Ethernet24/1','durationUsecs':200,'entryType':'P','queueLength':900,"
		"'trafficClass':3,'ingressPortSet':[]}]}");

	assert_true(cell_value(at_port(o, "Ethernet24/1"), "queue_watermark_bytes", 3) == 41904);
	obs_free(o);
}

/* anta: the monitor is off. */
CASE(eos_queue_monitor_that_is_off)
{
	struct obs *o = decode_ssh("eos", "lanz", "{'lanzEnabled':false,'entryList':[]}");

	assert_int_equal(capability_of(o, "queue watermarks", NULL), VALID_DISABLED);
	obs_free(o);
}

/* An exporter of EOS: one leaf of a multihomed pair lost its link; the segment has one leg. */
CASE(eos_segment_on_one_leg)
{
	struct obs *o = decode_ssh("eos", "segments",
		"{'bgpEvpnInstances':{'VLAN-aware bundle TENANT':{'rd':'10.0.0.1:5','serviceIntf':"
		"'vlanAwareBundle','localVxlanIp':'10.1.0.1','ethernetSegments':{"
		"'0000:0000:0000:0001:0001':{'intf':'Port-Channel1','redundancyMode':'allActive',"
		"'state':'up','dFElectionAlgorithm':'modulus','dFPeer':{'ip':'10.1.0.1'},"
		"'nonDFPeers':[{'ip':'10.1.0.2'}],'forwardingPeers':[{'ip':'10.1.0.1'},{'ip':"
		"'10.1.0.2'}]},'0000:0000:0000:0001:0002':{'intf':'Port-Channel2',"
		"'redundancyMode':'allActive','state':'up','dFElectionAlgorithm':'modulus',"
		"'dFPeer':{'ip':'10.1.0.1'},'nonDFPeers':[],'forwardingPeers':[{'ip':'10.1.0.1'}"
		"]},'0000:0000:0000:0001:0003':{'intf':'Port-Channel3','redundancyMode':"
		"'allActive','state':'down','dFElectionState':'pending','dFPeer':{'ip':''},"
		"'nonDFPeers':[],'forwardingPeers':[]}}}}}");

	assert_string_equal(attr_word(at_port(o, "Port-Channel1"), ATTR_LAG_PAIR, 0),
		"segment 0000:0000:0000:0001:0001 up");
	assert_string_equal(attr_word(at_port(o, "Port-Channel2"), ATTR_LAG_PAIR, 0),
		"segment 0000:0000:0000:0001:0002 up alone");
	assert_string_equal(attr_word(at_port(o, "Port-Channel3"), ATTR_LAG_PAIR, 0),
		"segment 0000:0000:0000:0001:0003 down");
	obs_free(o);
}

/* ---- NX-OS ---- */

/* napalm 870 and its asdot case: empty rows beside full ones, a session that was shut. */
CASE(nxos_sessions_of_many_vrfs)
{
	struct obs *o = decode_ssh("nxos", "bgp",
		"{'TABLE_vrf':{'ROW_vrf':[{'vrf-name-out':'RED','vrf-router-id':'10.2.63.60',"
		"'vrf-local-as':'8.1201'},{'vrf-name-out':'RED','vrf-router-id':'10.2.63.60',"
		"'vrf-local-as':'8.1201','TABLE_af':{'ROW_af':[{'af-id':'1','TABLE_saf':{'ROW_saf':"
		"{'safi':1,'af-name':'IPv4 Unicast','TABLE_neighbor':{'ROW_neighbor':[{"
		"'neighborid':'10.1.1.177','neighboras':'64862','time':'P17DT7H42M42S','state':"
		"'Admin (Shut)','prefixreceived':'0'},{'neighborid':'10.1.1.179','neighboras':"
		"'8.1202','time':'6w3d','state':'Established','prefixreceived':'13'}]}}}},{'af-id':"
		"'2','TABLE_saf':{'ROW_saf':{'safi':1,'af-name':'IPv6 Unicast'}}}]}},{"
		"'vrf-name-out':'default','vrf-router-id':'10.55.8.1','vrf-local-as':'8.1201',"
		"'TABLE_af':{'ROW_af':[{'af-id':'25','TABLE_saf':{'ROW_saf':{'safi':'70',"
		"'af-name':'L2VPN EVPN','TABLE_neighbor':{'ROW_neighbor':{'neighborid':"
		"'10.55.8.134','neighboras':'64861','time':'22w4d','state':'Established',"
		"'prefixreceived':'9497'}}}}}]}}]}}");

	assert_int_equal(o->bgp.n, 3);
	assert_int_equal(session(o, "10.1.1.177")->state, BGP_ADMIN_DOWN);
	assert_true(session(o, "10.1.1.177")->since_s == 17 * 86400 + 7 * 3600 + 42 * 60 + 42);
	assert_int_equal(session(o, "10.1.1.179")->remote_as, 8 * 65536 + 1202);
	assert_true(session(o, "10.1.1.179")->since_s == 45 * 86400);
	assert_int_equal(session(o, "10.55.8.134")->afi, BGP_EVPN);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 8 * 65536 + 1201);
	obs_free(o);
}

/* napalm, admin_up_oper_down: "auto-speed" and a bandwidth that is a default. */
CASE(nxos_ports_without_a_link)
{
	struct obs *o = decode_ssh("nxos", "interface",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','state':'down',"
		"'admin_state':'up','eth_hw_addr':'2cc2.604f.feb2','eth_mtu':'1500','eth_bw':"
		"1000000,'eth_duplex':'auto','eth_speed':'auto-speed','eth_link_flapped':'never'},"
		"{'interface':'Ethernet1/2','state':'down','admin_state':'down','eth_bw':1000000,"
		"'eth_speed':'auto-speed'}]}}");

	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/2"), ATTR_ADMIN, 0), "down");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0)));
	obs_free(o);
}

/* A monitor's driver of NX-API: a module of one lane has its readings in its own row. */
CASE(nxos_module_whose_readings_are_in_its_row)
{
	struct obs *o = decode_ssh("nxos", "optics",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','sfp':'present',"
		"'type':'10Gbase-SR','name':'VENDOR','partnum':'PN-1','serialnum':'SN1',"
		"'temperature':'25.62','temp_flag':' ','temp_alrm_hi':'75.00','temp_alrm_lo':"
		"'-5.00','temp_warn_hi':'70.00','temp_warn_lo':'0.00','voltage':'3.29','volt_flag':"
		"' ','current':'6.31','current_flag':' ','tx_pwr':'-2.26','tx_pwr_flag':' ',"
		"'rx_pwr':'-14.55','rx_pwr_flag':'--','rx_pwr_alrm_hi':'2.00','rx_pwr_alrm_lo':"
		"'-13.90','rx_pwr_warn_hi':'-1.00','rx_pwr_warn_lo':'-9.90','xmit_faults':'0'}]}}");
	struct obs_port_ref p = at_port(o, "Ethernet1/1");

	expect_near(cell_value(p, "rx_power_dbm", 0), -14.55);
	expect_near(cell_value(p, "tx_power_dbm", 0), -2.26);
	expect_near(cell_value(p, "tx_bias_ma", 0), 6.31);
	expect_near(cell_value(p, "temperature_c", 0), 25.62);
	expect_near(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM), -13.9);
	obs_free(o);
}

/* A parser's sample: copper without readings, then lanes whose flags are null. */
CASE(nxos_modules_with_and_without_readings)
{
	struct obs *o = decode_ssh("nxos", "optics",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'Ethernet1/1','sfp':'present',"
		"'type':'QSFP-100G-CR4','serialnum':'SN2','cisco_id':'17'},{'interface':"
		"'Ethernet1/2','sfp':'present','type':'SFP-H25G-SR','TABLE_lane':{'ROW_lane':{"
		"'temperature':'31.10','temp_flag':null,'volt_flag':null,'voltage':'3.28',"
		"'current':'6.49','current_flag':null,'tx_pwr':'-1.78','tx_pwr_flag':null,"
		"'rx_pwr':'-1.24','rx_pwr_flag':null,'rx_pwr_alrm_lo':'-14.10','rx_pwr_alrm_hi':"
		"'3.40','xmit_faults':'0'}}},{'interface':'Ethernet1/3','sfp':'not present'},{"
		"'interface':'Ethernet1/4','sfp':'not applicable'}]}}");

	assert_int_equal(
		cell_validity(at_port(o, "Ethernet1/1"), "rx_power_dbm", 0), VALID_UNSUPPORTED);
	expect_near(cell_value(at_port(o, "Ethernet1/2"), "rx_power_dbm", 0), -1.24);
	assert_int_equal(
		cell_validity(at_port(o, "Ethernet1/4"), "rx_power_dbm", 0), VALID_UNKNOWN);
	obs_free(o);
}

/* A storage monitor's sample: a neighbour of the management port; one with few fields. */
CASE(nxos_neighbours_at_the_management_port)
{
	struct obs *o = decode_ssh("nxos", "lldp",
		"{'TABLE_nbor_detail':{'ROW_nbor_detail':[{'chassis_type':'4','chassis_id':"
		"'0200.0000.7fef','port_type':'7','port_id':'e0M','l_port_id':'mgmt0','sys_name':"
		"'filer1','sys_desc':'storage','ttl':114,'mgmt_addr':'10.0.0.5'},{'l_port_id':"
		"'Eth1/1','sys_name':'border2','port_id':'ethernet1/2','mgmt_addr':'10.0.0.4'}]}}");

	assert_false(has_port(o, "mgmt0"));
	expect_peer(o, "Ethernet1/1", "border2:ethernet1/2");
	obs_free(o);
}

/* A monitor of NX-OS: the settings of both switches differ, which suspends bundles. */
CASE(nxos_pair_with_settings_that_differ)
{
	struct obs *o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':'10','vpc-peer-status':'peer-ok','vpc-peer-keepalive-status':"
		"'peer-alive','vpc-peer-consistency':'inconsistent','vpc-per-vlan-peer-consistency'"
		":'consistent','vpc-peer-consistency-status':'vPC type-1 configuration "
		"incompatible - STP Mode inconsistent','vpc-role':'secondary','TABLE_peerlink':{"
		"'ROW_peerlink':{'peer-link-id':'1','peerlink-ifindex':'Po1','peer-link-port-state'"
		":'1'}},'TABLE_vpc':{'ROW_vpc':[{'vpc-id':'10','vpc-ifindex':'Po10',"
		"'vpc-port-state':'0','vpc-consistency':'inconsistent'}]}}");

	assert_non_null(strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "state=down"));
	assert_non_null(strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "why=peer-inconsistent"));
	assert_string_equal(attr_word(at_port(o, "port-channel10"), ATTR_LAG_PAIR, 0),
		"vpc 10 down inconsistent");
	obs_free(o);
}

/* A validation tool: rows without members; a member table that is missing. */
CASE(nxos_bundle_without_members)
{
	struct obs *o = decode_ssh("nxos", "lag",
		"{'TABLE_channel':{'ROW_channel':[{'group':'5','port-channel':'port-channel5',"
		"'layer':'R','status':'D','type':'Eth','prtcl':'NONE'},{'group':'6',"
		"'port-channel':'port-channel6','layer':'R','status':'U','type':'Eth','prtcl':"
		"'LACP','TABLE_member':{'ROW_member':[{'port':'Ethernet1/7','port-status':'P'}]}}"
		"]}}");

	assert_string_equal(attr_word(at_port(o, "port-channel5"), ATTR_OPER, 0), "down");
	expect_state(o, "Ethernet1/7", "port-channel6", "active");
	obs_free(o);
}

/* genieparser 297, the legend of a newer release: delayed LACP, and a member that waits for BFD. */
CASE(nxos_flags_of_newer_releases)
{
	struct obs *o = decode_ssh("nxos", "lag",
		"{'TABLE_channel':{'ROW_channel':{'group':'7','port-channel':'port-channel7',"
		"'status':'U','prtcl':'LACP','TABLE_member':{'ROW_member':[{'port':'Ethernet1/8',"
		"'port-status':'p'},{'port':'Ethernet1/9','port-status':'b'}]}}}}");

	expect_state(o, "Ethernet1/8", "port-channel7", "active: without LACP, delayed");
	expect_state(o, "Ethernet1/9", "port-channel7", "suspended: waits for its BFD session");
	obs_free(o);
}

/* ---- SONiC ---- */

#define LAGS_BEGIN                                                                                 \
	"{'df':['temperature'],'lf':[],'cf':[],'ports':{'Ethernet0':{},'Ethernet4':{}},'lags':{"

/* sonic-buildimage 7367: after shutdown and startup one member stays deselected. */
CASE(sonic_member_that_stays_deselected)
{
	struct obs *o = decode_ssh("sonic", "optics",
		LAGS_BEGIN "'PortChannel0001':{'c':['1','up'],'s':'up','r':'true','m':{"
			   "'Ethernet0':['enabled','true','true','current'],'Ethernet4':["
			   "'disabled','true','false','current']}}}}");

	expect_state(o, "Ethernet0", "PortChannel0001", "active");
	expect_state(o, "Ethernet4", "PortChannel0001", "suspended");
	obs_free(o);
}

/* sonic-buildimage 2066, 2882: the bundle was shut, its members are still selected. */
CASE(sonic_bundle_that_was_shut)
{
	struct obs *o = decode_ssh("sonic", "optics",
		LAGS_BEGIN "'PortChannel0001':{'c':['1','down'],'s':'down','r':'true','m':{"
			   "'Ethernet0':['enabled','true','true','current'],'Ethernet4':["
			   "'enabled','true','true','current']}}}}");

	assert_string_equal(attr_word(at_port(o, "PortChannel0001"), ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(at_port(o, "PortChannel0001"), ATTR_ADMIN, 0), "down");
	obs_free(o);
}

/* sonic-buildimage 4070: "Ethernet48(S*)": selected, and the switch has not taken it. */
CASE(sonic_member_that_is_not_synced)
{
	struct obs *o = decode_ssh("sonic", "optics",
		LAGS_BEGIN "'PortChannel0020':{'c':[null,'up'],'s':'down','m':{'Ethernet0':["
			   "'disabled','true','true','current']}}}}");

	expect_state(o, "Ethernet0", "PortChannel0020",
		"suspended: selected, and disabled in the switch");
	assert_string_equal(attr_word(at_port(o, "PortChannel0020"), ATTR_OPER, 0), "down");
	obs_free(o);
}

/* sonic-buildimage 7555: fallback: one member works without LACP from the peer. */
CASE(sonic_fallback_member)
{
	struct obs *o = decode_ssh("sonic", "optics",
		LAGS_BEGIN "'PortChannel01':{'c':['1','up'],'s':'up','m':{'Ethernet0':["
			   "'enabled','true','true','defaulted'],'Ethernet4':['disabled','true',"
			   "'false','defaulted']}}}}");

	expect_state(o, "Ethernet0", "PortChannel01", "active");
	expect_state(
		o, "Ethernet4", "PortChannel01", "suspended: no LACP from the peer, defaulted");
	obs_free(o);
}

/* SONiC 213: limits that are nonsense: the alarms are one number, the warnings minus infinity. */
CASE(sonic_limits_that_mean_nothing)
{
	struct obs *o = decode_ssh("sonic", "modules",
		"{'t':['1','0'],'n':1,'xf':['type','serial'],'tf':['rxpowerlowalarm',"
		"'rxpowerlowwarning','rxpowerhighwarning','rxpowerhighalarm','txbiaslowalarm',"
		"'txbiaslowwarning','txbiashighwarning','txbiashighalarm'],'ports':{'Ethernet0':{"
		"'x':['SFP','SN1'],'h':['-0.8492','-inf','-inf','-0.8492','0.0','39.488','40.586',"
		"'0.0']}}}");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM)));
	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN)));
	assert_true(isnan(attr_number(p, ATTR_TX_BIAS_LIMIT, LIMIT_LOW_WARN)));
	obs_free(o);
}

/* The same kind elsewhere: the alarms are sensible, a warning lies outside of them. */
CASE(sonic_warning_outside_of_its_alarms)
{
	struct obs *o = decode_ssh("sonic", "modules",
		"{'t':['1','0'],'n':1,'xf':['type'],'tf':['rxpowerlowalarm','rxpowerlowwarning',"
		"'rxpowerhighwarning','rxpowerhighalarm'],'ports':{'Ethernet0':{'x':['SFP'],'h':["
		"'-14.0','0.0','0.0','2.0']}}}");
	struct obs_port_ref p = at_port(o, "Ethernet0");

	expect_near(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM), -14);
	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_WARN)));
	assert_true(isnan(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN)));
	obs_free(o);
}

/* sonic-buildimage 12159: an active optical cable. */
CASE(sonic_active_cable)
{
	struct obs *o = decode_ssh("sonic", "modules",
		"{'t':['1','0'],'n':1,'xf':['type','serial','model','specification_compliance'],"
		"'tf':[],'ports':{'Ethernet0':{'x':['QSFP28 or later','SN1','MFA1A00-C003',"
		"'{`Extended Specification compliance`: `100G AOC (Active Optical Cable) or "
		"25GAUI C2M AOC`}'],'h':[]}}}");

	assert_null(strstr(attr_word(at_port(o, "Ethernet0"), ATTR_MEDIA, 0), "AUI"));
	obs_free(o);
}

/* sonic-buildimage 23545: a list of addresses; a port's name with subtype local. */
CASE(sonic_neighbour_with_two_addresses)
{
	struct obs *o = decode_ssh("sonic", "optics",
		"{'df':['temperature'],'cf':[],'lf':['lldp_rem_sys_name','lldp_rem_port_id',"
		"'lldp_rem_port_desc','lldp_rem_port_id_subtype','lldp_rem_man_addr',"
		"'lldp_rem_sys_desc','lldp_rem_chassis_id'],'ports':{'Ethernet102':{'l':['spine2',"
		"'Ethernet102','Eth1/13/7','7','10.59.143.6,fe80::82ba:16ff:fe00:2d34',"
		"'SONiC Software Version','80:ba:16:00:2d:34']}}}");

	expect_peer(o, "Ethernet102", "spine2:Ethernet102");
	assert_string_equal(attr_word(at_port(o, "Ethernet102"), ATTR_LLDP_MGMT, 0), "10.59.143.6");
	obs_free(o);
}

/* ---- lldpd and FRR ---- */

#define SW_LINK                                                                                    \
	"@@begin "                                                                                 \
	"1\n1\n@@link\n[{'ifname':'swp1','link_type':'ether','operstate':'UP','flags':['UP'"       \
	"]},{'ifname':'swp2','link_type':'ether','operstate':'UP','flags':['UP']},{'ifname':"      \
	"'bond1','link_type':'ether','operstate':'UP','flags':['UP'],'linkinfo':{'info_kind':"     \
	"'bond','info_data':{'mode':'802.3ad','min_links':1}}}]\n"

/* lldpd 372: a neighbour of which only a MAC and an index are known; one with a local chassis. */
CASE(lldpd_index_and_local_chassis)
{
	struct obs *o = decode_ssh("linux", "sw-lldp",
		SW_LINK
		"@@lldp\n{'lldp':[{'interface':[{'name':'swp1','via':'LLDP','rid':'2','age':"
		"'0 day, 00:00:08','chassis':[{'id':[{'type':'mac','value':'a4:8c:db:6a:09:00'}]}],"
		"'port':[{'id':[{'type':'local','value':'34'}],'ttl':[{'value':'120'}]}]},{'name':"
		"'swp2','via':'LLDP','chassis':[{'id':[{'type':'local','value':'J3008H7M'}],'name':"
		"[{'value':'controller-2'}],'mgmt-ip':[{'value':'10.0.0.111'},{'value':"
		"'fe80::1'}]}],'port':[{'id':[{'type':'mac','value':'00:0c:29:aa:00:01'}],'descr':"
		"[{'value':'ens224'}]}]}]}]}\n@@end\n1\n");

	expect_peer(o, "swp1", "a4:8c:db:6a:09:00:34");
	expect_peer(o, "swp2", "controller-2:ens224");
	obs_free(o);
}

/* lldpd 348: two NICs of one chassis, each with a system name of its own. */
CASE(lldpd_two_names_of_one_chassis)
{
	struct obs *o = decode_ssh("linux", "sw-lldp",
		SW_LINK
		"@@lldp\n{'lldp':{'interface':[{'swp1':{'via':'LLDP','rid':'1','chassis':{'node7a'"
		":{'id':{'type':'mac','value':'02:cd:ef:01:23:45'}}},'port':{'id':{'type':'ifname',"
		"'value':'nic1'},'ttl':'120'}}},{'swp2':{'via':'LLDP','rid':'1','chassis':{'node7b'"
		":{'id':{'type':'mac','value':'02:cd:ef:01:23:45'}}},'port':{'id':{'type':'ifname',"
		"'value':'nic2'},'ttl':'120'}}}]}}\n@@end\n1\n");

	expect_peer(o, "swp1", "node7a:nic1");
	expect_peer(o, "swp2", "node7b:nic2");
	obs_free(o);
}

/*
 * frr 8984: a bond that two switches serve; frr's source: one that only this one serves. The state
 * is not printed: a bond that is down is listed like this too.
 */
CASE(frr_segments)
{
	struct obs *o = decode_ssh("linux", "sw-bgp",
		"@@begin 1\n1\n@@bgp\n{}\n@@segments\n[{'esi':'03:00:50:56:9e:e7:11:00:00:01',"
		"'flags':['local','remote','nonDF'],'accessPort':'bond0','vteps':[{'vtep':"
		"'10.1.11.11','dfAlgorithm':'preference','dfPreference':32767,'nexthopId':"
		"268435460}]},{'esi':'03:00:50:56:9e:e7:11:00:00:02','flags':['local'],"
		"'accessPort':'bond1'},{'esi':'03:00:50:56:9e:e7:11:00:00:03','flags':['remote'],"
		"'vteps':[{'vtep':'10.1.1.1'}]}]\n@@end\n1\n");

	assert_string_equal(attr_word(at_port(o, "bond0"), ATTR_LAG_PAIR, 0),
		"segment 03:00:50:56:9e:e7:11:00:00:01 unknown");
	assert_string_equal(attr_word(at_port(o, "bond1"), ATTR_LAG_PAIR, 0),
		"segment 03:00:50:56:9e:e7:11:00:00:02 unknown alone");
	obs_free(o);
}

/* ---- hosts ---- */

/* netdata 19375: a module whose fibre was pulled, and a copper cable. */
CASE(host_module_without_light)
{
	struct obs *o = decode_ssh("linux", "optics",
		"@@begin 1\n1764000000100000000\n@@map\nmlx5_0/ports/1/gid_attrs/ndevs/0:eth0\n"
		"mlx5_0/device/net/eth0\n@@ports\nmlx5_0/ports/1/state:4: ACTIVE\n@@module eth0\n"
		"\tIdentifier                                : 0x03 (SFP)\n"
		"\tTransceiver type                          : 10G Ethernet: 10G Base-LR\n"
		"\tVendor SN                                 : SN0001\n"
		"\tLaser bias current                        : 28.500 mA\n"
		"\tLaser output power                        : 0.5610 mW / -2.51 dBm\n"
		"\tReceiver signal average optical power     : 0.0001 mW / -40.00 dBm\n"
		"\tModule temperature                        : 41.12 degrees C / 106.02 degrees F\n"
		"\tModule voltage                            : 3.3186 V\n"
		"@@end\n1764000000900000000\n");

	assert_true(cell_value(at_port(o, "mlx5_0"), "rx_power_dbm", 0) <= -30);
	expect_near(cell_value(at_port(o, "mlx5_0"), "tx_power_dbm", 0), -2.51);
	expect_near(cell_value(at_port(o, "mlx5_0"), "temperature_c", 0), 41.12);
	obs_free(o);
}

/* ---- Cumulus ---- */

/* The manual: counters with their unit; a bond that both switches of a pair serve, and one alone.
 */
CASE(cumulus_counters_with_units_and_bonds_of_a_pair)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "interfaces",
		"{'swp1':{'link':{'auto-negotiate':'off','duplex':'full','speed':'1G','fec':'auto',"
		"'mtu':9216,'state':{'up':{}},'stats':{'carrier-transitions':4,'in-bytes':"
		"'300 Bytes','in-drops':5,'in-errors':0,'in-pkts':5,'out-bytes':'1.44 MB',"
		"'out-drops':0,'out-errors':0,'out-pkts':17586}},'type':'swp'}}");

	assert_true(cell_value(at_port(o, "swp1"), "rx_bytes", 0) == 300);
	assert_true(attr_number(at_port(o, "swp1"), ATTR_SPEED_MBPS, 0) == 1000);
	obs_free(o);
	o = decode_text("cumulus", TRANSPORT_HTTPS, "bonds",
		"{'bond1':{'bond':{'down-delay':0,'lacp-bypass':'off','lacp-rate':'fast','member':{"
		"'swp1':{}},'mlag':{'enable':'on','id':1,'status':'dual','peer-interface':'bond1'},"
		"'mode':'lacp'}},'bond2':{'bond':{'member':{'swp2':{}},'mlag':{'enable':'on','id':"
		"2,'status':'single'},'mode':'lacp'}}}");
	assert_string_equal(attr_word(at_port(o, "bond1"), ATTR_LAG_PAIR, 0), "mlag 1 dual");
	assert_string_equal(attr_word(at_port(o, "bond2"), ATTR_LAG_PAIR, 0), "mlag 2 alone");
	obs_free(o);
}

/* Over SSH: the kernel has LACP's state, which NVUE has not. */
CASE(cumulus_bonds_over_ssh)
{
	struct obs *o = decode_ssh("cumulus", "lacp",
		"[{'ifname':'swp1','link_type':'ether','operstate':'UP','flags':['UP','LOWER_UP'],"
		"'master':'bond1','linkinfo':{'info_slave_kind':'bond','info_slave_data':{'state':"
		"'ACTIVE','mii_status':'UP','ad_actor_oper_port_state':63}}},{'ifname':'swp2',"
		"'link_type':'ether','operstate':'UP','flags':['UP','LOWER_UP'],'master':'bond1',"
		"'linkinfo':{'info_slave_kind':'bond','info_slave_data':{'state':'BACKUP',"
		"'mii_status':'UP','ad_actor_oper_port_state':69}}},{'ifname':'bond1','link_type':"
		"'ether','operstate':'UP','linkinfo':{'info_kind':'bond','info_data':{'mode':"
		"'802.3ad','min_links':1}}}]");

	expect_state(o, "swp1", "bond1", "active");
	expect_state(o, "swp2", "bond1", "suspended: no LACP from the peer, defaulted");
	assert_string_equal(attr_word(at_port(o, "bond1"), ATTR_OPER, 0), "up");
	assert_int_equal(capability_of(o, "bundles", NULL), VALID_OK);
	obs_free(o);
}

/* The manual, "nv show mlag": the pair of switches, whole and without its peer. */
CASE(cumulus_pair)
{
	struct obs *o = decode_ssh("cumulus", "mlag",
		"{'backup':{'10.0.0.2':{'vrf':'mgmt'}},'enable':'on','mac-address':"
		"'44:38:39:be:ef:aa','peer-ip':'fe80::1','priority':1000,'backup-active':true,"
		"'local-id':'48:b0:2d:00:00:01','local-role':'primary','peer-alive':true,"
		"'peer-interface':'peerlink.4094','peer-role':'secondary'}");

	assert_non_null(strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "kind=mlag state=ok"));
	obs_free(o);
	o = decode_ssh("cumulus", "mlag",
		"{'enable':'on','backup-active':true,'local-role':'primary','peer-alive':'False',"
		"'peer-interface':'peerlink.4094'}");
	assert_non_null(strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "state=down"));
	obs_free(o);
}

/* ---- not looked at while the code was written ---- */

/* An event script for vPC: the peer link is down, the keepalive answers. */
CASE(unseen_vpc_without_its_peer_link)
{
	struct obs *o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':'1','vpc-peer-status':'peer-link-down','vpc-peer-status-reason':"
		"'SYSERR_MCECM_PEER_UNRCH','vpc-peer-keepalive-status':'peer-alive',"
		"'vpc-peer-consistency':'consistent','vpc-per-vlan-peer-consistency':'consistent',"
		"'vpc-peer-consistency-status':'SUCCESS','vpc-type-2-consistency':'consistent',"
		"'vpc-type-2-consistency-status':'SUCCESS','vpc-role':'secondary-primary',"
		"'num-of-vpcs':'1','TABLE_peerlink':{'ROW_peerlink':{'peer-link-id':'1',"
		"'peerlink-ifindex':'Po100','peer-link-port-state':'0'}}}");

	assert_string_equal(attr_word(at_port(o, NULL), ATTR_PAIR, 0),
		"kind=vpc state=split domain=1 link=port-channel100 why=peer-link-down");
	obs_free(o);
}

/* A topology tool's sample of NX-OS: the bundle's row has no status. */
CASE(unseen_bundle_without_a_status)
{
	struct obs *o = decode_ssh("nxos", "lag",
		"{'TABLE_channel':{'ROW_channel':{'group':'10','port-channel':'Po10',"
		"'TABLE_member':{'ROW_member':[{'port':'Eth1/1','port-status':'P'},{'port':"
		"'Eth1/2','port-status':'P'}]}}}}");

	expect_state(o, "Ethernet1/2", "port-channel10", "active");
	assert_string_equal(attr_word(at_port(o, "port-channel10"), ATTR_OPER, 0), "(none)");
	obs_free(o);
}

/* frr 7594: shut by an operator; frr 2567: too many prefixes, in an old release; SONiC 188: never.
 */
CASE(unseen_frr_sessions_that_are_not_up)
{
	struct obs *o = decode_ssh("linux", "sw-bgp",
		"@@begin 1\n1\n@@bgp\n{'default':{'ipv4Unicast':{'routerId':'192.168.3.2','as':200,"
		"'vrfId':0,'vrfName':'default','peerCount':3,'peers':{'192.168.0.1':{'hostname':"
		"'exit1','remoteAs':100,'version':4,'peerUptime':'00:00:09','peerUptimeMsec':9000,"
		"'pfxRcd':0,'pfxSnt':0,'state':'Idle (Admin)','connectionsEstablished':1,"
		"'connectionsDropped':1,'idType':'ipv4'},'192.168.0.2':{'hostname':'lab1',"
		"'remoteAs':1000,'peerUptime':'00:00:05','peerUptimeMsec':5000,"
		"'prefixReceivedCount':3,'state':'Idle (PfxCt)','idType':'ipv4'},'192.168.0.3':{"
		"'remoteAs':65100,'peerUptime':'never','peerUptimeMsec':0,'prefixReceivedCount':0,"
		"'state':'Idle','idType':'ipv4'}},'totalPeers':3,'dynamicPeers':0}}}\n@@end\n1\n");

	assert_int_equal(session(o, "192.168.0.1")->state, BGP_ADMIN_DOWN);
	assert_int_equal(session(o, "192.168.0.1")->drops, 1);
	assert_int_equal(session(o, "192.168.0.2")->state, BGP_IDLE);
	assert_int_equal(session(o, "192.168.0.3")->state, BGP_IDLE);
	assert_true(isnan(session(o, "192.168.0.3")->since_s));
	obs_free(o);
}

/* ntc-templates 2350: a member without a link; an agent's sample: since when a member is out. */
CASE(unseen_eos_member_without_a_link)
{
	struct obs *o = decode_ssh("eos", "fast",
		"{'interfaces':{'Ethernet50':{'lineProtocolStatus':'down','interfaceStatus':"
		"'notconnect','bandwidth':10000000000,'mtu':9214,'physicalAddress':"
		"'98:5d:82:b8:fb:27','interfaceMembership':'Member of Port-Channel1',"
		"'interfaceCounters':{'inOctets':0,'outOctets':0,'linkStatusChanges':3,"
		"'inUcastPkts':0}}}}");

	assert_string_equal(attr_word(at_port(o, "Ethernet50"), ATTR_OPER, 0), "down");
	assert_string_equal(attr_word(at_port(o, "Ethernet50"), ATTR_ADMIN, 0), "up");
	obs_free(o);
	o = decode_ssh("eos", "lag",
		"{'portChannels':{'Port-Channel1':{'recircFeature':[],'fallbackState':"
		"'unconfigured','minSpeed':'0 gbps','minLinks':0,'currWeight':1,'maxWeight':16,"
		"'inactivePorts':{'Ethernet50':{'reasonUnconfigured':'waiting for LACP response',"
		"'timeBecameInactive':0.0}},'activePorts':{'Ethernet49':{'protocol':'lacp',"
		"'weight':0,'timeBecameActive':1611592834.8,'lacpMode':'active'}},'inactiveLag':"
		"false}}}");
	expect_state(o, "Ethernet50", "Port-Channel1", "suspended: waiting for LACP response");
	assert_string_equal(attr_word(at_port(o, "Port-Channel1"), ATTR_OPER, 0), "up");
	obs_free(o);
}

/* sonic-buildimage 23006: an active cable, application 8; sonic-utilities 1081: copper. */
CASE(unseen_sonic_cables)
{
	struct obs *o = decode_ssh("sonic", "modules",
		"{'t':['1','0'],'n':2,'xf':['type','model','specification_compliance'],'tf':[],"
		"'ports':{'Ethernet288':{'x':['OSFP 8X Pluggable Transceiver','AEC-1','N/A'],'h':"
		"[],'a':'`host_electrical_interface_id`: `100GAUI-2 C2M (Annex 135G)`, "
		"`module_media_interface_id`: `Active Cable assembly with BER < 10^-6`, "
		"`host_lane_count`: 2, `host_lane_assignment_options`: 85'},'Ethernet8':{'x':["
		"'QSFP+ or later','1110402104','{`10/40G Ethernet Compliance Code`: `40GBASE-CR4`, "
		"`Fibre Channel Speed`: `1200 Mbytes/Sec`}'],'h':[]}}}");

	assert_null(strstr(attr_word(at_port(o, "Ethernet288"), ATTR_MEDIA, 0), "AUI"));
	assert_non_null(strstr(attr_word(at_port(o, "Ethernet8"), ATTR_MEDIA, 0), "40GBASE-CR4"));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
