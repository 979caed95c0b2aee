/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_OBSERVATION_READER_H
#define APP_SESSION_OBSERVATION_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/* Reads observations as JSON lines: a file at once, a descriptor or named pipe as data arrives. */
struct observation_reader;

#define FEED_LINE_MAX                                                                              \
	8388608 /* enough for RAS of 28,000 ranks; a longer line is skipped with a warning */
#define FEED_WARNINGS_MAX 20 /* a file of another kind has an error in every line */

struct observation_reader_opts {
	const char *path; /* "-": read from fd */
	int fd;
	/*
	 * Takes ownership of the batch. Its received_us is the time of the line. A line without a
	 * time gets the current time, in a file the newest time before it.
	 */
	void (*take)(void *ctx, struct obs *o);
	/*
	 * Of a file: from session_us on its clock showed wall_us, see CLOCKS in
	 * observation_reader.c. Called before the batch of that line is taken. May be NULL.
	 */
	void (*stepped)(void *ctx, int64_t session_us, int64_t wall_us);
	void (*progress)(void *ctx); /* called after some lines, and at the end */
	/* Gets "FILE:12: not JSON: ..."; each unknown key once, at most FEED_WARNINGS_MAX in
	 * all. */
	void (*warn)(void *warn_ctx, const char *message);
	void *ctx, *warn_ctx;
};

/* Reads a file to its end. NULL with err: cannot be opened, or a file without observations. */
struct observation_reader *observation_reader_open(
	uv_loop_t *loop, const struct observation_reader_opts *opts, struct err *err);
void observation_reader_close(struct observation_reader *f);
/*
 * For `collector | railtop --observations -`: moves the lines to the new descriptor *fd, which the
 * caller closes. Standard input becomes the terminal, for keys. For any other path *fd is -1.
 */
bool observation_reader_claim_stdin(const char *path, int *fd, struct err *err);
bool observation_reader_is_file(const struct observation_reader *f);
bool observation_reader_ended(const struct observation_reader *f);
/* Time of the newest observation (wall us), 0: none yet. */
int64_t observation_reader_time(const struct observation_reader *f);

#endif
