/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "backends/dialects/eos/eos.h"
#include "backends/parse/lldp.h"
#include "backends/parse/optics.h"
#include "backends/parse/stations.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/* Decodes the answers of each half minute: PHYs, optics, neighbours, BGP. */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* ---- FEC and BER: a port has up to three PHYs, and the one at the cable counts ---- */

/* Sums by lane, if the port has its native speed. */
static bool corrected_symbols(const struct json_value *fec, uint64_t *sum)
{
	bool any = false;
	uint64_t n;

	*sum = 0;
	for (json_value_members(v, json_value_get(fec, "correctedSymbols"))) {
		if (!json_value_u64(json_value_get(v, "value"), &n))
			continue;
		*sum += n;
		any = true;
	}
	return any;
}

/*
 * What is lost between the chip and a retimer is lost for the port, whatever the cable does. False:
 * the cable's side tells nothing, and none of the others lost any.
 */
static bool lost_codewords(const struct json_value *v, const struct json_value *fec, uint64_t *sum)
{
	uint64_t n;

	*sum = 0;
	for (json_value_items(phy, json_value_get(v, "phyStatuses")))
		if (json_value_u64(json_value_path(phy, "fec.uncorrectedCodewords.value"), &n))
			*sum += n;
	return *sum || json_value_u64(json_value_path(fec, "uncorrectedCodewords.value"), &n);
}

static void parse_fec(
	struct obs *o, uint32_t port, const struct json_value *fec, const struct json_value *v)
{
	const char *encoding = json_value_text(json_value_get(fec, "encoding"));
	uint64_t symbols, lost;

	if (encoding)
		obs_word(o, port, ATTR_FEC, 0,
			str_starts(encoding, "reedSolomon") ? "rs"
			: str_starts(encoding, "fireCode")  ? "fc"
							    : encoding);
	if (!json_value_count(o, port, CTR_FEC_CORRECTED_CODEWORDS, 0,
		    json_value_path(fec, "correctedCodewords.value")))
		obs_invalid(o, port, CTR_FEC_CORRECTED_CODEWORDS, 0, VALID_UNSUPPORTED, "");
	if (lost_codewords(v, fec, &lost))
		obs_count(o, port, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, lost);
	else
		obs_invalid(o, port, CTR_FEC_UNCORRECTABLE_CODEWORDS, 0, VALID_UNSUPPORTED, "");
	if (corrected_symbols(fec, &symbols))
		obs_count(o, port, CTR_FEC_SYMBOL_ERRORS, 0, symbols);
	else
		obs_invalid(o, port, CTR_FEC_SYMBOL_ERRORS, 0, VALID_UNSUPPORTED, "");
}

static void parse_phy_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *line = NULL;
	double ber;

	(void)t;
	/* The last line side is the outermost: retimers come after the switch chip. */
	for (json_value_items(phy, json_value_get(v, "phyStatuses")))
		if (str_eq(json_value_text(json_value_path(phy, "description.location")), "line"))
			line = phy;
	parse_fec(o, port, json_value_get(line, "fec"), v);
	if (json_value_real(json_value_path(line, "preFecBer.value"), &ber) == NUMBER_OK &&
		ber >= 0 && ber <= 1)
		obs_gauge(o, port, CTR_PRE_FEC_BER, 0, ber);
	else
		obs_invalid(o, port, CTR_PRE_FEC_BER, 0, VALID_UNSUPPORTED, "");
	/*
	 * "hiSer" is a state, not a histogram; no public model has codewords by number of errors.
	 */
	obs_invalid(o, port, CTR_FEC_BIN, 0, VALID_UNSUPPORTED, "");
	obs_invalid(o, port, CTR_FEC_CORRECTED_BITS, 0, VALID_UNSUPPORTED, "");
}

