/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "base/str.h"
#include "tests/bench/metrics/metrics.h"

struct device_name {
	UT_hash_handle hh;
	struct device_at at;
	char name[];
};

static bool read_kinds(struct table *t, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[256];
	bool ok = true;

	if (!f) {
		perror(path);
		return false;
	}
	while (ok && fgets(line, sizeof(line), f)) {
		struct series_kind k = {.rate = 0};
		char rate[32];
		unsigned held;

		ok = sscanf(line, "%95s %31s %31s %31s %u %u %u %u %u", k.name, k.label, k.text,
			     rate, &held, &k.subs[TIER_HOST], &k.subs[TIER_LEAF],
			     &k.subs[TIER_SPINE], &k.subs[TIER_SUPERSPINE]) == 9;
		k.rate = strtoull(rate, NULL, 10);
		k.micro = strchr(rate, 'u') != NULL;
		k.held = held != 0;
		k.device = k.label[0] == '@';
		if (k.device || k.label[0] == '-')
			k.label[0] = '\0';
		vec_push(&t->kinds, k);
	}
	(void)fclose(f);
	return ok && t->kinds.n;
}

static void add_device(struct table *t, struct device_at at)
{
	struct device_name *n = mem_calloc(1, sizeof(*n) + 64);

	n->at = at;
	(void)sizing_device_name(t->sizing, at.tier, at.index, n->name, 64);
	HASH_ADD_KEYPTR(hh, t->names, n->name, strlen(n->name), n);
}

static void add_ports(struct table *t, enum tier tier)
{
	char name[64];

	for (unsigned i = 0; i < sizing_ports(t->sizing, tier); i++) {
		(void)sizing_port_name(
			tier, tier == TIER_HOST ? "linux" : "sonic", i, name, sizeof(name));
		vec_push(&t->ports[tier], mem_strdup(name));
	}
}

bool table_open(struct table *t, const char *preset, const char *file)
{
	memset(t, 0, sizeof(*t));
	t->sizing = sizing_preset(preset);
	if (!t->sizing || !read_kinds(t, file))
		return false;
	for (unsigned tier = 0; tier < TIER_COUNT; tier++) {
		add_ports(t, (enum tier)tier);
		for (unsigned i = 0; i < sizing_devices(t->sizing, (enum tier)tier); i++)
			add_device(t, (struct device_at){(enum tier)tier, i});
	}
	return true;
}

const struct series_kind *table_kind(const struct table *t, const char *name, size_t len)
{
	for (size_t i = 0; i < t->kinds.n; i++)
		if (strlen(t->kinds.at[i].name) == len &&
			memcmp(t->kinds.at[i].name, name, len) == 0)
			return &t->kinds.at[i];
	return NULL;
}

bool table_device(const struct table *t, const char *name, size_t len, struct device_at *at)
{
	struct device_name *n;

	HASH_FIND(hh, t->names, name, len, n);
	if (n)
		*at = n->at;
	return n != NULL;
}
