/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ARCHIVE_SUPPORT_RESTAMP_H
#define TESTS_ARCHIVE_SUPPORT_RESTAMP_H

#include <stddef.h>

/*
 * Changes what is packed in a recording and seals it anew, as an attacker does who has this source:
 * the file opens, and its decoders get the changed bytes. change() gets each chunk and each piece
 * of a keyframe, unpacked; it may write to bytes, and replace them by others of malloc().
 */
enum restamp_kind { RESTAMP_CHUNK, RESTAMP_SECTION };
typedef void restamp_fn(void *ctx, enum restamp_kind kind, char **bytes, size_t *n);

/* Fails the test where the file cannot be changed. Returns the number of packed texts. */
unsigned restamp(const char *path, restamp_fn *change, void *ctx);

#endif
