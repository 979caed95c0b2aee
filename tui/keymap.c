/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/keymap.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"
#include "tui/text.h"

/* Limits for a file; a real one has some fifty lines. */
#define BINDINGS_MAX 1024
#define LINES_MAX    4096
#define PROBLEMS_MAX 50
#define LINE_MAX_    400

/* A binding with an empty command hides the global binding: an "unbind" of a view. */
struct entry {
	struct binding b;
	unsigned file, line;
};

struct keymap {
	/* Pointers, because callers keep bindings that keymap_find() returned. */
	VEC(struct entry *) entries;
	unsigned files;
};

/* The state while reading one file. */
struct reader {
	struct keymap *k;
	const char *name;
	unsigned line;
	size_t problems;
	bool (*known)(void *ctx, const char *command);
	bool (*context)(void *ctx, const char *name);
	void (*report)(void *ctx, const char *message);
	void *ctx;
};

struct keymap *keymap_new(void)
{
	return mem_calloc(1, sizeof(struct keymap));
}

void keymap_free(struct keymap *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->entries.n; i++)
		free(k->entries.at[i]);
	vec_free(&k->entries);
	free(k);
}

static void report_problem(struct reader *r, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
static void report_problem(struct reader *r, const char *fmt, ...)
{
	char text[512], line[640], clean[640];
	va_list ap;

	if (++r->problems > PROBLEMS_MAX || !r->report)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)str_printf(line, sizeof(line), "%s:%u: %s%s", r->name, r->line, text,
		r->problems == PROBLEMS_MAX ? " (further problems are not shown)" : "");
	(void)str_sanitise(clean, sizeof(clean), line, strlen(line));
	r->report(r->ctx, clean);
}

/* The next word of *s into dst; false when there is none or it is too long. */
static bool next_word(const char **s, char *dst, size_t size)
{
	const char *p = *s + strspn(*s, " \t");
	size_t n = strcspn(p, " \t");

	*s = p + n;
	return n && str_copyn(dst, size, p, n);
}

static bool parse_keys(const char *word, int key[2])
{
	char first[5];
	size_t n = text_after(word, 0);

	key[1] = 0;
	if (key_parse(word, &key[0]))
		return true;
	/* A word of two characters that does not name a key is a sequence of two keys. */
	if (n >= sizeof(first) || !word[n] || word[text_after(word, n)])
		return false;
	(void)str_copyn(first, sizeof(first), word, n);
	return key_parse(first, &key[0]) && key_parse(word + n, &key[1]);
}

static char *keys_text(const int key[2], char *dst, size_t size)
{
	char a[24], b[24] = "";

	(void)key_name(key[0], a, sizeof(a));
	if (key[1])
		(void)key_name(key[1], b, sizeof(b));
	(void)str_printf(dst, size, "%s%s", a, b);
	return dst;
}

/* Whether two bindings conflict: the same keys, or one the beginning of the other. */
static bool keys_clash(const int a[2], const int b[2])
{
	return a[0] == b[0] && (a[1] == b[1] || !a[1] || !b[1]);
}

static void remove_entry(struct keymap *k, size_t i)
{
	free(k->entries.at[i]);
	memmove(&k->entries.at[i], &k->entries.at[i + 1],
		sizeof(k->entries.at[0]) * (k->entries.n - i - 1));
	k->entries.n--;
}

/* Removes the bindings of earlier files for these keys; a clash inside this file is a conflict. */
static bool make_room(struct reader *r, const struct binding *b)
{
	char keys[64];

	for (size_t i = r->k->entries.n; i-- > 0;) {
		const struct entry *e = r->k->entries.at[i];

		if (!str_eq(e->b.context, b->context) || !keys_clash(e->b.key, b->key))
			continue;
		if (e->file == r->k->files && e->b.command[0] && b->command[0]) {
			report_problem(r,
				"%s is bound twice in context %s: line %u (%s) and line %u (%s); "
				"line %u is used",
				keys_text(b->key, keys, sizeof(keys)), b->context, e->line,
				e->b.command, r->line, b->command, e->line);
			return false;
		}
		remove_entry(r->k, i);
	}
	return true;
}

static void add_entry(struct reader *r, const struct binding *b)
{
	struct entry *e;

	if (r->k->entries.n >= BINDINGS_MAX) {
		report_problem(r, "too many bindings (%d at most)", BINDINGS_MAX);
		return;
	}
	if (!make_room(r, b))
		return;
	e = mem_calloc(1, sizeof(*e));
	e->b = *b;
	e->file = r->k->files;
	e->line = r->line;
	vec_push(&r->k->entries, e);
}

