/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "diagnosis/window/sample_window.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

/* One leaf and one host, polled by hand; only the values that a test sets are reported. */
#define T0 (INT64_C(1700000000) * 1000000)

struct rig {
	struct model *m;
	struct sample_windows *w;
	struct obs *o;
	double now; /* seconds after T0 */
};

static int setup(void **state)
{
	struct rig *r = mem_calloc(1, sizeof(*r));
	struct plan plan;

	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "rig");
	plan.lossless.priorities = 1U << 3 | 1U << 4;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-00", TIER_LEAF, 0);
	plan_make_link(&plan, 0, "mlx5_0", 1, "Ethernet0", 0);
	r->m = model_new(&plan);
	plan_free(&plan);
	r->w = windows_new();
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct rig *r = *state;

	obs_free(r->o);
	windows_free(r->w);
	model_free(r->m);
	free(r);
	return 0;
}

static struct obs *batch(struct rig *r)
{
	if (!r->o)
		r->o = obs_new("leaf-00", "fast");
	return r->o;
}

static void count(struct rig *r, enum counter_id id, unsigned sub, uint64_t value)
{
	struct obs *o = batch(r);

	obs_count(o, obs_port(o, "Ethernet0"), id, sub, value);
}

static void word(struct rig *r, enum obs_attr a, const char *text)
{
	struct obs *o = batch(r);

	obs_word(o, obs_port(o, "Ethernet0"), a, 0, text);
}

/* Applies the reports, at t seconds. */
static unsigned poll_at(struct rig *r, double t)
{
	int64_t us = T0 + (int64_t)(t * 1e6);
	struct obs *o = batch(r);
	unsigned n;

	r->now = t;
	o->received_us = us;
	model_apply(r->m, o, us);
	n = windows_note(r->w, r->m, model_device(r->m, "leaf-00")->id, us);
	obs_free(o);
	r->o = NULL;
	return n;
}

static uint32_t port(const struct rig *r)
{
	return model_port(r->m, model_device(r->m, "leaf-00"), "Ethernet0")->id;
}

static const struct sample *last(const struct rig *r)
{
	return window_last(r->w, port(r));
}

/* Bytes each way that grow by so much a second from 1000 on. */
static void traffic(struct rig *r, double t, double per_second)
{
	count(r, CTR_RX_BYTES, 0, 1000 + (uint64_t)(t * per_second));
	count(r, CTR_TX_BYTES, 0, 1000 + (uint64_t)(t * per_second * 2));
}

#define assert_about(a, b)                                                                         \
	do {                                                                                       \
		double a_ = (double)(a), b_ = (double)(b);                                         \
		if (!(fabs(a_ - b_) <= 1e-3 * fabs(b_) + 1e-6))                                    \
			fail_msg("%g is not about %g", a_, b_);                                    \
	} while (0)
#define assert_unknown(a) assert_true(isnan((double)(a)))

CASE_WITH(test_nothing_is_known_before_the_first_poll, setup, teardown)
{
	struct rig *r = *state;

	assert_null(last(r));
	assert_null(window_ago(r->w, port(r), 0));
	assert_int_equal(window_device_samples(r->w, 1), 0);
	assert_unknown(window_load(r->w, port(r)).tx_bps);
}

CASE_WITH(test_first_sample_has_no_rates, setup, teardown)
{
	struct rig *r = *state;

	traffic(r, 0, 1e9);
	assert_int_equal(poll_at(r, 0), 1);
	assert_non_null(last(r));
	assert_unknown(last(r)->tx_bps);
	assert_unknown(last(r)->dt_s);
	assert_unknown(last(r)->held);
	assert_unknown(last(r)->queue_peak);
}

CASE_WITH(test_rates_follow_two_refreshes, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 3; i++) {
		double t = 5.0 * i;

		traffic(r, t, 1e9);
		count(r, CTR_PFC_RX_DURATION_US, 3, (uint64_t)(t * 200000));
		count(r, CTR_PFC_RX_DURATION_US, 4, (uint64_t)(t * 500000));
		count(r, CTR_QUEUE_TX_BYTES, 3, (uint64_t)(t * 1e9));
		count(r, CTR_QUEUE_TX_BYTES, 4, (uint64_t)(t * 5e8));
		count(r, CTR_QUEUE_TX_BYTES, 0, (uint64_t)(t * 1e8));
		(void)poll_at(r, t);
	}
	assert_about(last(r)->rx_bps, 8e9);
	assert_about(last(r)->tx_bps, 16e9);
	assert_about(last(r)->tx_util, 16.0 / 400);
	assert_about(last(r)->dt_s, 5);
	assert_about(last(r)->held, 0.5);
	assert_int_equal(last(r)->held_prio, 4);
	assert_false(last(r)->held_bound);
	assert_about(last(r)->lossless_tx_bps, 12e9);
	assert_about(last(r)->other_tx_bps, 0.8e9);
	assert_unknown(last(r)->holds);
	assert_unknown(last(r)->lossless_rx_bps);
	assert_int_equal(window_device_samples(r->w, 1), 3);
	assert_about(window_ago(r->w, port(r), 1)->rx_bps, 8e9);
	assert_unknown(window_ago(r->w, port(r), 2)->rx_bps);
	assert_null(window_ago(r->w, port(r), 3));
}

