/* SPDX-License-Identifier: Apache-2.0 */
/* The exit code of what was collected: a device without counters is not fine. */
#include "app/headless/headless.h"
#include "base/clock.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"

#define T0 (INT64_C(1700000000) * CLOCK_SEC)

static struct model *one_device(void)
{
	struct plan plan;
	struct model *m;

	plan_init(&plan);
	(void)plan_make_device(&plan, "leaf-1", TIER_LEAF, 0);
	m = model_new(&plan);
	plan_free(&plan);
	return m;
}

/* An answer at a time. took_us: 0 in a file, which nobody was asked for. */
static void answer(struct model *m, int64_t at_us, int64_t took_us, bool counts)
{
	struct obs *o = obs_new("leaf-1", "x");
	uint32_t port = obs_port(o, "Ethernet0");

	o->result = OBS_DATA;
	o->took_us = took_us;
	if (counts)
		obs_count(o, port, CTR_RX_BYTES, 0, 1000);
	if (!counts)
		obs_word(o, port, ATTR_OPER, 0, "up");
	model_apply(m, o, at_us);
	(void)model_age(m, at_us);
	obs_free(o);
}

CASE(an_answer_without_counters_is_not_all)
{
	struct model *m = one_device();

	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
	answer(m, T0, 20000, false);
	assert_int_equal(headless_exit_code(m), EXIT_UNREACHED);
	answer(m, T0 + CLOCK_SEC, 20000, true);
	assert_int_equal(headless_exit_code(m), EXIT_FINE);
	model_free(m);
}

/* A file of observations may be about events only. */
CASE(a_file_owes_no_counters)
{
	struct model *m = one_device();

	answer(m, T0, 0, false);
	assert_int_equal(headless_exit_code(m), EXIT_FINE);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
