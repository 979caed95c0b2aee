/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/terminal/vt_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define OUTPUT_MAX ((size_t)16 << 20)
#define ARGS_MAX   64
#define READS_MAX  64 /* a program that floods must not keep us from the deadline */

int64_t vt_now_ms(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w > 0) {
			p += w;
			n -= (size_t)w;
		} else if (errno == EAGAIN) {
			struct pollfd wait = {.fd = fd, .events = POLLOUT};

			(void)poll(&wait, 1, 1000);
		} else if (errno != EINTR) {
			return; /* the program has left */
		}
	}
}

void vt_write(struct vt *vt, const char *p, size_t n)
{
	write_all(vt->master, p, n);
}

/* ---- libvterm's side ---- */

static void answer(const char *s, size_t n, void *user)
{
	struct vt *vt = user;
	bool gate = n == 4 && memcmp(s, "\033[0n", 4) == 0;

	if (gate && vt->mute)
		return;
	if (!gate || (!vt->hold && !vt->slow_ms)) {
		write_all(vt->master, s, n);
		return;
	}
	if (!vt->held.len)
		vt->held_ms = vt_now_ms();
	(void)buf_add(&vt->held, s, n);
}

static int set_property(VTermProp prop, VTermValue *value, void *user)
{
	struct vt *vt = user;

	if (prop == VTERM_PROP_CURSORVISIBLE)
		vt->cursor_visible = value->boolean;
	else if (prop == VTERM_PROP_ALTSCREEN)
		vt->altscreen = value->boolean;
	return 1;
}

static const VTermScreenCallbacks screen_callbacks = {.settermprop = set_property};

static struct vt *vt_new(const struct vt_opts *opts, int rows, int cols)
{
	struct vt *vt = mem_calloc(1, sizeof(*vt));

	vt->vterm = vterm_new(rows, cols);
	vterm_set_utf8(vt->vterm, 1);
	vterm_output_set_callback(vt->vterm, answer, vt);
	vt->screen = vterm_obtain_screen(vt->vterm);
	vterm_screen_set_callbacks(vt->screen, &screen_callbacks, vt);
	vterm_screen_enable_altscreen(vt->screen, 1);
	vterm_screen_reset(vt->screen, 1);
	vt->cursor_visible = true;
	vt->mute = opts->mute;
	vt->slow_ms = opts->slow_ms;
	vt->idle_fd = vt->master = -1;
	buf_init(&vt->held, 4096);
	buf_init(&vt->output, OUTPUT_MAX);
	buf_init(&vt->line, 65536);
	buf_init(&vt->spelled, OUTPUT_MAX);
	return vt;
}

static void release(struct vt *vt)
{
	vterm_free(vt->vterm);
	buf_free(&vt->held);
	buf_free(&vt->output);
	buf_free(&vt->line);
	buf_free(&vt->spelled);
	free(vt);
}

/* ---- the program's side ---- */

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	(void)remove(path);
	return 0;
}

static void child_environment(const struct vt *vt, const struct vt_opts *opts)
{
	(void)setenv("XDG_STATE_HOME", vt->home, 1);
	(void)setenv("XDG_CONFIG_HOME", vt->home, 1);
	(void)setenv("TERM", opts->term ? opts->term : "xterm-256color", 1);
	(void)setenv("LC_ALL", opts->locale ? opts->locale : "C.UTF-8", 1);
	(void)unsetenv("NO_COLOR");
	(void)unsetenv("TMUX");
	(void)unsetenv("LINES");
	(void)unsetenv("COLUMNS");
	(void)unsetenv("COLORTERM");
	for (const char *const *e = opts->env; e && *e; e++) {
		char name[128];
		const char *value = strchr(*e, '=');

		if (!value) {
			(void)unsetenv(*e);
			continue;
		}
		(void)str_copyn(name, sizeof(name), *e, (size_t)(value - *e));
		(void)setenv(name, value + 1, 1);
	}
}

static struct vt *start(const struct vt_opts *opts, int *child_idle)
{
	int rows = opts->rows ? opts->rows : 24, cols = opts->cols ? opts->cols : 80;
	struct winsize size = {.ws_row = (unsigned short)rows, .ws_col = (unsigned short)cols};
	struct vt *vt = vt_new(opts, rows, cols);
	int idle[2] = {-1, -1}, err = -1;

	(void)str_copy(vt->home, sizeof(vt->home), "/tmp/railtop-vt-XXXXXX");
	if (!mkdtemp(vt->home))
		abort();
	if (opts->idle && pipe2(idle, O_NONBLOCK) != 0)
		abort();
	if (opts->own_stderr)
		err = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	(void)fflush(NULL);
	vt->pid = forkpty(&vt->master, NULL, NULL, &size);
	if (vt->pid < 0) {
		perror("forkpty");
		abort();
	}
	if (vt->pid == 0) {
		if (err >= 0)
			(void)dup2(err, STDERR_FILENO);
		if (idle[0] >= 0)
			(void)close(idle[0]);
		*child_idle = idle[1];
		child_environment(vt, opts);
		release(vt); /* the parent's: a child that looks for leaks would find it */
		return NULL;
	}
	if (err >= 0)
		(void)close(err);
	if (idle[1] >= 0)
		(void)close(idle[1]);
	vt->idle_fd = idle[0];
	(void)fcntl(vt->master, F_SETFL, O_NONBLOCK);
	(void)fcntl(vt->master, F_SETFD, FD_CLOEXEC);
	return vt;
}

