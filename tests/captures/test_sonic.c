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

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define SONIC        "switches/sonic/"
#define LAB          "lab/sonic/"

static const struct target leaf = {
	.device = "leaf-r0-00", .tier = TIER_LEAF, .transport = TRANSPORT_SSH, .lossless = 0x18};

static struct covered needs[] = {{"port state", NOTHING}, {"port counters", NOTHING},
	{"FEC counters", NOTHING}, {"FEC histogram", NOTHING}, {"pre-FEC BER", NOTHING},
	{"PFC frames per priority", NOTHING}, {"pause duration received", NOTHING},
	{"queue counters", NOTHING}, {"ECN marks", NOTHING}, {"queue watermarks", NOTHING},
	{"headroom watermarks", NOTHING}, {"priority-group drops", NOTHING},
	{"PFC watchdog", NOTHING}, {"link flaps", NOTHING}, {"optics: light received", NOTHING},
	{"LLDP neighbours", NOTHING}, {"BGP sessions", NOTHING},
	/* No capture has them: a log of a switch, /proc/uptime, and SONiC has no such counter. */
	{"event log", NOTHING}, {"uptime", NOTHING}, {"pause duration sent", NOTHING}};

static void by(const char *need, enum evidence e)
{
	covered(needs, ARRAY_LEN(needs), need, e);
}

static struct obs *decode(const char *request, const char *bytes, size_t len)
{
	struct obs *o = obs_new(leaf.device, request);
	struct err err = {0};

	if (!backend_by_name("sonic")->parse(&leaf, request, bytes, len, o, &err))
		fail_msg("%s", err.text);
	return o;
}

static struct obs *decode_json(const char *request, json_t *reply)
{
	char *text = json_dumps(reply, 0);
	struct obs *o = decode(request, text, strlen(text));

	free(text);
	json_decref(reply);
	return o;
}

static json_t *load(const char *file)
{
	char path[512];
	json_error_t e;
	json_t *doc = json_load_file(capture_path(file, path, sizeof(path)), 0, &e);

	assert_non_null(doc);
	return doc;
}

