/* SPDX-License-Identifier: Apache-2.0 */
#include "app/inventory/inventory_default.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/str.h"

static bool is_readable(const char *path)
{
	return access(path, R_OK) == 0;
}

const char *inventory_default(char *dst, size_t size)
{
	const char *named = getenv("RAILTOP_FABRIC"), *config = getenv("XDG_CONFIG_HOME"),
		   *home = getenv("HOME");

	if (named && *named)
		return str_copy(dst, size, named) ? dst : NULL;
	if (str_copy(dst, size, "fabric.yaml") && is_readable(dst))
		return dst;
	/* The XDG specification says that a relative path is to be ignored. */
	if (config && *config == '/')
		return str_printf(dst, size, "%s/railtop/fabric.yaml", config) && is_readable(dst)
			       ? dst
			       : NULL;
	if (home && *home == '/' && str_printf(dst, size, "%s/.config/railtop/fabric.yaml", home) &&
		is_readable(dst))
		return dst;
	return NULL;
}

const char *inventory_default_cure(void)
{
	return "-f FILE, or RAILTOP_FABRIC=FILE, or a file ./fabric.yaml or "
	       "~/.config/railtop/fabric.yaml; `railtop discover` writes one, `railtop demo` needs "
	       "none";
}
