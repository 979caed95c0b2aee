/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include "archive/openmetrics/metrics.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define NOW  (INT64_C(1700000000) * 1000000)
#define PAGE ((size_t)64 << 20)

static int setup(void **state)
{
	struct plan plan;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "exposed");
	plan.lossless.priorities = 1 << 3;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	plan_make_link(&plan, 0, "mlx5_0", 1, "Ethernet0", 0);
	*state = model_new(&plan);
	plan_free(&plan);
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static void apply(struct model *m, struct obs *o)
{
	model_apply(m, o, o->received_us);
	model_age(m, o->received_us);
	model_links(m);
	obs_free(o);
}

static struct obs *answer_of(const char *device, double t)
{
	struct obs *o = obs_new(device, "fast");

	o->received_us = NOW + (int64_t)(t * 1e6);
	return o;
}

/* The whole exposition, read in pieces of `piece` bytes. */
static char *page_in(const struct model *m, enum metrics_format format, size_t piece)
{
	struct metrics_own own = {.version = "1.2.3", .start_us = NOW};
	struct metrics *x = metrics_take(m, NULL, &own, NOW);
	struct metrics_reader r = {.of = x, .format = format};
	char *some = mem_alloc(piece);
	struct buf b;
	size_t n;

	buf_init(&b, PAGE);
	while ((n = metrics_read(&r, some, piece))) {
		assert_true(n <= piece);
		assert_true(buf_add(&b, some, n));
	}
	assert_int_equal(metrics_read(&r, some, piece), 0);
	free(some);
	metrics_free(x);
	return buf_take(&b, NULL);
}

static char *page(const struct model *m, enum metrics_format format)
{
	return page_in(m, format, 65536);
}

/* Whether the page has the line. */
static bool has(const char *text, const char *line)
{
	size_t n = strlen(line);

	for (const char *at = text; (at = strstr(at, line)); at += n)
		if ((at == text || at[-1] == '\n') && (at[n] == '\n' || at[n] == '\0'))
			return true;
	return false;
}

static void want(const char *text, const char *line)
{
	if (!has(text, line))
		fail_msg("no line: %s", line);
}

static void never(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("there is: %s", part);
}

CASE_WITH(values_are_exact_and_in_base_units, setup, teardown)
{
	struct model *m = *state;
	struct obs *o = answer_of("leaf-r0-00", 0);
	uint32_t p = obs_port(o, "Ethernet0");
	char *text;

	obs_word(o, p, ATTR_OPER, 0, "up");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, UINT64_MAX);
	obs_count(o, p, CTR_TX_BYTES, 0, 0);
	obs_count(o, p, CTR_PFC_RX_DURATION_US, 3, 1234567);
	obs_count(o, p, CTR_PFC_TX_DURATION_US, 3, 5000000);
	obs_gauge(o, p, CTR_RX_POWER_DBM, 2, -1.53);
	obs_gauge(o, p, CTR_TX_BIAS_MA, 7, 7.125);
	obs_gauge(o, p, CTR_PRE_FEC_BER, 0, 1.3e-9);
	obs_gauge(o, p, CTR_TEMPERATURE_C, 0, 45);
	obs_gauge(o, p, CTR_PCI_STALLED_READ_PCT, 0, 12.5);
	obs_gauge(o, p, CTR_PCIE_SPEED_MTPS, 0, 32000);
	obs_count(o, p, CTR_FEC_BIN, 15, 9);
	apply(m, o);
	text = page(m, METRICS_TEXT);
#define AT "device=\"leaf-r0-00\",port=\"Ethernet0\",rail=\"0\",tier=\"leaf\""
	want(text, "railtop_port_up{" AT "} 1");
	want(text, "railtop_port_speed_bytes_per_second{" AT "} 50000000000");
	want(text, "railtop_port_rx_bytes_total{" AT "} 18446744073709551615");
	want(text, "railtop_port_tx_bytes_total{" AT "} 0");
	want(text, "railtop_port_pfc_rx_duration_seconds_total{" AT ",priority=\"3\"} 1.234567");
	want(text, "railtop_port_pfc_tx_duration_seconds_total{" AT ",priority=\"3\"} 5");
	want(text, "railtop_port_rx_power_dbm{" AT ",lane=\"2\"} -1.53");
	want(text, "railtop_port_tx_bias_amperes{" AT ",lane=\"7\"} 0.007125");
	want(text, "railtop_port_pre_fec_ber{" AT "} 0.0000000013");
	want(text, "railtop_port_temperature_celsius{" AT "} 45");
	want(text, "railtop_port_pci_stalled_read_ratio{" AT "} 0.125");
	want(text, "railtop_port_pcie_speed_transfers_per_second{" AT "} 32000000000");
	want(text, "railtop_port_fec_bin_total{" AT ",bin=\"15\"} 9");
	want(text, "railtop_build_info{version=\"1.2.3\"} 1");
	want(text, "railtop_fabric_info{fabric=\"exposed\"} 1");
	want(text, "railtop_device_state{device=\"leaf-r0-00\",state=\"fresh\"} 1");
	want(text, "railtop_device_up{device=\"leaf-r0-00\"} 1");
	free(text);
}

