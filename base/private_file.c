/* SPDX-License-Identifier: Apache-2.0 */
#include "base/private_file.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/new_file.h"

mode_t private_file_mode(const char *path)
{
	char dir[PATH_MAX];
	struct stat st;

	if (!path_directory(path, dir, sizeof(dir)))
		return 0600;
	return stat(dir, &st) == 0 && (st.st_mode & S_ISGID) ? 0640 : 0600;
}

FILE *private_file_open(const char *path, const char *mode)
{
	int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (mode[0] == 'a' ? O_APPEND : O_TRUNC);
	int fd = open(path, flags, private_file_mode(path));
	FILE *f = fd >= 0 ? fdopen(fd, mode) : NULL;

	if (!f && fd >= 0)
		(void)close(fd);
	return f;
}
