/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Input: a byte that selects the data to gather, one for the cut into pieces, then the reply of a
 * metrics engine. Every reply gives batches of devices of the plan, and the same batches if it is
 * cut in another way.
 */
#include <stdlib.h>
#include <string.h>

#include "app/config/mapping_yaml.h"
#include "backends/prometheus/series_index.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/model/model.h"
#include "tests/fuzz/decoder.h"

#define NOW (INT64_C(1700000100) * CLOCK_SEC)

static void make_plan(struct plan *p)
{
	static const char *const names[] = {"leaf-r0-00", "node001", "10.0.0.1"};

	plan_init(p);
	for (size_t i = 0; i < 3; i++) {
		struct plan_device *d = vec_add(&p->devices);

		(void)str_copy(d->name, sizeof(d->name), names[i]);
		d->tier = i == 1 ? TIER_HOST : TIER_LEAF;
		d->rail = -1;
		d->interval_us = 30 * CLOCK_SEC;
		d->by_engine = true;
	}
	p->engine.url = mem_strdup("http://localhost");
	p->engine.interval_us = 30 * CLOCK_SEC;
}

static uint64_t sum_of(const struct obs *o, uint64_t sum)
{
	for (size_t i = 0; i < o->items.n; i++) {
		const struct obs_item *it = &o->items.at[i];
		const char *port = it->port == OBS_NO_PORT ? "" : o->ports.at[it->port].name;

		sum = sum * 31 + (uint64_t)it->cell + it->code + it->u64;
		for (; *port; port++)
			sum = sum * 31 + (unsigned char)*port;
	}
	return sum * 31 + o->items.n;
}

/* Reads the reply twice, as two rounds; returns a checksum of the batches. */
static uint64_t gather(const struct plan *p, const struct prometheus_map *map,
	enum series_index_mode mode, size_t piece, const uint8_t *data, size_t size)
{
	uint16_t *rules = mem_alloc(map->rules.n * sizeof(*rules));
	struct series_index_query *q = mem_calloc(1, sizeof(*q));
	struct series_index *b = series_index_new(p, map);
	struct series_list known = {0};
	struct model *m = model_new(p);
	uint64_t sum = 0;

	for (size_t i = 0; i < map->rules.n; i++)
		rules[i] = (uint16_t)i;
	for (int64_t round = 0; round < 2; round++) {
		struct obs *next;

		series_index_begin(b, mode, NOW + round * 30 * CLOCK_SEC);
		series_index_attach(b, q, rules, map->rules.n, &known);
		for (size_t i = 0; i < size; i += piece)
			if (!prometheus_reader_feed(&q->reader, (const char *)data + i,
				    size - i < piece ? size - i : piece))
				break;
		(void)prometheus_reader_end(&q->reader, NULL);
		series_index_detach(q);
		for (struct obs *o = series_index_end(b, NOW, ""); o; o = next) {
			next = o->next;
			sum = sum_of(o, sum);
			if (plan_find(p, o->device) < 0)
				abort();
			model_apply(m, o, NOW);
			obs_free(o);
		}
	}
	model_free(m);
	known_free(&known);
	series_index_free(b);
	free(q);
	free(rules);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct prometheus_map *map; /* reading it costs more than a reply */
	enum series_index_mode mode;
	struct plan plan;

	if (!map)
		map = mapping_read("railtop,node_exporter,gnmic,dcgm", NULL, NULL);
	if (!map)
		abort();
	if (size < 3)
		return 0;
	make_plan(&plan);
	mode = (enum series_index_mode)(data[0] % 3);
	if (gather(&plan, map, mode, (size_t)data[1] + 1, data + 2, size - 2) !=
		gather(&plan, map, mode, size, data + 2, size - 2))
		abort();
	plan_free(&plan);
	return 0;
}
