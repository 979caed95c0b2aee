/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/console/console_app.h"
#include "app/sandbox/confine.h"
#include "app/session/machine_load.h"
#include "base/clock.h"
#include "base/process/program_path.h"
#include "base/str.h"
#include "tui/term.h"

#define START_DEADLINE_US (60 * CLOCK_SEC)
#define STOP_DEADLINE_US  (5 * CLOCK_SEC)

/* The emulator as a child. It ends when its standard input closes, also after a crash of
 * railtop. */
struct child {
	pid_t pid;
	int in, out;
	char dir[256];
	bool own_dir; /* created here, so also removed here */
	char program[512];
};

/* The emulator is in the directory of this program. */
static bool find_emulator(struct child *c, struct err *err)
{
	char *slash;

	if (!program_path(c->program, sizeof(c->program) - 16))
		return err_system(err, ERR_IO, "/proc/self/exe", "", errno);
	slash = strrchr(c->program, '/');
	(void)str_copy(slash + 1, sizeof(c->program) - (size_t)(slash + 1 - c->program),
		"railtop-emulator");
	if (access(c->program, X_OK) != 0) {
		err_system(err, ERR_CONFIG, c->program, "", errno);
		return err_cure(err, "build it with: make");
	}
	return true;
}

/*
 * The shortest interval at which two cores poll a fabric of that size and run its emulator. On a
 * busy machine a longer one, so that the two leave each other time.
 */
static const char *interval_of(const char *preset, bool busy)
{
	if (str_eq(preset, "ref256"))
		return busy ? "3s" : "1s";
	if (str_eq(preset, "4k"))
		return busy ? "15s" : "5s";
	return busy ? "60s" : "30s";
}

static void fill_arguments(const struct options *o, const struct child *c, const char **argv,
	size_t max, char *seed, size_t seed_size)
{
	char load[160];
	bool busy = machine_busy(load, sizeof(load));
	size_t n = 0;

	if (busy)
		(void)fprintf(
			stderr, "railtop demo: %s for late answers; polling less often\n", load);
	(void)str_printf(seed, seed_size, "%llu", (unsigned long long)o->seed);
	argv[n++] = c->program;
	argv[n++] = "--preset";
	argv[n++] = o->preset ? o->preset : "ref256";
	argv[n++] = "--interval";
	argv[n++] = interval_of(o->preset ? o->preset : "ref256", busy);
	argv[n++] = "--dir";
	argv[n++] = c->dir;
	argv[n++] = "--seed";
	argv[n++] = seed;
	argv[n++] = "--stdin-watch";
	argv[n++] = "--actions";
	if (o->scenario) {
		argv[n++] = "--scenario";
		argv[n++] = o->scenario;
	}
	for (size_t i = 0; i < o->faults.n && n + 3 < max; i++) {
		argv[n++] = "--fault";
		argv[n++] = o->faults.at[i];
	}
	argv[n] = NULL;
}

static bool choose_dir(const struct options *o, struct child *c, struct err *err)
{
	if (o->dir)
		return str_copy(c->dir, sizeof(c->dir), o->dir) ||
		       err_set(err, ERR_USAGE, "--dir", "the path is too long");
	(void)str_copy(c->dir, sizeof(c->dir), "/tmp/railtop-demo-XXXXXX");
	c->own_dir = mkdtemp(c->dir) != NULL;
	return c->own_dir || err_system(err, ERR_IO, "/tmp", "no directory for the demo", errno);
}

static bool start_emulator(const struct options *o, struct child *c, struct err *err)
{
	enum { ARGS = 256 };
	const char *argv[ARGS];
	char seed[24];
	int in[2], out[2], code;
	posix_spawn_file_actions_t files;

	if (!choose_dir(o, c, err))
		return false;
	if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
		return err_system(err, ERR_IO, "demo", "pipe", errno);
	fill_arguments(o, c, argv, ARGS, seed, sizeof(seed));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in[0], STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&files, out[1], STDOUT_FILENO);
	code = posix_spawn(&c->pid, c->program, &files, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	(void)close(in[0]);
	(void)close(out[1]);
	c->in = in[1];
	c->out = out[0];
	if (code != 0) {
		c->pid = 0;
		return err_system(err, ERR_IO, c->program, "", code);
	}
	return true;
}

/* Ctrl-C during the emulator's start ends the wait; stop_emulator() cleans up. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
	(void)number;
	interrupted = 1;
}

static void catch_interrupt(void (*handler)(int))
{
	struct sigaction action = {.sa_handler = handler};

	(void)sigaction(SIGINT, &action, NULL);
	(void)sigaction(SIGTERM, &action, NULL);
	(void)sigaction(SIGHUP, &action, NULL);
}

/* The emulator has ended by itself. It has printed its own error; ERR_USAGE without a text: the
 * user made a mistake, and nothing is to be added. */
