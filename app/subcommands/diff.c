/* SPDX-License-Identifier: Apache-2.0 */
#include "app/subcommands/diff_side.h"
#include "app/options/options.h"
#include "archive/export/diff.h"
#include "base/str.h"

static int print_report(
	const struct options *o, const struct diff_side *a, const struct diff_side *b)
{
	struct diff_end from = {a->file.path, &a->at}, to = {b->file.path, &b->at};
	difference_vec v = {0};
	struct err err = {0};
	int code;

	difference_find(&a->at, &b->at, &v);
	code = v.n ? EXIT_FINDINGS : EXIT_FINE;
	if (!(o->json ? diff_json(&from, &to, &v, stdout, &err)
		      : diff_text(&from, &to, &v, stdout, &err))) {
		err_print(&err);
		code = EXIT_INTERNAL;
	}
	difference_free(&v);
	return code;
}

/* Different fabric names are only noted: the device names decide. */
static void note_names(const struct diff_side *a, const struct diff_side *b)
{
	if (!str_eq(a->at.m->fabric, b->at.m->fabric))
		(void)fprintf(stderr, "railtop: fabric %s and fabric %s: %zu device%s in both\n",
			a->at.m->fabric, b->at.m->fabric, diff_common(a->at.m, b->at.m),
			str_plural(diff_common(a->at.m, b->at.m)));
}

int sub_diff(const struct options *o)
{
	struct diff_side a = {0}, b = {0};
	struct err err = {0};
	int code = EXIT_USAGE;

	if (o->words.n != 2) {
		err_set(&err, ERR_USAGE, "", "diff compares two moments");
		err_cure(&err, "railtop diff A.rts B.rts, or railtop diff A.rts@02:13 @-5m");
		err_print(&err);
		return EXIT_USAGE;
	}
	if (diff_side_open(&a, o->words.at[0], NULL, &err) &&
		diff_side_open(&b, o->words.at[1], a.file.path, &err) &&
		diff_side_match(&a, &b, &err)) {
		note_names(&a, &b);
		code = print_report(o, &a, &b);
	} else {
		err_print(&err);
	}
	diff_side_close(&a);
	diff_side_close(&b);
	return code;
}
