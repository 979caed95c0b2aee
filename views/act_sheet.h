/* SPDX-License-Identifier: Apache-2.0 */
#ifndef VIEWS_ACT_SHEET_H
#define VIEWS_ACT_SHEET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "fabric/vocabulary/types.h"
#include "tui/theme.h"

/*
 * What the console shows of an action, and what it asks for. The composition root fills these from
 * actions/, of which views know nothing; in read-only mode there are none, and neither is the code
 * that could fill them.
 */

struct sheet_line {
	enum role role;
	char text[200];
};

enum sheet_ask {
	SHEET_SHOWS,   /* it can only be read, and closed */
	SHEET_CONSENT, /* reason, incident key and the typed name make it go */
	SHEET_UNDO,    /* it was done and does not hold, or is watched: undoing is offered */
};

struct act_sheet {
	char title[120]; /* "pfcwd-reset leaf-r3-00:Ethernet12" */
	char state[24];  /* "planned", "running", "unknown": shown large, in role */
	enum role role;
	VEC(struct sheet_line) lines; /* the plan, the refusals, what happened; newest last */
	enum sheet_ask ask;
	char typed[NAME_MAX_LEN]; /* what has to be typed */
	bool follows;             /* something goes on: the newest line is kept in sight */
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
