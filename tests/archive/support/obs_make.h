/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ARCHIVE_SUPPORT_OBS_MAKE_H
#define TESTS_ARCHIVE_SUPPORT_OBS_MAKE_H

#include "fabric/vocabulary/observation.h"

/* Numbers that look random and are the same each time. */
struct dice {
	uint64_t state;
};
uint64_t dice_roll(struct dice *d);
/* Below n. */
unsigned dice_below(struct dice *d, unsigned n);

/* A batch of a device with ports and counters that go on from number to number. */
struct obs *obs_make_poll(const char *device, unsigned ports, unsigned number, int64_t t_us);
/* A batch with anything in it. */
struct obs *obs_make_any(struct dice *d, int64_t t_us);
/* Fails the test where anything differs that matters for applying them. */
void obs_assert_equal(const struct obs *a, const struct obs *b);

#endif
