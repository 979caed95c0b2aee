/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialect_linux.h"
#include "base/str.h"

/*
 * Drivers name the same thing differently. The rank says which source to believe where a host has
 * several: 9 counts what is on the wire, 5 is as good but from further away, 3 sees a part.
 */

/* The length is compared first: most of what a NIC prints is not used. */
#define NAME(text, ...)                                                                            \
	{                                                                                          \
		{text, __VA_ARGS__}, sizeof(text) - 1                                              \
	}

struct known_name {
	struct host_name is;
	size_t len;
};

/* Q counters of mlx5 are 32 bits wide although printed as 64; IB data counters are 4-byte words. */
static const struct known_name ib_names[] = {
	/* counters/ */
	NAME("port_rcv_data", CTR_RX_BYTES, RANK_IB_PORT, 4),
	NAME("port_xmit_data", CTR_TX_BYTES, RANK_IB_PORT, 4),
	NAME("port_rcv_packets", CTR_RX_PACKETS, RANK_IB_PORT, 1),
	NAME("port_xmit_packets", CTR_TX_PACKETS, RANK_IB_PORT, 1),
	NAME("port_rcv_errors", CTR_RX_ERRORS, RANK_IB_PORT, 1),
	NAME("port_xmit_discards", CTR_TX_DISCARDS, RANK_IB_PORT, 1),
	/* netdev */
	NAME("rx_errors", CTR_RX_ERRORS, 9, 1),
	NAME("tx_errors", CTR_TX_ERRORS, 9, 1),
	NAME("carrier_changes", CTR_CARRIER_CHANGES, 9, 1),
	NAME("carrier_down_count", CTR_LINK_DOWN_EVENTS, 5, 1),
	/* netdev of a soft RDMA device: of a NIC the kernel does not see what RDMA sends */
	NAME("statistics/rx_bytes", CTR_RX_BYTES, 1, 1),
	NAME("statistics/tx_bytes", CTR_TX_BYTES, 1, 1),
	NAME("statistics/rx_packets", CTR_RX_PACKETS, 1, 1),
	NAME("statistics/tx_packets", CTR_TX_PACKETS, 1, 1),
	NAME("rx_missed_errors", CTR_RX_DISCARDS, 2, 1),
	NAME("rx_crc_errors", CTR_RX_FCS_ERRORS, 2, 1),
	NAME("tx_dropped", CTR_TX_DISCARDS, 1, 1),
	/* hw_counters/, mlx5 */
	NAME("np_cnp_sent", CTR_CNP_SENT, 9, 1),
	NAME("rp_cnp_handled", CTR_CNP_HANDLED, 9, 1),
	NAME("rp_cnp_ignored", CTR_CNP_IGNORED, 9, 1),
	NAME("np_ecn_marked_roce_packets", CTR_ECN_MARKED_ROCE_PACKETS, 9, 1),
	NAME("out_of_sequence", CTR_OUT_OF_SEQUENCE, 9, 1),
	NAME("packet_seq_err", CTR_PACKET_SEQ_ERR, 9, 1),
	NAME("implied_nak_seq_err", CTR_IMPLIED_NAK_SEQ_ERR, 9, 1),
	NAME("local_ack_timeout_err", CTR_LOCAL_ACK_TIMEOUT_ERR, 9, 1),
	NAME("rnr_nak_retry_err", CTR_RNR_NAK_RETRY_ERR, 9, 1),
	NAME("duplicate_request", CTR_DUPLICATE_REQUEST, 9, 1),
	NAME("req_transport_retries_exceeded", CTR_TRANSPORT_RETRIES_EXCEEDED, 9, 1),
	NAME("rx_icrc_encapsulated", CTR_RX_ICRC_ERRORS, 9, 1),
	NAME("roce_adp_retrans", CTR_ROCE_ADP_RETRANS, 9, 1),
	NAME("roce_slow_restart", CTR_ROCE_SLOW_RESTART, 9, 1),
	NAME("out_of_buffer", CTR_RX_OUT_OF_BUFFER, 9, 1),
	/* bnxt_re */
	NAME("rx_bytes", CTR_RX_BYTES, 3, 1),
	NAME("tx_bytes", CTR_TX_BYTES, 3, 1),
	NAME("rx_pkts", CTR_RX_PACKETS, 3, 1),
	NAME("tx_pkts", CTR_TX_PACKETS, 3, 1),
	NAME("oos_drop_count", CTR_OUT_OF_SEQUENCE, 5, 1),
	NAME("seq_err_naks_rcvd", CTR_PACKET_SEQ_ERR, 5, 1),
	NAME("missing_resp", CTR_IMPLIED_NAK_SEQ_ERR, 5, 1),
	NAME("to_retransmits", CTR_LOCAL_ACK_TIMEOUT_ERR, 5, 1),
	NAME("rnr_naks_rcvd", CTR_RNR_NAK_RETRY_ERR, 5, 1),
	NAME("rx_out_of_buffer", CTR_RX_OUT_OF_BUFFER, 5, 1),
	NAME("max_retry_exceeded", CTR_TRANSPORT_RETRIES_EXCEEDED, 5, 1),
	NAME("dup_req", CTR_DUPLICATE_REQUEST, 5, 1),
	NAME("tx_cnp_pkts", CTR_CNP_SENT, 5, 1),
	NAME("rx_cnp_pkts", CTR_CNP_HANDLED, 5, 1),
	NAME("rx_ecn_marked_pkts", CTR_ECN_MARKED_ROCE_PACKETS, 5, 1),
	NAME("rx_roce_errors", CTR_RX_ERRORS, 3, 1),
	NAME("rx_roce_discards", CTR_RX_DISCARDS, 3, 1),
	/* irdma; the third generation's names have blanks */
	NAME("cnpSent", CTR_CNP_SENT, 5, 1),
	NAME("cnpHandled", CTR_CNP_HANDLED, 5, 1),
	NAME("cnpIgnored", CTR_CNP_IGNORED, 5, 1),
	NAME("RxECNMrkd", CTR_ECN_MARKED_ROCE_PACKETS, 5, 1),
	NAME("RTO", CTR_LOCAL_ACK_TIMEOUT_ERR, 5, 1),
	NAME("RetransSegs", CTR_ROCE_ADP_RETRANS, 5, 1),
	NAME("tcpRetransSegs", CTR_ROCE_ADP_RETRANS, 4, 1),
	NAME("RNR received", CTR_RNR_NAK_RETRY_ERR, 5, 1),
	NAME("Nak Sequence Error", CTR_PACKET_SEQ_ERR, 5, 1),
	NAME("Nak Sequence Error Implied", CTR_IMPLIED_NAK_SEQ_ERR, 5, 1),
	NAME("Rcvd Out of order packets", CTR_OUT_OF_SEQUENCE, 5, 1),
	/* efa: its transport retransmits in the card and changes the path after a timeout */
	NAME("rx_drops", CTR_RX_DISCARDS, 3, 1),
	NAME("retrans_pkts", CTR_ROCE_ADP_RETRANS, 3, 1),
	NAME("retrans_timeout_events", CTR_LOCAL_ACK_TIMEOUT_ERR, 3, 1),
	NAME("unresponsive_remote_events", CTR_TRANSPORT_RETRIES_EXCEEDED, 3, 1),
	/*
	 * rxe: completer_retry_err are rounds of retransmission, after a timeout or a NAK;
	 * retry_exceeded_err are queue pairs that gave up.
	 */
	NAME("rcvd_pkts", CTR_RX_PACKETS, 3, 1),
	NAME("sent_pkts", CTR_TX_PACKETS, 3, 1),
	NAME("out_of_seq_request", CTR_OUT_OF_SEQUENCE, 3, 1),
	NAME("rcvd_seq_err", CTR_PACKET_SEQ_ERR, 3, 1),
	NAME("completer_retry_err", CTR_ROCE_ADP_RETRANS, 3, 1),
	NAME("retry_exceeded_err", CTR_TRANSPORT_RETRIES_EXCEEDED, 3, 1),
	NAME("send_err", CTR_TX_ERRORS, 10, 1),
	NAME("rcvd_rnr_err", CTR_RNR_NAK_RETRY_ERR, 3, 1),
	NAME("link_downed", CTR_LINK_DOWN_EVENTS, 3, 1),
};

