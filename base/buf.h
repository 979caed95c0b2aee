/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A growable byte buffer with a mandatory upper bound, because a device may send any amount. data
 * is always NUL-terminated (len does not count the NUL), or NULL while nothing was added.
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

/* Hint: makes room for n bytes in all, unless n exceeds the cap. Saves moves while the buffer
 * grows. */
void buf_expect(struct buf *b, size_t n);

/* Append. If the bound would be exceeded: false, overflow is set and nothing is added. */
bool buf_add(struct buf *b, const void *p, size_t n);
bool buf_adds(struct buf *b, const char *s);
bool buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the bytes to the caller, which frees them; b is empty afterwards. Never NULL. */
char *buf_take(struct buf *b, size_t *len);

/*
 * Writes all n bytes to fd; a short or interrupted write is continued. False: errno has the reason,
 * and some of the bytes may have been written.
 */
bool fd_write_all(int fd, const void *bytes, size_t n);

#endif
