/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/*
 * A kept shell of a real OpenSSH server whose answers pass a filter: each awk that devices have,
 * and programs that are no awk.
 */

#define PATIENCE_MS 30000
#define LINES       400

struct reply {
	bool came, changed_known;
	char *bytes;
	size_t len, changes;
	uint64_t received;
	int status;
	char complaint[200], why[100];
	struct err err;
	struct buf outside; /* the answer without the changed parts */
};

struct fixture {
	struct ssh_rig rig;
	char tools[64], said[96], text[65536];
	unsigned value[LINES];
	struct request *question;
};

static void on_reply(void *ctx, const struct answer *a)
{
	struct reply *r = ctx;
	const struct text_change *changes = a->before ? a->before->changes : NULL;
	size_t from = 0;

	assert_false(r->came);
	r->came = true;
	r->bytes = mem_strndup(a->bytes, a->len);
	r->len = a->len;
	r->received = a->received;
	r->status = a->status;
	r->changed_known = changes != NULL;
	r->changes = changes ? a->before->changes_n : 0;
	r->err = a->err;
	str_copy(r->complaint, sizeof(r->complaint), a->complaint);
	str_copy(r->why, sizeof(r->why), a->full_why ? a->full_why : "");
	buf_init(&r->outside, 1 << 20);
	for (size_t i = 0; i < r->changes; i++) {
		assert_true(changes[i].at >= from);
		assert_true(changes[i].at + changes[i].len <= a->len);
		(void)buf_add(&r->outside, a->bytes + from, changes[i].at - from);
		from = changes[i].at + changes[i].len;
	}
	(void)buf_add(&r->outside, a->bytes + from, a->len - from);
}

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

static int setup(void **state)
{
	struct fixture *f = *state;

	ssh_rig_open(&f->rig, NULL);
	f->rig.device.poll = POLL_WAY_FILTERED;
	(void)str_copy(f->tools, sizeof(f->tools), "/tmp/railtop-filter-XXXXXX");
	assert_non_null(mkdtemp(f->tools));
	(void)str_printf(f->said, sizeof(f->said), "%s/said", f->tools);
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char path[96];

	ssh_rig_close(&f->rig);
	(void)unlink(f->said);
	(void)str_printf(path, sizeof(path), "%s/awk", f->tools);
	(void)unlink(path);
	(void)str_printf(path, sizeof(path), "%s/sh", f->tools);
	(void)unlink(path);
	assert_int_equal(rmdir(f->tools), 0);
	return 0;
}

/* ---- a device with an awk of the test's ---- */

static bool installed(const char *program)
{
	return access(program, X_OK) == 0;
}

static void tool_is(struct fixture *f, const char *name, const char *program)
{
	char path[96];

	(void)str_printf(path, sizeof(path), "%s/%s", f->tools, name);
	assert_int_equal(symlink(program, path), 0);
}

static void awk_is(struct fixture *f, const char *program)
{
	tool_is(f, "awk", program);
}

static void awk_is_script(struct fixture *f, const char *script)
{
	char path[96];
	FILE *file;

	(void)str_printf(path, sizeof(path), "%s/awk", f->tools);
	file = fopen(path, "we");
	assert_non_null(file);
	(void)fprintf(file, "#!/bin/sh\n%s\n", script);
	(void)fclose(file);
	assert_int_equal(chmod(path, 0755), 0);
}

static void go_up(struct fixture *f)
{
	char extra[160], text[128];

	(void)str_printf(extra, sizeof(extra),
		"ForceCommand export PATH=%s:/usr/bin:/bin; eval \"$SSH_ORIGINAL_COMMAND\"\n",
		f->tools);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	f->rig.device.port = f->rig.own.port;
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 256); /* elements must not move */
	(void)str_printf(text, sizeof(text), "cat %s", f->said);
	f->question = requests_ssh(&f->rig.requests, "test", "sh -s", text);
	f->question->shell = true;
}

static struct reply run(struct fixture *f, const struct request *q)
{
	struct reply r = {0};

	transport_ssh.ask(f->rig.link, q, POLL_FAST, on_reply, &r);
	ssh_rig_until(&f->rig, &r.came);
	return r;
}

static void reply_free(struct reply *r)
{
	free(r->bytes);
	buf_free(&r->outside);
}

/* Writes text to the file, asks for it, and returns the reply. */
static struct reply ask(struct fixture *f, const char *text)
{
	FILE *file = fopen(f->said, "we");
	struct reply r;

