/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads of receivers with a program as the receiver: it appends each message to a file. The
 * real receivers are in tests/integration/program/test_notify.sh.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/notify/notify.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/diagnosis/engine/stand.h"
#include "tests/support/cases.h"

#define PATIENCE_US (60 * CLOCK_SEC)

static char dir[64], out[128];
static struct plan plan;
static char said[4096];

static void say(void *ctx, bool bad, const char *line)
{
	size_t len = strlen(said);

	(void)ctx;
	(void)str_printf(said + len, sizeof(said) - len, "%s%s\n", bad ? "bad: " : "", line);
}

static struct plan_receiver *add_receiver(const char *name, const char *const *words, size_t n)
{
	struct plan_receiver *r = vec_add(&plan.notify.to);

	*r = (struct plan_receiver){.kind = RECEIVER_COMMAND, .severity = SEV_CRIT};
	(void)str_copy(r->name, sizeof(r->name), name);
	for (size_t i = 0; i < n; i++)
		vec_push(&r->argv, mem_strdup(words[i]));
	return r;
}

static int setup(void **state)
{
	const char *words[] = {"/usr/bin/tee", "-a", out};

	(void)str_copy(dir, sizeof(dir), "/tmp/railtop-notify-XXXXXX");
	assert_non_null(mkdtemp(dir));
	(void)str_printf(out, sizeof(out), "%s/told", dir);
	assert_int_equal(setenv("XDG_STATE_HOME", dir, 1), 0);
	said[0] = '\0';
	plan_init(&plan);
	(void)str_copy(plan.fabric, sizeof(plan.fabric), "stand");
	plan.notify.wait_us = plan.notify.hold_us = 0;
	(void)add_receiver("file", words, 3);
	return stand_setup(state);
}

static int teardown(void **state)
{
	char command[200];

	plan_free(&plan);
	(void)str_printf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(system(command), 0);
	return stand_teardown(state);
}

/* How many messages of that event were told. */
static unsigned told(const char *event)
{
	char word[64], line[65536];
	unsigned n = 0;
	FILE *f = fopen(out, "re");

	(void)str_printf(word, sizeof(word), "\"event\":\"%s\"", event);
	while (f && fgets(line, sizeof(line), f))
		n += strstr(line, word) != NULL;
	if (f)
		(void)fclose(f);
	return n;
}

static void step(struct notify *n, const struct stand *s)
{
	(void)usleep(20000);
	notify_step(n, s->m, s->d, s->now_us);
}

static void await_told(struct notify *n, const struct stand *s, const char *event, unsigned want)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;

	while (told(event) < want) {
		if (clock_mono(&clock_system) > until)
			fail_msg("only %u of %u %s", told(event), want, event);
		step(n, s);
	}
	assert_int_equal(told(event), want);
}

static void await_said(struct notify *n, const struct stand *s, const char *words)
{
	int64_t until = clock_mono(&clock_system) + PATIENCE_US;

	while (!strstr(said, words)) {
		if (clock_mono(&clock_system) > until)
			fail_msg("\"%s\" was not said, but: %s", words, said);
		step(n, s);
	}
}

static struct notify *start(void)
{
	struct notify_opts opts = {.plan = &plan, .say = say};

	return notify_start(&opts);
}

/* For so long nothing more is told: three sets, at least. */
static void let_pass(struct notify *n, const struct stand *s)
{
	int64_t until = clock_mono(&clock_system) + 4 * CLOCK_SEC;

	while (clock_mono(&clock_system) < until)
		step(n, s);
}

CASE_WITH(no_receiver_no_threads, setup, teardown)
{
	struct plan none;
	struct notify_opts opts = {.plan = &none};

	plan_init(&none);
	assert_null(notify_start(&opts));
	notify_stop(NULL);
	plan_free(&none);
}

CASE_WITH(it_is_told_once_over_restarts_and_its_end_once, setup, teardown)
{
	struct stand *s = *state;
	struct notify *n = start();

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	await_told(n, s, "trigger", 1);
	notify_stop(n);
	n = start();
	let_pass(n, s);
	assert_int_equal(told("trigger"), 1);
	notify_stop(n);
	/* It heals while nobody watches. The next one knows that after a minute of the data. */
	stand_link(s, "leaf-r0-00:Ethernet0", true);
	stand_poll(s, 6);
	n = start();
	let_pass(n, s);
	assert_int_equal(told("resolve"), 0);
	stand_poll(s, 14);
	await_told(n, s, "resolve", 1);
	let_pass(n, s);
	assert_int_equal(told("resolve"), 1);
	assert_int_equal(told("trigger"), 1);
	notify_stop(n);
	assert_string_equal(said, "");
}

CASE_WITH(a_dead_receiver_is_said_once_and_holds_up_nobody, setup, teardown)
{
	static const char *const dead[] = {"/bin/false"};
	struct stand *s = *state;
	struct notify *n;
	char words[120];
	FILE *f = tmpfile();
	char report[2000] = "";

	(void)add_receiver("dead", dead, 1);
	n = start();
	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	await_told(n, s, "trigger", 1);
	await_said(n, s, "notify dead: /bin/false: failed with status 1");
	let_pass(n, s);
	assert_null(strstr(strstr(said, "notify dead") + 1, "notify dead"));
	assert_non_null(
		strstr(notify_words(n, words, sizeof(words)), "2 receivers, 1 not reached"));
	/* What railtop check prints. */
	assert_int_equal(notify_report(&plan, f), 1);
	rewind(f);
	assert_true(fread(report, 1, sizeof(report) - 1, f) > 0);
	assert_non_null(strstr(report, "NOT REACHED"));
	assert_non_null(strstr(report, "last message"));
	(void)fclose(f);
	notify_stop(n);
}

CASE_WITH(a_second_process_does_not_tell_too, setup, teardown)
{
	struct stand *s = *state;
	struct notify *first = start(), *second;

	stand_link(s, "leaf-r0-00:Ethernet0", false);
	stand_poll(s, 2);
	await_told(first, s, "trigger", 1);
	second = start();
	await_said(second, s, "another railtop tells this receiver");
	let_pass(second, s);
	assert_int_equal(told("trigger"), 1);
	notify_stop(second);
	notify_stop(first);
}

CASE_WITH(a_test_message_goes_to_each_and_says_how, setup, teardown)
{
	static const char *const dead[] = {"/nonexistent/page"};
	FILE *f = tmpfile();
	char report[2000] = "";

	(void)add_receiver("dead", dead, 1);
	assert_int_equal(notify_test(&plan, f), 1);
	rewind(f);
	assert_true(fread(report, 1, sizeof(report) - 1, f) > 0);
	(void)fclose(f);
	assert_int_equal(told("test"), 1);
	assert_non_null(strstr(report, "file "));
	assert_non_null(strstr(report, " ok "));
	assert_non_null(strstr(report, "FAILED"));
	assert_non_null(strstr(report, "No such file"));
}

CASES_MAIN(NULL, NULL)
