/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_HEADLESS_H
#define APP_HEADLESS_H

#include "app/options.h"
#include "fabric/model.h"

/*
 * Collects without a screen: opens a session, runs it for a while (or until every device was heard
 * once, or the recording ended), shows progress on standard error when that is a terminal, then
 * calls done with the model while it still exists.
 */
struct headless_opts {
	const struct options *options;
	int64_t for_us;   /* how long to collect */
	bool until_heard; /* stop early when every device has answered or failed */
	/* Returns the exit code. */
	int (*done)(const struct options *o, struct model *m, int64_t now_us);
};

int headless_run(const struct headless_opts *opts);

/* Opens FILE for writing, "-" is standard output; headless_close() keeps standard output open. */
FILE *headless_open(const char *path, struct err *err);
bool headless_close(FILE *f, const char *path, struct err *err);

/* EXIT_FINE, or EXIT_UNREACHED when a device is unreachable, unauthorised or was never heard. */
int headless_exit_code(const struct model *m);

#endif
