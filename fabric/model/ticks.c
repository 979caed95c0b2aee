/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "fabric/model/counts_internal.h"

/*
 * Counts the refresh periods between two polls of a device that refreshes periodically without
 * sending times. Two polls that saw the counters move lie `raw` periods apart. The refreshes lie a
 * whole number of periods apart: raw rounded down or up. Let f be the fraction: without other
 * knowledge, up has probability f. Traffic tells more: the number with the steadier rate is
 * likelier. STEADY is the weight of a change of rate by a factor e: with whole periods, rates of
 * steady traffic agree to the last digit.
 */
#define STEADY      40.0
#define MOST_CHANCE 0.999
#define LOST        600 /* periods: after such a long pause the expectation is void */

static double interval_cost(
	double periods, double period_s, double grown, double expected, double chance)
{
	double change = 0;

	if (grown > 0 && expected > 0)
		change = fabs(log(grown / (periods * period_s * expected)));
	return STEADY * change - log(chance);
}

static double periods_of(int64_t raw, int64_t period, double grown, double expected)
{
	int64_t down = raw / period;
	double whole = (double)down, left = (double)(raw - down * period) / (double)period;
	double seconds = (double)period / 1e6, up = fmin(fmax(left, 1 - MOST_CHANCE), MOST_CHANCE);

	if (down < 1)
		return 1;
	return interval_cost(whole, seconds, grown, expected, 1 - up) <=
			       interval_cost(whole + 1, seconds, grown, expected, up)
		       ? whole
		       : whole + 1;
}

void batch_ticks(struct batch *b)
{
	for (unsigned g = 0; g < GROUP_COUNT; g++) {
		int64_t period = (int64_t)b->o->refresh_ms[g] * 1000, raw;

		if (!period || !(b->group_changed & (1U << g)))
			continue;
		b->moved_before[g] = b->d->moved_us[g];
		b->d->moved_us[g] = b->sample;
		raw = b->sample - b->moved_before[g];
		if (!b->moved_before[g] || raw <= 0 || raw / period > LOST)
			continue;
		b->elapsed[g] =
			(int64_t)periods_of(raw, period, b->grown[g], b->expected[g]) * period;
	}
}

/*
 * One request reads the bytes of a port, another its pauses. A pause counter that stands still
 * looks like a group without refresh, while the bytes show the refresh. A refresh may fall between
 * the two answers, so only the second unchanged answer counts as still.
 */
#define STILL 2

static uint32_t name_hash(const char *name)
{
	uint32_t h = 2166136261U; /* FNV-1a */

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619U;
	return h ? h : 1;
}

static struct refresh_look *find_look(struct batch *b)
{
	struct device *d = b->d;
	uint32_t hash = name_hash(b->o->request);
	bool numbers = b->kinds & (1U << OBS_COUNT | 1U << OBS_GAUGE | 1U << OBS_VALID);

	/* A request without numbers has nothing to compare. A partial batch may name none. */
	if (!b->o->unchanged_rest && !numbers)
		return NULL;
	for (size_t i = 0; i < DEVICE_LOOKS; i++) {
		struct refresh_look *l = &d->looks[i];

		if (l->request == hash)
			return l;
		if (l->request)
			continue;
		if (!numbers)
			return NULL;
		l->request = hash;
		memcpy(l->refreshes, d->refreshes, sizeof(l->refreshes));
		return l;
	}
	return NULL;
}

void batch_looks(struct batch *b)
{
	b->look = find_look(b);
	b->look_no = b->look ? (uint8_t)(b->look - b->d->looks + 1) : 0;
	b->rest = b->o->unchanged_rest && b->look && b->look->told_us &&
		  b->look->number + 1 == b->o->number;
	for (unsigned g = 0; b->look && g < GROUP_COUNT; g++)
		if (~b->group_changed & (1U << g) &&
			b->d->refreshes[g] - b->look->refreshes[g] >= STILL &&
			(b->group_carried & (1U << g) || rest_carries(b, g)))
			b->group_passed |= 1U << g;
}

void batch_looked(struct batch *b, unsigned refreshed)
{
	for (unsigned g = 0; g < GROUP_COUNT; g++) {
		b->d->refreshes[g] += refreshed >> g & 1U;
		if (b->look && (b->group_changed | b->group_passed) & (1U << g))
			b->look->refreshes[g] = b->d->refreshes[g];
	}
	if (b->look) {
		b->look->told_us = b->received;
		b->look->number = b->o->number;
	}
}
