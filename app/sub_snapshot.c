/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless.h"
#include "archive/snapshot.h"
#include "base/clock.h"
#include "base/str.h"

typedef bool (*writer)(
	const struct model *m, const struct diag *d, int64_t now_us, FILE *out, struct err *err);

static bool write_to(const char *path, writer write, const struct collected *c, struct err *err)
{
	FILE *f = headless_open(path, err);

	if (!f)
		return false;
	if (!write(c->model, c->diag, c->now_us, f, err)) {
		if (f != stdout)
			(void)fclose(f);
		return false;
	}
	return headless_close(f, path, err);
}

static int write_all(const struct options *o, const struct collected *c)
{
	struct err err = {0};

	if ((!o->json || write_to(o->json, snapshot_json, c, &err)) &&
		(!o->text || write_to(o->text, snapshot_text, c, &err)))
		return headless_exit_code(c->model);
	err_print(&err);
	return EXIT_INTERNAL;
}

int sub_snapshot(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.for_us = o->for_us ? o->for_us : 10 * CLOCK_SEC,
		.done = write_all,
	};

	if (!o->json && !o->text) {
		(void)fprintf(
			stderr, "railtop snapshot: say where to: --json FILE|- or --text FILE|-\n");
		return EXIT_USAGE;
	}
	if (str_eq(o->json, "-") && str_eq(o->text, "-")) {
		(void)fprintf(stderr,
			"railtop snapshot: --json and --text cannot both be standard output\n");
		return EXIT_USAGE;
	}
	return headless_run(&opts);
}
