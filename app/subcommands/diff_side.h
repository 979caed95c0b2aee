/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SUBCOMMANDS_DIFF_SIDE_H
#define APP_SUBCOMMANDS_DIFF_SIDE_H

#include "app/session/file_moment.h"
#include "archive/replay/replay.h"
#include "diagnosis/difference/difference.h"

/*
 * One of the two that are compared, opened: a moment of a file (app/session/file_moment.h), or
 * "@02:20:00" of the file that is named before. Blocks until the moment is there: seconds for a
 * large file.
 */
struct diff_side {
	struct file_moment file;
	struct replay *replay;
	struct moment at;
	char title[64]; /* "shift.rts 02:13:30" */
};
/* before: the other side's file, for "@TIME"; NULL: there is none. False: close it all the same. */
bool diff_side_open(struct diff_side *s, const char *text, const char *before, struct err *err);
void diff_side_close(struct diff_side *s);
/* They have devices in common; else err names both fabrics. */
bool diff_side_match(const struct diff_side *a, const struct diff_side *b, struct err *err);

#endif
