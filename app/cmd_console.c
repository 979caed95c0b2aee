/* SPDX-License-Identifier: Apache-2.0 */
#include "app/commands.h"
#include "views/console.h"

/* Commands without arguments that cannot fail. */
#define SIMPLE(id, call)                                                                           \
	bool cmd_##id(void *console, const char *args_text, struct err *err)                       \
	{                                                                                          \
		(void)args_text;                                                                   \
		(void)err;                                                                         \
		call(console);                                                                     \
		return true;                                                                       \
	}

SIMPLE(pause, console_pause)
SIMPLE(help, console_help)
SIMPLE(repaint, console_repaint)
SIMPLE(close, console_close)
SIMPLE(quit, console_quit)

bool cmd_poll(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_poll(console, err);
}

bool cmd_copy(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_copy(console, err);
}
