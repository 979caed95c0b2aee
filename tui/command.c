/* SPDX-License-Identifier: Apache-2.0 */
#include "tui/command.h"

#include <string.h>

const struct command *command_find(const struct command *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(table[i].name, name) == 0)
			return &table[i];
	return NULL;
}
