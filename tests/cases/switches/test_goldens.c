/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Outputs that public tools keep as examples for their own tests. The right reading of each was
 * written down before the first run: see switches.md. Names, addresses and numbers are invented.
 */
#include <math.h>
#include <string.h>

#include "tests/cases/switches/readings.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

/* A chip that counts several classes together: none were lost of any. */
CASE(eos_queues_that_are_counted_together)
{
	struct obs *o = decode_ssh("eos", "queues",
		"{'egressQueueCounters':{'interfaces':{'Ethernet1':{'ucastQueues':{'trafficClasses'"
		":{'TC0-2':{'dropPrecedences':{'DP0-2':{'droppedPackets':0}}}}},'mcastQueues':{"
		"'trafficClasses':{'TC0-2':{'dropPrecedences':{'DP0-2':{'droppedPackets':0}}}}}},"
		"'Ethernet2':{'ucastQueues':{'trafficClasses':{'TC0-2':{'dropPrecedences':{'DP0-2':"
		"{'droppedPackets':7}}},'TC3':{'dropPrecedences':{'DP0':{'droppedPackets':2}}}}}},"
		"'Ethernet3':{'ucastQueues':{'trafficClasses':{'TC0-2':{'dropPrecedences':{'DP0-2':"
		"{'droppedPackets':'?'}}}}}}}}}");

	for (unsigned p = 0; p <= 2; p++) {
		assert_true(reading_value(o, "Ethernet1", "queue_drops", p) == 0);
		assert_false(reading_is_known(o, "Ethernet2", "queue_drops", p));
		assert_false(reading_is_known(o, "Ethernet3", "queue_drops", p));
	}
	assert_true(reading_value(o, "Ethernet2", "queue_drops", 3) == 2);
	obs_free(o);
	o = decode_ssh("eos", "queues",
		"{'interfaces':{'Ethernet48':{'trafficClasses':{'TC0-5':{'ingressVoqCounters':{"
		"'countersSum':{'droppedPackets':0}},'egressQueueCounters':{'countersSum':{"
		"'droppedPackets':0}}}}}}}");
	assert_true(reading_value(o, "Ethernet48", "queue_drops", 5) == 0);
	obs_free(o);
}

/* What is lost between the chip and its retimer is lost for the port; the cable's side is well. */
CASE(eos_codewords_that_are_lost_inside)
{
	struct obs *o = decode_ssh("eos", "phy",
		"{'interfacePhyStatuses':{'Ethernet1/1':{'phyStatuses':[{'description':{"
		"'phyChipName':'BCM88690-TSCBH','location':'line'},'fec':{'correctedCodewords':{"
		"'value':3},'uncorrectedCodewords':{'value':10}},'preFecBer':{'value':1.5e-13}},{"
		"'description':{'phyChipName':'CRT50216'}},{'description':{'phyChipName':"
		"'CRT50216','location':'system'},'fec':{'correctedCodewords':{'value':32},"
		"'uncorrectedCodewords':{'value':10}},'preFecBer':{'value':1.3e-12}},{"
		"'description':{'phyChipName':'CRT50216','location':'line'},'fec':{'hiSer':{"
		"'value':false},'correctedCodewords':{'value':0},'uncorrectedCodewords':{'value':"
		"0}},'preFecBer':{'value':1.3e-22}}]},'Ethernet1/"
		"2':{'phyStatuses':[{'description':{"
		"'phyChipName':'BCM88690-TSCBH','location':'line'},'fec':{'uncorrectedCodewords':{"
		"'value':0}}},{'description':{'phyChipName':'CRT50216','location':'line'},"
		"'firmwareRev':'0'}]}}}");

	assert_true(reading_value(o, "Ethernet1/1", "fec_uncorrectable_codewords", 0) == 20);
	assert_true(reading_value(o, "Ethernet1/1", "fec_corrected_codewords", 0) == 0);
	assert_true(reading_value(o, "Ethernet1/1", "pre_fec_ber", 0) < 1e-20);
	/* The cable's side tells nothing: that none were lost inside says nothing of it. */
	assert_false(reading_is_known(o, "Ethernet1/2", "fec_uncorrectable_codewords", 0));
	obs_free(o);
}

/* The feature is on, nobody set a pair up: there is none that could be split. */
CASE(nxos_vpc_that_was_never_set_up)
{
	struct obs *o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':'not configured','vpc-peer-status':'peer-not-configured',"
		"'vpc-peer-status-reason':'SUCCESS','vpc-peer-keepalive-status':'disabled',"
		"'vpc-peer-consistency':'inconsistent','vpc-peer-consistency-status':"
		"'SYSERR_MCECM_MCT_DOES_NOT_EXISTS','vpc-role':'none-established','num-of-vpcs':'0'"
		"}");

	assert_string_equal(reading_word(o, NULL, ATTR_PAIR), "");
	obs_free(o);
	o = decode_ssh("nxos", "vpc",
		"{'vpc-domain-id':'10','vpc-peer-status':'peer-not-configured',"
		"'vpc-peer-keepalive-status':'peer-alive','vpc-peer-consistency':'inconsistent'}");
	assert_non_null(strstr(reading_word(o, NULL, ATTR_PAIR), "state=down"));
	obs_free(o);
	o = decode_ssh("nxos", "vpc", "{'vpc-domain-id':'100'}");
	assert_string_equal(reading_word(o, NULL, ATTR_PAIR), "(none)");
	obs_free(o);
}

