/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_STATE_H
#define BASE_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/vec.h"

/*
 * Serialises a program's state. One function visits the fields of a structure for both saving and
 * loading, so the two cannot drift apart.
 *
 *   static void state_mark(struct state *s, struct mark *k)
 *   {
 *           state_text(s, k->name, sizeof(k->name));
 *           state_i64(s, &k->wall_us);
 *   }
 *
 * Loaded bytes may come from anywhere: a value that is too short, too large or out of range sets
 * bad, and every later value is zero or empty. So loops bounded by a loaded count end, and one
 * check of bad after a structure is enough. Check indices with state_below(). Numbers are variable
 * in length (7 bits a byte, signed ones zigzag). Reals are their IEEE 754 bits, little endian: a
 * NAN keeps its payload. Saving writes to none of the fields, because another thread may read them
 * meanwhile.
 */
struct state {
	bool loading;
	bool bad; /* saving: out is full, or a value is out of its range; loading: these are not the
		     bytes that were saved */
	struct buf *out;
	const unsigned char *at, *end;
	/*
	 * Rewrites a loaded text in place, to remove names from exported data. The result must fit
	 * into size and be terminated. NULL: none.
	 */
	void (*rewrite)(void *ctx, char *text, size_t size);
	/* Maps a number that was derived from such texts, see state_key(). NULL: it stays. */
	uint64_t (*rekey)(void *ctx, uint64_t key);
	void *ctx;
};

void state_saves(struct state *s, struct buf *out); /* appends to out */
/* Loads from n bytes, which must outlive the loading. */
void state_loads(struct state *s, const void *bytes, size_t n);
/* Whether loading took every byte and none was bad. */
bool state_ended(const struct state *s);

void state_u8(struct state *s, uint8_t *v);
void state_u16(struct state *s, uint16_t *v);
void state_u32(struct state *s, uint32_t *v);
void state_u64(struct state *s, uint64_t *v);
/* A number derived from texts, such as their hash. */
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
/* A count of following items, at most most; each item takes a byte or more of the rest. */
void state_count(struct state *s, size_t *n, size_t most);
/* A terminated text in a buffer of its own size. Loading refuses ASCII control characters; other
 * bytes that str_sanitise() replaces become '?'. */
void state_text(struct state *s, char *text, size_t size);
/* A text on the heap, may be NULL, of at most most bytes. Loading frees the old text. */
void state_owned(struct state *s, char **text, size_t most);
/* Bytes as they are. */
void state_bytes(struct state *s, void *p, size_t n);

/*
 * Saves many numbers at once, for loading by state_u64(). state_room() makes room for n numbers;
 * NULL where out may not grow so far: then save each by itself. state_put() writes one number and
 * returns the place of the next. state_put_to() takes the final place.
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
/* Loads one number, as state_u64() does. */
static inline uint64_t state_get(struct state *s)
{
	uint64_t v = 0;

	for (unsigned shift = 0; !s->bad && s->at < s->end && shift < 64; shift += 7) {
		unsigned char byte = *s->at++;

		/* The tenth byte has room for one bit only. */
		if (shift == 63 && byte > 1)
			break;
		v |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return v;
	}
	s->bad = true;
	return 0;
}
/* The encoding of state_i64(). */
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

/* Visits the elements of a VEC, at most most: the further arguments visit *element. */
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
