/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backends/incremental/text_delta.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/incremental/delta_make.h"

/* The client's half of the device's delta. */

struct fixture {
	struct text_delta d;
	struct delta_scratch s;
	struct delta_mark mark;
	char last[8192];
	size_t last_len;
};

static int setup(void **state)
{
	*state = mem_calloc(1, sizeof(struct fixture));
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	text_delta_free(&f->d);
	delta_scratch_free(&f->s);
	free(f);
	return 0;
}

static bool whole(struct fixture *f, const char *text)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	(void)buf_adds(&b, text);
	f->last_len = strlen(text);
	(void)str_copy(f->last, sizeof(f->last), text);
	f->mark = (struct delta_mark){.seq = f->mark.seq + 1,
		.tokens = delta_tokens(text, f->last_len),
		.len = (uint32_t)f->last_len};
	return text_delta_whole(&f->d, &b, &f->mark);
}

static bool apply(struct fixture *f, const char *delta)
{
	return text_delta_apply(&f->d, delta, strlen(delta), &f->mark, &f->s);
}

/* The mark of an honest step to this text. */
static void expect_next(struct fixture *f, const char *text, char *delta, size_t size)
{
	struct buf b;
	uint32_t sum = 0;

	buf_init(&b, size);
	assert_true(delta_make(f->last, f->last_len, text, strlen(text), &b, &sum));
	(void)str_copyn(delta, size, b.data ? b.data : "", b.len);
	buf_free(&b);
	f->mark.base = f->mark.seq++;
	f->mark.len = (uint32_t)strlen(text);
	f->mark.sum = (f->mark.sum + sum) % 1000003;
	f->last_len = strlen(text);
	(void)str_copy(f->last, sizeof(f->last), text);
}

static void step(struct fixture *f, const char *text, const char *want)
{
	char delta[8192];

	expect_next(f, text, delta, sizeof(delta));
	if (want)
		assert_string_equal(delta, want);
	assert_true(apply(f, delta));
	assert_string_equal(f->d.text, text);
	assert_int_equal(f->d.len, strlen(text));
}

static void names_only_what_moved(void **state)
{
	struct fixture *f = *state;

	assert_true(whole(f, "a: 1\nb: 22\nup\n"));
	assert_string_equal(f->d.text, "a: 1\nb: 22\nup\n");
	step(f, "a: 1\nb: 23\nup\n", "+1\n23\n");
	assert_int_equal(f->s.changes.n, 1);
	assert_int_equal(f->s.changes.at[0].at, 8);
	assert_int_equal(f->s.changes.at[0].len, 2);
	assert_int_equal(f->s.changes.at[0].was_len, 2);
	assert_int_equal(f->s.changes.at[0].head, 3);
	assert_memory_equal(f->s.was.at + f->s.changes.at[0].was, "22", 2);
	/* Longer, shorter, and nothing at all. */
	step(f, "a: 1000\nb: 23\nup\n", "1000\n");
	step(f, "a: 1000\nb: 4\ndown\n", "+1\n4\n:down\n");
	assert_int_equal(f->s.changes.n, 2);
	assert_memory_equal(f->d.text + f->s.changes.at[1].at, "down", 4);
	step(f, "a: 1000\nb: 4\ndown\n", "");
	assert_int_equal(f->s.changes.n, 0);
	assert_non_null(f->s.changes.at);
	step(f, "\nb: \n\n", ":\n:b: \n:\n");
	step(f, "x\nb: 7 s\n\n", NULL);
	step(f, "x\nb: 8 m\n\n", "+1\n8 m\n");
}

