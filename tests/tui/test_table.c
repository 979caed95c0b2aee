/* SPDX-License-Identifier: Apache-2.0 */
/* The table: cursor on its object, columns that go and come back, scrolling. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/table.h"

/* Rows are numbers; a row's key is its number plus 100. */
struct rows {
	size_t at[200];
	size_t n;
};

static const struct table_column columns[] = {
	{"name", "NAME", 10, 1, 0, false, ""},
	{"a", "AAA", 8, 0, 2, true, ""},
	{"b", "BBB", 8, 0, 9, true, ""},
	{"c", "CCC", 8, 0, 5, true, ""},
	{"d", "DDD", 8, 0, 5, true, ""},
};

static void cell(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	const struct rows *rows = ctx;

	if (col)
		(void)str_printf(
			out->text, sizeof(out->text), "%c%zu", "-abcd"[col], rows -> at[row]);
	else
		(void)str_printf(out->text, sizeof(out->text), "row.%zu", rows->at[row]);
}

static uint64_t key(void *ctx, size_t row)
{
	const struct rows *rows = ctx;

	return rows->at[row] + 100;
}

static struct table_source source(struct rows *rows)
{
	return (struct table_source){.columns = columns,
		.ncolumns = 5,
		.nrows = rows->n,
		.ctx = rows,
		.cell = cell,
		.key = key,
		.empty = "nothing matches"};
}

static void fill(struct rows *r, size_t n)
{
	r->n = n;
	for (size_t i = 0; i < n; i++)
		r->at[i] = i;
}

/* What most tests have: n rows, and a table that was never moved. */
static struct {
	struct rows rows;
	struct table_source src;
	struct table_state s;
} t;

static void begin(size_t n)
{
	fill(&t.rows, n);
	t.src = source(&t.rows);
	table_init(&t.s);
}

CASE(test_cursor_follows_its_row)
{
	begin(50);
	assert_true(table_goto(&t.s, &t.src, 107));
	assert_int_equal(table_row(&t.s, &t.src), 7);
	for (size_t i = 0; i < 50; i++)
		t.rows.at[i] = 49 - i;
	assert_int_equal(table_row(&t.s, &t.src), 42);
	/* A filter takes others away. */
	t.rows.n = 2;
	t.rows.at[0] = 3;
	t.rows.at[1] = 7;
	t.src = source(&t.rows);
	assert_int_equal(table_row(&t.s, &t.src), 1);
}

CASE(test_row_that_vanishes)
{
	begin(10);
	assert_true(table_goto(&t.s, &t.src, 109));
	t.rows.n = 4;
	t.src = source(&t.rows);
	assert_int_equal(table_row(&t.s, &t.src), 3);
	/* It is now anchored to the row it fell on. */
	t.rows.at[0] = 3;
	t.rows.at[3] = 0;
	assert_int_equal(table_row(&t.s, &t.src), 0);
	assert_false(table_goto(&t.s, &t.src, 999));
	assert_int_equal(table_row(&t.s, &t.src), 0);
}

CASE(test_empty_keeps_the_anchor)
{
	begin(10);
	assert_true(table_goto(&t.s, &t.src, 105));
	t.rows.n = 0;
	t.src = source(&t.rows);
	assert_true(table_row(&t.s, &t.src) == SIZE_MAX);
	for (int how = TABLE_UP; how <= TABLE_RIGHT; how++)
		table_move(&t.s, &t.src, (enum table_move)how);
	t.rows.n = 10;
	t.src = source(&t.rows);
	assert_int_equal(table_row(&t.s, &t.src), 5);
}

static size_t find_called;
static size_t find_row(void *ctx, uint64_t wanted)
{
	const struct rows *rows = ctx;

	find_called++;
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i] + 100 == wanted)
			return i;
	return SIZE_MAX;
}

CASE(test_find_is_used_when_there_is_one)
{
	begin(10);
	t.src.find = find_row;
	assert_true(table_goto(&t.s, &t.src, 106));
	assert_int_equal(find_called, 1);
	/* Unmoved: no search. */
	assert_int_equal(table_row(&t.s, &t.src), 6);
	assert_int_equal(find_called, 1);
}