/* Readings come back unchanged, with any digits. */
CASE_WITH(readings_lose_nothing, setup, teardown)
{
	static const double values[] = {0.1, -40, 1e-17, 2.4e-4, 3.3333333333333335, 1e300, 5e-324,
		-0.0, 123456789.125, 9007199254740993.0, 1.0000000000000002, -2.9999};
	struct model *m = *state;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		struct obs *o = answer_of("leaf-r0-00", (double)i);
		uint32_t p = obs_port(o, "Ethernet0");
		char *text, *at;

		obs_gauge(o, p, CTR_RX_POWER_DBM, 0, values[i]);
		apply(m, o);
		text = page(m, METRICS_OPENMETRICS);
		at = strstr(text, "railtop_port_rx_power_dbm{");
		assert_non_null(at);
		at = strstr(at, "} ");
		assert_non_null(at);
		assert_true(strtod(at + 2, NULL) == values[i]);
		free(text);
	}
}

/* A neighbour of before LLDP was no longer read is none of now. */
CASE_WITH(a_neighbour_that_is_not_read_again_has_no_sample, setup, teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 3; i++) {
		struct obs *o = answer_of("leaf-r0-00", i == 0 ? 0 : i == 1 ? 600 : 720);
		uint32_t p = obs_port(o, "Ethernet0");
		char *text;

		obs_count(o, p, CTR_RX_BYTES, 0, 1000 + i);
		if (i == 0)
			obs_lldp(o, p, "spine-000", "Ethernet4");
		apply(m, o);
		text = page(m, METRICS_OPENMETRICS);
		if (i < 2)
			assert_non_null(strstr(text, "railtop_port_neighbour_info{"));
		else
			never(text, "railtop_port_neighbour");
		free(text);
	}
}

CASE_WITH(what_is_not_known_has_no_sample, setup, teardown)
{
	struct model *m = *state;
	struct obs *o = answer_of("leaf-r0-00", 0);
	uint32_t p = obs_port(o, "Ethernet0");
	char *text;

	obs_count(o, p, CTR_RX_BYTES, 0, 1000);
	obs_invalid(o, p, CTR_ECN_MARKED_PACKETS, 3, VALID_UNSUPPORTED, "no such counter");
	obs_invalid(o, p, CTR_QUEUE_DROPS, 3, VALID_DISABLED, "counterpoll queue enable");
	obs_gauge(o, p, CTR_RX_POWER_DBM, 0, (double)NAN);
	apply(m, o);
	text = page(m, METRICS_OPENMETRICS);
	assert_non_null(strstr(text, "railtop_port_rx_bytes_total{"));
	never(text, "railtop_port_ecn_marked");
	never(text, "railtop_port_queue_drops");
	never(text, "railtop_port_rx_power");
	never(text, "railtop_port_tx_bytes");
	never(text, "railtop_port_up{");
	never(text, "railtop_port_speed_");
	/* The host has not answered at all; its planned facts are known. */
	never(text, "railtop_device_up{device=\"node000\"");
	never(text, "railtop_device_last_answer_timestamp_seconds{device=\"node000\"");
	want(text, "railtop_device_state{device=\"node000\",state=\"pending\"} 1");
	want(text, "railtop_port_planned_speed_bytes_per_second{device=\"node000\",port=\"mlx5_0\","
		   "rail=\"0\",tier=\"host\"} 50000000000");
	free(text);
}

CASE_WITH(stale_numbers_go_and_their_age_stays, setup, teardown)
{
	struct model *m = *state;
	struct obs *o = answer_of("leaf-r0-00", 0);
	char *text;

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1000);
	obs_word(o, obs_port(o, "Ethernet0"), ATTR_OPER, 0, "up");
	apply(m, o);
	model_age(m, NOW + INT64_C(3600) * 1000000);
	text = page(m, METRICS_OPENMETRICS);
	never(text, "railtop_port_rx_bytes");
	never(text, "railtop_port_up");
	never(text, "railtop_device_state{device=\"leaf-r0-00\",state=\"fresh\"}");
	want(text, "railtop_device_up{device=\"leaf-r0-00\"} 0");
	want(text, "railtop_device_last_answer_timestamp_seconds{device=\"leaf-r0-00\"} "
		   "1700000000");
	free(text);
}

