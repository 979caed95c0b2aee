/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector_schedule.h"

#include <string.h>

#include "base/clock.h"

#define PERIODIC_TIERS (POLL_SLOW + 1)
#define BACKOFF_FIRST_US        (1 * CLOCK_SEC)
#define BACKOFF_LONGEST_US      (48 * CLOCK_SEC)
#define BACKOFF_UNAUTHORISED_US (40 * CLOCK_SEC)

void schedule_init(struct schedule *s, int64_t interval_us, unsigned index, unsigned count)
{
	memset(s, 0, sizeof(*s));
	s->interval_us = interval_us > 0 ? interval_us : CLOCK_SEC;
	s->index = index;
	s->count = count ? count : 1;
}

int64_t schedule_first_us(const struct schedule *s)
{
	int64_t span = s->interval_us < CLOCK_SEC ? s->interval_us : CLOCK_SEC;

	return span * s->index / s->count;
}

void schedule_start(struct schedule *s, int64_t now_us)
{
	s->active = true;
	for (int t = 0; t < PERIODIC_TIERS; t++) {
		s->due[t] = now_us;
		s->busy[t] = false;
	}
}

void schedule_stop(struct schedule *s)
{
	s->active = false;
	memset(s->busy, 0, sizeof(s->busy));
}

static bool available(const struct schedule *s, enum poll_tier t)
{
	return s->active && !s->busy[t] && !(s->once && s->done[t]);
}

int schedule_take(struct schedule *s, int64_t now_us)
{
	static const enum poll_tier order[] = {POLL_SLOW, POLL_FAST, POLL_MEDIUM};

	for (int i = 0; i < PERIODIC_TIERS; i++) {
		enum poll_tier t = order[i];

		if (available(s, t) && s->due[t] <= now_us) {
			s->busy[t] = true;
			return (int)t;
		}
	}
	return -1;
}

static int64_t period(const struct schedule *s, enum poll_tier t)
{
	if (t == POLL_SLOW)
		return POLL_SLOW_US;
	if (t == POLL_MEDIUM)
		return POLL_MEDIUM_US;
	if (s->focused && s->interval_us > FOCUS_INTERVAL_US)
		return FOCUS_INTERVAL_US;
	return s->interval_us;
}

/* The first moment at least half a period away that has this device's phase. */
static int64_t next_place(int64_t now_us, int64_t every, int64_t phase)
{
	int64_t from = now_us + every / 2;
	int64_t past = (from - phase) % every;

	if (past < 0)
		past += every;
	return past ? from - past + every : from;
}

void schedule_done(struct schedule *s, enum poll_tier tier, int64_t now_us)
{
	int64_t every = period(s, tier);
	int64_t phase = every * s->index / s->count;
	int64_t due = s->due[tier] + every;

	s->busy[tier] = false;
	s->done[tier] = true;
	/* Keep the place in the grid; where it was missed (or never taken), find the next one. */
	if (due <= now_us || (due - phase) % every != 0)
		due = next_place(now_us, every, phase);
	s->due[tier] = due;
}

int64_t schedule_next_us(const struct schedule *s)
{
	int64_t first = INT64_MAX;

	for (int t = 0; t < PERIODIC_TIERS; t++)
		if (available(s, (enum poll_tier)t) && s->due[t] < first)
			first = s->due[t];
	return first;
}

bool schedule_finished(const struct schedule *s)
{
	bool all = s->once;

	for (int t = 0; t < PERIODIC_TIERS; t++)
		all = all && s->done[t];
	return all;
}

void schedule_focus(struct schedule *s, bool focused, int64_t now_us)
{
	if (s->focused == focused)
		return;
	s->focused = focused;
	if (focused)
		schedule_now(s, now_us);
}

void schedule_now(struct schedule *s, int64_t now_us)
{
	if (s->due[POLL_FAST] > now_us)
		s->due[POLL_FAST] = now_us;
}

int64_t backoff_us(unsigned failures, enum err_code why, uint32_t random)
{
	int64_t wait = BACKOFF_FIRST_US;

	for (unsigned i = 1; i < failures && wait < BACKOFF_LONGEST_US; i++)
		wait *= 2;
	if (why == ERR_UNAUTHORISED && wait < BACKOFF_UNAUTHORISED_US)
		wait = BACKOFF_UNAUTHORISED_US;
	if (wait > BACKOFF_LONGEST_US)
		wait = BACKOFF_LONGEST_US;
	/* Devices that failed together must not come back together. */
	return wait + (wait / 2) * (int64_t)(random % 1001) / 1000 - wait / 4;
}
