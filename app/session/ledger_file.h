/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_LEDGER_FILE_H
#define APP_SESSION_LEDGER_FILE_H

#include "app/options/options.h"

/* The ledger of a subcommand: --ledger, else the inventory's, else the user's own. */
struct ledger_file {
	char *path;
};
bool ledger_file_find(const struct options *o, struct ledger_file *f, struct err *err);
void ledger_file_free(struct ledger_file *f);

/*
 * The ledger's lines from since_us to until_us, verbatim, so that their hashes can be compared.
 * Reads only its last 8 MB. The caller frees the result, which is never NULL.
 */
char *ledger_window(const char *path, int64_t since_us, int64_t until_us, size_t *lines);

#endif
