/* SPDX-License-Identifier: Apache-2.0 */
#include <ctype.h>
#include <math.h>
#include <string.h>
#include <strings.h>

#include "backends/contract/known_fields.h"
#include "backends/dialects/cumulus/reads.h"
#include "backends/dialects/cumulus/change.h"
#include "backends/dialects/cumulus/nvue.h"
#include "backends/dialects/cumulus/qos.h"
#include "backends/parse/bgp_neighbors.h"
#include "backends/parse/frr.h"
#include "backends/parse/lag.h"
#include "backends/parse/lldp.h"
#include "backends/parse/optics.h"
#include "backends/syslog/syslog.h"
#include "backends/parse/units.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"
#include "fabric/vocabulary/mac.h"

/*
 * Cumulus Linux 5: views of NVUE's tree and their decoders; nvue.h describes the requests.
 *
 * NVIDIA documents the tree as tables; the JSON of a real switch's QoS branches is not public.
 * Assumptions are marked "unverified", and decoders accept every form that was seen.
 */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

static nvue_decode_fn decode_system, decode_platform, decode_link, decode_phy, decode_optics,
	decode_lldp, decode_bond, decode_lacp, decode_mlag, decode_segments, decode_bgp,
	decode_hash, decode_balancing;

/* Request, tier over HTTPS and over SSH, path, decoder, needs. */
static const struct nvue_view views[] = {
	{"system", POLL_SLOW, POLL_SLOW, "system", decode_system,
		NEED_BIT(IDENTITY) | NEED_BIT(UPTIME), .detect = true, .vital = true},
	{"platform", POLL_SLOW, POLL_SLOW, "platform", decode_platform, .needs = 0},
	{"interfaces", POLL_FAST, POLL_FAST, "interface/%/link", decode_link,
		NEED_BIT(PORT_STATE) | NEED_BIT(PORT_COUNTERS) | NEED_BIT(LINK_FLAPS),
		.command = "nv show interface -o json", .vital = true},
	{"roce", NVUE_NEVER, POLL_FAST, "interface/qos-roce-counters", cumulus_decode_roce,
		.since = 513, .rows = true, .spare = true},
	{"qos", POLL_FAST, POLL_MEDIUM, "interface/%/counters/qos", cumulus_decode_qos,
		NEED_BIT(PFC) | NEED_BIT(PAUSE_RX) | NEED_BIT(PAUSE_TX) | NEED_BIT(QUEUES) |
			NEED_BIT(QUEUE_DROPS) | NEED_BIT(ECN_MARKS) | NEED_BIT(PG_DROPS),
		.older = "interface/%/qos/counters", .renamed = 505},
	{"watchdog", POLL_FAST, POLL_MEDIUM, "interface/%/qos/pfc-watchdog",
		cumulus_decode_watchdog, NEED_BIT(WATCHDOG), .since = 506},
	{"phy", POLL_MEDIUM, POLL_SLOW, "interface/%/link/phy/health", decode_phy,
		NEED_BIT(FEC) | NEED_BIT(FEC_BINS) | NEED_BIT(PRE_FEC_BER), .since = 510,
		.older = "interface/%/link/phy-detail", .renamed = 515},
	{"buffer", POLL_MEDIUM, POLL_SLOW, "interface/%/qos/buffer", cumulus_decode_buffer,
		.needs = NEED_BIT(QUEUE_WATERMARKS)},
	{"pools", POLL_MEDIUM, POLL_MEDIUM, "qos/buffer/pool", cumulus_decode_pools,
		NEED_BIT(POOLS), .since = 504},
	{"optics", POLL_MEDIUM, POLL_MEDIUM, "platform/transceiver", decode_optics,
		NEED_BIT(OPTICS_RX) | NEED_BIT(OPTICS_TX) | NEED_BIT(OPTICS_BIAS) |
			NEED_BIT(OPTICS_TEMPERATURE) | NEED_BIT(OPTICS_LIMITS),
		.older = "interface/%/transceiver", .renamed = 511, .rows = true,
		.command = "nv show platform transceiver detail -o json 2>/dev/null || "
			   "nv show platform transceiver -o json"},
	{"lldp", POLL_MEDIUM, POLL_MEDIUM, "interface/%/lldp", decode_lldp, NEED_BIT(LLDP),
		.command = "nv show interface --view=lldp -o json"},
	{"bonds", POLL_MEDIUM, NVUE_NEVER, "interface/%/bond", decode_bond, NEED_BIT(BUNDLES),
		.others = true},
	/* NVUE has no LACP state of a member; the kernel's list of links has it. */
	{"lacp", NVUE_NEVER, POLL_MEDIUM, "lacp", decode_lacp, NEED_BIT(BUNDLES),
		.command = "ip -j -d link show"},
	{"mlag", POLL_MEDIUM, POLL_MEDIUM, "mlag", decode_mlag, .needs = 0},
	{"segments", POLL_MEDIUM, POLL_MEDIUM, "evpn/multihoming/esi", decode_segments, .needs = 0,
		.command = "sudo -n vtysh -c 'show evpn es json' 2>/dev/null | grep -v ^% || "
			   "echo []"},
	{"bgp", POLL_MEDIUM, POLL_MEDIUM, "vrf/default/router/bgp/neighbor", decode_bgp,
		NEED_BIT(BGP), .command = "sudo -n vtysh -c 'show bgp vrf all summary json'"},
	{"roce-status", NVUE_NEVER, POLL_SLOW, "interface/qos-roce-status", cumulus_decode_settings,
		NEED_BIT(ECN_CONFIG) | NEED_BIT(PFC_CONFIG) | NEED_BIT(QOS_MAPS) |
			NEED_BIT(SCHEDULERS),
		.since = 513, .rows = true, .spare = true},
	{"settings", POLL_SLOW, POLL_SLOW, "interface/%/qos", cumulus_decode_settings,
		NEED_BIT(ECN_CONFIG) | NEED_BIT(PFC_CONFIG) | NEED_BIT(QOS_MAPS) |
			NEED_BIT(SCHEDULERS),
		.unless = "roce-status"},
	{"watchdog-settings", POLL_SLOW, POLL_SLOW, "qos/pfc-watchdog",
		cumulus_decode_watchdog_settings, NEED_BIT(WATCHDOG_CONFIG), .since = 506},
	{"hash", POLL_SLOW, POLL_SLOW, "system/forwarding", decode_hash, .needs = NEED_BIT(HASH)},
	{"balancing", POLL_SLOW, POLL_SLOW, "router/adaptive-routing", decode_balancing,
		.needs = 0},
};

