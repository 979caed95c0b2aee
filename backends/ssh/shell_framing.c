/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/str.h"

/*
 * The format of the kept shell's answers: the answer, a line "\nNONCE NUMBER STATUS", the
 * question's standard error, and the nonce once more.
 */

#define TAIL_CAP       ((size_t)64 << 10)
#define COMPLAINT_MOST ((size_t)4096)

void ssh_lane_await(struct ssh_lane *w, struct ssh_ask *a, const char *nonce, unsigned number)
{
	(void)str_printf(w->mark, sizeof(w->mark), "\n%s %u ", nonce, number);
	/* The mark does not count against the answer's limit. */
	a->out.cap = a->request->cap + sizeof(w->mark);
	w->ask = a;
	w->marked = false;
	buf_reset(&w->tail);
	w->tail.cap = TAIL_CAP;
}

void ssh_lane_clear(struct ssh_lane *w)
{
	w->ask = NULL;
	w->marked = false;
	buf_free(&w->tail);
	buf_init(&w->tail, TAIL_CAP);
}

/* Finds the end of the question's output. Cuts out there; the rest goes to tail. */
static void find_mark(struct ssh_lane *w, size_t from)
{
	struct buf *out = &w->ask->out;
	size_t n = strlen(w->mark);
	char *mark;

	from = from > n ? from - n : 0;
	if (!out->data)
		return;
	mark = memmem(out->data + from, out->len - from, w->mark, n);
	if (!mark)
		return;
	w->marked = true;
	(void)buf_add(&w->tail, mark + n, (size_t)(out->data + out->len - mark) - n);
	out->len = (size_t)(mark - out->data);
	out->data[out->len] = '\0';
	/* Bytes behind the answer do not count against its limit. */
	out->overflow = out->len > w->ask->request->cap;
}

/* Reads the fields that a filter appends to the status. Returns their end. */
static char *read_more(struct ssh_shell *sh, char *text, char *stop)
{
	sh->delta = (struct delta_mark){.seq = 0};
	if (text < stop && *text == ' ' && delta_mark_read(&sh->delta, text + 1)) {
		sh->delta.seq = sh->seq;
		text = strchr(text, '\n');
	}
	return text;
}

/* Reads everything after the mark. Returns the number of bytes behind that. */
static size_t read_tail(struct ssh_shell *sh, struct ssh_lane *w)
{
	struct ssh_ask *a = w->ask;
	char end[SSH_NONCE_SIZE + 2], *stop, *text = NULL;
	size_t n;

	(void)str_printf(end, sizeof(end), "\n%s\n", sh->nonce);
	stop = w->tail.data ? memmem(w->tail.data, w->tail.len, end, strlen(end)) : NULL;
	if (!stop)
		return 0;
	a->status = (int)strtol(w->tail.data, &text, 10);
	if (w == &sh->main)
		text = read_more(sh, text, stop);
	if (text < stop && *text == '\n') {
		n = (size_t)(stop - ++text);
		(void)buf_add(&a->complaint, text, n < COMPLAINT_MOST ? n : COMPLAINT_MOST);
	}
	a->eof = true;
	return w->tail.len - (size_t)(stop - w->tail.data) - strlen(end);
}

size_t ssh_lane_data(struct ssh_shell *sh, struct ssh_lane *w, const char *data, size_t len)
{
	struct ssh_ask *a = w->ask;
	size_t room = a->out.cap - a->out.len, before = a->out.len;

	a->received += len;
	if (w->marked) {
		(void)buf_add(&w->tail, data, len);
	} else {
		room = room < len ? room : len;
		(void)buf_add(&a->out, data, room);
		find_mark(w, before);
		if (w->marked)
			(void)buf_add(&w->tail, data + room, len - room);
		else
			a->out.overflow = room < len;
	}
	return w->marked && !a->eof ? read_tail(sh, w) : 0;
}