CASE_WITH(test_frames_give_a_bound_and_lose_against_time, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 2; i++) {
		traffic(r, 5.0 * i, 1e9);
		count(r, CTR_PFC_RX_FRAMES, 3, (uint64_t)i * 5 * 12000);
		(void)poll_at(r, 5.0 * i);
	}
	assert_true(last(r)->held_bound);
	assert_true(last(r)->held > 0.9F);
	traffic(r, 10, 1e9);
	count(r, CTR_PFC_RX_FRAMES, 3, 10 * 12000);
	count(r, CTR_PFC_RX_DURATION_US, 4, 0);
	(void)poll_at(r, 10);
	traffic(r, 15, 1e9);
	count(r, CTR_PFC_RX_FRAMES, 3, 15 * 12000);
	count(r, CTR_PFC_RX_DURATION_US, 4, 500000);
	(void)poll_at(r, 15);
	assert_false(last(r)->held_bound);
	assert_about(last(r)->held, 0.1);
}

CASE_WITH(test_reset_is_unknown_not_zero, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 3; i++) {
		traffic(r, 5.0 * i, 1e9);
		count(r, CTR_PFC_RX_DURATION_US, 3, 7000000 + (uint64_t)i * 1000000);
		(void)poll_at(r, 5.0 * i);
	}
	assert_about(last(r)->held, 0.2);
	count(r, CTR_RX_BYTES, 0, 5);
	count(r, CTR_TX_BYTES, 0, 5);
	count(r, CTR_PFC_RX_DURATION_US, 3, 1);
	(void)poll_at(r, 15);
	assert_non_null(last(r));
	assert_unknown(last(r)->held);
	assert_unknown(last(r)->rx_bps);
}

CASE_WITH(test_two_answers_of_a_sweep_are_one_sample, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 3; i++) {
		double t = 5.0 * i;

		traffic(r, t, 1e9);
		(void)poll_at(r, t);
		count(r, CTR_PFC_RX_DURATION_US, 3, (uint64_t)(t * 300000));
		(void)poll_at(r, t + 0.2);
	}
	assert_int_equal(window_device_samples(r->w, 1), 3);
	assert_about(last(r)->held, 0.3);
	assert_about(last(r)->rx_bps, 8e9);
}

CASE_WITH(test_old_samples_are_not_now, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 3; i++) {
		traffic(r, 5.0 * i, 1e9);
		(void)poll_at(r, 5.0 * i);
	}
	windows_at(r->w, r->m, T0 + 22 * 1000000);
	assert_non_null(last(r));
	windows_at(r->w, r->m, T0 + 23 * 1000000);
	assert_null(last(r));
	for (unsigned k = 0; k < WINDOW_SAMPLES; k++)
		assert_null(window_ago(r->w, port(r), k));
}

/* What was before a silence says nothing of the polls before the newest. */
CASE_WITH(test_samples_before_a_gap_are_not_the_ones_before, setup, teardown)
{
	static const double at[] = {0, 5, 10, 20, 25, 60, 65};
	static const unsigned known[] = {1, 2, 3, 4, 4, 1, 2};
	struct rig *r = *state;

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
		traffic(r, at[i], 1e9);
		(void)poll_at(r, at[i]);
		for (unsigned k = 0; k < WINDOW_SAMPLES; k++)
			assert_int_equal(window_ago(r->w, port(r), k) != NULL, k < known[i]);
	}
	assert_true(window_ago(r->w, port(r), 1)->at_us == T0 + 60 * 1000000);
}

CASE_WITH(test_slow_refresh_is_not_stale, setup, teardown)
{
	struct rig *r = *state;

	/* Polled each 5 s, but the device looks each 20 s only. */
	for (int i = 0; i < 12; i++) {
		traffic(r, 20.0 * (i / 4), 1e9);
		(void)poll_at(r, 5.0 * i);
	}
	assert_int_equal(window_device_samples(r->w, 1), 3);
	windows_at(r->w, r->m, T0 + 59 * 1000000);
	assert_non_null(last(r));
	assert_about(last(r)->rx_bps, 8e9);
	assert_about(window_ago(r->w, port(r), 1)->rx_bps, 8e9);
	assert_non_null(window_ago(r->w, port(r), 2));
}

