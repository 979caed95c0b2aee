/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"

/* APPL_DB and STATE_DB: ports, neighbours, storms, counter capabilities of this ASIC. */

/* Time of the port's last such event in the kept log; 0: unknown. */
static int64_t last_logged(const struct sim_device *d, const struct sim_port *p, bool up)
{
	uint64_t kept = d->logged < SIM_LOG_KEPT ? d->logged : SIM_LOG_KEPT;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct sim_log *l = &d->log[(d->logged - i) % SIM_LOG_KEPT];

		if (l->port == p->port && l->kind == (up ? SIM_LOG_LINK_UP : SIM_LOG_LINK_DOWN))
			return l->t_us;
	}
	return 0;
}

static void give_changes(
	const struct redis *r, const struct sim_port *p, redis_field_fn each, void *arg)
{
	for (int up = 1; up >= 0; up--) {
		int64_t t = p->up == (up == 1) ? p->last_change_us : last_logged(r->d, p, up);

		if (t && (up ? p->carrier_up : p->carrier_down))
			redis_give_time(each, arg, up ? "last_up_time" : "last_down_time",
				t + r->d->clock_skew_us);
	}
}

static void appl_port(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port, *far = p->plan_peer;
	unsigned lane = p->port * SONIC_LANES + 1;
	struct redis_value v;

	redis_give_text(each, arg, "admin_status", p->config.admin_up ? "up" : "down");
	redis_give_text(each, arg, "oper_status", p->up ? "up" : "down");
	redis_textf(&v, "etp%u", p->port + 1);
	redis_give(each, arg, "alias", &v);
	/* The description is the planned neighbour, not the current one. */
	redis_text(&v, "");
	if (far)
		redis_textf(&v, "%s:%s", sim_device_of(r->ctx->sim, far)->name, far->name);
	redis_give(each, arg, "description", &v);
	redis_give_text(each, arg, "fec", "rs");
	redis_give_u64(each, arg, "index", p->port + 1);
	redis_textf(&v, "%u,%u,%u,%u", lane, lane + 1, lane + 2, lane + 3);
	redis_give(each, arg, "lanes", &v);
	redis_give_u64(each, arg, "mtu", p->config.mtu);
	redis_give_text(each, arg, "pfc_asym", "off");
	/* The configured speed; STATE_DB has the trained one. */
	redis_give_u64(each, arg, "speed", p->plan_mbps);
	redis_give_text(each, arg, "tpid", "0x8100");
	redis_give_u64(each, arg, "flap_count", p->carrier_up + p->carrier_down);
	give_changes(r, p, each, arg);
}

static void state_port(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_port *p = row->port;

	(void)r;
	redis_give_text(each, arg, "state", "ok");
	redis_give_text(each, arg, "netdev_oper_status", p->up ? "up" : "down");
	redis_give_text(each, arg, "admin_status", p->config.admin_up ? "up" : "down");
	redis_give_u64(each, arg, "mtu", p->config.mtu);
	redis_give_text(each, arg, "host_tx_ready", p->config.admin_up ? "true" : "false");
	redis_give_text(each, arg, "supported_speeds", "400000,200000,100000");
	redis_give_text(each, arg, "supported_fecs", "none,rs,auto");
	redis_give_text(each, arg, "rmt_adv_speeds", "N/A");
	redis_give_u64(each, arg, "speed", p->speed_mbps);
	redis_give_text(each, arg, "fec", p->up ? "rs" : "N/A");
}

static void lldp_entry(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	struct lldp_peer peer;

	if (!personality_lldp(r->ctx, row->port, &peer))
		return;
	redis_give_text(each, arg, "lldp_rem_port_id_subtype", peer.local_id ? "7" : "5");
	redis_give_text(each, arg, "lldp_rem_port_id", peer.port_id);
	redis_give_text(each, arg, "lldp_rem_port_desc", peer.port_descr);
	redis_give_text(each, arg, "lldp_rem_chassis_id_subtype", "4");
	redis_give_text(each, arg, "lldp_rem_chassis_id", peer.chassis_id);
	redis_give_text(each, arg, "lldp_rem_sys_name", peer.name);
	redis_give_text(each, arg, "lldp_rem_sys_desc", peer.system);
	redis_give_text(each, arg, "lldp_rem_man_addr", peer.address);
	redis_give_u64(each, arg, "lldp_rem_time_mark", 18543 + row->port->carrier_up);
	redis_give_text(each, arg, "lldp_rem_index", "1");
	redis_give_text(each, arg, "lldp_rem_sys_cap_supported", "28 00");
	redis_give_text(each, arg, "lldp_rem_sys_cap_enabled", "28 00");
}

static void in_storm(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	char name[4];

	(void)r;
	for (unsigned i = 0; i < 8; i++) {
		if (!row->port->q[i].wd_stormed || !(row->port->config.wd_mask >> i & 1))
			continue;
		(void)snprintf(name, sizeof(name), "%u", i);
		redis_give_text(each, arg, name, "storm");
	}
}

static void bgp_state(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	const struct sim_bgp *b = &row->port->bgp;

	(void)r;
	redis_give_text(each, arg, "state",
		b->established ? "Established"
		: b->shut      ? "Idle"
			       : "Active");
	redis_give_text(each, arg, "peerType", "e-BGP");
}

