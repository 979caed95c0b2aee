/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Segments of EVPN multihoming, buffer pools, schedulers and diagnostics of the signal, as public
 * outputs show them. Names, addresses and numbers are invented, the formats are the devices' own:
 * see switches.md.
 */
#include <math.h>
#include <string.h>

#include "backends/contract/facts.h"
#include "base/str.h"
#include "fabric/vocabulary/pools.h"
#include "tests/support/cases.h"
#include "tests/support/decode_text.h"
#include "tests/support/obs_find.h"

static const char *pair_of(const struct obs *o, const char *bundle)
{
	return attr_word(at_port(o, bundle), ATTR_LAG_PAIR, 0);
}

static const char *schedule_of(const struct obs *o, const char *port)
{
	return attr_word(at_port(o, port), ATTR_SCHEDULER, 0);
}

static const char *pools_of(const struct obs *o)
{
	return attr_word(at_port(o, NULL), ATTR_POOLS, 0);
}

static enum validity said(const struct obs *o, const char *need)
{
	const char *cure;

	return capability_of(o, need, &cure);
}

/* ---- segments of EVPN multihoming ---- */

/* A schema of NX-OS and a fabric controller: one row is no list; a multisite gateway has nve1. */
CASE(nxos_segments_of_bundles)
{
	struct obs *o = decode_ssh("nxos", "segments",
		"{'TABLE_es':{'ROW_es':[{'esi':'0300.0000.0001.2c00.0309','if-name':'nve1',"
		"'es-state':'Up','po-state':'N/A','num-es-mem':'2'},{'esi':"
		"'0012.3400.0000.0000.0011','if-name':'port-channel11','es-state':'Up',"
		"'po-state':'Up','nve-if-name':'nve1','nve-state':'Up','num-es-mem':'2',"
		"'df-list':'10.0.0.1 10.0.0.2'},{'esi':'0012.3400.0000.0000.0012','if-name':"
		"'port-channel12','es-state':'Up','num-es-mem':1},{'esi':"
		"'0012.3400.0000.0000.0013','if-name':'Po13','es-state':'Down','num-es-mem':'2'"
		"}]}}");

	assert_string_equal(pair_of(o, "port-channel11"), "segment 0012.3400.0000.0000.0011 up");
	assert_string_equal(
		pair_of(o, "port-channel12"), "segment 0012.3400.0000.0000.0012 up alone");
	assert_string_equal(pair_of(o, "port-channel13"), "segment 0012.3400.0000.0000.0013 down");
	assert_int_equal(o->ports.n, 3);
	obs_free(o);
	/* The summary has three fields: nothing is known of other switches. */
	o = decode_ssh("nxos", "segments",
		"{'TABLE_es':{'ROW_es':{'esi':'0012.3400.0000.0000.0011','es-state':'up',"
		"'if-name':'port-channel11'}}}");
	assert_string_equal(pair_of(o, "port-channel11"), "segment 0012.3400.0000.0000.0011 up");
	obs_free(o);
}

/* FRR on SONiC; and what it prints without multihoming, or without the right. */
CASE(sonic_segments_of_bundles)
{
	struct obs *o = decode_ssh("sonic", "segments",
		"[{'esi':'03:44:38:39:ff:ff:01:00:00:01','type':'local,remote','flags':['local',"
		"'remote'],'accessPort':'PortChannel01','operUp':true,'vteps':[{'vtep':"
		"'10.0.0.13'}]},{'esi':'03:44:38:39:ff:ff:01:00:00:02','flags':['local'],"
		"'accessPort':'PortChannel02','operUp':false}]\n");

	assert_string_equal(
		pair_of(o, "PortChannel01"), "segment 03:44:38:39:ff:ff:01:00:00:01 up");
	assert_string_equal(
		pair_of(o, "PortChannel02"), "segment 03:44:38:39:ff:ff:01:00:00:02 down");
	obs_free(o);
	o = decode_ssh("sonic", "segments", "% Unknown command: show evpn es json\n");
	assert_int_equal(o->items.n, 0);
	obs_free(o);
}