/* Field of the reply, canonical counter, priority: read out of the captures by hand. */
static const struct {
	const char *list, *field, *counter;
	unsigned sub;
} meanings[] = {
	{"pf", "SAI_PORT_STAT_IF_IN_OCTETS", "rx_bytes", 0},
	{"pf", "SAI_PORT_STAT_IF_OUT_OCTETS", "tx_bytes", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_UCAST_PKTS", "rx_packets", 0},
	{"pf", "SAI_PORT_STAT_IF_OUT_UCAST_PKTS", "tx_packets", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_DISCARDS", "rx_discards", 0},
	{"pf", "SAI_PORT_STAT_IF_OUT_DISCARDS", "tx_discards", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_ERRORS", "rx_errors", 0},
	{"pf", "SAI_PORT_STAT_IF_OUT_ERRORS", "tx_errors", 0},
	{"pf", "SAI_PORT_STAT_DOT3_STATS_FCS_ERRORS", "rx_fcs_errors", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_FEC_CORRECTABLE_FRAMES", "fec_corrected_codewords", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_FEC_NOT_CORRECTABLE_FRAMES", "fec_uncorrectable_codewords", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_FEC_SYMBOL_ERRORS", "fec_symbol_errors", 0},
	{"pf", "SAI_PORT_STAT_IF_IN_FEC_CORRECTED_BITS", "fec_corrected_bits", 0},
	{"pf", "SAI_PORT_STAT_PAUSE_RX_PKTS", "rx_pause_frames", 0},
	{"pf", "SAI_PORT_STAT_PAUSE_TX_PKTS", "tx_pause_frames", 0},
	{"pf", "SAI_PORT_STAT_PFC_0_RX_PKTS", "pfc_rx_frames", 0},
	{"pf", "SAI_PORT_STAT_PFC_3_RX_PKTS", "pfc_rx_frames", 3},
	{"pf", "SAI_PORT_STAT_PFC_3_TX_PKTS", "pfc_tx_frames", 3},
	{"pf", "SAI_PORT_STAT_PFC_4_RX_PKTS", "pfc_rx_frames", 4},
	{"pf", "SAI_PORT_STAT_PFC_7_TX_PKTS", "pfc_tx_frames", 7},
	{"pf", "SAI_PORT_STAT_PFC_3_RX_PAUSE_DURATION_US", "pfc_rx_duration_us", 3},
	{"pf", "SAI_PORT_STAT_PFC_4_RX_PAUSE_DURATION_US", "pfc_rx_duration_us", 4},
	{"q3", "SAI_QUEUE_STAT_PACKETS", "queue_tx_packets", 3},
	{"q4", "SAI_QUEUE_STAT_BYTES", "queue_tx_bytes", 4},
	{"q3", "SAI_QUEUE_STAT_DROPPED_PACKETS", "queue_drops", 3},
	{"q4", "SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", "ecn_marked_packets", 4},
	{"q3", "SAI_QUEUE_STAT_WRED_DROPPED_PACKETS", "wred_drops", 3},
	{"q3", "PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", "pfcwd_storm_detected", 3},
	{"q4", "PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED", "pfcwd_storm_restored", 4},
};

static const json_t *raw_value(const json_t *doc, const json_t *port, size_t m)
{
	bool is_queue = meanings[m].list[0] == 'q';
	const json_t *names = json_object_get(doc, is_queue ? "qf" : "pf");
	const json_t *row = is_queue ? json_array_get(json_object_get(json_object_get(port, "q"),
							      meanings[m].list + 1),
					       0)
				     : json_object_get(port, "c");

	for (size_t i = 0; i < json_array_size(names); i++)
		if (str_eq(json_string_value(json_array_get(names, i)), meanings[m].field))
			return json_array_get(row, i);
	return NULL;
}

/* Every port and every field: the number if there is one, else a reason, never a zero. */
static size_t compare_all(const char *file)
{
	json_t *doc = load(file), *port;
	char *text = json_dumps(doc, 0);
	struct obs *o = decode("fast", text, strlen(text));
	const char *name;
	size_t values = 0;

	json_object_foreach(json_object_get(doc, "ports"), name, port)
	{
		for (size_t m = 0; m < ARRAY_LEN(meanings); m++) {
			struct obs_port_ref at = at_port(o, name);
			const char *raw = json_string_value(raw_value(doc, port, m));

			if (raw) {
				assert_true(cell_count(at, meanings[m].counter, meanings[m].sub) ==
					    strtoull(raw, NULL, 10));
				values++;
			} else if (cell_validity(at, meanings[m].counter, meanings[m].sub) <=
				   VALID_OK) {
				fail_msg(
					"%s %s: a value out of nothing", name, meanings[m].counter);
			}
		}
	}
	assert_int_equal(o->ports.n, json_object_size(json_object_get(doc, "ports")));
	obs_free(o);
	free(text);
	json_decref(doc);
	return values;
}

CASE(the_reply_of_a_real_switch)
{
	assert_true(compare_all(SONIC "derived/eval_t1.json") > 34 * 15);
	by("port counters", REAL);
	by("PFC frames per priority", REAL);
	by("queue counters", REAL);
	by("queue watermarks", REAL);
	by("headroom watermarks", REAL);
}

CASE(the_reply_with_every_field)
{
	size_t len;
	char *text;
	struct obs *o;

	assert_true(compare_all(SONIC "derived/eval_synthetic64.json") == 64 * ARRAY_LEN(meanings));
	text = capture_read(SONIC "derived/eval_synthetic64.json", &len);
	o = decode("fast", text, len);
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(attr_word(at_port(o, "Ethernet8"), ATTR_PFCWD_STATE, 4), "operational");
	assert_string_equal(attr_word(at_port(o, "Ethernet192"), ATTR_OPER, 0), "up");
	assert_true(attr_number(at_port(o, "Ethernet192"), ATTR_SPEED_MBPS, 0) == 400000);
	assert_true(attr_number(at_port(o, "Ethernet192"), ATTR_LAST_CHANGE, 0) == 1737158922);
	assert_true(fabs(cell_value(at_port(o, "Ethernet192"), "pre_fec_ber", 0) -
			    7.268085457504725e-10) < 1e-20);
	assert_int_equal(cell_count(at_port(o, "Ethernet192"), "queue_watermark_bytes", 3), 277449);
	assert_int_equal(
		cell_count(at_port(o, "Ethernet192"), "headroom_watermark_bytes", 3), 19184);
	assert_int_equal(cell_count(at_port(o, "Ethernet192"), "pg_drops", 3), 0);
	obs_free(o);
	free(text);
	by("pause duration received", AUTHORED);
	by("ECN marks", AUTHORED);
	by("priority-group drops", AUTHORED);
	by("PFC watchdog", AUTHORED);
	by("link flaps", AUTHORED);
}

/* A hash of Redis as a list of names and a row of values. */
static void names_and_row(const json_t *hash, json_t **names, json_t **row)
{
	const char *key;
	json_t *v;

	*names = json_array();
	*row = json_array();
	json_object_foreach((json_t *)hash, key, v)
	{
		json_array_append_new(*names, json_string(key));
		json_array_append(*row, v);
	}
}

CASE(hashes_of_a_current_release)
{
	json_t *counters = load(SONIC "gnmi/PORT_COUNTERS.json");
	json_t *table = load(SONIC "gnmi/PORT_TABLE_APPL.json");
	json_t *watchdog = load(SONIC "gnmi/pfcwd_Ethernet68.json");
	json_t *rates = load(SONIC "gnmi/PORT_RATES.json");
	json_t *pf, *c, *af, *a, *qf, *q, *rf, *r;
	struct obs *o;
	struct obs_port_ref p;

	names_and_row(json_object_get(counters, "COUNTERS:oid:0x1000000000002"), &pf, &c);
	names_and_row(json_object_get(table, "PORT_TABLE:Ethernet0"), &af, &a);
	names_and_row(json_object_get(watchdog, "Ethernet68:3"), &qf, &q);
	names_and_row(json_object_get(rates, "RATES:oid:0x1000000000016"), &rf, &r);
	o = decode_json(
		"fast", json_pack("{s:[s,s],s:o,s:o,s:o,s:o,s:{s:{s:o,s:o,s:o,s:{s:[o,n]},s:{}}}}",
				"t", "1", "0", "pf", pf, "af", af, "qf", qf, "rf", rf, "ports",
				"Ethernet0", "c", c, "a", a, "r", r, "q", "3", q, "g"));
	p = at_port(o, "Ethernet0");
	assert_int_equal(cell_count(p, "rx_bytes", 0), 19480025);
	assert_true(cell_count(p, "tx_bytes", 0) == UINT64_C(724180131467));
	assert_int_equal(cell_count(p, "rx_packets", 0), 80654 + 69249);
	assert_int_equal(cell_count(p, "rx_discards", 0), 957);
	assert_true(cell_count(p, "tx_pause_frames", 0) == UINT64_C(11314978553));
	assert_int_equal(cell_count(p, "fec_corrected_codewords", 0), 0);
	assert_true(cell_count(p, "fec_bin", 0) == UINT64_C(20113191987857));
	assert_int_equal(cell_count(p, "fec_bin", 1), 0);
	assert_int_equal(cell_count(p, "fec_bin", 15), 0);
	assert_true(cell_value(p, "pre_fec_ber", 0) == 0);
	assert_true(cell_value(p, "post_fec_ber", 0) == 0);
	by("FEC histogram", REAL);
	assert_string_equal(attr_word(p, ATTR_ALIAS, 0), "etp0");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 100000);
	assert_true(attr_number(p, ATTR_LAST_CHANGE, 0) == 1752868768);
	assert_int_equal(cell_count(p, "link_down_events", 0), 1);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "operational");
	assert_true(attr_number(p, ATTR_PFCWD_DETECT_MS, 3) == 200);
	assert_true(cell_value(p, "queue_depth_bytes", 3) == 0);
	assert_int_equal(cell_validity(p, "pfcwd_drops", 3), VALID_UNSUPPORTED);
	obs_free(o);
	json_decref(counters);
	json_decref(table);
	json_decref(watchdog);
	json_decref(rates);
	by("port counters", REAL);
	by("port state", REAL);
	by("FEC counters", REAL);
	by("pre-FEC BER", REAL);
	by("link flaps", REAL);
	by("PFC watchdog", REAL);
}

/* Every row; the far names count on by one, the local ones by four. */
CASE(lldp_rows)
{
	json_t *rows = load(SONIC "lldp/LLDP_ENTRY_TABLE_expected.json"), *row;
	const char *key;
	size_t neighbours = 0;

	json_object_foreach(rows, key, row)
	{
		const char *name = key + strlen("LLDP_ENTRY_TABLE:");
		char text[128], want[128];
		json_t *lf, *l;
		struct obs *o;

		if (!str_starts(key, "LLDP_ENTRY_TABLE:Ethernet"))
			continue;
		names_and_row(row, &lf, &l);
		o = decode_json("optics", json_pack("{s:o,s:[s],s:{s:{s:n,s:o}}}", "lf", lf, "df",
						  "voltage", "ports", name, "d", "l", l));
		str_printf(want, sizeof(want), "switch13:Ethernet%ld",
			strtol(name + strlen("Ethernet"), NULL, 10) / 4 + 1);
		/* This neighbour has no name: its chassis id takes its place. */
		if (str_eq(name, "Ethernet96"))
			str_copy(want, sizeof(want), "00:11:22:33:44:55:Ethernet25");
		neighbours++;
		assert_string_equal(lldp_of(at_port(o, name), text, sizeof(text)), want);
		obs_free(o);
	}
	assert_int_equal(neighbours, 32);
	json_decref(rows);
	by("LLDP neighbours", AUTHORED);
}

/* ---- a current release's programs on a live Redis ---- */

/* A row of one port as redis-cli prints it, decoded as the fast reply has it. */
static struct obs *decode_row(json_t *row)
{
	json_t *pf, *c;

	names_and_row(row, &pf, &c);
	json_decref(row);
	return decode_json("fast", json_pack("{s:[s,s],s:o,s:{s:{s:o}}}", "t", "1", "0", "pf", pf,
					   "ports", "Ethernet0", "c", c));
}

/* The nth JSON document of a file that has one a line. */
static json_t *load_line(const char *file, unsigned nth)
{
	size_t len;
	char *text = capture_read(file, &len), *at = text;
	json_error_t e;
	json_t *row;

	while (nth--) {
		at = strchr(at, '\n');
		assert_non_null(at);
		at++;
	}
	row = json_loads(at, JSON_DISABLE_EOF_CHECK, &e);
	assert_non_null(row);
	free(text);
	return row;
}

CASE(rows_as_clients_print_them)
{
	static const struct {
		unsigned line;
		uint64_t rx, tx, pfc, discards;
	} ports[] = {{0, 800, 1000, 203, 100}, {1, 400, 4000, 403, 1000}, {2, 600, 6000, 803, 10}};
	struct obs *o;

	for (size_t i = 0; i < ARRAY_LEN(ports); i++) {
		o = decode_row(load_line(LAB "cli/one-trip.txt", ports[i].line));
		assert_int_equal(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0), ports[i].rx);
		assert_int_equal(cell_count(at_port(o, "Ethernet0"), "tx_bytes", 0), ports[i].tx);
		assert_int_equal(
			cell_count(at_port(o, "Ethernet0"), "pfc_rx_frames", 3), ports[i].pfc);
		assert_int_equal(
			cell_count(at_port(o, "Ethernet0"), "rx_discards", 0), ports[i].discards);
		obs_free(o);
	}
	o = decode_row(load(LAB "cli/redis-cli-n-2-json-HGETALL-COUNTERSoid0x1000000000012.txt"));
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0), 800);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "fec_bin", 1), 900000);
	assert_int_equal(cell_count(at_port(o, "Ethernet0"), "pfc_rx_duration_us", 3), 20000003);
	obs_free(o);
}

