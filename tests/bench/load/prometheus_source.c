/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/bench/load/prometheus_source.h"

#include <stdio.h>
#include <stdlib.h>

#include "app/config/mapping_yaml.h"
#include "base/str.h"
#include "tests/bench/load/fabric_4k.h"
#include "tests/support/run_command.h"

/* ---- the server's series ---- */

/* A second; 0: it stands still. Half of 400 Gbit/s, in packets of 4 kB. */
static unsigned long long rate_of(const struct counter_info *c)
{
	if (str_starts(c->name, "pfc") && c->group == GROUP_PORT)
		return c->unit == UNIT_US ? 20000 : 1000;
	if (str_starts(c->name, "ecn_marked") || str_starts(c->name, "cnp_"))
		return 7000;
	if (c->kind != KIND_COUNT || c->trend == TREND_BAD)
		return 0;
	if (c->unit == UNIT_BYTES)
		return 25000000000ULL;
	if (c->unit == UNIT_PACKETS)
		return 6100000;
	return str_starts(c->name, "fec_") ? 40 : 0;
}

static const char *text_of(const struct counter_info *c)
{
	if (c->kind == KIND_COUNT)
		return "0";
	if (c->unit == UNIT_RATIO)
		return str_starts(c->name, "pre_fec") ? "1.3e-09" : "0";
	return c->dim == DIM_LANE ? "1.25" : "40";
}

static bool one_line(FILE *f, const struct prometheus_rule *r)
{
	const struct counter_info *c = &counter_info[r->counter];
	bool held;

	switch ((int)r->tells) {
	case PROMETHEUS_COUNTER:
		held = str_starts(c->name, "pfc") || str_starts(c->name, "ecn") ||
		       str_starts(c->name, "cnp");
		/* Times are told in seconds. */
		(void)fprintf(f, "%s %s %s %llu%s %d %u %u %u %u\n", r->metric,
			r->sub_label ? r->sub_label : "-", text_of(c), rate_of(c),
			r->scale == 1000000 ? "u" : "", held, bench_4k_told(c, TIER_HOST),
			bench_4k_told(c, TIER_LEAF), bench_4k_told(c, TIER_SPINE),
			bench_4k_told(c, TIER_SUPERSPINE));
		break;
	case PROMETHEUS_ATTR:
		if (r->attr == ATTR_UPTIME_S)
			(void)fprintf(f, "%s @ 0 1 0 1 1 1 1\n", r->metric);
		else if (r->attr == ATTR_OPER || r->attr == ATTR_ADMIN)
			(void)fprintf(f, "%s - 1 0 0 1 1 1 1\n", r->metric);
		else if (r->attr == ATTR_SPEED_MBPS)
			(void)fprintf(f, "%s - 50000000000 0 0 1 1 1 1\n", r->metric);
		break;
	}
	return true;
}

static bool write_table(const char *path)
{
	struct err err = {0};
	struct prometheus_map *map = mapping_read(NULL, NULL, &err);
	FILE *f = fopen(path, "we");
	bool ok = map && f;

	for (size_t i = 0; ok && i < map->rules.n; i++)
		ok = one_line(f, map->rules.at[i]);
	if (f)
		ok = fclose(f) == 0 && ok;
	prometheus_map_free(map);
	return ok;
}

/* ---- the inventory ---- */

#define GROUP_DEVICES 2000U /* a list of names is 64 kB at most */

static void write_group(FILE *f, const struct sizing *z, enum tier tier, unsigned from)
{
	unsigned n = sizing_devices(z, tier);
	char text[64];

	n = n - from < GROUP_DEVICES ? n - from : GROUP_DEVICES;
	(void)fprintf(f, "  - {source: engine, names: \"");
	for (unsigned i = from; i < from + n; i++) {
		(void)sizing_device_name(z, tier, i, text, sizeof(text));
		(void)fprintf(f, "%s%s", i > from ? "," : "", text);
	}
	if (tier == TIER_HOST)
		(void)fprintf(f, "\", rails: \"mlx5_[0-7]\"}\n");
	else
		(void)fprintf(f, "\", dialect: sonic, tier: %s}\n", tier_name(tier));
}

static void write_tier(FILE *f, const struct sizing *z, enum tier tier)
{
	for (unsigned from = 0; from < sizing_devices(z, tier); from += GROUP_DEVICES)
		write_group(f, z, tier, from);
}

static bool write_inventory(const struct prometheus_source *e, const struct sizing *z)
{
	FILE *f = fopen(e->inventory, "we");

	if (!f)
		return false;
	(void)fprintf(f,
		"fabric: bench\npreset: %s\nlossless: {priorities: [3]}\n"
		"engine: {url: \"http://127.0.0.1:%u\", interval: 30s}\nswitches:\n",
		z->preset, e->server.port);
	for (int t = TIER_LEAF; t < TIER_COUNT; t++)
		write_tier(f, z, (enum tier)t);
	(void)fprintf(f, "hosts:\n");
	write_tier(f, z, TIER_HOST);
	(void)fprintf(f, "wiring: {plan: formula}\n");
	return fclose(f) == 0;
}

bool prometheus_source_start(struct prometheus_source *e, const struct sizing *z)
{
	const char *scrape = getenv("SCRAPE");
	char table[96], preset[16], ms[24];
	char *argv[] = {"tests/bench/metrics/metrics", preset, ms, table, NULL};

	*e = (struct prometheus_source){.server = {.pid = -1, .life = -1}};
	(void)str_copy(e->dir, sizeof(e->dir), "/tmp/railtop-bench-XXXXXX");
	if (!mkdtemp(e->dir)) {
		perror("/tmp");
		return false;
	}
	(void)str_printf(table, sizeof(table), "%s/table", e->dir);
	(void)str_printf(e->inventory, sizeof(e->inventory), "%s/fabric.yaml", e->dir);
	(void)str_copy(preset, sizeof(preset), z->preset);
	(void)str_printf(ms, sizeof(ms), "%ld", 1000 * (scrape ? strtol(scrape, NULL, 10) : 15));
	if (write_table(table) && program_start(&e->server, argv) && write_inventory(e, z))
		return true;
	prometheus_source_stop(e);
	return false;
}

void prometheus_source_stop(struct prometheus_source *e)
{
	const char *remove_it[] = {"rm", "-rf", "--", e->dir, NULL};

	program_stop(&e->server);
	free(run_command(remove_it, NULL, "", NULL, NULL));
}
