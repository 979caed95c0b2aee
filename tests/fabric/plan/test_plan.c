/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fabric/plan/plan.h"
#include "tests/support/cases.h"

static void join(void *ctx, const char *name)
{
	struct buf *b = ctx;

	buf_addf(b, "%s%s", b->len ? " " : "", name);
}

static const struct {
	const char *list, *want;
} good[] = {
	{"spine-1", "spine-1"},
	{"a,b", "a b"},
	{" a , b ", "a b"},
	{"n[0-2]", "n0 n1 n2"},
	{"n[08-11]", "n08 n09 n10 n11"},
	{"n[000-002]x", "n000x n001x n002x"},
	{"n[1,3,5-6]", "n1 n3 n5 n6"},
	{"r[0-1]-[00-01]", "r0-00 r0-01 r1-00 r1-01"},
	{"a[9-10],b", "a9 a10 b"},
	{"mlx5_[0-3]", "mlx5_0 mlx5_1 mlx5_2 mlx5_3"},
	{"x[7]", "x7"},
	{"x[7-7]", "x7"},
};

CASE(lists_expand)
{
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct buf b;
		struct err err = {0};

		buf_init(&b, 4096);
		if (!hostlist_expand(good[i].list, 100, join, &b, &err))
			fail_msg("%s: %s", good[i].list, err.text);
		assert_string_equal(b.data, good[i].want);
		buf_free(&b);
	}
}

static const struct {
	const char *list, *says;
} bad[] = {
	{"", "a name is missing"},
	{"a,,b", "a name is missing"},
	{"a,", "a name is missing"},
	{"n[0-3", "never closed"},
	{"n0-3]", "']' without '['"},
	{"n[]", "a number of 1 to 9 digits"},
	{"n[ab]", "a number of 1 to 9 digits"},
	{"n[b-a]", "the range has no end"},
	{"n[1-]", "the range has no end"},
	{"n[5-2]", "runs backwards"},
	{"n[005-10]", "differ in width"},
	{"n[1;2]", "only digits"},
	{"n[1[2]]", "without "},
	{"n[0-99999999999]", "the range has no end"},
	{"a b", "a blank inside"},
	{"a\tb", "a blank inside"},
	{"[1][1][1][1][1][1][1][1][1]", "more than 8 brackets"},
	{"0123456789012345678901234567890123456789012345678901234567890123", "longer than 63"},
	{"012345678901234567890123456789012345678901234567890123456789[1234]", "longer than 63"},
};

CASE(errors_say_which_bracket)
{
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct buf b;
		struct err err = {0};

		buf_init(&b, 4096);
		if (hostlist_expand(bad[i].list, 100, join, &b, &err))
			fail_msg("%s: expands to %s", bad[i].list, b.data);
		assert_int_equal(err.code, ERR_CONFIG);
		if (!strstr(err.text, bad[i].says))
			fail_msg("%s: %s", bad[i].list, err.text);
		assert_true(err.cure[0]);
		buf_free(&b);
	}
}

CASE(the_error_names_the_place)
{
	struct buf b;
	struct err err = {0};

	buf_init(&b, 4096);
	assert_false(hostlist_expand("leaf-[0-1],node[7-3]", 100, join, &b, &err));
	assert_non_null(strstr(err.text, "\"[7-3]\" at column 16"));
	buf_free(&b);
}

static void count_one(void *ctx, const char *name)
{
	(void)name;
	(*(size_t *)ctx)++;
}

CASE(the_limit_holds)
{
	struct err err = {0};
	size_t n = 0;

	assert_true(hostlist_expand("n[0-9]", 10, count_one, &n, &err));
	assert_int_equal(n, 10);
	n = 0;
	assert_false(hostlist_expand("n[0-10]", 10, count_one, &n, &err));
	assert_int_equal(err.code, ERR_LIMIT);
	assert_int_equal(n, 10);
	n = 0;
	/* 10^18 names: bounded by the limit, not by patience. */
	assert_false(hostlist_expand("n[0-999999999][0-999999999]", 100000, count_one, &n, &err));
	assert_int_equal(n, 100000);
}

CASE(a_plan_starts_unknown)
{
	struct plan p;

	plan_init(&p);
	assert_int_equal(p.lossless.dscp_prio[26], -1);
	assert_int_equal(p.lossless.cnp_dscp, -1);
	assert_int_equal(plan_find(&p, "x"), -1);
	(void)str_copy(vec_add(&p.devices)->name, NAME_MAX_LEN, "a");
	(void)str_copy(vec_add(&p.devices)->name, NAME_MAX_LEN, "b");
	p.devices.at[1].address = mem_strdup("10.0.0.1");
	assert_int_equal(plan_find(&p, "b"), 1);
	plan_free(&p);
	assert_int_equal(p.devices.n, 0);
	plan_free(&p);
}

CASES_MAIN(NULL, NULL)
