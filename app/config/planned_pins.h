/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_PLANNED_PINS_H
#define APP_CONFIG_PLANNED_PINS_H

#include "fabric/model/model.h"
#include "fabric/plan/plan.h"

/*
 * Ports that the inventory wants pinned (history_pin()), each once its device has told of it. Whom
 * a person lets go then stays so.
 */
struct planned_pins;
struct planned_pins *planned_pins_new(const struct plan *plan); /* NULL: there are none */
void planned_pins_free(struct planned_pins *w);
/*
 * Something of that device was applied: pins those of its ports that are there now. Calls pinned
 * for each, with its locator, so that a recording has it. w may be NULL.
 */
void planned_pins_applied(struct planned_pins *w, struct model *m, const char *device,
	void (*pinned)(void *ctx, const char *locator), void *ctx);

#endif
