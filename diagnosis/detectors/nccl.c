/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "diagnosis/engine/detector.h"
#include "diagnosis/straggler/edge_votes.h"
#include "diagnosis/straggler/baseline.h"
#include "diagnosis/straggler/lag.h"
#include "diagnosis/straggler/straggler.h"

/*
 * Findings from NCCL: ranks that are late by themselves (a culprit at their host), slow edges (a
 * symptom that the network explains), missing ranks, stalled jobs.
 */

/* Diagnosis reference 2.8: "NCCL slow edge on entity, others clean: 20". Lateness by the own gap
 * leaves no other culprit. */
#define LR_EDGE    20.0
#define LR_LATE    40.0
#define LR_MISSING 100.0
#define LR_BEHIND  40.0

#define ROWS_RANKS   4        /* ranks that a finding names; others are counted */
#define EDGES_MOST   16       /* worst edges of one job that become findings */
#define MEMBERS_MOST 64       /* most NICs that a finding names; beyond it, hosts */
#define STUCK_CRIT   60000000 /* a checkpoint may take that long */
#define BUSBW_CRIT   0.25     /* diagnosis reference 3 */
#define LATE_LONG_US 10000000 /* late since then: two polls of 5 s */

struct job_run {
	struct diag_run *r;
	uint32_t job;
	const struct job *j;
	straggler_vec found;
	unsigned kinds; /* bit k: there is a straggler of enum straggler_kind k */
};

/* ---- places ---- */

static struct ref rank_ref(uint32_t comm, int32_t rank)
{
	return (struct ref){.kind = REF_RANK, .comm = comm, .rank = rank};
}

static const struct rank *rank_at(const struct diag_run *r, const struct straggler *s)
{
	return &r->m->nccl->comms.at[s->comm]->rank[s->rank];
}

/* The host, if its samples can clock the finding; else the rank itself. */
static struct ref rank_place(const struct diag_run *r, uint32_t comm, int32_t rank)
{
	uint32_t host = r->m->nccl->comms.at[comm]->rank[rank].host;

	if (host != JOB_NONE && window_device_samples(r->w, host))
		return at_device(host);
	return rank_ref(comm, rank);
}

static void add_member(struct finding *f, struct ref at)
{
	for (size_t i = 0; i < f->members.n; i++) {
		if (ref_eq(f->members.at[i], at))
			return;
	}
	if (f->members.n < MEMBERS_MOST)
		vec_push(&f->members, at);
}

static void member_rank(struct finding *f, const struct rank *k)
{
	if (k->nic != JOB_NONE)
		add_member(f, at_port(k->nic));
	else if (k->host != JOB_NONE)
		add_member(f, at_device(k->host));
}

/* Members of the job: all NICs of a small one, hosts of a large one. */
static void member_job(struct finding *f, const struct model *m, const struct job *j)
{
	const struct comm *c = job_world(m->nccl, j, NULL);

	for (int32_t i = 0; c && c->nranks <= MEMBERS_MOST && i < c->nranks; i++)
		member_rank(f, &c->rank[i]);
	for (size_t i = 0; i < j->hosts.n && f->members.n < MEMBERS_MOST; i++)
		add_member(f, at_device(j->hosts.at[i]));
}

static const char *source_of(const struct straggler *s)
{
	return nccl_source_name((enum nccl_source)s->source);
}

static void note_onset(struct finding *f, int64_t us)
{
	if (us > 0 && (!f->onset_us || us < f->onset_us))
		f->onset_us = us;
}

/* Which phase of the job the operation serves: gradients, or activations between stages. */
static void tell_phase(struct job_run *j, const struct straggler *s, struct finding *f)
{
	const struct nccl *n = j->r->m->nccl;
	const struct comm *c = n->comms.at[s->comm];
	const char *func = s->func < c->nfuncs ? c->func[s->func] : "";
	struct nccl_phase phase;
	uint64_t bytes = 0;
	char text[80];

	for (unsigned i = 0; i < NCCL_OPS && !bytes; i++) {
		const struct op *op = comm_op(c, i);

		if (op && op->func == s->func)
			bytes = op->bytes;
	}
	if (!nccl_phase(n, c, func, bytes, &phase))
		return;
	(void)str_printf(text, sizeof(text), "%s, %s: %s", phase.words, phase.why, func);
	(void)finding_text(f, rank_ref(s->comm, s->rank), "likely phase", text, source_of(s));
}

