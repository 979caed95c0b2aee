/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define HOUR     3600.0
#define AHEAD(t) ((t) - (double)(FEED_T0 / 1000000 % 3600)) /* t after a full hour */

static uint64_t sum(const struct model *m, enum tally_kind kind, double t, unsigned hours)
{
	return daily_counts_sum(m, kind, feed_time(t), hours, NULL);
}

static void prio(
	struct model *m, double t, const char *port, enum counter_id id, unsigned sub, uint64_t v)
{
	struct obs *o = feed_batch();

	obs_count(o, obs_port(o, port), id, sub, v);
	feed(m, o, t);
}

CASE_WITH(what_nobody_told_is_not_zero, feed_setup, feed_teardown)
{
	struct model *m = *state;
	int64_t since = 1;

	assert_int_equal(daily_counts_sum(m, TALLY_LOSSLESS_DROPS, feed_time(0), 24, &since), 0);
	assert_true(since == 0);
	prio(m, 10, "Ethernet0", CTR_QUEUE_DROPS, 5, 7); /* another priority */
	(void)daily_counts_sum(m, TALLY_LOSSLESS_DROPS, feed_time(10), 24, &since);
	assert_true(since == 0);
	prio(m, 20, "Ethernet0", CTR_QUEUE_DROPS, 3, 7);
	assert_int_equal(daily_counts_sum(m, TALLY_LOSSLESS_DROPS, feed_time(20), 24, &since), 0);
	assert_true(since == feed_time(20));
	(void)daily_counts_sum(m, TALLY_LOSSLESS_DROPS, feed_time(30 * HOUR), 24, &since);
	assert_true(since == feed_time(6 * HOUR));
}

CASE_WITH(drops_of_lossless_priorities_count, feed_setup, feed_teardown)
{
	struct model *m = *state;

	prio(m, 0, "Ethernet0", CTR_QUEUE_DROPS, 3, 1000);
	prio(m, 0, "Ethernet0", CTR_QUEUE_DROPS, 5, 1000);
	prio(m, 5, "Ethernet0", CTR_QUEUE_DROPS, 3, 1012);
	prio(m, 5, "Ethernet0", CTR_QUEUE_DROPS, 5, 1900);
	prio(m, 5, "Ethernet12", CTR_PG_DROPS, 3, 5); /* the first value is not growth */
	prio(m, 10, "Ethernet12", CTR_PG_DROPS, 3, 8);
	assert_int_equal(sum(m, TALLY_LOSSLESS_DROPS, 10, 24), 15);
	assert_int_equal(sum(m, TALLY_LOSSLESS_DROPS, 10, 1), 15);
}

CASE_WITH(storms_are_counted_once, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o;

	prio(m, 0, "Ethernet0", CTR_PFCWD_STORM_DETECTED, 3, 4);
	prio(m, 5, "Ethernet0", CTR_PFCWD_STORM_DETECTED, 3, 7);
	/* Its log tells of the same storm. */
	o = feed_batch();
	obs_event(o, obs_port(o, "Ethernet0"), EV_STORM_DETECTED, 0, "");
	feed(m, o, 6);
	assert_int_equal(sum(m, TALLY_WD_DETECTED, 6, 24), 3);
	/* One without such a counter has only its word. */
	o = feed_batch_of("leaf-r1-00", "fast");
	obs_event(o, obs_port(o, "Ethernet0"), EV_STORM_DETECTED, 0, "");
	feed(m, o, 7);
	assert_int_equal(sum(m, TALLY_WD_DETECTED, 7, 24), 4);
}

static void down(struct model *m, double t, const char *device, const char *port)
{
	const char *const words[] = {"up", "down", "up"};

	for (int i = 0; i < 3; i++) {
		struct obs *o = feed_batch_of(device, "fast");

		obs_word(o, obs_port(o, port), ATTR_OPER, 0, words[i]);
		feed(m, o, t + i);
	}
}

static bool watched(const struct model *m, enum tally_kind kind)
{
	int64_t since;

	(void)daily_counts_sum(m, kind, feed_time(100), 24, &since);
	return since != 0;
}

static void watchdog(struct model *m, double t, const char *device, const char *word)
{
	struct obs *o = feed_batch_of(device, "fast");

	obs_word(o, obs_port(o, "Ethernet0"), ATTR_PFCWD_STATE, 3, word);
	feed(m, o, t);
}

