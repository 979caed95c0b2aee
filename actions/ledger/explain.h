/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ACTIONS_LEDGER_EXPLAIN_H
#define ACTIONS_LEDGER_EXPLAIN_H

#include "actions/ledger/ledger.h"

/* Explains a line in one sentence: "sent: sudo -n config pfcwd stop Ethernet12". */
void ledger_explain(enum ledger_event e, const json_t *line, char *dst, size_t size);

#endif
