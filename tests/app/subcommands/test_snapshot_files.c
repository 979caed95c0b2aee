/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contents of a snapshot and how its files come to be. Covers the last collected data, the
 * ledger's lines of its time, and pages that replace others as a whole.
 */
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "actions/ledger/ledger.h"
#include "app/output/output.h"
#include "app/session/ledger_file.h"
#include "app/session/snapshot_job.h"
#include "archive/recording/rts.h"
#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"

enum { LINES = 50, DEADLINE_S = 60 };

struct stage {
	char dir[64], in[96], out[96];
};

static int setup(void **state)
{
	struct stage *s = calloc(1, sizeof(*s));

	(void)str_copy(s->dir, sizeof(s->dir), "/tmp/railtop-snapshot-XXXXXX");
	if (!mkdtemp(s->dir))
		return -1;
	(void)str_printf(s->in, sizeof(s->in), "%s/in", s->dir);
	(void)str_printf(s->out, sizeof(s->out), "%s/out", s->dir);
	*state = s;
	return 0;
}

static int teardown(void **state)
{
	static const char *const tails[] = {"in", "in.head", "out", "out.new"};
	struct stage *s = *state;
	char path[128];

	for (size_t i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", s->dir, tails[i]);
		(void)unlink(path);
	}
	assert_int_equal(rmdir(s->dir), 0);
	free(s);
	return 0;
}

/* ---- a signal while it collects ---- */

static pid_t collect(struct stage *s)
{
	char *argv[] = {(char *)(uintptr_t) "railtop", (char *)(uintptr_t) "snapshot",
		(char *)(uintptr_t) "--observations", s->in, (char *)(uintptr_t) "--for",
		(char *)(uintptr_t) "1h", (char *)(uintptr_t) "-o", s->out};
	pid_t pid;

	(void)fflush(NULL);
	pid = fork();
	if (pid == 0) {
		const struct subcommand *sub = NULL;
		struct options o;
		struct err err = {0};

		_exit(options_read(8, argv, &o, &sub, &err) ? sub->run(&o) : 99);
	}
	return pid;
}

/* Data that has left the pipe was applied before the loop handles signals. */
static bool wait_read(int fd)
{
	int64_t end = clock_mono(&clock_system) + DEADLINE_S * CLOCK_SEC;
	int left = 1;

	while (ioctl(fd, FIONREAD, &left) == 0 && left && clock_mono(&clock_system) < end)
		(void)poll(NULL, 0, 5);
	return !left;
}

