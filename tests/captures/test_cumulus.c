/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "backends/contract/backend.h"
#include "base/str.h"
#include "tests/captures/covered.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"
#include "tests/support/run_command.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define CL3          "switches/cumulus/cl3/"
#define DERIVED      "switches/cumulus/derived/"

static struct facts facts;
static struct target leaf = {.device = "leaf01",
	.tier = TIER_LEAF,
	.transport = TRANSPORT_HTTPS,
	.lossless = 1u << 3,
	.facts = &facts};

static struct covered needs[] = {{"identity", NOTHING}, {"uptime", NOTHING},
	{"port state", NOTHING}, {"port counters", NOTHING}, {"link flaps", NOTHING},
	{"FEC counters", NOTHING}, {"FEC histogram", NOTHING}, {"pre-FEC BER", NOTHING},
	{"PFC frames per priority", NOTHING}, {"pause duration received", NOTHING},
	{"pause duration sent", NOTHING}, {"queue counters", NOTHING}, {"queue drops", NOTHING},
	{"ECN marks", NOTHING}, {"queue watermarks", NOTHING}, {"priority-group drops", NOTHING},
	{"ECN settings", NOTHING}, {"PFC settings", NOTHING}, {"DSCP and queue maps", NOTHING},
	{"PFC watchdog", NOTHING}, {"PFC watchdog settings", NOTHING},
	{"optics: light received", NOTHING}, {"optics: light sent", NOTHING},
	{"optics: bias current", NOTHING}, {"optics: temperature", NOTHING},
	{"optics: thresholds", NOTHING}, {"LLDP neighbours", NOTHING}, {"BGP sessions", NOTHING},
	{"hash settings", NOTHING}, {"event log", NOTHING}};

static void by(const char *need, enum evidence e)
{
	covered(needs, ARRAY_LEN(needs), need, e);
}

static bool near(double a, double b)
{
	return fabs(a - b) < 1e-6;
}

static struct obs *decode_text(
	enum transport_kind transport, const char *request, const char *text, size_t len)
{
	struct obs *o = obs_new(leaf.device, request);
	struct err err = {0};

	leaf.transport = transport;
	if (!backend_by_name("cumulus")->parse(&leaf, request, text, len, o, &err))
		fail_msg("%s: %s", request, err.text);
	assert_int_equal(o->err.code, ERR_NONE);
	return o;
}

static struct obs *decode(enum transport_kind transport, const char *request, const char *file)
{
	size_t len;
	char *text = capture_read(file, &len);
	struct obs *o = decode_text(transport, request, text, len);

	free(text);
	return o;
}

/* A capture is of one port: put where the loop over ports, or the list of ports, has it. */
static struct obs *decode_port(const char *request, const char *file, bool row)
{
	size_t len;
	char *text = capture_read(file, &len), *whole = malloc(len + 32);
	struct obs *o;

	assert_non_null(whole);
	str_printf(whole, len + 32, row ? "{\"swp1\":%s}" : "@swp1\n%s\n@\n", text);
	o = decode_text(TRANSPORT_SSH, request, whole, strlen(whole));
	free(whole);
	free(text);
	return o;
}

/* The n-th word after a row's name in the command line's output of the same thing. */
static const char *cell_of_table(
	const char *text, const char *after, const char *row, unsigned n, char *dst, size_t size)
{
	const char *at = strstr(text, after);
	size_t len = strlen(row);

	for (; at; at = strchr(at, '\n')) {
		at += strspn(at, "\n ");
		if (strncmp(at, row, len) == 0 && at[len] == ' ')
			break;
	}
	assert_non_null(at);
	for (at += len; n; n--) {
		at += strspn(at, " ");
		at += n > 1 ? strcspn(at, " \n") : 0;
	}
	assert_true(str_copyn(dst, size, at, strcspn(at, " \n")));
	return dst;
}

