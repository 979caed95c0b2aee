/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json_select.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

/*
 * Decodes jobs of Slurm: squeue --json and scontrol show job --json, or lines of squeue. Numbers
 * are objects of "set" and "number" since data_parser v0.0.39, bare before; job_state is a list
 * since v0.0.40.
 */

#define HOSTS_MAX 65536
#define JOBS_SEEN 4096 /* running ones; as many as the model has */
/* squeue --json lists also jobs that have ended, whatever states are asked for. */
#define JOBS_LOOKED 32768

static int64_t number_of(const struct json_value *v)
{
	if (!json_value_is(v, DV_OBJECT))
		return nccl_wide(v);
	return json_value_is(json_value_get(v, "set"), DV_FALSE) ||
			       json_value_is(json_value_get(v, "infinite"), DV_TRUE)
		       ? -1
		       : nccl_wide(json_value_get(v, "number"));
}

static bool is_running(const struct json_value *job)
{
	const struct json_value *state = json_value_get(job, "job_state");

	if (str_eq(json_value_text(state), "RUNNING"))
		return true;
	for (json_value_items(v, state))
		if (str_eq(json_value_text(v), "RUNNING"))
			return true;
	return false;
}

/* Users give several jobs the same name; such jobs are distinguished by their number. */
static bool has_namesake(
	const struct json_value *jobs, const struct json_value *self, const char *name)
{
	size_t i = 0;

	for (json_value_items(v, jobs)) {
		if (i++ >= JOBS_LOOKED)
			break;
		if (v != self && str_eq(json_value_text(json_value_get(v, "name")), name) &&
			is_running(v))
			return true;
	}
	return false;
}

struct job {
	struct obs *o;
	uint32_t name, user;
	int32_t nranks;
};

static void add_host(void *ctx, const char *host)
{
	const struct job *j = ctx;
	struct obs_nccl *r = nccl_add(j->o, NCCL_JOB, SOURCE_SLURM);

	if (!r)
		return;
	r->job = j->name;
	r->text = j->user;
	r->nranks = j->nranks;
	r->host = obs_string(j->o, host);
}

/* Users give several jobs the same name: then the number tells them apart. */
static uint32_t name_job(struct obs *out, const char *name, int64_t id, bool has_namesakes)
{
	char text[NAME_MAX_LEN];

	if (id >= 0 && (!*name || has_namesakes))
		(void)str_printf(
			text, sizeof(text), "%.80s%s%lld", name, *name ? "-" : "", (long long)id);
	else
		(void)str_copy(text, sizeof(text), name);
	return obs_string(out, text);
}

/* False: there is no room for more. */
static bool add_hosts(struct job *j, const char *nodes)
{
	struct err e = {0};

	if (!j->name)
		return true;
	if (!hostlist_expand(nodes, HOSTS_MAX, add_host, j, &e) && j->o->err.code == ERR_NONE)
		j->o->err = e;
	return j->o->nccl.n < OBS_NCCL_MAX;
}

static bool read_job(const struct json_value *jobs, const struct json_value *v, struct obs *out)
{
	const char *name = json_value_text_or(json_value_get(v, "name"), "");
	const char *nodes = json_value_text(json_value_get(v, "nodes"));
	int64_t id = nccl_wide(json_value_get(v, "job_id")),
		tasks = number_of(json_value_get(v, "tasks"));
	struct job j = {.o = out, .nranks = -1};

	if (!is_running(v) || !nodes || !*nodes || *nodes == '(')
		return true;
	j.name = name_job(out, name, id, has_namesake(jobs, v, name));
	j.user = nccl_string(out, json_value_get(v, "user_name"));
	if (tasks > 0 && tasks <= NCCL_RANKS_MAX)
		j.nranks = (int32_t)tasks;
	return add_hosts(&j, nodes);
}

/* ---- the lines of squeue without JSON ---- */

struct line {
	char id[24], user[NAME_MAX_LEN], name[NAME_MAX_LEN];
	char *nodes; /* freed by the caller */
};

