/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_EXPORT_LISTEN_H
#define APP_EXPORT_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* Where `railtop export` listens, and what it needs from files for that. */

#define EXPORT_ADDRESS "127.0.0.1:9899"

/*
 * A listening, non-blocking socket at "127.0.0.1:9899", "[::1]:9899", "localhost:9899", ":9899" or
 * "*:9899" (every address); port 0: one that is free. *loopback: nobody else can reach it. name
 * receives the address as it became. -1 with err filled; the caller closes it.
 */
int export_listen(const char *address, bool *loopback, char *name, size_t size, struct err *err);

/*
 * The whole file without line ends at its end, at most 64 KiB; the caller frees. NULL with err
 * filled, also when it is secret and others than its owner and group may read it.
 */
char *export_file(const char *path, bool secret, struct err *err);
/* Overwrites and frees; NULL is allowed. */
void export_forget(char *secret);

#endif
