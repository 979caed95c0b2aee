/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "emulator/sim/sim.h"
#include "tests/support/cases.h"

/* Sessions between switches: faults that take them down, how fast, and when they come back. */

#define START (INT64_C(1763726000) * CLOCK_SEC)

struct rig {
	struct sim *s;
	struct sim_device *leaf;
	struct sim_port *up, *far; /* an uplink of the leaf and its other end */
};

static int setup(void **state)
{
	static struct rig r;
	struct sim_opts o = {.sizing = sizing_preset("ref256"),
		.seed = 3,
		.start_us = START,
		.speed = 1,
		.steady = true};

	r.s = sim_new(&o);
	r.leaf = sim_device_by_name(r.s, "leaf-r3-00");
	r.up = &r.leaf->ports[40];
	r.far = r.up->peer;
	*state = &r;
	return 0;
}

static int teardown(void **state)
{
	sim_free(((struct rig *)*state)->s);
	return 0;
}

static void at_ms(struct rig *r, int64_t ms)
{
	sim_advance(r->s, START + ms * CLOCK_MSEC);
}

static void inject(struct rig *r, const char *spec)
{
	struct err err;

	if (!sim_inject(r->s, spec, NULL, &err))
		fail_msg("%s: %s", spec, err.text);
}

/* Lines of this kind about the port since the device booted; the text of the newest. */
static unsigned logged(const struct sim_device *d, const struct sim_port *p, enum sim_log_kind kind,
	const char **text)
{
	unsigned n = 0;

	for (uint64_t i = 0; i < d->logged && i < SIM_LOG_KEPT; i++) {
		if (d->log[i].kind != kind || d->log[i].port != p->port)
			continue;
		n++;
		if (text)
			*text = d->log[i].text;
	}
	return n;
}

CASE_WITH(test_sessions_are_between_switches, setup, teardown)
{
	struct rig *r = *state;
	unsigned sessions = 0;

	at_ms(r, 0);
	for (size_t i = 0; i < sim_device_count(r->s); i++) {
		const struct sim_device *d = sim_device(r->s, i);

		for (unsigned k = 0; k < d->nports; k++) {
			const struct sim_port *p = &d->ports[k];
			bool fabric = d->tier != TIER_HOST && p->peer && p->peer->tier != TIER_HOST;

			assert_int_equal(p->bgp.configured, fabric);
			assert_int_equal(p->bgp.established, fabric);
			assert_int_equal(p->bgp.resets, 0);
			sessions += fabric;
		}
	}
	assert_int_equal(sessions, 2 * 8 * 32);
	assert_true(r->up->bgp.since_us < START);
	/* A leaf hears of the seven others, a spine of this one. */
	assert_int_equal(r->up->bgp.prefixes, 7);
	assert_int_equal(r->far->bgp.prefixes, 1);
}

CASE_WITH(test_falls_with_the_link_and_returns_after_it, setup, teardown)
{
	struct rig *r = *state;
	int64_t back;
	const char *why = "";

	inject(r, "link-down:leaf-r3-00:Ethernet160,at=10s,for=5s");
	at_ms(r, 9999);
	assert_true(r->up->bgp.established);
	at_ms(r, 10000);
	assert_false(r->up->bgp.established || r->far->bgp.established);
	assert_int_equal(r->up->bgp.since_us, START + 10 * CLOCK_SEC);
	assert_int_equal(r->up->bgp.prefixes, 0);
	assert_int_equal(r->up->bgp.resets, 1);
	assert_int_equal(logged(r->leaf, r->up, SIM_LOG_BGP_DOWN, &why), 1);
	assert_string_equal(why, "interface down");
	assert_int_equal(logged(sim_device_of(r->s, r->far), r->far, SIM_LOG_BGP_DOWN, NULL), 1);
	/* The link is back at 15 s; the session 3 to 6 s later. */
	at_ms(r, 17999);
	assert_true(r->up->up);
	assert_false(r->up->bgp.established);
	at_ms(r, 21001);
	assert_true(r->up->bgp.established && r->far->bgp.established);
	back = r->up->bgp.since_us - START;
	assert_in_range(back / CLOCK_MSEC, 18000, 21000);
	assert_int_equal(r->up->bgp.prefixes, 7);
	assert_int_equal(r->up->bgp.resets, 1);
	assert_int_equal(logged(r->leaf, r->up, SIM_LOG_BGP_UP, NULL), 1);
	/* Its neighbours never moved. */
	assert_int_equal(r->leaf->ports[41].bgp.resets, 0);
}

CASE_WITH(test_a_flap_faster_than_bgp_keeps_it_down, setup, teardown)
{
	struct rig *r = *state;

	inject(r, "link-flap:leaf-r3-00:Ethernet160,period=2s,down=500ms,for=20s");
	for (int64_t t = 0; t <= 20000; t += 250) {
		at_ms(r, t);
		assert_false(r->up->bgp.established);
	}
	at_ms(r, 27000);
	assert_true(r->up->bgp.established);
	assert_int_equal(r->up->bgp.resets, 1);
}

