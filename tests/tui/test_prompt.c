/* SPDX-License-Identifier: Apache-2.0 */
/* The line editor. */
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/widgets.h"

static enum prompt_result type(struct prompt *p, const char *text)
{
	enum prompt_result last = PROMPT_MORE;

	for (; *text; text++)
		last = prompt_key(p, (unsigned char)*text);
	return last;
}

CASE(test_edit)
{
	struct prompt p = {0};

	prompt_open(&p, "/", "state=up");
	assert_int_equal(p.cursor, 8);
	prompt_key(&p, TKEY_HOME);
	type(&p, "x ");
	assert_string_equal(p.text, "x state=up");
	prompt_key(&p, TKEY_END);
	prompt_key(&p, TKEY_BACKSPACE);
	prompt_key(&p, TKEY_LEFT);
	prompt_key(&p, TKEY_DELETE);
	assert_string_equal(p.text, "x state=");
	prompt_key(&p, 23); /* Ctrl-W */
	assert_string_equal(p.text, "x ");
	prompt_key(&p, 21); /* Ctrl-U */
	assert_string_equal(p.text, "");
	type(&p, "abc def");
	prompt_key(&p, TKEY_LEFT);
	prompt_key(&p, TKEY_LEFT);
	prompt_key(&p, 11); /* Ctrl-K */
	assert_string_equal(p.text, "abc d");
}

/* Typing replaces a proposal, as in a browser's address line. */
CASE(test_offer)
{
	struct prompt p = {0};

	prompt_open(&p, "key: ", "INC-1");
	prompt_offer(&p);
	assert_int_equal(type(&p, "X7"), PROMPT_MORE);
	assert_string_equal(p.text, "X7");
	prompt_open(&p, "key: ", "INC-1");
	prompt_offer(&p);
	assert_int_equal(type(&p, "\r"), PROMPT_DONE);
	assert_string_equal(p.text, "INC-1");
	/* A user who moves the cursor in it wants to change it. */
	prompt_open(&p, "key: ", "INC-1");
	prompt_offer(&p);
	prompt_key(&p, TKEY_LEFT);
	type(&p, "2");
	assert_string_equal(p.text, "INC-21");
	prompt_open(&p, "key: ", "INC-1");
	prompt_offer(&p);
	assert_int_equal(prompt_key(&p, TKEY_BACKSPACE), PROMPT_MORE);
	assert_string_equal(p.text, "");
	/* An empty proposal is none, and a text that was not offered stays. */
	prompt_open(&p, "key: ", "");
	prompt_offer(&p);
	assert_int_equal(prompt_key(&p, TKEY_BACKSPACE), PROMPT_CANCELLED);
	prompt_open(&p, "key: ", "INC-1");
	type(&p, "2");
	assert_string_equal(p.text, "INC-12");
}

CASE(test_characters_stay_whole)
{
	struct prompt p = {0};
	char longest[PROMPT_MAX + 40];

	prompt_open(&p, "/", "");
	prompt_key(&p, 0xe9);
	prompt_key(&p, 0x6f22);
	prompt_key(&p, 'x');
	assert_string_equal(p.text, "\xc3\xa9\xe6\xbc\xa2x");
	prompt_key(&p, TKEY_LEFT);
	prompt_key(&p, TKEY_LEFT);
	assert_int_equal(p.cursor, 2);
	prompt_key(&p, TKEY_DELETE);
	assert_string_equal(p.text, "\xc3\xa9x");
	prompt_key(&p, TKEY_BACKSPACE);
	assert_string_equal(p.text, "x");
	/* A text that is too long is cut between two characters. */
	for (size_t i = 0; i + 2 < sizeof(longest); i += 2)
		memcpy(longest + i, "\xc3\xa9", 3);
	prompt_open(&p, "/", longest);
	assert_int_equal(p.len, 254);
	for (int i = 0; i < 10; i++)
		prompt_key(&p, 0x6f22);
	assert_int_equal(p.len, 254);
	prompt_key(&p, 'x');
	prompt_key(&p, 'x');
	assert_int_equal(p.len, PROMPT_MAX - 1);
}

CASE(test_what_is_no_text)
{
	static const int keys[] = {0, 1, 7 + 9, 31, 0x7f, 0x9b, TKEY_F1, TKEY_INSERT,
		'x' | TKEY_ALT, TKEY_LAST, 0x110000};
	struct prompt p = {0};

	prompt_open(&p, "/", "a");
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		assert_int_equal(prompt_key(&p, keys[i]), PROMPT_MORE);
	assert_true(strlen(p.text) <= 1);
}

CASE(test_ends)
{
	struct prompt p = {0};

	prompt_open(&p, "/", "");
	assert_int_equal(type(&p, "abc\r"), PROMPT_DONE);
	assert_false(p.active);
	assert_string_equal(p.text, "abc");
	prompt_open(&p, "/", "abc");
	assert_int_equal(prompt_key(&p, 27), PROMPT_CANCELLED);
	prompt_open(&p, "/", "abc");
	assert_int_equal(prompt_key(&p, 3), PROMPT_CANCELLED);
	prompt_open(&p, "/", "a");
	assert_int_equal(prompt_key(&p, TKEY_BACKSPACE), PROMPT_MORE);
	assert_int_equal(prompt_key(&p, TKEY_BACKSPACE), PROMPT_CANCELLED);
}

