/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_TARGET_H
#define BACKENDS_CONTRACT_TARGET_H

#include "backends/contract/backend.h"
#include "fabric/plan/plan.h"

/*
 * Fills what a dialect may know about d. False with err (ERR_CONFIG) when the transport is unknown
 * or the dialect does not speak it. The strings stay the plan's.
 */
bool target_from_plan(struct target *t, const struct plan *p, const struct plan_device *d,
	const struct backend_ops *ops, struct err *err);

/* A copy of path in which a leading "~/" is the home directory; the caller frees it. */
char *target_expand_home(const char *path);

#endif
