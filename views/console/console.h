/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_CONSOLE_CONSOLE_H
#define VIEWS_CONSOLE_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/model/model.h"
#include "fabric/ref.h"
#include "tui/command.h"
#include "tui/keymap.h"
#include "tui/table.h"
#include "tui/term.h"
#include "diagnosis/difference/difference.h"
#include "diagnosis/engine/runbook_log.h"
#include "views/act_sheet.h"
#include "views/runbook/runbook.h"
#include "views/view.h"

/*
 * The console: the open pages, the effect of keys on them, and the screen. It reads a model and
 * draws on a terminal. It does no I/O of its own and has no clock: the caller gives the time of the
 * data.
 */
struct console;

enum scrub {
	SCRUB_LIVE, /* back to now; in a file: to its end */
	SCRUB_STEP, /* arg: number of steps forward (a step is at least a second); negative: back */
	SCRUB_AT,   /* arg: wall time, us */
	SCRUB_BY,   /* arg: us from the shown moment, negative: back */
	SCRUB_PLAY, /* arg: speed in thousandths, 1000 is real time; 0 stops */
};

/* The shown moment, if it is not the present. */
struct console_moment {
	bool replay; /* the data comes from a recording */
	bool file;   /* there is no live data to go back to */
	bool engine; /* the data comes from a metrics engine, from before from_us */
	bool before; /* a metrics engine has data from before from_us */
	int64_t at_us, from_us, to_us; /* shown, first, last */
	bool seeking;                  /* another moment is being loaded */
	int64_t speed;                 /* thousandths; 0: stopped */
	int64_t kept_us; /* live: since when the last hour is kept; leaving drops it; 0: not */
	char gap[80];    /* "12 batches lost: disk full"; "" none */
};

/*
 * A change that the operator made to the model, the diagnosis or a runbook. Only runbooks can go on
 * while a recording is shown: their t_us is the shown moment.
 */
enum note_kind {
	NOTE_MARK,
	NOTE_UNMARK,
	NOTE_ACK,
	NOTE_UNACK,
	NOTE_TRAIL,
	NOTE_PIN,
	NOTE_UNPIN,
};
struct console_note {
	enum note_kind kind;
	int64_t t_us;
	uint64_t key;                          /* of the finding */
	int64_t until_us;                      /* NOTE_ACK */
	const char *text;                      /* the mark's name, or the note */
	const struct runbook_log_entry *trail; /* NOTE_TRAIL */
};

/* A view with its place, filter and order under a name. Texts of a file must be sanitised. */
#define SAVED_NAME 32
#define SAVED_MOST 64
struct saved_filter {
	char name[SAVED_NAME], view[32], place[160], filter[256], sort[48];
};

/* A question to the metrics engine. */
#define CHART_DEVICES 64
struct chart_question {
	int64_t from_us, to_us, step_us;
	const char *devices[CHART_DEVICES];
	size_t n_devices;
	counter_id counters[16];
	size_t n_counters;
};

