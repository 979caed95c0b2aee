/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "actions/ledger/anchor.h"
#include "actions/ledger/ledger.h"
#include "app/output/act_json.h"
#include "app/session/ledger_file.h"
#include "app/options/options.h"
#include "base/clock.h"
#include "base/regular_file.h"
#include "base/str.h"

static int fail_usage(const struct err *err)
{
	err_print(err);
	return EXIT_USAGE;
}

/* The words behind "whole" when there is an anchor: how far it proves the ledger. */
static void print_proved(const struct anchor_report *a, const char *anchor)
{
	(void)printf("%s: has %" PRIu64 " of its lines: lines 1 to %" PRIu64 " are as they were "
		     "written",
		anchor, a->copies, a->proved);
	if (a->behind)
		(void)printf("; the newest %" PRIu64 " %s proved by nothing outside the ledger",
			a->behind, a->behind == 1 ? "is" : "are");
	if (a->missing)
		(void)printf("; %" PRIu64 " older line%s no copy of %s own, a later copy proves %s",
			a->missing, a->missing == 1 ? " has" : "s have",
			a->missing == 1 ? "its" : "their", a->missing == 1 ? "it" : "them");
	(void)printf("\n");
}

static void print_report(const struct ledger_file *f, const struct ledger_report *r,
	const struct anchor_report *a, const char *anchor)
{
	bool whole = !r->bad_line && !r->why[0];

	if (!whole)
		(void)printf("%s: NOT WHOLE: %s\n", f->path, r->why);
	else if (!a || a->err.code == ERR_NONE)
		(void)printf("%s: whole: %" PRIu64 " lines, %" PRIu64 " actions, %" PRIu64
			     " without an end; last hash %s\n",
			f->path, r->lines, r->acts, r->unfinished, r->hash);
	if (a && a->err.code != ERR_NONE)
		(void)printf("%s: %s\n  cure: %s\n", a->err.origin, a->err.text, a->err.cure);
	else if (a && whole)
		print_proved(a, anchor);
}

/* Fills r and a. False with err: a file cannot be read, or has nothing to compare. */
static bool verify_with_anchor(const struct options *o, const struct ledger_file *f,
	struct ledger_report *r, struct anchor_report *a, struct err *err)
{
	bool input = str_eq(o->anchor, "-"), ok;
	FILE *in = input ? stdin : regular_file_stream(o->anchor);
	struct ledger_anchor copies = {.read = 0};

	if (!in)
		return err_set(err, ERR_USAGE, o->anchor, "%s", regular_file_why()) ||
		       err_cure(err, "name a log that you may read; sudo cat FILE | railtop ledger "
				     "verify --anchor -");
	ok = anchor_read(&copies, in, input ? "standard input" : o->anchor, err) &&
	     ledger_verify_anchor(f->path, &copies, r, a, err);
	if (!input)
		(void)fclose(in);
	anchor_free(&copies);
	return ok;
}

/* Prints each action without an end, with its cure. False with err: the ledger cannot be read. */
static bool print_open(const char *path, size_t *n, struct err *err)
{
	ledger_open_vec open = {0};
	bool ok = ledger_open_acts(path, &open, err);

	for (size_t i = 0; ok && i < open.n; i++) {
		struct err what = {0};

		ledger_open_text(&open.at[i], &what);
		(void)printf("%s: %s\n  cure: %s\n", what.origin, what.text, what.cure);
	}
	*n = open.n;
	vec_free(&open);
	return ok;
}

static int verify_ledger(const struct options *o, const struct ledger_file *f)
{
	static const ledger_line_vec none = {0};
	struct ledger_report r = {0};
	struct anchor_report a = {.copies = 0};
	struct err err = {0};
	size_t open = 0;

	if (o->anchor ? !verify_with_anchor(o, f, &r, &a, &err) : !ledger_verify(f->path, &r, &err))
		return fail_usage(&err);
	if (a.err.code == ERR_USAGE)
		return fail_usage(&a.err);
	if (o->json && !ledger_json(&none, &r, o->anchor ? &a : NULL, stdout, &err))
		return fail_usage(&err);
	if (!o->json)
		print_report(f, &r, o->anchor ? &a : NULL, o->anchor);
	if (!o->json && r.unfinished)
		(void)print_open(f->path, &open, NULL);
	return r.bad_line || r.why[0] || a.err.code != ERR_NONE ? EXIT_FINDINGS : EXIT_FINE;
}

