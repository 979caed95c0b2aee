/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"
#include "emulator/device/sonic/sonic_notes.h"

/* `show interfaces ...` (intfutil, portstat) */

/* True if the command names the port, or names none. */
static bool is_selected(const struct sim_port *p, const char *only)
{
	return !only || only[0] == '-' || str_eq(p->name, only);
}

static int unknown_port(const struct shell_call *c, const char *usage)
{
	return sonic_usage(
		c, usage, "Interface name is invalid. Please enter a valid interface name!!");
}

#define EACH_PORT(m, p, only)                                                                      \
	for (const struct sim_port *p = (m)->d->ports; p < (m)->d->ports + (m)->d->nports; p++)    \
		if (is_selected(p, only))

static void speed_text(unsigned mbps, char dst[16])
{
	if (mbps % 1000)
		(void)str_printf(dst, 16, "%uM", mbps);
	else
		(void)str_printf(dst, 16, "%uG", mbps / 1000);
}

static int show_status(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"Interface", "Lanes", "Speed", "MTU", "FEC", "Alias",
		"Vlan", "Oper", "Admin", "Type", "Asym PFC", NULL};
	struct sonic_table t;
	char speed[16];

	sonic_table_init(&t, titles, "r");
	EACH_PORT(m, p, only)
	{
		unsigned lane = p->port * SONIC_LANES + 1;

		/* The current speed; it differs from the configured one after a bad training. */
		speed_text(p->up ? p->speed_mbps : p->plan_mbps, speed);
		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%u,%u,%u,%u", lane, lane + 1, lane + 2, lane + 3);
		sonic_cell(&t, "%s", speed);
		sonic_cell(&t, "%u", p->config.mtu);
		sonic_cell(&t, "rs");
		sonic_cell(&t, "etp%u", p->port + 1);
		sonic_cell(&t, "routed");
		sonic_cell(&t, "%s", p->up ? "up" : "down");
		sonic_cell(&t, "%s", p->config.admin_up ? "up" : "down");
		sonic_cell(&t, "QSFP-DD Double Density 8X Pluggable Transceiver");
		sonic_cell(&t, "off");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int show_description(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {
		"Interface", "Oper", "Admin", "Alias", "Description", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "r");
	EACH_PORT(m, p, only)
	{
		const struct sim_port *far = p->plan_peer;

		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", p->up ? "up" : "down");
		sonic_cell(&t, "%s", p->config.admin_up ? "up" : "down");
		sonic_cell(&t, "etp%u", p->port + 1);
		if (far)
			sonic_cell(&t, "%s:%s", sim_device_of(m->ctx->sim, far)->name, far->name);
		else
			sonic_cell(&t, "N/A");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int show_alias(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"Name", "Alias", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "l");
	EACH_PORT(m, p, only)
	{
		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "etp%u", p->port + 1);
	}
	sonic_table_print(&t, c->out);
	return 0;
}

/* One field of a port's row; absent ("N/A", "Never") if the field is missing. */
static void field_cell(struct sonic_table *t, const struct redis *r, const char *table,
	const struct sim_port *p, const char *field, const char *absent)
{
	struct redis_value v;
	char key[64];

	(void)str_printf(key, sizeof(key), "%s%s", table, p->name);
	sonic_cell(t, "%s", redis_field(r, key, field, &v) ? v.text : absent);
}

static int show_flap(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"Interface", "Flap Count", "Admin", "Oper",
		"Link Down TimeStamp(UTC)", "Link Up TimeStamp(UTC)", NULL};
	struct sonic_table t;
	struct redis r;

	redis_open(&r, m->ctx, m->d, APPL_DB);
	sonic_table_init(&t, titles, "l");
	EACH_PORT(m, p, only)
	{
		sonic_cell(&t, "%s", p->name);
		field_cell(&t, &r, "PORT_TABLE:", p, "flap_count", "Never");
		sonic_cell(&t, "%s", p->config.admin_up ? "Up" : "Down");
		sonic_cell(&t, "%s", p->up ? "Up" : "Down");
		field_cell(&t, &r, "PORT_TABLE:", p, "last_down_time", "Never");
		field_cell(&t, &r, "PORT_TABLE:", p, "last_up_time", "Never");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int show_neighbor(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"LocalPort", "Neighbor", "NeighborPort",
		"NeighborLoopback", "NeighborMgmt", "NeighborType", NULL};
	struct sonic_table t;
	char address[24];

	if (!str_eq(only, "expected"))
		return sonic_no_command(c, "show interfaces neighbor", only);
	sonic_table_init(&t, titles, "l");
	EACH_PORT(m, p, NULL)
	{
		const struct sim_port *far = p->plan_peer;

		if (!far)
			continue;
		personality_address(sim_device_of(m->ctx->sim, far), address);
		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", sim_device_of(m->ctx->sim, far)->name);
		sonic_cell(&t, "%s", far->name);
		sonic_cell(&t, "None");
		sonic_cell(&t, "%s", address);
		sonic_cell(&t, "%s", far->tier == TIER_HOST ? "Server" : "LeafRouter");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int show_fec(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"Interface", "FEC Oper", "FEC Admin", NULL};
	struct sonic_table t;

	if (!str_eq(only, "status"))
		return sonic_no_command(c, "show interfaces fec", only);
	sonic_table_init(&t, titles, "r");
	EACH_PORT(m, p, c->argc > 4 ? c->argv[4] : NULL)
	{
		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", p->up ? "rs" : "N/A");
		sonic_cell(&t, "rs");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

/* ---- counters ---- */

static const char *state_letter(const struct sim_port *p)
{
	return p->up ? "U" : p->config.admin_up ? "D" : "X";
}

/* portstat's units: bytes per second with a decimal prefix. */
static void rate_cell(struct sonic_table *t, double bytes_ps)
{
	if (bytes_ps > 10e6)
		sonic_cell(t, "%.2f MB/s", bytes_ps / 1e6);
	else if (bytes_ps > 10e3)
		sonic_cell(t, "%.2f KB/s", bytes_ps / 1e3);
	else
		sonic_cell(t, "%.2f B/s", bytes_ps);
}

static void put_direction(struct sonic_table *t, const struct sim_port *p, bool rx)
{
	double ps = rx ? p->rx_bytes_ps : p->tx_bytes_ps;

	sonic_cell_number(t, rx ? p->rx_packets : p->tx_packets);
	rate_cell(t, ps);
	sonic_cell(t, "%.2f%%", p->speed_mbps ? ps * 8e-4 / p->speed_mbps : 0);
	sonic_cell_number(t, rx ? p->rx_errors : p->tx_errors);
	sonic_cell_number(t, rx ? p->rx_discards : p->tx_discards);
	sonic_cell_number(t, 0);
}

static int print_counters(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"IFACE", "STATE", "RX_OK", "RX_BPS", "RX_UTIL",
		"RX_ERR", "RX_DRP", "RX_OVR", "TX_OK", "TX_BPS", "TX_UTIL", "TX_ERR", "TX_DRP",
		"TX_OVR", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "r");
	EACH_PORT(m, port, only)
	{
		const struct sim_port *p = sonic_counted(m->ctx, m->d, port, SONIC_PORT);

		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", state_letter(p));
		put_direction(&t, p, true);
		put_direction(&t, p, false);
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int counter_errors(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {
		"IFACE", "STATE", "RX_ERR", "RX_DRP", "RX_OVR", "TX_ERR", "TX_DRP", "TX_OVR", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "r");
	EACH_PORT(m, port, only)
	{
		const struct sim_port *p = sonic_counted(m->ctx, m->d, port, SONIC_PORT);

		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", state_letter(p));
		sonic_cell_number(&t, p->rx_errors);
		sonic_cell_number(&t, p->rx_discards);
		sonic_cell_number(&t, 0);
		sonic_cell_number(&t, p->tx_errors);
		sonic_cell_number(&t, p->tx_discards);
		sonic_cell_number(&t, 0);
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int fec_stats(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"IFACE", "STATE", "FEC_CORR", "FEC_UNCORR",
		"FEC_SYMBOL_ERR", "FEC_PRE_BER", "FEC_POST_BER", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "r");
	EACH_PORT(m, port, only)
	{
		const struct sim_port *p = sonic_counted(m->ctx, m->d, port, SONIC_PORT);

		sonic_cell(&t, "%s", p->name);
		sonic_cell(&t, "%s", state_letter(p));
		sonic_cell_number(&t, p->fec_corrected);
		sonic_cell_number(&t, p->fec_uncorrectable);
		sonic_cell_number(&t, p->fec_symbol_errors);
		sonic_cell(&t, "%.2e", p->pre_fec_ber);
		sonic_cell(&t, "0.00e+00");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int fec_histogram(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"Symbol Errors Per Codeword", "Codewords", NULL};
	const struct sim_port *p = only ? sonic_port(m, only) : NULL;
	struct sonic_table t;

	if (!only)
		return sonic_usage(c,
			"show interfaces counters fec-histogram [OPTIONS] <interface_name>",
			"Missing argument '<interface_name>'.");
	if (!p)
		return unknown_port(
			c, "show interfaces counters fec-histogram [OPTIONS] <interface_name>");
	p = sonic_counted(m->ctx, m->d, p, SONIC_PORT);
	sonic_table_init(&t, titles, "lr");
	for (unsigned i = 0; i < 16; i++) {
		sonic_cell(&t, "BIN%u", i);
		if (m->d->platform->fec_bins)
			sonic_cell(&t, "%llu", (unsigned long long)p->fec_bin[i]);
		else
			sonic_cell(&t, "N/A");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

static int show_counters(struct machine *m, const struct shell_call *c, const char *word)
{
	const char *next = c->argc > 4 ? c->argv[4] : NULL;

	if (!word || word[0] == '-')
		return print_counters(m, c, str_eq(word, "-i") ? next : NULL);
	if (str_eq(word, "errors"))
		return counter_errors(m, c, next);
	if (str_eq(word, "fec-stats"))
		return fec_stats(m, c, next);
	if (str_eq(word, "fec-histogram"))
		return fec_histogram(m, c, next);
	return sonic_no_command(c, "show interfaces counters", word);
}

int sonic_show_interfaces(struct machine *m, const struct shell_call *c)
{
	static const struct {
		const char *word;
		int (*run)(struct machine *m, const struct shell_call *c, const char *next);
		bool takes_port;
	} all[] = {
		{"status", show_status, true},
		{"description", show_description, true},
		{"alias", show_alias, true},
		{"flap", show_flap, true},
		{"neighbor", show_neighbor, false},
		{"fec", show_fec, false},
		{"counters", show_counters, false},
	};
	const char *word = c->argc > 2 ? c->argv[2] : NULL;
	const char *next = c->argc > 3 ? c->argv[3] : NULL;
	char usage[96];

	if (str_eq(word, "transceiver"))
		return sonic_transceiver(m, c);
	for (size_t i = 0; word && i < sizeof(all) / sizeof(all[0]); i++) {
		if (!str_eq(all[i].word, word))
			continue;
		if (!all[i].takes_port || !next || next[0] == '-' || sonic_port(m, next))
			return all[i].run(m, c, next);
		(void)str_printf(usage, sizeof(usage),
			"show interfaces %s [OPTIONS] <interface_name>", word);
		return unknown_port(c, usage);
	}
	return sonic_no_command(c, "show interfaces", word);
}
