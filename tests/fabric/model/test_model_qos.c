/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/fabric/model/feed.h"
#include "tests/support/cases.h"

#define DSCP_MAP "0000000000000000000000000030000000000000000000006000000000000000"

static struct obs *settings(const char *device)
{
	struct obs *o = feed_batch_of(device, "qos");
	uint32_t p = obs_port(o, "Ethernet0");

	obs_word(o, p, ATTR_TRUST, 0, "dscp");
	obs_word(o, p, ATTR_DSCP_TO_TC, 0, DSCP_MAP);
	obs_word(o, p, ATTR_TC_TO_QUEUE, 0, "01234567");
	obs_word(o, p, ATTR_TC_TO_PG, 0, "0003----");
	obs_word(o, p, ATTR_PRIO_TO_QUEUE, 0, "012"); /* no map */
	obs_number(o, p, ATTR_ECN_MIN_BYTES, 3, 500000);
	obs_number(o, p, ATTR_ECN_MAX_BYTES, 3, 1500000);
	obs_number(o, p, ATTR_ECN_PROBABILITY, 3, 5);
	obs_number(o, p, ATTR_ECN_PROBABILITY, 4, 101);
	obs_number(o, p, ATTR_XOFF_BYTES, 3, 0);
	obs_number(o, p, ATTR_HEADROOM_BYTES, 3, 70000);
	return o;
}

CASE_WITH(settings_of_a_port_land, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");

	assert_null(p->qos);
	feed(m, settings("leaf-r0-00"), 0);
	assert_string_equal(p->qos->trust, "dscp");
	assert_string_equal(p->qos->dscp_to_tc, DSCP_MAP);
	assert_string_equal(p->qos->tc_to_queue, "01234567");
	assert_string_equal(p->qos->tc_to_pg, "0003----");
	assert_null(p->qos->prio_to_queue);
	assert_int_equal(p->qos->prio[3].ecn_min_bytes, 500000);
	assert_int_equal(p->qos->prio[3].ecn_max_bytes, 1500000);
	assert_near((double)p->qos->prio[3].ecn_probability, 5);
	assert_true(isnan(p->qos->prio[4].ecn_probability));
	assert_int_equal(p->qos->prio[3].xoff_bytes, 0);
	assert_int_equal(p->qos->prio[3].xon_bytes, UINT32_MAX);
	assert_int_equal(p->qos->prio[3].headroom_bytes, 70000);
	assert_int_equal(p->qos->prio[2].ecn_min_bytes, UINT32_MAX);
	assert_int_equal(p->qos->roce_tclass, -1);
	assert_int_equal(p->qos->storm_tout_ms, -1);
}

CASE_WITH(equal_maps_are_one_and_changes_are_seen, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *a = feed_port(m, "leaf-r0-00", "Ethernet0");
	const struct port *b = feed_port(m, "leaf-r1-00", "Ethernet0");
	uint64_t generation;
	struct obs *o;

	feed(m, settings("leaf-r0-00"), 0);
	feed(m, settings("leaf-r1-00"), 0);
	assert_ptr_equal(a->qos->dscp_to_tc, b->qos->dscp_to_tc);
	generation = m->generation;
	feed(m, settings("leaf-r0-00"), 1);
	assert_int_equal(m->generation, generation);
	o = feed_batch_of("leaf-r1-00", "qos");
	obs_word(o, obs_port(o, "Ethernet0"), ATTR_DSCP_TO_TC, 0, "");
	feed(m, o, 2);
	assert_true(m->generation > generation);
	assert_null(b->qos->dscp_to_tc);
	assert_non_null(a->qos->dscp_to_tc);
}

CASE_WITH(maps_that_never_end_cost_no_memory, feed_setup, feed_teardown)
{
	struct model *m = *state;
	char map[9];

	for (unsigned i = 0; i < 6000; i++) {
		struct obs *o = feed_batch_of("leaf-r0-00", "qos");

		(void)str_printf(map, sizeof(map), "%08u", i);
		obs_word(o, obs_port(o, "Ethernet0"), ATTR_TC_TO_PG, 0, map);
		feed(m, o, i);
	}
	assert_null(feed_port(m, "leaf-r0-00", "Ethernet0")->qos->tc_to_pg); /* unknown, not old */
}

CASE_WITH(settings_of_a_nic_land, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p = feed_port(m, "node000", "mlx5_0");
	struct obs *o = feed_batch_of("node000", "slow");
	uint32_t at = obs_port(o, "mlx5_0");

	obs_number(o, at, ATTR_ROCE_TCLASS, 0, 106);
	obs_number(o, at, ATTR_CNP_DSCP, 0, 48);
	obs_number(o, at, ATTR_CNP_PRIO, 0, 6);
	obs_number(o, at, ATTR_DCQCN_RP, 0, 8);
	obs_number(o, at, ATTR_DCQCN_NP, 0, 0);
	obs_number(o, at, ATTR_STORM_TOUT_MS, 0, 65535);
	obs_number(o, at, ATTR_PCIE_MAX_WIDTH, 0, 16);
	obs_number(o, at, ATTR_PCIE_MAX_MTPS, 0, 32000);
	obs_word(o, at, ATTR_PCI_ADDR, 0, "0000:5d:00.0");
	feed(m, o, 0);
	assert_int_equal(p->qos->roce_tclass, 106);
	assert_int_equal(p->qos->cnp_dscp, 48);
	assert_int_equal(p->qos->cnp_prio, 6);
	assert_int_equal(p->qos->dcqcn_rp, 0x108);
	assert_int_equal(p->qos->dcqcn_np, 0x100);
	assert_int_equal(p->qos->storm_tout_ms, 65535);
	assert_int_equal(p->more->pcie_max_width, 16);
	assert_int_equal(p->more->pcie_max_mtps, 32000);
	assert_string_equal(p->more->pci_addr, "0000:5d:00.0");
}

