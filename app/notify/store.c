/* SPDX-License-Identifier: Apache-2.0 */
#include "app/notify/store.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/sandbox/state_dir.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/regular_file.h"
#include "base/str.h"

#define BOOK_BYTES ((size_t)16 << 20)
#define PATH_ROOM  1100

struct store {
	char stem[PATH_ROOM - 32]; /* "": there is no state directory */
	int lock;                  /* -1: not held */
};

/* Names of fabrics are any text: all but plain characters become '_'. */
static bool stem_of(const char *fabric, const char *receiver, char *dst, size_t size)
{
	char *dir = state_dir_path("notify"), name[NAME_MAX_LEN];
	bool ok;

	(void)str_copy(name, sizeof(name), fabric);
	for (char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			*c = '_';
	ok = dir && state_dir_make(dir) && str_printf(dst, size, "%s/%s.%s", dir, name, receiver);
	if (!ok)
		dst[0] = '\0';
	free(dir);
	return ok;
}

struct store *store_new(const char *fabric, const char *receiver)
{
	struct store *s = mem_calloc(1, sizeof(*s));

	s->lock = -1;
	(void)stem_of(fabric, receiver, s->stem, sizeof(s->stem));
	return s;
}

void store_free(struct store *s)
{
	if (s->lock >= 0)
		(void)close(s->lock);
	free(s);
}

static bool has_no_place(const struct store *s, struct err *err)
{
	if (s->stem[0])
		return false;
	(void)err_set(err, ERR_IO, "notify", "there is no state directory: %s", strerror(errno));
	(void)err_cure(err, "set HOME or XDG_STATE_HOME to a directory that can be written");
	return true;
}

bool store_lock(struct store *s, struct err *err)
{
	char path[PATH_ROOM];

	if (s->lock >= 0)
		return true;
	if (has_no_place(s, err))
		return false;
	(void)str_printf(path, sizeof(path), "%s.lock", s->stem);
	s->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	if (s->lock < 0)
		return err_system(err, ERR_IO, path, "cannot be written", errno);
	if (flock(s->lock, LOCK_EX | LOCK_NB) == 0)
		return true;
	(void)close(s->lock);
	s->lock = -1;
	(void)err_set(err, ERR_REFUSED, path, "another railtop tells this receiver");
	return err_cure(err, "one of them is enough: console: false in notify: leaves it to "
			     "railtop watch");
}

/* ---- the book ---- */

bool store_load(const struct store *s, struct book *b, struct err *err)
{
	char path[PATH_ROOM], aside[PATH_ROOM + 8], part[4096];
	struct buf text;
	ssize_t n;
	bool ok;
	int fd;

	memset(b, 0, sizeof(*b));
	if (has_no_place(s, err))
		return false;
	(void)str_printf(path, sizeof(path), "%s.json", s->stem);
	fd = regular_file_open(path);
	if (fd < 0)
		return errno == ENOENT ||
		       err_set(err, ERR_IO, path, "cannot be read: %s", regular_file_why());
	buf_init(&text, BOOK_BYTES);
	while ((n = read(fd, part, sizeof(part))) > 0 && buf_add(&text, part, (size_t)n))
		;
	(void)close(fd);
	ok = n == 0 && book_load(b, text.data ? text.data : "", text.len, err);
	buf_free(&text);
	if (ok)
		return true;
	/* Without it messages may be told twice, and none is lost. */
	(void)str_printf(aside, sizeof(aside), "%s.bad", path);
	(void)rename(path, aside);
	return err_set(err, ERR_CONFIG, path, "is damaged, and was renamed to %.200s", aside);
}

bool store_replace(const char *path, const char *bytes, size_t n, mode_t mode, struct err *err)
{
	char fresh[PATH_ROOM + 8], dir[PATH_ROOM];
	int fd;
	bool ok;

	(void)str_printf(fresh, sizeof(fresh), "%s.new", path);
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
	/* Whatever the umask is. */
	ok = fd >= 0 && fchmod(fd, mode) == 0 && fd_write_all(fd, bytes, n) && fsync(fd) == 0;
	if (fd >= 0 && close(fd) != 0)
		ok = false;
	if (ok && rename(fresh, path) == 0) {
		if (path_directory(path, dir, sizeof(dir)))
			(void)sync_directory(dir);
		return true;
	}
	return err_system(err, ERR_IO, path, "cannot be written", errno);
}

bool store_save(const struct store *s, const struct book *b, struct err *err)
{
	char path[PATH_ROOM];
	struct buf text;
	bool ok;

	if (has_no_place(s, err))
		return false;
	(void)str_printf(path, sizeof(path), "%s.json", s->stem);
	buf_init(&text, BOOK_BYTES);
	ok = book_save(b, &text, err) && store_replace(path, text.data, text.len, 0600, err);
	buf_free(&text);
	return ok;
}

/* ---- how it goes: three lines ---- */

void store_note(const struct store *s, const struct store_status *status)
{
	char path[PATH_ROOM], text[700];
	struct err ignored = {0};

	if (!s->stem[0])
		return;
	(void)str_printf(path, sizeof(path), "%s.status", s->stem);
	(void)str_printf(text, sizeof(text), "%lld\n%lld\n%s\n", (long long)status->done_us,
		(long long)status->problem_us, status->problem);
	(void)store_replace(path, text, strlen(text), 0600, &ignored);
}

static bool is_locked(const char *stem)
{
	char path[PATH_ROOM];
	int fd;
	bool locked;

	(void)str_printf(path, sizeof(path), "%s.lock", stem);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0;
	if (fd >= 0)
		(void)close(fd);
	return locked;
}

bool store_status(const char *fabric, const char *receiver, struct store_status *out)
{
	char stem[PATH_ROOM - 32], path[PATH_ROOM], line[600];
	FILE *f;

	memset(out, 0, sizeof(*out));
	if (!stem_of(fabric, receiver, stem, sizeof(stem)))
		return false;
	out->watched = is_locked(stem);
	(void)str_printf(path, sizeof(path), "%s.status", stem);
	f = regular_file_stream(path);
	if (!f)
		return false;
	if (fgets(line, sizeof(line), f))
		out->done_us = strtoll(line, NULL, 10);
	if (fgets(line, sizeof(line), f))
		out->problem_us = strtoll(line, NULL, 10);
	if (fgets(line, sizeof(line), f))
		(void)str_sanitise(out->problem, sizeof(out->problem), line, strcspn(line, "\n"));
	(void)fclose(f);
	return true;
}
