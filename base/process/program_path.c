/* SPDX-License-Identifier: Apache-2.0 */
#include "base/process/program_path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

bool program_path(char *dst, size_t size)
{
	const char *launcher = getenv("RAILTOP_PROGRAM"), *name;
	ssize_t n = readlink("/proc/self/exe", dst, size);

	if (n < 0)
		return false;
	if ((size_t)n >= size) {
		errno = ENAMETOOLONG;
		return false;
	}
	dst[n] = '\0';
	name = strrchr(dst, '/');
	/* The variable counts for nothing where the program was started itself. */
	if (!name || !str_starts(name, "/ld-") || !launcher || launcher[0] != '/')
		return true;
	errno = ENAMETOOLONG;
	return str_copy(dst, size, launcher);
}