/* ---- ranks that are late, behind, missing ---- */

static bool of_kind(const struct job_run *j, enum straggler_kind kind)
{
	return j->kinds >> kind & 1;
}

static void claim_late(struct job_run *j, const struct straggler *s)
{
	struct ref at = rank_place(j->r, s->comm, s->rank);
	const struct rank *k = rank_at(j->r, s);
	struct finding *f = diag_claim(j->r, FIND_NCCL_STRAGGLER, at);
	bool own = s->ratio > 1 && k->op_end_us > 0;
	struct ref rank = rank_ref(s->comm, s->rank);
	char text[80];

	member_rank(f, k);
	note_onset(f, s->since_us);
	if (f->evidence.n >= (size_t)ROWS_RANKS * 2)
		return;
	if (!f->evidence.n) {
		bool long_gap = s->us >= 1e6;

		finding_title(f,
			"rank %d of %s enters late by its own gap of %.1f %s, %u operation%s",
			(int)s->rank, j->j->name, s->us / (long_gap ? 1e6 : 1e3),
			long_gap ? "s" : "ms", s->ops, str_plural(s->ops));
		finding_refute(f, FIND_NCCL_SLOW_EDGE, at, "%s",
			of_kind(j, STRAGGLER_EDGE)
				? "its own gap excludes the time that it waited for others"
				: "no send step of the job is slower than the others");
		finding_refute(f, FIND_SLOW_RECEIVER, at,
			"it is late before it receives, not while it receives");
		tell_phase(j, s, f);
	}
	/* Operations over a longer time than two polls prove as much as two polls do. */
	f->recurs |= j->r->now_us - s->since_us >= LATE_LONG_US;
	finding_weigh(f, SIGNAL_NCCL, LR_LATE);
	(void)finding_number(f, rank, "own gap before it enters", s->us, "us",
		"> 25% of the operation", source_of(s));
	(void)str_printf(text, sizeof(text), "%.1f times the others, z %.0f, %u operations",
		s->ratio, s->z, s->ops);
	(void)finding_text(
		f, rank, own ? "against the others" : "shortest time", text, source_of(s));
}

/* By counts alone: how late it is remains unknown. */
static void claim_lags(struct job_run *j, const struct straggler *s)
{
	struct ref at = rank_place(j->r, s->comm, s->rank), rank = rank_ref(s->comm, s->rank);
	struct finding *f = diag_claim(j->r, FIND_NCCL_STRAGGLER, at);
	char limit[40];

	member_rank(f, rank_at(j->r, s));
	note_onset(f, s->since_us);
	if (f->evidence.n >= (size_t)ROWS_RANKS * 2)
		return;
	if (!f->evidence.n) {
		finding_title(f,
			"rank %d of %s enters late: the others had launched more in %u of %.0f "
			"answers",
			(int)s->rank, j->j->name, s->ops, s->z);
		finding_refute(f, FIND_SLOW_RECEIVER, at,
			"it launches late, before anything is sent or received");
		tell_phase(j, s, f);
	}
	finding_weigh(f, SIGNAL_NCCL, LR_LATE);
	(void)str_printf(limit, sizeof(limit), "of %.0f, others: by chance", s->z);
	(void)finding_number(
		f, rank, "answers in which it was behind", s->ops, "", limit, source_of(s));
}

static void claim_missing(struct job_run *j, const struct straggler *s)
{
	const struct rank *k = rank_at(j->r, s);
	bool dead = k->state == NCCL_DEAD;
	struct ref at = rank_place(j->r, s->comm, s->rank);
	struct finding *f = diag_claim(j->r, dead ? FIND_NCCL_DEAD : FIND_NCCL_INCOMPLETE, at);
	const struct comm *c = j->r->m->nccl->comms.at[s->comm];
	char text[80];

	member_rank(f, k);
	note_onset(f, s->since_us);
	if (f->evidence.n >= ROWS_RANKS)
		return;
	if (!f->evidence.n)
		finding_title(f,
			dead ? "rank %d of %s is dead (GPU %d, process %d)"
			     : "rank %d of %s does not answer (GPU %d, process %d)",
			(int)s->rank, j->j->name, (int)k->gpu, (int)k->pid);
	finding_weigh(f, SIGNAL_NCCL, LR_MISSING);
	(void)str_printf(text, sizeof(text), "%s, %u of %d ranks are missing",
		nccl_state_name((enum nccl_state)k->state), c->missing, (int)c->nranks);
	(void)finding_text(f, rank_ref(s->comm, s->rank), "state", text, source_of(s));
}

