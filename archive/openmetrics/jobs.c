/* SPDX-License-Identifier: Apache-2.0 */
#include "archive/openmetrics/metrics_private.h"

#define COMMS_EXPOSED 1024

static void add_jobs(struct metrics *x, const struct nccl *n)
{
	struct metric_few f;

	metric_few_begin(&f, x, METRIC_JOB);
	for (size_t i = 0; i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];

		if (!job_is_free(j) && !j->gone)
			metric_few_add(&f, 1, "job", j->name, "user", j->user, "source",
				nccl_source_name((enum nccl_source)j->source), NULL);
	}
	metric_few_end(&f);
	metric_few_begin(&f, x, METRIC_JOB_GPUS);
	for (size_t i = 0; i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];

		if (!job_is_free(j) && !j->gone && j->gpus >= 0)
			metric_few_add(&f, j->gpus, "job", j->name, NULL);
	}
	metric_few_end(&f);
}

static const char *job_of(const struct nccl *n, const struct comm *c)
{
	return c->job < n->jobs.n ? n->jobs.at[c->job]->name : "";
}

static void add_ranks(struct metric_few *f, const struct nccl *n, const struct comm *c)
{
	metric_few_add(
		f, c->nranks, "job", job_of(n, c), "communicator", c->id, "name", c->name, NULL);
}

static void add_missing(struct metric_few *f, const struct nccl *n, const struct comm *c)
{
	/* Only RAS counts missing ranks. The zero of another source is not a count. */
	if (c->missing || c->source == SOURCE_RAS)
		metric_few_add(f, c->missing, "job", job_of(n, c), "communicator", c->id, NULL);
}

static void add_operations(struct metric_few *f, const struct nccl *n, const struct comm *c)
{
	for (unsigned k = 0; k < c->nfuncs; k++) {
		int64_t launched = comm_launched(c, k);

		if (launched >= 0)
			metric_few_add(f, (double)launched, "job", job_of(n, c), "communicator",
				c->id, "function", c->func[k], NULL);
	}
}

static void add_grew(struct metric_few *f, const struct nccl *n, const struct comm *c)
{
	if (c->grew_us)
		metric_few_add(f, (double)c->grew_us / 1e6, "job", job_of(n, c), "communicator",
			c->id, NULL);
}

/* Adds samples of all communicators. now_us: leaves out silent ones; 0: keeps them. */
static void add_comms(struct metrics *x, const struct nccl *n, int64_t now_us, enum metric_id id,
	void (*add)(struct metric_few *f, const struct nccl *n, const struct comm *c))
{
	struct metric_few f;
	unsigned done = 0;

	metric_few_begin(&f, x, id);
	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i];

		/* A slot without an id was merged into another, or is free. */
		if (c->gone || !c->id[0] || (now_us && comm_is_silent(n, c, now_us)))
			continue;
		if (done++ < COMMS_EXPOSED)
			add(&f, n, c);
		else
			x->left_out++;
	}
	metric_few_end(&f);
}

void metrics_take_jobs(struct metrics *x, const struct model *m, int64_t now_us)
{
	add_jobs(x, m->nccl);
	add_comms(x, m->nccl, now_us, METRIC_COMM_RANKS, add_ranks);
	add_comms(x, m->nccl, now_us, METRIC_COMM_MISSING, add_missing);
	add_comms(x, m->nccl, now_us, METRIC_COMM_OPS, add_operations);
	/* This sample is a timestamp, so it is right for a silent communicator too. */
	add_comms(x, m->nccl, 0, METRIC_COMM_GREW, add_grew);
}
