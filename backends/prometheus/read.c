/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/prometheus/read.h"

#include <math.h>
#include <string.h>

#include "backends/prometheus/read_private.h"
#include "base/str.h"

/*
 * {"status": "success", "isPartial": false, "warnings": ["..."], "data": {"resultType": "matrix",
 *  "result": [{"metric": {"label": "value"}, "values": [[1700000000.123, "42"], ...]}, ...]}}
 */
enum where {
	W_START,
	W_TOP,
	W_WARNINGS,
	W_DATA,
	W_RESULT,
	W_SERIES,
	W_METRIC,
	W_VALUES,
	W_PAIR,
	W_OVER,
};

enum after {
	A_NOTHING, /* skipped, with all its contents */
	A_STATUS,
	A_ERROR,
	A_WARNINGS,
	A_PARTIAL,
	A_DATA,
	A_TYPE,
	A_RESULT,
	A_METRIC,
	A_VALUES,
	A_HISTOGRAMS,
	A_LABEL,
};

/* ---- labels ---- */

/* Mixes w into the lane. */
static uint64_t mix_lane(uint64_t lane, uint64_t w)
{
	lane = (lane ^ w) * UINT64_C(0xff51afd7ed558ccd);
	return lane ^ lane >> 32;
}

/*
 * Four lanes, so that a step need not wait for the one before. The seed prevents deliberate
 * collisions by chosen names.
 */
