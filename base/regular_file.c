/* SPDX-License-Identifier: Apache-2.0 */
#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

int regular_file_open(const char *path)
{
	bool piped = str_eq(path, "/dev/stdin") || str_starts(path, "/dev/fd/") ||
		     str_starts(path, "/proc/self/fd/");
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (piped ? 0 : O_NONBLOCK)), why;
	struct stat st;

	if (fd < 0 || piped)
		return fd;
	if (fstat(fd, &st) != 0)
		why = errno;
	else if (S_ISREG(st.st_mode))
		return fd;
	else
		why = S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
	(void)close(fd);
	errno = why;
	return -1;
}

FILE *regular_file_stream(const char *path)
{
	int fd = regular_file_open(path);
	FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;

	if (fd >= 0 && !f)
		(void)close(fd);
	return f;
}

bool regular_file_is(const char *path)
{
	int fd = regular_file_open(path);

	if (fd >= 0)
		(void)close(fd);
	return fd >= 0;
}

const char *regular_file_why(void)
{
	return errno == ENOTSUP  ? "is not a regular file"
	       : errno == EISDIR ? "is a directory"
				 : strerror(errno);
}

bool regular_file_err(struct err *err, enum err_code code, const char *path, const char *what)
{
	if (errno != ENOTSUP && errno != EISDIR)
		return err_system(err, code, path, what, errno);
	err_set(err, code, path, "%s: %s", what, regular_file_why());
	return err_cure(err, "name a regular file");
}
