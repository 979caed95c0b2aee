/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/need.h"
#include "fabric/jobs/nccl_internal.h"

/* No fast answer may take longer (the default timeout of a request). */
#define SLOW_ANSWER_US (10 * CLOCK_SEC)

/* Delay of a busy machine or a lost packet that is no silence. */
#define HICCUP_US (2 * CLOCK_SEC)

/* Fresh up to one and a half intervals: a poll may be late by its own duration. */
static int64_t fresh_until(const struct device *d)
{
	return d->last_ok_us + d->interval_us * 3 / 2;
}

/*
 * Late up to two intervals, or up to the expected end of the next answer of a slow device. So a
 * constantly slow device keeps one state and does not alternate with every poll.
 */
static int64_t late_limit_us(const struct device *d)
{
	int64_t took = d->took_us < SLOW_ANSWER_US ? d->took_us : SLOW_ANSWER_US;
	int64_t slow = d->interval_us + (took * 3 / 2 > HICCUP_US ? took * 3 / 2 : HICCUP_US);
	int64_t usual = d->interval_us * 2;

	return slow > usual ? slow : usual;
}

static int64_t late_until(const struct device *d)
{
	return d->last_ok_us + late_limit_us(d);
}

/* Lines of one moment may come one by one; no source of lines is slower than that. */
#define BURST_US    (CLOCK_SEC / 2)
#define PERIOD_MOST (600 * CLOCK_SEC)

/*
 * A source that sends by itself has a period of its own, whatever the inventory says: two like gaps
 * between its bursts are its interval.
 */
void device_learn_interval(struct device *d, int64_t now_us)
{
	int64_t gap = now_us - d->burst_us, before = d->burst_gap_us;

	if (d->burst_us && now_us - d->last_ok_us < BURST_US)
		return;
	d->burst_gap_us = d->burst_us ? gap : 0;
	d->burst_us = now_us;
	if (before > 0 && gap > d->interval_us && gap <= PERIOD_MOST &&
		llabs(gap - before) <= gap / 4)
		d->interval_us = gap;
}

/* The device reports that it does not count, or its engine has only words for it. */
static bool lacks_counters(const struct device *d)
{
	const char *need = need_info[NEED_PORT_COUNTERS].name;

	for (size_t i = 0; i < d->caps.n; i++)
		if (str_eq(d->caps.at[i].need, need))
			return d->caps.at[i].valid == VALID_UNSUPPORTED ||
			       d->caps.at[i].valid == VALID_DISABLED;
	return d->engine_us && d->last_ok_us - d->heard_us > late_limit_us(d) + d->interval_us;
}

bool device_blind(const struct device *d)
{
	if (!d->last_ok_us)
		return false;
	if (!d->counters_us && lacks_counters(d))
		return true;
	if (!(d->failures || d->bad_us))
		return false;
	if (!d->counters_us)
		return d->err->code == ERR_PROTOCOL || d->err->code == ERR_LIMIT;
	return d->last_ok_us - d->counters_us > late_limit_us(d) + d->interval_us;
}

bool device_is_mute(const struct device *d, int64_t now_us)
{
	return !d->last_ok_us || now_us > late_until(d);
}

/* It has answered since its last data, and the answers had no data. */
static bool answers_nonsense(const struct device *d)
{
	bool nonsense =
		d->err->code == ERR_PROTOCOL || (d->err->code == ERR_UNSUPPORTED && d->connected);

	return nonsense && (!d->last_ok_us || d->last_attempt_us - d->last_ok_us > d->interval_us);
}

static enum dev_state mute_state(const struct device *d)
{
	if (answers_nonsense(d))
		return DEV_NOT_UNDERSTOOD;
	if (d->last_ok_us)
		return DEV_STALE;
	if (d->err->code == ERR_NONE)
		return DEV_PENDING;
	return d->err->code == ERR_TIMEOUT ? DEV_UNREACHABLE : DEV_STALE;
}

static enum dev_state state_at(const struct device *d, int64_t now_us)
{
	if (d->err->code == ERR_UNAUTHORISED)
		return DEV_UNAUTHORISED;
	if (d->err->code == ERR_UNREACHABLE)
		return DEV_UNREACHABLE;
	if (device_is_mute(d, now_us))
		return mute_state(d);
	return now_us <= fresh_until(d) ? DEV_FRESH : DEV_LATE;
}

static void record_state(
	struct model *m, int64_t now_us, const struct device *d, enum dev_state was)
{
	bool was_bad = was >= DEV_STALE, is_bad = d->state >= DEV_STALE;
	enum event_kind kind;

	if (d->state == DEV_UNREACHABLE)
		kind = EV_UNREACHABLE;
	else if (d->state == DEV_UNAUTHORISED)
		kind = EV_UNAUTHORISED;
	else if (d->state >= DEV_STALE && !was_bad)
		kind = EV_STALE;
	else if (was_bad && !is_bad && d->state != DEV_PENDING)
		kind = EV_BACK;
	else
		return;
	model_add_event(m, now_us, kind, d, NULL, -1, 0, is_bad ? d->err->text : "");
}

int64_t model_age(struct model *m, int64_t now_us)
{
	int64_t next = INT64_MAX;

	(void)model_history_settle(m, SIZE_MAX);
	for (size_t i = 0; i < m->devices.n; i++) {
		struct device *d = m->devices.at[i];
		enum dev_state was = d->state;
		int64_t due = INT64_MAX;

		d->state = state_at(d, now_us);
		if (d->state != was) {
			m->generation++;
			record_state(m, now_us, d, was);
		}
		if (d->state == DEV_FRESH)
			due = fresh_until(d) + 1;
		else if (d->state == DEV_LATE)
			due = late_until(d) + 1;
		if (due < next)
			next = due;
	}
	if (nccl_age(m->nccl, now_us))
		m->generation++;
	return next;
}
