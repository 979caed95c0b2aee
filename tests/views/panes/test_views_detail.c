/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <string.h>

#include "base/str.h"
#include "tests/views/support/fixture.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void port_has_eight_priorities_and_both_ends(void **state)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 300000},
		{.device = "node000", .port = "mlx5_2", .pfc_frames = 100},
	};
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("port");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, faults, COUNT(faults));
	fix_poll(m, 1, faults, COUNT(faults));
	ctx.scope = fix_port_ref(m, "leaf-r2-00", "Ethernet0");
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 8);
	assert_cell(&ctx, v, rows.at[3], "prio", "3");
	assert_cell(&ctx, v, rows.at[3], "class", "lossless");
	assert_cell(&ctx, v, rows.at[4], "class", "lossy");
	assert_cell(&ctx, v, rows.at[3], "paused_rx", "30%!");
	assert_cell(&ctx, v, rows.at[3], "far_paused_rx", "<=1%");
	assert_cell(&ctx, v, rows.at[3], "bytes", "25.0G");
	assert_cell(&ctx, v, rows.at[3], "wd", "ok");
	assert_cell(&ctx, v, rows.at[3], "far_wd", "-");
	/* nothing was said about priority 4 */
	assert_cell(&ctx, v, rows.at[4], "pfc_rx", "-");
	assert_cell(&ctx, v, rows.at[4], "paused_rx", "-");
	assert_cell(&ctx, v, rows.at[4], "drops", "-");
	assert_true(v->enter(&ctx, rows.at[3], &target, &scope));
	assert_string_equal(target, "priority");
	assert_int_equal(scope.kind, REF_PRIORITY);
	assert_int_equal(scope.priority, 3);
	vec_free(&rows);
	model_free(m);
}

static void pfc_that_differs_from_the_plan_is_marked(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	struct port *p = fix_port(m, "leaf-r0-00", "Ethernet0");
	struct ref row = {.kind = REF_PRIORITY, .port = p->id, .priority = 3};

	(void)state;
	p->pfc_enabled = 1U << 8 | 1U << 4;
	assert_cell(&ctx, fix_view("port"), row, "class", "lossless!");
	row.priority = 4;
	assert_cell(&ctx, fix_view("port"), row, "class", "lossy!");
	row.priority = 5;
	assert_cell(&ctx, fix_view("port"), row, "class", "lossy");
	model_free(m);
}

static void unstated_priorities_are_judged_and_shown_alike(void **state)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 300000},
	};
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	struct port *p = fix_port(m, "leaf-r2-00", "Ethernet0");
	struct ref row = {.kind = REF_PRIORITY, .port = p->id, .priority = 3};

	(void)state;
	m->lossless.priorities = 0;
	fix_poll(m, 0, faults, COUNT(faults));
	fix_poll(m, 1, faults, COUNT(faults));
	assert_cell(&ctx, fix_view("port"), row, "class", "lossless");
	assert_cell(&ctx, fix_view("leaf"), fix_port_ref(m, "leaf-r2-00", "Ethernet0"), "paused_rx",
		"30%!");
	assert_string_equal(
		port_health(m, p, ctx.now_us).why, "paused 30% of the time by its peer");
	row.priority = 4;
	assert_cell(&ctx, fix_view("port"), row, "class", "lossy");
	model_free(m);
}

static void priority_lists_every_counter_of_the_queue(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 3);
	const struct view_ops *v = fix_view("priority");
	size_t prio_counters = 0, found = 0;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, NULL, 0);
	fix_poll(m, 1, NULL, 0);
	ctx.scope = (struct ref){.kind = REF_PRIORITY,
		.port = fix_port(m, "leaf-r2-00", "Ethernet0")->id,
		.priority = 3};
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		prio_counters += counter_info[id].dim == DIM_PRIO;
	rows = fix_rows(&ctx, v);
	/* and the port's own discards, which the fixture reports */
	assert_int_equal(rows.n, prio_counters + 1);
	for (size_t i = 0; i < rows.n; i++) {
		struct view_cell name = fix_cell(&ctx, v, rows.at[i], "counter");

		if (str_eq(name.text, "queue_tx_bytes")) {
			assert_cell(&ctx, v, rows.at[i], "value", "1025000000000");
			assert_cell(&ctx, v, rows.at[i], "rate", "25.0G");
			assert_cell(&ctx, v, rows.at[i], "valid", "ok");
			assert_cell(&ctx, v, rows.at[i], "age", "<10s");
			assert_cell(&ctx, v, rows.at[i], "unit", "bytes");
			assert_cell(&ctx, v, rows.at[i], "meaning",
				counter_info[CTR_QUEUE_TX_BYTES].help);
			found++;
		}
		if (str_eq(name.text, "pg_drops")) {
			assert_cell(&ctx, v, rows.at[i], "value", "-");
			assert_cell(&ctx, v, rows.at[i], "rate", "-");
			assert_cell(&ctx, v, rows.at[i], "valid", "unknown");
			assert_cell(&ctx, v, rows.at[i], "age", "-");
			found++;
		}
	}
	assert_int_equal(found, 2);
	vec_free(&rows);
	model_free(m);
}

