/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "base/str.h"
#include "diagnosis/evidence/optic_kind.h"
#include "fabric/vocabulary/counters.h"
#include "views/columns/columns.h"
#include "views/common.h"
#include "views/panels/panel.h"

enum optics_column {
	OPTICS_DEVICE,
	OPTICS_PORT,
	OPTICS_OPER,
	OPTICS_USE,
	OPTICS_PAIR,
	OPTICS_RX,
	OPTICS_LOST,
	OPTICS_TX,
	OPTICS_BIAS,
	OPTICS_TEMP,
	OPTICS_LASER,
	OPTICS_ESNR,
	OPTICS_BER,
	OPTICS_MEDIA_BER,
	OPTICS_HOST_BER,
	OPTICS_FLAGS,
	OPTICS_SERIAL,
	OPTICS_MODULE,
	OPTICS_COLUMNS
};

static const struct table_column columns[OPTICS_COLUMNS] = {
	[OPTICS_DEVICE] = {"device", "device", 12, 0, 0, false, "Device that the port belongs to"},
	[OPTICS_PORT] = {"port", "port", 11, 0, 0, false, "Port of the module"},
	[OPTICS_OPER] = {"oper", "oper", 4, 0, 1, false, "State of the link"},
	[OPTICS_USE] = {"use", "use", 7, 0, 1, false,
		"Application of the module, DR4 or FR4; -: the device does not tell"},
	[OPTICS_PAIR] = {"pair", "pair", 7, 0, 2, false,
		"The same of the link partner; ! behind it: both ends do not fit"},
	[OPTICS_RX] = {"rx_dbm", "rx dBm", 6, 0, 0, true, "Light received, least lane"},
	[OPTICS_LOST] = {"spread", "spread", 6, 0, 3, true,
		"Difference of the light of the lanes in use, in dB"},
	[OPTICS_TX] = {"tx_dbm", "tx dBm", 6, 0, 1, true, "Light sent, least lane"},
	[OPTICS_BIAS] = {"bias", "bias mA", 7, 0, 3, true, "Laser bias current, highest lane"},
	[OPTICS_TEMP] = {"temp", "temp C", 6, 0, 2, true, "Temperature of the module"},
	[OPTICS_LASER] = {"laser", "laser C", 7, 0, 4, true, "Temperature of the warmest laser"},
	[OPTICS_ESNR] = {"esnr", "esnr dB", 7, 0, 1, true,
		"Effective signal to noise ratio at the optical input, worst lane"},
	[OPTICS_BER] = {"ber", "ber", 8, 0, 2, true, "Bit error ratio before FEC of the port"},
	[OPTICS_MEDIA_BER] = {"media_ber", "media ber", 9, 0, 2, true,
		"Bit error ratio before FEC at the module's optical input"},
	[OPTICS_HOST_BER] = {"host_ber", "host ber", 9, 0, 3, true,
		"Bit error ratio before FEC at the module's electrical input"},
	[OPTICS_FLAGS] = {"flags", "flags/h", 7, 0, 3, true,
		"Changes of the module's flags an hour"},
	[OPTICS_SERIAL] = {"serial", "serial", 14, 0, 5, false, "Serial number of the module"},
	[OPTICS_MODULE] = {"module", "module", 30, 1, 3, false,
		"Form factor, application and part number"},
};

static bool has_module(const struct port *p)
{
	return p->more->media[0] || port_cell(p, CTR_TEMPERATURE_C, 0) ||
	       port_cell(p, CTR_RX_POWER_DBM, 0);
}

static void optics_rows(const struct view_ctx *ctx, row_vec *out)
{
	const struct model *m = ctx->model;

	for (size_t i = 0; i < m->devices.n; i++) {
		const struct device *d = m->devices.at[i];

		if ((ctx->scope.kind == REF_DEVICE && d->id != ctx->scope.device) ||
			(ctx->scope.kind == REF_TIER && d->tier != (enum tier)ctx->scope.tier))
			continue;
		for (size_t k = 0; k < d->ports.n; k++)
			if (has_module(m->ports.at[d->ports.at[k]]))
				vec_push(out, ref_of_port(m->ports.at[d->ports.at[k]]));
	}
}

/* NAN: not measured. */
static double port_gauge(const struct port *p, counter_id id, unsigned sub)
{
	const struct cell *c = port_cell(p, id, sub);

	return c && c->valid == VALID_OK ? c->real : (double)NAN;
}

static double worst_lane(const struct port *p, counter_id id, bool lowest)
{
	double worst = NAN;

	for (unsigned i = 0; i < LANES; i++) {
		double v = port_gauge(p, id, i);

		worst = lowest ? fmin(worst, v) : fmax(worst, v);
	}
	return worst;
}

static void put_number(const struct device *d, struct view_cell *out, double v)
{
	cell_unknown(out, VALID_UNKNOWN);
	if (isnan(v))
		return;
	out->role = ROLE_NORMAL;
	out->number = v;
	out->has_number = true;
	(void)str_printf(out->text, sizeof(out->text), "%.1f", no_minus_zero(v));
	if (device_is_old(d))
		cell_mark_old(out);
}

