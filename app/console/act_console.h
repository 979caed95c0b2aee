/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_ACT_CONSOLE_H
#define APP_CONSOLE_ACT_CONSOLE_H

#include "app/session/acting.h"
#include "views/console/console.h"

/* The console's side of actions: what its hooks do, and the sheet and the audit rows that it shows.
 */
struct act_console;

/*
 * With actions where the inventory grants them, else with the ledger to read only. read_only: not
 * even where it grants them. warn: why not, where they were meant to be.
 */
struct act_console *act_console_open(uv_loop_t *loop, struct session *s, bool read_only,
	void (*warn)(void *ctx, const char *message), void *ctx);
void act_console_close(struct act_console *a); /* as acting_close(); NULL is allowed */
bool act_console_acting(const struct act_console *a);
bool act_console_running(const struct act_console *a); /* a device is being changed */

/* Whom to tell; NULL: nobody any more. */
void act_console_attach(struct act_console *a, struct console *c);
/* The terminal has another size: lines are broken anew. NULL is allowed. */
void act_console_resized(struct act_console *a);
/* The model changed. */
void act_console_turn(struct act_console *a);

void act_console_actions(struct act_console *a, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to);
bool act_console_begin(struct act_console *a, const char *action, struct ref r, struct err *err);
bool act_console_go(struct act_console *a, const char *reason, const char *incident,
	const char *typed, struct err *err);
bool act_console_undo(
	struct act_console *a, const char *reason, const char *incident, struct err *err);
bool act_console_drop(struct act_console *a, struct err *err);
void act_console_audit(struct act_console *a);
const char *act_console_ledger(const struct act_console *a); /* its file */

#endif
