/* SPDX-License-Identifier: Apache-2.0 */
/* The map of the cluster: a leaf stands under its own label at every width. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/support/cases.h"
#include "views/panels/cluster_panel.h"

/* A fabric of one or more rails, each with its own number of leaves. */
static struct model *fabric_of(struct plan *plan, const int *leaves, int rails)
{
	plan_init(plan);
	(void)str_copy(plan->fabric, sizeof(plan->fabric), "t");
	plan->rails = (unsigned)rails;
	for (int r = 0; r < rails; r++) {
		for (int i = 0; i < leaves[r]; i++) {
			struct plan_device *d = vec_add(&plan->devices);

			(void)str_printf(d->name, sizeof(d->name), "leaf-r%d-%03d", r, i);
			d->tier = TIER_LEAF;
			d->rail = r;
			d->dialect = mem_strdup("sonic");
			d->transport = mem_strdup("ssh");
			d->address = mem_strdup(d->name);
		}
	}
	return model_new(plan);
}

/* The column in which a failure of that leaf is seen; -1: none, or several. */
static int column_of(const struct heat *h, struct model *m, const char *leaf, int row)
{
	struct device *d = model_device(m, leaf);
	enum dev_state before;
	int found = -1, n = 0;

	assert_non_null(d);
	before = d->state;
	d->state = DEV_UNREACHABLE;
	for (int c = 0; c < h->columns; c++) {
		struct table_cell cell = {0};

		heat_cell(h, row, c, &cell);
		if (cell.role != role_of_severity(SEV_CRIT) &&
			cell.role != role_of_severity(SEV_WARN))
			continue;
		found = c;
		n++;
	}
	d->state = before;
	return n == 1 ? found : -1;
}

/* The first leaf of the column, as its label says. */
static int number_at(const struct heat *h, int column)
{
	char label[40];

	if (column >= h->columns)
		return INT32_MAX;
	heat_column_label(h, column, label, sizeof(label));
	/* A label that is wider than its cell would be cut to another number. */
	assert_true((int)strlen(label) <= h->cell_width);
	return atoi(label);
}

static void check_width(struct model *m, const int *leaves, int rails, int width)
{
	struct view_ctx ctx = {.model = m, .now_us = 1};
	struct heat h;

	heat_init(&h, &ctx, width);
	for (int r = 0; r < rails; r++) {
		for (int i = 0; i < leaves[r]; i++) {
			char name[32];
			int c;

			(void)str_printf(name, sizeof(name), "leaf-r%d-%03d", r, i);
			c = column_of(&h, m, name, r);
			if (c < 0 || i < number_at(&h, c) || i >= number_at(&h, c + 1))
				fail_msg("width %d: leaf %d of rail %d is in column %d", width, i,
					r, c);
		}
	}
	heat_free(&h);
}

static void check_all_widths(const int *leaves, int rails)
{
	struct plan plan;
	struct model *m = fabric_of(&plan, leaves, rails);

	for (int width = 20; width < 200; width += 4)
		check_width(m, leaves, rails, width);
	model_free(m);
	plan_free(&plan);
}

/* One dark leaf is a failure; where no device answers, nothing is known of any. */
CASE(a_dark_fabric_is_unknown_on_the_map)
{
	struct plan plan;
	struct model *m = fabric_of(&plan, (const int[]){1, 1}, 2);
	struct view_ctx ctx = {.model = m, .now_us = 1};
	struct table_cell cell = {0};
	struct heat h;

	model_device(m, "leaf-r1-000")->state = DEV_UNREACHABLE;
	model_device(m, "leaf-r0-000")->state = DEV_FRESH;
	heat_init(&h, &ctx, 80);
	heat_cell(&h, 1, 0, &cell);
	assert_string_equal(cell.text, "C");
	heat_free(&h);
	for (size_t i = 0; i < m->devices.n; i++)
		m->devices.at[i]->state = DEV_UNREACHABLE;
	heat_init(&h, &ctx, 80);
	heat_cell(&h, 1, 0, &cell);
	assert_string_equal(cell.text, "?");
	assert_int_equal(cell.role, role_of_severity(SEV_CRIT));
	heat_free(&h);
	model_free(m);
	plan_free(&plan);
}

/* Where rows have no room, those that are calm go; the others keep their order. */
CASE(rows_with_trouble_stay)
{
	struct plan plan;
	struct model *m = fabric_of(&plan, (const int[]){1, 1, 1, 1, 1}, 5);
	struct view_ctx ctx = {.model = m, .now_us = 1};
	struct heat h;

	for (size_t i = 0; i < m->devices.n; i++)
		m->devices.at[i]->state = DEV_FRESH;
	model_device(m, "leaf-r1-000")->state = DEV_UNREACHABLE;
	heat_init(&h, &ctx, 80);
	h.cause = model_device(m, "leaf-r4-000");
	assert_int_equal(heat_keep(&h, 9), 5);
	assert_int_equal(heat_keep(&h, 3), 3);
	assert_int_equal(h.kept.at[0], 0);
	assert_int_equal(h.kept.at[1], 1);
	assert_int_equal(h.kept.at[2], 4);
	assert_int_equal(heat_keep(&h, 1), 1);
	assert_int_equal(h.kept.at[0], 4);
	assert_int_equal(heat_keep(&h, 0), 0);
	heat_free(&h);
	model_free(m);
	plan_free(&plan);
}

CASE(sixteen_leaves)
{
	check_all_widths((const int[]){16, 16}, 2);
}

CASE(rails_of_different_length)
{
	check_all_widths((const int[]){16, 5, 8, 1}, 4);
}

CASE(more_leaves_than_two_digits)
{
	check_all_widths((const int[]){128}, 1);
}

CASES_MAIN(NULL, NULL)
