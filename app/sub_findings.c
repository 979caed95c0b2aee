/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless.h"
#include "archive/findings.h"
#include "base/clock.h"

/* Statements (heavy even load) and what was acknowledged are no reason to wake anybody. */
static bool counts(const struct finding *f, int64_t now_us)
{
	return f->severity >= SEV_WARN && f->role != ROLE_INFO && !finding_acked(f, now_us);
}

static int exit_code(const struct collected *c)
{
	const struct finding *const *f;
	size_t n;

	f = diag_findings(c->diag, &n);
	for (size_t i = 0; i < n; i++)
		if (counts(f[i], c->now_us))
			return EXIT_FINDINGS;
	/* Also what no finding says: a check that fails, ports that are paused. */
	return diag_verdict(c->diag)->state >= FABRIC_SUSPECT ? EXIT_FINDINGS
							      : headless_exit_code(c->model);
}

static int report(const struct options *o, const struct collected *c)
{
	struct err err = {0};
	bool ok = o->json ? findings_json(c->model, c->diag, c->now_us, stdout, &err)
			  : findings_text(c->model, c->diag, c->now_us, stdout, &err);

	if (ok)
		return exit_code(c);
	err_print(&err);
	return EXIT_INTERNAL;
}

int sub_findings(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.done = report,
	};

	return headless_run(&opts);
}
