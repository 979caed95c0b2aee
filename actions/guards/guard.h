/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_GUARDS_GUARD_H
#define ACTIONS_GUARDS_GUARD_H

#include "actions/guards/guards.h"

/* Shared by the guards of guards.def. Private to actions/guards. */

#define GUARD(id, name, help) bool guard_##id(const struct guard_context *x, struct refusal *out);
#include "actions/guards/guards.def"
#undef GUARD

/*
 * Formats the time when the guard allows the action again: "allowed again at 02:41:07 UTC", with
 * the date unless it is today. dst holds 64 bytes; returns dst.
 */
char *guard_allowed_at(int64_t at_us, int64_t now_us, char *dst, size_t size);
/* The cure that makes the plan again and so reads the device again. */
#define CURE_AGAIN "plan the action again: the device is then read again"

/*
 * The part of a condition that the action is about, from the order whose condition is read first.
 */
enum guard_subject { ABOUT_NOTHING, ABOUT_WATCHDOG, ABOUT_PORT, ABOUT_SESSION, ABOUT_COUNTERS };
enum guard_subject guard_subject(const struct guard_context *x);

#endif
