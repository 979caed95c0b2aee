/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

/* ---- rates ---- */

CASE_WITH(a_rate_is_taken_between_refreshes, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 1000);
	assert_true(isnan(feed_rate(m, "Ethernet0", CTR_RX_BYTES)));
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->valid, VALID_OK);
	feed_count(m, 5, "Ethernet0", CTR_RX_BYTES, 6000);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 1000);
	/* The device did not look: the rate stays, and the next one spans both polls. */
	feed_count(m, 10, "Ethernet0", CTR_RX_BYTES, 6000);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 1000);
	feed_count(m, 15, "Ethernet0", CTR_RX_BYTES, 26000);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 2000);
}

/* Other counters may be between two refreshes for a minute; after a storm the watchdog is not. */
CASE_WITH(a_storm_does_not_drop_for_a_minute_more, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int t = 0; t <= 20; t++)
		feed_count(m, t, "Ethernet0", CTR_PFCWD_DROPS, t < 5 ? (uint64_t)t * 1000 : 5000);
	assert_true(port_rate_prios(
			    feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_PFCWD_DROPS, 0xff) == 0);
}

static void two_ports(struct model *m, double t, uint64_t a, uint64_t b)
{
	struct obs *o = feed_batch();

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, a);
	obs_count(o, obs_port(o, "Ethernet12"), CTR_RX_BYTES, 0, b);
	feed(m, o, t);
}

CASE_WITH(a_still_counter_in_a_refreshed_group_is_zero, feed_setup, feed_teardown)
{
	struct model *m = *state;

	two_ports(m, 0, 100, 100);
	two_ports(m, 5, 200, 600);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 20);
	two_ports(m, 10, 200, 1100);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 0);
	assert_near(feed_rate(m, "Ethernet12", CTR_RX_BYTES), 100);
}

CASE_WITH(an_idle_device_is_idle_after_a_minute, feed_setup, feed_teardown)
{
	struct model *m = *state;
	double t;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 0);
	feed_count(m, 5, "Ethernet0", CTR_RX_BYTES, 5000);
	for (t = 10; t <= 65; t += 5) {
		feed_count(m, t, "Ethernet0", CTR_RX_BYTES, 5000);
		assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 1000);
	}
	feed_count(m, 70, "Ethernet0", CTR_RX_BYTES, 5000);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 0);
	feed_count(m, 75, "Ethernet0", CTR_RX_BYTES, 5000);
	/* The first traffic after the quiet is not spread over it. */
	feed_count(m, 80, "Ethernet0", CTR_RX_BYTES, 10000);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 1000);
}

CASE_WITH(a_gap_gives_the_mean_over_it, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history h;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 0);
	feed_count(m, 5, "Ethernet0", CTR_RX_BYTES, 5000);
	feed_count(m, 605, "Ethernet0", CTR_RX_BYTES, 305000);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 500);
	assert_true(port_history(feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_RX_BYTES, 0, &h));
	assert_int_equal(h.used, 3);
	assert_near((double)h.at[0], 1000);
	assert_true(isnan(h.at[1]));
	assert_near((double)h.at[2], 500);
}

/* A metrics engine is asked for them every other minute. */
CASE_WITH(priorities_that_are_not_lossless_may_come_seldom, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history h;

	for (int i = 0; i < 3; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_count(o, p, CTR_PFC_RX_FRAMES, 1, (uint64_t)i * 1200);
		obs_count(o, p, CTR_PFC_RX_FRAMES, 3, (uint64_t)i * 1200);
		o->took_us = 1000;
		feed(m, o, i * 120);
	}
	for (unsigned sub = 1; sub <= 3; sub += 2) {
		assert_true(port_history(
			feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_PFC_RX_FRAMES, sub, &h));
		assert_true(h.used >= 2);
		assert_near((double)h.at[h.used - 1], 10);
		assert_int_equal(isnan(h.at[h.used - 2]), sub == 3);
	}
}

CASE_WITH(groups_refresh_on_their_own, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i < 4; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_count(o, p, CTR_RX_BYTES, 0, (uint64_t)i * 500);
		obs_count(o, p, CTR_QUEUE_TX_BYTES, 3, i >= 3 ? 9000 : i >= 1 ? 1000 : 0);
		feed(m, o, i * 5);
	}
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	/* Queues moved at 5 s and 15 s: 8000 over ten seconds. */
	assert_near(port_rate(feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_QUEUE_TX_BYTES, 3), 800);
}

