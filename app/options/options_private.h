/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OPTIONS_OPTIONS_PRIVATE_H
#define APP_OPTIONS_OPTIONS_PRIVATE_H

#include "app/options/options.h"

/* Shared by the reader of the command line and the printer of its help. Private to app/options. */

struct option_info {
	const char *name;
	int letter; /* 0: none */
	const char *arg;
	enum option_file file;
	const char *help;
};
extern const struct option_info option_info[OPT_COUNT];

/* NULL: there is none of that name. Of a subcommand and a view it is the subcommand. */
const struct subcommand *find_subcommand(const char *name);

/* The form in which a subcommand takes an option, see struct subcommand, takes. */
enum takes { TAKES_NOT, TAKES, TAKES_BARE, TAKES_LIST };
enum takes takes_option(const struct subcommand *sub, const char *name);

/* Limit of words after the options. "<PLACE...>" allows a few: "rank pretrain/3", "a - b". */
size_t words_of(const struct subcommand *sub);

#endif
