/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "emulator/device/sonic/sonic_redis.h"

/* STATE_DB: the values that xcvrd reads from the modules. */

static void give_info(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char *const fields[][2] = {
		{"type", "QSFP-DD Double Density 8X Pluggable Transceiver"}, {"vendor_rev", "A3"},
		{"manufacturer", "NVIDIA"}, {"model", "MMS1V00-WM"}, {"vendor_oui", "48-b0-2d"},
		{"vendor_date", "2023-08-21"}, {"connector", "MPO 1x12"}, {"encoding", "N/A"},
		{"ext_identifier", "Power Class 6 (12.0W Max)"},
		{"cable_type", "Length Cable Assembly(m)"}, {"cable_length", "0.0"},
		{"specification_compliance", "sm_media_interface"}, {"nominal_bit_rate", "N/A"},
		{"dom_capability", "N/A"},
		{"application_advertisement",
			"{1: {'host_electrical_interface_id': '400GAUI-8 C2M (Annex 120E)', "
			"'module_media_interface_id': '400GBASE-DR4 (Cl 124)'}}"}};
	struct redis_value v;

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		redis_give_text(each, arg, fields[i][0], fields[i][1]);
	redis_textf(&v, "MT2335FT%03u%02u", r->d->index, row->port->port);
	redis_give(each, arg, "serial", &v);
}

static void give_power(redis_field_fn each, void *arg, const char *name, bool used, double dbm)
{
	struct redis_value v;

	if (!used)
		redis_text(&v, "N/A");
	else if (!isfinite(dbm) || dbm <= -40)
		redis_text(&v, "-inf");
	else
		redis_textf(&v, "%.3f", dbm);
	redis_give(each, arg, name, &v);
}

static void give_sensor(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	struct redis_value v;
	char name[16];

	(void)r;
	redis_textf(&v, "%.3f", p->temperature_c);
	redis_give(each, arg, "temperature", &v);
	redis_textf(&v, "%.4f", p->voltage_v);
	redis_give(each, arg, "voltage", &v);
	for (unsigned i = 0; i < 8; i++) {
		bool used = i < p->lanes;

		(void)snprintf(name, sizeof(name), "rx%upower", i + 1);
		give_power(each, arg, name, used, p->lane[i].rx_dbm);
		(void)snprintf(name, sizeof(name), "tx%upower", i + 1);
		give_power(each, arg, name, used, p->lane[i].tx_dbm);
		(void)snprintf(name, sizeof(name), "tx%ubias", i + 1);
		if (used)
			redis_textf(&v, "%.3f", p->lane[i].bias_ma);
		else
			redis_text(&v, "N/A");
		redis_give(each, arg, name, &v);
	}
}

/* The module's own limits: alarm and warning, high and low. */
enum limit { HIGH_ALARM, HIGH_WARNING, LOW_ALARM, LOW_WARNING };
enum reading { TEMPERATURE, VOLTAGE, RX_POWER, TX_POWER, TX_BIAS, READINGS };
static const char *const limits[READINGS][4] = {
	[TEMPERATURE] = {"80.0", "75.0", "-5.0", "0.0"},
	[VOLTAGE] = {"3.63", "3.465", "2.97", "3.135"},
	[RX_POWER] = {"5.5", "4.0", "-9.0", "-6.5"},
	[TX_POWER] = {"5.5", "4.0", "-5.5", "-3.0"},
	[TX_BIAS] = {"90.0", "85.0", "20.0", "25.0"},
};

static void give_threshold(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char *const names[READINGS] = {"temp", "vcc", "rxpower", "txpower", "txbias"};
	static const char *const ends[4] = {"highalarm", "highwarning", "lowalarm", "lowwarning"};
	char name[32];

	(void)r, (void)row;
	for (int i = 0; i < READINGS; i++) {
		for (int k = 0; k < 4; k++) {
			(void)snprintf(name, sizeof(name), "%s%s", names[i], ends[k]);
			redis_give_text(each, arg, name, limits[i][k]);
		}
	}
}

static void give_flag(redis_field_fn each, void *arg, const char *name, bool on)
{
	redis_give_text(each, arg, name, on ? "True" : "False");
}

static void give_limits(
	redis_field_fn each, void *arg, const char *stem, enum reading what, double value)
{
	static const char *const ends[4] = {"HAlarm", "HWarn", "LAlarm", "LWarn"};
	char name[32];

	for (int k = 0; k < 4; k++) {
		double limit = strtod(limits[what][k], NULL);

		(void)snprintf(name, sizeof(name), "%s%s", stem, ends[k]);
		give_flag(each, arg, name, k < 2 ? value > limit : value < limit);
	}
}

