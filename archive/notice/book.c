/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/notice/book.h"

#include <string.h>

#include "base/str.h"

#define HOUR_US (INT64_C(3600) * 1000000)
/*
 * The end of an alert is repeated for so long: an Alertmanager may have been restarted right after
 * it was told. Prometheus does the same.
 */
#define RESOLVED_US (INT64_C(900) * 1000000)
/* An entry of which nothing has been known for so long is forgotten, without a word to anybody. */
#define FORGOTTEN_US  (INT64_C(7) * 24 * HOUR_US)
#define REFUSALS_MOST 3
/* The notice about notices that are held back. */
#define MORE_ID "railtop.more"

const char *message_kind_name(enum message_kind k)
{
	static const char *const names[MESSAGE_KINDS] = {
		"none", "trigger", "update", "acknowledge", "resolve", "resend", "test"};

	return (unsigned)k < MESSAGE_KINDS ? names[k] : names[MESSAGE_NONE];
}

void book_free(struct book *b)
{
	for (size_t i = 0; i < b->at.n; i++)
		notice_empty(&b->at.at[i].n);
	vec_free(&b->at);
	vec_free(&b->triggers);
	notice_set_drop(b->last);
	b->last = NULL;
}

static struct book_entry *find_entry(const struct book *b, const char *key)
{
	for (size_t i = 0; i < b->at.n; i++)
		if (str_eq(b->at.at[i].n.key, key))
			return &b->at.at[i];
	return NULL;
}

static void drop_entry(struct book *b, size_t i)
{
	notice_empty(&b->at.at[i].n);
	b->at.at[i] = b->at.at[--b->at.n];
}

/* The receiver has it, or may have it: nobody knows after a kill. */
static bool is_with_receiver(const struct book_entry *e)
{
	return e->state == BOOK_FIRING || (e->state == BOOK_WAITING && e->sending != MESSAGE_NONE);
}

static bool is_more(const struct book_entry *e)
{
	return str_eq(e->n.id, MORE_ID);
}

/* Its JSON stays with the set. */
static void take_notice(struct book_entry *e, const struct notice *n)
{
	notice_empty(&e->n);
	e->n = *n;
	e->n.json = NULL;
}

/* ---- a new set ---- */

static void take_present(
	struct book *b, const struct notice *n, enum severity least, int64_t now_us)
{
	struct book_entry *e = find_entry(b, n->key);

	if (!e && (n->severity < least || b->at.n >= BOOK_MOST))
		return;
	if (!e) {
		e = vec_add(&b->at);
		memset(e, 0, sizeof(*e));
		e->seen_us = now_us;
	}
	if (e->state == BOOK_RESOLVED) {
		e->state = BOOK_WAITING;
		e->seen_us = now_us;
		e->resolved_us = 0;
		e->refusals = 0;
	}
	take_notice(e, n);
	e->gone_us = 0;
	e->unseen = n->silent;
	e->why[0] = '\0';
	if (n->silent)
		(void)str_printf(e->why, sizeof(e->why), "%s is not heard at present", n->device);
}

static void take_absent(struct book *b, struct book_entry *e, int64_t now_us)
{
	const struct notice_gone *g = notice_find_gone(b->last, e->n.key);

	/* The set was made before the receiver was told: the next one knows. */
	if (!g || e->state == BOOK_RESOLVED)
		return;
	(void)str_copy(e->why, sizeof(e->why), g->why);
	e->unseen = g->fate == NOTICE_UNSEEN;
	if (g->fate == NOTICE_UNSEEN)
		e->gone_us = 0;
	else if (!e->gone_us)
		e->gone_us = now_us;
}

/* A finding that never was told and is not there any more, or not told here any more. */
static bool is_over_untold(const struct book_entry *e, const struct notice *n, enum severity least)
{
	return e->state == BOOK_WAITING && e->sending == MESSAGE_NONE && !is_more(e) &&
	       (!n || n->severity < least);
}

void book_take(struct book *b, const struct book_policy *p, struct notice_set *set, int64_t now_us)
{
	notice_set_drop(b->last);
	b->last = notice_set_keep(set);
	for (size_t i = 0; i < set->at.n; i++)
		take_present(b, &set->at.at[i], p->severity, now_us);
	for (size_t i = b->at.n; i-- > 0;) {
		struct book_entry *e = &b->at.at[i];
		const struct notice *n = notice_find(set, e->n.key);

		if (is_over_untold(e, n, p->severity)) {
			b->missed += !n;
			drop_entry(b, i);
		} else if (!n && !is_more(e)) {
			take_absent(b, e, now_us);
		}
	}
}

/* ---- the next message ---- */

static void add_due(int64_t *due_us, int64_t at_us)
{
	if (at_us < *due_us)
		*due_us = at_us;
}

