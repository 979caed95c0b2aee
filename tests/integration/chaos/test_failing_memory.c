/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torture: each allocation of recording, of reading and of the ledger fails once. Where railtop's
 * own memory ends, it says so and ends (base/mem.h); what a library cannot have is an error with
 * words. No recording and no ledger is left that is not valid.
 *
 * FULL=1: more of them. SEED=7 repeats a run, TORTURE_SAYS=1 prints what each led to.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/chaos/torture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

enum { OBJECTS = 7, FULL_SAMPLES = 120, RUN_S = 60, MOST = 400000 };

static struct torture bench;
static char library[512], note[128], said[128];

/* The objects that allocate, by a part of their path; "": railtop itself. */
static const char *const objects[OBJECTS] = {
	"", "libsqlite3", "libjansson", "libyaml", "libzstd", "libuv", "libgnutls"};

static bool has_failed(void)
{
	return access(note, F_OK) == 0;
}

/* Its exit status, 128 + signal, -1: it hangs. Its words are in `said`. */
static int run(const struct torture_work *w, const char *object, unsigned n)
{
	posix_spawn_file_actions_t files;
	char number[16];
	int status = 0;
	pid_t pid;

	(void)unlink(note);
	(void)str_printf(number, sizeof(number), "%u", n);
	(void)setenv("FAIL_ALLOC", number, 1);
	(void)setenv("FAIL_ALLOC_OF", object, 1);
	(void)setenv("FAIL_ALLOC_NOTE", note, 1);
	(void)setenv("LD_PRELOAD", library, 1);
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_addopen(&files, 2, said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	if (posix_spawn(&pid, w->argv[0], &files, NULL, (char *const *)(uintptr_t)w->argv,
		    environ) != 0)
		fail_msg("%s cannot be run", w->argv[0]);
	posix_spawn_file_actions_destroy(&files);
	(void)unsetenv("LD_PRELOAD");
	for (int i = 0; waitpid(pid, &status, WNOHANG) == 0; i++) {
		if (i > RUN_S * 200) {
			(void)kill(pid, SIGKILL);
			(void)waitpid(pid, &status, 0);
			return -1;
		}
		(void)poll(NULL, 0, 5);
	}
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void read_words(char *dst, size_t size)
{
	FILE *f = fopen(said, "re");
	size_t n = f ? fread(dst, 1, size - 1, f) : 0;

	dst[n] = '\0';
	if (f)
		(void)fclose(f);
}

static const char *judged(const struct torture_work *w, const char *object, int code,
	const char *words, char *why, size_t size)
{
	const char *line = strstr(words, "railtop: ");

	if (code < 0 || code > 5)
		return "that is no end";
	if (torture_reported(&bench, words))
		return "a sanitizer reports";
	if (code > 1 && !line)
		return "there are no words";
	if (!*object && !(code == 5 && strstr(words, "railtop: out of memory")))
		return "it does not say that memory is out";
	return w->valid(&bench, code <= 1, why, size) ? NULL : why;
}

static bool one(const struct torture_work *w, const char *object, unsigned n)
{
	char why[400] = "", words[4096];
	const char *wrong;
	int code;

	w->prepare(&bench);
	code = run(w, object, n);
	if (!has_failed())
		return false;
	bench.faults++;
	read_words(words, sizeof(words));
	if (getenv("TORTURE_SAYS"))
		print_message("# %s: allocation %u of %s: exit %d, %.*s\n", w->name, n,
			*object ? object : "railtop", code, (int)strcspn(words, "\n"), words);
	wrong = judged(w, object, code, words, why, sizeof(why));
	if (wrong) {
		print_message("# WRONG %s: allocation %u of %s: exit %d, but %s; SEED=%llu\n# %s\n",
			w->name, n, *object ? object : "railtop", code, wrong,
			(unsigned long long)bench.seed, words);
		bench.wrongs++;
	}
	return true;
}

/* About how many there are, by halving. */
static unsigned allocations_of(const struct torture_work *w, const char *object)
{
	unsigned low = 0, high = 1;

	while (high < MOST && (w->prepare(&bench), (void)run(w, object, high), has_failed())) {
		low = high;
		high *= 4;
	}
	for (int i = 0; i < 4 && high - low > 1; i++) {
		unsigned middle = low + (high - low) / 2;

		w->prepare(&bench);
		(void)run(w, object, middle);
		if (has_failed())
			low = middle;
		else
			high = middle;
	}
	return low;
}

/* An early one, where there is one. */
static void one_of(const struct torture_work *w, const char *object)
{
	unsigned n = 1 + (unsigned)torture_below(&bench, 1u << torture_below(&bench, 9));

	while (n && !one(w, object, n))
		n /= 2;
}

static void torment(const char *name)
{
	const struct torture_work *w = torture_work(&bench, name);
	unsigned before = bench.faults;

	bench.wrongs = 0;
	for (size_t i = 0; i < 2 && !effort_full(); i++)
		one_of(w, objects[i ? 1 + torture_below(&bench, OBJECTS - 1) : 0]);
	for (size_t i = 0; i < OBJECTS && effort_full(); i++) {
		unsigned all = allocations_of(w, objects[i]), step = 1 + all / FULL_SAMPLES;

		for (unsigned n = 1 + (unsigned)torture_below(&bench, step); n <= all; n += step)
			if (!one(w, objects[i], n))
				break;
	}
	print_message("# figure %s: %u allocations failed, SEED=%llu\n", name,
		bench.faults - before, (unsigned long long)bench.seed);
	assert_true(bench.faults > before);
	assert_int_equal(bench.wrongs, 0);
}

CASE(recording)
{
	torment("record");
}

CASE(a_snapshot)
{
	if (!effort_full())
		skip();
	torment("snapshot");
}

CASE(reading_a_recording)
{
	torment("read");
}

CASE(the_ledger)
{
	torment("settle");
}

static int set_up(void **state)
{
	char built[256], *path = realpath(built_path("tests/integration/chaos/fail_alloc.so", built,
						  sizeof(built)),
				 NULL);

	(void)state;
	assert_non_null(path);
	(void)str_copy(library, sizeof(library), path);
	free(path);
	torture_open(&bench);
	(void)str_copy(note, sizeof(note), scratch_path(&bench.scratch, "note"));
	(void)str_copy(said, sizeof(said), scratch_path(&bench.scratch, "said"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	torture_close(&bench);
	return 0;
}

CASES_MAIN(set_up, tear_down)