/* Three polls while counters move, beside the output of pfcstat at the first two. */
CASE(counters_that_move)
{
	static const struct {
		const char *row, *table, *pfc;
		uint64_t rx, pfc_rx, pfc_tx;
	} polls[] = {
		{LAB "moving/counters-1.json", LAB "moving/pfc-1.txt", "2,903",
			UINT64_C(3750000800), 2903, 333},
		{LAB "moving/counters-2.json", LAB "moving/pfc-2.txt", "4,703",
			UINT64_C(6250000800), 4703, 413},
		/* This table was printed before the row was read. */
		{LAB "moving/counters-3.json", LAB "moving/pfc-3.txt", "6,503",
			UINT64_C(10000000800), 7403, 533},
	};

	for (size_t i = 0; i < ARRAY_LEN(polls); i++) {
		struct obs *o = decode_row(load_line(polls[i].row, 0));
		struct obs_port_ref p = at_port(o, "Ethernet0");
		size_t len;
		char *table = capture_read(polls[i].table, &len);

		assert_true(cell_count(p, "rx_bytes", 0) == polls[i].rx);
		assert_true(cell_count(p, "pfc_rx_frames", 3) == polls[i].pfc_rx);
		assert_true(cell_count(p, "pfc_tx_frames", 3) == polls[i].pfc_tx);
		assert_non_null(strstr(table, polls[i].pfc));
		free(table);
		obs_free(o);
	}
	by("PFC frames per priority", AUTHORED);
}

