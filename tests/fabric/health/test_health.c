/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/stand.h"
#include "tests/support/cases.h"

#define HOUR (3600 * CLOCK_SEC)

static int setup(void **state)
{
	*state = stand_new();
	return 0;
}

static int teardown(void **state)
{
	model_free(*state);
	return 0;
}

static struct port *port_of(void **state)
{
	return stand_port(*state, "leaf-r0-00", "Ethernet0");
}

static void expect(void **state, const struct port *p, enum severity s, const char *why)
{
	struct health h = port_health(*state, p, STAND_NOW);

	assert_string_equal(h.why, why);
	assert_int_equal(h.severity, s);
	assert_true(strlen(h.why) <= 60);
}

CASE_WITH(a_port_without_trouble_is_ok, setup, teardown)
{
	struct port *p = port_of(state);

	expect(state, p, SEV_OK, "");
	stand_count(p, CTR_QUEUE_DROPS, 3, 99, 0);
	stand_count(p, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, 5, 0);
	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 9000);
	stand_gauge(p, CTR_PRE_FEC_BER, 0, 1e-6);
	stand_gauge(p, CTR_RX_POWER_DBM, 0, -7.2);
	expect(state, p, SEV_OK, "");
	p->oper = OPER_UNKNOWN;
	expect(state, p, SEV_UNKNOWN, "");
}

CASE_WITH(down_against_plan_or_enabled, setup, teardown)
{
	struct port *p = port_of(state);
	struct port *spare;

	p->oper = OPER_DOWN;
	expect(state, p, SEV_CRIT, "down, the plan has a link here");
	p->admin = OPER_DOWN;
	expect(state, p, SEV_CRIT, "down, the plan has a link here");
	p->admin = OPER_UP;
	p->plan_peer = PORT_NONE;
	/* Now it is like a spare cage of a switch with a plan: enabled and dark by custom... */
	expect(state, p, SEV_OK, "");
	/* ... unless something was plugged in. */
	p->lldp_us = STAND_NOW - HOUR;
	expect(state, p, SEV_CRIT, "down, though enabled");
	p->admin = OPER_DOWN;
	expect(state, p, SEV_OK, "");
	/* Without any plan, enabled is all there is to go by. */
	spare = stand_port(*state, "spine-000", "Ethernet1/1");
	spare->plan_peer = PORT_NONE;
	stand_port(*state, "spine-000", "Ethernet2/1")->plan_peer = PORT_NONE;
	spare->oper = OPER_DOWN;
	expect(state, spare, SEV_CRIT, "down, though enabled");
}

CASE_WITH(lossless_drops_are_critical_lossy_ones_are_not, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_QUEUE_DROPS, 0, 1, 5000);
	expect(state, p, SEV_OK, "");
	stand_count(p, CTR_QUEUE_DROPS, 3, 1, 0.2);
	expect(state, p, SEV_CRIT, "0.20 drops/s on a lossless priority");
	stand_count(p, CTR_QUEUE_DROPS, 3, 1, 0);
	stand_count(p, CTR_PG_DROPS, 3, 1, 12000);
	expect(state, p, SEV_CRIT, "12.0k drops/s on a lossless priority");
	((struct model *)*state)->lossless.priorities = 1 << 4;
	expect(state, p, SEV_OK, "");
	/* Where nothing is stated, priority 3 is meant. */
	((struct model *)*state)->lossless.priorities = 0;
	expect(state, p, SEV_CRIT, "12.0k drops/s on a lossless priority");
}

CASE_WITH(bit_errors_have_two_limits, setup, teardown)
{
	struct port *p = port_of(state);

	stand_gauge(p, CTR_PRE_FEC_BER, 0, 1.1e-6);
	expect(state, p, SEV_WARN, "bit errors before FEC 1.1e-06");
	stand_gauge(p, CTR_PRE_FEC_BER, 0, 2.39e-4);
	expect(state, p, SEV_WARN, "bit errors before FEC 2.4e-04");
	stand_gauge(p, CTR_PRE_FEC_BER, 0, 2.4e-4);
	expect(state, p, SEV_CRIT, "bit errors before FEC 2.4e-04");
	stand_gauge(p, CTR_PRE_FEC_BER, 0, 1e-9);
	stand_count(p, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, 1, 3);
	expect(state, p, SEV_CRIT, "3.00 uncorrectable codewords/s");
}

