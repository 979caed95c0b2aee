/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

bool cmd_open(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_enter(console, err);
}

bool cmd_back(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_back(console, err);
}

bool cmd_forward(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_forward(console, err);
}

bool cmd_view(void *console, const char *args_text, struct err *err)
{
	const struct view_ops *view = view_by_name(args_text);
	struct ref scope = {.kind = REF_FABRIC};

	if (!view)
		return err_set(err, ERR_USAGE, "", "no view %s", args_text);
	return console_open(console, view, scope, err);
}

bool cmd_goto(void *console, const char *args_text, struct err *err)
{
	return console_jump(console, args_text, err);
}

bool cmd_peer(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_peer(console, err);
}

bool cmd_palette(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	(void)err;
	console_prompt_palette(console);
	return true;
}
