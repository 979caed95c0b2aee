/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/incremental/device_stream.h"
#include "backends/ssh/session_private.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * A kept shell with a filter asks itself one question every so often (device_stream.h), so that a
 * poll is one message and no request. Each answer is a difference to the one before it, so all of
 * them are read, and those that came too late only for that: what a device said some time ago would
 * be taken for what it says now. How late one is says the device's own clock: the way here takes no
 * less than the shortest of late has taken.
 */

#define EVERY_LEAST (CLOCK_SEC / 10)
#define END_US      (10 * CLOCK_SEC)
#define LATE_US     (CLOCK_SEC / 2) /* or a quarter of the interval, where that is more */
/* No device has run for thirty years. In hundredths of a second. */
#define UPTIME_MOST 100000000000ULL
/* Clocks differ by 200 ppm at most: by more than that the shortest way is forgotten. */
#define DRIFT 1000
/* The third failure is one too many, unless so many good ticks for each lie between them. */
#define STRIKE       100U
#define STRIKES_MOST 200U

struct ssh_stream {
	unsigned function;
	int64_t every_us;
	int64_t begun_us;
	int64_t last_us; /* the last tick that was in time, or its beginning */
	int64_t way_us,
		way_at;      /* least time that came minus the device's; when that was looked at */
	uint64_t place;      /* of that tick */
	uint64_t next_place; /* of the one that has come, or is coming */
	int64_t device_us;   /* the device's time of that */
	int64_t took_us;     /* how long it took there */
	bool told;           /* whoever listens knows of it */
	bool ending;         /* until the line that says so, what comes is of no use */
	unsigned end_seq;    /* of that line */
	int64_t deadline_us; /* of it */
};

static const struct request of_ticks = {.name = "tick", .cap = DELTA_BYTES_MOST};

/* ---- a tick that comes ---- */

static struct ssh_ask *tick_new(struct ssh_link *l)
{
	struct ssh_ask *a = ssh_ask_take(l->shard, l, &of_ticks);

	a->filtered = true;
	return a;
}

static void tick_free(struct ssh_shell *sh)
{
	struct ssh_ask *a = sh->main.ask;

	if (!a)
		return;
	ssh_lane_clear(&sh->main);
	ssh_ask_give(a->link->shard, a);
	sh->stream->told = false;
}

static bool tick_is_whole(const struct ssh_shell *sh)
{
	return sh->main.ask && sh->main.ask->eof;
}

/* The next one is a difference to this one, whoever wanted it. */
static void pass_over(struct ssh_link *l)
{
	bool ok = ssh_filter_pass(l->shell.main.ask);

	tick_free(&l->shell);
	l->steps++;
	if (!ok)
		ssh_stream_fail(l);
}

/* ---- its end ---- */

static void strike(struct ssh_shell *sh)
{
	sh->strikes += STRIKE;
	if (sh->strikes > STRIKES_MOST)
		sh->asked_why = "what it is to say by itself does not come in time";
}

static void end(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;
	struct ssh_stream *st = sh->stream;

	tick_free(sh);
	/* Ticks that are on their way change what the filter knows. */
	ssh_filter_forget(sh, st->function);
	st->ending = true;
	st->end_seq = ++sh->seq;
	st->deadline_us = ssh_now_us(l) + END_US;
	if (!buf_addf(&sh->in, "t_end %u\n", st->end_seq))
		sh->closed = true;
	l->steps++;
}

void ssh_stream_fail(struct ssh_link *l)
{
	strike(&l->shell);
	if (!l->shell.stream->ending)
		end(l);
}

void ssh_stream_forget(struct ssh_shell *sh)
{
	if (!sh->stream)
		return;
	tick_free(sh);
	free(sh->stream);
	sh->stream = NULL;
}

int64_t ssh_stream_deadline(const struct ssh_shell *sh)
{
	return sh->stream && sh->stream->ending ? sh->stream->deadline_us : 0;
}

