/* SPDX-License-Identifier: Apache-2.0 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
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

#include "base/str.h"
#include "emulator/serve/server.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"

/*
 * The servers, in a process of their own, against the ssh and curl of the system. Time stands still
 * there but for tick(). Vendors are left out: the personality below is the test's own.
 */

#define START      (INT64_C(1763726000) * CLOCK_SEC)
#define BIG_LINES  400000
#define PATIENCE_S "20" /* only a broken server waits that long */

struct personality_ctx {
	struct sim *sim;
	const char *password;
};

struct personality_ctx *personality_new(struct sim *s)
{
	struct personality_ctx *c = calloc(1, sizeof(*c));

	if (c)
		c->sim = s;
	return c;
}

void personality_credentials(struct personality_ctx *c, const char *user, const char *password)
{
	(void)user;
	c->password = password;
}

bool personality_login(const struct personality_ctx *c, const struct sim_device *d,
	const char *user, const char *password)
{
	return !d->refuses_key && str_eq(user, SITE_USER) && str_eq(password, c->password);
}

void personality_free(struct personality_ctx *c)
{
	free(c);
}

static int test_exec(struct personality_ctx *c, struct sim_device *d, const char *command,
	const char *input, struct buf *out, struct buf *err)
{
	(void)c;
	if (strcmp(command, "cat") == 0)
		return !buf_adds(out, input);
	if (strcmp(command, "name") == 0)
		return !buf_adds(out, d->name);
	if (strcmp(command, "big") == 0) {
		for (int i = 0; i < BIG_LINES; i++)
			(void)buf_addf(out, "%09d\n", i);
		return 0;
	}
	(void)buf_addf(err, "%s: command not found\n", command);
	return 127;
}

static void test_http(struct personality_ctx *c, struct sim_device *d, const struct http_request *q,
	struct http_reply *reply)
{
	(void)c;
	reply->type = "application/json";
	if (!q->basic_ok) {
		reply->status = 401;
		reply->realm = "test";
		return;
	}
	(void)buf_addf(reply->out, "%s %s %s%s%s %.*s", d->name, q->method, q->path,
		*q->query ? "?" : "", q->query, (int)q->len, q->body);
	if (*q->cookie)
		(void)buf_addf(reply->out, " [%s]", q->cookie);
	(void)str_copy(reply->cookie, sizeof(reply->cookie), "Session=1");
}

void personality_address(const struct sim_device *d, char dst[24])
{
	(void)snprintf(dst, 24, "10.10.0.%u", d->index % 250 + 1);
}

const struct personality *personality_for(const char *dialect)
{
	static const struct personality shell = {.dialect = "any", .exec = test_exec},
					web = {.dialect = "eos",
						.exec = test_exec,
						.http = test_http};

	return strcmp(dialect, "eos") == 0 ? &web : &shell;
}

/* ---- the process with the servers ---- */

struct child {
	uv_loop_t loop;
	struct clock_fake clock;
	uv_poll_t control;
	struct server *server;
	int fd;
};

/* 'f': ten seconds pass; 'p': nothing but due faults; end of file: stop. Every byte is
 * acknowledged. */
static void on_control(uv_poll_t *p, int status, int events)
{
	struct child *c = p->data;
	char byte = 0;

	(void)status;
	(void)events;
	if (read(c->fd, &byte, 1) != 1) {
		uv_stop(&c->loop);
		return;
	}
	if (byte == 'f')
		c->clock.now += 10 * CLOCK_SEC;
	server_poll(c->server);
	if (write(c->fd, &byte, 1) != 1)
		uv_stop(&c->loop);
}

static void close_handle(uv_handle_t *h, void *arg)
{
	(void)arg;
	if (!uv_is_closing(h))
		uv_close(h, NULL);
}

/* The address of the fabric's n-th device, from 1; good until 8 more are asked for. */
static const char *at(unsigned n)
{
	static char ring[8][32];
	static unsigned next;
	char first[32], *out = ring[next++ % 8];

	(void)slot_address(first, sizeof(first));
	*strrchr(first, '.') = '\0';
	(void)str_printf(out, sizeof(ring[0]), "%s.%u", first, n);
	return out;
}

