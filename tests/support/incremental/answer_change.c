/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/incremental/answer_change.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/str.h"

#define ANSWER_MOST ((size_t)64 << 20)

uint32_t answer_random(struct answer_change *c)
{
	c->seed ^= c->seed << 13;
	c->seed ^= c->seed >> 7;
	c->seed ^= c->seed << 17;
	return (uint32_t)(c->seed >> 16);
}

/* Names hold digits, too: "eth3", "PFC_3_RX"; digits after a letter are no number. */
static bool begins_number(const char *bytes, size_t i)
{
	return isdigit((unsigned char)bytes[i]) &&
	       (!i || (!isalnum((unsigned char)bytes[i - 1]) && !strchr("_.-/", bytes[i - 1])));
}

static size_t digits_at(const char *bytes, size_t len, size_t i)
{
	size_t n = 0;

	while (i + n < len && isdigit((unsigned char)bytes[i + n]))
		n++;
	return n;
}

static void put_number(
	struct answer_change *c, const char *at, size_t n, bool hostile, struct buf *out)
{
	static const char *const odd[] = {"0", "00", "-1", "18446744073709551615", "1.5", "1e9", "",
		"999999999999999999", "1000000000000000000", "nan", "1,000"};
	char text[32], larger[32];
	uint64_t v = 0;

	if (hostile && answer_random(c) % 16 == 0) {
		(void)buf_adds(out, odd[answer_random(c) % (sizeof(odd) / sizeof(odd[0]))]);
		return;
	}
	if (n > 17 || (n > 1 && *at == '0') || !str_copyn(text, sizeof(text), at, n) ||
		!str_to_u64(text, &v)) {
		(void)buf_add(out, at, n);
		return;
	}
	v += answer_random(c) % (answer_random(c) % 4 ? 100 : 1000000);
	(void)str_printf(larger, sizeof(larger), "%llu", (unsigned long long)v);
	(void)buf_adds(out, larger);
}

static void change_numbers(struct answer_change *c, const char *bytes, size_t len, unsigned of,
	bool hostile, struct buf *out)
{
	buf_init(out, ANSWER_MOST);
	for (size_t i = 0; i < len;) {
		size_t n = begins_number(bytes, i) ? digits_at(bytes, len, i) : 0;

		/* A count stands alone: behind a separator, before the next. */
		if (n && i && i + n < len && strchr(" :\"", bytes[i - 1]) &&
			strchr(" \"\n", bytes[i + n]) && answer_random(c) % of == 0) {
			put_number(c, bytes + i, n, hostile, out);
			i += n;
			continue;
		}
		n = n ? n : 1;
		(void)buf_add(out, bytes + i, n);
		i += n;
	}
}

void answer_grow(struct answer_change *c, const char *bytes, size_t len, const char *behind,
	char until, struct buf *out)
{
	const char *at = bytes, *end = bytes + len, *found;
	unsigned of = 1 + answer_random(c) % 8;

	buf_init(out, ANSWER_MOST);
	while ((found = memmem(at, (size_t)(end - at), behind, strlen(behind)))) {
		struct buf part;

		found += strlen(behind);
		(void)buf_add(out, at, (size_t)(found - at));
		at = found;
		while (at < end && *at != until)
			at++;
		at += at < end;
		/* With the bytes around it, which say that numbers stand alone. */
		change_numbers(c, found - 1, (size_t)(at - found) + 1, of, false, &part);
		(void)buf_add(out, part.data + 1, part.len - 1);
		buf_free(&part);
	}
	(void)buf_add(out, at, (size_t)(end - at));
}

static size_t line_end(const char *bytes, size_t len, size_t i)
{
	const char *end = memchr(bytes + i, '\n', len - i);

	return end ? (size_t)(end - bytes) + 1 : len;
}

void answer_mangle(struct answer_change *c, const char *bytes, size_t len, struct buf *out)
{
	static const char letters[] = "0123456789 .,:\"[]{}-eE\n\r@/updownNA\x01\xff";
	struct buf b;
	size_t i, n, stop;
	char byte;

	change_numbers(c, bytes, len, 1 + answer_random(c) % 64, true, &b);
	buf_init(out, ANSWER_MOST);
	if (!b.len)
		return;
	i = answer_random(c) % b.len;
	n = answer_random(c) % 4 ? 1 : answer_random(c) % 200;
	stop = i + n < b.len ? i + n : b.len;
	byte = letters[answer_random(c) % (sizeof(letters) - 1)];
	(void)buf_add(out, b.data, i);
	switch (answer_random(c) % 8) {
	case 0: /* the end is missing */
		break;
	case 1: /* a piece is */
		(void)buf_add(out, b.data + stop, b.len - stop);
		break;
	case 2: /* twice */
		(void)buf_add(out, b.data + i, stop - i);
		(void)buf_add(out, b.data + i, b.len - i);
		break;
	case 3: /* the rest of a line is missing, or comes twice */
		stop = line_end(b.data, b.len, i);
		(void)buf_add(out, b.data + stop, b.len - stop);
		break;
	case 4:
		stop = line_end(b.data, b.len, i);
		(void)buf_add(out, b.data + i, stop - i);
		(void)buf_add(out, b.data + i, b.len - i);
		break;
	case 5: /* one more byte */
		(void)buf_add(out, &byte, 1);
		(void)buf_add(out, b.data + i, b.len - i);
		break;
	case 6: /* another one */
		(void)buf_add(out, &byte, 1);
		(void)buf_add(out, b.data + i + 1, b.len - i - 1);
		break;
	default: /* only numbers */
		(void)buf_add(out, b.data + i, b.len - i);
	}
	buf_free(&b);
}
