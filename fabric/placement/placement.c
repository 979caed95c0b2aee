/* SPDX-License-Identifier: Apache-2.0 */
#include "fabric/placement/placement.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define LOCAL_GPUS 64 /* of a host; more are not compared */

/* ---- the order of hosts ---- */

static void order_by_ranks(const struct model *m, const struct comm *c, struct placement *p)
{
	bool *known = mem_calloc(m->devices.n + 1, sizeof(*known));
	uint32_t last = JOB_NONE;

	for (int32_t i = 0; i < c->nranks; i++) {
		uint32_t host = c->rank[i].host;

		if (host >= m->devices.n) {
			p->lost_ranks++;
			continue;
		}
		p->runs += host != last;
		last = host;
		if (!known[host])
			vec_push(&p->hosts, host);
		known[host] = true;
	}
	free(known);
}

static int compare_names(const void *pa, const void *pb, void *ctx)
{
	const struct model *m = ctx;
	uint32_t a = *(const uint32_t *)pa, b = *(const uint32_t *)pb;
	int c = str_natcmp(m->devices.at[a]->name, m->devices.at[b]->name);

	return c ? c : (a > b) - (a < b);
}

static void order_by_names(const struct model *m, const struct job *j, struct placement *p)
{
	for (size_t i = 0; i < j->hosts.n; i++)
		vec_push(&p->hosts, j->hosts.at[i]);
	if (p->hosts.n)
		qsort_r(p->hosts.at, p->hosts.n, sizeof(p->hosts.at[0]), compare_names, (void *)m);
}

/* ---- units and pods ---- */

static unsigned count_used(const struct placement *p, size_t most,
	uint32_t (*of)(const struct units *u, uint32_t device), const struct units *u)
{
	bool *used = mem_calloc(most + 1, sizeof(*used));
	unsigned n = 0;

	for (size_t i = 0; i < p->hosts.n; i++) {
		uint32_t at = of(u, p->hosts.at[i]);

		if (at < most && !used[at]) {
			used[at] = true;
			n++;
		}
	}
	free(used);
	return n;
}

static int compare_sizes(const void *pa, const void *pb)
{
	unsigned a = *(const unsigned *)pa, b = *(const unsigned *)pb;

	return (a < b) - (a > b);
}

/* The least number of pods that together have so many hosts. */
static unsigned least_pods(const struct units *u, size_t hosts)
{
	unsigned *sizes = mem_calloc(u->pods.n + 1, sizeof(*sizes)), n = 0;
	size_t room = 0;

	for (size_t i = 0; i < u->pods.n; i++)
		sizes[i] = u->pods.at[i].hosts;
	qsort(sizes, u->pods.n, sizeof(*sizes), compare_sizes);
	while (n < u->pods.n && room < hosts)
		room += sizes[n++];
	free(sizes);
	return n;
}

/* Pairs of neighbours in the ring of hosts that are in different units or pods. */
static unsigned count_crossings(const struct placement *p,
	uint32_t (*of)(const struct units *u, uint32_t device), const struct units *u)
{
	unsigned n = 0;

	for (size_t i = 0; p->hosts.n > 1 && i < p->hosts.n; i++) {
		uint32_t a = of(u, p->hosts.at[i]), b = of(u, p->hosts.at[(i + 1) % p->hosts.n]);

		n += a != UNIT_NONE && b != UNIT_NONE && a != b;
	}
	return n;
}

/* ---- rails ---- */

/* Of each local GPU the rail of its NIC and its rank. */
struct host_rails {
	int rail[LOCAL_GPUS]; /* -1: not known */
	int32_t rank[LOCAL_GPUS];
};

static int rail_of(const struct model *m, const struct rank *r)
{
	const struct port *nic = model_port_at(m, r->nic);

	/* A NIC that was chosen by its index is a guess, and always of the same rail. */
	return nic && r->nic_source != SOURCE_UNKNOWN ? nic->rail : -1;
}