/* Of a number that is all that has changed the value is told. */
static void tells_a_number_by_its_value(void **state)
{
	static const struct {
		const char *was, *is;
		unsigned digits; /* 0: it is not told */
	} cases[] = {
		{"x 7", "x 8", 1},
		{"x 7", "x 1234567", 7},
		{"x 123456789", "x 12345678", 8},
		{"x 12345678 s", "x 0 s", 1},
		{"\"c\":\"999999999999999\"]", "\"c\":\"1000000000000000\"]", 16},
		{"x 1", "x 999999999999999999", 18},
		{"x 1", "x 1000000000000000000", 0},
		{"x 123456789012345678901234567890", "x 17", 2},
		{"x 17", "x 017", 0},
		{"x 0017", "x 18", 2},
		{"x 7 s", "x 8 m", 0},
		{"x 7 s", "x 8", 0},
		{"x 7", "x 8 s", 0},
		{"x 7 is long, very", "x 8 is long, very", 1},
		{"x 1 7", "x 2 8", 0},
		{"up", "down", 0},
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < 2 * sizeof(cases) / sizeof(cases[0]); i++) {
		/* In the middle of a text, and at its very begin and end. */
		const char *around = i % 2 ? "" : "a text around it\nand 1 more\n";
		const char *was = cases[i / 2].was, *is = cases[i / 2].is;
		const struct text_change *c;
		char a[200], b[200];

		(void)str_printf(a, sizeof(a), "%s%s%s", around, was, i % 2 ? "" : "\n9\n");
		(void)str_printf(b, sizeof(b), "%s%s%s", around, is, i % 2 ? "" : "\n9\n");
		assert_true(whole(f, a));
		step(f, b, NULL);
		assert_int_equal(f->s.changes.n, 1);
		c = &f->s.changes.at[0];
		assert_int_equal(c->token, i % 2 ? 0 : 2);
		assert_int_equal(c->digits, cases[i / 2].digits);
		if (c->digits)
			assert_int_equal(c->value, strtoull(b + c->at, NULL, 10));
	}
}

static void names_its_tokens(void **state)
{
	struct fixture *f = *state;
	struct delta_token t = {0};
	char text[1200] = "one\n\n";
	size_t n = 0;

	for (int i = 0; i < 60; i++)
		(void)strcat(text, "200,");
	(void)strcat(text, "\n");
	memset(text + strlen(text), 'y', 199);
	(void)strcat(text, "\n");
	memset(text + strlen(text), 'z', 400);
	assert_true(whole(f, text));
	while (text_delta_next(&f->d, &t)) {
		const char *at = f->d.text + t.at;

		assert_int_equal(t.token, n++);
		if (t.token == 0)
			assert_memory_equal(at, "one", t.len);
		if (t.token >= 3 && t.token < 63)
			assert_memory_equal(at, "200,", t.len + 1);
		if (t.token == 64)
			assert_int_equal(strspn(at, "y"), t.len);
		if (t.token == 66)
			assert_int_equal(strspn(at, "z"), t.len);
	}
	assert_int_equal(n, f->mark.tokens);
	assert_int_equal(n, 67);
	assert_int_equal(t.at + t.len, strlen(text));
}

static void a_long_line_has_pieces(void **state)
{
	struct fixture *f = *state;
	char line[600] = "[\"100\"";

	for (int i = 0; i < 60; i++)
		(void)strcat(line, ",\"200\"");
	(void)strcat(line, "]");
	assert_true(whole(f, line));
	assert_int_equal(f->mark.tokens, 62);
	memcpy(strstr(line, "200"), "201", 3);
	step(f, line, "+2\n201\"\n");
	assert_int_equal(f->s.changes.n, 1);
	line[strlen(line) - 1] = '}';
	step(f, line, "+61\n200\"}\n");
	/* A piece cannot become two. */
	f->mark.base = f->mark.seq++;
	assert_false(apply(f, "+4\n:1,2\n"));
	assert_null(f->d.text);
}

static void begins_and_ends_anywhere(void **state)
{
	struct fixture *f = *state;

	assert_true(whole(f, ""));
	step(f, "x", ":x\n");
	step(f, "", ":\n");
	assert_true(whole(f, ",5,6"));
	assert_int_equal(f->mark.tokens, 4);
	step(f, ",5,77", "+3\n77\n");
	step(f, ",,77", "+2\n:\n");
	assert_true(whole(f, "\n\n"));
	step(f, "1\n2\n3", ":1\n:2\n:3\n");
}

/* With the old bytes at each change the text is the previous one. */
static void lead_back(const struct fixture *f, const char *before)
{
	const struct text_change *c = f->s.changes.at;
	struct buf text;
	size_t from = 0;

	buf_init(&text, sizeof(f->last));
	for (size_t i = 0; i < f->s.changes.n; i++) {
		assert_true(c[i].at >= from && c[i].at + c[i].len <= f->d.len);
		assert_true(c[i].was + c[i].was_len <= f->s.was.n);
		(void)buf_add(&text, f->d.text + from, c[i].at - from);
		(void)buf_add(&text, f->s.was.at + c[i].was, c[i].was_len);
		from = c[i].at + c[i].len;
	}
	(void)buf_add(&text, f->d.text + from, f->d.len - from);
	assert_int_equal(text.len, strlen(before));
	assert_memory_equal(text.data, before, text.len);
	buf_free(&text);
}