CASE(test_history)
{
	struct prompt p = {0};
	char text[8];

	for (int i = 0; i < 20; i++) {
		prompt_open(&p, "/", "");
		(void)str_printf(text, sizeof(text), "f%d\r", i);
		type(&p, text);
	}
	prompt_open(&p, "/", "");
	type(&p, "f19\r"); /* the same twice is kept once */
	prompt_open(&p, "/", "");
	prompt_key(&p, TKEY_UP);
	assert_string_equal(p.text, "f19");
	prompt_key(&p, TKEY_UP);
	assert_string_equal(p.text, "f18");
	for (int i = 0; i < 40; i++)
		prompt_key(&p, TKEY_UP);
	assert_string_equal(p.text, "f4");
	prompt_key(&p, TKEY_DOWN);
	assert_string_equal(p.text, "f5");
	for (int i = 0; i < 40; i++)
		prompt_key(&p, TKEY_DOWN);
	assert_string_equal(p.text, "");
}

static void complete(void *ctx, const char *text, struct prompt *p)
{
	static const char *const words[] = {"sort", "sort-reverse", "view cluster", "view hosts"};

	(void)ctx;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_starts(words[i], text))
			prompt_candidate(p, words[i]);
}

CASE(test_completion)
{
	struct prompt p = {.complete = complete};

	prompt_open(&p, ":", "");
	assert_int_equal(p.ncandidates, 4);
	type(&p, "v");
	assert_int_equal(p.ncandidates, 2);
	assert_int_equal(p.candidate, p.ncandidates);
	prompt_key(&p, '\t');
	assert_string_equal(p.text, "view ");
	prompt_key(&p, '\t');
	assert_string_equal(p.text, "view cluster");
	assert_int_equal(p.ncandidates, 2);
	prompt_key(&p, '\t');
	assert_string_equal(p.text, "view hosts");
	prompt_key(&p, '\t');
	assert_string_equal(p.text, "view cluster");
	prompt_key(&p, TKEY_TAB_BACK);
	assert_string_equal(p.text, "view hosts");
	prompt_key(&p, 21);
	type(&p, "zzz\t\t");
	assert_string_equal(p.text, "zzz");
	assert_int_equal(p.ncandidates, 0);
}

static void noted(void *ctx, const char *text, struct prompt *p)
{
	(void)ctx;
	(void)text;
	prompt_candidate_note(p, "locate", "blink the port");
	prompt_candidate(p, "port-drain");
}

CASE(test_notes_go_with_their_candidate)
{
	struct prompt p = {.complete = noted};

	memset(p.notes, 'x', sizeof(p.notes));
	prompt_open(&p, "act: ", "");
	assert_int_equal(p.ncandidates, 2);
	assert_string_equal(p.notes[0], "blink the port");
	assert_string_equal(p.notes[1], "");
	prompt_key(&p, '\t');
	assert_string_equal(p.text, "locate");
}

CASE(test_what_is_not_kept)
{
	struct prompt p = {.forgets = true};

	prompt_open(&p, "why: ", "");
	type(&p, "a reason\r");
	prompt_open(&p, "why: ", "");
	prompt_key(&p, TKEY_UP);
	assert_string_equal(p.text, "");
	assert_int_equal(p.history_used, 0);
}

static void too_many(void *ctx, const char *text, struct prompt *p)
{
	char word[200];

	(void)ctx;
	(void)text;
	for (int i = 0; i < 100; i++) {
		(void)str_printf(word, sizeof(word), "candidate-%d", i);
		prompt_candidate(p, word);
		prompt_candidate(p, word);
	}
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	p->ncandidates--;
	prompt_candidate(p, word);
}

CASE(test_candidates_are_bounded)
{
	struct prompt p = {.complete = too_many};

	prompt_open(&p, ":", "");
	/* Twelve fit; the candidate too long for its field is left out. */
	assert_int_equal(p.ncandidates, 11);
	for (int i = 0; i < 30; i++)
		prompt_key(&p, '\t');
	assert_true(str_starts(p.text, "candidate-"));
}

CASE(test_error_goes_with_the_next_key)
{
	struct prompt p = {0};

	prompt_open(&p, ":", "x");
	(void)str_copy(p.error, sizeof(p.error), "no such view");
	prompt_key(&p, TKEY_LEFT);
	assert_string_equal(p.error, "");
}

static void scene(struct demo *d, struct region s)
{
	prompt_draw(s, d->scene);
}

static void press(struct demo *d, int key)
{
	(void)prompt_key(d->scene, key);
}

CASE(test_on_the_screen)
{
	struct prompt p = {.complete = complete};
	struct demo d = {.draw = scene, .key = press, .scene = &p};
	struct vt *vt;
	int row, col;

	prompt_open(&p, ":", "");
	vt = demo_start(&d, 10, 20, NULL, NULL);
	vt_type(vt, "vi");
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 9), ":vi");
	assert_string_equal(vt_line(vt, 8), " view hosts");
	assert_string_equal(vt_line(vt, 7), " view cluster");
	assert_true(vt_cursor(vt, &row, &col));
	assert_int_equal(row, 9);
	assert_int_equal(col, 3);
	vt_key(vt, "Tab");
	vt_key(vt, "Tab");
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 9), ":view cluster");
	assert_true(vt_attr_at(vt, 7, 2).bg >= 0);
	vt_type(vt, " 0123456789abcdef");
	vt_settle(vt);
	/* The end stays in sight, and the cursor behind it. */
	assert_string_equal(vt_line(vt, 9), ":r 0123456789abcdef");
	vt_resize(vt, 1, 1);
	vt_settle(vt);
	vt_type(vt, "z");
	vt_settle(vt);
	demo_end(vt);
}

CASES_MAIN(NULL, NULL)
