/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TUI_COMMAND_H
#define TUI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/*
 * The command table's type. The table itself is app/console/commands.def; tui knows nothing of what
 * the commands do. Help, palette, keymap check, man page and completion read it.
 */
struct command {
	const char *name;  /* "sort" */
	const char *group; /* "move", "table", "view", "console" */
	const char *args;  /* "[COLUMN]" or "" */
	const char *help;
	bool read_only_safe; /* must be stated; a command without it is refused in read-only mode */
	/* ctx is the console. False: err says why; it is shown in the message line. */
	bool (*run)(void *ctx, const char *args, struct err *err);
};

const struct command *command_find(const struct command *table, size_t n, const char *name);

#endif