CASE(test_moves_stop_at_the_ends)
{
	begin(100);
	t.s.page = 20;
	table_move(&t.s, &t.src, TABLE_UP);
	assert_int_equal(t.s.cursor, 0);
	table_move(&t.s, &t.src, TABLE_PAGE_DOWN);
	assert_int_equal(t.s.cursor, 19);
	table_move(&t.s, &t.src, TABLE_HALF_DOWN);
	assert_int_equal(t.s.cursor, 29);
	table_move(&t.s, &t.src, TABLE_BOTTOM);
	assert_int_equal(t.s.cursor, 99);
	table_move(&t.s, &t.src, TABLE_DOWN);
	assert_int_equal(t.s.cursor, 99);
	table_move(&t.s, &t.src, TABLE_PAGE_UP);
	assert_int_equal(t.s.cursor, 80);
	table_move(&t.s, &t.src, TABLE_HALF_UP);
	assert_int_equal(t.s.cursor, 70);
	table_move(&t.s, &t.src, TABLE_TOP);
	assert_int_equal(t.s.cursor, 0);
}

/* ---- on the screen ---- */

struct scene {
	struct rows rows;
	struct table_state s;
};

static void draw(struct demo *d, struct region screen)
{
	struct scene *scene = d->scene;
	struct table_source src = source(&scene->rows);

	table_draw(screen, &scene->s, &src);
}

static void press(struct demo *d, int k)
{
	struct scene *scene = d->scene;
	struct table_source src = source(&scene->rows);

	if (k == 'j')
		table_move(&scene->s, &src, TABLE_DOWN);
	else if (k == 'k')
		table_move(&scene->s, &src, TABLE_UP);
	else if (k == 'l')
		table_move(&scene->s, &src, TABLE_RIGHT);
	else if (k == 'h')
		table_move(&scene->s, &src, TABLE_LEFT);
	else if (k == 'G')
		table_move(&scene->s, &src, TABLE_BOTTOM);
	else if (k == 'e')
		scene->rows.n = 0;
	else if (k == 's')
		scene->s.sort_column = (scene->s.sort_column + 1) % 5;
	else if (k == 'x')
		scene->s.hidden ^= 2;
}

static struct vt *start_with(struct scene *scene, struct demo *d, int rows, int cols,
	void (*drawn)(struct demo *d, struct region screen))
{
	memset(scene, 0, sizeof(*scene));
	fill(&scene->rows, 100);
	table_init(&scene->s);
	*d = (struct demo){.draw = drawn, .key = press, .scene = scene};
	return demo_start(d, rows, cols, NULL, NULL);
}

static struct vt *start(struct scene *scene, struct demo *d, int rows, int cols)
{
	return start_with(scene, d, rows, cols, draw);
}

static void assert_titles(struct vt *vt, const char *titles)
{
	char seen[64] = "", *p;
	char line[256];
	size_t n = 0;

	vt_settle(vt);
	(void)str_copy(line, sizeof(line), vt_line(vt, 0));
	for (p = line; *p && n + 1 < sizeof(seen); p++)
		if (*p != ' ' && (p == line || p[-1] == ' '))
			seen[n++] = *p;
	seen[n] = '\0';
	assert_string_equal(seen, titles);
}

static void assert_columns(struct vt *vt, int width, const char *titles)
{
	vt_resize(vt, 24, width);
	assert_titles(vt, titles);
}

CASE(test_columns_go_by_priority)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start(&scene, &d, 24, 80);

	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0),
		"NAME                                              AAA      BBB      CCC      DDD");
	/* The names need six columns of ten: the rest serves the numbers. */
	assert_columns(vt, 42, "NABCD");
	/* The highest number goes first, the rightmost of equals before its peers. */
	assert_columns(vt, 40, "NACD");
	assert_columns(vt, 31, "NAC");
	assert_columns(vt, 22, "NA");
	assert_columns(vt, 13, "N");
	assert_columns(vt, 5, "N");
	assert_columns(vt, 1, "N");
	assert_columns(vt, 80, "NABCD");
	demo_end(vt);
}

static bool long_names;

/* Names are long until a key is typed; with the second key the rows are others. */
static void cell_named(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	cell(ctx, row, col, out);
	if (!col && row < 5 && long_names)
		(void)str_copy(out->text, sizeof(out->text), "a longer name");
}

static void draw_named(struct demo *d, struct region screen)
{
	struct scene *scene = d->scene;
	struct table_source src = source(&scene->rows);

	src.cell = cell_named;
	long_names = !d->keys;
	if (d->keys == 2)
		table_measure_anew(&scene->s);
	table_draw(screen, &scene->s, &src);
}

