/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "archive/recording/writer_internal.h"
#include "base/clock.h"
#include "base/str.h"

/* After BUSY_TRIES rotations blocked by a reader, wait BUSY_US: each try costs a whole keyframe. */
#define BUSY_TRIES 2
#define BUSY_US    (60 * CLOCK_SEC)

#define STAMP_LEN 16 /* 20261122T021330Z */

struct rts_about rts_writer_about(const struct rts_writer *w)
{
	return (struct rts_about){.fabric = w->fabric,
		.plan = &w->plan,
		.tool = w->tool,
		.user = w->user,
		.host = w->host,
		.kind = w->kind,
		.clock = w->clock,
		.counted = w->clock != NULL};
}

bool rts_rotate_due(const struct rts_writer *w)
{
	const struct rts_file *f = &w->filer.file;

	if (!f->at.entries || clock_mono(&clock_system) < w->filer.rotate_mono_us)
		return false;
	return (w->opts.rotate_bytes && f->bytes > w->opts.rotate_bytes) ||
	       (w->opts.rotate_us && f->at.to_us - f->at.from_us > w->opts.rotate_us);
}

/* Length of the path without ".rts". */
static size_t stem_length(const char *path)
{
	size_t n = strlen(path);

	return n > 4 && strcmp(path + n - 4, ".rts") == 0 ? n - 4 : n;
}

static bool name_of(
	const struct rts_writer *w, int64_t from_us, unsigned number, char *dst, size_t size)
{
	char utc[32], digits[STAMP_LEN + 1] = "", more[16] = "";
	size_t n = 0;

	clock_format_utc(from_us, utc, sizeof(utc));
	for (const char *p = utc; *p && n < STAMP_LEN; p++)
		if (*p != '-' && *p != ':')
			digits[n++] = *p;
	if (number)
		(void)str_printf(more, sizeof(more), "-%u", number);
	return str_printf(
		dst, size, "%.*s-%s%s.rts", (int)stem_length(w->path), w->path, digits, more);
}

static bool is_old(const char *name, const char *base, size_t base_len)
{
	const char *p = name + base_len;

	if (strncmp(name, base, base_len) != 0 || *p++ != '-')
		return false;
	for (size_t i = 0; i < STAMP_LEN; i++, p++)
		if (i == 8 ? *p != 'T' : i == 15 ? *p != 'Z' : *p < '0' || *p > '9')
			return false;
	return (*p == '-' || *p == '.') && strcmp(name + strlen(name) - 4, ".rts") == 0;
}

typedef VEC(char *) names;

static int by_name(const void *a, const void *b)
{
	return str_natcmp(*(char *const *)a, *(char *const *)b);
}

static void remove_old(const char *dir, names *all, unsigned keep)
{
	if (all->n)
		qsort(all->at, all->n, sizeof(*all->at), by_name);
	for (size_t i = 0; i < all->n; i++) {
		char path[8300];

		if (i + keep < all->n && str_printf(path, sizeof(path), "%s/%s", dir, all->at[i]))
			(void)unlink(path);
		free(all->at[i]);
	}
	vec_free(all);
}

/* Deletes rotated files except the newest. */
static void remove_rotated(const struct rts_writer *w)
{
	char dir[4200];
	const char *slash = strrchr(w->path, '/'), *base = slash ? slash + 1 : w->path;
	size_t base_len = stem_length(w->path) - (size_t)(base - w->path);
	names all = {0};
	struct dirent *e;
	DIR *d;

	if (!w->opts.keep)
		return;
	if (!slash)
		(void)str_copy(dir, sizeof(dir), ".");
	else if (!str_copyn(
			 dir, sizeof(dir), w->path, (size_t)(slash - w->path) + (slash == w->path)))
		return;
	d = opendir(dir);
	while (d && (e = readdir(d)) != NULL)
		if (is_old(e->d_name, base, base_len))
			vec_push(&all, mem_strdup(e->d_name));
	if (d)
		(void)closedir(d);
	remove_old(dir, &all, w->opts.keep);
}

