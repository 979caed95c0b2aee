/* SPDX-License-Identifier: Apache-2.0 */
#include <fnmatch.h>
#include <string.h>

#include "base/str.h"
#include "emulator/shell/shell_internal.h"

struct glob {
	struct sh *s;
	sh_strings *out;
	size_t first; /* index of the first own result in out */
};

struct matches {
	const char *pattern;
	bool any; /* the pattern is a lone '*' */
	sh_strings names;
};

static bool has_wildcard(const char *text, const char *mask, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (mask[i] != 'q' && (text[i] == '*' || text[i] == '?' || text[i] == '['))
			return true;
	return false;
}

static void match_name(void *arg, const char *name)
{
	struct matches *m = arg;

	if (m->any ? name[0] != '.' : !fnmatch(m->pattern, name, FNM_PERIOD))
		vec_push(&m->names, mem_strdup(name));
}

static char *component_pattern(const char *text, const char *mask, size_t len)
{
	char *p = mem_alloc(2 * len + 1);
	size_t i, n = 0;

	for (i = 0; i < len; i++) {
		if (mask[i] == 'q' && strchr("*?[]\\", text[i]))
			p[n++] = '\\';
		p[n++] = text[i];
	}
	p[n] = '\0';
	return p;
}

static bool list_dir(struct sh *s, const char *prefix, struct matches *m)
{
	char *path = sh_path(s, prefix);
	bool ok = s->m->fs->list(s->m->ctx, path, match_name, m);

	free(path);
	return ok;
}

static bool path_exists(struct sh *s, const char *name)
{
	char *path = sh_path(s, name);
	enum shell_kind kind = s->m->fs->stat(s->m->ctx, path);

	free(path);
	return kind != SHELL_NONE;
}

static void glob_step(
	struct glob *g, const char *prefix, const char *text, const char *mask, size_t len);

static void glob_below(struct glob *g, const char *prefix, const char *name, size_t n,
	const char *text, const char *mask, size_t len)
{
	size_t had = strlen(prefix);
	char *path = mem_alloc(had + n + 1);

	memcpy(path, prefix, had);
	memcpy(path + had, name, n);
	path[had + n] = '\0';
	glob_step(g, path, text, mask, len);
	free(path);
}

/* Matches the rest of the pattern (text) below prefix, which ends with '/' or is empty. */
static void glob_step(
	struct glob *g, const char *prefix, const char *text, const char *mask, size_t len)
{
	struct matches m = {0};
	size_t n = 0, i;
	char *pattern;

	if (g->s->stop || g->out->n - g->first > SH_FIELDS_MAX) {
		sh_limit(g->s);
		return;
	}
	if (!len) {
		vec_push(g->out, mem_strdup(prefix));
		return;
	}
	while (n < len && text[n] == '/')
		n++;
	if (n) {
		glob_below(g, prefix, text, n, text + n, mask + n, len - n);
		return;
	}
	while (n < len && text[n] != '/')
		n++;
	if (!has_wildcard(text, mask, n)) {
		pattern = mem_strndup(text, n);
		if (n < len) {
			glob_below(g, prefix, pattern, n, text + n, mask + n, len - n);
		} else {
			size_t size = strlen(prefix) + n + 1;
			char *path = mem_alloc(size);

			(void)str_printf(path, size, "%s%s", prefix, pattern);
			if (path_exists(g->s, path))
				vec_push(g->out, mem_strdup(path));
			free(path);
		}
		free(pattern);
		return;
	}
	pattern = component_pattern(text, mask, n);
	m.pattern = pattern;
	m.any = !strcmp(pattern, "*");
	if (list_dir(g->s, prefix[0] ? prefix : ".", &m))
		for (i = 0; i < m.names.n; i++)
			glob_below(g, prefix, m.names.at[i], strlen(m.names.at[i]), text + n,
				mask + n, len - n);
	sh_strings_free(&m.names);
	free(pattern);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

bool sh_glob(struct sh *s, const char *text, const char *mask, size_t len, sh_strings *out)
{
	struct glob g = {s, out, out->n};

	if (!has_wildcard(text, mask, len))
		return false;
	glob_step(&g, "", text, mask, len);
	if (out->n == g.first)
		return false;
	qsort(out->at + g.first, out->n - g.first, sizeof(*out->at), compare_strings);
	return true;
}
