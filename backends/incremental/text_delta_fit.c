/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/incremental/text_delta_private.h"
#include "base/digits.h"

#define SUM_OF    1000003
#define WEIGHT_OF 997U

/* ---- the last number of a token ---- */

/* Its offset in the token, and the number of bytes after it. */
struct last_number {
	uint32_t head, behind;
};

static bool scan_number(const char *token, size_t len, struct last_number *n)
{
	size_t i = len;

	while (i && !digits_is(token[i - 1]))
		i--;
	n->behind = (uint32_t)(len - i);
	if (!i)
		return false;
	while (i && digits_is(token[i - 1]))
		i--;
	n->head = (uint32_t)i;
	return true;
}

/* Fast path: the number ends the token or at most seven bytes follow it. */
static inline bool find_number_fast(const char *end, size_t len, struct last_number *number)
{
	uint64_t others = digits_others(digits_load(end - 8));
	unsigned behind = 0, n;

	if (others >> 63) {
		if (others == DIGITS_EACH(0x80))
			return false;
		behind = (unsigned)__builtin_clzll(others ^ DIGITS_EACH(0x80)) >> 3;
		others = others << 8 * behind | UINT64_C(0x80) << (8 * behind - 8);
	}
	n = behind + digits_before(others);
	if (n == 8)
		n += digits_count_back(digits_load(end - 16));
	if (n == 16)
		n += digits_count_back(digits_load(end - 24));
	number->head = (uint32_t)(len - n);
	number->behind = behind;
	return n < 24 && n <= len;
}

/* False: it has none. The byte before a token is not a digit. */
static bool find_number(const char *token, size_t at, size_t len, struct last_number *n)
{
	return (at + len >= 24 && find_number_fast(token + len, len, n)) ||
	       scan_number(token, len, n);
}

/* ---- checksum ---- */

static uint32_t digit_value(char c)
{
	unsigned v = (unsigned char)c - (unsigned)'0';

	return v < 10 ? v : 0;
}

/* Weight of a token: from its length and its last three bytes, if digits. */
static int64_t token_weight(size_t len, char last, char second, char third)
{
	if (len < 3)
		return (int64_t)len;
	return (int64_t)len * 1000 + (int64_t)digit_value(last) * 100 +
	       (int64_t)digit_value(second) * 10 + digit_value(third);
}

/* Returns the i-th byte from the end of the new token. */
static char byte_of(const char *old, const struct text_change *e, size_t i)
{
	size_t len = (size_t)e->head + e->len;

	if (i >= len)
		return '\0';
	i = len - 1 - i;
	return i < e->head ? old[i] : e->text[i - e->head];
}

/* Returns the difference of the weights of the last three bytes, all of them digits. */
static int64_t digits_weight_change(const char *now_end, const char *old_end)
{
	uint64_t now = digits_load4(now_end - 4), old = digits_load4(old_end - 4);
	/* The bits prevent a borrow from the next digit. */
	uint64_t more = (now | UINT64_C(0x40404040)) - (old & UINT64_C(0x3f3f3f3f));

	return (int64_t)(more >> 24) * 100 + (int64_t)(more >> 16 & 0xff) * 10 +
	       (int64_t)(more >> 8 & 0xff) - INT64_C(0x40) * 111;
}

/* Returns the change of the token's weight. */
static int64_t weight_change(const char *old, uint32_t was_len, const struct text_change *e)
{
	size_t len = (size_t)e->head + e->len;
	const char *x = old + was_len, *y = e->text + e->len;

	if (was_len < 3 || e->len < 3)
		return token_weight(
			       len, byte_of(old, e, 0), byte_of(old, e, 1), byte_of(old, e, 2)) -
		       (was_len < 3 ? was_len : token_weight(was_len, x[-1], x[-2], x[-3]));
	return token_weight(len, y[-1], y[-2], y[-3]) - token_weight(was_len, x[-1], x[-2], x[-3]);
}

/* ---- tokens ---- */

/* True: the text keeps the number of tokens, with the same separators. */
static bool keeps_tokens(const struct text_delta *d, const struct text_change *e)
{
	size_t end = (size_t)e->at + e->was_len, len = (size_t)e->head + e->len;
	bool has_comma, piece;

	/* It begins as before, or with a digit: valid for a line and for a piece. */
	if (e->number && len <= DELTA_LINE_MOST && (!e->commas || !memchr(e->text, ',', e->len)))
		return true;
	has_comma = memchr(e->text, ',', e->len) != NULL;
	piece = (end < d->len && d->text[end] == ',') || (e->at > 0 && d->text[e->at - 1] == ',') ||
		(e->token && !d->spans[e->token - 1]);
	if (piece)
		return !has_comma;
	return !delta_is_cut(e->head ? d->text + e->at : e->text, len);
}

/* True: the text after the number is unchanged. */
static bool same_behind(const char *old, const struct text_change *e, uint32_t behind)
{
	return e->len - e->digits == behind &&
	       (!behind || memcmp(e->text + e->digits, old + e->was_len - behind, behind) == 0);
}

/* Saves the old text of the change before it is overwritten. */
static inline void note_old(const char *from, uint32_t n, char *to)
{
	if (n <= DELTA_BEHIND)
		memcpy(to, from, DELTA_BEHIND);
	else
		memcpy(to, from, n);
}

/* Determines the unchanged part of the token, and *more: the change of its weight. */
static bool fit_one(const struct text_delta *d, struct text_change *e, int64_t *more)
{
	const char *old = d->text + e->at;
	struct last_number number = {0};

	if (e->number) {
		if (!digits_is(e->text[0]) || !find_number(old, e->at, e->was_len, &number))
			return false;
		e->head = number.head;
		/* Fast path: most changes are a number at the end of a short line. */
		if (e->digits == e->len && !number.behind && e->digits > 3 &&
			e->was_len - e->head > 3 && e->head + e->len <= DELTA_LINE_MOST) {
			*more = ((int64_t)e->head + e->len - e->was_len) * 1000 +
				digits_weight_change(e->text + e->len, old + e->was_len);
			return true;
		}
		if (e->digits && !same_behind(old, e, number.behind))
			e->digits = 0;
	}
	e->head = number.head;
	*more = weight_change(old, e->was_len, e);
	return keeps_tokens(d, e);
}

/* The sum cannot overflow 64 bits: its terms are too few and too small. */
bool delta_fit(struct text_delta *d, struct delta_scratch *s)
{
	struct text_change *e = s->changes.at, *end = e + s->changes.n;
	int64_t sum = d->sum, more;
	char *was;

	/* Each change belongs to another token, so their old texts fit. */
	vec_reserve(&s->was, d->len + DELTA_BEHIND);
	was = s->was.at;
	for (; e < end; e++) {
		if (!fit_one(d, e, &more))
			return false;
		sum += (int64_t)((e->token + 1) % WEIGHT_OF + 1) * more;
		e->at += e->head;
		e->was_len -= e->head;
		note_old(d->text + e->at, e->was_len, was);
		e->was = (uint32_t)(was - s->was.at);
		was += e->was_len;
		if (e->was_len == e->len)
			digits_copy(d->text + e->at, e->text, e->len);
		else
			vec_push(&s->grown, e);
	}
	s->was.n = (size_t)(was - s->was.at);
	sum %= SUM_OF;
	d->sum = (uint32_t)(sum < 0 ? sum + SUM_OF : sum);
	return true;
}
