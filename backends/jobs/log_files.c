/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/log_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/contract/reads.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"

#define MEMORY_FACTS 8

/*
 * True: the path begins with a system directory. The first part must be plain, so that no wildcard
 * can match one of these.
 */
static bool is_special(const char *path)
{
	static const char *const roots[] = {"dev", "proc", "sys", ""};
	const char *first = path + strspn(path, "/");
	size_t n = strcspn(first, "/");

	for (size_t i = 0; i < sizeof(roots) / sizeof(roots[0]); i++)
		if (strlen(roots[i]) == n && strncmp(first, roots[i], n) == 0)
			return true;
	return strstr(path, "/../") || strcspn(first, "*?[") < n || (n == 1 && *first == '.');
}

bool job_path_check(const char *path, struct err *err)
{
	static const char good[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "/._-+=,:@%*?[]!";
	size_t n = strspn(path, good);

	if (path[0] == '/' && !path[n] && !is_special(path))
		return true;
	if (path[0] != '/')
		err_set(err, ERR_CONFIG, "path", "\"%.80s\" is not an absolute path", path);
	else if (!path[n])
		err_set(err, ERR_CONFIG, "path",
			"\"%.80s\": a path must not be below /dev, /proc or /sys, where reading "
			"has effects, and must not have \"..\"",
			path);
	else
		err_set(err, ERR_CONFIG, "path", "\"%.80s\": a path must not have \"%.1s\"", path,
			path + n);
	return err_cure(err, "allowed: letters, digits, /._-+=,:@%%, and the wildcards * ? [ ]");
}

struct request *job_files_ask(struct request_list *out, const char *name, const struct target *t,
	const char *pattern, const char *script)
{
	struct request *r;
	struct buf b;
	char key[32];

	buf_init(&b, 65536);
	(void)buf_adds(&b, "K='");
	for (unsigned i = 0; i < MEMORY_FACTS; i++) {
		(void)str_printf(key, sizeof(key), "%s.%u", name, i);
		(void)buf_addf(&b, " %s", facts_get(t->facts, key));
	}
	(void)buf_addf(&b, " '\nP='%s'\n%s", pattern, script);
	r = requests_ssh(out, name, "sh -s", b.data);
	buf_free(&b);
	return r;
}

bool job_files_reads(const struct request *r, const char *script)
{
	const char *at = r->input, *end;
	char *path;
	bool ok;

	if (!str_eq(r->command, "sh -s") || !at || !reads_skip_until(&at, '\n', "K='**'") ||
		!reads_skip(&at, "\nP='"))
		return false;
	end = strchr(at, '\'');
	if (!end)
		return false;
	path = mem_strndup(at, (size_t)(end - at));
	ok = job_path_check(path, NULL) && reads_skip(&end, "'\n") && str_eq(end, script);
	free(path);
	return ok;
}

bool job_files_next(const char *bytes, size_t len, size_t *at, struct job_file *f)
{
	char line[128];
	uint64_t size = 0;
	const char *end;

	while (*at < len) {
		const char *from = bytes + *at;

		end = memchr(from, '\n', len - *at);
		if (!end)
			return false;
		*at = (size_t)(end - bytes) + 1;
		if (!str_copyn(line, sizeof(line), from, (size_t)(end - from)) ||
			sscanf(line, "@@file %" SCNu64 " %" SCNu64 " %" SCNu64, &f->id, &f->number,
				&size) != 3)
			continue;
		f->bytes = bytes + *at;
		f->whole = size <= len - *at;
		f->len = f->whole ? (size_t)size : len - *at;
		*at += f->len;
		return true;
	}
	return false;
}

void job_memory_begin(struct job_memory *m, struct obs *out, const char *key)
{
	memset(m, 0, sizeof(*m));
	m->out = out;
	m->key = key;
}

void job_memory_add(struct job_memory *m, uint64_t id, uint64_t number)
{
	char word[48];
	size_t n;

	(void)str_printf(word, sizeof(word), " %" PRIu64 ":%" PRIu64, id, number);
	n = strlen(m->words[m->n]);
	if (n + strlen(word) >= sizeof(m->words[0])) {
		if (m->n + 1 == MEMORY_FACTS)
			return; /* more files are read from their end again: late, not wrong */
		m->n++;
		n = 0;
	}
	(void)str_copy(m->words[m->n] + n, sizeof(m->words[0]) - n, word + (n == 0));
}

void job_memory_end(struct job_memory *m)
{
	char key[32];

	for (unsigned i = 0; i < MEMORY_FACTS; i++) {
		(void)str_printf(key, sizeof(key), "%s.%u", m->key, i);
		obs_fact(m->out, key, m->words[i]);
	}
}
