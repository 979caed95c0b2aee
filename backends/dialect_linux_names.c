/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialect_linux.h"
#include "base/str.h"

/*
 * Drivers name the same thing differently. The rank says which source to believe where a host has
 * several: 9 counts what is on the wire, 5 is as good but from further away, 3 sees a part.
 */

/* Q counters of mlx5 are 32 bits wide although printed as 64; IB data counters are 4-byte words. */
static const struct host_name ib_names[] = {
	/* counters/ */
	{"port_rcv_data", CTR_RX_BYTES, RANK_IB_PORT, 4},
	{"port_xmit_data", CTR_TX_BYTES, RANK_IB_PORT, 4},
	{"port_rcv_packets", CTR_RX_PACKETS, RANK_IB_PORT, 1},
	{"port_xmit_packets", CTR_TX_PACKETS, RANK_IB_PORT, 1},
	{"port_rcv_errors", CTR_RX_ERRORS, RANK_IB_PORT, 1},
	{"port_xmit_discards", CTR_TX_DISCARDS, RANK_IB_PORT, 1},
	/* netdev */
	{"rx_errors", CTR_RX_ERRORS, 9, 1},
	{"tx_errors", CTR_TX_ERRORS, 9, 1},
	{"carrier_changes", CTR_CARRIER_CHANGES, 9, 1},
	{"carrier_down_count", CTR_LINK_DOWN_EVENTS, 5, 1},
	/* netdev of a soft RDMA device: of a NIC the kernel does not see what RDMA sends */
	{"statistics/rx_bytes", CTR_RX_BYTES, 1, 1},
	{"statistics/tx_bytes", CTR_TX_BYTES, 1, 1},
	{"statistics/rx_packets", CTR_RX_PACKETS, 1, 1},
	{"statistics/tx_packets", CTR_TX_PACKETS, 1, 1},
	{"rx_missed_errors", CTR_RX_DISCARDS, 2, 1},
	{"rx_crc_errors", CTR_RX_FCS_ERRORS, 2, 1},
	{"tx_dropped", CTR_TX_DISCARDS, 1, 1},
	/* hw_counters/, mlx5 */
	{"np_cnp_sent", CTR_CNP_SENT, 9, 1},
	{"rp_cnp_handled", CTR_CNP_HANDLED, 9, 1},
	{"rp_cnp_ignored", CTR_CNP_IGNORED, 9, 1},
	{"np_ecn_marked_roce_packets", CTR_ECN_MARKED_ROCE_PACKETS, 9, 1},
	{"out_of_sequence", CTR_OUT_OF_SEQUENCE, 9, 1},
	{"packet_seq_err", CTR_PACKET_SEQ_ERR, 9, 1},
	{"implied_nak_seq_err", CTR_IMPLIED_NAK_SEQ_ERR, 9, 1},
	{"local_ack_timeout_err", CTR_LOCAL_ACK_TIMEOUT_ERR, 9, 1},
	{"rnr_nak_retry_err", CTR_RNR_NAK_RETRY_ERR, 9, 1},
	{"duplicate_request", CTR_DUPLICATE_REQUEST, 9, 1},
	{"req_transport_retries_exceeded", CTR_TRANSPORT_RETRIES_EXCEEDED, 9, 1},
	{"rx_icrc_encapsulated", CTR_RX_ICRC_ERRORS, 9, 1},
	{"roce_adp_retrans", CTR_ROCE_ADP_RETRANS, 9, 1},
	{"roce_slow_restart", CTR_ROCE_SLOW_RESTART, 9, 1},
	{"out_of_buffer", CTR_RX_OUT_OF_BUFFER, 9, 1},
	/* bnxt_re */
	{"rx_bytes", CTR_RX_BYTES, 3, 1},
	{"tx_bytes", CTR_TX_BYTES, 3, 1},
	{"rx_pkts", CTR_RX_PACKETS, 3, 1},
	{"tx_pkts", CTR_TX_PACKETS, 3, 1},
	{"oos_drop_count", CTR_OUT_OF_SEQUENCE, 5, 1},
	{"seq_err_naks_rcvd", CTR_PACKET_SEQ_ERR, 5, 1},
	{"missing_resp", CTR_IMPLIED_NAK_SEQ_ERR, 5, 1},
	{"to_retransmits", CTR_LOCAL_ACK_TIMEOUT_ERR, 5, 1},
	{"rnr_naks_rcvd", CTR_RNR_NAK_RETRY_ERR, 5, 1},
	{"rx_out_of_buffer", CTR_RX_OUT_OF_BUFFER, 5, 1},
	{"max_retry_exceeded", CTR_TRANSPORT_RETRIES_EXCEEDED, 5, 1},
	{"dup_req", CTR_DUPLICATE_REQUEST, 5, 1},
	{"tx_cnp_pkts", CTR_CNP_SENT, 5, 1},
	{"rx_cnp_pkts", CTR_CNP_HANDLED, 5, 1},
	{"rx_ecn_marked_pkts", CTR_ECN_MARKED_ROCE_PACKETS, 5, 1},
	{"rx_roce_errors", CTR_RX_ERRORS, 3, 1},
	{"rx_roce_discards", CTR_RX_DISCARDS, 3, 1},
	/* irdma; the third generation's names have blanks */
	{"cnpSent", CTR_CNP_SENT, 5, 1},
	{"cnpHandled", CTR_CNP_HANDLED, 5, 1},
	{"cnpIgnored", CTR_CNP_IGNORED, 5, 1},
	{"RxECNMrkd", CTR_ECN_MARKED_ROCE_PACKETS, 5, 1},
	{"RTO", CTR_LOCAL_ACK_TIMEOUT_ERR, 5, 1},
	{"RetransSegs", CTR_ROCE_ADP_RETRANS, 5, 1},
	{"tcpRetransSegs", CTR_ROCE_ADP_RETRANS, 4, 1},
	{"RNR received", CTR_RNR_NAK_RETRY_ERR, 5, 1},
	{"Nak Sequence Error", CTR_PACKET_SEQ_ERR, 5, 1},
	{"Nak Sequence Error Implied", CTR_IMPLIED_NAK_SEQ_ERR, 5, 1},
	{"Rcvd Out of order packets", CTR_OUT_OF_SEQUENCE, 5, 1},
	/* efa: its transport retransmits in the card and changes the path after a timeout */
	{"rx_drops", CTR_RX_DISCARDS, 3, 1},
	{"retrans_pkts", CTR_ROCE_ADP_RETRANS, 3, 1},
	{"retrans_timeout_events", CTR_LOCAL_ACK_TIMEOUT_ERR, 3, 1},
	{"unresponsive_remote_events", CTR_TRANSPORT_RETRIES_EXCEEDED, 3, 1},
	/*
	 * rxe: completer_retry_err are rounds of retransmission, after a timeout or a NAK;
	 * retry_exceeded_err are queue pairs that gave up.
	 */
	{"rcvd_pkts", CTR_RX_PACKETS, 3, 1},
	{"sent_pkts", CTR_TX_PACKETS, 3, 1},
	{"out_of_seq_request", CTR_OUT_OF_SEQUENCE, 3, 1},
	{"rcvd_seq_err", CTR_PACKET_SEQ_ERR, 3, 1},
	{"completer_retry_err", CTR_ROCE_ADP_RETRANS, 3, 1},
	{"retry_exceeded_err", CTR_TRANSPORT_RETRIES_EXCEEDED, 3, 1},
	{"send_err", CTR_TX_ERRORS, 10, 1},
	{"rcvd_rnr_err", CTR_RNR_NAK_RETRY_ERR, 3, 1},
	{"link_downed", CTR_LINK_DOWN_EVENTS, 3, 1},
};

