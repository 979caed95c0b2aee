/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/fail.h"
#include "tests/bench/load/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "backends/incremental/poll_decode.h"
#include "backends/contract/target.h"
#include "backends/transport/transport.h"
#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tests/bench/load/responder.h"

#define CONNECTING_MOST 64

#define STEP_US (5 * CLOCK_SEC) /* the responder's, unless it is told another */

struct member;
struct question {
	struct member *member;
	const struct request *request;
};

struct member {
	struct sweeper *sweeper;
	const struct plan_device *device;
	struct backend_ops own; /* the dialect; its list of reads may be another */
	struct target target;
	struct facts facts;
	struct decode decode[SWEEP_APPLY + 1]; /* a model wants each batch of those it gets */
	enum sweep_depth reader;               /* which of them had the last answer */
	struct device_link *link;
	struct request_list list;
	struct question *questions; /* one a request */
	size_t answered;
	bool up, bad;
};

struct sweeper {
	uv_loop_t loop;
	void *shard;
	struct member *members;
	unsigned n, next, busy;
	bool payload;
	enum poll_tier tier;
	enum sweep_depth depth;
	/*
	 * Answers of the fast tier are a step of device time apart, sweeps much less. So this clock
	 * goes on with the devices' clocks. Otherwise the model takes a device clock that runs away
	 * for one that was set, and goes over all cells of the device.
	 */
	int64_t now_us;
	struct model *model;
	struct answer_shelf *shelf;
	struct sweep_result *result;
};

double sweep_cpu_s(void)
{
	struct rusage u;

	(void)getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

double sweep_rss_mb(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	if (f && fscanf(f, "%*u %lu", &pages) != 1)
		pages = 0;
	if (f)
		(void)fclose(f);
	return (double)pages * (double)sysconf(_SC_PAGESIZE) / 1048576;
}

static void bad(struct member *m, const char *why)
{
	struct sweep_result *r = m->sweeper->result;

	if (!m->bad && !r->failed++)
		(void)str_printf(
			r->complaint, sizeof(r->complaint), "%s: %s", m->device->name, why);
	m->bad = true;
}

/* ---- connecting ---- */

static void connect_next(struct sweeper *s)
{
	while (s->busy < CONNECTING_MOST && s->next < s->n) {
		struct member *m = &s->members[s->next++];

		s->busy++;
		m->link->ops->connect(m->link);
	}
}

static void on_up(void *ctx)
{
	struct member *m = ctx;

	m->up = true;
	m->sweeper->busy--;
	connect_next(m->sweeper);
}

static void on_down(void *ctx, const struct err *why)
{
	struct member *m = ctx;

	bad(m, why->text);
	if (m->up)
		return;
	m->sweeper->busy--;
	connect_next(m->sweeper);
}

/* ---- asking ---- */

static void plan_tier(struct member *m)
{
	struct err err = {0};

	requests_free(&m->list);
	free(m->questions);
	memset(&m->list, 0, sizeof(m->list));
	if (m->sweeper->payload)
		requests_ssh(&m->list, "fast", RESPONDER_PAYLOAD, NULL);
	else if (!m->own.plan(&m->target, m->sweeper->tier, &m->list, &err))
		bad(m, err.text);
	m->answered = 0;
	m->questions = mem_calloc(m->list.at.n + 1, sizeof(*m->questions));
	for (size_t i = 0; i < m->list.at.n; i++)
		m->questions[i] = (struct question){m, &m->list.at.at[i]};
}

static void apply(struct sweeper *s, const struct obs *o)
{
	for (; o; o = o->more)
		model_apply(s->model, o, o->received_us);
}

/* As the collector does: answers of the other tiers are read as a whole each time. */
static bool read_answer(struct member *m, const struct request *r, const struct answer *a,
	struct obs *o, struct err *err)
{
	struct sweeper *s = m->sweeper;
	bool ok;

	if (s->tier == POLL_FAST) {
		/* The kept text is the answer before this one, at whichever depth it was read. */
		m->decode[s->depth].before = m->reader == s->depth ? a->before : NULL;
		m->reader = s->depth;
		return decode_answer(&m->decode[s->depth], &m->own, &m->target, r->name, a->bytes,
			a->len, s->now_us, o, err);
	}
	ok = m->own.parse(&m->target, r->name, a->bytes, a->len, o, err);
	for (int d = 0; ok && d <= SWEEP_APPLY; d++)
		decode_saw(&m->decode[d], o);
	return ok;
}

static void take(struct member *m, const struct request *r, const struct answer *a)
{
	struct sweeper *s = m->sweeper;
	struct obs *o = obs_new(m->device->name, r->name);
	struct err err = {0};
	bool ok;

	o->received_us = s->now_us;
	o->took_us = a->took_us;
	o->bytes = a->received;
	ok = read_answer(m, r, a, o, &err);
	if (!ok) {
		bad(m, err.text);
		obs_free(o);
		return;
	}
	facts_learn(&m->facts, o);
	if (o->again)
		bad(m, "it is to be asked again");
	if (s->depth == SWEEP_APPLY)
		apply(s, o);
	obs_free(o);
}

static void on_answer(void *ctx, const struct answer *a)
{
	const struct question *q = ctx;
	struct member *m = q->member;
	struct sweeper *s = m->sweeper;

	s->result->answers++;
	s->result->bytes += a->received;
	if (a->err.code != ERR_NONE)
		bad(m, a->err.text);
	else if (s->depth > SWEEP_TRANSPORT)
		take(m, q->request, a);
	if (++m->answered < m->list.at.n)
		return;
	s->busy--;
}

static void ask_member(struct member *m)
{
	for (size_t k = 0; m->answered != SIZE_MAX && k < m->list.at.n; k++)
		m->link->ops->ask(m->link, m->questions[k].request, m->sweeper->tier, on_answer,
			&m->questions[k]);
}

static void ask_all(struct sweeper *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];

		if (!m->up)
			bad(m, "not connected");
		else
			plan_tier(m);
		if (m->up && m->list.at.n)
			s->busy++;
		else
			m->answered = SIZE_MAX;
	}
	for (unsigned i = 0; i < s->n; i++)
		ask_member(&s->members[i]);
}

