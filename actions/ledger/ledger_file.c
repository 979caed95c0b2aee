/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/ledger/ledger_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

char *ledger_beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	size_t dir = slash ? (size_t)(slash - path) + 1 : 0;
	size_t size = dir + strlen(name) + 1;
	char *s = mem_alloc(size);

	if (dir)
		memcpy(s, path, dir);
	memcpy(s + dir, name, size - dir);
	return s;
}

char *ledger_default_path(void)
{
	static const char name[] = "railtop/actions.jsonl", state[] = ".local/state/";
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	/* The XDG base directory specification says that a relative path is ignored. */
	bool has_xdg = xdg && xdg[0] == '/';
	const char *top = has_xdg ? xdg : home && home[0] == '/' ? home : "/var/lib";
	const char *middle = has_xdg || !home || home[0] != '/' ? "" : state;
	size_t size = strlen(top) + 1 + strlen(middle) + sizeof(name);
	char *s = mem_alloc(size);

	(void)str_printf(s, size, "%s/%s%s", top, middle, name);
	return s;
}

static bool not_to_be_trusted(const char *path, const struct stat *st, struct err *err)
{
	if (!S_ISREG(st->st_mode)) {
		(void)err_set(err, ERR_REFUSED, path, "is not a regular file");
		return err_cure(err, "name a file of its own for it (actions: ledger: in the "
				     "inventory)");
	}
	if (st->st_mode & S_IWOTH) {
		(void)err_set(err, ERR_REFUSED, path, "other users can write it (mode %04o)",
			(unsigned)(st->st_mode & 07777));
		return err_cure(
			err, "chmod o-w %s, and check it with `railtop ledger verify`", path);
	}
	return true;
}

bool ledger_file_open(const char *path, int flags, mode_t mode, int *fd, struct stat *st, int *code,
	struct err *err)
{
	*fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, mode);
	*code = *fd < 0 ? errno : 0;
	if (*fd < 0 && *code == ELOOP) {
		(void)err_set(err, ERR_REFUSED, path, "is a symbolic link");
		return err_cure(err, "name the file itself");
	}
	if (*fd < 0)
		return err_system(err, ERR_IO, path, "cannot be opened", *code);
	if (fstat(*fd, st) != 0)
		(void)err_system(err, ERR_IO, path, "", errno);
	else if (not_to_be_trusted(path, st, err))
		return true;
	(void)close(*fd);
	*fd = -1;
	return false;
}

bool ledger_directories(const char *path, struct err *err)
{
	char *s = mem_strdup(path);
	bool ok = true;

	for (char *p = strchr(s + 1, '/'); p && ok; p = strchr(p + 1, '/')) {
		*p = '\0';
		if (mkdir(s, 0700) != 0 && errno != EEXIST) {
			/* EROFS and EACCES come before EEXIST on some file systems. */
			struct stat st;
			int code = errno;

			ok = stat(s, &st) == 0 && S_ISDIR(st.st_mode);
			if (!ok)
				(void)err_system(err, ERR_IO, s,
					"the directory of the ledger cannot be created", code);
			if (!ok)
				(void)err_cure(err,
					"actions: ledger: in the inventory names a file "
					"in a directory that you may write to");
		}
		*p = '/';
	}
	free(s);
	return ok;
}

bool ledger_directory_sync(const char *path)
{
	char *dir = ledger_beside(path, ".");
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool ok = fd >= 0 && (fsync(fd) == 0 || errno == EINVAL);

	if (fd >= 0)
		(void)close(fd);
	free(dir);
	return ok;
}

static bool fill_new(int fd, const void *bytes, size_t n, mode_t mode, int64_t t_us)
{
	struct timespec times[2];

	if (!fd_write_all(fd, bytes, n))
		return false;
	/* The umask must not change the mode: other accounts may have to read the file. */
	if (fchmod(fd, mode) != 0)
		return false;
	if (t_us > 0) {
		times[0].tv_sec = times[1].tv_sec = (time_t)(t_us / CLOCK_SEC);
		times[0].tv_nsec = times[1].tv_nsec = (long)(t_us % CLOCK_SEC) * 1000;
		if (futimens(fd, times) != 0)
			return false;
	}
	return fsync(fd) == 0;
}

bool ledger_file_replace(
	const char *path, const void *bytes, size_t n, mode_t mode, int64_t t_us, struct err *err)
{
	size_t size = strlen(path) + 32;
	char *temp = mem_alloc(size);
	bool ok;
	int fd;

	(void)str_printf(temp, size, "%s.%ld.tmp", path, (long)getpid());
	(void)unlink(temp);
	fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	ok = fd >= 0 && fill_new(fd, bytes, n, mode, t_us) && rename(temp, path) == 0 &&
	     ledger_directory_sync(path);
	if (!ok) {
		(void)err_system(err, ERR_IO, path, "cannot be written", errno);
		(void)unlink(temp);
	}
	if (fd >= 0)
		(void)close(fd);
	free(temp);
	return ok;
}

bool ledger_file_lock(int fd, bool exclusive, const char *path, struct err *err)
{
	const struct timespec turn = {.tv_nsec = 2000000};
	int64_t until = clock_mono(&clock_system) + LEDGER_LOCK_US;

	for (;;) {
		struct flock lock = {.l_type = exclusive ? F_WRLCK : F_RDLCK, .l_whence = SEEK_SET};

		if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
			return true;
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return err_system(err, ERR_IO, path, "cannot be locked", errno);
		/* F_OFD_SETLKW has no deadline, and a stopped process would block us for ever. */
		if (clock_mono(&clock_system) >= until)
			break;
		(void)nanosleep(&turn, NULL);
	}
	(void)err_set(err, ERR_IO, path, "another process keeps it locked for %d s",
		(int)(LEDGER_LOCK_US / CLOCK_SEC));
	return err_cure(err, "find the process in /proc/locks; it may be a stopped railtop");
}

void ledger_file_unlock(int fd)
{
	struct flock lock = {.l_type = F_UNLCK, .l_whence = SEEK_SET};

	(void)fcntl(fd, F_OFD_SETLK, &lock);
}

bool ledger_file_pread(int fd, void *to, size_t n, off_t at)
{
	for (size_t done = 0; done < n;) {
		ssize_t k = pread(fd, (char *)to + done, n - done, at + (off_t)done);

		if (k == 0)
			errno = EIO; /* the file has become shorter */
		if (k == 0 || (k < 0 && errno != EINTR))
			return false;
		done += k > 0 ? (size_t)k : 0;
	}
	return true;
}

bool ledger_open_reading(const char *path, int *fd, off_t *size, int *code, struct err *err)
{
	struct stat st = {0};
	bool ok;

	if (!ledger_file_open(path, O_RDONLY, 0, fd, &st, code, err))
		return false;
	ok = ledger_file_lock(*fd, false, path, err);
	if (ok && fstat(*fd, &st) != 0)
		ok = err_system(err, ERR_IO, path, "", errno);
	*size = st.st_size;
	/* Existing bytes are never rewritten: the lock protects the end of the file only. */
	if (ok)
		ledger_file_unlock(*fd);
	else
		(void)close(*fd);
	return ok;
}
