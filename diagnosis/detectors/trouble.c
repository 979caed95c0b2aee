/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/detectors/trouble_meaning.h"
#include "diagnosis/engine/detector.h"

/*
 * Findings from the logs of processes: errors of connections and NICs, with both ends as NCCL
 * printed them, and operations on which PyTorch's watchdog gave up. The log of one end does not
 * prove which end, or what between them, is at fault.
 */

#define LR_LOG 20.0
/* The driver's own event about its port. */
#define LR_NIC 200.0
/* A rank that is silent while the others give up: as sure as one that is behind. */
#define LR_SILENT 40.0
/* A change of addresses so long before explains what cannot be reached (railtop's own). */
#define GIDS_US        (INT64_C(600) * 1000000)
#define STATUS_RETRIES 12
/* How long a watchdog hangs before torch tells of it. */
#define STUCK_US      (INT64_C(480) * 1000000)
#define TOLD_NAMED    3 /* so many ranks that gave up are named */
#define ROWS_MOST     4 /* processes of a finding with rows of their own */
#define SUSPECTS_MOST 16
#define DETAILED_MOST 32 /* findings that look for related processes */
/* So many hosts of one job without GPUDirect are one finding of the job. */
#define COPIES_MANY 2

/* One finding of this run, and the troubles that it is about. */
struct claim {
	struct finding *f;
	const struct trouble *first;
	unsigned n;
	bool alike; /* all say the same */
	UT_hash_handle hh;
};
struct claims {
	struct diag_run *r;
	struct claim *at;     /* hash by finding, in the order of claims */
	unsigned *copy_hosts; /* of each job: hosts that copy through their memory */
};

/* ---- places ---- */

static struct ref rank_ref(uint32_t comm, int32_t rank)
{
	return (struct ref){.kind = REF_RANK, .comm = comm, .rank = rank};
}

static uint32_t job_of(const struct diag_run *r, const struct trouble *t)
{
	return t->comm == JOB_NONE ? JOB_NONE : r->m->nccl->comms.at[t->comm]->job;
}

static bool is_sampled(const struct diag_run *r, uint32_t device)
{
	return device != JOB_NONE && window_device_samples(r->w, device);
}

/* The NIC that the log names, else the host, if its samples can clock the finding. */
static struct ref place_of_trouble(const struct claims *c, const struct trouble *t)
{
	const struct diag_run *r = c->r;

	/* What many hosts of a job have in common is a matter of the job. */
	if (t->kind == TROUBLE_COPIES && job_of(r, t) != JOB_NONE &&
		c->copy_hosts[job_of(r, t)] >= COPIES_MANY)
		return (struct ref){.kind = REF_JOB, .job = job_of(r, t)};
	/* A matter of the host, not of one NIC. */
	if (t->kind == TROUBLE_COPIES && is_sampled(r, t->host))
		return at_device(t->host);
	if (t->nic != PORT_NONE && is_sampled(r, r->m->ports.at[t->nic]->device))
		return at_port(t->nic);
	if (is_sampled(r, t->host))
		return at_device(t->host);
	if (t->comm != JOB_NONE && t->rank >= 0)
		return rank_ref(t->comm, t->rank);
	if (t->host != JOB_NONE)
		return at_device(t->host);
	if (t->from != JOB_NONE)
		return at_device(t->from);
	return (struct ref){.kind = REF_FABRIC};
}

static void add_member(struct finding *f, struct ref at)
{
	for (size_t i = 0; i < f->members.n; i++)
		if (ref_eq(f->members.at[i], at))
			return;
	if (f->members.n < FINDING_VICTIMS)
		vec_push(&f->members, at);
}

static const char *job_name(const struct model *m, uint32_t comm)
{
	const struct comm *c = comm < m->nccl->comms.n ? m->nccl->comms.at[comm] : NULL;

	return !c ? "" : c->job == JOB_NONE ? c->id : m->nccl->jobs.at[c->job]->name;
}

