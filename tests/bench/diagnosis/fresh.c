/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/str.h"
#include "base/vec.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/one_run.h"
#include "tests/bench/diagnosis/score.h"
#include "tests/bench/packets/fresh_run.h"

#define SEEDS_FILE "tests/bench/diagnosis/regression.seeds"
#define RUNS       40
#define RUNS_FULL  200

/* The runs of a kind of fault, or of a shape. */
struct tally {
	char name[32];
	unsigned runs, failed;
	struct score score;
};
typedef VEC(struct tally) tally_vec;
struct suite {
	const struct bench *b;
	bool keeps; /* failed seeds go into the file */
	struct score all;
	tally_vec kinds, shapes;
	double slowest_s;
};

/* A line of the file. */
struct seed_line {
	uint64_t seed;
	char kind[32], shape[32];
};
typedef VEC(struct seed_line) seed_vec;

/* ---- tallies ---- */

static struct tally *find_tally(tally_vec *v, const char *name)
{
	struct tally *t;

	for (size_t i = 0; i < v->n; i++)
		if (str_eq(v->at[i].name, name))
			return &v->at[i];
	t = vec_add(v);
	(void)str_copy(t->name, sizeof(t->name), name);
	return t;
}

static void add_tally(tally_vec *v, const char *name, const struct score *s, bool failed)
{
	struct tally *t = find_tally(v, name);

	t->runs++;
	t->failed += failed;
	score_merge(&t->score, s);
}

static double percent(unsigned part, unsigned whole)
{
	return whole ? 100.0 * part / whole : (double)NAN;
}

static int tally_order(const void *a, const void *b)
{
	return strcmp(((const struct tally *)a)->name, ((const struct tally *)b)->name);
}

static void print_tallies(const char *title, tally_vec *v)
{
	(void)printf("    %-20s %5s %7s %6s %6s %6s %6s %8s %6s %6s\n", title, "runs", "failed",
		"faults", "recall", "top-1", "class", "precis.", "p50 s", "p95 s");
	if (v->n)
		qsort(v->at, v->n, sizeof(*v->at), tally_order);
	for (size_t i = 0; i < v->n; i++) {
		struct tally *t = &v->at[i];
		struct score *s = &t->score;

		(void)printf("    %-20s %5u %7u %6u %5.0f%% %5.0f%% %5.0f%% %7.0f%% %6.0f %6.0f\n",
			t->name, t->runs, t->failed, s->faults, percent(s->detected, s->faults),
			percent(s->top1, s->faults), percent(s->right_class, s->faults),
			percent(s->right_incidents, s->incidents), score_stable_s(s, 0.5),
			score_stable_s(s, 0.95));
		score_free(s);
	}
	vec_free(v);
}

/* ---- seeds ---- */

static void read_seeds(seed_vec *v)
{
	FILE *f = fopen(SEEDS_FILE, "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f)) {
		struct seed_line s = {0};
		unsigned long long seed;

		if (sscanf(line, "%llu %*s %31s %31s", &seed, s.kind, s.shape) < 1)
			continue;
		s.seed = seed;
		vec_push(v, s);
	}
	if (f)
		(void)fclose(f);
}

static void today(char *dst, size_t size, const char *format)
{
	time_t now = time(NULL);
	struct tm tm;

	dst[0] = '\0';
	if (gmtime_r(&now, &tm))
		(void)strftime(dst, size, format, &tm);
}

static void keep_seed(const struct fresh_run *r)
{
	seed_vec known = {0};
	bool there = false;
	char date[32];
	FILE *f;

	read_seeds(&known);
	for (size_t i = 0; i < known.n; i++)
		there |= known.at[i].seed == r->seed;
	vec_free(&known);
	f = there ? NULL : fopen(SEEDS_FILE, "ae");
	if (!f)
		return;
	today(date, sizeof(date), "%Y-%m-%d");
	(void)fprintf(f, "%llu %s %s %s\n", (unsigned long long)r->seed, date, r->kind, r->shape);
	(void)fclose(f);
}

/* ---- runs ---- */

/* The verdicts that are usual while each fault is on, for a run that fails. */
struct verdicts {
	char text[900];
};

static void note_verdict(void *ctx, const char *class, bool top1, bool class_ok, double polls,
	unsigned incidents, const char *verdict)
{
	struct verdicts *v = ctx;
	size_t len = strlen(v->text);

	(void)str_printf(v->text + len, sizeof(v->text) - len,
		"      %-30s place %s class %s, %.0f polls, %u incidents; usual: %s\n", class,
		top1 ? "right" : "WRONG", class_ok ? "right" : "WRONG", polls, incidents, verdict);
}

static bool has_failed(const struct score *s)
{
	return s->detected < s->faults || s->top1 < s->faults || s->right_class < s->faults ||
	       s->right_incidents < s->incidents;
}

/* Incidents that are no fault's, each once. */
static void print_wrong(const said_vec *said)
{
	const struct guess *before = NULL;
	unsigned polls = 0;

	for (size_t i = 0; i <= said->n; i++) {
		const struct guess *g =
			i < said->n && said->at[i].guesses.n ? &said->at[i].guesses.at[0] : NULL;
		char *place;

		if (g && before && str_eq(g->class, before->class) &&
			json_equal(g->entity, before->entity)) {
			polls++;
			continue;
		}
		if (before && polls >= 2) {
			place = json_dumps(before->entity, JSON_ENCODE_ANY);
			(void)printf("        until poll %zu, %u polls: %s @ %s\n", i, polls,
				before->class, place);
			free(place);
		}
		before = g;
		polls = 1;
	}
}