static int child_main(const char *dir, const char *const *faults, int fd)
{
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 1,
		.start_us = START,
		.speed = 1,
		.steady = true};
	struct child c = {.fd = fd};
	struct server_opts so = {.loop = &c.loop, .clock = &c.clock.clock};
	struct err err;
	char hello[32];

	clock_fake_init(&c.clock, START);
	(void)uv_loop_init(&c.loop);
	so.sim = sim_new(&o);
	for (; *faults; faults++)
		if (!sim_fault(so.sim, *faults, &err))
			return 3;
	so.site = site_new(dir, at(1), so.sim, &err);
	so.personality = personality_new(so.sim);
	c.server = so.site ? server_new(&so, &err) : NULL;
	if (!c.server || !site_publish(so.site, server_ssh_port(c.server),
				 server_https_port(c.server), "1s", &err))
		return 4;
	(void)uv_poll_init(&c.loop, &c.control, fd);
	c.control.data = &c;
	(void)uv_poll_start(&c.control, UV_READABLE, on_control);
	(void)str_printf(hello, sizeof(hello), "%05u %05u", server_ssh_port(c.server),
		server_https_port(c.server));
	if (write(fd, hello, 11) != 11)
		return 5;
	(void)uv_run(&c.loop, UV_RUN_DEFAULT);
	server_close(c.server);
	uv_walk(&c.loop, close_handle, NULL);
	(void)uv_run(&c.loop, UV_RUN_DEFAULT);
	if (uv_loop_close(&c.loop) != 0)
		return 6;
	personality_free(so.personality);
	site_free((struct site *)(uintptr_t)so.site);
	sim_free(so.sim);
	return 0;
}

struct rig {
	char dir[64], user_at[64];
	char ssh_port[8], https_port[8], login[128], ca[96], known[128], key[96];
	pid_t pid;
	int fd;
};

static struct rig *rig_open(const char *const *faults)
{
	struct rig *r = calloc(1, sizeof(*r));
	char hello[12] = {0}, path[128];
	int pair[2];
	FILE *f;

	assert_non_null(r);
	(void)str_copy(r->dir, sizeof(r->dir), "/tmp/railtop-server-XXXXXX");
	assert_non_null(mkdtemp(r->dir));
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	(void)fflush(stdout);
	r->pid = fork();
	if (r->pid == 0) {
		int code;

		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)signal(SIGPIPE, SIG_IGN);
		(void)close(pair[0]);
		code = child_main(r->dir, faults, pair[1]);
		free(r);
		exit(code); /* not _exit(): the leak check runs there */
	}
	(void)close(pair[1]);
	r->fd = pair[0];
	assert_int_equal(recv(r->fd, hello, 11, MSG_WAITALL), 11);
	(void)str_copyn(r->ssh_port, sizeof(r->ssh_port), hello, 5);
	(void)str_copyn(r->https_port, sizeof(r->https_port), hello + 6, 5);
	(void)str_printf(r->ca, sizeof(r->ca), "%s/ca.pem", r->dir);
	(void)str_printf(r->key, sizeof(r->key), "%s/id_ed25519", r->dir);
	(void)str_printf(r->known, sizeof(r->known), "UserKnownHostsFile=%s/known_hosts", r->dir);
	(void)str_printf(path, sizeof(path), "%s/eapi.password", r->dir);
	f = fopen(path, "re");
	assert_non_null(f);
	assert_non_null(fgets(r->login, sizeof(r->login), f));
	r->login[strcspn(r->login, "\n")] = '\0';
	(void)fclose(f);
	return r;
}

static void tell(const struct rig *r, char what)
{
	char back = 0;

	assert_int_equal(write(r->fd, &what, 1), 1);
	assert_int_equal(recv(r->fd, &back, 1, MSG_WAITALL), 1);
	assert_int_equal(back, what);
}

static void rig_close(struct rig *r)
{
	DIR *d = opendir(r->dir);
	struct dirent *e;
	char path[512];
	int status = -1;

	(void)close(r->fd);
	assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_non_null(d);
	while ((e = readdir(d))) {
		(void)str_printf(path, sizeof(path), "%s/%s", r->dir, e->d_name);
		if (e->d_name[0] != '.')
			(void)unlink(path);
	}
	(void)closedir(d);
	assert_int_equal(rmdir(r->dir), 0);
	free(r);
}

