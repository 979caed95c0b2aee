/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pictures of screens for the documents, drawn from the cells of the terminal emulator:
 * PICTURES=docs/pictures build/tests/screens/test_pictures writes them (make pictures). Without it
 * one of them is drawn and compared with its screen.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

/* A cell in pixels, and the baseline in it. */
#define CELL_W   8
#define CELL_H   17
#define BASELINE 13
#define INK      0xd0d0d0U
#define GROUND   0x101418U

struct picture {
	const char *name;
	bool storm; /* the storm alone, else all faults of the fixture */
	int rows, cols;
	const char *keys[4];
};

static const struct picture pictures[] = {
	{"home", true, 24, 80, {NULL}},
	{"home-wide", false, 50, 200, {NULL}},
	{"finding", true, 30, 120, {"e"}},
	{"trace", true, 30, 120, {"t"}},
	{"map", true, 24, 80, {"M"}},
	{"heat", true, 24, 80, {"H"}},
	{"chart", true, 24, 80, {"v"}},
	{"links-wide", false, 50, 200, {"3"}},
	{"findings", false, 30, 120, {"7"}},
	{"jobs", false, 30, 120, {"9", "Enter"}},
	{"runbook", true, 30, 120, {"b"}},
	{"help", true, 30, 120, {"?"}},
};

/* ---- colours of a terminal with 256 of them ---- */

static unsigned rgb_of(int colour, unsigned own)
{
	static const unsigned sixteen[] = {0x000000, 0xcd3131, 0x0dbc79, 0xe5e510, 0x2472c8,
		0xbc3fbc, 0x11a8cd, 0xe5e5e5, 0x808080, 0xf14c4c, 0x23d18b, 0xf5f543, 0x3b8eea,
		0xd670d6, 0x29b8db, 0xffffff};
	static const unsigned level[] = {0, 95, 135, 175, 215, 255};
	unsigned c = (unsigned)colour;

	if (colour < 0)
		return own;
	if (c < 16)
		return sixteen[c];
	if (c >= 232)
		return (8 + 10 * (c - 232)) * 0x010101;
	c -= 16;
	return level[c / 36] << 16 | level[c / 6 % 6] << 8 | level[c % 6];
}

static void look_of(struct vt_attr a, unsigned *ink, unsigned *ground)
{
	unsigned fg = rgb_of(a.fg, INK), bg = rgb_of(a.bg, GROUND);

	*ink = a.reverse ? bg : fg;
	*ground = a.reverse ? fg : bg;
}

static bool same_look(struct vt_attr a, struct vt_attr b)
{
	return a.fg == b.fg && a.bg == b.bg && a.bold == b.bold && a.underline == b.underline &&
	       a.reverse == b.reverse;
}

/* ---- the picture ---- */

static void put(struct buf *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct buf *out, const char *format, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(text, sizeof(text), format, ap);
	va_end(ap);
	assert_true(buf_add(out, text, strlen(text)));
}

static size_t char_size(const char *s)
{
	unsigned char c = (unsigned char)*s;

	return !c ? 0 : c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
}

static void put_char(struct buf *out, const char *s, size_t n)
{
	if (n == 1 && *s == '<')
		put(out, "&lt;");
	else if (n == 1 && *s == '&')
		put(out, "&amp;");
	else
		assert_true(buf_add(out, n ? s : " ", n ? n : 1));
}

/* The cells of one look from x to end; s is the text at x. Returns the text at end. */
static const char *put_run(
	struct buf *out, int y, int x, int end, struct vt_attr look, const char *s)
{
	unsigned ink, ground;
	bool blank = true;
	const char *c = s;

	look_of(look, &ink, &ground);
	for (int i = x; i < end; i++, c += char_size(c))
		blank &= !*c || *c == ' ';
	if (ground != GROUND)
		put(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n",
			x * CELL_W, y * CELL_H, (end - x) * CELL_W, CELL_H, ground);
	if (blank && !look.underline)
		return c;
	put(out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"%s%s>", x * CELL_W,
		y * CELL_H + BASELINE, (end - x) * CELL_W, ink,
		look.bold ? " font-weight=\"bold\"" : "",
		look.underline ? " text-decoration=\"underline\"" : "");
	for (int i = x; i < end; i++, s += char_size(s))
		put_char(out, s, char_size(s));
	put(out, "</text>\n");
	return c;
}

