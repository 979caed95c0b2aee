/* SPDX-License-Identifier: Apache-2.0 */
/* Rates of a device that refreshes at its own pace and does not say when. */
#include <math.h>
#include <stdio.h>

#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define RATE 41000000.0 /* per second, constant */

struct pace {
	const char *name;
	double poll, jitter; /* seconds */
	double phase;        /* of the device's refreshes */
	uint32_t refresh_ms;
};

static const struct pace paces[] = {
	{"polled as fast as it refreshes", 1.0, 0.05, 0.37, 1000},
	{"polled a bit slower", 1.4, 0.1, 0.61, 1000},
	{"polled a bit faster", 0.7, 0.1, 0.2, 1000},
	{"polled much slower", 5.3, 0.3, 0.9, 1000},
	{"queues", 1.0, 0.1, 3.3, 10000},
	{"queues, polled at five", 5.0, 0.4, 7.7, 10000},
};

/* Deterministic, in [-1, 1]. */
static double noise(unsigned i)
{
	return (double)(i * 2654435761U >> 8 & 0xffff) / 32768.0 - 1;
}

static double shown(const struct pace *p, double t)
{
	double period = p->refresh_ms / 1000.0;

	return RATE * (floor((t - p->phase) / period) * period + p->phase + 100);
}

/* The share of polls after which the rate is off by more than 1 %, once the reckoning has settled.
 */
static double wrong_share(const struct pace *p, bool told)
{
	struct model *m = feed_new();
	unsigned wrong = 0, polls = 0;

	for (unsigned i = 0; i < 1000; i++) {
		double t = 20 + i * p->poll + p->jitter * noise(i) * p->poll;
		struct obs *o = feed_batch();

		o->refresh_ms[GROUP_PORT] = told ? p->refresh_ms : 0;
		obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, (uint64_t)shown(p, t));
		feed(m, o, t);
		if (i < 100)
			continue;
		polls++;
		wrong += fabs(feed_rate(m, "Ethernet0", CTR_RX_BYTES) / RATE - 1) > 0.01;
	}
	model_free(m);
	return (double)wrong / polls;
}

CASE(rates_are_exact_when_the_period_is_known)
{
	for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]); i++) {
		double wrong = wrong_share(&paces[i], true);

		if (wrong > 0)
			fail_msg("%s: %.1f%% of the polls", paces[i].name, wrong * 100);
	}
}

/* That it is the knowledge of the period that does it. */
CASE(without_it_they_are_not)
{
	for (size_t i = 0; i < sizeof(paces) / sizeof(paces[0]); i++)
		if (!(wrong_share(&paces[i], false) > 0.1))
			fail_msg("%s: %g", paces[i].name, wrong_share(&paces[i], false));
}

/*
 * The two clocks drift, so that polls wander over the moment of the refresh. While they do, which
 * of two polls saw it is a guess; it must stay rare.
 */
CASE(drifting_clocks_are_rarely_wrong)
{
	const struct pace p = {"drifting", 1.003, 0.01, 0.5, 1000};

	assert_true(wrong_share(&p, true) < 0.01);
}

CASE(a_clock_that_was_set_is_followed)
{
	struct model *m = feed_new();
	double t = 20;

	for (unsigned i = 0; i < 40; i++, t += 1) {
		struct obs *o = feed_batch();

		o->refresh_ms[GROUP_PORT] = 1000;
		o->device_us = feed_time(i < 20 ? t : t - 5000);
		obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, (uint64_t)(t * 1000));
		feed(m, o, t);
	}
	assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), 1000);
	model_free(m);
}

CASE(a_pause_of_the_device_is_no_burst)
{
	struct model *m = feed_new();
	const struct pace p = {"", 1, 0, 0.4, 1000};

	for (unsigned i = 0; i < 60; i++) {
		struct obs *o = feed_batch();

		/* Nobody polls from 20 to 40. */
		if (i >= 20 && i < 40) {
			obs_free(o);
			continue;
		}
		o->refresh_ms[GROUP_PORT] = 1000;
		obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, (uint64_t)shown(&p, i));
		feed(m, o, i);
		if (i > 5)
			assert_near(feed_rate(m, "Ethernet0", CTR_RX_BYTES), RATE);
	}
	model_free(m);
}

static void two_requests(struct model *m, double t, uint64_t bytes, uint64_t pauses)
{
	struct obs *o = feed_batch_of("leaf-r0-00", "fast");

	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, bytes);
	feed(m, o, t);
	o = feed_batch_of("leaf-r0-00", "pfc");
	obs_count(o, obs_port(o, "Ethernet0"), CTR_PFC_RX_FRAMES, 3, pauses);
	feed(m, o, t + 0.1);
}

static double pause_rate(const struct model *m)
{
	return (double)feed_cell(m, "Ethernet0", CTR_PFC_RX_FRAMES, 3)->rate;
}

/* The storm is over; bytes, asked for by another request, go on. */
CASE(what_stands_still_while_its_group_is_refreshed_is_zero)
{
	struct model *m = feed_new();

	two_requests(m, 0, 0, 0);
	two_requests(m, 1, 1000, 500);
	two_requests(m, 2, 2000, 1000);
	assert_near(pause_rate(m), 500);
	/* Refreshed every other second: once without a movement proves nothing. */
	two_requests(m, 3, 2000, 1000);
	two_requests(m, 4, 3000, 1000);
	assert_near(pause_rate(m), 500);
	two_requests(m, 5, 3000, 1000);
	two_requests(m, 6, 4000, 1000);
	two_requests(m, 7, 5000, 1000);
	assert_near(pause_rate(m), 0);
	two_requests(m, 8, 6000, 1200);
	assert_true(pause_rate(m) > 0);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
