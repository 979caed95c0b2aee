/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_COMMANDS_H
#define APP_CONSOLE_COMMANDS_H

#include "tui/command.h"

/*
 * The table of app/console/commands.def, behind it that of app/console/act_commands.def: who is
 * read-only sees command_count of them only, who may act all.
 */
extern const struct command command_table[];
extern const size_t command_count, command_count_acting;

/* The functions behind it; console is a struct console. */
#define COMMAND(id, name, group, args, safe, help)                                                 \
	bool cmd_##id(void *console, const char *args_text, struct err *err);
#include "app/console/commands.def"
#include "app/console/act_commands.def"
#undef COMMAND

#endif
