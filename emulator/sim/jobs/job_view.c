/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/mem.h"
#include "emulator/sim/jobs/job.h"

/* Jobs and ranks as NCCL would report them. */

size_t sim_job_count(const struct sim *s)
{
	return s->jobs->job.n;
}

static uint64_t steady_steps(const struct sim *s, const struct job *j)
{
	/* Progress is only added up when a rate changes: in a steady fabric that may be never. */
	double since = job_stalled(s, j) ? 0 : (double)(s->now - s->since);

	return (uint64_t)((j->progress * 1e6 + since) / (double)j->step_us);
}

void sim_job(const struct sim *s, size_t job, struct sim_job_view *out)
{
	static const char *const names[] = {
		[JOB_COMPUTE] = "compute",
		[JOB_WAITING] = "waiting",
		[JOB_COLLECTIVE] = "collective",
		[JOB_CHECKPOINTING] = "checkpoint",
	};
	const struct job *j = &s->jobs->job.at[job];

	*out = (struct sim_job_view){.name = j->name,
		.id = j->id,
		.comm = j->comm,
		.nranks = j->nhosts * j->gpus,
		.gpus_per_host = j->gpus,
		.step = s->o.steady ? steady_steps(s, j) : j->step,
		.finished = j->npast,
		.phase = names[j->phase],
		.phase_since_us = j->since,
		.stalled = job_stalled(s, j)};
}

/* Share of the collective that is done: the minimum over its rails. -1: it is not under way. */
static double kind_progress(const struct sim *s, const struct job *j, unsigned kind_at)
{
	double dt = (double)(s->now - s->since) / 1e6, least = -1;

	for (size_t i = j->first; i < j->first + j->n; i++) {
		const struct job_group *g = &s->jobs->group.at[i];
		double done = 1 - (g->left - dt * g->ratio) / g->total;

		if (g->kind_at == kind_at && g->active && (least < 0 || done < least))
			least = fmax(done, 0);
	}
	return least;
}

static void count_steady(const struct sim *s, const struct job *j, struct sim_rank_view *r)
{
	for (unsigned k = 0; k < j->nkinds; k++) {
		const struct job_ops *o = job_ops(j->kind[k]);

		r->counts[o->coll] += steady_steps(s, j) * o->n;
	}
}

/* Counts operations launched: the complete ones, and those that this rank has begun since. */
static void count_operations(
	const struct sim *s, const struct job *j, bool late, bool gone, struct sim_rank_view *r)
{
	for (unsigned c = 0; c < SIM_COLLS; c++)
		r->counts[c] = j->done[c];
	if (s->o.steady) {
		count_steady(s, j, r);
		return;
	}
	if (j->phase == JOB_WAITING && !late && !gone)
		r->counts[job_ops(j->kind[0])->coll]++;
	for (unsigned k = 0; j->phase == JOB_COLLECTIVE && k < j->nkinds; k++) {
		const struct job_ops *o = job_ops(j->kind[k]);
		double done = kind_progress(s, j, k);
		unsigned n = done < 0 ? 0 : (unsigned)(done * o->n) + !gone;

		r->counts[o->coll] += n < o->n ? n : o->n;
	}
}

void sim_rank(const struct sim *s, size_t job, unsigned rank, struct sim_rank_view *out)
{
	const struct job *j = &s->jobs->job.at[job];
	const struct sim_device *d = j->host[rank / j->gpus];
	const struct device_knobs *k = sim_device_knobs(s, d);

	*out = (struct sim_rank_view){
		.rank = rank,
		.gpu = rank % j->gpus,
		.host = d,
		.nic = job_nic(s, d, rank % j->gpus),
		.pid = 20000 + (unsigned)(sim_hash(j->comm, rank / j->gpus) % 400000) +
		       rank % j->gpus,
		.unresponsive = k->frozen > 0,
		.dead = k->dead > 0,
	};
	count_operations(s, j, k->late > 0, k->frozen || k->dead, out);
	(void)sim_rank_past(s, job, j->npast - 1, out);
}

bool sim_rank_past(const struct sim *s, size_t job, uint64_t n, struct sim_rank_view *out)
{
	const struct job *j = &s->jobs->job.at[job];
	const struct job_past *p = &j->past[n % SIM_PAST];

	if (n >= j->npast || j->npast - n > SIM_PAST)
		return false;
	out->coll = p->coll;
	out->coll_sn = p->sn;
	out->bytes = p->bytes;
	out->entered_us = sim_device_knobs(s, out->host)->late ? p->late : p->entered;
	out->ended_us = p->ended;
	return true;
}
