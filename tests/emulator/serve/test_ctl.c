/* SPDX-License-Identifier: Apache-2.0 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "emulator/serve/ctl.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

/* An emulator in a process of its own, controlled through its socket. Time stands still there. */

#define START (INT64_C(1763726000) * CLOCK_SEC)

static void on_stop(void *arg)
{
	uv_stop(arg);
}

static void close_handle(uv_handle_t *h, void *arg)
{
	(void)arg;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

static int serve(const char *dir, int ready)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 1,
		.start_us = START,
		.speed = 1,
		.steady = true};
	struct clock_fake clock;
	uv_loop_t loop;
	struct err err;
	struct sim *sim = sim_new(&o);
	struct personality_ctx *personality = personality_new(sim);
	char first[32];
	struct site *site = site_new(dir, slot_address(first, sizeof(first)), sim, &err);
	struct server *server;
	struct ctl *ctl;

	clock_fake_init(&clock, START + CLOCK_SEC);
	(void)uv_loop_init(&loop);
	server = server_new(&(struct server_opts){.loop = &loop,
				    .sim = sim,
				    .personality = personality,
				    .site = site,
				    .clock = &clock.clock},
		&err);
	ctl = ctl_new(&(struct ctl_opts){.loop = &loop,
			      .dir = dir,
			      .sim = sim,
			      .server = server,
			      .clock = &clock.clock,
			      .preset = "ref256",
			      .speed = 1,
			      .stop = on_stop,
			      .arg = &loop},
		&err);
	if (!server || !ctl || write(ready, "r", 1) != 1)
		return 3;
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	ctl_close(ctl);
	server_close(server);
	uv_walk(&loop, close_handle, NULL);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	if (uv_loop_close(&loop) != 0)
		return 4;
	site_free(site);
	personality_free(personality);
	sim_free(sim);
	return 0;
}

struct rig {
	char dir[256];
	pid_t pid;
};

static struct rig *rig_start(const char *below)
{
	struct rig *r = calloc(1, sizeof(*r));
	char top[] = "/tmp/railtop-ctl-XXXXXX", byte;
	int pipes[2];

	assert_non_null(r);
	assert_non_null(mkdtemp(top));
	(void)str_printf(r->dir, sizeof(r->dir), "%s%s", top, below);
	assert_int_equal(pipe2(pipes, O_CLOEXEC), 0);
	(void)fflush(stdout);
	r->pid = fork();
	if (r->pid == 0) {
		int code;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)signal(SIGPIPE, SIG_IGN);
		code = serve(r->dir, pipes[1]);
		free(r);
		exit(code); /* not _exit(): the leak check runs there */
	}
	(void)close(pipes[1]);
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	(void)close(pipes[0]);
	return r;
}

/* "inject a:b" as the words of a command line; the reply, which the caller frees. */
static bool ask(const struct rig *r, char *request, struct buf *reply, struct err *err)
{
	char *words[] = {request};

	buf_init(reply, 1U << 20);
	*err = (struct err){0};
	return ctl_ask(r->dir, 1, words, reply, err);
}

static void agrees(const struct rig *r, const char *request, const char *part)
{
	char text[256];
	struct buf reply;
	struct err err;

	(void)str_copy(text, sizeof(text), request);
	if (!ask(r, text, &reply, &err))
		fail_msg("%s: %s", request, err.text);
	(void)buf_adds(&reply, "");
	if (!strstr(reply.data, part))
		fail_msg("\"%s\" is not in: %s", part, reply.data);
	buf_free(&reply);
}

static void refuses(const struct rig *r, const char *request, const char *part)
{
	struct buf reply;
	struct err err;
	char text[8192], all[1024];

	(void)str_copy(text, sizeof(text), request);
	assert_false(ask(r, text, &reply, &err));
	if (!strstr(err_format(&err, all, sizeof(all)), part))
		fail_msg("\"%s\" is not in: %s", part, all);
	buf_free(&reply);
}

static void remove_all(const char *dir)
{
	const char *argv[] = {"rm", "-rf", dir, NULL};
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		execvp(argv[0], (char **)(uintptr_t)argv);
		_exit(126);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
}

static void rig_stop(struct rig *r)
{
	char path[300], *end;
	int status = -1;

	agrees(r, "stop", "");
	assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	(void)str_printf(path, sizeof(path), "%s/" CTL_SOCKET, r->dir);
	assert_int_not_equal(access(path, F_OK), 0);
	end = strchr(r->dir + strlen("/tmp/"), '/');
	if (end)
		*end = '\0';
	remove_all(r->dir);
	free(r);
}

