/* SPDX-License-Identifier: Apache-2.0 */
#include "app/headless/headless.h"
#include "app/headless/place_check.h"
#include "app/output/rows.h"
#include "archive/export/findings.h"
#include "base/clock.h"
#include "base/str.h"

/* Makes the locator of the place that the options name. */
static bool make_locator(const struct options *o, char *dst, size_t size, struct err *err)
{
	uint64_t rank;
	int given = (o->rank != NULL) + (o->host != NULL) + (o->at != NULL) + (o->words.n > 0);

	if (o->rank && !str_to_u64(o->rank, &rank)) {
		err_set(err, ERR_USAGE, "", "--rank: \"%s\" is not the number of a rank", o->rank);
		return err_cure(
			err, "--rank 19; of a job that is not the largest: --job NAME --rank 19");
	}
	if (given > 1 || (o->job && given && !o->rank)) {
		err_set(err, ERR_USAGE, "trace", "more than one place is given");
		return err_cure(err, "give one of PLACE, --rank, --host, --job, --at; --job may "
				     "stand beside --rank");
	}
	if (o->words.n)
		return place_join(o->words.at, o->words.n, 0, dst, size, err);
	if (o->at)
		return str_copy(dst, size, o->at);
	if (o->host)
		return str_copy(dst, size, o->host);
	if (o->rank && o->job)
		return str_printf(dst, size, "rank %s/%s", o->job, o->rank);
	if (o->rank)
		return str_printf(dst, size, "rank %s", o->rank);
	if (o->job)
		return str_printf(dst, size, "job %s", o->job);
	err_set(err, ERR_USAGE, "trace", "the start of the trace is missing");
	return err_cure(err,
		"railtop trace PLACE, or --rank N, --host NAME, --job NAME: see PLACES "
		"in railtop(1)");
}

/* Finds a wrong name before half a minute of collecting. */
static bool check_place(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	const struct options *o = opts->options;
	char place[256];

	if (!make_locator(o, place, sizeof(place), err))
		return false;
	if (o->host)
		return device_possible(plan, m, place, err);
	if ((o->rank || o->job) && !jobs_possible(plan, o->rank ? "--rank" : "--job", err))
		return false;
	return place_possible(plan, m, place, err);
}

/* Returns EXIT_FINE with the trace, or the exit code of the error. */
static int find_trace(
	const struct options *o, const struct collected *c, struct trace *t, struct err *err)
{
	const struct device *d;
	char place[256];
	struct ref from;

	if (!make_locator(o, place, sizeof(place), err))
		return EXIT_USAGE;
	if (!place_parse(c->model, c->diag, place, &from, err))
		return place_missing(c->plan, c->model, place, err);
	if (trace_from(c->diag, c->model, from, c->now_us, t, err))
		return EXIT_FINE;
	d = ref_device(c->model, from);
	if (!d || !headless_unreached(d))
		return EXIT_USAGE;
	err_set(err, ERR_UNREACHABLE, d->name, "nothing is known of it: it has not answered");
	return EXIT_UNREACHED;
}

/* True when something is wrong on the path, with or without a known cause. */
static bool found_fault(const struct trace *t)
{
	for (size_t i = 0; i < t->chain.n; i++)
		if (t->chain.at[i].state >= HOP_SUSPECT)
			return true;
	return t->finding || t->verdict != VERDICT_UNKNOWN;
}

/* True when no hop was seen: such a path is not known to be free of faults. */
static bool is_unseen(const struct trace *t)
{
	for (size_t i = 0; i < t->chain.n; i++)
		if (t->chain.at[i].state != HOP_UNKNOWN)
			return false;
	return true;
}

static int print_report(const struct options *o, const struct collected *c)
{
	struct trace t = {0};
	struct err err = {0};
	int code = find_trace(o, c, &t, &err);

	if (code != EXIT_FINE) {
		err_print(&err);
		return code;
	}
	code = EXIT_INTERNAL;
	if (o->json ? trace_json(c->model, c->diag, &t, stdout, &err)
		    : trace_text(c->model, c->diag, &t, stdout, &err))
		code = found_fault(&t) ? EXIT_FINDINGS
		       : is_unseen(&t) ? EXIT_UNREACHED
				       : headless_exit_code(c->model);
	else
		err_print(&err);
	trace_free(&t);
	return code;
}

int sub_trace(const struct options *o)
{
	struct headless_opts opts = {
		.options = o,
		.check = check_place,
		.check_answers = check_place,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.done = print_report,
	};
	char place[256];
	struct err err = {0};

	/* Check the command line before half a minute of collecting. */
	if (!make_locator(o, place, sizeof(place), &err)) {
		err_print(&err);
		return EXIT_USAGE;
	}
	return headless_run(&opts);
}
