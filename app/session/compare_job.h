/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_COMPARE_JOB_H
#define APP_SESSION_COMPARE_JOB_H

#include <uv.h>

#include "app/session/file_moment.h"
#include "app/session/recording.h"
#include "diagnosis/difference/difference.h"

/* What changed between two moments, found while the console goes on: on a thread of its own. */
struct compare_job;

struct compare_opts {
	uv_loop_t *loop;
	struct recording *recording; /* what is to be flushed before; NULL: nothing */
	struct file_moment a, b;
	/* On the loop, which owns what is in v then; v NULL: err says why. The job is over. */
	void (*done)(void *ctx, difference_vec *v, const char *from, const char *to,
		const struct err *err);
	void *ctx;
};
struct compare_job *compare_job_start(const struct compare_opts *o);

/*
 * "A B", "A" (with what is shown), "" (the first moment with what is shown): each a time, or
 * FILE[@TIME]. path: what is shown, from which times without a file are.
 */
bool compare_read(const char *text, const char *path, int64_t shown_us, int64_t from_us,
	int64_t latest_us, struct compare_opts *out, struct err *err);

#endif
