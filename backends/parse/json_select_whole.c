/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "backends/parse/json_select.h"
#include "base/mem.h"

/* Documents as one value each. */

static const struct json_want whole = {"", true};

static bool keep_going(void *ctx, size_t want, const char *name, const struct json_value *v)
{
	(void)ctx, (void)want, (void)name, (void)v;
	return true;
}

/* Short numbers with names take nearly three times their source bytes. */
static size_t words_for(size_t len)
{
	return len / 3 + 64;
}

static void begin_whole(struct json_select *d, size_t words)
{
	json_select_begin(
		d, &whole, 1, keep_going, NULL, mem_alloc(words * sizeof(uint64_t)), words);
	d->is_own = true;
}

static struct json_value *end_whole(struct json_select *d, bool ok)
{
	if (ok)
		return (struct json_value *)(void *)d->at;
	json_select_free(d);
	return NULL;
}

struct json_value *json_value_parse(
	const char *bytes, size_t len, const char *origin, struct err *err)
{
	struct json_select d;

	begin_whole(&d, words_for(len));
	return end_whole(&d, json_select_read(&d, bytes, len, origin, err));
}

const struct json_value *json_select_whole(struct json_select *d, const char *bytes, size_t len,
	bool trace, const char *origin, struct err *err)
{
	begin_whole(d, words_for(len));
	if (trace)
		json_select_trace(d, bytes, len);
	return end_whole(d, json_select_read(d, bytes, len, origin, err));
}

/* Limits the room per document: otherwise each of many small ones gets room for all that follow. */
#define NEXT_WORDS ((size_t)8192)

struct json_value *json_value_parse_next(
	const char *bytes, size_t len, size_t *at, const char *origin, struct err *err)
{
	bool line_start = true;
	size_t start = *at + json_select_start(bytes + *at, len - *at, &line_start, true), used;
	size_t words = words_for(len - start);
	struct json_select d;

	*at = len;
	if (start >= len)
		return NULL;
	begin_whole(&d, words < NEXT_WORDS ? words : NEXT_WORDS);
	d.began = true;
	if (scan_feed(&d.scan, bytes + start, len - start, &used) == SCAN_DONE)
		*at = start + used;
	return end_whole(&d, json_select_end(&d, len - start, origin, err));
}