/* Callbacks of the console. Every function may be NULL. */
struct console_hooks {
	/* The operator opened a page of another device; NULL: of none. */
	void (*focus)(void *ctx, const char *device);
	/* Poll the device now; NULL: all. */
	void (*poll)(void *ctx, const char *device);
	/* The operator paused or resumed: hold back batches meanwhile. */
	void (*pause)(void *ctx, bool paused);
	/*
	 * Actions. All NULL in read-only mode: then no command, key or word of the palette leads to
	 * them. actions() calls add for each action that is possible for r. act_begin() plans one;
	 * the sheet then shows its state. act_go() gives the consent.
	 */
	void (*actions)(void *ctx, struct ref r,
		void (*add)(void *to, const char *name, const char *help), void *to);
	bool (*act_begin)(void *ctx, const char *action, struct ref r, struct err *err);
	bool (*act_go)(void *ctx, const char *reason, const char *incident, const char *typed,
		struct err *err);
	bool (*act_undo)(void *ctx, const char *reason, const char *incident, struct err *err);
	bool (*act_drop)(void *ctx, struct err *err);
	/* The audit view is open: load its rows, and load them again from time to time. */
	void (*audit)(void *ctx);
	/*
	 * Time: load the data of another moment, or of the present. The answer comes by
	 * console_moment() and console_data(). NULL: there is no recording.
	 */
	bool (*scrub)(void *ctx, enum scrub how, int64_t arg, struct err *err);
	/*
	 * Compares "A B", each a moment or a file; "" asks the operator: see console_differences().
	 */
	bool (*diff)(void *ctx, const char *text, struct err *err);
	/* Write a snapshot file; progress and outcome come as messages. */
	bool (*snapshot)(void *ctx, const char *reason, struct err *err);
	/* Record into this file from now on; "" ends the recording: see console_recording(). */
	bool (*record)(void *ctx, const char *path, struct err *err);
	/* The operator made a change that belongs into a recording. */
	void (*noted)(void *ctx, const struct console_note *note);
	/* The operator changed a view's columns or order: keep them for the next session. */
	void (*arranged)(void *ctx, const struct view_ops *view, const char *sort, uint64_t hidden);
	/* The operator saved or dropped a filter: likewise. */
	void (*saved)(void *ctx, const struct saved_filter *s, bool dropped);
	/*
	 * Ask the metrics engine for the past of the chart: counters of devices from from_us to
	 * to_us, a value each step_us. The answer comes by console_chart_past(). NULL: there is no
	 * engine.
	 */
	bool (*chart_past)(void *ctx, const struct chart_question *q, struct err *err);
	/*
	 * Start a program of the user's files without a shell: argv[0] is its path. One at a time;
	 * its output comes by console_output(). NULL: this console starts none.
	 */
	bool (*run_program)(void *ctx, const char *const *argv, size_t n, struct err *err);
	void *ctx;
};

struct console_opts {
	struct term *term;
	const struct command *commands;
	size_t ncommands;
	/* Length of commands with those behind ncommands that this console does not have: they
	 * change devices. 0: there are none. */
	size_t nall;
	const struct keymap *keymap;
	struct console_hooks hooks;
	bool read_only;                  /* commands that are not marked safe are refused */
	const char *mode;                /* badge: "RO", "REPLAY", ... */
	bool bare;                       /* a part of the sandbox is missing: a badge says so */
	const char *user;                /* name for acknowledgements; NULL: none */
	const struct runbooks *runbooks; /* NULL: none */
};

struct console *console_new(const struct console_opts *opts);
void console_free(struct console *c);

/*
 * Sets the data: the model and its wall time. Call it after every change; the model may stay the
 * same. waiting: number of batches held back while paused.
 */
void console_data(struct console *c, struct model *m, int64_t now_us, size_t waiting);
/* Sets the diagnosis of that model, before the first console_data(); NULL: none. */
void console_diagnosis(struct console *c, struct diag *d);

/*
 * Sets the sheet of the current action, NULL: none. The caller owns it and may change it; call this
 * after each change. The first call with a sheet shows it.
 */
void console_act_sheet(struct console *c, const struct act_sheet *s);
/* Columns of a sheet line on this terminal: longer lines are wrapped. */
int console_sheet_width(const struct console *c);
/* Sets the data of the audit view; NULL: unknown. The caller owns it. */
void console_audit(struct console *c, const struct audit_log *log);

/*
 * Sets the moment of the data, before the console_data() with that data. The model of another
 * moment may have fewer devices and ports: pages of missing objects are closed.
 */
void console_moment(struct console *c, const struct console_moment *m);
/* Whether a recording that the operator asked for is in progress: the title shows it. */
enum recording_state { RECORDING_NONE, RECORDING_ON, RECORDING_FAILED };
void console_recording(struct console *c, enum recording_state state);
/*
 * Sets the data of the diff view with its two moments, as wall times in us (0: unknown); the caller
 * keeps it until the next call.
 */
void console_differences(
	struct console *c, const difference_vec *v, int64_t from_us, int64_t to_us);
/* The trail of this session's runbooks, including those on a recording; the console owns it. */
const runbook_log *console_trail(const struct console *c);
/* Sets the trail of the shown recording, as of its moment; the caller owns it. NULL: none. */
void console_recorded_trail(struct console *c, const runbook_log *t);
/*
 * Sets a view's arrangement from an earlier session; call it before the first page of it is opened.
 */
void console_arrange(
	struct console *c, const struct view_ops *view, const char *sort, uint64_t hidden);

