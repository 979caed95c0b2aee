/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/integration/ssh/ssh_rig.h"
#include "tests/support/all_reads.h"
#include "tests/support/cases.h"

/*
 * A guest that leaves no trace, on a real OpenSSH server: the console ends, is killed, or the
 * network is gone, while tools hang. All processes of its logins have a variable in their
 * environment that no other process has.
 */

/* The promise is 30 s. */
#define GONE_MS 30000

struct fixture {
	struct ssh_rig rig;
	char mark[64];
	int silent; /* our end of a pipe that the followed command reads */
};

static int setup_group(void **state)
{
	return ssh_rig_group(state, sizeof(struct fixture));
}

/* Starts a server of the test's own with the tools of the test first in the PATH. */
static int setup(void **state)
{
	struct fixture *f = *state;
	char extra[512];

	assert_int_equal(ssh_rig_setup(state), 0);
	(void)snprintf(f->mark, sizeof(f->mark), "RAILTOP_GUEST=%d-%lld", (int)getpid(),
		(long long)now_ms());
	scratch_run(&f->rig.scratch, "mkdir -p tools && rm -f silent && mkfifo silent");
	f->silent = open(scratch_path(&f->rig.scratch, "silent"), O_RDWR | O_CLOEXEC);
	(void)snprintf(extra, sizeof(extra),
		"Match all\nSetEnv SHLVL=2 \"%s\" \"PATH=%s/tools:/usr/bin:/bin\"", f->mark,
		f->rig.scratch.dir);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	f->rig.device.port = f->rig.own.port;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	(void)close(f->silent);
	return ssh_rig_teardown(state);
}

/* ---- processes of the guest on the host ---- */

static bool has_mark(const char *pid, const char *mark)
{
	char path[300], text[65536];
	bool found = false;
	size_t n;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%s/environ", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	n = fread(text, 1, sizeof(text) - 1, file);
	(void)fclose(file);
	text[n] = '\0';
	for (char *at = text; at < text + n && !found; at += strlen(at) + 1)
		found = str_eq(at, mark);
	return found;
}

/* A dead process that its parent has not read yet holds nothing. */
static bool is_zombie(const char *pid)
{
	char path[300], text[512];
	const char *end;
	FILE *file;

	(void)snprintf(path, sizeof(path), "/proc/%s/stat", pid);
	file = fopen(path, "re");
	if (!file)
		return true;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	(void)fclose(file);
	end = strrchr(text, ')');
	return !end || end[2] == 'Z';
}

/* Counts them; names: of the first ones. */
static unsigned count_guests(const struct fixture *f, char *names, size_t size)
{
	DIR *all = opendir("/proc");
	const struct dirent *e;
	unsigned n = 0;

	assert_non_null(all);
	names[0] = '\0';
	while ((e = readdir(all))) {
		char path[300], name[64] = "";
		FILE *file;

		if (e->d_name[0] < '0' || e->d_name[0] > '9' || !has_mark(e->d_name, f->mark) ||
			is_zombie(e->d_name))
			continue;
		n++;
		(void)snprintf(path, sizeof(path), "/proc/%s/comm", e->d_name);
		file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file))
			name[strcspn(name, "\n")] = '\0';
		if (file)
			(void)fclose(file);
		(void)snprintf(
			names + strlen(names), size - strlen(names), " %s(%s)", name, e->d_name);
	}
	(void)closedir(all);
	return n;
}

static void expect_gone(const struct fixture *f)
{
	int64_t until = now_ms() + GONE_MS;
	char names[1024];

	while (count_guests(f, names, sizeof(names))) {
		if (now_ms() > until)
			fail_msg("after 30 s there is still:%s", names);
		(void)poll(NULL, 0, 50);
	}
}

/* The answer may come before the guard has begun its sleep, so the number is waited for. */
static void expect_guests(const struct fixture *f, unsigned n)
{
	int64_t until = now_ms() + GONE_MS;
	char names[1024];
	unsigned seen;

	while ((seen = count_guests(f, names, sizeof(names))) != n) {
		if (now_ms() > until)
			fail_msg("%u processes instead of %u:%s", seen, n, names);
		(void)poll(NULL, 0, 20);
	}
}

