/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/nxos/dev_nxos.h"

/* Priority flow control, queues, the PFC watchdog and buffers. */

/* Slices of the chip, each with a buffer for half of the ports. */
#define INSTANCES 2u

static json_t *module_of(const struct nxos_query *q, const char *table, json_t *rows)
{
	json_t *body = json_object(), *module = json_object(), *modules = json_array();

	nxos_table(q, module, table, rows);
	(void)json_array_append_new(modules, module);
	nxos_table(q, body, "module", modules);
	return body;
}

json_t *nxos_pfc(const struct nxos_query *q)
{
	json_t *rows = json_array(), *row;
	uint64_t rx, tx;

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		row = json_object();
		personality_pause_frames(p, &rx, &tx);
		nxos_str(row, "if_name_str", p->name);
		nxos_str(row, "admin", p->config.pfc_mask ? "On" : "Off");
		nxos_str(row, "oper", p->config.pfc_mask && p->up ? "On" : "Off");
		nxos_strf(row, "vl-bmap", "%x", p->config.pfc_mask);
		nxos_num(q, row, "rx-stats", rx);
		nxos_num(q, row, "tx-stats", tx);
		(void)json_array_append_new(rows, row);
	}
	return module_of(q, "pfc_interface", rows);
}

/* ---- show queuing interface ---- */

static const struct {
	const char *type, *units;
} stats[] = {{"Tx", "Pkts"}, {"Tx", "Byts"}, {"WRED/AFD & Tail Drop", "Pkts"},
	{"WRED/AFD & Tail Drop", "Byts"}, {"Q Depth", "Byts"}, {"WD & Tail Drop", "Pkts"},
	{"ECN", "Pkts"}};
#define STATS (sizeof(stats) / sizeof(stats[0]))
#define ECN   (STATS - 1)

/* Most queues of a port are idle. Their rows are made once per answer, and shared. */
struct idle {
	json_t *entry[STATS], *cos[NXOS_GROUPS];
};

static json_t *entry_of(const struct nxos_query *q, size_t stat, uint64_t v)
{
	json_t *row = json_object();

	nxos_str(row, "eq-stat-type", stats[stat].type);
	nxos_str(row, "eq-stat-units", stats[stat].units);
	nxos_num(q, row, "eq-uc-stat-value", v);
	nxos_num(q, row, "eq-oobfc-uc-stat-value", 0);
	nxos_num(q, row, "eq-mc-stat-value", 0);
	return row;
}

static json_t *group_of(
	const struct nxos_query *q, const struct sim_port *p, unsigned i, struct idle *idle)
{
	const struct sim_queue *s = &p->q[i];
	uint64_t average = s->tx_packets ? s->tx_bytes / s->tx_packets : 0;
	const uint64_t values[STATS] = {s->tx_packets, s->tx_bytes, s->drops + s->wred_drops,
		(s->drops + s->wred_drops) * average, s->depth_bytes, s->wd_drops, s->ecn_marked};
	bool marks = p->config.ecn && p->config.pfc_mask >> i & 1;
	json_t *row = json_object(), *entries = json_array();

	for (size_t k = 0; k < STATS; k++) {
		if (k == ECN && !marks)
			continue;
		if (!values[k] && !idle->entry[k])
			idle->entry[k] = entry_of(q, k, 0);
		(void)json_array_append_new(entries,
			values[k] ? entry_of(q, k, values[k]) : json_incref(idle->entry[k]));
	}
	nxos_num(q, row, "eq-qosgrp", i);
	nxos_table(q, row, "qosgrp_egress_stats_entry", entries);
	return row;
}

static json_t *egress_of(const struct nxos_query *q, const struct sim_port *p, struct idle *idle)
{
	json_t *row = json_object(), *groups = json_array();

	nxos_str(row, "dir", "Egress");
	nxos_str(row, "if_name_str", p->name);
	for (unsigned i = 0; i < NXOS_GROUPS; i++)
		(void)json_array_append_new(groups, group_of(q, p, i, idle));
	nxos_table(q, row, "qosgrp_egress_stats", groups);
	return row;
}

