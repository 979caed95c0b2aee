/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* Bonds of two ports (802.3ad) as the kernel's bonding driver shows them. */

#define BOND_FIRST_INDEX 100u

enum bond_item {
	BOND_OPER,
	BOND_SPEED,
	BOND_MTU,
	BOND_FLAGS,
	BOND_ADDRESS,
	BOND_CHANGES,
	BOND_RX_BYTES,
	BOND_TX_BYTES,
	BOND_RX_PACKETS,
	BOND_TX_PACKETS,
	BOND_MII,
	BOND_MII_TEXT,
};

static int print_number(struct buf *out, uint64_t v)
{
	add_u64(out, v);
	(void)buf_add(out, "\n", 1);
	return 0;
}

static unsigned bond_speed(const struct sim_port *p)
{
	return (p->up ? p->speed_mbps : 0) + (p->bond->up ? p->bond->speed_mbps : 0);
}

static unsigned bond_mtu(const struct sim_port *p)
{
	return p->config.mtu >= 9100 ? p->config.mtu - 100u : p->config.mtu;
}

/* What the kernel counts of a bond: the sum of its slaves, without RDMA. */
static struct kernel_counts bond_counts(const struct sim_port *p)
{
	struct kernel_counts a, b;

	linux_kernel_counts(p, &a);
	linux_kernel_counts(p->bond, &b);
	return (struct kernel_counts){a.rx_bytes + b.rx_bytes, a.tx_bytes + b.tx_bytes,
		a.rx_packets + b.rx_packets, a.tx_packets + b.tx_packets};
}

static void print_proc(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	char mac[18];

	personality_mac(m->d, p->port, mac);
	(void)buf_addf(out,
		"Ethernet Channel Bonding Driver: v" LINUX_KERNEL "\n\n"
		"Bonding Mode: IEEE 802.3ad Dynamic link aggregation\n"
		"Transmit Hash Policy: layer3+4 (1)\nMII Status: %s\n"
		"MII Polling Interval (ms): 100\nUp Delay (ms): 0\nDown Delay (ms): 0\n\n"
		"802.3ad info\nLACP active: on\nLACP rate: fast\nMin links: 0\n"
		"Aggregator selection policy (ad_select): stable\n",
		bond_speed(p) ? "up" : "down");
	for (const struct sim_port *s = p;; s = s->bond) {
		personality_mac(m->d, s->port, mac);
		(void)buf_addf(out, "\nSlave Interface: %s\nMII Status: %s\n", s->name,
			s->up ? "up" : "down");
		(void)buf_addf(out, s->up ? "Speed: %u Mbps\n" : "Speed: Unknown\n", s->speed_mbps);
		(void)buf_addf(out,
			"Duplex: %s\nLink Failure Count: %llu\nPermanent HW addr: %s\n"
			"Slave queue ID: 0\nAggregator ID: 1\n",
			s->up ? "full" : "Unknown", (unsigned long long)s->carrier_down, mac);
		if (s != p)
			break;
	}
}

static int read_bond(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const struct sim_port *p = port < m->d->nports ? &m->d->ports[port] : NULL;
	unsigned mbps;
	char mac[18];

	if (!p || !p->bond)
		return ENOENT;
	mbps = bond_speed(p);
	switch ((enum bond_item)item) {
	case BOND_OPER:
		(void)buf_adds(out, mbps ? "up\n" : "down\n");
		return 0;
	case BOND_SPEED:
		if (mbps)
			return print_number(out, mbps);
		(void)buf_adds(out, "-1\n");
		return 0;
	case BOND_MTU:
		return print_number(out, bond_mtu(p));
	case BOND_FLAGS:
		(void)buf_adds(out, "0x1403\n");
		return 0;
	case BOND_ADDRESS:
		personality_mac(m->d, p->port, mac);
		(void)buf_addf(out, "%s\n", mac);
		return 0;
	case BOND_CHANGES:
		return print_number(out, 2);
	case BOND_RX_BYTES:
		return print_number(out, bond_counts(p).rx_bytes);
	case BOND_TX_BYTES:
		return print_number(out, bond_counts(p).tx_bytes);
	case BOND_RX_PACKETS:
		return print_number(out, bond_counts(p).rx_packets);
	case BOND_TX_PACKETS:
		return print_number(out, bond_counts(p).tx_packets);
	case BOND_MII:
		(void)buf_adds(out, p->up ? "up\n" : "down\n");
		return 0;
	case BOND_MII_TEXT:
	default:
		print_proc(m, p, out);
		return 0;
	}
}