/* Splits "COMMAND ARGUMENTS  # note" into the binding. */
static bool parse_command(struct reader *r, const char *s, struct binding *b)
{
	const char *note = NULL, *end;
	char name[sizeof(b->command)] = "";

	s += strspn(s, " \t");
	for (const char *p = s; *p && !note; p++)
		if (*p == '#' && (p == s || p[-1] == ' ' || p[-1] == '\t'))
			note = p;
	end = note ? note : s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (end == s) {
		report_problem(r, "a command is missing: bind CONTEXT KEY COMMAND [ARGUMENTS]");
		return false;
	}
	if (!str_copyn(b->command, sizeof(b->command), s, (size_t)(end - s))) {
		report_problem(
			r, "the command is too long (%zu bytes at most)", sizeof(b->command) - 1);
		return false;
	}
	if (note) {
		note += strspn(note, "# \t");
		(void)str_sanitise(b->note, sizeof(b->note), note, strlen(note));
	}
	s = b->command;
	if (!next_word(&s, name, sizeof(name)) || (r->known && !r->known(r->ctx, name))) {
		report_problem(r, "there is no command '%s' (:help lists them)", name);
		return false;
	}
	return true;
}

static bool parse_target(struct reader *r, const char **s, struct binding *b)
{
	char word[64] = "";

	if (!next_word(s, b->context, sizeof(b->context)) ||
		(!str_eq(b->context, "global") && r->context && !r->context(r->ctx, b->context))) {
		report_problem(r, "there is no context '%s' (it is 'global' or the name of a view)",
			b->context);
		return false;
	}
	if (!next_word(s, word, sizeof(word)) || !parse_keys(word, b->key)) {
		report_problem(r,
			"'%s' is not a key: a character, two characters, Up, PgDn, F1, Ctrl-x, "
			"Alt-x, ...",
			word);
		return false;
	}
	return true;
}

static void add_unbind(struct reader *r, struct binding *b)
{
	/* In a view it also hides the global binding; the global context has no lower one. */
	if (!str_eq(b->context, "global")) {
		b->command[0] = '\0';
		add_entry(r, b);
		return;
	}
	for (size_t i = r->k->entries.n; i-- > 0;) {
		const struct binding *old = &r->k->entries.at[i]->b;

		if (str_eq(old->context, "global") && old->key[0] == b->key[0] &&
			old->key[1] == b->key[1])
			remove_entry(r->k, i);
	}
}

static void read_line(struct reader *r, const char *s)
{
	struct binding b = {0};
	char verb[16] = "";
	const char *end;

	s += strspn(s, " \t");
	if (!*s || *s == '#')
		return;
	(void)next_word(&s, verb, sizeof(verb));
	(void)str_printf(b.source, sizeof(b.source), "%s:%u", r->name, r->line);
	if (str_eq(verb, "bind")) {
		if (parse_target(r, &s, &b) && parse_command(r, s, &b))
			add_entry(r, &b);
		return;
	}
	if (!str_eq(verb, "unbind")) {
		report_problem(r, "'%s': a line starts with 'bind' or 'unbind'", verb);
		return;
	}
	if (!parse_target(r, &s, &b))
		return;
	end = s + strspn(s, " \t");
	if (*end && *end != '#')
		report_problem(r, "'%s' behind the key: unbind CONTEXT KEY", end);
	else
		add_unbind(r, &b);
}

size_t keymap_read(struct keymap *k, const char *name, const char *text,
	bool (*known)(void *ctx, const char *command), bool (*context)(void *ctx, const char *name),
	void (*report)(void *ctx, const char *message), void *ctx)
{
	struct reader r = {.k = k, .name = name, .known = known, .context = context};
	char line[LINE_MAX_];

	r.report = report;
	r.ctx = ctx;
	k->files++;
	while (*text) {
		size_t n = strcspn(text, "\n");

		if (++r.line > LINES_MAX) {
			report_problem(&r, "the file is too long (%d lines at most)", LINES_MAX);
			break;
		}
		if (!str_copyn(line, sizeof(line), text, n && text[n - 1] == '\r' ? n - 1 : n))
			report_problem(
				&r, "the line is too long (%zu bytes at most)", sizeof(line) - 1);
		else
			read_line(&r, line);
		text += n + (text[n] == '\n');
	}
	return r.problems;
}

