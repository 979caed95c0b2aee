/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TERMINAL_VT_H
#define TESTS_SUPPORT_TERMINAL_VT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/*
 * A program in a real terminal: it runs in a pseudo-terminal with libvterm at the other end, which
 * keeps the screen and answers as a terminal does. Tests type keys, wait until the program is idle,
 * and read the screen. No test sleeps.
 *
 * Idle: the program gets a pipe (--idle-fd N). It writes "idle KEYS\n" whenever its loop goes to
 * sleep with nothing pending; KEYS is the number of keys it has taken since it started. All waits
 * end at a generous deadline (VT_DEADLINE_S in the environment, 30 s), print the screen and fail
 * the cmocka test.
 *
 * Each program has empty directories for its state and its configuration (XDG_STATE_HOME,
 * XDG_CONFIG_HOME) unless opts->env names others: nothing of the user's, nor of the test before.
 */
struct vt;

struct vt_opts {
	int rows, cols;         /* 0: 24, 80 */
	const char *term;       /* NULL: xterm-256color */
	const char *locale;     /* LC_ALL; NULL: C.UTF-8 */
	const char *const *env; /* NULL-ended "NAME=value", or "NAME" to remove it */
	bool idle;              /* make the pipe and append --idle-fd N to the arguments */
	bool mute;              /* never answer CSI 5 n, as a terminal that does not know it */
	int slow_ms;            /* answers to CSI 5 n take so long, as over a slow line */
	bool own_stderr;        /* the program's stderr is the test's, not the terminal */
};

/* Starts argv in a terminal. NULL opts: all defaults. */
struct vt *vt_spawn(const struct vt_opts *opts, const char *const *argv);
/*
 * The same for a function of the test program, run in a child process; its result is the exit
 * status. idle_fd is -1 without opts->idle.
 */
struct vt *vt_spawn_fn(const struct vt_opts *opts, int (*fn)(void *ctx, int idle_fd), void *ctx);
/* Hangs the terminal up, kills the program when it does not leave, frees. NULL is allowed. */
void vt_free(struct vt *vt);

/* ---- doing ---- */
/* Each character of the UTF-8 text is one key. */
void vt_type(struct vt *vt, const char *text);
/*
 * One key by name, as the terminal sends it: Up Down Left Right Home End PgUp PgDn Insert Delete
 * Backspace Tab Enter Esc F1..F12, Ctrl-x, Alt-x, or a character.
 */
void vt_key(struct vt *vt, const char *name);
/* Raw bytes from the terminal; counted as no key. */
void vt_send(struct vt *vt, const char *bytes, size_t n);
/* New size and SIGWINCH; with an idle pipe the keys typed before are waited for first. */
void vt_resize(struct vt *vt, int rows, int cols);
/* While held, answers to CSI 5 n are kept back; letting go sends them. */
void vt_hold_answers(struct vt *vt, bool hold);
int vt_pid(const struct vt *vt);
/* Whether the program has left its terminal, and all of its output was read. */
bool vt_ended(const struct vt *vt);
/*
 * How often the program has said that it is idle, or that a frame shows new keys; more than before:
 * it is alive. Over a slow line there may always be a next frame, so that it never becomes idle.
 */
unsigned long vt_frames_told(const struct vt *vt);
/* The modes of the terminal, also after the program's end. */
bool vt_modes(const struct vt *vt, struct termios *modes);

/* ---- waiting ---- */
/* Until the program is idle having taken at least `keys` keys. */
void vt_wait_idle(struct vt *vt, unsigned long keys);
/*
 * Until it is idle having taken all keys typed so far, in an idle line written after the last key,
 * vt_send() or vt_resize().
 */
void vt_settle(struct vt *vt);
/* Until the text is on the screen; seconds <= 0: the usual deadline. */
void vt_wait_text(struct vt *vt, const char *text, double seconds);
/* Until it is on the screen no longer. */
void vt_wait_gone(struct vt *vt, const char *text, double seconds);
/* Until the program has written these bytes since the last key was typed. */
void vt_wait_output(struct vt *vt, const char *bytes);
/* Until the program has written at least that many CSI 5 n. */
void vt_wait_questions(struct vt *vt, unsigned long n);
/* Until the program ended and its output was read; returns the exit status, 128 + n for a signal.
 */
int vt_wait_exit(struct vt *vt);
/* Ends a console from any page and frees vt; fails the test unless it exits with 0. */
void vt_leave(struct vt *vt);
/* Reads the output for so long; for benches that measure a time span. */
void vt_run_for(struct vt *vt, double seconds);

/* ---- reading ---- */
int vt_rows(const struct vt *vt);
int vt_cols(const struct vt *vt);
/* A line as UTF-8 without trailing spaces; valid until the next call with vt. "" outside. */
const char *vt_line(struct vt *vt, int row);
/* All lines, each ended by \n; the caller frees. */
char *vt_screen(struct vt *vt);
bool vt_has(struct vt *vt, const char *text);
/* First place of the text; row and col may be NULL. col counts characters, so wide ones shift it.
 */
bool vt_find(struct vt *vt, const char *text, int *row, int *col);

struct vt_attr {
	bool bold, underline, reverse, italic, blink;
	int fg, bg; /* 0..255, -1 the terminal's own colour, -2 another (RGB) */
};
struct vt_attr vt_attr_at(struct vt *vt, int row, int col);
bool vt_cursor(struct vt *vt, int *row, int *col); /* visible? */
bool vt_altscreen(const struct vt *vt);

/* The number of bytes the program has written so far, and the bytes (at most 16 MB kept). */
uint64_t vt_bytes(const struct vt *vt);
const char *vt_output(const struct vt *vt, size_t *len);
unsigned long vt_questions(const struct vt *vt);  /* CSI 5 n seen */
unsigned long vt_keys_typed(const struct vt *vt); /* by vt_type() and vt_key() */

#endif
