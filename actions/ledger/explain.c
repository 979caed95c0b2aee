/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/ledger/explain.h"

#include <string.h>

#include "actions/ledger/ledger_file.h"
#include "base/buf.h"
#include "base/str.h"

/* The lines of the ledger as sentences for people. What a line does not have is left out. */

typedef void sayer(struct buf *b, const json_t *o);

static const char *either(const json_t *o, const char *first, const char *second)
{
	const char *s = member_text(o, first);

	return s[0] ? s : member_text(o, second);
}

/* sep + text, when there is a text. */
static void add(struct buf *b, const char *sep, const char *text)
{
	if (text[0])
		(void)buf_addf(b, "%s%.400s", sep, text);
}

static void request(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "%.400s", either(o, "request", "sent"));
}

static void say_refused(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "refused");
	add(b, " by ", member_text(o, "guard"));
	add(b, ": ", either(o, "why", "error"));
}

static void say_approved(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "approved");
	add(b, " the plan ", member_text(o, "plan"));
	add(b, " of ", member_text(o, "place"));
	add(b, ": ", member_text(o, "reason"));
}

static void say_begun(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "begun");
	add(b, ": ", member_text(o, "reason"));
	add(b, ", approved by ", member_text(o, "approver"));
}

static void say_sending(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "sent: ");
	request(b, o);
}

static void say_answered(struct buf *b, const json_t *o)
{
	const json_t *status = json_object_get(o, "status");
	const json_t *took = json_object_get(o, "took_ms");

	if (str_eq(member_text(o, "outcome"), "not sent")) {
		(void)buf_adds(b, "not sent after all: ");
		request(b, o);
		add(b, ": ", member_text(o, "error"));
		return;
	}
	(void)buf_adds(b, "answered");
	if (json_is_integer(status))
		(void)buf_addf(b, ": status %lld", (long long)json_integer_value(status));
	if (json_is_number(took))
		(void)buf_addf(b, " after %.0f ms", json_number_value(took));
	add(b, ", complaint: ", member_text(o, "complaint"));
	add(b, ", error: ", member_text(o, "error"));
	add(b, ", said: ", member_text(o, "output"));
}

static void say_lost(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "no end was seen, whether it was done is unknown: ");
	request(b, o);
	add(b, ": ", either(o, "error", "why"));
}

static void value(struct buf *b, const char *name, const json_t *v)
{
	switch (json_typeof(v)) {
	case JSON_STRING:
		if (json_string_length(v))
			(void)buf_addf(b, ", %s %.100s", name, json_string_value(v));
		return;
	case JSON_INTEGER:
		(void)buf_addf(b, ", %s %lld", name, (long long)json_integer_value(v));
		return;
	case JSON_TRUE:
	case JSON_FALSE:
		(void)buf_addf(b, ", %s %s", name, json_is_true(v) ? "yes" : "no");
		return;
	default:
		return;
	}
}

static void say_read(struct buf *b, const json_t *o)
{
	json_t *condition = json_object_get(o, "condition"), *v;
	const char *what = either(o, "seen", "outcome"), *name;
	size_t before;

	(void)buf_adds(b, "read back: ");
	(void)buf_addf(b, "%.400s", what);
	if (what[0] || !condition)
		return;
	before = b->len;
	json_object_foreach(condition, name, v) if (!str_eq(name, "t")) value(b, name, v);
	/* The first ", " of the list. */
	if (b->len > before + 2) {
		memmove(b->data + before, b->data + before + 2, b->len - before - 1);
		b->len -= 2;
	}
}

static void ended(struct buf *b, const char *how, const json_t *o)
{
	const char *error = member_text(o, "error");

	(void)buf_adds(b, how);
	add(b, ": ", error[0] ? error : either(o, "outcome", "why"));
	add(b, "; ", member_text(o, "cure"));
}

static void say_done(struct buf *b, const json_t *o)
{
	const char *outcome = either(o, "outcome", "why"), *expect = member_text(o, "expect");
	bool plain = !outcome[0] || str_eq(outcome, "done");

	/* Where the device does not tell, no more is claimed than that it took it. */
	if (!plain && expect[0])
		(void)buf_addf(b, "%.200s whether: %.400s", outcome, expect);
	else
		(void)buf_adds(b, "done");
	if (plain || !expect[0])
		add(b, ": ", plain ? expect : outcome);
}

static void say_failed(struct buf *b, const json_t *o)
{
	ended(b, "failed", o);
}

static void say_unknown(struct buf *b, const json_t *o)
{
	ended(b, "unknown, a person has to look", o);
}

static void say_watched(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "watched");
	add(b, ": ", member_text(o, "outcome"));
	add(b, ": ", either(o, "why", "error"));
}

static void say_settled(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "settled");
	add(b, ": ", either(o, "reason", "outcome"));
}

static void say_mended(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "put aside %lld bytes of a line that was never completed",
		(long long)json_integer_value(json_object_get(o, "torn_bytes")));
}

void ledger_say(enum ledger_event e, const json_t *line, char *dst, size_t size)
{
	static sayer *const sayers[LEDGER_EVENT_COUNT] = {
		[LEDGER_REFUSED] = say_refused,
		[LEDGER_APPROVED] = say_approved,
		[LEDGER_BEGUN] = say_begun,
		[LEDGER_SENDING] = say_sending,
		[LEDGER_ANSWERED] = say_answered,
		[LEDGER_LOST] = say_lost,
		[LEDGER_READ] = say_read,
		[LEDGER_DONE] = say_done,
		[LEDGER_FAILED] = say_failed,
		[LEDGER_UNKNOWN] = say_unknown,
		[LEDGER_WATCHED] = say_watched,
		[LEDGER_SETTLED] = say_settled,
		[LEDGER_MENDED] = say_mended,
	};
	struct buf b;

	buf_init(&b, 4096);
	if ((unsigned)e < LEDGER_EVENT_COUNT)
		sayers[e](&b, line);
	(void)str_sanitise(dst, size, b.data ? b.data : "", b.len);
	buf_free(&b);
}
