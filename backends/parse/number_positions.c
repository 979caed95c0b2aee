/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/number_positions.h"

#include <string.h>

#include "backends/parse/units.h"
#include "base/digits.h"
#include "fabric/vocabulary/counters.h"

/* More numbers than any answer has. */
#define SLOTS_MOST 200000
/* The most slots to visit for positions_void(); beyond, the answer has no slots. Some 20 ms. */
#define LOOKED_MOST 20000000

void positions_begin(struct number_positions *s, const char *bytes, size_t len)
{
	s->bytes = bytes;
	s->len = len;
	s->tell = NULL;
	s->time = NULL;
	s->doc = NULL;
	s->looked = s->seen.n = s->batches.n = 0;
	memset(s->last, 0, sizeof(s->last));
}

void positions_free(struct number_positions *s)
{
	vec_free(&s->seen);
	vec_free(&s->batches);
}

static bool is_slot_char(enum position_kind kind, char c)
{
	if (digits_is(c))
		return true;
	if (kind == POSITION_WORD || kind == POSITION_RISING)
		return c == '.';
	if (kind == POSITION_AMOUNT)
		return c && strchr(". KMGTPiBytes", c);
	if (kind == POSITION_TEXT)
		return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
	if (kind == POSITION_TIME && (c == 'T' || c == ':' || c == 'Z'))
		return true;
	return (kind == POSITION_RATIO || kind == POSITION_REAL || kind == POSITION_TIME) &&
	       (c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-');
}

size_t position_length(enum position_kind kind, const char *at, const char *end)
{
	bool is_number = kind == POSITION_COUNT || kind == POSITION_UNUSED;
	size_t n = 0, most = is_number ? POSITION_DIGITS : POSITION_TEXT_MOST;

	if (is_number && end - at >= 24) {
		n = digits_count(digits_load(at));
		if (n == 8)
			n += digits_count(digits_load(at + 8));
		if (n == 16)
			n += digits_count(digits_load(at + 16));
	} else {
		while (at + n < end && n <= most && is_slot_char(kind, at[n]))
			n++;
	}
	if (n > most || (is_number && n > 1 && *at == '0'))
		return 0;
	return n;
}

static size_t digits_of(const char *at, size_t n)
{
	size_t i = 0;

	while (i < n && digits_is(at[i]))
		i++;
	return i;
}

bool position_is_real(const char *at, size_t n)
{
	const char *end = at + n;
	size_t digits;

	at += at < end && *at == '-';
	digits = digits_of(at, (size_t)(end - at));
	if (!digits || (digits > 1 && *at == '0'))
		return false;
	at += digits;
	if (at < end && *at == '.') {
		at++;
		digits = digits_of(at, (size_t)(end - at));
		if (!digits)
			return false;
		at += digits;
	}
	if (at < end && (*at == 'e' || *at == 'E')) {
		at++;
		at += at < end && (*at == '-' || *at == '+');
		digits = digits_of(at, (size_t)(end - at));
		if (!digits || digits > 2)
			return false;
		at += digits;
	}
	return at == end;
}

uint64_t position_number(const char *at, size_t n)
{
	uint64_t v = 0;
	size_t head = n > 16 ? n - 16 : 0;

	for (size_t i = 0; i < head; i++)
		v = v * 10 + (uint64_t)(at[i] - '0');
	if (head) {
		uint64_t rest = 0;

		(void)digits_all(at + head, 16, &rest);
		return v * UINT64_C(10000000000000000) + rest;
	}
	(void)digits_all(at, n, &v);
	return v;
}

bool position_value(
	enum position_kind kind, const char *at, size_t n, unsigned scale, uint64_t *out)
{
	if (kind == POSITION_AMOUNT)
		return units_bytes(at, n, out) && *out != UINT64_MAX;
	*out = kind == POSITION_COUNT ? position_number(at, n) * scale : 0;
	return kind == POSITION_COUNT;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Adds a slot. NULL: the text is not a valid slot of its kind. */
static struct position_seen *add_slot(
	struct number_positions *s, enum position_kind kind, const char *at, size_t n)
{
	const char *end = s->bytes + s->len;
	struct position_seen *seen;

	if (!at || at < s->bytes || at > end || n > (size_t)(end - at) || s->len > UINT32_MAX)
		return NULL;
	for (; n && is_blank(*at); n--)
		at++;
	while (n && is_blank(at[n - 1]))
		n--;
	if (!n || position_length(kind, at, end) != n || s->seen.n >= SLOTS_MOST ||
		s->looked > LOOKED_MOST)
		return NULL;
	/*
	 * The slot must not be the end of a longer text of its kind. In JSON a colon precedes each.
	 */
	if (at > s->bytes && at[-1] != ':' && is_slot_char(kind, at[-1]))
		return NULL;
	seen = vec_add(&s->seen);
	seen->at = (uint32_t)(at - s->bytes);
	seen->n = (uint8_t)n;
	seen->kind = (uint8_t)kind;
	return seen;
}

static uint32_t *row_of(struct number_positions *s, uint32_t port, uint16_t cell)
{
	return &s->last[(port * CELL_COUNT + cell) % POSITION_ROWS];
}

static void add_cell_slot(struct number_positions *s, enum position_kind kind, const char *at,
	size_t n, uint32_t port, uint16_t cell, unsigned scale)
{
	struct position_seen *seen;

	if (port > UINT16_MAX || cell >= CELL_COUNT || !scale || scale > POSITION_SCALE)
		return;
	seen = add_slot(s, kind, at, n);
	if (!seen)
		return;
	seen->port = (uint16_t)port;
	seen->cell = cell;
	seen->scale = (uint8_t)scale;
	seen->before = *row_of(s, port, cell);
	*row_of(s, port, cell) = (uint32_t)s->seen.n;
}

void positions_add(struct number_positions *s, const char *at, size_t n, uint32_t port,
	uint16_t cell, unsigned scale)
{
	if (s)
		add_cell_slot(s, POSITION_COUNT, at, n, port, cell, scale);
}

void positions_amount(
	struct number_positions *s, const char *at, size_t n, uint32_t port, uint16_t cell)
{
	if (s)
		add_cell_slot(s, POSITION_AMOUNT, at, n, port, cell, 1);
}

void positions_void(struct number_positions *s, uint32_t port, uint16_t cell)
{
	struct position_seen *seen;

	if (!s)
		return;
	for (uint32_t i = *row_of(s, port, cell); i; i = seen->before) {
		seen = &s->seen.at[i - 1];
		if (seen->kind == POSITION_COUNT && seen->port == port && seen->cell == cell)
			seen->kind = POSITION_UNUSED;
		s->looked++;
	}
	if (s->looked > LOOKED_MOST) {
		s->seen.n = 0;
		memset(s->last, 0, sizeof(s->last));
	}
}

void positions_ratio(
	struct number_positions *s, const char *at, size_t n, uint32_t port, uint16_t cell)
{
	if (s)
		add_cell_slot(s, POSITION_RATIO, at, n, port, cell, 1);
}

void positions_unused(struct number_positions *s, const char *at, size_t n)
{
	if (s)
		(void)add_slot(s, POSITION_UNUSED, at, n);
}

void positions_word(
	struct number_positions *s, const char *at, size_t n, unsigned which, bool rising)
{
	struct position_seen *seen = NULL;

	if (s && which < POSITION_WORDS)
		seen = add_slot(s, rising ? POSITION_RISING : POSITION_WORD, at, n);
	if (seen)
		seen->scale = (uint8_t)which;
}

void positions_real(struct number_positions *s, const char *at, size_t n)
{
	if (s)
		(void)add_slot(s, POSITION_REAL, at, n);
}

void positions_string(struct number_positions *s, const char *at, size_t n)
{
	if (s)
		(void)add_slot(s, POSITION_TEXT, at, n);
}

void positions_time(struct number_positions *s, const char *at, size_t n, uint32_t port)
{
	struct position_seen *seen = NULL;

	if (s && port <= UINT16_MAX)
		seen = add_slot(s, POSITION_TIME, at, n);
	if (seen)
		seen->port = (uint16_t)port;
}

void positions_times(struct number_positions *s, position_time *time)
{
	if (s)
		s->time = time;
}

void positions_next(struct number_positions *s)
{
	if (s)
		*vec_add(&s->batches) = s->seen.n;
}

void positions_tell(struct number_positions *s, position_tell *tell)
{
	if (s)
		s->tell = tell;
}