/* A bundle that left its segment: both an answer without it and an empty list say so. */
CASE(a_bundle_leaves_its_segment)
{
	static const char *const texts[] = {"[{'esi':'03:00:00:00:00:00:01:00:00:02','flags':["
					    "'local'],'accessPort':'PortChannel02'}]",
		"[]"};
	struct facts facts = {0};
	const struct target t = {.device = "leaf",
		.tier = TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.facts = &facts,
		.lossless = 8};

	facts_set(&facts, "segments", "PortChannel01 PortChannel02");
	for (size_t i = 0; i < 2; i++) {
		struct obs *o = obs_new("leaf", "segments");
		struct err err = {0};
		char bytes[256];

		assert_true(str_copy(bytes, sizeof(bytes), texts[i]));
		for (char *c = bytes; *c; c++)
			*c = *c == '\'' ? '"' : *c;
		assert_true(backend_by_name("sonic")->parse(
			&t, "segments", bytes, strlen(bytes), o, &err));
		assert_string_equal(pair_of(o, "PortChannel01"), "");
		if (i)
			assert_string_equal(pair_of(o, "PortChannel02"), "");
		else
			assert_non_null(strstr(pair_of(o, "PortChannel02"), "unknown alone"));
		obs_free(o);
	}
	facts_free(&facts);
}

/* A part of each ASIC; one without an answer leaves what was known. */
CASE(sonic_segments_of_several_asics)
{
	static const char *const texts[] = {
		"@asic asic0\n[{\"esi\":\"03:00:00:00:00:00:01:00:00:02\",\"flags\":[\"local\"],"
		"\"accessPort\":\"PortChannel02\",\"operUp\":true}]\n@asic asic1\n[]\n",
		"@asic asic0\n@asic asic1\n[]\n"};
	struct facts facts = {0};
	const struct target t = {.device = "leaf",
		.tier = TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.facts = &facts,
		.lossless = 8};

	facts_set(&facts, "segments", "PortChannel01");
	for (size_t i = 0; i < 2; i++) {
		struct obs *o = obs_new("leaf", "segments");
		struct err err = {0};

		assert_true(backend_by_name("sonic")->parse(
			&t, "segments", texts[i], strlen(texts[i]), o, &err));
		if (i) {
			assert_int_equal(o->items.n, 0);
		} else {
			assert_string_equal(pair_of(o, "PortChannel01"), "");
			assert_string_equal(pair_of(o, "PortChannel02"),
				"segment 03:00:00:00:00:00:01:00:00:02 up alone");
		}
		obs_free(o);
	}
	facts_free(&facts);
}

static bool asks(const struct facts *facts, const char *request)
{
	struct target t = {.device = "leaf",
		.tier = TIER_LEAF,
		.transport = TRANSPORT_SSH,
		.facts = facts,
		.lossless = 8};
	struct request_list l = {0};
	struct err err = {0};
	bool any = false;

	assert_true(backend_by_name("sonic")->plan(&t, POLL_MEDIUM, &l, &err));
	for (size_t i = 0; i < l.at.n; i++) {
		any |= str_eq(l.at.at[i].name, request);
		assert_true(backend_by_name("sonic")->reads(&l.at.at[i]));
	}
	requests_free(&l);
	return any;
}

/* A switch without bundles is not asked for their segments: each vtysh starts a container's. */
CASE(sonic_asks_for_segments_of_bundles_only)
{
	struct facts facts = {0};

	assert_false(asks(&facts, "segments"));
	facts_set(&facts, "bundles", "no");
	assert_false(asks(&facts, "segments"));
	facts_set(&facts, "bundles", "yes");
	assert_true(asks(&facts, "segments"));
	facts_free(&facts);
}

/* ---- pools ---- */