/* A long name of before keeps its room until rows are measured anew. */
CASE(test_other_rows_are_measured_anew)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start_with(&scene, &d, 24, 42, draw_named);

	assert_titles(vt, "NACD");
	vt_type(vt, "z");
	assert_titles(vt, "NACD");
	vt_type(vt, "z");
	assert_titles(vt, "NABCD");
	demo_end(vt);
}

/* A red number takes the place of what is calm and more important; only its own rows ask for it. */
static size_t red_column;

static void cell_red(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	cell(ctx, row, col, out);
	if (row == 1 && col == red_column)
		out->role = ROLE_CRIT;
}

static void draw_red(struct demo *d, struct region screen)
{
	struct scene *scene = d->scene;
	struct table_source src = source(&scene->rows);

	src.cell = cell_red;
	table_draw(screen, &scene->s, &src);
	draw_text(screen, screen.h - 1, 0, ROLE_NORMAL, scene->s.unseen, -1);
}

CASE(test_a_red_number_stays)
{
	static const char *const shown[] = {"", "NA", "NB", "NC", "ND"};
	struct scene scene;
	struct demo d;

	for (red_column = 1; red_column < 5; red_column++) {
		struct vt *vt = start_with(&scene, &d, 24, 80, draw_red);

		assert_columns(vt, 22, shown[red_column]);
		/* Where nothing is red the usual columns are back. */
		vt_type(vt, "G");
		assert_columns(vt, 23, "NA");
		demo_end(vt);
	}
}

CASE(test_a_red_number_without_room_is_noted)
{
	struct scene scene;
	struct demo d;
	struct vt *vt;

	red_column = 3;
	vt = start_with(&scene, &d, 24, 80, draw_red);
	assert_columns(vt, 13, "N");
	vt_type(vt, "j");
	vt_settle(vt);
	assert_true(vt_has(vt, "CCC c1"));
	vt_type(vt, "j");
	vt_settle(vt);
	assert_false(vt_has(vt, "CCC c1"));
	demo_end(vt);
}

CASE(test_scroll_reaches_what_was_dropped)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start(&scene, &d, 24, 30);

	assert_columns(vt, 30, "NAC");
	vt_type(vt, "l");
	assert_columns(vt, 31, "NCD");
	vt_type(vt, "l");
	assert_columns(vt, 30, "NCD");
	vt_type(vt, "lll");
	assert_columns(vt, 31, "NCD");
	vt_type(vt, "hh");
	assert_columns(vt, 30, "NAC");
	vt_type(vt, "l");
	/* When there is room again everything comes back. */
	assert_columns(vt, 80, "NABCD");
	vt_type(vt, "x");
	assert_columns(vt, 79, "NBCD");
	demo_end(vt);
}

CASE(test_sort_mark)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start(&scene, &d, 24, 80);

	vt_type(vt, "s");
	vt_settle(vt);
	assert_true(str_starts(vt_line(vt, 0), "NAME\xe2\x96\xb2"));
	vt_type(vt, "s");
	vt_settle(vt);
	assert_true(vt_has(vt, " AAA\xe2\x96\xb2 "));
	demo_end(vt);
}

CASE(test_cursor_keeps_a_margin)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start(&scene, &d, 12, 60);
	int row;

	vt_settle(vt);
	for (int i = 0; i < 20; i++)
		vt_type(vt, "j");
	vt_settle(vt);
	assert_true(vt_find(vt, "row.20", &row, NULL));
	assert_int_equal(row, 9); /* two rows are still below it */
	assert_true(vt_attr_at(vt, row, 30).bg >= 0);
	vt_type(vt, "G");
	vt_settle(vt);
	assert_true(vt_find(vt, "row.99", &row, NULL));
	assert_int_equal(row, 11);
	demo_end(vt);
}

CASE(test_empty_says_why)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start(&scene, &d, 24, 80);
	int row, col;

	vt_type(vt, "e");
	vt_settle(vt);
	assert_true(vt_find(vt, "nothing matches", &row, &col));
	assert_int_equal(col, (80 - 15) / 2);
	vt_resize(vt, 2, 5);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 1), "nothi");
	demo_end(vt);
}

CASE(test_tiny)
{
	struct scene scene;
	struct demo d;
	struct vt *vt = start(&scene, &d, 10, 40);

	for (int h = 1; h < 5; h++) {
		for (int w = 1; w < 14; w += 3) {
			vt_resize(vt, h, w);
			vt_type(vt, "jlG");
			vt_settle(vt);
			vt_type(vt, "kh");
			vt_settle(vt);
		}
	}
	vt_resize(vt, 1, 40);
	vt_settle(vt);
	assert_true(vt_has(vt, "row.9"));
	demo_end(vt);
}

