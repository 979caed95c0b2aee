/* SPDX-License-Identifier: Apache-2.0 */
/* Key files: their bindings, their overrides, and their errors. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "tests/support/cases.h"
#include "tui/keymap.h"
#include "tui/term.h"

struct report {
	char first[512], last[512];
	size_t n;
};

static bool known(void *ctx, const char *command)
{
	(void)ctx;
	return !str_starts(command, "no-");
}

static bool context(void *ctx, const char *name)
{
	(void)ctx;
	return str_eq(name, "port") || str_eq(name, "leaf") || str_eq(name, "chart") ||
	       str_eq(name, "map");
}

static void report(void *ctx, const char *message)
{
	struct report *r = ctx;

	if (!r->n++)
		(void)str_copy(r->first, sizeof(r->first), message);
	(void)str_copy(r->last, sizeof(r->last), message);
}

static size_t read_map(struct keymap *k, const char *name, const char *text, struct report *r)
{
	memset(r, 0, sizeof(*r));
	return keymap_read(k, name, text, known, context, report, r);
}

static const char *bound(const struct keymap *k, const char *where, int prefix, const char *key)
{
	const struct binding *b;
	int code;
	bool more;

	assert_true(key_parse(key, &code));
	b = keymap_find(k, where, prefix, code, &more);
	if (more)
		return "(more)";
	return b ? b->command : "(none)";
}

CASE(test_bindings)
{
	struct keymap *k = keymap_new();
	struct report r;
	const struct binding *b;

	assert_int_equal(read_map(k, "a.keys",
				 "# comment\n"
				 "\n"
				 "  bind global j down   # one row\r\n"
				 "bind\tglobal\tCtrl-d\thalf-down\n"
				 "bind port 1 view   cluster # all\n"
				 "bind global # filter #x\n"
				 "bind global ZZ quit",
				 &r),
		0);
	b = keymap_find(k, "port", 0, 'j', NULL);
	assert_non_null(b);
	assert_string_equal(b->note, "one row");
	assert_string_equal(b->source, "a.keys:3");
	assert_string_equal(bound(k, "port", 0, "Ctrl-D"), "half-down");
	assert_string_equal(bound(k, "port", 0, "1"), "view   cluster");
	assert_string_equal(bound(k, "leaf", 0, "1"), "(none)");
	assert_string_equal(bound(k, "leaf", 0, "#"), "filter");
	assert_string_equal(bound(k, "leaf", 0, "Z"), "(more)");
	assert_string_equal(bound(k, "leaf", 'Z', "Z"), "quit");
	assert_string_equal(bound(k, "leaf", 'Z', "j"), "(none)");
	keymap_free(k);
}

CASE(test_view_wins_over_global)
{
	struct keymap *k = keymap_new();
	const struct binding *list[10];
	struct report r;

	assert_int_equal(read_map(k, "a",
				 "bind global g top\nbind global x close\nbind port x open\n"
				 "bind port gg bottom\nbind global y copy\nunbind port y\n",
				 &r),
		0);
	assert_string_equal(bound(k, "port", 0, "x"), "open");
	assert_string_equal(bound(k, "leaf", 0, "x"), "close");
	assert_string_equal(bound(k, "port", 0, "g"), "(more)");
	assert_string_equal(bound(k, "port", 'g', "g"), "bottom");
	assert_string_equal(bound(k, "leaf", 0, "g"), "top");
	assert_string_equal(bound(k, "port", 0, "y"), "(none)");
	assert_string_equal(bound(k, "leaf", 0, "y"), "copy");
	assert_int_equal(keymap_list(k, "port", list, 10), 2);
	assert_int_equal(keymap_list(k, "leaf", list, 10), 3);
	assert_int_equal(keymap_list(k, "global", list, 10), 3);
	assert_int_equal(keymap_list(k, "global", list, 1), 1);
	keymap_free(k);
}

CASE(test_conflicts_name_both_lines)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"bind global j down\n\nbind global j up\n",
			"f.keys:3: j is bound twice in context global: line 1 (down) and line 3 "
			"(up); "
			"line 1 is used"},
		{"bind port g top\nbind port gg bottom\n",
			"f.keys:2: gg is bound twice in context port: line 1 (top) and line 2 "
			"(bottom); "
			"line 1 is used"},
		{"bind port ZZ top\nbind port Z bottom\n",
			"f.keys:2: Z is bound twice in context port: line 1 (top) and line 2 "
			"(bottom); "
			"line 1 is used"},
		/* The same key by two names. */
		{"bind global ^L up\nbind global Ctrl-l repaint\n",
			"f.keys:2: Ctrl-L is bound twice in context global: line 1 (up) and line 2 "
			"(repaint); line 1 is used"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct keymap *k = keymap_new();
		struct report r;

		assert_int_equal(read_map(k, "f.keys", cases[i].text, &r), 1);
		assert_string_equal(r.first, cases[i].message);
		keymap_free(k);
	}
}

