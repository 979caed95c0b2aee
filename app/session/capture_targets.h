/* SPDX-License-Identifier: Apache-2.0 */
#ifndef APP_SESSION_CAPTURE_TARGETS_H
#define APP_SESSION_CAPTURE_TARGETS_H

#include "diagnosis/engine/diagnosis.h"

/*
 * Of which devices the verbatim answers are kept for the ticket: those that open findings are
 * about, both ends of links, the likeliest causes first, at most RAW_WANTED_MAX. One that is not
 * needed any more is let go when another needs its place: its last answers may still be asked for.
 */
struct raw_wanted;
#define RAW_WANTED_MAX 48

struct raw_wanted *raw_wanted_new(void);
void raw_wanted_free(struct raw_wanted *w);
/* Calls keep for each device whose state changes. */
void raw_wanted_update(struct raw_wanted *w, const struct diag *d, const struct model *m,
	void (*keep)(void *ctx, const char *device, bool on), void *ctx);

#endif