/* Cumulus counts the storms that it detects, but not their ends. */
CASE_WITH(who_counts_no_end_restores_none, feed_setup, feed_teardown)
{
	struct model *m = *state;

	prio(m, 0, "Ethernet0", CTR_PFCWD_STORM_DETECTED, 3, 4);
	watchdog(m, 1, "leaf-r0-00", "stormed");
	assert_true(watched(m, TALLY_WD_DETECTED));
	assert_false(watched(m, TALLY_WD_RESTORED));
	/* A counter of its own tells, however late it comes. */
	down(m, 3, "leaf-r0-00", "Ethernet0");
	prio(m, 8, "Ethernet0", CTR_QUEUE_DROPS, 3, 0);
	prio(m, 9, "Ethernet0", CTR_PFCWD_STORM_RESTORED, 3, 4);
	assert_true(watched(m, TALLY_WD_RESTORED));
}

CASE_WITH(a_word_alone_tells_of_both, feed_setup, feed_teardown)
{
	struct model *m = *state;

	watchdog(m, 0, "leaf-r0-00", "operational");
	assert_true(watched(m, TALLY_WD_DETECTED) && watched(m, TALLY_WD_RESTORED));
	watchdog(m, 5, "leaf-r0-00", "stormed");
	watchdog(m, 10, "leaf-r0-00", "operational");
	assert_int_equal(sum(m, TALLY_WD_DETECTED, 10, 24), 1);
	assert_int_equal(sum(m, TALLY_WD_RESTORED, 10, 24), 1);
}

CASE_WITH(a_watchdog_that_is_off_watches_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;

	watchdog(m, 0, "leaf-r0-00", "off");
	watchdog(m, 1, "leaf-r1-00", "Off");
	assert_false(watched(m, TALLY_WD_DETECTED) || watched(m, TALLY_WD_RESTORED));
	watchdog(m, 5, "leaf-r1-00", "operational");
	assert_true(watched(m, TALLY_WD_DETECTED));
}

CASE_WITH(old_ones_fall_out, feed_setup, feed_teardown)
{
	struct model *m = *state;

	down(m, AHEAD(3600), "leaf-r0-00", "Ethernet0");
	down(m, AHEAD(3600 + 12 * HOUR), "leaf-r0-00", "Ethernet0");
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 12 * HOUR), 24), 2);
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 12 * HOUR), 1), 1);
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 14 * HOUR), 1), 0);
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 25 * HOUR), 24), 1);
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 37 * HOUR), 24), 0);
	/* And the slots that are used again are empty ones. */
	down(m, AHEAD(3600 + 40 * HOUR), "leaf-r0-00", "Ethernet0");
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 40 * HOUR), 24), 1);
	down(m, AHEAD(3600 + 400 * HOUR), "leaf-r0-00", "Ethernet0");
	assert_int_equal(sum(m, TALLY_FLAPS, AHEAD(3600 + 400 * HOUR), 24), 1);
}

CASE_WITH(a_link_is_one_entry, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct daily_worst w[4];
	bool more = true;

	for (int i = 0; i < 3; i++)
		down(m, 10 * i, "leaf-r0-00", "Ethernet0");
	down(m, 40, "node000", "mlx5_0");
	down(m, 50, "leaf-r1-00", "Ethernet12");
	down(m, 60, "leaf-r1-00", "Ethernet12");
	assert_int_equal(daily_counts_worst(m, TALLY_FLAPS, feed_time(70), w, 4, &more), 2);
	assert_false(more);
	assert_int_equal(w[0].port, feed_port(m, "leaf-r0-00", "Ethernet0")->id);
	assert_int_equal(w[0].n, 3);
	assert_int_equal(w[1].n, 2);
	assert_int_equal(daily_counts_worst(m, TALLY_FLAPS, feed_time(70), w, 1, &more), 1);
	assert_true(more);
	assert_int_equal(daily_counts_worst(m, TALLY_FLAPS, feed_time(26 * HOUR), w, 4, &more), 0);
	assert_int_equal(daily_counts_worst(m, TALLY_WD_DETECTED, feed_time(70), w, 4, &more), 0);
}