static void host_words(const struct model *m, const struct trouble *t, char *dst, size_t size)
{
	if (t->host != JOB_NONE)
		(void)str_copy(dst, size, m->devices.at[t->host]->name);
	else
		(void)str_copy(dst, size, t->host_text);
}

/* ", GPU 2", or ", GPUs 0 to 3, 5" where several of one process say the same. */
static void gpu_words(const struct trouble *t, char *dst, size_t size)
{
	unsigned many = 0;
	size_t n;

	*dst = '\0';
	for (unsigned i = 0; i < 64; i++)
		many += (unsigned)(t->gpus >> i & 1);
	if (many < 2) {
		if (t->local_gpu >= 0)
			(void)str_printf(dst, size, ", GPU %d", (int)t->local_gpu);
		return;
	}
	(void)str_copy(dst, size, ", GPUs");
	for (unsigned from = 0, to; from < 64; from = to + 1) {
		for (to = from; to < 64 && (t->gpus >> to & 1); to++)
			;
		if (to == from)
			continue;
		n = strlen(dst);
		(void)str_printf(dst + n, size - n, "%s%u", dst[n - 1] == 's' ? " " : ", ", from);
		n = strlen(dst);
		if (to - from > 1)
			(void)str_printf(dst + n, size - n, " to %u", to - 1);
	}
}

/* "rank 3 of train", "process 73076 on node-a, GPU 2". */
static void process_words(const struct model *m, const struct trouble *t, char *dst, size_t size)
{
	char host[64], gpu[40];

	host_words(m, t, host, sizeof(host));
	gpu_words(t, gpu, sizeof(gpu));
	if (t->comm != JOB_NONE && t->rank >= 0)
		(void)str_printf(dst, size, "rank %d of %.40s", (int)t->rank, job_name(m, t->comm));
	else if (t->rank >= 0 && t->nranks > 0)
		(void)str_printf(dst, size, "rank %d of %d on %.40s%s", (int)t->rank,
			(int)t->nranks, host, gpu);
	else if (t->rank >= 0 && t->pid >= 0)
		(void)str_printf(dst, size, "rank %d, process %d on %.40s%s", (int)t->rank,
			(int)t->pid, host, gpu);
	else if (t->rank >= 0)
		(void)str_printf(dst, size, "rank %d on %.40s%s", (int)t->rank,
			*host ? host : "an unknown host", gpu);
	else if (t->pid >= 0)
		(void)str_printf(dst, size, "process %d on %.40s%s", (int)t->pid, host, gpu);
	else
		(void)str_printf(dst, size, "a process on %.40s", *host ? host : "an unknown host");
}

/* ---- rows ---- */

static void add_row(struct finding *f, const struct trouble *t, struct ref at, const char *what,
	const char *text)
{
	struct evidence *e =
		finding_text(f, at, what, text, nccl_source_name((enum nccl_source)t->source));

	if (e)
		e->t_us = t->first_us;
}

/* "10.0.1.1 (node-a mlx5_1)" */
static void end_words(const struct model *m, const char *text, uint32_t nic, uint32_t host,
	char *dst, size_t size)
{
	const struct port *p = model_port_at(m, nic);
	int n = (int)strcspn(text, "@"); /* of "172.16.0.2@mlx5_0" */

	n = n < 40 ? n : 40;
	if (p && !str_eq(p->name, text))
		(void)str_printf(dst, size, "%.*s (%.18s %.16s)", n, text, model_dev_of(m, p)->name,
			p->name);
	else if (host != JOB_NONE)
		(void)str_printf(dst, size, "%.*s (%.30s)", n, text, m->devices.at[host]->name);
	else
		(void)str_copy(dst, size, text);
}

/* The rail of a NIC; without a plan the number at the end of its name. */
static int32_t rail_of(const struct port *p)
{
	size_t n = strlen(p->name), at = n;

	if (p->rail >= 0)
		return p->rail;
	while (at && isdigit((unsigned char)p->name[at - 1]))
		at--;
	return at < n && n - at < 6 ? (int32_t)strtol(p->name + at, NULL, 10) : -1;
}