/* ---- the console ---- */

static void on_nothing(void *ctx, const struct answer *a)
{
	(void)ctx;
	(void)a;
}

/* A tool that ends for no signal that can be ignored. */
static void write_hanging_tool(const struct fixture *f)
{
	scratch_write(&f->rig.scratch, "tools/hang",
		"#!/bin/sh\ntrap '' TERM HUP INT PIPE\n: >\"$0.$1\"\n"
		"while :; do sleep 1; done\n");
	scratch_run(&f->rig.scratch, "chmod 755 tools/hang; rm -f tools/hang.*");
}

static bool has_begun(const struct fixture *f, const char *which)
{
	char name[64];

	(void)snprintf(name, sizeof(name), "tools/hang.%s", which);
	return access(scratch_path(&f->rig.scratch, name), F_OK) == 0;
}

/*
 * A console in a child: tools hang in its kept shell, behind timeout(1), and in a channel of its
 * own, and it follows a log that is silent. Never returns.
 */
static _Noreturn void be_a_console(struct fixture *f, int ready)
{
	struct request *kept, *own, *followed;
	char command[300];

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	ssh_rig_link(&f->rig, NULL);
	f->rig.ups = 0;
	transport_ssh.connect(f->rig.link);
	while (!f->rig.ups && !f->rig.downs)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	vec_reserve(&f->rig.requests.at, 8); /* elements must not move */
	kept = requests_ssh(&f->rig.requests, "kept", "sh -s", "timeout 2 hang kept; hang kept");
	kept->shell = true;
	own = requests_ssh(&f->rig.requests, "own", "sh -s", "echo part\nhang own\n");
	(void)snprintf(command, sizeof(command), "cat %s", scratch_path(&f->rig.scratch, "silent"));
	followed = requests_follow(&f->rig.requests, "log", command);
	kept->timeout_us = own->timeout_us = 600 * CLOCK_SEC;
	transport_ssh.ask(f->rig.link, kept, POLL_FAST, on_nothing, NULL);
	transport_ssh.ask(f->rig.link, own, POLL_SLOW, on_nothing, NULL);
	transport_ssh.ask(f->rig.link, followed, POLL_EVENTS, on_nothing, NULL);
	while (!has_begun(f, "kept") || !has_begun(f, "own"))
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	(void)!write(ready, "", 1);
	for (;;)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
}

static pid_t start_console(struct fixture *f)
{
	struct pollfd p;
	int ready[2];
	char names[1024];
	pid_t pid;

	write_hanging_tool(f);
	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0)
		be_a_console(f, ready[1]);
	(void)close(ready[1]);
	p = (struct pollfd){.fd = ready[0], .events = POLLIN};
	assert_int_equal(poll(&p, 1, SSH_RIG_PATIENCE_MS), 1);
	(void)close(ready[0]);
	assert_true(count_guests(f, names, sizeof(names)) >= 4);
	return pid;
}

CASE_WITH(nothing_stays_when_the_console_is_killed, setup, teardown)
{
	struct fixture *f = *state;
	pid_t pid = start_console(f);

	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	expect_gone(f);
}