static void run(struct sweeper *s, struct sweep_result *r, void (*begin)(struct sweeper *s))
{
	double cpu = sweep_cpu_s();
	int64_t wall = clock_mono(&clock_system);

	memset(r, 0, sizeof(*r));
	s->result = r;
	for (unsigned i = 0; i < s->n; i++)
		s->members[i].bad = false;
	begin(s);
	/* An answer within ask() may be the last: a loop that does not run cannot be stopped. */
	while (s->busy)
		(void)uv_run(&s->loop, UV_RUN_ONCE);
	r->cpu_s = sweep_cpu_s() - cpu;
	r->wall_s = (double)(clock_mono(&clock_system) - wall) / 1e6;
}

void sweeper_connect(struct sweeper *s, struct sweep_result *r)
{
	s->next = 0;
	run(s, r, connect_next);
}

void sweeper_detect(struct sweeper *s, struct sweep_result *r)
{
	s->tier = POLL_DETECT;
	s->depth = SWEEP_PARSE;
	run(s, r, ask_all);
}

void sweeper_ask(
	struct sweeper *s, enum poll_tier tier, enum sweep_depth depth, struct sweep_result *r)
{
	s->tier = tier;
	s->depth = depth;
	if (tier == POLL_FAST)
		s->now_us += STEP_US;
	run(s, r, ask_all);
}

void sweeper_poll(struct sweeper *s, enum sweep_depth depth, struct sweep_result *r)
{
	sweeper_ask(s, POLL_FAST, depth, r);
}

struct model *sweeper_model(struct sweeper *s)
{
	return s->model;
}

/* ---- life ---- */

/* The name of the payload is on no dialect's list of reads. */
static bool reads_payload(const struct request *r)
{
	return str_eq(r->command, RESPONDER_PAYLOAD);
}

static bool member_open(struct sweeper *s, struct member *m, const struct plan *plan, unsigned i)
{
	struct link_events events = {.up = on_up, .down = on_down, .ctx = m};
	struct err err = {0};

	m->sweeper = s;
	for (int d = 0; d <= SWEEP_APPLY; d++)
		m->decode[d].shelf = s->shelf;
	m->device = &plan->devices.at[i];
	m->own = *backend_by_name(m->device->dialect);
	if (s->payload)
		m->own.reads = reads_payload;
	if (!target_from_plan(&m->target, plan, m->device, &m->own, &err)) {
		(void)fprintf(stderr, "%s\n", err.text);
		return false;
	}
	m->target.facts = &m->facts;
	m->link = transport_ssh.open(s->shard, m->device, &m->own, NULL, &events);
	return true;
}

struct sweeper *sweeper_new(const struct plan *plan, bool payload)
{
	struct sweeper *s = mem_calloc(1, sizeof(*s));

	(void)uv_loop_init(&s->loop);
	s->shard = transport_ssh.shard_open(&s->loop);
	s->payload = payload;
	s->now_us = clock_wall(&clock_system);
	s->n = (unsigned)plan->devices.n;
	s->shelf = answer_shelf_new(ANSWER_CACHE_MOST);
	s->members = mem_calloc(s->n, sizeof(*s->members));
	s->model = model_new(plan);
	for (unsigned i = 0; i < s->n; i++)
		if (!member_open(s, &s->members[i], plan, i))
			bench_fail("%s cannot be opened", plan->devices.at[i].name);
	return s;
}

void sweeper_once(struct sweeper *s)
{
	for (unsigned i = 0; i < s->n; i++)
		for (int d = 0; d <= SWEEP_APPLY; d++)
			s->members[i].decode[d].shelf = NULL;
}

void sweeper_free(struct sweeper *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		struct member *m = &s->members[i];

		m->link->ops->close(m->link);
		requests_free(&m->list);
		free(m->questions);
		facts_free(&m->facts);
		for (int d = 0; d <= SWEEP_APPLY; d++)
			decode_free(&m->decode[d]);
	}
	answer_shelf_free(s->shelf);
	transport_ssh.shard_close(s->shard);
	(void)uv_run(&s->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&s->loop);
	model_free(s->model);
	free(s->members);
	free(s);
}