/* With any number of flapping ports, the worst one stays, and the others are not denied. */
CASE_WITH(many_ports_leave_the_worst, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct daily_worst w[TALLY_PORTS];
	char name[24];
	bool more;
	double t = 0;

	for (int i = 0; i < 6; i++)
		down(m, t += 5, "leaf-r0-00", "Ethernet0");
	for (int i = 0; i < 300; i++) {
		(void)str_printf(name, sizeof(name), "Ethernet%d", 100 + i);
		down(m, t += 5, "leaf-r1-00", name);
	}
	assert_int_equal(sum(m, TALLY_FLAPS, t, 24), 306);
	assert_int_equal(daily_counts_worst(m, TALLY_FLAPS, feed_time(t), w, TALLY_PORTS, &more),
		TALLY_PORTS);
	assert_true(more);
	assert_int_equal(w[0].port, feed_port(m, "leaf-r0-00", "Ethernet0")->id);
	assert_int_equal(w[0].n, 6);
}

CASE_WITH(a_clock_that_jumps_loses_nothing, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct daily_worst w[2];
	int64_t since;

	down(m, 10 * HOUR, "leaf-r0-00", "Ethernet0");
	down(m, 20 * HOUR, "leaf-r0-00", "Ethernet0");
	/* The clock is set back by fifteen hours: a flap of 10 h ago still is one. */
	down(m, 5 * HOUR, "leaf-r0-00", "Ethernet0");
	assert_int_equal(daily_counts_sum(m, TALLY_FLAPS, feed_time(5 * HOUR), 24, &since), 3);
	assert_true(since <= feed_time(5 * HOUR));
	assert_int_equal(sum(m, TALLY_FLAPS, 5 * HOUR, 2), 2);
	assert_int_equal(daily_counts_worst(m, TALLY_FLAPS, feed_time(5 * HOUR), w, 2, NULL), 1);
	assert_int_equal(w[0].n, 3);
	assert_int_equal(sum(m, TALLY_FLAPS, 21 * HOUR, 24), 2);
	/* A little late is not set back. */
	down(m, 5 * HOUR - 60, "leaf-r0-00", "Ethernet0");
	assert_int_equal(sum(m, TALLY_FLAPS, 5 * HOUR, 1), 3);
}

CASE_WITH(bytes_say_the_same, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct state s;
	struct buf b;
	struct daily_counts *t = mem_calloc(1, sizeof(*t)), was;

	down(m, 10, "leaf-r0-00", "Ethernet0");
	prio(m, 20, "Ethernet0", CTR_QUEUE_DROPS, 3, 1);
	prio(m, 25, "Ethernet0", CTR_QUEUE_DROPS, 3, 9);
	was = m->tally;
	buf_init(&b, 65536);
	state_saves(&s, &b);
	daily_counts_state(&s, &m->tally);
	assert_false(s.bad);
	state_loads(&s, b.data, b.len);
	daily_counts_state(&s, t);
	assert_true(state_ended(&s));
	assert_memory_equal(t, &was, sizeof(was));
	/* Short and foreign bytes give an empty one. */
	for (size_t n = 0; n < b.len; n += 7) {
		state_loads(&s, b.data, n);
		daily_counts_state(&s, t);
		assert_true(s.bad);
		assert_int_equal(t->bucket, 0);
		assert_int_equal(t->ports[0][0].port, UINT32_MAX);
	}
	buf_free(&b);
	free(t);
}

static void spine(struct model *m, double t, unsigned sessions, enum bgp_state is)
{
	struct obs *o = feed_batch_of("spine-000", "bgp");
	char peer[24];

	for (unsigned i = 0; i < sessions; i++) {
		(void)str_printf(peer, sizeof(peer), "10.0.0.%u", i);
		(void)obs_bgp(o, BGP_IPV4, "default", peer, "", is);
	}
	feed(m, o, t);
}

static void bgp_event(struct model *m, double t, const char *device)
{
	struct obs *o = feed_batch_of(device, "events");

	obs_event(o, UINT32_MAX, EV_BGP_DOWN, 0, "10.0.0.1: idle");
	feed(m, o, t);
}

