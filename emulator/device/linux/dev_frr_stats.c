/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "emulator/device/linux/dev_linux.h"

/* `ethtool -S swpN`: the counters of the switch chip, with the driver's names. */

static void print_counter(struct buf *out, const char *name, uint64_t v)
{
	(void)buf_addf(out, "     %s: ", name);
	add_u64(out, v);
	(void)buf_add(out, "\n", 1);
}

static void print_n(struct buf *out, const char *name, unsigned n, uint64_t v)
{
	char full[48];

	(void)snprintf(full, sizeof(full), "%s_%u", name, n);
	print_counter(out, full, v);
}

static void port_counters(const struct sim_port *p, struct buf *out)
{
	uint64_t marked = 0, rx_pfc, tx_pfc;
	unsigned i;

	personality_pause_frames(p, &rx_pfc, &tx_pfc);
	for (i = 0; i < 8; i++)
		marked += p->q[i].ecn_marked;
	print_counter(out, "a_frames_transmitted_ok", p->tx_packets);
	print_counter(out, "a_frames_received_ok", p->rx_packets);
	print_counter(out, "a_frame_check_sequence_errors", p->rx_fcs_errors);
	print_counter(out, "a_alignment_errors", 0);
	print_counter(out, "a_octets_transmitted_ok", p->tx_bytes);
	print_counter(out, "a_octets_received_ok", p->rx_bytes);
	print_counter(out, "a_symbol_error_during_carrier", p->rx_symbol_errors);
	print_counter(out, "a_mac_control_frames_transmitted", tx_pfc);
	print_counter(out, "a_mac_control_frames_received", rx_pfc);
	print_counter(out, "a_unsupported_opcodes_received", 0);
	print_counter(out, "a_pause_mac_ctrl_frames_received", rx_pfc);
	print_counter(out, "a_pause_mac_ctrl_frames_xmitted", tx_pfc);
	print_counter(out, "if_in_discards", p->rx_discards);
	print_counter(out, "if_out_discards", p->tx_discards);
	print_counter(out, "if_out_errors", p->tx_errors);
	print_counter(out, "dot3stats_fcs_errors", p->rx_fcs_errors);
	print_counter(out, "dot3stats_symbol_errors", p->rx_symbol_errors);
	print_counter(out, "ecn_marked", marked);
	print_counter(out, "discard_ingress_general", p->rx_discards);
	print_counter(out, "discard_egress_general", p->tx_discards);
}

int linux_switch_statistics(const struct machine *m, const struct sim_port *p, struct buf *out)
{
	unsigned i;

	(void)buf_adds(out, "NIC statistics:\n");
	port_counters(p, out);
	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		print_n(out, "rx_octets_prio", i, q->rx_bytes);
		print_n(out, "rx_frames_prio", i, q->rx_packets);
		print_n(out, "tx_octets_prio", i, q->tx_bytes);
		print_n(out, "tx_frames_prio", i, q->tx_packets);
		print_n(out, "rx_pause_prio", i, q->pfc_rx_frames);
		print_n(out, "tx_pause_prio", i, q->pfc_tx_frames);
		if (!m->d->platform || !m->d->platform->pause_us)
			continue;
		print_n(out, "rx_pause_duration_prio", i, q->pfc_rx_us);
		print_n(out, "tx_pause_duration_prio", i, q->pfc_tx_us);
	}
	for (i = 0; i < 8; i++) {
		const struct sim_queue *q = &p->q[i];

		print_n(out, "tc_transmit_queue_tc", i, q->depth_bytes);
		print_n(out, "tc_no_buffer_discard_uc_tc", i, q->drops);
		print_n(out, "tc_wred_discard_tc", i, q->wred_drops);
		if (p->config.ecn)
			print_n(out, "tc_ecn_marked_tc", i, q->ecn_marked);
	}
	return 0;
}
