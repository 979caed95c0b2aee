/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "actions/kinds/action.h"
#include "app/config/embedded_texts.h"
#include "app/inventory/inventory_default.h"
#include "app/inventory/inventory_yaml.h"
#include "app/config/runbooks.h"
#include "app/options/completion.h"
#include "base/str.h"
#include "fabric/ref.h"
#include "tui/theme.h"
#include "views/view.h"

/*
 * The candidates for the last word of a command line, for the scripts of `railtop completion`. The
 * words are lines of standard input, so that none of them is taken for an option of this command.
 * A candidate is a line: the word, a tab, its help. The line ":files" asks the shell for files.
 * No device is asked: names of devices and planned ports are those of the inventory.
 */

#define WORDS_MOST  256
#define INPUT_MOST  65536
#define PLACES_MOST 2000
#define HELP_COLUMN 70 /* a shell shows the help beside the word */

struct candidates {
	const struct completion *c;
	size_t keep; /* bytes of the prefix that stand before each candidate: "a,b," */
};

static void print_candidate(void *ctx, const char *text, const char *help)
{
	const struct candidates *r = ctx;
	const char *prefix = r->c->prefix, *word = prefix - r->c->kept;

	if (strncasecmp(text, prefix + r->keep, strlen(prefix + r->keep)) != 0)
		return;
	(void)printf("%.*s%s", (int)(r->c->kept + r->keep), word, text);
	if (help && *help)
		(void)printf("\t%.*s", HELP_COLUMN, help);
	(void)putchar('\n');
}

static void print_place(void *ctx, const char *text)
{
	print_candidate(ctx, text, NULL);
}

static void print_names(struct candidates *r, const char *list, char separator)
{
	const char ends[] = {separator, '\0'};
	char name[64];

	for (const char *at = list; *at;) {
		size_t n = strcspn(at, ends);

		if (str_copyn(name, sizeof(name), at, n))
			print_candidate(r, name, NULL);
		at += n + (at[n] != '\0');
	}
}

static void print_views(struct candidates *r)
{
	for (size_t i = 0; i < view_count; i++)
		print_candidate(r, view_table[i]->name, view_table[i]->help);
}

static void print_hosts(struct candidates *r, const struct model *m)
{
	for (size_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i]->tier == TIER_HOST)
			print_candidate(r, m->devices.at[i]->name, NULL);
}

/* An inventory that cannot be read has no places: the command itself will say why. */
static void print_places(struct candidates *r, bool hosts)
{
	char path[4096];
	const char *file =
		r->c->inventory ? r->c->inventory : inventory_default(path, sizeof(path));
	struct err err = {0};
	struct plan plan;

	if (!file)
		return;
	if (inventory_load(file, &plan, NULL, NULL, &err)) {
		struct model *m = model_new(&plan);

		if (hosts)
			print_hosts(r, m);
		else
			ref_complete(m, r->c->prefix, PLACES_MOST, print_place, r);
		model_free(m);
	}
	plan_free(&plan);
}

static void print_runbooks(struct candidates *r)
{
	struct runbooks all;
	struct err err = {0};

	(void)runbooks_load(&all, NULL, NULL, &err);
	for (size_t i = 0; i < all.at.n; i++)
		print_candidate(r, all.at.at[i]->name, all.at.at[i]->title);
	runbooks_free(&all);
}

static void print_keymaps(struct candidates *r)
{
	const struct embedded_text *t;
	char name[64];

	for (size_t i = 0; (t = embedded_text_at(i)); i++) {
		size_t n = strlen(t->name);

		if (n > 5 && str_eq(t->name + n - 5, ".keys") &&
			str_copyn(name, sizeof(name), t->name, n - 5))
			print_candidate(r, name, NULL);
	}
	(void)printf(":files\n");
}

/* "port,pfc_": the names before the last comma stay. */
static void print_columns(struct candidates *r)
{
	const char *comma = strrchr(r->c->prefix, ',');
	const struct view_ops *v = r->c->view;

	r->keep = comma ? (size_t)(comma - r->c->prefix) + 1 : *r->c->prefix == '-';
	for (size_t i = 0; v && i < v->ncolumns; i++)
		print_candidate(r, v->columns[i].id, v->columns[i].title);
}

static void print_actions(struct candidates *r)
{
	for (size_t i = 0; i < action_count; i++)
		print_candidate(r, action_table[i]->name, action_table[i]->title);
}

static void print_all(struct candidates *r)
{
	switch (r->c->kind) {
	case COMPLETE_NOTHING:
		break;
	case COMPLETE_COMMANDS:
	case COMPLETE_OPTIONS:
		completion_offer(r->c, print_candidate, r);
		break;
	case COMPLETE_FILES:
		(void)printf(":files\n");
		break;
	case COMPLETE_PAGES:
		print_views(r);
		print_places(r, false);
		break;
	case COMPLETE_PLACES:
		print_places(r, false);
		break;
	case COMPLETE_HOSTS:
		print_places(r, true);
		break;
	case COMPLETE_VIEWS:
		print_views(r);
		break;
	case COMPLETE_RUNBOOKS:
		print_runbooks(r);
		break;
	case COMPLETE_ACTIONS:
		print_actions(r);
		break;
	case COMPLETE_THEMES:
		print_names(r, theme_names(), ' ');
		break;
	case COMPLETE_KEYMAPS:
		print_keymaps(r);
		break;
	case COMPLETE_PRESETS:
		print_names(r, "ref256 4k", ' ');
		break;
	case COMPLETE_COLUMNS:
		print_columns(r);
		break;
	case COMPLETE_CHOICES:
		print_names(r, r->c->choices, '|');
		break;
	}
}

int sub_complete(const struct options *o)
{
	static char text[INPUT_MOST];
	const char *words[WORDS_MOST];
	struct completion c;
	struct candidates r = {.c = &c};
	size_t n = 0, len = fread(text, 1, sizeof(text) - 1, stdin);

	(void)o;
	text[len] = '\0';
	for (char *at = text, *end; n < WORDS_MOST && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		words[n++] = at;
	}
	completion_find(words, n, &c);
	print_all(&r);
	return EXIT_FINE;
}
