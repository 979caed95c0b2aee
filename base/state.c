/* SPDX-License-Identifier: Apache-2.0 */
#include "base/state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void state_saves(struct state *s, struct buf *out)
{
	*s = (struct state){.out = out};
}

void state_loads(struct state *s, const void *bytes, size_t n)
{
	*s = (struct state){.loading = true, .at = bytes};
	s->end = n ? s->at + n : s->at;
}

bool state_ended(const struct state *s)
{
	return s->loading && !s->bad && s->at == s->end;
}

void state_bytes(struct state *s, void *p, size_t n)
{
	if (!s->loading) {
		struct buf *b = s->out;

		if (n && n < b->size - b->len && n <= b->cap - b->len) {
			memcpy(b->data + b->len, p, n);
			b->len += n;
			b->data[b->len] = '\0';
		} else if (n && !buf_add(b, p, n)) {
			s->bad = true;
		}
		return;
	}
	if (s->bad || n > (size_t)(s->end - s->at)) {
		s->bad = true;
		if (n)
			memset(p, 0, n);
		return;
	}
	if (n)
		memcpy(p, s->at, n);
	s->at += n;
}

/* Most of a keyframe are small numbers, so they are written directly into the buffer. */
static void save_number(struct state *s, uint64_t v)
{
	struct buf *b = s->out;
	char bytes[STATE_NUMBER_MOST];

	if (b->size > b->len + STATE_NUMBER_MOST && b->cap >= b->len + STATE_NUMBER_MOST) {
		b->len = (size_t)(state_put(b->data + b->len, v) - b->data);
		b->data[b->len] = '\0';
		return;
	}
	state_bytes(s, bytes, (size_t)(state_put(bytes, v) - bytes));
}

char *state_room(struct state *s, size_t n)
{
	struct buf *b = s->out;
	size_t want = b->len + (n ? n : 1) * STATE_NUMBER_MOST;

	/* Doubles the size: otherwise each call would move the buffer. */
	if (want >= b->size)
		buf_expect(b, want > 2 * b->size || 2 * b->size > b->cap ? want : 2 * b->size);
	return want < b->size ? b->data + b->len : NULL;
}

void state_put_to(struct state *s, char *end)
{
	s->out->len = (size_t)(end - s->out->data);
	*end = '\0';
}

static uint64_t visit_number(struct state *s, uint64_t v, uint64_t most)
{
	if (s->loading)
		v = state_get(s);
	/* A value that could not be loaded is refused when it is saved: the error shows early. */
	if (v > most)
		s->bad = true;
	if (!s->loading) {
		save_number(s, v);
		return v;
	}
	return s->bad ? 0 : v;
}

void state_u8(struct state *s, uint8_t *v)
{
	uint64_t n = visit_number(s, *v, UINT8_MAX);

	if (s->loading)
		*v = (uint8_t)n;
}

void state_u16(struct state *s, uint16_t *v)
{
	uint64_t n = visit_number(s, *v, UINT16_MAX);

	if (s->loading)
		*v = (uint16_t)n;
}

void state_u32(struct state *s, uint32_t *v)
{
	uint64_t n = visit_number(s, *v, UINT32_MAX);

	if (s->loading)
		*v = (uint32_t)n;
}

void state_u64(struct state *s, uint64_t *v)
{
	uint64_t n = visit_number(s, *v, UINT64_MAX);

	if (s->loading)
		*v = n;
}

void state_key(struct state *s, uint64_t *v)
{
	state_u64(s, v);
	if (s->loading && s->rekey && !s->bad)
		*v = s->rekey(s->ctx, *v);
}

static int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)(v & 1 ? ~(v >> 1) : v >> 1);
}

void state_i64(struct state *s, int64_t *v)
{
	uint64_t n = visit_number(s, state_zigzag(*v), UINT64_MAX);

	if (s->loading)
		*v = zigzag_decode(n);
}

void state_i32(struct state *s, int32_t *v)
{
	uint64_t n = visit_number(s, state_zigzag(*v), UINT32_MAX);

	if (s->loading)
		*v = (int32_t)zigzag_decode(n);
}

