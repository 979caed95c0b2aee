/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/commands.h"
#include "views/console/console.h"

bool cmd_trace(void *console, const char *args_text, struct err *err)
{
	return args_text[0] ? console_trace_place(console, args_text, err)
			    : console_trace(console, err);
}

bool cmd_fold(void *console, const char *args_text, struct err *err)
{
	return console_fold(console, args_text, err);
}

bool cmd_ack(void *console, const char *args_text, struct err *err)
{
	return console_ack(console, args_text, err);
}
