/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JOBS_SOURCE_STATE_H
#define BACKENDS_JOBS_SOURCE_STATE_H

#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/*
 * The state of a source of jobs, as a need of the device that is asked: ok, or the reason why it
 * brings nothing, with the cure. Pure.
 *   VALID_OK           it brings what it can
 *   VALID_UNKNOWN      it brings nothing yet, and that may be right: an empty log, no job
 *   VALID_DISABLED     it brings nothing because a file is missing or has other contents
 *   VALID_UNSUPPORTED  it cannot bring anything: a right, a program or a version is missing
 */
void job_source_say(struct obs *o, const char *source, enum validity v, const char *text);
/* True: the batch says so already. */
bool job_source_said(const struct obs *o);

/*
 * Explains the failure of a source's command: the program is missing, the user has no right, or
 * what the program itself says. status: of the command, -1: unknown; complaint: its standard error.
 * Returns false and leaves err if there is nothing to add.
 */
bool job_source_explain(const char *device, const char *program, int status, const char *complaint,
	struct err *err);

/* The state and the text of lines that were followed since the begin. */
enum validity job_lines_state(const struct obs_lines *all, const char *example, const char *trouble,
	const char *cure, char *text, size_t size);

#endif
