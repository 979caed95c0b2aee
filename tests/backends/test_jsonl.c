/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/jsonl.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/obs_find.h"

struct warnings {
	unsigned n;
	char last[64];
};

static void note(void *ctx, const char *key)
{
	struct warnings *w = ctx;

	w->n++;
	str_copy(w->last, sizeof(w->last), key);
}

static struct obs *read_ok(const char *line, int64_t *t, struct warnings *w)
{
	struct err err = {0};
	struct obs *o = jsonl_parse(line, strlen(line), t, w ? note : NULL, w, &err);

	if (!o)
		fail_msg("%s: %s", line, err.text);
	return o;
}

static void everything_on_one_line(void **state)
{
	static const char line[] =
		"{\"t\":1732130000.250,\"device\":\"leaf-r0-00\",\"port\":\"Ethernet0\","
		"\"counters\":{\"rx_bytes\":18446744073709551,\"pfc_rx_frames\":{\"3\":9,\"4\":"
		"\"10\"},"
		"\"rx_power_dbm\":{\"1\":-2.5},\"pre_fec_ber\":1e-9,\"tx_bytes\":null,"
		"\"rx_errors\":\"disabled\"},"
		"\"state\":{\"oper\":\"up\",\"speed_mbps\":400000,\"pfcwd_state\":{\"3\":"
		"\"stormed\"}},"
		"\"lldp\":{\"device\":\"node000\",\"port\":\"eth0\"}}";
	struct warnings w = {0};
	int64_t t = 0;
	struct obs *o = read_ok(line, &t, &w);
	struct obs_port_ref p = at_port(o, "Ethernet0");
	char text[64];

	(void)state;
	assert_true(t == INT64_C(1732130000250000));
	assert_true(o->device_us == t);
	assert_string_equal(o->device, "leaf-r0-00");
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_C(18446744073709551));
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 9);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 4), 10);
	assert_true(cell_value(p, "rx_power_dbm", 1) == -2.5);
	assert_true(cell_value(p, "pre_fec_ber", 0) == 1e-9);
	assert_int_equal(cell_validity(p, "tx_bytes", 0), VALID_UNSUPPORTED);
	assert_int_equal(cell_validity(p, "rx_errors", 0), VALID_DISABLED);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_true(attr_number(p, ATTR_SPEED_MBPS, 0) == 400000);
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	assert_string_equal(lldp_of(p, text, sizeof(text)), "node000:eth0");
	assert_int_equal(w.n, 0);
	obs_free(o);
}

/* Stations in any form and order; none; a word in place of the list. */
static void stations_of_a_port(void **state)
{
	struct obs *o =
		read_ok("{\"device\":\"leaf-1\",\"port\":\"swp1\",\"state\":{\"macs\":"
			"[\"B8CE.F6AA.0002\",\"b8:ce:f6:aa:00:01\",\"01:00:5e:00:00:16\"]}}",
			NULL, NULL);
	const char word[] = "{\"device\":\"d\",\"port\":\"p\",\"state\":{\"macs\":\"x\"}}";
	struct err err = {0};

	(void)state;
	assert_string_equal(
		attr_word(at_port(o, "swp1"), ATTR_MACS, 0), "b8:ce:f6:aa:00:01 b8:ce:f6:aa:00:02");
	obs_free(o);
	o = read_ok(
		"{\"device\":\"leaf-1\",\"port\":\"swp1\",\"state\":{\"macs\":[]}}", NULL, NULL);
	assert_int_equal(o->items.n, 1);
	assert_string_equal(attr_word(at_port(o, "swp1"), ATTR_MACS, 0), "");
	obs_free(o);
	assert_null(jsonl_parse(word, strlen(word), NULL, NULL, NULL, &err));
	assert_non_null(strstr(err.text, "macs"));
}

