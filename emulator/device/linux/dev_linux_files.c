/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

static const struct sim_port *port_of(void *device, unsigned port)
{
	const struct machine *m = device;

	return port < m->d->nports ? &m->d->ports[port] : NULL;
}

static int print_line(struct buf *out, uint64_t v)
{
	add_u64(out, v);
	(void)buf_add(out, "\n", 1);
	return 0;
}

static int read_hw(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct sim_port *p = port_of(device, port);

	const struct machine *m = device;

	return p ? print_line(out, linux_hw_value(p, &linux_nic(m->d)->hw_counters[item])) : ENOENT;
}

/* ports/1/counters: RDMA traffic only; data in units of 4 bytes. */
enum ib_counter {
	IB_ZERO,
	IB_RCV_DATA,
	IB_RCV_PACKETS,
	IB_XMIT_DATA,
	IB_XMIT_PACKETS,
	IB_XMIT_WAIT,
	IB_RCV_ERRORS,
	IB_XMIT_DISCARDS,
};

static const struct {
	const char *name;
	enum ib_counter what;
} ib_counters[] = {
	{"VL15_dropped", IB_ZERO},
	{"excessive_buffer_overrun_errors", IB_ZERO},
	{"link_downed", IB_ZERO},
	{"link_error_recovery", IB_ZERO},
	{"local_link_integrity_errors", IB_ZERO},
	{"multicast_rcv_packets", IB_ZERO},
	{"multicast_xmit_packets", IB_ZERO},
	{"port_rcv_constraint_errors", IB_ZERO},
	{"port_rcv_data", IB_RCV_DATA},
	{"port_rcv_errors", IB_RCV_ERRORS},
	{"port_rcv_packets", IB_RCV_PACKETS},
	{"port_rcv_remote_physical_errors", IB_ZERO},
	{"port_rcv_switch_relay_errors", IB_ZERO},
	{"port_xmit_constraint_errors", IB_ZERO},
	{"port_xmit_data", IB_XMIT_DATA},
	{"port_xmit_discards", IB_XMIT_DISCARDS},
	{"port_xmit_packets", IB_XMIT_PACKETS},
	{"port_xmit_wait", IB_XMIT_WAIT},
	{"symbol_error", IB_ZERO},
	{"unicast_rcv_packets", IB_RCV_PACKETS},
	{"unicast_xmit_packets", IB_XMIT_PACKETS},
};

static uint64_t ib_value(const struct sim_port *p, unsigned item)
{
	switch ((enum ib_counter)item) {
	case IB_RCV_DATA:
		return p->nic.rdma_rx_bytes / 4;
	case IB_RCV_PACKETS:
		return p->nic.rdma_rx_packets;
	case IB_XMIT_DATA:
		return p->nic.rdma_tx_bytes / 4;
	case IB_XMIT_PACKETS:
		return p->nic.rdma_tx_packets;
	case IB_RCV_ERRORS:
		return p->rx_errors;
	case IB_XMIT_DISCARDS:
		return p->tx_discards;
	case IB_XMIT_WAIT:
	case IB_ZERO:
	default:
		return 0;
	}
}

static int read_ib(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct sim_port *p = port_of(device, port);

	if (!p)
		return ENOENT;
	return print_line(out, ib_value(p, item) + (p->bond ? ib_value(p->bond, item) : 0));
}

enum ib_state {
	IB_STATE,
	IB_PHYS,
	IB_RATE,
	IB_GUID,
	IB_SYSTEM_GUID,
	IB_GID_LL,
	IB_GID_V4,
	IB_PCI_WIDTH,
	IB_PCI_SPEED,
	IB_PCI_WIDTH_MAX
};

