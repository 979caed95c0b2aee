/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/cumulus/qos.h"
#include "backends/parse/cells.h"
#include "base/str.h"

/*
 * Cumulus Linux: what NVUE says of QoS. Counters of priorities, queues and buffers, the RoCE
 * summary of the whole system, the PFC watchdog, and the settings that belong to them. cumulus.c
 * has the table of views and the assumptions.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))
#define MARKS_CURE   "before 5.13 marks are counted per port: let only one class mark, or upgrade"

/*
 * The one RoCE priority, to which a sum over all RoCE classes belongs; false if there are several.
 */
static bool roce_priority(const struct target *t, unsigned *p)
{
	*p = 0;
	while (*p < PRIORITIES - 1 && !(t->lossless >> *p & 1))
		++*p;
	return t->lossless == 1U << *p;
}

/* ---- interface/%/counters/qos, interface/qos-roce-counters ---- */

static const struct {
	const char *table, *kind, *column;
	enum counter_id id;
} qos_columns[] = {
	{"pfc-stats", "switch-priority", "rx-pause-frames", CTR_PFC_RX_FRAMES},
	{"pfc-stats", "switch-priority", "tx-pause-frames", CTR_PFC_TX_FRAMES},
	/* Microseconds, as in its telemetry; the table gives no unit: unverified. */
	{"pfc-stats", "switch-priority", "rx-pause-duration", CTR_PFC_RX_DURATION_US},
	{"pfc-stats", "switch-priority", "tx-pause-duration", CTR_PFC_TX_DURATION_US},
	{"egress-queue-stats", "traffic-class", "tx-frames", CTR_QUEUE_TX_PACKETS},
	{"egress-queue-stats", "traffic-class", "tx-bytes", CTR_QUEUE_TX_BYTES},
	/* The hardware counts frames, though before 5.13 it says "0 Bytes": unverified. */
	{"egress-queue-stats", "traffic-class", "tx-uc-buffer-discards", CTR_QUEUE_DROPS},
	{"egress-queue-stats", "traffic-class", "wred-discards", CTR_WRED_DROPS},
	{"egress-queue-stats", "traffic-class", "ecn-marked-frames", CTR_ECN_MARKED_PACKETS},
	/* Out of port buffer, and out of shared buffer: two counters of the hardware. */
	{"ingress-buffer-stats", "priority-group", "rx-buffer-discards", CTR_PG_DROPS},
	{"ingress-buffer-stats", "priority-group", "rx-shared-buffer-discards", CTR_PG_DROPS},
};

static const struct tree_count roce_counts[] = {
	{"rx-stats/rx-pfc-stats/pause-packets", CTR_PFC_RX_FRAMES},
	{"rx-stats/rx-pfc-stats/pause-duration", CTR_PFC_RX_DURATION_US},
	{"tx-stats/tx-pfc-stats/pause-packets", CTR_PFC_TX_FRAMES},
	{"tx-stats/tx-pfc-stats/pause-duration", CTR_PFC_TX_DURATION_US},
	{"tx-stats/tx-ecn-stats/ecn-marked-packets", CTR_ECN_MARKED_PACKETS},
	{"tx-stats/tx-roce-stats/roce-packets", CTR_QUEUE_TX_PACKETS},
	{"tx-stats/tx-roce-stats/roce-bytes", CTR_QUEUE_TX_BYTES},
	{"tx-stats/tx-roce-stats/unicast-no-buffer-discard", CTR_QUEUE_DROPS},
	{"rx-stats/rx-roce-stats/no-buffer-discard", CTR_PG_DROPS},
	{"tx-stats/tx-roce-stats/tc-max-usage", CTR_QUEUE_WATERMARK_BYTES},
	{"rx-stats/rx-roce-stats/pg-max-usage", CTR_PG_WATERMARK_BYTES},
};

/*
 * True for counters of the fast whole-box view. The answer of a slow loop is older and would make
 * such a counter go backwards.
 */
