/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/integration/support/lab.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/slot.h"
#include "tests/support/built.h"

enum { ARGS = 64 };

static void spawn(pid_t *pid, const char *const *argv, int in, int out, int err)
{
	posix_spawn_file_actions_t files;
	int code;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (err >= 0)
		posix_spawn_file_actions_adddup2(&files, err, STDERR_FILENO);
	code = posix_spawn(pid, argv[0], &files, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	if (code != 0)
		fail_msg("%s: %s", argv[0], strerror(code));
}

static void read_line(int fd, char *dst, size_t size, int64_t deadline_us)
{
	size_t n = 0;

	while (n + 1 < size) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		int64_t left = deadline_us - clock_mono(&clock_system);

		if (left <= 0)
			fail_msg("no line within the deadline");
		if (poll(&p, 1, (int)(left / 1000) + 1) <= 0)
			continue;
		if (read(fd, dst + n, 1) != 1)
			fail_msg("the emulator ended before it was ready");
		if (dst[n] == '\n')
			break;
		n++;
	}
	dst[n] = '\0';
}

void lab_start(struct lab *l, const char *const *args)
{
	const char *argv[ARGS];
	char program[256], line[256], first[32];
	int in[2], out[2];
	size_t n = 0;

	memset(l, 0, sizeof(*l));
	(void)str_copy(l->dir, sizeof(l->dir), "/tmp/railtop-lab-XXXXXX");
	assert_non_null(mkdtemp(l->dir));
	argv[n++] = built_path("railtop-emulator", program, sizeof(program));
	argv[n++] = "--preset";
	argv[n++] = "ref256";
	argv[n++] = "--dir";
	argv[n++] = l->dir;
	argv[n++] = "--listen";
	argv[n++] = slot_address(first, sizeof(first));
	argv[n++] = "--stdin-watch";
	for (; *args; args++)
		argv[n++] = *args;
	argv[n] = NULL;
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	spawn(&l->pid, argv, in[0], out[1], -1);
	(void)close(in[0]);
	(void)close(out[1]);
	l->in = in[1];
	l->out = out[0];
	read_line(l->out, line, sizeof(line), clock_mono(&clock_system) + 60 * CLOCK_SEC);
	assert_true(str_starts(line, "ready "));
	(void)str_copy(l->inventory, sizeof(l->inventory), line + 6);
}

