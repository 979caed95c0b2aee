/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock_track.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"

/* ---- session time ---- */

/* Two reads of the clocks further apart than this are not of one moment. */
#define BOTH_APART_US 5000
#define BOTH_TRIES    100

/* Wall clock minus elapsed time at the first call, and 1 so that 0 means "not set". */
static _Atomic int64_t origin;

static int64_t elapsed_time(void)
{
	struct timespec ts;

	if (clock_gettime(CLOCK_BOOTTIME, &ts) != 0)
		return clock_mono(&clock_system);
	return (int64_t)ts.tv_sec * CLOCK_SEC + ts.tv_nsec / 1000;
}

int64_t clock_session(void)
{
	int64_t from = atomic_load(&origin), none = 0;

	if (!from) {
		from = clock_wall(&clock_system) - elapsed_time();
		from += from == 0;
		if (!atomic_compare_exchange_strong(&origin, &none, from))
			from = none;
	}
	return from + elapsed_time();
}

void clock_both(int64_t *session_us, int64_t *wall_us)
{
	for (int i = 0; i < BOTH_TRIES; i++) {
		*session_us = clock_session();
		*wall_us = clock_wall(&clock_system);
		if (clock_session() - *session_us <= BOTH_APART_US)
			return;
	}
}

void clock_session_continue(const struct clock_track *t, int64_t to_us)
{
	int64_t now, wall, ahead = clock_track_wall(t, to_us) - to_us, want;

	clock_both(&now, &wall);
	want = wall - ahead;
	if (want <= to_us)
		want = to_us + 1;
	(void)atomic_fetch_add(&origin, want - now);
}

/* ---- steps ---- */

void clock_track_free(struct clock_track *t)
{
	vec_free(&t->steps);
	t->base_us = 0;
}

void clock_track_copy(struct clock_track *to, const struct clock_track *from)
{
	to->base_us = from->base_us;
	to->steps.n = 0;
	for (size_t i = 0; i < from->steps.n; i++)
		vec_push(&to->steps, from->steps.at[i]);
}

bool clock_track_equal(const struct clock_track *a, const struct clock_track *b)
{
	if (a->base_us != b->base_us || a->steps.n != b->steps.n)
		return false;
	for (size_t i = 0; i < a->steps.n; i++)
		if (a->steps.at[i].at_us != b->steps.at[i].at_us ||
			a->steps.at[i].by_us != b->steps.at[i].by_us)
			return false;
	return true;
}

/* Wall clock minus session time after the first n steps. */
static int64_t offset_after(const struct clock_track *t, size_t n)
{
	int64_t sum = t->base_us;

	for (size_t i = 0; i < n; i++)
		sum += t->steps.at[i].by_us;
	return sum;
}

static void add_step(struct clock_track *t, int64_t at_us, int64_t by_us)
{
	if (t->steps.n == CLOCK_STEPS_MAX) {
		t->base_us += t->steps.at[0].by_us;
		t->steps.n--;
		memmove(t->steps.at, t->steps.at + 1, t->steps.n * sizeof(*t->steps.at));
	}
	vec_push(&t->steps, (struct clock_step){at_us, by_us});
}

bool clock_track_note(struct clock_track *t, int64_t session_us, int64_t wall_us)
{
	int64_t by = wall_us - session_us - offset_after(t, t->steps.n);

	if (by < CLOCK_STEP_LEAST_US && by > -CLOCK_STEP_LEAST_US)
		return false;
	/* Two steps at one moment are one. */
	if (t->steps.n && t->steps.at[t->steps.n - 1].at_us >= session_us)
		t->steps.at[t->steps.n - 1].by_us += by;
	else
		add_step(t, session_us, by);
	return true;
}

int64_t clock_track_wall(const struct clock_track *t, int64_t session_us)
{
	int64_t wall;

	if (!t || !session_us)
		return session_us;
	wall = session_us + t->base_us;
	for (size_t i = 0; i < t->steps.n && t->steps.at[i].at_us <= session_us; i++)
		wall += t->steps.at[i].by_us;
	return wall;
}

/* The session time of wall_us in the stretch behind the first n steps. False: not in it. */
static bool in_stretch(const struct clock_track *t, size_t n, int64_t wall_us, int64_t *us)
{
	*us = wall_us - offset_after(t, n);
	return (!n || *us >= t->steps.at[n - 1].at_us) &&
	       (n == t->steps.n || *us < t->steps.at[n].at_us);
}

unsigned clock_track_turn(
	const struct clock_track *t, int64_t session_us, int64_t from_us, int64_t to_us)
{
	int64_t wall = clock_track_wall(t, session_us), us;
	unsigned n = 0, turn = 0;

	for (size_t i = 0; t && i <= t->steps.n; i++) {
		if (!in_stretch(t, i, wall, &us) || us < from_us || us > to_us)
			continue;
		n++;
		turn = us == session_us ? n : turn;
	}
	return n > 1 ? turn : 0;
}