/* Counters of one group that come in different answers keep their own time. */
CASE_WITH(requests_do_not_share_a_clock, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int i = 0; i <= 8; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", i % 4 == 2 ? "slow" : "fast");
		uint32_t p = obs_port(o, "Ethernet0");

		if (i % 4 == 2)
			obs_count(o, p, CTR_FEC_CORRECTED_CODEWORDS, 0, (uint64_t)i * 5000);
		else
			obs_count(o, p, CTR_RX_BYTES, 0, (uint64_t)i * 500);
		feed(m, o, i * 5);
		if (i > 0 && i % 4 != 2)
			assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	}
	assert_near(feed_rate(m, "Ethernet0", CTR_FEC_CORRECTED_CODEWORDS), 1000);
}

/* ---- device time ---- */

static void sampled(struct model *m, double t, double device, double sample, uint64_t v, uint64_t q)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	if (sample > 0)
		o->ports.at[p].sample_us = feed_time(sample);
	if (device > 0)
		o->device_us = feed_time(device);
	obs_count(o, p, CTR_RX_BYTES, 0, v);
	if (q)
		obs_count(o, p, CTR_QUEUE_TX_BYTES, 0, q);
	feed(m, o, t);
}

CASE_WITH(the_ports_own_sample_time_decides, feed_setup, feed_teardown)
{
	struct model *m = *state;

	sampled(m, 10, 0, 1, 100, 0);
	sampled(m, 15, 0, 5, 500, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	sampled(m, 20, 0, 5, 500, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	/* It looked, and nothing had moved. */
	sampled(m, 25, 0, 9, 500, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 0);
	sampled(m, 30, 0, 11, 700, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
}

/* Queue counters that are read live beside port counters that carry a sample time. */
CASE_WITH(a_sample_time_need_not_cover_all_groups, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	sampled(m, 10, 10, 9, 100, 1000);
	sampled(m, 15, 15, 9, 100, 2000);
	sampled(m, 20, 20, 19, 1100, 3000);
	sampled(m, 25, 25, 19, 1100, 4000);
	assert_near(port_rate(p, CTR_QUEUE_TX_BYTES, 0), 200);
	assert_near(port_rate(p, CTR_RX_BYTES, 0), 100);
}

/* As EOS answers: interfaces with a refresh time and live flap counters, PFC in another answer. */
CASE_WITH(a_sample_time_survives_what_it_does_not_cover, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	for (unsigned i = 0; i < 12; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "interfaces");
		uint32_t at = obs_port(o, "Ethernet0");

		/* Read by the device every 8 s, asked every 5 s, with another clock than ours. */
		o->ports.at[at].sample_us = feed_time(100 + i * 5 / 8 * 8);
		o->device_us = feed_time(100 + i * 5);
		obs_word(o, at, ATTR_OPER, 0, "up");
		obs_count(o, at, CTR_RX_BYTES, 0, i * 5 / 8 * 800);
		obs_count(o, at, CTR_LINK_DOWN_EVENTS, 0, i < 10 ? i : 10);
		feed(m, o, i * 5);
		o = feed_batch_of("leaf-r0-00", "pfc");
		obs_count(o, obs_port(o, "Ethernet0"), CTR_PFC_RX_FRAMES, 3, i * 50);
		feed(m, o, i * 5 + 0.1);
		if (i >= 2)
			assert_near(port_rate(p, CTR_RX_BYTES, 0), 100);
		if (i >= 1)
			assert_near(port_rate(p, CTR_PFC_RX_FRAMES, 3), 10);
	}
	assert_int_equal(feed_events(m, EV_LINK_FLAP), 10);
	assert_near(port_rate(p, CTR_LINK_DOWN_EVENTS, 0), 0);
}

CASE_WITH(the_device_clock_beats_a_late_answer, feed_setup, feed_teardown)
{
	struct model *m = *state;

	sampled(m, 10.0, 10, 0, 0, 0);
	sampled(m, 15.8, 15, 0, 500, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
}

CASE_WITH(a_clock_that_is_set_gives_no_wrong_rate, feed_setup, feed_teardown)
{
	static const double jumps[] = {-3600, -3, 4, 1e8, 0};

	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		struct model *m = feed_new();

		(void)state;
		sampled(m, 10000, 10000, 0, 0, 0);
		sampled(m, 10005, 10005, 0, 500, 0);
		sampled(m, 10010, 10010 + jumps[i], 0, 1000, 0);
		assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
		sampled(m, 10015, 10015 + jumps[i], 0, 1500, 0);
		assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
		model_free(m);
	}
}

CASE_WITH(a_sample_time_that_goes_back_falls_to_our_clock, feed_setup, feed_teardown)
{
	struct model *m = *state;

	sampled(m, 10, 0, 100, 0, 0);
	sampled(m, 15, 0, 105, 500, 0);
	sampled(m, 20, 0, 50, 1000, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	sampled(m, 25, 0, 55, 1500, 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
}

/* ---- wraps, clears, reboots ---- */

CASE_WITH(a_wrap_keeps_its_rate, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_count(m, 0, "Ethernet0", CTR_OUT_OF_SEQUENCE, UINT32_MAX - 99);
	feed_count(m, 5, "Ethernet0", CTR_OUT_OF_SEQUENCE, 400);
	assert_near(feed_rate(m, "Ethernet0", CTR_OUT_OF_SEQUENCE), 100);
	assert_int_equal(feed_events(m, EV_COUNTER_WRAP), 1);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
	assert_string_equal(feed_event(m, EV_COUNTER_WRAP)->text, "out_of_sequence");
}

static void assert_reset(struct model *m, const char *port, enum counter_id id, unsigned sub)
{
	const struct cell *c = feed_cell(m, port, id, sub);

	assert_int_equal(c->valid, VALID_RESET);
	assert_true(isnan(c->rate));
	assert_true(isnan(port_rate(feed_port(m, "leaf-r0-00", port), id, sub)));
}

static void clear_batch(struct model *m, double t, uint64_t base)
{
	struct obs *o = feed_batch();

	for (unsigned i = 0; i < 2; i++) {
		uint32_t p = obs_port(o, i ? "Ethernet12" : "Ethernet0");

		obs_count(o, p, CTR_RX_BYTES, 0, base);
		obs_count(o, p, CTR_TX_BYTES, 0, base * 2);
		obs_count(o, p, CTR_PFC_RX_FRAMES, 3, base / 10);
		obs_count(o, p, CTR_QUEUE_TX_BYTES, 3, base);
	}
	feed(m, o, t);
}

CASE_WITH(a_clear_is_told_once, feed_setup, feed_teardown)
{
	struct model *m = *state;

	clear_batch(m, 0, 100000);
	clear_batch(m, 5, 100500);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	clear_batch(m, 10, 300);
	assert_reset(m, "Ethernet0", CTR_RX_BYTES, 0);
	assert_reset(m, "Ethernet12", CTR_PFC_RX_FRAMES, 3);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
	clear_batch(m, 15, 800);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_RX_BYTES, 0)->valid, VALID_OK);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
	clear_batch(m, 20, 10);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 2);
}

/* tx was small before the clear and has passed its old value since: no growth to believe in. */
CASE_WITH(neighbours_of_a_cleared_counter_start_anew, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 3; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_count(o, p, CTR_RX_BYTES, 0, i == 0 ? 100000 : (i - 1) * 500);
		obs_count(o, p, CTR_TX_BYTES, 0, i == 0 ? 10 : i * 500);
		feed(m, o, i * 5);
		if (i == 1)
			assert_reset(m, "Ethernet0", CTR_TX_BYTES, 0);
	}
	assert_near(feed_rate(m, "Ethernet0", CTR_TX_BYTES), 100);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
}

