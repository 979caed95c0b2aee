/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backends/parse/json_select.h"
#include "base/mem.h"

/* Documents as one value each. */

static const struct doc_want whole = {"", true};

static bool keep_going(void *ctx, size_t want, const char *name, const struct dv *v)
{
	(void)ctx, (void)want, (void)name, (void)v;
	return true;
}

/* Short numbers with names take nearly three times their source bytes. */
static size_t words_for(size_t len)
{
	return len / 3 + 64;
}

static void begin_whole(struct doc *d, size_t words)
{
	doc_begin(d, &whole, 1, keep_going, NULL, mem_alloc(words * sizeof(uint64_t)), words);
	d->is_own = true;
}

static struct dv *end_whole(struct doc *d, bool ok)
{
	if (ok)
		return (struct dv *)(void *)d->at;
	doc_free(d);
	return NULL;
}

struct dv *dv_parse(const char *bytes, size_t len, const char *origin, struct err *err)
{
	struct doc d;

	begin_whole(&d, words_for(len));
	return end_whole(&d, doc_read(&d, bytes, len, origin, err));
}

const struct dv *doc_whole(struct doc *d, const char *bytes, size_t len, bool trace,
	const char *origin, struct err *err)
{
	begin_whole(d, words_for(len));
	if (trace)
		doc_trace(d, bytes, len);
	return end_whole(d, doc_read(d, bytes, len, origin, err));
}

/* True for "[" of an array of objects, but not for "[WARNING] ...". */
static bool is_list(const char *bytes, size_t len)
{
	size_t i = 1;

	while (i < len && (unsigned char)bytes[i] <= ' ')
		i++;
	return i < len && bytes[i] == '{';
}

size_t doc_next_start(const char *bytes, size_t len)
{
	bool line_start = true;

	for (size_t i = 0; i < len; i++) {
		if ((bytes[i] == '{' && line_start) ||
			(bytes[i] == '[' && is_list(bytes + i, len - i)))
			return i;
		if (bytes[i] == '\n')
			line_start = true;
		else if (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r')
			line_start = false;
	}
	return len;
}

/* Limits the room per document: otherwise each of many small ones gets room for all that follow. */
#define NEXT_WORDS ((size_t)8192)

struct dv *dv_parse_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err)
{
	size_t start = *at + doc_next_start(bytes + *at, len - *at), used;
	size_t words = words_for(len - start);
	struct doc d;

	*at = len;
	if (start >= len)
		return NULL;
	begin_whole(&d, words < NEXT_WORDS ? words : NEXT_WORDS);
	d.began = true;
	if (scan_feed(&d.scan, bytes + start, len - start, &used) == SCAN_DONE)
		*at = start + used;
	return end_whole(&d, doc_end(&d, len - start, origin, err));
}
