/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "emulator/device/linux/dev_linux.h"

/* `ethtool -S` of mlx5: the driver's counters in the driver's order. */

#define AT(member) offsetof(struct sim_port, member)

enum source {
	S_FIXED,  /* detail is the value */
	S_MEMBER, /* detail is the offset in struct sim_port */
	S_RX_BITS,
	S_PFC_RX,
	S_PFC_TX,
	S_LARGE_RX,
	S_SMALL_RX,
	S_PCI_STALLED,
	S_KERNEL_RX_PACKETS,
	S_KERNEL_RX_BYTES,
	S_KERNEL_TX_PACKETS,
	S_KERNEL_TX_BYTES,
};

struct stat_line {
	const char *name;
	enum source source;
	size_t detail;
};

/* Software, vport, physical port, PCIe. */
static const struct stat_line lines[] = {
	{"rx_packets", S_KERNEL_RX_PACKETS, 0},
	{"rx_bytes", S_KERNEL_RX_BYTES, 0},
	{"tx_packets", S_KERNEL_TX_PACKETS, 0},
	{"tx_bytes", S_KERNEL_TX_BYTES, 0},
	{"tx_tso_packets", S_FIXED, 0},
	{"tx_tso_bytes", S_FIXED, 0},
	{"tx_tso_inner_packets", S_FIXED, 0},
	{"tx_tso_inner_bytes", S_FIXED, 0},
	{"tx_added_vlan_packets", S_FIXED, 0},
	{"tx_nop", S_FIXED, 71920},
	{"tx_mpwqe_blks", S_FIXED, 66102199},
	{"tx_mpwqe_pkts", S_FIXED, 70119302},
	{"rx_lro_packets", S_FIXED, 0},
	{"rx_lro_bytes", S_FIXED, 0},
	{"rx_ecn_mark", S_FIXED, 0},
	{"rx_removed_vlan_packets", S_FIXED, 0},
	{"rx_csum_unnecessary", S_FIXED, 0},
	{"rx_csum_none", S_FIXED, 1213},
	{"rx_csum_complete", S_KERNEL_RX_PACKETS, 0},
	{"rx_csum_complete_tail", S_FIXED, 0},
	{"rx_csum_complete_tail_slow", S_FIXED, 0},
	{"rx_csum_unnecessary_inner", S_FIXED, 0},
	{"rx_xdp_drop", S_FIXED, 0},
	{"rx_xdp_redirect", S_FIXED, 0},
	{"rx_xdp_tx_xmit", S_FIXED, 0},
	{"rx_xdp_tx_err", S_FIXED, 0},
	{"tx_csum_none", S_FIXED, 6},
	{"tx_csum_partial", S_KERNEL_TX_PACKETS, 0},
	{"tx_csum_partial_inner", S_FIXED, 0},
	{"tx_queue_stopped", S_FIXED, 0},
	{"tx_queue_dropped", S_FIXED, 0},
	{"tx_xmit_more", S_FIXED, 0},
	{"tx_recover", S_FIXED, 0},
	{"tx_cqes", S_KERNEL_TX_PACKETS, 0},
	{"tx_queue_wake", S_FIXED, 0},
	{"tx_cqe_err", S_FIXED, 0},
	{"rx_wqe_err", S_FIXED, 0},
	{"rx_mpwqe_filler_cqes", S_FIXED, 0},
	{"rx_mpwqe_filler_strides", S_FIXED, 0},
	{"rx_oversize_pkts_sw_drop", S_FIXED, 0},
	{"rx_buff_alloc_err", S_FIXED, 0},
	{"rx_cqe_compress_blks", S_FIXED, 0},
	{"rx_cqe_compress_pkts", S_FIXED, 0},
	{"rx_cache_reuse", S_FIXED, 1152},
	{"rx_cache_full", S_FIXED, 0},
	{"rx_cache_empty", S_FIXED, 0},
	{"rx_cache_busy", S_FIXED, 0},
	{"rx_cache_alloc", S_FIXED, 60480},
	{"rx_congst_umr", S_FIXED, 0},
	{"rx_arfs_err", S_FIXED, 0},
	{"rx_recover", S_FIXED, 0},
	{"ch_events", S_FIXED, 90231001},
	{"ch_poll", S_FIXED, 90231882},
	{"ch_arm", S_FIXED, 90230991},
	{"ch_aff_change", S_FIXED, 0},
	{"ch_force_irq", S_FIXED, 0},
	{"ch_eq_rearm", S_FIXED, 0},
	{"rx_out_of_buffer", S_MEMBER, AT(nic.out_of_buffer)},
	{"rx_if_down_packets", S_FIXED, 0},
	{"rx_steer_missed_packets", S_FIXED, 0},
	{"rx_vport_unicast_packets", S_KERNEL_RX_PACKETS, 0},
	{"rx_vport_unicast_bytes", S_KERNEL_RX_BYTES, 0},
	{"tx_vport_unicast_packets", S_KERNEL_TX_PACKETS, 0},
	{"tx_vport_unicast_bytes", S_KERNEL_TX_BYTES, 0},
	{"rx_vport_multicast_packets", S_FIXED, 0},
	{"rx_vport_multicast_bytes", S_FIXED, 0},
	{"tx_vport_multicast_packets", S_FIXED, 0},
	{"tx_vport_multicast_bytes", S_FIXED, 0},
	{"rx_vport_broadcast_packets", S_FIXED, 0},
	{"rx_vport_broadcast_bytes", S_FIXED, 0},
	{"tx_vport_broadcast_packets", S_FIXED, 0},
	{"tx_vport_broadcast_bytes", S_FIXED, 0},
	{"rx_vport_rdma_unicast_packets", S_MEMBER, AT(nic.rdma_rx_packets)},
	{"rx_vport_rdma_unicast_bytes", S_MEMBER, AT(nic.rdma_rx_bytes)},
	{"tx_vport_rdma_unicast_packets", S_MEMBER, AT(nic.rdma_tx_packets)},
	{"tx_vport_rdma_unicast_bytes", S_MEMBER, AT(nic.rdma_tx_bytes)},
	{"rx_vport_rdma_multicast_packets", S_FIXED, 0},
	{"rx_vport_rdma_multicast_bytes", S_FIXED, 0},
	{"tx_vport_rdma_multicast_packets", S_FIXED, 0},
	{"tx_vport_rdma_multicast_bytes", S_FIXED, 0},
	{"vport_loopback_packets", S_FIXED, 0},
	{"vport_loopback_bytes", S_FIXED, 0},
	{"tx_packets_phy", S_MEMBER, AT(tx_packets)},
	{"rx_packets_phy", S_MEMBER, AT(rx_packets)},
	{"rx_crc_errors_phy", S_MEMBER, AT(rx_fcs_errors)},
	{"tx_bytes_phy", S_MEMBER, AT(tx_bytes)},
	{"rx_bytes_phy", S_MEMBER, AT(rx_bytes)},
	{"tx_multicast_phy", S_FIXED, 0},
	{"tx_broadcast_phy", S_FIXED, 0},
	{"rx_multicast_phy", S_FIXED, 0},
	{"rx_broadcast_phy", S_FIXED, 0},
	{"rx_in_range_len_errors_phy", S_FIXED, 0},
	{"rx_out_of_range_len_phy", S_FIXED, 0},
	{"rx_oversize_pkts_phy", S_FIXED, 0},
	{"rx_symbol_err_phy", S_MEMBER, AT(rx_symbol_errors)},
	{"tx_mac_control_phy", S_FIXED, 0},
	{"rx_mac_control_phy", S_FIXED, 0},
	{"rx_unsupported_op_phy", S_FIXED, 0},
	{"rx_pause_ctrl_phy", S_PFC_RX, 0},
	{"tx_pause_ctrl_phy", S_PFC_TX, 0},
	{"rx_discards_phy", S_MEMBER, AT(rx_discards)},
	{"tx_discards_phy", S_MEMBER, AT(tx_discards)},
	{"tx_errors_phy", S_MEMBER, AT(tx_errors)},
	{"rx_undersize_pkts_phy", S_FIXED, 0},
	{"rx_fragments_phy", S_FIXED, 0},
	{"rx_jabbers_phy", S_FIXED, 0},
	{"rx_64_bytes_phy", S_FIXED, 0},
	{"rx_65_to_127_bytes_phy", S_SMALL_RX, 0},
	{"rx_128_to_255_bytes_phy", S_FIXED, 0},
	{"rx_256_to_511_bytes_phy", S_FIXED, 0},
	{"rx_512_to_1023_bytes_phy", S_FIXED, 0},
	{"rx_1024_to_1518_bytes_phy", S_FIXED, 0},
	{"rx_1519_to_2047_bytes_phy", S_FIXED, 0},
	{"rx_2048_to_4095_bytes_phy", S_FIXED, 0},
	{"rx_4096_to_8191_bytes_phy", S_LARGE_RX, 0},
	{"rx_8192_to_10239_bytes_phy", S_FIXED, 0},
	{"link_down_events_phy", S_MEMBER, AT(carrier_down)},
	{"rx_bits_phy", S_RX_BITS, 0},
	{"rx_corrected_bits_phy", S_MEMBER, AT(fec_corrected_bits)},
	{"rx_pcs_symbol_err_phy", S_MEMBER, AT(rx_symbol_errors)},
	{"rx_err_lane_0_phy", S_MEMBER, AT(lane_corrected_bits[0])},
	{"rx_err_lane_1_phy", S_MEMBER, AT(lane_corrected_bits[1])},
	{"rx_err_lane_2_phy", S_MEMBER, AT(lane_corrected_bits[2])},
	{"rx_err_lane_3_phy", S_MEMBER, AT(lane_corrected_bits[3])},
	{"rx_buffer_passed_thres_phy", S_MEMBER, AT(nic.rx_buffer_passed_thres)},
	{"rx_pci_signal_integrity", S_FIXED, 0},
	{"tx_pci_signal_integrity", S_FIXED, 0},
	{"outbound_pci_stalled_rd", S_FIXED, 0},
	{"outbound_pci_stalled_wr", S_PCI_STALLED, 0},
	{"outbound_pci_stalled_rd_events", S_FIXED, 0},
	{"outbound_pci_stalled_wr_events", S_FIXED, 0},
};