int64_t clock_track_session(const struct clock_track *t, int64_t wall_us)
{
	int64_t us;

	if (!t)
		return wall_us;
	for (size_t i = t->steps.n + 1; i-- > 0;)
		if (in_stretch(t, i, wall_us, &us))
			return us;
	return wall_us - t->base_us;
}

/* ---- text ---- */

const char *clock_step_text(int64_t by_us, char *dst, size_t size)
{
	char sign = by_us < 0 ? '-' : '+';
	int64_t ms = (by_us < 0 ? -by_us : by_us) / CLOCK_MSEC, s = (ms + 500) / 1000;

	if (ms < 10000)
		(void)str_printf(dst, size, "%c%.1f s", sign, (double)ms / 1000);
	else if (s < 60)
		(void)str_printf(dst, size, "%c%" PRId64 " s", sign, s);
	else if (s < 3600)
		(void)str_printf(dst, size,
			s % 60 ? "%c%" PRId64 " min %" PRId64 " s" : "%c%" PRId64 " min", sign,
			s / 60, s % 60);
	else if (s < 86400)
		(void)str_printf(dst, size,
			s % 3600 / 60 ? "%c%" PRId64 " h %" PRId64 " min" : "%c%" PRId64 " h", sign,
			s / 3600, s % 3600 / 60);
	else
		(void)str_printf(dst, size,
			s % 86400 / 3600 ? "%c%" PRId64 " d %" PRId64 " h" : "%c%" PRId64 " d",
			sign, s / 86400, s % 86400 / 3600);
	return dst;
}

const char *clock_step_sentence(const struct clock_track *t, size_t step, char *dst, size_t size)
{
	const struct clock_step *s = &t->steps.at[step];
	char by[32], at[16], then[16];
	int64_t after = clock_track_wall(t, s->at_us);

	clock_format_hms(after - s->by_us, at, sizeof(at));
	clock_format_hms(after, then, sizeof(then));
	(void)str_printf(dst, size, "clock stepped %s at %sZ, to %sZ",
		clock_step_text(s->by_us, by, sizeof(by)), at, then);
	return dst;
}

bool clock_track_print(const struct clock_track *t, struct buf *out)
{
	bool ok = buf_addf(out, "%" PRId64, t->base_us);

	for (size_t i = 0; i < t->steps.n; i++)
		ok = ok && buf_addf(out, ";%" PRId64 "%+" PRId64, t->steps.at[i].at_us,
				   t->steps.at[i].by_us);
	return ok;
}

#define OFFSET_MOST_US (INT64_C(36500) * 86400 * CLOCK_SEC) /* a century: more is no clock */

static bool read_number(const char **at, int64_t least, int64_t most, int64_t *out)
{
	char *end;
	long long v;

	if (**at != '-' && **at != '+' && (**at < '0' || **at > '9'))
		return false;
	v = strtoll(*at, &end, 10);
	if (end == *at || v < least || v > most)
		return false;
	*at = end;
	*out = v;
	return true;
}

bool clock_track_read(struct clock_track *t, const char *text)
{
	const char *at = text;
	struct clock_track read = {0};
	bool ok = read_number(&at, -OFFSET_MOST_US, OFFSET_MOST_US, &read.base_us);
	int64_t sum = read.base_us;

	while (ok && *at == ';' && read.steps.n < CLOCK_STEPS_MAX) {
		struct clock_step s = {0};

		at++;
		ok = read_number(&at, 1, INT64_MAX / 4, &s.at_us) && (*at == '+' || *at == '-') &&
		     read_number(&at, -OFFSET_MOST_US, OFFSET_MOST_US, &s.by_us) &&
		     (!read.steps.n || s.at_us > read.steps.at[read.steps.n - 1].at_us);
		/* All together as well: a foreign file must not make a sum overflow. */
		sum += ok ? s.by_us : 0;
		ok = ok && sum >= -OFFSET_MOST_US && sum <= OFFSET_MOST_US;
		vec_push(&read.steps, s);
	}
	ok = ok && !*at;
	t->steps.n = 0;
	t->base_us = 0;
	if (ok)
		clock_track_copy(t, &read);
	clock_track_free(&read);
	return ok;
}

/* ---- from the wall clock to session time ---- */

struct search {
	const struct clock_track *t;
	const char *text;
	int64_t from_us, to_us;
	int64_t at[CLOCK_TIMES_MAX];
	unsigned n;
	int64_t any_wall; /* a reading of the text, for a time that was never shown */
	bool any;
};

static void add_moment(struct search *s, int64_t us)
{
	if (us <= s->from_us - CLOCK_SEC || us >= s->to_us + CLOCK_SEC)
		return;
	if (s->n && s->at[s->n - 1] >= us)
		return;
	/* More than fit: the newest count. */
	if (s->n == CLOCK_TIMES_MAX) {
		memmove(s->at, s->at + 1, sizeof(s->at) - sizeof(s->at[0]));
		s->n--;
	}
	s->at[s->n++] = us;
}