static void add_rails(const struct model *m, struct finding *f, const struct trouble *t)
{
	const struct port *a = model_port_at(m, t->nic), *b = model_port_at(m, t->peer_nic);
	char text[80];

	if (!a || !b || rail_of(a) < 0 || rail_of(b) < 0 || rail_of(a) == rail_of(b))
		return;
	(void)str_printf(text, sizeof(text), "%.16s to %.16s of %.20s: between rails", a->name,
		b->name, model_dev_of(m, b)->name);
	add_row(f, t, f->at, "path", text);
	if (t->kind == TROUBLE_CONNECT)
		finding_refute(f, FIND_LINK_DOWN, f->at,
			"it never came up: the way between rails (NCCL_CROSS_NIC, routing), not "
			"a link");
}

/* The last change of addresses at either end within GIDS_US before the trouble; 0: none. */
static int64_t gids_before(const struct model *m, const struct trouble *t, uint32_t *host)
{
	int64_t last = 0;

	for (size_t i = 0; i < m->nccl->troubles.n; i++) {
		const struct trouble *o = m->nccl->troubles.at[i];

		if (!o->gids_us || o->gids_us <= last || o->gids_us > t->first_us ||
			t->first_us - o->gids_us > GIDS_US || o->host == JOB_NONE ||
			(o->host != t->host && o->host != t->peer_host))
			continue;
		last = o->gids_us;
		*host = o->host;
	}
	return last;
}

/* A peer may still send to an address that a NIC no longer has. */
static void add_gids(const struct model *m, struct finding *f, const struct trouble *t)
{
	bool may = t->kind == TROUBLE_CONNECT || t->status == STATUS_RETRIES;
	uint32_t host = JOB_NONE;
	int64_t at = may ? gids_before(m, t, &host) : 0;
	struct evidence *e;
	char text[160];

	if (!at)
		return;
	(void)str_printf(text, sizeof(text),
		"the addresses of a NIC of %.40s changed %lld s before (GID table change): its "
		"peers may still use the old ones",
		m->devices.at[host]->name, (long long)((t->first_us - at) / 1000000));
	e = finding_text(
		f, f->at, "before it", text, nccl_source_name((enum nccl_source)t->source));
	if (e)
		e->t_us = at;
}

static void describe(const struct model *m, struct finding *f, const struct trouble *t)
{
	char text[120];
	struct ref at = t->comm != JOB_NONE && t->rank >= 0 ? rank_ref(t->comm, t->rank) : f->at;

	add_row(f, t, at, "log", t->text);
	if (t->nic_text[0]) {
		end_words(m, t->nic_text, t->nic, t->host, text, sizeof(text));
		add_row(f, t, at, "own end", text);
	}
	if (t->peer_text[0]) {
		end_words(m, t->peer_text, t->peer_nic, t->peer_host, text, sizeof(text));
		add_row(f, t, at, "far end", text);
	}
	add_rails(m, f, t);
	add_gids(m, f, t);
	if (trouble_meaning(t))
		add_row(f, t, at, "meaning", trouble_meaning(t));
	if (t->after[0])
		add_row(f, t, at, "followed by", t->after);
}

static void set_ends(struct finding *f, const struct trouble *t)
{
	if (t->nic != PORT_NONE)
		add_member(f, at_port(t->nic));
	else if (t->host != JOB_NONE)
		add_member(f, at_device(t->host));
	if (t->comm != JOB_NONE && t->rank >= 0)
		add_member(f, rank_ref(t->comm, t->rank));
	if (f->peer.kind != REF_NONE)
		return;
	if (t->peer_nic != PORT_NONE)
		f->peer = at_port(t->peer_nic);
	else if (t->peer_host != JOB_NONE)
		f->peer = at_device(t->peer_host);
}

/* ---- errors ---- */

