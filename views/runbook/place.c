/* SPDX-License-Identifier: Apache-2.0 */
#include "views/runbook/place.h"

#include "base/clock.h"
#include "base/str.h"
#include "views/common.h"
#include "views/diag_rows.h"

#define NOWHERE ((struct ref){.kind = REF_NONE})

/* ---- containment ---- */

static struct port *port_in(const struct model *m, struct ref r)
{
	const struct rank *rank = ref_rank(m, r);

	return rank ? model_port_at(m, rank->nic) : ref_port(m, r);
}

static struct device *device_in(const struct model *m, struct ref r)
{
	const struct rank *rank = ref_rank(m, r);
	const struct port *p = port_in(m, r);

	if (p)
		return model_dev_of(m, p);
	return rank ? model_device_at(m, rank->host) : ref_device(m, r);
}

static struct port *peer_in(const struct model *m, struct ref r)
{
	const struct port *p = port_in(m, r);

	return p ? port_peer(m, p, NULL) : NULL;
}

/* The job of a rank or host, or of the host at the other end of a leaf's port. */
static uint32_t job_in(const struct model *m, struct ref r)
{
	const struct device *device = device_in(m, r);
	const struct port *peer = peer_in(m, r);
	const struct comm *comm = ref_comm(m, r);
	uint32_t job = JOB_NONE;

	if (r.kind == REF_JOB)
		return ref_job(m, r) ? r.job : JOB_NONE;
	if (r.kind == REF_COMM || r.kind == REF_RANK)
		return comm && ref_job(m, r) ? comm->job : JOB_NONE;
	if (device)
		job = model_job_of(m, device->id);
	return job == JOB_NONE && peer ? model_job_of(m, peer->device) : job;
}

static int rail_in(const struct model *m, struct ref r)
{
	const struct port *p = port_in(m, r);
	const struct device *d = device_in(m, r);

	if (r.kind == REF_RAIL)
		return r.rail;
	if (p && p->rail >= 0)
		return p->rail;
	return d ? d->rail : -1;
}

/* Finds the job if there is only one, so that the user need not name it. */
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

static struct ref a_port(const struct port *p)
{
	return p ? ref_of_port(p) : NOWHERE;
}

static struct ref a_device(const struct device *d)
{
	return d ? ref_of_device(d) : NOWHERE;
}

static struct ref link_of(const struct model *m, const struct port *p)
{
	for (size_t i = 0; i < m->links.n; i++) {
		const struct link *l = &m->links.at[i];

		if (l->a == p->id || l->b == p->id)
			return (struct ref){.kind = REF_LINK, .port = l->a, .seq = i};
	}
	return NOWHERE;
}

bool runbook_subject(
	enum runbook_scope scope, const struct model *m, struct ref target, struct ref *out)
{
	bool whole =
		target.kind == REF_NONE || target.kind == REF_FABRIC || target.kind == REF_TIER;
	const struct port *port = port_in(m, target), *peer = peer_in(m, target);
	uint32_t job;

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
		*out = a_port(peer);
		break;
	case SCOPE_PEER_DEVICE:
		*out = a_device(peer ? model_dev_of(m, peer) : NULL);
		break;
	case SCOPE_LINK:
		/* A device or rail: all of its links. A port without a link: the port alone. */
		*out = port ? link_of(m, port) : whole ? (struct ref){.kind = REF_FABRIC} : target;
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
	const struct port *p = port_in(m, subject);
	struct ref out = {.kind = REF_PRIORITY};

