/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recordings that somebody crafted: what is packed in them has other bytes, and all hashes are
 * right. They open, so that decoders, diagnosis and screen get what no railtop wrote. Random keys
 * walk over each; batch commands read it. It does not crash, no sanitizer reports, memory is
 * bounded, and what is refused is refused in words.
 *
 * MUTANTS=200 SEED=7 in the environment: how many, and from which seed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "archive/recording/rts_internal.h"
#include "base/str.h"
#include "tests/archive/support/restamp.h"
#include "tests/integration/attacks/hostile_server.h"
#include "tests/integration/support/random_keys.h"
#include "tests/integration/support/scratch.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

enum { RUN_S = 120, PEAK_KB = SANITIZED ? 4000000 : 1500000 };

static struct {
	struct scratch scratch;
	char program[512], good[128], mutant[128];
	uint64_t seed;
} bench;

static void run_well(const char *const *argv, char **said, int *code)
{
	struct measured m = run_measured(argv, RUN_S);

	*said = m.said;
	*code = m.code;
	if (m.code < 0 || m.code > 5 || strstr(m.said, "Sanitizer") ||
		strstr(m.said, "runtime error:"))
		fail_msg("%s: exit %d, SEED=%llu: %.2000s", argv[1], m.code,
			(unsigned long long)bench.seed, m.said);
	if (m.peak_kb > PEAK_KB)
		fail_msg("%s: %ld MB, SEED=%llu", argv[1], m.peak_kb / 1024,
			(unsigned long long)bench.seed);
}

static void copy_good(void)
{
	scratch_run(&bench.scratch, "cp '%s' '%s'", bench.good, bench.mutant);
}

/* ---- other bytes ---- */

struct mutation {
	uint64_t state;
	bool sections; /* of keyframes too: without them the entries are read */
};

static void change_some(void *ctx, enum restamp_kind kind, char **bytes, size_t *n)
{
	struct mutation *m = ctx;
	size_t times;

	if (!*n || (kind == RESTAMP_SECTION && !m->sections) || random_below(&m->state, 3) == 0)
		return;
	times = 1 + random_below(&m->state, 6);
	for (size_t i = 0; i < times; i++) {
		size_t at = random_below(&m->state, *n), span = 1 + random_below(&m->state, 4);

		for (size_t k = at; k < *n && k < at + span; k++)
			(*bytes)[k] = random_below(&m->state, 3)
					      ? (char)random_below(&m->state, 256)
					      : (char)(random_below(&m->state, 2) ? 0xff : 0);
	}
	if (random_below(&m->state, 12) == 0)
		*n = 1 + random_below(&m->state, *n);
}

