/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "app/inventory/inventory_yaml.h"
#include "base/str.h"
#include "tests/support/cases.h"

/*
 * jump: of the inventory. tests/backends/transport/test_proxy_jump.c tests the parts of a jump
 * path.
 */

#define HEAD "fabric: t\n"
#define LEAF "switches: [{names: leaf-1, dialect: sonic, tier: leaf}]\n"

static char said[1024];

static void on_problem(void *ctx, const struct err *problem)
{
	size_t n = strlen(said);
	char line[1024];

	(void)ctx;
	(void)str_printf(
		said + n, sizeof(said) - n, "%s\n", err_format(problem, line, sizeof(line)));
}

static bool is_read(const char *text, struct plan *plan)
{
	said[0] = '\0';
	return inventory_parse("f.yaml", "/etc", text, strlen(text), plan, on_problem, NULL);
}

static void expect(const char *text, const char *want)
{
	struct plan plan;

	assert_false(is_read(text, &plan));
	assert_string_equal(said, want);
	plan_free(&plan);
}

static const struct plan_device *device(const struct plan *p, const char *name)
{
	int i = plan_find(p, name);

	assert_true(i >= 0);
	return &p->devices.at[i];
}

CASE(a_group_has_its_own_way)
{
	struct plan p;

	assert_true(is_read(HEAD
		"defaults: {jump: ops@bastion:2222}\n"
		"switches:\n"
		" - {names: s1, dialect: eos, tier: spine, transport: ssh}\n"
		" - {names: s2, dialect: sonic, tier: leaf, jump: 'a,b@c:22'}\n"
		" - {names: s3, dialect: eos, tier: spine, transport: https, jump: none}\n"
		" - {names: s4, dialect: eos, tier: spine, transport: https}\n",
		&p));
	assert_string_equal(device(&p, "s1")->jump, "ops@bastion:2222");
	assert_string_equal(device(&p, "s2")->jump, "a,b@c:22");
	assert_string_equal(device(&p, "s3")->jump, "none");
	assert_string_equal(device(&p, "s4")->jump, "ops@bastion:2222");
	plan_free(&p);
}

CASE(a_way_must_be_one)
{
	expect(HEAD "defaults:\n  jump: a b\n" LEAF,
		"f.yaml:3: defaults.jump: \"a b\" is not a path through bastions (write it as in "
		"ProxyJump: [user@]host[:port], several separated by commas, or none)\n");
}

CASES_MAIN(NULL, NULL)
