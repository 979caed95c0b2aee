/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"

#include "views/console/console.h"

#define SAFE   true
#define LOCKED false

const struct command command_table[] = {
#define COMMAND(name, group, args, safe, help, ...) {name, group, args, help, safe, __VA_ARGS__},
#include "app/console/commands.def"
#include "app/console/act_commands.def"
#undef COMMAND
};

#define COMMAND(...) +1
const size_t command_count = 0
#include "app/console/commands.def"
	;
#undef COMMAND
const size_t command_count_acting = sizeof(command_table) / sizeof(command_table[0]);
