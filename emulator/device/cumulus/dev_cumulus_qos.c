/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"

/* QoS in NVUE's model: counters, RoCE, buffers, PFC, ECN, the watchdog. */

#define POOL_BYTES UINT64_C(15896412) /* shared by the dynamic ingress pools */
#define PG_BYTES   UINT64_C(25000)
#define XOFF_BYTES UINT64_C(10000)
/* Spectrum-4 programs thresholds in cells of this size: 150000 bytes read back as 156 KB. */
#define CELL_BYTES 12288u

/*
 * The first release with raw statistics. They are keyed by queue without a level for the kind, and
 * count marked frames per queue. Values are numbers; older releases give text with units.
 */
#define RAW_RELEASE 513u

static void set_indexed(json_t *o, unsigned i, json_t *value)
{
	char key[4];

	(void)str_printf(key, sizeof(key), "%u", i);
	(void)json_object_set_new_nocheck(o, key, value);
}

static json_t *json_nested(const char *kind, json_t *rows, bool raw)
{
	return raw ? rows : json_pack("{s:o}", kind, rows);
}

static json_t *json_bytes(uint64_t bytes, bool raw)
{
	return raw ? cumulus_u64(bytes) : cumulus_size(bytes);
}

static json_t *json_ingress(const struct sim_port *p, bool raw)
{
	json_t *rows = json_object();
	unsigned i;

	/* The discard columns count frames; the older output formats them as bytes nevertheless. */
	for (i = 0; i < 8; i++)
		set_indexed(rows, i,
			json_pack("{s:o,s:o,s:o}", "rx-frames", cumulus_u64(p->q[i].rx_packets),
				"rx-buffer-discards", json_bytes(p->q[i].pg_drops, raw),
				"rx-shared-buffer-discards", json_bytes(0, raw)));
	return json_nested("priority-group", rows, raw);
}

static json_t *json_egress(const struct sim_port *p, bool raw)
{
	json_t *rows = json_object(), *row;
	unsigned i;

	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		row = json_pack("{s:o,s:o,s:o,s:o}", "tx-frames", cumulus_u64(q->tx_packets),
			"tx-bytes", json_bytes(q->tx_bytes, raw), "tx-uc-buffer-discards",
			json_bytes(q->drops, raw), "wred-discards", cumulus_u64(q->wred_drops));
		if (raw)
			(void)json_object_set_new(
				row, "ecn-marked-frames", cumulus_u64(q->ecn_marked));
		set_indexed(rows, i, row);
	}
	return json_nested("traffic-class", rows, raw);
}

static json_t *pfc_stats(const struct sim_port *p, bool raw)
{
	json_t *rows = json_object();
	unsigned i;

	for (i = 0; i < 8; i++)
		set_indexed(rows, i,
			json_pack("{s:o,s:o,s:o,s:o}", "rx-pause-frames",
				cumulus_u64(p->q[i].pfc_rx_frames), "rx-pause-duration",
				cumulus_u64(p->q[i].pfc_rx_us), "tx-pause-frames",
				cumulus_u64(p->q[i].pfc_tx_frames), "tx-pause-duration",
				cumulus_u64(p->q[i].pfc_tx_us)));
	return json_nested("switch-priority", rows, raw);
}

static uint64_t count_marked(const struct sim_port *p)
{
	uint64_t n = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		n += p->q[i].ecn_marked;
	return n;
}

json_t *cumulus_qos_counters(const struct machine *m, const struct sim_port *p)
{
	bool raw = cumulus_release(m->d) >= RAW_RELEASE;

	/* 802.3x pause is off because PFC is on. */
	return json_pack("{s:o,s:o,s:o,s:{s:{s:i},s:{s:o,s:i,s:i}}}", "ingress-buffer-stats",
		json_ingress(p, raw), "egress-queue-stats", json_egress(p, raw), "pfc-stats",
		pfc_stats(p, raw), "port-stats", "rx-stats", "pause-frames", 0, "tx-stats",
		"ecn-marked-packets", cumulus_u64(count_marked(p)), "mc-buffer-discards", 0,
		"pause-frames", 0);
}

