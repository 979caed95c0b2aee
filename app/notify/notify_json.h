/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_NOTIFY_NOTIFY_JSON_H
#define APP_NOTIFY_NOTIFY_JSON_H

#include <jansson.h>

#include "fabric/plan/plan.h"

/*
 * The receivers of notify: for `railtop check --json`: [{name, kind, severity, state ("reached",
 * "not_reached", "nothing_told"), last_message, not_reached_since, problem, watched}]. watched: a
 * process of this account tells them now. The caller has the reference.
 */
json_t *notify_json(const struct plan *plan);

#endif
