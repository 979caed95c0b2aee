/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/jobs/nccl_internal.h"

struct nccl *nccl_new(void)
{
	struct nccl *n = mem_calloc(1, sizeof(*n));

	n->index = mem_calloc(1, sizeof(struct nccl_index));
	return n;
}

void nccl_free(struct nccl *n)
{
	struct nccl_index *x;

	if (!n)
		return;
	x = n->index;
	for (size_t i = 0; i < n->comms.n; i++) {
		comm_release(n, n->comms.at[i]);
		free(n->comms.at[i]);
	}
	for (size_t i = 0; i < n->jobs.n; i++) {
		vec_free(&n->jobs.at[i]->hosts);
		vec_free(&n->jobs.at[i]->comms);
		vec_free(&n->jobs.at[i]->told);
		free(n->jobs.at[i]);
	}
	vec_free(&n->comms);
	vec_free(&n->jobs);
	vec_free(&n->gpus);
	for (size_t i = 0; i < n->troubles.n; i++)
		free(n->troubles.at[i]);
	vec_free(&n->troubles);
	index_free(&x->nics);
	vec_free(&x->aliases);
	index_free(&x->comms);
	index_free(&x->jobs);
	index_free(&x->addresses);
	index_free(&x->texts);
	processes_free(x);
	free(x->shape);
	free(x);
	free(n);
}

/* ---- records that name a process, not a rank ---- */

static int compare_key(const void *a, const void *b)
{
	const struct by_process *p = a, *q = b;

	return p->key < q->key ? -1 : p->key > q->key;
}

static void know_processes(struct nccl_batch *b)
{
	if (b->processes_known)
		return;
	b->processes_known = true;
	for (size_t i = 0; i < b->n->comms.n; i++) {
		const struct comm *c = b->n->comms.at[i];

		for (int32_t k = 0; !c->gone && k < c->nranks; k++) {
			if (c->rank[k].pid >= 0)
				vec_push(
					&b->processes, (struct by_process){process_key(&c->rank[k]),
							       (uint32_t)i, k});
		}
	}
	if (b->processes.n)
		qsort(b->processes.at, b->processes.n, sizeof(b->processes.at[0]), compare_key);
}

static void of_process(struct nccl_batch *b, const struct obs_nccl *o)
{
	struct rank who = {.host = nccl_host(b, obs_text(b->o, o->host)), .pid = o->pid};
	struct by_process want;
	size_t lo = 0, hi;
	bool met = false;

	(void)str_copy(who.host_text, sizeof(who.host_text),
		o->host ? obs_text(b->o, o->host) : b->o->device);
	if (!o->host)
		who.host = b->from;
	want.key = process_key(&who);
	know_processes(b);
	for (hi = b->processes.n; lo < hi;) {
		size_t mid = lo + (hi - lo) / 2;

		if (b->processes.at[mid].key < want.key)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < b->processes.n && b->processes.at[lo].key == want.key; lo++) {
		const struct by_process *p = &b->processes.at[lo];
		struct rank *r = &b->n->comms.at[p->comm]->rank[p->rank];

		if (o->gpu >= 0 && r->gpu >= 0 && o->gpu != r->gpu)
			continue;
		if (o->kind == NCCL_STATE)
			nccl_state(b, p->comm, r, (enum nccl_state)o->state,
				(enum nccl_source)o->source);
		else
			nccl_trouble(b, o, p->comm, r);
		met = true;
	}
	/* It is in no communicator that is known, but its trouble is. */
	if (!met && o->kind == NCCL_ERROR)
		nccl_trouble(b, o, JOB_NONE, NULL);
}

/* ---- one batch ---- */

