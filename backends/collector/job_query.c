/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "backends/collector/shard.h"
#include "backends/jobs/source_state.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/clock_track.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/regular_file.h"
#include "base/str.h"

/*
 * Job queries of hosts. Each entry of the inventory has its own period on each host, with one round
 * at a time. All its batches are marked as followed, because they are no sign of life of the host.
 */

/* With once there is no election: so many hosts are asked, because their answers are large. */
#define ONCE_ELECTED      4
#define DUTY_BACKOFF_MOST 5 /* the most doublings of the period */
#define LOCAL_FILE_MOST   ((size_t)4 << 20)

static int64_t now_us(void)
{
	return clock_mono(&clock_system);
}

/* ---- assignment ---- */

struct named {
	const struct plan *plan;
	bool *asked; /* per device */
	const struct plan_jobs *jobs;
	struct err *err;
	bool ok;
};

static void on_name(void *ctx, const char *name)
{
	struct named *n = ctx;
	int i = plan_find(n->plan, name);

	if (i >= 0) {
		n->asked[i] = true;
		return;
	}
	if (!n->ok)
		return;
	n->ok = false;
	err_set(n->err, ERR_CONFIG, n->jobs->where, "jobs: the device %s does not exist", name);
	err_cure(n->err, "name devices listed below hosts: or switches:");
}

static bool find_asked(struct named *n)
{
	if (n->jobs->hosts)
		return hostlist_expand(
			       n->jobs->hosts, n->plan->devices.n + 1, on_name, n, n->err) &&
		       n->ok;
	for (size_t i = 0; i < n->plan->devices.n; i++)
		n->asked[i] = n->plan->devices.at[i].tier == TIER_HOST;
	return true;
}

/*
 * Assigns the entry to a host. False: the host has such an entry already; two readers of the same
 * files would interfere.
 */
static bool assign_duty(struct device_poller *p, const struct plan_jobs *j,
	const struct job_source_ops *ops, bool first, struct err *err)
{
	struct job_query *d;

	if (!p->ops || p->target.transport != TRANSPORT_SSH)
		return true;
	for (size_t i = 0; i < p->duties.n; i++) {
		if (p->duties.at[i].ops != ops)
			continue;
		err_set(err, ERR_CONFIG, j->where, "jobs: %s is asked twice for %s (also by %s)",
			p->device->name, ops->name, p->duties.at[i].jobs->where);
		return err_cure(err, "give each of the two entries its own hosts:");
	}
	d = vec_add(&p->duties);
	*d = (struct job_query){.poller = p, .jobs = j, .ops = ops, .due_us = INT64_MAX};
	d->on = !ops->elect || first;
	return true;
}

bool job_queries_prepare(struct collector *c, struct err *err)
{
	for (size_t k = 0; k < c->plan->jobs.n; k++) {
		const struct plan_jobs *j = &c->plan->jobs.at[k];
		const struct job_source_ops *ops = job_source_by_name(j->source);
		struct named n = {.plan = c->plan, .jobs = j, .err = err, .ok = true};
		unsigned asked = 0;
		bool ok;

		if (!ops || !ops->plan)
			continue;
		n.asked = mem_calloc(c->plan->devices.n + 1, sizeof(*n.asked));
		ok = find_asked(&n);
		for (size_t i = 0; ok && i < c->plan->devices.n; i++)
			if (n.asked[i])
				ok = assign_duty(&c->shards[i % c->n].pollers[i / c->n], j, ops,
					c->opts.once && asked++ < ONCE_ELECTED, err);
		free(n.asked);
		if (!ok)
			return false;
	}
	return true;
}

struct job_query *job_query_of(const struct device_poller *p, const char *request)
{
	size_t len;

	for (size_t i = 0; i < p->duties.n; i++) {
		len = strlen(p->duties.at[i].ops->name);
		if (strncmp(request, p->duties.at[i].ops->name, len) == 0 &&
			(!request[len] || request[len] == '/'))
			return &p->duties.at[i];
	}
	return NULL;
}

/* ---- answers ---- */

/* Adds the job's name, which a log does not contain. */
static void name_job(struct obs *o, const char *name)
{
	uint32_t text = name ? obs_string(o, name) : 0;

	for (size_t i = 0; text && i < o->nccl.n; i++)
		if (!o->nccl.at[i].job)
			o->nccl.at[i].job = text;
}

