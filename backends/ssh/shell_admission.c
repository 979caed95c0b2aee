/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * A channel of its own costs a question more than its answer does. What the medium and the slow
 * tier ask may go to the kept shell, if it was quick the last time. Its answer goes past the
 * filter, which would have to remember a text that is asked for six times less often than the fast
 * tier's. A question of the fast tier, whose shell it is, waits for it, and no longer than it was
 * quick.
 *
 * Between the answers of a stream, which come when they like, it is said on standard error. libssh
 * keeps a buffer for that, as large as the largest packet was: so only there. They come from beside
 * the shell and wait for nobody, so that quick is more there. What ends the stream waits for it;
 * but who needs that goes to a channel of its own after a second.
 *
 * One that was slow in the shell, or hung there, is asked there no more in this connection, unless
 * it streams and that was quick enough for it.
 */

#define QUICK_US (100 * CLOCK_MSEC)
#define LATE_US  (2 * CLOCK_SEC)
/* Less than a stream has to end: a question that hangs is known to before that. */
#define STREAM_QUICK_US (2 * CLOCK_SEC)
#define STREAM_LATE_US  (4 * CLOCK_SEC)

/* SSH_QUICK: there is no room for it. */
static unsigned find(const struct ssh_link *l, const char *name)
{
	unsigned i = 0;

	while (i < SSH_QUICK && l->quick[i].name && !str_eq(l->quick[i].name, name))
		i++;
	return i;
}

static bool is_quick(const struct ssh_link *l, const char *name)
{
	int64_t most = ssh_stream_runs(&l->shell) ? STREAM_QUICK_US : QUICK_US;
	unsigned i = find(l, name);

	return i < SSH_QUICK && l->quick[i].name && l->quick[i].took_us <= most &&
	       l->quick[i].most_us <= most;
}

bool ssh_quick_wants(const struct ssh_link *l, const struct request *r, enum poll_tier tier)
{
	return ssh_is_background(tier) && l->shell.stage == SHELL_READY && !l->shell.off &&
	       ssh_shell_wants(l, r) && is_quick(l, r->name);
}

bool ssh_quick_yields(const struct ssh_ask *a)
{
	if (a->tier == POLL_FAST)
		return false;
	for (const struct ssh_ask *o = a->link->asks; o; o = o->next)
		if (o->shell && o->tier == POLL_FAST && o->stage == ASK_WAITING)
			return true;
	return false;
}

void ssh_quick_never(const struct ssh_ask *a)
{
	unsigned i = ssh_is_background(a->tier) ? find(a->link, a->request->name) : SSH_QUICK;

	if (i < SSH_QUICK)
		a->link->quick[i].most_us = INT64_MAX;
}

int64_t ssh_quick_deadline(const struct ssh_shell *sh)
{
	const struct ssh_ask *a = sh->beside.ask;

	if (!a || a->eof)
		return 0;
	return a->asked_us + (sh->beside_apart ? STREAM_LATE_US : LATE_US);
}

int64_t ssh_quick_patience(const struct ssh_shell *sh)
{
	return ssh_stream_runs(sh) ? STREAM_LATE_US : 0;
}

void ssh_quick_note(const struct ssh_ask *a)
{
	int64_t took = ssh_now_us(a->link) - a->asked_us;
	struct ssh_quick *q;
	unsigned i;

	if (!ssh_is_background(a->tier) || !a->request->shell)
		return;
	i = find(a->link, a->request->name);
	if (i == SSH_QUICK)
		return;
	q = &a->link->quick[i];
	q->name = a->request->name;
	q->took_us = a->err.code == ERR_NONE ? took : INT64_MAX;
	if (a->link->shell.beside.ask == a && took > q->most_us)
		q->most_us = took;
}

/* ---- asking the shell ---- */

bool ssh_quick_take(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	struct ssh_shell *sh = &l->shell;
	unsigned f;

	/* The fast tier begins one that is gone; and what a stream bears is too much without one.
	 */
	if (sh->stage != SHELL_READY || !is_quick(l, a->request->name)) {
		ssh_shell_give_back(a);
		return false;
	}
	if (sh->beside.ask || (sh->main.ask && !sh->stream) || sh->closed)
		return false;
	f = ssh_shell_told(l, a->request);
	sh->beside_apart = sh->stream != NULL;
	if (!buf_addf(&sh->in, "q %u %u >&%d\n", f, ++sh->beside_seq, sh->beside_apart ? 2 : 4) ||
		sh->in.overflow) {
		sh->closed = true; /* part of it may be there */
		ssh_shell_give_back(a);
		return false;
	}
	ssh_shell_await(sh, &sh->beside, a, f, sh->beside_seq);
	a->asked_us = ssh_now_us(l);
	sh->beside_begun = false;
	a->left = true;
	a->stage = ASK_READING;
	ssh_shell_step(l);
	return true;
}

/* Goes on behind the line that the answer begins with. False: it is not there. */
static bool begin_at(struct ssh_shell *sh, const char *line, const char *data, size_t len)
{
	const char *at = data ? memmem(data, len, line, strlen(line)) : NULL;

	if (!at)
		return false;
	sh->beside_begun = true;
	sh->noise += (size_t)(at - data);
	at += strlen(line);
	sh->noise += ssh_lane_data(sh, &sh->beside, at, (size_t)(data + len - at));
	return true;
}

/* What else is told there comes before this line or behind the answer. */
static void find_begin(struct ssh_shell *sh, const char *data, size_t len)
{
	struct ssh_lane *w = &sh->beside;
	char line[sizeof(w->mark)];
	struct buf came;

	(void)str_printf(line, sizeof(line), "%s %u\n", sh->nonce, sh->beside_seq);
	/* Mostly it comes with the answer, which is long. */
	if (!w->tail.len && begin_at(sh, line, data, len))
		return;
	(void)buf_add(&w->tail, data, len);
	came = w->tail;
	buf_init(&w->tail, came.cap);
	if (begin_at(sh, line, came.data, came.len))
		buf_free(&came);
	else
		w->tail = came;
}

void ssh_quick_data(struct ssh_shell *sh, const char *data, size_t len)
{
	if (!sh->beside.ask || sh->beside.ask->eof)
		sh->noise += len;
	else if (!sh->beside_begun)
		find_begin(sh, data, len);
	else
		sh->noise += ssh_lane_data(sh, &sh->beside, data, len);
}

void ssh_quick_leave(struct ssh_link *l)
{
	struct ssh_ask *a = l->shell.beside.ask;

	l->shell.beside.ask = NULL;
	/* One that is whole is answered. */
	if (a && !a->eof)
		ssh_shell_give_back(a);
}
