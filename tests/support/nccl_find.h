/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_NCCL_FIND_H
#define TESTS_SUPPORT_NCCL_FIND_H

#include "fabric/vocabulary/observation.h"

/* Looks up the NCCL records of a batch. */

/* The n-th record (from 0) of the kind; fails the test when there are fewer. */
const struct obs_nccl *nccl_nth(const struct obs *o, enum nccl_kind kind, size_t n);
size_t nccl_records(const struct obs *o, enum nccl_kind kind);
/* The record of the kind, rank, and func (NULL: any); NULL when there is none. */
const struct obs_nccl *nccl_of_rank(
	const struct obs *o, enum nccl_kind kind, int32_t rank, const char *func);
/* NCCL_COUNT.seq of a rank; -2 without a report. */
int64_t nccl_launched(const struct obs *o, int32_t rank, const char *func);

#endif