static bool is_overtaken(const struct target *t, enum counter_id id, unsigned sub)
{
	unsigned p;

	if (t->transport != TRANSPORT_SSH || !nvue_has(&cumulus_nvue, t, "roce") ||
		!roce_priority(t, &p) || p != sub)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(roce_counts); i++)
		if (roce_counts[i].id == id)
			return true;
	return false;
}

/*
 * Before 5.13 only the port's marks are counted; they belong to the one class that marks, if there
 * is only one. Returns true while the settings that decide this are not known yet.
 */
static bool port_marks(
	const struct target *t, struct cells *c, const struct json_value *v, uint32_t port)
{
	const struct json_value *marks =
		json_value_path(v, "port-stats.tx-stats.ecn-marked-packets");
	uint8_t marking = parse_priorities(facts_get(t->facts, "ecn.classes"));
	uint64_t n;

	if (!json_value_u64(marks, &n))
		return false;
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (marking != 1U << p || cells_has(c, CTR_ECN_MARKED_PACKETS, p) ||
			is_overtaken(t, CTR_ECN_MARKED_PACKETS, p))
			continue;
		cells_add(c, CTR_ECN_MARKED_PACKETS, p, n);
		positions_value(t->slots, marks, port, CTR_ECN_MARKED_PACKETS, p);
		return false;
	}
	positions_any(t->slots, marks);
	return !marking;
}

/* True for any number in the table: names of rows are not counters. */
static bool qos_reads(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	bool found = str_eq(name, "pause-frames") || str_eq(name, "ecn-marked-packets");

	for (size_t i = 0; i < ARRAY_LEN(qos_columns); i++)
		found |= str_eq(qos_columns[i].column, name) || str_eq(qos_columns[i].kind, name);
	return found;
}

static void port_pauses(
	const struct target *t, struct cells *c, const struct json_value *v, uint32_t port)
{
	static const struct {
		const char *path;
		enum counter_id id;
	} pauses[] = {{"port-stats.rx-stats.pause-frames", CTR_RX_PAUSE_FRAMES},
		{"port-stats.tx-stats.pause-frames", CTR_TX_PAUSE_FRAMES}};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(pauses); i++) {
		const struct json_value *frames = json_value_path(v, pauses[i].path);

		if (!json_value_u64(frames, &n))
			continue;
		cells_add(c, pauses[i].id, 0, n);
		positions_value(t->slots, frames, port, pauses[i].id, 0);
	}
}

need_set cumulus_decode_qos(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	struct cells c;
	uint64_t n;
	bool pending;

	cells_reset(&c);
	for (size_t i = 0; i < ARRAY_LEN(qos_columns); i++)
		for (unsigned p = 0; p < PRIORITIES; p++) {
			const struct json_value *table = json_value_get(v, qos_columns[i].table);
			const struct json_value *row = tree_row(table, qos_columns[i].kind, p);

			const struct json_value *count = json_value_get(row, qos_columns[i].column);

			if (!tree_amount(count, &n) || is_overtaken(t, qos_columns[i].id, p))
				continue;
			cells_add(&c, qos_columns[i].id, p, n);
			positions_size(t->slots, count, port, qos_columns[i].id, p);
		}
	port_pauses(t, &c, v, port);
	pending = port_marks(t, &c, v, port);
	positions_unread(t->slots, v, '/', qos_reads);
	cells_emit(&c, o, port);
	for (size_t i = 0; i < ARRAY_LEN(qos_columns); i++) {
		bool marks = qos_columns[i].id == CTR_ECN_MARKED_PACKETS;

		for (unsigned p = 0; p < PRIORITIES && !(marks && pending); p++)
			if ((t->lossless >> p & 1) && !is_overtaken(t, qos_columns[i].id, p))
				cells_absent(&c, o, port, qos_columns[i].id, (uint8_t)(1U << p),
					VALID_UNSUPPORTED, marks ? MARKS_CURE : "");
	}
	/* Assumed to be refreshed together with the ports' counters: unverified. */
	o->refresh_ms[GROUP_PORT] = o->refresh_ms[GROUP_QUEUE] = 2000;
	return pending ? NEED_BIT(ECN_MARKS) : 0;
}

