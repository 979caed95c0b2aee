/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_AUDIT_ROWS_H
#define APP_CONSOLE_AUDIT_ROWS_H

#include "actions/ledger/ledger.h"
#include "archive/recording/rts.h"
#include "views/act_sheet.h"

/* Appends a ledger line to the rows of the audit view. */
/* clock: the steps of the wall clock; NULL: none. */
void audit_rows_add(
	struct audit_log *log, const struct ledger_line *line, const struct clock_track *clock);
/*
 * Appends the ledger lines that are stored in a snapshot file, in order. A file without a ledger
 * has none. False with err: the lines cannot be read.
 */
bool audit_rows_of_file(struct audit_log *log, struct rts *file, struct err *err);

#endif
