/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `railtop record` that is killed: its file opens, and has all that the process had read but the
 * last interval. Several at once, each in its own file, at random moments of real time. FULL=1: a
 * hundred.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/replay/replay.h"
#include "archive/recording/rts.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"

enum { AT_ONCE = 10, LINE = 160 };
#define TICK_MS 50
/* The time that data may take to the disk beyond the interval: other tests load the machine. */
#define IN_FLIGHT_US (5 * CLOCK_SEC)
#define LIVES_US     (17 * CLOCK_SEC)

struct doomed {
	pid_t pid;
	int in, pipe; /* where lines are written, and the other end of it */
	char path[128];
	bool recording; /* its file was seen, where that is waited for */
	int64_t begun_us, lives_us;
	int64_t *lines; /* the time of each */
	size_t n;
};
struct kills {
	char dir[64];
	uint32_t seed;
	unsigned killed, whole, empty, none;
	int64_t worst_us;
};

static uint32_t random_below(struct kills *k, uint32_t below)
{
	k->seed ^= k->seed << 13;
	k->seed ^= k->seed >> 17;
	k->seed ^= k->seed << 5;
	return k->seed % below;
}

static void start(struct doomed *v, const char *dir, unsigned i)
{
	posix_spawn_file_actions_t files;
	char program[256];
	char *argv[] = {program, "record", "--observations", "-", "-o", v->path, NULL};
	int fd[2];

	(void)built_path("railtop", program, sizeof(program));
	(void)str_printf(v->path, sizeof(v->path), "%s/%u.rts", dir, i);
	assert_int_equal(pipe2(fd, O_CLOEXEC), 0);
	v->pipe = fd[0];
	v->in = fd[1];
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, fd[0], STDIN_FILENO);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	assert_int_equal(posix_spawn(&v->pid, program, &files, NULL, argv, environ), 0);
	posix_spawn_file_actions_destroy(&files);
	v->begun_us = clock_mono(&clock_system);
	v->lines = calloc(LIVES_US / (TICK_MS * 1000) + 100, sizeof(*v->lines));
	v->n = 0;
}

/* All lines have the same length, so the bytes left in the pipe tell how many lines were read. */
static void say(struct doomed *v)
{
	char line[LINE + 1];
	int64_t t = clock_wall(&clock_system);
	size_t n;

	(void)str_printf(line, sizeof(line),
		"{\"t\":%lld.%06lld,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\":"
		"%zu}}",
		(long long)(t / CLOCK_SEC), (long long)(t % CLOCK_SEC), v->n * 1000);
	n = strlen(line);
	memset(line + n, ' ', LINE - n);
	line[LINE - 1] = '\n';
	assert_int_equal(write(v->in, line, LINE), LINE);
	v->lines[v->n++] = t;
}

/* Returns how many lines it had read; the last may not have been applied. */
static size_t end(struct doomed *v)
{
	int left = 0, status;

	assert_int_equal(kill(v->pid, SIGKILL), 0);
	assert_int_equal(waitpid(v->pid, &status, 0), v->pid);
	assert_true(WIFSIGNALED(status));
	v->pid = 0;
	assert_int_equal(ioctl(v->pipe, FIONREAD, &left), 0);
	(void)close(v->in);
	(void)close(v->pipe);
	return v->n - (size_t)left / LINE;
}

/* The entries are the sent ones, in order. Returns their number. */
static size_t count_lines(struct rts *r, const struct doomed *v)
{
	struct rts_cursor *c = rts_cursor_new(r);
	struct err err = {0};
	struct entry e;
	bool gap = false;
	size_t n = 0;

	while (rts_next(c, &e, &gap, &err)) {
		if (e.kind == ENTRY_OBS) {
			assert_true(n < v->n);
			assert_true(llabs(e.t_us - v->lines[n]) <= 1);
			n++;
		}
		entry_free(&e);
	}
	if (err.text[0])
		fail_msg("%s: %s", v->path, err.text);
	assert_false(gap);
	rts_cursor_free(c);
	return n;
}

/* It can be shown at its end, and be continued. */
static void expect_shown(struct rts *r, const char *path)
{
	struct err err = {0};
	struct replay *p = replay_new(r, &err);

	if (!p)
		fail_msg("%s: %s", path, err.text);
	replay_seek(p, INT64_MAX);
	while (!replay_work(p, CLOCK_SEC))
		;
	if (replay_error(p, &err))
		fail_msg("%s: %s", path, err.text);
	assert_non_null(model_device(replay_model(p), "leaf"));
	replay_free(p);
}

