/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the trouble at the start of the trace: a finding at a hop, the root of a symptom, or a
 * finding along the pauses. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "diagnosis/trace/trace_internal.h"

#define PATH_MAX_HOPS    12
#define ALTERNATIVES_MAX 8
#define CONFIDENCE_LEAST 0.005F

/* How a finding became a candidate; better ones have higher values. */
enum how { BY_NOTHING, BY_JOB, BY_TIER, BY_PAUSES, BY_ROOT, BY_HOP };

/* ---- relation of a finding to the chain ---- */

static bool ref_on_chain(const struct tracer *r, struct ref at)
{
	for (size_t i = 0; i < r->t->chain.n; i++) {
		struct ref hop = r->t->chain.at[i].at;

		if (hop.kind == REF_NONE || hop.kind == REF_TIER)
			continue;
		if (ref_eq(hop, at))
			return true;
		if (hop.kind == REF_PORT && at.kind == REF_PRIORITY && hop.port == at.port)
			return true;
	}
	return false;
}

static bool at_hop(const struct tracer *r, const struct finding *f)
{
	if (ref_on_chain(r, f->at) || ref_on_chain(r, f->peer))
		return true;
	/* A finding about the host, or about a whole switch on the path. */
	if (f->at.kind == REF_DEVICE && f->at.device == r->host)
		return true;
	for (size_t i = 0; i < r->t->chain.n; i++)
		if (r->t->chain.at[i].at.kind == REF_PORT &&
			trace_finding_at_port(r->m, f, r->t->chain.at[i].at.port))
			return true;
	return false;
}

/* At a hop that the rank cannot avoid: its host, its NIC, the leaf port. ECMP avoids the others. */
static bool at_own_hop(const struct tracer *r, const struct finding *f)
{
	if (f->at.kind == REF_DEVICE)
		return f->at.device == r->host;
	for (size_t i = 0; i < r->t->chain.n; i++) {
		const struct hop *h = &r->t->chain.at[i];

		if (h->step >= HOP_UPLINK)
			continue;
		if (ref_eq(h->at, f->at) ||
			(h->at.kind == REF_PORT && trace_finding_at_port(r->m, f, h->at.port)))
			return true;
	}
	return false;
}

static bool names_hop_as_victim(const struct tracer *r, const struct finding *f)
{
	for (size_t i = 0; i < f->victims.n; i++)
		if (ref_on_chain(r, f->victims.at[i].at))
			return true;
	return false;
}

/* The terminal of the pauses at the chain's ports; PORT_NONE: no port is paused. */
static uint32_t pause_terminal(const struct tracer *r)
{
	const struct pause_graph *g = r->d->pauses;

	for (size_t i = 0; i < r->t->chain.n; i++) {
		const struct pause_node *n = r->t->chain.at[i].at.kind == REF_PORT
						     ? pause_node_of(g, r->t->chain.at[i].at.port)
						     : NULL;

		if (n && n->held > PAUSE_HELD_LEAST && n->root < g->nodes.n)
			return g->nodes.at[n->root].port;
	}
	return PORT_NONE;
}

static bool at_link_of(const struct tracer *r, const struct finding *f, uint32_t port)
{
	const struct port *q = port_peer(r->m, r->m->ports.at[port], NULL);

	return trace_finding_at_port(r->m, f, port) || (q && trace_finding_at_port(r->m, f, q->id));
}

/* Whether f explains a symptom at a hop, or of the job or rank itself. */
static bool explains_hop(const struct tracer *r, const struct finding *f)
{
	for (size_t i = 0; i < r->d->order.n; i++) {
		const struct finding *s = r->d->order.at[i];

		if (s->root == f->key && (at_hop(r, s) || names_hop_as_victim(r, s)))
			return true;
	}
	return false;
}

static enum how base_relation(const struct tracer *r, const struct finding *f, uint32_t terminal)
{
	if (f->role != ROLE_CULPRIT || f->root)
		return BY_NOTHING;
	if (at_hop(r, f))
		return BY_HOP;
	if (terminal != PORT_NONE && at_link_of(r, f, terminal))
		return BY_PAUSES;
	if (names_hop_as_victim(r, f))
		return BY_PAUSES;
	if (explains_hop(r, f))
		return BY_ROOT;
	if (f->at.kind == REF_TIER || f->at.kind == REF_FABRIC)
		return BY_TIER;
	if (r->t->job != JOB_NONE && verdict_touches(r->m, r->t->job, f))
		return BY_JOB;
	return BY_NOTHING;
}

