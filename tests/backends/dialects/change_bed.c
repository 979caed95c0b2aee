/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/dialects/change_bed.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

void change_bed_open(struct change_bed *b, const char *dialect, enum transport_kind transport)
{
	const struct backend_ops *ops = backend_by_name(dialect);

	*b = (struct change_bed){0};
	assert_non_null(ops);
	assert_non_null(ops->changes);
	b->can = ops->changes;
	b->target = (struct target){.device = "spine-000",
		.tier = TIER_SPINE,
		.transport = transport,
		.lossless = 1u << 3,
		.facts = &b->facts};
	condition_init(&b->now);
}

void change_bed_close(struct change_bed *b)
{
	facts_free(&b->facts);
}

struct order change_order(enum verb verb, const char *port)
{
	struct order o = {.verb = verb, .priority = -1};

	assert_true(str_copy(o.port, sizeof(o.port), port));
	return o;
}

struct order change_bgp_order(enum verb verb, const char *port)
{
	struct order o = change_order(verb, port);

	(void)str_copy(o.peer, sizeof(o.peer), "10.64.3.1");
	o.asn = 65100;
	return o;
}

struct order change_start_order(
	const char *port, const char *action, unsigned detect_ms, unsigned restore_ms)
{
	struct order o = change_order(VERB_WD_START, port);

	(void)str_copy(o.wd.action, sizeof(o.wd.action), action);
	o.wd.detect_ms = detect_ms;
	o.wd.restore_ms = restore_ms;
	return o;
}

void change_says(struct change_bed *b, const struct order *o, const char *want)
{
	char *text = change_text(b, o);

	if (!text)
		fail_msg("refused: %s", b->err.text);
	assert_string_equal(text, want);
	free(text);
}

char *change_text(struct change_bed *b, const struct order *o)
{
	struct request_list l = {0};
	char *text = NULL;

	b->err = (struct err){0};
	if (b->can->command(&b->target, o, &b->now, &l, &b->err)) {
		assert_int_equal(l.at.n, 1);
		assert_true(l.at.at[0].change);
		assert_string_equal(l.at.at[0].name, "change");
		text = mem_strdup(l.at.at[0].command ? l.at.at[0].command : l.at.at[0].body);
	} else {
		assert_int_equal(l.at.n, 0);
	}
	requests_free(&l);
	return text;
}

void change_refused(
	struct change_bed *b, const struct order *o, enum err_code code, const char *words)
{
	char *text = change_text(b, o);

	if (text)
		fail_msg("not refused: %s", text);
	if (b->err.code != code || !strstr(b->err.text, words))
		fail_msg("%s: %s", err_code_name(b->err.code), b->err.text);
	/* These messages of order_check() need no cure. */
	if (!strstr(b->err.text, "not allowed in a command") &&
		!strstr(b->err.text, "out of range") && !strstr(b->err.text, "does not exist"))
		assert_true(*b->err.cure);
}

char *change_looks(struct change_bed *b, const struct order *o)
{
	struct request_list l = {0};
	struct buf out;

	buf_init(&out, 1u << 16);
	b->err = (struct err){0};
	if (!b->can->look(&b->target, o, &l, &b->err))
		fail_msg("look: %s", b->err.text);
	for (size_t i = 0; i < l.at.n; i++) {
		const struct request *r = &l.at.at[i];

		assert_false(r->change);
		(void)buf_addf(&out, "%s: %s\n", r->name, r->command ? r->command : r->body);
	}
	requests_free(&l);
	return buf_take(&out, NULL);
}

static struct reply reply_of(const char *bytes, int status)
{
	return (struct reply){
		.bytes = bytes, .len = strlen(bytes), .status = status, .complaint = ""};
}

bool change_see(struct change_bed *b, const struct order *o, const char *request, const char *bytes,
	int status)
{
	struct reply r = reply_of(bytes, status);
	struct condition before = b->now;
	bool ok;

	b->err = (struct err){0};
	ok = b->can->see(&b->target, o, request, &r, &b->now, &b->err);
	/* A failed read leaves the condition unchanged, and gives an error. */
	if (!ok) {
		assert_memory_equal(&before, &b->now, sizeof(before));
		assert_true(b->err.code != ERR_NONE);
	}
	return ok;
}

enum taken change_taken(struct change_bed *b, const struct order *o, const char *bytes, int status)
{
	struct reply r = reply_of(bytes, status);
	struct change_notes notes = {0};
	enum taken t;

	b->err = (struct err){0};
	t = b->can->taken(&b->target, o, "change", &r, &notes, &b->err);
	if (t == TAKEN_NO)
		assert_true(b->err.code != ERR_NONE);
	return t;
}
