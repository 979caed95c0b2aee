/* SPDX-License-Identifier: Apache-2.0 */
#include "app/console/console_app.h"
#include "app/session/file_moment.h"
#include "archive/recording/rts.h"

static int fail_usage(const struct err *err)
{
	err_print(err);
	return EXIT_USAGE;
}

int open_recording(const struct options *o, const char *file)
{
	struct console_app_opts opts = {.options = o};
	struct file_moment at;
	struct err err = {0};
	struct rts *r;
	bool ok;

	if (!file_moment_read(file, &at, &err))
		return fail_usage(&err);
	/* Errors of the file must appear on the plain terminal, before the console starts. */
	r = rts_open(at.path, &err);
	if (!r)
		return fail_usage(&err);
	ok = file_moment_time(
		&at, rts_clock(r), rts_info(r)->from_us, rts_info(r)->to_us, &opts.at_us, &err);
	rts_close(r);
	if (!ok)
		return fail_usage(&err);
	opts.file = at.path;
	opts.said = at.said;
	return console_app_run(&opts);
}

int sub_open(const struct options *o)
{
	if (o->words.n)
		return open_recording(o, o->words.at[0]);
	(void)fprintf(
		stderr, "railtop open: a file is missing\n  cure: railtop open FILE.rts[@TIME]\n");
	return EXIT_USAGE;
}
