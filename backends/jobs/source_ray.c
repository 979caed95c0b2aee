/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/jobs/nccl_private.h"
#include "backends/jobs/source.h"
#include "backends/parse/json_select.h"
#include "base/clock.h"
#include "base/str.h"

/*
 * Ray: living actors with GPUs, the nodes on which they are, and the names of their jobs, from the
 * state API of the dashboard (2.x): {"result": true, "msg": "", "data": {"result": {"total": 2,
 * "result": [...]}}}, and the list of /api/jobs/ (an object by job in releases before 2.3).
 */

static const char *const paths[] = {"/api/v0/nodes?limit=10000", "/api/jobs/",
	"/api/v0/actors?detail=1&limit=10000&filter_keys=state&filter_predicates=%3D"
	"&filter_values=ALIVE",
	NULL};
enum { DOC_NODES, DOC_JOBS, DOC_ACTORS, DOCS };

/* The list in an answer of the state API. */
static const struct json_value *rows_of(const struct json_value *doc)
{
	return json_value_get(json_value_get(json_value_get(doc, "data"), "result"), "result");
}

static const struct json_value *node_of(const struct json_value *nodes, const char *id)
{
	for (json_value_items(n, rows_of(nodes)))
		if (str_eq(json_value_text(json_value_get(n, "node_id")), id))
			return n;
	return NULL;
}

/* A name that the user gave, else the submission, else the number of the job. */
static const char *name_in(const struct json_value *j, const char *id)
{
	const struct json_value *metadata = json_value_get(j, "metadata");
	const char *name = json_value_text(json_value_get(metadata, "job_name"));

	if (!name)
		name = json_value_text(json_value_get(metadata, "name"));
	return name ? name : json_value_text_or(json_value_get(j, "submission_id"), id);
}

static const char *name_of_job(const struct json_value *doc, const char *id)
{
	const struct json_value *jobs = json_value_get(doc, "list");

	for (json_value_members(j, jobs))
		if (str_eq(json_value_text(json_value_get(j, "job_id")), id))
			return name_in(j, id);
	for (json_value_items(j, jobs)) {
		if (str_eq(json_value_text(json_value_get(j, "job_id")), id))
			return name_in(j, id);
	}
	return id;
}

/* "GPU": 1.0, or "GPU_group_0_<placement group>": 1.0. */
static bool has_gpu(const struct json_value *actor)
{
	for (json_value_members(r, json_value_get(actor, "required_resources")))
		if (str_eq(json_value_name(r), "GPU") ||
			str_starts(json_value_name(r), "GPU_group"))
			return true;
	return false;
}

static void read_actor(
	struct json_value *const docs[DOCS], const struct json_value *a, struct obs *out)
{
	const char *id = json_value_text_or(json_value_get(a, "node_id"), "");
	const char *job = json_value_text_or(json_value_get(a, "job_id"), "");
	const struct json_value *node = node_of(docs[DOC_NODES], id);
	const char *host = json_value_text(json_value_get(node, "node_name"));
	const char *address = json_value_text(json_value_get(node, "node_ip"));
	struct obs_nccl *r;

	if (!str_eq(json_value_text(json_value_get(a, "state")), "ALIVE") || !node || !*job ||
		!has_gpu(a) || !address)
		return;
	r = nccl_add(out, NCCL_JOB, SOURCE_RAY);
	if (!r)
		return;
	r->job = obs_string(out, name_of_job(docs[DOC_JOBS], job));
	/* node_name is the address unless somebody named the node. */
	r->host = obs_string(out, host && *host ? host : address);
	if (!host || !*host || str_eq(host, address))
		return;
	r = nccl_add(out, NCCL_ADDRESS, SOURCE_RAY);
	if (!r)
		return;
	r->host = obs_string(out, host);
	r->text = obs_string(out, address);
}

static bool refuse(const struct job_document *d, struct err *err)
{
	err_set(err, d->status == 401 || d->status == 403 ? ERR_UNAUTHORISED : ERR_PROTOCOL, "ray",
		"HTTP %ld for %.60s", d->status, d->path);
	return err_cure(err, d->status == 404 ? "Ray 2.0 or later with its dashboard is needed"
					      : "check token: of the dashboard");
}

static bool ray_read(const struct job_document *docs, size_t n, struct obs *out, struct err *err)
{
	struct json_value *doc[DOCS] = {NULL};
	bool ok = n == DOCS;

	for (size_t i = 0; ok && i < DOCS; i++) {
		ok = docs[i].status == 200 || refuse(&docs[i], err);
		if (ok)
			doc[i] = i == DOC_JOBS
					 ? nccl_json_list(docs[i].bytes, docs[i].len, "ray", err)
					 : json_value_parse(docs[i].bytes, docs[i].len, "ray", err);
		ok = ok && doc[i];
	}
	if (ok && (!json_value_is(rows_of(doc[DOC_NODES]), DV_ARRAY) ||
			  !json_value_is(rows_of(doc[DOC_ACTORS]), DV_ARRAY))) {
		ok = err_set(err, ERR_PROTOCOL, "ray", "the state API says: %.160s",
			json_value_text_or(json_value_get(doc[DOC_ACTORS], "msg"), "nothing"));
		(void)err_cure(err, "check the dashboard agent and GCS of the Ray cluster");
	}
	if (ok)
		for (json_value_items(a, rows_of(doc[DOC_ACTORS])))
			read_actor(doc, a, out);
	if (ok && out->err.code == ERR_NONE)
		(void)nccl_add(out, NCCL_DONE, SOURCE_RAY);
	for (size_t i = 0; i < DOCS; i++)
		free(doc[i]);
	return ok;
}

const struct job_source_ops job_source_ray = {
	.name = "ray",
	.interval_us = 30 * CLOCK_SEC,
	.least_us = 5 * CLOCK_SEC,
	.paths = paths,
	.read = ray_read,
};
