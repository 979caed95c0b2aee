/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/difference/difference.h"
#include "fabric/vocabulary/counters.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

/* Two fabrics with the same history so far: the next step of one of them is the difference. */
struct twins {
	struct stand *a, *b;
	difference_vec v;
};

static int setup(void **state)
{
	struct twins *t = mem_calloc(1, sizeof(*t));

	t->a = stand_new();
	t->b = stand_new();
	stand_poll(t->a, 14);
	stand_poll(t->b, 14);
	*state = t;
	return 0;
}

static int teardown(void **state)
{
	struct twins *t = *state;

	stand_free(t->a);
	stand_free(t->b);
	difference_free(&t->v);
	free(t);
	return 0;
}

static struct moment moment(const struct stand *s)
{
	return (struct moment){s->m, s->d, s->now_us};
}

static void compare(struct twins *t)
{
	struct moment a = moment(t->a), b = moment(t->b);

	difference_free(&t->v);
	difference_find(&a, &b, &t->v);
}

static void compare_back(struct twins *t)
{
	struct moment a = moment(t->a), b = moment(t->b);

	difference_free(&t->v);
	difference_find(&b, &a, &t->v);
}

static const struct difference *find(
	const struct twins *t, enum difference_kind kind, const char *place, const char *what)
{
	for (size_t i = 0; i < t->v.n; i++) {
		const struct difference *d = &t->v.at[i];

		if (d->kind == kind && str_eq(d->place, place) && str_eq(d->what, what))
			return d;
	}
	return NULL;
}

static size_t count(const struct twins *t, enum difference_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < t->v.n; i++)
		n += t->v.at[i].kind == kind;
	return n;
}

static const struct difference *need(
	const struct twins *t, enum difference_kind kind, const char *place, const char *what)
{
	const struct difference *d = find(t, kind, place, what);

	for (size_t i = 0; !d && i < t->v.n; i++)
		print_message("%s %s %s: %s -> %s\n",
			difference_kind_name((enum difference_kind)t->v.at[i].kind),
			t->v.at[i].place, t->v.at[i].what, t->v.at[i].before, t->v.at[i].after);
	if (!d)
		fail_msg("no %s %s %s", difference_kind_name(kind), place, what);
	return d;
}

static void expect(const struct difference *d, const char *before, const char *after, int severity,
	bool better)
{
	assert_string_equal(d->before, before);
	assert_string_equal(d->after, after);
	assert_int_equal(d->severity, severity);
	assert_int_equal(d->better, better);
}

CASE(test_names)
{
	static const char *const names[] = {
		"device", "link", "speed", "config", "wiring", "finding", "counter"};

	for (unsigned i = 0; i < DIFF_KIND_COUNT; i++)
		assert_string_equal(difference_kind_name((enum difference_kind)i), names[i]);
}

CASE_WITH(test_nothing_changed, setup, teardown)
{
	struct twins *t = *state;

	compare(t);
	assert_int_equal(t->v.n, 0);
	/* Time goes on, and that alone is no difference. */
	stand_poll(t->b, 5);
	compare(t);
	assert_int_equal(t->v.n, 0);
}

