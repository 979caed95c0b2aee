/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/* Outputs that never end, over a real OpenSSH server. The "log" is a pipe that the test writes. */

#define PATIENCE_MS 20000

/* The replies to one request. */
struct told {
	unsigned started, pieces, ends;
	char text[4096]; /* of all pieces */
	size_t longest;
	uint64_t lost;
	char complaint[512];
	int status;
	struct err err;
};

struct fixture {
	struct ssh_rig rig;
	int log; /* our end of the pipe */
};

static void on_answer(void *ctx, const struct answer *a)
{
	struct told *t = ctx;
	size_t n = strlen(t->text);

	assert_int_equal(t->ends, 0);
	assert_int_equal(a->bytes[a->len], 0);
	t->started += a->more && a->len == 0;
	t->pieces += a->more && a->len > 0;
	t->ends += !a->more;
	t->lost += a->lost;
	t->err = a->err;
	t->status = a->status;
	if (a->more && a->len) /* whole lines only */
		assert_int_equal(a->bytes[a->len - 1], '\n');
	if (a->len > t->longest)
		t->longest = a->len;
	str_copy(t->text + n, sizeof(t->text) - n, a->bytes);
	str_copy(t->complaint, sizeof(t->complaint), a->complaint);
}

#define AWAIT(f, condition)                                                                        \
	do {                                                                                       \
		int64_t until_ = now_ms() + PATIENCE_MS;                                           \
		while (!(condition)) {                                                             \
			if (now_ms() > until_)                                                     \
				fail_msg("%s: not within %d s", #condition, PATIENCE_MS / 1000);   \
			uv_run(&(f)->rig.loop, UV_RUN_ONCE);                                       \
		}                                                                                  \
	} while (0)

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

static int setup(void **state)
{
	struct fixture *f = *state;
	const char *log = scratch_path(&f->rig.scratch, "log");

	assert_int_equal(mkfifo(log, 0600), 0);
	/* For reading too, so that it neither waits for a reader nor ends without one. */
	f->log = open(log, O_RDWR | O_CLOEXEC);
	assert_true(f->log >= 0);
	ssh_rig_open(&f->rig, NULL);
	vec_reserve(&f->rig.requests.at, 64); /* elements must not move */
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	ssh_rig_close(&f->rig);
	(void)close(f->log);
	(void)unlink(scratch_path(&f->rig.scratch, "log"));
	return 0;
}

static void go_up(struct fixture *f)
{
	transport_ssh.connect(f->rig.link);
	AWAIT(f, f->rig.ups);
}

static struct request *request(struct fixture *f, const char *command)
{
	return requests_ssh(&f->rig.requests, "log", command, NULL);
}

/* Follows our pipe, which cannot be read from the beginning twice. */
static struct request *follow(struct fixture *f, struct told *t)
{
	char command[256];
	struct request *r;

	(void)snprintf(
		command, sizeof(command), "exec cat %s", scratch_path(&f->rig.scratch, "log"));
	r = request(f, command);
	r->follow = true;
	transport_ssh.ask(f->rig.link, r, POLL_EVENTS, on_answer, t);
	return r;
}

static void device_logs(struct fixture *f, const char *text)
{
	assert_int_equal(write(f->log, text, strlen(text)), (ssize_t)strlen(text));
}

static void ask_fast(struct fixture *f, const char *command)
{
	struct told t = {0};

	transport_ssh.ask(f->rig.link, request(f, command), POLL_FAST, on_answer, &t);
	AWAIT(f, t.ends);
	if (t.err.code != ERR_NONE)
		fail_msg("%s", t.err.text);
	assert_string_equal(t.text, "fast\n");
}

CASE_WITH(tells_whole_lines_as_they_come, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	struct request *r;

	go_up(f);
	r = follow(f, &t);
	r->timeout_us = CLOCK_SEC / 5;
	AWAIT(f, t.started);
	device_logs(f, "one\ntwo\nthr");
	AWAIT(f, t.pieces == 1);
	assert_string_equal(t.text, "one\ntwo\n");
	/* A log may be silent for ever. */
	for (int64_t until = now_ms() + 500; now_ms() < until;)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	device_logs(f, "ee\nfour\n");
	AWAIT(f, t.pieces == 2);
	assert_string_equal(t.text, "one\ntwo\nthree\nfour\n");
	assert_int_equal(t.lost, 0);
	assert_int_equal(t.started, 1);
	assert_int_equal(t.ends, 0);
	assert_int_equal(f->rig.downs, 0);
}

/* As many lines as fit in a second; how many did not is told with the next. */
CASE_WITH(counts_what_is_too_much, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	char many[1200] = "";
	size_t kept = 0;

	go_up(f);
	follow(f, &t)->cap = 64;
	AWAIT(f, t.started);
	device_logs(f, "first\n");
	AWAIT(f, t.pieces == 1);
	for (int i = 0; i < 100; i++)
		(void)snprintf(many + strlen(many), sizeof(many) - strlen(many), "line %03d\n", i);
	device_logs(f, many);
	AWAIT(f, t.pieces == 2);
	for (const char *at = t.text; (at = strstr(at, "line ")); at++)
		kept++;
	assert_int_equal(kept, 7); /* of 9 bytes each */
	assert_true(t.longest <= 64);
	device_logs(f, "last\n");
	AWAIT(f, t.pieces == 3);
	assert_non_null(strstr(t.text, "line 006\nlast\n"));
	assert_int_equal(t.lost, 93);
}

CASE_WITH(cuts_a_line_that_does_not_end, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	char big[301];

	memset(big, 'x', 300);
	big[300] = '\0';
	go_up(f);
	follow(f, &t)->cap = 64;
	AWAIT(f, t.started);
	device_logs(f, big);
	AWAIT(f, t.pieces == 1);
	assert_int_equal(t.longest, 64);
	device_logs(f, "the rest of it\nnext\n");
	AWAIT(f, t.pieces == 2);
	assert_non_null(strstr(t.text, "x\nnext\n"));
	assert_null(strstr(t.text, "rest"));
}

CASE_WITH(tells_why_it_ended, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0}, u = {0};
	struct request *r = request(f, "echo 'log: permission denied' >&2; exit 4");

	r->follow = true;
	go_up(f);
	transport_ssh.ask(f->rig.link, r, POLL_EVENTS, on_answer, &t);
	AWAIT(f, t.ends);
	assert_int_equal(t.err.code, ERR_NONE);
	assert_int_equal(t.status, 4);
	assert_string_equal(t.text, "");
	assert_non_null(strstr(t.complaint, "permission denied"));
	r = request(f, "printf 'no line end'");
	r->follow = true;
	transport_ssh.ask(f->rig.link, r, POLL_EVENTS, on_answer, &u);
	AWAIT(f, u.ends);
	assert_string_equal(u.text, "no line end");
	assert_int_equal(u.status, 0);
	ask_fast(f, "echo fast");
}