static const struct stat_line module_lines[] = {
	{"module_unplug", S_FIXED, 0},
	{"module_bus_stuck", S_FIXED, 0},
	{"module_high_temp", S_FIXED, 0},
	{"module_bad_shorted", S_FIXED, 0},
};

static uint64_t pfc_sum(const struct sim_port *p, bool rx)
{
	uint64_t received, sent;

	personality_pause_frames(p, &received, &sent);
	return rx ? received : sent;
}

static uint64_t subtract_floor(uint64_t all, uint64_t part)
{
	return all > part ? all - part : 0;
}

/* RDMA traffic bypasses the kernel. */
void linux_kernel_counts(const struct sim_port *p, struct kernel_counts *k)
{
	*k = (struct kernel_counts){subtract_floor(p->rx_bytes, p->nic.rdma_rx_bytes),
		subtract_floor(p->tx_bytes, p->nic.rdma_tx_bytes),
		subtract_floor(p->rx_packets, p->nic.rdma_rx_packets),
		subtract_floor(p->tx_packets, p->nic.rdma_tx_packets)};
}

static uint64_t value_of(
	const struct machine *m, const struct sim_port *p, const struct stat_line *l)
{
	struct kernel_counts k;
	uint64_t v = 0;

	linux_kernel_counts(p, &k);
	switch (l->source) {
	case S_MEMBER:
		memcpy(&v, (const char *)p + l->detail, sizeof(v));
		return v;
	case S_RX_BITS:
		/* All bits on the wire, idle ones too: megabits per second times microseconds. */
		return (uint64_t)(sim_now(m->ctx->sim) - m->d->boot_us) * p->plan_mbps;
	case S_PFC_RX:
		return pfc_sum(p, true);
	case S_PFC_TX:
		return pfc_sum(p, false);
	case S_LARGE_RX:
		return p->nic.rdma_rx_packets;
	case S_SMALL_RX:
	case S_KERNEL_RX_PACKETS:
		return k.rx_packets;
	case S_PCI_STALLED:
		return p->nic.pci_stalled_percent;
	case S_KERNEL_RX_BYTES:
		return k.rx_bytes;
	case S_KERNEL_TX_PACKETS:
		return k.tx_packets;
	case S_KERNEL_TX_BYTES:
		return k.tx_bytes;
	case S_FIXED:
	default:
		return l->detail;
	}
}

