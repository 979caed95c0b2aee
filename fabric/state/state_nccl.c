/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/state/state_internal.h"
#include "fabric/jobs/nccl_internal.h"

/*
 * A training run has thousands of ranks and a hundred thousand cells of operations. They are cut
 * into steps of this many items, at any point.
 */
#define STEP_THINGS 2048

/* Items passed so far, and the range of this step. */
struct cut {
	size_t at, from, to;
};

/* Of the next n items, the step covers from..to-1; false: none of them. */
static bool cut_part(struct cut *c, size_t n, size_t *from, size_t *to)
{
	size_t start = c->at, end = c->at + n;

	c->at = end;
	if (end <= c->from || start >= c->to)
		return false;
	*from = c->from > start ? c->from - start : 0;
	*to = (c->to < end ? c->to : end) - start;
	return true;
}

static struct nccl_shape shape_of(const struct nccl *n)
{
	const struct nccl_index *x = n->index;

	if (x->shape)
		return *x->shape;
	return (struct nccl_shape){n->gpus.n, index_size(x->addresses), index_size(x->nics),
		index_size(x->texts), processes_size(x), n->jobs.n, n->troubles.n};
}

static bool op_is_live(const struct op *op)
{
	return op->rank != NULL;
}

size_t nccl_state_steps(const struct nccl *n)
{
	struct nccl_shape shape = shape_of(n);
	size_t things = shape.gpus + shape.addresses + shape.nics + shape.texts + shape.processes +
			shape.jobs + shape.troubles;

	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i];
		size_t live = 1;

		for (unsigned k = 0; k < NCCL_OPS; k++)
			live += op_is_live(&c->ops[k]);
		things += 1 + live * (size_t)c->nranks;
	}
	return (things + STEP_THINGS - 1) / STEP_THINGS;
}

/* ---- sizes ---- */

static void load_room(struct nccl *n, struct comm *c, uint32_t live)
{
	struct nccl_index *x = n->index;

	n->nranks += (size_t)c->nranks;
	if (c->size)
		c->rank = mem_calloc((size_t)c->size, sizeof(c->rank[0]));
	for (unsigned i = 0; i < NCCL_OPS; i++) {
		if (!(live >> i & 1U) || x->op_cells + (size_t)c->size > OP_CELLS_MAX)
			continue;
		c->ops[i].rank = mem_calloc((size_t)c->size, sizeof(c->ops[i].rank[0]));
		x->op_cells += (size_t)c->size;
	}
}

static void comm_shape(struct state *s, struct nccl *n, struct comm *c)
{
	uint32_t nranks = (uint32_t)c->nranks, size = (uint32_t)c->size, live = 0;

	for (unsigned i = 0; i < NCCL_OPS; i++)
		live |= op_is_live(&c->ops[i]) ? 1U << i : 0;
	state_below(s, &nranks, COMM_RANKS + 1);
	/* Capacity grows by doubling. */
	state_below(s, &size, 2 * nranks + 1);
	state_u32(s, &live);
	if (!s->loading)
		return;
	if (size < nranks || n->nranks + nranks > RANKS_MAX)
		s->bad = true;
	if (s->bad)
		return;
	c->nranks = (int32_t)nranks;
	c->size = (int32_t)size;
	load_room(n, c, size ? live : 0);
}

static void count_state(struct state *s, size_t *n, uint32_t most)
{
	uint32_t count = (uint32_t)*n;

	state_below(s, &count, most + 1);
	*n = count;
}

static void aliases_state(struct state *s, struct nccl_index *x)
{
	size_t n = x->aliases.n;

	count_state(s, &n, NCCL_ALIASES_MAX);
	for (size_t i = 0; i < n && !s->bad; i++) {
		struct nccl_alias *a = s->loading ? vec_add(&x->aliases) : &x->aliases.at[i];

		state_text(s, a->name, sizeof(a->name));
		state_text(s, a->address, sizeof(a->address));
	}
}