void keymap_prune(struct keymap *k, bool (*present)(void *ctx, const char *command), void *ctx)
{
	for (size_t i = k->entries.n; i-- > 0;) {
		const struct binding *b = &k->entries.at[i]->b;
		const char *rest = b->command;
		char name[sizeof(b->command)];

		/* An unbind has no command. */
		if (next_word(&rest, name, sizeof(name)) && !present(ctx, name))
			remove_entry(k, i);
	}
}

/* Finds the binding of exactly these keys in one context; *starts: key0 begins a sequence there. */
static const struct entry *find_entry(
	const struct keymap *k, const char *context, int key0, int key1, bool *starts)
{
	const struct entry *found = NULL;

	for (size_t i = 0; i < k->entries.n; i++) {
		const struct entry *e = k->entries.at[i];

		if (e->b.key[0] != key0 || !str_eq(e->b.context, context))
			continue;
		if (e->b.key[1] == key1)
			found = e;
		else if (!key1 && e->b.command[0])
			*starts = true;
	}
	return found;
}

const struct binding *keymap_find(
	const struct keymap *k, const char *context, int prefix, int key, bool *more)
{
	const char *contexts[] = {context, "global"};
	int key0 = prefix ? prefix : key, key1 = prefix ? key : 0;
	bool starts = false;

	if (more)
		*more = false;
	for (size_t i = 0; i < 2; i++) {
		const struct entry *e;

		if (!contexts[i])
			continue;
		e = find_entry(k, contexts[i], key0, key1, &starts);
		if (!e && !starts)
			continue;
		if (more)
			*more = starts;
		return e && e->b.command[0] ? &e->b : NULL;
	}
	return NULL;
}

/* Whether a binding of the context hides the global binding. */
static bool is_overridden(const struct keymap *k, const char *context, const struct binding *global)
{
	for (size_t i = 0; i < k->entries.n; i++) {
		const struct binding *b = &k->entries.at[i]->b;

		if (str_eq(b->context, context) && keys_clash(b->key, global->key))
			return true;
	}
	return false;
}

size_t keymap_list(
	const struct keymap *k, const char *context, const struct binding **out, size_t max)
{
	bool global = !context || str_eq(context, "global");
	size_t n = 0;

	for (size_t i = 0; i < k->entries.n && n < max && !global; i++)
		if (str_eq(k->entries.at[i]->b.context, context) && k->entries.at[i]->b.command[0])
			out[n++] = &k->entries.at[i]->b;
	for (size_t i = 0; i < k->entries.n && n < max; i++) {
		const struct binding *b = &k->entries.at[i]->b;

		if (str_eq(b->context, "global") && b->command[0] &&
			(global || !is_overridden(k, context, b)))
			out[n++] = b;
	}
	return n;
}

/* 2: the same command line, 1: the same command with other arguments, 0: another command. */
static int command_match(const char *bound, const char *wanted)
{
	size_t n = strlen(wanted);

	if (strncmp(bound, wanted, n) != 0)
		return 0;
	return !bound[n] ? 2 : bound[n] == ' ';
}

/*
 * Whether b matches the command better than the best so far. Checks for a hiding binding only then,
 * because that check loops over all bindings.
 */
static bool is_better(const struct keymap *k, const char *context, const struct binding *b,
	const char *command, int *best)
{
	int match = b->command[0] ? command_match(b->command, command) : 0;

	if (match <= *best || (context && is_overridden(k, context, b)))
		return false;
	*best = match;
	return true;
}

const char *keymap_key_for(
	const struct keymap *k, const char *context, const char *command, char *dst, size_t size)
{
	bool global = !context || str_eq(context, "global");
	int best = 0;

	(void)str_copy(dst, size, "");
	for (size_t i = 0; i < k->entries.n && !global; i++) {
		const struct binding *b = &k->entries.at[i]->b;

		if (str_eq(b->context, context) && is_better(k, NULL, b, command, &best))
			(void)keys_text(b->key, dst, size);
	}
	for (size_t i = 0; i < k->entries.n; i++) {
		const struct binding *b = &k->entries.at[i]->b;

		if (str_eq(b->context, "global") &&
			is_better(k, global ? NULL : context, b, command, &best))
			(void)keys_text(b->key, dst, size);
	}
	return dst;
}
