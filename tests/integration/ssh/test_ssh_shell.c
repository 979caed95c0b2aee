/* SPDX-License-Identifier: Apache-2.0 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/* The shell that is kept, on a real OpenSSH server: its answers, and the ways it ends. */

#define PATIENCE_MS 20000

struct fixture {
	struct ssh_rig rig;
};

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

/* Connects to a server of the test's own with these lines in its configuration. */
static void use_server(struct fixture *f, const char *extra)
{
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	f->rig.device.port = f->rig.own.port;
}

/* A request that lives until the end of the test. */
static struct request *script(struct fixture *f, const char *text)
{
	struct request *r;

	vec_reserve(&f->rig.requests.at, 256); /* elements must not move */
	r = requests_ssh(&f->rig.requests, "test", "sh -s", text);
	r->shell = true;
	return r;
}

static void ask(struct fixture *f, const struct request *q, struct ssh_reply *r)
{
	transport_ssh.ask(f->rig.link, q, POLL_FAST, ssh_rig_reply, r);
}

static void expect(struct fixture *f, const struct request *q, const char *bytes)
{
	struct ssh_reply r = ssh_rig_run(&f->rig, q);

	if (r.err.code != ERR_NONE)
		fail_msg("%s: %s", r.err.text, q->input ? q->input : q->command);
	assert_string_equal(r.bytes, bytes);
	free(r.bytes);
}

static long pid_said(struct fixture *f, const struct request *q)
{
	struct ssh_reply r = ssh_rig_run(&f->rig, q);
	long pid;

	if (r.err.code != ERR_NONE)
		fail_msg("%s", r.err.text);
	pid = strtol(r.bytes, NULL, 10);
	free(r.bytes);
	assert_true(pid > 1);
	return pid;
}

/* The process that the scripts run in, as itself says. */
static long shell_pid(struct fixture *f)
{
	return pid_said(f, script(f, "echo $$"));
}

static const struct ssh_shell *shell_of(const struct fixture *f)
{
	return &((const struct ssh_link *)f->rig.link)->shell;
}

/* ---- the answers ---- */

CASE_WITH(one_shell_answers_all, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	long pid;

	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	expect(f, script(f, "printf 'no end of line'"), "no end of line");
	expect(f, script(f, "echo a; echo; echo b"), "a\n\nb\n");
	expect(f, script(f, "cd /tmp; x=1; pwd"), "/tmp\n");
	/* Nothing of one is left for the next, and there is no input. */
	expect(f, script(f, "echo \"x$x\"; read -r y; echo \"y$y\""), "x\ny\n");
	for (int i = 0; i < 10; i++) {
		static const char *const names[] = {"0", "1", "2", "3", "4", "5"};
		char text[32], said[32];
		struct request *q;

		/* More texts than it remembers. */
		(void)str_printf(text, sizeof(text), "echo %d", i % 6);
		(void)str_printf(said, sizeof(said), "%d\n", i % 6);
		q = script(f, text);
		q->name = names[i % 6];
		expect(f, q, said);
	}
	assert_int_equal(shell_pid(f), pid);
	assert_int_equal(f->rig.downs, 0);
}

static unsigned string_pool_known(const struct fixture *f)
{
	unsigned n = 0;

	for (unsigned i = 0; i < SSH_SHELL_TEXTS; i++)
		n += shell_of(f)->texts[i] != NULL;
	return n;
}

/* The first question of a connection begins the shell, and is not asked again. */
CASE_WITH(what_a_device_is_asked_once_is_forgotten, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r = {0};
	long pid;

	ssh_rig_up(&f->rig);
	transport_ssh.ask(f->rig.link, script(f, "echo $$"), POLL_DETECT, ssh_rig_reply, &r);
	ssh_rig_until(&f->rig, &r.came);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(string_pool_known(f), 0);
	pid = strtol(r.bytes, NULL, 10);
	free(r.bytes);
	assert_int_equal(shell_pid(f), pid);
	/* Other words of one request are in the place of the first ones. */
	expect(f, script(f, "echo other"), "other\n");
	assert_int_equal(string_pool_known(f), 1);
}

