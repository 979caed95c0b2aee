/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stddef.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/views/support/fixture.h"
#include "views/panels/need_groups.h"
#include "views/panels/port_settings.h"

static void apply(struct model *m, struct obs *o, int s)
{
	o->received_us = fix_time(s);
	model_apply(m, o, fix_time(s));
	obs_free(o);
	(void)model_age(m, fix_time(s));
}

static void sessions(struct model *m, int s, enum bgp_state first)
{
	struct obs *o = obs_new("leaf-r0-00", "bgp");
	struct obs_bgp *b = obs_bgp(o, BGP_IPV4, "default", "Ethernet8", "", first);

	b->since_s = 7200;
	b->prefixes = 12;
	b->remote_as = 65100;
	(void)obs_bgp(o, BGP_EVPN, "default", "10.0.0.2", "spine-001", BGP_ESTABLISHED);
	(void)obs_bgp(o, BGP_IPV4, "blue", "10.0.0.3", "", BGP_ADMIN_DOWN);
	apply(m, o, s);
}

static void bgp_lists_sessions_of_the_fabric_or_a_device(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 5);
	const struct view_ops *v = fix_view("bgp"), *devices = fix_view("devices");
	const char *target = NULL;
	struct ref scope;
	row_vec rows;

	(void)state;
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 0);
	assert_non_null(v->empty(&ctx));
	vec_free(&rows);
	sessions(m, 0, BGP_ESTABLISHED);
	sessions(m, 5, BGP_IDLE);
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 3);
	assert_string_equal(v->sort, "-state");
	assert_cell(&ctx, v, rows.at[2], "peer", "Ethernet8");
	assert_cell(&ctx, v, rows.at[2], "host", "spine-000"); /* of the port's other end */
	assert_cell(&ctx, v, rows.at[2], "state", "idle!");
	assert_cell(&ctx, v, rows.at[2], "since", "2h");
	assert_cell(&ctx, v, rows.at[2], "prefixes", "12");
	assert_cell(&ctx, v, rows.at[2], "downs", "1!");
	assert_cell(&ctx, v, rows.at[2], "drops", "-");
	assert_cell(&ctx, v, rows.at[2], "as", "65100");
	assert_cell(&ctx, v, rows.at[1], "host", "spine-001");
	assert_cell(&ctx, v, rows.at[1], "afi", "evpn");
	assert_cell(&ctx, v, rows.at[0], "vrf", "blue");
	assert_cell(&ctx, v, rows.at[0], "state", "admin-down");
	assert_true(fix_cell(&ctx, v, rows.at[2], "state").number >
		    fix_cell(&ctx, v, rows.at[0], "state").number);
	assert_true(fix_cell(&ctx, v, rows.at[0], "state").number >
		    fix_cell(&ctx, v, rows.at[1], "state").number);
	assert_true(v->enter(&ctx, rows.at[2], &target, &scope));
	assert_string_equal(target, "port");
	assert_true(v->enter(&ctx, rows.at[1], &target, &scope));
	assert_string_equal(target, "device");
	assert_cell(&ctx, devices, fix_device_ref(m, "leaf-r0-00"), "bgp", "2/3!");
	assert_cell(&ctx, devices, fix_device_ref(m, "spine-000"), "bgp", "-");
	assert_int_not_equal(ref_key(rows.at[0]), ref_key(rows.at[1]));
	vec_free(&rows);
	ctx.scope = fix_device_ref(m, "spine-000");
	rows = fix_rows(&ctx, v);
	assert_int_equal(rows.n, 0);
	vec_free(&rows);
	model_free(m);
}

/* The device answers, but not about BGP any more; and then not at all. */
static void sessions_that_nobody_told_of_lately_are_shown_as_old(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 5);
	const struct view_ops *v = fix_view("bgp");
	struct obs *o;
	row_vec rows;

	(void)state;
	sessions(m, 0, BGP_ESTABLISHED);
	rows = fix_rows(&ctx, v);
	assert_cell(&ctx, v, rows.at[2], "state", "established");
	assert_cell(&ctx, v, rows.at[2], "data", "fresh");
	o = obs_new("leaf-r0-00", "fast");
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1);
	apply(m, o, 1200);
	ctx.now_us = fix_time(1200);
	assert_cell(&ctx, v, rows.at[2], "state", "~established");
	assert_cell(&ctx, v, rows.at[2], "prefixes", "~12");
	assert_cell(&ctx, v, rows.at[2], "data", "old <1h");
	ctx.now_us = fix_time(8000);
	(void)model_age(m, ctx.now_us);
	assert_cell(&ctx, v, rows.at[2], "data", "old <1d");
	assert_cell(&ctx, v, rows.at[2], "state", "~established");
	vec_free(&rows);
	model_free(m);
}