/* A stopped console is a network that is gone: its connection stays open, and nothing comes. */
CASE_WITH(nothing_stays_when_the_network_is_gone, setup, teardown)
{
	struct fixture *f = *state;
	pid_t pid = start_console(f);

	assert_int_equal(kill(pid, SIGSTOP), 0);
	expect_gone(f);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void ask(
	struct fixture *f, const struct request *q, enum poll_tier tier, struct ssh_reply *r)
{
	transport_ssh.ask(f->rig.link, q, tier, ssh_rig_reply, r);
}

/* A tool that hangs costs its request, and does not stay although the console goes on. */
CASE_WITH(nothing_stays_of_a_request_that_was_given_up, setup, teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r = {0};
	char names[1024];
	struct request *q;
	int64_t until;

	write_hanging_tool(f);
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	q = requests_ssh(&f->rig.requests, "own", "sh -s", "echo part\nhang own\n");
	q->timeout_us = CLOCK_SEC;
	ask(f, q, POLL_SLOW, &r);
	ssh_rig_until(&f->rig, &r.came);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	free(r.bytes);
	until = now_ms() + GONE_MS;
	while (count_guests(f, names, sizeof(names)) && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	assert_string_equal(names, "");
	assert_true(transport_ssh.ready(f->rig.link));
}

/*
 * sudo with use_pty, the default of many systems, runs its command in a session and on a terminal
 * of its own.
 */
CASE_WITH(nothing_stays_behind_sudo, setup, teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r = {0};
	char names[1024], text[512];
	struct request *q;
	int64_t until;

	if (access("/usr/bin/sudo", X_OK) != 0 || getuid() != 0)
		skip();
	write_hanging_tool(f);
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	(void)snprintf(text, sizeof(text),
		"echo part\nsudo -n --preserve-env=RAILTOP_GUEST %s/tools/hang own\n",
		f->rig.scratch.dir);
	q = requests_ssh(&f->rig.requests, "own", "sh -s", text);
	q->timeout_us = 3 * CLOCK_SEC;
	ask(f, q, POLL_SLOW, &r);
	while (!has_begun(f, "own") && !r.came)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	if (r.came)
		fail_msg("%s %s", r.bytes, r.complaint);
	ssh_rig_until(&f->rig, &r.came);
	assert_int_equal(r.err.code, ERR_TIMEOUT);
	free(r.bytes);
	until = now_ms() + GONE_MS;
	while (count_guests(f, names, sizeof(names)) && now_ms() < until)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	assert_string_equal(names, "");
}

/* Nothing is asked for longer than the shell waits: the console says that it is there. */
CASE_WITH(an_idle_console_keeps_its_shell, setup, teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r = {0};
	struct request *q;
	char pid[32];
	int64_t until;

	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	q = requests_ssh(&f->rig.requests, "kept", "sh -s", "echo $$");
	q->shell = true;
	ask(f, q, POLL_FAST, &r);
	ssh_rig_until(&f->rig, &r.came);
	(void)str_copy(pid, sizeof(pid), r.bytes);
	free(r.bytes);
	for (until = now_ms() + 35000; now_ms() < until;)
		uv_run(&f->rig.loop, UV_RUN_ONCE);
	r = (struct ssh_reply){0};
	ask(f, q, POLL_FAST, &r);
	ssh_rig_until(&f->rig, &r.came);
	assert_string_equal(r.bytes, pid);
	assert_int_equal(f->rig.downs, 0);
	free(r.bytes);
}

/* Proportional set size of all processes of the guest, in kB. */
static unsigned guests_pss(const struct fixture *f)
{
	DIR *all = opendir("/proc");
	const struct dirent *e;
	unsigned kb = 0, n;

	assert_non_null(all);
	while ((e = readdir(all))) {
		char path[300], line[256];
		FILE *file;

		if (e->d_name[0] < '0' || e->d_name[0] > '9' || !has_mark(e->d_name, f->mark))
			continue;
		(void)snprintf(path, sizeof(path), "/proc/%s/smaps_rollup", e->d_name);
		file = fopen(path, "re");
		while (file && fgets(line, sizeof(line), file))
			if (sscanf(line, "Pss: %u kB", &n) == 1)
				kb += n;
		if (file)
			(void)fclose(file);
	}
	(void)closedir(all);
	return kb;
}

/* railtop(1) states these numbers. */
CASE_WITH(its_shell_is_small_and_its_tools_are_bounded, setup, teardown)
{
	struct fixture *f = *state;
	struct ssh_reply r = {0};
	struct request *q;

	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	q = requests_ssh(&f->rig.requests, "kept", "sh -s", "ulimit -t; ulimit -d");
	q->shell = true;
	ask(f, q, POLL_FAST, &r);
	ssh_rig_until(&f->rig, &r.came);
	assert_string_equal(r.bytes, "30\n1048576\n");
	free(r.bytes);
	expect_guests(f, 3); /* two shells and a sleep */
	print_message("# an idle shell: %u kB\n", guests_pss(f));
	assert_in_range(guests_pss(f), 1, 4096);
	r = (struct ssh_reply){0};
	q = requests_ssh(&f->rig.requests, "own", "sh -s", "ulimit -t; ulimit -d; exit 3\n");
	ask(f, q, POLL_SLOW, &r);
	ssh_rig_until(&f->rig, &r.came);
	assert_string_equal(r.bytes, "30\n1048576\n");
	assert_int_equal(r.status, 3);
	free(r.bytes);
}

/* A script behaves in its guard as without one: status, standard error, no input, any shell. */
CASE_WITH(a_guarded_script_is_itself, setup, teardown)
{
	static const char *const shells[] = {"dash", "bash", "busybox"};
	struct fixture *f = *state;

	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 16);
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		struct ssh_reply r = {0};
		struct request *q;

		if (access("/usr/bin/busybox", X_OK) != 0 && i == 2)
			continue;
		/* sh of this login is that shell. */
		scratch_run(&f->rig.scratch,
			"printf '#!/bin/%s\\nexec /usr/bin/%s \"$@\"\\n' >tools/sh; chmod +x "
			"tools/sh",
			"sh", i == 2 ? "busybox sh" : shells[i]);
		q = requests_ssh(&f->rig.requests, "own", "sh -s",
			"x='it is'\nread -r y || echo 'no input'\necho \"$x\" >&2\n"
			"cat <<'E'\na } b\nE\nset -- 1 2\necho $#\nfalse\n");
		ask(f, q, POLL_SLOW, &r);
		ssh_rig_until(&f->rig, &r.came);
		if (r.err.code != ERR_NONE)
			fail_msg("%s: %s", shells[i], r.err.text);
		assert_string_equal(r.bytes, "no input\na } b\n2\n");
		assert_string_equal(r.complaint, "it is ");
		assert_int_equal(r.status, 1);
		free(r.bytes);
	}
}

