/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "backends/dialects/nxos/nxos.h"
#include "backends/parse/lag.h"
#include "backends/parse/lldp.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Decodes the show commands about the switch, its interfaces and its neighbours. */

/* ---- show version, show system uptime, show inventory ---- */

static bool read_uptime(const struct json_value *body, const char *prefix, double *seconds)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = {{"days", 86400}, {"hrs", 3600}, {"mins", 60}, {"secs", 1}};
	char key[32];
	double v;

	*seconds = 0;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		str_printf(key, sizeof(key), "%s_%s", prefix, units[i].unit);
		if (json_value_real(json_value_get(body, key), &v) != NUMBER_OK ||
			!(v >= 0 && v < 1e6))
			return false;
		*seconds += v * units[i].seconds;
	}
	return true;
}

static void model_name(struct nxos_job *j, const struct json_value *body)
{
	static const char tail[] = " Chassis";
	const char *id = json_value_text_or(json_value_get(body, "chassis_id"), "");
	size_t n = strlen(id), t = strlen(tail);
	char name[128];

	if (n > t && str_eq(id + n - t, tail))
		n -= t;
	if (n && str_copyn(name, sizeof(name), id, n))
		obs_word(j->o, OBS_NO_PORT, ATTR_MODEL, 0, name);
}

static void decode_version(struct nxos_job *j, const struct json_value *body)
{
	static const char *const os[] = {"nxos_ver_str", "sys_ver_str", "kickstart_ver_str"};
	double seconds;

	if (!json_value_get(body, "chassis_id"))
		return;
	model_name(j, body);
	json_value_word(j->o, OBS_NO_PORT, ATTR_SERIAL, 0, json_value_get(body, "proc_board_id"));
	json_value_word(j->o, OBS_NO_PORT, ATTR_HOSTNAME, 0, json_value_get(body, "host_name"));
	for (size_t i = 0; i < ARRAY_LEN(os); i++)
		if (json_value_word(
			    j->o, OBS_NO_PORT, ATTR_OS_VERSION, 0, json_value_get(body, os[i])))
			break;
	if (read_uptime(body, "kern_uptm", &seconds)) {
		obs_number(j->o, OBS_NO_PORT, ATTR_UPTIME_S, 0, seconds);
		need_say(j->o, NEED_UPTIME, VALID_OK, "");
	}
	need_say(j->o, NEED_IDENTITY, VALID_OK, "");
}

/*
 * Uses the product number, by which the model is ordered; "show version" has only the name of the
 * family.
 */
static void decode_chassis(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;

	if (strstr(json_value_text_or(json_value_get(row, "name"), ""), "Chassis"))
		json_value_word(j->o, OBS_NO_PORT, ATTR_MODEL, 0, json_value_get(row, "productid"));
}

/*
 * "Mon Nov 17 08:00:01 2025" is local time. It moves by an hour, or by the zone, at a clock change,
 * without a restart of the switch. So only the second within the hour is used.
 */
static void boot_id(struct nxos_job *j, const char *text)
{
	unsigned minute, second;
	const char *at;
	char id[16];

	for (at = strchr(text, ':'); at; at = strchr(at + 1, ':'))
		if (sscanf(at, ":%2u:%2u", &minute, &second) == 2) {
			str_printf(id, sizeof(id), "%u", minute % 60 * 60 + second % 60);
			text = id;
			break;
		}
	if (*text)
		obs_word(j->o, OBS_NO_PORT, ATTR_BOOT_ID, 0, text);
}

void nxos_identity(struct nxos_job *j, const struct json_value *body)
{
	decode_version(j, body);
	boot_id(j, json_value_text_or(json_value_get(body, "sys_st_time"), ""));
	nxos_each(body, "inv", decode_chassis, j);
}

/* ---- show interface brief ---- */

static void add_state(struct nxos_job *j, uint32_t port, const struct json_value *row)
{
	const char *word = json_value_text_or(json_value_get(row, "state"), "");
	const char *why = json_value_text_or(json_value_get(row, "state_rsn_desc"), "");
	bool is_up = str_eq(word, "up"), is_shut = strcasestr(why, "admin") != NULL;

	if (!*word)
		return;
	obs_word(j->o, port, ATTR_OPER, 0, is_up ? "up" : "down");
	if (is_up || is_shut)
		obs_word(j->o, port, ATTR_ADMIN, 0, is_up ? "up" : "down");
	obs_word(j->o, port, ATTR_DOWN_REASON, 0,
		is_up || is_shut || str_eq(why, "none") ? "" : why);
}

static void brief_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	uint32_t port = nxos_port(j, json_value_get(row, "interface"));
	double speed;

	if (port == OBS_NO_PORT)
		return;
	add_state(j, port, row);
	/* "10", or "--": a port that left its bundle. */
	if (str_eq(json_value_text_or(json_value_get(row, "portchan"), ""), "--")) {
		lag_left(j->o, port);
	}
	speed = nxos_speed_mbps(json_value_text_or(json_value_get(row, "speed"), ""));
	if (speed > 0)
		obs_number(j->o, port, ATTR_SPEED_MBPS, 0, speed);
}

