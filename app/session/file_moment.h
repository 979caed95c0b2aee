/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_FILE_MOMENT_H
#define APP_SESSION_FILE_MOMENT_H

#include <stdbool.h>
#include <stdint.h>

#include "archive/replay/replay.h"
#include "base/err.h"

/*
 * Parses "FILE" or "FILE@TIME" of the command line. "shift.rts@02:13:30" is on the day of the
 * file's last moment. "@2026-11-22T02:13:30" is UTC; "@-5m" is from the end. An existing file with
 * an @ in its name is taken as a file name.
 */
struct file_moment {
	char path[1024];
	char when[64];  /* "": the end */
	int64_t t_us;   /* an exact session time instead of when; 0: unused */
	char said[240]; /* a remark on the moment that was chosen, see clock_track_find(); "" */
};
bool file_moment_read(const char *text, struct file_moment *out, struct err *err);
/*
 * The moment in session time, given the range of the file and its clock's steps. A time that the
 * clock showed twice may end in #1 or #2; f->said tells the choice.
 */
bool file_moment_time(struct file_moment *f, const struct clock_track *clock, int64_t from_us,
	int64_t to_us, int64_t *t_us, struct err *err);

/*
 * Opens the file and blocks until it is at the moment: for commands and separate threads. The
 * caller frees the result. NULL with err: cannot be opened, does not cover the time, or cannot be
 * replayed.
 */
struct replay *file_moment_replay(struct file_moment *f, struct err *err);

#endif
