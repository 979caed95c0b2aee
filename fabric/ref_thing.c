/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/ref.h"
#include "fabric/vocabulary/counters.h"

struct port *ref_port(const struct model *m, struct ref r)
{
	switch (r.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_COUNTER:
	case REF_LINK:
		return model_port_at(m, r.port);
	default:
		return NULL;
	}
}

struct device *ref_device(const struct model *m, struct ref r)
{
	const struct port *p = ref_port(m, r);

	switch (r.kind) {
	case REF_DEVICE:
	case REF_BGP:
	case REF_NEED:
		return model_device_at(m, r.device);
	default:
		return p ? model_dev_of(m, p) : NULL;
	}
}

struct comm *ref_comm(const struct model *m, struct ref r)
{
	return r.kind == REF_COMM || r.kind == REF_RANK ? model_comm_at(m, r.comm) : NULL;
}

struct rank *ref_rank(const struct model *m, struct ref r)
{
	struct comm *c = ref_comm(m, r);

	return c && r.kind == REF_RANK && r.rank >= 0 && r.rank < c->nranks ? &c->rank[r.rank]
									    : NULL;
}

struct job *ref_job(const struct model *m, struct ref r)
{
	const struct comm *c = ref_comm(m, r);

	if (r.kind == REF_JOB)
		return model_job_at(m, r.job);
	return c ? model_job_at(m, c->job) : NULL;
}

const struct capability *ref_need(const struct model *m, struct ref r)
{
	const struct device *d = r.kind == REF_NEED ? ref_device(m, r) : NULL;

	return d && r.cell < d->caps.n ? &d->caps.at[r.cell] : NULL;
}

struct ref ref_wider(const struct model *m, struct ref r)
{
	const struct port *p = ref_port(m, r);
	const struct device *d = ref_device(m, r);
	const struct comm *c = ref_comm(m, r);

	switch (r.kind) {
	case REF_COUNTER:
	case REF_PRIORITY:
	case REF_LINK:
		if (p)
			return (struct ref){.kind = REF_PORT, .port = p->id};
		break;
	case REF_PORT:
	case REF_BGP:
	case REF_NEED:
		if (d)
			return (struct ref){.kind = REF_DEVICE, .device = d->id};
		break;
	case REF_COMM:
	case REF_RANK:
		if (c && ref_job(m, r))
			return (struct ref){.kind = REF_JOB, .job = c->job};
		break;
	default:
		break;
	}
	return (struct ref){.kind = REF_FABRIC};
}

bool ref_lives(const struct model *m, struct ref r)
{
	switch (r.kind) {
	case REF_DEVICE:
	case REF_BGP:
		return ref_device(m, r) != NULL;
	case REF_NEED:
		return ref_need(m, r) != NULL;
	case REF_PORT:
	case REF_LINK:
		return ref_port(m, r) != NULL;
	case REF_COUNTER:
		return ref_port(m, r) && r.cell < CELL_COUNT;
	case REF_PRIORITY:
		return ref_port(m, r) && r.priority < PRIORITIES;
	case REF_TIER:
		return r.tier < TIER_COUNT;
	case REF_EVENT:
		return r.seq && r.seq <= m->event_seq;
	case REF_JOB:
		return ref_job(m, r) && !job_is_free(ref_job(m, r));
	case REF_COMM:
		return ref_comm(m, r) != NULL;
	case REF_RANK:
		return ref_rank(m, r) != NULL;
	case REF_RAIL:
	case REF_FINDING:
	case REF_FABRIC:
	case REF_NONE:
	case REF_ROW:
		break;
	}
	return true;
}