#define ROCE_DEPTH "tx-stats/tx-roce-stats/tc-usage"

static bool roce_reads(const char *path)
{
	bool found = str_eq(path, ROCE_DEPTH);

	for (size_t i = 0; i < ARRAY_LEN(roce_counts); i++)
		found |= str_eq(roce_counts[i].path, path);
	return found;
}

need_set cumulus_decode_roce(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	unsigned p;
	uint64_t n;

	/* A sum over several classes belongs to no single priority. */
	if (!roce_priority(t, &p))
		return 0;
	o->refresh_ms[GROUP_PORT] = o->refresh_ms[GROUP_QUEUE] = 2000;
	tree_counts(t->slots, o, port, p, v, roce_counts, ARRAY_LEN(roce_counts), false);
	if (tree_amount(tree_at(v, ROCE_DEPTH), &n)) {
		obs_gauge(o, port, CTR_QUEUE_DEPTH_BYTES, p, (double)n);
		positions_size(t->slots, tree_at(v, ROCE_DEPTH), port, CTR_QUEUE_DEPTH_BYTES, p);
	}
	positions_unread(t->slots, v, '/', roce_reads);
	return 0;
}

need_set cumulus_decode_buffer(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *queues = json_value_get(v, "egress-traffic-class");
	const struct json_value *groups = json_value_get(v, "ingress-priority-group");
	uint64_t n;

	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *queue = tree_row(queues, "traffic-class", p);
		const struct json_value *group = tree_row(groups, "priority-group", p);

		if (is_overtaken(t, CTR_QUEUE_WATERMARK_BYTES, p))
			continue;
		if (tree_amount(json_value_get(queue, "current-usage"), &n))
			obs_gauge(o, port, CTR_QUEUE_DEPTH_BYTES, p, (double)n);
		if (tree_amount(json_value_get(queue, "max-usage"), &n))
			obs_count(o, port, CTR_QUEUE_WATERMARK_BYTES, p, n);
		if (tree_amount(json_value_get(group, "max-usage"), &n))
			obs_count(o, port, CTR_PG_WATERMARK_BYTES, p, n);
	}
	return 0;
}

/* ---- PFC watchdog ---- */

/* Whether the table tells of the class: it lists all that are watched. */
static bool is_unwatched(const struct json_value *status, unsigned p)
{
	return json_value_size(status) && !tree_row(status, "traffic-class", p);
}

static void watchdog_class(const struct target *t, struct obs *o, uint32_t port, unsigned p,
	const struct json_value *row)
{
	const struct json_value *count = json_value_get(row, "deadlock-count");
	const char *state = tree_word(json_value_get(row, "status"));
	double detect;
	uint64_t n;

	if (json_value_u64(count, &n)) {
		obs_count(o, port, CTR_PFCWD_STORM_DETECTED, p, n);
		positions_value(t->slots, count, port, CTR_PFCWD_STORM_DETECTED, p);
	} else if (t->lossless >> p & 1) {
		obs_invalid(o, port, CTR_PFCWD_STORM_DETECTED, p, VALID_UNSUPPORTED, "");
	}
	obs_word(o, port, ATTR_PFCWD_STATE, p,
		str_eq(state, "DEADLOCK") ? "stormed"
		: str_eq(state, "OK")     ? "operational"
					  : "unknown");
	if (str_to_double(facts_get(t->facts, "watchdog.detect_ms"), &detect))
		obs_number(o, port, ATTR_PFCWD_DETECT_MS, p, detect);
}

