/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_DIAG_ROWS_H
#define VIEWS_DIAG_ROWS_H

#include "diagnosis/lint/lint.h"
#include "fabric/placement/units.h"
#include "diagnosis/straggler/straggler.h"
#include "diagnosis/trace/trace.h"
#include "diagnosis/evidence/wiring.h"
#include "views/view.h"

/*
 * Row data of the diagnosis views, kept in the view_cache: rows() computes it, cell() reads it.
 * Without a cache only findings and jobs have rows. Each part records its model and time.
 */

/* A symptom and the root that it is folded below. */
struct folded {
	uint64_t root, key;
	uint32_t order; /* in the order of diag_findings() */
};

/* A line of the pause tree. */
struct storm_row {
	uint32_t node;
	uint32_t trunks; /* bit d: at depth d a trunk continues beside this line */
	uint16_t depth;
	bool last;       /* of its siblings */
	uint32_t nth;    /* one more than the number of ports paused before it */
	uint32_t behind; /* nodes below it in the tree */
	uint32_t more;   /* equal siblings that storm_fold() put into this line */
	bool folded;     /* into another line */
};

/* A line of the wiring view. */
enum wiring_part { WIRING_FAULT, WIRING_CABLE, WIRING_MOVE };
struct wiring_row {
	uint8_t part;
	uint32_t fault, index;
};

/* Notes on a job, computed on demand. */
struct job_note {
	bool made, stuck;
	int64_t at_us;
	struct straggler worst; /* of its world, where known */
	bool has_worst;
	struct verdict_report verdict;
};

/* A rank with its sort keys. */
struct rank_note {
	int32_t rank;
	int32_t state;    /* 0: fine, greater: worse */
	int64_t behind;   /* operations; -1: unknown */
	uint64_t finding; /* worst finding about it, 0 */
	uint32_t order;   /* of that finding */
};

/* Keys of rows with visible details. */
struct fold_set {
	VEC(uint64_t) keys; /* ascending; rows that differ from all */
	bool all;
};

/* A line of the view of heat over time. */
#define HEAT_SLICES 36
struct heat_strip {
	uint32_t port;
	unsigned more; /* other ports of the device with the same signs */
	int64_t first_us;
	float peak; /* per cent, NAN: unknown */
	bool cause; /* an end of the cause */
	char signs[HEAT_SLICES + 1];
};

struct diag_rows {
	struct fold_set roots;     /* findings with visible symptoms */
	struct fold_set acts;      /* of the audit view, by the number of their first line */
	VEC(struct folded) folded; /* by root, order */

	const struct model *lint_of;
	int64_t lint_us;
	uint64_t lint_settings, lint_wiring; /* generations of the model */
	size_t lint_ranks;                   /* ranks and jobs that were checked */
	lint_vec lint;                       /* differences first */
	lint_vec lint_next;                  /* of large fabrics: in progress */
	struct lint_job *lint_job;           /* NULL: none in progress */

	const struct model *nets_of;
	int64_t nets_us;
	uint64_t nets_generation;
	struct net_tile *nets; /* NET_COUNT + 1 of them (views/panels/net_tiles.h); NULL */

	const struct model *units_of;
	uint64_t units_wiring;
	struct units units; /* of that wiring; for the view of pods */

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
	bool storm_whole;         /* the operator wants a line each */

	const struct model *heat_of;
	int64_t heat_us;
	VEC(struct heat_strip) heat;

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

/* The lint result of a row; NULL: it is no row of the lint view, or the checks have not run. */
const struct lint_row *lint_of_row(const struct view_ctx *ctx, struct ref row);
/* The fault of a row in the wiring view; NULL: the row is none, or a cable or a move. */
const struct wiring_fault *fault_of_row(const struct view_ctx *ctx, struct ref row);

bool fold_set_has(const struct fold_set *s, uint64_t key);
void fold_set_turn(struct fold_set *s, uint64_t key); /* switches between shown and hidden */
void fold_set_turn_all(struct fold_set *s);

/* The time of the last progress of a communicator: a new operation, or a count that grew. */
int64_t comm_last_us(const struct comm *c);

#endif
