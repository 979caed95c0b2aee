/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_JUDGE_THROTTLE_H
#define APP_SESSION_JUDGE_THROTTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * How long nothing is judged after a judgement. Collectors tell once a second that there is news:
 * where a judgement takes longer than that, the next would follow without a pause, most of all
 * while devices arrive, when each has the most to do. So it rests for as long as the last one took,
 * JUDGE_REST_US at most. While devices arrive (more than one in JUDGE_REST_ARRIVING was heard for
 * the first time since the last), JUDGE_REST_TIMES as long and JUDGE_REST_COLD_US at most: the
 * default interval of a device. Where a judgement takes less than half of the second, nobody sees
 * a rest. Where all that was heard since the last one comes no more often than each
 * JUDGE_SELDOM_US, it is much older than that already: it rests
 * JUDGE_SELDOM_TIMES as long, JUDGE_SELDOM_REST_US at most.
 */
#define JUDGE_REST_US       INT64_C(1000000)
#define JUDGE_REST_COLD_US  INT64_C(5000000)
#define JUDGE_REST_TIMES    3
#define JUDGE_REST_ARRIVING 256

#define JUDGE_SELDOM_US      INT64_C(20000000)
#define JUDGE_SELDOM_REST_US INT64_C(2000000)
#define JUDGE_SELDOM_TIMES   4

struct judge_rest {
	int64_t spent_us; /* on the judgement that is under way */
	int64_t until_us; /* of the monotonic clock; 0: it does not rest */
	size_t arrived;   /* devices that were heard for the first time since the last judgement */
	int64_t least_us; /* shortest interval of those that were heard since then, 0: none was */
};

/* A device that is asked so often brought something. */
void judge_rest_heard(struct judge_rest *r, int64_t interval_us);

/* The judgement that begins now takes in what has arrived; with its end it rests, from now_us on.
 */
void judge_rest_begin(struct judge_rest *r, int64_t now_us, size_t devices);
/* What is left of it, in us, 0: none. */
int64_t judge_rest_left(const struct judge_rest *r, int64_t now_us);

#endif
