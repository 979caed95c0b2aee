/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "backends/transport/descriptors.h"
#include "backends/transport/proxy_jump.h"
#include "backends/ssh/config_run.h"
#include "base/mem.h"
#include "base/str.h"

/* Applies the lines of the files in order: the first value of an option wins. */

#define DEPTH_MOST  16
#define FILES_MOST  4096
#define VALUES_MOST 100

bool ssh_run_refuse(
	struct ssh_run *r, enum err_code code, struct ssh_place at, const char *fmt, ...)
{
	const char *file = r->query->file;
	char why[160];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	err_set(r->err, code, r->origin, "%.160s:%u: %.40s: %s", at.text->path, at.line->number,
		at.line->name, why);
	return err_cure(r->err, "correct the line, then: ssh -G%s%s %s", file ? " -F " : "",
		file ? file : "", r->query->name);
}

/* ---- values ---- */

bool ssh_run_set(struct ssh_run *r, enum ssh_option option, const char *value)
{
	vec_push(&r->out->at[option], mem_strdup(value));
	return true;
}

static bool is_set(const struct ssh_run *r, enum ssh_option option)
{
	return r->out->at[option].n > 0;
}

static void set_first(struct ssh_run *r, struct ssh_place at, enum ssh_option option)
{
	if (is_set(r, option))
		return;
	r->from[option] = at;
	for (uint32_t i = 0; i < at.line->n; i++)
		(void)ssh_run_set(r, option, at.text->words.at[at.line->first + i]);
}

static bool add_value(struct ssh_run *r, struct ssh_place at, enum ssh_option option)
{
	const char *value = at.text->words.at[at.line->first];
	const struct ssh_words *had = &r->out->at[option];

	for (size_t i = 0; i < had->n; i++) {
		if (str_eq(had->at[i], value))
			return true;
	}
	if (had->n >= VALUES_MOST)
		return ssh_run_refuse(r, ERR_CONFIG, at, "more than %d of them", VALUES_MOST);
	if (!had->n)
		r->from[option] = at;
	return ssh_run_set(r, option, value);
}

static bool way_is_none(const struct ssh_run *r, enum ssh_option option)
{
	const char *way = ssh_setting(r->out, option);

	return way && strcasecmp(way, "none") == 0;
}

static bool is_way(const char *from)
{
	char way[JUMP_TEXT_MAX];
	struct err ignored;

	if (!str_copy(way, sizeof(way), from))
		return false;
	for (char *token;
		(token = strchr(way, '%'));) /* the token is not expanded yet; any digit will do */
		*token = '0';
	return strcasecmp(way, "none") == 0 || jump_check(way, "", &ignored);
}

/* ProxyJump and ProxyCommand: the first one wins; "ProxyJump none" still allows a ProxyCommand. */
static bool set_jump(struct ssh_run *r, struct ssh_place at)
{
	const char *rest = at.line->rest;
	size_t n = strcspn(rest, "#");
	bool ok = true;
	char *way;

	while (n && isspace((unsigned char)rest[n - 1]))
		n--;
	if (is_set(r, SAID_PROXY_JUMP))
		return true;
	way = mem_strndup(rest, n);
	if (strcasecmp(way, "none") == 0 || !is_set(r, SAID_PROXY_COMMAND)) {
		r->from[SAID_PROXY_JUMP] = at;
		ok = is_way(way) ? ssh_run_set(r, SAID_PROXY_JUMP, way)
				 : ssh_run_refuse(r, ERR_CONFIG, at, "%s", SSH_JUMP_FLAW);
	}
	free(way);
	return ok;
}

static void set_command(struct ssh_run *r, struct ssh_place at)
{
	if (is_set(r, SAID_PROXY_COMMAND) ||
		(is_set(r, SAID_PROXY_JUMP) && !way_is_none(r, SAID_PROXY_JUMP)))
		return;
	r->from[SAID_PROXY_COMMAND] = at;
	(void)ssh_run_set(r, SAID_PROXY_COMMAND, at.line->rest);
}

/* "none" must not be combined with other words. */
static bool check_none(struct ssh_run *r, struct ssh_place at)
{
	for (uint32_t i = 0; i < at.line->n && at.line->n > 1; i++) {
		if (strcasecmp(at.text->words.at[at.line->first + i], "none") == 0)
			return ssh_run_refuse(r, ERR_CONFIG, at, "none beside others");
	}
	return true;
}

/* ---- Host, Include ---- */

static void match_host(const struct ssh_run *r, const struct ssh_place *at, struct ssh_block *block)
{
	block->applies = false;
	if (block->never)
		return;
	for (uint32_t i = 0; i < at->line->n; i++) {
		const char *pattern = at->text->words.at[at->line->first + i];
		bool negated = *pattern == '!', fits;

		pattern += negated;
		fits = ssh_pattern_fits(pattern, strlen(pattern), r->matched);
		if (negated && (fits || (r->barred && ssh_pattern_fits(pattern, strlen(pattern),
							      r->barred)))) {
			block->applies = false;
			return;
		}
		block->applies = block->applies || fits;
	}
}

static bool include_file(
	struct ssh_run *r, struct ssh_place at, const char *path, const struct ssh_block *block)
{
	struct ssh_block inside = {
		.applies = block->applies, .never = block->never || !block->applies};
	int error = 0;

	if (ssh_run_file(r, path, true, inside, &error))
		return true;
	if (error == ENOENT)
		return true;
	return error ? ssh_run_refuse(
			       r, ERR_CONFIG, at, "%s cannot be read: %s", path, strerror(error))
		     : false;
}