/* swp1, swp12s3: not eth0, bonds, bridges, swp5.2. */
static bool is_port(const char *name)
{
	const char *s = name;

	if (!str_starts(name, "swp") || !isdigit((unsigned char)name[3]))
		return false;
	s += 3 + strspn(name + 3, "0123456789");
	if (*s == 's' && isdigit((unsigned char)s[1]))
		s += 1 + strspn(s + 1, "0123456789");
	return !*s;
}

const struct nvue cumulus_nvue = {views, ARRAY_LEN(views), is_port};

/* ---- system, platform ---- */

static need_set decode_system(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const char *build = json_value_text_or(tree_either(v, "product-release", "build"), "");
	need_set met = 0;
	double seconds;

	if (nvue_learn_release(&cumulus_nvue, o, build)) {
		obs_word(o, port, ATTR_OS_VERSION, 0, build + strcspn(build, "0123456789"));
		met |= NEED_BIT(IDENTITY);
	}
	(void)json_value_word(o, port, ATTR_HOSTNAME, 0, json_value_get(v, "hostname"));
	/* Only NCLU, the predecessor of NVUE, has it here. */
	(void)json_value_word(o, port, ATTR_MODEL, 0, json_value_path(v, "platform.model"));
	if (tree_duration_s(json_value_get(v, "uptime"), 1, &seconds)) {
		obs_number(o, port, ATTR_UPTIME_S, 0, floor(seconds));
		met |= NEED_BIT(UPTIME);
	}
	need_say(o, NEED_HEADROOM, VALID_UNSUPPORTED, "");
	need_say(o, NEED_OPTICS_VDM, VALID_UNSUPPORTED, "NVUE has no field for it");
	if (t->transport == TRANSPORT_HTTPS)
		need_say(o, NEED_LOG, VALID_UNSUPPORTED, "set transport: ssh for it");
	return met;
}

