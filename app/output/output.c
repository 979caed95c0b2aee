/* SPDX-License-Identifier: Apache-2.0 */
#include "app/output/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/headless/headless.h"
#include "base/mem.h"
#include "base/new_file.h"
#include "base/private_file.h"
#include "base/regular_file.h"
#include "base/str.h"

struct place {
	char temporary[PATH_MAX];
	bool replaced; /* written to a temporary file and renamed */
	bool made;     /* the temporary file exists */
};

/* False for devices, pipes and links (such as /dev/stdout), and for files of other owners. */
static bool is_replaced(const char *path, mode_t *mode)
{
	struct stat st;

	*mode = 0;
	if (str_eq(path, "-"))
		return false;
	if (lstat(path, &st) != 0)
		return errno == ENOENT;
	*mode = st.st_mode & 0777;
	return S_ISREG(st.st_mode) && st.st_uid == geteuid() && access(path, W_OK) == 0;
}

/* A leftover of an earlier run is not reused. */
static FILE *open_new(const char *temporary, mode_t mode)
{
	FILE *f = NULL;
	int fd = -1;

	if (unlink(temporary) == 0 || errno == ENOENT)
		fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			private_file_mode(temporary));
	if (fd >= 0)
		f = fdopen(fd, "w");
	if (fd >= 0 && !f)
		(void)close(fd);
	if (f && mode)
		(void)fchmod(fd, mode);
	return f;
}

static bool write_bytes(FILE *f, const struct output *o, bool sync, struct err *err)
{
	bool ok = fwrite(o->bytes->data, 1, o->bytes->len, f) == o->bytes->len && fflush(f) == 0;
	int why = errno;

	/* A rename may reach the disk before the data. */
	if (ok && sync && fsync(fileno(f)) != 0 && errno != EINVAL) {
		why = errno;
		ok = false;
	}
	if (!headless_close(f, o->path, err))
		return false;
	return ok || err_system(err, ERR_IO, o->path, "could not be written completely", why);
}

static bool err_write(const char *path, int why, struct err *err)
{
	return err_system(err, ERR_IO, path, "cannot be written", why);
}

/* Writes the temporary file, if the path can be replaced. */
static bool prepare_place(struct place *p, const struct output *o, struct err *err)
{
	mode_t mode;
	FILE *f;

	p->replaced = is_replaced(o->path, &mode);
	if (!p->replaced)
		return true;
	if (!str_printf(p->temporary, sizeof(p->temporary), "%s.new", o->path))
		return err_set(err, ERR_LIMIT, o->path, "the path is too long");
	f = open_new(p->temporary, mode);
	/* The file is writable but its directory is not: write directly. */
	if (!f && errno == EACCES && mode && !o->keep) {
		p->replaced = false;
		return true;
	}
	if (!f)
		return err_write(o->path, errno, err);
	p->made = true;
	return write_bytes(f, o, true, err);
}

/* Errors are ignored: the file itself is complete. */
static void directory_to_disk(const char *path)
{
	char dir[PATH_MAX];

	if (path_directory(path, dir, sizeof(dir)))
		(void)sync_directory(dir);
}

static bool publish_place(struct place *p, const struct output *o, struct err *err)
{
	FILE *f;

	if (!p->replaced) {
		f = headless_open(o->path, err);
		return f && write_bytes(f, o, false, err);
	}
	if (o->keep ? !rename_new(p->temporary, o->path) : rename(p->temporary, o->path) != 0)
		return err_write(o->path, errno, err);
	p->made = false;
	directory_to_disk(o->path);
	return true;
}

bool output_write(const struct output *files, size_t n, struct err *err)
{
	struct place *places = mem_calloc(n ? n : 1, sizeof(*places));
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = !files[i].path || prepare_place(&places[i], &files[i], err);
	for (size_t i = 0; ok && i < n; i++)
		ok = !files[i].path || publish_place(&places[i], &files[i], err);
	for (size_t i = 0; i < n; i++)
		if (places[i].made)
			(void)unlink(places[i].temporary);
	free(places);
	return ok;
}

/* ---- checks before collecting ---- */

static bool ends_with(const char *s, const char *end)
{
	size_t ls = strlen(s), le = strlen(end);

	return ls >= le && strcasecmp(s + ls - le, end) == 0;
}

/* Detects the kind by the first bytes, inventories by name. NULL: it may be replaced. */
static const char *other_kind(const char *path)
{
	static const char sqlite[] = "SQLite format 3";
	char head[sizeof(sqlite)] = "";
	FILE *f = regular_file_stream(path);
	size_t n = f ? fread(head, 1, sizeof(head) - 1, f) : 0;

	if (f)
		(void)fclose(f);
	if (n == sizeof(head) - 1 && memcmp(head, sqlite, n) == 0)
		return "is a recording or a snapshot";
	if (n && (ends_with(path, ".yaml") || ends_with(path, ".yml")))
		return "is an inventory by its name";
	return NULL;
}

/* Finds the directory of the path, and the name in it. */
static bool directory_of(const char *path, struct stat *st, const char **name)
{
	const char *slash = strrchr(path, '/');
	char dir[PATH_MAX];

	*name = slash ? slash + 1 : path;
	return path_directory(path, dir, sizeof(dir)) && stat(dir, st) == 0;
}

bool output_same(const char *a, const char *b)
{
	const char *name_a, *name_b;
	struct stat at, bt;

	if (!a || !b || str_eq(a, "-") || str_eq(b, "-"))
		return false;
	if (stat(a, &at) == 0 && !S_ISREG(at.st_mode))
		return false;
	if (stat(a, &at) == 0 && stat(b, &bt) == 0)
		return at.st_dev == bt.st_dev && at.st_ino == bt.st_ino;
	if (str_eq(a, b))
		return true;
	return directory_of(a, &at, &name_a) && directory_of(b, &bt, &name_b) &&
	       at.st_dev == bt.st_dev && at.st_ino == bt.st_ino && str_eq(name_a, name_b);
}

/* A new file needs a folder that exists and can be written to. */
static bool folder_allows(const char *path, struct err *err)
{
	char folder[PATH_MAX];

	if (!path_directory(path, folder, sizeof(folder)))
		return err_set(err, ERR_USAGE, path, "the path is too long");
	if (access(folder, W_OK | X_OK) == 0)
		return true;
	err_set(err, ERR_USAGE, path, "cannot be created: %s: %s", folder, strerror(errno));
	return err_cure(err, "name a file in a directory that you may write to");
}

bool output_allowed(const char *path, enum output_check check, struct err *err)
{
	const char *is = NULL;
	struct stat st;

	if (!path || str_eq(path, "-"))
		return true;
	if (stat(path, &st) != 0)
		return folder_allows(path, err);
	if (S_ISDIR(st.st_mode)) {
		err_set(err, ERR_USAGE, path, "is a directory");
		return err_cure(err, "name a file in it");
	}
	if (!S_ISREG(st.st_mode))
		return true;
	if (check == OUTPUT_NEW)
		is = "exists already";
	else if (check == OUTPUT_PAGE)
		is = other_kind(path);
	if (!is)
		return true;
	err_set(err, ERR_USAGE, path, "%s, and is not overwritten", is);
	return err_cure(err, "name another file%s", check == OUTPUT_NEW ? ", or use --force" : "");
}
