/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "fabric/model/index.h"
#include "base/state.h"
#include "fabric/jobs/nccl_internal.h"

#define uthash_malloc(size) mem_alloc(size)
#include <uthash.h>

/* Time after which a job of RAS is gone when the host that named it does not name it again. An
 * arbitrary job of the host answers, so this allows for some more polls (at least 10 s apart). */
#define JOB_SILENT_US 60000000

struct process {
	uint64_t key;
	uint32_t job;
	UT_hash_handle hh;
};

void processes_free(struct nccl_index *x)
{
	struct process *p = x->process, *next;

	HASH_CLEAR(hh, x->process);
	for (; p; p = next) {
		next = p->hh.next;
		free(p);
	}
}

size_t processes_size(const struct nccl_index *x)
{
	return HASH_COUNT(x->process);
}

static struct process *process_add(struct nccl_index *x, uint64_t key, uint32_t job)
{
	struct process *p = NULL;

	HASH_FIND(hh, x->process, &key, sizeof(key), p);
	if (p)
		return p;
	p = mem_calloc(1, sizeof(*p));
	p->key = key;
	p->job = job;
	HASH_ADD(hh, x->process, key, sizeof(p->key), p);
	return p;
}

void process_learn(struct nccl_index *x, uint64_t key, uint32_t job)
{
	if (processes_size(x) < RANKS_MAX)
		(void)process_add(x, key, job);
}

void processes_state(struct state *s, struct nccl_index *x, size_t from, size_t to, size_t njobs)
{
	struct process *p = x->process;
	int64_t before = 0;

	STATE_SIZE(struct process, 72);
	for (size_t i = 0; !s->loading && p && i < from; i++)
		p = p->hh.next;
	for (size_t i = from; i < to && !s->bad; i++) {
		int64_t key = !s->loading && p ? (int64_t)p->key : 0;
		uint32_t job = !s->loading && p ? p->job : 0;

		state_near(s, &key, before);
		state_below(s, &job, (uint32_t)njobs);
		before = key;
		if (s->loading && !s->bad)
			(void)process_add(x, (uint64_t)key, job);
		else if (p)
			p = p->hh.next;
	}
}

bool job_index(struct nccl *n, uint32_t index)
{
	struct nccl_index *x = n->index;
	const struct job *j = n->jobs.at[index];

	if (job_is_free(j))
		return true;
	if (index_get(x->jobs, j->name))
		return false;
	index_put(&x->jobs, j->name, RANK_NAME, (void *)(uintptr_t)((size_t)index + 1));
	return true;
}

/*
 * A rank without a process is known by its host; several jobs in one log of that host are told
 * apart by the number of their groups, "pg0#2".
 */
static uint64_t key_within(const struct comm *c, const struct rank *r)
{
	const char *part = strchr(c->id, '#');

	return process_key(r) ^ (r->pid < 0 && part ? (uint64_t)text_hash(part) : 0);
}

static uint32_t job_of_process(
	const struct nccl_batch *b, const struct comm *c, const struct rank *r)
{
	uint64_t key = key_within(c, r);
	struct process *p = NULL;

	HASH_FIND(hh, b->x->process, &key, sizeof(key), p);
	if (!p || b->n->jobs.at[p->job]->gone || job_is_free(b->n->jobs.at[p->job]))
		return JOB_NONE;
	return p->job;
}

static void put_process(
	struct nccl_batch *b, const struct comm *c, const struct rank *r, uint32_t job)
{
	uint64_t key = key_within(c, r);
	struct process *p = NULL;

	HASH_FIND(hh, b->x->process, &key, sizeof(key), p);
	if (p) {
		p->job = job;
		return;
	}
	if (HASH_COUNT(b->x->process) >= RANKS_MAX)
		processes_free(b->x); /* refilled by the answers that follow */
	p = mem_calloc(1, sizeof(*p));
	p->key = key;
	p->job = job;
	HASH_ADD(hh, b->x->process, key, sizeof(p->key), p);
}