void nccl_state_shape(struct state *s, struct nccl *n)
{
	struct nccl_index *x = n->index;
	struct nccl_shape shape = shape_of(n);
	size_t comms = n->comms.n;

	STATE_SIZE(struct nccl, 128);
	STATE_SIZE(struct nccl_index, 136);
	state_u64(s, &n->generation);
	state_u64(s, &n->refused);
	state_time(s, &x->aged_us, 0);
	state_time(s, &x->string_pool_us, 0);
	state_bool(s, &x->hosts_changed);
	count_state(s, &x->ntexts, NCCL_TEXTS_MAX);
	count_state(s, &x->naddresses, UINT32_MAX - 1);
	count_state(s, &shape.gpus, NCCL_GPUS_MAX);
	count_state(s, &shape.addresses, NCCL_ADDRESSES_MAX);
	count_state(s, &shape.nics, NCCL_ADDRESSES_MAX);
	count_state(s, &shape.texts, NCCL_TEXTS_MAX);
	count_state(s, &shape.processes, RANKS_MAX);
	count_state(s, &shape.jobs, JOBS_MAX);
	count_state(s, &shape.troubles, TROUBLES_MAX);
	aliases_state(s, x);
	state_count(s, &comms, COMMS_MAX);
	for (size_t i = 0; i < comms && !s->bad; i++) {
		if (s->loading)
			vec_push(&n->comms, mem_calloc(1, sizeof(struct comm)));
		comm_shape(s, n, n->comms.at[i]);
	}
	if (!s->loading || s->bad)
		return;
	for (size_t i = 0; i < shape.jobs; i++)
		vec_push(&n->jobs, mem_calloc(1, sizeof(struct job)));
	x->shape = mem_alloc(sizeof(*x->shape));
	*x->shape = shape;
}

/* ---- GPUs, names ---- */

static void gpus_state(struct state *s, struct model *m, size_t from, size_t to)
{
	struct nccl *n = m->nccl;
	uint32_t host = 0, nic = 0;

	STATE_SIZE(struct gpu, 40);
	for (size_t i = from; i < to && !s->bad; i++) {
		struct gpu *g = s->loading ? vec_add(&n->gpus) : &n->gpus.at[i];

		state_near_id(s, &g->host, host, m->devices.n);
		state_near32(s, &g->index, 0);
		state_text(s, g->bdf, sizeof(g->bdf));
		state_near_id(s, &g->nic, nic, m->ports.n);
		state_text(s, g->how, sizeof(g->how));
		state_small(s, &g->source, NCCL_SOURCE_COUNT);
		host = g->host;
		nic = g->nic;
		if (host == JOB_NONE)
			s->bad = true;
	}
}

/*
 * Entries of an index from texts to ids below limit. SIZE_MAX stands for none, which only the texts
 * that were looked up in vain have.
 */
static void string_pool_state(
	struct state *s, void **index, bool may_be_none, size_t from, size_t to, size_t limit)
{
	struct index_at e = {0};
	uint32_t near = 0;

	for (size_t i = 0; !s->loading && i < from; i++)
		(void)index_next(*index, &e);
	for (size_t i = from; i < to && !s->bad; i++) {
		char name[NAME_MAX_LEN] = "";
		uint32_t id = JOB_NONE;

		if (!s->loading && index_next(*index, &e)) {
			size_t at = (size_t)(uintptr_t)e.thing;

			(void)str_copy(name, sizeof(name), e.name);
			id = at == SIZE_MAX ? JOB_NONE : (uint32_t)(at - 1);
		}
		state_text(s, name, sizeof(name));
		state_near_id(s, &id, near, limit);
		near = id;
		s->bad |= id == JOB_NONE && !may_be_none;
		if (s->loading && !s->bad)
			index_put(index, name, RANK_NAME,
				(void *)(id == JOB_NONE ? UINTPTR_MAX : (uintptr_t)id + 1));
	}
}

