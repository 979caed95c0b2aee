/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs of NX-OS switches, by CLI and DME. The reading of each
 * was written down before the first run: see switches.md. Names, addresses and numbers are
 * invented, the formats are the devices' own.
 */
#include <math.h>
#include <string.h>

#include "tests/cases/switches/readings.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

/* genieparser 945, 839, 445, 242: reasons of ports, a fabric extender's, mgmt0, nve1. */
CASE(nxos_ports_that_are_down_for_a_reason)
{
	struct obs *o = decode_ssh("nxos", "brief",
		"{'TABLE_interface':{'ROW_interface':[{'interface':'mgmt0','state':'up','ip_addr':"
		"'192.168.0.52','speed':'1000','mtu':'9000'},{'interface':'Ethernet1/11','vlan':"
		"'trunk','type':'eth','portmode':'trunk','state':'down','state_rsn_desc':"
		"'vpcCmpFai','speed':'10G','ratemode':'D'},{'interface':'Ethernet1/33','vlan':"
		"'1','type':'eth','portmode':'access','state':'down','state_rsn_desc':"
		"'xcvrSpeed','speed':'auto'},{'interface':'Ethernet199/1/2','vlan':'1','type':"
		"'eth','portmode':'access','state':'down','state_rsn_desc':"
		"'Disabled by Server Mgr','speed':'auto'},{'interface':'Ethernet1/51','state':"
		"'down','state_rsn_desc':'Link not connected','speed':'auto'},{'interface':"
		"'nve1','state':'up','mtu':'9216'}]}}");

	assert_string_equal(reading_word(o, "Ethernet1/11", ATTR_OPER), "down");
	assert_string_equal(reading_word(o, "Ethernet1/11", ATTR_DOWN_REASON), "vpcCmpFai");
	assert_string_equal(reading_word(o, "Ethernet1/33", ATTR_DOWN_REASON), "xcvrSpeed");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/33"), ATTR_SPEED_MBPS, 0)));
	assert_string_equal(
		reading_word(o, "Ethernet199/1/2", ATTR_DOWN_REASON), "Disabled by Server Mgr");
	assert_string_equal(reading_word(o, "Ethernet1/51", ATTR_OPER), "down");
	assert_false(has_port(o, "nve1"));
	assert_false(has_port(o, "mgmt0"));
	obs_free(o);
}

/* ntc-templates 1167: neighbours of a modular switch, and one at mgmt0. */
CASE(nxos_neighbours_of_a_modular_switch)
{
	struct obs *o = decode_ssh("nxos", "lldp",
		"{'TABLE_nbor_detail':{'ROW_nbor_detail':[{'chassis_type':'4','chassis_id':"
		"'0000.0000.0000','port_type':'5','port_id':'Gi1/0/37','l_port_id':'mgmt0',"
		"'port_desc':'key:Te1/0/37:r1:mgmt0','sys_name':'dcx3.org.local','mgmt_addr':"
		"'192.168.100.100'},{'chassis_type':'7','chassis_id':'0000.0000.0000','port_type':"
		"'7','port_id':'Eth3/13','l_port_id':'Eth3/13','port_desc':'Ethernet3/13',"
		"'sys_name':'r2-services','sys_desc':'Cisco NX-OS(tm) n7700','ttl':'90',"
		"'mgmt_addr':'192.168.100.100','mgmt_addr_ipv6':'not advertised','vlan_id':'1'},{"
		"'chassis_type':'4','chassis_id':'0000.0000.0001','port_type':'5','port_id':"
		"'Management1','l_port_id':'Eth3/14','port_desc':'L: OOB Management','sys_name':"
		"'HOST-1'}]}}");

	expect_peer(o, "Ethernet3/13", "r2-services:Eth3/13");
	expect_peer(o, "Ethernet3/14", "HOST-1:Management1");
	assert_false(has_port(o, "mgmt0"));
	obs_free(o);
}

/* An exporter reads the bundle's name from either of two fields. */
CASE(nxos_bundle_with_the_other_name_of_a_field)
{
	struct obs *o = decode_ssh("nxos", "lag",
		"{'TABLE_channel':{'ROW_channel':[{'group':'7','port_channel':'port-channel7',"
		"'layer':'S','status':'U','type':'Eth','prtcl':'LACP','TABLE_member':{"
		"'ROW_member':[{'port':'Ethernet1/7','port-status':'P'},{'port':'Ethernet1/8',"
		"'port-status':'s'}]}}]}}");

	assert_string_equal(reading_word(o, "port-channel7", ATTR_OPER), "up");
	expect_state(o, "Ethernet1/7", "active");
	expect_state(o, "Ethernet1/8", "suspended");
	obs_free(o);
}

/* A driver's fixture: other names for the same fields of vPC. */
CASE(nxos_vpc_with_other_names)
{
	struct obs *o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':1,'vpc-role':'primary','vpc-peer-status':"
		"'peer adjacency formed ok','vpc-peer-keepalive-status':'peer is alive',"
		"'vpc-peer-link-status':'up','vpc-peer-link-port-channel':'Po1','TABLE_vpc':{"
		"'ROW_vpc':{'vpc-id':10,'vpc-port-channel':'Po10','vpc-port-status':'up',"
		"'vpc-consistency-status':'success'}}}");

	assert_non_null(strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "state=ok"));
	expect_pair(o, "port-channel10", "vpc 10 up");
	obs_free(o);
}

