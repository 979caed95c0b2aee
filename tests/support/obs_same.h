/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_OBS_SAME_H
#define TESTS_SUPPORT_OBS_SAME_H

#include "fabric/vocabulary/observation.h"

/*
 * Fails the test unless both batches, and those behind them, have the same content in the same
 * order.
 */
void obs_same(const struct obs *a, const struct obs *b);

#endif
