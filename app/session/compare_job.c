/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/compare_job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

struct compare_job {
	struct compare_opts opts;
	uv_async_t flushed;
	uv_work_t work;
	difference_vec found;
	int64_t from_us, to_us; /* wall times */
	struct err err;
	bool ok;
};

static struct moment moment_of(struct replay *r)
{
	return (struct moment){replay_model(r), replay_diag(r), replay_now(r)};
}

static void on_work(uv_work_t *w)
{
	struct compare_job *j = w->data;
	struct replay *a = file_moment_replay(&j->opts.a, &j->err);
	struct replay *b = a ? file_moment_replay(&j->opts.b, &j->err) : NULL;

	j->ok = b != NULL;
	if (b) {
		struct moment before = moment_of(a), after = moment_of(b);

		difference_find(&before, &after, &j->found);
		j->from_us = model_wall(before.m, before.now_us);
		j->to_us = model_wall(after.m, after.now_us);
		/* Ids of another file mean nothing on the screen. */
		for (size_t i = 0; i < j->found.n && !str_eq(j->opts.b.path, j->opts.a.path); i++)
			j->found.at[i].at = (struct ref){.kind = REF_NONE};
	}
	replay_free(b);
	replay_free(a);
}

static void on_closed(uv_handle_t *h)
{
	free(h->data);
}

static void on_done(uv_work_t *w, int status)
{
	struct compare_job *j = w->data;

	(void)status;
	j->opts.done(j->opts.ctx, j->ok ? &j->found : NULL, j->from_us, j->to_us, &j->err);
	uv_close((uv_handle_t *)&j->flushed, on_closed);
}

static void on_flushed(uv_async_t *a)
{
	struct compare_job *j = a->data;

	(void)uv_queue_work(j->opts.loop, &j->work, on_work, on_done);
}

/* Called in the writer's thread. */
static void flush_done(void *ctx, const struct err *e)
{
	(void)e;
	(void)uv_async_send(&((struct compare_job *)ctx)->flushed);
}

struct compare_job *compare_job_start(const struct compare_opts *o)
{
	struct compare_job *j = mem_calloc(1, sizeof(*j));

	j->opts = *o;
	j->work.data = j->flushed.data = j;
	uv_async_init(o->loop, &j->flushed, on_flushed);
	if (o->recording)
		recording_flush(o->recording, flush_done, j);
	else
		(void)uv_async_send(&j->flushed);
	return j;
}

/* ---- parsing the arguments ---- */

static bool is_file(const char *word)
{
	return strstr(word, ".rts") || access(word, F_OK) == 0;
}

static void at_time(struct file_moment *m, const char *path, int64_t t_us)
{
	(void)str_copy(m->path, sizeof(m->path), path);
	m->t_us = t_us > 0 ? t_us : 1;
}

static bool read_word(const char *word, const char *path, const struct clock_track *clock,
	int64_t shown_us, int64_t from_us, int64_t latest_us, struct file_moment *out,
	struct err *err)
{
	struct clock_moment found;

	if (str_eq(word, "now") || str_eq(word, "live")) {
		*out = (struct file_moment){0};
		return str_copy(out->path, sizeof(out->path), path);
	}
	if (clock_track_find(clock, word, shown_us, from_us, latest_us, &found) !=
		CLOCK_NOT_A_TIME) {
		at_time(out, path, found.us);
		(void)str_copy(out->said, sizeof(out->said), found.said);
		return true;
	}
	if (is_file(word))
		return file_moment_read(word, out, err);
	err_set(err, ERR_USAGE, word, "is neither a time nor a recording");
	return err_cure(err, "02:13:30, -5m, now, or FILE.rts@TIME");
}

bool compare_read(const char *text, const char *path, const struct clock_track *clock,
	int64_t shown_us, int64_t from_us, int64_t latest_us, struct compare_opts *out,
	struct err *err)
{
	char first[1024], second[1024];
	const char *rest;

	text += strspn(text, " ");
	rest = text + strcspn(text, " ");
	(void)str_copyn(first, sizeof(first), text, (size_t)(rest - text));
	rest += strspn(rest, " ");
	(void)str_copyn(second, sizeof(second), rest, strcspn(rest, " "));
	rest += strcspn(rest, " ");
	if (rest[strspn(rest, " ")])
		return err_set(err, ERR_USAGE, "diff", "diff compares two moments, not three");
	at_time(&out->b, path, shown_us);
	if (!first[0])
		at_time(&out->a, path, from_us);
	else if (!read_word(first, path, clock, shown_us, from_us, latest_us, &out->a, err))
		return false;
	return !second[0] ||
	       read_word(second, path, clock, shown_us, from_us, latest_us, &out->b, err);
}
