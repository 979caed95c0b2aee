/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMULATOR_TRUTH_H
#define EMULATOR_TRUTH_H

#include <uv.h>

#include "base/clock.h"
#include "base/err.h"
#include "emulator/serve/site.h"

/*
 * When truth.json is written: at once when a fault begins, ends or changes; otherwise, while rates
 * change all the time, at most once a second and with at most a fiftieth of the loop's time.
 */
struct truth;

struct truth_opts {
	uv_loop_t *loop;
	const struct site *site;
	const struct sim *sim;
	const struct clock *clock;
};

struct truth *truth_new(const struct truth_opts *o);
/* The sim's generation moved. An error is told once, on standard error. */
void truth_changed(struct truth *t);
/* The memory goes when the loop has run the close callbacks. NULL is fine. */
void truth_close(struct truth *t);

#endif