/* Kinds and the order follow from the fields: nccl_trouble_sort() after loading. */
static void trouble_state(struct state *s, const struct model *m, struct trouble *t)
{
	int64_t gpus = (int64_t)t->gpus;

	STATE_SIZE(struct trouble, 608);
	state_near_id(s, &t->comm, JOB_NONE, m->nccl->comms.n);
	state_i32(s, &t->rank);
	state_i32(s, &t->nranks);
	state_near_id(s, &t->host, JOB_NONE, m->devices.n);
	state_near_id(s, &t->from, JOB_NONE, m->devices.n);
	state_text(s, t->host_text, sizeof(t->host_text));
	state_i32(s, &t->pid);
	state_i32(s, &t->local_gpu);
	state_i64(s, &gpus);
	t->gpus = (uint64_t)gpus;
	state_small(s, &t->kind, TROUBLE_COUNT);
	state_small(s, &t->status, UINT8_MAX);
	state_small(s, &t->source, NCCL_SOURCE_COUNT);
	state_text(s, t->text, sizeof(t->text));
	state_text(s, t->after, sizeof(t->after));
	state_text(s, t->nic_text, sizeof(t->nic_text));
	state_text(s, t->peer_text, sizeof(t->peer_text));
	state_near_id(s, &t->nic, JOB_NONE, m->ports.n);
	state_near_id(s, &t->peer_nic, JOB_NONE, m->ports.n);
	state_near_id(s, &t->peer_host, JOB_NONE, m->devices.n);
	state_time(s, &t->first_us, 0);
	state_time(s, &t->last_us, t->first_us);
	state_i64(s, &t->seq);
	state_i64(s, &t->took_us);
	state_time(s, &t->over_us, 0);
	state_time(s, &t->gids_us, 0);
	state_text(s, t->func, sizeof(t->func));
}

static void troubles_state(struct state *s, struct model *m, size_t from, size_t to)
{
	struct nccl *n = m->nccl;

	for (size_t i = from; i < to && !s->bad; i++) {
		if (s->loading)
			vec_push(&n->troubles, mem_calloc(1, sizeof(struct trouble)));
		trouble_state(s, m, n->troubles.at[i]);
	}
}

static void addresses_state(struct state *s, struct model *m, size_t from, size_t to)
{
	struct nccl_index *x = m->nccl->index;

	string_pool_state(s, &x->addresses, false, from, to, m->devices.n);
}

/* ---- jobs ---- */

/* Members of a list: passed as separate fields, because each vector has a type of its own. */
static void ids_state(
	struct state *s, uint32_t **at, size_t *n, size_t *size, size_t most, size_t limit)
{
	uint32_t near = 0;

	state_count(s, n, most);
	if (s->loading && *n) {
		*at = mem_calloc(*n, sizeof(**at));
		*size = *n;
	}
	for (size_t i = 0; i < *n; i++) {
		state_near_id(s, &(*at)[i], near, limit);
		near = (*at)[i];
		if (near == JOB_NONE)
			s->bad = true;
	}
}

static void job_state(struct state *s, struct model *m, struct job *j)
{
	STATE_SIZE(struct job, 208);
	state_text(s, j->name, sizeof(j->name));
	state_bool(s, &j->gone);
	state_near32(s, &j->gpus, -1);
	state_bool(s, &j->touched);
	state_bool(s, &j->retold);
	if (!j->name[0])
		return;
	state_text(s, j->user, sizeof(j->user));
	state_small(s, &j->source, NCCL_SOURCE_COUNT);
	state_time(s, &j->seen_us, 0);
	state_bool(s, &j->given);
	ids_state(s, &j->hosts.at, &j->hosts.n, &j->hosts.size, m->devices.n, m->devices.n);
	ids_state(s, &j->comms.at, &j->comms.n, &j->comms.size, COMMS_MAX, m->nccl->comms.n);
	ids_state(s, &j->told.at, &j->told.n, &j->told.size, NCCL_HOSTS_MAX, m->devices.n);
}

/* ---- communicators ---- */

/*
 * The key of a communicator is a hash, or "job/name": both parts are rewritten separately, as
 * elsewhere.
 */
static void key_state(struct state *s, struct comm *c)
{
	char job[NAME_MAX_LEN] = "", name[NAME_MAX_LEN] = "";
	const char *slash = strrchr(c->key, '/');
	bool two = slash != NULL;

	state_bool(s, &two);
	if (!two) {
		state_text(s, c->key, sizeof(c->key));
		return;
	}
	if (!s->loading) {
		(void)str_copyn(job, sizeof(job), c->key, (size_t)(slash - c->key));
		(void)str_copy(name, sizeof(name), slash + 1);
	}
	state_text(s, job, sizeof(job));
	state_text(s, name, sizeof(name));
	if (s->loading && !s->bad)
		(void)str_printf(c->key, sizeof(c->key), "%s/%s", job, name);
}

