/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TERM_H
#define TUI_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "tui/theme.h"

/*
 * The terminal: start, restore, keys, frames. tui/ is the only user of ncurses. A process has one
 * terminal.
 *
 * Frame gate: after each frame we ask the terminal for its status (CSI 5 n) and send no further
 * frame until the answer. So a slow link always shows the newest state instead of a backlog. If the
 * terminal does not answer the first question within two seconds, the gate is off.
 *
 * Only term_close(), term_suspend() and term_resume() wait for a terminal that takes no bytes.
 * Other functions leave the rest of a frame for later, and the next frame begins after it.
 */
struct term;

struct term_opts {
	bool ascii;    /* no line-drawing, no Braille, whatever the locale */
	bool no_color; /* --no-color or NO_COLOR */
	bool no_gate;
	const char *theme; /* NULL: "default" */
};

/* What can be told before anything is started: ERR_IO with a cure when standard input or output is
 * not a terminal or TERM is not set, ERR_CONFIG when the theme is unknown. */
bool term_check(const struct term_opts *opts, struct err *err);
/* Fails as term_check() does, and when TERM is unknown. */
struct term *term_open(const struct term_opts *opts, struct err *err);
/* Drains outstanding gate answers (bounded), restores the terminal, frees. NULL is allowed. */
void term_close(struct term *t);
/* Async-signal-tolerant last resort for crashes and out-of-memory: restores the terminal only. */
void term_emergency(void);
/* Around SIGTSTP/SIGCONT. */
void term_suspend(struct term *t);
void term_resume(struct term *t);

int term_rows(const struct term *t);
int term_cols(const struct term *t);
bool term_utf8(const struct term *t); /* false for NULL: batch output is ASCII */
/* Whether the font has eighth blocks for sparklines and bars. False for NULL and without UTF-8. */
bool term_blocks(const struct term *t);
/*
 * Asks for the colour of the background (OSC 11): without a named theme the answer chooses the
 * light or the dark one. It arrives as Ctrl-L, so that the screen is drawn again.
 */
void term_ask_background(struct term *t);
/* Changes the theme of the running program; false: there is no such theme. */
bool term_set_theme(struct term *t, const char *name);
/* Whether roles differ by colour. */
bool term_has_colour(const struct term *t);
/* The terminal has hung up: no frame will be seen any more, so leave. */
bool term_lost(const struct term *t);
/* After SIGWINCH: takes the new size; the next frame repaints. */
void term_resize(struct term *t);
/* Ctrl-L: repaint everything. */
void term_repaint(struct term *t);

/*
 * Keys. A key is a Unicode character (below KEY_BASE_) or one of TKEY_*; TKEY_ALT is or-ed in when
 * the key came with Alt (ESC prefix). Ctrl-A..Ctrl-Z are 1..26, Enter is '\r', Escape is 27.
 */
#define KEY_BASE_ 0x200000
enum term_key {
	TKEY_UP = KEY_BASE_,
	TKEY_DOWN,
	TKEY_LEFT,
	TKEY_RIGHT,
	TKEY_HOME,
	TKEY_END,
	TKEY_PGUP,
	TKEY_PGDN,
	TKEY_INSERT,
	TKEY_DELETE,
	TKEY_BACKSPACE,
	TKEY_TAB_BACK,
	TKEY_F1,
	TKEY_F2,
	TKEY_F3,
	TKEY_F4,
	TKEY_F5,
	TKEY_F6,
	TKEY_F7,
	TKEY_F8,
	TKEY_F9,
	TKEY_F10,
	TKEY_F11,
	TKEY_F12,
	TKEY_MOUSE, /* term_mouse() tells what and where */
	TKEY_LAST
};
#define TKEY_ALT 0x400000

/*
 * The mouse. It is off until it is switched on; while it is on, the terminal selects text with
 * Shift. Nothing happens on a terminal that has no mouse. term_mouse() is about the newest
 * TKEY_MOUSE.
 */
struct term_mouse {
	enum { MOUSE_CLICK, MOUSE_WHEEL_UP, MOUSE_WHEEL_DOWN } what;
	int y, x; /* from 0 */
};
void term_mouse_on(struct term *t, bool on);
bool term_mouse_is_on(const struct term *t);
struct term_mouse term_mouse(const struct term *t);

/* The next key, or -1 when there is none. Never blocks. Consumes gate answers. */
int term_key(struct term *t);
/*
 * Discards all keys that have arrived but were not read yet: typed ahead or pasted. Handles gate
 * answers among them. Returns the number of discarded keys.
 */
size_t term_flush_input(struct term *t);
/*
 * Whether the last frame is on the screen: the terminal has answered the question after it, or
 * asking is off. A key that term_key() returns while this is false was typed before its user could
 * see the frame.
 */
bool term_acknowledged(const struct term *t);

/*
 * Draws happen between begin and commit. begin returns false while the gate is closed (the previous
 * frame is not acknowledged). The caller then remembers that a frame is due. It tries again after
 * input from the terminal (the answer is not a key: term_key() takes it and may still return -1),
 * or at term_gate_deadline(), after a call of term_key(). A new frame starts empty; commit sends
 * the difference to the last frame, and nothing if there is none.
 */
bool term_begin(struct term *t);
void term_commit(struct term *t);
/*
 * Monotonic time (us) at which the gate stops waiting, or at which the rest of a frame is sent that
 * the terminal had no room for; INT64_MAX: neither is due.
 */
int64_t term_gate_deadline(const struct term *t);

/*
 * OSC 52: puts text on the user's clipboard; false when it is too long for a terminal (74,994
 * bytes) or when TERM names one that has no clipboard (vt*, linux).
 */
bool term_copy(struct term *t, const char *text, size_t len);

#endif
