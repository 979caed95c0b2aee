/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "views/console/console_private.h"

/* Settings of the running console: ":set NAME VALUE"; the file of settings has the same lines. */

static bool set_theme(struct console *c, const char *value, struct err *err)
{
	if (!term_set_theme(c->opts.term, value)) {
		err_set(err, ERR_USAGE, "set theme", "there is no theme %s", value);
		return err_cure(err, "themes are: %s", theme_names());
	}
	return true;
}

static bool set_mouse(struct console *c, const char *value, struct err *err)
{
	return console_mouse(c, value[0] ? value : "on", err);
}

static bool set_chart(struct console *c, const char *value, struct err *err)
{
	static const char *const words[] = {[PLOT_AUTO] = "auto",
		[PLOT_ONLY_BRAILLE] = "braille",
		[PLOT_ONLY_BLOCKS] = "blocks",
		[PLOT_ONLY_SIGNS] = "ascii"};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (str_eq(words[i], value)) {
			c->chart.choice = (enum plot_choice)i;
			return true;
		}
	err_set(err, ERR_USAGE, "set chart", "%s is no way to draw a chart", value);
	return err_cure(err, "auto, braille, blocks, ascii");
}

static bool set_split(struct console *c, const char *value, struct err *err)
{
	if (!str_eq(value, "on") && !str_eq(value, "off"))
		return err_set(err, ERR_USAGE, "set split", "on, or off");
	c->no_split = str_eq(value, "off");
	return true;
}

static const char *const map_colours[MAP_COLOURS] = {"all", "load", "ber", "flaps", "pauses"};

static bool set_map(struct console *c, const char *value, struct err *err)
{
	for (size_t i = 0; i < MAP_COLOURS; i++)
		if (str_eq(map_colours[i], value)) {
			c->map = (enum map_colour)i;
			return true;
		}
	err_set(err, ERR_USAGE, "set map", "%s does not colour the map",
		value[0] ? value : "nothing");
	return err_cure(err, "all, load, ber, flaps, pauses");
}

bool console_map_colour(struct console *c, const char *text, struct err *err)
{
	const char *value = text[0] ? text : map_colours[(c->map + 1) % MAP_COLOURS];

	if (!set_map(c, value, err))
		return false;
	console_message(c, ROLE_DIM, "the map shows %s", value);
	console_touch(c);
	return true;
}

static bool set_zone(struct console *c, const char *value, struct err *err)
{
	if (!clock_zone_parse(value, &c->units.zone)) {
		err_set(err, ERR_USAGE, "set zone", "%s is no time zone",
			value[0] ? value : "nothing");
		return err_cure(err, "utc, local, +02:00; for another place start railtop with "
				     "TZ=Europe/Berlin and set zone local");
	}
	return true;
}

static bool set_units(struct console *c, const char *value, struct err *err)
{
	if (!str_eq(value, "bits") && !str_eq(value, "bytes")) {
		err_set(err, ERR_USAGE, "set units", "%s is no unit of rates",
			value[0] ? value : "nothing");
		return err_cure(err, "bits, bytes");
	}
	c->units.bytes = str_eq(value, "bytes");
	return true;
}

static bool set_columns(struct console *c, const char *value, struct err *err)
{
	return arrange_columns(c, value, err);
}

static const struct {
	const char *name, *values;
	bool (*set)(struct console *c, const char *value, struct err *err);
} settings[] = {
	{"theme", "default, light, mono, cvd", set_theme},
	{"mouse", "on, off", set_mouse},
	{"chart", "auto, braille, blocks, ascii", set_chart},
	{"split", "on, off", set_split},
	{"map", "all, load, ber, flaps, pauses: what colours the links of the map", set_map},
	{"zone", "utc, local, +02:00: of all times on the screen and of those typed", set_zone},
	{"units", "bits, bytes: of rates of traffic; speeds of links stay in bits", set_units},
	{"columns", "[VIEW] all, or names: state,device,rx; +NAME shows one, -NAME hides one",
		set_columns},
};
#define SETTINGS (sizeof(settings) / sizeof(settings[0]))

bool console_set(struct console *c, const char *text, struct err *err)
{
	size_t n = strcspn(text, " =");
	const char *value = text + n + strspn(text + n, " =");

	for (size_t i = 0; i < SETTINGS; i++) {
		if (strlen(settings[i].name) != n || strncmp(settings[i].name, text, n) != 0)
			continue;
		if (!settings[i].set(c, value, err))
			return false;
		texts_forget(c);
		console_touch(c);
		console_message(c, ROLE_DIM, "%s is %s", settings[i].name, value);
		return true;
	}
	err_set(err, ERR_USAGE, "set", "%s", text[0] ? "there is no such setting" : "which one?");
	return err_cure(err, "theme, mouse, chart, split, map, zone, units, columns; for example: "
			     "set zone local");
}

bool settings_name(const char *text)
{
	size_t n = strcspn(text, " =");

	for (size_t i = 0; i < SETTINGS; i++)
		if (strlen(settings[i].name) == n && strncmp(settings[i].name, text, n) == 0)
			return true;
	return false;
}

void settings_complete(const struct console *c, const char *text, struct prompt *p)
{
	if (!str_starts(text, "set"))
		return;
	if (str_starts(text, "set columns "))
		arrange_complete(c, text, p);
	for (size_t i = 0; i < SETTINGS; i++) {
		char call[64];

		(void)str_printf(call, sizeof(call), "set %s ", settings[i].name);
		if (str_starts(call, text) || str_starts(text, call))
			prompt_candidate_note(p, call, settings[i].values);
	}
}