CASE_WITH(ends_one_that_only_prints, setup, teardown)
{
	struct fixture *f = *state;
	struct told t = {0};
	struct request *r = request(f, "exec yes");

	r->follow = true;
	r->cap = 4096;
	go_up(f);
	transport_ssh.ask(f->rig.link, r, POLL_EVENTS, on_answer, &t);
	AWAIT(f, t.started);
	/* All the while others are answered. */
	ask_fast(f, "echo fast");
	AWAIT(f, t.ends);
	assert_int_equal(t.err.code, ERR_LIMIT);
	assert_true(t.longest <= 4096);
	assert_true(t.lost > 1000);
	ask_fast(f, "echo fast");
	assert_int_equal(f->rig.downs, 0);
}

/* Asks for much that hangs, in the order of a collector, and for the fast tier. */
static void ask_all(struct fixture *f, struct told *log, struct told *slow, struct told *fast)
{
	(void)follow(f, log);
	for (int i = 0; i < 4; i++) {
		struct request *r = request(f, "exec sleep 60");

		r->timeout_us = 100 * CLOCK_SEC;
		transport_ssh.ask(
			f->rig.link, r, i % 2 ? POLL_SLOW : POLL_MEDIUM, on_answer, &slow[i]);
	}
	transport_ssh.ask(f->rig.link, request(f, "echo fast"), POLL_FAST, on_answer, fast);
}

