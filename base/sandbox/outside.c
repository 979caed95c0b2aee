/* SPDX-License-Identifier: Apache-2.0 */
#include "base/sandbox/outside.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

#define MESSAGE_MOST ((size_t)64 << 10)
#define PLACES_MOST  64

enum kind { SAY_ALLOW, SAY_PLACE, SAY_SEAL, SAY_RUN };

/* Followed by the text, and for SAY_RUN by the shell after the text's end. */
struct message {
	int64_t most_us;
	uint32_t text; /* length with its end */
	uint32_t may;  /* of a place */
	uint8_t kind, has_output, has_input, keep_errors;
};

struct report {
	int32_t end, status, error;
};

/* The caller's side: -1: there is no such process. */
static int to_outside = -1;

/* ---- a child of the caller ---- */

/* Restores the limit of open files with which the program was started. */
#define UNDER_LIMIT "ulimit -S -n \"$0\" 2>/dev/null; exec /bin/sh -c \"$1\""

/* ---- words without a shell ---- */

#define WORD_MARK  "\036" /* before each word; it is in no word */
#define WORDS_MOST 64

char *outside_words(const char *const *words, size_t n)
{
	size_t size = 1, len = 0;
	char *text;

	for (size_t i = 0; i < n; i++)
		size += strlen(words[i]) + 1;
	text = mem_alloc(size);
	text[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		(void)str_printf(text + len, size - len, WORD_MARK "%s", words[i]);
		len += strlen(text + len);
	}
	return text;
}

/* Cuts text into its words; false: it is a line for a shell. */
static bool cut_words(char *text, char *argv[WORDS_MOST + 1])
{
	size_t n = 0;
	char *save = NULL;

	if (text[0] != WORD_MARK[0])
		return false;
	for (char *word = strtok_r(text, WORD_MARK, &save); word && n < WORDS_MOST;
		word = strtok_r(NULL, WORD_MARK, &save))
		argv[n++] = word;
	argv[n] = NULL;
	return n > 0;
}

#define SMALL_ENV 8
static void small_environment(char *env[SMALL_ENV + 1], char room[SMALL_ENV][256])
{
	static const char *const kept[] = {"HOME", "USER", "LOGNAME", "TZ"};
	size_t n = 0;

	(void)str_copy(room[n], sizeof(room[n]),
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
	env[n] = room[n];
	n++;
	(void)str_copy(room[n], sizeof(room[n]), "LANG=C.UTF-8");
	env[n] = room[n];
	n++;
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		const char *value = getenv(kept[i]);

		if (!value || !str_printf(room[n], sizeof(room[n]), "%s=%s", kept[i], value))
			continue;
		env[n] = room[n];
		n++;
	}
	env[n] = NULL;
}

static bool spawn_command(const struct outside_command *c, pid_t *pid)
{
	char *text = mem_strdup(c->text), *shell = mem_strdup(c->shell),
	     *limit = c->limit ? mem_strdup(c->limit) : NULL;
	char *plain[] = {shell, "-c", text, NULL};
	char *limited[] = {shell, "-c", UNDER_LIMIT, limit, text, NULL};
	char *words[WORDS_MOST + 1], *env[SMALL_ENV + 1], room[SMALL_ENV][256];
	bool direct = cut_words(text, words);
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none, all;
	int rc;

	(void)sigemptyset(&none);
	(void)sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	if (c->input > 0)
		posix_spawn_file_actions_adddup2(&files, c->input, 0);
	else
		posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	if (c->output >= 0)
		posix_spawn_file_actions_adddup2(&files, c->output, 1);
	else
		posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	/* Its messages must not disturb the console's terminal. */
	if (c->keep_errors && c->output >= 0)
		posix_spawn_file_actions_adddup2(&files, 1, 2);
	else
		posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(
		&attr, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &all);
	small_environment(env, room);
	rc = direct ? posix_spawn(pid, words[0], &files, &attr, words, env)
		    : posix_spawn(pid, shell, &files, &attr, limit ? limited : plain, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	free(text);
	free(shell);
	free(limit);
	errno = rc;
	return rc == 0;
}

/* False: the time is over. */
static bool await_readable(int fd, int64_t until_us)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};

	for (;;) {
		int64_t left = until_us - clock_mono(&clock_system);

		if (left <= 0)
			return false;
		if (poll(&p, 1, (int)(left / CLOCK_MSEC) + 1) > 0)
			return true;
	}
}

static enum outside_end wait_child(struct outside_running *r, int *status)
{
	int process = pidfd_open(r->pid, 0);
	bool in_time = process < 0 || await_readable(process, r->until_us);

