/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <stdlib.h>

#include <jansson.h>

#include "archive/snapshot.h"
#include "base/str.h"

#define NOW (INT64_C(1700000000) * 1000000)

static void add_device(struct plan *plan, const char *name, enum tier tier, int rail)
{
	struct plan_device *d = vec_add(&plan->devices);

	(void)str_copy(d->name, sizeof(d->name), name);
	d->tier = tier;
	d->rail = rail;
	d->interval_us = 5000000;
	d->dialect = mem_strdup(tier == TIER_HOST ? "linux" : "sonic");
}

static int setup(void **state)
{
	struct plan plan;
	struct plan_link *l;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "archived");
	plan.lossless.priorities = 1 << 3;
	add_device(&plan, "node000", TIER_HOST, -1);
	add_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	l = vec_add(&plan.links);
	l->b = 1;
	l->speed_mbps = 400000;
	(void)str_copy(l->a_port, sizeof(l->a_port), "mlx5_0");
	(void)str_copy(l->b_port, sizeof(l->b_port), "Ethernet0");
	*state = model_new(&plan);
	plan_free(&plan);
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

/* One answer of the leaf at the given second; value is rx_bytes. */
static struct obs *answer(double t, uint64_t value)
{
	struct obs *o = obs_new("leaf-r0-00", "fast");
	uint32_t p = obs_port(o, "Ethernet0");

	o->received_us = NOW + (int64_t)(t * 1e6);
	obs_word(o, p, ATTR_OPER, 0, "up");
	obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
	obs_count(o, p, CTR_RX_BYTES, 0, value);
	obs_count(o, p, CTR_PFC_RX_FRAMES, 3, value / 100);
	obs_gauge(o, p, CTR_RX_POWER_DBM, 2, -1.5);
	obs_invalid(o, p, CTR_ECN_MARKED_PACKETS, 3, VALID_UNSUPPORTED, "no such counter");
	return o;
}

static void apply(struct model *m, struct obs *o)
{
	model_apply(m, o, o->received_us);
	model_age(m, o->received_us);
	model_links(m);
	obs_free(o);
}

static char *written(const struct model *m, int64_t now_us,
	bool (*write)(const struct model *, int64_t, FILE *, struct err *))
{
	char *text = NULL;
	size_t size = 0;
	struct err err = {0};
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(write(m, now_us, f, &err));
	(void)fclose(f);
	return text;
}

static json_t *snapshot(const struct model *m, int64_t now_us)
{
	char *text = written(m, now_us, snapshot_json);
	json_error_t error;
	json_t *o = json_loads(text, 0, &error);

	if (!o)
		fail_msg("line %d: %s", error.line, error.text);
	free(text);
	return o;
}

/* The only port of the i-th device. */
static json_t *port_of(json_t *o, size_t device)
{
	json_t *d = json_array_get(json_object_get(o, "devices"), device);

	return json_array_get(json_object_get(d, "ports"), 0);
}

static json_t *at(json_t *o, const char *a, const char *b)
{
	json_t *v = json_object_get(json_object_get(o, a), b);

	if (!v)
		fail_msg("no %s.%s", a, b);
	return v;
}

static void the_contract_is_there(void **state)
{
	struct model *m = *state;
	json_t *o, *p, *rx;

	apply(m, answer(0, 1000));
	apply(m, answer(5, 501000));
	o = snapshot(m, NOW + 6000000);
	p = port_of(o, 1);
	assert_int_equal(json_integer_value(json_object_get(o, "schema")), 1);
	assert_string_equal(json_string_value(json_object_get(o, "fabric")), "archived");
	assert_true(json_number_value(json_object_get(o, "time")) == 1700000006.0);
	assert_int_equal(json_integer_value(at(o, "coverage", "devices")), 2);
	assert_int_equal(json_integer_value(at(o, "coverage", "fresh")), 1);
	assert_int_equal(json_integer_value(at(o, "coverage", "unreachable")), 0);
	assert_int_equal(
		json_integer_value(json_object_get(at(o, "census", "hosts"), "expected")), 1);
	assert_int_equal(json_integer_value(json_object_get(at(o, "census", "hosts"), "seen")), 0);
	assert_string_equal(json_string_value(json_object_get(p, "oper")), "up");
	assert_string_equal(json_string_value(at(p, "peer", "device")), "node000");
	assert_string_equal(json_string_value(at(p, "peer", "source")), "plan");
	rx = at(p, "counters", "rx_bytes");
	assert_int_equal(json_integer_value(json_object_get(rx, "value")), 501000);
	assert_true(json_number_value(json_object_get(rx, "rate")) == 100000);
	assert_true(json_number_value(json_object_get(rx, "age_s")) == 1);
	assert_string_equal(json_string_value(json_object_get(rx, "valid")), "ok");
	assert_non_null(json_object_get(at(p, "counters", "pfc_rx_frames"), "3"));
	assert_null(json_object_get(at(p, "counters", "pfc_rx_frames"), "4"));
	assert_non_null(json_object_get(at(p, "counters", "rx_power_dbm"), "2"));
	assert_true(json_is_true(json_object_get(
		json_object_get(at(p, "derived", "paused_rx"), "3"), "upper_bound")));
	assert_int_equal(json_array_size(json_object_get(o, "links")), 1);
	assert_true(json_is_array(json_object_get(o, "jobs")));
	assert_true(json_is_array(json_object_get(o, "findings")));
	json_decref(o);
}

