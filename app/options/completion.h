/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OPTIONS_COMPLETION_H
#define APP_OPTIONS_COMPLETION_H

#include "app/options/options.h"

/*
 * The kind of word that may stand at the end of an unfinished command line. It comes from the
 * tables of subcommands and options, so the shells complete the words that the program takes.
 */
enum completion_kind {
	COMPLETE_NOTHING,
	COMPLETE_COMMANDS, /* subcommands and views */
	COMPLETE_OPTIONS,  /* options of sub that are not given yet */
	COMPLETE_FILES,
	COMPLETE_PLACES,
	COMPLETE_HOSTS,
	COMPLETE_VIEWS,
	COMPLETE_PAGES, /* views and places */
	COMPLETE_RUNBOOKS,
	COMPLETE_ACTIONS,
	COMPLETE_THEMES,
	COMPLETE_KEYMAPS, /* names and files */
	COMPLETE_PRESETS,
	COMPLETE_COLUMNS, /* of view */
	COMPLETE_CHOICES, /* those of choices, separated by '|' */
};

struct completion {
	enum completion_kind kind;
	const struct subcommand *sub;
	const struct view_ops *view; /* of `railtop VIEW` and `railtop rows VIEW`; NULL */
	const char *inventory;       /* of -f on this line; NULL */
	const char *prefix;          /* typed so far of the word, or of the argument after '=' */
	size_t kept;                 /* bytes of the word before prefix: "--view=" has 7 */
	char choices[80];
	bool given[OPT_COUNT];
};

/*
 * words: those of the command line after the program's name; the last one is unfinished and may be
 * "". Strings of the result point into words.
 */
void completion_find(const char *const *words, size_t n, struct completion *c);
/* For COMPLETE_COMMANDS and COMPLETE_OPTIONS: calls add for each that begins with the prefix. */
void completion_offer(const struct completion *c,
	void (*add)(void *ctx, const char *text, const char *help), void *ctx);

#endif