CASE(pools_are_read_as_they_are_written)
{
	struct pool p = pool_named("Ingress Data"), back;
	char text[POOLS_TEXT] = "", small[24] = "egress 1%";
	const char *next;

	p.peak = 0.958;
	p.size = 25.2e6;
	p.headroom_peak = 0.165;
	p.headroom_size = 5.24e6;
	p.now = 0.031;
	assert_true(pools_add(text, sizeof(text), &p));
	p = pool_named("lossy");
	p.size = 12e6;
	assert_true(pools_add(text, sizeof(text), &p));
	assert_string_equal(text,
		"Ingress-Data 95.8% of 25.2 MB, headroom 16.5% of 5.24 MB, now 3.1%; "
		"lossy unknown of 12 MB");
	next = pools_next(text, &back);
	assert_string_equal(back.name, "Ingress-Data");
	assert_true(fabs(back.peak - 0.958) < 1e-9 && fabs(back.headroom_peak - 0.165) < 1e-9);
	assert_true(fabs(back.now - 0.031) < 1e-9 && back.size == 25.2e6);
	next = pools_next(next, &back);
	assert_non_null(next);
	assert_string_equal(back.name, "lossy");
	assert_true(isnan(back.peak) && isnan(back.now) && back.size == 12e6);
	assert_null(pools_next(next, &back));
	assert_null(pools_next("words without a share", &back));
	assert_null(pools_next("", &back));
	/* No room: the text stays as it was. */
	assert_false(pools_add(small, sizeof(small), &p));
	assert_string_equal(small, "egress 1%");
}

/* Two collectors of NX-OS: cells of an instance of the chip, lossy and lossless. */
CASE(nxos_shared_cells)
{
	struct obs *o = decode_ssh("nxos", "buffers",
		"{'TABLE_module':{'ROW_module':{'module_number':'1','TABLE_instance':{"
		"'ROW_instance':[{'instance':'0','total_instant_usage_drop_pg':'10',"
		"'rem_instant_usage_drop_pg':'49990','max_cell_usage_drop_pg':'25000',"
		"'switch_cell_count_drop_pg':'50000','total_instant_usage_no_drop_pg':'120',"
		"'rem_instant_usage_no_drop_pg':'11880','max_cell_usage_no_drop_pg':'11640'}]}}}}");

	assert_string_equal(pools_of(o), "lossless-1-0 97%, now 1%; lossy-1-0 50%, now 0.02%");
	assert_int_equal(said(o, "buffer pools"), VALID_OK);
	obs_free(o);
	o = decode_ssh("nxos", "buffers", "{}");
	assert_int_equal(said(o, "buffer pools"), VALID_UNSUPPORTED);
	obs_free(o);
}

/* The reference of NVUE: pools by their number, one of them in use; and of the RoCE status. */
CASE(cumulus_pools)
{
	struct obs *o = decode_ssh("cumulus", "pools",
		"{'0':{'pool-type':'Ingress Data','direction':'INGRESS','mode':'DYNAMIC',"
		"'pool-size':'25.14 MB','current-usage':'0 Bytes','max-usage':'0 Bytes'},'2':{"
		"'pool-type':'User data buffer','direction':'INGRESS','mode':'DYNAMIC',"
		"'pool-size':'20.00 MB','current-usage':'200.00 KB','max-usage':'19.60 MB'}}");

	assert_string_equal(pools_of(o), "INGRESS-User-data-buffer 98% of 21 MB, now 0.977%; "
					 "Ingress-Data 0% of 26.4 MB, now 0%");
	assert_int_equal(said(o, "buffer pools"), VALID_OK);
	obs_free(o);
	o = decode_ssh("cumulus", "roce-status",
		"{'swp1':{'mode':'lossless','pool-map':{'0':{'name':'lossy-default-ingress',"
		"'mode':'DYNAMIC','pool-id':2,'size':'15.16 MB','current-usage':'0 Bytes',"
		"'max-usage':'16.00 MB'},'1':{'name':'roce-reserved-ingress','mode':'DYNAMIC',"
		"'pool-id':3,'size':'15.16 MB','current-usage':'7.30 MB','max-usage':'7.90 MB'},"
		"'3':{'name':'roce-reserved-egress','mode':'DYNAMIC','pool-id':14,'size':'inf',"
		"'current-usage':'7.29 MB','max-usage':'13.47 MB'}},'tc-map':{'cnp':{"
		"'switch-prio':6,'traffic-class':6,'scheduler-weight':'strict priority'},'roce':{"
		"'switch-prio':3,'traffic-class':3,'scheduler-weight':'dwrr-50%'}}}}");
	assert_non_null(strstr(pools_of(o), "roce-reserved-ingress 52.1% of 15.9 MB, now 48.2%"));
	assert_non_null(strstr(pools_of(o), "lossy-default-ingress 106% of 15.9 MB, now 0%"));
	/* "inf" is no size. */
	assert_null(strstr(pools_of(o), "egress"));
	assert_string_equal(schedule_of(o, "swp1"), "3:DWRR 50 6:STRICT");
	obs_free(o);
}

