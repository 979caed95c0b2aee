/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <stdlib.h>

#include "base/buf.h"
#include "tests/support/cases.h"

CASE(it_grows_and_ends_in_nul)
{
	struct buf b;
	char *taken;
	size_t len;

	buf_init(&b, 100000);
	assert_null(b.data);
	for (unsigned i = 0; i < 5000; i++)
		assert_true(buf_add(&b, "ab", 2));
	assert_int_equal(b.len, 10000);
	assert_int_equal(strlen(b.data), 10000);
	assert_true(buf_addf(&b, "%s-%d", "x", 7));
	assert_string_equal(b.data + 10000, "x-7");
	taken = buf_take(&b, &len);
	assert_int_equal(len, 10003);
	assert_int_equal(b.len, 0);
	free(taken);
	taken = buf_take(&b, NULL);
	assert_string_equal(taken, "");
	free(taken);
	buf_free(&b);
}

CASE(the_cap_holds)
{
	struct buf b;

	buf_init(&b, 10);
	assert_true(buf_adds(&b, "0123456789"));
	assert_false(b.overflow);
	assert_false(buf_adds(&b, "x"));
	assert_true(b.overflow);
	assert_string_equal(b.data, "0123456789");
	assert_true(buf_adds(&b, ""));
	buf_reset(&b);
	assert_false(b.overflow);
	assert_string_equal(b.data, "");
	assert_false(buf_addf(&b, "%020d", 1));
	assert_int_equal(b.len, 0);
	/* Memory has room for the refused text, and for a part of it. */
	assert_true(buf_addf(&b, "%s-%d", "01234", 6));
	assert_false(buf_addf(&b, "%04d", 1));
	assert_false(buf_addf(&b, "%0300d", 1));
	assert_string_equal(b.data, "01234-6");
	assert_false(buf_add(&b, "x", SIZE_MAX));
	assert_true(buf_adds(&b, "ok"));
	buf_free(&b);
	assert_int_equal(b.cap, 10);
}

CASE(bytes_may_be_nul)
{
	struct buf b;

	buf_init(&b, 10);
	assert_true(buf_add(&b, "a\0b", 3));
	assert_int_equal(b.len, 3);
	assert_memory_equal(b.data, "a\0b", 4);
	buf_free(&b);
}

/* A hint: nothing is moved up to there, and nothing is promised beyond the cap. */
CASE(room_is_there_before_it_is_used)
{
	struct buf b;
	char *at;

	buf_init(&b, 1000);
	buf_expect(&b, 0);
	assert_null(b.data);
	assert_true(buf_adds(&b, "ab"));
	buf_expect(&b, 600);
	assert_string_equal(b.data, "ab");
	at = b.data;
	while (b.len < 600)
		assert_true(buf_adds(&b, "c"));
	assert_ptr_equal(b.data, at);
	buf_expect(&b, 1001);
	buf_expect(&b, 5);
	assert_ptr_equal(b.data, at);
	assert_false(buf_add(&b, at, 401));
	buf_free(&b);
}

CASES_MAIN(NULL, NULL)
