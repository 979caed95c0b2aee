/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_JUDGE_THROTTLE_H
#define APP_SESSION_JUDGE_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Limits how often the session judges. Collectors report news once a second. A judgement that takes
 * longer would be followed by the next without a pause, most of all while devices arrive and each
 * needs the most work. So the session rests after a judgement as long as it took, at most
 * JUDGE_THROTTLE_US. After less than half a second the rest is invisible. Devices arrive when more
 * than one in JUDGE_THROTTLE_ARRIVING was heard for the first time since the last judgement. Then
 * the rest is at most JUDGE_THROTTLE_COLD_US, the default interval of a device.
 */
#define JUDGE_THROTTLE_US       INT64_C(1000000)
#define JUDGE_THROTTLE_COLD_US  INT64_C(5000000)
#define JUDGE_THROTTLE_ARRIVING 256

struct judge_throttle {
	int64_t spent_us; /* time spent on the judgement under way */
	int64_t until_us; /* end of the rest on the monotonic clock; 0: no rest */
	size_t arrived;   /* devices heard for the first time since the last judgement */
};

/* A judgement ends at now_us: starts the rest and resets the counts. */
void judge_throttle_begin(struct judge_throttle *r, int64_t now_us, size_t devices);
/* The rest left in microseconds, 0: none. */
int64_t judge_throttle_left(const struct judge_throttle *r, int64_t now_us);

#endif
