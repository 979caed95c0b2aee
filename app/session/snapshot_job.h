/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_SNAPSHOT_JOB_H
#define APP_SESSION_SNAPSHOT_JOB_H

#include <uv.h>

#include "app/session/recording.h"
#include "archive/snapshot_file/bundle.h"

/* Writes a snapshot for a ticket in a thread of its own, while the console continues. */
struct snapshot_job;

struct snapshot_job_opts {
	uv_loop_t *loop;
	struct recording *recording; /* flushed first; NULL: the file from is complete */
	const char *from, *dir;      /* source recording; target directory, created if missing */
	int64_t at_us;               /* the moment in session time */
	int64_t wall_us;             /* what the clock showed then; it names the file */
	const char *user, *mode, *reason, *incident;
	const char *inventory;      /* path of the inventory to hash; NULL: none */
	const char *ledger_path;    /* NULL: none */
	char *screen, *screen_ansi; /* ownership passes to the job; NULL: none */
	const runbook_log *trail;   /* see struct bundle_opts; copied */
	bool redact;
	/*
	 * Called on the loop with the path of the file, or NULL and err. The page for the ticket is
	 * beside it: the same name with .txt. The job frees itself afterwards.
	 */
	void (*done)(void *ctx, const char *path, const struct err *err);
	void *ctx;
};
#define SNAPSHOT_LAST_US (900 * INT64_C(1000000)) /* length of the window before the moment */

/* NULL with err: the directory cannot be made, or no file name is free. */
struct snapshot_job *snapshot_job_start(const struct snapshot_job_opts *o, struct err *err);

#endif