CASE_WITH(what_came_last_is_in_it, setup, teardown)
{
	struct stage *s = *state;
	struct err err = {0};
	struct entry e;
	struct rts_cursor *c;
	struct rts *r;
	char line[200];
	unsigned batches = 0;
	bool gap, was_read;
	int fd, status;
	pid_t pid;

	assert_int_equal(mkfifo(s->in, 0600), 0);
	fd = open(s->in, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	pid = collect(s);
	assert_true(pid > 0);
	for (unsigned i = 0; i < LINES; i++) {
		int64_t t = clock_wall(&clock_system) / CLOCK_SEC;

		(void)str_printf(line, sizeof(line),
			"{\"t\":%lld,\"device\":\"leaf\",\"port\":\"e0\",\"counters\":{\"rx_bytes\""
			":%u}}\n",
			(long long)t, i);
		assert_int_equal(write(fd, line, strlen(line)), (ssize_t)strlen(line));
	}
	was_read = wait_read(fd);
	assert_int_equal(kill(pid, was_read ? SIGINT : SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	(void)close(fd);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), EXIT_FINE);
	r = rts_open(s->out, &err);
	if (!r)
		fail_msg("%s", err.text);
	c = rts_cursor_new(r);
	for (; rts_next(c, &e, &gap, &err); entry_free(&e))
		batches += e.kind == ENTRY_OBS;
	assert_int_equal(batches, LINES);
	rts_cursor_free(c);
	rts_close(r);
}

/* ---- the ledger's lines ---- */

static void no_copy(void *ctx, const char *line)
{
	(void)ctx, (void)line;
}

/* Lines at T0, T0 + 1 min and so on. */
#define T0     (INT64_C(1795309323) * CLOCK_SEC)
#define MINUTE (60 * CLOCK_SEC)
static void fill(const char *path, unsigned n)
{
	struct clock_fake clock;
	const struct who who = {.user = "ann", .uid = 1001, .host = "bastion"};
	const struct ledger_opts o = {.path = path, .clock = &clock.clock, .copy = no_copy};
	struct err err = {0};
	struct ledger *l;

	clock_fake_init(&clock, T0);
	l = ledger_open(&o, &who, &err);
	if (!l)
		fail_msg("%s", err.text);
	for (unsigned i = 0; i < n; i++) {
		char act[16];

		(void)str_printf(act, sizeof(act), "act-%u", i);
		clock.now = T0 + i * MINUTE;
		assert_true(ledger_append(l, LEDGER_SENDING, act, NULL, &err));
	}
	ledger_close(l);
}

CASE_WITH(only_lines_of_its_time, setup, teardown)
{
	static const struct {
		int64_t since, until;
		unsigned first, n;
	} windows[] = {{T0 - MINUTE, T0 + 10 * MINUTE, 0, 6}, {T0 + MINUTE, T0 + 3 * MINUTE, 1, 3},
		{T0 + 2 * MINUTE, T0 + 2 * MINUTE, 2, 1}, {T0 - 9 * MINUTE, T0, 0, 1},
		{T0 - 9 * MINUTE, T0 - MINUTE, 0, 0}, {T0 + 9 * MINUTE, T0 + 10 * MINUTE, 0, 0},
		{T0 + MINUTE + 1, T0 + 2 * MINUTE - 1, 0, 0}};
	const struct stage *s = *state;

	fill(s->in, 6);
	for (size_t i = 0; i < sizeof(windows) / sizeof(windows[0]); i++) {
		size_t n = 99, found = 0;
		char *text = ledger_window(s->in, windows[i].since, windows[i].until, &n);

		assert_int_equal(n, windows[i].n);
		for (unsigned act = 0; act < 6; act++) {
			char word[16];
			bool in = act >= windows[i].first && act < windows[i].first + windows[i].n;

			(void)str_printf(word, sizeof(word), "\"act-%u\"", act);
			assert_int_equal(strstr(text, word) != NULL, in);
		}
		for (const char *p = text; *p; p++)
			found += *p == '\n';
		assert_int_equal(found, n);
		free(text);
	}
}

/* ---- its files ---- */

CASE_WITH(no_directory_is_an_error, setup, teardown)
{
	const struct snapshot_job_opts o = {.from = "x", .dir = "", .at_us = T0};
	struct err err = {0};

	assert_null(snapshot_job_start(&o, &err));
	assert_int_equal(err.code, ERR_CONFIG);
	assert_string_equal(err.origin, "snapshots");
}

static void note_end(void *ctx, const char *path, const struct err *err)
{
	unsigned *failed = ctx;

	(void)err;
	*failed += path == NULL;
}

/* Before the first one is written a second begins: each has a name of its own, and gives it back.
 */
CASE_WITH(snapshots_of_one_second_have_two_names, setup, teardown)
{
	const struct stage *s = *state;
	struct err err = {0};
	unsigned failed = 0, pages = 0;
	char dir[160];
	struct dirent *e;
	uv_loop_t loop;
	DIR *d;

	assert_int_equal(uv_loop_init(&loop), 0);
	(void)str_printf(dir, sizeof(dir), "%s.d", s->in);
	for (int i = 0; i < 3; i++)
		assert_non_null(snapshot_job_start(&(struct snapshot_job_opts){.loop = &loop,
							   .from = "/nowhere.rts",
							   .dir = dir,
							   .at_us = T0,
							   .done = note_end,
							   .ctx = &failed},
			&err));
	d = opendir(dir);
	assert_non_null(d);
	while ((e = readdir(d)))
		pages += strstr(e->d_name, ".txt") != NULL;
	(void)closedir(d);
	assert_int_equal(pages, 3);
	assert_int_equal(uv_run(&loop, UV_RUN_DEFAULT), 0);
	assert_int_equal(failed, 3); /* there is nothing to make one of */
	assert_int_equal(uv_loop_close(&loop), 0);
	assert_int_equal(rmdir(dir), 0);
}

static bool put(const char *path, const char *text)
{
	struct buf b;
	struct err err = {0};
	bool ok;

	buf_init(&b, 4096);
	(void)buf_adds(&b, text);
	ok = output_write(&(struct output){path, &b, false}, 1, &err);
	assert_true(ok || err.code != ERR_NONE);
	buf_free(&b);
	return ok;
}

static void expect_text(const char *path, const char *text)
{
	char found[64] = "";
	FILE *f = fopen(path, "re");

	assert_non_null(f);
	found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
	(void)fclose(f);
	assert_string_equal(found, text);
}

/* A reader of the old page goes on reading it; the new page takes the name when it is complete. */
CASE_WITH(a_page_is_replaced_whole, setup, teardown)
{
	const struct stage *s = *state;
	char fresh[128], old[8] = "";
	struct stat st;
	int fd;

	(void)str_printf(fresh, sizeof(fresh), "%s.new", s->out);
	assert_true(put(s->out, "one\n"));
	assert_int_equal(chmod(s->out, 0600), 0);
	fd = open(s->out, O_RDONLY | O_CLOEXEC);
	/* A leftover of a killed writer. */
	assert_int_equal(symlink(s->in, fresh), 0);
	assert_true(put(s->out, "two\n"));
	expect_text(s->out, "two\n");
	assert_int_equal(read(fd, old, sizeof(old) - 1), 4);
	assert_string_equal(old, "one\n");
	(void)close(fd);
	assert_int_equal(stat(s->out, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_not_equal(access(fresh, F_OK), 0);
	assert_int_not_equal(access(s->in, F_OK), 0);
}

CASE_WITH(what_is_no_file_is_written_to, setup, teardown)
{
	const struct stage *s = *state;
	struct stat st;

	/* A link, as /dev/stdout is one, is followed. */
	assert_true(put(s->in, "old\n"));
	assert_int_equal(symlink(s->in, s->out), 0);
	assert_true(put(s->out, "new\n"));
	assert_int_equal(lstat(s->out, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect_text(s->in, "new\n");
	assert_true(put("/dev/null", "x"));
	assert_false(put("/dev/full", "x"));
	assert_int_equal(stat("/dev/full", &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	assert_false(put("/nonexistent/x", "x"));
}

CASES_MAIN(NULL, NULL)