/* The next text, whole or as a difference. */
static void go_on(struct fixture *f, const char *text, bool as_whole)
{
	char before[sizeof(f->last)];

	if (as_whole) {
		assert_true(whole(f, text));
		return;
	}
	(void)str_copy(before, sizeof(before), f->d.text);
	step(f, text, NULL);
	lead_back(f, before);
}

static void random_texts_come_out_as_they_went_in(void **state)
{
	static const char *const words[] = {"", "a: 1", "b", "9", "10", "x 99 y", "100 100"};
	struct fixture *f = *state;
	unsigned n = 12, long_from = 6;
	struct buf text;

	srand(7);
	buf_init(&text, sizeof(f->last) - 1);
	for (int i = 0; i < 3000; i++) {
		buf_reset(&text);
		for (unsigned k = 0; k < n; k++) {
			/* Lengths up to and beyond the limit of one byte, and back again. */
			if (k == long_from)
				(void)buf_addf(&text, "%0*d,", 245 + rand() % 20, rand());
			(void)buf_addf(
				&text, "%s%c", words[rand() % 7], k < long_from ? '\n' : ',');
		}
		go_on(f, text.data, i % 100 == 0);
	}
	buf_free(&text);
}

/* Of several tokens that a byte is too small for, some grow, some shrink and some stay. */
static void long_tokens_come_and_go(void **state)
{
	struct fixture *f = *state;
	struct buf text;

	srand(11);
	buf_init(&text, sizeof(f->last) - 1);
	for (int i = 0; i < 2000; i++) {
		buf_reset(&text);
		for (unsigned k = 0; k < 20; k++) {
			int width = k % 3 ? 1 + rand() % 3 : 3 + rand() % 500;

			(void)buf_addf(&text, "%s%0*d,", rand() % 4 ? "n" : "m", k ? width : 300,
				rand() % 3 ? 7 : 8);
		}
		go_on(f, text.data, i % 200 == 0);
	}
	buf_free(&text);
}

/* As many as there are tokens, and none says anything. */
static void empty_lines_are_no_delta(void **state)
{
	struct fixture *f = *state;
	char text[2001], delta[1001];
	struct delta_mark m;

	for (size_t i = 0; i < sizeof(text) - 1; i++)
		text[i] = i % 2 ? '\n' : '1';
	text[sizeof(text) - 1] = '\0';
	memset(delta, '\n', sizeof(delta) - 1);
	assert_true(whole(f, text));
	m = f->mark;
	m.base = m.seq;
	m.seq++;
	assert_false(text_delta_apply(&f->d, delta, sizeof(delta) - 1, &m, &f->s));
	assert_null(f->d.text);
}

/* The text outside of the changes is as it was before. */
static void changes_are_all_that_differs(void **state)
{
	struct fixture *f = *state;
	char before[64], after[64];

	assert_true(whole(f, "a: 5\nb: 6\nc: 7\nd: 8\n"));
	(void)str_copy(before, sizeof(before), f->d.text);
	step(f, "a: 5\nb: 9\nc: 7\nd: 1\n", NULL);
	(void)str_copy(after, sizeof(after), f->d.text);
	assert_int_equal(f->s.changes.n, 2);
	for (size_t i = 0; i < f->s.changes.n; i++) {
		memset(before + f->s.changes.at[i].at, '?', f->s.changes.at[i].len);
		memset(after + f->s.changes.at[i].at, '?', f->s.changes.at[i].len);
	}
	assert_string_equal(before, after);
}

static void what_leads_elsewhere_is_not_believed(void **state)
{
	static const char text[] = "a: 100\nb: 200\nc: 300\n";
	struct fixture *f = *state;
	struct delta_mark good;
	char delta[64];

	for (int i = 0; i < 6; i++) {
		f->mark.sum = 0;
		assert_true(whole(f, text));
		expect_next(f, "a: 100\nb: 201\nc: 300\n", delta, sizeof(delta));
		good = f->mark;
		f->mark.base -= i == 0;
		f->mark.sum += i == 1;
		f->mark.len += i == 2;
		f->mark.tokens += i == 3;
		if (i == 4)
			(void)str_copy(delta, sizeof(delta), "+1\n202\n"); /* a digit */
		if (i == 5)
			(void)str_copy(delta, sizeof(delta), "201\n"); /* the other line */
		assert_false(apply(f, delta));
		assert_null(f->d.text);
		/* Nothing is known any more, so the next step leads nowhere either. */
		f->mark = good;
		assert_false(apply(f, delta));
	}
}

