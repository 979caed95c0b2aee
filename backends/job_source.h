/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOB_SOURCE_H
#define BACKENDS_JOB_SOURCE_H

#include "backends/backend.h"
#include "fabric/plan.h"

/*
 * A source of facts about jobs and ranks that is reached through a host: like a dialect, but beside
 * the host's own. Pure: no I/O, no state. Requests are named "nccl-ras", "inspector", ...: the name
 * of the source and, where it has several, "/" and a word.
 */
struct job_source_ops {
	const char *name;
	/* Appends what to ask a host in this tier; path and interval are those of the inventory. */
	bool (*plan)(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
		struct request_list *out, struct err *err);
	bool (*parse)(const struct plan_jobs *j, const struct target *t, const char *request,
		const char *bytes, size_t len, struct obs *out, struct err *err);
};

/* Registered in backends/job_sources.def: one line a source. */
extern const struct job_source_ops *const job_source_table[];
extern const size_t job_source_count;
const struct job_source_ops *job_source_by_name(const char *name);
const char *job_source_names(void); /* for messages */

#endif
