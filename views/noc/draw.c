/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/panels/cluster_panel.h"
#include "views/common.h"
#include "views/noc/noc_private.h"
#include "views/summary.h"

/* ---- large letters ---- */

#define LETTER_ROWS 5
#define LETTER_COLS 5

/* Rows from the top, the left column is bit 4. */
static const struct {
	char letter;
	uint8_t row[LETTER_ROWS];
} letters[] = {
	{'A', {0x0e, 0x11, 0x1f, 0x11, 0x11}},
	{'B', {0x1e, 0x11, 0x1e, 0x11, 0x1e}},
	{'C', {0x0f, 0x10, 0x10, 0x10, 0x0f}},
	{'D', {0x1e, 0x11, 0x11, 0x11, 0x1e}},
	{'E', {0x1f, 0x10, 0x1e, 0x10, 0x1f}},
	{'G', {0x0f, 0x10, 0x13, 0x11, 0x0f}},
	{'I', {0x0e, 0x04, 0x04, 0x04, 0x0e}},
	{'K', {0x11, 0x12, 0x1c, 0x12, 0x11}},
	{'L', {0x10, 0x10, 0x10, 0x10, 0x1f}},
	{'N', {0x11, 0x19, 0x15, 0x13, 0x11}},
	{'O', {0x0e, 0x11, 0x11, 0x11, 0x0e}},
	{'R', {0x1e, 0x11, 0x1e, 0x12, 0x11}},
	{'T', {0x1f, 0x04, 0x04, 0x04, 0x04}},
	{'U', {0x11, 0x11, 0x11, 0x11, 0x0e}},
	{'W', {0x11, 0x11, 0x15, 0x1b, 0x11}},
};

static const uint8_t *letter_rows(char c)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].letter == c)
			return letters[i].row;
	return letters[0].row;
}

static enum role role_of_word(enum noc_word w)
{
	static const enum role roles[] = {
		ROLE_UNKNOWN, ROLE_UNKNOWN, ROLE_OK, ROLE_WARN, ROLE_CRIT};

	return roles[w];
}

/* A full block in the role. A space would do only in reverse roles. */
static const char *block_text(const struct term *t)
{
	return term_utf8(t) ? "\xe2\x96\x88" : "#";
}

static void draw_dot(struct region r, int y, int x, int h, int w, enum role role)
{
	for (int i = 0; i < h; i++)
		for (int k = 0; k < w; k++)
			(void)draw_text(r, y + i, x + k, role, block_text(r.term), 1);
}

static void draw_letter(struct region r, int x, int dot_h, int dot_w, char c, enum role role)
{
	const uint8_t *rows = letter_rows(c);

	for (int row = 0; row < LETTER_ROWS; row++)
		for (int col = 0; col < LETTER_COLS; col++)
			if (rows[row] & (1U << (LETTER_COLS - 1 - col)))
				draw_dot(r, row * dot_h, x + col * dot_w, dot_h, dot_w, role);
}

int noc_draw_word(const struct wall *w, struct region r)
{
	const char *word = noc_word_name(w->f->word);
	enum role role = role_of_word(w->f->word);
	int columns = (int)strlen(word) * (LETTER_COLS + 1) - 1;
	int dot_w = r.w / columns, dot_h = r.h / LETTER_ROWS;

	if (dot_w < 1 || dot_h < 1)
		return r.h > 0 ? (draw_text(r, 0, 0, role, word, -1), 1) : 0;
	/* A cell of a terminal is about twice as high as wide. */
	dot_w = dot_w > 2 * dot_h ? 2 * dot_h : dot_w;
	dot_h = dot_h > (dot_w + 1) / 2 ? (dot_w + 1) / 2 : dot_h;
	for (int i = 0; word[i]; i++)
		draw_letter(r, i * (LETTER_COLS + 1) * dot_w, dot_h, dot_w, word[i], role);
	return LETTER_ROWS * dot_h;
}

/* ---- text ---- */

