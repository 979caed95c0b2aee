/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdlib.h>

#include "app/console/commands.h"
#include "views/console/console.h"

#define STEPS_MAX 100000

bool cmd_scrub(void *console, const char *args_text, struct err *err)
{
	char *end = NULL;
	long steps = strtol(args_text, &end, 10);

	if (end == args_text || *end || steps < -STEPS_MAX || steps > STEPS_MAX) {
		err_set(err, ERR_USAGE, "", "%s is no number of steps",
			args_text[0] ? args_text : "nothing");
		return err_cure(err, "scrub -1 goes one step back, scrub 1 one on");
	}
	return console_scrub(console, (int)steps, err);
}

bool cmd_at(void *console, const char *args_text, struct err *err)
{
	return console_at(console, args_text, err);
}

bool cmd_live(void *console, const char *args_text, struct err *err)
{
	(void)args_text;
	return console_at(console, "live", err);
}

bool cmd_play(void *console, const char *args_text, struct err *err)
{
	return console_play(console, args_text, err);
}

bool cmd_diff(void *console, const char *args_text, struct err *err)
{
	return console_diff(console, args_text, err);
}

bool cmd_snapshot(void *console, const char *args_text, struct err *err)
{
	return console_snapshot(console, args_text, err);
}

bool cmd_record(void *console, const char *args_text, struct err *err)
{
	return console_record(console, args_text, err);
}