static bool explain_end(struct child *c, struct err *err)
{
	int status = 0;

	(void)waitpid(c->pid, &status, 0);
	c->pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_USAGE) {
		err->code = ERR_USAGE;
		return false;
	}
	if (WIFSIGNALED(status))
		err_set(err, ERR_INTERNAL, "emulator", "signal %d ended it before it was ready",
			WTERMSIG(status));
	else
		err_set(err, ERR_INTERNAL, "emulator",
			"it ended with status %d before it was ready", WEXITSTATUS(status));
	return err_cure(err, "its messages are above; railtop-emulator --help shows its options");
}

/* Waits for "ready DIR/fabric.yaml". False: timeout, or the emulator ended, which prints its own
 * error. */
static bool wait_ready(struct child *c, char *inventory, size_t size, struct err *err)
{
	int64_t deadline = clock_mono(&clock_system) + START_DEADLINE_US;
	char line[512];
	size_t n = 0;

	for (;;) {
		struct pollfd p = {.fd = c->out, .events = POLLIN};
		int64_t left = deadline - clock_mono(&clock_system);
		ssize_t got;

		if (left <= 0)
			return err_set(err, ERR_TIMEOUT, "emulator",
				"the emulator is not ready after a minute");
		if (interrupted)
			return err_set(err, ERR_IO, "demo", "interrupted");
		if (poll(&p, 1, (int)(left / 1000) + 1) <= 0)
			continue;
		got = read(c->out, line + n, sizeof(line) - 1 - n);
		if (got <= 0)
			return explain_end(c, err);
		n += (size_t)got;
		line[n] = '\0';
		if (strchr(line, '\n') || n + 1 == sizeof(line))
			break;
	}
	line[strcspn(line, "\n")] = '\0';
	if (!str_starts(line, "ready ") || !str_copy(inventory, size, line + 6))
		return err_set(err, ERR_INTERNAL, "emulator",
			"the emulator wrote \"%s\" instead of ready", line);
	return true;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)at;
	(void)(kind == FTW_DP ? rmdir(path) : unlink(path));
	return 0;
}

static void remove_dir(const char *dir)
{
	if (str_starts(dir, "/tmp/railtop-demo-"))
		(void)nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Ends the child with SIGTERM; after a timeout with SIGKILL. */
static void end_child(pid_t pid)
{
	int64_t deadline = clock_mono(&clock_system) + STOP_DEADLINE_US;

	(void)kill(pid, SIGTERM);
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		if (clock_mono(&clock_system) > deadline) {
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, NULL, 0);
			return;
		}
		(void)poll(NULL, 0, 10);
	}
}

static void stop_emulator(struct child *c)
{
	if (c->in > 0)
		(void)close(c->in);
	if (c->out > 0)
		(void)close(c->out);
	if (c->pid > 0)
		end_child(c->pid);
	if (c->own_dir)
		remove_dir(c->dir);
}

/* Runs the emulator and the console on it. Returns the exit code; EXIT_INTERNAL with err. */
static int run_demo(const struct options *o, struct child *c, struct err *err)
{
	struct console_app_opts opts = {.options = o, .mode = "DEMO"};
	char inventory[512], notice[400];

	(void)fprintf(stderr, "starting the emulated fabric...\n");
	if (!start_emulator(o, c, err) || !wait_ready(c, inventory, sizeof(inventory), err) ||
		!confine_begin(o, c->dir, err))
		return EXIT_INTERNAL;
	opts.inventory = inventory;
	opts.notice = notice;
	(void)str_printf(notice, sizeof(notice),
		"inject faults from another terminal: railtop-emulator ctl %s", c->dir);
	return console_app_run(&opts);
}

int sub_demo(const struct options *o)
{
	struct child c = {0};
	struct err err = {0};
	char text[900];
	int code;

	/* Said before half a minute of starting a fabric. */
	if (!term_check(&(struct term_opts){.theme = o->theme}, &err)) {
		err_print(&err);
		return EXIT_USAGE;
	}
	catch_interrupt(on_interrupt);
	code = find_emulator(&c, &err) ? run_demo(o, &c, &err) : EXIT_INTERNAL;
	catch_interrupt(on_interrupt); /* the event loop restored the default handlers */
	stop_emulator(&c);
	if (err.code == ERR_USAGE || err.code == ERR_CONFIG)
		code = EXIT_USAGE;
	if (err.text[0])
		(void)fprintf(stderr, "railtop demo: %s\n", err_format(&err, text, sizeof(text)));
	return code;
}
