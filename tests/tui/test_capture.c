/* SPDX-License-Identifier: Apache-2.0 */
/* A capture equals the terminal's screen: cell by cell, against a terminal emulator. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <jansson.h>
#include <vterm.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt_internal.h"
#include "tests/tui/demo.h"
#include "tui/capture.h"

struct scene {
	char dir[64], text[96], ansi[96], cast[96];
	struct asciicast *cast_of; /* of the program in the terminal */
	int step;
	int64_t mono;
	bool with_cursor;
};

static void draw_scene(struct demo *d, struct region s)
{
	const struct scene *x = d->scene;

	for (int role = 0; role < ROLE_COUNT; role++) {
		(void)draw_textf(s, role, 0, (enum role)role, "role %d  ", role);
		(void)draw_text(s, role, 12, (enum role)role,
			"wide \xe8\xa1\xa8\xe7\xa4\xba \xe2\x96\x88\xe2\x94\x80 end", -1);
	}
	(void)draw_textf(s, 15, 3, ROLE_NORMAL, "step %d \"quoted\\ ", x->step);
	draw_fill(s, 16, 0, s.w, x->step % 2 ? ROLE_ERROR : ROLE_NORMAL);
	/* The last column and the last row, where terminals differ most. */
	for (int i = 0; i < s.h; i++)
		(void)draw_text(s, i, s.w - 2, ROLE_WARN, x->step > 1 ? "\xe8\xa1\xa8" : "||", -1);
	for (int i = 0; i < s.w; i++)
		(void)draw_textf(s, s.h - 1, i, ROLE_ACCENT, "%d", (i + x->step) % 10);
	if (x->with_cursor)
		draw_cursor(s, 3, x->step);
}

static void write_file(const char *path, const struct buf *b)
{
	FILE *f = fopen(path, "we");

	if (!f || fwrite(b->data, 1, b->len, f) != b->len || fclose(f) != 0)
		_exit(DEMO_CRASHED);
}

static void save(const struct term *t, struct scene *x)
{
	struct buf b;

	buf_init(&b, 1 << 20);
	if (!capture_text(t, &b))
		_exit(DEMO_CRASHED);
	write_file(x->text, &b);
	buf_reset(&b);
	if (!capture_ansi(t, &b))
		_exit(DEMO_CRASHED);
	write_file(x->ansi, &b);
	buf_free(&b);
}

/* n: next scene; c: capture; o: open the cast; f: record the frame that is shown; e: end it. */
static void scene_key(struct demo *d, int key)
{
	struct scene *x = d->scene;

	d->due = false;
	x->mono += 250000;
	if (key == 'n')
		x->step++;
	if (key == 'n')
		d->due = true;
	if (key == 'c')
		save(d->term, x);
	if (key == 'o')
		x->cast_of = asciicast_open(
			x->cast, d->term, "a \"title\"\n\033[2J", 1700000000 * CLOCK_SEC, NULL);
	if (key == 'f' && !asciicast_frame(x->cast_of, d->term, x->mono, NULL))
		_exit(DEMO_CRASHED);
	if (key == 'e' && !asciicast_close(x->cast_of, NULL))
		_exit(DEMO_CRASHED);
}

static struct vt *start(struct scene *x, int rows, int cols, const char *theme)
{
	static struct demo d;
	struct vt *vt;

	d = (struct demo){.draw = draw_scene, .key = scene_key, .scene = x};
	d.opts.theme = theme;
	vt = demo_start(&d, rows, cols, NULL, NULL);
	vt_wait_idle(vt, 0);
	return vt;
}

static void set_up(struct scene *x)
{
	memset(x, 0, sizeof(*x));
	(void)str_copy(x->dir, sizeof(x->dir), "/tmp/railtop-capture-XXXXXX");
	assert_non_null(mkdtemp(x->dir));
	(void)str_printf(x->text, sizeof(x->text), "%s/text", x->dir);
	(void)str_printf(x->ansi, sizeof(x->ansi), "%s/ansi", x->dir);
	(void)str_printf(x->cast, sizeof(x->cast), "%s/cast", x->dir);
}

static void clean_up(const struct scene *x)
{
	(void)unlink(x->text);
	(void)unlink(x->ansi);
	(void)unlink(x->cast);
	assert_int_equal(rmdir(x->dir), 0);
}

static void press(struct vt *vt, const char *keys)
{
	for (; *keys; keys++) {
		char one[2] = {*keys, '\0'};

		vt_type(vt, one);
		vt_settle(vt);
	}
}

static char *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *p = calloc(1, 1 << 20);

	assert_non_null(f);
	assert_non_null(p);
	*len = fread(p, 1, (1 << 20) - 1, f);
	(void)fclose(f);
	return p;
}

/* ---- an emulator that shows bytes ---- */

