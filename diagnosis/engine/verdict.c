/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/engine/verdict.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/engine/engine.h"
#include "diagnosis/engine/root_cause.h"

/*
 * Prior probabilities of causes of stalled and of slow jobs (diagnosis reference, section 1b).
 * Stalled: the 419 unexpected interruptions of Llama 3: GPU and its memory 47 %, switch, cable and
 * NIC 10 %, software 13 %. Slow: Greyhound saw slow communication in 40 % of jobs, slow
 * computation in under 2 %. The GPU share here is larger, because a late rank may wait for its
 * input.
 */
static const double priors[2][VERDICT_COUNT] = {
	{[VERDICT_NETWORK] = 0.60,
		[VERDICT_GPU] = 0.20,
		[VERDICT_STORAGE] = 0.08,
		[VERDICT_APPLICATION] = 0.12},
	{[VERDICT_NETWORK] = 0.10,
		[VERDICT_GPU] = 0.47,
		[VERDICT_STORAGE] = 0.05,
		[VERDICT_APPLICATION] = 0.13},
};
/* Odds of an unknown cause: they keep a single weak finding from being certain. */
#define NOBODY_KNOWS 0.05
/* A warning explains less than a critical finding. */
#define WARN_SHARE 0.2
/* A cause traced from NCCL's trouble outweighs one that is merely present. */
#define TRACED_GAIN 10

const char *verdict_name(enum verdict v)
{
	static const char *const names[VERDICT_COUNT] = {
		"unknown", "network", "gpu", "storage", "application"};

	return (unsigned)v < VERDICT_COUNT ? names[v] : names[0];
}

/* ---- the domain of a finding ---- */

enum verdict verdict_of(const struct model *m, const struct finding *f)
{
	struct place at = place_of(m, f);

	/* It is about the traffic, not about the network that it is in. */
	if (f->id == FIND_WRONG_FABRIC)
		return VERDICT_NETWORK;
	switch (place_net(m, &at)) {
	case NET_STORAGE:
		return VERDICT_STORAGE;
	/* Trouble of the management or the frontend stops no collective. */
	case NET_FRONTEND:
	case NET_OOB:
		return VERDICT_UNKNOWN;
	default:
		break;
	}
	switch (f->id) {
	case FIND_STORAGE:
		return VERDICT_STORAGE;
	case FIND_HOST_GPU_ERROR:
	case FIND_NVLINK_DOWN:
	case FIND_NVLINK_ERRORS:
	case FIND_NVLINK_FABRIC:
	case FIND_NVLINK_IMEX:
	case FIND_NCCL_STRAGGLER:
	case FIND_NCCL_DEAD:
	case FIND_NCCL_INCOMPLETE:
		return VERDICT_GPU;
	case FIND_NCCL_MISMATCH:
		/* At one host its processes are stuck there; over a job it runs different code. */
		return at.host != NO_DEVICE ? VERDICT_GPU : VERDICT_APPLICATION;
	case FIND_NCCL_SLOW_EDGE:
	case FIND_NCCL_NIC:
		return VERDICT_NETWORK;
	case FIND_BLIND:
	case FIND_JOB_SOURCE:
	case FIND_CLOCK_SKEW:
	case FIND_FIRMWARE_MIX:
	case FIND_WORKLOAD:
	case FIND_RAIL_OUTLIER:
		return VERDICT_UNKNOWN;
	default:
		return finding_info[f->id].family == FAMILY_NCCL ? VERDICT_UNKNOWN
								 : VERDICT_NETWORK;
	}
}

/* ---- relation to a job ---- */

/* A host of the job, or a switch that one of them is connected to. */
static bool is_near(const struct model *m, const struct job *j, uint32_t device)
{
	const struct device *d;

	if (device >= m->devices.n)
		return false;
	d = m->devices.at[device];
	if (d->tier == TIER_HOST)
		return job_has_host(j, device);
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *q = port_peer(m, m->ports.at[d->ports.at[i]], NULL);

		if (q && model_dev_of(m, q)->tier == TIER_HOST && job_has_host(j, q->device))
			return true;
	}
	return false;
}

