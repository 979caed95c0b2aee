/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"
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

CASE_WITH(bgp_lists_sessions_of_the_fabric_or_a_device, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("bgp"), *devices = fix_view("devices");

	x->ctx.now_us = fix_time(5);
	assert_int_equal(fix_list(x, v), 0);
	assert_non_null(v->empty(&x->ctx));
	sessions(x->m, 0, BGP_ESTABLISHED);
	sessions(x->m, 5, BGP_IDLE);
	assert_int_equal(fix_list(x, v), 3);
	assert_string_equal(v->sort, "-state");
	assert_row(x, v, 2, "peer", "Ethernet8");
	assert_row(x, v, 2, "host", "spine-000"); /* of the port's other end */
	assert_row(x, v, 2, "state", "idle!");
	assert_row(x, v, 2, "since", "2h");
	assert_row(x, v, 2, "prefixes", "12");
	assert_row(x, v, 2, "downs", "1!");
	assert_row(x, v, 2, "drops", "-");
	assert_row(x, v, 2, "as", "65100");
	assert_row(x, v, 1, "host", "spine-001");
	assert_row(x, v, 1, "afi", "evpn");
	assert_row(x, v, 0, "vrf", "blue");
	assert_row(x, v, 0, "state", "admin-down");
	assert_true(fix_cell(&x->ctx, v, x->rows.at[2], "state").number >
		    fix_cell(&x->ctx, v, x->rows.at[0], "state").number);
	assert_true(fix_cell(&x->ctx, v, x->rows.at[0], "state").number >
		    fix_cell(&x->ctx, v, x->rows.at[1], "state").number);
	fix_leads(x, v, x->rows.at[2], "port");
	fix_leads(x, v, x->rows.at[1], "device");
	assert_cell(&x->ctx, devices, fix_device_ref(x->m, "leaf-r0-00"), "bgp", "2/3!");
	assert_cell(&x->ctx, devices, fix_device_ref(x->m, "spine-000"), "bgp", "-");
	assert_int_not_equal(ref_key(x->rows.at[0]), ref_key(x->rows.at[1]));
	x->ctx.scope = fix_device_ref(x->m, "spine-000");
	assert_int_equal(fix_list(x, v), 0);
}

/* The device answers, but not about BGP any more; and then not at all. */
CASE_WITH(sessions_that_nobody_told_of_lately_are_shown_as_old, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("bgp");
	struct obs *o;

	x->ctx.now_us = fix_time(5);
	sessions(x->m, 0, BGP_ESTABLISHED);
	(void)fix_list(x, v);
	assert_row(x, v, 2, "state", "established");
	assert_row(x, v, 2, "data", "fresh");
	o = obs_new("leaf-r0-00", "fast");
	obs_count(o, obs_port(o, "Ethernet0"), CTR_RX_BYTES, 0, 1);
	apply(x->m, o, 1200);
	x->ctx.now_us = fix_time(1200);
	assert_row(x, v, 2, "state", "~established");
	assert_row(x, v, 2, "prefixes", "~12");
	assert_row(x, v, 2, "data", "old <1h");
	x->ctx.now_us = fix_time(8000);
	(void)model_age(x->m, x->ctx.now_us);
	assert_row(x, v, 2, "data", "old <1d");
	assert_row(x, v, 2, "state", "~established");
}