int noc_draw_wrapped(struct region r, int y, enum role role, const char *text, int most)
{
	int lines = 0;

	while (*text && lines < most && y + lines < r.h) {
		size_t len = strlen(text), cut = len;
		char line[512];

		if (lines + 1 < most && draw_width(r.term, text) > r.w && r.w > 0) {
			cut = (size_t)r.w < len ? (size_t)r.w : len;
			while (cut > 0 && text[cut] != ' ')
				cut--;
			cut = cut ? cut : len;
		}
		(void)str_copyn(line, sizeof(line), text, cut);
		(void)draw_text(r, y + lines, 0, role, line, -1);
		text += cut;
		while (*text == ' ')
			text++;
		lines++;
	}
	return lines;
}

/* ---- urgent news ---- */

static void draw_banner(struct region r, int y, const char *text)
{
	draw_fill(r, y, 0, r.w, ROLE_ERROR);
	(void)draw_text(r, y, 1, ROLE_ERROR, text, r.w - 1);
}

int noc_draw_banners(const struct wall *w, struct region r)
{
	const struct finding *f =
		w->n->pin_us && w->n->diag ? diag_finding(w->n->diag, w->n->pin_key) : NULL;
	char text[400], at[330], when[16];
	int y = 0;

	if (w->f->storm && y < r.h)
		draw_banner(r, y++, w->f->storm_text);
	if (f && y < r.h) {
		(void)str_printf(text, sizeof(text), "NEW %s  %s, %s",
			noc_hhmm(w->n, w->n->pinned_at_us, when, sizeof(when)),
			finding_info[f->id].title, noc_ends(w->n->model, f, at, sizeof(at)));
		draw_banner(r, y++, text);
	}
	return y;
}

/* ---- findings ---- */

static void finding_head(const struct wall *w, const struct finding *f, char *dst, size_t size)
{
	char since[16], gpus[32] = "";

	if (f->gpus_blocked)
		(void)str_printf(gpus, sizeof(gpus), "  %u GPU%s", f->gpus_blocked,
			str_plural(f->gpus_blocked));
	(void)str_printf(dst, size, "%-5s %6s  %s%s%s", f->severity == SEV_CRIT ? "CRIT" : "WARN",
		noc_since(w->n, f->first_seen_us, since, sizeof(since)), finding_info[f->id].title,
		gpus,
		finding_ended_us(f)               ? "  (ended)"
		: finding_acked(f, w->n->data_us) ? "  (ack)"
		: f->role == ROLE_RISK            ? "  (risk)"
						  : "");
}

int noc_draw_findings(const struct wall *w, struct region r, size_t most)
{
	size_t n = w->f->ntop < most ? w->f->ntop : most;
	bool two = r.h >= 2 * (int)n, headed = !two || r.h > 2 * (int)n;
	int y = 0;

	if (r.h < 1)
		return 0;
	if (!w->n->diag || !n) {
		(void)draw_text(r, y++, 0, ROLE_HEADER,
			w->f->word == NOC_BLIND ? "findings: -"
			: w->n->diag            ? "findings: none"
						: "findings: not diagnosed",
			-1);
		return y;
	}
	if (headed && w->f->ntop + w->f->more > n)
		(void)draw_textf(r, y++, 0, ROLE_HEADER, "findings, the first %zu of %zu", n,
			w->f->ntop + w->f->more);
	else if (headed)
		(void)draw_text(r, y++, 0, ROLE_HEADER, "findings", -1);
	for (size_t i = 0; i < n && y < r.h; i++) {
		const struct finding *f = w->f->top[i];
		bool acked = finding_acked(f, w->n->data_us);
		enum role role = acked ? ROLE_DIM : role_of_severity(f->severity);
		char head[200], at[330];
		int used;

		finding_head(w, f, head, sizeof(head));
		used = draw_text(r, y, 0, role, head, -1);
		(void)noc_ends(w->n->model, f, at, sizeof(at));
		if (draw_width(r.term, at) > r.w - (two ? 6 : used + 2))
			(void)noc_place(w->n->model, f->at, at, sizeof(at));
		if (two)
			(void)draw_text(r, ++y, 6, acked ? ROLE_DIM : ROLE_NORMAL, at, -1);
		else
			(void)draw_text(r, y, used + 2, ROLE_NORMAL, at, -1);
		y++;
	}
	return y;
}