static need_set decode_platform(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)t;
	(void)json_value_word(o, port, ATTR_MODEL, 0, tree_either(v, "product-name", "model"));
	(void)json_value_word(o, port, ATTR_SERIAL, 0, json_value_get(v, "serial-number"));
	return 0;
}

/* ---- interface/%/link ---- */

static bool link_state(struct obs *o, uint32_t port, const struct json_value *link)
{
	const char *oper = tree_word(tree_either(link, "oper-status", "state"));
	const char *why = tree_word(json_value_get(link, "protodown-reason"));
	bool is_up = str_eq(oper, "up");

	if (*oper)
		obs_word(o, port, ATTR_OPER, 0, is_up ? "up" : "down");
	(void)json_value_word(o, port, ATTR_ADMIN, 0, json_value_get(link, "admin-status"));
	/* Flap protection and other functions hold a port down until an operator releases it. */
	if (!tree_is_on(json_value_get(link, "protodown")))
		why = "";
	else if (!*why)
		why = "protodown";
	obs_word(o, port, ATTR_DOWN_REASON, 0, why);
	return is_up;
}

static const struct tree_count link_counts[] = {{"in-bytes", CTR_RX_BYTES},
	{"out-bytes", CTR_TX_BYTES}, {"in-pkts", CTR_RX_PACKETS}, {"out-pkts", CTR_TX_PACKETS},
	{"in-errors", CTR_RX_ERRORS}, {"out-errors", CTR_TX_ERRORS}, {"in-drops", CTR_RX_DISCARDS},
	{"out-drops", CTR_TX_DISCARDS}};

/* Of the carrier's changes, which are rare, more than one item is made. */
static bool link_reads(const char *path)
{
	bool found = str_starts(path, "carrier-");

	for (size_t i = 0; i < ARRAY_LEN(link_counts); i++)
		found |= str_eq(link_counts[i].path, path);
	return found;
}

static need_set decode_link(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *link)
{
	const struct json_value *stats = json_value_get(link, "stats"),
				*downs = json_value_get(stats, "carrier-down-count");
	const char *speed = json_value_text_or(json_value_get(link, "speed"), "");
	bool is_up = link_state(o, port, link);
	uint64_t n;
	double mbps;

	if (units_speed_mbps(speed, strlen(speed), &mbps))
		obs_number(o, port, ATTR_SPEED_MBPS, 0, mbps);
	(void)json_value_number(o, port, ATTR_MTU, 0, json_value_get(link, "mtu"));
	(void)json_value_word(o, port, ATTR_FEC, 0, json_value_get(link, "fec"));
	(void)json_value_word(o, port, ATTR_MAC, 0, tree_either(link, "mac-address", "mac"));
	/* switchd copies the hardware's counters to the kernel every two seconds. */
	o->refresh_ms[GROUP_PORT] = 2000;
	tree_counts(t->slots, o, port, 0, stats, link_counts, ARRAY_LEN(link_counts), true);
	positions_unread(t->slots, stats, '/', link_reads);
	(void)json_value_count(
		o, port, CTR_CARRIER_CHANGES, 0, json_value_get(stats, "carrier-transitions"));
	if (!downs)
		downs = json_value_get(link, "carrier-down-count");
	if (!json_value_count(o, port, CTR_LINK_DOWN_EVENTS, 0, downs) &&
		json_value_u64(json_value_get(stats, "carrier-transitions"), &n))
		obs_count(o, port, CTR_LINK_DOWN_EVENTS, 0, downs_of_transitions(n, is_up));
	return NEED_BIT(PORT_STATE);
}

/* ---- interface/%/link/phy-detail ---- */

/*
 * If the firmware reports "none" (15E-255), the ratio is computed from the counts since the last
 * clear.
 */
