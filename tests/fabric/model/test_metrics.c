/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "fabric/model/metrics.h"
#include "fabric/vocabulary/counters.h"
#include "tests/fabric/model/stand.h"
#include "tests/support/cases.h"

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

#define NEARLY(a, b) assert_true(fabs((a) - (b)) <= 1e-4 * fabs(b))

CASE_WITH(nothing_known_is_nan_everywhere, setup, teardown)
{
	struct port *p = port_of(state);

	for (int dir = DIR_RX; dir <= DIR_TX; dir++) {
		assert_true(isnan(port_bps(p, (enum direction)dir)));
		assert_true(isnan(port_utilisation(p, (enum direction)dir)));
		assert_true(isnan(port_paused(p, 3, (enum direction)dir).percent));
		assert_true(isnan(port_paused_max(p, 0xff, (enum direction)dir).percent));
	}
	assert_true(isnan(port_drop_rate(p)));
	assert_true(isnan(port_pre_fec_ber(p)));
	assert_true(isnan(port_rx_power_min(p)));
	assert_true(port_flaps(p) == 0);
	p->seen = false;
	assert_true(isnan(port_flaps(p)));
}

CASE_WITH(load_is_bits_of_the_speed, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_RX_BYTES, 0, 1, 25e9);
	stand_count(p, CTR_TX_BYTES, 0, 1, 50.5e9);
	NEARLY(port_bps(p, DIR_RX), 200e9);
	NEARLY(port_utilisation(p, DIR_RX), 0.5);
	/* Jitter of the sample time does not make a port carry more than it can. */
	assert_true(port_utilisation(p, DIR_TX) == 1);
	p->speed_mbps = 800000;
	NEARLY(port_utilisation(p, DIR_RX), 0.25);
	p->speed_mbps = 0;
	NEARLY(port_utilisation(p, DIR_RX), 0.5);
	p->plan_speed_mbps = 0;
	assert_true(isnan(port_utilisation(p, DIR_RX)));
}

CASE_WITH(duration_counter_decides, setup, teardown)
{
	struct port *p = port_of(state);
	struct paused got;

	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 340000);
	stand_count(p, CTR_PFC_RX_FRAMES, 3, 1, 1e6);
	got = port_paused(p, 3, DIR_RX);
	NEARLY(got.percent, 34.0);
	assert_false(got.upper_bound);
	assert_true(isnan(port_paused(p, 3, DIR_TX).percent));
	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 1.2e6);
	assert_true(port_paused(p, 3, DIR_RX).percent == 100);
	/* After a clear there is no rate; frames would make the column mean something else. */
	stand_invalid(p, CTR_PFC_RX_DURATION_US, 3, VALID_RESET);
	assert_true(isnan(port_paused(p, 3, DIR_RX).percent));
	assert_false(port_paused(p, 3, DIR_RX).upper_bound);
}

CASE_WITH(frames_give_an_upper_bound, setup, teardown)
{
	struct port *p = port_of(state);
	struct paused got;

	stand_count(p, CTR_PFC_TX_FRAMES, 3, 1, 1000);
	got = port_paused(p, 3, DIR_TX);
	assert_true(got.upper_bound);
	/* 1000 frames of 83.9 us at 400G. */
	NEARLY(got.percent, 8.38848);
	p->speed_mbps = 800000;
	NEARLY(port_paused(p, 3, DIR_TX).percent, 4.19424);
	stand_count(p, CTR_PFC_TX_FRAMES, 3, 1, 1e6);
	assert_true(port_paused(p, 3, DIR_TX).percent == 100);
	/* A duration counter that the device does not have is no duration counter. */
	stand_invalid(p, CTR_PFC_TX_DURATION_US, 3, VALID_UNSUPPORTED);
	assert_true(port_paused(p, 3, DIR_TX).upper_bound);
	p->speed_mbps = p->plan_speed_mbps = 0;
	assert_true(isnan(port_paused(p, 3, DIR_TX).percent));
	assert_false(port_paused(p, 3, DIR_TX).upper_bound);
	assert_true(isnan(port_paused(p, 8, DIR_TX).percent));
}

