/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal through a real one: kinds of terminals, sizes, colours, exit. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sandbox/sandbox.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/tui/demo.h"
#include "tui/keymap.h"

static void scene_plain(struct demo *d, struct region s)
{
	char key[24] = "none";

	if (d->last_key)
		(void)key_name(d->last_key, key, sizeof(key));
	draw_textf(s, 0, 0, ROLE_TITLE, "size %dx%d", s.h, s.w);
	draw_textf(s, 1, 0, ROLE_NORMAL, "key %s count %d.", key, d->keys);
	draw_text(s, 2, 0, ROLE_NORMAL, "\xe2\x89\xa4 5% \xe2\x86\x92 \xe6\xbc\xa2 end", -1);
	draw_text(s, 3, 0, ROLE_CRIT, "CRITICAL", -1);
	draw_text(s, 4, 0, ROLE_WARN, "WARNING", -1);
	draw_text(s, 5, 0, ROLE_OK, "FINE", -1);
	draw_fill(s, 6, 0, s.w, ROLE_CURSOR);
	draw_text(s, 6, 0, ROLE_CURSOR, "CURSOR", -1);
	draw_box(region_sub(s, 8, 0, 5, 20), "box", ROLE_DIM);
}

static bool any_high_byte(struct vt *vt)
{
	size_t n;
	const char *out = vt_output(vt, &n);

	for (size_t i = 0; i < n; i++)
		if ((unsigned char)out[i] >= 0x80)
			return true;
	return false;
}

static bool wrote(struct vt *vt, const char *bytes)
{
	size_t n;
	const char *out = vt_output(vt, &n);

	return memmem(out, n, bytes, strlen(bytes)) != NULL;
}

static const char *const terms[] = {"vt100", "linux", "xterm-256color", "tmux-256color", "xterm"};
#define TERMS (sizeof(terms) / sizeof(terms[0]))

CASE(test_utf8_on_each_terminal)
{
	for (size_t i = 0; i < TERMS; i++) {
		struct demo d = {.draw = scene_plain};
		struct vt *vt = demo_start(&d, 24, 80, terms[i], NULL);

		vt_settle(vt);
		assert_string_equal(vt_line(vt, 0), "size 24x80");
		assert_string_equal(
			vt_line(vt, 2), "\xe2\x89\xa4 5% \xe2\x86\x92 \xe6\xbc\xa2 end");
		assert_true(str_starts(vt_line(vt, 8), "\xe2\x94\x8c\xe2\x94\x80 box "));
		demo_end(vt);
	}
}

CASE(test_ascii_without_utf8_locale)
{
	for (size_t i = 0; i < TERMS; i++) {
		struct demo d = {.draw = scene_plain};
		struct vt *vt = demo_start(&d, 24, 80, terms[i], "C");

		vt_settle(vt);
		assert_string_equal(vt_line(vt, 2), "<= 5% -> ? end");
		assert_string_equal(vt_line(vt, 8), "+- box ------------+");
		assert_false(any_high_byte(vt));
		demo_end(vt);
	}
}

CASE(test_ascii_by_option)
{
	struct demo d = {.draw = scene_plain, .opts = {.ascii = true}};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_settle(vt);
	assert_string_equal(vt_line(vt, 2), "<= 5% -> ? end");
	assert_false(any_high_byte(vt));
	demo_end(vt);
}

static void assert_key(struct vt *vt, const char *press, const char *shown)
{
	char text[64];

	vt_key(vt, press);
	vt_settle(vt);
	(void)str_printf(text, sizeof(text), "key %s count %lu.", shown, vt_keys_typed(vt));
	assert_string_equal(vt_line(vt, 1), text);
}

CASE(test_keys_on_each_terminal)
{
	static const char *const names[] = {"Up", "Down", "Left", "Right", "Home", "End", "PgUp",
		"PgDn", "Insert", "Delete", "Backspace", "Tab", "Enter", "Esc", "F1", "F5", "F12",
		"Ctrl-C", "Ctrl-L", "Ctrl-S", "x", "Alt-x", "?"};

	for (size_t i = 0; i < TERMS; i++) {
		struct demo d = {.draw = scene_plain};
		struct vt *vt = demo_start(&d, 24, 80, terms[i], NULL);

		for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++)
			assert_key(vt, names[k], names[k]);
		assert_key(vt, "\xc3\xa9", "\xc3\xa9");
		demo_end(vt);
	}
}

/* A sequence nobody knows (a modified arrow, a focus report) must not become commands. */
CASE(test_unknown_sequences_are_no_keys)
{
	static const char *const unknown[] = {
		"\033[1;5A", "\033[I", "\033[<0;3;4M", "\033[200~", "\033[27;5;106~", "\033[?1;2c"};
	struct demo d = {.draw = scene_plain};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_settle(vt);
	for (size_t i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
		vt_send(vt, unknown[i], strlen(unknown[i]));
		assert_key(vt, "z", "z");
	}
	demo_end(vt);
}