/* ---- jobs ---- */

static void rename_job(struct nccl *n, uint32_t index, const char *name)
{
	struct nccl_index *x = n->index;
	struct job *j = n->jobs.at[index];

	if (j->name[0])
		index_drop(&x->jobs, j->name, RANK_NAME, (void *)(uintptr_t)((size_t)index + 1));
	(void)str_copy(j->name, sizeof(j->name), name);
	if (j->name[0])
		index_put(&x->jobs, j->name, RANK_NAME, (void *)(uintptr_t)((size_t)index + 1));
}

void job_empty(struct nccl *n, uint32_t index)
{
	struct job *j = n->jobs.at[index];

	rename_job(n, index, "");
	for (size_t i = 0; i < j->comms.n; i++)
		n->comms.at[j->comms.at[i]]->job = JOB_NONE;
	vec_free(&j->hosts);
	vec_free(&j->comms);
	vec_free(&j->told);
	*j = (struct job){.gone = true, .gpus = -1};
}

static uint32_t add_job(struct nccl_batch *b, const char *name, enum nccl_source source)
{
	struct nccl *n = b->n;
	uint32_t best = JOB_NONE;

	for (size_t i = 0; i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];

		if (job_is_free(j)) {
			best = (uint32_t)i;
			break;
		}
		if (j->gone && n->jobs.n >= JOBS_MAX &&
			(best == JOB_NONE || j->seen_us < n->jobs.at[best]->seen_us))
			best = (uint32_t)i;
	}
	if (best == JOB_NONE) {
		if (n->jobs.n >= JOBS_MAX) {
			n->refused++;
			return JOB_NONE;
		}
		best = (uint32_t)n->jobs.n;
		vec_push(&n->jobs, mem_calloc(1, sizeof(struct job)));
	}
	job_empty(n, best);
	rename_job(n, best, name);
	n->jobs.at[best]->gone = false;
	n->jobs.at[best]->seen_us = b->now;
	n->jobs.at[best]->source = (uint8_t)source;
	b->changed = true;
	return best;
}

struct job *nccl_job_named(
	struct nccl_batch *b, const char *name, enum nccl_source source, uint32_t *index)
{
	char shown[NAME_MAX_LEN];
	struct job *j;

	(void)str_copy(shown, sizeof(shown), name);
	if (!shown[0])
		return NULL;
	if (!nccl_job(b->n, shown, index)) {
		*index = add_job(b, shown, source);
		if (*index == JOB_NONE)
			return NULL;
	}
	j = b->n->jobs.at[*index];
	j->given = true;
	b->changed |= j->gone;
	j->gone = false;
	j->seen_us = b->now;
	return j;
}

/* Index of the value in an ascending list, or its place. */
static size_t place_of(const uint32_t *at, size_t n, uint32_t value)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (at[mid] < value)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool has_sorted(const uint32_t *at, size_t n, uint32_t value)
{
	size_t i = place_of(at, n, value);

	return i < n && at[i] == value;
}

/* Keeps v ascending and without duplicates; false when it was present. */
static bool put_sorted(uint32_t *at, size_t *n, uint32_t value)
{
	size_t i = place_of(at, *n, value);

	if (i < *n && at[i] == value)
		return false;
	memmove(&at[i + 1], &at[i], (*n - i) * sizeof(*at));
	at[i] = value;
	(*n)++;
	return true;
}

bool job_has_host(const struct job *j, uint32_t device)
{
	return has_sorted(j->hosts.at, j->hosts.n, device);
}