/* Copies a field up to `|`; false: the line has no further one. */
static bool take_field(const char **at, const char *end, char *dst, size_t size)
{
	const char *bar = memchr(*at, '|', (size_t)(end - *at));
	size_t n = bar ? (size_t)(bar - *at) : 0;

	if (!bar)
		return false;
	(void)str_copyn(dst, size, *at, n < size ? n : size - 1);
	*at = bar + 1;
	return true;
}

/* "4711|alice|gpu[001-004]|pretrain", a name may hold anything. */
static bool read_line(const char *at, const char *end, struct line *l)
{
	const char *bar;
	size_t n;

	if (!take_field(&at, end, l->id, sizeof(l->id)) ||
		strspn(l->id, "0123456789") != strlen(l->id) ||
		!take_field(&at, end, l->user, sizeof(l->user)))
		return false;
	bar = memchr(at, '|', (size_t)(end - at));
	if (!bar)
		return false;
	l->nodes = mem_strndup(at, (size_t)(bar - at));
	n = (size_t)(end - bar - 1);
	(void)str_copyn(
		l->name, sizeof(l->name), bar + 1, n < sizeof(l->name) ? n : sizeof(l->name) - 1);
	return true;
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

/* Whether a line other than `self` ends with the name. */
static bool has_named_line(const char *at, const char *end, const char *self, const char *name)
{
	size_t n = strlen(name), looked = 0;

	for (const char *stop; at < end && looked++ < JOBS_LOOKED; at = stop + 1) {
		stop = line_end(at, end);
		if (at != self && (size_t)(stop - at) > n && stop[-(ptrdiff_t)n - 1] == '|' &&
			memcmp(stop - n, name, n) == 0)
			return true;
	}
	return false;
}

static void parse_lines(const char *bytes, const char *end, struct obs *out)
{
	const char *stop;
	size_t n = 0;

	for (const char *at = bytes; at < end && n < JOBS_SEEN; at = stop + 1) {
		struct job j = {.o = out, .nranks = -1};
		struct line l = {.nodes = NULL};
		uint64_t id = 0;
		bool go_on;

		stop = line_end(at, end);
		if (!read_line(at, stop, &l))
			continue;
		n++;
		(void)str_to_u64(l.id, &id);
		j.name = name_job(out, l.name, (int64_t)id, has_named_line(bytes, end, at, l.name));
		j.user = obs_string(out, l.user);
		go_on = !*l.nodes || *l.nodes == '(' || add_hosts(&j, l.nodes);
		free(l.nodes);
		if (!go_on)
			break;
	}
	if (n >= JOBS_SEEN && out->err.code == ERR_NONE)
		err_set(&out->err, ERR_LIMIT, out->device,
			"Slurm: more than %d jobs: the rest is skipped", JOBS_SEEN);
	if (out->err.code == ERR_NONE)
		(void)nccl_add(out, NCCL_DONE, SOURCE_SLURM);
}

bool nccl_slurm_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	static const char mark[] = "@@text\n";
	const char *text = memmem(bytes, len, mark, strlen(mark));
	struct json_value *doc;
	const struct json_value *jobs;
	size_t i = 0;

	if (text && (text == bytes || text[-1] == '\n')) {
		parse_lines(text + strlen(mark), bytes + len, out);
		return true;
	}
	doc = json_value_parse(bytes, len, out->device, err);
	jobs = json_value_get(doc, "jobs");
	if (!doc)
		return false;
	if (!json_value_is(jobs, DV_ARRAY)) {
		free(doc);
		return err_set(err, ERR_PROTOCOL, out->device,
			"Slurm: the answer has no list of \"jobs\"");
	}
	for (json_value_items(v, jobs)) {
		if (i >= JOBS_SEEN || !read_job(jobs, v, out))
			break;
		i += is_running(v);
	}
	if (i >= JOBS_SEEN && out->err.code == ERR_NONE)
		err_set(&out->err, ERR_LIMIT, out->device,
			"Slurm: more than %d jobs: the rest is skipped", JOBS_SEEN);
	if (out->err.code == ERR_NONE)
		(void)nccl_add(out, NCCL_DONE, SOURCE_SLURM);
	free(doc);
	return true;
}
