/* SPDX-License-Identifier: Apache-2.0 */
#include "views/runbook_place.h"

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/diag_rows.h"

#define NOWHERE ((struct ref){.kind = REF_NONE})

/* ---- what belongs to what ---- */

static const struct rank *rank_of(const struct model *m, struct ref r)
{
	const struct comm *c;

	if (r.kind != REF_RANK || r.comm >= m->nccl->comms.n)
		return NULL;
	c = m->nccl->comms.at[r.comm];
	return r.rank >= 0 && r.rank < c->nranks ? &c->rank[r.rank] : NULL;
}

static uint32_t port_in(const struct model *m, struct ref r)
{
	const struct rank *rank = rank_of(m, r);
	uint32_t id = PORT_NONE;

	if (r.kind == REF_PORT || r.kind == REF_PRIORITY || r.kind == REF_COUNTER ||
		r.kind == REF_LINK)
		id = r.port;
	else if (rank && rank->nic != JOB_NONE)
		id = rank->nic;
	return id < m->ports.n ? id : PORT_NONE;
}

static uint32_t device_in(const struct model *m, struct ref r)
{
	const struct rank *rank = rank_of(m, r);
	uint32_t port = port_in(m, r), id = UINT32_MAX;

	if (port != PORT_NONE)
		return m->ports.at[port]->device;
	if (r.kind == REF_DEVICE || r.kind == REF_BGP)
		id = r.device;
	else if (rank)
		id = rank->host;
	return id < m->devices.n ? id : UINT32_MAX;
}

/* The job of a rank or host, or of the host at the other end of a leaf's port. */
static uint32_t job_in(const struct model *m, struct ref r)
{
	uint32_t port = port_in(m, r), device = device_in(m, r), job = JOB_NONE;
	const struct port *peer;

	if (r.kind == REF_JOB)
		return r.job < m->nccl->jobs.n ? r.job : JOB_NONE;
	if (r.kind == REF_COMM || r.kind == REF_RANK)
		return r.comm < m->nccl->comms.n ? m->nccl->comms.at[r.comm]->job : JOB_NONE;
	if (device != UINT32_MAX)
		job = model_job_of(m, device);
	peer = port != PORT_NONE ? port_peer(m, m->ports.at[port], NULL) : NULL;
	return job == JOB_NONE && peer ? model_job_of(m, peer->device) : job;
}

static int rail_in(const struct model *m, struct ref r)
{
	uint32_t port = port_in(m, r), device = device_in(m, r);

	if (r.kind == REF_RAIL)
		return r.rail;
	if (port != PORT_NONE && m->ports.at[port]->rail >= 0)
		return m->ports.at[port]->rail;
	return device != UINT32_MAX ? m->devices.at[device]->rail : -1;
}

/* The only job there is needs no naming. */
static uint32_t only_job(const struct model *m)
{
	uint32_t found = JOB_NONE;

	for (size_t i = 0; i < m->nccl->jobs.n; i++) {
		if (job_is_free(m->nccl->jobs.at[i]) || m->nccl->jobs.at[i]->gone)
			continue;
		if (found != JOB_NONE)
			return JOB_NONE;
		found = (uint32_t)i;
	}
	return found;
}

/* ---- subjects ---- */

static struct ref a_port(uint32_t id)
{
	return id == PORT_NONE ? NOWHERE : (struct ref){.kind = REF_PORT, .port = id};
}

static struct ref a_device(uint32_t id)
{
	return id == UINT32_MAX ? NOWHERE : (struct ref){.kind = REF_DEVICE, .device = id};
}

static struct ref link_of(const struct model *m, uint32_t port)
{
	for (size_t i = 0; port != PORT_NONE && i < m->links.n; i++) {
		const struct link *l = &m->links.at[i];

		if (l->a == port || l->b == port)
			return (struct ref){.kind = REF_LINK, .port = l->a, .seq = i};
	}
	return NOWHERE;
}