CASE(test_no_conflict_between_contexts_or_sequences)
{
	struct keymap *k = keymap_new();
	struct report r;

	assert_int_equal(read_map(k, "f",
				 "bind global j down\nbind port j up\nbind global ZZ quit\n"
				 "bind global ZQ close\nbind global J up\n",
				 &r),
		0);
	keymap_free(k);
}

CASE(test_later_files_override)
{
	struct keymap *k = keymap_new();
	struct report r;

	assert_int_equal(
		read_map(k, "1", "bind global g top\nbind global j down\nbind port x open\n", &r),
		0);
	assert_int_equal(
		read_map(k, "2", "bind global gg bottom\nunbind global j\nbind port x close\n", &r),
		0);
	assert_string_equal(bound(k, "leaf", 0, "g"), "(more)");
	assert_string_equal(bound(k, "leaf", 0, "j"), "(none)");
	assert_string_equal(bound(k, "port", 0, "x"), "close");
	assert_int_equal(read_map(k, "3", "bind global g up\n", &r), 0);
	assert_string_equal(bound(k, "leaf", 0, "g"), "up");
	assert_string_equal(bound(k, "leaf", 'g', "g"), "(none)");
	keymap_free(k);
}

CASE(test_mistakes)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{"map j down", "m:1: 'map': a line starts with 'bind' or 'unbind'"},
		{"bind moon j down", "m:1: there is no context 'moon'"},
		{"bind global Hyper-j down", "m:1: 'Hyper-j' is not a key"},
		{"bind global", "m:1: '' is not a key"},
		{"bind", "m:1: there is no context ''"},
		{"bind global j", "m:1: a command is missing"},
		{"bind global j # down", "m:1: a command is missing"},
		{"bind global j no-such thing", "m:1: there is no command 'no-such'"},
		{"\nunbind global j down", "m:2: 'down' behind the key"},
		{"bind global Ctrl-Z down", "m:1: 'Ctrl-Z' is not a key"},
		{"bind global abc down", "m:1: 'abc' is not a key"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct keymap *k = keymap_new();
		struct report r;
		char text[256];

		/* The rest of the file still counts. */
		(void)str_printf(text, sizeof(text), "%s\nbind global x open\n", cases[i].text);
		assert_int_equal(read_map(k, "m", text, &r), 1);
		if (!str_starts(r.first, cases[i].message))
			assert_string_equal(r.first, cases[i].message);
		assert_string_equal(bound(k, "port", 0, "x"), "open");
		keymap_free(k);
	}
}

CASE(test_hostile_files_are_bounded)
{
	struct keymap *k = keymap_new();
	struct report r;
	struct buf b;
	char key[8];

	buf_init(&b, 8 << 20);
	for (int i = 0; i < 20000; i++)
		(void)buf_adds(&b, "bind global \033[31m \xff\xfe\n");
	(void)read_map(k, "\033]0;x\a", b.data, &r);
	assert_int_equal(r.n, 50);
	assert_null(strchr(r.first, '\033'));
	assert_null(strchr(r.first, '\xff'));
	buf_reset(&b);
	for (int i = 0; i < 1 << 20; i++)
		(void)buf_adds(&b, "x");
	assert_int_equal(read_map(k, "long", b.data, &r), 1);
	assert_true(str_starts(r.first, "long:1: the line is too long"));
	buf_reset(&b);
	for (int i = 0; i < 4000; i++) {
		uint32_t c = 0x4e00 + (uint32_t)i;

		(void)str_printf(key, sizeof(key), "%c%c%c", (char)(0xe0 | c >> 12),
			(char)(0x80 | (c >> 6 & 0x3f)), (char)(0x80 | (c & 0x3f)));
		(void)buf_addf(&b, "bind global %s down\n", key);
	}
	assert_int_equal(read_map(k, "many", b.data, &r), 4000 - 1024);
	assert_true(str_starts(r.first, "many:1025: too many bindings (1024 at most)"));
	buf_free(&b);
	keymap_free(k);
}

static bool not_repaint(void *ctx, const char *command)
{
	(void)ctx;
	return !str_eq(command, "repaint");
}