/* ---- counter capabilities of this ASIC ---- */

static const char *const queue_counters[] = {"WRED_ECN_QUEUE_ECN_MARKED_PKT_COUNTER",
	"WRED_ECN_QUEUE_ECN_MARKED_BYTE_COUNTER", "WRED_ECN_QUEUE_WRED_DROPPED_PKT_COUNTER",
	"WRED_ECN_QUEUE_WRED_DROPPED_BYTE_COUNTER", NULL};
static const char *const port_counters[] = {"WRED_ECN_PORT_WRED_GREEN_DROP_COUNTER",
	"WRED_ECN_PORT_WRED_YELLOW_DROP_COUNTER", "WRED_ECN_PORT_WRED_RED_DROP_COUNTER",
	"WRED_ECN_PORT_WRED_TOTAL_DROP_COUNTER", NULL};

static void give_supported(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "isSupported", "true");
}

static void not_supported(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)r, (void)row;
	redis_give_text(each, arg, "isSupported", "false");
}

static void switch_capability(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_text(each, arg, "MIRROR", "true");
	redis_give_text(each, arg, "MIRRORV6", "true");
	redis_give_text(each, arg, "PORT_TPID_CAPABLE", "true");
	redis_give_text(
		each, arg, "PFC_DLR_INIT_CAPABLE", r->d->platform->pause_us ? "false" : "true");
}

static void buffer_max(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_u64(each, arg, "mmu_size", r->d->platform->pause_us ? 160563200 : 119275520);
}

/* ---- device data ---- */

static const char *const eeprom_rows[] = {"0x21", "0x23", "0x24", "0x28", NULL};

static void give_eeprom(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	static const char *const names[] = {
		"Product Name", "Serial Number", "Base MAC Address", "Platform Name"};
	const char *const values[] = {
		r->d->model, r->d->serial, r->d->mac_base, sonic_platform_name(r->d)};

	redis_give_text(each, arg, "Name", names[row->index]);
	redis_give_u64(each, arg, "Len", row->index == 2 ? 6 : strlen(values[row->index]));
	redis_give_text(each, arg, "Value", values[row->index]);
}

static void reboot_cause(
	const struct redis *r, const struct redis_row *row, redis_field_fn each, void *arg)
{
	(void)row;
	redis_give_text(each, arg, "cause", "reboot");
	redis_give_text(each, arg, "comment", "N/A");
	redis_give_text(each, arg, "user", "admin");
	redis_give_time(each, arg, "time", r->d->boot_us + r->d->clock_skew_us);
}

/* The key contains the boot time: REBOOT_CAUSE|2025_11_20_21_06_36 */
static void reboot_key(const struct redis *r, char dst[24])
{
	char utc[32];

	(void)clock_format_utc(r->d->boot_us + r->d->clock_skew_us, utc, sizeof(utc));
	(void)str_copyn(dst, 24, utc, 19);
	for (char *p = dst; *p; p++)
		if (*p == '-' || *p == ':' || *p == 'T')
			*p = '_';
}

static bool open_reboot(const struct redis *r, const char *rest, size_t n, struct redis_row *row)
{
	char key[24];

	(void)row;
	reboot_key(r, key);
	return n == strlen(key) && !memcmp(key, rest, n);
}

static void keys_reboot(
	const struct redis *r, const struct redis_table *t, redis_key_fn each, void *arg)
{
	char stamp[24], key[64];

	reboot_key(r, stamp);
	(void)snprintf(key, sizeof(key), "%s%s", t->prefix, stamp);
	each(arg, key);
}

const struct redis_table redis_state_tables[] = {
	{APPL_DB, "PORT_TABLE:", REDIS_PORTS, appl_port, NULL, NULL},
	{APPL_DB, "PFC_WD_TABLE_INSTORM:", REDIS_PORTS, in_storm, NULL, NULL},
	{APPL_DB, "LLDP_ENTRY_TABLE:", REDIS_PORTS, lldp_entry, NULL, NULL},
	{STATE_DB, "PORT_TABLE|", REDIS_PORTS, state_port, NULL, NULL},
	{STATE_DB, "NEIGH_STATE_TABLE|", REDIS_NEIGHBORS, bgp_state, NULL, NULL},
	{STATE_DB, "QUEUE_COUNTER_CAPABILITIES|", REDIS_NAMED, give_supported, NULL,
		queue_counters},
	{STATE_DB, "PORT_COUNTER_CAPABILITIES|", REDIS_NAMED, not_supported, NULL, port_counters},
	{STATE_DB, "SWITCH_CAPABILITY|switch", REDIS_SINGLE, switch_capability, NULL, NULL},
	{STATE_DB, "BUFFER_MAX_PARAM_TABLE|global", REDIS_SINGLE, buffer_max, NULL, NULL},
	{STATE_DB, "EEPROM_INFO|", REDIS_NAMED, give_eeprom, NULL, eeprom_rows},
	{STATE_DB, "REBOOT_CAUSE|", open_reboot, keys_reboot, reboot_cause, NULL, NULL},
	{0, NULL, NULL, NULL, NULL, NULL, NULL},
};
