/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_SCORE_PLACE_H
#define TESTS_BENCH_DIAGNOSIS_SCORE_PLACE_H

#include <stdbool.h>

#include <jansson.h>

/* Whether a verdict names the place, and the class, of a labelled fault: score.py's rules. */
bool place_is_right(const json_t *fault, const json_t *entity, const json_t *topology);
bool class_is_right(const json_t *fault, const char *class);

#endif
