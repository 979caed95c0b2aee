/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/dialect_eos.h"
#include "backends/needs.h"
#include "backends/parse_cells.h"
#include "backends/parse_lldp.h"
#include "backends/parse_optics.h"
#include "base/str.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ECN marks print "-" until counting is configured on the queue. */
#define ECN_CURE "configure on the port's tx-queue: random-detect ecn count"

/* Calls each() for the front-panel ports of an object keyed by interface name. */
static void each_port(const struct target *t, const json_t *interfaces, struct obs *o,
	void (*each)(const struct target *, struct obs *, uint32_t, const json_t *))
{
	const char *name;
	json_t *v;

	json_object_foreach((json_t *)interfaces, name, v)
	{
		uint32_t port;

		if (!eos_is_front_panel(name) || !json_is_object(v))
			continue;
		port = obs_port(o, name);
		if (port != OBS_NO_PORT)
			each(t, o, port, v);
	}
}

static void invalid_lossless(const struct target *t, struct obs *o, uint32_t port,
	enum counter_id id, enum validity v, const char *cure)
{
	for (unsigned p = 0; p < PRIORITIES; p++)
		if (t->lossless >> p & 1)
			obs_invalid(o, port, id, p, v, cure);
}

/* ---- show version ---- */

void eos_parse_version(const json_t *body, struct obs *o)
{
	double boot, uptime;
	char text[32];

	pj_word(o, OBS_NO_PORT, ATTR_MODEL, 0, pj_get(body, "modelName"));
	pj_word(o, OBS_NO_PORT, ATTR_SERIAL, 0, pj_get(body, "serialNumber"));
	pj_word(o, OBS_NO_PORT, ATTR_OS_VERSION, 0, pj_get(body, "version"));
	pj_number(o, OBS_NO_PORT, ATTR_UPTIME_S, 0, pj_get(body, "uptime"));
	if (pj_real(pj_get(body, "bootupTimestamp"), &boot) != NUMBER_OK || boot <= 0 ||
		boot > 1e11)
		return;
	str_printf(text, sizeof(text), "%.0f", boot);
	obs_word(o, OBS_NO_PORT, ATTR_BOOT_ID, 0, text);
	/* The switch's clock now: its answers hold no other time of their own. */
	if (pj_real(pj_get(body, "uptime"), &uptime) == NUMBER_OK && uptime >= 0 && uptime < 1e10)
		o->device_us = (int64_t)((boot + uptime) * 1e6);
}

/* ---- show interfaces ---- */

static const struct {
	const char *path;
	enum counter_id id;
} interface_counters[] = {
	{"inOctets", CTR_RX_BYTES},
	{"outOctets", CTR_TX_BYTES},
	{"totalInErrors", CTR_RX_ERRORS},
	{"totalOutErrors", CTR_TX_ERRORS},
	{"inDiscards", CTR_RX_DISCARDS},
	{"outDiscards", CTR_TX_DISCARDS},
	{"inputErrorsDetail.fcsErrors", CTR_RX_FCS_ERRORS},
	{"inputErrorsDetail.symbolErrors", CTR_RX_SYMBOL_ERRORS},
	{"inputErrorsDetail.rxPause", CTR_RX_PAUSE_FRAMES},
	{"outputErrorsDetail.txPause", CTR_TX_PAUSE_FRAMES},
};

static void packets(struct obs *o, uint32_t port, enum counter_id id, const json_t *c,
	const char *const names[3])
{
	uint64_t sum = 0, v;
	bool any = false;

	for (int i = 0; i < 3; i++)
		if (pj_u64(pj_get(c, names[i]), &v)) {
			sum += v;
			any = true;
		}
	if (any)
		obs_count(o, port, id, 0, sum);
	else
		obs_invalid(o, port, id, 0, VALID_UNSUPPORTED, "");
}

static void interface_counts(struct obs *o, uint32_t port, const json_t *c, bool is_up)
{
	static const char *const rx[3] = {"inUcastPkts", "inMulticastPkts", "inBroadcastPkts"};
	static const char *const tx[3] = {"outUcastPkts", "outMulticastPkts", "outBroadcastPkts"};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(interface_counters); i++)
		if (!pj_count(o, port, interface_counters[i].id, 0,
			    pj_path(c, interface_counters[i].path)))
			obs_invalid(o, port, interface_counters[i].id, 0, VALID_UNSUPPORTED, "");
	packets(o, port, CTR_RX_PACKETS, c, rx);
	packets(o, port, CTR_TX_PACKETS, c, tx);
	if (!pj_u64(pj_get(c, "linkStatusChanges"), &n))
		return;
	obs_count(o, port, CTR_CARRIER_CHANGES, 0, n);
	obs_count(o, port, CTR_LINK_DOWN_EVENTS, 0, downs_of_transitions(n, is_up));
}

