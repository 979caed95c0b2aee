/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole console on a fabric whose answers over SSH and HTTPS have wrong bytes in them, while a
 * cat walks over the keyboard. It does not crash, no sanitizer reports, it answers until its end,
 * and the terminal is then as it was.
 *
 * KEYS_SECONDS=600 SEED=7 in the environment: how long, and from which seed. Without a seed each
 * run has another one, and prints it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "tests/integration/support/lab.h"
#include "tests/integration/support/random_keys.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

enum {
	LIVE_S = 20,
	LIVE_FULL_S = 600,
	FILES_S = 4,
	FILES_FULL_S = 120,
	LONGEST_S = 40,
	SLOW_MS = 600
};

static struct {
	struct lab lab;
	struct scratch scratch;
	char program[512];
	uint64_t seed;
} bench;

static uint64_t number_of(const char *name, uint64_t otherwise)
{
	const char *text = getenv(name);
	uint64_t n;

	return text && str_to_u64(text, &n) ? n : otherwise;
}

static double seconds_of(double part, double full)
{
	uint64_t asked = number_of("KEYS_SECONDS", 0);

	return asked ? (double)asked : effort_full() ? full : part;
}

static void said(const char *what, uint64_t seed, unsigned long events, unsigned rounds)
{
	print_message("# figure %s: %lu keys, mouse reports and resizes in %u consoles, seeds from "
		      "%llu\n",
		what, events, rounds, (unsigned long long)seed);
}

/* ---- live ---- */

static void absolute(const char *name, char *dst, size_t size)
{
	char built[256], *path = realpath(built_path(name, built, sizeof(built)), NULL);

	assert_non_null(path);
	assert_true(str_copy(dst, size, path));
	free(path);
}

CASE(a_live_console)
{
	const char *const live[] = {bench.program, "-f", bench.lab.inventory, NULL};
	const char *const careful[] = {
		bench.program, "-f", bench.lab.inventory, "--read-only", "--ascii", NULL};
	const char *const wall[] = {bench.program, "--noc", "-f", bench.lab.inventory, NULL};
	const char *const *const kinds[] = {live, live, careful, live, wall};
	double seconds = seconds_of(LIVE_S, LIVE_FULL_S);
	int64_t end = now_ms() + (int64_t)(1000 * seconds);
	unsigned long events = 0;
	unsigned rounds = 0;

	print_message("# SEED=%llu\n", (unsigned long long)bench.seed);
	while (now_ms() < end) {
		struct random_keys k = {.dir = bench.scratch.dir,
			.seed = bench.seed + rounds,
			.slow_ms = rounds % 3 == 2 ? SLOW_MS : 0};
		double left = (double)(end - now_ms()) / 1000;

		random_keys_start(&k, kinds[k.seed % 5]);
		random_keys_press(&k, left < LONGEST_S ? left : LONGEST_S);
		random_keys_end(&k);
		events += k.events;
		rounds++;
	}
	said("live", bench.seed, events, rounds);
	assert_true(events > 100);
}

/* ---- files that a disk or a mail has changed ---- */

static char *read_file(const char *path, size_t *n)
{
	FILE *f = fopen(path, "re");
	char *bytes;
	long size;

	assert_non_null(f);
	assert_int_equal(fseek(f, 0, SEEK_END), 0);
	size = ftell(f);
	assert_true(size > 0);
	rewind(f);
	bytes = malloc((size_t)size);
	assert_non_null(bytes);
	assert_int_equal(fread(bytes, 1, (size_t)size, f), size);
	(void)fclose(f);
	*n = (size_t)size;
	return bytes;
}

