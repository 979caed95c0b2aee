/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

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

bool cmd_pin(void *console, const char *args_text, struct err *err)
{
	return console_pin(console, args_text, err);
}

bool cmd_mark(void *console, const char *args_text, struct err *err)
{
	return console_mark(console, args_text, err);
}

bool cmd_unmark(void *console, const char *args_text, struct err *err)
{
	return console_unmark(console, args_text, err);
}

bool cmd_since(void *console, const char *args_text, struct err *err)
{
	return console_since(console, args_text, err);
}