void nxos_brief(struct nxos_job *j, const struct json_value *body)
{
	nxos_each(body, "interface", brief_row, j);
	obs_port_list(j->o);
	if (j->o->ports.n)
		need_say(j->o, NEED_PORT_STATE, VALID_OK, "");
}

/* ---- show interface counters: bytes and unicast in one section, other packets in another ---- */

struct packets {
	uint64_t sum[2];
	bool any[2]; /* received, sent */
};
struct counting {
	struct nxos_job *j;
	VEC(struct packets) at; /* by port of the batch */
	unsigned way;           /* 0 received, 1 sent */
};

static void counters_row(void *ctx, const struct json_value *row)
{
	static const char *const names[2] = {"interface_rx", "interface_tx"};
	static const char *const bytes[2] = {"eth_inbytes", "eth_outbytes"};
	static const char *const casts[2][3] = {{"eth_inucast", "eth_inmcast", "eth_inbcast"},
		{"eth_outucast", "eth_outmcast", "eth_outbcast"}};
	struct counting *c = ctx;
	uint32_t port = nxos_port(c->j, json_value_get(row, names[c->way]));
	uint64_t n;

	if (port == OBS_NO_PORT)
		return;
	while (c->at.n <= port)
		(void)vec_add(&c->at);
	json_value_count(c->j->o, port, c->way ? CTR_TX_BYTES : CTR_RX_BYTES, 0,
		json_value_get(row, bytes[c->way]));
	for (size_t i = 0; i < ARRAY_LEN(casts[0]); i++)
		if (json_value_u64(json_value_get(row, casts[c->way][i]), &n)) {
			c->at.at[port].sum[c->way] += n;
			c->at.at[port].any[c->way] = true;
		}
}

void nxos_counters(struct nxos_job *j, const struct json_value *body)
{
	static const enum need_id needs[] = {NEED_PORT_COUNTERS};
	struct counting c = {.j = j};

	nxos_each(body, "rx_counters", counters_row, &c);
	c.way = 1;
	nxos_each(body, "tx_counters", counters_row, &c);
	for (uint32_t port = 0; port < c.at.n; port++) {
		if (c.at.at[port].any[0])
			obs_count(j->o, port, CTR_RX_PACKETS, 0, c.at.at[port].sum[0]);
		if (c.at.at[port].any[1])
			obs_count(j->o, port, CTR_TX_PACKETS, 0, c.at.at[port].sum[1]);
	}
	vec_free(&c.at);
	needs_report(j->o, needs, ARRAY_LEN(needs));
}

/* ---- show interface counters errors: sections in sequence, several rows per port ---- */

static const struct {
	const char *key;
	enum counter_id id;
} error_fields[] = {
	{"eth_rcv_err", CTR_RX_ERRORS},
	{"eth_xmit_err", CTR_TX_ERRORS},
	{"eth_fcs_err", CTR_RX_FCS_ERRORS},
	{"eth_symbol_err", CTR_RX_SYMBOL_ERRORS},
	{"eth_outdisc", CTR_TX_DISCARDS},
	{"eth_indisc", CTR_RX_DISCARDS},
	{"eth_stomped_crc", CTR_RX_STOMPED_CRC},
	{"stomped_crc", CTR_RX_STOMPED_CRC},
};

static void errors_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	uint32_t port = nxos_port(j, json_value_get(row, "interface"));

	if (port == OBS_NO_PORT)
		return;
	for (size_t i = 0; i < ARRAY_LEN(error_fields); i++)
		if (json_value_count(j->o, port, error_fields[i].id, 0,
			    json_value_get(row, error_fields[i].key)) &&
			error_fields[i].id == CTR_RX_DISCARDS &&
			!*facts_get(j->t->facts, NXOS_FACT_INDISC))
			obs_fact(j->o, NXOS_FACT_INDISC, "errors");
}

void nxos_errors(struct nxos_job *j, const struct json_value *body)
{
	nxos_each(body, "interface", errors_row, j);
}

/* ---- show interface: rarely changing values, and values that only this command has ---- */

