/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "emulator/device/sonic/dev_sonic.h"

/* `show interfaces transceiver ...` (sfputil show, sfpshow) */

static const char *get_field(const struct redis *r, const char *table, const struct sim_port *p,
	const char *name, struct redis_value *v)
{
	char key[64];

	(void)str_printf(key, sizeof(key), "%s|%s", table, p->name);
	return redis_field(r, key, name, v) ? v->text : "N/A";
}

static void print_info(const struct redis *r, const struct sim_port *p, struct buf *out)
{
	static const struct {
		const char *title, *field;
	} lines[] = {
		{"Application Advertisement", "application_advertisement"},
		{"Connector", "connector"},
		{"Encoding", "encoding"},
		{"Extended Identifier", "ext_identifier"},
		{"Identifier", "type"},
		{"Length Cable Assembly(m)", "cable_length"},
		{"Nominal Bit Rate(100Mbs)", "nominal_bit_rate"},
		{"Specification compliance", "specification_compliance"},
		{"Vendor Date Code(YYYY-MM-DD Lot)", "vendor_date"},
		{"Vendor Name", "manufacturer"},
		{"Vendor OUI", "vendor_oui"},
		{"Vendor PN", "model"},
		{"Vendor Rev", "vendor_rev"},
		{"Vendor SN", "serial"},
	};
	struct redis_value v;

	(void)buf_addf(out, "%s: SFP EEPROM detected\n", p->name);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		(void)buf_addf(out, "        %s: %s\n", lines[i].title,
			get_field(r, "TRANSCEIVER_INFO", p, lines[i].field, &v));
}

static void print_power(const struct redis *r, const struct sim_port *p, const char *fmt,
	unsigned lane, struct buf *out)
{
	struct redis_value v;
	char name[16];
	bool rx = fmt[0] == 'r', bias = fmt[2] == 'b';

	(void)snprintf(name, sizeof(name),
		rx     ? "rx%upower"
		: bias ? "tx%ubias"
		       : "tx%upower",
		lane);
	(void)get_field(r, "TRANSCEIVER_DOM_SENSOR", p, name, &v);
	(void)buf_addf(out, "                %s%u%s: %s%s\n", rx ? "RX" : "TX", lane,
		bias ? "Bias" : "Power", v.text,
		str_eq(v.text, "N/A") ? ""
		: bias                ? "mA"
				      : "dBm");
}

static void print_thresholds(
	const struct redis *r, const struct sim_port *p, bool module, struct buf *out)
{
	static const struct {
		const char *title, *field, *unit;
		bool module;
	} all[] = {
		{"RxPower", "rxpower", "dBm", false},
		{"TxBias", "txbias", "mA", false},
		{"TxPower", "txpower", "dBm", false},
		{"Temp", "temp", "C", true},
		{"Vcc", "vcc", "Volts", true},
	};
	static const char *const ends[4][2] = {{"HighAlarm  ", "highalarm"},
		{"HighWarning", "highwarning"}, {"LowAlarm   ", "lowalarm"},
		{"LowWarning ", "lowwarning"}};
	struct redis_value v;
	char name[32];

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (size_t k = 0; k < 4 && all[i].module == module; k++) {
			(void)snprintf(name, sizeof(name), "%s%s", all[i].field, ends[k][1]);
			(void)buf_addf(out, "                %s%s: %s%s\n", all[i].title,
				ends[k][0], get_field(r, "TRANSCEIVER_DOM_THRESHOLD", p, name, &v),
				all[i].unit);
		}
	}
}