void nccl_job_record(struct nccl_batch *b, const struct obs_nccl *r)
{
	uint32_t index, host;
	struct job *j =
		nccl_job_named(b, obs_text(b->o, r->job), (enum nccl_source)r->source, &index);

	if (!j)
		return;
	j->source = r->source;
	if (r->nranks > 0)
		j->gpus = r->nranks;
	if (r->text)
		(void)str_copy(j->user, sizeof(j->user), obs_text(b->o, r->text));
	/* Each answer lists a job's hosts completely. */
	if (!j->retold) {
		j->retold = j->touched = true;
		j->told.n = 0;
		b->x->hosts_changed = true;
	}
	host = r->host ? nccl_host(b, obs_text(b->o, r->host)) : JOB_NONE;
	if (host == JOB_NONE || j->told.n >= NCCL_HOSTS_MAX)
		return;
	vec_reserve(&j->told, j->told.n + 1);
	(void)put_sorted(j->told.at, &j->told.n, host);
}

void job_drop_comm(struct nccl *n, uint32_t comm)
{
	struct comm *c = n->comms.at[comm];
	uint32_t index = c->job;
	struct job *j;

	if (index == JOB_NONE)
		return;
	j = n->jobs.at[index];
	for (size_t i = 0; i < j->comms.n; i++) {
		if (j->comms.at[i] != comm)
			continue;
		memmove(&j->comms.at[i], &j->comms.at[i + 1],
			(j->comms.n - i - 1) * sizeof(j->comms.at[0]));
		j->comms.n--;
		break;
	}
	j->touched = true;
	c->job = JOB_NONE;
	if (!j->comms.n && !j->given)
		job_empty(n, index);
}

/* ---- joining ---- */

static void assign_comm(struct nccl_batch *b, uint32_t comm, uint32_t job)
{
	struct comm *c = b->n->comms.at[comm];
	struct job *j = b->n->jobs.at[job];
	size_t at = 0;

	c->job = job;
	while (at < j->comms.n && b->n->comms.at[j->comms.at[at]]->nranks >= c->nranks)
		at++;
	vec_push(&j->comms, comm);
	memmove(&j->comms.at[at + 1], &j->comms.at[at],
		(j->comms.n - 1 - at) * sizeof(j->comms.at[0]));
	j->comms.at[at] = comm;
	j->touched = true;
	b->changed = true;
}

/* Merges job `from` into job `into`. */
static void merge_jobs(struct nccl_batch *b, uint32_t into, uint32_t from)
{
	struct job *f = b->n->jobs.at[from];

	while (f->comms.n) {
		uint32_t comm = f->comms.at[f->comms.n - 1];
		const struct comm *c = b->n->comms.at[comm];

		f->comms.n--;
		assign_comm(b, comm, into);
		for (int32_t i = 0; i < c->nranks; i++) {
			if (c->rank[i].host_text[0])
				put_process(b, c, &c->rank[i], into);
		}
	}
	job_empty(b->n, from);
}

/* Reported names stay; of two generated names the larger job's stays. */
static void join_jobs(struct nccl_batch *b, uint32_t *job, uint32_t other)
{
	const struct job *a = b->n->jobs.at[*job], *o = b->n->jobs.at[other];

	if (*job == other || (a->given && o->given))
		return;
	if (o->given) {
		merge_jobs(b, other, *job);
		*job = other;
	} else {
		merge_jobs(b, *job, other);
	}
}

/* The smallest named job that has all hosts of the list. */
static uint32_t job_with_hosts(const struct nccl *n, const uint32_t *hosts, size_t nhosts)
{
	uint32_t best = JOB_NONE;

	for (size_t i = 0; nhosts && i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];
		size_t k = 0;

		if (j->gone || !j->given || j->told.n < nhosts ||
			(best != JOB_NONE && n->jobs.at[best]->told.n <= j->told.n))
			continue;
		while (k < nhosts && has_sorted(j->told.at, j->told.n, hosts[k]))
			k++;
		if (k == nhosts)
			best = (uint32_t)i;
	}
	return best;
}

