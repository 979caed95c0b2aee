/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_SECRET_H
#define BASE_SECRET_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Memory for passwords, tokens and private keys. Its pages are not swapped (mlock), not in a core
 * dump, empty in a child process, and wiped by secret_free(). It cannot fail, as mem_alloc().
 *
 * Where RLIMIT_MEMLOCK is too small the memory is used all the same. The log says so once, and
 * secret_locked() is false.
 */

/* size bytes of zeros. secret_free() releases it; free() must not. */
char *secret_new(size_t size);
/* A copy of a text; NULL of NULL. */
char *secret_copy(const char *text);
/* Wipes all of it and releases it; NULL is allowed. */
void secret_free(char *secret);

/* False: some secret is in memory that may be swapped. */
bool secret_locked(void);
/* Bytes that are held now: 0 when each secret was released. */
size_t secret_held(void);

#endif
