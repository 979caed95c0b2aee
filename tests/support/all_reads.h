/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_ALL_READS_H
#define TESTS_SUPPORT_ALL_READS_H

#include "backends/contract/backend.h"

/* For tests of transports: a list of reads that everything is on, and a dialect with nothing else.
 */
bool all_reads(const struct request *r);
extern const struct backend_ops all_reads_ops;

#endif