/* Sums the counters over the RoCE classes: the priorities with PFC. */
static struct sim_queue sum_queues(const struct sim_port *p, unsigned mask)
{
	struct sim_queue s = {0};
	unsigned i;

	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		if (!(mask >> i & 1))
			continue;
		s.rx_bytes += q->rx_bytes;
		s.rx_packets += q->rx_packets;
		s.tx_bytes += q->tx_bytes;
		s.tx_packets += q->tx_packets;
		s.drops += q->drops;
		s.pg_drops += q->pg_drops;
		s.depth_bytes += q->depth_bytes;
		s.watermark_bytes += q->watermark_bytes;
		s.pg_watermark_bytes += q->pg_watermark_bytes;
		s.pfc_rx_frames += q->pfc_rx_frames;
		s.pfc_rx_us += q->pfc_rx_us;
		s.pfc_tx_frames += q->pfc_tx_frames;
		s.pfc_tx_us += q->pfc_tx_us;
	}
	return s;
}

/* The current fill of the group, limited to its watermark. */
static uint64_t group_now(const struct sim_queue *q)
{
	return q->depth_bytes < q->pg_watermark_bytes ? q->depth_bytes : q->pg_watermark_bytes;
}

static json_t *rx_stats(const struct sim_queue *roce, const struct sim_queue *rest)
{
	return json_pack(
		"{s:{s:o,s:o,s:o,s:o,s:o,s:o,s:o},s:{s:o,s:o},s:{s:o,s:o,s:o,s:o,s:o,s:o,s:o}}",
		"rx-non-roce-stats", "buffer-max-usage", cumulus_size(rest->pg_watermark_bytes),
		"buffer-usage", cumulus_size(group_now(rest)), "no-buffer-discard",
		cumulus_u64(rest->pg_drops), "non-roce-bytes", cumulus_size(rest->rx_bytes),
		"non-roce-packets", cumulus_u64(rest->rx_packets), "pg-max-usage",
		cumulus_size(rest->pg_watermark_bytes), "pg-usage", cumulus_size(group_now(rest)),
		"rx-pfc-stats", "pause-duration", cumulus_u64(roce->pfc_rx_us), "pause-packets",
		cumulus_u64(roce->pfc_rx_frames), "rx-roce-stats", "buffer-max-usage",
		cumulus_size(roce->pg_watermark_bytes), "buffer-usage",
		cumulus_size(group_now(roce)), "no-buffer-discard", cumulus_u64(roce->pg_drops),
		"pg-max-usage", cumulus_size(roce->pg_watermark_bytes), "pg-usage",
		cumulus_size(group_now(roce)), "roce-bytes", cumulus_size(roce->rx_bytes),
		"roce-packets", cumulus_u64(roce->rx_packets));
}

static json_t *tx_class(const struct sim_queue *q, const char *what)
{
	char bytes[16], packets[16];

	(void)str_printf(bytes, sizeof(bytes), "%s-bytes", what);
	(void)str_printf(packets, sizeof(packets), "%s-packets", what);
	return json_pack("{s:o,s:o,s:o,s:o,s:o,s:o,s:o}", "buffer-max-usage",
		cumulus_size(q->watermark_bytes), "buffer-usage", cumulus_size(q->depth_bytes),
		bytes, cumulus_size(q->tx_bytes), packets, cumulus_u64(q->tx_packets),
		"tc-max-usage", cumulus_size(q->watermark_bytes), "tc-usage",
		cumulus_size(q->depth_bytes), "unicast-no-buffer-discard", cumulus_u64(q->drops));
}

json_t *cumulus_roce_counters(const struct machine *m, const struct sim_port *p)
{
	struct sim_queue roce = sum_queues(p, LOSSLESS_MASK),
			 rest = sum_queues(p, ~LOSSLESS_MASK & 0xff);

	(void)m;
	return json_pack("{s:o,s:{s:o,s:{s:o},s:{s:o,s:o},s:o}}", "rx-stats",
		rx_stats(&roce, &rest), "tx-stats", "tx-cnp-stats",
		tx_class(&p->q[CNP_PRIO], "cnp"), "tx-ecn-stats", "ecn-marked-packets",
		cumulus_u64(count_marked(p)), "tx-pfc-stats", "pause-duration",
		cumulus_u64(roce.pfc_tx_us), "pause-packets", cumulus_u64(roce.pfc_tx_frames),
		"tx-roce-stats", tx_class(&roce, "roce"));
}