static int compare_id(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Hosts of the job: those reported, and those of its ranks. */
static void job_hosts(const struct nccl *n, struct job *j)
{
	size_t kept = 0;

	j->hosts.n = 0;
	for (size_t i = 0; i < j->told.n; i++)
		vec_push(&j->hosts, j->told.at[i]);
	for (size_t i = 0; i < j->comms.n; i++) {
		const struct comm *c = n->comms.at[j->comms.at[i]];

		for (int32_t k = 0; !c->gone && k < c->nranks; k++) {
			/* Ranks of one host are mostly adjacent. */
			if (c->rank[k].host != JOB_NONE &&
				(!j->hosts.n || j->hosts.at[j->hosts.n - 1] != c->rank[k].host))
				vec_push(&j->hosts, c->rank[k].host);
		}
	}
	if (j->hosts.n)
		qsort(j->hosts.at, j->hosts.n, sizeof(j->hosts.at[0]), compare_id);
	for (size_t i = 0; i < j->hosts.n; i++) {
		if (!kept || j->hosts.at[kept - 1] != j->hosts.at[i])
			j->hosts.at[kept++] = j->hosts.at[i];
	}
	j->hosts.n = kept;
}

static bool says_nothing(const char *name)
{
	return !*name || strcmp(name, "world") == 0 || strcmp(name, "default_pg") == 0 ||
	       strcmp(name, "0") == 0;
}

/* Generates a name: that of the largest communicator, else one from its hash. */
static void make_name(const struct nccl *n, const struct comm *c, char *dst, size_t size)
{
	const char *id =
		c->id[0] == '0' && (c->id[1] == 'x' || c->id[1] == 'X') ? c->id + 2 : c->id;

	if (!says_nothing(c->name) && !nccl_job(n, c->name, NULL)) {
		(void)str_copy(dst, size, c->name);
		return;
	}
	(void)str_printf(dst, size, "job-%.8s", id);
	for (unsigned i = 2; nccl_job(n, dst, NULL) && i < JOBS_MAX; i++)
		(void)str_printf(dst, size, "job-%.8s-%u", id, i);
}

static void join_comm(struct nccl_batch *b, uint32_t index)
{
	struct comm *c = b->n->comms.at[index];
	char name[NAME_MAX_LEN];
	uint32_t job = c->job;

	/* Ranks that did not move stay with their job. */
	if (job != JOB_NONE && !c->hosts_changed)
		return;
	for (int32_t i = 0; i < c->nranks; i++) {
		uint32_t other;

		if (!c->rank[i].host_text[0] || (i && c->rank[i].pid == c->rank[i - 1].pid &&
							c->rank[i].host == c->rank[i - 1].host))
			continue;
		other = job_of_process(b, c, &c->rank[i]);
		if (other != JOB_NONE && job == JOB_NONE)
			job = other;
		else if (other != JOB_NONE)
			join_jobs(b, &job, other);
	}
	if (job == JOB_NONE) {
		make_name(b->n, c, name, sizeof(name));
		job = add_job(b, name, (enum nccl_source)c->source);
		if (job == JOB_NONE)
			return;
	}
	if (c->job != job) {
		job_drop_comm(b->n, index);
		assign_comm(b, index, job);
	}
	for (int32_t i = 0; i < c->nranks; i++) {
		if (c->rank[i].host_text[0])
			put_process(b, c, &c->rank[i], job);
	}
	b->n->jobs.at[job]->touched = true;
	c->hosts_changed = false;
}

static int largest_first(const struct nccl *n, uint32_t a, uint32_t b)
{
	int32_t x = n->comms.at[a]->nranks, y = n->comms.at[b]->nranks;

	return x != y ? (x > y ? -1 : 1) : a < b ? -1 : a > b;
}

/* A shell sort: small, and the order needs the model. */
static void sort_comms(const struct nccl *n, uint32_t *at, size_t count)
{
	for (size_t gap = count / 2; gap; gap /= 2) {
		for (size_t i = gap; i < count; i++) {
			uint32_t v = at[i];
			size_t k = i;

			for (; k >= gap && largest_first(n, v, at[k - gap]) < 0; k -= gap)
				at[k] = at[k - gap];
			at[k] = v;
		}
	}
}

/*
 * Whether it is known by numbers of ranks alone: its watchdog or flight recorder names neither
 * processes nor a hash that NCCL uses.
 */
static bool is_numbers_only(const struct nccl *n, const struct job *j)
{
	if (job_is_free(j) || j->gone || j->given || !j->comms.n)
		return false;
	for (size_t i = 0; i < j->comms.n; i++) {
		const struct comm *c = n->comms.at[j->comms.at[i]];

		if (c->source != SOURCE_WATCHDOG_LOG && c->source != SOURCE_FLIGHT_RECORDER)
			return false;
		for (int32_t k = 0; k < c->nranks; k++)
			if (c->rank[k].pid >= 0)
				return false;
	}
	return true;
}

uint32_t job_only_on(const struct nccl *n, uint32_t host)
{
	uint32_t found = JOB_NONE;

	for (uint32_t i = 0; host != JOB_NONE && i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];

		if (job_is_free(j) || j->gone || !job_has_host(j, host) || is_numbers_only(n, j))
			continue;
		if (found != JOB_NONE)
			return JOB_NONE;
		found = i;
	}
	return found;
}

