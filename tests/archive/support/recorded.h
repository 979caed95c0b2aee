/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_ARCHIVE_SUPPORT_RECORDED_H
#define TESTS_ARCHIVE_SUPPORT_RECORDED_H

#include <stdint.h>

/*
 * A recording of a small fabric full of identifying names: two leaves, a spine, four hosts, a job,
 * addresses in all forms, log lines, errors, neighbours, BGP peers, serial numbers, raw outputs.
 * From the tenth poll on a link is down. Polls are RECORDED_STEP apart.
 */
#define RECORDED_T0   (INT64_C(1700000000) * 1000000)
#define RECORDED_STEP (INT64_C(5) * 1000000)

extern const char *const recorded_originals[]; /* that must not get through; NULL ends */
void recorded_make(const char *path, unsigned polls);

#endif
