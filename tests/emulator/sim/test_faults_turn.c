/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "tests/emulator/support/fault_rig.h"
#include "tests/support/cases.h"

/* The knobs that each class of faults turns. */

CASE_WITH(test_configuration_faults_change_the_configuration, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_device *leaf = sim_device_by_name(s, "leaf-r0-00");
	struct sim_port *nic = &sim_device_by_name(s, "node004")->ports[2];
	uint64_t logged = leaf->logged;

	fault_inject(s, "watchdog-missing:leaf-r0-00");
	fault_inject(s, "ecn-off:leaf-r0-00:Ethernet4");
	fault_inject(s, "pfc-off:leaf-r0-00:Ethernet8");
	fault_inject(s, "cc-off:node004");
	fault_inject(s, "cnp-off:node004:mlx5_2");
	assert_int_equal(leaf->ports[0].config.wd_mask, 0);
	assert_int_equal(leaf->ports[63].config.wd_mask, 0);
	assert_false(leaf->ports[1].config.ecn);
	assert_true(leaf->ports[2].config.ecn);
	assert_int_equal(leaf->ports[2].config.pfc_mask, 0);
	assert_false(nic->config.rp || nic->config.np);
	assert_false(sim_device_by_name(s, "node004")->ports[0].config.rp);
	assert_true(sim_device_by_name(s, "node004")->ports[0].config.np);
	/* Nobody configured it today. */
	assert_int_equal(leaf->logged, logged);
	fault_heal(s, "all", 5);
	assert_int_equal(leaf->ports[0].config.wd_mask, 1U << SIM_PRIO_ROCE);
	assert_true(nic->config.rp && nic->config.np);
}

CASE_WITH(test_a_mended_configuration_stays, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *p = &sim_device_by_name(s, "leaf-r0-00")->ports[3];
	struct sim_port_config c;

	fault_inject(s, "watchdog-missing:leaf-r0-00:Ethernet12");
	c = p->config;
	c.wd_mask = 1U << SIM_PRIO_ROCE | 1U << 4;
	sim_configure(s, p, &c, "operator");
	fault_heal(s, "watchdog-missing", 1);
	assert_int_equal(p->config.wd_mask, 1U << SIM_PRIO_ROCE | 1U << 4);
}

CASE_WITH(test_silent_variants_turn_the_hardware, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct port_state *leaf = fault_port(s, "leaf-r0-00", "Ethernet12");
	struct port_state *nic = fault_port(s, "node003", "mlx5_0");

	fault_inject(s, "watchdog-missing:leaf-r0-00:Ethernet12,silent=yes");
	fault_inject(s, "ecn-off:leaf-r0-00:Ethernet12,silent=yes");
	fault_inject(s, "pfc-off:leaf-r0-00:Ethernet12,silent=yes");
	fault_inject(s, "cc-off:node003:mlx5_0,silent=yes");
	fault_inject(s, "cnp-off:node003:mlx5_0,silent=yes");
	assert_int_equal(leaf->k.no_watchdog, 1);
	assert_int_equal(leaf->k.no_ecn, 1);
	assert_int_equal(leaf->k.no_pfc, 1);
	assert_true(nic->k.no_rp && nic->k.no_np);
	assert_true(s->port[nic - s->state].config.rp);
	fault_heal(s, "node003", 2);
	assert_false(nic->k.no_rp || nic->k.no_np);
	fault_heal(s, "leaf-r0-00", 3);
}

CASE_WITH(test_storm_without_watchdog, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *leaf = sim_device_by_name(s, "node003")->ports[1].peer;

	fault_inject(s, "pfc-storm:node003:mlx5_1,watchdog=no");
	assert_int_equal(fault_port(s, "node003", "mlx5_1")->k.storms, 1);
	assert_int_equal(leaf->config.wd_mask, 0);
	assert_int_equal(sim_state(s, leaf)->k.no_watchdog, 0);
	fault_heal(s, "pfc-storm:node003:eth1", 1);
	assert_int_equal(leaf->config.wd_mask, 1U << SIM_PRIO_ROCE);
}

