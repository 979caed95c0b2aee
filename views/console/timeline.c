/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/console/console_private.h"

/*
 * The line under the title while a recording is shown: first and last moment, the shown moment, and
 * known events. Its signs are ASCII, so that they look the same on every terminal.
 */

#define BUCKET_US   (INT64_C(10) * CLOCK_SEC)
#define TICKS_MAX   20000 /* ten minutes short of 56 hours with events in every bucket */
#define EVENTS_MANY 3     /* in a column: drawn as a cluster */
#define BAR_LEAST   8

/* ---- events by time ---- */

static struct tick *tick_at(struct console *c, int64_t us)
{
	int64_t bucket = us / BUCKET_US;
	size_t low = 0, high = c->ticks.n;

	while (low < high) {
		size_t mid = (low + high) / 2;

		if (c->ticks.at[mid].bucket < bucket)
			low = mid + 1;
		else
			high = mid;
	}
	if (low < c->ticks.n && c->ticks.at[low].bucket == bucket)
		return &c->ticks.at[low];
	if (c->ticks.n >= TICKS_MAX)
		return NULL;
	(void)vec_add(&c->ticks);
	memmove(&c->ticks.at[low + 1], &c->ticks.at[low],
		(c->ticks.n - 1 - low) * sizeof(c->ticks.at[0]));
	c->ticks.at[low] = (struct tick){.bucket = bucket};
	return &c->ticks.at[low];
}

/* Events are ordered by time, so those of a bucket are adjacent. */
static void learn_events(struct console *c)
{
	const struct event *e = model_event(c->model, 0);
	unsigned n = 0;

	for (size_t i = 0; e; i++) {
		const struct event *older = model_event(c->model, i + 1);
		struct tick *t;

		n += event_info[e->kind].severity >= SEV_WARN;
		if (!older || older->wall_us / BUCKET_US != e->wall_us / BUCKET_US) {
			t = n ? tick_at(c, e->wall_us) : NULL;
			/* The model of an earlier moment may know fewer of the events. */
			if (t && n > t->events)
				t->events = (uint16_t)n;
			n = 0;
		}
		e = older;
	}
}

static void learn_finding(struct console *c, const struct finding *f)
{
	struct tick *t = f->severity == SEV_CRIT ? tick_at(c, f->first_seen_us) : NULL;

	if (t)
		t->critical = true;
}

/* Drops ticks from before the recording, which are not drawn, to make room. */
static void forget_before(struct console *c)
{
	int64_t from = c->moment.from_us / BUCKET_US;
	size_t n = 0;

	if (c->ticks.n < TICKS_MAX)
		return;
	while (n < c->ticks.n && c->ticks.at[n].bucket < from)
		n++;
	memmove(c->ticks.at, c->ticks.at + n, (c->ticks.n - n) * sizeof(c->ticks.at[0]));
	c->ticks.n -= n;
}

void timeline_learn(struct console *c)
{
	const struct finding *const *all, *f;
	int64_t closed;
	size_t n;

	if (!c->model)
		return;
	forget_before(c);
	learn_events(c);
	if (!c->diag)
		return;
	all = diag_findings(c->diag, &n);
	for (size_t i = 0; i < n; i++)
		learn_finding(c, all[i]);
	for (size_t i = 0; (f = diag_closed(c->diag, i, &closed)); i++)
		learn_finding(c, f);
}

/* ---- the line ---- */

static int column_of(const struct console_moment *m, int64_t us, int width)
{
	int64_t span = m->to_us - m->from_us;

	if (us <= m->from_us || span <= 0)
		return 0;
	if (us >= m->to_us)
		return width - 1;
	return (int)((double)(us - m->from_us) / (double)span * (width - 1) + 0.5);
}

