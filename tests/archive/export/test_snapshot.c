/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include <jansson.h>

#include "archive/export/snapshot.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define NOW (INT64_C(1700000000) * 1000000)

static int setup(void **state)
{
	struct plan plan;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "archived");
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
	bool (*write)(const struct model *, const struct diag *, int64_t, FILE *, struct err *))
{
	char *text = NULL;
	size_t size = 0;
	struct err err = {0};
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_true(write(m, NULL, now_us, f, &err));
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

CASE_WITH(the_contract_is_there, setup, teardown)
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
	/* All of it is one network. */
	assert_int_equal(json_array_size(at(o, "census", "networks")), 1);
	assert_string_equal(json_string_value(json_object_get(
				    json_array_get(at(o, "census", "networks"), 0), "network")),
		"backend");
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

CASE_WITH(settings_sessions_and_marks_are_there, setup, teardown)
{
	struct model *m = *state;
	struct obs *q = answer(0, 1000);
	uint32_t at_port = obs_port(q, "Ethernet0");
	struct obs_bgp *s =
		obs_bgp(q, BGP_EVPN, "default", "10.0.0.1", "spine-000", BGP_ESTABLISHED);
	json_t *o, *p, *d, *b;
	char *page;

	s->prefixes = 7;
	s->since_s = 100;
	(void)obs_bgp(q, BGP_IPV4, "default", "10.0.0.2", "", BGP_IDLE);
	obs_word(q, at_port, ATTR_TRUST, 0, "dscp");
	obs_number(q, at_port, ATTR_PFC_ENABLED, 0, 8);
	obs_number(q, at_port, ATTR_ECN_MIN_BYTES, 3, 500000);
	obs_number(q, at_port, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM, -12.5);
	obs_number(q, OBS_NO_PORT, ATTR_BGP_AS, 0, 65001);
	obs_word(q, OBS_NO_PORT, ATTR_ECMP_HASH, 0, "src-ip");
	obs_count(q, at_port, CTR_FEC_BIN, 15, 3);
	obs_capability(q, "ECN marks", VALID_DISABLED, "switch it on");
	apply(m, q);
	assert_true(model_mark(m, "shift", NOW + 1000000, NULL));
	apply(m, answer(5, 1500));
	o = snapshot(m, NOW + 6000000);
	d = json_array_get(json_object_get(o, "devices"), 1);
	p = port_of(o, 1);
	assert_string_equal(json_string_value(at(p, "qos", "trust")), "dscp");
	assert_true(json_is_null(at(p, "qos", "tc_to_pg")));
	assert_int_equal(json_integer_value(json_array_get(at(p, "qos", "pfc_enabled"), 0)), 3);
	b = json_object_get(at(p, "qos", "priorities"), "3");
	assert_int_equal(json_integer_value(json_object_get(b, "ecn_min_bytes")), 500000);
	assert_true(json_is_null(json_object_get(b, "xoff_bytes")));
	assert_true(json_number_value(json_object_get(
			    at(p, "optics_limits", "rx_power_dbm"), "low_alarm")) == -12.5);
	assert_non_null(json_object_get(at(p, "counters", "fec_bin"), "15"));
	assert_true(json_is_null(json_object_get(port_of(o, 0), "optics_limits")));
	b = json_array_get(json_object_get(d, "bgp"), 0);
	assert_string_equal(json_string_value(json_object_get(b, "host")), "spine-000");
	assert_string_equal(json_string_value(json_object_get(b, "afi")), "evpn");
	assert_int_equal(json_integer_value(json_object_get(b, "prefixes")), 7);
	assert_true(json_is_null(json_object_get(b, "drops")));
	assert_true(json_number_value(json_object_get(b, "since")) == 1700000000.0 - 100);
	assert_true(json_is_null(
		json_object_get(json_array_get(json_object_get(o, "devices"), 0), "bgp")));
	assert_int_equal(json_integer_value(at(d, "routing", "bgp_as")), 65001);
	b = json_array_get(json_object_get(d, "capabilities"), 0);
	assert_string_equal(json_string_value(json_object_get(b, "cure")), "switch it on");
	b = json_array_get(json_object_get(o, "marks"), 0);
	assert_string_equal(json_string_value(json_object_get(b, "name")), "shift");
	assert_true(json_number_value(json_object_get(b, "time")) == 1700000001.0);
	b = json_object_get(at(p, "counters", "rx_bytes"), "since");
	assert_int_equal(json_integer_value(json_object_get(b, "shift")), 500);
	assert_null(json_object_get(
		json_object_get(at(p, "counters", "ecn_marked_packets"), "3"), "since"));
	json_decref(o);
	page = written(m, NOW + 6000000, snapshot_text);
	assert_non_null(strstr(page, "bgp: 1 of 2 sessions established"));
	assert_non_null(strstr(page, "leaf-r0-00 to 10.0.0.2 idle"));
	free(page);
}

CASE_WITH(unknown_is_null, setup, teardown)
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

CASE_WITH(resets_and_ages_are_told, setup, teardown)
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
CASE_WITH(any_text_is_json, setup, teardown)
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

CASE_WITH(the_page_is_one_page, setup, teardown)
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

/* A counter of the leaf's port. */
static json_t *cell_at(json_t *o, const char *counter)
{
	return at(port_of(o, 1), "counters", counter);
}

CASE_WITH(large_values_keep_their_size, setup, teardown)
{
	static const struct {
		uint64_t value;
		bool integer;
	} cases[] = {
		{(uint64_t)INT64_MAX, true},
		{(uint64_t)INT64_MAX + 1, false},
		{UINT64_MAX, false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		json_t *o, *value;

		apply(*state, answer((double)i * 5, cases[i].value));
		o = snapshot(*state, NOW + 15000000);
		value = json_object_get(cell_at(o, "rx_bytes"), "value");
		assert_int_equal(json_is_integer(value), cases[i].integer);
		assert_true(json_number_value(value) == (double)cases[i].value);
		json_decref(o);
	}
}

CASE_WITH(what_is_off_has_no_value, setup, teardown)
{
	static const enum validity words[] = {VALID_DISABLED, VALID_UNSUPPORTED};
	struct model *m = *state;

	apply(m, answer(0, 1000));
	for (size_t i = 0; i < 2; i++) {
		struct obs *b = answer(5 + (double)i, 0);
		json_t *o, *c;

		/* The leaf told a value before: the old one must not stand there. */
		b->items.n = 0;
		obs_invalid(b, 0, CTR_RX_BYTES, 0, words[i], "turn it on");
		obs_invalid(b, 0, CTR_RX_POWER_DBM, 2, words[i], "");
		apply(m, b);
		o = snapshot(m, NOW + 7000000);
		c = cell_at(o, "rx_bytes");
		assert_string_equal(
			json_string_value(json_object_get(c, "valid")), validity_name(words[i]));
		assert_true(json_is_null(json_object_get(c, "value")));
		assert_true(json_is_null(json_object_get(c, "rate")));
		c = json_object_get(cell_at(o, "rx_power_dbm"), "2");
		assert_true(json_is_null(json_object_get(c, "value")));
		assert_null(json_object_get(c, "rate"));
		json_decref(o);
	}
}

CASE_WITH(a_duration_is_no_upper_bound, setup, teardown)
{
	json_t *o, *p;

	for (int i = 0; i < 2; i++) {
		struct obs *b = answer(i * 5, (uint64_t)i * 500000);

		obs_count(b, 0, CTR_PFC_RX_DURATION_US, 3, (uint64_t)i * 2500000);
		obs_count(b, 0, CTR_PFC_TX_FRAMES, 4, (uint64_t)i * 5000);
		apply(*state, b);
	}
	o = snapshot(*state, NOW + 5000000);
	p = json_object_get(at(port_of(o, 1), "derived", "paused_rx"), "3");
	assert_true(json_is_false(json_object_get(p, "upper_bound")));
	assert_true(json_number_value(json_object_get(p, "percent")) == 50);
	p = json_object_get(at(port_of(o, 1), "derived", "paused_tx"), "4");
	assert_true(json_is_true(json_object_get(p, "upper_bound")));
	/* 1000 frames/s of 65535 * 512 bit times at 400 Gb/s. */
	assert_true(fabs(json_number_value(json_object_get(p, "percent")) - 8.388) < 0.001);
	assert_int_equal(json_object_size(at(port_of(o, 1), "derived", "paused_tx")), 1);
	json_decref(o);
}

CASE_WITH(every_counter_has_its_place, setup, teardown)
{
	struct obs *b = answer(0, 0);
	json_t *o, *all;

	b->items.n = 0;
	for (int id = 0; id < COUNTER_COUNT; id++) {
		unsigned sub = counter_info[id].dim == DIM_ONE ? 0 : 7;

		if (counter_info[id].kind == KIND_GAUGE)
			obs_gauge(b, 0, (enum counter_id)id, sub, 1.5);
		else
			obs_count(b, 0, (enum counter_id)id, sub, 3);
	}
	apply(*state, b);
	o = snapshot(*state, NOW);
	all = json_object_get(port_of(o, 1), "counters");
	assert_int_equal(json_object_size(all), COUNTER_COUNT);
	for (int id = 0; id < COUNTER_COUNT; id++) {
		json_t *c = json_object_get(all, counter_info[id].name);

		if (counter_info[id].dim != DIM_ONE) {
			assert_int_equal(json_object_size(c), 1);
			c = json_object_get(c, "7");
		}
		assert_true(json_number_value(json_object_get(c, "value")) ==
			    (counter_info[id].kind == KIND_GAUGE ? 1.5 : 3));
		assert_int_equal(
			json_object_get(c, "rate") != NULL, counter_info[id].kind == KIND_COUNT);
		assert_string_equal(json_string_value(json_object_get(c, "valid")), "ok");
	}
	json_decref(o);
}

/* Neither may appear: no JSON reader takes them. */
CASE_WITH(what_is_no_number_is_null, setup, teardown)
{
	static const double odd[] = {NAN, INFINITY, -INFINITY, 1e308, -1e308};

	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
		struct obs *b = answer((double)i * 5, i * 1000);
		char *text;
		json_t *o, *c;

		for (int id = 0; id < COUNTER_COUNT; id++) {
			if (counter_info[id].kind == KIND_GAUGE)
				obs_gauge(b, 0, (enum counter_id)id, 0, odd[i]);
		}
		for (unsigned attr = 0; attr < OBS_ATTR_COUNT; attr++) {
			obs_number(b, 0, (enum obs_attr)attr, 0, odd[i]);
			obs_number(b, OBS_NO_PORT, (enum obs_attr)attr, 0, odd[i]);
		}
		apply(*state, b);
		o = snapshot(*state, NOW + 25000000);
		c = json_object_get(json_object_get(port_of(o, 1), "counters"), "temperature_c");
		assert_int_equal(
			json_is_number(json_object_get(c, "value")), isfinite(odd[i]) != 0);
		json_decref(o);
		text = written(*state, NOW + 25000000, snapshot_text);
		assert_null(strstr(text, "nan"));
		assert_null(strstr(text, "inf"));
		free(text);
	}
}

CASE_WITH(links_and_events_name_their_ends, setup, teardown)
{
	struct model *m = *state;
	struct obs *b = answer(0, 0);
	json_t *o, *l, *e;

	obs_lldp(b, 0, "node000", "mlx5_0");
	obs_event(b, 0, EV_LINK_DOWN, NOW - 1500000, "loss of signal");
	apply(m, b);
	b = obs_new("stranger", "fast");
	b->received_us = NOW;
	obs_word(b, obs_port(b, "e \"1\"\\"), ATTR_OPER, 0, "down");
	apply(m, b);
	o = snapshot(m, NOW);
	l = json_array_get(json_object_get(o, "links"), 0);
	assert_string_equal(json_string_value(at(l, "a", "device")), "node000");
	assert_string_equal(json_string_value(at(l, "a", "port")), "mlx5_0");
	assert_string_equal(json_string_value(at(l, "b", "device")), "leaf-r0-00");
	assert_string_equal(json_string_value(json_object_get(l, "state")), "ok");
	assert_string_equal(json_string_value(at(port_of(o, 1), "peer", "source")), "lldp");
	for (size_t i = 0;; i++) {
		e = json_array_get(json_object_get(o, "events"), i);
		assert_non_null(e);
		if (str_eq(json_string_value(json_object_get(e, "text")), "loss of signal"))
			break;
	}
	assert_string_equal(json_string_value(json_object_get(e, "event")), "link_down");
	assert_string_equal(json_string_value(json_object_get(e, "port")), "Ethernet0");
	assert_true(json_number_value(json_object_get(e, "device_time")) == 1699999998.5);
	/* A name with quotes is the same after reading. */
	assert_string_equal(json_string_value(json_object_get(port_of(o, 2), "name")), "e \"1\"\\");
	json_decref(o);
}

static bool names(json_t *events, const char *device)
{
	const char *name;
	size_t i;
	json_t *e;

	json_array_foreach(events, i, e)
	{
		name = json_string_value(json_object_get(e, "device"));
		if (name && str_eq(name, device))
			return true;
	}
	return false;
}

static size_t links_of(const struct model *m, uint32_t id, const char *device, const char *other)
{
	struct snapshot_some some = {&id, 1};
	char *text = NULL;
	size_t size = 0, n;
	struct err err = {0};
	FILE *f = open_memstream(&text, &size);
	json_t *o;

	assert_non_null(f);
	assert_true(snapshot_json_some(m, NULL, &some, NOW, f, &err));
	(void)fclose(f);
	o = json_loads(text, 0, NULL);
	assert_non_null(o);
	free(text);
	assert_int_equal(json_array_size(json_object_get(o, "devices")), 1);
	assert_true(names(json_object_get(o, "events"), device));
	assert_false(names(json_object_get(o, "events"), other));
	n = json_array_size(json_object_get(o, "links"));
	json_decref(o);
	return n;
}

/* A link has two ends, and is there with each; events are one device's. */
CASE_WITH(some_devices_have_their_own_links_and_events, setup, teardown)
{
	struct model *m = *state;
	struct obs *b = answer(0, 0);

	obs_event(b, 0, EV_LINK_DOWN, NOW - 1500000, "loss of signal");
	apply(m, b);
	b = obs_new("stranger", "fast");
	b->received_us = NOW;
	obs_event(b, obs_port(b, "e1"), EV_LINK_DOWN, NOW - 1500000, "loss of signal");
	apply(m, b);
	assert_int_equal(
		links_of(m, model_device(m, "leaf-r0-00")->id, "leaf-r0-00", "stranger"), 1);
	assert_int_equal(links_of(m, model_device(m, "stranger")->id, "stranger", "leaf-r0-00"), 0);
}

/* Devices use any language, but the page must pass through mail. */
CASE_WITH(the_page_is_ascii, setup, teardown)
{
	struct model *m = *state;
	struct obs *b = answer(0, 0);
	char *text;

	obs_event(b, 0, EV_LINK_FLAP, 0,
		"K\xc3\xa4"
		"be\xe2\x82\xacl\n\033[2Jx\xff");
	obs_word(b,
		obs_port(b, "Stra\xc3\x9f"
			    "e"),
		ATTR_OPER, 0, "down");
	apply(m, b);
	b = obs_new("n\xc3\xb6rd", "fast");
	b->result = OBS_FAILED;
	b->received_us = NOW;
	err_set(&b->err, ERR_UNREACHABLE, "x", "\xe6\xad\xbb");
	apply(m, b);
	text = written(m, NOW, snapshot_text);
	for (const char *s = text; *s; s++)
		assert_true((*s >= ' ' && *s < 0x7f) || *s == '\n');
	assert_non_null(strstr(text, "K?be?l "));
	assert_non_null(strstr(text, "n?rd "));
	free(text);
}

CASE_WITH(a_full_disk_is_an_error, setup, teardown)
{
	struct err err = {0};
	FILE *f = fopen("/dev/full", "w");

	if (!f)
		skip();
	assert_false(snapshot_json(*state, NULL, NOW, f, &err));
	assert_int_equal(err.code, ERR_IO);
	memset(&err, 0, sizeof(err));
	assert_false(snapshot_text(*state, NULL, NOW, f, &err));
	assert_int_equal(err.code, ERR_IO);
	(void)fclose(f);
}

CASES_MAIN(NULL, NULL)
