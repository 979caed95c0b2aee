/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/tui/demo.h"
#include "tui/plot.h"

#define SAMPLES 1024

/* A plot whose time goes on by a column with each key. */
struct scene {
	size_t lines;
	enum plot_choice choice;
	unsigned shift;
	float at[4][SAMPLES];
};

static void draw_plot(struct demo *d, struct region r)
{
	struct scene *s = d->scene;
	enum plot_style style = plot_style(r.term, s->choice, s->lines);
	struct plot_line lines[4];
	unsigned n = plot_columns(style, r.w);

	for (size_t i = 0; i < s->lines; i++)
		lines[i] = (struct plot_line){&s->at[i][s->shift], n};
	plot_draw(r, style, lines, s->lines);
}

static void next_column(struct demo *d, int key)
{
	struct scene *s = d->scene;

	(void)key;
	s->shift++;
	d->due = true;
}

static struct vt *start(struct scene *s, struct demo *d, int rows, int cols, const char *locale)
{
	*d = (struct demo){.draw = draw_plot, .key = next_column, .scene = s};
	return demo_start(d, rows, cols, NULL, locale);
}

/* Half an hour of calm, then a storm; line i is i tenths lower. */
static void fill(struct scene *s, size_t lines)
{
	s->lines = lines;
	for (size_t i = 0; i < lines; i++)
		for (size_t k = 0; k < SAMPLES; k++)
			s->at[i][k] = k < 100 ? 0 : 1 - 0.1F * (float)i;
}

CASE(a_gap_is_empty_and_zero_is_a_line)
{
	struct scene s = {.choice = PLOT_ONLY_SIGNS};
	struct demo d;
	struct vt *vt;

	fill(&s, 1);
	for (size_t k = 10; k < 20; k++)
		s.at[0][k] = NAN;
	vt = start(&s, &d, 5, 30, NULL);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 4), "##########          ##########");
	assert_string_equal(vt_line(vt, 0), "");
	demo_end(vt);
}

CASE(small_values_are_above_zero)
{
	struct scene s = {.choice = PLOT_ONLY_SIGNS};
	struct demo d;
	struct vt *vt;

	fill(&s, 1);
	s.at[0][3] = 0.0001F;
	vt = start(&s, &d, 5, 10, NULL);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 3), "   #");
	demo_end(vt);
}

CASE(lines_are_told_apart_without_colour)
{
	struct scene s = {0};
	struct demo d;
	struct vt *vt;

	fill(&s, 3);
	s.shift = 100;
	vt = start(&s, &d, 11, 10, "C");
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0), "##########");
	assert_string_equal(vt_line(vt, 1), "oooooooooo");
	assert_string_equal(vt_line(vt, 2), "++++++++++");
	demo_end(vt);
}

CASE(braille_has_eight_dots_a_cell)
{
	struct scene s = {0};
	struct demo d;
	struct vt *vt;

	fill(&s, 1);
	s.shift = 99;
	vt = start(&s, &d, 2, 2, NULL);
	vt_settle(vt);
	/* The first sample is 0, the others are 1. */
	assert_string_equal(vt_line(vt, 0), "\xe2\xa2\xb8\xe2\xa0\x89");
	assert_string_equal(vt_line(vt, 1), "\xe2\xa1\xb8");
	demo_end(vt);
}

/* The right edge of a chart moves every ten seconds at most: 700 bytes a second are 7000. */
CASE(a_moving_chart_costs_little)
{
	struct scene s = {0};
	struct demo d;
	struct vt *vt;
	uint64_t before;
	double each;

	s.lines = 4;
	for (size_t i = 0; i < 4; i++)
		for (size_t k = 0; k < SAMPLES; k++)
			s.at[i][k] = 0.5F + 0.1F * (float)i +
				     0.05F * (float)sin((double)k / (7 + (double)i));
	vt = start(&s, &d, 36, 193, NULL);
	vt_settle(vt);
	before = vt_bytes(vt);
	for (int i = 0; i < 40; i++) {
		vt_type(vt, "x");
		vt_settle(vt);
	}
	each = (double)(vt_bytes(vt) - before) / 40;
	printf("# figure moving chart 200x50: %.0f bytes a step (at most 7000)\n", each);
	assert_true(each > 0 && each <= 7000);
	demo_end(vt);
}

CASES_MAIN(NULL, NULL)
