/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_BACKPRESSURE_H
#define BACKENDS_COLLECTOR_BACKPRESSURE_H

#include <stdint.h>

/*
 * Limits the number of poll rounds under way in a collector thread. Pure arithmetic, no I/O. Each
 * turn of the loop reads all answers that have arrived. With thousands of devices and a busy
 * processor one turn takes longer than a handshake may, and no device can be connected any more. A
 * thread with late timers reduces its limit; the limit grows again while timers fire in time.
 */
#define PACE_LEAST   64u
#define PACE_MOST    65536u
#define PACE_LATE_US INT64_C(500000)

struct pace {
	unsigned most, top;
	int64_t next_us; /* no change of the limit before; monotonic */
};

/* top: upper limit of most; 0: PACE_MOST. */
void pace_init(struct pace *p, unsigned top);
/* Reports that a timer of the loop fired late by late_us; now_us: monotonic. */
void pace_note(struct pace *p, int64_t late_us, int64_t now_us);

#endif
