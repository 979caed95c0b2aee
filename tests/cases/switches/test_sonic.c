/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Public outputs of SONiC switches, those of a database on a real Redis. The reading of each
 * was written down before the first run: see switches.md. Names, addresses and numbers are
 * invented, the formats are the devices' own.
 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/cases/switches/sonic_rig.h"
#include "tests/cases/switches/readings.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

#define MODULES(port, type, application)                                                           \
	decode_ssh("sonic", "modules",                                                             \
		"{'t':['1','0'],'n':1,'xf':['type','model','specification_compliance'],'tf':[],"   \
		"'ports':{'" port "':{'x':['" type "','MODEL-1','N/A'],'h':[],'a':'" application   \
		"'}}}")

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

static const char *pools(const char *commands)
{
	sonic_rig_redis(&rig, -1, commands);
	sonic_rig_learn(&rig, POLL_MEDIUM);
	return model_device(rig.bed.m, "leaf")->pools;
}

static struct obs *optics_of(const char *commands)
{
	begin();
	sonic_rig_redis(&rig, -1, commands);
	return sonic_rig_ask(&rig, POLL_MEDIUM, "optics");
}

static struct obs *down_with(const char *commands)
{
	begin();
	sonic_rig_redis(&rig, -1, "SELECT 0\nHSET PORT_TABLE:Ethernet0 oper_status down\n");
	sonic_rig_redis(&rig, -1, commands);
	return sonic_rig_ask(&rig, POLL_FAST, "fast");
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

/* sonic-utilities 2864: a cable of copper that announces itself by its application. */
CASE(sonic_copper_cable)
{
	struct obs *o = MODULES("Ethernet88", "QSFP-DD Double Density 8X Pluggable Transceiver",
		"{1: {`host_electrical_interface_id`: `400G CR8`, `module_media_interface_id`: "
		"`Copper cable`, `media_lane_count`: 0, `host_lane_count`: 8, "
		"`host_lane_assignment_options`: 1}}");

	assert_null(strstr(reading_word(o, "Ethernet88", ATTR_MEDIA), "DR"));
	assert_null(strstr(reading_word(o, "Ethernet88", ATTR_MEDIA), "SR"));
	assert_non_null(strstr(reading_word(o, "Ethernet88", ATTR_MEDIA), "QSFP-DD"));
	obs_free(o);
}

/* sonic-utilities 4209: an active cable of the 112G generation. */
CASE(sonic_active_cable)
{
	struct obs *o = MODULES("Ethernet128", "QSFP+C or later",
		"{1: {`host_electrical_interface_id`: `400GAUI-4-S C2M (Annex 120G)`, "
		"`module_media_interface_id`: `Active Cable assembly with BER < 2.6x10^-4`, "
		"`media_lane_count`: 4, `host_lane_count`: 4, `host_lane_assignment_options`: 1}}");

	assert_null(strstr(reading_word(o, "Ethernet128", ATTR_MEDIA), "GAUI"));
	assert_null(strstr(reading_word(o, "Ethernet128", ATTR_MEDIA), "DR"));
	obs_free(o);
}

/* sonic-buildimage 8866: fallback selects both members. */
CASE(sonic_fallback_with_two_members)
{
	struct obs *o = decode_ssh("sonic", "optics",
		"{'t':['1','0'],'n':2,'df':['temperature'],'vf':[],'qf':[],'lf':['sys_name'],"
		"'cf':['index','lanes','dom_polling'],'ports':{'Ethernet48':{'d':null,'l':[],'p':"
		"[]},'Ethernet52':{'d':null,'l':[],'p':[]}},'lags':{'PortChannel1':{'c':[null,"
		"'up'],'s':'up','r':'true','m':{'Ethernet48':['enabled','true','true',"
		"'defaulted'],'Ethernet52':['enabled','true','true','defaulted']}}},'pair':null}");

	assert_string_equal(reading_word(o, "PortChannel1", ATTR_OPER), "up");
	expect_state(o, "Ethernet48", "active");
	expect_state(o, "Ethernet52", "active");
	obs_free(o);
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
		"ingress_lossless_pool 50% of 10 MB");
}

