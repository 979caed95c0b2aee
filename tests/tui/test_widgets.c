/* SPDX-License-Identifier: Apache-2.0 */
/* Sparkline, bar and heat map. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/table.h"
#include "tui/widgets.h"

/* Without a terminal the signs are ASCII: "_" is zero, "#" is full, " " unknown or now. */
static const char *spark(
	const float *at, size_t size, size_t next, size_t used, double top, int width)
{
	static char text[256];

	spark_text(NULL, at, size, next, used, top, width, text, sizeof(text));
	return text;
}

CASE(test_spark_levels)
{
	const float at[] = {0, 1, 20, 50, 100, NAN, 1000, 0};

	assert_string_equal(spark(at, 8, 7, 7, 100, 8), "_.-+# # ");
	/* No scale given: the largest sample is full. */
	assert_string_equal(spark(at, 8, 7, 7, 0, 8), "_.... # ");
}

CASE(test_spark_nothing_yet)
{
	const float at[8] = {0};

	assert_string_equal(spark(at, 8, 0, 0, 0, 8), "        ");
	assert_string_equal(spark(at, 8, 3, 3, 0, 8), "___     ");
	assert_string_equal(spark(at, 0, 0, 0, 0, 8), "");
	assert_string_equal(spark(at, 8, 0, 0, 0, 0), "");
	assert_string_equal(spark(at, 8, 0, 0, 0, -4), "");
}

/* The point of the ring: from one sample to the next two cells change at most. */
CASE(test_spark_changes_little)
{
	float at[24];
	char before[64], after[64];

	for (size_t i = 0; i < 24; i++)
		at[i] = (float)(i * 7 % 11);
	for (size_t n = 24; n < 200; n++) {
		int changed = 0;

		(void)str_copy(before, sizeof(before), spark(at, 24, n % 24, 24, 11, 8));
		at[n % 24] = (float)(n * 7 % 11);
		(void)str_copy(after, sizeof(after), spark(at, 24, (n + 1) % 24, 24, 11, 8));
		assert_int_equal(strlen(after), 8);
		for (size_t i = 0; i < 8; i++)
			changed += before[i] != after[i];
		assert_true(changed <= 2);
	}
}

CASE(test_spark_any_shape)
{
	float at[13];

	for (size_t i = 0; i < 13; i++)
		at[i] = 5;
	for (size_t next = 0; next < 30; next++) {
		for (int width = 1; width < 20; width++) {
			const char *s = spark(at, 13, next, 99, 10, width);

			assert_int_equal(strlen(s), width < 13 ? width : 13);
			/* All known but the gap. */
			assert_int_equal(strspn(s, "+ "), strlen(s));
		}
	}
}

CASE(test_spark_small_buffer)
{
	const float at[4] = {1, 1, 1, 1};
	char text[3] = "xx";

	spark_text(NULL, at, 4, 0, 4, 1, 4, text, sizeof(text));
	assert_true(strlen(text) < sizeof(text));
	spark_text(NULL, at, 4, 0, 4, 1, 4, text, 0);
}

static const char *bar(double share, int width)
{
	static char text[256];

	bar_text(NULL, share, width, text, sizeof(text));
	return text;
}

/* Each bin is the largest of its samples, and the newest one forgets the samples behind it. */
CASE(test_spark_fold)
{
	float ring[12] = {0}, bins[4];
	size_t next = 0, used = 0;

	spark_fold(ring, 12, &next, &used, bins, 4);
	assert_int_equal(used, 0);
	for (int i = 0; i < 12; i++)
		ring[i] = (float)i;
	next = 0;
	used = 12;
	spark_fold(ring, 12, &next, &used, bins, 4);
	assert_int_equal(next, 0);
	assert_int_equal(used, 4);
	assert_float_equal(bins[0], 2, 0);
	assert_float_equal(bins[3], 11, 0);
	/* One new sample in the first bin: 1 and 2 there are eleven samples old by now. */
	ring[0] = 0.5F;
	next = 1;
	used = 12;
	spark_fold(ring, 12, &next, &used, bins, 4);
	assert_int_equal(next, 1);
	assert_float_equal(bins[0], 0.5F, 0);
	assert_float_equal(bins[1], 5, 0);
	ring[4] = NAN;
	ring[3] = NAN;
	ring[5] = NAN;
	next = 1;
	used = 12;
	spark_fold(ring, 12, &next, &used, bins, 4);
	assert_true(isnan(bins[1]));
}

