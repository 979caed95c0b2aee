/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rows of the findings over whole incidents, at every poll, as the view findings lists them:
 * - a cause that is open stays above its consequences;
 * - culprits stand above victims, risks and what ended;
 * - two rows that swap have a reason on the screen: their confidence, severity, role, ends, GPUs,
 *   victims or symptoms have changed;
 * - no two rows swap to and fro;
 * - the cursor stays on its finding, wherever that goes.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenario_file.h"
#include "tui/table.h"
#include "views/diag_rows.h"
#include "views/panels/finding_text.h"

static const char *const folders[] = {"tests/scenarios/faults", "tests/scenarios/cases"};
#define PRESET "ref256"
/* Those of minutes repeat themselves. */
#define LENGTH_MOST (INT64_C(150) * CLOCK_SEC)
#define ROWS_MOST   64
#define SWAPS_MOST  1 /* of two rows, without a change of severity, role or end */

/* The part of a finding that a person sees in its row. */
struct shown {
	uint64_t key, root;
	enum severity severity;
	enum finding_role role;
	int sure;                               /* per cent */
	unsigned victims, gpus, symptoms, lost; /* lost: Gb/s */
	bool ended;
	char name[160];
};

struct pair {
	uint64_t a, b;
	unsigned swaps;
};

struct incident {
	const char *name;
	struct sim_run run;
	struct bed bed;
	struct view_cache *cache;
	struct shown was[ROWS_MOST], now[ROWS_MOST];
	size_t nwas, nnow;
	VEC(struct pair) pairs;
	struct table_state table;
	uint64_t cursor; /* the finding that the cursor was put on; 0: none yet */
	unsigned polls, bad, swaps;
};

static void complain(
	struct incident *x, const char *what, const struct shown *a, const struct shown *b)
{
	x->bad++;
	(void)printf("BAD %s at %.0f s: %s: %s (%d%%), %s (%d%%)\n", x->name,
		(double)(x->run.now_us - SIM_START) / 1e6, what, a->name, a->sure, b ? b->name : "",
		b ? b->sure : 0);
}

static unsigned symptoms_of(const struct finding *const *all, size_t n, uint64_t key)
{
	unsigned of = 0;

	for (size_t i = 0; i < n; i++)
		of += all[i]->root == key;
	return of;
}

static void read_rows(struct incident *x)
{
	struct view_ctx ctx = {.model = x->bed.m,
		.diag = x->bed.d,
		.now_us = x->run.now_us,
		.cache = x->cache,
		.folded = true};
	const struct view_ops *v = view_by_name("findings");
	const struct finding *const *all;
	row_vec rows = {0};
	size_t n;

	memcpy(x->was, x->now, sizeof(x->was));
	x->nwas = x->nnow;
	x->nnow = 0;
	v->rows(&ctx, &rows);
	all = diag_findings(x->bed.d, &n);
	for (size_t i = 0; i < rows.n && x->nnow < ROWS_MOST; i++) {
		const struct finding *f = finding_of(&ctx, rows.at[i], NULL);
		struct shown *s = &x->now[x->nnow++];

		assert_non_null(f);
		*s = (struct shown){.key = f->key,
			.root = f->root,
			.severity = f->severity,
			.role = f->role,
			.sure = (int)(f->confidence * 100 + 0.5F),
			.victims = f->nvictims,
			.gpus = f->gpus_blocked + f->gpus_slow,
			.lost = (unsigned)f->blame_gbps,
			.symptoms = symptoms_of(all, n, f->key),
			.ended = finding_ended_us(f) != 0};
		finding_locator(x->bed.m, f, s->name, sizeof(s->name));
	}
	vec_free(&rows);
}

static const struct shown *find(const struct shown *at, size_t n, uint64_t key)
{
	for (size_t i = 0; i < n; i++)
		if (at[i].key == key)
			return &at[i];
	return NULL;
}

static bool has_changed(const struct shown *a, const struct shown *b)
{
	return a->severity != b->severity || a->role != b->role || a->sure != b->sure ||
	       a->victims != b->victims || a->gpus != b->gpus || a->symptoms != b->symptoms ||
	       a->lost != b->lost || a->ended != b->ended || a->root != b->root;
}

/* Whether it is another thing now, and not only more or less of it. */
static bool is_other(const struct shown *a, const struct shown *b)
{
	return a->severity != b->severity || a->role != b->role || a->ended != b->ended ||
	       a->root != b->root;
}

static struct pair *pair_of(struct incident *x, uint64_t a, uint64_t b)
{
	for (size_t i = 0; i < x->pairs.n; i++)
		if ((x->pairs.at[i].a == a && x->pairs.at[i].b == b) ||
			(x->pairs.at[i].a == b && x->pairs.at[i].b == a))
			return &x->pairs.at[i];
	vec_push(&x->pairs, (struct pair){.a = a, .b = b});
	return &x->pairs.at[x->pairs.n - 1];
}

static void check_swaps(struct incident *x)
{
	for (size_t i = 0; i < x->nnow; i++)
		for (size_t k = i + 1; k < x->nnow; k++) {
			const struct shown *up = &x->now[i], *down = &x->now[k];
			const struct shown *a = find(x->was, x->nwas, up->key);
			const struct shown *b = find(x->was, x->nwas, down->key);
			struct pair *p;

			if (!a || !b || a < b)
				continue;
			x->swaps++;
			if (!has_changed(a, up) && !has_changed(b, down))
				complain(x, "swapped without a reason", up, down);
			p = pair_of(x, up->key, down->key);
			if (is_other(a, up) || is_other(b, down))
				p->swaps = 0;
			else if (++p->swaps > SWAPS_MOST)
				complain(x, "swapped to and fro", up, down);
		}
}