CASE_WITH(tells_status_and_standard_error, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;
	long pid;

	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	r = ssh_rig_run(&f->rig, script(f, "echo data; echo 'one\ntwo' >&2; exit 4"));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_string_equal(r.bytes, "data\n");
	assert_int_equal(r.status, 4);
	assert_non_null(strstr(r.complaint, "one"));
	assert_non_null(strstr(r.complaint, "two"));
	free(r.bytes);
	r = ssh_rig_run(&f->rig, script(f, "no-such-program"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_int_equal(r.status, 127);
	assert_non_null(strstr(r.err.text, "no-such-program"));
	free(r.bytes);
	expect(f, script(f, ":"), "");
	assert_int_equal(shell_pid(f), pid);
}

/* Lines that look like the end, or are parts of it, stay text. */
CASE_WITH(text_is_never_taken_for_the_end, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;

	ssh_rig_up(&f->rig);
	r = ssh_rig_run(
		&f->rig, script(f, "printf 'x\\n%s 77 0\\n\\n%s\\nstill text\\n' \"$N\" \"$N\""));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_non_null(strstr(r.bytes, "still text\n"));
	assert_int_equal(r.len, 2 + 32 + 6 + 1 + 32 + 1 + 11);
	free(r.bytes);
	expect(f, script(f, "printf '\\n0123456789abcdef0123456789abcdef 2 0\\n\\n'"),
		"\n0123456789abcdef0123456789abcdef 2 0\n\n");
}

CASE_WITH(large_answers_are_whole_and_bounded, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct ssh_reply r;
	long pid;

	ssh_rig_up(&f->rig);
	r = ssh_rig_run(&f->rig, script(f, "head -c 3000000 /dev/zero | tr '\\0' x"));
	assert_int_equal(r.err.code, ERR_NONE);
	assert_int_equal(r.len, 3000000);
	assert_int_equal(strspn(r.bytes, "x"), 3000000);
	free(r.bytes);
	pid = shell_pid(f);
	q = script(f, "printf 1234567890");
	q->cap = 10;
	expect(f, q, "1234567890");
	assert_int_equal(shell_pid(f), pid);
	q = script(f, "printf 12345678901");
	q->cap = 10;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_LIMIT);
	free(r.bytes);
	q = script(f, "while :; do echo endless; done");
	q->cap = 100000;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_LIMIT);
	free(r.bytes);
	expect(f, script(f, "echo on"), "on\n");
	assert_int_equal(f->rig.downs, 0);
}

/* ---- the ways it ends ---- */

CASE_WITH(a_command_that_hangs_costs_only_itself, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct ssh_reply r;
	long pid;

	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	q = script(f, "echo begun; sleep 100");
	q->timeout_us = CLOCK_SEC / 2;
	q->partial = true;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	assert_string_equal(r.bytes, "begun\n");
	free(r.bytes);
	assert_true(transport_ssh.ready(f->rig.link));
	assert_int_not_equal(shell_pid(f), pid);
	/* Not even a word: the device is there all the same. */
	q = script(f, "sleep 100");
	q->timeout_us = CLOCK_SEC / 2;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	free(r.bytes);
	for (int64_t until = now_ms() + 2500; now_ms() < until;)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	assert_int_equal(f->rig.downs, 0);
	expect(f, script(f, "echo on"), "on\n");
	assert_false(shell_of(f)->off);
}

CASE_WITH(a_slow_question_holds_nobody_up, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply slow = {0}, quick = {0};
	int64_t began = now_ms();

	ssh_rig_up(&f->rig);
	(void)shell_pid(f);
	ask(f, script(f, "sleep 8; echo slow"), &slow);
	ask(f, script(f, "echo quick"), &quick);
	ssh_rig_until(&f->rig, &quick.came);
	assert_false(slow.came);
	assert_string_equal(quick.bytes, "quick\n");
	free(quick.bytes);
	ssh_rig_until(&f->rig, &slow.came);
	assert_true(now_ms() - began >= 8000);
	assert_string_equal(slow.bytes, "slow\n");
	free(slow.bytes);
}

/* It is asked again, of a channel of its own. */
CASE_WITH(a_shell_that_dies_loses_no_answer, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	char text[128];
	long pid;

	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	(void)str_printf(text, sizeof(text), "[ $$ = %ld ] && kill -9 $$; echo survived", pid);
	expect(f, script(f, text), "survived\n");
	assert_int_not_equal(shell_pid(f), pid);
	assert_false(shell_of(f)->off);
	assert_int_equal(f->rig.downs, 0);
}

