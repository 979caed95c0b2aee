/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/backends/dialects/nxos_bed.h"
#include "tests/support/cases.h"
#include "tests/support/hostile.h"

/* Commands of the CLI: each over both transports, which must come to the same. */

static const enum transport_kind transports[] = {TRANSPORT_SSH, TRANSPORT_HTTPS};
#define EACH_TRANSPORT(b, i)                                                                       \
	for (size_t i = 0; i < 2 && (nxos_bed_open(&(b), transports[i]), true);                    \
		nxos_bed_close(&(b)), i++)

static struct nxos_bed bed;

CASE(identity)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "identity");
		struct obs_port_ref dev = at_port(o, NULL);

		assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "N9K-C9364X");
		assert_string_equal(attr_word(dev, ATTR_SERIAL, 0), "FDO0042OURS");
		assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "10.4(3)");
		assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "leaf-r0-00");
		assert_true(
			attr_number(dev, ATTR_UPTIME_S, 0) == 2 * 86400 + 3 * 3600 + 4 * 60 + 5);
		assert_string_equal(attr_word(dev, ATTR_BOOT_ID, 0), "1");
		assert_int_equal(nxos_need(o, "identity"), VALID_OK);
		assert_int_equal(nxos_need(o, "uptime"), VALID_OK);
		obs_free(o);
	}
}

CASE(states_of_front_panel_ports_only)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "brief");

		assert_int_equal(o->ports.n, 4);
		assert_false(has_port(o, "mgmt0"));
		assert_false(has_port(o, "Ethernet1/1.100"));
		assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_OPER, 0), "up");
		assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_SPEED_MBPS, 0) == 400000);
		assert_true(attr_number(at_port(o, "Ethernet1/2/1"), ATTR_SPEED_MBPS, 0) == 100000);
		assert_string_equal(attr_word(at_port(o, "Ethernet1/3"), ATTR_DOWN_REASON, 0),
			"Link not connected");
		assert_true(isnan(attr_number(at_port(o, "Ethernet1/3"), ATTR_SPEED_MBPS, 0)));
		/* A configured intent is no reason. */
		assert_string_equal(attr_word(at_port(o, "Ethernet1/4"), ATTR_ADMIN, 0), "down");
		assert_string_equal(attr_word(at_port(o, "Ethernet1/4"), ATTR_DOWN_REASON, 0), "");
		obs_free(o);
	}
}

CASE(counters_of_two_sections_add_up)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "counters");
		struct obs_port_ref p = at_port(o, "Ethernet1/1");

		/* More than a double can hold. */
		assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(9007199254740993));
		assert_int_equal(cell_count(p, "rx_packets", 0), 123);
		assert_int_equal(cell_count(p, "tx_bytes", 0), 77);
		assert_int_equal(cell_count(p, "tx_packets", 0), 7);
		assert_int_equal(nxos_need(o, "port counters"), VALID_OK);
		obs_free(o);
	}
}

CASE(errors_in_several_rows_a_port)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "errors");
		struct obs_port_ref p = at_port(o, "Ethernet1/1");

		assert_int_equal(cell_count(p, "rx_fcs_errors", 0), 11);
		assert_int_equal(cell_count(p, "tx_errors", 0), 12);
		assert_int_equal(cell_count(p, "rx_errors", 0), 13);
		assert_int_equal(cell_count(p, "tx_discards", 0), 14);
		assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 15);
		assert_int_equal(cell_count(p, "rx_discards", 0), 16);
		/* "--" is no zero. */
		assert_int_equal(cell_validity(at_port(o, "Ethernet1/2"), "rx_fcs_errors", 0),
			VALID_UNKNOWN);
		obs_free(o);
		/* From now on this command has the discards, not "show interface". */
		o = nxos_bed_group(&bed, "interface");
		assert_int_equal(
			cell_validity(at_port(o, "Ethernet1/1"), "rx_discards", 0), VALID_UNKNOWN);
		obs_free(o);
	}
}

