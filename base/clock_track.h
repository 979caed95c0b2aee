/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BASE_CLOCK_TRACK_H
#define BASE_CLOCK_TRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/vec.h"

/*
 * Session time and the wall clock. A session counts in session time: the wall clock at its start
 * plus the time that went by since (CLOCK_BOOTTIME, so a suspended machine counts too). Session
 * time never goes back, so ages, rates, hysteresis and the order of a recording do not notice when
 * somebody sets the clock. A track remembers each such step. It tells the wall time that the clock
 * showed at a session time, and the session times at which it showed a wall time. NTP slews both
 * clocks alike (by 500 ppm at most), so what is slewed is no step; only what is set is.
 *
 * Without a step the two are the same number. All times are microseconds.
 */

/* The session time now. Any thread may ask. */
int64_t clock_session(void);
/*
 * Reads session time and wall clock as one moment: a thread that was suspended between the two
 * reads would see a step that never was.
 */
void clock_both(int64_t *session_us, int64_t *wall_us);

struct clock_step {
	int64_t at_us; /* session time: from here on the clock shows by_us more */
	int64_t by_us;
};

struct clock_track {
	int64_t base_us; /* wall clock minus session time before the first step */
	VEC(struct clock_step) steps;
};

/* A smaller difference is not a step; several small ones are. */
#define CLOCK_STEP_LEAST_US INT64_C(500000)
/* A track keeps the newest steps. The base takes up those before. */
#define CLOCK_STEPS_MAX 4096

void clock_track_free(struct clock_track *t);
void clock_track_copy(struct clock_track *to, const struct clock_track *from);
bool clock_track_equal(const struct clock_track *a, const struct clock_track *b);

/* Notes what the wall clock shows at a session time. True: it was stepped since the last call. */
bool clock_track_note(struct clock_track *t, int64_t session_us, int64_t wall_us);
/* The wall clock at a session time. 0 stays 0: it means "unknown" everywhere. t may be NULL. */
int64_t clock_track_wall(const struct clock_track *t, int64_t session_us);

/*
 * Which one it is of the moments between from_us and to_us at which the clock showed the same: 1 is
 * the oldest. 0: it is the only one.
 */
unsigned clock_track_turn(
	const struct clock_track *t, int64_t session_us, int64_t from_us, int64_t to_us);
/* The newest session time at which the clock showed wall_us; with no such time, before the steps.
 */
int64_t clock_track_session(const struct clock_track *t, int64_t wall_us);

/*
 * Makes this process' session time follow a recording that it continues: later than to_us, the
 * last moment of the recording, and with the same distance to the wall clock. Only while nothing
 * has a session time yet.
 */
void clock_session_continue(const struct clock_track *t, int64_t to_us);

/* "+1 h", "-59 min 30 s", "+0.8 s". dst: 32 bytes. */
const char *clock_step_text(int64_t by_us, char *dst, size_t size);
/* "clock stepped -1 h at 02:13:30Z, to 01:13:30Z". dst: 96 bytes. */
const char *clock_step_sentence(const struct clock_track *t, size_t step, char *dst, size_t size);

/* "BASE;AT+BY;AT-BY", in us: the form in a recording. */
bool clock_track_print(const struct clock_track *t, struct buf *out);
/* False: the text is not of that form. t is then without steps. */
bool clock_track_read(struct clock_track *t, const char *text);

/*
 * Parses a moment as clock_parse() does, as the wall clock showed it, and finds its session times
 * between from_us and to_us (each with a second of tolerance). here_us is the origin of "-5m": that
 * much time went by. A clock that was set back showed a time twice: text may end in #1 or #2,
 * counted from the oldest, and without it the newest is taken.
 */
#define CLOCK_TIMES_MAX 8
struct clock_moment {
	int64_t us;         /* session time */
	unsigned n, chosen; /* number of such moments; the one in us, from 1 */
	char said[240];     /* a remark for the operator when it is not the plain case, else "" */
};
enum clock_found {
	CLOCK_FOUND,
	CLOCK_NOT_A_TIME,
	CLOCK_NOT_THERE /* before from_us or after to_us; us has the time before the first step */
};
enum clock_found clock_track_find(const struct clock_track *t, const char *text, int64_t here_us,
	int64_t from_us, int64_t to_us, struct clock_moment *out);

#endif
