/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_RUNBOOK_LOG_H
#define DIAGNOSIS_ENGINE_RUNBOOK_LOG_H

#include <stdint.h>

#include "base/state.h"
#include "base/vec.h"
#include "fabric/vocabulary/types.h"

/*
 * The log of a runbook: the examined values, the user, the time, the result and the notes. Plain
 * data: views create it, archive/ writes it.
 */
enum step_outcome {
	STEP_OPEN,    /* not judged yet */
	STEP_PASS,    /* the expectation holds */
	STEP_FAIL,    /* the expectation does not hold */
	STEP_UNKNOWN, /* undecided: its data is not reported, or is stale */
	STEP_SKIPPED, /* the operator continued without it */
	STEP_OUTCOME_COUNT
};
const char *step_outcome_name(
	enum step_outcome o); /* "open", "pass", "fail", "cannot tell", "skipped" */

struct runbook_log_entry {
	int64_t t_us;     /* wall time of the data */
	char user[32];    /* user name, "" unknown */
	char runbook[32]; /* "link-flap" */
	char step[32];    /* its id, "" for the whole runbook (begun, ended) */
	char target[160]; /* locator of the runbook's object, "" the fabric */
	uint8_t outcome;  /* enum step_outcome */
	bool by_hand;     /* a person judged, not the rule */
	char value[160];  /* the numbers at that time: "2 of 64 ports: paused 31 % > 1 %" */
	char note[200];   /* by the operator, sanitised, "" none */
};
typedef VEC(struct runbook_log_entry) runbook_log;

/* Appends a copy of e; beyond RUNBOOK_LOG_MOST entries (about a megabyte) the oldest is dropped. */
#define RUNBOOK_LOG_MOST 2048
void runbook_log_append(runbook_log *t, const struct runbook_log_entry *e);
/* Visits all entries, for a keyframe (base/state.h). */
void runbook_log_state(struct state *s, runbook_log *t);

#endif
