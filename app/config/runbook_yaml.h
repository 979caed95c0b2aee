/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_CONFIG_RUNBOOK_YAML_H
#define APP_CONFIG_RUNBOOK_YAML_H

#include "app/inventory/inventory_yaml_schema.h"
#include "app/config/runbooks.h"

/* Private to app/config/runbook_yaml*.c. */

#define RUNBOOK_TEXT_MAX  1500 /* limit of a paragraph in characters */
#define RUNBOOK_QUERY_MAX 512

/* The lines of a step and its keys, for messages. */
struct step_lines {
	unsigned line;                                              /* of the step */
	unsigned view, filter, expect, pass, fail, unknown, action; /* 0: no such key */
};
struct draft {
	struct runbook *book;
	unsigned target_line;
	VEC(struct step_lines) lines; /* one per step */
};

yaml_read_fn runbook_read_steps; /* struct draft */
/* Checks the whole runbook: each target exists, each step is reached, and each leads to an end. */
void runbook_check_steps(const struct draft *d, struct problems *problems);

/* True for lower-case letters, digits and hyphens, not beginning with a hyphen, shorter than
 * size. */
bool runbook_name_ok(const char *s, size_t size);
/* Reads a paragraph to a char **: line ends become spaces. */
yaml_read_fn runbook_read_prose;
/* Of a key that takes one word only: sets *out. noun: for the message, "side of a link". */
bool runbook_read_flag(
	struct reader *r, const yaml_node_t *n, const char *word, const char *noun, bool *out);

#endif
