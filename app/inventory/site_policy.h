/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_INVENTORY_SITE_POLICY_H
#define APP_INVENTORY_SITE_POLICY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "fabric/plan/plan.h"

/*
 * The site's own limits of actions, which stand where an operator cannot change them:
 * /etc/railtop/site.yaml, a file of root that nobody else can write. An inventory is the operator's
 * own file, so what it leaves out would bind nobody. Format: railtop-fabric(5), THE SITE'S LIMITS.
 */
#define SITE_POLICY_FILE "/etc/railtop/site.yaml"

/*
 * Makes the limits of plan->actions at least as strict as those of the file at path. True also
 * where there is no file. False (ERR_CONFIG): the file cannot be read, is wrong, or another user
 * than owner (root, but in tests) may have written it; then no action may run.
 */
bool site_policy_apply(const char *path, uid_t owner, struct plan *plan, struct err *err);

#endif
