/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/engine_read_private.h"

/*
 * Nearly all of a reply is series in one form:
 *
 *   ,{"metric":{"name":"value",...},"values":[[1700000000.123,"42"],...]}
 *
 * What has another form is left to the scanner, before anything of it was told: both say the same
 * of it (tests/fuzz/fuzz_engine.c).
 */

#define HEAD        ",{\"metric\":{"
#define MIDDLE      "},\"values\":[["
#define END         "]]}"
#define SAMPLES_MAX 32

struct span {
	const char *at, *end;
};

static bool skip(struct span *s, const char *text, size_t len)
{
	if ((size_t)(s->end - s->at) < len || memcmp(s->at, text, len) != 0)
		return false;
	s->at += len;
	return true;
}

/* No escapes and nothing that a string may not hold. */
static bool plain(const char *s, size_t n)
{
	const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
	uint64_t w, x, bad = 0;

	for (; n >= 8; n -= 8, s += 8) {
		memcpy(&w, s, 8);
		x = w ^ (ones * '\\');
		bad |= ((w - ones * 0x20) & ~w & tops) | ((x - ones) & ~x & tops);
	}
	for (; n; n--, s++)
		bad |= (unsigned char)*s < 0x20 || *s == '\\';
	return !bad;
}

/* A string up to its closing quote, which is passed. */
static bool string(struct span *s, const char **text, size_t *len)
{
	const char *quote = memchr(s->at, '"', (size_t)(s->end - s->at));

	if (!quote)
		return false;
	*text = s->at;
	*len = (size_t)(quote - s->at);
	s->at = quote + 1;
	return true;
}

/* The labels of raw, which are neither closed nor escaped. */
static bool labels(struct engine_reader *r, struct span raw)
{
	const char *name, *value;
	size_t name_len, value_len;

	engine_labels_begin(r);
	if (!plain(raw.at, (size_t)(raw.end - raw.at)) || !skip(&raw, "\"", 1))
		return false;
	for (;;) {
		if (!string(&raw, &name, &name_len) || !skip(&raw, ":\"", 2) ||
			!string(&raw, &value, &value_len) ||
			!engine_labels_put(r, name, name_len, value, value_len))
			return false;
		if (raw.at == raw.end)
			return true;
		if (!skip(&raw, ",\"", 2))
			return false;
	}
}

/* "1700000000.123": ten digits, at most three behind the point. */
static bool time_of(struct span *s, int64_t *us)
{
	int64_t v = 0, unit = 1000000;
	const char *from = s->at;

	if (from == s->end || *from < '1' || *from > '6')
		return false;
	for (; s->at < s->end && *s->at >= '0' && *s->at <= '9' && s->at - from < 11; s->at++)
		v = v * 10 + (*s->at - '0');
	if (s->at - from != 10)
		return false;
	if (skip(s, ".", 1)) {
		for (from = s->at; s->at < s->end && *s->at >= '0' && *s->at <= '9' && unit > 1000;
			s->at++) {
			v = v * 10 + (*s->at - '0');
			unit /= 10;
		}
		if (s->at == from)
			return false;
	}
	*us = v * unit;
	return true;
}

/* As many as there are, or none that is known to be well: 0. */
static unsigned samples(struct span s, struct engine_sample *out)
{
	unsigned n = 0;

	for (;;) {
		const char *text;
		size_t len;

		if (n == SAMPLES_MAX || !time_of(&s, &out[n].us) || !skip(&s, ",\"", 2) ||
			!string(&s, &text, &len) || !plain(text, len) ||
			!engine_number(text, len, &out[n]))
			return 0;
		n++;
		if (s.at == s.end)
			return n;
		if (!skip(&s, "],[", 3))
			return 0;
	}
}

size_t engine_read_fast(struct engine_reader *r, const char *bytes, size_t len)
{
	struct engine_sample found[SAMPLES_MAX];
	struct span s = {bytes, bytes + len}, raw;
	const char *middle, *end;
	unsigned n;

	if (!skip(&s, HEAD, sizeof(HEAD) - 1))
		return 0;
	/* Within a string the quotes of it would be escaped. */
	middle = memmem(s.at, (size_t)(s.end - s.at), MIDDLE, sizeof(MIDDLE) - 1);
	if (!middle)
		return 0;
	raw = (struct span){s.at, middle};
	s.at = middle + sizeof(MIDDLE) - 1;
	end = memmem(s.at, (size_t)(s.end - s.at), END, sizeof(END) - 1);
	if (!end)
		return 0;
	n = samples((struct span){s.at, end}, found);
	if (!n || !labels(r, raw))
		return 0;
	engine_series_said(r);
	for (unsigned i = 0; i < n && r->wanted; i++) {
		r->n_samples++;
		r->now = found[i];
		r->sample(r->ctx, &r->now);
	}
	engine_series_over(r);
	return (size_t)(end + sizeof(END) - 1 - bytes);
}