CASE_WITH(pause_has_two_limits_both_ways, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 10000);
	expect(state, p, SEV_OK, "");
	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 15000);
	expect(state, p, SEV_WARN, "paused 1.5% by its peer");
	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 210000);
	expect(state, p, SEV_CRIT, "paused 21% by its peer");
	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 0);
	stand_count(p, CTR_PFC_TX_DURATION_US, 3, 1, 210000);
	expect(state, p, SEV_CRIT, "pauses its peer 21%");
	/* Pause of a lossy priority is a matter of configuration, not of this port's state. */
	stand_count(p, CTR_PFC_TX_DURATION_US, 3, 1, 0);
	stand_count(p, CTR_PFC_TX_DURATION_US, 5, 1, 900000);
	expect(state, p, SEV_OK, "");
}

CASE_WITH(pause_from_frames_is_an_upper_bound, setup, teardown)
{
	struct port *p = port_of(state);

	/* 1000 frames/s at 400G: 83.9 us each at the most */
	stand_count(p, CTR_PFC_RX_FRAMES, 3, 1, 1000);
	expect(state, p, SEV_OK, "");
	stand_count(p, CTR_PFC_RX_FRAMES, 3, 1, 10000);
	expect(state, p, SEV_WARN, "paused at most 84% by its peer");
	stand_count(p, CTR_PFC_RX_FRAMES, 3, 1, 0);
	stand_count(p, CTR_PFC_TX_FRAMES, 3, 1, 5000);
	expect(state, p, SEV_WARN, "pauses its peer at most 42%");
	/* The mark belongs to its own number only. */
	stand_count(p, CTR_PFC_TX_FRAMES, 3, 1, 0);
	stand_count(p, CTR_RNR_NAK_RETRY_ERR, 0, 1, 5);
	expect(state, p, SEV_CRIT, "5.00 RNR retries/s");
	/* A duration counter is exact. */
	stand_count(p, CTR_RNR_NAK_RETRY_ERR, 0, 1, 0);
	stand_count(p, CTR_PFC_RX_FRAMES, 3, 1, 1000);
	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 30000);
	expect(state, p, SEV_WARN, "paused 3.0% by its peer");
}

static void flap(struct model *m, struct port *p, int64_t ago)
{
	p->flaps++;
	p->last_flap_us = STAND_NOW - ago;
	model_add_event(m, STAND_NOW - ago, EV_LINK_FLAP, m->devices.at[p->device], p, -1, 0, "");
}

CASE_WITH(flaps_warn_for_six_hours_three_an_hour_are_critical, setup, teardown)
{
	struct model *m = *state;
	struct port *p = port_of(state), *other = stand_port(m, "leaf-r0-00", "Ethernet4");

	flap(m, p, 6 * HOUR + CLOCK_SEC);
	expect(state, p, SEV_OK, "");
	flap(m, p, 6 * HOUR);
	expect(state, p, SEV_WARN, "flapped within 6 hours");
	for (int i = 0; i < 5; i++)
		flap(m, p, 2 * HOUR - i);
	expect(state, p, SEV_WARN, "flapped within 6 hours");
	flap(m, p, HOUR - 1);
	flap(m, p, HOUR / 2);
	for (int i = 0; i < 9; i++)
		flap(m, other, HOUR / 2);
	expect(state, p, SEV_WARN, "flapped within 6 hours");
	flap(m, p, 0);
	expect(state, p, SEV_CRIT, "flapped 3 times within an hour");
	/* One poll may have found several. */
	other = stand_port(m, "spine-000", "Ethernet1/1");
	other->last_flap_us = STAND_NOW;
	model_add_event(m, STAND_NOW, EV_LINK_FLAP, NULL, other, -1, 0, "5 times");
	model_add_event(m, STAND_NOW, EV_LINK_DOWN, NULL, other, -1, 0, "9 lanes lost");
	model_add_event(m, STAND_NOW, EV_LINK_UP, NULL, other, -1, 0, "");
	expect(state, other, SEV_CRIT, "flapped 6 times within an hour");
}