static void interface_settings(struct nxos_job *j, uint32_t port, const struct json_value *row)
{
	const char *admin = json_value_text_or(json_value_get(row, "admin_state"), "");
	const char *fec =
		nxos_fec(json_value_text_or(json_value_get(row, "eth_oper_fec_state"), ""));
	double speed = nxos_speed_mbps(json_value_text_or(json_value_get(row, "eth_speed"), "")),
	       kbps;
	bool is_up = str_eq(json_value_text(json_value_get(row, "state")), "up");

	if (*admin)
		obs_word(j->o, port, ATTR_ADMIN, 0, str_eq(admin, "up") ? "up" : "down");
	/* The bandwidth of a port that is down is a default. */
	if (!(speed > 0) && is_up &&
		json_value_real(json_value_get(row, "eth_bw"), &kbps) == NUMBER_OK)
		speed = kbps / 1000;
	if (speed > 0)
		obs_number(j->o, port, ATTR_SPEED_MBPS, 0, speed);
	if (fec && is_up)
		obs_word(j->o, port, ATTR_FEC, 0, fec);
	json_value_number(j->o, port, ATTR_MTU, 0, json_value_get(row, "eth_mtu"));
	json_value_word(j->o, port, ATTR_DESCRIPTION, 0, json_value_get(row, "desc"));
	json_value_word(j->o, port, ATTR_MAC, 0, json_value_get(row, "eth_hw_addr"));
}

static void interface_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	uint32_t port = nxos_port(j, json_value_get(row, "interface"));

	if (port == OBS_NO_PORT)
		return;
	interface_settings(j, port, row);
	json_value_count(j->o, port, CTR_RX_PAUSE_FRAMES, 0, json_value_get(row, "eth_inpause"));
	json_value_count(j->o, port, CTR_TX_PAUSE_FRAMES, 0, json_value_get(row, "eth_outpause"));
	if (!json_value_count(
		    j->o, port, CTR_LINK_DOWN_EVENTS, 0, json_value_get(row, "eth_reset_cntr")))
		obs_invalid(j->o, port, CTR_LINK_DOWN_EVENTS, 0, VALID_UNSUPPORTED, "");
	if (!json_value_count(
		    j->o, port, CTR_RX_STOMPED_CRC, 0, json_value_get(row, "eth_stomped_crc")))
		nxos_never(j, port, CTR_RX_STOMPED_CRC);
	/* Two commands have this counter, read at different times: only one of them is used. */
	if (!*facts_get(j->t->facts, NXOS_FACT_INDISC))
		json_value_count(
			j->o, port, CTR_RX_DISCARDS, 0, json_value_get(row, "eth_indiscard"));
	nxos_lacks(j, port);
}

void nxos_interface(struct nxos_job *j, const struct json_value *body)
{
	static const enum need_id needs[] = {NEED_LINK_FLAPS};

	nxos_each(body, "interface", interface_row, j);
	if (!j->o->ports.n)
		return;
	needs_report(j->o, needs, ARRAY_LEN(needs));
	nxos_lacks_report(j);
}

/*
 * ---- show lldp neighbors [detail], after "show interface brief" for ports without neighbours ----
 */

static void lldp_port(void *ctx, const struct json_value *row)
{
	(void)nxos_port(ctx, json_value_get(row, "interface"));
}

static enum lldp_kind kind_of(const char *type)
{
	if (strcasestr(type, "interface name"))
		return LLDP_ID_IFNAME;
	return strcasestr(type, "mac") ? LLDP_ID_MAC : LLDP_ID_OTHER;
}

static void lldp_row(void *ctx, const struct json_value *row)
{
	struct nxos_job *j = ctx;
	uint32_t port = nxos_port(j, json_value_get(row, "l_port_id"));
	/* The short list has the system's name as the chassis. */
	const struct lldp_peer peer = {
		.device = json_value_text_or(json_value_get(row, "sys_name"), ""),
		.chassis_id = json_value_text_or(json_value_get(row, "chassis_id"), ""),
		.port_id = json_value_text_or(json_value_get(row, "port_id"), ""),
		.port_desc = json_value_text_or(json_value_get(row, "port_desc"), ""),
		.id_kind = kind_of(json_value_text_or(json_value_get(row, "port_type"), "")),
		.mgmt = json_value_text_or(json_value_get(row, "mgmt_addr"), ""),
		.descr = json_value_text_or(json_value_get(row, "sys_desc"), ""),
	};

	if (port != OBS_NO_PORT)
		(void)lldp_add(j->o, port, &peer);
}

void nxos_lldp(struct nxos_job *j, const struct json_value *body)
{
	nxos_each(body, "interface", lldp_port, j);
	/* The command's own answer contains this even without neighbours. */
	if (!json_value_get(body, "neigh_hdr") && !json_value_get(body, "neigh_count") &&
		!json_value_get(body, "TABLE_nbor") && !json_value_get(body, "TABLE_nbor_detail"))
		return;
	/* Only here: an answer that broke off earlier says nothing about neighbours. */
	for (uint32_t port = 0; port < j->o->ports.n; port++)
		obs_lldp(j->o, port, "", "");
	nxos_each(body, "nbor", lldp_row, j);
	nxos_each(body, "nbor_detail", lldp_row, j);
	need_say(j->o, NEED_LLDP, VALID_OK, "");
}