CASE_WITH(a_counter_that_always_goes_back_is_not_believed, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 40; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_count(o, p, CTR_RX_BYTES, 0, i * 500);
		obs_count(o, p, CTR_RX_PACKETS, 0, 1000 - i);
		feed(m, o, i * 5);
	}
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	assert_reset(m, "Ethernet0", CTR_RX_PACKETS, 0);
	assert_true(feed_events(m, EV_COUNTER_RESET) <= 3);
}

CASE_WITH(no_more_than_the_wire_can_carry, feed_setup, feed_teardown)
{
	struct model *m = *state;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 1000);
	feed_count(m, 5, "Ethernet0", CTR_RX_BYTES, UINT64_C(1) << 60);
	assert_reset(m, "Ethernet0", CTR_RX_BYTES, 0);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
	feed_count(m, 10, "Ethernet0", CTR_RX_BYTES, (UINT64_C(1) << 60) + UINT64_C(250000000000));
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 50e9);
}

static void booted(struct model *m, double t, const char *boot, double uptime, uint64_t v)
{
	struct obs *o = feed_batch();

	if (boot)
		obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, boot);
	if (uptime >= 0)
		obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, uptime);
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, v);
	feed(m, o, t);
}

CASE_WITH(a_reboot_is_told_once_however_it_shows, feed_setup, feed_teardown)
{
	static const struct {
		const char *name, *boot[2];
		double uptime[2];
	} cases[] = {
		{"boot id", {"aaa", "bbb"}, {-1, -1}},
		{"uptime", {NULL, NULL}, {1000, 3}},
		{"both", {"aaa", "bbb"}, {1000, 3}},
		{"uptime, then new boot id", {"aaa", NULL}, {1000, 3}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct model *m = feed_new();

		booted(m, 0, cases[i].boot[0], cases[i].uptime[0], 500);
		booted(m, 5, cases[i].boot[0], cases[i].uptime[0] + 5, 1000);
		/* More than before the reboot: only the reboot tells. */
		booted(m, 10, cases[i].boot[1], cases[i].uptime[1], 90000);
		assert_reset(m, "Ethernet0", CTR_RX_BYTES, 0);
		booted(m, 15, "bbb", cases[i].uptime[1] < 0 ? -1 : cases[i].uptime[1] + 5, 90500);
		assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
		assert_int_equal(feed_events(m, EV_REBOOT), 1);
		assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
		model_free(m);
	}
}

CASE_WITH(uptimes_and_boot_times_may_jitter, feed_setup, feed_teardown)
{
	struct model *m = *state;

	booted(m, 0, "1700000000", 1000, 0);
	booted(m, 5, "1700000001", 999, 500);
	assert_int_equal(feed_events(m, EV_REBOOT), 0);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
}

/* The fast answer sees counters go back, the slow one learns why a minute later. */
CASE_WITH(a_reset_becomes_the_reboot_that_it_was, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch_of("leaf-r0-00", "slow");

	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 5000);
	feed(m, o, 0);
	feed_count(m, 1, "Ethernet0", CTR_RX_BYTES, 1000000);
	feed_count(m, 60, "Ethernet0", CTR_RX_BYTES, 100);
	feed_count(m, 65, "Ethernet0", CTR_RX_BYTES, 600);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
	o = feed_batch_of("leaf-r0-00", "slow");
	obs_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, 30);
	feed(m, o, 66);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
	assert_int_equal(feed_events(m, EV_REBOOT), 1);
	/* Counts since then are sound. */
	feed_count(m, 70, "Ethernet0", CTR_RX_BYTES, 1100);
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 100);
	assert_int_equal(feed_events(m, EV_REBOOT), 1);
}