/* Names that no manual has: unsupported, not a switch without pools. */
CASE(cumulus_pools_of_another_release)
{
	struct obs *o = decode_ssh("cumulus", "pools",
		"{'0':{'kind':'Ingress Data','bytes':'25.14 MB','used':'0 Bytes'}}");

	assert_int_equal(said(o, "buffer pools"), VALID_UNSUPPORTED);
	obs_free(o);
}

/* ---- schedulers ---- */

/* A guide for EOS: `show qos interfaces`, a bundle before a port. */
CASE(eos_schedulers)
{
	struct obs *o = decode_ssh("eos", "schedulers",
		"Port-Channel33:\n   Trust Mode: DSCP\n   Port shaping rate: enabled\n"
		"   3        25          - ( - )           24.9      (Gbps)   SP        D     \n"
		"\nEthernet1/1:\n   Trust Mode: DSCP\n   Default COS: 0\n"
		"   Port shaping rate: disabled\n\n"
		"  Tx    Bandwidth     Bandwidth                   Shape Rate     Priority   "
		"ECN/WRED\n Queue  (percent)     Guaranteed (units)           (units)\n"
		" -------------------------------------------------------------------------\n"
		"   7        -             - ( - )              -            ( - )      SP     D\n"
		"   6        -             - ( - )              -            ( - )      SP     D\n"
		"   3        60            - ( - )           24.9      (Gbps)   RR       L\n"
		"   1        40            - ( - )           39.6      (Gbps)   RR       D\n"
		"   0        -             - ( - )              -            ( - )      RR     D\n"
		"\nNote: Values are displayed as Operational/Configured\n");

	assert_string_equal(
		schedule_of(o, "Ethernet1/1"), "0:RR 1:RR 40 3:RR 60 6:STRICT 7:STRICT");
	assert_int_equal(o->ports.n, 1);
	assert_int_equal(said(o, "queue schedulers"), VALID_OK);
	obs_free(o);
}

/* Command reference of NX-OS 9.3: TABLE_qosgrp_cfg beside the counters. */
CASE(nxos_schedulers)
{
	struct obs *o = decode_ssh("nxos", "queuing",
		"{'TABLE_module':{'ROW_module':{'TABLE_queuing_interface':{"
		"'ROW_queuing_interface':[{'dir':'Egress','if_name_str':'Ethernet1/1',"
		"'TABLE_qosgrp_cfg':{'ROW_qosgrp_cfg':[{'qosgrp':'7','bandwidth':'-','priority':"
		"'1'},{'qosgrp':'3','bandwidth':'50','priority':'-'},{'qosgrp':'1','bandwidth':0,"
		"'priority':'-'},{'qosgrp':'0','bandwidth':50}]},'TABLE_qosgrp_egress_stats':{"
		"'ROW_qosgrp_egress_stats':[{'eq-qosgrp':'7','TABLE_qosgrp_egress_stats_entry':{"
		"'ROW_qosgrp_egress_stats_entry':[{'eq-stat-type':'Tx','eq-stat-units':'Pkts',"
		"'eq-uc-stat-value':'5'}]}}]}}]}}}}");

	assert_string_equal(schedule_of(o, "Ethernet1/1"), "0:DWRR 50 1:DWRR 0 3:DWRR 50 7:STRICT");
	obs_free(o);
}

