/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/inventory_yaml.h"
#include "base/buf.h"

/* poll: of an inventory. */

#define HEAD "fabric: t\n"

static void add_line(void *ctx, const struct err *problem)
{
	char line[1024];

	(void)buf_addf(ctx, "%s\n", err_format(problem, line, sizeof(line)));
}

static void expect(const char *text, const char *want, struct plan *plan)
{
	struct buf b;
	bool ok;
	char *got;

	buf_init(&b, 1 << 20);
	ok = inventory_parse("f.yaml", "/etc/railtop", text, strlen(text), plan, add_line, &b);
	got = buf_take(&b, NULL);
	assert_string_equal(got, want);
	assert_int_equal(ok, !*want);
	free(got);
}

static void a_group_says_it_or_inherits_it(void **state)
{
	struct plan p;

	(void)state;
	expect(HEAD "defaults: {poll: filtered}\n"
		    "hosts:\n"
		    "  - {names: a}\n"
		    "  - {names: b, poll: full}\n",
		"", &p);
	assert_int_equal(p.devices.at[0].poll, POLL_WAY_FILTERED);
	assert_int_equal(p.devices.at[1].poll, POLL_WAY_FULL);
	plan_free(&p);
	expect(HEAD "hosts: [{names: a}, {names: b, poll: filtered}]\n", "", &p);
	assert_int_equal(p.devices.at[0].poll, POLL_WAY_FULL);
	assert_int_equal(p.devices.at[1].poll, POLL_WAY_FILTERED);
	plan_free(&p);
}

static void other_words_are_refused(void **state)
{
	struct plan p;

	(void)state;
	expect(HEAD "hosts: [{names: a, poll: half}]\n",
		"f.yaml:2: hosts[0].poll: \"half\" is not a way to poll (allowed: full, "
		"filtered)\n",
		&p);
	plan_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_group_says_it_or_inherits_it),
		cmocka_unit_test(other_words_are_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