static void head_state(struct state *s, struct model *m, struct comm *c)
{
	STATE_SIZE(struct comm, 2216);
	key_state(s, c);
	state_near_id(s, &c->job, JOB_NONE, m->nccl->jobs.n);
	state_bool(s, &c->gone);
	if (!c->key[0])
		return;
	state_text(s, c->id, sizeof(c->id));
	state_text(s, c->name, sizeof(c->name));
	state_below(s, &c->nfuncs, NCCL_FUNCS + 1);
	for (unsigned i = 0; i < c->nfuncs; i++)
		state_text(s, c->func[i], sizeof(c->func[i]));
	state_u64(s, &c->next_op);
	state_time(s, &c->seen_us, 0);
	state_small(s, &c->source, NCCL_SOURCE_COUNT);
	state_u32(s, &c->missing);
	state_time(s, &c->made_us, c->seen_us);
	state_time(s, &c->grew_us, c->seen_us);
	state_time(s, &c->rhythm_us, 0);
	state_time(s, &c->longest_us, 0);
	/* named, newest and touched belong to the current batch only. */
	state_bool(s, &c->sized);
	state_bool(s, &c->hosts_changed);
	comm_pace_state(s, c);
}

static void op_head_state(struct state *s, const struct comm *c, struct op *op)
{
	STATE_SIZE(struct op, 48);
	state_i64(s, &op->seq);
	state_small(s, &op->func, c->nfuncs);
	state_u64(s, &op->bytes);
	state_u32(s, &op->told);
	state_time(s, &op->first_us, c->seen_us);
}

/* Parts of a rank that are saved. */
enum { SAME_HOST = 1, RANK_HAS_ERROR = 2, RANK_OP_END = 4, RANK_PARTS = 7 };

static void counts_state(
	struct state *s, const struct comm *c, struct rank *r, const struct rank *before)
{
	uint32_t told = 0;

	STATE_SIZE(struct rank_count, 24);
	for (unsigned i = 0; i < NCCL_FUNCS; i++)
		if (r->count[i].launched != -1 || r->count[i].completed != -1 ||
			r->count[i].grew_us)
			told |= 1U << i;
	state_below(s, &told, 1U << NCCL_FUNCS);
	for (unsigned i = 0; i < NCCL_FUNCS; i++) {
		struct rank_count *n = &r->count[i];

		if (!(told >> i & 1U)) {
			*n = (struct rank_count){.launched = -1, .completed = -1};
			continue;
		}
		state_near(s, &n->launched, before->count[i].launched);
		state_near(s, &n->completed, n->launched);
		state_time(s, &n->grew_us, c->seen_us);
	}
}

static void rank_state(struct state *s, const struct model *m, const struct comm *c, struct rank *r,
	const struct rank *before)
{
	bool same = strcmp(r->host_text, before->host_text) == 0;
	uint8_t parts = (uint8_t)((same ? SAME_HOST : 0) |
				  (r->error[0] || r->error_us ? RANK_HAS_ERROR : 0) |
				  (r->op_end_us ? RANK_OP_END : 0));

	STATE_SIZE(struct rank, 528);
	state_small(s, &parts, RANK_PARTS + 1);
	if (!(parts & SAME_HOST))
		state_text(s, r->host_text, sizeof(r->host_text));
	else if (s->loading)
		memcpy(r->host_text, before->host_text, sizeof(r->host_text));
	state_near_id(s, &r->host, before->host, m->devices.n);
	state_near32(s, &r->pid, before->pid);
	state_near32(s, &r->gpu, before->gpu);
	state_near32(s, &r->local_gpu, before->local_gpu);
	state_near_id(s, &r->nic, before->nic, m->ports.n);
	state_small(s, &r->state, NCCL_STATE_COUNT);
	state_small(s, &r->host_source, NCCL_SOURCE_COUNT);
	state_small(s, &r->gpu_source, NCCL_SOURCE_COUNT);
	state_small(s, &r->nic_source, NCCL_SOURCE_COUNT);
	state_time(s, &r->seen_us, c->seen_us);
	state_time(s, &r->state_us, c->seen_us);
	if (parts & RANK_OP_END)
		state_time(s, &r->op_end_us, before->op_end_us);
	counts_state(s, c, r, before);
	if (!(parts & RANK_HAS_ERROR))
		return;
	state_text(s, r->error, sizeof(r->error));
	state_time(s, &r->error_us, c->seen_us);
}

