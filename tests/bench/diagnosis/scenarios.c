/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/score.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/bench/diagnosis/sim_score.h"
#include "tests/support/scenario_file.h"

#define FOLDER      "tests/scenarios/faults"
#define ROWS_MOST   64
#define SEEDS_MOST  16
#define WRONG_SHOWN 4
#define FEW_SHAPES  2 /* besides the file's own preset, without FULL=1 */

/* The results of all runs of a class, of a shape, or of all. */
struct case_tally {
	char name[32];
	unsigned faults, found, runs, top, right_class, incidents, right, victims;
	unsigned unseen,
		wrong_unseen; /* runs whose place reports nothing; wrong culprits in them */
	VEC(double) stable;
};

struct case_table {
	struct case_tally row[ROWS_MOST];
	size_t n;
};

struct suite {
	const struct bench *b;
	const struct sweep *sweep;
	bool quiet;
	bool few; /* one fabric a file, and a third of the files: another one in each sweep */
	size_t nth_sweep;
	struct case_tally all;
	struct case_table by_class, by_shape;
	uint64_t seed[SEEDS_MOST];
	unsigned nseeds;
	/* of the run at hand */
	char name[128];
	const char *preset;
};

static struct case_tally *tally_of(struct case_table *t, const char *name)
{
	for (size_t i = 0; i < t->n; i++)
		if (strcmp(t->row[i].name, name) == 0)
			return &t->row[i];
	if (t->n == ROWS_MOST)
		return &t->row[0];
	(void)str_copy(t->row[t->n].name, sizeof(t->row[t->n].name), name);
	return &t->row[t->n++];
}

static void add(struct case_tally *t, const struct sim_score *x)
{
	t->runs += x->nfaults > 0;
	t->top += x->top_polls && 2 * x->top_right > x->top_polls;
	t->right_class += x->top_polls && 2 * x->top_class > x->top_polls;
	t->incidents += x->incidents;
	t->right += x->right;
	t->victims += x->victim_first;
	t->unseen += x->unseen;
	t->wrong_unseen += x->unseen ? x->incidents - x->right : 0;
	if (x->nfaults && !isnan(x->stable_s))
		vec_push(&t->stable, x->stable_s);
}

/* Only some of them: a wrong detector is wrong at many places. */
static void print_wrong(const char *text, size_t n)
{
	if (n >= WRONG_SHOWN)
		return;
	(void)printf("      wrong: %s\n", text);
}

static void take_score(struct suite *s, struct sim_score *x)
{
	const char *class = x->nfaults ? x->fault[0].class : "(healthy)";
	char missed[200] = "";

	for (unsigned i = 0; i < x->nfaults; i++) {
		struct case_tally *const to[] = {&s->all, tally_of(&s->by_class, x->fault[i].class),
			tally_of(&s->by_shape, s->preset)};
		bool found = x->fault[i].found >= 2 || (x->fault[i].found && x->fault[i].polls < 3);

		for (size_t k = 0; k < sizeof(to) / sizeof(to[0]); k++) {
			to[k]->faults++;
			to[k]->found += found;
		}
		if (!found)
			(void)str_printf(missed + strlen(missed), sizeof(missed) - strlen(missed),
				" missed %s", x->fault[i].class);
	}
	add(&s->all, x);
	add(tally_of(&s->by_class, class), x);
	add(tally_of(&s->by_shape, s->preset), x);
	if (s->quiet)
		return;
	if (*missed || x->right < x->incidents || x->victim_first ||
		(x->top_polls && 2 * x->top_class <= x->top_polls))
		(void)printf("    %s: %s: top-1 %u/%u class %u/%u wrong %u victim %u%s%s%s\n",
			s->name, class, x->top_right, x->top_polls, x->top_class, x->top_polls,
			x->incidents - x->right, x->victim_first, missed,
			*x->other ? ", said " : "", x->other);
}

/* False: the scenario cannot be read. */
static bool play(struct suite *s, const char *preset, uint64_t seed, const char *path,
	int64_t length, struct sim_score *out)
{
	struct sim_run run;
	struct bed bed;
	struct err err = {0};
	struct sim_score x = {.stable_s = (double)NAN};

	if (!sim_run_open(&run, preset, seed, path, s->sweep, &err)) {
		(void)fprintf(stderr, "%s: %s: %s\n", path, preset, err.text);
		return false;
	}
	bed_open(&bed, &run.plan, s->sweep);
	bed.salt = (unsigned)seed;
	while (run.now_us + run.interval_us <= SIM_START + length) {
		json_t *truth;

		sim_run_poll(&run, &bed);
		truth = sim_run_truth(&run);
		sim_score_poll(&x, &bed, truth, (double)(run.now_us - SIM_START) / 1e6);
		json_decref(truth);
		bed_print(&bed, run.now_us - SIM_START);
	}
	if (bed.refused)
		(void)fprintf(stderr, "%s: %llu lines refused: %s\n", s->name,
			(unsigned long long)bed.refused, bed.complaint);
	sim_score_end(&x, &bed, s->quiet ? NULL : print_wrong);
	bed_close(&bed);
	sim_run_close(&run);
	*out = x;
	return true;
}