static int read_state(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const struct sim_port *p = port_of(device, port);
	char guid[24];
	bool up;

	if (!p)
		return ENOENT;
	up = p->up || (p->bond && p->bond->up);
	linux_guid(m, port, item == IB_SYSTEM_GUID, guid);
	switch ((enum ib_state)item) {
	case IB_STATE:
		(void)buf_adds(out, up ? "4: ACTIVE\n" : "1: DOWN\n");
		break;
	case IB_PHYS:
		(void)buf_adds(out, up                   ? "5: LinkUp\n"
				    : p->config.admin_up ? "2: Polling\n"
							 : "3: Disabled\n");
		break;
	case IB_RATE:
		/* A port without link shows the driver's default. */
		if (!up)
			(void)buf_adds(out, "40 Gb/sec (4X QDR)\n");
		else
			(void)buf_addf(out, "%u Gb/sec (%s)\n", p->speed_mbps / 1000,
				p->speed_mbps == 400000   ? "4X NDR"
				: p->speed_mbps == 800000 ? "8X NDR"
				: p->speed_mbps == 200000 ? "2X NDR"
							  : "1X NDR");
		break;
	case IB_GUID:
	case IB_SYSTEM_GUID:
		(void)buf_addf(out, "%s\n", guid);
		break;
	case IB_GID_LL:
		(void)buf_addf(out, "fe80:0000:0000:0000:0000:%02xff:fe%02x:%04x\n", port,
			m->d->index >> 8 & 255, m->d->index);
		break;
	case IB_GID_V4:
		(void)buf_addf(out, "0000:0000:0000:0000:0000:ffff:0a%02x:%04x\n", 100 + port,
			m->d->index + 1);
		break;
	case IB_PCI_WIDTH:
		return print_line(out, p->nic.pcie_width);
	case IB_PCI_WIDTH_MAX:
		return print_line(out, p->nic.pcie_width_max);
	case IB_PCI_SPEED:
	default:
		(void)buf_addf(out, "%.1f GT/s PCIe\n", p->nic.pcie_gts);
	}
	return 0;
}

enum net_item {
	NET_OPER,
	NET_CARRIER,
	NET_CHANGES,
	NET_UPS,
	NET_DOWNS,
	NET_SPEED,
	NET_ADDRESS,
	NET_FLAGS,
	NET_MTU
};

static int read_net(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;
	const struct sim_port *p = port_of(device, port);
	char mac[18];

	if (!p)
		return ENOENT;
	switch ((enum net_item)item) {
	case NET_OPER:
		(void)buf_adds(out, p->up ? "up\n" : "down\n");
		return 0;
	case NET_CARRIER:
		if (!p->config.admin_up)
			return EINVAL;
		return print_line(out, p->up);
	case NET_CHANGES:
		return print_line(out, p->carrier_up + p->carrier_down);
	case NET_UPS:
		return print_line(out, p->carrier_up);
	case NET_DOWNS:
		return print_line(out, p->carrier_down);
	case NET_SPEED:
		if (!p->config.admin_up)
			return EINVAL;
		if (p->up)
			return print_line(out, p->speed_mbps);
		(void)buf_adds(out, "-1\n");
		return 0;
	case NET_MTU:
		return print_line(out, !linux_is_switch(m->d) && p->config.mtu >= 9100
					       ? p->config.mtu - 100u
					       : p->config.mtu);
	case NET_FLAGS:
		(void)buf_adds(out, p->config.admin_up ? "0x1003\n" : "0x1002\n");
		return 0;
	case NET_ADDRESS:
	default:
		personality_mac(m->d, port, mac);
		(void)buf_addf(out, "%s\n", mac);
		return 0;
	}
}

enum net_statistic {
	NS_RX_BYTES,
	NS_TX_BYTES,
	NS_RX_PACKETS,
	NS_TX_PACKETS,
	NS_RX_ERRORS,
	NS_TX_ERRORS,
	NS_RX_CRC,
	NS_RX_DROPPED,
	NS_TX_DROPPED,
	NS_ZERO
};

/* The kernel's own counters. */
static const struct {
	const char *name;
	enum net_statistic what;
} netdev_statistics[] = {
	{"rx_bytes", NS_RX_BYTES},
	{"tx_bytes", NS_TX_BYTES},
	{"rx_packets", NS_RX_PACKETS},
	{"tx_packets", NS_TX_PACKETS},
	{"rx_errors", NS_RX_ERRORS},
	{"tx_errors", NS_TX_ERRORS},
	{"rx_crc_errors", NS_RX_CRC},
	{"rx_dropped", NS_RX_DROPPED},
	{"tx_dropped", NS_TX_DROPPED},
	{"multicast", NS_ZERO},
	{"collisions", NS_ZERO},
	{"rx_fifo_errors", NS_ZERO},
	{"rx_frame_errors", NS_ZERO},
	{"rx_length_errors", NS_ZERO},
	{"rx_missed_errors", NS_ZERO},
	{"rx_over_errors", NS_ZERO},
	{"tx_aborted_errors", NS_ZERO},
	{"tx_carrier_errors", NS_ZERO},
	{"tx_fifo_errors", NS_ZERO},
};