static json_t *class_of_service(const struct nxos_query *q, const struct sim_port *p, unsigned i)
{
	const struct sim_queue *s = &p->q[i];
	json_t *row = json_object();

	nxos_num(q, row, "cos", i);
	if (p->config.pfc_mask >> i & 1) {
		nxos_num(q, row, "pfc-qosgrp", i);
		nxos_num(q, row, "pfc-pg", i);
	} else {
		nxos_str(row, "pfc-qosgrp", "-");
		nxos_str(row, "pfc-pg", "-");
	}
	nxos_str(row, "tx-pause-state", "Inactive");
	nxos_num(q, row, "tx-pause-count", s->pfc_tx_frames);
	nxos_str(row, "rx-pause-state", s->wd_stormed ? "Active" : "Inactive");
	nxos_num(q, row, "rx-pause-count", s->pfc_rx_frames);
	return row;
}

static json_t *ingress_of(const struct nxos_query *q, const struct sim_port *p, struct idle *idle)
{
	json_t *row = json_object(), *classes = json_array();
	uint64_t rx, tx;

	personality_pause_frames(p, &rx, &tx);
	nxos_str(row, "dir", "Ingress");
	nxos_str(row, "if_name_str", p->name);
	nxos_num(q, row, "tx-ppp", tx);
	nxos_num(q, row, "rx-ppp", rx);
	for (unsigned i = 0; i < NXOS_GROUPS; i++) {
		const struct sim_queue *s = &p->q[i];
		bool busy = p->config.pfc_mask >> i & 1 || s->pfc_rx_frames || s->pfc_tx_frames;

		if (!busy && !idle->cos[i])
			idle->cos[i] = class_of_service(q, p, i);
		(void)json_array_append_new(
			classes, busy ? class_of_service(q, p, i) : json_incref(idle->cos[i]));
	}
	nxos_table(q, row, "pfc_stats", classes);
	return row;
}

json_t *nxos_queuing(const struct nxos_query *q)
{
	json_t *rows = json_array();
	struct idle idle = {0};

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		if (!nxos_is_wanted(q, p))
			continue;
		(void)json_array_append_new(rows, egress_of(q, p, &idle));
		(void)json_array_append_new(rows, ingress_of(q, p, &idle));
	}
	for (size_t i = 0; i < STATS; i++)
		json_decref(idle.entry[i]);
	for (size_t i = 0; i < NXOS_GROUPS; i++)
		json_decref(idle.cos[i]);
	return module_of(q, "queuing_interface", rows);
}

/* ---- show queuing pfc-queue ---- */

static void add_count(
	const struct nxos_query *q, json_t *rows, const char *type, const char *key, uint64_t v)
{
	json_t *row = json_object();

	nxos_str(row, "q-stat-type", type);
	nxos_num(q, row, key, v);
	(void)json_array_append_new(rows, row);
}

static json_t *watched_group(const struct nxos_query *q, const struct sim_port *p, unsigned i)
{
	const struct sim_queue *s = &p->q[i];
	json_t *row = json_object(), *entries = json_array();

	nxos_num(q, row, "eq-qosgrp", i);
	nxos_str(row, "eq-qosgrp-state", s->wd_stormed ? "Shutdown" : "Active");
	nxos_str(row, "pfc-configured", "YES");
	nxos_num(q, row, "pfc-cos", i);
	if (q->detail) {
		add_count(q, entries, "Shutdown", "q-shutdown", s->wd_detected);
		add_count(q, entries, "Restored", "q-restored", s->wd_restored);
		add_count(q, entries, "Total pkts drained", "q-pkt-drained", 0);
		add_count(q, entries, "Total pkts dropped", "q-pkt-dropped", s->wd_drops);
		add_count(q, entries, "Total pkts drained + dropped", "q-pkt-drained-n-dropped",
			s->wd_drops);
		add_count(q, entries, "Aggregate pkts dropped", "q-aggr-pkt-dropped", s->wd_drops);
		add_count(q, entries, "Total Ingress pkts dropped", "q-ing-pkt-dropped", 0);
		add_count(
			q, entries, "Aggregate Ingress pkts dropped", "q-ing-aggr-pkt-dropped", 0);
	}
	nxos_table(q, row, "qosgrp_stats_entry", entries);
	return row;
}