static bool interface_state(struct obs *o, uint32_t port, const json_t *v)
{
	const char *status = pj_text(pj_get(v, "interfaceStatus"));
	const char *line = pj_text(pj_get(v, "lineProtocolStatus"));
	bool is_up = str_eq(line, "up") && (!status || str_eq(status, "connected"));

	if (line)
		obs_word(o, port, ATTR_OPER, 0, is_up ? "up" : "down");
	if (!status)
		return is_up;
	obs_word(o, port, ATTR_ADMIN, 0, str_eq(status, "disabled") ? "down" : "up");
	/* The cause of an errdisabled port has its own command; here only that it ended. */
	if (is_up)
		obs_word(o, port, ATTR_DOWN_REASON, 0, "");
	return is_up;
}

static void parse_interface(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const json_t *c = pj_get(v, "interfaceCounters");
	double n;
	bool is_up = interface_state(o, port, v);

	(void)t;
	/* A virtual or empty port says 0. */
	if (pj_real(pj_get(v, "bandwidth"), &n) == NUMBER_OK && n > 0)
		obs_number(o, port, ATTR_SPEED_MBPS, 0, n / 1e6);
	pj_number(o, port, ATTR_MTU, 0, pj_get(v, "mtu"));
	pj_word(o, port, ATTR_DESCRIPTION, 0, pj_get(v, "description"));
	pj_word(o, port, ATTR_MAC, 0, pj_get(v, "physicalAddress"));
	if (pj_real(pj_get(v, "lastStatusChangeTimestamp"), &n) == NUMBER_OK && n > 0)
		obs_number(o, port, ATTR_LAST_CHANGE, 0, n);
	/* Refreshed by the switch's agent every few seconds, not by asking. */
	if (pj_real(pj_get(c, "counterRefreshTime"), &n) == NUMBER_OK && n > 0 && n < 1e11)
		o->ports.at[port].sample_us = (int64_t)(n * 1e6);
	if (json_is_object(c))
		interface_counts(o, port, c, is_up);
}

void eos_parse_interfaces(const struct target *t, const json_t *body, struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_PORT_COUNTERS,
		NEED_LINK_FLAPS,
	};

	each_port(t, pj_get(body, "interfaces"), o, parse_interface);
	needs_report(o, needs, ARRAY_LEN(needs));
}

/* ---- PFC frames per priority ---- */

static void parse_pfc_port(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const char *key;
	json_t *c;
	unsigned p;

	json_object_foreach((json_t *)pj_get(v, "priorities"), key, c)
	{
		if (!pj_key_index(key, "", PRIORITIES, &p))
			continue;
		pj_count(o, port, CTR_PFC_RX_FRAMES, p, pj_get(c, "rxFrames"));
		pj_count(o, port, CTR_PFC_TX_FRAMES, p, pj_get(c, "txFrames"));
	}
	invalid_lossless(t, o, port, CTR_PFC_RX_DURATION_US, VALID_UNSUPPORTED, "");
	invalid_lossless(t, o, port, CTR_PFC_TX_DURATION_US, VALID_UNSUPPORTED, "");
}

void eos_parse_pfc(const struct target *t, const json_t *body, struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_PFC,
		NEED_PAUSE_RX,
		NEED_PAUSE_TX,
	};

	each_port(t, pj_get(body, "interfaces"), o, parse_pfc_port);
	needs_report(o, needs, ARRAY_LEN(needs));
}

/* ---- ECN marks ---- */

static void parse_ecn_port(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const char *key;
	json_t *c;
	unsigned p;

	(void)t;
	json_object_foreach((json_t *)pj_get(v, "queueCounters"), key, c)
	{
		if (pj_key_index(key, "", PRIORITIES, &p) &&
			!pj_count(o, port, CTR_ECN_MARKED_PACKETS, p, c))
			obs_invalid(o, port, CTR_ECN_MARKED_PACKETS, p, VALID_DISABLED, ECN_CURE);
	}
}

void eos_parse_ecn(const struct target *t, const json_t *body, struct obs *o)
{
	static const enum need_id needs[] = {NEED_ECN_MARKS};

	each_port(t, pj_get(body, "intfQueueCounters"), o, parse_ecn_port);
	needs_report(o, needs, ARRAY_LEN(needs));
}

/* ---- queue drops: fixed systems by drop precedence, modular ones by virtual output queue ---- */

static const struct {
	const char *field;
	enum counter_id id;
} queue_counters[] = {
	{"droppedPackets", CTR_QUEUE_DROPS},
	{"enqueuedPackets", CTR_QUEUE_TX_PACKETS},
	{"enqueuedBytes", CTR_QUEUE_TX_BYTES},
};

