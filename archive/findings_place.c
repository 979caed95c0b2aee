/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "archive/findings_private.h"
#include "archive/snapshot_private.h"

const char *finding_severity_name(enum severity s)
{
	static const char *const names[SEV_COUNT] = {"unknown", "info", "warning", "critical"};

	return (unsigned)s < SEV_COUNT ? names[s] : names[SEV_UNKNOWN];
}

static void set_port(json_t *o, const struct model *m, uint32_t port)
{
	if (port >= m->ports.n)
		return;
	json_object_set_new(o, "device", json_string(model_dev_of(m, m->ports.at[port])->name));
	json_object_set_new(o, "port", json_string(m->ports.at[port]->name));
}

static void set_job(json_t *o, const struct model *m, uint32_t job)
{
	if (job < m->nccl->jobs.n)
		json_object_set_new(o, "job", json_string(m->nccl->jobs.at[job]->name));
}

static void set_rank(json_t *o, const struct model *m, struct ref at)
{
	const struct comm *c;
	const struct rank *r;

	if (at.comm >= m->nccl->comms.n)
		return;
	c = m->nccl->comms.at[at.comm];
	set_job(o, m, c->job);
	json_object_set_new(o, "communicator", json_string(c->id));
	if (at.kind != REF_RANK || at.rank < 0 || at.rank >= c->nranks)
		return;
	r = &c->rank[at.rank];
	json_object_set_new(o, "rank", json_integer(at.rank));
	if (r->host < m->devices.n)
		json_object_set_new(o, "device", json_string(m->devices.at[r->host]->name));
	if (r->gpu >= 0)
		json_object_set_new(o, "gpu", json_integer(r->gpu));
}

void place_into(json_t *o, const struct model *m, struct ref at)
{
	switch (at.kind) {
	case REF_PRIORITY:
		json_object_set_new(o, "priority", json_integer(at.priority));
		set_port(o, m, at.port);
		break;
	case REF_PORT:
	case REF_LINK:
	case REF_COUNTER:
		set_port(o, m, at.port);
		break;
	case REF_DEVICE:
	case REF_BGP:
		if (at.device < m->devices.n)
			json_object_set_new(
				o, "device", json_string(m->devices.at[at.device]->name));
		break;
	case REF_RAIL:
		json_object_set_new(o, "rail", json_integer(at.rail));
		break;
	case REF_TIER:
		json_object_set_new(o, "tier", json_string(tier_name((enum tier)at.tier)));
		break;
	case REF_JOB:
		set_job(o, m, at.job);
		break;
	case REF_COMM:
	case REF_RANK:
		set_rank(o, m, at);
		break;
	case REF_FABRIC:
		json_object_set_new(o, "fabric", json_string(m->fabric));
		break;
	case REF_NONE:
	case REF_EVENT:
	case REF_FINDING:
	case REF_ROW:
		break;
	}
}

json_t *place_json(const struct model *m, struct ref at)
{
	json_t *o;

	if (at.kind == REF_NONE)
		return json_null();
	o = json_object();
	place_into(o, m, at);
	return o;
}

json_t *coverage_json(const struct model *m)
{
	struct coverage v = model_coverage(m);
	json_t *o = json_pack("{s:i}", "devices", (int)v.devices);

	for (int s = 0; s < DEV_STATE_COUNT; s++)
		json_object_set_new(o, dev_state_name((enum dev_state)s),
			json_integer((json_int_t)v.by_state[s]));
	return o;
}