/* waitpid() with a bound: a child that does not end is a failure, not a hang of the suite. */
static int wait_for(pid_t pid, int seconds)
{
	int64_t deadline = clock_mono(&clock_system) + seconds * CLOCK_SEC;
	int status = 0;

	while (waitpid(pid, &status, WNOHANG) == 0) {
		if (clock_mono(&clock_system) > deadline) {
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			return -1;
		}
		(void)poll(NULL, 0, 5);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void lab_stop(struct lab *l)
{
	char *const rm[] = {"rm", "-rf", "--", l->dir, NULL};
	pid_t pid;
	int code;

	(void)kill(l->pid, SIGTERM);
	code = wait_for(l->pid, 20);
	(void)close(l->in);
	(void)close(l->out);
	if (posix_spawnp(&pid, "rm", NULL, NULL, rm, environ) == 0)
		(void)wait_for(pid, 20);
	assert_int_equal(code, 0);
}

/* Reads both streams until both close. */
static void gather(int out, int err, struct buf *out_buf, struct buf *err_buf, int64_t deadline_us)
{
	struct pollfd p[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
	struct buf *to[2] = {out_buf, err_buf};
	char chunk[65536];

	while (p[0].fd >= 0 || p[1].fd >= 0) {
		int64_t left = deadline_us - clock_mono(&clock_system);

		if (left <= 0 || poll(p, 2, (int)(left / 1000) + 1) < 0)
			return;
		for (int i = 0; i < 2; i++) {
			ssize_t n;

			if (p[i].fd < 0 || !p[i].revents)
				continue;
			n = read(p[i].fd, chunk, sizeof(chunk));
			if (n <= 0)
				p[i].fd = -1;
			else
				(void)buf_add(to[i], chunk, (size_t)n);
		}
	}
}

struct lab_output lab_railtop(const char *const *args, int seconds)
{
	int64_t deadline = clock_mono(&clock_system) + seconds * CLOCK_SEC;
	struct lab_output o = {0};
	const char *argv[ARGS];
	char program[256];
	struct buf out_buf, err_buf;
	int out[2], err[2], null = open("/dev/null", O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	pid_t pid;

	argv[n++] = built_path("railtop", program, sizeof(program));
	for (; *args && n + 1 < ARGS; args++)
		argv[n++] = *args;
	argv[n] = NULL;
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	assert_int_equal(pipe2(err, O_CLOEXEC), 0);
	spawn(&pid, argv, null, out[1], err[1]);
	(void)close(null);
	(void)close(out[1]);
	(void)close(err[1]);
	buf_init(&out_buf, 256 << 20);
	buf_init(&err_buf, 16 << 20);
	gather(out[0], err[0], &out_buf, &err_buf, deadline);
	(void)close(out[0]);
	(void)close(err[0]);
	o.code = wait_for(pid, 10);
	o.out = buf_take(&out_buf, &o.out_len);
	o.err = buf_take(&err_buf, NULL);
	if (o.code < 0 || o.code >= 128)
		fail_msg("railtop %s: %s %d; stderr: %.2000s", args[0],
			o.code < 0 ? "did not end" : "was ended by signal", o.code - 128, o.err);
	return o;
}

void lab_output_free(struct lab_output *o)
{
	free(o->out);
	free(o->err);
}

json_t *lab_json(const char *text)
{
	json_error_t error;
	json_t *root = json_loads(text, 0, &error);

	if (!root)
		fail_msg("not JSON: %s at %d:%d: %.300s", error.text, error.line, error.column,
			text);
	return root;
}

json_t *lab_truth(const struct lab *l)
{
	char path[128];
	json_error_t error;
	json_t *root;

	(void)str_printf(path, sizeof(path), "%s/truth.json", l->dir);
	root = json_load_file(path, 0, &error);
	if (!root)
		fail_msg("%s: %s", path, error.text);
	return root;
}

static bool named(json_t *o, const char *key, const char *name)
{
	const char *text = json_string_value(json_object_get(o, key));

	return text && strcmp(text, name) == 0;
}

json_t *lab_device(json_t *snapshot, const char *name)
{
	json_t *d;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "devices"), i, d)
	{
		if (named(d, "name", name))
			return d;
	}
	return NULL;
}

json_t *lab_port(json_t *device, const char *name)
{
	json_t *p;
	size_t i;

	json_array_foreach(json_object_get(device, "ports"), i, p)
	{
		if (named(p, "name", name) || named(p, "netdev", name))
			return p;
	}
	return NULL;
}

static json_t *counter_cell(json_t *port, const char *counter, const char *priority)
{
	json_t *c = json_object_get(json_object_get(port, "counters"), counter);

	return priority ? json_object_get(c, priority) : c;
}

double lab_counter(json_t *port, const char *counter, const char *priority, const char *key)
{
	json_t *v = json_object_get(counter_cell(port, counter, priority), key);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

const char *lab_validity(json_t *port, const char *counter, const char *priority)
{
	const char *text =
		json_string_value(json_object_get(counter_cell(port, counter, priority), "valid"));

	return text ? text : "absent";
}

unsigned lab_events(json_t *snapshot, const char *device, const char *kind)
{
	unsigned n = 0;
	json_t *e;
	size_t i;

	json_array_foreach(json_object_get(snapshot, "events"), i, e)
	{
		if (named(e, "device", device) && named(e, "event", kind))
			n++;
	}
	return n;
}
