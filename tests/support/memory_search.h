/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_SUPPORT_MEMORY_SEARCH_H
#define TESTS_SUPPORT_MEMORY_SEARCH_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Searches all memory that may be written for BEFORE MIDDLE AFTER without blanks between: three
 * parts, so that the words of the search itself are no hit. The number of places.
 */
unsigned memory_search(const char *middle, const char *before, const char *after);
/* The same in another process, which the caller may trace. -1: its memory cannot be read. */
int memory_search_in(pid_t pid, const char *middle, const char *before, const char *after);

/* False: a build with a sanitizer, whose mlock() does nothing. */
static inline bool memory_locks(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return false;
#else
	return true;
#endif
}

#endif