/* A script that it cannot parse ends a shell: an own channel says why. */
CASE_WITH(a_script_that_is_none_is_told_as_ever, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;

	ssh_rig_up(&f->rig);
	(void)shell_pid(f);
	r = ssh_rig_run(&f->rig, script(f, "if then fi )"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_int_not_equal(r.status, 0);
	free(r.bytes);
	expect(f, script(f, "echo on"), "on\n");
	assert_int_equal(f->rig.downs, 0);
}

CASE_WITH(a_new_connection_has_a_new_shell, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct ssh_reply r = {0};
	char text[96];

	use_server(f, "");
	ssh_rig_up(&f->rig);
	(void)shell_pid(f);
	/* The server's process of this session: the parent of the shell. */
	(void)str_printf(text, sizeof(text), "kill -9 $PPID; sleep 100");
	q = script(f, text);
	ask(f, q, &r);
	ssh_rig_until(&f->rig, &r.came);
	assert_int_equal(r.err.code, ERR_UNREACHABLE);
	free(r.bytes);
	assert_int_equal(f->rig.downs, 1);
	f->rig.downs = 0;
	ssh_rig_up(&f->rig);
	expect(f, script(f, "echo back"), "back\n");
}

/* Silence of a question is not yet that of the device, but that of a new channel is. */
CASE_WITH(a_device_that_is_gone_is_noticed, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	int64_t until = now_ms() + PATIENCE_MS;
	struct request *q;
	struct ssh_reply r;
	pid_t server;

	ssh_rig_up(&f->rig);
	r = ssh_rig_run(&f->rig, script(f, "echo $PPID"));
	server = (pid_t)strtol(r.bytes, NULL, 10);
	free(r.bytes);
	assert_true(server > 1);
	assert_int_equal(kill(server, SIGSTOP), 0);
	q = script(f, "echo never");
	q->timeout_us = CLOCK_SEC / 2;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	free(r.bytes);
	assert_int_equal(f->rig.downs, 0);
	while (!f->rig.downs && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	assert_int_equal(kill(server, SIGCONT), 0);
	assert_int_equal(f->rig.downs, 1);
	assert_int_equal(f->rig.why.code, ERR_TIMEOUT);
	assert_string_equal(f->rig.why.origin, "leaf-r0-00");
	f->rig.downs = 0;
	ssh_rig_up(&f->rig);
	expect(f, script(f, "echo back"), "back\n");
}

CASE_WITH(it_ends_with_the_connection, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	int64_t until = now_ms() + PATIENCE_MS;
	long pid;

	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	ssh_rig_relink(&f->rig);
	while (kill((pid_t)pid, 0) == 0 && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	assert_int_not_equal(kill((pid_t)pid, 0), 0);
}

/* ---- devices without a kept shell ---- */

CASE_WITH(the_noise_of_a_login_is_no_answer, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	long pid;

	use_server(f, "ForceCommand printf 'Welcome!\\n%s\\n' \"$HOME\"; "
		      "printf noise >&2; eval \"$SSH_ORIGINAL_COMMAND\"\n");
	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	expect(f, script(f, "echo clean"), "clean\n");
	assert_int_equal(shell_pid(f), pid);
}

CASE_WITH(where_there_is_no_shell_commands_run_as_ever, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	long first;

	use_server(f, "ForceCommand [ \"$SSH_ORIGINAL_COMMAND\" = 'sh -s' ] && exit 1; "
		      "eval \"$SSH_ORIGINAL_COMMAND\"\n");
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 256);
	q = requests_ssh(&f->rig.requests, "test", "echo $$", NULL);
	q->shell = true;
	first = pid_said(f, q);
	assert_true(first > 1);
	assert_int_not_equal(pid_said(f, q), first);
	assert_true(shell_of(f)->off);
	assert_int_equal(f->rig.downs, 0);
}

CASE_WITH(a_login_that_prints_for_ever_is_given_up, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct ssh_reply r;

	use_server(f, "ForceCommand [ \"$SSH_ORIGINAL_COMMAND\" = 'sh -s' ] && exec yes; "
		      "eval \"$SSH_ORIGINAL_COMMAND\"\n");
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 256);
	q = requests_ssh(&f->rig.requests, "test", "echo there", NULL);
	q->shell = true;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_string_equal(r.bytes, "there\n");
	free(r.bytes);
	assert_true(shell_of(f)->off);
}

static void await_off(struct fixture *f)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (!shell_of(f)->off) {
		if (now_ms() > until)
			fail_msg("the shell is not given up within %d s", PATIENCE_MS / 1000);
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	}
}

CASE_WITH(a_login_that_says_nothing_is_given_up, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct ssh_reply r;

	use_server(f, "ForceCommand [ \"$SSH_ORIGINAL_COMMAND\" = 'sh -s' ] && exec sleep 60; "
		      "eval \"$SSH_ORIGINAL_COMMAND\"\n");
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 256);
	q = requests_ssh(&f->rig.requests, "test", "echo there", NULL);
	q->shell = true;
	r = ssh_rig_run(&f->rig, q);
	assert_int_equal(r.err.code, ERR_NONE);
	assert_string_equal(r.bytes, "there\n");
	free(r.bytes);
	/* Nobody waited for that. */
	assert_false(shell_of(f)->off);
	await_off(f);
	assert_int_equal(f->rig.downs, 0);
	/* It may have been slow only: a minute later it is tried once more. */
	assert_true(shell_of(f)->again_us > clock_mono(&clock_system));
	((struct ssh_link *)f->rig.link)->shell.again_us = 1;
	r = ssh_rig_run(&f->rig, q);
	assert_string_equal(r.bytes, "there\n");
	free(r.bytes);
	await_off(f);
	assert_true(shell_of(f)->again_us > 1);
}

