/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"

/*
 * Follows outputs that never end. It delivers pieces of whole lines, at most one a second. Lines
 * that do not fit into a second's piece are dropped and counted. A device that prints without end
 * is cut off.
 */

#define PIECE_CAP   ((size_t)256 << 10)
#define PIECE_US    CLOCK_SEC
#define FLOOD_BYTES ((uint64_t)8 << 20)

static uint64_t count_lines(const char *data, size_t len)
{
	uint64_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += data[i] == '\n';
	return n;
}

/* Returns the number of bytes up to the end of the last whole line. */
static size_t whole_lines(const struct buf *b)
{
	const char *last = b->len ? memrchr(b->data, '\n', b->len) : NULL;

	return last ? (size_t)(last - b->data) + 1 : 0;
}

static void drop_lines(struct ssh_ask *a, const char *data, size_t len)
{
	if (!len)
		return;
	a->follow.lost += count_lines(data, len);
	a->follow.inside = data[len - 1] != '\n';
}

/* Skips the rest of a line whose beginning was dropped. */
static size_t skip_rest(struct ssh_ask *a, const char *data, size_t len)
{
	const char *end = memchr(data, '\n', len);
	size_t n = end ? (size_t)(end - data) + 1 : len;

	drop_lines(a, data, n);
	return n;
}

void ssh_follow_data(struct ssh_ask *a, const char *data, size_t len)
{
	struct ssh_follow *f = &a->follow;
	size_t cap = a->request->cap < PIECE_CAP ? a->request->cap : PIECE_CAP, room, n;

	f->came += len;
	if (!f->dropping && f->inside) {
		n = skip_rest(a, data, len);
		data += n;
		len -= n;
	}
	if (f->dropping) {
		drop_lines(a, data, len);
		return;
	}
	room = a->out.len < cap ? cap - a->out.len : 0;
	n = len < room ? len : room;
	(void)buf_add(&a->out, data, n);
	if (n == len)
		return;
	f->dropping = true;
	n = whole_lines(&a->out);
	if (n) {
		/* The incomplete last line goes out with the next piece. */
		a->out.len = n;
		a->out.data[n] = '\0';
	} else if (a->out.len) {
		a->out.data[a->out.len - 1] = '\n'; /* a single line fills the buffer: cut it */
	}
	drop_lines(a, data + room, len - room);
}

int64_t ssh_follow_due(const struct ssh_ask *a)
{
	if (!whole_lines(&a->out))
		return 0;
	return a->follow.next_us > 1 ? a->follow.next_us : 1;
}

bool ssh_follow_floods(struct ssh_ask *a)
{
	if (a->follow.came <= FLOOD_BYTES)
		return false;
	err_set(&a->err, ERR_LIMIT, a->link->device->name,
		"%s: the device prints more than %d MB in a second", a->request->name,
		(int)(FLOOD_BYTES >> 20));
	return true;
}

static void deliver_piece(struct ssh_ask *a, const char *bytes, size_t len)
{
	struct answer answer = {.bytes = bytes,
		.len = len,
		.complaint = "",
		.status = -1,
		.received = a->follow.came,
		.lost = a->follow.lost,
		.more = true};

	a->follow.lost = a->follow.came = 0;
	a->follow.dropping = false;
	a->link->steps++;
	a->fn(a->ctx, &answer);
}

void ssh_follow_step(struct ssh_ask *a)
{
	int64_t now = ssh_now_us(a->link);
	size_t whole, rest;
	struct buf piece;

	if (!a->follow.told) {
		a->follow.told = true;
		deliver_piece(a, "", 0);
		return;
	}
	if (now < a->follow.next_us)
		return;
	whole = whole_lines(&a->out);
	if (!whole) {
		a->follow.came = 0;
		return;
	}
	a->follow.next_us = now + PIECE_US;
	piece = a->out;
	rest = piece.len - whole;
	buf_init(&a->out, piece.cap);
	(void)buf_add(&a->out, piece.data + whole, rest);
	piece.data[whole] = '\0';
	/* The callback may free the request: do not touch it afterwards. */
	deliver_piece(a, piece.data, whole);
	buf_free(&piece);
}
