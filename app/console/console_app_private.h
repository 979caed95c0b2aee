/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_CONSOLE_APP_PRIVATE_H
#define APP_CONSOLE_CONSOLE_APP_PRIVATE_H

#include <uv.h>

#include "app/console/act_console.h"
#include "app/console/chart_file.h"
#include "app/console/console_app.h"
#include "app/console/program_run.h"
#include "app/notify/acks.h"
#include "app/notify/notify.h"
#include "app/session/prometheus_past.h"
#include "app/session/time_travel.h"
#include "app/session/capture_targets.h"
#include "app/session/session.h"
#include "app/console/term_loop.h"
#include "base/vec.h"
#include "tui/keymap.h"
#include "views/console/console.h"

/* Shared by console_app.c, console_hooks.c and console_past.c; private to them. */

enum { SIGNALS = 6 };

struct console_app {
	const struct console_app_opts *opts;
	uv_loop_t loop;
	struct term *term;
	struct keymap *keymap;
	struct console *console;
	struct session *session;
	struct act_console *acts;                /* actions and ledger; NULL: no session */
	struct notify *notify;                   /* NULL: the inventory does not ask for it */
	struct acks *acks;                       /* shared with other processes; NULL: not live */
	struct time_travel *past;                /* time travel; NULL: nothing is recorded */
	struct prometheus_past *prometheus_past; /* earlier moments; NULL: no metrics engine */
	int64_t opened_us;           /* start of the recording; set with prometheus_past */
	struct capture_targets *raw; /* devices with answers recorded verbatim */
	struct runbooks runbooks;
	struct arranged *arranged;   /* columns and order of the views, kept for the next session */
	struct asciicast *asciicast; /* NULL: the screen is not recorded */
	struct audit_log audit;      /* ledger lines in the open file */
	size_t audit_all; /* number of its rows; rows after the shown moment are hidden */
	struct program_run *program;   /* of an own command; NULL: none runs */
	struct snapshot_job *snapshot; /* being written; NULL: none */
	bool leave;                    /* leave as soon as the snapshot is written */
	difference_vec differences;    /* rows of the diff view */
	struct chart_file *chart_file; /* of a recording that was opened; NULL */
	bool comparing;                /* a comparison is under way */
	struct term_loop screen;
	uv_signal_t signals[SIGNALS];
	bool stopping;
	int64_t load_us; /* when the load of this machine was last said, monotonic; from the start
			  */
	/* The last turn of the loop and how long the one before had lasted, monotonic. */
	int64_t turn_us, slept_us;
	int feed_fd; /* the original standard input, if observations come from it; -1: none */
	VEC(char *) warnings;
	char user[32];     /* name for acknowledgements */
	char problem[256]; /* first warning, for the message line */
	const char *place; /* the argument of --view until the model has that place; NULL: done */
};

/* Gives the console its data: the live model, or the model of a past moment. */
void console_app_show(struct console_app *a);
/*
 * Leaves the program. The first call waits for a snapshot that is being written; the second leaves
 * at once.
 */
void console_app_stop(struct console_app *a);

/* console_past.c: implements the time hooks. */
bool console_past_open(struct console_app *a, struct err *err);
/*
 * Completes out for a metrics engine: sets out->before. If a moment from the engine is shown,
 * replaces *out by that moment.
 */
/* The steps of the wall clock in what is shown; NULL: none. */
const struct clock_track *console_app_clock(const struct console_app *a);
void console_past_moment(const struct console_app *a, int64_t live_us, struct console_moment *out);
/*
 * Handles a time command: a target before the recording goes to the metrics engine, any other to
 * time_travel_do().
 */
bool console_scrub_to(struct console_app *a, enum scrub how, int64_t arg, struct err *err);
bool console_snap(struct console_app *a, const char *reason, struct err *err);
bool console_compare(struct console_app *a, const char *text, struct err *err);
/* Asks the metrics engine, or the open recording, for the past of the chart, and gives its answer
 * to the console. */
bool console_chart_ask(struct console_app *a, const struct chart_question *q, struct err *err);
void console_chart_look(struct console_app *a);
/* Begins recording to the file path; "": ends the recording. */
bool console_record_file(struct console_app *a, const char *path, struct err *err);

/* console_hooks.c: acknowledgements of other processes, where the session is live. */
void console_acks_open(struct console_app *a);
void console_acks_look(struct console_app *a);
void console_past_audit(struct console_app *a); /* shows the ledger lines up to the shown moment */

/* Sets the hooks that need no actions. Hooks that this mode cannot serve stay NULL. */
void console_hooks_fill(struct console_app *a, struct console_hooks *hooks);
/*
 * Enables actions, if they are open: sets the action hooks, the longer command table and
 * copts->read_only. Nothing else makes actions available to keys and commands.
 */
void console_hooks_act(struct console_app *a, struct console_opts *copts);

#endif