static void take_trouble(struct claims *c, const struct trouble *t)
{
	bool nic = t->kind == TROUBLE_NIC;
	struct finding *f = diag_claim(c->r,
		nic                         ? FIND_NCCL_NIC
		: t->kind == TROUBLE_COPIES ? FIND_GPUDIRECT
					    : FIND_NCCL_ERROR,
		place_of_trouble(c, t));
	struct claim *k = NULL;

	if (!f->onset_us || t->first_us < f->onset_us)
		f->onset_us = t->first_us;
	finding_weigh(f, nic ? SIGNAL_FACT : SIGNAL_NCCL, nic ? LR_NIC : LR_LOG);
	set_ends(f, t);
	HASH_FIND_PTR(c->at, &f, k);
	if (!k) {
		k = mem_calloc(1, sizeof(*k));
		*k = (struct claim){.f = f, .first = t, .alike = true};
		HASH_ADD_PTR(c->at, f, k);
	}
	k->n++;
	k->alike &= str_eq(k->first->text, t->text);
	/* The strongest, then the earliest is the cause. */
	if (t->kind > k->first->kind ||
		(t->kind == k->first->kind && t->first_us < k->first->first_us))
		k->first = t;
}

/* A stronger trouble of the same job, or at the far end: this one is its consequence. */
static const struct trouble *cause_of(const struct claims *c, const struct trouble *after)
{
	const struct nccl *n = c->r->m->nccl;
	const struct comm *own = after->comm == JOB_NONE ? NULL : n->comms.at[after->comm];

	for (size_t i = 0; i < n->troubles.n; i++) {
		const struct trouble *t = n->troubles.at[i];
		const struct comm *of = t->comm == JOB_NONE ? NULL : n->comms.at[t->comm];

		if (t->kind < TROUBLE_STUCK || t->first_us > after->last_us ||
			!nccl_trouble_is_new(n, t, c->r->now_us))
			continue;
		if ((own && of && own->job == of->job && own->job != JOB_NONE) ||
			(after->peer_host != JOB_NONE && after->peer_host == t->host))
			return t;
	}
	return NULL;
}

static void add_cause(struct claims *c, struct claim *k)
{
	const struct trouble *cause =
		k->first->kind == TROUBLE_AFTER ? cause_of(c, k->first) : NULL;
	char who[96], text[320];

	if (!cause)
		return;
	process_words(c->r->m, cause, who, sizeof(who));
	(void)str_printf(text, sizeof(text), "%s: %s", who, cause->text);
	add_row(k->f, cause, k->f->at, "follows from", text);
	k->f->severity = SEV_WARN;
}

static void finish_claim(struct claims *c, struct claim *k)
{
	const struct model *m = c->r->m;
	const struct job *job;
	struct finding *f = k->f;
	char who[96], host[64], more[40] = "";

	/* The log of another host, which railtop does not know, accuses nothing here. */
	if (k->first->host == JOB_NONE && k->first->host_text[0]) {
		char text[120];

		(void)str_printf(
			text, sizeof(text), "%s is not in the inventory", k->first->host_text);
		f->role = ROLE_SYMPTOM;
		add_row(f, k->first, f->at, "host", text);
	} else if (f->id != FIND_NCCL_NIC) {
		f->role = k->first->kind <= TROUBLE_ADVICE ? ROLE_RISK : ROLE_SYMPTOM;
	}
	f->severity = k->first->kind <= TROUBLE_NOTE ? SEV_WARN : SEV_CRIT;
	process_words(m, k->first, who, sizeof(who));
	host_words(m, k->first, host, sizeof(host));
	if (k->n > 1 && k->alike)
		(void)str_printf(who, sizeof(who), "%u processes on %.40s", k->n, host);
	else if (k->n > 1)
		(void)str_printf(more, sizeof(more), ", and %u more here", k->n - 1);
	job = f->id == FIND_GPUDIRECT && f->at.kind == REF_JOB ? ref_job(m, f->at) : NULL;
	if (job) {
		(void)str_printf(who, sizeof(who), "%u of %zu hosts of %.40s",
			c->copy_hosts[f->at.job], job->hosts.n, job->name);
		*more = '\0';
	}
	finding_title(f, "%.60s: %.100s%s", who, k->first->text, more);
	describe(m, f, k->first);
}

