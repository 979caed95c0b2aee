/* SPDX-License-Identifier: Apache-2.0 */
/* The book of a receiver: which message comes next, from set to set. */
#include <string.h>

#include "archive/notice/book.h"
#include "base/str.h"
#include "tests/support/cases.h"

#define SEC  INT64_C(1000000)
#define HOUR (3600 * SEC)
#define T0   (1700000000 * SEC)

static const struct book_policy policy = {.severity = SEV_CRIT,
	.wait_us = 20 * SEC,
	.hold_us = 60 * SEC,
	.per_hour = 3,
	.acknowledges = true};
static const struct book_policy forgetful = {.severity = SEV_CRIT,
	.wait_us = 20 * SEC,
	.hold_us = 60 * SEC,
	.resend_us = 60 * SEC,
	.per_hour = 100};

static struct notice_set *set_new(void)
{
	struct notice_set *s = calloc(1, sizeof(*s));

	s->refs = 1;
	(void)str_copy(s->fabric, sizeof(s->fabric), "pod1");
	return s;
}

static struct notice *set_add(struct notice_set *s, const char *key, enum severity severity)
{
	struct notice *n = vec_add(&s->at);

	memset(n, 0, sizeof(*n));
	(void)str_copy(n->key, sizeof(n->key), key);
	(void)str_copy(n->id, sizeof(n->id), "link.down");
	(void)str_copy(n->devices[0], NAME_MAX_LEN, "leaf-1");
	n->ndevices = 1;
	n->severity = severity;
	n->members = 1;
	return n;
}

static void set_gone(struct notice_set *s, const char *key, enum notice_fate fate, const char *into)
{
	struct notice_gone *g = vec_add(&s->gone);

	memset(g, 0, sizeof(*g));
	(void)str_copy(g->key, sizeof(g->key), key);
	(void)str_copy(g->into, sizeof(g->into), into);
	g->fate = fate;
}

static void take(struct book *b, const struct book_policy *p, struct notice_set *s, int64_t now)
{
	book_take(b, p, s, now);
	notice_set_drop(s);
}

/* One finding, told. */
static void trigger(struct book *b, const struct book_policy *p, const char *key, int64_t now)
{
	struct notice_set *s = set_new();
	struct message m;
	int64_t due;

	(void)set_add(s, key, SEV_CRIT);
	take(b, p, s, now);
	assert_true(book_next(b, p, now + p->wait_us, &m, &due));
	assert_int_equal(m.kind, MESSAGE_TRIGGER);
	book_sending(b, &m);
	book_sent(b, p, &m, now + p->wait_us);
}

static void nothing_comes(struct book *b, const struct book_policy *p, int64_t now)
{
	struct message m;
	int64_t due;

	if (book_next(b, p, now, &m, &due))
		fail_msg("there is a %s", message_kind_name(m.kind));
}

CASE(it_is_told_after_the_wait_and_once)
{
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();
	struct message m;
	int64_t due;

	(void)set_add(s, "a", SEV_CRIT);
	(void)set_add(s, "mild", SEV_WARN);
	take(&b, &policy, s, T0);
	assert_false(book_next(&b, &policy, T0, &m, &due));
	assert_int_equal(due, T0 + 20 * SEC);
	assert_true(book_next(&b, &policy, due, &m, &due));
	assert_int_equal(m.kind, MESSAGE_TRIGGER);
	assert_string_equal(b.at.at[m.entry].n.key, "a");
	book_sent(&b, &policy, &m, T0 + 20 * SEC);
	nothing_comes(&b, &policy, T0 + HOUR / 2);
	book_free(&b);
}

CASE(what_passes_within_the_wait_is_counted_and_not_told)
{
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();

	(void)set_add(s, "a", SEV_CRIT);
	take(&b, &policy, s, T0);
	take(&b, &policy, set_new(), T0 + 10 * SEC);
	assert_int_equal(b.at.n, 0);
	assert_int_equal(b.missed, 1);
	nothing_comes(&b, &policy, T0 + 30 * SEC);
	book_free(&b);
}

