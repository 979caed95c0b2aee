/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/state.h"

void state_near(struct state *s, int64_t *v, int64_t near)
{
	/* Unsigned: hostile times may lie further apart than a signed number can hold. */
	int64_t by = (int64_t)((uint64_t)*v - (uint64_t)near);

	state_i64(s, &by);
	*v = s->bad && s->loading ? 0 : (int64_t)((uint64_t)near + (uint64_t)by);
}

void state_near32(struct state *s, int32_t *v, int32_t near)
{
	int64_t wide = *v;

	state_near(s, &wide, near);
	if (wide < INT32_MIN || wide > INT32_MAX) {
		s->bad = true;
		wide = 0;
	}
	*v = (int32_t)wide;
}

void state_near_id(struct state *s, uint32_t *v, uint32_t near, size_t limit)
{
	int64_t wide = *v == UINT32_MAX ? -1 : (int64_t)*v;

	state_near(s, &wide, near == UINT32_MAX ? -1 : (int64_t)near);
	if (wide < -1 || wide >= (int64_t)limit) {
		s->bad = true;
		wide = -1;
	}
	*v = wide < 0 ? UINT32_MAX : (uint32_t)wide;
}

/* Differences of two such times must fit as well; no real time is further from 1970. */
#define TIME_MOST (INT64_MAX / 4)

void state_time(struct state *s, int64_t *v, int64_t near)
{
	/* Code 0 means never, so other codes are shifted by one. */
	int64_t t = *v < -TIME_MOST ? -TIME_MOST : *v > TIME_MOST ? TIME_MOST : *v;
	uint64_t by = (uint64_t)t - (uint64_t)near;
	uint64_t code = t ? (by >> 63 ? ~(by << 1) : by << 1) + 1 : 0;

	state_u64(s, &code);
	if (!s->loading)
		return;
	by = code - 1;
	by = by & 1 ? ~(by >> 1) : by >> 1;
	*v = code ? (int64_t)((uint64_t)near + by) : 0;
	if (*v < -TIME_MOST || *v > TIME_MOST) {
		s->bad = true;
		*v = 0;
	}
}

void state_i16(struct state *s, int16_t *v)
{
	int32_t wide = *v;

	state_near32(s, &wide, 0);
	if (wide < INT16_MIN || wide > INT16_MAX) {
		s->bad = true;
		wide = 0;
	}
	*v = (int16_t)wide;
}

static uint32_t bits_of(float v)
{
	uint32_t bits;

	memcpy(&bits, &v, sizeof(bits));
	return bits;
}

bool state_is_nan(float v)
{
	return bits_of(v) == bits_of(NAN);
}

unsigned state_real_kind(float v)
{
	return state_is_nan(v) ? STATE_REAL_NAN : bits_of(v) ? STATE_REAL_BITS : STATE_REAL_ZERO;
}

void state_real_of_kind(struct state *s, float *v, unsigned kind)
{
	if (kind == STATE_REAL_BITS)
		state_f32(s, v);
	else
		*v = kind == STATE_REAL_NAN ? NAN : 0;
}

void state_real(struct state *s, float *v)
{
	uint32_t kind = state_real_kind(*v);

	state_below(s, &kind, STATE_REAL_KINDS);
	state_real_of_kind(s, v, kind);
}

void state_small(struct state *s, uint8_t *v, unsigned limit)
{
	uint32_t wide = *v;

	state_below(s, &wide, limit);
	*v = (uint8_t)wide;
}

void state_wall(struct state *s, int64_t *us)
{
	state_i64(s, us);
	if (!s->loading || (*us <= STATE_WALL_MOST_US && *us >= -STATE_WALL_MOST_US))
		return;
	s->bad = true;
	*us = 0;
}
