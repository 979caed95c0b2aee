/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_SOURCE_H
#define BACKENDS_JOBS_SOURCE_H

#include "backends/contract/backend.h"
#include "fabric/plan/plan.h"

/*
 * A source of facts about jobs and ranks that is reached through a host: like a dialect, but beside
 * the host's own. Pure: no I/O, no state (what was learnt are facts). Requests are named
 * "nccl-ras", "inspector", ...: the name of the source and, where it has several, "/" and a word.
 * What fails here never makes the host look bad.
 */
struct job_source_ops {
	const char *name;
	int64_t interval_us; /* where the inventory states none */
	int64_t least_us;    /* not more often, whatever the inventory says */
	bool elect;          /* any host of a job answers for all of it: see election.h */
	bool local;          /* path is a file of this machine, read whole; plan() is not called */
	bool needs_path, needs_hosts;
	/*
	 * Appends what to ask a host; path and the like are those of the inventory. tier is
	 * POLL_MEDIUM for what is asked once an interval, POLL_EVENTS for what is followed. NULL:
	 * nothing is asked.
	 */
	bool (*plan)(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
		struct request_list *out, struct err *err);
	/* The allow-list, as that of a dialect: what plan() asks. NULL: it asks nothing. */
	bool (*reads)(const struct request *r);
	/* As that of a dialect. */
	bool (*parse)(const struct plan_jobs *j, const struct target *t, const char *request,
		const char *bytes, size_t len, struct obs *out, struct err *err);
};

/* Registered in backends/jobs/sources.def: one line a source. */
extern const struct job_source_ops *const job_source_table[];
extern const size_t job_source_count;
const struct job_source_ops *job_source_by_name(const char *name);
const char *job_source_names(void); /* for messages */

/* How often this entry is asked: the inventory's interval, the source's own, never below least. */
int64_t job_source_interval(const struct job_source_ops *ops, const struct plan_jobs *j);

#endif