/* The other rows, and the processes at far ends that suffer from a failed NIC. */
static void add_others(struct claims *c, struct claim *k)
{
	const struct nccl *n = c->r->m->nccl;
	unsigned rows = 1;

	for (size_t i = 0; i < n->troubles.n; i++) {
		const struct trouble *t = n->troubles.at[i];
		char who[96], text[320];

		if (t == k->first || t->kind == TROUBLE_TIMEOUT || t->kind == TROUBLE_GIDS ||
			!nccl_trouble_is_new(n, t, c->r->now_us))
			continue;
		if (k->f->id == FIND_NCCL_NIC && t->kind != TROUBLE_NIC &&
			t->peer_host != JOB_NONE && t->peer_host == k->first->host) {
			struct ref at = t->nic != PORT_NONE   ? at_port(t->nic)
					: t->host != JOB_NONE ? at_device(t->host)
							      : k->f->at;

			finding_victim(k->f, at, 0);
		}
		if (rows >= ROWS_MOST || !ref_eq(place_of_trouble(c, t), k->f->at) ||
			(t->kind == TROUBLE_NIC) != (k->first->kind == TROUBLE_NIC))
			continue;
		process_words(c->r->m, t, who, sizeof(who));
		(void)str_printf(text, sizeof(text), "%s: %s", who, t->text);
		add_row(k->f, t, k->f->at, "also", text);
		rows++;
	}
}

/* ---- the watchdog ---- */

/* The operation on which most ranks of a communicator gave up. */
struct stop {
	uint32_t comm;
	int64_t seq;
	const struct trouble *first; /* one of them: with the function and the time, if any has */
	unsigned told;               /* ranks that gave up on it */
	unsigned others;             /* that gave up on another one */
	const struct trouble **of_rank; /* of each rank of the communicator, NULL */
};

static int compare_seq(const void *a, const void *b)
{
	const struct trouble *const *x = a, *const *y = b;

	return (*x)->seq < (*y)->seq ? -1 : (*x)->seq > (*y)->seq;
}

/* list is sorted by seq: the longest run of equal ones. */
static void take_most(struct stop *s, const struct trouble *const *list, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		const struct trouble *first = list[i];

		for (end = i; end < n && list[end]->seq == list[i]->seq; end++)
			if (list[end]->took_us > first->took_us)
				first = list[end];
		/* Of as many on two operations those on the later one wait. */
		if (end - i < s->told)
			continue;
		s->told = (unsigned)(end - i);
		s->seq = list[i]->seq;
		s->first = first;
	}
	s->others = (unsigned)n - s->told;
}

/* The caller frees of_rank. */
static struct stop stop_of(const struct claims *c, uint32_t comm)
{
	const struct nccl *n = c->r->m->nccl;
	int32_t nranks = n->comms.at[comm]->nranks;
	struct stop s = {.comm = comm};
	const struct trouble **list = mem_calloc(n->troubles.n + 1, sizeof(*list));
	size_t count = 0;

	s.of_rank = mem_calloc((size_t)nranks + 1, sizeof(*s.of_rank));
	for (size_t i = 0; i < n->troubles.n; i++) {
		const struct trouble *t = n->troubles.at[i];

		if (t->kind != TROUBLE_TIMEOUT || t->comm != comm || t->rank < 0 ||
			t->rank >= nranks || !nccl_trouble_is_new(n, t, c->r->now_us))
			continue;
		list[count++] = t;
		s.of_rank[t->rank] = t;
	}
	if (count)
		qsort(list, count, sizeof(*list), compare_seq);
	take_most(&s, list, count);
	free(list);
	return s;
}