static int read_statistics(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct sim_port *p = port_of(device, port);
	struct kernel_counts k;

	if (!p)
		return ENOENT;
	linux_kernel_counts(p, &k);
	switch ((enum net_statistic)item) {
	case NS_RX_BYTES:
		return print_line(out, k.rx_bytes);
	case NS_TX_BYTES:
		return print_line(out, k.tx_bytes);
	case NS_RX_PACKETS:
		return print_line(out, k.rx_packets);
	case NS_TX_PACKETS:
		return print_line(out, k.tx_packets);
	case NS_RX_ERRORS:
		return print_line(out, p->rx_errors);
	case NS_TX_ERRORS:
		return print_line(out, p->tx_errors);
	case NS_RX_CRC:
		return print_line(out, p->rx_fcs_errors);
	case NS_RX_DROPPED:
		return print_line(out, p->rx_discards);
	case NS_TX_DROPPED:
		return print_line(out, p->tx_discards);
	case NS_ZERO:
	default:
		return print_line(out, 0);
	}
}

struct maker {
	struct vfs *tree;
	const struct sim_device *d;
	const struct sim_port *p;
	unsigned port;
	char base[96], full[256];
};

static const char *full_path(struct maker *k, const char *name)
{
	(void)snprintf(k->full, sizeof(k->full), "%s/%s", k->base, name);
	return k->full;
}

static void add_file(struct maker *k, const char *name, vfs_read_fn read, unsigned item)
{
	vfs_file(k->tree, full_path(k, name), read, k->port, item);
}

static void add_text(struct maker *k, const char *name, const char *content)
{
	vfs_text(k->tree, full_path(k, name), content);
}

static void add_line(struct maker *k, const char *name, const char *text)
{
	char line[80];

	(void)snprintf(line, sizeof(line), "%s\n", text);
	add_text(k, name, line);
}

static void make_pci(struct maker *k)
{
	add_file(k, "current_link_width", read_state, IB_PCI_WIDTH);
	add_file(k, "max_link_width", read_state, IB_PCI_WIDTH_MAX);
	add_file(k, "current_link_speed", read_state, IB_PCI_SPEED);
	add_text(k, "max_link_speed", "32.0 GT/s PCIe\n");
	add_text(k, "numa_node", linux_nic_number(k->d, k->port) < 4 ? "0\n" : "1\n");
	add_text(k, "iommu_group/type", "identity\n");
	add_text(k, "class", "0x020000\n");
	add_line(k, "vendor", linux_nic(k->d)->vendor);
	add_line(k, "device", linux_nic(k->d)->device);
}

static void make_ib(struct maker *k)
{
	const struct nic_kind *kind = linux_nic(k->d);
	char name[64], netdev[32];
	size_t i;

	add_line(k, "fw_ver", kind->firmware);
	add_line(k, "hca_type", kind->hca);
	if (*kind->board)
		add_line(k, "board_id", kind->board);
	add_text(k, "node_type", "1: CA\n");
	add_file(k, "node_guid", read_state, IB_GUID);
	add_file(k, "sys_image_guid", read_state, IB_SYSTEM_GUID);
	if (kind->is_mlx5)
		add_text(k, "tc/1/traffic_class", "Global tclass=104\n");
	add_file(k, "ports/1/state", read_state, IB_STATE);
	add_file(k, "ports/1/phys_state", read_state, IB_PHYS);
	add_file(k, "ports/1/rate", read_state, IB_RATE);
	add_text(k, "ports/1/link_layer", "Ethernet\n");
	add_text(k, "ports/1/lid", "0x0\n");
	add_text(k, "ports/1/sm_lid", "0x0\n");
	(void)str_copy(netdev, sizeof(netdev), k->p->name);
	if (k->p->bond)
		linux_bond_name(k->p, netdev);
	for (i = 0; i < 4; i++) {
		(void)snprintf(name, sizeof(name), "ports/1/gids/%zu", i);
		add_file(k, name, read_state, i < 2 ? IB_GID_LL : IB_GID_V4);
		(void)snprintf(name, sizeof(name), "ports/1/gid_attrs/types/%zu", i);
		add_text(k, name, i % 2 ? "RoCE v2\n" : "IB/RoCE v1\n");
		(void)snprintf(name, sizeof(name), "ports/1/gid_attrs/ndevs/%zu", i);
		add_line(k, name, netdev);
	}
	for (i = 0; kind->ib_counters && i < sizeof(ib_counters) / sizeof(ib_counters[0]); i++) {
		(void)snprintf(name, sizeof(name), "ports/1/counters/%s", ib_counters[i].name);
		add_file(k, name, read_ib, ib_counters[i].what);
	}
	for (i = 0; kind->hw_counters[i].name; i++) {
		(void)snprintf(
			name, sizeof(name), "ports/1/hw_counters/%s", kind->hw_counters[i].name);
		add_file(k, name, read_hw, (unsigned)i);
	}
	add_text(k, "ports/1/hw_counters/lifespan", "10\n");
}

