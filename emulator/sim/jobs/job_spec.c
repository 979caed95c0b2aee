/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "emulator/sim/jobs/job.h"

/* Parses jobs: "name=pretrain,kind=ring+alltoall,hosts=0-23,step=2s,gap=400ms". */

#define JOB_KEYS "name=, kind=, hosts=, step=, gap=, checkpoint=, qps="
#define MOST_QPS 64U

static const struct job_ops ops[JOB_KINDS] = {
	[SIM_JOB_RING] = {"ring", SIM_ALLREDUCE, 64},
	[SIM_JOB_TREE] = {"tree", SIM_ALLREDUCE, 64},
	/* RAS does not count sends and receives; small all-gathers before them distribute the
	   sizes. */
	[SIM_JOB_ALLTOALL] = {"alltoall", SIM_ALLGATHER, 8},
	[SIM_JOB_PIPELINE] = {"pipeline", SIM_BROADCAST, 1},
};

const struct job_ops *job_ops(enum sim_job_kind k)
{
	return &ops[k];
}

static bool is_backend(const struct sim_port *p)
{
	return p->net == NET_BACKEND && p->plan_peer;
}

/* Whether two ports of a host lead to leaves of the same rail. */
static bool same_nic(const struct sim *s, const struct sim_port *a, const struct sim_port *b)
{
	int rail = sim_device_of(s, a->plan_peer)->rail;

	return rail >= 0 && rail == sim_device_of(s, b->plan_peer)->rail;
}

static bool is_first_leg(const struct sim *s, const struct sim_device *d, unsigned k)
{
	if (!is_backend(&d->ports[k]))
		return false;
	for (unsigned i = 0; i < k; i++)
		if (is_backend(&d->ports[i]) && same_nic(s, &d->ports[i], &d->ports[k]))
			return false;
	return true;
}

struct sim_port *job_nic(const struct sim *s, const struct sim_device *d, unsigned i)
{
	for (unsigned k = 0, seen = 0; k < d->nports; k++)
		if (is_first_leg(s, d, k) && seen++ == i)
			return &d->ports[k];
	return NULL;
}

struct sim_port *job_leg(
	const struct sim *s, const struct sim_device *d, unsigned nic, unsigned leg)
{
	struct sim_port *first = job_nic(s, d, nic);

	if (!leg || !first)
		return first;
	for (unsigned k = first->port + 1; k < d->nports; k++)
		if (is_backend(&d->ports[k]) && same_nic(s, first, &d->ports[k]) && --leg == 0)
			return &d->ports[k];
	return NULL;
}

unsigned job_hosts(const struct sim *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->ndevices && s->device[i].tier == TIER_HOST; i++)
		n += job_nic(s, &s->device[i], 0) != NULL;
	return n;
}

struct sim_device *job_host(const struct sim *s, unsigned i)
{
	for (size_t k = 0; k < s->ndevices && s->device[k].tier == TIER_HOST; k++)
		if (job_nic(s, &s->device[k], 0) && i-- == 0)
			return &s->device[k];
	return NULL;
}

static bool refuse_value(
	struct err *err, const char *spec, const char *key, const char *value, const char *allowed)
{
	(void)err_set(
		err, ERR_USAGE, "job", "\"%.80s\": %s=%.40s is not understood", spec, key, value);
	return err_cure(err, "allowed: %s", allowed);
}

static bool parse_kinds(struct job *j, const char *spec, const char *value, struct err *err)
{
	const char *at = value;

	j->nkinds = 0;
	for (;;) {
		size_t n = strcspn(at, "+");
		unsigned k = 0;

		while (k < JOB_KINDS &&
			(strlen(ops[k].name) != n || strncmp(at, ops[k].name, n) != 0))
			k++;
		if (k == JOB_KINDS || j->nkinds == JOB_KINDS)
			return refuse_value(err, spec, "kind", value,
				"kind=ring, tree, alltoall, pipeline, or some of them with + "
				"between");
		j->kind[j->nkinds++] = (enum sim_job_kind)k;
		if (!at[n])
			return true;
		at += n + 1;
	}
}

static struct job *job_of_host(const struct sim *s, const struct sim_device *d)
{
	for (size_t i = 0; i < s->jobs->job.n; i++)
		for (unsigned k = 0; k < s->jobs->job.at[i].nhosts; k++)
			if (s->jobs->job.at[i].host[k] == d)
				return &s->jobs->job.at[i];
	return NULL;
}

