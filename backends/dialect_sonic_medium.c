/* SPDX-License-Identifier: Apache-2.0 */
#include "backends/dialect_sonic.h"
#include "backends/needs.h"
#include "backends/parse_lldp.h"
#include "backends/parse_optics.h"
#include "base/str.h"

/* Transceiver readings (STATE_DB) and LLDP neighbours (APPL_DB). */

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

/*
 * True when there is a neighbour. off: LLDP is switched off, so that a neighbour that is not there
 * says nothing about the cable.
 */
static bool parse_neighbour(
	const json_t *lf, const json_t *row, bool off, struct obs *o, uint32_t port)
{
	struct lldp_peer peer = {
		.device = sonic_text(lf, row, "lldp_rem_sys_name"),
		.port_id = sonic_text(lf, row, "lldp_rem_port_id"),
		.port_desc = sonic_text(lf, row, "lldp_rem_port_desc"),
		.id_kind = lldp_kind_of_subtype(sonic_text(lf, row, "lldp_rem_port_id_subtype")),
	};

	/* A neighbour without a name is one. */
	if (!*peer.device)
		peer.device = sonic_text(lf, row, "lldp_rem_chassis_id");
	if (!*peer.device) {
		if (!off)
			obs_lldp(o, port, "", "");
		return false;
	}
	obs_lldp(o, port, peer.device, lldp_peer_port(&peer));
	obs_word(o, port, ATTR_LLDP_MGMT, 0, sonic_text(lf, row, "lldp_rem_man_addr"));
	obs_word(o, port, ATTR_LLDP_DESCR, 0, sonic_text(lf, row, "lldp_rem_sys_desc"));
	return true;
}

bool sonic_parse_optics(const struct target *t, const json_t *doc, struct obs *o, struct err *err)
{
	const json_t *df = pj_get(doc, "df");
	bool off = str_eq(pj_text(pj_get(doc, "lldp")), "disabled"), neighbours = false;
	const char *name;
	json_t *e;

	if (!json_array_size(df))
		return err_set(err, ERR_PROTOCOL, t->device,
			"the optics reply names no fields: \"df\" is missing");
	json_object_foreach((json_t *)pj_get(doc, "ports"), name, e)
	{
		struct optics x = {0};
		uint32_t port;

		if (!sonic_is_front_panel(name))
			continue;
		port = obs_port(o, name);
		if (json_is_array(pj_get(e, "d")))
			parse_module(df, pj_get(e, "d"), &x);
		optics_emit(&x, o, port);
		neighbours |= parse_neighbour(pj_get(doc, "lf"), pj_get(e, "l"), off, o, port);
	}
	off = off && !neighbours;
	if (o->ports.n)
		need_say(o, NEED_LLDP, off ? VALID_DISABLED : VALID_OK,
			off ? "sudo config feature state lldp enabled" : "");
	return true;
}
