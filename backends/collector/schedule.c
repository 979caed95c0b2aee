/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/collector/schedule.h"

#include <string.h>

#include "base/clock.h"

#define BACKOFF_FIRST_US        (1 * CLOCK_SEC)
#define BACKOFF_LONGEST_US      (48 * CLOCK_SEC)
#define BACKOFF_UNAUTHORISED_US (40 * CLOCK_SEC)
#define REFUSALS_SPARED         3
#define BACKOFF_REFUSED_US      (600 * CLOCK_SEC)
#define FOLLOW_FIRST_US         (60 * CLOCK_SEC)
#define FOLLOW_LONGEST_US       (600 * CLOCK_SEC)
/* Time between the first polls of two devices of a large fabric. */
#define TURN_US (10 * CLOCK_MSEC)

/* Order of the tiers when several are due. */
static const enum poll_tier order[] = {POLL_FAST, POLL_SLOW, POLL_MEDIUM};
#define ORDER_COUNT ((int)(sizeof(order) / sizeof(order[0])))

static int64_t period_or(int64_t period_us, int64_t otherwise_us)
{
	return period_us > 0 ? period_us : otherwise_us;
}

void schedule_init(struct schedule *s, const struct plan_device *d, unsigned index, unsigned count)
{
	memset(s, 0, sizeof(*s));
	s->every_us[POLL_FAST] = period_or(d->interval_us, CLOCK_SEC);
	s->every_us[POLL_MEDIUM] = period_or(d->medium_us, POLL_MEDIUM_US);
	s->every_us[POLL_SLOW] = period_or(d->slow_us, POLL_SLOW_US);
	memcpy(s->focus_us, s->every_us, sizeof(s->focus_us));
	if (s->focus_us[POLL_FAST] > FOCUS_INTERVAL_US)
		s->focus_us[POLL_FAST] = FOCUS_INTERVAL_US;
	s->index = index;
	s->count = count ? count : 1;
}

void schedule_medium_waits(struct schedule *s, const struct plan_device *d)
{
	if (d->medium_us <= 0 && s->count > SCHEDULE_AT_ONCE)
		s->every_us[POLL_MEDIUM] = POLL_MEDIUM_LARGE_US;
}

int64_t schedule_first_us(const struct schedule *s)
{
	int64_t fast = s->every_us[POLL_FAST];
	int64_t span = fast < CLOCK_SEC ? fast : CLOCK_SEC;

	return span * s->index / s->count;
}

/*
 * Devices with the same phase are polled together in one turn of the loop: sleep and wake-up for
 * each of them take as much time as reading its answer.
 */
#define TOGETHER_US (50 * CLOCK_MSEC)

/* Returns the device's offset in the period. */
static int64_t phase_of(const struct schedule *s, int64_t every)
{
	int64_t phase = every * s->index / s->count;

	return every >= CLOCK_SEC ? phase - phase % TOGETHER_US : phase;
}

static int64_t first_turn_us(const struct schedule *s, enum poll_tier t)
{
	int64_t span = s->count * TURN_US;

	if (span > s->every_us[t])
		span = s->every_us[t];
	return span * s->index / s->count;
}

void schedule_start(struct schedule *s, int64_t now_us)
{
	s->active = s->detecting = true;
	s->first_us = s->answered_us = 0;
	for (int t = 0; t < POLL_TIER_COUNT; t++) {
		s->due[t] = now_us;
		s->busy[t] = false;
	}
	s->put_off = !s->begun && !s->once && !s->focused && s->count > SCHEDULE_AT_ONCE;
	s->begun = true;
	if (s->put_off) {
		s->due[POLL_MEDIUM] += first_turn_us(s, POLL_MEDIUM);
		s->due[POLL_SLOW] += first_turn_us(s, POLL_SLOW);
	}
}

/* The focused device does not wait for its turn. */
static void end_put_off(struct schedule *s, int64_t now_us)
{
	if (!s->put_off)
		return;
	s->put_off = false;
	for (int t = 0; t < POLL_TIER_COUNT; t++)
		if (t != POLL_FAST && !s->asked[t] && s->due[t] > now_us)
			s->due[t] = now_us;
}

void schedule_stop(struct schedule *s)
{
	s->active = s->detecting = false;
	memset(s->busy, 0, sizeof(s->busy));
}

static bool is_available(const struct schedule *s, enum poll_tier t)
{
	return s->active && s->detecting == (t == POLL_DETECT) && !s->busy[t] &&
	       !(s->once && s->done[t]);
}

static int64_t tier_period(const struct schedule *s, enum poll_tier t)
{
	return s->focused ? s->focus_us[t] : s->every_us[t];
}

static int take_tier(struct schedule *s, enum poll_tier t, int64_t now_us)
{
	if (!is_available(s, t) || s->due[t] > now_us)
		return -1;
	if (t == POLL_MEDIUM)
		s->medium_asked_us = now_us;
	s->busy[t] = s->asked[t] = true;
	return (int)t;
}

int schedule_take(struct schedule *s, int64_t now_us)
{
	int tier = take_tier(s, POLL_DETECT, now_us);

	for (int i = 0; i < ORDER_COUNT && tier < 0; i++)
		tier = take_tier(s, order[i], now_us);
	return tier;
}