/* For a link to a host the host decides: the leaf serves other jobs as well. */
static bool is_near_link(const struct model *m, const struct job *j, uint32_t a, uint32_t b)
{
	uint32_t host = a < m->devices.n && m->devices.at[a]->tier == TIER_HOST   ? a
			: b < m->devices.n && m->devices.at[b]->tier == TIER_HOST ? b
										  : NO_DEVICE;

	return host != NO_DEVICE ? job_has_host(j, host) : is_near(m, j, a) || is_near(m, j, b);
}

static bool place_is_near(const struct model *m, const struct job *j, struct ref at)
{
	struct finding f = {.at = at};
	struct place p = place_of(m, &f);

	return is_near_link(m, j, p.device, p.peer_device);
}

bool verdict_touches(const struct model *m, uint32_t job, const struct finding *f)
{
	const struct job *j = model_job_at(m, job);
	struct place at = place_of(m, f);
	bool near;

	if (!j)
		return true;
	if (f->at.kind == REF_TIER || f->at.kind == REF_FABRIC)
		return true;
	if (at.job != JOB_NONE)
		return at.job == job;
	near = is_near_link(m, j, at.device, at.peer_device);
	for (size_t i = 0; i < f->members.n && !near; i++)
		near = place_is_near(m, j, f->members.at[i]);
	for (size_t i = 0; i < f->victims.n && !near; i++)
		near = place_is_near(m, j, f->victims.at[i].at);
	return near;
}

/* ---- weighing ---- */

struct scale {
	const struct finding *best[VERDICT_COUNT];
	double odds[VERDICT_COUNT];
	const struct finding *symptom; /* the first unexplained one */
	bool stops, suffers;
};

bool verdict_stops(enum finding_id id)
{
	return id == FIND_NCCL_HANG || id == FIND_NCCL_DEAD || id == FIND_NCCL_INCOMPLETE ||
	       id == FIND_NCCL_MISMATCH || id == FIND_NCCL_ERROR || id == FIND_NCCL_TIMEOUT;
}

static double odds_of(const struct finding *f)
{
	double c = fmin((double)f->confidence, 0.999);

	return c / (1 - c) * (f->severity >= SEV_CRIT ? 1 : WARN_SHARE);
}

/* A victim of something that is not seen: nothing else stands for the cause. */
bool verdict_of_unseen(const struct finding *f)
{
	return f->role == ROLE_VICTIM && (f->id == FIND_NIC_HELD || f->id == FIND_RDMA_LOSS);
}

static void weigh_finding(struct scale *s, const struct model *m, const struct finding *f)
{
	bool nccl = finding_info[f->id].family == FAMILY_NCCL;
	enum verdict v;

	s->stops |= verdict_stops(f->id);
	s->suffers |= nccl || f->role == ROLE_VICTIM || f->role == ROLE_SYMPTOM ||
		      (f->role == ROLE_CULPRIT && f->severity >= SEV_CRIT);
	if (f->root || f->role == ROLE_RISK || f->role == ROLE_INFO ||
		(f->role == ROLE_VICTIM && !verdict_of_unseen(f))) {
		if (nccl && !f->root && !s->symptom)
			s->symptom = f;
		return;
	}
	v = verdict_of(m, f);
	if (v == VERDICT_UNKNOWN && nccl && !s->symptom)
		s->symptom = f;
	if (v == VERDICT_UNKNOWN)
		return;
	if (!s->best[v] || odds_of(f) > s->odds[v]) {
		s->best[v] = f;
		s->odds[v] = odds_of(f);
	}
}

/* Job trouble that follows from a finding is evidence for it. */
static void weigh_root(
	struct scale *s, const struct diag *d, const struct model *m, const struct finding *f)
{
	const struct finding *root = f->root ? diag_finding(d, f->root) : NULL;
	enum verdict v;

	if (!root || finding_info[f->id].family != FAMILY_NCCL)
		return;
	v = verdict_of(m, root);
	if (v == VERDICT_UNKNOWN || odds_of(root) * TRACED_GAIN <= s->odds[v])
		return;
	s->best[v] = root;
	s->odds[v] = odds_of(root) * TRACED_GAIN;
}

static enum verdict decide_verdict(const struct scale *s, double *confidence)
{
	enum verdict best = VERDICT_UNKNOWN;
	double sum = NOBODY_KNOWS, most = 0;