CASE_WITH(test_link_and_finding, setup, teardown)
{
	struct twins *t = *state;
	const struct difference *d;

	stand_link(t->b, "leaf-r0-00:Ethernet0", false);
	stand_poll(t->b, 4);
	compare(t);
	d = need(t, DIFF_LINK, "leaf-r0-00:Ethernet0", "oper");
	expect(d, "up", "down", SEV_CRIT, false);
	assert_int_equal(d->at.kind, REF_PORT);
	assert_int_equal(d->at.port, stand_port(t->b, "leaf-r0-00:Ethernet0"));
	(void)need(t, DIFF_LINK, "node000:mlx5_0", "oper");
	assert_true(count(t, DIFF_FINDING) >= 1);
	/* The worst come first. */
	for (size_t i = 1; i < t->v.n; i++)
		assert_true(t->v.at[i].severity <= t->v.at[i - 1].severity);
	assert_int_equal(t->v.at[0].severity, SEV_CRIT);
	/* Before them the culprit, then what is wrong at its ports. */
	assert_int_equal(t->v.at[0].kind, DIFF_FINDING);
	assert_string_equal(t->v.at[0].what, "link.down");
	for (size_t i = 1; i < t->v.n; i++)
		assert_true(t->v.at[i].cause <= t->v.at[i - 1].cause);
	assert_int_equal(need(t, DIFF_LINK, "leaf-r0-00:Ethernet0", "oper")->cause, 1);
	assert_int_equal(need(t, DIFF_LINK, "node000:mlx5_0", "oper")->cause, 1);

	compare_back(t);
	/* The cause is over: that it was there comes first too. */
	assert_int_equal(t->v.at[0].kind, DIFF_FINDING);
	assert_int_equal(t->v.at[0].cause, 2);
	expect(need(t, DIFF_LINK, "leaf-r0-00:Ethernet0", "oper"), "down", "up", SEV_OK, true);
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.at[i].kind == DIFF_FINDING) {
			assert_true(t->v.at[i].better);
			assert_string_equal(t->v.at[i].after, "-");
			assert_string_not_equal(t->v.at[i].before, "-");
			assert_int_not_equal(t->v.at[i].at.kind, REF_NONE);
		}
}

CASE_WITH(test_shut_on_purpose_is_no_alarm, setup, teardown)
{
	struct twins *t = *state;

	stand_word(t->b, "leaf-r0-00:Ethernet0", ATTR_ADMIN, 0, "up");
	stand_word(t->a, "leaf-r0-00:Ethernet0", ATTR_ADMIN, 0, "up");
	stand_poll(t->a, 1);
	stand_poll(t->b, 1);
	stand_word(t->b, "leaf-r0-00:Ethernet0", ATTR_ADMIN, 0, "down");
	stand_link(t->b, "leaf-r0-00:Ethernet0", false);
	stand_poll(t->b, 1);
	compare(t);
	expect(need(t, DIFF_LINK, "leaf-r0-00:Ethernet0", "oper"), "up", "down", SEV_WARN, false);
	expect(need(t, DIFF_LINK, "leaf-r0-00:Ethernet0", "admin"), "up", "down", SEV_WARN, false);
}

CASE_WITH(test_flaps_between, setup, teardown)
{
	struct twins *t = *state;

	stand_add(t->b, "leaf-r0-00:Ethernet4", CTR_LINK_DOWN_EVENTS, 0, 3);
	stand_poll(t->b, 1);
	compare(t);
	expect(need(t, DIFF_LINK, "leaf-r0-00:Ethernet4", "flaps"), "0", "3", SEV_WARN, false);
	compare_back(t);
	expect(need(t, DIFF_LINK, "leaf-r0-00:Ethernet4", "flaps"), "3", "0", SEV_OK, true);
}

/*
 * A device's own count that was cleared tells nothing about the time between; railtop's own tally
 * does.
 */
CASE_WITH(test_flaps_after_a_clear, setup, teardown)
{
	struct twins *t = *state;

	stand_add(t->a, "leaf-r0-00:Ethernet4", CTR_LINK_DOWN_EVENTS, 0, 50);
	stand_add(t->b, "leaf-r0-00:Ethernet4", CTR_LINK_DOWN_EVENTS, 0, 50);
	stand_poll(t->a, 1);
	stand_poll(t->b, 1);
	stand_add(t->b, "leaf-r0-00:Ethernet4", CTR_LINK_DOWN_EVENTS, 0, -50);
	stand_poll(t->b, 1);
	compare(t);
	assert_null(find(t, DIFF_LINK, "leaf-r0-00:Ethernet4", "flaps"));
	stand_add(t->b, "leaf-r0-00:Ethernet4", CTR_LINK_DOWN_EVENTS, 0, 2);
	stand_poll(t->b, 1);
	compare(t);
	expect(need(t, DIFF_LINK, "leaf-r0-00:Ethernet4", "flaps"), "50", "52", SEV_WARN, false);
}

