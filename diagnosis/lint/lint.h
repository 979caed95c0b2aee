/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_LINT_LINT_H
#define DIAGNOSIS_LINT_LINT_H

#include "diagnosis/engine/finding.h"

/*
 * Design and configuration lint: compares switch, NIC and plan with one another and with their
 * siblings. It uses only data in the model: nothing is polled for it.
 */
enum lint_result { LINT_OK, LINT_DIFFERS, LINT_UNKNOWN };
struct lint_row {
	enum finding_id id; /* FIND_LINT_... */
	enum lint_result result;
	struct ref at;   /* the port or device that differs; REF_TIER or REF_FABRIC for a whole */
	struct ref peer; /* the object that it was compared with */
	char is[64], should[64]; /* "pfc 3,4", "pfc 3" */
	char reason[64];         /* "plan", "other end", "siblings" */
	char cure[160];
	unsigned alike; /* ports of the device with the same difference: 1 and more */
};
typedef VEC(struct lint_row) lint_vec;

/* Appends one row for each difference; equal ones of a device are joined. Also appends one LINT_OK
 * or LINT_UNKNOWN row for each check that found no difference, or could not be made. */
void lint_check(const struct model *m, lint_vec *out);
/*
 * The same in pieces of 1 to 2 ms, for checks from..to-1 of LINT_CHECKS. Call lint_some() until it
 * returns true; then the rows are complete. The caller owns out. The model must fit (no new device
 * or port) at each call. lint_end() is allowed at any time, also with NULL.
 */
#define LINT_CHECKS 13
struct lint_job;
struct lint_job *lint_begin(const struct model *m, unsigned from, unsigned to, lint_vec *out);
bool lint_some(struct lint_job *j);
bool lint_fits(const struct lint_job *j, const struct model *m);
void lint_end(struct lint_job *j);
/* Appends the rows of the placement of jobs, which is not one of these checks: it depends on jobs
 * and wiring, and on no setting. lint_check() has it too. */
void lint_jobs(const struct model *m, lint_vec *out);
struct units; /* fabric/placement/units.h */
void lint_jobs_in(const struct model *m, const struct units *u, lint_vec *out);

#endif
