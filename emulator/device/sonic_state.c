/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/sonic_redis.h"

/* APPL_DB and STATE_DB: ports, neighbours, storms, optics. */

static void give(redis_field_fn each, void *arg, const char *name, const struct redis_value *v)
{
	each(arg, name, strlen(name), v);
}

static void give_text(redis_field_fn each, void *arg, const char *name, const char *text)
{
	struct redis_value v;

	redis_text(&v, text);
	give(each, arg, name, &v);
}

static void give_u64(redis_field_fn each, void *arg, const char *name, uint64_t n)
{
	struct redis_value v;

	redis_u64(&v, n);
	give(each, arg, name, &v);
}

static void give_time(redis_field_fn each, void *arg, const char *name, int64_t us)
{
	char text[40];
	time_t t = (time_t)(us / CLOCK_SEC);
	struct tm tm = {0};

	(void)gmtime_r(&t, &tm);
	(void)strftime(text, sizeof(text), "%a %b %d %H:%M:%S %Y", &tm);
	give_text(each, arg, name, text);
}

static void appl_port(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	struct lldp_peer peer;
	unsigned lane = p->port * SONIC_LANES + 1;
	struct redis_value v;

	give_text(each, arg, "admin_status", p->config.admin_up ? "up" : "down");
	give_text(each, arg, "oper_status", p->up ? "up" : "down");
	redis_textf(&v, "etp%u", p->port + 1);
	give(each, arg, "alias", &v);
	if (personality_lldp(r->ctx, p, &peer))
		redis_textf(&v, "%s:%s", peer.name, peer.local_id ? peer.port_descr : peer.port_id);
	else
		redis_text(&v, "");
	give(each, arg, "description", &v);
	give_text(each, arg, "fec", "rs");
	give_u64(each, arg, "index", p->port + 1);
	redis_textf(&v, "%u,%u,%u,%u", lane, lane + 1, lane + 2, lane + 3);
	give(each, arg, "lanes", &v);
	give_u64(each, arg, "mtu", PORT_MTU);
	give_text(each, arg, "pfc_asym", "off");
	/* As configured: a link that trained lower shows in STATE_DB only. */
	give_u64(each, arg, "speed", p->plan_mbps);
	give_text(each, arg, "tpid", "0x8100");
	give_u64(each, arg, "flap_count", p->carrier_up + p->carrier_down);
	if (p->carrier_up)
		give_time(each, arg, "last_up_time",
			p->up ? p->last_change_us : p->last_change_us - 60 * CLOCK_SEC);
	if (p->carrier_down)
		give_time(each, arg, "last_down_time",
			p->up ? p->last_change_us - CLOCK_SEC : p->last_change_us);
}

static void state_port(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;

	(void)r;
	give_text(each, arg, "state", "ok");
	give_text(each, arg, "netdev_oper_status", p->up ? "up" : "down");
	give_text(each, arg, "admin_status", p->config.admin_up ? "up" : "down");
	give_u64(each, arg, "mtu", PORT_MTU);
	give_text(each, arg, "host_tx_ready", p->config.admin_up ? "true" : "false");
	give_text(each, arg, "supported_speeds", "400000,200000,100000");
	give_text(each, arg, "supported_fecs", "none,rs,auto");
	give_u64(each, arg, "speed", p->speed_mbps);
	give_text(each, arg, "fec", p->up ? "rs" : "N/A");
}

static void lldp_entry(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	struct lldp_peer peer;

	if (!personality_lldp(r->ctx, row->port, &peer))
		return;
	give_text(each, arg, "lldp_rem_port_id_subtype", peer.local_id ? "7" : "5");
	give_text(each, arg, "lldp_rem_port_id", peer.port_id);
	give_text(each, arg, "lldp_rem_port_desc", peer.port_descr);
	give_text(each, arg, "lldp_rem_chassis_id_subtype", "4");
	give_text(each, arg, "lldp_rem_chassis_id", peer.chassis_id);
	give_text(each, arg, "lldp_rem_sys_name", peer.name);
	give_text(each, arg, "lldp_rem_sys_desc", peer.system);
	give_text(each, arg, "lldp_rem_man_addr", peer.address);
	give_u64(each, arg, "lldp_rem_time_mark", 18543 + row->port->carrier_up);
	give_text(each, arg, "lldp_rem_index", "1");
	give_text(each, arg, "lldp_rem_sys_cap_supported", "28 00");
	give_text(each, arg, "lldp_rem_sys_cap_enabled", "28 00");
}

static void in_storm(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	char name[4];
	unsigned i;

	(void)r;
	for (i = 0; i < 8; i++) {
		if (!row->port->q[i].wd_stormed)
			continue;
		(void)snprintf(name, sizeof(name), "%u", i);
		give_text(each, arg, name, "storm");
	}
}

static void transceiver_info(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	struct redis_value v;

	give_text(each, arg, "type", "QSFP-DD Double Density 8X Pluggable Transceiver");
	give_text(each, arg, "vendor_rev", "A3");
	redis_textf(&v, "MT2335FT%03u%02u", r->d->index, row->port->port);
	give(each, arg, "serial", &v);
	give_text(each, arg, "manufacturer", "NVIDIA");
	give_text(each, arg, "model", "MMS1V00-WM");
	give_text(each, arg, "vendor_oui", "48-b0-2d");
	give_text(each, arg, "vendor_date", "2023-08-21");
	give_text(each, arg, "connector", "MPO 1x12");
	give_text(each, arg, "encoding", "N/A");
	give_text(each, arg, "ext_identifier", "Power Class 6 (12.0W Max)");
	give_text(each, arg, "cable_type", "Length Cable Assembly(m)");
	give_text(each, arg, "cable_length", "0.0");
	give_text(each, arg, "specification_compliance", "sm_media_interface");
	give_text(each, arg, "nominal_bit_rate", "N/A");
	give_text(each, arg, "application_advertisement",
		"{1: {'host_electrical_interface_id': '400GAUI-8 C2M (Annex 120E)', "
		"'module_media_interface_id': '400GBASE-DR4 (Cl 124)'}}");
}