/* ---- clients ---- */

struct run {
	pid_t pid;
	int fd; /* stdout and stderr */
	struct buf out;
	int status;
};

static void run_start(struct run *run, const char *const *argv, const char *input)
{
	int in[2], out[2];

	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	run->pid = fork();
	if (run->pid == 0) {
		(void)dup2(in[0], 0);
		(void)dup2(out[1], 1);
		(void)dup2(out[1], 2);
		execvp(argv[0], (char **)(uintptr_t)argv);
		_exit(126);
	}
	(void)close(in[0]);
	(void)close(out[1]);
	if (input)
		assert_int_equal(write(in[1], input, strlen(input)), (ssize_t)strlen(input));
	(void)close(in[1]);
	run->fd = out[0];
	buf_init(&run->out, 64U << 20);
}

static void run_finish(struct run *run)
{
	char chunk[65536];
	ssize_t n;
	int status;

	while ((n = read(run->fd, chunk, sizeof(chunk))) > 0)
		assert_true(buf_add(&run->out, chunk, (size_t)n));
	(void)close(run->fd);
	assert_int_equal(waitpid(run->pid, &status, 0), run->pid);
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
	(void)buf_add(&run->out, "", 0);
}

static void ssh_start(struct run *run, const struct rig *r, const char *address,
	const char *command, const char *input)
{
	char where[64];
	const char *argv[] = {"timeout", PATIENCE_S, "ssh", "-F", "none", "-o", "BatchMode=yes",
		"-o", r->known, "-o", "StrictHostKeyChecking=yes", "-o", "IdentitiesOnly=yes", "-o",
		"LogLevel=ERROR", "-i", r->key, "-p", r->ssh_port, where, command, NULL};

	(void)str_printf(where, sizeof(where), "noc@%s", address);
	run_start(run, argv, input);
}

static struct run ssh(
	const struct rig *r, const char *address, const char *command, const char *input)
{
	struct run run;

	ssh_start(&run, r, address, command, input);
	run_finish(&run);
	return run;
}

/* Connects to a port of the device, as "ssh -W" does: no program listens there. */
static void forward_start(struct run *run, const struct rig *r, const char *address, const char *to,
	const char *input)
{
	char where[64];
	const char *argv[] = {"timeout", PATIENCE_S, "ssh", "-F", "none", "-o", "BatchMode=yes",
		"-o", r->known, "-o", "StrictHostKeyChecking=yes", "-o", "IdentitiesOnly=yes", "-o",
		"LogLevel=ERROR", "-i", r->key, "-p", r->ssh_port, "-W", to, where, NULL};

	(void)str_printf(where, sizeof(where), "noc@%s", address);
	run_start(run, argv, input);
}

static struct run curl(const struct rig *r, const char *address, const char *login)
{
	char url[128];
	const char *argv[] = {"curl", "-sS", "--max-time", PATIENCE_S, "--cacert", r->ca, "-u",
		login, "-d", "{}", "-w", " %{http_code}", url, NULL};
	struct run run;

	(void)str_printf(url, sizeof(url), "https://%s:%s/command-api", address, r->https_port);
	run_start(&run, argv, NULL);
	run_finish(&run);
	return run;
}

static bool have(const char *program)
{
	char path[64];

	(void)str_printf(path, sizeof(path), "/usr/bin/%s", program);
	return access(path, X_OK) == 0;
}

#define NEED(program)                                                                              \
	do {                                                                                       \
		if (!have(program))                                                                \
			skip();                                                                    \
	} while (0)

static void expect(struct run run, int status, const char *text)
{
	if (run.status != status || !run.out.data || !strstr(run.out.data, text))
		fail_msg("status %d, output \"%.300s\", expected %d and \"%s\"", run.status,
			run.out.data ? run.out.data : "", status, text);
	buf_free(&run.out);
}

/* ---- tests ---- */

static const char *const no_faults[] = {NULL};

