/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ACT_JSON_H
#define APP_OUTPUT_ACT_JSON_H

#include <stdio.h>

#include "actions/ledger/anchor.h"
#include "actions/manager/manager.h"

/* Writes the state of an action: {"stage":…,"plan":{…},"refusals":[…],"notes":[…],"summary":…}. */
bool act_json(const struct action_manager *a, FILE *out, struct err *err);
/* The same for an action that was refused before anything was collected. */
bool act_refused_json(const struct err *why, FILE *out);
/* Writes lines of the ledger, a report about the whole ledger, and about its copies (NULL: none).
 */
bool ledger_json(const ledger_line_vec *lines, const struct ledger_report *r,
	const struct anchor_report *a, FILE *out, struct err *err);

/*
 * Prints a plan offered for approval as a sheet: who asks and why, what that person saw, the
 * commands that the hash covers, and what an approval means. place receives its place. False with
 * err: there is none.
 */
bool act_offered(const char *dir, const char *hash, char place[2 * NAME_MAX_LEN + 4], FILE *out,
	struct err *err);
/* Offers the plan for approval by a second person (four eyes). c: reason and incident, or NULL. */
bool act_offer(const struct action_manager *a, const struct consent *c, struct err *err);
/* Appends a line: a person has checked an action with an unknown outcome. */
bool ledger_settle(struct ledger *l, const char *act, const char *reason, struct err *err);
bool ledger_note_approval(struct ledger *l, const char *hash, const char *place, struct err *err);

#endif