static void visit_fixed(struct state *s, uint64_t *bits, size_t n)
{
	unsigned char bytes[8] = {0};

	for (size_t i = 0; i < n; i++)
		bytes[i] = (unsigned char)(*bits >> (8 * i));
	state_bytes(s, bytes, n);
	*bits = 0;
	for (size_t i = 0; i < n; i++)
		*bits |= (uint64_t)bytes[i] << (8 * i);
}

void state_f32(struct state *s, float *v)
{
	uint32_t bits;
	uint64_t wide;

	memcpy(&bits, v, sizeof(bits));
	wide = bits;
	visit_fixed(s, &wide, 4);
	bits = (uint32_t)wide;
	if (s->loading)
		memcpy(v, &bits, sizeof(bits));
}

void state_f64(struct state *s, double *v)
{
	uint64_t bits;

	memcpy(&bits, v, sizeof(bits));
	visit_fixed(s, &bits, 8);
	if (s->loading)
		memcpy(v, &bits, sizeof(bits));
}

void state_bool(struct state *s, bool *v)
{
	uint64_t n = visit_number(s, *v, 1);

	if (s->loading)
		*v = n != 0;
}

void state_below(struct state *s, uint32_t *v, uint32_t limit)
{
	uint64_t n = visit_number(s, *v, limit ? limit - 1 : 0);

	if (s->loading)
		*v = (uint32_t)n;
}

void state_index(struct state *s, uint32_t *v, size_t limit)
{
	/* Stored plus one, so that "none" takes a single byte. */
	uint64_t up = visit_number(s, *v == UINT32_MAX ? 0 : (uint64_t)*v + 1, limit);

	if (s->loading)
		*v = up ? (uint32_t)(up - 1) : UINT32_MAX;
}

void state_count(struct state *s, size_t *n, size_t most)
{
	uint64_t count = visit_number(s, *n, most);

	if (!s->loading)
		return;
	*n = (size_t)count;
	if (*n > (size_t)(s->end - s->at)) {
		s->bad = true;
		*n = 0;
	}
}

/*
 * Makes a loaded text safe for a terminal. False: it has control characters. Other bytes that a
 * terminal must not get become '?', as in texts from devices: anybody can make such a file. A
 * genuine file has at most half a character where a long text was cut. The text never grows. Plain
 * ASCII, nearly all of it, costs one pass.
 */
static bool clean_text(char *text, size_t n)
{
	bool high = false;
	size_t is;
	char *was;

	for (size_t i = 0; i < n; i++) {
		if ((unsigned char)text[i] < ' ' || text[i] == 0x7f)
			return false;
		high |= (unsigned char)text[i] >= 0x80;
	}
	if (!high)
		return true;
	was = mem_calloc(n, 1);
	memcpy(was, text, n);
	is = str_sanitise(text, n + 1, was, n);
	memset(text + is, 0, n - is);
	free(was);
	return true;
}

void state_text(struct state *s, char *text, size_t size)
{
	size_t n = s->loading ? 0 : strnlen(text, size - 1);

	state_count(s, &n, size - 1);
	state_bytes(s, text, n);
	if (!s->loading)
		return;
	memset(text + n, 0, size - n);
	if (s->bad || !clean_text(text, n)) {
		s->bad = true;
		text[0] = '\0';
	}
	if (s->rewrite && !s->bad)
		s->rewrite(s->ctx, text, size);
}

void state_owned(struct state *s, char **text, size_t most)
{
	bool there = *text != NULL;
	size_t n = there && !s->loading ? strlen(*text) : 0, size;

	state_bool(s, &there);
	if (!s->loading) {
		if (there)
			state_count(s, &n, most), state_bytes(s, *text, n);
		return;
	}
	free(*text);
	*text = NULL;
	if (!there)
		return;
	state_count(s, &n, most);
	/* A rewritten text may be longer than the original. */
	size = s->rewrite ? most + 1 : n + 1;
	*text = mem_calloc(size, 1);
	state_bytes(s, *text, n);
	if (!s->bad && !clean_text(*text, n))
		s->bad = true;
	if (s->bad)
		(*text)[0] = '\0';
	else if (s->rewrite)
		s->rewrite(s->ctx, *text, size);
}
