/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "archive/export/snapshot_private.h"
#include "base/json_out.h"
#include "fabric/vocabulary/shipped.h"

static json_t *bytes_or_null(uint32_t n)
{
	return n == UINT32_MAX ? json_null() : json_integer((json_int_t)n);
}

static json_t *int_or_null(int n)
{
	return n < 0 ? json_null() : json_integer(n);
}

/* A bit mask of priorities as a list. Bit 8: the mask is known. */
static json_t *priorities_json(uint16_t mask)
{
	json_t *list;

	if (!(mask >> 8 & 1))
		return json_null();
	list = json_array();
	for (int prio = 0; prio < PRIORITIES; prio++)
		if (mask >> prio & 1)
			json_append(list, json_integer(prio));
	return list;
}

static bool has_settings(const struct qos_prio *q)
{
	return q->ecn_min_bytes != UINT32_MAX || q->ecn_max_bytes != UINT32_MAX ||
	       isfinite(q->ecn_probability) || q->xoff_bytes != UINT32_MAX ||
	       q->xon_bytes != UINT32_MAX || q->headroom_bytes != UINT32_MAX;
}

static json_t *by_priority(const struct device *d, const struct port *port)
{
	const struct qos *q = port->qos;
	json_t *all = json_object();

	for (unsigned prio = 0; prio < PRIORITIES; prio++) {
		const struct qos_prio *p = &q->prio[prio];
		const char *shipped = shipped_ecn(d->dialect, p->ecn_min_bytes, p->ecn_max_bytes);
		json_t *o;
		char key[12];

		if (!has_settings(p))
			continue;
		o = json_object();
		json_put(o, "ecn_min_bytes", bytes_or_null(p->ecn_min_bytes));
		json_put(o, "ecn_max_bytes", bytes_or_null(p->ecn_max_bytes));
		json_put(o, "ecn_default_of", json_text_or_null(shipped ? shipped : ""));
		json_put(o, "ecn_probability", json_number_or_null((double)p->ecn_probability));
		json_put(o, "xoff_bytes", bytes_or_null(p->xoff_bytes));
		json_put(o, "xon_bytes", bytes_or_null(p->xon_bytes));
		json_put(o, "headroom_bytes", bytes_or_null(p->headroom_bytes));
		json_put(o, "headroom_default",
			json_boolean(shipped_headroom_is(
				d->dialect, d->model, port->speed_mbps, p->headroom_bytes)));
		(void)snprintf(key, sizeof(key), "%u", prio);
		json_put(all, key, o);
	}
	return all;
}

json_t *snapshot_qos(const struct device *d, const struct port *p)
{
	const struct qos *q = p->qos;
	json_t *o = json_object();

	json_put(o, "pfc_enabled", priorities_json(p->pfc_enabled));
	json_put(o, "ecn_enabled", priorities_json(p->ecn_enabled));
	if (!q)
		return o;
	json_put(o, "trust", json_text_or_null(q->trust));
	json_put(o, "dscp_to_tc", json_text_or_null(q->dscp_to_tc));
	json_put(o, "tc_to_queue", json_text_or_null(q->tc_to_queue));
	json_put(o, "tc_to_pg", json_text_or_null(q->tc_to_pg));
	json_put(o, "prio_to_queue", json_text_or_null(q->prio_to_queue));
	json_put(o, "priorities", by_priority(d, p));
	if (q->roce_tclass < 0 && q->cnp_dscp < 0 && q->cnp_prio < 0 && !q->dcqcn_rp &&
		!q->dcqcn_np && q->storm_tout_ms < 0)
		return o;
	json_put(o, "roce_tclass", int_or_null(q->roce_tclass));
	json_put(o, "cnp_dscp", int_or_null(q->cnp_dscp));
	json_put(o, "cnp_prio", int_or_null(q->cnp_prio));
	json_put(o, "dcqcn_rp", priorities_json(q->dcqcn_rp));
	json_put(o, "dcqcn_np", priorities_json(q->dcqcn_np));
	json_put(o, "storm_tout_ms", int_or_null(q->storm_tout_ms));
	return o;
}

static void add_limits(json_t *all, const char *name, const float *v)
{
	json_t *o = json_object();

	for (unsigned i = 0; i < LIMIT_COUNT; i++)
		if (isfinite(v[i]))
			json_put(o, optics_limit_name((enum optics_limit)i),
				json_number_or_null((double)v[i]));
	if (json_object_size(o))
		json_put(all, name, o);
	else
		json_decref(o);
}

json_t *snapshot_limits(const struct port *p)
{
	json_t *o;

	if (!p->more->limits)
		return json_null();
	o = json_object();
	add_limits(o, "rx_power_dbm", p->more->limits->rx_power_dbm);
	add_limits(o, "tx_power_dbm", p->more->limits->tx_power_dbm);
	add_limits(o, "tx_bias_ma", p->more->limits->tx_bias_ma);
	add_limits(o, "temperature_c", p->more->limits->temperature_c);
	add_limits(o, "voltage_v", p->more->limits->voltage_v);
	return o;
}
