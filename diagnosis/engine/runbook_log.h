/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_RUNBOOK_LOG_H
#define DIAGNOSIS_ENGINE_RUNBOOK_LOG_H

#include <stdint.h>

#include "base/state.h"
#include "base/vec.h"
#include "fabric/vocabulary/types.h"

/*
 * The trail of a runbook: what was looked at, by whom, when, what it was then, and what was noted.
 * Plain data: views make it, archive/ writes it.
 */
enum step_outcome {
	STEP_OPEN,    /* not judged yet */
	STEP_PASS,    /* what was expected holds */
	STEP_FAIL,    /* it does not */
	STEP_UNKNOWN, /* cannot tell: what it needs is not reported, or is stale */
	STEP_SKIPPED, /* the operator went on without it */
	STEP_OUTCOME_COUNT
};
const char *step_outcome_name(
	enum step_outcome o); /* "open", "pass", "fail", "cannot tell", "skipped" */

struct trail_entry {
	int64_t t_us;     /* wall time that the data stood for */
	char user[32];    /* who, "" unknown */
	char runbook[32]; /* "link-flap" */
	char step[32];    /* its id, "" of the runbook as a whole (begun, ended) */
	char target[160]; /* locator of what the runbook is about, "" the fabric */
	uint8_t outcome;  /* enum step_outcome */
	bool by_hand;     /* a person judged, not the numbers */
	char value[160];  /* the numbers then: "2 of 64 ports: paused 31 % > 1 %" */
	char note[200];   /* by the operator, sanitised, "" none */
};
typedef VEC(struct trail_entry) trail_vec;

/* Appends a copy of e; beyond TRAIL_MOST entries (about a megabyte) the oldest is dropped. */
#define TRAIL_MOST 2048
void trail_keep(trail_vec *t, const struct trail_entry *e);
/* Visits all entries, for a keyframe (base/state.h). */
void trail_state(struct state *s, trail_vec *t);

#endif
