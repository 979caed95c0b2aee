/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/ssh/session_private.h"
#include "base/mem.h"
#include "tests/support/cases.h"

/* Questions that are used again. Where memory is watched none is. */

#define MANY 20

static const struct request small = {.name = "small", .cap = 1000};
static const struct request large = {.name = "large", .cap = 1000000};

struct bed {
	struct ssh_shard shard;
	struct ssh_link link;
};

static int setup(void **state)
{
	*state = mem_calloc(1, sizeof(struct bed));
	return 0;
}

static int teardown(void **state)
{
	struct bed *b = *state;

	ssh_asks_spare_free(&b->shard);
	free(b);
	return 0;
}

CASE_WITH(test_the_next_one_has_nothing_of_the_one_before, setup, teardown)
{
	struct bed *b = *state;
	struct ssh_ask *a = ssh_ask_take(&b->shard, &b->link, &large);

	assert_true(buf_adds(&a->out, "speed 400000\n"));
	assert_true(buf_adds(&a->complaint, "cannot"));
	a->out.overflow = a->eof = a->filtered = a->left = true;
	a->status = 3;
	a->received = 13;
	err_set(&a->err, ERR_TIMEOUT, "leaf-r0-00", "late");
	ssh_ask_give(&b->shard, a);
	a = ssh_ask_take(&b->shard, &b->link, &small);
	assert_ptr_equal(a->request, &small);
	assert_ptr_equal(a->link, &b->link);
	assert_int_equal(a->out.len, 0);
	assert_int_equal(a->out.cap, small.cap);
	assert_false(a->out.overflow);
	assert_int_equal(a->complaint.len, 0);
	assert_false(a->eof || a->filtered || a->left);
	assert_int_equal(a->status, -1);
	assert_int_equal(a->received, 0);
	assert_int_equal(a->err.code, ERR_NONE);
	assert_string_equal(a->err.text, "");
	ssh_ask_give(&b->shard, a);
}

CASE_WITH(test_few_are_kept_and_none_that_is_large, setup, teardown)
{
	struct bed *b = *state;
	struct ssh_ask *a[MANY];
	unsigned kept = 0;

	for (int i = 0; i < MANY; i++) {
		a[i] = ssh_ask_take(&b->shard, &b->link, &large);
		buf_expect(&a[i]->out, i % 2 ? 100000 : 100);
	}
	for (int i = 0; i < MANY; i++)
		ssh_ask_give(&b->shard, a[i]);
	for (struct ssh_ask *s = b->shard.spare; s; s = s->next, kept++)
		assert_true(s->out.size < 100000);
	assert_int_equal(kept, b->shard.spare_n);
	assert_true(kept < MANY / 2);
	ssh_asks_spare_free(&b->shard);
	assert_null(b->shard.spare);
	assert_int_equal(b->shard.spare_n, 0);
}

CASES_MAIN(NULL, NULL)
