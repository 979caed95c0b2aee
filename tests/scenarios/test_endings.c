/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ending is as important as beginning: three polls after the last fault of a scenario is healed,
 * whatever is still blamed says that it ended, and nothing takes its place. A link that flapped is
 * kept on purpose: its finding counts the last 10 minutes, and says so (reference 2.1: flap
 * memory).
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "base/str.h"
#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenario_file.h"

#define FOLDER "tests/scenarios/faults"
#define PRESET "ref256"
#define POLLS  3
/* Longer ones heal as the short ones do. */
#define LENGTH_MOST (INT64_C(75) * 1000000)

struct ending {
	const char *name;
	struct sim_run run;
	struct bed bed;
	unsigned healed; /* polls since the last fault ended, the first too; 0: one is on */
	bool began;
	int64_t healed_us;
	unsigned judged;
};

/* Counts the polls since the last fault ended. */
static void note_faults(struct ending *e)
{
	json_t *truth = sim_run_truth(&e->run);
	const json_t *f;
	size_t i;
	bool on = false;

	json_array_foreach(json_object_get(truth, "faults"), i, f)
	{
		on |= json_is_true(json_object_get(f, "active"));
	}
	json_decref(truth);
	e->began |= on;
	if (on || !e->began) {
		e->healed = 0;
		return;
	}
	if (!e->healed++)
		e->healed_us = e->run.now_us;
}

static void judge(struct ending *e)
{
	const struct finding *const *list;
	char where[160];
	size_t n;

	list = diag_findings(e->bed.d, &n);
	for (size_t i = 0; i < n; i++) {
		const struct finding *f = list[i];

		if (f->role != ROLE_CULPRIT || f->root || f->id == FIND_LINK_FLAPPING)
			continue;
		finding_locator(e->bed.m, f, where, sizeof(where));
		if (e->healed > POLLS && !finding_ended_us(f))
			fail_msg("%s: %s (%s) is blamed %u polls after healing", e->name, where,
				f->title, e->healed - 1);
	}
	e->judged += e->healed > POLLS;
}

static bool play(const char *name)
{
	struct ending e = {.name = name};
	struct scenario s;
	struct err err = {0};
	char path[256];

	(void)str_printf(path, sizeof(path), FOLDER "/%s", name);
	if (!scenario_read(&s, path, &err) ||
		!sim_run_open(&e.run, PRESET, 1, path, &sweep_none, &err))
		fail_msg("%s: %s", path, err.text);
	bed_open(&e.bed, &e.run.plan, &sweep_none);
	while (e.run.now_us + e.run.interval_us <= SIM_START + s.length &&
		s.length <= LENGTH_MOST) {
		sim_run_poll(&e.run, &e.bed);
		note_faults(&e);
		judge(&e);
	}
	(void)printf("# %-28s healed at %.0f s, judged at %u polls\n", name,
		(double)(e.healed_us - SIM_START) / 1e6, e.judged);
	bed_close(&e.bed);
	sim_run_close(&e.run);
	return e.judged > 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

CASE(every_finding_ends_within_three_polls_of_healing)
{
	const char *only = getenv("SCENARIO");
	VEC(char *) names = {0};
	unsigned judged = 0;
	struct dirent *e;
	DIR *d = opendir(FOLDER);

	assert_non_null(d);
	while ((e = readdir(d)))
		if (fnmatch("*.scenario", e->d_name, 0) == 0 &&
			(!only || strncmp(e->d_name, only, strlen(only)) == 0))
			vec_push(&names, strdup(e->d_name));
	(void)closedir(d);
	qsort(names.at, names.n, sizeof(*names.at), by_name);
	for (size_t i = 0; i < names.n; i++) {
		/* Without FULL=1 every third. */
		if (effort_full() || only || i % 3 == 1)
			judged += play(names.at[i]);
		free(names.at[i]);
	}
	vec_free(&names);
	assert_true(only || judged > (effort_full() ? 25 : 7));
}

CASES_MAIN(NULL, NULL)
