/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
#include "tests/views/support/fixture.h"
#include "views/panels/net_tiles.h"
#include "views/summary.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

CASE_WITH(cluster_lists_rails_then_shared_switches, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("cluster");
	const char *target;

	fix_polls(x->m, NULL, 0);
	assert_int_equal(fix_list(x, v), 10);
	assert_int_equal(x->rows.at[3].kind, REF_RAIL);
	assert_int_equal(x->rows.at[3].rail, 3);
	assert_row(x, v, 3, "name", "rail 3");
	assert_row(x, v, 3, "leaves", "1/1");
	assert_row(x, v, 3, "ports", "4/4");
	/* two hosts at half of 400G; the uplinks are not counted again */
	assert_row(x, v, 3, "rx", "400G");
	assert_row(x, v, 3, "rx_util", "50%");
	assert_row(x, v, 3, "up_util", "50%");
	assert_row(x, v, 3, "state", "ok");
	assert_row(x, v, 8, "name", "spine-000");
	fix_leads(x, v, x->rows.at[3], "rail");
	assert_true(ref_eq(x->scope, x->rows.at[3]));
	fix_leads(x, v, x->rows.at[8], "leaf");
	assert_false(v->enter(&x->ctx, (struct ref){.kind = REF_NONE}, &target, &x->scope));
}

/* The moments of a difference are of the zone that was set; of one day they have no date. */
CASE_WITH(the_moments_of_a_difference_have_the_zone, fix_open, fix_close)
{
	struct fix *x = *state;
	struct differences d = {.from_us = FIX_START, .to_us = FIX_START + 3700 * CLOCK_SEC};
	struct view_units units = {.bytes = false};
	char from[40], to[40];

	x->ctx.differences = &d;
	differences_span(&x->ctx, from, sizeof(from), to, sizeof(to));
	assert_string_equal(from, "22:13:20Z");
	assert_string_equal(to, "23:15:00Z");
	assert_true(clock_zone_parse("+01:00", &units.zone));
	x->ctx.units = &units;
	differences_span(&x->ctx, from, sizeof(from), to, sizeof(to));
	assert_string_equal(from, "2023-11-14T23:13:20+01");
	assert_string_equal(to, "2023-11-15T00:15:00+01");
	d.from_us = 0;
	differences_span(&x->ctx, from, sizeof(from), to, sizeof(to));
	assert_string_equal(from, "?");
}

/* Two hosts below eight leaves of one rail each: what the leaves send up is between units. */
CASE_WITH(pods_show_the_share_that_leaves_them, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("pods");
	struct device *leaf = model_device(x->m, "leaf-r3-00");

	assert_int_equal(fix_list(x, v), 0); /* without a cache nothing is kept */
	x->ctx.cache = view_cache_new();
	fix_polls(x->m, NULL, 0);
	assert_int_equal(fix_list(x, v), 1);
	assert_row(x, v, 0, "pod", "pod-spine-000");
	assert_row(x, v, 0, "units", "1");
	assert_row(x, v, 0, "hosts", "2");
	assert_row(x, v, 0, "leaves", "8");
	assert_row(x, v, 0, "rails", "1");
	assert_row(x, v, 0, "spines", "2");
	assert_row(x, v, 0, "sent", "3.20T");
	assert_row(x, v, 0, "over_units", "100%");
	assert_row(x, v, 0, "over_pods", "none");
	/* A leaf that has the NICs of two rails. */
	fix_port(x->m, "node001", "mlx5_0")->rail = 5;
	assert_row(x, v, 0, "rails", "2");
	/* Of a part of the leaves nothing is said. */
	for (size_t i = 0; i < leaf->ports.n; i++) {
		struct obs *o = obs_new(leaf->name, "fast");
		uint32_t at = obs_port(o, x->m->ports.at[leaf->ports.at[i]]->name);

		o->result = OBS_DATA;
		obs_invalid(o, at, CTR_RX_BYTES, 0, VALID_UNSUPPORTED, "");
		model_apply(x->m, o, fix_time(2));
		obs_free(o);
	}
	x->ctx.now_us = fix_time(2);
	assert_row(x, v, 0, "sent", "-");
	assert_row(x, v, 0, "over_units", "-");
}

