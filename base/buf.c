/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

void buf_init(struct buf *b, size_t cap)
{
	memset(b, 0, sizeof(*b));
	b->cap = cap;
}

void buf_free(struct buf *b)
{
	free(b->data);
	buf_init(b, b->cap);
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->overflow = false;
	if (b->data)
		b->data[0] = '\0';
}

static bool buf_room(struct buf *b, size_t n)
{
	size_t want;

	if (n > b->cap || b->len > b->cap - n) {
		b->overflow = true;
		return false;
	}
	if (b->len + n + 1 <= b->size)
		return true;
	want = b->size ? b->size : 256;
	while (want < b->len + n + 1)
		want *= 2;
	b->data = mem_realloc(b->data, want, 1);
	b->size = want;
	return true;
}

void buf_expect(struct buf *b, size_t n)
{
	if (n > b->cap || n < b->size || !n)
		return;
	b->data = mem_realloc(b->data, n + 1, 1);
	b->data[b->len] = '\0';
	b->size = n + 1;
}

bool buf_add(struct buf *b, const void *p, size_t n)
{
	if (!buf_room(b, n))
		return false;
	if (n)
		memcpy(b->data + b->len, p, n);
	b->len += n;
	b->data[b->len] = '\0';
	return true;
}

bool buf_adds(struct buf *b, const char *s)
{
	return buf_add(b, s, strlen(s));
}

bool buf_addf(struct buf *b, const char *fmt, ...)
{
	/* Formats straight into the room that is left, if the text fits there. */
	size_t room = b->size - b->len;
	va_list ap, again;
	int n;

	va_start(ap, fmt);
	va_copy(again, ap);
	n = vsnprintf(room ? b->data + b->len : NULL, room, fmt, ap);
	va_end(ap);
	if (n < 0 || !buf_room(b, (size_t)n)) {
		if (room)
			b->data[b->len] = '\0';
		va_end(again);
		return false;
	}
	if ((size_t)n >= room)
		(void)vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
	va_end(again);
	b->len += (size_t)n;
	return true;
}

char *buf_take(struct buf *b, size_t *len)
{
	char *p = b->data ? b->data : mem_strdup("");

	if (len)
		*len = b->len;
	b->data = NULL;
	b->len = b->size = 0;
	b->overflow = false;
	return p;
}

bool fd_write_all(int fd, const void *bytes, size_t n)
{
	const char *at = bytes;

	while (n) {
		ssize_t took = write(fd, at, n);

		if (took < 0 && errno == EINTR)
			continue;
		if (took <= 0) {
			errno = took ? errno : EIO;
			return false;
		}
		at += took;
		n -= (size_t)took;
	}
	return true;
}
