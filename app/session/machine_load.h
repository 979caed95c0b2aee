/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_MACHINE_LOAD_H
#define APP_SESSION_MACHINE_LOAD_H

#include <stdbool.h>
#include <stddef.h>

/*
 * True: this machine has more work than it can do, so that answers may be late for its own reason.
 * dst gets a sentence: "this machine is busy (load 18 on 2 processors): it may be the reason".
 */
bool machine_busy(char *dst, size_t size);
/* The same for given figures, for tests. */
bool machine_busy_of(double load, long processors, char *dst, size_t size);

#endif
