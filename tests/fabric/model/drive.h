/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_FABRIC_MODEL_DRIVE_H
#define TESTS_FABRIC_MODEL_DRIVE_H

#include "fabric/model/model.h"

/*
 * Observations at random, of all kinds that there are, of a small fabric (feed_new()) and of
 * devices and ports that it does not plan. The same seed gives the same ones.
 */
struct drive {
	uint64_t random;
	int64_t now_us;
	uint64_t count[64]; /* the present values of the counters */
};

void drive_init(struct drive *d, uint64_t seed);
/* The next one, and the time when it is to be applied. To be freed. */
struct obs *drive_next(struct drive *d);
/* Below n. */
unsigned drive_random(struct drive *d, unsigned n);

#endif