uint64_t prometheus_labels_hash(uint64_t seed, const char *s, size_t n)
{
	const uint64_t k = UINT64_C(0xff51afd7ed558ccd);
	uint64_t a = seed ^ n * UINT64_C(0x9e3779b97f4a7c15), b = ~seed, w[4];

	if (n >= 32) {
		uint64_t c = seed ^ UINT64_C(0x87c37b91114253d5),
			 d = b ^ UINT64_C(0x4cf5ad432745937f);

		for (; n >= 32; n -= 32, s += 32) {
			memcpy(w, s, 32);
			a = mix_lane(a, w[0]);
			b = mix_lane(b, w[1]);
			c = mix_lane(c, w[2]);
			d = mix_lane(d, w[3]);
		}
		a = mix_lane(a, c << 17 | c >> 47);
		b = mix_lane(b, d << 23 | d >> 41);
	}
	if (n >= 16) {
		memcpy(w, s, 16);
		a = mix_lane(a, w[0]);
		b = mix_lane(b, w[1]);
		n -= 16;
		s += 16;
	}
	w[0] = w[1] = 0;
	memcpy(w, s, n);
	a = (a ^ w[0] ^ (b << 31 | b >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
	a = (a ^ a >> 29 ^ w[1] ^ b) * k;
	return a ^ a >> 32;
}

/* True: no byte needs an escape in a JSON string. */
static bool is_plain(const char *s, size_t n)
{
	bool bad = false;

	for (size_t i = 0; i < n; i++)
		bad |= (unsigned char)s[i] < 0x20 || s[i] == '\\' || s[i] == '"';
	return !bad;
}

static size_t put_bytes(char *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return n;
}

/*
 * Hashes the labels as they are written without blanks, so that both readers agree. Labels that
 * need escapes are read by the scanner only; there lengths replace the quotes.
 */
static uint64_t hash_of(const struct prometheus_reader *r)
{
	char text[PROMETHEUS_LABELS_LEN + (size_t)4 * PROMETHEUS_LABELS_MAX];
	const struct prometheus_labels *l = &r->labels;
	bool quoted = true;
	size_t n = 0;

	for (unsigned i = 0; i < l->n && quoted; i++)
		quoted = is_plain(l->text + l->at[i].name,
				 (size_t)(l->at[i].value - l->at[i].name) - 1) &&
			 is_plain(l->text + l->at[i].value, l->at[i].value_len);
	for (unsigned i = 0; i < l->n; i++) {
		uint16_t name = (uint16_t)(l->at[i].value - l->at[i].name - 1);

		n += quoted ? put_bytes(text + n, ",\"", 2)
			    : put_bytes(text + n, &name, sizeof(name));
		n += put_bytes(text + n, l->text + l->at[i].name, name);
		n += quoted ? put_bytes(text + n, "\":\"", 3)
			    : put_bytes(text + n, &l->at[i].value_len, 2);
		n += put_bytes(text + n, l->text + l->at[i].value, l->at[i].value_len);
		n += quoted ? put_bytes(text + n, "\"", 1) : 0;
	}
	/* Skip the comma before the first label. */
	return quoted && n ? prometheus_labels_hash(r->seed, text + 1, n - 1)
			   : prometheus_labels_hash(~r->seed, text, n);
}

const char *prometheus_label(const struct prometheus_labels *l, const char *name)
{
	for (unsigned i = 0; i < l->n; i++)
		if (strcmp(l->text + l->at[i].name, name) == 0)
			return l->text + l->at[i].value;
	return NULL;
}

void prometheus_labels_begin(struct prometheus_reader *r)
{
	r->labels.n = 0;
	r->used = 0;
	r->too_long = false;
}

/* Appends a part of a name or value. */
static void labels_add(struct prometheus_reader *r, const char *text, size_t len)
{
	if (r->used + len + 1 > sizeof(r->labels.text) || r->labels.n >= PROMETHEUS_LABELS_MAX) {
		r->too_long = true;
		return;
	}
	memcpy(r->labels.text + r->used, text, len);
	r->used += len;
}

static uint16_t labels_close(struct prometheus_reader *r, size_t from)
{
	if (!r->too_long)
		r->labels.text[r->used++] = '\0';
	return (uint16_t)from;
}

static void label_name(struct prometheus_reader *r, const struct scan_event *e, bool whole)
{
	if (!r->cut)
		r->name_at = (uint16_t)r->used;
	labels_add(r, e->text, e->len);
	r->cut = !whole;
	if (whole)
		(void)labels_close(r, r->name_at);
}

static void label_value(struct prometheus_reader *r, const struct scan_event *e, bool whole)
{
	struct prometheus_labels *l = &r->labels;
	size_t from;

	if (!r->cut)
		r->held = r->used; /* the beginning of the value */
	labels_add(r, e->text, e->len);
	r->cut = !whole;
	if (!whole)
		return;
	from = r->held;
	r->held = 0;
	if (r->too_long)
		return;
	(void)labels_close(r, from);
	l->at[l->n].name = r->name_at;
	l->at[l->n].value = (uint16_t)from;
	l->at[l->n].value_len = (uint16_t)(r->used - 1 - from);
	l->n++;
}

bool prometheus_labels_put(struct prometheus_reader *r, const char *name, size_t name_len,
	const char *value, size_t value_len)
{
	struct prometheus_labels *l = &r->labels;
	char *to = l->text + r->used;

	if (l->n >= PROMETHEUS_LABELS_MAX || r->used + name_len + value_len + 2 > sizeof(l->text))
		return false;
	memcpy(to, name, name_len);
	to[name_len] = '\0';
	memcpy(to + name_len + 1, value, value_len);
	to[name_len + 1 + value_len] = '\0';
	l->at[l->n].name = (uint16_t)r->used;
	l->at[l->n].value = (uint16_t)(r->used + name_len + 1);
	l->at[l->n].value_len = (uint16_t)value_len;
	l->n++;
	r->used += name_len + value_len + 2;
	return true;
}

/* ---- samples ---- */

bool prometheus_number(const char *text, size_t len, struct prometheus_sample *out)
{
	uint64_t v = 0;
	size_t i = 0;

	/* Fast path: counters are whole numbers below 10^19. */
	for (; i < len && i < 19 && text[i] >= '0' && text[i] <= '9'; i++)
		v = v * 10 + (uint64_t)(text[i] - '0');
	out->whole = i == len && len > 0;
	out->count = v;
	out->real = (double)v;
	if (out->whole)
		return true;
	if (len && text[0] == '+')
		text++, len--;
	return scan_real(text, len, &out->real) && isfinite(out->real);
}

/* Converts "1700000000.123" to microseconds; a double is exact enough for milliseconds only. */
static bool time_of(const struct scan_event *e, int64_t *us)
{
	double seconds = e->kind == SCAN_INTEGER ? (double)e->i
			 : e->kind == SCAN_REAL  ? e->real
						 : -1;

	/* A time after the year 2200 is invalid. */
	if (!(seconds > 0 && seconds < 7.3e9))
		return false;
	*us = llround(seconds * 1e3) * 1000;
	return true;
}

static void sample_value(struct prometheus_reader *r, const char *text, size_t len)
{
	if (!r->wanted)
		return;
	if (!r->timed || !prometheus_number(text, len, &r->now)) {
		r->odd++;
		return;
	}
	r->n_samples++;
	r->sample(r->ctx, &r->now);
}

/* Joins the parts of a short string; true: it is complete, in *text. */
static bool whole_string(
	struct prometheus_reader *r, const struct scan_event *e, const char **text, size_t *len)
{
	bool whole = e->kind == SCAN_STRING || e->kind == SCAN_KEY;

	if (whole && !r->held) {
		*text = e->text;
		*len = e->len;
		return true;
	}
	*len = sizeof(r->hold) - r->held;
	*len = e->len < *len ? e->len : *len;
	memcpy(r->hold + r->held, e->text, *len);
	r->held += *len;
	if (!whole)
		return false;
	*text = r->hold;
	*len = r->held;
	r->held = 0;
	return true;
}

/* ---- keys ---- */

static bool text_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

static enum after after_key(enum where where, const char *text, size_t len)
{
	static const struct {
		enum where where;
		const char *key;
		enum after after;
	} keys[] = {
		{W_SERIES, "metric", A_METRIC},
		{W_SERIES, "values", A_VALUES},
		{W_SERIES, "histograms", A_HISTOGRAMS},
		{W_SERIES, "histogram", A_HISTOGRAMS},
		{W_DATA, "resultType", A_TYPE},
		{W_DATA, "result", A_RESULT},
		{W_TOP, "status", A_STATUS},
		{W_TOP, "error", A_ERROR},
		{W_TOP, "warnings", A_WARNINGS},
		{W_TOP, "isPartial", A_PARTIAL},
		{W_TOP, "data", A_DATA},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].where == where && text_is(text, len, keys[i].key))
			return keys[i].after;
	return A_NOTHING;
}

static void on_key(struct prometheus_reader *r, const struct scan_event *e)
{
	const char *text;
	size_t len;

	if (r->where == W_METRIC) {
		label_name(r, e, e->kind == SCAN_KEY);
		r->after = A_LABEL;
		return;
	}
	if (!whole_string(r, e, &text, &len))
		return;
	r->after = after_key((enum where)r->where, text, len);
	if (r->after == A_HISTOGRAMS)
		r->odd++;
}

static void keep_text(char *dst, const char *text, size_t len)
{
	if (!dst[0])
		(void)str_sanitise(dst, PROMETHEUS_TEXT_MAX, text, len);
}

static void on_string(struct prometheus_reader *r, const struct scan_event *e)
{
	const char *text;
	size_t len;

	if (r->where == W_METRIC && r->after == A_LABEL) {
		label_value(r, e, e->kind == SCAN_STRING);
		return;
	}
	if (!whole_string(r, e, &text, &len))
		return;
	if (r->where == W_PAIR)
		sample_value(r, text, len);
	else if (r->where == W_WARNINGS)
		keep_text(r->warning, text, len);
	else if (r->after == A_STATUS)
		r->failed = !text_is(text, len, "success"), r->known = true;
	else if (r->after == A_ERROR)
		keep_text(r->error, text, len);
	else if (r->after == A_TYPE)
		r->not_matrix = !text_is(text, len, "matrix");
}

/* ---- structure ---- */

static void on_begin(struct prometheus_reader *r, bool object)
{
	static const struct {
		enum where where;
		bool object;
		enum after after;
		enum where to;
	} ways[] = {
		{W_VALUES, false, A_NOTHING, W_PAIR},
		{W_RESULT, true, A_NOTHING, W_SERIES},
		{W_SERIES, true, A_METRIC, W_METRIC},
		{W_SERIES, false, A_VALUES, W_VALUES},
		{W_START, true, A_NOTHING, W_TOP},
		{W_TOP, true, A_DATA, W_DATA},
		{W_TOP, false, A_WARNINGS, W_WARNINGS},
		{W_DATA, false, A_RESULT, W_RESULT},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && !r->skip; i++) {
		if (ways[i].where != r->where || ways[i].object != object ||
			ways[i].after != r->after)
			continue;
		r->where = ways[i].to;
		r->after = A_NOTHING;
		r->timed = false;
		if (r->where == W_SERIES)
			r->wanted = false;
		if (r->where == W_METRIC)
			prometheus_labels_begin(r);
		return;
	}
	r->skip++;
}

void prometheus_series_over(struct prometheus_reader *r)
{
	if (r->wanted)
		r->series_end(r->ctx);
	r->wanted = false;
}

enum prometheus_seen prometheus_series_seen(struct prometheus_reader *r, uint64_t hash)
{
	enum prometheus_seen seen;

	r->n_series++;
	r->cut = false;
	r->labels.hash = hash;
	prometheus_series_over(r);
	seen = r->seen ? r->seen(r->ctx, hash) : PROMETHEUS_UNKNOWN;
	r->wanted = seen == PROMETHEUS_WANTED || seen == PROMETHEUS_NAMED;
	return seen;
}

void prometheus_series_named(
	struct prometheus_reader *r, enum prometheus_seen seen, const char *raw, size_t len)
{
	if (seen == PROMETHEUS_UNKNOWN)
		r->wanted = r->series(r->ctx, &r->labels, raw, len);
}

static void labels_done(struct prometheus_reader *r)
{
	if (!r->too_long) {
		prometheus_series_named(r, prometheus_series_seen(r, hash_of(r)), NULL, 0);
		return;
	}
	r->n_series++;
	r->cut = false;
	prometheus_series_over(r);
	r->odd++;
}

static void on_end(struct prometheus_reader *r)
{
	static const uint8_t back[] = {[W_START] = W_OVER,
		[W_TOP] = W_OVER,
		[W_WARNINGS] = W_TOP,
		[W_DATA] = W_TOP,
		[W_RESULT] = W_DATA,
		[W_SERIES] = W_RESULT,
		[W_METRIC] = W_SERIES,
		[W_VALUES] = W_SERIES,
		[W_PAIR] = W_VALUES,
		[W_OVER] = W_OVER};

	r->after = A_NOTHING;
	if (r->skip) {
		r->skip--;
		return;
	}
	if (r->where == W_METRIC)
		labels_done(r);
	if (r->where == W_SERIES) {
		prometheus_series_over(r);
		r->ended = true;
	}
	r->where = back[r->where];
}

static void on_number(struct prometheus_reader *r, const struct scan_event *e)
{
	if (r->where == W_PAIR && !r->timed)
		r->timed = time_of(e, &r->now.us);
	else if (r->where == W_PAIR)
		sample_value(r, e->text, e->len);
}

static bool on_event(void *ctx, const struct scan_event *e)
{
	struct prometheus_reader *r = ctx;

	r->ended = false;
	switch (e->kind) {
	case SCAN_OBJECT:
	case SCAN_ARRAY:
		on_begin(r, e->kind == SCAN_OBJECT);
		return true;
	case SCAN_OBJECT_END:
	case SCAN_ARRAY_END:
		on_end(r);
		return true;
	default:
		break;
	}
	if (r->skip)
		return true;
	switch (e->kind) {
	case SCAN_KEY_PART:
	case SCAN_KEY:
		on_key(r, e);
		return true;
	case SCAN_STRING_PART:
	case SCAN_STRING:
		on_string(r, e);
		break;
	case SCAN_INTEGER:
	case SCAN_UNSIGNED:
	case SCAN_REAL:
		on_number(r, e);
		break;
	case SCAN_TRUE:
		r->partial |= r->after == A_PARTIAL;
		break;
	default:
		break;
	}
	if (e->kind != SCAN_STRING_PART && r->where != W_WARNINGS)
		r->after = A_NOTHING;
	return true;
}

void prometheus_reader_begin(struct prometheus_reader *r)
{
	r->n_series = r->n_samples = r->odd = 0;
	r->failed = r->partial = r->not_matrix = false;
	r->error[0] = r->warning[0] = '\0';
	r->where = W_START;
	r->skip = 0;
	r->after = A_NOTHING;
	r->wanted = r->known = r->cut = r->timed = r->ended = r->between = false;
	r->held = r->begun = 0;
	memset(r->times, 0, sizeof(r->times));
	prometheus_labels_begin(r);
	scan_begin(&r->scan, SCAN_ALONE | SCAN_ANY_UTF8, on_event, r);
}

#define SERIES_END "]]}"

static const char *end_of_series(const char *bytes, size_t len)
{
	const char *end = memmem(bytes, len, SERIES_END, sizeof(SERIES_END) - 1);

	return end ? end + sizeof(SERIES_END) - 1 : NULL;
}

static bool goes_on(const struct prometheus_reader *r)
{
	return r->scan.state == SCAN_MORE || r->scan.state == SCAN_DONE;
}

static void read_some(struct prometheus_reader *r, const char *bytes, size_t len, bool last)
{
	while (len && goes_on(r)) {
		size_t n = r->between ? prometheus_read_fast(r, bytes, len) : 0;

		if (!n) {
			/*
			 * Scan up to a possible end of a series, so that the next series is read
			 * from its beginning.
			 */
			const char *end = end_of_series(bytes, len);

			if (!end && r->between && !last && len < sizeof(r->start)) {
				memcpy(r->start, bytes, len);
				r->begun = len;
				return;
			}
			n = end ? (size_t)(end - bytes) : len;
			(void)scan_feed(&r->scan, bytes, n, NULL);
			r->between = r->ended && bytes[n - 1] == '}';
		}
		bytes += n;
		len -= n;
	}
}

/* Completes the saved series, or as much of it as fits. Returns the number of bytes read. */
static size_t read_begun(struct prometheus_reader *r, const char *bytes, size_t len)
{
	size_t had = r->begun, n = sizeof(r->start) - had, all;
	size_t from = had < sizeof(SERIES_END) ? 0 : had - sizeof(SERIES_END);
	const char *end;

	n = n < len ? n : len;
	memcpy(r->start + had, bytes, n);
	r->begun += n;
	end = end_of_series(r->start + from, r->begun - from);
	if (!end && r->begun < sizeof(r->start))
		return n;
	all = r->begun;
	r->begun = 0;
	n = prometheus_read_fast(r, r->start, all);
	if (!n) {
		n = end ? (size_t)(end - r->start) : all;
		read_some(r, r->start, n, true);
	}
	return n - had;
}

bool prometheus_reader_feed(struct prometheus_reader *r, const char *bytes, size_t len)
{
	if (r->begun && goes_on(r)) {
		size_t n = read_begun(r, bytes, len);

		bytes += n;
		len -= n;
	}
	read_some(r, bytes, len, false);
	return goes_on(r);
}

bool prometheus_reader_end(struct prometheus_reader *r, struct err *err)
{
	size_t begun = r->begun;
	enum scan_state s;

	r->begun = 0;
	read_some(r, r->start, begun, true);
	s = scan_end(&r->scan);
	prometheus_series_over(r);
	if (s != SCAN_DONE)
		return err_set(err, ERR_PROTOCOL, "", "the answer is broken at byte %llu: %s",
			(unsigned long long)r->scan.offset,
			r->scan.wrong ? r->scan.wrong : "cut off");
	if (!r->known)
		return err_set(err, ERR_PROTOCOL, "",
			"the answer has no status: it is not from a Prometheus API");
	if (!r->failed && r->not_matrix)
		return err_set(err, ERR_PROTOCOL, "", "the answer is not a matrix of samples");
	return true;
}
