/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

bool cmd_runbook(void *console, const char *args_text, struct err *err)
{
	return console_runbook(console, args_text, err);
}

bool cmd_next(void *console, const char *args_text, struct err *err)
{
	return console_runbook_next(console, args_text, err);
}

bool cmd_runbook_back(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_runbook_back(console, err);
}

bool cmd_note(void *console, const char *args_text, struct err *err)
{
	return console_runbook_note(console, args_text, err);
}

bool cmd_look(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_runbook_look(console, err);
}

bool cmd_runbook_end(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_runbook_end(console, err);
}