static void error_ratio(struct obs *o, uint32_t port, enum counter_id id,
	const struct json_value *ratio, const uint64_t *errors, const struct json_value *bits)
{
	const char *s = json_value_text(ratio);
	double ber, n;

	if ((s ? units_ber(s, strlen(s), &ber) : json_value_real(ratio, &ber)) == NUMBER_OK)
		obs_gauge(o, port, id, 0, ber);
	else if (errors && json_value_real(bits, &n) == NUMBER_OK && n > 0)
		obs_gauge(o, port, id, 0, (double)*errors / n);
}

/* Sums numbered members, "phy-raw-errors-lane0"; counts each of them as id, unless id is none. */
static bool sum_of(struct obs *o, uint32_t port, enum counter_id id, const struct json_value *v,
	const char *prefix, unsigned first, unsigned end, uint64_t *sum)
{
	bool any = false;
	char key[48];
	uint64_t n;

	*sum = 0;
	for (unsigned i = 0; i < end; i++) {
		str_printf(key, sizeof(key), "%s%u", prefix, i);
		if (!json_value_u64(json_value_get(v, key), &n))
			continue;
		any = true;
		*sum += i < first ? 0 : n;
		if (id != COUNTER_COUNT)
			obs_count(o, port, id, i, n);
	}
	return any;
}

static need_set decode_phy(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *bits = json_value_get(v, "phy-received-bits");
	uint64_t raw, effective, corrected;
	bool has_raw = sum_of(o, port, COUNTER_COUNT, v, "phy-raw-errors-lane", 0, LANES, &raw);
	bool has_effective = json_value_u64(json_value_get(v, "effective-errors"), &effective);

	(void)t;
	/* Bin 0 counts the codewords without an error. */
	if (sum_of(o, port, CTR_FEC_BIN, v, "rs-num-corr-err-bin", 1, FEC_BINS, &corrected))
		obs_count(o, port, CTR_FEC_CORRECTED_CODEWORDS, 0, corrected);
	if (has_raw)
		obs_count(o, port, CTR_FEC_CORRECTED_BITS, 0, raw);
	/* "The same as uncorrected FEC errors", according to the manual. */
	if (has_effective)
		obs_count(o, port, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, effective);
	(void)json_value_count(
		o, port, CTR_RX_SYMBOL_ERRORS, 0, json_value_get(v, "symbol-errors"));
	error_ratio(o, port, CTR_PRE_FEC_BER, json_value_get(v, "raw-ber"), has_raw ? &raw : NULL,
		bits);
	error_ratio(o, port, CTR_POST_FEC_BER, json_value_get(v, "effective-ber"),
		has_effective ? &effective : NULL, bits);
	return 0;
}

/* ---- transceivers ---- */

/* The readings of a lane: below "channel", or "ch-1-rx-power" in older releases. */
static const struct json_value *lane_part(
	const struct json_value *v, unsigned lane, const char *what)
{
	char key[64];
	const struct json_value *part;

	str_printf(key, sizeof(key), "channel/channel-%u/%s", lane + 1, what);
	part = tree_at(v, key);
	str_printf(key, sizeof(key), "ch-%u-%s", lane + 1, what);
	return part ? part : json_value_get(v, key);
}

