/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

/*
 * Allocation that cannot fail: when memory is exhausted the process calls the hook set by
 * mem_set_oom_hook() (the terminal is restored there), prints one line and exits with status 5.
 * Everything is released with free().
 */
void *mem_alloc(size_t size);
void *mem_calloc(size_t n, size_t size);
void *mem_realloc(void *p, size_t n, size_t size);
char *mem_strdup(const char *s);
char *mem_strndup(const char *s, size_t n);
void mem_set_oom_hook(void (*hook)(void));

/*
 * For a library that reports that it got no memory: ends the process in the same way. where: the
 * library's name.
 */
void mem_exhausted(const char *where) __attribute__((noreturn));
/* For libraries that may be given functions: as realloc(), but it cannot fail. */
void *mem_resize(void *p, size_t size);

/*
 * Memory in pages of its own, for large long-lived arrays that grow. In the heap such an array
 * leaves holes and keeps free memory around it from returning to the system. p: the result of an
 * earlier call for `old` bytes, NULL for 0. Room that was never written to costs nothing. size 0:
 * frees the pages and returns NULL.
 */
void *mem_pages(void *p, size_t old, size_t size);

/*
 * Returns free heap memory to the system, also from the middle of the heap, where the C library
 * can. Takes milliseconds, during which other threads that allocate may wait.
 */
void mem_give_back(void);

#endif