CASE_WITH(watchdog_word_wins_over_its_counters, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_PFCWD_STORM_DETECTED, 3, 4, 0);
	stand_count(p, CTR_PFCWD_STORM_RESTORED, 3, 4, 0);
	expect(state, p, SEV_OK, "");
	stand_count(p, CTR_PFCWD_STORM_DETECTED, 3, 5, 0);
	expect(state, p, SEV_CRIT, "PFC watchdog: storm");
	port_watchdogs(p)[3].state = WD_OPERATIONAL;
	expect(state, p, SEV_OK, "");
	port_watchdogs(p)[3].state = WD_STORMED;
	expect(state, p, SEV_CRIT, "PFC watchdog: storm");
	port_watchdogs(p)[3].state = WD_OPERATIONAL;
	stand_count(p, CTR_PFCWD_STORM_DETECTED, 3, 6, 0.5);
	expect(state, p, SEV_WARN, "PFC watchdog: storm just now");
	/* Detected alone, as some devices have it, does not tell of the end. */
	port_watchdogs(p)[3].state = WD_UNKNOWN;
	stand_count(p, CTR_PFCWD_STORM_DETECTED, 3, 6, 0);
	stand_invalid(p, CTR_PFCWD_STORM_RESTORED, 3, VALID_UNSUPPORTED);
	expect(state, p, SEV_OK, "");
}

CASE_WITH(speed_below_plan, setup, teardown)
{
	struct port *p = port_of(state);

	p->speed_mbps = 200000;
	expect(state, p, SEV_WARN, "200G slower than planned");
	p->speed_mbps = 800000;
	expect(state, p, SEV_OK, "");
	p->speed_mbps = 0;
	expect(state, p, SEV_OK, "");
}

CASE_WITH(miswired_means_another_device_or_port, setup, teardown)
{
	struct model *m = *state;
	struct port *p = port_of(state);

	p->lldp_peer = p->plan_peer;
	expect(state, p, SEV_OK, "");
	p->lldp_peer = stand_port(m, "node001", "mlx5_0")->id;
	expect(state, p, SEV_WARN, "wired to another port than planned");
	p->lldp_peer = PORT_NONE;
	string_pool_set(m->texts, &p->lldp_device, "somebody");
	expect(state, p, SEV_WARN, "wired to another port than planned");
	/* The planned device under a port name that we do not know is not a wrong cable. */
	string_pool_set(m->texts, &p->lldp_device, "NODE000.example.net");
	expect(state, p, SEV_OK, "");
	string_pool_set(m->texts, &p->lldp_device, "gpu-17");
	(void)str_copy(m->devices.at[0]->hostname, sizeof(m->devices.at[0]->hostname), "gpu-17");
	expect(state, p, SEV_OK, "");
}

