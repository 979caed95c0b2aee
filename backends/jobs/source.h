/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_SOURCE_H
#define BACKENDS_JOBS_SOURCE_H

#include "backends/contract/backend.h"
#include "fabric/plan/plan.h"

/*
 * A source of facts about jobs and ranks that is reached through a host. It works like a dialect,
 * but beside the host's own. Pure: no I/O, no state (learned facts are in the target). Requests are
 * named "nccl-ras", "inspector", ...: the name of the source and, if it has several, "/" and a
 * word. A failure here never makes the host itself count as failed.
 */
/* One document of a source that is reached by a URL. */
struct job_document {
	const char *path;
	const char *bytes; /* NUL-terminated at len */
	size_t len;
	long status; /* of HTTP */
};

struct job_source_ops {
	const char *name;
	int64_t interval_us; /* default interval */
	int64_t least_us;    /* lower limit of the interval, whatever the inventory says */
	bool elect;          /* any host of a job answers for the whole job: see election.h */
	bool local;          /* path is a file of this machine, read whole; plan() is not called */
	bool needs_path, needs_hosts;
	/*
	 * Appends the requests for a host; path and so on come from the inventory. tier is
	 * POLL_MEDIUM for requests once per interval, POLL_EVENTS for followed output. NULL: no
	 * requests.
	 */
	bool (*plan)(const struct plan_jobs *j, const struct target *t, enum poll_tier tier,
		struct request_list *out, struct err *err);
	/* The allow-list, as in a dialect: accepts the requests of plan(). NULL: no requests. */
	bool (*reads)(const struct request *r);
	/*
	 * Explains a command that printed nothing of use, by its status (-1: unknown) and its
	 * standard error. Returns false and leaves err if there is nothing to add. NULL: never.
	 */
	bool (*explain)(const char *device, int status, const char *complaint, struct err *err);
	/* What makes lines of a followed file understandable, for the operator; NULL: nothing. */
	const char *lines_cure;
	/*
	 * Of a source that is reached by a URL instead of hosts: the paths below it to GET, in
	 * order, ended by NULL. next: writes the path of the page after this document to dst, or
	 * returns false: it is the last one. read: decodes all documents together; those with
	 * another status than 200 are among them. Called in any thread.
	 */
	const char *const *paths;
	bool (*next)(const struct job_document *d, char *dst, size_t size);
	bool (*read)(const struct job_document *docs, size_t n, struct obs *out, struct err *err);
	/* As in a dialect. */
	bool (*parse)(const struct plan_jobs *j, const struct target *t, const char *request,
		const char *bytes, size_t len, struct obs *out, struct err *err);
};

/* Registered in backends/jobs/sources.def: one line per source. */
extern const struct job_source_ops *const job_source_table[];
extern const size_t job_source_count;
const struct job_source_ops *job_source_by_name(const char *name);
const char *job_source_names(void); /* for messages */

/* Interval of this entry: the inventory's, else the source's default, and never below least_us. */
int64_t job_source_interval(const struct job_source_ops *ops, const struct plan_jobs *j);

#endif