static void forget_triggers(struct book *b, int64_t now_us)
{
	size_t kept = 0;

	for (size_t i = 0; i < b->triggers.n; i++)
		/* A clock that was set back must not hold messages back for ever. */
		if (b->triggers.at[i] > now_us - HOUR_US && b->triggers.at[i] <= now_us)
			b->triggers.at[kept++] = b->triggers.at[i];
	b->triggers.n = kept;
}

/* A clock that was set back must not delay anything either. */
static void limit_times(struct book *b, int64_t now_us)
{
	for (size_t i = 0; i < b->at.n; i++) {
		struct book_entry *e = &b->at.at[i];

		e->seen_us = e->seen_us < now_us ? e->seen_us : now_us;
		e->gone_us = e->gone_us < now_us ? e->gone_us : now_us;
		e->told_us = e->told_us < now_us ? e->told_us : now_us;
		e->resolved_us = e->resolved_us < now_us ? e->resolved_us : now_us;
	}
}

static void forget_entries(struct book *b, const struct book_policy *p, int64_t now_us)
{
	for (size_t i = b->at.n; i-- > 0;) {
		const struct book_entry *e = &b->at.at[i];
		int64_t latest = e->told_us > e->seen_us ? e->told_us : e->seen_us;

		if ((e->state == BOOK_RESOLVED &&
			    (!p->resend_us || now_us - e->resolved_us > RESOLVED_US)) ||
			(e->unseen && now_us - latest > FORGOTTEN_US && !p->resend_us))
			drop_entry(b, i);
	}
}

/* An acknowledged finding makes no new page. */
static bool may_trigger(const struct book *b, const struct book_entry *e)
{
	return e->state == BOOK_WAITING && !e->n.acked && e->refusals < REFUSALS_MOST &&
	       !is_more(e) && b->last && notice_find(b->last, e->n.key);
}

static bool next_trigger(struct book *b, const struct book_policy *p, int64_t now_us,
	struct message *out, int64_t *due_us)
{
	const struct book_entry *best = NULL;
	unsigned ready = 0;

	b->held_back = 0;
	for (size_t i = 0; i < b->at.n; i++) {
		const struct book_entry *e = &b->at.at[i];

		if (!may_trigger(b, e))
			continue;
		if (e->sending == MESSAGE_NONE && now_us - e->seen_us < p->wait_us) {
			add_due(due_us, e->seen_us + p->wait_us);
			continue;
		}
		ready++;
		if (!best || e->n.severity > best->n.severity ||
			(e->n.severity == best->n.severity && e->seen_us < best->seen_us))
			best = e;
	}
	if (!best)
		return false;
	if (b->triggers.n >= p->per_hour) {
		b->held_back = ready;
		add_due(due_us, b->triggers.at[0] + HOUR_US);
		return false;
	}
	out->kind = MESSAGE_TRIGGER;
	out->entry = (size_t)(best - b->at.at);
	return true;
}

static struct book_entry *add_more(struct book *b, int64_t now_us)
{
	struct book_entry *e = vec_add(&b->at);

	memset(e, 0, sizeof(*e));
	(void)str_printf(e->n.key, sizeof(e->n.key), "%.60s " MORE_ID, b->last->fabric);
	(void)str_copy(e->n.id, sizeof(e->n.id), MORE_ID);
	(void)str_copy(e->n.role, sizeof(e->n.role), "info");
	e->n.severity = SEV_CRIT;
	e->n.members = 1;
	e->n.onset_us = e->n.opened_us = e->seen_us = now_us;
	return e;
}

/* One message about those that are held back, and one when there are none any more. */
static bool next_more(
	struct book *b, const struct book_policy *p, int64_t now_us, struct message *out)
{
	struct book_entry *e = NULL;

	for (size_t i = 0; i < b->at.n; i++)
		if (is_more(&b->at.at[i]))
			e = &b->at.at[i];
	if (b->held_back && !e)
		e = add_more(b, now_us);
	if (!e)
		return false;
	if (b->held_back)
		(void)str_printf(e->n.title, sizeof(e->n.title),
			"%u more finding%s: the limit of %u messages an hour is reached, see the "
			"console",
			b->held_back, str_plural(b->held_back), p->per_hour);
	out->entry = (size_t)(e - b->at.at);
	out->kind = b->held_back && e->state != BOOK_FIRING && e->refusals < REFUSALS_MOST
			    ? MESSAGE_TRIGGER
		    : !b->held_back && e->state == BOOK_FIRING ? MESSAGE_RESOLVE
							       : MESSAGE_NONE;
	return out->kind != MESSAGE_NONE;
}