CASE(test_no_color)
{
	static const char *const env[] = {"NO_COLOR=1", NULL};
	struct demo d = {.draw = scene_plain};
	struct vt_opts opts = {.idle = true, .env = env, .own_stderr = true};
	struct vt *vt = vt_spawn_fn(&opts, demo_run, &d);

	vt_settle(vt);
	for (int row = 0; row < 24; row++) {
		assert_int_equal(vt_attr_at(vt, row, 0).fg, -1);
		assert_int_equal(vt_attr_at(vt, row, 0).bg, -1);
	}
	/* The remaining attributes must still tell severe from fine. */
	assert_true(vt_attr_at(vt, 3, 0).underline);
	assert_true(vt_attr_at(vt, 4, 0).bold);
	assert_false(vt_attr_at(vt, 5, 0).bold);
	assert_false(wrote(vt, "38;5;"));
	demo_end(vt);
}

CASE(test_colour_depths)
{
	static const struct {
		const char *term, *theme;
		int crit, cursor_bg;
	} cases[] = {
		{"xterm-256color", NULL, 203, 24},
		{"tmux-256color", "light", 160, 153},
		{"xterm-256color", "cvd", 166, 25},
		{"xterm-256color", "mono", -1, -1},
		{"xterm-16color", NULL, 9, -1},
		{"linux", NULL, 1, -1},
		{"vt100", NULL, -1, -1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct demo d = {.draw = scene_plain, .opts = {.theme = cases[i].theme}};
		struct vt *vt = demo_start(&d, 24, 80, cases[i].term, NULL);

		vt_settle(vt);
		assert_int_equal(vt_attr_at(vt, 3, 0).fg, cases[i].crit);
		assert_true(vt_attr_at(vt, 3, 0).bold);
		assert_int_equal(vt_attr_at(vt, 6, 40).bg, cases[i].cursor_bg);
		assert_true(vt_attr_at(vt, 6, 40).reverse == (cases[i].cursor_bg < 0));
		demo_end(vt);
	}
}

static void scene_repeated(struct demo *d, struct region s)
{
	(void)d;
	draw_text(s, 0, 0, ROLE_NORMAL, "================================================ end", -1);
}

/*
 * Outside UTF-8 ncurses lets the terminal repeat characters: the text behind them is in its place.
 */
CASE(test_repeated_characters)
{
	struct demo d = {.draw = scene_repeated};
	struct vt *vt = demo_start(&d, 24, 80, "xterm-256color", "C");

	vt_settle(vt);
	assert_true(wrote(vt, "=\033[47b"));
	assert_string_equal(vt_line(vt, 0), "================================================ end");
	demo_end(vt);
}

CASE(test_sizes)
{
	static const int sizes[][2] = {{1, 1}, {1, 2}, {2, 1}, {1, 80}, {24, 1}, {3, 3}, {10, 40},
		{24, 80}, {50, 200}, {60, 300}};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct demo d = {.draw = scene_plain};
		struct vt *vt = demo_start(&d, sizes[i][0], sizes[i][1], NULL, NULL);
		char text[32];

		vt_settle(vt);
		(void)str_printf(text, sizeof(text), "size %dx%d", sizes[i][0], sizes[i][1]);
		text[sizes[i][1] < 31 ? sizes[i][1] : 31] = '\0';
		assert_true(str_starts(text, vt_line(vt, 0)));
		assert_int_equal(vt_line(vt, 0)[0], 's');
		demo_end(vt);
	}
}

CASE(test_resize)
{
	static const int sizes[][2] = {
		{24, 80}, {50, 200}, {1, 1}, {10, 40}, {3, 200}, {50, 2}, {24, 80}};
	struct demo d = {.draw = scene_plain};
	struct vt *vt = demo_start(&d, 40, 100, NULL, NULL);
	char text[32];

	vt_settle(vt);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		vt_resize(vt, sizes[i][0], sizes[i][1]);
		vt_settle(vt);
		(void)str_printf(text, sizeof(text), "size %dx%d", sizes[i][0], sizes[i][1]);
		text[sizes[i][1] < 31 ? sizes[i][1] : 31] = '\0';
		assert_true(str_starts(text, vt_line(vt, 0)));
	}
	assert_string_equal(vt_line(vt, 0), "size 24x80");
	assert_string_equal(vt_line(vt, 20), "");
	demo_end(vt);
}

CASE(test_refusals)
{
	static const struct {
		const char *term, *theme, *text;
	} cases[] = {
		{"no-such-terminal", NULL, "no description of this terminal"},
		{"dumb", NULL, "cannot place its cursor"},
		{"", NULL, "TERM is not set"},
		{"xterm", "pink", "themes are: default light mono cvd"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct demo d = {.draw = scene_plain, .opts = {.theme = cases[i].theme}};
		struct vt *vt = demo_start(&d, 24, 200, cases[i].term, NULL);

		assert_int_equal(vt_wait_exit(vt), DEMO_NO_TERMINAL);
		assert_true(vt_has(vt, cases[i].text));
		vt_free(vt);
	}
}

static void scene_cursor(struct demo *d, struct region s)
{
	draw_text(s, 5, 0, ROLE_NORMAL, "type", -1);
	if (d->keys % 2 == 0)
		draw_cursor(s, 5, 4);
}

CASE(test_cursor_shown_where_asked)
{
	struct demo d = {.draw = scene_cursor};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);
	int row, col;

	vt_settle(vt);
	assert_true(vt_cursor(vt, &row, &col));
	assert_int_equal(row, 5);
	assert_int_equal(col, 4);
	vt_type(vt, "x");
	vt_settle(vt);
	assert_false(vt_cursor(vt, &row, &col));
	demo_end(vt);
}