/* One network of the fabric is one row and no tile; two are both. */
CASE_WITH(fabrics_are_counted_apart, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("fabrics");
	struct plan_net storage = {.to = (unsigned)x->m->devices.n, .net = NET_STORAGE};
	struct panel_line line;

	x->ctx.cache = view_cache_new();
	fix_polls(x->m, NULL, 0);
	assert_int_equal(fix_list(x, v), 1);
	assert_row(x, v, 0, "network", "backend");
	assert_row(x, v, 0, "switches", "10/10");
	assert_row(x, v, 0, "hosts", "2/2");
	assert_row(x, v, 0, "ports", "16/16");
	assert_row(x, v, 0, "links", "32/32");
	assert_row(x, v, 0, "state", "ok");
	assert_false(net_tiles_line(&x->ctx, &line));
	(void)str_copy(storage.ports, sizeof(storage.ports), "mlx5_7");
	vec_push(&x->m->nets, storage);
	fix_port(x->m, "node000", "mlx5_7")->oper = OPER_DOWN;
	x->m->generation++;
	x->ctx.now_us += 2000000;
	assert_int_equal(fix_list(x, v), 2);
	assert_row(x, v, 0, "ports", "14/14");
	assert_row(x, v, 1, "network", "storage");
	assert_row(x, v, 1, "switches", "none");
	assert_row(x, v, 1, "ports", "1/2!");
	assert_row(x, v, 1, "down", "1!");
	assert_row(x, v, 1, "state", "WARN");
	assert_row(x, v, 1, "why", "ports down");
	assert_true(net_tiles_line(&x->ctx, &line));
	assert_string_equal(line.text, "backend OK  storage WARN");
	/* All up, and yet nobody asks a switch of it: not known to be fine. */
	fix_port(x->m, "node000", "mlx5_7")->oper = OPER_UP;
	x->m->generation++;
	x->ctx.now_us += 2000000;
	assert_int_equal(fix_list(x, v), 2);
	assert_row(x, v, 1, "state", "unknown");
	assert_row(x, v, 1, "why", "no switch is asked");
	view_cache_free(x->ctx.cache);
	x->ctx.cache = NULL;
}

CASE_WITH(rail_has_its_leaves_and_spines, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("rail");

	x->ctx.scope = (struct ref){.kind = REF_RAIL, .rail = 5};
	assert_int_equal(fix_list(x, v), 3);
	assert_row(x, v, 0, "name", "leaf-r5-00");
	assert_row(x, v, 1, "name", "spine-000");
	assert_row(x, v, 1, "tier", "spine");
	/* nothing has answered yet */
	assert_row(x, v, 0, "rx", "-");
	assert_row(x, v, 0, "drops", "-");
	assert_row(x, v, 0, "paused_rx", "-");
	assert_row(x, v, 0, "state", "-");
	assert_row(x, v, 0, "data", "pending");
	fix_leads(x, v, x->rows.at[0], "leaf");
	x->ctx.scope.rail = 99;
	assert_int_equal(fix_list(x, v), 0);
	assert_non_null(v->empty(&x->ctx));
}

/* One port's signal at second s, as its device tells it. */
struct sent {
	const char *device, *port, *oper;
	unsigned mbps, uncorrectable; /* codewords since the first poll */
	double ber, dbm;
};

static void say_signal(struct model *m, const struct sent *what, size_t n, int s)
{
	for (size_t i = 0; i < n; i++) {
		struct obs *o = obs_new(what[i].device, "slow");
		uint32_t at = obs_port(o, what[i].port);

		o->result = OBS_DATA;
		o->received_us = fix_time(s);
		obs_word(o, at, ATTR_OPER, 0, what[i].oper);
		obs_number(o, at, ATTR_SPEED_MBPS, 0, what[i].mbps);
		obs_count(o, at, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0,
			100 + (uint64_t)s * what[i].uncorrectable);
		obs_gauge(o, at, CTR_PRE_FEC_BER, 0, what[i].ber);
		obs_gauge(o, at, CTR_RX_POWER_DBM, 0, what[i].dbm);
		model_apply(m, o, fix_time(s));
		obs_free(o);
	}
}

static void check_signal(const struct view_ctx *ctx, const struct view_ops *v, struct ref row)
{
	assert_cell(ctx, v, row, "slow", "1!");
	assert_cell(ctx, v, row, "fec", "5!");
	assert_cell(ctx, v, row, "ber", "2.0e-05!");
	assert_cell(ctx, v, row, "rx_power", "-4.5");
	assert_int_equal(fix_cell(ctx, v, row, "slow").role, ROLE_WARN);
	assert_int_equal(fix_cell(ctx, v, row, "fec").role, ROLE_CRIT);
}

