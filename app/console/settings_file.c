/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/settings_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular_file.h"
#include "base/str.h"

#define SITE_CONFIG "/etc/railtop/config"
#define LINES_MOST  1000 /* a longer file is no file of settings */

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
	if (str_starts(line, "view ") || str_starts(line, "command "))
		return console_define(c, line, err);
	if (!str_starts(line, "set ")) {
		err_set(err, ERR_CONFIG, "", "neither a setting nor an own command");
		return err_cure(err, "for example: set theme light");
	}
	return console_set(c, line + 4 + strspn(line + 4, " "), err);
}

static void report_line(const char *path, int n, const struct err *err,
	void (*report)(void *ctx, const char *message), void *ctx)
{
	char text[960];

	(void)str_printf(text, sizeof(text), "%s:%d: %s%s%s", path, n, err->text,
		err->cure[0] ? "; " : "", err->cure);
	report(ctx, text);
}

/* Each writer of the file chooses programs that run as this user. */
static bool is_private(FILE *f)
{
	struct stat s;

	return fstat(fileno(f), &s) == 0 && !(s.st_mode & (S_IWGRP | S_IWOTH)) &&
	       (s.st_uid == getuid() || s.st_uid == 0);
}

static void load_file(struct console *c, const char *path,
	void (*report)(void *ctx, const char *message), void *ctx)
{
	char line[1024];
	FILE *f = regular_file_stream(path);
	bool ours;

	if (!f)
		return;
	ours = is_private(f);
	for (int n = 1; n <= LINES_MOST && fgets(line, sizeof(line), f); n++) {
		struct err err = {0};
		const char *s = trim_line(line);

		if (!*s)
			continue;
		if (!ours && str_starts(s, "command ")) {
			err_set(&err, ERR_REFUSED, "",
				"others may write this file: it names no program");
			(void)err_cure(&err, "chmod go-w %s", path);
		} else if (apply_line(c, s, &err)) {
			continue;
		}
		report_line(path, n, &err, report, ctx);
	}
	(void)fclose(f);
}

void settings_load(struct console *c, void (*report)(void *ctx, const char *message), void *ctx)
{
	char path[512];

	load_file(c, SITE_CONFIG, report, ctx);
	if (config_path(path, sizeof(path)))
		load_file(c, path, report, ctx);
}

static void read_zone(const char *path, struct clock_zone *zone)
{
	char line[1024];
	FILE *f = regular_file_stream(path);

	if (!f)
		return;
	for (int n = 1; n <= LINES_MOST && fgets(line, sizeof(line), f); n++) {
		const char *s = trim_line(line);
		struct clock_zone read;

		if (!str_starts(s, "set "))
			continue;
		s += 4 + strspn(s + 4, " ");
		if (str_starts(s, "zone") && (s[4] == ' ' || s[4] == '=') &&
			clock_zone_parse(s + 4 + strspn(s + 4, " ="), &read))
			*zone = read;
	}
	(void)fclose(f);
}

struct clock_zone settings_zone(void)
{
	struct clock_zone zone = {CLOCK_ZONE_UTC, 0};
	char path[512];

	read_zone(SITE_CONFIG, &zone);
	if (config_path(path, sizeof(path)))
		read_zone(path, &zone);
	return zone;
}
