/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "fabric/jobs/nccl_internal.h"

/*
 * Trouble that processes logged. A process has one entry for its errors and one for its watchdog.
 * The first error stays: a broken connection is followed by flushes, closed sockets and aborts,
 * which say nothing about the cause.
 */

/* After such a silence an error begins a new case. */
#define CASE_US (300 * CLOCK_SEC)
/* A logged error is of now for this time; NCCL's own retries take 2 min. */
#define RECENT_US (300 * CLOCK_SEC)
/* A job that nothing advanced since its error is still stopped by it. Then nobody waits for it. */
#define STOPPED_US (3600 * CLOCK_SEC)
/* A port that is active again: its ranks need a while to recover. */
#define OVER_US (60 * CLOCK_SEC)
#define KEPT_US (INT64_C(86400) * CLOCK_SEC)

static bool is_timeout(enum nccl_trouble kind)
{
	return kind == TROUBLE_TIMEOUT;
}

static int compare_key(uint64_t process, bool timeout, const struct trouble *t)
{
	bool other = is_timeout((enum nccl_trouble)t->kind);

	if (process != t->process)
		return process < t->process ? -1 : 1;
	return (int)timeout - (int)other;
}

static size_t place_of(const struct nccl *n, uint64_t process, bool timeout)
{
	size_t lo = 0, hi = n->troubles.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (compare_key(process, timeout, n->troubles.at[mid]) > 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct trouble *find_trouble(const struct nccl *n, uint64_t process, bool timeout)
{
	size_t at = place_of(n, process, timeout);

	return at < n->troubles.n && compare_key(process, timeout, n->troubles.at[at]) == 0
		       ? n->troubles.at[at]
		       : NULL;
}

static struct trouble *add_trouble(struct nccl_batch *b, uint64_t process, bool timeout)
{
	struct nccl *n = b->n;
	size_t at = place_of(n, process, timeout);
	struct trouble *t;

	if (n->troubles.n >= TROUBLES_MAX) {
		n->refused++;
		return NULL;
	}
	t = mem_calloc(1, sizeof(*t));
	(void)vec_add(&n->troubles);
	memmove(&n->troubles.at[at + 1], &n->troubles.at[at],
		(n->troubles.n - 1 - at) * sizeof(n->troubles.at[0]));
	n->troubles.at[at] = t;
	*t = (struct trouble){.process = process};
	return t;
}

/* A rank that is known by its number alone: its watchdog names no process. */
static uint64_t number_key(uint32_t comm, int32_t rank)
{
	return (UINT64_C(1) << 63) | ((uint64_t)comm << 32) | (uint32_t)rank;
}

static uint64_t key_of(const struct trouble *t)
{
	struct rank who = {.host = t->host, .pid = t->pid};

	if (t->pid < 0 && t->comm != JOB_NONE && t->rank >= 0)
		return number_key(t->comm, t->rank);
	(void)str_copy(who.host_text, sizeof(who.host_text), t->host_text);
	/* A process without a number: the rank that its launcher put before the line tells it
	 * apart. */
	if (t->pid < 0 && t->rank >= 0)
		who.pid = INT32_MIN + t->rank;
	return process_key(&who);
}

static int cmp_trouble(const void *a, const void *b)
{
	const struct trouble *const *x = a, *const *y = b;

	return compare_key((*x)->process, is_timeout((enum nccl_trouble)(*x)->kind), *y);
}

void nccl_trouble_sort(struct nccl *n)
{
	for (size_t i = 0; i < n->troubles.n; i++)
		n->troubles.at[i]->process = key_of(n->troubles.at[i]);
	if (n->troubles.n)
		qsort(n->troubles.at, n->troubles.n, sizeof(n->troubles.at[0]), cmp_trouble);
}

/* ---- joins ---- */

/* Of "172.16.0.2@mlx5_0" the part that names the host. */
static const char *far_address(const char *text, char *dst, size_t size)
{
	(void)str_copyn(dst, size, text, strcspn(text, "@"));
	return dst;
}

static uint32_t far_port(struct nccl_batch *b, const char *text)
{
	const char *nic = strchr(text, '@');
	char address[64];

	return nic ? nccl_port_by_text(b->m,
			     nccl_host(b, far_address(text, address, sizeof(address))), nic + 1)
		   : nccl_port_by_text(b->m, JOB_NONE, text);
}

static void place_trouble(struct nccl_batch *b, struct trouble *t)
{
	const struct model *m = b->m;
	char address[sizeof(t->peer_text)];

	if (t->host == JOB_NONE && t->host_text[0])
		t->host = nccl_host(b, t->host_text);
	if (t->nic == PORT_NONE && t->nic_text[0])
		t->nic = nccl_port_by_text(m, t->host, t->nic_text);
	/* The address of its own NIC tells where a pod runs. */
	if (t->host == JOB_NONE && t->nic != PORT_NONE)
		t->host = m->ports.at[t->nic]->device;
	if (t->peer_nic == PORT_NONE && t->peer_text[0])
		t->peer_nic = far_port(b, t->peer_text);
	if (t->peer_host == JOB_NONE && t->peer_nic != PORT_NONE)
		t->peer_host = m->ports.at[t->peer_nic]->device;
	else if (t->peer_host == JOB_NONE && t->peer_text[0])
		t->peer_host = nccl_host(b, far_address(t->peer_text, address, sizeof(address)));
}

static void tell_rank(const struct trouble *t, struct rank *r)
{
	if (t->kind <= TROUBLE_NOTE && r->error[0] && r->error_us > t->first_us)
		return;
	(void)str_copy(r->error, sizeof(r->error), t->text);
	r->error_us = t->first_us;
}

/* Ranks of the default group are those of the job. */
static bool is_default_group(const struct comm *c)
{
	size_t n = strcspn(c->id, "#"); /* of several jobs in one log: "pg0#2" */

	return strcmp(c->name, "default_pg") == 0 || (n == 3 && str_starts(c->id, "pg0")) ||
	       (n == 5 && str_starts(c->id, "world"));
}

/* The same rank of NCCL's own communicator, which RAS may call well. */
static void tell_world(struct nccl_batch *b, const struct trouble *t)
{
	const struct nccl *n = b->n;
	const struct comm *c = t->comm < n->comms.n ? n->comms.at[t->comm] : NULL;
	uint32_t world;

	if (!c || !is_timeout((enum nccl_trouble)t->kind) || c->job == JOB_NONE || t->rank < 0 ||
		!is_default_group(c))
		return;
	if (!job_world(n, n->jobs.at[c->job], &world) || world == t->comm ||
		t->rank >= n->comms.at[world]->nranks || n->comms.at[world]->grew_us > t->last_us)
		return;
	nccl_state(
		b, world, &n->comms.at[world]->rank[t->rank], NCCL_TIMED_OUT, SOURCE_WATCHDOG_LOG);
	tell_rank(t, &n->comms.at[world]->rank[t->rank]);
}

/*
 * The ranks of a watchdog's default group are those of NCCL's own communicator: so many, on those
 * hosts. Its log alone says neither: it may be of all hosts, and a silent rank is not in it.
 */
static void learn_from_world(struct nccl_batch *b, struct comm *c, uint32_t index)
{
	const struct nccl *n = b->n;
	const struct comm *world;
	uint32_t at;

	if (c->source != SOURCE_WATCHDOG_LOG || c->gone || c->job == JOB_NONE ||
		!is_default_group(c) || !job_world(n, n->jobs.at[c->job], &at) || at == index)
		return;
	world = n->comms.at[at];
	if (world->source == SOURCE_WATCHDOG_LOG || world->nranks < c->nranks ||
		!comm_make_room(b, c, world->nranks))
		return;
	for (int32_t i = 0; i < c->nranks; i++) {
		struct rank *r = &c->rank[i];
		const struct rank *w = &world->rank[i];

		if (w->host == JOB_NONE || r->pid >= 0)
			continue;
		(void)str_copy(r->host_text, sizeof(r->host_text), w->host_text);
		r->host = w->host;
		r->host_source = w->host_source;
		r->nic = w->nic;
		r->nic_source = w->nic_source;
		r->gpu = w->gpu;
		r->gpu_source = w->gpu_source;
	}
}

void nccl_trouble_join(struct nccl_batch *b)
{
	struct nccl *n = b->n;
	bool strays = false;

	for (size_t i = 0; i < n->troubles.n; i++) {
		place_trouble(b, n->troubles.at[i]);
		tell_world(b, n->troubles.at[i]);
	}
	nccl_trouble_sort(n);
	for (size_t i = 0; n->troubles.n && i < n->comms.n; i++)
		learn_from_world(b, n->comms.at[i], (uint32_t)i);
	for (size_t i = 0; i < n->troubles.n; i++)
		strays |= n->troubles.at[i]->comm == JOB_NONE && n->troubles.at[i]->pid >= 0;
	for (size_t i = 0; strays && i < n->comms.n; i++) {
		struct comm *c = n->comms.at[i];

		for (int32_t k = 0; !c->gone && k < c->nranks; k++) {
			struct trouble *t;

			if (c->rank[k].pid < 0)
				continue;
			t = find_trouble(n, process_key(&c->rank[k]), false);
			if (!t || t->comm != JOB_NONE)
				continue;
			t->comm = (uint32_t)i;
			t->rank = k;
			t->nranks = c->nranks;
			tell_rank(t, &c->rank[k]);
			b->changed = true;
		}
	}
}

/* ---- notes ---- */

static void fill_trouble(struct nccl_batch *b, struct trouble *t, const struct obs_nccl *r,
	uint32_t comm, const struct rank *rank)
{
	const struct comm *c = comm == JOB_NONE ? NULL : b->n->comms.at[comm];

	t->comm = comm;
	t->rank = c && rank ? (int32_t)(rank - c->rank) : r->rank;
	t->nranks = c ? c->nranks : r->nranks;
	t->host = rank && rank->host != JOB_NONE ? rank->host : JOB_NONE;
	t->from = b->from;
	if (t->host == JOB_NONE && !r->host && b->from != JOB_NONE)
		t->host = b->from;
	(void)str_copy(t->host_text, sizeof(t->host_text),
		r->host ? obs_text(b->o, r->host)
		: rank  ? rank->host_text
			: b->o->device);
	t->pid = r->pid >= 0 ? r->pid : rank ? rank->pid : -1;
	t->local_gpu = r->local_gpu >= 0 ? r->local_gpu : rank ? rank->local_gpu : -1;
	t->nic = t->peer_nic = PORT_NONE;
	t->peer_host = JOB_NONE;
}

static void state_words(struct nccl_batch *b, const struct obs_nccl *r, char *dst, size_t size)
{
	const char *func = r->func ? obs_text(b->o, r->func) : "operation";
	char number[32] = "";

	if (r->seq >= 0 && r->seq < INT64_MAX)
		(void)str_printf(number, sizeof(number), " %lld", (long long)r->seq + 1);
	if (r->took_us > 0)
		(void)str_printf(
			dst, size, "gave up on %s%s after %.0f s", func, number, r->took_us / 1e6);
	else
		(void)str_printf(dst, size, "gave up on %s%s", func, number);
	if (r->elements && r->elements <= NCCL_FEW_ELEMENTS)
		(void)str_copy(dst + strlen(dst), size - strlen(dst), NCCL_FEW_WORDS);
}

/* One process may drive several GPUs; each says the same. */
static void add_gpu(struct trouble *t, const struct obs_nccl *r)
{
	if (r->local_gpu >= 0 && r->local_gpu < 64)
		t->gpus |= UINT64_C(1) << r->local_gpu;
}

static void set_cause(struct nccl_batch *b, struct trouble *t, const struct obs_nccl *r,
	enum nccl_trouble kind, int64_t at_us)
{
	t->kind = (uint8_t)kind;
	t->status = r->kind == NCCL_ERROR ? r->state : 0;
	t->source = r->source;
	t->first_us = at_us;
	t->over_us = 0;
	t->after[0] = '\0';
	t->nic = t->peer_nic = PORT_NONE;
	t->peer_host = JOB_NONE;
	(void)str_copy(t->nic_text, sizeof(t->nic_text), obs_text(b->o, r->nic));
	(void)str_copy(t->peer_text, sizeof(t->peer_text), obs_text(b->o, r->text2));
	(void)str_copy(t->text, sizeof(t->text), obs_text(b->o, r->text));
	t->gpus = 0;
	add_gpu(t, r);
	if (!is_timeout(kind))
		return;
	t->seq = r->seq;
	t->took_us = r->took_us > 0 ? (int64_t)r->took_us : 0;
	(void)str_copy(t->func, sizeof(t->func), obs_text(b->o, r->func));
	state_words(b, r, t->text, sizeof(t->text));
}

/* NCCL 2.30 and Open MPI name the ends in a second message about the same completion. */
static bool says_more(
	const struct trouble *t, enum nccl_trouble kind, const struct obs_nccl *r, int64_t at)
{
	bool has_peer = r->text2 != 0, has_nic = r->nic != 0;

	/* "request error: Endpoint timeout", and then the completion that it is of. */
	if (kind == (enum nccl_trouble)t->kind && r->kind == NCCL_ERROR && r->state && has_nic &&
		!t->status && !t->nic_text[0] && !t->peer_text[0] && at - t->first_us < 1000000)
		return true;
	return kind == (enum nccl_trouble)t->kind && r->kind == NCCL_ERROR &&
	       t->status == r->state &&
	       (t->peer_text[0] ? has_peer && has_nic && !t->nic_text[0] : has_peer);
}

static void tell_event(
	struct nccl_batch *b, const struct trouble *t, const struct rank *r, uint64_t key)
{
	uint32_t host = t->host != JOB_NONE ? t->host : t->from;
	uint32_t nic = t->nic != PORT_NONE ? t->nic : r ? r->nic : PORT_NONE;

	for (unsigned i = 0; i < b->ntold; i++)
		if (b->told[i] == key)
			return;
	if (host == JOB_NONE || b->ntold >= NCCL_BATCH_EVENTS)
		return;
	b->told[b->ntold++] = key;
	model_add_event(b->m, b->now, EV_RANK_ERROR, b->m->devices.at[host],
		nic != PORT_NONE && b->m->ports.at[nic]->device == host ? b->m->ports.at[nic]
									: NULL,
		-1, 0, t->text);
}

void nccl_trouble(struct nccl_batch *b, const struct obs_nccl *r, uint32_t comm, struct rank *rank)
{
	enum nccl_trouble kind = r->kind == NCCL_STATE
					 ? TROUBLE_TIMEOUT
					 : nccl_trouble_by_name(obs_text(b->o, r->func));
	int64_t at = r->begin_us > 0 && r->begin_us < b->now ? r->begin_us : b->now;
	struct trouble now = {0}, *t;
	uint64_t key;

	fill_trouble(b, &now, r, comm, rank);
	if (now.host == JOB_NONE && now.host_text[0])
		now.host = nccl_host(b, now.host_text);
	now.process = key = key_of(&now);
	t = find_trouble(b->n, key, is_timeout(kind));
	if (kind == TROUBLE_OVER) {
		if (t && t->kind == TROUBLE_NIC && at >= t->first_us)
			t->over_us = at;
		return;
	}
	if (!t) {
		t = add_trouble(b, key, is_timeout(kind));
		if (!t)
			return;
		*t = now;
		b->troubled = true;
		t->kind = TROUBLE_COUNT; /* none so far */
	}
	if (kind == TROUBLE_GIDS)
		t->gids_us = at;
	if (kind == TROUBLE_GIDS && t->kind != TROUBLE_COUNT)
		return;
	if (t->comm == JOB_NONE && comm != JOB_NONE) {
		t->comm = comm;
		t->rank = now.rank;
		t->nranks = now.nranks;
	}
	b->changed = true;
	if (t->kind == TROUBLE_COUNT || (int)kind > (int)t->kind || at - t->last_us > CASE_US ||
		at < t->first_us || says_more(t, kind, r, at))
		set_cause(b, t, r, kind, at);
	else if (kind == TROUBLE_NIC)
		t->over_us = 0; /* the port failed again */
	else if ((int)kind == (int)t->kind && r->kind == NCCL_ERROR &&
		 strncmp(t->text, obs_text(b->o, r->text), sizeof(t->text) - 1) == 0)
		add_gpu(t, r);
	else if (!t->after[0] && r->kind == NCCL_ERROR && (!r->state || r->state != t->status) &&
		 strncmp(t->text, obs_text(b->o, r->text), sizeof(t->text) - 1) != 0)
		(void)str_copy(t->after, sizeof(t->after), obs_text(b->o, r->text));
	if (at > t->last_us)
		t->last_us = at;
	place_trouble(b, t);
	if (kind == TROUBLE_GIDS)
		return;
	if (rank)
		tell_rank(t, rank);
	tell_world(b, t);
	if (kind > TROUBLE_NOTE && b->now - at < RECENT_US)
		tell_event(b, t, rank, key);
}

bool nccl_trouble_age(struct nccl *n, int64_t now_us)
{
	size_t kept = 0, was = n->troubles.n;

	for (size_t i = 0; i < was; i++) {
		struct trouble *t = n->troubles.at[i];

		/* A log of another day is kept as long as one of today. */
		if (now_us - t->last_us > KEPT_US && now_us - t->first_us > KEPT_US &&
			was > TROUBLES_MAX / 2)
			free(t);
		else
			n->troubles.at[kept++] = t;
	}
	n->troubles.n = kept;
	return kept != was;
}

void nccl_trouble_drop_comm(struct nccl *n, uint32_t comm)
{
	size_t kept = 0;

	for (size_t i = 0; i < n->troubles.n; i++) {
		struct trouble *t = n->troubles.at[i];

		if (t->comm == comm)
			free(t);
		else
			n->troubles.at[kept++] = t;
	}
	n->troubles.n = kept;
}

/* ---- queries ---- */

const struct trouble *nccl_trouble_of(const struct nccl *n, uint32_t comm, int32_t rank)
{
	const struct comm *c = comm < n->comms.n ? n->comms.at[comm] : NULL;
	const struct trouble *t;

	if (!c || rank < 0 || rank >= c->nranks || !n->troubles.n)
		return NULL;
	t = c->rank[rank].pid >= 0 ? find_trouble(n, process_key(&c->rank[rank]), false)
				   : find_trouble(n, number_key(comm, rank), false);
	return t && t->kind > TROUBLE_NOTE ? t : NULL;
}

static bool has_advanced(const struct nccl *n, const struct trouble *t)
{
	const struct comm *c = t->comm < n->comms.n ? n->comms.at[t->comm] : NULL;

	return c && (c->gone || c->grew_us > t->last_us);
}

bool nccl_trouble_is_new(const struct nccl *n, const struct trouble *t, int64_t now_us)
{
	const struct comm *c = t->comm < n->comms.n ? n->comms.at[t->comm] : NULL;

	/* Another process has its place: the job was started again. */
	if (c && t->rank >= 0 && t->rank < c->nranks && t->pid >= 0 && c->rank[t->rank].pid >= 0 &&
		c->rank[t->rank].pid != t->pid)
		return false;
	if (t->over_us && now_us - t->over_us > OVER_US)
		return false;
	if (now_us - t->last_us <= RECENT_US)
		return true;
	/* Printed once, at the start of a job, and true to its end. */
	if (t->kind == TROUBLE_COPIES)
		return c && !c->gone;
	/* A warning that nobody understands may be the cause, as long as the job stands since then.
	 */
	return t->kind >= TROUBLE_NOTE && t->kind != TROUBLE_NIC && !has_advanced(n, t) &&
	       now_us - t->last_us <= STOPPED_US;
}
