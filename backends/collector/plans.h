/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_PLANS_H
#define BACKENDS_COLLECTOR_PLANS_H

#include "backends/contract/backend.h"

/*
 * Shares the request lists of plan(). A list depends on the target and its facts, so it is kept
 * until these change; most devices of a kind have the same list, so it is stored once. One thread
 * only.
 */
struct kept_plan;

struct plan_shelf {
	struct kept_plan *plans;
};

/* Takes ownership of the requests. The caller releases the result with plan_drop(). */
struct kept_plan *plan_keep(struct plan_shelf *s, struct request_list *list);
void plan_drop(struct plan_shelf *s, struct kept_plan *p); /* NULL is allowed */
const struct request_list *plan_requests(const struct kept_plan *p);

#endif
