/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "views/console/console_private.h"

#define SCRUB_STEPS_MAX 100000

/* The shown moment: its text, and the commands that change it. */

#define SPEED_ONE  1000 /* thousandths */
#define SPEED_MOST 1000 /* times real time */

static const struct clock_track *clock_of(const struct console *c)
{
	return c->model ? model_clock(c->model) : NULL;
}

char *time_hms(const struct console *c, int64_t us, char *dst, size_t size)
{
	int64_t wall = clock_track_wall(clock_of(c), us);

	return clock_format_hms(clock_zone_shown(&c->units.zone, wall), dst, size);
}

char *time_zone_mark(const struct console *c, int64_t us, char *dst, size_t size)
{
	return clock_zone_suffix(&c->units.zone, clock_track_wall(clock_of(c), us), dst, size);
}

/* "2026-11-22T02:13:30Z", "2026-11-22T04:13:30+02" */
static char *time_date(const struct console *c, int64_t us, char *dst, size_t size)
{
	int64_t wall = clock_track_wall(clock_of(c), us);
	char zone[8];

	(void)clock_format_utc(clock_zone_shown(&c->units.zone, wall), dst, size);
	dst[strcspn(dst, "Z")] = '\0';
	(void)str_printf(dst + strlen(dst), size - strlen(dst), "%s",
		clock_zone_suffix(&c->units.zone, wall, zone, sizeof(zone)));
	return dst;
}

void console_moment(struct console *c, const struct console_moment *m)
{
	bool elsewhere = m->replay != c->moment.replay || m->at_us != c->moment.at_us;

	c->moment = *m;
	c->has_moment = true;
	/* The next model is of another moment, and may have the address of the last one. */
	c->swapped |= elsewhere && (m->replay || c->was_replay);
	if (m->replay && m->speed)
		c->speed = m->speed;
	c->dirty = true;
}

bool console_past(const struct console *c)
{
	return c->moment.replay;
}

bool console_refuse_past(const struct console *c, const char *what, struct err *err)
{
	char at[16], zone[8];

	if (!console_past(c))
		return true;
	if (c->moment.at_us <= 0) {
		err_set(err, ERR_REFUSED, "", "%s: another moment is being loaded", what);
		return err_cure(err, "Esc stays at now");
	}
	time_hms(c, c->moment.at_us, at, sizeof(at));
	if (c->moment.file) {
		err_set(err, ERR_REFUSED, "", "%s: this is a recording, of %s%s", what, at,
			time_zone_mark(c, c->moment.at_us, zone, sizeof(zone)));
		return err_cure(err, "this command needs live data");
	}
	err_set(err, ERR_REFUSED, "", "%s: this is %sZ, not now", what, at);
	return err_cure(err, "Esc comes back");
}

void console_note(const struct console *c, const struct console_note *note)
{
	if (c->opts.hooks.noted)
		c->opts.hooks.noted(c->opts.hooks.ctx, note);
}

/* ---- text ---- */

/* "47:12", "1:47:12", "3d 02:10:00". */
static void span_text(int64_t us, char *dst, size_t size)
{
	int64_t s = us > 0 ? us / CLOCK_SEC : 0;
	int days = (int)(s / 86400), h = (int)(s / 3600 % 24), m = (int)(s / 60 % 60);

	if (days)
		(void)str_printf(dst, size, "%dd %02d:%02d:%02d", days, h, m, (int)(s % 60));
	else if (h)
		(void)str_printf(dst, size, "%d:%02d:%02d", h, m, (int)(s % 60));
	else
		(void)str_printf(dst, size, "%d:%02d", m, (int)(s % 60));
}

void time_badge(const struct console *c, bool is_short, char *dst, size_t size)
{
	const struct console_moment *m = &c->moment;
	char at[16], span[32], back[40] = " end", again[8] = "", zone[8];
	unsigned turn;

	dst[0] = '\0';
	if (!m->replay)
		return;
	/* The first moment has not arrived yet. */
	if (m->at_us <= 0) {
		(void)str_printf(dst, size, "%s%s", m->engine ? "ENGINE" : "REPLAY",
			m->seeking ? " SEEKING" : "");
		return;
	}
	time_hms(c, m->at_us, at, sizeof(at));
	if (m->to_us > m->at_us) {
		span_text(m->to_us - m->at_us, span, sizeof(span));
		(void)str_printf(back, sizeof(back), " -%s", span);
	}
	if (m->seeking)
		(void)str_copy(back, sizeof(back), " SEEKING");
	turn = clock_track_turn(clock_of(c), m->at_us, m->from_us, m->to_us);
	if (turn)
		(void)str_printf(again, sizeof(again), "#%u", turn);
	(void)str_printf(dst, size, "%s %s%s%s%s", m->engine ? "ENGINE" : "REPLAY", at,
		time_zone_mark(c, m->at_us, zone, sizeof(zone)), again,
		is_short && !m->seeking ? "" : back);
}

