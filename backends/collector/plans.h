/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_PLANS_H
#define BACKENDS_COLLECTOR_PLANS_H

#include "backends/contract/backend.h"

/*
 * What plan() says follows from the target and its facts, so it is kept until these change; and it
 * is the same for most devices of a kind, so it is kept once for all of them. One thread.
 */
struct kept_plan;

struct plan_shelf {
	struct kept_plan *plans;
};

/* Takes the requests over. What it returns is given back with plan_drop(). */
struct kept_plan *plan_keep(struct plan_shelf *s, struct request_list *list);
void plan_drop(struct plan_shelf *s, struct kept_plan *p); /* NULL is allowed */
const struct request_list *plan_requests(const struct kept_plan *p);

#endif
