/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs of EOS switches. The reading of each
 * was written down before the first run: see switches.md. Names, addresses and numbers are
 * invented, the formats are the devices' own.
 */
#include <math.h>
#include <string.h>

#include "tests/cases/switches/readings.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

static const char *pair_of(const struct obs *o)
{
	return reading_word(o, NULL, ATTR_PAIR);
}

#define EOS "Feb 15 01:40:18 SW-1 "

/* ntc-templates 929: three ports without a neighbour, one with a full name. */
CASE(eos_neighbour_with_a_domain)
{
	struct obs *o = decode_ssh("eos", "lldp",
		"{'lldpNeighbors':{'Ethernet1':{'lldpNeighborInfo':[]},'Ethernet4':{"
		"'lldpNeighborInfo':[{'systemName':'test-host.domain.com','chassisIdType':"
		"'macAddress','chassisId':'0cca.01c0.e8e1','neighborInterfaceInfo':{"
		"'interfaceIdType':'interfaceName','interfaceId':'\\'Ethernet4\\'',"
		"'interfaceId_v2':'Ethernet4'},'ttl':120,'systemCapabilities':{'bridge':true,"
		"'router':true}}]}}}");

	expect_peer(o, "Ethernet4", "test-host.domain.com:Ethernet4");
	obs_free(o);
}

/* ntc-templates 1978, 1363: auto-speed without a link; a description with quotes of its own. */
CASE(eos_ports_without_a_link)
{
	struct obs *o = decode_ssh("eos", "fast",
		"{'interfaces':{'Ethernet1':{'name':'Ethernet1','lineProtocolStatus':'down',"
		"'interfaceStatus':'notconnect','bandwidth':0,'duplex':'duplexUnknown',"
		"'autoNegotiate':'on','mtu':9214,'description':'','interfaceCounters':{"
		"'inOctets':0,'outOctets':0,'counterRefreshTime':1736812800.5}},'Ethernet2':{"
		"'name':'Ethernet2','lineProtocolStatus':'up','interfaceStatus':'connected',"
		"'bandwidth':1000000000,'mtu':1500,'description':'\\'Test interface Et1\\'',"
		"'interfaceCounters':{'inOctets':381190,'outOctets':0}}}}");

	assert_string_equal(reading_word(o, "Ethernet1", ATTR_OPER), "down");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1"), ATTR_SPEED_MBPS, 0)) ||
		    attr_number(at_port(o, "Ethernet1"), ATTR_SPEED_MBPS, 0) == 0);
	assert_string_equal(reading_word(o, "Ethernet2", ATTR_OPER), "up");
	assert_non_null(
		strstr(reading_word(o, "Ethernet2", ATTR_DESCRIPTION), "Test interface Et1"));
	obs_free(o);
}

/* A monitor's fixture: an error-disabled port whose cause is not printed. */
CASE(eos_port_disabled_for_an_unsaid_cause)
{
	struct obs *o = decode_ssh("eos", "errdisabled",
		"{'interfaceStatuses':{'Ethernet4':{'linkStatus':'errdisabled','description':'',"
		"'bandwidth':0}}}");

	assert_non_null(strstr(reading_word(o, "Ethernet4", ATTR_DOWN_REASON), "errdisabled"));
	obs_free(o);
}

/* A network agent of Arista: a bundle without numbers. */
CASE(eos_bundle_with_few_fields)
{
	struct obs *o = decode_ssh("eos", "lag",
		"{'portChannels':{'Port-Channel2':{'recircFeature':[],'fallbackState':"
		"'unconfigured','inactivePorts':{},'activePorts':{'Ethernet2':{'protocol':'lacp',"
		"'lacpMode':'active','timeBecameActive':1524426847.1184797}}}}}");

	assert_string_equal(reading_word(o, "Port-Channel2", ATTR_OPER), "up");
	expect_state(o, "Ethernet2", "active");
	expect_state(o, "Port-Channel2", "lacp");
	obs_free(o);
}

