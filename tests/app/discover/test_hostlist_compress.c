/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/hostlist_compress.h"
#include "base/str.h"
#include "fabric/plan/plan.h"
#include "tests/support/cases.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

struct expected {
	const char *const *names;
	size_t n, seen;
};

static void same_name(void *ctx, const char *name)
{
	struct expected *e = ctx;

	assert_true(e->seen < e->n);
	assert_string_equal(name, e->names[e->seen++]);
}

static void check(const char *const *names, size_t n, const char *folded)
{
	struct expected e = {.names = names, .n = n};
	struct err err = {0};
	struct buf b;

	buf_init(&b, 65536);
	hostlist_compress(names, n, &b);
	assert_string_equal(b.data, folded);
	assert_true(hostlist_expand(b.data, 1000, same_name, &e, &err));
	assert_int_equal(e.seen, n);
	buf_free(&b);
}

CASE(runs_share_a_bracket)
{
	static const char *const names[] = {
		"leaf-r0-08", "leaf-r0-09", "leaf-r0-10", "leaf-r1-00", "node1", "node2", "spine"};

	check(names, ARRAY_LEN(names), "leaf-r0-[08-10],leaf-r1-00,node[1-2],spine");
}

CASE(widths_and_suffixes_keep_apart)
{
	static const char *const names[] = {"n9", "n10", "n011", "a1x", "a2x", "a3y", "b2", "b1",
		"x99999999999999999999", "x99999999999999999998"};

	check(names, ARRAY_LEN(names),
		"n9,n10,n011,a[1-2]x,a3y,b2,b1,x99999999999999999999,x99999999999999999998");
}

CASES_MAIN(NULL, NULL)
