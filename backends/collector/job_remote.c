/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>
#include <string.h>

#include "backends/collector/shard.h"
#include "backends/https/fetch.h"
#include "backends/jobs/source_state.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/clock_track.h"
#include "base/mem.h"
#include "base/str.h"

/*
 * Sources of jobs that are reached by a URL. The first shard owns them. A thread of libuv's pool
 * fetches and decodes the documents of a round; the shard's loop queues the batch.
 */

#define DOCUMENT_CAP  ((size_t)64 << 20)
#define DOCUMENTS_MAX 200 /* with all pages: 100,000 pods */
#define TIMEOUT_US    (20 * CLOCK_SEC)

struct remote_source {
	struct shard *shard;
	const struct plan_jobs *jobs;
	const struct job_source_ops *ops;
	const char *token; /* of the collector's credentials; NULL */
	uv_timer_t timer;
	uv_work_t work;
	bool busy, asked;
	struct obs *result;
};

struct documents {
	struct job_document at[DOCUMENTS_MAX];
	struct buf bytes[DOCUMENTS_MAX];
	char paths[DOCUMENTS_MAX][2048];
	size_t n;
};

bool remote_sources_prepare(struct collector *c, struct err *err)
{
	for (size_t k = 0; k < c->plan->jobs.n; k++) {
		const struct plan_jobs *j = &c->plan->jobs.at[k];
		const struct job_source_ops *ops = job_source_by_name(j->source);

		if (!ops || !ops->paths || !j->url)
			continue;
		if (!rest_fetch_check(j->url, j->token != NULL, j->where, err) ||
			(j->token && !credentials_token(c->credentials, j->token, j->where, err)))
			return false;
		c->asked += c->opts.once;
	}
	return true;
}

/* ---- in a thread of the pool ---- */

static bool fetch_one(const struct remote_source *r, struct documents *d, struct err *err)
{
	struct job_document *doc = &d->at[d->n];
	struct buf *b = &d->bytes[d->n];
	const struct rest_fetch f = {.url = r->jobs->url,
		.path = d->paths[d->n],
		.token = r->token,
		.tls_ca = r->jobs->tls_ca,
		.timeout_us = TIMEOUT_US,
		.stop = &r->shard->collector->stop};

	buf_init(b, DOCUMENT_CAP);
	doc->path = d->paths[d->n++];
	if (!rest_fetch(&f, b, &doc->status, err))
		return false;
	doc->bytes = b->data ? b->data : "";
	doc->len = b->len;
	return true;
}

/* A path and all its pages. */
static bool fetch_path(
	const struct remote_source *r, struct documents *d, const char *path, struct err *err)
{
	char next[sizeof(d->paths[0])];
	bool more = true;

	(void)str_copy(next, sizeof(next), path);
	while (more) {
		if (d->n == DOCUMENTS_MAX)
			return err_set(err, ERR_LIMIT, r->jobs->url,
				"more than %d pages of answers", DOCUMENTS_MAX);
		(void)str_copy(d->paths[d->n], sizeof(d->paths[0]), next);
		if (!fetch_one(r, d, err))
			return false;
		more = r->ops->next && r->ops->next(&d->at[d->n - 1], next, sizeof(next));
	}
	return true;
}

static void name_jobs(struct obs *o, const char *name)
{
	uint32_t text = name ? obs_string(o, name) : 0;

	for (size_t i = 0; text && i < o->nccl.n; i++)
		if (o->nccl.at[i].kind == NCCL_JOB && !o->nccl.at[i].job)
			o->nccl.at[i].job = text;
}

