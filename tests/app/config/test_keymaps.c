/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/console/commands.h"
#include "app/console/keymaps.h"
#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "views/view.h"

/* A home of its own, so that the keys of the user who runs the test do not count. */
struct home {
	char dir[64], config[96], folder[128], file[160];
	struct buf reports;
	struct err err;
	struct keymap *keys;
};

static int setup(void **state)
{
	struct home *h = calloc(1, sizeof(*h));

	(void)str_copy(h->dir, sizeof(h->dir), "/tmp/railtop-keys-XXXXXX");
	if (!mkdtemp(h->dir))
		return -1;
	(void)str_printf(h->config, sizeof(h->config), "%s/.config", h->dir);
	(void)str_printf(h->folder, sizeof(h->folder), "%s/railtop", h->config);
	(void)str_printf(h->file, sizeof(h->file), "%s/keymap", h->folder);
	if (mkdir(h->config, 0700) != 0 || mkdir(h->folder, 0700) != 0)
		return -1;
	buf_init(&h->reports, 1 << 16);
	*state = h;
	return setenv("XDG_CONFIG_HOME", h->config, 1) || setenv("HOME", "/nonexistent", 1);
}

static int teardown(void **state)
{
	struct home *h = *state;

	keymap_free(h->keys);
	buf_free(&h->reports);
	(void)unlink(h->file);
	(void)rmdir(h->folder);
	(void)rmdir(h->config);
	(void)rmdir(h->dir);
	free(h);
	return 0;
}

static void report(void *ctx, const char *message)
{
	assert_true(buf_addf(ctx, "%s\n", message));
}

static bool load(struct home *h, const char *what)
{
	keymap_free(h->keys);
	buf_reset(&h->reports);
	memset(&h->err, 0, sizeof(h->err));
	h->keys = keymaps_load(what, report, &h->reports, &h->err);
	return h->keys != NULL;
}

