/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "tests/views/support/fixture.h"
#include "views/rows.h"

/* 2 hosts of 8, 8 leaves of 4, 2 spines of 8. */
#define PORTS (2 * 8 + 8 * 4 + 2 * 8)

static const struct fault held[] = {
	{.device = "leaf-r3-00", .port = "Ethernet0", .load = 0.3, .pfc_us = 310000}};

static struct model *polled(void)
{
	struct model *m = fix_model();

	fix_poll(m, 0, held, 1);
	fix_poll(m, 1, held, 1);
	return m;
}

/* Rows of the scope that match. */
static size_t matching(const struct view_ctx *ctx, const char *where, row_vec *rows)
{
	const struct view_ops *v = fix_view("ports");
	struct err err = {0};
	struct query *q = query_parse(where, &err);

	assert_non_null(q);
	assert_true(view_query_check(v, q, &err));
	rows->n = 0;
	v->rows(ctx, rows);
	view_keep_rows(ctx, v, q, rows);
	query_free(q);
	return rows->n;
}

static void every_port_or_those_of_a_place(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("ports");
	row_vec rows = {0};

	(void)state;
	v->rows(&ctx, &rows);
	assert_int_equal(rows.n, PORTS);
	vec_free(&rows);
	ctx.scope = (struct ref){.kind = REF_RAIL, .rail = 3};
	v->rows(&ctx, &rows);
	/* The leaf's four, both NICs and both spines' ports of the rail. */
	assert_int_equal(rows.n, 8);
	vec_free(&rows);
	ctx.scope = fix_device_ref(m, "spine-001");
	v->rows(&ctx, &rows);
	assert_int_equal(rows.n, 8);
	vec_free(&rows);
	ctx.scope = (struct ref){.kind = REF_TIER, .tier = TIER_LEAF};
	v->rows(&ctx, &rows);
	assert_int_equal(rows.n, 32);
	vec_free(&rows);
	model_free(m);
}

static void the_query_of_the_issue(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	row_vec rows = {0};

	(void)state;
	assert_int_equal(matching(&ctx, "rail=3 pfc_rx.paused>1%", &rows), 1);
	assert_int_equal(rows.at[0].port, fix_port(m, "leaf-r3-00", "Ethernet0")->id);
	assert_int_equal(matching(&ctx, "rail=2 pfc_rx.paused>1%", &rows), 0);
	assert_int_equal(matching(&ctx, "pfc_rx.paused>40%", &rows), 0);
	assert_int_equal(matching(&ctx, "tier=leaf device~r[34]", &rows), 8);
	/* Unknown is no match, and neither is its contrary. */
	assert_int_equal(matching(&ctx, "rx_power<-3", &rows), 0);
	assert_int_equal(matching(&ctx, "!rx_power<-3", &rows), 0);
	vec_free(&rows);
	model_free(m);
}

static void columns_have_other_names(void **state)
{
	const struct view_ops *v = fix_view("ports");
	struct query *q = query_parse("colour.of=red", NULL);
	struct err err = {0};

	(void)state;
	assert_int_equal(view_column(v, "pfc_rx.paused"), (int)fix_column(v, "paused_rx"));
	assert_int_equal(view_column(v, "pfc_tx.paused"), (int)fix_column(v, "paused_tx"));
	assert_int_equal(view_column(v, "device"), 0);
	assert_int_equal(view_column(v, "colour"), -1);
	/* Where there is no such column, its other name leads nowhere either. */
	assert_int_equal(view_column(fix_view("events"), "pfc_rx.paused"), -1);
	assert_false(view_query_check(v, q, &err));
	assert_non_null(strstr(err.cure, "device, port, tier"));
	query_free(q);
}

static void a_paused_priority_is_named(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("ports");
	struct view_cell c = fix_cell(&ctx, v, fix_port_ref(m, "leaf-r3-00", "Ethernet0"), "prios");

	(void)state;
	assert_true(str_starts(c.text, "3:31%/"));
	assert_true(c.number > 30 && c.number < 32);
	c = fix_cell(&ctx, v, fix_port_ref(m, "leaf-r3-00", "Ethernet4"), "prios");
	assert_string_equal(c.text, "none");
	assert_cell(&ctx, v, fix_port_ref(m, "leaf-r3-00", "Ethernet4"), "device", "leaf-r3-00");
	assert_cell(&ctx, v, fix_port_ref(m, "leaf-r3-00", "Ethernet4"), "tier", "leaf");
	assert_cell(&ctx, v, fix_port_ref(m, "leaf-r3-00", "Ethernet4"), "rail", "3");
	model_free(m);
}

