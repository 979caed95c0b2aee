/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_INCREMENTAL_CACHE_BOTH_H
#define TESTS_SUPPORT_INCREMENTAL_CACHE_BOTH_H

#include "backends/incremental/answer_cache.h"
#include "backends/incremental/text_delta.h"
#include "backends/contract/backend.h"

/*
 * Answers to one request of one device, one after the other. They are read by parse() and with the
 * positions learnt from the answers before. Both must give the same, wherever the old texts are
 * kept.
 */
struct answer_cache_both {
	struct answer_shelf *shelf;
	struct answer_cache *again;
	struct answer_cache *twin; /* the same, with texts that it is given */
	struct answer_cache *told; /* the same, with the changes given as well */
	char *text;                /* the last one; NULL: none */
	struct text_before before;
	struct text_delta delta; /* of the last one; empty: it has too many tokens */
	struct delta_mark mark;
	struct delta_scratch scratch;
	unsigned by_changes;   /* answers that `told` read by the given changes */
	struct obs *last;      /* by parse(), of the answer before; NULL: none */
	unsigned fits, misses; /* answers that were like the last, or not */
	unsigned lessons;      /* of which something was learnt */
	char why[256];         /* the difference */
};

void again_both_begin(struct answer_cache_both *b);
void again_both_end(struct answer_cache_both *b);
/* False: they differ, see why. Slots of t are set by it. */
bool again_both_read(struct answer_cache_both *b, const struct backend_ops *ops,
	const struct target *t, const char *request, const char *bytes, size_t len);

#endif
