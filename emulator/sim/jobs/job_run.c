/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/jobs/job.h"

/*
 * The cycle of a job: compute, then collectives, sometimes a checkpoint. A collective moves its
 * volume at the speed of its slowest edge. Collectives of one step run one after the other. A stuck
 * one does not keep the next from being launched, because they run on streams of their own.
 */
#define STALL_US      (200 * CLOCK_MSEC)
#define STUCK         0.006 /* a group that moves less than this share of its demand is stalled */
#define NEAR          1.25
#define DONE          1e-7 /* seconds that count as zero */
#define CHECKPOINT_S  0.1  /* at full demand, which a many-to-one write never gets */
#define RENDEZVOUS_S  0.01
#define JITTER        0.05
#define MANY_NICS     8000U
#define MANY_STEP     (8 * CLOCK_SEC) /* steps of fabrics with more NICs than that */
#define SETTLED_RATIO 0.995

/* ---- building ---- */

static bool add_job(struct sim *s, const char *spec, struct err *err)
{
	struct job j;

	if (!job_parse(s, spec, &j, err))
		return false;
	j.id = 1000 + s->jobs->ids++;
	j.comm = sim_hash(s->o.seed ^ 0xc0111, j.id);
	j.until = s->now + (int64_t)(j.comm % 300) * CLOCK_MSEC;
	j.since = j.checkpointed = s->now;
	j.stalled_since = j.entered = SIM_NEVER;
	vec_push(&s->jobs->job, j);
	return true;
}

/* Two jobs that share the fabric; none if there are fewer than two hosts. */
static bool add_default_jobs(struct sim *s, struct err *err)
{
	unsigned n = job_hosts(s), cut = n * 3 / 4;
	const char *step = s->nports > (size_t)8 * MANY_NICS ? ",step=8s,gap=1600ms" : "";
	char spec[128];

	if (n < 2)
		return true;
	if (n < 8)
		cut = n;
	(void)str_printf(
		spec, sizeof(spec), "name=pretrain,kind=ring+alltoall,hosts=0-%u%s", cut - 1, step);
	if (!add_job(s, spec, err))
		return false;
	(void)str_printf(spec, sizeof(spec), "name=finetune,kind=tree+pipeline,hosts=%u-%u%s", cut,
		n - 1, step);
	return cut == n || add_job(s, spec, err);
}

static void free_jobs(struct jobs *all)
{
	for (size_t i = 0; all && i < all->job.n; i++)
		free(all->job.at[i].host);
	if (!all)
		return;
	vec_free(&all->job);
	vec_free(&all->group);
	free(all);
}

/* Empties the table of flows; the caller frees the result, the table as it was. */
static struct flow *take_flows(struct sim *s, size_t *n)
{
	struct flow *before = mem_calloc(s->nflows + 1, sizeof(*before));

	if (s->nflows)
		memcpy(before, s->flow, s->nflows * sizeof(*before));
	*n = s->nflows;
	s->nflows = 0;
	return before;
}

/* Flows of faults stay. */
static void restore_fault_flows(struct sim *s, const struct flow *before, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (before[i].handle)
			*sim_flow_new(s, before[i].src, before[i].dst, before[i].demand) =
				before[i];
}

/* ---- jobs that go on when others are replaced ---- */

static bool is_same_job(const struct job *a, const struct job *b)
{
	if (strcmp(a->name, b->name) != 0 || a->nhosts != b->nhosts || a->nkinds != b->nkinds ||
		a->qps != b->qps || a->step_us != b->step_us || a->gap_us != b->gap_us ||
		a->checkpoint_us != b->checkpoint_us)
		return false;
	for (unsigned i = 0; i < a->nkinds; i++)
		if (a->kind[i] != b->kind[i])
			return false;
	for (unsigned i = 0; i < a->nhosts; i++)
		if (a->host[i] != b->host[i])
			return false;
	return true;
}

static const struct job *find_same(const struct jobs *all, const struct job *j)
{
	for (size_t i = 0; all && i < all->job.n; i++)
		if (is_same_job(&all->job.at[i], j))
			return &all->job.at[i];
	return NULL;
}

/* The job's progress; its groups and flows are drawn alike, in the same order. */
static void go_on(struct sim *s, struct job *j, const struct job *was, const struct jobs *before,
	const struct flow *flow)
{
	struct sim_device **host = j->host;
	size_t first = j->first, n = j->n;

	*j = *was;
	j->host = host;
	j->first = first;
	j->n = n;
	for (size_t i = 0; i < n; i++) {
		struct job_group *g = &s->jobs->group.at[first + i];
		const struct job_group *old = &before->group.at[was->first + i];

		g->active = old->active;
		g->total = old->total;
		g->left = old->left;
		g->ratio = old->ratio;
		for (size_t k = 0; k < g->n; k++)
			s->flow[g->first + k].key = flow[old->first + k].key;
	}
}

