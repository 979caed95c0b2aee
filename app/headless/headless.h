/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_HEADLESS_HEADLESS_H
#define APP_HEADLESS_HEADLESS_H

#include <uv.h>

#include "app/options/options.h"
#include "base/buf.h"
#include "diagnosis/engine/diagnosis.h"
#include "fabric/model/model.h"

struct recording_opts;
struct session;

/* The collected data, valid during the callback. now_us: the time of the data. */
struct collected {
	struct model *model;
	struct diag *diag;
	int64_t now_us;
	const struct plan *plan; /* of the inventory, or of the recording */
	/* For headless_opts.more. Both are NULL for a moment of a recording. */
	struct session *session;
	uv_loop_t *loop;
};

/*
 * Collects without a screen. Opens a session and runs it for a while, or until every device was
 * heard once, or the recording ended. The while is up to three times for_us while a device that
 * connects or answers has no rates yet. Shows progress on standard error if that is a terminal.
 * Then calls done with the collected data. With --from nothing is collected: the data is that of
 * a moment of a recording.
 */
struct headless_opts {
	const struct options *options;
	/*
	 * Refuses a wrong name before anything is collected. m is the model of the inventory
	 * without any answer. With ERR_REFUSED the exit code is EXIT_REFUSED, else EXIT_USAGE. May
	 * be NULL; not called for observations and recordings, which are read at once.
	 */
	bool (*check)(const struct headless_opts *opts, const struct plan *plan, struct model *m,
		struct err *err);
	/* The same, again and again while devices answer: some names are known from answers only.
	 */
	bool (*check_answers)(const struct headless_opts *opts, const struct plan *plan,
		struct model *m, struct err *err);
	int64_t for_us;       /* time to collect, see above */
	bool lists_unreached; /* its own text names the devices that were not reached */
	bool until_heard;     /* stop early when every device has answered or failed */
	/* Returns the exit code. */
	int (*done)(const struct options *o, const struct collected *c);
	/*
	 * Used instead of done, while collecting continues: called ten times a second until it
	 * returns true. *code is the exit code. interrupted: a signal came, so it must end soon.
	 * Called once more with c NULL before the session closes.
	 */
	bool (*more)(void *ctx, const struct collected *c, bool interrupted, int *code);
	void *ctx;
	const struct recording_opts *recording; /* NULL: no recording */
	/* Formats one line of progress for a terminal. NULL: the number of fresh devices. */
	void (*status)(const struct collected *c, char *dst, size_t size);
	/* Formats the state of the service for its supervisor, once more() is called. NULL: the
	 * number of fresh devices. */
	void (*service)(void *ctx, const struct collected *c, char *dst, size_t size);
};

int headless_run(const struct headless_opts *opts);

/* Opens a file for writing; "-" is standard output, which headless_close() leaves open. NULL with
 * err: it cannot be opened. */
FILE *headless_open(const char *path, struct err *err);
bool headless_close(FILE *f, const char *path, struct err *err);

/*
 * The exit code of subcommands that report the state of the fabric. EXIT_UNREACHED comes first;
 * then EXIT_FINDINGS from suspect on (diagnosis/engine/verdict.h). EXIT_FINE means that nothing
 * bad was seen; the text lists the checks that were not possible.
 */
int headless_judged_code(const struct model *m, enum fabric_state state);
/* The same, but open findings come first: EXIT_FINDINGS for any that needs attention. */
int headless_findings_code(const struct model *m, const struct diag *d, int64_t now_us);
/* EXIT_FINE. EXIT_UNREACHED when a device is unreachable, unauthorised or was never heard, or when
 * there is no device. */
int headless_exit_code(const struct model *m);
/* True: the device has no data, although it may have answered once. */
bool headless_unreached(const struct device *d);

#endif
