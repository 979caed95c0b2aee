/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/config/mapping_yaml.h"
#include "archive/openmetrics/metrics.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "tests/support/cases.h"

struct told {
	char text[8192];
	unsigned n;
};

static void keep(void *ctx, const struct err *problem)
{
	struct told *t = ctx;
	char line[1024];
	size_t n = strlen(t->text);

	(void)str_printf(
		t->text + n, sizeof(t->text) - n, "%s\n", err_format(problem, line, sizeof(line)));
	t->n++;
}

static struct prometheus_map *parse(const char *text, struct told *t)
{
	struct prometheus_map *map = prometheus_map_new();

	memset(t, 0, sizeof(*t));
	if (mapping_parse("my.map", text, strlen(text), map, keep, t))
		return map;
	prometheus_map_free(map);
	return NULL;
}

static const struct prometheus_rule *rule_of(const struct prometheus_map *map, const char *metric)
{
	for (size_t i = 0; i < map->rules.n; i++)
		if (str_eq(map->rules.at[i]->metric, metric))
			return map->rules.at[i];
	return NULL;
}

/* The mapping reads each port metric that export writes back as the same counter and unit. */
CASE(maps_all_that_export_writes)
{
	struct err err = {0};
	struct prometheus_map *map = mapping_read(NULL, NULL, &err);

	assert_non_null(map);
	for (unsigned id = METRIC_FIRST_COUNTER; id < METRIC_COUNT; id++) {
		enum counter_id counter = (enum counter_id)(id - METRIC_FIRST_COUNTER);
		const struct prometheus_rule *r;
		struct metric_family f;
		char name[96];

		metrics_family(id, &f);
		metrics_sample_name(&f, name, sizeof(name));
		r = rule_of(map, name);
		if (!r)
			fail_msg("%s is not mapped", name);
		assert_int_equal(r->tells, PROMETHEUS_COUNTER);
		assert_string_equal(counter_info[r->counter].name, counter_info[counter].name);
		assert_true(fabs(r->scale * pow(10, f.shift) - 1) < 1e-9);
		if (f.dim == DIM_ONE)
			assert_null(r->sub_label);
		else
			assert_string_equal(r->sub_label, metrics_dim_label(f.dim));
		assert_string_equal(r->device.label, "device");
		assert_string_equal(r->port.label, "port");
	}
	/* And knows of no metric that export does not have. */
	for (size_t i = 0; i < map->rules.n; i++) {
		bool found = false;

		for (unsigned id = 0; id < METRIC_COUNT && !found; id++) {
			struct metric_family f;
			char name[96];

			metrics_family(id, &f);
			metrics_sample_name(&f, name, sizeof(name));
			found = str_eq(name, map->rules.at[i]->metric);
		}
		if (!found)
			fail_msg("%s is of no export", map->rules.at[i]->metric);
	}
	prometheus_map_free(map);
}

CASE(every_embedded_mapping_is_well)
{
	struct err err = {0};
	struct prometheus_map *map = mapping_read("railtop, node_exporter,gnmic,dcgm", NULL, &err);
	const struct prometheus_rule *r;
	char name[NAME_MAX_LEN];

	if (!map)
		fail_msg("%s: %s", err.origin, err.text);
	assert_int_equal(map->names.n, 4);
	r = rule_of(map, "node_infiniband_port_data_received_bytes_total");
	assert_non_null(r);
	assert_int_equal(r->group, 1);
	assert_true(prometheus_label_name(&r->device, "node001:9100", name));
	assert_string_equal(name, "node001");
	assert_true(prometheus_label_name(&r->device, "node001.dc1.example:9100", name));
	assert_string_equal(name, "node001");
	r = rule_of(map, "node_ethtool_received_prio3_pause");
	assert_non_null(r);
	assert_int_equal(r->counter, CTR_PFC_RX_FRAMES);
	assert_int_equal(r->sub, 3);
	r = rule_of(map, "interfaces_interface_state_counters_in_octets");
	assert_non_null(r);
	assert_true(prometheus_label_name(&r->device, "10.0.0.1:57400", name));
	assert_string_equal(name, "10.0.0.1");
	r = rule_of(map, "DCGM_FI_DEV_XID_ERRORS");
	assert_non_null(r);
	assert_int_equal(r->tells, PROMETHEUS_GPU);
	assert_string_equal(r->a, "pci_bus_id");
	assert_null(r->b);
	assert_null(r->port.label);
	r = rule_of(map, "DCGM_EXP_XID_ERRORS_COUNT");
	assert_non_null(r);
	assert_int_equal(r->tells, PROMETHEUS_GPU);
	assert_string_equal(r->b, "xid");
	prometheus_map_free(map);
}

