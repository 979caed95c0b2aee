/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "app/output/act_json.h"
#include "app/session/ledger_file.h"
#include "app/options/options.h"
#include "base/clock.h"
#include "base/str.h"

/* `railtop approve`: a second person reads an offered plan and approves it. */

static bool give_approval(
	const struct ledger_file *f, const char *dir, const struct options *o, struct err *err)
{
	struct ledger_opts opts = {.path = f->path, .clock = &clock_system};
	struct who who;
	struct ledger *l;
	bool ok;

	who_am_i(&who);
	/* The ledger must be writable first: an approval without a ledger line is not valid. */
	l = ledger_open(&opts, &who, err);
	ok = l && approval_give(dir, o->words.at[0], &who, &clock_system, err) &&
	     ledger_note_approval(l, o->words.at[0], o->words.at[1], err);
	ledger_close(l);
	return ok;
}

static int approve_plan(const struct options *o, const struct ledger_file *f, struct err *err)
{
	char *dir = ledger_beside(f->path, "approvals"), place[2 * NAME_MAX_LEN + 4];
	bool shown = act_offered(dir, o->words.at[0], place, stdout, err);
	int code = EXIT_USAGE;

	if (shown && o->words.n > 1 && !str_eq(place, o->words.at[1]))
		err_set(err, ERR_USAGE, "", "the plan is for %s, not for %s", place,
			o->words.at[1]);
	else if (shown)
		code = EXIT_FINE;
	if (code == EXIT_FINE && o->execute) {
		code = give_approval(f, dir, o, err) ? EXIT_FINE : EXIT_REFUSED;
		if (code == EXIT_FINE)
			(void)printf("\napproved for ten minutes\n");
	} else if (code == EXIT_FINE) {
		(void)printf("\nnothing was approved yet: railtop approve %s %s --execute\n",
			o->words.at[0], place);
	}
	free(dir);
	return code;
}

int sub_approve(const struct options *o)
{
	struct ledger_file f = {0};
	struct err err = {0};
	int code = EXIT_USAGE;

	/* To look at a plan needs no place; to approve one does, so that the place was read. */
	if (!o->words.n || (o->execute && o->words.n < 2)) {
		err_set(&err, ERR_USAGE, "approve", "%s is missing",
			o->words.n ? "the place of the plan" : "the hash of the plan");
		(void)err_cure(&err,
			"railtop approve HASH shows the plan, railtop approve HASH PLACE "
			"--execute approves it");
	} else if (o->read_only && !err_set(&err, ERR_REFUSED, "", "refused by mode: --read-only"))
		code = EXIT_REFUSED;
	else if (ledger_file_find(o, &f, &err))
		code = approve_plan(o, &f, &err);
	if (err.code != ERR_NONE)
		err_print(&err);
	ledger_file_free(&f);
	return code;
}