/* The only other job on all of its hosts. */
static uint32_t job_beside(const struct nccl *n, uint32_t index)
{
	const struct job *own = n->jobs.at[index];
	uint32_t found = JOB_NONE;

	for (uint32_t i = 0; own->hosts.n && i < n->jobs.n; i++) {
		const struct job *j = n->jobs.at[i];
		size_t k = 0;

		if (i == index || job_is_free(j) || j->gone || !j->comms.n)
			continue;
		while (k < own->hosts.n && job_has_host(j, own->hosts.at[k]))
			k++;
		if (k < own->hosts.n || is_numbers_only(n, j))
			continue;
		if (found != JOB_NONE)
			return JOB_NONE;
		found = i;
	}
	return found;
}

/* Whether it is one of several jobs in one log: any of them may be the job that is known there. */
static bool is_part(const struct nccl *n, const struct job *j)
{
	for (size_t i = 0; i < j->comms.n; i++)
		if (strchr(n->comms.at[j->comms.at[i]]->id, '#'))
			return true;
	return false;
}

static void settle_job(struct nccl_batch *b, uint32_t index)
{
	struct job *j = b->n->jobs.at[index];
	const struct comm *world;
	uint32_t named;

	j->touched = j->retold = false;
	sort_comms(b->n, j->comms.at, j->comms.n);
	job_hosts(b->n, j);
	world = job_world(b->n, j, NULL);
	if (world && (world->sized || j->gpus < world->nranks))
		j->gpus = world->nranks;
	if (j->given || j->gone || is_part(b->n, j))
		return;
	named = job_with_hosts(b->n, j->hosts.at, j->hosts.n);
	if (named == JOB_NONE && is_numbers_only(b->n, j))
		named = job_beside(b->n, index);
	if (named == JOB_NONE || named == index)
		return;
	merge_jobs(b, named, index);
	j = b->n->jobs.at[named];
	j->touched = false;
	sort_comms(b->n, j->comms.at, j->comms.n);
	job_hosts(b->n, j);
}