CASE(identity_of_a_switch)
{
	struct obs *o = decode(TRANSPORT_HTTPS, "system", DERIVED "nvue_GET_system.json");
	struct obs_port_ref dev = at_port(o, NULL);

	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "leaf01");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "5.9.1");
	assert_true(near(attr_number(dev, ATTR_UPTIME_S, 0), 763));
	facts_learn(&facts, o);
	assert_string_equal(facts_get(&facts, "release"), "509");
	obs_free(o);
	facts_free(&facts);
	/* NCLU's, which NVUE took over; "0:03:44.190000". */
	o = decode(TRANSPORT_HTTPS, "system", CL3 "net_show_system.json");
	dev = at_port(o, NULL);
	assert_string_equal(attr_word(dev, ATTR_HOSTNAME, 0), "leaf03");
	assert_string_equal(attr_word(dev, ATTR_OS_VERSION, 0), "3.7.9");
	assert_string_equal(attr_word(dev, ATTR_MODEL, 0), "VX");
	assert_true(near(attr_number(dev, ATTR_UPTIME_S, 0), 224));
	obs_free(o);
	by("identity", REAL);
	by("uptime", REAL);
}

CASE(interfaces)
{
	struct obs *o = decode(TRANSPORT_HTTPS, "interfaces", DERIVED "nvue_GET_interface.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_int_equal(o->ports.n, 2);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(p, ATTR_ADMIN, 0), "up");
	assert_string_equal(attr_word(p, ATTR_MAC, 0), "44:38:39:22:01:01");
	assert_true(near(attr_number(p, ATTR_SPEED_MBPS, 0), 400000));
	assert_true(near(attr_number(p, ATTR_MTU, 0), 9216));
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(991827364512));
	assert_true(cell_count(p, "tx_bytes", 0) == UINT64_C(889927364512));
	assert_int_equal(cell_count(p, "rx_packets", 0), 24000000);
	assert_int_equal(cell_count(p, "tx_packets", 0), 22000000);
	assert_int_equal(cell_count(p, "rx_discards", 0), 0);
	assert_int_equal(cell_count(p, "tx_discards", 0), 12);
	assert_int_equal(cell_count(p, "rx_errors", 0), 0);
	assert_int_equal(cell_count(p, "tx_errors", 0), 0);
	assert_int_equal(cell_count(p, "carrier_changes", 0), 5);
	assert_int_equal(cell_count(p, "link_down_events", 0), 2);
	p = at_port(o, "swp2");
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "down");
	assert_int_equal(cell_validity(p, "rx_bytes", 0), VALID_UNKNOWN);
	obs_free(o);
	/* The shell prints the same object. */
	o = decode(TRANSPORT_SSH, "interfaces", DERIVED "nvue_GET_interface.json");
	assert_int_equal(cell_count(at_port(o, "swp1"), "carrier_changes", 0), 5);
	obs_free(o);
	by("port state", AUTHORED);
	by("port counters", AUTHORED);
	by("link flaps", AUTHORED);
}

CASE(qos_counters)
{
	char *table = capture_read(DERIVED "nvue_counters_qos.txt", NULL), cell[32];
	struct obs *o;
	struct obs_port_ref p;

	facts_set(&facts, "ecn.classes", "3,");
	o = decode_port("qos", DERIVED "nvue_counters_qos.json", false);
	p = at_port(o, "swp1");
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 184);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 3728);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 0);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 0);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 0), 0);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 91000);
	/* "92824.38 GB" in units of 1024. */
	assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(99669419092869));
	assert_int_equal(cell_count(p, "queue_drops", 3), 0);
	assert_int_equal(cell_count(p, "wred_drops", 3), 0);
	assert_int_equal(cell_count(p, "pg_drops", 3), 0);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 693777);
	assert_int_equal(cell_count(p, "rx_pause_frames", 0), 0);
	assert_int_equal(cell_count(p, "tx_pause_frames", 0), 0);
	/* The table for people says the same of priority 3. */
	assert_string_equal(cell_of_table(table, "PFC Stat", "3", 1, cell, sizeof(cell)), "184");
	assert_string_equal(cell_of_table(table, "PFC Stat", "3", 2, cell, sizeof(cell)), "3728");
	assert_string_equal(cell_of_table(table, "Egress Q", "3", 1, cell, sizeof(cell)), "91000");
	assert_string_equal(
		cell_of_table(table, "Qos Port", "ecn-marked-packets", 2, cell, sizeof(cell)),
		"693777");
	free(table);
	obs_free(o);
	facts_free(&facts);
	by("PFC frames per priority", AUTHORED);
	by("pause duration received", AUTHORED);
	by("pause duration sent", AUTHORED);
	by("queue counters", AUTHORED);
	by("queue drops", AUTHORED);
	by("priority-group drops", AUTHORED);
	by("ECN marks", AUTHORED);
}

