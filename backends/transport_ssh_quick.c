/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/transport_ssh_link.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * A channel of its own costs a question more than its answer does. What the medium tier asks may go
 * to the kept shell, if it was quick the last time: a question of the fast tier, whose shell it is,
 * waits for it no longer than that. One that was slow in the shell, or hung there, is asked there
 * no more in this connection.
 *
 * Through a filter such an answer comes whole each time, and no text of it is kept: that would be
 * as much memory as the fast tier's for what is asked six times less often. A filter must not
 * suffer for it: one that leads to no text is no mistake of the filter, and one that takes long, of
 * which no half comes through, is given a channel of its own before its time is over.
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

	/* Each question ends a stream. */
	if (tier != POLL_MEDIUM || l->device->poll == POLL_WAY_STREAM ||
		l->shell.stage != SHELL_READY || l->shell.off || !ssh_shell_wants(l, r))
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
	return sh->filter == FILTER_ON && sh->ask && sh->ask->tier == POLL_MEDIUM
		       ? sh->ask->began_us + LATE_US
		       : 0;
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
