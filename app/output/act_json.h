/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_OUTPUT_ACT_JSON_H
#define APP_OUTPUT_ACT_JSON_H

#include <stdio.h>

#include "actions/manager/manager.h"

/* How an action stands: {"stage":…,"plan":{…},"refusals":[…],"notes":[…],"summary":…}. */
bool act_json(const struct acts *a, FILE *out, struct err *err);
/* Lines of the ledger, and a report about all of it (NULL: none). */
bool ledger_json(
	const ledger_line_vec *lines, const struct ledger_report *r, FILE *out, struct err *err);

/* The plan that somebody offered for approval, as text; the caller frees. NULL: err. */
char *act_offered(
	const char *dir, const char *hash, char place[2 * NAME_MAX_LEN + 4], struct err *err);
/* Offers a plan to be approved: four eyes. */
bool act_offer(const struct acts *a, struct err *err);
/* The line that says that a person looked at an action whose outcome was unknown. */
bool ledger_settle(struct ledger *l, const char *act, const char *reason, struct err *err);
bool ledger_note_approval(struct ledger *l, const char *hash, const char *place, struct err *err);

#endif
