/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_CAPTURE_TARGETS_H
#define APP_SESSION_CAPTURE_TARGETS_H

#include "diagnosis/engine/diagnosis.h"

/*
 * Selects the devices whose verbatim answers are kept for a ticket. These are the devices at both
 * ends of open findings, the likeliest causes first, at most RAW_WANTED_MAX. A device that is no
 * longer needed stays until its slot is needed: its last answers may still be requested.
 */
struct capture_targets;
#define RAW_WANTED_MAX 48

struct capture_targets *capture_targets_new(void);
void capture_targets_free(struct capture_targets *w);
/* Calls keep for each device that is added (on) or removed. */
void capture_targets_update(struct capture_targets *w, const struct diag *d, const struct model *m,
	void (*keep)(void *ctx, const char *device, bool on), void *ctx);

#endif
