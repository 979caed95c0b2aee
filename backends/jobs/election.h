/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_ELECTION_H
#define BACKENDS_JOBS_ELECTION_H

#include "base/err.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Of sources where any host of a job answers for all of it, one host a job is enough: asking all
 * 500 would cost the jobs more than it tells. A host is tried, a few at a time; who answers is
 * elected for the hosts that its answer names, and these are left alone. Who does not answer is
 * tried again after 30 s, then more and more rarely; when an elected host falls silent, others of
 * its job are tried at once. Pure: time is passed in, and nothing is asked here.
 */
struct job_election;

/* NULL: the plan has no such source, and all functions below take that. */
struct job_election *job_election_new(const struct plan *p);
void job_election_free(struct job_election *e);

/* What came from a device: to be called with every batch, after it was applied to the model. */
void job_election_heard(
	struct job_election *e, const struct model *m, const struct obs *o, int64_t now_us);
/* Tells whom to ask and whom to leave alone from now on; to be called about once a second. */
void job_election_step(struct job_election *e, const struct model *m, int64_t now_us,
	void (*tell)(void *ctx, const char *device, bool on), void *ctx);

/* Of now: hosts that answer for their job, and hosts that are tried. */
size_t job_election_elected(const struct job_election *e);
size_t job_election_trying(const struct job_election *e);

#endif
