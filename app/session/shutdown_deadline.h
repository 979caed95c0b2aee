/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_SHUTDOWN_DEADLINE_H
#define APP_SESSION_SHUTDOWN_DEADLINE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Limits the time that the program needs to end. The end of a console waits for threads, for a disk
 * and for the terminal. Each may hang in a call during which the event loop gets no signals. So the
 * first signal that ends the program starts a kernel timer (alarm()). The program ends at once when
 * the timer expires, or when a signal comes again LEAVE_AGAIN_S later. (A hang-up comes twice at
 * once: from the kernel and from the shell.) It restores the terminal and exits with 128 + the
 * signal's number. A recording then has the committed data only. It lacks the data of the last
 * RTS_CHUNK_US, and data that a hanging disk had not taken. One console per process.
 */
#define LEAVE_MOST_S  60
#define LEAVE_AGAIN_S 2

struct shutdown_deadline_opts {
	unsigned most_s, again_s; /* 0: as above */
	void (*restore)(void);    /* restores the terminal; may be called in a signal handler */
};

/* Watches the signals that end the program. Their handlers must be set (uv_signal_start()). */
void shutdown_deadline_watch(const int *signals, size_t n, const struct shutdown_deadline_opts *o);
/* The shutdown begins and uv_close() removed those handlers: starts the timer if needed. */
void shutdown_deadline_begin(void);
/* A change of a device is under way: extends the limit by up to 15 minutes. */
void shutdown_deadline_hold(bool on);
/* The shutdown is complete: restores the default handlers. */
void shutdown_deadline_end(void);

#endif
