/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/panels/order_meter.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

CASE_WITH(port_has_eight_priorities_and_both_ends, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 300000},
		{.device = "node000", .port = "mlx5_2", .pfc_frames = 100},
	};
	struct fix *x = *state;
	const struct view_ops *v = fix_view("port");

	fix_polls(x->m, faults, COUNT(faults));
	x->ctx.scope = fix_port_ref(x->m, "leaf-r2-00", "Ethernet0");
	assert_int_equal(fix_list(x, v), 8);
	assert_row(x, v, 3, "prio", "3");
	assert_row(x, v, 3, "class", "lossless");
	assert_row(x, v, 4, "class", "lossy");
	assert_row(x, v, 3, "paused_rx", "30%!");
	assert_row(x, v, 3, "far_paused_rx", "<=1%");
	assert_row(x, v, 3, "bytes", "25.0G");
	assert_row(x, v, 3, "wd", "ok");
	assert_row(x, v, 3, "far_wd", "-");
	/* nothing was said about priority 4 */
	assert_row(x, v, 4, "pfc_rx", "-");
	assert_row(x, v, 4, "paused_rx", "-");
	assert_row(x, v, 4, "drops", "-");
	fix_leads(x, v, x->rows.at[3], "priority");
	assert_int_equal(x->scope.kind, REF_PRIORITY);
	assert_int_equal(x->scope.priority, 3);
}

/* Two polls of one lossless queue: packets, marks and microseconds of pause a second. */
static void queue(struct model *m, const char *device, double packets, double marks, double us)
{
	for (int s = 2; s < 4; s++) {
		struct obs *o = obs_new(device, "fast");
		uint32_t at = obs_port(o, "Ethernet0");

		o->result = OBS_DATA;
		o->received_us = fix_time(s);
		obs_word(o, at, ATTR_OPER, 0, "up");
		obs_count(o, at, CTR_QUEUE_TX_PACKETS, 3, (uint64_t)(packets * s));
		obs_number(o, at, ATTR_SPEED_MBPS, 0, 400000);
		obs_count(o, at, CTR_PFC_RX_DURATION_US, 3, (uint64_t)(us * s));
		obs_count(o, at, CTR_PFC_TX_FRAMES, 3, (uint64_t)(10 * s));
		if (marks >= 0)
			obs_count(o, at, CTR_ECN_MARKED_PACKETS, 3, (uint64_t)(1e6 + marks * s));
		model_apply(m, o, fix_time(s));
		obs_free(o);
	}
}

CASE_WITH(ecn_before_pfc_has_a_meter, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("leaf");
	struct panel_line line;
	struct order o;

	x->ctx.now_us = fix_time(3);
	queue(x->m, "leaf-r0-00", 10e6, 400e3, 0);
	queue(x->m, "leaf-r1-00", 10e6, 400e3, 12000);
	queue(x->m, "leaf-r2-00", 10e6, 400e3, 300000);
	queue(x->m, "leaf-r3-00", 10e6, 0, 300000);
	queue(x->m, "leaf-r4-00", 10e6, 0, 0);
	queue(x->m, "leaf-r5-00", 10e6, -1, 300000);
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r0-00", "Ethernet0"), "order", "ECN");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r1-00", "Ethernet0"), "order", "ECN>PFC");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r2-00", "Ethernet0"), "order", "PFC>ECN!");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r3-00", "Ethernet0"), "order", "PFC!");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r4-00", "Ethernet0"), "order", "quiet");
	/* A port that counts no marks is not told that it has none. */
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r5-00", "Ethernet0"), "order", "PFC");
	assert_cell(&x->ctx, v, fix_port_ref(x->m, "leaf-r6-00", "Ethernet0"), "order", "-");
	o = order_of_port(x->m, fix_port(x->m, "leaf-r1-00", "Ethernet0"));
	assert_int_equal(order_line(o, &line), 1);
	assert_string_equal(line.text, "ECN #######... 4.00%  PFC #####..... 1.20%  ECN first");
	o = order_of_port(x->m, fix_port(x->m, "leaf-r5-00", "Ethernet0"));
	assert_int_equal(order_line(o, &line), 1);
	assert_non_null(strstr(
		line.text, "ECN .......... -  PFC #########. 30%  share of marks not known"));
}

