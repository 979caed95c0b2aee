/* SPDX-License-Identifier: Apache-2.0 */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/sonic/sonic_notes.h"
#include "emulator/device/sonic/sonic_redis.h"

/* CONFIG_DB: the lossless configuration: maps, watchdog, WRED/ECN, buffers. */

/* ---- PFC watchdog ---- */

static void wd_global(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_u64(each, arg, "POLL_INTERVAL", r->d->config.wd_poll_ms);
	if (r->d->config.wd_big_red)
		redis_give_text(each, arg, "BIG_RED_SWITCH", "enable");
}

static void wd_port(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char *const actions[] = {
		[SIM_WD_DROP] = "drop", [SIM_WD_FORWARD] = "forward", [SIM_WD_ALERT] = "alert"};
	const struct sim_port_config *c = &row->port->config;

	if (!c->wd_mask)
		return;
	redis_give_text(each, arg, "action", actions[c->wd_action]);
	redis_give_u64(each, arg, "detection_time", c->wd_detect_ms);
	/* Without it only stop and start end a storm. */
	if (c->wd_restore_ms)
		redis_give_u64(each, arg, "restoration_time", c->wd_restore_ms);
	redis_give_text(each, arg, "pfc_stat_history",
		sonic_history(r->ctx, r->d, row->port) ? "enable" : "disable");
}

/* ---- maps ---- */

static void qos_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port_config *c = &row->port->config;

	if (r->d->config.trust_dscp)
		redis_give_text(each, arg, "dscp_to_tc_map", "AZURE");
	redis_give_text(each, arg, "tc_to_queue_map", "AZURE");
	redis_give_text(each, arg, "tc_to_pg_map", "AZURE");
	redis_give_text(each, arg, "pfc_to_queue_map", "AZURE");
	redis_give_text(each, arg, "pfc_to_pg_map", "AZURE");
	redis_give_mask(each, arg, "pfc_enable", c->pfc_mask);
	redis_give_mask(each, arg, "pfcwd_sw_enable", c->wd_mask ? c->wd_mask : c->pfc_mask);
}

static void qos_global(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	if (r->d->config.trust_dscp)
		redis_give_text(each, arg, "dscp_to_tc_map", "AZURE");
}

static void give_number(redis_field_fn each, void *arg, unsigned from, unsigned to)
{
	char name[8];

	(void)snprintf(name, sizeof(name), "%u", from);
	redis_give_u64(each, arg, name, to);
}

static void dscp_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	for (unsigned i = 0; i < 64; i++)
		give_number(each, arg, i, r->d->config.dscp_prio[i]);
}

static void same_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	for (unsigned i = 0; i < 8; i++)
		give_number(each, arg, i, i);
}

/* All lossy classes share group 0. */
static void group_map(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	unsigned lossless = r->d->nports ? r->d->ports[0].config.pfc_mask : 0;

	(void)row;
	for (unsigned i = 0; i < 8; i++)
		give_number(each, arg, i, (lossless | LOSSLESS_MASK) >> i & 1 ? i : 0);
}

/* ---- WRED and ECN ---- */

static bool same_profile(const struct sim_port_config *a, const struct sim_port_config *b)
{
	return a->ecn_min_bytes == b->ecn_min_bytes && a->ecn_max_bytes == b->ecn_max_bytes &&
	       a->ecn_max_percent == b->ecn_max_percent;
}

/* The port with the most frequent thresholds (majority vote): the switch's common profile. */
static const struct sim_port *common_port(const struct redis *r)
{
	const struct sim_port *best = NULL;
	unsigned votes = 0;

	for (unsigned i = 0; i < r->d->nports; i++) {
		const struct sim_port *p = &r->d->ports[i];

		if (!votes)
			best = p;
		votes += !best || same_profile(&p->config, &best->config) ? 1 : UINT_MAX;
	}
	return best;
}

static void give_profile(const struct sim_port_config *c, redis_field_fn each, void *arg)
{
	static const char *const colours[] = {"green", "yellow", "red"};
	char name[40];

	redis_give_text(each, arg, "ecn", "ecn_all");
	for (size_t i = 0; i < 3; i++) {
		(void)snprintf(name, sizeof(name), "wred_%s_enable", colours[i]);
		redis_give_text(each, arg, name, "true");
		(void)snprintf(name, sizeof(name), "%s_min_threshold", colours[i]);
		redis_give_u64(each, arg, name, c->ecn_min_bytes);
		(void)snprintf(name, sizeof(name), "%s_max_threshold", colours[i]);
		redis_give_u64(each, arg, name, c->ecn_max_bytes);
		(void)snprintf(name, sizeof(name), "%s_drop_probability", colours[i]);
		redis_give_u64(each, arg, name, c->ecn_max_percent);
	}
}

static void give_wred(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = common_port(r);

	(void)row;
	if (p)
		give_profile(&p->config, each, arg);
}

/* Ports with thresholds of their own: WRED_PROFILE|AZURE_LOSSLESS_Ethernet4 */
static void wred_own(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = common_port(r);

	if (p && !same_profile(&p->config, &row->port->config))
		give_profile(&row->port->config, each, arg);
}

