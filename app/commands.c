/* SPDX-License-Identifier: Apache-2.0 */
#include "app/commands.h"

#define SAFE   true
#define LOCKED false

const struct command command_table[] = {
#define COMMAND(id, name, group, args, safe, help) {name, group, args, help, safe, cmd_##id},
#include "app/commands.def"
#undef COMMAND
};

const size_t command_count = sizeof(command_table) / sizeof(command_table[0]);
