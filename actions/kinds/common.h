/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_KINDS_COMMON_H
#define ACTIONS_KINDS_COMMON_H

#include "actions/kinds/action.h"

/* Shared by the actions of actions.def. Private to actions/. */

#define VERB_BIT(v) (1u << (unsigned)(v))

/*
 * The time after an action during which the model may still show the effects of the action itself.
 */
int64_t action_grace_us(const struct place_of_action *at);

bool action_can(const struct place_of_action *at, enum verb v);
/*
 * Always false, with ERR_UNSUPPORTED: the dialect has no command for the verb over this transport.
 */
bool action_cannot(const struct place_of_action *at, const char *what, struct err *err);
/* "leaf-r3-00:Ethernet12", "leaf-r3-00" without a port; returns dst. */
char *action_place(const struct place_of_action *at, char *dst, size_t size);

/* An order for the whole port of the place. */
struct order order_of(const struct place_of_action *at, enum verb v);
/* The same for the link's BGP session, by the name in the device's configuration. */
struct order order_of_bgp(
	const struct place_of_action *at, enum verb v, const struct condition *now);
/* Appends a step; undo may be NULL. The pointer is valid until the next call. */
struct step *step_add(step_vec *v, const struct order *o, const struct order *undo);
/* Changes c to the condition after the goal of o is met: the next order is planned from it. */
void order_project(const struct order *o, struct condition *c);

/* The host of a port: its own, or the one at the other end; its own device where neither is one. */
const struct device *action_host_at(const struct model *m, const struct port *p);
/* The port at the other end; NULL: not known. */
const struct port *action_peer(const struct place_of_action *at);
/* Both ends are switches, as far as the model knows. */
bool action_between_switches(const struct place_of_action *at);
/* Whether the site drains links between switches by their BGP session, and this link has one. */
bool action_by_bgp(const struct place_of_action *at);
/* The priorities of the action: the priority of the target, else all lossless ones. */
uint8_t action_priorities(const struct place_of_action *at);

/* "drop 200/400 ms", "200/400 ms", "drop", "with the device's own timers"; returns dst. */
char *wd_setting_text(const struct wd_setting *w, char *dst, size_t size);

/*
 * For holds(): true with why when the device has not answered for a minute, so that it is unknown
 * whether the outcome holds.
 */
bool watch_is_blind(const struct place_of_action *at, int64_t since_us, char *why, size_t size);
/* Whether the model has polled the device after the effects of the action itself were over. */
bool watch_has_data(const struct place_of_action *at, int64_t since_us);
/* Whether the link is up and was not lost since. */
bool watch_link(const struct place_of_action *at, int64_t since_us, char *why, size_t size);
/* Whether the watchdog is on, no queue is stormed, and no storm and no drop occurred since. */
bool watch_watchdog(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size);

#endif