/* The device answers, but without port counters: it is as old as the last counters. */
CASE_WITH(a_blind_device_is_not_up, setup, teardown)
{
	struct model *m = *state;
	struct obs *o = answer_of("leaf-r0-00", 0);
	char *text;

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1000);
	obs_word(o, obs_port(o, "Ethernet0"), ATTR_OPER, 0, "up");
	apply(m, o);
	text = page(m, METRICS_OPENMETRICS);
	want(text, "railtop_device_up{device=\"leaf-r0-00\"} 1");
	free(text);
	for (int t = 5; t <= 60; t += 5) {
		o = answer_of("leaf-r0-00", t);
		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 1000 + t);
		err_set(&o->err, ERR_PROTOCOL, "leaf-r0-00", "no counters");
		apply(m, o);
	}
	text = page(m, METRICS_OPENMETRICS);
	want(text, "railtop_device_state{device=\"leaf-r0-00\",state=\"fresh\"} 1");
	want(text, "railtop_device_up{device=\"leaf-r0-00\"} 0");
	never(text, "railtop_port_rx_bytes");
	never(text, "railtop_port_up");
	never(text, "railtop_rail_ports");
	free(text);
}

/* A device may be called anything. */
CASE_WITH(labels_cannot_break_out, setup, teardown)
{
	struct model *m = *state;
	struct obs *o = answer_of("a\"} 1\nevil{x=\"\\", 0);
	char *text;

	obs_count(o, obs_port(o, "E\xff\x1b[0m\xc3\xa9"), CTR_RX_BYTES, 0, 7);
	apply(m, o);
	o = answer_of("leaf-r0-00", 0);
	obs_count(o, obs_port(o, "E\x02"), CTR_RX_BYTES, 0, 1);
	obs_count(o, obs_port(o, "E\x03"), CTR_RX_BYTES, 0, 2);
	apply(m, o);
	text = page(m, METRICS_TEXT);
	never(text, "\nevil");
	never(text, "\x1b");
	never(text, "\xff");
	assert_non_null(strstr(text, "railtop_device_state{device=\"a\\\"} 1 evil{x=\\\"\\\\\","));
	assert_non_null(strstr(text, "port=\"E??[0m\xc3\xa9\""));
	/* Two names that print alike are one series; the other is counted as left out. */
	assert_non_null(strstr(text, "port=\"E?\""));
	assert_null(strstr(strstr(text, "port=\"E?\"") + 1,
		"railtop_port_rx_bytes_total{device=\"leaf-r0-00\",port=\"E?\""));
	free(text);
}

/* Every counter at every priority, lane and bin. */
static void answer_everything(struct model *m)
{
	struct obs *o = answer_of("leaf-r0-00", 0);
	uint32_t p = obs_port(o, "Ethernet0");

	obs_word(o, p, ATTR_OPER, 0, "up");
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++) {
			if (counter_info[id].kind == KIND_GAUGE)
				obs_gauge(o, p, (enum counter_id)id, sub, 0.25 * (sub + 1));
			else
				obs_count(o, p, (enum counter_id)id, sub, id * 100 + sub);
		}
	apply(m, o);
}

static unsigned lines_with(const char *text, const char *start)
{
	unsigned n = 0;

	for (const char *at = text; (at = strstr(at, start)); at++)
		n += at == text || at[-1] == '\n';
	return n;
}

CASE_WITH(every_counter_is_there, setup, teardown)
{
	struct model *m = *state;
	char *text, *older;

	answer_everything(m);
	text = page(m, METRICS_OPENMETRICS);
	older = page(m, METRICS_TEXT);
	for (unsigned id = 0; id < COUNTER_COUNT; id++) {
		const struct counter_info *c = &counter_info[id];
		struct metric_family f;
		char name[96], line[256];

		metrics_family(METRIC_FIRST_COUNTER + id, &f);
		metrics_sample_name(&f, name, sizeof(name));
		assert_int_equal(f.type, c->kind == KIND_COUNT ? METRIC_COUNTER : METRIC_GAUGE);
		(void)str_printf(line, sizeof(line), "%s{", name);
		if (lines_with(text, line) != counter_dim_size((enum counter_id)id))
			fail_msg("%s: %u samples", name, lines_with(text, line));
		assert_int_equal(lines_with(older, line), counter_dim_size((enum counter_id)id));
		(void)str_printf(line, sizeof(line), "# TYPE %s %s", f.name,
			f.type == METRIC_COUNTER ? "counter" : "gauge");
		want(text, line);
		(void)str_printf(line, sizeof(line), "# TYPE %s %s", name,
			f.type == METRIC_COUNTER ? "counter" : "gauge");
		want(older, line);
	}
	free(text);
	free(older);
}

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);

	return n >= k && str_eq(s + n - k, end);
}