struct vt *vt_spawn(const struct vt_opts *opts, const char *const *argv)
{
	static const struct vt_opts defaults;
	const char *args[ARGS_MAX + 3];
	char number[16];
	int idle = -1;
	size_t n = 0;
	struct vt *vt = start(opts ? opts : &defaults, &idle);

	if (vt)
		return vt;
	while (argv[n] && n < ARGS_MAX) {
		args[n] = argv[n];
		n++;
	}
	if (idle >= 0) {
		(void)str_printf(number, sizeof(number), "%d", idle);
		args[n++] = "--idle-fd";
		args[n++] = number;
	}
	args[n] = NULL;
	(void)execvp(args[0], (char *const *)(uintptr_t)args);
	perror(args[0]);
	_exit(127);
}

/* cmocka catches crashes and goes on with the next test, which is the parent's business. */
static void let_crashes_be(void)
{
	static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGSYS};

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		(void)signal(signals[i], SIG_DFL);
}

struct vt *vt_spawn_fn(const struct vt_opts *opts, int (*fn)(void *ctx, int idle_fd), void *ctx)
{
	static const struct vt_opts defaults;
	int idle = -1;
	struct vt *vt = start(opts ? opts : &defaults, &idle);
	int status;

	if (vt)
		return vt;
	let_crashes_be();
	status = fn(ctx, idle);
	(void)fflush(NULL);
	/* The child shares the test program's exit handlers, which are not its business. */
	_exit(status);
}

void vt_free(struct vt *vt)
{
	if (!vt)
		return;
	if (vt->master >= 0)
		(void)close(vt->master);
	if (!vt->exited) {
		/* The hang-up has told it to leave; a program still there is a failed test's
		 * rest. */
		(void)kill(vt->pid, SIGKILL);
		(void)waitpid(vt->pid, &vt->status, 0);
	}
	if (vt->idle_fd >= 0)
		(void)close(vt->idle_fd);
	(void)nftw(vt->home, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	release(vt);
}

/* ---- reading ---- */

static void count_questions(struct vt *vt, const char *p, size_t n)
{
	static const char question[] = "\033[5n";

	for (size_t i = 0; i < n; i++) {
		if (p[i] != question[vt->match])
			vt->match = p[i] == question[0];
		else if (++vt->match == sizeof(question) - 1) {
			vt->questions++;
			vt->match = 0;
		}
	}
}

static bool read_screen(struct vt *vt)
{
	char bytes[65536];
	ssize_t n = read(vt->master, bytes, sizeof(bytes));

	if (n > 0) {
		vt->bytes += (uint64_t)n;
		(void)buf_add(&vt->output, bytes, (size_t)n);
		count_questions(vt, bytes, (size_t)n);
		buf_reset(&vt->spelled);
		vt_repeat_feed(&vt->repeat, bytes, (size_t)n, &vt->spelled);
		(void)vterm_input_write(vt->vterm, vt->spelled.data, vt->spelled.len);
		return true;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		vt->eof = true;
	return false;
}

static void idle_byte(struct vt *vt, char c)
{
	uint64_t keys;

	if (c != '\n') {
		if (vt->idle_len + 1 < sizeof(vt->idle_text))
			vt->idle_text[vt->idle_len++] = c;
		return;
	}
	vt->idle_text[vt->idle_len] = '\0';
	vt->idle_len = 0;
	if (str_starts(vt->idle_text, "drawn "))
		vt->drawn_lines++;
	if (!str_starts(vt->idle_text, "idle ") || !str_to_u64(vt->idle_text + 5, &keys))
		return;
	vt->idle_keys = (unsigned long)keys;
	vt->idle_lines++;
}

static bool read_idle(struct vt *vt)
{
	char bytes[4096];
	ssize_t n = read(vt->idle_fd, bytes, sizeof(bytes));

	for (ssize_t i = 0; i < n; i++)
		idle_byte(vt, bytes[i]);
	if (n == 0) {
		(void)close(vt->idle_fd);
		vt->idle_fd = -1;
	}
	return n > 0;
}

/* Over a slow line. */
static void answer_late(struct vt *vt)
{
	if (vt->hold || !vt->held.len || vt_now_ms() < vt->held_ms + vt->slow_ms)
		return;
	vt_write(vt, vt->held.data, vt->held.len);
	buf_reset(&vt->held);
}

bool vt_pump(struct vt *vt, int ms)
{
	struct pollfd p[2] = {{.fd = vt->eof ? -1 : vt->master, .events = POLLIN},
		{.fd = vt->idle_fd, .events = POLLIN}};
	bool any = false;

	answer_late(vt);
	if (vt->slow_ms && ms > vt->slow_ms)
		ms = vt->slow_ms;
	if (poll(p, 2, ms) <= 0)
		return false;
	if (p[1].revents)
		any = read_idle(vt);
	/* After the idle line, so that earlier output is on the screen when it counts. */
	for (int i = 0; i < READS_MAX && !vt->eof && (p[0].revents || any); i++) {
		if (!read_screen(vt))
			break;
		any = true;
	}
	return any || p[0].revents || p[1].revents;
}