static need_set decode_optics(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *hot = json_value_get(v, "temperature"),
				*volts = json_value_get(v, "voltage");
	struct optics x = {0};
	bool any;

	(void)t;
	x.has_temperature = tree_reading(hot, "temperature", "C", &x.temperature) == NUMBER_OK;
	x.has_voltage = tree_reading(volts, "voltage", "V", &x.voltage) == NUMBER_OK;
	for (unsigned i = 0; i < LANES; i++) {
		struct optics_lane *l = &x.lane[i];

		l->has_rx = tree_reading(lane_part(v, i, "rx-power"), "power", "dBm", &l->rx_dbm);
		l->has_tx = tree_reading(lane_part(v, i, "tx-power"), "power", "dBm", &l->tx_dbm);
		l->has_bias = tree_reading(
			lane_part(v, i, "tx-bias-current"), "current", "mA", &l->bias_ma);
	}
	optics_media(o, port, json_value_text_or(json_value_get(v, "identifier"), ""),
		json_value_text_or(json_value_get(v, "vendor-pn"), ""));
	(void)json_value_word(o, port, ATTR_MODULE_SN, 0, json_value_get(v, "vendor-sn"));
	optics_emit(&x, o, port);
	any = tree_limits(o, port, ATTR_TEMPERATURE_LIMIT, hot, "C");
	any |= tree_limits(o, port, ATTR_VOLTAGE_LIMIT, volts, "V");
	any |= tree_limits(o, port, ATTR_RX_POWER_LIMIT, lane_part(v, 0, "rx-power"), "dBm");
	any |= tree_limits(o, port, ATTR_TX_POWER_LIMIT, lane_part(v, 0, "tx-power"), "dBm");
	any |= tree_limits(o, port, ATTR_TX_BIAS_LIMIT, lane_part(v, 0, "tx-bias-current"), "mA");
	return any ? NEED_BIT(OPTICS_LIMITS) : 0;
}

/* ---- neighbours ---- */

/* The key of a neighbour is its system name, or an id of railtop's no concern. */
static bool add_neighbour(struct obs *o, uint32_t port, const char *key, const struct json_value *n)
{
	const struct json_value *chassis = json_value_get(n, "chassis"),
				*far = json_value_get(n, "port");
	const char *id = json_value_text_or(json_value_get(chassis, "chassis-id"), "");
	const struct lldp_peer peer = {
		.device = json_value_text_or(
			json_value_get(chassis, "system-name"), mac_is(id) ? "" : key),
		.chassis_id = id,
		.port_id = json_value_text_or(json_value_get(far, "name"), ""),
		.port_desc = json_value_text_or(json_value_get(far, "description"), ""),
		.id_kind = lldp_kind_of_name(
			json_value_text_or(json_value_get(far, "type"), "ifname")),
		.mgmt = json_value_text_or(json_value_get(chassis, "management-address-ipv4"), ""),
		.descr = json_value_text_or(json_value_get(chassis, "system-description"), ""),
	};

	return lldp_add(o, port, &peer);
}

static need_set decode_lldp(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *list = json_value_get(v, "neighbor");
	bool any = false;

	(void)t;
	for (json_value_members(n, list))
		any |= add_neighbour(o, port, json_value_name(n), n);
	if (!any)
		obs_lldp(o, port, "", "");
	return NEED_BIT(LLDP);
}

/*
 * A bond and its members. NVUE has no LACP state of a member, so it is unknown here; "mlag" has the
 * number that both switches of a pair share.
 */
static need_set decode_bond(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const char *mode = json_value_text_or(json_value_get(v, "mode"), "");
	const char *status = tree_word(json_value_path(v, "mlag.status"));
	char name[NAME_MAX_LEN], text[48];
	double id;

	(void)t;
	str_copy(name, sizeof(name), o->ports.at[port].name);
	(void)lag_bundle(o, name, "", str_eq(mode, "lacp") ? "lacp" : *mode ? "static" : "", 0);
	if (json_value_real(json_value_path(v, "mlag.id"), &id) == NUMBER_OK) {
		/* "dual": both switches serve it; "single": only this one. */
		str_printf(text, sizeof(text), "mlag %.0f%s%.16s", id, *status ? " " : "",
			str_eq(status, "single") ? "alone" : status);
		obs_word(o, port, ATTR_LAG_PAIR, 0, text);
	}
	for (json_value_members(m, json_value_get(v, "member")))
		if (is_port(json_value_name(m)))
			lag_member(o, obs_port(o, json_value_name(m)), name, LAG_UNKNOWN, "");
	return NEED_BIT(BUNDLES);
}

/* ---- the kernel's list of links ---- */

static bool is_link_up(const struct json_value *link)
{
	bool carrier = false;

	for (json_value_items(f, json_value_get(link, "flags")))
		carrier |= str_eq(json_value_text_or(f, ""), "LOWER_UP");
	return carrier || str_eq(json_value_text_or(json_value_get(link, "operstate"), ""), "UP");
}

