/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_KINDS_COMMON_H
#define ACTIONS_KINDS_COMMON_H

#include "actions/kinds/action.h"

/* What the actions of actions.def share. Private to actions/. */

#define VERB_BIT(v) (1u << (unsigned)(v))

/* How long after an action the model may still show what the action itself did. */
int64_t action_grace_us(const struct place_of_action *at);

bool action_can(const struct place_of_action *at, enum verb v);
/* ERR_UNSUPPORTED: the dialect has no words for the verb over this transport. */
bool action_cannot(const struct place_of_action *at, const char *what, struct err *err);
/* "leaf-r3-00:Ethernet12", "leaf-r3-00" without a port; returns dst. */
char *action_place(const struct place_of_action *at, char *dst, size_t size);

/* An order for the place's port, as a whole. */
struct order order_of(const struct place_of_action *at, enum verb v);
/* The same for the link's BGP session, as the device's configuration has it. */
struct order order_of_bgp(
	const struct place_of_action *at, enum verb v, const struct condition *now);
/* Adds a step; undo may be NULL. The pointer is good until the next one. */
struct step *step_add(step_vec *v, const struct order *o, const struct order *undo);
/* What c would be when o's goal was met: the next order is planned from it. */
void order_project(const struct order *o, struct condition *c);

/* The port at the other end; NULL: not known. */
const struct port *action_peer(const struct place_of_action *at);
/* Both ends are switches, as far as the model knows. */
bool action_between_switches(const struct place_of_action *at);
/* Links between switches are drained by their BGP session here, and this one has one. */
bool action_by_bgp(const struct place_of_action *at);
/* Priorities that the action is about: that of the target, else all lossless ones. */
uint8_t action_priorities(const struct place_of_action *at);

/* "drop 200/400 ms", "200/400 ms", "drop", "with the device's own timers"; returns dst. */
char *wd_setting_text(const struct wd_setting *w, char *dst, size_t size);

/*
 * For holds(): the device says nothing any more, so nobody can tell whether the outcome holds.
 * True with why after a minute.
 */
bool watch_is_blind(const struct place_of_action *at, int64_t since_us, char *why, size_t size);
/* The model has polled the device since the action's own effects were over. */
bool watch_has_data(const struct place_of_action *at, int64_t since_us);
/* The link is up and was not lost since. */
bool watch_link(const struct place_of_action *at, int64_t since_us, char *why, size_t size);
/* No queue is stormed, no storm and no drop since, the watchdog is on. */
bool watch_watchdog(const struct place_of_action *at, const struct condition *after,
	int64_t since_us, char *why, size_t size);

#endif
