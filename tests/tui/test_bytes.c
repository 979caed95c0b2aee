/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a refresh on the wire: a port table with ten per cent of its rows changing from frame
 * to frame, and a clock. Bytes are counted, not timed: at one refresh a second they are bytes/s.
 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/table.h"
#include "tui/widgets.h"

#define FRAMES   60
#define ROWS_MAX 60
#define RING     40

struct ports {
	unsigned value[ROWS_MAX][7];
	float history[ROWS_MAX][RING];
	size_t next, rows;
	unsigned seed;
	bool sparks, idle;
	const struct term *term;
	struct table_state table;
};

static const struct table_column columns[] = {
	{"port", "PORT", 14, 0, 0, false, ""},
	{"rx", "RX", 7, 0, 1, true, ""},
	{"tx", "TX", 7, 0, 2, true, ""},
	{"util", "UTIL", 7, 0, 3, true, ""},
	{"pfc", "PFC", 7, 0, 4, true, ""},
	{"ecn", "ECN", 7, 0, 5, true, ""},
	{"cnp", "CNP", 7, 0, 6, true, ""},
	{"drops", "DROPS", 7, 0, 7, true, ""},
	{"history", "HISTORY", RING, 0, 8, false, ""},
};

static unsigned next_random(struct ports *p)
{
	p->seed = p->seed * 1103515245U + 12345U;
	return p->seed >> 8;
}

static void cell(void *ctx, size_t row, size_t col, struct table_cell *out)
{
	const struct ports *p = ctx;

	if (col == 0)
		(void)str_printf(out->text, sizeof(out->text), "Ethernet%zu", row * 4);
	else if (col < 8)
		(void)str_si(p->value[row][col - 1], out->text, sizeof(out->text));
	else
		spark_text(p->term, p->history[row], RING, p->next, RING, 100, RING, out->text,
			sizeof(out->text));
}

static uint64_t key(void *ctx, size_t row)
{
	(void)ctx;
	return row + 1;
}

static void draw(struct demo *d, struct region s)
{
	struct ports *p = d->scene;
	struct table_source src = {.columns = columns,
		.ncolumns = p->sparks ? 9 : 8,
		.nrows = p->rows,
		.ctx = p,
		.cell = cell,
		.key = key};

	p->term = s.term;
	draw_textf(s, 0, 0, ROLE_TITLE, "fabric > leaf-r0-00 > ports");
	/* A colour around the clock would cost as much again: it is drawn plain. */
	draw_textf(s, 0, s.w - 10, ROLE_NORMAL, "11:%02d:%02d", d->keys / 60, d->keys % 60);
	table_draw(region_sub(s, 1, 0, s.h - 3, s.w), &p->table, &src);
	draw_text(s, s.h - 1, 0, ROLE_HINT, "Enter open  Esc back  / filter  ? help", -1);
}

/* A tenth of the rows gets new numbers. */
static void press(struct demo *d, int k)
{
	struct ports *p = d->scene;

	(void)k;
	if (p->idle)
		return;
	for (size_t row = 0; row < p->rows; row++)
		p->history[row][p->next] = (float)(next_random(p) % 100);
	p->next = (p->next + 1) % RING;
	for (size_t i = 0; i < (p->rows + 9) / 10; i++) {
		size_t row = next_random(p) % p->rows;

		for (size_t c = 0; c < 7; c++)
			p->value[row][c] = next_random(p) % 400000;
	}
}

static double bytes_per_frame(int rows, int cols, bool sparks, bool idle, uint64_t *first)
{
	static struct ports p;
	struct demo d = {.draw = draw, .key = press, .scene = &p};
	struct vt *vt;
	double bytes;

	memset(&p, 0, sizeof(p));
	p.rows = (size_t)rows - 4;
	p.sparks = sparks;
	p.idle = idle;
	p.seed = 1;
	table_init(&p.table);
	vt = demo_start(&d, rows, cols, NULL, NULL);
	vt_settle(vt);
	*first = vt_bytes(vt);
	for (int i = 0; i < FRAMES; i++) {
		vt_type(vt, "n");
		vt_settle(vt);
	}
	bytes = (double)(vt_bytes(vt) - *first) / FRAMES;
	demo_end(vt);
	return bytes;
}

static void check(const char *what, int rows, int cols, bool sparks, bool idle, double most)
{
	uint64_t first;
	double bytes = bytes_per_frame(rows, cols, sparks, idle, &first);

	printf("# figure %s %dx%d: %.0f bytes a frame (at most %.0f), first paint %llu\n", what,
		cols, rows, bytes, most, (unsigned long long)first);
	assert_true(bytes <= most);
	assert_true(first <= (rows > 24 ? 10000 : 4000));
}

CASE(test_ten_per_cent_small)
{
	check("10% of rows", 24, 80, false, false, 150);
}

CASE(test_ten_per_cent_large)
{
	check("10% of rows", 50, 200, false, false, 350);
}

CASE(test_sparklines)
{
	check("10% of rows, sparklines on all", 50, 200, true, false, 1200);
}

CASE(test_only_the_clock)
{
	check("only the clock", 24, 80, false, true, 20);
	check("only the clock", 50, 200, false, true, 20);
}

CASES_MAIN(NULL, NULL)