	for (int v = 1; v < VERDICT_COUNT; v++) {
		double x = s->odds[v] * priors[s->stops][v];

		sum += x;
		if (x <= most)
			continue;
		most = x;
		best = (enum verdict)v;
	}
	*confidence = most / sum;
	return best;
}

/* ---- texts ---- */

static void add_row(struct verdict_report *out, const struct finding *f, bool against)
{
	struct evidence *e = vec_add(&out->evidence);

	*e = (struct evidence){.at = f->at,
		.value = (double)f->confidence,
		.t_us = f->last_seen_us,
		.against = against};
	(void)str_copy(e->what, sizeof(e->what), finding_info[f->id].name);
	(void)str_copy(e->text, sizeof(e->text), f->title);
	(void)str_copy(e->source, sizeof(e->source), "finding");
}

static void add_words(struct verdict_report *out, const char *what, bool against, const char *text)
{
	struct evidence *e = vec_add(&out->evidence);

	*e = (struct evidence){.value = (double)NAN, .against = against};
	(void)str_copy(e->what, sizeof(e->what), what);
	(void)str_copy(e->text, sizeof(e->text), text);
	(void)str_copy(e->source, sizeof(e->source), "diagnosis");
}

static void add_fabric(struct verdict_report *out, bool network)
{
	unsigned ok = 0, unseen = 0;
	char text[80];

	for (size_t i = 0; i < out->proof.n; i++) {
		ok += out->proof.at[i].ok && out->proof.at[i].checked;
		unseen += !out->proof.at[i].checked;
	}
	if (out->fabric_clean)
		(void)str_printf(
			text, sizeof(text), "clean: %u of %zu checks passed", ok, out->proof.n);
	else if (ok + unseen == out->proof.n)
		(void)str_printf(text, sizeof(text),
			"no fault seen: %u of %zu checks passed, %u could not be made", ok,
			out->proof.n, unseen);
	else
		(void)str_printf(text, sizeof(text), "%zu of %zu checks failed",
			out->proof.n - ok - unseen, out->proof.n);
	add_words(out, "fabric", network == (ok + unseen == out->proof.n), text);
}

static void add_evidence(struct verdict_report *out, const struct scale *s)
{
	for (int v = 1; v < VERDICT_COUNT; v++)
		if (s->best[v])
			add_row(out, s->best[v], (enum verdict)v != out->verdict);
	if (s->symptom)
		add_row(out, s->symptom, false);
	if (out->trouble)
		add_fabric(out, out->verdict == VERDICT_NETWORK);
}

/* Whether there is a critical network finding of any role: then the network is not clean. */
static bool network_hurts(const struct diag *d, const struct model *m)
{
	for (size_t i = 0; i < d->order.n; i++) {
		enum verdict v = verdict_of(m, d->order.at[i]);

		if (d->order.at[i]->severity >= SEV_CRIT &&
			(v == VERDICT_NETWORK || v == VERDICT_STORAGE))
			return true;
	}
	return false;
}

void verdict_make(struct verdict_report *out, const struct diag *d, const struct model *m,
	uint32_t job, int64_t now_us)
{
	struct scale s = {0};
	int64_t since_us = out->since_us;
	bool proven;

	verdict_free(out);
	out->since_us = since_us;
	for (size_t i = 0; i < d->order.n; i++)
		if (job == JOB_NONE || verdict_touches(m, job, d->order.at[i]))
			weigh_finding(&s, m, d->order.at[i]);
	for (size_t i = 0; i < d->order.n; i++)
		if (job == JOB_NONE || verdict_touches(m, job, d->order.at[i]))
			weigh_root(&s, d, m, d->order.at[i]);
	proven = verdict_prove(out, d, m, now_us);
	out->fabric_clean = proven && !s.best[VERDICT_NETWORK] && !network_hurts(d, m);
	if (s.suffers)
		out->verdict = decide_verdict(&s, &out->confidence);
	if (out->verdict != VERDICT_UNKNOWN) {
		out->culprit = s.best[out->verdict]->key;
		out->ended_us = finding_ended_us(s.best[out->verdict]);
	}
	verdict_settle(out, d, m, job, s.suffers, now_us);
	add_evidence(out, &s);
}

void verdict_free(struct verdict_report *v)
{
	vec_free(&v->evidence);
	vec_free(&v->proof);
	memset(v, 0, sizeof(*v));
}
