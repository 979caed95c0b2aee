/* SPDX-License-Identifier: Apache-2.0 */
/* Ranks of jobs against leaves, rails and pods: one row a job and difference. */
#include "base/str.h"
#include "diagnosis/lint/lint.h"
#include "fabric/model/nets.h"
#include "fabric/placement/placement.h"

struct job_rows {
	const struct model *m;
	const struct placement *p;
	lint_vec *out;
	unsigned differs;
};

static struct lint_row *add_difference(struct job_rows *j, const char *cure)
{
	struct lint_row *r = vec_add(j->out);

	r->id = FIND_LINT_PLACEMENT;
	r->result = LINT_DIFFERS;
	r->at = (struct ref){.kind = REF_JOB, .job = j->p->job};
	r->alike = 1;
	(void)str_copy(r->reason, sizeof(r->reason), "wiring");
	if (cure)
		(void)str_copy(r->cure, sizeof(r->cure), cure);
	else
		(void)str_printf(r->cure, sizeof(r->cure),
			"railtop topology --job %.64s prints a better order of its hosts",
			ref_job(j->m, r->at)->name);
	j->differs++;
	return r;
}

static void judge_order(struct job_rows *j)
{
	const struct placement *p = j->p;
	struct lint_row *r;

	if (p->runs > p->hosts.n) {
		r = add_difference(j, "start the ranks of a host one after the other: "
				      "--distribution=block, --map-by slot");
		(void)str_printf(
			r->is, sizeof(r->is), "ranks of %zu hosts in %u runs", p->hosts.n, p->runs);
		(void)str_printf(r->should, sizeof(r->should), "one run a host");
	}
	if (!placement_improves(p))
		return;
	r = add_difference(j, NULL);
	if (p->crossings > p->crossings_least) {
		(void)str_printf(r->is, sizeof(r->is), "ring of %zu hosts crosses %u times",
			p->hosts.n, p->crossings);
		(void)str_printf(r->should, sizeof(r->should), "%u, one a unit of leaves",
			p->crossings_least);
	} else {
		(void)str_printf(r->is, sizeof(r->is), "ring of %zu hosts changes pod %u times",
			p->hosts.n, p->pod_crossings);
		(void)str_printf(
			r->should, sizeof(r->should), "%u, one a pod", p->pod_crossings_least);
	}
}

static void judge_rails(struct job_rows *j)
{
	const struct placement *p = j->p;
	struct lint_row *r;

	if (!p->off_rail)
		return;
	r = add_difference(j, "give GPU n the NIC of the same rail on each host: NCCL_IB_HCA, "
			      "NCCL_TOPO_FILE, CUDA_VISIBLE_DEVICES");
	(void)str_printf(r->is, sizeof(r->is), "%u of %u steps leave the rail, first %d to %d",
		p->off_rail, p->rail_pairs, (int)p->off_from, (int)p->off_to);
	(void)str_copy(r->should, sizeof(r->should), "NICs of one rail");
}

/* The first rank with a NIC that the inventory or the wiring puts into another network. */
static void judge_nics(struct job_rows *j)
{
	const struct comm *c = job_world(j->m->nccl, j->m->nccl->jobs.at[j->p->job], NULL);
	const struct port *first = NULL;
	int32_t rank = -1;
	unsigned n = 0;
	struct lint_row *r;

	for (int32_t i = 0; c && i < c->nranks; i++) {
		const struct port *nic = model_port_at(j->m, c->rank[i].nic);
		enum net_kind net = nic && c->rank[i].nic_source != SOURCE_UNKNOWN
					    ? port_net(j->m, nic)
					    : NET_COUNT;

		if (net == NET_COUNT || net == NET_BACKEND)
			continue;
		if (!n++) {
			first = nic;
			rank = i;
		}
	}
	if (!n)
		return;
	r = add_difference(
		j, "NCCL_IB_HCA names the NICs that NCCL may use: give those of the backend");
	r->id = FIND_WRONG_FABRIC;
	r->peer = at_port(first->id);
	(void)str_printf(r->is, sizeof(r->is), "%u rank%s with a NIC of the %s, first %d", n,
		str_plural(n), net_kind_name(port_net(j->m, first)), (int)rank);
	(void)str_copy(r->should, sizeof(r->should), "a NIC of the backend");
}

static void judge_pods(struct job_rows *j)
{
	const struct placement *p = j->p;
	struct lint_row *r;

	if (p->unplaced || p->pods <= p->pods_least)
		return;
	r = add_difference(j, "railtop topology --slurm tree prints what the scheduler needs to "
			      "keep jobs in one pod");
	(void)str_printf(r->is, sizeof(r->is), "%zu hosts in %u pods", p->hosts.n, p->pods);
	(void)str_printf(r->should, sizeof(r->should), "%u would hold them", p->pods_least);
}

static void judge_job(struct job_rows *j)
{
	judge_order(j);
	judge_rails(j);
	judge_nics(j);
	judge_pods(j);
}

static void sum_up(lint_vec *out, unsigned jobs, unsigned silent, bool differs)
{
	struct lint_row *r;

	if (silent) {
		r = vec_add(out);
		r->id = FIND_LINT_PLACEMENT;
		r->result = LINT_UNKNOWN;
		r->at = (struct ref){.kind = REF_FABRIC};
		r->alike = silent;
		(void)str_printf(r->is, sizeof(r->is), "order or leaves of %u of %u jobs unknown",
			silent, jobs);
		(void)str_copy(r->reason, sizeof(r->reason), "order of ranks");
	}
	if (differs || silent == jobs)
		return;
	r = vec_add(out);
	r->id = FIND_LINT_PLACEMENT;
	r->result = LINT_OK;
	r->at = (struct ref){.kind = REF_FABRIC};
	(void)str_printf(
		r->is, sizeof(r->is), "fits on %u job%s", jobs - silent, str_plural(jobs - silent));
	(void)str_copy(r->reason, sizeof(r->reason), "order of ranks");
}

void lint_jobs_in(const struct model *m, const struct units *u, lint_vec *out)
{
	unsigned jobs = 0, silent = 0, differs = 0;

	for (uint32_t i = 0; i < m->nccl->jobs.n; i++) {
		struct placement p;

		if (placement_find(m, u, i, &p)) {
			struct job_rows j = {.m = m, .p = &p, .out = out};

			judge_job(&j);
			jobs++;
			differs += j.differs;
			/* One host has no order, and its leaves do not matter. */
			silent += p.hosts.n > 1 && (!p.ordered || p.unplaced);
		}
		placement_free(&p);
	}
	sum_up(out, jobs, silent, differs > 0);
}

void lint_jobs(const struct model *m, lint_vec *out)
{
	struct units u;

	if (!m->nccl->jobs.n)
		return;
	units_find(m, &u);
	lint_jobs_in(m, &u, out);
	units_free(&u);
}