static json_t *watched_port(const struct nxos_query *q, const struct sim_port *p)
{
	json_t *row = json_object(), *groups = json_array();

	/* On the device the name is followed by the table's heading. */
	nxos_strf(row, "if_name_str", "%s Interface PFC watchdog", p->name);
	nxos_str(row, "wd-status", p->config.wd_mask ? "Enabled" : "Disabled");
	nxos_str(row, "disable-action", p->config.wd_action == SIM_WD_ALERT ? "Yes" : "No");
	nxos_num(q, row, "intf-multi", 0);
	nxos_strf(row, "vl-bmp", "%x", p->config.wd_mask);
	for (unsigned i = 0; i < NXOS_GROUPS; i++)
		if (p->config.pfc_mask >> i & 1)
			(void)json_array_append_new(groups, watched_group(q, p, i));
	nxos_table(q, row, "qosgrp_stats", groups);
	return row;
}

json_t *nxos_watchdog(const struct nxos_query *q)
{
	json_t *rows = json_array(), *body, *module;
	bool any = false;

	for (unsigned i = 0; i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		any = any || p->config.wd_mask;
		if (nxos_is_wanted(q, p))
			(void)json_array_append_new(rows, watched_port(q, p));
	}
	body = module_of(q, "queuing_interface", rows);
	module = json_object_get(json_object_get(body, "TABLE_module"), "ROW_module");
	if (json_is_array(module))
		module = json_array_get(module, 0);
	nxos_str(module, "glb-wd-status", any ? "Enabled" : "Disabled");
	nxos_num(q, module, "glb-wd-timer", q->m->d->config.wd_poll_ms);
	return body;
}

/* ---- show hardware internal buffer info pkt-stats ---- */

static json_t *instance_of(const struct nxos_query *q, unsigned n)
{
	uint64_t now[2] = {0}, most[2] = {0};
	unsigned each = (q->m->d->nports + INSTANCES - 1) / INSTANCES;
	json_t *row = json_object();

	for (unsigned i = n * each; i < (n + 1) * each && i < q->m->d->nports; i++) {
		const struct sim_port *p = &q->m->d->ports[i];

		for (unsigned k = 0; k < 8; k++) {
			bool no_drop = p->config.pfc_mask >> k & 1;

			now[no_drop] += p->q[k].depth_bytes;
			most[no_drop] += p->q[k].watermark_bytes;
		}
	}
	nxos_num(q, row, "instance", n);
	nxos_num(q, row, "max_cell_usage_drop_pg", most[0] / NXOS_CELL);
	nxos_num(q, row, "max_cell_usage_no_drop_pg", most[1] / NXOS_CELL);
	nxos_num(q, row, "switch_cell_count_drop_pg", now[0] / NXOS_CELL);
	nxos_num(q, row, "switch_cell_count_no_drop_pg", now[1] / NXOS_CELL);
	return row;
}

json_t *nxos_buffers(const struct nxos_query *q)
{
	json_t *rows = json_array();

	for (unsigned n = 0; n < INSTANCES; n++)
		(void)json_array_append_new(rows, instance_of(q, n));
	return module_of(q, "instance", rows);
}

void nxos_buffers_text(const struct nxos_query *q, struct buf *out)
{
	(void)buf_adds(out, "slot  1\n=======\n\n");
	for (unsigned n = 0; n < INSTANCES; n++) {
		json_t *row = instance_of(q, n), *value;
		const char *key;

		(void)buf_addf(out, "INSTANCE: %u\n============\n", n);
		json_object_foreach(row, key, value) if (strcmp(key, "instance") != 0)(void)
			buf_addf(out, "%-32s %12s\n", key,
				json_is_string(value) ? json_string_value(value) : "0");
		json_decref(row);
	}
}
