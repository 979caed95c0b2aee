/* SPDX-License-Identifier: Apache-2.0 */
/* Keys do as people know them from less, vim, htop and k9s. */
#include <stdio.h>
#include <string.h>

#include "tests/screens/fixture.h"
#include "tests/support/built.h"
#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"

static struct vt *start(const struct fixture_files *x, const char *colour)
{
	static char path[256];
	const char *const argv[] = {built_path("railtop", path, sizeof(path)), "-f", x->inventory,
		"--observations", x->observations, NULL};
	const char *const env[] = {colour, "XDG_CONFIG_HOME=/nonexistent", NULL};
	struct vt_opts opts = {.rows = 24,
		.cols = 80,
		.term = "xterm-256color",
		.locale = "C.UTF-8",
		.env = env,
		.idle = true};
	struct vt *vt = vt_spawn(&opts, argv);

	assert_non_null(vt);
	vt_wait_idle(vt, 0);
	return vt;
}

static void press(struct vt *vt, const char *const *keys)
{
	for (; *keys; keys++)
		vt_key(vt, *keys);
	vt_settle(vt);
}

static void shows(struct vt *vt, const char *text)
{
	if (!vt_has(vt, text))
		fail_msg("no \"%s\" in\n%s", text, vt_screen(vt));
}

static void hides(struct vt *vt, const char *text)
{
	if (vt_has(vt, text))
		fail_msg("\"%s\" in\n%s", text, vt_screen(vt));
}

/* In help, / searches the help, and the table behind it stays as it was. */
CASE(a_slash_in_help_searches_the_help)
{
	struct vt *vt = start(*state, "NO_COLOR");

	press(vt, (const char *const[]){"3", "?", "/", NULL});
	vt_type(vt, "evidence");
	press(vt, (const char *const[]){"Enter", NULL});
	shows(vt, "evidence of the cause");
	press(vt, (const char *const[]){"Esc", NULL});
	shows(vt, "ref256 \xe2\x80\xba links");
	hides(vt, "/evidence");
	vt_leave(vt);
}

/* Down chooses among the candidates; the typed text stays until one is taken. */
CASE(down_in_the_palette_keeps_what_was_typed)
{
	struct vt *vt = start(*state, "NO_COLOR");

	vt_type(vt, ":lin");
	press(vt, (const char *const[]){"Down", NULL});
	shows(vt, ":lin");
	press(vt, (const char *const[]){"Enter", NULL});
	hides(vt, "no view");
	hides(vt, "ref256 \xe2\x80\xba cluster");
	vt_leave(vt);
}

CASE(a_theme_is_a_word_of_the_palette)
{
	struct vt *vt = start(*state, "NO_COLOR");

	vt_type(vt, ":theme light");
	press(vt, (const char *const[]){"Enter", NULL});
	shows(vt, "theme is light");
	vt_type(vt, ":theme blue");
	press(vt, (const char *const[]){"Enter", NULL});
	shows(vt, "there is no theme blue");
	vt_leave(vt);
}

/* The page of a port begins at the lossless priority: Enter shows its counters. */
CASE(a_port_begins_at_its_lossless_priority)
{
	struct vt *vt = start(*state, "NO_COLOR");

	vt_type(vt, ":leaf-r2-00:Ethernet28");
	press(vt, (const char *const[]){"Enter", NULL});
	shows(vt, "3 lossless");
	press(vt, (const char *const[]){"Enter", NULL});
	shows(vt, "priority 3");
	shows(vt, "pfc_rx_frames");
	vt_leave(vt);
}

/* q closes a page, as Esc does. */
CASE(q_goes_up)
{
	struct vt *vt = start(*state, "NO_COLOR");

	press(vt, (const char *const[]){"3", "Enter", "q", NULL});
	shows(vt, "ref256 \xe2\x80\xba links");
	press(vt, (const char *const[]){"q", NULL});
	shows(vt, "ref256 \xe2\x80\xba cluster");
	assert_false(vt_ended(vt));
	vt_leave(vt);
}

/* With a runbook open, the last q asks; anything but y stays. */
CASE(leaving_an_open_runbook_is_asked)
{
	struct vt *vt = start(*state, "NO_COLOR");

	press(vt, (const char *const[]){"b", NULL});
	shows(vt, "pfc-storm");
	press(vt, (const char *const[]){"q", NULL});
	for (int i = 0; i < 3 && !vt_has(vt, "leave the open runbook?"); i++)
		press(vt, (const char *const[]){"q", NULL});
	shows(vt, "leave the open runbook? y:");
	press(vt, (const char *const[]){"n", "Enter", NULL});
	shows(vt, "railtop stays");
	vt_leave(vt);
}

/* Without colours the row under the cursor does not look critical. */
CASE(the_cursor_is_no_alarm_without_colours)
{
	struct vt *vt = start(*state, "NO_COLOR=1");
	struct vt_attr cursor, crit;
	int row, col;

	press(vt, (const char *const[]){"3", "Down", "Down", NULL});
	cursor = vt_attr_at(vt, 5, 30);
	assert_true(vt_find(vt, "CRIT", &row, &col));
	assert_int_not_equal(row, 5);
	crit = vt_attr_at(vt, row, col);
	assert_true(cursor.reverse);
	assert_true(cursor.reverse != crit.reverse || cursor.bold != crit.bold ||
		    cursor.underline != crit.underline);
	/* With colours it keeps that of its severity. */
	vt_leave(vt);
	vt = start(*state, "NO_COLOR");
	press(vt, (const char *const[]){"3", NULL});
	assert_true(vt_find(vt, "CRIT", &row, &col));
	assert_int_equal(vt_attr_at(vt, row, col).bg, 24);
	assert_int_equal(vt_attr_at(vt, row, col).fg, 224);
	vt_leave(vt);
}

CASES_MAIN(fixture_set_up_storm, fixture_tear_down)