/* Two bundles without members. */
CASE(nxos_bundles_without_members)
{
	struct obs *o = decode_ssh("nxos", "lag",
		"{'TABLE_channel':{'ROW_channel':[{'group':'10','port-channel':'port-channel10',"
		"'layer':'R','status':'D','type':'Eth','prtcl':'NONE'},{'group':'20',"
		"'port-channel':'port-channel20','layer':'R','status':'D','type':'Eth','prtcl':"
		"'NONE'}]}}");

	assert_string_equal(reading_word(o, "port-channel10", ATTR_OPER), "down");
	assert_string_equal(reading_word(o, "port-channel20", ATTR_OPER), "down");
	obs_free(o);
}

/* A port that is down without a cause; a neighbour that is the server's own controller. */
CASE(eos_answers_with_less_than_usual)
{
	struct obs *o = decode_ssh("eos", "errdisabled",
		"{'interfaceStatuses':{'Ethernet2':{'description':'','status':'errdisabled'}}}");

	assert_non_null(strstr(reading_word(o, "Ethernet2", ATTR_DOWN_REASON), "errdisabled"));
	obs_free(o);
	o = decode_ssh("eos", "lldp",
		"{'lldpNeighbors':{'Ethernet1':{'lldpNeighborInfo':[{'chassisIdType':'macAddress',"
		"'chassisId':'001c.73a0.fc18','systemName':'leaf2-server1.example','"
		"neighborInterfaceInfo':{'interfaceIdType':'interfaceName','interfaceId':"
		"'Ethernet1','interfaceId_v2':'iLO','interfaceDescription':'SERVER_1'}}]},"
		"'Ethernet2':{'lldpNeighborInfo':[]}}}");
	expect_peer(o, "Ethernet1", "leaf2-server1.example:iLO");
	expect_peer(o, "Ethernet2", ":");
	obs_free(o);
}

/* A family that is only advertised is none; one that is only configured is not negotiated. */
CASE(eos_sessions_of_families)
{
	struct obs *o = decode_ssh("eos", "bgp",
		"{'vrfs':{'default':{'vrf':'default','routerId':'10.1.0.3','asn':'65120','peers':{"
		"'10.1.0.1':{'peerState':'Established','peerAsn':'65100','ipv4MplsVpn':{"
		"'afiSafiState':'advertised','nlrisReceived':0,'nlrisAccepted':0},'l2VpnEvpn':{"
		"'afiSafiState':'negotiated','nlrisReceived':58,'nlrisAccepted':56}},"
		"'fe80::2%Et1':{'peerState':'Established','peerAsn':'65002','ipv6Unicast':{"
		"'afiSafiState':'negotiated','nlrisReceived':1,'nlrisAccepted':1}},'10.1.0.9':{"
		"'peerState':'Established','peerAsn':'65100','ipv4Unicast':{'afiSafiState':"
		"'configured','nlrisReceived':17,'nlrisAccepted':17}}}},'MGMT':{}}}");

	assert_int_equal(o->bgp.n, 3);
	assert_int_equal(o->bgp.at[0].afi, BGP_EVPN);
	assert_int_equal(o->bgp.at[0].prefixes, 56);
	assert_int_equal(o->bgp.at[1].afi, BGP_IPV6);
	assert_true(o->bgp.at[2].prefixes == UINT64_MAX);
	obs_free(o);
}

/* "-" in a table of marks: the queue does not mark. */
CASE(eos_marks_of_queues_that_do_not_mark)
{
	struct obs *o = decode_ssh("eos", "ecn",
		"{'intfQueueCounters':{'Ethernet10/28/1':{'queueCounters':{'0':'-','1':'0','2':"
		"'2'}}}}");

	assert_false(reading_is_known(o, "Ethernet10/28/1", "ecn_marked_packets", 0));
	assert_true(reading_value(o, "Ethernet10/28/1", "ecn_marked_packets", 1) == 0);
	assert_true(reading_value(o, "Ethernet10/28/1", "ecn_marked_packets", 2) == 2);
	obs_free(o);
}

/* Limits without a number of the other side; one lane dark. */
CASE(eos_lanes_below_their_limit)
{
	struct obs *o = decode_ssh("eos", "optics",
		"{'interfaces':{'Ethernet1/1':{'displayName':'Ethernet1/1'},'Ethernet2/1':{"
		"'displayName':'Ethernet2/1','vendorSn':'TEST05DA','mediaType':'100GBASE-SR4',"
		"'parameters':{'rxPower':{'unit':'dBm','channels':{'1':-30.08,'2':-0.1,'3':-40.3,"
		"'4':-1.46},'threshold':{'lowAlarm':-13.3,'lowAlarmOverridden':false,'lowWarn':"
		"-10.3,'lowWarnOverridden':false}}}}}}");

	expect_near(reading_value(o, "Ethernet2/1", "rx_power_dbm", 0), -30.08);
	expect_near(reading_value(o, "Ethernet2/1", "rx_power_dbm", 3), -1.46);
	assert_false(reading_is_known(o, "Ethernet1/1", "rx_power_dbm", 0));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
