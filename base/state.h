/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/*
 * What a program knows, as bytes: one function that visits the fields of a structure serves to save
 * it and to load it, so that the two cannot drift apart.
 *
 *   static void state_mark(struct state *s, struct mark *k)
 *   {
 *           state_text(s, k->name, sizeof(k->name));
 *           state_i64(s, &k->wall_us);
 *   }
 *
 * Bytes that are loaded may come from anywhere: what is too short, too large or out of its range
 * sets bad, and everything visited after that is zero and empty. So loops that a loaded count
 * bounds end, and one look at bad after a structure is enough; indices into something must be
 * checked by state_below(). Numbers are variable in length (7 bits a byte, signed ones zigzag),
 * reals are their IEEE 754 bits, little endian: NAN stays the NAN that it was. Saving writes to
 * none of the fields: another thread may read them meanwhile.
 */
struct state {
	bool loading;
	bool bad; /* saving: out is full, or a value is out of its range; loading: these are not the
		     bytes that were saved */
	struct buf *out;
	const unsigned char *at, *end;
	/*
	 * Rewrites a text after it was loaded, in place: what it becomes must fit into size and be
	 * terminated. For taking names out of what is passed on. NULL: none.
	 */
	void (*rewrite)(void *ctx, char *text, size_t size);
	/* What a number that was made of such texts becomes, see state_key(). NULL: it stays. */
	uint64_t (*rekey)(void *ctx, uint64_t key);
	void *ctx;
};

void state_saves(struct state *s, struct buf *out); /* appends to out */
/* The bytes must outlive the loading. */
void state_loads(struct state *s, const void *bytes, size_t n);
/* Loading, and every byte was taken, none was bad. */
bool state_ended(const struct state *s);

void state_u8(struct state *s, uint8_t *v);
void state_u16(struct state *s, uint16_t *v);
void state_u32(struct state *s, uint32_t *v);
void state_u64(struct state *s, uint64_t *v);
/* A number that stands for texts, such as a hash of them. */
void state_key(struct state *s, uint64_t *v);
void state_i32(struct state *s, int32_t *v);
void state_i64(struct state *s, int64_t *v);
void state_f32(struct state *s, float *v);
void state_f64(struct state *s, double *v);
void state_bool(struct state *s, bool *v);
/* An index below limit, or UINT32_MAX: none. */
void state_index(struct state *s, uint32_t *v, size_t limit);
/* A number below limit. */
void state_below(struct state *s, uint32_t *v, uint32_t limit);
/* A count of things that follow, at most most; each takes a byte or more of what is left. */
void state_count(struct state *s, size_t *n, size_t most);
/* A terminated text in a buffer of its own size; loading refuses control characters of ASCII, and
 * makes '?' of what else str_sanitise() does. */
void state_text(struct state *s, char *text, size_t size);
/* A text on the heap, NULL included, at most most bytes; what was there before is freed. */
void state_owned(struct state *s, char **text, size_t most);
/* Bytes as they are. */
void state_bytes(struct state *s, void *p, size_t n);

/*
 * Saving many numbers at once, to be loaded by state_u64(): state_room() for n of them, NULL where
 * out may not have that (then each by itself), state_put() for each from there on, which returns
 * where the next one goes, and state_put_to() with that in the end.
 */
#define STATE_NUMBER_MOST 10
char *state_room(struct state *s, size_t n);
void state_put_to(struct state *s, char *end);
static inline char *state_put(char *to, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*to++ = (char)(unsigned char)(v | 0x80);
	*to++ = (char)(unsigned char)v;
	return to;
}
/* What state_i64() makes of a number. */
static inline uint64_t state_zigzag(int64_t v)
{
	return v < 0 ? ~((uint64_t)v << 1) : (uint64_t)v << 1;
}

/* An enum: visits it as a number below limit. */
#define STATE_ENUM(s, lvalue, limit)                                                               \
	do {                                                                                       \
		uint32_t state_value_ = (uint32_t)(lvalue);                                        \
		state_below((s), &state_value_, (uint32_t)(limit));                                \
		if ((s)->loading)                                                                  \
			(lvalue) = (__typeof__(lvalue))state_value_;                               \
	} while (0)

#endif