/* The length is compared first: a NIC prints some hundred names, most of them not used. */
#define NAME(text, ...)                                                                            \
	{                                                                                          \
		{text, __VA_ARGS__}, sizeof(text) - 1                                              \
	}

static const struct ethtool_name {
	struct host_name is;
	size_t len;
} ethtool_names[] = {
	/* mlx5: rx_prio#_pause counts frames received, the durations are microseconds */
	NAME("rx_bytes_phy", CTR_RX_BYTES, 9, 1),
	NAME("tx_bytes_phy", CTR_TX_BYTES, 9, 1),
	NAME("rx_packets_phy", CTR_RX_PACKETS, 9, 1),
	NAME("tx_packets_phy", CTR_TX_PACKETS, 9, 1),
	NAME("tx_errors_phy", CTR_TX_ERRORS, 5, 1),
	NAME("rx_discards_phy", CTR_RX_DISCARDS, 9, 1),
	NAME("tx_discards_phy", CTR_TX_DISCARDS, 9, 1),
	NAME("rx_crc_errors_phy", CTR_RX_FCS_ERRORS, 9, 1),
	NAME("rx_symbol_err_phy", CTR_RX_SYMBOL_ERRORS, 9, 1),
	NAME("rx_global_pause", CTR_RX_PAUSE_FRAMES, 9, 1),
	NAME("tx_global_pause", CTR_TX_PAUSE_FRAMES, 9, 1),
	NAME("rx_prio#_pause", CTR_PFC_RX_FRAMES, 9, 1),
	NAME("tx_prio#_pause", CTR_PFC_TX_FRAMES, 9, 1),
	NAME("rx_prio#_pause_duration", CTR_PFC_RX_DURATION_US, 9, 1),
	NAME("tx_prio#_pause_duration", CTR_PFC_TX_DURATION_US, 9, 1),
	NAME("rx_prio#_pause_transition", CTR_PFC_RX_TRANSITIONS, 9, 1),
	NAME("tx_pause_storm_warning_events", CTR_PAUSE_STORM_WARNINGS, 9, 1),
	NAME("tx_pause_storm_error_events", CTR_PAUSE_STORM_ERRORS, 9, 1),
	NAME("rx_buffer_passed_thres_phy", CTR_RX_BUFFER_PASSED_THRESHOLD, 9, 1),
	NAME("outbound_pci_stalled_rd", CTR_PCI_STALLED_READ_PCT, 9, 1),
	NAME("outbound_pci_stalled_wr", CTR_PCI_STALLED_WRITE_PCT, 9, 1),
	NAME("tx_prio#_packets", CTR_QUEUE_TX_PACKETS, 9, 1),
	NAME("tx_prio#_bytes", CTR_QUEUE_TX_BYTES, 9, 1),
	NAME("rx_prio#_bytes", CTR_RX_PRIO_BYTES, 9, 1),
	NAME("rx_vport_rdma_unicast_bytes", CTR_RDMA_RX_BYTES, 9, 1),
	NAME("tx_vport_rdma_unicast_bytes", CTR_RDMA_TX_BYTES, 9, 1),
	NAME("rx_prio#_discards", CTR_RX_PRIO_DISCARDS, 9, 1),
	NAME("rx_prio#_buf_discard", CTR_RX_PRIO_DISCARDS, 5, 1),
	NAME("rx_corrected_bits_phy", CTR_FEC_CORRECTED_BITS, 5, 1),
	NAME("link_down_events_phy", CTR_LINK_DOWN_EVENTS, 9, 1),
	NAME("rx_out_of_buffer", CTR_RX_OUT_OF_BUFFER, 3, 1),
	/* bnxt_en */
	NAME("rx_pfc_ena_frames_pri#", CTR_PFC_RX_FRAMES, 5, 1),
	NAME("tx_pfc_ena_frames_pri#", CTR_PFC_TX_FRAMES, 5, 1),
	NAME("pfc_pri#_rx_duration_us", CTR_PFC_RX_DURATION_US, 5, 1),
	NAME("pfc_pri#_tx_duration_us", CTR_PFC_TX_DURATION_US, 5, 1),
	NAME("tx_packets_pri#", CTR_QUEUE_TX_PACKETS, 5, 1),
	NAME("tx_bytes_pri#", CTR_QUEUE_TX_BYTES, 5, 1),
	NAME("rx_bytes_pri#", CTR_RX_PRIO_BYTES, 5, 1),
	NAME("rx_pause_frames", CTR_RX_PAUSE_FRAMES, 5, 1),
	NAME("tx_pause_frames", CTR_TX_PAUSE_FRAMES, 5, 1),
	NAME("rx_fcs_err_frames", CTR_RX_FCS_ERRORS, 5, 1),
	NAME("rx_pcs_symbol_err", CTR_RX_SYMBOL_ERRORS, 5, 1),
	NAME("rx_corrected_bits", CTR_FEC_CORRECTED_BITS, 4, 1),
	NAME("rx_fec_corrected_blocks", CTR_FEC_CORRECTED_CODEWORDS, 5, 1),
	NAME("rx_fec_uncorrectable_blocks", CTR_FEC_UNCORRECTABLE_CODEWORDS, 5, 1),
	NAME("link_down_events", CTR_LINK_DOWN_EVENTS, 8, 1),
	NAME("pfc_pri#_rx_transitions", CTR_PFC_RX_TRANSITIONS, 5, 1),
	NAME("rx_discard_packets_cos#", CTR_RX_PRIO_DISCARDS, 5, 1),
	NAME("rx_buffer_passed_threshold", CTR_RX_BUFFER_PASSED_THRESHOLD, 5, 1),
	NAME("continuous_pause_events", CTR_PAUSE_STORM_WARNINGS, 5, 1),
	NAME("rx_total_ring_discards", CTR_RX_DISCARDS, 3, 1),
	/* ionic */
	NAME("rx_pripause_#_1us_count", CTR_PFC_RX_DURATION_US, 5, 1),
	NAME("tx_pripause_#_1us_count", CTR_PFC_TX_DURATION_US, 5, 1),
	NAME("octets_rx_all", CTR_RX_BYTES, 9, 1),
	NAME("octets_tx_total", CTR_TX_BYTES, 9, 1),
	NAME("frames_rx_all", CTR_RX_PACKETS, 9, 1),
	NAME("frames_tx_all", CTR_TX_PACKETS, 9, 1),
	NAME("frames_rx_bad_fcs", CTR_RX_FCS_ERRORS, 5, 1),
	NAME("frames_rx_pause", CTR_RX_PAUSE_FRAMES, 5, 1),
	NAME("frames_tx_pause", CTR_TX_PAUSE_FRAMES, 5, 1),
	NAME("frames_rx_dropped", CTR_RX_DISCARDS, 5, 1),
	NAME("frames_tx_dropped", CTR_TX_DISCARDS, 5, 1),
	/* ice: "rx_bytes" alone is the kernel's share */
	NAME("rx_bytes.nic", CTR_RX_BYTES, 8, 1),
	NAME("tx_bytes.nic", CTR_TX_BYTES, 8, 1),
	NAME("rx_priority_#_xoff.nic", CTR_PFC_RX_FRAMES, 5, 1),
	NAME("tx_priority_#_xoff.nic", CTR_PFC_TX_FRAMES, 5, 1),
	NAME("rx_priority_#_xon_2_xoff.nic", CTR_PFC_RX_TRANSITIONS, 5, 1),
	NAME("link_xoff_rx.nic", CTR_RX_PAUSE_FRAMES, 5, 1),
	NAME("link_xoff_tx.nic", CTR_TX_PAUSE_FRAMES, 5, 1),
	/* Intel before that */
	NAME("rx_flow_control_xoff", CTR_RX_PAUSE_FRAMES, 5, 1),
	NAME("tx_flow_control_xoff", CTR_TX_PAUSE_FRAMES, 5, 1),
};

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Whole names only: rx_prio3_pause must not take rx_prio3_pause_transition. */
static bool name_matches(const char *rule, const char *name, size_t len, unsigned *priority)
{
	*priority = 0;
	for (size_t i = 0; i < len; i++) {
		if (rule[i] == '#' && name[i] >= '0' && name[i] <= '7')
			*priority = (unsigned)(name[i] - '0');
		else if (rule[i] != name[i])
			return false;
	}
	return true;
}

const struct host_name *host_ib_name(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(ib_names); i++)
		if (strcmp(ib_names[i].name, name) == 0)
			return &ib_names[i];
	return NULL;
}

const struct host_name *host_ethtool_name(const char *name, size_t len, unsigned *priority)
{
	for (size_t i = 0; i < ARRAY_LEN(ethtool_names); i++)
		if (ethtool_names[i].len == len &&
			name_matches(ethtool_names[i].is.name, name, len, priority))
			return &ethtool_names[i].is;
	return NULL;
}

bool host_ethtool_counts(enum counter_id id)
{
	for (size_t i = 0; i < ARRAY_LEN(ethtool_names); i++)
		if (ethtool_names[i].is.id == id)
			return true;
	return false;
}
