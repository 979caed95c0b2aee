/* SPDX-License-Identifier: Apache-2.0 */
#include "diagnosis/straggler/edge_votes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Votes of edges that leave or enter a leaf over its uplinks, before they are distributed. */
struct leaf {
	float up_slow, up_normal, down_slow, down_normal;
	float up_score, down_score;
};

struct count {
	const struct model *m;
	struct edge_vote *port; /* per port */
	struct leaf *leaf;      /* of each device */
};

/* Links of a path: within a leaf, over a spine, over a superspine. */
static double count_hops(const struct model *m, const struct device *a, const struct device *b)
{
	if (a == b)
		return 2;
	for (size_t i = 0; a->rail >= 0 && b->rail >= 0 && i < m->devices.n; i++) {
		if (m->devices.at[i]->tier == TIER_SUPERSPINE)
			return a->rail == b->rail ? 4 : 6;
	}
	return 4;
}

static void add_vote(struct edge_vote *v, bool slow, double score)
{
	v->score += (float)(slow ? score : -score);
	v->slow += slow ? 1 : 0;
	v->normal += slow ? 0 : 1;
}

static void add_edge(struct count *n, const struct rank *from, const struct rank *to, bool slow)
{
	const struct model *m = n->m;
	const struct port *a, *b, *leaf_a, *leaf_b;
	const struct device *d, *e;
	double score;

	if (from->nic == JOB_NONE || to->nic == JOB_NONE)
		return;
	a = m->ports.at[from->nic];
	b = m->ports.at[to->nic];
	leaf_a = port_peer(m, a, NULL);
	leaf_b = port_peer(m, b, NULL);
	if (!leaf_a || !leaf_b)
		return;
	d = model_dev_of(m, leaf_a);
	e = model_dev_of(m, leaf_b);
	score = 1 / count_hops(m, d, e);
	add_vote(&n->port[a->id], slow, score);
	add_vote(&n->port[leaf_b->id], slow, score);
	if (d == e)
		return;
	n->leaf[d->id].up_score += (float)(slow ? score : -score);
	n->leaf[e->id].down_score += (float)(slow ? score : -score);
	*(slow ? &n->leaf[d->id].up_slow : &n->leaf[d->id].up_normal) += 1;
	*(slow ? &n->leaf[e->id].down_slow : &n->leaf[e->id].down_normal) += 1;
}

/* Its way is not known, but it begins at the rank's NIC. */
static void add_to_all(struct count *n, const struct rank *from, bool slow)
{
	if (from->nic != JOB_NONE)
		add_vote(&n->port[from->nic], slow, 1);
}

static void share_out(struct edge_vote *v, double n, float score, float slow, float normal)
{
	v->score += (float)(score / n);
	v->slow += (float)(slow / n);
	v->normal += (float)(normal / n);
}

/* Distributes the votes of a leaf's uplinks evenly: each uplink is equally likely. */
static void deal_votes(struct count *n, const struct device *d)
{
	const struct leaf *l = &n->leaf[d->id];
	unsigned members = 0;

	if (l->up_slow <= 0 && l->down_slow <= 0)
		return;
	for (unsigned pass = 0; pass < 2; pass++) {
		for (size_t i = 0; i < d->ports.n; i++) {
			const struct port *p = n->m->ports.at[d->ports.at[i]], *peer;

			peer = p->merged || p->oper == OPER_DOWN ? NULL : port_peer(n->m, p, NULL);
			if (!peer || model_dev_of(n->m, peer)->tier <= d->tier)
				continue;
			if (!pass) {
				members++;
				continue;
			}
			share_out(&n->port[p->id], members, l->up_score, l->up_slow, l->up_normal);
			share_out(&n->port[peer->id], members, l->down_score, l->down_slow,
				l->down_normal);
		}
	}
}

static bool is_slow(const straggler_vec *edges, uint32_t comm, int32_t rank)
{
	for (size_t i = 0; i < edges->n; i++) {
		if (edges->at[i].kind == STRAGGLER_EDGE && edges->at[i].comm == comm &&
			edges->at[i].rank == rank)
			return true;
	}
	return false;
}

static void comm_edges(
	struct edge_votes *v, struct count *n, uint32_t comm, const straggler_vec *edges)
{
	const struct comm *c = n->m->nccl->comms.at[comm];
	const struct op *op = comm_op(c, 0);
	bool to_all;

	/* The newest operation that most ranks have reported. */
	for (unsigned i = 1; op && op->told * 2 < (unsigned)c->nranks; i++)
		op = comm_op(c, i);
	to_all = op && straggler_goes_to_all(c, op);
	for (int32_t i = 0; op && !c->gone && i < c->nranks; i++) {
		bool slow;

		if (isnan(op->rank[i].send_us) || (!to_all && op->rank[i].peer < 0))
			continue;
		slow = is_slow(edges, comm, i);
		if (to_all)
			add_to_all(n, &c->rank[i], slow);
		else
			add_edge(n, &c->rank[i], &c->rank[op->rank[i].peer], slow);
		v->slow += slow;
		v->normal += !slow;
	}
}

static int compare_score(const void *a, const void *b)
{
	const struct edge_vote *x = a, *y = b;

	if (x->score < y->score || x->score > y->score)
		return x->score > y->score ? -1 : 1;
	return x->port < y->port ? -1 : x->port > y->port;
}

void edge_votes_take(
	struct edge_votes *v, const struct model *m, uint32_t job, const straggler_vec *edges)
{
	const struct job *j = m->nccl->jobs.at[job];
	struct count n = {.m = m};

	*v = (struct edge_votes){0};
	n.port = mem_calloc(m->ports.n + 1, sizeof(*n.port));
	n.leaf = mem_calloc(m->devices.n + 1, sizeof(*n.leaf));
	for (size_t i = 0; i < j->comms.n; i++)
		comm_edges(v, &n, j->comms.at[i], edges);
	for (size_t i = 0; v->slow && i < m->devices.n; i++)
		deal_votes(&n, m->devices.at[i]);
	for (size_t i = 0; v->slow && i < m->ports.n; i++) {
		if (n.port[i].slow <= 0)
			continue;
		n.port[i].port = (uint32_t)i;
		vec_push(&v->links, n.port[i]);
	}
	if (v->links.n)
		qsort(v->links.at, v->links.n, sizeof(v->links.at[0]), compare_score);
	free(n.port);
	free(n.leaf);
}

void edge_votes_free(struct edge_votes *v)
{
	vec_free(&v->links);
	*v = (struct edge_votes){0};
}

const struct edge_vote *edge_vote_of(const struct edge_votes *v, uint32_t port)
{
	for (size_t i = 0; i < v->links.n; i++) {
		if (v->links.at[i].port == port)
			return &v->links.at[i];
	}
	return NULL;
}
