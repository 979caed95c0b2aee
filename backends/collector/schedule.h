/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BACKENDS_COLLECTOR_SCHEDULE_H
#define BACKENDS_COLLECTOR_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

#include "backends/contract/backend.h"
#include "base/err.h"

/*
 * Decides when to poll each tier of a device. Pure arithmetic: now is passed in, nothing waits
 * here. All times are monotonic microseconds.
 */
#define FOCUS_INTERVAL_US INT64_C(1000000)

struct schedule {
	int64_t every_us[POLL_TIER_COUNT]; /* periods of FAST, MEDIUM and SLOW */
	int64_t focus_us[POLL_TIER_COUNT]; /* likewise while focused */
	unsigned index, count;             /* the device's place in every period */
	bool focused;
	bool once;      /* each tier once */
	bool active;    /* connected */
	bool detecting; /* DETECT is under way: no other tier before it is done */
	int64_t due[POLL_TIER_COUNT];
	bool busy[POLL_TIER_COUNT];
	bool done[POLL_TIER_COUNT];  /* with once */
	bool begun;                  /* it was connected before */
	bool put_off;                /* medium and slow tiers wait for their first turn */
	bool asked[POLL_TIER_COUNT]; /* at least once */
	int64_t medium_asked_us;     /* time of the last medium poll */
	uint64_t left_out;           /* skipped polls of the fast tier, see schedule_done() */
	int64_t first_us;            /* schedule_answer() of the current fast round; 0: none yet */
	int64_t answered_us;         /* likewise of the last round at this interval; 0: none */
	bool too_near;               /* the place after it was skipped, but is not in left_out */
};

/*
 * Initialises s with the plan's periods; defaults: 1 s, POLL_MEDIUM_US, POLL_SLOW_US. The places of
 * count devices are spread evenly over each period, so that 800 devices are not polled in the same
 * instant.
 */
void schedule_init(struct schedule *s, const struct plan_device *d, unsigned index, unsigned count);
/*
 * Call it before schedule_start(), for a device whose medium tier may wait (backend_ops). If the
 * plan has no period and there are more than SCHEDULE_AT_ONCE devices, the period becomes
 * POLL_MEDIUM_LARGE_US.
 */
void schedule_medium_waits(struct schedule *s, const struct plan_device *d);
/* Returns the delay of the first connection: all devices within min(interval, 1 s). */
int64_t schedule_first_us(const struct schedule *s);

/*
 * The device is connected: DETECT is due. After it, failed or not, all other tiers are due, fast
 * first. EVENTS is not scheduled, because a followed output has no period.
 *
 * With more than SCHEDULE_AT_ONCE devices the first medium and slow polls are spread, 100 devices a
 * second, over their period at most. The first picture needs the fast tiers, and these polls would
 * delay it.
 */
#define SCHEDULE_AT_ONCE 1000
void schedule_start(struct schedule *s, int64_t now_us);
/* The device is disconnected: nothing is due or under way. */
void schedule_stop(struct schedule *s);

/* Returns the tier to poll now and marks it busy; -1: none is due. */
int schedule_take(struct schedule *s, int64_t now_us);
/*
 * The last answer of the tier, or its failure, came at now_us. The next poll is at the tier's next
 * place in the grid, never in the past. For the fast tier left_out counts the places skipped
 * because of that. It grows by at least one if the first answer of the last round came 1.9
 * intervals ago or more.
 */
void schedule_done(struct schedule *s, enum poll_tier tier, int64_t now_us);
/* A first answer of the fast tier came; others may follow before schedule_done(). */
void schedule_answer(struct schedule *s, int64_t now_us);
/* Returns when schedule_take() has a tier next; INT64_MAX: not before a schedule_done(). */
int64_t schedule_next_us(const struct schedule *s);
/* With once: all tiers were polled and answered. */
bool schedule_finished(const struct schedule *s);

/*
 * Sets the focus. A focused device's fast tier runs at one second, or its interval if shorter. Its
 * medium tier runs as on a small fabric, and postponed tiers are due.
 */
void schedule_focus(struct schedule *s, bool focused, int64_t now_us);
/* Makes the fast tier due at once. */
void schedule_now(struct schedule *s, int64_t now_us);

/* Spreads a wait by +-25 %, so that devices that failed together do not retry together. */
int64_t backoff_spread_us(int64_t wait_us, uint32_t random);
/*
 * Returns the wait before the next attempt. It doubles from 1 s to 48 s; it is at least 40 s if
 * keys or passwords were refused. Each is spread by +-25 %, so it never exceeds 60 s. failures
 * counts from 1; random is any number.
 */
int64_t backoff_us(unsigned failures, enum err_code why, uint32_t random);
/*
 * Returns the wait after consecutive refusals of a password. From the third on it is ten minutes
 * +-25 %, because systems lock accounts by counting failures (EOS "lockout failure 5 window 900",
 * pam_faillock's 3 to 5 in 15 minutes).
 */
int64_t backoff_refused_us(unsigned refusals, uint32_t random);
/* Returns the wait before a followed output that ended is restarted: 1 to 10 min +-25 %. */
int64_t backoff_follow_us(unsigned ended, uint32_t random);

#endif
