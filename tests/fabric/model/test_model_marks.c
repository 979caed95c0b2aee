/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static uint64_t since(const struct model *m, const char *mark, enum counter_id id)
{
	uint64_t n = 0;

	if (!port_since(m, feed_port(m, "leaf-r0-00", "Ethernet0"), model_mark_find(m, mark), id, 0,
		    &n))
		fail_msg("nothing since %s", mark);
	return n;
}

static void bytes(struct model *m, double t, uint64_t v)
{
	feed_count(m, t, "Ethernet0", CTR_RX_BYTES, v);
}

CASE_WITH(growth_is_counted_from_the_mark, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t n;

	bytes(m, 0, 100);
	bytes(m, 5, 200);
	assert_true(model_mark(m, "before", feed_time(6), NULL));
	assert_int_equal(since(m, "before", CTR_RX_BYTES), 0);
	bytes(m, 10, 250);
	assert_true(model_mark(m, "after", feed_time(11), NULL));
	bytes(m, 15, 257);
	assert_int_equal(since(m, "before", CTR_RX_BYTES), 57);
	assert_int_equal(since(m, "after", CTR_RX_BYTES), 7);
	assert_int_equal(since(m, "", CTR_RX_BYTES), 7); /* the newest */
	assert_false(
		port_since(m, feed_port(m, "leaf-r0-00", "Ethernet0"), -1, CTR_RX_BYTES, 0, &n));
	assert_false(
		port_since(m, feed_port(m, "leaf-r0-00", "Ethernet0"), 0, CTR_TX_BYTES, 0, &n));
	assert_true(m->marks[0].wall_us == feed_time(6));
}

CASE_WITH(a_counter_that_comes_later_counts_from_its_first_report, feed_setup, feed_teardown)
{
	struct model *m = *state;

	bytes(m, 0, 100);
	assert_true(model_mark(m, "m", feed_time(1), NULL));
	feed_count(m, 5, "Ethernet0", CTR_TX_BYTES, 1000000);
	assert_int_equal(since(m, "m", CTR_TX_BYTES), 0);
	feed_count(m, 10, "Ethernet0", CTR_TX_BYTES, 1000003);
	assert_int_equal(since(m, "m", CTR_TX_BYTES), 3);
	assert_int_equal(since(m, "m", CTR_RX_BYTES), 0);
}

CASE_WITH(a_wrap_costs_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t top = UINT64_C(1) << 32;

	feed_count(m, 0, "Ethernet0", CTR_CNP_SENT, top - 10);
	assert_true(model_mark(m, "m", feed_time(1), NULL));
	feed_count(m, 5, "Ethernet0", CTR_CNP_SENT, 5);
	assert_int_equal(since(m, "m", CTR_CNP_SENT), 15);
}

/* The same of a 64-bit counter that is narrow in this device. */
CASE_WITH(a_narrow_counter_wraps_at_32_bits, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t values[] = {(UINT64_C(1) << 32) - 10, 5, 25};

	assert_true(model_mark(m, "m", feed_time(0), NULL));
	for (int i = 0; i < 3; i++) {
		struct obs *o = feed_batch();

		o->narrow[CTR_RX_DISCARDS] = true;
		obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_DISCARDS, 0, values[i]);
		feed(m, o, 5 * (i + 1));
	}
	assert_int_equal(since(m, "m", CTR_RX_DISCARDS), 35);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
	assert_int_equal(feed_events(m, EV_COUNTER_WRAP), 1);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_DISCARDS), 4);
}

CASE_WITH(growth_before_a_clear_and_a_reboot_counts, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	bytes(m, 0, 1000);
	assert_true(model_mark(m, "m", feed_time(1), NULL));
	bytes(m, 5, 1500);
	bytes(m, 10, 20); /* cleared */
	bytes(m, 15, 50);
	assert_int_equal(since(m, "m", CTR_RX_BYTES), 530);
	o = feed_batch();
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 5000);
	feed(m, o, 16);
	o = feed_batch();
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 3);
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 4000000);
	feed(m, o, 30);
	bytes(m, 35, 4000007);
	assert_int_equal(since(m, "m", CTR_RX_BYTES), 537);
}

