/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/views/fixture.h"
#include "views/summary.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct ref device_ref(const struct model *m, const char *name)
{
	return (struct ref){.kind = REF_DEVICE, .device = model_device(m, name)->id};
}

static struct ref port_ref(const struct model *m, const char *device, const char *port)
{
	return (struct ref){.kind = REF_PORT, .port = fix_port(m, device, port)->id};
}

static const struct view_ops *view(const char *name)
{
	const struct view_ops *v = view_by_name(name);

	assert_non_null(v);
	return v;
}

#define assert_cell(ctx, v, row, column, expected)                                                 \
	do {                                                                                       \
		struct view_cell cell_ = fix_cell(ctx, v, row, column);                            \
		assert_string_equal(cell_.text, expected);                                         \
	} while (0)

/* ---- the table of views ---- */

static void one_line_is_one_view(void **state)
{
	FILE *f = fopen("views/views.def", "r");
	size_t lines = 0;
	char line[256];

	(void)state;
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

static void every_view_is_complete(void **state)
{
	(void)state;
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

static void important_columns_fit_80(void **state)
{
	(void)state;
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

static void same_id_is_same_title(void **state)
{
	/* Tables of the same things: what is called the same must be the same. */
	static const char *const names[] = {"cluster", "rail", "leaf", "host"};

	(void)state;
	for (size_t i = 1; i < COUNT(names); i++)
		for (size_t c = 0; c < view(names[i])->ncolumns; c++)
			for (size_t o = 0; o < view(names[0])->ncolumns; o++) {
				const struct table_column *a = &view(names[i])->columns[c];
				const struct table_column *b = &view(names[0])->columns[o];

				if (str_eq(a->id, b->id))
					assert_string_equal(a->title, b->title);
			}
}

/* ---- what they show ---- */

static void cluster_lists_rails_then_shared_switches(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = view("cluster");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, NULL, 0);
	fix_poll(m, 1, NULL, 0);
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 10);
	assert_int_equal(rows.at[3].kind, REF_RAIL);
	assert_int_equal(rows.at[3].rail, 3);
	assert_cell(&ctx, v, rows.at[3], "name", "rail 3");
	assert_cell(&ctx, v, rows.at[3], "leaves", "1/1");
	assert_cell(&ctx, v, rows.at[3], "ports", "4/4");
	/* two hosts at half of 400G; the uplinks are not counted again */
	assert_cell(&ctx, v, rows.at[3], "rx", "400G");
	assert_cell(&ctx, v, rows.at[3], "rx_util", "50%");
	assert_cell(&ctx, v, rows.at[3], "up_util", "50%");
	assert_cell(&ctx, v, rows.at[3], "state", "ok");
	assert_cell(&ctx, v, rows.at[8], "name", "spine-000");
	assert_true(v->enter(&ctx, rows.at[3], &target, &scope));
	assert_string_equal(target, "rail");
	assert_true(ref_eq(scope, rows.at[3]));
	assert_true(v->enter(&ctx, rows.at[8], &target, &scope));
	assert_string_equal(target, "leaf");
	assert_false(v->enter(&ctx, (struct ref){.kind = REF_NONE}, &target, &scope));
	vec_free(&rows);
	model_free(m);
}

static void rail_has_its_leaves_and_spines(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = view("rail");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	ctx.scope = (struct ref){.kind = REF_RAIL, .rail = 5};
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 3);
	assert_cell(&ctx, v, rows.at[0], "name", "leaf-r5-00");
	assert_cell(&ctx, v, rows.at[1], "name", "spine-000");
	assert_cell(&ctx, v, rows.at[1], "tier", "spine");
	/* nothing has answered yet */
	assert_cell(&ctx, v, rows.at[0], "rx", "-");
	assert_cell(&ctx, v, rows.at[0], "drops", "-");
	assert_cell(&ctx, v, rows.at[0], "paused_rx", "-");
	assert_cell(&ctx, v, rows.at[0], "state", "-");
	assert_cell(&ctx, v, rows.at[0], "data", "pending");
	assert_true(v->enter(&ctx, rows.at[0], &target, &scope));
	assert_string_equal(target, "leaf");
	vec_free(&rows);
	ctx.scope.rail = 99;
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 0);
	assert_non_null(v->empty(&ctx));
	vec_free(&rows);
	model_free(m);
}

