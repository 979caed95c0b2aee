/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_PLAN_MAKE_H
#define TESTS_SUPPORT_PLAN_MAKE_H

#include "fabric/plan/plan.h"

/* Small plans for tests: a line a device, a line a link. */

/* Reached over SSH at its name, polled each 5 s; hosts are linux, spines eos, the others sonic. */
struct plan_device *plan_make_device(struct plan *plan, const char *name, enum tier tier, int rail);
/* 400G between two devices by their index in the plan. */
void plan_make_link(struct plan *plan, unsigned a, const char *a_port, unsigned b,
	const char *b_port, int rail);

#endif