CASE_WITH(test_speed, setup, teardown)
{
	struct twins *t = *state;

	stand_number(t->b, "leaf-r0-00:Ethernet16", ATTR_SPEED_MBPS, 0, 200000);
	stand_word(t->a, "leaf-r0-00:Ethernet16", ATTR_FEC, 0, "rs");
	stand_word(t->b, "leaf-r0-00:Ethernet16", ATTR_FEC, 0, "none");
	stand_number(t->a, "leaf-r0-00:Ethernet16", ATTR_MTU, 0, 9216);
	stand_number(t->b, "leaf-r0-00:Ethernet16", ATTR_MTU, 0, 1500);
	stand_gauge(t->a, "node000:mlx5_0", CTR_PCIE_WIDTH, 0, 16);
	stand_gauge(t->b, "node000:mlx5_0", CTR_PCIE_WIDTH, 0, 8);
	stand_poll(t->a, 1);
	stand_poll(t->b, 1);
	compare(t);
	expect(need(t, DIFF_SPEED, "leaf-r0-00:Ethernet16", "speed"), "400G", "200G", SEV_WARN,
		false);
	expect(need(t, DIFF_SPEED, "leaf-r0-00:Ethernet16", "fec"), "rs", "none", SEV_WARN, false);
	expect(need(t, DIFF_SPEED, "leaf-r0-00:Ethernet16", "mtu"), "9216", "1500", SEV_WARN,
		false);
	expect(need(t, DIFF_SPEED, "node000:mlx5_0", "pcie_width"), "16", "8", SEV_WARN, false);
	compare_back(t);
	expect(need(t, DIFF_SPEED, "leaf-r0-00:Ethernet16", "speed"), "200G", "400G", SEV_OK, true);
	expect(need(t, DIFF_SPEED, "node000:mlx5_0", "pcie_width"), "8", "16", SEV_OK, true);
}

CASE_WITH(test_config, setup, teardown)
{
	struct twins *t = *state;
	const char *p = "leaf-r1-00:Ethernet8";

	for (unsigned i = 0; i < 2; i++) {
		struct stand *s = i ? t->b : t->a;

		stand_number(s, p, ATTR_PFC_ENABLED, 0, i ? 0 : 8);
		stand_number(s, p, ATTR_ECN_MAX_BYTES, 3, i ? 3e6 : 1.5e6);
		stand_word(s, p, ATTR_TRUST, 0, i ? "pcp" : "dscp");
		stand_word(s, p, ATTR_TC_TO_QUEUE, 0, i ? "01234567" : "01233567");
		stand_word(s, p, ATTR_PFCWD_STATE, 3, i ? "off" : "operational");
		obs_word(stand_batch(s, "leaf-r1-00"), OBS_NO_PORT, ATTR_OS_VERSION, 0,
			i ? "4.5" : "4.4");
		stand_poll(s, 1);
	}
	compare(t);
	expect(need(t, DIFF_CONFIG, p, "pfc"), "3", "none", SEV_CRIT, false);
	expect(need(t, DIFF_CONFIG, p, "ecn_max_bytes[3]"), "1500000", "3000000", SEV_WARN, false);
	expect(need(t, DIFF_CONFIG, p, "trust"), "dscp", "pcp", SEV_WARN, false);
	expect(need(t, DIFF_CONFIG, p, "tc_to_queue"), "01233567", "01234567", SEV_WARN, false);
	expect(need(t, DIFF_CONFIG, p, "watchdog[3]"), "operational", "off", SEV_WARN, false);
	expect(need(t, DIFF_CONFIG, "leaf-r1-00", "os_version"), "4.4", "4.5", SEV_WARN, false);
	compare_back(t);
	expect(need(t, DIFF_CONFIG, p, "pfc"), "none", "3", SEV_OK, true);
	expect(need(t, DIFF_CONFIG, p, "watchdog[3]"), "off", "operational", SEV_OK, true);
}

static void session(
	struct stand *s, const char *peer, enum bgp_state state, uint64_t drops, bool whole)
{
	struct obs *o = stand_batch(s, "leaf-r0-00");
	struct obs_bgp *g = obs_bgp(o, BGP_IPV4, "default", peer, "", state);

	g->drops = drops;
	o->bgp_whole = whole;
}