CASE(its_end_is_told_when_it_is_known)
{
	struct book b = {.missed = 0};
	struct notice_set *s;
	struct message m;
	int64_t due;

	trigger(&b, &policy, "a", T0);
	/* Not seen, and its device is silent: nobody knows. */
	s = set_new();
	set_gone(s, "a", NOTICE_UNSEEN, "");
	take(&b, &policy, s, T0 + 60 * SEC);
	nothing_comes(&b, &policy, T0 + HOUR);
	s = set_new();
	set_gone(s, "a", NOTICE_HEALED, "");
	take(&b, &policy, s, T0 + HOUR);
	assert_false(book_next(&b, &policy, T0 + HOUR, &m, &due));
	assert_int_equal(due, T0 + HOUR + 60 * SEC);
	assert_true(book_next(&b, &policy, due, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESOLVE);
	assert_string_equal(m.why, "no longer seen");
	book_sent(&b, &policy, &m, T0 + HOUR + 60 * SEC);
	assert_int_equal(b.at.n, 0);
	book_free(&b);
}

CASE(one_that_comes_back_in_time_keeps_its_page)
{
	struct book b = {.missed = 0};
	struct notice_set *s;

	trigger(&b, &policy, "a", T0);
	s = set_new();
	set_gone(s, "a", NOTICE_HEALED, "");
	take(&b, &policy, s, T0 + 60 * SEC);
	s = set_new();
	(void)set_add(s, "a", SEV_CRIT);
	take(&b, &policy, s, T0 + 90 * SEC);
	nothing_comes(&b, &policy, T0 + 200 * SEC);
	book_free(&b);
}

/* Silence after an end that was not told yet takes the end back. */
CASE(an_end_that_gets_unknown_is_not_told)
{
	struct book b = {.missed = 0};
	struct notice_set *s;

	trigger(&b, &policy, "a", T0);
	s = set_new();
	set_gone(s, "a", NOTICE_HEALED, "");
	take(&b, &policy, s, T0 + 60 * SEC);
	s = set_new();
	set_gone(s, "a", NOTICE_UNSEEN, "");
	take(&b, &policy, s, T0 + 70 * SEC);
	nothing_comes(&b, &policy, T0 + HOUR);
	book_free(&b);
}

CASE(a_page_that_became_part_of_another_ends_when_that_is_told)
{
	struct book b = {.missed = 0};
	struct notice_set *s;
	struct message m;
	int64_t due;

	trigger(&b, &policy, "a", T0);
	s = set_new();
	(void)set_add(s, "root", SEV_CRIT);
	set_gone(s, "a", NOTICE_MERGED, "root");
	take(&b, &policy, s, T0 + 100 * SEC);
	/* Only the trigger of the root: its page is not with the receiver yet. */
	assert_true(book_next(&b, &policy, T0 + 200 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_TRIGGER);
	assert_string_equal(b.at.at[m.entry].n.key, "root");
	book_sent(&b, &policy, &m, T0 + 200 * SEC);
	assert_true(book_next(&b, &policy, T0 + 200 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESOLVE);
	assert_string_equal(b.at.at[m.entry].n.key, "a");
	book_free(&b);
}

CASE(the_rate_is_limited_and_the_rest_is_one_message)
{
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();
	struct message m;
	char key[8];
	int64_t due, now = T0 + 30 * SEC;
	unsigned told = 0;

	for (unsigned i = 0; i < 20; i++) {
		(void)str_printf(key, sizeof(key), "k%u", i);
		(void)set_add(s, key, SEV_CRIT);
	}
	take(&b, &policy, s, T0);
	while (book_next(&b, &policy, now, &m, &due)) {
		assert_int_equal(m.kind, MESSAGE_TRIGGER);
		told++;
		book_sent(&b, &policy, &m, now);
		if (told > 5)
			break;
	}
	assert_int_equal(told, 4); /* three, and that there are more */
	assert_int_equal(b.held_back, 17);
	/* An hour later the next three. */
	told = 0;
	now += HOUR + SEC;
	while (book_next(&b, &policy, now, &m, &due) && ++told < 9)
		book_sent(&b, &policy, &m, now);
	assert_int_equal(told, 3);
	assert_int_equal(b.held_back, 14);
	book_free(&b);
}

CASE(the_most_severe_is_told_first)
{
	struct book_policy p = policy;
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();
	struct message m;
	int64_t due;

	p.severity = SEV_WARN;
	(void)set_add(s, "mild", SEV_WARN);
	(void)set_add(s, "bad", SEV_CRIT);
	take(&b, &p, s, T0);
	assert_true(book_next(&b, &p, T0 + 30 * SEC, &m, &due));
	assert_string_equal(b.at.at[m.entry].n.key, "bad");
	book_free(&b);
}

CASE(a_rise_of_severity_is_told_once)
{
	struct book_policy p = policy;
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();
	struct message m;
	int64_t due, now = T0 + 30 * SEC;

	p.severity = SEV_WARN;
	(void)set_add(s, "a", SEV_WARN);
	take(&b, &p, s, T0);
	assert_true(book_next(&b, &p, now, &m, &due));
	book_sent(&b, &p, &m, now);
	for (unsigned i = 0; i < 3; i++) {
		s = set_new();
		(void)set_add(s, "a", i % 2 ? SEV_WARN : SEV_CRIT);
		take(&b, &p, s, now);
		if (i) {
			nothing_comes(&b, &p, now);
			continue;
		}
		assert_true(book_next(&b, &p, now, &m, &due));
		assert_int_equal(m.kind, MESSAGE_UPDATE);
		assert_int_equal(m.told_before, SEV_WARN);
		book_sent(&b, &p, &m, now);
	}
	book_free(&b);
}

CASE(acknowledgements_are_told_and_make_no_new_page)
{
	struct book b = {.missed = 0};
	struct notice_set *s;
	struct message m;
	int64_t due;

	trigger(&b, &policy, "a", T0);
	s = set_new();
	set_add(s, "a", SEV_CRIT)->acked = true;
	set_add(s, "b", SEV_CRIT)->acked = true;
	take(&b, &policy, s, T0 + 60 * SEC);
	assert_true(book_next(&b, &policy, T0 + 100 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_ACKNOWLEDGE);
	assert_string_equal(b.at.at[m.entry].n.key, "a");
	book_sent(&b, &policy, &m, T0 + 100 * SEC);
	nothing_comes(&b, &policy, T0 + 200 * SEC);
	book_free(&b);
}

CASE(a_forgetful_receiver_is_told_again_and_of_the_end_for_a_while)
{
	struct book b = {.missed = 0};
	struct notice_set *s;
	struct message m;
	int64_t due, now = T0 + 20 * SEC;

	trigger(&b, &forgetful, "a", T0);
	assert_false(book_next(&b, &forgetful, now, &m, &due));
	assert_int_equal(due, now + 60 * SEC);
	now = due;
	assert_true(book_next(&b, &forgetful, now, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESEND);
	book_sent(&b, &forgetful, &m, now);
	/* Also while nobody knows: or the receiver would call it healthy. */
	s = set_new();
	set_gone(s, "a", NOTICE_UNSEEN, "");
	take(&b, &forgetful, s, now);
	now += 60 * SEC;
	assert_true(book_next(&b, &forgetful, now, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESEND);
	book_sent(&b, &forgetful, &m, now);
	s = set_new();
	set_gone(s, "a", NOTICE_HEALED, "");
	take(&b, &forgetful, s, now);
	now += 61 * SEC;
	assert_true(book_next(&b, &forgetful, now, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESOLVE);
	book_sent(&b, &forgetful, &m, now);
	now += 61 * SEC;
	assert_true(book_next(&b, &forgetful, now, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESOLVE);
	book_sent(&b, &forgetful, &m, now);
	nothing_comes(&b, &forgetful, now + 1000 * SEC);
	assert_int_equal(b.at.n, 0);
	book_free(&b);
}

/* From the book on the disk, as after a kill. */
static void reload(struct book *b)
{
	struct buf text;
	struct err err = {0};

	buf_init(&text, 1 << 20);
	assert_true(book_save(b, &text, &err));
	book_free(b);
	if (!book_load(b, text.data, text.len, &err))
		fail_msg("%s", err.text);
	buf_free(&text);
}

CASE(after_a_kill_nothing_is_told_twice_and_the_end_is_told)
{
	struct book b = {.missed = 0};
	notice_told_vec told = {0};
	struct notice_set *s;
	struct message m;
	int64_t due;

	trigger(&b, &policy, "pod1 link.down leaf-1:Ethernet0", T0);
	reload(&b);
	nothing_comes(&b, &policy, T0 + 100 * SEC);
	book_told(&b, &told);
	assert_int_equal(told.n, 1);
	assert_string_equal(told.at[0].key, "pod1 link.down leaf-1:Ethernet0");
	assert_int_equal(told.at[0].ndevices, 1);
	assert_string_equal(told.at[0].devices[0], "leaf-1");
	assert_false(told.at[0].every);
	vec_free(&told);
	s = set_new();
	(void)set_add(s, "pod1 link.down leaf-1:Ethernet0", SEV_CRIT);
	take(&b, &policy, s, T0 + 120 * SEC);
	nothing_comes(&b, &policy, T0 + 400 * SEC);
	s = set_new();
	set_gone(s, "pod1 link.down leaf-1:Ethernet0", NOTICE_HEALED, "");
	take(&b, &policy, s, T0 + 400 * SEC);
	assert_true(book_next(&b, &policy, T0 + 500 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESOLVE);
	book_free(&b);
}

/* Killed between the book and the answer: it may have arrived, so its end is told as well. */
CASE(a_message_that_was_under_way_counts_as_perhaps_told)
{
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();
	notice_told_vec told = {0};
	struct message m;
	int64_t due;

	(void)set_add(s, "a", SEV_CRIT);
	take(&b, &policy, s, T0);
	assert_true(book_next(&b, &policy, T0 + 20 * SEC, &m, &due));
	book_sending(&b, &m);
	reload(&b);
	book_told(&b, &told);
	assert_int_equal(told.n, 1);
	vec_free(&told);
	s = set_new();
	(void)set_add(s, "a", SEV_CRIT);
	take(&b, &policy, s, T0 + 60 * SEC);
	assert_true(book_next(&b, &policy, T0 + 60 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_TRIGGER);
	s = set_new();
	set_gone(s, "a", NOTICE_HEALED, "");
	take(&b, &policy, s, T0 + 70 * SEC);
	assert_true(book_next(&b, &policy, T0 + 140 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESOLVE);
	book_free(&b);
}

CASE(a_refused_message_holds_up_no_other)
{
	struct book b = {.missed = 0};
	struct notice_set *s = set_new();
	struct message m;
	int64_t due;

	(void)set_add(s, "bad", SEV_CRIT);
	(void)set_add(s, "good", SEV_CRIT);
	take(&b, &policy, s, T0);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(book_next(&b, &policy, T0 + 30 * SEC, &m, &due));
		assert_string_equal(b.at.at[m.entry].n.key, "bad");
		book_sending(&b, &m);
		book_failed(&b, &m, true);
	}
	assert_true(book_next(&b, &policy, T0 + 30 * SEC, &m, &due));
	assert_string_equal(b.at.at[m.entry].n.key, "good");
	book_free(&b);
}

CASE(a_clock_that_is_set_back_stops_no_repetition)
{
	struct book b = {.missed = 0};
	struct message m;
	int64_t due;

	trigger(&b, &forgetful, "a", T0);
	assert_false(book_next(&b, &forgetful, T0 - 10 * HOUR, &m, &due));
	assert_true(book_next(&b, &forgetful, T0 - 10 * HOUR + 61 * SEC, &m, &due));
	assert_int_equal(m.kind, MESSAGE_RESEND);
	book_free(&b);
}

CASE(a_damaged_book_is_refused)
{
	static const char *const texts[] = {"", "{", "[]", "{\"schema\":1}",
		"{\"schema\":2,\"entries\":[]}", "{\"schema\":1,\"entries\":{}}"};
	static const char some[] = "{\"schema\":1,\"entries\":[{\"key\":\"k\","
				   "\"state\":\"firing\",\"severity\":99},{}]}";
	struct book b;
	struct err err = {0};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_false(book_load(&b, texts[i], strlen(texts[i]), &err));
	/* What is missing in an entry is not healthy: all devices must be heard. */
	assert_true(book_load(&b, some, strlen(some), &err));
	assert_int_equal(b.at.n, 1);
	assert_true(b.at.at[0].n.every);
	assert_int_equal(b.at.at[0].n.severity, SEV_CRIT);
	book_free(&b);
}

CASES_MAIN(NULL, NULL)
