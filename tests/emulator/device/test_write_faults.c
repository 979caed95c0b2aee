/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "tests/emulator/support/fault_rig.h"
#include "tests/support/cases.h"

/* The effect of faults on writes, without a network; and the watchdog that does not give up. */

static struct sim_device *leaf(struct sim *s)
{
	return sim_device_by_name(s, "leaf-r0-00");
}

/* A request that shuts the leaf's port n, or opens it. */
static struct sim_request request(struct sim *s, unsigned n, bool up, bool https)
{
	struct sim_port *p = &leaf(s)->ports[n];
	struct sim_port_config c = p->config;

	sim_request_begin(s, leaf(s), https);
	c.admin_up = up;
	sim_configure(s, p, &c, "noc");
	return sim_request_end(s);
}

static void expect(struct sim_request r, bool changed, enum sim_fate fate)
{
	assert_true(r.tried);
	assert_int_equal(r.changed, changed);
	assert_int_equal(r.fate, fate);
}

CASE_WITH(a_write_takes_effect_without_a_fault, fault_setup, fault_teardown)
{
	struct sim *s = *state;

	expect(request(s, 0, false, false), true, SIM_FATE_NONE);
	assert_false(leaf(s)->ports[0].config.admin_up);
	sim_request_begin(s, leaf(s), false);
	assert_false(sim_request_end(s).tried);
}

CASE_WITH(only_the_nth_request_is_hit, fault_setup, fault_teardown)
{
	struct sim *s = *state;

	fault_inject(s, "write-cut:leaf-r0-00,n=2,count=2,before=yes");
	expect(request(s, 0, false, false), true, SIM_FATE_NONE);
	expect(request(s, 1, false, false), false, SIM_FATE_CUT);
	expect(request(s, 2, false, false), false, SIM_FATE_CUT);
	expect(request(s, 3, false, false), true, SIM_FATE_NONE);
	assert_true(leaf(s)->ports[1].config.admin_up && leaf(s)->ports[2].config.admin_up);
}

CASE_WITH(after_it_took_effect_the_request_is_lost_all_the_same, fault_setup, fault_teardown)
{
	struct sim *s = *state;

	fault_inject(s, "write-hang:leaf-r0-00");
	expect(request(s, 0, false, false), true, SIM_FATE_HANG);
	assert_false(leaf(s)->ports[0].config.admin_up);
	expect(request(s, 0, true, false), true, SIM_FATE_NONE);
}

/* A request with several writes has one fate, and is counted once. */
CASE_WITH(a_request_has_one_fate, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *p = leaf(s)->ports;
	struct sim_port_config c = p[0].config;

	fault_inject(s, "write-denied:leaf-r0-00,n=2");
	c.admin_up = false;
	sim_request_begin(s, leaf(s), false);
	sim_configure(s, &p[0], &c, "noc");
	sim_configure(s, &p[1], &c, "noc");
	expect(sim_request_end(s), true, SIM_FATE_NONE);
	sim_request_begin(s, leaf(s), false);
	sim_configure(s, &p[2], &c, "noc");
	assert_true(sim_write_denied(s));
	sim_configure(s, &p[3], &c, "noc");
	expect(sim_request_end(s), false, SIM_FATE_DENIED);
	assert_false(sim_write_denied(s));
	assert_true(p[2].config.admin_up && p[3].config.admin_up);
	assert_false(p[0].config.admin_up || p[1].config.admin_up);
}

CASE_WITH(noop_holds_until_healed, fault_setup, fault_teardown)
{
	struct sim *s = *state;

	fault_inject(s, "write-noop:leaf-r0-00");
	for (unsigned i = 0; i < 3; i++)
		expect(request(s, 0, false, true), false, SIM_FATE_NONE);
	assert_true(leaf(s)->ports[0].config.admin_up);
	fault_heal(s, "write-noop", 1);
	expect(request(s, 0, false, true), true, SIM_FATE_NONE);
}

CASE_WITH(other_devices_and_reads_are_spared, fault_setup, fault_teardown)
{
	struct sim *s = *state;

	fault_inject(s, "write-denied:leaf-r1-00");
	expect(request(s, 0, false, false), true, SIM_FATE_NONE);
	sim_clear_counters(s, sim_device_by_name(s, "leaf-r1-00"), NULL);
}

CASE_WITH(sessions_are_those_of_https, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_device *d = sim_device_by_name(s, "spine-000");
	struct sim_port_config c = d->ports[0].config;

	fault_inject(s, "session-expired:spine-000");
	for (unsigned https = 0; https < 2; https++) {
		sim_request_begin(s, d, https);
		c.admin_up = false;
		sim_configure(s, &d->ports[0], &c, "noc");
		expect(sim_request_end(s), !https, https ? SIM_FATE_EXPIRED : SIM_FATE_NONE);
	}
}

/* ---- the watchdog that is stuck ---- */

static struct sim_port *guarded(struct sim *s)
{
	struct sim_port *p = NULL;

	for (unsigned i = 0; i < leaf(s)->nports && !p; i++)
		if (strcmp(leaf(s)->ports[i].name, "Ethernet4") == 0)
			p = &leaf(s)->ports[i];
	assert_non_null(p);
	return p;
}

static void stick(struct sim *s)
{
	fault_inject(s, "watchdog-stuck:leaf-r0-00:Ethernet4");
	sim_advance(s, 5 * SEC);
	assert_true(guarded(s)->q[3].wd_stormed);
	assert_int_equal(guarded(s)->q[3].wd_detected, 1);
	sim_advance(s, 60 * SEC);
	assert_true(guarded(s)->q[3].wd_stormed);
}

CASE_WITH(stopping_it_frees_a_stuck_watchdog, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *p = guarded(s);
	struct sim_port_config off, was;

	stick(s);
	was = off = p->config;
	off.wd_mask = 0;
	sim_configure(s, p, &off, "noc");
	sim_configure(s, p, &was, "noc");
	sim_advance(s, 70 * SEC);
	assert_false(p->q[3].wd_stormed);
	assert_int_equal(p->q[3].wd_restored, 1);
	assert_true(fault_last(s)->ended < SIM_NEVER);
}

CASE_WITH(other_settings_leave_it_stuck, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *p = guarded(s);
	struct sim_port_config c;

	stick(s);
	c = p->config;
	c.wd_detect_ms = 300;
	sim_configure(s, p, &c, "noc");
	sim_advance(s, 70 * SEC);
	assert_true(p->q[3].wd_stormed);
}

CASE_WITH(recovering_frees_it_and_finds_a_real_storm_again, fault_setup, fault_teardown)
{
	struct sim *s = *state;
	struct sim_port *p = guarded(s);

	stick(s);
	sim_watchdog_restart(s, p, "noc");
	sim_advance(s, 70 * SEC);
	assert_false(p->q[3].wd_stormed);
	fault_inject(s, "pfc-storm:node001:mlx5_0");
	sim_advance(s, 80 * SEC);
	assert_true(p->q[3].wd_stormed);
	sim_watchdog_restart(s, p, "noc");
	sim_advance(s, 90 * SEC);
	assert_true(p->q[3].wd_stormed);
}

CASES_MAIN(NULL, NULL)