/* Counters have 64 bits, and one of them takes no precision from the others. */
static void counts_of_64_bits_are_exact(void **state)
{
	struct obs *o = read_ok("{\"device\":\"d\",\"port\":\"p\",\"counters\":{\"rx_bytes\":"
				"18446744073709551615,\"tx_bytes\":9007199254740993}}",
		NULL, NULL);
	struct obs_port_ref p = at_port(o, "p");

	(void)state;
	assert_true(cell_count(p, "rx_bytes", 0) == UINT64_MAX);
	assert_true(cell_count(p, "tx_bytes", 0) == UINT64_C(9007199254740993));
	obs_free(o);
}

/* Of a key that comes twice, the last one counts, in every object of a line. */
static void the_last_of_a_key_counts(void **state)
{
	struct warnings w = {0};
	struct obs *o = read_ok(
		"{\"device\":\"d\",\"port\":\"p\",\"lldp\":7,\"lldp\":null,\"state\":{\"oper\":8,"
		"\"oper\":\"up\",\"pfcwd_state\":{\"3\":1,\"3\":\"stormed\"}},\"counters\":{"
		"\"x\":1,\"x\":2,\"rx_bytes\":\"?\",\"rx_bytes\":9,"
		"\"pfc_rx_frames\":{\"3\":\"?\",\"3\":5}}}",
		NULL, &w);
	struct obs_port_ref p = at_port(o, "p");

	(void)state;
	assert_int_equal(w.n, 1);
	assert_int_equal(o->items.n, 5);
	assert_true(cell_count(p, "rx_bytes", 0) == 9);
	assert_int_equal(cell_count(p, "pfc_rx_frames", 3), 5);
	assert_string_equal(attr_word(p, ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(p, ATTR_PFCWD_STATE, 3), "stormed");
	obs_free(o);
}

static void events_devices_and_nccl(void **state)
{
	struct warnings w = {0};
	struct obs *o = read_ok(
		"{\"t\":5,\"device\":\"d\",\"event\":\"link_down\",\"port\":\"p\",\"text\":\"x\"}",
		NULL, &w);

	(void)state;
	assert_int_equal(o->items.n, 1);
	assert_int_equal(o->items.at[0].kind, OBS_EVENT);
	assert_int_equal(o->items.at[0].code, EV_LINK_DOWN);
	assert_true(o->items.at[0].time_us == 5000000);
	assert_string_equal(obs_text(o, o->items.at[0].text), "x");
	obs_free(o);
	o = read_ok("{\"device\":\"d\",\"state\":{\"model\":\"M\",\"boot_id\":\"b\"}}", NULL, &w);
	assert_string_equal(attr_word(at_port(o, NULL), ATTR_MODEL, 0), "M");
	obs_free(o);
	o = read_ok("{\"t\":1,\"nccl\":{\"anything\":[1,2]}}", NULL, &w);
	assert_int_equal(o->items.n, 0);
	assert_int_equal(w.n, 1);
	assert_string_equal(w.last, "nccl");
	obs_free(o);
	o = read_ok("{\"device\":\"d\",\"port\":\"p\",\"lldp\":null}", NULL, &w);
	assert_int_equal(o->items.at[0].kind, OBS_LLDP);
	obs_free(o);
	assert_int_equal(w.n, 1);
}

static const struct obs_item *attr_of(const struct obs *o, enum obs_attr attr, unsigned sub)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];

		if ((it->kind == OBS_NUMBER || it->kind == OBS_WORD) && it->code == attr &&
			it->sub == sub)
			return it;
	}
	fail_msg("no attribute %d of %u", (int)attr, sub);
	return NULL;
}