static void print_counter(struct buf *out, const char *name, uint64_t v)
{
	(void)buf_add(out, "     ", 5);
	(void)buf_adds(out, name);
	(void)buf_add(out, ": ", 2);
	add_u64(out, v);
	(void)buf_add(out, "\n", 1);
}

static void print_n(struct buf *out, const char *before, unsigned n, const char *after, uint64_t v)
{
	char name[48];

	(void)snprintf(name, sizeof(name), "%s%u%s", before, n, after);
	print_counter(out, name, v);
}

static void print_priorities(const struct sim_port *p, struct buf *out)
{
	unsigned i;

	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		print_n(out, "rx_prio", i, "_bytes", q->rx_bytes);
		print_n(out, "rx_prio", i, "_packets", q->rx_packets);
		print_n(out, "rx_prio", i, "_discards", q->pg_drops);
		print_n(out, "tx_prio", i, "_bytes", q->tx_bytes);
		print_n(out, "tx_prio", i, "_packets", q->tx_packets);
	}
	/* Only for the priorities that have PFC. */
	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		if (!(p->config.pfc_mask >> i & 1))
			continue;
		print_n(out, "rx_prio", i, "_pause", q->pfc_rx_frames);
		print_n(out, "rx_prio", i, "_pause_duration", q->pfc_rx_us);
		print_n(out, "tx_prio", i, "_pause", q->pfc_tx_frames);
		print_n(out, "tx_prio", i, "_pause_duration", q->pfc_tx_us);
		print_n(out, "rx_prio", i, "_pause_transition", q->pfc_rx_frames / 2);
	}
	print_counter(out, "tx_pause_storm_warning_events", p->nic.storm_warning_events);
	print_counter(out, "tx_pause_storm_error_events", p->nic.storm_error_events);
}

