/* SPDX-License-Identifier: Apache-2.0 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/cumulus/dev_cumulus.h"
#include "emulator/device/linux/dev_linux.h"

/* Linux tools of the switch: ip, ethtool, decode-syseeprom. */

static bool has_word(const struct shell_call *c, const char *word)
{
	int i;

	for (i = 1; i < c->argc; i++)
		if (!strcmp(c->argv[i], word))
			return true;
	return false;
}

static int print_json(struct buf *out, json_t *o)
{
	char *text = json_dumps(o, JSON_COMPACT);

	json_decref(o);
	(void)buf_addf(out, "%s\n", text ? text : "");
	free(text);
	return text ? 0 : 1;
}

/* ---- ip ---- */

static json_t *ip_counts(uint64_t bytes, uint64_t packets, uint64_t errors, uint64_t dropped)
{
	return json_pack("{s:o,s:o,s:o,s:o}", "bytes", cumulus_u64(bytes), "packets",
		cumulus_u64(packets), "errors", cumulus_u64(errors), "dropped",
		cumulus_u64(dropped));
}

static json_t *ip_link(const struct machine *m, const struct sim_port *p, bool statistics)
{
	char mac[18];
	json_t *o, *rx, *tx;

	personality_mac(m->d, p->port, mac);
	o = json_pack("{s:i,s:s,s:o,s:i,s:s,s:s,s:s,s:s,s:i,s:s,s:s,s:s}", "ifindex",
		(int)p->port + 3, "ifname", p->name, "flags",
		p->up ? json_pack("[ssss]", "BROADCAST", "MULTICAST", "UP", "LOWER_UP")
		: p->config.admin_up
			? json_pack("[ssss]", "NO-CARRIER", "BROADCAST", "MULTICAST", "UP")
			: json_pack("[ss]", "BROADCAST", "MULTICAST"),
		"mtu", (int)p->config.mtu, "qdisc", "pfifo_fast", "operstate",
		p->up ? "UP" : "DOWN", "linkmode", "DEFAULT", "group", "default", "txqlen", 1000,
		"link_type", "ether", "address", mac, "broadcast", "ff:ff:ff:ff:ff:ff");
	if (!statistics)
		return o;
	rx = ip_counts(p->rx_bytes, p->rx_packets, p->rx_errors, p->rx_discards);
	tx = ip_counts(p->tx_bytes, p->tx_packets, p->tx_errors, p->tx_discards);
	(void)json_object_set_new(rx, "over_errors", json_integer(0));
	(void)json_object_set_new(rx, "multicast", json_integer(0));
	(void)json_object_set_new(tx, "carrier_errors", json_integer(0));
	(void)json_object_set_new(tx, "collisions", json_integer(0));
	(void)json_object_set_new(
		tx, "carrier_changes", cumulus_u64(p->carrier_up + p->carrier_down));
	(void)json_object_set_new(o, "stats64", json_pack("{s:o,s:o}", "rx", rx, "tx", tx));
	return o;
}

/* ip link set dev swp1 up|down */
static int ip_set(struct machine *m, const struct shell_call *c)
{
	struct sim_port_config config;
	struct sim_port *p = NULL;
	int i;

	for (i = 1; i < c->argc && !p; i++)
		p = cumulus_port(m, c->argv[i]);
	if (!p) {
		(void)buf_addf(c->err, "Cannot find device \"%s\"\n", c->argv[c->argc - 1]);
		return 1;
	}
	if (!c->root) {
		(void)buf_adds(c->err, "RTNETLINK answers: Operation not permitted\n");
		return 2;
	}
	config = p->config;
	config.admin_up = has_word(c, "up") || (config.admin_up && !has_word(c, "down"));
	sim_configure(m->ctx->sim, p, &config, "root");
	return 0;
}

int cumulus_ip(struct machine *m, const struct shell_call *c)
{
	const struct sim_port *only = NULL;
	json_t *all;
	unsigned i;
	int k;

	if (has_word(c, "set"))
		return ip_set(m, c);
	if (!has_word(c, "link") && !has_word(c, "l")) {
		(void)buf_adds(c->err, "Object is unknown, try \"ip help\".\n");
		return 1;
	}
	for (k = 1; k < c->argc && !only; k++)
		only = cumulus_port(m, c->argv[k]);
	if (!has_word(c, "-j") && !has_word(c, "-json")) {
		for (i = 0; i < m->d->nports; i++) {
			const struct sim_port *p = &m->d->ports[i];

			if (!only || only == p)
				(void)buf_addf(
					c->out, "%-16s %-14s\n", p->name, p->up ? "UP" : "DOWN");
		}
		return 0;
	}
	all = json_array();
	for (i = 0; i < m->d->nports; i++)
		if (!only || only == &m->d->ports[i])
			(void)json_array_append_new(
				all, ip_link(m, &m->d->ports[i], has_word(c, "-s")));
	return print_json(c->out, all);
}

/* ---- ethtool ---- */

