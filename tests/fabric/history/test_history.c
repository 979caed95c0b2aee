/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/history/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/history/history_internal.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static struct port *first(struct model *m)
{
	return feed_port(m, "leaf-r0-00", "Ethernet0");
}

/* The value of rx_bytes after n polls: growth that is different each time, and no round number. */
static uint64_t stands(unsigned n)
{
	return (uint64_t)n * 1000003 + (uint64_t)n * n * 7;
}

static void polls(struct model *m, const char *port, unsigned from, unsigned n)
{
	for (unsigned i = from; i < from + n; i++)
		feed_count(m, i * 5.0, port, CTR_RX_BYTES, stands(i));
}

/* The i-th newest sample. */
static double back(const struct history *h, unsigned i)
{
	return (double)h->at[(h->next + HISTORY_LEN - 1U - i) % HISTORY_LEN];
}

/* ---- retention ---- */

CASE_WITH(polls_for_a_quarter_and_sums_for_an_hour, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_kept k;

	polls(m, "Ethernet0", 0, 2 * 720 + 1);
	k = history_kept(m, first(m), feed_time(7200));
	assert_false(k.whole);
	/* The first poll only says where counting begins. */
	assert_int_equal(k.since_us, feed_time(5));
	/* A block is as long as its youngest record is wanted. */
	assert_true(k.fine_us <= feed_time(7200) - HISTORY_FINE_US);
	assert_true(k.fine_us > feed_time(7200) - HISTORY_FINE_US - 600 * CLOCK_SEC);
	assert_true(k.coarse_us <= feed_time(7200) - HISTORY_WHOLE_US);
	assert_true(k.coarse_us > feed_time(7200) - HISTORY_WHOLE_US - 1800 * CLOCK_SEC);
}

CASE_WITH(who_polls_seldom_has_as_many_samples, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history h;

	for (unsigned i = 0; i <= 300; i++)
		feed_count(m, i * 30.0, "Ethernet0", CTR_RX_BYTES, stands(i));
	assert_true(port_history(first(m), CTR_RX_BYTES, 0, &h));
	assert_int_equal(h.used, HISTORY_LEN);
	for (unsigned i = 0; i < HISTORY_LEN; i++)
		assert_near(back(&h, i), (double)(stands(300 - i) - stands(299 - i)) / 30);
}

/* A counter that is polled each minute beside one that is polled each five seconds. */
CASE_WITH(a_slow_counter_goes_on_in_sums, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history h;

	for (unsigned i = 0; i <= 720; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", i % 12 ? "fast" : "slow");
		uint32_t p = obs_port(o, "Ethernet0");

		obs_count(o, p, CTR_RX_BYTES, 0, stands(i));
		if (i % 12 == 0)
			obs_count(o, p, CTR_ECN_MARKED_PACKETS, 3, i * 60);
		feed(m, o, i * 5.0);
	}
	assert_true(port_history(first(m), CTR_ECN_MARKED_PACKETS, 3, &h));
	/* Fifteen of polls, and sums before them; the step in between may be lost. */
	assert_true(h.used >= 55 && h.used <= 61);
	for (unsigned i = 0; i + 1 < h.used; i++)
		assert_near(back(&h, i), 12);
}

/* ---- the last minute ---- */

static double recent(const struct model *m, enum counter_id id, unsigned sub)
{
	return history_recent(first((struct model *)m), id, sub);
}

/* Of 100 s, the last 60; what stood still before it moved counts as zero. */
CASE_WITH(the_last_minute, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t us = 0;

	for (unsigned i = 0; i <= 20; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		us += i == 15 ? 3000000 : 0;
		obs_count(o, p, CTR_RX_BYTES, 0, stands(i));
		obs_count(o, p, CTR_PFC_RX_DURATION_US, 3, us);
		obs_count(o, p, CTR_PFC_RX_DURATION_US, 4, 7);
		feed(m, o, i * 5.0);
	}
	assert_near(recent(m, CTR_PFC_RX_DURATION_US, 3), 3e6 / 60);
	assert_near(port_paused_recent(first(m), 3, DIR_RX).percent, 5);
	assert_near(port_paused(first(m), 3, DIR_RX).percent, 0);
	assert_near(recent(m, CTR_RX_BYTES, 0), (double)(stands(20) - stands(8)) / 60);
	/* Never moved, and never told. */
	assert_near(recent(m, CTR_PFC_RX_DURATION_US, 4), 0);
	assert_true(isnan(recent(m, CTR_PFC_RX_DURATION_US, 5)));
	assert_near(port_paused_recent_max(first(m), 0x18, DIR_RX).percent, 5);
}

