/* SPDX-License-Identifier: Apache-2.0 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/process/program_path.h"
#include "base/str.h"
#include "emulator/serve/topology_file.h"

/* Fabrics by their names: presets of a formula, and the files of the folders of topologies. */

#define SUFFIX ".yaml"

/* Folders relative to that of the program. */
static const char *const beside[] = {"../share/railtop/topologies", "../topologies"};
#define BESIDE  (sizeof(beside) / sizeof(beside[0]))
#define FOLDERS (BESIDE + 2)

static bool program_folder(char *dst, size_t size)
{
	char *slash;

	if (!program_path(dst, size))
		return false;
	slash = strrchr(dst, '/');
	if (slash)
		*slash = '\0';
	return slash != NULL;
}

/* The n-th folder, n < FOLDERS; false: there is no such one here. */
static bool nth_folder(size_t n, char *dst, size_t size)
{
	const char *given = getenv("RAILTOP_TOPOLOGIES");
	char program[PATH_MAX];

	if (n == 0)
		return given && *given && str_copy(dst, size, given);
	if (n <= BESIDE)
		return program_folder(program, sizeof(program)) &&
		       str_printf(dst, size, "%s/%s", program, beside[n - 1]);
	return str_copy(dst, size, "topologies");
}

/* Names are words, so that none leads out of the folder. */
static bool is_word(const char *name, size_t n)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-";

	return n > 0 && n < NAME_MAX_LEN && strspn(name, allowed) == n;
}

static bool find_file(const char *name, char *dst, size_t size)
{
	char folder[PATH_MAX];

	for (size_t i = 0; is_word(name, strlen(name)) && i < FOLDERS; i++)
		if (nth_folder(i, folder, sizeof(folder)) &&
			str_printf(dst, size, "%s/%s" SUFFIX, folder, name) &&
			access(dst, R_OK) == 0)
			return true;
	return false;
}

static bool is_listed(const struct buf *names, const char *name, size_t n)
{
	const char *at = names->data;

	while (at && *at) {
		size_t len = strcspn(at, ",");

		if (len == n && strncmp(at, name, n) == 0)
			return true;
		at += len + strspn(at + len, ", ");
	}
	return false;
}

static int has_suffix(const struct dirent *e)
{
	size_t n = strlen(e->d_name), tail = strlen(SUFFIX);

	return n > tail && strcmp(e->d_name + n - tail, SUFFIX) == 0 &&
	       is_word(e->d_name, strcspn(e->d_name, "."));
}

void topology_names(struct buf *out)
{
	char folder[PATH_MAX];

	(void)buf_adds(out, sizing_preset_names());
	for (size_t i = 0; i < FOLDERS; i++) {
		struct dirent **list = NULL;
		int n = nth_folder(i, folder, sizeof(folder))
				? scandir(folder, &list, has_suffix, alphasort)
				: 0;

		for (int k = 0; k < n; k++) {
			size_t len = strlen(list[k]->d_name) - strlen(SUFFIX);

			if (!is_listed(out, list[k]->d_name, len))
				(void)buf_addf(out, ", %.*s", (int)len, list[k]->d_name);
			free(list[k]);
		}
		free(list);
	}
}

struct topology *topology_named(
	const char *name, const struct sim_platform *const platform[TIER_COUNT], struct err *err)
{
	const struct sizing *z = sizing_preset(name);
	char path[PATH_MAX];
	struct buf names;

	if (z)
		return topology_of_sizing(z, platform);
	if (find_file(name, path, sizeof(path)))
		return topology_load(path, err);
	buf_init(&names, sizeof(err->cure) - 64);
	topology_names(&names);
	err_set(err, ERR_USAGE, "--preset", "there is no preset \"%s\"", name);
	err_cure(err, "one of %s, or --topology FILE", names.data);
	buf_free(&names);
	return NULL;
}
