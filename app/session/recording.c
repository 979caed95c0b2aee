/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/recording.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

#include "app/options/options.h"
#include "app/config/user_identity.h"
#include "app/sandbox/confine.h"
#include "app/sandbox/scratch_dir.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"

#define QUEUE_BYTES ((size_t)64 << 20)
#define LIVE_FILE   "live.rts"

/* Closes an ended file in a thread: the disk may be slow. */
struct completion {
	uv_thread_t thread;
	struct rts_writer *w; /* NULL: none */
	atomic_bool done;
	bool bad;
	struct err err;
};

/* Opens the last hour's file in a thread: writing its plan takes as long as making the model. */
struct beginning {
	uv_thread_t thread;
	bool under_way;
	const struct plan *plan;
	struct err err;
};

struct recording {
	struct beginning beginning;
	struct completion ending;
	struct recorder *recorder;
	struct rts_writer *live, *file;
	char *dir, *live_path;  /* of the last hour's file */
	struct scratch_dir own; /* the directory, where the process has none */
	bool told_live, told_file;
	struct recording_opts opts;
};

/* ---- the directory of the last hour's file ---- */

static const char *const live_files[] = {
	LIVE_FILE, LIVE_FILE "-wal", LIVE_FILE "-shm", LIVE_FILE "-journal", LIVE_FILE ".new"};

/* Of the process's own directory only these go: others use it too. */
static void remove_directory(struct recording *r)
{
	char path[1024];

	for (size_t i = 0; r->dir && i < sizeof(live_files) / sizeof(live_files[0]); i++)
		if (str_printf(path, sizeof(path), "%s/%s", r->dir, live_files[i]))
			(void)unlink(path);
	scratch_dir_remove(&r->own);
	free(r->dir);
}

static bool make_directory(struct recording *r, struct err *err)
{
	const char *dir = confine_scratch();
	size_t size;

	if (!dir && !scratch_dir_make(&r->own, err))
		return false;
	r->dir = mem_strdup(dir ? dir : r->own.path);
	size = strlen(r->dir) + sizeof("/" LIVE_FILE);
	r->live_path = mem_alloc(size);
	(void)str_printf(r->live_path, size, "%s/" LIVE_FILE, r->dir);
	return true;
}

/* The requested size, at most a quarter of the free disk space, which others need too. */
static uint64_t live_bytes(const struct recording *r)
{
	uint64_t want = r->opts.live_bytes ? r->opts.live_bytes : RECORDING_LIVE_BYTES;
	struct statvfs fs;
	uint64_t quarter;

	if (statvfs(r->dir, &fs) != 0)
		return want;
	quarter = (uint64_t)fs.f_bavail * fs.f_frsize / 4;
	return quarter < want ? quarter : want;
}

/* ---- writers ---- */

static struct rts_writer *open_writer(const struct recording *r, const struct plan *plan,
	const char *path, bool live, struct err *err)
{
	char user[32], host[NAME_MAX_LEN];
	struct rts_writer_opts o = {.path = path,
		.plan = plan,
		.tool = "railtop " RAILTOP_VERSION,
		.user = user,
		.host = host,
		.kind = live ? "live" : "recording",
		.queue_bytes = QUEUE_BYTES,
		.clock = r->opts.clock,
		.patient = r->opts.patient && !live,
		.exclusive = live};

	user_identity(user, sizeof(user), host, sizeof(host));
	if (live) {
		o.forget_us = RECORDING_LIVE_US;
		o.forget_bytes = live_bytes(r);
	} else {
		o.rotate_bytes = r->opts.rotate_bytes;
		o.rotate_us = r->opts.rotate_us;
		o.keep = r->opts.keep;
	}
	return rts_writer_open(&o, err);
}

static void begin_live(void *arg)
{
	struct recording *r = arg;
	struct beginning *b = &r->beginning;

	if (make_directory(r, &b->err))
		r->live = open_writer(r, b->plan, r->live_path, true, &b->err);
}

