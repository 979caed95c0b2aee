/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sandbox/scratch_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define PREFIX "railtop-live-"
#define TRIES  20

const char *scratch_dir_base(void)
{
	const char *dir = getenv("TMPDIR");

	return dir && dir[0] == '/' ? dir : "/var/tmp";
}

/* The directory is not followed if it is a link of another user. */
static void remove_files(int fd)
{
	int again = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *d = again >= 0 ? fdopendir(again) : NULL;
	const struct dirent *e;

	if (again >= 0 && !d)
		(void)close(again);
	while (d && (e = readdir(d)))
		if (!str_eq(e->d_name, ".") && !str_eq(e->d_name, ".."))
			(void)unlinkat(fd, e->d_name, 0);
	if (d)
		(void)closedir(d);
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

static void remove_leftovers(const char *base)
{
	DIR *d = opendir(base);
	const struct dirent *e;
	char path[1024];
	struct stat st;

	while (d && (e = readdir(d))) {
		int fd;

		if (!str_starts(e->d_name, PREFIX) ||
			!str_printf(path, sizeof(path), "%s/%s", base, e->d_name))
			continue;
		fd = lock_directory(path);
		if (fd < 0)
			continue;
		/* One of another account is its own business, and may have a million files. */
		if (fstat(fd, &st) != 0 || st.st_uid != geteuid()) {
			(void)close(fd);
			continue;
		}
		remove_files(fd);
		(void)rmdir(path);
		(void)close(fd);
	}
	if (d)
		(void)closedir(d);
}

bool scratch_dir_make(struct scratch_dir *s, struct err *err)
{
	const char *base = scratch_dir_base();
	char path[1024];

	*s = (struct scratch_dir){.lock = -1};
	remove_leftovers(base);
	/* Another console may remove the directory before it is locked: try again. */
	for (unsigned i = 0; i < TRIES; i++) {
		if (!str_printf(path, sizeof(path), "%s/" PREFIX "XXXXXX", base) ||
			!mkdtemp(path)) {
			err_set(err, ERR_IO, base, "no directory for the last hour: %s",
				strerror(errno));
			return err_cure(err, "let TMPDIR name a directory with room");
		}
		s->lock = lock_directory(path);
		if (s->lock >= 0 && access(path, F_OK) == 0) {
			s->path = mem_strdup(path);
			return true;
		}
		if (s->lock >= 0)
			(void)close(s->lock);
		s->lock = -1;
		(void)rmdir(path);
	}
	err_set(err, ERR_IO, base, "no directory for the last hour can be locked");
	return err_cure(err, "let TMPDIR name a local directory with room");
}

void scratch_dir_remove(struct scratch_dir *s)
{
	if (!s->path)
		return;
	remove_files(s->lock);
	(void)rmdir(s->path);
	(void)close(s->lock);
	free(s->path);
	*s = (struct scratch_dir){.lock = -1};
}
