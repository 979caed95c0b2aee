/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs and reports about switches that railtop had not met when the code was written. The
 * reading was written down before the first run: see switches.md. Names, addresses and numbers are
 * invented, the formats are the devices' own.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/cases/sonic_rig.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

static const char *word(const struct obs *o, const char *port, enum obs_attr attr)
{
	return attr_word(at_port(o, port), attr, 0);
}

static void expect_pair(const struct obs *o, const char *bundle, const char *want)
{
	assert_string_equal(word(o, bundle, ATTR_LAG_PAIR), want);
}

static void expect_state(const struct obs *o, const char *port, const char *state)
{
	assert_string_equal(word(o, port, ATTR_LAG_STATE), state);
}

static void expect_peer(const struct obs *o, const char *port, const char *peer)
{
	char text[160];

	assert_string_equal(lldp_of(at_port(o, port), text, sizeof(text)), peer);
}

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

static unsigned events_of(const struct obs *o)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT;
	return n;
}

/* ---- segments ---- */

#define FRR(text)                                                                                  \
	decode_ssh("linux", "sw-bgp", "@@begin 1\n1\n@@bgp\n{}\n@@segments\n" text "\n@@end\n1\n")

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

/* ---- BGP ---- */

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

/* ---- NX-OS ---- */

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

	assert_string_equal(word(o, "Ethernet1/11", ATTR_OPER), "down");
	assert_string_equal(word(o, "Ethernet1/11", ATTR_DOWN_REASON), "vpcCmpFai");
	assert_string_equal(word(o, "Ethernet1/33", ATTR_DOWN_REASON), "xcvrSpeed");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/33"), ATTR_SPEED_MBPS, 0)));
	assert_string_equal(word(o, "Ethernet199/1/2", ATTR_DOWN_REASON), "Disabled by Server Mgr");
	assert_string_equal(word(o, "Ethernet1/51", ATTR_OPER), "down");
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

	assert_string_equal(word(o, "port-channel7", ATTR_OPER), "up");
	expect_state(o, "Ethernet1/7", "active");
	expect_state(o, "Ethernet1/8", "suspended");
	obs_free(o);
}

/* ---- EOS ---- */

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

	assert_string_equal(word(o, "Ethernet1", ATTR_OPER), "down");
	assert_true(isnan(attr_number(at_port(o, "Ethernet1"), ATTR_SPEED_MBPS, 0)) ||
		    attr_number(at_port(o, "Ethernet1"), ATTR_SPEED_MBPS, 0) == 0);
	assert_string_equal(word(o, "Ethernet2", ATTR_OPER), "up");
	assert_non_null(strstr(word(o, "Ethernet2", ATTR_DESCRIPTION), "Test interface Et1"));
	obs_free(o);
}

/* A monitor's fixture: an error-disabled port whose cause is not printed. */
CASE(eos_port_disabled_for_an_unsaid_cause)
{
	struct obs *o = decode_ssh("eos", "errdisabled",
		"{'interfaceStatuses':{'Ethernet4':{'linkStatus':'errdisabled','description':'',"
		"'bandwidth':0}}}");

	assert_non_null(strstr(word(o, "Ethernet4", ATTR_DOWN_REASON), "errdisabled"));
	obs_free(o);
}

/* ---- SONiC: modules ---- */

#define MODULES(port, type, application)                                                           \
	decode_ssh("sonic", "modules",                                                             \
		"{'t':['1','0'],'n':1,'xf':['type','model','specification_compliance'],'tf':[],"   \
		"'ports':{'" port "':{'x':['" type "','MODEL-1','N/A'],'h':[],'a':'" application   \
		"'}}}")

/* sonic-utilities 2864: a cable of copper that announces itself by its application. */
CASE(sonic_copper_cable)
{
	struct obs *o = MODULES("Ethernet88", "QSFP-DD Double Density 8X Pluggable Transceiver",
		"{1: {`host_electrical_interface_id`: `400G CR8`, `module_media_interface_id`: "
		"`Copper cable`, `media_lane_count`: 0, `host_lane_count`: 8, "
		"`host_lane_assignment_options`: 1}}");

	assert_null(strstr(word(o, "Ethernet88", ATTR_MEDIA), "DR"));
	assert_null(strstr(word(o, "Ethernet88", ATTR_MEDIA), "SR"));
	assert_non_null(strstr(word(o, "Ethernet88", ATTR_MEDIA), "QSFP-DD"));
	obs_free(o);
}

/* sonic-utilities 4209: an active cable of the 112G generation. */
CASE(sonic_active_cable)
{
	struct obs *o = MODULES("Ethernet128", "QSFP+C or later",
		"{1: {`host_electrical_interface_id`: `400GAUI-4-S C2M (Annex 120G)`, "
		"`module_media_interface_id`: `Active Cable assembly with BER < 2.6x10^-4`, "
		"`media_lane_count`: 4, `host_lane_count`: 4, `host_lane_assignment_options`: 1}}");

	assert_null(strstr(word(o, "Ethernet128", ATTR_MEDIA), "GAUI"));
	assert_null(strstr(word(o, "Ethernet128", ATTR_MEDIA), "DR"));
	obs_free(o);
}

