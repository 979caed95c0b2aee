/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/answer_delta.h"

#include <stdlib.h>
#include <string.h>

#define SUM_OF    1000003
#define WEIGHT_OF 997U

/* What becomes of one token: its first bytes stay, the rest is of the delta. */
struct delta_change {
	uint32_t token, head, rest;
	bool number; /* its last number and what follows; else all of it */
	const char *text;
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
	vec_free(&s->changes);
	vec_free(&s->was);
	vec_free(&s->before);
}

void answer_delta_free(struct answer_delta *d)
{
	free(d->text);
	free(d->at);
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

static uint32_t commas(const char *s, const char *end)
{
	uint32_t n = 0;

	while ((s = memchr(s, ',', (size_t)(end - s)))) {
		n++;
		s++;
	}
	return n;
}

/* Tokens of the line; the places of them where at is not NULL. */
static uint32_t line_tokens(const char *text, const char *line, const char *end, uint32_t *at)
{
	uint32_t n = 0;

	if (!is_cut(line, (size_t)(end - line))) {
		if (at)
			at[0] = (uint32_t)(line - text);
		return 1;
	}
	if (!at)
		return commas(line, end) + 2;
	at[n++] = (uint32_t)(line - text);
	while (line) {
		at[n++] = (uint32_t)(line - text);
		line = memchr(line, ',', (size_t)(end - line));
		line = line ? line + 1 : NULL;
	}
	return n;
}

static uint64_t tokens_of(const char *text, size_t len, uint32_t *at)
{
	const char *line = text, *stop = text + len, *end;
	uint64_t n = 0;

	do {
		end = memchr(line, '\n', (size_t)(stop - line));
		end = end ? end : stop;
		n += line_tokens(text, line, end, at ? at + n : NULL);
		line = end + 1;
	} while (end < stop);
	return n;
}

/* Some room, so that not every number that gets longer moves the text elsewhere. */
static size_t size_for(size_t len)
{
	return len + len / 16 + 64;
}

bool answer_delta_whole(struct answer_delta *d, struct buf *text, const struct delta_mark *m)
{
	answer_delta_free(d);
	d->text = buf_take(text, &d->len);
	/* It stays for long, and a buffer that grew may be twice as large as what is in it. */
	d->size = size_for(d->len);
	d->text = mem_realloc(d->text, d->size, 1);
	if (m->base || m->sum || d->len != m->len || d->len > DELTA_BYTES_MOST ||
		m->tokens > DELTA_TOKENS_MOST || tokens_of(d->text, d->len, NULL) != m->tokens)
		return forget(d);
	d->n = m->tokens;
	d->seq = m->seq;
	d->at = mem_alloc(((size_t)d->n + 1) * sizeof(*d->at));
	(void)tokens_of(d->text, d->len, d->at);
	d->at[d->n] = (uint32_t)d->len + 1;
	return true;
}

/* ---- one token ---- */

/* ",N", which is no byte of the text, has no length and no end either. */
static bool is_count(const struct answer_delta *d, uint32_t i)
{
	return d->at[i + 1] == d->at[i];
}

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

static int64_t digit(char c)
{
	return is_digit(c) ? c - '0' : 0;
}

/* Of a token for the sum: its length and its last three bytes, as far as they are digits. */
static int64_t weigh(size_t len, char last, char second, char third)
{
	if (len < 3)
		return (int64_t)len;
	return (int64_t)len * 1000 + digit(last) * 100 + digit(second) * 10 + digit(third);
}

/* The i-th byte from the end of what a token becomes. */
static char byte_of(const char *old, const struct delta_change *e, size_t i)
{
	size_t len = (size_t)e->head + e->rest;

	if (i >= len)
		return '\0';
	i = len - 1 - i;
	return i < e->head ? old[i] : e->text[i - e->head];
}

static int64_t weigh_new(const char *old, const struct delta_change *e)
{
	return weigh((size_t)e->head + e->rest, byte_of(old, e, 0), byte_of(old, e, 1),
		byte_of(old, e, 2));
}

static int64_t weigh_old(const char *s, size_t len)
{
	return len < 3 ? (int64_t)len : weigh(len, s[len - 1], s[len - 2], s[len - 3]);
}

/* ---- deltas ---- */

/* Whether the text has as many tokens as before, between the same ends. */
static bool keeps_tokens(const struct answer_delta *d, uint32_t i, const struct delta_change *e)
{
	size_t end = (size_t)d->at[i + 1] - 1, len = (size_t)e->head + e->rest;
	bool piece = (end < d->len && d->text[end] == ',') ||
		     (d->at[i] > 0 && d->text[d->at[i] - 1] == ',') ||
		     (i > 0 && is_count(d, i - 1));

	if (piece)
		return memchr(e->text, ',', e->rest) == NULL;
	return !is_cut(e->head ? d->text + d->at[i] : e->text, len);
}

/* A line of the delta that says what the token i becomes. */
static bool read_edit(const struct answer_delta *d, uint32_t i, const char *line, const char *end,
	struct delta_scratch *s)
{
	struct delta_change e = {.token = i, .number = line == end || *line != ':', .text = line};

	if (i >= d->n || is_count(d, i))
		return false;
	e.text += !e.number;
	if ((size_t)(end - e.text) > DELTA_BYTES_MOST)
		return false;
	e.rest = (uint32_t)(end - e.text);
	/*
	 * Of a thousand devices none has its text in a cache. The ends of its tokens come from
	 * memory together here, and are not waited for one by one in fit_edit().
	 */
	__builtin_prefetch(d->text + d->at[i], 1);
	__builtin_prefetch(d->text + d->at[i + 1] - 1, 1);
	vec_push(&s->edits, e);
	return true;
}

static bool read_edits(
	const struct answer_delta *d, const char *delta, size_t len, struct delta_scratch *s)
{
	const char *stop = delta + len, *end, *from;
	uint32_t i = 0, skip;

	for (; delta < stop; delta = end + 1) {
		end = memchr(delta, '\n', (size_t)(stop - delta));
		if (!end)
			return false;
		if (*delta != '+') {
			if (!read_edit(d, i++, delta, end, s))
				return false;
			continue;
		}
		from = delta + 1;
		if (!read_number(&from, '\n', &skip) || from != end + 1 || skip > d->n - i)
			return false;
		i += skip;
	}
	return true;
}

/* What of the token stays, and the sum. False: it is no number, or the text has other tokens. */
static bool fit_edit(struct answer_delta *d, struct delta_change *e)
{
	uint32_t i = e->token;
	const char *old = d->text + d->at[i];
	size_t len = (size_t)(d->at[i + 1] - d->at[i]) - 1;
	int64_t sum;

	if (e->number) {
		e->head = (uint32_t)last_number(old, len);
		if (!e->rest || !is_digit(e->text[0]) || e->head == len)
			return false;
	}
	if (!keeps_tokens(d, i, e))
		return false;
	sum = (int64_t)d->sum +
	      (int64_t)((i + 1) % WEIGHT_OF + 1) * (weigh_new(old, e) - weigh_old(old, len));
	sum %= SUM_OF;
	d->sum = (uint32_t)(sum < 0 ? sum + SUM_OF : sum);
	return true;
}

static bool fit_edits(struct answer_delta *d, struct delta_scratch *s)
{
	for (size_t i = 0; i < s->edits.n; i++)
		if (!fit_edit(d, &s->edits.at[i]))
			return false;
	return true;
}

/* All are as long as what they replace. */
static void write_in_place(struct answer_delta *d, const struct delta_scratch *s)
{
	for (size_t i = 0; i < s->edits.n; i++) {
		const struct delta_change *e = &s->edits.at[i];
		uint32_t at = d->at[e->token] + e->head;

		memcpy(d->text + at, e->text, e->rest);
	}
}

/* Those that the places from token `from` up to `to` move by. */
static void move_places(struct answer_delta *d, uint32_t from, uint32_t to, int64_t by)
{
	for (uint32_t i = from; by && i < to; i++)
		d->at[i] = (uint32_t)((int64_t)d->at[i] + by);
}

/*
 * The text is moved to the end of room enough for every growth, and then written from the front: so
 * nothing is overwritten that was not read.
 */
static void write_anew(
	struct answer_delta *d, size_t len, size_t growth, const struct delta_scratch *s)
{
	size_t from = 0, to = 0, gap;
	uint32_t next = 0;
	int64_t by = 0;

	if (d->size < d->len + growth + 1) {
		d->size = size_for(d->len + growth);
		d->text = mem_realloc(d->text, d->size, 1);
	}
	gap = d->size - 1 - d->len;
	memmove(d->text + gap, d->text, d->len);
	for (size_t i = 0; i < s->edits.n; i++) {
		const struct delta_change *e = &s->edits.at[i];
		size_t keep = (size_t)d->at[e->token] + e->head - from;
		size_t end = (size_t)d->at[e->token + 1] - 1;

		memmove(d->text + to, d->text + gap + from, keep);
		move_places(d, next, e->token + 1, by);
		next = e->token + 1;
		to += keep;
		memcpy(d->text + to, e->text, e->rest);
		to += e->rest;
		from = end;
		by = (int64_t)to - (int64_t)from;
	}
	memmove(d->text + to, d->text + gap + from, d->len - from);
	move_places(d, next, d->n + 1, by);
	d->len = len;
	d->text[len] = '\0';
}

/* What the tokens are, before they are written over. */
static void note_old(const struct answer_delta *d, struct delta_scratch *s)
{
	for (size_t i = 0; i < s->edits.n; i++) {
		uint32_t at = d->at[s->edits.at[i].token];
		uint32_t len = d->at[s->edits.at[i].token + 1] - 1 - at;
		size_t from = s->was.n;

		vec_push(&s->changes, (struct text_change){.was = (uint32_t)from, .was_len = len});
		vec_reserve(&s->was, from + len + 1);
		memcpy(s->was.at + from, d->text + at, len);
		s->was.n += len;
	}
}

static void note_new(const struct answer_delta *d, struct delta_scratch *s)
{
	for (size_t i = 0; i < s->edits.n; i++) {
		uint32_t token = s->edits.at[i].token;

		s->changes.at[i].at = d->at[token];
		s->changes.at[i].len = d->at[token + 1] - 1 - d->at[token];
	}
}

/* Writes what the edits say. False: the text would be too long. */
static bool write_text(struct answer_delta *d, struct delta_scratch *s)
{
	size_t growth = 0, shrink = 0, len;

	for (size_t i = 0; i < s->edits.n; i++) {
		const struct delta_change *e = &s->edits.at[i];
		size_t old = (size_t)(d->at[e->token + 1] - d->at[e->token]) - 1;
		size_t now = (size_t)e->head + e->rest;

		growth += now > old ? now - old : 0;
		shrink += now < old ? old - now : 0;
	}
	len = d->len + growth - shrink;
	if (len > DELTA_BYTES_MOST)
		return false;
	note_old(d, s);
	if (growth || shrink)
		write_anew(d, len, growth, s);
	else
		write_in_place(d, s);
	note_new(d, s);
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
