/* SPDX-License-Identifier: Apache-2.0 */
#include "app/sandbox/state_dir.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "base/str.h"

char *state_dir_path(const char *name)
{
	const char *xdg = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
	const char *slash = *name ? "/" : "";
	char path[1024];
	bool fits;

	/* A relative XDG path must be ignored (XDG base directory specification). */
	if (xdg && xdg[0] == '/')
		fits = str_printf(path, sizeof(path), "%s/railtop%s%s", xdg, slash, name);
	else
		fits = home && home[0] == '/' &&
		       str_printf(path, sizeof(path), "%s/.local/state/railtop%s%s", home, slash,
			       name);
	return fits ? mem_strdup(path) : NULL;
}

bool state_dir_make(const char *path)
{
	char *s = mem_strdup(path);
	bool ok = true;

	for (char *at = strchr(s + 1, '/'); at && ok; at = strchr(at + 1, '/')) {
		*at = '\0';
		ok = mkdir(s, 0700) == 0 || errno == EEXIST || errno == EROFS || errno == EACCES;
		*at = '/';
	}
	ok = ok && (mkdir(s, 0700) == 0 || errno == EEXIST);
	free(s);
	return ok;
}