static void add_read(
	struct vfs *tree, const char *base, const char *name, unsigned port, enum bond_item item)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", base, name);
	vfs_file(tree, path, read_bond, port, item);
}

static void add_fixed(struct vfs *tree, const char *base, const char *name, const char *text)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", base, name);
	vfs_text(tree, path, text);
}

static void make_bond(struct vfs *tree, const struct sim_port *p)
{
	static const struct {
		const char *name;
		enum bond_item item;
	} files[] = {
		{"operstate", BOND_OPER},
		{"speed", BOND_SPEED},
		{"mtu", BOND_MTU},
		{"flags", BOND_FLAGS},
		{"address", BOND_ADDRESS},
		{"carrier_changes", BOND_CHANGES},
		{"statistics/rx_bytes", BOND_RX_BYTES},
		{"statistics/tx_bytes", BOND_TX_BYTES},
		{"statistics/rx_packets", BOND_RX_PACKETS},
		{"statistics/tx_packets", BOND_TX_PACKETS},
	};
	char base[64], name[16], text[64];

	linux_bond_name(p, name);
	(void)snprintf(base, sizeof(base), "/sys/class/net/%s", name);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		add_read(tree, base, files[i].name, p->port, files[i].item);
	add_fixed(tree, base, "statistics/rx_errors", "0\n");
	add_fixed(tree, base, "statistics/tx_errors", "0\n");
	add_fixed(tree, base, "statistics/tx_dropped", "0\n");
	add_fixed(tree, base, "bonding/mode", "802.3ad 4\n");
	add_fixed(tree, base, "bonding/xmit_hash_policy", "layer3+4 1\n");
	(void)snprintf(text, sizeof(text), "%s %s\n", p->name, p->bond->name);
	add_fixed(tree, base, "bonding/slaves", text);
	(void)snprintf(base, sizeof(base), "/proc/net/bonding/%s", name);
	vfs_file(tree, base, read_bond, p->port, BOND_MII_TEXT);
}

void linux_bond_files(struct vfs *tree, const struct sim_device *d, unsigned port)
{
	const struct sim_port *p = &d->ports[port];
	char base[64];

	(void)snprintf(base, sizeof(base), "/sys/class/net/%s", p->name);
	add_read(tree, base, "bonding_slave/mii_status", port, BOND_MII);
	add_fixed(tree, base, "bonding_slave/state", "active\n");
	if (linux_is_first_slave(p))
		make_bond(tree, p);
}

void linux_bond_links(const struct machine *m, bool details, bool addresses, json_t *all)
{
	for (unsigned i = 0; i < m->d->nports; i++) {
		const struct sim_port *p = &m->d->ports[i];
		char name[16], mac[18];
		json_t *o;

		if (!linux_is_first_slave(p))
			continue;
		linux_bond_name(p, name);
		personality_mac(m->d, i, mac);
		o = json_pack("{s:i,s:s,s:[sssss],s:i,s:s,s:s,s:s,s:s,s:i,s:s,s:s}", "ifindex",
			(int)(BOND_FIRST_INDEX + i), "ifname", name, "flags", "BROADCAST",
			"MULTICAST", "MASTER", "UP", "LOWER_UP", "mtu", (int)bond_mtu(p), "qdisc",
			"noqueue", "operstate", bond_speed(p) ? "UP" : "DOWN", "linkmode",
			"DEFAULT", "group", "default", "txqlen", 1000, "link_type", "ether",
			"address", mac);
		if (details)
			(void)json_object_set_new(o, "linkinfo",
				json_pack("{s:s,s:{s:s,s:i}}", "info_kind", "bond", "info_data",
					"mode", "802.3ad", "miimon", 100));
		if (addresses)
			(void)json_object_set_new(o, "addr_info",
				json_pack("[{s:s,s:o,s:i,s:s,s:s}]", "family", "inet", "local",
					json_sprintf("10.%u.%u.%u", 100 + i, (m->d->index + 1) >> 8,
						(m->d->index + 1) & 255),
					"prefixlen", 16, "scope", "global", "label", name));
		(void)json_array_append_new(all, o);
	}
}