/* Polled for 15 s only: the mean of these. */
CASE_WITH(the_part_of_a_minute, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i <= 3; i++)
		feed_count(m, i * 5.0, "Ethernet0", CTR_PFC_RX_DURATION_US, i >= 2 ? 3000000 : 0);
	/* The port's history begins with that movement. */
	assert_near(recent(m, CTR_PFC_RX_DURATION_US, 0), 3e6 / 10);
}

/* Frames alone are a bound in a minute too. */
CASE_WITH(the_minute_by_frames, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct paused paused;

	for (unsigned i = 0; i <= 20; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_number(o, p, ATTR_SPEED_MBPS, 0, 400000);
		obs_count(o, p, CTR_RX_BYTES, 0, stands(i));
		obs_count(o, p, CTR_PFC_RX_FRAMES, 3, i < 20 ? 0 : 6000);
		feed(m, o, i * 5.0);
	}
	paused = port_paused_recent(first(m), 3, DIR_RX);
	assert_true(paused.upper_bound);
	assert_near(paused.percent, 6000.0 / 60 * 65535 * 512 / 400e9 * 100);
}

/* ---- sums ---- */

CASE_WITH(sums_lose_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct hlog_reader reader;
	struct hlog_record r;
	uint64_t sum = 0;
	int64_t took = 0;
	unsigned n = 0, upto = 0;

	polls(m, "Ethernet0", 0, 601);
	hlog_read(&reader, &first(m)->log->coarse, UINT32_MAX);
	for (; hlog_next(&reader, &r); n++) {
		sum += r.growth[0];
		took += r.took_us[0];
		upto = (unsigned)((r.at_ms * 1000 - feed_time(0)) / (5 * CLOCK_SEC));
	}
	assert_true(n >= 99 && n <= 101);
	assert_true(sum == stands(upto) - stands(0));
	assert_int_equal(took, (int64_t)upto * 5 * CLOCK_SEC);
}

/* Growth that no number holds twice: two sums in a step, not a wrong one. */
CASE_WITH(sums_do_not_overflow, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct hlog_reader reader;
	struct hlog_record r;
	unsigned n = 0;

	for (unsigned i = 0; i < 8; i++) {
		struct obs *o = feed_batch();

		obs_count(o, obs_port(o, "Ethernet0"), CTR_PFC_RX_FRAMES, 3,
			i % 2 ? UINT64_MAX - 5 : i);
		feed(m, o, i * 5.0);
	}
	if (!first(m)->log)
		return;
	hlog_read(&reader, &first(m)->log->coarse, UINT32_MAX);
	for (; hlog_next(&reader, &r); n++)
		assert_true(r.took_us[0] > 0);
	assert_true(n >= 1);
}

/* ---- columns ---- */

CASE_WITH(columns_at_every_width, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_column c[119];

	for (unsigned i = 0; i <= 720; i++)
		feed_count(m, i * 5.0, "Ethernet0", CTR_RX_BYTES, (uint64_t)i * 5000);
	for (unsigned n = 1; n <= 119; n++) {
		int64_t each = 3500 * CLOCK_SEC / n;

		assert_true(
			history_columns(first(m), CTR_RX_BYTES, 0, feed_time(3600), each, c, n));
		for (unsigned i = 0; i < n; i++) {
			assert_near((double)c[i].least, 1000);
			assert_near((double)c[i].mean, 1000);
			assert_near((double)c[i].most, 1000);
			assert_false(c[i].gap);
		}
		assert_true(c[0].coarse);
		assert_true(n < 5 || !c[n - 1].coarse);
	}
}

