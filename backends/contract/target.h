/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_CONTRACT_TARGET_H
#define BACKENDS_CONTRACT_TARGET_H

#include "backends/contract/backend.h"
#include "fabric/plan/plan.h"

/*
 * Fills t from the plan. False with err (ERR_CONFIG) when the transport is unknown or the dialect
 * does not support it. The plan keeps ownership of the strings.
 */
bool target_from_plan(struct target *t, const struct plan *p, const struct plan_device *d,
	const struct backend_ops *ops, struct err *err);

/*
 * Returns a copy of path with a leading "~/" replaced by the home directory; the caller frees it.
 */
char *target_expand_home(const char *path);

#endif