bool runbook_subject(
	enum runbook_scope scope, const struct model *m, struct ref target, struct ref *out)
{
	bool whole =
		target.kind == REF_NONE || target.kind == REF_FABRIC || target.kind == REF_TIER;
	uint32_t port = port_in(m, target), job;
	const struct port *peer = port != PORT_NONE ? port_peer(m, m->ports.at[port], NULL) : NULL;

	*out = NOWHERE;
	switch (scope) {
	case SCOPE_FABRIC:
		out->kind = REF_FABRIC;
		break;
	case SCOPE_TARGET:
		*out = whole ? (struct ref){.kind = REF_FABRIC} : target;
		break;
	case SCOPE_DEVICE:
		*out = a_device(device_in(m, target));
		break;
	case SCOPE_PEER:
		*out = a_port(peer ? peer->id : PORT_NONE);
		break;
	case SCOPE_PEER_DEVICE:
		*out = a_device(peer ? peer->device : UINT32_MAX);
		break;
	case SCOPE_LINK:
		/* Of a device or rail: all of its links. A port alone is what there is of its. */
		*out = port != PORT_NONE ? link_of(m, port)
		       : whole           ? (struct ref){.kind = REF_FABRIC}
					 : target;
		if (out->kind == REF_NONE)
			*out = a_port(port);
		break;
	case SCOPE_RAIL:
		if (rail_in(m, target) >= 0)
			*out = ref_of_rail(rail_in(m, target));
		break;
	case SCOPE_JOB:
		job = whole ? only_job(m) : job_in(m, target);
		if (job != JOB_NONE)
			*out = (struct ref){.kind = REF_JOB, .job = job};
		break;
	case SCOPE_COUNT:
		break;
	}
	return out->kind != REF_NONE;
}

static struct ref a_priority(const struct model *m, struct ref subject)
{
	struct ref out = {.kind = REF_PRIORITY, .port = port_in(m, subject)};

	if (out.port == PORT_NONE)
		return NOWHERE;
	if (subject.kind == REF_PRIORITY)
		return subject;
	while (out.priority < PRIORITIES - 1 && !(m->lossless.priorities >> out.priority & 1))
		out.priority++;
	return out;
}

bool runbook_place(
	const struct runbook_step *step, const struct model *m, struct ref target, struct ref *out)
{
	struct ref subject, way[6];
	uint32_t job;
	int rail;

	*out = NOWHERE;
	if (!step->view || !runbook_subject((enum runbook_scope)step->scope, m, target, &subject))
		return false;
	job = job_in(m, subject);
	rail = rail_in(m, subject);
	way[0] = subject;
	way[1] = a_port(port_in(m, subject));
	way[2] = a_device(device_in(m, subject));
	way[3] = a_priority(m, subject);
	way[4] = job != JOB_NONE ? (struct ref){.kind = REF_JOB, .job = job} : NOWHERE;
	way[5] = rail >= 0 ? ref_of_rail(rail) : NOWHERE;
	for (size_t i = 0; i < sizeof(way) / sizeof(way[0]); i++) {
		if (view_takes(step->view, way[i].kind)) {
			*out = way[i];
			return true;
		}
	}
	out->kind = view_is_whole(step->view) ? REF_FABRIC : REF_NONE;
	return out->kind != REF_NONE;
}

/* ---- rows ---- */

static bool port_within(const struct model *m, uint32_t id, struct ref subject)
{
	const struct port *p = m->ports.at[id], *peer;
	const struct job *job;

	switch (subject.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_COUNTER:
	case REF_RANK:
		return id == port_in(m, subject);
	case REF_LINK:
		peer = subject.port < m->ports.n ? port_peer(m, m->ports.at[subject.port], NULL)
						 : NULL;
		return id == subject.port || (peer && id == peer->id);
	case REF_DEVICE:
	case REF_BGP:
		return p->device == subject.device;
	case REF_RAIL:
		return p->rail == subject.rail;
	case REF_JOB:
	case REF_COMM:
		if (job_in(m, subject) == JOB_NONE)
			return false;
		job = m->nccl->jobs.at[job_in(m, subject)];
		peer = port_peer(m, p, NULL);
		return job_has_host(job, p->device) || (peer && job_has_host(job, peer->device));
	default:
		return true;
	}
}