CASE_WITH(test_values_combine, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct port_state *st = fault_port(s, "node004", "mlx5_2");

	fault_inject(s, "slow-receiver:node004:mlx5_2,rate=70%");
	fault_inject(s, "pcie-degraded:node004:mlx5_2,rate=30%");
	fault_inject(s, "corrupt:node004:mlx5_2,loss=1e-3");
	assert_float_equal(st->k.drain, 0.3, 1e-9);
	assert_float_equal(st->k.send, 0.3, 1e-9);
	assert_float_equal(st->k.loss, 1e-3, 1e-12);
	assert_int_equal(st->k.pcie_narrow, 1);
	fault_heal(s, "pcie-degraded", 1);
	assert_float_equal(st->k.drain, 0.7, 1e-9);
	assert_float_equal(st->k.send, 1, 0);
	assert_float_equal(st->k.loss, 1e-3, 1e-12);
}

CASE_WITH(test_weak_optic_ramps, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct port_state *st = fault_port(s, "leaf-r1-00", "Ethernet132");
	struct sim_port *p = &s->port[st - s->state];
	double before = p->lane[0].rx_dbm, half, ber;

	fault_inject(s, "weak-optic:leaf-r1-00:Ethernet132,db=6,ramp=60s,for=5m");
	sim_advance(s, 30 * SEC);
	half = st->k.rx_loss_db;
	ber = st->k.ber;
	assert_in_range((uintmax_t)(half * 10), 25, 40);
	sim_advance(s, 61 * SEC);
	assert_float_equal(st->k.rx_loss_db, 6, 1e-9);
	assert_true(st->k.ber > 10 * ber && st->k.ber < 2.4e-4);
	assert_true(p->lane[0].rx_dbm < before - 5 && p->lane[0].rx_dbm > -14);
	assert_true(p->pre_fec_ber > 1e-6 && !p->rx_los);
	assert_float_equal(st->k.loss, 0, 0);
	sim_advance(s, 301 * SEC);
	assert_float_equal(st->k.rx_loss_db, 0, 0);
	assert_float_equal(st->k.ber, 0, 0);
	/* One lane only, and so weak that the module gives up. */
	fault_inject(s, "weak-optic:leaf-r1-00:Ethernet132,db=20,ramp=0,lane=yes");
	sim_advance(s, 302 * SEC);
	assert_true(p->lane[SIM_WEAK_LANE].rx_dbm < -14 && p->lane[0].rx_dbm > -3);
	assert_true(p->rx_los);
}

CASE_WITH(test_deadlock_is_a_cycle, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	const struct fault *f;
	size_t held = 0;

	fault_inject(s, "deadlock:leaf-r3-00");
	f = fault_last(s);
	assert_int_equal(f->ports.n, 4);
	for (size_t i = 0; i < 4; i++) {
		const struct sim_port *p = f->ports.at[i], *next = f->ports.at[(i + 1) % 4];

		/* Each egress leads to the device of the next one, and tiers alternate. */
		assert_ptr_equal(sim_device_of(s, p->peer), sim_device_of(s, next));
		assert_int_not_equal(p->tier, p->peer->tier);
		assert_int_equal(p->config.wd_mask, 0);
	}
	for (size_t i = 0; i < s->nports; i++)
		held += s->state[i].k.held;
	assert_int_equal(held, 4);
	/* It does not end by itself. */
	sim_advance(s, 1000 * SEC);
	assert_int_equal(sim_state(s, f->ports.at[0])->k.held, 1);
	fault_heal(s, "deadlock", 1);
}

CASE_WITH(test_pressure_pulses, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct port_state *st;

	fault_inject(s, "cbd-pressure:leaf-r3-00,period=1s,down=150ms,for=10s");
	st = sim_state(s, fault_last(s)->ports.at[0]);
	sim_advance(s, 100000);
	assert_int_equal(st->k.held, 1);
	sim_advance(s, 200000);
	assert_int_equal(st->k.held, 0);
	sim_advance(s, 1100000);
	assert_int_equal(st->k.held, 1);
	sim_advance(s, 11 * SEC);
	assert_int_equal(st->k.held, 0);
	assert_int_equal(fault_last(s)->ended, 10 * SEC);
}

