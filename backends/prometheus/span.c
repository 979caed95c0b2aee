/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/prometheus/prometheus_private.h"
#include "base/str.h"

/* Values of some counters over a stretch of the past, for a chart. */

#define SPAN_SERIES 16384 /* of one query: with 400 points some 6 million samples */

static void free_list(struct obs *list)
{
	for (struct obs *next; list; list = next) {
		next = list->next;
		obs_free(list);
	}
}

static void free_shards(struct prometheus *e)
{
	for (size_t i = 0; i < e->span_shards.n; i++)
		prometheus_shard_free(&e->span_shards.at[i]);
	e->span_shards.n = 0;
}

static bool is_asked(const struct prometheus_span *s, const struct prometheus_rule *r)
{
	for (size_t i = 0; i < s->n_counters && r->tells == PROMETHEUS_COUNTER; i++)
		if (s->counters[i] == r->counter)
			return true;
	return false;
}

/* Leaves only the rules for these counters. */
static void keep_rules(const struct prometheus *e, struct prometheus_shard *s)
{
	for (size_t i = 0; i < s->asks.n; i++) {
		struct prometheus_ask *a = s->asks.at[i];
		size_t n = 0;

		for (size_t k = 0; k < a->rules.n; k++)
			if (is_asked(&e->spanning, e->map->rules.at[a->rules.at[k]]))
				a->rules.at[n++] = a->rules.at[k];
		a->rules.n = n;
		a->divided |= n == 0; /* it is not asked */
	}
}

static void add_shard(struct prometheus *e, const char *device)
{
	for (size_t i = 0; i < series_index_devices(e->book); i++) {
		size_t at = series_index_device(e->book, i);
		struct prometheus_shard *s;

		if (!str_eq(e->plan->devices.at[at].name, device))
			continue;
		s = vec_add(&e->span_shards);
		prometheus_shard_plan(s, e->book, e->map, WHICH_NUMBERS, i, i + 1, SPAN_SERIES);
		keep_rules(e, s);
		return;
	}
}

static void give_answer(struct prometheus *e, struct obs *list, const struct err *err)
{
	struct obs *old;

	pthread_mutex_lock(&e->lock);
	old = e->span.obs;
	e->span.ready = !e->span.wanted;
	e->span.obs = e->span.wanted ? NULL : list;
	e->span.answered = e->spanning;
	e->span.err = *err;
	if (!e->span.ready) {
		struct obs *unwanted = list;

		pthread_mutex_unlock(&e->lock);
		free_list(unwanted);
		free_list(old);
		return;
	}
	pthread_mutex_unlock(&e->lock);
	free_list(old);
	e->opts.wake(e->opts.ctx);
}

bool prometheus_span_begin(struct prometheus *e)
{
	struct err err = {0};
	bool wanted;

	pthread_mutex_lock(&e->lock);
	wanted = e->span.wanted;
	e->span.wanted = false;
	if (wanted)
		e->spanning = e->span.asked;
	pthread_mutex_unlock(&e->lock);
	if (!wanted)
		return false;
	free_shards(e);
	for (size_t i = 0; i < e->spanning.n_devices; i++)
		add_shard(e, e->spanning.devices[i]);
	if (!e->span_shards.n) {
		(void)err_set(&err, ERR_UNSUPPORTED, e->plan->engine.source,
			"the engine reports none of these devices");
		give_answer(e, NULL, &err);
		return false;
	}
	prometheus_round_begin(
		e, ROUND_SPAN, e->span_shards.at, e->span_shards.n, e->spanning.to_us);
	return true;
}

void prometheus_span_end(struct prometheus *e, struct obs *list)
{
	struct err err = e->round.err;

	if (!list && err.code == ERR_NONE)
		(void)err_set(&err, ERR_PROTOCOL, e->plan->engine.source, "no data of that time");
	free_shards(e);
	give_answer(e, list, &err);
}

void prometheus_span_free(struct prometheus *e)
{
	free_shards(e);
	vec_free(&e->span_shards);
	free_list(e->span.obs);
}

void prometheus_span(struct prometheus *e, const struct prometheus_span *s)
{
	pthread_mutex_lock(&e->lock);
	e->span.asked = *s;
	e->span.wanted = true;
	pthread_mutex_unlock(&e->lock);
	prometheus_http_wake(e->http);
}

bool prometheus_span_ready(
	struct prometheus *e, struct prometheus_span *of, struct obs **out, struct err *err)
{
	bool ready;

	pthread_mutex_lock(&e->lock);
	ready = e->span.ready;
	if (ready) {
		*of = e->span.answered;
		*out = e->span.obs;
		*err = e->span.err;
		e->span.obs = NULL;
		e->span.ready = false;
	}
	pthread_mutex_unlock(&e->lock);
	return ready;
}
