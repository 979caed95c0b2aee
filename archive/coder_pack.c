/* SPDX-License-Identifier: Apache-2.0 */
#include <endian.h>
#include <string.h>

#include "archive/coder_internal.h"

/*
 * What each stream said last, in as few bytes as are quick to read back: most slots are zeros
 * beside zeros. Eight slots are a byte with a bit for each that is not what the one before it is,
 * then the lengths of those, two a byte, then as many bytes of each.
 */
#define GROUP 8U
/* Reading a number takes eight bytes, however long it is. */
#define SPARE sizeof(uint64_t)
/* Bytes of a full group whose numbers are all as long as can be. */
#define GROUP_MOST (1U + GROUP / 2 + GROUP * sizeof(uint64_t))

static unsigned length(uint64_t v)
{
	return v ? (unsigned)(71 - __builtin_clzll(v)) / 8 : 0;
}

/* Returns how many bytes; dst has room for SPARE more than GROUP_MOST. */
static size_t pack_group(unsigned char *dst, const uint64_t *now, size_t n, uint64_t *last)
{
	uint64_t differ[GROUP];
	unsigned char *at = dst + 1;
	unsigned count = 0, mask = 0;

	for (size_t i = 0; i < n; i++) {
		if (now[i] == *last)
			continue;
		mask |= 1U << i;
		differ[count++] = *last = now[i];
	}
	*dst = (unsigned char)mask;
	memset(at, 0, (count + 1) / 2);
	at += (count + 1) / 2;
	for (unsigned i = 0; i < count; i++) {
		unsigned bytes = length(differ[i]);
		uint64_t le = htole64(differ[i]);

		dst[1 + i / 2] |= (unsigned char)(bytes << i % 2 * 4);
		memcpy(at, &le, sizeof(le));
		at += bytes;
	}
	return (size_t)(at - dst);
}

static void keep(struct coder *c, struct stream *st, size_t n)
{
	/* Counters grow: not each digit more is to move it. */
	size_t size = n + n / 16 + SPARE;

	if (n + SPARE > st->size || size < st->size / 2) {
		free(st->packed);
		st->packed = mem_alloc(size);
		c->bytes += size;
		c->bytes -= st->size;
		st->size = size;
	}
	memcpy(st->packed, c->pack.at, n);
	memset(st->packed + n, 0, SPARE);
}

void coder_remember(struct coder *c, struct stream *st, const struct shape *h)
{
	uint64_t last = 0;
	size_t n = 0;

	vec_reserve(&c->pack, (h->slots / GROUP + 1) * GROUP_MOST + SPARE);
	for (size_t i = 0; i < h->slots; i += GROUP)
		n += pack_group(c->pack.at + n, c->now.at + i,
			h->slots - i < GROUP ? h->slots - i : GROUP, &last);
	keep(c, st, n);
	st->shape = h;
}

static const unsigned char *unpack_group(
	const unsigned char *at, uint64_t *to, size_t n, uint64_t *last)
{
	unsigned mask = *at++, count = 0;
	const unsigned char *lengths = at;

	for (unsigned left = mask; left; left &= left - 1)
		count++;
	at += (count + 1) / 2;
	count = 0;
	for (size_t i = 0; i < n; i++) {
		if (mask >> i & 1U) {
			unsigned bytes = (unsigned)lengths[count / 2] >> count % 2 * 4 & 15U;
			uint64_t le;

			memcpy(&le, at, sizeof(le));
			*last = bytes ? le64toh(le) & UINT64_MAX >> (64 - 8 * bytes) : 0;
			at += bytes;
			count++;
		}
		to[i] = *last;
	}
	return at;
}

const uint64_t *coder_before(struct coder *c, const struct stream *st)
{
	const unsigned char *at = st->packed;
	size_t slots = st->shape->slots;
	uint64_t last = 0;

	vec_reserve(&c->before, slots + 1);
	for (size_t i = 0; i < slots; i += GROUP)
		at = unpack_group(
			at, c->before.at + i, slots - i < GROUP ? slots - i : GROUP, &last);
	return c->before.at;
}