	if (!p)
		return NOWHERE;
	if (subject.kind == REF_PRIORITY)
		return subject;
	out.port = p->id;
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

static bool port_within(const struct model *m, const struct port *p, struct ref subject)
{
	const struct port *peer = peer_in(m, subject);
	const struct job *job;

	switch (subject.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_COUNTER:
	case REF_RANK:
		return p == port_in(m, subject);
	case REF_LINK:
		return p == port_in(m, subject) || p == peer;
	case REF_DEVICE:
	case REF_BGP:
	case REF_NEED:
		return model_dev_of(m, p) == device_in(m, subject);
	case REF_RAIL:
		return p->rail == subject.rail;
	case REF_JOB:
	case REF_COMM:
		job = ref_job(m, subject);
		if (!job)
			return false;
		peer = port_peer(m, p, NULL);
		return job_has_host(job, p->device) || (peer && job_has_host(job, peer->device));
	default:
		return true;
	}
}

bool runbook_device_within(const struct model *m, uint32_t id, struct ref subject)
{
	const struct port *peer = peer_in(m, subject);
	const struct device *d = model_device_at(m, id);

	switch (subject.kind) {
	case REF_LINK:
		return d && (d == device_in(m, subject) || (peer && d == model_dev_of(m, peer)));
	case REF_RAIL:
		return d && device_serves_rail(m, d, subject.rail);
	case REF_JOB:
	case REF_COMM:
		return ref_job(m, subject) && job_has_host(ref_job(m, subject), id);
	case REF_NONE:
	case REF_FABRIC:
		return true;
	default:
		return d && d == device_in(m, subject);
	}
}

/* A numbered session has no port: the name of the neighbour identifies the link. */
static bool session_within(const struct model *m, struct ref row, struct ref subject)
{
	const struct device *d = ref_device(m, row);
	const struct port *own = port_in(m, subject), *peer = peer_in(m, subject);

	if (!d || row.cell >= d->bgp.n)
		return false;
	if (subject.kind != REF_PORT && subject.kind != REF_PRIORITY && subject.kind != REF_LINK)
		return runbook_device_within(m, d->id, subject);
	if (!own || own->device != d->id)
		return false;
	return model_port(m, d, d->bgp.at[row.cell].peer) == own ||
	       (peer && str_eq(d->bgp.at[row.cell].host, model_dev_of(m, peer)->name));
}

bool runbook_within(const struct model *m, struct ref what, struct ref subject)
{
	bool job = subject.kind == REF_JOB || subject.kind == REF_COMM;
	const struct port *p = port_in(m, what), *peer = peer_in(m, what);
	const struct device *d = device_in(m, what);

	if (subject.kind == REF_FABRIC || subject.kind == REF_NONE)
		return true;
	if (what.kind == REF_BGP)
		return session_within(m, what, subject);
	if (job && (what.kind == REF_JOB || what.kind == REF_COMM || what.kind == REF_RANK))
		return job_in(m, what) == job_in(m, subject);
	if (what.kind == REF_RAIL)
		return rail_in(m, what) == rail_in(m, subject);
	if (what.kind == REF_LINK)
		return p && (port_within(m, p, subject) || (peer && port_within(m, peer, subject)));
	if (p)
		return port_within(m, p, subject);
	return d && runbook_device_within(m, d->id, subject);
}

static bool event_within(const struct model *m, struct ref row, struct ref subject)
{
	const struct event *e = row.seq && row.seq <= m->event_seq
					? model_event(m, (size_t)(m->event_seq - row.seq))
					: NULL;

	if (!e)
		return false;
	if (model_port_at(m, e->port))
		return runbook_within(m, a_port(model_port_at(m, e->port)), subject);
	return runbook_within(m, a_device(model_device_at(m, e->device)), subject);
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

/* For a check that was not possible for all devices of a tier. */
static bool tier_within(const struct model *m, unsigned tier, struct ref subject)
{
	for (uint32_t i = 0; i < m->devices.n; i++)
		if (m->devices.at[i]->tier == tier && m->devices.at[i]->net == NET_BACKEND &&
			runbook_device_within(m, i, subject))
			return true;
	return false;
}

/* Several wrong cables may be one fault: it is about both ends of each of them. */
static bool fault_within(const struct model *m, const struct wiring_fault *f, struct ref subject)
{
	for (size_t i = 0; i < f->ports.n; i++) {
		const struct port *p = model_port_at(m, f->ports.at[i]);
		const struct port *other = p ? model_port_at(m, p->plan_peer) : NULL;

		if (p && port_within(m, p, subject))
			return true;
		if (other && port_within(m, other, subject))
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
	/* A view that was opened at the place has only rows of that place. */
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
 * Ports of a device with the same deviation share one row at the first of them
 * (diagnosis/lint/lint.c). The row does not name the other ports.
 */
bool runbook_row_perhaps(
	const struct view_ctx *ctx, const struct view_ops *view, struct ref row, struct ref subject)
{
	const struct lint_row *l = str_eq(view->name, "lint") ? lint_of_row(ctx, row) : NULL;
	const struct model *m = ctx->model;
	const struct device *d;

	if (!l || l->at.kind != REF_PORT || l->alike < 2)
		return false;
	d = ref_device(m, l->at);
	for (size_t i = 0; d && i < d->ports.n; i++)
		if (port_within(m, m->ports.at[d->ports.at[i]], subject))
			return true;
	return false;
}

static bool port_is_old(const struct model *m, const struct port *p)
{
	return p && device_is_old(model_dev_of(m, p));
}

bool runbook_row_is_old(const struct view_ctx *ctx, struct ref row)
{
	const struct model *m = ctx->model;
	const struct device *d = ref_device(m, row);
	const struct comm *c = ref_comm(m, row);

	switch (row.kind) {
	case REF_PORT:
	case REF_PRIORITY:
	case REF_COUNTER:
		return port_is_old(m, ref_port(m, row));
	case REF_LINK:
		return port_is_old(m, ref_port(m, row)) || port_is_old(m, peer_in(m, row));
	case REF_DEVICE:
	case REF_NEED:
		return d && device_is_old(d);
	case REF_BGP:
		return d && bgp_is_old(ctx, d);
	case REF_RANK:
	case REF_COMM:
		/* Its source does not answer, or does not report it any more. */
		return c && c->gone;
	default:
		return false;
	}
}
