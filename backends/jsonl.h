/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JSONL_H
#define BACKENDS_JSONL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/*
 * Observation JSON lines (`--observations FILE|-`, contract in man/railtop.1): one JSON object a
 * line, one subset of facts about one device each.
 */

/*
 * Decodes one line. NULL with err filled when it is not an observation. *t_us receives "t". Unknown
 * keys are reported once a key through warn (may be NULL) and ignored.
 */
struct obs *jsonl_parse(const char *line, size_t len, int64_t *t_us,
	void (*warn)(void *ctx, const char *key), void *ctx, struct err *err);

#endif
