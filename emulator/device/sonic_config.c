/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic_redis.h"

/* CONFIG_DB: identity, planned neighbours and the QoS that makes the fabric lossless. */

static void give_text(redis_field_fn each, void *arg, const char *name, const char *text)
{
	struct redis_value v;

	redis_text(&v, text);
	each(arg, name, strlen(name), &v);
}

static void give_u64(redis_field_fn each, void *arg, const char *name, uint64_t n)
{
	struct redis_value v;

	redis_u64(&v, n);
	each(arg, name, strlen(name), &v);
}

static void metadata(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	give_text(each, arg, "hostname", r->d->name);
	give_text(each, arg, "hwsku", r->d->model);
	give_text(each, arg, "platform", "x86_64-accton_as9736_64d-r0");
	give_text(each, arg, "mac", r->d->mac_base);
	give_text(each, arg, "type", r->d->tier == TIER_LEAF ? "ToRRouter" : "LeafRouter");
	give_u64(each, arg, "bgp_asn", 65000 + (uint64_t)r->d->tier * 100 + r->d->index);
	give_text(each, arg, "default_pfcwd_status", "enable");
	give_text(each, arg, "docker_routing_config_mode", "separated");
}

static void port(const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	unsigned n = row->port->port, lane = n * SONIC_LANES + 1;
	char text[64];

	(void)r;
	(void)snprintf(text, sizeof(text), "etp%u", n + 1);
	give_text(each, arg, "alias", text);
	give_u64(each, arg, "index", n + 1);
	(void)snprintf(text, sizeof(text), "%u,%u,%u,%u", lane, lane + 1, lane + 2, lane + 3);
	give_text(each, arg, "lanes", text);
	give_u64(each, arg, "mtu", PORT_MTU);
	give_u64(each, arg, "speed", row->port->plan_mbps);
	give_text(each, arg, "fec", "rs");
	give_text(each, arg, "admin_status", row->port->config.admin_up ? "up" : "down");
	give_text(each, arg, "pfc_asym", "off");
}

/* The plan, whatever the cable does. */
static void neighbor(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *far = row->port->plan_peer;

	if (!far)
		return;
	give_text(each, arg, "name", sim_device_of(r->ctx->sim, far)->name);
	give_text(each, arg, "port", far->name);
}

static void pfc_wd_global(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	give_text(each, arg, "POLL_INTERVAL", "200");
}

static void pfc_wd(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	give_text(each, arg, "action", "drop");
	give_text(each, arg, "detection_time", "200");
	give_text(each, arg, "restoration_time", "400");
}

static void qos_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	give_text(each, arg, "dscp_to_tc_map", "AZURE");
	give_text(each, arg, "tc_to_queue_map", "AZURE");
	give_text(each, arg, "tc_to_pg_map", "AZURE");
	give_text(each, arg, "pfc_to_queue_map", "AZURE");
	give_text(each, arg, "pfc_enable", "3");
	give_text(each, arg, "pfcwd_sw_enable", "3");
}

static void wred(const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char *const colours[] = {"green", "yellow", "red"};
	char name[40];
	size_t i;

	(void)r, (void)row;
	give_text(each, arg, "ecn", "ecn_all");
	for (i = 0; i < 3; i++) {
		(void)snprintf(name, sizeof(name), "wred_%s_enable", colours[i]);
		give_text(each, arg, name, "true");
		(void)snprintf(name, sizeof(name), "%s_min_threshold", colours[i]);
		give_u64(each, arg, name, ECN_MIN_BYTES);
		(void)snprintf(name, sizeof(name), "%s_max_threshold", colours[i]);
		give_u64(each, arg, name, ECN_MAX_BYTES);
		(void)snprintf(name, sizeof(name), "%s_drop_probability", colours[i]);
		give_text(each, arg, name, "5");
	}
}

static bool open_queue(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	size_t used = n;

	row->port = redis_port(r, rest, &used);
	if (!row->port || n != used + 2 || rest[used] != '|' || rest[used + 1] < '0' ||
		rest[used + 1] > '7')
		return false;
	row->index = (unsigned)(rest[used + 1] - '0');
	return true;
}

static void keys_queue(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[64];
	unsigned p, i;

	for (p = 0; p < r->d->nports; p++) {
		for (i = 0; i < 8; i++) {
			(void)snprintf(
				key, sizeof(key), "%sEthernet%u|%u", t->prefix, p * SONIC_LANES, i);
			each(arg, key);
		}
	}
}