/* PRESETS="ref256 breakout": only these. */
static bool is_asked_for(const char *preset)
{
	const char *list = getenv("PRESETS");
	size_t n = strlen(preset);

	for (const char *at = list; at && (at = strstr(at, preset)); at += n)
		if ((at == list || at[-1] == ' ') && (!at[n] || at[n] == ' '))
			return true;
	return !list;
}

static void play_seed(struct suite *s, const char *file, const struct scenario *c,
	const char *preset, uint64_t seed)
{
	struct sim_score x;

	if (!is_asked_for(preset))
		return;
	(void)str_printf(s->name, sizeof(s->name), "%.*s %s seed %llu", (int)strcspn(file, "."),
		file, preset, (unsigned long long)seed);
	s->preset = preset;
	if (play(s, preset, seed, c->path, c->length, &x))
		take_score(s, &x);
}

/*
 * Each seed on the file's own preset and on two of the shapes that fit, other ones with another
 * seed; with FULL=1 or PRESETS= on all shapes, and with the first seed on the big preset.
 */
static void play_shapes(struct suite *s, const char *file, const struct scenario *c, size_t number)
{
	const char *shape[SCENARIO_SHAPES];
	unsigned n = scenario_shapes(c, shape);
	bool all = s->b->full || getenv("PRESETS");
	unsigned take = all || n < FEW_SHAPES ? n : FEW_SHAPES;

	if (s->few) {
		size_t turn = (number + s->seed[0]) % (n + 1);

		play_seed(s, file, c, turn ? shape[turn - 1] : c->presets[0], s->seed[0]);
		return;
	}
	for (unsigned k = 0; k < s->nseeds; k++) {
		play_seed(s, file, c, c->presets[0], s->seed[k]);
		for (unsigned i = 0; i < take; i++) {
			size_t turn = number + s->seed[k] * FEW_SHAPES + i;

			play_seed(s, file, c, shape[turn % n], s->seed[k]);
		}
	}
	if (all && c->npresets > 1)
		play_seed(s, file, c, c->presets[1], s->seed[0]);
}

static void play_file(struct suite *s, const char *file, size_t number)
{
	struct scenario *c = mem_calloc(1, sizeof(*c));
	struct err err = {0};
	char path[300];

	(void)str_printf(path, sizeof(path), FOLDER "/%s", file);
	if (!scenario_read(c, path, &err))
		(void)fprintf(stderr, "%s: %s\n", path, err.text);
	else
		play_shapes(s, file, c, number);
	free(c);
}

static int is_scenario(const struct dirent *e)
{
	const char *dot = strrchr(e->d_name, '.'), *only = getenv("SCENARIO");

	return dot && strcmp(dot, ".scenario") == 0 && (!only || strstr(e->d_name, only));
}

static double percent(unsigned part, unsigned whole)
{
	return whole ? 100.0 * part / whole : (double)NAN;
}

static void print_table(const char *title, struct case_table *table)
{
	(void)printf("    %-18s %6s %7s %6s %6s %8s %6s %6s %6s\n", title, "faults", "recall",
		"top-1", "class", "precis.", "wrong", "p50 s", "p95 s");
	for (size_t i = 0; i < table->n; i++) {
		struct case_tally *t = &table->row[i];

		(void)printf("    %-18s %6u %6.0f%% %5.0f%% %5.0f%% %7.0f%% %6u %6.0f %6.0f\n",
			t->name, t->faults, percent(t->found, t->faults), percent(t->top, t->runs),
			percent(t->right_class, t->runs), percent(t->right, t->incidents),
			t->incidents - t->right, score_part(t->stable.at, t->stable.n, 0.5),
			score_part(t->stable.at, t->stable.n, 0.95));
	}
}

