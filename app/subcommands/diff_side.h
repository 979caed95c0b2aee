/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SUBCOMMANDS_DIFF_SIDE_H
#define APP_SUBCOMMANDS_DIFF_SIDE_H

#include "app/session/file_moment.h"
#include "archive/replay/replay.h"
#include "diagnosis/difference/difference.h"

/*
 * One side of a comparison, opened: a moment of a file (app/session/file_moment.h), or "@02:20:00"
 * of the other side's file. Blocks until the moment is reached: seconds for a large file.
 */
struct diff_side {
	struct file_moment file;
	struct replay *replay;
	struct moment at;
	char title[64]; /* "shift.rts 02:13:30" */
};
/* Opens a side. before: the other side's file, for "@TIME"; NULL: none. The caller closes s in any
 * case. */
bool diff_side_open(struct diff_side *s, const char *text, const char *before, struct err *err);
void diff_side_close(struct diff_side *s);
/* True when they have devices in common. False with err, which names both fabrics. */
bool diff_side_match(const struct diff_side *a, const struct diff_side *b, struct err *err);

#endif