static uint64_t round_to_cells(unsigned bytes)
{
	return (uint64_t)(bytes + CELL_BYTES - 1) / CELL_BYTES * CELL_BYTES;
}

/* "3", "3,4", "none" */
static json_t *json_mask(unsigned mask)
{
	char text[20] = "";
	size_t n = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		if (mask >> i & 1) {
			if (n)
				text[n++] = ',';
			text[n++] = (char)('0' + i);
		}
	return n ? json_stringn(text, n) : json_string("none");
}

static json_t *dscp_of(const struct sim_device_config *c, unsigned prio)
{
	char text[200] = "";
	size_t n = 0;
	unsigned i;

	for (i = 0; i < 64; i++)
		if (c->dscp_prio[i] == prio && n + 4 < sizeof(text)) {
			(void)str_printf(text + n, sizeof(text) - n, "%s%u", n ? "," : "", i);
			n = strlen(text);
		}
	return n ? json_string(text) : json_string("none");
}

static json_t *roce_map(const struct machine *m)
{
	const struct sim_device_config *c = &m->d->config;

	return json_pack("{s:{s:s,s:o,s:s},s:{s:s,s:o,s:s}}", "cnp", "pcp", "6", "dscp",
		dscp_of(c, CNP_PRIO), "switch-prio", "6", "roce", "pcp", "3", "dscp",
		dscp_of(c, LOSSLESS_PRIO), "switch-prio", "3");
}

static json_t *json_pool(const char *name, const char *id, json_t *prios, json_t *classes,
	json_t *all, const struct sim_queue *q, bool in)
{
	return json_pack("{s:s,s:s,s:s,s:o,s:o,s:o,s:o,s:o}", "name", name, "mode", "DYNAMIC",
		"pool-id", id, "switch-priorities", prios, "traffic-class", classes, "size", all,
		"current-usage", cumulus_size(in ? group_now(q) : q->depth_bytes), "max-usage",
		cumulus_size(in ? q->pg_watermark_bytes : q->watermark_bytes));
}

json_t *cumulus_pools(const struct machine *m)
{
	struct sim_queue roce = {0}, rest = {0}, a, b;
	unsigned i;

	for (i = 0; i < m->d->nports; i++) {
		struct sim_port p = cumulus_counted(m, &m->d->ports[i]);

		a = sum_queues(&p, LOSSLESS_MASK);
		b = sum_queues(&p, ~LOSSLESS_MASK & 0xff);
		roce.depth_bytes += a.depth_bytes;
		roce.watermark_bytes += a.watermark_bytes;
		roce.pg_watermark_bytes += a.pg_watermark_bytes;
		rest.depth_bytes += b.depth_bytes;
		rest.watermark_bytes += b.watermark_bytes;
		rest.pg_watermark_bytes += b.pg_watermark_bytes;
	}
	return json_pack("{s:o,s:o,s:o,s:o}", "0",
		json_pool("lossy-default-ingress", "2", json_mask(~LOSSLESS_MASK & 0xff),
			json_string("-"), cumulus_size(POOL_BYTES), &rest, true),
		"1",
		json_pool("roce-reserved-ingress", "3", json_mask(LOSSLESS_MASK), json_string("-"),
			cumulus_size(POOL_BYTES), &roce, true),
		"2",
		json_pool("lossy-default-egress", "13", json_string("-"),
			json_mask(~LOSSLESS_MASK & 0xff), cumulus_size(POOL_BYTES), &rest, false),
		/* A lossless egress never drops. */
		"3",
		json_pool("roce-reserved-egress", "14", json_string("-"), json_mask(LOSSLESS_MASK),
			json_string("inf"), &roce, false));
}

