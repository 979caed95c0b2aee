/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/parse/number_positions.h"

#include <string.h>

#include "backends/parse/units.h"
#include "base/digits.h"

/* More numbers than any answer has. */
#define SLOTS_MOST 200000
/* The most slots to visit for slots_void(); beyond, the answer has no slots. Some 20 ms. */
#define LOOKED_MOST 20000000

void slots_begin(struct slots *s, const char *bytes, size_t len)
{
	s->bytes = bytes;
	s->len = len;
	s->tell = NULL;
	s->time = NULL;
	s->doc = NULL;
	s->looked = s->seen.n = s->batches.n = 0;
	memset(s->last, 0, sizeof(s->last));
}

void slots_free(struct slots *s)
{
	vec_free(&s->seen);
	vec_free(&s->batches);
}

static bool is_slot_char(enum slot_kind kind, char c)
{
	if (digits_is(c))
		return true;
	if (kind == SLOT_WORD || kind == SLOT_RISING)
		return c == '.';
	if (kind == SLOT_AMOUNT)
		return c && strchr(". KMGTPiBytes", c);
	if (kind == SLOT_TEXT)
		return c >= ' ' && c < 0x7f && c != '"' && c != '\\';
	if (kind == SLOT_TIME && (c == 'T' || c == ':' || c == 'Z'))
		return true;
	return (kind == SLOT_RATIO || kind == SLOT_REAL || kind == SLOT_TIME) &&
	       (c == '.' || c == 'e' || c == 'E' || c == '+' || c == '-');
}

size_t slot_length(enum slot_kind kind, const char *at, const char *end)
{
	bool is_number = kind == SLOT_COUNT || kind == SLOT_UNUSED;
	size_t n = 0, most = is_number ? SLOT_DIGITS : SLOT_TEXT_MOST;

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

bool slot_is_real(const char *at, size_t n)
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

uint64_t slot_number(const char *at, size_t n)
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

bool slot_value(enum slot_kind kind, const char *at, size_t n, unsigned scale, uint64_t *out)
{
	if (kind == SLOT_AMOUNT)
		return units_bytes(at, n, out) && *out != UINT64_MAX;
	*out = kind == SLOT_COUNT ? slot_number(at, n) * scale : 0;
	return kind == SLOT_COUNT;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* Adds a slot. NULL: the text is not a valid slot of its kind. */
static struct slot_seen *add_slot(struct slots *s, enum slot_kind kind, const char *at, size_t n)
{
	const char *end = s->bytes + s->len;
	struct slot_seen *seen;

	if (!at || at < s->bytes || at > end || n > (size_t)(end - at) || s->len > UINT32_MAX)
		return NULL;
	for (; n && is_blank(*at); n--)
		at++;
	while (n && is_blank(at[n - 1]))
		n--;
	if (!n || slot_length(kind, at, end) != n || s->seen.n >= SLOTS_MOST ||
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

static uint32_t *row_of(struct slots *s, uint32_t port, uint16_t cell)
{
	return &s->last[(port * CELL_COUNT + cell) % SLOT_ROWS];
}

static void add_cell_slot(struct slots *s, enum slot_kind kind, const char *at, size_t n,
	uint32_t port, uint16_t cell, unsigned scale)
{
	struct slot_seen *seen;

	if (port > UINT16_MAX || cell >= CELL_COUNT || !scale || scale > SLOT_SCALE)
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

void slots_add(
	struct slots *s, const char *at, size_t n, uint32_t port, uint16_t cell, unsigned scale)
{
	if (s)
		add_cell_slot(s, SLOT_COUNT, at, n, port, cell, scale);
}

void slots_amount(struct slots *s, const char *at, size_t n, uint32_t port, uint16_t cell)
{
	if (s)
		add_cell_slot(s, SLOT_AMOUNT, at, n, port, cell, 1);
}

void slots_void(struct slots *s, uint32_t port, uint16_t cell)
{
	struct slot_seen *seen;

	if (!s)
		return;
	for (uint32_t i = *row_of(s, port, cell); i; i = seen->before) {
		seen = &s->seen.at[i - 1];
		if (seen->kind == SLOT_COUNT && seen->port == port && seen->cell == cell)
			seen->kind = SLOT_UNUSED;
		s->looked++;
	}
	if (s->looked > LOOKED_MOST) {
		s->seen.n = 0;
		memset(s->last, 0, sizeof(s->last));
	}
}

void slots_ratio(struct slots *s, const char *at, size_t n, uint32_t port, uint16_t cell)
{
	if (s)
		add_cell_slot(s, SLOT_RATIO, at, n, port, cell, 1);
}

void slots_unused(struct slots *s, const char *at, size_t n)
{
	if (s)
		(void)add_slot(s, SLOT_UNUSED, at, n);
}

void slots_word(struct slots *s, const char *at, size_t n, unsigned which, bool rising)
{
	struct slot_seen *seen = NULL;

	if (s && which < SLOT_WORDS)
		seen = add_slot(s, rising ? SLOT_RISING : SLOT_WORD, at, n);
	if (seen)
		seen->scale = (uint8_t)which;
}

void slots_real(struct slots *s, const char *at, size_t n)
{
	if (s)
		(void)add_slot(s, SLOT_REAL, at, n);
}

void slots_string(struct slots *s, const char *at, size_t n)
{
	if (s)
		(void)add_slot(s, SLOT_TEXT, at, n);
}

void slots_time(struct slots *s, const char *at, size_t n, uint32_t port)
{
	struct slot_seen *seen = NULL;

	if (s && port <= UINT16_MAX)
		seen = add_slot(s, SLOT_TIME, at, n);
	if (seen)
		seen->port = (uint16_t)port;
}

void slots_times(struct slots *s, slot_time *time)
{
	if (s)
		s->time = time;
}

void slots_next(struct slots *s)
{
	if (s)
		*vec_add(&s->batches) = s->seen.n;
}

void slots_tell(struct slots *s, slot_tell *tell)
{
	if (s)
		s->tell = tell;
}