static void claim_behind(struct job_run *j, const struct straggler *s)
{
	const struct comm *c = j->r->m->nccl->comms.at[s->comm];
	struct finding *f =
		diag_claim(j->r, FIND_NCCL_MISMATCH, rank_place(j->r, s->comm, s->rank));
	struct evidence *e;
	const char *func = c->func[s->func];
	char limit[40];

	member_rank(f, rank_at(j->r, s));
	note_onset(f, s->since_us);
	if (f->evidence.n >= ROWS_RANKS)
		return;
	if (!f->evidence.n)
		finding_title(f, "rank %d of %s is %u %s behind the others, and they wait for it",
			(int)s->rank, j->j->name, s->ops, func);
	finding_weigh(f, SIGNAL_NCCL, LR_BEHIND);
	(void)str_printf(limit, sizeof(limit), ">= %lld", (long long)s->usual - 1);
	e = finding_number(f, rank_ref(s->comm, s->rank), "operations launched",
		(double)s->launched, "", limit, source_of(s));
	if (e)
		(void)str_printf(e->text, sizeof(e->text), "%s: %lld, the others %lld", func,
			(long long)s->launched, (long long)s->usual);
}

/* Few ranks are ahead: none is late, but the ranks do not run the same operations. */
static void claim_ahead(struct job_run *j, uint32_t comm)
{
	const struct comm *c = j->r->m->nccl->comms.at[comm];

	for (unsigned i = 0; i < c->nfuncs; i++) {
		struct straggler_counts k = straggler_counts(c, i);
		struct finding *f;
		char text[80];

		if (!k.ahead || k.behind || k.ahead * 2 > k.told ||
			j->r->now_us - c->grew_us < comm_patience(c))
			continue;
		f = diag_claim(
			j->r, FIND_NCCL_MISMATCH, (struct ref){.kind = REF_JOB, .job = j->job});
		note_onset(f, c->grew_us);
		finding_weigh(f, SIGNAL_NCCL, LR_BEHIND);
		finding_title(f, "%u rank%s of %s launched %s and the others did not", k.ahead,
			str_plural(k.ahead), j->j->name, c->func[i]);
		(void)str_printf(text, sizeof(text), "%s: %u of %u ranks at up to %lld, usual %lld",
			c->func[i], k.ahead, k.told, (long long)k.most, (long long)k.usual);
		(void)finding_text(f, (struct ref){.kind = REF_COMM, .comm = comm},
			"operations launched", text, nccl_source_name((enum nccl_source)c->source));
		return;
	}
}

/* ---- edges ---- */

static void name_ref(const struct model *m, struct ref at, char *dst, size_t size)
{
	if (!ref_format(m, at, dst, size))
		(void)str_copy(dst, size, "-");
}

static void add_common(struct job_run *j, struct finding *f, const struct straggler *s,
	const int32_t *ranks, size_t n)
{
	double share;
	struct ref common = straggler_common(j->r->m, s->comm, ranks, n, &share);
	struct evidence *e;
	char name[64];

	if (common.kind == REF_NONE || n < 2)
		return;
	name_ref(j->r->m, common, name, sizeof(name));
	e = finding_number(
		f, common, "slow edges from it", share * 100, "%", "> 75%", source_of(s));
	if (e)
		(void)str_printf(
			e->text, sizeof(e->text), "%zu slow edges have %s in common", n, name);
	add_member(f, common);
}

