/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "emulator/sim/jobs/job.h"

/*
 * The flows of jobs. Every rail of a collective is a group of its own. A connection between two
 * leaves is several flows (queue pairs, by channels), so that ECMP has keys to hash. Behind one
 * leaf there is one path, and one flow is enough.
 */
#define BUSY         0.90 /* share of its line that a NIC sends in a collective */
#define STEADY_ALONE 0.65 /* the same in a fabric without pauses (--steady): a job of one kind */
#define STEADY_FIRST 0.45 /* the first of several kinds */
#define STEADY_REST  0.20 /* the other kinds together */
#define STRIDES      8U   /* peers of one NIC in an all-to-all */
#define MANY_NICS    4000U
#define WRITERS      48U /* hosts that write a checkpoint to the same one */
#define WRITE_SHARE  0.5

static double share_of(const struct sim *s, const struct job *j, unsigned kind_at)
{
	if (!s->o.steady)
		return BUSY;
	if (j->nkinds == 1)
		return STEADY_ALONE;
	return kind_at ? STEADY_REST / (j->nkinds - 1) : STEADY_FIRST;
}

static void add_connection(struct sim *s, struct sim_port *src, struct sim_port *dst, double share,
	unsigned qps, int group)
{
	uint64_t conn;

	if (!src || !dst || !(share > 0))
		return;
	conn = sim_hash(
		sim_hash(s->o.seed ^ 0xc0, (uint64_t)(src - s->port)), (uint64_t)(dst - s->port));
	if (src->plan_peer && dst->plan_peer &&
		sim_device_of(s, src->plan_peer) == sim_device_of(s, dst->plan_peer))
		qps = 1;
	for (unsigned q = 0; q < qps; q++) {
		struct flow *f = sim_flow_new(s, src, dst, share / qps * src->plan_mbps * 1e6 / 8);

		f->conn = conn;
		f->key = sim_hash(conn, q);
		f->group = group;
	}
}

/* A NIC of a host: the end of a connection. */
struct nic {
	const struct sim_device *host;
	unsigned at;
};

static unsigned count_legs(const struct sim *s, struct nic n)
{
	unsigned legs = 0;

	while (job_leg(s, n.host, n.at, legs))
		legs++;
	return legs;
}

/*
 * Every port of the NIC sends its share, to the same port of the other NIC. A NIC with fewer ports
 * takes several shares at one. Where no switch joins the two, the bytes leave the host by a port
 * that does reach the other.
 */
static void connect_nics(
	struct sim *s, struct nic a, struct nic b, double share, unsigned qps, int group)
{
	unsigned from = count_legs(s, a), to = count_legs(s, b), legs = from > to ? from : to;

	for (unsigned leg = 0; from && to && leg < legs; leg++) {
		struct sim_port *src = job_leg(s, a.host, a.at, leg % from);
		struct sim_port *dst = job_leg(s, b.host, b.at, leg % to);

		if (dst && !sim_joined(s, src, dst))
			dst = sim_way_out(s, dst, src);
		add_connection(
			s, src, dst, share * from / legs, qps > legs ? qps / legs : 1, group);
	}
}

static void add_ring(struct sim *s, const struct job *j, unsigned rail, double share, int group)
{
	for (unsigned i = 0; i < j->nhosts && j->nhosts > 1; i++)
		connect_nics(s, (struct nic){j->host[i], rail},
			(struct nic){j->host[(i + 1) % j->nhosts], rail}, share, j->qps, group);
}

/*
 * All NICs use the same strides, so every NIC receives from as many as it sends to. Odd strides
 * cross rails.
 */
static void add_alltoall(struct sim *s, const struct job *j, unsigned rail, double share, int group)
{
	unsigned qps = s->nports > (size_t)4 * MANY_NICS ? 1 : j->qps;

	for (unsigned k = 1; k <= STRIDES; k++) {
		unsigned other = k % 2 ? (rail + k) % j->gpus : rail;

		if (3 * k % j->nhosts == 0)
			continue;
		for (unsigned i = 0; i < j->nhosts; i++)
			connect_nics(s, (struct nic){j->host[i], rail},
				(struct nic){j->host[(i + 3 * k) % j->nhosts], other},
				share / STRIDES, qps, group);
	}
}

/* The parent in a binary tree in which odd ranks are leaves (Sanders, Speck, Traeff 2009). */
static unsigned tree_parent(unsigned i, unsigned n)
{
	unsigned bit = i & -i, up = (i ^ bit) | bit << 1;

	return up < n ? up : i ^ bit;
}

