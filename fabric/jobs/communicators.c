/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/index.h"
#include "fabric/jobs/nccl_internal.h"

#define HASH_DIGITS 14 /* the Inspector's buffer cuts the hash here */

/* ---- finding and creating ---- */

/* Hashes are keyed by their first digits, other names within their job. False: the name cannot be
 * kept. */
static bool comm_key(const char *job, const char *comm, char *dst, size_t size)
{
	const char *s = comm;
	size_t n = 0;

	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	while (isxdigit((unsigned char)s[n]))
		n++;
	if (n < HASH_DIGITS || s[n])
		return str_printf(dst, size, "%s/%s", job, *comm ? comm : "world");
	for (n = 0; n < HASH_DIGITS; n++)
		dst[n] = (char)tolower((unsigned char)s[n]);
	dst[n] = '\0';
	return true;
}

static void rank_clear(struct rank *r)
{
	*r = (struct rank){
		.host = JOB_NONE, .pid = -1, .gpu = -1, .local_gpu = -1, .nic = JOB_NONE};
	for (unsigned i = 0; i < NCCL_FUNCS; i++)
		r->count[i] = (struct rank_count){.launched = -1, .completed = -1};
}

/* False: implausibly many ranks, or no room for them. */
static bool grow_ranks(struct nccl_batch *b, struct comm *c, int32_t nranks)
{
	int32_t size = c->size;

	if (nranks <= c->nranks)
		return true;
	if (nranks > COMM_RANKS || !nccl_free_ranks(b, c, (size_t)(nranks - c->nranks)))
		return false;
	/* Doubles only when the number of ranks is not reported but follows from the greatest
	 * rank. */
	if (nranks > size) {
		int32_t want = size && nranks < 2 * size ? 2 * size : nranks;

		want = want > COMM_RANKS ? COMM_RANKS : want;
		c->rank = mem_realloc(c->rank, (size_t)want, sizeof(c->rank[0]));
		ops_grow(b->x, c, size, want);
		c->size = want;
	}
	for (int32_t i = c->nranks; i < nranks; i++)
		rank_clear(&c->rank[i]);
	b->n->nranks += (size_t)(nranks - c->nranks);
	c->nranks = nranks;
	b->changed = true;
	return true;
}

bool comm_make_room(struct nccl_batch *b, struct comm *c, int32_t nranks)
{
	return grow_ranks(b, c, nranks);
}

void comm_release(struct nccl *n, struct comm *c)
{
	struct nccl_index *x = n->index;
	size_t at = (size_t)(uintptr_t)index_get(x->comms, c->key);

	ops_release(x, c);
	if (at)
		index_drop(&x->comms, c->key, RANK_NAME, (void *)(uintptr_t)at);
	n->nranks -= (size_t)c->nranks;
	free(c->rank);
	comm_pace_free(c);
	*c = (struct comm){.job = JOB_NONE, .gone = true};
	x->free_comms++;
}

/* Finds a slot: a free one, a new one, or that of the least useful communicator. */
static uint32_t take_slot(struct nccl_batch *b)
{
	struct nccl *n = b->n;
	uint32_t i = 0;

	if (!b->x->free_comms && n->comms.n < COMMS_MAX) {
		vec_push(&n->comms, mem_calloc(1, sizeof(struct comm)));
		return (uint32_t)(n->comms.n - 1);
	}
	if (!b->x->free_comms && !nccl_free_slot(b))
		return JOB_NONE;
	while (i < n->comms.n && n->comms.at[i]->key[0])
		i++;
	b->x->free_comms--;
	return i;
}

static struct comm *make_comm(
	struct nccl_batch *b, const char *key, const struct obs_nccl *r, uint32_t *index)
{
	struct comm *c;

	/* An implausible size must not cost a slot. */
	if (r->nranks > COMM_RANKS || r->rank >= COMM_RANKS || !nccl_free_ranks(b, NULL, 1))
		return NULL;
	*index = take_slot(b);
	if (*index == JOB_NONE)
		return NULL;
	c = b->n->comms.at[*index];
	*c = (struct comm){.job = JOB_NONE, .made_us = b->now};
	comm_pace_begin(c);
	(void)str_copy(c->key, sizeof(c->key), key);
	(void)str_copy(c->id, sizeof(c->id), r->comm ? obs_text(b->o, r->comm) : "world");
	index_put(&b->x->comms, key, RANK_NAME, (void *)(uintptr_t)(*index + 1));
	b->changed = true;
	return c;
}

