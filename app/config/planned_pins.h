/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_PLANNED_PINS_H
#define APP_CONFIG_PLANNED_PINS_H

#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Pins the ports that the inventory lists (history_pin()), each once, when its device has reported
 * the port. A port that the operator unpins later stays unpinned.
 */
struct planned_pins;
struct planned_pins *planned_pins_new(const struct plan *plan); /* NULL: none listed */
void planned_pins_free(struct planned_pins *w);
/*
 * To be called after a batch of the device was applied: pins its listed ports that exist now. Calls
 * pinned with the locator of each, so that it is recorded. w may be NULL.
 */
void planned_pins_applied(struct planned_pins *w, struct model *m, const char *device,
	void (*pinned)(void *ctx, const char *locator), void *ctx);

#endif
