/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json_select.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

/*
 * Decodes jobs of Slurm: squeue --json and scontrol show job --json. Numbers are objects of "set"
 * and "number" since data_parser v0.0.39, bare before; job_state is a list since v0.0.40.
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

static bool read_job(const struct json_value *jobs, const struct json_value *v, struct obs *out)
{
	const char *name = json_value_text_or(json_value_get(v, "name"), "");
	const char *nodes = json_value_text(json_value_get(v, "nodes"));
	int64_t id = nccl_wide(json_value_get(v, "job_id")),
		tasks = number_of(json_value_get(v, "tasks"));
	struct job j = {.o = out, .nranks = -1};
	struct err e = {0};
	char text[NAME_MAX_LEN];

	if (!is_running(v) || !nodes || !*nodes || *nodes == '(')
		return true;
	if (id >= 0 && (!*name || has_namesake(jobs, v, name)))
		(void)str_printf(
			text, sizeof(text), "%.80s%s%lld", name, *name ? "-" : "", (long long)id);
	else
		(void)str_copy(text, sizeof(text), name);
	j.name = obs_string(out, text);
	j.user = nccl_string(out, json_value_get(v, "user_name"));
	if (tasks > 0 && tasks <= NCCL_RANKS_MAX)
		j.nranks = (int32_t)tasks;
	if (!j.name)
		return true;
	if (!hostlist_expand(nodes, HOSTS_MAX, add_host, &j, &e) && out->err.code == ERR_NONE)
		out->err = e;
	return out->nccl.n < OBS_NCCL_MAX;
}

bool nccl_slurm_parse(const char *bytes, size_t len, struct obs *out, struct err *err)
{
	struct json_value *doc = json_value_parse(bytes, len, out->device, err);
	const struct json_value *jobs = json_value_get(doc, "jobs");
	size_t i = 0;

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