static bool is_host_of_job(const struct tracer *r, struct ref at)
{
	const struct nccl *n = r->m->nccl;
	struct finding f = {.at = at};
	uint32_t host = place_of(r->m, &f).host;

	return host != NO_DEVICE && r->t->job < n->jobs.n &&
	       job_has_host(n->jobs.at[r->t->job], host);
}

/* A finding at a host of the job, or with one as a member: all ranks wait for that host. */
static bool reaches_a_host(const struct tracer *r, const struct finding *f)
{
	bool reaches = is_host_of_job(r, f->at);

	for (size_t i = 0; i < f->members.n && !reaches; i++)
		reaches = is_host_of_job(r, f->members.at[i]);
	for (size_t i = 0; i < f->victims.n && !reaches; i++)
		reaches = is_host_of_job(r, f->victims.at[i].at);
	return reaches;
}

/*
 * Between switches ECMP avoids broken links. A job with NCCL data that shows no trouble does not
 * wait for them.
 */
static bool goes_around(const struct tracer *r, const struct finding *f, enum how how)
{
	if (!r->fine)
		return false;
	if (how == BY_HOP)
		return !at_own_hop(r, f);
	return how == BY_TIER || (how == BY_JOB && !reaches_a_host(r, f));
}

static bool is_of_process(const struct finding *f)
{
	return finding_info[f->id].family == FAMILY_NCCL;
}

/* The finding about the connection of the rank that failed; NULL. */
static const struct finding *own_error(const struct tracer *r)
{
	struct ref rank = {.kind = REF_RANK, .comm = r->comm, .rank = r->t->rank};

	if (!r->trouble)
		return NULL;
	for (size_t i = 0; i < r->d->order.n; i++) {
		const struct finding *f = r->d->order.at[i];

		if (f->id == FIND_NCCL_ERROR && trace_names_rank(r->m, f, rank))
			return f;
	}
	return NULL;
}

/* A link or NIC at a host that is not at an end of the failed connection did not break it. */
static bool is_off_connection(const struct tracer *r, const struct finding *f)
{
	struct side s, root;

	if (!r->error || is_of_process(f) || !ref_port(r->m, r->error->at))
		return false;
	s = (struct side){r->error, place_of(r->m, r->error)};
	root = (struct side){f, place_of(r->m, f)};
	return root.at.host != NO_DEVICE && !root_cause_at_ends(r->m, &s, &root);
}

static enum how relation_of(const struct tracer *r, const struct finding *f, uint32_t terminal)
{
	enum how how = base_relation(r, f, terminal);

	return goes_around(r, f, how) || is_off_connection(r, f) ? BY_NOTHING : how;
}

/* ---- the path to the culprit ---- */

static bool on_hop(const struct hop *h, const struct finding *f)
{
	if (ref_eq(h->at, f->at))
		return true;
	return h->at.kind == REF_PORT && (f->at.kind == REF_PRIORITY || f->at.kind == REF_LINK) &&
	       h->at.port == f->at.port;
}

static bool is_of_card(const struct finding *f)
{
	return finding_info[f->id].family == FAMILY_HOST || f->id == FIND_PFC_STORM;
}

/* The card and the port of one NIC are two hops: the kind of finding selects the hop. */
static struct hop *hop_of(const struct tracer *r, const struct finding *f)
{
	struct hop *found = NULL;

	for (size_t i = 0; i < r->t->chain.n; i++) {
		struct hop *h = &r->t->chain.at[i];

		if (finding_is_of_gpu(f->id) && h->step == HOP_GPU)
			return h;
		if (!on_hop(h, f) || h->step == HOP_GPU)
			continue;
		if (!found || (found->step == HOP_NIC && !is_of_card(f)))
			found = h;
	}
	for (size_t i = 0; i < r->t->chain.n && is_of_process(f); i++)
		if (r->t->chain.at[i].step == HOP_RANK &&
			trace_names_rank(r->m, f, r->t->chain.at[i].at))
			return &r->t->chain.at[i];
	if (is_of_process(f))
		return NULL;
	for (size_t i = 0; i < r->t->chain.n && !found; i++)
		if (r->t->chain.at[i].at.kind == REF_PORT &&
			trace_finding_at_port(r->m, f, r->t->chain.at[i].at.port))
			found = &r->t->chain.at[i];
	for (size_t i = 0; i < r->t->chain.n && !found; i++)
		if (f->at.kind == REF_DEVICE && f->at.device == r->host &&
			r->t->chain.at[i].step == HOP_NIC)
			found = &r->t->chain.at[i];
	return found;
}

