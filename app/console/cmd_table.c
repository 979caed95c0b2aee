/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

bool cmd_filter(void *console, const char *args_text, struct err *err)
{
	if (args_text[0])
		return console_filter(console, args_text, err);
	console_prompt_filter(console);
	return true;
}

bool cmd_sort(void *console, const char *args_text, struct err *err)
{
	return console_sort(console, args_text, err);
}

bool cmd_sort_reverse(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	(void)err;
	console_sort_reverse(console);
	return true;
}

bool cmd_columns(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	(void)err;
	console_columns(console);
	return true;
}