CASE_WITH(worst_priority_of_the_mask, setup, teardown)
{
	struct port *p = port_of(state);
	struct paused got;

	stand_count(p, CTR_PFC_RX_DURATION_US, 3, 1, 100000);
	stand_count(p, CTR_PFC_RX_FRAMES, 4, 1, 5000);
	stand_invalid(p, CTR_PFC_RX_DURATION_US, 5, VALID_RESET);
	got = port_paused_max(p, 0xff, DIR_RX);
	NEARLY(got.percent, 41.9424);
	assert_true(got.upper_bound);
	got = port_paused_max(p, 1 << 3 | 1 << 5, DIR_RX);
	NEARLY(got.percent, 10.0);
	assert_false(got.upper_bound);
	assert_true(isnan(port_paused_max(p, 1 << 5, DIR_RX).percent));
	assert_true(isnan(port_paused_max(p, 0, DIR_RX).percent));
	stand_count(p, CTR_PFC_RX_DURATION_US, 0, 1, 0);
	assert_true(port_paused_max(p, 1, DIR_RX).percent == 0);
}

CASE_WITH(a_drop_is_counted_once, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_TX_DISCARDS, 0, 1, 100);
	NEARLY(port_drop_rate(p), 100.0);
	/* The queue's drops are in the port's discards. */
	stand_count(p, CTR_QUEUE_DROPS, 3, 1, 60);
	stand_count(p, CTR_QUEUE_DROPS, 0, 1, 40);
	NEARLY(port_drop_rate(p), 100.0);
	stand_count(p, CTR_PFCWD_DROPS, 3, 1, 50);
	NEARLY(port_drop_rate(p), 150.0);
	stand_count(p, CTR_RX_DISCARDS, 0, 1, 7);
	NEARLY(port_drop_rate(p), 157.0);
	stand_count(p, CTR_PG_DROPS, 3, 1, 9);
	NEARLY(port_drop_rate(p), 159.0);
	stand_invalid(p, CTR_RX_DISCARDS, 0, VALID_RESET);
	NEARLY(port_drop_rate(p), 159.0);
}

CASE_WITH(a_port_without_drops_has_zero_not_unknown, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_RX_DISCARDS, 0, 12345, 0);
	assert_true(port_drop_rate(p) == 0);
	stand_invalid(p, CTR_TX_DISCARDS, 0, VALID_UNSUPPORTED);
	assert_true(port_drop_rate(p) == 0);
}

CASE_WITH(ber_prefers_the_devices_gauge, setup, teardown)
{
	struct port *p = port_of(state);

	stand_count(p, CTR_FEC_CORRECTED_BITS, 0, 1, 4e5);
	NEARLY(port_pre_fec_ber(p), 1e-6);
	stand_gauge(p, CTR_PRE_FEC_BER, 0, 3e-9);
	NEARLY(port_pre_fec_ber(p), 3e-9);
	stand_invalid(p, CTR_PRE_FEC_BER, 0, VALID_UNSUPPORTED);
	NEARLY(port_pre_fec_ber(p), 1e-6);
	p->speed_mbps = p->plan_speed_mbps = 0;
	assert_true(isnan(port_pre_fec_ber(p)));
}

CASE_WITH(dark_lanes_are_not_in_use, setup, teardown)
{
	struct port *p = port_of(state);

	stand_gauge(p, CTR_RX_POWER_DBM, 0, -2.1);
	stand_gauge(p, CTR_RX_POWER_DBM, 1, -4.5);
	stand_gauge(p, CTR_RX_POWER_DBM, 4, -40);
	stand_gauge(p, CTR_RX_POWER_DBM, 5, -INFINITY);
	stand_invalid(p, CTR_RX_POWER_DBM, 6, VALID_UNSUPPORTED);
	NEARLY(port_rx_power_min(p), -4.5);
	stand_gauge(p, CTR_RX_POWER_DBM, 7, -30);
	NEARLY(port_rx_power_min(p), -30.0);
	stand_gauge(p, CTR_RX_POWER_DBM, 0, -31);
	stand_gauge(p, CTR_RX_POWER_DBM, 1, NAN);
	stand_gauge(p, CTR_RX_POWER_DBM, 7, -30.1);
	assert_true(isnan(port_rx_power_min(p)));
}

CASE_WITH(flaps_are_the_devices_or_ours, setup, teardown)
{
	struct port *p = port_of(state);

	p->flaps = 2;
	assert_true(port_flaps(p) == 2);
	stand_count(p, CTR_LINK_DOWN_EVENTS, 0, 17, 0);
	assert_true(port_flaps(p) == 17);
	stand_invalid(p, CTR_LINK_DOWN_EVENTS, 0, VALID_UNSUPPORTED);
	assert_true(port_flaps(p) == 2);
}

CASES_MAIN(NULL, NULL)
