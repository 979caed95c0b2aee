/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/arranged_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "app/sandbox/state_dir.h"
#include "base/buf.h"
#include "base/json_out.h"
#include "base/mem.h"
#include "base/str.h"

#define FILE_MAX ((size_t)256 << 10)

struct arranged {
	struct arranged_opts opts;
	char path[PATH_MAX];
	json_t *root; /* an object */
	bool broken_told, write_told;
};

static void report_once(const struct arranged *a, bool *told, const char *what, const char *why)
{
	char message[PATH_MAX + 200];

	if (*told)
		return;
	*told = true;
	(void)str_printf(
		message, sizeof(message), "%s: %s%s%s", a->path, what, *why ? ": " : "", why);
	if (a->opts.warn)
		a->opts.warn(a->opts.ctx, message);
}

static bool default_path(char *dst, size_t size)
{
	char *path = state_dir_path("views.json");
	bool ok = path && str_copy(dst, size, path);

	free(path);
	return ok;
}

/* ---- reading ---- */

/* NULL: no file, or *why has the error. */
static json_t *read_file(const char *path, char *why, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char *text;
	ssize_t n;
	json_error_t at;
	json_t *root;
	struct stat st;

	*why = '\0';
	if (fd < 0) {
		if (errno != ENOENT)
			(void)str_copy(why, size, strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > (off_t)FILE_MAX) {
		(void)str_copy(why, size, "railtop has not written this file");
		(void)close(fd);
		return NULL;
	}
	text = mem_alloc(FILE_MAX + 1);
	n = read(fd, text, FILE_MAX);
	(void)close(fd);
	root = n >= 0 ? json_loadb(text, (size_t)n, JSON_REJECT_DUPLICATES, &at) : NULL;
	free(text);
	if (n < 0)
		(void)str_copy(why, size, strerror(errno));
	else if (!root)
		(void)str_printf(why, size, "line %d: %s", at.line, at.text);
	else if (!json_is_object(root))
		(void)str_copy(why, size, "an object is expected");
	if (!*why)
		return root;
	json_decref(root);
	return NULL;
}

static void load_file(struct arranged *a)
{
	char why[200], clean[200];
	json_t *root = *a->path ? read_file(a->path, why, sizeof(why)) : NULL;

	if (root) {
		json_decref(a->root);
		a->root = root;
	} else if (*a->path && *why) {
		(void)str_sanitise(clean, sizeof(clean), why, strlen(why));
		report_once(
			a, &a->broken_told, "the arrangement of the views cannot be read", clean);
	}
}

struct arranged *arranged_open(const struct arranged_opts *o)
{
	struct arranged *a = mem_calloc(1, sizeof(*a));

	a->opts = *o;
	a->root = json_object();
	if (o->path ? !str_copy(a->path, sizeof(a->path), o->path)
		    : !default_path(a->path, sizeof(a->path)))
		a->path[0] = '\0';
	load_file(a);
	return a;
}

void arranged_close(struct arranged *a)
{
	if (!a)
		return;
	json_decref(a->root);
	free(a);
}

static int find_column(const struct view_ops *v, const char *id)
{
	for (size_t i = 0; i < v->ncolumns && i < 64; i++)
		if (str_eq(v->columns[i].id, id))
			return (int)i;
	return -1;
}

bool arranged_get(const struct arranged *a, const struct view_ops *v, char *sort, size_t size,
	uint64_t *hidden)
{
	const json_t *one = json_object_get(a->root, v->name);
	const json_t *list = json_object_get(one, "hidden"), *id;
	const char *by = json_string_value(json_object_get(one, "sort"));
	size_t i;

	*hidden = 0;
	(void)str_copy(sort, size, "");
	if (!json_is_object(one))
		return false;
	if (by && find_column(v, by + (*by == '-')) >= 0)
		(void)str_copy(sort, size, by);
	json_array_foreach(list, i, id)
	{
		int col = json_is_string(id) ? find_column(v, json_string_value(id)) : -1;

		if (col >= 0)
			*hidden |= UINT64_C(1) << col;
	}
	return true;
}

/* ---- writing ---- */

/* Keeps hidden columns that only another version knows. */
static json_t *hidden_list(const struct view_ops *v, const json_t *before, uint64_t hidden)
{
	json_t *list = json_array(), *id;
	size_t i;

	for (i = 0; i < v->ncolumns && i < 64; i++)
		if (hidden >> i & 1)
			json_append(list, json_string(v->columns[i].id));
	json_array_foreach(json_object_get(before, "hidden"), i, id)
	{
		if (json_is_string(id) && find_column(v, json_string_value(id)) < 0 &&
			json_array_size(list) < (size_t)2 * TABLE_MAX_COLUMNS)
			json_array_append(list, id);
	}
	return list;
}

/* Makes the missing directories of the path. */
static void make_directories(const char *path)
{
	char dir[PATH_MAX];

	(void)str_copy(dir, sizeof(dir), path);
	for (char *slash = strchr(dir + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(dir, 0700);
		*slash = '/';
	}
}

/* Writes to a unique temporary name: two consoles never write to one file. */
static bool replace_file(const char *path, const char *text)
{
	char fresh[PATH_MAX + 16];
	int fd, error;
	bool ok;

	(void)str_printf(fresh, sizeof(fresh), "%s.XXXXXX", path);
	make_directories(path);
	fd = mkostemp(fresh, O_CLOEXEC);
	if (fd < 0)
		return false;
	ok = fd_write_all(fd, text, strlen(text));
	ok = close(fd) == 0 && ok && rename(fresh, path) == 0;
	error = errno;
	if (!ok)
		(void)unlink(fresh);
	errno = error;
	return ok;
}

static bool save_file(struct arranged *a)
{
	char *text = json_dumps(a->root, JSON_INDENT(1) | JSON_SORT_KEYS);
	bool ok = text && *a->path && strlen(text) < FILE_MAX && replace_file(a->path, text);

	free(text);
	if (ok)
		return true;
	report_once(a, &a->write_told, "the arrangement of the views cannot be kept",
		*a->path ? strerror(errno) : "there is no home directory");
	return false;
}

bool arranged_set(struct arranged *a, const struct view_ops *v, const char *sort, uint64_t hidden)
{
	char was[48];
	uint64_t were;
	json_t *one, *fresh;

	if (a->opts.read_only)
		return true;
	if (arranged_get(a, v, was, sizeof(was), &were) && were == hidden && str_eq(was, sort))
		return true;
	load_file(a);
	one = json_object_get(a->root, v->name);
	fresh = json_is_object(one) ? json_copy(one) : json_object();
	json_put(fresh, "hidden", hidden_list(v, one, hidden));
	if (*sort)
		json_put(fresh, "sort", json_string(sort));
	else
		json_object_del(fresh, "sort");
	json_put(a->root, v->name, fresh);
	return save_file(a);
}

/* ---- saved filters ---- */

#define SAVED_KEY "saved filters" /* no view has a blank in its name */

static void read_text(const json_t *one, const char *key, char *dst, size_t size)
{
	const char *text = json_string_value(json_object_get(one, key));

	(void)str_copy(dst, size, "");
	if (text && strlen(text) < size)
		(void)str_sanitise(dst, size, text, strlen(text));
}

bool arranged_filter(const struct arranged *a, size_t i, struct saved_filter *out)
{
	json_t *all = json_object_get(a->root, SAVED_KEY), *one;
	const char *name;

	json_object_foreach(all, name, one)
	{
		if (i--)
			continue;
		memset(out, 0, sizeof(*out));
		if (strlen(name) < sizeof(out->name))
			(void)str_copy(out->name, sizeof(out->name), name);
		read_text(one, "view", out->view, sizeof(out->view));
		read_text(one, "place", out->place, sizeof(out->place));
		read_text(one, "filter", out->filter, sizeof(out->filter));
		read_text(one, "sort", out->sort, sizeof(out->sort));
		return true;
	}
	return false;
}

bool arranged_save_filter(struct arranged *a, const struct saved_filter *s, bool dropped)
{
	json_t *all, *one = json_object();

	if (a->opts.read_only) {
		json_decref(one);
		return true;
	}
	load_file(a);
	all = json_object_get(a->root, SAVED_KEY);
	if (!json_is_object(all)) {
		all = json_object();
		json_put(a->root, SAVED_KEY, json_incref(all));
		json_decref(all);
	}
	json_put(one, "view", json_string(s->view));
	json_put(one, "place", json_string(s->place));
	json_put(one, "filter", json_string(s->filter));
	json_put(one, "sort", json_string(s->sort));
	if (dropped) {
		(void)json_object_del(all, s->name);
		json_decref(one);
	} else {
		json_put(all, s->name, one);
	}
	return save_file(a);
}
