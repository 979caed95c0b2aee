/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_CONSOLE_APP_PRIVATE_H
#define APP_CONSOLE_CONSOLE_APP_PRIVATE_H

#include <uv.h>

#include "app/console/act_console.h"
#include "app/console/console_app.h"
#include "app/session/prometheus_past.h"
#include "app/session/time_travel.h"
#include "app/session/capture_targets.h"
#include "app/session/session.h"
#include "app/console/term_loop.h"
#include "base/vec.h"
#include "tui/keymap.h"
#include "views/console/console.h"

/* What console_app.c and console_hooks.c share. */

enum { SIGNALS = 6 };

struct console_app {
	const struct console_app_opts *opts;
	uv_loop_t loop;
	struct term *term;
	struct keymap *keymap;
	struct console *console;
	struct session *session;
	struct act_console *acts;                /* and the ledger; NULL: of a recording */
	struct time_travel *past;                /* the way through time; NULL: there is none */
	struct prometheus_past *prometheus_past; /* beyond that; NULL: there is no metrics engine */
	int64_t opened_us;                       /* session: nothing was recorded before */
	struct capture_targets *raw;             /* whose answers are kept verbatim */
	struct runbooks runbooks;
	struct arranged *arranged;     /* columns and order of the views, as they were left */
	struct asciicast *asciicast;   /* NULL: the screen is not recorded */
	struct audit_log audit;        /* of the file that is shown */
	size_t audit_all;              /* its rows; those of later moments are not shown */
	struct snapshot_job *snapshot; /* one that is being written */
	bool leave;                    /* as soon as it is */
	difference_vec differences;    /* of the diff view */
	bool comparing;                /* others are being found */
	struct term_loop screen;
	uv_signal_t signals[SIGNALS];
	bool stopping;
	int feed_fd; /* what was standard input, when observations come from it */
	VEC(char *) warnings;
	char user[32];     /* who acknowledges findings */
	char problem[256]; /* first warning, for the message line */
	const char *place; /* --view, until the data that it names has come; NULL: done */
};

/* Shows what is to be shown: the live data, or the moment of a recording. */
void console_app_show(struct console_app *a);
/* Leaves; a snapshot that is being written is waited for, unless this is the second time. */
void console_app_stop(struct console_app *a);

/* console_past.c: what the hooks of the same words do. */
bool console_past_open(struct console_app *a, struct err *err);
/* Where the engine's moment is shown, and that there is one. */
void console_past_moment(const struct console_app *a, int64_t live_us, struct console_moment *out);
/* As time_travel_do(), and what a metrics engine knows of before. */
bool console_scrub_to(struct console_app *a, enum scrub how, int64_t arg, struct err *err);
bool console_snap(struct console_app *a, const char *reason, struct err *err);
bool console_compare(struct console_app *a, const char *text, struct err *err);
/* Begins to record into path, "": ends that. */
bool console_record_file(struct console_app *a, const char *path, struct err *err);
void console_past_audit(struct console_app *a); /* the ledger's lines up to what is shown */

/* Everything that is there in any mode; only what the mode has is filled in. */
void console_hooks_fill(struct console_app *a, struct console_hooks *hooks);
/* Only here do keys and commands learn that there are actions. */
void console_hooks_act(struct console_app *a, struct console_opts *copts);

#endif
