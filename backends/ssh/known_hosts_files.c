/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/ssh/known_hosts_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "backends/transport/file_stamp.h"
#include "base/log.h"
#include "base/str.h"

/*
 * The known_hosts files of all sessions of the process. Each file is read once for all threads and
 * again when it has changed; each connection checks that with one stat(). For a file with hashed
 * names the result for each name is cached until the file changes.
 */

/* Names beyond this number are searched for each time. */
#define REMEMBERED_MOST 65536

struct memory {
	char *name; /* "port host" */
	struct known_found found;
};

/* One state of a file. A search holds a reference, because the file may change in the meantime. */
struct version {
	unsigned refs;
	struct known_hosts *table; /* NULL: the file cannot be read */
	void *memories;            /* cached results, a tree of tsearch() */
	size_t remembered;
};

struct hosts_file {
	char *path;
	struct file_stamp stamp;
	struct version *now; /* NULL: not read yet */
	int error;           /* errno if there is no table */
};

/* Shards have no common owner; the last one frees it. */
static struct {
	pthread_mutex_t lock;
	unsigned users;
	void *files; /* a tree of tsearch() */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- versions ---- */

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct memory *)a)->name, ((const struct memory *)b)->name);
}

static void memory_free(void *p)
{
	struct memory *m = p;

	free(m->name);
	vec_free(&m->found.lines);
	free(m);
}

static void version_release(struct version *v)
{
	if (!v || --v->refs)
		return;
	tdestroy(v->memories, memory_free);
	known_hosts_free(v->table);
	free(v);
}

/*
 * Reads the whole file and appends a NUL. Returns NULL with errno. A device file counts as empty.
 */
static char *read_whole(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	char *text = NULL;
	ssize_t got = 0;

	*len = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) != 0 || S_ISDIR(st.st_mode)) {
		(void)close(fd);
		errno = EISDIR;
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size < 0)
		st.st_size = 0;
	if ((size_t)st.st_size > KNOWN_HOSTS_BYTES)
		st.st_size = (off_t)KNOWN_HOSTS_BYTES;
	text = mem_alloc((size_t)st.st_size + 1);
	while (*len < (size_t)st.st_size &&
		(got = read(fd, text + *len, (size_t)st.st_size - *len)) > 0)
		*len += (size_t)got;
	text[*len] = '\0';
	if (got < 0) { /* a partial file may lack a line that revokes a key */
		int error = errno;

		free(text);
		text = NULL;
		(void)close(fd);
		errno = error;
	} else {
		(void)close(fd);
	}
	return text;
}

static void load_version(struct hosts_file *f)
{
	struct version *v = mem_calloc(1, sizeof(*v));
	unsigned first = 0;
	size_t len, bad;
	char *text = read_whole(f->path, &len);

	f->error = text ? 0 : errno;
	v->refs = 1;
	if (text) {
		v->table = known_hosts_new(text, len);
		bad = known_hosts_unreadable(v->table, &first);
		if (bad)
			log_line("known_hosts",
				"%s: %zu lines cannot be read, the first is line %u", f->path, bad,
				first);
	}
	version_release(f->now);
	f->now = v;
}

/* Returns the current version. The caller holds the lock. */
static struct version *current_version(struct hosts_file *f)
{
	struct file_stamp stamp;

	/* Before the read: a later write has a different stamp. */
	file_stamp(&stamp, f->path);
	if (!f->now || !file_stamp_same(&stamp, &f->stamp)) {
		f->stamp = stamp;
		load_version(f);
		/* It exists but could not be read (no descriptor, EIO): try again later. */
		if (f->error && !stamp.error)
			f->stamp.young = true;
	}
	return f->now;
}

/* ---- searching ---- */

static bool recall_found(const struct version *v, const char *name, struct known_found *found)
{
	struct memory key = {.name = (char *)(uintptr_t)name};
	struct memory *const *at = tfind(&key, &v->memories, by_name);

	if (!at)
		return false;
	for (size_t i = 0; i < (*at)->found.lines.n; i++)
		vec_push(&found->lines, (*at)->found.lines.at[i]);
	return true;
}

static void remember_found(struct version *v, const char *name, const struct known_found *found)
{
	struct memory *m;

	if (v->remembered >= REMEMBERED_MOST)
		return;
	m = mem_calloc(1, sizeof(*m));
	m->name = mem_strdup(name);
	for (size_t i = 0; i < found->lines.n; i++)
		vec_push(&m->found.lines, found->lines.at[i]);
	if (*(struct memory **)tsearch(m, &v->memories, by_name) != m)
		memory_free(m); /* another thread was faster */
	else
		v->remembered++;
}

/* The caller holds the lock; it is released during the search. */
static void search_version(
	struct version *v, const char *host, unsigned port, struct known_found *found)
{
	char name[300];

	if (!known_hosts_hashed(v->table)) {
		known_hosts_find(v->table, host, port, found);
		return;
	}
	(void)str_printf(name, sizeof(name), "%u %s", port, host);
	if (recall_found(v, name, found))
		return;
	pthread_mutex_unlock(&shared.lock);
	known_hosts_find(v->table, host, port, found);
	pthread_mutex_lock(&shared.lock);
	remember_found(v, name, found);
}

int hosts_file_find(
	struct hosts_file *f, const char *host, unsigned port, struct known_matches *out)
{
	struct known_found found = {0};
	struct version *v;
	int error;

	pthread_mutex_lock(&shared.lock);
	v = current_version(f);
	error = f->error;
	v->refs++;
	if (v->table)
		search_version(v, host, port, &found);
	for (size_t i = 0; i < found.lines.n; i++) {
		struct known_line l = known_hosts_line(v->table, found.lines.at[i]);

		vec_push(out, (struct known_match){.mark = l.mark,
				      .number = l.number,
				      .file = f->path,
				      .type = mem_strdup(l.type),
				      .key = mem_strdup(l.key)});
	}
	version_release(v);
	pthread_mutex_unlock(&shared.lock);
	vec_free(&found.lines);
	return error;
}

void known_matches_free(struct known_matches *m)
{
	for (size_t i = 0; i < m->n; i++) {
		free(m->at[i].type);
		free(m->at[i].key);
	}
	vec_free(m);
}

/* ---- the files ---- */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct hosts_file *)a)->path, ((const struct hosts_file *)b)->path);
}

static void file_free(void *p)
{
	struct hosts_file *f = p;

	version_release(f->now);
	free(f->path);
	free(f);
}

void hosts_files_open(void)
{
	pthread_mutex_lock(&shared.lock);
	shared.users++;
	pthread_mutex_unlock(&shared.lock);
}

void hosts_files_close(void)
{
	pthread_mutex_lock(&shared.lock);
	if (!--shared.users) {
		tdestroy(shared.files, file_free);
		shared.files = NULL;
	}
	pthread_mutex_unlock(&shared.lock);
}

struct hosts_file *hosts_file_at(const char *path)
{
	struct hosts_file key = {.path = (char *)(uintptr_t)path}, *f, *const * at;

	pthread_mutex_lock(&shared.lock);
	at = tfind(&key, &shared.files, by_path);
	f = at ? *at : NULL;
	if (!f) {
		f = mem_calloc(1, sizeof(*f));
		f->path = mem_strdup(path);
		(void)tsearch(f, &shared.files, by_path);
	}
	pthread_mutex_unlock(&shared.lock);
	return f;
}

const char *hosts_file_path(const struct hosts_file *f)
{
	return f->path;
}
