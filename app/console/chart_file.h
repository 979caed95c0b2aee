/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_CHART_FILE_H
#define APP_CONSOLE_CHART_FILE_H

#include <uv.h>

#include "archive/replay/thin.h"

/*
 * Reads a long stretch of a recording for the chart, in a thread of its own with a reader of its
 * own. A newer question ends the work on the one before.
 */
struct chart_file;

/* The answer, in the thread of the loop; the caller frees list. */
typedef void chart_file_done(
	void *ctx, const struct thin_question *q, const struct obs *list, const struct err *err);

struct chart_file *chart_file_new(
	uv_loop_t *loop, const char *path, chart_file_done *done, void *ctx);
/* No answer comes any more. The loop must run until the work has ended. NULL is allowed. */
void chart_file_close(struct chart_file *f);
void chart_file_ask(struct chart_file *f, const struct thin_question *q);

#endif