CASE_WITH(a_login_that_is_refused_says_why, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;

	use_server(f, "ForceCommand echo 'no shell for you' >&2; exit 1\n");
	ssh_rig_up(&f->rig);
	r = ssh_rig_run(&f->rig, script(f, "echo never"));
	assert_int_equal(r.err.code, ERR_PROTOCOL);
	assert_non_null(strstr(r.err.text, "no shell for you"));
	free(r.bytes);
	assert_int_equal(f->rig.downs, 0);
}

/* A server that allows few channels: the shell must not take the only one. */
CASE_WITH(few_channels_are_left_to_commands, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	struct ssh_reply fast = {0}, slow = {0};

	use_server(f, "MaxSessions 1\n");
	ssh_rig_up(&f->rig);
	expect(f, script(f, "echo first"), "first\n");
	vec_reserve(&f->rig.requests.at, 256);
	q = requests_ssh(&f->rig.requests, "slow", "echo slow", NULL);
	transport_ssh.ask(f->rig.link, q, POLL_SLOW, ssh_rig_reply, &slow);
	ask(f, script(f, "echo second"), &fast);
	ssh_rig_until(&f->rig, &slow.came);
	ssh_rig_until(&f->rig, &fast.came);
	assert_int_equal(slow.err.code, ERR_NONE);
	assert_string_equal(slow.bytes, "slow\n");
	assert_int_equal(fast.err.code, ERR_NONE);
	assert_string_equal(fast.bytes, "second\n");
	assert_true(shell_of(f)->off);
	free(slow.bytes);
	free(fast.bytes);
	expect(f, script(f, "echo third"), "third\n");
	assert_int_equal(f->rig.downs, 0);
}

/* ---- requests that never go there ---- */

CASE_WITH(changes_and_permitted_links_have_channels_of_their_own, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct request *q;
	long pid;

	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	transport_ssh.permit(f->rig.link);
	assert_int_not_equal(shell_pid(f), pid);
	q = script(f, "echo $$");
	q->change = true;
	assert_int_not_equal(pid_said(f, q), pid);
	assert_false(ssh_shell_wants((const struct ssh_link *)f->rig.link, q));
}

CASE_WITH(new_keys_in_between_change_nothing, ssh_rig_setup, ssh_rig_teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r;
	long pid;

	use_server(f, "RekeyLimit 64K\n");
	ssh_rig_up(&f->rig);
	pid = shell_pid(f);
	for (int i = 0; i < 20; i++) {
		r = ssh_rig_run(&f->rig, script(f, "head -c 40000 /dev/zero | tr '\\0' x"));
		assert_int_equal(r.err.code, ERR_NONE);
		assert_int_equal(r.len, 40000);
		free(r.bytes);
	}
	assert_int_equal(shell_pid(f), pid);
}

CASES_MAIN(setup_group, ssh_rig_group_end)