need_set cumulus_decode_watchdog(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *status = json_value_get(v, "status");
	bool on = tree_is_on(json_value_get(v, "state")),
	     off = tree_is_off(json_value_get(v, "state"));
	char cure[160];

	str_printf(cure, sizeof(cure), "nv set interface %s qos pfc-watchdog state enable",
		o->ports.at[port].name);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *row = tree_row(status, "traffic-class", p);

		if (!off && json_value_is(row, DV_OBJECT)) {
			watchdog_class(t, o, port, p, row);
		} else if (t->lossless >> p & 1) {
			/* A state that cannot be read is not "off". */
			obs_word(o, port, ATTR_PFCWD_STATE, p,
				off || (on && is_unwatched(status, p)) ? "off" : "unknown");
			obs_invalid(o, port, CTR_PFCWD_STORM_DETECTED, p,
				off ? VALID_DISABLED : VALID_UNSUPPORTED, off ? cure : "");
		}
	}
	return 0;
}

/* The poll interval, and the number of polls in a row that must find a queue stuck. */
need_set cumulus_decode_watchdog_settings(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	double seconds, times;
	char fact[24];

	(void)t;
	if (!tree_duration_s(json_value_get(v, "polling-interval"), 1e-3, &seconds))
		return 0;
	obs_number(o, port, ATTR_PFCWD_POLL_MS, 0, seconds * 1000);
	if (json_value_real(json_value_get(v, "robustness"), &times) == NUMBER_OK &&
		seconds * times < 1e6) {
		str_printf(fact, sizeof(fact), "%.0f", seconds * 1000 * times);
		obs_fact(o, "watchdog.detect_ms", fact);
	}
	return NEED_BIT(WATCHDOG_CONFIG);
}

/* ---- settings: a port's QoS branch, or its row of the box's RoCE status ---- */

/* Reads the thresholds of each class, or the RoCE status' one line with a list of classes. */
static need_set settings_ecn(struct obs *o, uint32_t port, const struct json_value *c)
{
	const char *mode = json_value_text_or(json_value_get(c, "congestion-mode"), "");
	const char *list = strcasestr(mode, "ecn")
				   ? json_value_text_or(json_value_get(c, "enabled-tc"), "")
				   : "";
	unsigned mask = parse_priorities(list);
	char classes[24] = "";
	uint64_t n;

	for (unsigned p = 0; p < PRIORITIES; p++) {
		const struct json_value *row =
			tree_row(json_value_get(c, "traffic-class"), "traffic-class", p);

		mask |= tree_is_on(json_value_get(row, "ecn")) ? 1U << p : 0;
		if (!(mask >> p & 1))
			continue;
		row = row ? row : c;
		if (tree_amount(tree_either(row, "min-threshold", "min-threshold-bytes"), &n))
			obs_number(o, port, ATTR_ECN_MIN_BYTES, p, (double)n);
		if (tree_amount(tree_either(row, "max-threshold", "max-threshold-bytes"), &n))
			obs_number(o, port, ATTR_ECN_MAX_BYTES, p, (double)n);
		(void)json_value_number(
			o, port, ATTR_ECN_PROBABILITY, p, json_value_get(row, "probability"));
		str_printf(classes + strlen(classes), sizeof(classes) - strlen(classes), "%u,", p);
	}
	obs_number(o, port, ATTR_ECN_ENABLED, 0, mask);
	if (mask)
		obs_fact(o, "ecn.classes", classes);
	return NEED_BIT(ECN_CONFIG);
}