/* The last paused port of the chain with pauses that end at the culprit's link. */
static const struct pause_node *held_toward(const struct tracer *r, const struct finding *f)
{
	const struct pause_graph *g = r->d->pauses;

	for (size_t i = r->t->chain.n; i-- > 0;) {
		const struct pause_node *n = r->t->chain.at[i].at.kind == REF_PORT
						     ? pause_node_of(g, r->t->chain.at[i].at.port)
						     : NULL;

		if (n && n->root < g->nodes.n && at_link_of(r, f, g->nodes.at[n->root].port))
			return n;
	}
	return NULL;
}

static void follow_pauses(struct tracer *r, const struct pause_node *n)
{
	const struct pause_graph *g = r->d->pauses;

	for (int i = 0; i < PATH_MAX_HOPS && n->toward < g->nodes.n; i++) {
		const struct pause_node *next = &g->nodes.at[n->toward];

		if (next == n)
			return;
		n = next;
		if (!ref_on_chain(r, at_port(n->port)))
			(void)trace_hop(
				r, trace_step_of(r->m, n->port), at_port(n->port), "pauses");
	}
}

static enum hop_step step_of_device(
	const struct tracer *r, const struct finding *f, uint32_t device)
{
	enum tier t = device == NO_DEVICE ? TIER_SPINE : r->m->devices.at[device]->tier;

	if (t == TIER_HOST)
		return finding_is_of_gpu(f->id) ? HOP_GPU : is_of_process(f) ? HOP_RANK : HOP_NIC;
	return t == TIER_LEAF ? HOP_LEAF_PORT : HOP_SPINE_PORT;
}

static struct hop *extend_chain(struct tracer *r, const struct finding *f)
{
	const struct pause_node *n = held_toward(r, f);
	struct place at = place_of(r->m, f);
	struct ref rank;
	struct hop *h;
	bool host;

	if (n)
		follow_pauses(r, n);
	h = hop_of(r, f);
	if (h && on_hop(h, f))
		return h;
	/* The processes of a host: the first that the finding names. */
	if (trace_rank_of(f, &rank))
		return trace_hop(r, HOP_RANK, rank, "nccl");
	if (at.port == PORT_NONE) {
		h = vec_add(&r->t->chain);
		h->at = f->at;
		h->step = step_of_device(r, f, at.device);
		(void)str_copy(h->learned, sizeof(h->learned), "finding");
		return h;
	}
	/* A NIC elsewhere: its trouble is visible at its leaf port. */
	host = model_device_at(r->m, at.device) &&
	       model_device_at(r->m, at.device)->tier == TIER_HOST;
	if (host && at.peer_port != PORT_NONE && !ref_on_chain(r, at_port(at.peer_port)))
		(void)trace_hop(r, HOP_LEAF_PORT, at_port(at.peer_port), n ? "pauses" : "finding");
	return trace_hop(r, host && is_of_card(f) ? HOP_NIC : trace_step_of(r->m, at.port),
		at_port(at.port), n ? "pauses" : "finding");
}

static void mark_culprit(struct tracer *r, const struct finding *f)
{
	struct hop *h = hop_of(r, f);

	if (!h)
		h = extend_chain(r, f);
	h->state = HOP_CULPRIT;
	h->finding = f->key;
	(void)str_copy(h->why, sizeof(h->why), f->title);
}

/* ---- texts ---- */

static void add_alternative(
	struct tracer *r, const struct finding *f, const struct finding *best, enum how how)
{
	struct place at = place_of(r->m, f);
	struct trace_alternative *a;
	char where[160];

