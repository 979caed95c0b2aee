/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/backends/prometheus/prometheus_rules.h"

#include "base/clock.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/plan_make.h"

static struct prometheus_rule *rule(
	struct prometheus_map *map, const char *metric, const char *port)
{
	struct prometheus_rule *r = prometheus_rule_new();

	r->metric = mem_strdup(metric);
	(void)prometheus_label_set(&r->device, "instance", "([a-z0-9-]+)(:[0-9]+)?", NULL);
	if (port)
		(void)prometheus_label_set(&r->port, port, NULL, NULL);
	(void)str_printf(r->source, sizeof(r->source), "rules:%zu", map->rules.n + 1);
	vec_push(&map->rules, r);
	return r;
}

struct prometheus_map *prometheus_rules(void)
{
	struct prometheus_map *map = prometheus_map_new();
	struct prometheus_rule *r;

	vec_push(&map->names, mem_strdup("rules"));
	r = rule(map, "rx_bytes_total", "port");
	r->counter = CTR_RX_BYTES;
	r = rule(map, "pfc_seconds_total", "port");
	r->counter = CTR_PFC_RX_DURATION_US;
	r->sub_label = mem_strdup("priority");
	r->scale = 1e6;
	r = rule(map, "port_up", "port");
	r->tells = PROMETHEUS_ATTR;
	r->attr = ATTR_OPER;
	vec_push(&r->values, (struct prometheus_value){1, mem_strdup("up")});
	vec_push(&r->values, (struct prometheus_value){0, mem_strdup("down")});
	r = rule(map, "device_state", NULL);
	r->tells = PROMETHEUS_STATE;
	r->a = mem_strdup("state");
	r = rule(map, "device_info", NULL);
	r->tells = PROMETHEUS_WORDS;
	vec_push(&r->words, (struct prometheus_word){ATTR_MODEL, mem_strdup("model")});
	r = rule(map, "light", "port");
	r->counter = CTR_RX_POWER_DBM;
	r->sub_label = mem_strdup("lane");
	r->cursor = true;
	return map;
}

void prometheus_plan(struct plan *plan, unsigned n)
{
	plan_init(plan);
	for (unsigned i = 0; i < n; i++) {
		char name[32];

		(void)str_printf(name, sizeof(name), "leaf-%u", i);
		plan_make_device(plan, name, TIER_LEAF, 0)->by_engine = true;
	}
	plan->engine.url = mem_strdup("http://127.0.0.1:1/prometheus");
	plan->engine.interval_us = 30 * CLOCK_SEC;
	(void)str_copy(plan->engine.source, sizeof(plan->engine.source), "fabric.yaml:3");
}
