/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/parse/json.h"
#include "base/str.h"
#include "fabric/plan/plan.h"

/*
 * Decodes jobs of Slurm: squeue --json and scontrol show job --json. Numbers are objects of "set"
 * and "number" since data_parser v0.0.39, bare before; job_state is a list since v0.0.40.
 */

#define HOSTS_MAX 65536
#define JOBS_SEEN 4096 /* as many as the model has */

static int64_t number_of(const json_t *v)
{
	if (!json_is_object(v))
		return nccl_wide(v);
	return json_is_false(pj_get(v, "set")) || json_is_true(pj_get(v, "infinite"))
		       ? -1
		       : nccl_wide(pj_get(v, "number"));
}

static bool is_running(const json_t *job)
{
	const json_t *state = pj_get(job, "job_state"), *v;
	size_t i;

	if (str_eq(pj_text(state), "RUNNING"))
		return true;
	json_array_foreach(state, i, v)
	{
		if (str_eq(pj_text(v), "RUNNING"))
			return true;
	}
	return false;
}

/* Users give several jobs the same name; such jobs are distinguished by their number. */
static bool has_namesake(const json_t *jobs, size_t self, const char *name)
{
	const json_t *v;
	size_t i;

	json_array_foreach(jobs, i, v)
	{
		if (i >= JOBS_SEEN)
			break;
		if (i != self && str_eq(pj_text(pj_get(v, "name")), name) && is_running(v))
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

static bool read_job(const json_t *jobs, size_t i, const json_t *v, struct obs *out)
{
	const char *name = pj_text_or(pj_get(v, "name"), "");
	const char *nodes = pj_text(pj_get(v, "nodes"));
	int64_t id = nccl_wide(pj_get(v, "job_id")), tasks = number_of(pj_get(v, "tasks"));
	struct job j = {.o = out, .nranks = -1};
	struct err e = {0};
	char text[NAME_MAX_LEN];

	if (!is_running(v) || !nodes || !*nodes || *nodes == '(')
		return true;
	if (id >= 0 && (!*name || has_namesake(jobs, i, name)))
		(void)str_printf(
			text, sizeof(text), "%.80s%s%lld", name, *name ? "-" : "", (long long)id);
	else
		(void)str_copy(text, sizeof(text), name);
	j.name = obs_string(out, text);
	j.user = nccl_string(out, pj_get(v, "user_name"));
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
	json_t *doc = parse_json(bytes, len, out->device, err);
	const json_t *jobs = pj_get(doc, "jobs"), *v;
	size_t i;

	if (!doc)
		return false;
	if (!json_is_array(jobs)) {
		json_decref(doc);
		return err_set(err, ERR_PROTOCOL, out->device,
			"Slurm: the answer has no list of \"jobs\"");
	}
	json_array_foreach(jobs, i, v)
	{
		if (i >= JOBS_SEEN || !read_job(jobs, i, v, out))
			break;
	}
	if (i >= JOBS_SEEN && out->err.code == ERR_NONE)
		err_set(&out->err, ERR_LIMIT, out->device,
			"Slurm: more than %d jobs: the rest is left out", JOBS_SEEN);
	if (out->err.code == ERR_NONE)
		(void)nccl_add(out, NCCL_DONE, SOURCE_SLURM);
	json_decref(doc);
	return true;
}