static void add_queue(struct cells *cells, unsigned tc, const json_t *counts)
{
	uint64_t n;

	for (size_t i = 0; i < ARRAY_LEN(queue_counters); i++)
		if (pj_u64(pj_get(counts, queue_counters[i].field), &n))
			cells_add(cells, queue_counters[i].id, tc, n);
}

static void add_classes(struct cells *cells, const json_t *classes)
{
	const char *key, *inner;
	json_t *tc, *dp;
	unsigned p;

	json_object_foreach((json_t *)classes, key, tc)
	{
		if (!pj_key_index(key, "TC", PRIORITIES, &p))
			continue;
		json_object_foreach((json_t *)pj_get(tc, "dropPrecedences"), inner, dp)
			add_queue(cells, p, dp);
		add_queue(cells, p, pj_path(tc, "ingressVoqCounters.countersSum"));
		add_queue(cells, p, pj_path(tc, "egressQueueCounters.countersSum"));
	}
}

static void parse_queue_port(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	static const enum counter_id never[] = {CTR_QUEUE_DEPTH_BYTES, CTR_QUEUE_WATERMARK_BYTES,
		CTR_PG_WATERMARK_BYTES, CTR_HEADROOM_WATERMARK_BYTES, CTR_PG_DROPS, CTR_WRED_DROPS};
	struct cells cells;

	cells_reset(&cells);
	add_classes(&cells, pj_path(v, "ucastQueues.trafficClasses"));
	add_classes(&cells, pj_path(v, "mcastQueues.trafficClasses"));
	add_classes(&cells, pj_get(v, "trafficClasses"));
	cells_emit(&cells, o, port);
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		invalid_lossless(t, o, port, never[i], VALID_UNSUPPORTED, "");
	cells_absent(&cells, o, port, CTR_QUEUE_TX_PACKETS, t->lossless, VALID_UNSUPPORTED, "");
	cells_absent(&cells, o, port, CTR_QUEUE_TX_BYTES, t->lossless, VALID_UNSUPPORTED, "");
}

void eos_parse_queues(const struct target *t, const json_t *body, struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_QUEUE_DROPS,
		NEED_QUEUES,
		NEED_QUEUE_WATERMARKS,
		NEED_HEADROOM,
		NEED_PG_DROPS,
	};

	each_port(t, pj_path(body, "egressQueueCounters.interfaces"), o, parse_queue_port);
	each_port(t, pj_get(body, "interfaces"), o, parse_queue_port);
	needs_report(o, needs, ARRAY_LEN(needs));
}

/* ---- PFC watchdog: a queue is listed from its first storm on ---- */

static void parse_watchdog_port(
	const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const char *key;
	json_t *c;
	unsigned p;

	(void)t;
	json_object_foreach((json_t *)pj_get(v, "txQueues"), key, c)
	{
		uint64_t stuck, recovered;

		if (!pj_key_index(key, "", PRIORITIES, &p) ||
			!pj_u64(pj_get(c, "stuckCount"), &stuck))
			continue;
		obs_count(o, port, CTR_PFCWD_STORM_DETECTED, p, stuck);
		if (pj_u64(pj_get(c, "recoveryCount"), &recovered)) {
			obs_count(o, port, CTR_PFCWD_STORM_RESTORED, p, recovered);
			obs_word(o, port, ATTR_PFCWD_STATE, p,
				stuck > recovered ? "stormed" : "operational");
		}
		obs_invalid(o, port, CTR_PFCWD_DROPS, p, VALID_UNSUPPORTED, "");
	}
}

void eos_parse_watchdog(const struct target *t, const json_t *body, struct obs *o)
{
	each_port(t, pj_get(body, "interfaces"), o, parse_watchdog_port);
	if (json_is_object(pj_get(body, "interfaces")))
		need_say(o, NEED_WATCHDOG, VALID_OK, "");
}

/* ---- FEC and BER: a port has up to three PHYs, the one that faces the cable counts ---- */

static void parse_phy_port(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const json_t *phy, *line = NULL;
	size_t i;
	double ber;

	(void)t;
	/* The last line side is the outermost: retimers come after the switch chip. */
	json_array_foreach((json_t *)pj_get(v, "phyStatuses"), i, phy)
	{
		if (str_eq(pj_text(pj_path(phy, "description.location")), "line"))
			line = phy;
	}
	if (!pj_count(o, port, CTR_FEC_CORRECTED_CODEWORDS, 0,
		    pj_path(line, "fec.correctedCodewords.value")))
		obs_invalid(o, port, CTR_FEC_CORRECTED_CODEWORDS, 0, VALID_UNSUPPORTED, "");
	if (!pj_count(o, port, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0,
		    pj_path(line, "fec.uncorrectedCodewords.value")))
		obs_invalid(o, port, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, VALID_UNSUPPORTED, "");
	if (pj_real(pj_path(line, "preFecBer.value"), &ber) == NUMBER_OK && ber >= 0 && ber <= 1)
		obs_gauge(o, port, CTR_PRE_FEC_BER, 0, ber);
	else
		obs_invalid(o, port, CTR_PRE_FEC_BER, 0, VALID_UNSUPPORTED, "");
	obs_invalid(o, port, CTR_FEC_SYMBOL_ERRORS, 0, VALID_UNSUPPORTED, "");
	obs_invalid(o, port, CTR_FEC_CORRECTED_BITS, 0, VALID_UNSUPPORTED, "");
}