CASE(says_what_is_wrong_and_where)
{
	static const struct {
		const char *text, *says;
	} wrong[] = {
		{"", "my.map: is empty"},
		{"mapping: x\n", "my.map:1: \"rules\" is missing"},
		{"device: d\nport: p\nrules:\n  - {metric: m, counter: rx_bites}\n",
			"my.map:4: rules[0].counter: \"rx_bites\" is not a counter"},
		{"device: d\nport: p\nrules:\n  - {metric: 'm{', counter: rx_bytes}\n",
			"my.map:4: rules[0].metric: \"m{\" is not a name of a metric"},
		{"port: p\nrules:\n  - {metric: m, counter: rx_bytes}\n",
			"my.map:3: rules[0]: needs device:"},
		{"device: d\nrules:\n  - {metric: m, counter: rx_bytes}\n",
			"my.map:3: rules[0]: needs port:"},
		{"device: d\nport: p\nrules:\n  - {metric: m, counter: pfc_rx_frames}\n",
			"my.map:4: rules[0]: needs sub:"},
		{"device: d\nport: p\nrules:\n  - {metric: m, counter: pfc_rx_frames, sub: 8}\n",
			"my.map:4: rules[0]: sub: is too large"},
		{"device: d\nport: p\nrules:\n  - {metric: m, counter: rx_bytes, others: 2m}\n",
			"my.map:4: rules[0]: others: is only for series per priority"},
		{"device: d\nport: p\nrules:\n  - {metric: m, counter: rx_power_dbm, sub: l, "
		 "others: 2m}\n",
			"my.map:4: rules[0]: others: is only for series per priority"},
		{"device: d\nport: p\nrules:\n  - {metric: m}\n",
			"my.map:4: rules[0]: needs one of counter:"},
		{"device: d\nport: p\nrules:\n  - {metric: m, attribute: oper}\n",
			"my.map:4: rules[0]: needs values:"},
		{"device: d\nport: p\nrules:\n  - {metric: m, gpu_error: g, port: q}\n",
			"my.map:4: rules[0]: port: is only for series of a port"},
		{"device: d\nport: p\nrules:\n  - {metric: m, gpu_error: g, counter: rx_bytes}\n",
			"my.map:4: rules[0]: needs one of counter:"},
		{"device: d\nport: p\nrules:\n  - {metric: m, counter: rx_bytes, up: device}\n",
			"my.map:4: rules[0]: needs one of counter:"},
		{"device: {label: d, match: '('}\nrules:\n  - {metric: m, up: device}\n",
			"my.map:1: device: \"(\" is not a regular expression"},
		{"device: {label: d, match: 'x'}\nrules:\n  - {metric: m, up: device}\n",
			"my.map:1: device: \"x\" has no group"},
		{"device: d\nrules:\n  - {metric: m, up: device, where: 'a=\"b\"}'}\n",
			"my.map:3: rules[0].where: "},
		{"device: d\nrules:\n  - {metric: 'm{0-7}', up: device}\n",
			"my.map:3: rules[0]: {0-7} is only for series per priority"},
	};
	struct told t;

	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct prometheus_map *map = parse(wrong[i].text, &t);

		if (map || !strstr(t.text, wrong[i].says))
			fail_msg("%s: says %s instead of %s", wrong[i].text, t.text, wrong[i].says);
	}
}

CASE(reads_a_file_of_the_site)
{
	static const char text[] =
		"mapping: site\n"
		"device: {label: host, match: '(.*)-mgmt'}\n"
		"port: iface\n"
		"rules:\n"
		"  - metric: my_rx\n"
		"    where: 'dc=\"1\"'\n"
		"    counter: rx_bytes\n"
		"    scale: 0.125\n"
		"    every: 1m\n"
		"    when: cursor\n"
		"  - {metric: my_pfc, counter: pfc_rx_frames, sub: tc, others: 2m}\n";
	char dir[] = "/tmp/railtop-mapping-XXXXXX", path[64];
	struct prometheus_map *map;
	struct err err = {0};
	FILE *f;

	assert_non_null(mkdtemp(dir));
	(void)str_printf(path, sizeof(path), "%s/site.map", dir);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
	map = mapping_read("railtop,site.map", dir, &err);
	assert_non_null(map);
	{
		const struct prometheus_rule *r = rule_of(map, "my_rx");

		assert_non_null(r);
		assert_string_equal(r->where, "dc=\"1\"");
		assert_true(r->scale == 0.125 && r->cursor && r->every_us == 60000000);
		assert_non_null(strstr(r->source, "site.map:5"));
		r = rule_of(map, "my_pfc");
		assert_non_null(r);
		assert_true(r->others_us == 120000000 && r->every_us == 0);
	}
	prometheus_map_free(map);
	assert_null(mapping_read("site", dir, &err));
	assert_string_equal(err.origin, "site");
	assert_non_null(strstr(err.text, "allowed: "));
	assert_non_null(strstr(err.text, "node_exporter"));
	memset(&err, 0, sizeof(err));
	assert_null(mapping_read("none.map", dir, &err));
	assert_int_equal(err.code, ERR_IO);
	memset(&err, 0, sizeof(err));
	assert_null(mapping_read("railtop,,", dir, &err));
	assert_int_equal(err.code, ERR_CONFIG);
	(void)unlink(path);
	(void)rmdir(dir);
}

CASES_MAIN(NULL, NULL)
