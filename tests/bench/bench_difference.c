/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "diagnosis/difference/difference.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/support/figures.h"
#include "views/rows.h"

/* The 4,000-GPU fabric at two moments, and the view of all its ports. */
#define TIMES 5

static double cpu_ms(void)
{
	return (double)clock() * 1e3 / CLOCKS_PER_SEC;
}

static void find(struct figures *f, const struct model *a, const struct model *b, int64_t now,
	const char *what)
{
	struct moment x = {a, NULL, now}, y = {b, NULL, now};
	double best = 1e9;
	char name[64];
	size_t n = 0;

	for (unsigned i = 0; i < figures_times(TIMES, 1); i++) {
		difference_vec v = {0};
		double t = cpu_ms();

		difference_find(&x, &y, &v);
		t = cpu_ms() - t;
		best = t < best ? t : best;
		n = v.n;
		difference_free(&v);
	}
	(void)str_printf(name, sizeof(name), "differences, 4k, %s", what);
	figure(f, name, best, "ms CPU", 1000);
	(void)str_printf(name, sizeof(name), "how many, 4k, %s", what);
	figure(f, name, (double)n, "", 0);
}

static void look(struct figures *f, const struct model *m, int64_t now)
{
	const struct view_ops *v = view_by_name("ports");
	struct view_ctx ctx = {.model = m,
		.now_us = now,
		.scope = {.kind = REF_FABRIC},
		.cache = view_cache_new()};
	struct query *q = query_parse("rail=3 pfc_rx.paused>1%", NULL);
	double rows_ms = 1e9, keep_ms = 1e9, sort_ms = 1e9, first_ms = 0;

	for (unsigned i = 0; i < figures_times(TIMES, 1) + 1; i++) {
		row_vec rows = {0};
		double t = cpu_ms(), r, s, k;

		v->rows(&ctx, &rows);
		r = cpu_ms();
		view_sort_rows(&ctx, v, (size_t)view_column(v, "state"), true, &rows);
		s = cpu_ms();
		view_keep_rows(&ctx, v, q, &rows);
		k = cpu_ms();
		vec_free(&rows);
		/* The first one fills the cache. */
		if (!i) {
			first_ms = s - t;
			continue;
		}
		rows_ms = r - t < rows_ms ? r - t : rows_ms;
		sort_ms = s - r < sort_ms ? s - r : sort_ms;
		keep_ms = k - s < keep_ms ? k - s : keep_ms;
	}
	figure(f, "view of all ports: first rows and order", first_ms, "ms CPU", 500);
	figure(f, "view of all ports: rows", rows_ms, "ms CPU", 10);
	figure(f, "view of all ports: order by state", sort_ms, "ms CPU", 50);
	figure(f, "view of all ports: filter of two columns", keep_ms, "ms CPU", 100);
	query_free(q);
	view_cache_free(ctx.cache);
}

int main(void)
{
	struct figures *f = figures_new("difference");
	int64_t now = INT64_C(1763726000) * CLOCK_SEC, later = now;
	struct plan plan;
	struct model *a, *b;

	bench_4k_plan(&plan);
	a = bench_4k_model(&plan, BENCH_4K_POLLS, &now);
	b = bench_4k_model(&plan, BENCH_4K_POLLS + 3, &later);
	find(f, a, a, now, "none");
	find(f, a, b, later, "every load");
	look(f, b, later);
	model_free(a);
	model_free(b);
	plan_free(&plan);
	return figures_end(f) ? 0 : 1;
}
