/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every view in the fault classes of this folder, through a real terminal at 80x24 and at 200x50:
 * - the culprit's device is on every page from the poll that proves it, with its number;
 * - the first page has its GPUs, its age, the key to the evidence, and its place on the map;
 * - the title has the whole verdict, and not how many devices are fresh where all are;
 * - no name is cut, and no other text beside free columns;
 * - what is red or amber has a mark or a word too;
 * - a row that is red or amber shows the number that made it so;
 * - no riddle of an earlier version stands anywhere, and one thing is no plural;
 * - at 200x50 35 % of the cells have ink, or there is a second pane.
 *
 *   SCENARIO=deadlock build/tests/scenarios/test_every_view     only files of that name
 *   SHOW=DIR                                                    writes each screen there
 */
#include <ctype.h>
#include <dirent.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/vec.h"
#include "tests/bench/diagnosis/sim_run.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/effort.h"
#include "tests/support/scenario_file.h"
#include "tests/support/terminal/vt.h"
#include "views/panels/cause.h"
#include "views/panels/finding_text.h"
#include "views/short_names.h"

#define FOLDER "tests/scenarios/faults"
#define SEED   1
#define PRESET "ref256"
/* By then each fault is on for half a minute. */
#define LENGTH_MOST (INT64_C(48) * CLOCK_SEC)
#define COLS_MOST   256

static const int sizes[][2] = {{24, 80}, {50, 200}};

/*
 * What the diagnosis knows at a poll: "" without a culprit. The two ends of a BGP session have a
 * finding each, of the same weight: the banner names one of them.
 */
struct known {
	char device[64], twin[64], place[128], number[96], gpus[64], badge[64], brief[64];
	bool on_map, port, paused;
};

struct stage {
	const char *name; /* of the scenario */
	char dir[64], inventory[96], first[96], last[96];
	struct known at_first, at_last;
	unsigned bad, screens;
};

static bool is_whole(void)
{
	return effort_full() || getenv("SCENARIO");
}

/* ---- the observations of a scenario ---- */

static void learn(const struct bed *bed, int64_t now_us, struct known *k)
{
	struct view_ctx ctx = {.model = bed->m, .diag = bed->d, .now_us = now_us};
	const struct finding *f = cause_finding(&ctx);
	const struct finding *const *all;
	const struct device *d;
	size_t n;

	*k = (struct known){0};
	if (!f)
		return;
	d = ref_device(bed->m, f->at);
	if (d)
		(void)str_copy(k->device, sizeof(k->device), d->name);
	k->on_map = (d && d->tier != TIER_HOST) ||
		    (ref_device(bed->m, f->peer) && ref_device(bed->m, f->peer)->tier != TIER_HOST);
	k->port = ref_port(bed->m, f->at) != NULL;
	if (f->gpus_blocked || f->gpus_slow)
		(void)str_printf(k->gpus, sizeof(k->gpus), "%u GPUs %s",
			f->gpus_blocked ? f->gpus_blocked : f->gpus_slow,
			f->gpus_blocked ? "blocked" : "slowed");
	verdict_badge(&ctx, k->badge, sizeof(k->badge), false);
	verdict_badge(&ctx, k->brief, sizeof(k->brief), true);
	all = diag_findings(bed->d, &n);
	for (size_t i = 0; i < n; i++)
		if (all[i] != f && all[i]->id == f->id && all[i]->role == f->role &&
			(d = ref_device(bed->m, all[i]->at)))
			(void)str_copy(k->twin, sizeof(k->twin), d->name);
	(void)ref_format(bed->m, f->at, k->place, sizeof(k->place));
	(void)cause_number(f, k->number, sizeof(k->number));
	k->paused = str_starts(k->number, "paused");
}

static void write_lines(const char *path, const char *mode, const char *text, size_t size)
{
	FILE *f = fopen(path, mode);

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	assert_int_equal(fclose(f), 0);
}

static void copy_file(const char *from, const char *to)
{
	FILE *in = fopen(from, "re");
	char chunk[65536];
	size_t n;

	assert_non_null(in);
	write_lines(to, "we", "", 0);
	while ((n = fread(chunk, 1, sizeof(chunk), in)) > 0)
		write_lines(to, "ae", chunk, n);
	(void)fclose(in);
}