/* sonic-mgmt 16802, sonic-swss 3497: the switch's row is disabled, the team selects it. */
CASE(sonic_member_that_the_switch_disables)
{
	struct obs *o = decode_ssh("sonic", "optics",
		"{'t':['1','0'],'n':1,'df':['temperature'],'vf':[],'qf':[],'lf':['sys_name'],"
		"'cf':['index','lanes','dom_polling'],'ports':{'Ethernet48':{'d':null,'l':[],'p':"
		"[]}},'lags':{'PortChannel101':{'c':[null,'up'],'s':'up','r':'true','m':{"
		"'Ethernet48':['disabled','true','true','current']}}},'pair':null}");

	assert_string_equal(reading_word(o, "PortChannel101", ATTR_OPER), "up");
	expect_state(o, "Ethernet48", "suspended: selected, and disabled in the switch");
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
		"egress_lossless_pool 10% of 13.9 MB");
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

	expect_near(reading_value(o, "Ethernet0", "rx_power_dbm", 0), -11.163);
	expect_near(reading_value(o, "Ethernet0", "tx_power_dbm", 0), -10.32);
	/* Neither lit nor measured: nothing of them is a loss of light. */
	for (unsigned lane = 1; lane < 8; lane++) {
		assert_false(reading_is_known(o, "Ethernet0", "rx_power_dbm", lane));
		assert_false(reading_is_known(o, "Ethernet0", "tx_power_dbm", lane));
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

	expect_near(reading_value(o, "Ethernet0", "rx_power_dbm", 1), -0.4871);
	expect_near(reading_value(o, "Ethernet0", "tx_bias_ma", 3), 6.75);
	for (unsigned lane = 0; lane < 4; lane++)
		assert_false(reading_is_known(o, "Ethernet0", "tx_power_dbm", lane));
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
	assert_string_equal(reading_word(o, "PortChannel0001", ATTR_OPER), "down");
	assert_string_equal(reading_word(o, "PortChannel0002", ATTR_OPER), "up");
	assert_string_equal(reading_word(o, "Ethernet4", ATTR_LAG_STATE), "active");
	assert_null(strstr(reading_word(o, "Ethernet0", ATTR_LAG_STATE), "active"));
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

/* sonic-utilities, its sample of errors: faults that were counted, one of them is on. */
CASE_WITH(sonic_port_down_by_a_remote_fault, NULL, end)
{
	struct obs *o = down_with(
		"SELECT 6\nHSET PORT_OPERR_TABLE|Ethernet0 oper_error_status 2 "
		"mac_remote_fault_count 14483 mac_remote_fault_time \"2025-01-17 19:51:12\" "
		"mac_local_fault_count 26 mac_local_fault_time \"2025-01-17 18:40:56\"\n");

	assert_string_equal(reading_word(o, "Ethernet0", ATTR_OPER), "down");
	assert_non_null(strstr(reading_word(o, "Ethernet0", ATTR_DOWN_REASON), "remote fault"));
	obs_free(o);
}

/* The same sample: a module that is too hot. */
CASE_WITH(sonic_port_down_by_its_module, NULL, end)
{
	struct obs *o = down_with("SELECT 6\nHSET TRANSCEIVER_STATUS_SW|Ethernet0 status 67 error "
				  "\"Blocking Error|High temperature\"\n");

	assert_non_null(strstr(reading_word(o, "Ethernet0", ATTR_DOWN_REASON), "High temperature"));
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

	assert_string_equal(reading_word(o, "Ethernet0", ATTR_OPER), "up");
	assert_string_equal(reading_word(o, "Ethernet0", ATTR_ALIAS), "fortyGigE0/8");
	assert_true(isnan(attr_number(at_port(o, "Ethernet0"), ATTR_SPEED_MBPS, 0)));
	obs_free(o);
}

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
	assert_true(reading_value(o, "Ethernet0", "fec_corrected_codewords", 0) == 433513349);
	assert_true(reading_value(o, "Ethernet0", "fec_uncorrectable_codewords", 0) == 0);
	assert_true(reading_value(o, "Ethernet0", "fec_symbol_errors", 0) == 433516981);
	assert_true(reading_value(o, "Ethernet0", "rx_discards", 0) == 2);
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

	assert_string_not_equal(reading_word(o, "PortChannel7", ATTR_OPER), "up");
	assert_null(strstr(reading_word(o, "Ethernet4", ATTR_LAG_STATE), "active"));
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

	assert_string_equal(reading_word(o, "PortChannel1", ATTR_OPER), "down");
	assert_null(strstr(reading_word(o, "Ethernet0", ATTR_LAG_STATE), "active"));
	assert_null(strstr(reading_word(o, "Ethernet4", ATTR_LAG_STATE), "active"));
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
	assert_true(isnan(reading_value(o, "Ethernet0", "pre_fec_ber_media", 0)));
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