/* A row that explains stands above those that it explains, and a cause above all else. */
static void check_causes(struct incident *x)
{
	bool other = false;

	for (size_t i = 0; i < x->nnow; i++) {
		const struct shown *s = &x->now[i];
		const struct shown *root = s->root ? find(x->now, x->nnow, s->root) : NULL;

		if (root && root > s)
			complain(x, "above its cause", s, root);
		if (s->role == ROLE_CULPRIT && !s->ended && other)
			complain(x, "a culprit below what is none", s, &x->now[i - 1]);
		other |= s->role == ROLE_VICTIM || s->role == ROLE_RISK || s->role == ROLE_INFO;
	}
}

static uint64_t table_key(void *ctx, size_t row)
{
	return ref_key(ref_of_finding(((struct incident *)ctx)->now[row].key));
}

static void table_cell_of(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	(void)col;
	(void)str_copy(out->text, sizeof(out->text), ((struct incident *)ctx)->now[row].name);
}

/* The cursor is put on the second finding, or the first, and must stay on it. */
static void check_cursor(struct incident *x)
{
	static const struct table_column column = {"place", "place", 20, 1, 0, false, ""};
	struct table_source src = {.columns = &column,
		.ncolumns = 1,
		.nrows = x->nnow,
		.ctx = x,
		.key = table_key,
		.cell = table_cell_of,
		.empty = ""};
	size_t row;

	if (!x->nnow)
		return;
	if (!x->cursor || !find(x->now, x->nnow, x->cursor)) {
		table_init(&x->table);
		table_move(&x->table, &src, TABLE_TOP);
		if (x->nnow > 1)
			table_move(&x->table, &src, TABLE_DOWN);
		x->cursor = x->now[x->nnow > 1 ? 1 : 0].key;
	}
	row = table_row(&x->table, &src);
	if (row >= x->nnow || x->now[row].key != x->cursor)
		complain(x, "the cursor left it", find(x->now, x->nnow, x->cursor), NULL);
}

static void play(struct incident *x, const char *folder, const char *name)
{
	struct scenario s = {.length = LENGTH_MOST};
	struct err err = {0};
	char path[256];

	*x = (struct incident){.name = name};
	(void)str_printf(path, sizeof(path), "%s/%s", folder, name);
	/* Those of cases/ have no length of their own. */
	if ((!strstr(folder, "/cases") && !scenario_read(&s, path, &err)) ||
		!sim_run_open(&x->run, PRESET, 1, path, &sweep_none, &err))
		fail_msg("%s: %s", path, err.text);
	bed_open(&x->bed, &x->run.plan, &sweep_none);
	x->cache = view_cache_new();
	while (x->run.now_us + x->run.interval_us <= SIM_START + s.length &&
		x->run.now_us < SIM_START + LENGTH_MOST) {
		sim_run_poll(&x->run, &x->bed);
		read_rows(x);
		check_swaps(x);
		check_causes(x);
		check_cursor(x);
		x->polls += x->nnow > 0;
	}
	(void)printf("# %-28s %u polls with findings, %u swaps\n", name, x->polls, x->swaps);
	vec_free(&x->pairs);
	view_cache_free(x->cache);
	bed_close(&x->bed);
	sim_run_close(&x->run);
}

/* The checks see their own cases. */
CASE(rows_that_swap_are_noticed)
{
	static struct incident x;
	struct shown a = {.key = 1, .role = ROLE_CULPRIT, .sure = 90, .name = "a"};
	struct shown b = {.key = 2, .role = ROLE_CULPRIT, .sure = 80, .name = "b"};
	struct shown victim = {.key = 3, .root = 1, .role = ROLE_VICTIM, .name = "c"};

	x = (struct incident){
		.name = "made up", .nwas = 2, .nnow = 2, .was = {a, b}, .now = {b, a}};
	x.run.now_us = SIM_START;
	check_swaps(&x);
	assert_int_equal(x.bad, 1);
	/* With another number there is a reason, once. */
	x.bad = 0;
	x.pairs.n = 0;
	x.now[0].sure = 95;
	check_swaps(&x);
	assert_int_equal(x.bad, 0);
	check_swaps(&x);
	assert_int_equal(x.bad, 1);
	x.bad = 0;
	x.now[0] = victim;
	check_causes(&x);
	assert_int_equal(x.bad, 2);
	vec_free(&x.pairs);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void play_folder(struct incident *x, const char *folder, unsigned *bad, unsigned *polls)
{
	const char *only = getenv("SCENARIO");
	VEC(char *) names = {0};
	struct dirent *e;
	DIR *d = opendir(folder);

	assert_non_null(d);
	while ((e = readdir(d)))
		if (fnmatch("*.scenario", e->d_name, 0) == 0 &&
			(!only || strncmp(e->d_name, only, strlen(only)) == 0))
			vec_push(&names, strdup(e->d_name));
	(void)closedir(d);
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_name);
	for (size_t i = 0; i < names.n; i++) {
		/* Without FULL=1 every fourth. */
		if (effort_full() || only || i % 4 == 0) {
			play(x, folder, names.at[i]);
			*bad += x->bad;
			*polls += x->polls;
		}
		free(names.at[i]);
	}
	vec_free(&names);
}

CASE(rows_of_findings_keep_their_places)
{
	static struct incident x;
	unsigned bad = 0, polls = 0;

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		play_folder(&x, folders[i], &bad, &polls);
	assert_int_equal(bad, 0);
	assert_true(getenv("SCENARIO") || polls > 50);
}

CASES_MAIN(NULL, NULL)