static const struct known_name ethtool_names[] = {
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

/* The byte that a priority is in becomes '0' in all of them, so that the rule is found by it. */
static uint64_t without_priority(uint64_t word)
{
	const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), zeros = UINT64_C(0x3030303030303030);
	uint64_t other = (word ^ zeros) & UINT64_C(0xf8f8f8f8f8f8f8f8);
	uint64_t is_digit = ~(((other & low) + low) | other | low);

	return word & ~((is_digit >> 7) * 7);
}

static uint64_t word_at(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ without_priority(word)) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Eight bytes at a time; the last eight may have been seen in part. */
static unsigned hash_of(const char *name, size_t len)
{
	uint64_t h = len, word = 0;

	if (len < sizeof(word)) {
		for (size_t i = 0; i < len; i++)
			word = word << 8 | (unsigned char)name[i];
		h = mix(h, word);
	} else {
		for (size_t at = 0; at + sizeof(word) < len; at += sizeof(word))
			h = mix(h, word_at(name + at));
		h = mix(h, word_at(name + len - sizeof(word)));
	}
	return (unsigned)(h >> 32) % HOST_NAME_SLOTS;
}

static void fill(uint8_t slots[HOST_NAME_SLOTS], const struct known_name *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char text[64];
		unsigned at;

		for (size_t k = 0; k < names[i].len; k++)
			text[k] = names[i].is.name[k] == '#' ? '0' : names[i].is.name[k];
		at = hash_of(text, names[i].len);
		while (slots[at])
			at = (at + 1) % HOST_NAME_SLOTS;
		slots[at] = (uint8_t)(i + 1);
	}
}
_Static_assert(
	ARRAY_LEN(ib_names) < HOST_NAME_SLOTS / 2 && ARRAY_LEN(ethtool_names) < HOST_NAME_SLOTS / 2,
	"half of the slots stay empty, so that a search ends soon");

