/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: texts, each up to the next NUL. The first is a whole answer. Each other text is used
 * twice: as a delta to that answer, with a line "TOKENS LEN SUM BASE" in front, and as the answer
 * after it. With any delta, the resulting text has the right length and is the same outside of the
 * changes. A delta made of two answers leads from the one to the other.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/text_delta.h"
#include "base/mem.h"
#include "tests/support/incremental/delta_make.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct piece {
	const char *at;
	size_t len;
};

static struct piece next_piece(const char **at, const char *end)
{
	const char *stop = memchr(*at, '\0', (size_t)(end - *at));
	struct piece p = {*at, (size_t)((stop ? stop : end) - *at)};

	*at = stop ? stop + 1 : end;
	return p;
}

static struct delta_mark begin(struct text_delta *d, struct piece text)
{
	struct delta_mark m = {
		.seq = 1, .len = (uint32_t)text.len, .tokens = delta_tokens(text.at, text.len)};
	struct buf b;

	buf_init(&b, DELTA_BYTES_MOST);
	(void)buf_add(&b, text.at, text.len);
	if (text_delta_whole(d, &b, &m) != (m.tokens <= DELTA_TOKENS_MOST))
		abort();
	return m;
}

/* The next bytes of the text before. */
static void expect_next(struct piece *before, const char *bytes, size_t n)
{
	if (n > before->len || (n && memcmp(before->at, bytes, n) != 0))
		abort();
	before->at += n;
	before->len -= n;
}

/* With the old bytes at each change the text is the previous one. */
static void check_changes(
	const struct text_delta *d, const struct delta_scratch *s, struct piece before)
{
	size_t from = 0;

	for (size_t i = 0; i < s->changes.n; i++) {
		const struct text_change *c = &s->changes.at[i];

		if (c->at < from || c->at + c->len > d->len || c->head > c->at - from ||
			c->was + c->was_len > s->was.n)
			abort();
		expect_next(&before, d->text + from, c->at - from);
		expect_next(&before, s->was.at + c->was, c->was_len);
		from = c->at + c->len;
	}
	expect_next(&before, d->text + from, d->len - from);
	if (before.len)
		abort();
}

static void take_hostile(struct piece first, struct piece answer, struct delta_scratch *s)
{
	struct text_delta d = {0};
	struct delta_mark m = begin(&d, first), said = {0};
	char *text = mem_strndup(answer.at, answer.len);
	const char *line = memchr(text, '\n', answer.len);

	if (line && delta_mark_read(&said, text)) {
		said.seq = 2;
		if (text_delta_apply(
			    &d, line + 1, answer.len - (size_t)(line + 1 - text), &said, s)) {
			if (d.len != said.len || d.text[d.len] != '\0' || said.tokens != m.tokens)
				abort();
			check_changes(&d, s, first);
		} else if (d.text) {
			abort();
		}
	}
	free(text);
	text_delta_free(&d);
}

static void lead_from_one_to_the_other(struct piece a, struct piece b, struct delta_scratch *s)
{
	struct text_delta d = {0};
	struct delta_mark m = begin(&d, a);
	struct buf delta;

	buf_init(&delta, (size_t)8 << 20);
	if (d.text && delta_make(a.at, a.len, b.at, b.len, &delta, &m.sum)) {
		m.base = m.seq++;
		m.len = (uint32_t)b.len;
		if (!text_delta_apply(&d, delta.data ? delta.data : "", delta.len, &m, s) ||
			d.len != b.len || memcmp(d.text, b.at, b.len) != 0)
			abort();
		check_changes(&d, s, a);
	}
	buf_free(&delta);
	text_delta_free(&d);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	struct delta_scratch s = {0};
	struct piece first;

	if (!size)
		return 0;
	first = next_piece(&at, end);
	while (at < end) {
		struct piece p = next_piece(&at, end);

		take_hostile(first, p, &s);
		lead_from_one_to_the_other(first, p, &s);
	}
	delta_scratch_free(&s);
	return 0;
}