CASE(settings_of_interfaces)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "interface");
		struct obs_port_ref p = at_port(o, "Ethernet1/1");

		assert_true(attr_number(p, ATTR_MTU, 0) == 9216);
		assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
		assert_string_equal(attr_word(p, ATTR_FEC, 0), "rs");
		assert_string_equal(attr_word(p, ATTR_DESCRIPTION, 0), "to node000");
		assert_int_equal(cell_count(p, "link_down_events", 0), 4);
		assert_int_equal(cell_count(p, "rx_pause_frames", 0), 22);
		assert_int_equal(cell_count(p, "tx_pause_frames", 0), 23);
		assert_int_equal(cell_count(p, "rx_discards", 0), 21);
		assert_int_equal(cell_count(p, "rx_stomped_crc", 0), 24);
		assert_int_equal(cell_validity(p, "pfc_rx_duration_us", 3), VALID_UNSUPPORTED);
		assert_int_equal(cell_validity(p, "fec_corrected_codewords", 0), VALID_UNSUPPORTED);
		p = at_port(o, "Ethernet1/2");
		assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 100000);
		assert_int_equal(cell_validity(p, "rx_stomped_crc", 0), VALID_UNSUPPORTED);
		assert_int_equal(cell_validity(p, "link_down_events", 0), VALID_UNSUPPORTED);
		/* The bandwidth of a port that is down is a default. */
		p = at_port(o, "Ethernet1/3");
		assert_true(isnan(attr_number(p, ATTR_SPEED_MBPS, 0)));
		assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "down");
		assert_int_equal(nxos_need(o, "pause duration received"), VALID_UNSUPPORTED);
		assert_int_equal(nxos_need(o, "FEC histogram"), VALID_UNSUPPORTED);
		assert_int_equal(nxos_need(o, "link flaps"), VALID_OK);
		obs_free(o);
	}
}

CASE(queues_and_pauses_per_priority)
{
	const char *cure;

	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "queuing");
		struct obs_port_ref p = at_port(o, "Ethernet1/1");

		assert_int_equal(cell_count(p, "queue_tx_packets", 3), 1023);
		assert_int_equal(cell_count(p, "queue_tx_bytes", 3), 64000);
		assert_int_equal(cell_count(p, "queue_tx_packets", 0), 5);
		/* Not the watchdog's own. */
		assert_int_equal(cell_count(p, "queue_drops", 3), 8);
		assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 55);
		assert_true(cell_value(p, "queue_depth_bytes", 3) == 4160);
		assert_true(cell_count(p, "pfc_rx_frames", 3) == UINT64_C(4294967290));
		assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 9);
		assert_int_equal(cell_count(p, "pfc_tx_frames", 0), 0);
		assert_int_equal(cell_validity(p, "pfc_rx_frames", 0), VALID_UNKNOWN);
		assert_true(o->narrow[CTR_PFC_RX_FRAMES] && !o->narrow[CTR_QUEUE_TX_BYTES]);
		/* A queue without a line for ECN does not mark. */
		p = at_port(o, "Ethernet1/2");
		assert_int_equal(cell_count(p, "queue_tx_packets", 3), 2);
		assert_int_equal(cell_validity(p, "ecn_marked_packets", 3), VALID_DISABLED);
		assert_non_null(strstr(cell_cure(p, "ecn_marked_packets", 3), "random-detect"));
		assert_int_equal(cell_validity(p, "queue_drops", 3), VALID_UNSUPPORTED);
		assert_int_equal(capability_of(o, "PFC frames per priority", &cure), VALID_OK);
		assert_int_equal(capability_of(o, "ECN marks", &cure), VALID_OK);
		obs_free(o);
	}
}

CASE(watchdog_with_its_times)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o;
		struct obs_port_ref p;

		facts_set(&bed.facts, "nxos.wd.stop", "4");
		facts_set(&bed.facts, "nxos.wd.back", "10");
		o = nxos_bed_group(&bed, "watchdog");
		p = at_port(o, "Ethernet1/1");
		assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
		assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "drop");
		assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 4);
		assert_int_equal(cell_count(p, "pfcwd_storm_restored", 3), 3);
		assert_int_equal(cell_count(p, "pfcwd_drops", 3), 205);
		assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 400);
		assert_true(attr_number(p, ATTR_PFCWD_RESTORE_MS, 3) == 1000);
		/* Everything in one word, and a multiplier of its own. */
		p = at_port(o, "Ethernet1/2");
		assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "operational");
		assert_string_equal(attr_word(p, ATTR_PFCWD_ACTION, 3), "alert");
		assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 700);
		assert_int_equal(cell_validity(p, "pfcwd_drops", 3), VALID_UNSUPPORTED);
		p = at_port(o, "Ethernet1/3");
		assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "off");
		assert_true(attr_number(at_port(o, NULL), ATTR_PFCWD_POLL_MS, 0) == 100);
		assert_int_equal(nxos_need(o, "PFC watchdog"), VALID_OK);
		obs_free(o);
	}
}

