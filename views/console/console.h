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
 * The console: the pages that were opened, what the keys do to them, and the screen they make. It
 * knows the model to read from and the terminal to draw on; it does no I/O of its own and has no
 * clock: the caller says what time the data is from.
 */
struct console;

enum scrub {
	SCRUB_LIVE, /* back to now; in a file: to its end */
	SCRUB_STEP, /* arg: so many steps (a second at least) on, negative: back */
	SCRUB_AT,   /* arg: wall time, us */
	SCRUB_BY,   /* arg: us from what is shown, negative: back */
	SCRUB_PLAY, /* arg: speed in thousandths, 1000 as it was; 0 stops */
};

/* Which moment is shown, when it is not simply now. */
struct console_moment {
	bool replay; /* what is shown is of a recording */
	bool file;   /* there is no live data to go back to */
	bool engine; /* it is no recording's but a metrics engine's, of before from_us */
	bool before; /* a metrics engine knows of times before from_us */
	int64_t at_us, from_us, to_us; /* shown, first, last */
	bool seeking;                  /* another one is on its way */
	int64_t speed;                 /* thousandths; 0: stands still */
	char gap[80];                  /* "12 batches lost: disk full"; "" none */
};

/*
 * What the operator did to the model, the diagnosis or a runbook. Only runbooks can be gone on with
 * while a recording is shown: their t_us is the moment that was shown.
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
	uint64_t key;                    /* of the finding */
	int64_t until_us;                /* NOTE_ACK */
	const char *text;                /* mark's name, or note */
	const struct trail_entry *trail; /* NOTE_TRAIL */
};

/* What the console asks of its surroundings. Every function may be NULL. */
struct console_hooks {
	/* The device that the operator looks at changed; NULL: none. */
	void (*focus)(void *ctx, const char *device);
	/* Poll the device now; NULL: all. */
	void (*poll)(void *ctx, const char *device);
	/* The operator paused or resumed: batches are to be held back meanwhile. */
	void (*pause)(void *ctx, bool paused);
	/*
	 * Actions; all NULL where there are none (read-only mode): then no command, key or word of
	 * the palette leads to them. actions() calls add for each action that can be about r.
	 * act_begin() plans one, after which the sheet shows how it stands; act_go() gives the
	 * consent.
	 */
	void (*actions)(void *ctx, struct ref r,
		void (*add)(void *to, const char *name, const char *help), void *to);
	bool (*act_begin)(void *ctx, const char *action, struct ref r, struct err *err);
	bool (*act_go)(void *ctx, const char *reason, const char *incident, const char *typed,
		struct err *err);
	bool (*act_undo)(void *ctx, const char *reason, const char *incident, struct err *err);
	bool (*act_drop)(void *ctx, struct err *err);
	/* The audit view was opened: its rows are wanted, and again from time to time. */
	void (*audit)(void *ctx);
	/*
	 * Time: the data of another moment is wanted, or that of now again. What becomes of it is
	 * told by console_moment() and console_data(). NULL: there is no recording to look into.
	 */
	bool (*scrub)(void *ctx, enum scrub how, int64_t arg, struct err *err);
	/* "A B", each a moment or a file, "" what is asked for: see console_differences(). */
	bool (*diff)(void *ctx, const char *text, struct err *err);
	/* A snapshot file is wanted; progress and outcome come as messages. */
	bool (*snapshot)(void *ctx, const char *reason, struct err *err);
	/* A file to record into from now on, "" ends that: see console_recording(). */
	bool (*record)(void *ctx, const char *path, struct err *err);
	/* Something that belongs into a recording was done by the operator. */
	void (*noted)(void *ctx, const struct console_note *note);
	/* A view's columns or order were changed by the operator: to be kept for the next session.
	 */
	void (*arranged)(void *ctx, const struct view_ops *view, const char *sort, uint64_t hidden);
	void *ctx;
};

struct console_opts {
	struct term *term;
	const struct command *commands;
	size_t ncommands;
	const struct keymap *keymap;
	struct console_hooks hooks;
	bool read_only;                  /* commands that are not marked safe are refused */
	const char *mode;                /* badge: "RO", "REPLAY", ... */
	const char *user;                /* who acknowledges; NULL: nobody by name */
	const struct runbooks *runbooks; /* NULL: none */
};

struct console *console_new(const struct console_opts *opts);
void console_free(struct console *c);

/*
 * The data to show: model and the wall time it stands for. Called after every change; the model may
 * stay the same. waiting: batches held back while paused.
 */
void console_data(struct console *c, struct model *m, int64_t now_us, size_t waiting);
/* The diagnosis of that model, before the first console_data(); NULL: none. */
void console_diagnosis(struct console *c, struct diag *d);

/*
 * The sheet of the action at hand, NULL: none; it stays the caller's and may change between calls,
 * which are to follow each change. The first call with a sheet shows it.
 */