/* A graph builder's fixture: a row of vPC that does not say its state. */
CASE(nxos_vpc_without_a_state)
{
	struct obs *o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':'10','vpc-role':'primary','vpc-peer-status':'peer-ok',"
		"'vpc-peer-keepalive-status':'peer-alive','TABLE_vpc':{'ROW_vpc':{'vpc-ifindex':"
		"'port-channel10'}}}");

	assert_non_null(strstr(attr_word(at_port(o, NULL), ATTR_PAIR, 0), "state=ok"));
	assert_null(strstr(reading_word(o, "port-channel10", ATTR_LAG_PAIR), "down"));
	assert_null(strstr(reading_word(o, "port-channel10", ATTR_LAG_PAIR), "up"));
	obs_free(o);
}

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

	assert_true(reading_value(o, "Ethernet1/1", "rx_bytes", 0) == 288825287);
	assert_true(reading_value(o, "Ethernet1/1", "rx_packets", 0) == 73625 + 2805707 + 3);
	assert_true(reading_value(o, "Ethernet1/1", "tx_packets", 0) == 8286 + 2821973 + 2);
	assert_true(reading_value(o, "Ethernet1/2", "rx_packets", 0) == 8061);
	assert_true(reading_value(o, "Ethernet1/2", "tx_bytes", 0) == 1955299);
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

	assert_true(reading_value(o, "Ethernet1/1", "rx_errors", 0) == 15);
	assert_true(reading_value(o, "Ethernet1/1", "tx_errors", 0) == 2);
	assert_true(reading_value(o, "Ethernet1/1", "rx_fcs_errors", 0) == 4);
	assert_true(reading_value(o, "Ethernet1/1", "tx_discards", 0) == 7);
	assert_false(reading_is_known(o, "Ethernet1/1", "rx_discards", 0));
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

	assert_true(reading_value(o, "Ethernet1/1", "queue_drops", 3) == 7);
	assert_true(reading_value(o, "Ethernet1/1", "ecn_marked_packets", 3) == 45);
	assert_true(reading_value(o, "Ethernet1/1", "queue_depth_bytes", 3) == 208);
	assert_true(reading_value(o, "Ethernet1/1", "queue_tx_packets", 3) >= 1000);
	assert_false(reading_is_known(o, "Ethernet1/1", "queue_tx_packets", 0));
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

	assert_non_null(strstr(reading_word(o, "Ethernet1/1", ATTR_MEDIA), "AOC"));
	assert_string_equal(reading_word(o, "Ethernet1/1", ATTR_MODULE_SN), "FIW2031-A");
	assert_false(reading_is_known(o, "Ethernet1/1", "rx_power_dbm", 0));
	assert_false(reading_is_known(o, "Ethernet1/1", "temperature_c", 0));
	obs_free(o);
}

/* A fabric's audit: statistics that were never refreshed. */
CASE(dme_statistics_that_were_never_refreshed)
{
	struct obs *o = decode_text("nxos", TRANSPORT_HTTPS, "ether",
		"{'totalCount':'1','imdata':[{'rmonEtherStats':{'attributes':{'broadcastPkts':'0',"
		"'cRCAlignErrors':'150','childAction':'','clearTs':"
		"'2025-10-14T17:48:50.000+03:00','collisions':'0','dn':"
		"'sys/intf/phys-[eth1/1]/dbgEtherStats','modTs':'never','dropEvents':'0'}}}]}");

	assert_true(reading_value(o, "Ethernet1/1", "rx_fcs_errors", 0) == 150);
	assert_true(o->ports.at[at_port(o, "Ethernet1/1").port].sample_us == 0);
	assert_true(isnan(reading_value(o, "Ethernet1/1", "rx_stomped_crc", 0)));
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

	assert_string_equal(reading_word(o, "Ethernet1/1", ATTR_OPER), "up");
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0) == 10000);
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_LAST_CHANGE, 0) == 1786328553);
	assert_string_equal(reading_word(o, "Ethernet1/2", ATTR_OPER), "down");
	assert_string_equal(reading_word(o, "Ethernet1/2", ATTR_DOWN_REASON), "sfp absent");
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

	assert_string_equal(reading_word(o, "Ethernet1/1", ATTR_ADMIN), "down");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0)));
	assert_false(has_port(o, "Vlan2001"));
	assert_false(has_port(o, "nve1"));
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

	assert_true(fabs(reading_value(o, "Ethernet1/36/1", "rx_power_dbm", 0) + 1.24) < 1e-4);
	assert_true(fabs(reading_value(o, "Ethernet1/36/1", "tx_bias_ma", 0) - 6.49) < 1e-4);
	assert_true(fabs(reading_value(o, "Ethernet1/36/1", "temperature_c", 0) - 34.48) < 1e-4);
	assert_true(fabs(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) + 14.10) < 1e-4);
	assert_true(isnan(reading_value(o, "Ethernet1/36/1", "rx_power_dbm", 1)));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