static bool add_hosts(
	struct sim *s, struct job *j, const char *spec, uint64_t from, uint64_t to, struct err *err)
{
	for (uint64_t i = from; i <= to; i++) {
		struct sim_device *d = job_host(s, (unsigned)i);
		const struct job *other = job_of_host(s, d);
		bool twice = false;

		for (unsigned k = 0; k < j->nhosts; k++)
			twice = twice || j->host[k] == d;
		if (other || twice) {
			(void)err_set(err, ERR_USAGE, "job", "\"%.80s\": %s belongs to job %s",
				spec, d->name, other ? other->name : "already");
			return err_cure(err, "give every host to one job");
		}
		j->host[j->nhosts++] = d;
	}
	return true;
}

/* "0-23+30": numbers of hosts, in their order. */
static bool parse_hosts(
	struct sim *s, struct job *j, const char *spec, const char *value, struct err *err)
{
	unsigned all = job_hosts(s);
	char allowed[96], *end;

	(void)str_printf(allowed, sizeof(allowed),
		"hosts=0-%u, or several such ranges with + between", all ? all - 1 : 0);
	j->nhosts = 0;
	for (const char *at = value;; at = end + 1) {
		uint64_t from, to;

		if (*at < '0' || *at > '9')
			return refuse_value(err, spec, "hosts", value, allowed);
		from = to = strtoull(at, &end, 10);
		if (*end == '-' && end[1] >= '0' && end[1] <= '9')
			to = strtoull(end + 1, &end, 10);
		if (to < from || to >= all || (*end && *end != '+'))
			return refuse_value(err, spec, "hosts", value, allowed);
		if (!add_hosts(s, j, spec, from, to, err))
			return false;
		if (!*end)
			return true;
	}
}

static bool parse_time(
	const char *spec, const char *key, const char *value, int64_t *us, struct err *err)
{
	if (str_to_duration(value, us) && *us > 0)
		return true;
	return refuse_value(err, spec, key, value, "a time such as 2s, 400ms or 1m");
}

static bool parse_pair(struct sim *s, struct job *j, const char *spec, const char *key,
	const char *value, struct err *err)
{
	uint64_t n;

	if (strcmp(key, "name") == 0)
		return (*value && str_copy(j->name, sizeof(j->name), value)) ||
		       refuse_value(err, spec, key, value, "1 to 31 characters");
	if (strcmp(key, "kind") == 0)
		return parse_kinds(j, spec, value, err);
	if (strcmp(key, "hosts") == 0)
		return parse_hosts(s, j, spec, value, err);
	if (strcmp(key, "step") == 0)
		return parse_time(spec, key, value, &j->step_us, err);
	if (strcmp(key, "gap") == 0)
		return parse_time(spec, key, value, &j->gap_us, err);
	if (strcmp(key, "checkpoint") == 0 && strcmp(value, "0") == 0) {
		j->checkpoint_us = SIM_NEVER;
		return true;
	}
	if (strcmp(key, "checkpoint") == 0)
		return parse_time(spec, key, value, &j->checkpoint_us, err);
	if (strcmp(key, "qps") == 0) {
		if (!str_to_u64(value, &n) || n < 1 || n > MOST_QPS)
			return refuse_value(err, spec, key, value, "qps=1 to qps=64");
		j->qps = (unsigned)n;
		return true;
	}
	(void)err_set(err, ERR_USAGE, "job", "\"%.80s\": there is no key \"%.20s\"", spec, key);
	return err_cure(err, "allowed: " JOB_KEYS);
}

static bool check_job(const struct sim *s, struct job *j, const char *spec, struct err *err)
{
	if (!j->nhosts) {
		(void)err_set(err, ERR_USAGE, "job", "\"%.80s\" has no hosts", spec);
		return err_cure(err, "add hosts=0-7");
	}
	if (j->gap_us >= j->step_us) {
		(void)err_set(
			err, ERR_USAGE, "job", "\"%.80s\": gap= is not shorter than step=", spec);
		return err_cure(err, "a step is its gap and then its collectives");
	}
	for (j->gpus = 0; job_nic(s, j->host[0], j->gpus);)
		j->gpus++;
	return true;
}

bool job_parse(struct sim *s, const char *spec, struct job *j, struct err *err)
{
	char *copy = mem_strdup(spec), *rest = copy, *pair;
	bool ok = true;

	*j = (struct job){.nkinds = 1,
		.kind = {SIM_JOB_RING},
		.qps = 8,
		.step_us = 2 * CLOCK_SEC,
		.gap_us = 400 * CLOCK_MSEC,
		.checkpoint_us = 60 * CLOCK_SEC};
	j->host = mem_calloc(job_hosts(s) + 1, sizeof(struct sim_device *));
	(void)str_copy(j->name, sizeof(j->name), "train");
	while (ok && (pair = strsep(&rest, ","))) {
		char *value = strchr(pair, '=');

		if (value)
			*value++ = '\0';
		ok = parse_pair(s, j, spec, pair, value ? value : "", err);
	}
	free(copy);
	if (ok && check_job(s, j, spec, err))
		return true;
	free(j->host);
	j->host = NULL;
	return false;
}
