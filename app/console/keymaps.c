/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/keymaps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/console/commands.h"
#include "app/config/embedded_texts.h"
#include "base/buf.h"
#include "base/regular_file.h"
#include "base/str.h"
#include "views/view.h"

#define KEYMAP_FILE_MAX ((size_t)256 * 1024)

static bool known_command(void *ctx, const char *name)
{
	(void)ctx;
	/* Includes the commands of actions, because a key file must be valid in every mode. */
	return command_find(command_table, command_count_acting, name) != NULL;
}

static bool known_context(void *ctx, const char *name)
{
	(void)ctx;
	return view_by_name(name) != NULL;
}

static const struct embedded_text *embedded_find(const char *name)
{
	char file[64];

	/* noc.keys is for the NOC wall and has no console commands. */
	if (str_eq(name, "noc"))
		return NULL;
	return str_printf(file, sizeof(file), "%s.keys", name) ? embedded_text(file) : NULL;
}

static bool read_file(const char *path, struct buf *b, struct err *err)
{
	FILE *f = regular_file_stream(path);
	char chunk[4096];
	size_t n;
	int error;

	if (!f) {
		(void)regular_file_err(err, ERR_CONFIG, path, "cannot be read");
		return err_cure(err, "name a file, or a built-in map: vim, k9s");
	}
	errno = 0;
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && buf_add(b, chunk, n))
		continue;
	/* A directory can be opened like a file; only fread() fails. */
	error = ferror(f) ? errno : 0;
	(void)fclose(f);
	if (b->overflow)
		return err_set(err, ERR_LIMIT, path, "larger than %zu bytes: not a key file",
			KEYMAP_FILE_MAX);
	if (error)
		return err_system(err, ERR_CONFIG, path, "cannot be read", error);
	if (b->len && memchr(b->data, '\0', b->len))
		return err_set(err, ERR_CONFIG, path, "has bytes that are not text");
	return true;
}

static bool user_path(char *dst, size_t size)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	FILE *f;

	if (config && *config == '/') {
		if (!str_printf(dst, size, "%s/railtop/keymap", config))
			return false;
	} else if (!home || !str_printf(dst, size, "%s/.config/railtop/keymap", home)) {
		return false;
	}
	f = regular_file_stream(dst);
	if (f)
		(void)fclose(f);
	return f != NULL;
}

struct keymap *keymaps_load(const char *file_or_name,
	void (*report)(void *ctx, const char *message), void *ctx, struct err *err)
{
	const struct embedded_text *def = embedded_find("default"), *named = NULL;
	struct keymap *k = keymap_new();
	struct buf text;
	char path[512];

	(void)keymap_read(k, def->name, def->text, known_command, known_context, report, ctx);
	if (file_or_name)
		named = embedded_find(file_or_name);
	else if (user_path(path, sizeof(path)))
		file_or_name = path;
	if (named)
		(void)keymap_read(
			k, named->name, named->text, known_command, known_context, report, ctx);
	if (!file_or_name || named)
		return k;
	buf_init(&text, KEYMAP_FILE_MAX);
	if (!read_file(file_or_name, &text, err)) {
		buf_free(&text);
		keymap_free(k);
		return NULL;
	}
	(void)keymap_read(k, file_or_name, text.data ? text.data : "", known_command, known_context,
		report, ctx);
	buf_free(&text);
	return k;
}
