/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_OBSERVATION_READER_H
#define APP_SESSION_OBSERVATION_READER_H

#include <stdbool.h>
#include <stdint.h>
#include <uv.h>

#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/* Observation JSON lines from a file (read at once), a descriptor or a named pipe (as they come).
 */
struct feed;

#define FEED_LINE_MAX     8388608 /* RAS of 28,000 ranks; a longer line is skipped with a warning */
#define FEED_WARNINGS_MAX 20      /* a file of another kind has a mistake in every line */

struct feed_opts {
	const char *path; /* "-": read from fd */
	int fd;
	/*
	 * Takes ownership of the batch. Its received_us is the line's own time; without one it is
	 * now, in a file the newest time before it.
	 */
	void (*take)(void *ctx, struct obs *o);
	void (*progress)(void *ctx); /* after some lines, and at the end */
	/* "FILE:12: not JSON: ...", of an unknown key once, at most FEED_WARNINGS_MAX times. */
	void (*warn)(void *warn_ctx, const char *message);
	void *ctx, *warn_ctx;
};

/* A file has been read completely when this returns. NULL: cannot be opened, or held no
 * observation. */
struct feed *feed_open(uv_loop_t *loop, const struct feed_opts *opts, struct err *err);
void feed_close(struct feed *f);
/*
 * `collector | railtop --observations -`: the lines keep their descriptor, *fd (the caller's to
 * close), and standard input becomes the terminal, where keys come from. Any other path: *fd is -1.
 */
bool feed_claim_stdin(const char *path, int *fd, struct err *err);
bool feed_is_file(const struct feed *f);
bool feed_ended(const struct feed *f);
/* Time of the newest observation (wall us), 0: none yet. */
int64_t feed_time(const struct feed *f);

#endif