CASE_WITH(smaller_troubles_warn, setup, teardown)
{
	static const struct {
		enum counter_id id;
		double quiet, loud;
		enum severity severity;
		const char *why;
	} t[] = {
		{CTR_RX_SYMBOL_ERRORS, 10, 11, SEV_WARN, "11.0 symbol errors/s"},
		{CTR_RX_FCS_ERRORS, 10, 12, SEV_WARN, "12.0 receive errors/s"},
		{CTR_LOCAL_ACK_TIMEOUT_ERR, 1, 2, SEV_WARN, "2.00 ACK timeouts/s"},
		{CTR_ROCE_SLOW_RESTART, 10, 20, SEV_WARN, "20.0 slow restarts/s"},
		{CTR_TX_DISCARDS, 100, 101, SEV_WARN, "101 discards/s"},
		{CTR_RX_PAUSE_FRAMES, 0, 7, SEV_WARN, "7.00 802.3x pause frames/s"},
		{CTR_RNR_NAK_RETRY_ERR, 0, 1, SEV_CRIT, "1.00 RNR retries/s"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct port *p = port_of(state);

		stand_count(p, t[i].id, 0, 1, t[i].quiet);
		expect(state, p, SEV_OK, "");
		stand_count(p, t[i].id, 0, 1, t[i].loud);
		expect(state, p, t[i].severity, t[i].why);
		stand_invalid(p, t[i].id, 0, VALID_RESET);
		expect(state, p, SEV_OK, "");
	}
	stand_gauge(port_of(state), CTR_RX_POWER_DBM, 2, -8.4);
	expect(state, port_of(state), SEV_WARN, "receives only -8.4 dBm");
}

CASE_WITH(light_is_judged_by_the_modules_own_limits, setup, teardown)
{
	struct port *p = port_of(state);

	port_more(p)->limits = malloc(sizeof(*p->more->limits));
	for (int i = 0; i < LIMIT_COUNT; i++)
		p->more->limits->rx_power_dbm[i] = p->more->limits->temperature_c[i] = NAN;
	stand_gauge(p, CTR_RX_POWER_DBM, 2, -9.5);
	expect(state, p, SEV_WARN, "receives only -9.5 dBm"); /* limits of other things only */
	p->more->limits->rx_power_dbm[LIMIT_LOW_WARN] = -10;
	p->more->limits->rx_power_dbm[LIMIT_LOW_ALARM] = -12;
	expect(state, p, SEV_OK, "");
	stand_gauge(p, CTR_RX_POWER_DBM, 2, -10.5);
	expect(state, p, SEV_WARN, "receives only -10.5 dBm, below the module's warning");
	stand_gauge(p, CTR_RX_POWER_DBM, 1, -12.5);
	expect(state, p, SEV_WARN, "receives only -12.5 dBm, below the module's alarm");
	stand_gauge(p, CTR_RX_POWER_DBM, 1, -1);
	stand_gauge(p, CTR_RX_POWER_DBM, 2, -1);
	p->more->limits->temperature_c[LIMIT_HIGH_ALARM] = 75;
	stand_gauge(p, CTR_TEMPERATURE_C, 0, 75);
	expect(state, p, SEV_OK, "");
	stand_gauge(p, CTR_TEMPERATURE_C, 0, 78.4);
	expect(state, p, SEV_WARN, "module is at 78 C, above its alarm");
}

CASE_WITH(sessions_that_are_down_are_the_devices_trouble, setup, teardown)
{
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct obs *o = obs_new("leaf-r0-00", "bgp");

	(void)obs_bgp(o, BGP_IPV4, "", "10.0.0.1", "", BGP_ESTABLISHED);
	(void)obs_bgp(o, BGP_IPV4, "", "10.0.0.2", "", BGP_ESTABLISHED);
	(void)obs_bgp(o, BGP_IPV4, "", "10.0.0.3", "", BGP_ADMIN_DOWN);
	o->received_us = STAND_NOW;
	model_apply(m, o, STAND_NOW);
	obs_free(o);
	assert_int_equal(device_health(m, d, STAND_NOW).severity, SEV_OK);
	d->bgp.at[0].state = BGP_IDLE;
	assert_int_equal(device_health(m, d, STAND_NOW).severity, SEV_WARN);
	assert_string_equal(device_health(m, d, STAND_NOW).why, "BGP: 1 of 2 sessions down");
	d->bgp.at[1].state = BGP_ACTIVE;
	assert_int_equal(device_health(m, d, STAND_NOW).severity, SEV_CRIT);
	port_of(state)->oper = OPER_DOWN;
	assert_string_equal(device_health(m, d, STAND_NOW).why, "BGP: 2 of 2 sessions down");
	d->bgp.at[1].state = BGP_ESTABLISHED;
	assert_non_null(strstr(device_health(m, d, STAND_NOW).why, "the plan has a link here"));
	d->bgp.at[0].gone = true;
	port_of(state)->oper = OPER_UP;
	assert_int_equal(device_health(m, d, STAND_NOW).severity, SEV_OK);
}

CASE_WITH(pcie_is_measured_by_what_could_be, setup, teardown)
{
	struct port *p = stand_port(*state, "node000", "mlx5_0");

	stand_gauge(p, CTR_PCIE_WIDTH, 0, 8);
	port_more(p)->pcie_max_width = 8;
	stand_gauge(stand_port(*state, "node000", "mlx5_1"), CTR_PCIE_WIDTH, 0, 16);
	expect(state, p, SEV_OK, "");
	port_more(p)->pcie_max_width = 16;
	expect(state, p, SEV_WARN, "PCIe link lacks 8 lanes");
}

CASE_WITH(pcie_is_compared_within_the_host, setup, teardown)
{
	struct port *p = stand_port(*state, "node000", "mlx5_0");

	stand_gauge(p, CTR_PCIE_WIDTH, 0, 8);
	expect(state, p, SEV_OK, "");
	stand_gauge(stand_port(*state, "node001", "mlx5_0"), CTR_PCIE_WIDTH, 0, 16);
	expect(state, p, SEV_OK, "");
	stand_gauge(stand_port(*state, "node000", "mlx5_1"), CTR_PCIE_WIDTH, 0, 16);
	expect(state, p, SEV_WARN, "PCIe link lacks 8 lanes");
}

CASE_WITH(the_worst_speaks_and_ranks, setup, teardown)
{
	struct port *p = port_of(state);
	struct health pause, drops, down;

	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 500000);
	p->speed_mbps = 100000;
	pause = port_health(*state, p, STAND_NOW);
	assert_int_equal(pause.severity, SEV_CRIT);
	assert_string_equal(pause.why, "paused 50% by its peer");
	stand_count(p, CTR_QUEUE_DROPS, 3, 1, 1);
	drops = port_health(*state, p, STAND_NOW);
	assert_true(drops.rank > pause.rank);
	/* Within a rule the larger number is worse. */
	stand_count(p, CTR_QUEUE_DROPS, 3, 1, 1000);
	assert_true(port_health(*state, p, STAND_NOW).rank > drops.rank);
	p->oper = OPER_DOWN;
	down = port_health(*state, p, STAND_NOW);
	assert_string_equal(down.why, "down, the plan has a link here");
	assert_true(down.rank > drops.rank);
}

