/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Number of GPUs that a finding blocks or slows. Known when NCCL shows a job that is stalled or
 * slow because of it: then all GPUs of the job, because collectives wait for the slowest. Else, of
 * a critical culprit at a host, all GPUs of the job on that host: blocked when a NIC is cut off.
 * Else an estimate: the GPUs behind the place, one a NIC, as in rail-optimised fabrics.
 */
#include "base/str.h"
#include "diagnosis/engine/root_cause.h"
#include "fabric/model/nets.h"

static unsigned job_gpus(const struct model *m, uint32_t job)
{
	const struct job *j = model_job_at(m, job);
	unsigned n = 0;

	if (!j)
		return 0;
	if (j->gpus > 0)
		return (unsigned)j->gpus;
	for (size_t i = 0; i < j->hosts.n; i++)
		n += (unsigned)m->devices.at[j->hosts.at[i]]->ports.n;
	return n;
}

static bool is_blocking(enum finding_id id)
{
	return id == FIND_NCCL_HANG || id == FIND_NCCL_DEAD || id == FIND_NCCL_INCOMPLETE ||
	       id == FIND_NCCL_MISMATCH || id == FIND_NCCL_ERROR || id == FIND_NCCL_TIMEOUT;
}

#define JOBS_OF_FINDING 16
struct jobs {
	uint32_t job[JOBS_OF_FINDING];
	bool blocked[JOBS_OF_FINDING];
	unsigned n;
};

static void add_job(struct jobs *jobs, uint32_t job, bool blocked)
{
	for (unsigned i = 0; i < jobs->n; i++) {
		if (jobs->job[i] == job) {
			jobs->blocked[i] |= blocked;
			return;
		}
	}
	if (job == JOB_NONE || jobs->n == JOBS_OF_FINDING)
		return;
	jobs->job[jobs->n] = job;
	jobs->blocked[jobs->n++] = blocked;
}

/* Jobs of the NCCL findings that follow from f, and of f itself. */
static void jobs_of(
	const struct diag *d, const struct model *m, const struct finding *f, struct jobs *jobs)
{
	const struct record *r, *next;

	if (finding_info[f->id].family == FAMILY_NCCL)
		add_job(jobs, place_of(m, f).job, is_blocking(f->id));
	if (f->role != ROLE_CULPRIT || !m->nccl->jobs.n)
		return;
	HASH_ITER (hh, d->known, r, next)
		if (r->f.open && r->f.root == f->key && finding_info[r->f.id].family == FAMILY_NCCL)
			add_job(jobs, place_of(m, &r->f).job, is_blocking(r->f.id));
}

static unsigned nics_on(const struct model *m, const struct device *leaf)
{
	unsigned n = 0;

	for (size_t i = 0; i < leaf->ports.n; i++) {
		const struct port *peer = port_peer(m, m->ports.at[leaf->ports.at[i]], NULL);

		n += peer && model_dev_of(m, peer)->tier == TIER_HOST;
	}
	return n;
}

/* Above the leaves no estimate is better than another: 0. */
static unsigned gpus_behind(const struct model *m, const struct place *p)
{
	const struct device *d = model_device_at(m, p->device);
	const struct device *peer = model_device_at(m, p->peer_device);

	if (p->host != NO_DEVICE)
		return p->port != PORT_NONE ? 1 : (unsigned)m->devices.at[p->host]->ports.n;
	if (d && d->tier == TIER_LEAF)
		return nics_on(m, d);
	return peer && peer->tier == TIER_LEAF ? nics_on(m, peer) : 0;
}

static void set_evidence(struct finding *f, double n, const char *text, const char *source)
{
	static const char what[] = "GPUs behind it";
	struct evidence *e = NULL;

	for (size_t i = 0; i < f->evidence.n; i++)
		if (str_eq(f->evidence.at[i].what, what))
			e = &f->evidence.at[i];
	if (!e)
		e = finding_number(f, f->at, what, n, "", "", source);
	e->value = n;
	(void)str_copy(e->text, sizeof(e->text), text);
	(void)str_copy(e->source, sizeof(e->source), source);
}

