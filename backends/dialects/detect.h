/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_DIALECTS_DETECT_H
#define BACKENDS_DIALECTS_DETECT_H

#include "backends/contract/backend.h"

/*
 * Detects over SSH which dialect a device speaks and what it is in the fabric. It is not a dialect
 * of the inventory (not in backends.def), but is polled like one (struct collector_opts, ops).
 * Every dialect scores each answer, which gives facts: "dialect"  name of the dialect with the best
 * score,  "score"  1..100: how sure The first request is DETECT_SHELL. If it finds a dialect there
 * is only one more, for Linux: DETECT_ROLE, whose answer has neighbours and the facts of
 * backends/dialects/linux/role.c. If not, detect_probes() requests of other names follow.
 */
extern const struct backend_ops backend_detect;
#define DETECT_SHELL "shell"
#define DETECT_ROLE  "role"

size_t detect_probes(void);

/* The same for a device that its neighbours hear to be Linux: DETECT_SHELL and DETECT_ROLE at once.
 */
extern const struct backend_ops backend_detect_linux;

/* The dialect with the best score for a text, such as a system description; NULL: none. */
const struct backend_ops *detect_score(const char *text, size_t len, int *score);

#endif