static void await_end(struct ssh_link *l, const char *data, size_t len)
{
	struct ssh_shell *sh = &l->shell;
	char line[SSH_NONCE_SIZE + 16];
	size_t keep = sizeof(line);

	(void)str_printf(line, sizeof(line), "x%s %u\n", sh->nonce, sh->stream->end_seq);
	if (!buf_add(&sh->main.tail, data, len)) {
		sh->closed = true;
		return;
	}
	if (memmem(sh->main.tail.data, sh->main.tail.len, line, strlen(line))) {
		ssh_stream_forget(sh);
		buf_reset(&sh->main.tail);
	} else if (sh->main.tail.len > keep) {
		memmove(sh->main.tail.data, sh->main.tail.data + sh->main.tail.len - keep,
			keep + 1);
		sh->main.tail.len = keep;
	}
}

/* ---- what comes ---- */

static bool is_refusal(const struct ssh_shell *sh, const char *data, size_t len)
{
	size_t n = strlen(sh->nonce);

	return len == n + 2 && data[0] == 'n' && memcmp(data + 1, sh->nonce, n) == 0;
}

void ssh_stream_data(struct ssh_link *l, const char *data, size_t len)
{
	struct ssh_shell *sh = &l->shell;
	struct ssh_stream *st = sh->stream;
	size_t rest;

	if (st->ending) {
		await_end(l, data, len);
		return;
	}
	if (!sh->main.ask && is_refusal(sh, data, len)) {
		sh->asked_why = "no clock, or no sleep that knows fractions of a second";
		ssh_stream_forget(sh);
		return;
	}
	while (len && !st->ending) {
		/* It would have been told: this one is too late. */
		if (tick_is_whole(sh)) {
			pass_over(l);
			continue;
		}
		if (!sh->main.ask)
			ssh_shell_await(sh, &sh->main, tick_new(l), st->function, ++sh->seq);
		rest = ssh_lane_data(sh, &sh->main, data, len);
		if (sh->main.ask->out.overflow)
			ssh_stream_fail(l);
		data += len - rest;
		len = rest;
	}
}

const char *ssh_stream_mark(struct ssh_shell *sh, const char *text)
{
	struct ssh_stream *st = sh->stream;
	unsigned long long place, time, took;
	char *end = NULL;

	st->next_place = 0;
	place = *text == ' ' ? strtoull(text, &end, 10) : 0;
	if (!end || *end != ' ')
		return text;
	time = strtoull(end, &end, 10);
	if (time > UPTIME_MOST || *end != ' ')
		return text;
	took = strtoull(end, &end, 10);
	if (took > time)
		return text;
	st->next_place = place;
	st->device_us = (int64_t)time * (CLOCK_SEC / 100);
	st->took_us = (int64_t)took * (CLOCK_SEC / 100);
	return end;
}

/* Whether what has come is what the device says now. */
static bool in_time(struct ssh_stream *st, int64_t now_us)
{
	int64_t late = st->every_us / 4 > LATE_US ? st->every_us / 4 : LATE_US;
	int64_t way = now_us - st->device_us;

	if (st->way_at)
		st->way_us += (now_us - st->way_at) / DRIFT;
	if (!st->way_at || way < st->way_us)
		st->way_us = way;
	st->way_at = now_us;
	return way - st->way_us <= late;
}

/* A place that cannot have been yet: its sleep does not sleep, and its tool runs all the time. */
static bool is_too_fast(const struct ssh_stream *st, int64_t now_us)
{
	uint64_t passed = (uint64_t)((now_us - st->begun_us) / st->every_us);

	return st->next_place > passed + passed / DRIFT + 1;
}

