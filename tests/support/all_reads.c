/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/all_reads.h"

bool all_reads(const struct request *r)
{
	return !r->change;
}

const struct backend_ops all_reads_ops = {.name = "test", .reads = all_reads};
