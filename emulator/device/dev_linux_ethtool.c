/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "emulator/device/dev_linux.h"

#define AT(member)   offsetof(struct sim_port, member)
#define Q(n, member) offsetof(struct sim_port, q[n].member)

/* Values of `ethtool -S` that are not one member of struct sim_port. */
enum special {
	S_ZERO = 1,
	S_FIXED,
	S_RDMA_RX_BYTES,
	S_RX_BITS,
	S_LANE,
	S_PFC_RX,
	S_PFC_TX,
	S_TRANSITION,
	S_LARGE_RX,
	S_SMALL_RX
};

struct stat_line {
	const char *name;
	size_t offset; /* of a uint64_t, unless special */
	enum special special;
	unsigned detail; /* S_FIXED: the value */
};

#define PRIO_BYTES(n)                                                                              \
	{"rx_prio" #n "_bytes", Q(n, rx_bytes), 0, 0},                                             \
		{"rx_prio" #n "_packets", Q(n, rx_packets), 0, 0},                                 \
		{"rx_prio" #n "_discards", 0, S_ZERO, 0},                                          \
		{"tx_prio" #n "_bytes", Q(n, tx_bytes), 0, 0},                                     \
	{                                                                                          \
		"tx_prio" #n "_packets", Q(n, tx_packets), 0, 0                                    \
	}
#define PRIO_BUFFER(n)                                                                             \
	{"rx_prio" #n "_buf_discard", 0, S_ZERO, 0}, {"rx_prio" #n "_cong_discard", 0, S_ZERO, 0}, \
	{                                                                                          \
		"rx_prio" #n "_marked", 0, S_ZERO, 0                                               \
	}
#define ZERO(name)                                                                                 \
	{                                                                                          \
		name, 0, S_ZERO, 0                                                                 \
	}
#define RING(n)                                                                                    \
	{"ch" #n "_events", 0, S_FIXED, 90231001}, {"rx" #n "_packets", 0, S_FIXED, 1100211},      \
		{"rx" #n "_bytes", 0, S_FIXED, 137874226},                                         \
		{"tx" #n "_packets", 0, S_FIXED, 891002},                                          \
	{                                                                                          \
		"tx" #n "_bytes", 0, S_FIXED, 123887866                                            \
	}

/* In the driver's order: software, vport, physical port, priorities, PCIe, module, rings. */
static const struct stat_line lines[] = {
	{"rx_packets", Q(0, rx_packets), 0, 0},
	{"rx_bytes", Q(0, rx_bytes), 0, 0},
	{"tx_packets", Q(0, tx_packets), 0, 0},
	{"tx_bytes", Q(0, tx_bytes), 0, 0},
	ZERO("tx_tso_packets"),
	ZERO("tx_tso_bytes"),
	ZERO("tx_tso_inner_packets"),
	ZERO("tx_tso_inner_bytes"),
	ZERO("tx_added_vlan_packets"),
	{"tx_nop", 0, S_FIXED, 71920},
	{"tx_mpwqe_blks", 0, S_FIXED, 66102199},
	{"tx_mpwqe_pkts", 0, S_FIXED, 70119302},
	ZERO("rx_lro_packets"),
	ZERO("rx_lro_bytes"),
	ZERO("rx_ecn_mark"),
	ZERO("rx_removed_vlan_packets"),
	ZERO("rx_csum_unnecessary"),
	{"rx_csum_none", 0, S_FIXED, 1213},
	{"rx_csum_complete", Q(0, rx_packets), 0, 0},
	ZERO("rx_csum_complete_tail"),
	ZERO("rx_csum_complete_tail_slow"),
	ZERO("rx_csum_unnecessary_inner"),
	ZERO("rx_xdp_drop"),
	ZERO("rx_xdp_redirect"),
	ZERO("rx_xdp_tx_xmit"),
	ZERO("rx_xdp_tx_err"),
	{"tx_csum_none", 0, S_FIXED, 6},
	{"tx_csum_partial", Q(0, tx_packets), 0, 0},
	ZERO("tx_csum_partial_inner"),
	ZERO("tx_queue_stopped"),
	ZERO("tx_queue_dropped"),
	ZERO("tx_xmit_more"),
	ZERO("tx_recover"),
	{"tx_cqes", Q(0, tx_packets), 0, 0},
	ZERO("tx_queue_wake"),
	ZERO("tx_cqe_err"),
	ZERO("rx_wqe_err"),
	ZERO("rx_mpwqe_filler_cqes"),
	ZERO("rx_mpwqe_filler_strides"),
	ZERO("rx_oversize_pkts_sw_drop"),
	ZERO("rx_buff_alloc_err"),
	ZERO("rx_cqe_compress_blks"),
	ZERO("rx_cqe_compress_pkts"),
	{"rx_cache_reuse", 0, S_FIXED, 1152},
	ZERO("rx_cache_full"),
	ZERO("rx_cache_empty"),
	ZERO("rx_cache_busy"),
	{"rx_cache_alloc", 0, S_FIXED, 60480},
	ZERO("rx_congst_umr"),
	ZERO("rx_arfs_err"),
	ZERO("rx_recover"),
	{"ch_events", 0, S_FIXED, 90231001},
	{"ch_poll", 0, S_FIXED, 90231882},
	{"ch_arm", 0, S_FIXED, 90230991},
	ZERO("ch_aff_change"),
	ZERO("ch_force_irq"),
	ZERO("ch_eq_rearm"),
	{"rx_out_of_buffer", AT(nic.out_of_buffer), 0, 0},
	ZERO("rx_if_down_packets"),
	ZERO("rx_steer_missed_packets"),
	{"rx_vport_unicast_packets", Q(0, rx_packets), 0, 0},
	{"rx_vport_unicast_bytes", Q(0, rx_bytes), 0, 0},
	{"tx_vport_unicast_packets", Q(0, tx_packets), 0, 0},
	{"tx_vport_unicast_bytes", Q(0, tx_bytes), 0, 0},
	ZERO("rx_vport_multicast_packets"),
	ZERO("rx_vport_multicast_bytes"),
	ZERO("tx_vport_multicast_packets"),
	ZERO("tx_vport_multicast_bytes"),
	ZERO("rx_vport_broadcast_packets"),
	ZERO("rx_vport_broadcast_bytes"),
	ZERO("tx_vport_broadcast_packets"),
	ZERO("tx_vport_broadcast_bytes"),
	{"rx_vport_rdma_unicast_packets", Q(LOSSLESS_PRIO, rx_packets), 0, 0},
	{"rx_vport_rdma_unicast_bytes", Q(LOSSLESS_PRIO, rx_bytes), 0, 0},
	{"tx_vport_rdma_unicast_packets", Q(LOSSLESS_PRIO, tx_packets), 0, 0},
	{"tx_vport_rdma_unicast_bytes", Q(LOSSLESS_PRIO, tx_bytes), 0, 0},
	ZERO("rx_vport_rdma_multicast_packets"),
	ZERO("rx_vport_rdma_multicast_bytes"),
	ZERO("tx_vport_rdma_multicast_packets"),
	ZERO("tx_vport_rdma_multicast_bytes"),
	ZERO("vport_loopback_packets"),
	ZERO("vport_loopback_bytes"),
	{"tx_packets_phy", AT(tx_packets), 0, 0},
	{"rx_packets_phy", AT(rx_packets), 0, 0},
	{"rx_crc_errors_phy", AT(rx_fcs_errors), 0, 0},
	{"tx_bytes_phy", AT(tx_bytes), 0, 0},
	{"rx_bytes_phy", AT(rx_bytes), 0, 0},
	ZERO("tx_multicast_phy"),
	ZERO("tx_broadcast_phy"),
	ZERO("rx_multicast_phy"),
	ZERO("rx_broadcast_phy"),
	ZERO("rx_in_range_len_errors_phy"),
	ZERO("rx_out_of_range_len_phy"),
	ZERO("rx_oversize_pkts_phy"),
	{"rx_symbol_err_phy", AT(rx_symbol_errors), 0, 0},
	ZERO("tx_mac_control_phy"),
	ZERO("rx_mac_control_phy"),
	ZERO("rx_unsupported_op_phy"),
	{"rx_pause_ctrl_phy", 0, S_PFC_RX, 0},
	{"tx_pause_ctrl_phy", 0, S_PFC_TX, 0},
	{"rx_discards_phy", AT(rx_discards), 0, 0},
	{"tx_discards_phy", AT(tx_discards), 0, 0},
	{"tx_errors_phy", AT(tx_errors), 0, 0},
	ZERO("rx_undersize_pkts_phy"),
	ZERO("rx_fragments_phy"),
	ZERO("rx_jabbers_phy"),
	ZERO("rx_64_bytes_phy"),
	{"rx_65_to_127_bytes_phy", 0, S_SMALL_RX, 0},
	ZERO("rx_128_to_255_bytes_phy"),
	ZERO("rx_256_to_511_bytes_phy"),
	ZERO("rx_512_to_1023_bytes_phy"),
	ZERO("rx_1024_to_1518_bytes_phy"),
	ZERO("rx_1519_to_2047_bytes_phy"),
	ZERO("rx_2048_to_4095_bytes_phy"),
	{"rx_4096_to_8191_bytes_phy", 0, S_LARGE_RX, 0},
	ZERO("rx_8192_to_10239_bytes_phy"),
	{"link_down_events_phy", AT(carrier_down), 0, 0},
	{"rx_bits_phy", 0, S_RX_BITS, 0},
	{"rx_corrected_bits_phy", AT(fec_corrected_bits), 0, 0},
	{"rx_pcs_symbol_err_phy", AT(rx_symbol_errors), 0, 0},
	{"rx_err_lane_0_phy", 0, S_LANE, 0},
	{"rx_err_lane_1_phy", 0, S_LANE, 1},
	{"rx_err_lane_2_phy", 0, S_LANE, 2},
	{"rx_err_lane_3_phy", 0, S_LANE, 3},
	ZERO("rx_buffer_passed_thres_phy"),
	ZERO("rx_pci_signal_integrity"),
	ZERO("tx_pci_signal_integrity"),
	ZERO("outbound_pci_stalled_rd"),
	ZERO("outbound_pci_stalled_wr"),
	ZERO("outbound_pci_stalled_rd_events"),
	ZERO("outbound_pci_stalled_wr_events"),
	PRIO_BYTES(0),
	PRIO_BYTES(1),
	PRIO_BYTES(2),
	PRIO_BYTES(3),
	PRIO_BYTES(4),
	PRIO_BYTES(5),
	PRIO_BYTES(6),
	PRIO_BYTES(7),
	{"rx_prio3_pause", Q(3, pfc_rx_frames), 0, 0},
	{"rx_prio3_pause_duration", Q(3, pfc_rx_us), 0, 0},
	{"tx_prio3_pause", Q(3, pfc_tx_frames), 0, 0},
	{"tx_prio3_pause_duration", Q(3, pfc_tx_us), 0, 0},
	{"rx_prio3_pause_transition", 0, S_TRANSITION, 0},
	ZERO("tx_pause_storm_warning_events"),
	ZERO("tx_pause_storm_error_events"),
	ZERO("module_unplug"),
	ZERO("module_bus_stuck"),
	ZERO("module_high_temp"),
	ZERO("module_bad_shorted"),
	PRIO_BUFFER(0),
	PRIO_BUFFER(1),
	PRIO_BUFFER(2),
	PRIO_BUFFER(3),
	PRIO_BUFFER(4),
	PRIO_BUFFER(5),
	PRIO_BUFFER(6),
	PRIO_BUFFER(7),
	RING(0),
	RING(1),
	RING(2),
	RING(3),
};

static uint64_t pfc_sum(const struct sim_port *p, bool rx)
{
	uint64_t sum = 0;
	unsigned i;

	for (i = 0; i < 8; i++)
		sum += rx ? p->q[i].pfc_rx_frames : p->q[i].pfc_tx_frames;
	return sum;
}

static uint64_t special(
	const struct machine *m, const struct sim_port *p, const struct stat_line *l)
{
	unsigned lanes = p->lanes ? p->lanes : 1;

	switch (l->special) {
	case S_FIXED:
		return l->detail;
	case S_RX_BITS:
		/* Everything on the wire, idle too: megabits per second times microseconds. */
		return (uint64_t)(sim_now(m->ctx->sim) - m->d->boot_us) * 400000u;
	case S_LANE:
		return p->fec_corrected_bits / lanes +
		       (l->detail < p->fec_corrected_bits % lanes ? 1 : 0);
	case S_PFC_RX:
		return pfc_sum(p, true);
	case S_PFC_TX:
		return pfc_sum(p, false);
	case S_TRANSITION:
		return p->q[LOSSLESS_PRIO].pfc_rx_frames / 2;
	case S_LARGE_RX:
		return p->q[LOSSLESS_PRIO].rx_packets;
	case S_SMALL_RX:
		return p->rx_packets - p->q[LOSSLESS_PRIO].rx_packets;
	case S_RDMA_RX_BYTES:
	case S_ZERO:
	default:
		return 0;
	}
}

static int statistics(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	size_t i;

	(void)buf_adds(out, "NIC statistics:\n");
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		uint64_t v = 0;

		if (lines[i].special)
			v = special(m, p, &lines[i]);
		else
			memcpy(&v, (const char *)p + lines[i].offset, sizeof(v));
		(void)buf_add(out, "     ", 5);
		(void)buf_adds(out, lines[i].name);
		(void)buf_add(out, ": ", 2);
		add_u64(out, v);
		(void)buf_add(out, "\n", 1);
	}
	return 0;
}

static int fec(const struct sim_port *p, bool with_statistics, struct buf *out)
{
	(void)buf_addf(out,
		"FEC parameters for eth%u:\nSupported/Configured FEC encodings: RS\n"
		"Active FEC encoding: %s\n",
		p->port, p->up ? "RS" : "None");
	if (with_statistics)
		(void)buf_addf(out,
			"Statistics:\n  corrected_blocks: %llu\n  uncorrectable_blocks: %llu\n"
			"  corrected_bits: %llu\n",
			(unsigned long long)p->fec_corrected,
			(unsigned long long)p->fec_uncorrectable,
			(unsigned long long)p->fec_corrected_bits);
	return 0;
}

static int pause(const struct sim_port *p, bool with_statistics, struct buf *out)
{
	/* 802.3x pause is off where PFC is on. */
	(void)buf_addf(out,
		"Pause parameters for eth%u:\nAutonegotiate:\toff\nRX:\t\toff\nTX:\t\toff\n",
		p->port);
	if (with_statistics)
		(void)buf_adds(out, "Statistics:\n  tx_pause_frames: 0\n  rx_pause_frames: 0\n");
	(void)buf_add(out, "\n", 1);
	return 0;
}

static void modes(struct buf *out, const char *title)
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

static int settings(const struct sim_port *p, struct buf *out)
{
	(void)buf_addf(out, "Settings for eth%u:\n\tSupported ports: [ \t FIBRE ]\n", p->port);
	modes(out, "Supported");
	(void)buf_adds(out,
		"\tSupported pause frame use: Symmetric\n\tSupports auto-negotiation: Yes\n"
		"\tSupported FEC modes: \t RS\n");
	modes(out, "Advertised");
	(void)buf_adds(out, "\tAdvertised pause frame use: No\n\tAdvertised auto-negotiation: Yes\n"
			    "\tAdvertised FEC modes: \t RS\n");
	if (p->up)
		(void)buf_addf(out, "\tSpeed: %uMb/s\n\tLanes: %u\n\tDuplex: Full\n", p->speed_mbps,
			p->lanes);
	else
		(void)buf_adds(out, "\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n");
	(void)buf_addf(out,
		"\tAuto-negotiation: on\n\tPort: FIBRE\n\tPHYAD: 0\n\tTransceiver: internal\n"
		"\tSupports Wake-on: d\n\tWake-on: d\n"
		"        Current message level: 0x00000004 (4)\n                               "
		"link\n"
		"\tLink detected: %s\n",
		p->up                ? "yes"
		: p->config.admin_up ? "no (No cable)"
				     : "no");
	return 0;
}

static int driver(const struct sim_port *p, struct buf *out)
{
	char pci[16];

	linux_pci(p->port, pci);
	(void)buf_addf(out,
		"driver: mlx5_core\nversion: " LINUX_KERNEL "\nfirmware-version: " LINUX_FIRMWARE
		" (" LINUX_BOARD
		")\nexpansion-rom-version: \nbus-info: %s\nsupports-statistics: yes\n"
		"supports-test: yes\nsupports-eeprom-access: no\nsupports-register-dump: no\n"
		"supports-priv-flags: yes\n",
		pci);
	return 0;
}

static int refuse(const struct shell_call *c)
{
	(void)buf_adds(c->err, "ethtool: bad command line argument(s)\n"
			       "For more information run ethtool -h\n");
	return 1;
}

static int dispatch(struct machine *m, const struct shell_call *c, const char *what, bool include,
	const char *netdev)
{
	const struct sim_port *p = linux_port(m, netdev);

	if (!p) {
		(void)buf_adds(c->err, "netlink error: No such device\n");
		return 1;
	}
	if (!what)
		return settings(p, c->out);
	if (!strcmp(what, "-S") || !strcmp(what, "--statistics"))
		return statistics(m, p, c->out);
	if (!strcmp(what, "--show-fec"))
		return fec(p, include, c->out);
	if (!strcmp(what, "-a") || !strcmp(what, "--show-pause"))
		return pause(p, include, c->out);
	if (!strcmp(what, "-i") || !strcmp(what, "--driver"))
		return driver(p, c->out);
	if (!strcmp(what, "-m") || !strcmp(what, "--module-info"))
		return linux_ethtool_module(p, c->out);
	if (!strcmp(what, "--show-priv-flags")) {
		(void)buf_addf(c->out,
			"Private flags for %s:\nrx_cqe_moder       : on\n"
			"rx_striding_rq     : on\n",
			netdev);
		return 0;
	}
	if (!strcmp(what, "--get-tunable")) {
		(void)buf_adds(c->out, "pfc-prevention-tout: 8000\n");
		return 0;
	}
	return refuse(c);
}

int linux_ethtool(struct machine *m, const struct shell_call *c)
{
	const char *what = NULL;
	bool include = false;
	int i;

	for (i = 1; i < c->argc && c->argv[i][0] == '-'; i++) {
		if (!strcmp(c->argv[i], "--version")) {
			(void)buf_adds(c->out, "ethtool version 6.1\n");
			return 0;
		}
		if (!strcmp(c->argv[i], "-I") || !strcmp(c->argv[i], "--include-statistics"))
			include = true;
		else if (what || !strcmp(c->argv[i], "--json") || !strcmp(c->argv[i], "-j"))
			return refuse(c); /* 6.1 has JSON for few of its objects */
		else
			what = c->argv[i];
	}
	if (i >= c->argc)
		return refuse(c);
	return dispatch(m, c, what, include, c->argv[i]);
}