CASE_WITH(pfc_that_differs_from_the_plan_is_marked, fix_open, fix_close)
{
	struct fix *x = *state;
	struct port *p = fix_port(x->m, "leaf-r0-00", "Ethernet0");
	struct ref row = {.kind = REF_PRIORITY, .port = p->id, .priority = 3};

	p->pfc_enabled = 1U << 8 | 1U << 4;
	assert_cell(&x->ctx, fix_view("port"), row, "class", "lossless!");
	row.priority = 4;
	assert_cell(&x->ctx, fix_view("port"), row, "class", "lossy!");
	row.priority = 5;
	assert_cell(&x->ctx, fix_view("port"), row, "class", "lossy");
}

CASE_WITH(unstated_priorities_are_judged_and_shown_alike, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_us = 300000},
	};
	struct fix *x = *state;
	struct port *p = fix_port(x->m, "leaf-r2-00", "Ethernet0");
	struct ref row = {.kind = REF_PRIORITY, .port = p->id, .priority = 3};

	x->m->lossless.priorities = 0;
	fix_polls(x->m, faults, COUNT(faults));
	assert_cell(&x->ctx, fix_view("port"), row, "class", "lossless");
	assert_cell(&x->ctx, fix_view("leaf"), fix_port_ref(x->m, "leaf-r2-00", "Ethernet0"),
		"paused_rx", "30%!");
	assert_string_equal(port_health(x->m, p, x->ctx.now_us).why, "paused 30% by its peer");
	row.priority = 4;
	assert_cell(&x->ctx, fix_view("port"), row, "class", "lossy");
}

CASE_WITH(priority_lists_every_counter_of_the_queue, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("priority");
	size_t prio_counters = 0, found = 0;

	x->ctx.now_us = fix_time(3);
	fix_polls(x->m, NULL, 0);
	x->ctx.scope = (struct ref){.kind = REF_PRIORITY,
		.port = fix_port(x->m, "leaf-r2-00", "Ethernet0")->id,
		.priority = 3};
	for (unsigned id = 0; id < COUNTER_COUNT; id++)
		prio_counters += counter_info[id].dim == DIM_PRIO;
	(void)fix_list(x, v);
	/* and the port's own discards, which the fixture reports */
	assert_int_equal(x->rows.n, prio_counters + 1);
	for (size_t i = 0; i < x->rows.n; i++) {
		struct view_cell name = fix_cell(&x->ctx, v, x->rows.at[i], "counter");

		if (str_eq(name.text, "queue_tx_bytes")) {
			assert_row(x, v, i, "value", "1025000000000");
			assert_row(x, v, i, "rate", "25.0G");
			assert_row(x, v, i, "valid", "ok");
			assert_row(x, v, i, "age", "<10s");
			assert_row(x, v, i, "unit", "bytes");
			assert_row(x, v, i, "meaning", counter_info[CTR_QUEUE_TX_BYTES].help);
			found++;
		}
		if (str_eq(name.text, "pg_drops")) {
			assert_row(x, v, i, "value", "-");
			assert_row(x, v, i, "rate", "-");
			assert_row(x, v, i, "valid", "unknown");
			assert_row(x, v, i, "age", "-");
			found++;
		}
	}
	assert_int_equal(found, 2);
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

CASE_WITH(links_show_both_directions_and_wiring, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "leaf-r4-00", .port = "Ethernet4", .pfc_us = 120000},
		{.device = "node000",
			.port = "mlx5_1",
			.lldp_device = "leaf-r2-00",
			.lldp_port = "Ethernet0"},
	};
	struct fix *x = *state;
	const struct view_ops *v = fix_view("links");
	struct ref row;

	fix_polls(x->m, faults, COUNT(faults));
	(void)fix_list(x, v);
	assert_true(x->rows.n >= 32);
	row = find_row(&x->ctx, v, "a", "node001:mlx5_4");
	assert_cell(&x->ctx, v, row, "b", "leaf-r4-00:Ethernet4");
	assert_cell(&x->ctx, v, row, "rail", "4");
	assert_cell(&x->ctx, v, row, "wiring", "ok");
	assert_cell(&x->ctx, v, row, "ab", "200G");
	assert_cell(&x->ctx, v, row, "ba", "200G");
	assert_cell(&x->ctx, v, row, "oper", "up/up");
	/* the leaf was held by the NIC: that is the way from b to a */
	assert_cell(&x->ctx, v, row, "paused_ba", "12%!");
	assert_cell(&x->ctx, v, row, "state", "WARN");
	fix_leads(x, v, row, "port");
	assert_int_equal(x->scope.kind, REF_PORT);
	assert_int_equal(x->scope.port, fix_port(x->m, "node001", "mlx5_4")->id);
	row = find_row(&x->ctx, v, "a", "node000:mlx5_1");
	assert_cell(&x->ctx, v, row, "wiring", "miswired");
}

