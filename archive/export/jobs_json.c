/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"

#define UNWELL_RANKS 64 /* unwell ranks listed; more are only counted */

static json_t *rank_json(const struct model *m, const struct comm *c, int32_t i)
{
	const struct rank *r = &c->rank[i];
	json_t *o = json_pack("{s:i, s:o, s:s}", "rank", (int)i, "host", json_text(r->host_text),
		"state", nccl_state_name((enum nccl_state)r->state));

	if (r->host < m->devices.n)
		json_put(o, "device", json_text(m->devices.at[r->host]->name));
	json_put(o, "gpu", r->gpu >= 0 ? json_integer(r->gpu) : json_null());
	json_put(o, "pid", r->pid >= 0 ? json_integer(r->pid) : json_null());
	json_put(o, "error", json_text_or_null(r->error));
	return o;
}

static bool is_unwell(const struct rank *r)
{
	return r->state > NCCL_FINALIZING || r->error[0];
}

static json_t *launched_json(const struct comm *c)
{
	json_t *o = json_object();

	for (unsigned f = 0; f < c->nfuncs; f++) {
		int64_t most = comm_launched(c, f);

		json_put(o, c->func[f], most >= 0 ? json_integer((json_int_t)most) : json_null());
	}
	return o;
}

static json_t *comm_json(const struct model *m, const struct comm *c)
{
	json_t *list = json_array();
	size_t n = 0;

	for (int32_t i = 0; i < c->nranks; i++)
		if (is_unwell(&c->rank[i]) && n++ < UNWELL_RANKS)
			json_append(list, rank_json(m, c, i));
	return json_pack("{s:o, s:o, s:i, s:s, s:i, s:o, s:i, s:o}", "id", json_text(c->id), "name",
		json_text_or_null(c->name), "ranks", (int)c->nranks, "source",
		nccl_source_name((enum nccl_source)c->source), "missing", (int)c->missing,
		"launched", launched_json(c), "unwell", (int)n, "unwell_ranks", list);
}

json_t *jobs_json(const struct model *m)
{
	json_t *list = json_array();

	for (size_t i = 0; i < m->nccl->jobs.n; i++) {
		const struct job *j = m->nccl->jobs.at[i];
		json_t *hosts, *comms;

		if (job_is_free(j))
			continue;
		hosts = json_array();
		comms = json_array();
		for (size_t k = 0; k < j->hosts.n; k++)
			json_append(hosts, json_text(m->devices.at[j->hosts.at[k]]->name));
		for (size_t k = 0; k < j->comms.n; k++)
			json_append(comms, comm_json(m, m->nccl->comms.at[j->comms.at[k]]));
		json_append(list,
			json_pack("{s:o, s:s, s:b, s:o, s:o, s:o}", "name", json_text(j->name),
				"source", nccl_source_name((enum nccl_source)j->source), "gone",
				(int)j->gone, "gpus",
				j->gpus >= 0 ? json_integer(j->gpus) : json_null(), "hosts", hosts,
				"communicators", comms));
	}
	return list;
}
