/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/answer_delta.h"

#include <stdlib.h>
#include <string.h>

#include "base/digits.h"

#define SUM_OF    1000003
#define WEIGHT_OF 997U
#define SPAN_LONG 255U /* in spans: the token is one of longer */
/* Bytes behind the text that may be read, so that short pieces are copied without a loop. */
#define BEHIND ((size_t)32)

/* What becomes of one token: its first bytes stay, the rest is of the delta. */
struct delta_edit {
	const char *text;
	uint32_t token, at, len; /* which, and where in the text as it was */
	uint32_t head, rest;
	bool number; /* its last number and what follows; else all of it */
	bool commas; /* text may have one */
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* ---- marks ---- */

static bool read_number(const char **at, char end, uint32_t *out)
{
	uint64_t v = 0;
	const char *s = *at;

	if (!is_digit(*s))
		return false;
	for (; is_digit(*s) && v <= UINT32_MAX; s++)
		v = 10 * v + (uint64_t)(*s - '0');
	*at = s + 1;
	*out = (uint32_t)v;
	return v <= UINT32_MAX && *s == end;
}

bool delta_mark_read(struct delta_mark *m, const char *text)
{
	return read_number(&text, ' ', &m->tokens) && read_number(&text, ' ', &m->len) &&
	       read_number(&text, ' ', &m->sum) && read_number(&text, '\n', &m->base);
}

/* ---- texts and their tokens ---- */

void delta_scratch_free(struct delta_scratch *s)
{
	vec_free(&s->edits);
	vec_free(&s->longer);
	vec_free(&s->changes);
	vec_free(&s->was);
	vec_free(&s->before);
}

void answer_delta_free(struct answer_delta *d)
{
	free(d->text);
	free(d->spans);
	free(d->longer);
	*d = (struct answer_delta){0};
}

static bool forget(struct answer_delta *d)
{
	answer_delta_free(d);
	return false;
}

static bool is_cut(const char *line, size_t len)
{
	return len > DELTA_LINE_MOST || (len && line[0] == ',');
}

struct tokens {
	uint8_t *spans;
	uint32_t n, most;
	VEC(struct delta_long) longer;
};

static bool add_token(struct tokens *t, size_t span)
{
	if (t->n == t->most)
		return false;
	if (span >= SPAN_LONG)
		vec_push(&t->longer, (struct delta_long){t->n, (uint32_t)span});
	t->spans[t->n++] = (uint8_t)(span < SPAN_LONG ? span : SPAN_LONG);
	return true;
}

static bool add_line(struct tokens *t, const char *line, const char *end)
{
	const char *comma = line;

	if (!is_cut(line, (size_t)(end - line)))
		return add_token(t, (size_t)(end - line) + 1);
	if (!add_token(t, 0))
		return false;
	for (; comma; line = comma + 1) {
		comma = memchr(line, ',', (size_t)(end - line));
		if (!add_token(t, (size_t)((comma ? comma : end) - line) + 1))
			return false;
		if (!comma)
			break;
	}
	return true;
}

/* False: there are more or fewer of them. */
static bool cut(const char *text, size_t len, struct tokens *t)
{
	const char *line = text, *stop = text + len, *end;

	do {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		if (!add_line(t, line, end))
			return false;
		line = end + 1;
	} while (end < stop);
	return t->n == t->most;
}

static void set_longer(struct answer_delta *d, const struct delta_long *longer, size_t n)
{
	free(d->longer);
	d->longer = NULL;
	d->longer_n = (uint32_t)n;
	if (!n)
		return;
	d->longer = mem_alloc(n * sizeof(*longer));
	memcpy(d->longer, longer, n * sizeof(*longer));
}

/* Some room, so that not every number that gets longer moves the text elsewhere. */
static size_t size_for(size_t len)
{
	return len + len / 16 + 2 * BEHIND;
}

bool answer_delta_whole(struct answer_delta *d, struct buf *text, const struct delta_mark *m)
{
	struct tokens t = {.most = m->tokens};
	bool ok;

	answer_delta_free(d);
	d->text = buf_take(text, &d->len);
	if (m->base || m->sum || d->len != m->len || d->len > DELTA_BYTES_MOST ||
		m->tokens > DELTA_TOKENS_MOST)
		return forget(d);
	/* It stays for long, and a buffer that grew may be twice as large as what is in it. */
	d->size = size_for(d->len);
	d->text = mem_realloc(d->text, d->size, 1);
	d->spans = t.spans = mem_alloc((size_t)m->tokens + 1);
	ok = cut(d->text, d->len, &t);
	set_longer(d, t.longer.at, t.longer.n);
	vec_free(&t.longer);
	d->n = t.n;
	d->seq = m->seq;
	return ok || forget(d);
}

/* ---- one token ---- */

/* Where the last number in s begins; len: there is none. */
static size_t last_number(const char *s, size_t len)
{
	size_t i = len;

	while (i && !is_digit(s[i - 1]))
		i--;
	if (!i)
		return len;
	while (i && is_digit(s[i - 1]))
		i--;
	return i;
}

/* Likewise of a token, which mostly ends with it. */
static uint32_t number_of(const struct answer_delta *d, const struct delta_edit *e)
{
	size_t end = (size_t)e->at + e->len;
	unsigned n = 0;

	if (end >= 16) {
		n = digits_count_back(digits_load(d->text + end - 8));
		if (n == 8)
			n += digits_count_back(digits_load(d->text + end - 16));
	}
	if (n && n < 16)
		return e->len - n;
	return (uint32_t)last_number(d->text + e->at, e->len);
}

static uint32_t digit(char c)
{
	unsigned v = (unsigned char)c - (unsigned)'0';

	return v < 10 ? v : 0;
}

/* Of a token for the sum: its length and its last three bytes, as far as they are digits. */
static int64_t weigh(size_t len, char last, char second, char third)
{
	if (len < 3)
		return (int64_t)len;
	return (int64_t)len * 1000 + (int64_t)digit(last) * 100 + (int64_t)digit(second) * 10 +
	       digit(third);
}

/* The i-th byte from the end of what a token becomes. */
static char byte_of(const char *old, const struct delta_edit *e, size_t i)
{
	size_t len = (size_t)e->head + e->rest;

	if (i >= len)
		return '\0';
	i = len - 1 - i;
	return i < e->head ? old[i] : e->text[i - e->head];
}

/* What a token weighs more than it did. */
static int64_t weigh_change(const char *old, const struct delta_edit *e)
{
	size_t len = (size_t)e->head + e->rest;
	const char *x = old + e->len, *y = e->text + e->rest;

	if (e->len < 3 || e->rest < 3)
		return weigh(len, byte_of(old, e, 0), byte_of(old, e, 1), byte_of(old, e, 2)) -
		       (e->len < 3 ? e->len : weigh(e->len, x[-1], x[-2], x[-3]));
	return weigh(len, y[-1], y[-2], y[-3]) - weigh(e->len, x[-1], x[-2], x[-3]);
}

/* Whether the text has as many tokens as before, between the same ends. */
static bool keeps_tokens(const struct answer_delta *d, const struct delta_edit *e)
{
	size_t end = (size_t)e->at + e->len, len = (size_t)e->head + e->rest;
	bool has_comma, piece;

	/* It begins as before, or with a digit: right for a line and for a piece. */
	if (e->number && len <= DELTA_LINE_MOST && (!e->commas || !memchr(e->text, ',', e->rest)))
		return true;
	has_comma = memchr(e->text, ',', e->rest) != NULL;
	piece = (end < d->len && d->text[end] == ',') || (e->at > 0 && d->text[e->at - 1] == ',') ||
		(e->token && !d->spans[e->token - 1]);
	if (piece)
		return !has_comma;
	return !is_cut(e->head ? d->text + e->at : e->text, len);
}

/* ---- deltas ---- */

/* A token, and where it begins. */
struct cursor {
	uint32_t token, at;
	uint32_t longer; /* the first of these that is not before it */
};

static void skip(const struct answer_delta *d, uint32_t n, struct cursor *c)
{
	const uint8_t *span = d->spans + c->token, *to = span + n;

	for (; to - span >= 8; span += 8)
		c->at += digits_sum_bytes(digits_load((const char *)span));
	for (; span < to; span++)
		c->at += *span;
	c->token += n;
	while (c->longer < d->longer_n && d->longer[c->longer].token < c->token)
		c->at += d->longer[c->longer++].span - SPAN_LONG;
}

/* A line of a delta: most are a short number. */
struct line {
	const char *at, *end;
	bool commas; /* it may have one */
};

/* A line that says what the token becomes. */
static bool read_edit(const struct answer_delta *d, const struct line *line, struct cursor *c,
	struct delta_scratch *s)
{
	struct delta_edit *e;
	uint32_t span;