static void claim_edge(struct job_run *j, const struct straggler *s, const struct edge_votes *votes,
	const int32_t *ranks, size_t n)
{
	const struct model *m = j->r->m;
	const struct comm *c = m->nccl->comms.at[s->comm];
	struct ref at = rank_ref(s->comm, s->rank);
	struct finding *f = diag_claim(j->r, FIND_NCCL_SLOW_EDGE, at);
	char text[80], name[48];

	f->role = ROLE_SYMPTOM;
	note_onset(f, s->since_us);
	finding_weigh(f, SIGNAL_NCCL, LR_EDGE);
	member_rank(f, &c->rank[s->rank]);
	if (s->peer >= 0 && s->peer < c->nranks) {
		member_rank(f, &c->rank[s->peer]);
		f->peer = rank_ref(s->comm, s->peer);
	}
	if (s->peer < 0)
		finding_title(f,
			"rank %d of %s: its sending to all takes %.1f times that of the others",
			(int)s->rank, j->j->name, s->ratio);
	else
		finding_title(f,
			"rank %d to %d of %s: a step takes %.1f times those of the other edges",
			(int)s->rank, (int)s->peer, j->j->name, s->ratio);
	(void)finding_number(
		f, at, "send step", s->us, "us", "> 1.5 times the others", source_of(s));
	(void)str_printf(
		text, sizeof(text), "ratio %.1f, z %.0f, %u operations", s->ratio, s->z, s->ops);
	(void)finding_text(f, at,
		s->peer < 0 ? "against the other ranks" : "against the other edges", text,
		source_of(s));
	tell_phase(j, s, f);
	add_common(j, f, s, ranks, n);
	if (votes->links.n && votes->links.at[0].score > 0) {
		const struct edge_vote *v = &votes->links.at[0];

		name_ref(m, at_port(v->port), name, sizeof(name));
		(void)str_printf(text, sizeof(text), "%s: %.1f slow, %.1f normal edges", name,
			(double)v->slow, (double)v->normal);
		(void)finding_text(f, at_port(v->port), "link in common", text, source_of(s));
		add_member(f, at_port(v->port));
	}
	if (!of_kind(j, STRAGGLER_LATE))
		finding_refute(f, FIND_NCCL_STRAGGLER, at, "no rank enters late by its own gap");
}

static void claim_edges(struct job_run *j)
{
	struct edge_votes votes;
	int32_t *ranks = mem_calloc(j->found.n + 1, sizeof(*ranks));
	unsigned claimed = 0;

	edge_votes_take(&votes, j->r->m, j->job, &j->found);
	for (size_t i = 0; i < j->found.n && claimed < EDGES_MOST; i++) {
		const struct straggler *s = &j->found.at[i];
		size_t n = 0;

		if (s->kind != STRAGGLER_EDGE)
			continue;
		for (size_t k = 0; k < j->found.n; k++) {
			const struct straggler *o = &j->found.at[k];

			if (o->kind == STRAGGLER_EDGE && o->comm == s->comm)
				ranks[n++] = o->rank;
		}
		claim_edge(j, s, &votes, ranks, n);
		claimed++;
	}
	edge_votes_free(&votes);
	free(ranks);
}

/* ---- the whole job ---- */

static void claim_stuck(struct job_run *j, const struct straggler *s)
{
	struct finding *f =
		diag_claim(j->r, FIND_NCCL_HANG, (struct ref){.kind = REF_JOB, .job = j->job});
	const struct comm *c = j->r->m->nccl->comms.at[s->comm];
	char limit[40];

	f->role = ROLE_SYMPTOM;
	if (s->us < STUCK_CRIT)
		f->severity = SEV_WARN;
	note_onset(f, s->since_us);
	if (f->evidence.n)
		return;
	member_job(f, j->r->m, j->j);
	finding_weigh(f, SIGNAL_NCCL, LR_EDGE);
	finding_title(f, "%s has not advanced for %.0f s: all ranks wait in the same operation",
		j->j->name, s->us / 1e6);
	(void)str_printf(limit, sizeof(limit), "> %.0f s", (double)comm_patience(c) / 1e6);
	(void)finding_number(f, (struct ref){.kind = REF_COMM, .comm = s->comm},
		"no operation launched", s->us / 1e6, "s", limit, source_of(s));
	finding_refute(f, FIND_NCCL_MISMATCH, f->at, "all ranks have launched the same operations");
	if (!of_kind(j, STRAGGLER_MISSING))
		finding_refute(f, FIND_NCCL_INCOMPLETE, f->at, "all processes answer");
}