static void give_power(
	redis_field_fn each, void *arg, const char *fmt, unsigned lane, bool used, double dbm)
{
	struct redis_value v;
	char name[16];

	(void)snprintf(name, sizeof(name), fmt[0] == 'r' ? "rx%upower" : "tx%upower", lane);
	if (!used)
		redis_text(&v, "N/A");
	else if (!isfinite(dbm) || dbm <= -40)
		redis_text(&v, "-inf");
	else
		redis_textf(&v, "%.3f", dbm);
	give(each, arg, name, &v);
}

static void dom_sensor(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;
	struct redis_value v;
	char name[16];
	unsigned i;

	(void)r;
	redis_textf(&v, "%.3f", p->temperature_c);
	give(each, arg, "temperature", &v);
	redis_textf(&v, "%.4f", p->voltage_v);
	give(each, arg, "voltage", &v);
	for (i = 0; i < 8; i++) {
		bool used = i < p->lanes;

		give_power(each, arg, "rx", i + 1, used, p->lane[i].rx_dbm);
		give_power(each, arg, "tx", i + 1, used, p->lane[i].tx_dbm);
		(void)snprintf(name, sizeof(name), "tx%ubias", i + 1);
		if (used)
			redis_textf(&v, "%.3f", p->lane[i].bias_ma);
		else
			redis_text(&v, "N/A");
		give(each, arg, name, &v);
	}
}

static void dom_threshold(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char *const fields[][2] = {{"temphighalarm", "80.0"},
		{"temphighwarning", "75.0"}, {"templowalarm", "-5.0"}, {"templowwarning", "0.0"},
		{"vcchighalarm", "3.63"}, {"vcchighwarning", "3.465"}, {"vcclowalarm", "2.97"},
		{"vcclowwarning", "3.135"}, {"rxpowerhighalarm", "5.5"},
		{"rxpowerhighwarning", "4.0"}, {"rxpowerlowalarm", "-9.0"},
		{"rxpowerlowwarning", "-6.5"}, {"txpowerhighalarm", "5.5"},
		{"txpowerhighwarning", "4.0"}, {"txpowerlowalarm", "-5.5"},
		{"txpowerlowwarning", "-3.0"}, {"txbiashighalarm", "90.0"},
		{"txbiashighwarning", "85.0"}, {"txbiaslowalarm", "20.0"},
		{"txbiaslowwarning", "25.0"}};
	size_t i;

	(void)r, (void)row;
	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		give_text(each, arg, fields[i][0], fields[i][1]);
}

/* ---- what this ASIC can count ---- */

static const char *const capabilities[] = {"WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER",
	"WRED_ECN_QUEUE_ECN_MARKED_BYTE_COUNTER", "WRED_ECN_QUEUE_WRED_DROPPED_PKT_COUNTER",
	"WRED_ECN_QUEUE_WRED_DROPPED_BYTE_COUNTER"};

static bool open_capability(
	const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	(void)r;
	for (row->index = 0; row->index < 4; row->index++)
		if (strlen(capabilities[row->index]) == n &&
			!memcmp(capabilities[row->index], rest, n))
			return true;
	return false;
}

static void keys_capability(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char key[128];
	size_t i;

	(void)r;
	for (i = 0; i < 4; i++) {
		(void)snprintf(key, sizeof(key), "%s%s", t->prefix, capabilities[i]);
		each(arg, key);
	}
}

static void capability(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	give_text(each, arg, "isSupported", "true");
}

static void eeprom_serial(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	give_text(each, arg, "Name", "Serial Number");
	give_u64(each, arg, "Len", strlen(r->d->serial));
	give_text(each, arg, "Value", r->d->serial);
}

static void reboot_cause(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	give_text(each, arg, "cause", "reboot");
	give_time(each, arg, "time", r->d->boot_us);
}

#define PORTS  redis_open_port, redis_keys_ports
#define SINGLE redis_open_single, redis_keys_single

const struct redis_table redis_state_tables[] = {
	{APPL_DB, "PORT_TABLE:", PORTS, appl_port, NULL},
	{APPL_DB, "PFC_WD_TABLE_INSTORM:", PORTS, in_storm, NULL},
	{APPL_DB, "LLDP_ENTRY_TABLE:", PORTS, lldp_entry, NULL},
	{STATE_DB, "PORT_TABLE|", PORTS, state_port, NULL},
	{STATE_DB, "TRANSCEIVER_DOM_SENSOR|", PORTS, dom_sensor, NULL},
	{STATE_DB, "TRANSCEIVER_DOM_THRESHOLD|", PORTS, dom_threshold, NULL},
	{STATE_DB, "TRANSCEIVER_INFO|", PORTS, transceiver_info, NULL},
	{STATE_DB, "QUEUE_COUNTER_CAPABILITIES|", open_capability, keys_capability, capability,
		NULL},
	{STATE_DB, "EEPROM_INFO|0x23", SINGLE, eeprom_serial, NULL},
	{STATE_DB, "REBOOT_CAUSE|2026_01_01_00_00_00", SINGLE, reboot_cause, NULL},
	{0, NULL, NULL, NULL, NULL, NULL},
};
