/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_HEADLESS_SILENCE_H
#define APP_HEADLESS_SILENCE_H

#include <stdio.h>

#include "fabric/model/model.h"

/*
 * Says which devices have no data, and why: for standard error, beside a table that has only the
 * others. One line for each state, a cure for each kind of error. Nothing where all have data.
 */
void silence_report(const struct model *m, FILE *out);
/* Says why a table has no rows. total: rows before the filter; where: the filter or NULL. */
void silence_explain_empty(
	const struct model *m, const char *view, size_t total, const char *where, FILE *out);

#endif