	assert_non_null(file);
	(void)fputs(text, file);
	(void)fclose(file);
	r = run(f, f->question);
	if (r.err.code != ERR_NONE)
		fail_msg("%s", r.err.text);
	assert_string_equal(r.bytes, text);
	return r;
}

static struct reply ask_and_free(struct fixture *f, const char *text)
{
	struct reply r = ask(f, text);

	reply_free(&r);
	return r;
}

static const struct ssh_shell *shell_of(const struct fixture *f)
{
	return &((const struct ssh_link *)f->rig.link)->shell;
}

/* LINES counters of a NIC; then a line of as many values, as Redis answers. */
static const char *counters(struct fixture *f)
{
	size_t len = 0;

	for (unsigned i = 0; i < LINES; i++)
		len += (size_t)snprintf(f->text + len, sizeof(f->text) - len,
			"     rx_prio%u_counter: %u\n", i, f->value[i]);
	len += (size_t)snprintf(f->text + len, sizeof(f->text) - len, "[[\"PORT\"");
	for (unsigned i = 0; i < LINES; i++)
		len += (size_t)snprintf(
			f->text + len, sizeof(f->text) - len, ",\"%u\"", f->value[i]);
	(void)snprintf(f->text + len, sizeof(f->text) - len, "]]\n");
	return f->text;
}

/* ---- the answers ---- */

static void filters(struct fixture *f, const char *awk)
{
	struct reply r;
	uint64_t all;

	awk_is(f, awk);
	go_up(f);
	srand(11);
	for (unsigned i = 0; i < LINES; i++)
		f->value[i] = (unsigned)rand() % 1000;
	/* On a slow machine the first goes to a channel of its own. */
	r = ask_and_free(f, counters(f));
	for (int64_t until = now_ms() + PATIENCE_MS; shell_of(f)->filter != FILTER_ON;) {
		assert_true(now_ms() < until);
		r = ask_and_free(f, counters(f));
	}
	for (int i = 0; i < 3 && !r.changed_known; i++)
		r = ask_and_free(f, counters(f));
	all = strlen(f->text);
	assert_true(r.changed_known);
	assert_int_equal(r.changes, 0);
	assert_true(r.received < 150);
	for (int i = 0; i < 20; i++) {
		for (int k = 0; k < 20; k++)
			f->value[(unsigned)rand() % LINES] += (unsigned)rand() % 3000;
		r = ask(f, counters(f));
		assert_true(r.changed_known);
		assert_true(r.changes > 10 && r.changes <= 40);
		assert_true(r.received < all / 8);
		assert_true(r.outside.len > all * 9 / 10);
		reply_free(&r);
	}
	/* Other tokens, everywhere others, none, bytes of any kind: all are right. */
	r = ask_and_free(f, "one\nline");
	assert_false(r.changed_known);
	(void)ask_and_free(f, "one\nlone");
	(void)ask_and_free(f, "");
	(void)ask_and_free(f, "\n");
	(void)ask_and_free(f, "\n\n007\n");
	(void)ask_and_free(f, "\n\n7\n");
	(void)ask_and_free(f, "\n\n7.0\n");
	(void)ask_and_free(f, "\n\n+7\n");
	(void)ask_and_free(f, ",1,2\nx 0x10 \\n %s & '\"\\\n\xc3\xa4\xff\xfe 1\r\n1e3\n");
	(void)ask_and_free(f, ",1,3\nx 0x11 \\t %d | '\"\\\n\xc3\xb6\xff\xfd 2\r\n1000\n");
	(void)ask_and_free(f, ",1,3\nx 0x1a \\t %d | '\"\\\n\xc3\xb6\xff\xfd 12\r\n1e3\n");
	for (unsigned i = 0; i < LINES; i++)
		f->value[i] = 2000000000U + i;
	(void)ask_and_free(f, counters(f));
	for (unsigned i = 0; i < LINES; i++)
		f->value[i] = 9 * i;
	r = ask_and_free(f, counters(f));
	assert_true(r.received < strlen(f->text) + 150);
	assert_int_equal(shell_of(f)->filter, FILTER_ON);
	assert_int_equal(f->rig.downs, 0);
}

static void filters_in(struct fixture *f, const char *awk, const char *sh)
{
	if (!installed(awk) || !installed(sh))
		skip();
	tool_is(f, "sh", sh);
	filters(f, awk);
}

CASE_WITH(with_mawk_and_dash, setup, teardown)
{
	filters_in(*state, "/usr/bin/mawk", "/bin/dash");
}

