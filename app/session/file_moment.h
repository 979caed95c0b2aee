/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_FILE_MOMENT_H
#define APP_SESSION_FILE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/replay/replay.h"
#include "base/err.h"

/*
 * "FILE" or "FILE@TIME" from the command line: "shift.rts@02:13:30" (of the day of the file's last
 * moment), "@2026-11-22T02:13:30" (UTC), "@-5m" (from its end). A file whose name has an @ and that
 * exists is meant as it is.
 */
struct file_moment {
	char path[1024];
	char when[64]; /* "" the end */
	int64_t t_us;  /* exactly, instead of when; 0: not */
};
bool file_moment_read(const char *text, struct file_moment *out, struct err *err);
/* The moment as wall time, once it is known what the file covers. */
bool file_moment_time(const struct file_moment *f, int64_t from_us, int64_t to_us, int64_t *t_us,
	struct err *err);

/*
 * The file, opened and at that moment: for commands and threads that have nothing else to do. The
 * caller's. NULL with err: it cannot be opened, does not cover the time, or cannot be replayed.
 */
struct replay *file_moment_replay(const struct file_moment *f, struct err *err);

#endif
