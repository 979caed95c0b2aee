/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/history/history_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

/* Parts of a record besides its time: flags in the lowest bits of its first number. */
#define HAS_GAPS  1U
#define OTHER_HAS 2U
#define OWN_TIMES 4U /* growth periods differ */
#define HEAD_BITS 3U

/* ---- numbers ---- */

static uint64_t zigzag_encode(int64_t v)
{
	return ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0);
}

static int64_t zigzag_decode(uint64_t v)
{
	return (int64_t)((v >> 1) ^ (~(v & 1) + 1));
}

/* Times come from devices, so any two must have a difference: it wraps around if need be. */
static uint64_t time_delta(int64_t a, int64_t b)
{
	return zigzag_encode((int64_t)((uint64_t)a - (uint64_t)b));
}

static int64_t time_after(int64_t from, uint64_t step)
{
	return (int64_t)((uint64_t)from + (uint64_t)zigzag_decode(step));
}

static unsigned char *put_number(unsigned char *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (unsigned char)(v | 0x80);
	*at++ = (unsigned char)v;
	return at;
}

static const unsigned char *get_number(
	const unsigned char *at, const unsigned char *end, uint64_t *v)
{
	*v = 0;
	for (unsigned shift = 0; at < end && shift < 64; shift += 7) {
		unsigned char byte = *at++;

		/* The tenth byte holds one bit only, and each number has a single encoding. */
		if (shift == 63 && byte > 1)
			return NULL;
		*v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return byte || !shift ? at : NULL;
	}
	return NULL;
}

/* ---- bitmaps ---- */

static unsigned char *put_map(unsigned char *at, const uint64_t *map)
{
	uint64_t low = map[0], high = map[1];

	do {
		unsigned char byte = low & 0x7f;

		low = low >> 7 | high << 57;
		high >>= 7;
		*at++ = (unsigned char)(byte | (low || high ? 0x80 : 0));
	} while (low || high);
	return at;
}

static const unsigned char *get_map(
	const unsigned char *at, const unsigned char *end, uint64_t *map)
{
	map[0] = map[1] = 0;
	for (unsigned s = 0; at < end && s < HLOG_SERIES; s += 7) {
		unsigned char byte = *at++;

		for (unsigned k = 0; k < 7; k++) {
			if (!(byte >> k & 1))
				continue;
			if (s + k >= HLOG_SERIES)
				return NULL;
			hlog_set(map, s + k);
		}
		if (!(byte & 0x80))
			return byte || !s ? at : NULL;
	}
	return NULL;
}

_Static_assert(HLOG_WORDS == 2, "put_map() and get_map() shift two words");

/* Removes and returns the lowest series in the map; HLOG_SERIES when it is empty. */
static unsigned take_lowest(uint64_t *map)
{
	for (unsigned w = 0; w < HLOG_WORDS; w++) {
		unsigned bit;

		if (!map[w])
			continue;
		bit = (unsigned)__builtin_ctzll(map[w]);
		map[w] &= map[w] - 1;
		return w * 64 + bit;
	}
	return HLOG_SERIES;
}

static bool map_is_empty(const uint64_t *map)
{
	return !map[0] && !map[1];
}

static bool same_map(const uint64_t *a, const uint64_t *b)
{
	return a[0] == b[0] && a[1] == b[1];
}

/* ---- a record ---- */

/* The series that moved. *one: all growth took the same time. */
static void moved_of(const struct hlog_record *r, uint64_t *moved, bool *one)
{
	uint64_t left[HLOG_WORDS] = {r->has[0], r->has[1]};
	unsigned first = take_lowest((uint64_t[HLOG_WORDS]){r->has[0], r->has[1]}), s;

	moved[0] = moved[1] = 0;
	*one = true;
	while ((s = take_lowest(left)) < HLOG_SERIES) {
		if (r->growth[s])
			hlog_set(moved, s);
		*one &= r->took_us[s] == r->took_us[first];
	}
}

static unsigned char *put_growth(unsigned char *at, const struct hlog_record *r,
	struct hlog_before *before, const uint64_t *moved, bool one)
{
	uint64_t left[HLOG_WORDS] = {r->has[0], r->has[1]};
	uint64_t grew[HLOG_WORDS] = {moved[0], moved[1]};
	unsigned s;

	at = put_map(at, moved);
	while ((s = take_lowest(left)) < HLOG_SERIES) {
		at = put_number(at, time_delta(r->took_us[s], before->took_us));
		before->took_us = r->took_us[s];
		if (one)
			break;
	}
	while ((s = take_lowest(grew)) < HLOG_SERIES)
		at = put_number(at, r->growth[s]);
	return at;
}

