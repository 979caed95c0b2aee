/* SPDX-License-Identifier: Apache-2.0 */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

bool path_directory(const char *path, char *dst, size_t size)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return str_copy(dst, size, ".");
	return str_copyn(dst, size, path, slash == path ? 1 : (size_t)(slash - path));
}

bool rename_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return true;
	/* Not every file system supports RENAME_NOREPLACE. */
	return (errno == EINVAL || errno == ENOSYS) && link(from, to) == 0 && unlink(from) == 0;
}

static bool sync_path(const char *path, int flags)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | flags), was;
	bool ok = fd >= 0 && fsync(fd) == 0;

	was = errno;
	if (fd >= 0)
		(void)close(fd);
	errno = was;
	return ok;
}

bool sync_file(const char *path)
{
	return sync_path(path, 0);
}

bool sync_directory(const char *dir)
{
	return sync_path(dir, O_DIRECTORY);
}
