/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_COMPARE_JOB_H
#define APP_SESSION_COMPARE_JOB_H

#include <uv.h>

#include "app/session/file_moment.h"
#include "app/session/recording.h"
#include "diagnosis/difference/difference.h"

/* Compares two moments in a thread of its own, while the console continues. */
struct compare_job;

struct compare_opts {
	uv_loop_t *loop;
	struct recording *recording; /* flushed first; NULL: no flush */
	struct file_moment a, b;
	/* Called on the loop with the differences, whose contents done frees, and the wall times of
	 * the two moments. v NULL: err has the reason. The job frees itself afterwards. */
	void (*done)(void *ctx, difference_vec *v, int64_t from_us, int64_t to_us,
		const struct err *err);
	void *ctx;
};
struct compare_job *compare_job_start(const struct compare_opts *o);

/*
 * Parses "A B", "A" (with the shown moment) or "" (the first moment with the shown one). Each is a
 * time or FILE[@TIME]. path: the shown file, which times without a file refer to. clock: its steps.
 */
bool compare_read(const char *text, const char *path, const struct clock_track *clock,
	int64_t shown_us, int64_t from_us, int64_t latest_us, struct compare_opts *out,
	struct err *err);

#endif