CASE_WITH(test_bgp, setup, teardown)
{
	struct twins *t = *state;

	for (unsigned i = 0; i < 2; i++) {
		struct stand *s = i ? t->b : t->a;

		session(s, "10.0.0.1", i ? BGP_ACTIVE : BGP_ESTABLISHED, i ? 3 : 2, true);
		session(s, "10.0.0.2", i ? BGP_ACTIVE : BGP_IDLE, 0, true);
		if (i)
			session(s, "10.0.0.3", BGP_ESTABLISHED, 0, true);
		stand_poll(s, 1);
	}
	compare(t);
	expect(need(t, DIFF_CONFIG, "leaf-r0-00", "bgp 10.0.0.1"), "established", "active",
		SEV_CRIT, false);
	expect(need(t, DIFF_CONFIG, "leaf-r0-00", "bgp 10.0.0.1 downs"), "2", "3", SEV_WARN, false);
	/* Down before and after. */
	assert_null(find(t, DIFF_CONFIG, "leaf-r0-00", "bgp 10.0.0.2"));
	expect(need(t, DIFF_CONFIG, "leaf-r0-00", "bgp 10.0.0.3"), "-", "established", SEV_OK,
		false);
	compare_back(t);
	expect(need(t, DIFF_CONFIG, "leaf-r0-00", "bgp 10.0.0.1"), "active", "established", SEV_OK,
		true);
	expect(need(t, DIFF_CONFIG, "leaf-r0-00", "bgp 10.0.0.3"), "established", "-", SEV_CRIT,
		false);
}

CASE_WITH(test_wiring, setup, teardown)
{
	struct twins *t = *state;

	obs_lldp(stand_batch(t->b, "leaf-r0-00"),
		obs_port(stand_batch(t->b, "leaf-r0-00"), "Ethernet0"), "node002", "mlx5_0");
	stand_poll(t->b, 1);
	compare(t);
	expect(need(t, DIFF_WIRING, "leaf-r0-00:Ethernet0", "neighbour"), "node000:mlx5_0",
		"node002:mlx5_0", SEV_CRIT, false);
	compare_back(t);
	expect(need(t, DIFF_WIRING, "leaf-r0-00:Ethernet0", "neighbour"), "node002:mlx5_0",
		"node000:mlx5_0", SEV_OK, true);
}

CASE_WITH(test_device_state_and_reboot, setup, teardown)
{
	struct twins *t = *state;

	stand_silent(t->b, "spine-001", true);
	for (unsigned i = 0; i < 2; i++) {
		struct stand *s = i ? t->b : t->a;

		obs_word(stand_batch(s, "spine-000"), OBS_NO_PORT, ATTR_BOOT_ID, 0,
			i ? "two" : "one");
		obs_number(
			stand_batch(s, "spine-002"), OBS_NO_PORT, ATTR_UPTIME_S, 0, i ? 50 : 5000);
		stand_poll(s, 1);
	}
	stand_poll(t->b, 8);
	compare(t);
	assert_string_not_equal(need(t, DIFF_DEVICE, "spine-001", "state")->after, "fresh");
	assert_string_equal(need(t, DIFF_DEVICE, "spine-001", "state")->before, "fresh");
	(void)need(t, DIFF_DEVICE, "spine-000", "reboot");
	expect(need(t, DIFF_DEVICE, "spine-002", "reboot"), "up 83m", "up 50s", SEV_WARN, false);
	/* The device was silent: its last counts are no difference. */
	for (size_t i = 0; i < t->v.n; i++)
		if (t->v.at[i].kind == DIFF_COUNTER)
			assert_false(str_starts(t->v.at[i].place, "spine-001"));
	compare_back(t);
	assert_true(need(t, DIFF_DEVICE, "spine-001", "state")->better);
}

CASE_WITH(test_unknown_is_no_difference, setup, teardown)
{
	struct twins *t = *state;
	const struct difference *d;

	/* Known afterwards only: nothing changed. */
	stand_number(t->b, "leaf-r0-00:Ethernet0", ATTR_MTU, 0, 9216);
	stand_number(t->b, "leaf-r0-00:Ethernet4", ATTR_MTU, 0, 9216);
	stand_word(t->b, "leaf-r0-00:Ethernet0", ATTR_TRUST, 0, "dscp");
	stand_poll(t->b, 1);
	compare(t);
	assert_int_equal(t->v.n, 0);
	/* Known before, and not any more: said once for the device. */
	compare_back(t);
	assert_int_equal(t->v.n, 1);
	d = need(t, DIFF_DEVICE, "leaf-r0-00", "no longer reported");
	assert_string_equal(d->before, "mtu (2), QoS settings");
	assert_string_equal(d->after, "-");
}

