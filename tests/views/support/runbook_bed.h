/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_VIEWS_SUPPORT_RUNBOOK_BED_H
#define TESTS_VIEWS_SUPPORT_RUNBOOK_BED_H

#include "tests/views/support/fixture.h"
#include "views/runbook/runbook.h"

/* Runbooks without a file: views/ knows no YAML. */
struct runbook *bed_book(const char *name, const char *target);
/* Adds a step; where NULL: a person judges. Good until the next call. */
struct runbook_step *bed_step(struct runbook *b, const char *id, const char *view,
	enum runbook_scope scope, enum runbook_rows rows, const char *where);

#endif
