/* SPDX-License-Identifier: Apache-2.0 */
/* Draws stay inside their region and never let a control character out. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/table.h"
#include "tui/widgets.h"

static const char *const hostile[] = {
	"\033[2J\033]0;pwned\a",
	"\x9b"
	"31m\x9dpwned\x9c",
	"\xc2\x9b"
	"5n\xc2\x9d"
	"52;c;eA==\xc2\x9c",
	"a\rb\nc\td\be\x7f",
	"\xe2\x80\xae\xd8\xa7 rtl \xe2\x80\x8b\xef\xbb\xbf",
	"broken \xff\xfe\xc3( \xe2\x82 \xf4\x90\x80\x80 \xed\xa0\x80",
	"e\xcc\x81\xcc\x81\xcc\x81 combining",
	"\xc3",
	"",
};
#define HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

static void hostile_cell(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	(void)ctx;
	(void)col;
	(void)str_copy(out->text, sizeof(out->text), hostile[row % HOSTILE]);
}

static uint64_t row_key(void *ctx, size_t row)
{
	(void)ctx;
	return row + 1;
}

static void hostile_label(void *ctx, int i, char *dst, size_t size)
{
	(void)ctx;
	(void)str_copy(dst, size, hostile[(size_t)i % HOSTILE]);
}

static void hostile_heat(void *ctx, int row, int column, struct table_cell *out)
{
	hostile_cell(ctx, (size_t)(row + column), 0, out);
}

static void scene_hostile(struct demo *d, struct region s)
{
	static const struct table_column columns[] = {
		{"a", "\033[31mA", 12, 1, 0, false, ""}, {"b", "B\x9b", 12, 1, 1, true, ""}};
	struct table_source src = {.columns = columns,
		.ncolumns = 2,
		.nrows = HOSTILE,
		.cell = hostile_cell,
		.key = row_key};
	struct heatmap_source heat = {.rows = HOSTILE,
		.columns = 20,
		.cell_width = 3,
		.cell = hostile_heat,
		.row_label = hostile_label,
		.column_label = hostile_label};
	struct table_state table;
	struct heatmap_state hs = {0};
	struct prompt p = {0};

	(void)d;
	for (size_t i = 0; i < HOSTILE; i++) {
		draw_text(s, (int)i, 0, ROLE_NORMAL, hostile[i], -1);
		draw_right(s, (int)i, 40, 30, ROLE_CRIT, hostile[i]);
		draw_textf(s, (int)i, 72, ROLE_NORMAL, "%s", hostile[i]);
		prompt_candidate(&p, hostile[i]);
	}
	table_init(&table);
	table_draw(region_sub(s, 10, 0, 11, 40), &table, &src);
	(void)heatmap_draw(region_sub(s, 10, 40, 11, 40), &hs, &heat, true);
	draw_box(region_sub(s, 21, 0, 3, 40), hostile[0], ROLE_NORMAL);
	prompt_open(&p, "\033:", hostile[0]);
	(void)str_copy(p.error, sizeof(p.error), hostile[1]);
	prompt_draw(region_sub(s, 21, 40, 3, 40), &p);
}

static void assert_no_escape_got_out(struct vt *vt)
{
	static const char *const never[] = {"\a", "\033]", "\x9b", "\x9d", "\x7f", "\t",
		"pwned\x9c", "\033[31m", "\xe2\x80\xae", "\xff"};
	size_t n;
	const char *out = vt_output(vt, &n);

	for (size_t i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		assert_null(memmem(out, n, never[i], strlen(never[i])));
	/* One question a frame: the ones inside the text were not asked. */
	assert_int_equal(vt_questions(vt), 1);
}

CASE(test_hostile_text)
{
	for (int i = 0; i < 2; i++) {
		struct demo d = {.draw = scene_hostile};
		/* Without colours, so that a colour in the output can only come from the text. */
		struct vt *vt = demo_start(&d, 24, 80, "vt100", i ? "C" : NULL);

		vt_settle(vt);
		assert_true(str_starts(vt_line(vt, 0), "?[2J?]0;pwned?"));
		assert_true(str_starts(vt_line(vt, 3), "a?b?c?d?e?"));
		assert_no_escape_got_out(vt);
		demo_end(vt);
	}
}

static void scene_edges(struct demo *d, struct region s)
{
	struct region r = region_sub(s, 2, 10, 3, 6);

	(void)d;
	draw_text(r, 0, 1, ROLE_NORMAL, "a\xe6\xbc\xa2\xe6\xbc\xa2\xe6\xbc\xa2", -1);
	draw_text(r, 1, -1, ROLE_NORMAL, "\xe6\xbc\xa2xyz", -1);
	draw_text(r, 2, -2, ROLE_NORMAL, "abcdefghijkl", -1);
	draw_text(s, 6, 0, ROLE_NORMAL, "abcdef", 3);
	draw_text(s, 7, 0, ROLE_NORMAL, "a\xe6\xbc\xa2", 2);
	draw_right(s, 8, 0, 6, ROLE_NORMAL, "1.2k");
	draw_right(s, 9, 0, 3, ROLE_NORMAL, "123456");
	draw_textf(
		s, 10, 0, ROLE_NORMAL, "|%s|%s|", glyph(s.term, GLYPH_LEQ), glyph(NULL, GLYPH_LEQ));
}

