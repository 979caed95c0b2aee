/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/headless.h"
#include "app/headless/place_check.h"
#include "archive/export/topology.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/ref.h"

/* One output at a time. */
static bool check_options(const struct options *o, enum topology_form *form, struct err *err)
{
	*form = TOPOLOGY_TOPOGRAPH;
	if ((o->slurm != NULL) + o->topograph + (o->job != NULL) + (o->json != NULL) > 1) {
		err_set(err, ERR_USAGE, "topology", "more than one output is given");
		return err_cure(err, "give one of --slurm, --topograph, --job, --json");
	}
	if (o->slurm && !topology_form_by_name(o->slurm, form)) {
		err_set(err, ERR_USAGE, "--slurm", "\"%s\" is not a form", o->slurm);
		return err_cure(err, "allowed: tree, block, tree.yaml, block.yaml");
	}
	return true;
}

static bool find_job(const struct model *m, const char *name, struct ref *out, struct err *err)
{
	char place[256];

	return str_printf(place, sizeof(place), "job %s", name) && ref_parse(m, place, out, err);
}

/* A file without some of the hosts must not pass for a whole one. Those that were not reached are
 * no finding. */
static int exit_code(const struct model *m, const struct units *u)
{
	int code = headless_exit_code(m);

	return code == EXIT_FINE && u->unplaced.n ? EXIT_FINDINGS : code;
}

static bool print_one(const struct options *o, const struct collected *c, const struct units *u,
	struct ref job, struct err *err)
{
	enum topology_form form;

	if (!check_options(o, &form, err))
		return false;
	if (o->job)
		return topology_order(c->model, u, job.job, stdout, err);
	if (o->json)
		return topology_json(c->model, u, c->now_us, stdout, err);
	if (o->slurm || o->topograph)
		return topology_write(c->model, u, form, c->now_us, stdout, err);
	return topology_text(c->model, u, c->now_us, stdout, err);
}

static int print_report(const struct options *o, const struct collected *c)
{
	struct ref job = {.kind = REF_NONE};
	struct err err = {0};
	struct units u;
	char place[256];
	int code;

	model_links(c->model);
	if (o->job && !find_job(c->model, o->job, &job, &err)) {
		(void)str_printf(place, sizeof(place), "job %s", o->job);
		code = place_missing(c->plan, c->model, place, &err);
		err_print(&err);
		return code;
	}
	units_find(c->model, &u);
	code = exit_code(c->model, &u);
	if (!print_one(o, c, &u, job, &err)) {
		err_print(&err);
		code = err.code == ERR_UNSUPPORTED ? EXIT_FINDINGS : EXIT_INTERNAL;
	} else if (u.unplaced.n) {
		(void)fprintf(stderr, "railtop: no leaf is known of %zu host%s\n", u.unplaced.n,
			str_plural(u.unplaced.n));
	}
	units_free(&u);
	return code;
}

/* Finds a wrong name before half a minute of collecting. */
static bool check_job(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	const char *job = opts->options->job;
	char place[256];

	return !job || (jobs_possible(plan, "--job", err) &&
			       str_printf(place, sizeof(place), "job %s", job) &&
			       place_possible(plan, m, place, err));
}

int sub_topology(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.check = check_job,
		.check_answers = check_job,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.until_heard = !o->job, /* jobs are heard of later than devices */
		.done = print_report,
	};
	enum topology_form form;
	struct err err = {0};

	if (!check_options(o, &form, &err)) {
		err_print(&err);
		return EXIT_USAGE;
	}
	return headless_run(&opts);
}
