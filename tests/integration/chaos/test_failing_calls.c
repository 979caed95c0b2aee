/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torture: each system call of recording, of reading and of the ledger fails once, in the ways that
 * disks and machines fail. Whatever fails, no recording and no ledger is left that is not valid,
 * success is claimed only where the result is whole, and an error has its words.
 *
 * FULL=1: every call. Else some of them, by a seed that is printed: SEED=7 repeats one.
 * TORTURE_SAYS=1 prints what each of them led to.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/integration/chaos/torture.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/torture/fail_calls.h"

enum { RUN_S = 60, NEVER = 1000000, CALL_SOME = 3 };

/* The ways that every one of the works can meet. */
static const enum call_fault some[CALL_SOME] = {CALL_EIO, CALL_EMFILE, CALL_EACCES};

static struct torture bench;

static void say(const struct torture_work *w, const struct fail_calls *f)
{
	char line[160];

	if (!getenv("TORTURE_SAYS"))
		return;
	(void)str_copyn(line, sizeof(line), f->err, strcspn(f->err, "\n"));
	print_message("# %s: %s of %s %u (%s): exit %d, %s\n", w->name, call_fault_names[f->fault],
		f->call, f->n, f->path, f->code, line);
}

/* All of them are told, because each takes a run of its own to find. */
static void wrong(const struct torture_work *w, const struct fail_calls *f, const char *what)
{
	print_message("# WRONG %s: %s of call %u, %s of \"%s\": exit %d, but %s; SEED=%llu\n# %s\n",
		w->name, call_fault_names[f->fault], f->n, f->call, f->path, f->code, what,
		(unsigned long long)bench.seed, f->err);
	bench.wrongs++;
}

/* The error has its cause, where the program failed for it, and a way out. */
static bool has_words(const char *err)
{
	/* A recording that lost something at its end tells how long it is before. */
	for (const char *line = err; (line = strstr(line, "railtop: ")); line++) {
		const char *end = strchr(line, '\n');

		if (end && (end[-1] == ')' || strncmp(end, "\n  cure: ", 9) == 0))
			return true;
	}
	return false;
}

static void judge(const struct torture_work *w, const struct fail_calls *f)
{
	char why[400] = "";

	say(w, f);
	if (f->code < 0 || f->code > 5)
		wrong(w, f, "that is no end");
	else if (torture_has_report(f->err))
		wrong(w, f, "a sanitizer reports");
	else if (f->code > 1 && !has_words(f->err))
		wrong(w, f, "the error has no words");
	else if (!w->valid(&bench, f->code <= 1, why, sizeof(why)))
		wrong(w, f, why);
}

static bool one(const struct torture_work *w, struct fail_calls *f)
{
	w->prepare(&bench);
	fail_calls_run(f);
	if (f->failed) {
		judge(w, f);
		bench.faults++;
	}
	free(f->out);
	free(f->err);
	return f->failed;
}

/* The number of calls that this fault may meet: of a run in which none does. */
static unsigned calls_of(const struct torture_work *w, enum call_fault fault)
{
	struct fail_calls f = {
		.argv = w->argv, .from = w->from, .fault = fault, .n = NEVER, .seconds = RUN_S};
	char why[400] = "";

	w->prepare(&bench);
	fail_calls_run(&f);
	if (!f.here) {
		print_message("# skipped: system calls cannot be watched here\n");
		skip();
	}
	if (f.code > 1 || !w->valid(&bench, true, why, sizeof(why)))
		fail_msg("%s without any fault: exit %d, %s\n%s", w->name, f.code, why, f.err);
	free(f.out);
	free(f.err);
	return f.seen;
}

static void torment_by(const struct torture_work *w, enum call_fault fault)
{
	unsigned all = calls_of(w, fault), step = effort_full() ? 1 : 1 + all, n = 1;

	if (!effort_full() && all)
		n += (unsigned)torture_below(&bench, all);
	for (;; n += step) {
		struct fail_calls f = {
			.argv = w->argv, .from = w->from, .fault = fault, .n = n, .seconds = RUN_S};

		if (!one(w, &f))
			break;
	}
}

/* Every call in every way; or one call in two ways. */
static void torment(const struct torture_work *w)
{
	size_t first = torture_below(&bench, CALL_SOME);

	for (int fault = 0; fault < CALL_FAULTS && effort_full(); fault++)
		torment_by(w, (enum call_fault)fault);
	for (size_t i = 0; i < 2 && !effort_full(); i++)
		torment_by(w, some[(first + i) % CALL_SOME]);
}

static void of_kind(const char *name)
{
	unsigned before = bench.faults;

	bench.wrongs = 0;
	torment(torture_work(&bench, name));
	print_message("# figure %s: %u system calls failed, SEED=%llu\n", name,
		bench.faults - before, (unsigned long long)bench.seed);
	assert_true(bench.faults > before);
	assert_int_equal(bench.wrongs, 0);
}

CASE(recording)
{
	of_kind("record");
}

CASE(recording_on)
{
	of_kind("append");
}

CASE(a_snapshot)
{
	of_kind("snapshot");
}

CASE(reading_a_recording)
{
	of_kind("read");
}

CASE(the_ledger)
{
	of_kind("settle");
}

CASE(verifying_the_ledger)
{
	of_kind("verify");
}

static int set_up(void **state)
{
	(void)state;
	torture_open(&bench);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	torture_close(&bench);
	return 0;
}

CASES_MAIN(set_up, tear_down)
