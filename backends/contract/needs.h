/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_NEEDS_H
#define BACKENDS_CONTRACT_NEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/need.h"
#include "fabric/vocabulary/observation.h"

/*
 * Reports a need: the device reports it, cannot, or could but does not (cure: the command that
 * switches it on).
 */
void need_say(struct obs *o, enum need_id need, enum validity v, const char *cure);

/*
 * Reports each of the needs from the batch's items: ok when any port has a value of the need's
 * counter, else the last reason in the batch, with its cure. Without an item nothing is reported.
 */
void needs_report(struct obs *o, const enum need_id *needs, size_t n);

/* A set of needs, one bit each. */
typedef uint64_t need_set;
#define NEED_BIT(id) ((need_set)1 << NEED_##id)
_Static_assert(NEED_COUNT <= 64, "a need_set has a bit for each");
void needs_say(struct obs *o, need_set needs, enum validity v, const char *cure);
/*
 * Reports every need of the set after an answer was decoded: ok for those in met; those with a
 * counter as in needs_report(); the others as unsupported with this cure.
 */
void needs_settle(struct obs *o, need_set needs, need_set met, const char *cure);

#endif