static void print_buffers(const struct sim_port *p, struct buf *out)
{
	unsigned i;

	for (i = 0; i < 8; i++) {
		print_n(out, "rx_prio", i, "_buf_discard", p->q[i].pg_drops);
		print_n(out, "rx_prio", i, "_cong_discard", 0);
		print_n(out, "rx_prio", i, "_marked", 0);
	}
}

static void print_rings(const struct sim_port *p, struct buf *out)
{
	struct kernel_counts k;
	unsigned i;

	linux_kernel_counts(p, &k);
	for (i = 0; i < 4; i++) {
		print_n(out, "ch", i, "_events", 90231001 + i);
		print_n(out, "rx", i, "_packets", k.rx_packets / 4);
		print_n(out, "rx", i, "_bytes", k.rx_bytes / 4);
		print_n(out, "tx", i, "_packets", k.tx_packets / 4);
		print_n(out, "tx", i, "_bytes", k.tx_bytes / 4);
	}
}

static void print_lines(const struct machine *m, const struct sim_port *p,
	const struct stat_line *list, size_t n, struct buf *out)
{
	size_t i;

	for (i = 0; i < n; i++)
		print_counter(out, list[i].name, value_of(m, p, &list[i]));
}

int linux_ethtool_statistics(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	(void)buf_adds(out, "NIC statistics:\n");
	print_lines(m, p, lines, sizeof(lines) / sizeof(lines[0]), out);
	print_priorities(p, out);
	print_lines(m, p, module_lines, sizeof(module_lines) / sizeof(module_lines[0]), out);
	print_buffers(p, out);
	print_rings(p, out);
	return 0;
}
