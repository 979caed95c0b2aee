/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

static int print_fec(
	const struct machine *m, const struct sim_port *p, bool with_statistics, struct buf *out)
{
	unsigned i;

	(void)buf_addf(out,
		"FEC parameters for %s:\nSupported/Configured FEC encodings: RS\n"
		"Active FEC encoding: %s\n",
		p->name, p->up ? "RS" : "None");
	if (!with_statistics)
		return 0;
	(void)buf_addf(out,
		"Statistics:\n  corrected_blocks: %llu\n  uncorrectable_blocks: %llu\n"
		"  corrected_bits: %llu\n",
		(unsigned long long)p->fec_corrected, (unsigned long long)p->fec_uncorrectable,
		(unsigned long long)p->fec_corrected_bits);
	/* Codewords by number of corrected symbols; uncorrectable ones are counted above. */
	for (i = 0; !linux_is_switch(m->d) && i < 16; i++)
		(void)buf_addf(
			out, "  fec_symbols_err_%u: %llu\n", i, (unsigned long long)p->fec_bin[i]);
	return 0;
}

static int print_pause(const struct sim_port *p, bool with_statistics, struct buf *out)
{
	/* 802.3x pause is off because PFC is on. */
	(void)buf_addf(out,
		"Pause parameters for %s:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n", p->name);
	if (with_statistics)
		(void)buf_adds(out, "Statistics:\n  tx_pause_frames: 0\n  rx_pause_frames: 0\n");
	(void)buf_add(out, "\n", 1);
	return 0;
}

static void print_modes(struct buf *out, const char *title)
{
	static const char *const all[] = {"100000baseKR/Full", "100000baseCR/Full",
		"200000baseKR2/Full", "200000baseCR2/Full", "400000baseKR4/Full",
		"400000baseSR4/Full", "400000baseLR4_ER4_FR4/Full", "400000baseDR4/Full",
		"400000baseCR4/Full"};
	size_t i;

	(void)buf_addf(out, "\t%s link modes:  %s\n", title, title[0] == 'S' ? " " : "");
	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		(void)buf_addf(out, "\t                        %s\n", all[i]);
}

static int print_settings(const struct sim_port *p, bool with_statistics, struct buf *out)
{
	(void)buf_addf(out, "Settings for %s:\n\tSupported ports: [ \t FIBRE ]\n", p->name);
	print_modes(out, "Supported");
	(void)buf_adds(out,
		"\tSupported pause frame use: Symmetric\n\tSupports auto-negotiation: Yes\n"
		"\tSupported FEC modes: \t RS\n");
	print_modes(out, "Advertised");
	(void)buf_adds(out, "\tAdvertised pause frame use: No\n\tAdvertised auto-negotiation: Yes\n"
			    "\tAdvertised FEC modes: \t RS\n");
	personality_ethtool_speed(p, out);
	(void)buf_addf(out,
		"\tAuto-negotiation: on\n\tPort: FIBRE\n\tPHYAD: 0\n\tTransceiver: internal\n"
		"\tSupports Wake-on: d\n\tWake-on: d\n"
		"        Current message level: 0x00000004 (4)\n                               "
		"link\n"
		"\tLink detected: %s\n",
		p->up                ? "yes"
		: p->config.admin_up ? "no (No cable)"
				     : "no");
	if (with_statistics)
		(void)buf_addf(
			out, "\tLink Down Events: %llu\n", (unsigned long long)p->carrier_down);
	return 0;
}

static int print_driver(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	char pci[16];
	bool nic = !linux_is_switch(m->d);
	const struct nic_kind *kind = linux_nic(m->d);
	char firmware[64] = "34.2014.1676";

	if (nic)
		(void)str_printf(firmware, sizeof(firmware), *kind->board ? "%s (%s)" : "%s%s",
			kind->firmware, kind->board);

	linux_pci(m->d, p->port, pci);
	(void)buf_addf(out,
		"driver: %s\nversion: %s\nfirmware-version: %s\nexpansion-rom-version: \n"
		"bus-info: %s\nsupports-statistics: yes\nsupports-test: %s\n"
		"supports-eeprom-access: no\nsupports-register-dump: no\nsupports-priv-flags: %s\n",
		nic ? kind->driver : "mlxsw_spectrum4", nic ? kind->version : "1.0", firmware,
		nic ? pci : "0000:01:00.0", nic ? "yes" : "no", nic ? "yes" : "no");
	return 0;
}