/* Returns whether it opened. */
static bool walk(uint64_t seed, double seconds, unsigned long *events)
{
	struct mutation m = {.state = (seed + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
	const char *const open[] = {bench.program, "open", bench.mutant, NULL};
	const char *const findings[] = {bench.program, "findings", "--from", bench.mutant, NULL};
	const char *const diff[] = {
		bench.program, "diff", bench.mutant, bench.mutant, "--json", NULL};
	const char *const snapshot[] = {
		bench.program, "snapshot", "--from", bench.mutant, "--json", "-", NULL};
	const char *const *const reads[] = {findings, diff, snapshot};
	struct random_keys k = {.dir = bench.scratch.dir, .seed = seed};
	char *said;
	int code;

	for (int i = 0; i < 8; i++)
		(void)random_below(&m.state, 2);
	m.sections = random_below(&m.state, 2);
	copy_good();
	assert_true(restamp(bench.mutant, change_some, &m) > 0);
	run_well(reads[seed % 3], &said, &code);
	if (code > 1 && !strstr(said, "railtop"))
		fail_msg("it is refused without a word: %s", said);
	free(said);
	if (code > 3)
		return false;
	random_keys_start(&k, open);
	random_keys_press(&k, seconds);
	random_keys_end(&k);
	*events += k.events;
	return true;
}

CASE(other_bytes_with_the_right_hashes)
{
	const char *text = getenv("MUTANTS");
	unsigned mutants = text ? (unsigned)strtoul(text, NULL, 10) : effort_full() ? 300 : 6;
	unsigned long events = 0;
	unsigned opened = 0;

	for (unsigned i = 0; i < mutants; i++)
		opened += walk(bench.seed + i, 0.5, &events);
	print_message("# figure: %u of %u crafted recordings opened, %lu keys, seeds from %llu\n",
		opened, mutants, events, (unsigned long long)bench.seed);
	assert_true(opened > 0);
}

/* ---- a few bytes that become many ---- */

static void make_zeros(void *ctx, enum restamp_kind kind, char **bytes, size_t *n)
{
	const size_t *size = ctx;

	(void)kind;
	free(*bytes);
	*bytes = calloc(1, *size);
	assert_non_null(*bytes);
	*n = *size;
}

/* The same entry over and over: the most that a chunk may hold. */
static void repeat_entries(void *ctx, enum restamp_kind kind, char **bytes, size_t *n)
{
	const size_t *size = ctx;
	char *many;

	if (kind != RESTAMP_CHUNK || !*n)
		return;
	many = malloc(*size);
	assert_non_null(many);
	for (size_t i = 0; i < *size; i++)
		many[i] = (*bytes)[i % *n];
	free(*bytes);
	*bytes = many;
	*n = *size;
}

static void open_bomb(restamp_fn *bomb, size_t size)
{
	const char *const reads[][7] = {{bench.program, "findings", "--from", bench.mutant, NULL},
		{bench.program, "snapshot", "--from", bench.mutant, "--json", "-", NULL},
		{bench.program, "diff", bench.mutant, bench.mutant, NULL}};
	char *said;
	int code;

	copy_good();
	assert_true(restamp(bench.mutant, bomb, &size) > 0);
	for (size_t i = 0; i < 3; i++) {
		run_well(reads[i], &said, &code);
		if (code > 1 && !strstr(said, "railtop"))
			fail_msg("it is refused without a word: %s", said);
		free(said);
	}
}

CASE(zeros_up_to_the_limit_and_beyond)
{
	open_bomb(make_zeros, (size_t)1 << 20);
	open_bomb(make_zeros, RTS_BLOB_MAX - 64);
	open_bomb(make_zeros, (size_t)RTS_BLOB_MAX * 4);
}

CASE(entries_over_and_over)
{
	open_bomb(repeat_entries, (size_t)1 << 20);
	open_bomb(repeat_entries, RTS_BLOB_MAX - 64);
}

static void write_lines(void)
{
	FILE *f = fopen(scratch_path(&bench.scratch, "lines.jsonl"), "we");

	assert_non_null(f);
	for (int t = 0; t < 40; t++)
		for (int d = 0; d < 4; d++)
			for (int p = 0; p < 3; p++)
				(void)fprintf(f,
					"{\"t\":%d,\"device\":\"leaf-%d\",\"port\":\"e%d\","
					"\"state\":{"
					"\"oper\":\"%s\",\"speed_mbps\":400000},\"lldp\":{"
					"\"device\":"
					"\"leaf-%d\",\"port\":\"e%d\"},\"counters\":{\"rx_bytes\":%"
					"d,"
					"\"tx_bytes\":%d,\"pfc_rx_frames\":{\"3\":%d}}}\n",
					1795260000 + 5 * t, d, p, t % 11 == 7 ? "down" : "up",
					(d + 1) % 4, p, t * 1000000, t * 900000, t * 40);
	assert_int_equal(fclose(f), 0);
}

static int set_up(void **state)
{
	char built[256], *real = realpath(built_path("railtop", built, sizeof(built)), NULL);
	const char *const argv[] = {
		bench.program, "record", "--observations", "lines.jsonl", "-o", bench.good, NULL};
	const char *record[7];
	char lines[160], *said;
	int code;

	(void)state;
	assert_non_null(real);
	(void)str_copy(bench.program, sizeof(bench.program), real);
	free(real);
	bench.seed = effort_seed();
	scratch_open(&bench.scratch);
	(void)str_copy(bench.good, sizeof(bench.good), scratch_path(&bench.scratch, "good.rts"));
	(void)str_copy(
		bench.mutant, sizeof(bench.mutant), scratch_path(&bench.scratch, "mutant.rts"));
	(void)str_printf(lines, sizeof(lines), "%s/lines.jsonl", bench.scratch.dir);
	write_lines();
	memcpy(record, argv, sizeof(record));
	record[3] = lines;
	run_well(record, &said, &code);
	if (code > 1)
		fail_msg("no recording: %s", said);
	free(said);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scratch_close(&bench.scratch);
	return 0;
}

CASES_MAIN(set_up, tear_down)