/* Rows with texts: in the first one what follows is empty, in the second it is not. */
static const struct table_column texts[] = {
	{"text", "TEXT", 10, 0, 0, false, ""},
	{"limit", "LIMIT", 8, 0, 0, false, ""},
	{"note", "NOTE", 20, 0, 0, false, ""},
	{"end", "END", 3, 0, 0, false, ""},
};

static void text_cell(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	static const char *const words[2][4] = {
		{"longer than ten", "", "", "end"}, {"longer than ten", "> 1", "", "end"}};

	(void)ctx;
	(void)str_copy(out->text, sizeof(out->text), words[row][col]);
}

static uint64_t text_key(void *ctx, size_t row)
{
	(void)ctx;
	return row + 1;
}

static void draw_texts(struct demo *d, struct region screen)
{
	struct scene *scene = d->scene;
	struct table_source src = {.columns = texts,
		.ncolumns = 4,
		.nrows = 2,
		.ctx = scene,
		.cell = text_cell,
		.key = text_key,
		.empty = ""};

	table_draw(screen, &scene->s, &src);
}

static void assert_texts(int width, const char *header, const char *first, const char *second)
{
	struct scene scene = {0};
	struct demo d = {.draw = draw_texts, .key = press, .scene = &scene};
	struct vt *vt;

	table_init(&scene.s);
	vt = demo_start(&d, 5, width, NULL, NULL);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 0), header);
	assert_string_equal(vt_line(vt, 1), first);
	assert_string_equal(vt_line(vt, 2), second);
	demo_end(vt);
}

/* A text that is cut goes on over the empty cells beside it; columns without any text shrink. */
CASE(test_cut_text_takes_what_is_empty)
{
	assert_texts(33, "TEXT            LIMIT    NOTE END", "longer than ten               end",
		"longer than ten > 1           end");
	assert_texts(28, "TEXT       LIMIT    NOTE END", "longer than ten          end",
		"longer th\xe2\x80\xa6 > 1           end");
}

/* Names, words about them, and a column of little importance. */
static const struct table_column named[] = {
	{"where", "WHERE", 22, 1, 0, false, ""},
	{"why", "WHY", 20, 4, 0, false, ""},
	{"from", "FROM", 6, 0, 3, false, ""},
};

static void named_cell(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	static const char *const words[3] = {
		"leaf:Ethernet148", "the first words and the last ones", "lldp"};

	(void)ctx;
	(void)row;
	(void)str_copy(out->text, sizeof(out->text), words[col]);
}

static void shorten_named(void *ctx, char *text, size_t size, int width)
{
	(void)ctx;
	(void)width;
	if (str_starts(text, "leaf:Ethernet"))
		(void)str_copy(text, size, "leaf:Eth148");
}

static void draw_words(struct demo *d, struct region screen)
{
	struct scene *scene = d->scene;
	struct table_source src = {.columns = named,
		.ncolumns = 3,
		.nrows = 1,
		.ctx = scene,
		.cell = named_cell,
		.key = text_key,
		.shorten = shorten_named,
		.empty = ""};

	table_draw(region_sub(screen, 0, 0, screen.h - 1, screen.w), &scene->s, &src);
	(void)draw_text(screen, screen.h - 1, 0, ROLE_NORMAL, scene->s.cut, -1);
}

static void assert_named(int width, const char *row, const char *cut)
{
	struct scene scene = {0};
	struct demo d = {.draw = draw_words, .key = press, .scene = &scene};
	struct vt *vt;

	table_init(&scene.s);
	vt = demo_start(&d, 5, width, NULL, NULL);
	vt_settle(vt);
	assert_string_equal(vt_line(vt, 1), row);
	assert_string_equal(vt_line(vt, 4), cut);
	demo_end(vt);
}

/* Words that are cut take the width of a name's long form, then of a column of less importance. */
CASE(test_words_take_from_names_and_from_lesser_columns)
{
	assert_named(60, "leaf:Ethernet148    the first words and the last ones lldp", "");
	assert_named(52, "leaf:Eth148 the first words and the last ones lldp", "");
	assert_named(45, "leaf:Eth148 the first words and the last ones", "");
	/* A text that still has no room is noted whole. */
	assert_named(44, "leaf:Eth148 the first words and the last on\xe2\x80\xa6",
		"WHY: the first words and the last ones");
}

CASES_MAIN(NULL, NULL)