/* A cached row must be read again when its device, its peer's or the mark has changed. */
static void the_stamp_follows_what_is_shown(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("ports");
	struct ref row = fix_port_ref(m, "leaf-r3-00", "Ethernet0");
	uint64_t stamp;

	(void)state;
	assert_int_equal(v->stamp(&ctx, row), 0);
	ctx.cache = view_cache_new();
	stamp = v->stamp(&ctx, row);
	assert_int_not_equal(stamp, 0);
	assert_int_equal(v->stamp(&ctx, row), stamp);
	fix_poll_device(m, model_device(m, "leaf-r3-00"), 2, NULL, 0);
	ctx.now_us = fix_time(2);
	assert_int_not_equal(v->stamp(&ctx, row), stamp);
	stamp = v->stamp(&ctx, row);
	fix_poll_device(m, model_device(m, "node000"), 2, NULL, 0);
	assert_int_not_equal(v->stamp(&ctx, row), stamp);
	stamp = v->stamp(&ctx, row);
	assert_true(model_mark(m, "one", ctx.now_us, NULL));
	assert_int_not_equal(v->stamp(&ctx, row), stamp);
	view_cache_free(ctx.cache);
	model_free(m);
}

static void enter_shows_the_link(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	const char *view = NULL;
	struct ref scope = {0};

	(void)state;
	assert_true(fix_view("ports")->enter(
		&ctx, fix_port_ref(m, "leaf-r3-00", "Ethernet0"), &view, &scope));
	assert_string_equal(view, "port");
	assert_int_equal(scope.kind, REF_PORT);
	/* A tier's name leads to its ports. */
	assert_ptr_equal(view_for_ref(m, (struct ref){.kind = REF_TIER}), fix_view("ports"));
	model_free(m);
}

static void order_is_stable_and_unknown_is_last(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("ports");
	uint32_t worst = fix_port(m, "leaf-r3-00", "Ethernet0")->id;
	row_vec rows = {0};

	(void)state;
	v->rows(&ctx, &rows);
	for (int way = 0; way < 2; way++) {
		struct view_cell last;

		view_sort_rows(&ctx, v, fix_column(v, "paused_rx"), way, &rows);
		last = fix_cell(&ctx, v, rows.at[rows.n - 1], "paused_rx");
		assert_true(way == 0 || rows.at[0].port == worst);
		/* Hosts of the fixture do not count pauses, or all do: then the last is a number.
		 */
		assert_true(last.text[0] != '\0');
	}
	view_sort_rows(&ctx, v, fix_column(v, "oper"), false, &rows);
	/* All alike: as before. */
	assert_int_equal(rows.at[0].port, worst);
	vec_free(&rows);
	model_free(m);
}

/* The promise of the order for two neighbouring rows; was: their places before. */
static void assert_in_order(const struct view_cell *a, const struct view_cell *b, bool descending,
	size_t was_a, size_t was_b)
{
	bool ua = !a->has_number || isnan(a->number), ub = !b->has_number || isnan(b->number);
	bool dash_a = ua && str_eq(a->text, "-"), dash_b = ub && str_eq(b->text, "-");
	double c = 0;

	/* Numbers, then words, then unknown values. */
	assert_true(ua <= ub && dash_a <= dash_b);
	if (ua != ub || dash_a != dash_b)
		return;
	c = ua ? str_natcmp(a->text, b->text) : a->number - b->number;
	assert_true(descending ? c >= 0 : c <= 0);
	assert_true(c != 0 || was_a < was_b);
}

static size_t place_in(const row_vec *rows, struct ref r)
{
	size_t i = 0;

	while (i < rows->n && !ref_eq(rows->at[i], r))
		i++;
	assert_true(i < rows->n);
	return i;
}

static void every_column_sorts_both_ways(void **state)
{
	struct model *m = polled();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("ports");
	row_vec before = fix_rows(&ctx, v), rows = {0};

	(void)state;
	for (size_t k = 0; k < 2 * v->ncolumns; k++) {
		const char *id = v->columns[k / 2].id;

		rows.n = 0;
		for (size_t i = 0; i < before.n; i++)
			vec_push(&rows, before.at[i]);
		view_sort_rows(&ctx, v, k / 2, k % 2, &rows);
		assert_int_equal(rows.n, before.n);
		for (size_t i = 0; i + 1 < rows.n; i++) {
			struct view_cell a = fix_cell(&ctx, v, rows.at[i], id);
			struct view_cell b = fix_cell(&ctx, v, rows.at[i + 1], id);

			assert_in_order(&a, &b, k % 2, place_in(&before, rows.at[i]),
				place_in(&before, rows.at[i + 1]));
		}
	}
	vec_free(&before);
	vec_free(&rows);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_port_or_those_of_a_place),
		cmocka_unit_test(the_query_of_the_issue),
		cmocka_unit_test(columns_have_other_names),
		cmocka_unit_test(a_paused_priority_is_named),
		cmocka_unit_test(the_stamp_follows_what_is_shown),
		cmocka_unit_test(enter_shows_the_link),
		cmocka_unit_test(order_is_stable_and_unknown_is_last),
		cmocka_unit_test(every_column_sorts_both_ways),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
