/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/runbooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/bench/fabric_4k.h"
#include "tests/tools/figures.h"

/*
 * What the judging of each step of each runbook costs the console's thread at the 4,000-GPU size, a
 * turn: for the whole fabric where the runbook takes it, else for a host.
 */
#define TIMES 3

static double cpu_ms(void)
{
	return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static double judged(const struct runbook_step *s, const struct view_ctx *ctx, struct ref target)
{
	double best = 1e9;

	for (unsigned i = 0; i < TIMES; i++) {
		struct runbook_result r;
		double t = cpu_ms();

		runbook_judge(s, ctx, target, &r);
		t = cpu_ms() - t;
		best = t < best ? t : best;
	}
	return best;
}

static void measure(struct figures *f, const struct runbook *b, const struct view_ctx *ctx)
{
	struct ref target = {.kind = REF_FABRIC};
	double worst = 0;
	char name[96], at[32] = "";

	if (!runbook_is_about(b, "fabric"))
		target = (struct ref){.kind = REF_DEVICE, .device = 0};
	for (size_t i = 0; i < b->steps.n; i++) {
		double ms = judged(&b->steps.at[i], ctx, target);

		if (getenv("EACH"))
			printf("%s.%s %.2f ms\n", b->name, b->steps.at[i].id, ms);
		if (ms <= worst)
			continue;
		worst = ms;
		(void)str_copy(at, sizeof(at), b->steps.at[i].id);
	}
	(void)str_printf(name, sizeof(name), "%s: dearest step, %s", b->name, at);
	figure(f, name, worst, "ms CPU", 0);
}

int main(void)
{
	struct figures *f = figures_new("runbook");
	int64_t now = INT64_C(1763726000) * CLOCK_SEC;
	struct runbooks all = {0};
	struct view_ctx ctx = {0};
	struct plan plan;
	struct model *m;
	struct err err = {0};

	bench_4k_plan(&plan);
	m = bench_4k_model(&plan, 4, &now);
	ctx = (struct view_ctx){.model = m, .now_us = now, .cache = view_cache_new()};
	ctx.diag = diag_new();
	if (!runbooks_load(&all, NULL, NULL, &err))
		return 1;
	for (size_t i = 0; i < all.at.n; i++)
		measure(f, all.at.at[i], &ctx);
	runbooks_free(&all);
	view_cache_free(ctx.cache);
	diag_free((struct diag *)ctx.diag);
	model_free(m);
	plan_free(&plan);
	return figures_end(f) ? 0 : 1;
}
