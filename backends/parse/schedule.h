/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_PARSE_SCHEDULE_H
#define BACKENDS_PARSE_SCHEDULE_H

#include "fabric/vocabulary/observation.h"

/*
 * The schedulers of a port's egress queues, "0:DWRR 20 3:DWRR 60 6:STRICT" (ATTR_SCHEDULER). Each
 * device has its own words for them: WRR, RR, SP, a priority level.
 */
struct schedule {
	char text[96];
};

/* The queues in ascending order. weight: a number as the device prints it; "", "-": none. */
void schedule_strict(struct schedule *s, unsigned queue);
void schedule_weighted(struct schedule *s, unsigned queue, const char *type, const char *weight);
/* Reports it; false: the device named no queue. */
bool schedule_emit(const struct schedule *s, struct obs *o, uint32_t port);

#endif
