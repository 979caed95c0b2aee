/* SPDX-License-Identifier: Apache-2.0 */
#include <endian.h>
#include <string.h>

#include "archive/codec/batch_codec_internal.h"

/*
 * What each stream said last, in as few bytes as are quick to read back and to change: most slots
 * are zeros beside zeros. Eight slots are a byte that says how many bytes they take, and unless
 * that is 1 four bits for each (1 to 8: so many bytes, else none), then these bytes. So eight can
 * be passed by, a number be put in the place of another one, and no step depends on what a number
 * is: a processor cannot foretell counters.
 *
 * First come those of the head, which are read and written always; there, of ports' times, SAME is
 * what the slot before is. Then, from a group of its own on, all others.
 */
#define GROUP 8U
#define SAME  9U
/* Reading or writing a number takes eight bytes, however long it is. */
#define SPARE sizeof(uint64_t)
#define HEAD  5U
/* Bytes of a full group whose numbers are all as long as can be. */
#define GROUP_MOST (HEAD + GROUP * sizeof(uint64_t))

static const uint8_t bytes_of[16] = {
	[1] = 1, [2] = 2, [3] = 3, [4] = 4, [5] = 5, [6] = 6, [7] = 7, [8] = 8};

/* Of the number that so many bytes hold. */
static const uint64_t mask_of[16] = {[1] = UINT64_MAX >> 56,
	[2] = UINT64_MAX >> 48,
	[3] = UINT64_MAX >> 40,
	[4] = UINT64_MAX >> 32,
	[5] = UINT64_MAX >> 24,
	[6] = UINT64_MAX >> 16,
	[7] = UINT64_MAX >> 8,
	[8] = UINT64_MAX};

static unsigned length(uint64_t v)
{
	return v ? (unsigned)(71 - __builtin_clzll(v)) / 8 : 0;
}

static uint32_t load_lengths(const unsigned char *group)
{
	uint32_t le;

	memcpy(&le, group + 1, sizeof(le));
	return le32toh(le);
}

static void store_lengths(unsigned char *group, uint32_t lengths)
{
	uint32_t le = htole32(lengths);

	memcpy(group + 1, &le, sizeof(le));
}

static uint64_t load(const unsigned char *at)
{
	uint64_t le;

	memcpy(&le, at, sizeof(le));
	return le64toh(le);
}

static void store(unsigned char *at, uint64_t v)
{
	uint64_t le = htole64(v);

	memcpy(at, &le, sizeof(le));
}

/* Returns how many bytes; dst has room for SPARE more than GROUP_MOST. NULL: nothing is SAME. */
static size_t pack_group(unsigned char *dst, const uint64_t *now, size_t n, uint64_t *last)
{
	unsigned char *at = dst + HEAD;
	uint32_t lengths = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t v = now[i];
		unsigned how = length(v);

		if (last) {
			how = v && v == *last ? SAME : how;
			*last = v;
		}
		lengths |= (uint32_t)how << 4 * i;
		store(at, v);
		at += bytes_of[how];
	}
	dst[0] = lengths ? (unsigned char)(at - dst) : 1;
	if (lengths)
		store_lengths(dst, lengths);
	return dst[0];
}

/* Returns where the next one begins. */
static const unsigned char *unpack_group(
	const unsigned char *group, uint64_t *to, size_t n, uint64_t *last)
{
	const unsigned char *at = group + HEAD;
	uint32_t lengths = group[0] > 1 ? load_lengths(group) : 0;

	for (size_t i = 0; i < n; i++) {
		unsigned how = lengths >> 4 * i & 15U;
		uint64_t v = how ? load(at) & mask_of[how] : 0;

		if (last)
			v = *last = how == SAME ? *last : v;
		at += bytes_of[how];
		to[i] = v;
	}
	return group + group[0];
}

/* Slots from .. end of c->now, at c->pack[to]; returns where they end. */
static size_t pack(struct coder *c, size_t from, size_t end, bool head, size_t to)
{
	uint64_t last = 0;

	for (size_t i = from; i < end; i += GROUP)
		to += pack_group(c->pack.at + to, c->now.at + i, end - i < GROUP ? end - i : GROUP,
			head ? &last : NULL);
	return to;
}

static const unsigned char *unpack(
	struct coder *c, const unsigned char *at, size_t from, size_t end, bool head)
{
	uint64_t last = 0;

	for (size_t i = from; i < end; i += GROUP)
		at = unpack_group(at, c->before.at + i, end - i < GROUP ? end - i : GROUP,
			head ? &last : NULL);
	return at;
}

static void expect(struct coder *c, size_t slots)
{
	vec_reserve(&c->pack, (slots / GROUP + 2) * GROUP_MOST + SPARE);
}

