/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "actions/ledger/ledger.h"
#include "app/session/ledger_file.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/regular_file.h"

#define WINDOW_BYTES ((long)8 << 20)

/* The number of the line; 0: none. */
static uint64_t number_of(const char *line, size_t n)
{
	json_t *j = json_loadb(line, n, 0, NULL);
	json_int_t v = json_integer_value(json_object_get(j, "n"));

	json_decref(j);
	return v > 0 ? (uint64_t)v : 0;
}

/* Finds the numbers of the first and last line in the time range. False: there are none. */
static bool find_ends(
	const char *path, int64_t since_us, int64_t until_us, uint64_t *first, uint64_t *last)
{
	ledger_line_vec lines = {0};

	*first = *last = 0;
	if (ledger_read(path, since_us, 0, &lines, NULL) && lines.n)
		*first = lines.at[0].n;
	for (size_t i = 0; i < lines.n; i++)
		if (lines.at[i].t_us <= until_us && lines.at[i].n > *last)
			*last = lines.at[i].n;
	vec_free(&lines);
	return *first && *first <= *last;
}

/* Reads the end of the file; the first line may be incomplete. */
static bool read_tail(const char *path, struct buf *out)
{
	FILE *f = regular_file_stream(path);
	char chunk[65536];
	size_t n;

	if (!f)
		return false;
	if (fseek(f, 0, SEEK_END) == 0 && ftell(f) > WINDOW_BYTES)
		(void)fseek(f, -WINDOW_BYTES, SEEK_END);
	else
		rewind(f);
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && buf_add(out, chunk, n))
		continue;
	(void)fclose(f);
	return out->len > 0;
}

char *ledger_window(const char *path, int64_t since_us, int64_t until_us, size_t *lines)
{
	uint64_t first, last, number;
	struct buf b;
	size_t end, start;
	char *out;

	*lines = 0;
	buf_init(&b, (size_t)WINDOW_BYTES + 1);
	if (!find_ends(path, since_us, until_us, &first, &last) || !read_tail(path, &b)) {
		buf_free(&b);
		return mem_strdup("");
	}
	/* A last line without its newline is being written, or torn: ignore it. */
	while (b.len && b.data[b.len - 1] != '\n')
		b.len--;
	for (start = end = b.len; end; end = start) {
		size_t at = end - 1;

		while (at && b.data[at - 1] != '\n')
			at--;
		number = number_of(b.data + at, end - at);
		if (number < first)
			break;
		start = at;
		/* Lines after the moment of the snapshot do not belong to it. */
		if (number > last)
			b.len = at;
		else
			++*lines;
	}
	out = mem_strndup(b.len ? b.data + start : "", b.len - start);
	buf_free(&b);
	return out;
}