CASE_WITH(test_miswire_comes_back_in_any_order, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *a = &sim_device_by_name(s, "node001")->ports[2];
	struct sim_port *b = &sim_device_by_name(s, "node002")->ports[2];

	fault_inject(s, "miswire:node001:mlx5_2,with=node002");
	assert_ptr_equal(a->peer, b->plan_peer);
	assert_ptr_equal(b->plan_peer->peer, a);
	fault_inject(s, "miswire:node002:mlx5_2,with=node003");
	fault_heal(s, "1", 1);
	assert_ptr_equal(a->peer, a->plan_peer);
	assert_ptr_not_equal(b->peer, b->plan_peer);
	fault_heal(s, "2", 1);
	assert_ptr_equal(b->peer, b->plan_peer);
	fault_inject(s, "miswire:node001,rotate=3");
	for (unsigned k = 0; k < 8; k++)
		assert_ptr_equal(sim_device_by_name(s, "node001")->ports[k].peer,
			sim_device_by_name(s, "node001")->ports[(k + 3) % 8].plan_peer);
	fault_heal(s, "all", 1);
	assert_ptr_equal(a->peer, a->plan_peer);
}

CASE_WITH(test_uplinks_and_devices, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_device *leaf = sim_device_by_name(s, "leaf-r4-00");
	unsigned down = 0;

	fault_inject(s, "uplinks-lost:leaf-r4-00,count=16");
	for (unsigned i = 0; i < leaf->nports; i++) {
		down += sim_state(s, &leaf->ports[i])->k.down;
		assert_true(!sim_state(s, &leaf->ports[i])->k.down ||
			    leaf->ports[i].peer->tier == TIER_SPINE);
	}
	assert_int_equal(down, 16);
	fault_inject(s, "gpu-straggler:node003,delay=800ms");
	fault_inject(s, "gpu-straggler:node003,delay=200ms");
	assert_int_equal(sim_device_knobs(s, sim_device_by_name(s, "node003"))->late_us, 800000);
	fault_heal(s, "2", 1);
	assert_int_equal(sim_device_knobs(s, sim_device_by_name(s, "node003"))->late_us, 200000);
	fault_inject(s, "gpu-error:node009");
	assert_int_equal(sim_device_knobs(s, sim_device_by_name(s, "node009"))->dead, 1);
	assert_int_equal(sim_device_by_name(s, "node009")->log[0].kind, SIM_LOG_XID);
	fault_inject(s, "clock-skew:node009,by=-90s");
	fault_inject(s, "clock-skew:node009,by=30s");
	assert_int_equal(sim_device_by_name(s, "node009")->clock_skew_us, -60 * SEC);
}

CASE_WITH(test_traffic_comes_and_goes, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	size_t before = s->nflows, to_it = 0, spread = 0;
	const struct sim_port *nic = &sim_device_by_name(s, "node004")->ports[0];

	fault_inject(s, "incast:node004:mlx5_0,fanin=24,rate=10%");
	assert_int_equal(s->nflows, before + 24);
	for (size_t i = before; i < s->nflows; i++) {
		assert_int_not_equal(s->flow[i].src->device, nic->device);
		to_it += s->flow[i].dst == nic;
		spread += s->flow[i].src->rail != nic->rail;
	}
	assert_int_equal(to_it, 24);
	/* Some through the spines, some from the same leaf. */
	assert_in_range(spread, 8, 16);
	fault_inject(s, "mixed-traffic:node004:mlx5_0,fanin=6");
	assert_false(s->flow[s->nflows - 1].rdma);
	fault_heal(s, "incast", 1);
	assert_int_equal(s->nflows, before + 6);
	fault_heal(s, "all", 1);
	assert_int_equal(s->nflows, before);
	fault_inject(s, "deaf-nic:node005:mlx5_3");
	to_it = 0;
	for (size_t i = before; i < s->nflows; i++) {
		to_it += s->flow[i].src == &sim_device_by_name(s, "node005")->ports[3];
		assert_int_equal(s->flow[i].dst->peer->device,
			sim_device_by_name(s, "node005")->ports[3].peer->device);
		assert_int_not_equal(s->flow[i].dst->device, 5);
	}
	assert_true(to_it >= 1);
}

CASES_MAIN(NULL, NULL)
