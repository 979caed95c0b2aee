/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_SNAPSHOT_JOB_H
#define APP_SESSION_SNAPSHOT_JOB_H

#include <uv.h>

#include "app/session/recording.h"
#include "archive/snapshot_file/bundle.h"

/* A snapshot for the ticket, written while the console goes on: on a thread of its own. */
struct snapshot_job;

struct snapshot_job_opts {
	uv_loop_t *loop;
	struct recording *recording; /* what is to be flushed before; NULL: from is complete */
	const char *from, *dir;      /* recording to take it from; where the file goes (is made) */
	int64_t at_us;               /* the moment: of its time is the file's name */
	const char *user, *mode, *reason, *incident;
	const char *inventory;      /* whose hash is noted; NULL: none */
	const char *ledger_path;    /* NULL: none */
	char *screen, *screen_ansi; /* taken over; NULL: none */
	const trail_vec *trail;     /* see struct bundle_opts; copied */
	bool redact;
	/*
	 * On the loop; path is the file, err why there is none. Beside it is the page for the
	 * ticket: the same name with .txt. The job is over.
	 */
	void (*done)(void *ctx, const char *path, const struct err *err);
	void *ctx;
};
#define SNAPSHOT_LAST_US (900 * INT64_C(1000000)) /* entries before the moment */

/* NULL with err: the directory cannot be made. */
struct snapshot_job *snapshot_job_start(const struct snapshot_job_opts *o, struct err *err);

#endif