/* True if the port is one slave of a bond that has another link. */
static bool has_other_link(const struct model *m, uint32_t port)
{
	const struct port *p = model_port_at(m, port), *bond = p ? port_bond(m, p) : NULL, *slave;

	for (size_t i = 0; bond && (slave = port_slave(m, bond, i)); i++)
		if (slave != p && slave->oper == OPER_UP)
			return true;
	return false;
}

/* A NIC without a link, or one that blocks all traffic, blocks its GPU. */
static bool cuts_off(const struct model *m, const struct finding *f, const struct place *p)
{
	return p->host != NO_DEVICE && (f->id == FIND_LINK_DOWN || f->id == FIND_PFC_STORM) &&
	       !has_other_link(m, p->port) && !has_other_link(m, p->peer_port);
}

/* A NIC that is nearest to no GPU, on a host whose GPUs have nearest NICs: storage, for example. */
static bool is_beside_gpus(const struct model *m, const struct port *nic)
{
	const struct nccl *n = m->nccl;
	bool told = false;

	for (size_t i = 0; i < n->gpus.n; i++) {
		if (n->gpus.at[i].host != nic->device || n->gpus.at[i].nic == JOB_NONE)
			continue;
		if (n->gpus.at[i].nic == nic->id)
			return false;
		told = true;
	}
	return told;
}

/* A NIC of no rail, beside NICs of rails: it is of another network, whose switch is not known. */
static bool is_beside_rails(const struct model *m, const struct place *p)
{
	const struct device *d = model_device_at(m, p->host);
	const struct port *own = model_port_at(m, p->port);
	bool rails = false;

	if (!d || !own)
		return false;
	if (own->device != p->host)
		own = model_port_at(m, p->peer_port);
	for (size_t i = 0; i < d->ports.n; i++)
		rails |= m->ports.at[d->ports.at[i]]->rail >= 0;
	/* The inventory lists it as one of the backend: nets: decides, not the missing rail. */
	if (own && port_net_listed(m, own) == NET_BACKEND)
		return false;
	return own && own->rail < 0 && (rails || is_beside_gpus(m, own));
}

static void estimate_gpus(const struct model *m, struct finding *f)
{
	struct place p = place_of(m, f);
	bool cut = cuts_off(m, f, &p), harms = f->severity >= SEV_CRIT && p.host != NO_DEVICE;
	unsigned n = harms ? job_gpus(m, model_job_of(m, p.host)) : 0;

	/* Collectives use the backend alone. */
	if (place_net(m, &p) != NET_BACKEND || is_beside_rails(m, &p))
		return;
	/* They wait for the slowest of their ranks. */
	if (n) {
		*(cut ? &f->gpus_blocked : &f->gpus_slow) = n;
		set_evidence(f, n, "all GPUs of the job on its host", "nccl");
		return;
	}
	n = gpus_behind(m, &p);
	if (!n)
		return;
	/* All other findings slow. */
	*(cut ? &f->gpus_blocked : &f->gpus_slow) = n;
	set_evidence(f, n, "estimate: one GPU a NIC", "plan");
}

void engine_impact(const struct diag *d, const struct model *m, struct finding *f)
{
	struct jobs jobs = {.n = 0};

	f->gpus_blocked = f->gpus_slow = 0;
	if (f->role == ROLE_RISK || f->role == ROLE_INFO)
		return;
	jobs_of(d, m, f, &jobs);
	for (unsigned i = 0; i < jobs.n; i++)
		*(jobs.blocked[i] ? &f->gpus_blocked : &f->gpus_slow) += job_gpus(m, jobs.job[i]);
	if (f->role != ROLE_CULPRIT)
		return;
	if (jobs.n)
		set_evidence(f, f->gpus_blocked + f->gpus_slow,
			"all GPUs of the jobs that wait for it", "nccl");
	else
		estimate_gpus(m, f);
}