bool eos_parse_phy(const struct target *t, const struct json_value *body, struct obs *o)
{
	static const enum need_id needs[] = {
		NEED_FEC,
		NEED_PRE_FEC_BER,
	};

	if (!json_value_is(json_value_get(body, "interfacePhyStatuses"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "interfacePhyStatuses"), o, parse_phy_port);
	eos_report(o, needs, ARRAY_LEN(needs), VALID_UNSUPPORTED, "");
	need_say(o, NEED_FEC_BINS, VALID_UNSUPPORTED, "");
	return true;
}

/* ---- optics ---- */

/* Module-wide readings have the channel "-". */
static bool module_reading(const struct json_value *parameters, const char *name, double *out)
{
	const struct json_value *channels =
		json_value_get(json_value_get(parameters, name), "channels");
	const struct json_value *v = json_value_get(channels, "-");

	return json_value_real(v ? v : json_value_get(channels, "1"), out) == NUMBER_OK;
}

static enum number lane_reading(
	const struct json_value *parameters, const char *name, unsigned lane, double *out)
{
	char key[8];

	str_printf(key, sizeof(key), "%u", lane + 1);
	return json_value_real(
		json_value_get(json_value_get(json_value_get(parameters, name), "channels"), key),
		out);
}

/* The short form has one lane per port. */
static enum number only_lane(const struct json_value *v, const char *name, double *out)
{
	return json_value_real(json_value_get(v, name), out);
}

static void read_lanes(const struct json_value *v, const struct json_value *p, struct optics *x)
{
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct optics_lane *l = &x->lane[lane];

		l->has_rx = lane_reading(p, "rxPower", lane, &l->rx_dbm);
		l->has_tx = lane_reading(p, "txPower", lane, &l->tx_dbm);
		l->has_bias = lane_reading(p, "txBias", lane, &l->bias_ma);
	}
	if (p)
		return;
	x->has_temperature = only_lane(v, "temperature", &x->temperature) == NUMBER_OK;
	x->has_voltage = only_lane(v, "voltage", &x->voltage) == NUMBER_OK;
	x->lane[0].has_rx = only_lane(v, "rxPower", &x->lane[0].rx_dbm);
	x->lane[0].has_tx = only_lane(v, "txPower", &x->lane[0].tx_dbm);
	x->lane[0].has_bias = only_lane(v, "txBias", &x->lane[0].bias_ma);
}

static const struct {
	const char *parameter;
	enum obs_attr attr;
} limit_attrs[] = {
	{"rxPower", ATTR_RX_POWER_LIMIT},
	{"txPower", ATTR_TX_POWER_LIMIT},
	{"txBias", ATTR_TX_BIAS_LIMIT},
	{"temperature", ATTR_TEMPERATURE_LIMIT},
	{"voltage", ATTR_VOLTAGE_LIMIT},
};

static const char *const limit_names[LIMIT_COUNT] = {
	[LIMIT_LOW_ALARM] = "lowAlarm",
	[LIMIT_LOW_WARN] = "lowWarn",
	[LIMIT_HIGH_WARN] = "highWarn",
	[LIMIT_HIGH_ALARM] = "highAlarm",
};

/* "detail" has the limits directly below the name, and only the known ones. */
static void parse_limits(struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *parameters = json_value_get(v, "parameters"),
				*details = json_value_get(v, "details");

	for (size_t i = 0; i < ARRAY_LEN(limit_attrs); i++) {
		const char *name = limit_attrs[i].parameter;
		const struct json_value *limits =
			parameters ? json_value_get(json_value_get(parameters, name), "threshold")
				   : json_value_get(details, name);

		double limit[LIMIT_COUNT];

		for (unsigned k = 0; k < LIMIT_COUNT; k++)
			if (json_value_real(json_value_get(limits, limit_names[k]), &limit[k]) !=
				NUMBER_OK)
				limit[k] = (double)NAN;
		(void)optics_limits(o, port, limit_attrs[i].attr, limit);
	}
}