static struct ref find_row(
	const struct view_ctx *ctx, const struct view_ops *v, const char *column, const char *text)
{
	row_vec rows = fix_rows(ctx, v);
	struct ref found = {.kind = REF_NONE};

	for (size_t i = 0; i < rows.n; i++) {
		struct view_cell cell = fix_cell(ctx, v, rows.at[i], column);

		if (str_eq(cell.text, text))
			found = rows.at[i];
	}
	vec_free(&rows);
	assert_int_not_equal(found.kind, REF_NONE);
	return found;
}

static void links_show_both_directions_and_wiring(void **state)
{
	static const struct fault faults[] = {
		{.device = "leaf-r4-00", .port = "Ethernet4", .pfc_us = 120000},
		{.device = "node000",
			.port = "mlx5_1",
			.lldp_device = "leaf-r2-00",
			.lldp_port = "Ethernet0"},
	};
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = fix_view("links");
	const char *target = NULL;
	struct ref row, scope;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, faults, COUNT(faults));
	fix_poll(m, 1, faults, COUNT(faults));
	rows = fix_rows(&ctx, v);
	assert_true(rows.n >= 32);
	vec_free(&rows);
	row = find_row(&ctx, v, "a", "node001:mlx5_4");
	assert_cell(&ctx, v, row, "b", "leaf-r4-00:Ethernet4");
	assert_cell(&ctx, v, row, "rail", "4");
	assert_cell(&ctx, v, row, "wiring", "ok");
	assert_cell(&ctx, v, row, "ab", "200G");
	assert_cell(&ctx, v, row, "ba", "200G");
	assert_cell(&ctx, v, row, "oper", "up/up");
	/* the leaf was held by the NIC: that is the way from b to a */
	assert_cell(&ctx, v, row, "paused_ba", "12%!");
	assert_cell(&ctx, v, row, "state", "WARN");
	assert_true(v->enter(&ctx, row, &target, &scope));
	assert_string_equal(target, "port");
	assert_int_equal(scope.kind, REF_PORT);
	assert_int_equal(scope.port, fix_port(m, "node001", "mlx5_4")->id);
	row = find_row(&ctx, v, "a", "node000:mlx5_1");
	assert_cell(&ctx, v, row, "wiring", "miswired");
	model_free(m);
}

static void events_are_newest_first_and_lead_on(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 5);
	const struct view_ops *v = fix_view("events");
	struct port *p = fix_port(m, "leaf-r0-00", "Ethernet0");
	struct device *d = model_device(m, "spine-001");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	model_add_event(m, fix_time(1), EV_LINK_DOWN, model_dev_of(m, p), p, -1, fix_time(0),
		"cable \x1b[31mred");
	model_add_event(m, fix_time(2), EV_REBOOT, d, NULL, -1, 0, "again");
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 2);
	assert_cell(&ctx, v, rows.at[0], "kind", "reboot");
	assert_cell(&ctx, v, rows.at[0], "where", "spine-001");
	assert_cell(&ctx, v, rows.at[0], "device_time", "-");
	assert_cell(&ctx, v, rows.at[0], "prio", "-");
	assert_cell(&ctx, v, rows.at[1], "state", "CRIT");
	assert_cell(&ctx, v, rows.at[1], "time", "22:13:21");
	assert_cell(&ctx, v, rows.at[1], "device_time", "22:13:20");
	assert_cell(&ctx, v, rows.at[1], "where", "leaf-r0-00:Ethernet0");
	assert_null(strchr(fix_cell(&ctx, v, rows.at[1], "text").text, 27));
	assert_true(v->enter(&ctx, rows.at[0], &target, &scope));
	assert_string_equal(target, "device");
	assert_true(v->enter(&ctx, rows.at[1], &target, &scope));
	assert_string_equal(target, "port");
	/* an event that has fallen out of the ring */
	assert_false(v->enter(&ctx, (struct ref){.kind = REF_EVENT, .seq = 99}, &target, &scope));
	ctx.now_us = fix_time(100000);
	assert_cell(&ctx, v, rows.at[1], "time", "2023-11-14");
	vec_free(&rows);
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(port_has_eight_priorities_and_both_ends),
		cmocka_unit_test(pfc_that_differs_from_the_plan_is_marked),
		cmocka_unit_test(unstated_priorities_are_judged_and_shown_alike),
		cmocka_unit_test(priority_lists_every_counter_of_the_queue),
		cmocka_unit_test(links_show_both_directions_and_wiring),
		cmocka_unit_test(events_are_newest_first_and_lead_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
