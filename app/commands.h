/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_COMMANDS_H
#define APP_COMMANDS_H

#include "tui/command.h"

/* The table of app/commands.def. */
extern const struct command command_table[];
extern const size_t command_count;

/* The functions behind it; console is a struct console. */
#define COMMAND(id, name, group, args, safe, help)                                                 \
	bool cmd_##id(void *console, const char *args_text, struct err *err);
#include "app/commands.def"
#undef COMMAND

#endif
