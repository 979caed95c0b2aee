/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/ledger/ledger.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "actions/ledger/ledger_file.h"
#include "base/mem.h"
#include "base/str.h"

const char *ledger_event_name(enum ledger_event e)
{
	static const char *const names[LEDGER_EVENT_COUNT] = {"refused", "approved", "begun",
		"sending", "answered", "lost", "read", "done", "failed", "unknown", "watched",
		"settled", "mended"};

	return (unsigned)e < LEDGER_EVENT_COUNT ? names[e] : "";
}

/* Whether every account can replace our file, because all can write the directory. */
static bool directory_open_to_all(const char *path, struct err *err)
{
	char *dir = ledger_beside(path, ".");
	struct stat st;
	bool bad = stat(dir, &st) == 0 && (st.st_mode & S_IWOTH) && !(st.st_mode & S_ISVTX);

	if (bad) {
		(void)err_set(err, ERR_REFUSED, dir,
			"other users can replace files in it (mode %04o)",
			(unsigned)(st.st_mode & 07777));
		(void)err_cure(err, "chmod o-w %s", dir);
	}
	free(dir);
	return bad;
}

/* Refuses to create a ledger beside an old head: the ledger that belongs to it was removed. */
static bool may_be_new(const char *path, struct err *err)
{
	struct ledger_mark head;
	bool there;

	if (!ledger_head_read(path, &head, &there, err))
		return false;
	if (!there || head.n == 0)
		return true;
	(void)err_set(err, ERR_REFUSED, path, "is gone: the head has line %llu",
		(unsigned long long)head.n);
	return err_cure(err,
		"restore it, or move %s.head away as well: railtop ledger verify has details",
		path);
}

/* Several operators share a directory that its group can write, so they share the ledger too. */
static mode_t mode_of_new(const char *path)
{
	char *dir = ledger_beside(path, ".");
	struct stat st;
	mode_t mode = stat(dir, &st) == 0 && (st.st_mode & S_IWGRP) ? 0660 : 0640;

	free(dir);
	return mode;
}

static bool finish_new(struct ledger *l, mode_t mode, struct err *err)
{
	/* The umask must not change the mode: lock and head get the same one. */
	l->mode = mode;
	if (fchmod(l->fd, mode) == 0 && ledger_directory_sync(l->path))
		return !directory_open_to_all(l->path, err);
	return err_system(err, ERR_IO, l->path, "", errno);
}

static bool open_or_make(struct ledger *l, struct err *err)
{
	struct stat st;
	int code;

	for (int attempt = 0; attempt < 3; attempt++) {
		if (ledger_file_open(l->path, O_RDWR | O_APPEND, 0, &l->fd, &st, &code, err)) {
			l->mode = st.st_mode & 0777;
			return !directory_open_to_all(l->path, err);
		}
		if (code != ENOENT)
			break;
		if (!may_be_new(l->path, err) || !ledger_directories(l->path, err))
			return false;
		/* O_EXCL: if another process creates the file meanwhile, we open its file. */
		if (ledger_file_open(l->path, O_RDWR | O_APPEND | O_CREAT | O_EXCL, 0600, &l->fd,
			    &st, &code, err))
			return finish_new(l, mode_of_new(l->path), err);
		if (code != EEXIST)
			break;
	}
	if (code == EROFS || code == EACCES || code == EPERM)
		(void)err_cure(err, "name a file that this account can write (actions: ledger: in "
				    "the inventory)");
	return false;
}

/* Checks under the lock that the end is whole and fits the head. Brings the head up to date. */
static bool look_at_end(struct ledger *l, struct err *err)
{
	struct ledger_follow tail;
	bool there;
	off_t size = 0;

	if (!ledger_same_file(l, &size, err) ||
		!ledger_tail_read(l->fd, l->path, size, &tail, err) ||
		!ledger_head_fits(l->fd, l->path, &tail, &there, err))
		return false;
	if (tail.end < tail.size && !ledger_mend(l, &tail, err))
		return false;
	l->last = tail.last;
	return ledger_head_write(l->path, &l->last, l->mode, err);
}

struct ledger *ledger_open(const struct ledger_opts *o, const struct who *who, struct err *err)
{
	struct ledger *l = mem_calloc(1, sizeof(*l));
	bool ok;

	l->path = mem_strdup(o->path);
	l->lock_path = ledger_beside(o->path, "actions.lock");
	l->fd = l->lock_fd = -1;
	l->who = *who;
	l->clock = o->clock ? o->clock : &clock_system;
	l->copy = o->copy;
	l->ctx = o->ctx;
	ok = open_or_make(l, err) && ledger_file_lock(l->fd, true, l->path, err);
	if (ok) {
		ok = look_at_end(l, err);
		ledger_file_unlock(l->fd);
	}
	if (ok)
		return l;
	ledger_close(l);
	return NULL;
}

void ledger_close(struct ledger *l)
{
	if (!l)
		return;
	ledger_unlock(l);
	if (l->fd >= 0)
		(void)close(l->fd);
	free(l->path);
	free(l->lock_path);
	free(l);
}

bool ledger_same_file(const struct ledger *l, off_t *size, struct err *err)
{
	struct stat mine, named;

	if (fstat(l->fd, &mine) != 0)
		return err_system(err, ERR_IO, l->path, "", errno);
	if (lstat(l->path, &named) != 0 || named.st_dev != mine.st_dev ||
		named.st_ino != mine.st_ino) {
		(void)err_set(
			err, ERR_REFUSED, l->path, "was taken away or replaced while it was open");
		return err_cure(err, "check it: railtop ledger verify");
	}
	*size = mine.st_size;
	return true;
}

static bool no_room(const struct ledger *l, size_t bytes, int code, struct err *err)
{
	(void)err_set(err, ERR_IO, l->path, "no room for %zu KB more: %s", (bytes + 1023) / 1024,
		strerror(code));
	return err_cure(err, "free space on its disk: df -h %s", l->path);
}

/*
 * For file systems without allocation ahead: writes a file of that size beside it, and removes it.
 */
static bool room_beside(const struct ledger *l, size_t bytes, struct err *err)
{
	char *name = ledger_beside(l->path, ".room");
	char *zeros = mem_calloc(1, bytes);
	bool ok = ledger_file_replace(name, zeros, bytes, 0600, 0, err);

	(void)unlink(name);
	free(zeros);
	free(name);
	return ok;
}

bool ledger_reserve(struct ledger *l, size_t bytes, struct err *err)
{
	struct rlimit limit;
	off_t size = 0;
	int code = 0;

	if (!ledger_same_file(l, &size, err))
		return false;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
		(rlim_t)size + bytes > limit.rlim_cur)
		return no_room(l, bytes, EFBIG, err);
	do
		code = fallocate(l->fd, FALLOC_FL_KEEP_SIZE, size, (off_t)bytes) == 0 ? 0 : errno;
	while (code == EINTR);
	if (code == EOPNOTSUPP || code == ENOSYS) {
		if (!room_beside(l, bytes, err))
			return false;
	} else if (code != 0) {
		return no_room(l, bytes, code, err);
	}
	/* Each line also replaces the head, which is a file of its own. */
	if (!ledger_file_lock(l->fd, true, l->path, err))
		return false;
	bool ok = look_at_end(l, err);
	ledger_file_unlock(l->fd);
	return ok;
}