CASE_WITH(a_clear_seen_by_two_requests_is_one, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 2; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "queues");

		feed_count(m, i * 5, "Ethernet0", CTR_RX_BYTES, i ? 3 : 500);
		obs_count(o, obs_port(o, "Ethernet12"), CTR_QUEUE_TX_BYTES, 0, i ? 3 : 500);
		feed(m, o, i * 5);
	}
	assert_reset(m, "Ethernet12", CTR_QUEUE_TX_BYTES, 0);
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 1);
}

/* ---- readings, validity, history ---- */

CASE_WITH(readings_and_peaks_have_no_rate, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i < 2; i++) {
		struct obs *o = feed_batch();
		uint32_t p = obs_port(o, "Ethernet0");

		obs_gauge(o, p, CTR_RX_POWER_DBM, 5, -2.5 - i);
		obs_count(o, p, CTR_QUEUE_WATERMARK_BYTES, 3, 1000 - i * 900);
		feed(m, o, i * 5);
	}
	assert_near(feed_cell(m, "Ethernet0", CTR_RX_POWER_DBM, 5)->real, -3.5);
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_QUEUE_WATERMARK_BYTES, 3)->u64, 100);
	assert_true(isnan(
		port_rate(feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_QUEUE_WATERMARK_BYTES, 3)));
	assert_int_equal(feed_events(m, EV_COUNTER_RESET), 0);
}

static void paused(struct model *m, double t, unsigned priority, uint64_t frames)
{
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	obs_count(o, p, CTR_RX_BYTES, 0, (uint64_t)(t * 1000));
	obs_count(o, p, CTR_PFC_RX_FRAMES, priority, frames);
	feed(m, o, t);
}

