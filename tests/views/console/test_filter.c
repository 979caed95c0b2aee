/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/console/console_private.h"

/* A console without a terminal: one page, its rows and its filter. */
struct desk {
	struct console c;
	struct page page;
};

static struct desk desk_open(struct model *m, const char *view, bool cache)
{
	struct desk d = {.c = {.model = m, .cache = cache ? view_cache_new() : NULL}};

	d.page.view = fix_view(view);
	table_init(&d.page.table);
	return d;
}

static void desk_close(struct desk *d)
{
	(void)page_set_filter(&d->page, "", NULL);
	vec_free(&d->page.rows);
	page_texts_free(&d->page);
	vec_free(&d->c.pages);
	vec_free(&d->c.arrangements);
	view_cache_free(d->c.cache);
	model_free(d->c.model);
}

/* Rows that the filter leaves at second s. */
static size_t rows_with(struct desk *d, int s, const char *filter)
{
	struct err err = {0};

	if (!d->c.pages.n)
		vec_push(&d->c.pages, &d->page);
	d->c.now_us = fix_time(s);
	assert_true(page_set_filter(&d->page, filter, &err));
	page_refresh(&d->c, &d->page);
	return d->page.rows.n;
}

CASE(free_text_looks_into_every_cell)
{
	for (int cache = 0; cache < 2; cache++) {
		struct desk d = desk_open(fix_model(), "links", cache);

		(void)state;
		fix_poll(d.c.model, 0, NULL, 0);
		fix_poll(d.c.model, 1, NULL, 0);
		assert_int_equal(rows_with(&d, 1, ""), 32);
		assert_int_equal(rows_with(&d, 1, "LEAF-R3"), 4);
		assert_int_equal(rows_with(&d, 1, "node001"), 8);
		assert_int_equal(rows_with(&d, 1, "up/up 200g"), 32);
		assert_int_equal(rows_with(&d, 1, "spine-000|spine-001 leaf-r7"), 2);
		assert_int_equal(rows_with(&d, 1, "!spine"), 16);
		assert_int_equal(rows_with(&d, 1, "nothing"), 0);
		/* Two cells side by side are not one. */
		assert_int_equal(rows_with(&d, 1, "mlx5_3leaf"), 0);
		assert_int_equal(rows_with(&d, 1, "\"mlx5_3 leaf\""), 0);
		assert_int_equal(rows_with(&d, 1, "\"mlx5_3\nleaf\""), 0);
		desk_close(&d);
	}
}

CASE(kept_text_follows_the_data)
{
	static const struct fault slow[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .load = 0.25, .pfc_us = 333000},
		{.device = "node000", .port = "mlx5_2", .load = 0.25},
		{.device = "node000",
			.port = "mlx5_5",
			.lldp_device = "leaf-r4-00",
			.lldp_port = "Ethernet0"},
	};
	/* 4 * 300 ms less 3 * 333 ms: 20 % in the last second */
	static const struct fault less[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .load = 0.25, .pfc_us = 300000}};
	struct desk d = desk_open(fix_model(), "links", true);

	fix_poll(d.c.model, 0, NULL, 0);
	fix_poll(d.c.model, 1, NULL, 0);
	assert_int_equal(rows_with(&d, 1, "33%"), 0);
	assert_int_equal(rows_with(&d, 1, "miswired"), 0);
	fix_poll(d.c.model, 2, slow, 3);
	fix_poll(d.c.model, 3, slow, 3);
	assert_int_equal(rows_with(&d, 3, "33%"), 1);
	assert_int_equal(rows_with(&d, 3, "paused"), 1);
	/* The planned link of the NIC, and the links of its new neighbour. */
	assert_true(rows_with(&d, 3, "miswired") >= 1);
	/* One device only: the other end of its links keeps its values. */
	fix_poll_device(d.c.model, model_device(d.c.model, "leaf-r2-00"), 4, less, 1);
	assert_int_equal(rows_with(&d, 4, "33%"), 0);
	assert_int_equal(rows_with(&d, 4, "20%"), 1);
	/* Nothing arrives: after a while the numbers are of the past. */
	assert_int_equal(rows_with(&d, 4, "\"~\""), 0);
	(void)model_age(d.c.model, fix_time(3600));
	assert_true(rows_with(&d, 3600, "\"~\"") > 0);
	desk_close(&d);
}

/* Widths of rows that are not shown any more would keep columns away from those that are. */
CASE(other_rows_are_measured_anew)
{
	struct desk d = desk_open(fix_model(), "links", false);
	struct table_state *t = &d.page.table;
	struct err err = {0};

	(void)state;
	fix_poll(d.c.model, 0, NULL, 0);
	assert_int_equal(rows_with(&d, 0, ""), 32);
	t->need[0] = t->need[3] = 40;
	assert_int_equal(rows_with(&d, 0, "node001"), 8);
	assert_int_equal(t->need[0] + t->need[3], 0);
	t->need[0] = 40;
	assert_true(page_set_sort(&d.page, "b", &err));
	assert_int_equal(t->need[0], 0);
	t->need[0] = 40;
	console_sort_reverse(&d.c);
	assert_int_equal(t->need[0], 0);
	/* New answers for the same rows leave the layout calm. */
	t->need[0] = 40;
	fix_poll(d.c.model, 1, NULL, 0);
	d.c.now_us = fix_time(1);
	page_refresh(&d.c, &d.page);
	assert_int_equal(t->need[0], 40);
	desk_close(&d);
}

/* Columns of racks are there with racks only; what the operator hides stays hidden. */
CASE(columns_with_nothing_to_show_are_hidden)
{
	struct desk d = desk_open(fix_model(), "links", false);
	struct table_state *t = &d.page.table;
	int rack = -1;

	(void)state;
	for (size_t i = 0; i < d.page.view->ncolumns; i++)
		if (str_eq(d.page.view->columns[i].id, "rack_a"))
			rack = (int)i;
	assert_true(rack > 0);
	fix_poll(d.c.model, 0, NULL, 0);
	assert_int_equal(rows_with(&d, 0, ""), 32);
	assert_true(t->hidden >> rack & 1);
	d.c.model->has_racks = true;
	assert_int_equal(rows_with(&d, 0, ""), 32);
	assert_false(t->hidden >> rack & 1);
	t->hidden |= UINT64_C(1) << rack;
	assert_int_equal(rows_with(&d, 0, ""), 32);
	assert_true(t->hidden >> rack & 1);
	desk_close(&d);
}

CASE(kept_text_belongs_to_its_row)
{
	struct desk d = desk_open(fix_model(), "leaf", true);

	fix_poll(d.c.model, 0, NULL, 0);
	d.page.scope = fix_device_ref(d.c.model, "leaf-r2-00");
	assert_int_equal(rows_with(&d, 0, "mlx5_2"), 2);
	/* The same places, other ports. */
	d.page.scope = fix_device_ref(d.c.model, "leaf-r3-00");
	assert_int_equal(rows_with(&d, 0, "mlx5_2"), 0);
	assert_int_equal(rows_with(&d, 0, "mlx5_3"), 2);
	desk_close(&d);
}

CASES_MAIN(NULL, NULL)
