/* SPDX-License-Identifier: Apache-2.0 */
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/diagnosis/diagnosis.h"
#include "tests/bench/diagnosis/one_run.h"
#include "tests/bench/diagnosis/score.h"
#include "tests/bench/diagnosis/unseen.h"
#include "tests/support/run_command.h"

/* ---- one run ---- */

struct printer {
	const char *run;
	bool quiet;
};

static void print_row(void *ctx, const char *class, bool top1, bool class_ok, double polls,
	unsigned incidents, const char *verdict)
{
	const struct printer *p = ctx;

	if (p->quiet)
		return;
	(void)printf("  %-26s %-34s %s %s %5.0f %3u %s\n", p->run, class, top1 ? "Y" : "n",
		class_ok ? "Y" : "n", polls, incidents, verdict);
}

/* ---- beside score.py ---- */

/* "faults 15  detected(recall) 1.000  top-1 localisation 1.000  top-3 1.000  class 1.000" */
static bool agrees(const char *text, const struct score *s)
{
	const char *faults = strstr(text, "\nfaults "), *in = strstr(text, "\nincidents ");
	double n = s->faults ? s->faults : 1, recall, top1, class, precision;
	unsigned count, incidents;

	return faults && in &&
	       sscanf(faults,
		       " faults %u detected(recall) %lf top-1 localisation %lf top-3 %*f "
		       "class %lf",
		       &count, &recall, &top1, &class) == 4 &&
	       sscanf(in, " incidents %u precision %lf", &incidents, &precision) == 2 &&
	       count == s->faults && incidents == s->incidents &&
	       fabs(recall - s->py_detected / n) < 1e-3 && fabs(top1 - s->py_top1 / n) < 1e-3 &&
	       fabs(class - s->py_class / n) < 1e-3;
}

/* 1: both agree, 0: they do not, NAN: there is no python3 or no score.py. */
static double compare(const struct bench *b, const struct score *s, char *const *out, size_t n)
{
	const char **argv = mem_calloc(n + 4, sizeof(*argv));
	char script[PATH_MAX], *text;
	size_t len, k = 0;
	int status = 0;
	bool ok;

	(void)str_printf(script, sizeof(script), "%s/groundtruth/score.py", b->shared);
	if (!has_program("python3") || access(script, R_OK) != 0) {
		free(argv);
		return (double)NAN;
	}
	argv[k++] = "python3";
	argv[k++] = script;
	argv[k++] = "--verdicts";
	for (size_t i = 0; i < n; i++)
		argv[k++] = out[i];
	text = run_command(argv, NULL, NULL, &len, &status);
	ok = text && agrees(text, s);
	if (text && !ok)
		(void)fputs(text, stdout);
	free(text);
	free(argv);
	return ok;
}

/* ---- all runs ---- */

static size_t find_runs(const struct bench *b, glob_t *found)
{
	const char *given = getenv("GROUNDTRUTH");
	char pattern[PATH_MAX];

	(void)str_printf(pattern, sizeof(pattern), "%s%s/*/topology.json*",
		given ? given : b->shared, given ? "" : "/groundtruth");
	if (glob(pattern, 0, NULL, found) != 0)
		return 0;
	for (size_t i = 0; i < found->gl_pathc; i++)
		*strrchr(found->gl_pathv[i], '/') = '\0';
	return found->gl_pathc;
}

static void run_all(const struct bench *b, const struct sweep *sweep, const glob_t *runs,
	struct score *s, char **out)
{
	for (size_t i = 0; i < runs->gl_pathc; i++) {
		const char *dir = runs->gl_pathv[i], *name = strrchr(dir, '/') + 1;
		struct printer p = {name, sweep != &sweep_none};
		said_vec said = {0};
		char path[PATH_MAX];

		if (one_run_judge(dir, sweep, &said)) {
			if (out) {
				(void)str_printf(
					path, sizeof(path), "%s/bench/verdicts/%s", b->build, name);
				one_run_write(dir, path, &said);
				out[i] = mem_strdup(path);
			}
			(void)score_run(s, dir, &said, print_row, &p);
		}
		said_free(&said);
	}
}