void time_speed(const struct console_moment *m, char *dst, size_t size)
{
	if (!m->speed)
		(void)str_copy(dst, size, "||");
	else if (m->speed % SPEED_ONE == 0)
		(void)str_printf(dst, size, "x%" PRId64, m->speed / SPEED_ONE);
	else
		(void)str_printf(dst, size, "x%.3g", (double)m->speed / SPEED_ONE);
}

/* ---- requests for another moment ---- */

static bool request_moment(struct console *c, enum scrub how, int64_t arg, struct err *err)
{
	const struct console_hooks *h = &c->opts.hooks;

	if (!h->scrub) {
		err_set(err, ERR_UNSUPPORTED, "", "there is no recording to show");
		return err_cure(err, "open one with railtop open FILE");
	}
	/* Collection goes on while the operator looks at the past. */
	if (c->paused && !console_past(c) && how != SCRUB_LIVE)
		console_pause(c);
	timeline_learn(c);
	return h->scrub(h->ctx, how, arg, err);
}

static bool scrub_steps(struct console *c, int steps, struct err *err)
{
	if (!steps)
		return true;
	if (c->opts.hooks.scrub && c->has_moment && !console_past(c) && steps > 0)
		return err_set(err, ERR_USAGE, "", "this is now: later data does not exist");
	return request_moment(c, SCRUB_STEP, steps, err);
}

bool console_scrub(struct console *c, const char *text, struct err *err)
{
	char *end = NULL;
	long steps = strtol(text, &end, 10);

	if (end == text || *end || steps < -SCRUB_STEPS_MAX || steps > SCRUB_STEPS_MAX) {
		err_set(err, ERR_USAGE, "", "%s is not a number of steps",
			text[0] ? text : "nothing");
		return err_cure(err, "scrub -1 goes one step back, scrub 1 one step forward");
	}
	return scrub_steps(c, (int)steps, err);
}

bool console_live(struct console *c, struct err *err)
{
	return console_at(c, "live", err);
}

/* ---- parsing of times ---- */

/* The first and last moment of the recording; false: unknown. */
static bool recording_bounds(const struct console *c, int64_t *from, int64_t *to)
{
	*from = c->moment.from_us;
	*to = c->moment.to_us;
	return c->has_moment && *from > 0 && *to >= *from;
}

static bool refuse_outside(
	const struct console *c, int64_t from, int64_t to, const char *said, struct err *err)
{
	char first[32], last[32];

	err_set(err, ERR_USAGE, "", "nothing was recorded at that time%s%s", said[0] ? ": " : "",
		said);
	return err_cure(err, "the recording covers %s to %s",
		time_date(c, from, first, sizeof(first)), time_date(c, to, last, sizeof(last)));
}

bool time_go_to(struct console *c, int64_t us, struct err *err)
{
	int64_t from, to;

	/* The user types seconds, and moments are finer. */
	if (recording_bounds(c, &from, &to) &&
		((us < from - CLOCK_SEC && !c->moment.before) || us > to + CLOCK_SEC))
		return refuse_outside(c, from, to, "", err);
	return request_moment(c, SCRUB_AT, us, err);
}

/* A time of day or a date, as the clock showed it. */
static bool at_text(struct console *c, const char *text, int64_t here, struct err *err)
{
	int64_t from = INT64_MIN / 4, to = c->now_us;
	bool bounds = recording_bounds(c, &from, &to);
	struct clock_moment found;
	char typed[64];

	if (clock_zone_typed(
		    &c->units.zone, text, clock_track_wall(clock_of(c), to), typed, sizeof(typed)))
		text = typed;
	if (!bounds) {
		from = INT64_MIN / 4;
		to = c->now_us;
	}
	switch (clock_track_find(clock_of(c), text, here, from, to, &found)) {
	case CLOCK_NOT_A_TIME:
		err_set(err, ERR_USAGE, "", "%s is not a time", text[0] ? text : "nothing");
		return err_cure(err, "02:13:30, 2026-11-22T02:13:30, -5m, +30s or live");
	case CLOCK_NOT_THERE:
		if (bounds && !(c->moment.before && found.us < from))
			return refuse_outside(c, from, to, found.said, err);
		break;
	case CLOCK_FOUND:
		break;
	}
	if (!request_moment(c, SCRUB_AT, found.us, err))
		return false;
	if (found.said[0])
		console_message(c, ROLE_WARN, "%s", found.said);
	return true;
}

