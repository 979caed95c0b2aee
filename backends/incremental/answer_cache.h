/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_INCREMENTAL_ANSWER_CACHE_H
#define BACKENDS_INCREMENTAL_ANSWER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "backends/incremental/text_delta.h"
#include "backends/parse/number_positions.h"
#include "fabric/vocabulary/observation.h"

/*
 * An answer like the last one costs what changed in it. Two successive answers of a device to the
 * same question differ in some of their numbers and in nothing else: once a reader has told where
 * these stand (backends/parse/number_positions.h), the next answer is compared with the last one,
 * and each number that differs goes straight to its item. Whatever else differs makes the answer
 * one for parse(), of which it is learnt anew, less and less often where that is of no use.
 *
 * An answer to several questions is so many batches, and each has its own piece of the answer.
 *
 * What is read so names only what changed: a batch whose rest stands
 * (fabric/vocabulary/observation.h). Words of ports are as they were wherever it is given, so that
 * few of them are named: again_others(). It is the caller's to want a whole one now and then.
 *
 * One thread; what was learnt of answers of the same shape is kept once for all of them on a shelf.
 */
/* Bytes that a shelf holds: beyond, nothing new is learnt. */
#define AGAIN_MOST ((size_t)256 << 20)

struct again_shelf;
struct again_shelf *again_shelf_new(size_t most);
void again_shelf_free(struct again_shelf *shelf); /* after all that use it */
size_t again_shelf_bytes(const struct again_shelf *shelf);

/* Of one device and one of its requests. */
struct again;
struct again *again_new(struct again_shelf *shelf);
void again_free(struct again *a); /* NULL is allowed */
/* What is known holds no more: other facts, another connection. */
void again_forget(struct again *a);
bool again_knows(const struct again *a); /* again_read() may succeed */

/*
 * What other answers of the device tell of its ports too, AGAIN_ATTR() of each: theirs may be what
 * the model has, so it is named in every batch. Forgets what was learnt where that has become more.
 */
#define AGAIN_ATTR(attr) (UINT64_C(1) << (attr))
_Static_assert(OBS_ATTR_COUNT <= 64, "attributes are more than the bits of a mask");
void again_others(struct again *a, uint64_t attrs);
/* AGAIN_ATTR() of each that the batch, without those behind it (obs.more), tells of ports. */
uint64_t again_attrs(const struct obs *o);

/*
 * The answer that is read or learnt next is kept by somebody else, and so was the last one (NULL:
 * they are not): then nothing has a copy of it here. b must stay until then; each is of the whole
 * answer.
 */
void again_kept(struct again *a, const struct text_before *b);

/*
 * Reads an answer as parse() would, into a batch that nothing is in yet; rest_stands is set. False:
 * it is one for parse(), and o is as it was.
 */
bool again_read(struct again *a, const char *bytes, size_t len, struct obs *o);

/*
 * After that: whom parse() is to tell where the numbers stand (struct target), NULL: nobody, for it
 * is not worth it now. Then, when parse() returned true, again_learn() with what it made of the
 * same bytes. False: nothing could be learnt.
 */
struct slots *again_lesson(struct again *a, const char *bytes, size_t len);
bool again_learn(struct again *a, const struct obs *o);

#endif