CASE(test_bar)
{
	assert_string_equal(bar(0, 7), "[     ]");
	assert_string_equal(bar(0.001, 7), "[#    ]");
	assert_string_equal(bar(0.4, 7), "[##   ]");
	assert_string_equal(bar(0.999, 7), "[#### ]");
	assert_string_equal(bar(1, 7), "[#####]");
	assert_string_equal(bar(7, 7), "[#####]");
	assert_string_equal(bar(-1, 7), "[     ]");
	assert_string_equal(bar((double)NAN, 7), "-------");
	assert_string_equal(bar(1, 2), "##");
	assert_string_equal(bar(1, 0), "");
	assert_string_equal(bar(1, -5), "");
}

static void scene_blocks(struct demo *d, struct region s)
{
	const float at[] = {0, 1, 50, 100};
	char text[64];

	(void)d;
	spark_text(s.term, at, 4, 0, 4, 100, 4, text, sizeof(text));
	draw_text(s, 0, 0, ROLE_NORMAL, text, -1);
	bar_text(s.term, 0.5, 5, text, sizeof(text));
	draw_textf(s, 1, 0, ROLE_NORMAL, "%s|", text);
}

CASE(test_blocks_where_the_font_has_them)
{
	struct demo d = {.draw = scene_blocks};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0), " \xe2\x96\x82\xe2\x96\x85\xe2\x96\x88");
	assert_string_equal(vt_line(vt, 1), "\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c  |");
	demo_end(vt);
	vt = demo_start(&d, 24, 80, "linux", NULL);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0), " .+#");
	assert_string_equal(vt_line(vt, 1), "[## ]|");
	demo_end(vt);
}

/* ---- heat map ---- */

static void heat_cell(void *ctx, int row, int column, struct table_cell *out)
{
	(void)ctx;
	assert_true(row >= 0 && row < 8 && column >= 0 && column < 16);
	(void)str_printf(out->text, sizeof(out->text), "%d%c", row, 'a' + column);
}

static void row_label(void *ctx, int row, char *dst, size_t size)
{
	(void)ctx;
	(void)str_printf(dst, size, "rail %d", row);
}

static void column_label(void *ctx, int column, char *dst, size_t size)
{
	(void)ctx;
	(void)str_printf(dst, size, "%02d", column);
}

static const struct heatmap_source heat = {.rows = 8,
	.columns = 16,
	.cell_width = 3,
	.cell = heat_cell,
	.row_label = row_label,
	.column_label = column_label};

static void scene_heat(struct demo *d, struct region s)
{
	struct heatmap_state *h = d->scene;
	int used = heatmap_draw(s, h, &heat, true);

	assert_true(used >= 0 && used <= s.h);
}

static void key_heat(struct demo *d, int key)
{
	struct heatmap_state *h = d->scene;

	h->column += key == 'l' ? 1 : key == 'h' ? -1 : 0;
	h->row += key == 'j' ? 1 : 0;
	if (key == 'x') {
		h->row = 9999;
		h->column = -9999;
		h->first_column = 777;
		h->first_row = -3;
	}
}

CASE(test_heatmap)
{
	struct heatmap_state h = {0};
	struct demo d = {.draw = scene_heat, .key = key_heat, .scene = &h};
	struct vt *vt = demo_start(&d, 12, 80, NULL, NULL);

	vt_settle(vt);
	assert_true(str_starts(vt_line(vt, 0), "       00  01  02"));
	assert_true(str_starts(vt_line(vt, 3), "rail 2 2a  2b  2c"));
	assert_true(vt_attr_at(vt, 1, 7).bg >= 0);
	/* Too narrow for all: it scrolls with the cursor and says that there is more. */
	vt_resize(vt, 5, 20);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0), "       00  01  02  >");
	vt_type(vt, "lllljjjjj");
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0), "      <02  03  04  >");
	assert_true(vt_has(vt, "5e"));
	assert_false(vt_has(vt, "rail 0"));
	vt_type(vt, "x");
	vt_settle(vt);
	assert_true(vt_has(vt, "7a"));
	for (int rows = 1; rows < 6; rows++) {
		for (int cols = 1; cols < 12; cols++) {
			vt_resize(vt, rows, cols);
			vt_type(vt, "l");
			vt_settle(vt);
		}
	}
	demo_end(vt);
}

CASES_MAIN(NULL, NULL)