static void report(struct suite *s)
{
	struct figures *f = s->b->figures;
	struct case_tally *t = &s->all;
	bool hard = s->sweep == &sweep_none;
	char name[96];

#define NAME(what)                                                                                 \
	(str_printf(name, sizeof(name), "scenarios%s%s: %s", *s->sweep->name ? ", " : "",          \
		 s->sweep->name, what),                                                            \
		name)
	figure_least(f, NAME("precision"), percent(t->right, t->incidents), "%", hard ? 98.5 : 0);
	figure_least(f, NAME("recall"), percent(t->found, t->faults), "%", hard ? 99.3 : 0);
	figure_least(f, NAME("top-1"), percent(t->top, t->runs), "%", hard ? 97.5 : 0);
	figure_least(f, NAME("class"), percent(t->right_class, t->runs), "%", hard ? 97.5 : 0);
	if (hard)
		figure_none(f, NAME("polls with a victim first"), t->victims, "");
	else
		figure_none(
			f, NAME("wrong culprits where the cause is unseen"), t->wrong_unseen, "");
	figure(f, NAME("stable root cause, p50"), score_part(t->stable.at, t->stable.n, 0.5), "s",
		hard ? 15 : 0);
	figure(f, NAME("stable root cause, p95"), score_part(t->stable.at, t->stable.n, 0.95), "s",
		hard ? 30 : 0);
#undef NAME
}

static void free_table(struct case_table *t)
{
	for (size_t i = 0; i < t->n; i++)
		vec_free(&t->row[i].stable);
}

/*
 * Seeds that nobody has tuned on: of today's date, so that each day has its own; SEEDS="101 102"
 * for others, to play a run again.
 */
static void choose_seeds(struct suite *s, unsigned most)
{
	const char *list = getenv("SEEDS");
	time_t now = time(NULL);
	struct tm day;
	char *end;

	if (list) {
		for (uint64_t seed = strtoull(list, &end, 10); end != list && s->nseeds < most;
			seed = strtoull(list, &end, 10)) {
			s->seed[s->nseeds++] = seed;
			list = end;
		}
		return;
	}
	(void)gmtime_r(&now, &day);
	for (unsigned k = 0; k < (s->b->full && most > 1 ? 3 : 1); k++)
		s->seed[s->nseeds++] = (uint64_t)(day.tm_year + 1900) * 100000 +
				       (uint64_t)(day.tm_mon + 1) * 1000 +
				       (uint64_t)day.tm_mday * 10 + k;
}

static void print_seeds(const struct suite *s)
{
	(void)printf("  scenarios, seeds");
	for (unsigned k = 0; k < s->nseeds; k++)
		(void)printf(" %llu", (unsigned long long)s->seed[k]);
	(void)printf("; again by SCENARIO=NAME PRESETS=SHAPE SEEDS=SEED\n");
}

static void play_all(struct suite *s)
{
	struct dirent **file = NULL;
	int n = scandir(FOLDER, &file, is_scenario, alphasort);

	for (int i = 0; i < n; i++) {
		if (!s->few || ((size_t)i + s->nth_sweep) % 3 == 0)
			play_file(s, file[i]->d_name, (size_t)i);
		free(file[i]);
	}
	free(file);
}

static void free_suite(struct suite *s)
{
	free_table(&s->by_class);
	free_table(&s->by_shape);
	vec_free(&s->all.stable);
	free(s);
}

void bench_scenarios(const struct bench *b)
{
	struct suite *s = mem_calloc(1, sizeof(*s));

	s->b = b;
	s->sweep = &sweep_none;
	choose_seeds(s, SEEDS_MOST);
	print_seeds(s);
	play_all(s);
	print_table("class", &s->by_class);
	print_table("shape", &s->by_shape);
	report(s);
	free_suite(s);
}

/*
 * The same, partly blind: one seed, and one line a sweep. Without FULL=1 a third of the files in
 * each; VERBOSE=1 prints the runs that fail.
 */
void bench_scenario_sweeps(const struct bench *b)
{
	(void)printf("    %-26s %6s %7s %6s %6s %8s %6s %7s %6s\n", "scenarios, sweep", "faults",
		"recall", "top-1", "class", "precis.", "wrong", "unseen", "wrong");
	for (size_t i = 0; i < sweep_count; i++) {
		struct suite *s = mem_calloc(1, sizeof(*s));
		struct case_tally *t = &s->all;

		s->b = b;
		s->sweep = &sweeps[i];
		s->quiet = getenv("VERBOSE") == NULL;
		s->few = !b->full && !getenv("SCENARIO") && !getenv("PRESETS");
		s->nth_sweep = i;
		choose_seeds(s, 1);
		if (!i)
			print_seeds(s);
		play_all(s);
		(void)printf("    %-26s %6u %6.0f%% %5.0f%% %5.0f%% %7.0f%% %6u %7u %6u\n",
			s->sweep->name, t->faults, percent(t->found, t->faults),
			percent(t->top, t->runs), percent(t->right_class, t->runs),
			percent(t->right, t->incidents), t->incidents - t->right, t->unseen,
			t->wrong_unseen);
		report(s);
		free_suite(s);
	}
}