static VTerm *other_terminal(int rows, int cols, VTermScreen **screen)
{
	VTerm *v = vterm_new(rows, cols);

	vterm_set_utf8(v, 1);
	*screen = vterm_obtain_screen(v);
	vterm_screen_reset(*screen, 1);
	return v;
}

static int colour_of(const VTermColor *c, bool back)
{
	if (back ? VTERM_COLOR_IS_DEFAULT_BG(c) : VTERM_COLOR_IS_DEFAULT_FG(c))
		return -1;
	return VTERM_COLOR_IS_INDEXED(c) ? c->indexed.idx : -2;
}

static void same_cell(const VTermScreenCell *a, const VTermScreenCell *b, int y, int x)
{
	bool half = a->chars[0] == UINT32_MAX && b->chars[0] == UINT32_MAX;
	uint32_t ca = a->chars[0] ? a->chars[0] : ' ', cb = b->chars[0] ? b->chars[0] : ' ';
	bool blank = ca == ' ' && !a->attrs.reverse && !a->attrs.underline;

	if (half) /* of a wide character */
		return;
	if (ca != cb)
		fail_msg("%d,%d: U+%04X and U+%04X", y, x, ca, cb);
	if (a->attrs.reverse != b->attrs.reverse || a->attrs.underline != b->attrs.underline ||
		colour_of(&a->bg, true) != colour_of(&b->bg, true))
		fail_msg("%d,%d: the background differs", y, x);
	/* The ink of a blank is nobody's business. */
	if (!blank && (a->attrs.bold != b->attrs.bold ||
			      colour_of(&a->fg, false) != colour_of(&b->fg, false)))
		fail_msg("%d,%d: the ink differs", y, x);
}

static void same_screen(VTermScreen *a, VTermScreen *b, int rows, int cols)
{
	for (int y = 0; y < rows; y++)
		for (int x = 0; x < cols; x++) {
			VTermPos at = {.row = y, .col = x};
			VTermScreenCell ca, cb;

			(void)vterm_screen_get_cell(a, at, &ca);
			(void)vterm_screen_get_cell(b, at, &cb);
			same_cell(&ca, &cb, y, x);
		}
}

/* The same with the line ends that a terminal wants. */
static void show(VTerm *v, const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		/* After the last row there is no next one. */
		if (text[i] == '\n' && i + 1 < n)
			(void)vterm_input_write(v, "\r\n", 2);
		else if (text[i] != '\n')
			(void)vterm_input_write(v, text + i, 1);
	}
}

static void captured_as_shown(int rows, int cols, const char *theme)
{
	struct scene x;
	struct vt *vt;
	VTermScreen *screen;
	VTerm *v;
	char *text, *want;
	size_t len;

	set_up(&x);
	vt = start(&x, rows, cols, theme);
	press(vt, "nnc");
	want = vt_screen(vt);
	text = read_file(x.text, &len);
	assert_string_equal(text, want);
	free(text);
	free(want);
	text = read_file(x.ansi, &len);
	v = other_terminal(rows, cols, &screen);
	show(v, text, len);
	free(text);
	same_screen(vt->screen, screen, rows, cols);
	vterm_free(v);
	demo_end(vt);
	clean_up(&x);
}

CASE(the_text_is_what_the_terminal_shows)
{
	captured_as_shown(24, 80, NULL);
	captured_as_shown(50, 200, "cvd");
}

CASE(without_colour_too)
{
	captured_as_shown(24, 80, "mono");
}

CASE(on_a_screen_that_is_too_small)
{
	captured_as_shown(2, 7, NULL);
	captured_as_shown(1, 1, NULL);
}

/* ---- asciicast ---- */

struct replay {
	VTerm *v;
	VTermScreen *screen;
	int rows, cols;
	double last;
	size_t outputs, sizes, bytes;
};

static void replay_header(struct replay *p, const char *line)
{
	json_t *o = json_loads(line, 0, NULL);

	assert_non_null(o);
	assert_int_equal(json_integer_value(json_object_get(o, "version")), 2);
	assert_int_equal(json_integer_value(json_object_get(o, "timestamp")), 1700000000);
	assert_string_equal(json_string_value(json_object_get(o, "title")), "a \"title\" ?[2J");
	p->rows = (int)json_integer_value(json_object_get(o, "height"));
	p->cols = (int)json_integer_value(json_object_get(o, "width"));
	p->v = other_terminal(p->rows, p->cols, &p->screen);
	json_decref(o);
}

static void replay_event(struct replay *p, const char *line)
{
	json_t *e = json_loads(line, 0, NULL);
	const char *kind, *text;

	assert_non_null(e);
	assert_true(json_number_value(json_array_get(e, 0)) >= p->last);
	p->last = json_number_value(json_array_get(e, 0));
	kind = json_string_value(json_array_get(e, 1));
	text = json_string_value(json_array_get(e, 2));
	if (*kind == 'r') {
		assert_int_equal(sscanf(text, "%dx%d", &p->cols, &p->rows), 2);
		vterm_set_size(p->v, p->rows, p->cols);
		p->sizes++;
	} else {
		assert_string_equal(kind, "o");
		(void)vterm_input_write(p->v, text, strlen(text));
		p->outputs++;
		p->bytes = strlen(text);
	}
	json_decref(e);
}