void ssh_stream_step(struct ssh_link *l)
{
	struct ssh_shell *sh = &l->shell;
	struct ssh_stream *st = sh->stream;
	int64_t now = ssh_now_us(l);
	uint64_t left_out, passed;

	if (sh->full_why) {
		ssh_shell_drop(l);
		return;
	}
	if (st->ending || !tick_is_whole(sh))
		return;
	if (is_too_fast(st, now)) {
		ssh_stream_fail(l);
		return;
	}
	if (st->told || st->next_place <= st->place || !in_time(st, now) || !l->events.tick) {
		pass_over(l);
		return;
	}
	/* It may say what it likes, and no more places than there were. */
	passed = (uint64_t)((now - st->last_us) / st->every_us);
	left_out = st->next_place - st->place - 1;
	left_out = left_out < passed ? left_out : passed;
	st->place = st->next_place;
	st->last_us = now;
	st->told = true;
	sh->strikes -= sh->strikes > 0;
	l->steps++;
	l->events.tick(l->events.ctx, left_out);
}

/* ---- questions ---- */

static void swap_bufs(struct buf *a, struct buf *b)
{
	struct buf c = *a;

	*a = *b;
	*b = c;
}

static void hand_over(struct ssh_shell *sh, struct ssh_ask *a)
{
	struct ssh_ask *tick = sh->main.ask;

	swap_bufs(&a->out, &tick->out);
	swap_bufs(&a->complaint, &tick->complaint);
	a->status = tick->status;
	a->received = tick->received;
	a->began_us -= sh->stream->took_us;
	a->left = a->eof = a->filtered = true;
	a->stage = ASK_READING;
	tick_free(sh);
}

bool ssh_stream_is_of(const struct ssh_shell *sh, unsigned function)
{
	return sh->stream && sh->stream->function == function;
}

bool ssh_stream_runs(const struct ssh_shell *sh)
{
	return sh->stream && !sh->stream->ending;
}

bool ssh_stream_take(struct ssh_ask *a)
{
	struct ssh_link *l = a->link;
	struct ssh_shell *sh = &l->shell;
	struct ssh_stream *st = sh->stream;
	bool overdue = ssh_now_us(l) - st->last_us > st->every_us + st->every_us / 2;

	if (!st->ending && st->told && ssh_shell_function(sh, a->request) == st->function) {
		hand_over(sh, a);
		return true;
	}
	if (st->ending)
		return false;
	if (overdue) {
		/* What hangs there would have to end before the shell listens again. */
		strike(sh);
		ssh_shell_drop(l);
	} else {
		end(l);
	}
	return false;
}

bool ssh_stream_begin(struct ssh_link *l, unsigned function, int64_t every_us)
{
	struct ssh_shell *sh = &l->shell;
	struct ssh_stream *st;

	if (!sh->stream_known && !buf_adds(&sh->in, answer_stream_sh))
		return false;
	sh->stream_known = true;
	if (!buf_addf(&sh->in, "t_b %lld %u %u\n", (long long)(every_us / (CLOCK_SEC / 100)),
		    sh->seq, function))
		return false;
	st = sh->stream = mem_calloc(1, sizeof(*st));
	st->function = function;
	st->every_us = every_us;
	st->begun_us = st->last_us = ssh_now_us(l);
	l->steps++;
	return true;
}

bool ssh_stream_set(struct ssh_link *l, const struct request *r, int64_t every_us)
{
	struct ssh_shell *sh = &l->shell;
	struct ssh_stream *st = sh->stream;
	unsigned f = r ? ssh_shell_function(sh, r) : SSH_SHELL_TEXTS;

	if (st && !st->ending && (st->function != f || st->every_us != every_us))
		end(l);
	if (st)
		return !st->ending;
	/* What is not known differs from the last answer, so there is none that could be left out.
	 */
	if (every_us < EVERY_LEAST || f == SSH_SHELL_TEXTS || !sh->kept[f] ||
		sh->stage != SHELL_READY || sh->main.ask || sh->beside.ask || sh->closed ||
		sh->off || sh->filter != FILTER_ON || sh->full_why || sh->asked_why ||
		!ssh_shell_wants(l, r))
		return false;
	if (!ssh_stream_begin(l, f, every_us))
		sh->closed = true; /* part of it may be there */
	return sh->stream != NULL;
}
