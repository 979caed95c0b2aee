/* SPDX-License-Identifier: Apache-2.0 */
#ifndef DIAGNOSIS_ENGINE_QUICKSELECT_H
#define DIAGNOSIS_ENGINE_QUICKSELECT_H

#include <stddef.h>

/*
 * The k-th smallest of n values, k < n, without sorting them (Hoare's selection): medians of whole
 * tiers are taken in every run. Reorders at: smaller ones come to stand before k, greater ones
 * behind it. NAN must not be among them.
 */
double select_kth(double *at, size_t n, size_t k);

#endif