static void put_ber(const struct device *d, struct view_cell *out, double ber)
{
	cell_ber(out, ber);
	if (!isnan(ber) && device_is_old(d))
		cell_mark_old(out);
}

/* A lane that is dark counts: it is in use, or it would not be listed. */
static void put_light(const struct device *d, const struct port *p, struct view_cell *out)
{
	double dbm = worst_lane(p, CTR_RX_POWER_DBM, true);
	/* One dark lane may be unused; where all are, no light arrives at all. */
	bool dark = !isnan(dbm) && isnan(port_rx_power_min(p)) && p->admin != OPER_DOWN;

	cell_dbm(out, dbm, dark || port_light_is_low(p));
	if (!isnan(dbm) && device_is_old(d))
		cell_mark_old(out);
}

static void put_word(struct view_cell *out, const char *text)
{
	cell_unknown(out, VALID_UNKNOWN);
	if (*text)
		cell_text(out, ROLE_NORMAL, "%s", text);
}

static void put_pair(const struct view_ctx *ctx, const struct port *p, struct view_cell *out)
{
	const struct port *peer = port_peer(ctx->model, p, NULL);
	char own[16], other[16] = "";
	enum optic_kind a = optic_kind_of(p->more->media, own, sizeof(own));
	enum optic_kind b =
		peer ? optic_kind_of(peer->more->media, other, sizeof(other)) : OPTIC_UNKNOWN;

	put_word(out, other);
	if (a != OPTIC_UNKNOWN && b != OPTIC_UNKNOWN && a != b)
		cell_text(out, ROLE_CRIT, "%s!", other);
}

static void put_measured(
	const struct device *d, const struct port *p, size_t col, struct view_cell *out)
{
	double flags = port_rate(p, CTR_OPTIC_FLAG_CHANGES, 0) * 3600;

	if (col == OPTICS_RX)
		put_light(d, p, out);
	else if (col == OPTICS_LOST)
		put_number(d, out,
			worst_lane(p, CTR_RX_POWER_DBM, false) -
				worst_lane(p, CTR_RX_POWER_DBM, true));
	else if (col == OPTICS_TX)
		put_number(d, out, worst_lane(p, CTR_TX_POWER_DBM, true));
	else if (col == OPTICS_BIAS)
		put_number(d, out, worst_lane(p, CTR_TX_BIAS_MA, false));
	else if (col == OPTICS_TEMP)
		put_number(d, out, port_gauge(p, CTR_TEMPERATURE_C, 0));
	else if (col == OPTICS_LASER)
		put_number(d, out, port_gauge(p, CTR_LASER_TEMPERATURE_C, 0));
	else if (col == OPTICS_ESNR)
		put_number(d, out, port_gauge(p, CTR_ESNR_MEDIA_DB, 0));
	else if (col == OPTICS_BER)
		put_ber(d, out, port_pre_fec_ber(p));
	else if (col == OPTICS_MEDIA_BER)
		put_ber(d, out, port_gauge(p, CTR_PRE_FEC_BER_MEDIA, 0));
	else if (col == OPTICS_HOST_BER)
		put_ber(d, out, port_gauge(p, CTR_PRE_FEC_BER_HOST, 0));
	else
		put_number(d, out, flags);
}

static void optics_cell(
	const struct view_ctx *ctx, struct ref row, size_t col, struct view_cell *out)
{
	const struct port *p = view_port_of(ctx, row);
	const struct device *d = p ? model_dev_of(ctx->model, p) : NULL;
	char use[16];

	cell_unknown(out, VALID_UNKNOWN);
	if (!p || col >= OPTICS_COLUMNS)
		return;
	if (col == OPTICS_DEVICE)
		cell_text(out, ROLE_NORMAL, "%s", d->name);
	else if (col == OPTICS_PORT)
		port_column(ctx, p, COL_PORT, out);
	else if (col == OPTICS_OPER)
		port_column(ctx, p, COL_OPER, out);
	else if (col == OPTICS_USE) {
		(void)optic_kind_of(p->more->media, use, sizeof(use));
		put_word(out, use);
	} else if (col == OPTICS_PAIR)
		put_pair(ctx, p, out);
	else if (col == OPTICS_SERIAL)
		put_word(out, p->more->module_sn);
	else if (col == OPTICS_MODULE)
		put_word(out, p->more->media);
	else
		put_measured(d, p, col, out);
}

static const char *optics_empty(const struct view_ctx *ctx)
{
	return ctx->model->devices.n ? "no module was reported yet" : "the inventory has no device";
}

const struct view_ops view_optics = {
	.name = "optics",
	.title = "optics",
	.help = "Every optical module: application at both ends, light, laser, and the module's "
		"own "
		"diagnostics (VDM) by side: media is the fibre, host is the board. Made for "
		"filters, such as rx_dbm<-6 or media_ber>1e-6. A dash is not measured, never fine.",
	.scope = REF_NONE,
	.kinds = 1U << REF_DEVICE | 1U << REF_TIER,
	.columns = columns,
	.ncolumns = OPTICS_COLUMNS,
	.sort = "rx_dbm",
	.rows = optics_rows,
	.cell = optics_cell,
	.enter = enter_port,
	.empty = optics_empty,
};
