/* SPDX-License-Identifier: Apache-2.0 */
/* Without an explaining fault: the link that the job's slow edges have in common. */
#include "base/str.h"
#include "diagnosis/straggler/edge_votes.h"
#include "diagnosis/trace/trace_internal.h"

/* Without a fact at the link it is only a suspicion: diagnosis reference 2.8, "suspect" 0.4 to
 * 0.7. */
#define SUSPECT_MOST 0.6

static struct hop *hop_at(const struct tracer *r, uint32_t port)
{
	for (size_t i = 0; i < r->t->chain.n; i++)
		if (r->t->chain.at[i].at.kind == REF_PORT && r->t->chain.at[i].at.port == port &&
			r->t->chain.at[i].step != HOP_NIC)
			return &r->t->chain.at[i];
	return NULL;
}

/* Number of links that fit as well as the first; *pick: one of them on the chain, if any. */
static unsigned count_equal(const struct tracer *r, const struct edge_votes *v, size_t *pick)
{
	unsigned n = 0;

	*pick = 0;
	while (n < v->links.n && v->links.at[n].score >= v->links.at[0].score)
		n++;
	for (size_t i = n; i-- > 0;)
		if (hop_at(r, v->links.at[i].port))
			*pick = i;
	return n;
}

static void mark_suspect(struct tracer *r, const struct edge_vote *v, unsigned fitting)
{
	struct hop *h = hop_at(r, v->port);
	char where[2 * NAME_MAX_LEN + 2];

	if (!h)
		h = trace_hop(r, trace_step_of(r->m, v->port), at_port(v->port), "slow edges");
	h->state = HOP_SUSPECT;
	(void)str_printf(h->why, sizeof(h->why),
		"%s slow edges use it, %s normal ones do; %u other link%s fit as well",
		STR_NUMBER((double)v->slow), STR_NUMBER((double)v->normal), fitting - 1,
		str_plural(fitting - 1));
	trace_place_text(r->m, at_port(v->port), where, sizeof(where));
	(void)str_printf(r->t->summary, sizeof(r->t->summary),
		"slow edges of the job meet at %.60s; no fault is seen there", where);
	r->t->verdict = VERDICT_NETWORK;
	r->t->confidence = SUSPECT_MOST * (double)v->slow / (double)(v->slow + v->normal) / fitting;
}

void trace_votes(struct tracer *r)
{
	const struct nccl *n = r->m->nccl;
	straggler_vec all = {0}, edges = {0};
	struct edge_votes v = {0};
	unsigned fitting;
	size_t pick;

	if (r->t->job >= n->jobs.n)
		return;
	for (size_t i = 0; i < n->jobs.at[r->t->job]->comms.n; i++)
		straggler_find(r->m, n->jobs.at[r->t->job]->comms.at[i], r->now_us, &all);
	for (size_t i = 0; i < all.n; i++)
		if (all.at[i].kind == STRAGGLER_EDGE)
			vec_push(&edges, all.at[i]);
	if (edges.n) {
		edge_votes_take(&v, r->m, r->t->job, &edges);
		fitting = count_equal(r, &v, &pick);
		if (fitting && v.links.at[pick].score > 0)
			mark_suspect(r, &v.links.at[pick], fitting);
	}
	edge_votes_free(&v);
	vec_free(&edges);
	vec_free(&all);
}
