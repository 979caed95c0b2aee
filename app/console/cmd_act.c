/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

bool cmd_act(void *console, const char *args_text, struct err *err)
{
	return console_act(console, args_text, err);
}

bool cmd_act_show(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_act_show(console, err);
}