static void open_live(struct recording *r, const struct plan *plan)
{
	struct beginning *b = &r->beginning;

	b->plan = plan;
	b->under_way = uv_thread_create(&b->thread, begin_live, r) == 0;
	if (!b->under_way)
		begin_live(r);
}

/* Errors are found again, and told, where the file is opened for writing. */
static void follow_file(const char *path, struct clock_track *clock)
{
	struct err err = {0};
	struct rts *r = access(path, F_OK) == 0 ? rts_open(path, &err) : NULL;

	if (r && rts_info(r)->to_us) {
		clock_track_copy(clock, rts_clock(r));
		clock_session_continue(clock, rts_info(r)->to_us);
	}
	rts_close(r);
}

struct recording *recording_open(
	const struct recording_opts *o, const struct plan *plan, struct err *err)
{
	struct recording *r = mem_calloc(1, sizeof(*r));

	r->opts = *o;
	r->own.lock = -1;
	if (o->path) {
		if (o->clock)
			follow_file(o->path, o->clock);
		r->file = open_writer(r, plan, o->path, false, err);
		if (!r->file) {
			(void)recording_close(r, NULL);
			return NULL;
		}
	}
	if (o->live)
		open_live(r, plan);
	return r;
}

static void end_beginning(struct recording *r)
{
	if (r->beginning.under_way)
		(void)uv_thread_join(&r->beginning.thread);
	r->beginning.under_way = false;
}

void recording_begun(struct recording *r, void (*warn)(void *ctx, const char *message), void *ctx)
{
	char text[640];

	if (!r)
		return;
	end_beginning(r);
	if (r->beginning.err.code != ERR_NONE && warn)
		warn(ctx, err_format(&r->beginning.err, text, sizeof(text)));
	r->recorder = recorder_new(r->live, r->file);
}

/* ---- closing a file ---- */

static void close_ended(void *arg)
{
	struct completion *e = arg;

	e->bad = !rts_writer_close(e->w, &e->err);
	atomic_store(&e->done, true);
}

/* False: still under way, and wait is false. */
static bool join_ended(struct recording *r, bool wait)
{
	struct completion *e = &r->ending;

	if (!e->w)
		return true;
	if (!wait && !atomic_load(&e->done))
		return false;
	(void)uv_thread_join(&e->thread);
	e->w = NULL;
	return true;
}

static void end_file(struct recording *r, struct rts_writer *w)
{
	struct completion *e = &r->ending;

	e->w = w;
	e->bad = false;
	e->err = (struct err){0};
	atomic_store(&e->done, false);
	if (uv_thread_create(&e->thread, close_ended, e) != 0) {
		close_ended(e);
		e->w = NULL;
	}
}

bool recording_close(struct recording *r, struct err *err)
{
	bool ok = true;

	if (!r)
		return true;
	end_beginning(r);
	recorder_free(r->recorder);
	(void)join_ended(r, true);
	if (r->ending.bad) {
		ok = false;
		if (err)
			*err = r->ending.err;
	}
	if (r->file && !rts_writer_close(r->file, ok ? err : NULL))
		ok = false;
	if (r->live)
		(void)rts_writer_close(r->live, NULL);
	remove_directory(r);
	free(r->live_path);
	free(r);
	return ok;
}

bool recording_file(struct recording *r, const char *path, const struct plan *plan, struct err *err)
{
	struct rts_writer *was = r->file, *now = NULL;

	if (path && was) {
		err_set(err, ERR_USAGE, path, "is not recorded: another recording runs");
		return err_cure(err, "end it first: record stop");
	}
	if (!path && !was)
		return err_set(err, ERR_USAGE, "record", "no recording is running");
	/* The new file may have the same path. */
	if (!join_ended(r, false)) {
		err_set(err, ERR_REFUSED, path ? path : "record",
			"the previous file is still being completed");
		return err_cure(err, "wait a moment and try again");
	}
	if (path && !(now = open_writer(r, plan, path, false, err)))
		return false;
	recording_drop(r);
	recorder_second(r->recorder, now);
	r->file = now;
	r->told_file = false;
	if (was)
		end_file(r, was);
	return true;
}

bool recording_into_file(const struct recording *r)
{
	return r && r->file;
}

