/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/incremental/text_delta.h"

#include <stdlib.h>
#include <string.h>

#include "backends/incremental/text_delta_private.h"
#include "base/digits.h"

/* ---- marks ---- */

bool delta_read_number(const char **at, char end, uint32_t *out)
{
	uint64_t v = 0;
	const char *s = *at;

	if (!digits_is(*s))
		return false;
	for (; digits_is(*s) && v <= UINT32_MAX; s++)
		v = 10 * v + (uint64_t)(*s - '0');
	*at = s + 1;
	*out = (uint32_t)v;
	return v <= UINT32_MAX && *s == end;
}

bool delta_mark_read(struct delta_mark *m, const char *text)
{
	return delta_read_number(&text, ' ', &m->tokens) &&
	       delta_read_number(&text, ' ', &m->len) && delta_read_number(&text, ' ', &m->sum) &&
	       delta_read_number(&text, '\n', &m->base);
}

/* ---- texts and their tokens ---- */

void delta_scratch_free(struct delta_scratch *s)
{
	vec_free(&s->longer);
	vec_free(&s->grown);
	vec_free(&s->changes);
	vec_free(&s->was);
	vec_free(&s->before);
}

void text_delta_free(struct text_delta *d)
{
	free(d->text);
	free(d->spans);
	free(d->longer);
	*d = (struct text_delta){0};
}

static bool discard_delta(struct text_delta *d)
{
	text_delta_free(d);
	return false;
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
	if (span >= DELTA_SPAN_LONG)
		vec_push(&t->longer, (struct delta_long){t->n, (uint32_t)span});
	t->spans[t->n++] = delta_span_byte(span);
	return true;
}

static bool add_line(struct tokens *t, const char *line, const char *end)
{
	const char *comma = line;

	if (!delta_is_cut(line, (size_t)(end - line)))
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

/* Cuts the text into tokens. False: their number differs from t->most. */
static bool cut_text(const char *text, size_t len, struct tokens *t)
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

void delta_set_longer(struct text_delta *d, const struct delta_long *longer, size_t n)
{
	free(d->longer);
	d->longer = NULL;
	d->longer_n = (uint32_t)n;
	if (!n)
		return;
	d->longer = mem_alloc(n * sizeof(*longer));
	memcpy(d->longer, longer, n * sizeof(*longer));
}

bool text_delta_whole(struct text_delta *d, struct buf *text, const struct delta_mark *m)
{
	struct tokens t = {.most = m->tokens};
	bool ok;

	text_delta_free(d);
	d->text = buf_take(text, &d->len);
	if (m->base || m->sum || d->len != m->len || d->len > DELTA_BYTES_MOST ||
		m->tokens > DELTA_TOKENS_MOST)
		return discard_delta(d);
	/* It is kept for long; a grown buffer may be twice as large as its contents. */
	d->size = delta_size_for(d->len);
	d->text = mem_realloc(d->text, d->size, 1);
	/* Spans are read eight at a time. */
	d->spans = t.spans = mem_calloc((size_t)m->tokens + 8, 1);
	ok = cut_text(d->text, d->len, &t);
	delta_set_longer(d, t.longer.at, t.longer.n);
	vec_free(&t.longer);
	d->n = t.n;
	d->seq = m->seq;
	return ok || discard_delta(d);
}

bool text_delta_next(const struct text_delta *d, struct delta_token *t)
{
	uint32_t span;

	if (t->next == d->n)
		return false;
	span = d->spans[t->next];
	if (span == DELTA_SPAN_LONG)
		span = d->longer[t->longer++].span;
	t->token = t->next++;
	t->at = t->next_at;
	t->len = span ? span - 1 : 0;
	t->next_at += span;
	return true;
}

bool text_delta_apply(struct text_delta *d, const char *delta, size_t len,
	const struct delta_mark *m, struct delta_scratch *s)
{
	s->changes.n = s->was.n = s->grown.n = 0;
	vec_reserve(&s->changes, 1); /* not NULL, because "no changes" is information, too */
	if (!d->text || !m->base || m->base != d->seq || m->tokens != d->n ||
		!delta_read_lines(d, delta, len, s) || !delta_fit(d, s) || d->sum != m->sum ||
		!delta_move(d, s) || d->len != m->len)
		return discard_delta(d);
	d->seq = m->seq;
	return true;
}
