/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Growable bytes with a mandatory upper bound: what a device sends is never trusted to be small.
 * data is always NUL-terminated (the NUL is not counted in len), or NULL while nothing was added.
 */
struct buf {
	char *data;
	size_t len;
	size_t size;
	size_t cap;
	bool overflow; /* an append was refused because it would have passed cap */
};

void buf_init(struct buf *b, size_t cap);
void buf_free(struct buf *b);
void buf_reset(struct buf *b); /* empties, keeps the memory and the cap */

/* Room for so many bytes in all, unless that passes the cap: a hint, so that it is moved less. */
void buf_expect(struct buf *b, size_t n);

/* Append; false (and overflow set, nothing added) when the bound would be passed. */
bool buf_add(struct buf *b, const void *p, size_t n);
bool buf_adds(struct buf *b, const char *s);
bool buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the bytes to the caller, who frees them; b is empty after it. Never NULL. */
char *buf_take(struct buf *b, size_t *len);

#endif
