/* SPDX-License-Identifier: Apache-2.0 */
#include "actions/kinds/blast.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/metrics.h"

/* The slowest source of jobs (slurm) is polled once a minute: older data missed two polls. */
#define JOBS_STALE_US (180 * CLOCK_SEC)

/* ---- hosts and NICs below the link ---- */

/* NICs and hosts that send traffic over the link: one flag for each port and each device id. */
struct below {
	const struct model *m;
	bool *nic, *host;
};

static bool is_host(const struct model *m, const struct port *p)
{
	return model_dev_of(m, p)->tier == TIER_HOST;
}

static void mark_nic(struct below *b, const struct port *nic)
{
	b->nic[nic->id] = true;
	b->host[nic->device] = true;
}

/* Marks the hosts of a leaf; of a switch above the leaves, the hosts of the leaves below it. */
static void mark_below(struct below *b, const struct device *d, unsigned depth)
{
	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *p = b->m->ports.at[d->ports.at[i]];
		const struct port *q = port_peer(b->m, p, NULL);
		const struct device *to = q ? model_dev_of(b->m, q) : NULL;

		if (p->merged || !to || to->tier >= d->tier)
			continue;
		if (to->tier == TIER_HOST)
			mark_nic(b, q);
		else if (depth)
			mark_below(b, to, depth - 1);
	}
}

/* ---- jobs ---- */

static bool comm_runs(const struct model *m, const struct comm *c, int64_t now_us)
{
	return c && !c->gone && !comm_is_silent(m->nccl, c, now_us);
}

static bool job_runs(const struct model *m, const struct job *j, int64_t now_us)
{
	const struct comm *world;

	if (job_is_free(j) || j->gone)
		return false;
	world = job_world(m->nccl, j, NULL);
	return !world || comm_runs(m, world, now_us) || now_us - j->seen_us <= JOBS_STALE_US;
}

static bool uses_host(const struct below *b, const struct job *j)
{
	for (size_t i = 0; i < j->hosts.n; i++)
		if (j->hosts.at[i] < b->m->devices.n && b->host[j->hosts.at[i]])
			return true;
	return false;
}

static void mark_hosts(struct below *b, const struct job *j)
{
	for (size_t i = 0; i < j->hosts.n; i++)
		if (j->hosts.at[i] < b->m->devices.n)
			b->host[j->hosts.at[i]] = true;
}

struct hit {
	unsigned ranks, gpus;
	bool placed; /* the job's ranks are known, and on which NIC each of those here is */
};

/* A rank whose NIC is unknown may use any NIC of its host. */
static struct hit hit_of(const struct below *b, const struct comm *c)
{
	struct hit h = {.placed = c && c->nranks > 0};

	for (int32_t k = 0; c && k < c->nranks; k++) {
		const struct rank *r = &c->rank[k];

		if (r->host >= b->m->devices.n) {
			/* The rank's host is unknown: it may be one of these. */
			h.placed = false;
			continue;
		}
		if (!b->host[r->host])
			continue;
		if (r->nic < b->m->ports.n && !b->nic[r->nic])
			continue;
		h.ranks++;
		h.gpus += k == 0 || r->gpu < 0 || c->rank[k - 1].host != r->host ||
			  c->rank[k - 1].gpu != r->gpu;
	}
	return h;
}

static void add_name(struct blast *out, const char *name)
{
	size_t n = strlen(out->names);

	(void)str_printf(out->names + n, sizeof(out->names) - n, "%s%s", n ? ", " : "", name);
}

static void count_jobs(const struct below *b, int64_t now_us, bool only_way, struct blast *out)
{
	for (size_t i = 0; i < b->m->nccl->jobs.n; i++) {
		const struct job *j = b->m->nccl->jobs.at[i];
		struct hit h;

		if (!job_runs(b->m, j, now_us))
			continue;
		h = hit_of(b, job_world(b->m->nccl, j, NULL));
		if (!h.ranks && (h.placed || !uses_host(b, j)))
			continue;
		out->jobs++;
		out->ranks += h.ranks;
		out->gpus += h.gpus;
		add_name(out, j->name);
		if (only_way && !out->last_path) {
			out->last_path = true;
			(void)str_copy(out->last_job, sizeof(out->last_job), j->name);
		}
	}
}

/* A model without any job does not show whether a source of jobs is configured. */
static bool jobs_unknown(const struct model *m, int64_t now_us)
{
	int64_t newest = 0;

	for (size_t i = 0; i < m->nccl->jobs.n; i++)
		if (!job_is_free(m->nccl->jobs.at[i]) && m->nccl->jobs.at[i]->seen_us > newest)
			newest = m->nccl->jobs.at[i]->seen_us;
	for (size_t i = 0; i < m->nccl->comms.n; i++)
		if (m->nccl->comms.at[i]->key[0] && m->nccl->comms.at[i]->seen_us > newest)
			newest = m->nccl->comms.at[i]->seen_us;
	return !newest || now_us - newest > JOBS_STALE_US;
}

/* ---- links beside it ---- */

