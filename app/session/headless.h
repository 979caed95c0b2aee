/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_HEADLESS_H
#define APP_SESSION_HEADLESS_H

#include <uv.h>

#include "app/options/options.h"
#include "base/buf.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

struct recording_opts;
struct session;

/* What there is at the end, while it still exists. now_us: the time that the data stands for. */
struct collected {
	struct model *model;
	struct diag *diag;
	int64_t now_us;
	/* For those who go on: see headless_opts.more. */
	struct session *session;
	uv_loop_t *loop;
};

/*
 * Collects without a screen: opens a session, runs it for a while (or until every device was heard
 * once, or the recording ended), shows progress on standard error when that is a terminal, then
 * calls done with what was collected.
 */
struct headless_opts {
	const struct options *options;
	int64_t for_us;   /* how long to collect */
	bool until_heard; /* stop early when every device has answered or failed */
	/* Returns the exit code. */
	int (*done)(const struct options *o, const struct collected *c);
	/*
	 * Instead of done: called ten times a second from then on, while collection goes on, until
	 * it returns true; *code is the exit code. interrupted: a signal came, it is to end
	 * soon. It is called once more with c NULL before the session closes.
	 */
	bool (*more)(void *ctx, const struct collected *c, bool interrupted, int *code);
	void *ctx;
	const struct recording_opts *recording; /* NULL: nothing is recorded */
	/* How it goes, in one line for a terminal; NULL: how many devices are fresh. */
	void (*status)(const struct collected *c, char *dst, size_t size);
};

int headless_run(const struct headless_opts *opts);

/* Opens FILE for writing, "-" is standard output; headless_close() keeps standard output open. */
FILE *headless_open(const char *path, struct err *err);
bool headless_close(FILE *f, const char *path, struct err *err);

/*
 * Of who says how the fabric is: EXIT_FINDINGS from a suspicion on (diagnosis/engine/verdict.h),
 * after EXIT_UNREACHED. EXIT_FINE says that nothing bad was seen; what could not be checked is in
 * the text.
 */
int headless_judged_code(const struct model *m, enum fabric_state state);
/* The same with what is open first: any finding that is worth waking somebody is EXIT_FINDINGS. */
int headless_findings_code(const struct model *m, const struct diag *d, int64_t now_us);
/* EXIT_FINE, or EXIT_UNREACHED when a device is unreachable, unauthorised or was never heard, or
 * when there is none. */
int headless_exit_code(const struct model *m);

#endif