/* More than events are said of; and none for the sentence that says how many are left out. */
CASE_WITH(each_session_that_goes_down_counts, feed_setup, feed_teardown)
{
	struct model *m = *state;

	spine(m, 0, 64, BGP_ESTABLISHED);
	assert_true(watched(m, TALLY_BGP_DOWNS));
	assert_int_equal(sum(m, TALLY_BGP_DOWNS, 0, 24), 0);
	spine(m, 30, 64, BGP_IDLE);
	assert_true(feed_events(m, EV_BGP_DOWN) < 64);
	assert_int_equal(sum(m, TALLY_BGP_DOWNS, 30, 24), 64);
	spine(m, 60, 64, BGP_ESTABLISHED);
	assert_int_equal(sum(m, TALLY_BGP_DOWNS, 60, 24), 64);
	/* Log lines report the same downs; for a device without a list of sessions they are the
	 * only source. */
	bgp_event(m, 61, "spine-000");
	assert_int_equal(sum(m, TALLY_BGP_DOWNS, 61, 24), 64);
	bgp_event(m, 62, "leaf-r0-00");
	assert_int_equal(sum(m, TALLY_BGP_DOWNS, 62, 24), 65);
}

static bool loads(struct daily_counts *t)
{
	struct daily_counts *back = mem_calloc(1, sizeof(*back));
	struct state s;
	struct buf b;
	bool ok;

	buf_init(&b, 65536);
	state_saves(&s, &b);
	daily_counts_state(&s, t);
	state_loads(&s, b.data, b.len);
	daily_counts_state(&s, back);
	ok = state_ended(&s);
	buf_free(&b);
	free(back);
	return ok;
}

/* Ages are differences of these: of a crafted file they would overflow. */
CASE_WITH(times_that_no_clock_shows, feed_setup, feed_teardown)
{
	static const int64_t wild[] = {INT64_MIN, -1, INT64_MAX};
	struct model *m = *state;
	struct daily_counts *t = &m->tally;
	int64_t *const times[] = {&t->since_us[TALLY_REBOOTS], &t->lost_us[TALLY_FLAPS],
		&t->ports[TALLY_FLAPS][0].last_us};

	down(m, 10, "leaf-r0-00", "Ethernet0");
	assert_true(loads(t));
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		for (size_t k = 0; k < sizeof(wild) / sizeof(wild[0]); k++) {
			int64_t was = *times[i];

			*times[i] = wild[k];
			assert_false(loads(t));
			*times[i] = was;
		}
	assert_true(loads(t));
}

/* A loaded tally may name a port that does not exist. */
CASE_WITH(ports_that_are_not_there, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct daily_worst w[2];

	down(m, 10, "leaf-r0-00", "Ethernet0");
	m->tally.ports[TALLY_FLAPS][0].port = 4000000000U;
	assert_int_equal(daily_counts_worst(m, TALLY_FLAPS, feed_time(20), w, 2, NULL), 0);
}

CASE_WITH(hours_of_the_clock, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t hours[TALLY_HOURS];

	daily_counts_hours(m, TALLY_LOSSLESS_DROPS, feed_time(0), hours);
	for (unsigned h = 0; h < TALLY_HOURS; h++)
		assert_true(hours[h] == TALLY_UNKNOWN);
	/* FEED_T0 is 22:13:20 UTC. */
	prio(m, 0, "Ethernet0", CTR_QUEUE_DROPS, 3, 0);
	prio(m, 5, "Ethernet0", CTR_QUEUE_DROPS, 3, 7);
	prio(m, 1 * HOUR, "Ethernet0", CTR_QUEUE_DROPS, 3, 9);
	daily_counts_hours(m, TALLY_LOSSLESS_DROPS, feed_time(2 * HOUR), hours);
	assert_true(hours[TALLY_HOURS - 4] == TALLY_UNKNOWN);
	assert_int_equal(hours[TALLY_HOURS - 3], 7);
	assert_int_equal(hours[TALLY_HOURS - 2], 2);
	assert_int_equal(hours[TALLY_HOURS - 1], 0);
	/* A day later they are out of sight, and the hours without news are zero. */
	daily_counts_hours(m, TALLY_LOSSLESS_DROPS, feed_time(30 * HOUR), hours);
	for (unsigned h = 0; h < TALLY_HOURS; h++)
		assert_int_equal(hours[h], 0);
}

CASES_MAIN(NULL, NULL)
