/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "app/headless/headless.h"
#include "app/headless/place_check.h"
#include "app/output/rows.h"
#include "app/session/runbook_walk.h"
#include "app/config/runbooks.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

static void print_warning(void *ctx, const char *message)
{
	(void)ctx;
	(void)fprintf(stderr, "railtop: %s\n", message);
}

static void print_problem(void *ctx, const struct err *err)
{
	(void)ctx;
	err_print(err);
}

static int check_file(const char *path)
{
	struct runbook *b = runbook_read(path, print_problem, NULL);

	if (!b)
		return EXIT_USAGE;
	printf("%s: %s, %zu step%s: fine\n", path, b->name, b->steps.n, str_plural(b->steps.n));
	runbook_free(b);
	return EXIT_FINE;
}

static int list_all(const struct runbooks *all)
{
	for (size_t i = 0; i < all->at.n; i++) {
		const struct runbook *b = all->at.at[i];

		printf("%-18s %s%s%s%s\n", b->name, b->title,
			str_eq(b->source, "built in") ? "" : " (",
			str_eq(b->source, "built in") ? "" : b->source,
			str_eq(b->source, "built in") ? "" : ")");
	}
	return EXIT_FINE;
}

static int no_such(const struct runbooks *all, const char *name)
{
	char nearest[128];
	struct name_suggestions near;

	(void)fprintf(stderr, "railtop: there is no runbook \"%s\"", name);
	name_suggestions_init(&near, name);
	for (size_t i = 0; i < all->at.n; i++)
		name_suggestions_offer(&near, all->at.at[i]->name);
	if (name_suggestions_format(&near, nearest, sizeof(nearest)))
		(void)fprintf(stderr, " (did you mean %s?)", nearest);
	(void)fprintf(stderr, "; there are:\n");
	for (size_t i = 0; i < all->at.n; i++)
		(void)fprintf(stderr, "  %-18s %s\n", all->at.at[i]->name, all->at.at[i]->title);
	return EXIT_USAGE;
}

/* The runbook to run on the collected data; the ctx of headless_opts.more. */
struct job_at_hand {
	const struct options *o;
	const struct runbook *book;
};

/* Returns EXIT_FINE with the walk, or the exit code of the error. */
static int judge_run(
	const struct job_at_hand *j, const struct collected *c, struct walk *w, struct err *err)
{
	struct ref target = {.kind = REF_FABRIC};
	struct view_ctx ctx = {.model = c->model, .diag = c->diag, .now_us = c->now_us};
	char place[256];
	bool ok;

	if (!place_join(j->o->words.at, j->o->words.n, 1, place, sizeof(place), err))
		return EXIT_USAGE;
	if (place[0] && !place_parse(c->model, c->diag, place, &target, err))
		return place_missing(c->plan, c->model, place, err);
	if (target.kind == REF_FINDING)
		target = diag_finding(c->diag, target.seq)->at;
	ctx.cache = view_cache_new();
	ok = walk_runbook(w, j->book, target, &ctx, err);
	view_cache_free(ctx.cache);
	return ok ? EXIT_FINE : EXIT_USAGE;
}

static int print_report(const struct job_at_hand *j, const struct collected *c)
{
	struct walk w = {0};
	struct err err = {0};
	int code = judge_run(j, c, &w, &err);

	if (code != EXIT_FINE) {
		err_print(&err);
		return code;
	}
	code = walk_exit_code(&w);
	errno = 0;
	if (!(j->o->json ? walk_json(&w, stdout) : walk_text(&w, stdout)) || fflush(stdout) != 0) {
		err_system(
			&err, ERR_IO, "standard output", "could not be written completely", errno);
		err_print(&err);
		code = EXIT_INTERNAL;
	}
	walk_free(&w);
	return code;
}

static bool when_collected(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	(void)interrupted;
	if (c)
		*code = print_report(ctx, c);
	return true;
}

/* Finds a wrong name before half a minute of collecting. */
static bool check_place(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	const struct options *o = opts->options;
	char place[256];

	return place_join(o->words.at, o->words.n, 1, place, sizeof(place), err) &&
	       (!place[0] || place_possible(plan, m, place, err));
}

static int run_book(const struct options *o, const struct runbook *book)
{
	struct job_at_hand job = {o, book};
	struct headless_opts opts = {
		.options = o,
		.check = check_place,
		.check_answers = check_place,
		.for_us = o->for_us ? o->for_us : 30 * CLOCK_SEC,
		.more = when_collected,
		.ctx = &job,
	};

	/* Check the command line before half a minute of collecting. */
	if (o->words.n < 2 && !runbook_is_about(book, "fabric")) {
		(void)fprintf(stderr,
			"railtop: %s: a place is missing\n  cure: railtop runbook %s PLACE; PLACE "
			"is a: "
			"%s\n",
			book->name, book->name, book->target);
		return EXIT_USAGE;
	}
	return headless_run(&opts);
}

int sub_runbook(const struct options *o)
{
	struct runbooks all;
	const struct runbook *book;
	struct err err = {0};
	int code;

	if (o->check)
		return check_file(o->check);
	if (!runbooks_load(&all, print_warning, NULL, &err)) {
		err_print(&err);
		runbooks_free(&all);
		return EXIT_INTERNAL;
	}
	book = o->words.n ? runbook_find(&all, o->words.at[0]) : NULL;
	if (!o->words.n)
		code = !o->json                      ? list_all(&all)
		       : runbooks_json(&all, stdout) ? EXIT_FINE
						     : EXIT_INTERNAL;
	else
		code = book ? run_book(o, book) : no_such(&all, o->words.at[0]);
	runbooks_free(&all);
	return code;
}