json_t *cumulus_roce_port(const struct machine *m, const struct sim_port *p)
{
	const struct sim_port_config *c = &p->config;
	json_t *cc =
		c->ecn ? json_pack("{s:s,s:s,s:o,s:o,s:i}", "congestion-mode", "ecn, absolute",
				 "enabled-tc", "3", "max-threshold",
				 cumulus_size(round_to_cells(c->ecn_max_bytes)), "min-threshold",
				 cumulus_size(round_to_cells(c->ecn_min_bytes)), "probability",
				 (int)c->ecn_max_percent)
		       : json_pack("{s:s}", "congestion-mode", "disabled");

	return json_pack("{s:o,s:{s:o,s:s,s:s},s:{s:s},s:s,s:o}", "congestion-control", cc, "pfc",
		"pfc-priority", json_mask(c->pfc_mask), "rx-enabled", c->pfc_mask ? "yes" : "no",
		"tx-enabled", c->pfc_mask ? "yes" : "no", "trust", "trust-mode",
		m->d->config.trust_dscp ? "pcp,dscp" : "pcp", "mode",
		c->pfc_mask ? "lossless" : "lossy", "prio-map", roce_map(m));
}

json_t *cumulus_roce_status(const struct machine *m, const struct sim_port *p)
{
	json_t *o = cumulus_roce_port(m, p);

	(void)json_object_set_new(o, "pool-map", cumulus_pools(m));
	return o;
}

json_t *cumulus_buffer(const struct machine *m, const struct sim_port *p)
{
	json_t *groups = json_object(), *classes = json_object(), *prios = json_object();
	struct sim_queue all = sum_queues(p, 0xff);
	unsigned i;

	(void)m;
	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		set_indexed(groups, i,
			json_pack("{s:o,s:o}", "current-usage", cumulus_size(group_now(q)),
				"max-usage", cumulus_size(q->pg_watermark_bytes)));
		set_indexed(classes, i,
			json_pack("{s:o,s:o}", "current-usage", cumulus_size(q->depth_bytes),
				"max-usage", cumulus_size(q->watermark_bytes)));
		set_indexed(prios, i,
			json_pack("{s:s,s:o}", "priority-group", LOSSLESS_MASK >> i & 1 ? "1" : "0",
				"xoff-threshold",
				cumulus_size(p->config.pfc_mask >> i & 1 ? XOFF_BYTES : 0)));
	}
	return json_pack("{s:o,s:o,s:o,s:{s:o,s:o}}", "ingress-priority-group", groups,
		"egress-traffic-class", classes, "switch-priority", prios, "egress-port",
		"current-usage", cumulus_size(all.depth_bytes), "max-usage",
		cumulus_size(all.watermark_bytes));
}

/* The values that the hardware has: the profile's thresholds rounded up to its cells. */
json_t *cumulus_congestion(const struct machine *m, const struct sim_port *p)
{
	const struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	const struct cumulus_profile *profile = cumulus_profile_of(box, &p->config, true);
	json_t *o = json_pack("{s:o}", "profile",
		profile ? json_string(profile->name) : json_sprintf("%s-cc", p->name));

	if (!p->config.ecn) {
		(void)json_object_set_new(o, "traffic-class", json_object());
		return o;
	}
	(void)json_object_set_new(o, "traffic-class",
		json_pack("{s:{s:s,s:s,s:o,s:o,s:i}}", "3", "ecn", "enable", "red", "disable",
			"min-threshold", cumulus_size(round_to_cells(p->config.ecn_min_bytes)),
			"max-threshold", cumulus_size(round_to_cells(p->config.ecn_max_bytes)),
			"probability", (int)p->config.ecn_max_percent));
	return o;
}

json_t *cumulus_pfc(const struct machine *m, const struct sim_port *p)
{
	const struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	const struct cumulus_profile *profile = cumulus_profile_of(box, &p->config, false);
	json_t *prios = json_object();
	unsigned i;

	for (i = 0; i < 8; i++)
		if (p->config.pfc_mask >> i & 1)
			set_indexed(prios, i, json_object());
	return json_pack("{s:o,s:o,s:s,s:s,s:i,s:o,s:o,s:o}", "profile",
		profile ? json_string(profile->name) : json_sprintf("%s-pfc", p->name),
		"switch-priority", prios, "rx-enable", p->config.pfc_mask ? "enable" : "disable",
		"tx-enable", p->config.pfc_mask ? "enable" : "disable", "cable-length", 100,
		"port-buffer", cumulus_size(PG_BYTES), "xoff-threshold", cumulus_size(XOFF_BYTES),
		"xon-threshold", cumulus_size(XOFF_BYTES));
}