/* A row made before other sessions came still shows its own. */
CASE_WITH(a_session_is_found_again_when_the_list_grows, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("bgp");
	struct obs *o;

	x->ctx.now_us = fix_time(5);
	sessions(x->m, 0, BGP_ESTABLISHED);
	(void)fix_list(x, v);
	o = obs_new("leaf-r0-00", "bgp");
	(void)obs_bgp(o, BGP_IPV4, "a vrf before", "10.0.0.1", "", BGP_ESTABLISHED);
	apply(x->m, o, 5);
	assert_row(x, v, 2, "peer", "Ethernet8");
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

CASE_WITH(settings_of_a_port_are_shown, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("port");
	const struct port *p = fix_port(x->m, "leaf-r0-00", "Ethernet0");
	struct panel_line line;

	x->ctx.now_us = fix_time(0);
	x->ctx.scope = fix_port_ref(x->m, "leaf-r0-00", "Ethernet0");
	(void)fix_list(x, v);
	assert_row(x, v, 3, "dscp", "-");
	assert_row(x, v, 3, "ecn_min", "-");
	assert_false(settings_map_line(&x->ctx, p, &line) || settings_ecn_line(&x->ctx, p, &line) ||
		     settings_nic_line(p, &line) || settings_limits_line(p, &line));
	apply(x->m, settings_of("leaf-r0-00", "Ethernet0"), 0);
	assert_row(x, v, 3, "dscp", "24-26,46");
	assert_row(x, v, 2, "dscp", "");
	assert_row(x, v, 3, "ecn_min", "500k");
	assert_row(x, v, 3, "ecn_max", "1.50M");
	assert_row(x, v, 3, "ecn_prob", "5.0%");
	assert_row(x, v, 3, "xoff", "18.4k");
	assert_row(x, v, 3, "headroom", "-");
	assert_row(x, v, 3, "wd_detect", "200");
	assert_row(x, v, 2, "ecn_max", "-");
	assert_true(settings_map_line(&x->ctx, p, &line));
	assert_string_equal(line.text, "trust dscp  dscp 24-26,46>tc 3>q 3 pg -");
	assert_true(settings_ecn_line(&x->ctx, p, &line));
	assert_string_equal(line.text, "p3 ecn 500k-1.50M 5%  xoff 18.4k  headroom -");
	assert_true(settings_nic_line(p, &line));
	assert_string_equal(
		line.text, "tclass 106 (dscp 26)  cnp dscp - prio -  rp 3 np -  storm auto");
	assert_true(settings_limits_line(p, &line));
	assert_non_null(strstr(line.text, "rx -/-12.2"));
}

/* Thresholds that the system ships with have its name beside them. */
CASE_WITH(defaults_are_named, fix_open, fix_close)
{
	struct fix *x = *state;
	struct obs *o = obs_new("leaf-r0-00", "qos");
	uint32_t p = obs_port(o, "Ethernet0");
	struct panel_line line;

	(void)str_copy(model_device(x->m, "leaf-r0-00")->dialect, 16, "sonic");
	obs_number(o, p, ATTR_ECN_MIN_BYTES, 3, 1048576);
	obs_number(o, p, ATTR_ECN_MAX_BYTES, 3, 2097152);
	apply(x->m, o, 0);
	assert_true(settings_ecn_line(&x->ctx, fix_port(x->m, "leaf-r0-00", "Ethernet0"), &line));
	assert_string_equal(
		line.text, "p3 ecn 1.05M-2.10M - (default of SONiC)  xoff -  headroom -");
}

CASE_WITH(the_highest_fec_bin_is_a_number, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("leaf");
	struct ref row = fix_port_ref(x->m, "leaf-r0-00", "Ethernet0");
	struct obs *o = obs_new("leaf-r0-00", "fast");
	uint32_t p = obs_port(o, "Ethernet0");

	x->ctx.now_us = fix_time(0);
	x->ctx.scope = fix_device_ref(x->m, "leaf-r0-00");
	assert_cell(&x->ctx, v, row, "fec_bins", "-");
	for (unsigned bin = 0; bin < FEC_BINS; bin++)
		obs_count(o, p, CTR_FEC_BIN, bin, bin <= 12 ? 1000000U >> bin : 0);
	apply(x->m, o, 0);
	assert_cell(&x->ctx, v, row, "fec_bins", "to bin 12");
	assert_true(fix_cell(&x->ctx, v, row, "fec_bins").number > 11);
}

CASE_WITH(growth_since_a_mark_is_shown, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("leaf"), *prio = fix_view("priority");
	struct ref row = fix_port_ref(x->m, "leaf-r0-00", "Ethernet0"), one = {0};
	struct fault fault = {
		.device = "leaf-r0-00", .port = "Ethernet0", .pfc_frames = 100, .drops = 3};

	x->ctx.now_us = fix_time(5);
	fix_poll(x->m, 0, &fault, 1);
	x->ctx.scope = fix_device_ref(x->m, "leaf-r0-00");
	assert_cell(&x->ctx, v, row, "since_rx", "-");
	assert_true(model_mark(x->m, "old", fix_time(1), NULL));
	fix_poll(x->m, 5, &fault, 1);
	assert_cell(&x->ctx, v, row, "since_rx", "125G");
	assert_cell(&x->ctx, v, row, "since_pfc_rx", "500");
	assert_cell(&x->ctx, v, row, "since_drops", "15!");
	assert_true(model_mark(x->m, "new", fix_time(6), NULL));
	assert_cell(&x->ctx, v, row, "since_rx", "0"); /* the newest */
	x->ctx.mark = "old";
	assert_cell(&x->ctx, v, row, "since_rx", "125G");
	x->ctx.scope = (struct ref){.kind = REF_PRIORITY, .port = row.port, .priority = 3};
	(void)fix_list(x, prio);
	for (size_t i = 0; i < x->rows.n; i++)
		if (str_eq(fix_cell(&x->ctx, prio, x->rows.at[i], "counter").text, "queue_drops"))
			one = x->rows.at[i];
	assert_cell(&x->ctx, prio, one, "since_mark", "15!");
	x->ctx.mark = "-";
	assert_cell(&x->ctx, prio, one, "since_mark", "-");
}

CASE_WITH(gaps_are_sorted_by_what_can_be_cured, fix_open, fix_close)
{
	struct fix *x = *state;
	const struct view_ops *v = fix_view("devices");
	struct obs *o = obs_new("leaf-r0-00", "slow");

	x->ctx.now_us = fix_time(0);
	obs_capability(o, "ECN marks", VALID_DISABLED, "switch it on");
	apply(x->m, o, 0);
	o = obs_new("leaf-r1-00", "slow");
	for (int i = 0; i < 9; i++) {
		char need[16];

		(void)str_printf(need, sizeof(need), "need %d", i);
		obs_capability(o, need, VALID_UNSUPPORTED, "");
	}
	apply(x->m, o, 0);
	o = obs_new("leaf-r2-00", "slow");
	obs_capability(o, "ECN marks", VALID_OK, "");
	apply(x->m, o, 0);
	assert_cell(&x->ctx, v, fix_device_ref(x->m, "leaf-r0-00"), "gaps", "1 off");
	assert_cell(&x->ctx, v, fix_device_ref(x->m, "leaf-r1-00"), "gaps", "9 n/a");
	assert_cell(&x->ctx, v, fix_device_ref(x->m, "leaf-r2-00"), "gaps", "none");
	assert_true(fix_cell(&x->ctx, v, fix_device_ref(x->m, "leaf-r0-00"), "gaps").number >
		    fix_cell(&x->ctx, v, fix_device_ref(x->m, "leaf-r1-00"), "gaps").number);
}

CASE(counters_belong_to_a_group_too)
{
	assert_string_equal(need_group("queue_drops"), "queues");
	assert_string_equal(need_group("pfc_rx_frames"), "PFC");
	assert_string_equal(need_group("fec_bin"), "FEC");
	assert_string_equal(need_group("what is that"), "other");
	assert_true(need_order("identity") < need_order("ECN marks"));
	assert_true(need_order("ECN marks") < need_order("queue_drops"));
	assert_true(need_order("queue_drops") < need_order("ECN settings"));
	assert_true(need_order("RDMA devices") < need_order("what is that"));
}

CASES_MAIN(NULL, NULL)