static void dom_flags(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	char name[16];

	(void)r;
	give_limits(each, arg, "temp", TEMPERATURE, p->temperature_c);
	give_limits(each, arg, "vcc", VOLTAGE, p->voltage_v);
	for (unsigned i = 0; i < p->lanes && i < 8; i++) {
		(void)snprintf(name, sizeof(name), "rx%upower", i + 1);
		give_limits(each, arg, name, RX_POWER, p->lane[i].rx_dbm);
		(void)snprintf(name, sizeof(name), "tx%upower", i + 1);
		give_limits(each, arg, name, TX_POWER, p->lane[i].tx_dbm);
		(void)snprintf(name, sizeof(name), "tx%ubias", i + 1);
		give_limits(each, arg, name, TX_BIAS, p->lane[i].bias_ma);
	}
}

static bool lane_dark(const struct sim_port *p, unsigned lane)
{
	return p->rx_los || !isfinite(p->lane[lane].rx_dbm) || p->lane[lane].rx_dbm <= -30;
}

static void give_status(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	char name[32];

	(void)r;
	redis_give_text(each, arg, "module_state", "ModuleReady");
	redis_give_text(each, arg, "module_fault_cause", "No Fault detected");
	for (unsigned i = 1; i <= 8; i++) {
		bool used = i <= p->lanes;

		(void)snprintf(name, sizeof(name), "DP%uState", i);
		redis_give_text(each, arg, name,
			!p->config.admin_up ? "DataPathDeactivated" : "DataPathActivated");
		(void)snprintf(name, sizeof(name), "config_state_hostlane%u", i);
		redis_give_text(each, arg, name, "ConfigSuccess");
		(void)snprintf(name, sizeof(name), "tx%udisable", i);
		give_flag(each, arg, name, used && !p->config.admin_up);
	}
	redis_give_text(each, arg, "tx_disabled_channel", p->config.admin_up ? "0" : "15");
}

static void status_flags(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	char name[32];

	(void)r;
	redis_give_text(each, arg, "datapath_firmware_fault", "False");
	redis_give_text(each, arg, "module_firmware_fault", "False");
	redis_give_text(each, arg, "module_state_changed", "False");
	for (unsigned i = 0; i < 8; i++) {
		bool used = i < p->lanes, dark = used && lane_dark(p, i);

		(void)snprintf(name, sizeof(name), "rx%ulos", i + 1);
		give_flag(each, arg, name, dark);
		(void)snprintf(name, sizeof(name), "rx%ucdrlol", i + 1);
		give_flag(each, arg, name, dark);
		(void)snprintf(name, sizeof(name), "tx%ufault", i + 1);
		give_flag(each, arg, name, used && p->tx_fault);
		(void)snprintf(name, sizeof(name), "tx%ulos_hostlane", i + 1);
		give_flag(each, arg, name, false);
	}
}

/*
 * Versatile diagnostics: less light means less signal. The faults of the emulator show in light and
 * FEC counters, so these readings get worse without leaving their own limits.
 */
static void give_vdm(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	struct redis_value v;
	char name[40];

	(void)r;
	for (unsigned i = 0; i < p->lanes && i < 8; i++) {
		double rx = lane_dark(p, i) ? -40 : p->lane[i].rx_dbm;
		double esnr = rx <= -30 ? 0 : fmax(22 + (rx < 0 ? rx / 2 : 0), 17.5);
		double ber = rx <= -30 ? 0 : fmin(pow(10, -9 + (rx < -2 ? -2 - rx : 0)), 8e-6);

		(void)snprintf(name, sizeof(name), "laser_temperature_media%u", i + 1);
		redis_textf(&v, "%.2f", p->temperature_c + 6);
		redis_give(each, arg, name, &v);
		(void)snprintf(name, sizeof(name), "esnr_media_input%u", i + 1);
		redis_textf(&v, "%.4f", esnr);
		redis_give(each, arg, name, &v);
		(void)snprintf(name, sizeof(name), "prefec_ber_avg_media_input%u", i + 1);
		redis_textf(&v, "%.3e", ber);
		redis_give(each, arg, name, &v);
		(void)snprintf(name, sizeof(name), "prefec_ber_avg_host_input%u", i + 1);
		redis_textf(&v, "%.3e", 2e-10);
		redis_give(each, arg, name, &v);
	}
}

static void flag_changes(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "tempHAlarm", "0");
	redis_give_text(each, arg, "vccHAlarm", "0");
}

static void status_sw(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "cmis_state", "READY");
	redis_give_text(each, arg, "status", "1");
	redis_give_text(each, arg, "error", "N/A");
}

const struct redis_table redis_optics_tables[] = {
	{STATE_DB, "TRANSCEIVER_DOM_SENSOR|", REDIS_PORTS, give_sensor, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_DOM_THRESHOLD|", REDIS_PORTS, give_threshold, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_DOM_FLAG|", REDIS_PORTS, dom_flags, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_INFO|", REDIS_PORTS, give_info, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_DOM_FLAG_CHANGE_COUNT|", REDIS_PORTS, flag_changes, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_STATUS|", REDIS_PORTS, give_status, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_STATUS_FLAG|", REDIS_PORTS, status_flags, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_STATUS_SW|", REDIS_PORTS, status_sw, NULL, NULL},
	{STATE_DB, "TRANSCEIVER_VDM_REAL_VALUE|", REDIS_PORTS, give_vdm, NULL, NULL},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
