/* SPDX-License-Identifier: Apache-2.0 */
/* Own commands of the files of settings: what becomes a word of a program, and what never does. */
#include <stdlib.h>
#include <string.h>

#include "app/console/commands.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/plan_make.h"
#include "views/console/console.h"

#define NOW (INT64_C(1700000000) * 1000000)

struct desk {
	struct model *m;
	struct console *c;
	char said[512]; /* the words of the last program, each in <> */
	unsigned runs;
};

static bool hook_run(void *ctx, const char *const *argv, size_t n, struct err *err)
{
	struct desk *d = ctx;
	size_t used = 0;

	(void)err;
	d->runs++;
	for (size_t i = 0; i < n; i++) {
		(void)str_printf(d->said + used, sizeof(d->said) - used, "<%s>", argv[i]);
		used = strlen(d->said);
	}
	return true;
}

static int setup(void **state)
{
	struct desk *d = calloc(1, sizeof(*d));
	struct console_opts opts = {.commands = command_table,
		.ncommands = command_count,
		.read_only = true,
		.hooks = {.run_program = hook_run}};
	struct plan plan;

	opts.hooks.ctx = d;
	plan_init(&plan);
	plan.rails = 1;
	(void)plan_make_device(&plan, "node000", TIER_HOST, -1);
	(void)plan_make_device(&plan, "leaf-r0-00", TIER_LEAF, 0);
	(void)plan_make_device(&plan, "-oProxyCommand=x", TIER_LEAF, 0);
	plan_make_link(&plan, 0, "mlx5_0", 1, "Ethernet0", 0);
	plan_make_link(&plan, 0, "mlx5_1", 1, "Ethernet4;reboot", 0);
	plan_make_link(&plan, 0, "mlx5_2", 1, "$(id)", 0);
	plan_make_link(&plan, 0, "mlx5_3", 1, "Ethernet4/../../x", 0);
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

static void defined(struct desk *d, const char *line)
{
	struct err err = {0};

	if (!console_define(d->c, line, &err))
		fail_msg("%s: %s", line, err.text);
}

static void not_defined(struct desk *d, const char *line, const char *why)
{
	struct err err = {0};

	assert_false(console_define(d->c, line, &err));
	if (!strstr(err.text, why))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
}

static void runs(struct desk *d, const char *line, const char *words)
{
	struct err err = {0};

	if (!console_run(d->c, line, &err))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
	assert_string_equal(d->said, words);
}

static void refused(struct desk *d, const char *line, const char *why)
{
	struct err err = {0};
	unsigned before = d->runs;

	assert_false(console_run(d->c, line, &err));
	assert_int_equal(d->runs, before);
	if (!strstr(err.text, why))
		fail_msg("%s: %s; %s", line, err.text, err.cure);
	assert_true(err.cure[0]);
}

CASE_WITH(blanks_are_filled_with_the_place, setup, teardown)
{
	struct desk *d = *state;

	defined(d, "command show /usr/bin/show --on={device} {port} 'two words' "
		   "{peer_device}:{peer_port}");
	runs(d, "run show leaf-r0-00:Ethernet0",
		"</usr/bin/show><--on=leaf-r0-00><Ethernet0><two words><node000:mlx5_0>");
	defined(d, "command show /usr/bin/show {device}");
	runs(d, "run show node000", "</usr/bin/show><node000>");
	/* The place of the page serves as well. */
	assert_true(console_run(d->c, "goto leaf-r0-00", NULL));
	runs(d, "run show", "</usr/bin/show><leaf-r0-00>");
}

/* Names come from devices and their neighbours. */
CASE_WITH(names_that_are_no_plain_words_never_run, setup, teardown)
{
	struct desk *d = *state;

	defined(d, "command show /usr/bin/show {device} {port}");
	defined(d, "command login /usr/bin/ssh {device}");
	refused(d, "run show leaf-r0-00:Ethernet4;reboot", "letters that may not stand");
	refused(d, "run show leaf-r0-00:$(id)", "letters that may not stand");
	refused(d, "run login -oProxyCommand=x", "letters that may not stand");
	refused(d, "run show leaf-r0-00:Ethernet4/../../x", "letters that may not stand");
	refused(d, "run show node000", "there is no {port} here");
	refused(d, "run nothing", "no own command");
}

CASE_WITH(lines_that_do_not_hold_are_refused, setup, teardown)
{
	struct desk *d = *state;

	not_defined(d, "command ping ping {address}", "no path of a program");
	not_defined(d, "command ping {device}", "no path of a program");
	not_defined(d, "command ping /bin/{device}", "no path of a program");
	not_defined(d, "command ping", "no program");
	not_defined(d, "command links /bin/true", "no name for an own command");
	not_defined(d, "command quit /bin/true", "no name for an own command");
	not_defined(d, "command x /bin/true {nobody}", "not known");
	not_defined(d, "command x /bin/curl --token=abc", "a secret");
	not_defined(d, "command x /bin/snmpget -c Community:abc", "a secret");
	not_defined(d, "view hot nowhere", "no view");
	not_defined(d, "view 1 links", "no name");
	not_defined(d, "alias x", "neither view nor command");
}

CASE_WITH(a_secret_may_be_in_a_file_of_its_own, setup, teardown)
{
	struct desk *d = *state;

	defined(d, "command x /bin/curl --token-file=/run/x {device}");
	runs(d, "run x node000", "</bin/curl><--token-file=/run/x><node000>");
}

CASE_WITH(a_view_needs_no_program, setup, teardown)
{
	struct desk *d = *state;

	defined(d, "view hot links sort=-paused_rx /state!=ok");
	assert_true(console_run(d->c, "run hot", NULL));
	assert_int_equal(d->runs, 0);
}

CASES_MAIN(NULL, NULL)
