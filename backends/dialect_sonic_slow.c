/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialect_sonic.h"
#include "backends/parse_lldp.h"
#include "backends/parse_optics.h"
#include "base/str.h"

/* ---- transceiver readings ---- */

static void parse_module(const json_t *df, const json_t *row, struct optics *x)
{
	char name[16];

	x->has_temperature =
		pj_real(sonic_value(df, row, "temperature"), &x->temperature) == NUMBER_OK;
	x->has_voltage = pj_real(sonic_value(df, row, "voltage"), &x->voltage) == NUMBER_OK;
	for (unsigned lane = 0; lane < LANES; lane++) {
		struct optics_lane *l = &x->lane[lane];

		str_printf(name, sizeof(name), "rx%upower", lane + 1);
		l->has_rx = pj_real(sonic_value(df, row, name), &l->rx_dbm);
		str_printf(name, sizeof(name), "tx%upower", lane + 1);
		l->has_tx = pj_real(sonic_value(df, row, name), &l->tx_dbm);
		str_printf(name, sizeof(name), "tx%ubias", lane + 1);
		l->has_bias = pj_real(sonic_value(df, row, name), &l->bias_ma);
	}
}

bool sonic_parse_optics(const struct target *t, const json_t *doc, struct obs *o, struct err *err)
{
	const json_t *df = pj_get(doc, "df");
	const char *name;
	json_t *row;

	if (!json_array_size(df))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the optics reply names no fields: \"df\" is missing");
	json_object_foreach((json_t *)pj_get(doc, "ports"), name, row)
	{
		struct optics x = {0};
		uint32_t port;

		if (!sonic_is_front_panel(name))
			continue;
		port = obs_port(o, name);
		if (json_is_array(row))
			parse_module(df, row, &x);
		optics_emit(&x, o, port);
	}
	needs_report(o, optics_needs, optics_needs_count);
	return true;
}

/* ---- settings, identity, neighbours ---- */

/* "[WRED_PROFILE|AZURE]" in older releases, "AZURE" in newer ones. */
static void profile_name(const char *ref, char *dst, size_t size)
{
	const char *bar = strchr(ref, '|');

	if (*ref == '[' && bar)
		str_copyn(dst, size, bar + 1, strcspn(bar + 1, "]"));
	else
		str_copy(dst, size, ref);
}

/* Which queues mark, by the profile that each queue refers to; one entry is ["Ethernet0|3", ref].
 */
static void parse_queue_profile(
	const json_t *doc, const json_t *entry, const char *port, uint8_t *marking)
{
	const char *key = pj_text_or(pj_at(entry, 0), "");
	const char *bar = strchr(key, '|');
	char profile[128];
	const char *ecn;

	if (!bar || strlen(port) != (size_t)(bar - key) || strncmp(key, port, strlen(port)) != 0)
		return;
	profile_name(pj_text_or(pj_at(entry, 1), ""), profile, sizeof(profile));
	ecn = pj_text(pj_get(pj_get(doc, "wred"), profile));
	if (ecn && !str_eq(ecn, "ecn_none"))
		*marking |= parse_priorities(bar + 1);
}

static void parse_ecn(const json_t *doc, const char *name, struct obs *o, uint32_t port)
{
	const json_t *entry;
	uint8_t marking = 0;
	size_t i;

	json_array_foreach((json_t *)pj_get(doc, "queues"), i, entry)
	{
		parse_queue_profile(doc, entry, name, &marking);
	}
	obs_number(o, port, ATTR_ECN_ENABLED, 0, marking);
}

static void parse_watchdog_config(
	const struct target *t, const json_t *doc, const json_t *row, struct obs *o, uint32_t port)
{
	const json_t *wf = pj_get(doc, "wf");

	for (unsigned p = 0; p < PRIORITIES; p++) {
		if (!(t->lossless >> p & 1))
			continue;
		pj_word(o, port, ATTR_PFCWD_ACTION, p, sonic_value(wf, row, "action"));
		pj_number(o, port, ATTR_PFCWD_DETECT_MS, p, sonic_value(wf, row, "detection_time"));
		pj_number(o, port, ATTR_PFCWD_RESTORE_MS, p,
			sonic_value(wf, row, "restoration_time"));
	}
}

static void parse_transceiver(const json_t *doc, const json_t *row, struct obs *o, uint32_t port)
{
	const json_t *xf = pj_get(doc, "xf");

	pj_word(o, port, ATTR_MEDIA, 0, sonic_value(xf, row, "type"));
	pj_word(o, port, ATTR_MODULE_SN, 0, sonic_value(xf, row, "serial"));
}

static void parse_neighbour(const json_t *doc, const json_t *row, struct obs *o, uint32_t port)
{
	const json_t *lf = pj_get(doc, "lf");
	struct lldp_peer peer = {
		.device = pj_text_or(sonic_value(lf, row, "lldp_rem_sys_name"), ""),
		.port_id = pj_text_or(sonic_value(lf, row, "lldp_rem_port_id"), ""),
		.port_desc = pj_text_or(sonic_value(lf, row, "lldp_rem_port_desc"), ""),
		.id_kind = lldp_kind_of_subtype(
			pj_text_or(sonic_value(lf, row, "lldp_rem_port_id_subtype"), "")),
	};

	obs_lldp(o, port, peer.device, *peer.device ? lldp_peer_port(&peer) : "");
}

static void parse_identity(const json_t *doc, struct obs *o)
{
	const json_t *mf = pj_get(doc, "mf"), *meta = pj_get(doc, "meta");

	pj_word(o, OBS_NO_PORT, ATTR_HOSTNAME, 0, sonic_value(mf, meta, "hostname"));
	pj_word(o, OBS_NO_PORT, ATTR_MODEL, 0, sonic_value(mf, meta, "hwsku"));
	pj_word(o, OBS_NO_PORT, ATTR_SERIAL, 0, pj_get(doc, "serial"));
}

bool sonic_parse_config(const struct target *t, const json_t *doc, struct obs *o, struct err *err)
{
	const char *name;
	json_t *e;

	if (!json_array_size(pj_get(doc, "mf")))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the settings reply names no fields: \"mf\" is missing");
	parse_identity(doc, o);
	json_object_foreach((json_t *)pj_get(doc, "ports"), name, e)
	{
		const char *pfc = pj_text(pj_get(e, "p"));
		uint32_t port;

		if (!sonic_is_front_panel(name))
			continue;
		port = obs_port(o, name);
		obs_number(o, port, ATTR_PFC_ENABLED, 0, pfc ? parse_priorities(pfc) : 0);
		parse_ecn(doc, name, o, port);
		parse_watchdog_config(t, doc, pj_get(e, "w"), o, port);
		parse_transceiver(doc, pj_get(e, "x"), o, port);
		parse_neighbour(doc, pj_get(e, "l"), o, port);
	}
	return true;
}
