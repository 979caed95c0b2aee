/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torture: each allocation of recording, of reading and of the ledger fails once. Where railtop's
 * own memory ends, it says so and ends (base/mem.h); what a library cannot have is an error with
 * words. No recording and no ledger is left that is not valid.
 *
 * FULL=1: more of them. SEED=7 repeats a run, TORTURE_SAYS=1 prints what each led to.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/chaos/torture.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/torture/fail_allocs.h"

enum { OBJECTS = 7, FULL_SAMPLES = 120, RUN_S = 60, MOST = 400000 };

static struct torture bench;

/* The objects that allocate, by a part of their path; "": railtop itself. */
static const char *const objects[OBJECTS] = {
	"", "libsqlite3", "libjansson", "libyaml", "libzstd", "libuv", "libgnutls"};

static const char *judged(const struct torture_work *w, const char *object, int code,
	const char *words, char *why, size_t size)
{
	const char *line = strstr(words, "railtop: ");

	if (code < 0 || code > 5)
		return "that is no end";
	if (torture_has_report(words))
		return "a sanitizer reports";
	if (code > 1 && !line)
		return "there are no words";
	if (!*object && !(code == 5 && strstr(words, "railtop: out of memory")))
		return "it does not say that memory is out";
	return w->valid(&bench, code <= 1, why, size) ? NULL : why;
}

static bool one(const struct torture_work *w, const char *object, unsigned n)
{
	struct fail_alloc f = {.argv = w->argv,
		.dir = bench.scratch.dir,
		.object = object,
		.n = n,
		.seconds = RUN_S};
	char why[400] = "";
	const char *wrong;

	w->prepare(&bench);
	fail_alloc_run(&f);
	if (!f.failed)
		return false;
	bench.faults++;
	if (getenv("TORTURE_SAYS"))
		print_message("# %s: allocation %u of %s: exit %d, %.*s\n", w->name, n,
			*object ? object : "railtop", f.code, (int)strcspn(f.err, "\n"), f.err);
	wrong = judged(w, object, f.code, f.err, why, sizeof(why));
	if (wrong) {
		print_message("# WRONG %s: allocation %u of %s: exit %d, but %s; SEED=%llu\n# %s\n",
			w->name, n, *object ? object : "railtop", f.code, wrong,
			(unsigned long long)bench.seed, f.err);
		bench.wrongs++;
	}
	return true;
}

static void prepare_work(void *ctx)
{
	((const struct torture_work *)ctx)->prepare(&bench);
}

static unsigned allocations_of(const struct torture_work *w, const char *object)
{
	struct fail_alloc f = {
		.argv = w->argv, .dir = bench.scratch.dir, .object = object, .seconds = RUN_S};

	return fail_alloc_count(&f, MOST, prepare_work, (void *)(uintptr_t)w);
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
