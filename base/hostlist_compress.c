/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hostlist_compress.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/str.h"

/* A name split at its last number: "leaf-r0-" 00 "". */
struct split {
	size_t prefix, digits; /* lengths */
	const char *name, *suffix;
	uint64_t number;
};

static struct split split_name(const char *name)
{
	struct split s = {.name = name};
	size_t end = strlen(name), start;
	char number[24];

	while (end && !isdigit((unsigned char)name[end - 1]))
		end--;
	for (start = end; start && isdigit((unsigned char)name[start - 1]);)
		start--;
	s.suffix = name + end;
	s.prefix = start;
	/* Longer numbers are not counters, and would overflow. */
	if (end > start && end - start <= 9) {
		s.digits = end - start;
		(void)str_copyn(number, sizeof(number), name + start, s.digits);
		(void)str_to_u64(number, &s.number);
	}
	return s;
}

static bool is_successor(const struct split *a, const struct split *b)
{
	return a->digits && a->digits == b->digits && a->prefix == b->prefix &&
	       b->number == a->number + 1 && str_eq(a->suffix, b->suffix) &&
	       memcmp(a->name, b->name, a->prefix) == 0;
}

void hostlist_compress(const char *const *names, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n;) {
		struct split first = split_name(names[i]), last = first;
		size_t end = i + 1;

		while (end < n) {
			struct split next = split_name(names[end]);

			if (!is_successor(&last, &next))
				break;
			last = next;
			end++;
		}
		if (i)
			buf_adds(out, ",");
		if (end - i == 1)
			buf_adds(out, names[i]);
		else
			buf_addf(out, "%.*s[%0*llu-%0*llu]%s", (int)first.prefix, first.name,
				(int)first.digits, (unsigned long long)first.number,
				(int)last.digits, (unsigned long long)last.number, first.suffix);
		i = end;
	}
}