/* FRR 8.4 in SONiC's container, one session numbered and one unnumbered. */
CASE(bgp_of_a_live_switch)
{
	size_t len;
	char *text = capture_read(LAB "cli/vtysh-c-show-bgp-summary-json.txt", &len);
	struct obs *o = decode("bgp", text, len);
	unsigned unnumbered = 0;

	assert_int_equal(o->bgp.n, 2);
	assert_true(o->bgp_whole);
	for (size_t i = 0; i < o->bgp.n; i++) {
		const struct obs_bgp *b = &o->bgp.at[i];

		assert_int_equal(b->state, BGP_ESTABLISHED);
		assert_int_equal(b->remote_as, 65100);
		assert_int_equal(b->prefixes, 21);
		assert_int_equal(b->drops, 0);
		assert_true(b->since_s == 125 || b->since_s == 126);
		unnumbered += str_eq(obs_text(o, b->peer), "Ethernet0");
	}
	assert_int_equal(unnumbered, 1);
	assert_true(attr_number(at_port(o, NULL), ATTR_BGP_AS, 0) == 65005);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_ROUTER_ID, 0), "10.255.0.51");
	assert_int_equal(capability_of(o, "BGP sessions", NULL), VALID_OK);
	obs_free(o);
	free(text);
	by("BGP sessions", REAL);
}