CASE(roce_counters)
{
	char *table = capture_read(DERIVED "nvue_qos_roce_counters.txt", NULL), cell[32];
	struct obs *o = decode_port("roce", DERIVED "nvue_qos_roce_counters.json", true);
	struct obs_port_ref p = at_port(o, "swp1");

	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 184);
	assert_int_equal(cell_count(p, "pfc_rx_duration_us", 3), 3728);
	assert_int_equal(cell_count(p, "pfc_tx_frames", 3), 0);
	assert_int_equal(cell_count(p, "pfc_tx_duration_us", 3), 0);
	assert_int_equal(cell_count(p, "ecn_marked_packets", 3), 693777);
	assert_int_equal(cell_count(p, "queue_tx_packets", 3), 803785);
	assert_true(cell_count(p, "queue_tx_bytes", 3) == UINT64_C(99669419092869));
	assert_int_equal(cell_count(p, "queue_drops", 3), 0);
	assert_int_equal(cell_count(p, "pg_drops", 3), 0);
	/* 16.02, 7.90 and 7.29 MB */
	assert_int_equal(cell_count(p, "queue_watermark_bytes", 3), 16798188);
	assert_int_equal(cell_count(p, "pg_watermark_bytes", 3), 8283750);
	assert_true(near(cell_value(p, "queue_depth_bytes", 3), 7644119));
	assert_string_equal(
		cell_of_table(table, "rx-pfc-stats", "pause-packets", 1, cell, sizeof(cell)),
		"184");
	assert_string_equal(
		cell_of_table(table, "rx-pfc-stats", "pause-duration", 1, cell, sizeof(cell)),
		"3728");
	assert_string_equal(
		cell_of_table(table, "tx-ecn-stats", "ecn-marked-packets", 1, cell, sizeof(cell)),
		"693777");
	assert_string_equal(
		cell_of_table(table, "tx-roce-stats", "buffer-usage", 1, cell, sizeof(cell)),
		"7.29");
	free(table);
	obs_free(o);
	by("queue watermarks", AUTHORED);
}

/* The tree that a table shows by its indentation, as -o json nests it; ends at an empty line. */
static json_t *tree_of_table(const char *text)
{
	json_t *all = json_object(), *inner = all;
	char line[256], key[64];

	for (const char *at = text, *eol; (eol = strchr(at, '\n')) && eol > at; at = eol + 1) {
		size_t indent, width;

		assert_true(str_copyn(line, sizeof(line), at, (size_t)(eol - at)));
		indent = strspn(line, " ");
		width = strcspn(line + indent, " ");
		if (line[indent] == '-' || strncmp(line + indent, "operational", 11) == 0)
			continue;
		assert_true(str_copyn(key, sizeof(key), line + indent, width));
		/* The value column is 15 wide and begins at 20. */
		if (strlen(line) > 20) {
			char *value = line + 20, *end = value + strcspn(value, "\n");

			if ((size_t)(end - value) > 15)
				end = value + 15;
			while (end > value && end[-1] == ' ')
				end--;
			*end = '\0';
			json_object_set_new(indent ? inner : all, key, json_string(value));
		} else {
			inner = json_object();
			json_object_set_new(all, key, inner);
		}
	}
	return all;
}

