/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/config/runbooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/plan/sizing.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/bench/load/fail.h"
#include "tests/support/figures.h"

/*
 * The cost of judging each step of each runbook on the console's thread at the 4,000-GPU size, a
 * turn. The target is the whole fabric if the runbook takes it, else a host. PRESET=24k: another
 * size.
 */
#define TIMES 3

static double cpu_ms(void)
{
	return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

struct cost {
	double all, call; /* of a judgement, and of its longest piece; ms */
};

/* The best of all times, as the console does it: rows in pieces. */
static struct cost judged(
	const struct runbook_step *s, const struct view_ctx *ctx, struct ref target)
{
	struct cost best = {1e9, 1e9};

	for (unsigned i = 0; i < TIMES; i++) {
		struct runbook_result r;
		struct runbook_judging *j;
		double t = cpu_ms(), took, all = 0, call = 0;
		bool more;

		j = runbook_judging_new(s, ctx, target, &r);
		do {
			more = j && !runbook_judging_some(j, ctx, RUNBOOK_ROWS_A_PIECE, &r);
			took = cpu_ms() - t;
			t += took;
			all += took;
			call = took > call ? took : call;
		} while (more);
		runbook_judging_free(j);
		best.all = all < best.all ? all : best.all;
		best.call = call < best.call ? call : best.call;
	}
	return best;
}

static void measure(struct figures *f, const struct runbook *b, const struct view_ctx *ctx)
{
	struct ref target = {.kind = REF_FABRIC};
	struct cost worst = {0};
	char name[96], at[32] = "";

	if (!runbook_is_about(b, "fabric"))
		target = (struct ref){.kind = REF_DEVICE, .device = 0};
	for (size_t i = 0; i < b->steps.n; i++) {
		struct cost c = judged(&b->steps.at[i], ctx, target);

		if (getenv("EACH"))
			printf("%s.%s %.2f ms, in one call %.2f\n", b->name, b->steps.at[i].id,
				c.all, c.call);
		worst.call = c.call > worst.call ? c.call : worst.call;
		if (c.all <= worst.all)
			continue;
		worst.all = c.all;
		(void)str_copy(at, sizeof(at), b->steps.at[i].id);
	}
	(void)str_printf(name, sizeof(name), "%s: dearest step, %s", b->name, at);
	figure(f, name, worst.all, "ms CPU", 0);
	(void)str_printf(name, sizeof(name), "%s: longest call of a step", b->name);
	figure(f, name, worst.call, "ms CPU", 10);
}

int main(void)
{
	const char *preset = getenv("PRESET") ? getenv("PRESET") : "4k";
	struct figures *f = figures_new("runbook");
	int64_t now = INT64_C(1763726000) * CLOCK_SEC;
	struct runbooks all = {0};
	struct view_ctx ctx = {0};
	struct plan plan;
	struct model *m;
	struct err err = {0};

	if (!sizing_preset(preset)) {
		(void)fprintf(stderr, "PRESET=%s: there are %s\n", preset, sizing_preset_names());
		return 2;
	}
	bench_fabric_plan(&plan, preset);
	m = bench_4k_model(&plan, 4, &now);
	ctx = (struct view_ctx){.model = m, .now_us = now, .cache = view_cache_new()};
	ctx.diag = diag_new();
	if (!runbooks_load(&all, NULL, NULL, &err))
		bench_fail_err("the runbooks", &err);
	for (size_t i = 0; i < all.at.n; i++)
		measure(f, all.at.at[i], &ctx);
	runbooks_free(&all);
	view_cache_free(ctx.cache);
	diag_free((struct diag *)ctx.diag);
	model_free(m);
	plan_free(&plan);
	return figures_end(f) ? 0 : 1;
}
