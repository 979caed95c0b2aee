/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/mem.h"

#define ROOM (LEDGER_LINE_MAX + (size_t)128 * 1024)

void ledger_scan_begin(struct ledger_scan *s, int fd, off_t from, off_t end)
{
	memset(s, 0, sizeof(*s));
	s->fd = fd;
	s->skip = from > 0;
	/*
	 * Starts one byte earlier: if a line starts exactly at from, this byte is the line end
	 * before it.
	 */
	s->at = from > 0 ? from - 1 : 0;
	s->end = end;
	s->data = mem_alloc(ROOM + 1);
}

void ledger_scan_end(struct ledger_scan *s)
{
	free(s->data);
	s->data = NULL;
}

/* Reads more bytes behind those in the buffer. False: at the end, or an error (*failed, errno). */
static bool fill_buffer(struct ledger_scan *s, bool *failed)
{
	size_t want;
	ssize_t k;

	if (s->from > 0) {
		memmove(s->data, s->data + s->from, s->have);
		s->from = 0;
	}
	want = ROOM - s->have;
	if ((off_t)want > s->end - s->at)
		want = (size_t)(s->end - s->at);
	if (want == 0)
		return false;
	do
		k = pread(s->fd, s->data + s->have, want, s->at);
	while (k < 0 && errno == EINTR);
	if (k == 0)
		errno = EIO;
	*failed = k <= 0;
	if (k <= 0)
		return false;
	s->at += k;
	s->have += (size_t)k;
	return true;
}

static void use_bytes(struct ledger_scan *s, size_t n)
{
	s->from += n;
	s->have -= n;
}

enum scan_got ledger_scan_next(struct ledger_scan *s, const char **line, size_t *len)
{
	bool failed = false;

	for (;;) {
		char *at = s->data + s->from;
		char *nl = s->have ? memchr(at, '\n', s->have) : NULL;
		size_t n = nl ? (size_t)(nl - at) : s->have;
		bool skip = s->skip;

		if (!nl && n <= LEDGER_LINE_MAX && fill_buffer(s, &failed))
			continue;
		if (failed)
			return SCAN_FAILED;
		*line = at = s->data + s->from;
		*len = n;
		if (!nl && n == 0)
			return SCAN_END;
		use_bytes(s, nl ? n + 1 : n);
		/* The rest of an overlong line is not a line either. */
		s->skip = !nl && (s->at < s->end || n > LEDGER_LINE_MAX);
		if (skip)
			continue;
		if (n > LEDGER_LINE_MAX)
			return SCAN_LONG;
		if (!nl)
			return SCAN_TORN;
		at[n] = '\0';
		return SCAN_LINE;
	}
}
