/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_VERDICT_LINE_H
#define TESTS_BENCH_DIAGNOSIS_VERDICT_LINE_H

#include <stdio.h>

#include "tests/bench/diagnosis/bed.h"
#include "tests/bench/diagnosis/score.h"

/*
 * Findings in the words of the labels: root causes that are open now, most likely first. NULL: a
 * finding that has no such word, because it harms nobody (settings, margins, coverage).
 */
const char *verdict_class(const struct model *m, const struct finding *f);
/* Root causes among the findings and the victims that they name, as of the last run. */
void verdict_take(const struct bed *b, int64_t t_us, said_vec *said);
void verdict_write(FILE *f, const struct said *s);

#endif
