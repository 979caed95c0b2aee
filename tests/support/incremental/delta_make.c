/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/incremental/delta_make.h"

#include <string.h>

#include "base/vec.h"

struct token {
	const char *s; /* NULL: ",N" */
	size_t len;    /* N */
};
typedef VEC(struct token) token_vec;

static void add_line(token_vec *v, const char *s, size_t len)
{
	size_t count, n;

	if (len <= 200 && (!len || s[0] != ',')) {
		vec_push(v, (struct token){s, len});
		return;
	}
	count = v->n;
	vec_push(v, (struct token){NULL, 0});
	for (;;) {
		const char *comma = memchr(s, ',', len);

		n = comma ? (size_t)(comma - s) : len;
		vec_push(v, (struct token){s, n});
		v->at[count].len++;
		if (!comma)
			return;
		s += n + 1;
		len -= n + 1;
	}
}

static void cut(token_vec *v, const char *text, size_t len)
{
	for (;;) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		add_line(v, text, n);
		if (!end)
			return;
		text += n + 1;
		len -= n + 1;
	}
}

uint32_t delta_tokens(const char *text, size_t len)
{
	token_vec v = {0};
	uint32_t n;

	cut(&v, text, len);
	n = (uint32_t)v.n;
	vec_free(&v);
	return n;
}

static bool same_ends(const token_vec *a, const token_vec *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++)
		if ((!a->at[i].s || !b->at[i].s) &&
			(a->at[i].s || b->at[i].s || a->at[i].len != b->at[i].len))
			return false;
	return true;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static long long weight(const struct token *t)
{
	long long w = (long long)t->len, scale = 100;

	if (t->len < 3)
		return w;
	w *= 1000;
	for (size_t i = 1; i <= 3; i++, scale /= 10)
		w += is_digit(t->s[t->len - i]) ? scale * (t->s[t->len - i] - '0') : 0;
	return w;
}

/* The number of bytes in front of the last number, if only that and the rest behind it differ. */
static bool head_of(const struct token *a, const struct token *b, size_t *head)
{
	size_t i = a->len, first;

	while (i && !is_digit(a->s[i - 1]))
		i--;
	for (first = i; first && is_digit(a->s[first - 1]);)
		first--;
	*head = first;
	return first < i && b->len > first && memcmp(a->s, b->s, first) == 0 &&
	       is_digit(b->s[first]);
}

static void add_edit(const struct token *a, const struct token *b, struct buf *out)
{
	size_t head = 0;

	if (!head_of(a, b, &head)) {
		head = 0;
		(void)buf_adds(out, ":");
	}
	(void)buf_add(out, b->s + head, b->len - head);
	(void)buf_adds(out, "\n");
}

static void add_edits(const token_vec *a, const token_vec *b, struct buf *out, uint32_t *sum)
{
	long long s = 0;
	size_t same = 0;

	for (size_t i = 0; i < a->n; i++) {
		const struct token *x = &a->at[i], *y = &b->at[i];

		if (!x->s || (x->len == y->len && memcmp(x->s, y->s, x->len) == 0)) {
			same++;
			continue;
		}
		if (same)
			(void)buf_addf(out, "+%zu\n", same);
		same = 0;
		add_edit(x, y, out);
		s = (s + (long long)((i + 1) % 997 + 1) * (weight(y) - weight(x))) % 1000003;
	}
	*sum = (uint32_t)(s < 0 ? s + 1000003 : s);
}

bool delta_make(const char *old, size_t old_len, const char *now, size_t now_len, struct buf *out,
	uint32_t *sum)
{
	token_vec a = {0}, b = {0};
	bool ok;

	cut(&a, old, old_len);
	cut(&b, now, now_len);
	ok = same_ends(&a, &b);
	if (ok)
		add_edits(&a, &b, out, sum);
	vec_free(&a);
	vec_free(&b);
	return ok;
}