CASE_WITH(test_one_only, setup, teardown)
{
	struct twins *t = *state;
	struct obs *o = obs_new("guest", "fast");
	const struct difference *d;

	obs_word(o, obs_port(o, "swp1"), ATTR_OPER, 0, "up");
	o->received_us = t->b->now_us;
	model_apply(t->b->m, o, t->b->now_us);
	obs_free(o);
	(void)model_age(t->b->m, t->b->now_us);
	stand_word(t->b, "leaf-r0-00:Ethernet0", ATTR_OPER, 0, "up");
	obs_word(stand_batch(t->b, "leaf-r0-00"),
		obs_port(stand_batch(t->b, "leaf-r0-00"), "Ethernet999"), ATTR_OPER, 0, "down");
	stand_poll(t->b, 1);
	compare(t);
	d = need(t, DIFF_DEVICE, "guest", "device");
	assert_string_equal(d->before, "-");
	assert_int_equal(d->at.kind, REF_DEVICE);
	expect(need(t, DIFF_DEVICE, "leaf-r0-00:Ethernet999", "port"), "-", "down", SEV_OK, false);
	compare_back(t);
	d = need(t, DIFF_DEVICE, "guest", "device");
	assert_string_equal(d->after, "-");
	assert_int_equal(d->at.kind, REF_NONE);
	d = need(t, DIFF_DEVICE, "leaf-r0-00:Ethernet999", "port");
	expect(d, "down", "-", SEV_WARN, false);
	assert_int_equal(d->at.kind, REF_NONE);
}

/* Two files of two sessions: the same names under other numbers. */
CASE(test_renumbered)
{
	static const char *const order[2][2] = {{"leaf-x", "leaf-y"}, {"leaf-y", "leaf-x"}};
	struct model *m[2];
	difference_vec v = {0};
	struct moment t[2];

	for (unsigned i = 0; i < 2; i++) {
		struct plan plan;

		plan_init(&plan);
		for (unsigned k = 0; k < 2; k++)
			(void)plan_make_device(&plan, order[i][k], TIER_LEAF, 0);
		m[i] = model_new(&plan);
		plan_free(&plan);
		for (unsigned k = 0; k < 2; k++) {
			struct obs *o = obs_new(order[i][k], "fast");

			/* The ports, too, came in another order. */
			obs_word(o, obs_port(o, i ? "p2" : "p1"), ATTR_OPER, 0, i ? "down" : "up");
			obs_word(o, obs_port(o, i ? "p1" : "p2"), ATTR_OPER, 0, i ? "up" : "down");
			o->received_us = STAND_T0;
			model_apply(m[i], o, STAND_T0);
			obs_free(o);
		}
		(void)model_age(m[i], STAND_T0);
		t[i] = (struct moment){m[i], NULL, STAND_T0};
	}
	difference_find(&t[0], &t[1], &v);
	assert_int_equal(v.n, 0);
	difference_free(&v);
	model_free(m[0]);
	model_free(m[1]);
}

/* ---- counters ---- */

#define PORT "leaf-r0-00:Ethernet0"

CASE_WITH(test_a_rate_leaves_its_band, setup, teardown)
{
	struct twins *t = *state;
	const struct difference *d;

	/* 10 % of load becomes 40 %. */
	stand_load(t->b, PORT, 40);
	stand_poll(t->b, 3);
	compare(t);
	d = need(t, DIFF_COUNTER, PORT, "tx_bytes");
	assert_int_equal(d->severity, SEV_OK);
	assert_true(d->number > 1);
	assert_string_equal(d->before, "5.00G bytes/s");
	assert_string_equal(d->after, "20.0G bytes/s");
	/* The other end of the cable tells the same. */
	(void)need(t, DIFF_COUNTER, "node000:mlx5_0", "rx_bytes");
	compare_back(t);
	/* From there the time has ten and more samples of 10 %, too: its median is the usual
	 * load. */
	assert_null(find(t, DIFF_COUNTER, PORT, "tx_bytes"));
}