static void eth_statistics(const struct sim_port *p, struct buf *out)
{
	uint64_t rx, tx, wred = 0;
	unsigned i;

	personality_pause_frames(p, &rx, &tx);
	for (i = 0; i < 8; i++)
		wred += p->q[i].wred_drops;
	(void)buf_adds(out, "NIC statistics:\n");
#define LINE(name, value) (void)buf_addf(out, "     %s: %llu\n", name, (unsigned long long)(value))
	LINE("HwIfInOctets", p->rx_bytes);
	LINE("HwIfInUcastPkts", p->rx_packets);
	LINE("HwIfInBcastPkts", 0);
	LINE("HwIfInMcastPkts", 0);
	LINE("HwIfOutOctets", p->tx_bytes);
	LINE("HwIfOutUcastPkts", p->tx_packets);
	LINE("HwIfOutMcastPkts", 0);
	LINE("HwIfOutBcastPkts", 0);
	LINE("HwIfInDiscards", p->rx_discards);
	LINE("HwIfInL3Drops", 0);
	LINE("HwIfInBufferDrops", p->rx_discards);
	LINE("HwIfInAclDrops", 0);
	LINE("HwIfInDot3LengthErrors", 0);
	LINE("HwIfInErrors", p->rx_errors);
	LINE("HwIfInDot3FrameErrors", p->rx_fcs_errors);
	LINE("SoftInErrors", 0);
	LINE("SoftInDrops", 0);
	LINE("SoftInFrameErrors", 0);
	LINE("HwIfOutDiscards", p->tx_discards);
	LINE("HwIfOutErrors", p->tx_errors);
	LINE("HwIfOutQDrops", p->tx_discards);
	LINE("HwIfOutNonQDrops", 0);
	LINE("SoftOutErrors", 0);
	LINE("SoftOutDrops", 0);
	LINE("HwIfInPausePkt", rx);
	LINE("HwIfOutPausePkt", tx);
	for (i = 0; i < 8; i++)
		(void)buf_addf(out, "     HwIfInPfc%uPkt: %llu\n     HwIfOutPfc%uPkt: %llu\n", i,
			(unsigned long long)p->q[i].pfc_rx_frames, i,
			(unsigned long long)p->q[i].pfc_tx_frames);
	LINE("HwIfOutWredDrops", wred);
#undef LINE
	for (i = 0; i < 8; i++)
		(void)buf_addf(out, "     HwIfOutQ%uWredDrops: %llu\n", i,
			(unsigned long long)p->q[i].wred_drops);
}

static void eth_settings(const struct sim_port *p, struct buf *out)
{
	(void)buf_addf(out,
		"Settings for %s:\n\tSupported ports: [ FIBRE ]\n"
		"\tSupported link modes:   400000baseDR4/Full\n"
		"\tSupported pause frame use: Symmetric Receive-only\n"
		"\tSupports auto-negotiation: Yes\n\tSupported FEC modes: RS\n"
		"\tAdvertised auto-negotiation: No\n",
		p->name);
	personality_ethtool_speed(p, out);
	(void)buf_addf(out,
		"\tAuto-negotiation: off\n\tPort: FIBRE\n\tPHYAD: 0\n\tTransceiver: internal\n"
		"\tLink detected: %s\n",
		p->up ? "yes" : "no");
}

int cumulus_ethtool(struct machine *m, const struct shell_call *c)
{
	const char *what = NULL, *name = NULL;
	const struct sim_port *p;
	int i;

	for (i = 1; i < c->argc; i++)
		if (c->argv[i][0] == '-')
			what = c->argv[i];
		else
			name = c->argv[i];
	p = name ? cumulus_port(m, name) : NULL;
	if (!p) {
		(void)buf_adds(c->err, name ? "netlink error: No such device\n"
					    : "ethtool: bad command line argument(s)\n"
					      "For more information run ethtool -h\n");
		return 1;
	}
	if (!what)
		eth_settings(p, c->out);
	else if (!strcmp(what, "-S") || !strcmp(what, "--statistics"))
		eth_statistics(p, c->out);
	else if (!strcmp(what, "-m") || !strcmp(what, "--module-info"))
		return linux_ethtool_module(p, c->out);
	else if (!strcmp(what, "-i") || !strcmp(what, "--driver"))
		(void)buf_addf(c->out,
			"driver: sx_netdev\nversion: \nfirmware-version: 34.2014.2086\n"
			"bus-info: 0000:01:00.0\nsupports-statistics: yes\n");
	else {
		(void)buf_adds(c->err, "netlink error: Operation not supported\n");
		return 1;
	}
	return 0;
}

int cumulus_chpasswd(struct machine *m, const struct shell_call *c)
{
	const char *colon = c->in_len ? memchr(c->in, ':', c->in_len) : NULL;

	if (!c->root) {
		(void)buf_adds(c->err, "chpasswd: cannot lock /etc/passwd; try again later.\n");
		return 1;
	}
	if (!colon) {
		(void)buf_adds(c->err, "chpasswd: line 1: missing new password\n");
		return 1;
	}
	cumulus_box(m->ctx, m->d)->password_changed = true;
	return 0;
}

/* ---- decode-syseeprom ---- */

static json_t *json_tlv(const char *code, const char *value)
{
	return json_pack(
		"{s:s,s:i,s:s}", "code", code, "length", (int)strlen(value), "value", value);
}

int cumulus_syseeprom(struct machine *m, const struct shell_call *c)
{
	const struct sim_device *d = m->d;

	if (!has_word(c, "-j")) {
		(void)buf_addf(c->out,
			"TlvInfo Header:\n   Id String:    TlvInfo\n   Version:      1\n"
			"TLV Name             Code Len Value\n"
			"-------------------- ---- --- -----\n"
			"Product Name         0x21 %3zu %s\nSerial Number        0x23 %3zu %s\n"
			"Base MAC Address     0x24   6 %s\n",
			strlen(d->model), d->model, strlen(d->serial), d->serial, d->mac_base);
		return 0;
	}
	return print_json(c->out,
		json_pack("{s:{s:o,s:o,s:o,s:o}}", "tlv", "Product Name",
			json_tlv("0x21", d->model), "Serial Number", json_tlv("0x23", d->serial),
			"Base MAC Address", json_tlv("0x24", d->mac_base), "Manufacturer",
			json_tlv("0x2B", "NVIDIA")));
}