/* Fills s->last with all polls, and s->first with those up to the first one with a culprit. */
static void play(struct stage *s, const char *path)
{
	struct scenario sc;
	struct sim_run run;
	struct bed bed;
	struct err err = {0};

	if (!scenario_read(&sc, path, &err) ||
		!sim_run_open(&run, PRESET, SEED, path, &sweep_none, &err))
		fail_msg("%s: %s", path, err.text);
	bed_open(&bed, &run.plan, &sweep_none);
	write_lines(s->last, "we", "", 0);
	if (sc.length > LENGTH_MOST)
		sc.length = LENGTH_MOST;
	while (run.now_us + run.interval_us <= SIM_START + sc.length) {
		sim_run_poll(&run, &bed);
		write_lines(s->last, "ae", run.text, run.size);
		learn(&bed, run.now_us, &s->at_last);
		if (s->at_first.place[0] || !s->at_last.place[0])
			continue;
		s->at_first = s->at_last;
		copy_file(s->last, s->first);
	}
	assert_int_equal(bed.refused, 0);
	bed_close(&bed);
	sim_run_close(&run);
}

/* ---- a screen as cells ---- */

struct grid {
	int rows, cols;
	uint32_t at[64][COLS_MOST];
};

static uint32_t next_char(const unsigned char **s)
{
	uint32_t c = *(*s)++;
	int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;

	if (more)
		c &= 0x3fU >> more;
	for (; more && **s; more--)
		c = c << 6 | (*(*s)++ & 0x3f);
	return c;
}

static void read_grid(struct vt *vt, struct grid *g)
{
	g->rows = vt_rows(vt);
	g->cols = vt_cols(vt);
	for (int y = 0; y < g->rows; y++) {
		const unsigned char *s = (const unsigned char *)vt_line(vt, y);

		for (int x = 0; x < g->cols; x++)
			g->at[y][x] = *s ? next_char(&s) : ' ';
	}
}

#define CUT  0x2026 /* horizontal ellipsis */
#define WALL 0x2502 /* the lines between panes */
#define RULE 0x2500

static double ink_of(const struct grid *g)
{
	unsigned n = 0;

	for (int y = 0; y < g->rows; y++)
		for (int x = 0; x < g->cols; x++)
			n += g->at[y][x] != ' ';
	return 100.0 * n / (g->rows * g->cols);
}

/* A line between left and right, or above a table below the page's own. */
static bool has_second_pane(const struct grid *g)
{
	for (int x = 40; x < g->cols; x++)
		if (g->at[g->rows / 2][x] == WALL)
			return true;
	for (int y = 4; y < g->rows; y++)
		if (g->at[y][g->cols - 1] == RULE)
			return true;
	return false;
}

/* ---- the console ---- */