/* Adds a filter from an earlier session; false: no such view, or a bad name. */
bool console_add_saved(struct console *c, const struct saved_filter *s);

/*
 * Adds an own command: "view NAME VIEW [PLACE] [sort=[-]COLUMN] [/FILTER]", or "command NAME
 * PROGRAM ARGUMENT...", whose arguments may hold {device}, {address}, {port}, {peer_device},
 * {peer_port}.
 */
bool console_define(struct console *c, const char *line, struct err *err);
/*
 * The engine's answer: batches of the times of the question, oldest first; the caller frees them.
 * NULL with err. source: the engine's name.
 */
void console_chart_past(struct console *c, const struct obs *list, int64_t from_us, int64_t to_us,
	int64_t step_us, const char *source, const struct err *err);
/* The output of the program of run_program(), which is copied, and how it ended. */
void console_output(struct console *c, const char *text, size_t len, const char *end);

/* Handles one key. An unknown key gives a message. */
void console_key(struct console *c, int key);
/*
 * Works for about 4 ms on slow computations of a fabric of more than 8192 ports. Call it before
 * each sleep, after drawing. True: there is more work; check for keys and call it again at once.
 * Meanwhile the screen shows the old values.
 */
bool console_work(struct console *c);
/* Monotonic time of the next work without new data; INT64_MAX: none. */
int64_t console_due(const struct console *c);
/* Draws everything if the terminal's gate is open; false: a frame is still due. */
bool console_draw(struct console *c);
/*
 * Number of keys since the start that were dropped unread, because they came before the question
 * that they would have answered. For callers that count keys.
 */
size_t console_flushed(const struct console *c);
/* Whether something changed since the last successful draw. */
bool console_dirty(const struct console *c);
void console_touch(struct console *c); /* asks for a draw: resize, new data */
bool console_quitting(const struct console *c);

/* ---- commands; all of them fill err when they refuse ---- */
bool console_run(struct console *c, const char *line, struct err *err); /* "sort rx" */
void console_move(struct console *c, enum table_move how);
bool console_enter(struct console *c, struct err *err); /* drill into the row under the cursor */
bool console_back(struct console *c, struct err *err);
bool console_forward(struct console *c, struct err *err);
/*
 * One level up: closes an overlay, goes back, or quits at the first page. It asks before it leaves
 * an open runbook, a recording or a long history: two keys too many must not cost them.
 */
void console_close(struct console *c);
void console_quit(struct console *c);
bool console_open(
	struct console *c, const struct view_ops *view, struct ref scope, struct err *err);
/* A view of the whole fabric by its name. */
bool console_view(struct console *c, const char *name, struct err *err);
/* A view's name, a locator, or both ("events", "leaf-r3-00:Ethernet12", "bgp leaf-r3-00"). */
bool console_jump(struct console *c, const char *text, struct err *err);
/* From a port or a priority to the same at the other end of its link. */
bool console_peer(struct console *c, struct err *err);
/* Opens the evidence of the cause that the banner names; without one, all findings. */
bool console_cause(struct console *c, struct err *err);
/*
 * The chart: of what the cursor is on, or of a PLACE. metric: "pause", "rx" or a counter's name, ""
 * the next; add: a place or a counter; zoom: "in", "out", "15m"; pan and cursor: "-1", "1"; scrub:
 * shows the moment under the cursor.
 */
bool console_chart(struct console *c, const char *text, struct err *err);
bool console_chart_metric(struct console *c, const char *text, struct err *err);
bool console_chart_add(struct console *c, const char *text, struct err *err);
bool console_chart_drop(struct console *c, struct err *err);
bool console_chart_zoom(struct console *c, const char *text, struct err *err);
bool console_chart_pan(struct console *c, const char *text, struct err *err);
bool console_chart_cursor(struct console *c, const char *text, struct err *err);
bool console_chart_log(struct console *c, struct err *err);
bool console_chart_scrub(struct console *c, struct err *err);
/* Opens the trace of a place ("rank 19", "node007"); "": of the row or page that is shown. */
bool console_trace(struct console *c, const char *place, struct err *err);
/*
 * Keeps every poll of the port under the cursor, or of a PLACE, for an hour. The second call ends
 * that.
 */
