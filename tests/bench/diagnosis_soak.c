/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/diagnosis.h"

void bench_soak(const struct bench *b)
{
	(void)b;
}
