/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/incremental/text_delta_private.h"
#include "base/digits.h"

/* A token and its offset. */
struct cursor {
	uint32_t token, at;
	uint32_t longer; /* index of the first entry of `longer` at or after it */
};

static void skip_tokens(const struct text_delta *d, uint32_t n, struct cursor *c)
{
	const uint8_t *span = d->spans + c->token;
	uint32_t left = n;

	for (; left >= 8; span += 8, left -= 8)
		c->at += digits_sum_bytes(digits_load((const char *)span));
	if (left)
		c->at += digits_sum_bytes(digits_load((const char *)span) << 8 * (8 - left));
	c->token += n;
	while (c->longer < d->longer_n && d->longer[c->longer].token < c->token)
		c->at += d->longer[c->longer++].span - DELTA_SPAN_LONG;
}

/* A line of a delta; most lines are a short number. */
struct line {
	const char *end;
	bool commas; /* it may contain a comma */
};

/* Returns the top bit of each zero byte; bytes after the first match may be wrong. */
static uint64_t zero_bytes(uint64_t x)
{
	return (x - DIGITS_EACH(1)) & ~x & DIGITS_EACH(0x80);
}

/* False: the line has no end. */
static bool read_line(const char *at, const char *stop, struct line *line)
{
	line->commas = false;
	for (int i = 0; i < 2 && stop - at >= 8; i++, at += 8) {
		uint64_t w = digits_load(at), end = zero_bytes(w ^ DIGITS_EACH('\n'));
		uint64_t comma = zero_bytes(w ^ DIGITS_EACH(','));

		/* Only the first match is certain. */
		if (end) {
			line->end = at + (__builtin_ctzll(end) >> 3);
			line->commas |= (comma & (end ^ (end - 1))) != 0;
			return true;
		}
		line->commas |= comma != 0;
	}
	line->end = memchr(at, '\n', (size_t)(stop - at));
	line->commas = true;
	return line->end != NULL;
}

/* Reads "+N" from N on. Returns the start of the next line; NULL: invalid. */
static const char *read_skip(const char *from, const char *stop, uint32_t *n)
{
	const char *at = from, *end = memchr(from, '\n', (size_t)(stop - from));

	return end && delta_read_number(&at, '\n', n) && at == end + 1 ? at : NULL;
}

/* Returns the number of leading digits before `stop`; 0: none, too many, or a leading 0. */
static unsigned read_digits(const char *text, const char *stop, uint64_t *value)
{
	uint64_t v = 0;
	unsigned n = 0;

	for (; text + n < stop && n <= DELTA_DIGITS && digits_is(text[n]); n++)
		v = 10 * v + (uint64_t)(text[n] - '0');
	*value = v;
	return n > DELTA_DIGITS || (n > 1 && *text == '0') ? 0 : n;
}

/* Reads the new text of a token. Returns the start of the next line; NULL: invalid. */
static const char *read_text(const char *at, const char *stop, struct text_change *e)
{
	struct line line;

	e->number = *at != ':';
	e->text = at + !e->number;
	e->digits = e->number ? (uint8_t)read_digits(at, stop, &e->value) : 0;
	/* An empty line is not a number. */
	if (!read_line(at, stop, &line) || line.end == at)
		return NULL;
	e->commas = line.commas;
	e->len = (uint32_t)(line.end - e->text);
	return (size_t)(line.end - e->text) > DELTA_BYTES_MOST ? NULL : line.end + 1;
}

/* The fast readers may read this many bytes of any line. */
#define AHEAD (DELTA_DIGITS + 2)

/*
 * Fast path of read_text(): a number with at most one byte after it. w: the first bytes of the
 * line. NULL: another form.
 */
static inline const char *read_number(const char *at, uint64_t w, struct text_change *e)
{
	unsigned n = digits_count(w), behind;
	uint64_t v;

	if (n == 8)
		n = digits_16(at, &v);
	else
		v = digits_value(w, n);
	/* Byte counters of a fast port exceed 16 digits within hours. */
	if (n == 16)
		for (; n < DELTA_DIGITS && digits_is(at[n]); n++)
			v = 10 * v + (uint64_t)(at[n] - '0');
	if (!n || (n > 1 && *at == '0'))
		return NULL;
	behind = at[n] != '\n';
	if (behind && (at[n + 1] != '\n' || digits_is(at[n])))
		return NULL;
	e->number = true;
	e->commas = behind;
	e->digits = (uint8_t)n;
	e->value = v;
	e->text = at;
	e->len = n + behind;
	return at + n + behind + 1;
}

/* Finds the token at c and advances c. False: there is none. */
static inline bool find_token(const struct text_delta *d, struct cursor *c, struct text_change *e)
{
	uint32_t span = c->token < d->n ? d->spans[c->token] : 0;

	if (!span)
		return false;
	if (span == DELTA_SPAN_LONG)
		span = d->longer[c->longer++].span;
	e->token = c->token++;
	e->at = c->at;
	e->was_len = span - 1;
	c->at += span;
	/*
	 * With a thousand devices no text is in the cache. Prefetch the ends of the tokens here, so
	 * that delta_fit() does not wait for each of them.
	 */
	__builtin_prefetch(d->text + c->at - 1, 1);
	if (!e->number)
		__builtin_prefetch(d->text + e->at, 1);
	return true;
}

/* Fast path of read_skip(): "+N" with w as its first bytes. */
static inline const char *read_short_skip(const char *at, const char *stop, uint64_t w, uint32_t *n)
{
	unsigned digits = digits_count(w >> 8);

	if (!digits || at[digits + 1] != '\n')
		return read_skip(at + 1, stop, n);
	*n = (uint32_t)digits_value(w >> 8, digits);
	return at + digits + 2;
}

bool delta_read_lines(
	const struct text_delta *d, const char *delta, size_t len, struct delta_scratch *s)
{
	const char *at = delta, *stop = delta + len;
	struct text_change *e;
	struct cursor c = {0};

	/* Each change takes one token and two bytes. */
	vec_reserve(&s->changes, (len / 2 < d->n ? len / 2 : d->n) + 1);
	e = s->changes.at;
	while (at < stop) {
		bool room = stop - at >= AHEAD;
		uint64_t w = room ? digits_load(at) : 0;
		const char *next;

		if (*at == '+') {
			uint32_t n;

			at = room ? read_short_skip(at, stop, w, &n) : read_skip(at + 1, stop, &n);
			if (!at || n > d->n - c.token)
				return false;
			skip_tokens(d, n, &c);
			continue;
		}
		next = room ? read_number(at, w, e) : NULL;
		at = next ? next : read_text(at, stop, e);
		if (!at || !find_token(d, &c, e))
			return false;
		e++;
	}
	s->changes.n = (size_t)(e - s->changes.at);
	return true;
}
