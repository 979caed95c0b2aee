/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tui/capture_internal.h"
#include "tui/term_internal.h"
#include "tui/text.h"

/* One cell, as ncurses has it. */
struct shown {
	char text[5 * CCHARW_MAX + 1];
	int columns;
	attr_t attr;
	short fg, bg; /* -1: the terminal's own */
};

#define DRAWN (A_BOLD | A_DIM | A_UNDERLINE | A_REVERSE | A_BLINK | A_ITALIC)

static void cell_read(const cchar_t *cell, struct shown *s)
{
	wchar_t chars[CCHARW_MAX + 1] = {0};
	short pair = 0;
	size_t len = 0;

	*s = (struct shown){.fg = -1, .bg = -1, .columns = 1};
	if (getcchar(cell, chars, &s->attr, &pair, NULL) == ERR)
		chars[0] = L'\0';
	s->attr &= DRAWN;
	if (pair > 0 && pair_content(pair, &s->fg, &s->bg) == ERR)
		s->fg = s->bg = -1;
	for (int i = 0; i < CCHARW_MAX && chars[i]; i++)
		len += text_encode((uint32_t)chars[i], s->text + len);
	if (!len)
		(void)memcpy(s->text, " ", 2);
	else if (text_columns((uint32_t)chars[0]) == 2)
		s->columns = 2;
}

/* Whether the cell is a space without visible attributes. */
static bool is_blank(const struct shown *s)
{
	return s->text[0] == ' ' && !s->text[1] && s->bg < 0 &&
	       !(s->attr & (A_REVERSE | A_UNDERLINE));
}

static bool same_look(const struct shown *a, const struct shown *b)
{
	return a->attr == b->attr && a->fg == b->fg && a->bg == b->bg;
}

/* A colour as SGR parameters (ECMA-48; 38 and 48 as xterm has them). */
static void add_colour(struct buf *out, short colour, int base)
{
	if (colour >= 16)
		(void)buf_addf(out, ";%d;5;%d", base + 8, colour);
	else if (colour >= 8)
		(void)buf_addf(out, ";%d", base + 60 + colour - 8);
	else if (colour >= 0)
		(void)buf_addf(out, ";%d", base + colour);
}

static void add_look(struct buf *out, const struct shown *s)
{
	static const struct {
		attr_t attr;
		const char *code;
	} codes[] = {{A_BOLD, ";1"}, {A_DIM, ";2"}, {A_ITALIC, ";3"}, {A_UNDERLINE, ";4"},
		{A_BLINK, ";5"}, {A_REVERSE, ";7"}};

	(void)buf_adds(out, "\033[0");
	for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
		if (s->attr & codes[i].attr)
			(void)buf_adds(out, codes[i].code);
	add_colour(out, s->fg, 30);
	add_colour(out, s->bg, 40);
	(void)buf_adds(out, "m");
}

/* The row's cells; a wide character is one cell. The caller frees. */
static cchar_t *row_cells(int y, int columns, int *n)
{
	cchar_t *cells = mem_calloc((size_t)columns + 1, sizeof(*cells));
	int was_y, was_x, used = 0;

	getyx(curscr, was_y, was_x);
	*n = 0;
	if (mvwin_wchnstr(curscr, y, 0, cells, columns) != ERR)
		for (int at = 0; at < columns; used++) {
			struct shown s;

			cell_read(&cells[used], &s);
			at += s.columns;
			*n = used + 1;
		}
	/* Restores the cursor: ncurses keeps the terminal's cursor position in curscr. */
	(void)wmove(curscr, was_y, was_x);
	return cells;
}

void capture_row(const struct term *t, int y, bool colours, struct buf *out)
{
	struct shown plain = {.fg = -1, .bg = -1}, look = plain, s;
	cchar_t *cells;
	int n;

	cells = row_cells(y, term_cols(t), &n);
	for (; n > 0; n--) {
		cell_read(&cells[n - 1], &s);
		if (colours ? !is_blank(&s) : s.text[0] != ' ')
			break;
	}
	for (int i = 0; i < n; i++) {
		cell_read(&cells[i], &s);
		if (colours && !same_look(&s, &look))
			add_look(out, &s);
		look = s;
		(void)buf_adds(out, s.text);
	}
	if (colours && !same_look(&look, &plain))
		(void)buf_adds(out, "\033[0m");
	free(cells);
}

static bool capture_screen(const struct term *t, bool colours, struct buf *out)
{
	for (int y = 0; y < term_rows(t); y++) {
		capture_row(t, y, colours, out);
		(void)buf_adds(out, "\n");
	}
	return !out->overflow;
}

bool capture_text(const struct term *t, struct buf *out)
{
	return capture_screen(t, false, out);
}

bool capture_ansi(const struct term *t, struct buf *out)
{
	return capture_screen(t, true, out);
}
