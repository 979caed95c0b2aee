/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONSOLE_AUDIT_ROWS_H
#define APP_CONSOLE_AUDIT_ROWS_H

#include "actions/ledger/ledger.h"
#include "archive/recording/rts.h"
#include "views/act_sheet.h"

/* Lines of a ledger for the audit view. */
void audit_rows_add(struct audit_log *log, const struct ledger_line *line);
/* Those that a snapshot carries, in order; none where it has none. False: they cannot be read. */
bool audit_rows_of_file(struct audit_log *log, struct rts *file, struct err *err);

#endif