static void make_net(struct maker *k)
{
	char name[64];
	size_t i;

	add_file(k, "operstate", read_net, NET_OPER);
	add_file(k, "carrier", read_net, NET_CARRIER);
	add_file(k, "carrier_changes", read_net, NET_CHANGES);
	add_file(k, "carrier_up_count", read_net, NET_UPS);
	add_file(k, "carrier_down_count", read_net, NET_DOWNS);
	add_file(k, "speed", read_net, NET_SPEED);
	add_file(k, "address", read_net, NET_ADDRESS);
	add_file(k, "flags", read_net, NET_FLAGS);
	add_file(k, "mtu", read_net, NET_MTU);
	add_text(k, "duplex", "full\n");
	add_text(k, "type", "1\n");
	add_text(k, "dev_port", "0\n");
	(void)snprintf(name, sizeof(name), "%u\n", k->port + LINUX_FIRST_INDEX);
	add_text(k, "ifindex", name);
	for (i = 0; i < sizeof(netdev_statistics) / sizeof(netdev_statistics[0]); i++) {
		(void)snprintf(name, sizeof(name), "statistics/%s", netdev_statistics[i].name);
		add_file(k, name, read_statistics, netdev_statistics[i].what);
	}
}

static void make_nic(struct vfs *tree, const struct sim_device *d, unsigned port)
{
	struct maker k = {.tree = tree, .port = port, .d = d, .p = &d->ports[port]};
	char pci[16], device[96], link[96], target[160], name[24];

	linux_pci(d, port, pci);
	(void)snprintf(device, sizeof(device), "/sys/devices/pci0000:%.2s/%s", pci + 5, pci);
	(void)str_copy(k.base, sizeof(k.base), device);
	make_pci(&k);
	if (linux_is_rdma(d, k.p)) {
		linux_rdma_name(d, k.p, name);
		(void)snprintf(k.base, sizeof(k.base), "%.60s/infiniband/%s", device, name);
		make_ib(&k);
		(void)snprintf(link, sizeof(link), "/sys/class/infiniband/%s", name);
		vfs_link(tree, link, k.base);
		(void)snprintf(target, sizeof(target), "%s/device", k.base);
		vfs_link(tree, target, device);
	}
	(void)snprintf(k.base, sizeof(k.base), "%.60s/net/%s", device, k.p->name);
	make_net(&k);
	if (linux_nic(d)->is_mlx5)
		linux_qos_files(tree, k.base, port);
	if (k.p->bond)
		linux_bond_files(tree, d, port);
	(void)snprintf(link, sizeof(link), "/sys/class/net/%s", k.p->name);
	vfs_link(tree, link, k.base);
	(void)snprintf(target, sizeof(target), "%s/device", k.base);
	vfs_link(tree, target, device);
	(void)snprintf(link, sizeof(link), "/sys/bus/pci/devices/%s", pci);
	vfs_link(tree, link, device);
}

/* The kernel's interface to the management controller. */
static void make_bmc(struct vfs *tree)
{
	struct maker k = {.tree = tree};

	(void)str_copy(k.base, sizeof(k.base), "/sys/devices/platform/ipmi_bmc.0");
	add_text(&k, "firmware_revision", "24.10\n");
	add_text(&k, "ipmi_version", "2.0\n");
	vfs_text(tree, "/sys/devices/platform/ipmi_si.0/ipmi/ipmi0/dev", "236:0\n");
	vfs_link(tree, "/sys/devices/platform/ipmi_si.0/bmc", k.base);
	vfs_link(tree, "/sys/devices/platform/ipmi_si.0/ipmi/ipmi0/device",
		"/sys/devices/platform/ipmi_si.0");
	vfs_link(tree, "/sys/class/ipmi/ipmi0", "/sys/devices/platform/ipmi_si.0/ipmi/ipmi0");
}

