/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * Admits questions of the medium and the slow tier to the kept shell. A channel of its own costs a
 * question more than its answer does. A question may go to the kept shell if it was quick the last
 * time. Its answer bypasses the filter: the filter would have to remember a text that is requested
 * six times less often than the fast tier's. The shell belongs to the fast tier, so a question of
 * that tier waits at most for such a quick one.
 *
 * A question that was slow in the shell, or hung there, is barred from it for this connection.
 */

#define QUICK_US (100 * CLOCK_MSEC)
#define LATE_US  (2 * CLOCK_SEC)

/* Returns SSH_QUICK if the table is full. */
static unsigned find_quick(const struct ssh_link *l, const char *name)
{
	unsigned i = 0;

	while (i < SSH_QUICK && l->quick[i].name && !str_eq(l->quick[i].name, name))
		i++;
	return i;
}

static bool is_quick(const struct ssh_link *l, const char *name)
{
	unsigned i = find_quick(l, name);

	return i < SSH_QUICK && l->quick[i].name && l->quick[i].took_us <= QUICK_US &&
	       l->quick[i].most_us <= QUICK_US;
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
	unsigned i = ssh_is_background(a->tier) ? find_quick(a->link, a->request->name) : SSH_QUICK;

	if (i < SSH_QUICK)
		a->link->quick[i].most_us = INT64_MAX;
}

int64_t ssh_quick_deadline(const struct ssh_shell *sh)
{
	const struct ssh_ask *a = sh->beside.ask;

	return a && !a->eof ? a->asked_us + LATE_US : 0;
}

void ssh_quick_note(const struct ssh_ask *a)
{
	int64_t took = ssh_now_us(a->link) - a->asked_us;
	struct ssh_quick *q;
	unsigned i;

	if (!ssh_is_background(a->tier) || !a->request->shell)
		return;
	i = find_quick(a->link, a->request->name);
	if (i == SSH_QUICK)
		return;
	q = &a->link->quick[i];
	q->name = a->request->name;
	q->took_us = a->err.code == ERR_NONE ? took : INT64_MAX;
	if (a->link->shell.beside.ask == a && took > q->most_us)
		q->most_us = took;
}

/* ---- questions to the shell ---- */

bool ssh_quick_take(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	struct ssh_shell *sh = &l->shell;
	unsigned f;

	/* The fast tier starts a new shell. A question may have become too slow by now. */
	if (sh->stage != SHELL_READY || !is_quick(l, a->request->name)) {
		ssh_shell_give_back(a);
		return false;
	}
	if (sh->beside.ask || sh->main.ask || sh->closed)
		return false;
	f = ssh_shell_told(l, a->request);
	ssh_shell_beat(l, ssh_now_us(l));
	if (!buf_addf(&sh->in, "q %u %u >&4\n", f, ++sh->beside_seq) || sh->in.overflow) {
		sh->closed = true; /* part of it may be written */
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

/* Continues behind the line that begins the answer. Returns false if the line is not there. */
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

/* Other output there comes before this line or behind the answer; it is skipped. */
static void find_begin(struct ssh_shell *sh, const char *data, size_t len)
{
	struct ssh_lane *w = &sh->beside;
	char line[sizeof(w->mark)];
	struct buf came;

	(void)str_printf(line, sizeof(line), "%s %u\n", sh->nonce, sh->beside_seq);
	/* Usually the line comes with the answer, which is long: so search without copying. */
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
	/* A complete answer stands. */
	if (a && !a->eof)
		ssh_shell_give_back(a);
}
