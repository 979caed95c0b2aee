/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_INTEGRATION_SUPPORT_FAULT_CHECK_H
#define TESTS_INTEGRATION_SUPPORT_FAULT_CHECK_H

#include "tests/integration/support/fault_bench.h"

/* How long the device's own log is. */
long fault_log_size(const struct fault_bench *b);
/*
 * Holds the last run's end, its ledger, the device's log and its condition against one another.
 * Fills b->writes.
 */
void fault_check(struct fault_bench *b);
/* Ledger and log of the run, for a developer who reads why it failed. */
void fault_print(const struct fault_bench *b);

#endif
