/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/headless.h"
#include "archive/export/findings.h"
#include "base/clock.h"

static int exit_code(const lint_vec *rows, const struct model *m)
{
	for (size_t i = 0; i < rows->n; i++)
		if (rows->at[i].result == LINT_DIFFERS)
			return EXIT_FINDINGS;
	return headless_exit_code(m);
}

static int print_report(const struct options *o, const struct collected *c)
{
	struct err err = {0};
	lint_vec rows = {0};
	int code = EXIT_INTERNAL;

	lint_check(c->model, &rows);
	if (o->json ? lint_json(c->model, &rows, c->now_us, stdout, &err)
		    : lint_text(c->model, &rows, c->now_us, stdout, &err))
		code = exit_code(&rows, c->model);
	else
		err_print(&err);
	vec_free(&rows);
	return code;
}

int sub_lint(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.until_heard = true,
		.done = print_report,
	};

	return headless_run(&opts);
}
