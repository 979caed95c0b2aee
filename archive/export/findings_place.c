/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "archive/export/findings_private.h"
#include "archive/export/snapshot_private.h"
#include "base/json_out.h"

const char *finding_severity_name(enum severity s)
{
	static const char *const names[SEV_COUNT] = {"unknown", "info", "warning", "critical"};

	return (unsigned)s < SEV_COUNT ? names[s] : names[SEV_UNKNOWN];
}

static void set_device(json_t *o, const struct device *d)
{
	if (d)
		json_put(o, "device", json_text(d->name));
}

static void set_port(json_t *o, const struct model *m, const struct port *p)
{
	if (!p)
		return;
	set_device(o, model_dev_of(m, p));
	json_put(o, "port", json_text(p->name));
}

static void set_job(json_t *o, const struct job *j)
{
	if (j)
		json_put(o, "job", json_text(j->name));
}

static void set_rank(json_t *o, const struct model *m, struct ref at)
{
	const struct comm *c = ref_comm(m, at);
	const struct rank *r = ref_rank(m, at);

	if (!c)
		return;
	set_job(o, ref_job(m, at));
	json_put(o, "communicator", json_text(c->id));
	if (!r)
		return;
	json_put(o, "rank", json_integer(at.rank));
	set_device(o, model_device_at(m, r->host));
	if (r->gpu >= 0)
		json_put(o, "gpu", json_integer(r->gpu));
}

void place_into(json_t *o, const struct model *m, struct ref at)
{
	switch (at.kind) {
	case REF_PRIORITY:
		json_put(o, "priority", json_integer(at.priority));
		set_port(o, m, ref_port(m, at));
		break;
	case REF_PORT:
	case REF_LINK:
	case REF_COUNTER:
		set_port(o, m, ref_port(m, at));
		break;
	case REF_DEVICE:
	case REF_BGP:
	case REF_NEED:
		set_device(o, ref_device(m, at));
		break;
	case REF_RAIL:
		json_put(o, "rail", json_integer(at.rail));
		break;
	case REF_TIER:
		json_put(o, "tier", json_string(tier_name((enum tier)at.tier)));
		break;
	case REF_JOB:
		set_job(o, ref_job(m, at));
		break;
	case REF_COMM:
	case REF_RANK:
		set_rank(o, m, at);
		break;
	case REF_FABRIC:
		json_put(o, "fabric", json_text(m->fabric));
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
		json_put(o, dev_state_name((enum dev_state)s),
			json_integer((json_int_t)v.by_state[s]));
	return o;
}