CASE(roce_settings)
{
	char *table = capture_read(DERIVED "nvue_qos_roce_status.txt", NULL), *text, cell[32];
	json_t *tree = tree_of_table(table), *rows;
	struct obs *o;
	struct obs_port_ref p;
	const char *map;

	json_object_set_new(tree, "prio-map",
		json_pack("{s:{s:s,s:s},s:{s:s,s:s}}", "cnp", "dscp",
			cell_of_table(table, "PCP/DSCP", "cnp", 2, cell, sizeof(cell)),
			"switch-prio", "6", "roce", "dscp", "26", "switch-prio",
			cell_of_table(table, "PCP/DSCP", "roce", 3, cell + 8, sizeof(cell) - 8)));
	rows = json_pack("{s:o}", "swp1", tree);
	text = json_dumps(rows, 0);
	o = decode_text(TRANSPORT_SSH, "roce-status", text, strlen(text));
	p = at_port(o, "swp1");
	/* Classes 0 and 3. */
	assert_true(near(attr_number(p, ATTR_ECN_ENABLED, 0), 9));
	assert_true(near(attr_number(p, ATTR_ECN_MIN_BYTES, 3), 156672));
	assert_true(near(attr_number(p, ATTR_ECN_MAX_BYTES, 3), 1499464));
	assert_true(near(attr_number(p, ATTR_ECN_PROBABILITY, 3), 100));
	assert_true(near(attr_number(p, ATTR_PFC_ENABLED, 0), 8));
	assert_string_equal(attr_word(p, ATTR_TRUST, 0), "dscp");
	map = attr_word(p, ATTR_DSCP_TO_TC, 0);
	assert_true(strlen(map) == 64 && map[26] == '3' && map[48] == '6' && map[0] == '-');
	obs_free(o);
	free(text);
	json_decref(rows);
	free(table);
	by("ECN settings", AUTHORED);
	by("PFC settings", AUTHORED);
	by("DSCP and queue maps", AUTHORED);
}

CASE(watchdog)
{
	char *table = capture_read(DERIVED "nvue_qos_pfc_watchdog.txt", NULL), cell[32];
	struct obs *o = decode_port("watchdog", DERIVED "nvue_qos_pfc_watchdog.json", false);
	struct obs_port_ref p = at_port(o, "swp1");

	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 0), "operational");
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 3), 2);
	assert_int_equal(cell_count(p, "pfcwd_storm_detected", 0), 0);
	assert_string_equal(cell_of_table(table, "PFC WD", "3", 1, cell, sizeof(cell)), "DEADLOCK");
	assert_string_equal(cell_of_table(table, "PFC WD", "3", 2, cell, sizeof(cell)), "2");
	free(table);
	obs_free(o);
	by("PFC watchdog", AUTHORED);
}

CASE(phy)
{
	struct obs *o = decode_port("phy", DERIVED "nvue_link_phy_detail.json", false);
	struct obs_port_ref p = at_port(o, "swp1");

	assert_int_equal(cell_count(p, "fec_bin", 0), 99000000);
	assert_int_equal(cell_count(p, "fec_bin", 1), 512);
	assert_int_equal(cell_count(p, "fec_bin", 2), 3);
	assert_int_equal(cell_count(p, "fec_bin", 15), 0);
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 515);
	assert_int_equal(cell_count(p, "fec_uncorrectable_codewords", 0), 0);
	assert_int_equal(cell_count(p, "fec_corrected_bits", 0), 13715);
	assert_int_equal(cell_count(p, "rx_symbol_errors", 0), 0);
	assert_true(fabs(cell_value(p, "pre_fec_ber", 0) - 2e-10) < 1e-16);
	/* 15E-255: none among 58982400000000 bits. */
	assert_true(near(cell_value(p, "post_fec_ber", 0), 0));
	obs_free(o);
	by("FEC counters", AUTHORED);
	by("FEC histogram", AUTHORED);
	by("pre-FEC BER", AUTHORED);
}

