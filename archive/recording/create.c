/* SPDX-License-Identifier: Apache-2.0 */
/* Creates a recording under a temporary name: it exists with all its tables or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive/recording/rts_internal.h"
#include "base/new_file.h"
#include "base/private_file.h"
#include "base/str.h"

static bool refuse_create(const char *path, int why, struct err *err)
{
	err_system(err, ERR_IO, path, "cannot create", why);
	return err_cure(err, why == EEXIST
				     ? "name a file that does not exist yet"
				     : "check the directory, its permissions and its free space");
}

/* Locks the temporary file. A leftover of a killed process has no lock any more and is reused. */
static bool lock_new(struct rts_new *n)
{
	struct stat at, there;

	return flock(n->fd, LOCK_EX | LOCK_NB) == 0 && fstat(n->fd, &at) == 0 &&
	       stat(n->path, &there) == 0 && at.st_ino == there.st_ino && ftruncate(n->fd, 0) == 0;
}

bool rts_new_begin(struct rts_new *n, const char *to, struct err *err)
{
	char journal[sizeof(n->path) + 16];
	struct stat st;

	n->fd = -1;
	(void)str_printf(n->path, sizeof(n->path), "%s.new", to);
	if (lstat(to, &st) == 0)
		return refuse_create(to, EEXIST, err);
	n->fd = open(
		n->path, O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW, private_file_mode(n->path));
	if (n->fd < 0)
		return refuse_create(to, errno, err);
	if (!lock_new(n)) {
		(void)close(n->fd);
		n->fd = -1;
		err_set(err, ERR_IO, n->path, "another process makes the same file");
		return err_cure(err, "write to another file");
	}
	(void)str_printf(journal, sizeof(journal), "%s-journal", n->path);
	(void)unlink(journal);
	return true;
}

bool rts_new_end(struct rts_new *n, const char *to, bool good, struct err *err)
{
	int why = 0;

	if (good && !rename_new(n->path, to))
		why = errno;
	/* After a successful rename this name no longer exists. */
	(void)unlink(n->path);
	(void)close(n->fd);
	n->fd = -1;
	return good && (!why || refuse_create(to, why, err));
}