static struct vt *start(const struct stage *s, const char *observations, int rows, int cols)
{
	static char path[256];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", s->inventory,
		"--observations", observations, NULL};
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {.rows = rows, .cols = cols, .env = env, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static void show(const struct stage *s, struct vt *vt, const char *view)
{
	const char *dir = getenv("SHOW");
	char path[256], *text;

	if (!dir)
		return;
	text = vt_screen(vt);
	(void)str_printf(path, sizeof(path), "%s/%s-%d-%.30s.txt", dir, s->name, vt_cols(vt), view);
	for (char *c = path + strlen(dir) + 1; *c; c++)
		if (*c == ' ' || *c == ':' || *c == '/')
			*c = '_';
	write_lines(path, "we", text, strlen(text));
	free(text);
}

static void complain(struct stage *s, struct vt *vt, const char *view, const char *what)
{
	s->bad++;
	(void)printf("BAD %s %s %dx%d: %s\n", s->name, view, vt_cols(vt), vt_rows(vt), what);
}

static void check_cuts(struct stage *s, struct vt *vt, const struct grid *g, const char *view)
{
	for (int y = 1; y < g->rows - 2; y++)
		for (int x = 0; x < g->cols; x++) {
			int free_cols = 0, end = x;

			if (g->at[y][x] != CUT)
				continue;
			while (end < g->cols && g->at[y][end] != ' ' && g->at[y][end] != WALL)
				end++;
			for (int k = end; k < g->cols && g->at[y][k] == ' '; k++)
				free_cols++;
			/* Fewer may be those of a number at the right of its column. */
			if (free_cols > 8)
				complain(s, vt, view, vt_line(vt, y));
			break;
		}
}

static void check_ink(struct stage *s, struct vt *vt, const struct grid *g, const char *view)
{
	char text[64];

	/* A chart shows an hour of which a minute is known. */
	if (g->cols < 200 || str_eq(view, "chart") || has_second_pane(g) || ink_of(g) >= 35)
		return;
	(void)str_printf(text, sizeof(text), "%.0f%% ink", ink_of(g));
	complain(s, vt, view, text);
}

/* The first column of a row is its name; the end of a port tells it from its neighbours. */
static void check_names(struct stage *s, struct vt *vt, const struct grid *g, const char *view)
{
	for (int y = 4; y < g->rows - 3; y++)
		for (int x = 0; x < g->cols && g->at[y][x] != ' '; x++)
			if (g->at[y][x] == CUT && (x + 1 == g->cols || g->at[y][x + 1] == ' '))
				complain(s, vt, view, vt_line(vt, y));
}

/* The title has the verdict; of long paths it has the short one. */
static void check_title(struct stage *s, struct vt *vt, const char *view, const struct known *k)
{
	const char *title = vt_line(vt, 0);
	bool is_long = strlen(view) > 8 || str_eq(view, "culprit") || str_eq(view, "trace");

	if (strstr(title, "44/44") || !strstr(title, is_long ? k->brief : k->badge))
		complain(s, vt, view, title);
}

static bool top_has(struct vt *vt, const char *text)
{
	return strstr(vt_line(vt, 1), text) || strstr(vt_line(vt, 2), text);
}

/* The page that a call at night begins with: kind and place, GPUs, age, and the next key. */
static void check_home(struct stage *s, struct vt *vt, const char *view, const struct known *k)
{
	if (!k->place[0] || !str_eq(view, "cluster"))
		return;
	if (k->gpus[0] && !top_has(vt, k->gpus))
		complain(s, vt, view, k->gpus);
	if (!top_has(vt, "e evidence"))
		complain(s, vt, view, "no key to the evidence");
	if (!top_has(vt, "0s") && !top_has(vt, " 5s"))
		complain(s, vt, view, "no age");
	if (k->on_map && !vt_has(vt, "[X]"))
		complain(s, vt, view, "the cause is not on the map");
}

/* A port that pauses spread from has a line in the heat over time, above those of its hour. */
static void check_heat(struct stage *s, struct vt *vt, const char *view, const struct known *k)
{
	if (str_eq(view, "heat") && k->paused && k->port && !vt_has(vt, "<- cause"))
		complain(s, vt, view, "no line of the cause");
}

/* In the banner, on every page. */
static void check_number(struct stage *s, struct vt *vt, const char *view, const struct known *k)
{
	if (k->number[0] && !vt_has(vt, k->number))
		complain(s, vt, view, k->number);
}

static bool has_device(struct vt *vt, const char *name)
{
	char brief[64];

	short_place(name, brief, sizeof(brief));
	return vt_has(vt, name) || vt_has(vt, brief);
}

/* Colours of the default theme for what is bad, also under the cursor. */
static bool is_alarm(struct vt_attr a)
{
	return a.fg == 203 || a.fg == 214 || (a.bg == 24 && (a.fg == 221 || a.fg == 224));
}

static bool is_mark(uint32_t c)
{
	return (c < 0x80 && strchr("!#+=~:[*^", (int)c)) || (c | 0x20) - 'a' < 26 || c > 0x2000;
}

/* The end of an alarm at x: its words with a blank between them are one statement. */
static int alarm_end(struct vt *vt, const struct grid *g, int y, int x, bool *marked)
{
	*marked = false;
	for (; x < g->cols && is_alarm(vt_attr_at(vt, y, x)); x++) {
		if (g->at[y][x] == ' ' && (x + 1 == g->cols || g->at[y][x + 1] == ' '))
			break;
		*marked |= is_mark(g->at[y][x]);
	}
	return x;
}

/* What is red or amber has a mark or a word: eyes that see no difference read it. */
static void check_marks(struct stage *s, struct vt *vt, const struct grid *g, const char *view)
{
	char where[1024];
	bool marked;

	for (int y = 1; y < g->rows; y++)
		for (int x = 0, end; x < g->cols; x = end + 1) {
			end = g->at[y][x] == ' ' ? x : alarm_end(vt, g, y, x, &marked);
			if (end == x || marked)
				continue;
			(void)str_printf(where, sizeof(where), "no mark at column %d of %s", x,
				vt_line(vt, y));
			complain(s, vt, view, where);
		}
}

/* Nothing is more than all of it: of time, of a link's speed, of members. */
static void check_shares(struct stage *s, struct vt *vt, const char *view)
{
	for (int y = 0; y < vt_rows(vt); y++) {
		const char *line = vt_line(vt, y), *at = line;

		while ((at = strchr(at, '%')) != NULL) {
			const char *digit = at;

			while (digit > line &&
				(isdigit((unsigned char)digit[-1]) || digit[-1] == '.'))
				digit--;
			if (strtod(digit, NULL) > 100)
				complain(s, vt, view, line);
			at++;
		}
	}
}

static bool is_letter(char c)
{
	return isalpha((unsigned char)c) || c == '_';
}

/* Whether the words stand in the line as words of their own. */
static bool has_words(const char *line, const char *words)
{
	size_t n = strlen(words);

	for (const char *at = line; (at = strstr(at, words)); at++)
		if ((at == line || !is_letter(at[-1])) &&
			(!is_letter(words[n - 1]) || !is_letter(at[n])))
			return true;
	return false;
}

/* The terms of the field stand instead of these (docs/screens.md, Words). */
static const char *const riddles[] = {"suffer", "live goes on", "held", "holds its peer",
	"holds it", "or else", "terminal", "terminals", "blame", "1st", "odd one out", "alike",
	"without proof by LLDP", "polls_left_out", "far prx", "far ptx", "cycle: pass", "No ring",
	"sessions right", "DARK", "nothing that is known", "told by", "better"};
/* Things that are counted: "1 ports" is none. */
static const char *const plurals[] = {"columns", "ports", "polls", "links", "hosts", "devices",
	"leaves", "spines", "switches", "jobs", "ranks", "findings", "causes", "culprits",
	"victims", "rows", "sessions", "members", "lines", "events", "steps", "times", "GPUs",
	"NICs", "sources", "problems", "communicators", "records", "batches", "rails"};

static bool has_plural_of_one(const char *line)
{
	for (const char *at = line; (at = strstr(at, "1 ")); at += 2)
		if (at == line || at[-1] == ' ' || at[-1] == '(')
			for (size_t i = 0; i < sizeof(plurals) / sizeof(plurals[0]); i++)
				if (str_starts(at + 2, plurals[i]) &&
					!is_letter(at[2 + strlen(plurals[i])]))
					return true;
	return false;
}

static void check_words(struct stage *s, struct vt *vt, const char *view)
{
	char what[1024];

	for (int y = 0; y < vt_rows(vt); y++) {
		const char *line = vt_line(vt, y);

		for (size_t i = 0; i < sizeof(riddles) / sizeof(riddles[0]); i++)
			if (has_words(line, riddles[i])) {
				(void)str_printf(what, sizeof(what), "the word \"%s\" in %s",
					riddles[i], line);
				complain(s, vt, view, what);
			}
		if (has_plural_of_one(line))
			complain(s, vt, view, line);
	}
}

CASE(words_are_found)
{
	assert_true(has_words("the port is held 40 s", "held"));
	assert_false(has_words("withheld", "held"));
	assert_false(has_words("pfc_held", "held"));
	assert_true(has_plural_of_one("of 1 ports"));
	assert_true(has_plural_of_one("1 polls skipped"));
	assert_false(has_plural_of_one("21 ports, 1 port, r1 ports"));
}

/* Whether the cells from x on are the word of a severe state. */
static bool is_state(const struct grid *g, int y, int x, int end)
{
	static const char *const words[] = {"CRIT", "WARN", "CAUSE", "victim"};

	for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++) {
		int i = 0, n = (int)strlen(words[w]);

		while (i < n && x + i < end && g->at[y][x + i] == (uint32_t)words[w][i])
			i++;
		if (i == n && x + n == end)
			return true;
	}
	return false;
}

