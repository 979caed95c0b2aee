/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TERM_INTERNAL_H
#define TUI_TERM_INTERNAL_H

/* What the files of tui/ that draw or read keys share. Nobody else may include this. */

#include <curses.h>
#include <stdio.h>
#include <termios.h>

#include "base/buf.h"
#include "tui/gate.h"
#include "tui/term.h"

struct look {
	attr_t attr;
	short pair;
};

/* Where the key reader is inside an escape sequence that ncurses did not know. */
enum key_state {
	KEYS_IDLE,
	KEYS_HELD_ESC, /* an ESC that may be the start of the gate's answer */
	KEYS_CSI       /* inside ESC [ ..., thrown away up to its final byte */
};

struct term {
	SCREEN *screen;
	int in, out;
	FILE *library;      /* the terminal as ncurses has it, on a descriptor of its own */
	int catcher;        /* a file in memory, where it writes frames */
	struct buf waiting; /* of what is sent, and how much of it was taken */
	size_t taken;
	bool utf8;
	bool blocks;    /* the font has the eighth blocks of a sparkline */
	bool clipboard; /* OSC 52 makes sense */
	bool hides_cursor;
	bool lost;
	bool suspended;
	struct look look[ROLE_COUNT];
	struct gate gate;
	enum key_state keys;
	int pushed; /* a key read ahead, -1 none */
	struct termios before;
	int flags_before;
	char restore[192]; /* what puts the terminal back, without ncurses */
	size_t restore_len;
	int cursor_y, cursor_x; /* -1: hidden */
	bool cursor_shown;
	bool repaint;
	uint64_t frame; /* digest of the frame on the screen */
};

/* Fills t->look from the theme and the terminal's depth; false when the theme is not known. */
bool theme_apply(struct term *t, const char *name, bool no_color);
bool theme_known(const char *name);
/* Teaches ncurses the gate's answers and the key sequences that poor terminfo entries lack. */
void keys_define(void);
/* Reads and forgets keys until the outstanding answers came or the time is over. */
void keys_drain(struct term *t, int64_t until);

/* ---- term_send.c: nothing here waits for the terminal, but for send_wait() ---- */
/* Fails with the reason in errno; send_close() is due then, too. */
bool send_open(struct term *t);
void send_close(struct term *t);
/* What ncurses writes between the two is a frame, which is sent behind what waits already. */
void send_frame_begin(struct term *t);
void send_frame_end(struct term *t);
/* Sends this behind what waits already. */
void term_write(struct term *t, const char *text, size_t len);
/* Goes on with what waits; false: the terminal has no room for the rest. */
bool send_more(struct term *t);
/* All of it; then ncurses may write by itself, and waits where there is no room. */
void send_wait(struct term *t);

#endif
