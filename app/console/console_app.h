/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_CONSOLE_APP_H
#define APP_CONSOLE_CONSOLE_APP_H

#include "app/options/options.h"

/* The interactive program: terminal, keys, signals and a session on one event loop. */
struct console_app_opts {
	const struct options *options;
	const char *inventory; /* NULL: none */
	const char *mode;      /* badge, e.g. "DEMO" */
	const char *notice;    /* first message if there is no warning; NULL: none */
	const char *file;      /* a recording to show instead of devices; NULL: none */
	int64_t at_us;         /* the first moment to show from file */
	const char *said;      /* a remark on that moment; NULL or "": none */
};

/*
 * Runs until the operator leaves or a signal ends it. Returns an exit code. Prints errors to
 * stderr.
 */
int console_app_run(const struct console_app_opts *opts);
/* The console on a recording: `railtop open FILE[@TIME]`, `railtop --from FILE[@TIME]`. */
int open_recording(const struct options *o, const char *file);

#endif