/* A row of the fabric that is red or amber shows what made it so. */
static void check_breach(struct stage *s, struct vt *vt, const struct grid *g, const char *view)
{
	static const char *const tables[] = {"rail 2", "leaf-r2-00", "node007", "spine-001",
		"hosts", "ports", "optics", "links"};
	bool due = false, marked;

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		due |= str_eq(tables[i], view);
	for (int y = 4; due && y < g->rows - 2; y++) {
		unsigned states = 0, others = 0;

		for (int x = 0, end; x < g->cols && g->at[y][x] != WALL; x = end + 1) {
			end = g->at[y][x] == ' ' ? x : alarm_end(vt, g, y, x, &marked);
			if (end > x && x > 4)
				*(is_state(g, y, x, end) ? &states : &others) += 1;
		}
		if (states && !others)
			complain(s, vt, view, vt_line(vt, y));
	}
}

static void check_screen(struct stage *s, struct vt *vt, const char *view, const struct known *k)
{
	static struct grid g;

	read_grid(vt, &g);
	s->screens++;
	show(s, vt, view);
	if (k->device[0] && !has_device(vt, k->device) && !(k->twin[0] && has_device(vt, k->twin)))
		complain(s, vt, view, k->place);
	check_number(s, vt, view, k);
	if (k->badge[0])
		check_title(s, vt, view, k);
	check_home(s, vt, view, k);
	check_heat(s, vt, view, k);
	check_names(s, vt, &g, view);
	check_cuts(s, vt, &g, view);
	check_shares(s, vt, view);
	check_words(s, vt, view);
	check_marks(s, vt, &g, view);
	check_breach(s, vt, &g, view);
	check_ink(s, vt, &g, view);
}