CASE_WITH(since_when_nobody_pauses_a_port_is_known, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 1);
	assert_true(p->pfc_quiet_us == 0);
	paused(m, 5, 3, 100);
	assert_true(p->pfc_quiet_us == feed_time(5));
	paused(m, 10, 3, 100);
	paused(m, 15, 3, 100);
	assert_true(p->pfc_quiet_us == feed_time(5));
	paused(m, 20, 3, 101);
	paused(m, 25, 3, 101);
	assert_true(p->pfc_quiet_us == feed_time(20));
	/* Any priority. */
	paused(m, 30, 4, 7);
	paused(m, 35, 4, 8);
	assert_true(p->pfc_quiet_us == feed_time(35));
	/* A cleared counter may have counted up to the same value again. */
	paused(m, 40, 3, 0);
	assert_true(p->pfc_quiet_us == feed_time(40));
	paused(m, 45, 3, 0);
	assert_true(p->pfc_quiet_us == feed_time(40));
}

CASE_WITH(validity_comes_and_goes, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o;

	assert_int_equal(port_cell_valid(m, p, CTR_ECN_MARKED_PACKETS, 3), VALID_UNKNOWN);
	o = feed_batch();
	obs_invalid(o, obs_port(o, "Ethernet0"), CTR_ECN_MARKED_PACKETS, 3, VALID_DISABLED,
		"counterpoll wredqueue enable");
	feed(m, o, 0);
	assert_int_equal(port_cell_valid(m, p, CTR_ECN_MARKED_PACKETS, 3), VALID_DISABLED);
	assert_int_equal(d->caps.n, 1);
	assert_string_equal(d->caps.at[0].need, "ecn_marked_packets");
	assert_string_equal(d->caps.at[0].cure, "counterpoll wredqueue enable");
	for (unsigned i = 1; i < 3; i++) {
		o = feed_batch();
		obs_count(o, obs_port(o, "Ethernet0"), CTR_ECN_MARKED_PACKETS, 3, i * 500);
		feed(m, o, i * 5);
		if (i == 1)
			assert_true(isnan(port_rate(p, CTR_ECN_MARKED_PACKETS, 3)));
	}
	assert_near(port_rate(p, CTR_ECN_MARKED_PACKETS, 3), 100);
	d->state = DEV_STALE;
	assert_int_equal(port_cell_valid(m, p, CTR_ECN_MARKED_PACKETS, 3), VALID_STALE);
}

CASE_WITH(a_counter_that_left_the_answers_goes_stale, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	feed_count(m, 0, "Ethernet0", CTR_RX_ERRORS, 1);
	feed_count(m, 600, "Ethernet0", CTR_RX_BYTES, 1);
	assert_int_equal(port_cell_valid(m, p, CTR_RX_ERRORS, 0), VALID_OK);
	feed_count(m, 700, "Ethernet0", CTR_RX_BYTES, 1);
	assert_int_equal(port_cell_valid(m, p, CTR_RX_ERRORS, 0), VALID_STALE);
}

CASE_WITH(history_is_a_ring_for_what_moves, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");
	struct history h;

	for (unsigned i = 0; i <= HISTORY_LEN + 10; i++) {
		struct obs *o = feed_batch();
		uint32_t at = obs_port(o, "Ethernet0");

		obs_count(o, at, CTR_RX_BYTES, 0, i * 500);
		obs_count(o, at, CTR_RX_PACKETS, 0, i * 5);
		obs_count(o, at, CTR_PFC_RX_FRAMES, 0, 7);
		obs_count(o, at, CTR_PFC_RX_FRAMES, 3, i < 100 ? 0 : i);
		feed(m, o, i * 5);
	}
	assert_true(port_history(p, CTR_RX_BYTES, 0, &h));
	assert_int_equal(h.used, HISTORY_LEN);
	assert_near((double)h.at[(h.next + HISTORY_LEN - 1) % HISTORY_LEN], 100);
	assert_false(port_history(p, CTR_RX_PACKETS, 0, &h));
	assert_false(port_history(p, CTR_PFC_RX_FRAMES, 0, &h));
	assert_true(port_history(p, CTR_PFC_RX_FRAMES, 3, &h));
	assert_near((double)h.at[0], 0);
	assert_near((double)h.at[1], 20);
	assert_near(port_rate_prios(p, CTR_PFC_RX_FRAMES, 1 << 3 | 1), 0.2);
	assert_true(isnan(port_rate_prios(p, CTR_PFC_RX_FRAMES, 1 << 5)));
	assert_true(port_charted(p, CTR_RX_BYTES, 0));
	assert_false(port_charted(p, CTR_PFC_RX_FRAMES, 5));
}

CASES_MAIN(NULL, NULL)
