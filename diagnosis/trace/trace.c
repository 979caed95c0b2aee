/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/trace/trace.h"

#include <string.h>

#include "base/str.h"
#include "diagnosis/trace/trace_internal.h"
#include "fabric/model/nets.h"

const char *hop_step_name(enum hop_step s)
{
	static const char *const names[HOP_STEP_COUNT] = {
		"rank", "gpu", "nic", "host_port", "leaf_port", "uplink", "spine_port"};

	return (unsigned)s < HOP_STEP_COUNT ? names[s] : "unknown";
}

const char *hop_state_name(enum hop_state s)
{
	static const char *const names[] = {"unknown", "ok", "suspect", "culprit", "victim"};

	return (unsigned)s < sizeof(names) / sizeof(names[0]) ? names[s] : names[0];
}

/* ---- the start ---- */

static bool start_rank(struct tracer *r, uint32_t comm, int32_t rank)
{
	const struct nccl *n = r->m->nccl;
	const struct ref at = {.kind = REF_RANK, .comm = comm, .rank = rank};
	const struct rank *k = ref_rank(r->m, at);
	const struct gpu *g;

	if (!k)
		return false;
	r->comm = comm;
	r->t->rank = rank;
	r->t->job = ref_comm(r->m, at)->job;
	r->gpu = k->gpu;
	r->gpu_learned = nccl_source_name((enum nccl_source)k->gpu_source);
	if (k->host >= r->m->devices.n)
		return true;
	r->host = k->host;
	g = k->gpu >= 0 ? nccl_gpu(n, k->host, k->gpu) : NULL;
	r->trouble = nccl_trouble_of(n, comm, rank);
	if (r->trouble && !nccl_trouble_is_new(n, r->trouble, r->now_us))
		r->trouble = NULL;
	/* The connection that failed, which need not be over the NIC nearest to its GPU. */
	if (r->trouble && r->trouble->nic < r->m->ports.n &&
		r->m->ports.at[r->trouble->nic]->device == k->host) {
		r->nic = r->trouble->nic;
		r->nic_learned = nccl_source_name((enum nccl_source)r->trouble->source);
	} else if (k->nic < r->m->ports.n) {
		r->nic = k->nic;
		r->nic_learned = k->nic_source == SOURCE_UNKNOWN
					 ? "by index"
					 : nccl_source_name((enum nccl_source)k->nic_source);
	} else if (g && g->nic < r->m->ports.n) {
		r->nic = g->nic;
		r->nic_learned = nccl_source_name((enum nccl_source)g->source);
	}
	return true;
}

/* The rank that uses the NIC, if its job reports it; else the trace starts at the NIC. */
static void find_rank(struct tracer *r)
{
	uint32_t job = model_job_of(r->m, r->host), comm;
	const struct comm *c;

	if (job >= r->m->nccl->jobs.n)
		return;
	r->t->job = job;
	c = job_world(r->m->nccl, r->m->nccl->jobs.at[job], &comm);
	for (int32_t i = 0; c && i < c->nranks; i++) {
		uint32_t nic = r->nic;

		if (c->rank[i].host != r->host || c->rank[i].nic != nic)
			continue;
		(void)start_rank(r, comm, i);
		return;
	}
}

static bool start_port(struct tracer *r, uint32_t port)
{
	const struct model *m = r->m;
	enum peer_source source = PEER_NONE;
	const struct port *p = m->ports.at[port], *q = port_peer(m, p, &source);
	enum tier t = model_dev_of(m, p)->tier;

	if (t == TIER_HOST) {
		r->nic = port;
		r->host = p->device;
		r->nic_learned = r->of_host[0] ? r->of_host : "asked for";
		find_rank(r);
	} else if (q && model_dev_of(m, q)->tier == TIER_HOST) {
		(void)start_port(r, q->id);
		r->leaf = port;
		r->leaf_learned = peer_source_name(source);
	} else if (t == TIER_LEAF && (!q || model_dev_of(m, q)->tier <= t)) {
		r->leaf = port;
		r->leaf_learned = "asked for";
	} else {
		r->uplink = q && model_dev_of(m, q)->tier < t ? q->id : port;
	}
	return true;
}

/* The first NIC of the host that carries jobs; PORT_NONE: none does. */
static uint32_t first_nic(const struct model *m, const struct device *d)
{
	for (size_t i = 0; i < d->ports.n && d->tier == TIER_HOST; i++) {
		const struct port *p = m->ports.at[d->ports.at[i]];

		if (p->seen && !p->merged && port_net(m, p) == NET_BACKEND)
			return p->id;
	}
	return PORT_NONE;
}