bool console_pin(struct console *c, const char *place, struct err *err);
/* In the findings view: shows or hides the consequences of the row; "all": of every row. */
bool console_fold(struct console *c, const char *which, struct err *err);
/*
 * Acknowledges the finding under the cursor: "[MINUTES] [NOTE]"; "-" takes it back; "" prompts for
 * them.
 */
bool console_ack(struct console *c, const char *text, struct err *err);
bool console_filter(struct console *c, const char *text, struct err *err);        /* "" clears */
bool console_filter_or_ask(struct console *c, const char *text, struct err *err); /* "" asks */
/* "" next column, "id", "-id" descending. */
bool console_sort(struct console *c, const char *column, struct err *err);
void console_sort_reverse(struct console *c);
void console_pause(struct console *c);
void console_prompt_filter(struct console *c);
void console_prompt_palette(struct console *c);
/*
 * Marks: named reference points for all counters, in this program only. An empty name of
 * console_mark() prompts for one. console_since() chooses the mark for the "since" columns, "-"
 * none.
 */
bool console_mark(struct console *c, const char *name, struct err *err);
bool console_unmark(struct console *c, const char *name, struct err *err);
bool console_since(struct console *c, const char *name, struct err *err);
/*
 * Plans an action "[NAME [PLACE]]". Without PLACE it is for the object under the cursor, else of
 * the page. Without a name it prompts with the actions that are possible there.
 */
bool console_act(struct console *c, const char *text, struct err *err);
/* Shows the sheet of the current action again. */
bool console_act_show(struct console *c, struct err *err);
/*
 * Time: "[+|-]30s", "02:13:30", "2026-11-22T02:13:30", "live"; play takes a factor ("4", "0.5",
 * "stop").
 */
bool console_at(struct console *c, const char *text, struct err *err);
bool console_play(struct console *c, const char *text, struct err *err);
bool console_scrub(struct console *c, const char *steps, struct err *err);
bool console_live(struct console *c, struct err *err); /* back to now */
bool console_diff(struct console *c, const char *text, struct err *err);
bool console_snapshot(struct console *c, const char *reason, struct err *err);
bool console_record(struct console *c, const char *text, struct err *err); /* a file, "stop" */
/* Begins a runbook: "[NAME [PLACE]]"; "" the one of the finding under the cursor, else prompts. */
bool console_runbook(struct console *c, const char *text, struct err *err);
/* "": the outcome of the data; "pass", "fail", "skip" by hand. */
bool console_runbook_next(struct console *c, const char *text, struct err *err);
bool console_runbook_back(struct console *c, struct err *err);
bool console_runbook_note(struct console *c, const char *text, struct err *err); /* "" asks */
/* Opens the view of the current step with its filter. */
bool console_runbook_look(struct console *c, struct err *err);
bool console_runbook_end(struct console *c, struct err *err);
/* Goes to the next row, or line of the help, that contains the text; "" asks. */
bool console_search(struct console *c, const char *text, struct err *err);
/* Runs an own command: "NAME [PLACE]". */
bool console_own(struct console *c, const char *text, struct err *err);
/* "theme light", "mouse off", "chart ascii", "split off". */
bool console_set(struct console *c, const char *text, struct err *err);
/* The colour of the map: "all", "load", "ber", "flaps", "pauses"; "": the next. */
bool console_map_colour(struct console *c, const char *text, struct err *err);
/* Saves the page's view, place, filter and order under a name ("" asks), or drops it. */
bool console_save(struct console *c, const char *name, struct err *err);
bool console_unsave(struct console *c, const char *name, struct err *err);
/* "on", "off"; "" switches. Without it the terminal selects text as usual. */
bool console_mouse(struct console *c, const char *text, struct err *err);
/* Of two panes one has the screen: the table, the detail, both. */
void console_zoom(struct console *c);
void console_help(struct console *c);
void console_columns(struct console *c);
bool console_copy(struct console *c, struct err *err); /* locator of the row to the clipboard */
bool console_poll(struct console *c, struct err *err);
void console_repaint(struct console *c);
void console_message(struct console *c, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Writes the locator of the page and cursor: "leaf-r3-00:Ethernet12"; "" if there is none. */
void console_locator(const struct console *c, char *dst, size_t size);

#endif
