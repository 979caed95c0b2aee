/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "app/headless/headless.h"
#include "app/headless/place_check.h"
#include "app/headless/silence.h"
#include "app/output/rows.h"
#include "app/session/session.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/query/name_suggestions.h"

/* The options of the printout and its progress. */
struct printing {
	const struct options *o;
	const struct view_ops *view;
	char place[256];
	struct query *where;
	int sort; /* -1: unsorted */
	bool descending;
	size_t columns[TABLE_MAX_COLUMNS], ncolumns;
	struct view_cache *cache;
	int64_t next_us; /* time of the next printout with --watch, monotonic */
	size_t printed;
	int code;
};

/* ---- the command line ---- */

static bool find_view(struct printing *j, struct err *err)
{
	const struct options *o = j->o;
	size_t first = 0;

	j->view = o->sub ? o->sub->view : NULL;
	if (!j->view && o->words.n) {
		j->view = view_by_name(o->words.at[0]);
		first = 1;
	}
	if (!j->view) {
		char names[320] = "", nearest[128];
		struct name_suggestions near;

		name_suggestions_init(&near, o->words.n ? o->words.at[0] : "");
		for (size_t i = 0; i < view_count; i++)
			name_suggestions_offer(&near, view_table[i]->name);
		for (size_t i = 0; i < view_count; i++)
			(void)str_printf(names + strlen(names), sizeof(names) - strlen(names),
				"%s%s", i ? ", " : "", view_table[i]->name);
		if (o->words.n)
			err_set(err, ERR_USAGE, "", "there is no view \"%s\"", o->words.at[0]);
		else
			err_set(err, ERR_USAGE, "", "a view is missing");
		if (name_suggestions_format(&near, nearest, sizeof(nearest)))
			(void)err_cure(err, "did you mean %s?", nearest);
		else
			(void)err_cure(err, "views: %s", names);
		return false;
	}
	if (!place_join(o->words.at, o->words.n, first, j->place, sizeof(j->place), err))
		return false;
	return rows_place_given(j->view, j->place, err);
}

static bool no_column(const struct printing *j, const char *name, struct err *err)
{
	char names[300];

	view_column_names(j->view, names, sizeof(names));
	err_set(err, ERR_USAGE, j->view->name, "no column %s", name);
	return err_cure(err, "columns: %s", names);
}

static bool read_sort(struct printing *j, struct err *err)
{
	const char *by = j->o->sort ? j->o->sort : j->view->sort;

	j->sort = -1;
	if (!by)
		return true;
	j->descending = *by == '-';
	j->sort = view_column(j->view, by + j->descending);
	return j->sort >= 0 || no_column(j, by + j->descending, err);
}

static bool read_columns(struct printing *j, struct err *err)
{
	const char *at = j->o->columns;

	/* There are no marks to count from, and no screen to draw a curve on. */
	for (size_t i = 0; !at && i < j->view->ncolumns; i++)
		if (!str_starts(j->view->columns[i].id, "since_") &&
			!str_eq(j->view->columns[i].id, "trend"))
			j->columns[j->ncolumns++] = i;
	while (at && *at) {
		size_t len = strcspn(at, ",");
		char name[64];
		int col;

		if (!str_copyn(name, sizeof(name), at, len))
			return no_column(j, name, err);
		col = view_column(j->view, name);
		if (col < 0)
			return no_column(j, name, err);
		if (j->ncolumns == TABLE_MAX_COLUMNS)
			return err_set(
				err, ERR_USAGE, "", "--columns: more columns than the view has");
		j->columns[j->ncolumns++] = (size_t)col;
		at += len + (at[len] == ',');
	}
	return j->ncolumns || err_set(err, ERR_USAGE, "", "--columns: no column is given");
}

static bool read_where(struct printing *j, struct err *err)
{
	if (!j->o->where || !*j->o->where)
		return true;
	j->where = query_parse(j->o->where, err);
	return j->where && view_query_check(j->view, j->where, err);
}

static bool read_formats(const struct printing *j, struct err *err)
{
	const struct options *o = j->o;

	if ((o->json != NULL) + o->csv + (o->md != NULL) > 1)
		return err_set(err, ERR_USAGE, "", "give one of --json, --csv, --md");
	if (o->given[OPT_WATCH] && o->watch_us < CLOCK_SEC)
		return err_set(err, ERR_USAGE, "", "--watch: a second or more");
	return true;
}

/* Checks the whole command line before collecting. */
static bool read_job(struct printing *j, struct err *err)
{
	return find_view(j, err) && read_formats(j, err) && read_where(j, err) &&
	       read_sort(j, err) && read_columns(j, err);
}

static bool shows_jobs(const struct view_ops *v)
{
	return view_takes(v, REF_JOB) || view_takes(v, REF_RANK) || view_takes(v, REF_COMM);
}

/* A number alone is a rank or a job in the views of those. */
static bool number_possible(
	const struct printing *j, const struct plan *plan, const struct model *m, struct err *err)
{
	char place[300];

	return (str_printf(place, sizeof(place), "job %s", j->place) &&
		       place_possible(plan, m, place, err)) ||
	       (str_printf(place, sizeof(place), "rank %s", j->place) &&
		       place_possible(plan, m, place, err));
}