bool runbook_device_within(const struct model *m, uint32_t id, struct ref subject)
{
	const struct port *peer;

	switch (subject.kind) {
	case REF_LINK:
		peer = subject.port < m->ports.n ? port_peer(m, m->ports.at[subject.port], NULL)
						 : NULL;
		return id == device_in(m, subject) || (peer && id == peer->device);
	case REF_RAIL:
		return device_serves_rail(m, m->devices.at[id], subject.rail);
	case REF_JOB:
	case REF_COMM:
		return job_in(m, subject) != JOB_NONE &&
		       job_has_host(m->nccl->jobs.at[job_in(m, subject)], id);
	case REF_NONE:
	case REF_FABRIC:
		return true;
	default:
		return id == device_in(m, subject);
	}
}

/* A numbered session names no port: the name of the neighbour tells which one it is. */
static bool session_within(const struct model *m, struct ref row, struct ref subject)
{
	const struct device *d = row.device < m->devices.n ? m->devices.at[row.device] : NULL;
	const struct port *peer, *own = NULL;

	if (!d || row.cell >= d->bgp.n)
		return false;
	if (subject.kind != REF_PORT && subject.kind != REF_PRIORITY && subject.kind != REF_LINK)
		return runbook_device_within(m, row.device, subject);
	if (port_in(m, subject) != PORT_NONE)
		own = m->ports.at[port_in(m, subject)];
	peer = own ? port_peer(m, own, NULL) : NULL;
	if (!own || own->device != d->id)
		return false;
	return model_port(m, d, d->bgp.at[row.cell].peer) == own ||
	       (peer && str_eq(d->bgp.at[row.cell].host, model_dev_of(m, peer)->name));
}

bool runbook_within(const struct model *m, struct ref what, struct ref subject)
{
	bool job = subject.kind == REF_JOB || subject.kind == REF_COMM;

	if (subject.kind == REF_FABRIC || subject.kind == REF_NONE)
		return true;
	if (what.kind == REF_BGP)
		return session_within(m, what, subject);
	if (job && (what.kind == REF_JOB || what.kind == REF_COMM || what.kind == REF_RANK))
		return job_in(m, what) == job_in(m, subject);
	if (what.kind == REF_RAIL)
		return rail_in(m, what) == rail_in(m, subject);
	if (what.kind == REF_LINK) {
		struct port *peer =
			what.port < m->ports.n ? port_peer(m, m->ports.at[what.port], NULL) : NULL;

		return what.port < m->ports.n &&
		       (port_within(m, what.port, subject) ||
			       (peer && port_within(m, peer->id, subject)));
	}
	if (port_in(m, what) != PORT_NONE)
		return port_within(m, port_in(m, what), subject);
	return device_in(m, what) != UINT32_MAX &&
	       runbook_device_within(m, device_in(m, what), subject);
}

static bool event_within(const struct model *m, struct ref row, struct ref subject)
{
	const struct event *e = row.seq && row.seq <= m->event_seq
					? model_event(m, (size_t)(m->event_seq - row.seq))
					: NULL;

	if (!e)
		return false;
	if (e->port < m->ports.n)
		return runbook_within(m, a_port(e->port), subject);
	return runbook_within(m, a_device(e->device), subject);
}

