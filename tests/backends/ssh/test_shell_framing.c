/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* The output of a kept shell after its filter, in pieces of any size and with noise around it. */

#define NONCE "0123456789abcdef0123456789abcdef"

struct bed {
	struct ssh_shard shard;
	struct plan_device device;
	struct ssh_link link;
	struct request request;
	struct ssh_ask ask;
};

static int setup(void **state)
{
	struct bed *b = calloc(1, sizeof(*b));
	struct ssh_shell *sh;

	assert_non_null(b);
	sh = &b->link.shell;
	b->link.shard = &b->shard;
	b->link.device = &b->device;
	b->request.cap = 4096;
	b->ask.link = &b->link;
	b->ask.request = &b->request;
	b->ask.status = -1;
	buf_init(&b->ask.out, b->request.cap);
	buf_init(&b->ask.complaint, 4096);
	(void)str_copy(sh->nonce, sizeof(sh->nonce), NONCE);
	sh->beside_seq = 7;
	ssh_lane_await(&sh->beside, &b->ask, sh->nonce, sh->beside_seq);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	buf_free(&b->ask.out);
	buf_free(&b->ask.complaint);
	buf_free(&b->link.shell.beside.tail);
	free(b);
	return 0;
}

static void say(struct bed *b, const char *text, size_t piece)
{
	size_t len = strlen(text), n;

	for (size_t i = 0; i < len; i += n) {
		n = len - i < piece ? len - i : piece;
		ssh_quick_data(&b->link.shell, text + i, n);
	}
}

static const char noisy[] = "sh: warning\n" NONCE " 6\nold\n" NONCE " 7\nspeed 5\n" NONCE
			    "\nmtu 9\n\n" NONCE " 7 3\ncannot\n" NONCE "\nmore noise\n";

static void expect_answer(const struct bed *b)
{
	assert_true(b->ask.eof);
	assert_int_equal(b->ask.status, 3);
	/* A nonce alone ends nothing. */
	assert_string_equal(b->ask.out.data, "speed 5\n" NONCE "\nmtu 9\n");
	assert_string_equal(b->ask.complaint.data, "cannot");
	assert_false(b->ask.out.overflow);
	assert_int_equal(
		b->link.shell.noise, strlen("sh: warning\n" NONCE " 6\nold\nmore noise\n"));
}

CASE_WITH(in_one_piece, setup, teardown)
{
	say(*state, noisy, sizeof(noisy));
	expect_answer(*state);
}

CASE_WITH(in_pieces_of_any_size, setup, teardown)
{
	for (size_t piece = 1; piece < sizeof(noisy); piece++) {
		assert_int_equal(teardown(state), 0);
		assert_int_equal(setup(state), 0);
		say(*state, noisy, piece);
		expect_answer(*state);
	}
}

CASE_WITH(nothing_is_an_answer, setup, teardown)
{
	struct bed *b = *state;

	say(b, NONCE " 7\n\n" NONCE " 7 0\n\n" NONCE "\n", 5);
	assert_true(b->ask.eof);
	assert_int_equal(b->ask.status, 0);
	assert_int_equal(b->ask.out.len, 0);
	assert_int_equal(b->ask.complaint.len, 0);
}

CASE_WITH(what_nobody_asked_for_is_noise, setup, teardown)
{
	struct bed *b = *state;

	b->link.shell.beside.ask = NULL;
	say(b, noisy, 100);
	assert_int_equal(b->link.shell.noise, strlen(noisy));
	assert_int_equal(b->ask.out.len, 0);
	assert_false(b->ask.eof);
}

/* The bound is the question's, and the mark is not of the answer. */
CASE_WITH(what_is_too_long_is_told, setup, teardown)
{
	struct bed *b = *state;
	char line[101];

	memset(line, 'x', 100);
	line[100] = '\0';
	b->request.cap = 100;
	b->ask.out.cap = 100 + sizeof(b->link.shell.beside.mark);
	say(b, NONCE " 7\n", 100);
	say(b, line, 100);
	assert_false(b->ask.out.overflow);
	say(b, line, 100);
	assert_true(b->ask.out.overflow);
}

/* Noise is bounded even if the answer never begins. */
CASE_WITH(noise_before_it_is_bounded, setup, teardown)
{
	struct bed *b = *state;
	char line[1001];

	memset(line, 'x', 1000);
	line[1000] = '\0';
	for (int i = 0; i < 100; i++)
		say(b, line, 1000);
	assert_true(b->link.shell.beside.tail.overflow);
	assert_false(b->ask.eof);
}

CASES_MAIN(NULL, NULL)
