/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/contract/needs.h"
#include "backends/dialects/cumulus/qos.h"
#include "backends/parse/schedule.h"
#include "backends/parse/tree.h"
#include "base/str.h"
#include "fabric/vocabulary/pools.h"

/* Cumulus Linux: buffer pools of the system and schedulers of a port's egress queues. */

/* ---- pools ---- */

/* Fact: the RoCE status names the pools by their purpose, so the list of all pools is not used. */
#define FACT_POOLS "pools"

static bool names_direction(const char *name)
{
	return strcasestr(name, "ingress") || strcasestr(name, "egress");
}

/*
 * A row: name, size and usage. The reference prints a table only, so the names of its members are
 * unverified. "inf": the pool has no size of its own.
 */
static bool read_pool(const struct json_value *row, struct pool *p)
{
	const char *name = json_value_text_or(tree_either(row, "name", "pool-type"), "");
	const char *direction = json_value_text_or(json_value_get(row, "direction"), "");
	const struct json_value *size = tree_either(row, "size", "pool-size");
	char title[64];
	uint64_t whole = 0, most, now;

	if (!*name)
		name = json_value_text_or(json_value_get(row, "type"), "");
	if (!*name || !tree_amount(size, &whole) || !whole ||
		str_eq(json_value_text_or(size, ""), "inf"))
		return false;
	str_printf(title, sizeof(title), "%s%s%s", names_direction(name) ? "" : direction,
		*direction && !names_direction(name) ? " " : "", name);
	*p = pool_named(title);
	p->size = (double)whole;
	if (tree_amount(json_value_get(row, "max-usage"), &most))
		p->peak = (double)most / p->size;
	if (tree_amount(json_value_get(row, "current-usage"), &now))
		p->now = (double)now / p->size;
	return true;
}

/* NVUE prints a table as an object by number or name, older releases as a list. */
static enum json_value_kind rows_kind(const struct json_value *table)
{
	return json_value_is(table, DV_ARRAY) ? DV_ARRAY : DV_OBJECT;
}

/* Those that were used come first: the line has no room for all. */
static bool emit_pools(struct obs *o, const struct json_value *table)
{
	enum json_value_kind kind = rows_kind(table);
	char text[POOLS_TEXT] = "";
	struct pool p;
	bool any = false;

	for (int idle = 0; idle < 2; idle++)
		for (const struct json_value *row = json_value_first(table, kind); row;
			row = json_value_next(table, row))
			if (read_pool(row, &p) && (p.peak > 0 || p.now > 0) == !idle)
				any |= pools_add(text, sizeof(text), &p);
	if (any)
		obs_word(o, OBS_NO_PORT, ATTR_POOLS, 0, text);
	return any;
}

/* Rows that this code does not know: the names of their members are others. */
static bool is_unknown(const struct json_value *table)
{
	enum json_value_kind kind = rows_kind(table);
	bool any = false;

	for (const struct json_value *row = json_value_first(table, kind); row;
		row = json_value_next(table, row)) {
		if (tree_either(row, "size", "pool-size") &&
			(tree_either(row, "name", "pool-type") || json_value_get(row, "type")))
			return false;
		any |= json_value_is(row, DV_OBJECT);
	}
	return any;
}

need_set cumulus_decode_pools(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *table = json_value_get(v, "pool");

	(void)port;
	if (str_eq(facts_get(t->facts, FACT_POOLS), "roce"))
		return NEED_BIT(POOLS);
	if (is_unknown(table ? table : v)) {
		need_say(o, NEED_POOLS, VALID_UNSUPPORTED,
			"this release names the members of nv show qos buffer pool -o json in "
			"another way");
		return 0;
	}
	(void)emit_pools(o, table ? table : v);
	return NEED_BIT(POOLS);
}

void cumulus_roce_pools(struct obs *o, const struct json_value *status)
{
	/* Each port repeats them. */
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_WORD && o->items.at[i].code == ATTR_POOLS)
			return;
	if (emit_pools(o, json_value_get(status, "pool-map")))
		obs_fact(o, FACT_POOLS, "roce");
}

/* ---- schedulers ---- */

/* A port's own: {"traffic-class": {"3": {"mode": "dwrr", "bw-percent": 50}}}. */
static void read_classes(struct schedule *s, const struct json_value *scheduler)
{
	for (unsigned q = 0; q < PRIORITIES; q++) {
		const struct json_value *row =
			tree_row(json_value_get(scheduler, "traffic-class"), "traffic-class", q);
		const char *mode = tree_word(json_value_get(row, "mode"));
		uint64_t percent;
		char weight[24] = "";

		if (tree_amount(json_value_get(row, "bw-percent"), &percent))
			str_printf(weight, sizeof(weight), "%u", (unsigned)percent);
		if (str_eq(mode, "strict"))
			schedule_strict(s, q);
		else if (*mode)
			schedule_weighted(s, q, "DWRR", weight);
	}
}

/* Of the RoCE status: "DWRR-50%", "dwrr-50%", "strict-priority", by switch priority. */
static void read_weights(struct schedule *s, const struct json_value *map)
{
	const char *of[PRIORITIES] = {0};
	char weight[24];
	uint64_t queue;

	for (const struct json_value *row = json_value_first(map, rows_kind(map)); row;
		row = json_value_next(map, row))
		if (json_value_u64(json_value_get(row, "traffic-class"), &queue) &&
			queue < PRIORITIES)
			of[queue] = json_value_text_or(json_value_get(row, "scheduler-weight"), "");
	for (unsigned q = 0; q < PRIORITIES; q++) {
		const char *digits = of[q] ? of[q] + strcspn(of[q], "0123456789") : "";

		(void)str_copyn(weight, sizeof(weight), digits, strspn(digits, "0123456789"));
		if (of[q] && strncasecmp(of[q], "strict", 6) == 0)
			schedule_strict(s, q);
		else if (*weight)
			schedule_weighted(s, q, "DWRR", weight);
	}
}

need_set cumulus_schedulers(
	struct obs *o, uint32_t port, const struct json_value *v, const struct json_value *status)
{
	struct schedule s = {.text = ""};

	read_classes(&s, json_value_get(v, "egress-scheduler"));
	if (!*s.text)
		read_weights(&s, json_value_get(status, "tc-map"));
	return schedule_emit(&s, o, port) ? NEED_BIT(SCHEDULERS) : 0;
}
