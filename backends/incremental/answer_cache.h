/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_ANSWER_CACHE_H
#define BACKENDS_INCREMENTAL_ANSWER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/incremental/text_delta.h"
#include "backends/parse/number_positions.h"
#include "fabric/vocabulary/observation.h"

/*
 * Incremental parsing. Two successive answers of a device to the same question usually differ only
 * in numbers. During a full parse the reader reports where each number stands
 * (backends/parse/number_positions.h). If the next answer has the same text around the numbers,
 * only the items of changed numbers are updated. Otherwise parse() runs and the positions are
 * learnt again; if that never helps, ever more rarely.
 *
 * An answer to several questions makes several batches, and each has its own part of the answer.
 *
 * An incremental batch has only the changed items: its unchanged_rest is set
 * (fabric/vocabulary/observation.h). Words of ports are assumed to be unchanged in the model, so
 * few of them are included: see answer_cache_others(). The caller decides when a full batch is due.
 *
 * One thread only. Answers of the same shape share what was learnt; it is stored once, on a shelf.
 */
/* Bytes that a shelf holds; beyond, nothing new is learnt. */
#define ANSWER_CACHE_MOST ((size_t)256 << 20)

struct answer_shelf;
struct answer_shelf *answer_shelf_new(size_t most);
void answer_shelf_free(
	struct answer_shelf *shelf); /* call after answer_cache_free() of all its users */
size_t answer_shelf_bytes(const struct answer_shelf *shelf);

/* The state of one request of one device. */
struct answer_cache;
struct answer_cache *answer_cache_new(struct answer_shelf *shelf);
void answer_cache_free(struct answer_cache *a); /* NULL is allowed */
/* Discards what was learnt: the facts or the connection changed. */
void answer_cache_forget(struct answer_cache *a);
bool answer_cache_knows(const struct answer_cache *a); /* true: answer_cache_read() may succeed */

/*
 * Sets the port attributes that other answers of the device report too, as ANSWER_CACHE_ATTR()
 * bits. The model may have their values, so every batch includes these attributes. New bits discard
 * what was learnt.
 */
#define ANSWER_CACHE_ATTR(attr) ((attr) < ATTR_MODEL ? UINT64_C(1) << ((attr)&63) : 0)
_Static_assert(ATTR_MODEL <= 64, "attributes of ports are more than the bits of a mask");
void answer_cache_others(struct answer_cache *a, uint64_t attrs);
/* Returns ANSWER_CACHE_ATTR() bits of the port attributes in this batch, without those in obs.more.
 */
uint64_t answer_cache_attrs(const struct obs *o);

/*
 * The caller keeps the text of the next answer, and kept that of the last one, so no copy is made
 * here. NULL: it does not. b must stay valid until the next call; it covers the whole answer.
 */
void answer_cache_kept(struct answer_cache *a, const struct text_before *b);

/*
 * Reads an answer into the empty batch o with the same result as parse(), and sets unchanged_rest.
 * False: call parse(); o is unchanged.
 */
bool answer_cache_read(struct answer_cache *a, const char *bytes, size_t len, struct obs *o);

/*
 * Call it when answer_cache_read() returned false. Returns the list for the positions that parse()
 * reports (struct target); NULL: learning is not worth it now. After a successful parse() call
 * answer_cache_learn() with its batch of the same bytes. False: nothing could be learnt.
 */
struct number_positions *answer_cache_lesson(struct answer_cache *a, const char *bytes, size_t len);
bool answer_cache_learn(struct answer_cache *a, const struct obs *o);

#endif
