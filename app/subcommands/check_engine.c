/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "app/subcommands/check_private.h"
#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define NAMES_MOST 6 /* metrics listed on a line */

/* Finds the counters that have a value on any device of the engine. */
static void find_values(const struct model *m, bool *there)
{
	for (size_t i = 0; i < m->ports.n; i++) {
		const struct port *p = m->ports.at[i];

		if (!model_dev_of(m, p)->engine)
			continue;
		for (unsigned cell = 0; cell < CELL_COUNT; cell++)
			if (p->layout->slot[cell] != SLOT_NONE)
				there[counter_of_cell((uint16_t)cell, NULL)] = true;
	}
}

static void find_metrics(
	struct check_engine *c, const struct prometheus_map *map, const struct model *m)
{
	bool there[COUNTER_COUNT] = {false};

	find_values(m, there);
	for (size_t i = 0; i < map->rules.n; i++) {
		const struct prometheus_rule *r = map->rules.at[i];

		/* Metrics of the device under the cursor are not queried here. */
		if (r->tells != PROMETHEUS_COUNTER || r->cursor)
			continue;
		c->mapped++;
		if (!there[r->counter])
			vec_push(&c->without, r->metric);
	}
}

void check_engine_find(struct check_engine *c, const struct plan *plan,
	const struct prometheus_map *map, const struct model *m)
{
	memset(c, 0, sizeof(*c));
	if (!plan->engine.url || !map)
		return;
	c->url = plan->engine.url;
	for (size_t i = 0; i < plan->devices.n; i++) {
		const struct device *d = model_device(m, plan->devices.at[i].name);

		if (!d || !plan->devices.at[i].by_engine)
			continue;
		c->devices++;
		c->heard += d->engine_us != 0;
		if (d->engine_us > c->newest_us)
			c->newest_us = d->engine_us;
		if (!c->err && d->err->code != ERR_NONE)
			c->err = d->err;
	}
	find_metrics(c, map, m);
}

void check_engine_text(const struct check_engine *c, int64_t now_us, FILE *out)
{
	size_t n = c->without.n < NAMES_MOST ? c->without.n : NAMES_MOST;

	if (!c->url)
		return;
	(void)fprintf(
		out, "\nmetrics engine %s: data of %u of %u devices", c->url, c->heard, c->devices);
	if (c->newest_us)
		(void)fprintf(out, ", newest sample %lld s old",
			(long long)((now_us - c->newest_us) / CLOCK_SEC));
	(void)fputc('\n', out);
	if (c->err && !c->heard) {
		(void)fprintf(out, "  %s: %s\n", err_code_name(c->err->code), c->err->text);
		if (c->err->cure[0])
			(void)fprintf(out, "  cure: %s\n", c->err->cure);
		return;
	}
	if (!c->heard)
		(void)fprintf(out, "  cure: see the mapping: and match: of engine: in "
				   "railtop-fabric(5)\n");
	if (!c->without.n)
		return;
	(void)fprintf(out, "  %zu of %u mapped metrics have no data:", c->without.n, c->mapped);
	for (size_t i = 0; i < n; i++)
		(void)fprintf(out, "%s %s", i ? "," : "", c->without.at[i]);
	(void)fprintf(out, "%s\n", n < c->without.n ? ", ..." : "");
}

void check_engine_free(struct check_engine *c)
{
	vec_free(&c->without);
}
