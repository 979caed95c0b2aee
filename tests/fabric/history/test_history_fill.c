/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "fabric/history/history_internal.h"
#include "fabric/state/state.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

/*
 * The past of leaf-r0-00 as a metrics engine has it. Bytes grow by 1000 a second, and by 5000 in
 * the five minutes from 1200 s on; discards by 7 a second there.
 */

#define NOW 3600

static uint64_t stands(double t)
{
	double burst = t < 1200 ? 0 : t < 1500 ? t - 1200 : 300;

	return 5000000 + (uint64_t)(t * 1000 + burst * 4000);
}

static uint64_t drops(double t)
{
	return (uint64_t)((t < 1200 ? 0 : t < 1500 ? t - 1200 : 300) * 7);
}

static struct obs *moment(const char *request, double t)
{
	struct obs *o = feed_batch_of("leaf-r0-00", request);
	uint32_t p = obs_port(o, "Ethernet0");

	o->ports.at[p].sample_us = feed_time(t);
	obs_count(o, p, CTR_RX_BYTES, 0, stands(t));
	obs_count(o, p, CTR_TX_DISCARDS, 0, drops(t));
	return o;
}

static void now(struct model *m, double t)
{
	feed(m, moment(REQUEST_ENGINE, t), t);
}

/* As the session applies it: now, though it was then. */
static void stage(struct model *m, double from, double to, double step)
{
	for (double t = from; t <= to; t += step) {
		struct obs *o = moment(REQUEST_HISTORY, t);

		o->received_us = feed_time(t);
		model_apply(m, o, feed_time(NOW));
		obs_free(o);
	}
}

static void settle(struct model *m)
{
	(void)model_age(m, feed_time(NOW));
}

static const struct port *leaf(const struct model *m)
{
	return feed_port(m, "leaf-r0-00", "Ethernet0");
}

/* Of a stretch that ends at `end`. */
static struct history_column stretch(
	const struct model *m, enum counter_id id, double end, double width)
{
	struct history_column c;

	(void)history_columns(leaf(m), id, 0, feed_time(end), (int64_t)(width * 1e6), &c, 1);
	return c;
}

CASE_WITH(the_hour_before_is_there_at_once, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history h;

	now(m, NOW - 15);
	now(m, NOW);
	assert_true(isnan((double)stretch(m, CTR_RX_BYTES, 1000, 300).mean));
	stage(m, 0, NOW - 15, 15);
	settle(m);
	assert_near((double)stretch(m, CTR_RX_BYTES, 1140, 300).mean, 1000);
	assert_near((double)stretch(m, CTR_RX_BYTES, 1500, 300).mean, 5000);
	assert_near((double)stretch(m, CTR_TX_DISCARDS, 1500, 300).mean, 7);
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW, 3600).mean, 1000 + 300.0 * 4000 / 3600);
	assert_false(stretch(m, CTR_RX_BYTES, NOW, 3600 - 60).gap);
	assert_true(port_history(leaf(m), CTR_RX_BYTES, 0, &h));
	assert_int_equal(h.used, HISTORY_LEN);
	for (unsigned i = 0; i < HISTORY_LEN; i++)
		assert_near((double)h.at[i], 1000);
	assert_true(history_kept(m, leaf(m), feed_time(NOW)).since_us <= feed_time(15));
	/* Nothing of the present came from it. */
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 1000);
	assert_int_equal(model_device(m, "leaf-r0-00")->last_ok_us, feed_time(NOW));
}

/* Live data is 9999 where the engine has 1000: live data wins. */
CASE_WITH(what_was_seen_stays, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history before, after;
	uint64_t used;

	for (unsigned i = 0; i <= 60; i++)
		feed_count(m, NOW - 900 + i * 15.0, "Ethernet0", CTR_RX_BYTES, i * 15 * 9999ULL);
	assert_true(port_history(leaf(m), CTR_RX_BYTES, 0, &before));
	stage(m, 0, NOW, 15);
	settle(m);
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW, 870).mean, 9999);
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW - 930, 300).mean, 1000);
	assert_true(port_history(leaf(m), CTR_RX_BYTES, 0, &after));
	for (unsigned i = 1; i <= before.used; i++)
		assert_near((double)after.at[(after.next + HISTORY_LEN - i) % HISTORY_LEN],
			(double)before.at[(before.next + HISTORY_LEN - i) % HISTORY_LEN]);
	/* The same once more finds no place. */
	used = history_status(m).used;
	stage(m, 0, NOW, 15);
	settle(m);
	assert_int_equal(history_status(m).used, used);
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW - 930, 300).mean, 1000);
}

CASE_WITH(it_may_come_in_pieces, feed_setup, feed_teardown)
{
	struct model *m = *state;

	now(m, NOW - 15);
	now(m, NOW);
	stage(m, 0, 1800, 15);
	settle(m);
	stage(m, 1815, NOW - 15, 15);
	settle(m);
	assert_near((double)stretch(m, CTR_RX_BYTES, 1740, 200).mean, 1000);
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW - 60, 1500).mean, 1000);
	assert_false(stretch(m, CTR_RX_BYTES, NOW - 60, 1500).gap);
	/* Between the pieces nothing is known. */
	assert_true(stretch(m, CTR_RX_BYTES, 1830, 60).gap);
}