static void give_queue(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port_config *c = &row->port->config;
	bool lossless = (c->pfc_mask | LOSSLESS_MASK) >> row->index & 1;
	const struct sim_port *p;
	struct redis_value v;

	redis_give_text(each, arg, "scheduler",
		lossless                         ? "scheduler.1"
		: c->weighted || row->index != 0 ? "scheduler.0"
						 : "scheduler.2");
	if (!lossless || !c->ecn)
		return;
	p = common_port(r);
	if (same_profile(&p->config, c))
		redis_text(&v, "AZURE_LOSSLESS");
	else
		redis_textf(&v, "AZURE_LOSSLESS_%s", row->port->name);
	redis_give(each, arg, "wred_profile", &v);
}

/* ---- schedulers and buffers: 64 x 400G with 40 m cables ---- */

static const char *const schedulers[] = {"scheduler.0", "scheduler.1", "scheduler.2", NULL};

static void give_scheduler(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r;
	redis_give_text(each, arg, "type", row->index == 2 ? "STRICT" : "DWRR");
	if (row->index != 2)
		redis_give_text(each, arg, "weight", row->index ? "15" : "14");
}

static void give_pool(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r;
	redis_give_text(each, arg, "type", row->index == 2 ? "ingress" : "egress");
	redis_give_text(each, arg, "mode", row->index ? "dynamic" : "static");
	redis_give_u64(each, arg, "size", sonic_pool_bytes(row->index, false));
	if (row->index == 2)
		redis_give_u64(each, arg, "xoff", sonic_pool_bytes(row->index, true));
}

static const char *const profiles[] = {"egress_lossless_profile", "egress_lossy_profile",
	"ingress_lossy_profile", "pg_lossless_400000_40m_profile", NULL};

static void give_buffer_profile(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	unsigned i = row->index;

	(void)r;
	redis_give_text(each, arg, "pool", i < 2 ? sonic_pools[i] : sonic_pools[2]);
	redis_give_text(each, arg, "size", i == 3 ? "38912" : i == 1 ? "1518" : "0");
	if (i == 0)
		redis_give_text(each, arg, "static_th", "160563200");
	else
		redis_give_text(each, arg, "dynamic_th", i == 3 ? "0" : "3");
	if (i != 3)
		return;
	redis_give_text(each, arg, "xon", "19456");
	redis_give_text(each, arg, "xoff", "311808");
}

static void buffer_pg(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r;
	if (row->port->config.pfc_mask >> row->index & 1)
		redis_give_text(each, arg, "profile", profiles[3]);
	else if (row->index == 0)
		redis_give_text(each, arg, "profile", profiles[2]);
}

static void buffer_queue(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r;
	redis_give_text(each, arg, "profile",
		row->port->config.pfc_mask >> row->index & 1 ? profiles[0] : profiles[1]);
}

const struct redis_table redis_qos_tables[] = {
	{CONFIG_DB, "PFC_WD|GLOBAL", REDIS_SINGLE, wd_global, NULL, NULL},
	{CONFIG_DB, "PFC_WD|", REDIS_PORTS, wd_port, NULL, NULL},
	{CONFIG_DB, "PORT_QOS_MAP|global", REDIS_SINGLE, qos_global, NULL, NULL},
	{CONFIG_DB, "PORT_QOS_MAP|", REDIS_PORTS, qos_map, NULL, NULL},
	{CONFIG_DB, "DSCP_TO_TC_MAP|AZURE", REDIS_SINGLE, dscp_map, NULL, NULL},
	{CONFIG_DB, "TC_TO_QUEUE_MAP|AZURE", REDIS_SINGLE, same_map, NULL, NULL},
	{CONFIG_DB, "TC_TO_PRIORITY_GROUP_MAP|AZURE", REDIS_SINGLE, group_map, NULL, NULL},
	{CONFIG_DB, "MAP_PFC_PRIORITY_TO_QUEUE|AZURE", REDIS_SINGLE, same_map, NULL, NULL},
	{CONFIG_DB, "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP|AZURE", REDIS_SINGLE, group_map, NULL,
		NULL},
	{CONFIG_DB, "WRED_PROFILE|AZURE_LOSSLESS", REDIS_SINGLE, give_wred, NULL, NULL},
	{CONFIG_DB, "WRED_PROFILE|AZURE_LOSSLESS_", REDIS_PORTS, wred_own, NULL, NULL},
	{CONFIG_DB, "QUEUE|", REDIS_QUEUES, give_queue, NULL, NULL},
	{CONFIG_DB, "SCHEDULER|", REDIS_NAMED, give_scheduler, NULL, schedulers},
	{CONFIG_DB, "BUFFER_POOL|", REDIS_NAMED, give_pool, NULL, sonic_pools},
	{APPL_DB, "BUFFER_POOL_TABLE:", REDIS_NAMED, give_pool, NULL, sonic_pools},
	{CONFIG_DB, "BUFFER_PROFILE|", REDIS_NAMED, give_buffer_profile, NULL, profiles},
	{CONFIG_DB, "BUFFER_PG|", REDIS_QUEUES, buffer_pg, NULL, NULL},
	{CONFIG_DB, "BUFFER_QUEUE|", REDIS_QUEUES, buffer_queue, NULL, NULL},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