static void write_bytes(const struct home *h, const char *text, size_t n)
{
	FILE *f = fopen(h->file, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void write_keys(const struct home *h, const char *text)
{
	write_bytes(h, text, strlen(text));
}

static const char *reported(const struct home *h)
{
	return h->reports.len ? h->reports.data : "";
}

static void expect_report(const struct home *h, const char *line_and_text)
{
	char want[512];

	assert_true(str_printf(want, sizeof(want), "%s:%s\n", h->file, line_and_text));
	assert_string_equal(reported(h), want);
}

/* The command of a single key in a context, "" when it has none. */
static const char *bound(const struct home *h, const char *context, const char *name)
{
	const struct binding *b;
	bool more;
	int key;

	assert_true(key_parse(name, &key));
	b = keymap_find(h->keys, context, 0, key, &more);
	return b ? b->command : "";
}

CASE_WITH(the_built_in_keys, setup, teardown)
{
	struct home *h = *state;

	assert_true(load(h, NULL));
	assert_string_equal(reported(h), "");
	assert_string_equal(bound(h, "cluster", "j"), "down");
	assert_string_equal(bound(h, "cluster", "q"), "close");
	assert_string_equal(bound(h, "cluster", "1"), "view cluster");
	assert_string_equal(bound(h, "cluster", "$"), "");
}

/* In every context each key is bound to a command, with the argument that the command needs. */
static void check_commands(const struct home *h, const char *context)
{
	const struct binding *all[512];
	size_t n = keymap_list(h->keys, context, all, 512);

	assert_true(n > 20 && n < 512);
	for (size_t i = 0; i < n; i++) {
		char name[96], *args;
		const struct command *c;

		assert_true(str_copy(name, sizeof(name), all[i]->command));
		args = strchr(name, ' ');
		if (args)
			*args++ = '\0';
		c = command_find(command_table, command_count_acting, name);
		if (!c)
			fail_msg("%s: no command \"%s\"", all[i]->source, name);
		if (args && !*c->args)
			fail_msg("%s: %s takes no argument", all[i]->source, name);
		if (!args && *c->args && *c->args != '[')
			fail_msg("%s: %s needs an argument", all[i]->source, name);
		if (str_eq(name, "view") && !view_by_name(args))
			fail_msg("%s: no view \"%s\"", all[i]->source, args);
		/* The help shows the note. */
		if (!all[i]->note[0])
			fail_msg("%s: no note", all[i]->source);
	}
}

CASE_WITH(built_in_maps_bind_commands, setup, teardown)
{
	static const char *const maps[] = {NULL, "default", "vim", "k9s"};
	struct home *h = *state;

	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		assert_true(load(h, maps[i]));
		assert_string_equal(reported(h), "");
		check_commands(h, "global");
		for (size_t v = 0; v < view_count; v++)
			check_commands(h, view_table[v]->name);
	}
}

CASE_WITH(named_maps_lie_on_top_of_the_default, setup, teardown)
{
	struct home *h = *state;
	bool more = false;

	assert_true(load(h, "vim"));
	assert_string_equal(bound(h, "cluster", "$"), "column-right");
	assert_string_equal(bound(h, "cluster", "j"), "down");
	/* vim's gg takes the place of the default's g. */
	assert_null(keymap_find(h->keys, "cluster", 0, 'g', &more));
	assert_true(more);
	assert_string_equal(keymap_find(h->keys, "cluster", 'g', 'g', &more)->command, "top");
	assert_true(load(h, "k9s"));
	assert_string_equal(bound(h, "cluster", "d"), "open");
	assert_string_equal(bound(h, "cluster", "$"), "");
}

CASE_WITH(a_file_of_the_user, setup, teardown)
{
	struct home *h = *state;

	write_keys(h, "bind global j up # the wrong way\nunbind global k\n"
		      "bind events j bottom\n");
	/* By its path, and where it is looked for without one. */
	for (int i = 0; i < 2; i++) {
		assert_true(load(h, i ? NULL : h->file));
		assert_string_equal(reported(h), "");
		assert_string_equal(bound(h, "cluster", "j"), "up");
		assert_string_equal(bound(h, "events", "j"), "bottom");
		assert_string_equal(bound(h, "cluster", "k"), "");
		assert_string_equal(bound(h, "cluster", "Up"), "up");
	}
	/* A named map is taken instead of the file. */
	assert_true(load(h, "vim"));
	assert_string_equal(bound(h, "cluster", "j"), "down");
}

CASE_WITH(where_the_file_is_looked_for, setup, teardown)
{
	struct home *h = *state;

	write_keys(h, "bind global j up\n");
	assert_int_equal(setenv("HOME", h->dir, 1), 0);
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	assert_true(load(h, NULL));
	assert_string_equal(bound(h, "cluster", "j"), "up");
	/* A relative path is to be ignored, says the XDG base directory specification. */
	assert_int_equal(setenv("XDG_CONFIG_HOME", "config", 1), 0);
	assert_true(load(h, NULL));
	assert_string_equal(bound(h, "cluster", "j"), "up");
	assert_int_equal(setenv("XDG_CONFIG_HOME", "/nonexistent", 1), 0);
	assert_true(load(h, NULL));
	assert_string_equal(bound(h, "cluster", "j"), "down");
	assert_int_equal(unsetenv("XDG_CONFIG_HOME"), 0);
	assert_int_equal(unsetenv("HOME"), 0);
	assert_true(load(h, NULL));
	assert_string_equal(bound(h, "cluster", "j"), "down");
}

CASE_WITH(a_conflict_names_both_lines, setup, teardown)
{
	struct home *h = *state;

	write_keys(h, "# mine\nbind global j up\n\nbind global j top\nbind global x bottom\n");
	assert_true(load(h, h->file));
	expect_report(h, "4: j is bound twice in context global: line 2 (up) and line 4 (top); "
			 "line 2 is used");
	assert_string_equal(bound(h, "cluster", "j"), "up");
	/* The rest of the file counts. */
	assert_string_equal(bound(h, "cluster", "x"), "bottom");
}

CASE_WITH(what_does_not_exist_is_named_with_its_line, setup, teardown)
{
	struct home *h = *state;

	write_keys(h, "bind global x explode\nbind global y2x up\nbind global z bottom\n");
	assert_true(load(h, h->file));
	assert_non_null(strstr(reported(h), "keymap:1: there is no command 'explode'"));
	assert_non_null(strstr(reported(h), "keymap:2: 'y2x' is not a key"));
	assert_string_equal(bound(h, "cluster", "x"), "");
	assert_string_equal(bound(h, "cluster", "z"), "bottom");
	write_keys(h, "bind nowhere x up\n");
	assert_true(load(h, NULL));
	expect_report(h, "1: there is no context 'nowhere' (it is 'global' or the name of a view)");
}

CASE_WITH(files_that_are_none, setup, teardown)
{
	struct home *h = *state;
	char *big = malloc(300000);

	assert_non_null(big);
	memset(big, '#', 300000);
	write_bytes(h, big, 300000);
	free(big);
	assert_false(load(h, h->file));
	assert_int_equal(h->err.code, ERR_LIMIT);
	assert_string_equal(h->err.origin, h->file);
	assert_false(load(h, NULL));
	assert_false(load(h, "vmi"));
	assert_int_equal(h->err.code, ERR_CONFIG);
	assert_string_equal(h->err.origin, "vmi");
	assert_string_equal(h->err.text, "cannot be read: No such file or directory");
	assert_non_null(strstr(h->err.cure, "vim, k9s"));
	assert_false(load(h, h->folder));
	assert_string_equal(h->err.text, "cannot be read: is a directory");
	write_bytes(h, "bind global j up\n\0bind global k up\n", 35);
	assert_false(load(h, h->file));
	assert_int_equal(h->err.code, ERR_CONFIG);
	write_keys(h, "");
	assert_true(load(h, h->file));
	assert_string_equal(bound(h, "cluster", "j"), "down");
}

CASE(commands_are_unique_and_explained)
{
	assert_true(command_count > 20);
	for (size_t i = 0; i < command_count; i++) {
		const struct command *c = &command_table[i];

		assert_true(c->name[0] && c->group[0] && c->args);
		assert_true(c->shape == COMMAND_MOVE || c->run.plain != NULL);
		assert_true(strlen(c->help) >= 8);
		/* A name is one word: the rest of a command line is its argument. */
		assert_null(strpbrk(c->name, " \t"));
		assert_ptr_equal(command_find(command_table, command_count, c->name), c);
		/* The palette accepts names of views and commands at the same place. So a view may
		 * share its name with a command only in two cases. Either the view needs an object,
		 * and the command opens it. Or the view shows the result of the command
		 * (tests/views/console/test_time.c), as the chart does. */
		assert_true(!view_by_name(c->name) || !view_is_whole(view_by_name(c->name)) ||
			    str_eq(c->name, "diff") || str_eq(c->name, "runbook") ||
			    str_eq(c->name, "chart"));
	}
}

CASES_MAIN(NULL, NULL)