static size_t encode_record(
	unsigned char *dst, const struct hlog_record *r, struct hlog_before *before)
{
	bool one, other = !same_map(r->has, before->has), gaps = !map_is_empty(r->gap);
	unsigned char *at = dst;
	uint64_t moved[HLOG_WORDS];

	moved_of(r, moved, &one);
	/* The time has a number of its own: it may need all 64 bits. */
	*at++ = (unsigned char)((gaps ? HAS_GAPS : 0) | (other ? OTHER_HAS : 0) |
				(one ? 0 : OWN_TIMES));
	at = put_number(at, time_delta(r->at_ms, before->at_ms));
	if (gaps)
		at = put_map(at, r->gap);
	if (other)
		at = put_map(at, r->has);
	if (!map_is_empty(r->has))
		at = put_growth(at, r, before, moved, one);
	before->at_ms = r->at_ms;
	memcpy(before->has, r->has, sizeof(before->has));
	return (size_t)(at - dst);
}

static const unsigned char *get_growth(const unsigned char *at, const unsigned char *end,
	struct hlog_before *before, bool one, struct hlog_record *r)
{
	uint64_t left[HLOG_WORDS] = {r->has[0], r->has[1]}, moved[HLOG_WORDS], step;
	bool first = true;
	unsigned s;

	at = get_map(at, end, moved);
	if (!at || moved[0] & ~r->has[0] || moved[1] & ~r->has[1])
		return NULL;
	while ((s = take_lowest(left)) < HLOG_SERIES) {
		if (first || !one) {
			at = get_number(at, end, &step);
			if (!at)
				return NULL;
			before->took_us = time_after(before->took_us, step);
			if (before->took_us <= 0)
				return NULL;
		}
		first = false;
		r->took_us[s] = before->took_us;
		r->growth[s] = 0;
	}
	while ((s = take_lowest(moved)) < HLOG_SERIES) {
		at = get_number(at, end, &r->growth[s]);
		if (!at || !r->growth[s])
			return NULL;
	}
	return at;
}

static const unsigned char *decode_record(const unsigned char *at, const unsigned char *end,
	struct hlog_before *before, struct hlog_record *r)
{
	unsigned char head;
	uint64_t step;

	if (at == end)
		return NULL;
	head = *at++;
	if (head >> HEAD_BITS)
		return NULL;
	at = get_number(at, end, &step);
	r->at_ms = time_after(before->at_ms, step);
	r->gap[0] = r->gap[1] = 0;
	memcpy(r->has, before->has, sizeof(r->has));
	if (at && head & HAS_GAPS)
		at = get_map(at, end, r->gap);
	if (at && head & OTHER_HAS)
		at = get_map(at, end, r->has);
	if (at && !map_is_empty(r->has))
		at = get_growth(at, end, before, !(head & OWN_TIMES), r);
	before->at_ms = r->at_ms;
	memcpy(before->has, r->has, sizeof(before->has));
	return at;
}

/* ---- blocks ---- */

static struct hlog_before start_of(const struct hlog_block *b)
{
	return (struct hlog_before){.at_ms = b->first_ms};
}

enum { END_KNOWN, END_LOADED, END_BROKEN };

static bool block_valid(
	const struct hlog_block *b, unsigned series, struct hlog_record *r, struct hlog_before *at);

/* After blocks were loaded: finds the record that the next one is encoded against. */
static void find_end(struct hlog *l)
{
	struct hlog_record r;

	if (l->end != END_LOADED)
		return;
	l->end = !l->last || block_valid(l->last, HLOG_SERIES, &r, &l->before) ? END_KNOWN
									       : END_BROKEN;
}

void hlog_loaded(struct hlog *l)
{
	l->end = END_LOADED;
}

#define ROOM (HLOG_BLOCK - sizeof(struct hlog_block))

static uint16_t size_for(size_t n)
{
	return (uint16_t)(n > ROOM ? n : ROOM);
}

/* Encodes the record: it continues the last block or begins the next one. */
size_t hlog_tell(struct hlog *l, const struct hlog_record *r, struct hlog_told *told)
{
	find_end(l);
	if (l->last && l->end == END_KNOWN) {
		told->after = l->before;
		told->n = encode_record(told->bytes, r, &told->after);
		told->fits = told->n <= (size_t)(l->last->size - l->last->used);
		if (told->fits)
			return 0;
	}
	told->fits = false;
	told->after = (struct hlog_before){.at_ms = r->at_ms};
	told->n = encode_record(told->bytes, r, &told->after);
	return sizeof(struct hlog_block) + size_for(told->n);
}

/* With malloc()'s eight bytes this makes 128, 256 and 512. */
#define ROOM_FIRST (128 - 8 - sizeof(struct hlog_block))
/* The first blocks of a log may begin small. More of them would cost: hlog_room() searches for a
 * growing block from the first one on. */
#define SMALL_MOST 4

static uint16_t room_for(const struct hlog *l, uint16_t size, uint16_t bytes)
{
	size_t room = l->blocks <= SMALL_MOST ? ROOM_FIRST : size;

	while (room < bytes)
		room = 2 * room + sizeof(struct hlog_block) + 8;
	return room < size ? (uint16_t)room : size;
}

struct hlog_block *hlog_room(struct hlog *l, uint16_t bytes)
{
	struct hlog_block *b = l->last, **at = &l->first;
	uint16_t room;