bool job_query_parse(const struct job_query *d, const char *request, const struct answer *a,
	struct obs *o, struct err *e)
{
	o->followed = true;
	o->took_us = a->took_us;
	o->bytes = a->received;
	if (!d->ops->parse(d->jobs, &d->poller->target, request, a->bytes, a->len, o, e))
		return false;
	name_job(o, d->jobs->name);
	return true;
}

void job_query_say(struct job_query *d, enum validity v, const char *text)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ ((uint64_t)v + 1); /* FNV-1a */
	struct obs *o;

	for (const char *at = text; *at; at++)
		hash = (hash ^ (unsigned char)*at) * UINT64_C(1099511628211);
	if (d->said == hash)
		return;
	d->said = hash;
	o = device_poller_batch(d->poller, "jobs");
	o->result = OBS_DATA;
	o->followed = true;
	job_source_say(o, d->ops->name, v, text);
	shard_push(d->poller->shard, o);
}

/* A host on which no process listens has no job; all other failures need the operator. */
static void say_failure(struct job_query *d, const struct err *why)
{
	enum validity v =
		d->ops->elect && why->code == ERR_UNREACHABLE ? VALID_UNKNOWN : VALID_UNSUPPORTED;
	char text[sizeof(why->text) + sizeof(why->cure) + 4];

	if (why->cure[0])
		(void)str_printf(text, sizeof(text), "%.90s; %s", why->text, why->cure);
	else
		(void)str_copy(text, sizeof(text), why->text);
	job_query_say(d, v, text);
}

static void explain(const struct job_query *d, const struct answer *a, struct err *why)
{
	if (d->ops->explain)
		(void)d->ops->explain(d->poller->device->name, a->status, a->complaint, why);
}

void job_query_failed(struct job_query *d, const struct answer *a, const struct err *why)
{
	struct err err = *why;

	explain(d, a, &err);
	say_failure(d, &err);
}

/*
 * Reports once, as an event, an error that the operator can fix: forbidden forwarding or an
 * unsupported version. A host without a job is not an error.
 */
static void report_cure(struct job_query *d, const struct err *why)
{
	struct obs *o;
	char text[sizeof(why->text) + sizeof(why->cure) + 4];

	if ((why->code != ERR_UNAUTHORISED && why->code != ERR_UNSUPPORTED) || d->told == why->code)
		return;
	d->told = why->code;
	o = device_poller_batch(d->poller, "jobs");
	o->result = OBS_DATA;
	o->followed = true;
	(void)str_printf(text, sizeof(text), "%s: %s", why->text, why->cure);
	obs_log(o, OBS_NO_PORT, -1, false, 0, text);
	shard_push(d->poller->shard, o);
}

/* r, a: NULL when there was no request. */
static void report_failure(
	struct job_query *d, const struct request *r, const struct answer *a, const struct err *why)
{
	struct obs *o = device_poller_batch(d->poller, r ? r->name : d->ops->name);

	o->result = OBS_FAILED;
	o->followed = true;
	o->err = *why;
	if (a && a->len)
		device_poller_keep_raw(d->poller, o, r, a);
	shard_push(d->poller->shard, o);
	say_failure(d, why);
	report_cure(d, why);
}

static void decode_reply(struct job_query *d, const struct request *r, const struct answer *a)
{
	struct obs *o = device_poller_batch(d->poller, r->name);
	struct err err = {0};

	if (!job_query_parse(d, r->name, a, o, &err)) {
		obs_free(o);
		d->failed = true;
		explain(d, a, &err);
		if (err.code == ERR_NONE)
			err_set(&err, ERR_PROTOCOL, d->poller->device->name, "%s: not understood",
				r->name);
		report_failure(d, r, a, &err);
		return;
	}
	device_poller_keep_raw(d->poller, o, r, a);
	facts_learn(&d->poller->facts, o);
	if (job_source_said(o))
		d->said = 0;
	else if (o->err.code == ERR_NONE)
		job_query_say(d, VALID_OK, "");
	else
		say_failure(d, &o->err);
	shard_push(d->poller->shard, o);
}

