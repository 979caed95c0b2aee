/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "backends/parse/json_select.h"
#include "backends/contract/needs.h"
#include "backends/parse/bgp_neighbors.h"
#include "backends/parse/tree.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

static struct json_value *load(const char *text)
{
	struct err err = {0};
	struct json_value *v = json_value_parse(text, strlen(text), "test", &err);

	if (!v)
		fail_msg("%s: %s", text, err.text);
	return v;
}

CASE(rows_of_any_depth)
{
	static const char *const shapes[] = {"{\"3\":{\"n\":7}}", "{\"queue\":{\"3\":{\"n\":7}}}",
		"[{\"queue\":2,\"n\":1},{\"queue\":\"3\",\"n\":7}]",
		"{\"queue\":[{\"queue\":3,\"n\":7}]}"};

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		char text[128];
		struct json_value *doc;
		const struct json_value *table;
		uint64_t n = 0;

		assert_true(str_printf(text, sizeof(text), "{\"table\":%s}", shapes[i]));
		doc = load(text);
		table = json_value_get(doc, "table");

		assert_true(json_value_u64(json_value_get(tree_row(table, "queue", 3), "n"), &n));
		assert_int_equal(n, 7);
		assert_null(tree_row(table, "queue", 4));
		free(doc);
	}
	assert_null(tree_row(NULL, "queue", 0));
}

CASE(leaves_dressed_for_people)
{
	struct json_value *v =
		load("{\"size\":\"1.00 KB\",\"n\":\"12\",\"inf\":\"inf\",\"a\":{\"b\":{\"c\":5}},"
		     "\"on\":\"enabled\",\"yes\":true,\"off\":\"disable\",\"state\":{\"up\":{}},"
		     "\"power\":{\"power\":\"1 mW / 0.25 dBm\",\"low-alarm-thresh\":\"-9.5 dBm\","
		     "\"high-warning-threshold\":\"4 dBm\"},\"poll\":\"0:00:00.2\",\"ms\":300}");
	struct obs *o = obs_new("x", "y");
	uint32_t port = obs_port(o, "swp1");
	uint64_t n;
	double r;

	assert_true(tree_amount(json_value_get(v, "size"), &n) && n == 1024);
	assert_true(tree_amount(json_value_get(v, "n"), &n) && n == 12);
	assert_false(tree_amount(json_value_get(v, "inf"), &n));
	assert_false(tree_amount(json_value_get(v, "a"), &n));
	assert_true(tree_amount(tree_at(v, "a/b/c"), &n) && n == 5);
	assert_null(tree_at(v, "a/x/c"));
	assert_ptr_equal(tree_at(v, ""), v);
	assert_true(tree_is_on(json_value_get(v, "on")) && tree_is_on(json_value_get(v, "yes")));
	assert_false(tree_is_on(json_value_get(v, "off")) || tree_is_on(NULL));
	for (size_t i = 0; i < 5; i++) {
		static const char *const words[] = {"{\"enabled\":{}}", "{\"disabled\":{}}",
			"{\"enable\":\"off\"}", "{\"on\":{\"a\":1}}", "{\"on\":{},\"off\":{}}"};
		struct json_value *word = load(words[i]);

		assert_int_equal(tree_is_on(word), i == 0);
		free(word);
	}
	assert_string_equal(tree_word(json_value_get(v, "state")), "up");
	assert_string_equal(tree_word(json_value_get(v, "on")), "enabled");
	assert_string_equal(tree_word(NULL), "");
	assert_int_equal(tree_reading(json_value_get(v, "power"), "power", "dBm", &r), NUMBER_OK);
	assert_true(fabs(r - 0.25) < 1e-9);
	assert_true(tree_duration_s(json_value_get(v, "poll"), 1e-3, &r) && fabs(r - 0.2) < 1e-9);
	assert_true(tree_duration_s(json_value_get(v, "ms"), 1e-3, &r) && fabs(r - 0.3) < 1e-9);
	assert_false(tree_duration_s(json_value_get(v, "on"), 1, &r));
	assert_true(tree_limits(o, port, ATTR_RX_POWER_LIMIT, json_value_get(v, "power"), "dBm"));
	assert_true(fabs(attr_number(at_port(o, "swp1"), ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM) +
			    9.5) < 1e-9);
	assert_true(attr_number(at_port(o, "swp1"), ATTR_RX_POWER_LIMIT, LIMIT_HIGH_WARN) > 3);
	assert_false(tree_limits(o, port, ATTR_VOLTAGE_LIMIT, NULL, "V"));
	obs_free(o);
	free(v);
}

CASE(maps_have_a_digit_an_entry)
{
	struct json_value *v =
		load("{\"0\":{\"to\":\"1\"},\"2\":{\"to\":7},\"3\":{\"to\":9},\"4\":\"x\"}");
	char map[9];

	assert_true(tree_map(v, "from", "to", 8, map));
	assert_string_equal(map, "1-7-----");
	assert_false(tree_map(v, "from", "nothing", 8, map));
	assert_false(tree_map(NULL, "from", "to", 8, map));
	free(v);
}

CASE(counts_say_what_is_missing)
{
	static const struct tree_count table[] = {{"a/b", CTR_RX_BYTES}, {"c", CTR_TX_BYTES}};
	struct json_value *v = load("{\"a\":{\"b\":\"1.00 KB\"}}");
	struct obs *o = obs_new("x", "y");
	uint32_t port = obs_port(o, "swp1");

	tree_counts(NULL, o, port, 0, v, table, 2, true);
	assert_int_equal(cell_count(at_port(o, "swp1"), "rx_bytes", 0), 1024);
	assert_int_equal(cell_validity(at_port(o, "swp1"), "tx_bytes", 0), VALID_UNSUPPORTED);
	port = obs_port(o, "swp2");
	tree_counts(NULL, o, port, 0, NULL, table, 2, true);
	assert_int_equal(cell_validity(at_port(o, "swp2"), "tx_bytes", 0), VALID_UNKNOWN);
	obs_free(o);
	free(v);
}