static void claim_slow(struct job_run *j, uint32_t comm, struct nccl_bases *bases)
{
	struct ref at = {.kind = REF_JOB, .job = j->job}, of = {.kind = REF_COMM, .comm = comm};
	const struct comm *c = j->r->m->nccl->comms.at[comm];
	struct nccl_slow s;
	struct finding *f;
	double lost;
	struct evidence *e;

	if (!nccl_bases_take(bases, j->r->m, comm, &s))
		return;
	f = diag_claim(j->r, FIND_NCCL_SLOW, at);
	f->role = ROLE_SYMPTOM;
	lost = 1 - s.before_us / s.us;
	if (lost > BUSBW_CRIT)
		f->severity = SEV_CRIT;
	finding_weigh(f, SIGNAL_NCCL, LR_EDGE);
	if (f->evidence.n)
		return;
	member_job(f, j->r->m, j->j);
	note_onset(f, c->grew_us);
	finding_title(f, "%s: %s has %.0f%% less bandwidth than before", j->j->name,
		c->func[s.func], lost * 100);
	e = finding_number(f, of, "time of an operation", s.us, "us", "busbw -10%",
		nccl_source_name((enum nccl_source)c->source));
	if (e)
		(void)str_printf(e->text, sizeof(e->text),
			"%s of %llu bytes: %.0f us, before %.0f us (%u operation%s)",
			c->func[s.func], (unsigned long long)s.bytes, s.us, s.before_us, s.ops,
			str_plural(s.ops));
}

/* ---- the run ---- */

static void judge_job(struct job_run *j)
{
	for (size_t i = 0; i < j->found.n; i++)
		j->kinds |= 1u << j->found.at[i].kind;
	for (size_t i = 0; i < j->found.n; i++) {
		const struct straggler *s = &j->found.at[i];

		switch (s->kind) {
		case STRAGGLER_LATE:
			claim_late(j, s);
			break;
		case STRAGGLER_MISSING:
			claim_missing(j, s);
			break;
		case STRAGGLER_BEHIND:
			claim_behind(j, s);
			break;
		case STRAGGLER_STUCK:
			claim_stuck(j, s);
			break;
		case STRAGGLER_LAGS:
			claim_lags(j, s);
			break;
		case STRAGGLER_EDGE:
		case STRAGGLER_SLOW_ALL:
			break;
		}
	}
	if (of_kind(j, STRAGGLER_EDGE))
		claim_edges(j);
}

struct nccl_memory {
	struct nccl_bases *bases;
	struct nccl_lags *lags;
};

static struct nccl_memory *new_memory(void)
{
	struct nccl_memory *mem = mem_calloc(1, sizeof(*mem));

	mem->bases = nccl_bases_new();
	mem->lags = nccl_lags_new();
	return mem;
}

static void run_nccl(struct diag_run *r)
{
	const struct nccl *n = r->m->nccl;
	struct nccl_memory *mem;

	if (!n->jobs.n)
		return;
	if (!*r->memory)
		*r->memory = new_memory();
	mem = *r->memory;
	for (size_t i = 0; i < n->jobs.n; i++) {
		struct job_run j = {.r = r, .job = (uint32_t)i, .j = n->jobs.at[i]};

		if (j.j->gone || job_is_free(j.j))
			continue;
		for (size_t k = 0; k < j.j->comms.n; k++) {
			uint32_t comm = j.j->comms.at[k];

			if (n->comms.at[comm]->gone ||
				comm_is_silent(n, n->comms.at[comm], r->now_us))
				continue;
			straggler_find(r->m, comm, r->now_us, &j.found);
			nccl_lags_take(mem->lags, r->m, comm, &j.found);
			claim_ahead(&j, comm);
			claim_slow(&j, comm, mem->bases);
		}
		judge_job(&j);
		vec_free(&j.found);
	}
}

static void free_memory(void *memory)
{
	struct nccl_memory *mem = memory;

	if (!mem)
		return;
	nccl_bases_free(mem->bases);
	nccl_lags_free(mem->lags);
	free(mem);
}

static void state_memory_of(struct state *s, void **memory, const struct model *m)
{
	bool there = *memory != NULL;
	struct nccl_memory *mem;

	(void)m;
	state_bool(s, &there);
	if (s->loading && there)
		*memory = new_memory();
	mem = *memory;
	if (!mem)
		return;
	nccl_bases_state(s, mem->bases);
	nccl_lags_state(s, mem->lags);
}

const struct detector detect_nccl = {"nccl", run_nccl, free_memory, state_memory_of, NULL};