static bool include_files(
	struct ssh_run *r, struct ssh_place at, const char *word, const struct ssh_block *block)
{
	struct ssh_words paths = {0};
	char pattern[4096];
	bool ok = true;
	int error;

	if (*word == '~' && !r->of_user)
		return ssh_run_refuse(r, ERR_CONFIG, at, "~ in a file of the system");
	if (*word == '~' || *word == '/')
		ok = str_copy(pattern, sizeof(pattern), word);
	else
		ok = str_printf(pattern, sizeof(pattern), "%s/%s",
			r->of_user ? "~/.ssh" : "/etc/ssh", word);
	if (!ok)
		return ssh_run_refuse(r, ERR_CONFIG, at, "a path that is too long");
	error = r->world->find(r->world->ctx, pattern, &paths);
	if (error) {
		ok = ssh_run_refuse(r, ERR_CONFIG, at, "%s: %s", pattern, strerror(error));
		/* The line is right; the configuration is still not known. */
		if (descriptors_ran_out(error, r->origin, r->err) && r->err)
			r->err->code = ERR_CONFIG;
	}
	for (size_t i = 0; i < paths.n; i++) {
		ok = ok && include_file(r, at, paths.at[i], block);
		free(paths.at[i]);
	}
	vec_free(&paths);
	return ok;
}

static bool include_all(struct ssh_run *r, struct ssh_place at, const struct ssh_block *block)
{
	bool ok = true;

	for (uint32_t i = 0; i < at.line->n && ok; i++)
		ok = include_files(r, at, at.text->words.at[at.line->first + i], block);
	return ok;
}

/* ---- lines ---- */

static bool refuse_unknown(struct ssh_run *r, struct ssh_place at)
{
	const char *ignored = ssh_setting(r->out, SAID_IGNORE_UNKNOWN);
	char lower[64];

	(void)str_copy(lower, sizeof(lower), at.line->name);
	for (char *c = lower; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	if (ignored && ssh_patterns_fit(ignored, lower, true))
		return true;
	(void)ssh_run_refuse(r, ERR_CONFIG, at, "no such keyword");
	return err_cure(r->err, "correct it, or put IgnoreUnknown %s at the top of the file",
		at.line->name);
}

static bool refuse_barred(
	struct ssh_run *r, struct ssh_place at, const struct ssh_keyword *k, bool applies)
{
	if (!applies || strcasecmp(at.line->rest, "none") == 0)
		return true;
	(void)ssh_run_refuse(r, ERR_UNSUPPORTED, at, "railtop does not support this");
	return err_cure(r->err, "%s; or keep the line out of blocks for %s", k->cure, r->name);
}

static bool take_value(struct ssh_run *r, struct ssh_place at, const struct ssh_keyword *k)
{
	switch (k->kind) {
	case KIND_LIST:
		return add_value(r, at, k->option);
	case KIND_REST:
		set_command(r, at);
		return true;
	case KIND_JUMP:
		return set_jump(r, at);
	case KIND_TIME: /* "none" counts as not set: a later line may set it */
		if (!str_eq(at.text->words.at[at.line->first], "none"))
			set_first(r, at, k->option);
		return true;
	default:
		set_first(r, at, k->option);
		return true;
	}
}

static bool take_line(struct ssh_run *r, struct ssh_place at, struct ssh_block *block)
{
	const struct ssh_keyword *k = ssh_keyword_at(at.line->keyword);

	if (at.line->flaw)
		return ssh_run_refuse(r, ERR_CONFIG, at, "%s", at.line->flaw);
	switch (k->kind) {
	case KIND_HOST:
		match_host(r, &at, block);
		return true;
	case KIND_MATCH:
		return ssh_run_match(r, at, block);
	case KIND_INCLUDE:
		return include_all(r, at, block);
	case KIND_UNKNOWN:
		return refuse_unknown(r, at);
	case KIND_BARRED:
		return refuse_barred(r, at, k, block->applies);
	case KIND_PASSED:
		return true;
	default:
		if (k->kind == KIND_WORDS && !check_none(r, at))
			return false;
		return !block->applies || take_value(r, at, k);
	}
}

static bool refuse_file(struct ssh_run *r, const char *path, const char *why, const char *cure)
{
	err_set(r->err, ERR_CONFIG, r->origin, "%s: %s", path, why);
	return err_cure(r->err, "%s %s", cure, path);
}

bool ssh_run_file(
	struct ssh_run *r, const char *path, bool check, struct ssh_block block, int *error)
{
	const struct ssh_text *text;
	bool ok = true;

	*error = 0;
	if (r->depth > DEPTH_MOST || r->files >= FILES_MOST)
		return refuse_file(r, path, "included too often, or by itself",
			"remove one of the Include lines that lead to");
	text = r->world->read(r->world->ctx, path, error);
	if (!text)
		return false;
	if (check && ((text->owner && text->owner != r->world->uid) ||
			     (text->mode & (S_IWGRP | S_IWOTH))))
		return refuse_file(r, path, "other users may write this file",
			"chown it to yourself, then: chmod go-w");
	r->depth++;
	r->files++;
	for (size_t i = 0; i < text->lines.n && ok; i++)
		ok = take_line(
			r, (struct ssh_place){.text = text, .line = &text->lines.at[i]}, &block);
	r->depth--;
	return ok;
}
