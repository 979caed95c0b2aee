/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "app/console/commands.h"
#include "backends/contract/needs.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "views/console/console.h"
#include "views/panels/need_groups.h"

#define NOW (INT64_C(1700000000) * 1000000)

struct desk {
	struct model *m;
	struct console *c;
};

static int setup(void **state)
{
	struct desk *d = calloc(1, sizeof(*d));
	struct console_opts opts = {
		.commands = command_table, .ncommands = command_count, .read_only = true};
	struct plan plan;

	plan_init(&plan);
	plan.rails = 1;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	plan_make_link(&plan, 0, "mlx5_0", 1, "Ethernet0", 0);
	d->m = model_new(&plan);
	plan_free(&plan);
	d->c = console_new(&opts);
	console_data(d->c, d->m, NOW, 0);
	*state = d;
	return 0;
}

static int teardown(void **state)
{
	struct desk *d = *state;

	console_free(d->c);
	model_free(d->m);
	free(d);
	return 0;
}
static void refused(struct desk *d, const char *line, const char *why, const char *cure)
{
	struct err err = {0};

	assert_false(console_run(d->c, line, &err));
	if (!strstr(err.text, why) || !strstr(err.cure, cure))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
}

/* Read-only mode has them: a mark changes nothing on a device. */
CASE_WITH(marks_are_set_chosen_and_dropped, setup, teardown)
{
	struct desk *d = *state;
	struct err err = {0};

	assert_true(console_run(d->c, "mark before the change", &err));
	console_data(d->c, d->m, NOW + 5000000, 0);
	assert_true(console_run(d->c, "mark m1", &err));
	assert_int_equal(d->m->nmarks, 2);
	assert_string_equal(d->m->marks[0].name, "before the change");
	assert_true(d->m->marks[0].wall_us == NOW);
	assert_true(d->m->marks[1].wall_us == NOW + 5000000);
	assert_true(console_run(d->c, "since before the change", &err));
	assert_true(console_run(d->c, "since -", &err));
	assert_true(console_run(d->c, "unmark before the change", &err));
	assert_int_equal(d->m->nmarks, 1);
}

CASE_WITH(wrong_names_are_refused_with_the_right_ones, setup, teardown)
{
	struct desk *d = *state;

	refused(d, "since", "which mark", "none");
	assert_true(console_run(d->c, "mark a", NULL));
	assert_true(console_run(d->c, "mark b", NULL));
	refused(d, "since c", "no mark c", "a, b");
	refused(d, "unmark", "which mark", "a, b");
	refused(d, "unmark c", "no mark c", "a, b");
	refused(d, "mark -", "cannot be named", "");
	assert_true(console_run(d->c, "mark c", NULL));
	assert_true(console_run(d->c, "mark d", NULL));
	refused(d, "mark e", "marks already", "unmark a");
	assert_true(console_run(d->c, "mark a", NULL)); /* set again */
	assert_int_equal(d->m->nmarks, 4);
	assert_string_equal(d->m->marks[3].name, "a");
}

CASE_WITH(ports_are_pinned_by_name_and_let_go, setup, teardown)
{
	struct desk *d = *state;
	struct device *leaf = model_device(d->m, "leaf-r0-00");
	const struct port *p = model_port(d->m, leaf, "Ethernet0");

	refused(d, "pin", "no port is selected", "pin leaf-r3-00:Ethernet12");
	refused(d, "pin leaf-r0-00", "is not a port", "pin leaf-r3-00:Ethernet12");
	refused(d, "pin leaf-r0-00:nowhere", "nowhere", "");
	assert_true(console_run(d->c, "pin leaf-r0-00:Ethernet0", NULL));
	assert_true(p->pinned);
	assert_true(console_run(d->c, "goto leaf-r0-00:Ethernet0", NULL));
	assert_true(console_run(d->c, "pin", NULL));
	assert_false(p->pinned);
}

static void type(struct desk *d, const char *keys)
{
	for (; *keys; keys++)
		console_key(d->c, *keys);
}

CASE_WITH(a_name_is_asked_for, setup, teardown)
{
	struct desk *d = *state;

	assert_true(console_run(d->c, "mark", NULL));
	assert_int_equal(d->m->nmarks, 0);
	type(d, "\r");
	assert_int_equal(d->m->nmarks, 1);
	assert_string_equal(d->m->marks[0].name, "m1");
	assert_true(console_run(d->c, "mark", NULL));
	type(d, "shift\r");
	assert_string_equal(d->m->marks[1].name, "shift");
	assert_true(console_run(d->c, "mark", NULL));
	type(d, "\033");
	assert_int_equal(d->m->nmarks, 2);
}

static void at_place(struct desk *d, const char *line, const char *locator)
{
	char text[128];
	struct err err = {0};

	if (!console_run(d->c, line, &err))
		fail_msg("%s: %s", line, err.text);
	console_locator(d->c, text, sizeof(text));
	assert_string_equal(text, locator);
}

CASE_WITH(a_view_of_a_device_is_a_place, setup, teardown)
{
	struct desk *d = *state;
	char text[128];

	at_place(d, "goto bgp", "cluster");
	at_place(d, "goto bgp leaf-r0-00", "leaf-r0-00");
	at_place(d, "goto bgp", "cluster"); /* another page than that of the device */
	at_place(d, "goto device node000", "node000");
	at_place(d, "goto rail 0", "leaf-r0-00"); /* still a rail */
	assert_true(
		console_back(d->c, NULL) && console_back(d->c, NULL) && console_back(d->c, NULL));
	console_locator(d->c, text, sizeof(text));
	assert_string_equal(text, "leaf-r0-00");
	refused(d, "goto bgp nowhere", "no", "");
	refused(d, "goto events leaf-r0-00", "no", "");
}

CASES_MAIN(NULL, NULL)
