/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

struct compiled {
	char *key; /* flags and pattern */
	regex_t regex;
	bool ok;
	UT_hash_handle hh;
};

struct shell_cache {
	struct compiled *all;
};

#define CACHE_MAX 512u

struct shell_cache *shell_cache_new(void)
{
	return mem_calloc(1, sizeof(struct shell_cache));
}

static void cache_clear(struct shell_cache *c)
{
	struct compiled *r = c->all, *next;

	HASH_CLEAR(hh, c->all);
	for (; r; r = next) {
		next = r->hh.next;
		if (r->ok)
			regfree(&r->regex);
		free(r->key);
		free(r);
	}
}

void shell_cache_free(struct shell_cache *c)
{
	if (!c)
		return;
	cache_clear(c);
	free(c);
}

const regex_t *sh_regex(struct shell_cache *c, const char *pattern, int flags)
{
	size_t n = strlen(pattern);
	char *key = mem_alloc(n + 2);
	struct compiled *r;

	key[0] = (char)('A' + flags);
	memcpy(key + 1, pattern, n + 1);
	HASH_FIND(hh, c->all, key, (unsigned)(n + 1), r);
	if (r) {
		free(key);
		return r->ok ? &r->regex : NULL;
	}
	if (HASH_COUNT(c->all) >= CACHE_MAX)
		cache_clear(c);
	r = mem_calloc(1, sizeof(*r));
	r->key = key;
	r->ok = n < 4096 && !regcomp(&r->regex, pattern, flags);
	HASH_ADD_KEYPTR(hh, c->all, r->key, (unsigned)(n + 1), r);
	return r->ok ? &r->regex : NULL;
}

void *sh_alloc(struct sh *s, size_t n)
{
	struct sh_arena_chunk *c = s->arena;
	void *p;

	n = (n + 15) & ~(size_t)15;
	if (!c || c->size - c->used < n) {
		size_t size = n > 16384 ? n : 16384;

		if (s->arena_total + size > SH_ARENA_MAX)
			sh_limit(s);
		c = mem_calloc(1, sizeof(*c) + size);
		c->size = size;
		c->next = s->arena;
		s->arena = c;
		s->arena_total += size;
	}
	p = c->data + c->used;
	c->used += n;
	return p;
}

void sh_limit(struct sh *s)
{
	s->stop = true;
	s->status = 125;
}

void sh_complain(struct sh *s, struct buf *err, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	(void)buf_addf(err, s->style == SHELL_STYLE_BASH ? "bash: line %u: %s\n" : "sh: %u: %s\n",
		s->line ? s->line : 1, text);
}

void sh_strings_free(sh_strings *v)
{
	size_t i;

	for (i = 0; i < v->n; i++)
		free(v->at[i]);
	vec_free(v);
}

char *sh_path(const struct sh *s, const char *path)
{
	size_t cwd = strlen(s->cwd), n = strlen(path);
	char *full;

	if (path[0] == '/')
		return mem_strdup(path);
	full = mem_alloc(cwd + n + 2);
	memcpy(full, s->cwd, cwd);
	if (!cwd || s->cwd[cwd - 1] != '/')
		full[cwd++] = '/';
	memcpy(full + cwd, path, n + 1);
	return full;
}

const char *sh_strerror(int code)
{
	switch (code) {
	case ENOENT:
		return "No such file or directory";
	case EISDIR:
		return "Is a directory";
	case EACCES:
		return "Permission denied";
	case EINVAL:
		return "Invalid argument";
	case ENOTDIR:
		return "Not a directory";
	case EOPNOTSUPP:
		return "Operation not supported";
	default:
		return "Input/output error";
	}
}

const char *sh_take_input(const struct sh_io *io, size_t *len)
{
	const char *p = io->in->data ? io->in->data + io->in->pos : "";

	*len = io->in->len - io->in->pos;
	io->in->pos = io->in->len;
	return p;
}

bool sh_line(const char **at, const char *end, const char **line, size_t *len)
{
	const char *nl;

	if (*at >= end)
		return false;
	nl = memchr(*at, '\n', (size_t)(end - *at));
	*line = *at;
	*len = (size_t)((nl ? nl : end) - *at);
	*at = nl ? nl + 1 : end;
	return true;
}

struct sh_mark sh_arena_mark(const struct sh *s)
{
	return (struct sh_mark){s->arena, s->arena ? s->arena->used : 0, s->arena_total};
}

void sh_arena_rewind(struct sh *s, const struct sh_mark *mark)
{
	struct sh_arena_chunk *c;

	while ((c = s->arena) != mark->chunk) {
		s->arena = c->next;
		free(c);
	}
	if (c)
		memset(c->data + mark->used, 0, c->used - mark->used);
	if (c)
		c->used = mark->used;
	s->arena_total = mark->total;
}

void sh_end(struct sh *s)
{
	sh_vars_free(&s->vars);
	while (s->arena) {
		struct sh_arena_chunk *c = s->arena;

		s->arena = c->next;
		free(c);
	}
	sh_strings_free(&s->args);
	free(s->cwd);
	buf_free(&s->sink);
}

void sh_begin(
	struct sh *s, const struct shell_machine *m, struct shell_cache *c, enum shell_style style)
{
	*s = (struct sh){.m = m, .cache = c, .style = style, .line = 1};
	s->nothing.data = "";
	s->cwd = mem_strdup("/");
	buf_init(&s->sink, SH_PIPE_MAX);
	sh_set(s, "PATH", 4, "/usr/local/bin:/usr/bin:/bin");
	sh_set(s, "HOME", 4, "/root");
	if (m->session)
		sh_set(s, "SSH_CONNECTION", strlen("SSH_CONNECTION"), m->session);
}

int shell_run(const struct shell_job *job, struct buf *out, struct buf *err)
{
	struct sh_stream in = {job->input ? job->input : "", job->input ? job->input_len : 0, 0};
	struct sh_io io = {&in, out, err};
	char *const *arg;
	struct sh s;
	int status;

	sh_begin(&s, job->machine, job->cache, job->style);
	for (arg = job->args; arg && *arg; arg++)
		vec_push(&s.args, mem_strdup(*arg));
	status = sh_exec_text(&s, job->script, job->script_len, &io);
	if (s.stop) {
		sh_complain(&s, err, "resource limit reached");
		status = 125;
	}
	sh_end(&s);
	return status & 255;
}
