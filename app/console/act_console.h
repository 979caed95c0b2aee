/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_ACT_CONSOLE_H
#define APP_CONSOLE_ACT_CONSOLE_H

#include "app/session/acting.h"
#include "views/console/console.h"

/*
 * Connects the console with actions: implements its action hooks, and fills the sheet and the audit
 * rows.
 */
struct act_console;

/*
 * Opens actions if the inventory grants them and read_only is false. Otherwise only the ledger can
 * be read. Never NULL. warn gets a message when granted actions cannot be opened.
 */
struct act_console *act_console_open(uv_loop_t *loop, struct session *s, bool read_only,
	void (*warn)(void *ctx, const char *message), void *ctx);
void act_console_close(struct act_console *a); /* see acting_close(); NULL is allowed */
bool act_console_acting(const struct act_console *a);
bool act_console_running(const struct act_console *a); /* a device is being changed */

/* Sets the console that shows the sheet and the audit rows; NULL: none from now on. */
void act_console_attach(struct act_console *a, struct console *c);
/* The terminal was resized: wraps the lines of the sheet again. NULL is allowed. */
void act_console_resized(struct act_console *a);
/* To be called when the model changed. */
void act_console_turn(struct act_console *a);

/* The action hooks of struct console_hooks. */
void act_console_actions(struct act_console *a, struct ref r,
	void (*add)(void *to, const char *name, const char *help), void *to);
bool act_console_begin(struct act_console *a, const char *action, struct ref r, struct err *err);
bool act_console_go(struct act_console *a, const char *reason, const char *incident,
	const char *typed, struct err *err);
bool act_console_undo(
	struct act_console *a, const char *reason, const char *incident, struct err *err);
bool act_console_drop(struct act_console *a, struct err *err);
/* Loads new ledger lines and gives the console all rows. */
void act_console_audit(struct act_console *a);
const char *act_console_ledger(const struct act_console *a); /* path of the ledger */

#endif