static int refuse_option(const struct shell_call *c)
{
	(void)buf_adds(c->err, "ethtool: bad command line argument(s)\n"
			       "For more information run ethtool -h\n");
	return 1;
}

/* Blinks for some seconds. The light stays on until a command with a second or less. */
static int identify_port(
	struct machine *m, struct sim_port *p, const struct shell_call *c, const char *seconds)
{
	struct sim_port_config config = p->config;
	uint64_t n = 0;

	if (!c->root) {
		(void)buf_adds(c->err, "Cannot identify NIC: Operation not permitted\n");
		return 1;
	}
	if (seconds && !str_to_u64(seconds, &n))
		return refuse_option(c);
	config.beacon = !seconds || n > 1;
	if (config.beacon != p->config.beacon)
		sim_configure(m->ctx->sim, p, &config, "root");
	return 0;
}

/* pkill -f PATTERN: only the processes that blink a port can be ended here. */
int linux_pkill(struct machine *m, const struct shell_call *c)
{
	const char *pattern = linux_word_after(c, "-f");
	char line[64];
	bool any = false;

	for (unsigned i = 0; pattern && i < m->d->nports; i++) {
		struct sim_port *p = &m->d->ports[i];
		struct sim_port_config config = p->config;

		(void)str_printf(line, sizeof(line), "^ethtool -p %s ", p->name);
		if (!config.beacon || strcmp(line, pattern) != 0)
			continue;
		if (!c->root) {
			(void)buf_adds(c->err,
				"pkill: killing pid 6142 failed: Operation not permitted\n");
			return 1;
		}
		config.beacon = false;
		sim_configure(m->ctx->sim, p, &config, "root");
		any = true;
	}
	return any ? 0 : 1;
}

static int show_flags(const struct machine *m, const struct sim_port *p, const struct shell_call *c)
{
	if (linux_is_switch(m->d)) {
		(void)buf_adds(c->err, "netlink error: Operation not supported\n");
		return 1;
	}
	(void)buf_addf(c->out,
		"Private flags for %s:\nrx_cqe_moder       : on\nrx_striding_rq     : on\n",
		p->name);
	return 0;
}

/* The first slave of a bond by the bond's name; NULL: there is no such bond. */
static const struct sim_port *slave_of(const struct machine *m, const char *netdev)
{
	char name[16];

	for (unsigned i = 0; i < m->d->nports; i++) {
		linux_bond_name(&m->d->ports[i], name);
		if (linux_is_first_slave(&m->d->ports[i]) && str_eq(name, netdev))
			return &m->d->ports[i];
	}
	return NULL;
}

/* The kernel's bonding driver has a speed and nothing of hardware. */
static int bond_option(
	const struct machine *m, const struct shell_call *c, const char *what, int at)
{
	const struct sim_port *p = slave_of(m, c->argv[at]);
	unsigned mbps = (p->up ? p->speed_mbps : 0) + (p->bond->up ? p->bond->speed_mbps : 0);

	if (what && (!strcmp(what, "-i") || !strcmp(what, "--driver"))) {
		(void)buf_adds(c->out, "driver: bonding\nversion: " LINUX_KERNEL
				       "\nfirmware-version: 2\nexpansion-rom-version: \n"
				       "bus-info: \nsupports-statistics: no\n");
		return 0;
	}
	if (what) {
		(void)buf_adds(c->err, !strcmp(what, "-S")
					       ? "no stats available\n"
					       : "netlink error: Operation not supported\n");
		return 1;
	}
	(void)buf_addf(c->out, "Settings for %s:\n", c->argv[at]);
	if (mbps)
		(void)buf_addf(c->out, "\tSpeed: %uMb/s\n\tDuplex: Full\n", mbps);
	else
		(void)buf_adds(c->out, "\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n");
	(void)buf_addf(c->out, "\tAuto-negotiation: off\n\tPort: Other\n\tLink detected: %s\n",
		mbps ? "yes" : "no");
	return 0;
}