/* The communicator of a record without one: that of the named job, else of the host's job. */
static uint32_t comm_untold(struct nccl_batch *b, const struct obs_nccl *r)
{
	const struct job *j = NULL;
	uint32_t index, host;

	if (r->job)
		j = nccl_job(b->n, obs_text(b->o, r->job), NULL);
	if (!r->job) {
		host = r->host ? nccl_host(b, obs_text(b->o, r->host)) : b->from;
		index = host == JOB_NONE ? JOB_NONE : model_job_of(b->m, host);
		j = index == JOB_NONE ? NULL : b->n->jobs.at[index];
	}
	if (!j || !job_world(b->n, j, &index))
		return JOB_NONE;
	if (r->rank >= b->n->comms.at[index]->nranks ||
		(r->nranks > 0 && r->nranks != b->n->comms.at[index]->nranks))
		return JOB_NONE;
	return index;
}

static void touch_comm(struct nccl_batch *b, uint32_t index)
{
	struct comm *c = b->n->comms.at[index];

	if (!c->touched) {
		c->touched = true;
		c->named = 0;
		for (unsigned i = 0; i < NCCL_FUNCS; i++)
			c->newest[i] = -1;
		vec_push(&b->comms, index);
	}
	c->seen_us = b->now;
	c->gone = false;
}

static void first_pass(struct nccl_batch *b, const struct obs_nccl *r)
{
	struct comm *c = NULL;
	uint32_t index = JOB_NONE;

	switch ((enum nccl_kind)r->kind) {
	case NCCL_ADDRESS:
		nccl_address(b, r);
		break;
	case NCCL_GPU:
		nccl_gpu_record(b, r);
		break;
	case NCCL_JOB:
		nccl_job_record(b, r);
		break;
	case NCCL_DONE:
		break;
	default:
		if (!r->comm && r->rank >= 0)
			index = comm_untold(b, r);
		if (index != JOB_NONE)
			c = b->n->comms.at[index];
		else if (r->comm || (r->job && r->nranks > 0) ||
			 (r->source == SOURCE_WATCHDOG_LOG && r->rank >= 0))
			c = nccl_comm(b, r, &index);
	}
	vec_push(&b->comm_of, c ? index : JOB_NONE);
	if (!c)
		return;
	touch_comm(b, index);
	nccl_rank(b, c, r);
	if ((r->kind == NCCL_OP || r->kind == NCCL_EDGE) && r->func) {
		int f = nccl_func(c, obs_text(b->o, r->func));

		if (f >= 0 && r->seq > c->newest[f])
			c->newest[f] = r->seq;
	}
}

static void state_of_rank(
	struct nccl_batch *b, const struct obs_nccl *r, uint32_t comm, struct rank *rank)
{
	nccl_state(b, comm, rank, (enum nccl_state)r->state, (enum nccl_source)r->source);
	if (r->state == NCCL_TIMED_OUT && r->kind == NCCL_STATE)
		nccl_trouble(b, r, comm, rank);
}

static void second_pass(struct nccl_batch *b, const struct obs_nccl *r, uint32_t index)
{
	struct comm *c = index == JOB_NONE ? NULL : b->n->comms.at[index];
	bool of_rank = c && r->rank >= 0 && r->rank < c->nranks;

	switch ((enum nccl_kind)r->kind) {
	case NCCL_COUNT:
		if (of_rank)
			nccl_count(b, c, r);
		break;
	case NCCL_OP:
	case NCCL_EDGE:
		if (of_rank)
			nccl_op(b, c, r);
		break;
	case NCCL_RANK:
	case NCCL_STATE:
		if (of_rank)
			state_of_rank(b, r, index, &c->rank[r->rank]);
		else if (r->kind == NCCL_STATE && r->pid >= 0)
			of_process(b, r);
		break;
	case NCCL_ERROR:
		if (of_rank)
			nccl_trouble(b, r, index, &c->rank[r->rank]);
		else if (r->pid >= 0)
			of_process(b, r);
		else
			nccl_trouble(b, r, JOB_NONE, NULL);
		break;
	case NCCL_JOB:
	case NCCL_GPU:
	case NCCL_ADDRESS:
	case NCCL_DONE:
		break;
	}
}

