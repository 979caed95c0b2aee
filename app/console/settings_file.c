/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/settings_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/regular_file.h"
#include "base/str.h"

#define LINES_MOST 1000 /* a longer file is no file of settings */

static bool config_path(char *dst, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && *config == '/')
		return str_printf(dst, size, "%s/railtop/config", config);
	return home && str_printf(dst, size, "%s/.config/railtop/config", home);
}

/* The line without its comment and the spaces around it. */
static char *trim_line(char *line)
{
	size_t n;

	line += strspn(line, " \t");
	line[strcspn(line, "#\r\n")] = '\0';
	for (n = strlen(line); n && (line[n - 1] == ' ' || line[n - 1] == '\t'); n--)
		line[n - 1] = '\0';
	return line;
}

static bool apply_line(struct console *c, const char *line, struct err *err)
{
	if (!str_starts(line, "set ")) {
		err_set(err, ERR_CONFIG, "", "only settings stand here");
		return err_cure(err, "for example: set theme light");
	}
	return console_set(c, line + 4 + strspn(line + 4, " "), err);
}

void settings_load(struct console *c, void (*report)(void *ctx, const char *message), void *ctx)
{
	char path[512], line[256], text[640];
	FILE *f = config_path(path, sizeof(path)) ? regular_file_stream(path) : NULL;

	if (!f)
		return;
	for (int n = 1; n <= LINES_MOST && fgets(line, sizeof(line), f); n++) {
		struct err err = {0};
		const char *s = trim_line(line);

		if (!*s || apply_line(c, s, &err))
			continue;
		(void)str_printf(text, sizeof(text), "%s:%d: %s%s%s", path, n, err.text,
			err.cure[0] ? "; " : "", err.cure);
		report(ctx, text);
	}
	(void)fclose(f);
}
