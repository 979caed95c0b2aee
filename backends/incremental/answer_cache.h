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
 * An incremental batch has only the changed items: its rest_stands is set
 * (fabric/vocabulary/observation.h). Words of ports are assumed to be unchanged in the model, so
 * few of them are included: see again_others(). The caller decides when a full batch is due.
 *
 * One thread only. Answers of the same shape share what was learnt; it is stored once, on a shelf.
 */
/* Bytes that a shelf holds; beyond, nothing new is learnt. */
#define AGAIN_MOST ((size_t)256 << 20)

struct again_shelf;
struct again_shelf *again_shelf_new(size_t most);
void again_shelf_free(struct again_shelf *shelf); /* call after again_free() of all its users */
size_t again_shelf_bytes(const struct again_shelf *shelf);

/* The state of one request of one device. */
struct again;
struct again *again_new(struct again_shelf *shelf);
void again_free(struct again *a); /* NULL is allowed */
/* Discards what was learnt: the facts or the connection changed. */
void again_forget(struct again *a);
bool again_knows(const struct again *a); /* true: again_read() may succeed */

/*
 * Sets the port attributes that other answers of the device report too, as AGAIN_ATTR() bits. The
 * model may have their values, so every batch includes these attributes. New bits discard what was
 * learnt.
 */
#define AGAIN_ATTR(attr) (UINT64_C(1) << (attr))
_Static_assert(OBS_ATTR_COUNT <= 64, "attributes are more than the bits of a mask");
void again_others(struct again *a, uint64_t attrs);
/* Returns AGAIN_ATTR() bits of the port attributes in this batch, without those in obs.more. */
uint64_t again_attrs(const struct obs *o);

/*
 * The caller keeps the text of the next answer, and kept that of the last one, so no copy is made
 * here. NULL: it does not. b must stay valid until the next call; it covers the whole answer.
 */
void again_kept(struct again *a, const struct text_before *b);

/*
 * Reads an answer into the empty batch o with the same result as parse(), and sets rest_stands.
 * False: call parse(); o is unchanged.
 */
bool again_read(struct again *a, const char *bytes, size_t len, struct obs *o);

/*
 * Call it when again_read() returned false. Returns the list for the positions that parse() reports
 * (struct target); NULL: learning is not worth it now. After a successful parse() call
 * again_learn() with its batch of the same bytes. False: nothing could be learnt.
 */
struct slots *again_lesson(struct again *a, const char *bytes, size_t len);
bool again_learn(struct again *a, const struct obs *o);

#endif
