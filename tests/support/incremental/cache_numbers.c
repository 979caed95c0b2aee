/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/incremental/cache_numbers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Digits of a name, a fraction or an exponent are no number of their own. */
static bool begins(const char *bytes, size_t i)
{
	return isdigit((unsigned char)bytes[i]) &&
	       (!i || (!isalnum((unsigned char)bytes[i - 1]) && !strchr("._-+/", bytes[i - 1])));
}

/* One larger, unless that needs another digit. True: it was. */
static bool enlarge(char *text, size_t len, size_t i)
{
	size_t end = i;

	while (end < len && isdigit((unsigned char)text[end]))
		end++;
	if (text[end - 1] == '9')
		return false;
	text[end - 1]++;
	return true;
}

static size_t count(const char *bytes, size_t len)
{
	size_t n = 0;

	for (size_t i = 0; i < len; i++)
		n += begins(bytes, i);
	return n;
}

bool again_numbers_read(struct answer_cache_both *b, const struct backend_ops *ops,
	const struct target *t, const char *request, const char *bytes, size_t len, size_t most)
{
	size_t n = count(bytes, len), step = n / most + 1, k = 0;
	char *text = mem_alloc(len + 1), *all = mem_alloc(len + 1);
	bool same = again_both_read(b, ops, t, request, bytes, len);

	memcpy(text, bytes, len);
	memcpy(all, bytes, len);
	for (size_t i = 0; same && i < len; i++) {
		if (!begins(bytes, i))
			continue;
		(void)enlarge(all, len, i);
		if (k++ % step || !enlarge(text, len, i))
			continue;
		same = again_both_read(b, ops, t, request, text, len);
		memcpy(text, bytes, len);
	}
	same = same && again_both_read(b, ops, t, request, all, len) &&
	       again_both_read(b, ops, t, request, bytes, len);
	free(text);
	free(all);
	return same;
}
