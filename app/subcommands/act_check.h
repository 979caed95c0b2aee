/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SUBCOMMANDS_ACT_CHECK_H
#define APP_SUBCOMMANDS_ACT_CHECK_H

#include "actions/kinds/action.h"

/*
 * Refuses an action before anything is collected, as far as the inventory alone decides: it grants
 * no actions, not this one or not on this device, has no such device, or the dialect has no
 * commands for it. ERR_REFUSED or ERR_UNSUPPORTED: a guard refuses; ERR_USAGE: a wrong name. m is
 * the model of the inventory without any answer; a port that it does not plan is added to it.
 */
bool act_possible(const struct plan *plan, struct model *m, const struct action_ops *action,
	const char *place, struct err *err);

#endif
