/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "tui/table.h"

struct console; /* views/console/console.h */

/*
 * The type of the command table. The table itself is app/console/commands.def; tui does not know
 * the effect of any command. Help, palette, keymap check, man page and completion read the table.
 */
struct command {
	const char *name;  /* "sort" */
	const char *group; /* "move", "table", "view", "console" */
	const char *args;  /* "[COLUMN]" or "" */
	const char *help;
	bool read_only_safe; /* must be stated; a command without it is refused in read-only mode */
	/* Which member of run is set. Functions that return false fill err for the message line. */
	enum command_shape {
		COMMAND_TEXT,  /* takes the arguments, may fail */
		COMMAND_PLAIN, /* takes no arguments, may fail */
		COMMAND_QUIET, /* takes no arguments, cannot fail */
		COMMAND_MOVE   /* moves the cursor of the table */
	} shape;
	union {
		bool (*text)(struct console *c, const char *args, struct err *err);
		bool (*plain)(struct console *c, struct err *err);
		void (*quiet)(struct console *c);
		enum table_move move;
	} run;
};

/* The last two members of an entry. */
/* clang-format off */
#define RUN_TEXT(function)  COMMAND_TEXT, {.text = (function)}
#define RUN_PLAIN(function) COMMAND_PLAIN, {.plain = (function)}
#define RUN_QUIET(function) COMMAND_QUIET, {.quiet = (function)}
#define RUN_MOVE(how)       COMMAND_MOVE, {.move = (how)}
/* clang-format on */

const struct command *command_find(const struct command *table, size_t n, const char *name);

#endif