static double percent(unsigned part, unsigned whole)
{
	return whole ? 100.0 * part / whole : (double)NAN;
}

void bench_report(
	const struct bench *b, const char *runs, const char *sweep, bool hard, struct score *s)
{
	char name[96];
	double p95 = score_stable_s(s, 0.95), p50 = score_stable_s(s, 0.5);

#define NAME(what)                                                                                 \
	(str_printf(name, sizeof(name), "%s%s%s: %s", runs, *sweep ? ", " : "", sweep, what), name)
	figure_least(b->figures, NAME("precision"), percent(s->right_incidents, s->incidents), "%",
		hard ? 98.5 : 0);
	figure_least(
		b->figures, NAME("recall"), percent(s->detected, s->faults), "%", hard ? 99.3 : 0);
	figure_least(b->figures, NAME("top-1"), percent(s->top1, s->faults), "%", hard ? 97.5 : 0);
	figure_least(b->figures, NAME("class"), percent(s->right_class, s->faults), "%",
		hard ? 97.5 : 0);
	figure_none(b->figures, NAME("victim ranked first"), s->victim_first, "");
	figure_none(b->figures, NAME("false incidents on healthy runs"), s->false_incidents, "");
	figure(b->figures, NAME("stable root cause, p50"), p50, "s", hard ? 15 : 0);
	figure(b->figures, NAME("stable root cause, p95"), p95, "s", hard ? 30 : 0);
#undef NAME
}

void bench_groundtruth(const struct bench *b)
{
	glob_t runs = {0};
	size_t n = find_runs(b, &runs);
	char **out = mem_calloc(n + 1, sizeof(*out));
	struct score s = {0};
	double agree;

	if (!n)
		(void)printf("  no labelled runs below %s/groundtruth\n", b->shared);
	run_all(b, &sweep_none, &runs, &s, out);
	if (n) {
		bench_report(b, "runs", "", true, &s);
		agree = compare(b, &s, out, n);
		if (!isnan(agree))
			figure_least(b->figures, "runs: score.py agrees", agree, "", 1);
	}
	score_free(&s);
	for (size_t i = 0; i < n; i++)
		free(out[i]);
	free(out);
	globfree(&runs);
}

void bench_sweeps(const struct bench *b)
{
	glob_t runs = {0};
	size_t n = find_runs(b, &runs);

	for (size_t i = 0; n && i < sweep_count; i++) {
		struct score s = {0};

		run_all(b, &sweeps[i], &runs, &s, NULL);
		if (!i)
			(void)printf("    %-26s %6s %7s %6s %6s %8s %6s\n", "packets, sweep",
				"faults", "recall", "top-1", "class", "precis.", "wrong");
		(void)printf("    %-26s %6u %6.0f%% %5.0f%% %5.0f%% %7.0f%% %6u\n", sweeps[i].name,
			s.faults, percent(s.detected, s.faults), percent(s.top1, s.faults),
			percent(s.right_class, s.faults), percent(s.right_incidents, s.incidents),
			s.incidents - s.right_incidents);
		bench_report(b, "runs", sweeps[i].name, false, &s);
		score_free(&s);
	}
	globfree(&runs);
	bench_scenario_sweeps(b);
}

/* The classes that have no labelled run; ONLY=name for one of them. */
void bench_unseen(const struct bench *b)
{
	const char *only = getenv("ONLY");
	struct score s = {0};

	for (size_t i = 0; i < unseen_count(); i++) {
		struct printer p = {unseen_name(i), false};
		said_vec said = {0};
		char dir[PATH_MAX];

		if (only && !str_eq(only, unseen_name(i)))
			continue;
		(void)str_printf(dir, sizeof(dir), "%s/bench/unseen/%s", b->build, unseen_name(i));
		one_run_folder(dir);
		if (unseen_write(i, dir) && one_run_judge(dir, &sweep_none, &said)) {
			one_run_write(dir, dir, &said);
			(void)score_run(&s, dir, &said, print_row, &p);
		}
		said_free(&said);
	}
	bench_report(b, "unseen", "", true, &s);
	score_free(&s);
}
