/* SPDX-License-Identifier: Apache-2.0 */
/* A long stretch of a recording, thinned for a chart. */
#include "archive/replay/thin.h"

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/archive/support/rts_rig.h"
#include "tests/support/cases.h"

#define POLLS 720 /* an hour */
#define EVERY 30  /* polls between two keyframes */
#define STEPS 6

static struct thin_question question(int64_t from_us, int64_t to_us, int64_t step_us)
{
	struct thin_question q = {.from_us = from_us,
		.to_us = to_us,
		.step_us = step_us,
		.n_devices = 2,
		.n_counters = 2,
		.counters = {CTR_RX_BYTES, CTR_TEMPERATURE_C}};

	(void)str_copy(q.devices[0], sizeof(q.devices[0]), "leaf-0");
	(void)str_copy(q.devices[1], sizeof(q.devices[1]), "nobody");
	return q;
}

static void record(struct rts_rig *g, bool keyframes)
{
	rig_open(g, NULL);
	for (unsigned i = 0; i < POLLS; i++) {
		if (keyframes && i % EVERY == 0)
			rig_keyframe(g, RIG_T0 + (int64_t)i * 5 * CLOCK_SEC, true, i);
		rig_poll(g, i);
	}
	rig_close_writer(g);
}

/* The samples of one step each, in order, and nothing else. */
static void expect_points(const struct obs *list, const struct thin_question *q, size_t most)
{
	int64_t before = 0;
	size_t n = 0;

	for (const struct obs *o = list; o; o = o->next, n++) {
		assert_string_equal(o->device, "leaf-0");
		assert_true(o->received_us >= q->from_us && o->received_us <= q->to_us);
		if (before)
			assert_true((o->received_us - q->from_us) / q->step_us >
				    (before - q->from_us) / q->step_us);
		before = o->received_us;
		assert_true(o->items.n > 0);
		for (size_t i = 0; i < o->items.n; i++) {
			unsigned sub;
			counter_id id = counter_of_cell(o->items.at[i].cell, &sub);

			assert_true(id == CTR_RX_BYTES || id == CTR_TEMPERATURE_C);
		}
	}
	assert_true(n <= most);
	assert_true(n >= most - 2);
}

static void free_list(struct obs *list)
{
	for (struct obs *next; list; list = next) {
		next = list->next;
		obs_free(list);
	}
}

static void thin(bool keyframes, uint64_t *entries)
{
	struct rts_rig g;
	struct err err = {0};
	struct thin_question q =
		question(RIG_T0, RIG_T0 + POLLS * 5 * CLOCK_SEC, POLLS * 5 * CLOCK_SEC / STEPS);
	struct obs *list;
	struct rts *r;

	record(&g, keyframes);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	list = thin_read(r, &q, NULL, NULL, entries, &err);
	assert_int_equal(err.code, ERR_NONE);
	expect_points(list, &q, STEPS);
	free_list(list);
	rts_close(r);
	rig_done(&g);
}

CASE(a_point_a_step)
{
	uint64_t all;

	thin(false, &all);
	assert_true(all >= POLLS - POLLS / STEPS);
}

/* Where the file has places to begin at, samples between the points are not even decoded. */
CASE(what_lies_between_is_not_read)
{
	uint64_t some;

	thin(true, &some);
	assert_true(some < POLLS / 4);
}

CASE(no_more_than_was_asked_for)
{
	struct rts_rig g;
	struct err err = {0};
	struct thin_question q =
		question(RIG_T0 + 600 * CLOCK_SEC, RIG_T0 + 1200 * CLOCK_SEC, 60 * CLOCK_SEC);
	struct obs *list;
	struct rts *r;

	record(&g, true);
	r = rts_open(g.path, &err);
	assert_non_null(r);
	list = thin_read(r, &q, NULL, NULL, NULL, &err);
	expect_points(list, &q, 11);
	free_list(list);
	/* Too many steps, and none. */
	q.step_us = 1;
	assert_null(thin_read(r, &q, NULL, NULL, NULL, &err));
	q.step_us = 0;
	assert_null(thin_read(r, &q, NULL, NULL, NULL, &err));
	/* Of a time that the file has not. */
	q = question(RIG_T0 - 3600 * CLOCK_SEC, RIG_T0 - 1800 * CLOCK_SEC, 60 * CLOCK_SEC);
	assert_null(thin_read(r, &q, NULL, NULL, NULL, &err));
	assert_int_equal(err.code, ERR_NONE);
	rts_close(r);
	rig_done(&g);
}

CASES_MAIN(NULL, NULL)
