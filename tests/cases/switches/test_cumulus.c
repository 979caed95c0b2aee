/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs of Cumulus and other Linux switches: NVUE, the kernel, FRR. The reading of each
 * was written down before the first run: see switches.md. Names, addresses and numbers are
 * invented, the formats are the devices' own.
 */
#include <math.h>
#include <string.h>

#include "tests/cases/switches/readings.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

#define FRR(text)                                                                                  \
	decode_ssh("linux", "sw-bgp", "@@begin 1\n1\n@@bgp\n{}\n@@segments\n" text "\n@@end\n1\n")

#define SEGMENT(name, more)                                                                        \
	"'" name "':{'df-preference':50000,'flags':{'bridge-port':'on','local':'on',"              \
	"'nexthop-group-active':'on','ready-for-bgp':'on'" more

#define ESI "03:44:38:39:be:ef:aa:00:00:0"

/* frr 20711: the state of the bond is a field of the list, without the details. */
CASE(frr_segment_with_the_state_of_its_bond)
{
	struct obs *o = FRR("[{'esi':'03:44:38:39:ff:ff:01:00:00:01','type':['local','remote',"
			    "'nonDF'],'flags':['local','remote','nonDF'],'accessPort':"
			    "'hostbond_1','bondState':'down','vteps':[{'vtep':'2006:20:20::16'"
			    "}]}]");

	expect_pair(o, "hostbond_1", "segment 03:44:38:39:ff:ff:01:00:00:01 down");
	obs_free(o);
}

/* The same, as its first version had it. */
CASE(frr_segment_with_a_state)
{
	struct obs *o = FRR("[{'esi':'03:44:38:39:ff:ff:01:00:00:02','flags':['local'],"
			    "'accessPort':'hostbond_2','state':'down'}]");

	expect_pair(o, "hostbond_2", "segment 03:44:38:39:ff:ff:01:00:00:02 down");
	obs_free(o);
}

/* frr 20417: LACP bypass: the segment is not in use, whatever its peers. */
CASE(frr_segment_in_bypass)
{
	struct obs *o = FRR("[{'esi':'03:44:38:39:ff:ff:01:00:00:03','flags':['local',"
			    "'remote','bypass'],'accessPort':'hostbond_3','vteps':[{'vtep':"
			    "'10.0.0.2'}]}]");

	expect_pair(o, "hostbond_3", "segment 03:44:38:39:ff:ff:01:00:00:03 bypass");
	obs_free(o);
}

/* tynany/frr_exporter 24: a port as the peer, up for 22 weeks. */
CASE(frr_session_of_a_port_for_weeks)
{
	struct obs *o = decode_ssh("linux", "sw-bgp",
		"@@begin 1\n1\n@@bgp\n{'ipv4Unicast':{'routerId':'172.31.0.3','as':4200000003,"
		"'vrfId':0,'vrfName':'default','ribCount':81,'peers':{'ens4f0':{'hostname':"
		"'edge000a','remoteAs':4200049152,'version':4,'peerUptime':'22w0d20h',"
		"'peerUptimeMsec':13377756000,'peerUptimeEstablishedEpoch':1600936337,"
		"'prefixReceivedCount':41,'pfxRcd':41,'pfxSnt':1,'state':'Established',"
		"'connectionsEstablished':3,'connectionsDropped':2,'idType':'interface'}}}}\n"
		"@@end\n1\n");

	assert_int_equal(o->bgp.n, 1);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[0].remote_as, 4200049152);
	assert_int_equal(o->bgp.at[0].prefixes, 41);
	assert_true(o->bgp.at[0].since_s == 13377756);
	obs_free(o);
}

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

	assert_string_equal(reading_word(o, "bond1", ATTR_LAG_PAIR), "segment " ESI "1 up");
	assert_string_equal(reading_word(o, "bond2", ATTR_LAG_PAIR), "segment " ESI "2 up alone");
	assert_string_equal(reading_word(o, "bond3", ATTR_LAG_PAIR), "segment " ESI "3 down");
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

	assert_true(reading_value(o, "swp1", "queue_drops", 3) == 76993);
	assert_true(reading_value(o, "swp1", "ecn_marked_packets", 3) == 100);
	assert_true(reading_value(o, "swp1", "wred_drops", 3) == 5);
	assert_true(reading_value(o, "swp1", "pfc_rx_frames", 3) == 200);
	assert_true(reading_value(o, "swp1", "pfc_tx_frames", 3) == 300);
	assert_false(reading_is_known(o, "swp1", "pfc_tx_frames", 4));
	assert_false(reading_is_known(o, "swp1", "queue_drops", 4));
	obs_free(o);
}