static void stop_words(const struct stop *s, char *dst, size_t size)
{
	const char *func = s->first->func[0] ? s->first->func : "operation";

	if (s->seq >= 0 && s->seq < INT64_MAX)
		(void)str_printf(dst, size, "%s %lld", func, (long long)s->seq + 1);
	else
		(void)str_printf(dst, size, "%s", func);
}

/* Where the rank of a group runs. A log on some host does not prove that its ranks run there. */
static struct ref rank_place(const struct claims *c, uint32_t comm, int32_t rank)
{
	const struct rank *r = &c->r->m->nccl->comms.at[comm]->rank[rank];

	return is_sampled(c->r, r->host) && r->host_source != SOURCE_WATCHDOG_LOG
		       ? at_device(r->host)
		       : rank_ref(comm, rank);
}

/* The watchdog tells of it only when its patience is over. */
static int64_t begin_of(const struct stop *s)
{
	return s->first->first_us - s->first->took_us;
}

static void claim_suspect(struct claims *c, const struct stop *s, int32_t rank, const char *why)
{
	struct finding *f = diag_claim(c->r, FIND_NCCL_MISMATCH, rank_place(c, s->comm, rank));
	char op[64];

	add_member(f, rank_ref(s->comm, rank));
	f->recurs = true;
	if (!f->onset_us || begin_of(s) < f->onset_us)
		f->onset_us = begin_of(s);
	finding_weigh(f, SIGNAL_NCCL, LR_SILENT);
	if (f->evidence.n)
		return;
	stop_words(s, op, sizeof(op));
	finding_title(f, "rank %d of %s is the first suspect: %s, and %u wait in %s", (int)rank,
		job_name(c->r->m, s->comm), why, s->told, op);
	add_row(f, s->first, rank_ref(s->comm, rank), "watchdog", why);
}

/*
 * Ranks that did not give up on the operation that the others wait in. Of ranks that are never
 * heard nothing is known, unless most of the others are heard.
 */
static unsigned claim_suspects(struct claims *c, const struct stop *s)
{
	const struct comm *m = c->r->m->nccl->comms.at[s->comm];
	unsigned silent = 0, claimed = 0;

	for (int32_t i = 0; i < m->nranks; i++)
		silent += s->of_rank[i] == NULL;
	for (int32_t i = 0; i < m->nranks && claimed < SUSPECTS_MOST; i++) {
		const struct trouble *t = s->of_rank[i];

		if (t && t->seq >= 0 && s->seq >= 0 && t->seq < s->seq)
			claim_suspect(c, s, i, "it is still in an earlier operation");
		else if (!t && s->told >= 2 && silent * 3 <= s->told)
			claim_suspect(c, s, i, "its watchdog never gave up");
		else
			continue;
		claimed++;
	}
	return claimed;
}

/* RAS asks whether processes answer, not whether they advance. */
static void contradict(struct claims *c, const struct stop *s, struct finding *f)
{
	const struct nccl *n = c->r->m->nccl;
	const struct comm *m = n->comms.at[s->comm];
	const struct job *j = m->job == JOB_NONE ? NULL : n->jobs.at[m->job];
	struct evidence *e;

	for (size_t i = 0; j && i < j->comms.n; i++) {
		const struct comm *o = n->comms.at[j->comms.at[i]];

		if (o->gone || o->source != SOURCE_RAS || o->missing)
			continue;
		e = finding_text(f, (struct ref){.kind = REF_COMM, .comm = j->comms.at[i]}, "RAS",
			"all processes answer, which does not mean that they advance",
			nccl_source_name(SOURCE_RAS));
		if (e)
			e->against = true;
		return;
	}
}

/* " (13, 21)": which they are, of a few. */
static void told_words(const struct stop *s, int32_t nranks, char *dst, size_t size)
{
	size_t n = 0;

	*dst = '\0';
	if (s->told > TOLD_NAMED || (int32_t)s->told >= nranks)
		return;
	for (int32_t i = 0; i < nranks; i++) {
		if (!s->of_rank[i] || s->of_rank[i]->seq != s->seq)
			continue;
		(void)str_printf(dst + n, size - n, "%s%d", n ? ", " : " (", (int)i);
		n = strlen(dst);
	}
	(void)str_copy(dst + n, size - n, n ? ")" : "");
}