CASE(names_are_what_prometheus_wants)
{
	for (unsigned i = 0; i < METRIC_COUNT; i++) {
		struct metric_family f, g;
		char unit[32];

		metrics_family(i, &f);
		assert_true(str_starts(f.name, "railtop_") || str_starts(f.name, "process_"));
		assert_int_equal(
			strspn(f.name, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(f.name));
		assert_false(ends_with(f.name, "_total") || ends_with(f.name, "_info"));
		assert_null(strpbrk(f.help, "\n\\\""));
		assert_true(*f.help && strlen(f.help) < 256);
		(void)str_printf(unit, sizeof(unit), "_%s", f.unit);
		if (*f.unit && !ends_with(f.name, unit))
			fail_msg("%s does not end with its unit %s", f.name, f.unit);
		if (f.type == METRIC_INFO)
			assert_string_equal(f.unit, "");
		for (unsigned k = 0; k < i; k++) {
			metrics_family(k, &g);
			assert_string_not_equal(f.name, g.name);
		}
	}
}

/* Name of a family that a line belongs to, as OpenMetrics has it. */
static void family_of(const char *line, char *dst, size_t size)
{
	static const char *const ends[] = {"_total", "_info"};
	size_t n = strcspn(line, "{ ");

	(void)str_copyn(dst, size, line, n);
	for (size_t i = 0; i < 2; i++)
		if (ends_with(dst, ends[i]))
			dst[strlen(dst) - strlen(ends[i])] = '\0';
}

/* The rules of OpenMetrics 1.0.0 for the order of lines, and for each line. */
static void check_grammar(char *text)
{
	char family[128] = "", seen[16384] = "", name[130], *save = NULL;
	bool ended = false;

	assert_true(ends_with(text, "\n# EOF\n"));
	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		assert_false(ended);
		if (str_eq(line, "# EOF")) {
			ended = true;
		} else if (str_starts(line, "# HELP ")) {
			(void)str_copyn(family, sizeof(family), line + 7, strcspn(line + 7, " "));
			(void)str_printf(name, sizeof(name), " %s ", family);
			if (strstr(seen, name))
				fail_msg("%s comes twice", family);
			(void)str_printf(
				seen + strlen(seen), sizeof(seen) - strlen(seen), "%s", name);
		} else if (line[0] == '#') {
			assert_true(str_starts(line, "# TYPE ") || str_starts(line, "# UNIT "));
			assert_int_equal(strncmp(line + 7, family, strlen(family)), 0);
			assert_int_equal(line[7 + strlen(family)], ' ');
		} else {
			char *end, *value = strrchr(line, ' ');

			family_of(line, name, sizeof(name));
			assert_string_equal(name, family);
			assert_non_null(value);
			assert_true(value == strpbrk(line, " ") || value[-1] == '}');
			(void)strtod(value + 1, &end);
			assert_true(end > value + 1 && *end == '\0');
		}
	}
	assert_true(ended);
}

CASE_WITH(the_grammar_is_openmetrics, setup, teardown)
{
	char *text;

	answer_everything(*state);
	text = page(*state, METRICS_OPENMETRICS);
	check_grammar(text);
	free(text);
}

CASE_WITH(pieces_make_the_same_page, setup, teardown)
{
	static const size_t pieces[] = {METRICS_PIECE_LEAST, METRICS_PIECE_LEAST + 1, 5000, 9999};

	answer_everything(*state);
	for (int format = METRICS_TEXT; format <= METRICS_OPENMETRICS; format++) {
		char *whole = page_in(*state, (enum metrics_format)format, (size_t)1 << 20);

		for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
			char *some = page_in(*state, (enum metrics_format)format, pieces[i]);

			assert_string_equal(some, whole);
			free(some);
		}
		free(whole);
	}
}

CASE_WITH(a_picture_does_not_move, setup, teardown)
{
	struct metrics_own own = {.version = "1"};
	struct model *m = *state;
	struct metrics *x;
	struct metrics_reader r = {.format = METRICS_TEXT};
	char *text = mem_alloc(PAGE / 64);
	struct obs *o;

	answer_everything(m);
	x = metrics_take(m, NULL, &own, NOW);
	o = answer_of("leaf-r0-00", 5);
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 777777);
	apply(m, o);
	r.of = x;
	text[metrics_read(&r, text, PAGE / 64 - 1)] = '\0';
	assert_non_null(strstr(text, "railtop_port_rx_bytes_total{"));
	never(text, "777777");
	metrics_free(x);
	free(text);
}

CASE(an_empty_model_is_a_page)
{
	struct plan plan;
	struct model *m;
	char *text;

	plan_init(&plan);
	m = model_new(&plan);
	text = page(m, METRICS_OPENMETRICS);
	want(text, "railtop_exposition_left_out 0");
	check_grammar(text);
	free(text);
	model_free(m);
	plan_free(&plan);
}

CASES_MAIN(NULL, NULL)