/* A command that a process does not have leaves no trace: no key, no hint, no line of the help. */
CASE(test_absent_commands)
{
	struct keymap *k = keymap_new();
	const struct binding *all[8];
	struct report r;
	char key[24];
	bool more;

	assert_int_equal(read_map(k, "f",
				 "bind global r repaint\nbind global ZZ repaint now\n"
				 "bind global Space sort\nbind port Space repaint\n"
				 "bind global x sort\nunbind port x\n",
				 &r),
		0);
	keymap_prune(k, not_repaint, NULL);
	assert_string_equal(keymap_key_for(k, "port", "repaint", key, sizeof(key)), "");
	assert_null(keymap_find(k, "port", 0, 'r', &more));
	assert_null(keymap_find(k, "port", 0, 'Z', &more));
	assert_false(more);
	assert_string_equal(keymap_find(k, "port", 0, ' ', &more)->command, "sort");
	/* An unbind still hides. */
	assert_null(keymap_find(k, "port", 0, 'x', &more));
	assert_int_equal(keymap_list(k, "port", all, 8), 1);
	keymap_free(k);
}

CASE(test_key_for_a_command)
{
	struct keymap *k = keymap_new();
	struct report r;
	char key[24];

	(void)read_map(k, "f",
		"bind global Ctrl-L repaint\nbind global ZZ quit\nbind global 1 view hosts\n"
		"bind global 2 view links\nbind port r repaint\nbind global Space sort\n"
		"bind port Space open\n",
		&r);
	assert_string_equal(keymap_key_for(k, "leaf", "repaint", key, sizeof(key)), "Ctrl-L");
	assert_string_equal(keymap_key_for(k, "port", "repaint", key, sizeof(key)), "r");
	assert_string_equal(keymap_key_for(k, "port", "quit", key, sizeof(key)), "ZZ");
	assert_string_equal(keymap_key_for(k, "port", "view links", key, sizeof(key)), "2");
	assert_string_equal(keymap_key_for(k, "port", "view", key, sizeof(key)), "1");
	assert_string_equal(keymap_key_for(k, "port", "vie", key, sizeof(key)), "");
	/* Hidden by the view's own Space. */
	assert_string_equal(keymap_key_for(k, "port", "sort", key, sizeof(key)), "");
	keymap_free(k);
}

CASE(test_key_names_round_trip)
{
	static const char *const names[] = {"a", "Z", "?", "\xc3\xa9", "\xe6\xbc\xa2", "Up", "PgDn",
		"F1", "F12", "Enter", "Esc", "Tab", "Shift-Tab", "Space", "Backspace", "Ctrl-A",
		"Ctrl-]", "Alt-x", "Alt-Enter", "Alt-Up", "^", "Delete"};
	static const struct {
		const char *text;
		int key;
	} more[] = {{"^X", 24}, {"ctrl-x", 24}, {"pgup", TKEY_PGUP}, {"Ctrl-M", '\r'},
		{"Ctrl-I", '\t'}, {"Return", '\r'}, {"f5", TKEY_F5}};
	static const char *const wrong[] = {"", " ", "\n", "\033", "Ctrl-", "Ctrl-xx", "Alt-",
		"Alt-[", "F13", "F0", "Nokey", "\xff", "Ctrl-Z"};
	char name[24];
	int key;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_true(key_parse(names[i], &key));
		assert_string_equal(key_name(key, name, sizeof(name)), names[i]);
	}
	for (size_t i = 0; i < sizeof(more) / sizeof(more[0]); i++) {
		assert_true(key_parse(more[i].text, &key));
		assert_int_equal(key, more[i].key);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_false(key_parse(wrong[i], &key));
	assert_string_equal(key_name(-1, name, sizeof(name)), "?");
	assert_string_equal(key_name(0, name, sizeof(name)), "?");
}

static char *slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = calloc(1, 65536);

	assert_non_null(f);
	assert_non_null(text);
	text[fread(text, 1, 65535, f)] = '\0';
	(void)fclose(f);
	return text;
}

/* The shipped files are read without a complaint, alone and on top of the default. */
CASE(test_shipped_files)
{
	static const char *const files[] = {"keymaps/vim.keys", "keymaps/k9s.keys"};
	char *base = slurp("keymaps/default.keys");
	const struct binding *all[256];
	struct report r;

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct keymap *k = keymap_new();
		char *text = slurp(files[i]);
		size_t n;

		assert_int_equal(read_map(k, "default.keys", base, &r), 0);
		assert_int_equal(read_map(k, files[i], text, &r), 0);
		n = keymap_list(k, "global", all, 256);
		assert_true(n > 40);
		for (size_t b = 0; b < n; b++)
			assert_true(all[b]->note[0] != '\0');
		assert_string_equal(bound(k, "port", 0, "Enter"), "open");
		free(text);
		keymap_free(k);
	}
	free(base);
}

CASES_MAIN(NULL, NULL)
