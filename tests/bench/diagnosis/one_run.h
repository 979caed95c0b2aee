/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_ONE_RUN_H
#define TESTS_BENCH_DIAGNOSIS_ONE_RUN_H

#include <stdbool.h>

#include "tests/bench/diagnosis/bed.h"
#include "tests/bench/diagnosis/score.h"

/* Plays the run in dir to the diagnosis. False with a message: it cannot be read. */
bool one_run_judge(const char *dir, const struct sweep *sweep, said_vec *said);
/* verdict.jsonl into out, and links to the run's files beside it, so that score.py can judge it. */
void one_run_write(const char *dir, const char *out, const said_vec *said);
/* The folder and those above it. */
void one_run_folder(char *path);

#endif
