/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Torture: each allocation of libssh and libcurl, and of the cryptography below them, fails once,
 * while `railtop check` asks a switch over SSH and one over HTTPS. It does not fault and does not
 * hang, a device is called fresh only where it answered, and the reason is named.
 *
 * FULL=1: more of them. SEED=7 repeats a run, FAULTS=50 makes that many of each library,
 * TORTURE_SAYS=1 prints what each led to.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/integration/chaos/torture.h"
#include "tests/integration/support/lab.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/slot.h"
#include "tests/support/torture/fail_allocs.h"

enum { RUN_S = 90, MOST = 400000, SAMPLE = 2, EARLY = 200, FULL_SAMPLE = 150, SANITIZER_ENDS = 99 };

static const char *const devices[] = {"leaf-r0-00", "spine-000"};

static struct {
	struct lab lab;
	struct scratch scratch;
	char inventory[160], program[512];
	uint64_t seed, state;
	unsigned faults, wrongs, fresh, told, ended, faulted;
} bench;

static size_t draw(size_t n)
{
	bench.state = bench.state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (size_t)(bench.state >> 33) % n;
}

/* What is wrong with the report on standard output; NULL: nothing. */
static const char *report_is_wrong(const struct fail_alloc *f)
{
	json_error_t error;
	json_t *root = json_load_file(f->out, 0, &error), *list, *d;
	const char *wrong = root ? NULL : "there is no report";
	unsigned fresh = 0;
	size_t i;

	list = json_object_get(root, "devices");
	if (root && json_array_size(list) != 2)
		wrong = "a device is missing";
	json_array_foreach(list, i, d)
	{
		const char *state = json_string_value(json_object_get(d, "state"));
		const char *text =
			json_string_value(json_object_get(json_object_get(d, "error"), "text"));
		bool is_fresh = state && (str_eq(state, "fresh") || str_eq(state, "late"));
		const char *model = json_string_value(json_object_get(d, "model"));

		fresh += is_fresh;
		if (is_fresh && (!model || !*model) && f->code == 0 && !text)
			wrong = "a device is fresh that said nothing";
		if (!is_fresh && !(text && *text))
			wrong = "a device is dark without a reason";
	}
	if (!wrong && f->code <= 1 && fresh != 2)
		wrong = "success, and a device is dark";
	bench.fresh += fresh == 2;
	bench.told += fresh < 2;
	json_decref(root);
	return wrong;
}

/* Whether one of the first frames of a sanitizer's stack is in the library. */
static bool begins_in(const char *stack, const char *object)
{
	for (unsigned i = 0; stack && i < 4; i++) {
		const char *end = strchr(stack, '\n');
		const char *at = strstr(stack, object);

		if (at && (!end || at < end))
			return true;
		stack = end ? end + 1 : NULL;
	}
	return false;
}

/*
 * A sanitizer's report of the library's own fault: one that it makes, or memory that it forgets
 * when there is none for the rest, as ssh_new() does. Each leak must be of its making.
 */
static bool is_fault_of_library(const char *err, const char *object)
{
	const char *at = strstr(err, "ERROR: AddressSanitizer");
	unsigned leaks = 0;

	if (at)
		return begins_in(strstr(at, "#0 "), object);
	for (at = err; (at = strstr(at, " leak of ")) != NULL; leaks++) {
		at = strstr(at, "#0 ");
		if (!begins_in(at, object))
			return false;
	}
	return leaks > 0;
}

static const char *judged(const struct fail_alloc *f)
{
	if (f->code < 0)
		return "it hangs";
	/* libssh 0.10 follows NULL in ssh_connect() and frees twice in ssh_event_free(). */
	if (f->code > 128 && f->code < 160 && strstr(f->object, "libssh")) {
		bench.faulted++;
		return strstr(f->err, "railtop: ended by a fault (SIG") ? NULL : "it ends silently";
	}
	if (f->code == SANITIZER_ENDS && is_fault_of_library(f->err, f->object)) {
		bench.faulted++;
		return NULL;
	}
	if (f->code > 5)
		return "that is no end";
	if (torture_has_report(f->err))
		return "a sanitizer reports";
	if (f->code == 5 || f->code == 2) {
		bench.ended++;
		return strstr(f->err, "railtop: ") ? NULL : "there are no words";
	}
	return report_is_wrong(f);
}

