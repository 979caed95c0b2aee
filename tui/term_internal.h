/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_TERM_INTERNAL_H
#define TUI_TERM_INTERNAL_H

/* Shared by the files of tui/ that draw or read keys. Private to tui/. */

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

/* The state of the key reader inside an escape sequence that ncurses does not know. */
enum key_state {
	KEYS_IDLE,
	KEYS_HELD_ESC, /* an ESC that may be the start of the gate's answer */
	KEYS_OSC,      /* inside ESC ] ..., the answer about the background */
	KEYS_CSI       /* inside ESC [ ..., thrown away up to its final byte */
};

struct term {
	SCREEN *screen;
	int in, out;
	FILE *library;      /* ncurses' stream to the terminal, on a descriptor of its own */
	int catcher;        /* a file in memory that receives the frames */
	struct buf waiting; /* bytes to send, and the number of them that was sent */
	size_t taken;
	bool utf8;
	bool blocks;    /* the font has the eighth blocks of a sparkline */
	bool clipboard; /* the terminal has OSC 52 */
	bool hides_cursor;
	bool lost;
	bool suspended;
	struct look look[ROLE_COUNT];
	struct gate gate;
	enum key_state keys;
	char csi[48]; /* the bytes of a sequence that is being read */
	size_t csi_len;
	bool no_color, chosen;      /* NO_COLOR; the user named a theme */
	bool asked_ground;          /* the answer about the background is due */
	bool mouse_on, mouse_again; /* now; after a suspension */
	struct term_mouse mouse;
	int pushed; /* a key read ahead, -1 none */
	struct termios before;
	int flags_before;
	char restore[192]; /* sequences that restore the terminal without ncurses */
	size_t restore_len;
	int cursor_y, cursor_x; /* -1: hidden */
	bool cursor_shown;
	bool repaint;
	uint64_t frame; /* digest of the frame on the screen */
};

/* Fills t->look from the theme and the terminal's depth; false when the theme is not known. */
bool theme_apply(struct term *t, const char *name, bool no_color);
bool theme_known(const char *name);
/*
 * Watches the signals by which a fault, a limit or Ctrl-\ ends the program. The handler restores
 * the terminal, says the reason on standard error and lets the signal take its course.
 * crash_forget() restores the handlers of before. Both belong to the main thread.
 */
void crash_watch(void);
void crash_forget(void);
/* Teaches ncurses the gate's answers and the key sequences that poor terminfo entries lack. */
void keys_define(void);
/* Reads and discards keys until the outstanding answers came or the time is over. */
void keys_drain(struct term *t, int64_t until);

/* ---- term_ground.c: the colour of the background decides the theme ---- */
/* The theme by the environment, before the terminal has answered. */
const char *ground_theme(void);
/* Reads the answer behind "ESC ]"; false: it is none. */
bool ground_answer(struct term *t, const char *text);

/* ---- term_mouse.c ---- */
#define MOUSE_OFF "\033[?1006l\033[?1000l"
/* Reads the sequence in t->csi; false: it is no report of the mouse that matters. */
bool mouse_parse(struct term *t, int final);

/* ---- term_send.c: only send_wait() waits for the terminal ---- */
/* False: the reason is in errno; the caller must call send_close() then, too. */
bool send_open(struct term *t);
void send_close(struct term *t);
/* ncurses' output between these two calls is a frame; it is sent after the waiting bytes. */
void send_frame_begin(struct term *t);
void send_frame_end(struct term *t);
/* Sends text after the waiting bytes. */
void term_write(struct term *t, const char *text, size_t len);
/* Sends waiting bytes; false: the terminal has no room for the rest. */
bool send_more(struct term *t);
/* Sends all of them. Then ncurses may write by itself, and waits while there is no room. */
void send_wait(struct term *t);

#endif
