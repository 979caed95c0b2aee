/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/config/runbooks.h"
#include "base/str.h"
#include "tests/support/cases.h"

/* All errors in one text. */
struct said {
	char text[8192];
	unsigned n;
};

static void keep(void *ctx, const struct err *problem)
{
	struct said *s = ctx;
	char line[sizeof(*problem)];
	size_t n = strlen(s->text);

	(void)str_printf(
		s->text + n, sizeof(s->text) - n, "%s\n", err_format(problem, line, sizeof(line)));
	s->n++;
}

static struct runbook *parsed(const char *text, struct said *said)
{
	memset(said, 0, sizeof(*said));
	return runbook_parse("f.yaml", text, strlen(text), keep, said);
}

#define HEAD  "runbook: mine\ntitle: t\nabout: a\ntarget: [port, fabric]\nsteps:\n"
#define STEP  "  - id: one\n    text: look\n    view: links\n"
#define WHERE "    expect: {rows: none, where: drops>0}\n"

static void expect_problem(const char *text, const char *want)
{
	struct said said;
	struct runbook *b = parsed(text, &said);

	if (b)
		fail_msg("is taken: %s", text);
	if (!strstr(said.text, want))
		fail_msg("\"%s\" is not in:\n%s", want, said.text);
}

CASE(a_step_is_read)
{
	struct said said;
	struct runbook *b = parsed(HEAD "  - id: one\n    text: >\n      two\n      lines\n"
					"    view: leaf\n    scope: peer-device\n"
					"    filter: oper=up\n"
					"    expect: {rows: at least 3, where: \"paused_rx>20%\"}\n"
					"    pass: {next: end, says: fine}\n"
					"    fail: two\n    unknown: end\n"
					"    action: pfcwd-reset\n    collect: all\n"
					"  - id: two\n    text: b\n    ask: well?\n"
					"    pass: \"runbook:other\"\n",
		&said);
	const struct runbook_step *s;

	if (!b)
		fail_msg("%s", said.text);
	assert_string_equal(b->name, "mine");
	assert_string_equal(b->target, "port fabric");
	assert_int_equal(b->steps.n, 2);
	s = &b->steps.at[0];
	assert_string_equal(s->text, "two lines");
	assert_int_equal(s->scope, SCOPE_PEER_DEVICE);
	assert_int_equal(s->rows, ROWS_AT_LEAST);
	assert_int_equal(s->count, 3);
	assert_non_null(s->query);
	assert_string_equal(s->on_pass, "end");
	assert_string_equal(s->pass_says, "fine");
	assert_string_equal(s->on_fail, "two");
	assert_string_equal(s->action, "pfcwd-reset");
	assert_null(b->steps.at[1].query);
	assert_string_equal(b->steps.at[1].question, "well?");
	runbook_free(b);
}

CASE(problems_say_where_and_what)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
		{"", "is empty"},
		{"[", "not YAML"},
		{"a: b\n", "f.yaml:1: the key \"a\" is not allowed here"},
		{"runbook: Mine\n", "f.yaml:1: runbook: \"Mine\" is not a name"},
		{"runbook: mine\n", "\"steps\" is missing"},
		{HEAD "  - id: one\n", "f.yaml:6: steps[0]: \"text\" is missing"},
		{HEAD "  - id: end\n", "f.yaml:6: steps[0].id: \"end\" is not a name"},
		{HEAD STEP, "neither \"expect\" nor \"ask\""},
		{HEAD "  - id: one\n    view: leafs\n", "f.yaml:7: steps[0].view: \"leafs\""},
		{HEAD STEP "    scope: rack\n", "f.yaml:9: steps[0].scope: \"rack\""},
		{HEAD STEP "    expct: x\n", "did you mean expect"},
		{HEAD STEP "    expect: {rows: none, where: dropz>0}\n",
			"f.yaml:9: steps[0]: expect.where: column 1: there is no field \"dropz\""},
		{HEAD STEP "    expect: {rows: none, where: \"drops>0/year\"}\n", "not a unit"},
		{HEAD STEP "    expect: {rows: few, where: x}\n", "at least N"},
		{HEAD STEP "    expect: {rows: at least 2 each, where: x}\n", "at most N each"},
		{HEAD STEP "    expect: {rows: at most 2 eac, where: x}\n", "at most N each"},
		{HEAD STEP "    expect: {rows: at least -1, where: x}\n", "at least N"},
		{HEAD STEP "    expect: {rows: none}\n", "\"where\" is missing"},
		{HEAD STEP WHERE "    filter: nope=1\n", "filter: column 1: there is no field"},
		{HEAD STEP WHERE "    pass: two\n", "f.yaml:10: steps[0].pass: there is no step"},
		{HEAD STEP WHERE "    pass: {next: one}\n    fail: one\n    unknown: one\n",
			"form a loop without an end"},
		{HEAD STEP WHERE "    pass: end\n    fail: end\n    unknown: end\n" STEP WHERE,
			"two steps have the name \"one\""},
		{HEAD STEP WHERE "    pass: end\n    fail: end\n    unknown: end\n"
				 "  - id: two\n    text: x\n    ask: y\n",
			"f.yaml:13: no step leads to \"two\""},
		{HEAD STEP WHERE "    action: reboot\n", "f.yaml:10: steps[0].action: \"reboot\""},
		{HEAD STEP WHERE "    unknown: {says: x}\n", "only pass and fail"},
		{HEAD "  - id: one\n    text: x\n    view: leaf\n    scope: fabric\n"
		      "    expect: {rows: none, where: drops>0}\n",
			"f.yaml:8: steps[0]: the view leaf needs a place"},
		{HEAD "  - id: one\n    text: x\n    expect: {rows: none, where: a=1}\n",
			"\"view\" is missing"},
		{HEAD "  - id: one\n    text: \"a\\eb\"\n", "control character"},
		{"runbook: mine\nside: left\n", "f.yaml:2: side: \"left\" is not a side of a link"},
		{HEAD STEP WHERE "    seeks: luck\n", "f.yaml:10: steps[0].seeks: \"luck\""},
		{"runbook: mine\ntarget: [rack]\n", "f.yaml:2: target[0]: \"rack\""},
		{"runbook: mine\nrunbook: mine\n", "f.yaml:2: the key \"runbook\" is given twice"},
		{"--- {}\n--- {}\n", "more than one document"},
		{HEAD, "expected a list of steps"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		expect_problem(cases[i].text, cases[i].want);
}