static int run_option(
	struct machine *m, const struct shell_call *c, const char *what, bool include, int at)
{
	struct sim_port *p = linux_port(m, c->argv[at]);

	if (!p && slave_of(m, c->argv[at]))
		return bond_option(m, c, what, at);
	if (!p) {
		(void)buf_adds(c->err, "netlink error: No such device\n");
		return 1;
	}
	if (!what)
		return print_settings(p, include, c->out);
	if (!strcmp(what, "-S") || !strcmp(what, "--statistics"))
		return linux_is_switch(m->d)      ? linux_switch_statistics(m, p, c->out)
		       : linux_nic(m->d)->is_mlx5 ? linux_ethtool_statistics(m, p, c->out)
						  : linux_other_statistics(m->d, p, c->out);
	if (!strcmp(what, "--show-fec"))
		return print_fec(m, p, include, c->out);
	if (!strcmp(what, "-a") || !strcmp(what, "--show-pause"))
		return print_pause(p, include, c->out);
	if (!strcmp(what, "-i") || !strcmp(what, "--driver"))
		return print_driver(m, p, c->out);
	if (!strcmp(what, "-m") || !strcmp(what, "--module-info"))
		return linux_ethtool_module(p, c->out);
	if (!strcmp(what, "-p") || !strcmp(what, "--identify"))
		return identify_port(m, p, c, at + 1 < c->argc ? c->argv[at + 1] : NULL);
	if (!strcmp(what, "--show-priv-flags"))
		return show_flags(m, p, c);
	if (!strcmp(what, "--get-tunable") && !linux_is_switch(m->d) && !linux_nic(m->d)->is_mlx5) {
		(void)buf_adds(c->err, "netlink error: Operation not supported\n");
		return 1;
	}
	if (!strcmp(what, "--get-tunable") && !linux_is_switch(m->d)) {
		(void)buf_adds(c->out, "pfc-prevention-tout: 8000\n");
		return 0;
	}
	return refuse_option(c);
}

static int print_object(const struct machine *m, const struct shell_call *c, const char *what,
	bool include, const char *netdev)
{
	const struct sim_port *p = linux_port(m, netdev);
	json_t *o = p ? linux_ethtool_json(p, what, include) : NULL;

	if (!p) {
		(void)buf_adds(c->err, "netlink error: No such device\n");
		return 1;
	}
	if (!o) {
		(void)buf_adds(c->err, "ethtool: bad command line argument(s)\n"
				       "JSON output not available for this subcommand\n"
				       "For more information run ethtool -h\n");
		return 1;
	}
	return linux_print_json(c->out, o, JSON_INDENT(8));
}

int linux_ethtool(struct machine *m, const struct shell_call *c)
{
	const char *what = NULL;
	bool include = false, json = false;
	int i;

	for (i = 1; i < c->argc && c->argv[i][0] == '-'; i++) {
		if (!strcmp(c->argv[i], "--version")) {
			(void)buf_addf(c->out, "ethtool version %s\n",
				linux_is_switch(m->d) ? "6.1" : "6.19");
			return 0;
		}
		if (!strcmp(c->argv[i], "-I") || !strcmp(c->argv[i], "--include-statistics"))
			include = true;
		else if (!linux_is_switch(m->d) &&
			 (!strcmp(c->argv[i], "--json") || !strcmp(c->argv[i], "-j")))
			json = true; /* Debian's 6.1 on the switches supports it for too few objects
				      */
		else if (what || !strcmp(c->argv[i], "--json"))
			return refuse_option(c);
		else
			what = c->argv[i];
	}
	if (i >= c->argc)
		return refuse_option(c);
	if (json)
		return print_object(m, c, what, include, c->argv[i]);
	return run_option(m, c, what, include, i);
}