CASE(a_watchdog_that_is_off_everywhere)
{
	const char *cure;
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "watchdog",
		"{\"TABLE_queuing_interface\":{\"ROW_queuing_interface\":{\"if_name_str\":"
		"\"Ethernet1/1\",\"wd-status\":\"Disabled\"}}}");
	assert_int_equal(capability_of(o, "PFC watchdog", &cure), VALID_DISABLED);
	assert_non_null(strstr(cure, "watch-dog-interval on"));
	obs_free(o);
	nxos_bed_close(&bed);
}

/* A release prints the status behind the name; another one may print none: that is not off. */
CASE(a_watchdog_whose_status_is_elsewhere)
{
	static const char group[] =
		"\"TABLE_qosgrp_stats\":{\"ROW_qosgrp_stats\":{\"eq-qosgrp\":\"3 [Active] PFC "
		"[YES] "
		"PFC-COS "
		"[3]\",\"TABLE_qosgrp_stats_entry\":{\"ROW_qosgrp_stats_entry\":[{\"q-stat-type\":"
		"\"Shutdown\",\"q-shutdown\":\"2\"},{\"q-stat-type\":\"Restored\",\"q-restored\":"
		"\"1\"},"
		"{\"q-stat-type\":\"Aggregate pkts dropped\",\"q-aggr-pkt-dropped\":\"77\"}]}}}";
	const char *cure;
	char text[1500];
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	(void)str_printf(text, sizeof(text),
		"{\"TABLE_queuing_interface\":{\"ROW_queuing_interface\":[{\"if_name_str\":"
		"\"Ethernet1/1/1 Interface PFC watchdog: [Enabled]\",%s},{\"if_name_str\":"
		"\"Ethernet1/1/2 Interface PFC watchdog: [Disabled]\"}]}}",
		group);
	o = nxos_bed_parse(&bed, "watchdog", text);
	assert_string_equal(
		attr_word(at_port(o, "Ethernet1/1/1"), ATTR_PFCWD_STATE, 3), "operational");
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "pfcwd_storm_detected", 3), 2);
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "pfcwd_storm_restored", 3), 1);
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "pfcwd_drops", 3), 77);
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1/2"), ATTR_PFCWD_STATE, 3), "off");
	assert_int_equal(capability_of(o, "PFC watchdog", &cure), VALID_OK);
	obs_free(o);
	(void)str_printf(text, sizeof(text),
		"{\"TABLE_queuing_interface\":{\"ROW_queuing_interface\":{\"if_name_str\":"
		"\"Ethernet1/1/1\",%s}}}",
		group);
	o = nxos_bed_parse(&bed, "watchdog", text);
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1/1"), ATTR_PFCWD_STATE, 3), "(none)");
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "pfcwd_storm_detected", 3), 2);
	assert_int_equal(capability_of(o, "PFC watchdog", &cure), VALID_OK);
	assert_int_equal(capability_of(o, "PFC watchdog settings", &cure), VALID_UNSUPPORTED);
	obs_free(o);
	nxos_bed_close(&bed);
}

static char *queuing_of(const char *groups, char *text, size_t size)
{
	static const char stats[] =
		"\"TABLE_qosgrp_egress_stats_entry\":{\"ROW_qosgrp_egress_stats_entry\":["
		"{\"eq-stat-type\":\"Tx\",\"eq-stat-units\":\"Pkts\",\"eq-uc-stat-value\":\"1000\","
		"\"eq-oobfc-uc-stat-value\":\"0\",\"eq-mc-stat-value\":\"5\"},"
		"{\"eq-stat-type\":\"Dropped\",\"eq-stat-units\":\"Pkts\",\"eq-uc-stat-value\":"
		"\"7\","
		"\"eq-mc-stat-value\":\"1\"}]}";
	size_t n;

	(void)str_copy(text, size,
		"{\"TABLE_module\":{\"ROW_module\":{\"TABLE_queuing_interface\":{"
		"\"ROW_queuing_interface\":{\"dir\":\"Egress\",\"if_name_str\":\"Ethernet1/1/1 "
		"queuing "
		"information\",\"TABLE_qosgrp_egress_stats\":{\"ROW_qosgrp_egress_stats\":[");
	for (const char *g = groups; *g; g++) {
		n = strlen(text);
		(void)str_printf(text + n, size - n, "%s{\"eq-qosgrp\":\"%c\",%s}",
			g > groups ? "," : "", *g, stats);
	}
	n = strlen(text);
	(void)str_copy(text + n, size - n, "]}}}}}}");
	return text;
}