CASE_WITH(limits_of_a_module_land, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p = feed_port(m, "leaf-r0-00", "Ethernet0");
	struct obs *o = feed_batch();
	uint32_t at = obs_port(o, "Ethernet0");

	obs_number(o, at, ATTR_RX_POWER_LIMIT, LIMIT_LOW_ALARM, -12.5);
	obs_number(o, at, ATTR_TEMPERATURE_LIMIT, LIMIT_HIGH_ALARM, 75);
	obs_number(o, at, ATTR_VOLTAGE_LIMIT, LIMIT_COUNT, 9); /* there is no such limit */
	feed(m, o, 0);
	assert_near((double)p->more->limits->rx_power_dbm[LIMIT_LOW_ALARM], -12.5);
	assert_true(isnan(p->more->limits->rx_power_dbm[LIMIT_LOW_WARN]));
	assert_near((double)p->more->limits->temperature_c[LIMIT_HIGH_ALARM], 75);
	assert_true(isnan(p->more->limits->voltage_v[LIMIT_LOW_ALARM]));
	assert_null(p->qos);
}

CASE_WITH(facts_of_a_device_land, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o = feed_batch();

	obs_number(o, OBS_NO_PORT, ATTR_BGP_AS, 0, 4200000001.0);
	obs_word(o, OBS_NO_PORT, ATTR_ROUTER_ID, 0, "10.1.0.1");
	obs_word(o, OBS_NO_PORT, ATTR_ECMP_HASH, 0, "src-ip dst-ip");
	obs_word(o, OBS_NO_PORT, ATTR_LAG_HASH, 0, "src-mac");
	obs_word(o, OBS_NO_PORT, ATTR_HASH_ALGORITHM, 0, "crc seed 10");
	obs_number(o, OBS_NO_PORT, ATTR_PFCWD_POLL_MS, 0, 200);
	obs_fact(o, "release", "9.2");
	feed(m, o, 0);
	assert_int_equal(d->bgp_as, 4200000001U);
	assert_string_equal(d->router_id, "10.1.0.1");
	assert_string_equal(d->ecmp_hash, "src-ip dst-ip");
	assert_string_equal(d->lag_hash, "src-mac");
	assert_string_equal(d->hash_algorithm, "crc seed 10");
	assert_int_equal(d->pfcwd_poll_ms, 200);
}

CASE_WITH(another_mtu_is_an_event, feed_setup, feed_teardown)
{
	struct model *m = *state;
	static const double mtus[] = {9100, 9100, 1500, 1500};

	for (size_t i = 0; i < sizeof(mtus) / sizeof(mtus[0]); i++) {
		struct obs *o = feed_batch();

		obs_number(o, obs_port(o, "Ethernet0"), ATTR_MTU, 0, mtus[i]);
		feed(m, o, (double)i);
	}
	assert_int_equal(feed_events(m, EV_MTU), 1);
	assert_string_equal(feed_event(m, EV_MTU)->text, "1500, was 9100");
}

static void neighbour(struct model *m, double t, const char *device, const char *port)
{
	struct obs *o = feed_batch_of("leaf-r0-00", "lldp");
	uint32_t p = obs_port(o, "Ethernet12");

	obs_lldp(o, p, device, port);
	if (*device) {
		obs_word(o, p, ATTR_LLDP_MGMT, 0, "192.0.2.7");
		obs_word(o, p, ATTR_LLDP_DESCR, 0, "switch of some kind");
	}
	feed(m, o, t);
}

CASE_WITH(a_neighbour_is_lost_or_another_one, feed_setup, feed_teardown)
{
	struct model *m = *state;
	const struct port *p = feed_port(m, "leaf-r0-00", "Ethernet12");

	neighbour(m, 0, "spine-000", "Ethernet1/1");
	assert_string_equal(p->more->lldp_mgmt, "192.0.2.7");
	neighbour(m, 30, "", "");
	neighbour(m, 60, "", "");
	assert_int_equal(feed_events(m, EV_LLDP_LOST), 1);
	assert_string_equal(feed_event(m, EV_LLDP_LOST)->text, "was spine-000:Ethernet1/1");
	assert_string_equal(p->more->lldp_mgmt, "");
	assert_string_equal(p->more->lldp_descr, "");
	neighbour(m, 90, "spine-000", "Ethernet1/1");
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 0); /* the same one is back */
	neighbour(m, 120, "", "");
	neighbour(m, 150, "spine-000", "Ethernet9/1"); /* the cable was moved */
	assert_int_equal(feed_events(m, EV_LLDP_LOST), 2);
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 1);
	neighbour(m, 180, "spine-000", "Ethernet1/1");
	assert_int_equal(feed_events(m, EV_NEIGHBOUR), 2);
	assert_string_equal(feed_event(m, EV_NEIGHBOUR)->text,
		"spine-000:Ethernet1/1, was spine-000:Ethernet9/1");
}

CASES_MAIN(NULL, NULL)
