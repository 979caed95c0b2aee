/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_RUNBOOK_YAML_H
#define APP_CONFIG_RUNBOOK_YAML_H

#include "app/config/inventory_yaml_schema.h"
#include "app/config/runbooks.h"

/* Private to app/config/runbook_yaml*.c. */

#define RUNBOOK_TEXT_MAX  1500 /* characters of a paragraph */
#define RUNBOOK_QUERY_MAX 512

/* A step as written, and where, for messages. */
struct step_lines {
	unsigned line;                                              /* of the step */
	unsigned view, filter, expect, pass, fail, unknown, action; /* 0: not there */
};
struct draft {
	struct runbook *book;
	unsigned target_line;
	VEC(struct step_lines) lines; /* one a step */
};

yaml_read_fn runbook_read_steps; /* struct draft */
/* What can be said only when all steps are there: where they lead, and that all are reached. */
void runbook_check_steps(const struct draft *d, struct problems *problems);

/* A lower-case name with digits and hyphens, shorter than size. */
bool runbook_name_ok(const char *s, size_t size);
/* A paragraph: line ends become spaces. to: char ** */
yaml_read_fn runbook_read_prose;

#endif