static void leaf_shows_what_an_operator_decides_by(void **state)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_frames = 1000},
		{.device = "leaf-r2-00", .port = "Ethernet4", .pfc_us = 250000},
		{.device = "leaf-r2-00", .port = "Ethernet8", .drops = 10, .load = 0.25},
	};
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = view("leaf");
	struct view_cell cell;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, faults, COUNT(faults));
	fix_poll(m, 1, faults, COUNT(faults));
	ctx.scope = device_ref(m, "leaf-r2-00");
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 4);
	assert_cell(&ctx, v, rows.at[0], "port", "Ethernet0");
	assert_cell(&ctx, v, rows.at[0], "peer", "node000:mlx5_2");
	assert_cell(&ctx, v, rows.at[0], "speed", "400G");
	assert_cell(&ctx, v, rows.at[0], "oper", "up");
	assert_cell(&ctx, v, rows.at[0], "rx", "200G");
	assert_cell(&ctx, v, rows.at[0], "tx_util", "50%");
	/* frames only: 1000/s * 83.9 us, an upper bound; duration: exact */
	assert_cell(&ctx, v, rows.at[0], "paused_rx", "<=8%!");
	assert_cell(&ctx, v, rows.at[1], "paused_rx", "25%!");
	assert_cell(&ctx, v, rows.at[0], "paused_tx", "0%");
	assert_cell(&ctx, v, rows.at[0], "ecn", "100");
	/* of the NIC at the other end; a spine has none */
	assert_cell(&ctx, v, rows.at[0], "cnp", "50");
	assert_cell(&ctx, v, rows.at[2], "cnp", "-");
	assert_cell(&ctx, v, rows.at[0], "drops", "0");
	assert_cell(&ctx, v, rows.at[2], "drops", "10!");
	assert_cell(&ctx, v, rows.at[2], "rx", "100G");
	assert_cell(&ctx, v, rows.at[2], "state", "CRIT");
	assert_cell(&ctx, v, rows.at[0], "wd", "ok");
	assert_cell(&ctx, v, rows.at[0], "ber", "-");
	assert_cell(&ctx, v, rows.at[0], "rx_power", "-");
	cell = fix_cell(&ctx, v, rows.at[2], "why");
	assert_non_null(strstr(cell.text, "drops"));
	vec_free(&rows);
	model_free(m);
}

static void unsupported_and_off_are_words(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 0);
	struct obs *o = obs_new("leaf-r0-00", "fast");
	uint32_t at = obs_port(o, "Ethernet0");
	struct ref row;

	(void)state;
	o->result = OBS_DATA;
	o->received_us = fix_time(0);
	obs_invalid(o, at, CTR_ECN_MARKED_PACKETS, 3, VALID_UNSUPPORTED, "");
	obs_invalid(o, at, CTR_PRE_FEC_BER, 0, VALID_DISABLED, "turn it on");
	model_apply(m, o, fix_time(0));
	obs_free(o);
	(void)model_age(m, fix_time(0));
	row = port_ref(m, "leaf-r0-00", "Ethernet0");
	assert_cell(&ctx, view("leaf"), row, "ecn", "n/a");
	assert_cell(&ctx, view("leaf"), row, "ber", "off");
	model_free(m);
}