CASE(transceivers)
{
	struct obs *o =
		decode(TRANSPORT_HTTPS, "optics", DERIVED "nvue_platform_transceiver_detail.json");
	struct obs_port_ref p = at_port(o, "swp1");

	assert_string_equal(attr_word(p, ATTR_MEDIA, 0), "OSFP MMA4Z00");
	assert_string_equal(attr_word(p, ATTR_MODULE_SN, 0), "MT0000");
	assert_true(near(cell_value(p, "temperature_c", 0), 45.2));
	assert_true(near(cell_value(p, "voltage_v", 0), 3.29));
	for (unsigned lane = 0; lane < 4; lane++) {
		assert_true(near(cell_value(p, "rx_power_dbm", lane), 0.53));
		assert_true(near(cell_value(p, "tx_power_dbm", lane), 0.79));
		assert_true(near(cell_value(p, "tx_bias_ma", lane), 7.5));
	}
	assert_int_equal(cell_validity(p, "rx_power_dbm", 4), VALID_UNKNOWN);
	obs_free(o);
	by("optics: light received", AUTHORED);
	by("optics: light sent", AUTHORED);
	by("optics: bias current", AUTHORED);
	by("optics: temperature", AUTHORED);
}

static const struct obs_bgp *session(const struct obs *o, const char *peer, enum bgp_afi afi)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer) && o->bgp.at[i].afi == afi)
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

CASE(bgp_of_a_real_spine)
{
	struct obs *o = decode(TRANSPORT_HTTPS, "bgp", CL3 "net_show_bgp_vrf_all_neighbor.json");
	const struct obs_bgp *b;

	/* Six neighbours, each for IPv4 and for EVPN. */
	assert_int_equal(o->bgp.n, 12);
	b = session(o, "swp1", BGP_IPV4);
	assert_int_equal(b->state, BGP_ESTABLISHED);
	assert_int_equal(b->remote_as, 65101);
	assert_string_equal(obs_text(o, b->host), "leaf01");
	assert_string_equal(obs_text(o, b->vrf), "default");
	assert_true(near(b->since_s, 214));
	assert_int_equal(b->prefixes, 2);
	assert_int_equal(b->drops, 0);
	assert_int_equal(session(o, "swp1", BGP_EVPN)->prefixes, 8);
	assert_true(near(session(o, "swp2", BGP_IPV4)->since_s, 215));
	b = session(o, "swp6", BGP_IPV4);
	assert_string_equal(obs_text(o, b->host), "exit01");
	assert_int_equal(b->remote_as, 65201);
	assert_int_equal(b->prefixes, 7);
	obs_free(o);
	/* In a shell it is FRR's summary. */
	o = decode(TRANSPORT_SSH, "bgp", "switches/frr-lldp/frr/bgp_summary_ipv4.json");
	assert_int_equal(o->bgp.n, 24);
	b = session(o, "10.0.0.33", BGP_IPV4);
	assert_int_equal(b->state, BGP_ACTIVE);
	assert_int_equal(b->remote_as, 64001);
	obs_free(o);
	by("BGP sessions", REAL);
}

/* The loop's own words, with a real sed, over the list of a real switch. */
CASE(names_of_ports_from_the_kernel)
{
	struct request_list list = {0};
	struct err err = {0};
	char path[512], line[1024], *begin = NULL, *end, *out;
	const char *const argv[] = {"sh", "-c", line, NULL};
	int status;

	capture_path(CL3 "proc_net_dev.txt", path, sizeof(path));
	leaf.transport = TRANSPORT_SSH;
	assert_true(backend_by_name("cumulus")->plan(&leaf, POLL_MEDIUM, &list, &err));
	for (size_t i = 0; i < list.at.n && !begin; i++)
		begin = strstr(list.at.at[i].command, "$(sed");
	assert_non_null(begin);
	end = strstr(begin, "/proc/net/dev)");
	assert_non_null(end);
	str_printf(line, sizeof(line), "for p in %.*s'%s'); do echo $p; done", (int)(end - begin),
		begin, path);
	out = run_command(argv, NULL, "", NULL, &status);
	assert_non_null(out);
	assert_string_equal(out, "swp3\nswp6\nswp2\nswp5\nswp1\nswp4\n");
	free(out);
	requests_free(&list);
}

CASE(what_is_proved)
{
	covered_print("cumulus", needs, ARRAY_LEN(needs));
}

CASES_MAIN(NULL, NULL)
