/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_STRETCH_H
#define TESTS_BENCH_DIAGNOSIS_STRETCH_H

#include "base/err.h"
#include "fabric/vocabulary/observation.h"
#include "fabric/plan/plan.h"

/*
 * Some minutes of an emulated fabric as batches, one a device and poll, that can be had again and
 * again with times and counters going on: a day in seconds.
 */
struct stretch;

/* polls of 5 s of a preset. */
struct stretch *stretch_make(const char *preset, unsigned polls, struct err *err);
void stretch_free(struct stretch *s);
const struct plan *stretch_plan(const struct stretch *s);
size_t stretch_devices(const struct stretch *s);
/* The batch of a device in the poll, any number of polls from the begin; the caller's. NULL: none.
 */
struct obs *stretch_batch(const struct stretch *s, unsigned poll, size_t device);
/* When it came: devices are spread over the interval. */
int64_t stretch_time(const struct stretch *s, unsigned poll, size_t device);

#endif