CASE_WITH(test_hold_time_when_the_neighbour_is_silent, setup, teardown)
{
	struct rig *r = *state;
	const char *why = "";
	struct sim_device *spine = sim_device_of(r->s, r->far);

	at_ms(r, 1000);
	inject(r, "device-hang:spine-001,at=0,for=20s");
	spine = sim_device_by_name(r->s, "spine-001");
	r->far = &spine->ports[5];
	r->up = r->far->peer;
	at_ms(r, 9999);
	assert_true(r->up->bgp.established && r->up->up);
	at_ms(r, 10000);
	assert_false(r->up->bgp.established);
	assert_true(r->up->up);
	assert_int_equal(logged(sim_device_of(r->s, r->up), r->up, SIM_LOG_BGP_DOWN, &why), 1);
	assert_string_equal(why, "hold timer expired");
	/* A device that hangs writes no log. */
	assert_int_equal(logged(spine, r->far, SIM_LOG_BGP_DOWN, NULL), 0);
	at_ms(r, 28000);
	assert_true(r->up->bgp.established);
}

CASE_WITH(test_a_short_hang_is_forgiven, setup, teardown)
{
	struct rig *r = *state;

	inject(r, "device-hang:leaf-r3-00,for=8s");
	at_ms(r, 30000);
	assert_true(r->up->bgp.established);
	assert_int_equal(r->up->bgp.resets, 0);
}

CASE_WITH(test_shut_and_reboot, setup, teardown)
{
	struct rig *r = *state;
	const char *why = "";

	at_ms(r, 1000);
	sim_configure_bgp(r->s, r->up, true, "operator");
	at_ms(r, 1000);
	assert_false(r->up->bgp.established || r->far->bgp.established);
	assert_true(r->up->up);
	assert_true(logged(r->leaf, r->up, SIM_LOG_BGP_DOWN, &why) == 1);
	assert_string_equal(why, "administratively shut down");
	at_ms(r, 60000);
	assert_false(r->up->bgp.established);
	sim_configure_bgp(r->s, r->up, false, "operator");
	at_ms(r, 66001);
	assert_true(r->up->bgp.established);
	inject(r, "reboot:leaf-r3-00,down=5s");
	at_ms(r, 66001);
	assert_false(r->leaf->ports[33].bgp.established);
	at_ms(r, 71000);
	assert_false(r->leaf->ports[33].bgp.established);
	at_ms(r, 77100);
	for (unsigned k = 32; k < 64; k++)
		assert_true(r->leaf->ports[k].bgp.established);
}

CASE_WITH(test_bgp_down_leaves_the_link_up, setup, teardown)
{
	struct rig *r = *state;

	inject(r, "bgp-down:leaf-r3-00:Ethernet160,for=10s");
	assert_false(r->up->bgp.established);
	assert_true(r->up->up);
	at_ms(r, 9999);
	assert_false(r->up->bgp.established);
	at_ms(r, 16001);
	assert_true(r->up->bgp.established);
	inject(r, "bgp-down:leaf-r3-00:Ethernet160,period=20s,down=5s,for=39s");
	at_ms(r, 70000);
	assert_int_equal(r->up->bgp.resets, 3);
}

CASE_WITH(test_prefixes_follow_the_sessions, setup, teardown)
{
	struct rig *r = *state;

	at_ms(r, 0);
	/* One spine loses all its links to leaf-r5-00: it hears of one leaf less. */
	for (unsigned k = 0; k < 64; k++) {
		struct sim_port *p = &sim_device_by_name(r->s, "leaf-r5-00")->ports[k];

		if (p->peer->tier == TIER_SPINE && p->peer->device == r->far->device)
			sim_configure_bgp(r->s, p, true, "operator");
	}
	at_ms(r, 1);
	assert_int_equal(r->up->bgp.prefixes, 6);
	for (unsigned k = 32; k < 64; k++)
		if (r->leaf->ports[k].peer->device != r->far->device)
			assert_int_equal(r->leaf->ports[k].bgp.prefixes, 7);
}

CASE(test_three_tiers_know_all_leaves)
{
	struct sim_opts o = {
		.sizing = sizing_preset("4k"), .seed = 1, .start_us = START, .steady = true};
	struct sim *s = sim_new(&o);
	const struct sim_device *leaf = sim_device_by_name(s, "leaf-r2-03");
	unsigned sessions = 0;

	for (unsigned k = 0; k < leaf->nports; k++) {
		if (!leaf->ports[k].bgp.configured)
			continue;
		sessions++;
		assert_int_equal(leaf->ports[k].bgp.prefixes, 127);
	}
	assert_int_equal(sessions, 32);
	sim_free(s);
}

CASES_MAIN(NULL, NULL)