/* Nothing moves on the whole device: that is known, and it is zero. */
CASE_WITH(an_idle_stretch_is_zero, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_column c[10];
	struct history h;

	for (unsigned i = 0; i <= 120; i++)
		feed_count(m, i * 5.0, "Ethernet0", CTR_RX_BYTES, (i < 10 ? i : 10) * 5000);
	assert_true(
		history_columns(first(m), CTR_RX_BYTES, 0, feed_time(600), 55 * CLOCK_SEC, c, 10));
	for (unsigned i = 0; i < 10; i++) {
		assert_false(c[i].gap);
		assert_near((double)c[i].most, 0);
	}
	assert_true(port_history(first(m), CTR_RX_BYTES, 0, &h));
	assert_int_equal(h.used, 10 + (120 - 22));
	/* It goes on: the growth is that of the last poll, not of the stretch. */
	feed_count(m, 605, "Ethernet0", CTR_RX_BYTES, 100000);
	assert_true(
		history_columns(first(m), CTR_RX_BYTES, 0, feed_time(605), 5 * CLOCK_SEC, c, 2));
	assert_near((double)c[0].mean, 0);
	assert_near((double)c[1].mean, 10000);
}

CASE_WITH(a_peak_stays_in_its_column, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_column c[60];
	uint64_t v = 0;

	for (unsigned i = 0; i <= 720; i++) {
		v += i == 700 ? 50000 : i == 100 ? 60000 : 5000;
		feed_count(m, i * 5.0, "Ethernet0", CTR_RX_BYTES, v);
	}
	assert_true(
		history_columns(first(m), CTR_RX_BYTES, 0, feed_time(3600), 60 * CLOCK_SEC, c, 60));
	/* The last poll of it ends at 3500 s: in the column from 3480 s on. */
	assert_near((double)c[58].most, 10000);
	assert_near((double)c[58].mean, (11.0 * 1000 + 10000) / 12);
	assert_near((double)c[58].least, 1000);
	assert_false(c[58].coarse);
	/* Of sums the peak is one of thirty seconds. */
	assert_true(c[8].coarse || c[7].coarse);
	assert_near((double)fmaxf(c[8].most, c[7].most), (5 * 1000.0 + 12000) / 6);
}

CASE_WITH(a_gap_is_a_gap, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_column c[10];
	struct history h;

	polls(m, "Ethernet0", 0, 20);
	/* A clear: nothing is known of the time before it. */
	feed_count(m, 100, "Ethernet0", CTR_RX_BYTES, 5);
	for (unsigned i = 21; i <= 40; i++)
		feed_count(m, i * 5.0, "Ethernet0", CTR_RX_BYTES, 5 + stands(i - 20));
	assert_true(port_history(first(m), CTR_RX_BYTES, 0, &h));
	assert_int_equal(h.used, 19 + 1 + 20);
	for (unsigned i = 0; i < h.used; i++)
		assert_int_equal(isnan(h.at[i]) != 0, i == 19);
	assert_true(
		history_columns(first(m), CTR_RX_BYTES, 0, feed_time(120), 5 * CLOCK_SEC, c, 10));
	for (unsigned i = 0; i < 10; i++) {
		assert_int_equal(c[i].gap, i == 5);
		assert_int_equal(isnan(c[i].mean) != 0, i == 5);
	}
	/* Before all of it, and after. */
	assert_true(
		history_columns(first(m), CTR_RX_BYTES, 0, feed_time(-10), 5 * CLOCK_SEC, c, 2));
	assert_true(isnan(c[0].mean) && isnan(c[1].mean) && c[0].gap);
	assert_true(
		history_columns(first(m), CTR_RX_BYTES, 0, feed_time(1000), 5 * CLOCK_SEC, c, 2));
	assert_true(isnan(c[0].mean) && isnan(c[1].mean));
	assert_false(history_columns(first(m), CTR_TX_BYTES, 0, feed_time(0), CLOCK_SEC, c, 2));
	assert_false(history_columns(first(m), CTR_RX_BYTES, 0, feed_time(0), 0, c, 2));
}

/* ---- the budget ---- */

#define PORTS 24U

/* All ports of a device; the rx_fcs_errors of the last one grow, so that it is not green. */
static void many(struct model *m, unsigned from, unsigned n)
{
	char name[32];

	for (unsigned i = from; i < from + n; i++) {
		struct obs *o = feed_batch();

		for (unsigned k = 0; k < PORTS; k++) {
			uint32_t p;

			(void)snprintf(name, sizeof(name), "Ethernet%u", k * 4);
			p = obs_port(o, name);
			obs_count(o, p, CTR_RX_BYTES, 0, stands(i) * 100);
			obs_count(o, p, CTR_TX_BYTES, 0, stands(i) * 200);
			obs_count(o, p, CTR_RX_DISCARDS, 0, k == PORTS - 1 ? i * 1000 : 0);
		}
		feed(m, o, i * 5.0);
	}
}

