/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_DIAGNOSIS_UNSEEN_H
#define TESTS_BENCH_DIAGNOSIS_UNSEEN_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs of classes that have no labelled run, made by tests/bench/packets/packets.c: files as
 * those of the labelled runs, label.json too, which only the score reads.
 */
size_t unseen_count(void);
const char *unseen_name(size_t i);
/* Writes the run's files into dir, which must exist. */
bool unseen_write(size_t i, const char *dir);

#endif