static void settings_sessions_and_log_lines(void **state)
{
	static const char line[] =
		"{\"t\":1732130000,\"device\":\"leaf-r0-00\",\"port\":\"Ethernet0\",\"state\":{"
		"\"trust\":\"dscp\",\"tc_to_pg\":\"0003----\",\"ecn_min_bytes\":{\"3\":500000},"
		"\"rx_power_limit_dbm\":{\"low_alarm\":-12.5,\"high_warn\":3},\"bgp_as\":65001},"
		"\"counters\":{\"fec_bin\":{\"0\":9000,\"15\":2}},"
		"\"bgp\":[{\"peer\":\"10.0.0.1\",\"host\":\"spine-000\",\"vrf\":\"blue\",\"afi\":"
		"\"evpn\","
		"\"state\":\"Established\",\"remote_as\":65010,\"since_s\":12.5,\"prefixes\":7,"
		"\"drops\":2},{\"peer\":\"10.0.0.2\",\"state\":\"idle\"}],\"bgp_whole\":true,"
		"\"narrow\":[\"rx_discards\"],"
		"\"capabilities\":[{\"need\":\"ECN "
		"marks\",\"valid\":\"disabled\",\"cure\":\"on\"}],"
		"\"log\":[{\"t\":1732129999.5,\"text\":\"link "
		"trouble\",\"alarm\":true,\"priority\":3},"
		"{\"text\":\"config changed\",\"port\":\"Ethernet4\"}]}";
	struct warnings w = {0};
	struct obs *o = read_ok(line, NULL, &w);
	const struct obs_item *it;
	unsigned logs = 0;

	(void)state;
	assert_int_equal(w.n, 0);
	assert_string_equal(obs_text(o, attr_of(o, ATTR_TRUST, 0)->text), "dscp");
	assert_true(attr_of(o, ATTR_ECN_MIN_BYTES, 3)->real > 499999);
	assert_true(attr_of(o, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM)->real < -12);
	assert_true(attr_of(o, ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN)->real > 2);
	assert_int_equal((int)attr_of(o, ATTR_BGP_AS, 0)->real, 65001);
	assert_int_equal(o->bgp.n, 2);
	assert_true(o->bgp_whole && o->narrow[CTR_RX_DISCARDS] && !o->narrow[CTR_RX_BYTES]);
	assert_string_equal(obs_text(o, o->bgp.at[0].host), "spine-000");
	assert_string_equal(obs_text(o, o->bgp.at[0].vrf), "blue");
	assert_int_equal(o->bgp.at[0].afi, BGP_EVPN);
	assert_int_equal(o->bgp.at[0].state, BGP_ESTABLISHED);
	assert_int_equal(o->bgp.at[0].remote_as, 65010);
	assert_int_equal(o->bgp.at[0].prefixes, 7);
	assert_int_equal(o->bgp.at[0].drops, 2);
	assert_string_equal(obs_text(o, o->bgp.at[1].vrf), "default");
	assert_int_equal(o->bgp.at[1].state, BGP_IDLE);
	assert_true(isnan(o->bgp.at[1].since_s));
	assert_true(o->bgp.at[1].drops == UINT64_MAX);
	for (size_t i = 0; i < o->items.n; i++) {
		it = &o->items.at[i];
		if (it->kind == OBS_COUNT && it->cell == counter_cell(CTR_FEC_BIN, 15))
			assert_int_equal(it->u64, 2);
		if (it->kind != OBS_EVENT)
			continue;
		assert_int_equal(it->code, logs ? EV_LOG : EV_LOG_ALARM);
		assert_int_equal(it->sub, logs ? 0 : 4);
		assert_true(it->time_us == (logs ? 0 : INT64_C(1732129999500000)));
		assert_string_equal(o->ports.at[it->port].name, logs ? "Ethernet4" : "Ethernet0");
		logs++;
	}
	assert_int_equal(logs, 2);
	obs_free(o);
}

static void unknown_keys_warn_and_are_ignored(void **state)
{
	struct warnings w = {0};
	struct obs *o = read_ok("{\"device\":\"d\",\"port\":\"p\",\"colour\":1,\"counters\":"
				"{\"rx_bytes\":1,\"warp_factor\":2},\"state\":{\"mood\":\"good\"},"
				"\"event\":\"tea_time\"}",
		NULL, &w);

	(void)state;
	assert_int_equal(w.n, 4);
	assert_int_equal(cell_count(at_port(o, "p"), "rx_bytes", 0), 1);
	obs_free(o);
	/* Nobody has to listen. */
	obs_free(read_ok("{\"device\":\"d\",\"colour\":1}", NULL, NULL));
}