/* Prints one line of the ledger: time, number, action id, user, action, place, sentence. */
static void print_line(const struct ledger_line *l)
{
	char at[32], where[2 * NAME_MAX_LEN + 2];

	(void)str_printf(where, sizeof(where), "%s%s%s", l->device, l->port[0] ? ":" : "", l->port);
	(void)printf("%s %5" PRIu64 " %s %-12s %-13s %s  %s%s%s\n",
		clock_format_utc(l->t_us, at, sizeof(at)), l->n, l->act, l->user, l->action, where,
		l->text, l->incident[0] ? "  " : "", l->incident);
}

static int show_lines(const struct options *o, const struct ledger_file *f)
{
	const char *only = o->words.n > 1 ? o->words.at[1] : NULL;
	int64_t since = o->for_us ? clock_wall(&clock_system) - o->for_us : 0;
	ledger_line_vec all = {0}, lines = {0};
	struct err err = {0};
	int code = EXIT_FINE;

	if (!ledger_read(f->path, since, o->limit, &all, &err))
		return fail_usage(&err);
	for (size_t i = 0; i < all.n; i++)
		if (!only || str_eq(all.at[i].act, only))
			vec_push(&lines, all.at[i]);
	if (o->json && !ledger_json(&lines, NULL, NULL, stdout, &err))
		code = fail_usage(&err);
	for (size_t i = 0; !o->json && i < lines.n; i++)
		print_line(&lines.at[i]);
	vec_free(&lines);
	vec_free(&all);
	return code;
}

/* Only an action that began and has no known end can be settled. */
static bool is_open(const char *path, const char *act, struct err *err)
{
	ledger_line_vec all = {0};
	bool begun = false, over = false, ok = ledger_read(path, 0, 0, &all, err);

	for (size_t i = 0; i < all.n; i++) {
		const struct ledger_line *l = &all.at[i];

		if (!str_eq(l->act, act))
			continue;
		begun |= l->event == LEDGER_BEGUN;
		over |= l->event == LEDGER_DONE || l->event == LEDGER_FAILED ||
			l->event == LEDGER_SETTLED;
	}
	vec_free(&all);
	if (!ok || (begun && !over))
		return ok;
	err_set(err, ERR_USAGE, path, "%s %s", act,
		begun ? "has ended: it needs no settling" : "was never begun");
	return err_cure(
		err, "railtop ledger verify counts actions without an end, show lists them");
}

/* A person has checked the device and reports the result. */
static int settle_action(const struct options *o, const struct ledger_file *f)
{
	struct ledger_opts opts = {.path = f->path, .clock = &clock_system};
	struct who who;
	struct ledger *l;
	struct err err = {0};
	size_t n = 0;
	bool ok;

	if (o->words.n < 2) {
		if (!print_open(f->path, &n, &err))
			return fail_usage(&err);
		if (!n)
			(void)printf("%s: every action has an end\n", f->path);
		return n ? EXIT_FINDINGS : EXIT_FINE;
	}
	if (!o->reason || strlen(o->reason) < 10) {
		err_set(&err, ERR_USAGE, "", "give the action, and the state found on the device");
		(void)err_cure(
			&err, "railtop ledger settle ACT --reason \"watchdog on, 200/400 ms\"");
		return fail_usage(&err);
	}
	if (!is_open(f->path, o->words.at[1], &err))
		return fail_usage(&err);
	who_am_i(&who);
	l = ledger_open(&opts, &who, &err);
	ok = l && ledger_settle(l, o->words.at[1], o->reason, &err);
	ledger_close(l);
	return ok ? EXIT_FINE : fail_usage(&err);
}

int sub_ledger(const struct options *o)
{
	const char *what = o->words.n ? o->words.at[0] : "";
	struct ledger_file f = {0};
	struct err err = {0};
	int code;

	if (!ledger_file_find(o, &f, &err))
		return fail_usage(&err);
	if (!o->anchor && access(f.path, F_OK) != 0 && errno == ENOENT &&
		(str_eq(what, "verify") || str_eq(what, "show"))) {
		/* A ledger begins with the first action; one that is named must exist. */
		(void)fprintf(stderr,
			"railtop: %s: there is no ledger: no action was planned yet%s\n", f.path,
			o->ledger ? "\n  cure: name the file of actions: ledger: in the inventory"
				  : "");
		ledger_file_free(&f);
		return o->ledger ? EXIT_USAGE : EXIT_FINE;
	}
	if (str_eq(what, "verify"))
		code = verify_ledger(o, &f);
	else if (str_eq(what, "show"))
		code = show_lines(o, &f);
	else if (str_eq(what, "settle"))
		code = settle_action(o, &f);
	else {
		err_set(&err, ERR_USAGE, "",
			*what ? "ledger has no command \"%s\"" : "a command is missing%s", what);
		(void)err_cure(&err, "railtop ledger verify, show or settle");
		code = fail_usage(&err);
	}
	ledger_file_free(&f);
	return code;
}