CASE_WITH(with_mawk_and_bash, setup, teardown)
{
	filters_in(*state, "/usr/bin/mawk", "/bin/bash");
}

CASE_WITH(with_gawk_and_bash, setup, teardown)
{
	filters_in(*state, "/usr/bin/gawk", "/bin/bash");
}

CASE_WITH(with_busybox_only, setup, teardown)
{
	filters_in(*state, "/usr/bin/busybox", "/usr/bin/busybox");
}

CASE_WITH(with_mawk, setup, teardown)
{
	if (!installed("/usr/bin/mawk"))
		skip();
	filters(*state, "/usr/bin/mawk");
}

CASE_WITH(with_gawk, setup, teardown)
{
	if (!installed("/usr/bin/gawk"))
		skip();
	filters(*state, "/usr/bin/gawk");
}

CASE_WITH(with_busybox, setup, teardown)
{
	if (!installed("/usr/bin/busybox"))
		skip();
	filters(*state, "/usr/bin/busybox");
}

/* The data beside the text, and several questions in turn, more than the filter remembers. */
CASE_WITH(tells_status_and_standard_error, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	awk_is(f, "/usr/bin/mawk");
	go_up(f);
	for (int i = 0; i < 30; i++) {
		char text[96], want[32];

		(void)str_printf(text, sizeof(text),
			"echo %d; date +%%N; echo 'bad\nthing' >&2; exit 4", i % 6);
		r = run(f, requests_ssh(&f->rig.requests, "test", "sh -s", text));
		reply_free(&r);
		f->rig.requests.at.at[f->rig.requests.at.n - 1].shell = true;
		r = run(f, &f->rig.requests.at.at[f->rig.requests.at.n - 1]);
		(void)str_printf(want, sizeof(want), "%d\n", i % 6);
		assert_memory_equal(r.bytes, want, 2);
		assert_int_equal(r.status, 4);
		assert_non_null(strstr(r.complaint, "bad"));
		assert_non_null(strstr(r.complaint, "thing"));
		assert_int_equal(r.err.code, ERR_NONE);
		reply_free(&r);
	}
	assert_int_equal(f->rig.downs, 0);
}

/* ---- shells without a filter ---- */

static void answers_in_full(struct fixture *f, const char *why)
{
	struct reply r = {0};

	for (unsigned i = 0; i < LINES; i++)
		f->value[i] = 100 + i;
	for (int64_t until = now_ms() + PATIENCE_MS; !str_eq(r.why, why);) {
		if (now_ms() > until)
			fail_msg("told: \"%s\", expected \"%s\"", r.why, why);
		f->value[3]++;
		f->value[30]++;
		r = ask_and_free(f, counters(f));
	}
	for (int i = 0; i < 3; i++) {
		f->value[3]++;
		r = ask_and_free(f, counters(f));
		assert_false(r.changed_known);
		assert_string_equal(r.why, why);
		assert_true(r.received >= r.len);
	}
	assert_int_equal(shell_of(f)->filter, FILTER_NONE);
	assert_false(shell_of(f)->off);
	assert_int_equal(f->rig.downs, 0);
}

CASE_WITH(no_awk, setup, teardown)
{
	struct fixture *f = *state;

	awk_is_script(f, "echo 'awk: not found' >&2; exit 127");
	go_up(f);
	answers_in_full(f, "no suitable awk");
}

CASE_WITH(an_awk_that_knows_other_words, setup, teardown)
{
	struct fixture *f = *state;

	awk_is_script(f, "echo 'syntax error near line 1'; exit 2");
	go_up(f);
	answers_in_full(f, "no suitable awk");
}

/* It never says that it runs. */
CASE_WITH(an_awk_that_hangs, setup, teardown)
{
	struct fixture *f = *state;

	awk_is_script(f, "exec sleep 60");
	go_up(f);
	answers_in_full(f, "awk did not begin in time");
}

/* Digits that are not those of the device: each such answer is asked for whole, and is right. */
CASE_WITH(an_awk_that_is_wrong, setup, teardown)
{
	struct fixture *f = *state;

	if (!installed("/usr/bin/mawk"))
		skip();
	awk_is_script(f, "case $* in *version) exec mawk -W version ;; esac\n"
			 "mawk \"$@\" | sed -u 's/^\\([0-9]*\\)[0-8]$/\\19/'");
	go_up(f);
	answers_in_full(f, "the changes reported by awk do not give an answer");
}

