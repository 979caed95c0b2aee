/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/history/gauges.h"

#include <math.h>

#include "base/clock.h"
#include "fabric/history/history_internal.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define STEP (HISTORY_STEP_US / CLOCK_SEC)

static void light(struct model *m, double t, unsigned lane, double dbm)
{
	struct obs *o = feed_batch_of("leaf-r0-00", "optics");

	obs_gauge(o, obs_port(o, "Ethernet0"), CTR_RX_POWER_DBM, lane, dbm);
	feed(m, o, t);
}

/* The reading of lane 0 at t. */
static double at(const struct model *m, double t)
{
	struct history_column column;

	(void)gauge_columns(m, feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_RX_POWER_DBM, 0,
		feed_time(t) + 1, CLOCK_SEC, &column, 1);
	return (double)column.mean;
}

CASE_WITH(a_reading_stands_until_the_next, feed_setup, feed_teardown)
{
	struct model *m = *state;

	light(m, 0, 0, -1.5);
	light(m, 10 * STEP, 0, -6.5);
	assert_near(at(m, 0), -1.5);
	assert_near(at(m, 9 * STEP), -1.5);
	assert_near(at(m, 10 * STEP), -6.5);
	assert_true(isnan(at(m, 11 * STEP)));
	assert_true(isnan(at(m, -2.0 * STEP)));
	/* Another lane has no readings. */
	assert_false(gauge_known(m, feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_RX_POWER_DBM, 1));
}

CASE_WITH(a_long_silence_is_a_gap, feed_setup, feed_teardown)
{
	struct model *m = *state;

	light(m, 0, 0, -1.5);
	light(m, 1200, 0, -1.6);
	assert_near(at(m, 0), -1.5);
	assert_true(isnan(at(m, 600)));
	assert_near(at(m, 1200), -1.6);
}

CASE_WITH(an_hour_is_kept_and_no_more, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned i = 0; i <= 2 * GAUGE_STEPS; i++)
		light(m, i * (double)STEP, 0, -(double)i);
	assert_near(at(m, 2.0 * GAUGE_STEPS * STEP), -2.0 * GAUGE_STEPS);
	assert_near(at(m, (GAUGE_STEPS + 1.0) * STEP), -(GAUGE_STEPS + 1.0));
	assert_true(isnan(at(m, (double)GAUGE_STEPS * STEP)));
	/* A clock that went back rewrites nothing. */
	light(m, 10, 0, 3);
	assert_near(at(m, 2.0 * GAUGE_STEPS * STEP), -2.0 * GAUGE_STEPS);
	/* After a day off nothing of yesterday is left. */
	light(m, 86400, 0, -9);
	assert_near(at(m, 86400), -9);
	assert_true(isnan(at(m, 86400 - STEP)));
}

CASE_WITH(a_wide_column_has_its_newest_reading, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct history_column columns[2];

	light(m, 0, 0, -1);
	light(m, STEP, 0, -2);
	assert_true(gauge_columns(m, feed_port(m, "leaf-r0-00", "Ethernet0"), CTR_RX_POWER_DBM, 0,
		feed_time(560), 600 * CLOCK_SEC, columns, 2));
	assert_true(isnan(columns[0].mean));
	assert_near((double)columns[1].mean, -2);
}

/* A queue that was never used has no series, and memory ends at the budget. */
CASE_WITH(memory_has_an_end, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	gauge_note(m->history, p->id, counter_cell(CTR_QUEUE_DEPTH_BYTES, 0), 0, feed_time(0));
	assert_false(gauge_known(m, p, CTR_QUEUE_DEPTH_BYTES, 0));
	gauge_note(m->history, p->id, counter_cell(CTR_QUEUE_DEPTH_BYTES, 0), 9000, feed_time(5));
	assert_true(gauge_known(m, p, CTR_QUEUE_DEPTH_BYTES, 0));
	for (uint32_t port = 10; port < 10 + 2 * GAUGE_BUDGET / GAUGE_BYTES; port++)
		gauge_note(m->history, port, counter_cell(CTR_TEMPERATURE_C, 0), 40, feed_time(10));
	assert_true(m->history->gauge_bytes <= GAUGE_BUDGET);
	assert_true(m->history->gauge_bytes > GAUGE_BUDGET - 2 * (uint64_t)GAUGE_BYTES);
}

CASE(what_only_a_rebuild_changes_is_not_kept)
{
	unsigned n = 0;

	for (unsigned i = 0; i < COUNTER_COUNT; i++) {
		assert_false(gauge_charted((counter_id)i) && counter_charted((counter_id)i));
		n += gauge_charted((counter_id)i);
	}
	assert_true(n > 10);
	assert_true(gauge_charted(CTR_RX_POWER_DBM) && gauge_charted(CTR_QUEUE_WATERMARK_BYTES));
	assert_false(gauge_charted(CTR_PCIE_WIDTH) || gauge_charted(COUNTER_COUNT));
}

CASES_MAIN(NULL, NULL)