/* The worst of a parameter's channels, "1" to "8", or "-" for the module; NAN: it has none. */
static double worst_channel(const struct json_value *parameters, const char *name, bool lowest)
{
	const struct json_value *channels =
		json_value_get(json_value_get(parameters, name), "channels");
	double worst = (double)NAN, v;

	for (json_value_members(c, channels))
		/* A module without a signal reports a ratio of 0. */
		if (json_value_real(c, &v) == NUMBER_OK && v >= 0 && !(lowest && v == 0))
			worst = lowest ? fmin(worst, v) : fmax(worst, v);
	return worst;
}

static void emit_signal(struct obs *o, uint32_t port, enum counter_id id, double v)
{
	if (!isnan(v))
		obs_gauge(o, port, id, 0, v);
}

/* What the module measures of its signal. Seen in a public SNMP extension of EOS. */
static void read_signal(const struct json_value *parameters, struct obs *o, uint32_t port)
{
	emit_signal(o, port, CTR_ESNR_MEDIA_DB, worst_channel(parameters, "snr", true));
	emit_signal(
		o, port, CTR_PRE_FEC_BER_MEDIA, worst_channel(parameters, "preFecBERCurr", false));
}

static void parse_optics_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	const struct json_value *p = json_value_get(v, "parameters");
	struct optics x = {0};

	(void)t;
	x.has_temperature = module_reading(p, "temperature", &x.temperature);
	x.has_voltage = module_reading(p, "voltage", &x.voltage);
	read_lanes(v, p, &x);
	optics_emit(&x, o, port);
	read_signal(p, o, port);
	parse_limits(o, port, v);
	json_value_word(o, port, ATTR_MEDIA, 0, json_value_get(v, "mediaType"));
	json_value_word(o, port, ATTR_MODULE_SN, 0, json_value_get(v, "vendorSn"));
}

static bool has_limit(const struct obs *o)
{
	for (size_t i = 0; i < o->items.n; i++)
		if (o->items.at[i].kind == OBS_NUMBER &&
			o->items.at[i].code >= ATTR_RX_POWER_LIMIT &&
			o->items.at[i].code <= ATTR_VOLTAGE_LIMIT)
			return true;
	return false;
}

bool eos_parse_optics(const struct target *t, const struct json_value *body, struct obs *o)
{
	if (!json_value_is(json_value_get(body, "interfaces"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "interfaces"), o, parse_optics_port);
	eos_report(o, optics_needs, optics_needs_count, VALID_UNSUPPORTED, "");
	optics_report_vdm(o, "no module reports it");
	need_say(o, NEED_OPTICS_LIMITS, has_limit(o) ? VALID_OK : VALID_UNSUPPORTED, "");
	return true;
}

/* ---- LLDP ---- */

static bool add_neighbour(struct obs *o, uint32_t port, const struct json_value *e)
{
	const struct json_value *i = json_value_get(e, "neighborInterfaceInfo");
	const char *v2 = json_value_text(json_value_get(i, "interfaceId_v2"));
	const struct lldp_peer peer = {
		.device = json_value_text_or(json_value_get(e, "systemName"), ""),
		.chassis_id = json_value_text_or(json_value_get(e, "chassisId"), ""),
		/* The older field has quotes within its text: "\"Ethernet2\"". */
		.port_id = v2 ? v2 : json_value_text_or(json_value_get(i, "interfaceId"), ""),
		.port_desc = json_value_text_or(json_value_get(i, "interfaceDescription"), ""),
		.id_kind = lldp_kind_of_name(
			json_value_text_or(json_value_get(i, "interfaceIdType"), "")),
		.mgmt = json_value_text_or(
			json_value_get(json_value_at(json_value_get(e, "managementAddresses"), 0),
				"address"),
			""),
		.descr = json_value_text_or(json_value_get(e, "systemDescription"), ""),
	};

	return lldp_add(o, port, &peer);
}

static void parse_lldp_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	bool any = false;

	(void)t;
	for (json_value_items(e, json_value_get(v, "lldpNeighborInfo")))
		any |= add_neighbour(o, port, e);
	if (!any)
		obs_lldp(o, port, "", "");
}