	if (process >= 0)
		(void)close(process);
	if (!in_time)
		(void)kill(-r->pid, SIGKILL); /* the process group of our own child */
	while (waitpid(r->pid, status, 0) < 0)
		if (errno != EINTR)
			return OUTSIDE_LOST;
	return in_time ? OUTSIDE_ENDED : OUTSIDE_LATE;
}

/* ---- messages ---- */

static bool send_message(
	const struct message *m, const char *text, const char *shell, const int *fds, size_t n)
{
	struct iovec parts[3] = {{(void *)(uintptr_t)m, sizeof(*m)},
		{(void *)(uintptr_t)text, m->text},
		{(void *)(uintptr_t)shell, shell ? strlen(shell) + 1 : 0}};
	union {
		char room[CMSG_SPACE(3 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr h = {.msg_iov = parts, .msg_iovlen = 3};
	ssize_t sent;

	if (n) {
		struct cmsghdr *c;

		h.msg_control = control.room;
		h.msg_controllen = CMSG_SPACE(n * sizeof(int));
		c = CMSG_FIRSTHDR(&h);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(n * sizeof(int));
		memcpy(CMSG_DATA(c), fds, n * sizeof(int));
	}
	do
		sent = sendmsg(to_outside, &h, MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent >= 0;
}

static void tell(enum kind kind, const char *text, unsigned may)
{
	struct message m = {.kind = (uint8_t)kind, .text = (uint32_t)strlen(text) + 1, .may = may};

	if (to_outside >= 0)
		(void)send_message(&m, text, NULL, NULL, 0);
}

void outside_allow(const char *command)
{
	tell(SAY_ALLOW, command, 0);
}

void outside_seal(const struct sandbox_place *places, size_t n)
{
	for (size_t i = 0; i < n; i++)
		tell(SAY_PLACE, places[i].path, places[i].may);
	tell(SAY_SEAL, "", 0);
}

static bool ask_outside(const struct outside_command *c, struct outside_running *r)
{
	struct message m = {.kind = SAY_RUN,
		.has_output = c->output >= 0,
		.has_input = c->input > 0,
		.keep_errors = c->keep_errors,
		.most_us = c->most_us,
		.text = (uint32_t)strlen(c->text) + 1};
	int ends[2], fds[3];
	size_t n = 1;
	bool ok;

	if (sizeof(m) + m.text + strlen(c->shell) + 1 > MESSAGE_MOST) {
		errno = E2BIG;
		return false;
	}
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	fds[0] = ends[1];
	if (m.has_output)
		fds[n++] = c->output;
	if (m.has_input)
		fds[n++] = c->input;
	ok = send_message(&m, c->text, c->shell, fds, n);
	(void)close(ends[1]);
	if (!ok)
		(void)close(ends[0]);
	r->answer = ends[0];
	return ok;
}

bool outside_begin(const struct outside_command *c, struct outside_running *r)
{
	*r = (struct outside_running){
		.answer = -1, .until_us = clock_mono(&clock_system) + c->most_us};
	return to_outside >= 0 ? ask_outside(c, r) : spawn_command(c, &r->pid);
}

enum outside_end outside_wait(struct outside_running *r, int *status)
{
	struct report report = {.end = OUTSIDE_LOST, .error = EPIPE};
	ssize_t n;

	if (r->answer < 0)
		return wait_child(r, status);
	/* That process kills it in time; the second more is for the way. */
	if (!await_readable(r->answer, r->until_us + CLOCK_SEC)) {
		(void)close(r->answer);
		return OUTSIDE_LATE;
	}
	do
		n = read(r->answer, &report, sizeof(report));
	while (n < 0 && errno == EINTR);
	(void)close(r->answer);
	r->answer = -1;
	if (n != (ssize_t)sizeof(report))
		report = (struct report){.end = OUTSIDE_LOST, .error = EPIPE};
	*status = report.status;
	errno = report.error;
	return (enum outside_end)report.end;
}

/* ---- the process outside ---- */

struct outside {
	int from;
	VEC(char *) allowed;
	VEC(struct sandbox_place) places;
	bool sealed;
	char bytes[MESSAGE_MOST + 1];
};

static bool is_allowed(const struct outside *o, const char *text)
{
	for (size_t i = 0; i < o->allowed.n; i++)
		if (str_eq(o->allowed.at[i], text))
			return true;
	return false;
}

/* In a child of its own, so that a command that takes long delays no other. */
static void run_for(
	const struct outside *o, const struct message *m, const char *text, const int *fds)
{
	const char *shell = text + m->text;
	struct outside_command c = {.shell = shell,
		.text = text,
		.output = m->has_output ? fds[1] : -1,
		.input = m->has_input ? fds[1 + m->has_output] : 0,
		.keep_errors = m->keep_errors != 0,
		.most_us = m->most_us};
	struct outside_running r;
	struct report report = {.end = OUTSIDE_LOST};
	bool ok = true;

	(void)signal(SIGCHLD, SIG_DFL);
	if (!is_allowed(o, text)) {
		ok = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
		(void)sandbox_limit_program(o->places.at, o->places.n);
	}
	ok = ok && outside_begin(&c, &r);
	report.error = errno;
	/* Only the command has its output open, so that its reader sees the end. */
	if (m->has_output)
		(void)close(fds[1]);
	if (ok) {
		int status = 0;

		report.end = (int32_t)outside_wait(&r, &status);
		report.status = status;
		report.error = errno;
	}
	(void)!write(fds[0], &report, sizeof(report));
	_exit(0);
}

static void take_message(
	struct outside *o, const char *bytes, size_t n, const int *fds, size_t n_fds)
{
	struct message m;
	const char *text = bytes + sizeof(m);
	struct sandbox_place *place;

	if (n <= sizeof(m))
		return;
	memcpy(&m, bytes, sizeof(m));
	/* The bytes have an end, so a text that ends where it says is within them. */
	if (!m.text || m.text > n - sizeof(m) || text[m.text - 1] != '\0')
		return;
	if (m.kind == SAY_RUN && n_fds == 1u + m.has_output + m.has_input && fork() == 0)
		run_for(o, &m, text, fds);
	if (o->sealed || m.kind == SAY_RUN)
		return;
	if (m.kind == SAY_SEAL) {
		o->sealed = true;
	} else if (m.kind == SAY_ALLOW && !is_allowed(o, text)) {
		vec_push(&o->allowed, mem_strdup(text));
	} else if (m.kind == SAY_PLACE && o->places.n < PLACES_MOST) {
		place = vec_add(&o->places);
		*place = (struct sandbox_place){mem_strdup(text), m.may};
	}
}

/* False: railtop has ended. */
static bool serve_message(struct outside *o)
{
	struct iovec part = {o->bytes, MESSAGE_MOST};
	union {
		char room[CMSG_SPACE(3 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr h = {.msg_iov = &part,
		.msg_iovlen = 1,
		.msg_control = control.room,
		.msg_controllen = sizeof(control.room)};
	int fds[3] = {-1, -1, -1};
	size_t n_fds = 0;
	ssize_t n = recvmsg(o->from, &h, MSG_CMSG_CLOEXEC);

	if (n <= 0)
		return n < 0 && errno == EINTR;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(&h); c; c = CMSG_NXTHDR(&h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS)
			continue;
		n_fds = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(c), (n_fds < 3 ? n_fds : 3) * sizeof(int));
	}
	o->bytes[n] = '\0';
	take_message(o, o->bytes, (size_t)n, fds, n_fds);
	for (size_t i = 0; i < 3; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]);
	return true;
}

static void serve(int from) __attribute__((noreturn));

static void serve(int from)
{
	struct outside *o = mem_calloc(1, sizeof(*o));
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	/* A pipe of railtop's ends with railtop, and the terminal's signals are railtop's. */
	for (int fd = 0; fd < 3; fd++)
		(void)dup2(null, fd);
	o->from = dup2(from, 3);
	(void)fcntl(3, F_SETFD, FD_CLOEXEC);
	(void)syscall(__NR_close_range, 4, ~0u, 0);
	(void)setpgid(0, 0);
	(void)prctl(PR_SET_NAME, "railtop-outside", 0, 0, 0);
	(void)signal(SIGCHLD, SIG_IGN);
	(void)signal(SIGPIPE, SIG_IGN);
	/* The standard streams of every command. */
	*vec_add(&o->places) = (struct sandbox_place){"/dev/null", SANDBOX_WRITE};
	while (serve_message(o))
		;
	_exit(0);
}

bool outside_start(void)
{
	int ends[2];
	pid_t pid;

	if (to_outside >= 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
		return false;
	(void)fflush(NULL);
	pid = fork();
	if (pid == 0)
		serve(ends[1]);
	(void)close(ends[1]);
	if (pid < 0) {
		(void)close(ends[0]);
		return false;
	}
	to_outside = ends[0];
	return true;
}

void outside_stop(void)
{
	if (to_outside >= 0)
		(void)close(to_outside);
	to_outside = -1;
}
