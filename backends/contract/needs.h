/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_NEEDS_H
#define BACKENDS_CONTRACT_NEEDS_H

#include <stddef.h>
#include <stdint.h>

#include "fabric/vocabulary/need.h"
#include "fabric/vocabulary/observation.h"

/* The device reports it, cannot, or could but does not (cure: the command that switches it on). */
void need_say(struct obs *o, enum need_id need, enum validity v, const char *cure);

/*
 * Says each of the needs as the batch's items have it: ok when any port has a value of the need's
 * counter, else the reason that the last port gave, with its cure; nothing when no item is about
 * it.
 */
void needs_report(struct obs *o, const enum need_id *needs, size_t n);

/* Sets of needs, a bit each. */
typedef uint64_t need_set;
#define NEED_BIT(id) ((need_set)1 << NEED_##id)
_Static_assert(NEED_COUNT <= 64, "a need_set has a bit for each");
void needs_say(struct obs *o, need_set needs, enum validity v, const char *cure);
/*
 * Says every need of the set after an answer was decoded: ok for those in met, those with a counter
 * as needs_report() does, and unsupported where nothing came of it, with this cure.
 */
void needs_settle(struct obs *o, need_set needs, need_set met, const char *cure);

#endif
