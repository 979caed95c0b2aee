/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "archive/export/snapshot_private.h"
#include "base/json_out.h"
#include "base/str.h"
#include "fabric/model/metrics.h"
#include "fabric/model/nets.h"
#include "fabric/vocabulary/counters.h"

static json_t *cell_value(const struct cell *c, enum counter_kind kind)
{
	if (c->valid == VALID_UNSUPPORTED || c->valid == VALID_DISABLED ||
		c->valid == VALID_UNKNOWN)
		return json_null();
	if (kind == KIND_GAUGE)
		return json_number_or_null(c->real);
	/* JSON integers are signed here. A counter beyond 2^63 keeps its magnitude as a real. */
	if (c->u64 > INT64_MAX)
		return json_number_or_null((double)c->u64);
	return json_integer((json_int_t)c->u64);
}

/* Adds the growth since each mark; nothing without marks. */
static void add_since(
	json_t *o, const struct model *m, const struct port *p, enum counter_id id, unsigned sub)
{
	json_t *since = json_object();
	uint64_t n;

	for (unsigned i = 0; i < m->nmarks; i++)
		if (port_since(m, p, (int)i, id, sub, &n))
			json_put(since, m->marks[i].name,
				n > INT64_MAX ? json_number_or_null((double)n)
					      : json_integer((json_int_t)n));
	if (json_object_size(since))
		json_put(o, "since", since);
	else
		json_decref(since);
}

static json_t *cell_json(const struct model *m, const struct port *p, enum counter_id id,
	unsigned sub, int64_t now_us)
{
	const struct cell *c = port_cell(p, id, sub);
	int64_t seen = c ? cell_seen_us(p, c) : 0;
	json_t *o;

	if (!c)
		return NULL;
	o = json_object();
	json_put(o, "value", cell_value(c, counter_info[id].kind));
	if (counter_info[id].kind == KIND_COUNT)
		json_put(o, "rate", json_number_or_null(port_rate(p, id, sub)));
	json_put(o, "valid", json_string(validity_name(port_cell_valid(m, p, id, sub))));
	json_put(o, "age_s",
		seen ? json_number_or_null((double)(now_us - seen) / 1e6) : json_null());
	if (m->nmarks)
		add_since(o, m, p, id, sub);
	return o;
}

static json_t *counters_json(const struct model *m, const struct port *p, int64_t now_us)
{
	json_t *all = json_object();

	for (int id = 0; id < COUNTER_COUNT; id++) {
		const struct counter_info *info = &counter_info[id];
		json_t *subs = NULL;

		if (info->dim == DIM_ONE) {
			json_t *one = cell_json(m, p, (enum counter_id)id, 0, now_us);

			if (one)
				json_put(all, info->name, one);
			continue;
		}
		for (unsigned sub = 0; sub < counter_dim_size((enum counter_id)id); sub++) {
			json_t *one = cell_json(m, p, (enum counter_id)id, sub, now_us);
			char key[12];

			if (!one)
				continue;
			if (!subs)
				subs = json_object();
			(void)snprintf(key, sizeof(key), "%u", sub);
			json_put(subs, key, one);
		}
		if (subs)
			json_put(all, info->name, subs);
	}
	return all;
}

static json_t *paused_json(const struct port *p, enum direction dir)
{
	json_t *o = json_object();

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		struct paused v = port_paused(p, prio, dir);
		char key[12];

		if (isnan(v.percent))
			continue;
		(void)snprintf(key, sizeof(key), "%u", prio);
		json_put(o, key,
			json_pack("{s:o, s:b}", "percent", json_number_or_null(v.percent),
				"upper_bound", v.upper_bound));
	}
	return o;
}

static json_t *derived_json(const struct model *m, const struct port *p, int64_t now_us)
{
	struct health h = port_health(m, p, now_us);
	json_t *o = json_object();

	json_put(o, "utilisation_rx", json_number_or_null(port_utilisation(p, DIR_RX)));
	json_put(o, "utilisation_tx", json_number_or_null(port_utilisation(p, DIR_TX)));
	json_put(o, "paused_rx", paused_json(p, DIR_RX));
	json_put(o, "paused_tx", paused_json(p, DIR_TX));
	json_put(o, "pre_fec_ber", json_number_or_null(port_pre_fec_ber(p)));
	json_put(o, "drops_per_s", json_number_or_null(port_drop_rate(p)));
	json_put(o, "flaps", json_number_or_null(port_flaps(p)));
	json_put(o, "severity", json_string(severity_name(h.severity)));
	json_put(o, "why", json_text_or_null(h.why));
	return o;
}

static json_t *peer_json(const struct model *m, const struct port *p)
{
	enum peer_source source = PEER_NONE;
	const struct port *q = port_peer(m, p, &source);

	if (q)
		return json_pack("{s:o, s:o, s:s}", "device", json_text(model_dev_of(m, q)->name),
			"port", json_text(q->name), "source", peer_source_name(source));
	/* A neighbour outside the model is still a fact. */
	if (p->lldp_device[0])
		return json_pack("{s:o, s:o, s:s}", "device", json_text(p->lldp_device), "port",
			json_text(p->lldp_port), "source", "lldp");
	return json_null();
}

