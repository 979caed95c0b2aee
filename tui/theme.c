/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/theme.h"

#include <string.h>

#include "tui/term_internal.h"

struct ink {
	short fg, bg;
	attr_t attr;
};

enum depth { DEPTH_MONO, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_COUNT };
enum theme { THEME_DEFAULT, THEME_LIGHT, THEME_CVD, THEME_COUNT };

#define B A_BOLD
#define D A_DIM
#define R A_REVERSE
#define U A_UNDERLINE
#define LK(fg_, bg_, attr_)                                                                        \
	{                                                                                          \
		(fg_), (bg_), (attr_)                                                              \
	}
#define LOOK(theme_, role_, mono_, c8, c16, c256)                                                  \
	[THEME_##theme_][ROLE_##role_] = {{-1, -1, (mono_)}, c8, c16, c256},
static const struct ink inks[THEME_COUNT][ROLE_COUNT][DEPTH_COUNT] = {
#include "tui/theme.def"
};
#undef LOOK
#undef LK
#undef B
#undef D
#undef R
#undef U

static const struct {
	const char *name;
	enum theme theme;
	bool mono;
} themes[] = {
	{"default", THEME_DEFAULT, false},
	{"light", THEME_LIGHT, false},
	{"mono", THEME_DEFAULT, true},
	{"cvd", THEME_CVD, false},
};

const char *theme_names(void)
{
	return "default light mono cvd";
}

static size_t theme_index(const char *name)
{
	size_t i = 0;

	while (i < sizeof(themes) / sizeof(themes[0]) && strcmp(themes[i].name, name) != 0)
		i++;
	return i;
}

bool theme_known(const char *name)
{
	return theme_index(name) < sizeof(themes) / sizeof(themes[0]);
}

static enum depth depth_of_terminal(bool mono)
{
	if (mono || !has_colors() || start_color() == ERR || COLORS < 8 ||
		COLOR_PAIRS <= ROLE_COUNT)
		return DEPTH_MONO;
	if (COLORS >= 256)
		return DEPTH_256;
	return COLORS >= 16 ? DEPTH_16 : DEPTH_8;
}

bool theme_apply(struct term *t, const char *name, bool no_color)
{
	size_t i = theme_index(name);
	enum depth depth;
	bool own;

	if (i == sizeof(themes) / sizeof(themes[0]))
		return false;
	depth = depth_of_terminal(no_color || themes[i].mono);
	own = depth != DEPTH_MONO && use_default_colors() == OK;
	for (int role = 0; role < ROLE_COUNT; role++) {
		struct ink ink = inks[themes[i].theme][role][depth];

		t->look[role] = (struct look){ink.attr, 0};
		if (ink.fg < 0 && ink.bg < 0)
			continue;
		if (!own) {
			ink.fg = ink.fg < 0 ? COLOR_WHITE : ink.fg;
			ink.bg = ink.bg < 0 ? COLOR_BLACK : ink.bg;
		}
		if (init_pair((short)(role + 1), ink.fg, ink.bg) == OK)
			t->look[role].pair = (short)(role + 1);
	}
	return true;
}
