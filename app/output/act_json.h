/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ACT_JSON_H
#define APP_OUTPUT_ACT_JSON_H

#include <stdio.h>

#include "actions/manager/manager.h"

/* Writes the state of an action: {"stage":…,"plan":{…},"refusals":[…],"notes":[…],"summary":…}. */
bool act_json(const struct action_manager *a, FILE *out, struct err *err);
/* Writes lines of the ledger and a report about the whole ledger (NULL: none). */
bool ledger_json(
	const ledger_line_vec *lines, const struct ledger_report *r, FILE *out, struct err *err);

/* The text of a plan offered for approval; the caller frees it. NULL with err: there is none. */
char *act_offered(
	const char *dir, const char *hash, char place[2 * NAME_MAX_LEN + 4], struct err *err);
/* Offers the plan for approval by a second person (four eyes). */
bool act_offer(const struct action_manager *a, struct err *err);
/* Appends a line: a person has checked an action with an unknown outcome. */
bool ledger_settle(struct ledger *l, const char *act, const char *reason, struct err *err);
bool ledger_note_approval(struct ledger *l, const char *hash, const char *place, struct err *err);

#endif