static void draw_ticks(const struct console *c, struct region r)
{
	const struct console_moment *m = &c->moment;
	int at = -1;
	unsigned events = 0;

	/* By column from left to right; critical ones last, so that no other sign hides them. */
	for (size_t i = 0; i < c->ticks.n; i++) {
		int64_t us = c->ticks.at[i].bucket * BUCKET_US;
		int x = column_of(m, us, r.w);

		if (us < m->from_us - BUCKET_US || us > m->to_us)
			continue;
		events = x == at ? events + c->ticks.at[i].events : c->ticks.at[i].events;
		at = x;
		if (events >= EVENTS_MANY)
			draw_text(r, 0, x, ROLE_WARN, "+", 1);
	}
	for (size_t i = 0; i < c->ticks.n; i++) {
		int64_t us = c->ticks.at[i].bucket * BUCKET_US;

		if (c->ticks.at[i].critical && us >= m->from_us - BUCKET_US && us <= m->to_us)
			draw_text(r, 0, column_of(m, us, r.w), ROLE_CRIT, "!", 1);
	}
}

/* Where somebody set the clock: the times on both sides of the sign do not follow each other. */
static void draw_steps(const struct console *c, struct region r)
{
	const struct clock_track *t = model_clock(c->model);
	const struct console_moment *m = &c->moment;

	for (size_t i = 0; t && i < t->steps.n; i++)
		if (t->steps.at[i].at_us > m->from_us && t->steps.at[i].at_us <= m->to_us)
			draw_text(r, 0, column_of(m, t->steps.at[i].at_us, r.w), ROLE_WARN,
				t->steps.at[i].by_us < 0 ? "<" : ">", 1);
}

/* The step that is nearest to the shown moment; "" when the recording has none. */
static void step_note(const struct console *c, char *dst, size_t size)
{
	const struct clock_track *t = model_clock(c->model);
	const struct console_moment *m = &c->moment;
	int64_t best = INT64_MAX;

	dst[0] = '\0';
	for (size_t i = 0; t && i < t->steps.n; i++) {
		int64_t at = t->steps.at[i].at_us,
			away = at > m->at_us ? at - m->at_us : m->at_us - at;

		if (at <= m->from_us || at > m->to_us || away > best)
			continue;
		best = away;
		(void)clock_step_sentence(t, i, dst, size);
	}
}

static void draw_bar(const struct console *c, struct region r)
{
	int at = column_of(&c->moment, c->moment.at_us, r.w);

	for (int x = 0; x < r.w; x++)
		draw_text(r, 0, x, x <= at ? ROLE_ACCENT : ROLE_DIM, x <= at ? "=" : "-", 1);
	draw_ticks(c, r);
	draw_steps(c, r);
	draw_text(r, 0, at, ROLE_CURSOR, "O", 1);
}

/* The text behind the bar: the speed, missing data, and that the present goes on. */
static void tail_text(const struct console *c, int width, char *dst, size_t size)
{
	const struct console_moment *m = &c->moment;
	char speed[16], step[96];
	const char *note = "";

	time_speed(m, speed, sizeof(speed));
	step_note(c, step, sizeof(step));
	if (m->gap[0])
		note = m->gap;
	else if (step[0])
		note = step;
	else if (!m->file)
		note = width < 100 ? "live data still collected"
				   : "live data still collected, Esc: now";
	(void)str_printf(dst, size, "%s%s%s", speed, note[0] ? "  " : "", note);
}

bool timeline_wanted(const struct console *c)
{
	return c->moment.replay && !c->moment.engine && c->moment.from_us > 0 && c->model;
}

void timeline_draw(const struct console *c, struct region r)
{
	const struct console_moment *m = &c->moment;
	char from[32], to[32], tail[160];
	int x, end, room;

	draw_fill(r, 0, 0, r.w, ROLE_NORMAL);
	time_hms(c, m->from_us, from, sizeof(from));
	time_hms(c, m->to_us, to, sizeof(to));
	tail_text(c, r.w, tail, sizeof(tail));
	x = 1 + draw_textf(r, 0, 1, ROLE_DIM, "%s ", from);
	end = (int)strlen(to) + 3 + text_width(tail) + 1;
	if (end > r.w - x - 2 * BAR_LEAST)
		end = r.w - x - 2 * BAR_LEAST;
	room = r.w - x - end;
	if (room >= BAR_LEAST) {
		draw_bar(c, region_sub(r, 0, x, 1, room));
		x += room;
	}
	x += 1 + draw_textf(r, 0, x + 1, ROLE_DIM, "%s  ", to);
	(void)draw_text(r, 0, x,
		m->gap[0]  ? ROLE_WARN
		: m->speed ? ROLE_ACCENT
			   : ROLE_DIM,
		tail, r.w - x);
}
