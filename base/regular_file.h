/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_REGULAR_FILE_H
#define BASE_REGULAR_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/err.h"

/*
 * Opens a file that a user or a configuration named, to read it. A FIFO, a socket or a device at
 * such a place would stop the program for ever, so it is refused at once. /dev/stdin and /dev/fd/N
 * are what a shell makes of "<(command)" and of pipes: these are opened as they are.
 */

/* -1: errno; regular_file_why() says it. The caller closes the descriptor. */
int regular_file_open(const char *path);
/* The same as a stream. NULL: errno. */
FILE *regular_file_stream(const char *path);
/* Whether it can be opened so: to ask before a library opens it. */
bool regular_file_is(const char *path);
/* The reason of errno in words, for err_set(). */
const char *regular_file_why(void);
/* Fills *err with "what: the reason" and its cure; returns false. */
bool regular_file_err(struct err *err, enum err_code code, const char *path, const char *what);

#endif
