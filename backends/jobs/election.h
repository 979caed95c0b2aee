/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_ELECTION_H
#define BACKENDS_JOBS_ELECTION_H

#include "base/err.h"
#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Chooses one host per job to query. With some sources any host of a job answers for the whole job;
 * a query to all 500 hosts would cost the jobs more than it is worth.
 *
 * A few hosts are tried at a time. A host that answers is elected for all hosts that its answer
 * names, and those are left alone. A host without an answer is tried again after 30 s, then more
 * and more rarely. If an elected host falls silent, other hosts of its job are tried at once.
 *
 * Pure: the caller passes the time and sends the queries.
 */
struct job_election;

/* Returns NULL if the plan has no such source; all functions below accept NULL. */
struct job_election *job_election_new(const struct plan *p);
void job_election_free(struct job_election *e);

/*
 * Processes a batch from a device. Call it for every batch, after the batch was applied to the
 * model.
 */
void job_election_heard(
	struct job_election *e, const struct model *m, const struct obs *o, int64_t now_us);
/*
 * Calls tell() for each device that is to be queried (on) or left alone from now on. Call it about
 * once a second.
 */
void job_election_step(struct job_election *e, const struct model *m, int64_t now_us,
	void (*tell)(void *ctx, const char *device, bool on), void *ctx);

/* Current number of hosts that answer for their job, and of hosts that are being tried. */
size_t job_election_elected(const struct job_election *e);
size_t job_election_trying(const struct job_election *e);

#endif
