/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/incremental/poll_decode.h"

#include <stdlib.h>

#include "backends/contract/facts.h"
#include "base/str.h"

static struct decode_request *find_request(struct decode *d, const char *request)
{
	struct decode_request *r;

	for (size_t i = 0; i < d->requests.n; i++)
		if (str_eq(d->requests.at[i].name, request))
			return &d->requests.at[i];
	r = vec_add(&d->requests);
	(void)str_copy(r->name, sizeof(r->name), request);
	r->by = d->requests.n - 1;
	r->again = d->shelf ? answer_cache_new(d->shelf) : NULL;
	return r;
}

static int64_t max_time(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t whole_every(const struct decode *d)
{
	return max_time(DECODE_WHOLE_US, DECODE_WHOLE_POLLS * d->every_us);
}

static bool is_broken(const struct decode *d, const struct decode_request *r, int64_t now_us)
{
	return now_us - r->last_us >= max_time(DECODE_BROKEN_US, 2 * d->every_us);
}

/* Spread over the period, because many devices connect in the same second. */
static int64_t first_whole(const struct decode *d, const struct target *t, int64_t now_us)
{
	uint64_t hash = UINT64_C(14695981039346656037);

	for (const char *c = t->device; *c; c++)
		hash = (hash ^ (unsigned char)*c) * UINT64_C(1099511628211);
	return now_us + (int64_t)(hash % (uint64_t)whole_every(d));
}

static uint64_t attrs_of(const struct obs *o)
{
	uint64_t attrs = 0;

	for (; o; o = o->more)
		attrs |= answer_cache_attrs(o);
	return attrs;
}

void decode_saw(struct decode *d, const struct obs *o)
{
	d->attrs |= attrs_of(o);
}

/* Returns the port attributes of all other requests. */
static uint64_t others_of(const struct decode *d, const struct decode_request *r)
{
	uint64_t attrs = d->attrs;

	for (size_t i = 0; i < d->requests.n; i++)
		if (&d->requests.at[i] != r)
			attrs |= d->requests.at[i].attrs;
	return attrs;
}

static unsigned lost_so_far(const struct decode *d)
{
	return d->lost ? atomic_load_explicit(d->lost, memory_order_relaxed) : 0;
}

/* Reads the changes of the answer into o. False: a full read is needed, and o is empty. */
static bool read_changes(const struct decode *d, struct decode_request *r, const struct target *t,
	const char *bytes, size_t len, int64_t now_us, struct obs *o)
{
	struct obs *unused;

	if (!r->again)
		return false;
	if (r->overtaken || (t->facts && r->edits != t->facts->read_edits))
		answer_cache_forget(r->again);
	r->overtaken = false;
	answer_cache_others(r->again, others_of(d, r) & r->attrs);
	if (now_us < r->whole_us && !is_broken(d, r, now_us) && r->lost == lost_so_far(d))
		return answer_cache_read(r->again, bytes, len, o);
	/* A full batch is due: only update the kept text. */
	unused = obs_new(t->device, r->name);
	(void)answer_cache_read(r->again, bytes, len, unused);
	obs_free(unused);
	r->whole_us = r->whole_us ? now_us + whole_every(d) : first_whole(d, t, now_us);
	return false;
}

static bool read_whole(const struct decode *d, struct decode_request *r,
	const struct backend_ops *ops, const struct target *t, const char *bytes, size_t len,
	struct obs *o, struct err *err)
{
	struct target taught = *t;
	bool ok;

	/* One counter more than last time must not reallocate all of them. */
	obs_expect(o, r->items + r->items / 16, r->strings + r->strings / 16);
	if (r->again && !answer_cache_knows(r->again))
		taught.slots = answer_cache_lesson(r->again, bytes, len);
	ok = ops->parse(&taught, r->name, bytes, len, o, err);
	if (!ok)
		return false;
	r->attrs |= attrs_of(o);
	if (r->again)
		answer_cache_others(r->again, others_of(d, r) & r->attrs);
	/*
	 * A first answer often has facts, and the next one is read with them: do not learn before
	 * that.
	 */
	if (taught.slots && !facts_news(t->facts, o))
		(void)answer_cache_learn(r->again, o);
	r->items = o->items.n;
	r->strings = o->strings.n;
	return true;
}

/* Numbers the batches of an answer to the request with index `by`. */
static void number_batches(struct decode *d, size_t by, struct obs *o)
{
	for (; o; o = o->more) {
		struct decode_request *r;

		if (o->result != OBS_DATA)
			continue;
		r = find_request(d, o->request);
		/* 0 means no number. */
		r->number = r->number == UINT32_MAX ? 1 : r->number + 1;
		o->number = r->number;
		if (r->by != by)
			d->requests.at[r->by].overtaken = true;
		r->by = by;
	}
}

bool decode_answer(struct decode *d, const struct backend_ops *ops, const struct target *t,
	const char *request, const char *bytes, size_t len, int64_t now_us, struct obs *o,
	struct err *err)
{
	struct decode_request *r = find_request(d, request);
	/* Read it first: batches lost from here on may include this one. */
	unsigned lost = lost_so_far(d);
	bool ok;

	if (r->again)
		answer_cache_kept(r->again, d->before);
	ok = read_changes(d, r, t, bytes, len, now_us, o) ||
	     read_whole(d, r, ops, t, bytes, len, o, err);
	if (r->again)
		answer_cache_kept(r->again, NULL);
	if (!ok) {
		if (r->again)
			answer_cache_forget(r->again);
		return false;
	}
	r->last_us = now_us;
	r->lost = lost;
	r->edits = t->facts ? t->facts->read_edits : 0;
	number_batches(d, (size_t)(r - d->requests.at), o);
	return true;
}

void decode_forget(struct decode *d)
{
	for (size_t i = 0; i < d->requests.n; i++) {
		struct decode_request *r = &d->requests.at[i];

		if (r->again)
			answer_cache_forget(r->again);
		r->last_us = 0;
	}
}

void decode_free(struct decode *d)
{
	for (size_t i = 0; i < d->requests.n; i++)
		answer_cache_free(d->requests.at[i].again);
	vec_free(&d->requests);
}