static void scene_cursor_stays(struct demo *d, struct region s)
{
	(void)d;
	draw_text(s, 5, 0, ROLE_NORMAL, "type", -1);
	draw_cursor(s, 5, 4);
}

/* A frame like the last one, and looking for keys behind it, move nothing. */
CASE(test_cursor_stays_where_nothing_changes)
{
	struct demo d = {.draw = scene_cursor_stays};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);
	int row, col;

	vt_settle(vt);
	for (int i = 0; i < 3; i++) {
		vt_type(vt, "x");
		vt_settle(vt);
		assert_true(vt_cursor(vt, &row, &col));
		assert_int_equal(row, 5);
		assert_int_equal(col, 4);
	}
	demo_end(vt);
}

static void key_emergency(struct demo *d, int key)
{
	if (key == 'c') {
		term_emergency();
		_Exit(demo_shell() ? DEMO_CRASHED : DEMO_STRAY_INPUT);
	}
	/* What is said goes to the terminal, as it does where nobody redirects it. */
	if (key == 's' || key == 'x' || key == 'a' || key == 'b')
		(void)dup2(STDOUT_FILENO, STDERR_FILENO);
	if (key == 's')
		(void)raise(SIGSEGV);
	if (key == 'x')
		(void)raise(SIGXCPU);
	if (key == 'a')
		abort();
	if (key == 'b') {
		(void)sandbox_filter_calls(SANDBOX_DEVICES);
		(void)syscall(SYS_bpf, 0, NULL, 0);
		_Exit(0); /* it would have gone on */
	}
	if (key == 'z') {
		term_suspend(d->term);
		if (!demo_shell())
			_Exit(DEMO_STRAY_INPUT);
		term_resume(d->term);
	}
	if (key == 'y')
		(void)term_copy(d->term, "leaf-3:swp1", 11);
}

CASE(test_emergency_restores)
{
	for (size_t i = 0; i < TERMS; i++) {
		struct demo d = {.draw = scene_plain, .key = key_emergency};
		struct vt *vt = demo_start(&d, 24, 80, terms[i], NULL);

		vt_settle(vt);
		vt_type(vt, "c");
		vt_wait_output(vt, "$ ");
		assert_false(vt_altscreen(vt));
		assert_true(vt_cursor(vt, NULL, NULL));
		assert_false(wrote(vt, "$<"));
		vt_type(vt, "done\n");
		assert_int_equal(vt_wait_exit(vt), DEMO_CRASHED);
		vt_free(vt);
	}
}

CASE(test_fatal_signals_restore)
{
	static const struct {
		const char *key, *says;
	} ends[] = {{"s", "SIGSEGV"}, {"x", "CPU time is used up"}, {"a", "SIGABRT"},
		{"b", "the system call bpf ("}};

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct demo d = {.draw = scene_plain, .key = key_emergency};
		struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

		vt_settle(vt);
		assert_true(vt_altscreen(vt));
		vt_type(vt, ends[i].key);
		vt_wait_output(vt, ends[i].says);
		assert_false(vt_altscreen(vt));
		assert_true(vt_cursor(vt, NULL, NULL));
		assert_int_not_equal(vt_wait_exit(vt), 0);
		vt_free(vt);
	}
}

CASE(test_suspend_and_resume)
{
	struct demo d = {.draw = scene_plain, .key = key_emergency};
	struct vt *vt = demo_start(&d, 24, 80, NULL, NULL);

	vt_settle(vt);
	vt_type(vt, "z");
	vt_wait_output(vt, "$ ");
	assert_false(vt_altscreen(vt));
	vt_send(vt, "done\n", 5);
	vt_wait_text(vt, "size 24x80", 0);
	assert_true(vt_altscreen(vt));
	assert_key(vt, "Down", "Down");
	assert_false(vt_cursor(vt, NULL, NULL));
	demo_end(vt);
}

CASE(test_copy)
{
	struct demo d = {.draw = scene_plain, .key = key_emergency};
	struct vt *vt = demo_start(&d, 24, 80, "xterm-256color", NULL);

	vt_type(vt, "y");
	vt_settle(vt);
	assert_true(wrote(vt, "\033]52;c;bGVhZi0zOnN3cDE=\a"));
	demo_end(vt);
	vt = demo_start(&d, 24, 80, "vt100", NULL);
	vt_type(vt, "y");
	vt_settle(vt);
	assert_false(wrote(vt, "\033]"));
	demo_end(vt);
}

CASES_MAIN(NULL, NULL)
