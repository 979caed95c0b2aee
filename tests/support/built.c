/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/built.h"

#include <stdlib.h>

#include "base/str.h"

void built_take_plain(void)
{
	const char *plain = getenv("PLAIN");

	if (plain)
		(void)setenv("BUILD", plain, 1);
}

const char *built_path(const char *name, char *dst, size_t size)
{
	const char *build = getenv("BUILD"), *emulator = getenv("EMULATOR");

	if (emulator && str_eq(name, "railtop-emulator"))
		(void)str_copy(dst, size, emulator);
	else
		(void)str_printf(dst, size, "%s/%s", build ? build : "build", name);
	return dst;
}
