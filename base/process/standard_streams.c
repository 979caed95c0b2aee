/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process/standard_streams.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void standard_streams_open(void)
{
	/* The lowest free number is taken, so each becomes the one that is closed. */
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}
