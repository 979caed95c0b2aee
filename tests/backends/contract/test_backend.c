/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/contract/backend.h"
#include "backends/contract/target.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

CASE(every_line_of_the_table_is_a_dialect)
{
	static const char *const lines[] = {
#define BACKEND(name) #name,
#include "backends/backends.def"
#undef BACKEND
	};

	assert_int_equal(backend_count, sizeof(lines) / sizeof(lines[0]));
	for (size_t i = 0; i < backend_count; i++) {
		const struct backend_ops *ops = backend_by_name(lines[i]);

		assert_non_null(ops);
		assert_ptr_equal(ops, backend_table[i]);
		assert_string_equal(ops->name, lines[i]);
		assert_non_null(ops->title);
		assert_non_null(ops->plan);
		assert_non_null(ops->parse);
		assert_true(ops->transports && ops->transports < 1u << TRANSPORT_COUNT);
		assert_non_null(strstr(backend_names(), lines[i]));
	}
	assert_null(backend_by_name("junos"));
	assert_null(backend_by_name(NULL));
	assert_int_not_equal(backend_names()[0], ',');
}

/* Each dialect asks something fast, over every transport it claims, within bounds. */
CASE(every_dialect_plans)
{
	for (size_t i = 0; i < backend_count; i++) {
		for (int k = 0; k < TRANSPORT_COUNT; k++) {
			struct target t = {.device = "x", .tier = TIER_LEAF, .lossless = 8};
			struct request_list list = {0};
			struct err err = {0};

			if (!(backend_table[i]->transports & (1u << k)))
				continue;
			t.transport = (enum transport_kind)k;
			assert_true(backend_table[i]->plan(&t, POLL_FAST, &list, &err));
			assert_true(list.at.n >= 1);
			for (size_t r = 0; r < list.at.n; r++) {
				assert_true(list.at.at[r].cap > 0);
				assert_true(list.at.at[r].timeout_us > 0);
				assert_non_null(k == TRANSPORT_SSH ? list.at.at[r].command
								   : list.at.at[r].path);
			}
			requests_free(&list);
		}
	}
}

CASE(transports_have_names)
{
	enum transport_kind k;

	assert_true(transport_by_name("ssh", &k) && k == TRANSPORT_SSH);
	assert_true(transport_by_name("https", &k) && k == TRANSPORT_HTTPS);
	assert_false(transport_by_name("telnet", &k));
	assert_false(transport_by_name("", &k));
	assert_string_equal(transport_name(TRANSPORT_HTTPS), "https");
}

CASE(requests_are_copies_with_bounds)
{
	struct request_list list = {0};
	char command[] = "show", body[] = "{}";
	struct request *r;

	r = requests_ssh(&list, "fast", command, NULL);
	command[0] = 'X';
	assert_string_equal(r->command, "show");
	assert_null(r->input);
	assert_int_equal(r->cap, 8 << 20);
	assert_int_equal(r->timeout_us, 10 * CLOCK_SEC);
	r = requests_http(&list, "slow", "POST", "/api", "application/json", body);
	body[0] = 'X';
	assert_string_equal(r->body, "{}");
	assert_null(r->command);
	assert_int_equal(list.at.n, 2);
	requests_free(&list);
	assert_int_equal(list.at.n, 0);
}

CASE(home_is_expanded_at_the_start_only)
{
	char *s;

	setenv("HOME", "/home/noc", 1);
	s = target_expand_home("~/.ssh/id");
	assert_string_equal(s, "/home/noc/.ssh/id");
	free(s);
	s = target_expand_home("/a/~/b");
	assert_string_equal(s, "/a/~/b");
	free(s);
}

CASES_MAIN(NULL, NULL)