/* With four queues, the groups 5 and 6 are the control and the SPAN queue. */
CASE(control_and_span_are_no_priorities)
{
	char text[6000];
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "queuing", queuing_of("0356", text, sizeof(text)));
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "queue_tx_packets", 3), 1005);
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "queue_drops", 3), 8);
	for (unsigned p = 5; p <= 6; p++)
		assert_int_equal(cell_validity(at_port(o, "Ethernet1/1/1"), "queue_tx_packets", p),
			VALID_UNKNOWN);
	obs_free(o);
	o = nxos_bed_parse(&bed, "queuing", queuing_of("01234567", text, sizeof(text)));
	assert_int_equal(cell_count(at_port(o, "Ethernet1/1/1"), "queue_tx_packets", 5), 1005);
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(optics_lane_by_lane)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "optics");
		struct obs_port_ref p = at_port(o, "Ethernet1/1");

		assert_true(fabs(cell_value(p, "rx_power_dbm", 0) + 2.3) < 1e-9);
		assert_true(fabs(cell_value(p, "tx_bias_ma", 1) - 56.0) < 1e-9);
		/* "N/A" of a module that measures: there is no light. */
		assert_true(cell_value(p, "rx_power_dbm", 1) <= -40);
		assert_true(fabs(cell_value(p, "temperature_c", 0) - 41.5) < 1e-9);
		assert_true(attr_number(p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) == -9.5);
		assert_true(attr_number(p, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_WARN) == 75);
		assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "OURS0001");
		p = at_port(o, "Ethernet1/2");
		assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "QSFP-DD-400G-COPPER");
		assert_int_equal(cell_validity(p, "rx_power_dbm", 0), VALID_UNSUPPORTED);
		assert_true(fabs(cell_value(at_port(o, "Ethernet1/3"), "tx_power_dbm", 0) + 1.8) <
			    1e-9);
		assert_int_equal(nxos_need(o, "optics: thresholds"), VALID_OK);
		obs_free(o);
	}
}

static const struct obs_bgp *session(const struct obs *o, const char *peer)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer))
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

CASE(bgp_out_of_two_commands)
{
	EACH_TRANSPORT(bed, i)
	{
		struct obs *o = nxos_bed_group(&bed, "bgp");
		const struct obs_bgp *s = session(o, "10.64.0.1");

		assert_int_equal(o->bgp.n, 4);
		assert_true(o->bgp_whole);
		assert_int_equal(s->state, BGP_ESTABLISHED);
		assert_true(s->since_s == 2 * 86400 + 16 * 3600 + 8 * 60 + 52);
		assert_int_equal(s->prefixes, 7);
		assert_int_equal(s->drops, 2);
		assert_int_equal(s->remote_as, 64520);
		s = session(o, "10.64.0.3");
		assert_int_equal(s->state, BGP_IDLE);
		assert_int_equal(s->remote_as, 65546);
		assert_true(s->since_s == 90);
		assert_int_equal(s->drops, 5);
		/* Nothing is accepted over a session that is down; that is no zero. */
		assert_true(s->prefixes == UINT64_MAX);
		s = session(o, "10.64.0.5");
		assert_int_equal(s->state, BGP_ADMIN_DOWN);
		assert_true(isnan(s->since_s));
		s = session(o, "fd00::1");
		assert_int_equal(s->afi, BGP_EVPN);
		assert_string_equal(obs_text(o, s->vrf), "storage");
		assert_true(s->since_s == 45 * 86400);
		assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 64512);
		assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.9.0.1");
		obs_free(o);
	}
}

CASE(neighbours_and_who_has_none)
{
	char text[128];
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_group(&bed, "lldp");
	assert_string_equal(
		lldp_of(at_port(o, "Ethernet1/1"), text, sizeof(text)), "spine-001:Ethernet1/9");
	assert_string_equal(lldp_of(at_port(o, "Ethernet1/2"), text, sizeof(text)), "node000:eth0");
	assert_string_equal(lldp_of(at_port(o, "Ethernet1/3"), text, sizeof(text)), ":");
	assert_false(has_port(o, "mgmt0"));
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_LLDP_MGMT, 0), "10.0.0.9");
	assert_int_equal(nxos_need(o, "LLDP neighbours"), VALID_OK);
	obs_free(o);
	nxos_bed_close(&bed);
}