/* ---- rounds ---- */

/* Returns the first due time. A new connection or election must not shorten the safe interval. */
static int64_t first_due(const struct job_query *d, int64_t now)
{
	int64_t next = d->asked_us + job_source_interval(d->ops, d->jobs);

	return d->asked_us && next > now ? next : now;
}

static void duty_end(struct job_query *d)
{
	int64_t every = job_source_interval(d->ops, d->jobs);

	requests_free(&d->list);
	d->busy = false;
	d->failures = d->failed ? d->failures + 1 : 0;
	/* The election judges the hosts that it chose; other hosts are polled less often. */
	if (!d->ops->elect)
		every <<= d->failures < DUTY_BACKOFF_MOST ? d->failures : DUTY_BACKOFF_MOST;
	d->done = true;
	d->due_us = d->on && !d->poller->schedule.once ? now_us() + every : INT64_MAX;
	if (!device_poller_finish(d->poller))
		device_poller_arm(d->poller);
}

bool job_queries_done(const struct device_poller *p)
{
	bool all = true;

	for (size_t i = 0; i < p->duties.n; i++)
		all = all && (p->duties.at[i].done || !p->duties.at[i].on);
	return all;
}

static void duty_next(struct job_query *d);

static void on_answer(void *ctx, const struct answer *a)
{
	struct job_query *d = ctx;
	struct device_poller *p = d->poller;

	if (a->err.code != ERR_NONE && !p->transport->ready(p->link))
		return; /* down() follows */
	if (a->err.code == ERR_NONE) {
		decode_reply(d, &d->list.at.at[d->next - 1], a);
	} else {
		struct err why = a->err;

		d->failed = true;
		explain(d, a, &why);
		report_failure(d, &d->list.at.at[d->next - 1], a, &why);
	}
	duty_next(d);
}

static void duty_next(struct job_query *d)
{
	struct device_poller *p = d->poller;

	if (d->next == d->list.at.n)
		duty_end(d);
	else
		p->transport->ask(p->link, &d->list.at.at[d->next++], POLL_MEDIUM, on_answer, d);
}

static void duty_begin(struct job_query *d)
{
	struct err err = {0};

	d->busy = true;
	d->failed = false;
	d->next = 0;
	d->asked_us = now_us();
	d->due_us = INT64_MAX;
	if (!d->ops->plan(d->jobs, &d->poller->target, POLL_MEDIUM, &d->list, &err)) {
		d->failed = true;
		report_failure(d, NULL, NULL, &err);
	}
	for (size_t i = 0; i < d->list.at.n; i++)
		d->list.at.at[i].follow = false;
	if (d->list.at.n == 0) {
		d->busy = false; /* a source that is only followed */
		d->done = true;
		return;
	}
	duty_next(d);
}

void job_queries_begin(struct device_poller *p)
{
	int64_t now = now_us();

	for (size_t i = 0; i < p->duties.n; i++)
		if (p->duties.at[i].on)
			p->duties.at[i].due_us = first_due(&p->duties.at[i], now);
}

void job_queries_due(struct device_poller *p, int64_t now)
{
	for (size_t i = 0; i < p->duties.n && p->state == POLLER_READY; i++)
		if (!p->duties.at[i].busy && p->duties.at[i].due_us <= now)
			duty_begin(&p->duties.at[i]);
}

int64_t job_queries_next_us(const struct device_poller *p)
{
	int64_t first = INT64_MAX;

	for (size_t i = 0; i < p->duties.n; i++)
		if (!p->duties.at[i].busy && p->duties.at[i].due_us < first)
			first = p->duties.at[i].due_us;
	return first;
}

void job_queries_drop(struct device_poller *p)
{
	for (size_t i = 0; i < p->duties.n; i++) {
		struct job_query *d = &p->duties.at[i];

		requests_free(&d->list);
		d->busy = false;
		d->due_us = INT64_MAX;
	}
}

void job_queries_switch(struct device_poller *p, bool on)
{
	for (size_t i = 0; i < p->duties.n; i++) {
		struct job_query *d = &p->duties.at[i];

		if (!d->ops->elect || d->on == on)
			continue;
		d->on = on;
		if (!d->busy)
			d->due_us =
				on && p->state == POLLER_READY ? first_due(d, now_us()) : INT64_MAX;
	}
	device_poller_arm(p);
}