/* A watchdog names groups "pg0", "pg1", ...: those of two jobs differ. JOB_NONE: it is not one. */
static uint32_t job_of_group(struct nccl_batch *b, const struct obs_nccl *r)
{
	/* Of several jobs in one log any may be the one that is known. */
	if (r->source != SOURCE_WATCHDOG_LOG || r->job || !r->comm ||
		strchr(obs_text(b->o, r->comm), '#'))
		return JOB_NONE;
	return job_only_on(b->n, r->host ? nccl_host(b, obs_text(b->o, r->host)) : b->from);
}

static size_t find_comm(const struct nccl_batch *b, const char *key)
{
	return (size_t)(uintptr_t)index_get(b->x->comms, key);
}

static void give_to_job(struct nccl_batch *b, uint32_t comm, uint32_t job)
{
	struct comm *c = b->n->comms.at[comm];

	if (c->job == job)
		return;
	job_drop_comm(b->n, comm);
	c->job = job;
	vec_push(&b->n->jobs.at[job]->comms, comm);
	b->n->jobs.at[job]->touched = true;
}

struct comm *nccl_comm(struct nccl_batch *b, const struct obs_nccl *r, uint32_t *index)
{
	const char *text = obs_text(b->o, r->comm);
	uint32_t group_job = job_of_group(b, r);
	char key[NAME_MAX_LEN];
	struct comm *c;
	size_t at;

	if (!comm_key(obs_text(b->o, r->job), text, key, sizeof(key)))
		goto refuse;
	at = find_comm(b, key);
	/* The group of another job has the bare name, or none has it. */
	if (group_job != JOB_NONE && (!at || b->n->comms.at[at - 1]->job != group_job)) {
		if (!comm_key(b->n->jobs.at[group_job]->name, text, key, sizeof(key)))
			goto refuse;
		at = find_comm(b, key);
	}
	*index = (uint32_t)(at - 1);
	c = at ? b->n->comms.at[at - 1] : make_comm(b, key, r, index);
	if (!c)
		goto refuse;
	if (group_job != JOB_NONE)
		give_to_job(b, *index, group_job);
	if ((r->nranks > 0 && !grow_ranks(b, c, r->nranks)) ||
		(r->rank >= c->nranks &&
			(c->sized || r->rank >= COMM_RANKS || !grow_ranks(b, c, r->rank + 1))))
		b->n->refused++;
	/* A reported number of ranks is a bound for later ranks. */
	c->sized |= r->nranks > 0;
	if (strlen(text) > strlen(c->id))
		(void)str_copy(c->id, sizeof(c->id), text);
	if (r->comm_name)
		(void)str_copy(c->name, sizeof(c->name), obs_text(b->o, r->comm_name));
	c->source = r->source;
	if (r->job) {
		uint32_t job;

		if (nccl_job_named(b, obs_text(b->o, r->job), (enum nccl_source)r->source, &job) &&
			c->job != job) {
			give_to_job(b, *index, job);
			c->hosts_changed = true;
		}
	}
	return c;
refuse:
	*index = JOB_NONE;
	b->n->refused++;
	return NULL;
}

/* ---- ranks ---- */

static void counts_clear(struct rank *r)
{
	for (unsigned i = 0; i < NCCL_FUNCS; i++)
		r->count[i] = (struct rank_count){.launched = -1, .completed = -1};
}

static void set_host(struct nccl_batch *b, struct comm *c, struct rank *r, const struct obs_nccl *o)
{
	const char *text = o->host ? obs_text(b->o, o->host) : b->o->device;

	/* Sources on one host do not name it; RAS covers all hosts and names each. */
	if (!o->host && (r->host_text[0] || o->source == SOURCE_RAS || !*text))
		return;
	if (strncmp(r->host_text, text, sizeof(r->host_text) - 1) != 0) {
		(void)str_copy(r->host_text, sizeof(r->host_text), text);
		r->host = JOB_NONE;
		r->nic = JOB_NONE;
		c->hosts_changed = true;
	}
	if (r->host != JOB_NONE)
		return;
	r->host = o->host ? nccl_host(b, text) : b->from;
	r->host_source = o->source;
	if (r->host != JOB_NONE) {
		c->hosts_changed = true;
		b->changed = true;
	}
}

void nccl_rank(struct nccl_batch *b, struct comm *c, const struct obs_nccl *o)
{
	struct rank *r;

	if (o->rank < 0 || o->rank >= c->nranks)
		return;
	r = &c->rank[o->rank];
	if (r->seen_us != b->now) {
		r->seen_us = b->now;
		c->named++;
	}
	set_host(b, c, r, o);
	if (o->pid >= 0 && r->pid != o->pid) {
		/* A new process counts from zero. */
		if (r->pid >= 0)
			counts_clear(r);
		r->pid = o->pid;
		c->hosts_changed = true;
	}
	if (o->gpu >= 0 && r->gpu != o->gpu) {
		r->gpu = o->gpu;
		r->gpu_source = o->source;
		if (r->nic_source == SOURCE_UNKNOWN || r->nic_source == SOURCE_TOPOLOGY)
			r->nic = JOB_NONE;
	}
	if (o->local_gpu >= 0)
		r->local_gpu = o->local_gpu;
	if (o->nic && r->host != JOB_NONE) {
		uint32_t nic = nccl_nic(b->m, r->host, obs_text(b->o, o->nic));

		if (nic != JOB_NONE) {
			r->nic = nic;
			r->nic_source = o->source;
		}
	}
}