static void claim_stop(struct claims *c, uint32_t comm)
{
	const struct nccl *n = c->r->m->nccl;
	const struct comm *m = n->comms.at[comm];
	struct stop s = stop_of(c, comm);
	struct ref at = m->job == JOB_NONE ? (struct ref){.kind = REF_COMM, .comm = comm}
					   : (struct ref){.kind = REF_JOB, .job = m->job};
	char op[64], after[32] = "", who[40], text[120];
	struct finding *f;
	unsigned suspects;

	if (!s.first) {
		free(s.of_rank);
		return;
	}
	f = diag_claim(c->r, FIND_NCCL_TIMEOUT, at);
	f->role = ROLE_SYMPTOM;
	finding_weigh(f, SIGNAL_NCCL, LR_LOG);
	if (!f->onset_us || begin_of(&s) < f->onset_us)
		f->onset_us = begin_of(&s);
	suspects = claim_suspects(c, &s);
	stop_words(&s, op, sizeof(op));
	if (s.first->took_us)
		(void)str_printf(
			after, sizeof(after), " after %.0f s", (double)s.first->took_us / 1e6);
	if (!f->evidence.n && (int32_t)s.told >= m->nranks && m->nranks > 1)
		finding_title(f, "%.40s hangs: all %u ranks gave up on %s%s",
			job_name(c->r->m, comm), s.told, op, after);
	else if (!f->evidence.n)
		finding_title(f, "%.40s hangs: %u of %d ranks gave up on %s%s",
			job_name(c->r->m, comm), s.told, (int)m->nranks, op, after);
	told_words(&s, m->nranks, who, sizeof(who));
	(void)str_printf(text, sizeof(text),
		"group %.24s: %u rank%s%s on %s, %u on others, %u suspect%s",
		m->name[0] ? m->name : m->id, s.told, str_plural(s.told), who, op, s.others,
		suspects, str_plural(suspects));
	add_row(f, s.first, (struct ref){.kind = REF_COMM, .comm = comm}, "watchdog", text);
	if (trouble_purpose(n, m, s.first, text, sizeof(text)))
		add_row(f, s.first, (struct ref){.kind = REF_COMM, .comm = comm}, "likely phase",
			text);
	for (unsigned k = 0; k < m->nfuncs && s.first->rank >= 0; k++) {
		const struct rank_count *count = &m->rank[s.first->rank].count[k];

		if (count->launched < 0)
			continue;
		(void)str_printf(text, sizeof(text), "enqueued %lld, completed %lld",
			(long long)count->launched, (long long)count->completed);
		add_row(f, s.first, rank_ref(comm, s.first->rank), "last operations", text);
		break;
	}
	contradict(c, &s, f);
	free(s.of_rank);
}

static void claim_stops(struct claims *c)
{
	const struct nccl *n = c->r->m->nccl;
	bool *met = mem_calloc(n->comms.n + 1, sizeof(*met));

	for (size_t i = 0; i < n->troubles.n; i++) {
		const struct trouble *t = n->troubles.at[i];

		if (t->kind != TROUBLE_TIMEOUT || t->comm >= n->comms.n || met[t->comm])
			continue;
		met[t->comm] = true;
		claim_stop(c, t->comm);
	}
	free(met);
}

/*
 * A watchdog that hangs itself: its process is in a call that does not return, while the others
 * wait. When those of most ranks hang, they only wait.
 */