CASE_WITH(events_are_newest_first_and_lead_on, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("events");
	struct port *p = fix_port(x->m, "leaf-r0-00", "Ethernet0");
	struct device *d = model_device(x->m, "spine-001");
	const char *target;

	x->ctx.now_us = fix_time(5);
	model_add_event(x->m, fix_time(1), EV_LINK_DOWN, model_dev_of(x->m, p), p, -1, fix_time(0),
		"cable \x1b[31mred");
	model_add_event(x->m, fix_time(2), EV_REBOOT, d, NULL, -1, 0, "again");
	assert_int_equal(fix_list(x, v), 2);
	assert_row(x, v, 0, "kind", "reboot");
	assert_row(x, v, 0, "where", "spine-001");
	assert_row(x, v, 0, "device_time", "-");
	assert_row(x, v, 0, "prio", "-");
	assert_row(x, v, 1, "state", "CRIT");
	assert_row(x, v, 1, "time", "22:13:21");
	assert_row(x, v, 1, "device_time", "22:13:20");
	assert_row(x, v, 1, "where", "leaf-r0-00:Ethernet0");
	assert_null(strchr(fix_cell(&x->ctx, v, x->rows.at[1], "text").text, 27));
	fix_leads(x, v, x->rows.at[0], "device");
	fix_leads(x, v, x->rows.at[1], "port");
	/* an event that has fallen out of the ring */
	assert_false(
		v->enter(&x->ctx, (struct ref){.kind = REF_EVENT, .seq = 99}, &target, &x->scope));
	x->ctx.now_us = fix_time(100000);
	assert_row(x, v, 1, "time", "2023-11-14");
}

/* A beginning and its end are one row, of the same place only. */
CASE_WITH(events_are_paired, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("events");
	struct port *p = fix_port(x->m, "leaf-r0-00", "Ethernet0");
	struct port *other = fix_port(x->m, "leaf-r0-00", "Ethernet4");
	struct device *d = model_dev_of(x->m, p);

	x->ctx.folded = true;
	x->ctx.now_us = fix_time(100);
	model_add_event(x->m, fix_time(1), EV_LINK_DOWN, d, p, -1, 0, "no light");
	model_add_event(x->m, fix_time(2), EV_LINK_UP, d, other, -1, 0, "");
	model_add_event(x->m, fix_time(4), EV_LINK_UP, d, p, -1, 0, "");
	model_add_event(x->m, fix_time(5), EV_LINK_DOWN, d, p, -1, 0, "");
	model_add_event(x->m, fix_time(6), EV_STALE, d, NULL, -1, 0, "");
	model_add_event(x->m, fix_time(8), EV_UNREACHABLE, d, NULL, -1, 0, "");
	model_add_event(x->m, fix_time(68), EV_BACK, d, NULL, -1, 0, "");
	assert_int_equal(fix_list(x, v), 4);
	assert_row(x, v, 0, "kind", "unreachable");
	assert_row(x, v, 0, "text", "answered after 60s");
	/* It became unreachable: that it was stale has no end of its own. */
	assert_row(x, v, 1, "kind", "stale");
	assert_row(x, v, 1, "text", "");
	/* It is still down, again. */
	assert_row(x, v, 2, "kind", "link_down");
	assert_row(x, v, 2, "text", "flapped 2x, down 3s each, since 22:13:21, down now; no light");
	/* Nobody saw it go down. */
	assert_row(x, v, 3, "kind", "link_up");
	assert_row(x, v, 3, "where", "leaf-r0-00:Ethernet4");
}