static void silent_device_keeps_marked_numbers(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx;
	const struct view_ops *leaf = view("leaf"), *devices = view("devices");
	struct worst worst[4];
	struct ref row;

	(void)state;
	fix_poll(m, 0, NULL, 0);
	fix_poll(m, 1, NULL, 0);
	for (size_t i = 0; i < m->devices.n; i++)
		if (!str_eq(m->devices.at[i]->name, "leaf-r1-00"))
			fix_poll_device(m, m->devices.at[i], 10, NULL, 0);
	(void)model_age(m, fix_time(10));
	ctx = fix_ctx(m, 10);
	row = port_ref(m, "leaf-r1-00", "Ethernet0");
	assert_cell(&ctx, leaf, row, "rx", "~200G");
	assert_cell(&ctx, leaf, row, "port", "Ethernet0");
	assert_cell(&ctx, devices, device_ref(m, "leaf-r1-00"), "state", "stale");
	assert_cell(&ctx, devices, device_ref(m, "leaf-r1-00"), "age", "<10s");
	assert_cell(&ctx, devices, device_ref(m, "leaf-r2-00"), "state", "fresh");
	assert_cell(&ctx, devices, device_ref(m, "leaf-r2-00"), "took", "2");
	/* one silent device is one thing that is wrong */
	assert_int_equal(summary_worst(&ctx, worst, COUNT(worst)), 1);
	assert_int_equal(worst[0].ref.kind, REF_DEVICE);
	model_free(m);
}

static void port_has_eight_priorities_and_both_ends(void **state)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 300000},
		{.device = "node000", .port = "mlx5_2", .pfc_frames = 100},
	};
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = view("port");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, faults, COUNT(faults));
	fix_poll(m, 1, faults, COUNT(faults));
	ctx.scope = port_ref(m, "leaf-r2-00", "Ethernet0");
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
	assert_cell(&ctx, view("port"), row, "class", "lossless!");
	row.priority = 4;
	assert_cell(&ctx, view("port"), row, "class", "lossy!");
	row.priority = 5;
	assert_cell(&ctx, view("port"), row, "class", "lossy");
	model_free(m);
}

static void priority_lists_every_counter_of_the_queue(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 3);
	const struct view_ops *v = view("priority");
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

static void hosts_mark_the_odd_one_out(void **state)
{
	static const struct fault faults[] = {
		{.device = "node000", .port = "mlx5_3", .load = 0.1},
		{.device = "node001", .port = "mlx5_6", .down = true},
	};
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = view("hosts");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, faults, COUNT(faults));
	fix_poll(m, 1, faults, COUNT(faults));
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 2);
	assert_cell(&ctx, v, rows.at[0], "host", "node000");
	assert_cell(&ctx, v, rows.at[0], "r2", "50%");
	assert_cell(&ctx, v, rows.at[0], "r3", "10%*");
	assert_cell(&ctx, v, rows.at[0], "odd", "mlx5_3: rx 10% (others 50%)");
	assert_cell(&ctx, v, rows.at[1], "r6", "Cdn*");
	assert_cell(&ctx, v, rows.at[1], "odd", "mlx5_6: link down");
	assert_true(v->enter(&ctx, rows.at[1], &target, &scope));
	assert_string_equal(target, "host");
	vec_free(&rows);
	fix_poll(m, 2, NULL, 0);
	fix_poll(m, 3, NULL, 0);
	ctx.now_us = fix_time(3);
	rows = fix_rows(&ctx, v);
	assert_cell(&ctx, v, rows.at[0], "odd", "");
	vec_free(&rows);
	model_free(m);
}

static void host_rows_are_its_nics(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 1);
	const struct view_ops *v = view("host");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	fix_poll(m, 0, NULL, 0);
	fix_poll(m, 1, NULL, 0);
	ctx.scope = device_ref(m, "node001");
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 8);
	assert_cell(&ctx, v, rows.at[7], "nic", "mlx5_7");
	assert_cell(&ctx, v, rows.at[7], "peer", "leaf-r7-00:Ethernet4");
	assert_cell(&ctx, v, rows.at[7], "rail", "7");
	assert_cell(&ctx, v, rows.at[7], "cnp", "50");
	assert_cell(&ctx, v, rows.at[7], "cnp_rx", "-");
	assert_cell(&ctx, v, rows.at[7], "oos", "0");
	assert_cell(&ctx, v, rows.at[7], "pcie", "-");
	assert_true(v->enter(&ctx, rows.at[7], &target, &scope));
	assert_string_equal(target, "port");
	assert_int_equal(scope.port, fix_port(m, "node001", "mlx5_7")->id);
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
	const struct view_ops *v = view("links");
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
	const struct view_ops *v = view("events");
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

