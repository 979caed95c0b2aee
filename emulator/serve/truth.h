/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TRUTH_H
#define EMULATOR_TRUTH_H

#include <uv.h>

#include "base/clock.h"
#include "base/err.h"
#include "emulator/serve/site.h"

/*
 * Schedules the writes of truth.json. It is written at once when a fault begins, ends or changes.
 * While only rates change, it is written at most once a second and takes at most a fiftieth of the
 * loop's time.
 */
struct truth;

struct truth_opts {
	uv_loop_t *loop;
	const struct site *site;
	const struct sim *sim;
	const struct clock *clock;
};

struct truth *truth_new(const struct truth_opts *o);
/* Call it when the sim's generation changed. An error is reported once, on standard error. */
void truth_changed(struct truth *t);
/* The memory is freed once the loop has run the close callbacks. NULL is allowed. */
void truth_close(struct truth *t);

#endif
