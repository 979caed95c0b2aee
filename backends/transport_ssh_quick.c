/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/transport_ssh_link.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * A channel of its own costs a question more than its answer does. What the medium tier asks may go
 * to the kept shell, if it was quick the last time. Its answer goes past the filter, which would
 * have to remember a text that is asked for six times less often than the fast tier's. A question
 * of the fast tier, whose shell it is, waits for it, and no longer than it was quick.
 *
 * Between the answers of a stream, which come when they like, it is said on standard error. libssh
 * keeps a buffer for that, as large as the largest packet was: so only there.
 *
 * One that was slow in the shell, or hung there, is asked there no more in this connection.
 */

#define QUICK_US (100 * CLOCK_MSEC)
/* More than it may have waited for the shell. */
#define LATE_US (2 * CLOCK_SEC)

/* SSH_QUICK: there is no room for it. */
static unsigned find(const struct ssh_link *l, const char *name)
{
	unsigned i = 0;

	while (i < SSH_QUICK && l->quick[i].name && !str_eq(l->quick[i].name, name))
		i++;
	return i;
}

bool ssh_quick_wants(const struct ssh_link *l, const struct request *r, enum poll_tier tier)
{
	unsigned i;

	if (tier != POLL_MEDIUM || l->shell.stage != SHELL_READY || l->shell.off ||
		!ssh_shell_wants(l, r))
		return false;
	i = find(l, r->name);
	return i < SSH_QUICK && l->quick[i].is;
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
	unsigned i = a->tier == POLL_MEDIUM ? find(a->link, a->request->name) : SSH_QUICK;

	if (i < SSH_QUICK)
		a->link->quick[i].never = true;
}

int64_t ssh_quick_deadline(const struct ssh_shell *sh)
{
	return sh->beside.ask && !sh->beside.ask->eof ? sh->beside.ask->began_us + LATE_US : 0;
}

void ssh_quick_note(const struct ssh_ask *a)
{
	bool slow = ssh_now_us(a->link) - a->began_us > QUICK_US;
	struct ssh_quick *q;
	unsigned i;

	if (a->tier != POLL_MEDIUM || !a->request->shell)
		return;
	i = find(a->link, a->request->name);
	if (i == SSH_QUICK)
		return;
	q = &a->link->quick[i];
	q->name = a->request->name;
	q->never |= a->shell && slow;
	q->is = a->err.code == ERR_NONE && !slow && !q->never;
}

/* ---- asking the shell ---- */

bool ssh_quick_take(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	struct ssh_shell *sh = &l->shell;
	unsigned f;

	/* The fast tier begins one that is gone. */
	if (sh->stage != SHELL_READY) {
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
	sh->beside_begun = false;
	a->left = true;
	a->stage = ASK_READING;
	ssh_shell_step(l);
	return true;
}

/* What else is told there comes before this line or behind the answer. */
static void find_begin(struct ssh_shell *sh, const char *data, size_t len)
{
	struct ssh_lane *w = &sh->beside;
	char line[sizeof(w->mark)], *at;
	struct buf came;

	(void)str_printf(line, sizeof(line), "%s %u\n", sh->nonce, sh->beside_seq);
	(void)buf_add(&w->tail, data, len);
	at = w->tail.data ? memmem(w->tail.data, w->tail.len, line, strlen(line)) : NULL;
	if (!at)
		return;
	at += strlen(line);
	sh->beside_begun = true;
	came = w->tail;
	buf_init(&w->tail, came.cap);
	sh->noise += (size_t)(at - came.data) - strlen(line);
	sh->noise += ssh_lane_data(sh, w, at, (size_t)(came.data + came.len - at));
	buf_free(&came);
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
