/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/jobs/election.h"

#include <stdlib.h>
#include <string.h>

#include "backends/jobs/source.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define TRIED_AT_ONCE     4   /* plus one for each HOSTS_A_TRIED hosts */
#define HOSTS_A_TRIED     128 /* a sweep over 3,000 idle hosts takes about two minutes */
#define RETRY_FIRST_US    (30 * CLOCK_SEC)
#define RETRY_LONGEST_US  (600 * CLOCK_SEC)
#define ANSWER_LONGEST_US (20 * CLOCK_SEC) /* the timeout of a question */
#define SILENT_INTERVALS  3
/* Wait for the addresses, which hosts report after connecting: answers name hosts by address. */
#define SETTLE_US (5 * CLOCK_SEC)

enum candidate_state { CANDIDATE_NONE, CANDIDATE_IDLE, CANDIDATE_TRYING, CANDIDATE_ELECTED };

#define NOBODY UINT32_MAX

/* State of one device of the plan. */
struct candidate {
	uint8_t state; /* CANDIDATE_NONE: never asked */
	bool told;     /* last value given to the listener */
	unsigned failures;
	int64_t next_us;  /* no try before */
	int64_t since_us; /* of the last answer, or the start of the try */
	uint32_t covered_by;
	VEC(uint32_t) named; /* hosts in its last answer, in no order */
};

struct job_election {
	const struct plan *plan;
	int64_t every_us;
	size_t n, hosts;
	struct candidate *at; /* one per device of the plan */
	size_t cursor;
	int64_t settled_us; /* no try before; 0: no host has been connected yet */
};

/* ---- candidates ---- */

static void add_candidate(struct job_election *e, size_t i)
{
	if (e->plan->devices.at[i].by_engine || !str_eq(e->plan->devices.at[i].transport, "ssh") ||
		e->at[i].state != CANDIDATE_NONE)
		return;
	e->at[i].state = CANDIDATE_IDLE;
	e->hosts++;
}

static void on_name(void *ctx, const char *name)
{
	struct job_election *e = ctx;
	int i = plan_find(e->plan, name);

	if (i >= 0)
		add_candidate(e, (size_t)i);
}

static void enter_all(struct job_election *e, const struct plan_jobs *j)
{
	struct err ignored;

	if (j->hosts) {
		/* Its errors were reported when the inventory was read. */
		(void)hostlist_expand(j->hosts, e->n + 1, on_name, e, &ignored);
		return;
	}
	for (size_t i = 0; i < e->n; i++)
		if (e->plan->devices.at[i].tier == TIER_HOST)
			add_candidate(e, i);
}

struct job_election *job_election_new(const struct plan *p)
{
	struct job_election *e = mem_calloc(1, sizeof(*e));

	e->plan = p;
	e->n = p->devices.n;
	e->at = mem_calloc(e->n + 1, sizeof(*e->at));
	for (size_t i = 0; i < e->n; i++)
		e->at[i].covered_by = NOBODY;
	for (size_t k = 0; k < p->jobs.n; k++) {
		const struct job_source_ops *ops = job_source_by_name(p->jobs.at[k].source);
		int64_t every = ops ? job_source_interval(ops, &p->jobs.at[k]) : 0;

		if (!ops || !ops->elect)
			continue;
		if (every > e->every_us)
			e->every_us = every;
		enter_all(e, &p->jobs.at[k]);
	}
	if (e->hosts)
		return e;
	job_election_free(e);
	return NULL;
}

void job_election_free(struct job_election *e)
{
	if (!e)
		return;
	for (size_t i = 0; i < e->n; i++)
		vec_free(&e->at[i].named);
	free(e->at);
	free(e);
}

/* ---- coverage ---- */

static bool is_asked(const struct candidate *c)
{
	return c->state == CANDIDATE_TRYING || c->state == CANDIDATE_ELECTED;
}

/* Planned devices have the plan's order in the model; others cannot be asked. */
static uint32_t index_of(const struct job_election *e, const struct model *m, const char *name)
{
	const struct device *d = model_device(m, name);

	return d && d->id < e->n && str_eq(e->plan->devices.at[d->id].name, d->name) ? d->id
										     : NOBODY;
}

static bool is_covered(const struct job_election *e, size_t i)
{
	uint32_t by = e->at[i].covered_by;

	return by != NOBODY && e->at[by].state == CANDIDATE_ELECTED;
}

static int64_t retry_us(unsigned failures)
{
	int64_t wait = RETRY_FIRST_US;

	while (--failures && wait < RETRY_LONGEST_US)
		wait *= 2;
	return wait < RETRY_LONGEST_US ? wait : RETRY_LONGEST_US;
}

static void fail_candidate(struct candidate *c, int64_t now)
{
	c->state = CANDIDATE_IDLE;
	c->failures++;
	c->next_us = now + retry_us(c->failures);
	vec_free(&c->named);
}

/* ---- answers ---- */

static void note_named(struct job_election *e, const struct model *m, uint32_t self, uint32_t host)
{
	struct candidate *c = &e->at[self];

	if (host >= e->n || !str_eq(e->plan->devices.at[host].name, m->devices.at[host]->name))
		return;
	/* A host has one process per GPU, and they are adjacent in the answer. */
	if (c->named.n && c->named.at[c->named.n - 1] == host)
		return;
	*vec_add(&c->named) = host;
	e->at[host].covered_by = self;
}

