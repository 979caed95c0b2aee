/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backends/collector/plans.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* Equal requests of several devices are stored once. */

static struct kept_plan *keep(struct plan_shelf *s, const char *command, const char *input)
{
	struct request_list list = {0};

	(void)requests_ssh(&list, "fast", command, input);
	return plan_keep(s, &list);
}

CASE(test_once_for_all)
{
	struct plan_shelf s = {0};
	struct kept_plan *a = keep(&s, "sh -s", "date\n"), *b = keep(&s, "sh -s", "date\n");
	struct kept_plan *other = keep(&s, "sh -s", "uname\n");

	assert_ptr_equal(a, b);
	assert_ptr_not_equal(a, other);
	assert_string_equal(plan_requests(other)->at.at[0].input, "uname\n");
	plan_drop(&s, a);
	assert_string_equal(plan_requests(b)->at.at[0].input, "date\n");
	plan_drop(&s, b);
	plan_drop(&s, other);
	plan_drop(&s, NULL);
	assert_null(s.plans);
}

/* Any difference in a request makes it another one. */
CASE(test_any_difference)
{
	struct plan_shelf s = {0};
	struct kept_plan *kept[12];
	unsigned n = sizeof(kept) / sizeof(kept[0]);

	for (unsigned i = 0; i < n; i++) {
		struct request_list list = {0};
		struct request *r = requests_ssh(&list, "fast", "ab", i == 11 ? NULL : "c");

		r->timeout_us += i == 1;
		r->cap += i == 2;
		r->partial = i == 3;
		r->shell = i == 4;
		r->spare = i == 5;
		r->change = i == 6;
		r->method = i == 7 ? "GET" : NULL;
		r->path = i == 8 ? mem_strdup("/") : NULL;
		if (i == 9)
			(void)requests_ssh(&list, "fast", "ab", "c");
		if (i == 10)
			r->forward_port = 22;
		kept[i] = plan_keep(&s, &list);
		for (unsigned k = 0; k < i; k++)
			assert_ptr_not_equal(kept[k], kept[i]);
	}
	for (unsigned i = 0; i < n; i++)
		plan_drop(&s, kept[i]);
	assert_null(s.plans);
}

CASES_MAIN(NULL, NULL)
