/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SCENARIOS_METRIC_H
#define TESTS_SCENARIOS_METRIC_H

#include <stdbool.h>

#include "emulator/sim/sim.h"

/*
 * The quantities that a check can ask of a port, host NIC, BGP session or job. Most are counters:
 * their growth a second over the window counts. Gauges count as they are at its end.
 */
struct metric {
	const char *name;
	bool gauge;
	double scale; /* of a second's growth: 1e-6 turns microseconds a second into a share */
	double (*of)(const struct sim_port *p);
	bool total; /* the growth itself over the window, not a second's */
};

const struct metric *metric_find(const char *name); /* NULL: unknown */

#endif
