/* SPDX-License-Identifier: Apache-2.0 */
/* The past of a chart from batches of a metrics engine: rates, readings, gaps, resets, sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/observation.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/chart/chart.h"
#include "views/common.h"

#define STEP  (60 * CLOCK_SEC)
#define FROM  (INT64_C(1700000040) / 60 * 60 * CLOCK_SEC)
#define STEPS 10

struct past {
	struct model *m;
	struct chart c;
	struct obs *first, **end;
};

static void open_past(struct past *x)
{
	*x = (struct past){.m = fix_model()};
	x->end = &x->first;
}

static void close_past(struct past *x)
{
	for (struct obs *next; x->first; x->first = next) {
		next = x->first->next;
		obs_free(x->first);
	}
	chart_past_drop(&x->c);
	model_free(x->m);
}

static void add_count(struct past *x, const char *device, const char *port, int step, uint64_t n)
{
	struct obs *o = obs_new(device, "history");

	o->received_us = FROM + step * STEP;
	obs_count(o, obs_port(o, port), CTR_RX_BYTES, 0, n);
	*x->end = o;
	x->end = &o->next;
}

static void read_past(struct past *x, struct ref at, struct chart_values *out)
{
	struct view_ctx ctx = {.model = x->m, .now_us = FROM + STEPS * STEP};
	struct chart_window w = {.end_us = FROM + STEPS * STEP, .width_us = STEP, .n = STEPS};

	x->c.n = 0;
	assert_true(chart_add(&x->c, at, CTR_RX_BYTES, 0));
	chart_past_fill(&x->c, &ctx, x->first, FROM, FROM + STEPS * STEP, STEP);
	memset(out, 0, sizeof(*out));
	for (unsigned k = 0; k < STEPS; k++)
		out->mean[k] = NAN;
	chart_past_read(&x->c, 0, &w, 1, out);
}

static struct ref port_ref(const struct past *x, const char *device, const char *port)
{
	const struct port *p = model_port(x->m, model_device(x->m, device), port);

	assert_non_null(p);
	return ref_of_port(p);
}

CASE(a_gap_and_a_reset_stay_unknown)
{
	struct past x;
	struct chart_values v;

	open_past(&x);
	/* 600 a second; nothing at 3 and 4; a reset at 7. */
	for (int k = 0; k <= STEPS; k++)
		if (k != 3 && k != 4)
			add_count(&x, "leaf-r2-00", "Ethernet0", k,
				(uint64_t)(k >= 7 ? k - 7 : k) * 36000);
	read_past(&x, port_ref(&x, "leaf-r2-00", "Ethernet0"), &v);
	for (unsigned k = 0; k < STEPS; k++) {
		/* Column k ends at step k + 1. */
		bool known = k != 2 && k != 3 && k != 4 && k != 6;

		if (known ? fabs((double)v.mean[k] - 600) > 0.1 : !isnan(v.mean[k]))
			fail_msg("column %u: %g", k, (double)v.mean[k]);
	}
	assert_int_equal(v.borrowed, STEPS);
	close_past(&x);
}

CASE(ports_of_a_device_are_summed)
{
	struct past x;
	struct chart_values v;

	open_past(&x);
	for (int k = 0; k <= STEPS; k++) {
		add_count(&x, "leaf-r2-00", "Ethernet0", k, (uint64_t)k * 36000);
		add_count(&x, "leaf-r3-00", "Ethernet0", k, (uint64_t)k * 6000000);
		if (k < 5)
			add_count(&x, "leaf-r2-00", "Ethernet4", k, (uint64_t)k * 6000);
	}
	read_past(&x, ref_of_device(model_device(x.m, "leaf-r2-00")), &v);
	assert_true(fabs((double)v.mean[0] - 700) < 0.1);
	assert_true(fabs((double)v.mean[8] - 600) < 0.1);
	close_past(&x);
}

CASE(own_values_are_not_replaced)
{
	struct chart_window w = {.end_us = FROM + STEPS * STEP, .width_us = STEP, .n = STEPS};
	struct past x;
	struct chart_values v;

	open_past(&x);
	for (int k = 0; k <= STEPS; k++)
		add_count(&x, "leaf-r2-00", "Ethernet0", k, (uint64_t)k * 36000);
	read_past(&x, port_ref(&x, "leaf-r2-00", "Ethernet0"), &v);
	memset(&v, 0, sizeof(v));
	for (unsigned k = 0; k < STEPS; k++)
		v.mean[k] = k < 6 ? NAN : 1;
	chart_past_read(&x.c, 0, &w, 8, &v);
	assert_true(fabs((double)v.mean[5] - 4800) < 0.1);
	assert_true((double)v.mean[6] == 1);
	assert_int_equal(v.borrowed, 6);
	/* Another counter of the chart has no past of this one. */
	x.c.series[0].id = CTR_TX_BYTES;
	for (unsigned k = 0; k < STEPS; k++)
		v.mean[k] = NAN;
	chart_past_read(&x.c, 0, &w, 8, &v);
	assert_true(isnan(v.mean[5]));
	close_past(&x);
}

/* A young history fills the picture, of a rail as of a port. */
CASE(a_young_history_fills_the_chart)
{
	struct model *m = fix_model();
	struct view_ctx ctx;
	struct chart c = {0};

	for (int s = 0; s < 4; s++)
		fix_poll(m, s, NULL, 0);
	ctx = fix_ctx(m, 3);
	assert_true(chart_begin(&c, &ctx, ref_of_rail(2)));
	assert_true(c.span_us == 300 * CLOCK_SEC);
	assert_true(chart_begin(&c, &ctx, ref_of_device(model_device(m, "leaf-r2-00"))));
	assert_true(c.span_us == 300 * CLOCK_SEC);
	model_free(m);
}

CASES_MAIN(NULL, NULL)