CASE(test_edges)
{
	struct demo d = {.draw = scene_edges};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_settle(vt);
	/* The third wide character would need a column more than there is. */
	assert_string_equal(vt_line(vt, 2), "           a\xe6\xbc\xa2\xe6\xbc\xa2");
	assert_string_equal(vt_line(vt, 3), "           xyz");
	assert_string_equal(vt_line(vt, 4), "          cdefgh");
	assert_string_equal(vt_line(vt, 6), "abc");
	assert_string_equal(vt_line(vt, 7), "a");
	assert_string_equal(vt_line(vt, 8), "  1.2k");
	assert_string_equal(vt_line(vt, 9), "123");
	assert_string_equal(vt_line(vt, 10), "|\xe2\x89\xa4|<=|");
	demo_end(vt);
}

/* A small generator, so that a failure can be repeated. */
static unsigned next_random(unsigned *seed)
{
	*seed = *seed * 1103515245U + 12345U;
	return *seed >> 8;
}

static int random_between(unsigned *seed, int low, int high)
{
	return low + (int)(next_random(seed) % (unsigned)(high - low + 1));
}

static void scene_storm(struct demo *d, struct region s)
{
	unsigned seed = (unsigned)d->keys + 1;
	struct region r = region_sub(s, 5, 20, 8, 30);

	for (int i = 0; i < 300; i++) {
		int y = random_between(&seed, -5, 15), x = random_between(&seed, -40, 60);
		int w = random_between(&seed, -50, 90);
		struct region sub = region_sub(r, y, x, random_between(&seed, -20, 20), w);

		draw_text(sub, y, x, ROLE_NORMAL,
			"\xe6\xbc\xa2storm\xe6\xbc\xa2 of text that is long", w);
		draw_right(r, y, x, w, ROLE_WARN, "right \xe6\xbc\xa2");
		draw_fill(r, y, x, w, ROLE_CURSOR);
		draw_hline(sub, y, ROLE_DIM);
		draw_vline(sub, x, ROLE_DIM);
		draw_box(sub, "title", ROLE_DIM);
		draw_cursor(sub, y, x);
		draw_clear(sub);
	}
	draw_text(r, 2147483647, -2147483647 - 1, ROLE_NORMAL, "x", 2147483647);
	draw_text(r, 0, 2147483647, ROLE_NORMAL, "x", 2147483647);
	draw_text(r, 0, 0, (enum role)99, "x", -1);
	draw_text(r, 0, 0, ROLE_NORMAL, "inside", -1);
}

CASE(test_nothing_outside_the_region)
{
	struct demo d = {.draw = scene_storm};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	for (int round = 0; round < 5; round++) {
		vt_type(vt, "x");
		vt_settle(vt);
		assert_true(vt_has(vt, "inside"));
		for (int row = 0; row < 24; row++) {
			for (int col = 0; col < 80; col++) {
				struct vt_attr a = vt_attr_at(vt, row, col);

				if (row >= 5 && row < 13 && col >= 20 && col < 50)
					continue;
				assert_int_equal(a.bg, -1);
			}
			if (row < 5 || row >= 13)
				assert_string_equal(vt_line(vt, row), "");
		}
	}
	demo_end(vt);
}

CASE(test_sub_regions_stay_inside)
{
	struct region r = {.y = 3, .x = 7, .h = 10, .w = 20};
	unsigned seed = 7;

	for (int i = 0; i < 20000; i++) {
		struct region s = region_sub(r, random_between(&seed, -30, 30),
			random_between(&seed, -30, 30), random_between(&seed, -30, 30),
			random_between(&seed, -30, 30));

		assert_true(s.h >= 0 && s.w >= 0);
		assert_true(s.y >= r.y && s.y + s.h <= r.y + r.h);
		assert_true(s.x >= r.x && s.x + s.w <= r.x + r.w);
	}
}

CASE(test_negative_sizes_count_from_the_far_edge)
{
	struct region r = {.y = 0, .x = 0, .h = 10, .w = 20}, s;

	s = region_sub(r, 1, 2, -1, -3);
	assert_int_equal(s.h, 8);
	assert_int_equal(s.w, 15);
	s = region_sub(r, 0, 0, 2147483647, -2147483647);
	assert_int_equal(s.h, 10);
	assert_int_equal(s.w, 0);
}

CASES_MAIN(NULL, NULL)