	if (bytes <= b->room)
		return b;
	room = room_for(l, b->size, bytes);
	while (*at != b)
		at = &(*at)->next;
	b = *at = l->last = mem_realloc(b, 1, sizeof(*b) + room);
	b->room = room;
	return b;
}

static struct hlog_block *add_block(struct hlog *l, uint16_t size, uint16_t bytes)
{
	struct hlog_block *b;
	uint16_t room;

	l->blocks++;
	room = room_for(l, size, bytes);
	b = mem_alloc(sizeof(*b) + room);
	*b = (struct hlog_block){.size = size, .room = room};
	if (l->last)
		l->last->next = b;
	else
		l->first = b;
	l->last = b;
	l->bytes += (uint32_t)(sizeof(*b) + size);
	return b;
}

struct hlog_block *hlog_add_block(struct hlog *l, uint16_t size, uint16_t used)
{
	/* A larger block is full: it was made for its single record. */
	if (size != ROOM && (size < ROOM || size > HLOG_RECORD_MOST || used != size))
		return NULL;
	return add_block(l, size, used);
}

size_t hlog_take(struct hlog *l, const struct hlog_record *r, const struct hlog_told *told)
{
	size_t got = 0;

	if (!told->fits) {
		(void)add_block(l, size_for(told->n), (uint16_t)told->n);
		l->last->first_ms = r->at_ms;
		l->end = END_KNOWN;
		got = sizeof(*l->last) + l->last->size;
	}
	(void)hlog_room(l, (uint16_t)(l->last->used + told->n));
	memcpy(l->last->data + l->last->used, told->bytes, told->n);
	l->last->used = (uint16_t)(l->last->used + told->n);
	l->last->records++;
	l->last->last_ms = r->at_ms;
	l->before = told->after;
	l->records++;
	return got;
}

size_t hlog_append(struct hlog *l, const struct hlog_record *r)
{
	struct hlog_told told;

	(void)hlog_tell(l, r, &told);
	return hlog_take(l, r, &told);
}

size_t hlog_drop(struct hlog *l)
{
	struct hlog_block *b = l->first;
	size_t n;

	if (!b)
		return 0;
	n = sizeof(*b) + b->size;
	l->first = b->next;
	if (!l->first)
		l->last = NULL;
	l->records -= b->records;
	l->blocks--;
	l->bytes -= (uint32_t)n;
	l->dropped++;
	free(b);
	return n;
}

size_t hlog_bytes(const struct hlog *l)
{
	return l->bytes;
}

void hlog_free(struct hlog *l)
{
	while (l->first)
		(void)hlog_drop(l);
	memset(l, 0, sizeof(*l));
}

/* ---- reading ---- */

void hlog_read(struct hlog_reader *r, const struct hlog *l, uint32_t newest)
{
	uint32_t left = l->records;

	*r = (struct hlog_reader){.block = l->first};
	while (r->block && r->block->next && left - r->block->records >= newest) {
		left -= r->block->records;
		r->block = r->block->next;
	}
	if (r->block)
		r->before = start_of(r->block);
}

bool hlog_next(struct hlog_reader *r, struct hlog_record *out)
{
	const unsigned char *at;

	while (r->block && r->at >= r->block->used) {
		r->block = r->block->next;
		r->at = r->record = 0;
		if (r->block)
			r->before = start_of(r->block);
	}
	if (!r->block)
		return false;
	at = decode_record(
		r->block->data + r->at, r->block->data + r->block->used, &r->before, out);
	if (!at || out->at_ms < 0 || out->at_ms > HLOG_MS_MOST) {
		r->bad = true;
		r->block = NULL;
		return false;
	}
	r->at = (uint16_t)(at - r->block->data);
	r->record++;
	return true;
}

static bool has_series_from(const uint64_t *map, unsigned series)
{
	for (unsigned s = series; s < HLOG_SERIES; s++)
		if (hlog_bit(map, s))
			return true;
	return false;
}

static bool block_valid(
	const struct hlog_block *b, unsigned series, struct hlog_record *r, struct hlog_before *at)
{
	const unsigned char *byte = b->data, *end = b->data + b->used;
	unsigned n = 0;

	for (*at = start_of(b); byte < end; n++) {
		byte = decode_record(byte, end, at, r);
		if (!byte || r->at_ms < 0 || r->at_ms > HLOG_MS_MOST ||
			has_series_from(r->has, series) || has_series_from(r->gap, series) ||
			(!n && r->at_ms != b->first_ms))
			return false;
	}
	return n && n == b->records && at->at_ms == b->last_ms;
}

bool hlog_valid(struct hlog *l, const struct hlog_block *from, unsigned series)
{
	struct hlog_before before = {0};
	struct hlog_record r;

	for (const struct hlog_block *b = from; b; b = b->next)
		if (!block_valid(b, series, &r, &before))
			return false;
	if (from) {
		l->before = before;
		l->end = END_KNOWN;
	}
	return true;
}
