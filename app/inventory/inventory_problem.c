/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
/* Its own would end the process without a word. */
#define uthash_malloc(size)  mem_alloc(size)
#define uthash_free(p, size) free(p)
#include <uthash.h>

#include "app/inventory/inventory.h"
#include "app/inventory/inventory_yaml.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/str.h"

/* ---- problems ---- */

static bool problem_vadd(
	struct problems *p, const char *file, unsigned line, const char *place, const char *text)
{
	char origin[sizeof(((struct err *)0)->origin)];
	struct problem *one;

	if (problems_full(p)) {
		p->more++;
		return false;
	}
	one = vec_add(&p->at);
	one->line = file == p->file && !p->part ? line : UINT_MAX;
	one->order = (unsigned)p->at.n;
	if (file == p->file && p->part)
		file = p->part;
	if (line)
		(void)str_printf(origin, sizeof(origin), "%s:%u", file, line);
	else
		(void)str_copy(origin, sizeof(origin), file);
	return err_set(&one->err, ERR_CONFIG, origin, "%s%s%s", place ? place : "",
		place && place[0] ? ": " : "", text);
}

bool problem_add(struct problems *p, unsigned line, const char *place, const char *fmt, ...)
{
	char text[sizeof(((struct err *)0)->text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return problem_vadd(p, p->file, line, place, text);
}

bool problem_add_in(struct problems *p, const char *file, unsigned line, const char *fmt, ...)
{
	char text[sizeof(((struct err *)0)->text)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return problem_vadd(p, file, line, NULL, text);
}

bool problem_cure(struct problems *p, const char *fmt, ...)
{
	char text[sizeof(((struct err *)0)->cure)];
	va_list ap;

	/* With a full list the newest problem was not stored, so its cure is dropped. */
	if (!p->at.n || p->more)
		return false;
	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return err_cure(&p->at.at[p->at.n - 1].err, "%s", text);
}

bool problems_full(const struct problems *p)
{
	return p->at.n >= INVENTORY_PROBLEMS_MAX;
}

void problems_free(struct problems *p)
{
	vec_free(&p->at);
	p->more = 0;
}

/* ---- files ---- */

static bool slurp_fd(int fd, const char *path, struct buf *b, struct err *err)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return err_system(err, ERR_IO, path, "cannot be read", errno);
		if (!buf_add(b, chunk, (size_t)n))
			return err_set(err, ERR_CONFIG, path, "larger than %zu MB", b->cap >> 20);
	}
	return true;
}

bool inventory_slurp(const char *path, struct buf *b, struct err *err)
{
	int fd = regular_file_open(path);
	bool ok;

	if (fd < 0)
		return regular_file_err(err, ERR_IO, path, "cannot be opened");
	ok = slurp_fd(fd, path, b, err);
	(void)close(fd);
	return ok;
}

/* ---- names ---- */

struct name_entry {
	char *name;
	unsigned value;
	UT_hash_handle hh;
};

struct name_index {
	struct name_entry *head;
};

struct name_index *name_index_new(void)
{
	return mem_calloc(1, sizeof(struct name_index));
}

void name_index_free(struct name_index *x)
{
	struct name_entry *e = x->head, *next;

	HASH_CLEAR(hh, x->head);
	for (; e; e = next) {
		next = e->hh.next;
		free(e->name);
		free(e);
	}
	free(x);
}

bool name_index_find(const struct name_index *x, const char *name, unsigned *value)
{
	struct name_entry *e;

	HASH_FIND_STR(x->head, name, e);
	if (e)
		*value = e->value;
	return e != NULL;
}

bool name_index_add(struct name_index *x, const char *name, unsigned value, unsigned *at)
{
	struct name_entry *e;

	if (name_index_find(x, name, at))
		return false;
	e = mem_calloc(1, sizeof(*e));
	e->name = mem_strdup(name);
	e->value = value;
	HASH_ADD_KEYPTR(hh, x->head, e->name, strlen(e->name), e);
	return true;
}