/* ---- counts and states ---- */

int nccl_func(struct comm *c, const char *name)
{
	for (unsigned i = 0; i < c->nfuncs; i++) {
		if (strncmp(c->func[i], name, sizeof(c->func[i]) - 1) == 0)
			return (int)i;
	}
	if (c->nfuncs == NCCL_FUNCS || !*name)
		return -1;
	(void)str_copy(c->func[c->nfuncs], sizeof(c->func[0]), name);
	return (int)c->nfuncs++;
}

void comm_grew(struct comm *c, int64_t now_us)
{
	int64_t gap = c->grew_us ? now_us - c->grew_us : 0;

	if (now_us == c->grew_us)
		return;
	c->grew_us = now_us;
	if (gap <= 0)
		return;
	c->rhythm_us = c->rhythm_us ? c->rhythm_us + (gap - c->rhythm_us) / 8 : gap;
	/* A single pause (a checkpoint) fades over some hundred steps. */
	c->longest_us -= c->longest_us / 64;
	if (gap > c->longest_us)
		c->longest_us = gap;
}

void nccl_count(struct nccl_batch *b, struct comm *c, const struct obs_nccl *o)
{
	int func = o->func ? nccl_func(c, obs_text(b->o, o->func)) : -1;
	struct rank *r = &c->rank[o->rank];
	struct rank_count *n;

	if (o->state)
		nccl_state(b, b->comm_of.at[o - b->o->nccl.at], r, (enum nccl_state)o->state,
			(enum nccl_source)o->source);
	if (func < 0) {
		b->n->refused++;
		return;
	}
	n = &r->count[func];
	if (o->seq >= 0 && n->launched != o->seq) {
		/* A watchdog that gave up names its last operations: they are no advance. */
		if (o->seq > n->launched && o->state != NCCL_TIMED_OUT) {
			n->grew_us = b->now;
			comm_pace_saw(c, func, o->seq);
			comm_grew(c, b->now);
			if (r->state == NCCL_TIMED_OUT) {
				r->state = NCCL_RUNNING;
				r->state_us = b->now;
			}
		}
		n->launched = o->seq;
		b->changed = true;
	}
	if (o->completed >= 0)
		n->completed = o->completed;
}

static bool is_lost(enum nccl_state s)
{
	return s == NCCL_UNRESPONSIVE || s == NCCL_DEAD;
}

/* One event per process, however many communicators it is in; the rest are counted. */
static void add_lost_event(
	struct nccl_batch *b, uint32_t comm, const struct rank *r, enum nccl_state s)
{
	uint64_t key = process_key(r);
	const struct comm *c = b->n->comms.at[comm];
	const char *job = c->job == JOB_NONE ? c->id : b->n->jobs.at[c->job]->name;
	char text[120];

	for (unsigned i = 0; i < b->ntold; i++) {
		if (b->told[i] == key)
			return;
	}
	if (b->ntold == NCCL_BATCH_EVENTS || (r->host == JOB_NONE && b->from == JOB_NONE)) {
		b->more++;
		return;
	}
	b->told[b->ntold++] = key;
	(void)str_printf(text, sizeof(text), "%s: rank %d (GPU %d, pid %d) %s", job,
		(int)(r - c->rank), (int)r->gpu, (int)r->pid,
		s == NCCL_DEAD ? "is reported as dead" : "does not answer");
	model_add_event(b->m, b->now, s == NCCL_DEAD ? EV_RANK_DEAD : EV_RANK_MISSING,
		b->m->devices.at[r->host != JOB_NONE ? r->host : b->from], NULL, -1, 0, text);
}

void nccl_state(struct nccl_batch *b, uint32_t comm, struct rank *r, enum nccl_state s,
	enum nccl_source source)
{
	if (s == NCCL_UNKNOWN || s >= NCCL_STATE_COUNT || s == (enum nccl_state)r->state)
		return;
	/* RAS only checks that the process lives: it reports a rank as well after its watchdog
	 * gave up. */
	if (source == SOURCE_RAS && s == NCCL_RUNNING && r->state == NCCL_TIMED_OUT)
		return;
	if (is_lost(s))
		add_lost_event(b, comm, r, s);
	r->state = (uint8_t)s;
	r->state_us = b->now;
	b->changed = true;
}