static void a_lost_step_is_noticed(void **state)
{
	struct fixture *f = *state;
	char delta[64];

	assert_true(whole(f, "a: 100\n"));
	expect_next(f, "a: 101\n", delta, sizeof(delta));
	expect_next(f, "a: 102\n", delta, sizeof(delta));
	assert_false(apply(f, delta));
	assert_true(whole(f, "a: 103\n"));
	step(f, "a: 104\n", "104\n");
}

static void what_is_no_delta_is_refused(void **state)
{
	static const char *const bad[] = {"no line", "x\n", "+\n", "+1", "+x\n", "+ 1\n", "+9\n",
		"+4294967296\n:x\n", "+99999999999999999999\n", "+3\n:x\n", "-1\n", "\n",
		":1\n:2\n:3\n:4\n", ":,x\n", ":a\n:b\n5\n", "1\n", ":a"};
	struct fixture *f = *state;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f->mark.sum = 0;
		assert_true(whole(f, "a\nb\n"));
		f->mark.base = f->mark.seq++;
		if (apply(f, bad[i]))
			fail_msg("taken: %s", bad[i]);
	}
}

static void a_whole_text_is_that_of_its_mark(void **state)
{
	struct fixture *f = *state;
	struct delta_mark m = {.seq = 1, .tokens = 2, .len = 2};
	struct buf b;

	for (int i = 0; i < 4; i++) {
		struct delta_mark wrong = m;

		wrong.len += i == 0;
		wrong.tokens += i == 1;
		wrong.base = i == 2;
		wrong.sum = i == 3;
		buf_init(&b, 100);
		(void)buf_adds(&b, "a\n");
		assert_false(text_delta_whole(&f->d, &b, &wrong));
		assert_null(f->d.text);
	}
	buf_init(&b, 4 << 20);
	for (size_t i = 0; i <= DELTA_BYTES_MOST / 100; i++)
		(void)buf_addf(&b, "%099d\n", 1);
	m.len = (uint32_t)b.len;
	m.tokens = delta_tokens(b.data, b.len);
	assert_false(text_delta_whole(&f->d, &b, &m));
}

static void a_text_does_not_grow_for_ever(void **state)
{
	struct fixture *f = *state;
	char *delta = mem_alloc(DELTA_BYTES_MOST + 1);
	struct buf b;

	buf_init(&b, 4 << 20);
	for (int i = 0; i < 300; i++)
		(void)buf_adds(&b, ",");
	f->mark = (struct delta_mark){
		.seq = 1, .len = (uint32_t)b.len, .tokens = delta_tokens(b.data, b.len)};
	assert_true(text_delta_whole(&f->d, &b, &f->mark));
	memset(delta, 'x', DELTA_BYTES_MOST);
	memcpy(delta, "+1\n:", 4);
	delta[DELTA_BYTES_MOST] = '\n';
	f->mark = (struct delta_mark){.seq = 2,
		.base = 1,
		.tokens = f->mark.tokens,
		.len = (uint32_t)DELTA_BYTES_MOST + 296,
		.sum = (uint32_t)(((2 % 997) + 1) * (DELTA_BYTES_MOST - 4) * 1000 % 1000003)};
	assert_false(text_delta_apply(&f->d, delta, DELTA_BYTES_MOST + 1, &f->mark, &f->s));
	free(delta);
}

static void reads_marks(void **state)
{
	static const char *const bad[] = {"", "1", "1 2 3", "1 2 3 4", "1 2 3 4 5\n", "1  2 3 4\n",
		"x 2 3 4\n", "1 2 3 4294967296\n", "-1 2 3 4\n", "1 2 3 4 \n", " 1 2 3 4\n"};
	struct delta_mark m;

	(void)state;
	assert_true(delta_mark_read(&m, "10 4294967295 3 0\nwhat follows"));
	assert_int_equal(m.tokens, 10);
	assert_int_equal(m.len, UINT32_MAX);
	assert_int_equal(m.sum, 3);
	assert_int_equal(m.base, 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		if (delta_mark_read(&m, bad[i]))
			fail_msg("taken: %s", bad[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {TEST(names_only_what_moved),
		TEST(tells_a_number_by_its_value), TEST(names_its_tokens),
		TEST(a_long_line_has_pieces), TEST(begins_and_ends_anywhere),
		TEST(random_texts_come_out_as_they_went_in), TEST(empty_lines_are_no_delta),
		TEST(long_tokens_come_and_go), TEST(changes_are_all_that_differs),
		TEST(what_leads_elsewhere_is_not_believed), TEST(a_lost_step_is_noticed),
		TEST(what_is_no_delta_is_refused), TEST(a_whole_text_is_that_of_its_mark),
		TEST(a_text_does_not_grow_for_ever), TEST(reads_marks)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
