/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_SCHEDULE_H
#define BACKENDS_COLLECTOR_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/contract/backend.h"
#include "base/err.h"

/*
 * When a device is asked what, as arithmetic: now is passed in, nothing waits here. All times are
 * monotonic microseconds.
 */
#define FOCUS_INTERVAL_US INT64_C(1000000)

struct schedule {
	int64_t every_us[POLL_TIER_COUNT]; /* of FAST, MEDIUM and SLOW */
	int64_t focus_us[POLL_TIER_COUNT]; /* the same while it is focused */
	unsigned index, count;             /* where in every period this device has its place */
	bool focused;
	bool once;      /* each tier one time */
	bool active;    /* connected */
	bool detecting; /* no other tier before this one is done */
	int64_t due[POLL_TIER_COUNT];
	bool busy[POLL_TIER_COUNT];
	bool done[POLL_TIER_COUNT];  /* with once */
	bool begun;                  /* connected before */
	bool put_off;                /* what is not fast waits for its first turn */
	bool asked[POLL_TIER_COUNT]; /* ever */
	int64_t medium_asked_us;     /* last */
	uint64_t left_out;           /* polls of the fast tier, see schedule_done() */
	int64_t first_us;            /* schedule_answer() of the fast tier's round; 0: none yet */
	int64_t answered_us;         /* the same of the round before, by this interval; 0: none */
	bool too_near;               /* a place after that was, and is not in left_out */
	int64_t ticked_us;           /* schedule_await_tick(); 0: no tick is waited for */
};

/*
 * Periods are the plan's, where it has none: 1 s, POLL_MEDIUM_US, POLL_SLOW_US. index of count
 * devices: places are spread evenly over each tier's period, so that 800 devices are not asked in
 * the same instant.
 */
void schedule_init(struct schedule *s, const struct plan_device *d, unsigned index, unsigned count);
/*
 * Before anything is due, of a device whose medium tier may wait (backend_ops): where the plan says
 * no period and there are more than SCHEDULE_AT_ONCE devices, it is POLL_MEDIUM_LARGE_US.
 */
void schedule_medium_waits(struct schedule *s, const struct plan_device *d);
/* When the device is connected to for the first time: all within min(interval, 1 s). */
int64_t schedule_first_us(const struct schedule *s);

/*
 * Connected: DETECT is due, and when it is done (well or not) everything else, fast first. EVENTS
 * has no place in here: a followed output has no period. Of more than SCHEDULE_AT_ONCE devices the
 * medium and slow tiers wait their turn the first time, 100 devices a second, no longer than their
 * period: the first picture is made of fast tiers, and these would come in between.
 */
#define SCHEDULE_AT_ONCE 1000
void schedule_start(struct schedule *s, int64_t now_us);
/* Disconnected: nothing is due or on its way. */
void schedule_stop(struct schedule *s);

/* The tier to ask now (it is busy then), or -1: none is due. */
int schedule_take(struct schedule *s, int64_t now_us);
/*
 * The answer (or its failure), or the last of several, came at now_us: the tier's next place in the
 * grid, never in the past. Of the fast tier left_out grows by the places that are passed over for
 * that, and at least by one where the first answer before these came 1.9 intervals ago or more.
 */
void schedule_done(struct schedule *s, enum poll_tier tier, int64_t now_us);
/*
 * After schedule_done(): the device tells by itself from now on what the fast tier asks, at each
 * interval. That is due only when a tick is late by half an interval and a second more.
 */
void schedule_await_tick(struct schedule *s, int64_t now_us);
/* An answer of the fast tier came, and others may follow before schedule_done(). */
void schedule_answer(struct schedule *s, int64_t now_us);
/* So many polls of the fast tier did not come by themselves. */
void schedule_leave_out(struct schedule *s, uint64_t polls);
/* It has come: as if the fast tier was taken now. False: it may not be. */
bool schedule_tick(struct schedule *s, int64_t now_us);
/* Of the fast tier, as it is now. */
int64_t schedule_interval_us(const struct schedule *s);
/* When schedule_take() has something next; INT64_MAX: not before a schedule_done(). */
int64_t schedule_next_us(const struct schedule *s);
/* With once: all tiers were asked and answered. */
bool schedule_finished(const struct schedule *s);

/*
 * A focused device's fast tier runs at one second (or its interval when that is shorter), its
 * medium tier is asked as on a small fabric, and what was put off is due.
 */
void schedule_focus(struct schedule *s, bool focused, int64_t now_us);
/* The fast tier is due at once. */
void schedule_now(struct schedule *s, int64_t now_us);

/* Any wait, spread by +-25 %: those who failed together must not come back together. */
int64_t backoff_spread_us(int64_t wait_us, uint32_t random);
/*
 * How long to wait before the next attempt: doubling from 1 s to 48 s, at least 40 s where keys or
 * passwords were refused, each spread by +-25 %: never above 60 s. failures counts from 1; random
 * is any number.
 */
int64_t backoff_us(unsigned failures, enum err_code why, uint32_t random);
/*
 * The same where a password was refused so many times in a row: from the third on ten minutes
 * +-25 %, because accounts are locked by counting failures (EOS "lockout failure 5 window 900",
 * pam_faillock's 3 to 5 in 15 minutes).
 */
int64_t backoff_refused_us(unsigned refusals, uint32_t random);
/* How long to wait before a followed output that ended is asked for again: 1 to 10 min +-25 %. */
int64_t backoff_follow_us(unsigned ended, uint32_t random);

#endif
