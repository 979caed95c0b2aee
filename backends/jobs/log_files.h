/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_LOG_FILES_H
#define BACKENDS_JOBS_LOG_FILES_H

#include "backends/contract/backend.h"
#include "fabric/plan/plan.h"

/*
 * Files on hosts that a pattern of the inventory names. A script reads what is new and prints, for
 * each file, "@@file ID NUMBER LENGTH", its bytes, and a line end. What was read is remembered as
 * facts "KEY.0", "KEY.1": words "ID:NUMBER".
 */

/*
 * An absolute path with shell wildcards and nothing else that means something to a shell: it is
 * part of a script. False with err.
 */
bool job_path_check(const char *path, struct err *err);

/* Adds a request for `sh -s`: K (what is remembered) and P (the pattern) are set, then the script.
 */
struct request *job_files_ask(struct request_list *out, const char *name, const struct target *t,
	const char *pattern, const char *script);

/* job_source_ops.reads() for what job_files_ask() makes of the script. */
bool job_files_reads(const struct request *r, const char *script);

struct job_file {
	uint64_t id, number;
	const char *bytes; /* not NUL-terminated */
	size_t len;
	bool whole; /* as many bytes as were announced */
};
/* Steps through an answer; *at starts at 0. */
bool job_files_next(const char *bytes, size_t len, size_t *at, struct job_file *f);

/* Writes down what is to be remembered: begin, one call a file, end. The most recent ones win. */
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