/* Where the device allows few channels, the fast ones have theirs; how few, one has to learn. */
CASE_WITH(leaves_a_channel_to_the_fast_tier, setup, teardown)
{
	struct fixture *f = *state;
	struct told log[2] = {{0}}, slow[8] = {{0}}, fast[2] = {{0}};

	sshd_start(&f->rig.own, &f->rig.scratch, 0, "MaxSessions 3");
	f->rig.device.port = f->rig.own.port;
	go_up(f);
	ask_all(f, &log[0], slow, &fast[0]);
	AWAIT(f, fast[0].ends || f->rig.downs);
	if (f->rig.downs) {
		assert_int_equal(fast[0].err.code, ERR_UNREACHABLE);
		assert_non_null(strstr(fast[0].err.text, "3 channels"));
		f->rig.ups = 0;
		go_up(f);
		ask_all(f, &log[1], slow + 4, &fast[1]);
		AWAIT(f, fast[1].ends && log[1].started);
	}
	for (int i = 0; i < 5; i++)
		ask_fast(f, "echo fast");
	assert_true(f->rig.downs <= 1);
	/* The command of a connection that is gone may take a line yet. */
	AWAIT(f, (device_logs(f, "goes on\n"), log[0].pieces || log[1].pieces));
	for (int i = 4; i < 8; i++)
		assert_int_equal(slow[i].ends, 0);
}

/* Whether a fast request found all channels occupied, so that the link connects again. */
static bool fast_needs_connection(struct fixture *f)
{
	struct told t = {0};

	transport_ssh.ask(f->rig.link, request(f, "echo fast"), POLL_FAST, on_answer, &t);
	AWAIT(f, t.ends);
	if (t.err.code == ERR_NONE)
		return false;
	assert_int_equal(t.err.code, ERR_UNREACHABLE);
	assert_non_null(strstr(t.err.text, "occupy all 2 channels"));
	assert_int_equal(f->rig.downs, 1);
	return true;
}

CASE_WITH(does_without_where_there_is_no_channel, setup, teardown)
{
	struct fixture *f = *state;
	struct told log[2] = {{0}}, slow[8] = {{0}}, fast[2] = {{0}};

	sshd_start(&f->rig.own, &f->rig.scratch, 0, "MaxSessions 2");
	f->rig.device.port = f->rig.own.port;
	go_up(f);
	ask_all(f, &log[0], slow, &fast[0]);
	AWAIT(f, log[0].ends);
	if (!f->rig.downs)
		AWAIT(f, fast[0].ends || f->rig.downs);
	if (f->rig.downs) {
		f->rig.ups = 0;
		go_up(f);
		ask_all(f, &log[1], slow + 4, &fast[1]);
		AWAIT(f, fast[1].ends && log[1].ends);
		log[0] = log[1];
	}
	/* On a busy machine the limit is learned so late that the one new connection comes here. */
	if (!f->rig.downs && fast_needs_connection(f)) {
		f->rig.ups = 0;
		go_up(f);
	}
	for (int i = 0; i < 5; i++)
		ask_fast(f, "echo fast");
	assert_true(f->rig.downs <= 1);
	assert_int_equal(log[0].err.code, ERR_LIMIT);
	assert_non_null(strstr(log[0].err.text, "2 channels"));
	assert_non_null(strstr(log[0].err.cure, "MaxSessions"));
}

/* Whether any process but this one has the pipe open. */
static bool somebody_reads(const struct fixture *f)
{
	const char *log = scratch_path(&f->rig.scratch, "log");
	char self[32], target[256];
	bool any = false;
	glob_t all;

	(void)snprintf(self, sizeof(self), "/proc/%d/", (int)getpid());
	if (glob("/proc/[0-9]*/fd/*", GLOB_NOSORT, NULL, &all) != 0)
		return false;
	for (size_t i = 0; i < all.gl_pathc && !any; i++) {
		ssize_t n = readlink(all.gl_pathv[i], target, sizeof(target) - 1);

		target[n < 0 ? 0 : n] = '\0';
		any = str_eq(target, log) && !str_starts(all.gl_pathv[i], self);
	}
	globfree(&all);
	return any;
}