static need_set decode_lacp(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *list)
{
	(void)t, (void)port;
	if (!json_value_is(list, DV_ARRAY))
		return 0;
	for (json_value_items(link, list)) {
		const char *name = json_value_text_or(json_value_get(link, "ifname"), "");

		if (is_port(name))
			lag_link_port(o, obs_port(o, name), is_link_up(link), link, list);
	}
	lag_link_bundles(o, list);
	return NEED_BIT(BUNDLES);
}

/* ---- pairs of switches ---- */

enum answered { ANSWER_NONE, ANSWER_YES, ANSWER_NO };

/* true, "True", "yes". */
static enum answered answer_of(const struct json_value *v)
{
	const char *s = json_value_text_or(v, "");

	if (json_value_is(v, DV_TRUE) || strcasecmp(s, "true") == 0 || strcasecmp(s, "yes") == 0)
		return ANSWER_YES;
	return json_value_is(v, DV_FALSE) || *s ? ANSWER_NO : ANSWER_NONE;
}

/* The pair works while the peer is alive; without its backup link nobody could tell a split. */
static need_set decode_mlag(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	enum answered peer = answer_of(json_value_get(v, "peer-alive"));
	enum answered backup = answer_of(json_value_get(v, "backup-active"));
	char text[160];

	(void)t;
	if (peer == ANSWER_NONE || str_eq(tree_word(json_value_get(v, "enable")), "off")) {
		obs_word(o, port, ATTR_PAIR, 0, "");
		return 0;
	}
	str_printf(text, sizeof(text), "kind=mlag state=%s peer=%.40s link=%.32s%s",
		peer == ANSWER_YES && backup != ANSWER_NO ? "ok" : "down",
		json_value_text_or(json_value_get(v, "peer-ip"), ""),
		json_value_text_or(json_value_get(v, "peer-interface"), ""),
		peer == ANSWER_NO     ? " why=peer-not-alive"
		: backup == ANSWER_NO ? " why=backup-inactive"
				      : "");
	obs_word(o, port, ATTR_PAIR, 0, text);
	return 0;
}

/*
 * A map by the identifier of the segment. A flag that is off is not printed: without oper-up the
 * segment is down. Without any flag, as in an early release, its state is unknown.
 */
static const char *segment_state(const struct json_value *flags)
{
	if (!json_value_size(flags))
		return "unknown";
	if (tree_is_on(json_value_get(flags, "bypass")))
		return "bypass";
	return tree_is_on(json_value_get(flags, "oper-up")) ? "up" : "down";
}

static need_set decode_segments(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)port;
	frr_segments(v, o);
	for (json_value_members(es, v)) {
		const char *name =
			json_value_text_or(tree_either(es, "local-interface", "access-port"), "");
		const struct json_value *peers = tree_either(es, "remote-vtep", "vtep");

		/* A list of peers that is missing is no segment on its own. */
		if (*name)
			lag_segment(o, name, json_value_name(es),
				segment_state(json_value_get(es, "flags")),
				peers ? (unsigned)json_value_size(peers) : 1);
	}
	lag_segments_end(t, o);
	return 0;
}

static need_set decode_bgp(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	(void)t, (void)port;
	(void)bgp_read_neighbors(v, o);
	return NEED_BIT(BGP);
}

/* Writes the enabled fields, in the words common to all dialects. */
static need_set hash_fields(struct obs *o, enum obs_attr attr, const struct json_value *fields)
{
	static const char *const words[][2] = {{"source-ip", "src-ip"},
		{"destination-ip", "dst-ip"}, {"source-port", "l4-src"},
		{"destination-port", "l4-dst"}, {"ip-protocol", "ip-proto"},
		{"source-mac", "src-mac"}, {"destination-mac", "dst-mac"}};
	char text[160] = "";

	for (json_value_members(v, fields)) {
		const char *key = json_value_name(v), *name = key;

		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			name = str_eq(key, words[i][0]) ? words[i][1] : name;
		if (tree_is_on(v))
			str_printf(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
				*text ? " " : "", name);
	}
	if (!json_value_size(fields))
		return 0;
	obs_word(o, OBS_NO_PORT, attr, 0, text);
	return NEED_BIT(HASH);
}

