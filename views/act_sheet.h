/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_ACT_SHEET_H
#define VIEWS_ACT_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/vocabulary/types.h"
#include "tui/theme.h"

/*
 * The console's picture of an action, with the questions to the operator. The composition root
 * fills it from actions/, which views do not know. In read-only mode there is none, nor the code
 * that fills it.
 */

struct sheet_line {
	enum role role;
	char text[200];
};

enum sheet_ask {
	SHEET_SHOWS,   /* read only */
	SHEET_CONSENT, /* the operator may execute it: reason, incident key and the typed name */
	SHEET_UNDO,    /* undo is offered: the outcome does not hold, or is being watched */
};

struct act_sheet {
	char title[120]; /* "pfcwd-reset leaf-r3-00:Ethernet12" */
	char state[24];  /* "planned", "running", "unknown": drawn large, in role */
	enum role role;
	VEC(struct sheet_line) lines; /* the plan, the refusals, the progress; newest last */
	enum sheet_ask ask;
	char typed[NAME_MAX_LEN]; /* the confirmation that the operator types */
	bool follows;             /* an action is in progress: the newest line stays visible */
	bool busy;                /* a device is being changed: closing the sheet does not end it */
};

/* One line of the ledger. */
struct audit_row {
	uint64_t n;
	int64_t t_us;
	char event[16], act[40], action[32], user[32], from[64];
	char device[NAME_MAX_LEN], port[NAME_MAX_LEN];
	char incident[64], text[240];
};
struct audit_log {
	VEC(struct audit_row) rows; /* oldest first */
	char problem[200];          /* the ledger cannot be read, or was altered; "" */
	char path[200];
};

#endif
