/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tui/term_internal.h"

/*
 * A theme for the background: yellow on white cannot be read. COLORFGBG tells it at once, and OSC
 * 11 asks the terminal, whose answer comes as input: "ESC ] 11 ; rgb:ffff/ffff/ffff" and BEL or ESC
 * \. A terminal that does not know the question ignores it.
 */

static const char question[] = "\033]11;?\033\\";

const char *ground_theme(void)
{
	const char *env = getenv("COLORFGBG"), *last = env ? strrchr(env, ';') : NULL;

	/* 7 and 15 are the white ones. */
	return last && (str_eq(last, ";7") || str_eq(last, ";15")) ? "light" : "default";
}

void term_ask_background(struct term *t)
{
	/* The consoles without a clipboard do not know OSC sequences and may print them. */
	if (t->chosen || t->no_color || !t->clipboard || t->asked_ground)
		return;
	term_write(t, question, sizeof(question) - 1);
	t->asked_ground = true;
}

/* The first two hexadecimal digits of a component, 0 to 255; -1: none. */
static int component(const char *s)
{
	char two[3] = {0};
	char *end;
	long v;

	if (!s || !s[0] || !s[1])
		return -1;
	memcpy(two, s, 2);
	v = strtol(two, &end, 16);
	return *end ? -1 : (int)v;
}

bool ground_answer(struct term *t, const char *text)
{
	const char *rgb = str_starts(text, "11;rgb:") ? text + 7 : NULL;
	const char *green = rgb ? strchr(rgb, '/') : NULL;
	const char *blue = green ? strchr(green + 1, '/') : NULL;
	int r = component(rgb), g = component(green ? green + 1 : NULL),
	    b = component(blue ? blue + 1 : NULL);

	if (r < 0 || g < 0 || b < 0)
		return false;
	/* Perceived brightness, as in ITU-R BT.601. */
	if (!t->chosen && !t->no_color) {
		bool bright = 299 * r + 587 * g + 114 * b > 127 * 1000;

		(void)theme_apply(t, bright ? "light" : "default", false);
		t->repaint = true;
	}
	return true;
}

bool term_set_theme(struct term *t, const char *name)
{
	if (!theme_known(name))
		return false;
	t->chosen = true;
	t->repaint = true;
	return theme_apply(t, name, t->no_color);
}
