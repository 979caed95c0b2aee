/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_GUARDS_GUARD_H
#define ACTIONS_GUARDS_GUARD_H

#include "actions/guards/guards.h"

/* What the guards of guards.def share. Private to actions/guards. */

#define GUARD(id, name, help) bool guard_##id(const struct guard_context *x, struct refusal *out);
#include "actions/guards/guards.def"
#undef GUARD

/* "allowed again at 02:41:07 UTC"; with the date where that is not today. dst of 64; returns it. */
char *guard_allowed_at(int64_t at_us, int64_t now_us, char *dst, size_t size);
/* The plan is made anew: reads the device again. */
#define CURE_AGAIN "plan it again: the device is then read anew"

/* Which part of a condition the action is about, by the order that it wants to look at. */
enum guard_subject { ABOUT_NOTHING, ABOUT_WATCHDOG, ABOUT_PORT, ABOUT_SESSION, ABOUT_COUNTERS };
enum guard_subject guard_subject(const struct guard_context *x);

#endif
