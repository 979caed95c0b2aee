/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/json_out.h"
#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* `ethtool --json` for the objects that support it; `-S` has no JSON in any version. */

#define MODULE_LANES 8u

static json_t *json_settings(const struct sim_port *p, bool statistics)
{
	json_t *o = json_pack("{s:s,s:[s],s:[sss],s:s,s:b,s:[s],s:[sss],s:s,s:b,s:[s]}", "ifname",
		p->name, "supported-ports", "FIBRE", "supported-link-modes", "200000baseKR2/Full",
		"400000baseKR4/Full", "400000baseDR4/Full", "supported-pause-frame-use",
		"Symmetric", "supports-auto-negotiation", 1, "supported-fec-modes", "RS",
		"advertised-link-modes", "200000baseKR2/Full", "400000baseKR4/Full",
		"400000baseDR4/Full", "advertised-pause-frame-use", "No",
		"advertised-auto-negotiation", 1, "advertised-fec-modes", "RS");

	/* Omits unknown values. */
	if (p->up)
		(void)json_object_update_new(
			o, json_pack("{s:i,s:i,s:s}", "speed", (int)p->speed_mbps, "lanes",
				   (int)p->lanes, "duplex", "Full"));
	(void)json_object_update_new(o,
		json_pack("{s:b,s:s,s:i,s:s,s:s,s:s,s:i,s:b}", "auto-negotiation", 1, "port",
			"FIBRE", "phyad", 0, "transceiver", "internal", "supports-wake-on", "d",
			"wake-on", "d", "current-message-level", 4, "link-detected", (int)p->up));
	if (!p->up && p->config.admin_up)
		(void)json_object_set_new(o, "link-state", json_pack("[s]", "No cable"));
	if (statistics)
		(void)json_object_set_new(
			o, "link-down-events", json_integer((json_int_t)p->carrier_down));
	return o;
}

static json_t *json_total(uint64_t v)
{
	return json_pack("{s:I}", "total", (json_int_t)v);
}

static json_t *json_fec(const struct sim_port *p, bool statistics)
{
	json_t *o = json_pack("{s:s,s:[s],s:[s]}", "ifname", p->name, "config", "RS", "active",
		p->up ? "RS" : "None");
	json_t *bins = json_array();
	int i;

	for (i = 0; i < 16; i++)
		(void)json_array_append_new(
			bins, json_pack("{s:i,s:i,s:I}", "bin_low", i, "bin_high", i, "total",
				      (json_int_t)p->fec_bin[i]));
	if (statistics)
		(void)json_object_set_new(o, "statistics",
			json_pack("{s:o,s:o,s:o,s:O}", "corrected_blocks",
				json_total(p->fec_corrected), "uncorrectable_blocks",
				json_total(p->fec_uncorrectable), "corrected_bits",
				json_total(p->fec_corrected_bits), "hist", bins));
	json_decref(bins);
	return o;
}

static json_t *json_pause(const struct sim_port *p, bool statistics)
{
	json_t *o = json_pack(
		"{s:s,s:b,s:b,s:b}", "ifname", p->name, "autonegotiate", 0, "rx", 0, "tx", 0);

	if (statistics)
		(void)json_object_set_new(o, "statistics",
			json_pack("{s:i,s:i}", "tx_pause_frames", 0, "rx_pause_frames", 0));
	return o;
}

static double to_milliwatt(double dbm)
{
	return isfinite(dbm) && dbm > -40 ? round(pow(10, dbm / 10) * 1e4) / 1e4 : 0;
}

static json_t *lane_values(const struct sim_port *p, char what)
{
	json_t *all = json_array();
	unsigned i;

	for (i = 0; i < MODULE_LANES; i++) {
		const struct sim_lane *l = &p->lane[i];
		double v = i >= p->lanes ? 0
			   : what == 'b' ? l->bias_ma
					 : to_milliwatt(what == 't' ? l->tx_dbm : l->rx_dbm);

		(void)json_array_append_new(all, json_number_or_null(v));
	}
	return all;
}

static json_t *lane_flags(const struct sim_port *p, bool on)
{
	json_t *all = json_array();
	unsigned i;

	for (i = 0; i < MODULE_LANES; i++)
		(void)json_array_append_new(all, json_boolean(on && i < p->lanes));
	return all;
}

static json_t *json_module(const struct sim_port *p)
{
	json_t *o = json_pack("{s:i,s:s,s:i,s:i,s:i,s:s,s:s,s:s,s:s,s:o,s:s}", "identifier", 25,
		"identifier_description", "OSFP 8X Pluggable Transceiver", "power_class", 6,
		"max_power", 9, "connector", 12, "connector_description", "MPO Parallel Optic",
		"vendor_name", "NVIDIA", "vendor_pn", "MMS4X00-NS400", "vendor_rev", "A3",
		"vendor_sn", json_sprintf("MT2334FT%03u%02u", p->device, p->port), "date_code",
		"230821");

	(void)json_object_update_new(
		o, json_pack("{s:o,s:o,s:i,s:s,s:f,s:f,s:o,s:o,s:{s:o,s:s}}", "rx_loss_of_signal",
			   lane_flags(p, p->rx_los), "tx_fault", lane_flags(p, p->tx_fault),
			   "module_state", 3, "module_state_description", "ModuleReady",
			   "module_temperature_measurement", p->temperature_c,
			   "module_voltage_measurement", p->voltage_v, "laser_tx_bias_current",
			   lane_values(p, 'b'), "transmit_avg_optical_power", lane_values(p, 't'),
			   "rx_power", "values", lane_values(p, 'r'), "type",
			   "Rcvr signal avg optical power"));
	return o;
}

json_t *linux_ethtool_json(const struct sim_port *p, const char *what, bool statistics)
{
	json_t *o = NULL;

	if (!what)
		o = json_settings(p, statistics);
	else if (!strcmp(what, "--show-fec"))
		o = json_fec(p, statistics);
	else if (!strcmp(what, "-a") || !strcmp(what, "--show-pause"))
		o = json_pause(p, statistics);
	else if (!strcmp(what, "-m") || !strcmp(what, "--module-info"))
		o = json_module(p);
	return o ? json_pack("[o]", o) : NULL;
}
