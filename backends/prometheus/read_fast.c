/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/prometheus/read_private.h"
#include "base/digits.h"

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
#define TIME_ROOM   19 /* what is read of a time, and a little more: there are values behind it */

#define VALUE_ROOM 16 /* digits that are read at once */

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
	static const int64_t units[] = {1000000, 100000, 10000, 1000};
	uint64_t whole, part = 0;
	unsigned n = 0;

	if (s->end - s->at < TIME_ROOM || *s->at < '1' || *s->at > '6' ||
		!digits_all(s->at, 10, &whole))
		return false;
	s->at += 10;
	if (*s->at == '.') {
		uint64_t w = digits_load(s->at + 1);

		n = digits_count(w);
		if (!n || n > 3)
			return false;
		part = digits_value(w, n);
		s->at += 1 + n;
	}
	*us = (int64_t)whole * 1000000 + (int64_t)part * units[n];
	return true;
}

/* Series that were scraped together are dated alike, one after the other. */
static bool time_again(struct span *s, struct engine_time *t, int64_t *us)
{
	const char *from = s->at;

	if (t->len && s->end - from >= TIME_ROOM && from[t->len] == ',' &&
		digits_load(from) == t->first &&
		digits_load(from + t->len - sizeof(t->last)) == t->last) {
		s->at += t->len;
		*us = t->us;
		return true;
	}
	if (!time_of(s, us))
		return false;
	t->len = (size_t)(s->at - from);
	t->us = *us;
	t->first = digits_load(from);
	t->last = digits_load(s->at - sizeof(t->last));
	return true;
}

/* The number up to its quote, which is passed. */
static bool value_of(struct span *s, struct engine_sample *out)
{
	const char *from = s->at, *quote;
	size_t len;

	/* Nearly all of them are short whole numbers with more behind them. */
	if (s->end - from > VALUE_ROOM) {
		len = digits_16(from, &out->count);
		if (len && from[len] == '"') {
			s->at += len + 1;
			out->whole = true;
			out->real = (double)out->count;
			return true;
		}
	}
	quote = memchr(from, '"', (size_t)(s->end - from));
	if (!quote)
		return false;
	len = (size_t)(quote - from);
	s->at = quote + 1;
	if (!digits_all(from, len, &out->count))
		return plain(from, len) && engine_number(from, len, out);
	out->whole = true;
	out->real = (double)out->count;
	return true;
}

/* As many as there are, or none that is known to be well: 0. The end of the series is passed. */
static unsigned samples(struct engine_reader *r, struct span *s, struct engine_sample *out)
{
	for (unsigned n = 0; n < SAMPLES_MAX; n++) {
		if (!time_again(s, &r->times[n % ENGINE_TIMES], &out[n].us) || !skip(s, ",\"", 2) ||
			!value_of(s, &out[n]))
			return 0;
		if (skip(s, "],[", 3))
			continue;
		return skip(s, END, sizeof(END) - 1) ? n + 1 : 0;
	}
	return 0;
}

/* Where the labels end; NULL: not in these bytes. */
static const char *middle_of(struct span s)
{
	const char *at;

	/* Within a string the quotes of it would be escaped. */
	while ((at = memchr(s.at, '}', (size_t)(s.end - s.at)))) {
		if ((size_t)(s.end - at) < sizeof(MIDDLE) - 1)
			return NULL;
		if (memcmp(at, MIDDLE, sizeof(MIDDLE) - 1) == 0)
			return at;
		s.at = at + 1;
	}
	return NULL;
}

/* False: the labels are not as they should be. */
static bool begin_series(
	struct engine_reader *r, enum engine_seen seen, uint64_t hash, struct span raw)
{
	size_t len = (size_t)(raw.end - raw.at);

	if (seen == ENGINE_UNKNOWN && r->alike && r->alike(r->ctx, hash, raw.at, len, &r->wanted))
		return true;
	if ((seen == ENGINE_UNKNOWN || seen == ENGINE_NAMED) && !labels(r, raw))
		return false;
	engine_series_named(r, seen, raw.at, len);
	return true;
}

size_t engine_read_fast(struct engine_reader *r, const char *bytes, size_t len)
{
	struct engine_sample found[SAMPLES_MAX];
	struct span s = {bytes, bytes + len}, raw;
	const char *middle;
	uint64_t hash;
	unsigned n;

	if (!skip(&s, HEAD, sizeof(HEAD) - 1))
		return 0;
	middle = middle_of(s);
	if (!middle)
		return 0;
	raw = (struct span){s.at, middle};
	s.at = middle + sizeof(MIDDLE) - 1;
	n = samples(r, &s, found);
	if (!n)
		return 0;
	hash = engine_labels_hash(r->seed, raw.at, (size_t)(middle - raw.at));
	if (!begin_series(r, engine_series_seen(r, hash), hash, raw)) {
		r->n_series--;
		return 0;
	}
	for (unsigned i = 0; i < n && r->wanted; i++) {
		r->n_samples++;
		r->now = found[i];
		r->sample(r->ctx, &r->now);
	}
	engine_series_over(r);
	return (size_t)(s.at - bytes);
}
