/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_VERDICT_LINE_H
#define TESTS_BENCH_DIAGNOSIS_VERDICT_LINE_H

#include <stdio.h>

#include "tests/bench/diagnosis/bed.h"
#include "tests/bench/diagnosis/score.h"

/*
 * Findings in the labels' terms: root causes that are open now, most likely first. NULL: the labels
 * have no term for the finding, because it harms no traffic (settings, margins, coverage).
 */
const char *verdict_class(const struct model *m, const struct finding *f);
/* Root causes among the findings and the victims that they name, as of the last run. */
void verdict_take(const struct bed *b, int64_t t_us, said_vec *said);
void verdict_write(FILE *f, const struct said *s);

#endif