/* The other ends of a bond, by slave. */
static json_t *slaves_json(const struct model *m, const struct port *bond)
{
	json_t *list = json_array();
	const struct port *p;

	for (size_t i = 0; (p = port_slave(m, bond, i)); i++)
		json_append(list, json_pack("{s:o, s:s, s:o}", "name", json_text(p->name), "oper",
					  port_state_name(p), "peer", peer_json(m, p)));
	return list;
}

static json_t *watchdogs_json(const struct port *p)
{
	json_t *o = json_object();

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		const struct watchdog *w = &p->wd[prio];
		char key[12];
		json_t *one;

		if (w->state == WD_UNKNOWN)
			continue;
		one = json_pack("{s:s}", "state", wd_state_name((enum wd_state)w->state));
		json_put(one, "action", json_text_or_null(w->action));
		if (w->detect_ms)
			json_put(one, "detect_ms", json_integer(w->detect_ms));
		if (w->restore_ms)
			json_put(one, "restore_ms", json_integer(w->restore_ms));
		(void)snprintf(key, sizeof(key), "%u", prio);
		json_put(o, key, one);
	}
	return o;
}

static json_t *known_number(unsigned v)
{
	return v ? json_integer((json_int_t)v) : json_null();
}

static json_t *pci_json(const struct port *p)
{
	json_t *o;

	if (!p->more->pci_addr[0] && !p->more->pcie_max_width && !p->more->pcie_max_mtps &&
		!p->more->setup[0])
		return json_null();
	o = json_object();
	json_put(o, "address", json_text_or_null(p->more->pci_addr));
	json_put(o, "max_width", known_number(p->more->pcie_max_width));
	json_put(o, "max_mtps", known_number(p->more->pcie_max_mtps));
	json_put(o, "setup", json_text_or_null(p->more->setup));
	return o;
}

/* The neighbour as it reports itself. */
static json_t *lldp_json(const struct port *p, int64_t now_us)
{
	json_t *o;

	if (!p->lldp_device[0])
		return json_null();
	o = json_pack(
		"{s:o, s:o}", "device", json_text(p->lldp_device), "port", json_text(p->lldp_port));
	json_put(o, "management", json_text_or_null(p->more->lldp_mgmt));
	json_put(o, "description", json_text_or_null(p->more->lldp_descr));
	json_put(o, "age_s", json_number_or_null((double)(now_us - p->lldp_us) / 1e6));
	return o;
}

/* null: neither the inventory nor a cable says it. */
static json_t *network_json(const struct model *m, const struct port *p)
{
	enum net_kind net = port_net(m, p);

	return net == NET_COUNT ? json_null() : json_string(net_kind_name(net));
}

json_t *snapshot_port(const struct model *m, const struct port *p, int64_t now_us)
{
	json_t *o = json_pack("{s:o, s:s, s:s}", "name", json_text(p->name), "oper",
		port_state_name(p), "admin", oper_name(p->admin));

	json_put(o, "seen", json_boolean(p->seen));
	json_put(o, "rail", p->rail >= 0 ? json_integer(p->rail) : json_null());
	json_put(o, "network", network_json(m, p));
	json_put(o, "link_layer",
		json_text_or_null(link_layer_name((enum link_layer)p->more->link_layer)));
	json_put(o, "speed_mbps", known_number(p->speed_mbps));
	json_put(o, "plan_speed_mbps", known_number(p->plan_speed_mbps));
	json_put(o, "mtu", known_number(p->mtu));
	json_put(o, "alias", json_text_or_null(p->more->alias));
	json_put(o, "netdev", json_text_or_null(p->netdev));
	json_put(o, "fec", json_text_or_null(p->more->fec));
	json_put(o, "description", json_text_or_null(p->more->description));
	json_put(o, "down_reason", json_text_or_null(p->more->down_reason));
	json_put(o, "media", json_text_or_null(p->more->media));
	json_put(o, "module_serial", json_text_or_null(p->more->module_sn));
	json_put(o, "last_change",
		p->more->last_change_us ? json_number_or_null((double)p->more->last_change_us / 1e6)
					: json_null());
	json_put(o, "pci", pci_json(p));
	json_put(o, "peer", peer_json(m, p));
	json_put(o, "lldp", lldp_json(p, now_us));
	if (port_is_bond(p))
		json_put(o, "slaves", slaves_json(m, p));
	else if (p->more->bond[0])
		json_put(o, "bond", json_text(p->more->bond));
	if (p->more->lag_state[0])
		json_put(o, "lag_state", json_text(p->more->lag_state));
	if (p->more->lag_min)
		json_put(o, "lag_min_links", json_integer(p->more->lag_min));
	if (p->more->lag_pair[0])
		json_put(o, "lag_pair", json_text(p->more->lag_pair));
	if (p->more->tenant[0])
		json_put(o, "tenant", json_text(p->more->tenant));
	if (p->more->scheduler[0])
		json_put(o, "scheduler", json_text(p->more->scheduler));
	json_put(o, "qos", snapshot_qos(model_dev_of(m, p), p));
	json_put(o, "optics_limits", snapshot_limits(p));
	json_put(o, "watchdog", watchdogs_json(p));
	json_put(o, "derived", derived_json(m, p, now_us));
	json_put(o, "counters", counters_json(m, p, now_us));
	return o;
}