static struct port *nth(struct model *m, unsigned k)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "Ethernet%u", k * 4);
	return feed_port(m, "leaf-r0-00", name);
}

static uint64_t used(const struct model *m)
{
	uint64_t n = 0;

	for (size_t i = 0; i < m->ports.n; i++)
		if (m->ports.at[i]->log)
			n += port_log_bytes(m->ports.at[i]->log);
	return n;
}

CASE_WITH(what_is_not_green_keeps_every_poll, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_kept red, green;

	many(m, 0, 721);
	red = history_kept(m, nth(m, PORTS - 1), feed_time(3600));
	green = history_kept(m, nth(m, 0), feed_time(3600));
	assert_true(red.whole);
	assert_int_equal(red.fine_us, red.since_us);
	assert_false(green.whole);
	assert_true(green.fine_us > green.since_us);
	/* It has been green for an hour. */
	for (unsigned i = 721; i < 721 + 730; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet92");

		obs_count(o, p, CTR_RX_BYTES, 0, stands(i) * 100);
		obs_count(o, p, CTR_RX_DISCARDS, 0, 720000);
		feed(m, o, i * 5.0);
	}
	red = history_kept(m, nth(m, PORTS - 1), feed_time(7250));
	assert_false(red.whole);
	assert_true(red.fine_us > feed_time(7250 - 1800));
}

CASE_WITH(a_pinned_port_keeps_every_poll, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_kept pinned, green;
	struct err err;

	many(m, 0, 10);
	assert_true(history_pin(m, nth(m, 1), true, &err));
	assert_true(history_pin(m, nth(m, 1), true, &err));
	many(m, 10, 711);
	pinned = history_kept(m, nth(m, 1), feed_time(3600));
	green = history_kept(m, nth(m, 0), feed_time(3600));
	assert_int_equal(pinned.fine_us, pinned.since_us);
	assert_true(pinned.whole && !green.whole);
	assert_true(green.fine_us > pinned.fine_us + 1200 * CLOCK_SEC);
	/* Let go, it is squeezed as the others are. */
	assert_true(history_pin(m, nth(m, 1), false, &err));
	many(m, 721, 60);
	pinned = history_kept(m, nth(m, 1), feed_time(3900));
	assert_true(!pinned.whole && pinned.fine_us > pinned.since_us);
}

/* Pinned under its planned name, before the device reported its own name of the port. */
CASE_WITH(a_pin_goes_on_under_another_name, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch();
	struct err err;

	assert_true(history_pin(m, feed_port(m, "leaf-r0-00", "Ethernet12"), true, &err));
	obs_word(o, obs_port(o, "etp7"), ATTR_ALIAS, 0, "Ethernet12");
	feed(m, o, 1);
	assert_true(feed_port(m, "leaf-r0-00", "etp7")->pinned);
	assert_true(history_pin(m, feed_port(m, "leaf-r0-00", "Ethernet12"), false, &err));
	for (size_t i = 0; i < m->ports.n; i++)
		assert_false(m->ports.at[i]->pinned);
}

CASE_WITH(pins_are_bounded, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct err err;
	char name[32];

	for (unsigned i = 0; i <= HISTORY_PINS; i++) {
		(void)str_printf(name, sizeof(name), "Ethernet%u", i * 4);
		feed_count(m, 0, name, CTR_RX_BYTES, 1);
		assert_int_equal(history_pin(m, feed_port(m, "leaf-r0-00", name), true, &err),
			i < HISTORY_PINS);
	}
	assert_int_equal(err.code, ERR_LIMIT);
	assert_true(err.cure[0]);
}

CASE_WITH(the_budget_holds, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t most = 0;

	history_set_budget(m, UINT64_C(2) * PORTS * HLOG_BLOCK + 20000);
	for (unsigned i = 0; i < 900; i++) {
		struct history_status s;

		many(m, i, 1);
		s = history_status(m);
		assert_true(s.used == used(m));
		most = s.used > most ? s.used : most;
	}
	assert_true(most > UINT64_C(2) * PORTS * HLOG_BLOCK);
	assert_true(most <= UINT64_C(2) * PORTS * HLOG_BLOCK + 20000 + HLOG_BLOCK);
}

