/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_CHANGED_DEVICES_H
#define DIAGNOSIS_ENGINE_CHANGED_DEVICES_H

#include <stdint.h>

#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * The devices that batches were applied of since the last judgement. A device is noted once it has
 * been told of as a whole: a recording has a line for each port, and each note reads all ports of
 * the device. A live session and a replay note alike, or they would judge differently.
 */
struct news_item {
	uint32_t device; /* model id */
	int64_t at_us;   /* wall, of its newest batch */
};
/* All 0 is one without news. */
struct news {
	VEC(struct news_item) items; /* in the order in which devices were first told of */
	size_t noted;                /* of these, by news_note_some() */
	VEC(uint32_t) of;            /* by device: 1 + index into items, 0: nothing */
};
void news_add(struct news *n, uint32_t device, int64_t at_us);
/* diag_note() for each of them, which are forgotten; before each judgement. */
void news_note(struct news *n, struct diag *d, const struct model *m);
/* The same for some, about so many ports; false: there are others, and the model is to stay as it
 * is until they are noted. */
bool news_note_some(struct news *n, struct diag *d, const struct model *m, size_t ports);
void news_free(struct news *n);

#endif