CASE(test_requests)
{
	struct rig *r = rig_start("");

	agrees(r, "status", "preset: ref256\ndevices: 44\ntime: 2025-11-21T11:53:21Z\nspeed: 1\n");
	agrees(r, "status", "connections: 0\nanswers: 0\n");
	agrees(r, "jobs", " ranks, step ");
	agrees(r, "inject link-down:leaf-r0-00:Ethernet0,for=30s", "fault ");
	agrees(r, "list", "");
	refuses(r, "inject volcano:leaf-r0-00", "volcano");
	refuses(r, "inject link-down:leaf-r9-99:Ethernet0", "leaf-r9-99");
	refuses(r, "heal nobody", "nobody");
	refuses(r, "inject", "needs a fault");
	refuses(r, "list everything", "nothing after it");
	refuses(r, "stat", "unknown request");
	refuses(r, "", "no request");
	refuses(r, "list\nstop", "line ends");
	rig_stop(r);
}

static int connect_raw(const struct rig *r)
{
	int dir, fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct sockaddr_un a;
	struct err err;

	assert_true(ctl_address(r->dir, &dir, &a, &err));
	assert_int_equal(connect(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	(void)close(dir);
	return fd;
}

/* Reads until the text `end` has come. */
static void expect(int fd, const char *end)
{
	char text[65536];
	size_t n = 0;

	while (n < sizeof(text) - 1) {
		ssize_t k = read(fd, text + n, sizeof(text) - 1 - n);

		assert_true(k > 0);
		n += (size_t)k;
		text[n] = '\0';
		if (n >= strlen(end) && strcmp(text + n - strlen(end), end) == 0)
			return;
	}
	fail_msg("%s does not come", end);
}

CASE(test_the_wire)
{
	struct rig *r = rig_start("");
	char line[CTL_LINE_MAX + 2], byte;
	int fd = connect_raw(r);

	/* Two requests in one write, and one in two. */
	assert_int_equal(write(fd, "nonsense\r\njobs\n", 15), 15);
	expect(fd, "ok\n");
	assert_int_equal(write(fd, "jo", 2), 2);
	assert_int_equal(write(fd, "bs\n", 3), 3);
	expect(fd, "ok\n");
	memset(line, 'x', sizeof(line));
	line[sizeof(line) - 1] = '\n';
	assert_int_equal(write(fd, line, sizeof(line)), sizeof(line));
	expect(fd, "error: a request has 4096 bytes at most\n");
	assert_int_equal(shutdown(fd, SHUT_WR), 0);
	assert_int_equal(read(fd, &byte, 1), 0);
	(void)close(fd);
	rig_stop(r);
}

CASE(test_the_socket)
{
	/* Longer than an address of a socket may be. */
	struct rig *r = rig_start("/a-directory-with-a-name-of-forty-letters/"
				  "another-one-of-those-that-go-on-and-on-so-long/"
				  "and-a-last-one-that-takes-it-beyond-108");
	char path[300];
	struct ctl_opts o = {.dir = r->dir};
	struct stat st;
	struct err err = {0};

	(void)str_printf(path, sizeof(path), "%s/" CTL_SOCKET, r->dir);
	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISSOCK(st.st_mode));
	assert_int_equal(st.st_mode & 0777, 0600);
	agrees(r, "status", "devices: 44");
	assert_null(ctl_new(&o, &err));
	assert_non_null(strstr(err.text, "another emulator"));
	rig_stop(r);
}

CASE(test_nobody_listens)
{
	char dir[] = "/tmp/railtop-ctl-XXXXXX";
	struct rig r = {.pid = 0};
	struct sockaddr_un a;
	struct err err;
	uv_loop_t loop;
	struct ctl *ctl;
	int at, fd;

	assert_non_null(mkdtemp(dir));
	(void)str_copy(r.dir, sizeof(r.dir), dir);
	refuses(&r, "status", "is an emulator running with --dir /tmp/railtop-ctl-");
	/* The leftovers of a killed emulator. */
	assert_true(ctl_address(dir, &at, &a, &err));
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(fd, (struct sockaddr *)&a, sizeof(a)), 0);
	(void)close(fd);
	(void)close(at);
	refuses(&r, "status", "nobody listens");
	(void)uv_loop_init(&loop);
	ctl = ctl_new(&(struct ctl_opts){.loop = &loop, .dir = dir}, &err);
	assert_non_null(ctl);
	ctl_close(ctl);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	assert_int_equal(uv_loop_close(&loop), 0);
	remove_all(dir);
	refuses(&r, "status", "cannot be opened");
}

CASES_MAIN(NULL, NULL)
