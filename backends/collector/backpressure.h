/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_BACKPRESSURE_H
#define BACKENDS_COLLECTOR_BACKPRESSURE_H

#include <stdint.h>

/*
 * How many rounds of questions a collector thread has under way at a time, as arithmetic. Each turn
 * of its loop reads all answers that have come: where there are thousands and the processor is
 * short, a turn takes longer than a handshake may, so that nobody is connected to any more. Who is
 * late asks few at a time, and more again as long as its timers fire in time.
 */
#define PACE_LEAST   64u
#define PACE_MOST    65536u
#define PACE_LATE_US INT64_C(500000)

struct pace {
	unsigned most, top;
	int64_t next_us; /* not looked at before */
};

/* top: what most never exceeds, 0: PACE_MOST. */
void pace_init(struct pace *p, unsigned top);
/* A timer of the loop fired so late; now_us: monotonic. */
void pace_note(struct pace *p, int64_t late_us, int64_t now_us);

#endif