CASE(sizes_are_bounded)
{
	char *text = malloc(200000);
	struct said said;
	size_t n = strlen(HEAD);

	assert_non_null(text);
	(void)str_copy(text, 200000, HEAD);
	for (unsigned i = 0; i < RUNBOOK_STEPS_MAX + 1; i++) {
		(void)str_printf(text + n, 200000 - n, "  - {id: s%u, text: x, ask: y}\n", i);
		n += strlen(text + n);
	}
	assert_null(parsed(text, &said));
	assert_non_null(strstr(said.text, "more than 64 steps"));
	(void)str_copy(text, 200000, "title: ");
	n = strlen(text);
	memset(text + n, 'x', 5000);
	text[n + 5000] = '\0';
	assert_null(parsed(text, &said));
	assert_non_null(strstr(said.text, "are too many"));
	free(text);
}

CASE(every_finding_has_its_runbook)
{
	static const char *const alone[] = {"prove-innocence"};
	struct runbooks all;
	struct err err = {0};

	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	assert_int_equal(setenv("HOME", "/nonexistent", 1), 0);
	if (!runbooks_load(&all, NULL, NULL, &err))
		fail_msg("%s: %s", err.origin, err.text);
	assert_int_equal(all.at.n, 13);
	for (int i = 0; i < FIND_COUNT; i++) {
		const struct finding f = {.id = (enum finding_id)i};

		if (finding_info[i].runbook[0] && !runbook_of_finding(&all, &f))
			fail_msg("%s names %s, which does not exist", finding_info[i].name,
				finding_info[i].runbook);
	}
	for (size_t b = 0; b < all.at.n; b++) {
		bool named = false;

		for (int i = 0; i < FIND_COUNT; i++)
			named |= str_eq(finding_info[i].runbook, all.at.at[b]->name);
		for (size_t i = 0; i < sizeof(alone) / sizeof(alone[0]); i++)
			named |= str_eq(alone[i], all.at.at[b]->name);
		if (!named)
			fail_msg("nothing leads to %s", all.at.at[b]->name);
		assert_string_equal(all.at.at[b]->source, "built in");
	}
	runbooks_free(&all);
}

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[200];
	FILE *f;

	assert_true(str_printf(path, sizeof(path), "%s/%s", dir, name));
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void warned(void *ctx, const char *message)
{
	struct said *s = ctx;
	size_t n = strlen(s->text);

	(void)str_printf(s->text + n, sizeof(s->text) - n, "%s\n", message);
	s->n++;
}

CASE(the_users_own_come_last)
{
	char home[] = "/tmp/railtop-runbooks-XXXXXX", a[100], dir[120], path[200];
	static const char *const files[] = {"broken.yaml", "flap.yaml", "own.yaml", "notes.txt"};
	struct said said = {0};
	struct runbooks all;
	struct err err = {0};

	assert_non_null(mkdtemp(home));
	(void)str_printf(a, sizeof(a), "%s/railtop", home);
	(void)str_printf(dir, sizeof(dir), "%s/runbooks", a);
	assert_int_equal(mkdir(a, 0700) | mkdir(dir, 0700), 0);
	write_file(dir, "broken.yaml", "runbook: broken\nsteps: 3\n");
	write_file(dir, "flap.yaml",
		"runbook: link-flap\ntitle: ours\nabout: a\nsteps:\n"
		"  - {id: one, text: x, ask: y}\n");
	write_file(dir, "own.yaml",
		"runbook: own\ntitle: t\nabout: a\nsteps:\n"
		"  - {id: one, text: x, ask: y, pass: \"runbook:gone\"}\n");
	write_file(dir, "notes.txt", "not one\n");
	assert_int_equal(setenv("XDG_CONFIG_HOME", home, 1), 0);
	assert_true(runbooks_load(&all, warned, &said, &err));
	assert_int_equal(all.at.n, 14);
	assert_string_equal(runbook_find(&all, "link-flap")->title, "ours");
	assert_non_null(strstr(runbook_find(&all, "link-flap")->source, "flap.yaml"));
	assert_non_null(runbook_find(&all, "own"));
	assert_null(runbook_find(&all, "broken"));
	assert_non_null(strstr(said.text, "broken.yaml:2: steps"));
	assert_non_null(strstr(said.text, "leads to runbook:gone"));
	assert_int_equal(said.n, 2);
	runbooks_free(&all);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", dir, files[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(dir) | rmdir(a) | rmdir(home), 0);
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
}

CASES_MAIN(NULL, NULL)
