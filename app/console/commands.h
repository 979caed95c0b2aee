/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_COMMANDS_H
#define APP_CONSOLE_COMMANDS_H

#include "tui/command.h"

/*
 * The table of app/console/commands.def, followed by that of app/console/act_commands.def. In
 * read-only mode only the first command_count entries exist; with actions all of them do.
 */
extern const struct command command_table[];
extern const size_t command_count, command_count_acting;

#endif