CASE_WITH(live_goes_on_after_it, feed_setup, feed_teardown)
{
	struct model *m = *state;

	now(m, NOW - 15);
	now(m, NOW);
	stage(m, 0, NOW - 15, 15);
	settle(m);
	for (unsigned i = 1; i <= 40; i++)
		now(m, NOW + i * 15.0);
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW + 600, 1800).mean, 1000);
	assert_false(stretch(m, CTR_RX_BYTES, NOW + 600, 1800).gap);
}

/* A counter without a live answer does not exist because of its past. */
CASE_WITH(a_counter_that_is_not_there_stays_so, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("leaf-r0-00", REQUEST_ENGINE);

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, stands(NOW));
	feed(m, o, NOW);
	stage(m, 0, NOW - 15, 15);
	settle(m);
	assert_true(port_charted(leaf(m), CTR_RX_BYTES, 0));
	assert_null(port_cell(leaf(m), CTR_TX_DISCARDS, 0));
	/* Nor is a device or a port. */
	o = feed_batch_of("unheard-of", REQUEST_HISTORY);
	obs_count(o, obs_port(o, "x"), CTR_RX_BYTES, 0, 1);
	feed(m, o, NOW);
	settle(m);
	assert_null(model_device(m, "unheard-of"));
}

CASE_WITH(the_budget_holds, feed_setup, feed_teardown)
{
	struct model *m = *state;

	history_set_budget(m, 4096);
	now(m, NOW - 15);
	now(m, NOW);
	stage(m, 0, NOW - 15, 1);
	settle(m);
	/* Two blocks a log, as without it. */
	assert_true(history_status(m).used <= 4096 + 4 * (HLOG_BLOCK + sizeof(struct hlog_block)));
	assert_near((double)stretch(m, CTR_RX_BYTES, NOW - 60, 30).mean, 1000);
}

/*
 * Age counts from now, not from the time of the record: else only squeezing all would free memory.
 */
CASE_WITH(the_past_of_one_squeezes_no_other, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_status h;
	char name[16];

	for (unsigned t = 0; t <= NOW; t += 5)
		for (unsigned i = 1; i <= 4; i++) {
			(void)snprintf(name, sizeof(name), "Ethernet%u", i * 4);
			feed_count(m, t, name, CTR_RX_BYTES, (uint64_t)t * t * (1000 + i));
		}
	now(m, NOW - 15);
	now(m, NOW);
	h = history_status(m);
	assert_int_equal(h.squeeze, 0);
	history_set_budget(m, h.used + HLOG_BLOCK);
	stage(m, 0, NOW - 15, 5);
	settle(m);
	assert_true(history_status(m).squeeze <= 4);
}

/* ---- saved and loaded ---- */

static void visit(struct model *m, struct state *s, bool histories, bool all)
{
	for (size_t i = 0; i < model_state_steps(m); i++)
		assert_true(
			histories ? model_history_step(s, m, i, all) : model_state_step(s, m, i));
}

/* A keyframe of m into to: the whole histories, or the records since the last one. */
static void keyframe(struct model *m, struct model *to, bool all)
{
	struct buf b;
	struct state s;

	buf_init(&b, (size_t)1 << 24);
	state_saves(&s, &b);
	if (all)
		visit(m, &s, false, true);
	visit(m, &s, true, all);
	state_loads(&s, b.data, b.len);
	if (all)
		visit(to, &s, false, true);
	visit(to, &s, true, all);
	assert_true(state_ended(&s));
	buf_free(&b);
}

CASE_WITH(increments_of_a_keyframe_have_it, feed_setup, feed_teardown)
{
	struct model *m = *state, *to = feed_new();
	struct history a, b;

	for (unsigned i = 0; i <= 200; i++)
		now(m, NOW - 3000 + i * 15.0);
	keyframe(m, to, true);
	stage(m, 0, NOW - 3015, 15);
	settle(m);
	now(m, NOW + 15);
	keyframe(m, to, false);
	assert_int_equal(history_status(m).used, history_status(to).used);
	for (unsigned i = 0; i < 12; i++) {
		struct history_column x = stretch(m, CTR_RX_BYTES, 300 + i * 300, 300),
				      y = stretch(to, CTR_RX_BYTES, 300 + i * 300, 300);

		assert_true(i == 0 || !isnan((double)x.mean));
		assert_memory_equal(&x.mean, &y.mean, sizeof(x.mean));
	}
	assert_true(port_history(leaf(m), CTR_TX_DISCARDS, 0, &a));
	assert_true(port_history(leaf(to), CTR_TX_DISCARDS, 0, &b));
	assert_int_equal(a.used, b.used);
	assert_memory_equal(a.at, b.at, a.used * sizeof(*a.at));
	model_free(to);
}

CASES_MAIN(NULL, NULL)
