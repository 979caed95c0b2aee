/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/buf.h"
#include "emulator/serve/names.h"
#include "tests/support/cases.h"

static bool join(void *arg, const char *name, struct err *err)
{
	struct buf *b = arg;

	if (strcmp(name, "stop") == 0)
		return err_set(err, ERR_CONFIG, "", "stopped");
	return (!b->len || buf_adds(b, " ")) && buf_adds(b, name);
}

CASE(test_lists)
{
	static const struct {
		const char *list, *names;
	} good[] = {
		{"node1", "node1"},
		{"n[8-11]", "n8 n9 n10 n11"},
		{"n[08-11]", "n08 n09 n10 n11"},
		{"n[1,3-4,007]", "n1 n3 n4 n007"},
		{"a[0-1]-[1-2]x", "a0-1x a0-2x a1-1x a1-2x"},
		{"leaf-r[0-1]-00, spine-[5],z", "leaf-r0-00 leaf-r1-00 spine-5 z"},
		{"[1-2]", "1 2"},
		{"127.44.0.[9-10]", "127.44.0.9 127.44.0.10"},
	};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		struct err err;
		struct buf b;

		buf_init(&b, 4096);
		if (!names_expand(good[i].list, 100, join, &b, &err))
			fail_msg("%s: %s", good[i].list, err.text);
		assert_string_equal(b.data, good[i].names);
		buf_free(&b);
	}
}

CASE(test_what_is_no_list)
{
	static const struct {
		const char *list, *text;
	} bad[] = {
		{"", "a name is missing"},
		{"a,", "a name is missing"},
		{"a,,b", "a name is missing"},
		{"a b", "a blank inside a name"},
		{"a[", "never closed"},
		{"a[1", "never closed"},
		{"a]", "']' without '['"},
		{"a[]", "a number of 1 to 9 digits"},
		{"a[x]", "a number of 1 to 9 digits"},
		{"a[1-]", "a number of 1 to 9 digits"},
		{"a[1234567890]", "a number of 1 to 9 digits"},
		{"a[3-1]", "runs backwards"},
		{"a[1-2-3]", "only digits"},
		{"a[1 2]", "only digits"},
		{"a[[1]]", "a number of 1 to 9 digits"},
		{"n[0-999999999]", "too many names"},
		{"n[0-9][0-9][0-9]", "too many names"},
		{"x,stop,y", "stopped"},
		{"a234567890123456789012345678901234567890123456789012345678901234", "longer"},
		{"a2345678901234567890123456789012345678901234567890123456789[00000-00001]",
			"longer"},
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct err err = {0};
		struct buf b;

		buf_init(&b, 65536);
		if (names_expand(bad[i].list, 100, join, &b, &err))
			fail_msg("%s is taken", bad[i].list);
		if (!strstr(err.text, bad[i].text))
			fail_msg("%s: %s", bad[i].list, err.text);
		assert_int_equal(err.code, ERR_CONFIG);
		buf_free(&b);
	}
}

CASES_MAIN(NULL, NULL)