/* Finds a wrong name, or one of another kind, before ten seconds of collecting. */
static bool check_place(
	const struct headless_opts *opts, const struct plan *plan, struct model *m, struct err *err)
{
	const struct printing *j = opts->ctx;
	struct plan without_jobs = *plan;
	uint64_t number;
	struct ref r;

	if (!j->place[0])
		return true;
	if (shows_jobs(j->view) && str_to_u64(j->place, &number))
		return number_possible(j, plan, m, err);
	/* A view without jobs cannot be waiting for the name of one. */
	if (!shows_jobs(j->view))
		without_jobs.jobs.n = 0;
	return place_possible(&without_jobs, m, j->place, err) &&
	       (!ref_parse(m, j->place, &r, NULL) ||
		       rows_place(m, NULL, j->view, j->place, &r, err));
}

/* ---- printing ---- */

static int terminal_width(void)
{
	struct winsize w;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) != 0)
		return 0;
	return w.ws_col;
}

static bool write_page(struct printing *j, const struct rows_page *p)
{
	const struct options *o = j->o;

	if (o->json)
		return rows_json(p, o->given[OPT_WATCH], stdout);
	if (o->csv) {
		rows_csv(p, !j->printed, stdout);
		return true;
	}
	if (j->printed)
		(void)fputc('\n', stdout);
	if (o->md)
		rows_markdown(p, stdout);
	else
		rows_text(p, o->columns ? 0 : terminal_width(), stdout);
	return true;
}

/* False: the place does not exist, or the output failed; j->code has the exit code. */
static bool print_rows(struct printing *j, const struct collected *c)
{
	struct view_ctx ctx = {.model = c->model,
		.now_us = c->now_us,
		.diag = c->diag,
		.cache = j->cache,
		.mark = "-"};
	struct rows_page page = {.view = j->view, .ctx = &ctx, .ncolumns = j->ncolumns};
	struct err err = {0};
	row_vec rows = {0};
	size_t total;
	bool ok;

	memcpy(page.columns, j->columns, sizeof(page.columns));
	if (!rows_place(c->model, c->diag, j->view, j->place, &ctx.scope, &err)) {
		j->code = place_missing(c->plan, c->model, j->place, &err);
		err_print(&err);
		return false;
	}
	j->view->rows(&ctx, &rows);
	total = rows.n;
	if (j->where)
		view_keep_rows(&ctx, j->view, j->where, &rows);
	if (j->sort >= 0)
		view_sort_rows(&ctx, j->view, (size_t)j->sort, j->descending, &rows);
	if (!rows.n)
		silence_explain_empty(
			c->model, j->view->name, total, j->where ? j->o->where : NULL, stderr);
	if (j->o->limit && rows.n > j->o->limit)
		rows.n = j->o->limit;
	page.rows = &rows;
	page.place = j->place;
	errno = 0;
	ok = write_page(j, &page) && fflush(stdout) == 0 && !ferror(stdout);
	j->printed++;
	vec_free(&rows);
	j->code = headless_exit_code(c->model);
	/* EPIPE means that the reader has enough: `| head`. */
	if (!ok && errno == EPIPE) {
		clearerr(stdout);
	} else if (!ok) {
		err_system(
			&err, ERR_IO, "standard output", "could not be written completely", errno);
		err_print(&err);
		j->code = EXIT_INTERNAL;
	}
	return ok;
}

static bool reader_gone(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) > 0 && out.revents & (POLLERR | POLLHUP | POLLNVAL);
}

static bool print_again(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct printing *j = ctx;
	int64_t now = clock_mono(&clock_system);
	bool end;

	if (!c)
		return true;
	end = j->printed && (interrupted || reader_gone());
	if (!end && now >= j->next_us) {
		j->next_us = now + j->o->watch_us;
		/* A file does not change: print it once. */
		end = !print_rows(j, c) || interrupted || !c->session || session_ended(c->session);
	}
	*code = j->code;
	return end;
}

static bool print_once(void *ctx, const struct collected *c, bool interrupted, int *code)
{
	struct printing *j = ctx;

	(void)interrupted;
	if (c)
		(void)print_rows(j, c);
	*code = j->code;
	return true;
}

int sub_rows(const struct options *o)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
	struct printing j = {.o = o, .sort = -1};
	struct headless_opts opts = {
		.options = o,
		.check = check_place,
		.check_answers = check_place,
		.for_us = o->for_us ? o->for_us : 10 * CLOCK_SEC,
		.more = o->given[OPT_WATCH] ? print_again : print_once,
		.ctx = &j,
	};
	struct err err = {0};
	int code = EXIT_USAGE;

	if (read_job(&j, &err)) {
		(void)sigaction(SIGPIPE, &ignore, &before);
		j.cache = view_cache_new();
		code = headless_run(&opts);
		view_cache_free(j.cache);
		(void)sigaction(SIGPIPE, &before, NULL);
	} else {
		err_print(&err);
	}
	query_free(j.where);
	return code;
}
