/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_CONSOLE_H
#define VIEWS_CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/model.h"
#include "fabric/ref.h"
#include "tui/command.h"
#include "tui/keymap.h"
#include "tui/table.h"
#include "tui/term.h"
#include "views/act_sheet.h"
#include "views/view.h"

/*
 * The console: the pages that were opened, what the keys do to them, and the screen they make. It
 * knows the model to read from and the terminal to draw on; it does no I/O of its own and has no
 * clock: the caller says what time the data is from.
 */
struct console;

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
	void *ctx;
};

struct console_opts {
	struct term *term;
	const struct command *commands;
	size_t ncommands;
	const struct keymap *keymap;
	struct console_hooks hooks;
	bool read_only;   /* commands that are not marked safe are refused */
	const char *mode; /* badge: "RO", "REPLAY", ... */
	const char *user; /* who acknowledges; NULL: nobody by name */
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

/* One key. Unknown keys are said in the message line. */
void console_key(struct console *c, int key);
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
/* A view's name, a locator, or both ("events", "leaf-r3-00:Ethernet12", "bgp leaf-r3-00"). */
bool console_jump(struct console *c, const char *text, struct err *err);
/* From a port or a priority to the same at the other end of its link. */
bool console_peer(struct console *c, struct err *err);
/* Opens the trace of what the cursor or the page is about: a rank, host, NIC, port, finding. */
bool console_trace(struct console *c, struct err *err);
/* The same of a place that is named: "rank 19", "node007". */
bool console_trace_place(struct console *c, const char *place, struct err *err);
/* In the findings view: shows or hides what follows from the row; "all": of every row. */
bool console_fold(struct console *c, const char *which, struct err *err);
/*
 * Acknowledges the finding under the cursor: "[MINUTES] [NOTE]"; "-" takes it back. "" asks for
 * them.
 */
bool console_ack(struct console *c, const char *text, struct err *err);
bool console_filter(struct console *c, const char *text, struct err *err); /* "" clears */
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
