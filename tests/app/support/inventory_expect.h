/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_APP_SUPPORT_INVENTORY_EXPECT_H
#define TESTS_APP_SUPPORT_INVENTORY_EXPECT_H

#include "fabric/plan/plan.h"

/*
 * Reads text as the inventory f.yaml and fails the test unless its problems, a line each, are want;
 * "" is none. plan is the caller's to free.
 */
void inventory_expect(const char *text, const char *want, struct plan *plan);

/* The same where the plan is of no interest. */
void inventory_says(const char *text, const char *want);
/* All problems of the bytes, a line each; the caller frees them and the plan. */
char *inventory_problems(const char *text, size_t len, struct plan *plan);

/* The device of that name; fails the test where there is none. */
const struct plan_device *inventory_device(const struct plan *p, const char *name);

/* The link with this end, or NULL. */
const struct plan_link *inventory_link(const struct plan *p, const char *name, const char *port);

#endif