static void print_failed(const struct fresh_run *r, const struct verdicts *v, const said_vec *said)
{
	(void)printf("  FAILED seed %llu: %s, %u NICs, %s, %s: %s\n%s", (unsigned long long)r->seed,
		r->shape, r->nics, r->workload, r->kind, *r->place ? r->place : "healthy", v->text);
	print_wrong(said);
	(void)fflush(stdout);
}

static void keep_files(const char *dir, uint64_t seed)
{
	static const char *const files[] = {"label.json", "topology.json", "ports.csv", "nics.csv",
		"nccl_ops.csv", "events.csv", "verdict.jsonl"};
	const char *keep = getenv("KEEP");
	char to[PATH_MAX], from[PATH_MAX];

	if (!keep)
		return;
	(void)str_printf(to, sizeof(to), "%s/%llu", keep, (unsigned long long)seed);
	one_run_folder(to);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)str_printf(from, sizeof(from), "%s/%s", dir, files[i]);
		(void)str_printf(
			to, sizeof(to), "%s/%llu/%s", keep, (unsigned long long)seed, files[i]);
		(void)rename(from, to);
	}
}

static double seconds_now(void)
{
	return thread_cpu_us() / 1e6;
}

static void clear_folder(const char *dir)
{
	static const char *const files[] = {"nccl_ops.csv", "events.csv"};
	char path[PATH_MAX];

	/* The others are written anew by each run. */
	for (size_t i = 0; i < 2; i++) {
		(void)str_printf(path, sizeof(path), "%s/%s", dir, files[i]);
		(void)remove(path);
	}
}

static void judge_run(struct suite *s, const char *dir, const struct fresh_run *r)
{
	struct verdicts v = {""};
	struct score x = {0};
	said_vec said = {0};
	bool failed;

	if (!one_run_judge(dir, &sweep_none, &said))
		return;
	one_run_write(dir, dir, &said);
	(void)score_run(&x, dir, &said, note_verdict, &v);
	failed = has_failed(&x);
	if (failed) {
		print_failed(r, &v, &said);
		if (s->keeps)
			keep_seed(r);
		keep_files(dir, r->seed);
	}
	score_merge(&s->all, &x);
	add_tally(&s->kinds, r->kind, &x, failed);
	add_tally(&s->shapes, r->shape, &x, failed);
	score_free(&x);
	said_free(&said);
}

static bool play_seed(struct suite *s, uint64_t seed, const char *only, struct fresh_run *r)
{
	double began = seconds_now();
	char dir[PATH_MAX];

	(void)str_printf(dir, sizeof(dir), "%s/bench/fresh", s->b->build);
	one_run_folder(dir);
	clear_folder(dir);
	if (!fresh_write(seed, dir, only, r)) {
		(void)printf("  seed %llu draws nothing that shows%s%s\n", (unsigned long long)seed,
			only ? " of " : "", only ? only : "");
		return false;
	}
	judge_run(s, dir, r);
	s->slowest_s = fmax(s->slowest_s, (seconds_now() - began) / r->draws);
	return true;
}

static void end_suite(struct suite *s, const char *name)
{
	print_tallies("kind", &s->kinds);
	print_tallies("shape", &s->shapes);
	bench_report(s->b, name, "", true, &s->all);
	figure(s->b->figures, "CPU of the slowest run", s->slowest_s, "s", 0);
	score_free(&s->all);
}

void bench_fresh(const struct bench *b)
{
	const char *given = getenv("SEEDS"), *only = getenv("ONLY"), *runs = getenv("RUNS");
	unsigned long n = runs ? strtoul(runs, NULL, 10) : b->full ? RUNS_FULL : RUNS;
	struct suite s = {.b = b, .keeps = !only};
	struct fresh_run r;
	char date[32], *end;
	uint64_t first;

	if (given) {
		for (uint64_t seed = strtoull(given, &end, 10); end != given;
			seed = strtoull(given, &end, 10)) {
			(void)play_seed(&s, seed, only, &r);
			given = end;
		}
	} else {
		today(date, sizeof(date), "%Y%m%d");
		first = strtoull(date, NULL, 10) * 1000;
		(void)printf("  seeds %llu to %llu\n", (unsigned long long)first,
			(unsigned long long)(first + n - 1));
		for (uint64_t i = 0; i < n; i++)
			(void)play_seed(&s, first + i, only, &r);
	}
	end_suite(&s, "fresh");
}

void bench_regression(const struct bench *b)
{
	const char *only = getenv("ONLY");
	struct suite s = {.b = b};
	seed_vec seeds = {0};

	read_seeds(&seeds);
	for (size_t i = 0; i < seeds.n; i++) {
		const struct seed_line *l = &seeds.at[i];
		struct fresh_run r;

		if (only && !str_eq(only, l->kind) && !str_eq(only, l->shape))
			continue;
		if (play_seed(&s, l->seed, NULL, &r) &&
			(!str_eq(r.kind, l->kind) || !str_eq(r.shape, l->shape)))
			(void)printf("  seed %llu was %s on %s, and is %s on %s now\n",
				(unsigned long long)l->seed, l->kind, l->shape, r.kind, r.shape);
	}
	if (seeds.n)
		end_suite(&s, "regression");
	vec_free(&seeds);
}