struct seen {
	char text[256];
};

static void note(void *ctx, const char *name, const struct json_value *v, const char *complaint)
{
	struct seen *s = ctx;
	size_t n = strlen(s->text);

	str_printf(s->text + n, sizeof(s->text) - n, "%s=%s%s;", name,
		v ? json_value_text_or(json_value_get(v, "a"), "?") : "!", complaint);
}

CASE(blocks_of_a_loop)
{
	static const char text[] =
		"banner\n@swp1\n{\"a\": \"x\",\n \"b\": \"@\"}\n@swp2\nError: no\n@\n"
		"@swp3\n@swp4\n{\"a\":\"y\"}";
	struct seen s = {""};

	assert_int_equal(tree_blocks(text, sizeof(text) - 1, note, &s), 4);
	assert_string_equal(s.text, "swp1=x;swp2=!Error: no;swp3=!nothing;swp4=y;");
	s.text[0] = '\0';
	assert_int_equal(tree_blocks("no block", 8, note, &s), 0);
	assert_int_equal(tree_blocks("", 0, note, &s), 0);
	/* Cut anywhere: never beyond the end. */
	for (size_t n = 0; n < sizeof(text); n++) {
		char *cut = malloc(n + 1);

		assert_non_null(cut);
		memcpy(cut, text, n);
		cut[n] = '\0';
		s.text[0] = '\0';
		(void)tree_blocks(cut, n, note, &s);
		free(cut);
	}
}

static const struct obs_bgp *session(const struct obs *o, const char *peer, enum bgp_afi afi)
{
	for (size_t i = 0; i < o->bgp.n; i++)
		if (str_eq(obs_text(o, o->bgp.at[i].peer), peer) && o->bgp.at[i].afi == afi)
			return &o->bgp.at[i];
	fail_msg("no session with %s", peer);
	return NULL;
}

CASE(neighbors_in_nvues_words)
{
	struct json_value *v =
		load("{\"swp1\":{\"hostname\":\"leaf1\",\"remote-as\":65001,\"state\":"
		     "\"established\",\"uptime\":\"1d02h00m\",\"dropped\":3,\"address-family\":{"
		     "\"ipv4-unicast\":{\"prefix-received\":12},\"l2vpn-evpn\":{}}},"
		     "\"swp2\":{\"state\":\"idle\",\"shutdown\":\"on\",\"uptime\":\"never\"},"
		     "\"swp3\":{\"bgpState\":\"Active\",\"bgpTimerUpMsec\":2500,"
		     "\"connectionsDropped\":\"4\"},\"settings\":{\"timers\":{}}}");
	struct obs *o = obs_new("x", "y");
	const struct obs_bgp *b;

	assert_int_equal(bgp_read_neighbors(v, o), 3);
	assert_true(o->bgp_whole);
	assert_int_equal(o->bgp.n, 4);
	b = session(o, "swp1", BGP_IPV4);
	assert_int_equal(b->state, BGP_ESTABLISHED);
	assert_string_equal(obs_text(o, b->host), "leaf1");
	assert_int_equal(b->remote_as, 65001);
	assert_int_equal(b->prefixes, 12);
	assert_int_equal(b->drops, 3);
	assert_true(fabs(b->since_s - 93600) < 1e-6);
	assert_true(session(o, "swp1", BGP_EVPN)->prefixes == UINT64_MAX);
	b = session(o, "swp2", BGP_IPV4);
	assert_int_equal(b->state, BGP_ADMIN_DOWN);
	assert_true(isnan(b->since_s) && b->drops == UINT64_MAX);
	b = session(o, "swp3", BGP_IPV4);
	assert_int_equal(b->state, BGP_ACTIVE);
	assert_true(fabs(b->since_s - 2.5) < 1e-9 && b->drops == 4);
	obs_free(o);
	free(v);
}

CASE(sets_of_needs)
{
	struct obs *o = obs_new("x", "y");
	uint32_t port = obs_port(o, "swp1");
	const char *cure;

	obs_count(o, port, CTR_PFC_RX_FRAMES, 3, 1);
	obs_invalid(o, port, CTR_PFCWD_STORM_DETECTED, 3, VALID_DISABLED, "switch it on");
	needs_settle(o,
		NEED_BIT(PFC) | NEED_BIT(WATCHDOG) | NEED_BIT(FEC) | NEED_BIT(LLDP) |
			NEED_BIT(HASH),
		NEED_BIT(LLDP), "buy another");
	assert_int_equal(capability_of(o, "PFC frames per priority", &cure), VALID_OK);
	assert_int_equal(capability_of(o, "LLDP neighbours", &cure), VALID_OK);
	assert_int_equal(capability_of(o, "PFC watchdog", &cure), VALID_DISABLED);
	assert_string_equal(cure, "switch it on");
	assert_int_equal(capability_of(o, "FEC counters", &cure), VALID_UNSUPPORTED);
	assert_string_equal(cure, "buy another");
	assert_int_equal(capability_of(o, "hash settings", &cure), VALID_UNSUPPORTED);
	assert_int_equal(capability_of(o, "identity", &cure), VALID_UNKNOWN);
	obs_free(o);
}

CASES_MAIN(NULL, NULL)