CASE_WITH(sums_show_the_worst_signal, fix_open, fix_close)
{
	/* The last is down: its noise must not hide the ports that carry. */
	static const struct sent signals[] = {
		{"leaf-r4-00", "Ethernet0", "up", 200000, 3, 3e-9, -4.5},
		{"leaf-r4-00", "Ethernet4", "up", 400000, 2, 2e-5, -1.5},
		{"leaf-r4-00", "Ethernet8", "down", 100000, 0, 0.4, -25},
	};
	struct fix *x = *state;
	const struct view_ops *cluster = fix_view("cluster"), *rail = fix_view("rail");
	struct ref leaf = fix_device_ref(x->m, "leaf-r4-00");
	struct ref row = {.kind = REF_RAIL, .rail = 4}, other = {.kind = REF_RAIL, .rail = 3};

	for (int s = 0; s < 2; s++) {
		fix_poll(x->m, s, NULL, 0);
		say_signal(x->m, signals, COUNT(signals), s);
	}
	check_signal(&x->ctx, cluster, row);
	check_signal(&x->ctx, rail, leaf);
	assert_cell(&x->ctx, fix_view("leaf"), fix_port_ref(x->m, "leaf-r4-00", "Ethernet0"), "fec",
		"3!");
	/* No port of another rail says anything about its signal, and that is not zero. */
	assert_cell(&x->ctx, cluster, other, "slow", "0");
	assert_cell(&x->ctx, cluster, other, "fec", "-");
	assert_cell(&x->ctx, cluster, other, "ber", "-");
	assert_cell(&x->ctx, cluster, other, "rx_power", "-");
}

CASE_WITH(sums_follow_news_with_a_cache, fix_open, fix_close)
{
	static const struct sent good = {"leaf-r4-00", "Ethernet0", "up", 400000, 1, 3e-9, -1.5};
	static const struct sent bad = {"leaf-r4-00", "Ethernet0", "up", 200000, 4, 2e-5, -4.5};
	struct fix *x = *state;
	const struct view_ops *v = fix_view("cluster");
	struct ref row = {.kind = REF_RAIL, .rail = 4};

	x->ctx.cache = view_cache_new();
	fix_poll(x->m, 0, NULL, 0);
	say_signal(x->m, &good, 1, 0);
	fix_poll(x->m, 1, NULL, 0);
	say_signal(x->m, &good, 1, 1);
	assert_cell(&x->ctx, v, row, "slow", "0");
	assert_cell(&x->ctx, v, row, "fec", "1!");
	assert_cell(&x->ctx, v, row, "ber", "3.0e-09");
	say_signal(x->m, &bad, 1, 2);
	x->ctx.now_us = fix_time(2);
	assert_cell(&x->ctx, v, row, "slow", "1!");
	assert_cell(&x->ctx, v, row, "fec", "7!");
	assert_cell(&x->ctx, v, row, "ber", "2.0e-05!");
	assert_cell(&x->ctx, v, row, "rx_power", "-4.5");
}

CASE_WITH(sums_of_cnp_are_those_of_the_nics, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("cluster");
	struct ref row = {.kind = REF_RAIL, .rail = 4};

	assert_cell(&x->ctx, v, row, "cnp", "-");
	fix_polls(x->m, NULL, 0);
	/* two hosts, one NIC each on a rail; a spine has no NIC */
	assert_cell(&x->ctx, v, row, "cnp", "100");
	assert_cell(&x->ctx, fix_view("rail"), fix_device_ref(x->m, "leaf-r4-00"), "cnp", "100");
	assert_cell(&x->ctx, v, fix_device_ref(x->m, "spine-000"), "cnp", "-");
	/* a host that no longer answers sends nothing that we know of */
	for (size_t i = 0; i < x->m->devices.n; i++)
		if (!str_eq(x->m->devices.at[i]->name, "node001"))
			fix_poll_device(x->m, x->m->devices.at[i], 10, NULL, 0);
	(void)model_age(x->m, fix_time(10));
	x->ctx.now_us = fix_time(10);
	assert_cell(&x->ctx, v, row, "cnp", "50");
}

