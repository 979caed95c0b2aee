/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "tests/support/cases.h"

#define BLOCK  ((size_t)16 << 10)
#define BLOCKS 4096

static size_t resident(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	assert_non_null(f);
	assert_int_equal(fscanf(f, "%*u %lu", &pages), 1);
	(void)fclose(f);
	return pages * (size_t)sysconf(_SC_PAGESIZE);
}

/* Each fourth block stays, so that no end of the heap is free. */
CASE(what_is_free_goes_back)
{
	static char *blocks[BLOCKS];
	size_t full, after;

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
	skip();
#endif
	for (size_t i = 0; i < BLOCKS; i++) {
		blocks[i] = mem_alloc(BLOCK);
		memset(blocks[i], 'x', BLOCK);
	}
	for (size_t i = 0; i < BLOCKS; i++) {
		if (i % 4 == 0)
			continue;
		free(blocks[i]);
		blocks[i] = NULL;
	}
	full = resident();
	mem_give_back();
	after = resident();
	assert_true(after + BLOCKS * BLOCK / 2 < full);
	for (size_t i = 0; i < BLOCKS; i += 4) {
		for (size_t at = 0; at < BLOCK; at += BLOCK / 8)
			assert_int_equal(blocks[i][at], 'x');
		free(blocks[i]);
	}
}

CASES_MAIN(NULL, NULL)