/* ---- input ---- */

void recording_obs(struct recording *r, struct obs *o, int64_t at_us)
{
	if (o->raw && r->live)
		rts_writer_raw(r->live, o->device, o->request, o->asked ? o->asked : "", at_us,
			o->raw, o->raw_len);
	if (o->raw && r->file)
		rts_writer_raw(r->file, o->device, o->request, o->asked ? o->asked : "", at_us,
			o->raw, o->raw_len);
	recorder_obs(r->recorder, o, at_us);
}

void recording_judged(struct recording *r, int64_t at_us)
{
	recorder_judged(r->recorder, at_us);
}

bool recording_watch_clock(
	struct recording *r, struct clock_track *t, struct model *m, char *text, size_t size)
{
	int64_t now, wall;

	clock_both(&now, &wall);
	if (!recording_step_clock(r, t, m, now, wall))
		return false;
	(void)clock_step_sentence(t, t->steps.n - 1, text, size);
	return true;
}

bool recording_step_clock(struct recording *r, struct clock_track *t, struct model *m,
	int64_t session_us, int64_t wall_us)
{
	char text[96];

	if (!clock_track_note(t, session_us, wall_us))
		return false;
	model_set_clock(m, t);
	if (r)
		recorder_stepped(r->recorder, t);
	log_line("clock", "%s", clock_step_sentence(t, t->steps.n - 1, text, sizeof(text)));
	return true;
}

void recording_entry(struct recording *r, struct entry *e)
{
	recorder_entry(r->recorder, e);
}

bool recording_due(struct recording *r)
{
	return recorder_due(r->recorder);
}

bool recording_work(
	struct recording *r, struct model *m, struct diag *d, int64_t now_us, int64_t budget_us)
{
	return recorder_work(r->recorder, m, d, now_us, budget_us);
}

void recording_drop(struct recording *r)
{
	recorder_drop(r->recorder);
}

/* ---- queries ---- */

const char *recording_live_path(const struct recording *r)
{
	return r && r->live ? r->live_path : NULL;
}

void recording_flush(struct recording *r, void (*done)(void *ctx, const struct err *e), void *ctx)
{
	rts_writer_flush(r->live ? r->live : r->file, done, ctx);
}

static void on_settled(void *ctx, const struct err *e)
{
	(void)e; /* recording_status() reports it */
	uv_sem_post(ctx);
}

void recording_settle(struct recording *r)
{
	uv_sem_t settled;

	if (!r->file || uv_sem_init(&settled, 0) != 0)
		return;
	rts_writer_flush(r->file, on_settled, &settled);
	uv_sem_wait(&settled);
	uv_sem_destroy(&settled);
}

struct rts_status recording_status(struct recording *r)
{
	struct rts_status none = {0};

	if (!r->live && !r->file)
		return none;
	return rts_writer_status(r->file ? r->file : r->live);
}

static bool problem_of(struct rts_writer *w, bool *told, const char *what, char *text, size_t size)
{
	struct rts_status s = {0};
	char why[640];

	if (w)
		s = rts_writer_status(w);
	/* Writing works again: report the next failure anew. */
	if (!s.failed)
		*told = false;
	if (!s.failed || *told)
		return false;
	*told = true;
	(void)str_printf(text, size, "%s: %s", what, err_format(&s.err, why, sizeof(why)));
	return true;
}

/* The error of a closed file. */
static bool problem_of_end(struct recording *r, char *text, size_t size)
{
	char why[640];

	/* Checks here too: the completion may have been joined by another caller before. */
	if (!join_ended(r, false) || !r->ending.bad)
		return false;
	r->ending.bad = false;
	(void)str_printf(
		text, size, "NOT ALL RECORDED: %s", err_format(&r->ending.err, why, sizeof(why)));
	return true;
}

bool recording_problem(struct recording *r, char *text, size_t size)
{
	return r && (problem_of_end(r, text, size) ||
			    problem_of(r->file, &r->told_file, "NOT RECORDED", text, size) ||
			    problem_of(r->live, &r->told_live, "past data ends here", text, size));
}