/* Returns the first time at least half a period away with this device's phase. */
static int64_t next_place(int64_t now_us, int64_t every, int64_t phase)
{
	int64_t from = now_us + every / 2;
	int64_t past = (from - phase) % every;

	if (past < 0)
		past += every;
	return past ? from - past + every : from;
}

/*
 * Counts skipped polls. After a poll off the grid, such as the first, the next place may be one and
 * a half intervals away. The place skipped for that is not missed, unless answers or polls are so
 * late that two intervals lie between them. A tenth is subtracted for jitter.
 */
static void count_left_out(struct schedule *s, int64_t due, int64_t every, int64_t now_us)
{
	int64_t away = due - s->due[POLL_FAST];
	uint64_t places = away > every ? (uint64_t)(away / every) - 1 : 0;
	bool late = s->answered_us && now_us - s->answered_us >= 2 * every - every / 10;

	s->left_out += places + (late && s->too_near);
	s->too_near = away > every && away % every != 0;
	s->answered_us = s->first_us ? s->first_us : now_us;
	s->first_us = 0;
}

void schedule_answer(struct schedule *s, int64_t now_us)
{
	if (!s->first_us)
		s->first_us = now_us;
}

void schedule_done(struct schedule *s, enum poll_tier tier, int64_t now_us)
{
	int64_t every = tier_period(s, tier);
	int64_t phase = phase_of(s, every);
	int64_t due = s->due[tier] + every;

	s->busy[tier] = false;
	s->done[tier] = true;
	if (tier == POLL_DETECT) {
		s->detecting = false;
		/* Nothing could be polled before, so nothing was skipped. */
		if (s->due[POLL_FAST] < now_us)
			s->due[POLL_FAST] = now_us;
		return;
	}
	/* Keep the place in the grid; if it was missed (or never used), find the next one. */
	if (due <= now_us || (due - phase) % every != 0)
		due = next_place(now_us, every, phase);
	if (tier == POLL_FAST)
		count_left_out(s, due, every, now_us);
	s->due[tier] = due;
}

int64_t schedule_next_us(const struct schedule *s)
{
	int64_t first = is_available(s, POLL_DETECT) ? s->due[POLL_DETECT] : INT64_MAX;

	for (int i = 0; i < ORDER_COUNT; i++)
		if (is_available(s, order[i]) && s->due[order[i]] < first)
			first = s->due[order[i]];
	return first;
}

bool schedule_finished(const struct schedule *s)
{
	bool all = s->once && s->done[POLL_DETECT];

	for (int i = 0; i < ORDER_COUNT; i++)
		all = all && s->done[order[i]];
	return all;
}

/* The shorter period counts from the last poll, however often the focus changes. */
static void medium_by_focus(struct schedule *s, int64_t now_us)
{
	int64_t due = s->medium_asked_us + s->focus_us[POLL_MEDIUM];

	if (s->busy[POLL_MEDIUM] || !s->asked[POLL_MEDIUM] || due >= s->due[POLL_MEDIUM])
		return;
	s->due[POLL_MEDIUM] = due > now_us ? due : now_us;
}

static void begin_focus(struct schedule *s, int64_t now_us)
{
	end_put_off(s, now_us);
	medium_by_focus(s, now_us);
	/* An overdue poll was suppressed on purpose (device_poller_parked()), so it is not skipped.
	 */
	if (s->busy[POLL_FAST])
		schedule_now(s, now_us);
	else
		s->due[POLL_FAST] = now_us;
}

void schedule_focus(struct schedule *s, bool focused, int64_t now_us)
{
	int64_t every = s->every_us[POLL_FAST];

	if (s->focused == focused)
		return;
	s->answered_us = 0; /* it was at another interval, or before a rest */
	s->focused = focused;
	if (focused)
		begin_focus(s, now_us);
	else if (every > FOCUS_INTERVAL_US)
		s->due[POLL_FAST] = next_place(now_us, every, phase_of(s, every));
}

void schedule_now(struct schedule *s, int64_t now_us)
{
	if (s->due[POLL_FAST] > now_us)
		s->due[POLL_FAST] = now_us;
}

int64_t backoff_spread_us(int64_t wait_us, uint32_t random)
{
	return wait_us + (wait_us / 2) * (int64_t)(random % 1001) / 1000 - wait_us / 4;
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
	return backoff_spread_us(wait, random);
}

int64_t backoff_refused_us(unsigned refusals, uint32_t random)
{
	if (refusals < REFUSALS_SPARED)
		return backoff_us(refusals, ERR_UNAUTHORISED, random);
	return backoff_spread_us(BACKOFF_REFUSED_US, random);
}

int64_t backoff_follow_us(unsigned ended, uint32_t random)
{
	int64_t wait = FOLLOW_FIRST_US;

	for (unsigned i = 1; i < ended && wait < FOLLOW_LONGEST_US; i++)
		wait *= 2;
	return backoff_spread_us(wait < FOLLOW_LONGEST_US ? wait : FOLLOW_LONGEST_US, random);
}
