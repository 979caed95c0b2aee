/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/headless.h"
#include "archive/export/timeline.h"
#include "base/clock.h"

static int print_timeline(const struct options *o, const struct collected *c)
{
	struct err err = {0};

	(void)o;
	if (timeline_write(c->model, c->diag, c->now_us, stdout, &err))
		return headless_exit_code(c->model);
	err_print(&err);
	return EXIT_INTERNAL;
}

int sub_timeline(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.done = print_timeline,
	};

	return headless_run(&opts);
}
