/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/cells_internal.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

static const struct port *first(const struct model *m)
{
	return feed_port(m, "leaf-r0-00", "Ethernet0");
}

static void count_of(struct model *m, double t, const char *request, enum counter_id id,
	unsigned sub, uint64_t v)
{
	struct obs *o = feed_batch_of("leaf-r0-00", request);

	obs_count(o, obs_port(o, "Ethernet0"), id, sub, v);
	feed(m, o, t);
}

CASE_WITH(cells_keep_what_they_have_when_others_come_before_them, feed_setup, feed_teardown)
{
	struct model *m = *state;
	uint64_t n = 0;

	count_of(m, 0, "fast", CTR_QUEUE_DROPS, 5, 100);
	assert_true(model_mark(m, "m", feed_time(1), NULL));
	count_of(m, 5, "fast", CTR_QUEUE_DROPS, 5, 150);
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++)
			if (counter_info[id].kind == KIND_COUNT && id != CTR_QUEUE_DROPS)
				count_of(m, 6, "other", (enum counter_id)id, sub, id * 16 + sub);
	assert_int_equal(feed_cell(m, "Ethernet0", CTR_QUEUE_DROPS, 5)->u64, 150);
	assert_near(port_rate(first(m), CTR_QUEUE_DROPS, 5), 10);
	assert_true(port_since(m, first(m), 0, CTR_QUEUE_DROPS, 5, &n));
	assert_int_equal(n, 50);
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++)
			if (counter_info[id].kind == KIND_COUNT && id != CTR_QUEUE_DROPS)
				assert_int_equal(
					feed_cell(m, "Ethernet0", (enum counter_id)id, sub)->u64,
					id * 16 + sub);
}

static void assert_seen(const struct model *m, enum counter_id id, unsigned sub, double t)
{
	assert_true(cell_seen_us(first(m), feed_cell(m, "Ethernet0", id, sub)) == feed_time(t));
}

CASE_WITH(each_answer_has_its_own_time, feed_setup, feed_teardown)
{
	struct model *m = *state;

	count_of(m, 0, "fast", CTR_RX_BYTES, 0, 1);
	count_of(m, 1, "queues", CTR_QUEUE_DROPS, 3, 1);
	count_of(m, 5, "fast", CTR_RX_BYTES, 0, 2);
	assert_seen(m, CTR_RX_BYTES, 0, 5);
	assert_seen(m, CTR_QUEUE_DROPS, 3, 1);
	count_of(m, 6, "queues", CTR_QUEUE_DROPS, 3, 1);
	assert_seen(m, CTR_RX_BYTES, 0, 5);
	assert_seen(m, CTR_QUEUE_DROPS, 3, 6);
}

/* A cell an answer, more of them than there are times to begin with, over and over. */
CASE_WITH(times_are_used_again, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (unsigned n = 0; n < 1000; n++)
		count_of(m, n, "bin", CTR_FEC_BIN, n % FEC_BINS, n);
	for (unsigned i = 0; i < FEC_BINS; i++) {
		unsigned last = 999 - (999 + FEC_BINS - i) % FEC_BINS;

		assert_seen(m, CTR_FEC_BIN, i, last);
		assert_int_equal(feed_cell(m, "Ethernet0", CTR_FEC_BIN, i)->u64, last);
	}
	assert_true(first(m)->ntimes <= FEC_BINS + 2);
}

CASE_WITH(ports_with_the_same_cells_share_where_they_are, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *a, *b;

	feed_count(m, 0, "Ethernet0", CTR_RX_BYTES, 1);
	feed_count(m, 0, "Ethernet0", CTR_TX_BYTES, 1);
	feed_count(m, 0, "Ethernet4", CTR_TX_BYTES, 1);
	a = first(m);
	b = feed_port(m, "leaf-r0-00", "Ethernet4");
	assert_ptr_not_equal(a->layout, b->layout);
	feed_count(m, 5, "Ethernet4", CTR_RX_BYTES, 1);
	assert_ptr_equal(a->layout, b->layout);
	assert_int_equal(a->layout->n, 2);
}

/* A value that is no number is not kept, and gets no cell. */
CASE_WITH(what_is_not_kept_has_no_cell, feed_setup, feed_teardown)
{
	struct model *m = *state;
	struct obs *o = feed_batch();
	uint32_t p = obs_port(o, "Ethernet0");

	obs_gauge(o, p, CTR_TEMPERATURE_C, 0, 40);
	o->items.at[o->items.n - 1].real = (double)NAN;
	obs_count(o, p, CTR_RX_BYTES, 0, 1);
	o->items.at[o->items.n - 1].cell = CELL_VOLTAGE_V;
	feed(m, o, 0);
	assert_null(port_cell(first(m), CTR_TEMPERATURE_C, 0));
	assert_null(port_cell(first(m), CTR_VOLTAGE_V, 0));
	assert_int_equal(first(m)->layout->n, 0);
}

CASES_MAIN(NULL, NULL)
