/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of libcurl. It keeps copies of passwords, of the headers made from them and of the bodies
 * of logins, and frees them as they are. So all of its memory is wiped when it is freed.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/https/curl_easy.h"

/* Before each block. */
union head {
	size_t size;
	max_align_t align;
};

static void *wiped_malloc(size_t size)
{
	union head *h = size > SIZE_MAX / 2 ? NULL : malloc(sizeof(*h) + size);

	if (!h)
		return NULL;
	h->size = size;
	return h + 1;
}

static void wiped_free(void *p)
{
	union head *h = p;

	if (!p)
		return;
	h--;
	explicit_bzero(p, h->size);
	free(h);
}

static void *wiped_realloc(void *p, size_t size)
{
	const union head *h = p;
	void *now = wiped_malloc(size);

	if (p && now)
		memcpy(now, p, h[-1].size < size ? h[-1].size : size);
	if (now)
		wiped_free(p);
	return now;
}

static char *wiped_strdup(const char *text)
{
	size_t n = strlen(text) + 1;
	char *copy = wiped_malloc(n);

	if (copy)
		memcpy(copy, text, n);
	return copy;
}

static void *wiped_calloc(size_t n, size_t size)
{
	void *p = size && n > SIZE_MAX / 2 / size ? NULL : wiped_malloc(n * size);

	if (p)
		memset(p, 0, n * size);
	return p;
}

void rest_curl_begin(void)
{
	(void)curl_global_init_mem(CURL_GLOBAL_DEFAULT, wiped_malloc, wiped_free, wiped_realloc,
		wiped_strdup, wiped_calloc);
}