static bool ends_now(const struct book *b, const struct book_policy *p, const struct book_entry *e,
	int64_t now_us, struct message *out, int64_t *due_us)
{
	const struct notice_gone *g = b->last ? notice_find_gone(b->last, e->n.key) : NULL;
	const struct book_entry *into;

	if (!is_with_receiver(e) || !e->gone_us || !g)
		return false;
	if (now_us - e->gone_us < p->hold_us) {
		add_due(due_us, e->gone_us + p->hold_us);
		return false;
	}
	if (g->fate == NOTICE_HEALED) {
		(void)str_copy(out->why, sizeof(out->why), "no longer seen");
		return true;
	}
	/* Its own page ends only if the receiver has the other one. */
	into = g->fate == NOTICE_MERGED ? find_entry(b, g->into) : NULL;
	if (!into || into->state != BOOK_FIRING)
		return false;
	(void)str_copy(out->why, sizeof(out->why), g->why);
	return true;
}

static enum message_kind kind_for(const struct book *b, const struct book_policy *p,
	const struct book_entry *e, int64_t now_us, struct message *out, int64_t *due_us)
{
	bool again = p->resend_us && e->state != BOOK_WAITING;

	if (e->state == BOOK_FIRING && e->n.severity > e->told_severity && !is_more(e)) {
		out->told_before = e->told_severity;
		return MESSAGE_UPDATE;
	}
	if (ends_now(b, p, e, now_us, out, due_us))
		return MESSAGE_RESOLVE;
	if (e->state == BOOK_FIRING && p->acknowledges && e->n.acked != e->told_ack) {
		out->told_before = e->told_severity;
		return e->n.acked ? MESSAGE_ACKNOWLEDGE : MESSAGE_UPDATE;
	}
	if (again && now_us - e->told_us >= p->resend_us) {
		(void)str_copy(out->why, sizeof(out->why), e->why);
		return e->state == BOOK_FIRING ? MESSAGE_RESEND : MESSAGE_RESOLVE;
	}
	if (again)
		add_due(due_us, e->told_us + p->resend_us);
	return MESSAGE_NONE;
}

bool book_next(struct book *b, const struct book_policy *p, int64_t now_us, struct message *out,
	int64_t *due_us)
{
	*due_us = INT64_MAX;
	memset(out, 0, sizeof(*out));
	forget_triggers(b, now_us);
	limit_times(b, now_us);
	forget_entries(b, p, now_us);
	if (next_trigger(b, p, now_us, out, due_us))
		return true;
	if (b->last && next_more(b, p, now_us, out))
		return true;
	for (size_t i = 0; i < b->at.n; i++) {
		const struct book_entry *e = &b->at.at[i];

		if (e->refusals >= REFUSALS_MOST)
			continue;
		out->kind = kind_for(b, p, e, now_us, out, due_us);
		out->entry = i;
		if (out->kind != MESSAGE_NONE)
			return true;
	}
	return false;
}

void book_sending(struct book *b, const struct message *m)
{
	b->at.at[m->entry].sending = m->kind;
}

void book_sent(struct book *b, const struct book_policy *p, const struct message *m, int64_t now_us)
{
	struct book_entry *e = &b->at.at[m->entry];

	e->sending = MESSAGE_NONE;
	e->refusals = 0;
	e->told_us = now_us;
	switch (m->kind) {
	case MESSAGE_TRIGGER:
		e->told_ack = false;
		vec_push(&b->triggers, now_us);
		e->state = BOOK_FIRING;
		e->told_severity = e->n.severity;
		break;
	case MESSAGE_UPDATE:
		e->told_severity =
			e->n.severity > e->told_severity ? e->n.severity : e->told_severity;
		e->told_ack = e->n.acked && e->told_ack;
		break;
	case MESSAGE_ACKNOWLEDGE:
		e->told_ack = true;
		break;
	case MESSAGE_RESOLVE:
		e->state = BOOK_RESOLVED;
		if (!e->resolved_us)
			e->resolved_us = now_us;
		if (!p->resend_us)
			drop_entry(b, m->entry);
		break;
	default:
		break;
	}
}

void book_failed(struct book *b, const struct message *m, bool refused)
{
	struct book_entry *e = &b->at.at[m->entry];

	/* A trigger may have arrived although no answer came: it stays under way. */
	if (m->kind != MESSAGE_TRIGGER || refused)
		e->sending = MESSAGE_NONE;
	e->refusals += refused;
}

void book_told(const struct book *b, notice_told_vec *out)
{
	for (size_t i = 0; i < b->at.n; i++) {
		const struct book_entry *e = &b->at.at[i];
		struct notice_told *t;

		if (!is_with_receiver(e) || is_more(e))
			continue;
		t = vec_add(out);
		memset(t, 0, sizeof(*t));
		(void)str_copy(t->key, sizeof(t->key), e->n.key);
		memcpy(t->devices, e->n.devices, sizeof(t->devices));
		t->ndevices = e->n.ndevices;
		t->every = e->n.every;
		t->long_us = notice_least_us(e->n.id);
	}
}