static void claim_stuck(struct claims *c, const struct trouble *t, unsigned stuck)
{
	const struct comm *m = t->comm == JOB_NONE ? NULL : c->r->m->nccl->comms.at[t->comm];
	struct finding *f;
	char who[96];

	if (!m || t->rank < 0 || t->rank >= m->nranks || stuck * 2 > (unsigned)m->nranks) {
		take_trouble(c, t);
		return;
	}
	f = diag_claim(c->r, FIND_NCCL_MISMATCH, rank_place(c, t->comm, t->rank));
	add_member(f, rank_ref(t->comm, t->rank));
	f->recurs = true;
	if (!f->onset_us || t->first_us - STUCK_US < f->onset_us)
		f->onset_us = t->first_us - STUCK_US;
	finding_weigh(f, SIGNAL_NCCL, LR_SILENT);
	process_words(c->r->m, t, who, sizeof(who));
	if (!f->evidence.n)
		finding_title(f, "%s is a suspect: %s", who, t->text);
	add_row(f, t, rank_ref(t->comm, t->rank), "watchdog", t->text);
}

static void claim_all_stuck(struct claims *c)
{
	const struct nccl *n = c->r->m->nccl;
	unsigned *stuck = mem_calloc(n->comms.n + 1, sizeof(*stuck));

	for (int pass = 0; pass < 2; pass++)
		for (size_t i = 0; i < n->troubles.n; i++) {
			const struct trouble *t = n->troubles.at[i];

			if (t->kind != TROUBLE_STUCK || !nccl_trouble_is_new(n, t, c->r->now_us))
				continue;
			if (pass)
				claim_stuck(c, t, t->comm == JOB_NONE ? 0 : stuck[t->comm]);
			else if (t->comm != JOB_NONE)
				stuck[t->comm]++;
		}
	free(stuck);
}

/* ---- the run ---- */

struct copying {
	uint32_t job, host;
};

static int compare_copying(const void *a, const void *b)
{
	const struct copying *x = a, *y = b;

	if (x->job != y->job)
		return x->job < y->job ? -1 : 1;
	return x->host < y->host ? -1 : x->host > y->host;
}

/* Of each job the number of its hosts that copy through host memory. The caller frees it. */
static unsigned *count_copies(const struct diag_run *r)
{
	const struct nccl *n = r->m->nccl;
	unsigned *hosts = mem_calloc(n->jobs.n + 1, sizeof(*hosts));
	struct copying *list = mem_calloc(n->troubles.n + 1, sizeof(*list));
	size_t k = 0;

	for (size_t i = 0; i < n->troubles.n; i++) {
		const struct trouble *t = n->troubles.at[i];

		if (t->kind == TROUBLE_COPIES && t->host != JOB_NONE && job_of(r, t) < n->jobs.n &&
			nccl_trouble_is_new(n, t, r->now_us))
			list[k++] = (struct copying){job_of(r, t), t->host};
	}
	if (k)
		qsort(list, k, sizeof(*list), compare_copying);
	for (size_t i = 0; i < k; i++)
		hosts[list[i].job] += !i || compare_copying(&list[i - 1], &list[i]) != 0;
	free(list);
	return hosts;
}

static void run_trouble(struct diag_run *r)
{
	const struct nccl *n = r->m->nccl;
	struct claims c = {.r = r, .copy_hosts = count_copies(r)};
	struct claim *k, *next;
	unsigned detailed = 0;

	for (size_t i = 0; i < n->troubles.n; i++)
		if (n->troubles.at[i]->kind != TROUBLE_TIMEOUT &&
			n->troubles.at[i]->kind != TROUBLE_GIDS &&
			n->troubles.at[i]->kind != TROUBLE_STUCK &&
			nccl_trouble_is_new(n, n->troubles.at[i], r->now_us))
			take_trouble(&c, n->troubles.at[i]);
	claim_all_stuck(&c);
	HASH_ITER (hh, c.at, k, next) {
		finish_claim(&c, k);
		if (detailed++ < DETAILED_MOST) {
			add_cause(&c, k);
			add_others(&c, k);
		}
	}
	claim_stops(&c);
	free(c.copy_hosts);
	k = c.at;
	HASH_CLEAR(hh, c.at);
	for (; k; k = next) {
		next = k->hh.next;
		free(k);
	}
}

const struct detector detect_trouble = {"trouble", run_trouble, NULL, NULL, NULL};