CASE_WITH(a_silent_device_says_nothing_about_its_ports, setup, teardown)
{
	struct model *m = *state;
	struct port *p = port_of(state);
	struct device *d = m->devices.at[p->device];

	p->oper = OPER_DOWN;
	d->state = DEV_LATE;
	expect(state, p, SEV_CRIT, "down, the plan has a link here");
	d->state = DEV_STALE;
	expect(state, p, SEV_UNKNOWN, "its device does not answer");
	d->state = DEV_UNREACHABLE;
	expect(state, p, SEV_UNKNOWN, "its device does not answer");
	d->state = DEV_PENDING;
	expect(state, p, SEV_UNKNOWN, "");
	d->state = DEV_FRESH;
	p->seen = false;
	expect(state, p, SEV_UNKNOWN, "planned, its device does not report it");
}

CASE_WITH(device_takes_its_state_then_its_worst_port, setup, teardown)
{
	struct err e;
	struct model *m = *state;
	struct device *d = model_device(m, "leaf-r0-00");
	struct health h = device_health(m, d, STAND_NOW);

	assert_int_equal(h.severity, SEV_OK);
	assert_string_equal(h.why, "");
	stand_port(m, "leaf-r0-00", "Ethernet4")->speed_mbps = 100000;
	h = device_health(m, d, STAND_NOW);
	assert_int_equal(h.severity, SEV_WARN);
	assert_string_equal(h.why, "Ethernet4: 300G slower than planned");
	stand_port(m, "leaf-r0-00", "Ethernet0")->oper = OPER_DOWN;
	stand_port(m, "leaf-r0-00", "Ethernet12")->oper = OPER_DOWN;
	h = device_health(m, d, STAND_NOW);
	assert_int_equal(h.severity, SEV_CRIT);
	assert_string_equal(h.why, "2 ports, Ethernet0: down, the plan has a link here");
	d->state = DEV_STALE;
	h = device_health(m, d, STAND_NOW + 34 * CLOCK_SEC);
	assert_int_equal(h.severity, SEV_WARN);
	assert_string_equal(h.why, "no answer for 34s");
	d->state = DEV_UNREACHABLE;
	(void)err_set(&e, ERR_UNREACHABLE, d->name,
		"connection refused by a host with a name so long that it cannot be shown in full");
	device_set_err(d, &e);
	h = device_health(m, d, STAND_NOW);
	assert_int_equal(h.severity, SEV_CRIT);
	assert_memory_equal(h.why, "unreachable: connection refused", 31);
	assert_int_equal(strlen(h.why), 60);
	d->state = DEV_UNAUTHORISED;
	e.text[0] = '\0';
	device_set_err(d, &e);
	assert_string_equal(device_health(m, d, STAND_NOW).why, "unauthorised");
	d->state = DEV_PENDING;
	assert_int_equal(device_health(m, d, STAND_NOW).severity, SEV_UNKNOWN);
}

CASES_MAIN(NULL, NULL)