void job_queries_follow(struct device_poller *p, struct request_list *out)
{
	struct err err = {0};

	for (size_t i = 0; i < p->duties.n; i++)
		if (!p->duties.at[i].ops->plan(
			    p->duties.at[i].jobs, &p->target, POLL_EVENTS, out, &err))
			report_failure(&p->duties.at[i], NULL, NULL, &err);
}

/* ---- files of this machine ---- */

static bool read_file(const char *path, struct buf *b, struct err *err)
{
	char chunk[65536];
	FILE *f = regular_file_stream(path);
	size_t n;

	if (!f) {
		(void)regular_file_err(err, ERR_IO, path, "cannot be read");
		return err_cure(err, "the file must list the jobs, see jobs: in railtop-fabric(5)");
	}
	while ((n = fread(chunk, 1, sizeof(chunk), f)) > 0 && buf_add(b, chunk, n))
		;
	(void)fclose(f);
	return b->overflow
		       ? err_set(err, ERR_LIMIT, path, "is larger than %zu bytes", LOCAL_FILE_MOST)
		       : true;
}

/* The need of a source that no device is asked for names the file. */
static void say_file(const struct local_file *l, struct obs *o, const struct err *why)
{
	char name[64], text[sizeof(why->text) + sizeof(why->cure) + 4];
	const char *base = strrchr(l->jobs->path, '/');

	(void)str_printf(
		name, sizeof(name), "%s %s", l->ops->name, base ? base + 1 : l->jobs->path);
	if (why->code == ERR_NONE)
		(void)str_copy(text, sizeof(text), o->nccl.n > 1 ? "" : "the file names no job");
	else
		(void)str_printf(text, sizeof(text), "%.90s; %s", why->text, why->cure);
	job_source_say(o, name,
		why->code != ERR_NONE ? VALID_DISABLED
		: o->nccl.n > 1       ? VALID_OK
				      : VALID_UNKNOWN,
		text);
}

static void ask_file(struct local_file *l)
{
	const struct target none = {.device = l->jobs->path};
	struct obs *o = obs_new("", l->ops->name);
	struct err err = {0};
	struct buf b;

	o->received_us = clock_session();
	o->followed = true;
	buf_init(&b, LOCAL_FILE_MOST);
	if (!read_file(l->jobs->path, &b, &err) || !l->ops->parse(l->jobs, &none, l->ops->name,
							   b.data ? b.data : "", b.len, o, &err)) {
		o->result = OBS_FAILED;
		o->err = err;
	}
	if (o->result == OBS_FAILED && !l->failed)
		log_line("jobs", "%s: %s", err.origin, err.text);
	l->failed = o->result == OBS_FAILED;
	buf_free(&b);
	say_file(l, o, l->failed ? &err : &o->err);
	shard_push(l->shard, o);
}

static void on_local(uv_timer_t *t)
{
	ask_file(t->data);
}

void local_files_start(struct shard *s)
{
	const struct plan *plan = s->collector->plan;

	if (s != &s->collector->shards[0])
		return;
	s->locals = mem_calloc(plan->jobs.n + 1, sizeof(*s->locals));
	for (size_t k = 0; k < plan->jobs.n; k++) {
		const struct job_source_ops *ops = job_source_by_name(plan->jobs.at[k].source);
		struct local_file *l = &s->locals[s->nlocals];
		int64_t ms;

		if (!ops || !ops->local || !plan->jobs.at[k].path)
			continue;
		s->nlocals++;
		*l = (struct local_file){.shard = s, .jobs = &plan->jobs.at[k], .ops = ops};
		ms = job_source_interval(ops, l->jobs) / CLOCK_MSEC;
		(void)uv_timer_init(&s->loop, &l->timer);
		l->timer.data = l;
		(void)uv_timer_start(&l->timer, on_local, 0, (uint64_t)ms);
	}
}

void local_files_stop(struct shard *s)
{
	for (size_t i = 0; i < s->nlocals; i++)
		uv_close((uv_handle_t *)&s->locals[i].timer, NULL);
}
