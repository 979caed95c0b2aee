/* SPDX-License-Identifier: Apache-2.0 */
/* Errors of GPUs, as dcgm-exporter counts them: lines of the host's log. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tests/backends/prometheus/series_rig.h"
#include "tests/support/cases.h"

static void add_gpu_rule_of(
	struct prometheus_map *map, const char *metric, enum prometheus_tells tells)
{
	struct prometheus_rule *r = prometheus_rule_new();

	r->metric = mem_strdup(metric);
	(void)prometheus_label_set(&r->device, "instance", NULL, NULL);
	r->tells = tells;
	r->a = mem_strdup("pci");
	vec_push(&map->rules, r);
}

static void add_gpu_rule(struct prometheus_map *map)
{
	add_gpu_rule_of(map, "xid", PROMETHEUS_GPU);
	add_gpu_rule_of(map, "nvlink_recovery", PROMETHEUS_GPU_COUNTER);
	add_gpu_rule_of(map, "xid_count", PROMETHEUS_GPU);
	map->rules.at[map->rules.n - 1]->b = mem_strdup("xid");
}

static int setup_gpus(void **state)
{
	return series_rig_setup(state, add_gpu_rule);
}

#define GPU "\"instance\":\"leaf-1\",\"pci\":\"00000000:1B:00.0\""

CASE_WITH(a_gpu_that_fails_is_a_line_of_the_log, setup_gpus, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct obs *o;
	struct buf b;

	buf_init(&b, 65536);
	/* Nobody knows since when. */
	series_rig_add(&b, "xid", GPU, "[1700000000,\"13\"]");
	series_rig_add(&b, "xid", "\"instance\":\"leaf-1\",\"pci\":\"00000000:5D:00.0\"",
		"[1700000000,\"0\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 5, &b));
	series_rig_add(
		&b, "xid", GPU, "[1700000015,\"13\"],[1700000030,\"79\"],[1700000045,\"79\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 50, &b);
	assert_non_null(o);
	assert_null(o->next);
	assert_string_equal(o->device, "leaf-1");
	/* It does not say that the ports are measured. */
	assert_true(o->followed);
	assert_int_equal(o->items.n, 1);
	assert_int_equal(o->items.at[0].kind, OBS_EVENT);
	assert_int_equal(o->items.at[0].code, EV_LOG_ALARM);
	assert_true(o->items.at[0].time_us == (T0 + 30) * CLOCK_SEC);
	assert_string_equal(
		obs_text(o, o->items.at[0].text), "DCGM: Xid (PCI:00000000:1B:00.0): 79");
	series_rig_free(o);
	/* The same GPU has another series, of another pod: first it is behind, then it repeats the
	 * value. */
	series_rig_add(&b, "xid", GPU, "[1700000052,\"31\"]");
	series_rig_add(&b, "xid", GPU ",\"pod\":\"train-0\"", "[1700000037,\"79\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 53, &b);
	assert_non_null(o);
	assert_int_equal(o->items.n, 1);
	series_rig_free(o);
	series_rig_add(&b, "xid", GPU, "[1700000056,\"31\"]");
	series_rig_add(&b, "xid", GPU ",\"pod\":\"train-0\"", "[1700000056,\"31\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 57, &b));
	/* A GPU used by another pod does not mean another exporter. */
	series_rig_add(&b, "xid",
		"\"instance\":\"leaf-1\",\"pci\":\"00000000:5D:00.0\",\"pod\":\"train-1\"",
		"[1700000058,\"48\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 59, &b);
	assert_non_null(o);
	series_rig_free(o);
	/* The exporter started anew; text that is no number gives no value. */
	series_rig_add(&b, "xid", GPU, "[1700000060,\"0\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 65, &b));
	series_rig_add(&b, "xid", GPU, "[1700000075,\"nonsense\"],[1700000090,\"-3\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 95, &b));
	buf_free(&b);
}

/* Errors of the last minutes by code: each new one is news, also the first that is seen. */
CASE_WITH(a_count_of_xids_is_told_by_its_code, setup_gpus, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct obs *o;
	struct buf b;

	buf_init(&b, 65536);
	series_rig_add(&b, "xid_count", GPU, "[1700000000,\"0\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 5, &b));
	series_rig_add(
		&b, "xid_count", GPU ",\"xid\":\"79\"", "[1700000015,\"1\"],[1700000030,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 35, &b);
	assert_non_null(o);
	assert_int_equal(o->items.n, 1);
	assert_string_equal(
		obs_text(o, o->items.at[0].text), "DCGM: Xid (PCI:00000000:1B:00.0): 79");
	series_rig_free(o);
	/* Another code at the same GPU, and the window forgets the first. */
	series_rig_add(&b, "xid_count", GPU ",\"xid\":\"48\"", "[1700000045,\"2\"]");
	series_rig_add(&b, "xid_count", GPU ",\"xid\":\"79\"", "[1700000045,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 50, &b);
	assert_non_null(o);
	assert_int_equal(o->items.n, 1);
	assert_string_equal(
		obs_text(o, o->items.at[0].text), "DCGM: Xid (PCI:00000000:1B:00.0): 48");
	series_rig_free(o);
	/* It comes again after minutes in which it was away. */
	series_rig_add(&b, "xid_count", GPU ",\"xid\":\"79\"", "[1700000345,\"1\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 350, &b);
	assert_non_null(o);
	assert_int_equal(o->items.n, 1);
	series_rig_free(o);
	series_rig_add(&b, "xid_count", GPU ",\"xid\":\"none\"", "[1700000360,\"1\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 365, &b));
	buf_free(&b);
}

/* A count of NVLink errors: only its growth is news, and it is no Xid of the same GPU. */
CASE_WITH(a_counter_of_a_gpu_that_grows_is_a_line_of_the_log, setup_gpus, series_rig_teardown)
{
	struct series_rig *r = *state;
	struct obs *o;
	struct buf b;

	buf_init(&b, 65536);
	series_rig_add(&b, "nvlink_recovery", GPU, "[1700000000,\"3\"]");
	series_rig_add(&b, "xid", GPU, "[1700000000,\"0\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 5, &b));
	series_rig_add(&b, "nvlink_recovery", GPU, "[1700000015,\"3\"],[1700000030,\"5\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 35, &b);
	assert_non_null(o);
	assert_int_equal(o->items.n, 1);
	assert_string_equal(obs_text(o, o->items.at[0].text),
		"DCGM: GPU 00000000:1B:00.0: nvlink_recovery grew from 3 to 5");
	series_rig_free(o);
	/* The exporter started anew; and its own name is a container's, the scrape knows the host.
	 */
	series_rig_add(&b, "nvlink_recovery", GPU, "[1700000045,\"1\"]");
	assert_null(series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 50, &b));
	series_rig_add(&b, "nvlink_recovery",
		"\"instance\":\"3f54\",\"node\":\"leaf-1\",\"pci\":\"00000000:1B:00.0\"",
		"[1700000060,\"2\"]");
	o = series_rig_gather(r, SERIES_INDEX_LIVE, T0 + 65, &b);
	assert_string_equal(o->device, "leaf-1");
	series_rig_free(o);
	buf_free(&b);
}

CASES_MAIN(NULL, NULL)