CASE(test_exec_channels)
{
	struct rig *r;
	struct run run;

	NEED("ssh");
	r = rig_open(no_faults);
	expect(ssh(r, at(1), "name", NULL), 0, "leaf-r0-00");
	expect(ssh(r, at(44), "name", NULL), 0, "node031");
	expect(ssh(r, at(44), "cat", "first\nlast"), 0, "first\nlast");
	expect(ssh(r, at(2), "frobnicate", NULL), 127, "frobnicate: command not found");
	/* More than any window: it takes many turns of the loop. */
	run = ssh(r, at(1), "big", NULL);
	assert_int_equal(run.out.len, BIG_LINES * 10);
	expect(run, 0, "\n000399999\n");
	rig_close(r);
}

CASE(test_a_slow_reader_blocks_nobody)
{
	struct rig *r;
	struct run slow;

	NEED("ssh");
	r = rig_open(no_faults);
	ssh_start(&slow, r, at(1), "big", NULL);
	/* Nobody reads from the first; the second is served all the same. */
	expect(ssh(r, at(1), "name", NULL), 0, "leaf-r0-00");
	run_finish(&slow);
	assert_int_equal(slow.out.len, BIG_LINES * 10);
	buf_free(&slow.out);
	rig_close(r);
}

CASE(test_closes_under_way)
{
	struct rig *r;
	struct run run;

	NEED("ssh");
	r = rig_open(no_faults);
	ssh_start(&run, r, at(1), "big", NULL);
	(void)kill(run.pid, SIGKILL);
	expect(ssh(r, at(1), "name", NULL), 0, "leaf-r0-00");
	(void)close(run.fd);
	(void)waitpid(run.pid, NULL, 0);
	buf_free(&run.out);
	/* And a client that is still being served when the servers stop. */
	ssh_start(&run, r, at(1), "big", NULL);
	rig_close(r);
	run_finish(&run);
	buf_free(&run.out);
}

CASE(test_ssh_faults)
{
	static const char *const faults[] = {"refuse-key:node000", "wrong-key:node001",
		"device-down:node002,for=5s", "flood:node003,size=3MB", "garbage:node004",
		"slow:node005,delay=9s", NULL};
	struct rig *r;
	struct run run;

	NEED("ssh");
	r = rig_open(faults);
	expect(ssh(r, at(13), "name", NULL), 255, "Permission denied");
	expect(ssh(r, at(14), "name", NULL), 255, "Host key verification failed");
	expect(ssh(r, at(15), "name", NULL), 255, "Connection refused");
	run = ssh(r, at(16), "name", NULL);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.out.len, 3000000);
	assert_null(strchr(run.out.data, '\n'));
	buf_free(&run.out);
	run = ssh(r, at(17), "name", NULL);
	assert_int_equal(run.status, 0);
	assert_non_null(memmem(run.out.data, run.out.len, "\033[2J", 4));
	buf_free(&run.out);
	tell(r, 'f');
	expect(ssh(r, at(15), "name", NULL), 0, "node002");
	/* The request is on its way at an unknown moment: time passes until it is answered. */
	ssh_start(&run, r, at(18), "name", NULL);
	for (struct pollfd p = {.fd = run.fd, .events = POLLIN}; poll(&p, 1, 20) == 0;)
		tell(r, 'f');
	run_finish(&run);
	expect(run, 0, "node005");
	rig_close(r);
}

static int tcp(const char *address, const char *port)
{
	struct sockaddr_in sin = {.sin_family = AF_INET};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	sin.sin_port = htons((uint16_t)strtoul(port, NULL, 10));
	assert_int_equal(inet_pton(AF_INET, address, &sin.sin_addr), 1);
	assert_int_equal(connect(fd, (struct sockaddr *)&sin, sizeof(sin)), 0);
	return fd;
}

CASE(test_a_hanging_device_accepts_and_is_silent)
{
	static const char *const faults[] = {"device-hang:leaf-r0-00,for=5s", NULL};
	struct rig *r = rig_open(faults);
	char banner[8] = {0};
	int fd = tcp(at(1), r->ssh_port);
	struct pollfd p = {.fd = fd, .events = POLLIN};

	/* Two turns of the server's loop: it has seen the connection, and said nothing. */
	tell(r, 'p');
	tell(r, 'p');
	assert_int_equal(poll(&p, 1, 0), 0);
	tell(r, 'f');
	assert_int_equal(recv(fd, banner, 7, MSG_WAITALL), 7);
	assert_string_equal(banner, "SSH-2.0");
	(void)close(fd);
	rig_close(r);
}