CASE_WITH(leaf_shows_what_an_operator_decides_by, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "leaf-r2-00", .port = "Ethernet0", .pfc_frames = 1000},
		{.device = "leaf-r2-00", .port = "Ethernet4", .pfc_us = 250000},
		{.device = "leaf-r2-00", .port = "Ethernet8", .drops = 10, .load = 0.25},
	};
	struct fix *x = *state;
	const struct view_ops *v = fix_view("leaf");
	struct view_cell cell;

	fix_polls(x->m, faults, COUNT(faults));
	x->ctx.scope = fix_device_ref(x->m, "leaf-r2-00");
	assert_int_equal(fix_list(x, v), 4);
	assert_row(x, v, 0, "port", "Ethernet0");
	assert_row(x, v, 0, "peer", "node000:mlx5_2");
	assert_row(x, v, 0, "speed", "400G");
	assert_row(x, v, 0, "oper", "up");
	assert_row(x, v, 0, "rx", "200G");
	assert_row(x, v, 0, "tx_util", "50%");
	/* frames only: 1000/s * 83.9 us, an upper bound; duration: exact */
	assert_row(x, v, 0, "paused_rx", "<=8%");
	assert_row(x, v, 1, "paused_rx", "25%!");
	assert_row(x, v, 0, "paused_tx", "0%");
	assert_row(x, v, 0, "ecn", "100");
	/* of the NIC at the other end; a spine has none */
	assert_row(x, v, 0, "cnp", "50");
	assert_row(x, v, 2, "cnp", "-");
	assert_row(x, v, 0, "drops", "0");
	assert_row(x, v, 2, "drops", "10!");
	assert_row(x, v, 2, "rx", "100G");
	assert_row(x, v, 2, "state", "CRIT");
	assert_row(x, v, 0, "wd", "ok");
	assert_row(x, v, 0, "ber", "-");
	assert_row(x, v, 0, "fec", "-");
	assert_row(x, v, 0, "rx_power", "-");
	cell = fix_cell(&x->ctx, v, x->rows.at[2], "why");
	assert_non_null(strstr(cell.text, "drops"));
}

CASE_WITH(unsupported_and_off_are_words, fix_open, fix_close)
{
	struct fix *x = *state;
	struct obs *o = obs_new("leaf-r0-00", "fast");
	uint32_t at = obs_port(o, "Ethernet0");
	struct ref row;

	x->ctx.now_us = fix_time(0);
	o->result = OBS_DATA;
	o->received_us = fix_time(0);
	obs_invalid(o, at, CTR_ECN_MARKED_PACKETS, 3, VALID_UNSUPPORTED, "");
	obs_invalid(o, at, CTR_PRE_FEC_BER, 0, VALID_DISABLED, "turn it on");
	model_apply(x->m, o, fix_time(0));
	obs_free(o);
	(void)model_age(x->m, fix_time(0));
	row = fix_port_ref(x->m, "leaf-r0-00", "Ethernet0");
	assert_cell(&x->ctx, fix_view("leaf"), row, "ecn", "n/a");
	assert_cell(&x->ctx, fix_view("leaf"), row, "ber", "off");
}

CASE_WITH(silent_device_keeps_marked_numbers, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *leaf = fix_view("leaf"), *devices = fix_view("devices");
	struct worst worst[4];
	struct ref row;

	fix_polls(x->m, NULL, 0);
	for (size_t i = 0; i < x->m->devices.n; i++)
		if (!str_eq(x->m->devices.at[i]->name, "leaf-r1-00"))
			fix_poll_device(x->m, x->m->devices.at[i], 10, NULL, 0);
	(void)model_age(x->m, fix_time(10));
	x->ctx = fix_ctx(x->m, 10);
	row = fix_port_ref(x->m, "leaf-r1-00", "Ethernet0");
	assert_cell(&x->ctx, leaf, row, "rx", "~200G");
	assert_cell(&x->ctx, leaf, row, "port", "Ethernet0");
	assert_cell(&x->ctx, devices, fix_device_ref(x->m, "leaf-r1-00"), "state", "stale");
	assert_cell(&x->ctx, devices, fix_device_ref(x->m, "leaf-r1-00"), "age", "<10s");
	assert_cell(&x->ctx, devices, fix_device_ref(x->m, "leaf-r2-00"), "state", "fresh");
	assert_cell(&x->ctx, devices, fix_device_ref(x->m, "leaf-r2-00"), "took", "2");
	/* one silent device is one thing that is wrong */
	assert_int_equal(summary_worst(&x->ctx, worst, COUNT(worst)), 1);
	assert_int_equal(worst[0].ref.kind, REF_DEVICE);
}

