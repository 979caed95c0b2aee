/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Jobs whose ranks do not fit the leaves: a risk, for the order stays as long as the job. It is
 * judged when the wiring or the jobs have changed, and not in each run.
 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/lint/lint.h"
#include "fabric/placement/units.h"

/* While devices report their neighbours for the first time, each run would judge all again. */
#define AGAIN_US (20 * CLOCK_SEC)

/* Derived from the model, and not saved: it is made again after loading. */
struct placement_memory {
	struct units u;
	lint_vec rows;
	const struct model *of;
	uint64_t wiring, jobs; /* generations */
	int64_t judged_us;     /* 0: never */
	bool found;            /* the units are those of `wiring` */
};

static void free_memory(void *memory)
{
	struct placement_memory *w = memory;

	if (!w)
		return;
	units_free(&w->u);
	vec_free(&w->rows);
	free(w);
}

static bool is_due(const struct diag_run *r, const struct placement_memory *w)
{
	bool same = w->of == r->m && w->wiring == r->m->wiring_generation &&
		    w->jobs == r->m->nccl->generation;

	return !w->judged_us || r->now_us < w->judged_us ||
	       (!same && r->now_us - w->judged_us >= AGAIN_US);
}

/* False: only the units were found, and the rest is left to the next call. */
static bool judge_jobs(struct diag_run *r, struct placement_memory *w)
{
	bool stands = w->found && w->of == r->m && w->wiring == r->m->wiring_generation;

	if (!stands) {
		units_free(&w->u);
		units_find(r->m, &w->u);
		w->of = r->m;
		w->wiring = r->m->wiring_generation;
		w->found = true;
		return false;
	}
	w->rows.n = 0;
	lint_jobs_in(r->m, &w->u, &w->rows);
	w->jobs = r->m->nccl->generation;
	w->judged_us = r->now_us;
	return true;
}

static void claim_row(struct diag_run *r, const struct lint_row *row)
{
	struct finding *f = diag_claim(r, row->id, row->at);
	struct evidence *e;

	if (!f->evidence.n)
		finding_title(f, "%s, should be %s", row->is, row->should);
	f->role = ROLE_RISK;
	e = finding_text(f, row->at, finding_info[row->id].title, row->is, "nccl");
	(void)str_printf(e->threshold, sizeof(e->threshold), "%.38s", row->should);
	if (!*f->command)
		(void)str_copy(f->command, sizeof(f->command), row->cure);
	finding_weigh(f, SIGNAL_CONFIG, 50); /* config diff: 50-200 */
}

static void run_placement(struct diag_run *r)
{
	struct placement_memory *w = *r->memory;

	if (!r->m->nccl->jobs.n)
		return;
	if (!w)
		*r->memory = w = mem_calloc(1, sizeof(*w));
	if (is_due(r, w) && !judge_jobs(r, w)) {
		r->again = true;
		return;
	}
	for (size_t i = 0; i < w->rows.n; i++)
		if (w->rows.at[i].result == LINT_DIFFERS)
			claim_row(r, &w->rows.at[i]);
}

const struct detector detect_placement = {"placement", run_placement, free_memory, NULL, NULL};
