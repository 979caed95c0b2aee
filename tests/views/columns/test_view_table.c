/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

CASE(one_line_is_one_view)
{
	FILE *f = fopen("views/views.def", "r");
	size_t lines = 0;
	char line[256];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		lines += str_starts(line, "VIEW(");
	fclose(f);
	assert_true(lines > 0);
	assert_int_equal(view_count, lines);
}

static void check_column(const struct view_ops *v, size_t col)
{
	const struct table_column *c = &v->columns[col];

	assert_non_null(c->id);
	assert_non_null(c->title);
	assert_non_null(c->help);
	assert_true(c->id[0] && c->title[0] && c->help[0]);
	assert_true(c->width > 0 && c->grow >= 0 && c->priority >= 0);
	/* The title must be readable in the width that it gets. */
	assert_true(strlen(c->title) <= (size_t)c->width);
	/* A filter field: no sign of the query language in it. */
	for (const char *s = c->id; *s; s++)
		assert_true(islower((unsigned char)*s) || isdigit((unsigned char)*s) || *s == '_');
	assert_false(isdigit((unsigned char)c->id[0]));
	for (size_t other = 0; other < col; other++)
		assert_string_not_equal(c->id, v->columns[other].id);
}

CASE(every_view_is_complete)
{
	for (size_t i = 0; i < view_count; i++) {
		const struct view_ops *v = view_table[i];

		assert_non_null(v->name);
		assert_non_null(v->title);
		assert_true(strlen(v->help) > 60);
		assert_non_null(v->rows);
		assert_non_null(v->cell);
		assert_true(v->ncolumns > 0 && v->ncolumns <= TABLE_MAX_COLUMNS);
		assert_ptr_equal(view_by_name(v->name), v);
		if (v->sort)
			(void)fix_column(v, v->sort + (v->sort[0] == '-'));
		for (size_t c = 0; c < v->ncolumns; c++)
			check_column(v, c);
	}
	assert_null(view_by_name("nothing"));
	assert_null(view_by_name(""));
}

CASE(important_columns_fit_80)
{
	for (size_t i = 0; i < view_count; i++) {
		const struct view_ops *v = view_table[i];
		int width = -1;

		for (size_t c = 0; c < v->ncolumns; c++)
			if (v->columns[c].priority <= 1)
				width += v->columns[c].width + 1;
		if (width > 80)
			fail_msg("%s: columns of priority 0 and 1 take %d", v->name, width);
	}
}

/* A state that is cut reads like another one. */
CASE(states_of_devices_fit)
{
	const struct view_ops *v = fix_view("devices");
	const struct table_column *c = &v->columns[fix_column(v, "state")];

	for (int s = 0; s < DEV_STATE_COUNT; s++)
		if (strlen(dev_state_name((enum dev_state)s)) > (size_t)c->width)
			fail_msg("%s is wider than its column", dev_state_name((enum dev_state)s));
}

CASE(same_id_is_same_title)
{
	/* Tables of the same things: columns with equal names must be equal. */
	static const char *const names[] = {"cluster", "rail", "leaf", "host"};

	for (size_t i = 1; i < COUNT(names); i++)
		for (size_t c = 0; c < fix_view(names[i])->ncolumns; c++)
			for (size_t o = 0; o < fix_view(names[0])->ncolumns; o++) {
				const struct table_column *a = &fix_view(names[i])->columns[c];
				const struct table_column *b = &fix_view(names[0])->columns[o];

				if (str_eq(a->id, b->id))
					assert_string_equal(a->title, b->title);
			}
}

CASE(objects_have_their_view)
{
	struct model *m = fix_model();

	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_NONE})->name, "cluster");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_FABRIC})->name, "cluster");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_RAIL})->name, "rail");
	assert_string_equal(view_for_ref(m, fix_device_ref(m, "node000"))->name, "host");
	assert_string_equal(view_for_ref(m, fix_device_ref(m, "spine-000"))->name, "leaf");
	assert_string_equal(view_for_ref(m, fix_port_ref(m, "node000", "mlx5_0"))->name, "port");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_PRIORITY})->name, "priority");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_EVENT})->name, "events");
	model_free(m);
}

CASES_MAIN(NULL, NULL)
