/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Memory of libcurl. It keeps copies of passwords, of the headers made from them and of the bodies
 * of logins, and frees them as they are. So all of its memory is wiped when it is freed.
 *
 * It never gets NULL: libcurl 7.88 divides by the size of a table that it could not allocate. The
 * program ends with the words of base/mem.h instead.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/https/curl_easy.h"
#include "backends/transport/crypto_begin.h"
#include "base/mem.h"

/* Before each block. */
union head {
	size_t size;
	max_align_t align;
};

static void *wiped_malloc(size_t size)
{
	union head *h = size > SIZE_MAX / 2 ? NULL : malloc(sizeof(*h) + size);

	if (!h)
		mem_exhausted("libcurl");
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

	if (p)
		memcpy(now, p, h[-1].size < size ? h[-1].size : size);
	wiped_free(p);
	return now;
}

static char *wiped_strdup(const char *text)
{
	size_t n = strlen(text) + 1;

	return memcpy(wiped_malloc(n), text, n);
}

static void *wiped_calloc(size_t n, size_t size)
{
	/* A product that is too large is refused there. */
	size_t all = size && n > SIZE_MAX / 2 / size ? SIZE_MAX : n * size;

	return memset(wiped_malloc(all), 0, all);
}

void rest_curl_begin(void)
{
	crypto_begin();
	(void)curl_global_init_mem(CURL_GLOBAL_DEFAULT, wiped_malloc, wiped_free, wiped_realloc,
		wiped_strdup, wiped_calloc);
}