/* Memory for so many bytes of packed, and not for many more. */
static void fit(struct coder *c, struct stream *st, size_t n)
{
	/* Counters grow: not each digit more is to move it. */
	size_t size = n + n / 16 + SPARE;

	if (n + SPARE <= st->size && size >= st->size / 2)
		return;
	st->packed = mem_realloc(st->packed, size, 1);
	c->bytes += size;
	c->bytes -= st->size;
	st->size = size;
}

void coder_remember(struct coder *c, struct stream *st, const struct shape *h)
{
	size_t head = shape_head(h), n;

	expect(c, h->slots);
	n = pack(c, 0, head, true, 0);
	n = pack(c, head, h->slots, false, n);
	fit(c, st, n);
	memcpy(st->packed, c->pack.at, n);
	memset(st->packed + n, 0, SPARE);
	st->used = n;
	st->shape = h;
	st->said = true;
}

const uint64_t *coder_before(struct coder *c, const struct stream *st)
{
	size_t head = shape_head(st->shape);

	vec_reserve(&c->before, st->shape->slots);
	(void)unpack(c, unpack(c, st->packed, 0, head, true), head, st->shape->slots, false);
	return c->before.at;
}

/* ---- some of it ---- */

/* What begins there is elsewhere, by so many bytes: after them is what was after what they replace.
 */
static void move(struct coder *c, struct stream *st, size_t at, size_t was, size_t is)
{
	size_t after = st->used - at - was;

	if (is > was)
		fit(c, st, st->used + is - was);
	memmove(st->packed + at + is, st->packed + at + was, after);
	st->used = at + is + after;
	memset(st->packed + st->used, 0, SPARE);
}

const uint64_t *coder_before_head(struct coder *c, const struct stream *st)
{
	size_t head = shape_head(st->shape);

	vec_reserve(&c->before, head);
	(void)unpack(c, st->packed, 0, head, true);
	return c->before.at;
}

void coder_change_begin(struct changing *g, struct coder *c, struct stream *st)
{
	size_t head = shape_head(st->shape), was, is;
	const unsigned char *end = st->packed;

	expect(c, head);
	is = pack(c, 0, head, true, 0);
	for (size_t i = 0; i < head; i += GROUP)
		end += end[0];
	was = (size_t)(end - st->packed);
	if (is != was)
		move(c, st, 0, was, is);
	memcpy(st->packed, c->pack.at, is);
	*g = (struct changing){.c = c, .st = st, .slot = head, .at = is};
}

/* Of the slots of a group before one, by four bits of each; none is SAME. */
static size_t bytes_before(uint32_t lengths, size_t slot)
{
	uint32_t those = lengths & ((UINT32_C(1) << 4 * slot) - 1);

	those = (those & UINT32_C(0x0f0f0f0f)) + (those >> 4 & UINT32_C(0x0f0f0f0f));
	return those * UINT32_C(0x01010101) >> 24;
}

/* The slot of the group at hand has a number of need bytes, which were fewer. */
static void widen(struct changing *g, size_t slot, unsigned was, unsigned need)
{
	struct stream *st = g->st;
	unsigned char *group = st->packed + g->at;
	uint32_t lengths = group[0] > 1 ? load_lengths(group) : 0;
	size_t from = group[0] > 1 ? HEAD + bytes_before(lengths, slot) : 1;
	size_t head = group[0] > 1 ? 0 : HEAD - 1;

	move(g->c, st, g->at + from, was, need + head);
	group = st->packed + g->at;
	group[0] = (unsigned char)(group[0] + head + need - was);
	store_lengths(group, lengths + ((need - was) << 4 * slot));
}

uint64_t coder_change(struct changing *g, size_t slot, uint64_t v)
{
	unsigned char *group = g->st->packed + g->at, *at;
	unsigned had, need = length(v);
	uint32_t lengths;
	uint64_t was, mask;

	for (; g->slot + GROUP <= slot; g->slot += GROUP)
		group += group[0];
	g->at = (size_t)(group - g->st->packed);
	slot -= g->slot;
	lengths = group[0] > 1 ? load_lengths(group) : 0;
	had = lengths >> 4 * slot & 15U;
	at = group + HEAD + bytes_before(lengths, slot);
	was = had ? load(at) & mask_of[had] : 0;
	/* What was longer stays so: it may be again. */
	if (need > had) {
		widen(g, slot, had, need);
		group = g->st->packed + g->at;
		at = group + HEAD + bytes_before(load_lengths(group), slot);
		had = need;
	}
	mask = mask_of[had];
	if (had)
		store(at, (load(at) & ~mask) | v);
	return was;
}