static void device_lists_needs_with_cure(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 0);
	const struct view_ops *v = view("device"), *all = view("devices");
	struct obs *o = obs_new("leaf-r0-00", "slow");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	o->result = OBS_DATA;
	o->received_us = fix_time(0);
	obs_capability(o, "ECN marks per queue", VALID_DISABLED, "counterpoll wredqueue enable");
	obs_capability(o, "PFC watchdog", VALID_OK, "");
	model_apply(m, o, fix_time(0));
	obs_free(o);
	(void)model_age(m, fix_time(0));
	ctx.scope = device_ref(m, "leaf-r0-00");
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 2);
	assert_cell(&ctx, v, rows.at[0], "need", "ECN marks per queue");
	assert_cell(&ctx, v, rows.at[0], "state", "disabled");
	assert_cell(&ctx, v, rows.at[0], "cure", "counterpoll wredqueue enable");
	assert_int_not_equal(ref_key(rows.at[0]), ref_key(rows.at[1]));
	assert_cell(&ctx, all, ctx.scope, "gaps", "1");
	assert_cell(&ctx, all, device_ref(m, "spine-000"), "gaps", "-");
	assert_true(all->enter(&ctx, ctx.scope, &target, &scope));
	assert_string_equal(target, "device");
	vec_free(&rows);
	model_free(m);
}

static void failures_name_the_cure(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 0);
	const struct view_ops *v = view("devices"), *leaf = view("leaf");
	struct obs *o = obs_new("leaf-r0-00", "fast");
	struct ref row = device_ref(m, "leaf-r0-00");

	(void)state;
	o->result = OBS_FAILED;
	o->received_us = fix_time(0);
	(void)err_set(&o->err, ERR_UNAUTHORISED, "leaf-r0-00", "key refused");
	(void)err_cure(&o->err, "install the key");
	model_apply(m, o, fix_time(0));
	obs_free(o);
	(void)model_age(m, fix_time(0));
	assert_cell(&ctx, v, row, "state", "unauthorised");
	assert_cell(&ctx, v, row, "error", "key refused");
	assert_cell(&ctx, v, row, "cure", "install the key");
	assert_cell(&ctx, v, row, "failures", "1!");
	assert_cell(&ctx, v, row, "age", "-");
	ctx.scope = row;
	assert_non_null(strstr(leaf->empty(&ctx), "key refused"));
	model_free(m);
}

static void objects_have_their_view(void **state)
{
	struct model *m = fix_model();

	(void)state;
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_NONE})->name, "cluster");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_FABRIC})->name, "cluster");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_RAIL})->name, "rail");
	assert_string_equal(view_for_ref(m, device_ref(m, "node000"))->name, "host");
	assert_string_equal(view_for_ref(m, device_ref(m, "spine-000"))->name, "leaf");
	assert_string_equal(view_for_ref(m, port_ref(m, "node000", "mlx5_0"))->name, "port");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_PRIORITY})->name, "priority");
	assert_string_equal(view_for_ref(m, (struct ref){.kind = REF_EVENT})->name, "events");
	model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_line_is_one_view),
		cmocka_unit_test(every_view_is_complete),
		cmocka_unit_test(important_columns_fit_80),
		cmocka_unit_test(same_id_is_same_title),
		cmocka_unit_test(cluster_lists_rails_then_shared_switches),
		cmocka_unit_test(rail_has_its_leaves_and_spines),
		cmocka_unit_test(leaf_shows_what_an_operator_decides_by),
		cmocka_unit_test(unsupported_and_off_are_words),
		cmocka_unit_test(silent_device_keeps_marked_numbers),
		cmocka_unit_test(port_has_eight_priorities_and_both_ends),
		cmocka_unit_test(pfc_that_differs_from_the_plan_is_marked),
		cmocka_unit_test(priority_lists_every_counter_of_the_queue),
		cmocka_unit_test(hosts_mark_the_odd_one_out),
		cmocka_unit_test(host_rows_are_its_nics),
		cmocka_unit_test(links_show_both_directions_and_wiring),
		cmocka_unit_test(events_are_newest_first_and_lead_on),
		cmocka_unit_test(device_lists_needs_with_cure),
		cmocka_unit_test(failures_name_the_cure),
		cmocka_unit_test(objects_have_their_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