bool console_at(struct console *c, const char *text, struct err *err)
{
	int64_t here = console_past(c) ? c->moment.at_us : c->now_us, us;

	if (str_eq(text, "live") || str_eq(text, "now"))
		return request_moment(c, SCRUB_LIVE, 0, err);
	if ((text[0] != '-' && text[0] != '+') || !clock_parse(text, here, here, &us))
		return at_text(c, text, here, err);
	if (us > here && c->opts.hooks.scrub && c->has_moment && !console_past(c))
		return err_set(err, ERR_USAGE, "", "this is now: later data does not exist");
	return request_moment(c, SCRUB_BY, us - here, err);
}

/* ---- playing ---- */

bool console_play(struct console *c, const char *text, struct err *err)
{
	double factor = 1;

	if (str_eq(text, "stop"))
		return request_moment(c, SCRUB_PLAY, 0, err);
	if (c->opts.hooks.scrub && c->has_moment && !console_past(c)) {
		err_set(err, ERR_USAGE, "", "this is now: it advances by itself");
		return err_cure(err, "go back first: at -5m");
	}
	if (text[0] && (!str_to_double(text + (text[0] == 'x'), &factor) || !(factor >= 0.01) ||
			       !(factor <= SPEED_MOST))) {
		err_set(err, ERR_USAGE, "", "%s is not a speed", text);
		return err_cure(err, "0.01 to %d, or stop", SPEED_MOST);
	}
	return request_moment(c, SCRUB_PLAY, (int64_t)(factor * SPEED_ONE + 0.5), err);
}

void time_pause(struct console *c)
{
	int64_t speed = c->moment.speed ? 0 : c->speed ? c->speed : SPEED_ONE;
	struct err err = {0};

	if (!request_moment(c, SCRUB_PLAY, speed, &err))
		console_error(c, &err);
}

/* ---- other requests about recordings ---- */

void console_recording(struct console *c, enum recording_state state)
{
	c->dirty |= c->recording != state;
	c->recording = state;
}

bool console_record(struct console *c, const char *text, struct err *err)
{
	const struct console_hooks *h = &c->opts.hooks;

	if (!h->record) {
		err_set(err, ERR_UNSUPPORTED, "", "the console cannot record here");
		return err_cure(err, "railtop record makes a recording from the command line");
	}
	if (!*text) {
		err_set(err, ERR_USAGE, "", "no file to record into");
		return err_cure(err, "record FILE.rts; record stop ends it");
	}
	if (str_eq(text, "stop"))
		return h->record(h->ctx, "", err);
	/* A new file begins with the current state, and a pause freezes that state. */
	if (c->paused && !console_past(c)) {
		err_set(err, ERR_REFUSED, "", "the screen is frozen, and no new data is applied");
		return err_cure(err, "resume first: p");
	}
	return h->record(h->ctx, text, err);
}

bool console_diff(struct console *c, const char *text, struct err *err)
{
	const struct console_hooks *h = &c->opts.hooks;

	if (!h->diff) {
		err_set(err, ERR_UNSUPPORTED, "", "there is no recording to compare");
		return err_cure(err, "railtop diff A B compares two files");
	}
	return h->diff(h->ctx, text, err) &&
	       console_open(c, &view_diff, (struct ref){.kind = REF_FABRIC}, err);
}

void console_differences(struct console *c, const difference_vec *v, int64_t from_us, int64_t to_us)
{
	c->differences = (struct differences){.list = v, .from_us = from_us, .to_us = to_us};
	console_touch(c);
}

static bool snapshot_now(struct console *c, const char *reason, struct err *err)
{
	const struct console_hooks *h = &c->opts.hooks;

	return h->snapshot(h->ctx, reason, err);
}

bool console_snapshot(struct console *c, const char *reason, struct err *err)
{
	if (!c->opts.hooks.snapshot) {
		err_set(err, ERR_UNSUPPORTED, "", "the console cannot write a snapshot here");
		return err_cure(err, "railtop snapshot makes one from the command line");
	}
	if (*reason)
		return snapshot_now(c, reason, err);
	if (!c->model)
		return err_set(err, ERR_USAGE, "", "there is no data yet");
	console_ask_text(c, &c->texting, "snapshot, reason (Enter: none): ", snapshot_now);
	return true;
}
