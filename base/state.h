/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

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

/* A number as its difference from near: a small one takes few bytes. */
void state_near(struct state *s, int64_t *v, int64_t near);
void state_near32(struct state *s, int32_t *v, int32_t near);
/* An id below limit, or UINT32_MAX, as its difference from near. */
void state_near_id(struct state *s, uint32_t *v, uint32_t near, size_t limit);
/* A time in microseconds as its difference from near; 0 means never and takes one byte. */
void state_time(struct state *s, int64_t *v, int64_t near);
void state_i16(struct state *s, int16_t *v);
/* A byte below limit. */
void state_small(struct state *s, uint8_t *v, unsigned limit);
/* A real; NAN and 0 take one byte. */
void state_real(struct state *s, float *v);
/* The same in two steps, for a caller that packs the kind into a byte of its own. */
enum { STATE_REAL_NAN, STATE_REAL_ZERO, STATE_REAL_BITS, STATE_REAL_KINDS };
unsigned state_real_kind(float v);
void state_real_of_kind(struct state *s, float *v, unsigned kind);
/* True for the NAN of the macro, compared bit by bit. */
bool state_is_nan(float v);
/*
 * A wall time, or 0. Times further from 1970 than STATE_WALL_MOST_US are bad: sums and differences
 * of a few such times must not overflow.
 */
#define STATE_WALL_MOST_US (INT64_C(1) << 60)
void state_wall(struct state *s, int64_t *us);

/*
 * A guard in each function or file that visits a structure: the build fails when the structure has
 * grown. Visit the new field, then change the number. The numbers hold where pointers have 8 bytes.
 */
#define STATE_SIZE(type, size)                                                                     \
	_Static_assert(sizeof(void *) != 8 || sizeof(type) == (size),                              \
		"visit the new field of " #type ", then change this")

/* An enum: visits it as a number below limit. */
#define STATE_ENUM(s, lvalue, limit)                                                               \
	do {                                                                                       \
		uint32_t state_value_ = (uint32_t)(lvalue);                                        \
		state_below((s), &state_value_, (uint32_t)(limit));                                \
		if ((s)->loading)                                                                  \
			(lvalue) = (__typeof__(lvalue))state_value_;                               \
	} while (0)

/* The elements of a VEC, at most most: the rest of the arguments visits *element. */
#define STATE_LIST(s, list, most, element, ...)                                                    \
	do {                                                                                       \
		size_t state_n_ = (list)->n;                                                       \
                                                                                                   \
		state_count((s), &state_n_, (most));                                               \
		if ((s)->loading)                                                                  \
			(list)->n = 0;                                                             \
		for (size_t state_i_ = 0; state_i_ < state_n_ && !(s)->bad; state_i_++) {          \
			__typeof__((list)->at) element =                                           \
				(s)->loading ? vec_add(list) : &(list)->at[state_i_];              \
                                                                                                   \
			__VA_ARGS__;                                                               \
		}                                                                                  \
	} while (0)

#endif
