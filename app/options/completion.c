/* SPDX-License-Identifier: Apache-2.0 */
#include "app/options/completion.h"

#include <string.h>

#include "app/options/options_private.h"
#include "base/str.h"
#include "views/view.h"

/* The kind of a word of `takes`, or of the argument of an option, by its name there. */
static const struct {
	const char *arg;
	enum completion_kind kind;
} args[] = {
	{"FILE", COMPLETE_FILES},
	{"FILE|-", COMPLETE_FILES},
	{"FILE[@TIME]", COMPLETE_FILES},
	{"A", COMPLETE_FILES},
	{"B", COMPLETE_FILES},
	{"DIR", COMPLETE_FILES},
	{"FILE|NAME", COMPLETE_KEYMAPS},
	{"PLACE", COMPLETE_PLACES},
	{"VIEW", COMPLETE_VIEWS},
	{"ACTION", COMPLETE_ACTIONS},
	{"[-]COLUMN", COMPLETE_COLUMNS},
	{"A,B,...", COMPLETE_COLUMNS},
};

/* "NAME" is something else for each option; "PLACE" of --view may be a page as well. */
static const struct {
	enum option_id id;
	enum completion_kind kind;
} names[] = {{OPT_THEME, COMPLETE_THEMES}, {OPT_PRESET, COMPLETE_PRESETS},
	{OPT_HOST, COMPLETE_HOSTS}, {OPT_VIEW, COMPLETE_PAGES}};

static enum completion_kind kind_of_arg(const char *arg)
{
	for (size_t i = 0; i < sizeof(args) / sizeof(args[0]); i++)
		if (str_eq(args[i].arg, arg))
			return args[i].kind;
	return COMPLETE_NOTHING;
}

static enum completion_kind kind_of_option(enum option_id id)
{
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i].id == id)
			return names[i].kind;
	return kind_of_arg(option_info[id].arg);
}

/* The option of "--name", "--name=..." or "-n"; OPT_COUNT. */
static enum option_id option_of(const char *word)
{
	size_t n = strcspn(word, "=");

	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_info *o = &option_info[i];

		if (str_starts(word, "--")
				? n == strlen(o->name) + 2 && strncmp(word + 2, o->name, n - 2) == 0
				: o->letter && word[1] == o->letter && !word[2])
			return (enum option_id)i;
	}
	return OPT_COUNT;
}

static bool has_argument(const struct subcommand *sub, enum option_id id)
{
	return id != OPT_COUNT && option_info[id].arg &&
	       takes_option(sub, option_info[id].name) != TAKES_BARE;
}

/* Of `railtop import`; the last '|' is followed by none. */
static const char import_kinds[] =
#define IMPORTER(id) #id "|"
#include "app/options/importers.def"
#undef IMPORTER
	;

/* The nth word of "<NAME> <PLACE...>". One with "..." is also all that follow. */
static void expect_word(struct completion *c, size_t nth)
{
	const char *at = c->sub->takes;
	char word[80] = "";

	for (size_t i = 0; (at = strchr(at, '<')); i++) {
		size_t n = strcspn(++at, ">"), last = n > 3 && str_starts(at + n - 3, "...");

		(void)str_copyn(word, sizeof(word), at, n - 3 * last);
		if (i == nth || last)
			break;
		word[0] = '\0';
	}
	c->kind = kind_of_arg(word);
	if (str_eq(word, "KIND"))
		(void)str_copyn(word, sizeof(word), import_kinds, sizeof(import_kinds) - 2);
	if (str_eq(word, "NAME") && str_eq(c->sub->name, "runbook"))
		c->kind = COMPLETE_RUNBOOKS;
	if (c->kind != COMPLETE_NOTHING || !strchr(word, '|'))
		return;
	c->kind = COMPLETE_CHOICES;
	(void)str_copy(c->choices, sizeof(c->choices), word);
}

/* Reads the words before the unfinished word; *seen: words that are no options. */
static void read_before(
	struct completion *c, const char *const *words, size_t n, size_t *seen, bool *list)
{
	for (size_t i = 0; i + 1 < n; i++) {
		enum option_id id = words[i][0] == '-' ? option_of(words[i]) : OPT_COUNT;

		if (words[i][0] != '-') {
			if (!*seen && c->sub->takes && str_eq(c->sub->name, "rows"))
				c->view = view_by_name(words[i]);
			++*seen;
			continue;
		}
		if (id == OPT_COUNT)
			continue;
		c->given[id] = true;
		*list = takes_option(c->sub, option_info[id].name) == TAKES_LIST;
		if (!has_argument(c->sub, id) || strchr(words[i], '=') || i + 2 >= n)
			continue;
		if (id == OPT_INVENTORY)
			c->inventory = words[i + 1];
		i++;
	}
}

static void expect_option(struct completion *c, enum option_id id)
{
	c->kind = has_argument(c->sub, id) ? kind_of_option(id) : COMPLETE_NOTHING;
}

void completion_find(const char *const *words, size_t n, struct completion *c)
{
	const struct subcommand *named = n > 1 ? find_subcommand(words[0]) : NULL;
	const char *last = n ? words[n - 1] : "", *before;
	bool help = n > 1 && str_eq(words[0], "help"), list = false;
	size_t seen = 0;

	*c = (struct completion){.sub = named ? named : subcommand_table, .prefix = last};
	c->view = named ? named->view : NULL;
	if (named) {
		words++;
		n--;
	}
	if ((!named && n <= 1 && *last != '-') || help) {
		c->kind = COMPLETE_COMMANDS;
		return;
	}
	read_before(c, words, n, &seen, &list);
	before = n > 1 ? words[n - 2] : "";
	if (str_starts(last, "--") && strchr(last, '=')) {
		c->kept = strcspn(last, "=") + 1;
		c->prefix = last + c->kept;
		expect_option(c, option_of(last));
	} else if (*before == '-' && !strchr(before, '=') &&
		   has_argument(c->sub, option_of(before))) {
		expect_option(c, option_of(before));
	} else if (*last == '-') {
		c->kind = COMPLETE_OPTIONS;
	} else if (!list) {
		expect_word(c, seen);
	}
}

static void offer_commands(const struct completion *c,
	void (*add)(void *ctx, const char *text, const char *help), void *ctx)
{
	for (size_t i = 0; i < subcommand_count; i++) {
		const struct subcommand *s = &subcommand_table[i];

		/* A view with the name of a subcommand cannot be called. */
		if (!s->hidden && str_starts(s->name, c->prefix) && find_subcommand(s->name) == s)
			add(ctx, s->name, s->help);
	}
}

static void offer_options(const struct completion *c,
	void (*add)(void *ctx, const char *text, const char *help), void *ctx)
{
	char text[64];

	for (int i = 0; i < OPT_COUNT; i++) {
		(void)str_printf(text, sizeof(text), "--%s", option_info[i].name);
		if (takes_option(c->sub, option_info[i].name) && str_starts(text, c->prefix) &&
			(!c->given[i] || i == OPT_FAULT))
			add(ctx, text, options_meaning(c->sub, (enum option_id)i));
	}
}

void completion_offer(const struct completion *c,
	void (*add)(void *ctx, const char *text, const char *help), void *ctx)
{
	if (c->kind == COMPLETE_COMMANDS)
		offer_commands(c, add, ctx);
	else if (c->kind == COMPLETE_OPTIONS)
		offer_options(c, add, ctx);
}
