/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The contrast of each role of each theme, by the formula of WCAG 2: text needs 4.5 to 1 against
 * its ground. 256 colours; the terminal's own ground is black for the dark themes and white for the
 * light one.
 */
#include <math.h>
#include <string.h>

#include "tests/support/cases.h"
#include "tests/support/terminal/vt.h"
#include "tests/tui/demo.h"

#define LEAST 4.5

static void colour_256(int c, double rgb[3])
{
	static const int levels[] = {0, 95, 135, 175, 215, 255};
	static const int first[16][3] = {{0, 0, 0}, {205, 0, 0}, {0, 205, 0}, {205, 205, 0},
		{0, 0, 238}, {205, 0, 205}, {0, 205, 205}, {229, 229, 229}, {127, 127, 127},
		{255, 0, 0}, {0, 255, 0}, {255, 255, 0}, {92, 92, 255}, {255, 0, 255},
		{0, 255, 255}, {255, 255, 255}};

	for (int i = 0; i < 3; i++) {
		static const int part[] = {36, 6, 1};

		rgb[i] = c < 16    ? first[c][i]
			 : c < 232 ? levels[(c - 16) / part[i] % 6]
				   : 8 + 10 * (c - 232);
	}
}

static double luminance(int colour)
{
	static const double share[] = {0.2126, 0.7152, 0.0722};
	double rgb[3], sum = 0;

	colour_256(colour, rgb);
	for (int i = 0; i < 3; i++) {
		double v = rgb[i] / 255;

		sum += share[i] * (v <= 0.03928 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4));
	}
	return sum;
}

static double contrast(int a, int b)
{
	double x = luminance(a), y = luminance(b);

	return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* A line a role. */
static void draw_roles(struct demo *d, struct region r)
{
	(void)d;
	for (int role = 0; role < ROLE_COUNT; role++)
		(void)draw_text(r, role, 0, (enum role)role, "text", -1);
}

static void each_role(const char *theme, int ground, int ink)
{
	struct demo d = {.draw = draw_roles, .opts = {.theme = theme}};
	struct vt *vt = demo_start(&d, ROLE_COUNT + 1, 40, NULL, NULL);

	vt_settle(vt);
	for (int role = 0; role < ROLE_COUNT; role++) {
		struct vt_attr a = vt_attr_at(vt, role, 0);
		int fg = a.fg < 0 ? ink : a.fg, bg = a.bg < 0 ? ground : a.bg;

		if (contrast(fg, bg) < LEAST)
			fail_msg("%s: role %d has %.1f to 1 (%d on %d)", theme, role,
				contrast(fg, bg), fg, bg);
	}
	demo_end(vt);
}

CASE(every_role_can_be_read_on_black)
{
	each_role("default", 16, 7);
	each_role("cvd", 16, 7);
}

CASE(every_role_can_be_read_on_white)
{
	each_role("light", 231, 16);
}

/* The answer to OSC 11 chooses the theme; a named theme stays. */
static void answer_ground(const char *theme, const char *rgb, int critical)
{
	struct demo d = {.draw = draw_roles, .opts = {.theme = theme}, .ask_ground = true};
	struct vt *vt = demo_start(&d, ROLE_COUNT + 1, 40, NULL, NULL);

	vt_settle(vt);
	vt_send(vt, rgb, strlen(rgb));
	vt_settle(vt);
	assert_int_equal(vt_attr_at(vt, ROLE_CRIT, 0).fg, critical);
	demo_end(vt);
}

CASE(the_background_chooses_the_theme)
{
	answer_ground(NULL, "\033]11;rgb:ffff/ffff/f0f0\033\\", 160);
	answer_ground(NULL, "\033]11;rgb:1e1e/1e1e/1e1e\a", 203);
	/* A named theme is not asked about: the same bytes are keys. */
	answer_ground("cvd", "x", 166);
}

CASES_MAIN(NULL, NULL)
