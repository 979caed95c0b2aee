/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_JSONL_H
#define BACKENDS_JSONL_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fabric/vocabulary/observation.h"

/*
 * Observation JSON lines (`--observations FILE|-`, contract in man/railtop.1): one JSON object per
 * line, with one subset of the facts about one device.
 */

/*
 * Decodes one line. Returns NULL with err if it is not an observation. *t_us receives "t". Unknown
 * keys are ignored; each is reported once through warn, which may be NULL.
 */
struct obs *jsonl_parse(const char *line, size_t len, int64_t *t_us,
	void (*warn)(void *ctx, const char *key), void *ctx, struct err *err);

#endif
