/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/ledger/explain.h"

#include <string.h>

#include "actions/ledger/ledger_file.h"
#include "base/buf.h"
#include "base/str.h"

/* The ledger's lines as sentences for people. Absent members are left out. */

typedef void sayer(struct buf *b, const json_t *o);

static const char *either_member(const json_t *o, const char *first, const char *second)
{
	const char *s = member_text(o, first);

	return s[0] ? s : member_text(o, second);
}

/* Adds sep and text, unless the text is empty. */
static void add_text(struct buf *b, const char *sep, const char *text)
{
	if (text[0])
		(void)buf_addf(b, "%s%.400s", sep, text);
}

static void add_request(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "%.400s", either_member(o, "request", "sent"));
}

static void say_refused(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "refused");
	add_text(b, " by ", member_text(o, "guard"));
	add_text(b, ": ", either_member(o, "why", "error"));
}

static void say_approved(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "approved");
	add_text(b, " the plan ", member_text(o, "plan"));
	add_text(b, " of ", member_text(o, "place"));
	add_text(b, ": ", member_text(o, "reason"));
}

static void say_begun(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "begun");
	add_text(b, ": ", member_text(o, "reason"));
	add_text(b, ", approved by ", member_text(o, "approver"));
}

static void say_sending(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "sent: ");
	add_request(b, o);
}

static void say_answered(struct buf *b, const json_t *o)
{
	const json_t *status = json_object_get(o, "status");
	const json_t *took = json_object_get(o, "took_ms");

	if (str_eq(member_text(o, "outcome"), "not sent")) {
		(void)buf_adds(b, "not sent after all: ");
		add_request(b, o);
		add_text(b, ": ", member_text(o, "error"));
		return;
	}
	(void)buf_adds(b, "answered");
	if (json_is_integer(status))
		(void)buf_addf(b, ": status %lld", (long long)json_integer_value(status));
	if (json_is_number(took))
		(void)buf_addf(b, " after %.0f ms", json_number_value(took));
	add_text(b, ", complaint: ", member_text(o, "complaint"));
	add_text(b, ", error: ", member_text(o, "error"));
	add_text(b, ", said: ", member_text(o, "output"));
}

static void say_lost(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "no end was seen, and it is unknown if it was done: ");
	add_request(b, o);
	add_text(b, ": ", either_member(o, "error", "why"));
}

static void add_value(struct buf *b, const char *name, const json_t *v)
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
	const char *what = either_member(o, "seen", "outcome"), *name;
	size_t before;

	(void)buf_adds(b, "read back: ");
	(void)buf_addf(b, "%.400s", what);
	if (what[0] || !condition)
		return;
	before = b->len;
	json_object_foreach(condition, name, v) if (!str_eq(name, "t")) add_value(b, name, v);
	/* Removes the first ", " of the list. */
	if (b->len > before + 2) {
		memmove(b->data + before, b->data + before + 2, b->len - before - 1);
		b->len -= 2;
	}
}

static void add_end(struct buf *b, const char *how, const json_t *o)
{
	const char *error = member_text(o, "error");

	(void)buf_adds(b, how);
	add_text(b, ": ", error[0] ? error : either_member(o, "outcome", "why"));
	add_text(b, "; ", member_text(o, "cure"));
}

static void say_done(struct buf *b, const json_t *o)
{
	const char *outcome = either_member(o, "outcome", "why"),
		   *expect = member_text(o, "expect");
	bool plain = !outcome[0] || str_eq(outcome, "done");

	/* A device that does not report the state proves only that it accepted the command. */
	if (!plain && expect[0])
		(void)buf_addf(b, "%.200s: %.400s", outcome, expect);
	else
		(void)buf_adds(b, "done");
	if (plain || !expect[0])
		add_text(b, ": ", plain ? expect : outcome);
}

static void say_failed(struct buf *b, const json_t *o)
{
	add_end(b, "failed", o);
}

static void say_unknown(struct buf *b, const json_t *o)
{
	add_end(b, "unknown, check the device", o);
}

static void say_watched(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "watched");
	add_text(b, ": ", member_text(o, "outcome"));
	add_text(b, ": ", either_member(o, "why", "error"));
}

static void say_settled(struct buf *b, const json_t *o)
{
	(void)buf_adds(b, "settled");
	add_text(b, ": ", either_member(o, "reason", "outcome"));
}

static void say_mended(struct buf *b, const json_t *o)
{
	(void)buf_addf(b, "put aside %lld byte%s of an incomplete line",
		(long long)json_integer_value(json_object_get(o, "torn_bytes")),
		str_plural((uint64_t)json_integer_value(json_object_get(o, "torn_bytes"))));
}

void ledger_explain(enum ledger_event e, const json_t *line, char *dst, size_t size)
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
