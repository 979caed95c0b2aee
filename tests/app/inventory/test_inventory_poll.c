/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "app/inventory/inventory_yaml.h"
#include "tests/app/support/inventory_expect.h"

/* poll: of an inventory. */

#define HEAD "fabric: t\n"

static void a_group_says_it_or_inherits_it(void **state)
{
	struct plan p;

	(void)state;
	inventory_expect(HEAD "defaults: {poll: filtered}\n"
			      "hosts:\n"
			      "  - {names: a}\n"
			      "  - {names: b, poll: full}\n",
		"", &p);
	assert_int_equal(p.devices.at[0].poll, POLL_WAY_FILTERED);
	assert_int_equal(p.devices.at[1].poll, POLL_WAY_FULL);
	plan_free(&p);
	inventory_expect(HEAD "hosts: [{names: a}, {names: b, poll: filtered}]\n", "", &p);
	assert_int_equal(p.devices.at[0].poll, POLL_WAY_FULL);
	assert_int_equal(p.devices.at[1].poll, POLL_WAY_FILTERED);
	assert_string_equal(p.warning, "");
	plan_free(&p);
}

/* A file of an earlier release still works; that is said once, of the first place. */
static void stream_is_read_as_filtered(void **state)
{
	struct plan p;

	(void)state;
	inventory_expect(HEAD "defaults: {poll: stream}\n"
			      "hosts:\n"
			      "  - {names: a}\n"
			      "  - {names: b, poll: stream}\n"
			      "  - {names: c, poll: full}\n",
		"", &p);
	assert_int_equal(p.devices.at[0].poll, POLL_WAY_FILTERED);
	assert_int_equal(p.devices.at[1].poll, POLL_WAY_FILTERED);
	assert_int_equal(p.devices.at[2].poll, POLL_WAY_FULL);
	assert_string_equal(
		p.warning, "f.yaml:2: poll: stream is read as poll: filtered (stream is no more)");
	plan_free(&p);
}

static void other_words_are_refused(void **state)
{
	struct plan p;

	(void)state;
	inventory_expect(HEAD "hosts: [{names: a, poll: half}]\n",
		"f.yaml:2: hosts[0].poll: \"half\" is not a way to poll (allowed: full, "
		"filtered)\n",
		&p);
	plan_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(a_group_says_it_or_inherits_it),
		cmocka_unit_test(stream_is_read_as_filtered),
		cmocka_unit_test(other_words_are_refused)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