static bool finding_within(const struct view_ctx *ctx, struct ref row, struct ref subject)
{
	const struct finding *f = ctx->diag ? diag_finding(ctx->diag, row.seq) : NULL;

	if (!f)
		return false;
	if (runbook_within(ctx->model, f->at, subject) ||
		(f->peer.kind != REF_NONE && runbook_within(ctx->model, f->peer, subject)))
		return true;
	for (size_t i = 0; i < f->members.n; i++)
		if (runbook_within(ctx->model, f->members.at[i], subject))
			return true;
	return false;
}

/* A check that could not be made of all devices of a tier. */
static bool tier_within(const struct model *m, unsigned tier, struct ref subject)
{
	for (uint32_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i]->tier == tier && m->devices.at[i]->net == NET_BACKEND &&
			runbook_device_within(m, i, subject))
			return true;
	return false;
}

/* Cables that are wrong together are one fault: it is about both ends of each of them. */
static bool fault_within(const struct model *m, const struct wiring_fault *f, struct ref subject)
{
	for (size_t i = 0; i < f->ports.n; i++) {
		uint32_t id = f->ports.at[i], other;

		if (id >= m->ports.n)
			continue;
		other = m->ports.at[id]->plan_peer;
		if (port_within(m, id, subject) ||
			(other < m->ports.n && port_within(m, other, subject)))
			return true;
	}
	return false;
}

bool runbook_row_within(
	const struct view_ctx *ctx, const struct view_ops *view, struct ref row, struct ref subject)
{
	const struct wiring_fault *fault;
	struct ref about;

	if (subject.kind == REF_FABRIC || subject.kind == REF_NONE)
		return true;
	if (row.kind == REF_EVENT)
		return event_within(ctx->model, row, subject);
	if (row.kind == REF_FINDING)
		return finding_within(ctx, row, subject);
	if (row.kind != REF_ROW)
		return runbook_within(ctx->model, row, subject);
	/* Rows of a view that was opened there are all of that place. */
	if (!view->about || !view_is_whole(view))
		return true;
	about = view->about(ctx, row);
	if (about.kind == REF_TIER)
		return tier_within(ctx->model, about.tier, subject);
	fault = str_eq(view->name, "wiring") ? fault_of_row(ctx, row) : NULL;
	return fault ? fault_within(ctx->model, fault, subject)
		     : runbook_within(ctx->model, about, subject);
}

/*
 * Ports of a device that differ alike are one row at the first of them (diagnosis/lint.c): which
 * the others are it does not say.
 */
bool runbook_row_perhaps(
	const struct view_ctx *ctx, const struct view_ops *view, struct ref row, struct ref subject)
{
	const struct lint_row *l = str_eq(view->name, "lint") ? lint_of_row(ctx, row) : NULL;
	const struct model *m = ctx->model;
	const struct device *d;

	if (!l || l->at.kind != REF_PORT || l->alike < 2 || l->at.port >= m->ports.n)
		return false;
	d = model_dev_of(m, m->ports.at[l->at.port]);
	for (size_t i = 0; i < d->ports.n; i++)
		if (port_within(m, d->ports.at[i], subject))
			return true;
	return false;
}

static bool port_is_old(const struct model *m, uint32_t id)
{
	return id < m->ports.n && device_is_old(model_dev_of(m, m->ports.at[id]));
}

bool runbook_row_is_old(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;
	const struct port *peer;

	switch (row.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_COUNTER:
		return port_is_old(m, row.port);
	case REF_LINK:
		peer = row.port < m->ports.n ? port_peer(m, m->ports.at[row.port], NULL) : NULL;
		return port_is_old(m, row.port) || (peer && port_is_old(m, peer->id));
	case REF_DEVICE:
		return row.device < m->devices.n && device_is_old(m->devices.at[row.device]);
	case REF_BGP:
		return row.device < m->devices.n && bgp_is_old(ctx, m->devices.at[row.device]);
	case REF_RANK:
	case REF_COMM:
		/* Its source fell silent, or does not name it any more. */
		return row.comm < m->nccl->comms.n && m->nccl->comms.at[row.comm]->gone;
	default:
		return false;
	}
}