/* ---- SONiC: bundles ---- */

/* sonic-buildimage 8866: fallback selects both members. */
CASE(sonic_fallback_with_two_members)
{
	struct obs *o = decode_ssh("sonic", "optics",
		"{'t':['1','0'],'n':2,'df':['temperature'],'vf':[],'qf':[],'lf':['sys_name'],"
		"'cf':['index','lanes','dom_polling'],'ports':{'Ethernet48':{'d':null,'l':[],'p':"
		"[]},'Ethernet52':{'d':null,'l':[],'p':[]}},'lags':{'PortChannel1':{'c':[null,"
		"'up'],'s':'up','r':'true','m':{'Ethernet48':['enabled','true','true',"
		"'defaulted'],'Ethernet52':['enabled','true','true','defaulted']}}},'pair':null}");

	assert_string_equal(word(o, "PortChannel1", ATTR_OPER), "up");
	expect_state(o, "Ethernet48", "active");
	expect_state(o, "Ethernet52", "active");
	obs_free(o);
}

/* ---- SONiC: the log ---- */

/* sonic-buildimage 7240: ports that flap in a warm reboot. */
CASE(sonic_log_of_a_port_that_goes_down)
{
	struct obs *o = decode_ssh("sonic", "log",
		"Apr  7 04:37:23.071406 str-1 NOTICE swss#orchagent: :- updatePortOperStatus: "
		"Port Ethernet52 oper state set from up to down\n"
		"Apr  7 04:37:23.071511 str-1 NOTICE swss#orchagent: :- setHostIntfsOperStatus: "
		"Set operation status DOWN to host interface Ethernet52\n");

	/* Two lines for one change. */
	assert_int_equal(events_of(o), 1);
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

/* ---- SONiC: schedulers and pools, on a real Redis ---- */

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

static const char *scheduler0(void)
{
	sonic_rig_learn(&rig, POLL_SLOW);
	return model_port(rig.bed.m, model_device(rig.bed.m, "leaf"), "Ethernet0")->more->scheduler;
}

/* sonic-swss 1152: what is STRICT now was PRIORITY in the schema before. */
CASE_WITH(sonic_strict_queue_of_an_old_schema, NULL, end)
{
	begin();
	sonic_rig_redis(&rig, -1,
		"SELECT 4\nHSET SCHEDULER|scheduler.6 type PRIORITY\n"
		"HSET QUEUE|Ethernet0|6 scheduler [SCHEDULER|scheduler.6]\n");
	assert_string_equal(scheduler0(), "6:STRICT");
}

/* sonic-buildimage 29255: weights of a trimming SKU; one row for a range of queues. */
CASE_WITH(sonic_weights_of_a_range_of_queues, NULL, end)
{
	begin();
	sonic_rig_redis(&rig, -1,
		"SELECT 4\nHSET SCHEDULER|scheduler_q3_downlink type DWRR weight 26\n"
		"HSET SCHEDULER|scheduler.0 type DWRR weight 5\n"
		"HSET QUEUE|Ethernet0|3 scheduler scheduler_q3_downlink\n"
		"HSET QUEUE|Ethernet0|0-1 scheduler scheduler.0\n");
	assert_string_equal(scheduler0(), "0:DWRR 5 1:DWRR 5 3:DWRR 26");
}

static const char *pools(const char *commands)
{
	sonic_rig_redis(&rig, -1, commands);
	sonic_rig_learn(&rig, POLL_MEDIUM);
	return model_device(rig.bed.m, "leaf")->pools;
}

/* sonic-swss 3387: while sizes are computed the pool has a size of a byte or so: no share of it. */
CASE_WITH(sonic_pool_without_its_size_yet, NULL, end)
{
	begin();
	assert_null(strstr(
		pools("SELECT 2\nHSET COUNTERS_BUFFER_POOL_NAME_MAP ingress_lossless_pool "
		      "oid:0x18a1\nHSET USER_WATERMARKS:oid:0x18a1 "
		      "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES 1200000\nSELECT 0\n"
		      "HSET BUFFER_POOL_TABLE:ingress_lossless_pool size 1 xoff 0 mode dynamic\n"),
		"%"));
}

/* SONiC 1763: a pool with a percentage too; its size counts. buildimage 16315: xoff of 0. */
CASE_WITH(sonic_pool_by_percentage, NULL, end)
{
	begin();
	assert_string_equal(
		pools("SELECT 2\nHSET COUNTERS_BUFFER_POOL_NAME_MAP ingress_lossless_pool "
		      "oid:0x18a1\nHSET USER_WATERMARKS:oid:0x18a1 "
		      "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES 5000000\nSELECT 0\n"
		      "HSET BUFFER_POOL_TABLE:ingress_lossless_pool size 10000000 xoff 0 mode "
		      "dynamic percentage 30 type ingress\n"),
		"ingress_lossless_pool 50 % of 10 MB");
}

/* ---- a second batch, after the first one was mended ---- */

/* A network agent of Arista: a bundle without numbers. */
CASE(eos_bundle_with_few_fields)
{
	struct obs *o = decode_ssh("eos", "lag",
		"{'portChannels':{'Port-Channel2':{'recircFeature':[],'fallbackState':"
		"'unconfigured','inactivePorts':{},'activePorts':{'Ethernet2':{'protocol':'lacp',"
		"'lacpMode':'active','timeBecameActive':1524426847.1184797}}}}}");

	assert_string_equal(word(o, "Port-Channel2", ATTR_OPER), "up");
	expect_state(o, "Ethernet2", "active");
	expect_state(o, "Port-Channel2", "lacp");
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
	assert_null(strstr(word(o, "port-channel10", ATTR_LAG_PAIR), "down"));
	assert_null(strstr(word(o, "port-channel10", ATTR_LAG_PAIR), "up"));
	obs_free(o);
}

/* sonic-mgmt 16802, sonic-swss 3497: the switch's row is disabled, the team selects it. */
CASE(sonic_member_that_the_switch_disables)
{
	struct obs *o = decode_ssh("sonic", "optics",
		"{'t':['1','0'],'n':1,'df':['temperature'],'vf':[],'qf':[],'lf':['sys_name'],"
		"'cf':['index','lanes','dom_polling'],'ports':{'Ethernet48':{'d':null,'l':[],'p':"
		"[]}},'lags':{'PortChannel101':{'c':[null,'up'],'s':'up','r':'true','m':{"
		"'Ethernet48':['disabled','true','true','current']}}},'pair':null}");

	assert_string_equal(word(o, "PortChannel101", ATTR_OPER), "up");
	expect_state(o, "Ethernet48", "suspended: selected, and disabled in the switch");
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

	assert_int_equal(events_of(o), 1);
	assert_int_equal(o->ports.n, 0);
	obs_free(o);
}

/* sonic-utilities, show buffer configuration: pools whose size is computed have none there. */
CASE_WITH(sonic_pools_without_sizes, NULL, end)
{
	begin();
	assert_string_equal(
		pools("SELECT 2\nHSET COUNTERS_BUFFER_POOL_NAME_MAP egress_lossless_pool "
		      "oid:0x18a0 "
		      "egress_lossy_pool oid:0x18a1\nHSET USER_WATERMARKS:oid:0x18a0 "
		      "SAI_BUFFER_POOL_STAT_WATERMARK_BYTES 1394582\n"
		      "HSET USER_WATERMARKS:oid:0x18a1 SAI_BUFFER_POOL_STAT_WATERMARK_BYTES "
		      "900000\n"
		      "SELECT 0\nHSET BUFFER_POOL_TABLE:egress_lossless_pool size 13945824 mode "
		      "dynamic type egress\nHSET BUFFER_POOL_TABLE:egress_lossy_pool mode dynamic "
		      "type egress\n"),
		"egress_lossless_pool 10 % of 13.9 MB");
}

/* sonic-net/SONiC, reclaim of reserved buffers: a port that was shut has profiles of size 0. */
CASE_WITH(sonic_zero_profile_of_a_shut_port, NULL, end)
{
	struct obs *o;

	begin();
	sonic_rig_redis(&rig, -1,
		"SELECT 4\nHSET BUFFER_PROFILE|ingress_lossless_zero_profile pool "
		"ingress_lossless_pool size 0 dynamic_th -8\n"
		"HSET BUFFER_PG|Ethernet0|3-4 profile ingress_lossless_zero_profile\n");
	o = sonic_rig_ask(&rig, POLL_SLOW, "config");
	assert_true(isnan(attr_number(at_port(o, "Ethernet0"), ATTR_XOFF_BYTES, 3)));
	assert_true(isnan(attr_number(at_port(o, "Ethernet0"), ATTR_XON_BYTES, 3)));
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

	assert_non_null(strstr(word(o, "Ethernet5", ATTR_DOWN_REASON), "xcvr-overheat"));
	assert_non_null(strstr(word(o, "Ethernet5", ATTR_DOWN_REASON), "hardware-speed-group"));
	obs_free(o);
}

/* ---- a third batch: logs of pairs, bundles and modules ---- */

/* The log has one event, an alarm or a change. */
static void expect_only(const char *dialect, const char *line, bool is_alarm, const char *port)
{
	struct obs *o = decode_ssh(dialect, "log", line);

	assert_int_equal(events_of(o), 1);
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_EVENT)
			assert_int_equal(o->items.at[i].code, is_alarm ? EV_LOG_ALARM : EV_LOG);
	if (port)
		assert_true(has_port(o, port));
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

	assert_int_equal(events_of(o), 1);
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

CASES_MAIN(NULL, NULL)