static void get_ready(struct host_names *names)
{
	if (names->is_ready)
		return;
	fill(names->ib, ib_names, ARRAY_LEN(ib_names));
	fill(names->ethtool, ethtool_names, ARRAY_LEN(ethtool_names));
	names->is_ready = true;
}

const struct host_name *host_ib_name(struct host_names *names, const char *name, size_t len)
{
	get_ready(names);
	for (unsigned at = hash_of(name, len); names->ib[at]; at = (at + 1) % HOST_NAME_SLOTS) {
		const struct known_name *k = &ib_names[names->ib[at] - 1];

		if (k->len == len && memcmp(k->is.name, name, len) == 0)
			return &k->is;
	}
	return NULL;
}

const struct host_name *host_ethtool_name(
	struct host_names *names, const char *name, size_t len, unsigned *priority)
{
	get_ready(names);
	for (unsigned at = hash_of(name, len); names->ethtool[at];
		at = (at + 1) % HOST_NAME_SLOTS) {
		const struct known_name *k = &ethtool_names[names->ethtool[at] - 1];

		if (k->len == len && name_matches(k->is.name, name, len, priority))
			return &k->is;
	}
	return NULL;
}

bool host_ethtool_counts(enum counter_id id)
{
	for (size_t i = 0; i < ARRAY_LEN(ethtool_names); i++)
		if (ethtool_names[i].is.id == id)
			return true;
	return false;
}