CASE_WITH(test_mark_counts_only_while_it_moves, setup, teardown)
{
	static const uint64_t marks[] = {900000, 900000, 950000, 950000, 950000};
	static const double want[] = {-1, -1, 950000, -1, -1};
	struct rig *r = *state;

	for (int i = 0; i < 5; i++) {
		traffic(r, 5.0 * i, 1e9);
		count(r, CTR_QUEUE_WATERMARK_BYTES, 3, marks[i]);
		count(r, CTR_PG_WATERMARK_BYTES, 3, 0);
		(void)poll_at(r, 5.0 * i);
		if (want[i] < 0)
			assert_unknown(last(r)->queue_peak);
		else
			assert_about(last(r)->queue_peak, want[i]);
		assert_about(last(r)->pg_peak, 0);
	}
}

CASE_WITH(test_mark_that_is_cleared_often_counts_when_it_stands, setup, teardown)
{
	static const uint64_t marks[] = {900000, 800000, 850000, 700000, 700000};
	struct rig *r = *state;

	for (int i = 0; i < 5; i++) {
		traffic(r, 5.0 * i, 1e9);
		count(r, CTR_QUEUE_WATERMARK_BYTES, 3, marks[i]);
		(void)poll_at(r, 5.0 * i);
	}
	assert_about(last(r)->queue_peak, 700000);
}

CASE_WITH(test_depth_counts_beside_a_mark_that_stands, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 2; i++) {
		struct obs *o = batch(r);

		traffic(r, 5.0 * i, 1e9);
		count(r, CTR_QUEUE_WATERMARK_BYTES, 3, 900000);
		obs_gauge(o, obs_port(o, "Ethernet0"), CTR_QUEUE_DEPTH_BYTES, 3, 1234);
		(void)poll_at(r, 5.0 * i);
	}
	assert_about(last(r)->queue_peak, 1234);
}

CASE_WITH(test_slower_groups_keep_their_value, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 4; i++) {
		traffic(r, 5.0 * i, 1e9);
		if (i < 2)
			count(r, CTR_ECN_MARKED_PACKETS, 3, (uint64_t)i * 500);
		(void)poll_at(r, 5.0 * i);
	}
	assert_about(last(r)->ecn_pps, 100);
}

CASE_WITH(test_downs_of_state_and_counter_are_one, setup, teardown)
{
	struct rig *r = *state;
	unsigned flaps = 0;

	for (int i = 0; i < 6; i++) {
		traffic(r, 5.0 * i, 1e9);
		word(r, ATTR_OPER, i == 2 ? "down" : "up");
		count(r, CTR_LINK_DOWN_EVENTS, 0, i >= 3 ? 1 : 0);
		(void)poll_at(r, 5.0 * i);
		flaps += last(r)->flaps;
		assert_true(last(r)->up == (i != 2));
	}
	assert_int_equal(flaps, 1);
}

CASE_WITH(test_downs_between_polls_are_counted, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 3; i++) {
		traffic(r, 5.0 * i, 1e9);
		word(r, ATTR_OPER, "up");
		count(r, CTR_CARRIER_CHANGES, 0, i == 2 ? 16 : 10);
		(void)poll_at(r, 5.0 * i);
	}
	assert_int_equal(last(r)->flaps, 3);
	assert_true(last(r)->up);
}

CASE_WITH(test_drops_of_a_down_port_are_apart, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i < 3; i++) {
		traffic(r, 5.0 * i, 1e9);
		word(r, ATTR_OPER, i == 2 ? "down" : "up");
		count(r, CTR_TX_DISCARDS, 0, (uint64_t)i * 500);
		count(r, CTR_QUEUE_DROPS, 3, (uint64_t)i * 100);
		count(r, CTR_QUEUE_DROPS, 0, (uint64_t)i * 50);
		(void)poll_at(r, 5.0 * i);
		if (i == 1) {
			assert_about(last(r)->lossless_drops, 20);
			assert_about(last(r)->other_drops, 80);
			assert_about(last(r)->down_drops, 0);
		}
	}
	assert_about(last(r)->lossless_drops, 20);
	assert_about(last(r)->other_drops, 10);
	assert_about(last(r)->down_drops, 70);
	assert_unknown(last(r)->watchdog_drops);
}

CASE_WITH(test_load_is_told_after_five_minutes, setup, teardown)
{
	struct rig *r = *state;

	for (int i = 0; i <= 60; i++) {
		traffic(r, 5.0 * i, 1e9);
		(void)poll_at(r, 5.0 * i);
		if (i == 30) {
			assert_unknown(window_load(r->w, port(r)).tx_bps);
			assert_about(window_load_over(r->w, port(r), 60).tx_bps, 16e9);
		}
	}
	traffic(r, 305, 1e9);
	(void)poll_at(r, 305);
	assert_about(window_load(r->w, port(r)).tx_bps, 16e9);
	assert_about(window_load(r->w, port(r)).rx_bps, 8e9);
	/* No poll for ten minutes: the old values are over. */
	traffic(r, 905, 1e9);
	(void)poll_at(r, 905);
	assert_unknown(window_load(r->w, port(r)).tx_bps);
}

CASES_MAIN(NULL, NULL)