CASE_WITH(marks_are_named_bounded_and_dropped, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct err err = {0};

	bytes(m, 0, 0);
	assert_int_equal(model_mark_find(m, ""), -1);
	assert_false(model_unmark(m, "m1", &err));
	for (int i = 0; i < MARKS_MAX; i++) {
		assert_true(model_mark(m, "", feed_time(i), &err));
		bytes(m, 5 * (i + 1), (uint64_t)(10 * (i + 1)));
	}
	assert_string_equal(m->marks[3].name, "m4");
	assert_false(model_mark(m, "one more", feed_time(50), &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_non_null(strstr(err.cure, "unmark m1"));
	assert_int_equal(since(m, "m1", CTR_RX_BYTES), 40);
	assert_int_equal(since(m, "m4", CTR_RX_BYTES), 10);
	assert_true(model_unmark(m, "m2", &err));
	assert_int_equal(m->nmarks, 3);
	assert_int_equal(model_mark_find(m, "m2"), -1);
	assert_int_equal(since(m, "m1", CTR_RX_BYTES), 40);
	assert_int_equal(since(m, "m3", CTR_RX_BYTES), 20);
	assert_true(model_mark(m, "m1", feed_time(60), &err)); /* set again: the newest now */
	assert_int_equal(since(m, "m1", CTR_RX_BYTES), 0);
	assert_int_equal(model_mark_find(m, ""), model_mark_find(m, "m1"));
	assert_true(model_mark(m, "", feed_time(61), &err));
	assert_string_equal(m->marks[3].name, "m2");
	bytes(m, 65, 43);
	assert_int_equal(since(m, "m4", CTR_RX_BYTES), 13);
	assert_int_equal(since(m, "m1", CTR_RX_BYTES), 3);
	while (m->nmarks)
		assert_true(model_unmark(m, "", &err));
	assert_null(feed_port(m, "leaf-r0-00", "Ethernet0")->since);
}

CASE_WITH(a_name_is_made_safe, feed_setup, feed_teardown)
{
	struct model *m = *state;

	assert_true(model_mark(m, "a\033[31mb", feed_time(0), NULL));
	assert_null(strchr(m->marks[0].name, '\033'));
}

CASE_WITH(nothing_is_kept_for_ports_that_stand_still, feed_setup, feed_teardown)
{
	struct model *m = *state;

	bytes(m, 0, 10);
	assert_true(model_mark(m, "m", feed_time(1), NULL));
	bytes(m, 5, 10);
	assert_null(feed_port(m, "leaf-r0-00", "Ethernet0")->since);
	assert_int_equal(since(m, "m", CTR_RX_BYTES), 0);
}

/* ---- any sequence ---- */

#define COUNTERS 4
#define PORTS    3

/* A device that counts, clears, wraps and restarts; and its real growth since each mark. */
struct device_truth {
	uint64_t random;
	uint64_t value[PORTS][COUNTERS], added[PORTS][COUNTERS][MARKS_MAX];
	uint64_t last[PORTS][COUNTERS][MARKS_MAX];
	uint64_t unseen[PORTS][COUNTERS]; /* counted since the last answer that had it */
	unsigned ports, marks;
	double t, uptime;
};

static const struct {
	enum counter_id id;
	uint64_t start, most; /* of a step */
} counted[COUNTERS] = {
	{CTR_RX_BYTES, UINT64_C(1) << 33, 1 << 20},
	{CTR_OUT_OF_SEQUENCE, (UINT64_C(1) << 32) - 5000, 1 << 10},
	{CTR_RX_PACKETS, 77, 1 << 10},
	{CTR_DUPLICATE_REQUEST, (UINT64_C(1) << 32) - 40000, 1 << 24},
};

static unsigned any(struct device_truth *d, unsigned below)
{
	d->random = d->random * UINT64_C(6364136223846793005) + 1442695040888963407U;
	return (unsigned)(d->random >> 33) % below;
}

static void count_on(struct device_truth *d)
{
	for (unsigned p = 0; p < d->ports; p++)
		for (unsigned c = 0; c < COUNTERS; c++) {
			uint64_t by = any(d, 3) ? any(d, (unsigned)counted[c].most) : 0;
			bool narrow = counter_info[counted[c].id].bits == 32;

			d->value[p][c] += by;
			d->value[p][c] &= narrow ? UINT32_MAX : UINT64_MAX;
			d->unseen[p][c] += by;
			for (unsigned m = 0; m < d->marks; m++)
				d->added[p][c][m] += by;
		}
}

static void clear_port(struct device_truth *d, unsigned p)
{
	memset(d->value[p], 0, sizeof(d->value[p]));
}

static void new_port(struct device_truth *d)
{
	for (unsigned c = 0; c < COUNTERS; c++)
		d->value[d->ports][c] = counted[c].start;
	d->ports++;
}

static void new_mark(struct device_truth *d, struct model *m)
{
	if (d->marks == MARKS_MAX)
		return;
	assert_true(model_mark(m, "", feed_time(d->t), NULL));
	for (unsigned p = 0; p < PORTS; p++)
		for (unsigned c = 0; c < COUNTERS; c++) {
			/* Counts between the last look and the mark are seen after it. */
			d->added[p][c][d->marks] = d->unseen[p][c];
			d->last[p][c][d->marks] = 0;
		}
	d->marks++;
}

static void answer(struct device_truth *d, struct model *m)
{
	struct obs *o = feed_batch();

	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, d->uptime);
	for (unsigned p = 0; p < d->ports; p++) {
		char name[32];
		bool is_left_out = !any(d, 10);
		uint32_t at;

		(void)str_printf(name, sizeof(name), "Ethernet%u", p * 12);
		at = obs_port(o, name);
		if (p == 1)
			o->ports.at[at].sample_us = feed_time(d->t - any(d, 3));
		/* A port with all its counters: together they tell a clear close to a wrap from a
		 * wrap. */
		for (unsigned c = 0; c < COUNTERS && !is_left_out; c++) {
			obs_count(o, at, counted[c].id, 0, d->value[p][c]);
			d->unseen[p][c] = 0;
		}
	}
	/* Lines of a feed need not say when they were received. */
	if (!any(d, 4)) {
		model_apply(m, o, feed_time(d->t));
		obs_free(o);
	} else {
		feed(m, o, d->t);
	}
}

static void check(struct device_truth *d, const struct model *m)
{
	for (unsigned p = 0; p < d->ports; p++)
		for (unsigned c = 0; c < COUNTERS; c++)
			for (unsigned k = 0; k < d->marks; k++) {
				char name[32];
				uint64_t n;

				(void)str_printf(name, sizeof(name), "Ethernet%u", p * 12);
				if (!port_since(m, feed_port(m, "leaf-r0-00", name), (int)k,
					    counted[c].id, 0, &n))
					continue;
				assert_in_range(n, d->last[p][c][k], d->added[p][c][k]);
				d->last[p][c][k] = n;
			}
}

static void step(struct device_truth *d, struct model *m)
{
	count_on(d);
	switch (any(d, 40)) {
	case 0:
		clear_port(d, any(d, d->ports));
		break;
	case 1:
		for (unsigned p = 0; p < d->ports; p++)
			clear_port(d, p);
		d->uptime = any(d, 20);
		break;
	case 2:
		if (d->ports < PORTS)
			new_port(d);
		break;
	case 3:
		new_mark(d, m);
		break;
	case 4:
		d->t -= any(d, 100); /* our own clock is set */
		break;
	default:
		break;
	}
	d->t += any(d, 10);
	d->uptime += 10;
	answer(d, m);
	check(d, m);
}

CASE(what_is_shown_only_grows_and_was_counted)
{
	for (unsigned seed = 0; seed < 100; seed++) {
		struct device_truth d = {.random = seed, .t = 1000, .uptime = 5000};
		struct model *m = feed_new();

		new_port(&d);
		new_mark(&d, m);
		for (unsigned i = 0; i < 300; i++)
			step(&d, m);
		/* And it is not all lost. */
		assert_true(d.last[0][0][0] > d.added[0][0][0] / 3);
		model_free(m);
	}
}

CASES_MAIN(NULL, NULL)
