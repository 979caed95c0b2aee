/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/score.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/bench/diagnosis/sim_score.h"
#include "tests/support/scenario_file.h"

#define FOLDER       "tests/scenarios/faults"
#define CLASSES_MOST 64
#define DAY_S        86400.0
#define WRONG_SHOWN  4

/* The results of all runs of a class, or of all classes. */
struct case_tally {
	char class[32];
	unsigned faults, found, runs, top, right_class, incidents, right, victims;
	VEC(double) stable;
};

struct suite {
	const struct bench *b;
	const struct sweep *sweep;
	bool quiet;
	struct case_tally all, by_class[CLASSES_MOST];
	size_t classes;
	char name[128]; /* of the run at hand */
};

static struct case_tally *tally_of(struct suite *s, const char *class)
{
	for (size_t i = 0; i < s->classes; i++)
		if (strcmp(s->by_class[i].class, class) == 0)
			return &s->by_class[i];
	if (s->classes == CLASSES_MOST)
		return &s->by_class[0];
	(void)str_copy(s->by_class[s->classes].class, 32, class);
	return &s->by_class[s->classes++];
}

static void add(struct case_tally *t, const struct sim_score *x)
{
	t->runs += x->nfaults > 0;
	t->top += x->top_polls && 2 * x->top_right > x->top_polls;
	t->right_class += x->top_polls && 2 * x->top_class > x->top_polls;
	t->incidents += x->incidents;
	t->right += x->right;
	t->victims += x->victim_first;
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
	char missed[200] = "";

	for (unsigned i = 0; i < x->nfaults; i++) {
		struct case_tally *t = tally_of(s, x->fault[i].class);
		bool found = x->fault[i].found >= 2 || (x->fault[i].found && x->fault[i].polls < 3);

		t->faults++;
		t->found += found;
		s->all.faults++;
		s->all.found += found;
		if (!found)
			(void)str_printf(missed + strlen(missed), sizeof(missed) - strlen(missed),
				" missed %s", x->fault[i].class);
	}
	add(&s->all, x);
	add(tally_of(s, x->nfaults ? x->fault[0].class : "(healthy)"), x);
	if (s->quiet)
		return;
	if (*missed || x->right < x->incidents || x->victim_first ||
		(x->top_polls && 2 * x->top_class <= x->top_polls))
		(void)printf("    %-40s top-1 %u/%u class %u/%u wrong %u victim %u%s%s%s\n",
			s->name, x->top_right, x->top_polls, x->top_class, x->top_polls,
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
		(void)fprintf(stderr, "%s: %s\n", path, err.text);
		return false;
	}
	bed_open(&bed, &run.plan, s->sweep);
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

static void play_seed(struct suite *s, const char *file, const char *path, const struct scenario *c,
	unsigned p, uint64_t seed)
{
	struct sim_score x;

	(void)str_printf(s->name, sizeof(s->name), "%.*s %s seed %llu", (int)strcspn(file, "."),
		file, c->presets[p], (unsigned long long)seed);
	if (play(s, c->presets[p], seed, path, c->length, &x))
		take_score(s, &x);
}

/* Seeds that nobody has tuned on: SEEDS="101 102" instead of the file's own. */
static void play_held_out(struct suite *s, const char *file, const char *path,
	const struct scenario *c, const char *list)
{
	char *end;

	for (uint64_t seed = strtoull(list, &end, 10); end != list;
		seed = strtoull(list, &end, 10)) {
		play_seed(s, file, path, c, 0, seed);
		list = end;
	}
}

static void play_file(struct suite *s, const char *file)
{
	const char *held_out = getenv("SEEDS");
	struct scenario *c = mem_calloc(1, sizeof(*c));
	struct err err = {0};
	char path[300];

	(void)str_printf(path, sizeof(path), FOLDER "/%s", file);
	if (!scenario_read(c, path, &err))
		(void)fprintf(stderr, "%s: %s\n", path, err.text);
	if (held_out)
		play_held_out(s, file, path, c, held_out);
	for (unsigned p = 0; !held_out && p < c->npresets && (!p || s->b->full); p++) {
		/* The first seed is for tuning; the big preset is played once, with the second. */
		for (unsigned k = 1; k < c->nseeds && (k < 2 || (s->b->full && !p)); k++)
			play_seed(s, file, path, c, p, c->seed[k]);
	}
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

static void print_classes(struct suite *s)
{
	(void)printf("    %-18s %6s %7s %6s %6s %8s %6s %6s\n", "class", "faults", "recall",
		"top-1", "class", "precis.", "p50 s", "p95 s");
	for (size_t i = 0; i < s->classes; i++) {
		struct case_tally *t = &s->by_class[i];

		(void)printf("    %-18s %6u %6.0f%% %5.0f%% %5.0f%% %7.0f%% %6.0f %6.0f\n",
			t->class, t->faults, percent(t->found, t->faults), percent(t->top, t->runs),
			percent(t->right_class, t->runs), percent(t->right, t->incidents),
			score_part(t->stable.at, t->stable.n, 0.5),
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
	figure_none(f, NAME("polls with a victim first"), t->victims, "");
	figure(f, NAME("stable root cause, p50"), score_part(t->stable.at, t->stable.n, 0.5), "s",
		hard ? 15 : 0);
	figure(f, NAME("stable root cause, p95"), score_part(t->stable.at, t->stable.n, 0.95), "s",
		hard ? 30 : 0);
#undef NAME
}

static void play_all(const struct bench *b, const struct sweep *sweep)
{
	struct suite *s = mem_calloc(1, sizeof(*s));
	struct dirent **file = NULL;
	int n = scandir(FOLDER, &file, is_scenario, alphasort);

	s->b = b;
	s->sweep = sweep;
	s->quiet = sweep != &sweep_none;
	for (int i = 0; i < n; i++) {
		play_file(s, file[i]->d_name);
		free(file[i]);
	}
	free(file);
	if (!s->quiet)
		print_classes(s);
	report(s);
	for (size_t i = 0; i < s->classes; i++)
		vec_free(&s->by_class[i].stable);
	vec_free(&s->all.stable);
	free(s);
}

/* ---- healthy for hours ---- */

static void be_healthy(const struct bench *b, const char *name, int64_t length)
{
	struct suite s = {.b = b, .sweep = &sweep_none};
	char path[300], text[96];
	struct sim_score x = {0};
	double gpu_days = 0.256 * (double)length / 1e6 / DAY_S;

	(void)str_printf(path, sizeof(path), FOLDER "/%s.scenario", name);
	(void)str_copy(s.name, sizeof(s.name), name);
	if (!play(&s, "ref256", 2, path, length, &x))
		return;
	(void)str_printf(text, sizeof(text), "%s, %.0f min: false positives a day, 1,000 GPUs",
		name, (double)length / 60e6);
	figure(b->figures, text, (x.incidents - x.right) / gpu_days, "", 0.5);
}

void bench_scenarios(const struct bench *b)
{
	int64_t length = (b->full ? 240 : 10) * 60 * CLOCK_SEC;

	play_all(b, &sweep_none);
	for (size_t i = 0; b->full && i < sweep_count; i++)
		play_all(b, &sweeps[i]);
	if (getenv("SCENARIO"))
		return;
	be_healthy(b, "healthy", length);
	be_healthy(b, "heavy-load", length);
	be_healthy(b, "checkpoint", length);
}