	/* Nothing is no number; and there is room for lines of two bytes. */
	if (line->at == line->end || c->token >= d->n || !d->spans[c->token])
		return false;
	span = d->spans[c->token];
	if (span == SPAN_LONG)
		span = d->longer[c->longer++].span;
	e = &s->edits.at[s->edits.n++];
	e->number = *line->at != ':';
	e->commas = line->commas;
	e->text = line->at + !e->number;
	if ((size_t)(line->end - e->text) > DELTA_BYTES_MOST)
		return false;
	e->rest = (uint32_t)(line->end - e->text);
	e->head = 0;
	e->token = c->token++;
	e->at = c->at;
	e->len = span - 1;
	c->at += span;
	/*
	 * Of a thousand devices none has its text in a cache. The ends of its tokens come from
	 * memory together here, and are not waited for one by one in fit_edit().
	 */
	__builtin_prefetch(d->text + c->at - 1, 1);
	if (!e->number)
		__builtin_prefetch(d->text + e->at, 1);
	return true;
}

/* The top bit of each byte that is zero, and maybe of some behind it. */
static uint64_t zeros(uint64_t x)
{
	return (x - DIGITS_EACH(1)) & ~x & DIGITS_EACH(0x80);
}

/* False: it has no end. */
static bool read_line(const char *at, const char *stop, struct line *line)
{
	line->at = at;
	line->commas = false;
	for (int i = 0; i < 2 && stop - at >= 8; i++, at += 8) {
		uint64_t w = digits_load(at), end = zeros(w ^ DIGITS_EACH('\n'));
		uint64_t comma = zeros(w ^ DIGITS_EACH(','));

		/* Of either the first is certain. */
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

/* The N of a line "+N". */
static bool read_skip(const struct line *line, const char *stop, uint32_t *n)
{
	size_t digits = (size_t)(line->end - line->at) - 1;
	const char *from = line->at + 1;

	if (digits && digits < 8 && stop - from >= 8) {
		uint64_t w = digits_load(from);

		*n = (uint32_t)digits_value(w, (unsigned)digits);
		return digits_count(w) == digits;
	}
	return read_number(&from, '\n', n) && from == line->end + 1;
}

static bool read_edits(
	const struct answer_delta *d, const char *delta, size_t len, struct delta_scratch *s)
{
	const char *stop = delta + len;
	struct cursor c = {0};
	struct line line;
	uint32_t n;

	/* Each takes a token and two bytes. */
	vec_reserve(&s->edits, (len / 2 < d->n ? len / 2 : d->n) + 1);
	for (; delta < stop; delta = line.end + 1) {
		if (!read_line(delta, stop, &line))
			return false;
		if (*delta != '+') {
			if (!read_edit(d, &line, &c, s))
				return false;
			continue;
		}
		if (!read_skip(&line, stop, &n) || n > d->n - c.token)
			return false;
		skip(d, n, &c);
	}
	return true;
}

/* What of the token stays. False: it is no number, or the text has other tokens. */
static bool fit_edit(const struct answer_delta *d, struct delta_edit *e)
{
	if (e->number) {
		e->head = number_of(d, e);
		if (!e->rest || !is_digit(e->text[0]) || e->head == e->len)
			return false;
	}
	return keeps_tokens(d, e);
}

/* What the token is from where it changes, before it is written over. */
static void note_old(const char *old, const struct delta_edit *e, struct delta_scratch *s)
{
	uint32_t len = e->len - e->head;

	vec_reserve(&s->was, s->was.n + len + BEHIND);
	if (len <= BEHIND)
		memcpy(s->was.at + s->was.n, old + e->head, BEHIND);
	else
		memcpy(s->was.at + s->was.n, old + e->head, len);
	s->changes.at[s->changes.n++] = (struct text_change){.at = e->at + e->head,
		.len = e->rest,
		.was = (uint32_t)s->was.n,
		.was_len = len,
		.head = e->head};
	s->was.n += len;
}

/* Also the sum, whose terms are too few and too small for 64 bits. */
static bool fit_edits(struct answer_delta *d, struct delta_scratch *s)
{
	int64_t sum = d->sum;

	vec_reserve(&s->changes, s->edits.n + 1);
	for (size_t i = 0; i < s->edits.n; i++) {
		struct delta_edit *e = &s->edits.at[i];
		const char *old = d->text + e->at;

		if (!fit_edit(d, e))
			return false;
		sum += (int64_t)((e->token + 1) % WEIGHT_OF + 1) * weigh_change(old, e);
		note_old(old, e, s);
	}
	sum %= SUM_OF;
	d->sum = (uint32_t)(sum < 0 ? sum + SUM_OF : sum);
	return true;
}

/* ---- writing ---- */

/* n bytes and nothing behind them. */
static void copy(char *to, const char *from, size_t n)
{
	if (n < 4) {
		for (size_t i = 0; i < n; i++)
			to[i] = from[i];
	} else if (n < 8) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else if (n <= 16) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else {
		memcpy(to, from, n);
	}
}

static int64_t growth_of(const struct delta_edit *e)
{
	return (int64_t)e->head + e->rest - e->len;
}

/* What is between two tokens that get longer or shorter; `by` bytes to the back. */
static void move_gap(struct answer_delta *d, const struct delta_edit *from,
	const struct delta_edit *to, int64_t by)
{
	size_t at = (size_t)from->at + from->len;
	size_t end = to ? (size_t)to->at + to->head : d->len;

	memmove(d->text + (size_t)((int64_t)at + by), d->text + at, end - at);
}

/* The i-th edit or the next one behind it that changes its token's length; NULL: none does. */
static const struct delta_edit *next_of_length(const struct delta_scratch *s, size_t i)
{
	while (i < s->edits.n && !growth_of(&s->edits.at[i]))
		i++;
	return i < s->edits.n ? &s->edits.at[i] : NULL;
}

/*
 * Makes room for what grows and closes what shrinks; by: what the text grows by in all. What goes
 * to the front is moved from the front on, and then what goes to the back from the back on: so
 * nothing is overwritten that was not moved, and what stays is not touched.
 */
static void move_gaps(struct answer_delta *d, const struct delta_scratch *s, int64_t by)
{
	const struct delta_edit *e, *next = NULL;
	int64_t to = 0;

	for (e = next_of_length(s, 0); e; e = next) {
		next = next_of_length(s, (size_t)(e - s->edits.at) + 1);
		to += growth_of(e);
		if (to < 0)
			move_gap(d, e, next, to);
	}
	next = NULL;
	for (size_t i = s->edits.n; i-- > 0;) {
		e = &s->edits.at[i];
		if (!growth_of(e))
			continue;
		if (by > 0)
			move_gap(d, e, next, by);
		by -= growth_of(e);
		next = e;
	}
}

/* Those of longer, after tokens have got other lengths. */
static void update_longer(struct answer_delta *d, struct delta_scratch *s)
{
	uint32_t k = 0;

	s->longer.n = 0;
	for (size_t i = 0; i < s->edits.n; i++) {
		const struct delta_edit *e = &s->edits.at[i];
		uint32_t span = e->head + e->rest + 1;

		for (; k < d->longer_n && d->longer[k].token < e->token; k++)
			vec_push(&s->longer, d->longer[k]);
		k += k < d->longer_n && d->longer[k].token == e->token;
		if (span >= SPAN_LONG)
			vec_push(&s->longer, (struct delta_long){e->token, span});
	}
	for (; k < d->longer_n; k++)
		vec_push(&s->longer, d->longer[k]);
	set_longer(d, s->longer.at, s->longer.n);
}

static void write_in_place(struct answer_delta *d, const struct delta_scratch *s)
{
	for (size_t i = 0; i < s->edits.n; i++)
		copy(d->text + s->changes.at[i].at, s->edits.at[i].text, s->edits.at[i].rest);
}

/* Where each edit belongs now, and how long its token is. */
static void move_changes(struct answer_delta *d, struct delta_scratch *s)
{
	bool is_longer = false;
	int64_t by = 0;

	for (size_t i = 0; i < s->edits.n; i++) {
		const struct delta_edit *e = &s->edits.at[i];
		uint32_t span = e->head + e->rest + 1;

		s->changes.at[i].at = (uint32_t)(s->changes.at[i].at + by);
		if (span == e->len + 1)
			continue;
		by += growth_of(e);
		is_longer |= span >= SPAN_LONG || e->len + 1 >= SPAN_LONG;
		d->spans[e->token] = (uint8_t)(span < SPAN_LONG ? span : SPAN_LONG);
	}
	if (is_longer)
		update_longer(d, s);
}

/* Writes what the edits say. False: the text would be too long. */
static bool write_text(struct answer_delta *d, struct delta_scratch *s)
{
	bool is_same = true;
	int64_t by = 0;
	size_t len;

	for (size_t i = 0; i < s->edits.n; i++) {
		int64_t growth = growth_of(&s->edits.at[i]);

		by += growth;
		is_same &= !growth;
	}
	len = (size_t)((int64_t)d->len + by);
	if (len > DELTA_BYTES_MOST)
		return false;
	if (d->size < len + BEHIND) {
		d->size = size_for(len);
		d->text = mem_realloc(d->text, d->size, 1);
	}
	if (!is_same) {
		move_gaps(d, s, by);
		move_changes(d, s);
	}
	write_in_place(d, s);
	d->len = len;
	d->text[len] = '\0';
	return true;
}

bool answer_delta_apply(struct answer_delta *d, const char *delta, size_t len,
	const struct delta_mark *m, struct delta_scratch *s)
{
	s->edits.n = s->changes.n = s->was.n = 0;
	vec_reserve(&s->changes, 1); /* that nothing has changed is known, too */
	if (!d->text || !m->base || m->base != d->seq || m->tokens != d->n ||
		!read_edits(d, delta, len, s) || !fit_edits(d, s) || d->sum != m->sum ||
		!write_text(d, s) || d->len != m->len)
		return forget(d);
	d->seq = m->seq;
	return true;
}
