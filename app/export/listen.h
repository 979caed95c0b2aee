/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_EXPORT_LISTEN_H
#define APP_EXPORT_LISTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* The listening socket of `railtop export`, and its certificate, key and token files. */

#define EXPORT_ADDRESS "127.0.0.1:9899"

/*
 * Returns a non-blocking listening socket. address: "127.0.0.1:9899", "[::1]:9899",
 * "localhost:9899", ":9899" or "*:9899" (all addresses). Port 0: a free port. *loopback: only this
 * machine can reach it. name receives the actual address. The caller closes the socket. -1 with
 * err: it failed.
 */
int export_listen(const char *address, bool *loopback, char *name, size_t size, struct err *err);

/*
 * Reads a file of at most 64 KiB without trailing line ends. The caller frees the result. NULL with
 * err when it fails, or when a secret file is accessible to others than its owner and group.
 */
char *export_file(const char *path, bool secret, struct err *err);
/* Overwrites and frees; NULL is allowed. */
void export_forget(char *secret);

#endif