CASE_WITH(an_awk_that_dies, setup, teardown)
{
	struct fixture *f = *state;

	awk_is_script(f, "case $* in *version) exit 0 ;; esac\n"
			 "[ \"$(readlink /proc/self/fd/0)\" = /dev/null ] && exit 0\n"
			 "echo \"$N 1\"; read -r x; echo \"$x\"; exit 1");
	go_up(f);
	answers_in_full(f, "the shell with the filter ended");
}

/* A command that stops halfway gives its output so far: asked in full it still does. */
CASE_WITH(a_command_that_hangs_is_asked_in_full, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct reply r = {0};

	awk_is(f, "/usr/bin/mawk");
	go_up(f);
	q = requests_ssh(&f->rig.requests, "test", "sh -s", "echo begun; sleep 100");
	q->shell = q->partial = true;
	q->timeout_us = 3 * CLOCK_SEC;
	for (int i = 0; i < 3 && r.len == 0; i++) {
		reply_free(&r);
		r = run(f, q);
		assert_int_equal(r.err.code, ERR_TIMEOUT);
	}
	assert_string_equal(r.bytes, "begun\n");
	reply_free(&r);
	assert_non_null(shell_of(f)->full_why);
	assert_true(shell_of(f)->full_until_us > clock_mono(&clock_system));
	/* It is tried again after a while. */
	((struct ssh_link *)f->rig.link)->shell.full_until_us = 1;
	for (int64_t until = now_ms() + PATIENCE_MS; shell_of(f)->filter != FILTER_ON;) {
		assert_true(now_ms() < until);
		(void)ask_and_free(f, "on");
	}
	assert_int_equal(f->rig.downs, 0);
}

/* More than the filter may remember, and without end. */
CASE_WITH(large_answers_come_in_full, setup, teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct reply r;

	awk_is(f, "/usr/bin/mawk");
	go_up(f);
	q = requests_ssh(&f->rig.requests, "test", "sh -s", "yes 12345 | head -n 500000");
	q->shell = true;
	for (int i = 0; i < 3; i++) {
		r = run(f, q);
		assert_int_equal(r.err.code, ERR_NONE);
		assert_int_equal(r.len, 3000000);
		reply_free(&r);
	}
	assert_string_equal(shell_of(f)->full_why, "the shell with the filter ended");
	assert_int_equal(f->rig.downs, 0);
}

/* ---- the leftovers ---- */

CASE_WITH(nothing_is_left_on_the_device, setup, teardown)
{
	struct fixture *f = *state;
	int64_t until = now_ms() + PATIENCE_MS;
	char pattern[160], *who = NULL;
	struct request *q;
	struct reply r;
	pid_t pid;

	awk_is(f, "/usr/bin/mawk");
	go_up(f);
	(void)ask_and_free(f, "x");
	while (shell_of(f)->filter != FILTER_ON) {
		assert_true(now_ms() < until);
		(void)ask_and_free(f, "x");
	}
	/* The shell has no child beside the asking command: the filter is its sibling. */
	(void)str_printf(pattern, sizeof(pattern),
		"read -r a b c p d </proc/$$/stat; for s in /proc/[0-9]*/stat; do "
		"read -r a b c q d <$s && [ \"$q\" = \"$p\" ] && [ \"$b\" = '(awk)' ] && echo $a; "
		"done");
	q = requests_ssh(&f->rig.requests, "test", "sh -s", pattern);
	q->shell = true;
	r = run(f, q);
	pid = (pid_t)strtol(r.bytes, &who, 10);
	assert_true(pid > 1 && who && *who == '\n');
	assert_int_equal(kill(pid, 0), 0);
	reply_free(&r);
	ssh_rig_relink(&f->rig);
	until = now_ms() + PATIENCE_MS;
	while (kill(pid, 0) == 0 && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	assert_int_not_equal(kill(pid, 0), 0);
}

CASE_WITH(who_wants_all_has_all, setup, teardown)
{
	struct fixture *f = *state;
	struct reply r;

	awk_is(f, "/usr/bin/mawk");
	f->rig.device.poll = POLL_WAY_FULL;
	go_up(f);
	for (int i = 0; i < 3; i++) {
		r = ask_and_free(f, counters(f));
		assert_false(r.changed_known);
		assert_string_equal(r.why, "");
	}
	assert_int_equal(shell_of(f)->filter, FILTER_NONE);
}

CASES_MAIN(setup_group, ssh_rig_group_end)