static void launch_kind(struct sim *s, struct job *j, unsigned kind_at, double seconds);

static void start_job(struct sim *s, struct job *j)
{
	if (s->o.steady) {
		j->phase = JOB_COLLECTIVE;
		j->until = SIM_NEVER;
		for (unsigned k = 0; k < j->nkinds; k++)
			launch_kind(s, j, k, 1);
	} else {
		/* The first collective begins with a rendezvous of all ranks. */
		launch_kind(s, j, JOB_CHECKPOINT, RENDEZVOUS_S);
	}
}

bool sim_jobs_build(struct sim *s, const char *const *specs, struct err *err)
{
	struct jobs *before = s->jobs;
	struct flow *flow;
	size_t nflows;
	bool ok = true;

	s->jobs = mem_calloc(1, sizeof(*s->jobs));
	/* The jobs that a fabric starts with have the first numbers. */
	if (before && s->now > s->o.start_us)
		s->jobs->ids = before->ids;
	for (size_t i = 0; ok && specs && specs[i]; i++)
		ok = add_job(s, specs[i], err);
	if (!ok || (!specs && !add_default_jobs(s, err))) {
		free_jobs(s->jobs);
		s->jobs = before;
		return false;
	}
	flow = take_flows(s, &nflows);
	for (unsigned i = 0; i < s->jobs->job.n; i++)
		job_flows(s, i);
	restore_fault_flows(s, flow, nflows);
	for (size_t i = 0; i < s->jobs->job.n; i++) {
		struct job *j = &s->jobs->job.at[i];
		const struct job *was = s->now > s->o.start_us ? find_same(before, j) : NULL;

		if (was)
			go_on(s, j, was, before, flow);
		else
			start_job(s, j);
	}
	free(flow);
	free_jobs(before);
	s->rewired = true;
	return true;
}

bool sim_set_jobs(struct sim *s, const char *const *specs, struct err *err)
{
	/* The jobs so far get their bytes up to now. */
	sim_rebase(s, s->now);
	if (!sim_jobs_build(s, specs, err))
		return false;
	sim_changed(s);
	return true;
}

void sim_jobs_free(struct sim *s)
{
	free_jobs(s->jobs);
	s->jobs = NULL;
}

/* ---- delays of a job ---- */

int64_t job_late_us(const struct sim *s, const struct job *j)
{
	int64_t late = 0;

	for (unsigned i = 0; i < j->nhosts; i++) {
		const struct device_knobs *k = sim_device_knobs(s, j->host[i]);

		if (k->frozen || k->dead)
			return SIM_NEVER;
		if (k->late && k->late_us > late)
			late = k->late_us;
	}
	return late;
}

bool job_blocked(const struct sim *s, const struct job *j)
{
	return job_late_us(s, j) == SIM_NEVER;
}

static bool any_stuck(const struct sim *s, const struct job *j)
{
	for (size_t i = j->first; i < j->first + j->n; i++)
		if (s->jobs->group.at[i].active && s->jobs->group.at[i].ratio < STUCK)
			return true;
	return false;
}

bool job_stalled(const struct sim *s, const struct job *j)
{
	if (j->phase != JOB_COLLECTIVE && j->phase != JOB_CHECKPOINTING)
		return false;
	return job_blocked(s, j) || any_stuck(s, j);
}

/* ---- state machine ---- */

/*
 * A flow that was idle may take another path when it goes on: switches balance flowlets (dynamic
 * load balancing). Over many steps every uplink gets its share.
 */
static void rekey_flows(struct sim *s, const struct job *j, const struct job_group *g)
{
	bool any = false;

	for (size_t i = g->first; i < g->first + g->n; i++) {
		struct flow *f = &s->flow[i];

		f->key = sim_hash(f->key, j->step);
		/* Behind one leaf there is only one path. */
		if (!s->ways || f->hops <= 2)
			continue;
		sim_way(s, f);
		any = true;
	}
	s->way_count += any;
}

static void launch_kind(struct sim *s, struct job *j, unsigned kind_at, double seconds)
{
	for (size_t i = j->first; i < j->first + j->n; i++) {
		struct job_group *g = &s->jobs->group.at[i];

		if (g->kind_at != kind_at)
			continue;
		g->active = true;
		g->total = g->left = seconds;
		g->ratio = 1;
		if (!s->o.steady)
			rekey_flows(s, j, g);
	}
}

static double volume_s(const struct sim *s, const struct job *j, unsigned kind_at)
{
	double all = (double)(j->step_us - j->gap_us) / 1e6 / j->nkinds;
	uint64_t h = sim_hash(sim_hash(s->o.seed ^ j->comm, j->step), kind_at);

	return all * (1 + JITTER * (2 * sim_unit(h) - 1));
}