static need_set decode_hash(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	uint64_t seed;
	char text[32];

	(void)t;
	if (json_value_u64(json_value_get(v, "hash-seed"), &seed)) {
		str_printf(text, sizeof(text), "seed %llu", (unsigned long long)seed);
		obs_word(o, port, ATTR_HASH_ALGORITHM, 0, text);
	}
	return hash_fields(o, ATTR_ECMP_HASH, json_value_get(v, "ecmp-hash")) |
	       hash_fields(o, ATTR_LAG_HASH, json_value_get(v, "lag-hash"));
}

/* "enable": "on", and from 5.15 on "state": "enabled". */
static need_set decode_balancing(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *is = json_value_get(v, "state");
	const char *word;

	(void)t;
	is = is ? is : json_value_get(v, "enable");
	word = json_value_text_or(is, "");
	if (*word)
		obs_word(o, port, ATTR_BALANCING, 0,
			str_eq(word, "on") || str_eq(word, "enabled") ? "adaptive" : "hash");
	return 0;
}

/* ---- the dialect ---- */

static bool cumulus_plan(
	const struct target *t, enum poll_tier tier, struct request_list *out, struct err *err)
{
	(void)err;
	nvue_plan(&cumulus_nvue, t, tier, out);
	if (t->transport == TRANSPORT_SSH && tier == POLL_EVENTS)
		requests_ssh(out, "log", "tail -n 0 -F /var/log/syslog", NULL)->follow = true;
	return true;
}

static bool parse_log(const char *bytes, size_t len, struct obs *o)
{
	const struct syslog_opts opts = {.is_port = is_port, .live = true, .is_switch = true};

	if (!syslog_parse(&opts, bytes, len, o) && memmem(bytes, len, "ermission denied", 16))
		need_say(o, NEED_LOG, VALID_UNSUPPORTED,
			"put the user into the group adm on the switch");
	return true;
}

/* In a shell FRR itself is queried: its summary has vtysh's format. */
static bool parse_vtysh(
	const struct target *t, const char *bytes, size_t len, struct obs *o, struct err *err)
{
	if (frr_read_bgp(bytes, len, o))
		return true;
	err_set(err, ERR_PROTOCOL, t->device, "vtysh printed no BGP summary");
	return err_cure(err, "let the user run it without a password: sudo -n vtysh");
}

static bool cumulus_parse(const struct target *t, const char *request, const char *bytes,
	size_t len, struct obs *o, struct err *err)
{
	if (t->transport == TRANSPORT_SSH && str_eq(request, "log"))
		return parse_log(bytes, len, o);
	if (t->transport == TRANSPORT_SSH && str_eq(request, "bgp"))
		return parse_vtysh(t, bytes, len, o, err);
	return nvue_parse(&cumulus_nvue, t, request, bytes, len, o, err);
}

static int cumulus_score(const char *text, size_t len)
{
	return memmem(text, len, "Cumulus Linux", 13) || memmem(text, len, "cumulus-linux", 13)
		       ? 100
		       : 0;
}

static const struct known_fields known[] = {
	{"interfaces", "stats in-bytes out-bytes in-pkts out-pkts in-errors out-errors in-drops "
		       "out-drops carrier-transitions"},
	{NULL, NULL},
};

const struct backend_ops backend_cumulus = {
	.name = "cumulus",
	.title = "Cumulus Linux (NVUE over HTTPS or SSH)",
	.transports = 1u << TRANSPORT_HTTPS | 1u << TRANSPORT_SSH,
	.https_port = 8765,
	.refused = "from 5.6 the API answers 403 until the factory password has been changed "
		   "(passwd, on the switch)",
	.probe = "cat /etc/os-release",
	.score = cumulus_score,
	.plan = cumulus_plan,
	.parse = cumulus_parse,
	.reads = cumulus_reads,
	.known = known,
	.changes = &cumulus_changes,
};