CASE_WITH(green_ports_are_squeezed_first_and_it_is_told, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_kept red, green;
	struct history_status s;

	many(m, 0, 300);
	s = history_status(m);
	assert_int_equal(s.squeeze, 0);
	assert_int_equal(feed_events(m, EV_HISTORY), 0);
	/* As much as there is, less a third: the others grow on. */
	history_set_budget(m, used(m) / 3 * 2);
	many(m, 300, 420);
	s = history_status(m);
	assert_true(s.squeeze > 0);
	assert_true(s.used <= s.budget);
	assert_true(s.green_fine_us < HISTORY_FINE_US);
	red = history_kept(m, nth(m, PORTS - 1), feed_time(3600));
	green = history_kept(m, nth(m, 0), feed_time(3600));
	assert_true(red.fine_us + 1200 * CLOCK_SEC < green.fine_us);
	assert_true(feed_events(m, EV_HISTORY) > 0);
	/* There is room again, and it is kept longer again. */
	history_set_budget(m, HISTORY_BUDGET);
	many(m, 720, 400);
	assert_int_equal(history_status(m).squeeze, 0);
}

/* A default budget follows the number of ports; one that was set stays. */
CASE_WITH(the_budget_grows_with_the_fabric, feed_setup, feed_teardown)
{
	struct model *m = *state;

	assert_true(history_budget_of(0) == HISTORY_BUDGET);
	assert_true(history_budget_of(24384) == HISTORY_BUDGET);
	/* 24k: as before, nearly; 100k: two blocks of each log of each port, and more. */
	assert_true(history_budget_of(145280) > HISTORY_BUDGET);
	assert_true(history_budget_of(145280) < HISTORY_BUDGET + 50000000);
	assert_true(history_budget_of(613184) > UINT64_C(4) * 613184 * HLOG_BLOCK);
	assert_true(history_budget_of(613184) < UINT64_C(1500000000));
	many(m, 0, 2);
	assert_true(history_status(m).budget == history_budget_of(m->ports.n));
	history_set_budget(m, 20000000);
	assert_true(history_status(m).budget == 20000000);
	history_set_budget(m, 0);
	assert_true(history_status(m).budget == history_budget_of(m->ports.n));
}

/* A budget that is smaller than one block of each is one block of each. */
CASE_WITH(no_room_at_all, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history h;

	history_set_budget(m, 1);
	many(m, 0, 200);
	assert_true(used(m) <= UINT64_C(2) * PORTS * HLOG_BLOCK + HLOG_BLOCK);
	assert_true(port_history(nth(m, 0), CTR_RX_BYTES, 0, &h));
	assert_true(h.used > 1 && h.used < HISTORY_LEN);
	assert_true(back(&h, 0) > 0);
}

/* ---- odd times ---- */

CASE_WITH(clocks_that_jump, feed_setup, feed_teardown)
{
	static const double at[] = {0, 5, 10, 100000000, 100000005, 20, 25, 25, 25.0001, 30};
	struct model *m = *state;
	struct history h;

	for (unsigned i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		feed_count(m, at[i], "Ethernet0", CTR_RX_BYTES, stands(i));
	assert_true(port_history(first(m), CTR_RX_BYTES, 0, &h));
	assert_true(h.used >= 5);
	assert_true(used(m) == history_status(m).used);
}

/* Records written then would be younger than all that come, and never go. */
CASE_WITH(a_clock_that_was_ahead_leaves_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	unsigned n = 0;
	double t;

	for (t = 1e6; t < 1e6 + 4000; t += 5)
		feed_count(m, t, "Ethernet0", CTR_RX_BYTES, stands(n++));
	for (t = 5; t < 8000; t += 5)
		feed_count(m, t, "Ethernet0", CTR_RX_BYTES, stands(n++));
	assert_true(history_kept(m, first(m), feed_time(t)).fine_us < feed_time(t));
	assert_true(history_kept(m, first(m), feed_time(t)).coarse_us < feed_time(t));
	assert_true(used(m) == history_status(m).used);
}

CASE_WITH(every_chart_has_a_place, feed_setup, feed_teardown)
{
	unsigned n = 0;

	for (unsigned cell = 0; cell < CELL_COUNT; cell++)
		n += counter_charted(counter_of_cell((uint16_t)cell, NULL));
	assert_true(n <= HLOG_SERIES);
}

CASES_MAIN(NULL, NULL)
