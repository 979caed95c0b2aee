/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every view says the same with fewer means: without colours (NO_COLOR, the theme mono), with 16
 * and with 8 colours, with colours for eyes that confuse red and green, on a white ground, and in
 * ASCII. Looks differ, words and marks do not.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

static const char *const views[] = {"cluster", "rail 2", "leaf-r2-00", "leaf-r2-00:Ethernet28",
	"leaf-r2-00:Ethernet28:3", "node007", "spine-001", "hosts", "ports", "optics", "links",
	"events", "findings", "storm", "jobs", "ranks", "wiring", "lint", "bgp", "devices", "map",
	"heat", "audit", "fabrics", "pods", "device leaf-r2-00", "trace node007:mlx5_2", "finding",
	"chart", "diff"};
#define VIEWS (sizeof(views) / sizeof(views[0]))

struct mode {
	const char *name, *theme, *term, *env;
	int colours; /* most that may be used; 0: none */
};
static const struct mode modes[] = {
	{"colours", "default", "xterm-256color", "NO_COLOR", 256},
	{"NO_COLOR", "default", "xterm-256color", "NO_COLOR=1", 0},
	{"mono", "mono", "xterm-256color", "NO_COLOR", 0},
	{"16 colours", "default", "xterm-16color", "NO_COLOR", 16},
	{"8 colours", "default", "xterm", "NO_COLOR", 8},
	{"cvd", "cvd", "xterm-256color", "NO_COLOR", 256},
	{"light", "light", "xterm-256color", "NO_COLOR", 256},
};
#define MODES (sizeof(modes) / sizeof(modes[0]))

static struct vt *start(const struct fixture_files *x, const struct mode *m, const char *locale)
{
	static char path[256];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", x->inventory,
		"--observations", x->observations, "--theme", m->theme, NULL};
	const char *const env[] = {m->env, NULL};
	struct vt_opts opts = {.rows = 24,
		.cols = 80,
		.term = m->term,
		.locale = locale,
		.env = env,
		.idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static void open_view(struct vt *vt, const char *view)
{
	vt_type(vt, ":");
	vt_type(vt, view);
	vt_key(vt, "Enter");
	vt_settle(vt);
}

/* What must be told apart, whatever the means: none of it may be in the look alone. */
static void check_looks(struct vt *vt, const struct mode *m, const char *view)
{
	unsigned coloured = 0;

	for (int y = 0; y < vt_rows(vt); y++)
		for (int x = 0; x < vt_cols(vt); x++) {
			struct vt_attr a = vt_attr_at(vt, y, x);

			coloured += a.fg >= 0 || a.bg >= 0;
			if (a.fg >= m->colours || a.bg >= m->colours)
				fail_msg("%s, %s: colour %d on %d at line %d", m->name, view, a.fg,
					a.bg, y);
		}
	assert_int_equal(coloured > 0, m->colours > 0);
}

CASE(every_view_says_the_same_in_every_mode)
{
	char *said[VIEWS];

	for (size_t m = 0; m < MODES; m++) {
		struct vt *vt = start(*state, &modes[m], "C.UTF-8");

		for (size_t v = 0; v < VIEWS; v++) {
			char *text;

			open_view(vt, views[v]);
			text = vt_screen(vt);
			check_looks(vt, &modes[m], views[v]);
			if (m && strcmp(text, said[v]) != 0 && !str_eq(views[v], "chart"))
				fail_msg("%s, %s:\n%s\ninstead of\n%s", modes[m].name, views[v],
					text, said[v]);
			if (m)
				free(text);
			else
				said[v] = text;
		}
		vt_leave(vt);
	}
	for (size_t v = 0; v < VIEWS; v++)
		free(said[v]);
}

/* A chart of two lines has signs where there are no colours. */
CASE(lines_of_a_chart_differ_without_colours)
{
	struct vt *vt = start(*state, &modes[1], "C.UTF-8");

	vt_type(vt, "v");
	vt_settle(vt);
	assert_true(vt_has(vt, "#  "));
	assert_true(vt_has(vt, "o  "));
	vt_leave(vt);
}

/* A letter, a digit or a sign that both have; others stand for a glyph. */
static bool is_word(char c)
{
	return (unsigned char)c < 0x80 && (isalnum((unsigned char)c) || strchr(":/%!", c));
}

/* The words of a screen, without glyphs and the blanks that make room for them. */
static void words_of(const char *s, char *dst, size_t size)
{
	size_t n = 0;

	for (; *s && n + 1 < size; s++)
		if (is_word(*s))
			dst[n++] = *s;
	dst[n] = '\0';
}

static unsigned states_of(const char *screen, const char *word)
{
	unsigned n = 0;

	for (; (screen = strstr(screen, word)); screen += strlen(word))
		n++;
	return n;
}

CASE(ascii_names_the_same_trouble)
{
	static const char *const words[] = {"CRIT", "WARN", "CAUSE", "node007", "93%!"};
	struct vt *vt = start(*state, &modes[0], "C.UTF-8"), *plain = start(*state, &modes[0], "C");

	for (size_t v = 0; v < VIEWS; v++) {
		char *a, *b, wa[2048], wb[2048];

		open_view(vt, views[v]);
		open_view(plain, views[v]);
		a = vt_screen(vt);
		b = vt_screen(plain);
		for (const char *c = b; *c; c++)
			if ((unsigned char)*c >= 0x80)
				fail_msg("%s is not ASCII:\n%s", views[v], b);
		for (size_t w = 0; w < sizeof(words) / sizeof(words[0]); w++)
			if (states_of(a, words[w]) != states_of(b, words[w]))
				fail_msg("%s: %s differs:\n%s\n%s", views[v], words[w], a, b);
		/* The line of the cause is the same to the letter. */
		words_of(vt_line(vt, 1), wa, sizeof(wa));
		words_of(vt_line(plain, 1), wb, sizeof(wb));
		assert_true(strncmp(wa, wb, 30) == 0);
		free(a);
		free(b);
	}
	vt_leave(vt);
	vt_leave(plain);
}

CASES_MAIN(fixture_set_up, fixture_tear_down)