/* ---- logins of their own kind ---- */

/* Puts these lines into the configuration of a new server. */
static void use_server(struct fixture *f, const char *extra)
{
	sshd_stop(&f->rig.own);
	sshd_start(&f->rig.own, &f->rig.scratch, 0, extra);
	free(f->rig.device.known_hosts);
	f->rig.device.known_hosts = mem_strdup(scratch_path(&f->rig.scratch, "known_hosts"));
	f->rig.device.port = f->rig.own.port;
}

static void expect_answer(struct fixture *f, bool shell, enum poll_tier tier)
{
	struct ssh_reply r = {0};
	struct request *q =
		requests_ssh(&f->rig.requests, shell ? "kept" : "own", "sh -s", "echo answer");

	q->shell = shell;
	ask(f, q, tier, &r);
	ssh_rig_until(&f->rig, &r.came);
	if (r.err.code != ERR_NONE)
		fail_msg("%s", r.err.text);
	assert_string_equal(r.bytes, "answer\n");
	free(r.bytes);
}

/* RFC 4252's banner, and a greeting that the login itself prints. */
CASE_WITH(banners_are_no_part_of_an_answer, setup, teardown)
{
	struct fixture *f = *state;
	char extra[512];

	scratch_write(&f->rig.scratch, "banner",
		"******** AUTHORISED USE ONLY ********\nAll sessions are recorded.\n");
	(void)snprintf(
		extra, sizeof(extra), "Banner %s\n", scratch_path(&f->rig.scratch, "banner"));
	use_server(f, extra);
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	expect_answer(f, true, POLL_FAST);
	expect_answer(f, false, POLL_SLOW);
}

CASE_WITH(a_restricted_shell_answers, setup, teardown)
{
	struct fixture *f = *state;

	use_server(f, "ForceCommand exec rbash -c \"$SSH_ORIGINAL_COMMAND\"\n");
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	expect_answer(f, true, POLL_FAST);
	expect_answer(f, false, POLL_SLOW);
}

CASE_WITH(one_session_at_a_time_is_enough, setup, teardown)
{
	struct fixture *f = *state;

	use_server(f, "MaxSessions 1\n");
	ssh_rig_up(&f->rig);
	vec_reserve(&f->rig.requests.at, 8);
	expect_answer(f, true, POLL_FAST);
	expect_answer(f, false, POLL_SLOW);
	expect_answer(f, true, POLL_FAST);
	assert_int_equal(f->rig.downs, 0);
}

CASES_MAIN(setup_group, ssh_rig_group_end)