/* Looks in the stretch behind the first n steps. */
static void search_stretch(struct search *s, size_t n)
{
	int64_t start = n ? s->t->steps.at[n - 1].at_us : INT64_MIN / 2;
	int64_t end = n < s->t->steps.n ? s->t->steps.at[n].at_us : INT64_MAX / 2;
	int64_t ahead = offset_after(s->t, n), latest = end - 1 < s->to_us ? end - 1 : s->to_us;
	int64_t wall, us;

	if (start > s->to_us || !clock_parse(s->text, latest + ahead, latest + ahead, &wall))
		return;
	s->any = true;
	s->any_wall = wall;
	us = wall - ahead;
	/* The operator types whole seconds. */
	if (us < start && us > start - CLOCK_SEC)
		us = start;
	if (us >= start && us < end)
		add_moment(s, us);
}

/* A step forward left the time out: its moment is that of the step. */
static bool find_left_out(const struct search *s, struct clock_moment *out)
{
	char step[96];

	for (size_t i = s->t->steps.n; i-- > 0;) {
		int64_t at = s->t->steps.at[i].at_us, after = at + offset_after(s->t, i + 1);

		if (at < s->from_us || at > s->to_us || s->any_wall >= after ||
			s->any_wall < after - s->t->steps.at[i].by_us)
			continue;
		out->us = at;
		(void)str_printf(out->said, sizeof(out->said),
			"%.40s never was: %s; this is the moment of the step", s->text,
			clock_step_sentence(s->t, i, step, sizeof(step)));
		return true;
	}
	return false;
}

static void tell_choice(const struct search *s, struct clock_moment *out)
{
	char step[96] = "";
	unsigned other = out->chosen > 1 ? out->chosen - 1 : 2;

	for (size_t i = s->t->steps.n; i-- > 0 && !step[0];)
		if (s->t->steps.at[i].at_us > s->at[0] &&
			s->t->steps.at[i].at_us <= s->at[s->n - 1] && s->t->steps.at[i].by_us < 0)
			(void)clock_step_sentence(s->t, i, step, sizeof(step));
	(void)str_printf(out->said, sizeof(out->said),
		"%.40s was %u times (%s): this is #%u, %.40s#%u is %s", s->text, s->n, step,
		out->chosen, s->text, other, s->n == 2 ? "the other" : "another");
}

/* Cuts "#2" off. False: what follows # is not such a number. */
static bool cut_choice(char *text, unsigned *choice)
{
	char *hash = strchr(text, '#');

	*choice = 0;
	if (!hash)
		return true;
	if (hash[1] < '1' || hash[1] > '9' || hash[2])
		return false;
	*choice = (unsigned)(hash[1] - '0');
	*hash = '\0';
	return true;
}

enum clock_found clock_track_find(const struct clock_track *t, const char *text, int64_t here_us,
	int64_t from_us, int64_t to_us, struct clock_moment *out)
{
	static const struct clock_track plain;
	char when[64];
	unsigned choice;
	struct search s = {.t = t ? t : &plain, .text = when, .from_us = from_us, .to_us = to_us};

	*out = (struct clock_moment){0};
	if (!str_copy(when, sizeof(when), text) || !cut_choice(when, &choice))
		return CLOCK_NOT_A_TIME;
	if (*when == '-' || *when == '+') {
		out->n = out->chosen = 1;
		if (choice || !clock_parse(when, here_us, to_us, &out->us))
			return CLOCK_NOT_A_TIME;
		return out->us > from_us - CLOCK_SEC && out->us < to_us + CLOCK_SEC
			       ? CLOCK_FOUND
			       : CLOCK_NOT_THERE;
	}
	for (size_t n = 0; n <= s.t->steps.n; n++)
		search_stretch(&s, n);
	if (!s.any)
		return CLOCK_NOT_A_TIME;
	if (choice > s.n && (s.n || choice > 1)) {
		(void)str_printf(out->said, sizeof(out->said), "%s was %u time%s", when, s.n,
			s.n == 1 ? "" : "s");
		out->us = s.any_wall - offset_after(s.t, s.t->steps.n);
		return CLOCK_NOT_THERE;
	}
	out->n = s.n;
	out->chosen = choice ? choice : s.n;
	if (s.n) {
		out->us = s.at[out->chosen - 1];
		if (s.n > 1)
			tell_choice(&s, out);
		return CLOCK_FOUND;
	}
	if (find_left_out(&s, out))
		return CLOCK_FOUND;
	/* Before the first step, or after the last one. */
	out->us = s.any_wall - s.t->base_us;
	if (out->us > from_us)
		out->us = s.any_wall - offset_after(s.t, s.t->steps.n);
	return CLOCK_NOT_THERE;
}