void console_act_sheet(struct console *c, const struct act_sheet *s);
/* Columns for a line of the sheet on this terminal: longer ones are broken again. */
int console_sheet_width(const struct console *c);
/* What the audit view shows of the ledger; NULL: nothing is known. Stays the caller's. */
void console_audit(struct console *c, const struct audit_log *log);

/*
 * Which moment the data is of. Before the console_data() that brings it. The model of another
 * moment may have fewer devices and ports: pages of what it does not have are left.
 */
void console_moment(struct console *c, const struct console_moment *m);
/* Whether a file that somebody asked for is being recorded: the title says so. */
enum recording_state { RECORDING_NONE, RECORDING_ON, RECORDING_FAILED };
void console_recording(struct console *c, enum recording_state state);
/* What the diff view shows, from when to when; stays the caller's until the next call. */
void console_differences(
	struct console *c, const difference_vec *v, const char *from, const char *to);
/* The trail of the runbooks of this session, on a recording as well; stays the console's. */
const trail_vec *console_trail(const struct console *c);
/* The trail of the recording that is shown, as of its moment; stays the caller's. NULL: none. */
void console_recorded_trail(struct console *c, const trail_vec *t);
/* How a view was left by an earlier session; before the first page of it is opened. */
void console_arrange(
	struct console *c, const struct view_ops *view, const char *sort, uint64_t hidden);

/* One key. Unknown keys are said in the message line. */
void console_key(struct console *c, int key);
/*
 * Before each sleep, after drawing: some 4 ms of what takes long on a fabric of more than 8192
 * ports. True: there is more, the caller comes again at once, when it has looked for keys. What is
 * shown meanwhile is of before.
 */
bool console_work(struct console *c);
/* Mono time at which there is work again without new data; INT64_MAX: none. */
int64_t console_due(const struct console *c);
/* Draws everything if the terminal's gate is open; false: a frame is still due. */
bool console_draw(struct console *c);
/*
 * Keys that were forgotten unread since the start, because they came before the question they would
 * have answered: for who counts keys.
 */
size_t console_flushed(const struct console *c);
/* Something changed since the last successful draw. */
bool console_dirty(const struct console *c);
void console_touch(struct console *c); /* asks for a draw: resize, new data */
bool console_quitting(const struct console *c);

/* ---- what commands do; all of them fill err on refusal ---- */
bool console_run(struct console *c, const char *line, struct err *err); /* "sort rx" */
void console_move(struct console *c, enum table_move how);
bool console_enter(struct console *c, struct err *err); /* drill into the row under the cursor */
bool console_back(struct console *c, struct err *err);
bool console_forward(struct console *c, struct err *err);
/* One level up: closes an overlay, goes back, or quits at the first page. */
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
/* Opens the trace of a place ("rank 19", "node007"); "": of the row or page that is shown. */
bool console_trace(struct console *c, const char *place, struct err *err);
/*
 * Keeps every poll of the port under the cursor, or of a PLACE, for an hour; asked again, not any
 * more.
 */
bool console_pin(struct console *c, const char *place, struct err *err);
/* In the findings view: shows or hides what follows from the row; "all": of every row. */
bool console_fold(struct console *c, const char *which, struct err *err);
/*
 * Acknowledges the finding under the cursor: "[MINUTES] [NOTE]"; "-" takes it back. "" asks for
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
 * Marks: named zeros of all counters, ours alone. An empty name of console_mark() asks for one;
 * since chooses which of them the "since" columns count from, "-" none.
 */
bool console_mark(struct console *c, const char *name, struct err *err);
bool console_unmark(struct console *c, const char *name, struct err *err);
bool console_since(struct console *c, const char *name, struct err *err);
/*
 * Plans an action at the place that the cursor, else the page is about, or at PLACE: "[NAME
 * [PLACE]]". Without a name it asks for one, with those that are possible there.
 */
bool console_act(struct console *c, const char *text, struct err *err);
/* Shows the sheet of the action at hand again. */
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
/* Runbooks: "[NAME [PLACE]]"; "" the one of the finding under the cursor, else asks. */
bool console_runbook(struct console *c, const char *text, struct err *err);
/* "" as the numbers say; "pass", "fail", "skip" by hand. */
bool console_runbook_next(struct console *c, const char *text, struct err *err);
bool console_runbook_back(struct console *c, struct err *err);
bool console_runbook_note(struct console *c, const char *text, struct err *err); /* "" asks */
/* Opens the view of the step at hand, with its filter set. */
bool console_runbook_look(struct console *c, struct err *err);
bool console_runbook_end(struct console *c, struct err *err);
void console_help(struct console *c);
void console_columns(struct console *c);
bool console_copy(struct console *c, struct err *err); /* locator of the row to the clipboard */
bool console_poll(struct console *c, struct err *err);
void console_repaint(struct console *c);
void console_message(struct console *c, enum role role, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Locator of the page and cursor: "leaf-r3-00:Ethernet12"; "" when there is none. */
void console_locator(const struct console *c, char *dst, size_t size);

#endif
