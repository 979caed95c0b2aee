/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/headless.h"
#include "archive/export/findings.h"
#include "base/clock.h"

static int print_report(const struct options *o, const struct collected *c)
{
	struct err err = {0};
	bool ok = o->json ? findings_json(c->model, c->diag, c->now_us, stdout, &err)
			  : findings_text(c->model, c->diag, c->now_us, stdout, &err);

	if (ok)
		return headless_findings_code(c->model, c->diag, c->now_us);
	err_print(&err);
	return EXIT_INTERNAL;
}

int sub_findings(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.done = print_report,
	};

	return headless_run(&opts);
}
