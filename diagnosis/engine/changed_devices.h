/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_CHANGED_DEVICES_H
#define DIAGNOSIS_ENGINE_CHANGED_DEVICES_H

#include <stdint.h>

#include "base/vec.h"
#include "diagnosis/engine/diagnosis.h"

/*
 * The devices with batches applied since the last run. A device is noted after all of its batches:
 * a recording has a line for each port, and each note reads all ports of the device. A live
 * session and a replay must note alike, or their diagnoses would differ.
 */
struct changed_device {
	uint32_t device; /* model id */
	int64_t at_us;   /* wall, of its newest batch */
};
/* All zeros: no news. */
struct changed_devices {
	VEC(struct changed_device) items; /* in order of the first batch */
	size_t noted;     /* number of items that changed_devices_note_some() has noted */
	VEC(uint32_t) of; /* by device: 1 + index into items, 0: nothing */
};
void changed_devices_add(struct changed_devices *n, uint32_t device, int64_t at_us);
/* Calls diag_note() for each of them and empties the list; before each run. */
void changed_devices_note(struct changed_devices *n, struct diag *d, const struct model *m);
/* The same for some devices, about `ports` ports at a time. False: there are more, and the model
 * must not change until they are noted. */
bool changed_devices_note_some(
	struct changed_devices *n, struct diag *d, const struct model *m, size_t ports);
void changed_devices_free(struct changed_devices *n);

#endif