static void await_nobody(const struct fixture *f)
{
	int64_t until = now_ms() + PATIENCE_MS;

	while (somebody_reads(f)) {
		if (now_ms() > until)
			fail_msg("the command still runs");
		(void)poll(NULL, 0, 5);
	}
}

/*
 * A command that follows a silent log would never notice that its reader has gone. And OpenSSH
 * delivers no signals to processes of root.
 */
CASE_WITH(leaves_no_command_behind, setup, teardown)
{
	struct fixture *f = *state;
	struct link_events events = {0};
	char command[300];
	struct told t = {0}, u = {0};

	go_up(f);
	transport_ssh.ask(f->rig.link,
		requests_follow(&f->rig.requests, "log", "sh -c 'echo x >&2; exit 3'"), POLL_EVENTS,
		on_answer, &u);
	AWAIT(f, u.ends);
	assert_int_equal(u.status, 3);
	assert_string_equal(u.complaint, "x ");
	(void)snprintf(command, sizeof(command), "sed -u \"s/a b/it's c/\" %s",
		scratch_path(&f->rig.scratch, "log"));
	transport_ssh.ask(f->rig.link, requests_follow(&f->rig.requests, "log", command),
		POLL_EVENTS, on_answer, &t);
	AWAIT(f, t.started);
	device_logs(f, "a b\n");
	AWAIT(f, t.pieces == 1);
	assert_string_equal(t.text, "it's c\n");
	assert_true(somebody_reads(f));
	transport_ssh.close(f->rig.link);
	await_nobody(f);
	f->rig.link =
		transport_ssh.open(f->rig.shard, &f->rig.device, &all_reads_ops, NULL, &events);
}

/* A console of its own, in a child, that follows a dialect's log. Never returns. */
static _Noreturn void be_a_console(struct fixture *f, const struct target *t, int ready)
{
	struct told told = {0};
	struct linger reset = {.l_onoff = 1};
	struct err err = {0};

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)alarm(PATIENCE_MS / 1000);
	ssh_rig_link(&f->rig, NULL);
	f->rig.ups = 0;
	transport_ssh.connect(f->rig.link);
	while (!f->rig.ups && !f->rig.downs)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	if (!backend_by_name("linux")->plan(t, POLL_EVENTS, &f->rig.requests, &err))
		_exit(9);
	transport_ssh.ask(f->rig.link, &f->rig.requests.at.at[0], POLL_EVENTS, on_answer, &told);
	while (!told.started && !f->rig.downs)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	/* As a router that forgot the connection, or a console whose host lost its power. */
	for (int fd = 3; fd < 256; fd++)
		(void)setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
	(void)!write(ready, "", 1);
	for (;;)
		pause();
}

/* A stand-in for dmesg --follow-new: it waits for the next line, and checks nothing else. */
CASE_WITH(leaves_no_log_behind_when_killed, setup, teardown)
{
	struct fixture *f = *state;
	struct facts facts = {0};
	struct target t = {.device = "node0", .tier = TIER_HOST, .facts = &facts};
	char environment[256], tool[256], byte;
	int ready[2], status;
	pid_t pid;

	facts_set(&facts, "log", "dmesg");
	scratch_run(&f->rig.scratch, "mkdir -p tools");
	(void)snprintf(tool, sizeof(tool), "#!/bin/sh\nexec cat %s\n",
		scratch_path(&f->rig.scratch, "log"));
	scratch_write(&f->rig.scratch, "tools/dmesg", tool);
	scratch_run(&f->rig.scratch, "chmod 755 tools/dmesg");
	(void)snprintf(environment, sizeof(environment),
		"Match all\nSetEnv SHLVL=2 \"PATH=%s/tools:/usr/bin:/bin\"", f->rig.scratch.dir);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, environment);
	f->rig.device.port = f->rig.own.port;
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		(void)close(f->log); /* its open descriptor would look like a reader */
		be_a_console(f, &t, ready[1]);
	}
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	AWAIT(f, somebody_reads(f));
	(void)kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	await_nobody(f);
	(void)close(ready[0]);
	facts_free(&facts);
}

CASES_MAIN(setup_group, ssh_rig_group_end)
