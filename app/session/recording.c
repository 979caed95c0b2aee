/* SPDX-License-Identifier: Apache-2.0 */
#include "app/session/recording.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <uv.h>

#include "app/options/options.h"
#include "app/config/user_identity.h"
#include "base/mem.h"
#include "base/str.h"

#define QUEUE_BYTES ((size_t)64 << 20)
#define LIVE_PREFIX "railtop-live-"
#define LIVE_FILE   "live.rts"
#define LIVE_TRIES  20

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
	char *dir, *live_path; /* of the last hour's file */
	int lock;              /* on that directory; held while the directory is in use */
	bool told_live, told_file;
	struct recording_opts opts;
};

/* ---- the directory of the last hour's file ---- */

static const char *temporary_dir(void)
{
	const char *dir = getenv("TMPDIR");

	/* Not /tmp, which may be in memory: an hour of a large fabric is too large for that. */
	return dir && dir[0] == '/' ? dir : "/var/tmp";
}

static void remove_files(const char *dir)
{
	static const char *const names[] = {LIVE_FILE, LIVE_FILE "-wal", LIVE_FILE "-shm",
		LIVE_FILE "-journal", LIVE_FILE ".new"};
	char path[1024];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (str_printf(path, sizeof(path), "%s/%s", dir, names[i]))
			(void)unlink(path);
	(void)rmdir(dir);
}

static int lock_directory(const char *dir)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

/* Removes directories of killed consoles. A live console holds the lock of its directory. */
static void remove_leftovers(const char *base)
{
	DIR *d = opendir(base);
	const struct dirent *e;
	char path[1024];

	while (d && (e = readdir(d))) {
		int fd;

		if (!str_starts(e->d_name, LIVE_PREFIX) ||
			!str_printf(path, sizeof(path), "%s/%s", base, e->d_name))
			continue;
		fd = lock_directory(path);
		if (fd < 0)
			continue;
		remove_files(path);
		(void)close(fd);
	}
	if (d)
		(void)closedir(d);
}

static bool make_directory(struct recording *r, struct err *err)
{
	const char *base = temporary_dir();
	char path[1024];

	remove_leftovers(base);
	/* Another console may remove the directory before it is locked: try again. */
	for (unsigned i = 0; i < LIVE_TRIES; i++) {
		if (!str_printf(path, sizeof(path), "%s/" LIVE_PREFIX "XXXXXX", base) ||
			!mkdtemp(path)) {
			err_system(err, ERR_IO, base, "no directory for the last hour", errno);
			return err_cure(err, "let TMPDIR name a directory with room");
		}
		r->lock = lock_directory(path);
		if (r->lock >= 0 && access(path, F_OK) == 0)
			break;
		if (r->lock >= 0)
			(void)close(r->lock);
		r->lock = -1;
		(void)rmdir(path);
	}
	if (r->lock < 0) {
		err_set(err, ERR_IO, base, "no directory for the last hour can be locked");
		return err_cure(err, "let TMPDIR name a local directory with room");
	}
	r->dir = mem_strdup(path);
	r->live_path = mem_alloc(strlen(path) + sizeof("/" LIVE_FILE));
	(void)str_printf(r->live_path, strlen(path) + sizeof("/" LIVE_FILE), "%s/" LIVE_FILE, path);
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

struct recording *recording_open(
	const struct recording_opts *o, const struct plan *plan, struct err *err)
{
	struct recording *r = mem_calloc(1, sizeof(*r));

	r->opts = *o;
	r->lock = -1;
	if (o->path) {
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
	if (r->dir)
		remove_files(r->dir);
	if (r->lock >= 0)
		(void)close(r->lock);
	free(r->live_path);
	free(r->dir);
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

char *recording_state_path(const char *name)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	char path[1024];

	/* A relative XDG path must be ignored (XDG base directory specification). */
	if (xdg && xdg[0] == '/')
		return str_printf(path, sizeof(path), "%s/railtop/%s", xdg, name) ? mem_strdup(path)
										  : NULL;
	if (home && home[0] == '/' &&
		str_printf(path, sizeof(path), "%s/.local/state/railtop/%s", home, name))
		return mem_strdup(path);
	return NULL;
}