/* The reference of NVUE: a port's own scheduler profile. */
CASE(cumulus_schedulers)
{
	struct obs *o = decode_ssh("cumulus", "settings",
		"@swp1\n{'egress-scheduler':{'profile':'default-global','traffic-class':{'0':{"
		"'mode':'strict'},'2':{'bw-percent':30,'mode':'dwrr'},'3':{'bw-percent':20,"
		"'mode':'dwrr'}}}}\n");

	assert_string_equal(schedule_of(o, "swp1"), "0:STRICT 2:DWRR 30 3:DWRR 20");
	obs_free(o);
}

/* ---- diagnostics of the signal ---- */

/* An SNMP extension of EOS reads them: by channel, and of the module. */
CASE(eos_signal_of_a_module)
{
	struct obs *o = decode_ssh("eos", "optics",
		"{'interfaces':{'Ethernet1/1':{'displayName':'Ethernet1/1','vendorSn':'SN1',"
		"'mediaType':'400GBASE-DR4','parameters':{'snr':{'unit':'dB','channels':{'1':21.5,"
		"'2':19.25,'3':0.0}},'preFecBERCurr':{'unit':'','channels':{'-':1.5e-6}},"
		"'temperature':{'unit':'C','channels':{'-':51.0}}}},'Ethernet2/1':{'parameters':{"
		"'temperature':{'unit':'C','channels':{'-':40.0}}}}}}");

	assert_true(cell_value(at_port(o, "Ethernet1/1"), "esnr_media_db", 0) == 19.25);
	assert_true(cell_value(at_port(o, "Ethernet1/1"), "pre_fec_ber_media", 0) == 1.5e-6);
	assert_int_equal(said(o, "optics: signal quality"), VALID_OK);
	obs_free(o);
	o = decode_ssh("eos", "optics",
		"{'interfaces':{'Ethernet2/1':{'parameters':{'temperature':{'unit':'C','channels'"
		":{'-':40.0}}}}}}");
	assert_int_equal(said(o, "optics: signal quality"), VALID_UNSUPPORTED);
	obs_free(o);
}

/* ---- chassis ---- */

static unsigned events_of(const struct obs *o, const char *words)
{
	unsigned n = 0;

	for (size_t i = 0; i < o->items.n; i++)
		n += o->items.at[i].kind == OBS_EVENT &&
		     strstr(obs_text(o, o->items.at[i].text), words);
	return n;
}

/*
 * A test suite for chassis and aristanetworks/anta: drops of the chip. An access list's are meant;
 * what was dropped last week is no news.
 */
CASE(eos_drops_of_a_chip)
{
	struct obs *o = decode_ssh("eos", "drops",
		"{'totalPacketProcessorDrops':64,'totalCongestionDrops':7,'totalAdverseDrops':6,"
		"'dropEvents':{'Jericho6/0':{'dropEvent':[{'lastEventTime':'2024-01-09 16:49:12',"
		"'eventCount':1,'dropInLastMinute':64,'dropCount':64,'counterType':"
		"'PacketProcessor','counterId':48,'counterName':'dropVoqInMcastEmptyMcid'},{"
		"'dropInLastMinute':7,'dropCount':7,'counterType':'Congestion','counterName':"
		"'DeqDeletePktCnt'},{'counterName':'ReassemblyErrors','counterType':'Adverse',"
		"'dropCount':6,'dropInLastMinute':0,'dropInLastOneWeek':6}]}}}");

	assert_int_equal(events_of(o, "Jericho6/0 DeqDeletePktCnt, 7 in the last minute"), 1);
	assert_int_equal(events_of(o, ""), 1);
	obs_free(o);
}

/* A chassis of EOS reads its virtual output queues, and says that credit is not counted by port. */
CASE(eos_chassis_without_credit_counters)
{
	struct obs *o = decode_ssh("eos", "queues",
		"{'ingressVoqCounters':{'interfaces':{'Ethernet3/1/1':{'trafficClasses':{'TC3':{"
		"'ingressVoqCounters':{'countersSum':{'enqueuedPackets':100,'droppedPackets':9}}}}"
		"}}}}");

	assert_true(cell_value(at_port(o, "Ethernet3/1/1"), "queue_drops", 3) == 9);
	assert_int_equal(cell_validity(at_port(o, "Ethernet3/1/1"), "credit_wd_drops", 0),
		VALID_UNSUPPORTED);
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