/* The session ended between the two commands: that is no word about neighbours. */
CASE(neighbours_that_did_not_come_are_not_gone)
{
	char *answer, text[128];
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	answer = nxos_bed_answer(&bed, "lldp");
	*strstr(answer, "{\"neigh_hdr") = '\0';
	o = nxos_bed_parse(&bed, "lldp", answer);
	assert_true(has_port(o, "Ethernet1/1"));
	assert_string_equal(lldp_of(at_port(o, "Ethernet1/1"), text, sizeof(text)), "(none)");
	assert_int_equal(nxos_need(o, "LLDP neighbours"), VALID_UNKNOWN);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	obs_free(o);
	free(answer);
	nxos_bed_close(&bed);
}

/* The start is told in local time: when the clocks are changed nothing was restarted. */
CASE(a_start_does_not_move_with_the_clocks)
{
	static const char *const starts[] = {"Sun Oct 26 01:59:58 2025", "Sun Oct 26 00:59:58 2025",
		"Sun Oct 26 13:59:58 2025", "Sun Oct 26 01:58:58 2025"};
	char answer[128], first[32] = "";

	nxos_bed_open(&bed, TRANSPORT_SSH);
	for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++) {
		struct obs *o;

		str_printf(answer, sizeof(answer), "{\"sys_st_time\": \"%s\"}", starts[i]);
		o = nxos_bed_parse(&bed, "identity", answer);
		if (!i)
			str_copy(
				first, sizeof(first), attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0));
		assert_int_equal(
			strcmp(first, attr_word(at_port(o, NULL), ATTR_BOOT_ID, 0)) == 0, i < 3);
		obs_free(o);
	}
	nxos_bed_close(&bed);
}

CASE(tables_in_pieces_are_read_whole)
{
	static const char answer[] =
		"{\"TABLE_interface\": [{\"ROW_interface\": {\"interface\": \"Ethernet1/1\", "
		"\"state\": \"up\"}}, 7, {\"ROW_interface\": [{\"interface\": \"Ethernet1/2\", "
		"\"state\": \"down\"}]}]}";
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "brief", answer);
	assert_string_equal(attr_word(at_port(o, "Ethernet1/1"), ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(at_port(o, "Ethernet1/2"), ATTR_OPER, 0), "down");
	obs_free(o);
	nxos_bed_close(&bed);
}

CASE(flow_control_that_is_off_names_no_priorities)
{
	static const char answer[] =
		"{\"TABLE_pfc_interface\": {\"ROW_pfc_interface\": [{\"if_name_str\": "
		"\"Ethernet1/1\","
		"\"admin\": \"Auto\", \"oper\": \"Off\"}, {\"if_name_str\": \"Ethernet1/2\", "
		"\"admin\": \"Off\", \"oper\": \"Off\", \"vl-bmap\": \"-\"}, {\"if_name_str\": "
		"\"Ethernet1/3\", \"admin\": \"Auto\", \"oper\": \"On\"}]}}";
	struct obs *o;

	nxos_bed_open(&bed, TRANSPORT_SSH);
	o = nxos_bed_parse(&bed, "settings", answer);
	assert_true(attr_number(at_port(o, "Ethernet1/1"), ATTR_PFC_ENABLED, 0) == 0);
	assert_true(attr_number(at_port(o, "Ethernet1/2"), ATTR_PFC_ENABLED, 0) == 0);
	/* PFC is on, but its priorities are unknown. */
	assert_true(isnan(attr_number(at_port(o, "Ethernet1/3"), ATTR_PFC_ENABLED, 0)));
	obs_free(o);
	nxos_bed_close(&bed);
}

static void hostile_answers_of(const struct nxos_bed *b, const char *group)
{
	char *good = nxos_bed_answer(b, group);

	hostile_answers(backend_by_name("nxos"), &b->target, group, good, strlen(good));
	free(good);
}

CASE(hostile_answers_of_the_cli)
{
	static const char *const groups[] = {"identity", "brief", "counters", "errors", "interface",
		"queuing", "watchdog", "optics", "bgp"};

	EACH_TRANSPORT(bed, i)
	{
		for (size_t k = 0; k < sizeof(groups) / sizeof(groups[0]); k++) {
			hostile_answers_of(&bed, groups[k]);
		}
	}
	nxos_bed_open(&bed, TRANSPORT_SSH);
	hostile_answers_of(&bed, "lldp");
	nxos_bed_close(&bed);
}

CASES_MAIN(NULL, NULL)
