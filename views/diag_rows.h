/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_DIAG_ROWS_H
#define VIEWS_DIAG_ROWS_H

#include "diagnosis/lint/lint.h"
#include "diagnosis/straggler/straggler.h"
#include "diagnosis/trace/trace.h"
#include "diagnosis/evidence/wiring.h"
#include "views/view.h"

/*
 * What the views of the diagnosis have worked out for their rows, kept in the view_cache: rows()
 * makes it, cell() reads it. Without a cache these views have no rows but those of findings and
 * jobs. Each part says of which model and time it is.
 */

/* A symptom and the root that it is folded below. */
struct folded {
	uint64_t root, key;
	uint32_t order; /* in the order of diag_findings() */
};

/* A line of the pause tree. */
struct storm_row {
	uint32_t node;
	uint32_t trunks; /* bit d: at depth d a trunk goes on beside this line */
	uint16_t depth;
	bool last;       /* of its siblings */
	uint32_t nth;    /* how many were held before it, and 1 */
	uint32_t behind; /* nodes below it in the tree */
};

/* A line of the wiring view. */
enum wiring_part { WIRING_FAULT, WIRING_CABLE, WIRING_MOVE };
struct wiring_row {
	uint8_t part;
	uint32_t fault, index;
};

/* What was worked out about a job, when it was asked for. */
struct job_note {
	bool made, stuck;
	int64_t at_us;
	struct straggler worst; /* of its world, where known */
	bool has_worst;
	struct verdict_report verdict;
};

/* A rank with what it is ordered by. */
struct rank_note {
	int32_t rank;
	int32_t state;    /* 0: fine, greater: worse */
	int64_t behind;   /* operations; -1: not told */
	uint64_t finding; /* worst finding about it, 0 */
	uint32_t order;   /* of that finding */
};

/* Rows whose details are shown, by their keys. */
struct fold_set {
	VEC(uint64_t) keys; /* ascending; but for these, all are as all says */
	bool all;
};

struct diag_rows {
	struct fold_set roots;     /* findings whose symptoms are shown */
	struct fold_set acts;      /* of the audit view, by the number of their first line */
	VEC(struct folded) folded; /* by root, order */

	const struct model *lint_of;
	int64_t lint_us;
	uint64_t lint_settings, lint_wiring; /* generations of the model */
	lint_vec lint;                       /* differences first */
	lint_vec lint_next;                  /* of large fabrics: on its way */
	struct lint_job *lint_job;           /* NULL: none is under way */

	const struct model *wiring_of;
	int64_t wiring_us;
	wiring_vec faults;
	VEC(struct wiring_row) wiring;

	struct ref trace_from;
	const struct model *trace_of;
	int64_t trace_us;
	uint64_t trace_generation;
	bool traced;
	struct trace trace;
	struct err trace_err;

	VEC(struct storm_row) storm;
	VEC(uint32_t) storm_line; /* by node: its line; UINT32_MAX: none */

	const struct model *jobs_of;
	VEC(struct job_note) jobs;

	const struct model *ranks_of;
	uint32_t ranks_comm;
	int64_t most[NCCL_FUNCS];    /* launched by any rank, -1 */
	VEC(struct rank_note) ranks; /* by rank */
};

struct diag_rows *diag_rows_new(void);
void diag_rows_free(struct diag_rows *d); /* NULL is allowed */
/* Of the context's cache; NULL without one. */
struct diag_rows *diag_rows_of(const struct view_ctx *ctx);

/* What a row of the lint view shows; NULL: it is none, or nothing was worked out. */
const struct lint_row *lint_of_row(const struct view_ctx *ctx, struct ref row);
/* The fault that a row of the wiring view is; NULL: it is none, also of a cable or a move. */
const struct wiring_fault *fault_of_row(const struct view_ctx *ctx, struct ref row);

bool fold_set_has(const struct fold_set *s, uint64_t key);
void fold_set_turn(struct fold_set *s, uint64_t key); /* the other way round */
void fold_set_turn_all(struct fold_set *s);

#endif
