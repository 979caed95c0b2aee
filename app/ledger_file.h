/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_LEDGER_FILE_H
#define APP_LEDGER_FILE_H

#include "app/options.h"

/* Which ledger a subcommand is about: --ledger, else the inventory's, else the user's own. */
struct ledger_file {
	char *path;
};
bool ledger_file_find(const struct options *o, struct ledger_file *f, struct err *err);
void ledger_file_free(struct ledger_file *f);

#endif