static void enter_phase(const struct sim *s, struct job *j, enum job_phase phase, int64_t until)
{
	j->phase = phase;
	j->since = s->now;
	j->until = until;
	j->stalled_since = SIM_NEVER;
}

static void begin_collective(struct sim *s, struct job *j)
{
	j->entered = j->phase == JOB_WAITING ? j->since : s->now;
	j->entered_late = s->now;
	enter_phase(s, j, JOB_COLLECTIVE, SIM_NEVER);
	j->launched = 1;
	launch_kind(s, j, 0, volume_s(s, j, 0));
}

/* Bytes a second that a NIC moves at full demand, over all of its ports. */
static double nic_bytes_ps(const struct sim *s, const struct sim_device *d)
{
	const struct sim_port *p;
	double mbps = 0;

	for (unsigned leg = 0; (p = job_leg(s, d, 0, leg)); leg++)
		mbps += p->plan_mbps;
	return mbps * 1e6 / 8;
}

static void record_collective(struct sim *s, struct job *j, const struct job_group *g)
{
	const struct job_ops *o = job_ops(j->kind[g->kind_at]);

	j->done[o->coll] += o->n;
	j->past[j->npast++ % SIM_PAST] = (struct job_past){.coll = o->coll,
		.sn = j->done[o->coll] - 1,
		.bytes = (uint64_t)(g->total * 0.9 * nic_bytes_ps(s, j->host[0])),
		.entered = j->entered,
		.late = j->entered_late,
		.ended = s->now};
	/* All hosts enter the next collective at the same time. */
	j->entered = j->entered_late = s->now;
}

/*
 * Ends the groups that have moved all their bytes. Returns whether any group still runs; of_kind
 * says which kinds.
 */
static bool update_running(struct sim *s, struct job *j, bool of_kind[JOB_KINDS + 1])
{
	bool any = false;

	memset(of_kind, 0, (JOB_KINDS + 1) * sizeof(*of_kind));
	for (size_t i = j->first; i < j->first + j->n; i++) {
		struct job_group *g = &s->jobs->group.at[i];

		if (g->active && g->left <= DONE)
			g->active = false;
		of_kind[g->kind_at] = of_kind[g->kind_at] || g->active;
		any = any || g->active;
	}
	return any;
}

static const struct job_group *group_of(const struct sim *s, const struct job *j, unsigned kind_at)
{
	for (size_t i = j->first; i < j->first + j->n; i++)
		if (s->jobs->group.at[i].kind_at == kind_at)
			return &s->jobs->group.at[i];
	return NULL;
}

static void step_done(struct sim *s, struct job *j)
{
	j->step++;
	if (j->checkpoint_us != SIM_NEVER && s->now - j->checkpointed >= j->checkpoint_us) {
		j->checkpointed = s->now;
		enter_phase(s, j, JOB_CHECKPOINTING, SIM_NEVER);
		launch_kind(s, j, JOB_CHECKPOINT, CHECKPOINT_S);
	} else {
		enter_phase(s, j, JOB_COMPUTE, s->now + j->gap_us);
	}
}

static void step_collective(struct sim *s, struct job *j)
{
	bool before[JOB_KINDS + 1] = {false}, after[JOB_KINDS + 1];
	bool any, stuck = any_stuck(s, j);

	for (size_t i = j->first; i < j->first + j->n; i++)
		before[s->jobs->group.at[i].kind_at] |= s->jobs->group.at[i].active;
	any = update_running(s, j, after);
	for (unsigned k = 0; k < j->nkinds; k++)
		if (before[k] && !after[k])
			record_collective(s, j, group_of(s, j, k));
	if (stuck && j->stalled_since == SIM_NEVER)
		j->stalled_since = s->now;
	if (!stuck)
		j->stalled_since = SIM_NEVER;
	if (any && (!stuck || s->now - j->stalled_since < STALL_US))
		return;
	if (j->launched < j->nkinds) {
		launch_kind(s, j, j->launched, volume_s(s, j, j->launched));
		j->launched++;
		j->stalled_since = stuck ? s->now : SIM_NEVER;
	} else if (!any) {
		step_done(s, j);
	}
}

static void step_job(struct sim *s, struct job *j)
{
	bool kinds[JOB_KINDS + 1];
	int64_t late;

	switch (j->phase) {
	case JOB_COMPUTE:
		(void)update_running(s, j, kinds); /* the rendezvous */
		if (s->now < j->until)
			break;
		late = job_late_us(s, j);
		if (late > 0)
			enter_phase(s, j, JOB_WAITING, SIM_NEVER);
		else
			begin_collective(s, j);
		break;
	case JOB_WAITING:
		late = job_late_us(s, j);
		if (late != SIM_NEVER && s->now >= j->since + late)
			begin_collective(s, j);
		break;
	case JOB_COLLECTIVE:
		step_collective(s, j);
		break;
	case JOB_CHECKPOINTING:
		if (!update_running(s, j, kinds))
			enter_phase(s, j, JOB_COMPUTE, s->now + j->gap_us);
		break;
	}
}