/* A copy with a few other bytes; sometimes its end is missing. */
static void write_mutant(const char *path, const char *bytes, size_t n, uint64_t seed)
{
	uint64_t s = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1;
	char *copy = malloc(n);
	size_t times, len = n;
	FILE *f = fopen(path, "we");

	assert_non_null(copy);
	assert_non_null(f);
	memcpy(copy, bytes, n);
	for (int i = 0; i < 8; i++)
		(void)random_below(&s, 2);
	times = 1 + random_below(&s, 12);
	for (size_t i = 0; i < times; i++) {
		/* The schema and the first pages are what everything else hangs on. */
		size_t at = random_below(&s, random_below(&s, 8) ? n : n < 4096 ? n : 4096);
		size_t span = 1 + random_below(&s, random_below(&s, 6) ? 2 : 600);

		for (size_t k = at; k < n && k < at + span; k++)
			copy[k] = (char)random_below(&s, 256);
	}
	if (random_below(&s, 8) == 0)
		len = 1 + random_below(&s, n);
	assert_int_equal(fwrite(copy, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
	free(copy);
}

static void walk_over_file(
	const char *name, uint64_t seed, double seconds, unsigned long *events, unsigned *refused)
{
	char mutant[128];
	size_t n;
	char *bytes = read_file(scratch_path(&bench.scratch, name), &n);
	const char *const open[] = {bench.program, "open", mutant, NULL};
	struct random_keys k = {.dir = bench.scratch.dir, .seed = seed};
	struct lab_output o;

	(void)str_printf(mutant, sizeof(mutant), "%s/mutant.rts", bench.scratch.dir);
	write_mutant(mutant, bytes, n, seed);
	free(bytes);
	o = lab_railtop((const char *const[]){"diff", mutant, mutant, "--json", NULL}, 120);
	/* Refused in words, or shown. */
	if (o.code > 5 || (o.code > 1 && !*o.err))
		fail_msg("diff of a mutant, seed %llu: exit %d, %s", (unsigned long long)seed,
			o.code, o.err);
	if (o.code > 1) {
		(*refused)++;
	} else {
		random_keys_start(&k, open);
		random_keys_press(&k, seconds);
		random_keys_end(&k);
		*events += k.events;
	}
	lab_output_free(&o);
	(void)unlink(mutant);
}

CASE(files_with_other_bytes)
{
	const char *recording = scratch_path(&bench.scratch, "walk.rts");
	const char *snapshot = scratch_path(&bench.scratch, "incident.rts");
	struct lab_output o = lab_railtop((const char *const[]){"record", "-f", bench.lab.inventory,
						  "--for", "5s", "-o", recording, NULL},
		120);
	int64_t end;
	unsigned long events = 0;
	unsigned rounds = 0, refused = 0;

	lab_output_free(&o);
	o = lab_railtop((const char *const[]){"snapshot", "-f", bench.lab.inventory, "--for", "4s",
				"-o", snapshot, NULL},
		120);
	lab_output_free(&o);
	end = now_ms() + (int64_t)(1000 * seconds_of(FILES_S, FILES_FULL_S));
	for (; now_ms() < end; rounds++)
		walk_over_file(rounds % 2 ? "walk.rts" : "incident.rts", bench.seed + rounds, 0.7,
			&events, &refused);
	print_message("# figure files: %u of %u mutants were refused\n", refused, rounds);
	said("files", bench.seed, events, rounds - refused);
}

static int set_up(void **state)
{
	char seed[24];
	const char *const args[] = {"--speed", "10", "--interval", "1s", "--actions", "--platforms",
		"leaf=sonic-spectrum,spine=eos", "--mutate", "15", "--seed", seed, "--fault",
		"pfc-storm:node003:mlx5_3", NULL};

	(void)state;
	bench.seed = number_of("SEED", (uint64_t)time(NULL) % 1000000 * 100);
	(void)str_printf(seed, sizeof(seed), "%llu", (unsigned long long)bench.seed);
	scratch_open(&bench.scratch);
	absolute("railtop", bench.program, sizeof(bench.program));
	lab_start(&bench.lab, args);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	lab_stop(&bench.lab);
	scratch_close(&bench.scratch);
	return 0;
}

CASES_MAIN(set_up, tear_down)