static void print_dom(const struct redis *r, const struct sim_port *p, struct buf *out)
{
	struct redis_value v;

	(void)buf_adds(out, "        ChannelMonitorValues:\n");
	for (unsigned i = 1; i <= p->lanes && i <= 8; i++)
		print_power(r, p, "rxpower", i, out);
	for (unsigned i = 1; i <= p->lanes && i <= 8; i++)
		print_power(r, p, "txbias", i, out);
	for (unsigned i = 1; i <= p->lanes && i <= 8; i++)
		print_power(r, p, "txpower", i, out);
	(void)buf_adds(out, "        ChannelThresholdValues:\n");
	print_thresholds(r, p, false, out);
	(void)buf_adds(out, "        ModuleMonitorValues:\n");
	(void)buf_addf(out, "                Temperature: %sC\n",
		get_field(r, "TRANSCEIVER_DOM_SENSOR", p, "temperature", &v));
	(void)buf_addf(out, "                Vcc: %sVolts\n",
		get_field(r, "TRANSCEIVER_DOM_SENSOR", p, "voltage", &v));
	(void)buf_adds(out, "        ModuleThresholdValues:\n");
	print_thresholds(r, p, true, out);
}

static void print_status(const struct redis *r, const struct sim_port *p, struct buf *out)
{
	static const struct {
		const char *title, *field;
	} flags[] = {{"Tx fault flag on media lane", "tx%ufault"},
		{"Rx loss of signal flag on media lane", "rx%ulos"},
		{"TX disable status on lane", "tx%udisable"}};
	struct redis_value v;
	char name[32];

	(void)buf_addf(out, "%s: \n        CMIS State (SW): %s\n", p->name,
		get_field(r, "TRANSCEIVER_STATUS_SW", p, "cmis_state", &v));
	for (size_t k = 0; k < 3; k++) {
		for (unsigned i = 1; i <= 8; i++) {
			(void)snprintf(name, sizeof(name), "%.2s%u%s", flags[k].field, i,
				flags[k].field + 4);
			(void)buf_addf(out, "        %s %u: %s\n", flags[k].title, i,
				get_field(r,
					k == 2 ? "TRANSCEIVER_STATUS" : "TRANSCEIVER_STATUS_FLAG",
					p, name, &v));
		}
	}
	(void)buf_addf(out,
		"        Current module state: %s\n        Reason of entering the module fault "
		"state: No Fault detected\n",
		get_field(r, "TRANSCEIVER_STATUS", p, "module_state", &v));
}

static int show_presence(struct machine *m, const struct shell_call *c, const char *only)
{
	static const char *const titles[] = {"Port", "Presence", NULL};
	struct sonic_table t;

	sonic_table_init(&t, titles, "l");
	for (unsigned i = 0; i < m->d->nports; i++) {
		if (only && !str_eq(only, m->d->ports[i].name))
			continue;
		sonic_cell(&t, "%s", m->d->ports[i].name);
		sonic_cell(&t, "Present");
	}
	sonic_table_print(&t, c->out);
	return 0;
}

int sonic_transceiver(struct machine *m, const struct shell_call *c)
{
	const char *word = c->argc > 3 ? c->argv[3] : NULL, *only = NULL;
	bool with_dom = false;
	struct redis r;

	if (!str_eq(word, "eeprom") && !str_eq(word, "info") && !str_eq(word, "presence") &&
		!str_eq(word, "status"))
		return sonic_no_command(c, "show interfaces transceiver", word);
	for (int i = 4; i < c->argc; i++) {
		if (str_eq(c->argv[i], "-d") || str_eq(c->argv[i], "--dom"))
			with_dom = true;
		else if (c->argv[i][0] != '-')
			only = c->argv[i];
	}
	if (str_eq(word, "presence"))
		return show_presence(m, c, only);
	redis_open(&r, m->ctx, m->d, STATE_DB);
	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];

		if (only && !str_eq(only, p->name))
			continue;
		if (str_eq(word, "status"))
			print_status(&r, p, c->out);
		else
			print_info(&r, p, c->out);
		if (with_dom && str_eq(word, "eeprom"))
			print_dom(&r, p, c->out);
		(void)buf_adds(c->out, "\n");
	}
	return 0;
}