static void elect_host(struct job_election *e, const struct model *m, const struct obs *o,
	uint32_t self, int64_t now)
{
	struct candidate *c = &e->at[self];
	const char *last = "";

	c->state = CANDIDATE_ELECTED;
	c->failures = 0;
	c->since_us = now;
	c->named.n = 0;
	note_named(e, m, self, self);
	for (size_t i = 0; i < o->nccl.n; i++) {
		const char *text = obs_text(o, o->nccl.at[i].host);

		if (!*text || str_eq(text, last))
			continue;
		last = text;
		note_named(e, m, self, model_host_by_text(m, text));
	}
}

static bool is_answer(const struct obs *o)
{
	const struct job_source_ops *ops = job_source_by_name(o->request);

	return ops && ops->elect;
}

void job_election_heard(
	struct job_election *e, const struct model *m, const struct obs *o, int64_t now_us)
{
	bool answer = is_answer(o);
	uint32_t i;

	if (!e || (!answer && (o->result != OBS_FAILED || !str_eq(o->request, "connect"))))
		return;
	i = index_of(e, m, o->device);
	if (i == NOBODY || !is_asked(&e->at[i]))
		return;
	if (o->result == OBS_FAILED)
		fail_candidate(&e->at[i], now_us);
	else
		elect_host(e, m, o, i, now_us);
}

/* ---- decisions ---- */

static bool has_named(const struct candidate *c, uint32_t host)
{
	for (size_t i = 0; i < c->named.n; i++)
		if (c->named.at[i] == host)
			return true;
	return false;
}

/* Two elected hosts name each other: they have the same job, and one retires. */
static void retire_twins(struct job_election *e, size_t i)
{
	struct candidate *c = &e->at[i];

	for (size_t k = 0; k < c->named.n; k++) {
		uint32_t other = c->named.at[k];
		struct candidate *o = &e->at[other];

		if (other <= i || o->state != CANDIDATE_ELECTED || !has_named(o, (uint32_t)i))
			continue;
		o->state = CANDIDATE_IDLE;
		o->next_us = 0;
		vec_free(&o->named);
		for (size_t h = 0; h < c->named.n; h++)
			e->at[c->named.at[h]].covered_by = (uint32_t)i;
	}
}

static void check_candidate(struct job_election *e, const struct model *m, size_t i, int64_t now)
{
	struct candidate *c = &e->at[i];
	int64_t patience = SILENT_INTERVALS * e->every_us + ANSWER_LONGEST_US;

	if (!m->devices.at[i]->connected || now - c->since_us > patience)
		fail_candidate(c, now);
	else if (c->state == CANDIDATE_ELECTED)
		retire_twins(e, i);
}

static bool is_free(const struct job_election *e, const struct model *m, size_t i, int64_t now)
{
	const struct candidate *c = &e->at[i];

	return c->state == CANDIDATE_IDLE && c->next_us <= now && m->devices.at[i]->connected &&
	       !is_covered(e, i);
}

/* Returns a step that is coprime to n and leads away from the neighbours. */
static size_t coprime_step(size_t n)
{
	size_t s = n * 382 / 1000 + 1, a, b;

	for (;; s++) {
		for (a = s, b = n; b;) {
			size_t rest = a % b;

			a = b;
			b = rest;
		}
		if (a == 1)
			return s;
	}
}

/*
 * Chooses the next host to try. Hosts of known jobs come first. Others are taken far apart, because
 * neighbours often share a job.
 */
static size_t choose_host(struct job_election *e, const struct model *m, int64_t now)
{
	size_t best = SIZE_MAX, step = coprime_step(e->n), at = e->cursor;

	for (size_t k = 0; k < e->n; k++) {
		at = (at + step) % e->n;
		if (!is_free(e, m, at, now))
			continue;
		if (model_job_of(m, (uint32_t)at) != JOB_NONE) {
			best = at;
			break;
		}
		if (best == SIZE_MAX)
			best = at;
	}
	if (best != SIZE_MAX)
		e->cursor = best;
	return best;
}

static void try_more(struct job_election *e, const struct model *m, int64_t now)
{
	size_t most = TRIED_AT_ONCE + e->hosts / HOSTS_A_TRIED, i;

	if (!e->settled_us && choose_host(e, m, now) != SIZE_MAX)
		e->settled_us = now + SETTLE_US;
	if (now < e->settled_us)
		return;
	for (size_t n = job_election_trying(e); n < most; n++) {
		i = choose_host(e, m, now);
		if (i == SIZE_MAX)
			return;
		e->at[i].state = CANDIDATE_TRYING;
		e->at[i].since_us = now;
	}
}

void job_election_step(struct job_election *e, const struct model *m, int64_t now_us,
	void (*tell)(void *ctx, const char *device, bool on), void *ctx)
{
	if (!e || m->devices.n < e->n)
		return;
	for (size_t i = 0; i < e->n; i++)
		if (is_asked(&e->at[i]))
			check_candidate(e, m, i, now_us);
	try_more(e, m, now_us);
	for (size_t i = 0; i < e->n; i++) {
		bool on = is_asked(&e->at[i]);

		if (e->at[i].told == on)
			continue;
		e->at[i].told = on;
		tell(ctx, e->plan->devices.at[i].name, on);
	}
}

static size_t count_state(const struct job_election *e, enum candidate_state s)
{
	size_t n = 0;

	for (size_t i = 0; e && i < e->n; i++)
		n += e->at[i].state == s;
	return n;
}

size_t job_election_elected(const struct job_election *e)
{
	return count_state(e, CANDIDATE_ELECTED);
}

size_t job_election_trying(const struct job_election *e)
{
	return count_state(e, CANDIDATE_TRYING);
}