/* The first rank of the host's job that runs there, if its NIC is known. */
static bool start_first_rank(struct tracer *r, uint32_t device)
{
	uint32_t job = model_job_of(r->m, device), comm;
	const struct comm *c;

	if (job >= r->m->nccl->jobs.n)
		return false;
	c = job_world(r->m->nccl, r->m->nccl->jobs.at[job], &comm);
	for (int32_t i = 0; c && i < c->nranks; i++)
		if (c->rank[i].host == device && c->rank[i].nic != PORT_NONE) {
			r->t->job = job;
			return start_rank(r, comm, i);
		}
	return false;
}

static bool start_device(struct tracer *r, uint32_t device)
{
	const struct device *d = r->m->devices.at[device];
	uint32_t port;

	if (!d->ports.n)
		return false;
	port = trace_worst(r, d->ports.at, d->ports.n);
	if (d->tier == TIER_HOST)
		r->of_host = port == PORT_NONE ? "first NIC" : "worst NIC";
	if (port == PORT_NONE && d->tier == TIER_HOST && start_first_rank(r, device))
		return true;
	if (port == PORT_NONE)
		port = first_nic(r->m, d);
	if (port == PORT_NONE)
		port = d->ports.at[0];
	/* All ranks of a host are equal, so take the one with an NCCL finding. */
	for (size_t i = 0; i < r->d->order.n && d->tier == TIER_HOST; i++) {
		const struct finding *f = r->d->order.at[i];
		struct place at = place_of(r->m, f);

		if (f->at.kind == REF_RANK && at.host == device && f->role == ROLE_CULPRIT &&
			f->rank > 0)
			return start_rank(r, f->at.comm, f->at.rank);
	}
	return start_port(r, port);
}

/* The rank of the job with NCCL findings, else one on a host with a culprit, else 0. */
static bool start_job(struct tracer *r, uint32_t job)
{
	const struct nccl *n = r->m->nccl;
	const struct comm *c;
	uint32_t comm = 0;

	if (job >= n->jobs.n)
		return false;
	r->t->job = job;
	for (size_t i = 0; i < r->d->order.n; i++) {
		const struct finding *f = r->d->order.at[i];

		if (ref_rank(r->m, f->at) && ref_job(r->m, f->at) == n->jobs.at[job])
			return start_rank(r, f->at.comm, f->at.rank);
	}
	c = job_world(n, n->jobs.at[job], &comm);
	for (size_t i = 0; c && i < r->d->order.n; i++) {
		struct place at = place_of(r->m, r->d->order.at[i]);

		for (int32_t k = 0; r->d->order.at[i]->role == ROLE_CULPRIT && k < c->nranks; k++)
			if (c->rank[k].host == at.host && at.host != NO_DEVICE &&
				(at.port == PORT_NONE || c->rank[k].nic == at.port ||
					c->rank[k].nic == at.peer_port))
				return start_rank(r, comm, k);
	}
	if (c)
		return start_rank(r, comm, 0);
	return n->jobs.at[job]->hosts.n && start_device(r, n->jobs.at[job]->hosts.at[0]);
}

static bool start_from(struct tracer *r, struct ref from)
{
	const struct comm *comm = ref_comm(r->m, from);
	const struct device *d = ref_device(r->m, from);
	const struct port *p = ref_port(r->m, from);
	const struct finding *f;

	switch (from.kind) {
	case REF_RANK:
		return start_rank(r, from.comm, from.rank);
	case REF_COMM:
		return comm && start_job(r, comm->job);
	case REF_JOB:
		return start_job(r, from.job);
	case REF_DEVICE:
	case REF_BGP:
	case REF_NEED:
		return d && start_device(r, d->id);
	case REF_PORT:
	case REF_PRIORITY:
	case REF_LINK:
	case REF_COUNTER:
		return p && start_port(r, p->id);
	case REF_FINDING:
		f = diag_finding(r->d, from.seq);
		return f && f->at.kind != REF_FINDING && start_from(r, f->at);
	default:
		return false;
	}
}

bool trace_from(const struct diag *d, const struct model *m, struct ref from, int64_t now_us,
	struct trace *out, struct err *err)
{
	struct tracer r = {.d = d,
		.m = m,
		.now_us = now_us,
		.t = out,
		.comm = JOB_NONE,
		.host = NO_DEVICE,
		.gpu = -1,
		.nic = PORT_NONE,
		.leaf = PORT_NONE,
		.uplink = PORT_NONE,
		.gpu_learned = "",
		.nic_learned = "",
		.of_host = "",
		.leaf_learned = ""};

	memset(out, 0, sizeof(*out));
	out->from = from;
	out->job = JOB_NONE;
	out->rank = -1;
	out->id = FIND_COUNT;
	if (!start_from(&r, from)) {
		(void)err_set(err, ERR_USAGE, m->fabric, "no trace can start at this place");
		return err_cure(err, "give a rank, a job, a host, a NIC or a switch port");
	}
	trace_path(&r);
	trace_cause(&r);
	return true;
}

void trace_free(struct trace *t)
{
	vec_free(&t->chain);
	vec_free(&t->alternatives);
	memset(t, 0, sizeof(*t));
}