/* Plays the file up to the n-th output; 0: to its end. */
static void replay(struct replay *p, const char *path, size_t n)
{
	FILE *f = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	assert_non_null(f);
	memset(p, 0, sizeof(*p));
	assert_true(getline(&line, &size, f) > 0);
	replay_header(p, line);
	while ((!n || p->outputs < n) && getline(&line, &size, f) > 0)
		replay_event(p, line);
	free(line);
	(void)fclose(f);
}

CASE(a_cast_shows_the_same_frames)
{
	struct scene x;
	struct vt *vt;
	struct replay p;

	set_up(&x);
	x.with_cursor = true;
	vt = start(&x, 24, 80, NULL);
	press(vt, "o");
	for (size_t i = 1; i <= 4; i++) {
		press(vt, "ff"); /* the same frame is recorded once */
		replay(&p, x.cast, 0);
		assert_int_equal(p.outputs, i);
		same_screen(vt->screen, p.screen, 24, 80);
		/* Rows that changed, and not the whole screen. */
		assert_true(i % 2 == 1 || p.bytes < 800);
		vterm_free(p.v);
		press(vt, "n");
	}
	press(vt, "e");
	demo_end(vt);
	clean_up(&x);
}

CASE(a_new_size_is_an_event)
{
	struct scene x;
	struct vt *vt;
	struct replay p;

	set_up(&x);
	vt = start(&x, 24, 80, NULL);
	press(vt, "of");
	vt_resize(vt, 30, 100);
	vt_settle(vt);
	press(vt, "f");
	vt_resize(vt, 20, 60);
	vt_settle(vt);
	press(vt, "f");
	replay(&p, x.cast, 0);
	assert_int_equal(p.sizes, 2);
	assert_int_equal(p.rows, 20);
	assert_int_equal(p.cols, 60);
	same_screen(vt->screen, p.screen, 20, 60);
	vterm_free(p.v);
	press(vt, "e");
	demo_end(vt);
	clean_up(&x);
}

/* ---- files ---- */

static void file_key(struct demo *d, int key)
{
	struct scene *x = d->scene;
	struct err err = {0};

	if (key == 'x') {
		x->cast_of = asciicast_open(x->cast, d->term, NULL, 0, &err);
		if (x->cast_of || err.code != ERR_IO || !strstr(err.cure, "another file"))
			_exit(DEMO_CRASHED);
	}
	/* No more bytes than that: SIGXFSZ is a signal like a full disk is an error. */
	if (key == 'l') {
		struct rlimit most = {3000, 3000};

		(void)signal(SIGXFSZ, SIG_IGN);
		(void)setrlimit(RLIMIT_FSIZE, &most);
		(void)unlink(x->cast);
		x->cast_of = asciicast_open(x->cast, d->term, NULL, 0, &err);
		if (!x->cast_of || asciicast_frame(x->cast_of, d->term, 0, &err) ||
			err.code != ERR_IO)
			_exit(DEMO_CRASHED);
		/* Reports the error once, and ignores later frames. */
		term_repaint(d->term);
		if (!asciicast_frame(x->cast_of, d->term, 1, &err) ||
			!asciicast_close(x->cast_of, &err))
			_exit(DEMO_CRASHED);
	}
	if (key == 's') {
		(void)asciicast_close(NULL, NULL);
		d->due = true;
	}
}

CASE(a_file_that_exists_is_kept)
{
	struct scene x;
	struct demo d = {.draw = draw_scene, .key = file_key, .scene = &x};
	struct vt *vt;
	FILE *f;
	char *text;
	size_t len;

	set_up(&x);
	f = fopen(x.cast, "we");
	assert_non_null(f);
	(void)fputs("mine", f);
	(void)fclose(f);
	vt = demo_start(&d, 24, 80, NULL, NULL);
	vt_wait_idle(vt, 0);
	press(vt, "xs");
	demo_end(vt);
	text = read_file(x.cast, &len);
	assert_string_equal(text, "mine");
	free(text);
	clean_up(&x);
}

CASE(a_failure_is_told_once)
{
	struct scene x;
	struct demo d = {.draw = draw_scene, .key = file_key, .scene = &x};
	struct vt *vt;

	set_up(&x);
	vt = demo_start(&d, 24, 80, NULL, NULL);
	vt_wait_idle(vt, 0);
	press(vt, "l");
	demo_end(vt);
	clean_up(&x);
}

CASES_MAIN(NULL, NULL)