static void ranks_state(struct state *s, struct model *m, struct comm *c, size_t from, size_t to)
{
	struct rank first = {.host = JOB_NONE, .nic = JOB_NONE};

	for (size_t i = from; i < to && !s->bad; i++) {
		struct rank *r = &c->rank[i];

		rank_state(s, m, c, r, i > from ? r - 1 : &first);
		/* The process is keyed by its host text, which was rewritten. */
		if (s->rewrite && !s->bad && r->host == JOB_NONE && r->host_text[0] &&
			c->job != JOB_NONE)
			process_learn(m->nccl->index, process_key(r), c->job);
	}
}

void nccl_state_step(struct state *s, struct model *m, size_t step)
{
	struct nccl *n = m->nccl;
	struct nccl_index *x = n->index;
	struct nccl_shape shape = shape_of(n);
	struct cut cut = {.from = step * STEP_THINGS, .to = (step + 1) * STEP_THINGS};
	size_t from, to;

	if (cut_part(&cut, shape.gpus, &from, &to))
		gpus_state(s, m, from, to);
	if (cut_part(&cut, shape.addresses, &from, &to))
		addresses_state(s, m, from, to);
	if (cut_part(&cut, shape.nics, &from, &to))
		string_pool_state(s, &x->nics, false, from, to, m->ports.n);
	if (cut_part(&cut, shape.texts, &from, &to))
		string_pool_state(s, &x->texts, true, from, to, m->devices.n);
	if (cut_part(&cut, shape.processes, &from, &to))
		processes_state(s, x, from, to, shape.jobs);
	if (cut_part(&cut, shape.jobs, &from, &to))
		for (size_t i = from; i < to && !s->bad; i++)
			job_state(s, m, n->jobs.at[i]);
	if (cut_part(&cut, shape.troubles, &from, &to))
		troubles_state(s, m, from, to);
	for (size_t i = 0; i < n->comms.n && !s->bad; i++) {
		struct comm *c = n->comms.at[i];

		if (cut_part(&cut, 1, &from, &to))
			head_state(s, m, c);
		if (cut_part(&cut, (size_t)c->nranks, &from, &to))
			ranks_state(s, m, c, from, to);
		for (unsigned k = 0; k < NCCL_OPS; k++) {
			if (!op_is_live(&c->ops[k]) ||
				!cut_part(&cut, (size_t)c->nranks, &from, &to))
				continue;
			if (!from)
				op_head_state(s, c, &c->ops[k]);
			op_cells_state(s, c, &c->ops[k], from, to);
		}
	}
}

/* ---- after loading ---- */

/* Every communicator of a job is in its list, exactly once, and no other is. */
static bool jobs_agree(const struct nccl *n)
{
	bool *met = mem_calloc(n->comms.n + 1, sizeof(*met)), fine = true;

	for (size_t i = 0; i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];

		for (size_t k = 0; k < j->comms.n; k++) {
			uint32_t comm = j->comms.at[k];

			fine &= !met[comm] && n->comms.at[comm]->job == i;
			met[comm] = true;
		}
	}
	for (size_t i = 0; i < n->comms.n; i++)
		fine &= met[i] == (n->comms.at[i]->job != JOB_NONE);
	free(met);
	return fine;
}

static bool index_comms(struct nccl *n)
{
	struct nccl_index *x = n->index;

	for (size_t i = 0; i < n->comms.n; i++) {
		const struct comm *c = n->comms.at[i];

		if (!c->key[0]) {
			x->free_comms++;
			if (c->nranks || c->job != JOB_NONE)
				return false;
			continue;
		}
		/* Rewriting may give two communicators one name: the first one is found. */
		index_put(&x->comms, c->key, RANK_NAME, (void *)(uintptr_t)(i + 1));
	}
	return true;
}

bool nccl_state_loaded(struct model *m)
{
	struct nccl *n = m->nccl;
	struct nccl_index *x = n->index;

	free(x->shape);
	x->shape = NULL;
	if (!jobs_agree(n) || !index_comms(n))
		return false;
	for (size_t i = 0; i < n->jobs.n; i++)
		(void)job_index(n, (uint32_t)i);
	nccl_trouble_sort(n);
	return true;
}