static void wrong_lines_say_what_is_wrong(void **state)
{
	static const struct {
		const char *line, *word;
	} cases[] = {
		{"", "nothing"},
		{"hello", "hello"},
		{"[1]", "[1]"},
		{"{\"t\":1}", "device"},
		{"{\"device\":7}", "device"},
		{"{\"device\":\"d\",\"t\":\"x\"}", "\"t\""},
		{"{\"device\":\"d\",\"t\":-1}", "\"t\""},
		{"{\"device\":\"d\",\"t\":1e300}", "\"t\""},
		{"{\"device\":\"d\",\"counters\":{\"rx_bytes\":1}}", "port"},
		{"{\"device\":\"d\",\"port\":7}", "port"},
		{"{\"device\":\"d\",\"port\":\"\"}", "port"},
		{"{\"device\":\"d\",\"port\":\"p\",\"counters\":[]}", "counters"},
		{"{\"device\":\"d\",\"port\":\"p\",\"counters\":{\"rx_bytes\":-1}}", "rx_bytes"},
		{"{\"device\":\"d\",\"port\":\"p\",\"counters\":{\"rx_bytes\":true}}", "rx_bytes"},
		{"{\"device\":\"d\",\"port\":\"p\",\"counters\":{\"pfc_rx_frames\":1}}",
			"pfc_rx_frames"},
		{"{\"device\":\"d\",\"port\":\"p\",\"counters\":{\"pfc_rx_frames\":{\"8\":1}}}",
			"pfc_rx_frames"},
		{"{\"device\":\"d\",\"state\":{\"oper\":1}}", "oper"},
		{"{\"device\":\"d\",\"state\":{\"mtu\":\"big\"}}", "mtu"},
		{"{\"device\":\"d\",\"port\":\"p\",\"lldp\":3}", "lldp"},
		{"{\"device\":\"d\",\"event\":3}", "event"},
		{"{\"device\":\"d\",\"counters\":", "breaks off"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct err err = {0};

		if (jsonl_parse(cases[i].line, strlen(cases[i].line), NULL, NULL, NULL, &err))
			fail_msg("accepted: %s", cases[i].line);
		if (!strstr(err.text, cases[i].word))
			fail_msg("%s: %s", cases[i].line, err.text);
	}
}

static void names_too_long_and_escapes_do_not_pass(void **state)
{
	char line[256], name[100];
	struct err err = {0};
	struct obs *o;

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	str_printf(line, sizeof(line), "{\"device\":\"%s\"}", name);
	assert_null(jsonl_parse(line, strlen(line), NULL, NULL, NULL, &err));
	o = read_ok("{\"device\":\"a\\u001b[2Jb\",\"state\":{\"model\":\"x\\u001b]0;t\\u0007\"}}",
		NULL, NULL);
	assert_null(strchr(o->device, '\x1b'));
	assert_null(strchr(attr_word(at_port(o, NULL), ATTR_MODEL, 0), '\x1b'));
	obs_free(o);
}

static void a_line_cut_anywhere(void **state)
{
	static const char good[] =
		"{\"t\":1.5,\"device\":\"d\",\"port\":\"p\",\"counters\":{\"rx_bytes\":1,"
		"\"pfc_rx_frames\":{\"3\":9}},\"state\":{\"oper\":\"up\"},\"lldp\":{\"device\":"
		"\"n\"}}";

	(void)state;
	for (size_t n = 0; n < sizeof(good) - 1; n++) {
		char *exact = mem_strndup(good, n);
		struct err err = {0};

		assert_null(jsonl_parse(exact, n, NULL, NULL, NULL, &err));
		assert_true(err.text[0]);
		free(exact);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(everything_on_one_line),
		cmocka_unit_test(stations_of_a_port),
		cmocka_unit_test(counts_of_64_bits_are_exact),
		cmocka_unit_test(the_last_of_a_key_counts),
		cmocka_unit_test(events_devices_and_nccl),
		cmocka_unit_test(settings_sessions_and_log_lines),
		cmocka_unit_test(unknown_keys_warn_and_are_ignored),
		cmocka_unit_test(wrong_lines_say_what_is_wrong),
		cmocka_unit_test(names_too_long_and_escapes_do_not_pass),
		cmocka_unit_test(a_line_cut_anywhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