static bool one(struct fail_alloc *f, unsigned n)
{
	const char *wrong;

	f->n = n;
	fail_alloc_run(f);
	if (!f->failed)
		return false;
	bench.faults++;
	wrong = judged(f);
	if (getenv("TORTURE_SAYS") || wrong)
		print_message("# %sallocation %u of %s: exit %d%s%s; SEED=%llu\n# %.600s\n",
			wrong ? "WRONG " : "", n, f->object, f->code, wrong ? ", but " : "",
			wrong ? wrong : "", (unsigned long long)bench.seed, f->err);
	bench.wrongs += wrong != NULL;
	return true;
}

static void no_preparation(void *ctx)
{
	(void)ctx;
}

static void torment(const char *object)
{
	const char *const argv[] = {
		bench.program, "check", "-f", bench.inventory, "--for", "6s", "--json", NULL};
	struct fail_alloc f = {
		.argv = argv, .dir = bench.scratch.dir, .object = object, .seconds = RUN_S};
	const char *text = getenv("FAULTS");
	unsigned want = text            ? (unsigned)strtoul(text, NULL, 10)
			: effort_full() ? FULL_SAMPLE
					: SAMPLE;
	unsigned all, before = bench.faults, tries = 0;

	bench.wrongs = bench.fresh = bench.told = bench.ended = bench.faulted = 0;
	/* Counting takes a dozen runs; a part of the suite takes early ones. */
	all = want > SAMPLE ? fail_alloc_count(&f, MOST, no_preparation, NULL) : EARLY;
	if (!all) {
		print_message("# skipped: %s is not used here\n", object);
		skip();
	}
	while (bench.faults - before < (want < all ? want : all) && tries++ < 2 * want)
		/* Early ones make the library itself, and there are few. */
		(void)one(&f, 1 + (unsigned)draw(draw(3) ? all : all < 64 ? all : 64));
	print_message("# figure %s: %u of about %u allocations failed: %u runs had all devices, %u "
		      "named the reason of a dark one, %u ended with words, %u with a fault of the "
		      "library that is told; SEED=%llu\n",
		object, bench.faults - before, all, bench.fresh, bench.told, bench.ended,
		bench.faulted, (unsigned long long)bench.seed);
	assert_true(bench.faults > before);
	assert_int_equal(bench.wrongs, 0);
}

CASE(of_libssh)
{
	torment("libssh.so");
}

CASE(of_libcurl)
{
	torment("libcurl");
}

CASE(of_their_cryptography)
{
	if (!effort_full() && !getenv("FAULTS"))
		skip();
	torment("libcrypto");
}

static unsigned port_of(const char *word)
{
	char line[512] = "", *at = NULL;
	FILE *f = fopen(bench.lab.inventory, "re");

	assert_non_null(f);
	while (!at && fgets(line, sizeof(line), f))
		at = strstr(line, word) ? strstr(line, "port: ") : NULL;
	(void)fclose(f);
	assert_non_null(at);
	return (unsigned)strtoul(at + 6, NULL, 10);
}

static int set_up(void **state)
{
	const char *const args[] = {"--interval", "1s", "--steady", NULL};
	char built[256], first[32], net[32], *real;
	FILE *f;

	(void)state;
	real = realpath(built_path("railtop", built, sizeof(built)), NULL);
	assert_non_null(real);
	(void)str_copy(bench.program, sizeof(bench.program), real);
	free(real);
	bench.seed = effort_seed();
	bench.state = bench.seed;
	lab_start(&bench.lab, args);
	scratch_open(&bench.scratch);
	torture_watch_sanitizers();
	(void)slot_address(first, sizeof(first));
	(void)str_copyn(net, sizeof(net), first, strlen(first) - 1);
	(void)str_printf(bench.inventory, sizeof(bench.inventory), "%s/two.yaml", bench.lab.dir);
	f = fopen(bench.inventory, "we");
	assert_non_null(f);
	(void)fprintf(f,
		"fabric: two\nlossless: {priorities: [3]}\n"
		"defaults: {interval: 1s, user: noc, identity: id_ed25519, known_hosts: "
		"known_hosts, tls_ca: ca.pem, ssh_config: ssh_config}\n"
		"switches:\n"
		"  - {names: %s, address: %s1, port: %u, dialect: sonic, tier: leaf}\n"
		"  - {names: %s, address: %s9, port: %u, dialect: eos, transport: https, tier: "
		"spine, credentials: \"file:eapi.password\"}\n",
		devices[0], net, port_of("leaf-r["), devices[1], net, port_of("spine-["));
	assert_int_equal(fclose(f), 0);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_close(&bench.scratch);
	lab_stop(&bench.lab);
	return 0;
}

CASES_MAIN(set_up, tear_down)