/* A front panel port: a netdev of the switch chip. */
static void make_swp(struct vfs *tree, const struct sim_device *d, unsigned port)
{
	struct maker k = {.tree = tree, .port = port, .p = &d->ports[port]};
	char link[96], target[160];

	(void)snprintf(
		k.base, sizeof(k.base), "/sys/devices/pci0000:00/0000:01:00.0/net/%s", k.p->name);
	make_net(&k);
	(void)snprintf(link, sizeof(link), "p%u\n", port + 1);
	add_text(&k, "phys_port_name", link);
	add_text(&k, "phys_switch_id", "b8599fffe9d1a200\n");
	(void)snprintf(target, sizeof(target), "%s/device", k.base);
	vfs_link(tree, target, "/sys/devices/pci0000:00/0000:01:00.0");
	(void)snprintf(link, sizeof(link), "/sys/class/net/%s", k.p->name);
	vfs_link(tree, link, k.base);
}

/* lo and the management port: they have no RDMA devices and are not part of the fabric. */
static void make_other(struct vfs *tree, bool is_switch)
{
	struct maker k = {.tree = tree};

	(void)str_copy(
		k.base, sizeof(k.base), is_switch ? "/sys/class/net/eth0" : "/sys/class/net/eno1");
	add_text(&k, "operstate", "up\n");
	add_text(&k, "carrier", "1\n");
	add_text(&k, "carrier_changes", "2\n");
	add_text(&k, "carrier_up_count", "1\n");
	add_text(&k, "carrier_down_count", "1\n");
	add_text(&k, "speed", "25000\n");
	add_text(&k, "mtu", "1500\n");
	(void)str_copy(k.base, sizeof(k.base), "/sys/class/net/lo");
	add_text(&k, "operstate", "unknown\n");
	add_text(&k, "carrier", "1\n");
	add_text(&k, "mtu", "65536\n");
}

static int read_model(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;

	(void)port, (void)item;
	(void)buf_addf(out, "%s\n", m->d->model);
	return 0;
}

/* The process that blinks a port lives as long as the light is on; one stands for all ports. */
static int read_blinking(void *device, unsigned port, unsigned item, struct buf *out)
{
	const struct machine *m = device;

	(void)port, (void)item;
	for (unsigned i = 0; i < m->d->nports; i++)
		if (m->d->ports[i].config.beacon) {
			(void)buf_addf(
				out, "ethtool%c-p%c%s%c60%c", 0, 0, m->d->ports[i].name, 0, 0);
			break;
		}
	return 0;
}

static void make_identity(struct vfs *tree, const struct sim_device *d, bool is_switch)
{
	vfs_text(tree, "/proc/1/cmdline", "/sbin/init");
	vfs_file(tree, "/proc/6142/cmdline", read_blinking, 0, 0);
	if (!is_switch && d->net == NET_BACKEND && d->platform->nics != NICS_IONIC) {
		vfs_text(tree, "/sys/module/nvidia/version", "570.133.20\n");
		vfs_text(tree, "/sys/module/nvidia_peermem/initstate", "live\n");
	}
	vfs_file(tree, "/sys/class/dmi/id/product_name", read_model, 0, 0);
	vfs_text(tree, "/sys/class/dmi/id/sys_vendor", is_switch ? "Accton\n" : "Dell Inc.\n");
	vfs_text(tree, "/proc/sys/kernel/osrelease",
		is_switch ? LINUX_FRR_KERNEL "\n" : LINUX_KERNEL "\n");
	vfs_text(tree, "/proc/sys/kernel/ostype", "Linux\n");
	vfs_text(tree, "/proc/version",
		is_switch ? "Linux version " LINUX_FRR_KERNEL
			    " (debian-kernel@lists.debian.org) (gcc-12) #1 SMP\n"
			  : "Linux version " LINUX_KERNEL " (kernel@ubuntu) (gcc 15.2.0) #1 SMP\n");
	if (!is_switch) {
		linux_nccl_files(tree);
		return;
	}
	vfs_text(tree, "/etc/os-release",
		"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nNAME=\"Debian GNU/Linux\"\n"
		"VERSION_ID=\"12\"\nVERSION=\"12 (bookworm)\"\nVERSION_CODENAME=bookworm\n"
		"ID=debian\n");
	/* Hash policy of multipath routes: layer 4, as the fabric needs. */
	vfs_text(tree, "/proc/sys/net/ipv4/fib_multipath_hash_policy", "1\n");
}

struct vfs *linux_files(const struct sim_device *d)
{
	struct vfs *tree = vfs_new();
	bool is_switch = linux_is_switch(d);
	unsigned i;

	personality_common_files(tree);
	make_other(tree, is_switch);
	make_identity(tree, d, is_switch);
	for (i = 0; i < d->nports; i++) {
		if (is_switch)
			make_swp(tree, d, i);
		else if (linux_is_bmc(&d->ports[i]))
			make_bmc(tree);
		else
			make_nic(tree, d, i);
	}
	return tree;
}
