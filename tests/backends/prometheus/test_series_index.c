/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/prometheus/prometheus.h"
#include "backends/prometheus/queries.h"
#include "backends/prometheus/series_index.h"
#include "fabric/model/model.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/backends/prometheus/prometheus_rules.h"
#include "tests/backends/prometheus/series_rig.h"
#include "tests/support/cases.h"
#include "tests/support/obs_find.h"

static void add_need_rule(struct prometheus_map *map)
{
	struct prometheus_rule *r = prometheus_rule_new();

	r->metric = mem_strdup("need_state");
	(void)prometheus_label_set(&r->device, "instance", NULL, NULL);
	r->tells = PROMETHEUS_NEED;
	r->a = mem_strdup("need");
	r->b = mem_strdup("state");
	vec_push(&map->rules, r);
}

static int setup(void **state)
{
	return series_rig_setup(state, NULL);
}

static int setup_needs(void **state)
{
	return series_rig_setup(state, add_need_rule);
}

#define LEAF0 "\"instance\":\"leaf-0:9100\",\"port\":\"Ethernet0\""

CASE_WITH(batches_are_devices_at_times, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct obs *o, *second;
	struct buf b;

	buf_init(&b, 65536);
	series_rig_add(&b, "rx_bytes_total", LEAF0,
		"[1699999970,\"1\"],[1699999985,\"5\"],[1700000000,\"9\"]");
	series_rig_add(&b, "pfc_seconds_total", LEAF0 ",\"priority\":\"3\"",
		"[1699999985,\"0.5\"],[1700000000,\"0.750001\"]");
	series_rig_add(&b, "port_up", LEAF0, "[1700000000,\"1\"]");
	series_rig_add(&b, "device_info", "\"instance\":\"leaf-0:9100\",\"model\":\"Q\\u001b9\"",
		"[1700000000,\"1\"]");
	series_rig_add(&b, "rx_bytes_total", "\"instance\":\"10-0-0-2\",\"port\":\"Ethernet4\"",
		"[1700000000,\"9223372036854775807\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 5, &b);
	/* The first time the sample before comes too, for rates. */
	assert_non_null(o);
	assert_string_equal(o->device, "leaf-0");
	assert_string_equal(o->request, "engine");
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 5);
	assert_true(cell_count(at_port(o, "Ethernet0"), "pfc_rx_duration_us", 3) == 500000);
	assert_true(o->ports.at[0].sample_us == (T0 - 15) * CLOCK_SEC);
	second = o->next;
	assert_non_null(second);
	assert_true(cell_count(at_port(second, "Ethernet0"), "rx_bytes", 0) == 9);
	assert_true(cell_count(at_port(second, "Ethernet0"), "pfc_rx_duration_us", 3) == 750001);
	assert_string_equal(attr_word(at_port(second, "Ethernet0"), ATTR_OPER, 0), "up");
	assert_string_equal(attr_word(at_port(second, NULL), ATTR_MODEL, 0), "Q?9");
	assert_true(second->ports.at[0].sample_us == T0 * CLOCK_SEC);
	assert_true(second->received_us == (T0 + 5) * CLOCK_SEC);
	assert_true(second->received_us - o->received_us == 15 * CLOCK_SEC);
	/* An address of the inventory is a name as well.
	 */
	assert_non_null(second->next);
	assert_string_equal(second->next->device, "leaf-2");
	assert_true(cell_count(at_port(second->next, "Ethernet4"), "rx_bytes", 0) == INT64_MAX);
	assert_null(second->next->next);
	series_rig_free(o);
	/* Overlapping samples are reported once; without new samples there is no batch. */
	series_rig_add(&b, "rx_bytes_total", LEAF0, "[1699999985,\"5\"],[1700000000,\"9\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 20, &b));
	series_rig_add(&b, "rx_bytes_total", LEAF0,
		"[1700000000,\"9\"],[1700000015,\"12\"],[1700000030,\"14\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 35, &b);
	assert_non_null(o);
	assert_null(o->next);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 14);
	assert_true(o->ports.at[0].sample_us == (T0 + 30) * CLOCK_SEC);
	series_rig_free(o);
	buf_free(&b);
}

CASE_WITH(an_old_sample_is_no_news_of_now, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	series_rig_add(&b, "rx_bytes_total", LEAF0, "[1700000000,\"9\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 100, &b);
	assert_non_null(o);
	/* An interval and five seconds are as old as a sample may be. */
	assert_true(o->received_us == (T0 + 35) * CLOCK_SEC);
	series_rig_free(o);
	buf_free(&b);
}

CASE_WITH(nonsense_is_left_out_and_counted, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct series_index_counts counts;
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	series_rig_add(&b, "rx_bytes_total", LEAF0, "[1700000000,\"-5\"]");
	series_rig_add(&b, "pfc_seconds_total", LEAF0 ",\"priority\":\"9\"", "[1700000000,\"1\"]");
	series_rig_add(&b, "pfc_seconds_total", LEAF0, "[1700000000,\"1\"]");
	series_rig_add(
		&b, "pfc_seconds_total", LEAF0 ",\"priority\":\"0\"", "[1700000000,\"1e300\"]");
	series_rig_add(&b, "rx_bytes_total", "\"instance\":\"stranger\",\"port\":\"Ethernet0\"",
		"[1700000000,\"1\"]");
	series_rig_add(&b, "rx_bytes_total", "\"port\":\"Ethernet0\"", "[1700000000,\"1\"]");
	series_rig_add(&b, "unasked_total", LEAF0, "[1700000000,\"1\"]");
	series_rig_add(&b, "port_up", LEAF0, "[1700000000,\"7\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0, &b);
	assert_null(o);
	series_index_count(r->book, &counts);
	assert_int_equal(counts.foreign, 5);
	assert_int_equal(counts.bad, 3);
	buf_free(&b);
}

CASE_WITH(one_of_two_sources_is_believed, setup, series_rig_teardown)
{
	static const char a[] = LEAF0 ",\"replica\":\"a\"", other[] = LEAF0 ",\"replica\":\"b\"";
	struct series_rig *r = *state;
	struct series_index_counts counts;
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	series_rig_add(&b, "rx_bytes_total", a, "[1700000000,\"100\"]");
	series_rig_add(&b, "rx_bytes_total", other, "[1700000007,\"90\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 8, &b);
	assert_non_null(o);
	assert_null(o->next);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 100);
	series_rig_free(o);
	/* The first is silent: for three intervals nobody takes its place. */
	series_rig_add(&b, "rx_bytes_total", other, "[1700000060,\"95\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 61, &b));
	series_rig_add(&b, "rx_bytes_total", other, "[1700000100,\"120\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 101, &b);
	assert_non_null(o);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 120);
	series_rig_free(o);
	/* It stays with the series that took over. */
	series_rig_add(&b, "rx_bytes_total", a, "[1700000110,\"500\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 111, &b));
	series_index_count(r->book, &counts);
	assert_int_equal(counts.twins, 3);
	buf_free(&b);
}

/* Another job on the same host says nothing about the exporter, and does not take its place. */
CASE_WITH(who_says_that_it_is_up_need_not_measure_it, setup, series_rig_teardown)
{
	static const char other[] = "\"instance\":\"leaf-0\",\"job\":\"kubernetes-nodes\",";
	struct series_rig *r = *state;
	char labels[128];
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	(void)str_printf(labels, sizeof(labels), "%s\"state\":\"fresh\"", other);
	series_rig_add(&b, "device_state", labels, "[1700000000,\"1\"]");
	series_rig_add(&b, "rx_bytes_total", LEAF0, "[1700000000,\"100\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 1, &b);
	assert_non_null(o);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 100);
	series_rig_free(o);
	(void)str_printf(labels, sizeof(labels), "%s\"state\":\"unreachable\"", other);
	series_rig_add(&b, "device_state", labels, "[1700000015,\"1\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 16, &b));
	buf_free(&b);
}

/* The source of that moment need not be the source of now. */
CASE_WITH(a_moment_has_sources_of_its_own, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	series_rig_add(&b, "rx_bytes_total", LEAF0 ",\"pod\":\"new\"", "[1700000000,\"100\"]");
	series_rig_free(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 1, &b));
	series_rig_add(&b, "rx_bytes_total", LEAF0 ",\"pod\":\"old\"", "[1699990000,\"50\"]");
	series_rig_add(&b, "rx_bytes_total", LEAF0 ",\"pod\":\"twin\"", "[1699990001,\"40\"]");
	series_index_begin(r->book, SERIES_INDEX_MOMENT, (T0 - 9990) * CLOCK_SEC);
	series_rig_feed(r, &b);
	o = series_index_end(r->book, (T0 - 9990) * CLOCK_SEC, "the engine's answer is incomplete");
	assert_non_null(o);
	assert_null(o->next);
	assert_true(cell_count(at_port(o, "Ethernet0"), "rx_bytes", 0) == 50);
	assert_int_equal(o->items.at[o->items.n - 1].kind, OBS_CAPABILITY);
	series_rig_free(o);
	buf_free(&b);
}

CASE_WITH(says_who_is_not_reached, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	series_rig_add(&b, "device_state", "\"instance\":\"leaf-0\",\"state\":\"unreachable\"",
		"[1700000000,\"1\"]");
	series_rig_add(&b, "device_info", "\"instance\":\"leaf-0\",\"model\":\"Q9\"",
		"[1700000000,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0, &b);
	/* A series about the device is no sign of life. */
	assert_non_null(o);
	assert_null(o->next);
	assert_int_equal(o->result, OBS_FAILED);
	assert_int_equal(o->err.code, ERR_UNREACHABLE);
	assert_non_null(strstr(o->err.text, "127.0.0.1"));
	series_rig_free(o);
	/* It is there again: the newer of two states counts. */
	series_rig_add(&b, "device_state", "\"instance\":\"leaf-0\",\"state\":\"unreachable\"",
		"[1700000000,\"1\"],[1700000015,\"1\"]");
	series_rig_add(&b, "device_state", "\"instance\":\"leaf-0\",\"state\":\"fresh\"",
		"[1700000030,\"1\"]");
	series_rig_add(&b, "rx_bytes_total", "\"instance\":\"leaf-0\",\"port\":\"Ethernet0\"",
		"[1700000030,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 31, &b);
	assert_non_null(o);
	assert_null(o->next);
	assert_int_equal(o->result, OBS_DATA);
	series_rig_free(o);
	/* And away, after its last numbers. */
	series_rig_add(&b, "rx_bytes_total", "\"instance\":\"leaf-0\",\"port\":\"Ethernet0\"",
		"[1700000045,\"2\"]");
	series_rig_add(&b, "device_state", "\"instance\":\"leaf-0\",\"state\":\"unauthorised\"",
		"[1700000060,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 61, &b);
	assert_non_null(o);
	assert_int_equal(o->result, OBS_DATA);
	assert_non_null(o->next);
	assert_int_equal(o->next->err.code, ERR_UNAUTHORISED);
	series_rig_free(o);
	series_rig_add(&b, "device_state", "\"instance\":\"leaf-0\",\"state\":\"not_understood\"",
		"[1700000075,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 76, &b);
	assert_non_null(o);
	assert_int_equal(o->err.code, ERR_PROTOCOL);
	series_rig_free(o);
	buf_free(&b);
}

CASE_WITH(the_past_leaves_the_present_alone, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct buf b;
	struct obs *o;
	unsigned n = 0;

	buf_init(&b, 65536);
	series_rig_add(&b, "rx_bytes_total", LEAF0,
		"[1699990000,\"1\"],[1699990015,\"2\"],[1699990030,\"3\"]");
	series_rig_add(&b, "rx_bytes_total", "\"instance\":\"leaf-1\",\"port\":\"Ethernet0\"",
		"[1699990007,\"1\"],[1699990022,\"2\"]");
	o = series_rig_gather(r, SERIES_INDEX_MOMENT, 1699990031, &b);
	for (struct obs *x = o; x; x = x->next, n++) {
		assert_true(!x->next || x->received_us <= x->next->received_us);
		assert_true(x->received_us == x->ports.at[0].sample_us);
	}
	assert_int_equal(n, 4);
	series_rig_free(o);
	series_rig_add(&b, "rx_bytes_total", LEAF0,
		"[1699990000,\"1\"],[1699990015,\"2\"],[1699990030,\"3\"],[1699990045,\"4\"]");
	o = series_rig_gather(r, SERIES_INDEX_HISTORY, 1699990050, &b);
	n = 0;
	for (struct obs *x = o; x; x = x->next, n++) {
		assert_string_equal(x->request, REQUEST_HISTORY);
		assert_true(x->received_us == (1699990000 + (int64_t)n * 15) * CLOCK_SEC);
	}
	assert_int_equal(n, 4);
	series_rig_free(o);
	/* Both were gathered, and the present knows of neither. */
	series_rig_add(&b, "rx_bytes_total", LEAF0, "[1699990045,\"4\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, 1699990050, &b);
	assert_non_null(o);
	series_rig_free(o);
	buf_free(&b);
}

CASE_WITH(tells_a_warning_once_and_its_end, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	const char *cure = NULL;
	struct buf b;
	struct obs *o;

	buf_init(&b, 65536);
	for (unsigned i = 0; i < 3; i++) {
		char values[64];

		(void)str_printf(values, sizeof(values), "[%lld,\"1\"]", (long long)T0 + i * 30);
		series_rig_add(&b, "rx_bytes_total", LEAF0, values);
		series_index_begin(r->book, SERIES_INDEX_LIVE, (T0 + i * 30) * CLOCK_SEC);
		series_rig_feed(r, &b);
		o = series_index_end(
			r->book, (T0 + i * 30) * CLOCK_SEC, i < 2 ? "half is missing" : "");
		assert_non_null(o);
		assert_int_equal(capability_of(o, "metrics engine", &cure), i == 0 ? VALID_DISABLED
									    : i == 1 ? VALID_UNKNOWN
										     : VALID_OK);
		if (i == 0)
			assert_string_equal(cure, "half is missing");
		series_rig_free(o);
	}
	buf_free(&b);
}

/* A need that the device reports has no series: it is met when the contrary series is gone. */
CASE_WITH(a_need_without_a_series_is_met, setup_needs, series_rig_teardown)
{
	static const char *const lacks[] = {
		"\"instance\":\"leaf-0\",\"need\":\"PFC settings\",\"state\":\"disabled\"",
		"\"instance\":\"leaf-0\",\"need\":\"uptime\",\"state\":\"unsupported\""};
	/* Which of them are said, whether all was, and whether the device was heard. */
	static const struct {
		bool both, told, heard;
		enum validity pfc;
	} rounds[] = {{true, true, true, VALID_DISABLED}, {false, false, true, VALID_UNKNOWN},
		{false, true, false, VALID_UNKNOWN}, {false, true, true, VALID_OK},
		{false, true, true, VALID_UNKNOWN}, {true, true, true, VALID_DISABLED}};
	struct series_rig *r = *state;
	struct buf b;

	buf_init(&b, 65536);
	for (unsigned i = 0; i < sizeof(rounds) / sizeof(rounds[0]); i++) {
		int64_t now = T0 + i * 30;
		enum validity pfc = VALID_UNKNOWN;
		char one[64];
		struct obs *o;

		(void)str_printf(one, sizeof(one), "[%lld,\"1\"]", (long long)now - 5);
		if (rounds[i].heard)
			series_rig_add(&b, "rx_bytes_total",
				"\"instance\":\"leaf-0\",\"port\":\"Ethernet0\"", one);
		if (rounds[i].both)
			series_rig_add(&b, "need_state", lacks[0], one);
		series_rig_add(&b, "need_state", lacks[1], one);
		series_index_begin(r->book, SERIES_INDEX_LIVE, now * CLOCK_SEC);
		series_rig_feed(r, &b);
		if (rounds[i].told)
			series_index_needs_told(r->book, 0, 3);
		o = series_index_end(r->book, now * CLOCK_SEC, "");
		assert_int_equal(o != NULL, rounds[i].heard);
		for (size_t k = 0; o && k < o->items.n; k++) {
			const struct obs_item *it = &o->items.at[k];

			if (it->kind == OBS_CAPABILITY &&
				str_eq(obs_text(o, it->text), "PFC settings"))
				pfc = (enum validity)it->code;
			else if (it->kind == OBS_CAPABILITY)
				assert_int_equal(it->code, VALID_UNSUPPORTED);
		}
		assert_int_equal(pfc, rounds[i].pfc);
		series_rig_free(o);
	}
	buf_free(&b);
}

CASE_WITH(many_series_are_all_known, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct series_index_counts counts;
	struct buf b;
	struct obs *o;
	size_t items = 0;

	buf_init(&b, (size_t)4 << 20);
	for (unsigned pass = 0; pass < 2; pass++) {
		struct buf reply;

		for (unsigned i = 0; i < 9000; i++) {
			char labels[128], values[64];

			(void)str_printf(labels, sizeof(labels),
				"\"instance\":\"leaf-%u:1\",\"port\":\"Ethernet%u\"", i % 3, i / 3);
			(void)str_printf(values, sizeof(values), "[%lld,\"%u\"]",
				(long long)T0 + pass * 30, i);
			series_rig_add(&b, "rx_bytes_total", labels, values);
		}
		buf_init(&reply, (size_t)8 << 20);
		(void)buf_addf(&reply,
			"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[%"
			"s]}}",
			b.data);
		buf_reset(&b);
		series_index_begin(r->book, SERIES_INDEX_LIVE, (T0 + pass * 30) * CLOCK_SEC);
		series_index_attach(r->book, &r->q, r->rules, r->nrules, &r->known);
		assert_true(prometheus_reader_feed(&r->q.reader, reply.data, reply.len));
		assert_true(prometheus_reader_end(&r->q.reader, NULL));
		series_index_detach(&r->q);
		o = series_index_end(r->book, (T0 + pass * 30) * CLOCK_SEC, "");
		for (struct obs *x = o; x; x = x->next)
			items += x->items.n;
		series_rig_free(o);
		buf_free(&reply);
	}
	series_index_count(r->book, &counts);
	assert_int_equal(counts.series, 9000);
	assert_int_equal(items, 18000);
	buf_free(&b);
}

/* ---- queries ---- */

CASE_WITH(asks_for_devices_and_metrics, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct prometheus_shard s = {0};
	struct buf b;

	buf_init(&b, 65536);
	r->plan.engine.match = mem_strdup("cluster=\"b200\"");
	prometheus_shard_plan(&s, r->book, r->map, WHICH_ALWAYS, 0, 3, 100000);
	assert_int_equal(s.asks.n, 1);
	assert_true(prometheus_ask_query(s.asks.at[0], r->book, &r->plan, r->map, 45000000, &b));
	assert_string_equal(b.data,
		"{__name__=~\"rx_bytes_total|pfc_seconds_total|port_up|device_state|device_info\","
		"instance=~\"(leaf-0|leaf-1|leaf-2|10-0-0-2)(:[0-9]+)?\",cluster=\"b200\"}[45s]");
	prometheus_shard_free(&s);
	/* The metrics for the cursor only, of one device. */
	buf_reset(&b);
	prometheus_shard_plan(&s, r->book, r->map, WHICH_CURSOR, 1, 2, 100000);
	assert_int_equal(s.asks.n, 1);
	assert_true(prometheus_ask_query(s.asks.at[0], r->book, &r->plan, r->map, 44000001, &b));
	assert_string_equal(
		b.data, "light{instance=~\"(leaf-1)(:[0-9]+)?\",cluster=\"b200\"}[45s]");
	prometheus_shard_free(&s);
	buf_free(&b);
}

CASE_WITH(priorities_that_are_not_lossless_are_asked_now_and_then, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct prometheus_shard s = {0};
	struct buf b;

	buf_init(&b, 65536);
	r->plan.lossless.priorities = 1U << 3 | 1U << 4;
	r->map->rules.at[1]->others_us = 120000000;
	prometheus_shard_plan(&s, r->book, r->map, WHICH_ALWAYS, 0, 1, 100000);
	assert_int_equal(s.asks.n, 3);
	assert_int_equal(s.asks.at[0]->rules.n, 4);
	assert_true(prometheus_ask_query(s.asks.at[1], r->book, &r->plan, r->map, 45000000, &b));
	assert_string_equal(b.data, "pfc_seconds_total{instance=~\"(leaf-0)(:[0-9]+)?\","
				    "priority=~\"(.*[^0-9])?(3|4)\"}[45s]");
	assert_true(s.asks.at[1]->every_us == 0);
	buf_reset(&b);
	assert_true(prometheus_ask_query(s.asks.at[2], r->book, &r->plan, r->map, 45000000, &b));
	assert_string_equal(b.data, "pfc_seconds_total{instance=~\"(leaf-0)(:[0-9]+)?\","
				    "priority!~\"(.*[^0-9])?(3|4)\"}[45s]");
	assert_true(s.asks.at[2]->every_us == 120000000);
	prometheus_shard_free(&s);
	/* If the metric has the priority in its name, the rule's own priority counts. */
	free(r->map->rules.at[1]->sub_label);
	r->map->rules.at[1]->sub_label = NULL;
	for (unsigned sub = 3; sub <= 5; sub += 2) {
		r->map->rules.at[1]->sub = sub;
		prometheus_shard_plan(&s, r->book, r->map, WHICH_ALWAYS, 0, 1, 100000);
		assert_int_equal(s.asks.n, sub == 3 ? 1 : 2);
		assert_true(s.asks.at[s.asks.n - 1]->every_us == (sub == 3 ? 0 : 120000000));
		prometheus_shard_free(&s);
	}
	/* The past of a device has them all. */
	prometheus_shard_plan(&s, r->book, r->map, WHICH_NUMBERS, 0, 1, 100000);
	for (size_t i = 0; i < s.asks.n; i++)
		assert_int_equal(s.asks.at[i]->part, PART_ALL);
	prometheus_shard_free(&s);
	buf_free(&b);
}

CASE_WITH(divides_metrics_then_devices, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct prometheus_shard s = {0};
	unsigned metrics = 0, devices = 0, left = 0;
	bool more = true;

	prometheus_shard_plan(&s, r->book, r->map, WHICH_ALWAYS, 0, 3, 100000);
	assert_int_equal(s.asks.at[0]->rules.n, 5);
	while (more) {
		more = false;
		for (size_t i = 0; i < s.asks.n; i++)
			if (!s.asks.at[i]->divided && prometheus_ask_divide(&s, s.asks.at[i]))
				more = true;
	}
	for (size_t i = 0; i < s.asks.n; i++) {
		const struct prometheus_ask *a = s.asks.at[i];

		if (a->divided)
			continue;
		left++;
		assert_int_equal(a->rules.n, 1);
		assert_int_equal(a->to - a->from, 1);
		metrics += 1U << a->rules.at[0];
		devices += 1U << a->from;
	}
	/* Each metric of each device, once. */
	assert_int_equal(left, 15);
	assert_int_equal(metrics, 3 * 31);
	assert_int_equal(devices, 5 * 7);
	prometheus_shard_free(&s);
}

/* Looking back as far as scrapes are apart, for two samples of each series. */
CASE_WITH(the_first_window_follows_from_the_scrapes, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct buf b;

	assert_int_equal(prometheus_first_window(30 * CLOCK_SEC, 0, 0), 130 * CLOCK_SEC);
	assert_int_equal(prometheus_first_window(90 * CLOCK_SEC, 0, 0), 190 * CLOCK_SEC);
	assert_int_equal(prometheus_first_window(30 * CLOCK_SEC, 15 * CLOCK_SEC, 9 * CLOCK_SEC),
		40 * CLOCK_SEC);
	/* A late sample is looked for where it is. */
	assert_int_equal(prometheus_first_window(30 * CLOCK_SEC, 15 * CLOCK_SEC, 25 * CLOCK_SEC),
		50 * CLOCK_SEC);
	assert_int_equal(prometheus_first_window(30 * CLOCK_SEC, 60 * CLOCK_SEC, 9 * CLOCK_SEC),
		130 * CLOCK_SEC);
	buf_init(&b, 65536);
	assert_int_equal(series_index_spacing(r->book, 0), 0);
	series_rig_add(&b, "rx_bytes_total", LEAF0,
		"[1699999940,\"1\"],[1699999955,\"1\"],[1699999985,\"5\"]");
	series_rig_add(&b, "port_up", LEAF0, "[1699999985,\"1\"]");
	series_rig_add(&b, "rx_bytes_total", "\"instance\":\"10-0-0-2\",\"port\":\"Ethernet4\"",
		"[1699999985,\"5\"]");
	series_rig_free(series_rig_gather(r, SERIES_INDEX_LIVE, T0, &b));
	assert_int_equal(series_index_spacing(r->book, 0), 30 * CLOCK_SEC);
	/* Of counters, which have no rate then. */
	assert_int_equal(r->q.n_single, 1);
	buf_free(&b);
}

/*
 * An ask that was too slow is tried as one again, later each time; one that was too large is not.
 */
CASE_WITH(what_was_too_slow_is_tried_as_one_again, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct prometheus_shard s = {0};
	struct prometheus_ask *a;
	int64_t now = 1000 * CLOCK_SEC;
	size_t n, rules;

	prometheus_shard_plan(&s, r->book, r->map, WHICH_ALWAYS, 0, 3, PROMETHEUS_ASK_SERIES);
	n = s.asks.n;
	a = s.asks.at[0];
	rules = a->rules.n;
	a->asked_us = T0 * CLOCK_SEC;
	for (unsigned i = 0; i < 2; i++) {
		int64_t wait = (int64_t)(i + 1) * 600 * CLOCK_SEC;

		assert_true(prometheus_ask_divide(&s, a));
		prometheus_ask_slow(a, now);
		/* A half that is too large stays divided, and so does the ask that it is a half
		 * of. */
		assert_true(prometheus_ask_divide(&s, s.asks.at[n]));
		prometheus_shard_join(&s, now + wait);
		assert_true(a->divided);
		prometheus_ask_slow(s.asks.at[n], now);
		prometheus_shard_join(&s, now + 599 * CLOCK_SEC);
		assert_int_equal(s.asks.n, n + 4);
		s.asks.at[n + 1]->asked_us -= CLOCK_SEC;
		prometheus_shard_join(&s, now + 600 * CLOCK_SEC);
		prometheus_shard_join(&s, now + wait - 1);
		assert_int_equal(a->divided, i == 1);
		prometheus_shard_join(&s, now + wait);
		assert_false(a->divided);
		assert_int_equal(s.asks.n, n);
		assert_int_equal(a->rules.n, rules);
		/* The joined ask covers the time that one half had not asked. */
		assert_int_equal(a->asked_us, (T0 - 1 - i) * CLOCK_SEC);
	}
	prometheus_shard_free(&s);
}

CASE_WITH(large_asks_are_several, setup, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct prometheus_shard s = {0};

	(void)r;
	/* 3 devices: 192 series of a port's counter, 1,536 of a priority's. */
	prometheus_shard_plan(&s, r->book, r->map, WHICH_ALWAYS, 0, 3, 400);
	assert_int_equal(s.asks.n, 2);
	prometheus_shard_free(&s);
}

CASES_MAIN(NULL, NULL)