/* A row made before other sessions came still shows its own. */
static void a_session_is_found_again_when_the_list_grows(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 5);
	const struct view_ops *v = fix_view("bgp");
	struct obs *o;
	row_vec rows;

	(void)state;
	sessions(m, 0, BGP_ESTABLISHED);
	rows = fix_rows(&ctx, v);
	o = obs_new("leaf-r0-00", "bgp");
	(void)obs_bgp(o, BGP_IPV4, "a vrf before", "10.0.0.1", "", BGP_ESTABLISHED);
	apply(m, o, 5);
	assert_cell(&ctx, v, rows.at[2], "peer", "Ethernet8");
	vec_free(&rows);
	model_free(m);
}

static struct obs *settings_of(const char *device, const char *port)
{
	char map[65];
	struct obs *o = obs_new(device, "qos");
	uint32_t p = obs_port(o, port);

	memset(map, '0', 64);
	map[64] = '\0';
	map[24] = map[25] = map[26] = map[46] = '3';
	obs_word(o, p, ATTR_TRUST, 0, "dscp");
	obs_word(o, p, ATTR_DSCP_TO_TC, 0, map);
	obs_word(o, p, ATTR_TC_TO_QUEUE, 0, "01234567");
	obs_number(o, p, ATTR_ECN_MIN_BYTES, 3, 500000);
	obs_number(o, p, ATTR_ECN_MAX_BYTES, 3, 1500000);
	obs_number(o, p, ATTR_ECN_PROBABILITY, 3, 5);
	obs_number(o, p, ATTR_XOFF_BYTES, 3, 18432);
	obs_number(o, p, ATTR_PFCWD_DETECT_MS, 3, 200);
	obs_number(o, p, ATTR_ROCE_TCLASS, 0, 106);
	obs_number(o, p, ATTR_STORM_TOUT_MS, 0, 65535);
	obs_number(o, p, ATTR_DCQCN_RP, 0, 8);
	obs_number(o, p, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM, -12.25);
	return o;
}

static void settings_of_a_port_are_shown(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 0);
	const struct view_ops *v = fix_view("port");
	const struct port *p = fix_port(m, "leaf-r0-00", "Ethernet0");
	struct panel_line line;
	row_vec rows;

	(void)state;
	ctx.scope = fix_port_ref(m, "leaf-r0-00", "Ethernet0");
	rows = fix_rows(&ctx, v);
	assert_cell(&ctx, v, rows.at[3], "dscp", "-");
	assert_cell(&ctx, v, rows.at[3], "ecn_min", "-");
	assert_false(settings_map_line(&ctx, p, &line) || settings_ecn_line(&ctx, p, &line) ||
		     settings_nic_line(p, &line) || settings_limits_line(p, &line));
	apply(m, settings_of("leaf-r0-00", "Ethernet0"), 0);
	assert_cell(&ctx, v, rows.at[3], "dscp", "24-26,46");
	assert_cell(&ctx, v, rows.at[2], "dscp", "");
	assert_cell(&ctx, v, rows.at[3], "ecn_min", "500k");
	assert_cell(&ctx, v, rows.at[3], "ecn_max", "1.50M");
	assert_cell(&ctx, v, rows.at[3], "ecn_prob", "5.0%");
	assert_cell(&ctx, v, rows.at[3], "xoff", "18.4k");
	assert_cell(&ctx, v, rows.at[3], "headroom", "-");
	assert_cell(&ctx, v, rows.at[3], "wd_detect", "200");
	assert_cell(&ctx, v, rows.at[2], "ecn_max", "-");
	assert_true(settings_map_line(&ctx, p, &line));
	assert_string_equal(line.text, "trust dscp  dscp 24-26,46>tc 3>q 3 pg -");
	assert_true(settings_ecn_line(&ctx, p, &line));
	assert_string_equal(line.text, "p3 ecn 500k-1.50M 5%  xoff 18.4k  headroom -");
	assert_true(settings_nic_line(p, &line));
	assert_string_equal(
		line.text, "tclass 106 (dscp 26)  cnp dscp - prio -  rp 3 np -  storm auto");
	assert_true(settings_limits_line(p, &line));
	assert_non_null(strstr(line.text, "rx -/-12.2"));
	vec_free(&rows);
	model_free(m);
}

static void the_highest_fec_bin_is_a_number(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 0);
	const struct view_ops *v = fix_view("leaf");
	struct ref row = fix_port_ref(m, "leaf-r0-00", "Ethernet0");
	struct obs *o = obs_new("leaf-r0-00", "fast");
	uint32_t p = obs_port(o, "Ethernet0");

	(void)state;
	ctx.scope = fix_device_ref(m, "leaf-r0-00");
	assert_cell(&ctx, v, row, "fec_bins", "-");
	for (unsigned bin = 0; bin < FEC_BINS; bin++)
		obs_count(o, p, CTR_FEC_BIN, bin, bin <= 12 ? 1000000U >> bin : 0);
	apply(m, o, 0);
	assert_cell(&ctx, v, row, "fec_bins", "to bin 12");
	assert_true(fix_cell(&ctx, v, row, "fec_bins").number > 11);
	model_free(m);
}

