/* SPDX-License-Identifier: Apache-2.0 */
#include "base/mem.h"

#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/vec.h"

static void (*oom_hook)(void);

static void out_of_memory(size_t size) __attribute__((noreturn));

static void out_of_memory(size_t size)
{
	if (oom_hook)
		oom_hook();
	(void)fprintf(stderr, "railtop: out of memory (%zu bytes wanted)\n", size);
	_exit(5);
}

void mem_exhausted(const char *where)
{
	if (oom_hook)
		oom_hook();
	(void)fprintf(stderr, "railtop: out of memory (in %s)\n", where);
	_exit(5);
}

void *mem_resize(void *p, size_t size)
{
	return mem_realloc(p, size, 1);
}

void mem_set_oom_hook(void (*hook)(void))
{
	oom_hook = hook;
}

void mem_give_back(void)
{
#ifdef __GLIBC__
	(void)malloc_trim(0);
#endif
}

void *mem_pages(void *p, size_t old, size_t size)
{
	if (!size) {
		if (old)
			(void)munmap(p, old);
		return NULL;
	}
	p = old ? mremap(p, old, size, MREMAP_MAYMOVE)
		: mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		out_of_memory(size);
	return p;
}

void *mem_alloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory(size);
	return p;
}

/* Each glibc thread caches free blocks up to this size, but its calloc() does not use the cache. */
#define AT_HAND ((size_t)1024)

void *mem_calloc(size_t n, size_t size)
{
	void *p;

	if (n && size && size <= AT_HAND && n <= AT_HAND / size) {
		p = mem_alloc(n * size);
		memset(p, 0, n * size);
		return p;
	}
	p = calloc(n ? n : 1, size ? size : 1);
	if (!p)
		out_of_memory(n * size);
	return p;
}

void *mem_realloc(void *p, size_t n, size_t size)
{
	if (size && n > SIZE_MAX / size)
		out_of_memory(SIZE_MAX);
	size *= n;
	p = realloc(p, size > 0 ? size : 1);
	if (!p)
		out_of_memory(size);
	return p;
}

char *mem_strndup(const char *s, size_t n)
{
	char *p = mem_alloc(n + 1);

	memcpy(p, s, n);
	p[n] = '\0';
	return p;
}

char *mem_strdup(const char *s)
{
	return mem_strndup(s, strlen(s));
}

void vec_grow_zero_(void **at, size_t *n, size_t *size, size_t element)
{
	if (*n == *size) {
		*size = *size ? *size * 2 : 8;
		*at = mem_realloc(*at, *size, element);
	}
	memset((char *)*at + *n * element, 0, element);
	(*n)++;
}