CASE_WITH(hosts_mark_the_odd_one_out, fix_open, fix_close)
{
	static const struct fault faults[] = {
		{.device = "node000", .port = "mlx5_3", .load = 0.1},
		{.device = "node001", .port = "mlx5_6", .down = true},
	};
	struct fix *x = *state;
	const struct view_ops *v = fix_view("hosts");

	fix_polls(x->m, faults, COUNT(faults));
	assert_int_equal(fix_list(x, v), 2);
	assert_row(x, v, 0, "host", "node000");
	assert_row(x, v, 0, "r2", "50%");
	assert_row(x, v, 0, "r3", "10%*");
	assert_row(x, v, 0, "odd", "mlx5_3: rx 10% (others 50%)");
	assert_row(x, v, 1, "r6", "Cdn*");
	assert_row(x, v, 1, "odd", "mlx5_6: link down");
	fix_leads(x, v, x->rows.at[1], "host");
	fix_poll(x->m, 2, NULL, 0);
	fix_poll(x->m, 3, NULL, 0);
	x->ctx.now_us = fix_time(3);
	(void)fix_list(x, v);
	assert_row(x, v, 0, "odd", "");
}

CASE_WITH(host_rows_are_its_nics, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("host");

	fix_polls(x->m, NULL, 0);
	x->ctx.scope = fix_device_ref(x->m, "node001");
	assert_int_equal(fix_list(x, v), 8);
	assert_row(x, v, 7, "nic", "mlx5_7");
	assert_row(x, v, 7, "peer", "leaf-r7-00:Ethernet4");
	assert_row(x, v, 7, "rail", "7");
	assert_row(x, v, 7, "cnp", "50");
	assert_row(x, v, 7, "cnp_rx", "-");
	assert_row(x, v, 7, "oos", "0");
	assert_row(x, v, 7, "pcie", "-");
	fix_leads(x, v, x->rows.at[7], "port");
	assert_int_equal(x->scope.port, fix_port(x->m, "node001", "mlx5_7")->id);
}

CASE_WITH(device_lists_needs_with_cure, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("device"), *all = fix_view("devices");
	struct obs *o = obs_new("leaf-r0-00", "slow");

	x->ctx.now_us = fix_time(0);
	o->result = OBS_DATA;
	o->received_us = fix_time(0);
	obs_capability(o, "PFC watchdog", VALID_OK, "");
	obs_capability(o, "something new", VALID_UNSUPPORTED, "");
	obs_capability(o, "ECN marks", VALID_DISABLED, "counterpoll wredqueue enable");
	obs_capability(o, "BGP sessions", VALID_OK, "");
	model_apply(x->m, o, fix_time(0));
	obs_free(o);
	(void)model_age(x->m, fix_time(0));
	x->ctx.scope = fix_device_ref(x->m, "leaf-r0-00");
	assert_int_equal(fix_list(x, v), 4);
	/* By their subject, in whichever order the device reported them. */
	assert_row(x, v, 0, "about", "queues");
	assert_row(x, v, 0, "need", "ECN marks");
	assert_row(x, v, 1, "need", "PFC watchdog");
	assert_row(x, v, 2, "about", "BGP");
	assert_row(x, v, 3, "about", "other");
	fix_leads(x, v, x->rows.at[2], "bgp");
	assert_true(x->scope.kind == REF_DEVICE && x->scope.device == x->ctx.scope.device);
	assert_row(x, v, 0, "state", "disabled");
	assert_row(x, v, 0, "cure", "counterpoll wredqueue enable");
	assert_int_not_equal(ref_key(x->rows.at[0]), ref_key(x->rows.at[1]));
	assert_cell(&x->ctx, all, x->ctx.scope, "gaps", "1 n/a 1 off");
	assert_cell(&x->ctx, all, fix_device_ref(x->m, "spine-000"), "gaps", "-");
	fix_leads(x, all, x->ctx.scope, "device");
}

CASE_WITH(failures_name_the_cure, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("devices"), *leaf = fix_view("leaf");
	struct obs *o = obs_new("leaf-r0-00", "fast");
	struct ref row = fix_device_ref(x->m, "leaf-r0-00");

	x->ctx.now_us = fix_time(0);
	o->result = OBS_FAILED;
	o->received_us = fix_time(0);
	(void)err_set(&o->err, ERR_UNAUTHORISED, "leaf-r0-00", "key refused");
	(void)err_cure(&o->err, "install the key");
	model_apply(x->m, o, fix_time(0));
	obs_free(o);
	(void)model_age(x->m, fix_time(0));
	assert_cell(&x->ctx, v, row, "state", "unauthorised");
	assert_cell(&x->ctx, v, row, "error", "key refused");
	assert_cell(&x->ctx, v, row, "cure", "install the key");
	assert_cell(&x->ctx, v, row, "failures", "1!");
	assert_cell(&x->ctx, v, row, "age", "-");
	x->ctx.scope = row;
	assert_non_null(strstr(leaf->empty(&x->ctx), "key refused"));
}

CASES_MAIN(NULL, NULL)