/* A script for EOS leaves out the segment of zeros: a port that has none. */
CASE(eos_segment_of_zeros)
{
	struct obs *o = decode_ssh("eos", "segments",
		"{'bgpEvpnInstances':{'VLAN 2000':{'rd':'10.0.0.1:2000','serviceIntf':'VLAN',"
		"'localVxlanIp':'10.0.0.1','ethernetSegments':{'0000:0000:0000:0000:0000':{'intf'"
		":'Port-Channel5','state':'up'},'0000:0000:1111:2222:3333':{'intf':"
		"'Port-Channel6','state':'up','dFPeer':{'ip':'10.0.0.2'}}}},'VLAN 2001':{'rd':"
		"'10.0.0.1:2001'}}}");

	assert_false(has_port(o, "Port-Channel5"));
	expect_pair(o, "Port-Channel6", "segment 0000:0000:1111:2222:3333 up");
	obs_free(o);
}

/* aristanetworks/avd 6972: causes of this generation, two at once. */
CASE(eos_two_causes_of_an_error)
{
	struct obs *o = decode_ssh("eos", "errdisabled",
		"{'interfaceStatuses':{'Ethernet5':{'description':'','status':'errdisabled',"
		"'causes':['xcvr-overheat','hardware-speed-group']}}}");

	assert_non_null(strstr(reading_word(o, "Ethernet5", ATTR_DOWN_REASON), "xcvr-overheat"));
	assert_non_null(
		strstr(reading_word(o, "Ethernet5", ATTR_DOWN_REASON), "hardware-speed-group"));
	obs_free(o);
}

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

	assert_string_equal(reading_word(o, "Ethernet4/1", ATTR_MODULE_SN), "XXX000a0004");
	expect_near(attr_number(at_port(o, "Ethernet4/1"), ATTR_TX_BIAS_LIMIT, LIMIT_LOW_ALARM), 0);
	expect_near(
		attr_number(at_port(o, "Ethernet4/1"), ATTR_TX_BIAS_LIMIT, LIMIT_HIGH_ALARM), 75);
	assert_true(isnan(
		attr_number(at_port(o, "Ethernet4/1"), ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM)));
	expect_near(reading_value(o, "Ethernet4/1", "rx_power_dbm", 0), -1.2);
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

	assert_false(reading_is_known(o, "Ethernet1", "fec_uncorrectable_codewords", 0));
	assert_false(reading_is_known(o, "Ethernet1", "pre_fec_ber", 0));
	assert_false(reading_is_known(o, "Ethernet2", "fec_uncorrectable_codewords", 0));
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

	assert_string_equal(reading_word(o, "Ethernet1", ATTR_OPER), "down");
	assert_string_not_equal(reading_word(o, "Ethernet2", ATTR_OPER), "up");
	assert_string_equal(reading_word(o, "Ethernet3", ATTR_OPER), "down");
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

	expect_near(reading_value(o, "Ethernet2/1", "rx_power_dbm", 0), -30.08);
	expect_near(reading_value(o, "Ethernet2/1", "rx_power_dbm", 3), -1.463);
	assert_true(reading_value(o, "Ethernet2/1", "rx_power_dbm", 2) <= -30);
	expect_near(attr_number(at_port(o, "Ethernet2/1"), ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM),
		-13.2975);
	assert_true(isnan(
		attr_number(at_port(o, "Ethernet2/1"), ATTR_RX_POWER_LIMIT, LIMIT_HIGH_ALARM)));
	assert_false(reading_is_known(o, "Ethernet1/1", "rx_power_dbm", 0));
	assert_false(reading_is_known(o, "Ethernet1/1", "temperature_c", 0));
	assert_false(reading_is_known(o, "Ethernet2/1", "temperature_c", 0));
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

/* aristanetworks/anta: a bundle without any port. */
CASE(eos_bundle_without_ports)
{
	struct obs *o = decode_ssh("eos", "lag",
		"{'portChannels':{'Port-Channel42':{'recircFeature':[],'maxWeight':16,'minSpeed':"
		"'0 gbps','rxPorts':{},'currWeight':0,'minLinks':0,'inactivePorts':{},"
		"'activePorts':{},'inactiveLag':false}}}");

	assert_string_not_equal(reading_word(o, "Port-Channel42", ATTR_OPER), "up");
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

CASES_MAIN(NULL, NULL)