	/* A confidence that rounds to 0 % is no alternative. */
	if (f->confidence < CONFIDENCE_LEAST)
		return;
	/* The likeliest of several equal ones represents all. */
	for (size_t i = 0; i < r->t->alternatives.n; i++)
		if (how == BY_JOB && r->t->alternatives.at[i].id == f->id)
			return;
	if (r->t->alternatives.n >= ALTERNATIVES_MAX)
		return;
	a = vec_add(&r->t->alternatives);
	a->finding = f->key;
	a->at = f->at;
	a->id = f->id;
	a->confidence = f->confidence;
	trace_place_text(r->m, best->at, where, sizeof(where));
	if (how == BY_JOB)
		(void)str_copy(a->why, sizeof(a->why),
			at.host != NO_DEVICE ? "at another host of the job, not on this path"
					     : "on another path of the job, not on this one");
	else if (f->severity < best->severity)
		(void)str_printf(
			a->why, sizeof(a->why), "a warning only, and %.40s is critical", where);
	else
		(void)str_printf(a->why, sizeof(a->why), "%.0f%% against %.0f%% at %.60s",
			(double)f->confidence * 100, (double)best->confidence * 100, where);
}

static void add_refuted(struct tracer *r, const struct finding *best)
{
	for (size_t i = 0; i < best->refuted.n && r->t->alternatives.n < ALTERNATIVES_MAX; i++) {
		struct trace_alternative *a = vec_add(&r->t->alternatives);

		a->finding = 0;
		a->confidence = NAN;
		a->id = best->refuted.at[i].id;
		a->at = best->refuted.at[i].at;
		(void)str_copy(a->why, sizeof(a->why), best->refuted.at[i].why);
	}
}

/* The subject of the trace: "rank 19 (node003 mlx5_1)", "node003 mlx5_1". */
static void subject_text(const struct tracer *r, char *dst, size_t size)
{
	char place[2 * NAME_MAX_LEN] = "";
	uint32_t port = r->nic != PORT_NONE ? r->nic : r->leaf != PORT_NONE ? r->leaf : r->uplink;

	if (port != PORT_NONE)
		trace_place_text(r->m, at_port(port), place, sizeof(place));
	else if (r->host != NO_DEVICE)
		(void)str_copy(place, sizeof(place), r->m->devices.at[r->host]->name);
	if (r->t->rank >= 0 && *place)
		(void)str_printf(dst, size, "rank %d (%s)", r->t->rank, place);
	else if (r->t->rank >= 0)
		(void)str_printf(dst, size, "rank %d", r->t->rank);
	else
		(void)str_copy(dst, size, place);
}

static unsigned count_hops(const struct trace *t, enum hop_state state)
{
	unsigned n = 0;

	for (size_t i = 0; i < t->chain.n; i++)
		n += t->chain.at[i].state == state;
	return n;
}

/* Never milder than the hops: suspect and unseen ones are counted. */
static void sum_up_innocent(struct tracer *r)
{
	unsigned unknown = count_hops(r->t, HOP_UNKNOWN), victims = count_hops(r->t, HOP_VICTIM),
		 suspects = count_hops(r->t, HOP_SUSPECT) + count_hops(r->t, HOP_CULPRIT);
	char who[3 * NAME_MAX_LEN], unseen[48] = "";
	char *dst = r->t->summary;
	size_t size = sizeof(r->t->summary);

	subject_text(r, who, sizeof(who));
	if (unknown)
		(void)str_printf(unseen, sizeof(unseen), ", %u of %zu hops not seen", unknown,
			r->t->chain.n);
	if (victims)
		(void)str_printf(dst, size, "%.70s is affected, and no known fault explains it%s",
			who, unseen);
	else if (suspects)
		(void)str_printf(dst, size, "%.50s: %s%u suspect hop%s on its path%s", who,
			r->fine ? "its job waits for nothing; " : "", suspects,
			str_plural(suspects), unseen);
	else if (r->fine)
		(void)str_printf(dst, size,
			"%.50s waits for nothing: its job and %sits path show no trouble%s", who,
			unknown ? "the rest of " : "", unseen);
	else if (unknown)
		(void)str_printf(dst, size, "%.80s: no fault seen%s", who, unseen);
	else
		(void)str_printf(dst, size, "%.90s: no problem on its path to the spines", who);
}