static struct host_rails *rails_of_hosts(
	const struct model *m, const struct comm *c, const struct placement *p)
{
	struct host_rails *rails = mem_calloc(p->hosts.n + 1, sizeof(*rails));
	uint32_t *at = mem_calloc(m->devices.n + 1, sizeof(*at));

	for (size_t i = 0; i < p->hosts.n; i++) {
		at[p->hosts.at[i]] = (uint32_t)i;
		for (unsigned k = 0; k < LOCAL_GPUS; k++)
			rails[i].rail[k] = -1;
	}
	for (int32_t i = 0; i < c->nranks; i++) {
		const struct rank *r = &c->rank[i];
		int32_t gpu = r->local_gpu >= 0 ? r->local_gpu : r->gpu;

		if (r->host >= m->devices.n || gpu < 0 || gpu >= LOCAL_GPUS)
			continue;
		rails[at[r->host]].rail[gpu] = rail_of(m, r);
		rails[at[r->host]].rank[gpu] = i;
	}
	free(at);
	return rails;
}

static void compare_rails(const struct model *m, const struct comm *c, struct placement *p)
{
	struct host_rails *rails = rails_of_hosts(m, c, p);

	for (size_t i = 0; p->hosts.n > 1 && i < p->hosts.n; i++) {
		const struct host_rails *a = &rails[i], *b = &rails[(i + 1) % p->hosts.n];

		for (unsigned k = 0; k < LOCAL_GPUS; k++) {
			if (a->rail[k] < 0 || b->rail[k] < 0)
				continue;
			p->rail_pairs++;
			if (a->rail[k] == b->rail[k])
				continue;
			if (!p->off_rail++) {
				p->off_from = a->rank[k];
				p->off_to = b->rank[k];
			}
		}
	}
	free(rails);
}

/* ---- all of it ---- */

bool placement_find(const struct model *m, const struct units *u, uint32_t job, struct placement *p)
{
	const struct job *j = model_job_at(m, job);
	const struct comm *c;

	*p = (struct placement){.job = job, .off_from = -1, .off_to = -1};
	if (!j || job_is_free(j) || j->gone)
		return false;
	c = job_world(m->nccl, j, NULL);
	if (c && c->nranks > 0)
		order_by_ranks(m, c, p);
	p->ordered = p->hosts.n && !p->lost_ranks;
	if (!p->ordered) {
		p->hosts.n = 0;
		order_by_names(m, j, p);
	}
	for (size_t i = 0; i < p->hosts.n; i++)
		p->unplaced += units_of(u, p->hosts.at[i]) == UNIT_NONE;
	p->units = count_used(p, u->at.n, units_of, u);
	p->pods = count_used(p, u->pods.n, units_pod_of, u);
	p->pods_least = p->pods ? least_pods(u, p->hosts.n - p->unplaced) : 0;
	if (!p->ordered)
		return p->hosts.n > 0;
	p->crossings = count_crossings(p, units_of, u);
	p->crossings_least = p->units > 1 ? p->units : 0;
	p->pod_crossings = count_crossings(p, units_pod_of, u);
	p->pod_crossings_least = p->pods > 1 ? p->pods : 0;
	compare_rails(m, c, p);
	return true;
}

void placement_free(struct placement *p)
{
	vec_free(&p->hosts);
}

bool placement_improves(const struct placement *p)
{
	return p->ordered && !p->unplaced &&
	       (p->crossings > p->crossings_least || p->pod_crossings > p->pod_crossings_least);
}

struct sorted_host {
	uint32_t pod, unit, place, host;
};

static int compare_hosts(const void *pa, const void *pb)
{
	const struct sorted_host *a = pa, *b = pb;

	if (a->pod != b->pod)
		return a->pod < b->pod ? -1 : 1;
	if (a->unit != b->unit)
		return a->unit < b->unit ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

void placement_better(const struct units *u, const struct placement *p, device_ids *order)
{
	struct sorted_host *h = mem_calloc(p->hosts.n + 1, sizeof(*h));

	for (uint32_t i = 0; i < p->hosts.n; i++) {
		uint32_t host = p->hosts.at[i];

		h[i] = (struct sorted_host){units_pod_of(u, host), units_of(u, host), i, host};
	}
	qsort(h, p->hosts.n, sizeof(*h), compare_hosts);
	for (size_t i = 0; i < p->hosts.n; i++)
		vec_push(order, h[i].host);
	free(h);
}