/* ---- the map ---- */

#define MAP_CELL_W 32
#define MAP_CELL_H 9

/* The characters around a cell's letters, which show the severity without colour. */
static const char *fill_of(const struct term *t, const char *word)
{
	bool utf8 = term_utf8(t);

	switch (word[0]) {
	case 'C':
		return utf8 ? "\xe2\x96\x88" : "#";
	case 'v':
		return utf8 ? "\xe2\x96\x93" : "v";
	case 'W':
		return utf8 ? "\xe2\x96\x92" : "+";
	case 'o':
		return utf8 ? "\xc2\xb7" : ".";
	default:
		return " ";
	}
}

static void draw_cell(
	const struct wall *w, struct region r, const struct heat *h, int row, int column)
{
	struct table_cell c = {0};
	const char *fill;
	int at;

	heat_cell(h, row, column, &c);
	if (!c.text[0])
		return;
	/* After a minute without data the map shows no cell as healthy. */
	if (w->f->silent) {
		(void)str_copy(c.text, sizeof(c.text), "?");
		c.role = ROLE_UNKNOWN;
	}
	fill = fill_of(r.term, c.text);
	for (int y = 0; y < r.h; y++)
		for (int x = 0; x < r.w; x++)
			(void)draw_text(r, y, x, c.role, fill, 1);
	at = (r.w - (int)strlen(c.text)) / 2;
	if (at > 0 && r.w >= 5)
		(void)draw_fill(r, r.h / 2, at - 1, (int)strlen(c.text) + 2, ROLE_NORMAL);
	else
		(void)draw_fill(r, r.h / 2, 0, r.w, ROLE_NORMAL);
	(void)draw_text(r, r.h / 2, at > 0 ? at : 0, c.role, c.text, -1);
}

int noc_map_width(const struct wall *w, int most, int cell)
{
	struct heat h;
	int columns;

	if (!w->n->model)
		return 0;
	heat_init(&h, &w->ctx, most);
	columns = h.rows ? h.columns : 0;
	heat_free(&h);
	return columns * cell + NOC_MAP_LABEL < most ? columns * cell + NOC_MAP_LABEL : most;
}

int noc_draw_map(const struct wall *w, struct region r)
{
	struct heat h;
	int cell_w, cell_h, rows;

	if (!w->n->model || r.h < 2 || r.w < NOC_MAP_LABEL + 4)
		return 0;
	heat_init(&h, &w->ctx, r.w);
	if (!h.rows) {
		heat_free(&h);
		return 0;
	}
	cell_w = (r.w - NOC_MAP_LABEL) / h.columns;
	cell_w = cell_w > MAP_CELL_W ? MAP_CELL_W : cell_w;
	cell_h = (r.h - 1) / h.rows;
	cell_h = cell_h > MAP_CELL_H ? MAP_CELL_H : cell_h < 1 ? 1 : cell_h;
	cell_h = cell_h > (cell_w + 1) / 2 ? (cell_w + 1) / 2 : cell_h;
	cell_w = cell_w > 5 * cell_h ? 5 * cell_h : cell_w;
	rows = (r.h - 1) / cell_h < h.rows ? (r.h - 1) / cell_h : h.rows;
	for (int c = 0; c < h.columns; c++) {
		char label[16];

		heat_column_label(&h, c, label, sizeof(label));
		(void)draw_text(r, 0, NOC_MAP_LABEL + c * cell_w + cell_w / 2, ROLE_HEADER, label,
			cell_w / 2);
	}
	for (int row = 0; row < rows; row++) {
		char label[16];
		int y = 1 + row * cell_h, gap = cell_h > 2 ? 1 : 0;

		heat_row_label(&h, row, label, sizeof(label));
		(void)draw_text(r, y + (cell_h - gap) / 2, 0, ROLE_HEADER, label, NOC_MAP_LABEL);
		for (int c = 0; c < h.columns; c++)
			draw_cell(w,
				region_sub(
					r, y, NOC_MAP_LABEL + c * cell_w, cell_h - gap, cell_w - 1),
				&h, row, c);
	}
	rows = 1 + rows * cell_h;
	heat_free(&h);
	return rows;
}