static void queue(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	bool lossless = LOSSLESS_MASK >> row->index & 1;

	(void)r;
	give_text(each, arg, "scheduler", lossless ? "scheduler.1" : "scheduler.0");
	if (lossless)
		give_text(each, arg, "wred_profile", "AZURE_LOSSLESS");
}

static void numbers(redis_field_fn each, void *arg, unsigned n, unsigned (*to)(unsigned))
{
	char name[8];
	unsigned i;

	for (i = 0; i < n; i++) {
		(void)snprintf(name, sizeof(name), "%u", i);
		give_u64(each, arg, name, to(i));
	}
}

static unsigned dscp_tc(unsigned dscp)
{
	return dscp == ROCE_DSCP ? LOSSLESS_PRIO : dscp == CNP_DSCP ? CNP_PRIO : 0;
}

static unsigned same(unsigned n)
{
	return n;
}

static unsigned tc_group(unsigned tc)
{
	return LOSSLESS_MASK >> tc & 1 ? tc : 0;
}

static void dscp_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	numbers(each, arg, 64, dscp_tc);
}

static void same_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	numbers(each, arg, 8, same);
}

static void group_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	numbers(each, arg, 8, tc_group);
}

/* ---- poll groups; the emulated counters are always current, so the intervals are short ---- */

static const struct {
	const char *name, *interval;
	bool on;
} groups[] = {
	{"PORT", "1000", true},
	{"QUEUE", "1000", true},
	{"PG_DROP", "1000", true},
	{"PORT_BUFFER_DROP", "1000", true},
	{"QUEUE_WATERMARK", "1000", true},
	{"PG_WATERMARK", "1000", true},
	{"BUFFER_POOL_WATERMARK", "60000", false},
	{"PFCWD", "200", true},
	{"WRED_ECN_QUEUE", "1000", true},
	{"WRED_ECN_PORT", "1000", false},
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static bool open_group(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	(void)r;
	for (row->index = 0; row->index < GROUPS; row->index++)
		if (strlen(groups[row->index].name) == n &&
			!memcmp(groups[row->index].name, rest, n))
			return true;
	return false;
}

static void keys_group(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[96];
	size_t i;

	(void)r;
	for (i = 0; i < GROUPS; i++) {
		(void)snprintf(key, sizeof(key), "%s%s", t->prefix, groups[i].name);
		each(arg, key);
	}
}

static void group(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r;
	give_text(each, arg, "FLEX_COUNTER_STATUS", groups[row->index].on ? "enable" : "disable");
	give_text(each, arg, "POLL_INTERVAL", groups[row->index].interval);
}

#define PORTS  redis_open_port, redis_keys_ports
#define SINGLE redis_open_single, redis_keys_single

const struct redis_table redis_config_tables[] = {
	{CONFIG_DB, "DEVICE_METADATA|localhost", SINGLE, metadata, NULL},
	{CONFIG_DB, "DEVICE_NEIGHBOR|", PORTS, neighbor, NULL},
	{CONFIG_DB, "PORT|", PORTS, port, NULL},
	{CONFIG_DB, "PORT_QOS_MAP|", PORTS, qos_map, NULL},
	{CONFIG_DB, "PFC_WD|GLOBAL", SINGLE, pfc_wd_global, NULL},
	{CONFIG_DB, "PFC_WD|", PORTS, pfc_wd, NULL},
	{CONFIG_DB, "QUEUE|", open_queue, keys_queue, queue, NULL},
	{CONFIG_DB, "WRED_PROFILE|AZURE_LOSSLESS", SINGLE, wred, NULL},
	{CONFIG_DB, "DSCP_TO_TC_MAP|AZURE", SINGLE, dscp_map, NULL},
	{CONFIG_DB, "TC_TO_QUEUE_MAP|AZURE", SINGLE, same_map, NULL},
	{CONFIG_DB, "TC_TO_PRIORITY_GROUP_MAP|AZURE", SINGLE, group_map, NULL},
	{CONFIG_DB, "MAP_PFC_PRIORITY_TO_QUEUE|AZURE", SINGLE, same_map, NULL},
	{CONFIG_DB, "FLEX_COUNTER_TABLE|", open_group, keys_group, group, NULL},
	{0, NULL, NULL, NULL, NULL, NULL},
};