void nccl_join(struct nccl_batch *b)
{
	struct nccl *n = b->n;
	bool all = b->x->hosts_changed, moved = all;

	if (all)
		b->x->string_pool_us = 0;
	b->x->hosts_changed = false;
	sort_comms(n, b->comms.at, b->comms.n);
	for (size_t i = 0; i < (all ? n->comms.n : b->comms.n); i++) {
		struct comm *c = n->comms.at[all ? i : b->comms.at[i]];

		for (int32_t k = 0; !c->gone && k < c->nranks; k++)
			nccl_place(b, c, &c->rank[k]);
		if (c->job != JOB_NONE && c->hosts_changed)
			n->jobs.at[c->job]->touched = true;
	}
	for (size_t i = 0; i < b->comms.n; i++) {
		struct comm *c = n->comms.at[b->comms.at[i]];

		moved |= c->hosts_changed;
		join_comm(b, b->comms.at[i]);
		if (c->job != JOB_NONE) {
			n->jobs.at[c->job]->seen_us = b->now;
			n->jobs.at[c->job]->gone = false;
		}
	}
	for (size_t i = 0; i < n->jobs.n; i++) {
		if (n->jobs.at[i]->touched || (all && !n->jobs.at[i]->given))
			settle_job(b, (uint32_t)i);
		else if (moved && is_numbers_only(n, n->jobs.at[i]))
			settle_job(b, (uint32_t)i);
	}
	if (moved && n->troubles.n)
		nccl_trouble_join(b);
}

/* ---- missing from a complete answer ---- */

bool nccl_scheduler(enum nccl_source s)
{
	return s == SOURCE_SLURM || s == SOURCE_FILE || s == SOURCE_KUBERNETES || s == SOURCE_RAY;
}

static void missing_ranks(struct nccl_batch *b, uint32_t index)
{
	struct comm *c = b->n->comms.at[index];
	unsigned missing = 0;

	/* A report that lists only the outliers names few ranks: the missing ones prove nothing. */
	bool whole = c->named * 2 >= (uint32_t)c->nranks;

	for (int32_t i = 0; i < c->nranks; i++) {
		struct rank *r = &c->rank[i];

		if (whole && r->seen_us != b->now && r->state != NCCL_DEAD)
			nccl_state(b, index, r, NCCL_UNRESPONSIVE, SOURCE_RAS);
		missing += r->state == NCCL_UNRESPONSIVE || r->state == NCCL_DEAD;
	}
	b->changed |= c->missing != missing;
	c->missing = missing;
}

/* Communicators that are missing from the answer although their job answered. */
static void missing_comms(struct nccl_batch *b, enum nccl_source source)
{
	for (size_t i = 0; i < b->comms.n; i++) {
		const struct comm *c = b->n->comms.at[b->comms.at[i]];
		struct job *j = c->job == JOB_NONE ? NULL : b->n->jobs.at[c->job];

		for (size_t k = 0; j && !j->touched && k < j->comms.n; k++) {
			struct comm *other = b->n->comms.at[j->comms.at[k]];

			if (other->touched || other->gone || other->source != (uint8_t)source)
				continue;
			other->gone = true;
			b->changed = true;
		}
		if (j)
			j->touched = true;
	}
	for (size_t i = 0; i < b->n->jobs.n; i++)
		b->n->jobs.at[i]->touched = false;
}

static void job_ends(struct nccl_batch *b, struct job *j)
{
	j->gone = true;
	for (size_t i = 0; i < j->comms.n; i++)
		b->n->comms.at[j->comms.at[i]]->gone = true;
	b->changed = true;
}

static void missing_jobs(struct nccl_batch *b, enum nccl_source source)
{
	for (size_t i = 0; i < b->n->jobs.n; i++) {
		struct job *j = b->n->jobs.at[i];

		if (job_is_free(j) || j->gone || j->source != (uint8_t)source ||
			j->seen_us == b->now)
			continue;
		if (nccl_scheduler(source) || (b->from != JOB_NONE && job_has_host(j, b->from) &&
						      b->now - j->seen_us > JOB_SILENT_US))
			job_ends(b, j);
	}
}

void nccl_done(struct nccl_batch *b, enum nccl_source source)
{
	/* Part of the answer was unreadable: missing items may be in that part. */
	if (b->o->err.code != ERR_NONE)
		return;
	if (!nccl_scheduler(source)) {
		for (size_t i = 0; i < b->comms.n; i++)
			missing_ranks(b, b->comms.at[i]);
		missing_comms(b, source);
	}
	missing_jobs(b, source);
}
