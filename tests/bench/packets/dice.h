/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_BENCH_PACKETS_DICE_H
#define TESTS_BENCH_PACKETS_DICE_H

#include <stdint.h>

/* Numbers drawn from a seed, the same on every machine. */
struct dice {
	uint64_t state;
};

static inline uint32_t dice_mix(uint32_t h)
{
	h ^= h >> 16;
	h *= 0x7feb352dU;
	h ^= h >> 15;
	h *= 0x846ca68bU;
	return h ^ h >> 16;
}

static inline uint32_t dice_word(struct dice *d)
{
	d->state = d->state * 6364136223846793005ULL + 1442695040888963407ULL;
	return dice_mix((uint32_t)(d->state >> 32));
}

static inline struct dice dice_of(uint64_t seed, uint32_t salt)
{
	struct dice d = {seed * 0x9e3779b97f4a7c15ULL ^ salt};

	(void)dice_word(&d);
	return d;
}

/* From lowest to highest, both too. */
static inline int dice_int(struct dice *d, int lowest, int highest)
{
	return lowest + (int)(dice_word(d) % (uint32_t)(highest - lowest + 1));
}

static inline double dice_real(struct dice *d, double lowest, double highest)
{
	return lowest + (highest - lowest) * dice_word(d) / 4294967296.0;
}

#endif
