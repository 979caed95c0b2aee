/* SPDX-License-Identifier: Apache-2.0 */
/* Operations a second of a communicator over the last hour, from counts and from operations. */
#include <math.h>

#include "base/state.h"
#include "fabric/state/state.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define WORLD "0x9bd8b4c5a3b1e8f7"

static void tell(struct model *m, double t, enum nccl_kind kind, int rank, int64_t seq)
{
	struct obs *o = feed_batch_of("node000", "nccl");
	struct obs_nccl *r = obs_nccl(o, kind, SOURCE_RAS);

	r->comm = obs_string(o, WORLD);
	r->rank = rank;
	r->nranks = 4;
	r->func = obs_string(o, "AllReduce");
	r->seq = seq;
	feed(m, o, t);
}

static double rate(const struct model *m, double from, double to)
{
	assert_int_equal(m->nccl->comms.n, 1);
	return comm_pace_rate(m->nccl->comms.at[0], feed_time(from), feed_time(to));
}

CASE_WITH(counts_give_a_rate, feed_setup, feed_teardown)
{
	struct model *m = *state;

	/* 2 a second for ten minutes, told every 10 s by a rank that is ahead and one behind. */
	for (int s = 0; s <= 600; s += 10) {
		tell(m, s, NCCL_COUNT, 0, 1000 + 2 * s);
		tell(m, s, NCCL_COUNT, 1, 990 + 2 * s);
	}
	assert_near(rate(m, 0, 600), 2);
	assert_near(rate(m, 123, 187), 2);
	/* Before the first and after the last report nothing is known. */
	assert_true(isnan(rate(m, -60, 0)));
	assert_true(isnan(rate(m, 600, 660)));
	/* It stands still, and says so while it is reported. */
	for (int s = 610; s <= 700; s += 10)
		tell(m, s, NCCL_COUNT, 0, 2200);
	assert_near(rate(m, 640, 700), 0);
}

CASE_WITH(operations_give_a_rate, feed_setup, feed_teardown)
{
	struct model *m = *state;

	/* A report each 5 s has the newest operation only, so some are skipped. */
	for (int s = 0; s <= 300; s += 5)
		tell(m, s, NCCL_OP, 0, 7 * s);
	assert_near(rate(m, 60, 240), 7);
}

CASE_WITH(a_long_silence_is_no_rate, feed_setup, feed_teardown)
{
	struct model *m = *state;

	tell(m, 0, NCCL_COUNT, 0, 100);
	tell(m, 60, NCCL_COUNT, 0, 160);
	tell(m, 60 + 960, NCCL_COUNT, 0, 1000);
	tell(m, 60 + 1020, NCCL_COUNT, 0, 1060);
	assert_near(rate(m, 0, 60), 1);
	assert_true(isnan(rate(m, 300, 600)));
	assert_near(rate(m, 60 + 960, 60 + 1020), 1);
}

/* A count that goes back or leaps is of another process: no rate comes of it. */
CASE_WITH(a_leap_is_no_rate, feed_setup, feed_teardown)
{
	struct model *m = *state;

	tell(m, 0, NCCL_COUNT, 0, 100);
	tell(m, 60, NCCL_COUNT, 0, INT64_MAX);
	tell(m, 120, NCCL_COUNT, 0, 3);
	tell(m, 180, NCCL_COUNT, 0, INT64_MAX - 1);
	assert_near(rate(m, 0, 180), 0);
}

CASE_WITH(an_hour_is_kept, feed_setup, feed_teardown)
{
	struct model *m = *state;

	for (int s = 0; s <= 5400; s += 5)
		tell(m, s, NCCL_COUNT, 0, s < 4000 ? s : 4000 + 3 * (s - 4000));
	assert_true(isnan(rate(m, 1600, 1700)));
	assert_near(rate(m, 2000, 3900), 1);
	assert_near(rate(m, 4100, 5400), 3);
}

CASES_MAIN(NULL, NULL)
