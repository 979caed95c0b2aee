/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "backends/dialects/linux/linux.h"
#include "base/str.h"
#include "fabric/vocabulary/counters.h"

/*
 * Counter names of drivers. The rank decides between several sources on a host: 9 counts on the
 * wire, 5 is as good but measured further away, 3 counts a part only.
 */

/* The length is compared first: most names that a NIC prints are not used. */
#define NAME(text, ...)                                                                            \
	{                                                                                          \
		{text, __VA_ARGS__, 0}, sizeof(text) - 1                                           \
	}
#define EFA_NAME(text, id, adds)                                                                   \
	{                                                                                          \
		{text, id, 3, 1, NAME_EFA | (adds)}, sizeof(text) - 1                              \
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
	NAME("port_xmit_wait", CTR_TX_WAIT, RANK_IB_PORT, 1),
	NAME("symbol_error", CTR_RX_SYMBOL_ERRORS, RANK_IB_PORT, 1),
	NAME("link_error_recovery", CTR_LINK_RECOVERIES, RANK_IB_PORT, 1),
	NAME("port_xmit_discards", CTR_TX_DISCARDS, RANK_IB_PORT, 1),
	/* netdev */
	NAME("rx_errors", CTR_RX_ERRORS, 9, 1),
	NAME("tx_errors", CTR_TX_ERRORS, 9, 1),
	NAME("carrier_changes", CTR_CARRIER_CHANGES, 9, 1),
	NAME("carrier_down_count", CTR_LINK_DOWN_EVENTS, 5, 1),
	/* netdev of a soft RDMA device; the kernel does not see the RDMA traffic of a NIC */
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
	NAME("res_oos_drop_count", CTR_OUT_OF_SEQUENCE, 5, 1),
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
	NAME("tx_roce_errors", CTR_TX_ERRORS, 10, 1),
	NAME("tx_roce_discards", CTR_TX_DISCARDS, 3, 1),
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
	NAME("CRC errors", CTR_RX_ICRC_ERRORS, 5, 1),
	/*
	 * efa: its transport retransmits in the card and changes the path after a timeout. What is
	 * shown of them: fabric/vocabulary/transport.c. Bytes of messages, reads and writes are
	 * kept as sums; numbers of work requests, of bytes sent again and of the driver's own
	 * commands are not kept.
	 */
	EFA_NAME("rx_drops", CTR_RX_DISCARDS, 0),
	EFA_NAME("retrans_pkts", CTR_ROCE_ADP_RETRANS, 0),
	EFA_NAME("retrans_timeout_events", CTR_LOCAL_ACK_TIMEOUT_ERR, 0),
	EFA_NAME("unresponsive_remote_events", CTR_TRANSPORT_RETRIES_EXCEEDED, 0),
	EFA_NAME("impaired_remote_conn_events", CTR_ROCE_SLOW_RESTART, 0),
	EFA_NAME("rdma_read_wr_err", CTR_TX_ERRORS, NAME_ADDS),
	EFA_NAME("rdma_write_wr_err", CTR_TX_ERRORS, NAME_ADDS),
	EFA_NAME("recv_bytes", CTR_RDMA_RX_BYTES, NAME_ADDS),
	EFA_NAME("rdma_read_bytes", CTR_RDMA_RX_BYTES, NAME_ADDS),
	EFA_NAME("rdma_write_recv_bytes", CTR_RDMA_RX_BYTES, NAME_ADDS),
	EFA_NAME("send_bytes", CTR_RDMA_TX_BYTES, NAME_ADDS),
	EFA_NAME("rdma_write_bytes", CTR_RDMA_TX_BYTES, NAME_ADDS),
	EFA_NAME("rdma_read_resp_bytes", CTR_RDMA_TX_BYTES, NAME_ADDS),
	/* ionic: all of the RoCE traffic, and the firmware's own spelling */
	NAME("rx_rdma_ucast_bytes", CTR_RDMA_RX_BYTES, 5, 1),
	NAME("tx_rdma_ucast_bytes", CTR_RDMA_TX_BYTES, 5, 1),
	NAME("rx_rdma_ucast_pkts", CTR_RX_PACKETS, 3, 1),
	NAME("tx_rdma_ucast_pkts", CTR_TX_PACKETS, 3, 1),
	NAME("rx_rdma_cnp_pkts", CTR_CNP_HANDLED, 5, 1),
	NAME("tx_rdma_cnp_pkts", CTR_CNP_SENT, 5, 1),
	NAME("rx_rdma_ecn_pkts", CTR_ECN_MARKED_ROCE_PACKETS, 5, 1),
	NAME("resp_rx_outouf_seq", CTR_OUT_OF_SEQUENCE, 5, 1),
	NAME("resp_rx_outof_seq", CTR_OUT_OF_SEQUENCE, 5, 1),
	NAME("req_rx_pkt_seq_err", CTR_PACKET_SEQ_ERR, 5, 1),
	NAME("req_rx_impl_nak_seq_err", CTR_IMPLIED_NAK_SEQ_ERR, 5, 1),
	NAME("tx_rdma_ack_timeout", CTR_LOCAL_ACK_TIMEOUT_ERR, 5, 1),
	NAME("req_tx_retry_excd_err", CTR_TRANSPORT_RETRIES_EXCEEDED, 5, 1),
	NAME("req_rx_rnr_retry_err", CTR_RNR_NAK_RETRY_ERR, 5, 1),
	NAME("tx_rdma_retx_pkts", CTR_ROCE_ADP_RETRANS, 5, 1),
	NAME("resp_rx_outof_buf", CTR_RX_OUT_OF_BUFFER, 5, 1),
	NAME("resp_rx_dup_request", CTR_DUPLICATE_REQUEST, 5, 1),
	/* mana */
	NAME("requester_timeout", CTR_LOCAL_ACK_TIMEOUT_ERR, 5, 1),
	NAME("requester_oos_nak", CTR_PACKET_SEQ_ERR, 5, 1),
	NAME("requester_implicit_nak", CTR_IMPLIED_NAK_SEQ_ERR, 5, 1),
	NAME("requester_rnr_nak", CTR_RNR_NAK_RETRY_ERR, 5, 1),
	NAME("requester_retries_exceeded", CTR_TRANSPORT_RETRIES_EXCEEDED, 5, 1),
	NAME("responder_oos", CTR_OUT_OF_SEQUENCE, 5, 1),
	NAME("responder_dup_request", CTR_DUPLICATE_REQUEST, 5, 1),
	NAME("received_cnps", CTR_CNP_HANDLED, 5, 1),
	NAME("rx_packets", CTR_RX_PACKETS, 3, 1),
	NAME("tx_packets", CTR_TX_PACKETS, 3, 1),
	/* erdma, hns */
	NAME("rx_bytes_cnt", CTR_RX_BYTES, 3, 1),
	NAME("tx_bytes_cnt", CTR_TX_BYTES, 3, 1),
	NAME("rx_packets_cnt", CTR_RX_PACKETS, 3, 1),
	NAME("tx_packets_cnt", CTR_TX_PACKETS, 3, 1),
	NAME("rx_pkt", CTR_RX_PACKETS, 3, 1),
	NAME("tx_pkt", CTR_TX_PACKETS, 3, 1),
	NAME("rx_err_pkt", CTR_RX_ERRORS, 3, 1),
	NAME("tx_err_pkt", CTR_TX_ERRORS, 3, 1),
	NAME("rx_cnp_pkt", CTR_CNP_HANDLED, 5, 1),
	NAME("tx_cnp_pkt", CTR_CNP_SENT, 5, 1),
	/*
	 * rxe: completer_retry_err counts rounds of retransmission, after a timeout or a NAK;
	 * retry_exceeded_err counts queue pairs that gave up.
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

#undef NAME

#define NAME(text, ...)          {{text, __VA_ARGS__, 0}, sizeof(text) - 1},
#define PRIO(before, after, ...) NAME(before "#" after, __VA_ARGS__)

static const struct known_name ethtool_names[] = {
#include "backends/dialects/linux/ethtool.def"
};
#undef NAME
#undef PRIO

#define NAME(text, ...)          "|" text
#define PRIO(before, after, ...) "|" before "[0-7]" after
/* clang-format off */
const char linux_fast_head[] = "W='^ *(-"
#include "backends/dialects/linux/ethtool.def"
	"):'\n";
/* In the syntax of backends/contract/reads.h. */
const char linux_fast_head_rule[] = "W='^ \\*(-"
#include "backends/dialects/linux/ethtool.def"
	"):'";
/* clang-format on */

#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* Whole names only: rx_prio3_pause must not match rx_prio3_pause_transition. */
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

/* Replaces the byte of a priority by '0', so that all priorities have the same hash. */
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

static uint64_t mix_hash(uint64_t h, uint64_t word)
{
	h = (h ^ without_priority(word)) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 29;
}

/* Eight bytes at a time; the last eight may overlap earlier ones. */
static unsigned hash_of(const char *name, size_t len)
{
	uint64_t h = len, word = 0;

	if (len < sizeof(word)) {
		for (size_t i = 0; i < len; i++)
			word = word << 8 | (unsigned char)name[i];
		h = mix_hash(h, word);
	} else {
		for (size_t at = 0; at + sizeof(word) < len; at += sizeof(word))
			h = mix_hash(h, word_at(name + at));
		h = mix_hash(h, word_at(name + len - sizeof(word)));
	}
	return (unsigned)(h >> 32) % HOST_NAME_SLOTS;
}

static void fill_slots(uint8_t slots[HOST_NAME_SLOTS], const struct known_name *names, size_t n)
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
	fill_slots(names->ib, ib_names, ARRAY_LEN(ib_names));
	fill_slots(names->ethtool, ethtool_names, ARRAY_LEN(ethtool_names));
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

bool host_ethtool_counts(counter_id id)
{
	for (size_t i = 0; i < ARRAY_LEN(ethtool_names); i++)
		if (ethtool_names[i].is.id == id)
			return true;
	return false;
}