static void unknown_is_null(void **state)
{
	struct model *m = *state;
	json_t *o, *p;

	apply(m, answer(0, 1000));
	o = snapshot(m, NOW);
	p = port_of(o, 1);
	assert_true(json_is_null(json_object_get(at(p, "counters", "rx_bytes"), "rate")));
	p = json_object_get(at(p, "counters", "ecn_marked_packets"), "3");
	assert_true(json_is_null(json_object_get(p, "value")));
	assert_true(json_is_null(json_object_get(p, "rate")));
	assert_string_equal(json_string_value(json_object_get(p, "valid")), "unsupported");
	p = port_of(o, 0);
	assert_string_equal(json_string_value(json_object_get(p, "oper")), "unknown");
	assert_true(json_is_null(json_object_get(p, "speed_mbps")));
	assert_true(json_is_null(at(p, "derived", "pre_fec_ber")));
	assert_true(json_is_null(at(p, "derived", "flaps")));
	assert_int_equal(json_object_size(json_object_get(p, "counters")), 0);
	json_decref(o);
}

static void resets_and_ages_are_told(void **state)
{
	struct model *m = *state;
	json_t *o, *rx, *e;

	apply(m, answer(0, 1000));
	apply(m, answer(5, 10));
	o = snapshot(m, NOW + 5000000);
	rx = at(port_of(o, 1), "counters", "rx_bytes");
	assert_string_equal(json_string_value(json_object_get(rx, "valid")), "reset");
	assert_true(json_is_null(json_object_get(rx, "rate")));
	e = json_array_get(json_object_get(o, "events"), 0);
	assert_string_equal(json_string_value(json_object_get(e, "event")), "counter_reset");
	assert_string_equal(json_string_value(json_object_get(e, "device")), "leaf-r0-00");
	json_decref(o);
	model_age(m, NOW + 60000000);
	o = snapshot(m, NOW + 60000000);
	rx = at(port_of(o, 1), "counters", "rx_bytes");
	assert_string_equal(json_string_value(json_object_get(rx, "valid")), "stale");
	assert_true(json_number_value(json_object_get(rx, "age_s")) == 55);
	json_decref(o);
}

/* Long words of many-byte characters: wherever they are cut, it must be between two of them. */
static void any_text_is_json(void **state)
{
	struct model *m = *state;
	char big[500];
	json_t *o, *p;

	for (size_t start = 0; start < 3; start++) {
		size_t n = 0;

		while (n < start)
			big[n++] = 'x';
		for (; n + 3 < sizeof(big); n += 3)
			memcpy(big + n, "\xe2\x82\xac", 3);
		big[n] = '\0';
		for (unsigned attr = 0; attr < OBS_ATTR_COUNT; attr++) {
			struct obs *b = answer((double)start * 5, 0);

			obs_word(b, 0, (enum obs_attr)attr, 3, big);
			obs_word(b, OBS_NO_PORT, (enum obs_attr)attr, 0, big);
			obs_lldp(b, 0, big, "\033]0;x\007");
			obs_capability(b, big, VALID_DISABLED, big);
			obs_event(b, 0, EV_LINK_FLAP, 0, big);
			apply(m, b);
		}
		o = snapshot(m, NOW);
		p = port_of(o, 1);
		assert_true(json_is_string(json_object_get(p, "description")));
		assert_true(json_is_string(json_object_get(p, "down_reason")));
		assert_true(json_is_string(at(p, "peer", "device")));
		assert_int_equal(json_array_size(json_object_get(o, "events")), m->event_seq);
		json_decref(o);
	}
	assert_int_equal(m->devices.at[1]->caps.n, 1 + 3);
}

static size_t lines(const char *s)
{
	size_t n = 0;

	for (; *s; s++)
		n += *s == '\n';
	return n;
}

static void the_page_is_one_page(void **state)
{
	struct model *m = *state;
	char *text;

	text = written(m, NOW, snapshot_text);
	assert_non_null(strstr(text, "archived at 2023-11-14T22:13:20Z"));
	assert_non_null(strstr(text, "pending 2"));
	assert_null(strstr(text, "nan"));
	free(text);
	for (unsigned i = 0; i < 300; i++) {
		char name[32];
		struct obs *o;

		(void)snprintf(name, sizeof(name), "sw%u", i);
		o = obs_new(name, "fast");
		o->result = OBS_FAILED;
		o->received_us = NOW;
		err_set(&o->err, ERR_UNREACHABLE, name, "connection refused");
		err_cure(&o->err, "check that sshd runs");
		apply(m, o);
		o = answer(i * 5, i);
		obs_event(o, obs_port(o, name), EV_LINK_FLAP, 0, "again");
		obs_word(o, obs_port(o, name), ATTR_OPER, 0, i % 2 ? "up" : "down");
		obs_count(o, obs_port(o, name), CTR_QUEUE_DROPS, 3, i * i);
		apply(m, o);
	}
	text = written(m, NOW, snapshot_text);
	assert_true(lines(text) <= SNAPSHOT_TEXT_LINES);
	assert_non_null(strstr(text, "unreachable 300"));
	assert_non_null(strstr(text, "cure: check that sshd runs"));
	assert_non_null(strstr(text, "more\n"));
	assert_null(strstr(text, "nan"));
	for (const char *s = text; *s; s++)
		assert_true((*s >= ' ' && *s < 0x7f) || *s == '\n');
	free(text);
}

static void a_full_disk_is_an_error(void **state)
{
	struct err err = {0};
	FILE *f = fopen("/dev/full", "w");

	if (!f)
		skip();
	assert_false(snapshot_json(*state, NOW, f, &err));
	assert_int_equal(err.code, ERR_IO);
	memset(&err, 0, sizeof(err));
	assert_false(snapshot_text(*state, NOW, f, &err));
	assert_int_equal(err.code, ERR_IO);
	(void)fclose(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_contract_is_there),
		TEST(unknown_is_null),
		TEST(resets_and_ages_are_told),
		TEST(any_text_is_json),
		TEST(the_page_is_one_page),
		TEST(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