/* Two trees carry half of the bytes each: a leaf of one is an inner node of the other. */
static void add_trees(struct sim *s, const struct job *j, unsigned rail, double share, int group)
{
	unsigned n = j->nhosts;

	for (unsigned t = 0; t < 2; t++) {
		for (unsigned i = 1; i < n; i++) {
			unsigned p = tree_parent(i, n);
			struct nic a = {j->host[t ? n - 1 - i : i], rail};
			struct nic b = {j->host[t ? n - 1 - p : p], rail};

			connect_nics(s, a, b, share / 4, j->qps, group);
			connect_nics(s, b, a, share / 4, j->qps, group);
		}
	}
}

/* Activations go forward, gradients come back. */
static void add_pipeline(struct sim *s, const struct job *j, unsigned rail, double share, int group)
{
	for (unsigned i = 0; i + 1 < j->nhosts; i++) {
		struct nic a = {j->host[i], rail}, b = {j->host[i + 1], rail};

		connect_nics(s, a, b, share / 2, j->qps, group);
		connect_nics(s, b, a, share / 2, j->qps, group);
	}
}

static struct sim_port *storage_port(const struct sim_device *d, unsigned n)
{
	for (unsigned i = 0, seen = 0; i < d->nports; i++)
		if (d->ports[i].net == NET_STORAGE && d->ports[i].peer && seen++ == n)
			return &d->ports[i];
	return NULL;
}

/* The n-th storage server, modulo their number; NULL: there are none. */
static const struct sim_device *storage_server(const struct sim *s, unsigned n)
{
	unsigned servers = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		unsigned at = 0;

		for (size_t i = 0; i < s->ndevices && s->device[i].tier == TIER_HOST; i++) {
			const struct sim_device *d = &s->device[i];

			if (job_nic(s, d, 0) || !storage_port(d, 0))
				continue;
			if (pass && at == n % servers)
				return d;
			at++;
		}
		servers = at;
		if (!servers)
			return NULL;
	}
	return NULL;
}

/* Servers have a port in each leaf: returns the one on the writer's leaf, if there is one. */
static struct sim_port *near_leg(
	const struct sim *s, const struct sim_device *server, const struct sim_port *from)
{
	struct sim_port *p;

	for (unsigned i = 0; (p = storage_port(server, i)); i++)
		if (sim_device_of(s, p->peer) == sim_device_of(s, from->peer))
			return p;
	return storage_port(server, 0);
}

/* Every host writes: to a storage server if there are any, else to a few of the hosts. */
static void add_checkpoint(struct sim *s, const struct job *j, int group)
{
	unsigned part = j->nhosts / WRITERS, targets = part ? part : 1;

	for (unsigned i = 0; i < j->nhosts && j->gpus; i++) {
		struct sim_port *from = storage_port(j->host[i], 0);
		const struct sim_device *server = from ? storage_server(s, i / 2) : NULL;
		struct sim_port *to = server ? near_leg(s, server, from) : NULL;

		if (!to) {
			if (i < targets)
				continue;
			to = job_nic(s, j->host[i % targets], 0);
			from = sim_way_out(s, job_nic(s, j->host[i], i % j->gpus), to);
		}
		add_connection(s, from, to, WRITE_SHARE, 1, group);
	}
}

static struct job_group *begin_group(struct sim *s, unsigned job, unsigned kind_at)
{
	struct job_group *g = vec_add(&s->jobs->group);

	g->job = job;
	g->kind_at = kind_at;
	g->first = s->nflows;
	g->ratio = 1;
	return g;
}

void job_flows(struct sim *s, unsigned job)
{
	static void (*const draw[])(
		struct sim * s, const struct job *j, unsigned rail, double share, int group) = {
		[SIM_JOB_RING] = add_ring,
		[SIM_JOB_TREE] = add_trees,
		[SIM_JOB_ALLTOALL] = add_alltoall,
		[SIM_JOB_PIPELINE] = add_pipeline,
	};
	struct job *j = &s->jobs->job.at[job];

	j->first = s->jobs->group.n;
	for (unsigned k = 0; k < j->nkinds; k++) {
		for (unsigned r = 0; r < j->gpus; r++) {
			struct job_group *g = begin_group(s, job, k);

			draw[j->kind[k]](s, j, r, share_of(s, j, k), (int)s->jobs->group.n - 1);
			g->n = s->nflows - g->first;
		}
	}
	struct job_group *g = begin_group(s, job, JOB_CHECKPOINT);
	add_checkpoint(s, j, (int)s->jobs->group.n - 1);
	g->n = s->nflows - g->first;
	j->n = s->jobs->group.n - j->first;
}