static void put_row(struct buf *out, struct vt *vt, int y)
{
	const char *s = vt_line(vt, y);

	for (int x = 0, end; x < vt_cols(vt); x = end) {
		struct vt_attr look = vt_attr_at(vt, y, x);

		for (end = x + 1; end < vt_cols(vt) && same_look(look, vt_attr_at(vt, y, end));)
			end++;
		s = put_run(out, y, x, end, look, s);
	}
}

/* An SVG of the screen; the caller frees. */
static char *draw(struct vt *vt)
{
	struct buf out;
	int w = vt_cols(vt) * CELL_W, h = vt_rows(vt) * CELL_H;

	buf_init(&out, 4 << 20);
	put(&out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
		"height=\"%d\">\n<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n"
		"<g font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"13\" "
		"xml:space=\"preserve\" style=\"white-space:pre\">\n",
		w, h, w, h, w, h, GROUND);
	for (int y = 0; y < vt_rows(vt); y++)
		put_row(&out, vt, y);
	put(&out, "</g>\n</svg>\n");
	return buf_take(&out, NULL);
}

/* ---- screens ---- */

static struct vt *start(const struct fixture_files *x, const struct picture *p, const char *locale)
{
	static char path[256];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", x->inventory,
		"--observations", x->observations, NULL};
	const char *const env[] = {"NO_COLOR", "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {
		.rows = p->rows, .cols = p->cols, .locale = locale, .env = env, .idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	for (size_t i = 0; i < 4 && p->keys[i]; i++) {
		vt_key(vt, p->keys[i]);
		vt_settle(vt);
	}
	return vt;
}

static void write_picture(const char *dir, const struct picture *p)
{
	struct fixture_files *x;
	char path[256], *svg;
	struct vt *vt;
	FILE *f;

	assert_int_equal((p->storm ? fixture_set_up_storm : fixture_set_up)((void **)&x), 0);
	vt = start(x, p, "C.UTF-8");
	svg = draw(vt);
	(void)str_printf(path, sizeof(path), "%s/%s.svg", dir, p->name);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(svg, f) >= 0);
	assert_int_equal(fclose(f), 0);
	free(svg);
	vt_leave(vt);
	(void)fixture_tear_down((void **)&x);
}

/* The text of the line at that baseline, with the blanks that runs without ink leave out. */
static void line_of(const char *svg, int y, char *dst, int cols)
{
	char at[32];

	memset(dst, ' ', (size_t)cols);
	dst[cols] = '\0';
	(void)str_printf(at, sizeof(at), "\" y=\"%d\" ", y * CELL_H + BASELINE);
	for (const char *s = svg; (s = strstr(s, at)); s++) {
		const char *from = s, *text = strchr(s, '>');
		int x;

		while (from[-1] != '"')
			from--;
		x = atoi(from) / CELL_W;
		for (text++; *text != '<' && x < cols; text++) {
			dst[x++] = *text;
			if (str_starts(text, "&lt;") || str_starts(text, "&amp;")) {
				dst[x - 1] = text[1] == 'l' ? '<' : '&';
				text = strchr(text, ';');
			}
		}
	}
	for (int end = cols; end > 0 && dst[end - 1] == ' ';)
		dst[--end] = '\0';
}

CASE(a_picture_has_each_line_of_its_screen)
{
	const char *dir = getenv("PICTURES");
	char line[256], *svg;
	struct vt *vt;

	for (size_t i = 0; dir && i < sizeof(pictures) / sizeof(pictures[0]); i++)
		write_picture(dir, &pictures[i]);
	/* In ASCII a byte is a cell. */
	vt = start(*state, &pictures[0], "C");
	svg = draw(vt);
	for (int y = 0; y < 24; y++) {
		line_of(svg, y, line, 80);
		assert_string_equal(line, vt_line(vt, y));
	}
	/* The cause is red and bold, as on the screen. */
	assert_non_null(strstr(svg, "fill=\"#ff5f5f\" font-weight=\"bold\">PFC STORM"));
	free(svg);
	vt_leave(vt);
}

CASES_MAIN(fixture_set_up_storm, fixture_tear_down)
