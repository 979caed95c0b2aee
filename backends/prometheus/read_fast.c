/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/prometheus/read_private.h"
#include "base/digits.h"

/*
 * Nearly all series of a reply have one form:
 *
 *   ,{"metric":{"name":"value",...},"values":[[1700000000.123,"42"],...]}
 *
 * The scanner reads series of other forms, before any callback was called for them. Both readers
 * give the same result (tests/fuzz/fuzz_engine.c).
 */

#define HEAD        ",{\"metric\":{"
#define MIDDLE      "},\"values\":[["
#define END         "]]}"
#define SAMPLES_MAX 32
#define TIME_ROOM   19 /* bytes read for a time, and some more: values follow it */

#define VALUE_ROOM 16 /* digits read at once */

struct span {
	const char *at, *end;
};

static bool skip_text(struct span *s, const char *text, size_t len)
{
	if ((size_t)(s->end - s->at) < len || memcmp(s->at, text, len) != 0)
		return false;
	s->at += len;
	return true;
}

/* True: no escapes and no bytes that are invalid in a string. */
static bool is_plain(const char *s, size_t n)
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

/* Reads a string and its closing quote. */
static bool read_string(struct span *s, const char **text, size_t *len)
{
	const char *quote = memchr(s->at, '"', (size_t)(s->end - s->at));

	if (!quote)
		return false;
	*text = s->at;
	*len = (size_t)(quote - s->at);
	s->at = quote + 1;
	return true;
}

/* Reads the labels in raw; false: there are escapes, or the form differs. */
static bool read_labels(struct prometheus_reader *r, struct span raw)
{
	const char *name, *value;
	size_t name_len, value_len;

	prometheus_labels_begin(r);
	if (!is_plain(raw.at, (size_t)(raw.end - raw.at)) || !skip_text(&raw, "\"", 1))
		return false;
	for (;;) {
		if (!read_string(&raw, &name, &name_len) || !skip_text(&raw, ":\"", 2) ||
			!read_string(&raw, &value, &value_len) ||
			!prometheus_labels_put(r, name, name_len, value, value_len))
			return false;
		if (raw.at == raw.end)
			return true;
		if (!skip_text(&raw, ",\"", 2))
			return false;
	}
}

/* Reads "1700000000.123": ten digits, at most three after the point. */
static bool parse_time(struct span *s, int64_t *us)
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

/* Series of one scrape have the same timestamps, so compare with the last text first. */
static bool read_time(struct span *s, struct prometheus_time *t, int64_t *us)
{
	const char *from = s->at;

	if (t->len && s->end - from >= TIME_ROOM && from[t->len] == ',' &&
		digits_load(from) == t->first &&
		digits_load(from + t->len - sizeof(t->last)) == t->last) {
		s->at += t->len;
		*us = t->us;
		return true;
	}
	if (!parse_time(s, us))
		return false;
	t->len = (size_t)(s->at - from);
	t->us = *us;
	t->first = digits_load(from);
	t->last = digits_load(s->at - sizeof(t->last));
	return true;
}

/* Reads a number and its closing quote. */
static bool read_value(struct span *s, struct prometheus_sample *out)
{
	const char *from = s->at, *quote;
	size_t len;

	/* Nearly all values are short whole numbers with more text after them. */
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
		return is_plain(from, len) && prometheus_number(from, len, out);
	out->whole = true;
	out->real = (double)out->count;
	return true;
}

/* Reads all samples and the end of the series. Returns their number; 0: the form differs. */
static unsigned read_samples(
	struct prometheus_reader *r, struct span *s, struct prometheus_sample *out)
{
	for (unsigned n = 0; n < SAMPLES_MAX; n++) {
		if (!read_time(s, &r->times[n % PROMETHEUS_TIMES], &out[n].us) ||
			!skip_text(s, ",\"", 2) || !read_value(s, &out[n]))
			return 0;
		if (skip_text(s, "],[", 3))
			continue;
		return skip_text(s, END, sizeof(END) - 1) ? n + 1 : 0;
	}
	return 0;
}

/* Returns the end of the labels; NULL: it is not in these bytes. */
static const char *find_middle(struct span s)
{
	const char *at;

	/* Within a string the quotes of MIDDLE would be escaped. */
	while ((at = memchr(s.at, '}', (size_t)(s.end - s.at)))) {
		if ((size_t)(s.end - at) < sizeof(MIDDLE) - 1)
			return NULL;
		if (memcmp(at, MIDDLE, sizeof(MIDDLE) - 1) == 0)
			return at;
		s.at = at + 1;
	}
	return NULL;
}

/* False: the labels have another form. */
static bool begin_series(
	struct prometheus_reader *r, enum prometheus_seen seen, uint64_t hash, struct span raw)
{
	size_t len = (size_t)(raw.end - raw.at);

	if (seen == PROMETHEUS_UNKNOWN && r->alike &&
		r->alike(r->ctx, hash, raw.at, len, &r->wanted))
		return true;
	if ((seen == PROMETHEUS_UNKNOWN || seen == PROMETHEUS_NAMED) && !read_labels(r, raw))
		return false;
	prometheus_series_named(r, seen, raw.at, len);
	return true;
}

size_t prometheus_read_fast(struct prometheus_reader *r, const char *bytes, size_t len)
{
	struct prometheus_sample found[SAMPLES_MAX];
	struct span s = {bytes, bytes + len}, raw;
	const char *middle;
	uint64_t hash;
	unsigned n;

	if (!skip_text(&s, HEAD, sizeof(HEAD) - 1))
		return 0;
	middle = find_middle(s);
	if (!middle)
		return 0;
	raw = (struct span){s.at, middle};
	s.at = middle + sizeof(MIDDLE) - 1;
	n = read_samples(r, &s, found);
	if (!n)
		return 0;
	hash = prometheus_labels_hash(r->seed, raw.at, (size_t)(middle - raw.at));
	if (!begin_series(r, prometheus_series_seen(r, hash), hash, raw)) {
		r->n_series--;
		return 0;
	}
	for (unsigned i = 0; i < n && r->wanted; i++) {
		r->n_samples++;
		r->now = found[i];
		r->sample(r->ctx, &r->now);
	}
	prometheus_series_over(r);
	return (size_t)(s.at - bytes);
}