CASE(optics_of_a_mocked_switch)
{
	json_t *db = load(SONIC "db/mock_STATE_DB.json"), *df, *row, *hash;
	const char *key;
	size_t ports = 0;

	json_object_foreach(db, key, hash)
	{
		const char *rx = json_string_value(json_object_get(hash, "rx1power"));
		struct obs *o;

		if (!str_starts(key, "TRANSCEIVER_DOM_SENSOR|") || !rx)
			continue;
		names_and_row(hash, &df, &row);
		o = decode_json("optics",
			json_pack("{s:o,s:{s:{s:o}}}", "df", df, "ports", "Ethernet0", "d", row));
		if (strcmp(rx, "N/A") == 0)
			assert_true(isnan(cell_value(at_port(o, "Ethernet0"), "rx_power_dbm", 0)));
		else
			assert_true(fabs(cell_value(at_port(o, "Ethernet0"), "rx_power_dbm", 0) -
					    strtod(rx, NULL)) < 1e-9);
		ports++;
		obs_free(o);
	}
	assert_true(ports > 0);
	json_decref(db);
	by("optics: light received", AUTHORED);
}

CASE(what_rests_on_which_capture)
{
	covered_print("sonic", needs, ARRAY_LEN(needs));
}

CASES_MAIN(NULL, NULL)