static void finish_batch(struct nccl_batch *b)
{
	char text[64];

	if (b->more && b->from != JOB_NONE) {
		(void)str_printf(text, sizeof(text), "%u more processes do not answer", b->more);
		model_add_event(b->m, b->now, EV_RANK_MISSING, b->m->devices.at[b->from], NULL, -1,
			0, text);
	}
	for (size_t i = 0; i < b->comms.n; i++) {
		b->n->comms.at[b->comms.at[i]]->touched = false;
		comm_pace_note(b->n->comms.at[b->comms.at[i]], b->now);
	}
	if (b->changed || b->comms.n) {
		b->n->generation++;
		b->m->generation++;
	}
	vec_free(&b->comm_of);
	vec_free(&b->comms);
	vec_free(&b->processes);
}

void model_nccl_apply(struct model *m, const struct obs *o, int64_t now_us)
{
	const struct device *d;
	struct nccl_batch b = {.m = m,
		.n = m->nccl,
		.x = m->nccl->index,
		.o = o,
		.now = now_us,
		.from = JOB_NONE,
		.cells_left = NCCL_BATCH_CELLS,
		.scans_left = NCCL_BATCH_SCANS};
	unsigned done = 0;

	if (!o->nccl.n)
		return;
	d = model_device(m, o->device);
	if (d)
		b.from = d->id;
	for (size_t i = 0; i < o->nccl.n; i++)
		first_pass(&b, &o->nccl.at[i]);
	nccl_join(&b);
	for (size_t i = 0; i < o->nccl.n; i++) {
		second_pass(&b, &o->nccl.at[i], b.comm_of.at[i]);
		if (o->nccl.at[i].kind == NCCL_DONE && o->nccl.at[i].source < NCCL_SOURCE_COUNT)
			done |= 1u << o->nccl.at[i].source;
	}
	for (unsigned s = 0; s < NCCL_SOURCE_COUNT; s++) {
		if (done & 1u << s)
			nccl_done(&b, (enum nccl_source)s);
	}
	if (b.troubled)
		nccl_trouble_join(&b);
	finish_batch(&b);
}

/* ---- queries ---- */

const struct job *nccl_job(const struct nccl *n, const char *name, uint32_t *index)
{
	const struct nccl_index *x = n->index;
	size_t at = (size_t)(uintptr_t)index_get(x->jobs, name);

	if (!at)
		return NULL;
	if (index)
		*index = (uint32_t)(at - 1);
	return n->jobs.at[at - 1];
}

const struct comm *job_world(const struct nccl *n, const struct job *j, uint32_t *index)
{
	uint32_t best = JOB_NONE;

	/* Largest first; a gone one only when all are gone. */
	for (size_t i = 0; i < j->comms.n; i++) {
		const struct comm *c = n->comms.at[j->comms.at[i]];

		if (best == JOB_NONE || (n->comms.at[best]->gone && !c->gone))
			best = j->comms.at[i];
	}
	if (index)
		*index = best;
	return best == JOB_NONE ? NULL : n->comms.at[best];
}

const struct op *comm_op(const struct comm *c, unsigned i)
{
	const struct op *op;

	if (i >= NCCL_OPS || i >= c->next_op)
		return NULL;
	op = &c->ops[(c->next_op - 1 - i) % NCCL_OPS];
	return op->rank ? op : NULL;
}

int64_t comm_launched(const struct comm *c, unsigned func)
{
	int64_t most = -1;

	for (int32_t i = 0; func < NCCL_FUNCS && i < c->nranks; i++)
		if (c->rank[i].count[func].launched > most)
			most = c->rank[i].count[func].launched;
	return most;
}

uint32_t model_job_of(const struct model *m, uint32_t device)
{
	uint32_t best = JOB_NONE;

	for (size_t i = 0; i < m->nccl->jobs.n; i++) {
		const struct job *j = m->nccl->jobs.at[i];

		if (j->gone || (best != JOB_NONE && m->nccl->jobs.at[best]->seen_us >= j->seen_us))
			continue;
		if (job_has_host(j, device))
			best = (uint32_t)i;
	}
	return best;
}