/* The URL's host tells two clusters apart. */
static void say_state(const struct remote_source *r, struct obs *o, const struct err *why)
{
	const char *host = strstr(r->jobs->url, "://");
	char name[64], text[sizeof(why->text) + sizeof(why->cure) + 4];
	bool any = false;

	for (size_t i = 0; i < o->nccl.n && !any; i++)
		any = o->nccl.at[i].kind == NCCL_JOB;
	host = host ? host + 3 : r->jobs->url;
	(void)str_printf(
		name, sizeof(name), "%s %.*s", r->ops->name, (int)strcspn(host, "/"), host);
	if (why->code == ERR_NONE) {
		job_source_say(o, name, any ? VALID_OK : VALID_UNKNOWN,
			any ? "" : "it answers, and has no running job with GPUs");
		return;
	}
	(void)str_printf(text, sizeof(text), "%.90s; %s", why->text, why->cure);
	job_source_say(o, name, VALID_UNSUPPORTED, text);
}

static void on_work(uv_work_t *w)
{
	struct remote_source *r = w->data;
	struct documents *d = mem_calloc(1, sizeof(*d));
	struct obs *o = obs_new("", r->ops->name);
	struct err err = {0};
	bool ok = true;

	for (size_t i = 0; r->ops->paths[i] && ok; i++)
		ok = fetch_path(r, d, r->ops->paths[i], &err);
	ok = ok && r->ops->read(d->at, d->n, o, &err);
	if (!ok && err.code == ERR_NONE)
		err_set(&err, ERR_PROTOCOL, r->jobs->url, "not understood");
	o->received_us = clock_session();
	o->followed = true;
	if (!ok) {
		o->nccl.n = 0;
		o->result = OBS_FAILED;
		o->err = err;
	}
	name_jobs(o, r->jobs->name);
	say_state(r, o, ok ? &o->err : &err);
	for (size_t i = 0; i < d->n; i++)
		buf_free(&d->bytes[i]);
	free(d);
	r->result = o;
}

/* ---- in the shard's loop ---- */

static void on_done(uv_work_t *w, int status)
{
	struct remote_source *r = w->data;
	struct collector *c = r->shard->collector;

	r->busy = false;
	if (status == 0 && r->result)
		shard_push(r->shard, r->result);
	else
		obs_free(r->result);
	r->result = NULL;
	if (!r->asked && c->opts.once)
		atomic_fetch_add(&c->finished, 1);
	r->asked = true;
}

static void on_timer(uv_timer_t *t)
{
	struct remote_source *r = t->data;

	if (r->busy || (r->asked && r->shard->collector->opts.once) || r->shard->stopping)
		return;
	r->work.data = r;
	r->busy = uv_queue_work(&r->shard->loop, &r->work, on_work, on_done) == 0;
}

void remote_sources_start(struct shard *s)
{
	const struct plan *plan = s->collector->plan;

	if (s != &s->collector->shards[0])
		return;
	s->remotes = mem_calloc(plan->jobs.n + 1, sizeof(*s->remotes));
	for (size_t k = 0; k < plan->jobs.n; k++) {
		const struct plan_jobs *j = &plan->jobs.at[k];
		const struct job_source_ops *ops = job_source_by_name(j->source);
		struct remote_source *r = &s->remotes[s->nremotes];
		struct err ignored;

		if (!ops || !ops->paths || !j->url)
			continue;
		s->nremotes++;
		*r = (struct remote_source){.shard = s, .jobs = j, .ops = ops};
		if (j->token)
			r->token = credentials_token(
				s->collector->credentials, j->token, j->where, &ignored);
		(void)uv_timer_init(&s->loop, &r->timer);
		r->timer.data = r;
		(void)uv_timer_start(&r->timer, on_timer, 0,
			(uint64_t)(job_source_interval(ops, j) / CLOCK_MSEC));
	}
}

void remote_sources_stop(struct shard *s)
{
	for (size_t i = 0; i < s->nremotes; i++) {
		if (s->remotes[i].busy)
			(void)uv_cancel((uv_req_t *)&s->remotes[i].work);
		uv_close((uv_handle_t *)&s->remotes[i].timer, NULL);
	}
}
