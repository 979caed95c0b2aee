/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_NOTIFY_STORE_H
#define APP_NOTIFY_STORE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "archive/notice/book.h"
#include "base/err.h"

/*
 * The files of a receiver in the state directory, notify/FABRIC.NAME.*: the book (.json), how it
 * goes (.status), and a lock, so that two processes do not tell the same receiver. A file is
 * written under another name, forced to the disk and renamed. There is no secret in them.
 */
struct store;

/* Never NULL. */
struct store *store_new(const char *fabric, const char *receiver);
void store_free(struct store *s);
/*
 * Takes the lock. False with err: another process has it (ERR_REFUSED), or the directory cannot be
 * written.
 */
bool store_lock(struct store *s, struct err *err);
/* A file that does not exist is an empty book. False with err: it was put aside as FILE.bad. */
bool store_load(const struct store *s, struct book *b, struct err *err);
bool store_save(const struct store *s, const struct book *b, struct err *err);

/* How it goes, for `railtop check`. */
struct store_status {
	int64_t done_us;    /* wall: the last message that was taken; 0: none */
	int64_t problem_us; /* wall: since when it is not reached; 0: it is */
	char problem[512];
	bool watched; /* a process has the lock now */
};
void store_note(const struct store *s, const struct store_status *status);
/* False: nothing was ever noted. */
bool store_status(const char *fabric, const char *receiver, struct store_status *out);

/* Writes a whole file with this mode under another name, and renames it. */
bool store_replace(const char *path, const char *bytes, size_t n, mode_t mode, struct err *err);

#endif