json_t *cumulus_watchdog(const struct machine *m, const struct sim_port *p)
{
	json_t *rows = json_object();
	unsigned i;

	(void)m;
	if (!p->config.wd_mask) {
		json_decref(rows);
		return json_pack("{s:s}", "state", "disable");
	}
	for (i = 0; i < 8; i++)
		if (p->config.wd_mask >> i & 1)
			set_indexed(rows, i,
				json_pack("{s:s,s:o}", "status",
					p->q[i].wd_stormed ? "DEADLOCK" : "OK", "deadlock-count",
					cumulus_u64(p->q[i].wd_detected)));
	return json_pack("{s:s,s:o}", "state", "enable", "status", rows);
}

json_t *cumulus_mapping(const struct machine *m, const struct sim_port *p)
{
	json_t *dscp = json_object(), *pcp = json_object();
	char key[4], prio[4];
	unsigned i;

	(void)p;
	for (i = 0; i < 64; i++) {
		(void)str_printf(key, sizeof(key), "%u", i);
		(void)str_printf(prio, sizeof(prio), "%u", m->d->config.dscp_prio[i] & 7u);
		(void)json_object_set_new(dscp, key, json_pack("{s:s}", "switch-priority", prio));
		if (i < 8)
			(void)json_object_set_new(
				pcp, key, json_pack("{s:s}", "switch-priority", key));
	}
	return json_pack("{s:s,s:i,s:o,s:o}", "trust", m->d->config.trust_dscp ? "both" : "l2",
		"port-default-sp", 0, "dscp", dscp, "pcp", pcp);
}

json_t *cumulus_egress_mapping(const struct machine *m, const struct sim_port *p)
{
	json_t *rows = json_object();
	unsigned i;

	(void)m, (void)p;
	for (i = 0; i < 8; i++)
		set_indexed(rows, i, json_pack("{s:i}", "traffic-class", (int)i));
	return json_pack("{s:o}", "switch-priority", rows);
}

json_t *cumulus_global_watchdog(const struct machine *m, const struct sim_port *p)
{
	unsigned ms = m->d->config.wd_poll_ms ? m->d->config.wd_poll_ms : 100;
	unsigned detect = m->d->nports ? m->d->ports[0].config.wd_detect_ms : ms;
	char fraction[12] = "";

	(void)p;
	/* Python's format of a duration, which omits a zero fraction. */
	if (ms % 1000)
		(void)str_printf(fraction, sizeof(fraction), ".%03u000", ms % 1000);
	return json_pack("{s:o,s:i}", "polling-interval",
		json_sprintf(
			"%u:%02u:%02u%s", ms / 3600000, ms / 60000 % 60, ms / 1000 % 60, fraction),
		"robustness", (int)(detect > ms ? detect / ms : 1));
}

json_t *cumulus_global_roce(const struct machine *m, const struct sim_port *p)
{
	const struct cumulus_box *box = cumulus_box(m->ctx, m->d);
	const struct cumulus_profile *cc = &box->profile[0], *pfc = &box->profile[1];

	(void)p;
	return json_pack("{s:s,s:s,s:i,s:{s:s,s:s,s:o,s:o,s:i},s:{s:o,s:s,s:s},s:{s:s},s:o}",
		"enable", "on", "mode", "lossless", "cable-length", 100, "congestion-control",
		"congestion-mode", "ecn, absolute", "enabled-tc", "3", "max-threshold",
		cumulus_size(cc->max_bytes), "min-threshold", cumulus_size(cc->min_bytes),
		"probability", (int)cc->max_percent, "pfc", "pfc-priority",
		json_mask(pfc->pfc_mask), "rx-enabled", pfc->pfc_mask ? "yes" : "no", "tx-enabled",
		pfc->pfc_mask ? "yes" : "no", "trust", "trust-mode",
		m->d->config.trust_dscp ? "pcp,dscp" : "pcp", "prio-map", roce_map(m));
}