/* Renames the file to a free name. Only this process writes such names, so there is no race. */
static bool move_away(struct rts_writer *w, int64_t from_us, struct err *err)
{
	char to[4200];

	for (unsigned number = 0; number < 1000; number++) {
		if (!name_of(w, from_us, number ? number + 1 : 0, to, sizeof(to)))
			break;
		if (link(w->path, to) == 0)
			return unlink(w->path) == 0 ||
			       err_system(err, ERR_IO, w->path, "cannot rename", errno);
		if (errno == EPERM || errno == EOPNOTSUPP || errno == ENOSYS) {
			/* No hard links here: check, then rename. */
			if (access(to, F_OK) != 0 && rename(w->path, to) == 0)
				return true;
		} else if (errno != EEXIST) {
			break;
		}
	}
	return err_system(err, ERR_IO, w->path, "cannot rename", errno);
}

bool rts_rotate(struct rts_writer *w, struct err *err)
{
	struct rts_file *f = &w->filer.file;
	struct rts_about about = rts_writer_about(w);
	int64_t from_us = f->at.from_us;
	bool busy = false;

	if (!rts_file_plain(f, &busy, err))
		return false;
	/* A reader keeps the WAL beside the file, so it cannot be renamed. Try again later. */
	if (busy) {
		if (++w->filer.busy > BUSY_TRIES)
			w->filer.rotate_mono_us = clock_mono(&clock_system) + BUSY_US;
		return rts_file_begin(f, err);
	}
	w->filer.busy = 0;
	w->filer.rotate_mono_us = 0;
	rts_file_close(f);
	if (!move_away(w, from_us, err))
		return false;
	remove_rotated(w);
	return rts_file_open(f, w->path, &about, false, err);
}

/* ---- deleting old entries ---- */

/*
 * Chunk of the newest whole keyframe at or before t_us, the time of the oldest entry to keep. 0: no
 * such keyframe.
 */
static int64_t first_kept(struct rts_file *f, int64_t t_us, struct err *err)
{
	sqlite3_stmt *st = rts_prepare(f->db, f->path,
		"SELECT chunk FROM keyframe WHERE whole = 1 AND t_us <= ? ORDER BY id DESC LIMIT 1",
		err);
	int64_t id = 0;

	if (!st)
		return 0;
	sqlite3_bind_int64(st, 1, t_us);
	if (sqlite3_step(st) == SQLITE_ROW)
		id = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	return id;
}

static int64_t number_from(struct rts_file *f, const char *sql)
{
	sqlite3_stmt *st = rts_prepare(f->db, f->path, sql, NULL);
	int64_t v = st && sqlite3_step(st) == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;

	sqlite3_finalize(st);
	return v;
}

/* Bytes in use: deleted rows leave free pages that SQLite uses again. */
static uint64_t used_bytes(struct rts_file *f)
{
	return (uint64_t)(number_from(f, "PRAGMA page_count") -
			  number_from(f, "PRAGMA freelist_count")) *
	       (uint64_t)number_from(f, "PRAGMA page_size");
}

bool rts_forget_some(struct rts_writer *w, struct err *err)
{
	struct rts_file *f = &w->filer.file;
	int64_t below = 0;

	if (w->opts.forget_us)
		below = first_kept(f, f->at.to_us - w->opts.forget_us, err);
	/* Too large: deletes the oldest run between two whole keyframes, one run per call. */
	if (w->opts.forget_bytes && used_bytes(f) > w->opts.forget_bytes && below <= 1)
		below = number_from(f, "SELECT chunk FROM keyframe WHERE whole = 1 "
				       "ORDER BY id LIMIT 1 OFFSET 1");
	if (below <= 1 || number_from(f, "SELECT coalesce(min(id), 0) FROM chunk") >= below)
		return true;
	return rts_file_forget(f, below, err) && rts_file_commit(f, err);
}