/* Time passes until the run is over. */
static void run_out(const struct rig *r, struct run *run)
{
	char chunk[65536];
	ssize_t n = 1;

	while (n > 0) {
		struct pollfd p = {.fd = run->fd, .events = POLLIN};

		if (poll(&p, 1, 20) == 0) {
			tell(r, 'f');
			continue;
		}
		n = read(run->fd, chunk, sizeof(chunk));
		if (n > 0)
			assert_true(buf_add(&run->out, chunk, (size_t)n));
	}
	run_finish(run);
}

CASE(test_ras_through_ssh)
{
	struct rig *r;
	struct run run;

	NEED("ssh");
	r = rig_open((const char *const[]){"garbage:node001", NULL});
	forward_start(&run, r, at(13), "localhost:28028", "CLIENT PROTOCOL 2\nSTATUS\n");
	run_out(r, &run);
	assert_int_equal(run.status, 0);
	assert_non_null(run.out.data);
	assert_int_equal(strncmp(run.out.data, "SERVER PROTOCOL 2\nNCCL version ", 31), 0);
	assert_non_null(strstr(run.out.data, "Warnings\n========\n"));
	buf_free(&run.out);
	forward_start(&run, r, at(13), "127.0.0.1:28028", "SET FORMAT json\nSTATUS\n");
	run_out(r, &run);
	assert_non_null(strstr(run.out.data, "\"host\": \"10.10.0.1\""));
	assert_non_null(strstr(run.out.data, "\"timeouts_count\": 0\n  }\n}\n"));
	buf_free(&run.out);
	/* The same channel shows the faults of the whole device. */
	forward_start(&run, r, at(14), "[::1]:28028", "STATUS\n");
	run_finish(&run);
	assert_non_null(memmem(run.out.data, run.out.len, "\033[2J", 4));
	buf_free(&run.out);
	rig_close(r);
}

CASE(test_other_forwards_are_refused)
{
	char other[64];
	const struct {
		const char *address, *to;
	} wrong[] = {{at(13), "localhost:28029"}, {at(13), other}, {at(1), "localhost:28028"},
		{at(13), "example.invalid:28028"}};
	struct rig *r;

	NEED("ssh");
	(void)str_printf(other, sizeof(other), "%s:28028", at(14));
	r = rig_open((const char *const[]){NULL});
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct run run;

		forward_start(&run, r, wrong[i].address, wrong[i].to, "STATUS\n");
		run_finish(&run);
		assert_int_not_equal(run.status, 0);
		assert_null(strstr(run.out.data, "NCCL"));
		buf_free(&run.out);
	}
	/* It is the channel that is refused, not the connection. */
	expect(ssh(r, at(13), "name", NULL), 0, "node000");
	rig_close(r);
}

CASE(test_https)
{
	static const char *const faults[] = {"wrong-cert:spine-001", "refuse-key:spine-002",
		"device-down:spine-003,for=5s", NULL};
	struct rig *r;

	NEED("curl");
	r = rig_open(faults);
	expect(curl(r, at(9), r->login), 0, "spine-000 POST /command-api {} 200");
	expect(curl(r, at(9), "noc:wrong"), 0, "401");
	expect(curl(r, at(10), r->login), 60, at(10));
	expect(curl(r, at(11), r->login), 0, "401");
	expect(curl(r, at(12), r->login), 7, "connect");
	tell(r, 'f');
	expect(curl(r, at(12), r->login), 0, "spine-003 POST /command-api {} 200");
	rig_close(r);
}

CASE(test_https_flood_and_hang)
{
	static const char *const faults[] = {
		"flood:spine-000,size=5MB", "device-hang:spine-001,for=5s", NULL};
	struct rig *r;
	struct run run;
	int fd;

	NEED("curl");
	r = rig_open(faults);
	run = curl(r, at(9), r->login);
	assert_int_equal(run.out.len, 5000000 + 4);
	buf_free(&run.out);
	fd = tcp(at(10), r->https_port);
	tell(r, 'p');
	(void)close(fd);
	tell(r, 'f');
	expect(curl(r, at(10), r->login), 0, "spine-001");
	rig_close(r);
}

CASES_MAIN(NULL, NULL)