static void sum_up(struct tracer *r, const struct finding *f, enum how how)
{
	char who[3 * NAME_MAX_LEN], where[160];
	const char *link = how == BY_HOP ? "at" : how == BY_JOB ? "waits for" : "is affected by";

	subject_text(r, who, sizeof(who));
	trace_place_text(r->m, f->at, where, sizeof(where));
	if (how == BY_HOP)
		(void)str_printf(r->t->summary, sizeof(r->t->summary), "%.60s: %.50s %s %.45s", who,
			finding_info[f->id].title, link, where);
	else
		(void)str_printf(r->t->summary, sizeof(r->t->summary), "%.60s %s %.40s at %.45s",
			who, link, finding_info[f->id].title, where);
}

/* The trace ends at the far end of the connection: neither end, nor what is between, is proven. */
static void sum_up_error(struct tracer *r)
{
	const struct trouble *t = r->trouble;
	char who[3 * NAME_MAX_LEN], far[160] = "";
	size_t first = strcspn(t->text, ",");

	subject_text(r, who, sizeof(who));
	if (r->error->peer.kind == REF_PORT) {
		trace_place_text(r->m, r->error->peer, far, sizeof(far));
		if (!ref_on_chain(r, r->error->peer))
			(void)trace_hop(r, HOP_NIC, r->error->peer,
				nccl_source_name((enum nccl_source)t->source));
	} else {
		(void)str_copy(far, sizeof(far), t->peer_text);
	}
	(void)str_printf(r->t->summary, sizeof(r->t->summary),
		"%.45s: %.*s%s%.30s; no fault is seen at either end or between", who,
		(int)(first < 48 ? first : 48), t->text, *far ? ", towards " : "", far);
}

/* ---- selection ---- */

/* Relation to the chain first (job alone is the weakest), then severity, then the engine's
 * order. */
static bool is_better(
	const struct finding *f, enum how how, const struct finding *best, enum how was)
{
	bool near = how > BY_JOB, was_near = was > BY_JOB;

	if (!best || near != was_near)
		return !best || near;
	return f->severity > best->severity;
}

/*
 * The traced rank has launched fewer operations than the others. Slow links elsewhere delay all
 * ranks of a collective alike, so they may explain the job's trouble but not this rank's.
 */
static const struct finding *own_delay(const struct tracer *r)
{
	for (size_t i = 0; i < r->d->order.n; i++) {
		const struct finding *f = r->d->order.at[i], *root;

		if (f->id != FIND_NCCL_MISMATCH || !r->t->chain.n ||
			!trace_names_rank(r->m, f, r->t->chain.at[0].at))
			continue;
		root = f->root ? diag_finding(r->d, f->root) : NULL;
		if (root && !at_own_hop(r, root) && !names_hop_as_victim(r, root) &&
			finding_info[root->id].family == FAMILY_LINK)
			return f;
	}
	return NULL;
}

void trace_cause(struct tracer *r)
{
	const struct finding *best = NULL, *own = own_delay(r);
	uint32_t terminal = pause_terminal(r);
	enum how how = BY_NOTHING;

	r->fine = trace_job_told(r) && !trace_job_suffers(r);
	r->error = own_error(r);
	for (size_t i = 0; i < r->d->order.n; i++) {
		enum how is = relation_of(r, r->d->order.at[i], terminal);

		if (is == BY_NOTHING || !is_better(r->d->order.at[i], is, best, how))
			continue;
		best = r->d->order.at[i];
		how = is;
	}
	if (best && own && !at_own_hop(r, best)) {
		best = own;
		how = BY_HOP;
	}
	if (!best && r->error) {
		sum_up_error(r);
		return;
	}
	if (!best) {
		sum_up_innocent(r);
		trace_votes(r);
		return;
	}
	for (size_t i = 0; i < r->d->order.n; i++) {
		enum how is = relation_of(r, r->d->order.at[i], terminal);

		if (is != BY_NOTHING && r->d->order.at[i] != best)
			add_alternative(r, r->d->order.at[i], best, is);
	}
	add_refuted(r, best);
	r->t->finding = best->key;
	r->t->culprit = best->at;
	r->t->id = best->id;
	r->t->verdict = verdict_of(r->m, best);
	r->t->confidence = (double)best->confidence;
	mark_culprit(r, best);
	sum_up(r, best, how);
}
