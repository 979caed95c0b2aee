/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_LOG_FILES_H
#define BACKENDS_JOBS_LOG_FILES_H

#include "backends/contract/backend.h"
#include "fabric/plan/plan.h"

/*
 * Reads files on hosts that match a pattern of the inventory. A script reads the new part and
 * prints for each file "@@file ID NUMBER LENGTH", its bytes, and a line end. The positions are
 * stored as facts "KEY.0", "KEY.1" with words "ID:NUMBER".
 */

/*
 * Checks an absolute path. It may contain shell wildcards but no other character special to a
 * shell, because it becomes part of a script. Returns false with err.
 */
bool job_path_check(const char *path, struct err *err);

/*
 * Adds a request for `sh -s`, which sets K (the stored positions) and P (the pattern) and runs the
 * script.
 */
struct request *job_files_ask(struct request_list *out, const char *name, const struct target *t,
	const char *pattern, const char *script);

/* The reads() of job_source_ops for requests of job_files_ask() with this script. */
bool job_files_reads(const struct request *r, const char *script);

struct job_file {
	uint64_t id, number;
	const char *bytes; /* not NUL-terminated */
	size_t len;
	bool whole; /* as many bytes as were announced */
};
/* Returns the next file of an answer; *at starts at 0. False: no more. */
bool job_files_next(const char *bytes, size_t len, size_t *at, struct job_file *f);

/*
 * Stores the positions: call begin, then add for each file, then end. The most recent ones are
 * kept.
 */
struct job_memory {
	struct obs *out;
	const char *key;
	char words[8][248];
	unsigned n;
};
void job_memory_begin(struct job_memory *m, struct obs *out, const char *key);
void job_memory_add(struct job_memory *m, uint64_t id, uint64_t number);
void job_memory_end(struct job_memory *m);

#endif