/* Finds the link's BGP session by the peer's host name, or by the port's own name (unnumbered). */
static bool session_down(const struct device *d, const struct port *p, const struct device *to)
{
	bool found = false;

	for (size_t i = 0; i < d->bgp.n; i++) {
		const struct bgp_session *s = &d->bgp.at[i];

		if (s->gone || (!str_eq(s->peer, p->name) && !str_eq(s->host, to->name) &&
				       !(p->more->alias[0] && str_eq(s->peer, p->more->alias))))
			continue;
		if (s->state == BGP_ESTABLISHED)
			return false;
		found = true;
	}
	return found;
}

/*
 * Counts the links of p's device towards the tier of its peer. up: in use, as far as this end
 * reports.
 */
static void count_links(const struct model *m, const struct port *p, enum tier toward,
	unsigned *planned, unsigned *up)
{
	const struct device *d = model_dev_of(m, p);

	for (size_t i = 0; i < d->ports.n; i++) {
		const struct port *own = m->ports.at[d->ports.at[i]];
		const struct port *q = own->merged ? NULL : port_peer(m, own, NULL);
		const struct device *to = q ? model_dev_of(m, q) : NULL;

		if (!to || to->tier != toward)
			continue;
		++*planned;
		*up += own->oper == OPER_UP && own->admin != OPER_DOWN && !session_down(d, own, to);
	}
}

/* ---- load ---- */

static double load_of(const struct model *m, const struct port *p, enum direction dir)
{
	enum dev_state s = model_dev_of(m, p)->state;

	return s == DEV_FRESH || s == DEV_LATE ? port_utilisation(p, dir) : (double)NAN;
}

/*
 * A direction that one end does not report comes from the other end: it sends the bytes that we
 * receive.
 */
static double load_both(
	const struct model *m, const struct port *p, const struct port *q, enum direction dir)
{
	double own = load_of(m, p, dir);

	return isnan(own) && q ? load_of(m, q, dir == DIR_RX ? DIR_TX : DIR_RX) : own;
}

static double busier_load(const struct model *m, const struct port *p, const struct port *q)
{
	double rx = load_both(m, p, q, DIR_RX), tx = load_both(m, p, q, DIR_TX);

	/* One busy direction is enough for an answer; one idle direction is not. */
	return fmax(rx, tx) > 0.01 || !(isnan(rx) || isnan(tx)) ? fmax(rx, tx) : (double)NAN;
}

void blast_of(const struct model *m, const struct port *p, int64_t now_us, struct blast *out)
{
	const struct port *q = port_peer(m, p, NULL);
	const struct device *d = model_dev_of(m, p), *e = q ? model_dev_of(m, q) : NULL;
	const struct port *low = e && e->tier < d->tier ? q : p;
	struct below b = {m, mem_calloc(m->ports.n + 1, 1), mem_calloc(m->devices.n + 1, 1)};
	bool host_link = is_host(m, low), only_way = host_link;

	memset(out, 0, sizeof(*out));
	out->load = busier_load(m, p, q);
	out->jobs_unknown = jobs_unknown(m, now_us);
	(void)str_copy(out->tenants, sizeof(out->tenants),
		p->more->tenant[0] ? p->more->tenant
		: q                ? q->more->tenant
				   : "");
	if (host_link) {
		mark_nic(&b, low);
	} else {
		mark_below(&b, model_dev_of(m, low), 2);
		if (e) {
			count_links(m, p, e->tier, &out->uplinks_planned, &out->uplinks_up);
			count_links(m, q, d->tier, &out->peer_planned, &out->peer_up);
		}
		/* All hosts below a leaf lose their last path with its last uplink. */
		if (model_dev_of(m, low)->tier == TIER_LEAF && low->oper != OPER_DOWN)
			only_way = (low == p ? out->uplinks_up : out->peer_up) <= 1;
	}
	count_jobs(&b, now_us, only_way, out);
	free(b.nic);
	free(b.host);
}

void blast_of_host(const struct model *m, const struct device *d, int64_t now_us, struct blast *out)
{
	struct below here = {m, mem_calloc(m->ports.n + 1, 1), mem_calloc(m->devices.n + 1, 1)};

	memset(out, 0, sizeof(*out));
	out->load = NAN;
	out->jobs_unknown = jobs_unknown(m, now_us);
	for (size_t i = 0; i < d->ports.n; i++)
		here.nic[d->ports.at[i]] = true;
	here.host[d->id] = true;
	count_jobs(&here, now_us, false, out);
	memset(here.host, 0, m->devices.n);
	for (size_t i = 0; i < m->nccl->jobs.n; i++) {
		const struct job *j = m->nccl->jobs.at[i];

		for (size_t k = 0; k < j->hosts.n && job_runs(m, j, now_us); k++)
			if (j->hosts.at[k] == d->id)
				mark_hosts(&here, j);
	}
	for (size_t i = 0; i < m->devices.n; i++)
		out->others += here.host[i] && i != d->id;
	free(here.nic);
	free(here.host);
}