static void open_view(struct vt *vt, const char *view)
{
	vt_type(vt, ":");
	vt_type(vt, view);
	vt_key(vt, "Enter");
	vt_settle(vt);
}

static void walk(struct stage *s, int rows, int cols)
{
	static const char *const views[] = {"cluster", "rail 2", "leaf-r2-00",
		"leaf-r2-00:Ethernet28", "leaf-r2-00:Ethernet28:3", "node007", "spine-001", "hosts",
		"ports", "optics", "links", "events", "findings", "storm", "jobs", "wiring", "lint",
		"bgp", "devices", "map", "heat", "chart", "audit", "device leaf-r2-00",
		"ranks job-57d1c876", "gpus", "fabrics"};
	struct vt *vt = start(s, s->last, rows, cols);
	char trace[160];

	for (size_t i = 0; i < sizeof(views) / sizeof(views[0]); i++) {
		/* Without FULL=1 a third of the views; the first page always. */
		if (i && i % 3 && !is_whole())
			continue;
		open_view(vt, views[i]);
		check_screen(s, vt, views[i], &s->at_last);
	}
	if (s->at_last.place[0]) {
		open_view(vt, s->at_last.place);
		check_screen(s, vt, "culprit", &s->at_last);
		(void)str_printf(trace, sizeof(trace), "trace %s", s->at_last.place);
		open_view(vt, trace);
		check_screen(s, vt, "trace", &s->at_last);
		vt_key(vt, "e");
		vt_settle(vt);
		check_screen(s, vt, "finding", &s->at_last);
	}
	vt_leave(vt);
}

static void check_scenario(struct stage *s, const char *path)
{
	play(s, path);
	(void)printf("# %s: %s %s\n", s->name, s->at_last.place, s->at_last.number);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
		walk(s, sizes[i][0], sizes[i][1]);
	if (s->at_first.place[0]) {
		struct vt *vt = start(s, s->first, 24, 80);

		check_screen(s, vt, "first", &s->at_first);
		vt_leave(vt);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool is_due(const char *name)
{
	return is_whole() || str_eq(name, "deadlock");
}

CASE(every_view_in_the_classes_of_fault)
{
	struct stage *s = *state;
	const char *only = getenv("SCENARIO");
	VEC(char *) names = {0};
	struct dirent *e;
	DIR *d = opendir(FOLDER);

	assert_non_null(d);
	while ((e = readdir(d)))
		if (fnmatch("*.scenario", e->d_name, 0) == 0 &&
			(!only || strncmp(e->d_name, only, strlen(only)) == 0))
			vec_push(&names, strdup(e->d_name));
	(void)closedir(d);
	if (names.n)
		qsort(names.at, names.n, sizeof(*names.at), by_name);
	for (size_t i = 0; i < names.n; i++) {
		char path[256];

		(void)str_printf(path, sizeof(path), FOLDER "/%s", names.at[i]);
		*strchr(names.at[i], '.') = '\0';
		s->name = names.at[i];
		s->at_first = s->at_last = (struct known){0};
		if (is_due(names.at[i]))
			check_scenario(s, path);
		free(names.at[i]);
	}
	vec_free(&names);
	assert_int_equal(s->bad, 0);
	assert_true(s->screens > 20);
}

static int set_up(void **state)
{
	static struct stage s;
	FILE *f;

	(void)str_copy(s.dir, sizeof(s.dir), "/tmp/railtop-views-XXXXXX");
	if (!mkdtemp(s.dir))
		return -1;
	(void)str_printf(s.inventory, sizeof(s.inventory), "%s/fabric.yaml", s.dir);
	(void)str_printf(s.first, sizeof(s.first), "%s/first.jsonl", s.dir);
	(void)str_printf(s.last, sizeof(s.last), "%s/last.jsonl", s.dir);
	f = fopen(s.inventory, "we");
	*state = &s;
	return f && fixture_inventory(f) && fclose(f) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
	const struct stage *s = *state;

	(void)unlink(s->first);
	(void)unlink(s->last);
	(void)unlink(s->inventory);
	return rmdir(s->dir);
}

CASES_MAIN(set_up, tear_down)