void eos_parse_phy(const struct target *t, const json_t *body, struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_FEC,
		NEED_PRE_FEC_BER,
	};

	each_port(t, pj_get(body, "interfacePhyStatuses"), o, parse_phy_port);
	needs_report(o, needs, ARRAY_LEN(needs));
}

/* ---- optics ---- */

/* Module-wide readings have the channel "-". */
static bool module_reading(const json_t *parameters, const char *name, double *out)
{
	const json_t *channels = pj_get(pj_get(parameters, name), "channels");
	const json_t *v = pj_get(channels, "-");

	return pj_real(v ? v : pj_get(channels, "1"), out) == NUMBER_OK;
}

static enum number lane_reading(
	const json_t *parameters, const char *name, unsigned lane, double *out)
{
	char key[8];

	str_printf(key, sizeof(key), "%u", lane + 1);
	return pj_real(pj_get(pj_get(pj_get(parameters, name), "channels"), key), out);
}

static void parse_optics_port(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const json_t *p = pj_get(v, "parameters");
	struct optics x = {0};

	(void)t;
	x.has_temperature = module_reading(p, "temperature", &x.temperature);
	x.has_voltage = module_reading(p, "voltage", &x.voltage);
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct optics_lane *l = &x.lane[lane];

		l->has_rx = lane_reading(p, "rxPower", lane, &l->rx_dbm);
		l->has_tx = lane_reading(p, "txPower", lane, &l->tx_dbm);
		l->has_bias = lane_reading(p, "txBias", lane, &l->bias_ma);
	}
	optics_emit(&x, o, port);
	pj_word(o, port, ATTR_MEDIA, 0, pj_get(v, "mediaType"));
	pj_word(o, port, ATTR_MODULE_SN, 0, pj_get(v, "vendorSn"));
}

void eos_parse_optics(const struct target *t, const json_t *body, struct obs *o)
{
	each_port(t, pj_get(body, "interfaces"), o, parse_optics_port);
	needs_report(o, optics_needs, optics_needs_count);
}

/* ---- LLDP ---- */

/* interfaceId comes in quotes of its own: "\"Ethernet2\"". */
static const char *unquoted(const char *s, char *dst, size_t size)
{
	size_t n = strlen(s);

	if (n >= 2 && s[0] == '"' && s[n - 1] == '"')
		str_copyn(dst, size, s + 1, n - 2);
	else
		str_copy(dst, size, s);
	return dst;
}

static void parse_lldp_port(const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	const json_t *e = pj_at(pj_get(v, "lldpNeighborInfo"), 0);
	const json_t *i = pj_get(e, "neighborInterfaceInfo");
	char id[NAME_MAX_LEN], desc[NAME_MAX_LEN];
	const char *v2 = pj_text(pj_get(i, "interfaceId_v2"));
	struct lldp_peer peer = {
		.device = pj_text_or(pj_get(e, "systemName"), ""),
		.port_id = unquoted(
			v2 ? v2 : pj_text_or(pj_get(i, "interfaceId"), ""), id, sizeof(id)),
		.port_desc = unquoted(
			pj_text_or(pj_get(i, "interfaceDescription"), ""), desc, sizeof(desc)),
		.id_kind = lldp_kind_of_name(pj_text_or(pj_get(i, "interfaceIdType"), "")),
	};

	(void)t;
	obs_lldp(o, port, peer.device, *peer.device ? lldp_peer_port(&peer) : "");
}

void eos_parse_lldp(const struct target *t, const json_t *body, struct obs *o)
{
	each_port(t, pj_get(body, "lldpNeighbors"), o, parse_lldp_port);
	if (json_is_object(pj_get(body, "lldpNeighbors")))
		need_say(o, NEED_LLDP, VALID_OK, "");
}

/* ---- errdisabled ---- */

static void parse_errdisabled_port(
	const struct target *t, struct obs *o, uint32_t port, const json_t *v)
{
	char text[64];

	(void)t;
	str_printf(text, sizeof(text), "errdisabled: %s",
		pj_text_or(pj_at(pj_get(v, "causes"), 0), "?"));
	obs_word(o, port, ATTR_DOWN_REASON, 0, text);
}

void eos_parse_errdisabled(const struct target *t, const json_t *body, struct obs *o)
{
	each_port(t, pj_get(body, "interfaceStatuses"), o, parse_errdisabled_port);
}
