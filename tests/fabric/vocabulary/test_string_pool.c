/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "fabric/model/index.h"
#include "fabric/vocabulary/string_pool.h"
#include "tests/support/cases.h"

CASE(equal_texts_are_one)
{
	struct string_pool *t = string_pool_new();
	const char *a = "", *b = "", *c = "";
	char same[] = "Ethernet0";

	string_pool_set(t, &a, "Ethernet0");
	string_pool_set(t, &b, same);
	string_pool_set(t, &c, "Ethernet1");
	assert_string_equal(a, "Ethernet0");
	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, c);
	/* A text released by one owner stays valid for the other. */
	string_pool_set(t, &a, "");
	assert_string_equal(a, "");
	assert_string_equal(b, "Ethernet0");
	string_pool_set(t, &b, b);
	assert_string_equal(b, "Ethernet0");
	string_pool_set(t, &b, b + 1);
	assert_string_equal(b, "thernet0");
	string_pool_free(t);
}

#define MANY 5000

CASE(many_come_and_go)
{
	struct string_pool *t = string_pool_new();
	static const char *at[MANY];
	char text[32];

	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < MANY; i++) {
			(void)snprintf(text, sizeof(text), "%u of round %u", i, round);
			if (!round)
				at[i] = "";
			string_pool_set(t, &at[i], text);
		}
		for (unsigned i = 0; i < MANY; i++) {
			(void)snprintf(text, sizeof(text), "%u of round %u", i, round);
			assert_string_equal(at[i], text);
		}
	}
	string_pool_free(t);
}

CASE(an_index_keeps_its_order)
{
	void *index = NULL;
	struct index_at e = {0};
	char name[16];
	unsigned n = 0;
	int things[1000];

	for (unsigned i = 0; i < 1000; i++) {
		(void)snprintf(name, sizeof(name), "n%u", i);
		index_put(&index, name, RANK_NAME, &things[i]);
	}
	for (unsigned i = 0; i < 1000; i += 3) {
		(void)snprintf(name, sizeof(name), "n%u", i);
		index_drop(&index, name, RANK_ALIAS, &things[i]); /* not as that */
		assert_ptr_equal(index_get(index, name), &things[i]);
		index_drop(&index, name, RANK_NAME, &things[i]);
		assert_null(index_get(index, name));
	}
	assert_int_equal(index_size(index), 666);
	for (unsigned i = 0; i < 1000; i++) {
		if (i % 3 == 0)
			continue;
		assert_true(index_next(index, &e));
		assert_ptr_equal(e.thing, &things[i]);
		n++;
	}
	assert_int_equal(n, 666);
	assert_false(index_next(index, &e));
	/* The stronger sense wins, and the weaker one does not take it back. */
	index_put(&index, "n1", RANK_ALIAS, &things[0]);
	assert_ptr_equal(index_get(index, "n1"), &things[1]);
	index_put(&index, "eth", RANK_MAC, &things[0]);
	index_put(&index, "eth", RANK_NETDEV, &things[1]);
	assert_ptr_equal(index_get(index, "eth"), &things[1]);
	index_free(&index);
	assert_int_equal(index_size(index), 0);
	assert_null(index_get(index, "n1"));
}

/* A dropped text leaves room, and its old name does not find it; a text put again is the newest. */
CASE(an_index_forgets)
{
	void *index = NULL;
	struct index_at e = {0};
	int things[64];
	char name[16];

	for (unsigned turn = 0; turn < 50; turn++)
		for (unsigned i = 0; i < 64; i++) {
			(void)snprintf(name, sizeof(name), "p%u", i);
			if (turn)
				index_drop(&index, name, RANK_NAME, &things[i]);
			assert_null(index_get(index, name));
			assert_int_equal(index_size(index), turn ? 63 : i);
			index_put(&index, name, RANK_NAME, &things[i]);
			assert_ptr_equal(index_get(index, name), &things[i]);
		}
	for (unsigned i = 0; i < 64; i++) {
		assert_true(index_next(index, &e));
		assert_ptr_equal(e.thing, &things[i]);
	}
	assert_false(index_next(index, &e));
	for (unsigned i = 0; i < 64; i++) {
		(void)snprintf(name, sizeof(name), "p%u", i);
		index_drop(&index, name, RANK_NAME, &things[i]);
	}
	assert_null(index);
}

CASES_MAIN(NULL, NULL)
