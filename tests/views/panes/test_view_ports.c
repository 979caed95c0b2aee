/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/rows.h"

/* 2 hosts of 8, 8 leaves of 4, 2 spines of 8. */
#define PORTS (2 * 8 + 8 * 4 + 2 * 8)

static const struct fault held[] = {
	{.device = "leaf-r3-00", .port = "Ethernet0", .load = 0.3, .pfc_us = 310000}};

static int held_open(void **state)
{
	int code = fix_open(state);

	fix_polls(((struct fix *)*state)->m, held, 1);
	return code;
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

CASE_WITH(every_port_or_those_of_a_place, held_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("ports");

	assert_int_equal(fix_list(x, v), PORTS);
	x->ctx.scope = (struct ref){.kind = REF_RAIL, .rail = 3};
	/* The leaf's four, both NICs and both spines' ports of the rail. */
	assert_int_equal(fix_list(x, v), 8);
	x->ctx.scope = fix_device_ref(x->m, "spine-001");
	assert_int_equal(fix_list(x, v), 8);
	x->ctx.scope = (struct ref){.kind = REF_TIER, .tier = TIER_LEAF};
	assert_int_equal(fix_list(x, v), 32);
}

CASE_WITH(the_query_of_the_issue, held_open, fix_close)
{
	struct fix *x = *state;

	assert_int_equal(matching(&x->ctx, "rail=3 pfc_rx.paused>1%", &x->rows), 1);
	assert_int_equal(x->rows.at[0].port, fix_port(x->m, "leaf-r3-00", "Ethernet0")->id);
	assert_int_equal(matching(&x->ctx, "rail=2 pfc_rx.paused>1%", &x->rows), 0);
	assert_int_equal(matching(&x->ctx, "pfc_rx.paused>40%", &x->rows), 0);
	assert_int_equal(matching(&x->ctx, "tier=leaf device~r[34]", &x->rows), 8);
	/* Unknown is no match, and neither is its contrary. */
	assert_int_equal(matching(&x->ctx, "rx_power<-3", &x->rows), 0);
	assert_int_equal(matching(&x->ctx, "!rx_power<-3", &x->rows), 0);
}

CASE(columns_have_other_names)
{
	const struct view_ops *v = fix_view("ports");
	struct query *q = query_parse("colour.of=red", NULL);
	struct err err = {0};

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

CASE_WITH(a_paused_priority_is_named, held_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("ports");
	struct view_cell c =
		fix_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r3-00", "Ethernet0"), "prios");

	assert_true(str_starts(c.text, "3:31%/"));
	assert_true(c.number > 30 && c.number < 32);
	c = fix_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r3-00", "Ethernet4"), "prios");
	assert_string_equal(c.text, "none");
	assert_cell(
		&x->ctx, v, fix_port_ref(x->m, "leaf-r3-00", "Ethernet4"), "device", "leaf-r3-00");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r3-00", "Ethernet4"), "tier", "leaf");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r3-00", "Ethernet4"), "rail", "3");
}

/* A cached row must be read again when its device, its peer's or the mark has changed. */
CASE_WITH(the_stamp_follows_what_is_shown, held_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("ports");
	struct ref row = fix_port_ref(x->m, "leaf-r3-00", "Ethernet0");
	uint64_t stamp;

	assert_int_equal(v->stamp(&x->ctx, row), 0);
	x->ctx.cache = view_cache_new();
	stamp = v->stamp(&x->ctx, row);
	assert_int_not_equal(stamp, 0);
	assert_int_equal(v->stamp(&x->ctx, row), stamp);
	fix_poll_device(x->m, model_device(x->m, "leaf-r3-00"), 2, NULL, 0);
	x->ctx.now_us = fix_time(2);
	assert_int_not_equal(v->stamp(&x->ctx, row), stamp);
	stamp = v->stamp(&x->ctx, row);
	fix_poll_device(x->m, model_device(x->m, "node000"), 2, NULL, 0);
	assert_int_not_equal(v->stamp(&x->ctx, row), stamp);
	stamp = v->stamp(&x->ctx, row);
	assert_true(model_mark(x->m, "one", x->ctx.now_us, NULL));
	assert_int_not_equal(v->stamp(&x->ctx, row), stamp);
}

CASE_WITH(enter_shows_the_link, held_open, fix_close)
{
	struct fix *x = *state;

	fix_leads(x, fix_view("ports"), fix_port_ref(x->m, "leaf-r3-00", "Ethernet0"), "port");
	assert_int_equal(x->scope.kind, REF_PORT);
	/* A tier's name leads to its ports. */
	assert_ptr_equal(view_for_ref(x->m, (struct ref){.kind = REF_TIER}), fix_view("ports"));
}

CASE_WITH(order_is_stable_and_unknown_is_last, held_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("ports");
	uint32_t worst = fix_port(x->m, "leaf-r3-00", "Ethernet0")->id;

	v->rows(&x->ctx, &x->rows);
	for (int way = 0; way < 2; way++) {
		struct view_cell last;

		view_sort_rows(&x->ctx, v, fix_column(v, "paused_rx"), way, &x->rows);
		last = fix_cell(&x->ctx, v, x->rows.at[x->rows.n - 1], "paused_rx");
		assert_true(way == 0 || x->rows.at[0].port == worst);
		/* Hosts of the fixture do not count pauses, or all do: then the last is a number.
		 */
		assert_true(last.text[0] != '\0');
	}
	view_sort_rows(&x->ctx, v, fix_column(v, "oper"), false, &x->rows);
	/* All alike: as before. */
	assert_int_equal(x->rows.at[0].port, worst);
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

CASE_WITH(every_column_sorts_both_ways, held_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("ports");
	row_vec before = fix_rows(&x->ctx, v);

	for (size_t k = 0; k < 2 * v->ncolumns; k++) {
		const char *id = v->columns[k / 2].id;

		x->rows.n = 0;
		for (size_t i = 0; i < before.n; i++)
			vec_push(&x->rows, before.at[i]);
		view_sort_rows(&x->ctx, v, k / 2, k % 2, &x->rows);
		assert_int_equal(x->rows.n, before.n);
		for (size_t i = 0; i + 1 < x->rows.n; i++) {
			struct view_cell a = fix_cell(&x->ctx, v, x->rows.at[i], id);
			struct view_cell b = fix_cell(&x->ctx, v, x->rows.at[i + 1], id);

			assert_in_order(&a, &b, k % 2, place_in(&before, x->rows.at[i]),
				place_in(&before, x->rows.at[i + 1]));
		}
	}
	vec_free(&before);
}

CASES_MAIN(NULL, NULL)
