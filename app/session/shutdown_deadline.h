/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_SHUTDOWN_DEADLINE_H
#define APP_SESSION_SHUTDOWN_DEADLINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Leaving is bounded. Who ends a console waits for threads, for a disk and for the terminal, and
 * each of them may hang, within a call where no event loop hears of a signal. So the signals that
 * end it start a clock of the kernel's.
 * When it has run out, or when one is sent again LEAVE_AGAIN_S later (a hang-up comes twice at
 * once: from the kernel and from the shell), the terminal is set back and the process ends with
 * 128 + the signal's number. A recording has then what was committed: what came within
 * RTS_CHUNK_US is missing, and what a disk that hangs had not taken. One console a process.
 */
#define LEAVE_MOST_S  60
#define LEAVE_AGAIN_S 2

struct leave_opts {
	unsigned most_s, again_s; /* 0: as above */
	void (*restore)(void);    /* sets the terminal back; may be called by a signal handler */
};

/* These signals, whose handlers are set (uv_signal_start()), end the program. */
void leave_watch(const int *signals, size_t n, const struct leave_opts *o);
/* It ends, and those handlers are gone (uv_close()): the clock runs, if it does not yet. */
void leave_begin(void);
/* A device is being changed: what is halfway is not cut off, for 15 minutes beyond the bound. */
void leave_hold(bool on);
/* It has ended: the signals have their defaults. */
void leave_end(void);

#endif
