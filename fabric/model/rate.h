/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FABRIC_MODEL_RATE_H
#define FABRIC_MODEL_RATE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * The only place that subtracts counters.
 *
 * Devices refresh their counters in groups (ports every second, queues every ten), and polls come
 * in between. So "did not change" has two meanings. A group of a port counts as refreshed when its
 * own sample time moved (devices that send one). It also does when any counter of the group
 * changed on that device in this answer. Then every counter of the group gets rate = difference /
 * time since the last refresh (0 for those that stood still). Otherwise rates stay; after
 * RATE_HOLD_US without any refresh they become 0 (an idle device is idle).
 *
 * A poll sees a refresh up to an interval late, so the time between two polls is not the time
 * between two refreshes. For a device that reports its period, fabric/model/ticks.c finds the
 * number of periods, and the rate is exact.
 */
#define RATE_HOLD_US INT64_C(60000000)
/*
 * The watchdog's counters stand still except in a storm, and it runs several times a second.
 * Without this limit a storm would seem to drop for a minute after its end.
 */
#define WATCHDOG_HOLD_US INT64_C(10000000)
/*
 * The drops of the priority groups have a refresh of their own, and stand still on a healthy
 * device: nothing else shows that they were read again. SONiC reads them every ten seconds. A
 * device that reports a longer period is waited for one and a half of its periods.
 */
#define PGDROP_HOLD_US INT64_C(12000000)

enum step { STEP_FIRST, STEP_SAME, STEP_FORWARD, STEP_WRAP, STEP_RESET };

/*
 * Compares two raw values of a counter that is `bits` wide in the device (32 or 64). STEP_WRAP
 * only when the old value was within the last sixteenth of the range and the step is below that
 * too. Any other step back is a clear. *delta is set for SAME, FORWARD and WRAP.
 */
enum step counter_step(uint64_t before, uint64_t now, unsigned bits, uint64_t *delta);

/* delta per second; NAN when dt_us is not positive. */
double counter_rate(uint64_t delta, int64_t dt_us);

#endif
