/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_RATE_H
#define FABRIC_MODEL_RATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The only place that subtracts counters.
 *
 * Devices refresh their counters in groups (ports every second, queues every ten) and polls come in
 * between, so "did not change" has two meanings. The rule: a group of a port has been refreshed
 * when its own sample time moved (devices that send one), or when any counter of the group changed
 * on that device in this answer; then every counter of the group gets rate = difference / time
 * since the last refresh (0 for those that stood still). Otherwise rates stay as they are; after
 * RATE_HOLD_US without any refresh they are 0 (an idle device is idle).
 *
 * A poll sees a refresh up to an interval late, so the time between two polls is not the time
 * between two refreshes. Where the device tells its period, fabric/model/ticks.c reckons how many
 * of them passed, and the rate is exact.
 */
#define RATE_HOLD_US INT64_C(60000000)
/*
 * The watchdog's counters stand still but for a storm, and it looks several times a second: without
 * this a storm would seem to go on dropping for a minute after its end.
 */
#define WATCHDOG_HOLD_US INT64_C(10000000)

enum step { STEP_FIRST, STEP_SAME, STEP_FORWARD, STEP_WRAP, STEP_RESET };

/*
 * Compares two raw values of a counter that is `bits` wide in the device (32 or 64). STEP_WRAP only
 * when the old value was within the last sixteenth of the range and the step is below that too:
 * anything else that goes back is a clear. *delta is set for SAME, FORWARD and WRAP.
 */
enum step counter_step(uint64_t before, uint64_t now, unsigned bits, uint64_t *delta);

/* delta per second; NAN when dt_us is not positive. */
double counter_rate(uint64_t delta, int64_t dt_us);

#endif
