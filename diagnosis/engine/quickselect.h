/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_QUICKSELECT_H
#define DIAGNOSIS_ENGINE_QUICKSELECT_H

#include <stddef.h>

/*
 * The k-th smallest of n values, k < n, without sorting (Hoare's selection): each run takes
 * medians of whole tiers. Reorders at: smaller values before k, greater ones behind it. It must
 * contain no NAN.
 */
double quickselect(double *at, size_t n, size_t k);

#endif