CASE_WITH(test_noise_is_within, setup, teardown)
{
	struct twins *t = *state;

	for (unsigned i = 0; i < 30; i++) {
		double percent = 10 + (i * 7 % 5) - 2.0; /* 8 to 12 */

		stand_load(t->a, PORT, percent);
		stand_load(t->b, PORT, percent);
		stand_poll(t->a, 1);
		stand_poll(t->b, 1);
	}
	stand_load(t->b, PORT, 13);
	stand_poll(t->b, 3);
	compare(t);
	assert_null(find(t, DIFF_COUNTER, PORT, "tx_bytes"));
	stand_load(t->b, PORT, 30);
	stand_poll(t->b, 3);
	compare(t);
	(void)need(t, DIFF_COUNTER, PORT, "tx_bytes");
}

/* A rate of two values, the rarer one now: out of the band of its own history, and unchanged. */
CASE_WITH(test_a_moment_is_like_itself, setup, teardown)
{
	struct twins *t = *state;
	struct moment a;

	for (unsigned i = 0; i < 22; i++) {
		stand_load(t->a, PORT, i % 11 < 7 ? 30 : 45);
		stand_poll(t->a, 1);
	}
	a = moment(t->a);
	difference_find(&a, &a, &t->v);
	assert_int_equal(t->v.n, 0);
}

CASE_WITH(test_few_samples_have_no_band, setup, teardown)
{
	struct twins *t = *state;

	stand_free(t->a);
	stand_free(t->b);
	t->a = stand_new();
	t->b = stand_new();
	stand_poll(t->a, 6);
	stand_poll(t->b, 6);
	stand_load(t->b, PORT, 60);
	stand_poll(t->b, 2);
	compare(t);
	assert_int_equal(count(t, DIFF_COUNTER), 0);
}

CASE_WITH(test_a_silent_bad_counter, setup, teardown)
{
	struct twins *t = *state;
	const struct difference *d;

	/* Not charted: there is no history that it could leave. */
	stand_rate(t->b, PORT, CTR_RX_FCS_ERRORS, 0, 0.5);
	/* Charted, and never moved. */
	stand_rate(t->b, PORT, CTR_QUEUE_DROPS, STAND_LOSSLESS, 200);
	stand_poll(t->b, 3);
	compare(t);
	d = need(t, DIFF_COUNTER, PORT, "rx_fcs_errors");
	assert_int_equal(d->severity, SEV_WARN);
	assert_string_equal(d->before, "0 packets/s");
	assert_true(d->number > 1);
	assert_int_equal(need(t, DIFF_COUNTER, PORT, "queue_drops[3]")->severity, SEV_WARN);
}

CASE_WITH(test_pause_begins_and_ends, setup, teardown)
{
	struct twins *t = *state;

	stand_hold(t->b, PORT, 31);
	stand_poll(t->b, 3);
	compare(t);
	expect(need(t, DIFF_COUNTER, PORT, "pfc_rx_duration_us[3]"), "0% of time", "31% of time",
		SEV_WARN, false);
	/* Held for as long as its history is remembered: then its end is a difference. */
	stand_poll(t->b, 40);
	compare_back(t);
	expect(need(t, DIFF_COUNTER, PORT, "pfc_rx_duration_us[3]"), "31% of time", "0% of time",
		SEV_OK, true);
	/* A pause too short to be worth a line. */
	stand_hold(t->b, "leaf-r0-00:Ethernet8", 0.05);
	stand_poll(t->b, 3);
	compare(t);
	assert_null(find(t, DIFF_COUNTER, "leaf-r0-00:Ethernet8", "pfc_rx_duration_us[3]"));
}

CASE_WITH(test_an_unsupported_counter_is_none, setup, teardown)
{
	struct twins *t = *state;

	stand_unsupported(t->b, PORT, CTR_TX_BYTES, 0);
	stand_poll(t->b, 2);
	compare(t);
	assert_null(find(t, DIFF_COUNTER, PORT, "tx_bytes"));
	compare_back(t);
	assert_null(find(t, DIFF_COUNTER, PORT, "tx_bytes"));
}

int main(void)
{
#undef TEST

	return cases_run(NULL, NULL);
}
