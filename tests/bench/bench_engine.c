/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "app/config/mapping_yaml.h"
#include "backends/prometheus/queries.h"
#include "backends/prometheus/series_index.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/bench/load/fail.h"
#include "tests/support/figures.h"

/*
 * The cost of reading a fabric from a metrics engine. Replies are made in memory in Prometheus's
 * format. They are scanned, resolved, made into batches and applied to a model. The counters are
 * those of emulated devices; a reply has the samples of a query over 40 s at a scrape every 15 s.
 * HTTP and its bytes in the kernel are not in it, nor is diagnosis.
 *
 *   PODS=25: the number of times 24,384 ports, i.e. 100,000 GPUs; 1 by default
 */
#define ROUNDS                                                                                     \
	6 /* the first, one that settles, and four: two minutes, in which all is asked that is     \
	     asked so often */
#define SETTLED  2
#define PIECE    ((size_t)256 << 10) /* as libcurl hands it over */
#define REPLY    ((size_t)1 << 30)
#define INTERVAL (30 * CLOCK_SEC)
#define SCRAPE   15
#define START    INT64_C(1700000000)

static double cpu_s(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

struct bench {
	struct plan plan;
	struct model *m;
	struct prometheus_map *map;
	struct series_index *book;
	struct series_index_query query;
	VEC(struct prometheus_shard) shards;
	const struct plan *one; /* a pod */
	const struct model *of; /* its ports */
	unsigned pods, round;
	unsigned counted; /* rounds that the sums are of */
	struct buf reply;
	double read_s, end_s, apply_s;
	uint64_t bytes, series, samples, items, batches;
};

/* ---- the fabric ---- */

static void pods_plan(struct bench *b)
{
	plan_init(&b->plan);
	b->plan.rails = b->one->rails;
	b->plan.lossless = b->one->lossless;
	for (unsigned pod = 0; pod < b->pods; pod++)
		for (size_t i = 0; i < b->one->devices.n; i++) {
			const struct plan_device *from = &b->one->devices.at[i];
			struct plan_device *d = vec_add(&b->plan.devices);

			(void)str_printf(d->name, sizeof(d->name), "p%02u-%.40s", pod, from->name);
			d->tier = from->tier;
			d->rail = from->rail;
			d->interval_us = INTERVAL;
			d->by_engine = true;
			d->dialect = mem_strdup(from->dialect);
		}
	b->plan.engine.url = mem_strdup("http://localhost");
	b->plan.engine.interval_us = INTERVAL;
}

/* ---- replies ---- */

static void add_series(struct bench *b, const char *metric, const struct plan_device *d,
	const struct port *p, const char *dim, unsigned sub, uint64_t value)
{
	int64_t newest = START + (int64_t)b->round * 30;
	char extra[40] = "";

	if (dim)
		(void)str_printf(extra, sizeof(extra), ",\"%s\":\"%u\"", dim, sub);
	(void)buf_addf(&b->reply,
		"%s{\"metric\":{\"__name__\":\"%s\",\"device\":\"%s\",\"instance\":\"pod-%.3s:"
		"9899\","
		"\"job\":\"railtop\",\"port\":\"%s\"%s,\"rail\":\"%d\",\"tier\":\"%s\"},\"values\":"
		"[",
		b->reply.data[b->reply.len - 1] == '[' ? "" : ",", metric, d->name, d->name,
		p->name, extra, d->rail < 0 ? 0 : d->rail, tier_name(d->tier));
	for (int64_t t = newest - 2 * SCRAPE; t <= newest; t += SCRAPE)
		(void)buf_addf(&b->reply, "%s[%lld.123,\"%llu\"]",
			t > newest - 2 * SCRAPE ? "," : "", (long long)t,
			(unsigned long long)(value + (uint64_t)(t - START) * 1000003));
	(void)buf_adds(&b->reply, "]}");
}

/* Of one rule, of devices from..to of the book (the plan's, in its order). */
static void add_rule(
	struct bench *b, const struct prometheus_rule *r, const struct prometheus_ask *a)
{
	for (size_t i = a->from; i < a->to; i++) {
		const struct plan_device *d = &b->plan.devices.at[i];
		const struct device *x = b->of->devices.at[i % b->one->devices.n];
		unsigned subs = bench_4k_told(&counter_info[r->counter], d->tier);

		for (size_t k = 0; k < x->ports.n; k++)
			for (unsigned sub = 0; sub < subs; sub++) {
				bool lossless = (subs == 1 ? 3 : sub) == 3;

				if (a->part == PART_ALL || lossless == (a->part == PART_LOSSLESS))
					add_series(b, r->metric, d, b->of->ports.at[x->ports.at[k]],
						r->sub_label, subs == 1 ? 3 : sub,
						(k + 1) * UINT64_C(1234567890123) + sub);
			}
	}
}

static void make_reply(struct bench *b, const struct prometheus_ask *a)
{
	buf_reset(&b->reply);
	(void)buf_adds(&b->reply,
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[");
	for (size_t i = 0; i < a->rules.n; i++) {
		const struct prometheus_rule *r = b->map->rules.at[a->rules.at[i]];

		if (r->tells == PROMETHEUS_COUNTER)
			add_rule(b, r, a);
	}
	(void)buf_adds(&b->reply, "]}}");
	if (b->reply.overflow)
		bench_fail("a reply of more than %d bytes", (int)REPLY);
}

/* ---- a round ---- */

static void read_reply(struct bench *b, struct prometheus_ask *a)
{
	double began = cpu_s();

	series_index_attach(b->book, &b->query, a->rules.at, a->rules.n, &a->known);
	for (size_t i = 0; i < b->reply.len; i += PIECE)
		if (!prometheus_reader_feed(&b->query.reader, b->reply.data + i,
			    b->reply.len - i < PIECE ? b->reply.len - i : PIECE))
			bench_fail("a reply cannot be read");
	if (!prometheus_reader_end(&b->query.reader, NULL))
		bench_fail("the end of a reply cannot be read");
	series_index_detach(&b->query);
	b->read_s += cpu_s() - began;
	b->bytes += b->reply.len;
	b->series += b->query.reader.n_series;
	b->samples += b->query.reader.n_samples;
}

static void apply(struct bench *b, int64_t now_us)
{
	double began = cpu_s();
	struct obs *list = series_index_end(b->book, now_us, ""), *next;

	b->end_s += cpu_s() - began;
	began = cpu_s();
	for (; list; list = next) {
		next = list->next;
		b->items += list->items.n;
		b->batches++;
		model_apply(b->m, list, now_us);
		obs_free(list);
	}
	b->apply_s += cpu_s() - began;
}

static void shards_plan(struct bench *b)
{
	size_t n = series_index_devices(b->book),
	       shards = (n + PROMETHEUS_SHARD_DEVICES - 1) / PROMETHEUS_SHARD_DEVICES;

	for (size_t i = 0; i < shards; i++)
		prometheus_shard_plan(vec_add(&b->shards), b->book, b->map, WHICH_ALWAYS,
			i * n / shards, (i + 1) * n / shards, PROMETHEUS_ASK_SERIES);
}

static void round_of(struct bench *b)
{
	int64_t now_us = (START + (int64_t)b->round * 30 + 5) * CLOCK_SEC;
	if (b->round <= SETTLED) {
		b->read_s = b->end_s = b->apply_s = 0;
		b->bytes = b->series = b->samples = b->items = b->batches = 0;
		b->counted = 0;
	}
	b->counted++;
	for (size_t i = 0; i < b->shards.n; i++) {
		struct prometheus_shard *s = &b->shards.at[i];

		series_index_begin(b->book, SERIES_INDEX_LIVE, now_us);
		for (size_t k = 0; k < s->asks.n; k++) {
			if (s->asks.at[k]->every_us &&
				b->round * INTERVAL % s->asks.at[k]->every_us)
				continue;
			make_reply(b, s->asks.at[k]);
			read_reply(b, s->asks.at[k]);
		}
		apply(b, now_us);
	}
	b->round++;
}

static void tell_round(struct figures *f, const struct bench *b, const char *which)
{
	double all = b->read_s + b->end_s + b->apply_s, n = b->counted;
	char name[64];

	(void)str_printf(name, sizeof(name), "%s: series", which);
	figure(f, name, (double)b->series / n, "", 0);
	(void)str_printf(name, sizeof(name), "%s: bytes of replies", which);
	figure(f, name, (double)b->bytes / 1e6 / n, "MB", 0);
	(void)str_printf(name, sizeof(name), "%s: reading and resolving", which);
	figure(f, name, b->read_s / n, "s CPU", 0);
	(void)str_printf(name, sizeof(name), "%s: batches", which);
	figure(f, name, b->end_s / n, "s CPU", 0);
	(void)str_printf(name, sizeof(name), "%s: model", which);
	figure(f, name, b->apply_s / n, "s CPU", 0);
	(void)str_printf(name, sizeof(name), "%s: a counter, all in", which);
	figure(f, name, all * 1e9 / (double)(b->items ? b->items : 1), "ns CPU", 0);
	(void)str_printf(name, sizeof(name), "%s: every 30 s, of a core", which);
	figure(f, name, all / n / 30 * 100, "%", str_eq(which, "first") ? 0 : 100);
}

int main(void)
{
	struct figures *f = figures_new("engine");
	const char *pods = getenv("PODS");
	struct bench *b = mem_calloc(1, sizeof(*b));
	struct rusage use;
	struct err err = {0};
	struct plan one;

	bench_4k_plan(&one);
	b->one = &one;
	b->of = model_new(&one);
	b->pods = pods ? (unsigned)strtoul(pods, NULL, 10) : 1;
	b->map = mapping_read(NULL, NULL, &err);
	if (!b->map)
		bench_fail_err("the mapping", &err);
	if (!b->pods)
		bench_fail("PODS=%s: a number of at least 1", pods);
	buf_init(&b->reply, REPLY);
	pods_plan(b);
	b->m = model_new(&b->plan);
	b->book = series_index_new(&b->plan, b->map);
	shards_plan(b);
	round_of(b);
	tell_round(f, b, "first");
	for (unsigned i = 1; i < ROUNDS; i++)
		round_of(b);
	tell_round(f, b, "later");
	figure(f, "devices", (double)b->m->devices.n, "", 0);
	figure(f, "ports", (double)b->m->ports.n, "", 0);
	(void)getrusage(RUSAGE_SELF, &use);
	figure(f, "most memory, with the reply", (double)use.ru_maxrss / 1e3, "MB", 0);
	for (size_t i = 0; i < b->shards.n; i++)
		prometheus_shard_free(&b->shards.at[i]);
	vec_free(&b->shards);
	series_index_free(b->book);
	model_free(b->m);
	model_free((struct model *)(uintptr_t)b->of);
	prometheus_map_free(b->map);
	buf_free(&b->reply);
	plan_free(&b->plan);
	plan_free(&one);
	free(b);
	return figures_end(f) ? 0 : 1;
}