/* An unlisted port has no neighbour; some releases list it with an empty list. */
static void unlisted_port(void *ctx, const char *name)
{
	struct obs *o = ctx;
	size_t before = o->ports.n;
	uint32_t port = obs_port(o, name);

	if (o->ports.n > before)
		obs_lldp(o, port, "", "");
}

bool eos_parse_lldp(const struct target *t, const struct json_value *body, struct obs *o)
{
	if (!json_value_is(json_value_get(body, "lldpNeighbors"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "lldpNeighbors"), o, parse_lldp_port);
	eos_known_ports(t, o, unlisted_port);
	need_say(o, NEED_LLDP, VALID_OK, "");
	return true;
}

/* ---- errdisabled ---- */

static void parse_errdisabled_port(
	const struct target *t, struct obs *o, uint32_t port, const struct json_value *v)
{
	char text[96] = "errdisabled: ";
	const size_t begin = strlen(text);

	(void)t;
	for (json_value_items(cause, json_value_get(v, "causes"))) {
		size_t at = strlen(text);

		if (!str_printf(text + at, sizeof(text) - at, "%s%s", at > begin ? ", " : "",
			    json_value_text_or(cause, "?"))) {
			text[at] = '\0';
			break;
		}
	}
	if (!text[begin])
		(void)str_copy(text + begin, sizeof(text) - begin, "?");
	obs_word(o, port, ATTR_DOWN_REASON, 0, text);
}

bool eos_parse_errdisabled(const struct target *t, const struct json_value *body, struct obs *o)
{
	if (!json_value_is(json_value_get(body, "interfaceStatuses"), DV_OBJECT))
		return false;
	eos_each_port(t, json_value_get(body, "interfaceStatuses"), o, parse_errdisabled_port);
	return true;
}

/* ---- ARP ---- */

/* "Ethernet45", "Vlan100, Ethernet4", "Vlan100, not learned": the last word is the place. */
static void add_arp_entries(struct stations *s, const struct json_value *vrf, struct obs *o)
{
	for (json_value_items(e, json_value_get(vrf, "ipV4Neighbors"))) {
		const char *at = json_value_text_or(json_value_get(e, "interface"), "");
		const char *comma = strrchr(at, ',');
		char port[NAME_MAX_LEN];

		at = comma ? comma + 1 + strspn(comma + 1, " ") : at;
		/* A routed subinterface is its port: Ethernet1.100. */
		(void)str_copyn(port, sizeof(port), at, strcspn(at, "."));
		if (eos_is_front_panel(port))
			stations_add(s, obs_port(o, port),
				json_value_text_or(json_value_get(e, "hwAddress"), ""));
	}
}

bool eos_parse_arp(const struct target *t, const struct json_value *body, struct obs *o)
{
	const struct json_value *vrfs = json_value_get(body, "vrfs");
	struct stations s = {0};

	(void)t;
	if (!json_value_is(vrfs, DV_OBJECT) &&
		!json_value_is(json_value_get(body, "ipV4Neighbors"), DV_ARRAY))
		return false;
	for (json_value_members(vrf, vrfs))
		add_arp_entries(&s, vrf, o);
	add_arp_entries(&s, body, o);
	stations_tell(&s, o, true);
	return true;
}

/* ---- BGP ---- */

/* upDownTime is the time of the last change by the switch's clock. */
static double session_since(
	const struct target *t, const struct obs *o, const struct json_value *peer)
{
	double changed, skew, since;

	if (json_value_real(json_value_get(peer, "upDownTime"), &changed) != NUMBER_OK ||
		changed <= 0 || !str_to_double(facts_get(t->facts, "clock"), &skew))
		return (double)NAN;
	since = (double)o->received_us / 1e6 + skew - changed;
	return since >= 0 ? since : since > -5 ? 0 : (double)NAN;
}

static enum bgp_state session_state(const struct json_value *peer)
{
	/* An operator has shut it down. */
	if (str_eq(json_value_text(json_value_get(peer, "peerStateIdleReason")), "Admin"))
		return BGP_ADMIN_DOWN;
	return bgp_state_by_name(json_value_text_or(json_value_get(peer, "peerState"), ""));
}

static void add_session(const struct target *t, struct obs *o, enum bgp_afi afi, const char *vrf,
	const char *name, const struct json_value *peer, const struct json_value *prefixes)
{
	const struct json_value *as = json_value_get(peer, "peerAsn");
	struct obs_bgp *b = obs_bgp(o, afi, vrf, name, "", session_state(peer));

	if (!b)
		return;
	b->remote_as = json_value_as_number(as ? as : json_value_get(peer, "asn"));
	b->since_s = session_since(t, o, peer);
	if (!json_value_u64(prefixes, &b->prefixes))
		b->prefixes = UINT64_MAX;
	b->drops = UINT64_MAX;
}

static const struct {
	const char *name;
	enum bgp_afi afi;
} families[] = {
	{"ipv4Unicast", BGP_IPV4},
	{"ipv6Unicast", BGP_IPV6},
	{"l2VpnEvpn", BGP_EVPN},
};

/*
 * Reads "show bgp summary": a member for each address family. A family that only this side
 * announced is not part of an established session. Returns true if there was any.
 */
static bool add_families(const struct target *t, struct obs *o, const char *vrf, const char *name,
	const struct json_value *peer)
{
	bool is_up = session_state(peer) == BGP_ESTABLISHED, any = false;

	for (size_t i = 0; i < ARRAY_LEN(families); i++) {
		const struct json_value *f = json_value_get(peer, families[i].name);

		if (!json_value_is(f, DV_OBJECT) ||
			(is_up && !str_eq(json_value_text(json_value_get(f, "afiSafiState")),
					  "negotiated")))
			continue;
		add_session(
			t, o, families[i].afi, vrf, name, peer, json_value_get(f, "nlrisAccepted"));
		any = true;
	}
	return any;
}

static void parse_vrf(
	const struct target *t, struct obs *o, const char *vrf, const struct json_value *v)
{
	for (json_value_members(peer, json_value_get(v, "peers"))) {
		const char *name = json_value_name(peer);

		if (!*name || !json_value_is(peer, DV_OBJECT) ||
			add_families(t, o, vrf, name, peer))
			continue;
		/* "show ip bgp summary" is about IPv4, whatever the peer's address. */
		add_session(t, o, json_value_get(peer, "prefixAccepted") ? BGP_IPV4 : BGP_OTHER,
			vrf, name, peer, json_value_get(peer, "prefixAccepted"));
	}
	if (!str_eq(vrf, "default"))
		return;
	json_value_word(o, OBS_NO_PORT, ATTR_ROUTER_ID, 0, json_value_get(v, "routerId"));
	if (json_value_as_number(json_value_get(v, "asn")))
		obs_number(o, OBS_NO_PORT, ATTR_BGP_AS, 0,
			json_value_as_number(json_value_get(v, "asn")));
}

bool eos_parse_bgp(const struct target *t, const struct json_value *body, struct obs *o)
{
	const struct json_value *vrfs = json_value_get(body, "vrfs");

	if (!json_value_is(vrfs, DV_OBJECT))
		return false;
	for (json_value_members(v, vrfs))
		parse_vrf(t, o, json_value_name(v), v);
	o->bgp_whole = true;
	if (json_value_size(vrfs))
		need_say(o, NEED_BGP, VALID_OK, "");
	else
		need_say(o, NEED_BGP, VALID_DISABLED, "configure on the switch: router bgp AS");
	return true;
}
