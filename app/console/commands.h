/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_COMMANDS_H
#define APP_CONSOLE_COMMANDS_H

#include "tui/command.h"

/*
 * The command table: the entries of app/console/commands.def, then those of
 * app/console/act_commands.def. Read-only mode uses only the first command_count entries. With
 * actions the table has command_count_acting entries.
 */
extern const struct command command_table[];
extern const size_t command_count, command_count_acting;

#endif
