/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_TORTURE_FAIL_ALLOCS_H
#define TESTS_SUPPORT_TORTURE_FAIL_ALLOCS_H

#include <stdbool.h>

/*
 * Runs a program in which one allocation of one of its libraries fails: a preloaded library has the
 * functions (tests/integration/chaos/preload/fail_alloc.c). Works with the allocator of a
 * sanitizer.
 */
struct fail_alloc {
	const char *const *argv; /* NULL-ended */
	const char *dir;         /* where its files may be written */
	const char *object;      /* part of the library's path; "" is the program itself */
	unsigned n;              /* the allocation, from 1 */
	int seconds;
	/* The result. */
	bool failed;    /* an allocation was made to fail */
	int code;       /* exit status, 128 + signal, -1: it did not end in time */
	char err[4096]; /* the beginning of standard error */
	char out[128];  /* the file with its standard output */
};

void fail_alloc_run(struct fail_alloc *f);

/* About how many there are, by halving; most: at most that many. prepare: called before each run.
 */
unsigned fail_alloc_count(
	struct fail_alloc *f, unsigned most, void (*prepare)(void *ctx), void *ctx);

#endif
