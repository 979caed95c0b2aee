/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/prometheus/series_rig.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/backends/prometheus/prometheus_rules.h"
#include "tests/support/cases.h"

int series_rig_setup(void **state, void (*more)(struct prometheus_map *map))
{
	struct series_rig *r = mem_calloc(1, sizeof(*r));

	prometheus_plan(&r->plan, 3);
	free(r->plan.devices.at[2].address);
	r->plan.devices.at[2].address = mem_strdup("10-0-0-2");
	r->map = prometheus_rules();
	if (more)
		more(r->map);
	r->book = series_index_new(&r->plan, r->map);
	r->nrules = (uint16_t)r->map->rules.n;
	assert_in_range(r->nrules, 1, SERIES_RIG_RULES);
	for (uint16_t i = 0; i < r->nrules; i++)
		r->rules[i] = i;
	*state = r;
	return 0;
}

int series_rig_teardown(void **state)
{
	struct series_rig *r = *state;

	known_free(&r->known);
	series_index_free(r->book);
	prometheus_map_free(r->map);
	plan_free(&r->plan);
	free(r);
	return 0;
}

void series_rig_add(struct buf *b, const char *metric, const char *labels, const char *values)
{
	(void)buf_addf(b, "%s{\"metric\":{\"__name__\":\"%s\",%s},\"values\":[%s]}",
		b->len ? "," : "", metric, labels, values);
}

void series_rig_feed(struct series_rig *r, struct buf *series)
{
	struct err err = {0};
	struct buf b;

	buf_init(&b, (size_t)1 << 20);
	(void)buf_addf(&b,
		"{\"status\":\"success\",\"data\":{\"resultType\":\"matrix\",\"result\":[%s]}}",
		series->data ? series->data : "");
	series_index_attach(r->book, &r->q, r->rules, r->nrules, &r->known);
	assert_true(prometheus_reader_feed(&r->q.reader, b.data, b.len));
	assert_true(prometheus_reader_end(&r->q.reader, &err));
	series_index_detach(&r->q);
	buf_free(&b);
	buf_reset(series);
}

struct obs *series_rig_gather(
	struct series_rig *r, enum series_index_mode mode, int64_t now_s, struct buf *series)
{
	series_index_begin(r->book, mode, now_s * CLOCK_SEC);
	series_rig_feed(r, series);
	return series_index_end(r->book, now_s * CLOCK_SEC, "");
}

void series_rig_free(struct obs *o)
{
	for (struct obs *next; o; o = next) {
		next = o->next;
		obs_free(o);
	}
}