static need_set settings_pfc(struct obs *o, uint32_t port, const struct json_value *pfc)
{
	unsigned mask =
		parse_priorities(json_value_text_or(json_value_get(pfc, "pfc-priority"), ""));
	const char *rx = json_value_text_or(tree_either(pfc, "rx-enable", "rx"), "");
	const char *tx = json_value_text_or(tree_either(pfc, "tx-enable", "tx"), "");
	uint64_t n;

	for (unsigned p = 0; p < PRIORITIES; p++)
		if (tree_row(json_value_get(pfc, "switch-priority"), "switch-priority", p))
			mask |= 1U << p;
	/* A profile can exist and be disabled. */
	if (str_starts(rx, "disable") && str_starts(tx, "disable"))
		mask = 0;
	obs_number(o, port, ATTR_PFC_ENABLED, 0, mask);
	for (unsigned p = 0; p < PRIORITIES; p++) {
		if ((mask >> p & 1) && tree_amount(json_value_get(pfc, "xoff-threshold"), &n))
			obs_number(o, port, ATTR_XOFF_BYTES, p, (double)n);
		if ((mask >> p & 1) && tree_amount(json_value_get(pfc, "xon-threshold"), &n))
			obs_number(o, port, ATTR_XON_BYTES, p, (double)n);
	}
	return NEED_BIT(PFC_CONFIG);
}

/* {"roce": {"dscp": "26,27", "switch-prio": "3"}, "cnp": ...}: the only map in the RoCE status. */
static bool map_of_roce(const struct json_value *table, char map[65])
{
	const char *s;
	uint64_t prio, dscp;
	bool any = false;

	memset(map, '-', 64);
	map[64] = '\0';
	for (json_value_members(row, table)) {
		if (!json_value_u64(json_value_get(row, "switch-prio"), &prio) ||
			prio >= PRIORITIES)
			continue;
		for (s = json_value_text_or(json_value_get(row, "dscp"), "");
			parse_leading_u64(s, strlen(s), &dscp) && dscp < 64;
			s += strspn(s, " 0123456789"), s += *s == ',') {
			map[dscp] = (char)('0' + (char)prio);
			any = true;
		}
	}
	return any;
}

static need_set settings_maps(
	struct obs *o, uint32_t port, const struct json_value *v, const struct json_value *status)
{
	const char *trust = json_value_text(json_value_path(v, "mapping.trust"));
	need_set met = 0;
	char map[65];

	trust = trust ? trust : json_value_text_or(json_value_path(status, "trust.trust-mode"), "");
	if (*trust)
		obs_word(o, port, ATTR_TRUST, 0,
			strstr(trust, "dscp") || str_eq(trust, "both") || str_eq(trust, "l3")
				? "dscp"
			: strstr(trust, "pcp") || str_eq(trust, "l2") ? "pcp"
								      : "port");
	if (tree_map(json_value_path(v, "mapping.dscp"), "dscp", "switch-priority", 64, map) ||
		map_of_roce(json_value_get(status, "prio-map"), map)) {
		obs_word(o, port, ATTR_DSCP_TO_TC, 0, map);
		met = NEED_BIT(QOS_MAPS);
	}
	if (tree_map(json_value_get(v, "egress-queue-mapping"), "switch-priority", "traffic-class",
		    PRIORITIES, map)) {
		obs_word(o, port, ATTR_TC_TO_QUEUE, 0, map);
		/* A PFC frame carries the switch priority. */
		obs_word(o, port, ATTR_PRIO_TO_QUEUE, 0, map);
		met = NEED_BIT(QOS_MAPS);
	}
	if (tree_map(json_value_get(v, "buffer"), "switch-priority", "priority-group", PRIORITIES,
		    map))
		obs_word(o, port, ATTR_TC_TO_PG, 0, map);
	return met;
}

need_set cumulus_decode_settings(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *status = json_value_path(v, "roce.status"), *cc, *pfc;

	(void)t;
	status = status ? status : v;
	cc = json_value_get(
		json_value_get(v, "congestion-control") ? v : status, "congestion-control");
	pfc = json_value_get(json_value_get(v, "pfc") ? v : status, "pfc");
	cumulus_roce_pools(o, status);
	return cumulus_schedulers(o, port, v, status) |
	       (json_value_is(cc, DV_OBJECT) ? settings_ecn(o, port, cc) : 0) |
	       (json_value_is(pfc, DV_OBJECT) ? settings_pfc(o, port, pfc) : 0) |
	       settings_maps(o, port, v, status);
}