/* The same lab: in text the count of frames has a unit of bytes: 76993 is "75.19 KB". */
CASE(nvue_frames_that_look_like_bytes)
{
	struct obs *o = decode_text("cumulus", TRANSPORT_HTTPS, "qos",
		"{'swp1':{'counters':{'qos':{'egress-queue-stats':{'3':{'tx-frames':1000,"
		"'tx-bytes':'62.50 KB','tx-uc-buffer-discards':'75.19 KB','wred-discards':0}}}}}}");

	assert_true(reading_value(o, "swp1", "queue_drops", 3) > 76900);
	assert_true(reading_value(o, "swp1", "queue_drops", 3) < 77100);
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

	assert_string_equal(reading_word(o, "swp18s1", ATTR_LAG_STATE), "active");
	/* It neither collects nor distributes. */
	assert_null(strstr(reading_word(o, "swp18s2", ATTR_LAG_STATE), "active"));
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

	expect_near(reading_value(o, "swp1", "rx_power_dbm", 0), -1.0);
	expect_near(reading_value(o, "swp1", "tx_power_dbm", 0), -0.6);
	expect_near(reading_value(o, "swp1", "temperature_c", 0), 36.8);
	assert_false(reading_is_known(o, "swp1", "tx_bias_ma", 0));
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

	assert_true(reading_value(o, "swp1", "pre_fec_ber", 0) == 0);
	assert_true(fabs(reading_value(o, "swp2", "pre_fec_ber", 0) - 2e-10) < 1e-13);
	obs_free(o);
}

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

	assert_null(strstr(reading_word(o, "swp1", ATTR_LAG_STATE), "active"));
	assert_string_not_equal(reading_word(o, "swp1", ATTR_LAG_STATE), "(none)");
	obs_free(o);
}

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

	assert_string_equal(reading_word(o, "swp3", ATTR_OPER), "up");
	assert_string_equal(reading_word(o, "swp4", ATTR_OPER), "down");
	assert_true(attr_number(at_port(o, "swp3"), ATTR_SPEED_MBPS, 0) == 100000);
	assert_true(reading_value(o, "swp3", "link_down_events", 0) == 5);
	assert_true(reading_value(o, "swp3", "rx_discards", 0) == 35994);
	assert_true(reading_value(o, "swp3", "tx_discards", 0) == 59144287);
	assert_true(isnan(reading_value(o, "swp4", "rx_discards", 0)));
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
	assert_string_not_equal(reading_word(o, "swp1", ATTR_OPER), "up");
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

	assert_true(reading_value(o, "swp1", "ecn_marked_packets", 3) == 100);
	assert_true(reading_value(o, "swp1", "wred_drops", 3) == 5);
	assert_true(reading_value(o, "swp1", "ecn_marked_packets", 4) == 999999);
	assert_true(isnan(reading_value(o, "swp1", "queue_drops", 4)));
	assert_true(isnan(reading_value(o, "swp1", "queue_tx_packets", 4)));
	assert_true(reading_value(o, "swp1", "pfc_rx_frames", 3) == 200);
	assert_true(isnan(reading_value(o, "swp1", "pfc_tx_frames", 4)));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