static void growth_since_a_mark_is_shown(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 5);
	const struct view_ops *v = fix_view("leaf"), *prio = fix_view("priority");
	struct ref row = fix_port_ref(m, "leaf-r0-00", "Ethernet0"), one = {0};
	struct fault fault = {
		.device = "leaf-r0-00", .port = "Ethernet0", .pfc_frames = 100, .drops = 3};
	row_vec rows;

	(void)state;
	fix_poll(m, 0, &fault, 1);
	ctx.scope = fix_device_ref(m, "leaf-r0-00");
	assert_cell(&ctx, v, row, "since_rx", "-");
	assert_true(model_mark(m, "old", fix_time(1), NULL));
	fix_poll(m, 5, &fault, 1);
	assert_cell(&ctx, v, row, "since_rx", "125G");
	assert_cell(&ctx, v, row, "since_pfc_rx", "500");
	assert_cell(&ctx, v, row, "since_drops", "15!");
	assert_true(model_mark(m, "new", fix_time(6), NULL));
	assert_cell(&ctx, v, row, "since_rx", "0"); /* the newest */
	ctx.mark = "old";
	assert_cell(&ctx, v, row, "since_rx", "125G");
	ctx.scope = (struct ref){.kind = REF_PRIORITY, .port = row.port, .priority = 3};
	rows = fix_rows(&ctx, prio);
	for (size_t i = 0; i < rows.n; i++)
		if (str_eq(fix_cell(&ctx, prio, rows.at[i], "counter").text, "queue_drops"))
			one = rows.at[i];
	assert_cell(&ctx, prio, one, "since_mark", "15!");
	ctx.mark = "-";
	assert_cell(&ctx, prio, one, "since_mark", "-");
	vec_free(&rows);
	model_free(m);
}

static void gaps_are_sorted_by_what_can_be_cured(void **state)
{
	struct model *m = fix_model();
	struct view_ctx ctx = fix_ctx(m, 0);
	const struct view_ops *v = fix_view("devices");
	struct obs *o = obs_new("leaf-r0-00", "slow");

	(void)state;
	obs_capability(o, "ECN marks", VALID_DISABLED, "switch it on");
	apply(m, o, 0);
	o = obs_new("leaf-r1-00", "slow");
	for (int i = 0; i < 9; i++) {
		char need[16];

		(void)str_printf(need, sizeof(need), "need %d", i);
		obs_capability(o, need, VALID_UNSUPPORTED, "");
	}
	apply(m, o, 0);
	o = obs_new("leaf-r2-00", "slow");
	obs_capability(o, "ECN marks", VALID_OK, "");
	apply(m, o, 0);
	assert_cell(&ctx, v, fix_device_ref(m, "leaf-r0-00"), "gaps", "1 off");
	assert_cell(&ctx, v, fix_device_ref(m, "leaf-r1-00"), "gaps", "9 n/a");
	assert_cell(&ctx, v, fix_device_ref(m, "leaf-r2-00"), "gaps", "none");
	assert_true(fix_cell(&ctx, v, fix_device_ref(m, "leaf-r0-00"), "gaps").number >
		    fix_cell(&ctx, v, fix_device_ref(m, "leaf-r1-00"), "gaps").number);
	model_free(m);
}

static void counters_belong_to_a_group_too(void **state)
{
	(void)state;
	assert_string_equal(need_group("queue_drops"), "queues");
	assert_string_equal(need_group("pfc_rx_frames"), "PFC");
	assert_string_equal(need_group("fec_bin"), "FEC");
	assert_string_equal(need_group("what is that"), "other");
	assert_true(need_order("identity") < need_order("ECN marks"));
	assert_true(need_order("ECN marks") < need_order("queue_drops"));
	assert_true(need_order("queue_drops") < need_order("ECN settings"));
	assert_true(need_order("RDMA devices") < need_order("what is that"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bgp_lists_sessions_of_the_fabric_or_a_device),
		cmocka_unit_test(sessions_that_nobody_told_of_lately_are_shown_as_old),
		cmocka_unit_test(a_session_is_found_again_when_the_list_grows),
		cmocka_unit_test(settings_of_a_port_are_shown),
		cmocka_unit_test(the_highest_fec_bin_is_a_number),
		cmocka_unit_test(growth_since_a_mark_is_shown),
		cmocka_unit_test(gaps_are_sorted_by_what_can_be_cured),
		cmocka_unit_test(counters_belong_to_a_group_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