static void check(struct kills *k, const struct doomed *v, size_t read)
{
	struct err err = {0};
	struct rts *r;
	size_t kept;
	int64_t lost;

	k->killed++;
	if (access(v->path, F_OK) != 0) {
		/* Killed before there was a file: nothing older than an interval may be missing. */
		k->none++;
		assert_true(read == 0 ||
			    v->lines[read - 1] - v->lines[0] <= RTS_CHUNK_US + IN_FLIGHT_US);
		return;
	}
	r = rts_open(v->path, &err);
	if (!r)
		fail_msg("%s: %s", v->path, err.text);
	kept = count_lines(r, v);
	assert_true(kept <= read);
	lost = kept < read ? v->lines[read - 1] - v->lines[kept] : 0;
	if (lost > k->worst_us)
		k->worst_us = lost;
	if (lost > RTS_CHUNK_US + IN_FLIGHT_US)
		fail_msg("%s: of %zu lines %zu were kept, %lld ms are lost", v->path, read, kept,
			(long long)lost / 1000);
	k->whole += kept == read;
	if (kept) {
		expect_shown(r, v->path);
	} else {
		k->empty++;
		rts_close(r);
	}
}

static void remove_file(const char *path)
{
	static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
	char name[160];

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		(void)str_printf(name, sizeof(name), "%s%s", path, tails[i]);
		(void)unlink(name);
	}
}

/*
 * A busy machine may start a program for longer than it is to live, and then it is killed over a
 * backlog that no recording could have kept: its time begins with its file.
 */
static bool begun(struct doomed *v)
{
	if (!v->recording && access(v->path, F_OK) == 0) {
		v->recording = true;
		v->begun_us = clock_mono(&clock_system);
	}
	return v->recording;
}

/* A group of them, each until its own random moment: of its file's life, or from its start. */
static void kill_some(struct kills *k, int64_t at_most_us, bool from_file)
{
	struct doomed v[AT_ONCE] = {0};
	size_t left = AT_ONCE, read[AT_ONCE];

	for (unsigned i = 0; i < AT_ONCE; i++) {
		start(&v[i], k->dir, i);
		v[i].lives_us = random_below(k, (uint32_t)(at_most_us / 1000)) * INT64_C(1000);
	}
	while (left) {
		for (unsigned i = 0; i < AT_ONCE; i++) {
			if (!v[i].pid || (from_file && !begun(&v[i])))
				continue;
			if (clock_mono(&clock_system) >= v[i].begun_us + v[i].lives_us) {
				read[i] = end(&v[i]);
				left--;
			} else {
				say(&v[i]);
			}
		}
		(void)poll(NULL, 0, TICK_MS);
	}
	for (unsigned i = 0; i < AT_ONCE; i++) {
		check(k, &v[i], read[i]);
		remove_file(v[i].path);
		free(v[i].lines);
	}
}

static int open_kills(void **state)
{
	struct kills *k = calloc(1, sizeof(*k));

	(void)signal(SIGPIPE, SIG_IGN);
	k->seed = (uint32_t)clock_wall(&clock_system) | 1;
	(void)str_copy(k->dir, sizeof(k->dir), "/tmp/railtop-kill-XXXXXX");
	*state = k;
	print_message("# seed %u\n", k->seed);
	return mkdtemp(k->dir) ? 0 : -1;
}

static int close_kills(void **state)
{
	struct kills *k = *state;

	print_message("# figure killed %u times: %u without a file yet, %u before the first "
		      "interval was over, at most %lld ms lost\n",
		k->killed, k->none, k->empty, (long long)(k->worst_us / 1000));
	(void)rmdir(k->dir);
	free(k);
	return 0;
}

CASE_WITH(killed_while_it_records, open_kills, close_kills)
{
	unsigned groups = getenv("FULL") ? 10 : 1;

	while (groups--)
		kill_some(*state, LIVES_US - 2 * CLOCK_SEC, true);
}

/* Where the file is made. */
CASE_WITH(killed_as_it_begins, open_kills, close_kills)
{
	unsigned groups = getenv("FULL") ? 10 : 2;

	while (groups--)
		kill_some(*state, 400000, false);
}

CASES_MAIN(NULL, NULL)