void sim_jobs_step(struct sim *s)
{
	for (size_t i = 0; i < s->jobs->job.n && !s->o.steady; i++)
		step_job(s, &s->jobs->job.at[i]);
}

static int64_t group_end(const struct sim *s, const struct job_group *g)
{
	double seconds;

	if (!g->active || !(g->ratio > 1e-6))
		return SIM_NEVER;
	seconds = fmax(g->left, 0) / g->ratio;
	return seconds > 1e9 ? SIM_NEVER : s->since + (int64_t)ceil(seconds * 1e6);
}

static int64_t job_next(const struct sim *s, const struct job *j)
{
	int64_t next = j->until, late;

	if (j->phase == JOB_WAITING && (late = job_late_us(s, j)) != SIM_NEVER)
		next = j->since + late;
	if (j->phase == JOB_COLLECTIVE && j->launched < j->nkinds && any_stuck(s, j))
		next = j->stalled_since == SIM_NEVER ? s->since + CLOCK_MSEC
						     : j->stalled_since + STALL_US;
	for (size_t i = j->first; i < j->first + j->n; i++) {
		int64_t end = group_end(s, &s->jobs->group.at[i]);

		if (end < next)
			next = end;
	}
	return next;
}

int64_t sim_jobs_next(const struct sim *s)
{
	int64_t next = SIM_NEVER;

	for (size_t i = 0; i < s->jobs->job.n && !s->o.steady; i++) {
		int64_t t = job_next(s, &s->jobs->job.at[i]);

		if (t < next)
			next = t;
	}
	return next;
}

void sim_jobs_elapse(struct sim *s, double seconds)
{
	for (size_t i = 0; i < s->jobs->group.n && !s->o.steady; i++) {
		struct job_group *g = &s->jobs->group.at[i];

		if (g->active)
			g->left -= seconds * g->ratio;
	}
	for (size_t i = 0; i < s->jobs->job.n && s->o.steady; i++)
		if (!job_stalled(s, &s->jobs->job.at[i]))
			s->jobs->job.at[i].progress += seconds;
}

/* ---- flows ---- */

static bool process_gone(const struct sim *s, const struct sim_port *p)
{
	const struct device_knobs *k = sim_device_knobs(s, sim_device_of(s, p));

	return k->frozen || k->dead;
}

void sim_jobs_want(struct sim *s)
{
	for (size_t i = 0; i < s->nflows; i++)
		if (s->flow[i].handle)
			s->flow[i].want = s->flow[i].demand;
	for (size_t i = 0; i < s->jobs->group.n; i++) {
		const struct job_group *g = &s->jobs->group.at[i];
		bool blocked = g->active && job_blocked(s, &s->jobs->job.at[g->job]);

		for (size_t k = g->first; k < g->first + g->n; k++) {
			struct flow *f = &s->flow[k];

			f->active = g->active;
			f->want = g->active ? f->demand : 0;
			if (blocked && (!s->o.steady || process_gone(s, f->src) ||
					       process_gone(s, f->dst)))
				f->want = 0;
		}
	}
}

static void hold_back(struct flow *f, double most)
{
	f->sent *= most / f->rate;
	f->rate = most;
}

/*
 * No flow of a group gets ahead of its slowest edge by more than buffers hold. Edges near that pace
 * always have data to send; faster ones wait for data.
 */
static bool wait_for_slowest(struct sim *s, struct job_group *g, bool last)
{
	double least = 1, near;
	bool any = false;

	for (size_t k = g->first; k < g->first + g->n; k++)
		least = fmin(least, s->flow[k].rate / s->flow[k].demand);
	g->ratio = least;
	if (least > SETTLED_RATIO || s->o.steady)
		return false;
	near = last ? least : fmax(least * NEAR, STUCK);
	for (size_t k = g->first; k < g->first + g->n; k++) {
		struct flow *f = &s->flow[k];

		if (f->rate <= near * f->demand * (1 + 1e-6))
			continue;
		if (last)
			hold_back(f, least * f->demand);
		else
			f->want = least * f->demand;
		any = true;
	}
	return any;
}

bool sim_jobs_wait(struct sim *s, bool last)
{
	bool any = false;

	for (size_t i = 0; i < s->jobs->group.n; i++) {
		struct job_group *g = &s->jobs->group.at[i];

		if (g->active)
			any = wait_for_slowest(s, g, last) || any;
	}
	return any;
}