/* A link that flaps is one row, with the count, the first and the last. */
CASE_WITH(what_happens_again_is_one_row, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("events");
	struct port *p = fix_port(x->m, "leaf-r0-00", "Ethernet0");
	struct port *other = fix_port(x->m, "leaf-r0-00", "Ethernet4");
	struct device *d = model_dev_of(x->m, p);

	x->ctx.folded = true;
	x->ctx.now_us = fix_time(3000);
	model_add_event(x->m, fix_time(1), EV_LINK_DOWN, d, p, -1, 0, "");
	model_add_event(x->m, fix_time(3), EV_LINK_UP, d, p, -1, 0, "");
	/* More than a quarter of an hour later it is another matter. */
	for (int k = 0; k < 16; k++) {
		model_add_event(x->m, fix_time(1000 + 10 * k), EV_LINK_DOWN, d, p, -1, 0, "");
		model_add_event(x->m, fix_time(1001 + 10 * k), EV_REBOOT, d, NULL, -1, 0, "");
		if (k == 3)
			model_add_event(x->m, fix_time(1032), EV_LINK_DOWN, d, other, -1, 0, "");
		model_add_event(x->m, fix_time(1003 + 10 * k), EV_LINK_UP, d, p, -1, 0, "");
	}
	assert_int_equal(fix_list(x, v), 1 + 16 + 1 + 1);
	assert_row(x, v, 1, "kind", "link_down");
	assert_row(x, v, 1, "time", "22:32:30");
	assert_row(x, v, 1, "text", "flapped 16x, down 3s each, since 22:30:00");
	assert_row(x, v, 18, "kind", "link_down");
	assert_row(x, v, 18, "text", "up after 2s");
	/* For counting there is a row for each. */
	x->ctx.folded = false;
	assert_true(fix_list(x, v) >= 17);
	assert_row(x, v, 1, "text", "up after 3s");
}

/* No light at all is marked as weak light is; a lane that is not used is not. */
CASE_WITH(no_light_is_marked, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("optics");
	struct obs *o = obs_new("leaf-r0-00", "optics");

	for (unsigned lane = 0; lane < 4; lane++) {
		obs_gauge(o, obs_port(o, "Ethernet0"), CTR_RX_POWER_DBM, lane, -40);
		obs_gauge(o, obs_port(o, "Ethernet4"), CTR_RX_POWER_DBM, lane, lane ? -1 : -40);
	}
	model_apply(x->m, o, fix_time(2));
	obs_free(o);
	x->ctx.now_us = fix_time(2);
	for (size_t i = 0; i < fix_list(x, v); i++) {
		const struct port *p = ref_port(x->m, x->rows.at[i]);
		struct view_cell c = fix_cell(&x->ctx, v, x->rows.at[i], "rx_dbm");

		if (p == fix_port(x->m, "leaf-r0-00", "Ethernet0"))
			assert_string_equal(c.text, "-40.0!");
		else if (p == fix_port(x->m, "leaf-r0-00", "Ethernet4"))
			assert_string_equal(c.text, "-40.0");
	}
}

CASES_MAIN(NULL, NULL)
